"""Fused products that are recorded once and run again: the count of calls is in memory, and each run waits for its own round."""

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.dist import World
from avelang.ops import dist
from avelang_kernels.dist import exchange, fused, hopper, rooms
from avelang_kernels.matmul.hopper_gemm import GemmTile
from dist.recording import recorded

BF16 = ml_dtypes.bfloat16
TILE = GemmTile(64, 32, 3, 2, group_m=2)
SHAPES = ((40, 16, 24), (7, 24, 40), (70, 8, 16))  # rows of a rank, k, n
TILED = ((48, 16, 24), (16, 24, 40))  # and where tiles must each be of one rank's rows


def close(got, want):
    assert (np.abs(got.astype(np.float64) - want) <= 2.0**-6 * np.abs(want).max()).all()


class Calls:
    """One product of each kind and shape, on memory of their own. All ranks draw the same numbers."""

    def __init__(self, m, shapes, target, seed):
        self.m, self.target, self.rng, self.of = m, target, np.random.default_rng(seed), []
        for rows, k, n in shapes:
            x, y, w = np.zeros((rows, k), BF16), np.zeros((rows * m.ranks, k), BF16), np.zeros((n, k), BF16)
            self.of.append((x, y, w, np.zeros((rows * m.ranks, n), BF16), np.zeros((rows, n), BF16)))

    def call(self):
        for x, y, w, gathered, scattered in self.of:
            dist.all_gather_matmul(x, w.T, self.m, fuse=True, out=gathered, target=self.target)
            dist.matmul_reduce_scatter(y, w.T, self.m, fuse=True, out=scattered, target=self.target)

    def filled(self):
        """New numbers, and outputs that are poisoned; what is to be there."""
        m, want = self.m, []
        for x, y, w, gathered, scattered in self.of:
            xs, ys, ws = ([self.rng.standard_normal(a.shape).astype(BF16) for _ in range(m.ranks)] for a in (x, y, w))
            x[...], y[...], w[...] = xs[m.rank], ys[m.rank], ws[m.rank]
            gathered[...], scattered[...] = np.nan, np.nan
            mine = slice(m.rank * x.shape[0], (m.rank + 1) * x.shape[0])
            wide = sum(a[mine].astype(np.float64) @ b.T.astype(np.float64) for a, b in zip(ys, ws, strict=True))
            want.append((np.concatenate(xs).astype(np.float64) @ ws[m.rank].T.astype(np.float64), wide))
        return want

    def check(self, want):
        for (_, _, _, gathered, scattered), (one, other) in zip(self.of, want, strict=True):
            close(gathered, one)
            close(scattered, other)


def program(m, shapes, target, runs):
    """A recording is run again with new numbers, between calls that are not recorded."""
    calls = Calls(m, shapes, target, 5)
    replay = recorded(m, calls.call)
    for run in range(runs):
        want = calls.filled()
        (calls.call if run % 3 == 1 else replay)()
        calls.check(want)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(hopper, "choose", lambda *_: (TILE, 1.0))
    monkeypatch.setattr(hopper, "blocks_of", lambda tiles, sms, t: min(tiles, 2) * t.cluster)
    monkeypatch.setattr(fused, "PART", 256)


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("shapes,target", [(SHAPES, "sm_90a"), (TILED, None)], ids=["hopper", "tiles"])
def test_runs_have_their_own_rounds(shapes, target, copied, small, monkeypatch):
    monkeypatch.setattr(exchange, "COPIED", 0 if copied else 1 << 30)
    World(3, bytes=1 << 22, limit=60).run(program, shapes, target, 8)


@pytest.mark.parametrize("backend", ["reference", "sm_90a"])
@pytest.mark.parametrize("shape,target", [((40, 8, 24), "sm_90a"), ((16, 16, 24), None)], ids=["hopper", "tiles"])
def test_without_races(shape, target, backend, small):
    """Launch after launch, with what one run knows of the one before."""
    World(2, backend=backend, bytes=1 << 20, seed=3).run(program, (shape,), target if backend == "reference" else "sm_90a", 3)


def test_the_count_of_the_host_is_found(small, monkeypatch):
    """A recording that waits for numbers of the host, as it was: the second run waits for nothing."""
    monkeypatch.setattr(rooms, "room_key", lambda member, kind, nbytes: (kind, max(rooms.LEAST, nbytes), False))
    monkeypatch.setattr(fused, "room_key", rooms.room_key)
    with pytest.raises(AveError) as e:
        World(2, backend="reference", bytes=1 << 20).run(program, ((40, 8, 24),), "sm_90a", 3)
    assert e.value.code in ("X040", "X011", "X012")


def test_a_call_that_does_not_wait_for_the_others_to_begin_is_found(small, monkeypatch):
    """One box is enough since all have begun: else a rank overwrites what another still reads."""
    def gathers(m):
        x, w = np.ones((40, 8), BF16), np.ones((24, 8), BF16)
        replay = recorded(m, lambda: dist.all_gather_matmul(x, w.T, m, fuse=True, target="sm_90a"))
        for _ in range(4):
            replay()

    World(2, backend="reference", bytes=1 << 20).run(gathers)
    monkeypatch.setattr(rooms, "build_begin", lambda ranks: hasty)
    with pytest.raises(AveError) as e:
        World(2, backend="reference", bytes=1 << 20).run(gathers)
    assert e.value.code == "X040" and "of rank" in e.value.message


@avelang.jit
def hasty(begun: al.Pointer(al.u32), counts: al.Pointer(al.u32), by: al.u32, team: al.Ranks):
    if al.thread_id(0) == 0:
        counts[0] = counts[0] + 1
        counts[1] = counts[1] + by
