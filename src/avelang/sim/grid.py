"""Races in global memory, and what waves tell one another by atomics: accesses of all blocks of a launch come in; an
`AccessFault` goes out where two touch a byte, one of them writes, not both are atomic, and neither comes before the
other.

Blocks are executed one after another, and that orders nothing: what a wave knows of other clusters has come by atomics
that release and acquire, or by relaxed ones with a fence on either side, at a scope that holds both. What one block's
waves, or one cluster's, know of one another is in `sim.clocks`. Lanes of one wave go in step: what they race about is
in `sim.write_conflicts`."""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from avelang.ir.core import Op
from avelang.isa.wave_protocol import AGENT, ASYNC_PROXY, SYSTEM, orders, relaxed_hears, scope
from avelang.sim.address_space import AccessFault, AddressSpace, Mask
from avelang.sim.clocks import Clocks, Views, learned
from avelang.sim.lane_order import LaneOrder

Dim3 = tuple[int, int, int]


@dataclasses.dataclass(frozen=True, slots=True)
class Who:
    """A wave among all of a launch: its cluster's clocks, its number there, its block and its number in the block; and
    the rank, where there are several."""

    clocks: Clocks
    number: int
    block: Dim3
    wave: int
    rank: int = 0

    def within(self, scope: int) -> tuple[Audience, ...]:
        """Those among whom an access of a scope is atomic: its block, the GPU, all GPUs."""
        return ((self.rank, self.block), self.rank, None)[: scope + 1]


Audience = tuple[int, Dim3] | int | None  # a block of a rank, a rank, or all
Place = tuple[str, tuple[int, Dim3] | None, int]  # of a word: its space, of shared memory the block, and its address


class Word:
    """Clocks of the waves that have written a word by atomics that order, by whom they told; and `history`: of the
    newest writes what the word held then, and who had told what up to there."""

    def __init__(self) -> None:
        self.known: dict[Audience, Views] = {}
        self.history: list[tuple[int, dict[Audience, Views]]] = []

    def told(self, whom: Audience, views: Views) -> None:
        """An atomic write tells them these views."""
        learned(self.known.setdefault(whom, {}), views)

    def wrote(self, value: int) -> None:
        """The word holds this value now, and what was told is told."""
        self.history.append((value, {whom: dict(views) for whom, views in self.known.items()}))
        del self.history[:-KEPT]

    def until(self, epoch: int) -> dict[Audience, Views]:
        """The views of those who had told when the word first was at least `epoch`: all that who waits for that may
        count on, whatever was there when it looked."""
        return next((known for value, known in self.history if (value - epoch) & 0xFFFFFFFF < 1 << 31), {})

    def heard(self, who: Who, scope: int, epoch: int | None) -> Iterator[tuple[Audience, Views]]:
        """The views that an atomic read comes after, and among whom they were told; of a wait for `epoch` (None: none)
        those that it must have."""
        known = self.known if epoch is None else self.until(epoch)
        for key in who.within(scope):
            if key in known:
                yield key, known[key]


KEPT = 256  # writes of a word whose values are known


def ordered(words: dict[Place, Word], who: Who, op: Op, places: list[Place], write: bool,
            values: Sequence[int | None]) -> None:  # fmt: skip
    """An atomic access of words: it hands on what the wave knows, or hears of what others did; relaxed, as far as
    fences stand behind and before. `values`, by word: what it holds after a write; the epoch that a read waits for, or
    None."""
    acquires, releases = orders(op.name, op.attrs)
    wide, clocks = scope(op.name, op.attrs), who.clocks
    own = clocks.of[who.number]
    for place, value in zip(places, values, strict=True):
        word = words.get(place)
        if write:
            for whom in who.within(wide):
                views = clocks.view(who.number) if releases else own.told_far if whom is None else own.told
                if views:
                    words.setdefault(place, Word()).told(whom, views)
            if place in words and value is not None:
                words[place].wrote(value)
        elif word is not None:
            for whom, views in word.heard(who, wide, value):
                if acquires or relaxed_hears(op.name):
                    clocks.hear(who.number, views)
                else:
                    learned(own.heard_far if whom is None else own.heard, views)
    if write and releases:
        clocks.passed(who.number)


@dataclasses.dataclass(frozen=True, slots=True)
class _GlobalAccess:
    """One access that the shadows name by number. `scope`: of an atomic one."""

    cluster: int
    agent: int
    count: int
    op: Op
    block: Dim3
    wave: int
    rank: int = 0
    scope: int = SYSTEM


