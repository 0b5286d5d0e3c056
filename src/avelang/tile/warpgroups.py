"""The pipeline of NVIDIA's Hopper: tensor maps of A, B and C and a block's product come in; tiles of C go out, one
after another.

A block stays on its multiprocessor. Its first warpgroup is the producer: one thread of it has the copy engine (TMA)
fill a ring of stages in shared memory. The others are consumers: each multiplies 64 rows of a stage by `wgmma`, and
hands its sums over to be stored while the producer is at the next tile already. A stage has two mbarriers: `full`
counts the bytes that have come, `empty` the consumers that are through with it. Blocks of a cluster make tiles below
one another, or beside one another: what they share, each brings a part of, for all."""

from __future__ import annotations

import dataclasses
from typing import Any

import avelang
import avelang.language as al
from avelang.base.places import wrong
from avelang.ir.dtypes import DType
from avelang.isa.nvptx import wgmma
from avelang.tile.block_gemm import acc_dtype
from avelang.tile.products import MmaAtom
from avelang.tile.tensors import DistributedTile
from avelang.tile.virtual import group

PATTERN = 128  # bytes of a row of the swizzle, and of a row of a stage
GROUP = 128  # threads of a warpgroup
UNIT = 16  # bytes that a descriptor counts in
RELAXED = 1  # arrivals that order nothing
# Registers of a thread of the producer and of a consumer, for one consumer to four: no more in all than the block has
# from the start on.
REGISTERS = ((40, 216), (40, 232), (32, 160), (24, 112))


@avelang.constant
@dataclasses.dataclass(frozen=True)
class WarpSpecializedGemm:
    """How a block with a producer works: tile of m x n x k, `mma` a wgmma of 64 rows, `stages` of the ring,
    `cluster_m`, `cluster_n`: blocks of its cluster along rows and columns of C. Raises T307."""

    m: int
    n: int
    k: int
    mma: MmaAtom
    stages: int
    cluster_m: int
    cluster_n: int

    def __post_init__(self) -> None:
        row = PATTERN // self.mma.dtypes[0].bytes
        for name, extent, unit, most in (
            ("m", self.m, wgmma.M, 4 * wgmma.M),
            ("n", self.n, 8 * self.cluster_m, 256),
            ("k", self.k, row, row),
        ):
            if extent % unit or extent > most:
                raise wrong(
                    "T307",
                    name="warp-specialized GEMM",
                    why=f"{name} = {extent} must be a multiple of {unit}, of {most} at most",
                )

    @property
    def consumers(self) -> int:
        """Warpgroups that multiply."""
        return self.m // wgmma.M

    @property
    def cluster(self) -> int:
        return self.cluster_m * self.cluster_n

    @property
    def threads(self) -> int:
        """Of the block."""
        return GROUP * (1 + self.consumers)

    @property
    def bytes(self) -> int:
        """Of a stage."""
        return (self.m + self.n) * self.k * self.mma.dtypes[0].bytes


@avelang.constant
def warp_specialized_gemm(
    dtype: DType, m: int, n: int, k: int, stages: int, cluster: tuple[int, int], target: str = "sm_90a"
) -> WarpSpecializedGemm:
    """The product of a block with wgmma. Raises T301 for a dtype that it does not have, T307."""
    form = next(
        (f for f in wgmma.FORMS if not f.registers and f.a.dtype == f.b.dtype == dtype and f.d == acc_dtype(dtype)),
        None,
    )
    if form is None:
        raise wrong("T301", what="the dtype", want="one of wgmma, such as bf16", got=repr(dtype))
    return WarpSpecializedGemm(m, n, k, group(form, n, target), stages, *cluster)


@avelang.constant
def pieces(n: int, out: DType) -> int:
    """How many times the copy engine stores a part of each row of a tile of C with n columns. Raises T307."""
    return _pieces(n, out)


def _pieces(n: int, out: DType) -> int:
    unit = PATTERN // out.bytes
    if n % unit:
        why = f"n = {n} must be a multiple of {unit}: C's rows, of {out}, are stored {PATTERN} bytes at a time"
        raise wrong("T307", name="warp-specialized GEMM", why=why)
    return n // unit


