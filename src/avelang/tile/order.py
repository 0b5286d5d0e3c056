"""Which tiles of C a block makes: the schedulers of `avelang.pipelines`, and what they are for a block's tile.

A walk of one's own is any struct with `count()`, how many tiles there are (for clusters: of those that a cluster
makes), and `job(index, cluster_m, cluster_n)`, the `WorkTile` of one of them, for the block at that place in its
cluster."""

from __future__ import annotations

import avelang
import avelang.language as al
from avelang.pipelines.grouped import GroupBounds, GroupedScheduler, grouped_scheduler
from avelang.pipelines.scheduler import SplitKScheduler, StreamKScheduler, TileScheduler, WorkTile, persistent_span

SCHEDULERS = (TileScheduler, SplitKScheduler, StreamKScheduler, GroupedScheduler)


@avelang.struct
class WalkScheduler:
    """A walk as a scheduler, for clusters of so many blocks."""

    walk: ...
    CLUSTER: al.constexpr

    def count(self):
        """Tiles of clusters."""
        return self.walk.count()

    def span(self):
        """Units of this block, persistent."""
        return persistent_span(self.count(), self.CLUSTER)

    def work_tile(self, index, cluster_m, cluster_n):
        """The tile of a block."""
        return self.walk.job(index, cluster_m, cluster_n)


@avelang.jit
def place_in_c(work):
    """`at` of a `WorkTile`, with its `Peers` behind it where its K is split."""
    return work.at if work.peers is None else work.at + (work.peers,)


@avelang.jit
def groups(T, bounds, n, k):
    """The scheduler of groups of rows for a block's tile. All threads of the block call it."""
    return grouped_scheduler(bounds, n, k, T.m, T.n, T.cluster[0], T.cluster[1], T.group_m, T.pipeline == "tma")


Job, Rows, Bounds, Groups = WorkTile, TileScheduler, GroupBounds, GroupedScheduler  # the public names
