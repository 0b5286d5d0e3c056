"""Several products in one launch of Hopper's GEMM: drawn matrices, broadcasts and strides against NumPy in float64, on
the CPU and as executed PTX; how many launches that makes, and that `ave explain` says so."""

from __future__ import annotations

import random

import ml_dtypes
import numpy as np
import pytest
from click.testing import CliRunner

from alarms.engines import Engine, on
from avelang import ops
from avelang.base import engines
from avelang.cli.main import main
from avelang_kernels.matmul import hopper_batched, hopper_gemm
from avelang_kernels.matmul.hopper_batched import stacked
from avelang_kernels.matmul.hopper_rule import choose_tile, times
from avelang_kernels.matmul.hopper_tiles import STREAM, GemmTile

bf16 = ml_dtypes.bfloat16


@pytest.fixture
def launches(monkeypatch):
    """The arguments of every launch of Hopper's GEMM."""
    seen, real = [], hopper_gemm.again
    monkeypatch.setattr(hopper_gemm, "again", lambda way, *rest: seen.append(way) or real(way, *rest))
    return seen


def made(rng, shape, order):
    """Random matrices: by rows, by columns, with gaps between rows and between matrices."""
    *lead, rows, cols = shape
    if order == "columns":
        return rng.standard_normal((*lead, cols, rows)).astype(bf16).swapaxes(-1, -2)
    if order == "gaps":
        return rng.standard_normal((*lead, rows + 1, cols + 16 - cols % 8)).astype(bf16)[..., :rows, :cols]
    return rng.standard_normal(shape).astype(bf16)


def judged(a, b, got, bias=0.0):
    x, y = a.astype(np.float64), b.astype(np.float64)
    want = x @ y + bias
    assert got.shape == want.shape
    error = np.abs(got.astype(np.float64) - want)
    assert (error <= 4e-6 * (np.abs(x) @ np.abs(y) + np.abs(bias)) + 2.0**-8 * np.abs(want)).all(), float(error.max())


@pytest.mark.parametrize(
    ("one", "two", "count"),
    [((3,), (3,), 1), ((2, 3), (2, 3), 1), ((4,), (1,), 1), ((), (3,), 1), ((2, 1), (1, 3), 2), ((2, 1, 2), (2, 3, 2), 6)],
    ids=str,
)
def test_leading_dimensions_are_one_launch(one, two, count, launches):
    """Drawn sizes and orders; where they do not lie at equal distances, one launch for each of what does."""
    rng = np.random.default_rng()
    m, n, k = (8 * int(rng.integers(1, 14)) for _ in range(3))
    orders = [str(rng.choice(("rows", "columns", "gaps"))) for _ in range(2)]
    a, b = made(rng, (*one, m, k), orders[0]), made(rng, (*two, k, n), orders[1])
    judged(a, b, ops.matmul(a, b, target="sm_90a"))
    assert len(launches) == count, (m, n, k, orders)


def test_odd_sizes_bias_and_an_output_with_gaps(launches):
    rng = np.random.default_rng()
    m, n, k = (2 * int(rng.integers(4, 40)) + 1 for _ in range(3))
    a, b = made(rng, (3, m, k), "rows"), made(rng, (3, k, n), "columns")
    bias = rng.standard_normal(n).astype(np.float32)
    whole = np.full((3, m + 2, n + 3), np.nan, np.float32)
    out = whole[:, 1:-1, :n]
    assert ops.matmul(a, b, bias=bias, out=out, target="sm_90a") is out
    judged(a, b, out, bias)
    assert np.isnan(whole).sum() == whole.size - out.size and len(launches) == 1


def places(shape, kind, r, dtype):
    """Memory of NaN, and in it results (count, m, n) that begin anywhere."""
    count, m, n = shape
    if kind == "gaps":
        whole = np.full((count, m + r.randint(0, 2), n + r.randint(0, 9)), np.nan, dtype)
        return whole, whole[:, :m, :n]
    if kind == "rows of all, in turns":
        whole = np.full((m, count, n + r.randint(0, 3)), np.nan, dtype)
        return whole, whole[:, :, :n].swapaxes(0, 1)
    if kind == "columns":
        whole = np.full((count, n, m), np.nan, dtype)
        return whole, whole.swapaxes(1, 2)
    whole, first = np.full(count * m * n + 8, np.nan, dtype), r.randint(1, 7)
    return whole, whole[first : first + count * m * n].reshape(shape)


