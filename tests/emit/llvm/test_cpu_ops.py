"""Every op on every dtype as native code, in vector and in scalar form, against the reference executor bit for bit."""

from __future__ import annotations

import re

import numpy as np
import pytest

from avelang.ir.dtypes import BY_NAME, SCALARS, DType
from avelang.ir.text import parse_kernel
from avelang.ir.verify import verify
from avelang.sim import reference
from emit.llvm.native import Native

INTS = [d for d in SCALARS if d.is_int]
FLOATS = [d for d in SCALARS if d.is_float]
BINARY = {
    "int": ["add", "sub", "mul", "div", "rem", "floordiv", "mod", "and", "or", "xor", "shl", "shr", "min", "max"],
    "float": ["add", "sub", "mul", "div", "min", "max", "rem", "floordiv", "mod"],
}
UNARY = {"int": ["not", "neg", "abs"], "float": ["neg", "abs", "sqrt", "floor", "ceil"]}
N = 192


def numbers(d: DType, seed: int, n: int = N) -> np.ndarray:
    """Numbers of a dtype with the awkward ones among them."""
    rng = np.random.default_rng(seed)
    if d.kind == "bool":
        return rng.integers(0, 2, n).astype(bool)
    if d.is_int:
        edge = [0, 1, 2, 3, 7, d.bits - 1, d.bits, d.bits + 1, d.min, d.max, d.max - 1, d.min + 1] + (
            [-1, -2, -7] if d.kind == "int" else []
        )
        out = np.concatenate(
            [rng.integers(d.min, d.max, n // 2, dtype=d.np, endpoint=True), rng.integers(0, 9, n - n // 2).astype(d.np)]
        )
    else:
        edge = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5,
            2.5,
            np.inf,
            -np.inf,
            np.nan,
            448.0,
            464.0,
            240.0,
            1e-3,
            2.0**-9,
            65504.0,
            65520.0,
            3e38,
            1e-40,
        ]
        with np.errstate(all="ignore"):
            out = (
                (rng.standard_normal(n) * 10.0 ** rng.integers(-4, 5, n))
                .astype(np.float64)
                .astype(np.float32)
                .astype(d.np)
            )
    with np.errstate(all="ignore"):
        edge = (
            np.array(edge).astype(np.float32).astype(d.np)
            if d.is_float
            else np.array([x & ((1 << d.bits) - 1) for x in edge], np.uint64).astype(d.np)
        )
    out[rng.permutation(n)[: len(edge)]] = edge
    return out


Result = tuple[str, DType]  # ops that define %r, and its dtype


def kernel(results: list[Result], inputs: list[DType], uniform: bool):
    """A kernel that loads %x0, %x1, ... of each thread (or of the block, alike in all lanes), and stores each
    result."""
    params = ", ".join(
        [
            *(f"%p{i}: ptr<{d}, global>" for i, d in enumerate(inputs)),
            *(f"%q{i}: ptr<{d}, global>" for i, (_, d) in enumerate(results)),
        ]
    )
    lines = [
        '%t = thread_id {"dim": 0} : u32',
        '%b = block_id {"dim": 0} : u32',
        '%w = const {"value": 64} : u32',
        "%bw = mul(%b, %w) : u32",
        "%own = add(%bw, %t) : u32",
        f"%i = convert({'%b' if uniform else '%own'}) : i64",
        "%j = convert(%own) : i64",
    ]
    for i, d in enumerate(inputs):
        lines += [
            f'%s{i} = const {{"value": {d.bytes}}} : i64',
            f"%f{i} = mul(%i, %s{i}) : i64",
            f'%x{i} = ld(%p{i}, %f{i}) {{"align": {d.bytes}}} : {d}',
        ]
    for i, (body, d) in enumerate(results):
        lines += [
            re.sub(r"%(r|c)\b", rf"%\g<1>_{i}", body),
            f'%so{i} = const {{"value": {d.bytes}}} : i64',
            f"%fo{i} = mul(%j, %so{i}) : i64",
        ]
        lines.append(f'st(%r_{i}, %q{i}, %fo{i}) {{"align": {d.bytes}}}')
    k = parse_kernel(f"kernel @k({params}) {{'wave': 64, 'block': (64, 1, 1)}} {{\n" + "\n".join(lines) + "\n}\n")
    verify(k, "addresses")
    return k


def same(body: str, got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Where two results agree: bit for bit but for the bits of NaN, and for the sign of the zero that is the lesser of
    two zeros."""
    if got.dtype.kind in "iub":
        return got == want
    a, b = got.astype(np.float64), want.astype(np.float64)
    zeros = (a == 0) & (b == 0) if "= min(" in body or "= max(" in body else np.zeros(a.shape, bool)
    return (np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b))) | zeros


def check(results: list[Result], inputs: list[DType], arrays: list[np.ndarray], uniform: bool) -> None:
    k = kernel(results, inputs, uniform)
    got, want = ([np.zeros(N, d.np) for _, d in results] for _ in range(2))
    Native(k).run([*arrays, *got], (N // 64, 1, 1))
    reference.run(k, [*arrays, *want], (N // 64, 1, 1), (64, 1, 1))
    for (body, _), g, x in zip(results, got, want, strict=True):
        bad = np.flatnonzero(~same(body, g, x))
        assert not bad.size, (body, [(i, [v[i // 64 if uniform else i] for v in arrays], g[i], x[i]) for i in bad[:5]])


@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize("d", INTS + FLOATS, ids=str)
def test_arithmetic(d: DType, uniform: bool):
    """All ops of two operands and of one."""
    arrays = [numbers(d, 1), numbers(d, 2)]
    kind = "float" if d.is_float else "int"
    results = [(f"%r = {name}(%x0, %x1) : {d}", d) for name in BINARY[kind]] + [
        (f"%r = {name}(%x0) : {d}", d) for name in UNARY[kind]
    ]
    check(results, [d, d], arrays, uniform)


@pytest.mark.parametrize("d", INTS + FLOATS, ids=str)
def test_compare_select_and_fma(d: DType):
    arrays = [numbers(d, 3), numbers(d, 4), numbers(d, 5)]
    arrays[1][::5] = arrays[0][::5]
    results = [
        (f'%r = cmp(%x0, %x1) {{"pred": "{pred}"}} : u1', BY_NAME["u1"])
        for pred in ("eq", "ne", "lt", "le", "gt", "ge")
    ]
    results.append((f'%c = cmp(%x0, %x1) {{"pred": "lt"}} : u1\n%r = select(%c, %x1, %x2) : {d}', d))
    results.append((f"%r = fma(%x0, %x1, %x2) : {d}", d))
    check(results, [d] * 3, arrays, False)


@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize("src", SCALARS, ids=str)
def test_convert(src: DType, uniform: bool):
    check([(f"%r = convert(%x0) : {dst}", dst) for dst in SCALARS], [src], [numbers(src, 6)], uniform)


@pytest.mark.parametrize("src", INTS[-2:], ids=str)
def test_wide_integers_round_once(src: DType):
    """Integers beyond 53 bits, close to halfway between two narrow floats."""
    rng = np.random.default_rng(7)
    x = (np.uint64(1) << rng.integers(54, 63, N).astype(np.uint64)) + rng.integers(0, 3, N).astype(np.uint64)
    half = x | (x >> np.uint64(9)) | (x >> np.uint64(12)) | (x >> np.uint64(4))
    check(
        [(f"%r = convert(%x0) : {dst}", BY_NAME[dst]) for dst in ("bf16", "f16", "f8e5m2", "f32")],
        [src],
        [half.astype(src.np)],
        False,
    )


@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize("d", [BY_NAME["f32"], BY_NAME["f64"]], ids=str)
def test_rsqrt(d: DType, uniform: bool):
    """The one function that passes leave to the emitter: a root and a division, rounded each."""
    x = np.abs(numbers(d, 8))
    got = np.zeros(N, d.np)
    Native(kernel([(f"%r = rsqrt(%x0) : {d}", d)], [d], uniform)).run([x, got], (N // 64, 1, 1))
    x = np.repeat(x[: N // 64], 64) if uniform else x
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(got, d.np.type(1) / np.sqrt(x))


def test_bits_of_lane_numbers_need_no_instruction_per_lane():
    """Arithmetic on thread numbers is done when the code is made: the coordinates reach memory as one vector store of a
    constant."""
    text = """kernel @k(%o: ptr<u32, global>) {'wave': 64, 'block': (64, 1, 1)} {
      %t = thread_id {"dim": 0} : u32
      %five = const {"value": 5} : u32
      %m = const {"value": 31} : u32
      %hi = shr(%t, %five) : u32
      %lo = and(%t, %m) : u32
      %x = xor(%lo, %hi) : u32
      %y = mul(%x, %five) : u32
      %i = convert(%t) : i64
      %s = const {"value": 4} : i64
      %f = mul(%i, %s) : i64
      st(%y, %o, %f) {"align": 4}
    }
    """
    native = Native(parse_kernel(text))
    assert " mul <64" not in native.emitted.text and " xor <64" not in native.emitted.text
    out = np.zeros(64, np.uint32)
    native.run([out])
    t = np.arange(64)
    np.testing.assert_array_equal(out, ((t & 31) ^ (t >> 5)) * 5)
