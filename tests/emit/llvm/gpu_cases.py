"""Kernels with arguments and a measure of what comes out, for backends that make code for a GPU: the same cases run on
a real one (`tests/gpu`) and on the executor of gfx942 code."""

from __future__ import annotations

import dataclasses
import pathlib
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np

from avelang import arch
from avelang.frontend.build import build
from avelang.ir.core import Kernel
from avelang.ir.dtypes import DType, bf16, f16, f32, f64, i32, i64, u1, u8, u32, u64
from avelang.ir.types import VecType
from avelang.isa.row import ROWS
from emit.llvm import gpu_kernels, simt_bench
from emit.llvm.gpu_rows import RowKernel, size_of
from emit.llvm.simt_bench import NUMBERS, Bench
from language.test_random_programs import N, Writer, load, plain_python

Three = tuple[int, int, int]


@dataclasses.dataclass
class Case:
    """`make(chip)` gives the kernel, in phase "tensors", and its arguments; `check(want, got)` gets both lists of
    arguments behind a run and gives the worst difference, which must be at most `most`. `want` replaces the reference
    where something else is the measure. `block`: None is one wave."""

    name: str
    make: Callable[[str], tuple[Kernel, list[Any]]]
    check: Callable[[list[Any], list[Any]], float]
    block: Three | None = None
    grid: Three = (1, 1, 1)
    most: float = 0.0
    want: Callable[[list[Any]], list[Any]] | None = None


def differing(want: list[Any], got: list[Any]) -> float:
    """How many elements differ, bit by bit; NaNs are all one."""
    total = 0
    for w, g in zip(want, got, strict=True):
        if isinstance(w, np.ndarray):
            total += int(_differs(w, g).sum())
    return float(total)


def _differs(w: np.ndarray, g: np.ndarray) -> np.ndarray:
    bits = f"u{w.dtype.itemsize}"
    out = w.view(bits) != g.view(bits)
    if w.dtype.kind not in "iub":
        with np.errstate(all="ignore"):
            out &= ~(np.isnan(w.astype(np.float64)) & np.isnan(g.astype(np.float64)))
    return out


def farthest(want: list[Any], got: list[Any]) -> float:
    """The greatest relative difference, to one at least."""
    worst = 0.0
    for w, g in zip(want, got, strict=True):
        if isinstance(w, np.ndarray):
            a, b = w.astype(np.float64), g.astype(np.float64)
            worst = max(worst, float(np.max(np.abs(a - b) / np.maximum(1, np.abs(a)))))
    return worst


# -- benches: the ops of the IR ----------------------------------------------------------------------------------------


def bench_case(name: str, fill: Callable[[Bench], Bench], tolerance: float | None = None) -> Case:
    held: dict[str, Bench] = {}

    def make(chip: str) -> tuple[Kernel, list[Any]]:
        bench = held["bench"] = fill(Bench(chip, arch.chip(chip).wave))
        return bench.kernel(), bench.args

    def check(want: list[Any], got: list[Any]) -> float:
        pairs = held["bench"].pairs(want, got)
        measure = differing if tolerance is None else farthest
        return max(measure([w], [g]) for w, g, _ in pairs)

    return Case(name, make, check, most=tolerance or 0.0)


def shuffles(bench: Bench) -> Bench:
    """Every kind and width, by constants and by numbers, on words, halves, pairs and vectors."""
    b = bench.b
    for t in (i32, f64, u8, VecType(bf16, 3), u1):
        v = bench.operand(t) if t != u1 else b.cmp("ne", bench.operand(u8), b.const(0, u8))
        for kind in ("idx", "up", "down", "xor"):
            for width in (1, 8, 32, 64)[: 3 + (bench.lanes == 64)]:
                for by in (0, 1, 5, 40):
                    bench.keep(_byte(b, b.shuffle(kind, v, b.const(by), width)))
    v = bench.operand(i32)
    for d in (i32, u32, i64):
        by = bench.operand(d, np.random.default_rng(1).integers(0 if d == u32 else -9, 40, bench.lanes).astype(d.np))
        for kind in ("idx", "up", "down", "xor"):
            for width in (4, 32):
                bench.keep(b.shuffle(kind, v, by, width))
    return bench


def _byte(b: Any, v: Any) -> Any:
    return b.convert(v, u8) if v.type == u1 else v


def ballots(bench: Bench) -> Bench:
    b = bench.b
    x = bench.operand(u32)
    odd = b.cmp("ne", b.and_(x, b.const(1)), b.const(0))
    bench.keep(b.emit("ballot", (odd,), (u64,)).result)
    with b.if_(odd):
        bench.keep(b.emit("ballot", (b.cmp("lt", x, b.const(1 << 31)),), (u64,)).result)
    return bench


def functions(d: DType, name: str) -> Callable[[Bench], Bench]:
    def fill(bench: Bench) -> Bench:
        rng = np.random.default_rng(4)
        for low, high in ((0.01, 3), (-8, 8), (-80, 80)):
            data = rng.uniform(max(low, 1e-3) if name in ("log", "log2", "rsqrt") else low, high, bench.lanes).astype(
                d.np
            )
            bench.keep(bench.b.same(name, bench.operand(d, data)))
        return bench

    return fill


