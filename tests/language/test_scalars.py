"""Scalars: every dtype, literals, promotions, operators with the semantics of the language, conversions and casts of
bits."""

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al

NP = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
}  # fmt: skip
INTS = [n for n in NP if n[0] in "iu"]
FLOATS = [n for n in NP if n[0] not in "iu"]
WIDE_FLOATS = ["f16", "bf16", "f32", "f64"]
N = 64


def bits(x):
    return x.view(f"u{x.dtype.itemsize}")


def samples(name, seed=0):
    rng = np.random.default_rng(seed)
    d = np.dtype(NP[name])
    if name in INTS:
        info = np.iinfo(d)
        x = rng.integers(info.min, info.max, N, d, endpoint=True)
        x[:4] = info.min, info.max, 0, 1
        return x
    x = (rng.standard_normal(N) * 4).astype(d)
    x[:3] = np.array([0.0, 1.0, -2.0]).astype(d)
    return x


def copy_kernel(dtype):
    @avelang.jit
    def copy(x: al.Tensor((N,), dtype), y: al.Tensor((N,), dtype)):
        i = al.thread_id(0)
        y[i] = x[i]

    return copy


@pytest.mark.parametrize("name", NP)
def test_load_and_store(launch, name):
    x = samples(name)
    y = np.zeros_like(x)
    launch(copy_kernel(getattr(al, name)), x, y)
    np.testing.assert_array_equal(bits(x), bits(y))


def arithmetic_kernel(dtype):
    @avelang.jit
    def arithmetic(a: al.Tensor((N,), dtype), b: al.Tensor((N,), dtype), out: al.Tensor((4, N), dtype)):
        i = al.thread_id(0)
        out[0, i] = a[i] + b[i]
        out[1, i] = a[i] - b[i]
        out[2, i] = a[i] * b[i]
        out[3, i] = -a[i]

    return arithmetic


@pytest.mark.parametrize("name", INTS)
def test_integer_arithmetic_wraps(launch, name):
    a, b = samples(name, 1), samples(name, 2)
    out = np.zeros((4, N), a.dtype)
    launch(arithmetic_kernel(getattr(al, name)), a, b, out)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out, np.stack([a + b, a - b, a * b, -a]))


@pytest.mark.parametrize("name", WIDE_FLOATS)
def test_float_arithmetic_rounds_once(launch, name):
    a, b = samples(name, 1), samples(name, 2)
    out = np.zeros((4, N), a.dtype)
    launch(arithmetic_kernel(getattr(al, name)), a, b, out)
    np.testing.assert_array_equal(out, np.stack([a + b, a - b, a * b, -a]))


@avelang.jit
def div_i32(a: al.Tensor((N,), al.i32), b: al.Tensor((N,), al.i32), out: al.Tensor((2, N), al.i32)):
    i = al.thread_id(0)
    out[0, i] = a[i] // b[i]
    out[1, i] = a[i] % b[i]


@avelang.jit
def div_u32(a: al.Tensor((N,), al.u32), b: al.Tensor((N,), al.u32), out: al.Tensor((2, N), al.u32)):
    i = al.thread_id(0)
    out[0, i] = a[i] // b[i]
    out[1, i] = a[i] % b[i]


