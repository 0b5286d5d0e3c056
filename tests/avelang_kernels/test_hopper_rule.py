"""The rule for Hopper's tiles: what it chooses exists, is the model's best, and moves with the shape as it should."""

from __future__ import annotations

import importlib
import math
import pathlib
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import avelang.language as al
from avelang_kernels.matmul import hopper_gemm
from avelang_kernels.matmul.choice import Question, description, plan_of
from avelang_kernels.matmul.hopper_gemm import prepared
from avelang_kernels.matmul.hopper_rule import candidates, choose_tile, every_tile, table, times
from avelang_kernels.matmul.hopper_tiles import STEP, STREAM, GemmTile, clusters, resident
from avelang_kernels.matmul.hopper_types import odd_width, products
from avelang_kernels.matmul.storage import alignment

ROOT = pathlib.Path(__file__).parents[2]
SIZES = st.integers(1, 20000)


@settings(max_examples=80, deadline=None)
@given(
    SIZES, SIZES, SIZES, st.sampled_from((2, 4)), st.sampled_from((16, 32, 64, 128)), st.sampled_from((132, 114, 78))
)
def test_what_is_chosen_can_be_run(m, n, k, size, align, sms):
    tile = choose_tile(m, n, k, sms, size, align)
    assert not tile.fault(size), tile.fault(size)
    steps = -(-k // STEP)
    assert tile.cluster_k <= steps
    if tile.split != 1 and tile.split != STREAM:
        assert tile.cluster_k * tile.split <= steps
        assert clusters(m, n, tile) * tile.split <= resident(tile.cluster, sms)
    tiles, us = times(m, n, k, sms, size, align)
    assert len(tiles) == len(us) and tiles[int(np.argmin(us))] == tile._replace(group_m=8)
    assert np.isfinite(us.min()) and us.min() > 0


@settings(max_examples=60, deadline=None)
@given(SIZES, SIZES, SIZES)
def test_integers_get_widths_that_they_have(m, n, k):
    tile = choose_tile(m, n, k, width=1, integers=True)
    assert tile.n % 16 == 0 or tile.n in (8, 24)
    assert not odd_width(tile, products()[al.i8, al.i8])


@settings(max_examples=40, deadline=None)
@given(st.integers(6, 13), st.integers(8, 14), st.integers(8, 14))
def test_more_work_takes_longer(m, n, k):
    """Twice one extent never takes less by the model's best tile; and rows off lines of 128 bytes never take less."""

    def best(*shape: int, align: int = 128) -> float:
        return float(times(*shape, align=align)[1].min())

    shape = 2**m, 2**n, 2**k
    for i in range(3):
        assert best(*(s * (1 + (i == j)) for j, s in enumerate(shape))) >= best(*shape)
    assert best(*shape, align=16) >= best(*shape)


def test_the_table_has_every_tile_once_and_all_fit():
    tiles = table()
    assert len(tiles) == len(set(tiles))
    assert len(candidates(2)) == len(tiles), "each has stages that fit"
    assert all(t.n % 32 == 0 and not t.transposed for t in candidates(4))


@pytest.mark.parametrize(
    ("rows", "align"),
    [((64, 64), 128), ((64, 32), 64), ((16, 48), 32), ((8, 64), 16), ((24, 128), 16), ((200, 72), 16)],
)
def test_the_alignment_of_rows(rows, align):
    a, b = (np.zeros((4, r), np.float16)[:, : min(rows)] for r in rows)
    assert alignment(a, b) == align == math.gcd(128, *(2 * r for r in rows))


@pytest.mark.parametrize(
    ("shape", "n", "us"), [((1568, 1776, 1560), 240, 33.6), ((808, 10376, 568), 208, 39.1), ((12528, 8704, 2480), 256, 712.0)]
)
def test_a_streamed_tile_takes_what_was_measured(shape, n, us):
    """One H200, 2026-11-27. Where more than three blocks share a tile, the model says up to half as much again."""
    tiles, modeled = times(*shape, align=math.gcd(128, 2 * shape[2]))
    (at,) = (i for i, tile in enumerate(tiles) if tile.transposed and tile.split == STREAM and tile[:2] == (128, n))
    assert modeled[at] == pytest.approx(us, rel=0.1)


@pytest.mark.parametrize(
    ("shape", "tile", "us"), [((10840, 1704, 1112), (128, 192, False), 68.3), ((792, 25880, 568), (128, 160, True), 48.8),
    ((5632, 28000, 488), (128, 192, True), 247.6)]
)  # fmt: skip
def test_ping_pong_of_128_rows_is_as_fast_as_two_consumers(shape, tile, us):
    """Measured: where K is short, the one's epilogue runs beside the other's products."""
    tiles, modeled = times(*shape, align=math.gcd(128, 2 * shape[2]))
    (at,) = (i for i, t in enumerate(tiles) if t.pingpong and (t.m, t.n, t.transposed) == tile and t[3:5] == (2, 1))
    assert modeled[at] == pytest.approx(us, rel=0.06)


def test_products_of_bytes_differ_by_the_epilogue():
    """Many tiles of few steps take less; where K is long, all take as long within 2 % by the model."""
    one, two = (times(8192, 8192, 128, width=w)[1] for w in (1, 2))
    assert (one < 0.985 * two).any() and one.min() <= two.min()
    one, two = (times(8192, 8192, 16384, width=w)[1] for w in (1, 2))
    found = np.isfinite(one)
    assert np.abs(np.log(one[found] / two[found])).max() < 0.02


def test_every_tile_has_those_of_the_table():
    """A search over all tiles misses none that the rule knows, but three blocks that share K."""
    every = every_tile()
    assert len(every) == len(set(every)) and not any(tile.fault(2) for tile in every)
    assert {tile for tile in candidates(2) if tile.cluster_k != 3} < set(every)


def test_draws_run_the_tile_that_a_product_takes(monkeypatch):
    """Rows off lines of 128 bytes get another tile: the benchmark asks the rule as `ops.matmul` does."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    drawn_gemm = importlib.import_module("drawn_gemm")
    for shape in ((696, 24768, 19992), (6648, 1584, 6376), (4096, 4096, 4096)):
        a, b, out = (description(*s, "bfloat16") for s in (shape[::2], shape[1:], shape[:2]))
        plan = plan_of(a, b, out, Question("sm_90a", 132))
        first, *more = drawn_gemm.tiles_for(shape, 0, 2, random.Random(1))
        assert plan.choice == first
        assert more and not set(more) & set(candidates(2))
    assert choose_tile(9040, 7992, 27648, align=128) != choose_tile(9040, 7992, 27648, align=16)


class Launched:
    """A kernel whose launch is its grid and block."""

    def __getitem__(self, at):
        return at


def test_persistent_clusters_all_run_at_a_time(monkeypatch):
    """Those that waited for others to end would make the launch twice as long."""
    monkeypatch.setattr(hopper_gemm, "build", lambda *_: Launched())
    for cluster in ((1, 1), (2, 1), (2, 2), (4, 1), (2, 4)):
        tile = GemmTile(64, 64, 3, *cluster)
        way = prepared(products()[al.bf16, al.bf16], al.bf16, tile, 132, None, (16384, 16384, 64), (False, False),
                       (None, None, False))  # fmt: skip
        blocks = way.at[0]
        assert blocks == resident(tile.cluster) * tile.cluster <= 132
        assert blocks > 100


def test_stages_come_before_wide_pieces():
    """Three stages where four fit with narrower stores were a seventh slower (488 x 17736 x 9272)."""
    tile = GemmTile(256, 160, 0, 1, 2, row_blocks=2, transposed=True)
    assert tile.piece(2) == 80
    fitted = tile.fitted(2)
    assert fitted.stages == 4 and fitted.piece(2) == 32 and not fitted.fault(2)
    roomy = GemmTile(64, 64, 0).fitted(2)
    assert roomy.piece(2) == 64 and roomy.stages == 12
    for one in every_tile():
        room = 227 * 1024 - one.stages * (one.m + one.n) * 128
        assert one.stages >= 2 and one.staged(2) + 2048 <= room, one
