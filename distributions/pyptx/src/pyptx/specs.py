"""`Tile` and `Layout`: what a kernel's arrays are (extents in numbers or symbols, a type), and how the copy engine
moves boxes of them."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pyptx._errors import PyptxKeyError, bad_value, fail
from pyptx.types import PtxType, as_ptx_type

Extent = int | str


class Layout(enum.Enum):
    """The arrangement of a tile. The three TMA layouts are swizzles of its tensor map; the others mean none."""

    ROW = "row"
    COL = "col"
    TMA_128B = "tma_128b"
    TMA_64B = "tma_64b"
    TMA_32B = "tma_32b"
    INTERLEAVED = "interleaved"


SWIZZLES = {Layout.TMA_128B: 128, Layout.TMA_64B: 64, Layout.TMA_32B: 32}
_BY_WIDTH = {16: Layout.ROW, 32: Layout.TMA_32B, 64: Layout.TMA_64B}


@dataclasses.dataclass(frozen=True, init=False)
class Tile:
    """An array: extents (ints, or names of sizes), a type and a layout, in any order: `Tile("M", "K", bf16)`.

    `tma_box`: (rows, columns) in elements of the boxes that the copy engine moves; `tma_rank` 3 sees the array as
    columns of 64 elements beside each other, `tma_padding` with 8 more in shared memory. Raises ValueError and
    TypeError (T241)."""

    shape: tuple[Extent, ...]
    dtype: PtxType
    layout: Layout
    tma_box: tuple[int, int] | None
    tma_rank: int
    tma_padding: bool

    def __init__(self, *what: Any, dtype: Any = None, layout: Layout = Layout.ROW, tma_box: Sequence[int] | None = None,
                 tma_rank: int = 2, tma_padding: bool = False):  # fmt: skip
        shape: list[Extent] = []
        kind = None if dtype is None else as_ptx_type(dtype, "Tile")
        for x in what:
            if isinstance(x, Layout):
                layout = x
            elif isinstance(x, (int, str)) and not isinstance(x, bool):
                shape.append(x)
            else:
                given = as_ptx_type(x, "Tile: an argument that is no extent and no layout")
                if kind is not None and kind != given:
                    raise bad_value("Tile", f"it has two types, {kind} and {given}")
                kind = given
        if kind is None:
            raise bad_value("Tile", "it has no type (dtype)", "give it one of pyptx.types: Tile(128, 64, bf16)")
        if not shape:
            raise bad_value("Tile", "it has no extents")
        if tma_rank not in (2, 3):
            raise bad_value("Tile", f"tma_rank is 2 or 3, not {tma_rank!r}")
        box = None if tma_box is None else _box(tma_box)
        values = (tuple(shape), kind, layout, box, tma_rank, bool(tma_padding))
        for field, value in zip(dataclasses.fields(self), values, strict=True):
            object.__setattr__(self, field.name, value)

    @property
    def rank(self) -> int:
        """The number of extents."""
        return len(self.shape)

    @property
    def symbolic_dims(self) -> tuple[str, ...]:
        """The names of sizes among the extents, in order, with repeats."""
        return tuple(x for x in self.shape if isinstance(x, str))

    def resolve_shape(self, env: Mapping[str, int]) -> tuple[int, ...]:
        """The shape with these sizes. Raises KeyError (T241) for a name that has none."""
        for x in self.symbolic_dims:
            if x not in env:
                raise fail(PyptxKeyError, "Tile.resolve_shape", f"{x!r} has no size")
        return tuple(env[x] if isinstance(x, str) else x for x in self.shape)

    def extract_env(self, array_shape: Sequence[int]) -> dict[str, int]:
        """The sizes that an array's shape gives. Raises ValueError (T241) where it does not fit."""
        if len(array_shape) != self.rank:
            raise bad_value("Tile", f"the array has rank {len(array_shape)}, {self!r} rank {self.rank}")
        out: dict[str, int] = {}
        for axis, (want, have) in enumerate(zip(self.shape, array_shape, strict=True)):
            if out.setdefault(want, int(have)) != have if isinstance(want, str) else want != have:
                want = out[want] if isinstance(want, str) else want
                raise bad_value("Tile", f"dim {axis} of the array is {have}, {self!r} has {want} there")
        return out

    def matches(self, array_shape: Sequence[int], array_dtype_name: str) -> bool:
        """True for an array of this rank, these concrete extents and this type (by PTX's name or NumPy's)."""
        fits = len(array_shape) == self.rank and all(
            isinstance(want, str) or want == have for want, have in zip(self.shape, array_shape, strict=True)
        )
        return fits and str(array_dtype_name).rpartition(".")[2] in {self.dtype.name, *NUMPY.get(self.dtype.name, ())}

    @classmethod
    def wgmma_a(cls, m: Extent, k: Extent, dtype: Any, *, tile_m: int | None = None, tile_k: int | None = None) -> Tile:
        """An (m, k) operand A, moved in boxes of tile_m x tile_k; its layout follows from the bytes of a box's row."""
        return cls._operand((m, k), dtype, (tile_m, tile_k))

    @classmethod
    def wgmma_b(cls, k: Extent, n: Extent, dtype: Any, *, tile_k: int | None = None, tile_n: int | None = None) -> Tile:
        """A (k, n) operand B, moved in boxes of tile_k x tile_n."""
        return cls._operand((k, n), dtype, (tile_k, tile_n))

    @classmethod
    def _operand(cls, shape: tuple[Extent, Extent], dtype: Any, box: tuple[int | None, int | None]) -> Tile:
        kind = as_ptx_type(dtype, "Tile")
        rows, columns = box[0] or shape[0], box[1] or shape[1]
        layout = Layout.ROW
        if isinstance(columns, int):
            width = columns * kind.bytes
            if width < 128 and width not in _BY_WIDTH or width > 128 and width % 16:
                raise bad_value("Tile", f"a row has {width} bytes; 16, 32, 64, 128 or more are possible")
            layout = _BY_WIDTH.get(width, Layout.TMA_128B)
        boxed: Any = None if box == (None, None) else (rows, columns)
        if boxed is not None and not all(isinstance(x, int) for x in boxed):
            raise bad_value("Tile", f"the box {boxed} is not made of ints: give both of its extents")
        return cls(*shape, dtype=kind, layout=layout, tma_box=boxed)

    def __repr__(self) -> str:
        more = [repr(x) for x in self.shape] + [self.dtype.name]
        more += [] if self.layout is Layout.ROW else [str(self.layout)]
        more += [] if self.tma_box is None else [f"tma_box={self.tma_box}"]
        more += [] if self.tma_rank == 2 else [f"tma_rank={self.tma_rank}"]
        more += ["tma_padding=True"] if self.tma_padding else []
        return f"Tile({', '.join(more)})"


