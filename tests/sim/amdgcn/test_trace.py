"""What waves executed, as the records of a traced launch have it: the instructions in their order, loops and barriers in
it; clocks of LDS by the lanes' addresses; pieces of global memory. And what a model of a CU says of executed kernels."""

from __future__ import annotations

import json

import ml_dtypes
import numpy as np
import pytest

from avelang import executor
from avelang.base.errors import AveError
from avelang.sim.amdgcn.machine import DispatchParams
from avelang.sim.amdgcn.trace import streams
from avelang_kernels.matmul import mi300_gemm
from sim.amdgcn.programs import LANES, assemble

bf16 = ml_dtypes.bfloat16


def trace(body: str, v2: np.ndarray | None = None, block: int = 64, grid: int = 1, groups=None, regions=(), **scalars):
    """Streams of the workgroups; `v2`: of all waves."""
    machine = assemble(body, lds=16384, profile=True)
    vectors = np.zeros((-(-block // LANES), 8, LANES), np.uint32)
    vectors[:, 2] = 0 if v2 is None else v2
    launch = DispatchParams((grid, 1, 1), (block, 1, 1), b"", list(regions), vectors=vectors, groups=groups, trace=True,
                            scalars={126: 0xFFFFFFFF, 127: 0xFFFFFFFF, **{int(k[1:]): v for k, v in scalars.items()}})
    run = machine.launch(launch)
    assert run.trace is not None
    return streams(run.trace, machine.block_ranges, len(machine.program.instructions))


def test_a_loop_is_there_as_often_as_it_ran():
    body = "s_nop 0\nL:\ns_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 L"
    (wave,), = trace(body, s0=3)
    assert wave.code == [0, *[1, 2, 3] * 3, 4] and not wave.lds and not wave.pieces


def test_waves_and_workgroups_are_kept_apart():
    found = trace("s_nop 0\ns_barrier\ns_nop 1", block=192, grid=5, groups=(1, 3))
    assert [[w.code for w in g] for g in found] == [[[0, 1, 2, 3]] * 3] * 2


@pytest.mark.parametrize(("text", "step", "clocks"), [
    ("ds_read_b128 v[4:7], v2", 16, 8), ("ds_read_b64 v[4:5], v2", 8, 4), ("ds_read_b32 v4, v2", 4, 2),
    ("ds_write_b128 v2, v[4:7]", 16, 8), ("ds_read_b32 v4, v2", 128, 64), ("ds_read_b32 v4, v2", 0, 2),
    ("ds_read2_b64 v[4:7], v2 offset1:1", 16, 16),  # two accesses, each with two lanes at a bank
])  # fmt: skip
def test_lds_clocks_are_those_of_the_addresses(text, step, clocks):
    (wave,), = trace(f"s_nop 0\n{text}", np.arange(LANES, dtype=np.uint32) * step)
    assert wave.lds == {1: clocks}


@pytest.mark.parametrize(("text", "step", "pieces"), [
    ("global_load_dwordx4 v[4:7], v2, s[4:5]", 16, 16), ("global_load_dword v4, v2, s[4:5]", 4, 4),
    ("global_load_dword v4, v2, s[4:5]", 64, 64), ("global_load_dword v4, v2, s[4:5]", 0, 4),
    ("global_store_dwordx2 v2, v[4:5], s[4:5]", 8, 8),
])  # fmt: skip
def test_pieces_of_memory_are_those_of_the_addresses(text, step, pieces):
    raw = np.zeros(8192, np.uint8)
    start = -raw.ctypes.data % 64 + raw.ctypes.data
    (wave,), = trace(f"s_nop 0\n{text}", np.arange(LANES, dtype=np.uint32) * step,
                     regions=[(start, start + 4160)], s4=start & 0xFFFFFFFF, s5=start >> 32)  # fmt: skip
    assert wave.pieces == {1: pieces}


def test_a_trace_needs_counters_and_a_group_that_is_there():
    machine = assemble("s_nop 0")
    with pytest.raises(AveError, match="profile=True"):
        machine.launch(DispatchParams((1, 1, 1), (64, 1, 1), b"", [], trace=True))
    with pytest.raises(AveError, match="workgroups"):
        machine.launch(DispatchParams((2, 1, 1), (64, 1, 1), b"", [], groups=(1, 3)))


def gemm(tile=mi300_gemm.SMALL, k: int = 512, target: str = "gfx942", **more):
    """What the model says of a block of mi300_gemm."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((tile.m, k)).astype(bf16), rng.standard_normal((tile.n, k)).astype(bf16)
    with executor.compute_unit(**more) as found:
        c = mi300_gemm.gemm(a, b, tile=tile, target=target)
    assert np.allclose(c, a.astype(np.float32) @ b.astype(np.float32).T, rtol=1e-3, atol=1e-2)
    (made,) = found
    return made


def test_a_kernel_on_a_compute_unit():
    """All that is multiplied is counted, and a memory that is slower makes it wait more."""
    fast, slow = gemm(memory_latency=300), gemm(memory_latency=4000)
    assert (fast.blocks, fast.waves, fast.executed) == (2, 8, True)
    # 128 x 128 x 512 by products of 16 x 16 x 16, in two blocks
    assert fast.issued["matrix"] == slow.issued["matrix"] == 2 * 8 * 8 * 32
    assert fast.loop is not None and slow.loop is not None and 0.4 < slow.loop + 0.2 < fast.loop <= 1
    assert slow.part("vmcnt") > fast.part("vmcnt")
    assert sum(line.matrix for line in fast.lines) == fast.issued["matrix"] * 16
    assert any(line.where.startswith(mi300_gemm.__file__.rsplit("/", 1)[-1]) or ".py:" in line.where for line in fast.lines)
    assert "no time on a card" in fast.text() and "main loop" in fast.text()
    json.dumps(fast.as_dict())


def test_one_block_alone_is_less_busy():
    assert gemm(blocks=1).busy < gemm(blocks=2).busy


def test_only_the_context_is_modeled_and_one_workgroup_runs():
    tile = mi300_gemm.SMALL
    a, b = (np.ones((2 * tile.m, 64), bf16) for _ in range(2))
    c = np.full((2 * tile.m, 2 * tile.n), -1, np.float32)
    with executor.compute_unit(group=99) as found:
        mi300_gemm.gemm(a, b, c, tile=tile, target="gfx942")
    assert len(found) == 1 and np.sort(np.unique(c)).tolist() == [-1, 64] and (c == 64).mean() == 0.25
    mi300_gemm.gemm(a, b, c, tile=tile, target="gfx942")
    assert len(found) == 1 and (c == 64).all()


def test_a_clock_that_the_model_does_not_have():
    with pytest.raises(AveError, match="X027.*nonsense"):
        gemm(nonsense=3)
