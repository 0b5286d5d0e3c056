"""Made by `./dev stubs` from src/avelang/tile/memory.py."""

from typing import Any

import avelang
from avelang.base.functions import Function
from avelang.tile.moves import through_shared as through_shared
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.tensors import common_shape as common_shape
from avelang.tile.tensors import is_first as is_first
from avelang.tile.tensors import meeting_place as meeting_place
from avelang.tile.tensors import place as place
from avelang.tile.tensors import refuse as refuse
from avelang.tile.windows import load_vector as load_vector
from avelang.tile.windows import subvector as subvector

REACH: Any
@avelang.jit
def indices_of(memory: Any, index: Any) -> Any:
    """An index as a tuple, one of each dimension of the memory. Raises T301."""
@avelang.jit
def check_mask(mask: Any) -> None:
    """Raises T301 for a mask that is no condition, such as `other` in its place."""
@avelang.jit
def registers(x: Any, dist: Any, thread: Any) -> Any:
    """A lane's registers of a tile; a number as it is."""
@avelang.jit
def element(x: Any, i: Any) -> Any:
    """Element of a lane's registers; a number is each."""
@avelang.jit
def load(memory: Any, index: Any, mask: Any = ..., other: Any = ..., vector: Any = ...) -> Any:
    """The elements at these indices, as a tile of the shape in which index, mask and `other` meet; `other` where the
    mask does not hold: nothing is read there. Indices are tiles of integers, numbers, or for a tensor a tuple of these.
    Of numbers alone it is a number. `vector`: a promise that so many neighbors along the tile's last dimension, from
    multiples of it on, are neighbors in memory, from a multiple of `vector` on and aligned, and have one mask: lanes
    then load up to 16 bytes at once. The reference finds what is moved at once and is not so (L050; T311 where it is
    known)."""
@avelang.jit
def vector_width(dist: Any, vector: Any, nbytes: Any) -> Any:
    """Elements that a lane moves at once. Raises T301 for a `vector` that is no power of two."""
@avelang.jit
def neighbors(memory: Any, coords: Any, width: Any) -> Any:
    """(tensor, coordinates) of so many neighbors in memory."""
@avelang.jit
def follow(where: Any, slots: Any) -> None:
    """Expects that the elements of a vector are neighbors: of the last index each is one more, of others the same."""
@avelang.jit
def one_mask(chosen: Any, slots: Any) -> None:
    """Expects that the elements of a vector have one mask."""
@avelang.jit
def masked(memory: Any, at: Any, mask: Any, other: Any) -> Any:
    """An element, or `other` where the mask does not hold."""
@avelang.jit
def load_scalar(memory: Any, index: Any) -> Any:
    """One element, which every lane has."""
@avelang.jit
def store(memory: Any, index: Any, value: Any, mask: Any = ..., vector: Any = ...) -> None:
    """Stores the elements of a tile, or a number, at these indices, converted to the memory's dtype; nothing where the
    mask does not hold. Shapes meet as in `load`, and `vector` is its promise."""
@avelang.jit
def put(memory: Any, coords: Any, value: Any) -> None:
    """Stores one element."""
@avelang.jit
def put_vectors(memory: Any, at: Any, value: Any, mask: Any, dist: Any, thread: Any, WIDTH: Any) -> None:
    """Stores vectors of neighbors."""
@avelang.jit
def each(memory: Any, at: Any, value: Any, mask: Any, dist: Any, thread: Any, fn: Function) -> None:
    """fn(memory, coordinates, value) of each element once, where the mask holds."""
@avelang.jit
def atomic(fn: Function, memory: Any, index: Any, value: Any, mask: Any) -> Any:
    """fn(memory, index, value) once for each element of the shape in which index, value and mask meet, where the mask
    holds; of numbers alone once for the block. What stood there before: a tile of that shape, or a number."""
@avelang.jit
def once(change: Function, memory: Any, at: Any, value: Any, mask: Any) -> Any:
    """One update for the block: the number that stood there, which every lane has."""
@avelang.jit
def atomic_add(memory: Any, index: Any, value: Any, mask: Any = ..., scope: Any = ..., order: Any = ...) -> Any:
    """Adds the elements of a tile, or a number, at these indices, one by one in steps that nothing comes between:
    `al.atomic_add`, whose dtypes, scopes and orders these are. `memory`: global or shared. Elements that lanes hold
    more than once are added once. Shapes and mask as of `store`. Gives what stood there before, as a tile, or of
    numbers alone a number; 0 where the mask does not hold. All lanes of the block call it."""
@avelang.jit
def atomic_max(memory: Any, index: Any, value: Any, mask: Any = ..., scope: Any = ..., order: Any = ...) -> Any:
    """Makes what stands at these indices no less than the elements of a tile. See `atomic_add`."""
@avelang.jit
def atomic_min(memory: Any, index: Any, value: Any, mask: Any = ..., scope: Any = ..., order: Any = ...) -> Any:
    """Makes what stands at these indices no more than the elements of a tile. See `atomic_add`."""
@avelang.jit
def atomic_and(memory: Any, index: Any, value: Any, mask: Any = ..., scope: Any = ..., order: Any = ...) -> Any:
    """Bits that stand at these indices and are set in the elements of a tile. See `atomic_add`."""
@avelang.jit
def atomic_or(memory: Any, index: Any, value: Any, mask: Any = ..., scope: Any = ..., order: Any = ...) -> Any:
    """Sets the bits of the elements of a tile at these indices. See `atomic_add`."""
@avelang.jit
def atomic_xor(memory: Any, index: Any, value: Any, mask: Any = ..., scope: Any = ..., order: Any = ...) -> Any:
    """Turns the bits of the elements of a tile at these indices. See `atomic_add`."""
