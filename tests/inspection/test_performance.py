"""What `ave inspect` says of memory, work and clocks, against counts that are made by hand."""

from __future__ import annotations

import random

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.amdgcn.asm import parse
from avelang.amdgcn.cu.model import CuModel, CuRecord, simulate
from avelang.amdgcn.cu.stream import loop_streams
from avelang.amdgcn.cu.timeline import timeline
from avelang.amdgcn.cu.timing import timings
from avelang.inspection import build, lane_walk, stages, subject
from avelang.runtime.compile import build as frontend
from avelang.runtime.compile import chip_of
from avelang_kernels.matmul import mfma_gemm


@avelang.jit
def strided(p: al.Pointer(al.f32), n: al.u32, STRIDE: al.constexpr, GAP: al.constexpr):
    X = al.make_tensor(p, al.f32, al.make_layout((1 << 20,), (1,)))
    S = al.make_shared((8192,), al.f32)
    i = al.thread_id(0)
    for k in al.range(n):
        if i < 32:
            S[i * STRIDE] = X[i * GAP + k]


def walked(target, scalars, **values):
    import avelang.pipeline as pipeline

    kernel = frontend(strided.source, values, target)
    pipeline.gpu(kernel, (64, 1, 1))
    return lane_walk.walk_lanes(kernel, chip_of(target), scalars, (1, 1, 1))


@pytest.mark.parametrize("target", ["gfx942", "sm_80"])
def test_banks_sectors_and_trips(target):
    rng = random.Random(17)
    for _ in range(4):
        stride, gap, n = rng.choice([1, 2, 3, 8, 32, 33, 64, 96]), rng.choice([1, 2, 8, 9]), rng.randrange(1, 9)
        found = walked(target, {"n": n}, STRIDE=stride, GAP=gap)
        shared = next(x for x in found.accesses if x.space == "shared")
        # 32 lanes, 32 banks of 4 bytes: as many cycles as the most asked bank has words; the lanes behind do nothing.
        assert shared.cycles == np.bincount(np.arange(32) * stride % 32).max() and (shared.least, shared.lanes) == (1, 32)
        read = next(x for x in found.accesses if x.space == "global")
        assert read.cycles == len(set(np.arange(32) * gap * 4 // 32)) and read.least == 4
        [(_, once, trips)] = found.loops
        assert (trips, once.read, once.shared, found.total.read) == (n, 128, 128, 128 * n) and not found.total.unknown
    found = walked(target, {}, STRIDE=1, GAP=1)
    assert found.loops[0][2] is None and found.total.unknown  # nobody has said how many trips


def test_the_work_of_a_product():
    a = np.zeros((96, 64), ml_dtypes.bfloat16)
    [launch] = subject.of_call(lambda: mfma_gemm.gemm(a, a[:64]), "gfx942")
    assert launch.launch.grid == (2, 3, 1) and launch.launch.scalars == {"m": 96, "n": 64, "k": 64}
    found = build.inspected(launch)
    roof = found.sections["roofline"]
    assert roof["block"]["flops"] * 6 == 2 * 96 * 64 * 64 and roof["block"]["read"] == 2 * 32 * 64 * 2
    once = next(p for p in roof["points"] if p["name"].startswith("launch"))
    assert once["bytes"] == 96 * 64 * 2 + 64 * 64 * 2 + 96 * 64 * 4
    assert roof["peak"] == pytest.approx(1307.4e12, rel=1e-3)  # MI300X data sheet, bf16
    # The tile is written down its columns: 64 lanes at two banks. The page says where.
    worst = found.sections["accesses"]["rows"][0]
    assert (worst["space"], worst["kind"], worst["factor"]) == ("shared", "write", 32.0)
    with open(mfma_gemm.__file__) as file:
        assert "tile[row_in_block" in file.readlines()[worst["line"] - 1]
    loop = found.sections["timeline"]
    text = [x.text for x in found.listings[-1].lines]
    matrix = [x for x in loop["issued"] if x[2] == "matrix"]
    assert loop["iterations"] == 2 and matrix and all("v_mfma" in text[row] for _, row, *_ in matrix)
    assert all(0 <= a < b <= loop["clocks"] for *_, a, b in loop["issued"] + loop["waits"])
    assert max(loop["heat"].values()) > 0.3 and "s_waitcnt vmcnt" in text[max(loop["heat"], key=loop["heat"].get)]


def test_recording_changes_nothing():
    made = stages.of_jit(subject.of_kernel(mfma_gemm.mfma_gemm, {}, "gfx942"))
    program = parse(made.code)
    streams = [loop_streams(program, "mfma_gemm", 2, 6)] * 2
    plain = simulate(program.instructions, streams, timings("gfx942"))
    model = CuModel(program.instructions, streams, timings("gfx942"))
    model.record = CuRecord()
    assert model.run() == plain
    assert len(model.record.issued) == sum(len(s.code) for b in streams for s in b)
    waited = {}
    for _, n, why, a, b in model.record.waits:
        waited[n, why] = waited.get((n, why), 0) + b - a
    assert waited == plain.stalls
    # Code without a loop is shown once.
    straight = parse("\t.text\nk:\n\tv_mov_b32_e32 v1, 0\n\tv_add_f32_e32 v2, v1, v1\n\ts_endpgm\n", "t")
    found = timeline(straight, "gfx942", None, 64, 1)
    assert found.iterations == 0 and [k for _, _, k, *_ in found.issued][:2] == ["valu", "valu"]
