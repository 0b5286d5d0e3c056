"""Literals chosen at run time, `7 if c else 3`: numbers come in; a value whose type is as open as a literal's goes
out."""

from __future__ import annotations

from typing import Any

from avelang.frontend.frame import Frame
from avelang.frontend.infer import fits, with_literal
from avelang.frontend.values import is_number
from avelang.ir.core import Value
from avelang.ir.dtypes import DType


def literals(f: Frame, v: Any) -> tuple[int | float, ...]:
    """The numbers among which `v` was chosen, or `v` itself where it is one; none where it has a type of its own."""
    if is_number(v):
        return (v,)
    sides = f.build.choices.get(v) if isinstance(v, Value) else None
    return () if sides is None else (*literals(f, sides[1]), *literals(f, sides[2]))


def remember(f: Frame, cond: Value, a: Any, b: Any, chosen: Any) -> None:
    """Notes that `chosen` is a choice between two literals, or between choices of such."""
    if not (literals(f, a)
            and literals(f, b)) or not isinstance(chosen, Value) or chosen.op is None or chosen.op.name != "select":
        return
    if chosen.type.kind != "bool":  # type: ignore[union-attr]
        f.build.choices[chosen] = (cond, a, b)


def typed(f: Frame, v: Any, d: DType) -> Value:
    """The same choice among literals of dtype `d`, which they fit."""
    if is_number(v):
        return f.b.const(v, d)
    cond, a, b = f.build.choices[v]
    return f.b.select(cond, typed(f, a, d), typed(f, b, d))


def literal_dtype(f: Frame, v: Any, d: DType) -> DType | None:
    """The dtype that the literals of a choice take beside a run-time `d`; None if one does not fit, or `v` is no
    choice."""
    numbers = literals(f, v)
    for number in numbers:
        d = with_literal(d, number)
    return d if numbers and all(fits(number, d) for number in numbers) else None


def stored(f: Frame, v: Any, d: DType) -> Value | None:
    """A choice as what is stored into a `d`; None where its literals do not become that by themselves, or `v` is no
    choice."""
    numbers = literals(f, v) if isinstance(v, Value) else ()
    fit = numbers and all(fits(x, d) and (d.is_float or not isinstance(x, float)) for x in numbers)
    return typed(f, v, d) if fit else None
