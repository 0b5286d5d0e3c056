"""Types of IR values: scalars (a `DType`), register vectors, pointers and tensors."""

from __future__ import annotations

import dataclasses
import enum

from avelang.ir.dtypes import BY_NAME, DType

GLOBAL, SHARED, LOCAL = "global", "shared", "local"
SPACES = (GLOBAL, SHARED, LOCAL)


class AtomicScope(enum.IntEnum):
    """Among whom an atomic operation is one step."""

    WORKGROUP = 0
    AGENT = 1
    SYSTEM = 2


@dataclasses.dataclass(frozen=True, slots=True)
class VecType:
    """`n` elements of one dtype in the registers of one lane. An SSA value: never changed in place."""

    dtype: DType
    n: int

    def __str__(self) -> str:
        return f"vec<{self.n} x {self.dtype}>"

    @property
    def bits(self) -> int:
        return self.n * self.dtype.bits


@dataclasses.dataclass(frozen=True, slots=True)
class PtrType:
    """An address in one space. Kernel pointers and array arguments are `ptr<dtype, global>`."""

    dtype: DType
    space: str

    def __str__(self) -> str:
        return f"ptr<{self.dtype}, {self.space}>"


@dataclasses.dataclass(frozen=True, slots=True)
class TensorType:
    """Memory with a layout: flat leaf extents and strides, in elements. None is an extent or stride known only at run time;
    its value is an operand of the op that made the tensor (see `ops.py`). Nested modes are the frontend's affair."""

    dtype: DType
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    space: str

    def __str__(self) -> str:
        def dims(xs: tuple[int | None, ...]) -> str:
            return "(" + ", ".join("?" if x is None else str(x) for x in xs) + ")"

        return f"tensor<{self.dtype}, {dims(self.shape)}:{dims(self.strides)}, {self.space}>"


Type = DType | VecType | PtrType | TensorType


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
    raise ValueError(f"no type {text!r}")
