"""The product of NVIDIA's Blackwell (sm_100a): tensor maps of A and B, a ring, a tile scheduler and an epilogue come
in; every tile of C that is this block's, or this pair's of blocks, goes to the epilogue.

Warps have roles. The first four or eight are the epilogue: they read accumulators from tensor memory, of which a warp
reaches 32 lanes. The next one has TMA fill a ring of stages; the last one begins the products by `tcgen05`, one thread
of it, for the block or for a pair of blocks: each block of a pair has its rows of A and half of B's columns in its
shared memory. Accumulators are there twice where tensor memory has room, so that the next tile is multiplied while the
epilogue is at this one. Sources: PTX ISA 9.0, 9.7.16; CUTLASS, `PipelineTmaUmmaAsync` and `PipelineUmmaAsync`, for the
order of waits and arrivals."""

from __future__ import annotations

import dataclasses
from typing import Any

import avelang
import avelang.language as al
from avelang.isa.nvptx.tcgen05 import InstructionDescriptor
from avelang.pipelines.ring import cluster_sync

PATTERN = 128  # bytes of a row of TMA's swizzle, and of a row of a stage
ROWS = 128  # of a block's product at the most: the lanes of tensor memory
INNER = 32  # bytes of a row that one product multiplies
UNIT = 16  # bytes that a matrix descriptor counts in
COLUMNS = 512  # of tensor memory
WARP = 32
EPILOGUE = 4  # warps of an epilogue that reads 32 lanes by each of them
OTHERS = 2  # warps that copy and that multiply
# Registers of a thread of a warpgroup that copies and multiplies, and of two of the epilogue: no more than 384 threads
# have in all.
REGISTERS = (40, 232)
THREADS = (EPILOGUE + OTHERS) * WARP
PART = 32  # columns that the epilogue reads at a time
STORE_BARRIER = 1
# By the name of an operand's dtype: the kind of the product, and the operand's type as PTX names it.
KINDS = {
    "bf16": ("f16", "bf16"),
    "f16": ("f16", "f16"),
    "f32": ("tf32", "tf32"),
    "i8": ("i8", "s8"),
    "u8": ("i8", "u8"),
    "f8e4m3fn": ("f8f6f4", "e4m3"),
    "f8e5m2": ("f8f6f4", "e5m2"),
}


def instruction(kind: str, m: int, n: int, a: str, b: str, d: str = "f32", **more: Any) -> int:
    """The instruction descriptor of a product: the 32 bits that say what `tcgen05_mma_KIND` computes. `a`, `b`, `d`:
    PTX's names of types, such as "bf16", "e4m3", "f32"; `more`: fields of `isa.nvptx.tcgen05.InstructionDescriptor`,
    such as `a_mn=True`."""
    return InstructionDescriptor(kind, m, n, a, b, d, **more).word()


