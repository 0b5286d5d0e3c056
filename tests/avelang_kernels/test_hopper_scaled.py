"""Hopper's product with scales by blocks of K: tiles of each kind against float64 on the CPU, in the reference and as executed PTX, with scales that lie
side by side, which bulk copies bring, and elsewhere."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
from alarms.engines import Engine, on
from avelang.base import engines
from avelang_kernels.matmul import hopper_scaled
from avelang_kernels.matmul.hopper_tiles import GemmTile
from avelang_kernels.matmul.tile_scaled import ScaleOperand

E4 = ml_dtypes.float8_e4m3fn
# One and two consumers, two accumulators and one, two blocks of rows a consumer, clusters along both sides, three consumers, and parts of K.
TILES = [GemmTile(64, 64, 3), GemmTile(128, 64, 2, 2), GemmTile(256, 64, 2, 1, 2, row_blocks=2), GemmTile(256, 128, 3, 2, row_blocks=2),
         GemmTile(128, 192, 2, 1, 2), GemmTile(192, 64, 3), GemmTile(64, 64, 2, split=2)]  # fmt: skip


def operand(rng: np.random.Generator, rows: int, k: int, each: int, side: bool) -> tuple[Any, ScaleOperand, np.ndarray]:
    """Numbers, their scales in memory with NaN around them, and what they stand for. `side`: scales of rows lie side by side."""
    x, (high, wide) = rng.standard_normal((rows, k)).astype(E4), (-(-rows // each), -(-k // 128))
    scale = rng.uniform(0.5, 2, (high, wide)).astype(np.float32)
    memory = np.full((wide + 1) * (high + 4) * 4, np.nan, np.float32)
    across, along = (1, -(-high // 4) * 4 + 4) if side else (wide + 1, 1)
    view = np.lib.stride_tricks.as_strided(memory, (high, wide), (4 * across, 4 * along))
    view[:] = scale
    return x, ScaleOperand(memory, across, along, each), x.astype(np.float64) * np.repeat(np.repeat(scale, each, 0)[:rows], 128, 1)[:, :k]


def judged(m: int, n: int, k: int, tile: GemmTile, kinds: tuple[int, int] = (1, 128), side: bool = True, seed: int = 1, **options: Any) -> None:
    rng = np.random.default_rng(seed)
    (a, left, x), (b, right, y) = operand(rng, m, k, kinds[0], side), operand(rng, n, k, kinds[1], False)
    out = np.full((m, n), np.nan, np.float32)
    hopper_scaled.launch(a, b, out, left, right, al.f32, tile=tile, blocks=4, target="sm_90a", **options)
    want = x @ y.T
    assert (np.abs(out - want) <= 1e-5 * (np.abs(x) @ np.abs(y).T)).all()


@pytest.mark.parametrize("side", [True, False], ids=["side by side", "apart"])
@pytest.mark.parametrize("tile", TILES, ids=str)
def test_tiles_of_each_kind(tile: GemmTile, side: bool) -> None:
    judged(300, 136, 400, tile, side=side)
    judged(68, 200, 128, tile, side=side)


@pytest.mark.parametrize("seed", range(4))
def test_drawn(seed: int) -> None:
    rng = np.random.default_rng((seed, 5))
    m, n, k = int(rng.integers(1, 400)), 4 * int(rng.integers(1, 80)), 16 * int(rng.integers(1, 50))
    kinds = [(1, 128), (128, 128), (128, 1), (1, 1)][int(rng.integers(4))]
    tile = TILES[int(rng.integers(len(TILES)))] if kinds[1] > 1 else GemmTile(128, 64, 3, 1, 2)
    judged(m, n, k, tile, kinds, bool(rng.integers(2)), seed)


@pytest.mark.parametrize("tile", TILES[1:6], ids=str)
def test_without_races(tile: GemmTile) -> None:
    judged(264, 72, 304, tile, backend=engines.REFERENCE)


@pytest.mark.parametrize("tile", TILES[1:6], ids=str)
def test_in_executed_ptx(tile: GemmTile) -> None:
    with on(Engine("ptx-exec", "sm_90a")):
        judged(264, 72, 304, tile)


def test_bulk_copies_bring_what_lies_side_by_side_and_on_16_bytes() -> None:
    memory = np.zeros(4000, np.float32)
    first = memory[(-memory.ctypes.data % 16) // 4 :]
    rows, columns = ScaleOperand(first, 1, 64, 1), ScaleOperand(memory, 1, 1, 128)
    assert hopper_scaled.side_by_side(rows, columns, 64)
    for left, right, m in ((rows._replace(across=3), columns, 64), (rows._replace(along=65), columns, 64), (rows, columns, 62),
                           (rows._replace(memory=first[1:]), columns, 64), (rows, columns._replace(each=1), 64), (rows._replace(each=128), columns, 64)):  # fmt: skip
        assert not hopper_scaled.side_by_side(left, right, m)
