"""What the warps of a block and of a cluster share while they wait for one another: arrivals come in, who may go on
goes out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from avelang.sim.barriers import MBarrierState

if TYPE_CHECKING:
    from avelang.sim.ptx.clocks import VectorClock
    from avelang.sim.ptx.host import HostView
    from avelang.sim.ptx.run import CtaState

KEPT = 64  # generations of a barrier that somebody may still have to learn of
MOST = 16  # barriers of a block (PTX ISA 9.0, 9.7.13.1)


class HostMisuse(Exception):
    """A misuse that only shows while the kernel runs: `why`, and the lane."""

    def __init__(self, why: str, lane: int = 0, hint: str = ""):
        super().__init__(why)
        self.why, self.lane, self.hint = why, lane, hint


class Outside(HostMisuse):
    """An access to memory that the kernel may not touch: `size` bytes at `address`, generic or of global memory.
    `readonly`: it may be read."""

    def __init__(self, address: int, size: int, lane: int, readonly: bool = False):
        super().__init__(f"{size} bytes at {address:#x}", lane)
        self.address, self.size, self.readonly = address & (1 << 64) - 1, size, readonly


@dataclasses.dataclass(slots=True)
class BarrierState:
    """A barrier of a block or cluster: threads that have arrived, and how many are wanted (0: all that live). `votes`
    is what they brought along."""

    arrived: int = 0
    wanted: int = 0
    generation: int = 0
    votes: list[Any] = dataclasses.field(default_factory=list)
    last: list[Any] = dataclasses.field(default_factory=list)
    # in a launch that is watched: what those know who have come; and who came to the generations before
    clock: VectorClock | None = None
    ended: dict[int, VectorClock | None] = dataclasses.field(default_factory=dict)
    instr: int = -1  # with which instruction the last one came

    def arrive(self, count: int, wanted: int, vote: Any = None) -> int:
        """More have come; the generation whose end they wait for."""
        if self.arrived and wanted != self.wanted:
            raise HostMisuse(f"this barrier is used with {wanted or 'all'} threads here, and with "
                f"{self.wanted or 'all'} by those who came before")
        self.wanted, before = wanted, self.generation
        self.arrived += count
        if vote is not None:
            self.votes.append(vote)
        return before

    def check(self, wanted: int) -> None:
        """Opens where enough have come."""
        if self.arrived >= wanted > 0:
            if self.wanted and self.arrived > self.wanted:
                raise HostMisuse(f"{self.arrived} threads have arrived at a barrier for {self.wanted}")
            if self.clock is not None:
                self.ended[self.generation] = self.clock
                self.ended.pop(self.generation - KEPT, None)
            self.arrived, self.generation, self.clock = 0, self.generation + 1, None
            self.last, self.votes = self.votes, []


class Phase(MBarrierState):
    """An mbarrier, and the copies that report to it: each lands and tells its bytes when somebody asks. `seen`: the
    phase in which a thread that has waited here was told so. `uses`: in a launch that is watched, by the number of an
    access to it the phase at whose end that is over for certain."""

    def __init__(self, expected: int):
        super().__init__(expected, expected)
        self.coming: list[Callable[[], None]] = []
        self.seen: dict[tuple[int, int], int] = {}
        # in a launch that is watched: what those know who have arrived; and of the last phase
        self.known: VectorClock | None = None
        self.before: VectorClock | None = None
        self.agent_number = 0
        self.uses: dict[int, int] = {}

    def settle(self) -> None:
        """Ends the phase if nothing is left to wait for."""
        phase = self.phase
        super().settle()
        if self.phase != phase:
            self.before, self.known = self.known, None

    def told(self, thread: tuple[int, int], lane: int) -> HostMisuse | None:
        """A thread's wait is over. What is wrong, where its last one here was for the same phase: the second waits for
        nothing."""
        if self.seen.get(thread) == self.phase:
            return HostMisuse("this thread has waited for this phase of the mbarrier before; "
                              "its bytes or arrivals are not those of another phase", lane,
                              "the parity to wait for changes with each phase: 0, 1, 0, ...")  # fmt: skip
        self.seen[thread] = self.phase
        return None

    def collect(self) -> None:
        """The copies that report here have arrived."""
        coming, self.coming = self.coming, []
        for act in coming:
            act()


class ClusterSync:
    """The barrier of a cluster."""

    def __init__(self, blocks: list[CtaState]):
        self.blocks = blocks
        self.barrier = BarrierState()
        self.tensor_clock: Any = None  # what orders accesses to tensor memory, `tensor_memory.Clock`

    @property
    def live(self) -> int:
        """Warps of the cluster that have not ended."""
        return sum(b.sync.live for b in self.blocks)


class CtaSync:
    """Barriers and mbarriers of one block, and how many of its warps live."""

    def __init__(self, cluster: ClusterSync, block: CtaState):
        self.cluster, self.block = cluster, block
        self.live = block.count
        self.barriers: dict[int, BarrierState] = {}
        self.mbarriers: dict[int, Phase] = {}
        self.tensor: Any = None  # `tensor_memory.TensorMemory` of its SM

    def barrier(self, number: int) -> BarrierState:
        """The barrier of a number. Raises HostMisuse."""
        if not 0 <= number < MOST:
            raise HostMisuse(f"there is no barrier {number}: they are numbered 0 to {MOST - 1}")
        return self.barriers.setdefault(number, BarrierState())

    def open_for_all(self) -> list[BarrierState]:
        """Barriers of all that live, at which some wait now."""
        return [b for b in (*self.barriers.values(), self.cluster.barrier) if not b.wanted and b.arrived]

    def gone(self) -> None:
        """A warp has ended: who waits for all waits for one less."""
        self.live -= 1
        for b in self.barriers.values():
            if not b.wanted:
                b.check(32 * self.live)
        self.cluster.barrier.check(self.cluster.live)


def phase(v: HostView, lane: int, address: int, peers: bool = True) -> Phase:
    """The mbarrier at an address of shared memory; `peers`: it may be another block's. Raises Misuse where there is
    none."""
    block, offset = v.shared(lane, address, peers)
    found = block.sync.mbarriers.get(offset)
    if found is None:
        raise HostMisuse(f"there is no mbarrier at {offset:#x} of shared memory: nothing has initialized one there",
            lane)
    if v.run.watch is not None:
        v.run.watch.used(v.warp, v.i.index, block, offset, found, v.i.parts[1] == "inval")
    return found
