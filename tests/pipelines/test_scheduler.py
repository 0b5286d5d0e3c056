"""Tile schedulers against Python: every step of K of every tile is worked on once, by the block that the words say, "
"and peers know each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.pipelines.scheduler import SplitKScheduler, StreamKScheduler, TileScheduler, tile_of, xcd_remap

M, N, STEP = 16, 32, 8


@avelang.jit
def record(out, work, index, count, slot):
    """A row of numbers for a unit: tile, part of K, peers, slot of the workspace."""
    row = al.block_id(0) * 64 + slot
    out[row, 0], out[row, 1], out[row, 2], out[row, 3] = work.at[0], work.at[1], work.k[0], work.k[1]
    out[row, 10] = work.whole
    if work.peers is not None:
        out[row, 4], out[row, 5], out[row, 6] = work.peers.first, work.peers.last, work.peers.own
        out[row, 7] = work.peers.slot(work.peers.own)
    out[row, 8], out[row, 9] = index + 1, count


@avelang.jit
def units(
    out: al.Pointer(al.i32),  # type: ignore
    m: al.u32,
    n: al.u32,
    k: al.u32,
    KIND: al.constexpr,
    CLUSTER: al.constexpr,
    SPLITS: al.constexpr,
):
    table = al.make_tensor(out, al.i32, al.make_layout((al.grid_dim(0) * 64, 11)))
    tiles = TileScheduler(m, n, k, M, N, CLUSTER[0], CLUSTER[1], 2)
    if KIND == "split":
        scheduler = SplitKScheduler(tiles, SPLITS, STEP)
    elif KIND == "stream":
        scheduler = StreamKScheduler(tiles, al.grid_dim(0) // (CLUSTER[0] * CLUSTER[1]), (k + STEP - 1) // STEP, STEP)
    elif KIND == "hybrid":
        runs, steps = al.grid_dim(0) // (CLUSTER[0] * CLUSTER[1]), (k + STEP - 1) // STEP
        scheduler = StreamKScheduler(tiles, runs, steps, STEP, HYBRID=True)
    elif KIND == "runs":
        runs, steps = al.grid_dim(0) // (CLUSTER[0] * CLUSTER[1]), (k + STEP - 1) // STEP
        scheduler = StreamKScheduler(tiles, runs, steps, STEP, True, tiles.count() * steps)
    else:
        scheduler = tiles
    first, end, stride = scheduler.span()
    rank, slot = al.block_id(0) % (CLUSTER[0] * CLUSTER[1]), al.convert(0, al.u32)
    for index in al.range(first, end, stride):
        record(table, scheduler.work_tile(index, rank % CLUSTER[0], rank // CLUSTER[0]), index, scheduler.count(), slot)
        slot += 1


CASES = [
    (kind, blocks, (m, n, k), cluster)
    for kind in ("tiles", "split", "stream", "hybrid", "runs")
    for blocks, (m, n, k), cluster in (
        (1, (16, 32, 24), (1, 1)), (3, (50, 90, 44), (1, 1)), (8, (40, 33, 61), (2, 1)), (4, (33, 100, 30), (1, 2)),
        (7, (16, 64, 80), (1, 1)), (4, (60, 100, 30), (1, 1)), (4, (100, 120, 50), (2, 1)),
    )
]  # fmt: skip


@pytest.mark.parametrize("kind,blocks,sizes,cluster", CASES)
def test_every_step_is_worked_on_once(kind, blocks, sizes, cluster):
    m, n, k = sizes
    out = np.zeros((blocks, 64, 11), np.int32)
    units[blocks, 1](out, m, n, k, kind, cluster, 3)
    found = [(b, *row) for b in range(blocks) for row in out[b].tolist() if row[8]]
    high, wide = M * cluster[0], N * cluster[1]
    tiles = {(i * M, j * N) for i in range(-(-m // high) * cluster[0]) for j in range(-(-n // wide) * cluster[1])}
    assert {(row[1], row[2]) for row in found} == tiles
    for at in tiles:
        mine = sorted((row for row in found if (row[1], row[2]) == at), key=lambda row: row[3])
        steps = list(itertools.chain.from_iterable(range(row[3], row[4]) for row in mine))
        assert steps == list(range(k))
        assert all(row[3] % STEP == 0 and row[3] < row[4] for row in mine)
        if kind in ("tiles", "runs"):
            assert len(mine) == 1
            continue
        peers = [row[7] for row in mine]
        assert {row[11] for row in mine} == {len(mine) == 1}
        if len(mine) == 1 and kind == "hybrid":
            continue
        assert peers == list(range(mine[0][5], mine[0][6] + 1))
        assert {row[5:7] for row in mine} == {(peers[0], peers[-1])}
    slots = [(row[0] % (cluster[0] * cluster[1]), row[8]) for row in found if not row[11] and row[5] != row[6]]
    assert len(set(slots)) == len(slots)
    if kind in ("stream", "hybrid"):
        work = np.zeros(blocks, int)
        for row in found:
            work[row[0]] += -(-row[4] // STEP) - row[3] // STEP
        assert work.max() - work.min() <= 1


@avelang.jit
def orders(
    out: al.Pointer(al.i32),
    tiles_m: al.u32,
    tiles_n: al.u32,
    GROUP_M: al.constexpr,  # type: ignore
    XCDS: al.constexpr,
):  # type: ignore
    index = xcd_remap(al.block_id(0), tiles_m * tiles_n, XCDS)
    out[3 * al.block_id(0)], out[3 * al.block_id(0) + 1] = tile_of(index, tiles_m, tiles_n, GROUP_M)
    out[3 * al.block_id(0) + 2] = index


@pytest.mark.parametrize(
    "tiles_m,tiles_n,group_m,xcds", [(5, 7, 2, 1), (4, 4, 8, 8), (9, 3, 3, 4), (1, 1, 8, 8), (3, 5, 1, 2)]
)
def test_tiles_in_groups_and_runs_of_dies(tiles_m, tiles_n, group_m, xcds):
    count = tiles_m * tiles_n
    out = np.full((count, 3), -1, np.int32)
    orders[count, 1](out, tiles_m, tiles_n, group_m, xcds)
    order = [
        (r, c) for g in range(0, tiles_m, group_m) for c in range(tiles_n) for r in range(g, min(g + group_m, tiles_m))
    ]
    assert [tuple(x) for x in out[np.argsort(out[:, 2]), :2].tolist()] == order
    for die in range(xcds):
        runs = out[die::xcds, 2]
        assert (np.diff(runs) == 1).all()
