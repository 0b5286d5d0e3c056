"""Operators on registers add the instruction that one would write; which ones, what meets what, and what is refused."""

from __future__ import annotations

import operator

import pytest
from tests.ptx.programs import lines, made

from avelang.base.errors import AveError
from avelang.ptx import ptx, reg
from avelang.ptx.types import b32, b64, bf16, bf16x2, f16, f16x2, f32, f64, pred, s32, s64, u16, u32, u64

# operator, types of its operands (a number stands for itself), what is written.
CASES = [
    (operator.add, (u32, u32), ["add.u32 %u2, %u0, %u1"]),
    (operator.add, (u32, 3), ["add.u32 %u1, %u0, 3"]),
    (operator.add, (3, u32), ["add.u32 %u1, %u0, 3"]),
    (operator.sub, (3, u32), ["sub.u32 %u1, 3, %u0"]),
    (operator.sub, (s32, s32), ["sub.s32 %s2, %s0, %s1"]),
    (operator.mul, (u32, 5), ["mul.lo.u32 %u1, %u0, 5"]),
    (operator.mul, (s64, s64), ["mul.lo.s64 %sd2, %sd0, %sd1"]),
    (operator.floordiv, (u32, 3), ["div.u32 %u1, %u0, 3"]),
    (operator.floordiv, (s32, s32), ["div.s32 %s2, %s0, %s1"]),
    (operator.mod, (u32, 3), ["rem.u32 %u1, %u0, 3"]),
    (operator.lshift, (u32, 2), ["shl.b32 %u1, %u0, 2"]),
    (operator.rshift, (u32, 2), ["shr.u32 %u1, %u0, 2"]),
    (operator.rshift, (s32, u32), ["shr.s32 %s1, %s0, %u0"]),
    (operator.rshift, (b64, 2), ["shr.u64 %rd1, %rd0, 2"]),
    (operator.and_, (u32, 3), ["and.b32 %u1, %u0, 3"]),
    (operator.or_, (b64, u64), ["or.b64 %ud1, %rd0, %ud0"]),
    (operator.xor, (u32, b32), ["xor.b32 %u1, %u0, %r0"]),
    (operator.and_, (pred, pred), ["and.pred %p2, %p0, %p1"]),
    (operator.add, (b32, 1), ["add.u32 %r1, %r0, 1"]),
    (operator.add, (u64, u32), ["cvt.u64.u32 %ud1, %u0", "add.u64 %ud2, %ud0, %ud1"]),
    (operator.add, (s32, b64), ["cvt.s64.s32 %sd0, %s0", "add.s64 %sd1, %sd0, %rd0"]),
    (operator.mul, (u32, s32), ["mul.lo.u32 %u1, %u0, %s0"]),
    (operator.add, (f32, 1.0), ["add.f32 %f1, %f0, 0f3F800000"]),
    (operator.add, (f32, 1), ["add.f32 %f1, %f0, 0f3F800000"]),
    (operator.truediv, (1.0, f32), ["div.rn.f32 %f1, 0f3F800000, %f0"]),
    (operator.mul, (f64, f64), ["mul.f64 %fd2, %fd0, %fd1"]),
    (operator.add, (f16, f16), ["add.f16 %h2, %h0, %h1"]),
    (operator.mul, (f16, 2.0), ["mov.b16 %h1, 0x4000", "mul.f16 %h2, %h0, %h1"]),
    (operator.add, (f16x2, f16x2), ["add.f16x2 %r2, %r0, %r1"]),
    (operator.add, (bf16, bf16), ["add.bf16 %rs2, %rs0, %rs1"]),
    (operator.mul, (bf16x2, bf16x2), ["mul.bf16x2 %r2, %r0, %r1"]),
    (operator.add, (u16, 1), ["add.u16 %uh1, %uh0, 1"]),
    (operator.lt, (u32, 3), ["setp.lt.u32 %p0, %u0, 3"]),
    (operator.ge, (s32, s32), ["setp.ge.s32 %p0, %s0, %s1"]),
    (operator.eq, (b32, 0), ["setp.eq.b32 %p0, %r0, 0"]),
    (operator.ne, (u32, u32), ["setp.ne.u32 %p0, %u0, %u1"]),
    (operator.ne, (f32, f32), ["setp.neu.f32 %p0, %f0, %f1"]),
    (operator.gt, (f64, 0.5), ["setp.gt.f64 %p0, %fd0, 0d3FE0000000000000"]),
    (operator.invert, (u32,), ["not.b32 %u1, %u0"]),
    (operator.invert, (pred,), ["not.pred %p1, %p0"]),
    (operator.neg, (s32,), ["neg.s32 %s1, %s0"]),
    (operator.neg, (u32,), ["neg.s32 %u1, %u0"]),
    (operator.neg, (f32,), ["neg.f32 %f1, %f0"]),
    (operator.abs, (f64,), ["abs.f64 %fd1, %fd0"]),
]


def operands(kinds):
    return [k if isinstance(k, (int, float)) else reg.scalar(k) for k in kinds]


@pytest.mark.parametrize(("op", "kinds", "wanted"), CASES, ids=lambda x: getattr(x, "__name__", None) or str(x))
def test_an_operator_is_an_instruction(op, kinds, wanted):
    assert lines(lambda: [op(*operands(kinds)), None][1]) == wanted


