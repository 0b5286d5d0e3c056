"""Functions of f64: a value comes in; multiplications, additions and bit operations go out.

To one unit in the last place, tanh and rsqrt to one and a half. Where a rounding would show, an argument or a result is
a pair of numbers. The polynomials are minimax fits made for this file by `tools/minimax.py`, each to 2**-59 of the
function or better. Argument reduction of sin and cos: as in `formulas32`."""

from __future__ import annotations

import math
from collections.abc import Callable

import avelang.ir.functions.shared as shared
from avelang.ir.core import Value
from avelang.ir.dtypes import f64, i32, i64, u32, u64
from avelang.ir.functions.math_builder import PI_HALF, TWO_OVER_PI, MathBuilder

# Of e**r behind 1 + r; of log behind its first terms, in s**2; of tanh, sin and cos behind theirs, in x**2; of erf(x) /
# x - 1, in x**2; of log(erfc(x)), in x - 1.
EXP = (
    2.0826599019470846e-09, 2.51120682116448e-08, 2.755758213111389e-07, 2.755723477380191e-06, 2.4801586926033526e-05,
    0.00019841269896469932,
    0.0013888888889116108, 0.008333333333317, 0.041666666666666095, 0.16666666666666682, 0.5,
)  # fmt: skip
LOG = (
    0.13254564743502742, 0.13249763755392116, 0.15387106409128934, 0.18181775309036885, 0.2222222265123297,
    0.28571428569056556,
    0.40000000000006336, 0.6666666666666666,
)  # fmt: skip
TANH = (
    -1.491339104435358e-06, 9.513010073664073e-06, -3.3650114482457414e-05, 9.34738165154887e-05,
    -0.00023763863085075098, 0.0005895669714803807,
    -0.0014557332922890596, 0.003592112509663067, -0.008863233911576849, 0.02186948842742615, -0.05396825396393577,
    0.13333333333324682,
    -0.3333333333333327,
)  # fmt: skip
ERF = (
    -8.667870543700023e-10, 1.4123485098506473e-08, -1.6289377850425824e-07, 1.645662217430569e-06,
    -1.4925388175237227e-05, 0.0001205532460339251,
    -0.0008548326846834677, 0.005223977623078997, -0.02686617064494454, 0.11283791670954363, -0.3761263890318374,
    0.1283791670955126,
)  # fmt: skip
LOG_ERFC = (
    1.8486105849507392e-14, -6.900051953228931e-13, 1.19971782695339e-11, -1.2961536501386703e-10,
    9.771104511423626e-10, -5.4433913455130615e-09,
    2.287436199095527e-08, -7.036716498743879e-08, 1.29415840885895e-07, 1.0078256871077211e-07,
    -2.0175442544444343e-06, 9.576907074928042e-06,
    -2.714101416927046e-05, 2.627036778119293e-05, 0.00023732470534263404, -0.0019779030206998815,
    0.010033825434304703, -0.04156109804652864,
    -0.8431072563584853, -2.6389675142347913, -1.8496055099332482,
)  # fmt: skip
SIN = (
    -7.578745187445093e-13, 1.6058367564838654e-10, -2.505210491880464e-08, 2.755731921421757e-06,
    -0.00019841269841255118, 0.008333333333333323,
    -0.16666666666666666,
)  # fmt: skip
COS = (
    4.738120638181392e-14, -1.1470293525384982e-11, 2.0876754368460525e-09, -2.755731921538614e-07,
    2.480158730157152e-05, -0.0013888888888888874,
    0.041666666666666664,
)  # fmt: skip
LOG2E = math.log2(math.e)
LN2 = (0.6931471805598903, 5.497923018708371e-14)  # the first has 42 bits: its products with exponents are exact
LN2_NEAREST = (0.6931471805599453, 2.3190468138462996e-17)  # the nearest f64, and what it lacks
LOG2E_LOW = 2.0355273740931033e-17  # what LOG2E lacks


# -- exp, log --------------------------------------------------------------------------------------------------------


def _near(m: MathBuilder, high: Value, low: Value) -> Value:
    """e to the sum of a pair within ln 2 / 2 of zero."""
    return m.add(1.0, m.add(high, m.fma(m.poly(high, EXP), m.mul(high, high), low)))


def exp(m: MathBuilder, x: Value) -> Value:
    """e to the x: e**r for |r| <= ln 2 / 2 by a polynomial, times a power of 2."""

    def inner(x: Value) -> Value:
        n, whole = m.round(x, LOG2E)
        rough = m.fma(n, -LN2[0], x)
        high = m.fma(n, -LN2[1], rough)
        low = m.fma(n, -LN2[1], m.sub(rough, high))
        return m.two_to(_near(m, high, low), whole)

    return m.within(x, -746.0, 710.0, inner)


