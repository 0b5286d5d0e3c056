"""The skinny GEMM of seed 004: right for all shapes and parts of K on all backends, the same bits in every order, "
"and the bars of issue 6."""

from __future__ import annotations

import dataclasses
import functools
import re

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
from avelang import executor
from avelang.amdgcn.mca import utilization
from avelang.amdgcn.report import report
from avelang.isa.mma_reference import matmul
from avelang.runtime.compile import compile_text
from avelang.tile import Block
from avelang_kernels.matmul.tile_skinny import block_of, build, gemm, launch, parts_of, plan_of, work_of
from tools import need

SHAPES = tuple((8, n, k) for n in (13312, 2304, 6656) for k in (16384, 8192))  # seed 004
PAIRED, DENSE = "VDMFMA_F32_8x16x64x2_F16_PAIRED", "MFMA_F32_16x16x16_F16"
SMALL = Block(8, 32, 64, (1, 2), "streamed", mma=PAIRED)  # for many parts of a short K
FULL = block_of(plan_of(*SHAPES[0], al.f16, "gfx942"))


def whole(m, n, k, dtype=np.float16):
    rng = np.random.default_rng((m, n, k))
    return tuple(rng.integers(-3, 4, (rows, k)).astype(dtype) for rows in (m, n))


def right(m, n, k, target, dtype=np.float16, out=np.float32, run=gemm, **options):
    a, b = whole(m, n, k, dtype)
    c = np.full((m, n), 77, out)
    assert run(a, b, c, target=target, **options) is c
    assert np.array_equal(
        c.astype(np.float64), (a.astype(np.float64) @ b.astype(np.float64).T).astype(out).astype(np.float64)
    )


# -- numbers ----------------------------------------------------------------------------------------------------------


SIZES = [(8, 64, 512), (5, 37, 130), (1, 65, 77), (16, 40, 256)]
# One chip of each vendor with all sizes, the others with those that have edges and those that have none in turn.
CHOICES = [
    (t, s)
    for t, some in (("gfx942", SIZES), ("sm_80", SIZES), ("gfx90a", SIZES[1::2]), ("sm_90a", SIZES[::2]))
    for s in some
]


@pytest.mark.parametrize(("target", "size"), CHOICES, ids=str)
def test_as_it_chooses(target, size, monkeypatch):
    m, n, k = size
    monkeypatch.setenv("AVE_CHECK", "races")
    right(m, n, k, target, backend="reference")


@pytest.mark.parametrize("parts", [1, 3, 16])
@pytest.mark.parametrize(("target", "block"), [("gfx942", SMALL), ("sm_80", Block(8, 32, 64, (1, 2), "streamed",
    mma="VMMA_SYNC_F32_8x16x16_F16"))],
                         ids=["gfx942", "sm_80"])  # fmt: skip
def test_parts_of_k(target, block, parts):
    """Also where parts are not even, and the last tile of K is no whole one."""
    right(8, 36, 1000, target, run=launch, T=block, parts=parts, backend="reference")


@pytest.mark.parametrize("target,m,k", [("gfx942", 20, 400), ("gfx942", 24, 330), ("gfx950", 17, 264),
                                        ("gfx942", 7, 131)])  # fmt: skip
def test_three_times_eight_rows_executed(target, m, k, monkeypatch):
    """VDMFMA for up to 24 rows, and for K that no step divides, odd ones too: zeros are what is missing."""
    assert parts_of(m, 40, k, al.f16, target)[0].mma.startswith("VDMFMA")
    monkeypatch.setenv("AVE_CHECK", "waits")
    right(m, 40, k, target)


@pytest.mark.parametrize("target", ["gfx90a", "sm_80"])
def test_24_rows_of_dense_instructions(target):
    right(24, 40, 200, target, backend="reference")


@pytest.mark.parametrize("parts", [1, 3, 16])
def test_executed(parts, monkeypatch):
    """Every wait of the code proven."""
    monkeypatch.setenv("AVE_CHECK", "waits")
    right(5, 36, 1016, "gfx942", run=launch, T=SMALL, parts=parts)