class Grid:
    """The last writer of each byte of global memory, and its readers and atomic writers since. Sets of accesses are
    kept by number."""

    def __init__(self, space: AddressSpace, several: bool = False):
        self.space, self.several = space, several
        sizes = [a.size for a in space.allocs]
        self.bases = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.writer, self.reads, self.atomics, self.loads = (np.zeros(int(self.bases[-1]), np.int32) for _ in range(4))
        self.accesses: list[_GlobalAccess | None] = [None]
        self.lanes = LaneOrder(int(self.bases[-1]))
        self.words: dict[Place, Word] = {}
        self.proxies: dict[tuple[int, int], int] = {}  # by wave of a cluster: its count at its last proxy fence
        self.narrow = False  # whether there was an atomic that not all ranks take part in
        self._numbers: dict[_GlobalAccess, int] = {}
        self._sets: list[tuple[int, ...]] = [()]
        self._ids: dict[tuple[int, ...], int] = {(): 0}
        self._grown: dict[tuple[int, int], int] = {}

    # -- what waves do themselves ---

    def read(self, who: Who, op: Op, address: np.ndarray, size: int, mask: Mask) -> None:
        """A wave has read `size` bytes at each active address. Raises AccessFault."""
        at = self._flat(address, size, mask)
        self._apart(who, op, (self.writer,), (self.atomics,), at, address, size, mask)
        self._of_lanes(who, op, at, address, size, mask, self.lanes.read)
        self._add(who, self.reads, at, self._mine(who, op))

    def write(self, who: Who, op: Op, address: np.ndarray, size: int, mask: Mask) -> None:
        """A wave has written them. Raises AccessFault."""
        at = self._flat(address, size, mask)
        self._apart(who, op, (self.writer,), (self.reads, self.loads, self.atomics), at, address, size, mask)
        self._of_lanes(who, op, at, address, size, mask, self.lanes.wrote)
        self._written(at, self._mine(who, op))

    def atomic(self, who: Who, op: Op, address: np.ndarray, size: int, mask: Mask, write: bool) -> None:
        """A wave has read them, or written them, by atomics. Raises AccessFault."""
        at = self._flat(address, size, mask)
        wide = scope(op.name, op.attrs)
        self.narrow |= wide < (SYSTEM if self.several else AGENT)
        self._apart(who, op, (self.writer,), (self.reads,) if write else (), at, address, size, mask)
        if self.narrow:
            self._apart(who, op, (), (self.atomics,), at, address, size, mask,
                        lambda a: self._too_narrow(a, who, min(a.scope, wide)))
        self._add(who, self.atomics if write else self.loads, at, self._mine(who, op, wide))

    @staticmethod
    def _too_narrow(a: _GlobalAccess, who: Who, scope: int) -> bool:
        """Whether two atomic accesses of this scope are none for one another."""
        return scope < (SYSTEM if a.rank != who.rank else AGENT if a.block != who.block else 0)

    # -- what runs beside them ---

    def fetched(self, who: Who, op: Op, at: np.ndarray) -> Callable[[int, int], None]:
        """A wave begins copies that read bytes `at` (n,). Gives what notes who has read them, at which of its counts.
        Raises AccessFault."""
        whole = Mask(np.ones(len(at), bool))
        flat = self._flat(at, 1, whole)
        self._apart(who, op, (self.writer,), (self.atomics,), flat, at, 1, whole)
        if self.several:
            self._fenced(who, flat, at, whole)
        return lambda agent, count: self._add(who, self.reads, flat, self._number(who, op, agent, count))

    def _fenced(self, who: Who, flat: np.ndarray, at: np.ndarray, whole: Mask) -> None:
        """Raises AccessFault where a copy reads what another rank's ordinary code has written, and no proxy fence
        stands between: neither the writer's, behind the write, nor the reader's, behind its wait."""
        seen = self.writer[flat]
        for i in np.unique(seen).tolist():
            a = self.accesses[i]
            if a is None or a.rank == who.rank or a.op.name.startswith(ASYNC_PROXY):
                continue
            if a.count > self.proxies.get((a.cluster, a.agent), -1) and not who.clocks.fenced_off(
                who.number, a.cluster, a.agent, a.count
            ):
                fault = self._fault(int((seen == i).argmax()), a, at, 1, whole)
                fault.kind = "proxy"
                raise fault

    def begun(self, who: Who, op: Op, at: np.ndarray, agent: int, count: int, add: bool) -> None:
        """A wave begins copies that write bytes `at` (n,), or add to them; `agent` says when they have. Raises
        AccessFault."""
        whole = Mask(np.ones(len(at), bool))
        flat = self._flat(at, 1, whole)
        number = self._number(who, op, agent, count)
        self._apart(who, op, (self.writer,), (self.reads,) if add else (self.reads, self.loads, self.atomics), flat,
                    at, 1, whole)
        if add:
            self._add(who, self.atomics, flat, number)
        else:
            self._written(flat, number)

    # -- shadows ---

    def _flat(self, address: np.ndarray, size: int, mask: Mask) -> np.ndarray:
        """int64 (n,): where the shadows have the bytes of active lanes, lane by lane."""
        some = address if mask.full else address[mask.active]
        low, high = int(some.min()), int(some.max()) + size
        at = (some[..., None] + np.arange(size)).reshape(-1)
        first = bisect.bisect_right(self.space.starts, low) - 1
        if high <= self.space.ends[first]:
            return at + (int(self.bases[first]) - self.space.starts[first])
        which = np.searchsorted(self.space.starts, at, side="right") - 1
        return at - np.array(self.space.starts)[which] + self.bases[which]

    def _number(self, who: Who, op: Op, agent: int, count: int, scope: int = SYSTEM) -> int:
        access = _GlobalAccess(who.clocks.cluster, agent, count, op, who.block, who.wave, who.rank, scope)
        number = self._numbers.get(access)
        if number is None:
            number = self._numbers[access] = len(self.accesses)
            self.accesses.append(access)
        return number

    def _mine(self, who: Who, op: Op, scope: int = SYSTEM) -> int:
        return self._number(who, op, who.number, int(who.clocks.of[who.number].knows[who.number]), scope)

    def _after(self, who: Who, number: int) -> bool:
        a = self.accesses[number]
        return a is None or who.clocks.after(who.number, a.cluster, a.agent, a.count)

    def _written(self, at: np.ndarray, number: int) -> None:
        """All earlier accesses come before this one: who comes after it comes after them."""
        self.writer[at] = number
        for shadow in (self.reads, self.loads, self.atomics):
            shadow[at] = 0

    def _add(self, who: Who, shadow: np.ndarray, at: np.ndarray, number: int) -> None:
        ids = shadow[at]
        first = int(ids[0]) if len(ids) else 0
        if (ids == first).all():
            shadow[at] = self._with(who, first, number)
            return
        several, which = np.unique(ids, return_inverse=True)
        shadow[at] = np.array([self._with(who, int(i), number) for i in several], np.int32)[which]

    def _with(self, who: Who, old: int, number: int) -> int:
        """The set with one more access, without those that come before it."""
        found = self._grown.get((old, number))
        if found is None:
            members = (*(m for m in self._sets[old] if not self._after(who, m)), number)
            found = self._ids.setdefault(members, len(self._sets))
            if found == len(self._sets):
                self._sets.append(members)
            self._grown[old, number] = found
        return found

    def _apart(self, who: Who, op: Op, single: tuple[np.ndarray, ...], sets: tuple[np.ndarray, ...], at: np.ndarray,
               address: np.ndarray, size: int,
               mask: Mask, counts: Callable[[_GlobalAccess], bool] = lambda a: True) -> None:  # fmt: skip
        """Raises AccessFault where an access that the shadows name does not come before what the wave does now, and
        `counts`."""
        for shadow, members in (*((s, None) for s in single), *((s, self._sets) for s in sets)):
            seen = shadow[at]
            if not seen.any():
                continue
            for i in np.unique(seen).tolist():
                for number in (i,) if members is None else members[i]:
                    other = self.accesses[number]
                    if other is not None and counts(other) and not self._after(who, number):
                        raise self._fault(int((seen == i).argmax()), other, address, size, mask)

    def _of_lanes(self, who: Who, op: Op, at: np.ndarray, address: np.ndarray, size: int, mask: Mask,
                  note: Callable[..., tuple[np.ndarray, Op] | None]) -> None:  # fmt: skip
        """Raises AccessFault where other lanes of the wave use these bytes, too, without a fence between."""
        lanes = np.flatnonzero(mask.active)
        count = int(who.clocks.of[who.number].knows[who.number])
        found = note((who.clocks.cluster, who.number, count), op, at, np.repeat(lanes, len(at) // len(lanes)))
        if found is not None:
            wrong, other = found
            fault = self._fault(int(wrong.argmax()), None, address, size, mask)
            fault.kind, fault.other = "apart", other
            raise fault

    def _fault(
        self, place: int, other: _GlobalAccess | None, address: np.ndarray, size: int, mask: Mask
    ) -> AccessFault:  # fmt: skip
        per = (address.shape[1] if address.ndim == 2 else 1) * size
        lane, byte = int(np.flatnonzero(mask.active)[place // per]), place % per
        start = address[lane] if address.ndim == 1 else address[lane, byte // size]
        return AccessFault("world", lane, byte, int(start), size, self.space, other)
