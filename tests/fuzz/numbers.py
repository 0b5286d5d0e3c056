"""The language's numbers in plain Python, by the words of docs/language.md and of the table in `avelang.ir.ops`: nothing of the compiler is used here.

An integer is a Python int in its range, a float the Python float of the same value, a condition 0 or 1. Every float format is rounded to by one
function, from an exact value.
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import Any

NAN, INF = math.nan, math.inf


class Kind:
    """A dtype: `kind` is "int", "uint", "float" or "bool"; of a float `digits` binary digits, `least` the exponent of the least subnormal, `greatest` the
    greatest number, `over` what lies beyond, and whether there is a `zero` with a minus."""

    def __init__(self, name: str, kind: str, bits: int, digits: int = 0, least: int = 0, greatest: float = 0.0, over: float = INF, zero: bool = True):
        self.name, self.kind, self.bits = name, kind, bits
        self.digits, self.least, self.greatest, self.over, self.zero = digits, least, greatest, over, zero
        self.bytes = max(1, bits // 8)
        self.is_int, self.is_float = kind in ("int", "uint"), kind == "float"
        self.low = -(1 << bits - 1) if kind == "int" else 0
        self.high = (1 << bits - (kind == "int")) - 1

    def __repr__(self) -> str:
        return self.name


KINDS = {
    k.name: k
    for k in (
        Kind("u1", "bool", 1),
        *(Kind(f"i{b}", "int", b) for b in (8, 16, 32, 64)),
        *(Kind(f"u{b}", "uint", b) for b in (8, 16, 32, 64)),
        Kind("f16", "float", 16, 11, -24, 65504.0),
        Kind("bf16", "float", 16, 8, -133, 255 * 2.0**120),
        Kind("f32", "float", 32, 24, -149, (2.0**24 - 1) * 2.0**104),
        Kind("f64", "float", 64, 53, -1074, (2.0**53 - 1) * 2.0**971),
        Kind("f8e4m3fn", "float", 8, 4, -9, 448.0, NAN),
        Kind("f8e5m2", "float", 8, 3, -16, 57344.0),
        Kind("f8e4m3fnuz", "float", 8, 4, -10, 240.0, NAN, False),
        Kind("f8e5m2fnuz", "float", 8, 3, -17, 57344.0, NAN, False),
    )
}
U1, I32, U32, F32, F64 = (KINDS[x] for x in ("u1", "i32", "u32", "f32", "f64"))


# -- rounding ----------------------------------------------------------------------------------------------------------------------------------


def wrap(v: int, k: Kind) -> int:
    """An integer of any size as one of `k`."""
    v &= (1 << k.bits) - 1
    return v - (1 << k.bits) if k.kind == "int" and v >> k.bits - 1 else v


def rounded(x: float, k: Kind) -> float:
    """A number that a Python float holds exactly, rounded once to nearest even."""
    if k.digits == 53:
        return x
    if x != x or x in (INF, -INF):
        return x if x != x or k.over == INF else NAN
    if x == 0:
        return x if k.zero else 0.0
    unit = max(math.frexp(x)[1] - k.digits, k.least)
    try:
        y = math.ldexp(round(math.ldexp(x, -unit)), unit)
    except OverflowError:
        y = INF
    return _limited(y, x, k)


def exactly(x: Fraction | int, k: Kind) -> float:
    """An exact number, rounded once to nearest even; 0 has no sign."""
    if not x:
        return 0.0
    x = Fraction(x)
    top = abs(x.numerator).bit_length() - x.denominator.bit_length()
    top += 0 if abs(x) < Fraction(2) ** top else 1  # now 2**(top - 1) <= |x| < 2**top
    unit = max(top - k.digits, k.least)
    r = round(x / Fraction(2) ** unit)
    try:
        y = math.ldexp(r, unit)
    except OverflowError:
        y = INF if x > 0 else -INF
    return _limited(y, float(x > 0) or -1.0, k)


def _limited(y: float, sign: float, k: Kind) -> float:
    if abs(y) > k.greatest:
        return math.copysign(k.over, sign)
    if y == 0:
        return math.copysign(0.0, sign) if k.zero else 0.0
    return y


# -- bits --------------------------------------------------------------------------------------------------------------------------------------


def _small(bits: int, k: Kind) -> float:
    """The value of 8 bits."""
    mantissa = k.digits - 1
    sign, exponent, rest = -1.0 if bits & 128 else 1.0, (bits & 127) >> mantissa, bits & (1 << mantissa) - 1
    top = (127 >> mantissa, (1 << mantissa) - 1)
    if not k.zero and bits == 128:
        return NAN
    if k.name == "f8e4m3fn" and (exponent, rest) == top:
        return NAN
    if k.name == "f8e5m2" and exponent == top[0]:
        return NAN if rest else sign * INF
    return sign * math.ldexp(rest if not exponent else rest + (1 << mantissa), k.least + max(exponent - 1, 0))


_DECODED = {k.name: [_small(b, k) for b in range(256)] for k in KINDS.values() if k.bits == 8 and k.is_float}
_ENCODED = {name: {(v, math.copysign(1.0, v)): b for b, v in enumerate(row) if v == v} for name, row in _DECODED.items()}
_NAN8 = {"f8e4m3fn": 0x7F, "f8e5m2": 0x7F, "f8e4m3fnuz": 0x80, "f8e5m2fnuz": 0x80}
_STRUCT = {"f16": "<e", "f32": "<f", "f64": "<d"}


def to_bits(v: Any, k: Kind) -> int:
    """The bits of a number, as an unsigned integer; of NaN those of one of them."""
    if not k.is_float:
        return int(v) & (1 << k.bits) - 1
    if k.name in _DECODED:
        return _NAN8[k.name] if v != v else _ENCODED[k.name][v, math.copysign(1.0, v)]
    if k.name == "bf16":
        return int.from_bytes(struct.pack("<f", v), "little") >> 16 if v == v else 0x7FC0
    return int.from_bytes(struct.pack(_STRUCT[k.name], v), "little")


def from_bits(b: int, k: Kind) -> Any:
    """The number with these bits."""
    if k.kind == "bool":
        return int(b != 0)
    if not k.is_float:
        return wrap(b, k)
    if k.name in _DECODED:
        return _DECODED[k.name][b]
    if k.name == "bf16":
        return struct.unpack("<f", (b << 16).to_bytes(4, "little"))[0]
    return struct.unpack(_STRUCT[k.name], b.to_bytes(k.bytes, "little"))[0]


# -- conversions -------------------------------------------------------------------------------------------------------------------------------


def convert(v: Any, a: Kind, b: Kind) -> Any:
    """The number in another dtype."""
    if a is b:
        return v
    if b.kind == "bool":
        return int(v != 0)
    if b.is_float:
        return rounded(v, b) if a.is_float else exactly(v, b)
    if not a.is_float:
        return wrap(v, b)
    if v != v:
        return 0
    if v in (INF, -INF):
        return b.high if v > 0 else b.low
    return min(max(math.trunc(v), b.low), b.high)


def meet(a: Kind, b: Kind, arithmetic: bool = True) -> Kind:
    """The dtype in which two run-time numbers meet."""
    k = _meet(a, b)
    return I32 if arithmetic and k.kind == "bool" else k


def _meet(a: Kind, b: Kind) -> Kind:
    if a is b:
        return a
    if a.kind == "bool" or b.kind == "bool":
        return b if a.kind == "bool" else a
    if a.is_float != b.is_float:
        return a if a.is_float else b
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return F32 if a.is_float else a if a.kind == "uint" else b


# -- arithmetic: both operands of one kind, the result of the same --------------------------------------------------------------------------------


def _div(a: float, b: float) -> float:
    if b == 0:
        return NAN if a == 0 or a != a else math.copysign(INF, math.copysign(1.0, a) * math.copysign(1.0, b))
    return a / b


def _float_mod(a: float, b: float) -> float:
    return NAN if b == 0 or a in (INF, -INF) else a % b


def _float_floordiv(a: float, b: float) -> float:
    """Python's `//` where it has an answer; of zeros and infinities what `/` gives, rounded down."""
    if b == 0 or a != a or b != b or a in (INF, -INF):
        q = _div(a, b)
        return q if q != q or q in (INF, -INF) else float(math.floor(q))
    return a // b


