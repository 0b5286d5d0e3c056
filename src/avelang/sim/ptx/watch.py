"""Watches a launch: what warps do at barriers, mbarriers, fences and atomics, and the log of their accesses, come in;
races and the like go out.

Two accesses to one byte race where one of them writes, they are not both strong at a scope that holds both, and neither
comes before the other: PTX ISA 9.0, chapter 8, "Memory consistency model", with whole warps as the threads that are
ordered. Lanes of one warp are ordered as long as they run together; those that went different ways are not until they
meet again. """

from __future__ import annotations

import bisect
import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import avelang.sim.ptx.clocks as clocks
import avelang.sim.ptx.findings as findings
from avelang.sim.ptx.accesses import ShadowMemory
from avelang.sim.ptx.clocks import CLUSTER, GPU, SCOPES, SYS, AccessLog, Shadow, Strong, VectorClock, WarpAccess, joined
from avelang.sim.ptx.state import LANES

if TYPE_CHECKING:
    from avelang.sim.ptx.barriers import BarrierState, Phase
    from avelang.sim.ptx.run import CtaGroup, CtaState, PtxRun, Warp

WARPGROUP = 4  # warps


@dataclasses.dataclass(slots=True, eq=False)
class Release:
    """The knowledge that somebody has made known to those that look at a place: up to which scope, from which cluster
    and block of it, and of which rank. `lanes`: the agent of a warp, and what its lanes knew of one another."""

    scope: int
    cluster: int
    rank: int
    clock: VectorClock
    lanes: dict[int, np.ndarray]
    device: int = -1

    def reaches(self, scope: int, w: WarpWatch) -> bool:
        """True if a warp that acquires at a scope learns of it."""
        least = min(scope, self.scope)
        if self.device != w.device:
            return least == SYS
        return least >= GPU or self.cluster == w.cluster and (least == CLUSTER or self.rank == w.rank)


class LaneOrder:
    """The order of the lanes of a warp: `know[l, m]` is the count up to which lane l comes behind lane m, `last[m]` the
    one at which m last ran."""

    def __init__(self, mask: int):
        self.know, self.last = np.zeros((LANES, LANES), np.int64), np.zeros(LANES, np.int64)
        self.mask, self.count, self.apart = mask, 0, False

    def enter(self, mask: int, count: int) -> None:
        """Other lanes run from here on; their count is `count`."""
        bits = np.arange(LANES)
        before = np.flatnonzero((self.mask >> bits) & 1)
        # The warp may have counted on since these lanes began, at barriers and releases: all up to the count before
        # this one was theirs.
        self.know[np.ix_(before, before)] = count - 1
        self.last[before] = count - 1
        now = np.flatnonzero((mask >> bits) & 1)
        known = self.know[now].max(axis=0)
        self.know[now] = known
        self.mask, self.count = mask, count
        self.apart = bool((known < self.last).any())

    def known(self) -> np.ndarray:
        """Up to which count the lanes that run come behind each lane, themselves too."""
        now = (self.mask >> np.arange(LANES)) & 1 != 0
        return np.where(now, self.count, self.know[now].max(axis=0))

    def learn(self, known: np.ndarray) -> None:
        """The lanes that run come behind others too."""
        now = (self.mask >> np.arange(LANES)) & 1 != 0
        self.know[now] = np.maximum(self.know[now], known)
        self.apart = bool((self.know[now].max(axis=0) < self.last)[~now].any())

    def ordered(self, a: WarpAccess) -> bool:
        """True if an access of this warp comes before what these lanes do now."""
        if a.count >= self.count or a.mask & self.mask == a.mask:
            return True
        now = (self.mask & -self.mask).bit_length() - 1
        return any(a.mask >> m & 1 and self.know[now, m] >= a.count for m in range(LANES))


