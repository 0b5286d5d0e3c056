"""Row operations in float64: what the words of `avelang.ops` say, for arrays of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

BOUNDS = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float32": 2e-6, "float64": 1e-13}


def close(got: Any, want: Any, dtype: Any, times: float = 1.0) -> None:
    """Asserts that results are what is wanted, rounded to a dtype; NaN and infinity alike."""
    got, want = np.asarray(got).astype(np.float64), np.asarray(want, np.float64)
    assert got.shape == want.shape, (got.shape, want.shape)
    bound = BOUNDS[str(np.dtype(dtype))] * times
    finite = want[np.isfinite(want)]
    np.testing.assert_allclose(got, want, rtol=bound, atol=bound * float(np.abs(finite).max(initial=1e-3)))


def norm(x: Any, weight: Any, bias: Any, eps: float, offset: int, center: bool) -> tuple[Any, Any, Any]:
    """(the norm of rows, rows divided by their spread, one by that spread)."""
    x = x.astype(np.float64)
    x = x - x.mean(-1, keepdims=True) if center else x
    rstd = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + eps)
    y = x * rstd * (1 if weight is None else weight.astype(np.float64) + offset)
    return y if bias is None else y + bias.astype(np.float64), x * rstd, rstd


def norm_gradients(x: Any, weight: Any, dy: Any, eps: float, offset: int, center: bool) -> tuple[Any, Any, Any]:
    """Gradients of x, of the weight and of the bias."""
    _, v, rstd = norm(x, weight, None, eps, offset, center)
    dy = dy.astype(np.float64)
    g = dy * (1 if weight is None else weight.astype(np.float64) + offset)
    dx = rstd * (g - center * g.mean(-1, keepdims=True) - v * (g * v).mean(-1, keepdims=True))
    rows = tuple(range(x.ndim - 1))
    return dx, (dy * v).sum(rows), dy.sum(rows)


def softmax(x: Any, log: bool = False) -> Any:
    """Along the last dimension."""
    x = x.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        x = x - x.max(-1, keepdims=True)
        found = x - np.log(np.exp(x).sum(-1, keepdims=True))
    return found if log else np.exp(found)


def softmax_gradient(y: Any, dy: Any, log: bool = False) -> Any:
    """By what `softmax` gave."""
    y, dy = y.astype(np.float64), dy.astype(np.float64)
    return dy - np.exp(y) * dy.sum(-1, keepdims=True) if log else y * (dy - (y * dy).sum(-1, keepdims=True))


def losses(x: Any, target: Any, ignore: int, smoothing: float, z: float, cap: float) -> tuple[Any, Any]:
    """(losses of rows, gradients of the logits)."""
    u = x.astype(np.float64)
    u = cap * np.tanh(u / cap) if cap else u
    most = u.max(-1, keepdims=True)
    lse = most + np.log(np.exp(u - most).sum(-1, keepdims=True))
    held = (target != ignore)[..., None]
    one = (np.arange(x.shape[-1]) == target[..., None]).astype(np.float64)
    found = (1 - smoothing) * (lse - (one * u).sum(-1, keepdims=True)) + smoothing * (lse - u.mean(-1, keepdims=True))
    slope = np.exp(u - lse) * (1 + 2 * z * lse) - (1 - smoothing) * one - smoothing / x.shape[-1]
    slope = slope * (1 - u * u / cap**2) if cap else slope
    return (np.where(held, found + z * lse**2, 0))[..., 0], np.where(held, slope, 0)


def rotary(x: Any, cos: Any, sin: Any, positions: Any, interleaved: bool, dims: int, inverse: bool = False) -> Any:
    """x: (batches, heads, positions, d); cos, sin: (batches, most, dims / 2); positions: (batches, positions)."""
    x = x.astype(np.float64)
    c, s = (np.stack([t[b].astype(np.float64)[positions[b]] for b in range(len(x))])[:, None] for t in (cos, sin))
    s = -s if inverse else s
    y, half = x.copy(), dims // 2
    low, high = (slice(0, dims, 2), slice(1, dims, 2)) if interleaved else (slice(0, half), slice(half, dims))
    y[..., low] = x[..., low] * c - x[..., high] * s
    y[..., high] = x[..., high] * c + x[..., low] * s
    return y
