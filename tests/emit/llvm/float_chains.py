"""Chains of float operations by chance, and what they must give by NumPy in the words of `avelang.ir.ops`: what tests
hold every emitter against.

A narrow float is computed in f32 and rounded once after each operation, whatever the next one is: an emitter or LLVM
that fuses two of them must not drop a rounding, the sign of a zero, a subnormal number or a NaN. """

from __future__ import annotations

import random
from typing import Any

import ml_dtypes
import numpy as np

from avelang.ir.core import Kernel
from avelang.ir.dtypes import DType, bf16, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f16, f32, f64
from avelang.ir.text import parse_kernel
from avelang.ir.verify import verify

FP8: dict[str, tuple[DType, DType]] = {"amd": (f8e4m3fnuz, f8e5m2fnuz), "nvidia": (f8e4m3fn, f8e5m2)}
THREADS = 64
SPECIAL = (
    0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.5, 3.0, float("inf"), float("-inf"), float("nan"), 65504.0, -65504.0, 65520.0,
    448.0, 240.0, 57344.0,
    2.0**-24, -(2.0**-25), 3 * 2.0**-25, 2.0**-14, 2.0**-126, -(2.0**-149), 2.0**-133, 1 + 2.0**-11, 1 + 3 * 2.0**-11,
    1 + 2.0**-8, -1 - 3 * 2.0**-8,
    1 + 2.0**-23, 3.3895e38, 1e-7, -1e-40, 2.0**-9, 2.0**-10, 2.0**-16, 17.0, 1e5, 2.0**-1074, 1e300,
)  # fmt: skip
CONSTANTS = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5)


def rounded(x: np.ndarray, d: DType) -> np.ndarray:
    """Numbers of f32 or f64 in `d`, rounded once, to nearest even."""
    with np.errstate(all="ignore"):
        return _rounded(x, d)


def _rounded(x: np.ndarray, d: DType) -> np.ndarray:
    if x.dtype == d.np:
        return x
    if x.dtype == np.float64 and d.bits < 32 and d != f16:
        # By way of f32, rounded to odd there: ml_dtypes would round twice.
        single = x.astype(np.float32)
        back = single.astype(np.float64)
        toward = np.where(np.abs(back) > np.abs(x), np.nextafter(single, np.float32(0)), single)
        inexact = np.isfinite(x) & (toward.astype(np.float64) != x)
        x = np.where(inexact, (toward.view(np.uint32) | 1).view(np.float32), single)
    return x.astype(d.np)


def wide(x: np.ndarray) -> np.ndarray:
    """Numbers of at most 32 bits as f32, others as they are."""
    return x if x.dtype == np.float64 else x.astype(np.float32)


def _minimum(a: np.ndarray, b: np.ndarray, sign: int) -> np.ndarray:
    """The lesser (`sign` 1) or the greater (-1); the number where one is NaN; -0.0 is less than 0.0."""
    same = (a == b) & (np.signbit(a) == (sign > 0))
    chosen = np.where(((a < b) if sign > 0 else (a > b)) | same, a, b)
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, chosen))


