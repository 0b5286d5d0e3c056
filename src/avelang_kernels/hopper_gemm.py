"""Two matrices of bf16 or f16 come in; C = A @ B^T in their type or in f32 goes out: a persistent, warp-specialized product
for NVIDIA's Hopper (sm_90a).

A block stays on its multiprocessor and makes one tile of C after another. Its first warpgroup is the producer: one thread of it has the copy engine
(TMA) bring steps of A and B, 64 along K, into a ring of stages in shared memory. The others are consumers: each multiplies 64 rows of the stage by
`wgmma`, with the sums in registers, then rounds them and has the copy engine store them, while the producer is at the next tile already. A stage has
two mbarriers: `full` counts the bytes that have come, `empty` the consumers that are through with it.

The two blocks of a cluster make tiles below one another, with the same columns of B: each brings half of them, for both.
Edges cost nothing: the copy engine reads zeros past the end of a matrix, and does not write there.
"""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import functools
import math
import sys
from typing import Any, NamedTuple

import avelang
import avelang.language as al
from avelang import argument_error, takes
from avelang.pipelines.scheduler import tile_of
from avelang_kernels.arrays import Matrix, Positive

STEP = 64  # elements of K in a stage: 128 bytes, one row of the swizzle
PATTERN = 128  # bytes of the swizzle's rows
ROWS = 64  # rows of a consumer: those of one wgmma
INNER = 16  # elements of K that one wgmma multiplies
GROUP = 128  # threads of a warpgroup
BYTES, UNIT = 2, 16  # of an element of A and B; of what a descriptor counts in
RELAXED = 1  # arrivals that order nothing
SMS = 132  # multiprocessors of an H100 or H200 (SXM)
# Registers of a thread of the producer and of a consumer, for one consumer to four: no more in all than the block has from the start on.
REGISTERS = ((40, 216), (40, 232), (32, 160), (24, 112))


class Tile(NamedTuple):
    """How a block works: rows and columns of its tile of C, stages of its ring, blocks of its cluster below and beside one another in C, and how many
    rows of clusters are gone through together."""

    m: int
    n: int
    stages: int
    below: int = 1
    beside: int = 1
    together: int = 8

    @property
    def cluster(self) -> int:
        return self.below * self.beside


