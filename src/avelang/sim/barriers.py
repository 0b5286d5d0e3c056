"""How waves wait for one another and for copies: barriers, mbarriers, warpgroups and clusters of blocks; arrivals come
in, who may go on goes out.

A wave that waits yields a function that says whether it may go on; the scheduler of `sim.reference` asks it, and finds
waves that wait for ever. Barriers hand on what those who arrive know (`sim.clocks`) to those who wait."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator
from typing import Any

from avelang.ir.core import Op
from avelang.sim.address_space import AccessFault
from avelang.sim.async_copies import RunningCopy
from avelang.sim.clocks import Clocks, VectorClock

Ready = Callable[[], bool]
Waiting = Generator["Ready | None", None, Any]  # None: the wave gives the others a turn, and may go on

MAX_ARRIVALS = MAX_TX = (1 << 20) - 1  # PTX ISA 9.0, 9.7.13.15.2, "Contents of the mbarrier object"


@dataclasses.dataclass(slots=True)
class BarrierState:
    """Arrivals, counted until there are enough; `generation` counts how often there were. `clock`: what those know who
    have come so far; `came`: the waves that have, each with its clock's count (0 without clocks), `last`: those of the
    generation before; `votes`: the sum of what they brought along, `voted`: that of the generation before."""

    arrived: int = 0
    generation: int = 0
    wanted: int = 0
    clock: VectorClock = dataclasses.field(default_factory=VectorClock)
    came: dict[int, int] = dataclasses.field(default_factory=dict)
    last: dict[int, int] = dataclasses.field(default_factory=dict)
    votes: int = 0
    voted: int = 0

    def arrive(self, count: int, wanted: int) -> int:
        """`count` more have come; the generation that they wait to see the end of."""
        before, self.wanted = self.generation, wanted
        self.arrived += count
        self.check(wanted)
        return before

    def agree(self, wanted: int) -> None:
        """Raises AccessFault where callers disagree on how many are wanted."""
        if self.arrived and wanted != self.wanted:
            raise AccessFault(
                "sync",
                0,
                other=f"this barrier is used with {wanted} threads here, and with {self.wanted} by the waves that "
                      f"came before",
            )

    def check(self, wanted: int) -> None:
        """Opens the barrier where enough have come."""
        if self.arrived >= wanted > 0:
            self.arrived = 0
            self.generation += 1
            self.clock = VectorClock()  # those who wait hold the one before
            self.last, self.came = self.came, {}
            self.voted, self.votes = self.votes, 0

    def too_soon(self, wave: int, clock: VectorClock | None) -> int | None:
        """A wave that `wave` has to wait for before it may come here: its own earlier arrival is not counted yet, or
        nothing says that the other one has come to the generation before (then this arrival may be counted in that
        one)."""
        if wave in self.came:
            return wave
        if clock is None:
            return None
        return next(
            (w for w, count in self.last.items() if w != wave and (w >= len(clock.ran) or clock.ran[w] < count)), None
        )


@dataclasses.dataclass(slots=True)
class MBarrierState:
    """An mbarrier object: arrivals `pending` of `expected` in the phase that is running, bytes `tx` still to come, and
    what copies do `later`, each with the phase in which it was begun. `made`: number of the access that made it;
    `agent`: its number among those whose clocks count; `clock`: what those know who have arrived, `ended`: those of
    phases that have ended."""

    expected: int
    pending: int
    tx: int = 0
    phase: int = 0
    later: list[tuple[int, Op | None, Callable[[], None]]] = dataclasses.field(default_factory=list)
    made: int = 0
    agent: int = 0
    clock: VectorClock = dataclasses.field(default_factory=VectorClock)
    ended: VectorClock = dataclasses.field(default_factory=VectorClock)

    def arrive(self, count: int, lane: int) -> None:
        """Raises AccessFault where more arrive than the phase expects."""
        if count > self.pending:
            raise AccessFault(
                "sync",
                lane,
                other=f"{count} arrivals on an mbarrier whose phase waits for {self.pending} of {self.expected} more",
            )
        self.pending -= count
        self.settle()

    def expect(self, count: int, lane: int) -> None:
        """`count` more bytes belong to the running phase. Raises AccessFault beyond the limit."""
        self.tx += count
        if abs(self.tx) > MAX_TX:
            raise AccessFault("sync", lane,
                              other=f"the mbarrier's count of bytes to come would be {self.tx}; its limit is {MAX_TX}")
        self.settle()

    def settle(self) -> None:
        """Ends the phase where nothing is left to wait for."""
        if self.pending == 0 and self.tx == 0:
            self.phase += 1
            self.pending = self.expected
            if self.agent:
                self.clock.learn(self.agent, self.phase + 1)
                self.ended = self.clock.copy()

    def deliver(self) -> None:
        """The copies that report here have arrived. Raises AccessFault where the phase in which one was begun ends
        without it."""
        waiting, self.later = self.later, []
        for phase, op, act in waiting:
            if op is not None and phase != self.phase:
                raise AccessFault(
                    "sync",
                    0,
                    other=SyncMisuse(
                        "an mbarrier's phase has ended before the bytes of {op} came: fewer were expected", op
                    ),
                )
            act()

    def done(self, parity: int) -> bool:
        """True where the phase of this parity has ended."""
        return self.phase & 1 != parity

    def __str__(self) -> str:
        left = f"{self.pending} of {self.expected} arrivals" if self.pending else "no more arrivals"
        more = f"{self.tx} bytes" if self.tx >= 0 else f"for {-self.tx} bytes to be expected that have come already"
        return f"phase {self.phase} waits for {left}{f' and {more}' if self.tx else ''}"


@dataclasses.dataclass(frozen=True, slots=True)
class SyncMisuse:
    """A misuse of a barrier: words in which {op} stands for another op, and a hint."""

    why: str
    op: Op | None
    hint: str = ""


class WatchedMBarrier:
    """An mbarrier in the hands of a wave: its arrivals tell what the wave has done, its waits hear what others have.
    `arrived` is called at an arrival."""

    def __init__(self, bar: MBarrierState, clocks: Clocks | None, wave: int, arrived: Callable[[], None] | None = None):
        self.bar, self.clocks, self.wave, self.arrived = bar, clocks, wave, arrived

    @property
    def elsewhere(self) -> bool:
        """True where another block has it."""
        return self.arrived is not None

    def arrive(self, count: int, lane: int, relaxed: bool = False) -> None:
        """`count` arrivals, which release what the wave has done unless `relaxed`."""
        if self.arrived is not None:
            self.arrived()
        if self.clocks is not None:
            self.clocks.release(self.wave, self.bar.clock, relaxed=relaxed)
        self.bar.arrive(count, lane)

    def expect(self, count: int, lane: int) -> None:
        """`count` more bytes belong to the running phase."""
        self.bar.expect(count, lane)

    def receive(self, flight: RunningCopy, count: int, lane: int) -> None:
        """`count` bytes of the running phase arrive with a copy."""
        bar = self.bar
        if flight.fetched is not None:
            flight.fetched(bar.agent, bar.phase + 2)

        def arrive() -> None:
            flight.land(by=(bar.agent, bar.phase + 2))
            bar.expect(-count, lane)

        bar.later.append((bar.phase, flight.op, arrive))

    def follow(self, copies: list[tuple[RunningCopy, Any]], lane: int, extra: bool) -> None:
        """One arrival when these copies have landed; `extra`: an arrival that the phase did not expect."""
        bar, clocks = self.bar, self.clocks
        told = VectorClock()
        if clocks is not None:
            clocks.release(self.wave, told)
        bar.pending += extra

        def arrive() -> None:
            for flight, rows in copies:
                flight.land(rows, by=(bar.agent, bar.phase + 2))
                if flight.reader is not None:  # who waits here comes after what the operation has read
                    bar.clock.learn(*flight.reader)
            bar.clock.join(told)
            bar.arrive(1, lane)

        bar.later.append((bar.phase, None, arrive))

    def deliver(self) -> None:
        """The copies that report here arrive."""
        self.bar.deliver()

    def done(self, parity: int) -> bool:
        """True where the phase of that parity has ended; the wave comes after it then."""
        over = self.bar.done(parity)
        if over and self.clocks is not None:
            self.clocks.of[self.wave].join(self.bar.ended)
        return over


class WarpgroupSync:
    """The four warps of a warpgroup at an instruction that they execute together."""

    def __init__(self) -> None:
        self.barrier = BarrierState()
        self.first: tuple[Op, Any] | None = None
        self.shared: dict[str, Any] = {}  # of those who meet now
        self.agent = 0  # of what the warpgroup lets run beside it, among those whose clocks count,
        self.begun = 0  # and how many of them

    def come(self, op: Op, key: Any, warps: int, lane: int) -> tuple[int, dict[str, Any]]:
        """One warp has come with what all of them must agree on: the generation, and what they share. Raises
        AccessFault where they do not."""
        if self.barrier.arrived and self.first is not None:
            if self.first[0] is not op:
                raise AccessFault("sync", lane, other="the four warps of a warpgroup are at different instructions")
            if self.first[1] != key:
                raise AccessFault("sync", lane, other=f"the warps of a warpgroup disagree: {self.first[1]} and {key}")
        self.first = (op, key)
        if not self.barrier.arrived:
            self.shared = {}
        return self.barrier.arrive(1, warps), self.shared


class ClusterState:
    """Blocks that run together: `blocks` by rank, x fastest; `extents` in blocks."""

    def __init__(self, extents: tuple[int, int, int], index: tuple[int, int, int], grid: tuple[int, int, int]):
        self.extents, self.index, self.grid = extents, index, grid
        self.blocks: list[Any] = []
        self.barrier = BarrierState()
        # by space, rank and address: what those know who wrote there by atomics that order
        self.words: dict[tuple[str, int, int], VectorClock] = {}

    @property
    def live(self) -> int:
        """Waves of all blocks that have not finished."""
        return sum(b.sync.live for b in self.blocks)


class BlockSync:
    """Synchronization that the waves of one block share: named barriers, mbarriers by address, warpgroups, its cluster
    and its rank there."""

    def __init__(self, cluster: ClusterState, rank: int, waves: int):
        self.cluster, self.rank, self.waves, self.live = cluster, rank, waves, waves
        self.barriers: dict[int, BarrierState] = {}
        self.mbarriers: dict[int, MBarrierState] = {}
        self.groups: dict[int, WarpgroupSync] = {}

    def barrier(self, number: int) -> BarrierState:
        """The named barrier of that number."""
        return self.barriers.setdefault(number, BarrierState())

    def gone(self, clocks: Clocks | None, wave: int) -> None:
        """A wave has finished: who waits for the whole block, or the whole cluster, waits for one less, and comes after
        it."""
        self.live -= 1
        if clocks is not None:
            for barrier in (self.barrier(0), self.cluster.barrier):
                clocks.release(wave, barrier.clock)
        if 0 in self.barriers:
            self.barriers[0].check(self.live)
        self.cluster.barrier.check(self.cluster.live)
