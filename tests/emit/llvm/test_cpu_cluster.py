"""Blocks of a cluster on the CPU: what passes make of its rows, on the reference; cuts of a grid, waits without end,
and what must stay as it was.

That kernels of clusters compute what NumPy does is in `tests/isa/test_hopper.py`."""

import itertools

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import arch, pipeline
from avelang.base.errors import AveError
from avelang.emit.llvm.cpu import emit
from avelang.frontend.build import build
from avelang.ir.core import Kernel, walk
from avelang.ir.verify import verify
from avelang.sim import reference
from emit.llvm.native import Native
from isa import cluster_kernels, hopper_kernels

TRIALS = {t.name: t for t in (*hopper_kernels.clusters(), *cluster_kernels.trials())}


def lowered(kernel, block: tuple[int, int, int], cluster: tuple[int, int, int], chip: str = "sm_90a") -> Kernel:
    out = build(kernel.source, {}, arch.chip(chip))
    out.attrs["cluster"] = cluster
    pipeline.cpu(out, block)
    verify(out, "addresses")
    return out


@pytest.mark.parametrize("name", [n for n in TRIALS if "gemm" not in n])
@pytest.mark.parametrize("order", ["forward", "random"])
def test_passes_keep_what_rows_mean(name: str, order):
    """The IR that the emitter gets, on the reference."""
    trial = TRIALS[name]
    args = [np.copy(a) for a in trial.args]
    reference.run(lowered(trial.kernel, trial.block, trial.cluster), args, trial.grid, trial.block, order=order)
    for got, want in zip(args, trial.want, strict=True):
        np.testing.assert_array_equal(got, want)


@avelang.jit
def counting(Seen: al.Tensor((24, 8), al.i32)):
    """Each block notes its place, its rank and its neighbor's number."""
    t = al.thread_id(0)
    block = al.block_id(0) + al.grid_dim(0) * (al.block_id(1) + al.grid_dim(1) * al.block_id(2))
    s = al.make_shared((32,), al.i32, 16)
    s[t] = al.convert(block, al.i32)
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()
    rank, size = al.nvvm.cluster_rank(), al.nvvm.cluster_size()
    if t == 0:
        Seen[block, 0] = Seen[block, 0] + 1
        Seen[block, 1] = al.convert(rank, al.i32)
        Seen[block, 2] = al.nvvm.ld_cluster_x1(s, (rank + 1) % size)
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()


