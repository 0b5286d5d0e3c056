"""The programs of the GPU suite's JAX step, on the CPU: those that compile little."""

import pytest

jax = pytest.importorskip("jax")

from gpu.jax_programs import PROGRAMS  # noqa: E402

LONG = {"layers", "training", "memory", "checked_values", "wide_numbers", "random_weights"}  # attention and x64 compile for long


@pytest.mark.parametrize("name", sorted(set(PROGRAMS) - LONG))
def test_programs(name):
    PROGRAMS[name](jax.devices("cpu")[0])
