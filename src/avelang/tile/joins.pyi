"""Made by `./dev stubs` from src/avelang/tile/joins.py."""

from typing import Any

import avelang
from avelang.base.lazy import np as np
from avelang.base.places import wrong as wrong
from avelang.tile.distribution import Distribution as Distribution
from avelang.tile.encoding import Ints as Ints
from avelang.tile.functions import tile_of as tile_of
from avelang.tile.functions import together as together
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.tensors import home_of as home_of
from avelang.tile.tensors import is_first as is_first
from avelang.tile.tensors import refuse as refuse
from avelang.tile.tensors import thread_coord as thread_coord
from avelang.tile.transforms import row_major as row_major
from avelang.tile.vectorize import vectors as vectors

def _stacked(dist: Distribution, count: int, axis: int) -> Distribution: ...
def stacked(dist: Distribution, count: int, axis: int) -> Distribution:
    """So many tiles of a distribution along a new dimension: a lane has its elements of all, one tile after another."""
def joined_shape(shapes: tuple[Ints, ...], axis: int) -> Ints:
    """The shape of tiles one after another along a dimension. Raises T301 where others differ."""
@avelang.jit
def several(tiles: Any, NAME: Any) -> Any:
    """The tuple of tiles that a function puts together. Raises T301."""
@avelang.jit
def stack(tiles: Any, axis: Any = ...) -> DistributedTile:
    """Tiles of one shape and dtype, in a tuple, along a new dimension `axis`, as NumPy's. Nothing moves where they lie
    in the distribution of the first; others move there, and then all lanes of the block call it. Raises T301."""
@avelang.jit
def concatenate(tiles: Any, axis: Any = ...) -> Any:
    """Tiles of one dtype, and of one shape but along `axis`, in a tuple, one after another along it, as NumPy's. All
    lanes of the block call it. Raises T301."""
@avelang.jit
def through_memory(tiles: Any, AXIS: Any, SHAPE: Any) -> DistributedTile:
    """Tiles one after another along a dimension, by way of shared memory."""
@avelang.jit
def place_of(first: Any, step: Any, STRIDES: Any) -> Any:
    """The place of an element in row-major memory."""
