"""Made by `./dev stubs` from src/avelang/pipelines/shards.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.epilogue import STORE_BARRIER as STORE_BARRIER
from avelang.pipelines.epilogue import stage_epilogue as stage_epilogue
from avelang.pipelines.scheduler import WorkTile as WorkTile
from avelang.pipelines.scheduler import persistent_span as persistent_span
from avelang.pipelines.scheduler import tile_of as tile_of
from avelang.pipelines.warp_specialized import GROUP as GROUP
from avelang.pipelines.warp_specialized import ROWS as ROWS
from avelang.pipelines.warp_specialized import UNIT as UNIT

HELD: int
PARTS: int
@avelang.struct
class ShardScheduler:
    """Whole tiles of a product of RANKS shards of `rows` rows each, n columns: a shard has tiles of its own, those of
    shard `first` come first. A block makes M x N, a cluster CLUSTER_M x CLUSTER_N of that; GROUP_M rows are gone
    through together. Rows of a WorkTile are counted in its shard, which is the `batch` of A and C, and the last of
    `at`, behind row and column."""
    rows: Any
    n: Any
    k: Any
    first: Any
    RANKS: al.constexpr
    M: al.constexpr
    N: al.constexpr
    CLUSTER_M: al.constexpr = ...
    CLUSTER_N: al.constexpr = ...
    GROUP_M: al.constexpr = ...
    high: Any = ...
    wide: Any = ...
    def __post_init__(self) -> None: ...
    def count(self) -> Any:
        """Tiles of clusters."""
    def span(self) -> Any:
        """Units of this block, persistent."""
    def work_tile(self, index: Any, cluster_m: Any, cluster_n: Any) -> Any:
        """The tile of a block."""
@avelang.struct
class ShardGate:
    """Waits until the rows of a tile of M have come, unless they are of shard `own`: shards come in parts of `part`
    rows, and the counter of each part that has some of them is at least `want`. `counters`: PARTS of each shard. What
    a peer's ordinary stores wrote, TMA reads behind a proxy fence only."""
    counters: Any
    own: Any
    part: Any
    want: Any
    M: al.constexpr
    def __call__(self, work: Any) -> None: ...
@avelang.struct
class PeerEpilogue:
    """Sends sums to the ranks that own their rows, and adds up what the ranks have sent of the own ones. To be called
    as the epilogue of `warp_specialized.run`, with tiles of a `ShardScheduler`; each consumer calls `tail` behind it.

    What is sent is rounded to the dtype of the result first, the own sums as well, and added up in f32 in the order of
    ranks: the bits are those of products that are rounded and summed one after the other. It goes by bulk stores of
    pieces of 64 rows of 128 bytes (or 64, 32), swizzled as they are staged: a box is (ranks, pieces, chunks of a piece,
    elements of a chunk). A piece of rows 64 i and columns j is number i * (pieces of a row) + j. `staged`: (consumers,
    buffers, 64, chunks, elements).

    `flags` (ranks * units): a unit is what a consumer makes of a tile; its sender stores `epoch` when the stores of it
    are done. It looks after the next tile, so as not to stand and wait. `out`: the own shard of the result, (rows *
    n / elements, elements) with WIDE, else (rows * n,). PINGPONG: each consumer has a whole tile."""
    box: Any
    staged: Any
    flags: Any
    out: Any
    rows: Any
    n: Any
    me: Any
    epoch: Any
    RANKS: al.constexpr
    N: al.constexpr
    WIDE: al.constexpr
    PINGPONG: al.constexpr = ...
    owner: Any = ...
    unit: Any = ...
    def __post_init__(self) -> None: ...
    def units(self) -> Any:
        """The units that there may be of a shard."""
    def __call__(self, acc: Any, work: Any, consumer: Any, t: Any) -> None: ...
    def arrived(self, unit: Any, consumer: Any, t: Any) -> None:
        """Waits until all ranks have sent what they have of a unit of the own shard."""
    def stage(self, acc: Any, consumer: Any, t: Any, BUFFER: Any, p: Any) -> None:
        """Puts a piece of 64 rows into a buffer, when that is free."""
    def width(self) -> Any:
        """Columns of a piece."""
    def place(self, row: Any, col: Any) -> Any:
        """The number of a piece."""
    def send(self, acc: Any, row: Any, col: Any, owner: Any, consumer: Any, t: Any, NUMBER: Any) -> None:
        """Stores 64 rows at their owner; what is past the last row or column of the shard has no piece."""
    def add(self, acc: Any, row: Any, col: Any, consumer: Any, t: Any, NUMBER: Any) -> None:
        """Stores 64 rows of the own shard: the sums of what all ranks have of them."""
    def add_chunk(self, held: Any, chunk: Any, place: Any, row: Any, col: Any, consumer: Any, BUFFER: Any) -> None:
        """Adds up a chunk of a piece, and stores it. `held`: what the ranks sent of it, if they are few."""
    def tail(self, t: Any) -> None:
        """Tells the owner of the last unit that was sent that it is there."""
