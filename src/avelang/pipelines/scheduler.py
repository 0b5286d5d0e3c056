"""Tile schedulers: extents of a product and a block's tile come in; the work tiles of each block, in order, go out.

A scheduler is any struct with three methods, so that one kernel body runs with each:

- `count()`: how many units of work there are. A unit is a tile of C, or a part of its K, for a cluster.
- `span()`: first, end and stride of the units that this block (or its cluster) works on.
- `work_tile(index, cluster_m, cluster_n)`: the `WorkTile` of a unit, for the block at that place of its cluster.

| scheduler | a unit | units of a block |
| --- | --- | --- |
| `TileScheduler` | a whole tile | every n-th (persistent), or the one with its number |
| `SplitKScheduler` | one of SPLITS equal parts of a tile's K | every n-th |
| `ClusterKScheduler` | a tile of which each block of a cluster has a part of K | one |
| `BatchScheduler` | a unit of another scheduler, of one of several products | every n-th |
| `StreamKScheduler` | a tile, or the part of it in the block's run | its share of all steps; HYBRID: then whole tiles |

Parts of a tile are added in the order of K, by whoever comes last (`Peers`). Source: Osama et al., "Stream-K:
Work-centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU", 2023."""

from __future__ import annotations

import avelang
import avelang.language as al


@avelang.jit
def tile_of(index, tiles_m, tiles_n, GROUP_M):
    """Row and column of a tile: GROUP_M rows of tiles are gone through together, column by column. What runs at one
    time then is about as wide as high, and reads as little of A and B as can be."""
    if GROUP_M == 1:
        return index // tiles_n, index % tiles_n
    group = index // (GROUP_M * tiles_n)
    inner = index % (GROUP_M * tiles_n)
    height = min(tiles_m - group * GROUP_M, GROUP_M)
    return group * GROUP_M + inner % height, inner // height


