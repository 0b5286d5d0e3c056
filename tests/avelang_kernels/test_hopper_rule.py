"""The rule for Hopper's tiles: what it chooses exists, is the model's best, and moves with the shape as it should."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avelang_kernels.matmul.hopper_rule import RESIDENT, candidates, choose_tile, table, times
from avelang_kernels.matmul.hopper_tiles import STEP, STREAM, clusters
from avelang_kernels.matmul.storage import alignment

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
        assert clusters(m, n, tile) * tile.split <= max(1, RESIDENT[tile.cluster] * sms // 132)
    tiles, us = times(m, n, k, sms, size, align)
    assert len(tiles) == len(us) and tiles[int(np.argmin(us))] == tile._replace(group_m=8)
    assert np.isfinite(us.min()) and us.min() > 0


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
