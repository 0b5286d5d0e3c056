"""What a kernel takes and gives: `Tile`s (arrays of a type and a shape, in numbers or in symbols) and numbers; of a
call's arrays, the sizes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from avelang.base.errors import error
from avelang.base.places import wrong
from avelang.ir.types import MapType
from avelang.isa.tensor_map import box_fault
from avelang.nvptx import nodes as n
from avelang.ptx.refusals import NoValue, no_arithmetic
from avelang.ptx.types import Type, as_type

Extent = int | str


class TileSpec:
    """An array, row-major without gaps: `Tile(128, 64, bf16)`, or with symbols, `Tile("M", "K", bf16)`: a symbol means
    one size wherever it stands, and the first call with new sizes traces the kernel for them. `Tile((128, 64), bf16)`
    and `Tile(128, 64, dtype=bf16)` are the same as the first.

    `box`: extents of the boxes in which the copy engine moves it (TMA), with `swizzle` bytes of pattern in shared
    memory (0, 32, 64, 128); `nan`: what is outside the array reads as NaN, not as zero. Then the kernel gets a tensor
    map of the array too. Raises T235, T221, T036."""

    __slots__ = ("box", "nan", "shape", "swizzle", "type")

    def __init__(
        self, *what: Any, dtype: Any = None, box: tuple[int, ...] | None = None, swizzle: int = 0, nan: bool = False
    ):
        *extents, dtype = (*what, dtype) if dtype is not None else what or (None,)
        if len(extents) == 1 and isinstance(extents[0], (tuple, list)):
            extents = list(extents[0])
        self.type: Type = as_type(dtype, "the last argument of Tile")
        _ = self.type.in_memory  # a type that arrays can have
        for x in extents:
            if isinstance(x, bool) or not (
                isinstance(x, int) and 0 <= x < 1 << 63 or isinstance(x, str) and x.isidentifier()
            ):
                raise wrong(
                    "T221", what="an extent of Tile", want='an int from 0, or a symbol such as "M"', got=repr(x)
                )
        kinds_of = {"box": (box, (tuple, list, type(None)), "a tuple of extents"), "nan": (nan, bool, "True or False")}
        for name, (given, kinds, want) in {**kinds_of, "swizzle": (swizzle, int, "an int")}.items():
            if not isinstance(given, kinds):
                raise wrong("T221", what=f"{name} of Tile", want=want, got=repr(given))
        self.shape: tuple[Extent, ...] = tuple(extents)
        self.box, self.swizzle, self.nan = (tuple(box) if box is not None else None), swizzle, nan
        if self.map is not None:
            fits = len(self.map.box) == len(self.shape)
            why = (
                box_fault(self.map)
                if fits
                else f"a box of {len(self.map.box)} dimensions for an array of {len(self.shape)}"
            )
            if why:
                raise wrong("T036", got=repr(self), why=why)

    def __repr__(self) -> str:
        extents = "".join(f"{x!r}, " for x in self.shape)
        box = f", box={self.box}" if self.box is not None else ""
        swizzle = f", swizzle={self.swizzle}" if self.swizzle else ""
        return f"Tile({extents}{self.type}{box}{swizzle})"

    @property
    def dtype(self) -> Type:
        """`type`, by the name that arrays have for it."""
        return self.type

    @property
    def map(self) -> MapType | None:
        """The tensor map's type."""
        return MapType(self.type.in_memory, self.box, self.swizzle, nan=self.nan) if self.box is not None else None

    def at(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """The shape, symbols replaced."""
        return tuple(sizes[x] if isinstance(x, str) else x for x in self.shape)


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a shape without gaps, in elements."""
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


@no_arithmetic
@dataclasses.dataclass(frozen=True, eq=False)
class KernelArgument(NoValue):
    """A parameter inside of a kernel: `tile` for an array (with `shape` and `strides` in elements), None for a number
    of `type`. As an operand it is the parameter's name, for `ld.param`; `map` is that of its tensor map."""

    name: str
    symbol: str
    type: Type
    tile: TileSpec | None = None
    shape: tuple[int, ...] = ()

    def node(self) -> n.Operand:
        """The parameter's name as an operand."""
        return n.SymbolOperand(self.symbol)

    @property
    def strides(self) -> tuple[int, ...]:
        """Strides in elements, row-major without gaps."""
        return row_major(self.shape)

    @property
    def map(self) -> n.SymbolOperand | None:
        """The parameter with the tensor map, where the tile has a box."""
        return n.SymbolOperand(f"{self.symbol}_map") if self.tile is not None and self.tile.box is not None else None

    def parameters(self) -> list[n.PtxVariable]:
        """As the entry declares it."""
        if self.tile is None:
            return [n.PtxVariable("param", self.type.held if self.type.held != "f16" else "b16", self.symbol)]
        out = [n.PtxVariable("param", "u64", self.symbol)]
        if self.map is not None:
            out.append(n.PtxVariable("param", "b8", self.map.name, align=64, dims=(n.Int(128),)))
        return out

    def __repr__(self) -> str:
        return f"<parameter {self.name}: {self.tile if self.tile is not None else self.type}>"


Spec = TileSpec | Type


def symbols(specs: Sequence[Spec]) -> tuple[str, ...]:
    """The symbols of specs, in the order in which they are first written."""
    return tuple(dict.fromkeys(x for s in specs if isinstance(s, TileSpec) for x in s.shape if isinstance(x, str)))


def sizes_of(
    kernel: str, names: Sequence[str], specs: Sequence[Spec], shapes: Sequence[tuple[int, ...] | None]
) -> dict[str, int]:
    """The sizes that symbols have in a call. `shapes`: of the arguments, None for numbers. Raises L040 and L041."""
    out: dict[str, int] = {}
    said: dict[str, str] = {}
    for name, spec, shape in zip(names, specs, shapes, strict=True):
        if not isinstance(spec, TileSpec) or shape is None:
            continue
        if len(shape) != len(spec.shape):
            raise error(
                "L040",
                kernel=kernel,
                param=name,
                want=spec,
                got=tuple(shape),
                why=f"it has {len(shape)} dimensions, not {len(spec.shape)}",
            )
        for axis, (want, have) in enumerate(zip(spec.shape, shape, strict=True)):
            have = int(have)
            if isinstance(want, str):
                if out.setdefault(want, have) != have:
                    raise error(
                        "L041",
                        kernel=kernel,
                        symbol=want,
                        first=out[want],
                        where=said[want],
                        other=have,
                        param=name,
                        axis=axis,
                    )
                said.setdefault(want, f"dimension {axis} of {name!r}")
            elif want != have:
                raise error(
                    "L040",
                    kernel=kernel,
                    param=name,
                    want=spec,
                    got=tuple(shape),
                    why=f"dimension {axis} is {have}, not {want}",
                )
    return out
