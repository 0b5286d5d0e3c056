"""Products whose rows are in shards, one of each rank: rows of A that come from ranks, or rows of C that go to them.
Tile schedulers that say which shard is whose turn, a gate for the producer, an epilogue that stores at the owner.

| scheduler | shards | order | a tile at the end of a shard |
| --- | --- | --- | --- |
| `GatherScheduler` | rows of A that ranks send | own shard, then those of the next ranks | has rows of two shards |
| `ScatterScheduler` | rows of C that ranks own | those of the next ranks, own shard last | ends with it |

Sources: PTX ISA 9.0, 8.3 "Scope", 9.7.9.25.2 "Async proxy" (a fence stands between what another GPU's stores wrote and
TMA's reads of it; the completion of a bulk copy is followed by one)."""

from __future__ import annotations

import avelang
import avelang.language as al
from avelang.pipelines.epilogue import STORE_BARRIER, stage_epilogue
from avelang.pipelines.scheduler import WorkTile, persistent_span, tile_of
from avelang.pipelines.warp_specialized import GROUP, ROWS

CHUNK = 8  # vectors of 16 bytes in a row of 128, as TMA's swizzle counts them
PIECE = 32  # f32 columns of such a row
PIECE_BYTES = ROWS * PIECE * 4  # what a bulk store takes at once


