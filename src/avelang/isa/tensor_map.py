"""What a tensor map says of an array, and where a box of it stands: a map's type and the array come in; addresses of
elements go out.

Executors have no descriptor of the copy engine: to them a map is the array's address, extents and strides (`map_word`
of the IR)."""

from __future__ import annotations

import dataclasses

from avelang.base.lazy import np
from avelang.ir.types import MapType

MOST_RANK = 5
MOST_EXTENT, PIECE = 256, 16  # elements of a box in each dimension; bytes of which its rows are made
PATTERNS = (0, 32, 64, 128)  # bytes of a swizzle
EXTENT, STRIDE = (
    1,
    1 + MOST_RANK,
)  # of `map_word`: 0 is the address, then the extents, then the strides in bytes; the first dimension first
# Elements outside the array read as this where a map asks for NaN: these 16 bits, repeated (as probed on an H200).
NAN = 0x7FF7
WORDS = 16  # 64-bit words of a map, as executors and the CPU have it


@dataclasses.dataclass(frozen=True, slots=True)
class TensorMapValue:
    """A tensor map as a `semantics` gets it: `address` of the first element, extents, and strides in bytes."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    type: MapType

    def word(self, index: int) -> int:
        """The word that `map_word` of the IR reads: address, extents, strides."""
        padding = (0,) * (MOST_RANK - len(self.shape))
        return (self.address, *self.shape, *padding, *self.strides, *padding)[index]

    def box(self, at: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """(addresses int64, bool inside the array) of a box's elements, each flat, in the order in which shared memory
        has them."""
        address, inside = np.full(1, self.address, np.int64), np.ones(1, bool)
        for start, extent, stride, n in zip(at, self.shape, self.strides, self.type.box, strict=True):
            i = start + np.arange(n)
            address = (address[:, None] + i * stride).reshape(-1)
            inside = (inside[:, None] & ((i >= 0) & (i < extent))).reshape(-1)
        return address, inside


def box_fault(t: MapType) -> str:
    """Why the copy engine has no boxes of this type, or "" (CUDA driver API, cuTensorMapEncodeTiled)."""
    if not 1 <= t.rank <= MOST_RANK or not all(isinstance(n, int) and 1 <= n <= MOST_EXTENT for n in t.box):
        limits = f"1 to {MOST_RANK} dimensions, with extents from 1 to {MOST_EXTENT}"
        return f"a box has {limits}, all of them compile-time integers"
    if t.dtype.kind == "bool" or t.dtype.bytes not in (1, 2, 4, 8):
        return f"there are no maps of {t.dtype}"
    if t.swizzle not in PATTERNS or t.interleave != 0:
        return f"`swizzle` is {', '.join(map(str, PATTERNS[:-1]))} or {PATTERNS[-1]} bytes, `interleave` is 0"
    inner = t.box[-1] * t.dtype.bytes
    if inner % PIECE or (t.swizzle and inner > t.swizzle):
        return f"a row of the box has {inner} bytes; it must be a multiple of {PIECE}, and no longer than the swizzle"
    if t.nan and not (t.dtype.is_float and t.dtype.bits > 8):
        return "NaN outside the array is for floats of 16 bits and more"
    return ""


def torn(t: MapType, shape: tuple[int, ...]) -> str:
    """Why the copy engine cannot store to an array, or "": it writes whole pieces of 16 bytes, past the end of a row
    too (as probed on an H200)."""
    last = shape[-1] * t.dtype.bytes
    return (
        f"its rows of {last} bytes end inside of 16 bytes, and stores would write up to {-(-last // 16) * 16}"
        if last % 16
        else ""
    )


def faults(t: MapType, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> str:
    """Why the copy engine cannot work on an array (strides in bytes), or "" (CUDA driver API,
    cuTensorMapEncodeTiled)."""
    if len(shape) != t.rank:
        return f"it has {len(shape)} dimensions, the map {t.rank}"
    if strides and strides[-1] != t.dtype.bytes and shape[-1] != 1:
        return f"the last dimension must be contiguous; its stride is {strides[-1]} bytes"
    if address % 16:
        return f"it begins at {address:#x}, no multiple of 16 bytes"
    wrong = next(
        (s for s, n in zip(strides[:-1], shape[:-1], strict=True) if n > 1 and (s % 16 or not 0 < s < 1 << 40)), None
    )
    if wrong is not None:
        return f"a stride is {wrong} bytes; strides but the last must be positive multiples of 16 bytes"
    large = next((n for n in shape if not 0 < n <= 1 << 32), None)
    return f"an extent is {large}; extents are 1 to 2**32" if large is not None else ""
