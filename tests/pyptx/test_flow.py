"""Control flow, pipelines, variables, parameters, text: what is written, and what it does."""

from __future__ import annotations

import numpy as np
import pytest
from tests.pyptx.emitted import lines, text_of

from avelang.base.errors import AveError
from pyptx import Tile, intrinsic, kernel, ptx, reg
from pyptx.spec import PtxValidationError
from pyptx.types import b8, b32, pred, s32, u32, u64


def test_if_and_else():
    def body():
        p = reg.scalar(pred)
        with ptx.if_(p):
            ptx.ret()
        with ptx.if_(~p):
            ptx.ret()
        with ptx.else_():
            ptx.ret()

    assert lines(body) == [
        "@!%p0 bra $_else_0;", "ret;", "bra $_endif_1;", "$_else_0:", "$_endif_1:",
        "@%p0 bra $_else_2;", "ret;", "bra $_endif_3;", "$_else_2:", "ret;", "$_endif_3:",
    ]  # fmt: skip


def test_else_pairs_with_the_if_that_ended():
    def body():
        p, q = reg.scalar(pred), reg.scalar(pred)
        with ptx.if_(p):
            with ptx.if_(q):
                pass
        with ptx.else_():
            ptx.ret()

    assert lines(body)[-7:] == [
        "bra $_endif_3;", "$_else_2:", "$_endif_3:", "bra $_endif_1;", "$_else_0:", "ret;", "$_endif_1:",
    ]  # fmt: skip
    with pytest.raises(RuntimeError, match="must follow"):
        lines(lambda: ptx.else_().__enter__())


def test_loops():
    def body():
        k = reg.scalar(u32, init=0)
        p = reg.scalar(pred)
        with ptx.loop("again", pred=p):
            ptx.inst.setp.lt.u32(p, k, 3)
        with ptx.loop("ever"):
            ptx.bra("out", pred=p)
        ptx.label("out")
        for i in ptx.range_(0, 64, 16):
            ptx.inst.mov.u32(k, i)
        for _ in ptx.range_(k, p and k if False else k):
            pass

    assert lines(body) == [
        "mov.u32 %r0, 0;", "again:", "setp.lt.u32 %p0, %r0, 3;", "@%p0 bra again;", "ever:", "@%p0 bra out;",
        "bra.uni ever;", "out:", "mov.s32 %ri0, 0;", "$_loop_0:", "setp.ge.s32 %p1, %ri0, 64;", "@%p1 bra $_endloop_1;",
        "mov.u32 %r0, %ri0;", "add.s32 %ri0, %ri0, 16;", "bra $_loop_0;", "$_endloop_1:", "mov.s32 %ri1, %r0;",
        "$_loop_2:", "setp.ge.s32 %p2, %ri1, %r0;", "@%p2 bra $_endloop_3;", "add.s32 %ri1, %ri1, 1;", "bra $_loop_2;",
        "$_endloop_3:",
    ]  # fmt: skip


def test_scopes_declare_within():
    def body():
        with ptx.scope():
            reg.scalar(u32)
            ptx.bra("end", pred=reg.scalar(pred))
            ptx.label("end")
        with ptx.scope():
            reg.scalar(u32, name="%tmp")
            ptx.label("end")

    text = text_of(body)
    inside = [x.strip() for x in text.partition("{\n")[2].split("\n")]
    assert inside[:9] == [
        ".reg .pred %p<1>;", "{", ".reg .u32 %r0;", "@%p0 bra end;", "end:", "}", "{", ".reg .u32 %tmp;", "end:",
    ]  # fmt: skip


def test_pipelines_and_chains():
    def body():
        state = ptx.pipeline(4)
        stage, phase = state.advance()
        assert phase is state.phase and state.n_stages == 4 and stage.name != state.cursor.name
        a, b, c = (reg.scalar(s32) for _ in range(3))
        ptx.pipe(a).add.s32(b, 5).and_.b32(c, 3)

    assert lines(body) == [
        "mov.u32 %r0, 0;", "mov.u32 %r1, 0;", "setp.eq.u32 %p0, %r0, 4;", "selp.u32 %r2, 1, 0, %p0;",
        "xor.b32 %r1, %r1, %r2;", "selp.u32 %r3, 0, %r0, %p0;", "add.s32 %r0, %r3, 1;", "add.s32 %r5, %r4, 5;",
        "and.b32 %r6, %r5, 3;",
    ]  # fmt: skip


def counted(total, unroll):
    """The number of times that `ptx.kloop` runs its body, as executed."""

    @kernel(in_specs=(Tile(1, u32),), out_specs=(Tile(1, u32),), block=(1, 1, 1), arch="sm_80")
    def count(x, out):
        px, po = ptx.global_ptrs(x, out)
        trips, found = reg.scalar(u32), reg.scalar(u32, init=0)
        ptx.ld(u32, trips, px)

        def step():
            nonlocal found
            found += 1

        ptx.kloop(trips, unroll=unroll, body=step)
        ptx.st(u32, po, found)
        ptx.ret()

    return [int(count(np.array([n], np.int32))[0]) for n in total]


def test_kloop_runs_its_body_that_often():
    assert counted(range(10), 4) == list(range(10)) and counted([0, 1, 7], 1) == [0, 1, 7]

    def straight():
        ptx.kloop(3, unroll=2, body=ptx.ret)

    assert lines(straight) == ["ret;"] * 3
    with pytest.raises(ValueError):
        lines(lambda: ptx.kloop(3, unroll=3, body=ptx.ret))
    with pytest.raises(TypeError):
        lines(lambda: ptx.kloop("K", unroll=2, body=ptx.ret))


