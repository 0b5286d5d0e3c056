"""Made by `./dev stubs` from src/avelang/tile/tensors.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.base.functions import Function
from avelang.base.places import wrong as wrong
from avelang.tile.distribution import Distribution as Distribution
from avelang.tile.encoding import Ints as Ints
from avelang.tile.formulas import Formula as Formula
from avelang.tile.formulas import added as added
from avelang.tile.formulas import can_add as can_add
from avelang.tile.formulas import can_scale as can_scale
from avelang.tile.formulas import formula_of as formula_of
from avelang.tile.formulas import negated as negated
from avelang.tile.formulas import scaled as scaled
from avelang.tile.moves import is_first as is_first
from avelang.tile.moves import place as place
from avelang.tile.moves import refuse as refuse
from avelang.tile.moves import thread_coord as thread_coord
from avelang.tile.moves import through_shared as through_shared
from avelang.tile.numbers import linear_place as linear_place

def check_shape(dist: Distribution, lengths: Ints, wave: int) -> Distribution:
    """A distribution that is one of a tile of these extents, over waves of so many lanes. Raises T301, T304."""
def with_axis(dist: Distribution, axis: int) -> Distribution:
    """A distribution of which a dimension can be folded. Raises T301."""
def flat(shape: Ints) -> Ints:
    """The extents of a tile with rows and columns, as shared memory has them. Raises T301."""
def check_same(dist: Distribution, other: Distribution) -> Distribution:
    """A distribution in which lanes hold the same elements in the same order as in another one. Raises T301."""
@avelang.struct
class DistributedTile:
    """A tile that the lanes of a block hold: `values`, a register tensor of `dist.elements` numbers in the order that
    `dist` says. `thread`: the lane's number among those that `dist` is about, that of the block if None. `groups`: how
    many groups of lanes hold such a tile, each its own. Or, of what is known by a `formula` (`tile.arange`, and what is
    computed of that and of numbers): the formula alone, `values` and `dist` None, until it meets a tile in registers.

    Operators, comparisons and `t[:, None]` work element by element, with shapes as NumPy broadcasts them, and dtypes as
    numbers have them. Of operands in unlike distributions the others move to that of the first one of full shape."""
    values: Any
    dist: al.constexpr
    thread: Any = ...
    groups: al.constexpr = ...
    formula: Any = ...
    MERGE_HINT = ...
    NAME_HINTS = ...
    @property
    def dtype(self) -> Any:
        """Dtype of the elements."""
    @property
    def shape(self) -> Any:
        """Extents of the whole tile."""
    def __getitem__(self, index: Any) -> Any: ...
    def __add__(self, other: Any) -> DistributedTile: ...
    def __radd__(self, other: Any) -> DistributedTile: ...
    def __sub__(self, other: Any) -> DistributedTile: ...
    def __rsub__(self, other: Any) -> DistributedTile: ...
    def __mul__(self, other: Any) -> DistributedTile: ...
    def __rmul__(self, other: Any) -> DistributedTile: ...
    def __truediv__(self, other: Any) -> DistributedTile: ...
    def __rtruediv__(self, other: Any) -> DistributedTile: ...
    def __floordiv__(self, other: Any) -> DistributedTile: ...
    def __rfloordiv__(self, other: Any) -> DistributedTile: ...
    def __mod__(self, other: Any) -> DistributedTile: ...
    def __rmod__(self, other: Any) -> DistributedTile: ...
    def __pow__(self, exponent: Any) -> DistributedTile: ...
    def __lshift__(self, other: Any) -> DistributedTile: ...
    def __rlshift__(self, other: Any) -> DistributedTile: ...
    def __rshift__(self, other: Any) -> DistributedTile: ...
    def __rrshift__(self, other: Any) -> DistributedTile: ...
    def __and__(self, other: Any) -> DistributedTile: ...
    def __rand__(self, other: Any) -> DistributedTile: ...
    def __or__(self, other: Any) -> DistributedTile: ...
    def __ror__(self, other: Any) -> DistributedTile: ...
    def __xor__(self, other: Any) -> DistributedTile: ...
    def __rxor__(self, other: Any) -> DistributedTile: ...
    def __neg__(self) -> DistributedTile: ...
    def __pos__(self) -> DistributedTile: ...
    def __invert__(self) -> DistributedTile: ...
    def __lt__(self, other: Any) -> DistributedTile: ...
    def __le__(self, other: Any) -> DistributedTile: ...
    def __gt__(self, other: Any) -> DistributedTile: ...
    def __ge__(self, other: Any) -> DistributedTile: ...
    def __eq__(self, other: Any) -> DistributedTile: ...
    def __ne__(self, other: Any) -> DistributedTile: ...
    def __matmul__(self, other: Any) -> None: ...
    def elementwise(self, fn: Function, args: Any) -> DistributedTile:
        """fn(values, ...) of `args`, of which this tile is one: so al.exp(t), al.select(t > 0, t, 0.0), abs(t) and
        max(t, u) are of tiles, too."""
    def held(self, dist: Any = ...) -> DistributedTile:
        """This tile in registers, in the distribution that it has, or in `dist`: moved there through shared memory
        where other lanes hold what a lane wants, for which all lanes of the block call it."""
    def permute(self, order: Any, n: Any = ..., o: Any = ..., p: Any = ...) -> DistributedTile:
        """The tile with dimensions in another order, a tuple or up to four numbers: element (i, j) becomes (j, i) by
        (1, 0). Nothing moves."""
    def reshape(self, shape: Any, n: Any = ..., o: Any = ..., p: Any = ...) -> DistributedTile:
        """The elements in row-major order, in another shape: a tuple, or up to four extents, of which one may be -1."""
    @property
    def T(self) -> DistributedTile:
        """The transposed tile, of two dimensions."""
    def to(self, dtype: Any) -> DistributedTile:
        """The tile in another dtype: `astype`."""
    def map(self, fn: Function, others: Any = ...) -> DistributedTile:
        """fn(values, ...) of this tile's elements and those of others in the same distribution: element by element, on
        vectors."""
    def sweep(self, fn: Function) -> DistributedTile:
        """fn(element, (coordinate, ...)) of each element, in the tile's dtype: for masks, and whatever depends on the
        place in the tile."""
    def astype(self, dtype: Any) -> DistributedTile:
        """The tile in another dtype."""
    def fold(self, fn: Function, axis: Any) -> Any:
        """A dimension folded by fn(a, b), which must not mind the order: sums, maxima. Every lane that had a part has
        the result. All lanes of the block call it where several waves have parts."""
    def sum(self, axis: Any) -> Any:
        """Sums along a dimension."""
    def max(self, axis: Any) -> Any:
        """Maxima along a dimension."""
    def along(self, fn: Function, folded: Any, axis: Any) -> DistributedTile:
        """fn(values, values of `folded`), where `folded` is what `fold` left of such a tile: each element meets the one
        of its row or column."""
Tile = DistributedTile
@avelang.jit
def of_formula(formula: Any) -> DistributedTile:
    """The tile of a formula."""
@avelang.jit
def home_of(shape: Any) -> Any:
    """The distribution of a tile that names none, for this block."""
@avelang.jit
def part(t: Any, CUTS: Any) -> DistributedTile:
    """The part of a tile that slices name: where it is if every lane has as much of it, else in the block's own
    distribution."""
@avelang.jit
def moved(t: Any, SHAPE: Any, PLACES: Any, dist: Any = ...) -> DistributedTile:
    """Elements of a tile, at places of their own, as a tile of that shape, through shared memory: all lanes call it."""
@avelang.jit
def one_element(t: Any) -> Any:
    """The element of a tile that has one: a number that every lane has."""
@avelang.jit
def is_formula(x: Any) -> Any:
    """True for a tile that is known by a formula."""
@avelang.jit
def formula_or_number(x: Any) -> Any:
    """The formula of a tile, or a number: sums and products without registers are of these. None for anything else."""
@avelang.jit
def plus(a: Any, b: Any) -> Any:
    """a + b."""
@avelang.jit
def minus(a: Any, b: Any) -> Any:
    """a - b."""
@avelang.jit
def times(a: Any, b: Any) -> Any:
    """a * b."""
@avelang.jit
def common_shape(args: Any) -> Any:
    """The shape in which tiles and numbers meet; () of numbers alone. Raises T301."""
@avelang.jit
def in_registers(x: Any) -> Any:
    """True for a tile that lanes hold."""
@avelang.jit
def apply(fn: Function, args: Any) -> Any:
    """fn(values, ...) of tiles and numbers, element by element: a tile of the shape in which they meet; of numbers a
    number. `fn` takes numbers and vectors alike. Where all tiles are known by formulas, so is the result."""
@avelang.jit
def meeting_place(args: Any, SHAPE: Any) -> Any:
    """(distribution, thread, groups) of the first tile in registers that has the shape; the block's own for it where
    there is none."""
@avelang.jit
def add(a: Any, b: Any) -> Any:
    """a + b."""
@avelang.jit
def greater(a: Any, b: Any) -> Any:
    """The greater one."""
@avelang.jit
def slots_of(values: Any, slot: Any) -> Any:
    """Of each register tensor that number."""
@avelang.jit
def set_slots(values: Any, slot: Any, numbers: Any) -> None:
    """Writes that number of each register tensor."""
@avelang.jit
def fold_tiles(tiles: Any, fn: Function, axis: Any) -> Any:
    """A dimension of tiles in one distribution folded by fn(a, b), of a tuple of numbers each, one of each tile, which
    must not mind the order. Every lane that had a part has the result. All lanes of the block call it where several
    waves have parts."""
@avelang.jit
def between_waves(out: Any, F: Any, fn: Function, dist: Any, thread: Any) -> None:
    """Folds what waves have, through shared memory: each writes its part, all read all."""
@avelang.jit
def full(shape: Any, value: Any, dtype: Any) -> DistributedTile:
    """A tile with every element `value`: of a shape, in the block's own distribution, or of a `Distribution`."""
