"""Addresses of 32 bits: modules of `.address_size 32`, and 32-bit registers that hold addresses in wide modules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avelang.base.errors import AveError
from avelang.sim.ptx import Program
from sim.ptx.texts import kernel, memory


def narrow(body: str, params: int = 2, outside: str = "") -> str:
    """A module with addresses of 32 bits; %p0, %p1, ... are its parameters, %r0 is %tid.x."""
    names = ", ".join(f".param .u32 p{k}" for k in range(params))
    loads = "\n".join(f".reg .b32 %p{k}; ld.param.u32 %p{k}, [p{k}];" for k in range(params))
    return f"""
.version 7.0
.target sm_80
.address_size 32
{outside}
.visible .entry k({names})
{{
.reg .pred %q<9>; .reg .b32 %r<30>; .reg .b64 %d<9>; .reg .f32 %f<9>;
{loads}
mov.u32 %r0, %tid.x; mul.lo.u32 %r20, %r0, 4; add.u32 %r21, %r20, %p0;
{body}
ret;
}}
"""


def ran(body: str, *args, outside: str = "", block: int = 32, check=(), **more) -> None:
    values = [a.ctypes.data if isinstance(a, np.ndarray) else a for a in args]
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    Program(narrow(body, len(args), outside)).launch(values, (1, 1, 1), (block, 1, 1), memory=memory(*arrays), check=check,
        **more)  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(n=st.integers(1, 64), by=st.floats(-8, 8, width=16), cut=st.integers(0, 7))
def test_arrays_wherever_they_lie(n, by, cut):
    """Views of one array, also such that overlap: what is written comes back, and nothing else."""
    whole = np.arange(n + 16, dtype=np.float32)
    x, out = whole[cut : cut + n], np.full(n, -1, np.float32)
    body = f"""setp.ge.u32 %q0, %r0, {n}; @%q0 ret; ld.global.f32 %f0, [%r21]; mov.f32 %f1, {by:.4f}; mul.f32 %f0, %f0, %f1;
        add.u32 %r1, %r20, %p1; st.global.f32 [%r1], %f0; ld.global.f32 %f2, [%p2+{4 * cut}];"""
    before = whole.copy()
    ran(body.replace(f"{by:.4f}", f"0f{np.float32(by).view(np.uint32):08X}"), x, out, whole, block=64)
    assert (out == x * np.float32(by)).all() and (whole == before).all()


def test_a_null_pointer_and_plain_numbers_stay_what_they_are():
    out = np.zeros(32, np.uint32)
    ran("st.global.u32 [%r21], %p1;", out, 12345)
    assert (out == 12345).all()
    with pytest.raises(AveError, match="X032"):
        ran("ld.global.u32 %r1, [%p1]; st.global.u32 [%r21], %r1;", out, 0)


@pytest.mark.parametrize("check", [(), ("races", "init")])
def test_generic_addresses_of_all_spaces(check):
    """Each lane reads the same instruction from shared, local, const or global memory."""
    out, x = np.zeros(32, np.uint32), np.arange(32, dtype=np.uint32) + 300
    outside = ".const .u32 table[4] = {11, 12, 13, 14}; .shared .u32 s[32]; .global .u32 place = table;"
    body = """
    .local .u32 l[2]; add.u32 %r1, %r0, 100; mov.u32 %r2, s; add.u32 %r3, %r2, %r20; st.shared.u32 [%r3], %r1; bar.sync 0;
    add.u32 %r4, %r0, 200; st.local.u32 [l+4], %r4;
    cvta.shared.u32 %r5, %r3; mov.u32 %r6, l; add.u32 %r6, %r6, 4; cvta.local.u32 %r6, %r6;
    and.b32 %r7, %r0, 3; mul.lo.u32 %r8, %r7, 4; ld.global.u32 %r9, [place]; add.u32 %r9, %r9, %r8; cvta.const.u32 %r9, %r9;
    add.u32 %r10, %p1, %r20; cvta.global.u32 %r10, %r10;
    setp.eq.u32 %q0, %r7, 0; selp.b32 %r11, %r5, %r6, %q0; setp.eq.u32 %q1, %r7, 2; selp.b32 %r11, %r9, %r11, %q1;
    setp.eq.u32 %q2, %r7, 3; selp.b32 %r11, %r10, %r11, %q2; ld.u32 %r12, [%r11];
    isspacep.shared %q3, %r11; isspacep.local %q4, %r11; isspacep.global %q5, %r11; selp.u32 %r13, 1000, 0, %q3; selp.u32 %r14, 2000, 0, %q4;
    add.u32 %r12, %r12, %r13; add.u32 %r12, %r12, %r14; selp.u32 %r15, 4000, 0, %q5; add.u32 %r12, %r12, %r15;
    st.global.u32 [%r21], %r12; cvta.to.shared.u32 %r16, %r5; setp.ne.u32 %q6, %r16, %r3; @%q6 trap;"""
    ran(body, out, x, outside=outside, check=check)
    t = np.arange(32)
    want = np.choose(t % 4, [1100 + t, 2200 + t, 4011 + t % 4, 4300 + t])
    assert (out == want).all()


def test_variables_stay_from_launch_to_launch():
    out = np.zeros(1, np.uint32)
    program = Program(narrow("atom.global.add.u32 %r1, [count], 1; st.global.u32 [%p0], %r1;", 1, ".global .u32 count = 5;"))
    for want in (5, 6, 7):
        program.launch([out.ctypes.data], (1, 1, 1), (1, 1, 1), memory=memory(out))
        assert out[0] == want


def test_copies_calls_and_matrices(capsys):
    """cp.async, ldmatrix, calls by address, and vprintf."""
    out, x = np.zeros(64, np.uint32), np.arange(64, dtype=np.uint32)
    outside = """.shared .align 16 .b8 s[1024]; .global .align 1 .b8 form[7] = {37, 100, 33, 37, 117, 10, 0};
    .extern .func (.param .b32 r) vprintf (.param .b32 a, .param .b32 b);
    .func (.reg .u32 y) double(.reg .u32 x) { add.u32 y, x, x; ret; }"""
    body = """
    .local .align 8 .b8 buf[8]; mul.lo.u32 %r1, %r0, 8; add.u32 %r2, %p1, %r1; mov.u32 %r3, s; add.u32 %r4, %r3, %r1;
    cp.async.ca.shared.global [%r4], [%r2], 8; cp.async.wait_all; bar.sync 0; mul.lo.u32 %r5, %r0, 16; and.b32 %r5, %r5, 127; add.u32 %r5, %r3, %r5;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r5]; cvta.shared.u32 %r7, %r5; ldmatrix.sync.aligned.m8n8.x1.b16 {%r8}, [%r7];
    setp.ne.u32 %q0, %r6, %r8; @%q0 trap; mov.u32 %r9, double; call (%r10), %r9, (%r6), proto; st.global.u32 [%r21], %r10;
    proto: .callprototype (.reg .u32 _) _ (.reg .u32 _);
    setp.ne.u32 %q1, %r0, 0; @%q1 ret; mov.u32 %r11, 7; st.local.u32 [buf], %r11; st.local.u32 [buf+4], %r11; mov.u32 %r12, buf; cvta.local.u32 %r12, %r12;
    mov.u32 %r13, form; cvta.global.u32 %r13, %r13; { .param .b32 a; st.param.b32 [a], %r13; .param .b32 b; st.param.b32 [b], %r12; .param .b32 c;
    call (c), vprintf, (a, b); }"""
    ran(body, out, x, outside=outside)
    assert (out[:32] == 2 * x[:32]).all() and capsys.readouterr().out == "7!7\n"


def test_what_is_wrong_is_said_of_the_arrays():
    out = np.zeros(16, np.uint32)
    with pytest.raises(AveError, match=r"X032.*array 0.*of 64 bytes"):
        ran("st.global.u32 [%r21], %r0;", out)
    with pytest.raises(AveError, match="X040"):
        ran("st.global.u32 [%p0], 1;", out, block=64, check=("races",))
    with pytest.raises(AveError, match=r"X036.*one GPU"):
        Program(narrow("", 1)).launch_peers([[0], [0]], (1, 1, 1), (32, 1, 1))


def test_const_and_parameters_by_32_bits_in_a_wide_module():
    """`mov.u32` of their address, as nvcc writes for small tables; ptxas 13.5 assembles it."""
    out = np.zeros(32, np.uint32)
    text = kernel("""mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %p0; and.b32 %r1, %r0, 3; mul.lo.u32 %r1, %r1, 4;
        mov.u32 %r2, table; add.u32 %r2, %r2, %r1; ld.const.u32 %r3, [%r2+4]; mov.u32 %r4, p1; ld.param.u32 %r5, [%r4]; add.u32 %r3, %r3, %r5;
        st.global.u32 [%d0], %r3; ret;""", 2, "sm_80", ".const .u32 table[5] = {0, 10, 20, 30, 40};")  # fmt: skip
    Program(text).launch([out.ctypes.data, 7], (1, 1, 1), (32, 1, 1), memory=memory(out))
    assert (out == (np.arange(32) % 4 + 1) * 10 + 7).all()
