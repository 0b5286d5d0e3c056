"""Softmax of rows that come a tile at a time, against float64: scores of any size, infinities, NaN, rows in which
nothing counts."""

import math

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.tile.running_softmax import inverse, narrow, scaled, softmax

ROWS, COLS, TILES = 16, 32, 3
X = al.Tensor((ROWS, TILES * COLS), al.f32)


@avelang.constant
def spread(wave):
    return tile.Distribution.blocked((ROWS, COLS), al.f32, waves=1, wave=wave)


@avelang.jit
def kernel(x: X, sums: al.Tensor((ROWS, COLS), al.f32), logs: al.Tensor((ROWS,), al.f32), scale: al.f32):
    D = spread(al.target().wave)
    rows, out = softmax(D), tile.full(D, 0.0, al.f32)
    view = tile.view(x, None, 4)
    for j in al.range(TILES):
        p, shrink = rows.weigh(view.window((ROWS, COLS), (0, j * COLS), D).load(), scale)
        out = scaled(out, shrink).map(lambda a, b: a + b, (p,))
    total = rows.sums(out)
    tile.view(sums, None, 4).store(scaled(out, inverse(total)), (0, 0))
    tile.view(logs, None).store(rows.logarithms(total, scale), (0,))


def run(x, scale, target, backend):
    """Weights of columns modulo COLS, and the logarithms; what they must be, in float64, of scores times scale in
    f32."""
    sums, logs = np.full((ROWS, COLS), np.nan, np.float32), np.full(ROWS, np.nan, np.float32)
    options = {"backend": backend} if backend else {}
    kernel[1, 64 if target == "gfx942" else 32](x, sums, logs, scale * math.log2(math.e), target=target, **options)
    with np.errstate(invalid="ignore", divide="ignore"):
        s = x.astype(np.float64) * scale
        most = s.max(1, keepdims=True)
        p = np.exp(s - np.where(most == -np.inf, 0, most))
        total = p.sum(1, keepdims=True)
        want = (p / np.where(total == 0, 1, total)).reshape(ROWS, TILES, COLS).sum(1)
        return sums, logs, want, (np.where(most == -np.inf, 0, most) + np.log(total))[:, 0]


ON = pytest.mark.parametrize(("target", "backend"),
                             [("gfx942", "reference"), ("gfx942", "cpu"), ("gfx942", None), ("sm_80", "reference")])


@ON
def test_rows_of_all_sizes(target, backend):
    """Row r has scores of size 2^(8 r - 20): from far below the scale to near f32's end, in an order in which maxima
    grow, shrink and stay."""
    rng = np.random.default_rng(0)
    x = rng.integers(-64, 65, (ROWS, TILES * COLS)).astype(np.float32)
    x[:, :COLS] -= 100
    x[1::2, :COLS] += 200
    scale = 0.13
    x = (x * 2.0 ** (8 * np.arange(ROWS)[:, None] - 20)).astype(np.float32)
    sums, logs, want, want_logs = run(x, scale, target, backend)
    # A score times scale is right to 2^-23, log2(e) times it too; weights of scores that are far apart are 0 or 1.
    size = np.abs(x).max(1, keepdims=True) * scale
    bound = np.minimum(2.0**-18 + size * 2.0**-21, np.where(size > 2**20, 2.0**-18, np.inf))
    assert (np.abs(sums - want) <= bound).all()
    assert (np.abs(logs - want_logs) <= 2.0**-20 + size[:, 0] * 2.0**-21).all()


@ON
def test_what_is_not_finite(target, backend):
    """-inf counts nothing, rows of it give 0 and -inf; NaN and +inf make their row NaN, and no other."""
    x = np.zeros((ROWS, TILES * COLS), np.float32)
    x[0] = -np.inf
    x[1, : 2 * COLS] = -np.inf
    x[2, 5:] = -np.inf
    x[3, 40] = np.nan
    x[4, 70] = np.inf
    x[5] = -3e38
    x[6, 3], x[6, 90] = 3e38, -3e38
    sums, logs, want, want_logs = run(x, 1.0, target, backend)
    assert np.isnan(sums[3:5]).all()
    good = [0, 1, 2, 5, 6, *range(7, ROWS)]
    np.testing.assert_allclose(sums[good], want[good], rtol=2.0**-20)
    np.testing.assert_allclose(logs[good], want_logs[good], rtol=2.0**-20)
    assert (sums[0] == 0).all() and logs[0] == -np.inf and (sums[6, 3], sums[6].sum()) == (1, 1)


@avelang.jit
def narrowed(x: al.Tensor((64, 8), al.f32), o: al.Tensor((64, 8), al.bf16)):
    t = al.thread_id(0)
    o[t] = narrow(x[t], al.bf16)


@pytest.mark.parametrize("target", ["gfx942", "sm_80"])
def test_narrow_is_right_to_half_a_unit(target):
    x = np.random.default_rng(0).random((64, 8), np.float32)
    x[0, :4] = 0, 1, 2.0**-100, 1 - 2.0**-24
    o = np.zeros((64, 8), al.bf16.np)
    narrowed[1, 64](x, o, target=target, backend="reference")
    assert (np.abs(o.astype(np.float64) - x) <= 2.0**-8 * x).all()
