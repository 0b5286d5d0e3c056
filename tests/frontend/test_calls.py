"""Shuffles, printf, intrinsics: arguments bound and checked as the tables say, chips inferred and refused."""

import math
from typing import Any

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.isa.row import PUBLIC
from avelang.runtime.compile import compile_text
from frontend.building import both, built, jit, lanes, ops_of, refused, run, text_of

I = al.Tensor((64,), al.i32)
WORDS = al.Tensor((64, 4), al.i32)


@jit
def helper(x):
    return x


def test_shuffles_over_the_wave_and_over_segments():
    def k(out: al.Tensor((4, 64), al.i32)):
        t = al.thread_id(0)
        out[0, t] = al.shuffle(t, 5)
        out[1, t] = al.shuffle_up(t, 1, 16)
        out[2, t] = al.shuffle_down(value=t, offset=2, width=8)
        out[3, t] = al.shuffle_xor(t, 1)

    out = np.zeros((4, 64), np.int32)
    run(k, out)
    t = np.arange(64)
    assert (out[0] == 5).all() and (out[1] == np.where(t % 16, t - 1, t)).all()
    assert (out[2] == np.where(t % 8 < 6, t + 2, t)).all() and (out[3] == t ^ 1).all()


def test_a_shuffle_without_width_has_the_chips_wave():
    def amd(out: I):
        out[0] = al.shuffle(al.amdgpu.readfirstlane(al.thread_id(0)), 0)

    def plain(out: I):
        out[0] = al.shuffle(al.thread_id(0), 0)

    assert any("'width': 64" in line for line in text_of(amd)) and built(amd).attrs["chip"] == "gfx942"
    assert built(plain).attrs == {"wave": 64, "chip": "", "file": __file__}
    kernel = built(plain, chip="sm_80")
    assert kernel.attrs["wave"] == 32 and kernel.attrs["chip"] == "sm_80"
    assert next(op.attrs["width"] for op in kernel.body.ops if op.name == "shuffle") == 32


def test_a_shuffle_wider_than_the_wave():
    def k(out: I):
        out[0] = al.shuffle(al.thread_id(0), 0, 64)  # <-

    built(k)
    refused(k, "T076", "64 lanes", "32", "sm_80", chip="sm_80")


def test_printf_converts_its_arguments():
    def k(x: al.Tensor((1,), al.f16), n: al.i64):
        t = al.thread_id(0)
        if t < 2:
            al.printf("%s%% lane %2u: %d %lld %5.2f %x|\n", "100%", t, al.convert(-3, al.i8), n, x[0], 255)

    text = run(k, np.array([1.5], np.float16), 2**40)
    assert text == "".join(f"100%% lane {t:2d}: -3 {2**40}  1.50 ff|\n" for t in range(2))


def test_printf_has_no_hexadecimal_floats():
    """C could print them; the reference, which says what is right, does not."""

    def k(x: al.Tensor((4,), al.f32)):
        al.printf("%a\n", x[0])  # <-

    e = refused(k, "T080", "'%a'")
    assert "%a" not in e.hint


def test_functions_over_a_register_tensor_take_its_elements():
    def k(x: al.Tensor((4,), al.f32), out: al.Tensor((6, 4), al.f32)):
        v = x + 0.0
        v[1] = -8.0
        out[0, 0], out[0, 1], out[0, 2], out[0, 3] = max(v), min(v), sum(v), sum(v, 100.0)
        for i, e in enumerate(v):
            out[1, i] = e
        for a, b in zip(v, reversed(v)):
            out[2, 0] += a * b
        out[3, 0] = tuple(v)[2] + max(tuple(v))
        grid = al.full((2, 4), 1.0, al.f32)
        grid[1] = v
        out[4] = sum(grid)
        out[5, 0] = sum(x)

    x = np.array([1.5, 2.5, 4.0, 3.0], np.float32)
    v = np.array([1.5, -8.0, 4.0, 3.0], np.float32)
    _, out = both(k, x, np.zeros((6, 4), np.float32))
    want = np.zeros((6, 4), np.float32)
    want[0] = 4, -8, 0.5, 100.5
    want[1], want[2, 0], want[3, 0], want[4], want[5, 0] = v, (v * v[::-1]).sum(), 8, v + 1, 11
    np.testing.assert_array_equal(out, want)


