"""Integer arithmetic as the ops define it, on Python numbers: two values and their dtype come in, the exact result goes out, to be wrapped.

The one copy of these rules outside the executors: the folding pass and the emitters' knowledge of lane constants share it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from avelang.ir.dtypes import DType


def wrap(x: int, d: DType) -> int | bool:
    """An integer brought into the range of `d`, as the hardware wraps it."""
    if d.kind == "bool":
        return bool(x & 1)
    x &= (1 << d.bits) - 1
    return x - (1 << d.bits) if d.kind == "int" and x > d.max else x


def _div(a: int, b: int) -> int:
    if b == 0:
        return -1
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def _shift(b: int, d: DType) -> int:
    return min(b & ((1 << d.bits) - 1), d.bits)


# name -> (a, b, dtype) -> value before wrapping
INT: dict[str, Callable[[int, int, DType], int]] = {
    "add": lambda a, b, d: a + b,
    "sub": lambda a, b, d: a - b,
    "mul": lambda a, b, d: a * b,
    "div": lambda a, b, d: _div(a, b),
    "rem": lambda a, b, d: a - b * _div(a, b) if b else a,
    "floordiv": lambda a, b, d: a // b if b else -1,
    "mod": lambda a, b, d: a % b if b else a,
    "and": lambda a, b, d: a & b,
    "or": lambda a, b, d: a | b,
    "xor": lambda a, b, d: a ^ b,
    "shl": lambda a, b, d: a << _shift(b, d),
    "shr": lambda a, b, d: a >> _shift(b, d),
    "min": lambda a, b, d: min(a, b),
    "max": lambda a, b, d: max(a, b),
}
COMPARE = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}
