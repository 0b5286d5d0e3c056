"""Made by `./dev stubs` from src/avelang/tile/scan.py."""

from typing import Any

import avelang
from avelang.base.functions import Function
from avelang.tile.functions import before as before
from avelang.tile.functions import check_function as check_function
from avelang.tile.functions import joining as joining
from avelang.tile.functions import summed as summed
from avelang.tile.functions import tile_of as tile_of
from avelang.tile.functions import together as together
from avelang.tile.moves import is_first as is_first
from avelang.tile.moves import place as place
from avelang.tile.moves import refuse as refuse
from avelang.tile.moves import thread_coord as thread_coord
from avelang.tile.moves import through_shared as through_shared
from avelang.tile.numbers import linear_place as linear_place
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.tensors import part as part
from avelang.tile.tensors import set_slots as set_slots
from avelang.tile.tensors import slots_of as slots_of

@avelang.jit
def scan(x: Any, fn: Function, axis: Any = ..., reverse: Any = ...) -> Any:
    """Inclusive scan along a dimension by an associative fn(a, b): element i is x[0] to x[i] by fn, or with `reverse`
    x[i] to the last, the last one first. Of a tuple of tiles, a and b are tuples of numbers, and so is the result of
    fn: a tuple. All lanes of the block call it."""
@avelang.jit
def scan_tiles(tiles: Any, fn: Function, axis: Any, reverse: Any) -> Any:
    """`scan` of a tuple of tiles in one distribution, by a function of tuples."""
@avelang.jit
def registers_of(t: Any, dist: Any) -> Any:
    """A copy of a lane's registers of a tile in a distribution."""
@avelang.jit
def preceded(values: Any, slot: Any, sofar: Any, fn: Function, condition: Any) -> None:
    """Puts what came before in front of the numbers of a slot, where a condition holds."""
@avelang.jit
def lane_before(values: Any, distance: Any, lanes: Any, reverse: Any) -> Any:
    """Values of the lane so far before this one in its row."""
@avelang.jit
def scan_waves(
    D: Any, S: Any, AXIS: Any, rows: Any, moved: Any, totals: Any, fn: Function, thread: Any, reverse: Any
) -> None:
    """Adds to each wave's part of a row what the waves before it have, through shared memory."""
@avelang.jit
def cumsum(x: Any, axis: Any = ..., reverse: Any = ...) -> Any:
    """Cumulative sums along a dimension, in the dtype of `sum`."""
@avelang.jit
def cumprod(x: Any, axis: Any = ..., reverse: Any = ...) -> Any:
    """Cumulative products along a dimension, in the dtype of `sum`."""
@avelang.jit
def precedes(a: Any, b: Any, m: Any, n: Any, descending: Any, COUNT: Any) -> Any:
    """True where element a, number m of its row, comes before b, number n. Numbers from `COUNT` on, if that is given,
    come behind all others."""
@avelang.jit
def sort_pairs(x: Any, axis: Any, descending: Any) -> Any:
    """The tile in order along a dimension, and where each element was, i32: equal elements keep their order. Behind
    them stands what fills the dimension up to a power of two."""
@avelang.jit
def own_places(D: Any, AXIS: Any, thread: Any) -> Any:
    """Coordinates of a lane's elements along a dimension, i32."""
@avelang.jit
def exchange_lanes(
    values: Any, places: Any, lane: Any, distance: Any, size: Any, whole: Any, descending: Any, COUNT: Any
) -> None:
    """A step of the network between lanes: all elements of a lane meet those of the lane `distance` away."""
@avelang.jit
def order_two(values: Any, places: Any, i: Any, j: Any, up: Any, descending: Any, COUNT: Any) -> None:
    """A step of the network within a lane."""
@avelang.jit
def firsts(t: Any, x: Any, axis: Any, count: Any) -> Any:
    """The first `count` elements along a dimension of what `sort_pairs` made of x, all of them where that is None."""
@avelang.jit
def sort(x: Any, axis: Any = ..., descending: Any = ...) -> Any:
    """The elements along a dimension in order; NaN is greater than numbers. A wave has whole rows in its registers, and
    an extent that is no power of two is sorted as the next one. All lanes of the block call it."""
@avelang.jit
def argsort(x: Any, axis: Any = ..., descending: Any = ...) -> Any:
    """Places of the elements along a dimension in order, i32; equal ones in the order in which they are. See `sort`."""
@avelang.jit
def topk(x: Any, k: Any, axis: Any = ...) -> Any:
    """The k greatest elements along a dimension, the greatest first, and their places, i32: two tiles of extent k
    there. See `sort`."""