def test_functions_over_what_has_no_known_elements():
    def unknown(out: I, p: al.Pointer(al.i32), n: al.u32):
        for i, _ in enumerate(al.make_tensor(p, al.i32, al.make_layout((n, n)))):  # <-
            out[i] = 1

    def rows(out: I):
        out[0] = max(al.full((2, 2), 1, al.i32))  # <-

    def single(out: I):
        out[0] = max(out[0])  # <-

    def total(out: I):
        out[0] = sum(out[0])  # <-

    def key(out: I):
        out[0] = max(al.full((2,), 1, al.i32), key=abs)  # <-

    def two(out: I):
        out[0] = abs(out[0], 2)  # <-

    def kernel(out: I):
        out[0] = len(tuple(helper))  # <-

    def long(out: I):
        out[0] = sum([i for i in range(10**9)])  # <-

    refused(unknown, "T022", "enumerate", "al.range")
    refused(rows, "T022", "max", "one mode", "(2, 2)")
    refused(single, "T022", "max")
    refused(total, "T022", "sum")
    refused(key, "T060", "'key'")
    refused(two, "T003", "abs takes 1 argument, 2")
    refused(kernel, "T016", "not iterable")
    refused(long, "U001", "1000000000")


def test_hints_where_pythons_functions_do_not_work():
    def exponential(out: al.Tensor((4,), al.f32)):
        out[0] = math.exp(out[1])  # <-

    def absolute(out: al.Tensor((4,), al.f32)):
        out[0] = math.fabs(out[1])  # <-

    def ufunc(out: al.Tensor((4,), al.f32)):
        out[0] = np.exp(out[1])  # <-

    def cast(out: al.Tensor((4,), al.f32)):
        out[0] = np.float32(3)  # <-

    assert refused(exponential, "T064", "`math.exp`").hint == "use al.exp"
    assert refused(absolute, "T064").hint == "use al.abs"
    assert refused(ufunc, "T008", "'np.exp'").hint == "use al.exp"
    assert refused(cast, "T063").hint == "say al.f32(...), or al.convert(x, al.f32)"


def test_printf_checks_its_arguments():
    def many(out: I):
        al.printf("%d\n", 1, 2)  # <-

    def few(out: I):
        al.printf("%d %d\n", 1)  # <-

    def kind(out: I, x: al.Tensor((4,), al.f32)):
        al.printf("%d\n", x[0])  # <-

    def integer(out: I):
        al.printf("%f\n", al.thread_id(0))  # <-

    def unknown(out: I):
        al.printf("%q\n", 1)  # <-

    def runtime(out: I):
        al.printf(al.thread_id(0))  # <-

    refused(many, "T081", "wants 1 argument, 2 given")
    refused(few, "T081", "wants 2 arguments, 1 given")
    refused(kind, "T082", "%d", "an integer", "f32")
    refused(integer, "T082", "%f", "a float", "u32")
    refused(unknown, "T080", "'%q")
    refused(runtime, "T017", "format")


def test_packed_operands_and_shapes_with_ones():
    def words(out: al.Tensor((64, 16), al.f32), a: al.Tensor((64, 2), al.i32), b: al.Tensor((64, 4), al.bf16)):
        t = al.thread_id(0)
        frag = al.view(b[t], al.Tensor((4, 1), al.bf16))
        out[t] = al.amdgpu.mfma_32x32x8_bf16_f32(a[t], frag, al.full((16,), 0.0, al.f32))

    kernel = built(words)
    assert ops_of(kernel).count("bitcast") == 1 and kernel.attrs["chip"] == "gfx942"
    row = PUBLIC["amdgpu.mfma_32x32x8_bf16_f32"]
    assert row is PUBLIC["amdgpu.mfma_f32_32x32x8_bf16"] and row.name in ops_of(kernel)


def test_words_of_either_sign_and_literals():
    def k(out: I, a: al.Tensor((64,), al.u32)):
        t = al.thread_id(0)
        out[t] = al.amdgpu.perm(a[t], 0x80000000, 0x07060302)

    a = np.arange(64, dtype=np.uint32) + 0x01020304
    want = (a & 0xFFFF0000) | (0x80000000 >> 16)
    assert (lanes(k, a).view(np.uint32) == want).all()


def test_a_shared_type_is_settled_by_the_run_time_argument():
    def k(out: al.Tensor((64,), al.f32)):
        t = al.convert(al.thread_id(0), al.f32)
        out[al.thread_id(0)] = al.amdgpu.get_dpp(0.0, t, 0x138, 15, 15, True)

    kernel = built(k)
    op = next(op for op in kernel.body.ops if op.name == "amdgpu.get_dpp")
    assert {v.type for v in op.operands} == {al.f32}


def test_constants_of_the_namespace():
    def k(x: I):
        al.amdgpu.atomic_add(0, 2, x, al.amdgpu.AtomicScope.AGENT)

    x = np.zeros(64, np.int32)
    run(k, x)
    assert x[0] == 128


def test_intrinsics_by_keyword():
    def k():
        al.amdgpu.s_waitcnt(expcnt=7, vmcnt=0, lgkmcnt=15)

    assert any("amdgpu.s_waitcnt" in line for line in text_of(k))