class WarpWatch:
    """One warp: its agents begin at `agent`; `clock` is what it knows."""

    def __init__(self, warp: Warp, agent: int, clock: VectorClock, cluster: int):
        self.warp, self.agent, self.clock, self.cluster, self.rank = warp, agent, clock, cluster, warp.block.rank
        self.index, self.block, self.device = warp.index, warp.block.index, warp.block.run.device
        self.fences: dict[int, VectorClock] = {}  # by scope: what it knew at its last fence
        self.seen: list[Release] = []  # what relaxed reads have met, for the next fence
        # By word: strong writes of others that it has found there, and those that it has by now acquired.
        self.found: dict[Any, set[int]] = {}
        self.held: dict[Any, set[int]] = {}
        self.begun = [0] * len(clocks.KINDS)  # how much each of its agents has begun
        self.issued: dict[int, VectorClock] = {}  # by kind: what it knew when it began the last of them
        self.lanes = LaneOrder(warp.block.masks[warp.index])
        self.clock.learn(agent, 1)

    @property
    def count(self) -> int:
        """The count of the warp itself."""
        return int(self.clock.own[self.agent - self.clock.base])

    def join(self, r: Release) -> None:
        """It has met what was released."""
        self.clock.join(r.clock)
        if self.agent in r.lanes:
            self.lanes.learn(r.lanes[self.agent])

    def hold(self, found: dict[Any, set[int]]) -> None:
        """Strong writes of others that come before all that it does to these words from here on."""
        for place, numbers in found.items():
            self.held.setdefault(place, set()).update(numbers)

    def step(self) -> None:
        """Accesses from here on are not known to those who have learned of it before."""
        self.clock.own[self.agent - self.clock.base] += 1