FLOAT = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": _div, "mod": _float_mod, "floordiv": _float_floordiv,
}  # fmt: skip


def _truncated(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


INT = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: _truncated(a, b) if b else -1,
    "floordiv": lambda a, b: a // b if b else -1, "mod": lambda a, b: a % b if b else a, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}  # fmt: skip


def binary(name: str, a: Any, b: Any, k: Kind) -> Any:
    """`a name b` of two numbers of `k`."""
    if not k.is_float:
        return wrap(INT[name](a, b), k)
    # Two digits more than twice as many: rounding to f64 in between changes nothing (Figueroa, 1995).
    return rounded(FLOAT[name](a, b), k)


def shift(name: str, a: int, k: Kind, by: int, count: Kind) -> int:
    """`a << by` or `a >> by`; the count, of any integer kind, is read as unsigned."""
    by &= (1 << count.bits) - 1
    if name == "shl":
        return wrap(a << by, k) if by < k.bits else 0
    return a >> min(by, k.bits)


def least(a: Any, b: Any, k: Kind) -> Any:
    """The lesser; of NaN and a number the number, of zeros the one with a minus."""
    if k.is_float:
        if a != a or b != b:
            return b if a != a else a
        if a == b == 0:
            return a if math.copysign(1.0, a) < 0 else b
    return min(a, b)


def greatest(a: Any, b: Any, k: Kind) -> Any:
    if k.is_float:
        if a != a or b != b:
            return b if a != a else a
        if a == b == 0:
            return b if math.copysign(1.0, a) < 0 else a
    return max(a, b)


def fma(a: Any, b: Any, c: Any, k: Kind) -> Any:
    """a * b + c, rounded once."""
    if not k.is_float:
        return wrap(a * b + c, k)
    if math.isfinite(a) and math.isfinite(b) and not math.isfinite(c):
        return rounded(c, k)  # however large the product
    if not all(map(math.isfinite, (a, b, c))):
        return rounded(a * b + c, k)
    total = Fraction(a) * Fraction(b) + Fraction(c)
    if total:
        return exactly(total, k)
    return rounded(a * b + c, k) if a == 0 or b == 0 else 0.0


def sqrt(a: float, k: Kind) -> float:
    return NAN if a < 0 else a if a != a or a in (0.0, INF) else rounded(math.sqrt(a), k)


def whole(f: Any, a: float, k: Kind) -> float:
    """`math.floor` or `math.ceil` of a float, as a float; a zero keeps its sign, and so does what is rounded to one."""
    return a if not math.isfinite(a) or a == 0 else rounded(math.copysign(float(f(a)), a), k)
