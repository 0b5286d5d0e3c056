"""Kernels as a user of Triton writes them from the pages alone, on odd shapes and strides, on all engines, against
NumPy."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from tile.words import RUNS, launch

ANY = al.dynamic


@avelang.jit
def rms_norm_backward(
    x: al.Pointer[al.f16], dy: al.Pointer[al.f16], w: al.Pointer[al.f32], dx: al.Pointer[al.f16],
    dw: al.Pointer[al.f32], n: al.i32, stride: al.i32, B: al.constexpr
):
    row, at = al.block_id(0), tile.arange(B)
    inside = at < n
    v, g = (tile.load(p, row * stride + at, inside).to(al.f32) for p in (x, dy))
    r = tile.rsqrt(tile.sum(v * v) / n + 1e-5)
    hat, wg = v * r, tile.load(w, at, inside) * g
    tile.store(dx, row * stride + at, (wg - hat * (tile.sum(hat * wg) / n)) * r, inside)
    tile.atomic_add(dw, at, hat * g, inside)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_gradients_of_rms_norm(run):
    rng, (m, n, stride) = np.random.default_rng(0), (5, 77, 80)
    x, dy = (rng.standard_normal((m, stride)).astype(np.float16) for _ in "xy")
    w, dx, dw = rng.standard_normal(n).astype(np.float32), np.zeros((m, stride), np.float16), np.zeros(n, np.float32)
    launch(rms_norm_backward, run, m, 128, (x, dy, w, dx, dw, n, stride), B=128)
    v, g = x[:, :n].astype(np.float64), dy[:, :n].astype(np.float64)
    r = 1 / np.sqrt((v * v).mean(1, keepdims=True) + 1e-5)
    hat, wg = v * r, w * g
    assert np.allclose(dx[:, :n], (wg - hat * (hat * wg).mean(1, keepdims=True)) * r, atol=2e-2, rtol=1e-2)
    assert np.allclose(dw, (hat * g).sum(0), atol=1e-3) and not dx[:, n:].any()


@avelang.jit
def segment_sums(
    x: al.Pointer[al.f32], ids: al.Pointer[al.i64], out: al.Pointer[al.f32], n: al.i32, d: al.i32, B: al.constexpr,
    D: al.constexpr
):
    i, j = al.block_id(0) * B + tile.arange(B), tile.arange(D)
    segment = tile.load(ids, i, i < n, -1)
    inside = (segment >= 0)[:, None] & (j < d)[None, :]
    tile.atomic_add(out, segment[:, None] * d + j, tile.load(x, i[:, None] * d + j[None, :], inside), inside)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_sums_of_segments(run):
    rng, (n, d, segments) = np.random.default_rng(1), (53, 11, 5)
    x, ids = rng.integers(-5, 5, (n, d)).astype(np.float32), rng.integers(-1, segments, n)
    out, want = np.zeros((segments, d), np.float32), np.zeros((segments, d), np.float32)
    launch(segment_sums, run, 4, 64, (x, ids, out, n, d), B=16, D=16)
    np.add.at(want, ids[ids >= 0], x[ids >= 0])
    assert np.array_equal(out, want)


@avelang.jit
def top_p(x: al.Pointer[al.f32], y: al.Pointer[al.f32], n: al.i32, p: al.f32, B: al.constexpr):
    at = tile.arange(B)
    where, inside = al.block_id(0) * n + at, at < n
    v = tile.load(x, where, inside, float("-inf"))
    e = tile.exp(v - tile.max(v))
    weights = e / tile.sum(e)
    ordered = tile.sort(weights, descending=True)
    least = tile.min(tile.where(tile.cumsum(ordered) - ordered < p, ordered, 2.0))
    kept = tile.where(weights >= least, weights, 0.0)
    tile.store(y, where, kept / tile.sum(kept), inside)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_top_p(run):
    m, n = 3, 45
    x = 2 * np.random.default_rng(2).standard_normal((m, n)).astype(np.float32)
    y = np.zeros_like(x)
    launch(top_p, run, m, 64, (x, y, n, 0.8), B=64)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    weights = e / e.sum(1, keepdims=True)
    ordered = -np.sort(-weights, 1)
    least = ordered[np.arange(m), (ordered.cumsum(1) - ordered < 0.8).sum(1) - 1]
    want = np.where(weights >= least[:, None] * (1 - 1e-6), weights, 0)
    assert np.allclose(y, want / want.sum(1, keepdims=True), atol=1e-5)


@avelang.jit
def softmax_of_columns(
    x: al.Tensor[(ANY, ANY, ANY), (ANY, ANY, ANY), al.f32], y: al.Tensor[(ANY, ANY, ANY), al.f32], B: al.constexpr,
    D: al.constexpr
):
    i, j = tile.arange(B)[None, :, None], al.block_id(1) * D + tile.arange(D)[None, None, :]
    n, d, at = x.shape[1], x.shape[2], (al.block_id(0), i, j)
    inside = (i < n) & (j < d)
    v = tile.where(j < d, tile.load(x, at, inside, float("-inf")), 0.0)
    e = tile.exp(v - tile.max(v, axis=1, keepdims=True))
    tile.store(y, at, e / tile.sum(e, 1, keepdims=True), inside)


def test_softmax_over_the_middle_axis():
    x = np.random.default_rng(3).standard_normal((3, 21, 13)).astype(np.float32).transpose(0, 2, 1)
    want = np.exp(x - x.max(1, keepdims=True))
    for chip, backend in RUNS[:3]:
        y = np.zeros(x.shape, np.float32)
        softmax_of_columns[(3, 2), 64](x, y, 16, 16, target=chip, backend=backend)
        assert np.allclose(y, want / want.sum(1, keepdims=True), atol=1e-6)


@avelang.jit
def larger(a: al.f32, b: al.f32):
    """A function of numbers, with a condition: what one of Triton's `combine_fn` may be."""
    if a > b:
        return a
    return b