@pytest.mark.parametrize("kernel, name", [(div_i32, "i32"), (div_u32, "u32")])
def test_floor_division_and_modulo_are_pythons(launch, kernel, name):
    a, b = samples(name, 3), samples(name, 4)
    b[b == 0] = 7
    b[b == -1 if name == "i32" else b == 0] = 3
    b[4:32] = np.arange(1, 29).astype(b.dtype)
    if name == "i32":
        b[8:32:2] = -b[8:32:2]
    out = np.zeros((2, N), a.dtype)
    launch(kernel, a, b, out)
    np.testing.assert_array_equal(out[0], [int(x) // int(y) for x, y in zip(a, b, strict=True)])
    np.testing.assert_array_equal(out[1], [int(x) % int(y) for x, y in zip(a, b, strict=True)])


@avelang.jit
def float_div(a: al.Tensor((N,), al.f32), b: al.Tensor((N,), al.f32), out: al.Tensor((2, N), al.f32)):
    i = al.thread_id(0)
    out[0, i] = a[i] / b[i]
    out[1, i] = a[i] / 3.0


def test_float_division(launch):
    a, b = samples("f32", 3), samples("f32", 4)
    b[0] = 0.5
    out = np.zeros((2, N), np.float32)
    launch(float_div, a, b, out)
    np.testing.assert_allclose(out, np.stack([a / b, a / np.float32(3)]), rtol=1e-6)


@avelang.jit
def bit_ops(a: al.Tensor((N,), al.u32), b: al.Tensor((N,), al.u32), out: al.Tensor((6, N), al.u32)):
    i = al.thread_id(0)
    out[0, i] = a[i] & b[i]
    out[1, i] = a[i] | b[i]
    out[2, i] = a[i] ^ b[i]
    out[3, i] = ~a[i]
    out[4, i] = a[i] << (b[i] & 31)
    out[5, i] = a[i] >> (b[i] & 31)


def test_bit_operators(launch):
    a, b = samples("u32", 5), samples("u32", 6)
    out = np.zeros((6, N), np.uint32)
    launch(bit_ops, a, b, out)
    s = b & 31
    np.testing.assert_array_equal(out, np.stack([a & b, a | b, a ^ b, ~a, a << s, a >> s]))


@avelang.jit
def shift_signed(a: al.Tensor((N,), al.i32), out: al.Tensor((2, N), al.i32)):
    i = al.thread_id(0)
    out[0, i] = a[i] >> 3
    out[1, i] = a[i] << 5


def test_right_shift_of_signed_is_arithmetic(launch):
    a = samples("i32", 7)
    out = np.zeros((2, N), np.int32)
    launch(shift_signed, a, out)
    np.testing.assert_array_equal(out, np.stack([a >> 3, a << 5]))


@avelang.jit
def shift_beyond(a: al.Tensor((N,), al.u32), s: al.Tensor((N,), al.u32), out: al.Tensor((2, N), al.u32)):
    i = al.thread_id(0)
    out[0, i] = a[i] << s[i]
    out[1, i] = a[i] >> s[i]


def test_shifts_by_the_width_or_more_give_zero(launch):
    a = samples("u32", 7)
    s = np.arange(N).astype(np.uint32)
    out = np.zeros((2, N), np.uint32)
    launch(shift_beyond, a, s, out)
    wide = a.astype(np.uint64)
    np.testing.assert_array_equal(out[0], np.where(s < 32, (wide << np.minimum(s, 31)) & 0xFFFFFFFF, 0))
    np.testing.assert_array_equal(out[1], np.where(s < 32, wide >> np.minimum(s, 31), 0))


@avelang.jit
def shift_by_conditions(a: al.Tensor((N,), al.i16), out: al.Tensor((3, N), al.i32)):
    i = al.thread_id(0)
    out[0, i] = a[i] << (a[i] > 4)
    out[1, i] = a[i] >> (a[i] < 0)
    out[2, i] = 5 << (a[i] < 0)


def test_a_condition_may_be_the_count_of_a_shift(launch):
    a = np.arange(-30, N - 30, dtype=np.int16)
    out = np.zeros((3, N), np.int32)
    launch(shift_by_conditions, a, out)
    np.testing.assert_array_equal(out, np.stack([a << (a > 4), a >> (a < 0), 5 << (a < 0).astype(np.int32)]))


def compare_kernel(dtype):
    @avelang.jit
    def compare(a: al.Tensor((N,), dtype), b: al.Tensor((N,), dtype), out: al.Tensor((6, N), al.i32)):
        i = al.thread_id(0)
        x = a[i]
        y = b[i]
        out[0, i] = al.convert(x == y, al.i32)
        out[1, i] = al.convert(x != y, al.i32)
        out[2, i] = al.convert(x < y, al.i32)
        out[3, i] = al.convert(x <= y, al.i32)
        out[4, i] = al.convert(x > y, al.i32)
        out[5, i] = al.convert(x >= y, al.i32)

    return compare


@pytest.mark.parametrize("name", [*INTS, *WIDE_FLOATS])
def test_comparisons(launch, name):
    a, b = samples(name, 8), samples(name, 9)
    b[10:30] = a[10:30]
    if name in FLOATS:
        a[40], b[41] = np.nan, np.nan
        a[42] = b[42] = np.nan
        a[43], b[43] = -0.0, 0.0
    out = np.zeros((6, N), np.int32)
    launch(compare_kernel(getattr(al, name)), a, b, out)
    with np.errstate(invalid="ignore"):
        want = np.stack([a == b, a != b, a < b, a <= b, a > b, a >= b])
    np.testing.assert_array_equal(out, want.astype(np.int32))


@avelang.jit
def logic(a: al.Tensor((N,), al.i32), out: al.Tensor((5, N), al.i32)):
    i = al.thread_id(0)
    x = a[i]
    out[0, i] = al.convert(x > 10 and x < 40, al.i32)
    out[1, i] = al.convert(x < 10 or x > 40, al.i32)
    out[2, i] = al.convert(not x > 10, al.i32)
    out[3, i] = al.convert(10 < x <= 40, al.i32)
    out[4, i] = al.convert((x > 10) & (x < 40), al.i32)


def test_boolean_operators(launch):
    x = np.arange(N, dtype=np.int32)
    out = np.zeros((5, N), np.int32)
    launch(logic, x, out)
    rows = [(x > 10) & (x < 40), (x < 10) | (x > 40), ~(x > 10), (x > 10) & (x <= 40), (x > 10) & (x < 40)]
    np.testing.assert_array_equal(out, np.stack(rows).astype(np.int32))


# -- literals and promotions -------------------------------------------------------------------------------------------


def literal_kernel(dtype):
    @avelang.jit
    def literal(x: al.Tensor((N,), dtype), out: al.Tensor((3, N), dtype)):
        i = al.thread_id(0)
        out[0, i] = x[i] + 1
        out[1, i] = 3 * x[i]
        out[2, i] = 2

    return literal


@pytest.mark.parametrize("name", [*INTS, *WIDE_FLOATS])
def test_a_literal_takes_the_type_of_what_it_meets(launch, name):
    x = samples(name, 10)
    out = np.zeros((3, N), x.dtype)
    launch(literal_kernel(getattr(al, name)), x, out)
    one, three = x.dtype.type(1), x.dtype.type(3)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out, np.stack([x + one, three * x, np.full(N, 2).astype(x.dtype)]))


def float_literal_kernel(dtype):
    @avelang.jit
    def literal(x: al.Tensor((N,), dtype), out: al.Tensor((2, N), dtype)):
        i = al.thread_id(0)
        out[0, i] = x[i] * 0.5 + 0.25
        out[1, i] = -1.5

    return literal


@pytest.mark.parametrize("name", WIDE_FLOATS)
def test_an_exact_float_constant_narrows(launch, name):
    x = samples(name, 11)
    out = np.zeros((2, N), x.dtype)
    launch(float_literal_kernel(getattr(al, name)), x, out)
    half, quarter = x.dtype.type(0.5), x.dtype.type(0.25)
    np.testing.assert_array_equal(out, np.stack([x * half + quarter, np.full(N, -1.5).astype(x.dtype)]))


def mixed_kernel(left, right, result):
    @avelang.jit
    def mixed(a: al.Tensor((N,), left), b: al.Tensor((N,), right), out: al.Tensor((N,), result)):
        i = al.thread_id(0)
        out[i] = a[i] + b[i]

    return mixed


@pytest.mark.parametrize("left, right, result", [
    ("i32", "i64", "i64"), ("i8", "i32", "i32"), ("u8", "i32", "i32"), ("u16", "u32", "u32"), ("i32", "f32", "f32"),
    ("f16", "f32", "f32"),
    ("bf16", "f32", "f32"), ("f32", "f64", "f64"), ("u32", "i64", "i64"),
])  # fmt: skip
def test_mixed_types_take_the_wider(launch, left, right, result):
    rng = np.random.default_rng(12)
    a, b = rng.integers(0, 100, N).astype(NP[left]), rng.integers(0, 100, N).astype(NP[right])
    if right == "i64":
        b = b + (1 << 40)
    out = np.zeros(N, NP[result])
    launch(mixed_kernel(getattr(al, left), getattr(al, right), getattr(al, result)), a, b, out)
    np.testing.assert_array_equal(out, a.astype(NP[result]) + b.astype(NP[result]))


# -- conversions -------------------------------------------------------------------------------------------------------


def convert_kernel(source, target):
    @avelang.jit
    def convert(x: al.Tensor((N,), source), out: al.Tensor((N,), target)):
        i = al.thread_id(0)
        out[i] = al.convert(x[i], target)

    return convert


def check_convert(launch, x, target):
    source = next(n for n, d in NP.items() if np.dtype(d) == x.dtype)
    out = np.zeros(N, NP[target])
    launch(convert_kernel(getattr(al, source), getattr(al, target)), x, out)
    return out


@pytest.mark.parametrize("source, target", [
    ("i32", "i8"), ("i8", "i64"), ("u8", "i32"), ("i32", "u64"), ("i64", "u16"), ("u32", "i32"), ("i16", "u32"),
])  # fmt: skip
def test_integers_wrap_to_integers(launch, source, target):
    x = samples(source, 13)
    np.testing.assert_array_equal(check_convert(launch, x, target), x.astype(NP[target]))


@pytest.mark.parametrize("target", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("source", ["i32", "u32", "i8", "u16"])
def test_integers_to_floats(launch, source, target):
    x = samples(source, 14)
    if target == "f16" and x.itemsize > 1:
        x = (x % 2000).astype(x.dtype)
    # Straight from the integer, with one rounding: through f64, which holds all of these integers.
    np.testing.assert_array_equal(check_convert(launch, x, target), x.astype(np.float64).astype(NP[target]))


@pytest.mark.parametrize("target", ["i8", "u8", "i32", "u32", "i64"])
@pytest.mark.parametrize("source", ["f32", "f64", "f16"])
def test_floats_to_integers_truncate_and_saturate(launch, source, target):
    x = samples(source, 15)
    special = np.array([1.9, -1.9, 0.5, -0.5, 300.0, -300.0, 6e4, -6e4, np.inf, -np.inf, np.nan, 2.999])
    if source != "f16":
        special[6:8] = 1e20, -1e20
    x[: len(special)] = special.astype(x.dtype)
    info = np.iinfo(NP[target])

    def want(v):
        v = float(v)
        if np.isnan(v):
            return 0
        return info.max if v >= info.max else info.min if v <= info.min else int(v)

    np.testing.assert_array_equal(check_convert(launch, x, target), np.array([want(v) for v in x], NP[target]))


@pytest.mark.parametrize("source, target", [
    ("f32", "f16"), ("f32", "bf16"), ("f16", "f32"), ("bf16", "f32"), ("f64", "f32"), ("bf16", "f16"),
    ("f32", "f8e4m3fn"),
    ("f32", "f8e5m2"), ("f32", "f8e4m3fnuz"), ("f32", "f8e5m2fnuz"), ("f8e4m3fn", "f32"), ("f8e5m2", "f32"),
    ("f8e4m3fnuz", "f32"), ("f8e5m2fnuz", "f16"), ("f8e5m2", "bf16"),
])  # fmt: skip
def test_floats_to_floats_round_to_nearest_even(launch, source, target):
    x = samples(source, 16)
    if source == "f32":
        # Ties, subnormals of the narrow types, and numbers at the edges.
        x[3:12] = 1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-8, 1 + 3 * 2**-8, 2**-10, 3 * 2**-11, 2**-17, 240.0, 1.0625
    got, want = check_convert(launch, x, target), x.astype(NP[target])
    np.testing.assert_array_equal(bits(got), bits(want))


@pytest.mark.parametrize("name", ["f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"])
def test_every_fp8_number_reads_right(launch, name):
    for start in range(0, 256, N):
        raw = np.arange(start, start + N, dtype=np.uint8)
        x = raw.view(NP[name])
        np.testing.assert_array_equal(check_convert(launch, x, "f32"), x.astype(np.float32))


@avelang.jit
def cast_bits(x: al.Tensor((N,), al.f32), u: al.Tensor((N,), al.u32), back: al.Tensor((N,), al.f32)):
    i = al.thread_id(0)
    w = al.bitcast(x[i], al.u32)
    u[i] = w
    back[i] = al.bitcast(w ^ 0x80000000, al.f32)


def test_bitcast(launch):
    x = samples("f32", 17)
    u, back = np.zeros(N, np.uint32), np.zeros(N, np.float32)
    launch(cast_bits, x, u, back)
    np.testing.assert_array_equal(u, x.view(np.uint32))
    np.testing.assert_array_equal(back, -x)


@avelang.jit
def scalar_arguments(a: al.i32, b: al.f32, c: al.u8, d: al.i64, e: al.f64, out: al.Tensor((5,), al.f64)):
    out[0] = al.convert(a, al.f64)
    out[1] = al.convert(b, al.f64)
    out[2] = al.convert(c, al.f64)
    out[3] = al.convert(d, al.f64)
    out[4] = e


def test_scalar_arguments(launch):
    out = np.zeros(5)
    launch(scalar_arguments, -7, 0.1, 200, -(1 << 40), 0.1, out, block=1)
    np.testing.assert_array_equal(out, [-7, np.float32(0.1), 200, -(1 << 40), 0.1])


@avelang.jit
def u1_values(x: al.Tensor((N,), al.i32), flag: al.u1, out: al.Tensor((N,), al.i32)):
    i = al.thread_id(0)
    big = x[i] > 30
    if flag:
        big = not big
    out[i] = 1 if big else 0


@pytest.mark.parametrize("flag", [True, False])
def test_u1_is_a_condition(launch, flag):
    x = np.arange(N, dtype=np.int32)
    out = np.zeros(N, np.int32)
    launch(u1_values, x, flag, out)
    np.testing.assert_array_equal(out, ((x > 30) ^ flag).astype(np.int32))


@avelang.jit
def u1_arrays(x: al.Tensor((N,), al.u1), y: al.Tensor((N,), al.u1), out: al.Tensor((3, N), al.u1)):
    i = al.thread_id(0)
    out[0, i] = x[i] & y[i]
    out[1, i] = x[i] != y[i]
    out[2, i] = not x[i]


def test_arrays_of_u1(launch):
    rng = np.random.default_rng(18)
    x, y = rng.integers(0, 2, (2, N)).astype(bool)
    out = np.zeros((3, N), bool)
    launch(u1_arrays, x, y, out)
    np.testing.assert_array_equal(out, np.stack([x & y, x != y, ~x]))


@avelang.jit
def narrow_scalars(a: al.f16, b: al.bf16, c: al.u64, d: al.i8, out: al.Tensor((4,), al.f64)):
    out[0] = al.convert(a, al.f64)
    out[1] = al.convert(b, al.f64)
    out[2] = al.convert(c >> 32, al.f64)
    out[3] = al.convert(d, al.f64)


def test_narrow_and_wide_scalar_arguments(launch):
    out = np.zeros(4)
    launch(narrow_scalars, 0.1, 0.1, (1 << 63) + 5, -128, out, block=1)
    np.testing.assert_array_equal(out, [np.float16(0.1), float(ml_dtypes.bfloat16(0.1)), 1 << 31, -128])


@avelang.jit
def augmented(x: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32)):
    i = al.thread_id(0)
    v = x[i]
    v += 5
    v *= 3
    v -= 1
    v //= 2
    v %= 1000
    v <<= 2
    v >>= 1
    v |= 1
    v &= 0xFFF
    v ^= 3
    out[i] += v
    out[i] -= 1


def test_augmented_assignment(launch):
    x = np.arange(N, dtype=np.int32) * 37
    out = np.full(N, 10, np.int32)
    launch(augmented, x, out)
    v = ((x + 5) * 3 - 1) // 2 % 1000
    v = ((((v << 2) >> 1) | 1) & 0xFFF) ^ 3
    np.testing.assert_array_equal(out, 10 + v - 1)
