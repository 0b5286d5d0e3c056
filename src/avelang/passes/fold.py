"""Fold: an op whose operands are constants comes in; the Python value that it computes goes out, exactly as `ir/ops.py`
defines it."""

from __future__ import annotations

from typing import Any

from avelang.ir.core import Op
from avelang.ir.dtypes import DType
from avelang.ir.elementwise import COMPARE, ELEMENTWISE, wrap


def known(op: Op, i: int) -> Any:
    """The constant that operand `i` is, or None."""
    d = op.operands[i].op
    return d.attrs["value"] if d is not None and d.name == "const" else None


def fold(op: Op) -> int | float | bool | None:
    """The value of an op on scalar integers or conditions, or None where it is not constant."""
    if len(op.results) != 1 or not isinstance(op.result.type, DType) or not op.operands or op.regions:
        return None
    values = []
    for v in op.operands:
        made = v.op
        if made is None or made.name != "const" or not isinstance(made.attrs["value"], int):
            return None
        values.append(made.attrs["value"])
    d = op.operands[0].type
    if not isinstance(d, DType):
        return None
    row = ELEMENTWISE.get(op.name)
    if row is not None and row.exact is not None:
        return wrap(row.exact(*map(int, values), d), d)
    if op.name == "cmp":
        return COMPARE[op.attrs["pred"]](*values)
    if op.name == "convert" and not op.result.type.is_float:
        return bool(values[0]) if op.result.type.kind == "bool" else wrap(int(values[0]), op.result.type)
    if op.name == "select":
        return values[1] if values[0] else values[2]
    return None


def identity(op: Op) -> int | None:
    """The operand that an op on scalar integers merely passes on (x + 0, x * 1, select of a constant condition), or
    None."""
    if op.name == "select" and known(op, 0) is not None and isinstance(known(op, 0), bool):
        return 1 if known(op, 0) else 2
    row, t = ELEMENTWISE.get(op.name), op.result.type
    if row is None or row.arity != 2 or not isinstance(t, DType) or not (t.is_int or t.kind == "bool"):
        return None
    for i, other in ((1, 0), (0, 1)) if row.commutes else ((1, 0),):
        c = known(op, i)
        if c is not None and c == row.neutral:
            return other
        if c is not None and c == row.absorbs:
            return i
    return None
