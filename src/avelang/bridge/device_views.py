"""Views of a GPU's memory that belongs to a framework without an array to hand over: an address comes in; an array that
kernels take, and that can be reshaped and cut as NumPy's, goes out."""

from __future__ import annotations

from typing import Any

from avelang.base.lazy import np
from avelang.ir.dtypes import from_numpy
from avelang.runtime.arrays import Array


class DeviceView:
    """Memory of a GPU at an address: `shape`, `dtype` (NumPy's), `strides` in bytes; `device` such as "cuda:0".
    Reshaping, transposing and indexing give views."""

    def __init__(
        self, address: int, shape: tuple[int, ...], dtype: Any, device: str, strides: tuple[int, ...] | None = None
    ):
        self.address, self.dtype, self.device = address, dtype, device
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
    def T(self) -> DeviceView:
        """The view with its dimensions in the other order."""
        return self._of(self._form.T)

    def reshape(self, *shape: Any) -> DeviceView:
        """The view of another shape. Raises ValueError where that takes a copy."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        found = self._form.reshape(wanted)
        if self.size and not np.may_share_memory(found, self._form):
            raise ValueError(f"{self.shape} with strides {self.strides} has no view of shape {tuple(wanted)}")
        return self._of(found)

    def view(self, dtype: Any) -> DeviceView:
        """The memory as elements of another dtype, as NumPy's `view` has it."""
        form = self._form.view(dtype)
        made = self._of(form)
        made.dtype = form.dtype
        return made

    def transpose(self, *axes: int) -> DeviceView:
        """The view with its dimensions in that order."""
        return self._of(self._form.transpose(*axes))

    def __getitem__(self, key: Any) -> DeviceView:
        found = self._form[key]
        return self._of(
            found if isinstance(found, np.ndarray) else np.asarray(self._form[(*_tuple(key), None)][..., 0])
        )

    def _of(self, form: Any) -> DeviceView:
        moved = form.__array_interface__["data"][0] - self._form.__array_interface__["data"][0]
        made = DeviceView(self.address + moved, (), self.dtype, self.device)
        made._form = form
        return made

    def __ave_array__(self) -> Array:
        """The description that launches read."""
        return Array(
            "JAX", self.address, from_numpy(self.dtype), self.dtype, self.shape, self.strides, self.device, self, "view"
        )

    def __repr__(self) -> str:
        return f"DeviceView({self.shape}, {self.dtype}, {self.device!r})"


def _tuple(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _form(shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...] | None) -> Any:
    """An array of that form, of which no element is ever read."""
    import ctypes

    size = dtype.itemsize
    for n in shape:
        size *= n
    # Addresses of memory that nobody has: only differences are used.
    nowhere: Any = (ctypes.c_uint8 * max(size, 1)).from_address(1 << 40)
    return np.ndarray(shape, dtype, nowhere, strides=strides)
