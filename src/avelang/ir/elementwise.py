"""Ops on numbers, element by element: one row each, from which come the op with its type rule, the reference's NumPy,
folding, algebraic identities and ranges. Functions of one number have rows of their own (`ir/functions`).

`exact` and `ints` say the same twice, of Python's integers and of arrays, and are tested against one another.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from typing import Any

from avelang.base.lazy import np
from avelang.ir.dtypes import DType

Range = tuple[int, int]
Arrays = Callable[..., Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Elementwise:
    """An op on `arity` operands of one type, whose dtype has one of `kinds`, and with a result of that type.

    `exact(*numbers, dtype)`: its value on integers, before wrapping; None where it is not folded. `ints`, `floats`:
    NumPy of it on arrays, a function or the name of NumPy's; floats are computed in f32, or in f64 where `wide`, and
    rounded once. `neutral`: the right operand with which the result is the left one. `absorbs`: the operand that is the
    result itself. `commutes`: operands may be exchanged. `bounds`: the range of the result before wrapping, from those
    of two operands; None where it is not known."""

    name: str
    doc: str
    ints: Arrays | str
    floats: Arrays | str = ""
    exact: Callable[..., int] | None = None
    kinds: str = "int uint float"
    arity: int = 2
    neutral: int | None = None
    absorbs: int | None = None
    commutes: bool = False
    bounds: Callable[[Range, Range], Range | None] | None = None
    wide: bool = False

    def numpy(self, is_float: bool) -> Arrays:
        """NumPy's function for arrays of integers or of floats."""
        f = self.floats if is_float else self.ints
        return getattr(np, f) if isinstance(f, str) else f


# -- integers --------------------------------------------------------------------------------------------------------


def wrap(x: int, d: DType) -> int | bool:
    """An integer brought into the range of `d`, as the hardware wraps it."""
    if d.kind == "bool":
        return bool(x & 1)
    x &= (1 << d.bits) - 1
    return x - (1 << d.bits) if d.kind == "int" and x > d.max else x


def _quotient(a: int, b: int) -> int:
    if b == 0:
        return -1
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def _count(b: int, d: DType) -> int:
    """A shift's count, read as unsigned, no larger than the width."""
    return min(b & ((1 << d.bits) - 1), d.bits)


# -- arrays ----------------------------------------------------------------------------------------------------------


def _by_zero(f: Arrays, at_zero: Arrays) -> Arrays:
    """`f`, except where the divisor is zero."""

    def divide(a: Any, b: Any) -> Any:
        zero = b == 0
        return np.where(zero, at_zero(a), f(a, np.where(zero, b.dtype.type(1), b))) if zero.any() else f(a, b)

    return divide


def _ones(a: Any) -> Any:
    return np.invert(np.zeros_like(a))


def _same(a: Any) -> Any:
    return a.copy()


def _truncated(a: Any, b: Any) -> Any:
    """Division rounded toward zero; NumPy's rounds down."""
    q = np.floor_divide(a, b)
    if a.dtype.kind == "u":
        return q
    inexact = q * b != a
    return q + (inexact & ((a < 0) != (b < 0))).astype(a.dtype)


def _unsigned(b: Any) -> Any:
    return b.view(f"u{b.dtype.itemsize}")


def _shl(a: Any, b: Any) -> Any:
    by = _unsigned(b)
    inside = by < a.dtype.itemsize * 8
    return np.where(inside, np.left_shift(a, np.where(inside, by, 0).astype(a.dtype)), a.dtype.type(0))


def _shr(a: Any, b: Any) -> Any:
    width, by = a.dtype.itemsize * 8, _unsigned(b)
    inside = by < width
    shifted = np.right_shift(a, np.where(inside, by, width - 1).astype(a.dtype))
    return shifted if a.dtype.kind == "i" else np.where(inside, shifted, a.dtype.type(0))


def _floor_quotient(a: Any, b: Any) -> Any:
    """Of f64: the quotient rounded toward minus infinity; x // 0 is x / 0."""
    q = a / b
    return np.where(np.isfinite(q), np.floor_divide(a, b), np.floor(q))


def _greatest(a: Any, b: Any) -> Any:
    """NumPy's fmax gives either zero of two; their sum is +0 unless both are -0."""
    return np.where((a == 0) & (b == 0), a + b, np.fmax(a, b))


def _least(a: Any, b: Any) -> Any:
    return -_greatest(-a, -b)


# -- ranges ----------------------------------------------------------------------------------------------------------


def _corners(f: Callable[[int, int], int]) -> Callable[[Range, Range], Range]:
    """The range of a function that is monotonic in each operand."""

    def rule(a: Range, b: Range) -> Range:
        found = [f(x, y) for x in a for y in b]
        return min(found), max(found)

    return rule


