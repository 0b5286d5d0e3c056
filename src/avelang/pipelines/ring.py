"""Rings of stages in shared memory: what copies the stages and who reads them comes in; waits and arrivals in the order
of the roles go out.

Five roles, as of CUTLASS's `PipelineTmaAsync` and `PipelineAsync`: a producer `acquire`s a stage, fills it and
`commit`s it; a consumer `wait`s for it, reads it and `release`s it; both `advance` to the next one. Sources: NVIDIA,
CUTLASS 3.x documentation, "Pipeline"; PTX ISA 9.0, 9.7.13.15 "mbarrier"; AMD, "Instinct MI300 Instruction Set
Architecture", 4.4, "Manually inserted wait states" and S_WAITCNT."""

from __future__ import annotations

import avelang
import avelang.language as al

RELAXED = 1  # semantics of an arrival that orders no memory
OWN = 2  # of one that orders it for the thread's own block alone, in one instruction for all blocks
MOST_LOADS = 63  # loads that AMD's S_WAITCNT can leave in flight


@avelang.struct
class PipelineState:
    """A position in a ring: a stage, and the parity of the phase of its mbarrier to wait for. Producers begin with
    parity 1, which no mbarrier has to complete, consumers with 0."""

    stage: al.u32
    phase: al.u32
    STAGES: al.constexpr

    def advance(self):
        """Moves on to the next stage; behind the last one the parity flips."""
        last = self.stage == self.STAGES - 1
        self.stage, self.phase = al.select(last, 0, self.stage + 1), al.select(last, self.phase ^ 1, self.phase)

    def skip(self, stages):
        """Moves on by so many stages, which others use."""
        self.phase = (self.phase + (self.stage + stages) // self.STAGES) % 2
        self.stage = (self.stage + stages) % self.STAGES


@avelang.struct
class MbarrierRing:
    """Stages that a producer fills, by TMA or by stores, while consumers read others. Each stage has two mbarriers:
    `full`, on which PRODUCERS threads arrive and TMA counts bytes, and `empty`, on which `CONSUMERS` agents (warpgroups
    or warps) of a block arrive. In a cluster of CLUSTER_M x CLUSTER_N blocks, those in one row share A and those in one
    column B, by multicast: a stage is empty when the consumers of all blocks are done with it that get what this block
    copies. CLUSTER_K such groups of blocks have nothing in common here.

    | stage | phase of `full` | phase of `empty` | what changes it |
    | --- | --- | --- | --- |
    | free | open | complete | `acquire`: waits for `empty`, says to `full` how many bytes will come |
    | filling | open, bytes pending | open | TMA, as bytes arrive; `commit`, where threads store |
    | ready | complete | open | `wait`, by consumers |
    | in use | complete | open, arrivals pending | `release`: the last arrival makes the stage free |

    The stages themselves are the kernel's: `a[state.stage]`. Make one with `mbarrier_ring`."""

    full: ...
    empty: ...
    CONSUMERS: al.constexpr
    CLUSTER_M: al.constexpr = 1
    CLUSTER_N: al.constexpr = 1
    PRODUCERS: al.constexpr = 1
    CLUSTER_K: al.constexpr = 1

    def init(self):
        """Initializes the mbarriers, by one thread. A fence (`fence_mbarrier_init`) and a barrier of the block or
        cluster must follow."""
        for s in range(self.full.shape[0]):
            al.nvvm.mbarrier_init(self.full[s], self.PRODUCERS)
            al.nvvm.mbarrier_init(self.empty[s], self.CONSUMERS * (self.CLUSTER_M + self.CLUSTER_N - 1))

    def producer(self):
        """Returns the state in which a producer begins."""
        return PipelineState(0, 1, self.full.shape[0])

    def consumer(self):
        """Returns the state in which a consumer begins."""
        return PipelineState(0, 0, self.full.shape[0])

    def acquire(self, state, size=None):
        """Waits until the stage is free. `size`: bytes that TMA will copy to it, which counts as the producer's
        arrival; None where `commit` is to follow."""
        al.nvvm.mbarrier_wait(self.empty[state.stage], state.phase)
        if size is not None:
            al.nvvm.mbarrier_arrive_expect_tx(self.full[state.stage], size)

    def commit(self, state):
        """Arrives at `full` for a thread of the producer that has stored to the stage. TMA's bytes commit
        themselves."""
        al.nvvm.mbarrier_arrive(self.full[state.stage])

    def wait(self, state):
        """Waits until the stage is full."""
        al.nvvm.mbarrier_wait(self.full[state.stage], state.phase)

    def release(self, stage, t, ORDERED=False):
        """Arrives for one consumer, of which `t` is the thread's number, at `empty` of all blocks that copy to this
        stage. What consumers read by `wgmma` needs no order, so arrivals at other blocks are relaxed: a release there
        is a fence of the whole GPU. ORDERED: the consumer's plain loads of what its own block stored are done before
        its block stores anew."""
        CLUSTER = self.CLUSTER_M * self.CLUSTER_N
        if CLUSTER > 1:
            m, n, k = cluster_coords(self.CLUSTER_M, self.CLUSTER_N, self.CLUSTER_K)
            if t < CLUSTER and (t % self.CLUSTER_M == m or t // self.CLUSTER_M == n):
                al.nvvm.mbarrier_arrive_cluster(self.empty[stage], k * CLUSTER + t, OWN if ORDERED else RELAXED)
        elif t == 0:
            al.nvvm.mbarrier_arrive(self.empty[stage])

    def tail(self, state):
        """Waits, in the producer, until all stages are free. Other blocks of a cluster arrive at this block's
        mbarriers: it must not end before."""
        if self.CLUSTER_M * self.CLUSTER_N > 1:
            for _ in al.range(self.full.shape[0]):
                al.nvvm.mbarrier_wait(self.empty[state.stage], state.phase)
                state.advance()


@avelang.jit
def mbarrier_ring(STAGES, CONSUMERS, CLUSTER_M=1, CLUSTER_N=1, PRODUCERS=1, CLUSTER_K=1):
    """Allocates the mbarriers of a ring. One thread then calls `init`."""
    full, empty = al.make_shared((STAGES, 1), al.u64), al.make_shared((STAGES, 1), al.u64)
    return MbarrierRing(full, empty, CONSUMERS, CLUSTER_M, CLUSTER_N, PRODUCERS, CLUSTER_K)


@avelang.jit
def cluster_coord(CLUSTER_M, CLUSTER_N):
    """Row and column of the block in its cluster; ranks go down the rows first."""
    if CLUSTER_M * CLUSTER_N == 1:
        return al.convert(0, al.u32), al.convert(0, al.u32)
    rank = al.nvvm.cluster_rank()
    if CLUSTER_M == 1 or CLUSTER_N == 1:
        return (rank, 0 * rank) if CLUSTER_N == 1 else (0 * rank, rank)
    return rank % CLUSTER_M, rank // CLUSTER_M


@avelang.jit
def cluster_coords(CLUSTER_M, CLUSTER_N, CLUSTER_K):
    """Row, column and part of K of the block in its cluster; ranks go down the rows first, and through the parts of K
    last."""
    if CLUSTER_K == 1:
        m, n = cluster_coord(CLUSTER_M, CLUSTER_N)
        return m, n, al.convert(0, al.u32)
    rank = al.nvvm.cluster_rank()
    return rank % CLUSTER_M, rank // CLUSTER_M % CLUSTER_N, rank // (CLUSTER_M * CLUSTER_N)


@avelang.jit
def cluster_sync(CLUSTER):
    """Barrier of the block, or of a cluster of so many blocks. That one orders no memory: a fence must precede it where
    something is handed over."""
    if CLUSTER > 1:
        al.nvvm.cluster_arrive(RELAXED)
        al.nvvm.cluster_wait()
    else:
        al.syncthreads()


@avelang.jit
def producer_load(ring, state, stages, index, x, row, col, part, PARTS, APART, shift, CACHE=0):
    """Copies a box of a matrix to a stage by TMA: from `row` and `col` of `x` to `stages[index]`, elements in rows of
    128 bytes. Where PARTS blocks of a cluster want the same box, each copies its `part` of it to all of them, by
    multicast to the ranks `shift`, `shift + APART`, ... CACHE: L2 is told 1, to evict it first, or 2, last. `x`: a
    tensor map; or, of three dimensions, one and the number of the matrix; or that, another map of two dimensions, and
    whether that one is to be read."""
    if PARTS == 1:
        own, ranks = al.subview(stages, (index, 0), (1, stages.shape[1]), (1, 1)), None
    else:
        SIZE, COLUMNS = stages.shape[1] // PARTS, 128 // stages.dtype.bytes
        own, row = al.subview(stages, (index, part * SIZE), (1, SIZE), (1, 1)), row + part * (SIZE // COLUMNS)
        ranks = sum([1 << (APART * i) for i in range(PARTS)]) << shift
    load_box(own, x, row, col, ring.full[state.stage], ranks, CACHE)


@avelang.jit
def load_box(to, x, row, col, full, ranks, CACHE):
    """One copy by TMA, to the cluster's `ranks` (a mask; None: to this block). `x`: as of `producer_load`."""
    if isinstance(x, tuple) and len(x) == 4:
        if x[3]:
            copy_box(to, x[2], row, col, full, ranks, CACHE)
        else:
            copy_box(to, (x[0], x[1]), row, col, full, ranks, CACHE)
    else:
        copy_box(to, x, row, col, full, ranks, CACHE)


@avelang.jit
def copy_box(to, x, row, col, full, ranks, CACHE):
    """`load_box` from one tensor map: `x` has two dimensions, or is one of three and the number of the matrix."""
    if isinstance(x, tuple):
        if ranks is None:
            al.nvvm.tma_load_3d(to, x[0], x[1], row, col, full, CACHE)
        else:
            al.nvvm.tma_load_3d_multicast(to, x[0], x[1], row, col, full, ranks, CACHE)
    elif ranks is None:
        al.nvvm.tma_load_2d(to, x, row, col, full, CACHE)
    else:
        al.nvvm.tma_load_2d_multicast(to, x, row, col, full, ranks, CACHE)


@avelang.struct
class CopyRing:
    """Stages that all threads of a block fill and read: by `cp.async` on NVIDIA, by loads straight to LDS on AMD, of
    which a wave makes LOADS for a stage. No mbarriers: a wave waits for its own copies, and a barrier of the block does
    the rest. `stage` is the one to read; `free`, the one before it in the ring, is to be filled.

    | stage | what changes it |
    | --- | --- |
    | free | copies to it begin; STAGES - 1 stages are filled before the loop (`prologue` of the kernel) |
    | filling | `commit`: the copies since the last one are a group |
    | in flight | `wait`: the oldest stage has landed, for all waves |
    | ready | `advance`: it is the free one, behind the barrier of the next `wait` |
    """

    stage: al.u32
    free: al.u32
    STAGES: al.constexpr
    LOADS: al.constexpr = 0

    def commit(self):
        """Ends the group of copies that fill a stage."""
        if al.target().has("sm_80"):
            al.nvvm.cp_async_commit_group()

    def wait(self):
        """Waits until the oldest stage in flight is ready, and everybody is done with the one that was read before: it
        is free now."""
        wait_copies(self.STAGES - 2, self.LOADS)
        al.syncthreads()

    def advance(self):
        """Moves on to the next stage; the one that was read is the free one."""
        self.stage, self.free = al.select(self.stage == self.STAGES - 1, 0, self.stage + 1), self.stage

    def tail(self):
        """Waits for what is still in flight, before registers or shared memory are used for something else."""
        wait_copies(0, self.LOADS)


@avelang.jit
def copy_ring(STAGES, LOADS=0):
    """A ring before its first `wait`."""
    return CopyRing(0, STAGES - 1, STAGES, LOADS)


@avelang.jit
def wait_copies(STAGES, LOADS=0):
    """Waits until all copies to shared memory that this wave has begun have landed, but those to the newest so many
    stages of LOADS loads each."""
    if al.target().has("sm_80"):
        al.nvvm.cp_async_wait_group(STAGES)
    else:
        wait_loads(STAGES * LOADS)


@avelang.jit
def wait_loads(pending):
    """Waits, on AMD, until all of the wave's loads but the newest `pending` are there. Nothing elsewhere."""
    if al.target().vendor == "amd":
        al.amdgpu.s_waitcnt(min(pending, MOST_LOADS), 7, 15)
