"""Each pure op against expressions that do not come from the executor: Python integers, rational numbers, `math`."""

from __future__ import annotations

import bisect
import functools
import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from avelang.ir.dtypes import BY_NAME, SCALARS
from avelang.ir.text import parse_kernel
from avelang.sim import reference
from sim.kernels import apply

INTS = [d for d in SCALARS if d.is_int]
SMALL = [d for d in SCALARS if d.is_float and d.bits < 32]
FLOATS = [d for d in SCALARS if d.is_float]


def rng(*key) -> np.random.Generator:
    """A generator whose seed is the text of the key."""
    return np.random.default_rng(list(str(key).encode()))


def ints(d, n: int, *key) -> np.ndarray:
    """Numbers of all sizes, and the ends of the range."""
    r = rng(d.name, *key)
    wide = r.integers(d.min, d.max, n, dtype=d.np, endpoint=True)
    out = wide >> (r.integers(0, d.bits, n).astype(d.np))
    edge = np.array([0, 1, d.max, d.min, 2, d.min + 1, d.max - 1, 3], d.np)
    out[: 8 * 8] = np.repeat(edge, 8) if key and key[-1] == 0 else np.tile(edge, 8)
    return out


def wrap(x: int, d) -> int:
    x &= (1 << d.bits) - 1
    return x - (1 << d.bits) if d.kind == "int" and x > d.max else x