@avelang.constant
@dataclasses.dataclass(frozen=True)
class TensorCoreProduct:
    """The work of a block: its tile is `m` x `n`, in steps of 128 bytes along K; `stages` of the ring; `pair`: two
    blocks of a cluster multiply twice as many rows together. `m` is 64 or, in products of 128 rows, a multiple of 128.
    `idesc`: the instruction descriptor, of `isa.nvptx.tcgen05`, of all rows of a product. `warps`: of the epilogue, 4
    or 8."""

    n: int
    stages: int
    dtype: Any
    idesc: int
    pair: bool = False
    m: int = ROWS
    warps: int = EPILOGUE

    @property
    def group(self) -> int:
        """Blocks that multiply together."""
        return 2 if self.pair else 1

    @property
    def k(self) -> int:
        """Elements along K of a stage."""
        return PATTERN // self.dtype.bytes

    @property
    def own(self) -> int:
        """Columns of B in a block's shared memory."""
        return self.n // self.group

    @property
    def bytes(self) -> int:
        """Bytes of a stage of a block."""
        return (self.m + self.own) * PATTERN

    @property
    def row_blocks(self) -> int:
        """Products of all columns that make up a block's tile."""
        return max(1, self.m // ROWS)

    @property
    def buffers(self) -> int:
        """Tiles of accumulators in tensor memory."""
        return min(2, COLUMNS // (self.row_blocks * self.n))

    @property
    def columns(self) -> int:
        """Columns of tensor memory to allocate."""
        return max(32, 1 << (self.buffers * self.row_blocks * self.n - 1).bit_length())

    @property
    def lends(self) -> bool:
        """True where warps that copy and multiply give registers to eight of an epilogue, of which each thread has half
        of the sums of a row of more than 128 columns. Registers go from warpgroup to warpgroup."""
        return self.warps > EPILOGUE and self.n > ROWS

    @property
    def threads(self) -> int:
        """Threads of the block."""
        return (self.warps + (EPILOGUE if self.lends else OTHERS)) * WARP


@avelang.struct
class Accumulators:
    """Accumulators in tensor memory, `BUFFERS` of them: `full` when the products of a tile are done, `empty` when the
    epilogues of both blocks have read them."""

    full: ...
    empty: ...
    slot: ...
    BUFFERS: al.constexpr

    def init(self, THREADS):
        """Initializes the mbarriers, by one thread; THREADS of the epilogues arrive at `empty`."""
        for i in range(self.BUFFERS):
            al.nvvm.mbarrier_init(self.full[i], 1)
            al.nvvm.mbarrier_init(self.empty[i], THREADS)


@avelang.jit
def accumulators(BUFFERS):
    """Allocates mbarriers and the place of the address of tensor memory."""
    full, empty = al.make_shared((BUFFERS, 1), al.u64), al.make_shared((BUFFERS, 1), al.u64)
    return Accumulators(full, empty, al.make_shared((1,), al.u32), BUFFERS)


@avelang.jit
def copy_box(G, stage, x, row, k, bar):
    """Copies a box to a stage by TMA, which reports to the block that multiplies."""
    if G.pair:
        al.nvvm.tma_load_2d_pair(stage, x, row, k, bar)
    else:
        al.nvvm.tma_load_2d(stage, x, row, k, bar)


@avelang.jit
def produce(G, A, B, a, b, ring, scheduler, span, rank):
    """One thread's part: fills stages, unit after unit."""
    state = ring.producer()
    for index in al.range(span[0], span[1], span[2]):
        work = scheduler.work_tile(index, rank, 0)
        for step in al.range(work.steps(G.k)):
            al.nvvm.mbarrier_wait(ring.empty[state.stage], state.phase)
            if rank == 0:
                al.nvvm.mbarrier_arrive_expect_tx(ring.full[state.stage], G.bytes * G.group)
            k = work.k[0] + step * G.k
            copy_box(G, a[state.stage], A, work.a[0], k, ring.full[state.stage])
            copy_box(G, b[state.stage], B, work.b[0] + rank * G.own, k, ring.full[state.stage])
            state.advance()
    for _ in al.range(G.stages):  # other blocks arrive here: the block must not end before
        al.nvvm.mbarrier_wait(ring.empty[state.stage], state.phase)
        state.advance()


@avelang.jit
def finish(G, bar):
    """One arrival when the thread's products are done, at an mbarrier of the block, or at those of both."""
    if G.pair:
        al.nvvm.tcgen05_commit_multicast(bar, 3, 2)
    else:
        al.nvvm.tcgen05_commit(bar, 1)


@avelang.jit
def next_buffer(G, buffer):
    """The other accumulator of tensor memory, in turn."""
    last = buffer.stage == G.buffers - 1
    buffer.stage, buffer.phase = al.select(last, 0, buffer.stage + 1), al.select(last, buffer.phase ^ 1, buffer.phase)


@avelang.jit
def issue(G, a, b, ring, held, scheduler, span, tensor, mma):
    """One thread's part, for the block or the pair: the products of all tiles. `mma`: the instruction, of the place of
    D, two descriptors, the instruction descriptor and whether D is added to."""
    state, buffer = ring.consumer(), ring.consumer()
    buffer.stage, buffer.phase = 0, 1
    for index in al.range(span[0], span[1], span[2]):
        work = scheduler.work_tile(index, 0, 0)
        al.nvvm.mbarrier_wait(held.empty[buffer.stage], buffer.phase)
        al.nvvm.tcgen05_fence_after_thread_sync()
        d = tensor + buffer.stage * (G.row_blocks * G.n)
        for step in al.range(work.steps(G.k)):
            ring.wait(state)
            al.nvvm.tcgen05_fence_after_thread_sync()
            rows, cols = al.nvvm.tcgen05_descriptor(a[state.stage]), al.nvvm.tcgen05_descriptor(b[state.stage])
            for i in range(PATTERN // INNER):
                more = al.select(step > 0, 1, 0) if i == 0 else 1
                for r in range(G.row_blocks):
                    down = i * (INNER // UNIT) + r * (ROWS * PATTERN // UNIT)
                    mma(d + r * G.n, rows + down, cols + i * (INNER // UNIT), G.idesc, more, G.group)
            finish(G, ring.empty[state.stage])
            state.advance()
        finish(G, held.full[buffer.stage])
        next_buffer(G, buffer)
    for _ in al.range(G.buffers):  # the other block's epilogue arrives here: the block must not end before
        al.nvvm.mbarrier_wait(held.empty[buffer.stage], buffer.phase)
        next_buffer(G, buffer)


@avelang.jit
def store_tiles(G, held, scheduler, span, tensor, rank, epilogue):
    """The part of the epilogue's warps. `epilogue(G, here, work, held, stage)` gets the address of the first of the 32
    lanes that its warp reaches, reads them, and says `give_back`."""
    warp = al.thread_id(0) // WARP % 4
    stage, phase = al.convert(0, al.u32), al.convert(0, al.u32)
    for index in al.range(span[0], span[1], span[2]):
        work = scheduler.work_tile(index, rank, 0)
        al.nvvm.mbarrier_wait(held.full[stage], phase)
        al.nvvm.tcgen05_fence_after_thread_sync()
        here = tensor + (warp << 21) + stage * (G.row_blocks * G.n)
        epilogue(G, here, work, held, stage)
        last = stage == G.buffers - 1
        stage, phase = al.select(last, 0, stage + 1), al.select(last, phase ^ 1, phase)
    epilogue.tail()


@avelang.jit
def give_back(G, held, stage):
    """The thread has read the accumulators: the block that multiplies may write them again."""
    al.nvvm.tcgen05_fence_before_thread_sync()
    if G.pair:
        al.nvvm.mbarrier_arrive_cluster(held.empty[stage], 0)
    else:
        al.nvvm.mbarrier_arrive(held.empty[stage])


@avelang.jit
def load_sums(at, SUMS):
    """The f32 (or other) accumulators of a lane, PART columns from an address on."""
    words = al.nvvm.tcgen05_wait_ld(al.nvvm.tcgen05_ld_32x32b_x32(at))
    return al.bitcast(words, SUMS)


@avelang.struct
class TensorEpilogue:
    """Stores a block's 128 rows by TMA, 128 bytes of each at a time. `C`: a tensor map of boxes of 128 rows of 128
    bytes, swizzled; `staged` (buffers, 128, 8, elements). `bias`: one number a column, or None; `activation`: a
    function of a vector of f32, or None."""

    C: ...
    staged: ...
    bias: ... = None
    activation: ... = None
    SUMS: al.constexpr = al.f32

    def __call__(self, G, here, work, held, stage):
        t, BUFFERS = al.thread_id(0) % ROWS, self.staged.shape[0]
        EACH = self.staged.shape[3]
        WIDTH = self.staged.shape[2] * EACH
        for p in range(G.n // WIDTH):
            if t == 0:
                al.nvvm.cp_async_bulk_wait_group_read(BUFFERS - 1)
            al.nvvm.barrier_sync(STORE_BARRIER, ROWS)
            for q in range(WIDTH // PART):
                sums = load_sums(here + (p * WIDTH + q * PART), self.SUMS)
                if p == G.n // WIDTH - 1 and q == WIDTH // PART - 1:
                    give_back(G, held, stage)
                sums = self.apply(sums, work.at[1] + p * WIDTH + q * PART)
                for c in range(PART // EACH):
                    chunk = q * (PART // EACH) + c
                    self.staged[p % BUFFERS, t, chunk ^ (t % 8)] = al.convert(
                        al.subview(sums, (c * EACH,), (EACH,), (1,)), self.staged.dtype
                    )
            al.nvvm.fence_proxy_async_shared()
            al.nvvm.barrier_sync(STORE_BARRIER, ROWS)
            if t == 0:
                al.nvvm.tma_store_2d(self.C, work.at[0], work.at[1] + p * WIDTH, self.staged[p % BUFFERS])
                al.nvvm.cp_async_bulk_commit_group()

    def apply(self, sums, n):
        """Adds the bias from column n on, and applies the activation."""
        if self.bias is not None:
            for i in range(PART):
                sums[i] += al.convert(self.bias[min(n + i, self.bias.shape[0] - 1)], al.f32)
        return sums if self.activation is None else self.activation(sums)

    def tail(self):
        """Waits for the stores."""
        if al.thread_id(0) == 0:
            al.nvvm.cp_async_bulk_wait_group(0)


@avelang.jit
def run(G, A, B, a, b, ring, scheduler, mma, epilogue):
    """The body of a kernel of `G.threads` threads: mbarriers, tensor memory, and the roles. `ring`: of
    `mbarrier_ring(stages, 1)`; the scheduler's clusters are of `G.group` blocks in a column."""
    t = al.thread_id(0)
    warp, PRODUCER, ISSUER = t // WARP, G.warps, G.warps + 1
    held = accumulators(G.buffers)
    if t == 0:
        ring.init()
        held.init(G.warps * WARP * G.group)
        al.nvvm.fence_mbarrier_init()
    if warp == ISSUER:
        al.nvvm.tcgen05_alloc(held.slot, G.columns, G.group)
        al.nvvm.tcgen05_relinquish_alloc_permit(G.group)
    al.nvvm.tcgen05_fence_before_thread_sync()
    al.syncthreads()
    cluster_sync(G.group)
    al.nvvm.tcgen05_fence_after_thread_sync()
    tensor = held.slot[0]
    rank = al.nvvm.cluster_rank() if G.pair else al.convert(0, al.u32)
    span = scheduler.span()
    if warp < G.warps:
        if G.lends:
            al.nvvm.setmaxnreg_inc(REGISTERS[1])
        store_tiles(G, held, scheduler, span, tensor, rank, epilogue)
    else:
        if G.lends:
            al.nvvm.setmaxnreg_dec(REGISTERS[0])
        if t == PRODUCER * WARP:
            produce(G, A, B, a, b, ring, scheduler, span, rank)
        elif t == ISSUER * WARP and rank == 0:
            issue(G, a, b, ring, held, scheduler, span, tensor, mma)
    al.nvvm.tcgen05_fence_before_thread_sync()
    al.syncthreads()
    cluster_sync(G.group)
    al.nvvm.tcgen05_fence_after_thread_sync()
    if warp == ISSUER:
        al.nvvm.tcgen05_dealloc(tensor, G.columns, G.group)
