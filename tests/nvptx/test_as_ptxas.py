"""What ptxas refuses, and what it takes beyond the manual: the linter says the same, and so does the instruction level at
the user's line."""

from __future__ import annotations

import subprocess

import pytest

from avelang.base.errors import AveError
from avelang.nvptx.lint import WARNINGS, lint
from avelang.ptx import kernel, ptx, reg
from avelang.ptx import types as t
from nvptx.assembler import need_ptxas, tool

MODULE = """.version 8.5
.target {target}
.address_size {size}
.global .align 64 .b8 G[128];
.const .align 64 .b8 C[128];
.visible .entry k(.param .u64 o)
{{
    .shared .align 128 .b8 S[1024];
    .shared .align 8 .b64 B;
    .reg .b32 r<20>;
    .reg .u32 u<9>;
    .reg .s32 s<9>;
    .reg .b64 d<9>;
    .reg .f32 f<20>;
    .reg .f16x2 h<9>;
    .reg .pred p<4>;
    .reg .v4 .u32 v, w;
    .reg .v2 .f64 x, y;
    .reg .b32 {family};
    {text}
    ret;
}}
"""


def both(text: str, target: str = "sm_90a", family: str = "q<3>") -> tuple[list[AveError], str]:
    """(what the linter finds, what ptxas says)."""
    module = MODULE.format(text=text, target=target, size=64, family=family)
    done = subprocess.run([tool(), f"-arch={target}", "-O0", "-o", "/dev/null", "-"], input=module, capture_output=True,
                          text=True, timeout=100, check=False)  # fmt: skip
    said = [e for e in lint(module) if e.code not in WARNINGS]
    return said, "" if done.returncode == 0 else done.stderr + done.stdout


HALF, TF32, BF16, INT8 = (f"mma.sync.aligned.{x} " for x in (
    "m16n8k16.row.col.f32.f16.f16.f32", "m16n8k8.row.col.f32.tf32.tf32.f32", "m16n8k16.row.col.f32.bf16.bf16.f32",
    "m8n8k16.row.col.s32.s8.s8.s32"))  # fmt: skip
D, A = "{f0, f1, f2, f3}, ", "{%s0, %s1, %s2, %s3}, {%s4, %s5}, {f0, f1, f2, f3};"
LOAD = "wmma.load.a.sync.aligned.row.m16n16k8.shared.tf32 {%s0, %s1, %s2, %s3}, [r9], r8;"
STORE = "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [r9], {%s0, %s1, %s2, %s3}, r8;"
WGMMA = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {f0, f1, f2, f3}, {%s0, %s1, %s2, %s3}, d0, p0, 1, 1, 0;"


def of(text: str, kind: str) -> str:
    return text.replace("%s", kind)


