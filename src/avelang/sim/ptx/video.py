"""Handlers of video instructions on whole registers: of 32-bit numbers, of two halves, of four bytes. PTX ISA 9.0,
9.7.18, "Scalar video instructions", and 9.7.19, "SIMD video instructions". nvcc makes them of __vabsdiffu4 and others.
"""

from __future__ import annotations

from avelang.llvm.vectors import Ops
from avelang.sim.ptx.code import Instr
from avelang.sim.ptx.integers import saturated, signed
from avelang.sim.ptx.modifiers import Mods, NotExecuted
from avelang.sim.ptx.translator import Handler, PtxTranslator

SECOND = ("add", "min", "max")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def _basic(o: Ops, op: str, x: str, y: str, compare: str) -> str:
    """The operation on two numbers that are held with bits to spare."""
    if op in ("min", "max"):
        return o.fn("s" + op, x, y)
    if op == "absdiff":
        return o("sub", o.fn("smax", x, y), o.fn("smin", x, y))
    if op == "avrg":  # to the nearest, halves away from zero
        total = o("add", x, y)
        more = o.t.op(f"zext {o.t.t('i1')} {o.cmp('sge', total, 0)} to {o.v}")
        return o("ashr", o("add", total, more), 1)
    if op == "set":
        held = o.cmp(compare if compare in ("eq", "ne") else "s" + compare, x, y)
        return o.t.op(f"zext {o.t.t('i1')} {held} to {o.v}")
    return o(op, x, y)


def _types(m: Mods, op: str) -> tuple[str, str, str]:
    """(type of the result, of a, of b)."""
    kinds = m.types()
    return ("u32", *kinds) if op == "set" else tuple(kinds)  # type: ignore[return-value]


def _scalar(op: str) -> Handler:
    """vadd and its like: a 32-bit number, and a second operation with c."""

    def handler(t: PtxTranslator, i: Instr) -> None:
        m = Mods(i)
        d, a, b = _types(m, op)
        sat, shift, compare = m.has("sat"), m.take("clamp", "wrap"), m.take(*COMPARISONS)
        second = m.take(*SECOND)
        m.done()
        if len(i.operands) == 4 and not second:
            raise NotExecuted("a part of a register as the result is not executed here")
        w, o = Ops(t, "i128"), Ops(t, "i32")
        x, y = (w.at("i32").to("i128", "sext" if signed(k) else "zext", t.get(v, 32))
            for k, v in zip((a, b), i.operands[1:3], strict=True))  # fmt: skip
        if shift:
            y = w("and", y, 31) if shift == "wrap" else w.fn("umin", y, 32)
            value = w("shl" if op == "shl" else "ashr", x, y)
        else:
            value = _basic(w, op, x, y, compare)
        value = saturated(w, value, 32, signed(d)) if sat else value
        out = w.to("i32", "trunc", value)
        if second:
            c = t.get(i.operands[3], 32)
            out = o("add", out, c) if second == "add" else o.fn(("s" if signed(d) else "u") + second, out, c)
        t.set(i.operands[0], out, 32)

    return handler


def _parts(op: str, count: int) -> Handler:
    """vadd4 and its like: halves or bytes of a and b, each by each; with .add their sum and c."""

    def handler(t: PtxTranslator, i: Instr) -> None:
        m = Mods(i)
        d, a, b = _types(m, op)
        sat, compare = m.has("sat"), m.take(*COMPARISONS)
        total = m.has("add")
        m.done()
        o, bits = Ops(t, "i32"), 32 // count
        x, y, c = (t.get(v, 32) for v in i.operands[1:4])
        out = c if total else o("and", c, 0)
        for k in range(count):
            first, second = (o("ashr" if signed(kind) else "lshr", o("shl", v, 32 - bits * (k + 1)), 32 - bits)
                for kind, v in ((a, x), (b, y)))  # fmt: skip
            value = _basic(o, op, first, second, compare)
            value = saturated(o, value, bits, signed(d)) if sat else value
            if total:
                out = o("add", out, value)
            else:
                out = o("or", out, o("shl", o("and", value, (1 << bits) - 1), bits * k))
        t.set(i.operands[0], out, 32)

    return handler


_BOTH = ("add", "sub", "absdiff", "min", "max", "set")
TABLE: dict[str, Handler] = {
    **{f"v{op}": _scalar(op) for op in (*_BOTH, "shl", "shr")},
    **{f"v{op}{count}": _parts(op, count) for op in (*_BOTH, "avrg") for count in (2, 4)},
}
