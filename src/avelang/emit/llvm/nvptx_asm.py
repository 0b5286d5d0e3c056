"""Rows that are spelled in PTX: an op and its row's `Asm` come in; a call of inline assembly goes out."""

from __future__ import annotations

import re

from avelang.emit.llvm.simt import Simt
from avelang.ir.core import Op
from avelang.ir.types import SHARED, MapType, PtrType, Type, VecType, dtype_of
from avelang.isa.asm import Asm
from avelang.isa.row import ROWS
from avelang.llvm.core import Body

PLACE = re.compile(r"<(\w+)(\*?)>")
CONSTRAINTS = {"i16": "h", "i32": "r", "i64": "l", "float": "f", "double": "d"}


class Link(str):
    """A line that puts a register into the vector `out`."""

    __slots__ = ("out",)


class ChainedBody(Body):
    """A body that knows of which registers a vector is made, and writes those vectors alone that something reads: sums
    in 128 registers go from one instruction to the next as registers, and to put them into a vector takes 128 lines."""

    def __init__(self, w: Simt):
        super().__init__()
        self.__dict__.update(w.body.__dict__)
        self.parts: dict[str, list[str]] = {}

    def chain(self, w: Simt, regs: list[str], kind: str) -> str:
        """A vector of registers."""
        start = len(self.lines)
        out = w.vector(regs, kind)
        self.parts[out] = regs
        links = [Link(line) for line in self.lines[start:]]
        for link in links:
            link.out = out
        self.lines[start:] = links
        return out

    def text(self) -> str:
        """The lines, without those whose results nobody uses."""
        read = set(_NAME.findall("\n".join(line for line in self.lines if type(line) is not Link)))
        self.lines = [line for line in self.lines if type(line) is not Link or line.out in read]
        return super().text()


_NAME = re.compile(r"%v\d+")


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
        known = w.body.parts.get(text) if isinstance(w.body, ChainedBody) else None
        if known is not None:
            return list(zip(ks, known, strict=True))
        return [(k, w.op(f"extractelement {w.type(t)} {text}, i64 {i}")) for i, k in enumerate(ks)]
    return [(ks[0], text)]


def emit_asm(w: Simt, op: Op) -> str | None:
    """The call; the row's result, where it has one. In its place where the row has effects: what LLVM knows nothing of
    must not move, nor be copied into branches."""
    row = ROWS[op.name]
    spec = row.llvm["nvptx"]
    assert isinstance(spec, Asm)
    out = kinds(op.result.type) if op.results else []
    names: dict[str, list[str]] = {"out": [f"${i}" for i in range(len(out))]}
    inputs: list[tuple[str, str]] = []
    marks = ["=" + CONSTRAINTS[k] for k in out]
    for p, v in zip(row.operands, op.operands, strict=True):
        given = (
            [("i32", x) for x in w.words(w.value(v), v.type)]
            if p.name in spec.words
            else registers(w, w.value(v), v.type)
        )
        tied = p.name == spec.tied
        names[p.name] = names["out"] if tied else [f"${len(out) + len(inputs) + i}" for i in range(len(given))]
        inputs += given
        marks += [str(i) for i in range(len(out))] if tied else [CONSTRAINTS[k] for k, _ in given]
    names.update({p.name: [str(op.attrs[p.name])] for p in row.params if p.is_const})

    def fill(m: re.Match[str]) -> str:
        got = names[m[1]]
        return "{" + ", ".join(got) + "}" if m[2] else got[0]

    text = PLACE.sub(
        fill, spec.lines({**op.attrs, **{p.name: v.type for p, v in zip(row.operands, op.operands, strict=True)}})
    ).replace('"', "\\22")
    kind = "void" if not out else out[0] if len(out) == 1 else _struct(w, out)
    args = ", ".join(f"{k} {x}" for k, x in inputs)
    if row.effects:
        call = f'call {kind} asm sideeffect "{text}", "{",".join([*marks, "~{memory}"])}"({args}) convergent nounwind'
    else:
        call = f'call {kind} asm "{text}", "{",".join(marks)}"({args}) nounwind memory(none)'
    if not out:
        w.do(call)
        return None
    got = w.op(call)
    return _value(
        w,
        [got] if len(out) == 1 else [w.op(f"extractvalue {kind} {got}, {i}") for i in range(len(out))],
        op.result.type,
    )


def _struct(w: Simt, fields: list[str]) -> str:
    """The name of a type of that many registers, which each of hundreds of lines would spell out else."""
    name = f"%regs{len(fields)}{fields[0]}"
    if len(set(fields)) > 1:
        return "{" + ", ".join(fields) + "}"
    w.module.functions.setdefault(name, f"{name} = type {{ {', '.join(fields)} }}")
    return name


def _value(w: Simt, regs: list[str], t: Type) -> str:
    d = dtype_of(t)
    if d.kind == "bool":
        return w.op(f"icmp ne i32 {regs[0]}, 0")
    if d.bits < 32:
        return w.from_words(regs, t)
    if not isinstance(t, VecType):
        return regs[0]
    return w.body.chain(w, regs, kinds(t)[0]) if isinstance(w.body, ChainedBody) else w.vector(regs, kinds(t)[0])
