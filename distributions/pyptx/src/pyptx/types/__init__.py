"""The types of PTX: singletons with `name`, `bits` and `ptx` (the name with its dot).

PTX ISA, 5.2 "Types". What a register is declared as, and the dtype of an array, come from `avelang.ptx.types`."""

from __future__ import annotations

import dataclasses

from avelang.ptx.types import BY_PTX, Type
from pyptx._errors import bad_type, bad_value


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class PtxType:
    """A type of PTX by its name. Equal to another of the same name."""

    name: str
    bits: int

    @property
    def ptx(self) -> str:
        """The name with a dot before it: ".f32"."""
        return f".{self.name}"

    @property
    def ave(self) -> Type:
        """Ave's type of that name: what holds it in a register, and its dtype in an array."""
        return BY_PTX[self.name]

    @property
    def held(self) -> str:
        """The type that a register for it is declared with: "b16" for bf16."""
        return BY_PTX[self.name].held

    @property
    def bytes(self) -> int:
        """Bytes in memory."""
        return max(1, self.bits // 8)

    @property
    def is_float(self) -> bool:
        """True for f16, bf16, tf32, f32 and f64."""
        return self.name in ("f16", "bf16", "tf32", "f32", "f64")

    @property
    def signed(self) -> bool:
        """True for s8, s16, s32 and s64."""
        return self.name[0] == "s"

    def __eq__(self, other: object) -> bool:
        return self.name == other.name if isinstance(other, PtxType) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


_BITS = {
    "b8": 8, "b16": 16, "b32": 32, "b64": 64, "b128": 128, "u8": 8, "u16": 16, "u32": 32, "u64": 64, "s8": 8,
    "s16": 16, "s32": 32, "s64": 64, "f16": 16, "f16x2": 32, "bf16": 16, "bf16x2": 32, "tf32": 32, "f32": 32,
    "f64": 64, "e4m3": 8, "e5m2": 8, "pred": 1,
}  # fmt: skip
ALL: dict[str, PtxType] = {name: PtxType(name, bits) for name, bits in _BITS.items()}

b8, b16, b32, b64, b128 = (ALL[name] for name in ("b8", "b16", "b32", "b64", "b128"))
u8, u16, u32, u64 = (ALL[name] for name in ("u8", "u16", "u32", "u64"))
s8, s16, s32, s64 = (ALL[name] for name in ("s8", "s16", "s32", "s64"))
f16, f16x2, bf16, bf16x2, tf32 = (ALL[name] for name in ("f16", "f16x2", "bf16", "bf16x2", "tf32"))
f32, f64, e4m3, e5m2, pred = (ALL[name] for name in ("f32", "f64", "e4m3", "e5m2", "pred"))


def from_name(text: str) -> PtxType:
    """The type of that name, with or without a dot. Raises ValueError (T241)."""
    found = ALL.get(text.removeprefix(".")) if isinstance(text, str) else None
    if found is None:
        raise bad_value("types.from_name", f"{text!r} is none of {', '.join(ALL)}")
    return found


def as_ptx_type(given: object, call: str) -> PtxType:
    """A type as it was given: one of this module, or of `avelang.ptx.types`. Raises TypeError (T241)."""
    if isinstance(given, PtxType):
        return given
    if isinstance(given, Type) and given.name in ALL:
        return ALL[given.name]
    raise bad_type(call, f"{given!r} is no type of pyptx.types, such as f32")


__all__ = [
    "PtxType", "b8", "b16", "b32", "b64", "b128", "bf16", "bf16x2", "e4m3", "e5m2", "f16", "f16x2", "f32", "f64",
    "from_name", "pred", "s8", "s16", "s32", "s64", "tf32", "u8", "u16", "u32", "u64",
]  # fmt: skip
