"""Launches of several ranks of one kernel, each in a thread of its own: `Ranked` lets one of them execute at a time,
and `RankedOrdering` follows what orders their accesses to one another's memory, as `ordering.Ordering` does for one
launch.

Ranks take turns where a wave comes to an atomic access, such as a look at a signal. Between two of these a rank is
alone, so that accesses are written down in the order in which they happen. What orders waves of two ranks has the scope
of the system: an atomic operation with sc1, a load or store with sc0 and sc1, `buffer_wbl2` and `buffer_inv` with both
(LLVM, "User Guide for AMDGPU Backend", Memory Model gfx942). Workgroups of rank r are counted from r times those of a
launch on. Launches are taken to come after one another: what one has done is not known in the next.
"""

from __future__ import annotations

import contextlib
import dataclasses
import random
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from avelang.amdgcn.asm import MCInst
from avelang.sim.amdgcn import check_global as g
from avelang.sim.amdgcn import reports
from avelang.sim.amdgcn.ordering import (
    ACCESS,
    BARRIER,
    EVERYWHERE,
    INVALIDATE,
    WRITE_BACK,
    Known,
    Ordering,
    WaveOrder,
    joined,
    pieces_of,
)

if TYPE_CHECKING:
    from avelang.sim.amdgcn.machine import AmdMachine, DispatchParams


def system(i: MCInst) -> bool:
    """True for an atomic access that other GPUs see."""
    return bool(i.int("sc1")) and (i.desc.access == "atomic" or bool(i.int("sc0")))


class Ranked:
    """The launches of `ranks`, one of which executes at a time; `memory`: (first, end) of what they have in common.
    `seed`: of the order in which they take turns. Each thread leaves in any case."""

    def __init__(self, ranks: Sequence[int], memory: Sequence[tuple[int, int]], seed: int):
        self.memory, self.order = list(memory), None
        self._missing, self._here, self._turn = set(ranks), set[int](), -1
        self._random, self._changed = random.Random(seed), threading.Condition()

    @contextlib.contextmanager
    def turns(self, rank: int) -> Iterator[None]:
        """Inside, the rank executes when it is its turn. All have come, or have left, before the first begins."""
        with self._changed:
            self._missing.discard(rank)
            self._here.add(rank)
            if not self._missing:
                self._next()
            self._await(rank)
        try:
            yield
        finally:
            self.leave(rank)

    def leave(self, rank: int) -> None:
        """The rank has ended, or does not come."""
        with self._changed:
            self._missing.discard(rank)
            self._here.discard(rank)
            if not self._missing and (self._turn == rank or self._turn not in self._here):
                self._next()

    def give(self, rank: int) -> None:
        """Lets another rank execute, if one wants to, until it is this one's turn again."""
        with self._changed:
            self._next()
            self._await(rank)

    def _next(self) -> None:
        self._turn = self._random.choice(sorted(self._here)) if self._here else -1
        self._changed.notify_all()

    def _await(self, rank: int) -> None:
        while self._turn != rank:
            self._changed.wait()

    def ordering(
        self, machine: AmdMachine, accum: int, state: Any, launch: DispatchParams, split: bool
    ) -> Ordering | None:  # fmt: skip
        """The order of all ranks' waves, with this one's memory; None for a launch that is another kernel's, or whose
        workgroups cannot be counted so."""
        assert launch.rank is not None
        plane = launch.grid[0] * launch.grid[1]
        with self._changed:
            if launch.grid[2] > 1 or machine.kernel.get("system_sgpr_workgroup_id_z"):
                return None
            if self.order is None:
                self.order = RankedOrdering(self, machine, accum, state, launch, split)
            if self.order.machine is not machine or self.order.plane != plane:
                return None
            self.order.comes(launch.rank, state, launch)
            return self.order


@dataclasses.dataclass(slots=True)
class _Wave(WaveOrder):
    """`far`, `reached`: as `sent` and `seen`, of write-backs that reach other GPUs."""

    far: list[tuple[int, dict[int, int]]] = dataclasses.field(default_factory=list)
    reached: dict[int, int] = dataclasses.field(default_factory=dict)


