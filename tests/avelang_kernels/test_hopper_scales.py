"""Scales of rows and columns of fp8's products on Hopper: those that come to shared memory while their tile is
multiplied, and those that the epilogue loads, by tiles of each kind against float64."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from alarms.engines import Engine, on
from avelang.base import engines
from avelang_kernels.matmul.hopper_gemm import GemmTile, early_scales, gemm

e4m3, bf16 = ml_dtypes.float8_e4m3fn, ml_dtypes.bfloat16
TILES = [GemmTile(64, 64, 3), GemmTile(128, 96, 3, 2), GemmTile(128, 64, 3, row_blocks=2, pingpong=True),
         GemmTile(128, 48, 3, row_blocks=2, pingpong=True, transposed=True), GemmTile(64, 96, 3, transposed=True),
         GemmTile(64, 64, 3, split=2)]  # fmt: skip


def product(m: int, n: int, k: int, tile: GemmTile, rows: Any, cols: Any, **options: Any) -> None:
    """Of random numbers with scales of rows and of columns, each an array or None for a number."""
    rng = np.random.default_rng(7)
    a, b = (rng.standard_normal((x, k)).astype(e4m3) for x in (m, n))
    out = np.full((m, n), np.nan, bf16)
    gemm(a, b, out, tile, 2, scale_a=rows, scale_b=cols, target="sm_90a", **options)
    x, y = a.astype(np.float64), b.astype(np.float64).T
    factor = (np.ones((m, 1)) * np.reshape(rows, (-1, 1))) * (np.ones((1, n)) * np.reshape(cols, (1, -1)))
    want = x @ y * factor + options.get("bias", np.zeros(n))
    error = np.abs(out.astype(np.float64) - want)
    assert (error <= 1e-4 * (np.abs(x) @ np.abs(y)) * factor + 2.0**-8 * np.abs(want)).all(), error.max()


def drawn(count: int, step: int = 1) -> np.ndarray:
    """Scales, `step` elements apart, among NaN."""
    x = np.full(count * step, np.nan, np.float32)[::step]
    x[:] = np.random.default_rng(count).uniform(0.5, 2, count)
    return x


@pytest.mark.parametrize("tile", TILES, ids=str)
def test_scales_by_tiles_of_each_kind(tile: GemmTile) -> None:
    assert early_scales(tile, 2, (1, 1)) == (tile.split == 1)
    product(200, 136, 272, tile, drawn(200), drawn(136))
    product(70, 72, 528, tile, drawn(70), drawn(72))


@pytest.mark.parametrize(("rows", "cols"), [(drawn(131, 3), drawn(72)), (drawn(131), np.full(1, 0.75, np.float32)),
                                            (np.full(1, 2, np.float32), drawn(72, 2))], ids=["apart", "rows", "columns"])  # fmt: skip
def test_scales_that_lie_apart_or_are_of_one_side(rows: Any, cols: Any) -> None:
    product(131, 72, 144, TILES[1], rows, cols)


def test_no_room_for_scales_beside_the_stages() -> None:
    full = GemmTile(128, 256, 0, 2).fitted(2)
    assert early_scales(full, 2, (2, 2)) and not early_scales(full, 2, None) and not early_scales(full, 2, 1)
    assert not early_scales(GemmTile(128, 256, 0, row_blocks=2, pingpong=True)._replace(stages=5), 2, (2, 2))


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("tile", [TILES[1], TILES[3]], ids=str)
def test_no_race(tile: GemmTile, biased: bool, monkeypatch: Any) -> None:
    """Of some consumers all rows are past the end: nothing of theirs is staged, and the next tile's scales come."""
    monkeypatch.setenv("AVE_CHECK", "all")
    more = {"bias": drawn(104)} if biased else {}
    with on(Engine(engines.PTX, "sm_90a")) as said:
        product(270, 104, 144, tile, drawn(270), drawn(104), **more)
    assert "X0" not in said.getvalue()


@pytest.mark.parametrize(("dtype", "precision", "options"), [
    (bf16, None, {"scale_a": np.full(1, 2, np.float32)}), (bf16, None, {"scale_a": 2.0}), (e4m3, None, {}), (e4m3, None, {"scale_b": 0.5}),
    (np.float32, "tf32", {}), (np.int8, None, {"scale_a": 0.5}),
], ids=["one in memory", "a number", "none", "a number of b", "tf32", "integers"])  # fmt: skip
@pytest.mark.parametrize("activation", [None, "relu"], ids=["", "relu"])
def test_a_bias_beside_any_scales(dtype: Any, precision: str | None, options: dict[str, Any], activation: str | None) -> None:
    rng = np.random.default_rng(3)
    a, b = ((rng.standard_normal((x, 32)) * (20 if dtype == np.int8 else 1)).astype(dtype) for x in (20, 24))
    bias = rng.standard_normal(24).astype(np.float32)
    got = gemm(a, b, dtype=np.float32, bias=bias, activation=activation, precision=precision, target="sm_90a", **options)
    want = a.astype(np.float64) @ b.astype(np.float64).T * float(np.prod([np.prod(x) for x in options.values()])) + bias
    np.testing.assert_allclose(got, want if activation is None else np.maximum(want, 0), rtol=1e-5, atol=(2e-3 if precision else 1e-5) * np.abs(want).max())


def test_integers_have_no_bias() -> None:
    ones = np.ones((16, 16), np.int8)
    with pytest.raises(ValueError, match="bias and activation are for results of floats"):
        gemm(ones, ones, bias=np.ones(16, np.float32), target="sm_90a")
