"""Matrices as kernels with strides take them: an array of any strides comes in; memory without gaps, and how far lines
are apart, go out."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from avelang_kernels.arrays import is_torch


class Lines(NamedTuple):
    """A matrix as the kernel takes it: `data`, memory without gaps; `ld`, elements from one line to the next; `turned`:
    lines are columns; `address` of the first element."""

    data: Any
    ld: int
    turned: bool
    whole: bool
    address: int

    def each(self, line: int, size: int) -> int:
        """Elements that may be loaded at once, of 16 bytes at the most: lines, of so many elements of a size, their
        distances and the first place are multiples of that."""
        return math.gcd(line, self.ld, self.address // size, 16 // size)


def line_up(x: Any) -> Lines | None:
    """A matrix whose rows or columns lie side by side; None for any other."""
    (rows, cols), size, torch = x.shape, x.dtype.itemsize, is_torch(x)
    if 0 in (rows, cols):
        return Lines(x, cols, False, True, 0)
    if torch:
        down, across = x.stride()
    else:
        down, across = (s // size for s in x.strides) if hasattr(x, "strides") else (cols, 1)
    address = x.data_ptr() if torch else x.ctypes.data if hasattr(x, "ctypes") else 0
    if (across == 1 or cols == 1) and (down >= cols or rows == 1):
        turned, ld, line, lines = False, cols if rows == 1 else down, cols, rows
    elif (down == 1 or rows == 1) and (across >= rows or cols == 1):
        turned, ld, line, lines = True, rows if cols == 1 else across, rows, cols
    else:
        return None
    whole = ld == line
    data = x
    if turned or not whole:
        span = (lines - 1) * ld + line
        data = x.as_strided((span,), (1,)) if torch else _as_strided(x, (span,), (size,))
    return Lines(data, ld, turned, whole, address)


def _as_strided(x: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    import numpy as np  # takes longer to import than the kernel to compile

    return np.lib.stride_tricks.as_strided(x, shape, strides)
