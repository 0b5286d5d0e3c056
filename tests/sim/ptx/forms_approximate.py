"""The approximate forms, each with the error that the manual allows it (PTX ISA 9.0, 9.7.3.8 and 9.7.3.13 to
9.7.3.22)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from sim.ptx.forms import Form, Near
from sim.ptx.numbers import F, Float, exponent

Most = Callable[[Fraction, Fraction], Fraction]
HIGH = Float(11, 20, 0x7FFFFFFF)  # the upper word of an f64


def _float(rule: Callable[[float], float]) -> Callable[[Fraction], Fraction]:
    """By a function of the C library: its error in f64 is nothing beside those that are allowed."""
    return lambda v: Fraction(rule(float(v)))


def _ulps(count: int, mantissa: int = 23) -> Most:
    return lambda exact, _: count * Fraction(2) ** (exponent(abs(exact)) - mantissa)


def _relative(log: float) -> Most:
    return lambda exact, _: Fraction(2.0**log) * abs(exact)


def _trigonometric(exact: Fraction, a: Fraction) -> Fraction:
    """9.7.3.18, 9.7.3.19: absolute, within 2 pi and within 100 pi; beyond there is no bound, and no form here gets such
    operands."""
    assert abs(a) <= 100 * math.pi
    return Fraction(2.0**-20.5 if abs(a) <= 2 * math.pi else 2.0**-14.7)


def _logarithm(exact: Fraction, a: Fraction) -> Fraction:
    """9.7.3.20: absolute between 1/2 and 2, else relative."""
    return Fraction(2.0**-22) * (1 if Fraction(1, 2) < abs(a) < 2 else abs(exact))


def approximate() -> Iterator[Form]:
    for name, value, most in (
        ("rcp.approx.ftz.f32", lambda v: 1 / v, _ulps(1)),  # 9.7.3.13
        ("sqrt.approx.f32", _float(lambda v: math.sqrt(abs(v))), _relative(-23)),  # 9.7.3.15
        ("rsqrt.approx.f32", _float(lambda v: 1 / math.sqrt(abs(v))), _relative(-22.9)),  # 9.7.3.16
        ("sin.approx.f32", _float(math.sin), _trigonometric),
        ("cos.approx.f32", _float(math.cos), _trigonometric),
        ("lg2.approx.f32", _float(lambda v: math.log2(abs(v))), _logarithm),
        ("ex2.approx.ftz.f32", _float(lambda v: 2.0**v), _ulps(2)),  # 9.7.3.21
        ("tanh.approx.f32", _float(math.tanh), _relative(-11)),  # 9.7.3.22
    ):
        positive = name.split(".")[0] in ("sqrt", "rsqrt", "lg2")
        text = f"abs.f32 {{d}}, {{a}}; {name} {{d}}, {{d}};" if positive else f"{name} {{d}}, {{a}};"
        near = Near(value, most, rounded=name.split(".")[0] in ("rcp", "ex2"))
        yield Form(name, text, ("f32",), ("m32",), lambda a, value=value: F["f32"].round(value(F["f32"].value(a))),
            near=near)
    for how in ("approx", "full"):  # 9.7.3.8
        yield Form(f"div.{how}.f32", f"div.{how}.f32 {{d}}, {{a}}, {{b}};", ("f32",), ("m32", "m32"), lambda a,
            b: F["f32"].round(F["f32"].value(a) / F["f32"].value(b)),
            near=Near(lambda a, b: a / b, _ulps(2), rounded=True))  # fmt: skip
    for op in ("rcp", "rsqrt"):
        def upper(v: Fraction, op: str = op) -> Fraction:
            a = HIGH.value(F["f64"].round(v) >> 32)
            return 1 / (a if op == "rcp" else Fraction(math.sqrt(a)))

        # The ISA gives no bound ("gross"): the result has 20 bits behind the point, and two units of the last one are
        # allowed here.
        yield Form(f"{op}.approx.ftz.f64", f"{op}.approx.ftz.f64 {{d}}, {{a}};", ("f64",), ("f64",), lambda a, op=op,
            upper=upper: _gross(a, op, upper), near=Near(upper, _ulps(2, 20)))  # fmt: skip


def _gross(a: int, op: str, value: Callable[[Fraction], Fraction]) -> int:
    """9.7.3.14, 9.7.3.17: of the upper word alone, which subnormal or not a number counts by itself."""
    word = HIGH.flushed(a >> 32)
    sign = word >> 31 << 31
    if HIGH.is_nan(word) or op == "rsqrt" and sign and word != sign:
        return HIGH.nan << 32
    if HIGH.is_inf(word) or word == sign:
        return (sign if HIGH.is_inf(word) else sign | HIGH.top) << 32
    return HIGH.flushed(HIGH.round(value(F["f64"].value(word << 32)))) << 32
