"""Rows of single instructions on numbers: the exponential function as the special function unit has it."""

from __future__ import annotations

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import f32
from avelang.isa.asm import Asm
from avelang.isa.row import Param, Row, register
from avelang.isa.wave_protocol import Machine

SM_75 = frozenset({"sm_75"})


def _exp2(wave: Machine, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.exp2(x.astype(np.float64)).astype(np.float32)


def _lower(b: Builder, x: Value) -> Value:
    return b.same("exp2", x)


register(Row(
    "nvvm.exp2", (Param("x", f32, "any number"),), f32,
    "2 to the x, in f32. The reference rounds the exact value; the instruction may be off by two units in the last place, and flushes subnormals.",
    "PTX ISA 9.0, 9.7.3.21, ex2.approx.ftz.f32", SM_75, _exp2, lower=_lower, llvm={"nvptx": Asm("ex2.approx.ftz.f32 <out>, <x>;")},
))  # fmt: skip
