"""The polynomials of log and erf in `avelang.passes.functions`: no input; their coefficients, highest power first, go to standard output.

    .venv/bin/python tools/minimax.py
"""

from __future__ import annotations

import math

import numpy as np


def nodes(low: float, high: float, n: int = 3000) -> np.ndarray:
    """Chebyshev nodes of an interval."""
    return (low + high) / 2 + (high - low) / 2 * np.cos((2 * np.arange(n) + 1) * np.pi / (2 * n))


def fit(x: np.ndarray, y: np.ndarray, weight: np.ndarray, degree: int) -> tuple[np.ndarray, float]:
    """Coefficients, highest power first, and the largest weighted error. Lawson's iteration: least squares whose weights grow where the error
    is large tend to the minimax polynomial (C. L. Lawson, 1961)."""
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


def show(name: str, coefficients: np.ndarray, error: float) -> None:
    print(f"{name} = ({', '.join(f'{np.float32(c):.9g}' for c in coefficients)})  # error 2**{math.log2(error):.1f}")


def main() -> None:
    f = nodes(-1 / 3, 1 / 3, 4000)
    f = f[np.abs(f) > 1e-4]
    log = np.log1p(f)
    series = sum((-1) ** (k + 1) * f ** (k - 2) / k for k in range(2, 14))  # near zero, where the difference below cancels
    show("LOG", *fit(f, np.where(np.abs(f) < 0.02, series, (log - f) / f**2), f**2 / log, 9))
    x = nodes(1e-3, 0.93)
    erf = np.array([math.erf(v) for v in x])
    show("ERF", *fit(x * x, erf / x - 1, x / erf, 5))
    t = nodes(0.92, 4.02)
    erfc = np.array([math.erfc(v) for v in t])
    show("LOG_ERFC", *fit(t, np.log(erfc), erfc / (1 - erfc), 7))


if __name__ == "__main__":
    main()
