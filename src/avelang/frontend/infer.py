"""Type rules: the dtypes of two operands come in, the dtype in which they meet goes out; and what a literal may
become."""

from __future__ import annotations

import math

from avelang.base.lazy import np
from avelang.ir.dtypes import BY_NAME, DType, f32, i32, i64, u1, u64

# More trips, or items, than this are not unrolled at compile time.
MOST_TRIPS = 65536
BITWISE = frozenset({"and", "or", "xor"})
SMALL = 240  # the largest number of the float with the least range: every one holds all that are no larger, rounded


def promote(a: DType, b: DType) -> DType:
    """The common type of two run-time values: the wider integer, unsigned where widths are equal; the float where an
    integer meets a float; the wider float, f32 for f16 with bf16 and for two kinds of fp8; an fp8 gives way to any
    other float; u1 gives way to anything."""
    if a == b:
        return a
    if a.kind == "bool" or b.kind == "bool":
        return b if a.kind == "bool" else a
    if a.is_float != b.is_float:
        return a if a.is_float else b
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return f32 if a.is_float else BY_NAME[f"u{a.bits}"]


def default(number: float | int | bool) -> DType:
    """The type of a number that meets nothing typed: u1, i32 (or the first of i64, u64 that holds it), f32."""
    if isinstance(number, bool):
        return u1
    if isinstance(number, float):
        return f32
    return next((d for d in (i32, i64) if d.min <= number <= d.max), u64)


def fits(number: float | int | bool, d: DType, bitwise: bool = False) -> bool:
    """True if a literal may become a `d`: integers exactly (for bitwise operations either sign's bit pattern will do),
    floats rounded but not to infinity; a float becomes an integer only where it is a whole number."""
    if d.kind == "bool":
        return number in (0, 1)
    if d.is_int:
        low = -(1 << (d.bits - 1)) if bitwise else d.min
        high = (1 << d.bits) - 1 if bitwise else d.max
        return math.isfinite(number) and number == int(number) and low <= number <= high
    if abs(number) <= SMALL or (isinstance(number, float) and not math.isfinite(number)):
        return True
    try:
        with np.errstate(all="ignore"):
            return bool(np.isfinite(np.array(float(number)).astype(d.np).astype(np.float64)))
    except OverflowError:
        return False


def with_literal(d: DType, number: float | int | bool) -> DType:
    """The common type of a run-time `d` and a literal: `d`, but a float literal takes an integer to f32, and a number
    takes a condition along."""
    if d.kind == "bool":
        return u1 if isinstance(number, bool) else default(number)
    return f32 if d.is_int and isinstance(number, float) else d


def stores_into(value: DType, target: DType) -> bool:
    """True if a run-time value converts by itself when it is stored: between integers, and between floats; a condition
    into anything."""
    alike = value.is_int == target.is_int and value.is_float == target.is_float
    return value.kind == "bool" or alike and target.kind != "bool"


def carries(init: DType, new: DType) -> bool:
    """True if a name that held `init` before a loop keeps that type when the loop gives it a `new`: only signedness may
    be lost."""
    return promote(init, new) == init or (init.is_int and new.is_int and init.bits == new.bits)
