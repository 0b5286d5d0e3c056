"""Several registers under one name: ptxas finds them, whatever the name ends with."""

from __future__ import annotations

import subprocess

import pytest

import pyptx
from avelang.nvptx.lint import lint
from avelang.nvptx.nodes import instructions
from avelang.nvptx.parse import parse
from avelang.ptx import kernel, ptx, reg
from avelang.ptx.readable import readable
from avelang.ptx.types import b32, pred, u32
from avelang.runtime import ptxas
from pyptx import types as t
from tools import need

TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry sums(.param .u64 sums_param_0, .param .u64 sums_param_1)
{
    .reg .f32 %f<6>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [sums_param_0];
    cvta.to.global.u64 %rd2, %rd1;
    ld.param.u64 %rd3, [sums_param_1];
    cvta.to.global.u64 %rd4, %rd3;
    ld.global.f32 %f1, [%rd2];
    ld.global.f32 %f2, [%rd2+4];
    ld.global.f32 %f3, [%rd2+8];
    add.f32 %f4, %f1, %f2;
    add.f32 %f5, %f4, %f3;
    st.global.f32 [%rd4], %f5;
    ret;
}
"""


def assembles(text: str) -> bool:
    need("ptxas")
    found = ptxas.find()
    assert found is not None
    done = subprocess.run([found.path, "-arch=sm_80", "-O0", "-o", "/dev/null", "-"], input=text, text=True,
                          capture_output=True, timeout=100, check=False)  # fmt: skip
    return done.returncode == 0


def written(python: str) -> str:
    names: dict = {"__name__": "made"}
    exec(compile(python, "made.py", "exec"), names)
    return names["module"].ptx()


def test_readable_names():
    assert assembles(TEXT)
    text = written(readable(TEXT).text)
    assert "%in_0_<3>" in text and assembles(text) and lint(text) == []


def test_declared_by_the_user():
    @kernel(grid=1, block=32, arch="sm_80")
    def k():
        r, p, s = reg.declare(b32, "%r1<3>"), reg.declare(pred, "q9<2>"), reg.declare(u32, "%s<2>")
        ptx.inst.mov.b32(r[2], 1)
        ptx.inst.setp.eq.b32(p[1], r[2], 0)
        ptx.inst.mov.u32(s[1], 2)

    assert ".reg .b32 %r10, %r11, %r12;" in k.ptx() and ".reg .u32 %s<2>;" in k.ptx()
    assert assembles(k.ptx()) and lint(k.ptx()) == []


@pytest.mark.parametrize("name", ["%x1", "%x", "a0_1"])
def test_arrays_of_pyptx(name):
    def body():
        a = pyptx.reg.array(t.u32, 4, name=name)
        pyptx.ptx.mov(t.u32, a[3], 1)

    text = pyptx.kernel(body, arch="sm_80").ptx()
    assert assembles(text) and lint(text) == []
    assert (f"{name}<4>" in text) == (not name[-1].isdigit())
    (entry,) = parse(text).functions()
    assert [i.operands[0].name for i in instructions(entry.body or ())] == [f"{name}3"]  # type: ignore[union-attr]
