"""Arithmetic of PTX's types in exact integers and fractions: patterns come in, patterns go out. What the executor is
held against; it shares no code."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction


def signed(x: int, bits: int) -> int:
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> bits - 1 else x


def clamp(x: int, bits: int, is_signed: bool) -> int:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return max(low, min(high, x))


@dataclasses.dataclass(frozen=True)
class Float:
    """A format: bits of exponent and mantissa; fp8's e4m3 has no infinity."""

    e: int
    m: int
    nan: int
    infinite: bool = True

    @property
    def bits(self) -> int:
        return 1 + self.e + self.m

    @property
    def bias(self) -> int:
        return (1 << self.e - 1) - 1

    @property
    def top(self) -> int:
        """The code of infinity; of e4m3 the one behind the greatest number."""
        return ((1 << self.e) - 1) << self.m if self.infinite else 0x7F

    def is_nan(self, x: int) -> bool:
        a = x & (1 << self.bits - 1) - 1
        return a > self.top if self.infinite else a == 0x7F

    def is_inf(self, x: int) -> bool:
        return self.infinite and x & (1 << self.bits - 1) - 1 == self.top

    def sign(self, x: int) -> int:
        return x >> self.bits - 1 & 1

    def value(self, x: int) -> Fraction:
        """Of a finite number."""
        field, frac = x >> self.m & (1 << self.e) - 1, x & (1 << self.m) - 1
        scale = max(field, 1) - self.bias - self.m
        whole = frac + (1 << self.m if field else 0)
        return Fraction(whole * (-1 if self.sign(x) else 1)) * (Fraction(2) ** scale)

    def flushed(self, x: int) -> int:
        return x & 1 << self.bits - 1 if not x >> self.m & (1 << self.e) - 1 else x

    def round(self, v: Fraction, mode: str = "rn", zero: int = 0, finite: bool = False) -> int:
        """A number in this format; `zero`: the sign of an exact zero; `finite`: the greatest number instead of
        infinity."""
        if v == 0:
            return zero << self.bits - 1
        sign, a = v < 0, abs(v)
        scale = max(exponent(a), 1 - self.bias)
        steps = a / Fraction(2) ** (scale - self.m)
        low = steps.numerator // steps.denominator
        rest = steps - low
        if mode in ("rn", "rna"):
            up = rest > Fraction(1, 2) or rest == Fraction(1, 2) and (mode == "rna" or low & 1)
        else:
            up = rest != 0 and mode == ("rm" if sign else "rp")
        low += up
        # Steps count from zero on, so that a carry goes into the exponent by itself.
        code = low + (scale - 1 + self.bias << self.m) if low >= 1 << self.m else low
        if code >= self.top:
            toward_zero = mode == "rz" or mode == ("rp" if sign else "rm")
            code = self.top - 1 if finite or toward_zero or not self.infinite else self.top
        return sign << self.bits - 1 | code


def exponent(a: Fraction) -> int:
    """The exponent of a positive number."""
    e = a.numerator.bit_length() - a.denominator.bit_length()
    return e if Fraction(2) ** e <= a else e - 1


F = {"f16": Float(5, 10, 0x7FFF), "bf16": Float(8, 7, 0x7FFF), "f32": Float(8, 23, 0x7FFFFFFF),
    "f64": Float(11, 52, 0x7FF8 << 48), "e4m3": Float(4, 3, 0x7F, False), "e5m2": Float(5, 2, 0x7F),
    "tf32": Float(8, 10, 0x3FFFF)}  # fmt: skip


def add(f: Float, a: int, b: int, mode: str = "rn") -> int:
    return fma(f, f.bias << f.m, a, b, mode)


def negated(f: Float, a: int) -> int:
    return a ^ 1 << f.bits - 1


def mul(f: Float, a: int, b: int, mode: str = "rn") -> int:
    if any(map(f.is_nan, (a, b))):
        return f.nan
    sign = f.sign(a) ^ f.sign(b)
    if f.is_inf(a) or f.is_inf(b):
        other = b if f.is_inf(a) else a
        return f.nan if not f.is_inf(other) and f.value(other) == 0 else sign << f.bits - 1 | f.top
    return f.round(f.value(a) * f.value(b), mode, sign)