def _fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c of f32 or narrower with one rounding to f64, where the product is exact; to odd, so that the next
    rounding is the only one."""
    x, y = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    total = x + y
    part = total - x
    error = (x - (total - part)) + (y - part)
    down = np.isfinite(total) & (error != 0) & ((error < 0) == (total > 0))
    total = np.where(down, np.nextafter(total, 0), total)
    odd = np.isfinite(total) & (error != 0)
    return np.where(odd, (total.view(np.uint64) | 1).view(np.float64), total)


MEANING: dict[str, Any] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "neg": lambda a: -a, "abs": np.abs,
    "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "min": lambda a, b: _minimum(a, b, 1), "max": lambda a,
    b: _minimum(a, b, -1),
}  # fmt: skip
OPERANDS = {"neg": 1, "abs": 1, "sqrt": 1, "floor": 1, "ceil": 1, "fma": 3}


class Chains:
    """So many chains in one kernel, each with inputs and an output of its own; `want`: what the outputs must be."""

    def __init__(self, seed: int, vendor: str, count: int = 8):
        self.r = random.Random(seed)
        mixed = self.r.random() < 0.4  # what AMD has instructions for
        self.dtypes = [f16, f16, f32, f32, f32, f64] if mixed else [f16, f16, bf16, bf16, f32, f32, f64, *FP8[vendor]]
        self.lines = ['%t = thread_id {"dim": 0} : u32', "%t64 = convert(%t) : i64"]
        self.params: list[str] = []
        self.inputs: list[np.ndarray] = []
        self.want: list[np.ndarray] = []
        self.said: list[str] = []
        self.names = 0
        outputs = []
        for i in range(count):
            name, value, d, n = self.chain()
            outputs.append(f"%o{i}: ptr<{d}, global>")
            self.lines.append(f"st({name}, %o{i}, {self.place(d, n)}) {{'align': {d.bytes}}}")
            self.want.append(value)
        text = (
            "kernel @k("
            + ", ".join(self.params + outputs)
            + ') {"wave": WAVE, "file": "k.py", "chip": "CHIP"} {\n'
            + "\n".join(self.lines)
            + "\n}"
        )
        self.text = text

    def kernel(self, wave: int, chip: str) -> Kernel:
        """For a chip; each pass changes a kernel in place, so each engine gets its own."""
        k = parse_kernel(self.text.replace("WAVE", str(wave)).replace("CHIP", chip))
        verify(k, "addresses")
        return k

    def outputs(self) -> list[np.ndarray]:
        return [np.zeros_like(x) for x in self.want]

    def differences(self, found: list[np.ndarray]) -> list[str]:
        """Where an engine gave other bits; any NaN is as good as any other."""
        out = []
        for said, got, want in zip(self.said, found, self.want, strict=True):
            unsigned = f"u{want.dtype.itemsize}"
            nan = np.isnan(wide(got)) & np.isnan(wide(want))
            bad = np.flatnonzero(((got.view(unsigned) != want.view(unsigned)) & ~nan).reshape(-1))
            out += [f"{said} at {bad[0]}: {got.reshape(-1)[bad[0]]} for {want.reshape(-1)[bad[0]]}"] if len(bad) else []
        return out

    # -- one chain -----------------------------------------------------------------------------------------------------

    def new(self) -> str:
        self.names += 1
        return f"%x{self.names}"

    def place(self, d: DType, n: int) -> str:
        size, at = self.new(), self.new()
        self.lines += [f"{size} = const {{'value': {d.bytes * n}}} : i64", f"{at} = mul(%t64, {size}) : i64"]
        return at

    def type(self, d: DType, n: int) -> str:
        return str(d) if n == 1 else f"vec<{n} x {d}>"

    def input(self, d: DType, n: int) -> tuple[str, np.ndarray, DType]:
        shape = (THREADS,) if n == 1 else (THREADS, n)
        many = np.array(
            [self.r.choice(SPECIAL) * self.r.choice((1, 1, 1, -1, 1 + 2.0**-10)) for _ in range(THREADS * n)]
        ).reshape(shape)
        value = rounded(many, d)
        i, name = len(self.inputs), self.new()
        self.params.append(f"%p{i}: ptr<{d}, global>")
        self.lines.append(f"{name} = ld(%p{i}, {self.place(d, n)}) {{'align': {d.bytes}}} : {self.type(d, n)}")
        self.inputs.append(value)
        return name, value, d

    def constant(self, d: DType, n: int, like: np.ndarray) -> tuple[str, np.ndarray]:
        name, value = self.new(), self.r.choice(CONSTANTS)
        self.lines.append(f"{name} = const {{'value': {value}}} : {self.type(d, n)}")
        return name, rounded(np.full(like.shape, value), d)

    def chain(self) -> tuple[str, np.ndarray, DType, int]:
        """1 to 4 operations; each takes what came before, and inputs or constants beside."""
        n = self.r.choice((1, 1, 1, 2, 4))
        name, value, d = self.input(self.r.choice(self.dtypes), n)
        said = [str(d)]
        for _ in range(self.r.randrange(1, 5)):
            if self.r.random() < 0.45:
                d2 = self.r.choice([x for x in self.dtypes if x != d])
                made = self.new()
                self.lines.append(f"{made} = convert({name}) : {self.type(d2, n)}")
                name, value, d = made, rounded(value if value.dtype == np.float64 else wide(value), d2), d2
                said.append(f"to {d}")
                continue
            op = self.r.choice(["add", "sub", "mul", "mul", "add", "fma", *MEANING])
            xs = [(name, value)]
            while len(xs) < OPERANDS.get(op, 2):
                xs.append(
                    self.r.choice(xs)
                    if self.r.random() < 0.2
                    else self.constant(d, n, value)
                    if self.r.random() < 0.4
                    else self.input(d, n)[:2]
                )
            self.r.shuffle(xs)
            if op == "fma" and d == f64:
                op, xs = "mul", xs[:2]
            made = self.new()
            self.lines.append(f"{made} = {op}({', '.join(x for x, _ in xs)}) : {self.type(d, n)}")
            values = [v for _, v in xs]
            with np.errstate(all="ignore"):
                value = rounded(_fma(*values) if op == "fma" else MEANING[op](*map(wide, values)), d)
            name = made
            said.append(op)
        self.said.append(f"x{n} " + ", ".join(said))
        return name, value, d, n


assert ml_dtypes  # whose dtypes NumPy's `astype` needs
