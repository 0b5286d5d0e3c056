"""Float arithmetic with the roundings of the language: arrays of any float dtype come in, arrays rounded once go
out."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from avelang.ir.dtypes import DType

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)


def is_small(d: DType) -> bool:
    """True where `d` is one of the float dtypes that are computed in f32: f16, bf16 and the fp8 kinds."""
    return d.is_float and d.bits < 32


def _nudge(x: np.ndarray, word: type, exact: np.ndarray, grow: np.ndarray) -> np.ndarray:
    """Rounding to odd: where `x` is not exact and its last bit is even, the neighbor (away from zero where `grow`)."""
    bits = x.view(word)
    even = (bits & word(1)) == 0
    moved = np.where(grow, bits + word(1), bits - word(1))
    return np.where(~exact & even, moved, bits).view(x.dtype)


def odd_f32(x: np.ndarray) -> np.ndarray:
    """f64 rounded to odd in f32: rounding that once more, to 22 bits or fewer, gives what one rounding of `x` would
    have given (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
    odd", 2008)."""
    y = x.astype(F32)
    back = y.astype(F64)
    exact = (back == x) | ~np.isfinite(x)
    return _nudge(y, np.uint32, exact, np.abs(back) < np.abs(x))


def narrow(x: np.ndarray, d: DType) -> np.ndarray:
    """f32 or f64 values as dtype `d`, rounded once to nearest even. (`ml_dtypes` before 0.7 goes from f64 through f32
    and rounds twice.)"""
    if x.dtype == F64 and is_small(d) and d.name != "f16":
        x = odd_f32(x)
    return x.astype(d.np)


def from_int(x: np.ndarray, d: DType) -> np.ndarray:
    """Integers as floats of dtype `d`, rounded once to nearest even."""
    if not is_small(d):
        return x.astype(d.np)
    if x.dtype.itemsize == 8:
        # The low bits, which f64 cannot hold, are gathered into one sticky bit far below every rounding boundary.
        one, low = x.dtype.type(1 << 11), x.dtype.type(0xFFF)
        big = np.where((x & low) != 0, (x & ~low) | one, x)
        inside = (x < x.dtype.type(1 << 53)) & ((x > x.dtype.type(-(1 << 53))) if x.dtype.kind == "i" else True)
        x = np.where(inside, x, big)
    return narrow(x.astype(F64), d)


def to_int(x: np.ndarray, d: DType) -> np.ndarray:
    """Floats as integers of dtype `d`: truncated, saturated; NaN gives 0."""
    f = x.astype(F64)
    f = np.trunc(np.where(np.isnan(f), 0.0, f))
    low, high = f <= d.min, f >= float(d.max)  # float(max) is the next power of two where f64 cannot hold max
    out = np.where(low | high, 0.0, f).astype(d.np)
    return np.where(low, d.np.type(d.min), np.where(high, d.np.type(d.max), out))


def widened(f: Callable[..., np.ndarray], d: DType, wide: np.dtype = F32) -> Callable[..., np.ndarray]:
    """`f` on values of dtype `d`, computed in `wide` and rounded once; `f` itself where `d` is at least as wide."""
    if d.np == F64 or d.np == wide:
        return f
    return lambda *xs: narrow(f(*[x.astype(wide) for x in xs]), d)


def _two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a + b, and the error of that sum, exactly (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def _split(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a as a sum of two halves of 26 bits (Veltkamp)."""
    c = 134217729.0 * a
    high = c - (c - a)
    return high, a - high


def _odd_sum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a + b in f64, rounded to odd."""
    s, e = _two_sum(a, b)
    exact = (e == 0) | ~np.isfinite(s) | ~np.isfinite(e)
    return _nudge(s, np.uint64, exact, (e > 0) == (s > 0))


def fma32(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c of f32 with one rounding: the product of two f32 is exact in f64."""
    return _odd_sum(a.astype(F64) * b.astype(F64), c.astype(F64)).astype(F32)


def fma_small(d: DType) -> Callable[..., np.ndarray]:
    """fma of f16, bf16 or fp8 with one rounding: the product is exact in f64, the sum rounded to odd there."""
    return lambda a, b, c: narrow(_odd_sum(a.astype(F64) * b.astype(F64), c.astype(F64)), d)


def _exact_fma(a: float, b: float, c: float) -> float:
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c  # a * b is finite, also where f64 does not hold it
    total = Fraction(a) * Fraction(b) + Fraction(c)
    if not total:
        return a * b + c  # for the sign of zero
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def fma64(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c of f64 with one rounding (Boldo and Melquiond's Fma_emul); rational arithmetic near the ends of the
    exponent range."""
    ph = a * b
    (ah, al), (bh, bl) = _split(a), _split(b)
    pl = ((ah * bh - ph) + ah * bl + al * bh) + al * bl
    th, tl = _two_sum(c, pl)
    vh, vl = _two_sum(ph, th)
    out = vh + _odd_sum(tl, vl)
    size = np.maximum(np.maximum(np.abs(a), np.abs(b)), np.maximum(np.abs(c), np.abs(ph)))
    hard = ~(size < 2.0**990) | (np.abs(ph) < 2.0**-900)
    for i in zip(*np.nonzero(hard), strict=True):
        out[i] = _exact_fma(float(a[i]), float(b[i]), float(c[i]))
    return out
