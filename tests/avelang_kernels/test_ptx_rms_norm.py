"""The RMS norm on the executor, against float64: rows of one thread to rows of a block; what ptxas says."""

from __future__ import annotations

import numpy as np
import pytest
from tests.avelang_kernels.guarded import BF16, check
from tests.tools import need

from avelang.ptx import machine_code
from avelang.ptx.types import bf16, f32
from avelang_kernels.norm.ptx_rms_norm import build, rms_norm
from avelang_kernels.norm.ptx_rows import plan_of


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
    x, w = rng.standard_normal((m, n)).astype(dtype), rng.standard_normal(n).astype(dtype)
    eps = float(rng.uniform(1e-6, 1e-2))
    y = x.astype(np.float64)
    want = y * w.astype(np.float64) / np.sqrt((y * y).mean(1, keepdims=True) + eps)
    check(lambda out: rms_norm(x, w, eps, out), want, dtype, 2.0**-18 * np.abs(want))


def test_an_output_is_made():
    x = np.full((2, 8), 3, BF16)
    y = rms_norm(x, np.full(8, 2, BF16), eps=0.0)
    assert y.dtype == BF16 and (y.astype(np.float32) == 2).all()
    assert not rms_norm(np.zeros((1, 8), BF16), np.ones(8, BF16)).astype(np.float32).any()


@pytest.mark.parametrize(
    ("x", "weight", "kind", "words"),
    [
        (np.zeros(8, np.float32), np.zeros(8, np.float32), ValueError, "an array of 2 dimensions"),
        (np.zeros((2, 8), np.float32), np.zeros(7, np.float32), ValueError, r"must be \(8,\)"),
        (np.zeros((2, 8), np.float32), np.zeros(8, np.float16), TypeError, "weight is of float16, x is of float32"),
    ],
)
def test_what_does_not_fit_is_refused(x, weight, kind, words):
    with pytest.raises(kind, match=words):
        rms_norm(x, weight)


@pytest.mark.parametrize(
    ("n", "dtype"), [(1024, bf16), (16384, bf16), (16384, f32), (16383, bf16), (32768, f32)], ids=str
)
def test_ptxas_keeps_rows_in_registers(n, dtype):
    need("ptxas")
    plan = plan_of(n, dtype)
    traced = build(plan, dtype).traced((8192,), "sm_90a")
    _, said = machine_code.assembled(traced)
    assert said["spills"] == [0, 0] and said["registers"] * plan.block <= 65536
    assert traced.text.count("ld.global") == 2 * plan.loads and traced.text.count("st.global") == plan.loads
