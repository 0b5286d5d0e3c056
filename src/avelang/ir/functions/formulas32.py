"""Functions of f32: a value comes in; multiplications, additions and bit operations go out.

To two units in the last place. The polynomials are minimax fits in double precision made for this file
(`tools/minimax.py` has those of log and erf). Argument reduction of sin and cos: W. J. Cody, W. Waite, "Software Manual
for the Elementary Functions" (1980); M. Payne, R. Hanek, "Radian reduction for trigonometric functions" (1983)."""

from __future__ import annotations

import math
from collections.abc import Callable

import avelang.ir.functions.shared as shared
from avelang.ir.core import Value
from avelang.ir.dtypes import f32, f64, i32, i64, u32, u64
from avelang.ir.functions.math_builder import PI_HALF, TWO_OVER_PI, MathBuilder
from avelang.ir.types import VecType

# -- exp, log ---------------------------------------------------------------------------------------------------------

# Of e**r, 2**r; of log(1 + f), by odd and even powers of f, and its first terms; of tanh, erf, sin and cos behind their
# first terms, in x**2.
EXP = (0.00019790318, 0.00139446894, 0.00833349768, 0.0416662954, 0.166666657, 0.5, 1.0, 1.0)
EXP2 = (1.53149467e-05, 0.000154671099, 0.0013333431, 0.00961803645, 0.0555041097, 0.240226507, 0.693147182, 1.0)
LOG = (0.121613272, -0.130350322, 0.107102044, -0.121446617, 0.143088743, -0.166843057, 0.199994177, -0.249996483,
       0.333333373, -0.5)
TANH = (-0.00570497848, 0.0206390787, -0.0537397116, 0.133314416, -0.333332807)
ERF = (-0.000595386955, 0.00498597138, -0.026761746, 0.112816833, -0.376124799, 0.128379151)
LOG_ERFC = (-2.10950511e-05, 0.000434462621, -0.00417106319, 0.0251194276, -0.108280092, -0.633346915, -1.12951493,
            0.00017468445)
SIN = (2.71830254e-06, -0.000198393333, 0.00833332911, -0.166666672)
COS = (-2.72101516e-07, 2.47995195e-05, -0.00138888834, 0.0416666679)

LN2_HI, LN2_LO = 0.693145751953125, 1.42860677e-06  # the first has 16 bits: its products with exponents are exact
LOG2E = math.log2(math.e)


def exp(m: MathBuilder, x: Value) -> Value:
    """e to the x: e**r for |r| <= ln 2 / 2 by a polynomial, or by the machine's exp2."""

    def inner(x: Value) -> Value:
        n, whole = m.round(x, LOG2E)
        r = m.fma(n, -LN2_LO, m.fma(n, -LN2_HI, x))
        return m.two_to(m.poly(r, EXP), whole)

    return m.within(x, -104.0, 89.0, inner)


def exp2(m: MathBuilder, x: Value) -> Value:
    """2 to the x."""

    def inner(x: Value) -> Value:
        n, whole = m.round(x, 1.0)
        return m.two_to(m.poly(m.sub(x, n), EXP2), whole)

    return m.within(x, -150.0, 128.0, inner)


def _log1p(m: MathBuilder, x: Value) -> tuple[Value, Value, Value]:
    """For x = 2**e (1 + f) with 1 + f from 2/3 to 4/3: (e, f, r) with log(1 + f) = f + r f**2; odd arguments are left
    to `shared.log_edges`."""
    b = m.b
    small = m.cmp("lt", x, 1.1754943508222875e-38)
    scaled = m.pick(small, m.mul(x, 8388608.0), x)
    bits = m.bits(scaled)
    e = b.and_(b.bitcast(b.sub(bits, b.const(0x3F2AAAAB)), i32), b.const(-(1 << 23), i32))
    f = m.sub(m.number(b.sub(bits, b.bitcast(e, u32))), 1.0)
    i = m.fma(b.convert(e, f32), 2.0**-23, m.pick(small, -23.0, 0.0))
    return i, f, m.poly(f, LOG)


def log(m: MathBuilder, x: Value) -> Value:
    """The natural logarithm."""
    i, f, r = _log1p(m, x)
    return shared.log_edges(m, x, m.fma(i, math.log(2), m.fma(r, m.mul(f, f), f)))


def log2(m: MathBuilder, x: Value) -> Value:
    """The logarithm to base 2: log(1 + f) times log2 e in two parts, so that near 1 nothing is lost."""
    i, f, r = _log1p(m, x)
    rest = m.mul(r, m.mul(f, f))
    high = 1.44269180297851562  # log2 e to 17 bits
    low = LOG2E - high
    y = m.fma(f, high, m.fma(rest, high, m.mul(m.add(f, rest), low)))
    return shared.log_edges(m, x, m.add(i, y))