@pytest.mark.parametrize("cuts", [(), (1,), (12,), (3, 4, 5, 23), (8, 13), tuple(range(1, 24))])
@pytest.mark.parametrize(
    ("grid", "cluster"),
    [((4, 3, 2), (2, 3, 1)), ((4, 3, 2), (4, 1, 2)), ((2, 12, 1), (1, 2, 1)), ((24, 1, 1), (12, 1, 1))],
)
def test_each_cluster_runs_once_however_the_grid_is_cut(grid, cluster, cuts):
    """The pool hands out ranges of blocks."""
    run = native(cluster)
    seen = np.zeros((24, 8), np.int32)
    for start, end in itertools.pairwise((0, *cuts, 24)):
        run.run([seen], grid, range(start, end))
    x, y, z = (np.arange(24) % grid[0], np.arange(24) // grid[0] % grid[1], np.arange(24) // (grid[0] * grid[1]))
    ex, ey, ez = cluster
    rank = x % ex + ex * (y % ey + ey * (z % ez))
    number = {(*(int(a) // e for a, e in zip(at, cluster, strict=True)), int(r)): i
              for i, (at, r) in enumerate(zip(zip(x, y, z, strict=True), rank, strict=True))}  # fmt: skip
    assert (seen[:, 0] == 1).all()
    np.testing.assert_array_equal(seen[:, 1], rank)
    for i, r in enumerate(rank.tolist()):
        home = (int(x[i]) // ex, int(y[i]) // ey, int(z[i]) // ez)
        assert seen[i, 2] == number[(*home, (r + 1) % (ex * ey * ez))]


_made: dict[tuple[int, int, int], Native] = {}


def native(cluster: tuple[int, int, int]) -> Native:
    if cluster not in _made:
        _made[cluster] = Native(lowered(counting, (32, 1, 1), cluster))
    return _made[cluster]


@avelang.jit
def alone(B: al.Tensor((4, 64), al.i32)):
    s = al.make_shared((64,), al.i32, 16)
    t = al.thread_id(0)
    s[t] = al.convert(t, al.i32)
    al.syncthreads()
    B[al.block_id(0), t] = s[63 - t]


def test_blocks_that_want_nothing_of_one_another_run_as_ever():
    texts = {emit(lowered(alone, (64, 1, 1), cluster)).text for cluster in ((1, 1, 1), (2, 1, 1))}
    assert len(texts) == 1


def test_a_cluster_of_one_has_no_code_for_others():
    names = {op.name for op in walk(lowered(counting, (32, 1, 1), (1, 1, 1)).body)}
    assert "barrier" in names and not names & {"shared_peer", "cluster_arrive", "cluster_wait"}
    out = np.zeros((24, 8), np.int32)
    counting[lambda: ((4, 3, 2), 32)](out, target="sm_90a", backend="cpu")
    np.testing.assert_array_equal(out[:, :3], np.stack([np.ones(24, int), np.zeros(24, int), np.arange(24)], 1))


@avelang.jit
def patient(B: al.Tensor((2,), al.i32), rounds: al.i32, how: al.constexpr):
    """Rank 1 waits until rank 0 has got through its rounds."""
    t = al.thread_id(0)
    bar = al.make_shared((1,), al.u64)
    rank = al.nvvm.cluster_rank()
    if t == 0:
        al.nvvm.mbarrier_init(bar, 2 if how == "stuck" else 1)
        al.nvvm.fence_mbarrier_init()
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()
    if rank == 0:
        for _ in al.range(rounds):
            al.syncthreads()
        if t == 0:
            al.nvvm.mbarrier_arrive_cluster(bar, 1)
    if how == "never":
        if rank == 0:
            al.nvvm.cluster_arrive()
            al.nvvm.cluster_wait()
        else:
            al.nvvm.mbarrier_wait(bar, 0)
            al.nvvm.mbarrier_wait(bar, 1)
    elif rank == 1:
        al.nvvm.mbarrier_wait(bar, 0)
    if t == 0:
        B[rank] = al.convert(rank, al.i32) + 1


def launched(how: str, rounds: int, backend: str = "cpu", grid: int = 2) -> np.ndarray:
    out = np.zeros(2, np.int32)
    patient[lambda: (grid, 64)](out, rounds, how, backend=backend, target="sm_90a", cluster=(2, 1, 1))
    return out


def test_a_block_may_wait_as_long_as_another_gets_on():
    assert launched("", 40_000).tolist() == [1, 2]


@pytest.mark.parametrize("how", ["stuck", "never"])
def test_a_cluster_that_waits_for_ever_ends(how):
    """Arrivals that are too few; a block that waits at the cluster's barrier while the other waits for something
    else."""
    with pytest.raises(AveError) as e:
        launched(how, 1)
    assert e.value.code == "L028" and "cluster" in e.value.message
    with pytest.raises(AveError) as e:
        launched(how, 1, "reference")
    assert e.value.code == "X011" and "block (1, 0, 0)" in e.value.message


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_a_grid_is_a_multiple_of_its_cluster(backend):
    """Also after launches that fit."""
    for _ in range(2):
        assert launched("", 1, backend).tolist() == [1, 2]
        with pytest.raises(AveError) as e:
            launched("", 1, backend, grid=3)
        assert (
            e.value.code == "L029"
            and "a grid of (3, 1, 1) blocks" in e.value.message
            and "clusters of (2, 1, 1)" in e.value.message
        )
