"""Names of a stopped kernel: what the frontend knew of them and a wave come in; numbers, arrays, tiles and texts for
one lane, or for all, go out."""

from __future__ import annotations

from typing import Any

import numpy as np

from avelang.frontend.frame import MISSING
from avelang.frontend.names import Layout
from avelang.frontend.scopes import Fields
from avelang.frontend.values import Poison, Ref, Vec, describe
from avelang.ir.core import Value
from avelang.ir.types import GLOBAL, LOCAL, DType, PtrType, TensorType
from avelang.sim.memory_ops import TensorValue
from avelang.sim.reference_program import ReferenceProgram
from avelang.sim.registers import Held
from avelang.sim.wave import ReferenceWave

MOST = 4096  # elements of a tensor that are read for a picture


class Unset:
    """A name without a value here: the name is bound later, or on another path."""

    def __repr__(self) -> str:
        return "<no value here>"


UNSET = Unset()


class Spot:
    """One lane of one wave, where names are looked up."""

    def __init__(self, p: ReferenceProgram, wave: ReferenceWave, lane: int):
        self.p, self.wave, self.lane = p, wave, lane

    def raw(self, value: Value) -> Any:
        """The value in all lanes, as the executor holds it."""
        slot = self.p.slots.get(value)
        held = None if slot is None else self.wave.env[slot]
        held = held.read(None) if isinstance(held, Held) else held
        return UNSET if held is None else held

    def shown(self, held: Any) -> Any:
        """A name's value in this lane: a number, an array of a register vector, a `TensorView`, a `TileView`, an
        `ObjectView`, a `PointerView`; what is no run-time value as it is."""
        if isinstance(held, Poison) or held is MISSING:
            return UNSET
        if isinstance(held, Fields):
            return TileView(self, held) if _distribution(held) is not None else ObjectView(self, held)
        if isinstance(held, tuple):
            return tuple(self.shown(x) for x in held)
        if isinstance(held, (Vec, Ref, Value)):
            raw = self.raw(held if isinstance(held, Value) else held.value)
            if raw is UNSET:
                return UNSET
            if isinstance(held, Vec):
                return _shaped(raw[self.lane], held.shape)
            if isinstance(raw, TensorValue):
                t = held.value.type if isinstance(held, Ref) else held.type
                assert isinstance(t, TensorType)
                coords = held.coords if isinstance(held, Ref) else ()
                return TensorView(self, raw, t, [self.number(c) for c in coords])
            if isinstance(raw, np.ndarray):
                item = raw[self.lane]
                t = held.type if isinstance(held, Value) else None
                return PointerView(self, int(item), t) if isinstance(t, PtrType) else plain(item)
            return raw
        return held

    def number(self, x: Any) -> int:
        """An int, or an integer of the IR in this lane."""
        return x if isinstance(x, int) else int(self.raw(x)[self.lane])


def plain(item: Any) -> Any:
    """A number of NumPy as Python's; anything else as it is."""
    return item.item() if isinstance(item, np.generic) and item.dtype.kind in "biuf" else item


def _shaped(items: Any, shape: Any) -> Any:
    try:
        flat = tuple(int(x) for x in shape)
        return np.asarray(items).reshape(flat)
    except (TypeError, ValueError):  # nested modes: as they lie in the registers
        return np.asarray(items)


class ObjectView:
    """An object of a struct, its fields as attributes."""

    def __init__(self, spot: Spot, held: Fields):
        self._spot, self._held = spot, held

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._held.values:
            raise AttributeError(f"the struct {self._held.name} has no field {name}")
        return self._spot.shown(self._held.values[name])

    def fields(self) -> dict[str, Any]:
        """The fields with their values in this lane."""
        return {n: self._spot.shown(v) for n, v in self._held.values.items()}

    def __repr__(self) -> str:
        return f"{self._held.name}({', '.join(f'{n}={brief(v)}' for n, v in self.fields().items())})"


def _distribution(held: Fields) -> Any:
    """The distribution of a tile; None for other objects."""
    found = next((v for v in held.values.values() if hasattr(v, "scatter") and hasattr(v, "threads")), None)
    data = next((v for v in held.values.values() if isinstance(v, (Vec, Ref))), None)
    registers = isinstance(data, Vec) or (isinstance(data, Ref) and data.type.space == LOCAL)
    return found if found is not None and registers else None