def benches() -> Iterator[Case]:
    for d in NUMBERS:
        for count in (0, 2):
            yield bench_case(
                f"arithmetic {d} x{count or 1}", lambda b, d=d, count=count: simt_bench.arithmetic(b, d, count)
            )
            yield bench_case(
                f"conversions {d} x{count or 1}", lambda b, d=d, count=count: simt_bench.conversions(b, d, count)
            )
    for d in (i32, u8, bf16, f16, f64):
        yield bench_case(f"vectors {d}", lambda b, d=d: simt_bench.vectors(b, d))
    for d in (i32, u32, i64):
        for known in (True, False):
            yield bench_case(
                f"loops {d} {'constant' if known else 'run time'}",
                lambda b, d=d, known=known: simt_bench.loops(b, d, known),
            )
    yield bench_case("conditions", simt_bench.conditions)
    yield bench_case("shuffles", shuffles)
    yield bench_case("ballots", ballots)
    for d, tolerance in ((f32, 6e-7), (f16, 2e-3), (bf16, 1e-2)):
        for name in ("exp", "exp2", "log", "log2", "tanh", "erf", "rsqrt", "sin", "cos"):
            # Relative to the value from one up, so that exp(80) counts as exp(1) does; f16 overflows in the reference
            # and here alike.
            if d != f16 or name not in ("exp", "exp2"):
                yield bench_case(f"{name} {d}", functions(d, name), tolerance)


# -- kernels of the language -------------------------------------------------------------------------------------------


def language(name: str, kernel: Any, args: Callable[[np.random.Generator], list[Any]], block: Three,
    grid: Three = (1, 1, 1), most: float = 0.0,
             **constexprs: Any) -> Case:  # fmt: skip
    def make(chip: str) -> tuple[Kernel, list[Any]]:
        return build(kernel.source, constexprs, arch.chip(chip)), args(np.random.default_rng(11))

    return Case(name, make, differing if not most else farthest, block, grid, most)


def kernels(wave: int) -> Iterator[Case]:
    g, i4, f4, b2 = gpu_kernels, np.int32, np.float32, ml_dtypes.bfloat16

    def ints(r: np.random.Generator, *shape: int) -> np.ndarray:
        return r.integers(-99, 99, shape).astype(i4)

    def floats(r: np.random.Generator, *shape: int, dtype: Any = f4) -> np.ndarray:
        return r.standard_normal(shape).astype(dtype)

    yield language("axpy", g.axpy, lambda r: [1.5, floats(r, 1000), floats(r, 1000), 1000], (64, 1, 1), (16, 1, 1))
    yield language("copy_words", g.copy_words, lambda r: [ints(r, 256, 4), ints(r, 256, 4)], (64, 1, 1), (4, 1, 1))
    yield language("turn", g.turn, lambda r: [ints(r, 64, 64), ints(r, 64, 64)], (16, 16, 1), (4, 4, 1), TILE=16)
    yield language("registers", g.registers, lambda r: [floats(r, 64, 16), floats(r, 64, 16)], (64, 1, 1))
    yield language(
        "row_sums", g.row_sums, lambda r: [floats(r, 8, 1024), floats(r, 8)], (256, 1, 1), (8, 1, 1), WAVE=wave
    )
    yield language(
        "softmax",
        g.softmax,
        lambda r: [floats(r, 16, 128, dtype=b2), floats(r, 16, 128, dtype=b2)],
        (wave, 1, 1),
        (16, 1, 1),
        1e-2,
    )
    yield language(
        "half_pairs",
        g.half_pairs,
        lambda r: [floats(r, 64, 2, dtype=np.float16), floats(r, 64, 2, dtype=np.float16)],
        (64, 1, 1),
    )
    yield language("parted_sums", g.parted_sums, lambda r: [ints(r, 64), ints(r, 64)], (64, 1, 1))
    if wave == 32:  # AMD's gfx942 has 64 KiB of LDS
        yield language("big_tile", g.big_tile, lambda r: [floats(r, 64, 256), floats(r, 64, 256)], (256, 1, 1))


def programs() -> Iterator[Case]:
    """Random control flow, against plain Python."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ave-check-"))
    for seed in range(8):
        text = Writer(200 + seed).program()

        def make(chip: str, text: str = text, seed: int = seed) -> tuple[Kernel, list[Any]]:
            kernel = load(text, folder / f"program_{seed}.py")
            src = np.random.default_rng(seed).integers(-50, 100, (2, N)).astype(np.int32)
            return build(kernel.source, {}, arch.chip(chip)), [src, np.zeros((4, N), np.int32)]

        yield Case(
            f"program {seed}",
            make,
            differing,
            (N, 1, 1),
            want=lambda args, text=text: [args[0], plain_python(text, args[0])],
        )


# -- rows --------------------------------------------------------------------------------------------------------------


def row_case(name: str) -> Case:
    """Small whole numbers, whose products and sums every order of additions gets exactly. Memory rows get 16-byte rows
    of shared memory."""
    row = ROWS[name]

    def make(chip: str) -> tuple[Kernel, list[Any]]:
        made, lanes = RowKernel(row, chip), arch.chip(chip).wave
        rng, args = np.random.default_rng(3), []
        types = list(made.operands)
        for p in made.kernel.params:
            if p.name.startswith("out"):
                args.append(np.zeros(lanes * size_of(made.result), np.uint8))
                continue
            t = types.pop(0)
            d, n = (t.dtype, t.n) if isinstance(t, VecType) else (t, 1)
            numbers = rng.integers(0 if d.kind == "uint" else -3, 4, lanes * n).astype(d.np)
            args.append(numbers.view(np.uint8))
        return made.kernel, args

    return Case(name, make, differing)