def few(out: I):
    al.amdgpu.s_waitcnt(0, 7)  # <-


def many(out: I):
    al.amdgpu.rcp(1.0, 2.0)  # <-


def unknown(out: I):
    al.amdgpu.rcp(y=1.0)  # <-


def twice(out: I):
    al.amdgpu.rcp(1.0, **{})  # <-  # noqa: PIE804


def out_of_range(out: I):
    al.amdgpu.s_waitcnt(64, 7, 15)  # <-


def not_constant(out: I):
    al.amdgpu.s_waitcnt(al.thread_id(0), 7, 15)  # <-


def wrong_type(out: I):
    al.amdgpu.rcp(al.thread_id(0))  # <-


def wrong_count(out: al.Tensor((64, 16), al.f32)):
    x = al.full((8,), 0.0, al.bf16)
    al.amdgpu.mfma_32x32x8_bf16_f32(x, x, al.full((16,), 0.0, al.f32))  # <-


def literal_operand(out: I):
    al.amdgpu.perm(1 << 40, 0, 0)  # <-


def no_tensor(out: I):
    al.amdgpu.make_rsrc(5, 100)  # <-


def wrong_space(out: I):
    al.nvvm.ldmatrix_m8n8_x4_b16(out)  # <-


def element_for_place(out: I):
    bars = al.make_shared((2,), al.u64)
    al.nvvm.mbarrier_init(bars[1], 1)  # <-


def number_for_vector(out: I):
    al.amdgpu.raw_buffer_load_x4(0, 0, 0, 0)  # <-


@pytest.mark.parametrize(
    "fn, code, parts",
    [
        (few, "T003", ["3 arguments", "s_waitcnt(vmcnt, expcnt, lgkmcnt)"]), (many, "T003", ["1 argument", "2 given"]),
        (unknown, "T060", ["'y'"]), (twice, "S001", ["**"]), (out_of_range, "T101", ["`vmcnt`", "0..63", "64"]),
        (not_constant, "T017", ["`vmcnt`"]), (wrong_type, "T022", ["al.amdgpu.rcp", "u32", "f32"]),
        (wrong_count, "T022", ["8", "4 elements of bf16"]), (literal_operand, "T021", [str(1 << 40)]),
        (no_tensor, "T022", ["a tensor", "global"]), (wrong_space, "T022", ["shared"]),
        (number_for_vector, "T022", ["4 elements of"]),
        (element_for_place, "T022", ["u64", "al.subview(x, (i,), (1,))", "make_shared((n, 1), dtype)"]),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)  # fmt: skip
def test_refusals(fn, code, parts):
    refused(fn, code, *parts)


def test_chips():
    def amd(out: al.Tensor((64, 16), al.f32)):
        x = al.full((4,), 0.0, al.bf16)
        out[0] = al.amdgpu.mfma_32x32x8_bf16_f32(x, x, al.full((16,), 0.0, al.f32))  # <-

    def both(out: al.Tensor((64, 16), al.f32)):
        al.amdgpu.s_waitcnt(0, 7, 15)
        tile = al.make_shared((8, 8), al.f16)
        al.nvvm.ldmatrix_m8n8_x1_b16(tile)  # <-

    assert built(amd, chip="gfx950").attrs["chip"] == "gfx950"
    refused(amd, "U110", "sm_80", "gfx942", chip="sm_80")
    refused(both, "U102", "amdgpu.s_waitcnt", "nvvm.ldmatrix")


@pytest.mark.parametrize(("size", "hint"), [(16, 1), (8, 2), (4, 3)])
def test_a_copy_with_a_hint_is_refused(size, hint):
    """NVIDIA's assembler makes an illegal instruction of it."""
    copy: Any = getattr(al.nvvm, f"cp_async_x{size}")

    @avelang.jit
    def plain(A: al.Tensor((32, 4), al.i32), n: al.u32):
        s = al.make_shared((32, 4), al.i32, 16)
        copy(s[al.thread_id(0)], A[al.thread_id(0)], n, 0)

    @avelang.jit
    def hinted(A: al.Tensor((32, 4), al.i32), n: al.u32):
        s = al.make_shared((32, 4), al.i32, 16)
        copy(s[al.thread_id(0)], A[al.thread_id(0)], size, hint)

    text = compile_text(plain, {}, (32, 1, 1), "sm_80", "asm")
    assert "cp.async" in text and "cache_hint" not in text
    with pytest.raises(AveError) as e:
        compile_text(hinted, {}, (32, 1, 1), "sm_80", "asm")
    assert e.value.code == "U111" and "hint" in str(e.value)
