"""Made by `./dev stubs` from src/avelang/tile/shared.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.tile.distribution import WIDEST as WIDEST
from avelang.tile.distribution import WORD as WORD
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.tensors import check_shape as check_shape
from avelang.tile.tensors import flat as flat
from avelang.tile.tensors import is_first as is_first
from avelang.tile.tensors import thread_coord as thread_coord

@avelang.struct
class SharedTile:
    """`buffers` tiles of `shape` in shared memory, rows swizzled by `swizzle` (byte offsets). `axis`: the dimension
    along which neighbors lie side by side."""
    data: Any
    shape: al.constexpr
    swizzle: al.constexpr
    axis: al.constexpr = ...
    @property
    def turned(self) -> SharedTile:
        """This memory with rows and columns exchanged: what was stored as (keys, d) is loaded as (d, keys)."""
    @property
    def dtype(self) -> Any:
        """Dtype of the elements."""
    @property
    def row(self) -> Any:
        """Bytes of a row, of what lies side by side."""
    @property
    def strides(self) -> Any:
        """Bytes to the next element, along each dimension."""
    @property
    def nbytes(self) -> Any:
        """Bytes of one buffer."""
    def plan(self, dist: Any) -> Any:
        """Places of a lane's vectors here, for accesses of the widest kind; empty where each is to be
        computed for itself."""
    def plan_of(self, dist: Any, width: Any) -> Any:
        """`plan` for accesses of so many elements."""
    def width(self, dist: Any) -> Any:
        """Elements of a lane's widest access."""
    def first(self, dist: Any, thread: Any = ...) -> Any:
        """The byte of a lane's first element in a buffer, swizzled."""
    def byte(self, at: Any) -> Any:
        """The byte of an element in a buffer, swizzled."""
    def swizzled(self, offset: Any) -> Any:
        """A byte offset, swizzled."""
    def words(self, width: Any) -> Any:
        """The memory as accesses of `width` elements: i32 words where it is any, else elements."""
    def index(self, first: Any, place: Any, width: Any, buffer: Any) -> Any:
        """The number of an access."""
    def piece(self, first: Any, place: Any, nbytes: Any, buffer: Any) -> Any:
        """The bytes of an access, for what takes an address: sums of what changes, of what does not and of a constant,
        so that each is done once."""
    def accesses(self, dist: Any, thread: Any = ..., buffer: Any = ...) -> Any:
        """A lane's accesses: (number of the access, slots, whether they are neighbors in registers) of each."""
    def store(self, tile: Any, buffer: Any = ...) -> None:
        """Stores a tile, in its distribution."""
    def store_values(self, values: Any, dist: Any, buffer: Any = ..., thread: Any = ...) -> None:
        """Stores a lane's registers."""
    def _put(self, values: Any, dist: Any, buffer: Any, thread: Any) -> None: ...
    def reads(self, dist: Any) -> Any:
        """Count of accesses of a load of a distribution, the unit of `begin` and `end` of `load_into`."""
    def load(self, dist: Any, buffer: Any = ..., thread: Any = ...) -> DistributedTile:
        """A tile in a distribution. All lanes of a wave call it together."""
    def load_into(
        self, values: Any, dist: Any, buffer: Any = ..., begin: Any = ..., end: Any = ..., thread: Any = ...
    ) -> None:
        """Loads into registers; of the lane's accesses, in the order of its registers, those from `begin` to before
        `end` only, if given."""
    def load_part(self, values: Any, dist: Any, part: Any, parts: Any, buffer: Any = ..., thread: Any = ...) -> None:
        """Loads one of `parts` equal parts of a lane's registers into `values`, which holds just that."""
    def _get(self, values: Any, held: Any, dist: Any, buffer: Any, begin: Any, end: Any, thread: Any) -> None: ...
    def _get_matrices(self, values: Any, held: Any, M: Any, buffer: Any, begin: Any, end: Any, thread: Any) -> None: ...
Shared = SharedTile
@avelang.jit
def load_matrices(row: Any, each: Any, turned: Any) -> Any:
    """Words of 1, 2 or 4 matrices of 8 rows of 16 bytes, of which each lane names one."""
@avelang.jit
def shared(
    shape: Any, dtype: Any, buffers: Any = ..., dists: Any = ..., turned: Any = ..., slot: Any = ...
) -> SharedTile:
    """Shared memory for so many tiles, swizzled for accesses in these distributions. `turned`: distributions in which
    `turned` is accessed. `slot`: of scratch memory (`al.make_scratch`), if it is to be that."""
@avelang.jit
def spread(tile: Any, dist: Any) -> Any:
    """Moves a tile to another distribution, through shared memory. All lanes of the block call it."""
