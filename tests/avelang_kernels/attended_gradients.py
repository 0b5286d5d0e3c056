"""Gradients of attention in float64, and a check of Hopper's kernels against them: shared by their tests."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from tests.avelang_kernels.attended import BF16, F16

from avelang_kernels.attention import hopper_backward_rows
from avelang_kernels.attention.problem import Operands, Problem


def wanted(
    p: Problem, q: Any, k: Any, v: Any, dout: Any, dlse: Any, sinks: Any = None, bias: Any = None
) -> tuple[Any, ...]:  # fmt: skip
    """O, the logarithms, and the gradients in float64, of dense arrays."""
    q, k, v, dout = (x.astype(float) for x in (q, k, v, dout))
    k, v = (np.repeat(x, p.group, 1) for x in (k, v))
    s = q @ k.swapaxes(2, 3) * p.scale
    slope = 1.0
    if p.softcap:
        bent = np.tanh(s / p.softcap)
        s, slope = p.softcap * bent, 1 - bent**2
    if bias is not None:
        s = np.where(bias, s, -np.inf) if bias.dtype == bool else s + bias.astype(float)
    at, key = np.arange(p.queries)[:, None] + (p.keys - p.queries if p.bottom_right else 0), np.arange(p.keys)[None]
    seen = np.ones((p.queries, p.keys), bool)
    if p.right is not None:
        seen &= key <= at + p.right
    if p.left is not None:
        seen &= key >= at - p.left
    s = np.where(seen, s, -np.inf)
    more = np.full((p.heads, 1, 1), -np.inf) if sinks is None else sinks[:, None, None].astype(float)
    most = np.maximum(s.max(3, keepdims=True, initial=-np.inf), more)
    most = np.where(np.isfinite(most), most, 0)
    weights = np.exp(s - most)
    total = weights.sum(3, keepdims=True) + np.exp(more - most)
    weights = weights / np.where(total == 0, 1, total)
    out = weights @ v
    with np.errstate(divide="ignore"):
        lse = (most + np.log(total))[..., 0]
    delta = (dout * out).sum(3, keepdims=True) - (0 if dlse is None else dlse[..., None])
    ds = weights * (dout @ v.swapaxes(2, 3) - delta) * p.scale * slope
    shape = p.batch, p.kv_heads, p.group, p.keys, p.d
    dk, dv = ((x.swapaxes(2, 3) @ y).reshape(shape).sum(2) for x, y in ((ds, q), (weights, dout)))
    return out, lse, (ds @ k, dk, dv)


def near(p: Problem, got: Any, want: Any) -> None:
    """Asserts that gradients are right."""
    for name, x, y in zip(("dq", "dk", "dv"), got, want, strict=True):
        error = np.abs(x.astype(float) - y).max(initial=0) / max(1e-3, np.sqrt((y**2).sum() / max(1, y.size)))
        assert error < (0.15 if p.dtype == "bfloat16" else 0.02), f"{name} is off by {error}"


def kind(p: Problem) -> Any:
    """NumPy's dtype of a problem."""
    return BF16 if p.dtype == "bfloat16" else F16


def run(p: Problem, x: Operands, out: Any, lse: Any, dout: Any, dlse: Any, options: Any) -> list[Any]:
    """The gradients that the kernels make; `backend` of None: where a test has launches run."""
    grads = [np.full_like(a, np.nan) for a in (x.q, x.k, x.v)]
    assert hopper_backward_rows.fits(p)
    options = {name: y for name, y in ({"backend": "reference"} | options).items() if y is not None}
    hopper_backward_rows.backward(p, x, out, lse, dout, dlse, *grads, **options)
    return grads


def check(p: Problem, with_dlse: bool = False, seed: int = 0, bias: Any = None, **options: Any) -> None:
    """The kernels on random numbers; arrays (batch, length, heads, d) seen with heads first."""
    rng, dtype = np.random.default_rng(seed), kind(p)

    def drawn(heads: int, rows: int) -> np.ndarray:
        return rng.standard_normal((p.batch, rows, heads, p.d)).astype(dtype).swapaxes(1, 2)

    q, k, v, dout = (drawn(h, n) for h, n in ((p.heads, p.queries), *[(p.kv_heads, p.keys)] * 2, (p.heads, p.queries)))
    dlse = rng.standard_normal(q.shape[:3]).astype(np.float32) if with_dlse else None
    sinks = rng.standard_normal(p.heads).astype(np.float32) if p.sinks else None
    out, lse, want = wanted(p, q, k, v, dout, dlse, sinks, bias)
    near(p, run(p, Operands(q, k, v, bias), out.astype(dtype), lse.astype(np.float32), dout, dlse, options), want)