def _div_range(a: Range, b: Range) -> Range | None:
    return (a[0] // b[1], a[1] // b[0]) if a[0] >= 0 and b[0] > 0 else None


def _rem_range(a: Range, b: Range) -> Range | None:
    return (0, min(a[1], b[1] - 1)) if a[0] >= 0 and b[0] > 0 else None


def _mod_range(a: Range, b: Range) -> Range | None:
    return _rem_range(a, b) or ((0, b[1] - 1) if b[0] > 0 else None)


def _and_range(a: Range, b: Range) -> Range | None:
    high = [x[1] for x in (a, b) if x[0] >= 0]
    return (0, min(high)) if high else None


def _or_range(a: Range, b: Range) -> Range | None:
    return (0, (1 << max(a[1], b[1]).bit_length()) - 1) if a[0] >= 0 and b[0] >= 0 else None


def _shl_range(a: Range, b: Range) -> Range | None:
    return (a[0] << b[0], a[1] << b[1]) if a[0] >= 0 and b[0] >= 0 and b[1] < 64 else None


def _shr_range(a: Range, b: Range) -> Range | None:
    return (a[0] >> b[1], a[1] >> b[0]) if a[0] >= 0 and b[0] >= 0 and b[1] < 64 else None


# -- rows ------------------------------------------------------------------------------------------------------------

_BITS = "bool int uint"
_ROWS = (
    Elementwise("add", "a + b", "add", "add", lambda a, b, d: a + b, neutral=0, commutes=True,
                bounds=_corners(operator.add)),
    Elementwise("sub", "a - b", "subtract", "subtract", lambda a, b, d: a - b, neutral=0,
                bounds=_corners(operator.sub)),
    Elementwise("mul", "a * b", "multiply", "multiply", lambda a, b, d: a * b, neutral=1, absorbs=0, commutes=True,
                bounds=_corners(operator.mul)),
    Elementwise("div", "a / b; on integers truncated toward zero. Integer division by zero gives all ones (-1); min / "
                       "-1 gives min.",
                _by_zero(_truncated, _ones), "true_divide", lambda a, b, d: _quotient(a, b), neutral=1,
                bounds=_div_range),
    Elementwise("rem", "What `div` leaves over, with the sign of a. a rem 0 is a.",
                _by_zero(lambda a, b: np.fmod(a, b), _same), "fmod", lambda a, b,
                d: a - b * _quotient(a, b) if b else a, bounds=_rem_range),
    Elementwise("floordiv", "Division rounded toward minus infinity, as Python's //. By zero: as `div`.",
                _by_zero(lambda a, b: np.floor_divide(a, b), _ones), _floor_quotient, lambda a, b,
                d: a // b if b else -1,
                neutral=1, bounds=_div_range, wide=True),
    Elementwise("mod", "What `floordiv` leaves over, with the sign of b, as Python's %. By zero: a.",
                _by_zero(lambda a, b: np.mod(a, b), _same), "mod", lambda a, b, d: a % b if b else a,
                bounds=_mod_range, wide=True),
    Elementwise("and", "Bitwise and.", "bitwise_and", "", lambda a, b, d: a & b, _BITS, absorbs=0, commutes=True,
                bounds=_and_range),
    Elementwise("or", "Bitwise or.", "bitwise_or", "", lambda a, b, d: a | b, _BITS, neutral=0, commutes=True,
                bounds=_or_range),
    Elementwise("xor", "Bitwise exclusive or.", "bitwise_xor", "", lambda a, b, d: a ^ b, _BITS, neutral=0,
                commutes=True, bounds=_or_range),
    Elementwise("not", "Bitwise complement.", "invert", "", lambda a, d: ~a, _BITS, arity=1),
    Elementwise("shl", "a << b, b read as unsigned; 0 where b is the width or more.",
                _shl, "", lambda a, b, d: a << _count(b, d), "int uint", neutral=0, bounds=_shl_range),
    Elementwise("shr", "a >> b, arithmetic on signed types, b read as unsigned; only sign bits are left where b is the "
                       "width or more.",
                _shr, "", lambda a, b, d: a >> _count(b, d), "int uint", neutral=0, bounds=_shr_range),
    Elementwise("neg", "-a", "negative", "negative", lambda a, d: -a, arity=1),
    Elementwise("min", "The lesser; of floats, the number where one is NaN, and -0.0 is less than 0.0.",
                "minimum", _least, lambda a, b, d: min(a, b), bounds=_corners(min)),
    Elementwise("max", "The greater; of floats, the number where one is NaN, and 0.0 is greater than -0.0.",
                "maximum", _greatest, lambda a, b, d: max(a, b), bounds=_corners(max)),
)  # fmt: skip
ELEMENTWISE: dict[str, Elementwise] = {row.name: row for row in _ROWS}
# The exact value of those of two integers: (a, b, dtype) -> a number, to be wrapped.
INT: dict[str, Callable[[int, int, DType], int]] = {r.name: r.exact for r in _ROWS if r.arity == 2
                                                    and r.exact is not None}
# The predicates of `cmp`.
COMPARE: dict[str, Callable[[Any, Any], Any]] = {name: getattr(operator, name)
                                                 for name in ("eq", "ne", "lt", "le", "gt", "ge")}

# The kinds of `atomic` (and "add", of `atomic_add`): the new contents of memory, as arrays, from the old ones and the
# values.
ATOMICS: dict[str, Arrays] = {
    "add": lambda old, value: old + value,
    "exch": lambda old, value: value,
    "min": lambda old, value: _least(old, value) if old.dtype.kind == "f" else np.minimum(old, value),
    "max": lambda old, value: _greatest(old, value) if old.dtype.kind == "f" else np.maximum(old, value),
    "and": lambda old, value: old & value,
    "or": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value,
    "inc": lambda old, value: np.where(old >= value, np.zeros_like(old), old + 1),
    "dec": lambda old, value: np.where((old == 0) | (old > value), value, old - 1),
    "cas": lambda old, expected, value: np.where(old == expected, value, old),
}
