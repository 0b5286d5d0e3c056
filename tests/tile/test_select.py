"""The choice of a plan: the published example's numbers, VDMFMA where it fits, counts by definition, reasons, errors."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avelang.arch import CHIPS
from avelang.base.errors import AveError
from avelang.tile import choose, gemm, mma, padded, pipeline
from avelang.tile.select import UNITS

# IREE, "Virtual Dense MFMAs for Skinny GEMM": the shapes of its table (M, N, K), f16.
SHAPES = tuple((8, n, k) for n in (13312, 2304, 6656) for k in (16384, 8192))
PUBLISHED = {
    "VDMFMA_F32_8x16x64x2_F16": {"promote_operands": [0, 1], "reduction": [0, 0, 4], "subgroup": [1, 2, 0], "workgroup": [8, 64, 0]},
    "MFMA_F32_16x16x16_F16": {
        "padding": [16, 64, 128], "promote_operands": [0, 1], "reduction": [0, 0, 8], "subgroup": [1, 2, 0], "workgroup": [16, 64, 0],
    },
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_published_configurations(shape):
    """What IREE prints for 8 x 13312 x 16384, with and without VDMFMA; our plan differs by its parts of K."""
    best, _ = choose(gemm(*shape, "f16", "gfx942"))
    other = padded(best.gemm)
    assert other is not None
    for plan in (best, other):
        found = plan.lowering_config()
        want = {"mma_kind": plan.mma.name, **PUBLISHED[plan.mma.name]}
        assert {k: v for k, v in found.items() if k not in ("split_k", "pipeline")} == want
    assert (best.mma.name, other.mma.name) == tuple(PUBLISHED)
    assert other.split_k == 1 and other.workgroups == shape[1] // 64
    # Half the cycles of the matrix pipes, no more bytes from LDS, and units that are busy.
    assert best.matrix_cycles * 2 == other.matrix_cycles and best.lds_read <= other.lds_read
    assert best.busy >= 0.9 > other.busy


def test_208_workgroups_on_304_units():
    other = padded(gemm(8, 13312, 16384, "f16", "gfx942"))
    assert other is not None and other.workgroups == 208 and UNITS["gfx942"].units == 304 and other.waves == 2


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 8), st.integers(1, 20000), st.integers(1, 400), st.sampled_from(["f16", "bf16", "i8", "fp8"]), st.sampled_from(["gfx942", "gfx950"]))
def test_vdmfma_is_chosen_where_m_is_at_most_8_and_k_divides(m, n, k, dtype, chip):
    k *= 64 if dtype.endswith("16") else 128
    best, verdicts = choose(gemm(m, n, k, dtype, chip))
    assert best.mma.name.startswith("VDMFMA") and k % best.step == 0
    assert verdicts[0].plan is best and verdicts[0].reason == "chosen" and all(v.reason for v in verdicts)


@pytest.mark.parametrize(("m", "k", "why"), [(9, 16384, "M = 9 is more than its 8 rows"), (8, 16400, "K = 16400 is no multiple of 64, 1 tile of 64")])
def test_vdmfma_is_dropped_where_it_does_not_fit(m, k, why):
    best, verdicts = choose(gemm(m, 4096, k, "f16", "gfx942"))
    virtual = [v for v in verdicts if v.plan.mma.name.startswith("VDMFMA")]
    assert not best.mma.name.startswith("VDMFMA") and virtual and not any(v.kept for v in virtual)
    assert why in {v.reason for v in virtual}


def test_the_block_gemm_of_ck_tile():
    """M = 4864, N = 4096: a tile of 256 x 256 x 64 for each of 304 units, 32 KB of LDS for either operand."""
    best, _ = choose(gemm(4864, 4096, 4096, "bf16", "gfx942"))
    assert best.workgroup == (256, 256) and best.step == 64 and best.workgroups == 304 and best.busy == 1.0
    assert best.lds_bytes == 2 * 32 * 1024 and best.waves == 4 and best.padding is None


def test_hopper_takes_a_warpgroup():
    best, verdicts = choose(gemm(8192, 8192, 8192, "bf16", "sm_90a"))
    assert best.mma.name == "WGMMA_F32_64x256x16_BF16" and best.pipeline.name == "tma" and best.waves == 8
    assert any("bound by matrix" in v.reason for v in verdicts if v.plan.mma.name.startswith("MMA_SYNC"))
    skinny, _ = choose(gemm(8, 4096, 4096, "f16", "sm_90a"))
    assert skinny.mma.name == "VMMA_SYNC_F32_8x16x16_F16" and skinny.padding is None


@pytest.mark.parametrize("args", [(8, 13312, 16384, "f16", "gfx942"), (100, 200, 300, "i8", "gfx942"), (4096, 4096, 1024, "bf16", "sm_80"),
                                  (512, 512, 512, "fp8", "gfx950"), (64, 64, 64, "f64", "gfx90a"), (33, 1000, 77, "f32", "gfx942")], ids=str)  # fmt: skip
def test_counts_by_definition(args):
    problem = gemm(*args)
    best, verdicts = choose(problem)
    for plan in [v.plan for v in verdicts if v.kept][:12]:
        tm, tn = plan.workgroup
        tiles = math.ceil(problem.m / tm) * math.ceil(problem.n / tn)
        steps = math.ceil(problem.k / plan.step)
        mmas = tiles * steps * (tm // plan.mma.m) * (tn // plan.mma.n) * plan.reduction
        waves = plan.mma.acc.waves
        assert plan.matrix_cycles == mmas * plan.mma_cycles * waves
        assert plan.workgroups == tiles * plan.split_k and plan.steps == math.ceil(steps / plan.split_k)
        assert tm % (plan.mma.m * plan.subgroup[0]) == 0 and tn % (plan.mma.n * plan.subgroup[1]) == 0
        rows = tm + tn if plan.pipeline.promoted == (0, 1) else tm
        assert plan.lds_bytes == rows * plan.step * problem.dtype.bytes * plan.pipeline.buffers <= CHIPS[problem.target].lds_bytes
        if plan.mma.b is not None:
            fragments = plan.mma.a.threads * plan.mma.a.elements * plan.subgroup[0] + plan.mma.b.threads * plan.mma.b.elements * plan.subgroup[1]
            assert plan.lds_read == tiles * steps * plan.waves * plan.reduction * fragments * problem.dtype.bytes
        assert (plan.padding is None) == all(s % t == 0 for s, t in zip((problem.m, problem.n, problem.k), (tm, tn, plan.step), strict=True))
    assert {v.kept for v in verdicts} <= {True, False} and best.cycles <= 1.02 * min(v.plan.cycles for v in verdicts if v.kept)


def test_reasons_of_what_is_dropped():
    _, verdicts = choose(gemm(8, 13312, 16384, "f16", "gfx942"))
    reasons = {v.reason for v in verdicts if not v.kept}
    assert any("bytes of shared memory, and a block has 65536" in r for r in reasons)
    assert any("a cache line has 128" in r for r in reasons)
    _, verdicts = choose(gemm(8, 64, 256, "f16", "gfx942"))
    assert any("which leave one of 16 parts empty" in v.reason for v in verdicts)
    from avelang.tile.select import dropped

    plan = dataclasses.replace(choose(gemm(8, 13312, 16384, "f16", "gfx942"))[0], pipeline=pipeline("tma"), reduction=2)
    assert "gfx942 has none of sm_90a" in dropped(plan)
    large = dataclasses.replace(choose(gemm(4864, 4096, 4096, "bf16", "gfx942"))[0], subgroup=(16, 16), workgroup=(256, 256))
    assert "registers a lane, and there are 512" in dropped(large)
    turned = dataclasses.replace(choose(gemm(8, 4096, 4096, "f16", "sm_90a"))[0], gemm=gemm(64, 4096, 4096, "f16", "sm_90a"))
    assert dropped(turned) == "M = 64 is more than its 8 rows"


def test_a_preshuffled_b_skips_shared_memory():
    plain, verdicts = choose(gemm(8, 13312, 16384, "f16", "gfx942"))
    assert "B does not lie in memory as its fragments do" in {v.reason for v in verdicts if v.plan.pipeline.name == "preshuffled"}
    best, _ = choose(gemm(8, 13312, 16384, "f16", "gfx942", preshuffled=True))
    assert best.pipeline.name == "preshuffled" and best.lowering_config()["promote_operands"] == [0]
    assert best.lds_bytes == 8 * best.step * 2 * 2 and best.lds_read < plain.lds_read


def test_loads_into_lds():
    reasons = {v.reason for v in choose(gemm(4096, 4096, 4096, "f16", "gfx942"))[1] if v.plan.pipeline.name == "direct-to-lds"}
    assert "loads into LDS move 4 bytes a lane on gfx942, and 16 go through registers" in reasons
    assert any(v.kept for v in choose(gemm(4096, 4096, 4096, "f16", "gfx950"))[1] if v.plan.pipeline.name == "direct-to-lds")


def test_errors():
    for make, code, words in (
        (lambda: gemm(0, 1, 1, "f16", "gfx942"), "T301", "M must be an integer from 1, not 0"),
        (lambda: gemm(8, 8, 8, "f17", "gfx942"), "T301", "the dtype must be one such as"),
        (lambda: gemm(8, 8, 8, "f16", "gfx1"), "U101", "there is no chip"),
        (lambda: gemm(8, 8, 8, "f16", "sm_75"), "U103", "the choice of a plan is not available"),
        (lambda: choose(gemm(8, 8, 8, "u8", "gfx942")), "U103", "a matrix product of u8 is not available"),
        (lambda: choose(gemm(2048, 2048, 16, "f32", "gfx90a"))[0].mma.cycles("sm_90a"), "U110", "does not exist on sm_90a"),
    ):  # fmt: skip
        with pytest.raises(AveError, match=words) as e:
            make()
        assert e.value.code == code
    assert padded(gemm(8, 8, 8, "u8", "gfx942")) is None
    assert gemm(8, 8, 8, "fp8", "gfx942").dtype.name == "f8e4m3fnuz" and gemm(8, 8, 8, "bf8", "gfx950").dtype.name == "f8e5m2"
    assert gemm(1, 1, 1, mma("MFMA_F32_16x16x16_F16").dtypes[0], "gfx942").dtype.name == "f16"
