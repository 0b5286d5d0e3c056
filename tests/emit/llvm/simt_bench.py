"""Kernels of one wave that try the ops of the IR, for the tests of emitters: operands with the numbers that break
things come from memory, results go back. The same kernels run on this machine's processor and on GPUs."""

from __future__ import annotations

import numpy as np

from avelang.ir.build import Builder
from avelang.ir.core import Block, Kernel, Value
from avelang.ir.dtypes import SCALARS, DType, i32, i64, u1, u8, u32
from avelang.ir.text import parse_kernel, print_kernel
from avelang.ir.types import GLOBAL, LOCAL, PtrType, TensorType, Type, VecType, dtype_of, with_dtype
from avelang.ir.verify import verify
from avelang.sim import reference
from emit.llvm.simt_host import aligned

NUMBERS = [d for d in SCALARS if d != u1]


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
    """A kernel of one wave of `lanes`: operands are loaded for each lane, results are stored for each lane."""

    def __init__(self, chip: str = "gfx942", lanes: int = 64, seed: int = 3):
        self.chip, self.lanes = chip, lanes
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
        pointer, memory = self.array(self.lanes * size_of(t))
        memory[:] = (draw(self.rng, dtype_of(t), self.lanes, count) if data is None else data).view(np.uint8)
        return self.b.ld(pointer, self.place(t), t, dtype_of(t).bytes)

    def keep(self, v: Value) -> None:
        pointer, _ = self.array(self.lanes * size_of(v.type))
        self.b.st(v, pointer, self.place(v.type), dtype_of(v.type).bytes)
        self.results.append((len(self.args) - 1, dtype_of(v.type)))

    def kernel(self) -> Kernel:
        """The kernel, as a copy of its own."""
        kernel = Kernel("bench", self.body.args, self.body, {"wave": self.lanes, "chip": self.chip, "file": ""})
        verify(kernel, "tensors")
        return parse_kernel(print_kernel(kernel))

    def reference(self) -> list[np.ndarray]:
        """All arrays behind a run on the reference; `args` stay as they are."""
        want = [aligned(a.shape, a.dtype) for a in self.args]
        for w, a in zip(want, self.args, strict=True):
            w[:] = a
        reference.run(self.kernel(), want, (1, 1, 1), (self.lanes, 1, 1))
        return want

    def pairs(self, want: list[np.ndarray], got: list[np.ndarray]) -> list[tuple[np.ndarray, np.ndarray, DType]]:
        """(wanted, got, dtype) of each result."""
        return [(want[i].view(d.np), got[i].view(d.np), d) for i, d in self.results]


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


BINARY = ("add", "sub", "mul", "div", "rem", "floordiv", "mod", "min", "max")
UNARY = ("neg", "abs", "sqrt", "floor", "ceil")


def arithmetic(bench: Bench, d: DType, count: int) -> Bench:
    """Each op on scalars, or on vectors of `count`; all in one kernel."""
    t = VecType(d, count) if count else d
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
    return bench


def conversions(bench: Bench, d: DType, count: int) -> Bench:
    """From a dtype to all others, and from conditions."""
    t = VecType(d, count) if count else d
    for to in SCALARS:
        x = bench.operand(t)
        v = bench.b.convert(x, to)
        bench.keep(v if to != u1 else bench.b.convert(v, u8))
    flag = bench.b.cmp("ne", bench.operand(with_dtype(t, u8)), bench.b.const(0, with_dtype(t, u8)))
    bench.keep(bench.b.convert(flag, d))
    return bench


def vectors(bench: Bench, d: DType) -> Bench:
    """Parts of vectors, by constants and by numbers; constants."""
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
    return bench


def conditions(bench: Bench) -> Bench:
    """Vectors of conditions, and an array of a lane chosen from by number."""
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
    return bench


LOOPS = [
    (0, 7, 2),
    (5, -9, -3),
    (0, 0, 1),
    (3, 1, 1),
    (1, 3, 0),
    (2**31 - 9, 2**31 - 1, 5),
    (-(2**31) + 4, -(2**31), -3),
    (-5, 5, 1),
]


def loops(bench: Bench, d: DType, known: bool) -> Bench:
    """Counts, also next to the ends of the type, where a counter that steps over them would never end."""
    b = bench.b
    for start, stop, step in LOOPS:
        if d == u32 and min(start, stop, step) < 0:
            start, stop, step = start % 2**32, (start + 9) % 2**32, abs(step)
        bounds = [
            b.const(x, d) if known else bench.operand(d, np.full(bench.lanes, x).astype(d.np))
            for x in (start, stop, step)
        ]
        body = Block((("i", d), ("n", d), ("s", d)))
        with b.inside(body):
            b.yield_(b.add(body.args[1], b.const(1, d)), b.add(body.args[2], body.args[0]))
        loop = b.emit("for", (*bounds, b.const(0, d), b.const(0, d)), (d, d), (body,))
        for r in loop.results:
            bench.keep(r)
    return bench
