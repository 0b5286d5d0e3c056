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
def of_unsigned(a, b):
    """True for a negative literal a that meets b, a number of an unsigned type: no such type has it."""
    return isinstance(a, int) and a < 0 and not isinstance(b, int) and not as_vector(b).dtype.is_signed


@avelang.jit
def sum_of(a, b):
    """a + b, of which 0 is none, and a negative literal is what wraps around to it in an unsigned type."""
    if is_literal(a, 0) or is_literal(b, 0):
        return b if is_literal(a, 0) else a
    if of_unsigned(a, b) or of_unsigned(b, a):
        return b - -a if isinstance(a, int) else a - -b
    return a + b


@avelang.jit
def product_of(a, b):
    """a * b, of which 0 and 1 are none. Literals are as in `sum_of`."""
    if is_literal(a, 0) or is_literal(b, 0):
        return 0
    if is_literal(a, 1) or is_literal(b, 1):
        return b if is_literal(a, 1) else a
    if of_unsigned(a, b) or of_unsigned(b, a):
        return -(b * -a) if isinstance(a, int) else -(a * -b)
    return a * b


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
