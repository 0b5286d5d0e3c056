"""Blackwell's product by a ring of stages, of a block and of a pair of blocks, with all that the executor checks: no
alarm where all waits stand, in whatever order blocks run; and a report where one of them is left out."""

import functools

import ml_dtypes
import numpy as np
import pytest

from avelang import arch
from avelang.base.errors import AveError
from avelang.frontend.build import build as built
from avelang.ir.dtypes import BY_NAME
from avelang_kernels.matmul.blackwell_gemm import BlackwellTile, build
from sim.ptx.executed import Executed

WORDS = ("races", "init")


@functools.cache
def machine(tile: BlackwellTile) -> Executed:
    bf16, f32 = BY_NAME["bf16"], BY_NAME["f32"]
    kernel = built(build(tile, bf16, bf16, f32, f32).source, {}, arch.chip("sm_100a"))
    kernel.attrs["cluster"] = (tile.m // 128, 1, 1)
    return Executed(kernel, (192, 1, 1), "sm_100a")


def right(monkeypatch, tile: BlackwellTile, m: int, n: int, k: int, groups: int = 1, **how) -> bool:
    """Whether C is, of a launch that is checked."""
    e, cluster = machine(tile), (tile.m // 128, 1, 1)
    rng = np.random.default_rng(m + k)
    a, b = (rng.integers(-4, 5, (rows, k)).astype(ml_dtypes.bfloat16) for rows in (m, n))
    c = np.full((m, n), 7, np.float32)
    launch = e.machine.launch
    with monkeypatch.context() as patch:
        patch.setattr(e.machine, "launch", lambda *x: launch(*x, check=WORDS, **how), raising=False)
        e.run([a, b, c, m, n, k], (groups * cluster[0], 1, 1), cluster)
    return bool((c == a.astype(np.float32) @ b.astype(np.float32).T).all())


@pytest.mark.parametrize("tile", [(128, 32, 2), (256, 32, 1), (256, 64, 3)], ids=str)
@pytest.mark.parametrize(("m", "n", "k", "groups"), [(300, 40, 200, 1), (600, 32, 64, 2)])
def test_no_alarm(monkeypatch, tile, m, n, k, groups):
    for order, seed in (("", 0), ("reverse", 0), ("random", 5)):
        assert right(monkeypatch, BlackwellTile(*tile), m, n, k, groups, order=order, seed=seed)


@pytest.mark.parametrize("tile", [(128, 32, 1), (256, 32, 1)], ids=str)
def test_each_wait_that_is_left_out_is_reported(monkeypatch, tile):
    """Three tiles go through two accumulators and one stage: every wait for a phase is needed."""
    made = BlackwellTile(*tile)
    program, found = machine(made).machine, []
    waits = [i for i in program.code.instructions if i.entry.name == "mbarrier.try_wait"]
    for i in waits:
        with program.without(i.index):
            try:
                right(monkeypatch, made, tile[0] * 2 + 60, 32, 128)
                found.append("")
            except AveError as e:
                found.append(e.code)
    # Where there is one block, none but its own threads arrive anywhere, and bar.sync waits for those at the end.
    ends = 2 if made.m == 128 else 0
    assert len(waits) == 6 and found.count("") == ends and set(found) <= {"", "X033", "X035", "X050"}
    assert found.count("X050") >= 2