class RankedOrdering(Ordering):
    """Happens-before among the waves of all ranks."""

    new_wave = _Wave

    def __init__(
        self, ranked: Ranked, machine: AmdMachine, accum: int, state: Any, launch: DispatchParams, split: bool
    ):  # fmt: skip
        common = dataclasses.replace(launch, regions=ranked.memory)
        super().__init__(machine.program, accum, state, common, split, machine.alike)
        self.ranked, self.machine, self.plane = ranked, machine, launch.grid[0] * launch.grid[1]
        self.states: dict[int, Any] = {}
        self.launches: dict[int, DispatchParams] = {}
        self.everywhere: dict[int, Known] = {}  # by place: what releases of the system's scope tell there
        self.updates: dict[int, tuple[int, int, int]] = {}  # by place: who was there last, its number, and by what
        self.access, self.old, self.last = 0, 0, (0, 0, 0)

    def comes(self, rank: int, state: Any, launch: DispatchParams) -> None:
        """A rank begins: `table` becomes its memory's, of which `shadows` of the common memory are the same for all."""
        inside = [(s, e) for s, e, _ in self.shadows]
        own = [(s, e) for s, e in launch.regions if not any(a <= s and e <= b for a, b in inside)]
        shadows = [*self.shadows, *pieces_of(self.fine, own)]
        self.table = np.ascontiguousarray(np.array([(s, e, a.ctypes.data) for s, e, a in shadows], np.uint64))
        self.states[rank], self.launches[rank] = state, launch
        state.shadows = shadows, self.table  # as long as the state

    def rank_of(self, wave: int) -> int:
        """The rank of a wave, by its number."""
        return (wave - 1 >> 4) // self.plane

    def _answer(self, me: int, access: int, place: int, mark: int, word: int, at: int) -> int:
        rank = self.rank_of(me)
        if not mark and word == ACCESS:
            self._turns(rank, me, access, place)
        self.state, self.access, self.old = self.states[rank], access & 0xFFFFFFFF, word >> 32
        return super()._answer(me, access, place, mark, word, at)

    def _turns(self, rank: int, me: int, access: int, place: int) -> None:
        """Once for an instruction, before what it does is written down; again where it is executed again."""
        who = me, access, place
        if who[:2] != self.last[:2] or who == self.last:
            self.ranked.give(rank)
            self.last = who

    def _settle(self, me: int, w: Any) -> None:
        done = self._count((me - 1) % 16, "done")
        for _, what in [s for s in w.far if s[0] <= done]:
            for who, number in what.items():
                w.reached[who] = max(w.reached.get(who, 0), number)
        w.far = [s for s in w.far if s[0] > done]
        super()._settle(me, w)

    def _far(self, me: int, w: Any) -> Known:
        """What waves of other ranks learn from this one now: plain stores as far as a write-back has sent them on."""
        own, out = self.rank_of(me), Known()
        for who, (done, seen) in self._everything(me, w).items():
            out[who] = done, seen if self.rank_of(who) != own else 0
        joined(out, {who: (number, number) for who, number in w.reached.items()})
        return out

    def _happens(self, me: int, access: int, place: int, what: int) -> None:
        w: Any = self._wave(me)
        kind, rank = access >> 32, self.rank_of(me)
        if what == ACCESS:
            self._accessed(me, w, kind, place)
            return
        if what & ~EVERYWHERE == WRITE_BACK and what & EVERYWHERE:
            own = self._count((me - 1) % 16, "issued")
            sent = {who: done for who, (done, _) in w.known.items()}
            w.far.append((own, sent | {**self._mates(me, "limit" if self.split else "seen"), me: own - 1}))
        foreign = {who: known for who, known in w.pending.items() if self.rank_of(who) != rank}
        if what == BARRIER or what & ~EVERYWHERE == INVALIDATE and not what & EVERYWHERE:
            for who in foreign:  # neither a barrier nor what is of one GPU makes that seen
                del w.pending[who]
            super()._happens(me, access, place, what)
            joined(w.pending, foreign)
            return
        super()._happens(me, access, place, what)

    def _accessed(self, me: int, w: Any, kind: int, place: int) -> None:
        """An atomic access, which tells ranks of one another where it has the scope for that."""
        rank, far = self.rank_of(me), system(self.program.instructions[self.access])
        before = self.updates.get(place)
        if before is not None and self.rank_of(before[0]) != rank:
            them, number, other = before
            if not (far and system(self.program.instructions[other])) and w.known.get(them, (0, 0))[0] < number:
                launch = self.launches[rank]
                self.failed = self.failed or reports.scopes(
                    self.machine, self.access, other, place, launch, (rank, self.rank_of(them)))  # fmt: skip
        here = self.places.setdefault((rank, place), {})
        if kind & g.RETURNS:
            joined(w.pending, here)
            joined(w.pending, self.everywhere.get(place, {}) if far else {})
        if kind & g.WRITES:
            joined(here, self._everything(me, w))
            if far:
                joined(self.everywhere.setdefault(place, {}), self._far(me, w))
            self.updates[place] = me, self._count((me - 1) % 16, "issued"), self.access

    def _over(self, me: int, other: int, number: int, kind: int, old_kind: int, old_writes: bool) -> bool:
        if self.rank_of(other) == self.rank_of(me):
            return super()._over(me, other, number, kind, old_kind, old_writes)
        w = self._wave(me)
        done, seen = w.known.get(other, (0, 0))
        if other in w.pending and kind & g.COHERENT and system(self.program.instructions[self.access]):
            a, b = w.pending[other]
            done, seen = max(done, a), max(seen, b)
        coherent = old_kind & g.COHERENT and system(self.program.instructions[self.old])
        return number <= (done if coherent or not old_writes else seen)
