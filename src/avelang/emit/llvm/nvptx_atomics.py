"""Atomic operations in PTX: an atomic op of the IR comes in; the `atom` that does it with its scope and order goes out,
where the chip has one. (LLVM's `atomicrmw` loses both.) Source: PTX ISA 9.0, 9.7.13.8, atom."""

from __future__ import annotations

import avelang.arch as arch
from avelang.emit.llvm.nvptx_asm import CONSTRAINTS, registers
from avelang.emit.llvm.simt import Simt
from avelang.emit.llvm.simt_atomics import kind_of, order_of, scope_of
from avelang.ir.core import Op
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
        return None
    if d.is_float:
        return f"{kind}.{d}" if kind == "add" else None
    letter = "b" if kind in BITWISE else "u" if kind == "add" or not d.is_signed else "s"
    return f"{kind}.{letter}{d.bits}"


def emit(w: Simt, op: Op, pointer: str) -> str | None:
    """The call of inline assembly; None where the chip has no instruction for it."""
    *values, place, _ = op.operands
    t = op.result.type
    what = suffix(kind_of(op), t, w.target.chip)
    if what is None:
        return None
    assert isinstance(place.type, PtrType)
    space = "shared::cta" if place.type.space == SHARED else "global"
    inputs = registers(w, pointer, place.type)
    given = [r for v in values for r in registers(w, w.value(v), v.type)]
    kind = given[0][0]
    ends = ", ".join(f"${i + 2}" for i in range(len(given)))
    text = f"atom.{ORDERS[order_of(op)]}.{SCOPES[scope_of(w, op)]}.{space}.{what} $0, [$1], {ends};"
    marks = ",".join(["=" + CONSTRAINTS[kind], *(CONSTRAINTS[k] for k, _ in (*inputs, *given)), "~{memory}"])
    args = ", ".join(f"{k} {x}" for k, x in (*inputs, *given))
    got = w.op(f'call {kind} asm sideeffect "{text}", "{marks}"({args}) convergent nounwind')
    return w.from_words([got], t) if isinstance(t, VecType) else got
