"""Scalar types: the names that users write, with width, kind and NumPy's equivalent."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from avelang.base.lazy import ml_dtypes, np
from avelang.base.places import wrong


class Interned(type):
    """Instances are made once: equal types are one object, compared and hashed by identity. For classes decorated as
    `dataclass(eq=False)`."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]):
        super().__init__(name, bases, namespace)
        cls._made: dict[tuple[Any, ...], Any] = {}
        cls.__reduce__ = lambda self: (type(self), _fields(self))  # type: ignore

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        found = cls._made.get(args) if not kwargs else None
        if found is None:
            made = super().__call__(*args, **kwargs)
            found = cls._made.setdefault(_fields(made), made)
        return found


def _fields(made: Any) -> tuple[Any, ...]:
    return tuple(getattr(made, f.name) for f in dataclasses.fields(made) if f.init)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class DType(metaclass=Interned):
    """A scalar type. `kind` is one of "int", "uint", "float", "bool", "void"; `bits` is the width in memory (u1 takes a
    byte).

    `bytes`: size in memory. `min`, `max`: the least and the greatest value of an integer type.
    """

    name: str
    kind: str
    bits: int
    bytes: int = dataclasses.field(init=False)
    is_int: bool = dataclasses.field(init=False)
    is_float: bool = dataclasses.field(init=False)
    is_signed: bool = dataclasses.field(init=False)
    is_fp8: bool = dataclasses.field(init=False)
    min: int = dataclasses.field(init=False)
    max: int = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        kind, bits, given = self.kind, self.bits, object.__setattr__
        given(self, "bytes", (bits + 7) // 8)
        given(self, "is_int", kind in ("int", "uint"))
        given(self, "is_float", kind == "float")
        given(self, "is_signed", kind in ("int", "float"))
        given(self, "is_fp8", kind == "float" and bits == 8)
        given(self, "min", -(1 << (bits - 1)) if kind == "int" else 0)
        given(self, "max", (1 << max(bits - (kind == "int"), 0)) - 1)

    def __repr__(self) -> str:
        return self.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """In a kernel a conversion, which the frontend builds; elsewhere T004."""
        raise wrong("T004", name=f"al.{self.name}")

    @property
    def np(self) -> np.dtype:
        """The NumPy dtype of the same bits (`ml_dtypes` for bf16 and fp8, `bool` for u1)."""
        return numpy_dtype(self)


u1 = DType("u1", "bool", 1)
i8, i16, i32, i64 = (DType(f"i{b}", "int", b) for b in (8, 16, 32, 64))
u8, u16, u32, u64 = (DType(f"u{b}", "uint", b) for b in (8, 16, 32, 64))
f16, f32, f64 = (DType(f"f{b}", "float", b) for b in (16, 32, 64))
bf16 = DType("bf16", "float", 16)
f8e4m3fn = DType("f8e4m3fn", "float", 8)
f8e5m2 = DType("f8e5m2", "float", 8)
f8e4m3fnuz = DType("f8e4m3fnuz", "float", 8)
f8e5m2fnuz = DType("f8e5m2fnuz", "float", 8)
void = DType("void", "void", 0)

SCALARS: tuple[DType, ...] = (
    u1, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, f8e4m3fn, f8e5m2, f8e4m3fnuz, f8e5m2fnuz,
)  # fmt: skip
BY_NAME: dict[str, DType] = {d.name: d for d in (*SCALARS, void)}

_ML = {  # names of ml_dtypes
    "bf16": "bfloat16",
    "f8e4m3fn": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
    "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e5m2fnuz": "float8_e5m2fnuz",
}


@functools.cache
def numpy_dtype(d: DType) -> np.dtype:
    """The NumPy dtype of the same bits."""
    if d.name in _ML:
        return np.dtype(getattr(ml_dtypes, _ML[d.name]))
    if d.kind == "bool":
        return np.dtype(bool)
    return np.dtype({"int": "i", "uint": "u", "float": "f"}[d.kind] + str(d.bytes))


@functools.cache
def from_numpy(dtype: np.dtype) -> DType | None:
    """The scalar type with NumPy's `dtype`, or None where Ave has none."""
    return next((d for d in SCALARS if d.np == dtype), None)


def word_of(bits: int) -> DType:
    """The unsigned integer type of `bits` bits."""
    return BY_NAME[f"u{bits}"]
