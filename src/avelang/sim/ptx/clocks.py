"""What each warp knows of the others: arrivals, waits and atomics come in; whether one access comes before another goes
out. And the shadow of memory, which knows the last accesses to each byte.

Vector clocks. An agent is a warp, or what runs beside it: its cp.async, what its bulk stores read and what they write,
its wgmma; and an mbarrier, which stands for the copies that report to it (the count is the number of the phase). A warp
counts its releases; an access is known to whoever knows of its agent as far as the access's count. Nothing here depends
on who ran first, only on who waited for whom. """

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

WARP, COPIES, READS, WRITES, PRODUCTS = KINDS = range(5)  # the agents of a warp
CTA, CLUSTER, GPU, SYS = range(4)  # scopes
SCOPES = {"cta": CTA, "cluster": CLUSTER, "gpu": GPU, "gl": GPU, "sys": SYS}
MOST = 64  # reads of one byte that are known apart


class VectorClock:
    """The counts up to which an agent knows the others: `own` int64, the agents of its cluster, which are numbered from
    `base` on; `far`: all others. Of those who have come to a barrier also `fences`: what they knew at their last fence,
    by scope; and `seen`: what their relaxed reads have met."""

    __slots__ = ("base", "far", "fences", "own", "seen")

    def __init__(self, base: int, own: np.ndarray, far: dict[int, int]):
        self.base, self.own, self.far = base, own, far
        self.fences: dict[int, VectorClock] = {}
        self.seen: list[Any] = []

    def copy(self) -> VectorClock:
        """A clock that knows the same."""
        return VectorClock(self.base, self.own.copy(), dict(self.far))

    def learn(self, agent: int, count: int) -> None:
        """Knows an agent up to a count."""
        k = agent - self.base
        if 0 <= k < len(self.own):
            self.own[k] = max(self.own[k], count)
        elif self.far.get(agent, 0) < count:
            self.far[agent] = count

    def join(self, other: VectorClock) -> None:
        """Learns all that `other` knows."""
        if other.base == self.base:
            np.maximum(self.own, other.own, out=self.own)
        else:
            for k in np.flatnonzero(other.own).tolist():
                self.learn(other.base + k, int(other.own[k]))
        for agent, count in other.far.items():
            self.learn(agent, count)

    def knows(self, agents: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The accesses that come before what the owner does now, one bool each."""
        k = agents - self.base
        mine = (k >= 0) & (k < len(self.own))
        out = np.zeros(len(agents), bool)
        out[mine] = self.own[k[mine]] >= counts[mine]
        if self.far and not mine.all():
            for j in np.flatnonzero(~mine).tolist():
                out[j] = self.far.get(int(agents[j]), 0) >= counts[j]
        return out


def joined(clock: VectorClock | None, other: VectorClock) -> VectorClock:
    """The first with what the second knows."""
    if clock is None:
        return other.copy()
    clock.join(other)
    return clock


def fenced(a: dict[int, VectorClock], b: dict[int, VectorClock]) -> dict[int, VectorClock]:
    """The knowledge of both at their fences, by scope; the same object where it is one fence's."""
    made: dict[tuple[int, int], VectorClock] = {}
    out = {}
    for scope in {*a, *b}:
        x, y = a.get(scope), b.get(scope)
        if x is None or y is None or x is y:
            out[scope] = x or y
        else:
            key = id(x), id(y)
            if key not in made:
                made[key] = joined(x.copy(), y)
            out[scope] = made[key]
    return out


@dataclasses.dataclass(frozen=True, slots=True)
class WarpAccess:
    """An access: who (`agent`, at `count`), the instruction, the lanes that ran together, whether it is strong (atomic,
    ordered or volatile) and at which scope (`SCOPES`), where: (number of the cluster, block of it), of which warp of
    which block, in words, and of which rank (-1: there is one only)."""

    agent: int
    count: int
    instr: int
    mask: int
    strong: bool
    scope: int
    cluster: int
    rank: int
    warp: int
    block: tuple[int, int, int]
    device: int = -1


@dataclasses.dataclass(frozen=True, slots=True)
class Strong:
    """The effects of a strong access."""

    reads: bool
    writes: bool
    acquires: bool
    releases: bool
    scope: int


class AccessLog:
    """All accesses that shadows name by number, and sets of them. Number 0 is none."""

    def __init__(self) -> None:
        self.all: list[WarpAccess] = [WarpAccess(-1, 0, -1, 0, False, 2, -1, 0, 0, (0, 0, 0))]
        self.agent, self.count = np.zeros(1024, np.int64), np.zeros(1024, np.int64)
        self.agent[0] = -1
        self._numbers: dict[WarpAccess, int] = {}
        self.sets: list[tuple[int, ...]] = [()]
        self._known: dict[tuple[int, ...], int] = {(): 0}
        self._added: dict[tuple[int, int], int] = {}

    def number(self, a: WarpAccess) -> int:
        """The number of an access, a new one if it is new."""
        found = self._numbers.get(a)
        if found is None:
            found = self._numbers[a] = len(self.all)
            self.all.append(a)
            if found >= len(self.agent):
                self.agent, self.count = (np.concatenate([x, np.zeros_like(x)]) for x in (self.agent, self.count))
            self.agent[found], self.count[found] = a.agent, a.count
        return found

    def with_(self, which: int, access: int, clock: VectorClock) -> int:
        """The set that has one more access; those that come before it are left out, since who comes behind it comes
        behind them too."""
        key = which, access
        found = self._added.get(key)
        if found is None:
            old = np.array(self.sets[which], np.int64)
            if len(old):
                gone = clock.knows(self.agent[old], self.count[old]) | (self.agent[old] == self.agent[access])
                if self.all[access].strong:  # who may meet a strong access may not meet a weak one
                    gone &= np.array([self.all[k].strong for k in old.tolist()])
                old = old[~gone]
            kept = old
            members = (*kept[-MOST:].tolist(), access)
            found = self._known.get(members)
            if found is None:
                found = self._known[members] = len(self.sets)
                self.sets.append(members)
            self._added[key] = found
        return found


class Shadow:
    """The last accesses to each byte of a piece of memory: who wrote it, and the sets of those that have read it and of
    atomic writes since."""

    def __init__(self, name: str, nbytes: int):
        self.name, self.size = name, nbytes
        self.wrote, self.read, self.atomic = (np.zeros(nbytes, np.int32) for _ in range(3))

    def add(self, table: AccessLog, which: np.ndarray, at: np.ndarray, by: np.ndarray, clock: VectorClock) -> None:
        """Accesses `by` to the bytes `at` go into the sets `which`, one of this shadow's arrays."""
        if not len(at):
            return
        keys = which[at].astype(np.int64) << 32 | by
        first = int(keys[0])
        if (keys == first).all():
            which[at] = table.with_(first >> 32, first & 0xFFFFFFFF, clock)
            return
        unique, where = np.unique(keys, return_inverse=True)
        new = np.array([table.with_(int(k) >> 32, int(k) & 0xFFFFFFFF, clock) for k in unique], np.int32)
        which[at] = new[where]
