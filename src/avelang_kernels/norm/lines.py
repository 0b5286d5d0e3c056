"""Arrays of any leading dimensions and strides come in; rows as kernels step through them go out: memory without gaps,
how many rows, how they lie, and how many neighbors one access may have."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from avelang.bridge import merged
from avelang_kernels.arrays import address, copied, flattened, new, strides_of, whole
from avelang_kernels.norm.row_plans import WIDEST

LEADING = 3  # leading dimensions that a kernel steps through, where neighbors that lie as one are made one


class RowsOf(NamedTuple):
    """Rows that several arrays have in common: `rows` of `n` elements; `lead`: extents of the second and third leading
    dimension, or None where one is enough; `vec`: neighbors of an access; `data`, and `strides` of each array: None
    where rows follow one another, else of three leading dimensions and of the accesses of a row, in accesses."""

    rows: int
    n: int
    vec: int
    lead: tuple[int, int] | None
    data: tuple[Any, ...]
    strides: tuple[tuple[int, int, int, int] | None, ...]


def rows_of(*arrays: Any, least: int = 1) -> RowsOf:
    """The rows of arrays of one shape, along their last dimension. NumPy's with steps backward are copied, and so are
    those whose leading dimensions are more than three that do not lie as one; nothing else is. `least`: accesses must
    be so many elements, or a divisor of that."""
    shape = tuple(arrays[0].shape)
    n, sizes = shape[-1], [x.dtype.itemsize for x in arrays]
    rows = math.prod(shape[:-1])
    most = math.gcd(n, WIDEST // min(sizes), *((least,) if least > 1 else ()))
    if all(map(whole, arrays)):
        vec = math.gcd(most, *(address(x) // size for x, size in zip(arrays, sizes, strict=True)))
        return RowsOf(rows, n, vec, None, arrays, (None,) * len(arrays))
    arrays = tuple(copied(x) if any(s < 0 for s in strides_of(x)) else x for x in arrays)
    strides = [strides_of(x) for x in arrays]
    groups = merged(shape[:-1], [s[:-1] for s in strides])
    if len(groups) > LEADING:
        return rows_of(*(copied(x) for x in arrays), least=least)
    while len(groups) < LEADING:
        groups.insert(0, (1, (0,) * len(arrays)))
    steps = [s for _, each in groups for s in each] + [address(x) // z for x, z in zip(arrays, sizes, strict=True)]
    vec = math.gcd(most, *steps) if all(s[-1] == 1 or n == 1 for s in strides) else 1
    lead = None if groups[0][0] * groups[1][0] == 1 else (groups[1][0], groups[2][0])
    data: list[Any] = []
    places: list[tuple[int, int, int, int] | None] = []
    for i, x in enumerate(arrays):
        if whole(x):
            data.append(x)
            places.append(None)
        else:
            a, b, c = (each[i] // vec for _, each in groups)
            data.append(flattened(x))
            places.append((a, b, c, 1 if vec > 1 or n == 1 else strides[i][-1]))
    return RowsOf(rows, n, vec, lead, tuple(data), tuple(places))


def dense(*arrays: Any) -> bool:
    """True for tensors of torch without gaps that begin where the widest access may: their rows depend on shapes and
    dtypes alone, so that a launch that was made for such is found again by them."""
    at = 0
    for x in arrays:
        asked = getattr(x, "is_contiguous", None)
        if asked is None or not asked():
            return False
        at |= x.data_ptr()
    return at % WIDEST == 0


def dense_rows(shape: Sequence[int], *sizes: int) -> RowsOf:
    """`rows_of` for arrays that are `dense`, of elements of so many bytes, without the arrays."""
    n = shape[-1]
    none: tuple[Any, ...] = (None,) * len(sizes)
    return RowsOf(math.prod(shape[:-1]), n, math.gcd(n, WIDEST // min(sizes)), None, none, none)


def through(make: Callable[..., None], *outputs: Any) -> None:
    """Calls `make` with outputs, for those with gaps, or that begin where the widest access must not, with arrays
    without, from which they are then copied."""
    if dense(*outputs):
        make(*outputs)
        return
    fit = [x is None or (whole(x) and address(x) % WIDEST == 0) for x in outputs]
    given = [x if good else new(x, tuple(x.shape)) for x, good in zip(outputs, fit, strict=True)]
    make(*given)
    for x, made in zip(outputs, given, strict=True):
        if made is not x:
            x[...] = made
