"""The choice of a plan: the published example's numbers, VDMFMA where it fits, counts by definition, reasons, blocks
that compile, errors."""

from __future__ import annotations

import dataclasses
import json
import math
import pathlib

import numpy as np
import pytest
from benchmarks import tile_blocks
from hypothesis import given, settings
from hypothesis import strategies as st

import avelang.language as al
from avelang.amdgcn.mca import utilization
from avelang.amdgcn.report import report
from avelang.arch import CHIPS, product
from avelang.base.errors import AveError
from avelang.runtime.compile import compile_text
from avelang.tile import Block, Launch, block_for, choose, gemm, mma, padded, pipeline, plan_for, split_for
from avelang.tile.select import rejection
from avelang.tile.tuned import AMD, SYNC, TMA, blocks_of
from avelang_kernels.matmul import hopper_tiles, ptx_hopper_gemm
from avelang_kernels.matmul.tile_gemm import build
from avelang_kernels.matmul.tile_skinny import parts_of, work_of
from tools import need

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "results"
# IREE, "Virtual Dense MFMAs for Skinny GEMM": the shapes of its table (M, N, K), f16.
SHAPES = tuple((8, n, k) for n in (13312, 2304, 6656) for k in (16384, 8192))
PUBLISHED = {
    "VDMFMA_F32_8x16x64x2_F16": {
        "promote_operands": [0, 1], "reduction": [0, 0, 4], "subgroup": [1, 2, 0], "workgroup": [8, 64, 0]
    },
    "MFMA_F32_16x16x16_F16": {
        "padding": [16, 64, 128], "promote_operands": [0, 1], "reduction": [0, 0, 8], "subgroup": [1, 2, 0],
        "workgroup": [16, 64, 0]
    },
}


PAIRED = "_PAIRED"


def in_their_terms(plan):
    return {k: v for k, v in plan.lowering_config().items() if k not in ("split_k", "pipeline", "mma_kind")}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_published_configurations(shape):
    """What IREE prints for 8 x 13312 x 16384, with and without VDMFMA. Ours differs by its parts of K, and B does not
    pass through LDS: the best of those that bring both operands there is IREE's."""
    best, verdicts = choose(gemm(*shape, "f16", "gfx942"))
    other = padded(best.gemm)
    assert other is not None and (best.mma.name.removesuffix(PAIRED), other.mma.name) == tuple(PUBLISHED)
    theirs = next(
        v.plan
        for v in verdicts
        if v.kept and v.plan.pipeline.promoted == (0, 1) and v.plan.mma.name == tuple(PUBLISHED)[0]
    )
    assert in_their_terms(theirs) == PUBLISHED[theirs.mma.name] and in_their_terms(other) == PUBLISHED[other.mma.name]
    assert best.pipeline.name == "streamed" and in_their_terms(best) == {
        **in_their_terms(theirs), "promote_operands": [0]
    }
    assert other.split_k == 1 and other.workgroups == shape[1] // 64
    # Half the cycles of the matrix pipes, no more bytes from LDS, and units that are busy.
    assert best.matrix_cycles * 2 == other.matrix_cycles and best.lds_read <= other.lds_read
    assert best.busy >= 0.9 > other.busy


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_unit_has_a_workgroup(shape):
    """Parts of K are whole steps, as even as they can be, and as many as they were asked to be: none is empty."""
    best, verdicts = choose(gemm(*shape, "f16", "gfx942"))
    assert best.workgroups >= 304 and best.idle == 0 and best.busy >= 0.9
    each, parts = work_of(shape[2], best.step, best.split_k)
    assert (each, parts) == (best.steps * best.step, best.split_k)
    tried = {v.plan.split_k for v in verdicts if v.plan.mma is best.mma and v.plan.step == best.step}
    assert tried >= {1, 2, 3, 4, 7, 8, 11, 16} and best.steps >= 2


