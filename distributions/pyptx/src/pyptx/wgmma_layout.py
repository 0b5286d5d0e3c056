"""The canonical layouts of operands of `wgmma` in shared memory: a tile's type, shape and major dimension come in; the
swizzle, and the offsets that its descriptor names, go out.

A tile whose contiguous rows are longer than 128 bytes stands in stripes of 128 bytes, each with all rows, one behind
the other. PTX ISA, "Matrix descriptor format" and "Strides" of wgmma."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any

from pyptx._errors import bad_value
from pyptx.types import as_ptx_type


class LayoutType(enum.IntEnum):
    """The pattern, by its number in a descriptor."""

    INTERLEAVE = 0
    B128 = 1
    B64 = 2
    B32 = 3


class Major(enum.IntEnum):
    """The contiguous dimension."""

    K = 0
    MN = 1


@dataclasses.dataclass(frozen=True)
class GmmaLayout:
    """A layout: offsets in bytes; `tma_swizzle` as tensor maps name it ("128B", "NONE"), `smem_swizzle` as `smem` does
    ("128B", None)."""

    layout_type: LayoutType
    leading_byte_offset: int
    stride_byte_offset: int

    @property
    def tma_swizzle(self) -> str:
        """The swizzle of a tensor map for it."""
        return _NAMES[self.layout_type]

    @property
    def smem_swizzle(self) -> str | None:
        """The swizzle of an allocation for it."""
        return None if self.layout_type is LayoutType.INTERLEAVE else _NAMES[self.layout_type]

    @property
    def swizzle_code(self) -> int:
        """The two bits of a descriptor."""
        return int(self.layout_type)


_NAMES = {LayoutType.INTERLEAVE: "NONE", LayoutType.B128: "128B", LayoutType.B64: "64B", LayoutType.B32: "32B"}
_TYPES = {16: LayoutType.INTERLEAVE, 32: LayoutType.B32, 64: LayoutType.B64, 128: LayoutType.B128}
_ROWS = 8  # of a pattern


def pick_gmma_layout(*, elem_bytes: int, m_or_n: int, k: int, major: Major) -> GmmaLayout:
    """The layout of an (m_or_n, k) tile. Raises ValueError (T241) for rows that no layout has."""
    if min(elem_bytes, m_or_n, k) <= 0:
        raise bad_value("pick_gmma_layout", f"sizes are positive, not {elem_bytes}, {m_or_n}, {k}")
    row, other = (k, m_or_n) if major == Major.K else (m_or_n, k)
    width = row * elem_bytes
    if other % _ROWS:
        raise bad_value("pick_gmma_layout", f"{other} rows; a multiple of {_ROWS} is wanted")
    if width > 128 and width % 128 == 0:
        return GmmaLayout(LayoutType.B128, other * 128, _ROWS * 128)
    found = _TYPES.get(width)
    if found is None:
        raise bad_value("pick_gmma_layout", f"a row of {width} bytes; 16, 32, 64 or a multiple of 128 is wanted")
    if found is LayoutType.INTERLEAVE:
        return GmmaLayout(found, 16, 128) if major == Major.K else GmmaLayout(found, 128, 16)
    return GmmaLayout(found, 16, _ROWS * width)


def layout_for_a(*, dtype: Any, m: int, k: int) -> GmmaLayout:
    """The layout of a K-major A, (m, k)."""
    return pick_gmma_layout(elem_bytes=as_ptx_type(dtype, "layout_for_a").bytes, m_or_n=m, k=k, major=Major.K)


def layout_for_b(*, dtype: Any, k: int, n: int) -> GmmaLayout:
    """The layout of an N-major B, (k, n)."""
    return pick_gmma_layout(elem_bytes=as_ptx_type(dtype, "layout_for_b").bytes, m_or_n=n, k=k, major=Major.MN)
