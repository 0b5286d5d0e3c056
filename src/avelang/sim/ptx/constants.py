"""Constant expressions come in; their values go out (PTX ISA, 4.5.5 and 4.5.6, "Constant expressions": 64 bits,
unsigned where an operand is)."""

from __future__ import annotations

from avelang.base.errors import error
from avelang.nvptx import nodes as n
from avelang.nvptx.special_registers import CONSTANTS

_MASK = (1 << 64) - 1


def _signed(x: int) -> int:
    x &= _MASK
    return x - (1 << 64) if x >> 63 else x


def fold(o: n.Operand) -> int:
    """The integer that an expression stands for. Raises X030 where it is none."""
    value, _ = _fold(o)
    return value


def _fold(o: n.Operand) -> tuple[int, bool]:
    """(value, whether it is unsigned)."""
    if isinstance(o, n.Int):
        return o.value, o.unsigned or o.value > (1 << 63) - 1
    if isinstance(o, n.SymbolOperand) and o.name in CONSTANTS:
        return CONSTANTS[o.name], False
    if isinstance(o, n.Unary):
        x, unsigned = _fold(o.operand)
        if o.op in ("(.s64)", "(.u64)"):
            return (_signed(x), False) if o.op == "(.s64)" else (x & _MASK, True)
        value = {"-": -x, "+": x, "~": ~x, "!": int(not x)}[o.op]
        return (value & _MASK, True) if unsigned and o.op != "!" else (value, False)
    if isinstance(o, n.Ternary):
        return _fold(o.then) if fold(o.condition) else _fold(o.other)
    if isinstance(o, n.Binary):
        return _binary(o)
    raise error("X030", what="a constant expression", why=f"{type(o).__name__} is no integer constant")


def _binary(o: n.Binary) -> tuple[int, bool]:
    (a, ua), (b, ub) = _fold(o.left), _fold(o.right)
    unsigned = ua or ub
    if unsigned and o.op not in ("<<", ">>"):
        a, b = a & _MASK, b & _MASK
    if o.op in ("/", "%"):
        if b == 0:
            raise error("X030", what="a constant expression", why="it divides by zero")
        q = abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)
        return (q if o.op == "/" else a - q * b), unsigned
    if o.op in ("<<", ">>"):
        return (_signed(a << b) if not ua else a << b & _MASK) if o.op == "<<" else a >> b, ua
    compared = {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "&&": bool(a and b),
        "||": bool(a or b)}
    if o.op in compared:
        return int(compared[o.op]), False
    value = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[o.op]
    return (value & _MASK if unsigned else _signed(value)), unsigned