def exp2(m: MathBuilder, x: Value) -> Value:
    """2 to the x: e to what is left of it times ln 2."""

    def inner(x: Value) -> Value:
        n, whole = m.round(x, 1.0)
        r = m.sub(x, n)
        high, low = m.product(r, LN2_NEAREST[0])
        return m.two_to(_near(m, high, m.fma(r, LN2_NEAREST[1], low)), whole)

    return m.within(x, -1076.0, 1024.0, inner)


def _log1p(m: MathBuilder, x: Value) -> tuple[Value, Value, Value]:
    """For x = 2**e (1 + f) with 1 + f from sqrt(1/2) to sqrt(2): e, and log(1 + f) as a pair; odd arguments are left to
    `shared.log_edges`."""
    b = m.b
    small = m.cmp("lt", x, m.least)
    bits = m.bits(m.pick(small, m.mul(x, 2.0**54), x))
    root = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)
    e = b.and_(b.bitcast(b.sub(bits, b.const(root, u64)), i64), b.const(-(1 << 52), i64))
    f = m.sub(m.number(b.sub(bits, b.bitcast(e, u64))), 1.0)
    whole = m.add(b.convert(b.shr(e, b.const(52, i64)), f64), m.pick(small, -54.0, 0.0))
    s = m.div(f, m.add(f, 2.0))
    z = m.mul(s, s)
    half, lost = m.product(m.mul(f, 0.5), f)
    high, rest = m.ordered_sum(f, m.one("neg", half))
    low = m.fma(s, m.fma(m.poly(z, LOG), z, half), m.sub(rest, lost))
    return whole, high, low


def log(m: MathBuilder, x: Value) -> Value:
    """The natural logarithm."""
    e, high, low = _log1p(m, x)
    total, lost = m.sum(m.mul(e, LN2[0]), high)
    return shared.log_edges(m, x, m.add(total, m.add(m.fma(e, LN2[1], low), lost)))


def log2(m: MathBuilder, x: Value) -> Value:
    """The logarithm to base 2: the natural one of 1 + f times log2 e, as pairs."""
    e, high, low = _log1p(m, x)
    scaled, rest = m.product(high, LOG2E)
    rest = m.fma(low, LOG2E, m.fma(high, LOG2E_LOW, rest))
    total, lost = m.sum(e, scaled)
    return shared.log_edges(m, x, m.add(total, m.add(rest, lost)))


# -- tanh, erf -------------------------------------------------------------------------------------------------------


def tanh(m: MathBuilder, x: Value) -> Value:
    """Hyperbolic tangent."""
    return shared.tanh(m, x, TANH, 0.75)


def erf(m: MathBuilder, x: Value) -> Value:
    """Error function; erf(6) is 1 in f64."""
    return shared.erf(m, x, ERF, LOG_ERFC, 0.875, 6.0, 1.0)


# -- rsqrt, sin, cos -------------------------------------------------------------------------------------------------


rsqrt = shared.rsqrt
log1p = shared.log1p
sigmoid = shared.sigmoid


LARGE = 2.0**30  # from here on multiples of pi/2 are taken from the bits of 2/pi


def _reduce(m: MathBuilder, x: Value) -> tuple[Value, Value, Value]:
    """The nearest multiple of pi/2 is taken off in three parts. The first difference is exact, the next keep what they
    lose."""
    n = m.one("floor", m.fma(x, 2 / math.pi, 0.5))
    first, lost1 = m.product(n, PI_HALF[0])
    second, lost2 = m.product(n, PI_HALF[1])
    a, rest1 = m.sum(m.sub(x, first), m.one("neg", lost1))
    c, rest2 = m.sum(a, m.one("neg", second))
    low = m.sub(m.add(rest1, rest2), m.fma(n, PI_HALF[2], lost2))
    return m.b.convert(n, i32), *m.ordered_sum(c, low)


def _window(m: MathBuilder, word: Value, count: int) -> list[Value]:
    """`count` words from a place on, of a word of zeros and 2/pi behind it, as u64. A table has no place in registers:
    it is halved bit by bit of the place."""
    b = m.b
    table = [b.const(w, u32) for w in (0, *TWO_OVER_PI)]
    for bit in reversed(range((len(table) - count).bit_length())):
        step = 1 << bit
        far = b.cmp("ne", b.and_(word, b.const(step, u32)), b.const(0, u32))
        table = [b.select(far, table[min(i + step, len(table) - 1)], table[i]) for i in range(step - 1 + count)]
    return [b.convert(w, u64) for w in table[:count]]