def test_the_mma_that_is_printed_is_run():
    """B's registers stay as they are where A can be put in order on its way: that product has a name of its own, and
    the block asks for it."""
    for args in (*((*s, "f16") for s in SHAPES), (5, 4096, 4096, "bf16"), (8, 4096, 4096, "i8"), (1, 512, 512, "fp8")):
        best = choose(gemm(*args, "gfx942"))[0]
        assert best.lowering_config()["mma_kind"] == best.block().mma == best.mma.name and best.mma.name.endswith(
            PAIRED
        )
        assert best.relation.startswith(
            f"{best.mma.name} is {best.mma.name.removesuffix(PAIRED)} but for the order of K"
        )
        assert best.block().on("gfx942", best.gemm.dtype).mma.name == best.mma.name
    assert choose(gemm(64, 4096, 4096, "f16", "gfx942"))[0].relation == ""


def test_208_workgroups_on_304_units():
    other = padded(gemm(8, 13312, 16384, "f16", "gfx942"))
    assert other is not None and other.workgroups == 208 and product("gfx942").count == 304 and other.waves == 2


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 8) | st.integers(17, 24), st.integers(1, 20000), st.integers(1, 30000),
    st.sampled_from(["f16", "bf16", "i8", "fp8"]), st.sampled_from(["gfx942", "gfx950"])
)
def test_vdmfma_is_chosen_where_it_multiplies_fewer_rows(m, n, k, dtype, chip):
    """8 instead of 16, or three times 8 instead of twice 16; K that no step divides is padded with zeros."""
    best, verdicts = choose(gemm(m, n, k, dtype, chip))
    assert best.mma.name.startswith("VDMFMA") and best.workgroup[0] == -(-m // 8) * 8
    assert verdicts[0].plan is best and verdicts[0].reason == "chosen" and all(v.reason for v in verdicts)


@pytest.mark.parametrize(
    ("m", "why"), [(9, ""), (16, ""), (25, "M = 25 is more than its 8 rows, three times")]
)
def test_vdmfma_is_not_taken_where_it_multiplies_as_many_rows(m, why):
    """Twice 8 rows take as long as 16: the model says no better, and the block's own instruction is taken."""
    best, verdicts = choose(gemm(m, 4096, 16384, "f16", "gfx942"))
    virtual = [v for v in verdicts if v.plan.mma.name.startswith("VDMFMA")]
    assert not best.mma.name.startswith("VDMFMA") and virtual and any(v.kept for v in virtual) == (not why)
    assert not why or why in {v.reason for v in virtual}


@pytest.mark.parametrize("m", [17, 20, 24])
def test_three_times_eight_rows_beat_twice_sixteen(m):
    """By a quarter of the matrix pipes' clocks."""
    best, _ = choose(gemm(m, 13312, 16384, "f16", "gfx942"))
    other = padded(gemm(m, 13312, 16384, "f16", "gfx942"))
    assert other is not None and best.matrix_cycles == 0.75 * other.matrix_cycles


def test_the_block_gemm_of_ck_tile():
    """M = 4864, N = 4096: a tile of 256 x 256 x 64 for each of 304 units, 32 KB of LDS for either operand."""
    best, _ = choose(gemm(4864, 4096, 4096, "bf16", "gfx942"))
    assert best.workgroup == (256, 256) and best.step == 64 and best.workgroups == 304 and best.busy == 1.0
    assert best.lds_bytes == 2 * 32 * 1024 and best.padding is None
    assert best.block() == Block(256, 256, 64, (2, 4), "double-buffer") and best.launch == Launch(304, 512, 1, 1)


def test_hopper_takes_a_warpgroup():
    best, verdicts = choose(gemm(8192, 8192, 8192, "bf16", "sm_90a"))
    assert best.mma.name == "WGMMA_F32_64x256x16_BF16" and best.waves == 8
    assert best.block() == Block(128, 256, 64, pipeline="tma", stages=4, cluster=(2, 1)) and best.launch == Launch(
        132, 384, 1, 2
    )
    assert any("bound by matrix" in v.reason for v in verdicts if v.plan.mma.name.startswith("MMA_SYNC"))
    skinny, _ = choose(gemm(8, 4096, 4096, "f16", "sm_90a"))
    assert skinny.mma.name == "VMMA_SYNC_F32_8x16x16_F16" and skinny.padding is None


def test_blackwell_takes_a_pair_of_blocks():
    """Tensor cores, and what they and TMA move through shared memory, take as long: the model has 90 % of the rate."""
    best, verdicts = choose(gemm(8192, 8192, 8192, "bf16", "sm_100a"))
    assert best.mma.name == "TCGEN05_F32_128x256x16_BF16" and best.launch == Launch(148, 384, 1, 2)
    assert best.block() == Block(128, 256, 64, pipeline="tma", stages=6, cluster=(2, 1))
    takes = best.step_cycles
    assert takes["matrix"] == 4 * 128 * 256 * 16 / 4096 and takes["LDS"] == 2 * (128 + 128) * 128 / 128
    assert 0.9 < best.matrix_busy < 0.92 and best.lds_bytes <= 227 * 1024
    half = 2 * 8192**3 / (2.25e15 * best.cycles / 1.86e9)  # of the rate that is in print
    assert abs(half - best.matrix_busy) < 0.005
    assert {v.plan.workgroup for v in verdicts if v.kept and v.plan.mma.name.startswith("TCGEN05")} >= {(128, 64)}
    small = block_for(300, 200, 4096, al.bf16, "sm_100a")
    assert (small.pipeline, small.n) == ("tma", 64) and block_for(64, 64, 63, al.f16, "sm_100a", 0, False).cluster == (
        1, 1)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.integers(16, 160), st.integers(16, 160), st.integers(8, 100))