@avelang.jit
def running(x: al.Pointer[al.f32], y: al.Pointer[al.f32], most: al.Pointer[al.f32], n: al.i32, B: al.constexpr):
    at = tile.arange(B)
    v = tile.load(x, at, at < n, -1e30)
    tile.store(y, at, tile.scan(v, larger), at < n)
    tile.store(most, 0, tile.reduce(v, larger))


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_functions_of_numbers(run):
    """`scan` and `reduce` call a function for one element at a time, between lanes and between waves, too."""
    x = np.random.default_rng(4).standard_normal(333).astype(np.float32)
    y, most = np.zeros_like(x), np.zeros(1, np.float32)
    launch(running, run, 1, 128, (x, y, most, len(x)), B=512)
    assert np.array_equal(y, np.maximum.accumulate(x)) and most[0] == x.max()


@avelang.jit
def turned(x: al.Pointer[al.f32], y: al.Pointer[al.f32]):
    t = tile.load(x, tile.arange(8)[:, None] * 16 + tile.arange(16))
    tile.store(y, tile.arange(16)[:, None] * 8 + tile.arange(8), t.permute(1, 0))


def test_permute_takes_numbers():
    x, y = np.arange(128, dtype=np.float32).reshape(8, 16), np.zeros((16, 8), np.float32)
    turned[1, 64](x, y)
    assert np.array_equal(y, x.T)


@avelang.jit
def greatest(x: al.Pointer[al.f32], out: al.Pointer[al.i32], m: al.i32, n: al.i32, R: al.constexpr, B: al.constexpr):
    row = al.block_id(0) * R + tile.arange(R)
    best, where = tile.full((R,), float("-inf"), al.f32), tile.zeros((R,), al.i32)
    for first in al.range(0, n, B):
        col = first + tile.arange(B)
        v = tile.load(x, row[:, None] * n + col, (row < m)[:, None] & (col < n)[None, :], float("-inf"))
        top = tile.max(v, axis=1)
        where = tile.where(top > best, tile.argmax(v, axis=1) + first, where).held(where.dist)
        best = tile.maximum(best, top).held(best.dist)
    tile.store(out, row, where, row < m)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_argmax_of_rows_in_parts(run):
    m, n = 11, 75
    x, out = np.random.default_rng(5).integers(-50, 50, (m, n)).astype(np.float32), np.zeros(m, np.int32)
    launch(greatest, run, 2, 64, (x, out, m, n), R=8, B=32)
    assert np.array_equal(out, x.argmax(1))
