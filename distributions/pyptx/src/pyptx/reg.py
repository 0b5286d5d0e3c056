"""`reg`: new registers. A register is declared once, where PTX wants it; its name is numbered by its kind, or given."""

from __future__ import annotations

from typing import Any

from pyptx._errors import bad_value
from pyptx._registers import NegPred, PipeRef, Reg, RegArray, array, move, scalar
from pyptx._trace import get_ctx
from pyptx.types import as_ptx_type

__all__ = [
    "NegPred", "PipeRef", "Reg", "RegArray", "alloc", "alloc_array", "array", "from_", "scalar", "wgmma_frag",
]  # fmt: skip


def from_(src: Any, dtype: Any) -> Reg:
    """A new register of a type with the value of a register, a special register, a number, or (text) of a symbol: one
    `mov`."""
    out = scalar(dtype)
    move(out, src)
    return out


def wgmma_frag(*, m: int, n: int, dtype: Any, name: str | None = None) -> RegArray:
    """The registers that a thread of a warpgroup has of an m x n accumulator: m n / 128 of them. Raises ValueError
    (T241) where that is no positive integer."""
    if not isinstance(m, int) or not isinstance(n, int) or m * n <= 0 or m * n % 128:
        raise bad_value("reg.wgmma_frag", f"{m} x {n} elements cannot be divided among 128 threads")
    return array(dtype, m * n // 128, name)


def _prefix(kind: Any) -> str:
    """The prefix of registers that never meet those of `scalar` and `array`: %af of f32, %ar of b32, %au of u32."""
    name = kind.name
    if name == "b32":
        return "%ar"
    letter, bits = name[0], kind.bits
    return f"%a{letter}" if bits in (1, 32) and name in ("f32", "u32", "s32", "pred") else f"%a{name}_"


def alloc(dtype: Any) -> Reg:
    """A new register whose name is from a numbering of its own (%af0): declared, no statement."""
    kind = as_ptx_type(dtype, "reg.alloc")
    trace = get_ctx()
    return Reg(trace.one(kind, None, _prefix(kind)), kind, trace)


def alloc_array(dtype: Any, count: int) -> RegArray:
    """`count` such registers (%afarr0_<n>). Raises ValueError (T241) for a count under 1."""
    kind = as_ptx_type(dtype, "reg.alloc_array")
    if not isinstance(count, int) or isinstance(count, bool) or count <= 0:
        raise bad_value("reg.alloc_array", f"{count!r} registers; an int from 1 on is wanted")
    trace = get_ctx()
    prefix = _prefix(kind)
    base = f"{prefix}arr{trace.number(f'{prefix}arr')}_"
    trace.several(kind, base, count)
    return RegArray(base, kind, count, trace)