def test_other_dtypes():
    right(8, 64, 512, "gfx942", ml_dtypes.bfloat16, ml_dtypes.bfloat16)
    right(7, 40, 512, "gfx942", np.int8, np.int32, backend="reference")
    right(8, 40, 512, "gfx942", ml_dtypes.float8_e4m3fnuz, backend="reference")
    right(8, 64, 256, "gfx950", ml_dtypes.float8_e4m3fn, np.float16, backend="reference")


def test_on_the_cpu():
    right(8, 64, 512, "sm_80", backend="cpu")
    assert gemm(*whole(2, 3, 0), np.ones((2, 3), np.float32), "gfx942").sum() == 0


ADVERSARIAL = {
    "NaN in A": (lambda a, b: a.__setitem__((3, 70), np.nan)), "NaN in B": (lambda a, b: b.__setitem__((5, 199),
        np.nan)),
    "infinity in B": (lambda a, b: b.__setitem__((7, 3), np.inf)), "infinities of both signs": (lambda a,
        b: a.__setitem__(0, [np.inf, -np.inf] * 100)),
    "zeros against infinity": (lambda a, b: (a.__setitem__(1, 0), b.__setitem__((2, 11), -np.inf))),
    "negative zeros": (lambda a, b: (a.__imul__(-0.0), np.abs(b, b))),
    "cancellation": (lambda a, b: (a.__setitem__((slice(None), slice(None)), np.where(np.arange(200) % 2, 2048.0,
        -2048.0)),
                                   b.__setitem__((slice(None), slice(1, None, 2)), b[:, ::2]))),
}  # fmt: skip


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_adversarial_numbers(name):
    """Bit by bit the dense product, signs of zeros too, in several parts: what is past the end of K, or another "
    "row's, does not come in."""
    a, b = whole(8, 36, 200)
    with np.errstate(all="ignore"):
        ADVERSARIAL[name](a, b)
        zero = np.zeros((8, 36), np.float32)
        want = matmul(a[None], b.T[None], zero[None])[0]
    c = np.full((8, 36), 77, np.float32)
    launch(a, b, c, SMALL, 3, "gfx942", backend="reference")
    same = (c == want) & (np.signbit(c) == np.signbit(want)) | (np.isnan(c) & np.isnan(want))
    assert same.all(), np.argwhere(~same)[:4]


@functools.cache
def assembly(block=FULL, parts=16):
    return compile_text(
        build(block, parts, al.f16, al.f32), {}, (block.on("gfx942", al.f16).threads, 1, 1), "gfx942", "asm"
    )


def executed(text, block, a, b, parts, **options):
    """(C, the run, the counters)."""
    (m, k), n = a.shape, len(b)
    tiles, (each, parts) = -(-n // block.n), work_of(k, block.k, parts)
    c, kept = np.full((m, n), np.nan, np.float32), np.full(tiles * parts * block.m * block.n, np.nan, np.float32)
    counts = np.zeros(tiles, np.uint32)
    run = executor.load(text, **options)[tiles * parts, block.on("gfx942", al.f16).threads](
        a, b, c, kept, counts, m, n, k, each
    )
    return c, run, counts


def test_the_same_bits_in_every_order():
    """Sums of parts are added in their order, whoever comes last; the counters are ready for the next launch."""
    rng = np.random.default_rng(5)
    a, b = (rng.standard_normal((rows, 512)).astype(np.float16) for rows in (8, 64))
    text = assembly(SMALL, 4)
    found = [
        executed(text, SMALL, a, b, 4, check=True, order=order, seed=2) for order in ("forward", "reverse", "random")
    ]
    for c, _, counts in found:
        assert np.array_equal(c, found[0][0]) and not counts.any()
    terms = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)).T
    assert (np.abs(found[0][0] - a.astype(np.float64) @ b.astype(np.float64).T) <= 2e-6 * terms).all()


# -- the bars ---------------------------------------------------------------------------------------------------------


def test_the_matrix_core_is_busy():
    """60 % of the main loop by llvm-mca 22, one wave; IREE's VDMFMA has 36.0 %."""
    need("llvm-mca")
    made, busy = report(assembly()), utilization(assembly(), "gfx942")
    assert made.vgpr_spills == made.sgpr_spills == made.scratch == made.agpr == 0 and made.occupancy.waves >= 2
    assert busy is not None and busy.ratio >= 0.60


