"""Made by `./dev stubs` from src/avelang/tile/windows.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.base.functions import Function
from avelang.tile.distribution import WORD as WORD
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.tensors import check_same as check_same
from avelang.tile.tensors import check_shape as check_shape
from avelang.tile.tensors import is_first as is_first
from avelang.tile.tensors import refuse as refuse
from avelang.tile.tensors import thread_coord as thread_coord
from avelang.tile.transforms import expectation as expectation
from avelang.tile.transforms import in_reach as in_reach
from avelang.tile.transforms import require_distribution as require_distribution

BEYOND: Any
@avelang.jit
def static_values(numbers: Any) -> Any:
    """Numbers that are known at compile time, None in place of the others."""
@avelang.jit
def subvector(data: Any, at: Any, width: Any) -> Any:
    """`width` neighbors along the last dimension, from a multiple of `width` on."""
@avelang.struct
class Window:
    """A tile of a view: `lengths` (compile-time), `origin` (u32 each; from 2^31 on it stands for the negative number of
    the same bits), and how lanes share it (`thread`: as of `DistributedTile`). `early`: it may begin before the first
    row. Where loads and stores are AMD's of buffers: `resource`, of `have` rows, and how many rows the window begins
    behind the first of them, `lead`, modulo 2^32."""
    view: Any
    lengths: al.constexpr
    origin: Any
    dist: al.constexpr = ...
    thread: Any = ...
    early: al.constexpr = ...
    resource: Any = ...
    have: Any = ...
    lead: Any = ...
    def __post_init__(self) -> None: ...
    def spread(self, dist: Any) -> Window:
        """This window with a distribution; its extents are the distribution's."""
    def starts_inside(self) -> Window:
        """This window, of which it is known that it never begins before the first row: AMD's offsets are then the
        same for all such windows."""
    def move(self, by: Any) -> None:
        """Moves the window on."""
    def width(self) -> Any:
        """Elements that a lane may access at once."""
    def plan(self) -> Any:
        """The lane's vectors, by compile-time steps from its first element."""
    def uses_buffer(self) -> Any:
        """True where loads and stores are AMD's of buffers, to which a place outside is an offset out of range:
        neighbors must be side by side, rows in reach, and vectors of whole words."""
    def in_global(self) -> Any:
        """True for a view of global memory: buffers, and copies that are under way while the kernel goes on, have that
        as their source; windows of shared memory and of registers load and store under a predicate."""
    def in_reach(self) -> None:
        """Expects rows that offsets reach, where their distance is known at run time only."""
    def row_bounded(self) -> Any:
        """True where, besides, the end of the last row inside bounds all of them."""
    def load(self) -> DistributedTile:
        """The tile, zeros outside of the view. Raises T301 for a window without a distribution."""
    def load_into(self, tile: Any) -> None:
        """Loads into the registers of a tile of this distribution. Raises T301 for another."""
    def load_values(self, values: Any) -> None:
        """Loads into a lane's registers."""
    def store(self, tile: Any) -> None:
        """Stores a tile in its distribution, converted to the view's dtype; nothing outside of the view. Raises T304
        for other extents."""
    def load_async(self, memory: Any, buffer: Any = ..., whole: Any = ...) -> None:
        """Begins a copy of the tile into a buffer of `memory` (`Shared`), zeros outside of the view. It is there once
        `wait_async` and a barrier say so. By cp.async, or by a buffer load to LDS on AMD, where a lane's vectors have 4
        bytes or more; else through registers, at once. `whole`: `has_rows` is known to be true."""
    def _copy_async(self, memory: Any, buffer: Any, whole: Any) -> None: ...
    def plain(self) -> Any:
        """True for rows of a matrix as it lies in memory."""
    def has_rows(self) -> Any:
        """True where all rows of the window are inside of the view; False at compile time where it is transformed."""
    def _rows_apart(self, at: Any, step: Any, width: Any, whole: Any) -> Any: ...
    def _anywhere(self, at: Any, step: Any, width: Any) -> Any: ...
    def direct_bytes(self, memory: Any) -> Any:
        """Bytes that a lane moves with one load to LDS; 0 where such loads cannot make a copy into a buffer of
        `memory`."""
    def loads_into(self, memory: Any) -> Any:
        """Loads to LDS that a copy into a buffer of `memory` takes each wave."""
    def _copy_direct(self, memory: Any, buffer: Any) -> None: ...
    def bound(self) -> None:
        """The resource of the window's rows that are inside of the view, to the end of the last one; of all that
        offsets reach where rows may overlap: then `offset` compares each."""
    def offset(self, at: Any, step: Any) -> Any:
        """Bytes from the resource's base to a vector: out of range where it is past the end of its row."""
    def _load_ranged(self, values: Any) -> None: ...
    def _store_ranged(self, values: Any) -> None: ...
    def memory_coords(self, at: Any, step: Any) -> Any:
        """Coordinates in memory of a vector, and whether it is inside."""
    def _load_guarded(self, values: Any) -> None: ...
    def _store_guarded(self, values: Any) -> None: ...
@avelang.jit
def copy_async(target: Any, source: Function, count: Any, NBYTES: Any) -> None:
    """Begins a copy of `NBYTES`, 4, 8 or 16, by cp.async; all but the first `count` are zeros, and not read."""
@avelang.jit
def copy_vectors(
    dist: Any, PLAN: Any, WIDTH: Any, source: Function, memory: Any, buffer: Any, thread: Any = ...
) -> None:
    """Begins a lane's copies of its vectors by cp.async to where they lie in a buffer of `memory`. `source(i)`: the
    vector in global memory, and whether it is inside: else it is zeros."""
@avelang.jit
def commit_async() -> None:
    """Makes one group of the copies that `load_async` has begun since the last commit."""
@avelang.jit
def wait_async(pending: Any) -> None:
    """Waits until all groups of this lane but the newest `pending` (compile-time) are there."""
@avelang.jit
def load_vector(data: Any, at: Any, width: Any) -> Any:
    """`width` neighbors."""
@avelang.jit
def register_vector(values: Any, v: Any, width: Any) -> Any:
    """A vector's elements out of a lane's registers."""
@avelang.jit
def load_words(buffer: Any, offset: Any, base: Any, words: Any) -> Any:
    """1, 2 or 4 dwords."""
@avelang.jit
def store_words(some: Any, buffer: Any, offset: Any, base: Any, words: Any) -> None:
    """1, 2 or 4 dwords."""
commit: Any
arrived: Any
