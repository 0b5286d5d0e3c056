"""Types of IR values: scalars (a `DType`), register vectors, pointers and tensors."""

from __future__ import annotations

import dataclasses
import enum
import math
import re

from avelang.ir.dtypes import BY_NAME, DType, Interned

GLOBAL, SHARED, LOCAL = "global", "shared", "local"
SPACES = (GLOBAL, SHARED, LOCAL)


class AtomicScope(enum.IntEnum):
    """Among whom an atomic operation is one step."""

    WORKGROUP = 0
    AGENT = 1
    SYSTEM = 2
    CLUSTER = 3


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class VecType(metaclass=Interned):
    """`n` elements of one dtype in the registers of one lane. An SSA value: never changed in place."""

    dtype: DType
    n: int

    def __str__(self) -> str:
        return f"vec<{self.n} x {self.dtype}>"

    @property
    def bits(self) -> int:
        """Bits of all elements."""
        return self.n * self.dtype.bits


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PtrType(metaclass=Interned):
    """An address in one space. Kernel pointers and array arguments are `ptr<dtype, global>`."""

    dtype: DType
    space: str

    def __str__(self) -> str:
        return f"ptr<{self.dtype}, {self.space}>"


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class TensorType(metaclass=Interned):
    """Memory with a layout: flat leaf extents and strides, in elements. None is an extent or stride known only at run
    time; its value is an operand of the op that made the tensor (see `ops.py`). Nested modes are the frontend's
    affair."""

    dtype: DType
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    space: str

    def __str__(self) -> str:
        def dims(xs: tuple[int | None, ...]) -> str:
            return "(" + ", ".join("?" if x is None else str(x) for x in xs) + ")"

        return f"tensor<{self.dtype}, {dims(self.shape)}:{dims(self.strides)}, {self.space}>"


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class MapType(metaclass=Interned):
    """A tensor map: what the copy engine must know of an array of `rank` dimensions in global memory, and of the boxes
    in which it copies.

    `box`: extents of a box in elements, the last dimension contiguous. `swizzle`: bytes of the pattern in which 16-byte
    pieces of a box are permuted in shared memory (0, 32, 64, 128). `interleave`: 0, 16 or 32 bytes. `nan`: elements
    outside the array are NaN, not zero."""

    dtype: DType
    box: tuple[int, ...]
    swizzle: int = 0
    interleave: int = 0
    nan: bool = False

    def __str__(self) -> str:
        dims = ", ".join(map(str, self.box))
        return f"map<{self.dtype}, ({dims}), {self.swizzle}, {self.interleave}, {int(self.nan)}>"

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.box)

    @property
    def box_bytes(self) -> int:
        """Bytes of a box in shared memory."""
        return math.prod(self.box) * self.dtype.bytes


Type = DType | VecType | PtrType | TensorType | MapType


def extent(t: TensorType) -> int:
    """Bytes from the first element of a static layout to behind its last."""
    return (1 + sum((n - 1) * s for n, s in zip(t.shape, t.strides, strict=True) if n and s)) * t.dtype.bytes


def dtype_of(t: Type) -> DType:
    """The element dtype of any type."""
    return t if isinstance(t, DType) else t.dtype


def with_dtype(t: Type, d: DType) -> Type:
    """A scalar or vector type of the same length with element dtype `d`."""
    return VecType(d, t.n) if isinstance(t, VecType) else d


def parse_type(text: str) -> Type:
    """The inverse of `str` on types. Raises ValueError."""
    text = text.strip()
    if text in BY_NAME:
        return BY_NAME[text]
    head, _, rest = text.partition("<")
    body = rest.removesuffix(">")
    if head == "vec":
        n, d = body.split(" x ")
        return VecType(BY_NAME[d], int(n))
    if head == "ptr":
        d, space = body.split(", ")
        return PtrType(BY_NAME[d], space)
    if head == "tensor":
        d, _, rest = body.partition(", ")
        dims, _, space = rest.rpartition(", ")
        shape, strides = (
            tuple(None if x.strip() == "?" else int(x) for x in part.strip("()").split(",") if x.strip())
            for part in dims.split(":")
        )
        return TensorType(BY_NAME[d], shape, strides, space)
    if head == "map":
        d, dims, *rest = re.fullmatch(r"(\w+), \(([\d, ]+)\), (\d+), (\d+), (\d)",
                                      body).groups()  # type: ignore[union-attr]
        return MapType(BY_NAME[d], tuple(map(int, dims.split(", "))), int(rest[0]), int(rest[1]), rest[2] == "1")
    raise ValueError(f"no type {text!r}")