class RaceWatch:
    """A launch that is watched."""

    def __init__(self, run: PtxRun):
        self.run, self.table = run, AccessLog()
        self.memory = ShadowMemory(self)
        self.agents, self.clusters = 1, 0
        self.mbarriers: set[int] = set()  # those of the agents that are none of a warp
        self.warps: dict[Warp, WarpWatch] = {}
        self.places: dict[tuple[Any, int], list[Release]] = {}  # what has been released, by the word of memory
        self.executed: set[int] = set()
        self.busy = False  # whether anything but tests of memory happened since somebody looked

    # -- clusters ------------------------------------------------------------------------------------------------------

    def begin(self, group: CtaGroup) -> None:
        """The warps of a cluster start: they know nothing of those before."""
        n = len(group.warps) * len(clocks.KINDS)
        for k, w in enumerate(group.warps):
            clock = VectorClock(self.agents, np.zeros(n, np.int64), {})
            self.warps[w] = WarpWatch(w, self.agents + k * len(clocks.KINDS), clock, self.clusters)
        self.agents, self.clusters = self.agents + n, self.clusters + 1
        self.memory.begin(group)

    def finish(self, group: CtaGroup) -> None:
        """The blocks of a cluster have ended: what others did in the shared memory of one, and what its bulk stores
        read there, was over before."""
        for b in group.blocks:
            known = self.warps[b.warps[0]].clock.copy()
            for w in b.warps[1:]:
                known.join(self.warps[w].clock)
            self.memory.outlives(b, known, {self.warps[w].agent + clocks.READS for w in b.warps})

    def agent(self) -> int:
        """A number for one more mbarrier."""
        self.agents += 1
        self.mbarriers.add(self.agents - 1)
        return self.agents - 1

    # -- barriers ------------------------------------------------------------------------------------------------------

    def arrive(self, warp: Warp, barrier: BarrierState, relaxed: bool = False) -> None:
        """The accesses of a warp are known to those whom the barrier lets go on; what its fences stand behind they may
        hand on by relaxed atomics, and what its relaxed reads have met they know behind a fence."""
        w = self.warps[warp]
        barrier.clock = joined(barrier.clock, self.relaxed(w) if relaxed else w.clock)
        if not relaxed:
            barrier.clock.fences = clocks.fenced(barrier.clock.fences, w.fences)
            barrier.clock.seen += [r for r in w.seen if not any(r is x for x in barrier.clock.seen)]
        w.step()

    def relaxed(self, w: WarpWatch) -> VectorClock:
        """The knowledge that a relaxed arrival hands on: of the last fence, and which copies and products the warp
        knows to be over. They wait in no buffer of the warp, so that no release has to bring them out: Hopper's GEMMs
        give back a stage in this way, since a release at cluster scope is a fence of the whole GPU. The warp's own
        loads and stores, and its cp.async, are not handed on."""
        clock, fence = w.clock, w.fences.get(CLUSTER)
        own = np.zeros_like(clock.own)
        for kind in (clocks.READS, clocks.PRODUCTS):
            own[kind :: len(clocks.KINDS)] = clock.own[kind :: len(clocks.KINDS)]
        over = VectorClock(clock.base, own, {a: n for a, n in clock.far.items() if a in self.mbarriers})
        return over if fence is None else joined(over, fence)

    def leave(self, warp: Warp, barrier: BarrierState, generation: int) -> None:
        """A warp goes on behind a barrier."""
        known = barrier.ended.get(generation)
        if known is not None:
            w = self.warps[warp]
            w.clock.join(known)
            w.fences = clocks.fenced(w.fences, known.fences)
            w.seen += [r for r in known.seen if not any(r is x for x in w.seen)]

    def gone(self, warp: Warp) -> None:
        """A warp has ended: barriers that wait for all open without it."""
        for b in warp.block.sync.open_for_all():
            b.clock = joined(b.clock, self.warps[warp].clock)
            if b.instr >= 0 and self._passed(warp, b.instr, -1):
                findings.barrier(self.run, warp, b.instr, "the warp has run past it and ended")

    def all_come(self, warp: Warp, instr: int) -> None:
        """A warp comes to a barrier for all of the block: X042 where lanes have passed it by."""
        for other in warp.block.warps:
            away = warp.block.masks[other.index] & ~other.get("live")
            if away and self._passed(other, instr, away):
                findings.barrier(self.run, other, instr, f"lanes {away:#010x} have run past it and ended")

    def _passed(self, warp: Warp, instr: int, lanes: int) -> bool:
        """Whether lanes have accessed memory behind a barrier: where code that has come from it runs, but none that
        comes to it. (Who returns early goes another way.)"""
        behind = self.behind(instr)
        return bool((self.memory.touched[warp][behind] & np.uint32(lanes & 0xFFFFFFFF)).any())

    @functools.cache  # noqa: B019 (it lives as long as the launch)
    def behind(self, instr: int) -> np.ndarray:
        """The instructions to which a way leads from one, and none back."""
        said = self.run.made.said
        first = bisect.bisect_right(said.starts, instr) - 1

        def reached(ways: Sequence[Sequence[int]]) -> set[int]:
            found: set[int] = set()
            work = list(ways[first])
            while work:
                k = work.pop()
                if k not in found:
                    found.add(k)
                    work += ways[k]
            return found

        back: list[list[int]] = [[] for _ in said.ways]
        for k, to in enumerate(said.ways):
            for b in to:
                back[b].append(k)
        ends = [*said.starts[1:], len(self.run.program.code.instructions)]
        out = np.zeros(len(self.run.program.code.instructions), bool)
        for k in reached(said.ways) - reached(back) - {first}:
            out[said.starts[k] : ends[k]] = True
        return out

    # -- mbarriers -----------------------------------------------------------------------------------------------------

    def used(self, warp: Warp, instr: int, block: CtaState, offset: int, p: Phase, removed: bool) -> None:
        """An instruction uses an mbarrier, or removes it."""
        number = self.memory.object_(warp, instr, block, offset, removed)
        p.agent_number = p.agent_number or self.agent()
        p.uses[number] = p.phase + 1

    def arrive_phase(self, warp: Warp, p: Phase, relaxed: bool) -> None:
        """The accesses of a warp are known to those that wait for the phase of an mbarrier."""
        w = self.warps[warp]
        p.known = joined(p.known, self.relaxed(w) if relaxed else w.clock)
        w.step()

    def told(self, warp: Warp, p: Phase) -> None:
        """A wait for a phase is over: its arrivals and copies are known."""
        clock = self.warps[warp].clock
        w = self.warps[warp]
        if w.lanes.apart:
            w.lanes.learn(w.lanes.last)
        if p.before is not None:
            clock.join(p.before)
        if p.agent_number:
            clock.learn(p.agent_number, p.phase)

    # -- what runs beside warps ----------------------------------------------------------------------------------------

    def flight(self, warp: Warp, instr: int, kind: int, p: Phase | None = None, reads: Any = None, writes: Any = None,
            atomic: bool = False) -> int:
        """A copy or product begins. `reads` and `writes`: (the block whose shared memory it is, or None, bytes or
        addresses), of which the agent `kind` of the warp, or that of the mbarrier `p`, does the one or the other. Its
        number among those that this agent has begun."""
        w = self.warps[warp]
        if p is not None:
            p.agent_number = p.agent_number or self.agent()
            agents, count = (p.agent_number, p.agent_number), p.phase + 1
        else:
            w.begun[kind] += 1
            count = w.begun[kind]
            agents = (w.agent + kind, w.agent + (clocks.WRITES if kind == clocks.READS else kind))
            w.issued[kind] = w.clock.copy()
        for k, (what, agent) in enumerate(zip((reads, writes), agents, strict=True)):
            if what is not None:
                self.memory.flight(w, instr, agent, count, what, writes=bool(k), atomic=atomic)
        self.executed.add(instr)
        return count

    def cells(self, shadow: Shadow, warp: Warp, instr: int, at: np.ndarray, writes: bool, product: bool) -> None:
        """A warp, or a product that it begins, accesses cells of tensor memory. What one warp asks the tensor core for
        is done in order."""
        w, clock = self.warps[warp], self.warps[warp].clock
        agent, count = w.agent, w.count
        if product:
            w.begun[clocks.PRODUCTS] += 1
            agent, count = w.agent + clocks.PRODUCTS, w.begun[clocks.PRODUCTS]
            w.issued[clocks.PRODUCTS] = clock.copy()
            clock = clock.copy()
            clock.learn(agent, count)
        self.memory.access(w, shadow, instr, agent, count, at, writes, clock)

    def state(self, warp: Warp, kind: int) -> tuple[int, VectorClock | None]:
        """The number that a warp's agent has begun, and what the warp knew before the last."""
        w = self.warps[warp]
        return w.begun[kind], w.issued.get(kind)

    def landed(self, warp: Warp, kind: int, first_open: int | None) -> None:
        """All that an agent of the warp has begun before number `first_open` (None: all) is done, and the warp
        knows."""
        whose = self.warps[warp if kind != clocks.PRODUCTS else warp.block.warps[warp.index // WARPGROUP * WARPGROUP]]
        begun = whose.begun[clocks.READS if kind == clocks.WRITES else kind]
        self.warps[warp].clock.learn(whose.agent + kind, begun if first_open is None else first_open - 1)

    def copied(self, warp: Warp, p: Phase, begun: int, before: VectorClock | None,
            kind: int = clocks.COPIES) -> None:  # fmt: skip
        """The cp.async (or products) that a thread had begun are there, and an mbarrier is told so. Who waits there
        knows what came before the last of them (`before`, of `WarpWatch.issued`): the copies for which the thread had
        waited, whose data a product has read; and nothing of what the thread did itself."""
        w = self.warps[warp]
        known = VectorClock(w.clock.base, np.zeros_like(w.clock.own), {}) if before is None else before.copy()
        known.own[w.agent - known.base] = 0
        known.learn(w.agent + kind, begun)
        p.known = joined(p.known, known)

    # -- fences and atomics --------------------------------------------------------------------------------------------

    def fence(self, w: WarpWatch, parts: tuple[str, ...]) -> None:
        """membar and fence."""
        if "proxy" in parts:
            return
        scope = max([SCOPES[x] for x in parts if x in SCOPES], default=GPU)
        if "release" not in parts or "mbarrier_init" in parts:
            for r in w.seen:
                if r.reaches(scope, w):
                    w.join(r)
            w.seen = []
            if scope >= GPU:
                w.hold(w.found)
                w.found = {}
        if "acquire" not in parts:
            w.fences |= dict.fromkeys(range(scope + 1), w.clock.copy())
            w.step()

    def meet(self, w: WarpWatch, places: list[tuple[Any, int]], how: Strong) -> None:
        """A strong access to these words of memory: it learns what was released there, and releases."""
        if how.reads:
            met = [r for p in places for r in self.places.get(p, ())]
            if how.acquires:
                for r in met:
                    if r.reaches(how.scope, w):
                        w.join(r)
            else:
                w.seen += [r for r in met if not any(r is x for x in w.seen)]
        if not how.writes:
            return
        known = {id(c): (min(s, how.scope), c) for s, c in w.fences.items()}  # of one fence, the widest scope
        known = {0: (how.scope, w.clock)} if how.releases else known
        for p in places:
            there = self.places.get(p, []) if how.reads else []
            for scope, clock in known.values():
                same = next((r for r in there if (r.scope, r.cluster, r.rank) == (scope, w.cluster, w.rank)), None)
                there = [r for r in there if r is not same]  # those that have met it know nothing of what comes now
                lanes = {**(same.lanes if same else {}), **({w.agent: w.lanes.known()} if w.lanes.apart else {})}
                there.append(Release(scope, w.cluster, w.rank, joined(same.clock.copy() if same else None, clock),
                    lanes, w.device))
            self.places[p] = there
        w.step()
