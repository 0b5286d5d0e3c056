"""The parts of formulas that f32 and f64 have in common; fits, bounds and reductions come in from `formulas32` and
`formulas64`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from avelang.ir.core import Block, Value
from avelang.ir.dtypes import i32
from avelang.ir.functions.math_builder import MathBuilder
from avelang.ir.types import Type


def tanh(m: MathBuilder, x: Value, fit: Sequence[float], split: float) -> Value:
    """Hyperbolic tangent: a polynomial below `split`, 1 - 2 / (exp(2 |x|) + 1) beyond."""
    a = m.one("abs", x)
    s = m.mul(x, x)
    near = m.fma(m.mul(m.poly(s, fit), s), x, x)
    far = m.sub(1.0, m.div(2.0, m.add(m.one("exp", m.mul(a, 2.0)), 1.0)))
    out = m.sign_of(m.pick(m.cmp("lt", a, split), near, far), x)
    return m.pick(m.cmp("ne", x, x), x, out)


def erf(m: MathBuilder, x: Value, fit: Sequence[float], log_erfc: Sequence[float], split: float, last: float,
        origin: float) -> Value:
    """Error function: x times a polynomial up to `split`, 1 - exp of a polynomial in |x| - `origin` beyond; 1 from
    `last` on."""
    a = m.one("abs", x)
    s = m.mul(x, x)
    t = m.b.same("min", a, m.c(last))
    far = m.sub(1.0, m.one("exp", m.poly(m.sub(t, origin) if origin else t, log_erfc)))
    near = m.fma(m.poly(s, fit), x, x)
    out = m.sign_of(m.pick(m.cmp("gt", a, split), far, near), x)
    return m.pick(m.cmp("ne", x, x), x, out)


def log_edges(m: MathBuilder, x: Value, y: Value) -> Value:
    """y, or the logarithm of zero, of negative numbers, of infinity and NaN."""
    y = m.pick(m.cmp("eq", x, math.inf), x, y)
    y = m.pick(m.cmp("eq", x, 0.0), -math.inf, y)
    return m.pick(m.cmp("ge", x, 0.0), y, math.nan)


def rsqrt(m: MathBuilder, x: Value) -> Value:
    """1 / sqrt(x)."""
    return m.div(1.0, m.one("sqrt", x))


def log1p(m: MathBuilder, x: Value) -> Value:
    """log(1 + x): the logarithm of u, the rounded sum, and what rounding took, c: log(u + c) = log u + c / u."""
    u = m.add(x, 1.0)
    c = m.sub(x, m.sub(u, 1.0))
    plain = m.one("log", u)
    y = m.add(plain, m.div(c, m.pick(m.cmp("gt", u, 0.0), u, 1.0)))
    y = m.pick(m.cmp("lt", u, math.inf), m.pick(m.cmp("gt", u, 0.0), y, plain), plain)
    return m.pick(m.cmp("eq", u, 1.0), x, y)


def sigmoid(m: MathBuilder, x: Value) -> Value:
    """1 / (1 + exp(-x)), by the exponential of -|x|, which does not overflow."""
    small = m.one("exp", m.one("neg", m.one("abs", x)))
    return m.div(m.pick(m.cmp("lt", x, 0.0), small, 1.0), m.add(small, 1.0))


Reduction = Callable[[MathBuilder, Value], tuple[Value, ...]]


def quadrant(m: MathBuilder, x: Value, types: tuple[Type, ...], large: float, reduce: Reduction,
             reduce_large: Reduction) -> list[Value]:
    """(q, *parts): x = q pi/2 + the sum of the parts, within pi/4 or a little more; q an i32 modulo 4. From `large` on
    by another reduction."""
    b = m.b
    then, other = Block(), Block()
    small = m.cmp("lt", m.one("abs", x), large)
    for block, run in ((then, reduce), (other, reduce_large)):
        with b.inside(block):
            b.yield_(*run(m, x))
    return b.emit("if", (small,), (i32, *types), (then, other)).results


def by_quadrant(m: MathBuilder, x: Value, q: Value, sine: Value, cosine: Value, keep_zero: bool) -> Value:
    """Sine or cosine of quadrant q, with the sign of that quadrant; NaN of infinity. `keep_zero`: of zero, zero with
    its sign."""
    b = m.b
    odd = b.cmp("ne", b.and_(q, b.const(1, i32)), b.const(0, i32))
    back = b.cmp("ne", b.and_(q, b.const(2, i32)), b.const(0, i32))
    out = m.pick(odd, cosine, sine)
    out = m.pick(back, m.one("neg", out), out)
    if keep_zero:
        out = m.pick(m.cmp("eq", x, 0.0), x, out)
    return m.pick(m.cmp("lt", m.one("abs", x), math.inf), out, math.nan)
