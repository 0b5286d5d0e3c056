"""The polynomials of `avelang.ir.functions.formulas32` (log and erf) and `formulas64` (all): their names, or none for
all, come in; coefficients, highest power first, go to standard output.

    .venv/bin/python tools/minimax.py [NAME ...]

Those of f64 are fitted with mpmath, which comes with torch.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np


def nodes(low: float, high: float, n: int = 3000) -> np.ndarray:
    """Chebyshev nodes of an interval."""
    return (low + high) / 2 + (high - low) / 2 * np.cos((2 * np.arange(n) + 1) * np.pi / (2 * n))


def fit(x: np.ndarray, y: np.ndarray, weight: np.ndarray, degree: int) -> tuple[np.ndarray, float]:
    """Coefficients, highest power first, and the largest weighted error. Lawson's iteration: least squares whose
    weights grow where the error is large tend to the minimax polynomial (C. L. Lawson, 1961)."""
    middle, half = (x.max() + x.min()) / 2, (x.max() - x.min()) / 2
    basis = np.polynomial.chebyshev.chebvander((x - middle) / half, degree)
    lawson = np.ones_like(x)
    for _ in range(60):
        w = np.sqrt(lawson) * weight
        c = np.linalg.lstsq(basis * w[:, None], y * w, rcond=None)[0]
        error = np.abs((basis @ c - y) * weight)
        lawson = np.maximum(lawson * error / (lawson * error).sum(), 1e-12)
    p = np.polynomial.Chebyshev(c, domain=[middle - half, middle + half]).convert(kind=np.polynomial.Polynomial)
    return p.coef[::-1], float(np.abs((p(x) - y) * weight).max())


def single() -> None:
    """Those of f32."""

    def show(name: str, coefficients: np.ndarray, error: float) -> None:
        print(
            f"{name} = ({', '.join(f'{np.float32(c):.9g}' for c in coefficients)})  # error 2**{math.log2(error):.1f}"
        )

    f = nodes(-1 / 3, 1 / 3, 4000)
    f = f[np.abs(f) > 1e-4]
    log = np.log1p(f)
    # near zero, where the difference below cancels
    series = sum((-1) ** (k + 1) * f ** (k - 2) / k for k in range(2, 14))
    show("LOG", *fit(f, np.where(np.abs(f) < 0.02, series, (log - f) / f**2), f**2 / log, 9))
    x = nodes(1e-3, 0.93)
    erf = np.array([math.erf(v) for v in x])
    show("ERF", *fit(x * x, erf / x - 1, x / erf, 5))
    t = nodes(0.92, 4.02)
    erfc = np.array([math.erfc(v) for v in t])
    show("LOG_ERFC", *fit(t, np.log(erfc), erfc / (1 - erfc), 7))


Function = Callable[[Any], Any]


def remez(mp: Any, f: Function, weight: Function, low: float, high: float, degree: int,
          grid: int = 700) -> tuple[list[float], float]:
    """The same by E. Y. Remez's exchange (1934) in many digits, on a grid that is dense at the ends."""
    middle, half = (mp.mpf(low) + high) / 2, (mp.mpf(high) - low) / 2
    units = [-mp.cos(mp.pi * i / grid) for i in range(grid + 1)]
    basis = [[mp.chebyt(k, u) for k in range(degree + 1)] for u in units]
    want, w = ([g(middle + half * u) for u in units] for g in (f, weight))
    at = [round(grid * i / (degree + 1)) for i in range(degree + 2)]
    for _ in range(12):
        system = mp.matrix([[*(w[i] * t for t in basis[i]), (-1) ** row] for row, i in enumerate(at)])
        c = mp.lu_solve(system, mp.matrix([w[i] * want[i] for i in at]))
        error = [w[i] * (sum(c[k] * basis[i][k] for k in range(degree + 1)) - want[i]) for i in range(grid + 1)]
        peaks: list[int] = []  # one in each run of errors of one sign
        for i, e in enumerate(error):
            if not peaks or (e > 0) != (error[peaks[-1]] > 0):
                peaks.append(i)
            elif abs(e) > abs(error[peaks[-1]]):
                peaks[-1] = i
        while len(peaks) > degree + 2:
            peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
        if len(peaks) < degree + 2 or peaks == at:
            break
        at = peaks
    samples = [middle + half * mp.cos(mp.pi * (i + 0.5) / (degree + 1)) for i in range(degree + 1)]
    values = [sum(c[k] * mp.chebyt(k, (x - middle) / half) for k in range(degree + 1)) for x in samples]
    powers = mp.lu_solve(mp.matrix([[x**k for k in range(degree + 1)] for x in samples]), mp.matrix(values))
    return [float(powers[k]) for k in reversed(range(degree + 1))], float(max(map(abs, error)))


def double(names: list[str]) -> None:
    """Those of f64. Where a difference cancels near zero, the series stands for it."""
    import mpmath as mp

    mp.mp.dps = 50

    def odd(f: Function, first: Any, second: Any) -> Function:
        """(f(x) / x - 1) / x**2 as a function of x**2."""
        return lambda s: (f(mp.sqrt(s)) / mp.sqrt(s) - 1) / s if s > 1e-12 else first + second * s

    sixth, third = mp.mpf(1) / 6, mp.mpf(1) / 3
    table: dict[str, tuple[Function, Function, float, float, int]] = {
        "EXP": (lambda r: (mp.exp(r) - 1 - r) / r**2 if abs(r) > 1e-9 else 0.5 + sixth * r, lambda r: r**2 / mp.exp(r),
                -0.3467, 0.3467, 10),
        "LOG": (lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2) / z if z > 1e-12 else 2 * third + 2 * z / 5,
                lambda z: z, 0, 0.0295, 7),
        "TANH": (odd(mp.tanh, -third, mp.mpf(2) / 15), lambda s: s, 0, 0.5626, 12),
        "ERF": (lambda s: mp.erf(mp.sqrt(s)) / mp.sqrt(s) - 1 if s > 1e-20 else 2 / mp.sqrt(mp.pi) - 1, lambda s: 1, 0,
                0.7661, 11),
        "LOG_ERFC": (lambda u: mp.log(mp.erfc(u + 1)), lambda u: mp.erfc(u + 1), -0.1251, 5.0001, 20),
        "SIN": (odd(mp.sin, -sixth, sixth / 20), lambda s: s, 0, 0.617, 6),
        "COS": (lambda s: (mp.cos(mp.sqrt(s)) - 1 + s / 2) / s**2 if s > 1e-9 else sixth / 4 - s / 720, lambda s: s**2,
                0, 0.617, 6),
    }
    for name in names or table:
        coefficients, error = remez(mp, *table[name])
        print(f"{name} = ({', '.join(f'{c!r}' for c in coefficients)})  # error 2**{math.log2(error):.1f}")


if __name__ == "__main__":
    if not sys.argv[1:]:
        single()
    double(sys.argv[1:])
