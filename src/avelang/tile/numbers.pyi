"""Made by `./dev stubs` from src/avelang/tile/numbers.py."""

from typing import Any

import avelang

@avelang.jit
def is_literal(value: Any, number: Any) -> Any:
    """True for that compile-time integer."""
@avelang.jit
def as_vector(value: Any) -> Any:
    """A number as a vector of one, which knows its dtype."""
@avelang.jit
def of_unsigned(a: Any, b: Any) -> Any:
    """True for a negative literal a that meets b, a number of an unsigned type: no such type has it."""
@avelang.jit
def sum_of(a: Any, b: Any) -> Any:
    """a + b, of which 0 is none, and a negative literal is what wraps around to it in an unsigned type."""
@avelang.jit
def product_of(a: Any, b: Any) -> Any:
    """a * b, of which 0 and 1 are none. Literals are as in `sum_of`."""
@avelang.jit
def linear_place(at: Any, step: Any, shape: Any) -> Any:
    """Number of a place in a row-major tile of `shape`, to which the place's own shape broadcasts: extents of 1 and
    dimensions in front count as 0."""
