"""Rows that are spelled in PTX: an op and its row's `Asm` come in; a call of inline assembly goes out."""

from __future__ import annotations

import re

from avelang.emit.llvm.simt import Simt
from avelang.ir.core import Op
from avelang.ir.types import SHARED, MapType, PtrType, Type, VecType, dtype_of
from avelang.isa.asm import Asm
from avelang.isa.row import ROWS

PLACE = re.compile(r"<(\w+)(\*?)>")
CONSTRAINTS = {"i16": "h", "i32": "r", "i64": "l", "float": "f", "double": "d"}


def kinds(t: Type) -> list[str]:
    """The LLVM types of the registers that hold a value."""
    if isinstance(t, (PtrType, MapType)):
        return ["i32" if isinstance(t, PtrType) and t.space == SHARED else "i64"]
    d, n = dtype_of(t), t.n if isinstance(t, VecType) else 1
    if d.bits == 64:
        return ["double" if d.is_float else "i64"] * n
    if d.bits == 32:
        return ["float" if d.is_float else "i32"] * n
    return ["i32"] * -(-d.bits * n // 32)


def registers(w: Simt, text: str, t: Type) -> list[tuple[str, str]]:
    """A value as registers: (LLVM type, LLVM value)."""
    ks = kinds(t)
    if isinstance(t, PtrType):
        return [(ks[0], w.op(f"ptrtoint {w.type(t)} {text} to {ks[0]}"))]
    if isinstance(t, MapType):
        return [(ks[0], w.op(f"ptrtoint ptr {text} to i64"))]
    if dtype_of(t).bits < 32:
        return [("i32", x) for x in w.words(text, t)]
    if isinstance(t, VecType):
        return [(k, w.op(f"extractelement {w.type(t)} {text}, i64 {i}")) for i, k in enumerate(ks)]
    return [(ks[0], text)]


def emit_asm(w: Simt, op: Op) -> str | None:
    """The call; the row's result, where it has one. Always in its place: what LLVM knows nothing of must not move, nor be copied into branches."""
    row = ROWS[op.name]
    spec = row.llvm["nvptx"]
    assert isinstance(spec, Asm)
    out = kinds(op.result.type) if op.results else []
    names: dict[str, list[str]] = {"out": [f"${i}" for i in range(len(out))]}
    inputs: list[tuple[str, str]] = []
    marks = ["=" + CONSTRAINTS[k] for k in out]
    for p, v in zip(row.operands, op.operands, strict=True):
        given = [("i32", x) for x in w.words(w.value(v), v.type)] if p.name in spec.words else registers(w, w.value(v), v.type)
        tied = p.name == spec.tied
        names[p.name] = names["out"] if tied else [f"${len(out) + len(inputs) + i}" for i in range(len(given))]
        inputs += given
        marks += [str(i) for i in range(len(out))] if tied else [CONSTRAINTS[k] for k, _ in given]
    names.update({p.name: [str(op.attrs[p.name])] for p in row.params if p.is_const})

    def fill(m: re.Match[str]) -> str:
        got = names[m[1]]
        return "{" + ", ".join(got) + "}" if m[2] else got[0]

    text = PLACE.sub(fill, spec.lines({**op.attrs, **{p.name: v.type for p, v in zip(row.operands, op.operands, strict=True)}})).replace('"', "\\22")
    kind = "void" if not out else out[0] if len(out) == 1 else "{" + ", ".join(out) + "}"
    args = ", ".join(f"{k} {x}" for k, x in inputs)
    call = f'call {kind} asm sideeffect "{text}", "{",".join([*marks, "~{memory}"])}"({args}) convergent nounwind'
    if not out:
        w.do(call)
        return None
    got = w.op(call)
    return _value(w, [got] if len(out) == 1 else [w.op(f"extractvalue {kind} {got}, {i}") for i in range(len(out))], op.result.type)


def _value(w: Simt, regs: list[str], t: Type) -> str:
    d = dtype_of(t)
    if d.kind == "bool":
        return w.op(f"icmp ne i32 {regs[0]}, 0")
    if d.bits < 32:
        return w.from_words(regs, t)
    return w.vector(regs, kinds(t)[0]) if isinstance(t, VecType) else regs[0]