def test_all_units_are_busy():
    for shape in SHAPES:
        plan = plan_of(*shape, al.f16, "gfx942")
        assert plan.busy >= 0.9 and block_of(plan).mma == PAIRED
    plan = plan_of(*SHAPES[0], al.f16, "gfx942")
    each, parts = work_of(16384, plan.step, plan.split_k)
    assert plan.workgroups == 208 * parts == 3328 >= 304 and each * parts == 16384 and plan.busy > 0.99


def test_the_block_is_the_plan_that_is_printed():
    for shape, target in ((SHAPES[0], "gfx942"), ((5, 100, 77), "gfx942"), (SHAPES[2], "gfx90a")):
        plan = plan_of(*shape, al.f16, target)
        block, config = block_of(plan), plan.lowering_config()
        made = block.on(target, al.f16)
        assert (
            [block.m, block.n, 0] == config["workgroup"]
            and [*made.count, 0] == config["subgroup"]
            and block.pipeline == config["pipeline"]
        )
        assert block.k == config["reduction"][2] * plan.mma.k and made.mma.name == plan.mma.name == config["mma_kind"]


def test_half_the_matrix_cycles_and_no_more_lds():
    """Counted by the executor, of one tile of columns: one smfmac for two mfma, and both take 16 clocks."""
    a, b = whole(8, 64, 1024)
    found = {}
    for name, block in (("VDMFMA", FULL), ("padded", dataclasses.replace(FULL, m=16, mma=DENSE))):
        text = assembly(block, 2)
        longer = re.sub(r"^\tv_s?mf", lambda x: "\ts_nop 0\n" + x[0], text, flags=re.MULTILINE)
        (c, plain, _), (_, more, _) = (executed(x, block, a, b, 2, profile=True) for x in (text, longer))
        assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)
        found[name] = more.instructions - plain.instructions, plain.traffic.read + plain.traffic.written
    (ours, lds), (dense, more) = found["VDMFMA"], found["padded"]
    assert ours == 2 * 2 * 1024 // 32 and dense == 2 * ours and lds <= more


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_nothing_is_spilled_on_nvidia(target):
    need("ptxas")
    block, parts = parts_of(*SHAPES[1], al.f16, target, 132)
    found = build(block, parts, al.f16, al.f16).report(target, (block.on(target, al.f16).threads, 1, 1))
    assert found.stored == found.loaded == 0


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_a_ring_keeps_memory_busy(target):
    """All blocks run at once, and a multiprocessor has at least 40 KB of B on their way; all parts of K have work."""
    need("ptxas")

    @functools.cache
    def reported(block):
        """Of three parts; how many there are does not change what a block takes."""
        return build(block, 3, al.f16, al.f16).report(target, (block.on(target, al.f16).threads, 1, 1))

    for m, n, k in SHAPES:
        block, parts = parts_of(m, n, k, al.f16, target, 132)
        found = reported(block)
        assert found.residency is not None
        each, parts = work_of(k, block.k, parts)
        blocks, here = -(-n // block.n) * parts, found.residency.blocks
        assert blocks <= 132 * here and blocks / 132 * (block.stages - 1) * block.n * block.k * 2 >= 40 << 10
        assert each * (parts - 1) < k and block.m == m and block.on(target, al.f16).mma.dtypes[2] == al.f32


def test_arguments_that_do_not_fit():
    a, b, c = np.zeros((8, 16), np.float16), np.zeros((32, 16), np.float16), np.zeros((8, 32), np.float32)
    for args, error, said in (
        ((a, b[:, :8], c), ValueError, "A @ B"), ((a, b, c[:, :8]), ValueError, "A @ B"),
        ((np.zeros((25, 16), np.float16), b, np.zeros((25, 32), np.float32)), ValueError, "25 rows"),
        ((a, b.astype(np.float32), c), TypeError, "float32"), ((a, b, c.astype(np.int32)), TypeError, "int32"),
    ):  # fmt: skip
        with pytest.raises(error, match=said):
            gemm(*args, "gfx942")
