"""Operations on views in place of arrays, as JAX's calls on a GPU make them: drawn calls against float64, and JAX's own
against those on NumPy's arrays."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

jax = pytest.importorskip("jax")

from avelang.bridge import jax_calls  # noqa: E402
from avelang.bridge.device_views import DeviceView  # noqa: E402
from ops import drawn_attention, drawn_products, drawn_rows  # noqa: E402
from ops.test_jax import CASES  # noqa: E402
from ops.views import Room  # noqa: E402

FAMILIES = sorted({f.__name__ for m in (drawn_rows, drawn_products, drawn_attention) for f in m.FAMILY})
HERE = pathlib.Path(__file__).resolve().parent


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("chip", ["", "@sm_90a"])
def test_drawn_calls_on_views(part, chip):
    names = [f"{name}{chip}" for name in FAMILIES[part::3]]
    made = subprocess.run([sys.executable, str(HERE / "views.py"), *names], capture_output=True, text=True, timeout=600)
    assert made.returncode == 0, made.stdout + made.stderr[-2000:]


@pytest.mark.parametrize("name", CASES)
def test_jax_on_views_makes_the_bits_of_arrays(name, monkeypatch):
    mine, _, arrays, rest = CASES[name]
    given = [jax.numpy.asarray(x) for x in (*arrays, *rest)]
    both = jax.value_and_grad(lambda *a: (mine(*a).astype(np.float32) ** 2).sum(), tuple(range(len(arrays))))
    want, made = both(*given), []
    plain = jax_calls._memory

    def memory(b):
        found, room = plain(b), Room("cpu")
        made.append(room)  # until the end: JAX gives back its own where a call ends
        return DeviceView(b.address, b.shape, found.dtype, "cpu", None, room)

    monkeypatch.setattr(jax_calls, "_memory", memory)
    got = jax.block_until_ready(both(*given))
    assert made
    jax.tree.map(np.testing.assert_array_equal, got, want)