@pytest.mark.parametrize("kind", ["gaps", "rows of all, in turns", "columns", "off 16 bytes"])
def test_results_that_begin_anywhere(kind, launches):
    """Drawn extents; one launch, and nothing around them is written."""
    r, rng = random.Random(f"results {kind}"), np.random.default_rng()
    for _ in range(3):
        count, m, n, k = r.randint(2, 4), r.randint(1, 140), r.choice((1, 2 * r.randint(1, 70) + 1, 40)), r.randint(1, 150)
        dtype = r.choice((bf16, np.float32))
        a, b = made(rng, (count, m, k), "rows"), made(rng, (r.choice((1, count)), k, n), "columns")
        whole, out = places((count, m, n), kind, r, dtype)
        assert ops.matmul(a, b, out=out, target="sm_90a") is out
        judged(a, b, out)
        assert np.isnan(whole.astype(np.float32)).sum() == whole.size - out.size, (count, m, n)
    assert len(launches) == 3


TILES = [
    GemmTile(128, 64, 3, 2),
    GemmTile(64, 88, 3, 1, 2, transposed=True),
    GemmTile(64, 64, 4, cluster_k=2),
    GemmTile(64, 64, 3, pingpong=True),
    GemmTile(128, 64, 3, row_blocks=2, split=2),
    GemmTile(64, 64, 3, split=STREAM),
]


def forced(tile, monkeypatch, orders, shape=(3, 100, 136, 200)):
    """Three products with a tile, one of the operands the same in each."""
    monkeypatch.setattr(hopper_batched, "tile_of", lambda *_: tile)
    hopper_batched.launch_of.cache_clear()
    rng = np.random.default_rng()
    count, m, n, k = shape
    a, b = made(rng, (count, m, k), orders[0]), made(rng, (1, k, n), orders[1])
    try:
        judged(a, b, ops.matmul(a, b, target="sm_90a"))
        judged(b.swapaxes(1, 2), a.swapaxes(1, 2), ops.matmul(b.swapaxes(1, 2), a.swapaxes(1, 2), target="sm_90a"))
    finally:
        hopper_batched.launch_of.cache_clear()


@pytest.mark.parametrize("tile", TILES, ids=str)
def test_every_kind_of_tile(tile, monkeypatch, launches):
    forced(tile, monkeypatch, ("rows", "rows") if tile.n % 64 == 0 else ("rows", "columns"), (3, 96, 64, 200))
    assert len(launches) == 2


@pytest.mark.parametrize("tile", [TILES[0], TILES[2], TILES[5]], ids=str)
def test_in_executed_ptx(tile, monkeypatch):
    """With checks of races and of memory that nothing wrote."""
    monkeypatch.setenv("AVE_CHECK", "all")
    with on(Engine(engines.PTX, "sm_90a")) as said:
        forced(tile, monkeypatch, ("rows", "columns"), (2, 72, 136, 200))
    assert "X0" not in said.getvalue()


def test_what_lies_at_equal_distances():
    x = np.arange(2 * 3 * 4 * 8).reshape(2, 3, 4, 8)
    found, own = stacked(x, (2, 3))
    assert own and found.shape == (6, 4, 8) and (found.reshape(x.shape) == x).all()
    assert stacked(x[:, :2], (2, 2)) is None  # a gap
    assert stacked(x[:1], (2, 3)) is None  # the same three, twice
    found, own = stacked(x[1:, 1], (5, 1))
    assert not own and found.shape == (1, 4, 8) and (found[0] == x[1, 1]).all()


def test_the_rule_counts_the_tiles_of_all_products():
    _, one = times(256, 256, 4096)
    _, many = times(256, 256, 4096, batch=64)
    assert 4 * one.min() < many.min() < 64 * one.min()
    assert choose_tile(256, 256, 4096).split != 1 or choose_tile(256, 256, 4096).cluster_k > 1  # few tiles: K is shared
    assert choose_tile(256, 256, 4096, batch=64).split == 1


@pytest.mark.parametrize("order", ["NN", "NT", "TN"])
def test_what_is_explained_is_what_runs(order, launches):
    said = CliRunner().invoke(main, ["explain", "matmul", "72", "40", "88", "--batch", "3", "--order", order]).output
    a, b = (np.zeros((3, *s), bf16) for s in ((72, 88), (88, 40)))
    if order[0] == "T":
        a = np.zeros((3, 88, 72), bf16).swapaxes(1, 2)
    if order[1] == "T":
        b = np.zeros((3, 40, 88), bf16).swapaxes(1, 2)
    ops.matmul(a, b, target="sm_90a")
    assert "launches: 1, for 3 products" in said and len(launches) == 1
    tile = hopper_batched.tile_of((72, 40, 88), 2, 132, 16, (order[0] == "T", order[1] == "N"), 3, False)
    assert f"choice: {tile}" in said
    other = CliRunner().invoke(main, ["explain", "matmul", "72", "40", "88", "--batch", "3", "--chip", "gfx942"]).output
    assert "launches: 3" in other