class TileView(ObjectView, np.lib.mixins.NDArrayOperatorsMixin):
    """A tile whose elements the lanes of the block hold: `array()` is the whole of it, of which operators, functions of
    NumPy, an index and methods such as `t.max()` are, too."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.array() if dtype is None else self.array().astype(dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(whole, inputs), **options)

    def __getitem__(self, index: Any) -> Any:
        return plain(self.array()[index])

    def __getattr__(self, name: str) -> Any:
        if name in self._held.values or name.startswith("_") or not hasattr(np.ndarray, name):
            return super().__getattr__(name)
        return _called(getattr(self.array(), name))

    def array(self) -> np.ndarray:
        """The tile, from the registers of all waves of the block as they are now."""
        dist = _distribution(self._held)
        data = next(v for v in self._held.values.values() if isinstance(v, (Vec, Ref)))
        held = []
        for wave in self._spot.wave.block.waves:
            for lane in range(wave.lanes):
                x = Spot(self._spot.p, wave, lane).shown(data)
                x = x.array() if isinstance(x, TensorView) else x
                held.append(np.zeros(dist.elements) if x is UNSET else np.asarray(x).reshape(-1))
        return dist.scatter(np.stack(held[: dist.threads]))

    def __repr__(self) -> str:
        dist = _distribution(self._held)
        return f"{self._held.name}, a tile {dist.shape} over {dist.threads} threads"


class TensorView:
    """A tensor in this lane's eyes: `t[i, j]` reads an element, `array()` all of it; both may be outside of memory."""

    def __init__(self, spot: Spot, raw: TensorValue, t: TensorType, coords: list[int]):
        lane = spot.lane
        self.spot, self.type, self.name = spot, t, raw.name
        shape = [x if isinstance(x, int) else int(x[lane]) for x in raw.shape]
        strides = [x if isinstance(x, int) else int(x[lane]) for x in raw.strides]
        self.address = int(raw.address[lane])
        self.address += sum(c * s for c, s in zip(coords, strides, strict=False)) * t.dtype.bytes
        self.shape, self.strides = tuple(shape[len(coords) :]), tuple(strides[len(coords) :])

    @property
    def layout(self) -> str:
        """Shape and strides, in elements, as `ave show layout` takes them."""
        return f"{self.shape}:{self.strides}".replace(" ", "")

    def place(self, index: Any) -> int:
        """The address of an element."""
        at = index if isinstance(index, tuple) else (index,)
        return self.address + sum(int(i) * s for i, s in zip(at, self.strides, strict=True)) * self.type.dtype.bytes

    def __getitem__(self, index: Any) -> Any:
        at = index if isinstance(index, tuple) else (index,)
        if len(at) != len(self.shape):
            raise IndexError(f"`{self.name}` has {len(self.shape)} dimensions, and {len(at)} indices are given")
        if any(not 0 <= int(i) < n for i, n in zip(at, self.shape, strict=True)):
            raise IndexError(f"{at} is outside of `{self.name}`, whose extents are {self.shape}")
        return plain(read(self.spot, self.type.space, np.array([self.place(at)]), self.type.dtype)[0])

    def array(self) -> np.ndarray:
        """All elements, read where they lie. Raises IndexError for more than 4096."""
        count = int(np.prod(self.shape, dtype=np.int64))
        if count > MOST:
            raise IndexError(f"`{self.name}` has {count} elements: print a part of it, such as {self.name}[0, 0]")
        at = np.zeros(self.shape, np.int64)
        for axis, (n, s) in enumerate(zip(self.shape, self.strides, strict=True)):
            at += (np.arange(n) * s).reshape([-1 if i == axis else 1 for i in range(len(self.shape))])
        flat = read(self.spot, self.type.space, self.address + at.reshape(-1) * self.type.dtype.bytes, self.type.dtype)
        return flat.reshape(self.shape)

    def __repr__(self) -> str:
        return f"a tensor {self.shape} of {self.type.dtype} in {self.type.space} memory"


