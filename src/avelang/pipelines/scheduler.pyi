"""Made by `./dev stubs` from src/avelang/pipelines/scheduler.py."""

from typing import Any

import avelang
import avelang.language as al

@avelang.jit
def tile_of(index: Any, tiles_m: Any, tiles_n: Any, GROUP_M: Any) -> Any:
    """Row and column of a tile: GROUP_M rows of tiles are gone through together, column by column. What runs at one
    time then is about as wide as high, and reads as little of A and B as can be."""
@avelang.jit
def xcd_remap(block: Any, count: Any, XCDS: Any) -> Any:
    """The number of a block's tile of `count`. Blocks go to the XCDS dies in turn: each die gets a run of tiles, which
    share rows of A and B in its L2. One die: the block's own number."""
@avelang.struct
class Peers:
    """The blocks that share a tile: `first` to `last`, of which this one is `own`. Each has SLOTS slots of the
    workspace; with two, the second one is for the tile that begins in its run, as only the first peer's does."""
    first: Any
    last: Any
    own: Any
    SLOTS: al.constexpr = ...
    def slot(self, peer: Any) -> Any:
        """The slot of the workspace in which a peer leaves its sums."""
    def slot_at(self, i: Any) -> Any:
        """The slot of the i-th peer, or of the last where there are fewer; `i` is known at compile time."""
@avelang.struct
class WorkTile:
    """The work of a block at a time: a tile of C, or a part of its K.

    `a`, `b`: first row of A and of B, and the end of the rows that count. `k`: begin and end of the part of K, in
    elements: not empty, and multiples of the block's step but for the end of the matrix. `at`: row and column of the
    tile in C, and whatever else an epilogue shall know. `whole`: `k` is all of K; else `peers`, of
    which this block is one, share the tile. `batch`: where A, B and C have a dimension more, numbers of the matrices of
    each. `b_shift`: how much further K of B begins than that of A."""
    a: Any
    b: Any
    k: Any
    at: Any
    peers: Any = ...
    whole: Any = ...
    batch: Any = ...
    b_shift: Any = ...
    def steps(self, STEP: Any) -> Any:
        """Steps along K."""
@avelang.jit
def persistent_span(count: Any, CLUSTER: Any) -> Any:
    """First, end and stride of the units of a cluster that stays on its multiprocessors and makes one after another."""
@avelang.struct
class TileScheduler:
    """Whole tiles of one product: C is m x n, a block makes M x N of it, a cluster CLUSTER_M x CLUSTER_N of that;
    GROUP_M rows of them are gone through together."""
    m: Any
    n: Any
    k: Any
    M: al.constexpr
    N: al.constexpr
    CLUSTER_M: al.constexpr = ...
    CLUSTER_N: al.constexpr = ...
    GROUP_M: al.constexpr = ...
    XCDS: al.constexpr = ...
    rows: Any = ...
    cols: Any = ...
    def __post_init__(self) -> None: ...
    def count(self) -> Any:
        """Tiles of clusters."""
    def span(self) -> Any:
        """Units of this block, persistent."""
    def work_tile(self, index: Any, cluster_m: Any, cluster_n: Any) -> WorkTile:
        """The tile of a block."""
@avelang.struct
class BatchScheduler:
    """The tiles of another scheduler, for each of `batches` products of the same extents, one product after another.
    A, B: that operand is another matrix in each product, and not the same in all. Clusters are those of the other."""
    tiles: Any
    batches: Any
    CLUSTER_M: al.constexpr = ...
    CLUSTER_N: al.constexpr = ...
    A: al.constexpr = ...
    B: al.constexpr = ...
    def count(self) -> Any:
        """Tiles of clusters, of all products."""
    def span(self) -> Any:
        """Units of this block, persistent."""
    def work_tile(self, index: Any, cluster_m: Any, cluster_n: Any) -> Any:
        """The tile of a block, and whose it is."""
@avelang.struct
class SplitKScheduler:
    """The tiles of another scheduler, K of each in SPLITS equal parts, in steps of STEP elements. No more parts than
    steps: the launch sees to it."""
    tiles: Any
    SPLITS: al.constexpr
    STEP: al.constexpr
    def count(self) -> Any:
        """Parts of all tiles."""
    def slots(self) -> Any:
        """Slots of a workspace."""
    def span(self) -> Any:
        """Units of this block, persistent."""
    def work_tile(self, index: Any, cluster_m: Any, cluster_n: Any) -> Any:
        """A part of a tile; parts of one tile have numbers side by side."""
@avelang.struct
class ClusterKScheduler:
    """The units of another scheduler, whole tiles or equal parts of K, for clusters whose blocks share K of a unit in
    CLUSTER_K parts, in steps of STEP elements: one unit for each cluster. SHARERS: blocks of the cluster with one part
    of K. No more parts than steps: the launch sees to it."""
    tiles: Any
    CLUSTER_K: al.constexpr
    STEP: al.constexpr
    SHARERS: al.constexpr = ...
    def count(self) -> Any:
        """Units of clusters."""
    def slots(self) -> Any:
        """Slots of a workspace, where the units are parts of K."""
    def span(self) -> Any:
        """The unit of this block's cluster."""
    def work_tile(self, index: Any, cluster_m: Any, cluster_n: Any) -> Any:
        """The block's part of the unit. `whole`: the cluster has all of K."""
@avelang.struct
class StreamKScheduler:
    """The tiles of another scheduler, shared out evenly among `runs` clusters. Steps along K of the streamed tiles
    stand in one row, tile after tile, and each cluster gets an equal run of them: `first` to before `end`. `steps`: of
    a tile, of STEP elements each; `total`: of all streamed tiles. In a run at most one shared tile begins, and one
    ends. WHOLE: runs end where tiles do. `number`: of this block's run, where that is not the cluster's own.

    HYBRID: the first tiles are streamed, as many as are left over when each cluster makes an equal number of whole
    tiles, and one more for each cluster; the whole tiles follow. Sums are then exchanged while others still
    multiply."""
    tiles: Any
    runs: Any
    steps: Any
    STEP: al.constexpr
    WHOLE: al.constexpr = ...
    total: Any = ...
    first: Any = ...
    end: Any = ...
    number: Any = ...
    HYBRID: al.constexpr = ...
    def __post_init__(self) -> None: ...
    def whole_tiles(self) -> Any:
        """Tiles that each cluster makes by itself, behind those of its run."""
    def run(self) -> Any:
        """Number of this block's run."""
    def begin(self, run: Any) -> Any:
        """The first step of a run."""
    def count(self) -> Any:
        """Tiles, whole."""
    def slots(self) -> Any:
        """Slots of a workspace: two for each run."""
    def span(self) -> Any:
        """Numbers of the tiles of which some steps are in this block's run, and HYBRID as many more as it makes
        whole."""
    def work_tile(self, index: Any, cluster_m: Any, cluster_n: Any) -> Any:
        """The part of a tile that is in this block's run, and the runs that have the rest: the run with a step is the
        last that begins there or before."""
@avelang.jit
def part_of_k(k: Any, begin: Any, end: Any, STEP: Any) -> Any:
    """The part of `k` from step `begin` to before step `end`."""
