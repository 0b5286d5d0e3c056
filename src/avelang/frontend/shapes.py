"""Nested shapes and strides: tuples of ints (or run-time values) come in, flat leaves, default strides and sizes go
out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Nested = Any  # an int, a run-time integer, or a tuple of Nested


def as_tuple(x: Nested) -> tuple[Nested, ...]:
    """A tuple; a single extent as a tuple of one."""
    return x if isinstance(x, tuple) else (x,)


def leaves(x: Nested) -> tuple[Any, ...]:
    """The leaves of a nested tuple, in order."""
    if not isinstance(x, tuple):
        return (x,)
    if not any(isinstance(i, tuple) for i in x):
        return x
    return tuple(leaf for i in x for leaf in leaves(i))


def rebuild(like: Nested, flat: list[Any]) -> Nested:
    """Takes leaves off the front of `flat` into the nesting of `like`."""
    return tuple(rebuild(i, flat) for i in like) if isinstance(like, tuple) else flat.pop(0)


def congruent(a: Nested, b: Nested) -> bool:
    """True if two nested tuples have the same nesting."""
    if isinstance(a, tuple) != isinstance(b, tuple):
        return False
    return not isinstance(a, tuple) or (len(a) == len(b) and all(map(congruent, a, b)))


def row_major(shape: Nested, mul: Callable[[Any, Any], Any]) -> Nested:
    """Strides of the compact layout with the last leaf fastest, nested as the shape."""
    flat = leaves(shape)
    strides: list[Any] = []
    step: Any = 1
    for i in range(len(flat) - 1, -1, -1):
        strides.insert(0, step)
        if i:
            step = mul(flat[i], step)
    return rebuild(shape, strides)


def static(x: Nested) -> bool:
    """True if every leaf is an int."""
    return all(isinstance(i, int) for i in leaves(x))


def size(shape: Nested) -> int:
    """Elements of a static shape."""
    return math.prod(leaves(shape))


def span(shape: Nested, strides: Nested) -> int:
    """Elements from the first to the last that a static layout reaches, both included."""
    return 1 + sum((n - 1) * s for n, s in zip(leaves(shape), leaves(strides), strict=True))


def compact(shape: Nested, strides: Nested) -> bool:
    """True if a static layout is row-major without gaps; strides of extents of 1 do not matter."""
    want = leaves(row_major(shape, lambda a, b: a * b))
    return all(n == 1 or s == w for n, s, w in zip(leaves(shape), leaves(strides), want, strict=True))


def show(x: Nested) -> str:
    """The shape as users write it, `?` for what is known only at run time."""
    if isinstance(x, tuple):
        return "(" + ", ".join(map(show, x)) + ("," if len(x) == 1 else "") + ")"
    return str(x) if isinstance(x, int) else "?"
