"""Registers: names and declarations, the instruction of each operator, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from tests.pyptx.emitted import lines, text_of

from avelang.base.errors import AveError
from pyptx import Tile, kernel, ptx, reg
from pyptx.reg import NegPred, PipeRef, Reg, RegArray
from pyptx.types import b16, b32, b64, bf16, f16, f32, f64, from_name, pred, s32, u8, u32, u64


def test_types():
    assert (f32.name, f32.bits, f32.ptx, repr(f32)) == ("f32", 32, ".f32", "f32")
    assert from_name(".bf16") is bf16 and from_name("e4m3").bits == 8 and pred.bits == 1
    with pytest.raises(ValueError, match="T241.*'q7'"):
        from_name("q7")


def test_names_are_numbered_by_their_prefix():
    def body():
        a, b, c = reg.scalar(u32), reg.scalar(b32), reg.scalar(u64)
        h, p, q = reg.scalar(bf16), reg.scalar(pred), reg.scalar(pred)
        assert [x.name for x in (a, b, c, h, p, q)] == ["%r0", "%r1", "%rd0", "%h0", "%p0", "%p1"]
        x = reg.array(f32, 8)
        assert x[7].name == "%f7" and reg.scalar(f32).name == "%f8"
        assert reg.array(b32, 4).base == "%rarr0_" and reg.array(u32, 2, name="%w")[1].name == "%w1"
        assert (reg.alloc(f32).name, reg.alloc(b32).name, reg.alloc(u32).name) == ("%af0", "%ar0", "%au0")
        assert reg.alloc(pred).name == "%ap0" and reg.alloc_array(f32, 2).base == "%afarr0_"
        assert repr(a) == "Reg(%r0, u32)" and hash(a) == hash("%r0")

    text = text_of(body)
    for said in (".reg .pred %p<2>;", ".reg .u32 %r0;", ".reg .b32 %r1;", ".reg .b16 %h0;", ".reg .f32 %f<8>;",
                 ".reg .f32 %f8;", ".reg .b32 %rarr0_<4>;"):  # fmt: skip
        assert said in text


def test_one_move_for_an_init():
    def body():
        reg.scalar(u32, init=7)
        reg.scalar(f32, init=-1e30)
        reg.scalar(f32, init=float("-inf"))
        reg.scalar(f64, init=1.5)
        reg.scalar(f32, init=2)
        reg.scalar(f16, init=1)
        reg.from_(ptx.special.tid.x(), u32)

    assert lines(body) == [
        "mov.u32 %r0, 7;", "mov.f32 %f0, 0fF149F2CA;", "mov.f32 %f1, 0fFF800000;", "mov.f64 %fd0, 0d3FF8000000000000;",
        "mov.f32 %f2, 0f40000000;", "mov.b16 %h0, 15360;", "mov.u32 %r1, %tid.x;",
    ]  # fmt: skip


def test_operators():
    def body():
        a, b, s, w = reg.scalar(u32), reg.scalar(u32), reg.scalar(s32), reg.scalar(b64)
        a + b, a - 3, a * 4, a * b, a << 2, a >> b, a & 1, a | b, a ^ b, s >> 1, s + 1  # noqa: B018
        w + a, a + w, w - 8, w * w, w << 1  # noqa: B018
        a += 1
        a ^= b
        w += a
        a.max(b)
        s.max(1)
        a == -1, w < 5, b > a  # noqa: B015

    assert lines(body) == [
        "add.u32 %r3, %r0, %r1;", "sub.s32 %r4, %r0, 3;", "mul.lo.s32 %r5, %r0, 4;", "mul.lo.u32 %r6, %r0, %r1;",
        "shl.b32 %r7, %r0, 2;", "shr.u32 %r8, %r0, %r1;", "and.b32 %r9, %r0, 1;", "or.b32 %r10, %r0, %r1;",
        "xor.b32 %r11, %r0, %r1;", "shr.s32 %r12, %r2, 1;", "add.s32 %r13, %r2, 1;",
        "cvt.u64.u32 %rd1, %r0;", "add.s64 %rd2, %rd0, %rd1;", "cvt.u64.u32 %rd3, %r0;", "add.s64 %rd4, %rd3, %rd0;",
        "sub.s64 %rd5, %rd0, 8;", "mul.lo.u64 %rd6, %rd0, %rd0;", "shl.b64 %rd7, %rd0, 1;",
        "add.u32 %r0, %r0, 1;", "xor.b32 %r0, %r0, %r1;", "cvt.u64.u32 %rd8, %r0;", "add.s64 %rd0, %rd0, %rd8;",
        "max.u32 %r14, %r0, %r1;", "max.s32 %r15, %r2, 1;",
        "setp.eq.u32 %p0, %r0, -1;", "setp.lt.u64 %p1, %rd0, 5;", "setp.gt.u32 %p2, %r1, %r0;",
    ]  # fmt: skip


def test_or_in_place_is_a_new_register_and_a_special_register_is_read_first():
    def body():
        a = b = reg.scalar(u32)
        a |= 1
        assert a is not b
        (ptx.special.tid.x() + 1) == 2  # noqa: B015

    assert lines(body)[1:] == ["mov.u32 %r2, %tid.x;", "add.u32 %r3, %r2, 1;", "setp.eq.u32 %p0, %r3, 2;"]


def test_predicates():
    def body():
        a = reg.scalar(u32)
        p, q = a == 0, reg.scalar(pred)
        assert isinstance(~p, NegPred) and (~p).reg is p and isinstance(p | q, PipeRef)
        ptx.inst.setp.lt.u32(p | q, a, 3)
        ptx.inst.mov.u32(a, 1, pred=~p)

    assert lines(body)[1:] == ["setp.lt.u32 %p0|%p1, %r0, 3;", "@!%p0 mov.u32 %r0, 1;"]


def test_arrays():
    def body():
        a = reg.array(f32, 4)
        assert isinstance(a, RegArray) and len(a) == 4 and (a.base, a.count, a.dtype) == ("%f", 4, f32)
        assert [x.name for x in a.hw_order(reverse=True)] == ["%f3", "%f2", "%f1", "%f0"] and a.regs()[1] is a[1]
        assert [x.name for x in reg.wgmma_frag(m=64, n=16, dtype=f32)] == [f"%farr0_{i}" for i in range(8)]
        x = reg.scalar(f32)
        a[2] = x
        a[3] = x
        for wrong in (4, -1):
            with pytest.raises(IndexError):
                a[wrong]

    assert lines(body) == ["mov.f32 %f2, %f4;", "mov.f32 %f3, %f4;"] or lines(body)[0].startswith("mov.")


REFUSED = {
    "a float in an integer register": (TypeError, lambda: reg.scalar(u32, init=1.5)),
    "a float in bf16": (TypeError, lambda: reg.scalar(bf16, init=1.5)),
    "no type": (TypeError, lambda: reg.scalar("f32")),
    "arithmetic of floats": (TypeError, lambda: reg.scalar(f32) + reg.scalar(f32)),
    "a float operand": (TypeError, lambda: reg.scalar(u32) + 1.5),
    "no truth value": (AveError, lambda: bool(reg.scalar(u32) == 0)),
    "a name twice": (AveError, lambda: [reg.scalar(u32, name="%x"), reg.scalar(u32, name="%x")]),
    "a fragment of no threads": (ValueError, lambda: reg.wgmma_frag(m=8, n=8, dtype=f32)),
    "an array of none": (ValueError, lambda: reg.alloc_array(f32, 0)),
    "64 bits into 32": (TypeError, lambda: reg.scalar(u32).__iadd__(reg.scalar(u64))),
    "max of 64 bits": (TypeError, lambda: reg.scalar(u64).max(1)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    kind, wrong = REFUSED[what]
    with pytest.raises(kind) as e:
        lines(wrong)
    assert isinstance(e.value, AveError) and e.value.span is not None and e.value.span.file == __file__


def test_outside_of_a_kernel():
    for call in (lambda: reg.scalar(u32), lambda: ptx.ret(), lambda: ptx.inst.ret()):
        with pytest.raises(RuntimeError, match="No active kernel trace"):
            call()
    assert ptx.special.tid.x().name == "%tid.x" and isinstance(ptx.special.laneid(), Reg)


OPERATIONS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "&": lambda a, b: a & b,
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "<<": lambda a, b: a << (b & 15), ">>": lambda a, b: a >> (b & 15),
    "//": lambda a, b: a // (b | 1), "%": lambda a, b: a % (b | 1),
}  # fmt: skip


@pytest.mark.parametrize("kind, dtype", [(u32, np.uint32), (s32, np.int32)])
def test_operators_compute_what_python_means(kind, dtype):
    """Drawn numbers against NumPy, through one kernel for all operators."""
    names = list(OPERATIONS)

    @kernel(in_specs=(Tile(64, kind), Tile(64, kind)), out_specs=(Tile(len(names) + 2, 64, kind),), block=(64, 1, 1),
            arch="sm_80")  # fmt: skip
    def all_of_them(x, y, out):
        px, py, po = ptx.global_ptrs(x, y, out)
        at = reg.from_(ptx.special.tid.x(), u32) << 2
        a, b = reg.scalar(kind), reg.scalar(kind)
        ptx.ld(b32, a, px + at)
        ptx.ld(b32, b, py + at)
        found = [OPERATIONS[op](a, b) for op in names] + [5 - a, a.max(b)]
        for i, r in enumerate(found):
            ptx.st(b32, ptx.addr(po + at, 256 * i), r)
        ptx.ret()

    rng = np.random.default_rng(3)
    a, b = (rng.integers(-1000 if kind is s32 else 0, 1 << 16, 64).astype(dtype) for _ in range(2))
    b = np.abs(b)
    got = all_of_them(a, b)
    x, y = a.astype(np.int64), b.astype(np.int64)
    quotient = np.trunc(x / (y | 1)).astype(np.int64)
    want = [x + y, x - y, x * y, x & y, x | y, x ^ y, x << (y & 15), x >> (y & 15), quotient, x - quotient * (y | 1),
            5 - x, np.maximum(x, y)]  # fmt: skip
    for name, mine, theirs in zip([*names, "5 -", "max"], got, want, strict=True):
        assert (mine == theirs.astype(dtype)).all(), name


def test_unused_types_have_registers():
    def body():
        for kind in (b16, u8, f16):
            reg.scalar(kind)

    assert lines(body) == []