def tensor_maps(dtype: DType, out: DType, m: int, n: int, cluster: tuple[int, int]) -> tuple[Any, Any, Any]:
    """The annotations of A, B and C of a kernel for `WarpSpecializedGemm`: what the copy engine brings at once. Raises
    T307."""
    row, (cluster_m, cluster_n) = PATTERN // dtype.bytes, cluster
    _pieces(n, out)
    return (
        al.TensorMap(dtype, 2, (m // cluster_n, row), swizzle=PATTERN), al.TensorMap(dtype, 2, (n // cluster_m, row), swizzle=PATTERN),
        al.TensorMap(out, 2, (wgmma.M, PATTERN // out.bytes), swizzle=PATTERN),
    )  # fmt: skip


@avelang.struct
class StageRing:
    """Stages of A and B in shared memory, their barriers, and where one walks through them: a slot and the parity of
    its phase."""

    a: ...
    b: ...
    full: ...
    empty: ...
    slot: al.u32
    phase: al.u32

    def step(self):
        """On to the next stage."""
        last = self.slot == self.full.shape[0] - 1
        self.phase = al.select(last, self.phase ^ 1, self.phase)
        self.slot = al.select(last, 0, self.slot + 1)


@avelang.struct
class ClusterCoord:
    """A block among others: the number of its cluster and how many there are, and where in its own it is."""

    first: ...
    clusters: ...
    m: ...
    n: ...


@avelang.jit
def cluster_coord(G):
    """Of this block."""
    rank = al.nvvm.cluster_rank() if G.cluster > 1 else al.convert(0, al.u32)
    return ClusterCoord(
        al.block_id(0) // G.cluster, al.grid_dim(0) // G.cluster, rank % G.cluster_m, rank // G.cluster_m
    )


@avelang.jit
def k_steps(G, work):
    """Steps of a job's part of K."""
    return (work.k[1] - work.k[0] + G.k - 1) // G.k


@avelang.jit
def producer_load(stages, slot, x, row, col, full, part, PARTS, FIRST, APART, shift):
    """Fills a stage with rows of a matrix. Where `PARTS` blocks want the same rows, each brings a part for all of them:
    for the ranks `FIRST`, `FIRST + APART`, ..., shifted."""
    if PARTS == 1:
        al.nvvm.tma_load_2d(stages[slot], x, row, col, full[slot])
    else:
        SIZE, ROW = stages.shape[1] // PARTS, PATTERN // stages.dtype.bytes
        mine = al.subview(stages, (slot, part * SIZE), (1, SIZE), (1, 1))
        ranks = sum([1 << (FIRST + APART * i) for i in range(PARTS)])
        al.nvvm.tma_load_2d_multicast(mine, x, row + part * (SIZE // ROW), col, full[slot], ranks << shift)


@avelang.jit
def producer(G, A, B, ring, at, walk):
    """One thread's part: fills stages, tile after tile."""
    ring.phase = ring.phase ^ 1
    for tile in al.range(at.first, walk.count(), at.clusters):
        work = walk.job(tile, at.m, at.n)
        for step in al.range(k_steps(G, work)):
            al.nvvm.mbarrier_wait(ring.empty[ring.slot], ring.phase)
            al.nvvm.mbarrier_arrive_expect_tx(ring.full[ring.slot], G.bytes)
            k = work.k[0] + step * G.k
            producer_load(ring.a, ring.slot, A, work.a[0], k, ring.full, at.n, G.cluster_n, 0, G.cluster_m, at.m)
            producer_load(ring.b, ring.slot, B, work.b[0], k, ring.full, at.m, G.cluster_m, 0, 1, at.n * G.cluster_m)
            ring.step()
    if G.cluster > 1:
        # The other blocks say in this one's memory that they are through with its stages: it must be there until they
        # have.
        for _ in al.range(G.stages):
            al.nvvm.mbarrier_wait(ring.empty[ring.slot], ring.phase)
            ring.step()


@avelang.jit
def multiply(G, ring, consumer, acc):
    """Begins a consumer's products of a stage."""
    ROWS = wgmma_rows(G) * G.k
    rows = al.nvvm.wgmma_descriptor(al.subview(ring.a, (ring.slot, consumer * ROWS), (1, ROWS), (1, 1)))
    cols = al.nvvm.wgmma_descriptor(ring.b[ring.slot])
    acc = al.nvvm.wgmma_fence_acc(acc)
    for i in range(G.k // G.mma.k):
        along = i * G.mma.k * ring.a.dtype.bytes // UNIT
        acc = G.mma.lower(rows + along, cols + along, acc)
    al.nvvm.wgmma_commit_group()
    return acc


@avelang.jit
def wgmma_rows(G):
    """Of a consumer."""
    return G.mma.m


@avelang.jit
def consumer_release(G, ring, slot, at, t):
    """Says to the producers of all blocks that bring something for this stage that this consumer is through with it."""
    if G.cluster > 1:
        if t < G.cluster and (t % G.cluster_m == at.m or t // G.cluster_m == at.n):
            al.nvvm.mbarrier_arrive_cluster(ring.empty[slot], t, RELAXED)
    elif t == 0:
        al.nvvm.mbarrier_arrive(ring.empty[slot])


@avelang.jit
def consumer_loop(G, ring, at, walk, consumer, t, finish):
    """A warpgroup's part: 64 rows of each tile, given to `finish`."""
    for tile in al.range(at.first, walk.count(), at.clusters):
        work = walk.job(tile, at.m, at.n)
        # The first step stands before the loop: then nothing but wgmma writes to the sums in it, and the steps may
        # overlap.
        al.nvvm.mbarrier_wait(ring.full[ring.slot], ring.phase)
        acc = multiply(G, ring, consumer, al.full((G.mma.acc.elements,), 0, G.mma.dtypes[2]))
        before = ring.slot
        ring.step()
        for _ in al.range(k_steps(G, work) - 1):
            al.nvvm.mbarrier_wait(ring.full[ring.slot], ring.phase)
            acc = multiply(G, ring, consumer, acc)
            # One step stays under way while the one before it is given back.
            acc = al.nvvm.wgmma_wait_acc(acc, 1)
            consumer_release(G, ring, before, at, t)
            before = ring.slot
            ring.step()
        acc = al.nvvm.wgmma_wait_acc(acc, 0)
        consumer_release(G, ring, before, at, t)
        finish(DistributedTile(acc, G.mma.acc, t, G.consumers), (work.at[0] + consumer * G.mma.m,) + work.at[1:])


@avelang.jit
def cluster_sync(G):
    """Waits for the threads of the block, or of the cluster. What is in memory need not be in order: a fence stands
    before, where it must be."""
    if G.cluster > 1:
        al.nvvm.cluster_arrive(RELAXED)
        al.nvvm.cluster_wait()
    else:
        al.syncthreads()


@avelang.jit
def make_ring(G, dtype):
    """Stages, and barriers that are ready."""
    a, b = al.make_shared((G.stages, G.m * G.k), dtype, 1024), al.make_shared((G.stages, G.n * G.k), dtype, 1024)
    full, empty = al.make_shared((G.stages, 1), al.u64), al.make_shared((G.stages, 1), al.u64)
    if al.thread_id(0) == 0:
        for s in range(G.stages):
            al.nvvm.mbarrier_init(full[s], 1)
            al.nvvm.mbarrier_init(empty[s], G.consumers * (G.cluster_m + G.cluster_n - 1))
        al.nvvm.fence_mbarrier_init()
    cluster_sync(G)
    return StageRing(a, b, full, empty, 0, 0)


@avelang.jit
def run(G, A, B, walk, finish):
    """All tiles of a walk that are this block's; `A`, `B`: views of tensor maps; `finish(tile, at)` gets each tile."""
    t, ring, at = al.thread_id(0), make_ring(G, G.mma.dtypes[0]), cluster_coord(G)
    if t < GROUP:
        al.nvvm.setmaxnreg_dec(REGISTERS[G.consumers - 1][0])
        if t == 0:
            producer(G, A.data, B.data, ring, at, walk)
    else:
        al.nvvm.setmaxnreg_inc(REGISTERS[G.consumers - 1][1])
        consumer_loop(G, ring, at, walk, t // GROUP - 1, t % GROUP, finish)
        if t % GROUP == 0:
            al.nvvm.cp_async_bulk_wait_group(0)


# -- storing by the copy engine ----------------------------------------------------------------------------------------------------------


@avelang.jit
def stage_epilogue(piece, acc, warp, lane):
    """Writes a consumer's 64 rows of 128 bytes to `piece` (rows, chunks, elements) as the copy engine's swizzle has
    them: chunk c of row r is at c ^ (r % 8)."""
    if piece.dtype.bytes == 4:
        for i in range(acc.shape[0] // 2):
            row, chunk = warp * 16 + lane // 4 + i % 2 * 8, i // 2 * 2 + lane % 4 // 2
            two = al.subview(piece, (row, chunk ^ (row % 8), lane % 2 * 2), (1, 1, 2), (1, 1, 1))
            al.view(two, al.Tensor((1, 2), piece.dtype))[0] = al.convert(
                al.subview(acc, (2 * i,), (2,), (1,)), piece.dtype
            )
    else:
        row = warp * 16 + lane % 16
        for i in range(acc.shape[0] // 8):
            words = al.convert(al.subview(acc, (8 * i,), (8,), (1,)), piece.dtype)
            al.nvvm.stmatrix_m8n8_x4_b16(
                piece[row, (2 * i + lane // 16) ^ (row % 8)], al.view(words, al.Tensor((4,), al.i32))
            )


@avelang.jit
def store(C, tile, at):
    """Rounds a consumer's tile and hands it to the copy engine, 128 bytes of each row at a time. `C`: a tensor map."""
    dtype = C.dtype
    WIDTH, PIECES = PATTERN // dtype.bytes, pieces(tile.shape[1], dtype)
    BUFFERS = 1 if PIECES % 2 else 2
    t, consumer = tile.thread, al.thread_id(0) // GROUP - 1
    room = al.make_shared((tile.groups, BUFFERS, tile.shape[0], PATTERN // UNIT, UNIT // dtype.bytes), dtype, 1024)
    for p in range(PIECES):
        if t == 0:
            al.nvvm.cp_async_bulk_wait_group_read(BUFFERS - 1)
        al.nvvm.barrier_sync(1 + consumer, GROUP)
        stage_epilogue(
            room[consumer, p % BUFFERS],
            al.subview(tile.values, (p * WIDTH // 2,), (WIDTH // 2,), (1,)),
            t // 32,
            t % 32,
        )
        al.nvvm.fence_proxy_async_shared()
        al.nvvm.barrier_sync(1 + consumer, GROUP)
        if t == 0:
            al.nvvm.tma_store_2d(C, at[0], at[1] + p * WIDTH, room[consumer, p % BUFFERS])
            al.nvvm.cp_async_bulk_commit_group()