@avelang.jit
def xcd_remap(block, count, XCDS):
    """The number of a block's tile of `count`. Blocks go to the XCDS dies in turn: each die gets a run of tiles, which
    share rows of A and B in its L2. One die: the block's own number."""
    if XCDS == 1:
        return block
    xcd = block % XCDS
    return xcd * (count // XCDS) + min(xcd, count % XCDS) + block // XCDS


@avelang.struct
class Peers:
    """The blocks that share a tile: `first` to `last`, of which this one is `own`. Each has SLOTS slots of the
    workspace; with two, the second one is for the tile that begins in its run, as only the first peer's does."""

    first: ...
    last: ...
    own: ...
    SLOTS: al.constexpr = 1

    def slot(self, peer):
        """The slot of the workspace in which a peer leaves its sums."""
        if self.SLOTS == 1:
            return peer
        return peer * 2 + al.select(peer == self.first, 1, 0)

    def slot_at(self, i):
        """The slot of the i-th peer, or of the last where there are fewer; `i` is known at compile time."""
        return min(self.first + i, self.last) * self.SLOTS + (1 if i == 0 and self.SLOTS == 2 else 0)


@avelang.struct
class WorkTile:
    """The work of a block at a time: a tile of C, or a part of its K.

    `a`, `b`: first row of A and of B, and the end of the rows that count. `k`: begin and end of the part of K, in
    elements: not empty, and multiples of the block's step but for the end of the matrix. `at`: row and column of the
    tile in C, and whatever else an epilogue shall know. `whole`: `k` is all of K; else `peers`, of
    which this block is one, share the tile. `batch`: where A, B and C have a dimension more, numbers of the matrices of
    each. `b_shift`: how much further K of B begins than that of A."""

    a: ...
    b: ...
    k: ...
    at: ...
    peers: ... = None
    whole: ... = True
    batch: ... = None
    b_shift: ... = 0

    def steps(self, STEP):
        """Steps along K."""
        return (self.k[1] - self.k[0] + STEP - 1) // STEP


@avelang.jit
def persistent_span(count, CLUSTER):
    """First, end and stride of the units of a cluster that stays on its multiprocessors and makes one after another."""
    return al.block_id(0) // CLUSTER, count, al.grid_dim(0) // CLUSTER


@avelang.struct
class TileScheduler:
    """Whole tiles of one product: C is m x n, a block makes M x N of it, a cluster CLUSTER_M x CLUSTER_N of that;
    GROUP_M rows of them are gone through together."""

    m: ...
    n: ...
    k: ...
    M: al.constexpr
    N: al.constexpr
    CLUSTER_M: al.constexpr = 1
    CLUSTER_N: al.constexpr = 1
    GROUP_M: al.constexpr = 8
    XCDS: al.constexpr = 1
    rows: ... = None
    cols: ... = None

    def __post_init__(self):
        high, wide = self.M * self.CLUSTER_M, self.N * self.CLUSTER_N
        self.rows, self.cols = (self.m + high - 1) // high, (self.n + wide - 1) // wide

    def count(self):
        """Tiles of clusters."""
        return self.rows * self.cols

    def span(self):
        """Units of this block, persistent."""
        return persistent_span(self.count(), self.CLUSTER_M * self.CLUSTER_N)

    def work_tile(self, index, cluster_m, cluster_n):
        """The tile of a block."""
        if self.XCDS > 1:
            index = xcd_remap(index, self.count(), self.XCDS)
        row, col = tile_of(index, self.rows, self.cols, self.GROUP_M)
        m, n = (row * self.CLUSTER_M + cluster_m) * self.M, (col * self.CLUSTER_N + cluster_n) * self.N
        return WorkTile((m, self.m), (n, self.n), (0, self.k), (m, n))


@avelang.struct
class BatchScheduler:
    """The tiles of another scheduler, for each of `batches` products of the same extents, one product after another.
    A, B: that operand is another matrix in each product, and not the same in all. Clusters are those of the other."""

    tiles: ...
    batches: ...
    CLUSTER_M: al.constexpr = 1
    CLUSTER_N: al.constexpr = 1
    A: al.constexpr = True
    B: al.constexpr = True

    def count(self):
        """Tiles of clusters, of all products."""
        return self.tiles.count() * self.batches

    def span(self):
        """Units of this block, persistent."""
        return persistent_span(self.count(), self.CLUSTER_M * self.CLUSTER_N)

    def work_tile(self, index, cluster_m, cluster_n):
        """The tile of a block, and whose it is."""
        batch, zero = index // self.tiles.count(), al.convert(0, al.u32)
        work = self.tiles.work_tile(index % self.tiles.count(), cluster_m, cluster_n)
        work.batch = batch if self.A else zero, batch if self.B else zero, batch
        return work


@avelang.struct
class SplitKScheduler:
    """The tiles of another scheduler, K of each in SPLITS equal parts, in steps of STEP elements. No more parts than
    steps: the launch sees to it."""

    tiles: ...
    SPLITS: al.constexpr
    STEP: al.constexpr

    def count(self):
        """Parts of all tiles."""
        return self.tiles.count() * self.SPLITS

    def slots(self):
        """Slots of a workspace."""
        return self.count()

    def span(self):
        """Units of this block, persistent."""
        return persistent_span(self.count(), self.tiles.CLUSTER_M * self.tiles.CLUSTER_N)

    def work_tile(self, index, cluster_m, cluster_n):
        """A part of a tile; parts of one tile have numbers side by side."""
        work, part = self.tiles.work_tile(index // self.SPLITS, cluster_m, cluster_n), index % self.SPLITS
        steps = work.steps(self.STEP)
        work.k = part_of_k(work.k, part * steps // self.SPLITS, (part + 1) * steps // self.SPLITS, self.STEP)
        work.peers, work.whole = Peers(index - part, index - part + (self.SPLITS - 1), index), self.SPLITS == 1
        return work


@avelang.struct
class ClusterKScheduler:
    """The units of another scheduler, whole tiles or equal parts of K, for clusters whose blocks share K of a unit in
    CLUSTER_K parts, in steps of STEP elements: one unit for each cluster. SHARERS: blocks of the cluster with one part
    of K. No more parts than steps: the launch sees to it."""

    tiles: ...
    CLUSTER_K: al.constexpr
    STEP: al.constexpr
    SHARERS: al.constexpr = 1

    def count(self):
        """Units of clusters."""
        return self.tiles.count()

    def slots(self):
        """Slots of a workspace, where the units are parts of K."""
        return self.tiles.slots()

    def span(self):
        """The unit of this block's cluster."""
        return persistent_span(self.count(), self.SHARERS * self.CLUSTER_K)

    def work_tile(self, index, cluster_m, cluster_n):
        """The block's part of the unit. `whole`: the cluster has all of K."""
        work = self.tiles.work_tile(index, cluster_m, cluster_n)
        part, steps = al.nvvm.cluster_rank() // self.SHARERS, work.steps(self.STEP)
        begin, end = part * steps // self.CLUSTER_K, (part + 1) * steps // self.CLUSTER_K
        work.k = part_of_k(work.k, begin, end, self.STEP)
        return work


@avelang.struct
class StreamKScheduler:
    """The tiles of another scheduler, shared out evenly among `runs` clusters. Steps along K of the streamed tiles
    stand in one row, tile after tile, and each cluster gets an equal run of them: `first` to before `end`. `steps`: of
    a tile, of STEP elements each; `total`: of all streamed tiles. In a run at most one shared tile begins, and one
    ends. WHOLE: runs end where tiles do. `number`: of this block's run, where that is not the cluster's own.

    HYBRID: the first tiles are streamed, as many as are left over when each cluster makes an equal number of whole
    tiles, and one more for each cluster; the whole tiles follow. Sums are then exchanged while others still
    multiply."""

    tiles: ...
    runs: ...
    steps: ...
    STEP: al.constexpr
    WHOLE: al.constexpr = False
    total: ... = None
    first: ... = None
    end: ... = None
    number: ... = None
    HYBRID: al.constexpr = False

    def __post_init__(self):
        if self.total is None:
            count = self.tiles.count()
            if self.HYBRID:
                count -= self.whole_tiles() * self.runs
            self.total = count * self.steps
        run = self.run()
        self.first, self.end = self.begin(run), self.begin(run + 1)

    def whole_tiles(self):
        """Tiles that each cluster makes by itself, behind those of its run."""
        return max(self.tiles.count() // self.runs, 1) - 1

    def run(self):
        """Number of this block's run."""
        if self.number is not None:
            return self.number
        return al.block_id(0) // (self.tiles.CLUSTER_M * self.tiles.CLUSTER_N)

    def begin(self, run):
        """The first step of a run."""
        first = run * self.total // self.runs
        return first // self.steps * self.steps if self.WHOLE else first

    def count(self):
        """Tiles, whole."""
        return self.tiles.count()

    def slots(self):
        """Slots of a workspace: two for each run."""
        return 2 * self.runs

    def span(self):
        """Numbers of the tiles of which some steps are in this block's run, and HYBRID as many more as it makes
        whole."""
        end = (self.end + self.steps - 1) // self.steps
        return self.first // self.steps, end + self.whole_tiles() if self.HYBRID else end, 1

    def work_tile(self, index, cluster_m, cluster_n):
        """The part of a tile that is in this block's run, and the runs that have the rest: the run with a step is the
        last that begins there or before."""
        tile = index
        if self.HYBRID:
            behind = (self.end + self.steps - 1) // self.steps
            if index >= behind:
                tile = self.total // self.steps + (index - behind) * self.runs + self.run()
        work, top = self.tiles.work_tile(tile, cluster_m, cluster_n), tile * self.steps
        if not self.WHOLE:
            begin, end = max(self.first, top) - top, min(self.end - top, self.steps)
            if self.HYBRID:
                if tile * self.steps >= self.total:
                    begin, end = begin * 0, self.steps
            work.k, work.whole = part_of_k(work.k, begin, end, self.STEP), end - begin == self.steps
            first, last = (top + 1) * self.runs - 1, (top + self.steps) * self.runs - 1
            work.peers = Peers(first // self.total, last // self.total, self.run(), 2)
        return work


@avelang.jit
def part_of_k(k, begin, end, STEP):
    """The part of `k` from step `begin` to before step `end`."""
    return k[0] + begin * STEP, min(k[0] + end * STEP, k[1])
