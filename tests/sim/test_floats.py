"""Roundings and fma against rational arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from avelang.sim import floats
from sim.kernels import apply


def test_fma_of_f32_rounds_once():
    r = np.random.default_rng(1)
    a, b = r.standard_normal((2, 400)).astype(np.float32)
    # c close to -a*b, so that almost everything cancels, and tiny c, which must decide ties.
    c = np.where(np.arange(400) % 2, -(a * b), (a * 2.0 ** r.integers(-70, -20, 400))).astype(np.float32)
    a[:2], b[:2] = np.float32(1 + 2**-12), np.float32(1 - 2**-12)  # 1 - 2**-24: half way between two f32
    a[1], b[1], c[:2] = 1, np.float32(1 - 2**-24), np.float32(2**-80)
    got = apply("%r = fma(%x0, %x1, %x2) : f32", ["f32"] * 3, "f32", a, b, c)
    for x, y, z, g in zip(a.tolist(), b.tolist(), c.tolist(), got):
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        error = abs(Fraction(float(g)) - exact)
        for other in (np.nextafter(g, np.float32(-9)), np.nextafter(g, np.float32(9))):
            assert error < abs(Fraction(float(other)) - exact) or (
                error == abs(Fraction(float(other)) - exact) and g.view(np.uint32) % 2 == 0
            )


def test_fma_of_f32_breaks_ties_by_what_f64_cannot_hold():
    # a * b = 1 + 2**-24 is a tie between two f32; c decides, far below the last bit of f64.
    a, b = np.float32([1 + 2**-12]), np.float32([1 + 2**-12])
    p = Fraction(float(a[0])) ** 2  # 1 + 2**-11 + 2**-24
    assert p == 1 + Fraction(1, 2**11) + Fraction(1, 2**24)
    up, down = (apply("%r = fma(%x0, %x1, %x2) : f32", ["f32"] * 3, "f32", a, b, np.float32([c]))[0] for c in (2.0**-90, -(2.0**-90)))
    assert float(up) == 1 + 2**-11 + 2**-23 and float(down) == 1 + 2**-11
    in_two_steps = np.float32(np.float64(a[0]) * np.float64(b[0]) + 2.0**-90)
    assert in_two_steps != up  # plain f64 arithmetic goes astray here


@pytest.mark.parametrize("low, high", [(-3, 3), (-1070, -400), (400, 1020), (-500, 500)])
def test_fma_of_f64_is_exact(low, high):
    r = np.random.default_rng(low + 9999)
    a, b, c = (r.standard_normal(150) * 2.0 ** r.integers(low, high, 150) for _ in range(3))
    with np.errstate(all="ignore"):
        c[:75] = -(a[:75] * b[:75])
    c = np.where(np.isfinite(c), c, 1.0)
    got = apply("%r = fma(%x0, %x1, %x2) : f64", ["f64"] * 3, "f64", a, b, c)
    for x, y, z, g in zip(a.tolist(), b.tolist(), c.tolist(), got.tolist()):
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        try:
            want = float(exact)
        except OverflowError:
            want = math.inf if exact > 0 else -math.inf
        assert g == want


def test_fma_of_infinities():
    a, b, c = np.array([math.inf, math.inf, 1.0, math.nan]), np.array([1.0, 0.0, 1.0, 1.0]), np.array([1.0, 1.0, -math.inf, 1.0])
    np.testing.assert_array_equal(
        apply("%r = fma(%x0, %x1, %x2) : f64", ["f64"] * 3, "f64", a, b, c), [math.inf, math.nan, -math.inf, math.nan]
    )
    narrow = [x.astype(np.float32) for x in (a, b, c)]
    np.testing.assert_array_equal(
        apply("%r = fma(%x0, %x1, %x2) : f32", ["f32"] * 3, "f32", *narrow), [math.inf, math.nan, -math.inf, math.nan]
    )


def test_a_product_above_the_range_is_finite_beside_an_infinity():
    a, c = np.array([1e200, -1e200, 1e200, 1e200]), np.array([-math.inf, math.inf, math.inf, math.nan])
    got = apply("%r = fma(%x0, %x1, %x2) : f64", ["f64"] * 3, "f64", a, np.full(4, 1e200), c)
    np.testing.assert_array_equal(got, c)


def test_rounding_to_odd():
    x = np.array([1.0, 1 + 2**-40, 1 - 2**-40, -(1 + 2**-40), 1e300, 1e-300, -1e-300, math.inf])
    with np.errstate(all="ignore"):
        got = floats.odd_f32(x)
    assert got[0] == 1 and math.isinf(got[7])
    assert (got[1:7].view(np.uint32) & 1 == 1).all()
    assert got[4] == np.finfo(np.float32).max and 0 < got[5] < 1e-44 and -1e-44 < got[6] < 0
