"""Matrices as kernels with strides take them: an array of any strides comes in; memory without gaps, and how far lines
are apart, go out."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from avelang_kernels.arrays import address, strided, strides_of


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
    rows, cols = x.shape
    if 0 in (rows, cols):
        return Lines(x, cols, False, True, 0)
    down, across = strides_of(x)
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
        data = strided(x, (span,), (1,))
    return Lines(data, ld, turned, whole, address(x))
