"""The emitter for lanes, run on this machine's processor: each op on each dtype against the reference, and random programs against Python."""

from __future__ import annotations

import re

import numpy as np
import pytest

from avelang.ir.build import Builder
from avelang.ir.core import Block, Kernel, Value
from avelang.ir.dtypes import SCALARS, DType, bf16, f16, f32, f64, i32, i64, u1, u8, u32
from avelang.ir.text import parse_kernel, print_kernel
from avelang.ir.types import GLOBAL, LOCAL, PtrType, TensorType, Type, VecType, dtype_of, with_dtype
from avelang.ir.verify import verify
from avelang.sim import reference
from emit.llvm.simt_host import OnHost, aligned
from language.test_random_programs import N, Writer, load, plain_python

LANES = 64
NUMBERS = [d for d in SCALARS if d != u1]
INTS = [d for d in NUMBERS if d.is_int]
FLOATS = [d for d in NUMBERS if d.is_float]


def draw(rng: np.random.Generator, d: DType, n: int, count: int = 1) -> np.ndarray:
    """Random bits, with the numbers among them that break things; `count` a lane."""
    if d == u1:
        return rng.random(n * count) < 0.5
    raw = rng.integers(0, 256, (n * count, d.bytes)).astype(np.uint8).view(d.np).reshape(-1).copy()
    with np.errstate(all="ignore"):
        if d.is_float:
            raw[: n * count // 2] = (rng.standard_normal(n * count // 2) * 3).astype(d.np)
            special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 2.5, 65504.0, 1e-8]
        else:
            raw[: n * count // 3] = rng.integers(0 if d.kind == "uint" else -9, 9, n * count // 3).astype(d.np)
            special = [0, 1, 2, d.max, d.min, d.bits, d.bits - 1, d.max // 2]
        raw[rng.permutation(n * count)[: len(special)]] = np.array(special).astype(d.np)
    return raw


class Bench:
    """A kernel of one wave: operands are loaded for each lane, results are stored for each lane."""

    def __init__(self, seed: int = 3):
        self.body, self.rng = Block(), np.random.default_rng(seed)
        self.b = Builder(self.body)
        self.args: list[np.ndarray] = []
        self.lane = self.b.convert(self.b.lane_id(), i64)
        self.results: list[tuple[int, DType]] = []

    def array(self, nbytes: int) -> tuple[Value, np.ndarray]:
        data = aligned(nbytes, np.uint8)
        self.args.append(data)
        return self.body.add_arg(f"p{len(self.args)}", PtrType(u8, GLOBAL)), data

    def place(self, t: Type) -> Value:
        return self.b.mul(self.lane, self.b.const(size_of(t), i64))

    def operand(self, t: Type, data: np.ndarray | None = None) -> Value:
        count = t.n if isinstance(t, VecType) else 1
        pointer, memory = self.array(LANES * size_of(t))
        memory[:] = (draw(self.rng, dtype_of(t), LANES, count) if data is None else data).view(np.uint8)
        return self.b.ld(pointer, self.place(t), t, dtype_of(t).bytes)

    def keep(self, v: Value) -> None:
        pointer, _ = self.array(LANES * size_of(v.type))
        self.b.st(v, pointer, self.place(v.type), dtype_of(v.type).bytes)
        self.results.append((len(self.args) - 1, dtype_of(v.type)))

    def both(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """(reference, ours) of each result."""
        kernel = Kernel("bench", self.body.args, self.body, {"wave": LANES, "chip": "gfx942", "file": ""})
        verify(kernel, "tensors")
        want = [aligned(a.shape, a.dtype) for a in self.args]
        for w, a in zip(want, self.args, strict=True):
            w[:] = a
        reference.run(kernel, want, (1, 1, 1), (LANES, 1, 1))
        OnHost(parse_kernel(print_kernel(kernel)), (LANES, 1, 1)).run(self.args)
        return [(want[i].view(d.np), self.args[i].view(d.np)) for i, d in self.results]


def size_of(t: Type) -> int:
    return dtype_of(t).bytes * (t.n if isinstance(t, VecType) else 1)


def same(want: np.ndarray, got: np.ndarray, d: DType) -> None:
    """Bit by bit, save the bits of a NaN."""
    if not d.is_float:
        np.testing.assert_array_equal(got, want)
        return
    with np.errstate(all="ignore"):
        nan = np.isnan(want.astype(np.float64))
        assert (np.isnan(got.astype(np.float64)) == nan).all()
    np.testing.assert_array_equal(got.view(f"u{d.bytes}")[~nan], want.view(f"u{d.bytes}")[~nan])


def check(bench: Bench) -> None:
    for (want, got), (_, d) in zip(bench.both(), bench.results, strict=True):
        same(want, got, d)


BINARY = ("add", "sub", "mul", "div", "rem", "floordiv", "mod", "min", "max")
UNARY = ("neg", "abs", "sqrt", "floor", "ceil")


@pytest.mark.parametrize("d", NUMBERS, ids=str)
@pytest.mark.parametrize("count", [0, 3])
def test_arithmetic(d, count):
    """Each op on scalars, and on vectors of three; all in one kernel."""
    bench, t = Bench(), VecType(d, count) if count else d
    for seed, name in enumerate(BINARY):
        bench.rng = np.random.default_rng(seed)
        v = bench.b.same(name, bench.operand(t), bench.operand(t))
        # Which zero is the lesser is not defined: adding zero makes both +0.
        bench.keep(bench.b.add(v, bench.b.const(0, t)) if name in ("min", "max") and d.is_float else v)
    for name in ("and", "or", "xor", "shl", "shr", "not") if d.is_int else ("sqrt", "floor", "ceil"):
        bench.keep(bench.b.same(name, *(bench.operand(t) for _ in range(1 if name in ("not", *UNARY) else 2))))
    for name in ("neg", "abs"):
        bench.keep(bench.b.same(name, bench.operand(t)))
    bench.keep(bench.b.same("fma", *(bench.operand(t) for _ in range(3))))
    for pred in ("eq", "ne", "lt", "le", "gt", "ge"):
        cond = bench.b.cmp(pred, bench.operand(t), bench.operand(t))
        bench.keep(bench.b.select(cond, bench.operand(t), bench.operand(t)))
    check(bench)


@pytest.mark.parametrize("d", NUMBERS, ids=str)
@pytest.mark.parametrize("count", [0, 2])
def test_conversions(d, count):
    bench, t = Bench(), VecType(d, count) if count else d
    for to in SCALARS:
        x = bench.operand(t)
        v = bench.b.convert(x, to)
        bench.keep(v if to != u1 else bench.b.convert(v, u8))
    flag = bench.b.cmp("ne", bench.operand(with_dtype(t, u8)), bench.b.const(0, with_dtype(t, u8)))
    bench.keep(bench.b.convert(flag, d))
    check(bench)


@pytest.mark.parametrize("d", [i32, u8, bf16, f16, f64, DType("f8e4m3fnuz", "float", 8)], ids=str)
def test_vectors_and_constants(d):
    bench = Bench()
    t, b = VecType(d, 8), bench.b
    v = bench.operand(t)
    bench.keep(b.slice(v, 2, 5))
    bench.keep(b.insert(v, b.extract(v, 3), 6))
    index = b.and_(b.lane_id(), b.const(7))
    bench.keep(b.extract(v, index))
    bench.keep(b.insert(v, b.extract(v, 1), index))
    bench.keep(b.vec([b.extract(v, i) for i in (7, 0, 0, 2)]))
    bench.keep(b.bitcast(v, VecType(u8, 8 * d.bytes)))
    bench.keep(b.add(v, b.const((1.0, 2.0, 0.5, 3.0, -1.0, 0.0, 8.0, 2.0) if d.is_float else tuple(range(8)), t)))
    bench.keep(b.add(v, b.const(1.5 if d.is_float else 7, t)))
    check(bench)


def test_conditions_and_local_memory():
    bench = Bench()
    b = bench.b
    x = bench.operand(u32)
    flags = b.vec([b.cmp("lt", b.and_(x, b.const(15)), b.const(i)) for i in range(8)])
    tensor = TensorType(u1, (8,), (1,), LOCAL)
    base = b.base(b.emit("alloc", (), (tensor,), name="flags", align=1).result)
    b.st(flags, base, b.const(0, i64), 1)
    index = b.and_(x, b.const(7))
    one = b.ld(base, b.convert(index, i64), u1, 1)
    other = b.same("xor", one, b.extract(flags, 3))
    bench.keep(b.convert(b.select(other, b.const(5), b.const(9)), i32))
    bench.keep(b.convert(b.same("not", one), u8))
    check(bench)


FUNCTIONS = ("exp", "exp2", "log", "log2", "tanh", "erf", "rsqrt", "sin", "cos")


@pytest.mark.parametrize("d", [f32, f16, bf16], ids=str)
def test_functions(d):
    """Expanded, hence to the last places only; the expansions have tests of their own."""
    bench = Bench()
    for name in FUNCTIONS:
        data = np.abs(np.random.default_rng(4).standard_normal(LANES)).astype(d.np)
        bench.keep(bench.b.same(name, bench.operand(d, data)))
    for want, got in bench.both():
        rtol = {f32: 5e-7, f16: 2e-3, bf16: 1e-2}[d]
        np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=rtol, atol=1e-7)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed, tmp_path):
    """Control flow of every kind, lane by lane, against plain Python."""
    from avelang.frontend.build import build

    text = Writer(100 + seed).program()
    src, out = aligned((2, N), np.int32), aligned((4, N), np.int32)
    src[:] = np.random.default_rng(seed).integers(-50, 100, (2, N))
    kernel = load(text, tmp_path / f"lanes_{seed}.py")
    OnHost(build(kernel.source, {}, None), (N, 1, 1)).run([src, out])
    np.testing.assert_array_equal(out, plain_python(text, src), err_msg=text)


LOOPS = [(0, 7, 2), (5, -9, -3), (0, 0, 1), (3, 1, 1), (1, 3, 0), (2**31 - 9, 2**31 - 1, 5), (-(2**31) + 4, -(2**31), -3), (-5, 5, 1)]


@pytest.mark.parametrize("d", [i32, u32, i64], ids=str)
@pytest.mark.parametrize("known", [True, False], ids=["constant", "run time"])
def test_loops(d, known):
    """Counts, also next to the ends of the type, where a counter that steps over them would never end."""
    bench = Bench()
    b = bench.b
    for start, stop, step in LOOPS:
        if d == u32 and min(start, stop, step) < 0:
            start, stop, step = start % 2**32, (start + 9) % 2**32, abs(step)
        bounds = [b.const(x, d) if known else bench.operand(d, np.full(LANES, x).astype(d.np)) for x in (start, stop, step)]
        body = Block((("i", d), ("n", d), ("s", d)))
        with b.inside(body):
            b.yield_(b.add(body.args[1], b.const(1, d)), b.add(body.args[2], body.args[0]))
        loop = b.emit("for", (*bounds, b.const(0, d), b.const(0, d)), (d, d), (body,))
        for r in loop.results:
            bench.keep(r)
    check(bench)


def test_a_broken_rule_is_noticed(monkeypatch):
    from avelang.emit.llvm import simt_ops

    monkeypatch.setitem(simt_ops.RULES, "sub", simt_ops.RULES["add"])
    real = simt_ops.arith
    monkeypatch.setattr(simt_ops, "arith", lambda w, name, t, *xs: real(w, "add" if name == "sub" else name, t, *xs))
    with pytest.raises(AssertionError):
        test_arithmetic(i32, 0)


def test_names_do_not_clash():
    """A parameter may be called as values and labels of the text are."""
    text = """kernel @k(%v1: ptr<i32, global>, %entry: i32, %loop3: u1, %fine: i32) {'wave': 64, 'chip': 'gfx942', 'file': ''} {
      %z = const {'value': 0} : i64
      %s = add(%entry, %fine) : i32
      %t = select(%loop3, %s, %fine) : i32
      st(%t, %v1, %z) {'align': 4}
    }"""
    out = aligned(4, np.int32)
    on_host = OnHost(parse_kernel(text), (1, 1, 1))
    on_host.run([out, 5, True, 2])
    assert out[0] == 7 and re.search(r"i32 noundef %fine", on_host.text)

