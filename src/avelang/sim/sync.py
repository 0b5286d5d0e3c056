"""How waves wait for one another and for copies: barriers, mbarriers, warpgroups and clusters of blocks; arrivals come in, who may go on goes out.

A wave that waits yields a function that says whether it may go on; the scheduler of `sim.reference` asks it, and finds waves that wait for ever.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator
from typing import Any

from avelang.ir.core import Op
from avelang.sim.memory import Fault

Ready = Callable[[], bool]
Waiting = Generator["Ready | None", None, Any]  # None: the wave gives the others a turn, and may go on

MAX_ARRIVALS = MAX_TX = (1 << 20) - 1  # PTX ISA 9.0, 9.7.13.15.2, "Contents of the mbarrier object"


@dataclasses.dataclass(slots=True)
class Barrier:
    """Arrivals, counted until there are enough; `generation` counts how often there were."""

    arrived: int = 0
    generation: int = 0
    wanted: int = 0
    opened: Callable[[], None] | None = None  # called when it opens

    def arrive(self, count: int, wanted: int) -> int:
        """`count` more have come; the generation that they wait to see the end of."""
        before, self.wanted = self.generation, wanted
        self.arrived += count
        self.check(wanted)
        return before

    def agree(self, wanted: int) -> None:
        """Raises Fault where callers disagree on how many are wanted."""
        if self.arrived and wanted != self.wanted:
            raise Fault("sync", 0, other=f"this barrier is used with {wanted} threads here, and with {self.wanted} by the waves that came before")

    def check(self, wanted: int) -> None:
        """Opens the barrier where enough have come."""
        if self.arrived >= wanted > 0:
            self.arrived = 0
            self.generation += 1
            if self.opened is not None:
                self.opened()


@dataclasses.dataclass(slots=True)
class MBarrier:
    """An mbarrier object: arrivals `pending` of `expected` in the phase that is running, bytes `tx` still to come, and what copies do `later`."""

    expected: int
    pending: int
    tx: int = 0
    phase: int = 0
    later: list[Callable[[], None]] = dataclasses.field(default_factory=list)

    def arrive(self, count: int, lane: int) -> None:
        """Raises Fault where more arrive than the phase expects."""
        if count > self.pending:
            raise Fault("sync", lane, other=f"{count} arrivals on an mbarrier whose phase waits for {self.pending} of {self.expected} more")
        self.pending -= count
        self.settle()

    def expect(self, count: int, lane: int) -> None:
        self.tx += count
        if abs(self.tx) > MAX_TX:
            raise Fault("sync", lane, other=f"the mbarrier's count of bytes to come would be {self.tx}; its limit is {MAX_TX}")
        self.settle()

    def settle(self) -> None:
        """Ends the phase where nothing is left to wait for."""
        if self.pending == 0 and self.tx == 0:
            self.phase += 1
            self.pending = self.expected

    def deliver(self) -> None:
        """The copies that report here have arrived."""
        waiting, self.later = self.later, []
        for act in waiting:
            act()

    def done(self, parity: int) -> bool:
        """Whether the phase of this parity has ended."""
        return self.phase & 1 != parity


class Meeting:
    """The four warps of a warpgroup at an instruction that they execute together."""

    def __init__(self) -> None:
        self.barrier = Barrier()
        self.first: tuple[Op, Any] | None = None

    def come(self, op: Op, key: Any, warps: int, lane: int) -> int:
        """One warp has come with what all of them must agree on. Raises Fault where they do not."""
        if self.barrier.arrived and self.first is not None:
            if self.first[0] is not op:
                raise Fault("sync", lane, other="the four warps of a warpgroup are at different instructions")
            if self.first[1] != key:
                raise Fault("sync", lane, other=f"the warps of a warpgroup disagree: {self.first[1]} and {key}")
        self.first = (op, key)
        return self.barrier.arrive(1, warps)


class Cluster:
    """Blocks that run together: `blocks` by rank, x fastest; `extents` in blocks."""

    def __init__(self, extents: tuple[int, int, int], index: tuple[int, int, int], grid: tuple[int, int, int]):
        self.extents, self.index, self.grid = extents, index, grid
        self.blocks: list[Any] = []
        self.barrier = Barrier()

    @property
    def live(self) -> int:
        """Waves of all blocks that have not finished."""
        return sum(b.sync.live for b in self.blocks)


class Sync:
    """What the waves of one block share: named barriers, mbarriers by address, warpgroups, its cluster and its rank there."""

    def __init__(self, cluster: Cluster, rank: int, waves: int):
        self.cluster, self.rank, self.waves, self.live = cluster, rank, waves, waves
        self.barriers: dict[int, Barrier] = {}
        self.mbarriers: dict[int, MBarrier] = {}
        self.groups: dict[int, Meeting] = {}

    def barrier(self, number: int) -> Barrier:
        return self.barriers.setdefault(number, Barrier())

    def gone(self) -> None:
        """A wave has finished: who waits for the whole block, or the whole cluster, waits for one less."""
        self.live -= 1
        if 0 in self.barriers:
            self.barriers[0].check(self.live)
        self.cluster.barrier.check(self.cluster.live)
