"""Copies that run beside the waves: their data and where it goes come in; the memory changes when somebody waits for
them.

Until then the bytes on which data will arrive count as never written, and those that a copy (or a matrix instruction)
still reads must not change."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from avelang.ir.core import Op
from avelang.ir.types import SHARED
from avelang.sim.address_space import AccessFault, AddressSpace, Mask
from avelang.sim.races import Races


@dataclasses.dataclass(slots=True, eq=False)
class RunningCopy:
    """Copies that one op has begun, one row for each: `lanes` (rows,) says on whose behalf, `at` int64 (rows, bytes)
    where each byte of `data` uint8 (rows, bytes) will arrive in `space`, `guard` which bytes of `source` must stay as
    they are. `live`: rows that are not there yet; `open`: rows that belong to no group yet. `wave`: whose it is, and
    `races` what watches `space`, `reader` what its reads are: (agent, count)."""

    op: Op
    space: AddressSpace
    lanes: np.ndarray
    at: np.ndarray
    data: np.ndarray
    live: np.ndarray
    open: np.ndarray
    source: AddressSpace | None = None
    guard: np.ndarray | None = None
    add: Any = None  # the NumPy dtype of elements that are added to what is there
    wave: int = 0
    races: Races | None = None
    reader: tuple[int, int] | None = None
    # told who has read global memory for this, at which of its counts
    fetched: Callable[[int, int], None] | None = None

    @staticmethod
    def begin(op: Op, space: AddressSpace, lanes: np.ndarray, at: np.ndarray, data: np.ndarray,
              source: AddressSpace | None = None,
              guard: np.ndarray | None = None, add: Any = None) -> RunningCopy:  # fmt: skip
        """Puts copies on their way. Raises AccessFault where they would arrive outside the memory, or where other data
        is still to arrive."""
        rows = np.ones(len(lanes), bool)
        flight = RunningCopy(op, space, lanes, at, data, rows, rows.copy(), source, guard, add)
        if len(lanes) and at.size:
            space.expect(at, Mask(rows.copy()), flight)
        if source is not None and guard is not None:
            source.guard(flight, guard)
        return flight

    def land(self, rows: np.ndarray | None = None, by: tuple[int, int] | None = None) -> None:
        """The data of these rows (of all) is there. `by`: whose clock says so at which count; None: that of the wave
        whose they are."""
        now = self.live if rows is None else self.live & rows
        if not now.any():
            return
        self.live = self.live & ~now
        if not self.live.any():
            if self in self.space.flights:
                self.space.flights.remove(self)
            if self.source is not None and self.guard is not None:
                self.source.unguard(self, self.guard)
        if self.races is not None and self.reader is not None:
            self.races.clocks.of[self.wave].learn(*self.reader)
        if self.races is not None and self.at.size and self.space.name == SHARED:
            clocks = self.races.clocks
            number = clocks.mine(self.wave, self.op) if by is None else clocks.access(*by, self.op)
            self.races.landed(number, self.lanes[now], self.at[now])
        if self.at.size:
            at, data, whole = self.at[now], self.data[now], Mask(np.ones(int(now.sum()), bool))
            if self.add is not None:
                there = self.space.load(at, 1, whole).reshape(at.shape)
                data = (there.view(self.add) + data.view(self.add)).view(np.uint8)
            self.space.arrive(at, data, whole)

    def touches(self, address: np.ndarray, guard: bool) -> np.ndarray:
        """bool, of these byte addresses: those that the copy will still write, or reads."""
        own = self.guard if guard else self.at
        return np.isin(address, own[self.live]) if own is not None else np.zeros(address.shape, bool)


class CommitGroups:
    """The copies of one wave's lanes, in the groups to which `commit` has put them: each lane counts its own groups."""

    def __init__(self, lanes: int):
        self.lanes = lanes
        self.open: list[RunningCopy] = []
        self.committed: list[tuple[np.ndarray, list[tuple[RunningCopy, np.ndarray]]]] = []

    def add(self, flight: RunningCopy) -> None:
        """The copy belongs to the group that is open."""
        self.open.append(flight)

    def commit(self, active: np.ndarray) -> None:
        """The open copies of active lanes make up one more group of each of these lanes, which may be empty."""
        members = []
        for f in self.open:
            rows = f.open & active[f.lanes]
            f.open = f.open & ~rows
            members.append((f, rows))
        self.open = [f for f in self.open if f.open.any()]
        self.committed.append((active.copy(), members))

    def wait(self, active: np.ndarray, pending: int) -> None:
        """Of each active lane all groups but the newest `pending` are there."""
        newer = np.zeros(self.lanes, np.int64)
        for mask, members in reversed(self.committed):
            due = active & mask & (newer >= pending)
            for flight, rows in members:
                flight.land(rows & due[flight.lanes])
            newer += mask
        while self.committed and not any((f.live & rows).any() for f, rows in self.committed[0][1]):
            del self.committed[0]

    def so_far(self, active: np.ndarray) -> list[tuple[RunningCopy, np.ndarray]]:
        """All copies that active lanes have begun, with the rows that are theirs."""
        all_of = [*self.open, *(f for _, members in self.committed for f, _ in members)]
        return [(f, active[f.lanes]) for f in dict.fromkeys(all_of)]

    def left(self) -> Iterable[RunningCopy]:
        """Copies that nobody has waited for."""
        return [f for f in dict.fromkeys([*self.open, *(f for _, m in self.committed for f, _ in m)]) if f.live.any()]


def disturbed(space: AddressSpace, address: np.ndarray, size: int, mask: Mask, guards: bool) -> None:
    """Raises the AccessFault of an access to bytes that a copy will write (`guards`: that a copy still reads)."""
    at = address[..., None] + np.arange(size)
    active = mask.active.reshape(-1, *[1] * (at.ndim - 1))
    # Nearly all accesses are cleared by looking at their own bytes.
    if space.name == SHARED and not (active & (space.guarded(at) if guards else space.due(at))).any():
        return
    for flight in space.guards if guards else space.flights:
        hit = flight.touches(at, guards) & active
        if hit.any():
            where = tuple(int(i[0]) for i in np.nonzero(hit))
            element = where[1] if len(where) == 3 else 0
            raise AccessFault("guard" if guards else "flight", where[0], element * size + where[-1],
                              int(address[where[:-1]]), size, space, flight.op)
