"""The row softmax on the executor, against float64: rows of one thread to rows of a block, extreme numbers; what ptxas
says."""

from __future__ import annotations

import numpy as np
import pytest
from tests.avelang_kernels.guarded import BF16, check
from tests.tools import need

from avelang.ptx import machine_code
from avelang.ptx.types import bf16, f32
from avelang_kernels.norm.ptx_rows import plan_of
from avelang_kernels.norm.ptx_softmax import build, softmax


def wanted(x: np.ndarray) -> np.ndarray:
    e = np.exp(x.astype(np.float64) - x.astype(np.float64).max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


@pytest.mark.parametrize(
    ("m", "n", "dtype"),
    [
        (3, 64, BF16), (5, 37, np.float32), (33, 8, np.float32), (5, 1, np.float16), (3, 18, np.float16), (2, 1000,
            BF16), (3, 771, BF16),
        (2, 2048, np.float32), (1, 2056, BF16), (1, 16384, BF16),
    ],
)  # fmt: skip
def test_on_the_executor(m, n, dtype):
    rng = np.random.default_rng()
    x = (rng.standard_normal((m, n)) * 4).astype(dtype)
    want = wanted(x)
    check(lambda out: softmax(x, out), want, dtype, 2.0**-17 * want)


def test_extreme_rows():
    inf, big = np.inf, np.float32(3e38)
    x = np.array([[big, -big, 0, big], [-inf, 1, 1, -inf], [-big] * 4, [5e-39, 0, 0, 0]], np.float32)
    np.testing.assert_allclose(softmax(x), [[0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0], [0.25] * 4, [0.25] * 4], rtol=1e-6)
    assert np.isnan(softmax(np.array([[-inf] * 4, [np.nan, 1, 2, 3], [inf, 0, 0, 0]], np.float32))).all()


def test_an_output_is_made():
    x = np.zeros((2, 8), BF16)
    y = softmax(x)
    assert y.dtype == BF16 and (y.astype(np.float32) == 0.125).all()
    assert softmax(x[:0]).shape == (0, 8)
    assert softmax(x, x) is x and (x == y).all()


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="an array of 2 dimensions"):
        softmax(np.zeros(8, np.float32))
    with pytest.raises(TypeError, match="x is of int32"):
        softmax(np.zeros((2, 8), np.int32))


@pytest.mark.parametrize(
    ("n", "dtype"), [(1024, bf16), (16384, bf16), (16384, f32), (16383, bf16), (32768, f32)], ids=str
)
def test_ptxas_keeps_rows_in_registers(n, dtype):
    need("ptxas")
    plan = plan_of(n, dtype)
    traced = build(plan, dtype).traced((8192,), "sm_90a")
    _, said = machine_code.assembled(traced)
    assert said["spills"] == [0, 0]
    # Enough loads on their way to hide memory: 32 KB on each multiprocessor (4.8 TB/s, half of it reads, 1 us, 132 of
    # them: 18 KB).
    blocks = min(65536 // (said["registers"] * plan.block), 2048 // plan.block)
    assert blocks * plan.block * plan.vector * plan.loads * dtype.bytes >= 32 * 1024
    assert traced.text.count("ld.global") == traced.text.count("st.global") == plan.loads