@avelang.jit
def keep(piece, sums, warp, lane):
    """Writes a consumer's 64 rows of 128 bytes to `piece` (rows, chunks, elements) as the copy engine's swizzle has them: chunk c of row r is at
    c ^ (r % 8)."""
    if piece.dtype == al.f32:
        for i in range(sums.shape[0] // 2):
            row, chunk = warp * 16 + lane // 4 + i % 2 * 8, i // 2 * 2 + lane % 4 // 2
            two = al.subview(piece, (row, chunk ^ (row % 8), lane % 2 * 2), (1, 1, 2), (1, 1, 1))
            al.view(two, al.Tensor((1, 2), al.f32))[0] = al.subview(sums, (2 * i,), (2,), (1,))
    else:
        row = warp * 16 + lane % 16
        for i in range(sums.shape[0] // 8):
            words = al.convert(al.subview(sums, (8 * i,), (8,), (1,)), piece.dtype)
            al.nvvm.stmatrix_m8n8_x4_b16(piece[row, (2 * i + lane // 16) ^ (row % 8)], al.view(words, al.Tensor((4,), al.i32)))


class Form(NamedTuple):
    """What a kernel is compiled for: a tile's numbers, and what follows from them. `width`, `buffers`: columns of the pieces in which a consumer
    hands over its part of C, and how many it has on their way to memory."""

    m: int
    n: int
    stages: int
    below: int
    beside: int
    together: int
    cluster: int
    consumers: int
    width: int
    buffers: int


def form_of(tile: Tile, out: al.DType) -> Form:
    """Two pieces are on their way where a tile has an even number of them: each tile begins with the first buffer again."""
    width = PATTERN // out.bytes
    return Form(*tile, tile.cluster, tile.m // ROWS, width, 1 if tile.n // width % 2 else 2)


@avelang.jit
def place(F):
    """Where in its cluster the block is: along rows and along columns of C."""
    if F.cluster == 1:
        return al.convert(0, al.u32), al.convert(0, al.u32)
    rank = al.nvvm.cluster_rank()
    return rank % F.below, rank // F.below


@avelang.jit
def following(slot, phase, F):
    """The next stage, and the parity of its phase."""
    last = slot == F.stages - 1
    return al.select(last, 0, slot + 1), al.select(last, phase ^ 1, phase)


@avelang.jit
def bring(ring, x, slot, row, col, full, part, PARTS, FIRST, APART, shift):
    """Fills a stage with rows of a matrix. Where `PARTS` blocks want the same rows, each brings a part for all of them: for the ranks `FIRST`,
    `FIRST + APART`, ..., shifted."""
    if PARTS == 1:
        al.nvvm.tma_load_2d(ring[slot], x, row, col, full[slot])
    else:
        SIZE = ring.shape[1] // PARTS
        mine = al.subview(ring, (slot, part * SIZE), (1, SIZE), (1, 1))
        ranks = sum(1 << (FIRST + APART * i) for i in range(PARTS))
        al.nvvm.tma_load_2d_multicast(mine, x, row + part * (SIZE // STEP), col, full[slot], ranks << shift)


@avelang.jit
def produce(A, B, a, b, full, empty, first, blocks, tiles_m, tiles_n, steps, F):
    """One thread's part: fills stages, tile after tile."""
    below, beside = place(F)
    slot, phase = al.convert(0, al.u32), al.convert(1, al.u32)
    for tile in al.range(first, tiles_m * tiles_n, blocks):
        row, col = tile_of(tile, tiles_m, tiles_n, F.together)
        for step in al.range(steps):
            al.nvvm.mbarrier_wait(empty[slot], phase)
            al.nvvm.mbarrier_arrive_expect_tx(full[slot], (F.m + F.n) * STEP * BYTES)
            bring(a, A, slot, (row * F.below + below) * F.m, step * STEP, full, beside, F.beside, 0, F.below, below)
            bring(b, B, slot, (col * F.beside + beside) * F.n, step * STEP, full, below, F.below, 0, 1, beside * F.below)
            slot, phase = following(slot, phase, F)
    if F.cluster > 1:
        # The other blocks say in this one's memory that they are through with its stages: it must be there until they have.
        for _ in al.range(F.stages):
            al.nvvm.mbarrier_wait(empty[slot], phase)
            slot, phase = following(slot, phase, F)


@avelang.jit
def multiply(a, b, slot, consumer, sums):
    """Begins a consumer's products of a stage."""
    rows = al.nvvm.wgmma_descriptor(al.subview(a, (slot, consumer * ROWS * STEP), (1, ROWS * STEP), (1, 1)))
    cols = al.nvvm.wgmma_descriptor(b[slot])
    sums = al.nvvm.wgmma_fence_acc(sums)
    for i in range(STEP // INNER):
        along = i * INNER * BYTES // UNIT
        if a.dtype == al.bf16:
            sums = al.nvvm.wgmma_bf16_f32(rows + along, cols + along, sums)
        else:
            sums = al.nvvm.wgmma_f16_f32(rows + along, cols + along, sums)
    al.nvvm.wgmma_commit_group()
    return sums


@avelang.jit
def release(empty, slot, t, F):
    """Says to the producers of all blocks that bring something for this stage that this consumer is through with it."""
    if F.cluster > 1:
        below, beside = place(F)
        if t < F.cluster and (t % F.below == below or t // F.below == beside):
            al.nvvm.mbarrier_arrive_cluster(empty[slot], t, RELAXED)
    elif t == 0:
        al.nvvm.mbarrier_arrive(empty[slot])


@avelang.jit
def store(C, pieces, sums, top, left, consumer, t, F):
    """Rounds the sums and hands them to the copy engine, 128 bytes of each row at a time."""
    for p in range(F.n // F.width):
        if t == 0:
            al.nvvm.cp_async_bulk_wait_group_read(F.buffers - 1)
        al.nvvm.barrier_sync(1 + consumer, GROUP)
        keep(pieces[p % F.buffers], al.subview(sums, (p * F.width // 2,), (F.width // 2,), (1,)), t // 32, t % 32)
        al.nvvm.fence_proxy_async_shared()
        al.nvvm.barrier_sync(1 + consumer, GROUP)
        if t == 0:
            al.nvvm.tma_store_2d(C, top, left + p * F.width, pieces[p % F.buffers])
            al.nvvm.cp_async_bulk_commit_group()


@avelang.jit
def consume(C, a, b, pieces, full, empty, first, blocks, tiles_m, tiles_n, steps, consumer, t, F):
    """A warpgroup's part: 64 rows of each tile."""
    below, beside = place(F)
    slot, phase = al.convert(0, al.u32), al.convert(0, al.u32)
    for tile in al.range(first, tiles_m * tiles_n, blocks):
        row, col = tile_of(tile, tiles_m, tiles_n, F.together)
        # The first step stands before the loop: then nothing but wgmma writes to the sums in it, and the steps may overlap.
        al.nvvm.mbarrier_wait(full[slot], phase)
        sums = multiply(a, b, slot, consumer, al.full((F.n // 2,), 0.0, al.f32))
        before = slot
        slot, phase = following(slot, phase, F)
        for _ in al.range(steps - 1):
            al.nvvm.mbarrier_wait(full[slot], phase)
            sums = multiply(a, b, slot, consumer, sums)
            # One step stays under way while the one before it is given back.
            sums = al.nvvm.wgmma_wait_acc(sums, 1)
            release(empty, before, t, F)
            before = slot
            slot, phase = following(slot, phase, F)
        sums = al.nvvm.wgmma_wait_acc(sums, 0)
        release(empty, before, t, F)
        top, left = (row * F.below + below) * F.m + consumer * ROWS, (col * F.beside + beside) * F.n
        store(C, pieces, sums, top, left, consumer, t, F)
    if t == 0:
        al.nvvm.cp_async_bulk_wait_group(0)


@avelang.jit
def meet(F):
    """Waits for the threads of the block, or of the cluster. What is in memory need not be in order: a fence stands before, where it must be."""
    if F.cluster > 1:
        al.nvvm.cluster_arrive(RELAXED)
        al.nvvm.cluster_wait()
    else:
        al.syncthreads()


@functools.cache
def build(tile: Tile, dtype: al.DType, out: al.DType) -> Any:
    """The kernel for a tile, the type of A and B, and that of C. What a copy brings at once is part of its map's type: hence a function for each."""
    F = form_of(tile, out)

    @avelang.jit
    def gemm(
        A: al.TensorMap(dtype, 2, (F.m // F.beside, STEP), swizzle=PATTERN),  # type: ignore
        B: al.TensorMap(dtype, 2, (F.n // F.below, STEP), swizzle=PATTERN),  # type: ignore
        C: al.TensorMap(out, 2, (ROWS, F.width), swizzle=PATTERN),  # type: ignore
        m: al.u32,
        n: al.u32,
        k: al.u32,
    ):
        t = al.thread_id(0)
        a, b = al.make_shared((F.stages, F.m * STEP), dtype, 1024), al.make_shared((F.stages, F.n * STEP), dtype, 1024)
        pieces = al.make_shared((F.consumers, F.buffers, ROWS, PATTERN // UNIT, UNIT // out.bytes), out, 1024)
        full, empty = al.make_shared((F.stages, 1), al.u64), al.make_shared((F.stages, 1), al.u64)
        if t == 0:
            al.nvvm.prefetch_tensormap(A)
            al.nvvm.prefetch_tensormap(B)
            al.nvvm.prefetch_tensormap(C)
            for s in range(F.stages):
                al.nvvm.mbarrier_init(full[s], 1)
                al.nvvm.mbarrier_init(empty[s], F.consumers * (F.below + F.beside - 1))
            al.nvvm.fence_mbarrier_init()
        meet(F)

        # From here on a tile is what a cluster makes.
        first, blocks, steps = al.block_id(0) // F.cluster, al.grid_dim(0) // F.cluster, (k + STEP - 1) // STEP
        tiles_m, tiles_n = (m + F.m * F.below - 1) // (F.m * F.below), (n + F.n * F.beside - 1) // (F.n * F.beside)
        if t < GROUP:
            al.nvvm.setmaxnreg_dec(REGISTERS[F.consumers - 1][0])
            if t == 0:
                produce(A, B, a, b, full, empty, first, blocks, tiles_m, tiles_n, steps, F)
        else:
            al.nvvm.setmaxnreg_inc(REGISTERS[F.consumers - 1][1])
            consumer = t // GROUP - 1
            consume(C, a, b, pieces[consumer], full, empty, first, blocks, tiles_m, tiles_n, steps, consumer, t % GROUP, F)

    return gemm


def threads(tile: Tile) -> int:
    """Of a block."""
    return GROUP * (1 + tile.m // ROWS)


# Tiles to choose from, and the part of the speed of the first that they reach where all multiprocessors are busy (`benchmarks/tune_hopper_gemm.py`):
# smaller ones wait for L2.
TILES = {Tile(128, 256, 4, 2): 1.0, Tile(128, 128, 6, 2): 0.97, Tile(64, 128, 6): 0.56}


def best_tile(m: int, n: int, sms: int = SMS) -> Tile:
    """The tile with which a GPU of so many multiprocessors is through soonest: by rounds of its blocks, and the time that each tile takes."""

    def time(tile: Tile) -> float:
        return math.ceil(clusters(m, n, tile) / max(1, sms // tile.cluster)) * tile.m * tile.n / TILES[tile]

    return min(TILES, key=time)


def clusters(m: int, n: int, tile: Tile) -> int:
    """How many clusters' tiles a product has."""
    return math.ceil(m / (tile.m * tile.below)) * math.ceil(n / (tile.n * tile.beside))


@takes()
def gemm(a: Matrix, b: Matrix, out: Matrix | None = None, tile: Tile | None = None, blocks: Positive | None = None, **options: Any) -> Any:
    """C = A @ B^T, accumulated in f32.

    a: (m, k), b: (n, k), both bf16 or both f16; elements of a row are neighbors, and rows a multiple of 16 bytes apart, as the copy engine wants
    them. out: (m, n), of the type of a and b or f32; made when it is None, in the type of a and b. All are on a GPU of sm_90a, or on the CPU. `tile`:
    chosen by shape when it is None; `blocks`: as many as there are multiprocessors. `options` are those of a launch, such as
    `backend="reference"`.
    Returns `out`. An `out` whose rows are no multiple of 16 bytes, in length or apart, is filled by a copy. Raises ValueError for shapes that do
    not fit one another or the copy engine, TypeError for other types.
    """
    (m, k), n = a.shape, b.shape[0]
    if b.shape[1] != k:
        raise argument_error(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: both need the same number of columns")
    dtype = element("a", a, (al.bf16, al.f16))
    element("b", b, (dtype,))
    to = dtype if out is None else element("out", out, (dtype, al.f32))
    if out is not None and tuple(out.shape) != (m, n):
        raise argument_error(f"out is {tuple(out.shape)}, but the product of {m} and {n} rows is {(m, n)}")
    for name, x in (("a", a), ("b", b)):
        if 0 not in (m, n, k) and misplaced(x):
            raise argument_error(f"{name}: {misplaced(x)} (pad the rows, and pass a view of the first {k} columns)")
    sms = blocks or multiprocessors(a)
    tile = tile or best_tile(m, n, sms)
    # The copy engine stores whole pieces of 16 bytes.
    direct = out is not None and n * to.bytes % UNIT == 0 and not misplaced(out)
    room: Any = out if direct else empty(a if out is None else out, m, -(-n * to.bytes // UNIT) * UNIT // to.bytes)
    if 0 in (m, n, k):
        room[...] = 0
    else:
        grid = min(clusters(m, n, tile), max(1, sms // tile.cluster)) * tile.cluster
        build(tile, dtype, to)[grid, threads(tile)](a, b, room, m, n, k, cluster=(tile.cluster, 1, 1), **options)
    if out is None:
        return room[:, :n]
    if not direct:
        out[...] = room[:, :n]
    return out


def element(name: str, x: Any, wanted: tuple[Any, ...]) -> Any:
    """The type of an array's elements. Raises TypeError where it is none of `wanted`."""
    found = {"bfloat16": al.bf16, "float16": al.f16, "float32": al.f32}.get(str(x.dtype).split(".")[-1])
    if found not in wanted:
        raise argument_error(f"{name} is of {x.dtype}; here it must be of {' or '.join(map(str, wanted))}")
    return found


def misplaced(x: Any) -> str:
    """Why the copy engine cannot work on a matrix, or ""."""
    size = x.dtype.itemsize
    row, col = x.stride() if hasattr(x, "stride") else (s // size for s in x.strides)
    if col != 1 and x.shape[1] > 1:
        return f"elements of a row must be neighbors, and are {col} elements apart"
    if x.shape[0] > 1 and row * size % UNIT:
        return f"rows must be a multiple of {UNIT // size} elements apart, and are {row} apart"
    return ""


def multiprocessors(x: Any) -> int:
    """Of the GPU that an array of torch's is on; else an H100's."""
    if not getattr(x, "is_cuda", False):
        return SMS
    return sys.modules["torch"].cuda.get_device_properties(x.device).multi_processor_count


def empty(like: Any, m: int, n: int) -> Any:
    """(m, n) of the type of `like`, where it is."""
    if hasattr(like, "new_empty"):
        return like.new_empty((m, n))
    import numpy as np  # takes longer to import than the kernel to compile

    return np.empty((m, n), like.dtype)
