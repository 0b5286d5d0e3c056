"""Tensor maps for the executor: an array and a box of it come in, 128 bytes go out that stand for the driver's
descriptor; and the way back.

The driver's own 128 bytes are opaque. A kernel only hands them on, so these hold what `isa.tensor_map.TensorMapValue`
needs instead. """

from __future__ import annotations

import dataclasses
import struct

import numpy as np

from avelang.base.takes import takes
from avelang.ir.dtypes import BY_NAME, DType
from avelang.ir.types import MapType
from avelang.isa.tensor_map import MOST_RANK, TensorMapValue

MAGIC = 0x50414D5F455641  # "AVE_MAP"
BYTES = 128
_NAMES = sorted(BY_NAME)
_LAYOUT = struct.Struct(f"<QBBBBB3x{MOST_RANK}HxxQ{MOST_RANK}q{MOST_RANK}q")


@dataclasses.dataclass(frozen=True, slots=True)
class PtxTensorMap:
    """A tensor map as an argument of `PtxProgram.launch`: `shape`, `strides` (bytes) and `box` in the array's order,
    the contiguous dimension last; `swizzle` 0, 32, 64 or 128 bytes; `interleave` 0, 16 or 32; `nan`: elements outside
    the array read as NaN, not as zero."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType | str
    box: tuple[int, ...]
    swizzle: int = 0
    nan: bool = False
    interleave: int = 0

    def pack(self) -> bytes:
        """The 128 bytes."""
        d = self.dtype if isinstance(self.dtype, DType) else BY_NAME[self.dtype]
        pad = [0] * (MOST_RANK - len(self.shape))
        lists = ([*x[::-1], *pad] for x in (self.box, self.shape, self.strides))
        return MapFields(self.address, len(self.shape), d.name, self.swizzle, self.nan, self.interleave, *lists).pack()


@takes()
def tensor_map(kind: MapType, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> bytes:
    """The 128 bytes of an array (strides in bytes) under a map's type."""
    return PtxTensorMap(address, tuple(shape), tuple(strides), kind.dtype, kind.box, kind.swizzle, kind.nan,
        kind.interleave).pack()


@dataclasses.dataclass(slots=True)
class MapFields:
    """The fields of a map as a kernel changes them: `box`, `shape` and `strides` (bytes) of all dimensions that a map
    may have, the contiguous one first, whatever the rank is now."""

    address: int
    rank: int
    dtype: str
    swizzle: int
    nan: bool
    interleave: int
    box: list[int]
    shape: list[int]
    strides: list[int]

    def pack(self) -> bytes:
        """The 128 bytes: the dimensions of the rank in the array's order, the others behind them."""
        box, shape, strides = (x[: self.rank][::-1] + x[self.rank :] for x in (self.box, self.shape, self.strides))
        head = (MAGIC, self.rank, _NAMES.index(self.dtype), self.swizzle, int(self.nan), self.interleave)
        return _LAYOUT.pack(*head, *box, self.address, *shape, *strides).ljust(BYTES, b"\0")


def fields(raw: np.ndarray) -> MapFields | None:
    """The fields of the map in 128 bytes; None where they are no tensor map of this executor."""
    magic, rank, dtype, swizzle, nan, interleave, *rest = _LAYOUT.unpack_from(raw.tobytes())
    if magic != MAGIC:
        return None
    address = rest.pop(MOST_RANK)
    lists = (rest[k : k + rank][::-1] + rest[k + rank : k + MOST_RANK] for k in range(0, 3 * MOST_RANK, MOST_RANK))
    return MapFields(address, rank, _NAMES[dtype], swizzle, bool(nan), interleave, *lists)


def unpack(raw: np.ndarray) -> TensorMapValue | None:
    """The map in 128 bytes; None where they are no tensor map of this executor."""
    found = fields(raw)
    if found is None:
        return None
    box, shape, strides = (tuple(x[: found.rank][::-1]) for x in (found.box, found.shape, found.strides))
    # The stride of the contiguous dimension is that of its elements, also where a kernel has changed their type.
    dtype = BY_NAME[found.dtype]
    return TensorMapValue(found.address, shape, (*strides[:-1], dtype.bytes),
        MapType(dtype, box, found.swizzle, found.interleave, found.nan))
