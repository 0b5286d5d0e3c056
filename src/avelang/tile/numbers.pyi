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
def sum_of(a: Any, b: Any) -> Any:
    """a + b, of which 0 is none."""
@avelang.jit
def product_of(a: Any, b: Any) -> Any:
    """a * b, of which 0 and 1 are none."""
@avelang.jit
def linear_place(at: Any, step: Any, shape: Any) -> Any:
    """Number of a place in a row-major tile of `shape`, to which the place's own shape broadcasts: extents of 1 and
    dimensions in front count as 0."""
