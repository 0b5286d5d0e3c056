"""Made by `./dev stubs` from src/avelang/pipelines/grouped.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.scheduler import WorkTile as WorkTile
from avelang.pipelines.scheduler import persistent_span as persistent_span
from avelang.pipelines.scheduler import tile_of as tile_of

@avelang.struct
class GroupBounds:
    """Bounds of groups of rows: `offsets`, a pointer to i32: E + 1 bounds, or the E ends alone (`ENDS`),
    where the first group begins at 0. What lies outside of the rows, as no offset should, counts as their end."""
    offsets: Any
    rows: Any
    E: al.constexpr
    ENDS: al.constexpr = ...
    def begin(self, group: Any) -> Any:
        """The first row of a group; of group E the end of all."""
    def rows_of(self, group: Any) -> Any:
        """A group's first row and its end, which is not before it."""
@avelang.struct
class LanePrefixSums:
    """Sums of ascending groups, held by the lanes of every wave: `upto` (groups of a lane), how many rows of tiles
    there are up to the end of a group. All lanes of a wave ask at once."""
    upto: Any
    def total(self) -> Any:
        """Of all groups."""
    def find(self, row: Any) -> Any:
        """The group that a row of tiles is of; how many rows of tiles come before the group, and up to its end."""
@avelang.struct
class SharedPrefixSums:
    """The same sums in shared memory, where any thread may look: `first`, how many rows of tiles come before a group;
    the last one is greater than any row of tiles that there is."""
    first: Any
    def total(self) -> Any:
        """Of all groups."""
    def find(self, row: Any) -> Any:
        """As of `LanePrefixSums`."""
@avelang.struct
class GroupedScheduler:
    """The tiles of products one below another: C (rows, n), A (rows, k), B (E * n, k); the rows of a group g meet the
    rows g * n to g * n + n of B. `sums`: `LanePrefixSums` or `SharedPrefixSums`. `at` of a work tile is row, column and
    the end of the group's rows, beyond which a tile may reach.

    TURNED: B is (E * k, n). K of a tile then is a multiple of TURNED, the step, and begins before the group's; `at`
    also says by how many elements."""
    bounds: Any
    sums: Any
    n: Any
    k: Any
    M: al.constexpr
    N: al.constexpr
    CLUSTER_M: al.constexpr = ...
    CLUSTER_N: al.constexpr = ...
    GROUP_M: al.constexpr = ...
    TURNED: al.constexpr = ...
    def columns(self) -> Any:
        """Columns of clusters."""
    def count(self) -> Any:
        """Tiles of clusters."""
    def span(self) -> Any:
        """Units of this block, persistent."""
    def work_tile(self, index: Any, cluster_m: Any, cluster_n: Any) -> Any:
        """The tile of a block."""
@avelang.struct
class GroupedDepthScheduler:
    """The tiles of products of groups of rows of A (rows, m) and B (rows, n), each with a C (m, n) of its own, one
    below another. `order`: groups as they are gone through. K of a tile is a multiple of STEP, one at least, and begins
    before the group: `at` of a work tile is row, column, the end of the group's rows of C, and by how many elements K
    begins too early."""
    bounds: Any
    order: Any
    m: Any
    n: Any
    M: al.constexpr
    N: al.constexpr
    STEP: al.constexpr
    CLUSTER_M: al.constexpr = ...
    CLUSTER_N: al.constexpr = ...
    GROUP_M: al.constexpr = ...
    def tiles(self) -> Any:
        """Rows and columns of clusters of a product."""
    def count(self) -> Any:
        """Tiles of clusters of all products."""
    def span(self) -> Any:
        """Units of this block, persistent."""
    def work_tile(self, index: Any, cluster_m: Any, cluster_n: Any) -> Any:
        """The tile of a block."""
def powers(end: int) -> tuple[int, ...]:
    """1, 2, 4 and so on, before `end`."""
@avelang.jit
def make_uniform(x: Any) -> Any:
    """A number that is the same in all lanes, said so: addresses of buffers are made of such on AMD, and the compiler
    may not know."""
@avelang.jit
def grouped_scheduler(
    bounds: Any, n: Any, k: Any, M: Any, N: Any, CLUSTER_M: Any = ..., CLUSTER_N: Any = ..., GROUP_M: Any = ..., ANY_THREAD: Any = ..., TURNED: Any =
    ...
) -> GroupedScheduler:
    """The scheduler of groups of rows with these bounds. All threads of the block call it. `ANY_THREAD`: single threads
    will ask for work tiles, not whole waves: then the sums are in shared memory."""
@avelang.jit
def shared_sums(upto: Any, lane: Any) -> SharedPrefixSums:
    """The sums of the first wave's lanes, in shared memory."""
@avelang.jit
def largest_first(bounds: Any) -> Any:
    """Groups by falling size, in shared memory: blocks that make every n-th tile then end at about the same time. All
    threads of the block call it."""
