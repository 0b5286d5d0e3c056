"""Formulas of tiles, `tile.arange` and what is computed of it: the numbers are those that the same words mean element by element, of any dtypes."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from tile.words import RUNS, launch


@avelang.jit
def narrow(out: al.Pointer[al.i32], a: al.i8, b: al.u8, c: al.i16, B: al.constexpr):
    i = tile.arange(B)
    results = (
        (i * 5) * a,
        (i - 90) + a,
        (i * 9 + 240) * b,
        ((i + b) * 2 + b)[::-1],
        c * (c - i),
        (i[:, None] * 4 * b + tile.arange(1)).reshape(B),
    )
    for r in range(len(results)):
        tile.store(out, r * B + i, results[r])


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_numbers_of_few_bits(run):
    """A formula has at least the 32 bits of its coordinates, whatever the numbers in it have."""
    B, (a, b, c) = 11, (-77, 251, 30000)
    i, out = np.arange(B), np.zeros(6 * B, np.int32)
    launch(narrow, run, 1, 64, (out, a, b, c), B=B)
    want = i * 5 * a, i - 90 + a, (i * 9 + 240) * b, ((i + b) * 2 + b)[::-1], c * (c - i), i * 4 * b
    np.testing.assert_array_equal(out, np.concatenate(want))


@avelang.jit
def unsigned(out: al.Pointer[al.i64], n: al.u32, wide: al.i64, B: al.constexpr):
    i = tile.arange(B)
    results = (
        (n + i) - 4,
        (i * n - 1).to(al.i32),
        (i * n)[::-2][:, None][:, 0],
        (n - 1 - i).to(al.i32),
        (n + i - 4) * wide,
        (n + i - 4) + wide,
        wide - (i * n - 6),
    )
    for r in range(len(results)):
        tile.store(out, r * B + tile.arange(results[r].shape[0]), results[r])


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_unsigned_numbers_wrap_around(run):
    """A negative literal wraps around where it meets u32, and what wrapped around does so before it meets 64 bits."""
    B, n, wide = 6, 2, 5_000_000_000
    i, out = np.arange(B, dtype=np.int64), np.full(7 * B, -9, np.int64)
    launch(unsigned, run, 1, 64, (out, n, wide), B=B)
    u32 = 1 << 32
    back = np.full(B, -9)
    back[:3] = (i * n)[::-2]
    want = (n + i - 4) % u32, i * n - 1, back, n - 1 - i, (n + i - 4) % u32 * wide, (n + i - 4) % u32 + wide, wide - (i * n - 6) % u32
    np.testing.assert_array_equal(out, np.concatenate(want))


@avelang.jit
def carried(x: al.Pointer[al.f32], out: al.Pointer[al.f32], m: al.i32, stride: al.i32, trips: al.i32, far: al.i64, A: al.constexpr, B: al.constexpr):
    row, col = (5 + tile.arange(A)) % m, tile.arange(B)
    at, back = row[:, None] * stride + col // 2, far + row[:, None] * stride + col
    total = tile.zeros((A, B), al.f32)
    for k in al.range(trips):
        total += tile.load(x, at) - tile.load(x, back, back >= 0)
        at += B // 2
        back -= stride
    tile.store(out, tile.arange(A)[:, None] * B + col, total)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_a_loop_moves_any_formula_on(run):
    """Indices with a remainder, or a quotient, as of Triton's matmul and of packed weights."""
    rng, A, B, m, stride, trips = np.random.default_rng(1), 4, 6, 7, 16, 3
    x, out = rng.standard_normal((m, stride)).astype(np.float32), np.zeros((A, B), np.float32)
    launch(carried, run, 1, 64, (x, out, m, stride, trips, -16), A=A, B=B)
    rows, want = (5 + np.arange(A)) % m, np.zeros((A, B))
    for k in range(trips):
        want += x[rows][:, np.arange(B) // 2 + k * (B // 2)]
        want -= np.where((rows - 1 - k >= 0)[:, None], x[rows - 1 - k][:, :B], 0)
    np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-6)


@avelang.jit
def far(out: al.Pointer[al.i64], n: al.i64, trips: al.i32, step: al.u32, B: al.constexpr):
    at, by = tile.arange(B) * n, tile.arange(B) * n
    for _ in al.range(trips):
        at += 1 << 30
        by += step
    tile.store(out, tile.arange(B), at)
    tile.store(out, B + tile.arange(B), by)


@pytest.mark.parametrize("run", RUNS[:2], ids=str)
def test_what_moves_a_formula_of_64_bits_is_counted_in_64(run):
    out = np.zeros(8, np.int64)
    launch(far, run, 1, 64, (out, 3, 5, (1 << 32) - 1), B=4)
    np.testing.assert_array_equal(out, np.concatenate([np.arange(4) * 3 + (5 << 30), np.arange(4) * 3 + 5 * ((1 << 32) - 1)]))


@avelang.jit
def other_formula(x: al.Pointer[al.f32], n: al.i32):
    i = tile.arange(8)
    inside = i < n
    for k in al.range(n):
        inside &= i != k
    tile.store(x, i, 1.0, inside)


@avelang.jit
def other_formula_held(x: al.Pointer[al.f32], n: al.i32):
    i = tile.arange(8)
    inside = (i < n).held()
    for k in al.range(1, n):
        inside &= i != k
    tile.store(x, i, 1.0, inside)


def test_another_formula_after_a_trip():
    """The error says what to do, and that works."""
    x = np.zeros(8, np.float32)
    with pytest.raises(AveError) as e:
        other_formula[1, 64](x, 4)
    assert e.value.code == "T014" and "(i < n).held()" in str(e.value) and "inside &= i != k" in str(e.value)
    other_formula_held[1, 64](x, 4)
    assert x.tolist() == [1] + [0] * 7
