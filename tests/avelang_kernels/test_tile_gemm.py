"""The block GEMM of seed 001, one source: what its code takes and how busy it keeps AMD's matrix core; right on chips of both vendors."""

import inspect

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
from avelang.amdgcn.mca import utilization
from avelang.amdgcn.report import report
from avelang.runtime.compile import compile_text
from avelang.tile import Block
from avelang_kernels import tile_gemm
from avelang_kernels.tile_gemm import build, gemm
from tools import need

BLOCK = Block(256, 256, 64, (2, 4))


def test_sixty_lines():
    assert len(inspect.getsource(tile_gemm).splitlines()) <= 60


@pytest.mark.parametrize("block", [BLOCK, Block(128, 128, 64)], ids=["256", "128"])
def test_the_matrix_core_is_busy(block):
    """Issue 6: 90 % by llvm-mca 22, one wave (Triton 85.6 %, IREE 83.1 %)."""
    need("llvm-mca")
    text = compile_text(build(block, al.bf16, al.bf16), {}, (block.on("gfx942", al.bf16).threads, 1, 1), "gfx942", "asm")
    made = report(text)
    assert made.vgpr_spills == made.sgpr_spills == 0 and made.loop is not None
    assert utilization(text, "gfx942").ratio >= 0.90
    assert set(made.loop.counts["LDS read"]) == {"ds_read_b128"} and set(made.loop.counts["load"]) == {"buffer_load_dwordx4"}


@pytest.mark.parametrize(
    ("target", "block"),
    [("sm_80", Block(128, 128, 32, pipeline="cp-async")), ("sm_90a", Block(128, 256, 64, pipeline="tma", cluster=(2, 1)))], ids=["sm_80", "sm_90a"],
)  # fmt: skip
def test_nothing_is_spilled(target, block):
    need("ptxas")
    extra = {"cluster": (2, 1, 1)} if block.cluster != (1, 1) else {}
    found = build(block, al.bf16, al.bf16).report(target, (block.on(target, al.bf16).threads, 1, 1), **extra)
    assert found.stored == found.loaded == 0


@pytest.mark.parametrize(("target", "block"), [("gfx942", BLOCK), ("sm_90a", Block(128, 256, 64, pipeline="tma"))], ids=["gfx942", "sm_90a"])
def test_the_large_tile_is_right(target, block):
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-3, 4, (rows, 72)).astype(ml_dtypes.bfloat16) for rows in (200, 248))
    c = np.zeros((200, 248), np.float32)
    gemm(a, b, c, block, target, units=3, backend="reference")
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)


def test_shapes_that_do_not_fit():
    a, b, c = (np.zeros(s, ml_dtypes.bfloat16) for s in ((8, 16), (8, 24), (8, 8)))
    with pytest.raises(ValueError, match="A @ B"):
        gemm(a, b, c, Block(32, 32, 32, pipeline="single"), "gfx942")
