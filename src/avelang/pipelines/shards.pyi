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

CHUNK: int
PIECE: int
PIECE_BYTES: Any
@avelang.struct
class GatherScheduler:
    """Whole tiles of C, m x n, of whose m rows each of RANKS ranks has `rows`. Tiles of one shard stand together, those
    of shard `own` first; a tile that begins in one shard and ends in the next counts to the first, and comes last of
    it. A block makes M x N, a cluster CLUSTER_M x CLUSTER_N of that; GROUP_M rows are gone through together."""
    rows: Any
    n: Any
    k: Any
    own: Any
    RANKS: al.constexpr
    M: al.constexpr
    N: al.constexpr
    CLUSTER_M: al.constexpr = ...
    CLUSTER_N: al.constexpr = ...
    GROUP_M: al.constexpr = ...
    high: Any = ...
    wide: Any = ...
    def __post_init__(self) -> None: ...
    def begin(self, shard: Any) -> Any:
        """The first row of clusters that begins in a shard, or behind it where none does."""
    def count(self) -> Any:
        """Tiles of clusters."""
    def span(self) -> Any:
        """Units of this block, persistent."""
    def work_tile(self, index: Any, cluster_m: Any, cluster_n: Any) -> Any:
        """The tile of a block."""
@avelang.struct
class ScatterScheduler:
    """The same for a C whose rows RANKS ranks own, `rows` each: every shard has tiles of its own, those of shard
    `first` come first. A WorkTile's `at` is row in the shard, column, and shard."""
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
    """Waits until the rows of a tile of M have come: the counter of each rank that has some of them is at least `want`.
    What a peer's ordinary stores wrote, TMA reads behind a proxy fence only."""
    counters: Any
    rows: Any
    want: Any
    M: al.constexpr
    def __call__(self, work: Any) -> None: ...
@avelang.struct
class PeerEpilogue:
    """Puts sums, f32, into the boxes of the ranks that own their rows, by bulk stores of 64 rows of 32 columns each,
    swizzled as they are staged: a box is (parts, pieces, 2048) f32, and `part` the one of this rank. A piece of
    rows 64 i and columns 32 j of a shard is number i * (pieces of a row) + j. `staged`: (consumers, buffers, 64, 8, 4)
    f32. `counters`: a word of each rank in the memory of each, `me` this rank's: a consumer counts there for each of
    its tiles, when the stores of it are done; it looks after the next tile, so as not to stand and wait. To be called
    as the epilogue of `warp_specialized.run`; each consumer calls `tail` behind it."""
    box: Any
    staged: Any
    counters: Any
    part: Any
    rows: Any
    n: Any
    me: Any
    told: al.u32
    PINGPONG: al.constexpr = ...
    def __call__(self, acc: Any, work: Any, consumer: Any, t: Any) -> None: ...
    def store(self, acc: Any, row: Any, col: Any, owner: Any, consumer: Any, t: Any, NUMBER: Any) -> None:
        """Stores 64 rows; what is past the last row or column of the shard has no piece."""
    def tail(self, t: Any) -> None:
        """Tells the owner of the last tile that it is there."""
@avelang.jit
def piece_index(row: Any, vector: Any, wide: Any) -> Any:
    """The place of four columns of a row of a shard in a part of a box, in vectors of 16 bytes: `vector` is the number
    of the four, `wide` the pieces of a row."""
