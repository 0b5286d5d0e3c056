"""Made by `./dev stubs` from src/avelang/tile/running_softmax.py."""

from typing import Any

import avelang
from avelang.base.functions import Function
from avelang.tile.distribution import Distribution as Distribution
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.tensors import add as add
from avelang.tile.tensors import greater as greater

LN2: Any
NEVER: Any
LARGE: Any
EXPONENT: int
HALF: Any
UPPER: Any
def rows_of(dist: Distribution) -> Distribution:
    """Distribution of the results of rows of a tile."""
@avelang.struct
class Softmax:
    """A lane's part of rows, as tiles: the greatest scores so far, and the sums of the weights of the lane's own
    columns."""
    most: Any
    total: Any
    def weigh(self, s: Any, scale: Any) -> Any:
        """The weights of a tile of scores, and by how much what has been summed of the rows shrinks. `scale`: above 0,
        in base 2. All lanes of a wave call it; each row is one wave's."""
    def grow(self, s: Any, scale: Any) -> Any:
        """The first half of `weigh`: by how much what has been summed shrinks, and the scale and the shift of the
        rows' weights from here on."""
    def add(self, s: Any, shrink: Any, by: Any, shift: Any) -> DistributedTile:
        """The other half: the weights, whose sums are added to those of before."""
    def sums(self, like: Any) -> DistributedTile:
        """The sums of whole rows; `like`: a tile as `weigh` got them."""
    def logarithms(self, sums: Any, scale: Any) -> Any:
        """Logarithms of the rows' sums of e to the scores: -inf where nothing counted."""
@avelang.jit
def softmax(dist: Any, thread: Any = ..., groups: Any = ...) -> Softmax:
    """Before the first tile of scores in a distribution."""
@avelang.jit
def shifts(most: Any, scale: Any) -> Any:
    """For rows with these greatest scores: the scale, and the shift."""
@avelang.jit
def finite(x: Any) -> Any:
    """0 for the shift of rows in which nothing has counted."""
@avelang.jit
def weights(s: Any, by: Any, shift: Any) -> DistributedTile:
    """Weights of a tile of scores."""
@avelang.jit
def inverse(sums: Any) -> Any:
    """1 / sums, 0 where nothing counted."""
@avelang.jit
def scaled(tile: Any, by: Any) -> Any:
    """Rows of a tile, each times its number of `by`."""
@avelang.jit
def fold_lane(tile: Any, fn: Function) -> DistributedTile:
    """Rows folded within each lane: what `DistributedTile.fold` does before lanes exchange their parts."""
@avelang.jit
def fold_wave(like: Any, part: Any, fn: Function) -> DistributedTile:
    """The rest of it: what all lanes of a wave have folded of rows of a tile like `like`."""
@avelang.jit
def power(x: Any) -> Any:
    """2 to the x, of a vector; 0 where it would be subnormal."""
@avelang.jit
def narrow(x: Any, dtype: Any) -> Any:
    """Weights, 0 to 1, in the dtype of operands. Where a chip has no instruction for bf16, half of a unit is added:
    ties go up."""