@avelang.struct
class GatherScheduler:
    """Whole tiles of C, m x n, of whose m rows each of RANKS ranks has `rows`. Tiles of one shard stand together, those
    of shard `own` first; a tile that begins in one shard and ends in the next counts to the first, and comes last of
    it. A block makes M x N, a cluster CLUSTER_M x CLUSTER_N of that; GROUP_M rows are gone through together."""

    rows: ...
    n: ...
    k: ...
    own: ...
    RANKS: al.constexpr
    M: al.constexpr
    N: al.constexpr
    CLUSTER_M: al.constexpr = 1
    CLUSTER_N: al.constexpr = 1
    GROUP_M: al.constexpr = 8
    high: ... = None
    wide: ... = None

    def __post_init__(self):
        self.high = (self.rows * self.RANKS + self.M * self.CLUSTER_M - 1) // (self.M * self.CLUSTER_M)
        self.wide = (self.n + self.N * self.CLUSTER_N - 1) // (self.N * self.CLUSTER_N)

    def begin(self, shard):
        """The first row of clusters that begins in a shard, or behind it where none does."""
        return (shard * self.rows + self.M * self.CLUSTER_M - 1) // (self.M * self.CLUSTER_M)

    def count(self):
        """Tiles of clusters."""
        return self.high * self.wide

    def span(self):
        """Units of this block, persistent."""
        return persistent_span(self.count(), self.CLUSTER_M * self.CLUSTER_N)

    def work_tile(self, index, cluster_m, cluster_n):
        """The tile of a block."""
        first = self.begin(self.own) % self.high
        row = (index // self.wide + first) % self.high
        shard = row * (self.M * self.CLUSTER_M) // self.rows
        top = self.begin(shard)
        tiles = min(self.begin(shard + 1), self.high) - top
        inner = index - (top + self.high - first) % self.high * self.wide
        down, col = tile_of(inner, tiles, self.wide, self.GROUP_M)
        m = ((top + down) * self.CLUSTER_M + cluster_m) * self.M
        n = (col * self.CLUSTER_N + cluster_n) * self.N
        return WorkTile((m, self.rows * self.RANKS), (n, self.n), (0, self.k), (m, n))


@avelang.struct
class ScatterScheduler:
    """The same for a C whose rows RANKS ranks own, `rows` each: every shard has tiles of its own, those of shard
    `first` come first. A WorkTile's `at` is row in the shard, column, and shard."""

    rows: ...
    n: ...
    k: ...
    first: ...
    RANKS: al.constexpr
    M: al.constexpr
    N: al.constexpr
    CLUSTER_M: al.constexpr = 1
    CLUSTER_N: al.constexpr = 1
    GROUP_M: al.constexpr = 8
    high: ... = None
    wide: ... = None

    def __post_init__(self):
        self.high = (self.rows + self.M * self.CLUSTER_M - 1) // (self.M * self.CLUSTER_M)
        self.wide = (self.n + self.N * self.CLUSTER_N - 1) // (self.N * self.CLUSTER_N)

    def count(self):
        """Tiles of clusters."""
        return self.RANKS * self.high * self.wide

    def span(self):
        """Units of this block, persistent."""
        return persistent_span(self.count(), self.CLUSTER_M * self.CLUSTER_N)

    def work_tile(self, index, cluster_m, cluster_n):
        """The tile of a block."""
        each = self.high * self.wide
        shard = (index // each + self.first) % self.RANKS
        row, col = tile_of(index % each, self.high, self.wide, self.GROUP_M)
        m, n = (row * self.CLUSTER_M + cluster_m) * self.M, (col * self.CLUSTER_N + cluster_n) * self.N
        top = shard * self.rows
        return WorkTile((top + m, top + self.rows), (n, self.n), (0, self.k), (m, n, shard))


@avelang.struct
class ShardGate:
    """Waits until the rows of a tile of M have come: the counter of each rank that has some of them is at least `want`.
    What a peer's ordinary stores wrote, TMA reads behind a proxy fence only."""

    counters: ...
    rows: ...
    want: ...
    M: al.constexpr

    def __call__(self, work):
        end = min(work.a[0] + self.M, work.a[1])
        for shard in al.range(work.a[0] // self.rows, (end - 1) // self.rows + 1):
            al.wait(al.subview(self.counters, (shard,), (1,)), self.want, shard)
        al.nvvm.fence_proxy_async()


@avelang.struct
class PeerEpilogue:
    """Puts sums, f32, into the boxes of the ranks that own their rows, by bulk stores of 64 rows of 32 columns each,
    swizzled as they are staged: a box is (parts, pieces, 2048) f32, and `part` the one of this rank. A piece of
    rows 64 i and columns 32 j of a shard is number i * (pieces of a row) + j. `staged`: (consumers, buffers, 64, 8, 4)
    f32. `counters`: a word of each rank in the memory of each, `me` this rank's: a consumer counts there for each of
    its tiles, when the stores of it are done; it looks after the next tile, so as not to stand and wait. To be called
    as the epilogue of `warp_specialized.run`; each consumer calls `tail` behind it."""

    box: ...
    staged: ...
    counters: ...
    part: ...
    rows: ...
    n: ...
    me: ...
    told: al.u32
    PINGPONG: al.constexpr = False

    def __call__(self, acc, work, consumer, t):
        self.tail(t)
        BLOCKS = 1 if len(acc.shape) == 1 else acc.shape[0]
        first = work.at[0] if self.PINGPONG else work.at[0] + consumer * (BLOCKS * ROWS)
        for r in range(BLOCKS):
            sums = acc if len(acc.shape) == 1 else acc[r]
            self.store(sums, first + r * ROWS, work.at[1], work.at[2], consumer, t, r)
        self.told = work.at[2] + 1

    def store(self, acc, row, col, owner, consumer, t, NUMBER):
        """Stores 64 rows; what is past the last row or column of the shard has no piece."""
        BUFFERS, PIECES = self.staged.shape[1], 2 * acc.shape[0] // PIECE
        wide = (self.n + (PIECE - 1)) // PIECE
        box = al.peer(self.box, owner)
        for p in range(PIECES):
            BUFFER = (NUMBER * PIECES + p) % BUFFERS
            if t == 0:
                al.nvvm.cp_async_bulk_wait_group_read(BUFFERS - 1)
            al.nvvm.barrier_sync(STORE_BARRIER + consumer, GROUP)
            part = al.subview(acc, (p * PIECE // 2,), (PIECE // 2,), (1,))
            stage_epilogue(self.staged[consumer, BUFFER], part, t // 32, t % 32)
            al.nvvm.fence_proxy_async_shared()
            al.nvvm.barrier_sync(STORE_BARRIER + consumer, GROUP)
            if t == 0:
                if row < self.rows and col + p * PIECE < self.n:
                    piece = row // ROWS * wide + col // PIECE + p
                    place = al.subview(box, (self.part, piece, 0), (1, 1, ROWS * PIECE), (1, 1, 1))
                    al.nvvm.cp_async_bulk_store(place, self.staged[consumer, BUFFER], PIECE_BYTES)
                al.nvvm.cp_async_bulk_commit_group()

    def tail(self, t):
        """Tells the owner of the last tile that it is there."""
        if t == 0 and self.told > 0:
            al.nvvm.cp_async_bulk_wait_group(0)
            al.atomic_add(al.peer(self.counters, self.told - 1), self.me, 1, scope="system", order="release")


@avelang.jit
def piece_index(row, vector, wide):
    """The place of four columns of a row of a shard in a part of a box, in vectors of 16 bytes: `vector` is the number
    of the four, `wide` the pieces of a row."""
    piece = row // ROWS * wide + vector // CHUNK
    return (piece * ROWS + row % ROWS) * CHUNK + (vector % CHUNK ^ row % CHUNK)
