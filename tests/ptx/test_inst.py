"""One call is one instruction: the names and operands that calls spell, and what the table of the instruction set says
of wrong ones, at the user's line."""

from __future__ import annotations

import pytest
from tests.ptx.programs import lines, made

from avelang.base.errors import AveError
from avelang.ptx import inst, ptx, reg
from avelang.ptx.types import b16, b32, b64, f16, f32, f64, pred, s32, u32, u64


def test_names_are_spelled_as_python_can():
    spelled = {
        "global_": "global", "and_": "and", "shared__cta": "shared::cta", "_2d": "2d", "async_": "async",
        "mbarrier__complete_tx__bytes": "mbarrier::complete_tx::bytes", "L2__128B": "L2::128B",
    }  # fmt: skip
    for python, ptx_part in spelled.items():
        assert inst.part(python) == ptx_part
    assert repr(ptx.inst.ld.global_.b32) == "<PTX instruction ld.global.b32>"


def test_one_call_is_one_instruction():
    def body():
        a, b, c = reg.array(u32, 3)
        ptx.inst.add.u32(a, b, c)
        ptx.inst.add.u32(a, b, 7)
        ptx.inst.add.u32(a, b, -7)
        ptx.inst["mul.lo.u32"](a, b, c)
        f = reg.array(f32, 4)
        p, q = reg.array(pred, 2)
        address = reg.scalar(u64)
        ptx.inst.ld.global_.v4.f32(f, ptx.addr(address, 16))
        ptx.inst.st.global_.v2.f32(ptx.addr(address, -8), f[:2])
        ptx.inst.setp.lt.and_.u32((p, q), a, b, ptx.not_(q))
        ptx.inst.mov.f32(f[0], 1.0)
        ptx.inst.add.f64(reg.scalar(f64), reg.scalar(f64), 1.0)
        ptx.inst.shfl.sync.bfly.b32((a, p), b, 1, 31, 0xFFFFFFFF)
        ptx.inst.elect.sync((None, p), 0xFFFFFFFF)
        ptx.inst.add.u32(a, a, 1, pred=p)
        ptx.inst.add.u32(a, a, 1, pred=ptx.not_(p))

    assert lines(body) == [
        "add.u32 %u0, %u1, %u2", "add.u32 %u0, %u1, 7", "add.u32 %u0, %u1, -7", "mul.lo.u32 %u0, %u1, %u2",
        "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%ud0+16]", "st.global.v2.f32 [%ud0+-8], {%f0, %f1}",
        "setp.lt.and.u32 %p0|%p1, %u0, %u1, !%p1",
        "mov.f32 %f0, 0f3F800000", "add.f64 %fd0, %fd1, 0d3FF0000000000000",
        "shfl.sync.bfly.b32 %u0|%p0, %u1, 1, 31, 4294967295",
        "elect.sync _|%p0, 4294967295", "@%p0 add.u32 %u0, %u0, 1", "@!%p0 add.u32 %u0, %u0, 1",
    ]  # fmt: skip


def refused(body, arch: str = "sm_80") -> AveError:
    with pytest.raises(AveError) as caught:
        made(body, arch).ptx()
    return caught.value


WRONG = {
    "S202": lambda: ptx.inst.addd.u32(reg.scalar(u32), 1, 2),  # here
    "S203": lambda: ptx.inst.add.globl.u32(reg.scalar(u32), 1, 2),  # here
    "T201": lambda: ptx.inst.add.u32(reg.scalar(u32), reg.scalar(u32)),  # here
    "T202": lambda: ptx.inst.add.u32(reg.scalar(u32), reg.scalar(f32), 1),  # here
    "U206": lambda: ptx.inst.fence.proxy.async_(),  # here
    "T222": lambda: ptx.inst.add.u32(reg.scalar(u32), object(), 1),  # here
    "T225": lambda: ptx.inst.add.u32(reg.scalar(u32), 1, 2, pred=reg.scalar(u32)),  # here
    "T239": lambda: ptx.inst.add.u32(reg.scalar(u32), ptx.special.tid.x(), 1),  # here
}


@pytest.mark.parametrize("code", WRONG)
def test_a_wrong_instruction_is_an_error_at_its_line(code):
    error = refused(WRONG[code])
    assert error.code == code
    assert error.span is not None and error.span.text().endswith("# here") and f'"{code}"' in error.span.text()
    assert "ptx.inst" in error.span.excerpt()


def test_the_error_says_what_could_stand_there():
    assert "wide" in refused(lambda: ptx.inst.mul.wyde.u32(reg.scalar(u64), 1, 2)).hint
    assert "sm_90" in refused(lambda: ptx.inst.fence.proxy.async_()).hint


def test_an_arch_that_lacks_an_instruction_refuses_it_and_another_takes_it():
    def body():
        ptx.inst.fence.proxy.async_()

    assert refused(body, "sm_89").code == "U206"
    assert lines(body, "sm_90") == ["fence.proxy.async"]


def test_two_guards_are_refused():
    def body():
        p = reg.pred()
        with ptx.when(p):
            ptx.inst.mov.u32(reg.scalar(u32), 1, pred=p)

    assert refused(body).code == "T226"


def test_a_call_outside_of_a_kernel_is_refused():
    with pytest.raises(AveError, match="works only inside a kernel") as caught:
        ptx.inst.mov.u32(None, 1)  # outside
    assert caught.value.code == "T004" and "@kernel" in caught.value.hint and "# outside" in caught.value.span.text()


def test_constants_have_the_width_that_the_instruction_says():
    def body():
        ptx.inst.mov.b64(reg.scalar(b64), 1 << 63)
        ptx.inst.mov.b16(reg.scalar(b16), 0x3C00)
        ptx.inst.fma.rn.f32(reg.scalar(f32), 0.1, 1e60, -0.0)
        ptx.inst.cvt.rn.f16.f32(reg.scalar(f16), reg.scalar(f32))
        ptx.inst.cvt.rzi.s32.f64(reg.scalar(s32), reg.scalar(f64))
        ptx.inst.mov.b32(reg.scalar(b32), 1.5)

    assert lines(body)[0] == "mov.b64 %rd0, 9223372036854775808"
    assert lines(body)[2] == "fma.rn.f32 %f0, 0f3DCCCCCD, 0f7F800000, 0f80000000"
    assert lines(body)[5] == "mov.b32 %r0, 0f3FC00000"
