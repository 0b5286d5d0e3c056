"""Two bf16 matrices of any size come in; C = A @ B^T in f32 or bf16 goes out: a pipelined product for AMD's MI300
(gfx942).

A workgroup makes a tile of C and goes along K in steps of 64, each of two halves of 32. Shared memory has two slots,
one for either half. While one half is multiplied, fragments of the next are read from the other slot, the half after
that is written to the slot that everybody has read, and global memory is asked for the same half of the step after the
next. One barrier a half keeps readers and writers of a slot apart. What reads, writes and loads is spread over the
products. Edges cost nothing: what is past the last row or column of a matrix is past the range of a buffer, where loads
give zeros and stores do nothing."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import avelang
import avelang.language as al
from avelang import argument_error, takes
from avelang.pipelines.epilogue import BufferEpilogue
from avelang.pipelines.lds import lds_mainloop
from avelang.pipelines.scheduler import TileScheduler
from avelang.pipelines.scheduling import DS_READ, DS_WRITE, VMEM_READ, spread
from avelang_kernels.arrays import Matrix

LANES = 64
STEP, HALF, CHUNK = 64, 32, 8  # elements of K: of a step, of a slot, of what a lane moves at once
CHUNKS = HALF // CHUNK
MFMA_SIDE = 16  # rows and columns of a fragment
BF16, F32 = 2, 4  # bytes
OUT_OF_RANGE = 1 << 31  # an offset, in bytes, that is out of every range
GROUP_M = 8  # rows of tiles that are gone through together


class Mi300Tile(NamedTuple):
    """A tile of C, the grid of waves that share it, and how many rows of fragments a wave multiplies before the barrier
    of a half."""

    m: int
    n: int
    waves_m: int
    waves_n: int
    early: int


# Two small tiles fit on a compute unit or one large one: two waves on each SIMD either way. `early` leaves most
# products behind the barrier, where most memory instructions stand: spread over fewer, they fill the queues of LDS and
# memory (docs/cu_model.md has the shares by `early`).
Tile = Mi300Tile
SMALL = Mi300Tile(128, 128, 2, 2, early=1)
LARGE = Mi300Tile(256, 256, 2, 4, early=4)


@avelang.jit
def swizzle(row, chunk):
    """Place of a chunk in its row of a slot. The eight lanes that LDS serves at once then meet all banks, be it along
    rows or down columns."""
    return chunk ^ ((row >> 1) & 3)


@avelang.jit
def load_offsets(at, half, row, col, rows, k, step, EACH):
    """Offsets of a lane's pieces of a half of a step: `at[half, piece, pass]`, in bytes from the first element of the
    tile's first row. Past the end of a row the next row begins: a piece that would be there is sent out of range."""
    for piece in range(CHUNK // EACH):
        inside = step * STEP + half * HALF + col + piece * EACH < k
        for p in range(at.shape[2]):
            at[half, piece, p] = al.select(inside, ((row + p * rows) * k + col + step * STEP) * BF16, OUT_OF_RANGE)


@avelang.jit
def load(stage, buffer, at, half, p, EACH):
    """Eight neighbors of a row, as four words."""
    pieces = al.view(stage, al.Tensor((2, stage.shape[1], CHUNK // EACH, EACH // 2), al.i32))
    for piece in range(CHUNK // EACH):
        offset = al.convert(at[half, piece, p] + (half * HALF + piece * EACH) * BF16, al.i32)
        if EACH == 8:
            pieces[half, p, piece] = al.amdgpu.raw_buffer_load_x4(buffer, offset, 0, 0)
        elif EACH == 4:
            pieces[half, p, piece] = al.amdgpu.raw_buffer_load_x2(buffer, offset, 0, 0)
        else:
            pieces[half, p, piece] = al.amdgpu.raw_buffer_load_x1(buffer, offset, 0, 0)


@avelang.jit
def load_elements(stage, x, half, p, row, col):
    """The same one by one, for rows of an odd length, which may begin in the middle of a word."""
    elements = al.view(stage, al.Tensor((2, stage.shape[1], CHUNK), al.bf16))
    for e in range(CHUNK):
        element = al.convert(0.0, al.bf16)
        if row < x.shape[0] and col + e < x.shape[1]:
            element = x[row, col + e]
        elements[half, p, e] = element


@avelang.jit
def load_half(operands, at, half, row, col, rows, step, EACH):
    """Asks global memory for what a lane brings of a half of a step. Steps past the last one are asked for as well, in
    vain: nothing of them is inside."""
    for x, buffer, stage, _ in operands:
        for p in range(stage.shape[1]):
            if EACH == 1:
                load_elements(stage, x, half, p, row + p * rows, step * STEP + half * HALF + col)
            else:
                load(stage, buffer, at, half, p, EACH)


@avelang.jit
def store_shared(operands, half, row, rows, place):
    """Writes what a lane has got of a half to shared memory."""
    for _, _, stage, slots in operands:
        for p in range(stage.shape[1]):
            slots[half, row + p * rows, place] = stage[half, p]


@avelang.jit
def load_fragments(fragments, slots, half, row, place, first, last):
    """Reads fragments of a half: of its row, a lane gets eight neighbors along K, for two matrix instructions."""
    for i in range(first, last):
        fragments[i] = slots[half, row + i * MFMA_SIDE, place]


@avelang.jit
def multiply(acc, a, b, first, last):
    """Adds the products of some fragments of A with all of B."""
    a_parts = al.view(a, al.Tensor((a.shape[0], 2, 2), al.i32))
    b_parts = al.view(b, al.Tensor((b.shape[0], 2, 2), al.i32))
    for part in range(2):
        for i in range(first, last):
            for j in range(b.shape[0]):
                # B comes first: a lane then has four neighbors of a row of C.
                acc[i, j] = al.amdgpu.mfma_16x16x16_bf16_f32(b_parts[j, part], a_parts[i, part], acc[i, j])


@avelang.jit
def product(acc, a, b, wave_row, wave_col, T, EACH):
    """Adds a wave's part of A @ B^T. `a`, `b`: the rows that make the tile. `EACH`: how many elements a lane may load
    at once."""
    M, N, WAVES_M, WAVES_N, EARLY = T
    I, J = acc.shape[0], acc.shape[1]
    ROWS = LANES // CHUNKS * WAVES_M * WAVES_N  # of a tile, that all lanes load in one pass
    A_PASSES, B_PASSES = M // ROWS, N // ROWS
    t, k = al.thread_id(0), a.shape[1]
    a_buffer = al.amdgpu.make_rsrc(a, a.shape[0] * k * BF16)
    b_buffer = al.amdgpu.make_rsrc(b, b.shape[0] * k * BF16)
    a_slots, b_slots = al.make_shared((2, M, CHUNKS, 4), al.i32), al.make_shared((2, N, CHUNKS, 4), al.i32)
    a_stage, b_stage = al.make_local((2, A_PASSES, 4), al.i32), al.make_local((2, B_PASSES, 4), al.i32)
    a_part, b_sets = al.make_local((I, 4), al.i32), (al.make_local((J, 4), al.i32), al.make_local((J, 4), al.i32))
    at = al.make_local((2, CHUNK // EACH, max(A_PASSES, B_PASSES)), al.u32)
    operands = ((a, a_buffer, a_stage, a_slots), (b, b_buffer, b_stage, b_slots))

    # The place that a lane loads and stores, and the fragments that it reads.
    row, col, to = t // CHUNKS, t % CHUNKS * CHUNK, swizzle(t // CHUNKS, t % CHUNKS)
    a_row, b_row = wave_row + t % MFMA_SIDE, wave_col + t % MFMA_SIDE
    at_chunk = swizzle(t % MFMA_SIDE, t % LANES // MFMA_SIDE)
    first, last = al.convert(0, al.u32), (max(k, 1) - 1) // STEP

    def ask(step, half):
        load_offsets(at, half, row, col, ROWS, k, step, EACH)
        load_half(operands, at, half, row, col, ROWS, step, EACH)

    for half in range(2):
        ask(first, half)
    for half in range(2):
        store_shared(operands, half, row, ROWS, to)
    for half in range(2):
        ask(first + 1, half)
    al.syncthreads()
    load_fragments(b_sets[0], b_slots, 0, b_row, at_chunk, 0, J)
    load_fragments(a_part, a_slots, 0, a_row, at_chunk, 0, EARLY)

    def first_part(step, half):
        load_fragments(a_part, a_slots, half, a_row, at_chunk, EARLY, I)

    def second_part(step, half):
        load_fragments(b_sets[1 - half], b_slots, 1 - half, b_row, at_chunk, 0, J)
        load_fragments(a_part, a_slots, 1 - half, a_row, at_chunk, 0, EARLY)
        store_shared(operands, half, row, ROWS, to)
        ask(step + 2, half)  # a whole step before it is stored

    def products(half, begin, end):
        multiply(acc, a_part, b_sets[half], begin, end)

    ROW, PASSES = 2 * J, A_PASSES + B_PASSES  # products of a row of fragments
    LOADS = PASSES if EACH == CHUNK else 0
    BEFORE = spread(EARLY * ROW, (DS_READ, I - EARLY))
    AFTER = spread((I - EARLY) * ROW, (DS_READ, J + EARLY), (DS_WRITE, PASSES), (VMEM_READ, LOADS))
    lds_mainloop(last + 1, 2, I, EARLY, first_part, second_part, products, al.syncthreads, BEFORE, (AFTER, AFTER))


@avelang.jit
def one_tile(a_ptr, b_ptr, c, k, T, EACH, WIDE):
    """Makes the tile of this block."""
    M, N, WAVES_M, WAVES_N, _ = T
    m, n = c.shape[0], c.shape[1]
    TILES = (m + M - 1) // M * ((n + N - 1) // N)
    al.expect_threads(LANES * WAVES_M * WAVES_N, exact=True)
    al.expect(al.grid_dim(0) == TILES, "a block for each tile of C, no more and no less", TILES)
    al.expect(k % EACH == 0, "k to be a multiple of EACH", k)
    al.expect(n % 4 == 0 if WIDE else True, "n to be a multiple of 4 where WIDE", n)
    scheduler = TileScheduler(m, n, k, M, N, GROUP_M=GROUP_M, XCDS=al.target().dies)
    top, left = scheduler.work_tile(al.block_id(0), 0, 0).at
    rows, cols = min(m - top, M), min(n - left, N)
    a = al.subview(al.make_tensor(a_ptr, al.bf16, al.make_layout((m, k))), (top, 0), (rows, k))
    b = al.subview(al.make_tensor(b_ptr, al.bf16, al.make_layout((n, k))), (left, 0), (cols, k))

    wave, WAVE_M, WAVE_N = al.thread_id(0) // LANES, M // WAVES_M, N // WAVES_N
    wave_row, wave_col = wave // WAVES_N * WAVE_M, wave % WAVES_N * WAVE_N
    acc = al.full((WAVE_M // MFMA_SIDE, WAVE_N // MFMA_SIDE, 4), 0.0, al.f32)
    product(acc, a, b, wave_row, wave_col, T, EACH)
    epilogue = BufferEpilogue(al.subview(c, (top, 0), (rows, n)), WIDE)
    epilogue.store(acc, wave_row, left + wave_col)


@avelang.jit
def gemm_f32(
    a: al.Pointer(al.bf16), b: al.Pointer(al.bf16), c: al.Pointer(al.f32), m: al.u32, n: al.u32,  # type: ignore
    k: al.u32, T: al.constexpr = SMALL, EACH: al.constexpr = CHUNK, WIDE: al.constexpr = True,  # type: ignore
):  # fmt: skip
    """f32 out, a block of `threads(T)` for each tile."""
    one_tile(a, b, al.make_tensor(c, al.f32, al.make_layout((m, n))), k, T, EACH, WIDE)


@avelang.jit
def gemm_bf16(
    a: al.Pointer(al.bf16), b: al.Pointer(al.bf16), c: al.Pointer(al.bf16), m: al.u32, n: al.u32,  # type: ignore
    k: al.u32, T: al.constexpr = SMALL, EACH: al.constexpr = CHUNK, WIDE: al.constexpr = True,  # type: ignore
):  # fmt: skip
    """The same with bf16 out: the f32 sums, rounded once."""
    one_tile(a, b, al.make_tensor(c, al.bf16, al.make_layout((m, n))), k, T, EACH, WIDE)


def threads(tile: Mi300Tile) -> int:
    """Of a workgroup."""
    return LANES * tile.waves_m * tile.waves_n


def best_tile(m: int, n: int, k: int) -> Mi300Tile:
    """The tile with which an MI300X is through sooner, by rounds of its compute units: each works on one large tile, or
    on two small ones at half the pace. Large where that is the same: it reads half as much. Rows that cannot be loaded
    16 bytes at a time take more registers: small."""

    product = avelang.chip("gfx942").product
    assert product is not None

    def rounds(tile: Mi300Tile) -> int:
        return -(-(-(-m // tile.m) * -(-n // tile.n)) // product.count) * tile.m * tile.n

    return SMALL if k % CHUNK else min(LARGE, SMALL, key=rounds)


@takes()
def gemm(a: Matrix, b: Matrix, out: Matrix | None = None, tile: Mi300Tile | None = None, **options: Any) -> Any:
    """C = A @ B^T, accumulated in f32.

    a: bf16 (m, k), b: bf16 (n, k), both contiguous, of any size: NumPy (ml_dtypes.bfloat16) or anything else that Ave
    takes. Fastest where k is a multiple of 8 and n of 4; an odd k is slow. out: f32 or bf16 (m, n); an f32 NumPy array
    is made when it is None. `tile`: SMALL or LARGE, chosen for an MI300X when it is None. `options` are those of a
    launch, such as `backend="reference"`. Returns `out`. Raises ValueError for shapes that do not fit one another, and
    for rows that are too long for offsets of 32 bits."""
    (m, k), n = a.shape, b.shape[0]
    if b.shape[1] != k:
        raise argument_error(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: both need the same number of columns")
    if out is None:
        import numpy as np  # takes longer to import than the kernel to compile

        out = np.empty((m, n), np.float32)
    if tuple(out.shape) != (m, n):
        raise argument_error(f"out is {tuple(out.shape)}, but the product of {m} and {n} rows is {(m, n)}")
    if LARGE.m * max(k * BF16, n * F32) > OUT_OF_RANGE:
        raise argument_error(f"rows of {k} and {n} elements: {LARGE.m} of them must fit in {OUT_OF_RANGE >> 30} GiB")
    tile = tile or best_tile(m, n, k)
    kernel = gemm_bf16 if str(out.dtype).endswith("bfloat16") else gemm_f32
    tiles = -(-m // tile.m) * -(-n // tile.n)
    each = math.gcd(k, CHUNK) if k else CHUNK
    kernel[tiles, threads(tile)](a, b, out, m, n, k, tile, each, n % 4 == 0, **options)
    return out
