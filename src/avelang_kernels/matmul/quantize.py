"""A matrix of floats comes in; fp8 and the scales by which it is to be multiplied go out, on the tile level: for all of
it, for rows, for 128 elements of a row, or for blocks of 128 x 128.

A scale is the greatest magnitude of its elements, divided by the greatest number of the fp8 type; 1 where all are 0."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
from typing import Any

import avelang
import avelang.language as al
from avelang import tile
from avelang.tile import DistributedTile, tensors, vectorize
from avelang_kernels.arrays import DTYPES, FLOATS, address, named, spanned, strides_of

BLOCK = 128  # elements along K, and rows, of a block
WAVES = 4
GREATEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0, "float8_e4m3fnuz": 240.0, "float8_e5m2fnuz": 57344.0}
LONG = 512  # columns of a row that a tile has, where a scale is for all of it


@avelang.constant
def spread(rows: Any, columns: Any, wave: Any, dtype: Any):
    """The distribution of a tile over the block."""
    return tile.Distribution.blocked((rows, columns), dtype, waves=WAVES, wave=wave)


@avelang.jit
def magnitude(x: Any):
    """|x| in f32."""
    y = al.convert(x, al.f32)
    return al.max(y, 0.0 - y)


@avelang.jit
def scale_of(most: Any, GREAT: Any, POWERS: Any):
    """The scale for a greatest magnitude; POWERS: rounded up to a power of two."""
    scale = al.select(most > 0.0, most / GREAT, 1.0)
    if POWERS:
        bits = (al.bitcast(scale, al.u32) + 0x7FFFFF) & 0x7F800000
        scale = al.bitcast(bits, al.f32)
    return scale


@avelang.jit
def quantized(x: Any, scale: Any, GREAT: Any):
    """x / scale, within what fp8 holds; NaN stays NaN, and so does infinity, whose scale is infinite, too."""
    y = al.convert(x, al.f32) / scale
    return al.select(y == y, al.max(al.min(y, GREAT), 0.0 - GREAT), y)


@avelang.jit
def store_rows(memory: Any, tile_of: Any, row: Any, rows: Any, block: Any, across: Any, along: Any):
    """Stores a number for each row of a tile."""
    at = tensors.thread_coord(tile_of.dist)[0]
    if tensors.is_first(tile_of.dist):
        for v in vectorize.vectors(tile_of.dist, 0, 1):
            place = row + at + v.at[0]
            if place < rows:
                memory[place * across + block * along] = tile_of.values[v.slots[0]]


@avelang.jit
def greatest_of_all(most: Any):
    """The greatest of a tile's numbers, one for each row, in all lanes of the block."""
    ROWS, WAVE = most.shape[0], al.target().wave
    shared = al.make_shared((ROWS,), al.f32)
    at = tensors.thread_coord(most.dist)[0]
    if tensors.is_first(most.dist):
        for v in vectorize.vectors(most.dist, 0, 1):
            shared[at + v.at[0]] = most.values[v.slots[0]]
    al.syncthreads()
    found = shared[al.lane_id()]
    for i in range(1, ROWS // WAVE):
        found = al.max(found, shared[al.lane_id() + i * WAVE])
    for i in range(6):
        if 1 << i < WAVE:
            found = al.max(found, al.shuffle_xor(found, 1 << i))
    return found


@avelang.jit
def scales_of(most: DistributedTile, great: Any, powers: Any):
    """Scales of rows with these greatest numbers."""
    return most.sweep(lambda v, where: scale_of(v, great, powers))


@functools.cache
def build(dtype: al.DType, out: al.DType, rows: int, great: float, powers: bool) -> Any:
    """The kernel for scales of 128 elements of a row (`rows` 1), or of blocks of 128 rows."""
    ROWS = BLOCK if rows == BLOCK else 16

    @avelang.jit
    def quantize(
        x: al.Pointer[dtype], q: al.Pointer[out], s: al.Pointer[al.f32], m: al.u32, k: al.u32,
        ld: al.u32, across: al.u32, along: al.u32,
        EACH: al.constexpr, WIDE: al.constexpr, STEP: al.constexpr = 1,
    ):  # fmt: skip
        X, Q = tile.view(x, (m, k), EACH, (ld, STEP)), tile.view(q, (m, k), WIDE)
        row, block = al.block_id(0) * ROWS, al.block_id(1)
        t = X.window((ROWS, BLOCK), (row, block * BLOCK), spread(ROWS, BLOCK, al.target().wave, dtype)).load()
        # One by one: LLVM has no code for AMD of a vector of 64 floats.
        most = t.astype(al.f32).sweep(lambda v, where: magnitude(v)).max(1)
        if rows == BLOCK:
            scale = scale_of(greatest_of_all(most), great, powers)
            if al.thread_id(0) == 0:
                s[al.block_id(0) * across + block * along] = scale
            small = t.astype(al.f32).sweep(lambda v, where: quantized(v, scale, great))
            Q.store(small.astype(out), (row, block * BLOCK))
        else:
            scales = scales_of(most, great, powers)
            store_rows(s, scales, row, m, block, across, along)
            Q.store(t.along(lambda v, f: quantized(v, f, great), scales, 1).astype(out), (row, block * BLOCK))

    return quantize


@functools.cache
def build_rows(dtype: al.DType, out: al.DType, great: float, powers: bool, part: str) -> Any:
    """The kernel for scales of rows: "all" of it; or the scales alone ("scales", of rows for `build_one`); or the
    numbers for one scale that is there ("values")."""
    ROWS = 4

    @avelang.jit
    def quantize_rows(
        x: al.Pointer[dtype], q: al.Pointer[out], s: al.Pointer[al.f32], m: al.u32, k: al.u32,
        ld: al.u32, EACH: al.constexpr, WIDE: al.constexpr, STEP: al.constexpr = 1,
    ):  # fmt: skip
        X, Q = tile.view(x, (m, k), EACH, (ld, STEP)), tile.view(q, (m, k), WIDE)
        row, D = al.block_id(0) * ROWS, spread(ROWS, LONG, al.target().wave, dtype)
        steps = (k + LONG - 1) // LONG
        if part != "values":
            most = tile.full(D, 0.0, al.f32)
            window = X.window((ROWS, LONG), (row, 0), D)
            for _ in al.range(steps):
                most = most.map(lambda v, w: al.max(v, magnitude(w)), (window.load(),))
                window.move((0, LONG))
            scales = most.max(1)
            if part == "all":
                scales = scales_of(scales, great, powers)
            store_rows(s, scales, row, m, 0, 1, 0)
        else:
            scales = tile.full(vectorize.folding(D, 1).dist, s[0], al.f32)
        if part != "scales":
            window = X.window((ROWS, LONG), (row, 0), D)
            for step in al.range(steps):
                t = window.load().along(lambda v, f: quantized(v, f, great), scales, 1).astype(out)
                Q.store(t, (row, step * LONG))
                window.move((0, LONG))

    return quantize_rows


@functools.cache
def build_one(great: float, powers: bool) -> Any:
    """The kernel that makes one scale of the greatest magnitudes of all rows; one block."""

    @avelang.jit
    def one_scale(most: al.Pointer[al.f32], s: al.Pointer[al.f32], m: al.u32):
        THREADS, t = 256, al.thread_id(0)
        al.expect_threads(THREADS, True)
        shared = al.make_shared((THREADS,), al.f32)
        found = al.convert(0.0, al.f32)
        for i in al.range(t, m, THREADS):
            found = al.max(found, most[i])
        shared[t] = found
        al.syncthreads()
        if t == 0:
            for i in range(THREADS):
                found = al.max(found, shared[i])
            s[0] = scale_of(found, great, powers)

    return one_scale


def launch(x: Any, q: Any, s: Any, most: Any, rows: int, columns: int, powers: bool, **options: Any) -> None:
    """Quantizes x (m, k), of any strides, to a whole q (m, k), with scales in s. `rows`, `columns`: of what shares a
    scale: (1, 128), (128, 128), (1, 0) for rows, and (0, 0) for all, which takes `most`, (m,) of f32."""
    (m, k), (ld, step) = x.shape, strides_of(x)
    if not m or not k:
        return
    dtype, out, great = DTYPES[named(x)], FLOATS[named(q)], GREATEST[named(q)]
    step = 1 if k == 1 else step
    each = math.gcd(k, ld, 8, address(x) // x.dtype.itemsize) if step == 1 else 1
    wide = math.gcd(k, 16, address(q))
    data = spanned(x)
    threads = WAVES * (64 if str(options.get("target", "")).startswith("gfx") else 32)
    if columns:
        across, along = strides_of(s)
        grid = -(-m // (BLOCK if rows == BLOCK else 16)), -(-k // BLOCK)
        kernel = build(dtype, out, rows, great, powers)
        kernel[grid, threads](data, q, spanned(s), m, k, ld, across, along, each, wide, step, **options)
        return
    grid = -(-m // 4)
    if rows:
        build_rows(dtype, out, great, powers, "all")[grid, threads](data, q, s, m, k, ld, each, wide, step, **options)
        return
    build_rows(dtype, out, great, powers, "scales")[grid, threads](data, q, most, m, k, ld, each, wide, step, **options)
    build_one(great, powers)[1, 256](most, s, m, **options)
    build_rows(dtype, out, great, powers, "values")[grid, threads](data, q, s, m, k, ld, each, wide, step, **options)
