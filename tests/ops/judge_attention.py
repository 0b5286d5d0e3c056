"""Attention and its gradients in float64 on the definition, and how far a kernel may be from them: for one sequence,
(heads, length, d)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

UNIT = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float32": 2.0**-24}  # half a unit in the last place, relative
F32 = 2.0**-23
SMALLEST = 2.0**-24


class Words(NamedTuple):
    """What an attention is asked for, in the caller's words."""

    scale: float
    causal: str | None = None
    window: tuple[int | None, int | None] | None = None
    softcap: float = 0.0


class Judged(NamedTuple):
    """Results and bounds: O, logarithms, and the gradients of Q, K, V, the mask and the sinks."""

    out: Any
    lse: Any
    grads: Any
    out_bound: Any
    lse_bound: Any
    grad_bounds: Any


def seen(words: Words, queries: int, keys: int) -> np.ndarray:
    """Which query sees which key: (queries, keys)."""
    i, j = np.arange(queries)[:, None], np.arange(keys)[None]
    bottom = words.causal == "bottom_right" or (words.window is not None and words.causal is None)
    i = i + (keys - queries if bottom else 0)
    left, right = words.window or (None, None)
    right = 0 if words.causal else right
    found = np.ones((queries, keys), bool)
    if left is not None:
        found &= j >= i - left
    if right is not None:
        found &= j <= i + right
    return found


