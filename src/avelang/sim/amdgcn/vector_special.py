"""Handlers of reciprocals, roots, powers, logarithms and waves: what the hardware computes in its transcendental unit.

The manual gives the functions but not their last bit, which the hardware gets right within 1 ulp. Here the functions of
f32 are computed in f64, with an error below 2 ** -40, and rounded once, so that results are the nearest f32 but for
values that lie closer than that to the middle of two; f16 comes from the result in f32. v_rcp_f64 and v_rsq_f64, which
the hardware estimates to some 29 bits, are computed to the last place, too.
"""

from __future__ import annotations

import math

from avelang.llvm.vectors import Ops, function
from avelang.sim.amdgcn.translator import Handler
from avelang.sim.amdgcn.vector import Rule, intrinsic, row
from avelang.sim.amdgcn.vector_float import exponent, ldexp, power

LN2 = math.log(2.0)

# Taylor series: terms up to where the next one is below 2 ** -46 of the result.
EXP2 = tuple(LN2**k / math.factorial(k) for k in range(12))  # of 2 ** x, up to x = 1/2
LOG2 = tuple(2 / LN2 / (2 * k + 1) for k in range(9))  # of log2((1 + s) / (1 - s)) / s in s ** 2, up to s = 0.172
SIN = tuple(
    (-1) ** k * (2 * math.pi) ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(8)
)  # of sin(2 pi x) / x in x ** 2, up to x = 1/8
COS = tuple((-1) ** k * (2 * math.pi) ** (2 * k) / math.factorial(2 * k) for k in range(8))  # of cos(2 pi x) in x ** 2

# Bits of 2 / pi behind the point, the first of them bit 1200: floor(2 / pi * 2 ** 1201).
TWO_OVER_PI_BITS = 1201
TABLE_ENTRIES = 32 * (31 * 53 + 2047 - 1077) // 1024 + 4


