"""Layer norm, forward and backward. Gradients of weight and bias are added up in two steps, so that the bits are the
same in every run: each block adds those of its rows, and a second kernel the blocks' sums."""

from typing import Any

import numpy as np
import numpy.typing as npt

import avelang
import avelang.language as al
from avelang import tile

F32 = npt.NDArray[np.float32]


@avelang.jit
def forward_kernel(
    x: al.Pointer[al.f32], weight: al.Pointer[al.f32], bias: al.Pointer[al.f32], y: al.Pointer[al.f32],
    mean: al.Pointer[al.f32], rstd: al.Pointer[al.f32], n: al.u32, eps: al.f32, B: al.constexpr
):
    row, at = al.block_id(0), tile.arange(B)
    where, inside = row * n + at, at < n
    v = tile.load(x, where, inside)
    mu = tile.sum(v) / n
    away = tile.where(inside, v - mu, 0.0)
    r = 1.0 / al.sqrt(tile.sum(away * away) / n + eps)
    tile.store(mean, row, mu)
    tile.store(rstd, row, r)
    tile.store(y, where, away * r * tile.load(weight, at, inside) + tile.load(bias, at, inside), inside)


@avelang.jit
def backward_kernel(
    x: al.Pointer[al.f32], dy: al.Pointer[al.f32], weight: al.Pointer[al.f32], mean: al.Pointer[al.f32],
    rstd: al.Pointer[al.f32], dx: al.Pointer[al.f32], parts: al.Pointer[al.f32], m: al.u32, n: al.u32, B: al.constexpr
):
    at = tile.arange(B)
    inside, dw, db = at < n, tile.zeros((B,), al.f32), tile.zeros((B,), al.f32)
    w = tile.load(weight, at, inside)
    for row in al.range(al.block_id(0), m, al.grid_dim(0)):
        g, v, r = tile.load(dy, row * n + at, inside), tile.load(x, row * n + at, inside), rstd[row]
        hat, wg = tile.where(inside, (v - mean[row]) * r, 0.0), w * g
        tile.store(dx, row * n + at, (wg - hat * (tile.sum(hat * wg) / n) - tile.sum(wg) / n) * r, inside)
        dw += g * hat
        db += g
    tile.store(parts, al.block_id(0) * n + at, dw, inside)
    tile.store(parts, (al.grid_dim(0) + al.block_id(0)) * n + at, db, inside)


@avelang.jit
def sum_kernel(
    parts: al.Pointer[al.f32], out: al.Pointer[al.f32], rows: al.u32, n: al.u32, BM: al.constexpr, BN: al.constexpr
):
    col, row, total = al.block_id(0) * BN + tile.arange(BN), tile.arange(BM)[:, None], tile.zeros((BM, BN), al.f32)
    for first in al.range(0, rows, BM):
        at = (al.block_id(1) * rows + first + row) * n + col
        total += tile.load(parts, at, (first + row < rows) & (col < n))
    tile.store(out, al.block_id(1) * n + col, tile.sum(total, 0), col < n)


def layer_norm(x: F32, weight: F32, bias: F32, eps: float = 1e-5, **options: Any) -> tuple[F32, F32, F32]:
    (m, n), y = x.shape, np.empty_like(x)
    mean, rstd = np.empty(m, np.float32), np.empty(m, np.float32)
    forward_kernel[m, 256](x, weight, bias, y, mean, rstd, n, eps, 1 << (n - 1).bit_length(), **options)
    return y, mean, rstd


def layer_norm_backward(
    x: F32, dy: F32, weight: F32, mean: F32, rstd: F32, blocks: int = 8, **options: Any
) -> tuple[F32, F32, F32]:
    (m, n), dx = x.shape, np.empty_like(x)
    parts, gradients = np.empty((2, blocks, n), np.float32), np.empty((2, n), np.float32)
    backward_kernel[blocks, 256](x, dy, weight, mean, rstd, dx, parts, m, n, 1 << (n - 1).bit_length(), **options)
    sum_kernel[(-(-n // 64), 2), 256](parts, gradients, blocks, n, 16, 64, **options)
    return dx, gradients[0], gradients[1]


def reference(x: Any, dy: Any, weight: Any, bias: Any, eps: float = 1e-5) -> tuple[Any, ...]:
    """The same in float64: y, dx, dweight, dbias."""
    x, dy, weight, bias = (v.astype(np.float64) for v in (x, dy, weight, bias))
    r = 1 / np.sqrt(x.var(1, keepdims=True) + eps)
    hat, wg = (x - x.mean(1, keepdims=True)) * r, weight * dy
    dx = (wg - hat * (hat * wg).mean(1, keepdims=True) - wg.mean(1, keepdims=True)) * r
    return hat * weight + bias, dx, (dy * hat).sum(0), dy.sum(0)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x, dy, weight, bias = (rng.standard_normal(s).astype(np.float32) for s in ((37, 300), (37, 300), 300, 300))
    y, mean, rstd = layer_norm(x, weight, bias)
    found = y, *layer_norm_backward(x, dy, weight, mean, rstd)
    pairs = zip(found, reference(x, dy, weight, bias), strict=True)
    ok = all(np.allclose(a, b, rtol=1e-4, atol=1e-4) for a, b in pairs)
    print("layer norm: agrees" if ok else "layer norm: differs")
