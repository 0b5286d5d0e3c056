"""`ptx.warp`: reductions over the lanes of a warp, in place, by a butterfly of `shfl.sync`. All lanes end with the
result."""

from __future__ import annotations

import pyptx.types as t
from pyptx._errors import bad_type, bad_value
from pyptx._operands import emit
from pyptx._registers import Reg, scalar

ALL_LANES = -1


def reduce_sum(val: Reg, *, width: int = 32) -> None:
    """The sum over groups of `width` lanes. Raises TypeError and ValueError (T241)."""
    _butterfly("add", val, width)


def reduce_max(val: Reg, *, width: int = 32) -> None:
    """The maximum over groups of `width` lanes."""
    _butterfly("max", val, width)


def reduce_min(val: Reg, *, width: int = 32) -> None:
    """The minimum over groups of `width` lanes."""
    _butterfly("min", val, width)


def _butterfly(op: str, val: Reg, width: int) -> None:
    if width not in (2, 4, 8, 16, 32):
        raise bad_value("ptx.warp", f"the width is 2, 4, 8, 16 or 32, not {width!r}")
    if not isinstance(val, Reg) or val.dtype.bits != 32 or val.dtype.name in ("f16x2", "bf16x2"):
        raise bad_type("ptx.warp", f"a register of 32 bits is wanted, not {val!r}")
    floating = val.dtype.is_float
    kind = "f32" if floating else "s32" if val.dtype.signed else "u32"
    mask = width // 2
    while mask:
        mine, theirs = scalar(t.b32), scalar(t.b32)
        emit(("mov", "b32"), mine, val)
        emit(("shfl", "sync", "bfly", "b32"), theirs, mine, mask, 31, ALL_LANES)
        if floating:
            value = scalar(t.f32)
            emit(("mov", "b32"), value, theirs)
            theirs = value
        emit((op, kind), val, val, theirs)
        mask //= 2