# -- tanh, erf -------------------------------------------------------------------------------------------------------


def tanh(m: MathBuilder, x: Value) -> Value:
    """Hyperbolic tangent."""
    return shared.tanh(m, x, TANH, 0.625)


def erf(m: MathBuilder, x: Value) -> Value:
    """Error function; erf(4) is 1 in f32."""
    return shared.erf(m, x, ERF, LOG_ERFC, 0.925, 4.0, 0.0)


# -- rsqrt, sin, cos -------------------------------------------------------------------------------------------------


rsqrt = shared.rsqrt
log1p = shared.log1p
sigmoid = shared.sigmoid


WORDS = TWO_OVER_PI[:7]  # as many as the greatest exponent asks for
LARGE = 2.0**28  # from here on f64 alone does not do


def _reduce(m: MathBuilder, x: Value) -> tuple[Value, Value]:
    """In f64: x has 24 bits and q less than 30, so that pi/2 in two parts leaves an error far below the last place of
    r."""
    b = m.b
    wide = b.convert(x, f64)
    n = b.same("floor", b.same("fma", wide, b.const(2 / math.pi, f64), b.const(0.5, f64)))
    r = b.same("fma", n, b.const(-PI_HALF[0], f64), wide)
    r = b.same("fma", n, b.const(-PI_HALF[1], f64), r)
    return b.convert(n, i32), b.convert(r, f32)


def _reduce_large(m: MathBuilder, x: Value) -> tuple[Value, Value]:
    """With as many bits of 2/pi as the exponent asks for: x = M 2**e with a whole M of 24 bits, and of M times 2/pi
    only two bits before the point and those behind it matter."""
    b = m.b
    bits = m.bits(x)

    def k(n: int) -> Value:
        return b.const(n, u32)

    exponent = b.sub(b.and_(b.shr(bits, k(23)), k(255)), k(150))
    whole = b.convert(b.or_(b.and_(bits, k(0x7FFFFF)), k(0x800000)), u64)
    first = b.sub(exponent, k(2))  # bits of 2/pi before this one count whole turns only
    table = b.const(WORDS, VecType(u32, len(WORDS)))
    word, by = b.shr(first, k(5)), b.convert(b.and_(first, k(31)), u64)
    words = [b.convert(b.extract(table, b.same("min", b.add(word, k(i)), k(len(WORDS) - 1))), u64) for i in range(4)]
    low32 = b.const(0xFFFFFFFF, u64)

    def part(i: int) -> Value:
        """32 bits of 2/pi from bit `first` + 32 i on."""
        pair = b.or_(b.shl(words[i], b.const(32, u64)), words[i + 1])
        return b.and_(b.shr(b.shl(pair, by), b.const(32, u64)), low32)

    products = [b.mul(whole, part(i)) for i in range(3)]
    middle = b.add(products[1], b.shr(products[2], b.const(32, u64)))
    high = b.add(products[0], b.shr(middle, b.const(32, u64)))
    top = b.or_(b.shl(high, b.const(32, u64)), b.and_(middle, low32))
    # Two bits of quarters, 62 of fraction; the fraction as a signed number rounds to the nearest quarter.
    fraction = b.bitcast(b.shl(top, b.const(2, u64)), i64)
    quarter = b.add(b.shr(top, b.const(62, u64)), b.and_(b.shr(top, b.const(61, u64)), b.const(1, u64)))
    r = b.convert(b.mul(b.convert(fraction, f64), b.const(math.pi / 2 * 2.0**-64, f64)), f32)
    q = b.convert(quarter, i32)
    negative = m.cmp("lt", x, 0.0)
    return b.select(negative, b.same("neg", q), q), m.pick(negative, m.one("neg", r), r)


def _trigonometric(shift: int) -> Callable[[MathBuilder, Value], Value]:
    """Sine, or with a shift of a quarter turn cosine."""

    def f(m: MathBuilder, x: Value) -> Value:
        q, r = shared.quadrant(m, x, (f32,), LARGE, _reduce, _reduce_large)
        if shift:
            q = m.b.add(q, m.b.const(shift, i32))
        s = m.mul(r, r)
        sine = m.sign_of(m.fma(m.mul(m.poly(s, SIN), s), r, r), r)
        cosine = m.fma(m.poly(s, COS), m.mul(s, s), m.fma(s, -0.5, 1.0))
        return shared.by_quadrant(m, x, q, sine, cosine, False)

    return f


sin, cos = _trigonometric(0), _trigonometric(1)
