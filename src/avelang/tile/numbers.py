"""Numbers in kernels, for tiles: literals among them, their dtypes, and the number of a place in a tile."""

from __future__ import annotations

import avelang
import avelang.language as al


@avelang.jit
def is_literal(value, number):
    """True for that compile-time integer."""
    return isinstance(value, int) and value == number


@avelang.jit
def as_vector(value):
    """A number as a vector of one, which knows its dtype."""
    return al.select(al.full((1,), True, al.u1), value, value)


@avelang.jit
def sum_of(a, b):
    """a + b, of which 0 is none."""
    return b if is_literal(a, 0) else a if is_literal(b, 0) else a + b


@avelang.jit
def product_of(a, b):
    """a * b, of which 0 and 1 are none."""
    return 0 if is_literal(a, 0) else b if is_literal(a, 1) else a * b


@avelang.jit
def linear_place(at, step, shape):
    """Number of a place in a row-major tile of `shape`, to which the place's own shape broadcasts: extents of 1 and
    dimensions in front count as 0."""
    place = al.convert(0, al.u32)
    SKIP = len(at) - len(shape)
    for x, s, n in zip(at[SKIP:], step[SKIP:], shape, strict=True):
        if n > 1:
            place = place * n + (x + s)
    return place
