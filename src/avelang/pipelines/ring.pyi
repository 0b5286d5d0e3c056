"""Made by `./dev stubs` from src/avelang/pipelines/ring.py."""

from typing import Any

import avelang
import avelang.language as al

RELAXED: int
OWN: int
MOST_LOADS: int
@avelang.struct
class PipelineState:
    """A position in a ring: a stage, and the parity of the phase of its mbarrier to wait for. Producers begin with
    parity 1, which no mbarrier has to complete, consumers with 0."""
    stage: al.u32
    phase: al.u32
    STAGES: al.constexpr
    def advance(self) -> None:
        """Moves on to the next stage; behind the last one the parity flips."""
    def skip(self, stages: Any) -> None:
        """Moves on by so many stages, which others use."""
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
    full: Any
    empty: Any
    CONSUMERS: al.constexpr
    CLUSTER_M: al.constexpr = ...
    CLUSTER_N: al.constexpr = ...
    PRODUCERS: al.constexpr = ...
    CLUSTER_K: al.constexpr = ...
    def init(self) -> None:
        """Initializes the mbarriers, by one thread. A fence (`fence_mbarrier_init`) and a barrier of the block or
        cluster must follow."""
    def producer(self) -> PipelineState:
        """Returns the state in which a producer begins."""
    def consumer(self) -> PipelineState:
        """Returns the state in which a consumer begins."""
    def acquire(self, state: Any, size: Any = ...) -> None:
        """Waits until the stage is free. `size`: bytes that TMA will copy to it, which counts as the producer's
        arrival; None where `commit` is to follow."""
    def commit(self, state: Any) -> None:
        """Arrives at `full` for a thread of the producer that has stored to the stage. TMA's bytes commit
        themselves."""
    def wait(self, state: Any) -> None:
        """Waits until the stage is full."""
    def release(self, stage: Any, t: Any, ORDERED: Any = ...) -> None:
        """Arrives for one consumer, of which `t` is the thread's number, at `empty` of all blocks that copy to this
        stage. What consumers read by `wgmma` needs no order, so arrivals at other blocks are relaxed: a release there
        is a fence of the whole GPU. ORDERED: the consumer's plain loads of what its own block stored are done before
        its block stores anew."""
    def tail(self, state: Any) -> None:
        """Waits, in the producer, until all stages are free. Other blocks of a cluster arrive at this block's
        mbarriers: it must not end before."""
@avelang.jit
def mbarrier_ring(
    STAGES: Any, CONSUMERS: Any, CLUSTER_M: Any = ..., CLUSTER_N: Any = ..., PRODUCERS: Any = ..., CLUSTER_K: Any = ...
) -> MbarrierRing:
    """Allocates the mbarriers of a ring. One thread then calls `init`."""
@avelang.jit
def cluster_coord(CLUSTER_M: Any, CLUSTER_N: Any) -> Any:
    """Row and column of the block in its cluster; ranks go down the rows first."""
@avelang.jit
def cluster_coords(CLUSTER_M: Any, CLUSTER_N: Any, CLUSTER_K: Any) -> Any:
    """Row, column and part of K of the block in its cluster; ranks go down the rows first, and through the parts of K
    last."""
@avelang.jit
def cluster_sync(CLUSTER: Any) -> None:
    """Barrier of the block, or of a cluster of so many blocks. That one orders no memory: a fence must precede it where
    something is handed over."""
@avelang.jit
def producer_load(
    ring: Any, state: Any, stages: Any, index: Any, x: Any, row: Any, col: Any, part: Any, PARTS: Any, APART: Any, shift: Any, CACHE: Any = ...
) -> None:
    """Copies a box of a matrix to a stage by TMA: from `row` and `col` of `x` to `stages[index]`, elements in rows of
    128 bytes. Where PARTS blocks of a cluster want the same box, each copies its `part` of it to all of them, by
    multicast to the ranks `shift`, `shift + APART`, ... CACHE: L2 is told 1, to evict it first, or 2, last. `x`: a
    tensor map; or, of three dimensions, one and the number of the matrix; or that, another map of two dimensions, and
    whether that one is to be read."""
@avelang.jit
def load_box(to: Any, x: Any, row: Any, col: Any, full: Any, ranks: Any, CACHE: Any) -> None:
    """One copy by TMA, to the cluster's `ranks` (a mask; None: to this block). `x`: as of `producer_load`."""
@avelang.jit
def copy_box(to: Any, x: Any, row: Any, col: Any, full: Any, ranks: Any, CACHE: Any) -> None:
    """`load_box` from one tensor map: `x` has two dimensions, or is one of three and the number of the matrix."""
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
    | ready | `advance`: it is the free one, behind the barrier of the next `wait` |"""
    stage: al.u32
    free: al.u32
    STAGES: al.constexpr
    LOADS: al.constexpr = ...
    def commit(self) -> None:
        """Ends the group of copies that fill a stage."""
    def wait(self) -> None:
        """Waits until the oldest stage in flight is ready, and everybody is done with the one that was read before: it
        is free now."""
    def advance(self) -> None:
        """Moves on to the next stage; the one that was read is the free one."""
    def tail(self) -> None:
        """Waits for what is still in flight, before registers or shared memory are used for something else."""
@avelang.jit
def copy_ring(STAGES: Any, LOADS: Any = ...) -> CopyRing:
    """A ring before its first `wait`."""
@avelang.jit
def wait_copies(STAGES: Any, LOADS: Any = ...) -> None:
    """Waits until all copies to shared memory that this wave has begun have landed, but those to the newest so many
    stages of LOADS loads each."""
@avelang.jit
def wait_loads(pending: Any) -> None:
    """Waits, on AMD, until all of the wave's loads but the newest `pending` are there. Nothing elsewhere."""
