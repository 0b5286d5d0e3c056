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
        rank = len(self.shape)
        pad = (0,) * (MOST_RANK - rank)
        head = (MAGIC, rank, _NAMES.index(d.name), self.swizzle, int(self.nan), self.interleave)
        raw = _LAYOUT.pack(*head, *self.box, *pad, self.address, *self.shape, *pad, *self.strides, *pad)
        return raw.ljust(BYTES, b"\0")


@takes()
def tensor_map(kind: MapType, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> bytes:
    """The 128 bytes of an array (strides in bytes) under a map's type."""
    return PtxTensorMap(address, tuple(shape), tuple(strides), kind.dtype, kind.box, kind.swizzle, kind.nan,
        kind.interleave).pack()


def unpack(raw: np.ndarray) -> TensorMapValue | None:
    """The map in 128 bytes; None where they are no tensor map of this executor."""
    magic, rank, dtype, swizzle, nan, interleave, *rest = _LAYOUT.unpack_from(raw.tobytes())
    if magic != MAGIC:
        return None
    box, address = rest[:rank], rest[MOST_RANK]
    shape, strides = rest[MOST_RANK + 1 :][:rank], rest[2 * MOST_RANK + 1 :][:rank]
    return TensorMapValue(address, tuple(shape), tuple(strides),
        MapType(BY_NAME[_NAMES[dtype]], tuple(box), swizzle, interleave, bool(nan)))
