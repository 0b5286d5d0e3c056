"""The expansions of functions of f64: run by the reference all over the range, against mpmath with 150 bits (1300 for
sine and cosine of large numbers)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from avelang.ir.dtypes import f64
from avelang.ir.functions import formulas64
from passes.test_expand_math import N, apply

EXACT: dict[str, Callable[[Any], Any]] = {
    "exp": mp.exp, "exp2": lambda x: mp.mpf(2) ** x, "log": mp.log, "log2": lambda x: mp.log(x, 2), "tanh": mp.tanh,
    "erf": mp.erf,
    "rsqrt": lambda x: 1 / mp.sqrt(x), "sin": mp.sin, "cos": mp.cos,
}  # fmt: skip
BOUND = {"tanh": 1.5, "rsqrt": 1.5}  # units in the last place; the others 1
LEAST = 5e-324
RNG = np.random.default_rng(11)
SPREADS: dict[str, np.ndarray] = {
    "uniform": RNG.uniform(-12, 12, N),
    "small": np.exp(RNG.uniform(-40, 1, N)) * RNG.choice([-1, 1], N),
    "near one": 1 + RNG.uniform(-0.4, 0.4, N) ** 3,
    "seams": np.concatenate([s + RNG.uniform(-0.01, 0.01, N // 8)
                             for s in (0.5, 0.75, 0.875, 1.0, math.sqrt(0.5), 0.3466, math.pi / 4, 2.3562)]),
    "wide": RNG.uniform(-1100, 1050, N),
    "bits": RNG.integers(0, 1 << 64, N, dtype=np.uint64).view(np.float64),
    "turns": RNG.integers(1, 1 << 40, N) * (math.pi / 2),
}  # fmt: skip
# Of all f64 the nearest to a multiple of pi/2 (J.-M. Muller, "Elementary Functions", table of worst cases for argument
# reduction), and its neighbor.
HARD = [6381956970095103 * 2.0**797, np.nextafter(6381956970095103 * 2.0**797, 0.0), 2.0**30,
        np.nextafter(2.0**30, 0.0), 1.7976931348623157e308]
SENSIBLE = {"tanh": 30.0, "erf": 8.0}  # beyond, they are one


def error(name: str, got: float, x: float) -> float:
    """Distance from the exact value in units of the last place; 0 where both are NaN or the same infinity or zero."""
    with np.errstate(all="ignore"):
        if math.isnan(x) or (name in ("sin", "cos") and math.isinf(x)) or (name in ("log", "log2", "rsqrt") and x < 0):
            return 0.0 if math.isnan(got) else math.inf
        if math.isinf(x) or x == 0:
            exact: Any = {"exp": math.exp, "exp2": lambda v: 2.0**v, "tanh": math.tanh, "erf": math.erf,
                          "sin": math.sin, "cos": math.cos,
                          "log": lambda v: -math.inf if v == 0 else v, "log2": lambda v: -math.inf if v == 0 else v,
                          "rsqrt": lambda v: math.copysign(math.inf, v) if v == 0 else 0.0}[name](x)  # fmt: skip
            return 0.0 if got == exact and math.copysign(1, got) == math.copysign(1, exact) else math.inf
        with mp.workprec(1300 if name in ("sin", "cos") else 150):
            exact = EXACT[name](mp.mpf(x))
            nearest = float(exact)
            if math.isinf(nearest) or math.isinf(got):
                return 0.0 if got == nearest else math.inf
            return float(abs(mp.mpf(got) - exact) / max(float(np.spacing(abs(nearest))), LEAST))


def worst(name: str, x: np.ndarray) -> tuple[float, float]:
    got = apply(name, x, f64)
    return max((error(name, float(g), float(v)), float(v)) for g, v in zip(got, x, strict=True))


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("name", EXACT)
def test_within_a_unit(name, spread):
    x = SPREADS[spread].copy()
    if name in SENSIBLE:
        x = np.clip(x, -SENSIBLE[name], SENSIBLE[name])
    if name in ("exp", "exp2") and spread in ("bits", "turns"):
        x = np.clip(x, -2000, 2000)
    most, at = worst(name, x)
    assert most <= BOUND.get(name, 1.0), (name, at, most)


@pytest.mark.parametrize("name", EXACT)
def test_edges(name):
    """Zeros of both signs, infinities, NaN, subnormal numbers, the ends of the range."""
    edges = [0.0, -0.0, math.inf, -math.inf, math.nan, LEAST, -LEAST, 2.2250738585072014e-308, 2.225073858507201e-308,
             1.0, -1.0, 709.782712893384,
             709.7827128933841, -745.1332191019411, -745.1332191019412, -708.4, 1023.9999999999999, 1024.0, -1074.0,
             -1075.0, -1022.5, 1e308, -1e308]  # fmt: skip
    if name in ("exp", "exp2"):
        edges = [e for e in edges if not 1e5 < abs(e) < math.inf]
    if name in SENSIBLE:
        edges = [e for e in edges if abs(e) < SENSIBLE[name] or math.isinf(e) or math.isnan(e)]
    most, at = worst(name, np.resize(np.array(edges), N))
    assert most <= BOUND.get(name, 1.0), (name, at, most)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_the_hardest_arguments(name):
    """Where the most of an argument cancels; every exponent up to the greatest."""
    x = np.concatenate([HARD, np.ldexp(1 + RNG.random(N - len(HARD)), RNG.integers(-30, 1024, N - len(HARD)))])
    most, at = worst(name, x)
    assert most <= 1.0, (name, at, most)


@pytest.mark.parametrize(("what", "name"),
                         [("EXP", "exp"), ("LOG", "log2"), ("TANH", "tanh"), ("ERF", "erf"), ("LOG_ERFC", "erf"),
                          ("SIN", "sin"), ("COS", "cos")])
def test_a_wrong_coefficient_is_noticed(monkeypatch, what, name):
    """In the third place from below, by 2**-30 of it."""
    c = getattr(formulas64, what)
    monkeypatch.setattr(formulas64, what, (*c[:-3], c[-3] * (1 + 2.0**-30), *c[-2:]))
    assert worst(name, SPREADS["uniform"] / 4)[0] > BOUND.get(name, 1.0)
