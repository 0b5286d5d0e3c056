"""Rows that are no whole words are copied before kernels of NVIDIA's chips see them: which are, and what comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.avelang_kernels.attended import BF16, F16

from avelang_kernels.attention import padded, table
from avelang_kernels.attention.problem import Operands, Problem

P = Problem(1, 2, 1, 21, 35, 9, 11, "float16", 0.3, right=0, bottom_right=True)


def rows(d: int, apart: int = 0, dtype: Any = F16) -> np.ndarray:
    """(1, 1, 4, d), of which rows are `apart` elements further from one another than they are long."""
    return np.zeros((1, 1, 4, d + apart), dtype)[..., :d]


@pytest.mark.parametrize(
    ("x", "changes", "chip", "options", "found"),
    [
        (rows(9), {}, "sm_90a", {}, True), (rows(16, 1, BF16), {"dtype": "bfloat16"}, "sm_80", {}, True),
        (rows(16, 2), {}, "sm_90a", {}, False), (rows(9), {}, "gfx942", {}, False),
        (rows(9), {}, "sm_90a", {"backend": "cpu"}, False), (rows(9), {"page": 16}, "sm_90a", {}, False),
        (rows(9), {"dtype": "float32"}, "sm_90a", {}, False),
    ],
)  # fmt: skip
def test_which_are_copied(x, changes, chip, options, found):
    d = x.shape[-1]
    p = Problem(1, 1, 1, 4, 4, d, d, **{"dtype": "float16", "scale": 1.0, **changes})
    assert padded.unaligned(p, (x,), chip, options) == found


def test_copies_end_with_zeros():
    x = rows(9) + np.arange(9, dtype=F16)
    made = padded.with_zeros(x)
    assert made.shape == (1, 1, 4, 16) and (made[..., :9] == x).all() and not made[..., 9:].any()
    assert (padded.padded(P).d, padded.padded(P).dv, padded.padded(P).scale) == (16, 16, P.scale)


def test_forward_and_gradients():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((1, h, n, d)).astype(F16) for h, n, d in ((2, 21, 9), (1, 35, 9), (1, 35, 11)))
    out, lse = np.full((1, 2, 21, 11), np.nan, F16), np.full((1, 2, 21), np.nan, np.float32)
    table.run_forward(P, Operands(q, k, v), out, lse, "sm_80")
    a, b, c = q.astype(float), k.astype(float), v.astype(float)
    s = np.where(np.arange(35) <= np.arange(21)[:, None] + 14, a @ b.swapaxes(2, 3) * P.scale, -np.inf)
    p = np.exp(s - s.max(3, keepdims=True))
    w = p / p.sum(3, keepdims=True)
    assert np.abs(out - w @ c).max() < 0.01
    assert np.abs(lse - np.log(np.exp(s).sum(3))).max() < 1e-3
    do, grads = rng.standard_normal(out.shape).astype(F16), [np.full_like(x, np.nan) for x in (q, k, v)]
    table.run_backward(P, Operands(q, k, v), out, lse, do, None, *grads, target="sm_80")
    g = do.astype(float)
    ds = w * (g @ c.swapaxes(2, 3) - (g * (w @ c)).sum(3, keepdims=True)) * P.scale
    want = ds @ b, (ds.swapaxes(2, 3) @ a).sum(1, keepdims=True), (w.swapaxes(2, 3) @ g).sum(1, keepdims=True)
    for x, y in zip(grads, want, strict=True):
        assert np.abs(x - y).max() < 0.02
