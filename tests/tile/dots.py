"""A product of f32 by tiles as numbers, in fewer bits, for the tests and for GPUs."""

from __future__ import annotations

import numpy as np

import avelang
import avelang.language as al
from avelang import tile


@avelang.jit
def product(
    a: al.Pointer[al.f32], b: al.Pointer[al.f32], c: al.Pointer[al.f32], m: al.i32, n: al.i32, k: al.i32,
    HOW: al.constexpr
):
    i, j, acc = tile.arange(32)[:, None], tile.arange(32)[None, :], tile.accumulator((32, 32), al.f32, HOW)
    for first in al.range(0, k, 32):
        p = first + tile.arange(32)
        x = tile.load(a, i * k + p[None, :], (i < m) & (p[None, :] < k))
        y = tile.load(b, p[:, None] * n + j, (p[:, None] < k) & (j < n))
        acc = tile.dot(x, y, acc, precision=HOW)
    tile.store(c, i * n + j, acc, (i < m) & (j < n))


def rounded(x, bits):
    """f32 rounded to so many significant bits, ties away from zero, by scaling."""
    fraction, exponent = np.frexp(x.astype(np.float64))
    return np.ldexp(np.trunc(fraction * 2**bits + np.copysign(0.5, fraction)), exponent - bits)
