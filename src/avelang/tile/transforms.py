"""Transforms of tensor views: coordinates of a view come in; those of the view below, and whether they exist there, go
out. Beside them, what is checked of views while a kernel is built.

Source: ROCm, Composable Kernel documentation, "Transforms".
"""

from __future__ import annotations

import math

import avelang
import avelang.language as al
from avelang.base.places import wrong
from avelang.tile.distribution import Distribution
from avelang.tile.encoding import Ints


@avelang.struct
class Embed:
    """Several coordinates, from `axis` on, as one below: their sum, each times its stride (unmerge: row-major
    strides)."""

    axis: al.constexpr
    strides: ...

    def lower_index(self, at):
        """The coordinates below, and whether they exist."""
        n = len(self.strides)
        one = sum([x * s for x, s in zip(at[self.axis : self.axis + n], self.strides, strict=True)])
        return at[: self.axis] + (one,) + at[self.axis + n :], True


@avelang.struct
class Merge:
    """One coordinate as several below, from `axis` on: its digits, the last the fastest."""

    axis: al.constexpr
    extents: ...

    def lower_index(self, at):
        """The coordinates below, and whether they exist."""
        rest, digits = at[self.axis], ()
        for i in range(len(self.extents)):
            e = self.extents[len(self.extents) - 1 - i]
            digits = ((rest % e) if i < len(self.extents) - 1 else rest,) + digits
            rest = rest // e
        return at[: self.axis] + digits + at[self.axis + 1 :], True


@avelang.struct
class Pad:
    """A coordinate that begins `before` places before the one below, whose extent is `extent`: places outside of that
    are padding."""

    axis: al.constexpr
    before: ...
    extent: ...

    def lower_index(self, at):
        """The coordinates below, and whether they exist."""
        one = at[self.axis] - self.before  # wraps where it is before the first
        return at[: self.axis] + (one,) + at[self.axis + 1 :], one < self.extent


@avelang.struct
class Xor:
    """A coordinate that is xored with another one (modulo `extent`, times `unit`): a swizzle."""

    axis: al.constexpr
    by: al.constexpr
    extent: al.constexpr
    unit: al.constexpr
    end: ... = None  # of the dimension, where the swizzle leads out of it

    def lower_index(self, at):
        """The coordinates below, and whether they exist."""
        one = at[self.axis] ^ (at[self.by] % self.extent * self.unit)
        return at[: self.axis] + (one,) + at[self.axis + 1 :], True if self.end is None else one < self.end


@avelang.constant
def row_major(extents: Ints) -> Ints:
    """Strides of these extents."""
    out, step = [], 1
    for n in reversed(extents):
        out.insert(0, step)
        step *= n
    return tuple(out)


@avelang.constant
def check_axis(axis: int, dimensions: int, count: int = 1) -> None:
    """Checks that a view has dimensions `axis` to before `axis` + `count`. Raises T301."""
    if isinstance(axis, bool) or not isinstance(axis, int) or not 0 <= axis <= dimensions - count:
        raise wrong("T301", what="axis", want=f"a dimension of the view, 0 to {dimensions - count}", got=repr(axis))


@avelang.constant
def check_factors(extents: Ints, extent: int) -> None:
    """Checks that the product of extents is the dimension's extent. Raises T301."""
    if math.prod(extents) != extent:
        raise wrong("T301", what=f"the product of the extents {extents}", want=f"the dimension's extent, {extent}",
                    got=math.prod(extents))


@avelang.constant
def check_rank(what: str, count: int, dimensions: int) -> None:
    """Checks that there is one for each dimension; `count`: 0 for what is no tuple. Raises T301."""
    if count != dimensions:
        raise wrong("T301", what=what, want=f"a tuple of {dimensions}, one for each dimension",
                    got=f"one of {count}" if count else "a single number")


@avelang.constant
def check_transformable(is_map: bool, how: str) -> None:
    """Checks that a view is none of a tensor map, which can be neither transformed nor cut: TMA goes by the map alone.
    Raises T312."""
    if is_map:
        raise wrong("T312", how=how)


@avelang.constant
def as_preshuffled(steps: int, columns: int | None, strides: tuple[int | None, ...]) -> None:
    """Checks that B of the pipeline "preshuffled" lies as `preshuffle` wrote it, as far as that is known. Raises
    T313."""
    row, one = strides
    if steps:
        raise wrong("T313", why="it is a transformed view")
    if one not in (1, None):
        raise wrong("T313", why=f"neighbors along K are {one} elements apart")
    if None not in (row, columns) and row != columns:
        raise wrong("T313", why=f"its rows, of {columns} places, begin {row} elements apart")


