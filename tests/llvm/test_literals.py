"""Constants in LLVM's text, against NumPy's bits."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.frontend.infer import SMALL
from avelang.ir.dtypes import SCALARS, bf16, f16, f32, f64, i8, u1, u32
from avelang.llvm.literals import literal

NUMBERS = (
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    3.14159,
    65504.0,
    1e-45,
    3.4e38,
    1e39,
    -1e39,
    1e300,
    float("inf"),
    float("-inf"),
    float("nan"),
)


@pytest.mark.parametrize("d", [f16, bf16], ids=str)
@pytest.mark.parametrize("x", NUMBERS)
def test_narrow_floats_are_their_bits(x, d):
    with np.errstate(all="ignore"):
        want = int(np.array(np.float32(x)).astype(d.np).view(np.uint16))
    assert literal(x, d) == str(want)


@pytest.mark.parametrize("d", [f32, f64], ids=str)
@pytest.mark.parametrize("x", NUMBERS)
def test_floats_are_the_bits_of_the_double(x, d):
    with np.errstate(all="ignore"):
        want = np.float64(d.np.type(x))
    got = np.uint64(int(literal(x, d), 16)).view(np.float64)
    assert got == want or (np.isnan(got) and np.isnan(want))
    assert np.signbit(got) == np.signbit(want)


def test_integers_and_conditions():
    assert (literal(200, i8), literal(-1, u32), literal(5, u32), literal(True, u1), literal(0, u1)) == (
        "-56",
        "-1",
        "5",
        "true",
        "false",
    )


def test_every_float_holds_the_numbers_that_are_taken_without_a_look():
    for d in (d for d in SCALARS if d.is_float):
        assert np.isfinite(np.array([SMALL, -SMALL], np.float64).astype(d.np).astype(np.float64)).all(), d
