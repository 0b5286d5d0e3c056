"""Made by `./dev stubs` from src/avelang/tile/transforms.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.base.places import wrong as wrong
from avelang.tile.distribution import Distribution as Distribution
from avelang.tile.encoding import Ints as Ints

@avelang.struct
class Embed:
    """Several coordinates, from `axis` on, as one below: their sum, each times its stride (unmerge: row-major
    strides)."""
    axis: al.constexpr
    strides: Any
    def lower_index(self, at: Any) -> Any:
        """The coordinates below, and whether they exist."""
@avelang.struct
class Merge:
    """One coordinate as several below, from `axis` on: its digits, the last the fastest."""
    axis: al.constexpr
    extents: Any
    def lower_index(self, at: Any) -> Any:
        """The coordinates below, and whether they exist."""
@avelang.struct
class Pad:
    """A coordinate that begins `before` places before the one below, whose extent is `extent`: places outside of that
    are padding."""
    axis: al.constexpr
    before: Any
    extent: Any
    def lower_index(self, at: Any) -> Any:
        """The coordinates below, and whether they exist."""
@avelang.struct
class Xor:
    """A coordinate that is xored with another one (modulo `extent`, times `unit`): a swizzle."""
    axis: al.constexpr
    by: al.constexpr
    extent: al.constexpr
    unit: al.constexpr
    end: Any = ...
    def lower_index(self, at: Any) -> Any:
        """The coordinates below, and whether they exist."""
def row_major(extents: Ints) -> Ints:
    """Strides of these extents."""
def check_axis(axis: int, dimensions: int, count: int = ...) -> None:
    """Checks that a view has dimensions `axis` to before `axis` + `count`. Raises T301."""
def check_factors(extents: Ints, extent: int) -> None:
    """Checks that the product of extents is the dimension's extent. Raises T301."""
def check_rank(what: str, count: int, dimensions: int) -> None:
    """Checks that there is one for each dimension; `count`: 0 for what is no tuple. Raises T301."""
def check_transformable(is_map: bool, how: str) -> None:
    """Checks that a view is none of a tensor map, which can be neither transformed nor cut: TMA goes by the map alone.
    Raises T312."""
def as_preshuffled(steps: int, columns: int | None, strides: tuple[int | None, ...]) -> None:
    """Checks that B of the pipeline "preshuffled" lies as `preshuffle` wrote it, as far as that is known. Raises
    T313."""
def require_distribution(dist: Distribution | None) -> Distribution:
    """The distribution of a window. Raises T301 where it has none."""
def check_vector_size(vector: int) -> int:
    """The vector of a view. Raises T301."""
def check_padding(places: tuple[int | None, ...]) -> None:
    """Checks that so many places can be added before and after, as far as they are known. Raises T301."""
def xor_stays_inside(n: int | None, extent: int, unit: int) -> bool:
    """True where it is known that a swizzle leads to places of its dimension only."""
REACH: Any
def rows_apart(strides: tuple[int | None, ...], shape: tuple[int | None, ...]) -> bool:
    """True where it is known of a matrix, as far as its strides and extents are, that each row ends before the next one
    begins."""
def in_reach(each: int, stride: int | None) -> bool:
    """True where rows of so many bytes for each element of the stride are within reach of a buffer's offsets, as far as
    that is known."""
def check_extents(shape: tuple[int | None, ...], have: tuple[int | None, ...]) -> None:
    """Checks that a view of a tensor is no greater than the tensor, as far as that is known. Raises T301."""
def check_vector(vector: int, shape: tuple[int | None, ...], strides: tuple[int | None, ...]) -> None:
    """Checks that the vector of a view is what strides and extents allow, as far as they are known; no strides: rows
    follow one another. Raises T310."""
_WORDS: Any
def expectation(what: str, *numbers: int) -> str:
    """Text of an expectation of `al.expect`."""