def test_augmented_assignment_writes_into_the_register():
    def body():
        x = reg.scalar(u32, 0)
        y = x
        x += 4
        x <<= 2
        assert x is y
        y = y + 1
        assert y is not x

    assert lines(body) == ["mov.u32 %u0, 0", "add.u32 %u0, %u0, 4", "shl.b32 %u0, %u0, 2", "add.u32 %u1, %u0, 1"]


def test_special_registers_are_read_where_an_operator_needs_them():
    assert lines(lambda: [ptx.special.tid.x() * 2 + ptx.special.laneid(), None][1]) == [
        "mov.u32 %u0, %tid.x", "mul.lo.u32 %u1, %u0, 2", "mov.u32 %u2, %laneid", "add.u32 %u3, %u1, %u2",
    ]  # fmt: skip


def test_new_registers_and_moves():
    def body():
        reg.scalar(f16, 1.0)
        reg.scalar(bf16, 1.0)
        reg.scalar(f32, 2)
        reg.scalar(f16x2, 0.5)
        reg.scalar(u64, ptx.special.clock64())
        reg.from_(3)
        reg.from_(3.5)
        reg.pred(True)
        x = reg.scalar(b32, name="%mine")
        x.set(1.0)
        reg.array(u32, 2, (1, 2))
        x.as_(f32) + 1.0
        x.as_(s32).to(f32)
        reg.scalar(f32).to(bf16)
        reg.scalar(f32).to(s32)
        reg.scalar(f64).to(f32, "rz")

    assert lines(body, "sm_90") == [
        "mov.b16 %h0, 0x3c00", "mov.b16 %rs0, 0x3f80", "mov.f32 %f0, 0f40000000", "mov.b32 %r0, 0x38003800",
        "mov.u64 %ud0, %clock64",
        "mov.u32 %u0, 3", "mov.f32 %f1, 0f40600000", "mov.u32 %u1, 0", "setp.eq.u32 %p0, %u1, 0",
        "mov.b32 %mine, 0f3F800000", "mov.u32 %u2, 1",
        "mov.u32 %u3, 2", "add.f32 %f2, %mine, 0f3F800000", "cvt.rn.f32.s32 %f3, %mine", "cvt.rn.bf16.f32 %rs1, %f4",
        "cvt.rzi.s32.f32 %s0, %f5",
        "cvt.rz.f32.f64 %f6, %fd0",
    ]  # fmt: skip


REFUSED = {
    "T221": lambda: reg.scalar("f33"),
    "T223": lambda: [reg.scalar(u32, name="%x"), reg.scalar(u32, name="%x")],
    "T227": lambda: bool(reg.scalar(u32) < 3),
    "T228": lambda: reg.scalar(u32).as_(f64),
    "T229": lambda: reg.scalar(u32) + (1 << 32),
    "T230": lambda: reg.scalar(u32) + reg.scalar(f32),
    "T231": lambda: reg.scalar(u32) / 2,
}


@pytest.mark.parametrize("code", REFUSED)
def test_refusals(code):
    with pytest.raises(AveError) as caught:
        made(REFUSED[code]).ptx()
    assert caught.value.code == code
    assert f'"{code}": lambda' in caught.value.span.text()


def test_t240_a_register_of_another_kernel():
    kept = []
    made(lambda: kept.append(reg.scalar(u32))).ptx()

    def use():
        reg.scalar(u32)  # has the same name
        kept[0] + 1

    for again in (use, lambda: kept[0].as_(s32) + 1):
        with pytest.raises(AveError, match="T240.*`probe`"):
            made(again).ptx()


@pytest.mark.parametrize("wrong", [
    lambda: reg.scalar(u32) < reg.scalar(s32), lambda: reg.scalar(u32) << 32, lambda: reg.scalar(u32) + 1.5,
    lambda: reg.scalar(f32) % 2.0,
    lambda: reg.scalar(pred) + reg.scalar(pred), lambda: reg.scalar(u32) + None, lambda: reg.array(u32, -1),
    lambda: reg.array(u32, 2, (1,)),
    lambda: 1 << reg.scalar(u32), lambda: reg.scalar(u32, 1.5), lambda: reg.scalar(s32, name="a b"),
    lambda: reg.scalar(u32, -1),
])  # fmt: skip
def test_more_refusals(wrong):
    with pytest.raises(AveError) as caught:
        made(wrong).ptx()
    assert caught.value.code[0] == "T" and caught.value.span is not None


def test_a_narrow_register_does_not_take_a_wide_result():
    def body():
        x = reg.scalar(u32)
        x += reg.scalar(u64)

    with pytest.raises(AveError, match="does not fit the register"):
        made(body).ptx()


@pytest.mark.parametrize("wrong", [4, -5, 99])
def test_a_number_behind_the_last_register(wrong):
    def body():
        regs = reg.array(f32, 4)
        assert len(regs) == 4 and regs[-1].name == regs[3].name and len(regs[1:]) == 3 and list(regs)
        ptx.inst.mov.f32(regs[wrong], 1.0)

    with pytest.raises(AveError, match="T041") as caught:
        made(body).ptx()
    assert isinstance(caught.value, IndexError) and "reg.array(type, n)" in caught.value.hint
    assert "regs[wrong]" in caught.value.span.text()
