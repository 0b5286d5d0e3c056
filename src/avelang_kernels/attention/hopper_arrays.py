"""What Hopper's attention asks of arrays of torch and NumPy: strides, whether TMA reaches them, memory as a line."""

from __future__ import annotations

import sys
from typing import Any


def strides_of(x: Any) -> tuple[int, ...]:
    """Of an array of torch or NumPy, in elements."""
    return tuple(x.stride()) if hasattr(x, "stride") else tuple(s // x.itemsize for s in x.strides)


def reachable(x: Any) -> bool:
    """True where TMA can copy from an array: d side by side, all else in steps of 16 bytes."""
    address = x.data_ptr() if hasattr(x, "data_ptr") else x.ctypes.data
    steps = strides_of(x)
    return (steps[-1] == 1 or x.shape[-1] == 1) and all(s % 8 == 0 for s in steps[:-1]) and address % 16 == 0


def flattened(x: Any) -> Any:
    """The memory of an array from its first to its last element, as an array of one dimension."""
    if 0 in x.shape:
        return x.reshape(-1)
    span = sum((n - 1) * s for n, s in zip(x.shape, strides_of(x), strict=True)) + 1
    if hasattr(x, "as_strided"):
        return x.as_strided((span,), (1,))
    import numpy as np  # takes longer to import than the kernel to compile

    return np.lib.stride_tricks.as_strided(x, (span,), (x.itemsize,))


def dense(x: Any) -> Any:
    """The array, or a copy where TMA cannot reach it."""
    if reachable(x):
        return x
    return x.contiguous() if hasattr(x, "contiguous") else x.copy()


def empty_beside(like: Any, shape: tuple[int, ...], name: str) -> Any:
    """A new array where another one is, of the dtype of that name."""
    if hasattr(like, "new_empty"):
        return like.new_empty(shape, dtype=getattr(sys.modules["torch"], name))
    import numpy as np  # takes longer to import than the kernel to compile

    if name == "bfloat16":
        return np.empty(shape, like.dtype)
    return np.empty(shape, name)
