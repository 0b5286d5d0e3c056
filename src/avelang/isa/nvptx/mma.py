"""Rows of `mma.sync`: dense warp-level matrix products, one table for all shapes and types.

All of them share one layout rule (PTX ISA 9.0, 9.7.14.5.1 to .12, "Matrix fragments for mma"): with group = lane / 4
and t = lane % 4, a 32-bit word of A or B holds w = 32 / bits consecutive elements along K (one element where they have
32 or 64 bits), and
    A: word r of a lane stands in row group + 8 (r % 2), from column w t + 4 w (r / 2) on (for M = 8: row group, 4 w r)
    B: word r stands in column group, from row w t + 4 w r on
    C, D: slot i stands in row group + 8 (i / 2), column 2 t + i % 2
"""

from __future__ import annotations

import dataclasses

import numpy as np

from avelang.ir.dtypes import DType, bf16, f8e4m3fn, f8e5m2, f16, f32, f64, i8, i32, u8
from avelang.ir.types import Type, VecType
from avelang.isa.fragments import Fragment, Mma
from avelang.isa.lowering import Lowering
from avelang.isa.mma_reference import multiply
from avelang.isa.row import Param, Row, Semantics, Wave, register

LANES = 32


@dataclasses.dataclass(frozen=True, slots=True)
class MmaOperand:
    """An element type of A or B: the name in PTX, the dtype in Ave, and the name in the public name of a row."""

    ptx: str
    dtype: DType
    name: str


F16, BF16, F64 = (MmaOperand(d.name, d, d.name) for d in (f16, bf16, f64))
TF32 = MmaOperand("tf32", f32, "tf32")
S8, U8 = MmaOperand("s8", i8, "i8"), MmaOperand("u8", u8, "u8")
E4M3, E5M2 = MmaOperand("e4m3", f8e4m3fn, "e4m3"), MmaOperand("e5m2", f8e5m2, "e5m2")
INT8 = ((S8, S8), (S8, U8), (U8, S8), (U8, U8))
FP8 = ((E4M3, E4M3), (E4M3, E5M2), (E5M2, E4M3), (E5M2, E5M2))

# m, n, k; pairs of A and B; dtypes of C and D; the feature that a chip needs (PTX ISA 9.0, 9.7.14.5.14, "Target ISA
# Notes").
TABLE: tuple[tuple[tuple[int, int, int], tuple[tuple[MmaOperand, MmaOperand], ...], tuple[DType, ...], str], ...] = (
    ((16, 8, 8), ((F16, F16),), (f16, f32), "sm_75"),
    ((16, 8, 16), ((F16, F16),), (f16, f32), "sm_80"),
    ((16, 8, 8), ((BF16, BF16),), (f32,), "sm_80"),
    ((16, 8, 16), ((BF16, BF16),), (f32,), "sm_80"),
    ((16, 8, 4), ((TF32, TF32),), (f32,), "sm_80"),
    ((16, 8, 8), ((TF32, TF32),), (f32,), "sm_80"),
    ((8, 8, 16), INT8, (i32,), "sm_75"),
    ((16, 8, 16), INT8, (i32,), "sm_80"),
    ((16, 8, 32), INT8, (i32,), "sm_80"),
    ((16, 8, 16), FP8, (f16, f32), "sm_89"),
    ((16, 8, 32), FP8, (f16, f32), "sm_89"),
    ((8, 8, 4), ((F64, F64),), (f64,), "sm_80"),
    ((16, 8, 4), ((F64, F64),), (f64,), "sm_90"),
    ((16, 8, 8), ((F64, F64),), (f64,), "sm_90"),
    ((16, 8, 16), ((F64, F64),), (f64,), "sm_90"),
)