def polynomial(o: Ops, coefficients: tuple[float, ...], x: str) -> str:
    """Horner's rule."""
    out = o.lit(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        out = o.fn("fma", out, x, c)
    return out


def exp2(o: Ops, x: str) -> str:
    """2 ** x, of doubles that an f32 holds."""
    x = o.select(o.cmp("olt", x, -200.0), -200.0, o.select(o.cmp("ogt", x, 200.0), 200.0, x))
    whole = o.fn("roundeven", x)
    n = o.t.op(f"fptosi {o.v} {o.select(o.cmp('uno', x, x), 0.0, whole)} to {o.ints.v}")
    return o("fmul", polynomial(o, EXP2, o("fsub", x, whole)), power(o, n))


def log2(o: Ops, x: str) -> str:
    """The logarithm to base 2, of doubles that an f32 holds (they are normal)."""
    b = o.ints
    pattern = o.pattern(x)
    # The fraction goes from the root of 1/2 to the root of 2.
    shifted = b("sub", pattern, 0x3FE6A09E667F3BCD)
    n = b("ashr", shifted, 52)
    m = o.number(b("sub", pattern, b("shl", n, 52)))
    s = o("fdiv", o("fsub", m, 1.0), o("fadd", m, 1.0))
    whole = o.t.op(f"sitofp {b.v} {n} to {o.v}")
    value = o.fn("fma", polynomial(o, LOG2, o("fmul", s, s)), s, whole)
    value = o.select(o.cmp("oeq", x, 0.0), -math.inf, value)
    value = o.select(o.cmp("ueq", x, math.inf), x, value)  # and NaN
    return o.select(o.cmp("olt", x, 0.0), math.nan, value)


def _wave(quarter: int) -> Rule:
    """sin(2 pi x), `quarter` turns further, for any finite double: what is left of whole turns is exact."""

    def rule(o: Ops, x: str) -> str:
        b = o.ints
        turn = o("fsub", x, o.fn("roundeven", x))
        quarters = o.fn("roundeven", o("fmul", turn, 4.0))
        rest = o.fn("fma", quarters, -0.25, turn)
        number = o.select(o.cmp("uno", quarters, quarters), 0.0, quarters)
        k = b("add", o.t.op(f"fptosi {o.v} {number} to {b.v}"), quarter)
        square = o("fmul", rest, rest)
        sine = o("fmul", polynomial(o, SIN, square), rest)
        value = o.select(b.cmp("ne", b("and", k, 1), 0), polynomial(o, COS, square), sine)
        value = o.select(b.cmp("ne", b("and", k, 2), 0), o("fneg", value), value)
        # Whole and half turns give exact zeros: with the sign of x for sines that begin there.
        return o.select(o.cmp("oeq", value, 0.0), 0.0 if quarter else o.fn("copysign", 0.0, x), value)

    return rule


def _inverse(o: Ops, x: str) -> str:
    return o("fdiv", 1.0, x)


def _inverse_root(o: Ops, x: str) -> str:
    return o("fdiv", 1.0, o.fn("sqrt", x))


def _in_double(rule: Rule, name: str) -> Rule:
    """A rule on doubles for f32, or for f16 held in f32: one function for both."""

    def outer(o: Ops, x: str) -> str:
        d = o.at("double")
        return function(
            o.t, f"ave_{name}_f32", "float", lambda v: d.to("float", "fptrunc", rule(d, o.to("double", "fpext", v))),
            ("float", x),
        )  # fmt: skip

    return outer


def two_over_pi() -> int:
    """The first 1201 bits of 2 / pi as an integer, from Machin's formula for pi in integers."""
    one = 1 << TWO_OVER_PI_BITS + 64

    def arctangent(n: int) -> int:
        total, term, k = 0, one // n, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term //= n * n
            k += 2
        return total

    pi = 4 * (4 * arctangent(5) - arctangent(239))
    return (2 * one << TWO_OVER_PI_BITS) // pi


def _trig_preop(o: Ops, x: str, segment: str) -> str:
    """53 bits of 2 / pi, from bit 53 * S1[4:0] behind the point on, or further where S0 is large, with their place
    value; that is scaled up by 2 ** 128 where S0 is so large that it must be scaled down."""
    b = o.ints
    e = exponent(o, x)
    segment = b("and", o.at("i32").to(b.e, "zext", segment), 31)
    shift = b("add", b("mul", segment, 53), b.fn("smax", b("sub", e, 1077), 0))
    # Entry n of the table: 64 bits from bit 32 n on.
    bits = two_over_pi() << 2048
    top = TWO_OVER_PI_BITS + 2048
    entries = ", ".join(f"i64 {bits >> top - 32 * n - 64 & (1 << 64) - 1}" for n in range(TABLE_ENTRIES))
    table = o.t.module.constant(f"[{TABLE_ENTRIES} x i64]", f"[{entries}]")
    at = b("lshr", shift, 5)
    high, low = (_gather(b, table, place) for place in (at, b("add", at, 2)))
    field = b("lshr", b.fn("fshl", high, low, b("and", shift, 31)), 11)
    scale = b("add", b("sub", -53, shift), b.select(b.cmp("sge", e, 1968), 128, 0))
    value = o.t.op(f"uitofp {b.v} {field} to {o.v}")
    return ldexp(64)(o, value, b.to("i32", "trunc", scale))


def _gather(b: Ops, table: str, at: str) -> str:
    t = b.t
    pointers = t.op(f"getelementptr i64, ptr {table}, {b.v} {at}")
    name = t.module.declare(f"llvm.masked.gather.v{t.W}{b.e}.v{t.W}p0", b.v, [t.t("ptr"), t.t("i1"), b.v])
    return t.op(f"call {b.v} {name}({t.t('ptr')} align 8 {pointers}, {t.t('i1')} splat (i1 true), {b.v} poison)")


def _specials(bits: int) -> dict[str, Handler]:
    k, e = f"f{bits}", "double" if bits == 64 else "float"
    roots: dict[str, Rule] = {
        "rcp": _inverse,
        "sqrt": intrinsic("sqrt"),
        "rsq": _in_double(_inverse_root, "rsq") if bits < 64 else _inverse_root,
    }
    waves: dict[str, Rule] = {"exp": exp2, "log": log2, "sin": _wave(0), "cos": _wave(1)}
    rules = roots | ({name: _in_double(rule, name) for name, rule in waves.items()} if bits < 64 else {})
    return {f"v_{name}_{k}": row(rule, k, k, compute=e) for name, rule in rules.items()}


TABLE: dict[str, Handler] = {
    **_specials(16), **_specials(32), **_specials(64),
    "v_exp_legacy_f32": row(_in_double(exp2, "exp"), "f32", "f32", compute="float"),
    "v_log_legacy_f32": row(_in_double(log2, "log"), "f32", "f32", compute="float"),
    "v_rcp_iflag_f32": row(_inverse, "f32", "f32"), "v_trig_preop_f64": row(_trig_preop, "f64 u32", "f64", far=True),
}  # fmt: skip
