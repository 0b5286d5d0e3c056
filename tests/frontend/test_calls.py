"""Shuffles, printf, intrinsics: arguments bound and checked as the tables say, chips inferred and refused."""

import numpy as np
import pytest

import avelang.language as al
from avelang.isa.row import PUBLIC
from frontend.building import built, lanes, ops_of, refused, run, text_of

I = al.Tensor((64,), al.i32)
WORDS = al.Tensor((64, 4), al.i32)


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


def number_for_vector(out: I):
    al.amdgpu.raw_buffer_load_x4(0, 0, 0, 0)  # <-


@pytest.mark.parametrize(
    "fn, code, parts",
    [
        (few, "T003", ["3 arguments", "s_waitcnt(vmcnt, expcnt, lgkmcnt)"]), (many, "T003", ["1 argument", "2 given"]),
        (unknown, "T060", ["'y'"]), (twice, "S001", ["**"]), (out_of_range, "T101", ["`vmcnt`", "0..63", "64"]),
        (not_constant, "T017", ["`vmcnt`"]), (wrong_type, "T022", ["al.amdgpu.rcp", "u32", "f32"]),
        (wrong_count, "T022", ["8", "4 elements of bf16"]), (literal_operand, "T021", [str(1 << 40)]),
        (no_tensor, "T022", ["a tensor", "global"]), (wrong_space, "T022", ["shared"]), (number_for_vector, "T022", ["4 elements of"]),
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
