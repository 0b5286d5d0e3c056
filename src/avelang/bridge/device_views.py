"""Arrays over memory of a GPU that belongs to a framework without an array to hand over: an address comes in; an array
that kernels take, and that host functions use as they use NumPy's, goes out. New memory comes from the framework too,
for as long as a call runs; copies, sums and constants are made by kernels."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any, Protocol

from avelang.base import late
from avelang.base.lazy import np
from avelang.bridge.dimensions import extents_of, strides_for
from avelang.ir.dtypes import from_numpy
from avelang.runtime.arrays import Array

ALIGNED = 128  # bytes: where new memory begins at the least, as tensor maps want it


class Memory(Protocol):
    """Memory for new arrays of a call."""

    def take(self, size: int) -> int:
        """The address of so many bytes, until the call ends."""
        ...


class Work(Protocol):
    """The kernels by which views compute: `avelang.elements`."""

    def assign(self, target: DeviceView, source: DeviceView) -> None:
        """target = source, of one shape."""

    def fill(self, target: DeviceView, value: Any) -> None:
        """target = value, a number."""

    def count(self, target: DeviceView, start: Any, step: Any) -> None:
        """target[i] = start + step * i."""

    def add_up(self, target: DeviceView, source: DeviceView, axes: tuple[int, ...]) -> None:
        """target = the sums of source along axes."""


def _work() -> Work:
    return late.get("elements")


class DeviceView:
    """Memory of a GPU at an address: `shape`, `dtype` (NumPy's), `strides` in bytes, `device` such as "cuda:0". It has
    what host functions ask of NumPy's arrays: views, assignments, copies, sums, `numpy.empty_like` and its like.
    `room`: where new arrays lie."""

    def __init__(
        self, address: int, shape: tuple[int, ...], dtype: Any, device: str, strides: tuple[int, ...] | None = None,
        room: Memory | None = None,
    ):  # fmt: skip
        self.address, self.dtype, self.device, self.room = address, dtype, device, room
        # NumPy's arithmetic of shapes, on an array that has no memory but this one's address.
        self._form = _form(shape, dtype, strides)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return self._form.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from an element to the next along each dimension."""
        return self._form.strides

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._form.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._form.size

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._form.nbytes

    @property
    def flags(self) -> Any:
        """NumPy's flags: `c_contiguous` and others."""
        return self._form.flags

    def data_ptr(self) -> int:
        """The address of the first element."""
        return self.address

    def reach(self) -> tuple[int, int]:
        """The first and the last address of its memory, the end of that."""
        steps = [(n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)] if self.size else []
        down = sum(s for s in steps if s < 0)
        return self.address + down, self.address + sum(s for s in steps if s > 0) + self.itemsize * bool(self.size)

    def __len__(self) -> int:
        return len(self._form)

    # -- views ---------------------------------------------------------------------------------------------------------

    @property
    def T(self) -> DeviceView:
        """The view with its dimensions in the other order."""
        return self._of(self._form.T)

    def transpose(self, *axes: Any) -> DeviceView:
        """The view with its dimensions in that order."""
        return self._of(self._form.transpose(*axes))

    def swapaxes(self, one: int, two: int) -> DeviceView:
        """The view with two dimensions exchanged."""
        return self._of(self._form.swapaxes(one, two))

    def reshape(self, *shape: Any) -> DeviceView:
        """The elements in another shape: a view, or a copy where there is no such view."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        extents = extents_of(wanted, self.size)
        # Not by NumPy's `reshape`: it would copy what nobody can read.
        steps = strides_for(self.shape, self.strides, extents)
        if steps is None:
            return self.copy().reshape(extents)
        return DeviceView(self.address, extents, self.dtype, self.device, steps, self.room)

    def as_strided(self, shape: tuple[int, ...], steps: tuple[int, ...]) -> DeviceView:
        """The memory from the first element on, with another shape and other strides, in elements."""
        steps = tuple(s * self.itemsize for s in steps)
        return DeviceView(self.address, tuple(shape), self.dtype, self.device, steps, self.room)

    def view(self, dtype: Any) -> DeviceView:
        """The memory as elements of another dtype, as NumPy's `view` has it."""
        form = self._form.view(dtype)
        made = self._of(form)
        made.dtype = form.dtype
        return made

    def __getitem__(self, key: Any) -> DeviceView:
        return self._of(self._form[self._key(key)])

    def _key(self, key: Any) -> tuple[Any, ...]:
        """A key for which NumPy gives a view, never a number or a copy. Raises TypeError for another."""
        said = key if isinstance(key, tuple) else (key,)
        for one in said:
            if not (one is None or one is ... or isinstance(one, slice) or hasattr(one, "__index__")):
                raise TypeError(f"{self!r} is indexed by {one!r}: numbers, slices, None and ... give views")
        return said if any(one is ... for one in said) else (*said, ...)

    def _of(self, form: Any) -> DeviceView:
        moved = form.__array_interface__["data"][0] - self._form.__array_interface__["data"][0]
        made = DeviceView(self.address + moved, (), self.dtype, self.device, None, self.room)
        made._form = form
        return made

    # -- new memory, and what kernels do -------------------------------------------------------------------------------

    def new_empty(self, shape: Any, dtype: Any = None) -> DeviceView:
        """A new array beside this one, with anything in it, until the call ends; by default of the same dtype."""
        if self.room is None:
            raise TypeError(f"{self!r} is memory alone: there is nobody to ask for more")
        kind = self.dtype if dtype is None else np.dtype(dtype)
        extents: tuple[int, ...] = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(shape)
        size = math.prod(extents) * kind.itemsize
        return DeviceView(self.room.take(size) if size else 0, extents, kind, self.device, None, self.room)

    def copy(self, order: str = "C") -> DeviceView:
        """A new array of the same elements, row-major."""
        return self.astype(self.dtype)

    def astype(self, dtype: Any) -> DeviceView:
        """A new array of the same elements in another dtype."""
        made = self.new_empty(self.shape, dtype)
        made[...] = self
        return made

    def __setitem__(self, key: Any, value: Any) -> None:
        target = self[key]
        if isinstance(value, DeviceView):
            source = value._of(np.broadcast_to(value._form, target.shape))
            if target.size:
                _work().assign(target, source)
        elif np.ndim(value) == 0:
            if target.size:
                _work().fill(target, value)
        else:
            raise TypeError(f"{self!r} is on {self.device}, and what is assigned is {type(value).__name__} of the CPU")

    def sum(self, axis: Any = None, keepdims: bool = False) -> DeviceView:
        """Sums along dimensions, all by default, in f32 (f64 of f64, i64 of integers) and in a fixed order."""
        said = range(self.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
        axes = tuple(sorted(a % self.ndim for a in said))
        kept = tuple(1 if i in axes else n for i, n in enumerate(self.shape))
        made = self.new_empty(kept, np.dtype(np.int64) if self.dtype.kind in "iub" else self.dtype)
        if made.size:
            _work().add_up(made, self, axes)
        return made if keepdims else made.reshape(tuple(n for i, n in enumerate(kept) if i not in axes))

    # -- NumPy ---------------------------------------------------------------------------------------------------------

    __array_ufunc__ = None  # arithmetic is for kernels: NumPy says so, rather than making arrays of objects

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(f"{self!r} cannot be read from the CPU")

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} cannot be read from the CPU")

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        found = _FUNCTIONS.get(getattr(function, "__name__", ""))
        return NotImplemented if found is None else found(self, *args, **kwargs)

    def __ave_array__(self) -> Array:
        """The description that launches read."""
        kind = from_numpy(self.dtype)
        return Array("JAX", self.address, kind, self.dtype, self.shape, self.strides, self.device, self, "view")

    def __repr__(self) -> str:
        return f"DeviceView({self.shape}, {self.dtype}, {self.device!r})"


def _full(like: DeviceView, shape: Any, value: Any, dtype: Any = None, **_: Any) -> DeviceView:
    made = like.new_empty(shape, np.dtype(np.float64) if dtype is None else dtype)
    made[...] = value
    return made


def _full_like(x: DeviceView, value: Any, dtype: Any = None) -> DeviceView:
    return _full(x, x.shape, value, x.dtype if dtype is None else dtype)


def _arange(like: DeviceView, *ends: Any, dtype: Any = None, **_: Any) -> DeviceView:
    start, stop, step = (0, *ends, 1) if len(ends) == 1 else (*ends, 1)[:3]
    made = like.new_empty(len(range(start, stop, step)), np.dtype(np.int64) if dtype is None else dtype)
    if made.size:
        _work().count(made, start, step)
    return made


def _copyto(like: DeviceView, target: DeviceView, source: Any) -> None:
    target[...] = source


# NumPy's functions of arrays, by name: the first argument is the view that was asked.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "empty": lambda like, shape, dtype=None, **_: like.new_empty(shape, np.float64 if dtype is None else dtype),
    "zeros": lambda like, shape, dtype=None, **_: _full(like, shape, 0, dtype),
    "ones": lambda like, shape, dtype=None, **_: _full(like, shape, 1, dtype),
    "full": _full,
    "arange": _arange,
    "empty_like": lambda _, x, dtype=None, **__: x.new_empty(x.shape, dtype),
    "zeros_like": lambda _, x, dtype=None, **__: _full_like(x, 0, dtype),
    "ones_like": lambda _, x, dtype=None, **__: _full_like(x, 1, dtype),
    "full_like": lambda _, x, value, dtype=None, **__: _full_like(x, value, dtype),
    "copyto": _copyto,
    "copy": lambda _, x, **__: x.copy(),
    "ascontiguousarray": lambda _, x, dtype=None: x if x.flags.c_contiguous else x.copy(),
    "broadcast_to": lambda _, x, shape, **__: x._of(np.broadcast_to(x._form, shape)),
    "reshape": lambda _, x, shape, **__: x.reshape(shape),
    "ravel": lambda _, x, **__: x.reshape(-1),
    "transpose": lambda _, x, axes=None: x.T if axes is None else x.transpose(*axes),
    "swapaxes": lambda _, x, one, two: x.swapaxes(one, two),
    "sum": lambda _, x, axis=None, keepdims=False, **__: x.sum(axis, keepdims),
    "shape": lambda _, x: x.shape,
    "ndim": lambda _, x: x.ndim,
    "size": lambda _, x: x.size,
}


def _form(shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...] | None) -> Any:
    """An array of that form, of which no element is ever read."""
    if strides is None or 0 in shape:
        before, size = 0, dtype.itemsize * math.prod(shape)
    else:
        before = -sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if s < 0)
        size = before + dtype.itemsize + sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if s > 0)
    # Addresses of memory that nobody has: only differences are used.
    nowhere: Any = (ctypes.c_uint8 * max(size, 1)).from_address(1 << 40)
    return np.ndarray(shape, dtype, nowhere, before, strides)
