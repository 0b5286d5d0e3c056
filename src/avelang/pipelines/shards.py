"""Products whose rows are in shards, one of each rank: rows of A that come from ranks, or rows of C that go to them.
A tile scheduler that says which shard is whose turn, a gate for the producer, an epilogue that stores at the owner and
adds up what others have stored.

| product | the first shard | then | A of the own shard | C of the own shard |
| --- | --- | --- | --- | --- |
| rows of A come | the own one | the next ranks' | read where it is | as of any other |
| rows of C go | the next rank's | the others', the own one last | as of any other | added to what ranks sent |

Sources: PTX ISA 9.0, 8.3 "Scope", 9.7.9.25.2 "Async proxy" (a fence stands between what another GPU's stores wrote and
TMA's reads of it; the completion of a bulk copy is followed by one)."""

from __future__ import annotations

import avelang
import avelang.language as al
from avelang.pipelines.epilogue import STORE_BARRIER, stage_epilogue
from avelang.pipelines.scheduler import WorkTile, persistent_span, tile_of
from avelang.pipelines.warp_specialized import GROUP, ROWS, UNIT

HELD = 4  # ranks whose sums an owner asks for at once; more would not fit in registers
PARTS = 8  # in which a shard of A comes at most, each with a signal of its own


@avelang.struct
class ShardScheduler:
    """Whole tiles of a product of RANKS shards of `rows` rows each, n columns: a shard has tiles of its own, those of
    shard `first` come first. A block makes M x N, a cluster CLUSTER_M x CLUSTER_N of that; GROUP_M rows are gone
    through together. Rows of a WorkTile are counted in its shard, which is the `batch` of A and C, and the last of
    `at`, behind row and column."""

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
        batch = shard, None, shard
        return WorkTile((m, self.rows), (n, self.n), (0, self.k), (m, n, shard), None, True, batch)


