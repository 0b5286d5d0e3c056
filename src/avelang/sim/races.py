"""Accesses to a block's shared memory that nothing orders: those of waves and of what runs beside them come in; an
`AccessFault` goes out where two touch a byte, one of them writes, and neither comes before the other; or where a proxy
fence is missing between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from avelang.ir.core import Op
from avelang.isa.wave_protocol import strong
from avelang.sim.address_space import AccessFault, AddressSpace, Mask
from avelang.sim.clocks import Clocks
from avelang.sim.lane_order import LaneOrder

Note = Callable[..., "tuple[np.ndarray, Op] | None"]  # `LaneOrder.read` or `wrote`


class Shadows:
    """By agent the number of its last access to each byte, of one kind of access."""

    def __init__(self, size: int, clocks: Clocks):
        self.size, self.clocks = size, clocks
        self.of: dict[int, np.ndarray] = {}
        self.latest: dict[int, int] = {}  # the agent's count then

    def add(self, agent: int, count: int, op: Op, at: np.ndarray) -> None:
        """An agent accesses these bytes at that count."""
        if agent not in self.of:
            self.of[agent] = np.zeros(self.size, np.int32)
        self.of[agent][at] = self.clocks.access(agent, count, op)
        self.latest[agent] = count

    def after(self, knows: np.ndarray) -> list[np.ndarray]:
        """Those of agents of whose last access a wave that knows this much has not heard."""
        return [who for agent, who in self.of.items() if self.latest[agent] > knows[agent]]


class Races:
    """The last writer of each byte of a block's shared memory, and its readers. Atomic accesses, and those that order
    others, do not race with one another, but with plain ones: `loads` and `atomics` have them, those that write among
    the latter.

    `everything`: also races are reported; else only missing proxy fences, for which reads by waves do not matter. Waves
    are numbered in the cluster."""

    def __init__(self, space: AddressSpace, clocks: Clocks, everything: bool):
        size = max((a.end for a in space.allocs), default=0)
        self.space, self.clocks, self.everything = space, clocks, everything
        self.writer = np.zeros(size, np.int32)  # the number of the access
        self.lane = np.zeros(size, np.int16)  # the lane of the wave that wrote
        self.plain, self.loads, self.atomics = (Shadows(size, clocks) for _ in range(3))
        self.lanes = LaneOrder(size if everything else 0)
        self.visits: dict[int, int] = {}  # by wave of another block: the number of its last access to what is here

    # -- what waves do themselves ---

    def read(self, wave: int, op: Op, address: np.ndarray, size: int, mask: Mask) -> None:
        """`wave` has read `size` bytes at each active address. Raises AccessFault."""
        if self.everything:
            at, loose = self._bytes(address, size, mask), not strong(op.name)
            self._ordered(wave, at, address, mask, (self.atomics,) if loose else ())
            if loose:
                self._apart(wave, op, at, address, mask, self.lanes.read)
            (self.plain if loose else self.loads).add(wave, int(self.clocks.of[wave].knows[wave]), op, at)

    def write(self, wave: int, op: Op, address: np.ndarray, size: int, mask: Mask) -> None:
        """`wave` has written them. Raises AccessFault."""
        at = self._bytes(address, size, mask)
        if strong(op.name):
            if self.everything:
                self._ordered(wave, at, address, mask, (self.plain,))
                self.atomics.add(wave, int(self.clocks.of[wave].knows[wave]), op, at)
            return
        if self.everything:
            self._ordered(wave, at, address, mask, (self.plain, self.loads, self.atomics))
            self._apart(wave, op, at, address, mask, self.lanes.wrote)
        self.writer[at] = self.clocks.mine(wave, op)
        self.lane[at] = self._whose(at, mask)

    @staticmethod
    def _bytes(address: np.ndarray, size: int, mask: Mask) -> np.ndarray:
        active = mask.active if address.ndim == 1 else mask.active[:, None]
        return np.where(active, address, address[mask.first])[..., None] + np.arange(size)

    @staticmethod
    def _whose(at: np.ndarray, mask: Mask) -> np.ndarray:
        """The lanes of bytes."""
        lane = np.where(mask.active, np.arange(len(mask.active)), mask.first)
        return lane.reshape(-1, *[1] * (at.ndim - 1))

    def _apart(self, wave: int, op: Op, at: np.ndarray, address: np.ndarray, mask: Mask, note: Note) -> None:
        """Raises AccessFault where other lanes of the wave use these bytes, too, without a fence between."""
        epoch = self.clocks.cluster, wave, int(self.clocks.of[wave].knows[wave])
        found = note(epoch, op, at, self._whose(at, mask))
        if found is not None:
            wrong, other = found
            hit = tuple(int(i[0]) for i in np.nonzero(wrong))
            raise self._fault("apart", hit, at, address, mask, other)

    def _ordered(self, wave: int, at: np.ndarray, address: np.ndarray, mask: Mask, others: tuple[Shadows, ...]) -> None:
        """Raises AccessFault where a plain write to these bytes, or one of the `others`, does not come before the
        wave's access."""
        clocks, knows = self.clocks, self.clocks.of[wave].knows
        for who in (self.writer, *(x for shadows in others for x in shadows.after(knows))):
            number = who[at]
            clash = clocks.count[number] > knows[clocks.agent[number]]
            if clash.any():
                hit = tuple(int(i[0]) for i in np.nonzero(clash))
                raise self._fault("race", hit, number, address, mask)

    def _fault(self, kind: str, hit: tuple[int, ...], number: np.ndarray, address: np.ndarray,
               mask: Mask, other: Op | None = None) -> AccessFault:
        """`other`: what it meets, where `number` does not say it."""
        per = number.shape[-1]
        byte = (hit[1] * per if len(hit) == 3 else 0) + hit[-1]
        return AccessFault(kind, mask.real(hit[0]), byte, int(address[hit[:-1]]), per, self.space,
                           other or self.clocks.which(int(number[hit])))

    def visited(self, wave: int, op: Op) -> None:
        """A wave of another block has used what this block's memory holds."""
        if self.everything:
            self.visits[wave] = self.clocks.mine(wave, op)

    def ends(self, waves: range) -> Op | None:
        """The block ends, which these waves are: an access from another block that may come later than that."""
        for number in self.visits.values():
            agent = self.clocks.agent[number]
            if all(self.clocks.count[number] > self.clocks.of[w].ran[agent] for w in waves):
                return self.clocks.which(number)
        return None

    # -- what runs beside them ---

    def made_known(self, wave: int, number: int, lane: int, address: int, size: int) -> None:
        """Raises AccessFault where the access of this number does not come before what the wave does now."""
        clocks = self.clocks
        if self.everything and clocks.count[number] > clocks.of[wave].knows[clocks.agent[number]]:
            raise AccessFault("race", lane, 0, address, size, self.space, clocks.which(number))

    def begun(self, wave: int, op: Op, lanes: np.ndarray, at: np.ndarray, ordinary: bool) -> None:
        """The wave begins copies that will write bytes `at` (rows, bytes) on behalf of `lanes`. `ordinary`: by the
        generic proxy. Raises AccessFault. Where they reach past the memory nothing is said here: the copy itself is
        refused for that."""
        if at.min() >= 0 and at.max() < len(self.writer):
            self._beside(wave, op, lanes, at, True, not ordinary)

    def landed(self, number: int, lanes: np.ndarray, at: np.ndarray) -> None:
        """Their data is there: the write is the access of this number."""
        self.writer[at] = number
        self.lane[at] = lanes[:, None]

    def reads(self, wave: int, op: Op, lanes: np.ndarray, at: np.ndarray) -> None:
        """The wave begins, on behalf of `lanes`, reads of bytes `at` (rows, bytes) by the async proxy. Raises
        Fault."""
        self._beside(wave, op, lanes, at, False, True)

    def has_read(self, agent: int, count: int, op: Op, at: np.ndarray) -> None:
        """Records a read beside the waves, and the count of its agent."""
        if self.everything:
            self.plain.add(agent, count, op, at)

    def _beside(self, wave: int, op: Op, lanes: np.ndarray, at: np.ndarray, write: bool, fenced: bool) -> None:
        whole = Mask(np.ones(len(at), bool))
        first = at[:, 0] if at.shape[1] else np.zeros(len(at), np.int64)
        try:
            if self.everything:
                self._ordered(wave, at, first, whole,
                              (self.plain, self.loads, self.atomics) if write else (self.atomics,))
            if fenced:
                self._fenced(wave, at, first, whole)
        except AccessFault as fault:
            row, byte = fault.lane, fault.byte
            fault.lane, fault.address, fault.byte, fault.size = int(lanes[row]), int(at[row, byte]), 0, 1
            raise

    def _fenced(self, wave: int, at: np.ndarray, first: np.ndarray, whole: Mask) -> None:
        """Raises AccessFault where an ordinary write to these bytes has no proxy fence behind it."""
        clocks, number = self.clocks, self.writer[at]
        agent = clocks.agent[number]
        ordinary = (agent < clocks.waves) & (number != 0)
        if not ordinary.any():
            return
        thread = np.where(ordinary, agent * clocks.lanes + self.lane[at], 0)
        late = ordinary & (clocks.count[number] > clocks.of[wave].fenced[thread])
        if late.any():
            raise self._fault("proxy", tuple(int(i[0]) for i in np.nonzero(late)), number, first, whole)
