"""Rows of single instructions on numbers: functions as the special function unit has them."""

from __future__ import annotations

from avelang.base.lazy import np
from avelang.ir.dtypes import f32
from avelang.isa.define import row
from avelang.isa.wave_protocol import Machine

SM_75 = frozenset({"sm_75"})


@row("nvvm.exp2(x: f32) -> f32", "PTX ISA 9.0, 9.7.3.21, ex2.approx.ftz.f32", SM_75,
     asm="ex2.approx.ftz.f32 <out>, <x>;", lower=lambda b, x: b.same("exp2", x))  # fmt: skip
def exp2(wave: Machine, x: np.ndarray) -> np.ndarray:
    """2 to the x, in f32. The reference rounds the exact value; the instruction may be off by two units in the last
    place, and flushes subnormals.

    x: any number
    """
    with np.errstate(all="ignore"):
        return np.exp2(x.astype(np.float64)).astype(np.float32)


@row("nvvm.rcp(x: f32) -> f32", "PTX ISA 9.0, 9.7.3.13, rcp.approx.ftz.f32", SM_75,
     asm="rcp.approx.ftz.f32 <out>, <x>;", lower=lambda b, x: b.same("div", b.const(1.0, f32), x))  # fmt: skip
def rcp(wave: Machine, x: np.ndarray) -> np.ndarray:
    """1 / x, in f32. The reference rounds the exact value; the instruction may be off by one unit in the last place,
    and flushes subnormals.

    x: any number
    """
    with np.errstate(all="ignore"):
        return (1.0 / x.astype(np.float64)).astype(np.float32)
