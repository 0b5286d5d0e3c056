"""Arithmetic and types: what operands become, what literals may become, what Python evaluates."""

import numpy as np
import pytest

import avelang.language as al
from avelang.frontend.infer import default, fits, promote, stores_into, with_literal
from avelang.ir.dtypes import BY_NAME
from frontend.building import built, lanes, ops_of, refused, run

I = al.Tensor((64,), al.i32)


@pytest.mark.parametrize(
    "a, b, want",
    [
        ("i32", "u32", "u32"), ("i8", "u16", "u16"), ("u8", "i64", "i64"), ("u64", "i32", "u64"), ("i32", "f16", "f16"),
        ("u64", "f32", "f32"),
        ("f16", "bf16", "f32"), ("f16", "f32", "f32"), ("f64", "f32", "f64"), ("f8e4m3fn", "f16", "f16"),
        ("f8e4m3fn", "f8e5m2", "f32"),
        ("u1", "i8", "i8"), ("u1", "u1", "u1"), ("f8e5m2", "bf16", "bf16"),
    ],
)  # fmt: skip
def test_promotion(a, b, want):
    assert promote(BY_NAME[a], BY_NAME[b]) == promote(BY_NAME[b], BY_NAME[a]) == BY_NAME[want]


def test_literals():
    assert [str(default(x)) for x in (True, 3, 2**31, -(2**40), 2**63, 1.0)] == ["u1", "i32", "i64", "i64", "u64",
                                                                                 "f32"]
    assert fits(255, al.u8) and not fits(256, al.u8) and not fits(-1, al.u8) and fits(-1, al.u8, bitwise=True)
    assert fits(3.0, al.i32) and not fits(3.5, al.i32)
    assert fits(0.1, al.f16) and not fits(1e6, al.f16) and fits(float("inf"), al.f16)
    assert with_literal(al.i32, 0.5) == al.f32
    assert with_literal(al.f16, 3) == al.f16 and with_literal(al.u1, 3) == al.i32
    assert stores_into(al.i32, al.u8) and stores_into(al.f64, al.f16)
    assert not stores_into(al.i32, al.f32) and stores_into(al.u1, al.f32)


