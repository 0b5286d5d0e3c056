"""Rows as LLVM: an op of a row and the target's name in `Row.llvm` come in; the intrinsic's call goes out, by the row's
signature. Nothing here knows a row's name: what no signature says stands beside the row, as its `Lowering.emit`."""

from __future__ import annotations

from avelang.emit.llvm.nvptx_asm import emit_asm
from avelang.emit.llvm.simt import Simt
from avelang.ir.core import Op, Value
from avelang.ir.ops import bits_of
from avelang.ir.types import DType, Type, VecType, dtype_of
from avelang.isa.asm import Asm
from avelang.isa.lowering import Lowering
from avelang.isa.row import ROWS, Row

_FLOATS = {"f16": "half", "bf16": "bfloat", "f32": "float", "f64": "double"}


def emit_row(w: Simt, op: Op, target: str) -> str | None:
    """The row's result, where it has one."""
    row = ROWS[op.name]
    spec = row.llvm.get(target)
    if spec is None:
        raise w.refuse()
    if isinstance(spec, Asm):
        return emit_asm(w, op)
    how = Lowering(spec) if isinstance(spec, str) else spec
    return how.emit(w, op, how.name) if how.emit is not None else by_signature(w, op, row, how)


def own(w: Simt, t: Type) -> str:
    """The LLVM type of a value as intrinsics have it: floats as floats, which the emitter holds as integers where they
    are narrow."""
    if not isinstance(t, (DType, VecType)):
        return w.type(t)
    e = _FLOATS.get(dtype_of(t).name)
    return w.type(t) if e is None else f"<{t.n} x {e}>" if isinstance(t, VecType) else e


def by_signature(w: Simt, op: Op, row: Row, how: Lowering) -> str | None:
    """The call of an intrinsic that takes what the row's parameters say."""
    out = op.result.type if op.results else None
    if how.words and out is not None:
        return w.from_words(
            [w.call(how.name, "i32", *_arguments(w, op, row, how, i)) for i in range(-(-bits_of(out) // 32))], out
        )
    args = _arguments(w, op, row, how)
    if out is None:
        w.call(how.name, "void", *args)
        return None
    kind = how.registers.get("out")
    if kind is not None:
        return _gathered(w, how.name, kind, args, out)
    t = own(w, out)
    return w.bitcast(w.call(how.name, t, *args), t, w.type(out))


def _arguments(w: Simt, op: Op, row: Row, how: Lowering, word: int = 0) -> list[tuple[str, str]]:
    args: list[tuple[str, str]] = []
    operands = iter(op.operands)
    for p in row.params:
        if not p.is_const:
            args += _operand(w, how, p.name, next(operands), word)
        elif how.fixed is None:
            t, n = how.consts.get(p.name, "i32"), op.attrs[p.name]
            args.append((t, ("false", "true")[n] if t == "i1" else str(n)))
    return [*args, *(how.fixed or ())]


def _operand(w: Simt, how: Lowering, name: str, v: Value, word: int) -> list[tuple[str, str]]:
    text, held = w.value(v), w.type(v.type)
    if name in how.registers:
        kind = how.registers[name]
        if kind == "double":
            return [(kind, x) for x in w.elements(v)]
        return [(kind, w.bitcast(x, "i32", kind)) for x in w.words(text, v.type)]
    if how.words:
        words = w.words(text, v.type)
        return [("i32", words[min(word, len(words) - 1)])]
    t = how.types.get(name) or own(w, v.type)
    return [(t, w.bitcast(text, held, t))]


def _gathered(w: Simt, name: str, kind: str, args: list[tuple[str, str]], out: Type) -> str:
    """A result in several registers, which LLVM gives as a struct."""
    size = 64 if kind == "double" else 32
    n = -(-bits_of(out) // size)
    struct = kind if n == 1 else "{" + ", ".join([kind] * n) + "}"
    got = w.call(name, struct, *args)
    parts = [got] if n == 1 else [w.op(f"extractvalue {struct} {got}, {i}") for i in range(n)]
    if kind == "double":
        return w.vector(parts, "double") if isinstance(out, VecType) else parts[0]
    return w.from_words([w.bitcast(x, kind, "i32") for x in parts], out)