def philox(seed: int, counter: Any) -> Any:
    """Four words of Philox 4x32 with ten rounds: Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3"."""
    c, key = [np.asarray(x, np.uint64) for x in counter], [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    for _ in range(10):
        one, two = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        low, high = np.uint64(0xFFFFFFFF), np.uint64(32)
        c = [two >> high ^ c[1] ^ np.uint64(key[0]), two & low, one >> high ^ c[3] ^ np.uint64(key[1]), one & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def kept(part: float, seed: int, batch: int, heads: int, queries: int, keys: int) -> np.ndarray:
    """What weights are multiplied by where a part of them is left out: (heads, queries, keys)."""
    h, i, j = np.meshgrid(np.arange(heads), np.arange(queries), np.arange(keys), indexing="ij")
    words = np.choose(j % 4, philox(seed, (j // 4, i, h, np.full(j.shape, batch))))
    return np.where(words // 2 < round(part * 2**31), 0.0, 1 / (1 - part) if part < 1 else 0.0)


def judge(words: Words, q: Any, k: Any, v: Any, dtype: str, *, grad: Any = None, grad_lse: Any = None, mask: Any = None,
          sinks: Any = None, keep: Any = 1.0) -> Judged:  # fmt: skip
    """O = softmax(score) V and what follows. mask: (heads, queries, keys) or what broadcasts to it; keep: as `kept`."""
    q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
    group, unit = q.shape[0] // max(1, k.shape[0]), UNIT[dtype]
    keys, values = np.repeat(k, group, 0), np.repeat(v, group, 0)
    s = q @ keys.swapaxes(1, 2) * words.scale
    near = np.abs(q) @ np.abs(keys).swapaxes(1, 2) * abs(words.scale) * (q.shape[2] + 8) * F32
    slope = np.ones_like(s)
    if words.softcap:
        t = np.tanh(s / words.softcap)
        s, slope = words.softcap * t, 1 - t * t
        near = near + words.softcap * 8 * F32
    if mask is not None:
        s = np.where(mask, s, -np.inf) if mask.dtype == bool else s + mask.astype(np.float64)
    s = np.where(seen(words, q.shape[1], k.shape[1]), s, -np.inf)
    most = s.max(2, keepdims=True) if s.shape[2] else np.full((*s.shape[:2], 1), -np.inf)
    sink = None if sinks is None else np.asarray(sinks, np.float64)[:, None, None]
    most = most if sink is None else np.maximum(most, sink)
    most = np.where(np.isneginf(most), 0, most)
    e = np.exp(s - most)
    total = e.sum(2, keepdims=True) + (0 if sink is None else np.exp(sink - most))
    p = e / np.where(total == 0, 1, total)
    o, size = (p * keep) @ values, (p * keep) @ np.abs(values)
    large = np.abs(np.where(np.isfinite(s), s, 0)).max(2, keepdims=True, initial=1) * 8 * F32
    off = near.max(2, keepdims=True, initial=0) + large
    each = 2 * np.expm1(np.minimum(2 * off, 1)) + (k.shape[1] + 8) * 4 * F32
    with np.errstate(divide="ignore"):
        lse = (most + np.log(total))[..., 0]
    out_bound = (each + unit) * size + unit * np.abs(o) + SMALLEST * (1 + np.max(keep, initial=0)) * (
        1 + np.abs(values).sum(1, keepdims=True))  # fmt: skip
    found = Judged(o, lse, (), out_bound, each[..., 0] + 4 * F32 * (1 + np.abs(np.where(np.isfinite(lse), lse, 0))), ())
    if grad is None:
        return found
    g = np.asarray(grad, np.float64)
    dp, dp_size = keep * (g @ values.swapaxes(1, 2)), keep * (np.abs(g) @ np.abs(values).swapaxes(1, 2))
    delta, delta_size = (g * o).sum(2, keepdims=True), (np.abs(g) * (np.abs(o) + out_bound)).sum(2, keepdims=True)
    less = 0 if grad_lse is None else np.asarray(grad_lse, np.float64)[..., None]
    db = p * (dp - (delta - less))
    db_off = (each + 4 * F32) * p * (dp_size + delta_size + np.abs(less))
    db_off += p * (unit * 2 * delta_size + (np.abs(g) * out_bound).sum(2, keepdims=True) + 64 * F32 * dp_size)
    ds, ds_off = db * slope * words.scale, (db_off + unit * np.abs(db)) * np.abs(slope * words.scale)
    ds_off += np.abs(db) * 16 * F32 + SMALLEST * abs(words.scale)
    p, p_off = p * keep, (each + unit) * p * keep + SMALLEST * (1 + np.max(keep, initial=0))

    def shared(x: Any) -> Any:
        return x.reshape(x.shape[0] // group, group, *x.shape[1:]).sum(1)

    turned = ds.swapaxes(1, 2), ds_off.swapaxes(1, 2), p.swapaxes(1, 2), p_off.swapaxes(1, 2)
    grads = [ds @ keys, shared(turned[0] @ q), shared(turned[2] @ g), db]
    bounds = [ds_off @ np.abs(keys), shared(turned[1] @ np.abs(q)), shared(turned[3] @ np.abs(g)), db_off]
    if sink is not None:
        share = np.exp(sink - lse[..., None])
        grads.append(-(share * (delta - less)).sum((1, 2)))
        bounds.append((share * (delta_size + np.abs(less)) * (each + 4 * unit)).sum((1, 2)) + 1e-6)
    sums = 4 * F32 * (q.shape[1] + k.shape[1])
    bounds = [b * 2 + (unit + sums) * np.abs(x) + sums * b + 1e-6 for b, x in zip(bounds, grads, strict=True)]
    return found._replace(grads=grads, grad_bounds=bounds)


def within(got: Any, want: Any, bound: Any, what: str) -> None:
    """Asserts that a result is as near as it must be."""
    error = np.abs(np.asarray(got).astype(np.float64) - want)
    assert error.size == 0 or (error <= bound).all(), f"{what} is off by {np.nanmax(error / bound):.3g} of the bound"


def within_lse(got: Any, judged: Judged) -> None:
    """The same of the logarithms."""
    none = np.isneginf(judged.lse)
    assert np.array_equal(np.isneginf(got), none)
    within(np.where(none, 0, got), np.where(none, 0, judged.lse), judged.lse_bound, "lse")
