"""Short names for writing formulas on floats in the IR: values and Python numbers come in, the values of ops go out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import DType, f32, f64, i32, i64, u32, u64

PI_HALF = (1.5707963267948966, 6.123233995736766e-17,
           -1.4973849048591698e-33)  # pi/2: the nearest f64, what that lacks, what both lack
# 2/pi in words of 32 bits behind the point, high first: as many as the greatest exponent of f64 asks for.
TWO_OVER_PI = (
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561, 0xB7246E3A,
    0x424DD2E0,
    0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639,
    0x835339F4,
    0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66,
    0x9E5FEA2D,
    0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046,
)  # fmt: skip


class MathBuilder:
    """Formulas on values of `d`, f32 or f64. Python numbers become constants. `formulas` are those of the functions
    that the machine does not have.

    `word` and `signed` are the integers of the same width; a float has `mantissa` stored bits, its exponent is `bias`
    too large."""

    def __init__(self, b: Builder, formulas: Mapping[str, Callable[[MathBuilder, Value], Any]], d: DType = f32):
        self.b, self.d, self.formulas = b, d, formulas
        self.word, self.signed = (u64, i64) if d == f64 else (u32, i32)
        self.mantissa, self.bias = (52, 1023) if d == f64 else (23, 127)
        self.least = 2.0 ** (1 - self.bias)  # the least number whose significand is whole

    def c(self, x: float | Value, d: DType | None = None) -> Value:
        """A value, or a constant."""
        return x if isinstance(x, Value) else self.b.const(x, d or self.d)

    def fma(self, x: Value | float, y: Value | float, z: Value | float) -> Value:
        """x * y + z with one rounding."""
        return self.b.same("fma", self.c(x), self.c(y), self.c(z))

    def mul(self, x: Value | float, y: Value | float) -> Value:
        """x * y"""
        return self.b.mul(self.c(x), self.c(y))

    def add(self, x: Value | float, y: Value | float) -> Value:
        """x + y"""
        return self.b.add(self.c(x), self.c(y))

    def sub(self, x: Value | float, y: Value | float) -> Value:
        """x - y"""
        return self.b.sub(self.c(x), self.c(y))

    def div(self, x: Value | float, y: Value | float) -> Value:
        """x / y"""
        return self.b.same("div", self.c(x), self.c(y))

    def one(self, name: str, x: Value) -> Value:
        """A function of one number: the machine's own, or its formula."""
        formula = self.formulas.get(name)
        return formula(self, x) if formula is not None else self.b.same(name, x)

    def poly(self, x: Value, coefficients: Sequence[float]) -> Value:
        """Horner's rule, the highest power first."""
        out: Value = self.c(coefficients[0])
        for c in coefficients[1:]:
            out = self.fma(out, x, c)
        return out

    def cmp(self, pred: str, x: Value, y: Value | float) -> Value:
        """`x pred y`"""
        return self.b.cmp(pred, x, self.c(y))

    def pick(self, cond: Value, x: Value | float, y: Value | float) -> Value:
        """x where the condition holds, else y."""
        return self.b.select(cond, self.c(x), self.c(y))

    def bits(self, x: Value) -> Value:
        """The bits of a float as an unsigned integer."""
        return self.b.bitcast(x, self.word)

    def number(self, x: Value) -> Value:
        """The float that has these bits."""
        return self.b.bitcast(x, self.d)

    def power(self, n: Value) -> Value:
        """2 to the i32 n, for exponents of whole significands."""
        wide = self.b.convert(self.b.add(n, self.b.const(self.bias, i32)), self.signed)
        return self.number(self.b.bitcast(self.b.shl(wide, self.b.const(self.mantissa, self.signed)), self.word))

    def two_to(self, m: Value, whole: Value) -> Value:
        """m times 2 to the i32 `whole`, in two steps that neither overflow nor round twice (exponents from that of the
        least subnormal number on)."""
        b = self.b
        half = b.shr(whole, b.const(1, i32))
        return self.mul(self.mul(m, self.power(half)), self.power(b.sub(whole, half)))

    def round(self, x: Value, by: float) -> tuple[Value, Value]:
        """The whole number nearest to x times `by`, as a float and as i32; it must be below 2**21. Added to a number
        whose last place is one, it stands in the low bits."""
        b, magic = self.b, 1.5 * 2.0**self.mantissa
        whole = self.fma(x, by, magic)
        bits = (self.bias + self.mantissa << self.mantissa) + (1 << self.mantissa - 1)  # of `magic`
        low = b.sub(b.bitcast(whole, self.signed), b.const(bits, self.signed))
        return self.sub(whole, magic), b.convert(low, i32)

    def sign_of(self, magnitude: Value, x: Value) -> Value:
        """A magnitude with the sign of x."""
        b, top = self.b, 1 << (self.d.bits - 1)
        sign = b.and_(self.bits(x), b.const(top, self.word))
        return self.number(b.or_(b.and_(self.bits(magnitude), b.const(top - 1, self.word)), sign))

    # -- pairs: an unevaluated sum of a number and of what it lacks (Dekker, 1971; Knuth, TAOCP 2, 4.2.2) ---

    def sum(self, x: Value | float, y: Value | float) -> tuple[Value, Value]:
        """x + y and what rounding took from it."""
        x, y = self.c(x), self.c(y)
        s = self.add(x, y)
        back = self.sub(s, x)
        return s, self.add(self.sub(x, self.sub(s, back)), self.sub(y, back))

    def ordered_sum(self, x: Value | float, y: Value | float) -> tuple[Value, Value]:
        """The same for |x| >= |y|, or x = 0."""
        x, y = self.c(x), self.c(y)
        s = self.add(x, y)
        return s, self.sub(y, self.sub(s, x))

    def product(self, x: Value | float, y: Value | float) -> tuple[Value, Value]:
        """x * y and what rounding took from it."""
        p = self.mul(x, y)
        return p, self.fma(x, y, self.one("neg", p))

    # -- arguments out of the ordinary --------------------------------------------------------------------------------

    def within(self, x: Value, low: float, high: float, f: Callable[[Value], Value]) -> Value:
        """f of x brought within bounds, beyond which f does not change; NaN stays."""
        inside = self.b.same("max", self.b.same("min", x, self.c(high)), self.c(low))
        return self.pick(self.cmp("ne", x, x), x, f(inside))
