"""Emission goes by a row's signature and marks, never by its name."""

from __future__ import annotations

import ast
import pathlib

import pytest

import avelang
import avelang.isa.amdgpu
import avelang.isa.nvptx
import avelang.language as al
from avelang.emit import llvm
from avelang.ir.core import OPS, walk
from avelang.isa.lowering import LOADS_TO_LDS, SETS_REGISTERS, WAITS, has_mark
from avelang.isa.row import ROWS
from emit.llvm.gpu import lowered, program


def names_in(text: str) -> set[str]:
    """Names of rows, or the parts behind their dots, among a text's literals. What is an op of the IR too is none."""
    public = {part for name in ROWS for part in (name, name.partition(".")[2])} - {
        name for name in OPS if name not in ROWS
    }
    literals = (n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return {
        x for x in literals if x in public or x.rstrip("_").startswith(("amdgpu.", "nvvm.")) and f"{x}_" not in ROWS
    }


FOLDER = pathlib.Path(llvm.__file__).parent
# Attributes of LLVM's modules begin like rows; functions of the IR are called like the rows that compute them.
OTHERS = {"exp2", "log2", "nvvm"}


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.py")), ids=lambda f: f.stem)
def test_no_emitter_names_a_row(file):
    assert names_in(file.read_text()) <= OTHERS


def test_a_name_is_found():
    text = 'if op.name == "amdgpu.s_waitcnt" or name.startswith("nvvm.setmaxnreg"): x = "mfma_f32_32x32x8_f16"'
    assert names_in(text) == {
        "amdgpu.s_waitcnt", "nvvm.setmaxnreg", "mfma_f32_32x32x8_f16"
    }  # fmt: skip


@avelang.jit
def dealt(a: al.Tensor((128,), al.i32)):
    if al.thread_id(0) < 128:
        al.nvvm.setmaxnreg_dec(40)
    else:
        al.nvvm.setmaxnreg_inc(232)
    a[al.thread_id(0) % 128] = 1


def test_marks_of_rows():
    """ptxas heeds setmaxnreg only where it knows how many registers a thread begins with."""
    ops = [op for op in walk(lowered(dealt, "sm_90a", (256, 1, 1)).body) if op.name in ROWS]
    assert ops and all(has_mark(op, "nvptx", SETS_REGISTERS) for op in ops)
    assert '"nvvm.minctasm"="1"' in program(dealt, "sm_90a", (256, 1, 1)).text
    marks = {
        mark: {r.name for r in ROWS.values() for s in r.llvm.values() if mark in getattr(s, "marks", ())}
        for mark in (LOADS_TO_LDS, WAITS)
    }
    assert marks == {LOADS_TO_LDS: {"amdgpu.raw_buffer_load_x1_lds"}, WAITS: {"amdgpu.s_waitcnt"}}
