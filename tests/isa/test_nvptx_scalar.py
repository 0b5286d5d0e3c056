"""The exponential of the special function unit: exact values on executors, one instruction on the GPU, moved and merged
as any other arithmetic."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.runtime.compile import compile_text


@avelang.jit
def powers(x: al.Tensor((64,), al.f32), out: al.Tensor((2, 64), al.f32)):
    t = al.thread_id(0)
    value = x[t]
    out[0, t] = al.nvvm.exp2(value)
    if value > 0:
        out[1, t] = al.nvvm.exp2(value)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_values(backend):
    x = np.random.default_rng(0).uniform(-120, 127, 64).astype(np.float32)
    x[:4] = -np.inf, np.inf, np.nan, 0
    out = np.zeros((2, 64), np.float32)
    powers[1, 64](x, out, target="sm_80", backend=backend)
    want = np.exp2(x.astype(np.float64))
    np.testing.assert_allclose(out[0], want, rtol=2.0**-22)
    np.testing.assert_array_equal(out[1], np.where(x > 0, out[0], 0))


def test_code():
    """Once: it has no effects, so that what is computed twice is computed once."""
    text = compile_text(powers, {}, (64, 1, 1), "sm_75", "asm")
    assert text.count("ex2.approx.ftz.f32") == 1
