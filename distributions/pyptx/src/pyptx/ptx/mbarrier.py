"""`ptx.mbarrier`: barriers in shared memory whose phases end after so many arrivals and bytes.

Waiting with a parity returns when the phase of that parity has ended: on a fresh barrier parity 0 waits for the first
phase, parity 1 returns at once. PTX ISA, "mbarrier"."""

from __future__ import annotations

from typing import Any

import pyptx.ptx.clusters as cluster
import pyptx.types as t
from pyptx._errors import PyptxIndexError, bad_type, bad_value, fail
from pyptx._operands import Address, at, emit
from pyptx._registers import NegPred, Reg, scalar
from pyptx._trace import get_ctx


def init(mbar: Any, count: Any, *, pred: Any = None) -> None:
    """`mbarrier.init`: phases end after `count` arrivals."""
    emit(("mbarrier", "init", "shared::cta", "b64"), at(mbar), count, pred=pred)


def inval(mbar: Any, *, pred: Any = None) -> None:
    """`mbarrier.inval`."""
    emit(("mbarrier", "inval", "shared", "b64"), at(mbar), pred=pred)


def arrive(mbar: Any, *, pred: Any = None) -> Reg:
    """`mbarrier.arrive`; the state of the phase in a new b64 register."""
    state = scalar(t.b64)
    emit(("mbarrier", "arrive", "shared", "b64"), state, at(mbar), pred=pred)
    return state


def arrive_expect_tx(mbar: Any, tx_count: Any, *, pred: Any = None) -> Reg:
    """`mbarrier.arrive.expect_tx`: the phase waits for `tx_count` more bytes; then one arrival."""
    state = scalar(t.b64)
    emit(("mbarrier", "arrive", "expect_tx", "shared::cta", "b64"), state, at(mbar), tx_count, pred=pred)
    return state


def expect_tx(mbar: Any, tx_count: Any, *, pred: Any = None) -> None:
    """`mbarrier.expect_tx`: the phase waits for `tx_count` more bytes."""
    emit(("mbarrier", "expect_tx", "shared", "b64"), at(mbar), tx_count, pred=pred)


def try_wait(mbar: Any, phase: Any, *, parity: bool = True, pred: Any = None) -> Reg:
    """`mbarrier.try_wait`: a predicate, whether the phase has ended (sm_90)."""
    done = scalar(t.pred)
    words = ("mbarrier", "try_wait", *["parity"] * parity, "shared", "b64")
    emit(words, done, at(mbar), phase, pred=pred)
    return done


def wait(mbar: Any, phase: Any, *, pred: Any = None) -> None:
    """Waits until the phase of that parity has ended; with `pred` where that holds."""
    trace = get_ctx()
    where = at(mbar)
    over = ""
    if pred is not None:
        over = trace.new_label("mbar_over")
        emit(("bra",), over, pred=pred.reg if isinstance(pred, NegPred) else NegPred(pred))
    again = trace.new_label("mbar_wait")
    trace.place(again)
    emit(("bra",), again, pred=NegPred(try_wait(where, phase)))
    if over:
        trace.place(over)


# -- rings of barriers -------------------------------------------------------------------------------------------------


class BarrierSlot:
    """One mbarrier of a ring, named by an int or by a register."""

    def __init__(self, ring: _BarrierArray, index: int | None, register: Reg | None = None):
        self._ring, self._index, self._register = ring, index, register

    @property
    def byte_offset(self) -> int:
        """Bytes from the ring's base register. Raises TypeError (T241) for a slot that a register names."""
        if self._index is None:
            raise bad_type("mbarrier.array", "a slot that a register names has no byte_offset")
        return self._ring.byte_offset + 8 * self._index

    def address_operand(self) -> Address:
        """The memory operand: [%r0+64]."""
        if self._register is not None:
            return Address(self._register)
        return Address(self._ring.base, self.byte_offset) if self.byte_offset else Address(self._ring.base)

    def address(self) -> Address:
        """The memory operand."""
        return self.address_operand()

    def addr_reg(self) -> Reg:
        """The address in a register."""
        if self._register is not None:
            return self._register
        out = scalar(t.u32)
        base = self._ring.base
        if isinstance(base, Reg):
            emit(("add", "u32"), out, base, self.byte_offset)
            return out
        emit(("mov", "u32"), out, base)
        return out + self.byte_offset if self.byte_offset else out

    def init(self, count: Any, *, pred: Any = None) -> None:
        """`mbarrier.init`. Raises TypeError (T241) for a slot that a register names."""
        if self._index is None:
            raise bad_type("mbarrier.array", "barriers are initialized by their numbers: ring[i].init(count)")
        init(self, count, pred=pred)

    def wait(self, phase: Any, *, pred: Any = None) -> None:
        """Waits for a phase."""
        wait(self, phase, pred=pred)

    def arrive(self, *, pred: Any = None) -> Reg:
        """`mbarrier.arrive`."""
        return arrive(self, pred=pred)

    def arrive_expect_tx(self, tx: Any, *, pred: Any = None) -> Reg:
        """`mbarrier.arrive.expect_tx`."""
        return arrive_expect_tx(self, tx, pred=pred)

    def arrive_remote(self, cta_id: Any, count: Any = 1, *, pred: Any = None) -> None:
        """An arrival at the same slot in another block of the cluster."""
        cluster.arrive_remote(self.addr_reg(), cta_id, count, pred=pred)


class _BarrierArray:
    """A ring of mbarriers of 8 bytes each, from `base` + `byte_offset` on."""

    def __init__(self, base: Any, byte_offset: int, count: int):
        self.base, self.byte_offset, self.count = base, byte_offset, count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> BarrierSlot:
        if not isinstance(index, int) or isinstance(index, bool):
            raise bad_type("mbarrier.array", f"the index {index!r} is no int; ring.at(register) takes one")
        if not 0 <= index < self.count:
            raise fail(PyptxIndexError, "mbarrier.array", f"index {index} of {self.count} barriers")
        return BarrierSlot(self, index)

    def at(self, stage: Any) -> BarrierSlot:
        """The slot that a register names: its address is computed here, from the stage as it is now."""
        if isinstance(stage, int):
            return self[stage]
        offset = scalar(t.u32)
        emit(("shl", "b32"), offset, stage.value(), 3)
        if self.byte_offset:
            emit(("add", "u32"), offset, offset, self.byte_offset)
        base = self.base
        if not isinstance(base, Reg):
            base = scalar(t.u32)
            emit(("mov", "u32"), base, self.base)
        out = scalar(t.u32)
        emit(("add", "u32"), out, base, offset)
        return BarrierSlot(self, None, out)

    def init_all(self, count: Any, *, pred: Any = None) -> None:
        """`mbarrier.init` of all slots."""
        for i in range(self.count):
            self[i].init(count, pred=pred)

    def arrive_remote_all(self, cta_id: Any, count: Any = 1, *, pred: Any = None) -> None:
        """An arrival at all slots of another block of the cluster."""
        for i in range(self.count):
            self[i].arrive_remote(cta_id, count, pred=pred)


def array(base: Any, byte_offset: int, count: int) -> _BarrierArray:
    """A ring of `count` mbarriers at a register, or at a symbol, and so many bytes further on."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise bad_value("mbarrier.array", f"{count!r} barriers; an int from 1 on is wanted")
    return _BarrierArray(base, byte_offset, count)
