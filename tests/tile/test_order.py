"""Walks over groups of rows: each tile of each group is met once, with the rows that are its own, whatever the offsets
are."""

import functools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import avelang
import avelang.language as al
from avelang.tile import Block, order

LOW = Block(32, 32, 64)
TMA = Block(64, 32, 64, pipeline="tma", together=2)
WIDE = Block(64, 32, 64, pipeline="tma", cluster=(2, 2))
FIELDS = 8


@functools.cache
def kernel(T, E, ENDS):
    """Each block writes down the jobs of every `grid_dim`-th tile."""

    @avelang.jit
    def jobs(
        offsets: al.Pointer(al.i32), rows: al.u32, n: al.u32, out: al.Pointer(al.u32), most: al.u32  # type: ignore
    ):
        walk = order.groups(T, order.Bounds(offsets, rows, E, ENDS), n, 24)
        count = walk.count()
        if al.thread_id(0) == 0 and al.block_id(0) == 0:
            out[0] = count
        for i in al.range(al.block_id(0), min(count, most), al.grid_dim(0)):
            for below in range(T.cluster[0]):
                for beside in range(T.cluster[1]):
                    job = walk.work_tile(i, below, beside)
                    if al.thread_id(0) == 0:
                        place = ((i * T.cluster[0] + below) * T.cluster[1] + beside + 1) * FIELDS
                        for f, x in enumerate(job.a + job.b + job.k + job.at[1:]):
                            out[place + f] = x

    return jobs


def walked(T, offsets, rows, n, target, ends=False, **options):
    """How many tiles the walk says that there are, and its jobs, in order."""
    E, most = len(offsets) - (not ends), 4096
    out = np.full((most + 1) * FIELDS, 0xFFFFFFFF, np.uint32)
    kernel(T, E, ends)[3, 128](np.asarray(offsets, np.int32), rows, n, out, most // 4, target=target, **options)
    return int(out[0]), [tuple(map(int, x)) for x in out[FIELDS:].reshape(-1, FIELDS) if x[0] != 0xFFFFFFFF]


def expected(T, bounds, n):
    """Tiles by plain loops: first row and end of A, of B, of K, column, end of the rows again."""
    out = []
    for g, (begin, end) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
        for top in range(begin, end, T.m * T.cluster[0]):
            for left in range(0, n, T.n * T.cluster[1]):
                for row in range(top, top + T.m * T.cluster[0], T.m):
                    out += [
                        (row, end, g * n + col, g * n + n, 0, 24, col, end)
                        for col in range(left, left + T.n * T.cluster[1], T.n)
                    ]
    return out


RUNS = [
    ("gfx942", LOW, {}), ("gfx942", LOW, {"backend": "cpu"}), ("sm_80", LOW, {"backend": "reference"}),
    ("sm_90a", TMA, {"backend": "cpu"}), ("sm_90a", WIDE, {"backend": "reference"})
]


@pytest.mark.parametrize(("target", "T", "options"), RUNS, ids=["executed", "cpu", "lanes", "table", "clusters"])
@pytest.mark.parametrize("sizes", [(5, 0, 70, 1, 64, 33, 0), (0,), (200,), (0, 0, 300, 0)], ids=str)
def test_every_tile_once(target, T, options, sizes):
    bounds = np.cumsum((3, *sizes)).tolist()
    count, jobs = walked(T, bounds, bounds[-1] + 2, 80, target, **options)
    want = expected(T, bounds, 80)
    assert sorted(jobs) == sorted(want) and count * T.cluster[0] * T.cluster[1] == len(want)
    groups = [job[3] for job in jobs]
    assert groups == sorted(groups)  # those of a group are walked one after another


@settings(max_examples=12, deadline=None)
@given(st.lists(st.sampled_from((0, 0, 1, 31, 32, 33, 100)), min_size=150, max_size=150))
@example([0] * 149 + [1])
@example([1] * 150)
def test_many_groups(sizes):
    """More groups than a wave has lanes; ends alone."""
    bounds = np.cumsum([0, *sizes]).tolist()
    for target, T in (("gfx942", LOW), ("sm_90a", TMA)):
        count, jobs = walked(T, bounds[1:], bounds[-1], 32, target, True, backend="cpu")
        want = expected(T, bounds, 32)
        assert count == len(want) and sorted(jobs) == sorted(want)


@pytest.mark.parametrize(("target", "T", "options"), RUNS[:4], ids=["executed", "cpu", "lanes", "table"])
@pytest.mark.parametrize(
    "offsets", [(0, 90, 40, 100), (0, 1 << 30, -5, 60), (-1, -7, -9, -2), (200, 150, 100, 50)], ids=str
)
def test_wrong_offsets_stay_inside(target, T, options, offsets):
    count, jobs = walked(T, offsets, 100, 80, target, **options)
    assert len(jobs) == count
    for first, end, row, last, *_ in jobs:
        assert first < end <= 100 and row < last <= 3 * 80
