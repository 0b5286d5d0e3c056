"""Products of the tile level whose K is split or streamed: numbers against float64, twice the same bits, no races."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
from avelang import tile
from avelang_kernels.matmul import tile_gemm
from avelang_kernels.matmul.tile_split_gemm import gemm

SPLITS = [
    # target, block, parts, m, n, k, units: parts that are not even, more than steps, runs that end inside of tiles
    ("gfx942", tile.Block(32, 64, 64), 3, 70, 72, 328, 0),
    ("gfx942", tile.Block(64, 64, 64, pipeline="direct-to-lds", stages=2), 9, 70, 72, 136, 0),
    ("gfx942", tile.Block(32, 64, 64), "stream", 70, 72, 328, 5),
    ("gfx942", tile.Block(64, 64, 64, pipeline="direct-to-lds", stages=2), "stream", 70, 72, 392, 3),
    ("gfx942", tile.Block(32, 32, 32, pipeline="prefetch"), "stream", 33, 37, 67, 4),
    ("sm_80", tile.Block(32, 64, 64, pipeline="cp-async"), 3, 40, 72, 264, 0),
]


@pytest.mark.parametrize("case", SPLITS, ids=str)
def test_k_is_split(case, monkeypatch):
    """Twice: the same bits; without races, on executed gfx942 code and on the reference."""
    target, block, parts, m, n, k, units = case
    monkeypatch.setenv("AVE_CHECK", "races")
    rng = np.random.default_rng((m, n, k))
    a, b = (rng.standard_normal((r, k)).astype(ml_dtypes.bfloat16) for r in (m, n))
    options = {"backend": "gfx942-exec" if target == "gfx942" else "reference"}
    first, second = (gemm(a, b, np.full((m, n), np.nan, np.float32), block, target, units, parts, **options)
                     for _ in range(2))  # fmt: skip
    x, y = a.astype(np.float64), b.astype(np.float64).T
    assert (np.abs(first - x @ y) <= 2e-6 * (np.abs(x) @ np.abs(y))).all()
    np.testing.assert_array_equal(first, second)


def test_a_split_is_chosen_where_tiles_do_not_fill_the_chip():
    """(512, 4096, 14336) has 32 tiles of 256 x 256 for 304 units; 5000 cubed fills two rounds of them and a part."""
    block, parts = tile.split_for(512, 4096, 14336, al.bf16, "gfx942")
    assert isinstance(parts, int) and -(-512 // block.m) * -(-4096 // block.n) * parts >= 304
    assert tile.split_for(5000, 5000, 5000, al.bf16, "gfx942")[1] == "stream"
    assert tile.split_for(8192, 8192, 8192, al.bf16, "sm_90a")[1] == 1
    assert tile.split_for(512, 512, 8192, al.bf16, "sm_80")[1] != 1
    m, n, k = 40, 40, 1024
    a, b = (np.ones((r, k), ml_dtypes.bfloat16) for r in (m, n))
    for product in (gemm, tile_gemm.gemm):
        out = np.zeros((m, n), np.float32)
        assert (product(a, b, out, target="gfx942", units=64, backend="reference") == k).all()


def test_tma_is_not_split_here():
    a = np.ones((64, 64), ml_dtypes.bfloat16)
    with pytest.raises(ValueError, match="hopper_gemm splits it"):
        gemm(a, a, np.zeros((64, 64), np.float32), tile.Block(64, 64, 64, pipeline="tma", stages=2), "sm_90a", split=2)
    with pytest.raises(ValueError, match="split must be None, an int from 1 on, or"):
        gemm(a, a, np.zeros((64, 64), np.float32), split="streams")
