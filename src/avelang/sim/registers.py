"""Registers that asynchronous matrix instructions (wgmma) go on using beside the waves: uses of values come in; an
`AccessFault` where one is too early.

A value that an instruction may still write is a `Held`. It has its instruction's number: those of a wave complete in
sequence, so that one number says which are done. The rules are those of PTX ISA 9.0, 9.7.15.7.1 (wgmma.fence),
9.7.15.7.2 (commit_group) and 9.7.15.7.3 (wait_group)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from avelang.ir.core import Op
from avelang.sim.address_space import AccessFault, Mask
from avelang.sim.async_copies import RunningCopy
from avelang.sim.barriers import SyncMisuse

TAKE = "take the accumulator back first: acc = wgmma_wait_acc(acc, 0)"
COMMIT = "call wgmma_commit_group() behind the last wgmma of a group: only then a wait knows of it"
FENCE = (
    "pass the accumulator through wgmma_fence_acc, or call wgmma_fence(), behind the last ordinary access and "
    "before the first wgmma"
)
KEEP = "wait for the wgmma first, or give the next operand registers of its own"


class Held:
    """A value in the registers of a wave. `data` (lanes, n) is what it will be; `op`, of `shape`, writes it, as
    instruction `number` of the wave (0: none does). `touched`: how many fences the wave had executed when it accessed
    the registers itself last, by op `by`."""

    __slots__ = ("by", "data", "home", "number", "op", "shape", "since", "touched")

    def __init__(self, home: AsyncProducts, data: np.ndarray, number: int = 0, op: Op | None = None, shape: str = ""):
        self.home, self.data, self.number, self.op, self.shape = home, data, number, op, shape
        self.since, self.touched = home.fences, -1
        self.by: Op | None = None

    def read(self, op: Op | None) -> np.ndarray:
        """The data, for ordinary code. Raises AccessFault where it is not there yet."""
        self.home.complete(self)
        self.touched, self.by = self.home.fences, op
        return self.data


@dataclasses.dataclass(slots=True)
class HeldOperand:
    """An operand of such an instruction: its value, and the values of the registers that it is made of."""

    value: Any
    roots: Sequence[Any]
    slots: Sequence[int]


class AsyncProducts:
    """The asynchronous instructions of one wave. `seen`: slots of its `env` in which operands may stand; `size`: bytes
    of a lane's local memory."""

    def __init__(self, env: list[Any], seen: Sequence[int], size: int):
        self.env, self.seen = env, seen
        self.begun = self.done = self.fences = 0
        self.groups: list[int] = []  # the last number of each that is not known to be done
        self.committed = 0
        self.ops: dict[int, Op] = {}
        self.guards: list[tuple[int, RunningCopy | None]] = []
        self.fenced: list[np.ndarray] = []
        self.reading: dict[int, int] = {}  # slots of A's registers: the number of the last instruction that reads them
        self.local: list[tuple[int, int, Held]] = []  # where local memory, which is registers too, holds such values
        self.dirty = np.zeros(size, bool)  # bytes of it written since the last fence
        self.place: tuple[int, int] | None = None  # of the last access to it, where all lanes agree,
        self.found: Held | None = None  # and what was read there

    # -- what rows do ---

    def fence(self, *values: HeldOperand) -> None:
        """Accesses before come before those of instructions behind."""
        self.fences += 1
        self.dirty[:] = False
        self.fenced = [v for v in (self.env[s] for s in self.seen) if isinstance(v, np.ndarray)]
        self.fenced += [r for v in values for r in v.roots if isinstance(r, np.ndarray)]

    def passed(self, operand: HeldOperand) -> Held:
        """The value behind a fence of its own."""
        v = operand.value
        return v if isinstance(v, Held) else Held(self, v)

    def given(self, operand: HeldOperand) -> Any:
        """The value as it has come."""
        return operand.value

    def accumulator(self, operand: HeldOperand, shape: str, lane: int) -> np.ndarray:
        """The data of an accumulator, for an instruction of `shape`. Raises AccessFault where it may not use it yet."""
        v = operand.value
        if not isinstance(v, Held):
            self._fenced(operand.roots, lane, "the accumulator")
            return v
        if v.shape and v.shape != shape and (v.number > self.done or v.since == self.fences):
            assert v.op is not None
            why = "adds to registers that {op} of another shape writes: those do not wait for one another"
            raise AccessFault("registers", lane,
                              other=SyncMisuse(why, v.op, "wait for the first, then fence, or keep to one shape"))
        self._fenced([v], lane, "the accumulator")
        return v.data

    def fragment(self, operand: HeldOperand, lane: int) -> np.ndarray:
        """The data of an operand in registers that is only read. Raises AccessFault where it may not be used yet."""
        v = operand.value
        if isinstance(v, Held):
            self.complete(v)
            v = v.data
        self._fenced(operand.roots, lane, "A in registers")
        for slot in operand.slots:
            self.reading[slot] = self.begun + 1
        return v

    def _fenced(self, values: Iterable[Any], lane: int, what: str) -> None:
        for v in values:
            if isinstance(v, Held):
                if v.touched == self.fences:
                    raise self._unfenced(lane, what, v.by)
            elif not any(v is x for x in self.fenced):
                raise self._unfenced(lane, what, None)

    def _unfenced(self, lane: int, what: str, by: Op | None) -> AccessFault:
        if by is None:
            return AccessFault(
                "registers",
                lane,
                other=SyncMisuse(
                    f"uses {what}, which ordinary code has written since the last wgmma_fence", None, FENCE
                ),
            )
        return AccessFault(
            "registers",
            lane,
            other=SyncMisuse(f"uses {what}, whose registers {{op}} has accessed since the last wgmma_fence", by, FENCE),
        )

    def begin(self, op: Op, data: np.ndarray, shape: str, guard: RunningCopy | None) -> Held:
        """One more instruction is under way, which will leave `data`; `guard` keeps the shared memory that it reads."""
        self.begun += 1
        self.ops[self.begun] = op
        self.guards.append((self.begun, guard))
        return Held(self, data, self.begun, op, shape)

    def commit(self) -> None:
        """Closes a group: all that has been begun since the last one, which may be nothing."""
        self.committed = self.begun
        self.groups.append(self.begun)

    def wait(self, pending: int, learn: Any) -> None:
        """All groups but the newest `pending` are complete. `learn` is called with what has been waited for."""
        if len(self.groups) <= pending:
            return
        self.done = self.groups[len(self.groups) - pending - 1]
        del self.groups[: len(self.groups) - pending]
        for number, guard in self.guards:
            if number <= self.done:
                self.ops.pop(number, None)
                if guard is not None:
                    learn(guard)
                    guard.land()
        self.guards = [g for g in self.guards if g[0] > self.done]

    # -- what ordinary code does ---

    def complete(self, v: Held) -> None:
        """Raises AccessFault where a value is not there yet."""
        if v.number > self.done:
            assert v.op is not None
            raise self._early(v.number, "uses registers that {op} writes", v.op)

    def _early(self, number: int, what: str, op: Op, hint: str = TAKE) -> AccessFault:
        if number > self.committed:
            return AccessFault("registers", 0,
                    other=SyncMisuse(f"{what}, and no wgmma_commit_group has put that into a group", op, COMMIT))
        return AccessFault("registers", 0, other=SyncMisuse(f"{what}, and nothing has waited for its group", op, hint))

    def overwritten(self, slot: int) -> None:
        """Raises AccessFault where registers get a new value that an instruction under way still reads."""
        number = self.reading.get(slot, 0)
        if number > self.done:
            raise self._early(number, "writes registers that {op} still reads as A", self.ops[number], KEEP)

    def left(self) -> AccessFault | None:
        """The instruction that nobody has waited for, where the wave ends now, as a fault."""
        if self.begun == self.done:
            return None
        number = self.done + 1
        fault = self._early(number, "is the end of a wave with {op} under way", self.ops[number])
        return fault

    # -- local memory ---

    def _span(self, address: np.ndarray, size: int, mask: Mask) -> tuple[int, int]:
        used = address[mask.active]
        low, high = int(used.min()), int(used.max()) + size
        run = address.ndim == 1 and bool((used == low).all()) and mask.full
        self.place = (low, high) if run else None
        return low, high

    def stored(self, address: np.ndarray, size: int, mask: Mask) -> None:
        """Active lanes write `size` bytes at local addresses. Raises AccessFault where they are part of a value that is
        not there yet."""
        low, high = self._span(address, size, mask)
        self.dirty[low:high] = True
        kept = []
        for start, end, held in self.local:
            if end <= low or high <= start:
                kept.append((start, end, held))
            elif self.place is None or not (low <= start and end <= high):
                self.complete(held)
        self.local = kept

    def keep(self, held: Held) -> None:
        """Remembers that local memory holds this value where it was stored last."""
        if self.place is None:
            held.read(None)
            return
        low, high = self.place
        self.local.append((low, high, held))
        self.dirty[low:high] = held.touched == self.fences

    def loaded(self, address: np.ndarray, size: int, mask: Mask, op: Op | None) -> None:
        """Active lanes read `size` bytes at local addresses; `found` is the value that stands exactly there. Raises
        AccessFault where part of one is read that is not there yet."""
        low, high = self._span(address, size, mask)
        self.found = None
        for start, end, held in self.local:
            if self.place == (start, end):
                self.found = held
            elif start < high and low < end:
                held.read(op)

    def taken(self, data: np.ndarray) -> Held:
        """Data that was loaded last, as a value."""
        held = Held(self, data)
        if self.place is None or self.dirty[self.place[0] : self.place[1]].any():
            held.touched, held.by = self.fences, None
        return held