def fragments(m: int, n: int, k: int, operand: MmaOperand) -> Mma:
    """The fragment maps of `mma.m{m}n{n}k{k}`. A tf32 number is an f32 whose low 13 bits the hardware ignores."""
    bits = operand.dtype.bits
    w = max(1, 32 // bits)
    halves = m // 8  # how many rows of a lane's group: words alternate between them

    a = Fragment(LANES, m * k // LANES, (1, m, k), lambda lane, i: (
        0, lane // 4 + 8 * (i // w % halves), w * (lane % 4) + i % w + 4 * w * (i // w // halves)))  # fmt: skip
    b = Fragment(LANES, k * n // LANES, (1, k, n), lambda lane,
        i: (0, w * (lane % 4) + i % w + 4 * w * (i // w), lane // 4))
    c = Fragment(LANES, m * n // LANES, (1, m, n), lambda lane,
        i: (0, lane // 4 + 8 * (i // 2), 2 * (lane % 4) + i % 2))
    return Mma(m, n, k, a, b, c, ignored_bits=13 if operand is TF32 else 0)


def _held(dtype: DType, n: int) -> Type:
    return dtype if n == 1 else VecType(dtype, n)


def _register(d: DType, accumulator: bool) -> str:
    """The LLVM type of one register of an operand (IntrinsicsNVVM.td, WMMA_REGS)."""
    if d.name == "f16":
        return "<2 x half>"
    return "double" if d.name == "f64" else "float" if d.name == "f32" and accumulator else "i32"


def _llvm(shape: str, a: MmaOperand, b: MmaOperand, c: DType) -> Lowering:
    """LLVM names f16 by its accumulators, fp8 by all four types, and the rest by the operands."""
    if a is F16:
        types = f"{c}.{c}"
    elif a.dtype.is_fp8:
        types = f"{c}.{a.ptx}.{b.ptx}.{c}"
    else:
        types = a.ptx if a is b else f"{a.ptx}.{b.ptx}"
    of_c = _register(c, True)
    registers = {"a": _register(a.dtype, False), "b": _register(b.dtype, False), "c": of_c, "out": of_c}
    return Lowering(f"llvm.nvvm.mma.{shape}.row.col.{types}", registers=registers)


def _semantics(mma: Mma) -> Semantics:
    def semantics(wave: Wave, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        return multiply(mma, a, b, c)

    return semantics


def _row(size: tuple[int, int, int], a: MmaOperand, b: MmaOperand, c: DType, feature: str) -> Row:
    m, n, k = size
    mma = fragments(m, n, k, a)
    shape = f"m{m}n{n}k{k}"
    acc = "s32" if c == i32 else c.name
    types = a.name if a is b else f"{a.name}_{b.name}"
    note = " The low 13 bits of the elements of A and B are ignored." if a is TF32 else ""
    return Row(
        f"nvvm.mma_{m}x{n}x{k}_{types}_{c}",
        (
            Param("a", _held(a.dtype, mma.a.slots), f"the lane's part of A, {m} x {k}", packed=True),
            Param("b", _held(b.dtype, mma.b.slots), f"the lane's part of B, {k} x {n}", packed=True),
            Param("c", _held(c, mma.c.slots), f"the lane's part of C, {m} x {n}", packed=True),
        ),
        "c",
        f"D = A B + C over a warp: A is {m} x {k} of {a.name}, B {k} x {n} of {b.name}, C and D {m} x {n} of {c}.{note}"
        " All lanes take part.",
        "PTX ISA 9.0, 9.7.14.5, mma",
        frozenset({feature}),
        _semantics(mma),
        frozenset({"convergent"}),
        mma=mma,
        llvm={"nvptx": _llvm(shape, a, b, c)},
        ptx=f"mma.sync.aligned.{shape}.row.col.{acc}.{a.ptx}.{b.ptx}.{acc}",
    )


for _size, _pairs, _accumulators, _feature in TABLE:
    for _a, _b in _pairs:
        for _c in _accumulators:
            register(_row(_size, _a, _b, _c, _feature))