def test_text_variables_and_comments():
    @intrinsic
    def helper(a, *, width):
        return ptx.inst.add.u32(a, a, width)

    assert helper.__is_ptx_intrinsic__

    def body():
        a = reg.scalar(u32)
        assert ptx.var("shared", b8, "pad", size=64, align=16) == "pad"
        helper(a, width=4)
        ptx.raw("add.u32 %r0, %r0, 1;\n.reg .u32 %own;\nmov.u32 %own, 1;")
        ptx.pragma("nounroll")
        ptx.inst.mov.u32(a, "pad")
        ptx.st(u32, ptx.addr("pad", 4), a, space="shared")

    text = text_of(body)
    for said in (".shared .align 16 .b8 pad[64];", "// BEGIN helper(%r0, width=4)\n\tadd.u32 %r0, %r0, 4;\n\t// END helper\n",
                 'pragma "nounroll";', "mov.u32 %own, 1;", "st.shared.u32 [pad+4], %r0;"):  # fmt: skip
        assert (
            said in text.replace("// END", "\t// END").replace("\t\t//", "\t//").replace("\n// BEGIN", "\n\t// BEGIN")
            or said in text
        )

    def located():
        ptx.file_(1, "a.py")
        ptx.loc(1, 40)

    assert '.file 1 "a.py"' in text_of(located) and ".loc 1 40 0" in text_of(located)


def test_parameters():
    def body():
        ptx.param(u32, "n")
        ptx.param(u64, "map")

    raw = [("u32", "n"), ("b8.align64.array128", "map"), ("u64.ptr.global.palign16", "p")]
    text = text_of(body, raw_params=raw)
    for said in (".param .u32 n,", ".param .align 64 .b8 map[128],", ".param .u64 .ptr .global .align 16 p",
                 "ld.param.u32 %r0, [n];", "mov.u64 %rd0, map;"):  # fmt: skip
        assert said in text
    assert ".visible .entry made_" in text and "(\n\t.param .u32 n,\n" in text


def test_plain_calls():
    def body():
        a, b = reg.scalar(u32), reg.scalar(s32)
        d = reg.scalar(u64)
        ptx.add(u32, a, a, 1)
        ptx.mul(u32, d, a, 4, mode="wide")
        ptx.mad(s32, b, b, b, b, mode="lo")
        assert ptx.mad(a, 4, b).dtype == u32
        ptx.selp(u32, a, 1, 0, a == 0)
        ptx.setp("lt", s32, reg.scalar(pred), b, 3)
        ptx.cvt(s32, u32, b, a, sat=True)
        ptx.ld(u32, a, ptx.addr(d, 0), cache="cg")
        ptx.st(u32, ptx.addr(d, -4), a, space="generic")
        ptx.cvta.to_global(d)
        ptx.warp.reduce_sum(b, width=2)

    assert lines(body) == [
        "add.u32 %r0, %r0, 1;", "mul.wide.u32 %rd0, %r0, 4;", "mad.lo.s32 %r1, %r1, %r1, %r1;",
        "mad.lo.s32 %r2, %r0, 4, %r1;", "setp.eq.u32 %p0, %r0, 0;", "selp.u32 %r0, 1, 0, %p0;",
        "setp.lt.s32 %p1, %r1, 3;", "cvt.sat.s32.u32 %r1, %r0;", "ld.global.cg.u32 %r0, [%rd0+0];",
        "st.u32 [%rd0+-4], %r0;", "cvta.to.global.u64 %rd1, %rd0;", "mov.b32 %r3, %r1;",
        "shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;", "add.s32 %r1, %r1, %r4;",
    ]  # fmt: skip


REFUSED = {
    "a space": (ValueError, lambda a: ptx.ld(u32, a, a, space="register")),
    "a comparison": (ValueError, lambda a: ptx.setp("almost", u32, reg.scalar(pred), a, a)),
    "mad of numbers": (TypeError, lambda a: ptx.mad(1, 2, 3)),
    "a width": (ValueError, lambda a: ptx.warp.reduce_sum(a, width=5)),
    "64 bits": (TypeError, lambda a: ptx.warp.reduce_sum(reg.scalar(u64))),
    "no stages": (ValueError, lambda a: ptx.pipeline(0)),
    "no name": (AttributeError, lambda a: ptx.nothing),
    "an unknown instruction": (AveError, lambda a: ptx.inst.nothing.u32(a)),
    "a wrong modifier": (AveError, lambda a: ptx.inst.add.b17(a, a, a)),
    "a wrong operand": (PtxValidationError, lambda a: ptx.inst.add.f32(a, a, a)),
    "an undeclared name": (AveError, lambda a: ptx.inst.mov.u32(a, "nowhere")),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    kind, wrong = REFUSED[what]
    with pytest.raises(kind) as e:
        lines(lambda: wrong(reg.scalar(u32)))
    assert isinstance(e.value, AveError) and e.value.span is not None and e.value.span.file == __file__


def test_types_are_lax_where_ptxas_is():
    def body():
        r, f = reg.scalar(b32), reg.scalar(u32)
        ptx.inst.add.s32(r, f, 1)
        ptx.inst.add.u32(f, f, -8192)
        ptx.inst.st.shared.b32(ptx.addr(f), 0)
        ptx.inst.shfl.sync.bfly.b32(r, r, 1, 31, -1)

    assert len(lines(body)) == 4