@avelang.constant
def require_distribution(dist: Distribution | None) -> Distribution:
    """The distribution of a window. Raises T301 where it has none."""
    if dist is None:
        raise wrong("T301", what="a window that is loaded",
                    want="one with a distribution: view.window(lengths, origin, dist)", got="one without")
    return dist


@avelang.constant
def check_vector_size(vector: int) -> int:
    """The vector of a view. Raises T301."""
    if isinstance(vector, bool) or not isinstance(vector, int) or vector < 1:
        raise wrong("T301", what="the vector of a view", want="an integer from 1: neighbors that lie side by side",
                    got=repr(vector))
    return vector


@avelang.constant
def check_padding(places: tuple[int | None, ...]) -> None:
    """Checks that so many places can be added before and after, as far as they are known. Raises T301."""
    for name, n in zip(("before", "after"), places, strict=True):
        if n is not None and n < 0:
            raise wrong("T301", what=f"`{name}` of `pad`", want="0 or more places: `cut` takes some away", got=n)


@avelang.constant
def xor_stays_inside(n: int | None, extent: int, unit: int) -> bool:
    """True where it is known that a swizzle leads to places of its dimension only."""
    return n is not None and n % (1 << ((extent - 1) * unit).bit_length()) == 0


REACH = 1 << 31  # bytes that offsets of a buffer reach


@avelang.constant
def rows_apart(strides: tuple[int | None, ...], shape: tuple[int | None, ...]) -> bool:
    """True where it is known of a matrix, as far as its strides and extents are, that each row ends before the next one
    begins."""
    step, columns = strides[0], shape[1]
    return step is not None and columns is not None and step >= columns


@avelang.constant
def in_reach(each: int, stride: int | None) -> bool:
    """True where rows of so many bytes for each element of the stride are within reach of a buffer's offsets, as far as
    that is known."""
    return stride is None or each * stride < REACH


@avelang.constant
def check_extents(shape: tuple[int | None, ...], have: tuple[int | None, ...]) -> None:
    """Checks that a view of a tensor is no greater than the tensor, as far as that is known. Raises T301."""
    for axis, (n, most) in enumerate(zip(shape, have, strict=True)):
        if n is not None and most is not None and n > most:
            raise wrong("T301", what=f"extent {axis} of the view of a tensor",
                        want=f"{most} at most, the tensor's own, or `strides` given", got=n)


@avelang.constant
def check_vector(vector: int, shape: tuple[int | None, ...], strides: tuple[int | None, ...]) -> None:
    """Checks that the vector of a view is what strides and extents allow, as far as they are known; no strides: rows
    follow one another. Raises T310."""
    *apart, last = strides or (*shape[:-1], 1)
    why = ""
    if last not in (1, None) and shape[-1] != 1:
        why = f"neighbors along the last dimension are {last} elements apart"
    elif shape[-1] is not None and shape[-1] % vector:
        why = f"its last dimension has {shape[-1]} places, of which the last vector would be outside"
    else:
        for n, s in zip(shape[:-1], apart if strides else (), strict=False):
            if s is not None and s % vector and n != 1:
                why = f"rows begin {s} elements apart"
    if vector > 1 and why:
        raise wrong("T310", vector=vector, why=why)


# What `al.expect` says of views and windows.
_WORDS = {
    "last": "the last extent of a view with vector={0} to be a multiple of {0}",
    "side": "neighbors of a view with vector={0} to lie side by side: their stride to be 1",
    "rows": "rows of a view with vector={0} to begin at multiples of {0}",
    "extent": "extent {0} of a view to be no greater than the tensor's",
    "origin": "a window over a view with vector={0} to begin at a multiple of {0} along the last dimension",
    "step": "a window over a view with vector={0} to move by a multiple of {0} along the last dimension",
    "reach": "rows of a window of {0} rows to begin less than {1} elements apart: AMD's offsets reach 2 GiB; "
    "give tiles fewer rows",
    "columns": "rows that may overlap to have fewer than {0} columns: AMD's offsets reach 2 GiB",
    "merge": "the dimensions that `merge` makes one of to have less than 2^32 places",
    "preshuffled": 'B of the pipeline "preshuffled" to lie as `preshuffle` wrote it: rows of its view to be whole, and '
    "to follow one another",
    "product": "the dimension that `unmerge` takes apart to have {0} places, the product of its extents",
    "embed": "the coordinates of `embed` to stay within the dimension: the last of them to be less than its extent",
}


@avelang.constant
def expectation(what: str, *numbers: int) -> str:
    """Text of an expectation of `al.expect`."""
    return _WORDS[what].format(*numbers)