def _box(given: Any) -> tuple[int, int]:
    """The rows and columns of a box. Raises ValueError (T241)."""
    found = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if len(found) != 2 or not all(hasattr(x, "__index__") and not isinstance(x, bool) and x > 0 for x in found):
        raise bad_value("Tile", f"tma_box is (rows, columns) in elements, two ints from 1 on, not {given!r}")
    return found[0].__index__(), found[1].__index__()


# NumPy's names (and torch's) of arrays of a type, by that of PTX; first the one that new arrays get.
NUMPY: dict[str, tuple[str, ...]] = {
    "f16": ("float16",), "bf16": ("bfloat16",), "f32": ("float32",), "tf32": ("float32",), "f64": ("float64",),
    "e4m3": ("float8_e4m3fn",), "e5m2": ("float8_e5m2",), "pred": ("bool",),
    **{f"s{bits}": (f"int{bits}", f"uint{bits}") for bits in (8, 16, 32, 64)},
    **{f"{k}{bits}": (f"uint{bits}", f"int{bits}") for k in "ub" for bits in (8, 16, 32, 64)},
}  # fmt: skip


def unify_envs(envs: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sizes of several arrays as one. Raises ValueError (T241) where they say different things."""
    out: dict[str, int] = {}
    for env in envs:
        for name, size in env.items():
            if out.setdefault(name, size) != size:
                raise bad_value("Tile", f"conflicting sizes of {name!r}: {out[name]} and {size}")
    return out


__all__ = ["Layout", "Tile", "unify_envs"]
