"""`ptx.module` and the statements besides instructions: what is written is what comes out, and what is wrong is said at
its line."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.nvptx.parse import parse
from avelang.ptx import Tile, kernel, ptx, reg, smem
from avelang.ptx.types import b8, b32, b64, f16x2, f32, pred, s32, u32, u64
from avelang.sim.ptx import Program
from ptx.programs import made
from tools import need


def twice():
    """A module with a device function, a table, nested braces and a loop: out[i] = 2 (i + table[i % 4])."""
    module = ptx.module("sm_80")
    table = module.variable("const", u32, "table", 4, align=16, init=[10, 20, 30, ptx.operand("0x28")])

    @module.func([ptx.parameter(b32, "x", space="reg")], returns=[ptx.parameter(b32, "y", space="reg")])
    def double(y, x):
        ptx.inst.shl.b32(y, x, 1)
        ptx.inst.ret()

    @module.entry(
        [ptx.parameter(u64, "fill_out", pointer=("global", 4))], directives=[("maxntid", 32, 1, 1), "noreturn"][:1]
    )
    def fill(out):
        r = reg.declare(b32, "%r<4>")
        p, at = reg.declare(b64, "%rd<2>", "at")
        ptx.inst.ld.param.u64(p[0], ptx.addr(out))
        ptx.inst.cvta.to.global_.u64(p[1], p[0])
        ptx.inst.mov.u32(r[0], ptx.special.tid.x())
        ptx.inst.mad.wide.u32(at, r[0], 4, p[1])
        with ptx.scope():
            entry = reg.declare(b64, "%rd<1>")[0]  # another %rd0, up to the end of the braces
            ptx.inst.and_.b32(r[1], r[0], 3)
            ptx.inst.mov.u64(entry, table + 0)
            ptx.inst.mad.wide.u32(entry, r[1], 4, entry)
            ptx.inst.ld.const.u32(r[2], ptx.addr(entry))
        ptx.call(double, [r[0] + r[2]], returns=[r[3]], uniform=True)
        ptx.inst.st.global_.u32(ptx.addr(at, "0"), r[3])
        ptx.inst.ret()

    return fill


TWICE = """.version 8.7
.target sm_80
.address_size 64
.const .align 16 .u32 table[4] = {10, 20, 30, 0x28};

.func (.reg .b32 y) double(
    .reg .b32 x
)
{
    shl.b32 y, x, 1;
    ret;
}

