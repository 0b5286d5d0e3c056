"""Dtypes and numbers of the IR come in; what LLVM's text calls them goes out. f16, bf16 and fp8 are integers of their
width."""

from __future__ import annotations

import math
import struct

from avelang.base.lazy import np
from avelang.ir.dtypes import DType

_HELD = {"f32": "float", "f64": "double", "i32": "i32", "u32": "i32", "i64": "i64", "u64": "i64", "u1": "i1"}


def elem(d: DType) -> str:
    """The LLVM type that holds one element of a dtype."""
    return _HELD.get(d.name) or f"i{d.bits}"


def signed(value: int, bits: int) -> int:
    """A Python int modulo 2**bits, as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def float_literal(value: float, type: str) -> str:
    """LLVM's text of a float or double constant, exact."""
    if type == "float":
        try:
            value = struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            value = math.copysign(math.inf, value)
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def literal(value: float, d: DType) -> str:
    """LLVM's text of a constant of a dtype."""
    if d.kind == "bool":
        return "true" if value else "false"
    if d.is_int:
        return str(signed(int(value), d.bits))
    if d.bits >= 32:
        return float_literal(float(value), elem(d))
    if value == 0 and math.copysign(1, value) > 0:
        return "0"
    with np.errstate(all="ignore"):
        return str(int(np.array(value, np.float32).astype(d.np).view(f"u{d.bytes}")))