@avelang.struct
class ShardGate:
    """Waits until the rows of a tile of M have come, unless they are of shard `own`: shards come in parts of `part`
    rows, and the counter of each part that has some of them is at least `want`. `counters`: PARTS of each shard. What
    a peer's ordinary stores wrote, TMA reads behind a proxy fence only."""

    counters: ...
    own: ...
    part: ...
    want: ...
    M: al.constexpr

    def __call__(self, work):
        shard = work.at[2]
        if shard != self.own:
            end = min(work.a[0] + self.M, work.a[1])
            for i in al.range(work.a[0] // self.part, (end - 1) // self.part + 1):
                self.counters[shard * PARTS + i].wait(self.want, shard)
            al.nvvm.fence_proxy_async()


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

    box: ...
    staged: ...
    flags: ...
    out: ...
    rows: ...
    n: ...
    me: ...
    epoch: ...
    RANKS: al.constexpr
    N: al.constexpr
    WIDE: al.constexpr
    PINGPONG: al.constexpr = False
    owner: ... = None
    unit: ... = None

    def __post_init__(self):
        self.owner, self.unit = al.convert(self.RANKS, al.u32), al.convert(0, al.u32)  # nobody is told of anything

    def units(self):
        """The units that there may be of a shard."""
        return self.flags.shape[0] // self.RANKS

    def __call__(self, acc, work, consumer, t):
        self.tail(t)
        BLOCKS = 1 if len(acc.shape) == 1 else acc.shape[0]
        first = work.at[0] if self.PINGPONG else work.at[0] + consumer * (BLOCKS * ROWS)
        unit = first // (BLOCKS * ROWS) * ((self.n + self.N - 1) // self.N) + work.at[1] // self.N
        own = work.at[2] == self.me
        if first < self.rows and work.at[1] < self.n:
            if own:
                self.arrived(unit, consumer, t)
            for r in range(BLOCKS):
                sums = acc if len(acc.shape) == 1 else acc[r]
                if own:
                    self.add(sums, first + r * ROWS, work.at[1], consumer, t, r)
                else:
                    self.send(sums, first + r * ROWS, work.at[1], work.at[2], consumer, t, r)
            if not own:
                self.owner, self.unit = work.at[2], unit

    def arrived(self, unit, consumer, t):
        """Waits until all ranks have sent what they have of a unit of the own shard."""
        if t < self.RANKS and t != self.me:
            self.flags[t * self.units() + unit].wait(self.epoch, t)
        al.nvvm.barrier_sync(STORE_BARRIER + consumer, GROUP)

    def stage(self, acc, consumer, t, BUFFER, p):
        """Puts a piece of 64 rows into a buffer, when that is free."""
        HALF = self.width() // 2
        if t == 0:
            al.nvvm.cp_async_bulk_wait_group_read(self.staged.shape[1] - 1)
        al.nvvm.barrier_sync(STORE_BARRIER + consumer, GROUP)
        stage_epilogue(self.staged[consumer, BUFFER], al.subview(acc, (p * HALF,), (HALF,), (1,)), t // 32, t % 32)

    def width(self):
        """Columns of a piece."""
        return self.staged.shape[3] * self.staged.shape[4]

    def place(self, row, col):
        """The number of a piece."""
        return row // ROWS * ((self.n + self.width() - 1) // self.width()) + col // self.width()

    def send(self, acc, row, col, owner, consumer, t, NUMBER):
        """Stores 64 rows at their owner; what is past the last row or column of the shard has no piece."""
        BUFFERS, WIDTH, PIECES = self.staged.shape[1], self.width(), 2 * acc.shape[0] // self.width()
        CHUNK, EACH = self.staged.shape[3], self.staged.shape[4]
        box = al.peer(self.box, owner)
        for p in range(PIECES):
            BUFFER = (NUMBER * PIECES + p) % BUFFERS
            self.stage(acc, consumer, t, BUFFER, p)
            al.nvvm.fence_proxy_async_shared()
            al.nvvm.barrier_sync(STORE_BARRIER + consumer, GROUP)
            if t == 0:
                if row < self.rows and col + p * WIDTH < self.n:
                    first = self.me, self.place(row, col + p * WIDTH), 0, 0
                    place = al.subview(box, first, (1, 1, ROWS * CHUNK, EACH), (1, 1, 1, 1))
                    al.nvvm.cp_async_bulk_store(place, self.staged[consumer, BUFFER], ROWS * CHUNK * UNIT)
                al.nvvm.cp_async_bulk_commit_group()

    def add(self, acc, row, col, consumer, t, NUMBER):
        """Stores 64 rows of the own shard: the sums of what all ranks have of them."""
        BUFFERS, WIDTH, PIECES = self.staged.shape[1], self.width(), 2 * acc.shape[0] // self.width()
        CHUNK, EACH, R = self.staged.shape[3], self.staged.shape[4], self.RANKS
        EACH_TIME = max(1, 4 // R)  # chunks of a thread whose parts are on their way at a time: of registers
        for p in range(PIECES):
            BUFFER, first = (NUMBER * PIECES + p) % BUFFERS, col + p * WIDTH
            place = self.place(row, first)
            inside = row < self.rows and first < self.n
            for group in range(0, ROWS * CHUNK // GROUP, EACH_TIME):
                COUNT = min(EACH_TIME, ROWS * CHUNK // GROUP - group)
                held = al.make_local((COUNT, R if R <= HELD else 1, EACH), self.box.dtype)
                if R <= HELD:
                    for i in range(COUNT):
                        for r in range(R):
                            held[i, r] = al.full((EACH,), 0.0, self.box.dtype)
                            if inside and r != self.me:
                                held[i, r] = self.box[r, place, (group + i) * GROUP + t]
                if group == 0:  # what is asked for above comes while the own sums are staged
                    self.stage(acc, consumer, t, BUFFER, p)
                    al.nvvm.barrier_sync(STORE_BARRIER + consumer, GROUP)
                if inside:
                    for i in range(COUNT):
                        self.add_chunk(held[i], (group + i) * GROUP + t, place, row, first, consumer, BUFFER)

    def add_chunk(self, held, chunk, place, row, col, consumer, BUFFER):
        """Adds up a chunk of a piece, and stores it. `held`: what the ranks sent of it, if they are few."""
        CHUNK, EACH, R = self.staged.shape[3], self.staged.shape[4], self.RANKS
        r, c = chunk // CHUNK, chunk % CHUNK
        own, acc = self.staged[consumer, BUFFER, r, c], al.full((EACH,), 0.0, al.f32)
        column = col + (c ^ (r // (8 // CHUNK) % CHUNK)) * EACH
        if R <= HELD:
            for s in range(R):
                if s == self.me:
                    held[s] = own
                acc = acc + al.convert(held[s], al.f32)
        else:
            for s in al.range(R):
                held[0] = own
                if s != self.me:
                    held[0] = self.box[s, place, chunk]
                acc = acc + al.convert(held[0], al.f32)
        made, at = al.convert(acc, self.box.dtype), (row + r) * self.n + column
        if row + r < self.rows:
            if self.WIDE:
                if column < self.n:
                    self.out[at // EACH] = made
            else:
                for e in range(EACH):
                    if column + e < self.n:
                        self.out[at + e] = made[e]

    def tail(self, t):
        """Tells the owner of the last unit that was sent that it is there."""
        if t == 0 and self.owner < self.RANKS:
            al.nvvm.cp_async_bulk_wait_group(0)
            self.flags[self.me * self.units() + self.unit].at(self.owner).send(self.epoch)
        self.owner = al.convert(self.RANKS, al.u32)
