"""Made by `./dev stubs` from src/avelang/tile/order.py."""

from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.grouped import GroupBounds as GroupBounds
from avelang.pipelines.grouped import GroupedScheduler as GroupedScheduler
from avelang.pipelines.grouped import grouped_scheduler as grouped_scheduler
from avelang.pipelines.scheduler import SplitKScheduler as SplitKScheduler
from avelang.pipelines.scheduler import StreamKScheduler as StreamKScheduler
from avelang.pipelines.scheduler import TileScheduler as TileScheduler
from avelang.pipelines.scheduler import WorkTile as WorkTile
from avelang.pipelines.scheduler import persistent_span as persistent_span

SCHEDULERS: Any
@avelang.struct
class WalkScheduler:
    """A walk as a scheduler, for clusters of so many blocks."""
    walk: Any
    CLUSTER: al.constexpr
    def count(self) -> Any:
        """Tiles of clusters."""
    def span(self) -> Any:
        """Units of this block, persistent."""
    def work_tile(self, index: Any, cluster_m: Any, cluster_n: Any) -> Any:
        """The tile of a block."""
@avelang.jit
def place_in_c(work: Any) -> Any:
    """`at` of a `WorkTile`, with its `Peers` behind it where its K is split."""
@avelang.jit
def groups(T: Any, bounds: Any, n: Any, k: Any) -> Any:
    """The scheduler of groups of rows for a block's tile. All threads of the block call it."""
Job: Any
Rows: Any
Bounds: Any
Groups: Any
