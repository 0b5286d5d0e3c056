"""The types of PTX, as kernels of the instruction level name them; what holds a value of each in a register, and its
dtype in an array.

PTX ISA, 5.2 "Types": b (untyped), u, s and f by their bits; alternate floating-point formats (5.2.3) and packed ones
(5.2.5) are held by untyped registers."""

from __future__ import annotations

import dataclasses

from avelang.base.places import wrong
from avelang.ir.dtypes import BY_NAME, DType
from avelang.nvptx.ptx_types import TYPES


@dataclasses.dataclass(frozen=True, slots=True)
class Type:
    """A type. `name` is that of PTX, `kind` one of "bits", "uint", "int", "float", "packed", "pred". `held` is the type
    of the register that holds it, `dtype` the name of Ave's dtype of an array of it, "" where there is none."""

    name: str
    bits: int
    kind: str
    held: str
    dtype: str = ""

    def __repr__(self) -> str:
        return self.name

    @property
    def is_int(self) -> bool:
        """True where integer arithmetic works on it; untyped bits count as unsigned."""
        return self.kind in ("bits", "uint", "int")

    @property
    def signed(self) -> bool:
        """True for integers with a sign."""
        return self.kind == "int"

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return max(1, self.bits // 8)

    @property
    def in_memory(self) -> DType:
        """The dtype of an array of it. Raises T235."""
        if not self.dtype:
            raise wrong("T235", got=self.name, known=", ".join(t.name for t in ALL if t.dtype))
        return BY_NAME[self.dtype]


_KINDS = {"b": "bits", "u": "uint", "s": "int", "f": "float", "p": "pred"}


def _type(name: str, dtype: str = "", kind: str = "") -> Type:
    """A type of the table: what no register type is made for is held by untyped bits."""
    bits, letter = TYPES[name]
    return Type(name, bits, kind or _KINDS[letter], f"b{bits}" if letter == "x" or kind == "packed" else name, dtype)


b8, b16, b32, b64 = (_type(f"b{bits}", f"u{bits}") for bits in (8, 16, 32, 64))
b128 = _type("b128")
u8, u16, u32, u64 = (_type(f"u{bits}", f"u{bits}") for bits in (8, 16, 32, 64))
s8, s16, s32, s64 = (_type(f"s{bits}", f"i{bits}") for bits in (8, 16, 32, 64))
f16, f32, f64 = (_type(f"f{bits}", f"f{bits}") for bits in (16, 32, 64))
bf16 = _type("bf16", "bf16", "float")
f16x2, bf16x2 = (_type(name, kind="packed") for name in ("f16x2", "bf16x2"))
tf32, e4m3, e5m2 = (_type(*names, kind="bits") for names in (("tf32", "f32"), ("e4m3", "f8e4m3fn"), ("e5m2", "f8e5m2")))
pred = _type("pred")

ALL: tuple[Type, ...] = (
    b8, b16, b32, b64, b128, u8, u16, u32, u64, s8, s16, s32, s64, f16, f32, f64, bf16, tf32, f16x2, bf16x2, e4m3, e5m2,
    pred,
)  # fmt: skip
BY_PTX: dict[str, Type] = {t.name: t for t in ALL}
_BY_DTYPE: dict[str, Type] = {
    **{t.dtype: t for t in ALL if t.dtype and t.kind != "bits"},
    "f32": f32,
    "f8e4m3fn": e4m3,
    "f8e5m2": e5m2,
}

__all__ = [
    "Type", "b8", "b16", "b32", "b64", "b128", "bf16", "bf16x2", "e4m3", "e5m2", "f16", "f16x2", "f32", "f64", "pred",
    "s8", "s16", "s32", "s64",
    "tf32", "u8", "u16", "u32", "u64",
]  # fmt: skip


def as_type(got: object, what: str) -> Type:
    """A type, or that of an Ave dtype. Raises T221, which `what` begins."""
    if isinstance(got, Type):
        return got
    found = _BY_DTYPE.get(got.name) if isinstance(got, DType) else None
    if found is None:
        raise wrong("T221", what=what, want="a type of avelang.ptx.types, such as f32", got=repr(got))
    return found


def integer(bits: int, signed: bool = False) -> Type:
    """The integer type of so many bits."""
    return BY_PTX[f"{'s' if signed else 'u'}{bits}"]


def untyped(bits: int) -> Type:
    """The type of so many bits that says no more of them."""
    return BY_PTX[f"b{bits}"]