def _product(m: MathBuilder, bits: Value) -> list[Value]:
    """M 2**e times 2/pi modulo 4, as a fraction of 4, where M, with 53 bits, and e are those of a float: four columns
    of 32 bits, of six."""
    b = m.b

    def k(n: int) -> Value:
        return b.const(n, u64)

    # What stands before bit e - 1 of 2/pi counts whole turns only; the word of zeros is for exponents below.
    first = b.sub(b.and_(b.shr(bits, k(52)), k(0x7FF)), k(1075 - 30))
    low32, word = k(0xFFFFFFFF), k(32)
    words, by = _window(m, b.convert(b.shr(first, k(5)), u32), 7), b.and_(first, k(31))
    parts = [b.and_(b.shr(b.shl(b.or_(b.shl(words[i], word), words[i + 1]), by), word), low32) for i in range(6)]
    m0, m1 = b.and_(bits, low32), b.or_(b.and_(b.shr(bits, word), k(0xFFFFF)), k(0x100000))
    columns: list[Value] = []
    carry = k(0)
    for i in reversed(range(6)):
        low, high = b.mul(m0, parts[i]), b.mul(m1, parts[i + 1]) if i < 5 else k(0)
        total = b.add(b.add(b.and_(low, low32), b.and_(high, low32)), carry)
        columns.insert(0, b.and_(total, low32))
        carry = b.add(b.add(b.shr(low, word), b.shr(high, word)), b.shr(total, word))
    return columns[:4]


def _reduce_large(m: MathBuilder, x: Value) -> tuple[Value, Value, Value]:
    """With as many bits of 2/pi as the exponent asks for. No f64 is nearer to a multiple of pi/2 than 2**-62: of 126
    bits of fraction 64 are left."""
    b = m.b
    columns = _product(m, m.bits(x))
    top = columns[0]
    # Two bits of quarters; the fraction as a signed number rounds to the nearest quarter.
    q = b.convert(b.add(b.shr(top, b.const(30, u64)), b.and_(b.shr(top, b.const(29, u64)), b.const(1, u64))), i32)
    signed = b.shr(b.shl(b.bitcast(top, i64), b.const(34, i64)), b.const(34, i64))
    pieces = [m.mul(b.convert(v, f64), 2.0 ** (-30 - 32 * i)) for i, v in enumerate((signed, *columns[1:]))]
    high, lost1 = m.ordered_sum(pieces[0], pieces[1])
    high, lost2 = m.ordered_sum(high, pieces[2])
    high, lost3 = m.ordered_sum(high, pieces[3])
    high, low = m.ordered_sum(high, m.add(lost1, m.add(lost2, lost3)))
    r, lost = m.product(high, PI_HALF[0])
    r, s = m.ordered_sum(r, m.fma(high, PI_HALF[1], m.fma(low, PI_HALF[0], lost)))
    negative = m.cmp("lt", x, 0.0)
    return b.select(negative, b.same("neg", q), q), m.pick(negative, m.one("neg", r),
                                                           r), m.pick(negative, m.one("neg", s), s)


def _trigonometric(shift: int) -> Callable[[MathBuilder, Value], Value]:
    """Sine, or with a shift of a quarter turn cosine."""

    def f(m: MathBuilder, x: Value) -> Value:
        q, r, low = shared.quadrant(m, x, (f64, f64), LARGE, _reduce, _reduce_large)
        if shift:
            q = m.b.add(q, m.b.const(shift, i32))
        s = m.mul(r, r)
        # sin(r + low) = r + (r**3 S + low (1 - s / 2)), cos(r + low) = 1 - s / 2 + (s**2 C - r low), whose first
        # difference is kept whole.
        rest = m.fma(m.mul(m.poly(s, SIN), s), r, m.mul(low, m.fma(s, -0.5, 1.0)))
        sine = m.sign_of(m.add(r, rest), r)
        most, lost = m.ordered_sum(1.0, m.mul(s, -0.5))
        cosine = m.add(most, m.fma(m.poly(s, COS), m.mul(s, s), m.sub(lost, m.mul(r, low))))
        return shared.by_quadrant(m, x, q, sine, cosine, not shift)  # the reduction loses the sign of zero

    return f


sin, cos = _trigonometric(0), _trigonometric(1)