class PointerView:
    """An address, `p[i]` the element behind it as a kernel reads it: a pointer has no extents."""

    def __init__(self, spot: Spot, address: int, t: PtrType):
        self.spot, self.address, self.type = spot, address, t

    def place(self, index: Any) -> int:
        """The address of an element."""
        (i,) = index if isinstance(index, tuple) else (index,)
        return self.address + int(i) * self.type.dtype.bytes

    def __getitem__(self, index: Any) -> Any:
        return plain(read(self.spot, self.type.space, np.array([self.place(index)]), self.type.dtype)[0])

    def __repr__(self) -> str:
        return hex(self.address)


def read(spot: Spot, space: str, address: np.ndarray, dtype: DType) -> np.ndarray:
    """Elements of memory as they are, without a check of the executor. Raises IndexError outside of all memory."""
    memory, size = spot.wave.spaces[space], dtype.bytes
    out = np.zeros((len(address), size), np.uint8)
    for i, at in enumerate(address.tolist()):
        which = next((k for k, a in enumerate(memory.allocs) if a.start <= at and at + size <= a.end), None)
        if which is None:
            raise IndexError(f"address {at:#x} is outside of all memory")
        start = at - memory.origins[which] + (spot.lane * memory.stride if space == LOCAL else 0)
        out[i] = memory.buffers[which].words[1][start : start + size]
    return out.reshape(-1).view(dtype.np)


def whole(value: Any) -> Any:
    """The elements of a tile or a tensor, as an array; anything else as it is."""
    return value.array() if isinstance(value, (TileView, TensorView)) else value


def _called(found: Any) -> Any:
    """A function of NumPy that takes tiles and tensors and gives plain numbers: called from here, where Python's
    builtins are, of which expressions have few. What is no function as it is."""
    if not callable(found):
        return found

    def call(*args: Any, **options: Any) -> Any:
        return plain(found(*map(whole, args), **options))

    return call


# What functions of `tile` and `al` are called in NumPy, where that is another name.
_NUMPY: dict[str, dict[str, str]] = {"tile": {}, "al": {"max": "maximum", "min": "minimum", "select": "where"}}
_SAME = frozenset(
    ("abs", "all", "any", "argmax", "argmin", "argsort", "ceil", "cos", "cumprod", "cumsum", "exp", "exp2", "floor",
     "isfinite", "isinf", "isnan", "log", "log1p", "log2", "max", "maximum", "min", "minimum", "round", "sign", "sin",
     "sort", "sqrt", "sum", "tanh", "trunc", "where")
)  # fmt: skip


class Functions:
    """`tile` or `al` in expressions: those of its functions that NumPy has, of what is held now. They compute as NumPy
    does, which may be more precise than the kernel."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, name: str) -> Any:
        named = _NUMPY[self._name].get(name, name)
        if name.startswith("_") or named not in _SAME:
            have = ", ".join(sorted(_SAME | _NUMPY[self._name].keys()))
            raise AttributeError(f"{self._name}.{name} is not there when stopped; what is: {have}, and all of np")
        return _called(getattr(np, named))


def brief(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, np.ndarray):
        flat = np.array2string(value.reshape(-1), threshold=8, edgeitems=3, separator=", ", max_line_width=10000)
        return flat if value.ndim == 1 else f"{flat} of {value.shape}"
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, tuple) and not isinstance(value, str):
        return f"({', '.join(map(brief, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, (Unset, TensorView, PointerView, ObjectView, int, str, bool)) or value is None:
        return repr(value)
    return describe(value)


def full(value: Any) -> str:
    """A value in all its length: tensors and tiles with their elements."""
    if isinstance(value, (TensorView, TileView)):
        return f"{value!r}\n{value.array()}"
    return str(value) if isinstance(value, np.ndarray) else brief(value)


def shown_always(value: Any) -> bool:
    """True for what a list of names shows: no functions, modules, dtypes and classes of Ave's own."""
    return isinstance(value, (Vec, Ref, Value, Fields, Layout, int, float, bool, tuple)) and not isinstance(
        value, Poison
    )


__all__ = ["GLOBAL", "ObjectView", "PointerView", "Spot", "TensorView", "TileView", "brief", "full", "read",
           "shown_always"]  # fmt: skip