def fma(f: Float, a: int, b: int, c: int, mode: str = "rn", g: Float | None = None) -> int:
    """a b + c rounded once to `f`; a and b may have a format of their own, `g`."""
    g = g or f
    if g.is_nan(a) or g.is_nan(b) or f.is_nan(c):
        return f.nan
    sign = g.sign(a) ^ g.sign(b)
    if g.is_inf(a) or g.is_inf(b):
        other = b if g.is_inf(a) else a
        if not g.is_inf(other) and g.value(other) == 0 or f.is_inf(c) and f.sign(c) != sign:
            return f.nan
        return sign << f.bits - 1 | f.top
    if f.is_inf(c):
        return c
    product, addend = g.value(a) * g.value(b), f.value(c)
    # Zeros of one sign keep it; an exact zero of numbers of both signs is +0, or -0 where it is rounded down.
    if product == 0 and addend == 0:
        zero = sign if sign == f.sign(c) else int(mode == "rm")
    else:
        zero = int(mode == "rm")
    return f.round(product + addend, mode, zero)


def div(f: Float, a: int, b: int, mode: str = "rn") -> int:
    if f.is_nan(a) or f.is_nan(b) or f.is_inf(a) and f.is_inf(b):
        return f.nan
    sign = (f.sign(a) ^ f.sign(b)) << f.bits - 1
    if f.is_inf(a):
        return sign | f.top
    if f.is_inf(b):
        return sign
    if f.value(b) == 0:
        return f.nan if f.value(a) == 0 else sign | f.top
    return f.round(f.value(a) / f.value(b), mode, int(sign != 0))


def sqrt(f: Float, a: int, mode: str = "rn") -> int:
    if f.is_nan(a):
        return f.nan
    if f.value(a & (1 << f.bits - 1) - 1) == 0 if not f.is_inf(a) else False:
        return a
    if f.sign(a):
        return f.nan
    if f.is_inf(a):
        return a
    v = f.value(a)
    shift = 4 * (f.m + 40) + 2 * f.bias
    scaled = v * Fraction(2) ** (2 * shift)
    whole = math.isqrt(scaled.numerator // scaled.denominator)
    exact = Fraction(whole * whole) == scaled
    # Many more bits than the format has, and one behind them that says whether anything was lost.
    return f.round(Fraction(2 * whole + (not exact), 2) / Fraction(2) ** shift, mode)


def order(f: Float, x: int) -> int:
    """An integer that orders numbers, -0 below +0."""
    a = x & (1 << f.bits - 1) - 1
    return -a - 1 if f.sign(x) else a


def extreme(f: Float, a: int, b: int, least: bool, nan: bool = False) -> int:
    if f.is_nan(a) or f.is_nan(b):
        return f.nan if nan or f.is_nan(a) and f.is_nan(b) else b if f.is_nan(a) else a
    return (min if least else max)(a, b, key=lambda x: order(f, x))


def compare(f: Float | None, op: str, a: int, b: int) -> bool:
    """`f` None: integers as they are."""
    if f is not None:
        unordered = f.is_nan(a) or f.is_nan(b)
        if op in ("num", "nan"):
            return unordered == (op == "nan")
        if unordered:
            return op.endswith("u") and op != "u"
        op = op[:2]
        zero = (1 << f.bits - 1) - 1
        a, b = (0 if x & zero == 0 else order(f, x) for x in (a, b))
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b, "lo": a < b, "ls": a <= b,
        "hi": a > b, "hs": a >= b}[op]  # fmt: skip


def to_integer(f: Float, x: int, how: str, bits: int, is_signed: bool, wide: bool) -> int:
    """A float as an integer; `wide`: NaN is the top bit, not 0."""
    if f.is_nan(x):
        return 1 << bits - 1 if wide else 0
    if f.is_inf(x):
        return clamp(-(1 << 80) if f.sign(x) else 1 << 80, bits, is_signed) & (1 << bits) - 1
    return clamp(whole(f.value(x), how), bits, is_signed) & (1 << bits) - 1


def whole(v: Fraction, how: str) -> int:
    return {"rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil, "rni": round}[how](v)


def saturate(f: Float, x: int) -> int:
    """To [0, 1]."""
    one = f.bias << f.m
    if f.is_nan(x) or f.sign(x):
        return 0
    return min(x, one)


def convert(f: Float, g: Float, x: int, mode: str = "rn", finite: bool = False) -> int:
    if f.is_nan(x):
        return g.nan
    sign = f.sign(x) << g.bits - 1
    if f.is_inf(x):
        return sign | (g.top - 1 if finite or not g.infinite else g.top)
    return g.round(f.value(x), mode, f.sign(x), finite)