def test_division_truncates_and_floor_division_floors():
    def k(out: I, q: I, r: I, x: I):
        t = al.thread_id(0)
        v = x[t]
        out[t] = v / 4
        q[t] = v // 4
        r[t] = v % 4

    x = np.arange(-32, 32, dtype=np.int32)
    q, r = np.zeros_like(x), np.zeros_like(x)
    assert (lanes(k, q, r, x) == np.trunc(x / 4)).all()
    assert (q == x // 4).all() and (r == x % 4).all()


def test_operators_on_every_side():
    def k(out: al.Tensor((16, 64), al.i32), x: I):
        t = al.thread_id(0)
        v = x[t]
        out[0, t] = 5 - v
        out[1, t] = 1 << (v & 7)
        out[2, t] = v >> 2
        out[3, t] = ~v ^ 0xF0F0F0F0
        out[4, t] = -v | 1
        out[5, t] = +v
        out[6, t] = v**3
        out[7, t] = abs(v)
        out[8, t] = min(v, 3, 40)
        out[9, t] = max((v, 3))
        out[10, t] = (v > 3) + (v < 9)
        out[11, t] = not v
        out[12, t] = 3 if v else 4
        out[13, t] = bool(v)
        out[14, t] = sum((v, 1, v))

    x = np.random.default_rng(1).integers(-50, 50, 64).astype(np.int32)
    x[0] = 0
    out = np.zeros((16, 64), np.int32)
    run(k, out, x)
    mask = np.array(0xF0F0F0F0, np.uint32).astype(np.int32)
    want = [5 - x, 1 << (x & 7), x >> 2, ~x ^ mask, -x | 1, x, x**3, abs(x), np.minimum(x, 3), np.maximum(x, 3),
            (x > 3) + 0 + (x < 9),
            x == 0, np.where(x, 3, 4), x != 0, 2 * x + 1]  # fmt: skip
    for i, row in enumerate(want):
        assert (out[i] == row).all(), i


def test_vectors_element_by_element():
    def k(out: al.Tensor((4,), al.f32), x: al.Tensor((4,), al.f32)):
        v = al.view(x, al.Tensor((1, 4), al.f32))[0]
        m = v > 1.0
        w = al.select(m, v, 0.5)
        w = al.fma(w, 2.0, v) / 2
        w = al.max(w, al.sqrt(abs(v)))
        view = al.view(x, al.Tensor((1, 4), al.f32))
        view[0] = al.convert(al.convert(w, al.i32), al.f32) + w
        out[0] = w[0]

    x = np.array([0.5, 1.5, -2.25, 4.0], np.float32)
    w = np.where(x > 1, x, 0.5)
    w = np.maximum((w * 2 + x) / 2, np.sqrt(abs(x)))
    out = np.zeros(4, np.float32)
    y = x.copy()
    run(k, out, y, block=(1, 1, 1))
    np.testing.assert_allclose(y, np.trunc(w) + w, rtol=1e-6)


def test_compile_time_values_are_pythons():
    def k(out: I, N: al.constexpr):
        a, b = divmod(N, 3)
        names = ("x", "y")
        parts = tuple(reversed(range(3)))
        assert N / 4 == 4.25 and N // 4 == 4 and N**2 == 289 and -N % 5 == 3 and not N < 3 < 17
        assert names[1] == "y" and parts[1:] == (1, 0) and len(names) == 2 and "x" in names and N is not None
        assert min(N, 3) == 3 and int(2.9) == 2 and float(3) == 3.0 and al.max(3, N) == 17 and al.sqrt(4.0) == 2.0
        total = 0
        for i, p in enumerate(parts):
            total += i * p
        out[0] = total + a + b

    kernel = built(k, N=17)
    assert ops_of(kernel) == ["const", "const", "store"]
    assert kernel.body.ops[0].attrs["value"] in (0, 8)


def test_mixed_kinds_meet_in_the_float():
    def k(out: al.Tensor((64,), al.f32), x: I):
        t = al.thread_id(0)
        out[t] = x[t] * 0.5 + x[t] * out[t]

    out = np.full(64, 2, np.float32)
    x = np.arange(64, dtype=np.int32)
    run(k, out, x)
    assert (out == x * 2.5).all()


def test_annotated_assignment_gives_a_type():
    def k(out: al.Tensor((64,), al.f32)):
        x: al.f64 = 3
        n: "any comment at all" = 4  # noqa: F722
        out[0] = x * n

    def literal(out: I):
        x: al.u8 = 300  # <-
        out[0] = x

    refused(k, "T006", "'n'")
    refused(literal, "T021", "300", "u8")


def test_casts():
    def k(out: al.Tensor((4, 64), al.i32)):
        t = al.thread_id(0)
        half = al.f16(t) / 2
        out[0, t] = al.i32(half)
        out[1, t] = al.bitcast(al.convert(t, al.f32), al.i32)
        out[2, t] = al.convert(-1, al.u8)
        out[3, t] = al.convert(3.9, al.i32) + al.convert(1e20, al.i32)

    out = np.zeros((4, 64), np.int32)
    run(k, out)
    t = np.arange(64)
    assert (out[0] == t // 2).all() and (out[1] == t.astype(np.float32).view(np.int32)).all()
    assert (out[2] == 255).all() and (out[3] == np.int64(2**31 + 2).astype(np.int32)).all()


def bad_literal(out: I):
    out[0] = al.thread_id(0) + 2**40  # <-


def bad_negative(out: I):
    out[0] = al.thread_id(0) - -1  # <-


def bad_shift(out: I):
    out[0] = al.thread_id(0) << 32  # <-


def bad_bits(out: I, x: al.Tensor((4,), al.f32)):
    out[0] = x[0] & 1  # <-


def bad_invert(out: I, x: al.Tensor((4,), al.f32)):
    out[0] = ~x[0]  # <-


def bad_operands(out: I):
    out[0] = al.thread_id(0) + "x"  # <-


def bad_power(out: I):
    out[0] = al.thread_id(0) ** 0.5  # <-


def bad_zero(out: I):
    out[0] = 1 // 0  # <-


def bad_huge(out: I):
    out[0] = 1 << 100000  # <-


def bad_condition(out: I):
    if al.full((4,), 1, al.i32):  # <-
        out[0] = 1


def bad_matmul(out: I):
    out[0] = al.thread_id(0) @ 2  # <-


def bad_exp(out: I):
    out[0] = al.exp(al.thread_id(0))  # <-


def bad_bitcast(out: I):
    out[0] = al.bitcast(al.convert(1, al.i8), al.i32)  # <-


def bad_sides(out: I, p: al.Pointer(al.i32)):
    x = p if al.thread_id(0) > 3 else 5  # <-
    out[0] = x


def bad_int(out: I, x: al.Tensor((4,), al.f32)):
    out[0] = int(x[0])  # <-


@pytest.mark.parametrize(
    "fn, code, parts",
    [
        (bad_literal, "T021", ["1099511627776", "u32"]), (bad_negative, "T021", ["-1", "u32"]),
        (bad_shift, "T026", ["32 bits", "u32"]),
        (bad_bits, "T025", ["&", "f32", "al.bitcast"]), (bad_invert, "T025", ["~", "f32", "takes integers"]), (bad_operands, "T023", ["+", "'x'"]),
        (bad_power, "T024", []), (bad_zero, "T016", ["ZeroDivisionError"]), (bad_huge, "T016", ["too large"]),
        (bad_condition, "T028", ["(4,)"]), (bad_matmul, "S001", ["`@`"]),
        (bad_exp, "T071", ["al.exp", "u32", "al.convert"]),
        (bad_bitcast, "T070", ["8 bits", "i32"]),
        (bad_sides, "T013", ["a pointer"]), (bad_int, "T065", ["`int`", "al.convert(value, al.i32)"]),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)  # fmt: skip
def test_refusals(fn, code, parts):
    refused(fn, code, *parts)
