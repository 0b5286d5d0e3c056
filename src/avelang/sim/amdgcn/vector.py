"""What handlers of vector ALU instructions are made of: operands as vectors of one element type, rules on them,
results; and plain moves.

A table's row names the types of the sources and of the result, and gives a rule: a function of an `Ops` and the
sources' values that writes LLVM IR and returns the result's. Source of all tables: AMD Instinct MI300 ISA, chapter 12
("Instructions"), VOP1, VOP2, VOP3, VOP3P and VOPC.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from avelang.amdgcn.asm import MCInst
from avelang.llvm.narrow_floats import round_to_odd
from avelang.llvm.vectors import BITS, FLOAT, Bool, Ops, function
from avelang.sim.amdgcn import operands
from avelang.sim.amdgcn.translator import BlockTranslator, Handler, UnsupportedForm

Rule = Callable[..., str]


# -- rules that several tables share -----------------------------------------------------------------------------------


def binary(name: str, reverse: bool = False) -> Rule:
    """One LLVM instruction on two operands, or on the second and the first."""
    return (lambda o, x, y: o(name, y, x)) if reverse else (lambda o, x, y: o(name, x, y))


def intrinsic(name: str) -> Rule:
    """One of LLVM's intrinsics on one or two operands; of three, on the result of the first two and the third."""

    def rule(o: Ops, x: str, *more: str) -> str:
        if not more:
            return o.fn(name, x)
        for y in more:
            x = o.fn(name, x, y)
        return x

    return rule


def shift(name: str, mask: int) -> Rule:
    """S1 shifted by the low bits of S0."""
    return lambda o, n, x: o(name, x, o("and", n, mask))


def mul_add(o: Ops, x: str, y: str, z: str) -> str:
    """x * y + z of integers."""
    return o("add", o("mul", x, y), z)


# -- operands and results ----------------------------------------------------------------------------------------------


def _width(kind: str) -> int:
    return int(kind[1:])


def fetch(t: BlockTranslator, i: MCInst, n: int, kind: str, compute: str) -> str:
    """Operand `n` of the kind "f16", "i24", "u8", ..., extended to the type that is computed in."""
    bits = _width(kind)
    if kind[0] == "f":
        x, e = t.float_at(i, n, bits), FLOAT[bits]
        return x if compute not in BITS else Ops(t, e).to(compute, "fpext", x)
    cell = 16 if bits == 16 else 64 if bits == 64 else 32
    o = Ops(t, f"i{cell}")
    x = t.source_at(i, n, cell)
    if bits < cell:  # 24-bit operands are the low bits of a register
        x = o("ashr" if kind[0] == "i" else "lshr", o("shl", x, cell - bits), cell - bits)
    return x if compute in BITS else o.to(compute, "sext" if kind[0] == "i" else "zext", x)


def put(t: BlockTranslator, i: MCInst, value: str, kind: str, compute: str, clamped: bool = False) -> None:
    """Writes operand 0 from a value of the type that was computed in."""
    bits = _width(kind)
    if kind[0] != "f":
        return t.result_at(i, Ops(t, compute).to(f"i{bits}", "trunc", value), bits, clamped=clamped)
    e = FLOAT[bits]
    if compute == "double" and e == "half":
        value, compute = round_to_odd(t, True, value), "float"
    o = Ops(t, compute)
    t.float_result(i, to_half(o, value) if bits == 16 else o.to(e, "fptrunc", value), bits)


def to_half(o: Ops, value: str, sources: Sequence[str] = ()) -> str:
    """Floats as f16. What overflows is infinite, or the greatest number where MODE says so (FP16_OVFL), which keeps
    infinities that come of infinities (MI300 ISA, section 3.6): those of `value`, or where that is f16 itself, those of
    the `sources` that it was computed from."""
    out = o.to("half", "fptrunc", value)
    if not o.t.mode.saturates:
        return out
    if o.e == "half" and not sources:
        raise UnsupportedForm("MODE clamps 16-bit floats that overflow")
    half = o.at("half")
    over = half.cmp("oeq", half.fn("fabs", out), math.inf)
    for x in sources or (value,):
        over = Bool(o.t)("and", over, o.cmp("one", o.fn("fabs", x), math.inf))
    return half.select(over, half.fn("copysign", 65504.0, out), out)


