"""The fused multiply-add that all f32 accumulators rest on, against exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from avelang.isa.mma_reference import fma32, matmul

F32 = st.floats(width=32, allow_nan=False, allow_infinity=False)


def rounded(x: Fraction) -> np.float32:
    """x rounded to float32, to nearest, ties to even: the nearest of the candidates around the float64 nearest to
    it."""
    if abs(x) >= Fraction(2**128 - 2**103):  # half a unit above the greatest finite number
        return np.float32(np.inf if x > 0 else -np.inf)
    near = np.float32(float(x))
    if np.isinf(near):
        near = np.float32(np.copysign(np.finfo(np.float32).max, near))
    around = [near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))]
    finite = [c for c in around if np.isfinite(c)]
    even = {c: int(np.array(c, np.float32).view(np.uint32)) & 1 for c in finite}
    return min(finite, key=lambda c: (abs(Fraction(float(c)) - x), even[c]))


@given(F32, F32, F32)
@example(1 + 2**-12, 1 + 2**-12, -1 - 2**-11)
@example(1.0, 1 + 2**-23, 2**-24)  # a tie in f32 that f64 sees exactly
@example(1 + 2**-23, 1 + 2**-23, 2**-70)  # just above a tie: an f64 sum would round it onto the tie
@example(1.0000001192092896, 5.960464477539063e-08, 1.0)
@settings(max_examples=500, deadline=None)
def test_fma_rounds_once(a, b, c):
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    with np.errstate(all="ignore"):
        got = fma32(*(np.array([x], np.float64) for x in (a, b, c)))[0]
    assert got == rounded(exact), (a, b, c)


def test_two_roundings_would_show():
    """c + half a unit of c + a little: the little is lost in float64, whose sum then lies on the tie and goes to the
    even c."""
    c, tie = 2.0**25, 2.0  # float32 steps by 4 here
    a, b = 1 + 2.0**-23, tie * (1 - 2.0**-23) + 2.0**-21  # exactly, a * b is a little above the tie
    little = Fraction(a) * Fraction(b) - Fraction(tie)
    assert 0 < little < Fraction(2**-20)
    tiny = 2.0**-40
    exact = Fraction(c) + Fraction(tie) + Fraction(tiny)
    wide = np.array([tie + tiny]), np.ones(1), np.array([c])
    assert rounded(exact) == np.float32(c + 4)
    assert fma32(*wide)[0] == np.float32(c + 4)
    assert np.float32(wide[0][0] + c) == np.float32(c)  # what two roundings give


def test_infinities_and_nan():
    inf, nan = np.inf, np.nan
    with np.errstate(all="ignore"):
        got = fma32(np.array([inf, inf, 1.0, 3e38]), np.array([1.0, 1.0, nan, 3e38]), np.array([1.0, -inf, 1.0, 0.0]))
    assert got[0] == inf and np.isnan(got[1]) and np.isnan(got[2]) and got[3] == inf


def test_an_f16_accumulator_is_rounded_at_its_end():
    a, b, c = np.full((1, 1, 3), 2048, np.float16), np.ones((1, 3, 1), np.float16), np.ones((1, 1, 1), np.float16)
    a[0, 0, 1:] = 1  # 1 + 2048 + 1 + 1 = 2051; rounded to f16 at each step it would stay at 2048
    assert matmul(a, b, c)[0, 0, 0] == np.float16(2052)
