"""Launches with `check=("init",)`: values that nothing has written are found where they are used, and only there."""

import numpy as np
import pytest

from avelang.sim.ptx import Program
from sim.ptx.texts import kernel, memory

START = """mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %p0; .shared .align 16 .b32 box[64]; .local .align 16 .b32 own[4];
    mov.u32 %r2, box; mad.lo.u32 %r3, %r0, 4, %r2; setp.lt.u32 %q1, %r0, 16; mov.b16 %h1, 1;
    """
OUT = " st.global.u32 [%d0], %r9; ret;"
# What is right: nothing is used that is not written.
RIGHT = {
    "written in all lanes": "mov.u32 %r9, 1;",
    "written in the lanes that store": "@%q1 mov.u32 %r9, 1; @!%q1 ret;",
    "moved and not used": "mov.u32 %r8, %r20; add.u32 %r8, %r8, 1; mov.u32 %r9, 1;",
    "the side that is chosen": "selp.b32 %r9, 7, %r20, %q1; selp.b32 %r9, %r9, %r0, %q1;",
    "zero of itself": "xor.b32 %r9, %r20, %r20; sub.u32 %r10, %r21, %r21; add.u32 %r9, %r9, %r10;",
    "stored and not loaded": "st.shared.u32 [%r3], %r20; st.local.u32 [own], %r21; mov.u32 %r9, 1;",
    "both ways write": "@%q1 bra A; mov.u32 %r9, 1; bra B; A: mov.u32 %r9, 2; B:",
    "shared memory, then read": "st.shared.u32 [%r3], %r0; ld.shared.u32 %r9, [%r3];",
    "local memory, in parts": "st.local.u8 [own], 1; st.local.u8 [own+1], 1; st.local.u16 [own+2], %h1; ld.local.u16 %r9, [own];",
    "a lane that has it": "@%q1 mov.u32 %r9, 5; and.b32 %r8, %r0, 15; shfl.sync.idx.b32 %r9, %r9, %r8, 0x1f, -1;",
    "half of a vector": "st.shared.u32 [box], 3; bar.warp.sync -1; ld.shared.v2.u32 {%r9, %r10}, [box];",
    "half of a pair": "mov.b32 %r8, {%h1, %h15}; mov.b32 {%h2, _}, %r8; cvt.u32.u16 %r9, %h2;",
    "half of a pair, chosen, through memory": """mov.b32 %r8, {%h15, %h1}; selp.b32 %r8, %r8, 7, %q1; st.shared.b32 [%r3], %r8; ld.shared.b32 %r10, [%r3];
        shr.u32 %r9, %r10, 16;""",
    "half of a pair, over a way": "mov.b32 %r8, {%h1, %h15}; @%q1 bra A; mov.b32 %r8, 0; A: and.b32 %r9, %r8, 0xffff;",
    "pairs, side by side": """mov.b32 %r8, {%h15, %h1}; add.rn.f16x2 %r8, %r8, %r8; fma.rn.f16x2 %r8, %r8, %r0, %r8; prmt.b32 %r9, %r8, %r0, 0x3232;""",
    "half of a pair of a rounding": "cvt.rn.f16x2.f32 %r8, %f20, 0f3F800000; mov.b32 {%h2, _}, %r8; cvt.u32.u16 %r9, %h2;",
    "half of a wide one": "mov.b64 %d5, {%r20, %r0}; shl.b64 %d6, %d5, 16; shr.u64 %d6, %d6, 48; cvt.u32.u64 %r9, %d6; shfl.sync.idx.b32 %r9, %r9, 1, 0x1f, -1;",
    "bytes, one by one": """prmt.b32 %r9, %r0, %r20, 0x3340; bfi.b32 %r9, %r0, %r9, 8, 8; bfi.b32 %r9, %r0, %r9, 16, 16;""",
    "a byte that is cut out": "prmt.b32 %r8, %r20, %r0, 0x4000; bfe.u32 %r9, %r8, 24, 8; prmt.b32 %r10, %r8, 0, 0x7773; add.u32 %r9, %r9, %r10;",
    "conditions that others decide": """setp.lt.u32 %q2, %r20, 7; setp.ge.u32 %q3, %r0, 64; and.pred %q4, %q2, %q3; or.pred %q5, %q4, %q3; setp.lt.and.u32 %q2, %r20, 7, %q3;
        not.pred %q3, %q3; or.pred %q6, %q3, %q2; setp.lt.or.u32 %q7|%q8, %r20, 7, %q3; setp.lt.and.u32 %q2, %r20, 7, !%q3; @%q4 bra B; @!%q6 bra B; @%q5 bra B; @!%q7 bra B; @!%q8 bra B; @%q2 bra B;
        mov.u32 %r9, 1; B:""",
    "a byte of a vector, by a number": """and.b32 %r4, %r0, 3; shl.b32 %r4, %r4, 3; bfi.b32 %r8, %r0, %r20, %r4, 8; shr.u32 %r9, %r8, %r4; and.b32 %r9, %r9, 255;
        bfe.u32 %r10, %r8, %r4, 8; add.u32 %r9, %r9, %r10; shr.u32 %r5, %r4, 3; prmt.b32 %r10, %r8, 0, %r5; and.b32 %r10, %r10, 255; add.u32 %r9, %r9, %r10;""",
    "a byte of a vector, shifted by a number": """prmt.b32 %r8, %r0, %r20, 0x4404; and.b32 %r4, %r0, 8; shl.b32 %r9, %r8, %r4; and.b32 %r9, %r9, 0x0000; prmt.b32 %r8, %r20, %r0, 0x4400;
        add.u32 %r4, %r4, 16; shr.u32 %r9, %r8, %r4; cvt.u64.u32 %d5, %r8; shr.u64 %d5, %d5, %r4; shr.s32 %r10, %r8, %r4; add.u32 %r9, %r9, %r10; cvt.u32.u64 %r10, %d5; add.u32 %r9, %r9, %r10;""",
    "a byte through memory": "mov.b32 %r8, {%h1, %h15}; prmt.b32 %r8, %r8, %r20, 0x4441; st.shared.u8 [%r3], %r8; ld.shared.u8 %r9, [%r3];",
    "results of a predicate that holds": """setp.lt.u32 %q2, %r0, 64; @%q2 setp.lt.u32 %q3|%q4, %r0, 7; selp.b32 %r8, 1, 0, %q4;
        @%q2 shfl.sync.up.b32 %r9|%q5, %r0, 1, 0, -1; selp.b32 %r9, %r8, 0, %q5; @%q2 sub.cc.u32 %r10, %r20, %r20; subc.u32 %r10, %r0, 0; add.u32 %r9, %r9, %r10;""",
    "rows of a product that are not kept": """@%q1 mov.b32 %r10, 0; @%q1 mov.b32 %r11, 0; mov.b32 %r12, 0; mov.f32 %f1, 0f00000000;
        mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r10, %r11}, {%r12}, {%f1, %f1, %f1, %f1};
        @!%q1 ret; mov.b32 %r9, %f2;""",
}  # fmt: skip
WRONG = {"written in some lanes": ("@%q1 mov.u32 %r9, 1;", "st.global"), "never written": ("", "st.global"),
    "one way writes": ("@%q1 bra B; mov.u32 %r9, 1; B:", "st.global"),
    "what comes of it": ("add.u32 %r9, %r20, 1; shl.b32 %r9, %r9, 3;", "st.global"),
    "the other side": ("selp.b32 %r9, 7, %r20, %q1;", "st.global"),
    "shared memory": ("ld.shared.u32 %r9, [%r3];", "st.global"),
    "shared memory of others": ("@%q1 st.shared.u32 [%r3], 1; bar.warp.sync -1; ld.shared.u32 %r9, [%r3];",
    "st.global"), "a byte of a word": ("st.shared.u16 [%r3], %h1; st.shared.u8 [%r3+2], 0; ld.shared.u32 %r9, [%r3];",
    "st.global"), "through memory": ("st.shared.u32 [%r3], %r20; ld.shared.u32 %r9, [%r3];", "st.global"),
    "local memory": ("st.local.u32 [own], 1; ld.local.u32 %r9, [own+4];", "st.global"),
    "a branch": ("setp.eq.u32 %q3, %r20, 0; @%q3 bra B; B: mov.u32 %r9, 1;", "@%q3 bra"),
    "an address": ("cvt.u64.u32 %d3, %r20; mul.lo.u64 %d3, %d3, 0; add.u64 %d3, %d3, %p0; ld.global.u32 %r9, [%d3];",
    "ld.global"), "a condition of a store": ("mov.u32 %r9, 1; @%q9 st.global.u32 [%d0], %r9;", "@%q9 st"),
    "counters in shared memory": ("atom.shared.add.u32 %r9, [%r3], 1;", "atom.shared"),
    "a lane that has it not": ("@%q1 mov.u32 %r9, 5; xor.b32 %r8, %r0, 16; shfl.sync.idx.b32 %r9, %r9, %r8, 0x1f, -1;",
    "st.global"), "a vote": ("setp.eq.u32 %q3, %r20, 0; vote.sync.ballot.b32 %r9, %q3, -1;", "st.global"),
    "the other half": ("mov.b32 %r8, {%h1, %h15}; mov.b32 {_, %h2}, %r8; cvt.u32.u16 %r9, %h2;", "st.global"),
    "half that comes along": ("mov.b32 %r8, {%h1, %h15}; add.u32 %r9, %r8, 1;", "st.global"),
    "half of a pair, over a way": ("mov.b32 %r8, {%h15, %h1}; @%q1 bra A; mov.b32 %r8, 0; A: and.b32 %r9, %r8, 0xffff;",
    "st.global"), "half by a shift of some bits": ("mov.b32 %r8, {%h1, %h15}; shr.u32 %r9, %r8, 1;", "st.global"),
    "half of a pair in memory": ("mov.b32 %r8, {%h15, %h1}; st.shared.b32 [%r3], %r8; ld.shared.u16 %r9, [%r3];",
    "st.global"), "a pair side by side": ("mov.b32 %r8, {%h1, %h15}; add.rn.f16x2 %r8, %r0, %r8; prmt.b32 %r9, %r8, "
    "%r0, 0x3232;", "st.global"),
    "the other byte": ("prmt.b32 %r8, %r20, %r0, 0x4000; bfe.u32 %r9, %r8, 16, 8;", "st.global"),
    "a byte that is left": ("prmt.b32 %r9, %r0, %r20, 0x3340; bfi.b32 %r9, %r0, %r9, 8, 7;", "st.global"),
    "a condition that the other leaves open": ("setp.lt.u32 %q2, %r20, 7; setp.lt.u32 %q3, %r0, 64; and.pred %q4, %q2, %q3; @%q4 bra B; B: mov.u32 %r9, 1;", "@%q4 bra"),
    "a condition of two unknown ones": ("setp.lt.u32 %q2, %r20, 7; setp.lt.u32 %q3, %r21, 64; or.pred %q4, %q2, %q3; @%q4 bra B; B: mov.u32 %r9, 1;", "@%q4 bra"),
    "a comparison and what leaves it open": ("setp.lt.u32 %q3, %r0, 64; setp.lt.and.u32 %q4, %r20, 7, %q3; @%q4 bra B; B: mov.u32 %r9, 1;", "@%q4 bra"),
    "a comparison and an unknown one": ("setp.lt.u32 %q3, %r20, 64; setp.lt.or.u32 %q4, %r0, 7, %q3; @%q4 bra B; B: mov.u32 %r9, 1;", "@%q4 bra"),
    "another byte, by a number": ("and.b32 %r4, %r0, 3; shl.b32 %r4, %r4, 3; bfi.b32 %r8, %r0, %r20, %r4, 8; xor.b32 %r4, %r4, 8; shr.u32 %r9, %r8, %r4; and.b32 %r9, %r9, 255;", "st.global"),
    "the byte beside it": ("and.b32 %r4, %r0, 3; shl.b32 %r4, %r4, 3; bfi.b32 %r8, %r0, %r20, %r4, 8; bfe.u32 %r9, %r8, %r4, 9;", "st.global"),
    "a byte that a field leaves": ("and.b32 %r4, %r0, 16; bfi.b32 %r9, %r0, %r20, %r4, 16;", "st.global"),
    "a byte by an unknown number": ("shr.u32 %r9, %r0, %r20;", "st.global"),
    "a byte of another, by a number": ("prmt.b32 %r9, %r0, %r20, %r0;", "st.global"),
    "the sign of a byte": ("prmt.b32 %r8, %r0, %r20, 0x3340; bfe.s32 %r9, %r8, 0, 12; and.b32 %r9, %r9, 0xff0000;", "st.global"),
    "a second result in some lanes": ("@%q1 setp.lt.u32 %q3|%q4, %r0, 7; selp.b32 %r9, 1, 0, %q4;", "st.global"),
    "a row of a product": (RIGHT["rows of a product that are not kept"].replace("@!%q1 ret;", ""), "st.global")}


def found(body: str) -> list:
    x, program = np.zeros(32, np.uint32), Program(kernel(START + body + OUT))
    return program.launch([x.ctypes.data], (1, 1, 1), (32, 1, 1), memory=memory(x), check=("init",),
        report="collect").reports


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_not_used(name):
    assert not [e.message for e in found(RIGHT[name])]


@pytest.mark.parametrize("name", WRONG)
def test_what_is_used(name):
    body, where = WRONG[name]
    reports = found(body)
    assert reports and all(e.code == "X051" for e in reports), name
    assert any(f"`{where}" in e.message for e in reports), [e.message for e in reports]