.visible .entry fill(
    .param .u64 .ptr .global .align 4 fill_out
)
.maxntid 32, 1, 1
{
    .reg .b32 %r_<1>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>, at;
    ld.param.u64 %rd0, [fill_out];
    cvta.to.global.u64 %rd1, %rd0;
    mov.u32 %r0, %tid.x;
    mad.wide.u32 at, %r0, 4, %rd1;
    {
        .reg .b64 %rd<1>;
        and.b32 %r1, %r0, 3;
        mov.u64 %rd0, table;
        mad.wide.u32 %rd0, %r1, 4, %rd0;
        ld.const.u32 %r2, [%rd0];
    }
    add.u32 %r_0, %r0, %r2;
    call.uni (%r3), double, (%r_0);
    st.global.u32 [at+0], %r3;
    ret;
}
"""


def test_what_is_written_comes_out(tmp_path):
    text = twice().ptx()
    assert text == TWICE
    assert parse(text) == twice().module.nodes()
    (tmp_path / "x.ptx").write_text(text)
    subprocess.run([need("ptxas"), "-arch=sm_80", str(tmp_path / "x.ptx"), "-o", str(tmp_path / "x.cubin")], check=True)
    out = np.zeros(32, np.uint32)
    Program(text, "fill").launch(
        [out.ctypes.data], (1, 1, 1), (32, 1, 1), memory=[(out.ctypes.data, out.nbytes, "out", True)]
    )
    assert out.tolist() == [2 * (i + 10 * (i % 4 + 1)) for i in range(32)]


def test_dynamic_shared_memory_and_numbered_registers():
    module = ptx.module("sm_90a")

    @module.entry()
    def f():
        r = reg.declare(u32, "%u<1>")[0]
        tile = smem.alloc(b8, 64, dynamic=True)
        ptx.inst.ld.shared.u32(r, ptx.addr(tile.pointer()))

    text = f.ptx()
    assert (
        ".extern .shared .align 1024 .b8 f_smem[];\n\n.visible .entry f\n{\n"
        "    .reg .u32 %u_<1>;\n    .reg .u32 %u<1>;\n    mov.u32 %u_0, f_smem;"
        in text
    )


def braces():
    """A kernel whose braces have a register and a label of names that stand outside too."""

    @kernel(in_specs=Tile(32, u32), out_specs=Tile(32, u32), grid=1, block=32, arch="sm_80")
    def countdown(x, out):
        px, po = ptx.global_ptrs(x, out)
        at = reg.from_(ptx.special.tid.x()) * 4
        i, total = reg.array(u32, 2, 0)
        ptx.inst.ld.global_.u32(i, ptx.addr(px + at))
        ptx.label("again")
        for step in (1, 2):
            with ptx.scope():
                p = reg.declare(pred, "p")
                ptx.label("again")
                ptx.inst.setp.eq.u32(p, i, 0)
                ptx.inst.bra(f"done{step}", pred=p)
                ptx.inst.sub.u32(i, i, 1)
                ptx.inst.add.u32(total, total, step)
                ptx.inst.bra("again")
            ptx.label(f"done{step}")
            ptx.inst.ld.global_.u32(i, ptx.addr(px + at))
        ptx.inst.st.global_.u32(ptx.addr(po + at), total)

    return countdown


def test_braces_in_a_kernel():
    x = np.arange(32, dtype=np.uint32)
    assert braces()(x).tolist() == (3 * x).tolist()


def test_lines_of_braces_are_those_of_the_python():
    traced = braces().traced((), None)
    text = traced.text.splitlines()
    place = {line.strip(): traced.place(i) for i, line in enumerate(text, 1)}
    source = [p.text() if p is not None else "" for p in place.values()]
    said = dict(zip(place, source, strict=True))
    assert "ptx.inst.add.u32(total, total, step)" in said["add.u32 %u3, %u3, 2;"]
    assert (
        "with ptx.scope()" in said["{"]
        and 'ptx.label("again")' in said["again:"]
        and "ptx.inst.st.global_" in said[text[-2].strip()]
    )
    inner = [b for b in traced.numbered.items[-1].body if type(b).__name__ == "PtxBlock"][0]
    assert [text[s.line - 1].strip() for s in inner.body][:2] == [".reg .pred p;", "again:"]
    located = traced.with_lines.splitlines()
    row = int(re.search(r"\.loc 1 (\d+)", located[located.index("        add.u32 %u3, %u3, 1;") - 1])[1])
    assert row == place["add.u32 %u3, %u3, 2;"].line


def test_registers_of_several_components():
    module = ptx.module("sm_80")

    @module.entry()
    def f():
        v, w = reg.declare(f32, "v", "w<2>", vector="v2")
        h = reg.declare(f16x2, "%h<2>")
        ptx.inst.add.f32(v.x, v.y, w[1].y)
        ptx.inst.add.f16x2(h[0], h[0], h[1])
        ptx.inst.ld.shared.v2.f32(v, ptx.addr("tile"))
        v.x + 1.0

    lines = [line.strip() for line in f.ptx().splitlines()]
    for line in (
        ".reg .v2 .f32 v, w<2>;",
        ".reg .f16x2 %h<2>;",
        "add.f32 v.x, v.y, w1.y;",
        "ld.shared.v2.f32 v, [tile];",
        "mov.f32 %f_0, v.x;",
    ):
        assert line in lines
    refused(lambda: reg.declare(f32, "v", vector="v4").q, "T232")


def refused(body, code):
    with pytest.raises(AveError) as caught:
        made(body).ptx()
    assert caught.value.code == code and caught.value.span is not None and caught.value.span.file == __file__
    return str(caught.value)


def inside(body):
    def run():
        with ptx.scope():
            body()

    return run


def test_refusals_in_bodies():
    assert "there is one" in refused(lambda: (reg.declare(f32, "%a<3>"), reg.declare(f32, "%a1")), "T223")
    for name in ("_", "1a", "a<b>", "a-b", "", 5):
        refused(lambda name=name: reg.declare(f32, name), "T223")
    refused(lambda: reg.declare(f32), "T221")
    refused(lambda: reg.declare(f32, "v", vector="v3"), "T221")
    refused(lambda: reg.declare("f32", "v"), "T221")
    assert "expected `)`" in refused(lambda: ptx.inst.mov.u32(reg.scalar(u32), ptx.operand("(1 + 2")), "T222")
    assert "the end of the operand" in refused(lambda: ptx.operand("1, 2"), "T222")
    refused(lambda: ptx.addr(reg.scalar(u64), "0 0"), "T222")
    refused(lambda: ptx.addr(ptx.addr(reg.scalar(u64), 4), "0"), "T233")
    assert "expected `,` or `;`" in refused(lambda: ptx.raw("add.s32 %r1 %r2;"), "T232")
    refused(lambda: ptx.variable("heap", b8, "x"), "T221")
    refused(lambda: ptx.variable("shared", "b7", "x"), "T221")
    refused(lambda: ptx.variable("shared", b8, "x", 1.5), "T221")
    refused(lambda: ptx.prototype("p", params=["x"]), "T221")
    refused(lambda: ptx.call(reg.scalar(u64), []), "T203")
    refused(inside(lambda: (ptx.label("a"), ptx.label("a"))), "T224")
    refused(lambda: (inside(lambda: ptx.label("a"))(), ptx.bra("a")), "T224")  # a label is seen within its braces only
    refused(inside(lambda: ptx.bra("nowhere")), "T224")
    refused(inside(lambda: ptx.inst.add.u32(reg.scalar(u32), 1, 1.0)), "T202")

    def guarded():
        with ptx.when(reg.pred()):
            ptx.raw("ret;")

    refused(guarded, "T226")


def test_a_register_is_gone_behind_its_braces():
    def body():
        with ptx.scope():
            p = reg.declare(pred, "p")
        ptx.inst.ret(pred=p)

    refused(body, "T225")


def test_refusals_of_modules():
    def fails(act, code):
        with pytest.raises(AveError) as caught:
            act()
        assert caught.value.code == code and caught.value.span is not None and caught.value.span.file == __file__

    module = ptx.module("sm_80")
    fails(lambda: ptx.module("gfx942"), "S207")
    fails(lambda: module.declare("kernel", "f"), "T221")
    fails(lambda: module.variable("global", s32, "x", "n"), "T221")
    fails(lambda: module.entry([u32])(lambda x: None), "T221")
    fails(lambda: module.entry([ptx.parameter(u32, "x")])(lambda: None), "T221")
    fails(lambda: module.entry()(lambda: None), "T221")  # a kernel cannot be called <lambda>
    fails(lambda: module.entry(name="f")(lambda: 5), "T054")
    fails(lambda: module.entry(name="f")(lambda: ptx.inst.wgmma.fence.sync.aligned()), "U206")
    fails(lambda: ptx.scope(), "T004")
    assert module.nodes().items == ()  # what is refused leaves nothing behind


def test_text_is_taken_as_it_is():
    def body():
        p = reg.declare(pred, "p")
        ptx.raw("frobnicate.b32 p, 1; .reg .f32 x; L: { .reg .f32 x; mov.f32 x, 0f00000000; } t: .branchtargets L;")
        ptx.inst.bra("L", pred=p)
        ptx.inst.neg.f32(ptx.operand("x"), ptx.operand("x"))

    text = made(body).ptx()
    inner = [line.strip() for line in text[text.index("{\n") + 2 :].splitlines()]
    assert inner[:4] == [".reg .pred p;", "frobnicate.b32 p, 1;", ".reg .f32 x;", "L:"]
    assert inner[4:12] == [
        "{",
        ".reg .f32 x;",
        "mov.f32 x, 0f00000000;",
        "}",
        "t: .branchtargets L;",
        "@p bra L;",
        "neg.f32 x, x;",
        "}",
    ]
