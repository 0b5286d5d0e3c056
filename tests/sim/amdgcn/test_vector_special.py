"""Reciprocals and roots against exact fractions; powers, logarithms and waves against Python's math, to 1 ulp."""

from __future__ import annotations

import functools
import math
from fractions import Fraction

import numpy as np
import pytest
from tests.sim.amdgcn.programs import run_program
from tests.sim.amdgcn.test_vector_float import nan, negative, of
from tests.sim.amdgcn.vector_cases import FORMATS, Batch, Case, assembles, batches, rounded, to_float, to_pattern

from avelang.sim.amdgcn import vector_special


def inverse(x, kind):
    if x == 0 or math.isinf(x):
        out = math.inf if x == 0 else 0.0
    else:
        out = abs(rounded(1 / Fraction(x), kind))
    return math.copysign(out, x)


def root(x, kind):
    """The square root, rounded once: from the integer root of enough bits, made odd where it is not exact."""
    if x < 0:
        return math.nan
    if x == 0 or math.isinf(x):
        return x
    q = Fraction(x) * Fraction(4) ** 1200
    n = q.numerator // q.denominator
    r = math.isqrt(n)
    return rounded(Fraction(2 * r + (r * r != q), 2) / Fraction(2) ** 1200, kind)


def inverse_root(x, kind):
    if x == 0:
        return math.copysign(math.inf, x)
    if x < 0:
        return math.nan
    return 0.0 if math.isinf(x) else nearest(1 / math.sqrt(x), kind)


def nearest(x, kind):
    return x if math.isinf(x) or math.isnan(x) or x == 0 else math.copysign(rounded(Fraction(x), kind), x)


def exp2(x, kind):
    if x > 1100:
        return math.inf
    return 0.0 if x < -1100 else nearest(2.0**x if -1000 < x < 1000 else math.inf if x > 0 else 0.0, kind)


def log2(x, kind):
    if x == 0:
        return -math.inf
    return math.nan if x < 0 else nearest(math.log2(x), kind)


def wave(function, x, kind, quarter):
    if math.isinf(x):
        return math.nan
    turn = Fraction(x) + Fraction(quarter, 4)
    turn -= round(turn)
    if 2 * turn == round(2 * turn):
        return math.copysign(0.0, 1.0 if quarter else x)
    # Near zeros the sine of what is left of half turns keeps its digits.
    if abs(turn) > Fraction(1, 4):
        turn = (Fraction(1, 2) if turn > 0 else Fraction(-1, 2)) - turn
    return nearest(math.sin(2 * math.pi * float(turn)), kind)


@functools.cache
def two_over_pi() -> int:
    """floor(2 ** 3000 * 2 / pi), from Chudnovsky's series."""
    digits = 1 << 3100
    k, term, a, b = 0, 1 << 3100, 0, 0
    while term:
        a, b = a + term, b + k * term
        k += 1
        term = -term * (6 * k - 5) * (2 * k - 1) * (6 * k - 1) // (k**3 * (640320**3 // 24))
    pi = math.isqrt(10005 * digits * digits) * 426880 * digits // (13591409 * a + 545140134 * b) // 1
    return (digits << 3001) // pi


def trig_preop(p, segment):
    e = p >> 52 & 0x7FF
    shift = 53 * (segment % 32) + max(0, e - 1077)
    bits = two_over_pi() >> 3000 - 1201 << 3000  # the hardware has 1201 bits
    value = Fraction((bits >> 3000 + 1201 - 53 - shift if shift <= 3000 else 0) & (1 << 53) - 1)
    return to_pattern(rounded(value * Fraction(2) ** (-53 - shift + (128 if e >= 1968 else 0)), "f64"), "f64")


def _cases(k):
    rules = {"rcp": (inverse, 0), "sqrt": (root, 0), "rsq": (inverse_root, 1)}
    if k != "f64":
        rules |= {
            "exp": (exp2, 1), "log": (log2, 1), "sin": (functools.partial(wave, math.sin), 1),
            "cos": (functools.partial(wave, math.cos), 1),
        }  # fmt: skip
    for name, (f, ulps) in rules.items():
        meaning = (
            functools.partial(f, kind=k, quarter=int(name == "cos"))
            if name in ("sin", "cos")
            else functools.partial(f, kind=k)
        )
        yield Case(f"v_{name}_{k}", k, k, of(meaning, k), ulps=ulps)


CASES = [*_cases("f16"), *_cases("f32"), *_cases("f64"), Case("v_rcp_iflag_f32", "f32", "f32", of(lambda x: inverse(x,
    "f32"), "f32")),
         *(Case(f"v_{n}_legacy_f32", "f32", "f32", of(functools.partial(f, kind="f32"), "f32"), ulps=1) for n,
             f in (("exp", exp2), ("log", log2))),
         Case("v_trig_preop_f64", "f64 u32", "f64", trig_preop),
         Case("v_trig_preop_f64", "f64 u32", "f64", trig_preop, draw="division")]  # fmt: skip


def test_every_instruction_has_a_case():
    assert {c.name for c in CASES} == vector_special.TABLE.keys()


@pytest.mark.parametrize("seed", range(2))
def test_gfx942(seed):
    (part,) = batches(CASES)
    assert Batch(part, "gfx942", seed).check() == []


def test_the_program_is_legal():
    assert assembles(Batch(CASES, "gfx942", 0).text, "gfx942") == ""


@pytest.mark.parametrize("name", ["exp", "log", "sin", "cos"])
def test_most_values_are_the_nearest(name):
    """The polynomials' error is far below an ulp: not one of 64 values is off, but for ties that doubles cannot
    tell."""
    x = np.random.default_rng(1).uniform(0.01, 30, 64).astype(np.float32)
    got = run_program(f"v_{name}_f32 v1, v0", {"v0": x})["v1"]
    meaning = next(c.meaning for c in CASES if c.name == f"v_{name}_f32")
    assert [int(g) for g in got] == [meaning(int(p)) for p in x.view(np.uint32)]


def test_references_of_this_file():
    assert to_float(of(lambda x: root(x, "f32"), "f32")(to_pattern(2.0, "f32")), "f32") == np.float32(math.sqrt(2))
    assert (
        two_over_pi() >> 3000 - 32 == 0xA2F9836E
        and negative(1.0, -0.0)
        and nan("f16") == 0x7E00
        and FORMATS["f64"][0] == 64
    )
