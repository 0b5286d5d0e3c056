"""Utilization of the matrix core: foreign kernels against the published figures, made-up loops against counting by
hand."""

from __future__ import annotations

import pytest

import avelang.amdgcn.tools
from amdgcn.peers import IREE, TRITON, assembly
from avelang.amdgcn.mca import utilization
from avelang.base.errors import AveError
from tools import need

HEAD = '.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\n.text\nk:\n.Lloop:\n'
TAIL = "s_cbranch_scc1 .Lloop\ns_endpgm\n"


def mfma(i: int) -> str:
    return f"v_mfma_f32_16x16x16_bf16 a[{4 * i}:{4 * i + 3}], v[0:1], v[2:3], a[{4 * i}:{4 * i + 3}]\n"


@pytest.mark.parametrize("peer,cycles,percent", [(TRITON, 324, "79.0"), (IREE, 308, "83.1")])
def test_foreign_kernels_give_the_published_figures(peer, cycles, percent):
    need("llvm-mca")
    got = utilization(assembly(peer), "gfx942")
    assert got is not None
    assert (got.cycles, got.matrix_cycles, got.matrix_instructions) == (
        cycles,
        256,
        64,
    ) and f"{100 * got.ratio:.1f}" == percent


def test_independent_matrix_instructions_fill_the_core():
    need("llvm-mca")
    got = utilization(HEAD + "".join(map(mfma, range(8))) + TAIL, "gfx942")
    assert (
        got is not None
        and (got.cycles, got.matrix_cycles, got.ratio, got.instructions) == (32, 32, 1, 8)
        and got.lines == (5, 13)
    )


def test_a_product_that_is_a_factor_is_waited_for():
    """An accumulator goes on to the next instruction at once; a result that is read as A is there 4 cycles after the
    passes."""
    need("llvm-mca")
    through_c = utilization(HEAD + mfma(0) * 3 + TAIL, "gfx942")
    through_a = utilization(HEAD + "v_mfma_f32_16x16x16_bf16 v[0:3], v[0:1], v[4:5], v[8:11]\n" * 3 + TAIL, "gfx942")
    assert through_c is not None and through_a is not None
    assert (through_c.cycles, through_a.cycles) == (12, 24) and through_a.ratio == 0.5


def test_f64_holds_another_unit():
    need("llvm-mca")
    line = "v_mfma_f64_16x16x4_f64 a[{0}:{1}], v[0:1], v[2:3], a[{0}:{1}]\n"
    got = utilization(HEAD + "".join(line.format(8 * i, 8 * i + 7) for i in range(4)) + TAIL, "gfx942")
    assert got is not None and got.matrix_cycles == 32


def test_nothing_to_measure():
    need("llvm-mca")
    assert utilization("s_endpgm\n", "gfx942") is None
    got = utilization(HEAD + "v_mov_b32 v0, 0\n" + TAIL, "gfx942")
    assert got is not None and got.ratio == 0 and got.matrix_instructions == 0


def test_what_llvm_cannot_read_is_said():
    need("llvm-mca")
    with pytest.raises(AveError, match="too few operands") as caught:
        utilization(HEAD + "v_add_f32 v0, v1\n" + TAIL, "gfx942")
    assert caught.value.code == "D021"


def test_no_llvm_mca(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("AVE_LLVM", str(tmp_path))
    with pytest.raises(AveError, match="needs llvm-mca") as caught:
        utilization(HEAD + mfma(0) + TAIL, "gfx942")
    assert (
        caught.value.code == "D020"
        and str(tmp_path / "bin" / "llvm-mca") in str(caught.value)
        and "apt-get install llvm-22" in caught.value.hint
    )


def test_an_old_program_is_not_taken(monkeypatch, tmp_path):
    old = tmp_path / "llvm-mca"
    old.write_text("#!/bin/sh\necho 'Debian LLVM version 14.0.6'\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("AVE_LLVM", raising=False)
    path, looked = avelang.amdgcn.tools.search("llvm-mca")
    assert path is None and f"{old} is 14" in looked[-1]
    old.write_text("#!/bin/sh\necho 'LLVM version 23.1.0'\n")
    avelang.amdgcn.tools.version.cache_clear()
    assert avelang.amdgcn.tools.search("llvm-mca")[0] == str(old)
    avelang.amdgcn.tools.version.cache_clear()
