"""Random programs: the reference on the IR as it is built, against the CPU backend's machine code after all passes, bit
for bit.

A program reads four columns of numbers a thread, computes with them in nested divergent branches and loops, talks
through shuffles and shared memory, and writes its variables back. Operations whose last bit is the backend's own (exp
and its like) take no part."""

import ctypes
import os

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from avelang import pipeline
from avelang.emit.llvm import cpu
from avelang.ir.build import Builder
from avelang.ir.core import Block, Kernel, Value
from avelang.ir.dtypes import DType, bf16, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
from avelang.ir.text import parse_kernel, print_kernel
from avelang.ir.types import GLOBAL, SHARED, PtrType, TensorType
from avelang.ir.verify import verify
from avelang.llvm.core import HostCompiler
from avelang.llvm.engine import LoadedCode
from avelang.sim import reference

INTS = (i8, u8, i16, u16, i32, u32, i64, u64)
FLOATS = (f32, f64, f16, bf16)
KINDS = INTS + FLOATS
HOST = HostCompiler(1)
# AVE_RANDOM_PROGRAMS=N draws more of them. Not shrunk: the text of the kernel in the message reads well as it is.
EXAMPLES = int(os.environ.get("AVE_RANDOM_PROGRAMS", "60"))
BLOCKS = ((64, 1, 1), (100, 1, 1), (8, 8, 2), (16, 3, 1), (192, 1, 1))