def test_hopper_s_tiles_by_the_rule_that_was_tuned(m, n, k):
    """The thread-level kernel's rule, rounds of clusters by area by speed, with the shares of the tile level: within 2
    % of its best tile."""
    shares = {(b.m, b.n): b.shares["sm_90a"] for b in TMA}

    def time(x):
        return math.ceil(hopper_tiles.clusters(64 * m, 64 * n, x) / (132 // x.cluster)) * x.m * x.n / shares[x.m, x.n]

    ours = block_for(64 * m, 64 * n, 64 * k, al.bf16, "sm_90a")
    mine = next(x for x in ptx_hopper_gemm.TILES if (x.m, x.n) == (ours.m, ours.n))
    assert (ours.stages, ours.cluster) == (mine.stages, (mine.cluster_m, mine.cluster_n)) and time(mine) <= 1.02 * min(
        map(time, ptx_hopper_gemm.TILES)
    )
    assert set(shares) == {(t.m, t.n) for t in ptx_hopper_gemm.TILES}


def figures(name):
    return json.loads((RESULTS / f"{name}.json").read_text())["figures"]


def test_amd_s_shares_are_those_of_the_results():
    """To paste where this fails: what `python benchmarks/tile_blocks.py --only static` prints."""
    made = {
        (f["chip"], f["pipeline"], *f["tile"][:2], tuple(f["waves"])): f["share"]
        for f in figures("tile_blocks")
        if f["dtype"] == "bf16"
    }
    table = {(chip, b.pipeline, b.m, b.n, b.waves): share for b in AMD for chip, share in b.shares.items()}
    assert set(made) == set(table) and len(table) == 3 * len(AMD)
    for key, share in table.items():
        assert abs(made[key] - share) < 0.001, key
    assert not any(f["spills"] for f in figures("tile_blocks"))


def test_nvidia_s_shares_are_those_of_the_results():
    """Within what two runs on one card differ by. To paste where this fails: what `python benchmarks/tile_blocks.py
    --only timed` prints."""
    made = {f["block"]: f["share"] for f in figures("tile_blocks_gpu")}
    names = {tile_blocks.named(tile_blocks.block(b, al.bf16, "sm_90a")): b for b in blocks_of("sm_90a")}
    assert set(made) - {"chosen"} <= set(names) and made["chosen"] > 0.97
    for name, b in names.items():
        assert (name in made) == ("sm_90a" in b.shares) or name.startswith("preshuffled"), name
        if "sm_90a" in b.shares:
            assert abs(made[name] - b.shares["sm_90a"]) < 0.03, name


def test_shares_of_chips_that_were_not_measured():
    """`mma.sync` has its own rate to be measured against: on sm_90a, 62.9 % of that of wgmma."""
    large, four = SYNC[0], SYNC[1]
    assert large.share("sm_80") == large.share("sm_90a") == 1.0 and four.share("sm_90a") == pytest.approx(
        0.59 / 0.629
    ) == four.share("sm_89")
    assert TMA[1].share("sm_90a") == 0.96 and AMD[0].share("gfx942") == AMD[0].shares["gfx942"]
    turing = [b for b in blocks_of("sm_75") if b.pipeline == "double-buffer"]
    assert [b.m for b in sorted(turing, key=lambda b: -b.share("sm_75"))] == [128, 64, 32, 16]
    assert "cp-async" not in {b.pipeline for b in blocks_of("sm_75")} and "tma" not in {
        b.pipeline for b in blocks_of("sm_80")
    }


@pytest.mark.parametrize(
    "args",
    [
        (8, 13312, 16384, "f16", "gfx942"), (100, 200, 300, "i8", "gfx942"), (4096, 4096, 1024, "bf16", "sm_80"),
        (512, 512, 512, "fp8", "gfx950"), (33, 1000, 77, "f32", "gfx942"), (4096, 512, 4096, "bf16", "sm_90a")
    ],
    ids=str,
)
def test_counts_by_definition(args):
    problem = gemm(*args)
    best, verdicts = choose(problem)
    for plan in [v.plan for v in verdicts if v.kept][:12]:
        (tm, tn), (below, beside) = plan.workgroup, plan.cluster
        tiles = math.ceil(problem.m / (tm * below)) * below * math.ceil(problem.n / (tn * beside)) * beside
        steps = math.ceil(problem.k / plan.step)
        mmas = tiles * steps * (tm // plan.mma.m) * (tn // plan.mma.n) * plan.reduction
        waves = plan.mma.acc.waves
        assert plan.matrix_cycles == mmas * plan.mma_cycles * waves
        assert plan.workgroups == tiles * plan.split_k and plan.steps == math.ceil(steps / plan.split_k)
        assert tm % (plan.mma.m * plan.subgroup[0]) == 0 and tn % (plan.mma.n * plan.subgroup[1]) == 0
        rows = tm + tn if plan.promoted == (0, 1) else tm
        held = rows * plan.step * problem.dtype.bytes * plan.held
        assert held <= plan.lds_bytes <= CHIPS[problem.target].lds_bytes and (
            plan.lds_bytes == held or plan.pipeline.name == "tma"
        )
        if plan.mma.b is not None:
            fragments = [
                x.threads * x.elements * s for x, s in zip((plan.mma.a, plan.mma.b), plan.subgroup, strict=True)
            ]
            read = sum(fragments[i] for i in plan.promoted) * problem.dtype.bytes
            assert plan.lds_read == tiles * steps * plan.waves * plan.reduction * read
        assert (plan.padding is None) == all(
            s % t == 0 for s, t in zip((problem.m, problem.n, problem.k), (tm, tn, plan.step), strict=True)
        )
    assert {v.kept for v in verdicts} <= {True, False} and best.cycles <= 1.02 * min(
        v.plan.cycles for v in verdicts if v.kept
    )


def test_reasons_of_what_is_dropped():
    reasons = {v.reason for v in choose(gemm(8, 13312, 16384, "f16", "gfx942"))[1] if not v.kept}
    assert any("a block counts K in that order anyway" in r for r in reasons)
    assert any(
        "no kernel can be built for it: preshuffled: it wants k to be 2 fragments" in r
        for r in {v.reason for v in choose(gemm(8, 13312, 16384, "f16", "gfx942", preshuffled=True))[1]}
    )
    large = {v.reason for v in choose(gemm(4096, 4096, 4096, "bf16", "gfx942"))[1] if not v.kept}
    assert "the block multiplies by MFMA_F32_16x16x16_BF16 as fast, in its own order of K" in large
    few = padded(gemm(8, 64, 256, "f16", "gfx942"))
    assert few is not None and rejection(few) == ""
    assert (
        rejection(dataclasses.replace(few, split_k=4)) == "K = 256 has 2 steps of 128, which leave one of 4 parts empty"
    )
    assert (
        rejection(dataclasses.replace(few, reduction=2))
        == "a step of 32 reads 64 bytes of each row, and a cache line has 128"
    )
    best = choose(gemm(4864, 4096, 4096, "bf16", "gfx942"))[0]
    assert "gfx942 has none of sm_90a" in rejection(dataclasses.replace(best, pipeline=pipeline("tma")))
    assert "registers a lane, and there are 512" in rejection(dataclasses.replace(best, subgroup=(16, 16)))
    assert "131072 bytes of shared memory, and a block has 65536" in rejection(
        dataclasses.replace(best, reduction=8, pipeline=pipeline("prefetch"))
    )
    turned = dataclasses.replace(choose(gemm(8, 4096, 4096, "f16", "sm_90a"))[0],
                                 gemm=gemm(64, 4096, 4096, "f16", "sm_90a"))
    assert rejection(turned) == "M = 64 is more than its 8 rows"
    odd = choose(gemm(4096, 4095, 4096, "bf16", "sm_90a", aligned=False))
    assert odd[0].pipeline.name == "cp-async" and "rows are no multiples of 16 bytes" in " ".join(
        v.reason for v in odd[1]
    )


def test_a_preshuffled_b_skips_shared_memory():
    _, verdicts = choose(gemm(2048, 2048, 2048, "f16", "gfx942"))
    assert "it wants B in memory as its fragments lie, and B lies there row by row" in {
        v.reason for v in verdicts if v.plan.pipeline.name == "preshuffled"
    }
    best, verdicts = choose(gemm(2048, 2048, 2048, "f16", "gfx942", preshuffled=True))
    assert best.pipeline.name == "preshuffled" and best.lowering_config()["promote_operands"] == [0]
    assert best.lds_bytes == best.workgroup[0] * best.step * 2 and all(
        v.plan.pipeline.name == "preshuffled" for v in verdicts if v.kept
    )


@pytest.mark.parametrize("target", ["sm_89", "sm_90a"])  # sm_80 is as sm_89, with more shared memory
def test_a_preshuffled_b_on_nvidia_goes_through_a_ring(target):
    """Shared memory is what the code takes, and no more than a block of the chip has."""
    need("ptxas")
    best, _ = choose(gemm(512, 4096, 4096, "bf16", target, preshuffled=True))
    assert best.ring and best.promoted == (0, 1) and best.lds_bytes <= CHIPS[target].lds_bytes
    block = best.block()
    made = build(block, al.bf16, al.bf16).report(target, (block.on(target, al.bf16).threads, 1, 1))
    assert made.shared + made.dynamic == best.lds_bytes and made.stored == made.loaded == 0


def test_every_pipeline_of_amd_is_judged_by_what_was_measured():
    """Loads into LDS and ping-pong are compared by the shares that llvm-mca has for them, not by a rule."""
    _, verdicts = choose(gemm(4096, 4096, 4096, "f16", "gfx942"))
    kept = {v.plan.pipeline.name for v in verdicts if v.kept}
    assert kept == {"double-buffer", "prefetch", "ping-pong", "direct-to-lds"}
    for plan in [v.plan for v in verdicts if v.kept]:
        shares = [b.shares["gfx942"] for b in AMD if (b.pipeline, b.m, b.n) == (plan.pipeline.name, *plan.workgroup)]
        assert shares == [plan.share]
    # The same tile, bound by the matrix pipe: as many more cycles as the share is less.
    large = {v.plan.pipeline.name: v.plan for v in verdicts if v.kept and v.plan.workgroup == (256, 256)}
    steps = {name: p.step_cycles["matrix"] * p.steps * p.share for name, p in large.items()}
    assert len(large) == 4 and len({round(x) for x in steps.values()}) == 1


# -- blocks that are run -----------------------------------------------------------------------------------------------

AMD_RUNS = [
    ("gfx942", al.bf16, 4864, 4096, 4096), ("gfx942", al.i8, 4864, 4096, 4096), ("gfx90a", al.f16, 2048, 2048, 2048),
    ("gfx950", al.bf16, 4096, 4096, 4096), ("gfx950", al.f8e4m3fn, 512, 4096, 4096),
    ("gfx942", al.f8e4m3fnuz, 100, 300, 500), ("gfx942", al.bf16, 5, 4096, 4096)
]
NVIDIA_RUNS = [
    ("sm_80", al.bf16, 4096, 4096, 4096), ("sm_80", al.i8, 200, 200, 4096), ("sm_90a", al.bf16, 4096, 4096, 4096),
    ("sm_90a", al.f8e4m3fn, 512, 4096, 4096), ("sm_75", al.f16, 100, 4096, 4096), ("sm_89", al.f8e5m2, 4096, 4096, 4096),
    ("sm_100a", al.bf16, 4096, 4096, 4096), ("sm_100a", al.f8e4m3fn, 300, 512, 4096),
]


@pytest.mark.parametrize(("target", "dtype", "m", "n", "k"), AMD_RUNS, ids=str)
def test_amd_s_blocks_compile_without_spills(target, dtype, m, n, k):
    """Nothing is spilled, and LDS is what the plan says."""
    block = block_for(m, n, k, dtype, target)
    threads, to = block.on(target, dtype).threads, al.i32 if dtype == al.i8 else al.f32
    made = report(
        compile_text(build(block, dtype, to), {"EACH": 16 // dtype.bytes, "WIDE": 4}, (threads, 1, 1), target, "asm")
    )
    assert made.vgpr_spills == made.sgpr_spills == made.scratch == 0
    plan = next(
        v.plan
        for v in choose(gemm(m, n, k, dtype, target))[1]
        if (v.plan.workgroup, v.plan.pipeline.name, v.plan.step) == ((block.m, block.n), block.pipeline, block.k)
    )
    assert made.lds == plan.lds_bytes and made.vgpr >= plan.registers


@pytest.mark.parametrize(("target", "dtype", "m", "n", "k"), NVIDIA_RUNS, ids=str)
def test_nvidia_s_blocks_compile_without_spills(target, dtype, m, n, k):
    need("ptxas")
    block = block_for(m, n, k, dtype, target)
    cluster = (math.prod(block.cluster), 1, 1) if block.cluster != (1, 1) else None
    kernel = build(block, dtype, al.i32 if dtype == al.i8 else al.f32)
    made = kernel.report(target, (block.on(target, dtype).threads, 1, 1), cluster=cluster, EACH=16 // dtype.bytes,
                         WIDE=4)
    assert made.stored == made.loaded == 0


@pytest.mark.parametrize(
    "known",
    [b for b in AMD if b.pipeline != "preshuffled" and b.m <= 128][::3],
    ids=lambda b: f"{b.pipeline}-{b.m}x{b.n}",
)
def test_shares_promise_no_more_than_the_code_reaches(known):
    """`avelang.tile.tuned` against llvm-mca, for some of its small blocks: `benchmarks/tile_blocks.py` writes all."""
    need("llvm-mca")
    block = Block(known.m, known.n, known.row // 2, known.waves, known.pipeline, known.stages)
    text = compile_text(build(block, al.bf16, al.bf16), {}, (block.on("gfx942", al.bf16).threads, 1, 1), "gfx942",
                        "asm")
    assert utilization(text, "gfx942").ratio >= known.share("gfx942") - 0.05


@settings(max_examples=25, deadline=None)
@given(st.one_of(st.integers(1, 40), st.integers(1, 5000)), st.integers(1, 14000), st.integers(1, 17000),
       st.sampled_from(["gfx942", "gfx90a", "gfx950", "sm_80", "sm_90a", "sm_100a"]))  # fmt: skip
def test_all_who_ask_have_one_plan(m, n, k, target):
    """`plan_for`, `block_for` and `split_for` of a drawn shape, `choose` of the sizes up to which that is counted, and
    on AMD the kernel for few rows."""
    plan = plan_for(m, n, k, al.bf16, target)
    block, parts = split_for(m, n, k, al.bf16, target)
    assert block_for(m, n, k, al.bf16, target) is block and block == plan.block()
    assert parts == plan.split if plan.streamed else parts == min(plan.split_k, -(-k // plan.step))
    best, _ = choose(plan.gemm)
    assert best.block() == block and (plan.streamed or best.split_k == plan.split_k)
    if m <= 24 and target == "gfx942":
        assert parts_of(m, n, k, al.bf16, target) == (block, parts) and block.pipeline == "streamed"


def test_a_plan_with_k_in_parts_is_the_best_of_all():
    """What is found for many parts at once is what each plan says of itself."""
    for target, m in (("gfx942", 512), ("gfx942", 8), ("sm_80", 300)):
        plan = plan_for(m, 4096, 14336, al.bf16, target)
        every = [dataclasses.replace(plan, split_k=s, streamed=False) for s in range(1, 33)]
        found = plan.cycles_of(np.arange(1, 33))
        np.testing.assert_allclose(found, [p.cycles for p in every], rtol=1e-12)
        assert plan.streamed or plan.cycles <= 1.02 * min(p.cycles for p in every if not rejection(p))


def test_near_shapes_have_one_block():
    assert block_for(4864, 4096, 4096, al.bf16, "gfx942") is block_for(4850, 4090, 4095, al.bf16, "gfx942")
    assert block_for(512, 4096, 4096, al.bf16, "gfx942", 38) != block_for(512, 4096, 4096, al.bf16,
                                                                          "gfx942")  # one die of eight


def test_errors():
    for make, code, words in (
        (lambda: gemm(0, 1, 1, "f16", "gfx942"), "T301", "M must be an integer from 1, not 0"),
        (lambda: gemm(8, 8, 8, "f17", "gfx942"), "T301", "the dtype must be one such as"),
        (lambda: gemm(8, 8, 8, "f16", "gfx1"), "U101", "there is no chip"),
        (lambda: choose(gemm(8, 8, 8, "u8", "gfx942")), "U103", "a matrix product of u8 is not available"),
        (lambda: choose(gemm(64, 64, 64, "f32", "sm_80")), "U103", "a matrix product of f32 is not available"),
        (lambda: block_for(64, 64, 64, al.f64, "gfx90a"), "U103", "a block for this product is not available"),
        (
            lambda: choose(gemm(2048, 2048, 16, "f32", "gfx90a"))[0].mma.cycles("sm_90a"), "U110",
            "does not exist on sm_90a"
        ),
        (
            lambda: dataclasses.replace(choose(gemm(64, 64, 64, "f16", "gfx942"))[0], grid=(2, 2),
                                        workgroup=(48, 64)).block(),
            "T307",
            "m = 48",
        ),
    ):
        with pytest.raises(AveError, match=words) as e:
            make()
        assert e.value.code == code
    assert padded(gemm(8, 8, 8, "u8", "gfx942")) is None
    assert (
        gemm(8, 8, 8, "fp8", "gfx942").dtype.name == "f8e4m3fnuz"
        and gemm(8, 8, 8, "bf8", "gfx950").dtype.name == "f8e5m2"
    )
    assert gemm(1, 1, 1, mma("MFMA_F32_16x16x16_F16").dtypes[0], "gfx942").dtype.name == "f16"
