"""Made by `./dev stubs` from src/avelang/tile/formulas.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.tile.numbers import as_vector as as_vector
from avelang.tile.numbers import product_of as product_of
from avelang.tile.numbers import sum_of as sum_of

@avelang.struct
class Formula:
    """A tile that is known by a formula: base + coordinates * `steps`, in i32 unless base or steps are wider; with `op`
    plus that of `parts`, each a formula of as many dimensions or a number."""
    shape: al.constexpr
    base: Any = ...
    steps: Any = ...
    op: Any = ...
    parts: Any = ...
    MERGE_HINT = ...
    def at(self, where: Any) -> Any:
        """The element at coordinates (i32 each)."""
    @property
    def dtype(self) -> Any:
        """Dtype of the elements."""
    def cut(self, cuts: Any) -> Formula:
        """The formula of a part: of each dimension the first element, the step and the count. Extents of 1 broadcast,
        and stay."""
    def indexed(self, plan: Any) -> Formula:
        """The formula of a tile with dimensions of extent 1 put in, or left out."""
    def ranked(self, rank: Any) -> Formula:
        """The formula with so many dimensions, new ones in front."""
@avelang.jit
def formula_of(shape: Any, fn: Any, parts: Any) -> Formula:
    """The formula of fn(parts)."""
@avelang.jit
def is_whole(x: Any) -> Any:
    """True for integers that are at least as wide as coordinates are, or become so; and for formulas of such."""
@avelang.jit
def wraps(a: Any, b: Any) -> Any:
    """True where formula a wraps around at 32 bits, and b, wider, would not."""
@avelang.jit
def can_add(a: Any, b: Any) -> Any:
    """True where the sum of two, formulas or numbers, is a formula that adds base and steps."""
@avelang.jit
def can_scale(f: Any, n: Any) -> Any:
    """True where a formula times a number is one with base and steps times it."""
@avelang.jit
def widened(n: Any, f: Any) -> Any:
    """A number that a formula meets, as wide as its elements are: literals of 32 bits stay."""
@avelang.jit
def terms(x: Any, f: Any, rank: Any) -> Any:
    """A formula, or a number that formula f meets, as a formula of so many dimensions."""
@avelang.jit
def added(a: Any, b: Any, shape: Any) -> Formula:
    """The sum of two that `can_add`, one of them a formula, of the shape in which they meet."""
@avelang.jit
def negated(x: Any) -> Any:
    """-x, of a number, or of a formula without `op`."""
@avelang.jit
def scaled(f: Any, n: Any) -> Formula:
    """A formula times a number with which it `can_scale`."""
