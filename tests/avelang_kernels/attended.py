"""Attention in float64, and by how much a kernel may differ from it: shared by the tests of attention kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

BF16, F16 = ml_dtypes.bfloat16, np.float16
UNIT = {np.dtype(BF16): 2.0**-8, np.dtype(F16): 2.0**-11}  # half a unit in the last place, relative
SMALLEST = 2.0**-25  # half of f16's smallest number
F32 = 2.0**-23  # of one operation in f32, be it rounded or truncated
MARGIN = 64  # elements on either side of an output


class Case(NamedTuple):
    """Extents: batch, heads of Q, heads of K and V, queries, keys, d; whether causal; the layout; the dtype."""

    batch: int
    heads: int
    kv_heads: int
    queries: int
    keys: int
    d: int
    causal: bool = False
    layout: str = "bshd"
    dtype: Any = BF16

    def shape(self, heads: int, seq: int) -> tuple[int, ...]:
        """Of Q, or of K and V."""
        return (self.batch, seq, heads, self.d) if self.layout == "bshd" else (self.batch, heads, seq, self.d)

    def inputs(self, seed: int = 0) -> list[np.ndarray]:
        """Q, K, V: random normal numbers."""
        rng = np.random.default_rng(seed)
        sizes = (self.heads, self.queries), (self.kv_heads, self.keys), (self.kv_heads, self.keys)
        return [rng.standard_normal(self.shape(*s), dtype=np.float32).astype(self.dtype) for s in sizes]


def heads_first(x: np.ndarray, layout: str) -> np.ndarray:
    """float64 (batch, heads, seq, d)."""
    return (x.swapaxes(1, 2) if layout == "bshd" else x).astype(np.float64)


def wanted(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, case: Case, scale: float | None = None
) -> tuple[np.ndarray, ...]:
    """O and the logarithms in float64, and how far each may be from them; O in the case's layout.

    A score differs by the roundings of d products and sums, the exponent by those of score * scale - shift. A weight
    then has these, an exponential right to two units, and half a unit of the operands' dtype; sums of n weights, in
    tiles that shrink now and then, n roundings more, and O is divided by the sum of weights as they were in f32. """
    scale = case.d**-0.5 if scale is None else scale
    q, k, v = (heads_first(x, case.layout) for x in (q, k, v))
    group = case.heads // case.kv_heads
    k, v = (np.repeat(x, group, 1) for x in (k, v))
    s = q @ k.swapaxes(2, 3) * scale
    near = np.abs(q) @ np.abs(k).swapaxes(2, 3) * scale * (case.d + 4) * F32
    if case.causal:
        seen = np.arange(case.keys)[None] <= np.arange(case.queries)[:, None] + case.keys - case.queries
        s = np.where(seen, s, -np.inf)
    most = s.max(3, keepdims=True)
    most = np.where(most == -np.inf, 0, most)
    p = np.exp(s - most)
    total = p.sum(3, keepdims=True)
    p = p / np.where(total == 0, 1, total)
    o, size = p @ v, p @ np.abs(v)
    off = near.max(3, keepdims=True) + 4 * np.abs(np.where(np.isfinite(s), s, 0)).max(3, keepdims=True) * F32
    each = np.expm1(np.minimum(2 * off, 1)) + 2 * (case.keys + 8) * 2 * F32
    unit = UNIT[np.dtype(case.dtype)]
    bound = (each + unit) * size + unit * np.abs(o) + SMALLEST * (1 + np.abs(v).sum(2, keepdims=True))
    with np.errstate(divide="ignore"):
        logs = (most + np.log(total))[..., 0]
    logs_bound = each[..., 0] + 4 * F32 * (1 + np.abs(np.where(np.isfinite(logs), logs, 0)))
    if case.layout == "bshd":
        o, bound = o.swapaxes(1, 2), bound.swapaxes(1, 2)
    return o, bound, logs, logs_bound


def guarded(shape: tuple[int, ...], dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """An array of NaN in the middle of others, and the whole."""
    room = np.full(math.prod(shape) + 2 * MARGIN, np.nan, dtype)
    return room[MARGIN:-MARGIN].reshape(shape), room


def run(
    call: Callable[..., Any], q: np.ndarray, k: np.ndarray, v: np.ndarray, case: Case
) -> tuple[np.ndarray, np.ndarray]:
    """O and the logarithms of `call(q, k, v, out, lse=...)`, which writes nothing beside them."""
    out, room = guarded(q.shape, case.dtype)
    lse, logs_room = guarded((case.batch, case.heads, case.queries), np.float32)
    assert call(q, k, v, out, lse=lse) is out
    for whole in (room, logs_room):
        assert np.isnan(np.concatenate([whole[:MARGIN], whole[-MARGIN:]]).astype(np.float32)).all(), (
            "written beside the output"
        )
    return out, lse


def check(call: Callable[..., Any], case: Case, seed: int = 0) -> np.ndarray:
    """`call` on random numbers, against float64 with the bound of `wanted`. Returns O."""
    q, k, v = case.inputs(seed)
    out, lse = run(call, q, k, v, case)
    o, bound, logs, logs_bound = wanted(q, k, v, case)
    error = np.abs(out.astype(np.float64) - o)
    assert (error <= bound).all(), f"O is off by {np.nanmax(error / bound)} of the bound"
    nothing = logs == -np.inf
    assert (lse[nothing] == -np.inf).all() and (
        np.abs(lse - np.where(nothing, 0, logs))[~nothing] <= logs_bound[~nothing]
    ).all()
    return out