def check_lengths(p: Problem, lengths: list[int], seed: int = 0, **options: Any) -> None:
    """Dense keys of which so many of each sequence count; behind them is NaN."""
    p = dataclasses.replace(p, lengths=True)
    rng, dtype = np.random.default_rng(seed), kind(p)
    q, dout = (rng.standard_normal((p.batch, p.heads, p.queries, p.d)).astype(dtype) for _ in range(2))
    k, v = (rng.standard_normal((p.batch, p.kv_heads, p.keys, p.d)).astype(dtype) for _ in range(2))
    out, lse = np.zeros(q.shape), np.zeros(q.shape[:3], np.float32)
    want = [np.zeros(x.shape) for x in (q, k, v)]
    for b, n in enumerate(lengths):
        mine, one = slice(b, b + 1), dataclasses.replace(p, batch=1, keys=n)
        parts = wanted(one, q[mine], k[mine, :, :n], v[mine, :, :n], dout[mine], None)
        out[mine], lse[mine] = parts[:2]
        for x, y in zip(want, parts[2], strict=True):
            x[mine, :, : y.shape[2]] = y
        k[b, :, n:], v[b, :, n:] = np.nan, np.nan
    x = Operands(q, k, v, lengths=np.array(lengths, np.int32))
    near(p, run(p, x, out.astype(dtype), lse, dout, None, options), want)


def check_packed(
    p: Problem, sizes: list[tuple[int, int]], behind: tuple[int, int] = (0, 0), poisoned: int | None = None,
    seed: int = 0, **options: Any,
) -> None:  # fmt: skip
    """Packed sequences of so many queries and keys, and tokens of NaN behind them. `poisoned`: a sequence that is NaN
    and whose gradients are not looked at."""
    rng, dtype = np.random.default_rng(seed), kind(p)
    cu = [np.concatenate([[0], np.cumsum([s[i] for s in sizes])]).astype(np.int32) for i in range(2)]
    (q, dout), (k, v) = (
        [np.full((c[-1] + n, heads, p.d), np.nan, dtype) for _ in range(2)]
        for c, n, heads in zip(cu, behind, (p.heads, p.kv_heads), strict=True)
    )
    out, lse = np.full(q.shape, np.nan, dtype), np.full((p.heads, len(q)), np.nan, np.float32)
    want = [np.zeros(x.shape) for x in (q, k, v)]
    for b, (queries, keys) in enumerate(sizes):
        of_q, of_k = (slice(c[b], c[b + 1]) for c in cu)
        if b == poisoned:
            for x, mine in zip(want, (of_q, of_k, of_k), strict=True):
                x[mine] = np.nan
            continue
        for x, mine in ((q, of_q), (dout, of_q), (k, of_k), (v, of_k)):
            x[mine] = rng.standard_normal(x[mine].shape).astype(dtype)
        one = dataclasses.replace(p, batch=1, queries=queries, keys=keys, packed_q=False, packed_k=False)
        a, b, c, d = (x[mine].swapaxes(0, 1)[None] for x, mine in ((q, of_q), (k, of_k), (v, of_k), (dout, of_q)))
        o, logs, grads = wanted(one, a, b, c, d, None)
        out[of_q], lse[:, of_q] = o[0].swapaxes(0, 1).astype(dtype), logs[0]
        for x, mine, y in zip(want, (of_q, of_k, of_k), grads, strict=True):
            x[mine] = y[0].swapaxes(0, 1)
    got = run(p, Operands(q, k, v, cu_q=cu[0], cu_k=cu[1]), out, lse, dout, None, options)
    looked = [~np.isnan(y) for y in want]
    near(p, [x[m] for x, m in zip(got, looked, strict=True)], [y[m] for y, m in zip(want, looked, strict=True)])


def packed(heads: int, kv_heads: int, d: int, sizes: list[tuple[int, int]], dtype: str = "bfloat16", **more: Any) -> Any:
    """A problem of packed sequences."""
    queries, keys = (max(s[i] for s in sizes) for i in range(2))
    scale = 1.2 * d**-0.5
    return Problem(
        len(sizes), heads, kv_heads, queries, keys, d, d, dtype, scale, packed_q=True, packed_k=True, **more
    )