class Program:
    """Draws a program. `vars` are the runtime values of each dtype in scope; every statement adds to them."""

    def __init__(self, draw, block):
        self.draw, self.extent = draw, block
        self.threads = block[0] * block[1] * block[2]
        self.body = Block()
        self.kernel = Kernel("random", self.body.args, self.body, {"wave": 64, "chip": "", "file": "random.py"})
        self.b = Builder(self.body)
        self.inputs = [self.body.add_arg(f"in{i}", PtrType(d, GLOBAL)) for i, d in enumerate((i32, u32, f32, i64))]
        self.outputs = [self.body.add_arg(f"out{i}", PtrType(d, GLOBAL)) for i, d in enumerate(KINDS)]
        self.n = self.body.add_arg("n", u32)
        self.vars: dict[DType, list[Value]] = {d: [] for d in KINDS}
        self.budget = 24

    def pick(self, d: DType) -> Value:
        if not self.vars[d] or self.draw(st.integers(0, 7)) == 0:
            limits = st.integers(d.min, d.max) if d.is_int else st.sampled_from([0.0, -0.0, 1.5, -2.25, 1e3, 3.0e-5,
                                                                                 float("inf")])
            return self.b.const(self.draw(limits), d)
        return self.draw(st.sampled_from(self.vars[d][-6:]))

    def condition(self) -> Value:
        d = self.draw(st.sampled_from(KINDS))
        return self.b.cmp(self.draw(st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"])), self.pick(d), self.pick(d))

    def statement(self, depth: int) -> None:
        self.budget -= 1
        kind = self.draw(st.sampled_from(["arith"] * 6 + ["convert"] * 2 + ["select", "bitcast", "shuffle", "if",
                                                                            "for", "vector", "exchange"]))
        if kind in ("if", "for") and (depth >= 2 or self.budget < 3):
            kind = "arith"
        if kind == "exchange" and depth:
            kind = "select"
        getattr(self, "do_" + kind)(depth)

    def do_arith(self, depth: int) -> None:
        d = self.draw(st.sampled_from(KINDS))
        names = ["add", "sub", "mul", "min", "max", "neg", "abs"]
        names += ["div", "rem", "floordiv", "mod", "and", "or", "xor", "not", "shl",
                  "shr"] if d.is_int else ["div", "sqrt", "floor", "ceil"]
        name = self.draw(st.sampled_from(names))
        unary = name in ("neg", "abs", "not", "sqrt", "floor", "ceil")
        self.vars[d].append(self.b.same(name, *(self.pick(d) for _ in range(1 if unary else 2))))

    def do_convert(self, depth: int) -> None:
        a, d = self.draw(st.sampled_from(KINDS)), self.draw(st.sampled_from(KINDS))
        self.vars[d].append(self.b.convert(self.pick(a), d))

    def do_bitcast(self, depth: int) -> None:
        a = self.draw(st.sampled_from(KINDS))
        d = self.draw(st.sampled_from([d for d in KINDS if d.bits == a.bits and d.is_int]))
        # Out of a NaN's bits nothing is promised; integers only.
        if a.is_int:
            self.vars[d].append(self.b.bitcast(self.pick(a), d))

    def do_select(self, depth: int) -> None:
        d = self.draw(st.sampled_from(KINDS))
        self.vars[d].append(self.b.select(self.condition(), self.pick(d), self.pick(d)))

    def do_vector(self, depth: int) -> None:
        d = self.draw(st.sampled_from(KINDS))
        v = self.b.vec([self.pick(d) for _ in range(4)])
        v = self.b.insert(self.b.add(v, v), self.pick(d), self.b.and_(self.pick(u32), self.b.const(3)))
        self.vars[d].append(self.b.extract(self.b.slice(v, 1, 3), self.draw(st.integers(0, 2))))
        self.vars[d].append(self.b.extract(v, self.b.and_(self.pick(u32), self.b.const(3))))

    def do_shuffle(self, depth: int) -> None:
        # The value of an inactive lane, in divergent code or beyond the end of the block, is nobody's promise.
        if depth == 0 and self.threads % 64 == 0:
            d = self.draw(st.sampled_from(KINDS))
            kind, width = self.draw(st.sampled_from(["idx", "up", "down",
                                                     "xor"])), self.draw(st.sampled_from([2, 8, 32, 64]))
            self.vars[d].append(self.b.shuffle(kind, self.pick(d), self.pick(self.draw(st.sampled_from([u32, i32]))),
                                               width))

    def do_exchange(self, depth: int) -> None:
        d = self.draw(st.sampled_from(KINDS))
        t = TensorType(d, (256,), (1,), SHARED)
        shared = self.b.emit("alloc", (), (t,), name=f"s{self.budget}", align=16).result
        self.b.emit("store", (self.pick(d), shared, self.thread))
        self.b.emit("barrier")
        other = self.b.same("mod", self.b.add(self.pick(u32), self.thread), self.b.const(self.threads))
        self.vars[d].append(self.b.emit("load", (shared, other), (d,)).result)

    def nested(self, block: Block, depth: int, results: list[DType]) -> None:
        saved = {d: list(v) for d, v in self.vars.items()}
        with self.b.inside(block):
            for _ in range(self.draw(st.integers(1, 4))):
                if self.budget > 0:
                    self.statement(depth)
            self.b.yield_(*(self.pick(d) for d in results))
        self.vars = saved

    def do_if(self, depth: int) -> None:
        results = self.draw(st.lists(st.sampled_from(KINDS), max_size=2))
        then, other = Block(), Block()
        cond = self.condition()
        op = self.b.emit("if", (cond,), tuple(results), (then, other))
        self.nested(then, depth + 1, results)
        self.nested(other, depth + 1, results)
        for d, r in zip(results, op.results, strict=True):
            self.vars[d].append(r)

    def do_for(self, depth: int) -> None:
        results = self.draw(st.lists(st.sampled_from(KINDS), max_size=2))
        bound = self.b.const(self.draw(st.integers(0, 3))) if self.draw(st.booleans()) else self.b.and_(self.pick(u32),
                                                                                                        self.b.const(3))
        inits = [self.pick(d) for d in results]
        body = Block((("i", u32), *(("", d) for d in results)))
        op = self.b.emit("for", (self.b.const(0), bound, self.b.const(1), *inits), tuple(results), (body,))
        saved = {d: list(v) for d, v in self.vars.items()}
        self.vars[u32].append(body.args[0])
        for d, a in zip(results, body.args[1:], strict=True):
            self.vars[d].append(a)
        self.nested(body, depth + 1, results)
        self.vars = saved
        for d, r in zip(results, op.results, strict=True):
            self.vars[d].append(r)

    def build(self) -> Kernel:
        b = self.b
        x, y, z = (b.emit("thread_id", (), (u32,), dim=i).result for i in range(3))
        bx, by = b.const(self.extent[0]), b.const(self.extent[1])
        self.thread = b.add(b.mul(b.add(b.mul(z, by), y), bx), x)
        for p in self.inputs:
            d = p.type.dtype
            tensor = b.emit("make_tensor", (p,), (TensorType(d, (256,), (1,), GLOBAL),), name="in").result
            self.vars[d].append(b.emit("load", (tensor, self.thread), (d,)).result)
        self.vars[u32] += [self.n, self.thread]
        while self.budget > 0:
            self.statement(0)
        for p in self.outputs:
            d = p.type.dtype
            tensor = b.emit("make_tensor", (p,), (TensorType(d, (256,), (1,), GLOBAL),), name="out").result
            value = self.pick(d)
            guard = self.condition() if self.draw(st.integers(0, 3)) == 0 else None
            if guard is None:
                b.emit("store", (value, tensor, self.thread))
            else:
                with b.if_(guard):
                    b.emit("store", (value, tensor, self.thread))
        return self.kernel


def native(kernel: Kernel, args: list) -> None:
    emitted = cpu.emit(kernel)
    code = LoadedCode(HOST.object(emitted.text))
    run = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 2, ctypes.c_int64, ctypes.c_int64,
                           ctypes.c_void_p)(code.address(emitted.entry))
    slots = np.array([a.ctypes.data if isinstance(a, np.ndarray) else a for a in args], np.uint64)
    grid = np.array([1, 1, 1, *[0] * 5], np.uint32)  # and what a launch that obeys signals holds behind it
    scratch = np.zeros(emitted.scratch_bytes + 64, np.uint8)
    assert run(slots.ctypes.data, grid.ctypes.data, 0, 1, -(-scratch.ctypes.data // 64) * 64) == 0


def same_bits(a: np.ndarray, b: np.ndarray, what: str) -> None:
    if a.dtype.kind != "i" and a.dtype.kind != "u":
        # NaNs are alike whatever their bits.
        nan = a != a
        np.testing.assert_array_equal(nan, b != b, err_msg=what)
        a, b = np.where(nan, 0, a).astype(a.dtype), np.where(nan, 0, b).astype(b.dtype)
    np.testing.assert_array_equal(a.view(f"u{a.itemsize}"), b.view(f"u{b.itemsize}"), err_msg=what)


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, phases=[Phase.generate],
          suppress_health_check=list(HealthCheck))
@given(st.data())
def test_reference_and_cpu_agree(data):
    block = data.draw(st.sampled_from(BLOCKS))
    kernel = Program(data.draw, block).build()
    verify(kernel)
    text = print_kernel(kernel)
    rng = np.random.default_rng(data.draw(st.integers(0, 5)))
    inputs = [rng.integers(-(2**31), 2**31, 256).astype(np.int32), rng.integers(0, 9, 256).astype(np.uint32),
              (rng.standard_normal(256) * 10).astype(np.float32), rng.integers(-(2**62), 2**62, 256)]  # fmt: skip
    want, got = ([np.zeros(256, d.np) for d in KINDS] for _ in range(2))
    reference.run(kernel, [*inputs, *want, 3], (1, 1, 1), block)
    again = parse_kernel(text)
    pipeline.cpu(again, block)
    verify(again, "addresses")
    native(again, [*inputs, *got, 3])
    for d, w, g in zip(KINDS, want, got, strict=True):
        same_bits(w, g, f"{d}\n{text}")
