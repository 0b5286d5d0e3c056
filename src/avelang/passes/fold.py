"""Fold: an op whose operands are constants comes in; the Python value that it computes goes out, exactly as `ir/ops.py` defines it."""

from __future__ import annotations

from typing import Any

from avelang.ir.core import Op
from avelang.ir.dtypes import DType
from avelang.ir.integers import COMPARE, INT, wrap

# op -> what a constant right operand must be for the result to be the left operand
_NEUTRAL: dict[str, int] = {"add": 0, "sub": 0, "mul": 1, "div": 1, "floordiv": 1, "or": 0, "xor": 0, "shl": 0, "shr": 0}
_COMMUTES = frozenset({"add", "mul", "or", "xor", "and"})
_ABSORBS: dict[str, int] = {"mul": 0, "and": 0}


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
    if op.name in INT and len(values) == 2:
        return wrap(INT[op.name](int(values[0]), int(values[1]), d), d)
    if op.name == "cmp":
        return COMPARE[op.attrs["pred"]](*values)
    if op.name == "not":
        return wrap(~int(values[0]), d)
    if op.name == "neg":
        return wrap(-values[0], d)
    if op.name == "convert" and not op.result.type.is_float:
        return bool(values[0]) if op.result.type.kind == "bool" else wrap(int(values[0]), op.result.type)
    if op.name == "select":
        return values[1] if values[0] else values[2]
    return None


def identity(op: Op) -> int | None:
    """Which operand an op on scalar integers merely passes on (x + 0, x * 1, select of a constant condition), or None."""
    if op.name == "select" and known(op, 0) is not None and isinstance(known(op, 0), bool):
        return 1 if known(op, 0) else 2
    if len(op.operands) != 2 or not isinstance(op.result.type, DType) or not (op.result.type.is_int or op.result.type.kind == "bool"):
        return None
    for i, other in ((1, 0), (0, 1)):
        c = known(op, i)
        if c is None or (i == 0 and op.name not in _COMMUTES):
            continue
        if op.name in _NEUTRAL and c == _NEUTRAL[op.name]:
            return other
        if op.name in _ABSORBS and c == _ABSORBS[op.name]:
            return i
    return None
