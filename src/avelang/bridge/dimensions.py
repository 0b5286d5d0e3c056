"""Dimensions of arrays: shapes and strides come in; fewer dimensions, or other strides for the same memory, go out."""

from __future__ import annotations

import math
from collections.abc import Sequence


def merged(shape: Sequence[int], strides: Sequence[Sequence[int]]) -> list[tuple[int, tuple[int, ...]]]:
    """The dimensions of arrays of one shape, as few as may be: (extent, the stride of each array), from the first to
    the last. Dimensions that lie as one in all arrays are made one; those of extent 1 are left out."""
    found: list[tuple[int, tuple[int, ...]]] = []
    for size, *steps in zip(shape, *strides, strict=True):
        if size == 1:
            continue
        if found and all(before == size * step for before, step in zip(found[-1][1], steps, strict=True)):
            found[-1] = found[-1][0] * size, tuple(steps)
        else:
            found.append((size, tuple(steps)))
    return found


def extents_of(wanted: Sequence[int], size: int) -> tuple[int, ...]:
    """A shape of so many elements, in which one extent may be -1. Raises ValueError for another number."""
    known = math.prod(n for n in wanted if n != -1)
    found = tuple(size // known if n == -1 and known else n for n in wanted)
    if math.prod(found) != size or list(wanted).count(-1) > 1:
        raise ValueError(f"cannot reshape an array of {size} elements into shape {tuple(wanted)}")
    return found


def strides_for(shape: Sequence[int], strides: Sequence[int], wanted: Sequence[int]) -> tuple[int, ...] | None:
    """The strides with which memory of some shape and strides has a wanted shape, or None where that takes a copy."""
    if 0 in shape:
        return (0,) * len(wanted)
    lines = merged(shape, [strides])
    found: list[int] = []
    size, step = 1, 0
    for n in reversed(wanted):
        if size == 1 and lines:
            size, (step,) = lines.pop()
        if size % n:
            return None
        found.append(step)
        size, step = size // n, step * n
    return tuple(reversed(found))
