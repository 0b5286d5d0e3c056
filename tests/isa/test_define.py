"""A row by the decorator is the row that its fields spell."""

from __future__ import annotations

import numpy as np
import pytest

import avelang.isa.amdgpu
import avelang.isa.nvptx  # noqa: F401
from avelang.base.errors import AveError
from avelang.ir.core import OPS
from avelang.ir.dtypes import f16, f32, i32, u32
from avelang.ir.types import VecType
from avelang.isa.asm import Asm
from avelang.isa.define import row, signature
from avelang.isa.row import PUBLIC, ROWS, Param


@pytest.fixture
def fresh():
    """The rows of the namespaces go back to what they were."""
    before = (dict(ROWS), dict(PUBLIC), dict(OPS))
    yield
    for table, kept in zip((ROWS, PUBLIC, OPS), before, strict=True):
        for name in table.keys() - kept.keys():
            del table[name]


def test_a_row_and_its_fields(fresh):
    @row(
        "nvvm.probe(a: i32|u32, b: a, which: 0..3 = 1) -> a",
        "a manual",
        frozenset({"sm_75"}),
        asm="prmt.b32 <out>, <a>, <b>, <which>;",
    )
    def probe(wave, a, b, which):
        """Bytes
        of both.

        a: the low word,
            and more of it
        which: a selector
        """
        return a

    assert ROWS["nvvm.probe"] is PUBLIC["nvvm.probe"] is probe and probe.doc == "Bytes of both."
    assert probe.params == (
        Param("a", (i32, u32), "the low word, and more of it"), Param("b", "a"),
        Param("which", "const", "a selector", range=(0, 3), default=1),
    )  # fmt: skip
    assert probe.result == "a" and probe.llvm == {"nvptx": Asm("prmt.b32 <out>, <a>, <b>, <which>;")}
    assert probe.semantics(None, 7, 8, 0) == 7 and probe.lower is None


def test_signatures():
    assert signature("amdgpu.f(x: f32)") == ("amdgpu.f", (Param("x", f32),), None)
    assert signature("amdgpu.f(x: f16x2) -> f16x2")[1:] == ((Param("x", VecType(f16, 2)),), VecType(f16, 2))
    assert signature("amdgpu.f(n: {1, 2, 4} = 2)")[1] == (
        Param("n", "const", range=(1, 4), choices=(1, 2, 4), default=2),
    )
    assert signature("amdgpu.f(at: global|shared[], m: map)")[1] == (
        Param("at", "tensor", spaces=("global", "shared")),
        Param("m", "map"),
    )
    assert signature("amdgpu.f(n: -8..0x7)")[1] == (Param("n", "const", range=(-8, 7)),) and signature(
        "amdgpu.f() -> u32"
    )[1:] == ((), u32)


@pytest.mark.parametrize(("text", "words"), [
    ("fmed3(a: f32)", "no signature"), ("amdgpu.f(a f32)", "`a f32` is no parameter"), ("amdgpu.f(a: f33)", "`a: f33`"),
    ("amdgpu.f(a: b)", "`a: b`"),
    ("amdgpu.f(a: f32) -> f33", "`f33` is no result"), ("amdgpu.f(n: 1.5)", "no parameter"),
])  # fmt: skip
def test_v001_signatures(text, words):
    with pytest.raises(AveError) as caught:
        signature(text)
    assert caught.value.code == "V001" and words in str(caught.value)


def test_v001_another_body(fresh):
    with pytest.raises(AveError, match="V001") as caught:
        row("amdgpu.probe(a: f32) -> f32", "", frozenset())(lambda wave, b: b)
    assert "['a'], its body ['b']" in str(caught.value) and "amdgpu.probe" not in ROWS


def test_rows_of_the_package_are_written_so():
    """The examples that the page names."""
    assert ROWS["nvvm.exp2"].llvm == {"nvptx": Asm("ex2.approx.ftz.f32 <out>, <x>;")} and ROWS["amdgpu.perm"].params[
        1
    ] == Param("rhs", "lhs", "bytes 0-3 of the source")
    assert ROWS["nvvm.exp2"].semantics(None, np.float32([3])) == np.float32(8)