def row(
    rule: Rule, sources: str, result: str, *, compute: str = "", gives: str = "", far: bool = False,
    clamp: bool = False, adds: bool = False,
) -> Handler:  # fmt: skip
    """A handler. `sources`: kinds of operands 1, 2, ...: f, i or u (integers that extend with or without sign) and a
    width; `result`: of operand 0. `compute`: the type the rule works in, if not the result's; `gives`: the type it
    returns, if another one; `far`: as a function of its own; `clamp`: the clamp bit saturates an integer result, found
    by computing in 64 bits; `adds`: the last source is the destination's old value."""
    kinds = sources.split()
    own = compute or (FLOAT[_width(result)] if result[0] == "f" else f"i{max(16, *map(_width, [*kinds, result]))}")

    def handler(t: BlockTranslator, i: MCInst) -> None:
        saturates = result[0] != "f" and bool(i.int("clamp"))
        if saturates and not clamp:
            raise UnsupportedForm("clamp on this instruction")
        e = "i64" if saturates else own
        out = gives or e
        places = [*range(1, len(kinds)), 0 if adds else len(kinds)]
        args = [fetch(t, i, n, kind, e) for n, kind in zip(places, kinds, strict=True)]
        o = Ops(t, e)
        if far:
            name = f"ave_{i.name}{'_clamp' if saturates else ''}{'' if t.mode.ieee else '_plain'}"
            pairs = [(carried(kind, e), x) for kind, x in zip(kinds, args, strict=True)]
            value = function(t, name, out, lambda *xs: rule(o, *xs), *pairs)
        else:
            value = rule(o, *args)
        if (
            result == "f16" and out == "half" and t.mode.saturates and "div" not in i.name
        ):  # a quotient by 0 is infinite, and no overflow
            return t.float_result(i, to_half(o, value, args), 16)
        put(t, i, saturated(o, value, result) if saturates else value, result, out, saturates)

    return handler


def carried(kind: str, compute: str) -> str:
    """The type in which a rule gets an operand of a kind."""
    if kind[0] == "f":
        return compute if compute in BITS else FLOAT[_width(kind)]
    return f"i{max(16, _width(kind))}" if compute in BITS else compute


def saturated(o: Ops, value: str, kind: str) -> str:
    """A signed value brought into the range of an integer kind."""
    bits, signed = _width(kind), kind[0] == "i"
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return o.fn("smin", o.fn("smax", value, low), high)


def raw(t: BlockTranslator, i: MCInst, n: int, bits: int) -> str:
    """Operand `n` as a pattern, where neg and abs may change its sign bit, but nothing else does (denormals stay)."""
    return operands.source_at(t, i, n, bits, floating=True)


def lanes(t: BlockTranslator, i: MCInst, n: int) -> str:
    """A scalar operand as one bit for each lane."""
    return t.lanes_of(t.scalar_source(i.operands[n], 64))


# -- moves -------------------------------------------------------------------------------------------------------------


def _swap(t: BlockTranslator, i: MCInst) -> None:
    a, b = i.operands
    x, y = t.source(a), t.source(b)
    t.set_result(a, y)
    t.set_result(b, x)


def _cndmask(t: BlockTranslator, i: MCInst) -> None:
    x, y = (raw(t, i, n, 32) for n in (1, 2))
    t.result_at(i, Ops(t, "i32").select(lanes(t, i, 3), y, x))


def move(bits: int) -> Handler:
    """A handler that copies operand 1 to operand 0."""
    return row(lambda o, x: x, f"u{bits}", f"u{bits}")


def kinds(names: Sequence[str], make: Callable[[str], Handler], pattern: str) -> dict[str, Handler]:
    """Rows whose mnemonics differ in one part: {} in `pattern`."""
    return {pattern.format(name): make(name) for name in names}


TABLE: dict[str, Handler] = {
    "v_mov_b32": move(32), "v_mov_b64": move(64), "v_swap_b32": _swap, "v_cndmask_b32": _cndmask,
}  # fmt: skip