def trunc_div(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def shift(a: int, b: int, d, left: bool) -> int:
    by = b & ((1 << d.bits) - 1)
    return (a << by if by < d.bits else 0) if left else a >> min(by, 200)


INT_OPS = {
    "add": lambda a, b, d: a + b,
    "sub": lambda a, b, d: a - b,
    "mul": lambda a, b, d: a * b,
    "div": lambda a, b, d: -1 if b == 0 else trunc_div(a, b),
    "rem": lambda a, b, d: a if b == 0 else a - b * trunc_div(a, b),
    "floordiv": lambda a, b, d: -1 if b == 0 else a // b,
    "mod": lambda a, b, d: a if b == 0 else a % b,
    "and": lambda a, b, d: a & b,
    "or": lambda a, b, d: a | b,
    "xor": lambda a, b, d: a ^ b,
    "shl": lambda a, b, d: shift(a, b, d, True),
    "shr": lambda a, b, d: shift(a, b, d, False),
    "min": lambda a, b, d: min(a, b),
    "max": lambda a, b, d: max(a, b),
}


@pytest.mark.parametrize("name", INT_OPS)
@pytest.mark.parametrize("d", INTS, ids=str)
def test_integer_arithmetic(name, d):
    a, b = ints(d, 150, 0), ints(d, 150, 1)
    if name in ("shl", "shr"):
        b[70:] = rng(d).integers(0, d.bits + 3, 80)
    got = apply(f"%r = {name}(%x0, %x1) : {d}", [d.name] * 2, d.name, a, b)
    want = [wrap(INT_OPS[name](x, y, d), d) for x, y in zip(a.tolist(), b.tolist())]
    assert got.tolist() == want


@pytest.mark.parametrize("d", INTS, ids=str)
def test_integer_unary_and_fma(d):
    a, b, c = (ints(d, 100, i) for i in range(3))
    assert apply(f"%r = neg(%x0) : {d}", [d.name], d.name, a).tolist() == [wrap(-x, d) for x in a.tolist()]
    assert apply(f"%r = abs(%x0) : {d}", [d.name], d.name, a).tolist() == [wrap(abs(x), d) for x in a.tolist()]
    assert apply(f"%r = not(%x0) : {d}", [d.name], d.name, a).tolist() == [wrap(~x, d) for x in a.tolist()]
    got = apply(f"%r = fma(%x0, %x1, %x2) : {d}", [d.name] * 3, d.name, a, b, c)
    assert got.tolist() == [wrap(x * y + z, d) for x, y, z in zip(a.tolist(), b.tolist(), c.tolist())]


def test_conditions():
    a, b = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    for name, f in {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}.items():
        assert (apply(f"%r = {name}(%x0, %x1) : u1", ["u1"] * 2, "u1", a, b) == f(a, b)).all()
    assert apply("%r = not(%x0) : u1", ["u1"], "u1", a).tolist() == [True, True, False, False]
    assert apply('%r = cmp(%x0, %x1) {"pred": "ne"} : u1', ["u1"] * 2, "u1", a, b).tolist() == [False, True, True, False]


# -- floats: a table of all values of a small type is the independent rounding ---------------------------------------------------------


@functools.cache
def table(name: str) -> tuple[list[Fraction], list[float]]:
    d = BY_NAME[name]
    with np.errstate(invalid="ignore"):
        every = np.arange(1 << d.bits, dtype=np.uint16).astype(f"u{d.bytes}").view(d.np).astype(np.float64)
    values = sorted({float(x) for x in every if math.isfinite(x)})
    return [Fraction(v) for v in values], values


def even(name: str, value: float) -> bool:
    d = BY_NAME[name]
    return int(np.array([value], np.float64).astype(np.float32).astype(d.np).view(f"u{d.bytes}")[0]) % 2 == 0


def rounded(name: str, x: Fraction) -> float:
    """The nearest value of a small dtype, ties to even; out of range: infinity where the format has one, else NaN."""
    exact, values = table(name)
    i = bisect.bisect_left(exact, x)
    beyond = math.nan if name in ("f8e4m3fn", "f8e4m3fnuz", "f8e5m2fnuz") else math.inf
    if i == len(exact):  # the next value up would be the greatest plus one spacing
        last, gap = exact[-1], exact[-1] - exact[-2]
        over = 2 * (x - last) > gap or (2 * (x - last) == gap and not even(name, values[-1]))
        return beyond if over else values[-1]
    if i == 0 and exact[0] != x:
        return -rounded(name, -x)
    if exact[i] == x:
        return values[i]
    low, high = x - exact[i - 1], exact[i] - x
    if low == high:
        return values[i - 1] if even(name, values[i - 1]) else values[i]
    return values[i - 1] if low < high else values[i]


def floats(d, n: int, *key) -> np.ndarray:
    """Every kind of number of a small dtype, from random bits, without NaN and infinities; moderate numbers of a wide one."""
    r = rng(d.name, *key)
    if d.bits >= 32:
        return (r.standard_normal(n) * 2.0 ** r.integers(-20, 20, n)).astype(d.np)
    x = r.integers(0, 1 << d.bits, n).astype(f"u{d.bytes}").view(d.np)
    x[: n // 2] = (r.standard_normal(n // 2) * 4).astype(np.float32).astype(d.np)
    return np.where(np.isfinite(x.astype(np.float32)), x, np.ones(n, d.np))


def same_floats(got: np.ndarray, want) -> None:
    np.testing.assert_array_equal(got.astype(np.float64), np.array(want, np.float64))


FLOAT_OPS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "floordiv": lambda a, b: Fraction(a // b),
    "mod": lambda a, b: a % b,
    "rem": lambda a, b: a - b * math.trunc(a / b),
    "min": min,
    "max": max,
}


@pytest.mark.parametrize("name", FLOAT_OPS)
@pytest.mark.parametrize("d", SMALL, ids=str)
def test_small_float_arithmetic_is_rounded_once(name, d):
    a, b = floats(d, 200, 0), floats(d, 200, 1)
    b = np.where(b == 0, np.ones(200, d.np), b)
    got = apply(f"%r = {name}(%x0, %x1) : {d}", [d.name] * 2, d.name, a, b)
    want = [rounded(d.name, FLOAT_OPS[name](Fraction(float(x)), Fraction(float(y)))) for x, y in zip(a, b)]
    same_floats(got, want)


@pytest.mark.parametrize("d", SMALL, ids=str)
def test_small_fma_rounds_once(d):
    a, b, c = (floats(d, 200, i) for i in range(3))
    got = apply(f"%r = fma(%x0, %x1, %x2) : {d}", [d.name] * 3, d.name, a, b, c)
    # Documented: in f64, then rounded.
    same_floats(got, [rounded(d.name, Fraction(float(x) * float(y) + float(z))) for x, y, z in zip(a, b, c)])


@pytest.mark.parametrize("d", ["f32", "f64"])
def test_wide_float_arithmetic(d):
    t = BY_NAME[d]
    a, b = floats(t, 200, 0), floats(t, 200, 1)
    for name, f in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "rem": np.fmod, "min": np.minimum}.items():
        same_floats(apply(f"%r = {name}(%x0, %x1) : {d}", [d] * 2, d, a, b), f(a, b))
    want = [t.np.type(float(Fraction(float(x)) // Fraction(float(y)))) for x, y in zip(a, b)]
    same_floats(apply(f"%r = floordiv(%x0, %x1) : {d}", [d] * 2, d, a, b), want)
    want = [t.np.type(float(Fraction(float(x)) % Fraction(float(y)))) for x, y in zip(a, b)]
    same_floats(apply(f"%r = mod(%x0, %x1) : {d}", [d] * 2, d, a, b), want)


def test_python_division_of_floats():
    a, b = np.array([1.0, -1.0, 7.5, -7.5, 1.0, -1.0]), np.array([0.1, 0.1, 2.0, 2.0, 0.0, 0.0])
    assert apply("%r = floordiv(%x0, %x1) : f64", ["f64"] * 2, "f64", a, b).tolist() == [9.0, -10.0, 3.0, -4.0, math.inf, -math.inf]
    assert apply("%r = mod(%x0, %x1) : f64", ["f64"] * 2, "f64", a, b).tolist()[:4] == [1.0 % 0.1, -1.0 % 0.1, 1.5, 0.5]


MATH = {
    "exp": math.exp, "exp2": lambda x: 2.0**x, "log": math.log, "log2": math.log2, "tanh": math.tanh, "erf": math.erf, "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x), "sin": math.sin, "cos": math.cos, "floor": math.floor, "ceil": math.ceil,
}  # fmt: skip


@pytest.mark.parametrize("name", MATH)
@pytest.mark.parametrize("d", FLOATS, ids=str)
def test_math_functions(name, d):
    r = rng(name, d)
    x = (
        (r.random(120) * 6 + 0.01 if name in ("log", "log2", "sqrt", "rsqrt") else r.standard_normal(120) * 3)
        .astype(np.float32)
        .astype(d.np)
    )
    x = np.where(x == 0, np.ones(120, d.np), x)
    got = apply(f"%r = {name}(%x0) : {d}", [d.name], d.name, x).astype(np.float64)
    want = np.array([MATH[name](float(v)) for v in x])
    if d.bits >= 32:
        np.testing.assert_allclose(got, want.astype(d.np), rtol=5e-16 if d.bits == 64 else 6e-8)
    else:
        same_floats(got, [rounded(d.name, Fraction(v)) for v in want.tolist()])


def test_f32_functions_are_the_nearest_f32():
    x = np.linspace(-5, 5, 200, dtype=np.float32)
    got = apply("%r = exp(%x0) : f32", ["f32"], "f32", x)
    assert (got == np.array([math.exp(v) for v in x.tolist()]).astype(np.float32)).all()


def test_min_max_prefer_the_number():
    for d in FLOATS:
        a, b = np.array([1, math.nan, math.nan, 2], np.float32).astype(d.np), np.array([math.nan, 3, math.nan, -2], np.float32).astype(d.np)
        got = apply(f"%r = min(%x0, %x1) : {d}", [d.name] * 2, d.name, a, b).astype(np.float32)
        np.testing.assert_array_equal(got, [1, 3, math.nan, -2])
        got = apply(f"%r = max(%x0, %x1) : {d}", [d.name] * 2, d.name, a, b).astype(np.float32)
        np.testing.assert_array_equal(got, [1, 3, math.nan, 2])


@pytest.mark.parametrize("d", [*FLOATS, *INTS], ids=str)
def test_neg_abs_cmp_select(d):
    a, b = (floats(d, 100, 0), floats(d, 100, 1)) if d.is_float else (ints(d, 100, 0), ints(d, 100, 1))
    if d.is_float:
        a[3] = math.nan
        same_floats(apply(f"%r = neg(%x0) : {d}", [d.name], d.name, a), [-float(x) for x in a])
        same_floats(apply(f"%r = abs(%x0) : {d}", [d.name], d.name, a), [abs(float(x)) for x in a])
    kind = float if d.is_float else int
    for pred in ("eq", "ne", "lt", "le", "gt", "ge"):
        got = apply(f'%r = cmp(%x0, %x1) {{"pred": "{pred}"}} : u1', [d.name] * 2, "u1", a, b)
        assert got.tolist() == [getattr(kind(x), f"__{pred}__")(kind(y)) for x, y in zip(a, b)]
    c = np.arange(100) % 3 == 0
    got = apply(f"%r = select(%x0, %x1, %x2) : {d}", ["u1", d.name, d.name], d.name, c, a, b)
    assert got.tobytes() == np.where(c, a, b).tobytes()


# -- conversions -----------------------------------------------------------------------------------------------------------------------


def nearest_f32(x: Fraction) -> float:
    near = np.float32(float(x))
    if not np.isfinite(near):
        return float(near)
    around = [np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))]
    key = lambda c: (abs(Fraction(float(c)) - x), int(c.view(np.uint32)) & 1)
    return float(min((c for c in around if np.isfinite(c)), key=key))


def model_convert(x, source, target):
    """The documented meaning, on Python numbers."""
    if target.kind == "bool":
        return x != 0
    if not target.is_float:
        if source.is_float:
            if math.isnan(x):
                return 0
            return max(target.min, min(target.max, math.trunc(x))) if math.isfinite(x) else (target.max if x > 0 else target.min)
        return wrap(int(x), target)
    if isinstance(x, float) and not math.isfinite(x):
        return math.nan if target.name in ("f8e4m3fn", "f8e4m3fnuz", "f8e5m2fnuz") else x
    if target.bits == 64:
        return float(x)
    if target.bits == 32:
        return nearest_f32(Fraction(x))
    return rounded(target.name, Fraction(x))


@pytest.mark.parametrize("target", SCALARS, ids=str)
@pytest.mark.parametrize("source", SCALARS, ids=str)
def test_convert(source, target):
    if source.is_float:
        x = floats(source, 150)
        x[:6] = np.array([math.nan, math.inf, -math.inf, 0.5, -0.75, 300], np.float32).astype(source.np)
        if source.bits >= 32:
            x[6:18] = np.array(
                [2.0**31, -(2.0**31), 2.0**63, 2.0**64, -(2.0**63), 255.5, 1 + 2**-8, 1 + 2**-8 + 2**-20, -1e30, 65519, 65520, 1e-8]
            )
    elif source.is_int:
        x = ints(source, 150)
        if source.bits == 64:
            # Just beside a midpoint of bf16, f16 and f32: two roundings would go astray.
            x[64:68] = np.array(
                [(1 << 62) + (1 << 54) + 1, (1 << 62) + (1 << 54), (1 << 60) + (1 << 36) + 1, (1 << 40) + (1 << 32) + 1], source.np
            )
    else:
        x = np.arange(150) % 2 == 0
    got = apply(f"%r = convert(%x0) : {target}", [source.name], target.name, x)
    kind = {"bool": bool, "float": float}.get(source.kind, int)
    want = [model_convert(kind(v), source, target) for v in x]
    if target.is_float:
        same_floats(got, want)
    else:
        assert got.tolist() == want


def test_f64_to_bf16_is_not_rounded_twice():
    x = np.array([1 + 2**-8 + 2**-40, 1 + 2**-8, 1 + 2**-7 + 2**-8 - 2**-40, 3.3961775292304957e38])
    got = apply("%r = convert(%x0) : bf16", ["f64"], "bf16", x).astype(np.float64)
    assert got[:3].tolist() == [1 + 2**-7, 1.0, 1 + 2**-7]
    assert x.astype(np.float32).astype(ml_dtypes.bfloat16)[0] != got[0]  # by way of f32, as ml_dtypes before 0.7 goes


# -- vectors -----------------------------------------------------------------------------------------------------------------------------


def test_bitcast_keeps_bits_with_element_zero_lowest():
    x = rng("bits").integers(0, 1 << 32, (70, 2)).astype(np.uint32)
    got = apply("%r = bitcast(%x0) : vec<4 x bf16>", ["vec<2 x u32>"], "vec<4 x bf16>", x)
    assert (got.view(np.uint16)[:, 0] == (x[:, 0] & 0xFFFF)).all() and (got.view(np.uint16)[:, 3] == x[:, 1] >> 16).all()
    back = apply("%r = bitcast(%x0) : u64", ["vec<2 x u32>"], "u64", x)
    assert (back == x[:, 0].astype(np.uint64) + (x[:, 1].astype(np.uint64) << np.uint64(32))).all()
    bits = rng("u1").random((70, 8)) < 0.5
    assert (apply("%r = bitcast(%x0) : u8", ["vec<8 x u1>"], "u8", bits) == (bits * (1 << np.arange(8))).sum(axis=1)).all()


def test_vectors():
    x = np.arange(280, dtype=np.int32).reshape(70, 4)
    i = (np.arange(70) % 4).astype(np.uint8)
    assert (apply('%r = extract(%x0) {"index": 2} : i32', ["vec<4 x i32>"], "i32", x) == x[:, 2]).all()
    assert (apply("%r = extract(%x0, %x1) : i32", ["vec<4 x i32>", "u8"], "i32", x, i) == x[np.arange(70), i]).all()
    assert (apply('%r = slice(%x0) {"start": 1} : vec<2 x i32>', ["vec<4 x i32>"], "vec<2 x i32>", x) == x[:, 1:3]).all()
    want = x.copy()
    want[np.arange(70), i] = -1
    line = "%m = const {'value': -1} : i32\n%r = insert(%x0, %m, %x1) : vec<4 x i32>"
    assert (apply(line, ["vec<4 x i32>", "u8"], "vec<4 x i32>", x, i) == want).all()
    line = "%r = vec(%x0, %x1, %x0) : vec<3 x i32>"
    assert (apply(line, ["i32", "i32"], "vec<3 x i32>", x[:, 0].copy(), x[:, 1].copy()) == x[:, [0, 1, 0]]).all()
    line = '%c = cmp(%x0, %x1) {"pred": "lt"} : vec<4 x u1>\n%r = select(%c, %x0, %x1) : vec<4 x i32>'
    y = x[::-1].copy()
    assert (apply(line, ["vec<4 x i32>"] * 2, "vec<4 x i32>", x, y) == np.minimum(x, y)).all()
    line = '%s = extract(%x0) {"index": 0} : i32\n%k = const {"value": 9} : i32\n%c = cmp(%s, %k) {"pred": "gt"} : u1\n'
    line += "%r = select(%c, %x0, %x1) : vec<4 x i32>"
    assert (apply(line, ["vec<4 x i32>"] * 2, "vec<4 x i32>", x, y) == np.where(x[:, :1] > 9, x, y)).all()
    line = "%r = fma(%x0, %x1, %x0) : vec<4 x f32>"
    f = x.astype(np.float32)
    assert (apply(line, ["vec<4 x f32>"] * 2, "vec<4 x f32>", f, f) == f * f + f).all()


def test_constants():
    line = "%c = const {'value': (1, 2.5, -inf, nan)} : vec<4 x bf16>\n%r = add(%x0, %c) : vec<4 x bf16>"
    got = apply(line, ["vec<4 x bf16>"], "vec<4 x bf16>", np.zeros((3, 4), ml_dtypes.bfloat16)).astype(np.float32)
    np.testing.assert_array_equal(got, [[1, 2.5, -math.inf, math.nan]] * 3)
    line = "%c = const {'value': -1} : u16\n%r = xor(%x0, %c) : u16"
    assert apply(line, ["u16"], "u16", np.array([0, 5], np.uint16)).tolist() == [0xFFFF, 0xFFFA]


@pytest.mark.parametrize("t", ["f16", "bf16", "f32", "f64"])
def test_zeros_have_an_order(t):
    """IEEE 754-2019's maximumNumber: of two zeros the one with the sign is the lesser, whichever comes first."""
    for a, b in ((0.0, -0.0), (-0.0, 0.0)):
        kernel = parse_kernel(
            f"kernel @k(%o: tensor<{t}, (2):(1), global>) {{'wave': 64, 'chip': ''}} {{\n %a = const {{'value': {a}}} : {t}\n"
            f" %b = const {{'value': {b}}} : {t}\n %g = max(%a, %b) : {t}\n %l = min(%a, %b) : {t}\n %i = const {{'value': 0}} : u32\n"
            " %j = const {'value': 1} : u32\n store(%g, %o, %i)\n store(%l, %o, %j)\n}"
        )
        out = np.ones(2, kernel.params[0].type.dtype.np)
        reference.run(kernel, [out], (1, 1, 1), (1, 1, 1))
        assert np.signbit(out).tolist() == [False, True]
