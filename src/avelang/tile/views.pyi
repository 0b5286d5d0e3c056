"""Made by `./dev stubs` from src/avelang/tile/views.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.tensors import refuse as refuse
from avelang.tile.windows import Window as Window
from avelang.tile.windows import static_values as static_values

PLACES: Any
@avelang.struct
class TensorView:
    """A tensor as tiles are cut from it: `data` (in memory), seen with `shape` through `steps`, the outermost last.
    `vector`: so many neighbors along the last dimension, from multiples of it on, are neighbors in memory, aligned, and
    all inside or all outside. `apart`: it is known that each row of a matrix ends before the next one begins."""
    data: Any
    shape: Any
    vector: al.constexpr = ...
    steps: Any = ...
    apart: al.constexpr = ...
    @property
    def dtype(self) -> Any:
        """Dtype of the elements."""
    def __post_init__(self) -> None: ...
    def _with(self, step: Any, shape: Any, vector: Any) -> TensorView: ...
    def pad(self, axis: Any, before: Any, after: Any) -> TensorView:
        """This view with so many more places before and after, which read as zeros and are not written."""
    def unmerge(self, axis: Any, extents: Any) -> TensorView:
        """A dimension taken apart into several; their extents are compile-time ints, of which the product is that of
        the dimension."""
    def embed(self, axis: Any, extents: Any, strides: Any) -> TensorView:
        """A dimension as several, which may meet a place twice: rows of an image under a filter, for one."""
    def merge(self, axis: Any, count: Any) -> TensorView:
        """`count` dimensions from `axis` on as one, of less than 2^32 places (T311, L050)."""
    def xor(self, axis: Any, by: Any, extent: Any, unit: Any = ...) -> TensorView:
        """This view with a dimension swizzled: coordinate `axis` ^ (coordinate `by` % extent) * unit."""
    def cut(self, shape: Any) -> TensorView:
        """This view with smaller extents, where it was not transformed: what is past them is outside. `vector` divides
        the last."""
    def lines(self) -> Any:
        """True for a matrix as it lies in memory, with neighbors of a row side by side and rows that do not go
        backwards."""
    def rows_apart(self) -> Any:
        """True where, besides, each row is known to end before the next one begins: then the end of the last one bounds
        them all."""
    def locate(self, at: Any) -> Any:
        """The coordinates in memory, and whether they are inside."""
    def store(self, tile: Any, origin: Any) -> None:
        """Stores a tile at `origin`, converted to the view's dtype; nothing outside of the view. By TMA
        where this is a tensor map."""
    def _place(self, what: Any, at: Any) -> None: ...
    def window(self, lengths: Any, origin: Any, dist: Any = ...) -> Window:
        """A tile of these extents at `origin`. Raises T301 for as many as the view has not."""
View = TensorView
@avelang.jit
def side_by_side(data: Any) -> Any:
    """True where it is known that neighbors along the last dimension are neighbors in memory."""
@avelang.jit
def forward(stride: Any) -> Any:
    """True for a stride that is a known one, or an unsigned number of no more than 32 bits."""
@avelang.jit
def expect_vector(vector: Any, shape: Any, strides: Any) -> None:
    """Expects of the launch what `check_vector` cannot see at compile time (L050)."""
@avelang.jit
def view(memory: Any, shape: Any, vector: Any = ..., strides: Any = ...) -> TensorView:
    """A naive view of a pointer, a tensor or a tensor map. `vector`: see `TensorView`; rows must begin at multiples of
    it. `strides`: one for each dimension, in elements, from the memory's first element on: known ones from 0 (a row
    again and again), run-time ones of any sign; left out, rows follow one another, or lie as the tensor's do. Raises
    T301, T310 for a `vector` that strides and extents do not allow."""
