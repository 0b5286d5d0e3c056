"""Made by `./dev stubs` from src/avelang/tile/gather.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.tensors import is_first as is_first
from avelang.tile.tensors import thread_coord as thread_coord
from avelang.tile.views import expect_vector as expect_vector
from avelang.tile.windows import BEYOND as BEYOND
from avelang.tile.windows import WORD as WORD
from avelang.tile.windows import copy_vectors as copy_vectors
from avelang.tile.windows import load_vector as load_vector
from avelang.tile.windows import load_words as load_words

OUT_OF_REACH: str
NOWHERE: int
@avelang.struct
class Gathered:
    """Row r is row `index[r]` of `data`, (rows, columns); one of zeros where that is none of them. `shape`, `vector`:
    as of a `TensorView`."""
    data: Any
    index: Any
    shape: Any
    vector: al.constexpr = ...
    @property
    def dtype(self) -> Any:
        """Dtype of the elements."""
    def cut(self, shape: Any) -> Gathered:
        """This view with smaller extents."""
    def window(self, lengths: Any, origin: Any) -> GatheredWindow:
        """A tile of these extents at `origin`."""
@avelang.jit
def gathered(memory: Any, shape: Any, index: Any, rows: Any, vector: Any = ...) -> Gathered:
    """A view (rows, columns) of a pointer to a matrix of this shape; `index`: a pointer to `rows` numbers of its rows,
    i32. `vector`: of `view`."""
@avelang.struct
class GatheredWindow:
    """A tile of it. `dist`: how lanes share it; `numbers`: in `data`, of the rows of a lane's vectors, u32; `resource`:
    of all rows, on AMD."""
    view: Any
    lengths: al.constexpr
    origin: Any
    dist: al.constexpr = ...
    numbers: Any = ...
    resource: Any = ...
    def __post_init__(self) -> None: ...
    def spread(self, dist: Any) -> GatheredWindow:
        """The same window with a distribution; its extents are the distribution's."""
    def starts_inside(self) -> GatheredWindow:
        """This window: its rows may lie anywhere, so that nothing is gained (see `Window.starts_inside`)."""
    def move(self, by: Any) -> None:
        """Moves the window along its rows."""
    def width(self) -> Any:
        """Elements that a lane may access at once."""
    def plan(self) -> Any:
        """The lane's vectors, by compile-time steps from its first element."""
    def uses_buffer(self) -> Any:
        """True where AMD's range check of buffers guards the edges."""
    def row_bounded(self) -> Any:
        """False: loads to LDS cannot gather rows (see `Window.row_bounded`)."""
    def look_up(self) -> Any:
        """The numbers of the lane's rows, one for each of its vectors."""
    def load(self) -> DistributedTile:
        """The tile, zeros outside of the view."""
    def load_into(self, tile: Any) -> None:
        """Loads into the registers of a tile of this distribution."""
    def load_values(self, values: Any) -> None:
        """Loads into a lane's registers."""
    def loaded(self, i: Any) -> Any:
        """One of the lane's vectors."""
    def memory_coords(self, i: Any) -> Any:
        """Row and column in memory of one of the lane's vectors, and whether it is inside."""
    def load_async(self, memory: Any, buffer: Any = ..., whole: Any = ...) -> None:
        """Begins a copy of the tile into a buffer of `memory` (`Shared`), by cp.async where vectors have 4 bytes or
        more. Else at once, through registers: AMD's loads to LDS put what lanes ask for side by side, and those are
        rows of which a lane does not know the numbers."""
    def loads_into(self, memory: Any) -> Any:
        """Loads to LDS that a copy takes each wave."""
    def _copy_async(self, memory: Any, buffer: Any) -> None: ...
