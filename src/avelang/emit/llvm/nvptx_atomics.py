"""Atomic operations in PTX: an atomic op of the IR comes in; the `atom` that does it with its scope and order goes out,
where the chip has one. (LLVM's `atomicrmw` loses both.) Source: PTX ISA 9.0, 9.7.13.8, atom."""

from __future__ import annotations

import avelang.arch as arch
from avelang.emit.llvm.nvptx_asm import CONSTRAINTS, registers
from avelang.emit.llvm.simt import Simt
from avelang.emit.llvm.simt_atomics import kind_of, order_of, scope_of
from avelang.ir.core import Op
from avelang.ir.ops import bits_of
from avelang.ir.types import SHARED, PtrType, Type, VecType, dtype_of

ORDERS = ("relaxed", "acquire", "release", "acq_rel")
SCOPES = ("cta", "gpu", "sys", "cluster")  # by the numbers of AtomicScope
BITWISE = frozenset({"and", "or", "xor", "exch", "cas"})


def suffix(kind: str, t: Type, chip: arch.Chip) -> str | None:
    """Operation and type, as they stand behind `atom.` and its space; None where the chip has no such instruction."""
    d = dtype_of(t)
    if isinstance(t, VecType):
        has = "sm_90" if d.name == "bf16" else "sm_75"
        return (
            f"{kind}.noftz.{d}x{t.n}" if kind == "add" and t.n == 2 and d.bits == 16 and has in chip.features else None
        )
    if d.bits < 32:
        adds = kind == "add" and (d.name == "f16" or "sm_90" in chip.features)
        return f"add.noftz.{d}" if adds else "cas.b16" if kind == "cas" else None
    if d.is_float:
        return f"{kind}.{d}" if kind == "add" else None
    letter = "b" if kind in BITWISE else "u" if kind == "add" or not d.is_signed else "s"
    return f"{kind}.{letter}{d.bits}"


def emit(w: Simt, op: Op, pointer: str) -> str | None:
    """The call of inline assembly; None where the chip has no instruction for it."""
    values = op.operands[:-2]
    t = op.result.type
    what = suffix(kind_of(op), t, w.target.chip)
    if what is None:
        return None
    given = [r for v in values for r in _given(w, w.value(v), v.type)]
    got = _atom(w, op, pointer, what, given)
    if not isinstance(t, VecType):
        return w.bitcast(got, "i16", w.type(t)) if dtype_of(t).bits == 16 else got
    return w.from_words([got], t)


def _given(w: Simt, text: str, t: Type) -> list[tuple[str, str]]:
    """An operand as registers: one of 16 bits in a register of 16."""
    if bits_of(t) == 16:
        return [("i16", w.bitcast(text, w.type(t), "i16"))]
    return registers(w, text, t)


def swap(w: Simt, op: Op, pointer: str, now: str, new: str) -> str | None:
    """Compare-and-swap of 16 bits, i16: what stood there. LLVM has it for words of 32 bits. None for another width."""
    if bits_of(op.result.type) != 16:
        return None
    return _atom(w, op, pointer, "cas.b16", [("i16", now), ("i16", new)])


def _atom(w: Simt, op: Op, pointer: str, what: str, given: list[tuple[str, str]]) -> str:
    """The call."""
    place = op.operands[-2]
    assert isinstance(place.type, PtrType)
    space = "shared::cta" if place.type.space == SHARED else "global"
    inputs, kind = registers(w, pointer, place.type), given[0][0]
    ends = ", ".join(f"${i + 2}" for i in range(len(given)))
    text = f"atom.{ORDERS[order_of(op)]}.{SCOPES[scope_of(w, op)]}.{space}.{what} $0, [$1], {ends};"
    marks = ",".join(["=" + CONSTRAINTS[kind], *(CONSTRAINTS[k] for k, _ in (*inputs, *given)), "~{memory}"])
    args = ", ".join(f"{k} {x}" for k, x in (*inputs, *given))
    return w.op(f'call {kind} asm sideeffect "{text}", "{marks}"({args}) convergent nounwind')
