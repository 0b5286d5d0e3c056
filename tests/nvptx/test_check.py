"""Errors of single instructions: each says what is wrong where, and what would do."""

from __future__ import annotations

import pytest

from avelang.base.spans import Span
from avelang.nvptx.check import PtxTarget, check
from avelang.nvptx.parse import parse_body

TYPES = {"%r": "b32", "%rd": "b64", "%f": "f32", "%fd": "f64", "%p": "pred", "%rs": "b16", "%h": "f16", "%v": "v4.f32",
    "%u": "u32"}


def types(name: str) -> str | None:
    return TYPES.get(name.rstrip("0123456789"))


def checked(text: str, chip: str = "sm_90a", version: tuple[int, int] = (8, 7)):
    (x,) = parse_body(text)
    return check(x, PtxTarget(chip, version), types)


@pytest.mark.parametrize(
    "text",
    [
        "add.s32 %r1, %r2, -5;", "add.f32 %f1, %f2, 0f3F800000;", "mov.u32 %r1, %tid.x;", "mov.u64 %rd1, table+8;", "mov.b64 {%r1, %r2}, %rd1;",
        "mov.f32 %f1, %v1.x;", "ld.global.v4.f32 %v1, [%rd1];", "ld.shared.u8 %r1, [%r2+4];", "ld.param.b64 %rd1, [k_param_0];", "ld.local.b32 %r1, [1024];", "add.s32.sat %r1, %r2, %r3;", "ld.global.b32 {%r1}, [%rd1];", "st.global.volatile.b32 [%rd1], {%r1};",
        "setp.eq.s32 %p1|%p2, %r1, %r2;", "setp.lt.and.f32 %p1, %f1, %f2, !%p2;", "@%p1 bra $L1;", "selp.b32 %r1, %r2, 0, %p1;",
        "st.global.b32 [%rd1], %f1;", "cvt.u32.u16 %r1, %rs1;", "cvt.rn.f16.f32 %h1, %f1;", "add.f16 %rs1, %rs2, %rs3;", "and.pred %p1, %p2, !%p3;",
        "atom.global.add.u32 _, [%rd1], %r1;", "atom.global.gpu.acq_rel.cas.b32 %r1, [%rd1], %r2, %r3;", "bar.sync 0;", "barrier.sync 1, 128;",
        "call.uni (retval0), f, (param0, 3);", "call f;", "call (retval0), %rd1, (param0), prototype_0;", "vote.sync.ballot.b32 %r1, 1, -1;",
        "mbarrier.arrive.shared::cta.b64 _, [%r1];", "wgmma.wait_group.sync.aligned 0;", "elect.sync _|%p1, -1;", "mov.u32 %r1, WARP_SZ;",
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], [%r3];", "mov.pred %p1, 1;",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [texture, {%f5, %f6}];", "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, sampler, {%r1}];",
    ],
)  # fmt: skip
def test_right(text):
    assert checked(text) is None


