"""Golden code of matrix products: the tile level's for AMD, `mma.sync` and `wgmma`, and the thread level's for MFMA;
and that each would notice a product that is left out, or a wrong bound."""

from __future__ import annotations

import re

import pytest

import avelang
import avelang.language as al
import golden
from avelang.pipelines import warp_specialized
from avelang.runtime.compile import compile_text
from avelang.tile import Block, block_gemm
from avelang_kernels.matmul import mfma_gemm, tile_gemm
from emit.llvm.gpu import code

BLOCKS = {
    "gfx942": Block(32, 32, 64, (2, 2), "double-buffer"), "sm_80": Block(32, 32, 32, (2, 2), "cp-async", 3),
    "sm_90a": Block(64, 64, 64, pipeline="tma", stages=2)
}
MATRIX = {
    "gfx942": "v_mfma_f32_16x16x16_bf16", "sm_80": "mma.sync.aligned.m16n8k16",
    "sm_90a": "wgmma.mma_async.sync.aligned.m64n64k16"
}
FILES = {
    chip: f"{'amdgpu' if chip == 'gfx942' else 'nvptx'}/tile_gemm.{chip}.{'s' if chip == 'gfx942' else 'ptx'}"
    for chip in BLOCKS
}
THREADS = "amdgpu/mfma_gemm.gfx942.s"


def tiles(chip: str) -> str:
    """The code of a product of the tile level, its matrix instructions among it; without comments."""
    block = BLOCKS[chip]
    text = compile_text(tile_gemm.build.__wrapped__(block, al.bf16, al.f32), {},
                        (block.on(chip, al.bf16).threads, 1, 1), chip, "asm")
    if chip == "gfx942":
        return re.sub(r"[ \t]*; .*", "", code(text))
    return "\n".join(x for x in text.splitlines() if x and not x.lstrip().startswith("//"))


def threads() -> str:
    """The code of the thread level's product."""
    return re.sub(r"[ \t]*; .*", "", code(compile_text(mfma_gemm.mfma_gemm, {}, (64, 1, 1), "gfx942", "asm")))


@avelang.jit
def longer(length: al.u32, limit: al.u32) -> al.u32:
    """The greater of two, where `clip` gives the smaller."""
    return limit if length < limit else length


fragments, stage = block_gemm.multiply, warp_specialized.multiply


@avelang.jit
def without_the_last(G, acc, a, b, begin, end):
    """The products of all fragments of A but the last."""
    fragments(G, acc, a, b, begin, end - 1)


@avelang.jit
def of_stage_zero(G, a, b, at, consumer, acc, mma):
    """The products of a stage that is always the first."""
    return stage(G, a, b, 0, consumer, acc, mma)


@pytest.mark.golden
@pytest.mark.parametrize("chip", BLOCKS)
def test_tiles(chip):
    text = tiles(chip)
    assert MATRIX[chip] in text
    golden.check(FILES[chip], text)


@pytest.mark.golden
def test_threads():
    text = threads()
    assert text.count("v_mfma_f32_32x32x8_bf16") == 2
    golden.check(THREADS, text)


@pytest.mark.skipif(golden.accepting(), reason="accepting golden files")
@pytest.mark.parametrize("chip", BLOCKS)
def test_wrong_products_are_noticed(chip, monkeypatch):
    monkeypatch.setattr(block_gemm, "multiply", without_the_last)
    monkeypatch.setattr(warp_specialized, "multiply", of_stage_zero)
    with pytest.raises(AssertionError, match="differs"):
        golden.check(FILES[chip], tiles(chip))


@pytest.mark.skipif(golden.accepting(), reason="accepting golden files")
def test_a_wrong_bound_is_noticed(monkeypatch):
    monkeypatch.setattr(mfma_gemm, "clip", longer)
    with pytest.raises(AssertionError, match="differs"):
        golden.check(THREADS, threads())
