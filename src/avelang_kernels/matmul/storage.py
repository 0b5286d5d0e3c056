"""Storage of matrices that TMA reads: an array comes in; whether its rows or its columns can be read goes out."""

from __future__ import annotations

import functools
import math
from typing import Any

from avelang.pipelines.warp_specialized import UNIT
from avelang_kernels.arrays import address


def strides(x: Any) -> tuple[int, int]:
    """Elements from row to row, and from column to column."""
    if hasattr(x, "stride"):
        return x.stride()
    row, col = x.strides
    return row // x.itemsize, col // x.itemsize


def placed(x: Any) -> tuple[bool, bool]:
    """True twice: if TMA can read a matrix by its rows, and by its columns."""
    return _placed(address(x) % UNIT == 0, *x.shape, *strides(x), x.dtype.itemsize)


@functools.lru_cache(maxsize=1 << 12)  # a plan asks eleven times
def _placed(begins: bool, rows: int, cols: int, row: int, col: int, size: int) -> tuple[bool, bool]:
    unit = UNIT // size
    down, across = (count == 1 or (step > 0 and step % unit == 0) for count, step in ((rows, row), (cols, col)))
    return begins and (col == 1 or cols == 1) and down, begins and (row == 1 or rows == 1) and across


def crosswise(x: Any) -> bool:
    """True for a matrix that is read by its columns: neighbors lie along M or N, and not along K."""
    rows, columns = placed(x)
    return columns and not rows and x.dtype.itemsize == 2


def pitch(x: Any) -> int:
    """Bytes from row to row, or from column to column of a matrix that is read so."""
    return strides(x)[crosswise(x)] * x.dtype.itemsize


def alignment(a: Any, b: Any) -> int:
    """The greatest power of two, of 16 to 128, of which the bytes from row to row of both are a multiple."""
    return math.gcd(128, pitch(a), pitch(b))


def stored_by(out: Any) -> str:
    """The way of a result to a matrix: "tma"; "threads", where rows begin anywhere; or "copy", where elements of a row
    are no neighbors, or rows overlap."""
    (m, n), (row, col) = out.shape, strides(out)
    if placed(out)[0] and n * out.dtype.itemsize % UNIT == 0:
        return "tma"
    return "threads" if (col == 1 or n == 1) and (row >= n or m == 1) else "copy"


def misplaced(x: Any, columns: bool = True) -> str:
    """The reason why TMA cannot read a matrix, by rows or, where `columns`, by columns; or ""."""
    if any(placed(x)[: 1 + columns]):
        return ""
    row, col = strides(x)
    if address(x) % UNIT:
        return f"it must begin at a multiple of {UNIT} bytes, and begins at {address(x):#x}"
    if not columns and col != 1:
        return f"elements of a row must be neighbors, and are {col} elements apart"
    if 1 not in (row, col):
        return f"elements of a row or of a column must be neighbors, and are {col} and {row} elements apart"
    what, apart = ("rows", row) if col == 1 else ("columns", col)
    return f"{what} must be a multiple of {UNIT // x.dtype.itemsize} elements apart, and are {apart} apart"
