"""The programs of the GPU suite's JAX step, on the CPU: those that compile little."""

import pytest

jax = pytest.importorskip("jax")

from gpu.jax_programs import PROGRAMS  # noqa: E402

# Attention, the loss of a linear layer and numbers of 64 bits compile for long.
LONG = {"layers", "training", "memory", "checked_values", "wide_numbers", "random_weights", "transfers", "elsewhere"}


@pytest.mark.parametrize("name", sorted(set(PROGRAMS) - LONG))
def test_programs(name):
    PROGRAMS[name](jax.devices("cpu")[0])