REFUSED = [
    *(of(name + D + A, kind) for name in (HALF, TF32, BF16) for kind in "fus"), of(TF32 + D + A, "h"), of(BF16 + D + A, "h"),
    *(f"{INT8}{{s0, s1}}, {{{kind}0}}, {{r1}}, {{s2, s3}};" for kind in "f"), of(LOAD, "f"), of(LOAD, "u"), of(STORE, "f"),
    of(WGMMA, "f"), of(WGMMA, "u"),
    "ld.global.b32 r0, [u0];", "ld.b32 r0, [r1];", "st.global.f32 [u0+4], f0;", "st.v2.f32 [r0], {f0, f1};",
    "ld.global.nc.b32 r0, [r1];", "ldu.global.b32 r0, [r1];", "atom.add.u32 u0, [u1], u2;", "atom.global.add.u32 _, [s1], u2;",
    "red.global.add.u32 [u1], u2;", "mbarrier.init.b64 [r0], 1;", "mbarrier.arrive.b64 d0, [r0];",
    "mbarrier.try_wait.parity.b64 p0, [u0], 0;", "discard.global.L2 [r0], 128;", "applypriority.L2::evict_normal [r0], 128;",
    "prefetch.global.L1 [r0];", "prefetchu.L1 [r0];", "multimem.red.add.u32 [u0], u1;",
    *(f"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [S], [{m}, {{r0, r1}}], [B];"
      for m in ("S", "C", "o")), "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [S, {r0, r1}], [S];",
    "prefetch.tensormap [C];", "prefetch.const.tensormap [G];", "prefetch.param.tensormap [S];",
    "div.f32.full f0, f1, f2;", "div.ftz.full.f32 f0, f1, f2;", "add.u32 r2, r0.b0, r1;", "vadd.u32.u32.u32 r2, r0.b4, r1;",
    "vadd.u32.u32.u32 r2.b0, r0, r1;", "vadd.u32.u32.u32.add r2.b1, r0.h1, r1, r3;", "mov.v4.u32 v, x;",
    "createpolicy.fractional.L2::evict_last.b64 d0, 1;",
]  # fmt: skip
TAKEN = [
    *(of(name + D + A, "r") for name in (HALF, TF32, BF16)), of(HALF + D + A, "h"), of(LOAD, "r"), of(STORE, "r"),
    of(STORE, "h"), of(WGMMA, "r"), of(WGMMA, "h"),
    *(f"{INT8}{{s0, s1}}, {{{kind}0}}, {{r1}}, {{s2, s3}};" for kind in "us"),
    # ptxas is not as strict with newer shapes
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {s0, s1, s2, s3}, {f0, f1, f2, f3}, {f4, f5}, {s0, s1, s2, s3};",
    "ld.global.b32 r0, [d0];", "ld.b32 r0, [d0];", "ld.shared.b32 r0, [u0];", "ld.const.b32 r0, [u0];",
    "st.shared::cluster.b32 [u0], r0;", "atom.shared.add.u32 u0, [u1], u2;", "mbarrier.init.shared.b64 [r0], 1;",
    "mbarrier.arrive.shared::cta.b64 d0, [r0];", "prefetch.tensormap [r0];", "prefetch.tensormap [S];",
    "prefetch.const.tensormap [C];", "prefetch.param.tensormap [o];", "createpolicy.range.L2::evict_last.b64 d0, [u0], u1, u2;",
    *(f"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [S], [{m}, {{r0, r1}}], [B];"
      for m in ("G", "d0")), "div.full.f32.ftz f0, f1, f2;", "div.full.f32 f0, f1, f2;", "div.f32.rn f0, f1, f2;",
    "createpolicy.fractional.L2::evict_last.b64 d0, f0;", "createpolicy.fractional.L2::evict_last.b64 d0, 0f3F000000;",
    "vadd.s32.u32.s32.sat r2, r0.b3, r1.b0;", "vadd.s32.u32.s32 r2.b0, r0.b3, r1.h0, r3;", "vmad.u32.u32.u32 r2, r0.b1, r1.h0, r3;",
    "vadd2.u32.u32.u32 r2.h10, r0.h10, r1.h32, r3;", "vadd4.u32.u32.u32 r2.b0, r0.b3210, r1.b7654, r3;",
    "vset.u32.u32.lt r2, r0.b1, r1.h0;", "mov.v4.u32 v, %ntid;", "mov.v4.u32 v, w;", "mov.v2.f64 x, y;",
    "mov.v4.b32 v, {r0, r1, r2, r3};",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    need_ptxas()
    said, why = both(text)
    assert why, "ptxas takes it"
    assert said and {e.code for e in said} <= {"T202", "S203", "S204", "S206"}, [str(e) for e in said]


@pytest.mark.parametrize("text", TAKEN)
def test_taken(text):
    need_ptxas()
    said, why = both(text)
    assert not why and [str(e) for e in said] == []


@pytest.mark.parametrize(
    ("family", "use", "fine"),
    [("%in_0<2>", "%in_00", False), ("%in_0<2>", "%in_01", False), ("%r1<12>", "%r111", False), ("%in_a<2>", "%in_a1", True),
     ("%r1_<12>", "%r1_11", True), ("%in_00, %in_01", "%in_01", True), ("%r1<3>, %r<12>", "%r11", True)],
)  # fmt: skip
def test_families_whose_names_end_in_a_digit(family, use, fine):
    need_ptxas()
    said, why = both(f"mov.b32 {use}, 1;", family=family)
    assert (not why) == fine == (said == [])
    assert fine or (said[0].code == "S206" and "ends in a digit" in said[0].hint)


def test_addresses_of_32_bits_where_the_module_has_them():
    text = MODULE.format(text="ld.global.b32 r0, [r1];", target="sm_80", size=32, family="q<3>")
    assert [e for e in lint(text) if e.code == "T202"] == []


# -- the same at the instruction level -----------------------------------------------------------------------------------


def refused(body) -> AveError:
    with pytest.raises(AveError) as caught:
        kernel(grid=1, block=32, arch="sm_90a")(body).ptx()
    assert caught.value.span is not None and caught.value.span.file == __file__
    return caught.value


def test_fragments():
    def of_floats():
        a, b, c = (reg.array(t.f32, n) for n in (4, 2, 4))
        ptx.mma.sync(shape=(16, 8, 8), dtype_a=t.tf32, dtype_b=t.tf32, dtype_d=t.f32, d=c, a=a, b=b, c=c)

    def of_words():
        a, b, c = reg.array(t.b32, 4), reg.array(t.b32, 2), reg.array(t.f32, 4)
        ptx.mma.sync(shape=(16, 8, 8), dtype_a=t.tf32, dtype_b=t.tf32, dtype_d=t.f32, d=c, a=a, b=b, c=c)

    e = refused(of_floats)
    assert e.code == "T202" and "is of .f32" in e.message and ".b32" in e.hint
    assert "mma.sync" in kernel(grid=1, block=32, arch="sm_90a")(of_words).ptx()


def test_short_addresses_and_registers_that_are_not_there():
    def short():
        ptx.inst.ld.global_.f32(reg.scalar(t.f32), ptx.addr(reg.scalar(t.u32, 0)))

    def named():
        ptx.inst.add.u32(reg.scalar(t.u32), ptx.operand("%r77"), 1)

    def guarded():
        ptx.raw(".reg .pred q;")
        ptx.inst.ret(pred=reg.pred())  # this one is fine
        with ptx.scope():
            p = reg.declare(t.pred, "inside")
        ptx.inst.ret(pred=p)

    def ended():
        with ptx.scope():
            r = reg.declare(t.b32, "inside")
            ptx.inst.mov.b32(r, 1)
        ptx.inst.add.u32(r, r, 1)

    assert "an address of 32 bits in .global memory" in refused(short).message
    e = refused(named)
    assert e.code == "S206" and "%r77" in e.message and "reg.declare" in e.hint
    assert refused(ended).code == "S206" and "has ended" in refused(ended).hint
    assert refused(guarded).code in ("S206", "T225")


def test_a_module_of_32_bits():
    module = ptx.module("sm_80", version=(8, 5), address_size=32)

    @module.entry([])
    def k():
        r = reg.declare(t.b32, "r")
        ptx.inst.mov.b32(r, 0)
        ptx.inst.ld.global_.b32(r, ptx.addr(r))
        ptx.inst.ret()

    assert "ld.global.b32 r, [r];" in module.ptx()