@pytest.mark.parametrize(
    ("text", "code", "message", "hint"),
    [
        ("ad.s32 %r1, %r2, %r3;", "S202", "no instruction `ad`", "mad"),
        ("add.sta.s32 %r1, %r2, %r3;", "S203", "`.sta` does not stand there", "did you mean .sat?"),
        ("add.s32.rn %r1, %r2, %r3;", "S203", "`.rn` does not stand there", "behind `add.s32` can stand nothing more"),
        ("mul.u16.hi %rs1, %rs2, %rs3;", "S203", "`.u16` does not stand there", ""),  # `hi` belongs to the name
        ("add.s32 %r1, {%r2}, %r3;", "T202", "a list in braces", ""), ("and.b32 _, %r2, %r3;", "T202", "nothing would keep the result", ""),
        ("bar.sync 77;", "S208", "operand 1 is 77, and must be the number of a barrier, 0 to 15", ""),
        ("bar.sync 1, 33;", "S208", "operand 2 is 33, and must be a number of threads: a multiple of 32", ""),
        ("mov.u32 %r1, %tid;", "T202", "a vector of four", ""), ("ld.global.b32 %r1, [16];", "T202", "only .local has addresses", ""),
        ("mul.lo %r1, %r2, %r3;", "S203", "something is missing at its end", ".s32"),
        ("ld.gobal.b32 %r1, [%rd1];", "S203", "`.gobal`", ".global"),
        ("mma.sync.aligned.m16n8k17.row.col.f32.f16.f16.f32 %r1;", "S203", "`.m16n8k17`", ".m16n8k16"),
        ("cvt.f16.f32 %h1, %f1;", "S204", "a rounding stands where the result may be inexact", ""),
        ("cvt.rn.f32.f16 %f1, %h1;", "S204", "nowhere else", ""),
        ("ld.global.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%rd5];", "U206", "ld.global.v4.b64 does not exist on sm_90a", "sm_100 and newer"),
        ("ld.shared.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%r5];", "S204", "a vector has 128 bits at most", ""),
        ("add.s32 %r1, %r2;", "T201", "takes 3 operands, not 2", "a register of .s32, a register or a constant"),
        ("add.s32 %rd1, %r2, %r3;", "T202", "operand 1, `%rd1`, is wrong: it is of .b64", "a register of .s32"),
        ("add.f32 %f1, %u1, %f2;", "T202", "operand 2, `%u1`, is wrong: it is of .u32", ""),
        ("add.s32 5, %r2, %r3;", "T202", "operand 1, `5`, is wrong: a constant", "a register of .s32"),
        ("add.f32 %f1, %f2, 1;", "T202", "an integer constant for .f32", ""),
        ("add.s32 %r1, %r2, 0f3F800000;", "T202", "a floating-point constant for .s32", ""),
        ("ld.global.b32 %r1, %rd1;", "T202", "operand 2, `%rd1`, is wrong: no address in brackets", "memory of .global"),
        ("ld.global.b32 %r1, [%f1];", "T202", "an address in a register of .f32", ""),
        ("mov.u32 %tid.x, %r1;", "T202", "a special register, which can only be read", ""),
        ("add.s32 %r1, %r2, somewhere;", "T202", "a name that is no register", ""),
        ("cp.async.cg.shared.global [%r1], [%rd1], 8;", "T202", "another constant", "the constant 16"),
        ("ld.global.v2.b32 {%r1, %r2, %r3}, [%rd1];", "T202", "3 in braces", "2 registers of .b32"),
        ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%u1,%u2,%u3,%u4};", "T202",
         "operand 4", "4 registers of .f32"),
        ("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], [%r3];", "T202", "not 2 coordinates", ""),
        ("elect.sync %r1, -1;", "T202", "a predicate behind a bar is missing", ""),
        ("add.s32 %r1|%p1, %r2, %r3;", "T202", "no second destination", ""),
        ("selp.b32 %r1, %r2, %r3, %r4;", "T202", "it is of .b32", "a predicate"),
        ("add.s32 %r1, !%p1, %r2;", "T202", "a negated predicate", ""),
        ("mov.u32 %r1, _;", "T202", "nothing can be read from `_`", ""),
        ("bra 5;", "T202", "no name", "a label"),
        ("call (retval0);", "T203", "no function", ""),
        ("call (retval0), %rd1, (param0);", "T203", "needs a .callprototype", ""),
        ("tcgen05.wait::ld.sync.aligned;", "U206", "does not exist on sm_90a", "sm_101a, sm_100a, sm_103a, sm_110a, and their family targets"),
        ("add.f32x2 %rd1, %rd2, %rd3;", "U206", "add.f32x2 does not exist", "sm_100 and newer"),
    ],
)  # fmt: skip
def test_wrong(text, code, message, hint):
    exc = checked(text)
    assert exc is not None
    assert (exc.code, message in exc.message, hint in exc.hint) == (code, True, True), exc


def test_targets():
    wgmma = "wgmma.fence.sync.aligned;"
    assert checked(wgmma, "sm_90").code == "U206" and checked(wgmma,
        "sm_100a").code == "U206" and checked(wgmma) is None
    assert checked("redux.sync.add.s32 %r1, %r2, -1;", "sm_75").code == "U206"
    old = checked("fence.proxy.async;", "sm_90", (7, 8))
    assert old.code == "U207" and "needs PTX 8.0, and the text says .version 7.8" in old.message
    # The f targets are families, the a targets stand alone; sm_101 is sm_110 under its first name.
    alloc = "tcgen05.alloc.cta_group::1.sync.aligned.b32 [%r1], 32;"
    has = [c for c in ("sm_100", "sm_100a", "sm_100f", "sm_101a", "sm_103a", "sm_103f", "sm_110a", "sm_120a")
        if checked(alloc, c) is None]
    assert has == ["sm_100a", "sm_100f", "sm_101a", "sm_103a", "sm_103f", "sm_110a"]


def test_places():
    (x,) = parse_body("add.s32 %r1, %rd2, %r3;")
    asked: list[int] = []

    def where(i: int) -> Span:
        asked.append(i)
        return Span("here.py", 7, 3)

    exc = check(x, None, types, where)
    assert exc.code == "T202" and exc.span == Span("here.py", 7, 3) and asked == [1]
    assert check(x, None, None) is None  # nothing is known of registers
    assert x.columns == (9, 14, 20)
