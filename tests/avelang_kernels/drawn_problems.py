"""Drawn problems of attention in 16 bits, dense and packed, with all that a `Problem` says but pages and dropout, and
their results held against float64. What nobody may see is NaN."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import ml_dtypes
import numpy as np

from avelang_kernels.attention.problem import Operands, Problem
from ops.judge_attention import Words, judge

BF16 = ml_dtypes.bfloat16


def normal(rng: Any, shape: Any, dtype: Any = BF16) -> np.ndarray:
    return rng.standard_normal(shape, dtype=np.float32).astype(dtype)


@dataclasses.dataclass
class Drawn:
    """A problem with its arrays, the words of it, and where sequences begin."""

    p: Problem
    x: Operands
    words: Words
    out: np.ndarray
    lse: np.ndarray


def words_of(pick: random.Random, d: int) -> tuple[Words, dict[str, Any]]:
    """The words, and what `Problem` calls them."""
    causal = pick.choice((None, "top_left", "bottom_right"))
    ends = tuple(None if pick.random() < 0.3 else pick.randrange(100) for _ in range(2))
    window: Any = ends if pick.random() < 0.4 and ends != (None, None) else None
    words = Words(d**-0.5 * pick.choice((1.0, 2.0, 1.0, -1.0)), causal, window, pick.choice((0.0, 0.0, 4.0)))
    left, right = window or (None, None)
    bottom = causal == "bottom_right" or (window is not None and causal is None)
    return words, {"scale": words.scale, "left": left, "right": 0 if causal else right, "bottom_right": bottom,
                   "softcap": words.softcap}  # fmt: skip


def mask_of(pick: random.Random, rng: Any, shape: tuple[int, ...]) -> np.ndarray | None:
    """A mask of bool or one that is added, broadcast or not; or none."""
    kind = pick.choice(("", "bool", "bool", "float32", "bfloat16"))
    have = [n if pick.random() < 0.6 else 1 for n in shape]
    if kind != "bool":
        return normal(rng, have, {"float32": np.float32, "bfloat16": BF16}[kind]) if kind else None
    mask = rng.random(have) < 0.5
    if pick.random() < 0.5:
        mask[..., : mask.shape[-1] // 2] = False
    if pick.random() < 0.2:
        mask[...] = False
    return mask if pick.random() < 0.7 else np.ascontiguousarray(mask.swapaxes(-1, -2)).swapaxes(-1, -2)


def drawn(seed: int, wide: tuple[int, ...] = (64, 72, 128)) -> Drawn:
    """A problem by its number; `wide`: d to choose from."""
    pick, rng = random.Random(seed), np.random.default_rng(seed)
    d = pick.choice(wide)
    dv, kv = pick.choice((d, d, min(d, 64))), pick.randint(1, 2)
    heads, packed = kv * pick.choice((1, 2, 3)), pick.random() < 0.4
    words, said = words_of(pick, d)
    sinks = rng.standard_normal(heads).astype(np.float32) if pick.random() < 0.3 else None
    if packed:
        n = pick.randint(1, 4)
        queries = [pick.choice((0, 1, pick.randrange(200), pick.randrange(80))) for _ in range(n)]
        keys = [pick.choice((q, q, pick.randrange(150), 0, 3)) for q in queries]
        cu_q, cu_k = (np.cumsum([0, *lengths]).astype(np.int32) for lengths in (queries, keys))
        rows, columns = max(1, int(cu_q[-1]) + pick.choice((0, 0, 5))), max(1, int(cu_k[-1]) + pick.choice((0, 7)))
        q, k, v = normal(rng, (rows, heads, d)), normal(rng, (columns, kv, d)), normal(rng, (columns, kv, dv))
        k[cu_k[-1] :] = v[cu_k[-1] :] = np.nan
        p = Problem(n, heads, kv, rows, columns, d, dv, "bfloat16", packed_q=True, packed_k=True,
                    sinks=sinks is not None, **said)  # fmt: skip
        x = Operands(q, k, v, cu_q=cu_q, cu_k=cu_k, sinks=sinks)
        return Drawn(p, x, words, np.full((rows, heads, dv), 7, BF16), np.full((heads, rows), 7, np.float32))
    batch, rows = pick.randint(1, 2), pick.choice((1, pick.randrange(1, 300), 130))
    columns = pick.choice((rows, pick.randrange(1, 200), 1))
    q, k, v = (normal(rng, s) for s in ((batch, heads, rows, d), (batch, kv, columns, d), (batch, kv, columns, dv)))
    mask, lengths = mask_of(pick, rng, (batch, heads, rows, columns)), None
    if mask is None and pick.random() < 0.6:
        lengths = rng.integers(0, columns + 1, batch).astype(np.int32)
        for b in range(batch):
            k[b, :, lengths[b] :] = v[b, :, lengths[b] :] = np.nan
    bias = "" if mask is None else {np.dtype(bool): "bool", np.dtype(BF16): "bfloat16"}.get(mask.dtype, "float32")
    p = Problem(batch, heads, kv, rows, columns, d, dv, "bfloat16", bias=bias, lengths=lengths is not None,
                sinks=sinks is not None, **said)  # fmt: skip
    x = Operands(q, k, v, bias=mask, lengths=lengths, sinks=sinks)
    return Drawn(p, x, words, np.full((batch, heads, rows, dv), 7, BF16), np.full((batch, heads, rows), 7, np.float32))


def check(case: Drawn) -> None:
    """`case.out` and `case.lse` against float64."""
    p, x = case.p, case.x
    if not p.packed_q:
        for b in range(p.batch):
            mask = None if x.bias is None else np.broadcast_to(x.bias, (p.batch, p.heads, p.queries, p.keys))[b]
            mask = mask if mask is None or mask.dtype == bool else mask.astype(np.float64)
            k, v = (y[b] if x.lengths is None else y[b][:, : x.lengths[b]] for y in (x.k, x.v))
            near(case.out[b], case.lse[b], judge(case.words, x.q[b], k, v, p.dtype, mask=mask, sinks=x.sinks))
        return
    for b in range(p.batch):
        rows, keys = slice(x.cu_q[b], x.cu_q[b + 1]), slice(x.cu_k[b], x.cu_k[b + 1])
        if rows.start < rows.stop:
            q, k, v = (y.swapaxes(0, 1) for y in (x.q[rows], x.k[keys], x.v[keys]))
            near(case.out[rows].swapaxes(0, 1), case.lse[:, rows], judge(case.words, q, k, v, p.dtype, sinks=x.sinks))
    rest = slice(x.cu_q[-1], None)
    assert not case.out[rest].any(), "rows behind the last sequence are 0"
    none = np.full_like(case.lse[:, rest], -np.inf) if x.sinks is None else x.sinks[:, None]
    np.testing.assert_allclose(case.lse[:, rest], np.broadcast_to(none, case.lse[:, rest].shape), rtol=1e-5, atol=1e-6)


def near(out: Any, lse: Any, want: Any) -> None:
    error = np.abs(out.astype(np.float64) - want.out)
    assert (error <= want.out_bound).all(), f"O is off by {np.nanmax(error)}"
    nothing = want.lse == -np.inf
    assert (lse[nothing] == -np.inf).all()
    assert (np.abs(lse - np.where(nothing, 0, want.lse))[~nothing] <= want.lse_bound[~nothing]).all()
