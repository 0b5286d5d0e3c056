"""Handlers of conversions between formats: f64, f32, f16, bf16, fp8, integers, normalized integers, and pairs of them in a register.

Floats become integers toward zero, unless an instruction's name says else; those out of range become the nearest integer, NaN becomes 0.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

from avelang.amdgcn.asm import Instruction
from avelang.ir.dtypes import DType, bf16, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz
from avelang.llvm.narrow_floats import FP8, narrow, widen
from avelang.sim.amdgcn.translator import Handler, Translator, Unknown
from avelang.sim.amdgcn.vector import BITS, Bool, Ops, Rule, function, row

# The type of the two 8-bit formats by the chip's kind of fp8.
FP8_TYPES: dict[str, dict[str, DType]] = {"fnuz": {"fp8": f8e4m3fnuz, "bf8": f8e5m2fnuz}, "ocp": {"fp8": f8e4m3fn, "bf8": f8e5m2}}

# -- integers --------------------------------------------------------------------------------------------------------------------------


def to_integer(o: Ops, x: str, kind: str) -> str:
    """Floats toward zero to a kind of integer, "i32" or "u16", saturated; the value is an i32."""
    bits, signed = int(kind[1:]), kind[0] == "i"
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    b = o.at("i32")
    value = o.t.op(f"fpto{'s' if signed else 'u'}i {o.v} {x} to {b.v}")  # poison where out of range, and then not taken
    value = b.select(o.cmp("oge", x, float(high + 1)), high, value)
    value = b.select(o.cmp("olt", x, float(low)) if signed else o.cmp("ole", x, 0.0), low, value)
    return b.select(o.cmp("uno", x, x), 0, value)


def _rounded(kind: str, first: Callable[[Ops, str], str] | None = None) -> Rule:
    """A rule from floats (f16 held in f32) to integers."""
    return lambda o, x: to_integer(o, first(o, x) if first else x, kind)


def _integer(source: str, result: str, compute: str, first: Callable[[Ops, str], str] | None = None) -> Handler:
    """A handler of v_cvt_<integer>_<float>."""
    rule = _rounded(result, first)

    def handler(t: Translator, i: Instruction) -> None:
        if i.int("clamp"):
            raise Unknown("clamp on this instruction")
        o = Ops(t, compute)
        bits = int(source[1:])
        x = Ops(t, _FLOATS[bits]).to(compute, "fpext", t.float_at(i, 1, bits))
        value = function(t, f"ave_{i.name}", "i32", lambda v: rule(o, v), (compute, x))
        cell = int(result[1:])
        t.result_at(i, o.at("i32").to(f"i{cell}", "trunc", value), cell)

    return handler


_FLOATS = {16: "half", 32: "float", 64: "double"}


def _from_integer(signed: bool) -> Rule:
    def rule(o: Ops, x: str) -> str:
        width = _INT[o.e]
        return o.t.op(f"{'s' if signed else 'u'}itofp {o.t.t(width)} {x} to {o.v}")

    return rule
