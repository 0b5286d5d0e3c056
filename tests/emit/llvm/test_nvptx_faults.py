"""PTX of which ptxas is known to make wrong code is not there any more; what takes its place means the same."""

import numpy as np
import pytest

from avelang.emit.llvm.nvptx_faults import without
from avelang.sim.ptx import Program

HEAD = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 po)
{
  .reg .b16 %rs<5>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [po];
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
  ld.global.b32 %r2, [%rd4]; mov.b32 {%rs1, %rs2}, %r2;
"""
MMA = "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16\n\t\t{%r5, %r6},\n\t\t{%r4, %r4},\n\t\t{%r3},\n\t\t{%r7, %r7};"
FORMS = {
    "neg.s16": "neg.s16 \t%rs3, %rs1;\n  cvt.s32.s16 %r9, %rs3;",
    "abs.s16": "abs.s16 \t%rs3, %rs1;\n  cvt.s32.s16 %r9, %rs3;",
    "add.s16x2": "mov.b32 \t%r8, 65521;\n  add.s16x2 \t%r9, %r2, %r8;",
    "{%r3}": f"mov.b32 \t%r3, -1073692672;\n  mov.b32 %r4, 0x40003C00;\n  mov.b32 %r7, 0;\n  {MMA}\n  xor.b32 %r9, "
        f"%r5, %r6;",
}


def run(text: str, x: np.ndarray) -> np.ndarray:
    out = np.zeros_like(x)
    memory = [(a.ctypes.data, a.nbytes, "x", True) for a in (x, out)]
    Program(text).launch([x.ctypes.data, out.ctypes.data], (1, 1, 1), (32, 1, 1), memory=memory)
    return out


@pytest.mark.parametrize("form", FORMS)
def test_forms_that_ptxas_gets_wrong(form):
    text = f"{HEAD}  {FORMS[form]}\n  st.global.b32 [%rd5], %r9;\n  ret;\n}}\n"
    made = without(text)
    assert form in text and form not in made
    x = np.random.default_rng(1).integers(0, 2**32, 32, dtype=np.uint32)
    x[:3] = 0x80008000, 0x00008000, 0x7FFF8000
    np.testing.assert_array_equal(run(made, x), run(text, x))


def test_what_ptxas_gets_right_stays():
    positive = f"mov.b32 \t%r3, 1073758208;\n  {MMA}\n  add.s32 %r1, %r1, -1;\n  neg.s32 %r1, %r1;\n"
    assert without(positive) == positive
