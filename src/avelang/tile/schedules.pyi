"""Made by `./dev stubs` from src/avelang/tile/schedules.py."""

import dataclasses
from typing import Any

import avelang
import avelang.tile.block_gemm as block_gemm
import avelang.tile.pipelines as pipelines
from avelang.base.functions import Function
from avelang.base.places import wrong as wrong
from avelang.base.takes import placed as placed
from avelang.ir.dtypes import DType as DType
from avelang.pipelines.scheduler import StreamKScheduler as StreamKScheduler
from avelang.pipelines.scheduler import TileScheduler as TileScheduler
from avelang.pipelines.scheduler import xcd_remap as xcd_remap
from avelang.tile.order import SCHEDULERS as SCHEDULERS
from avelang.tile.order import WalkScheduler as WalkScheduler
from avelang.tile.order import WorkTile as WorkTile
from avelang.tile.order import place_in_c as place_in_c
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.tensors import refuse as refuse

def _whole(x: Any, least: int) -> bool: ...
@avelang.constant
@dataclasses.dataclass(frozen=True)
class BlockConfig:
    """The block of a product: its tile of C, m x n, and how much of K at a time; the grid of its `waves` over C (of the
    "tma" pipeline: one warpgroup for each 64 rows, beside a producer); the pipeline by name, `stages` of its ring;
    blocks of a cluster along rows and columns of C; how many rows of tiles are gone through together; `mma`, the
    instruction: the name of an MMA of the chip (`avelang.tile.mmas`) or an `Mma`, virtual ones too, instead of the
    widest dense one. Raises T301 for the name of a pipeline, for numbers that are none or too small, and for a cluster
    with a pipeline that has none."""
    m: int
    n: int
    k: int
    waves: tuple[int, int] = ...
    pipeline: str = ...
    stages: int = ...
    cluster: tuple[int, int] = ...
    group_m: int = ...
    mma: Any = ...
    together: dataclasses.InitVar[int | None] = ...
    own: pipelines.Pipeline = ...
    def __post_init__(self, together: int | None) -> None: ...
    def on(self, target: Any, dtype: DType) -> Any:
        """The products of the block on a chip (`al.target()`, or its name). Raises T032, T301, T307, U103."""
    def _on(self, name: str, dtype: DType) -> Any: ...
    def _by_policy(self, found: block_gemm.BlockGemm, name: str) -> block_gemm.BlockGemm: ...
    def operands(self, dtype: DType, out: DType) -> tuple[Any, Any, Any]:
        """The annotations of a kernel's A, B and C."""
    def grid(self, m: int, n: int, units: int) -> int:
        """Blocks of a launch on a chip with so many units: one a tile, or with "tma" no more than units."""
Block = BlockConfig
@avelang.jit
def mainloop(name: Any, STAGES: Any, G: Any, A: Any, B: Any, k: Any) -> DistributedTile:
    """The tile of C by the pipeline of that name."""
def operand(name: str, dimensions: int, dtype: DType, mapped: bool, T: BlockConfig, want: DType) -> None:
    """Checks that A or B is a view that the product takes. Raises T301."""
@avelang.jit
def run(T: Any, A: Any, B: Any, sizes: Any, finish: Function) -> None:
    """All tiles of C = A @ B^T that are this block's. `T`: a `BlockConfig`; `A` (m, k), `B` (n, k): views; `sizes`: m,
    n, k, a scheduler of `avelang.pipelines`, or a walk (`avelang.tile.order`), which say which rows of A and B and
    which part of K a tile takes. `finish(tile, at)` gets each tile of C, in f32, and `at` of its `WorkTile`, with its
    `Peers` as the last where a scheduler splits K. Raises T301 for what is no view of a matrix of the product's dtype,
    T307 and U103 as `BlockConfig.on`."""
@avelang.jit
def run_stream(T: Any, G: Any, A: Any, B: Any, scheduler: Any, finish: Function) -> None:
    """The tiles of which some steps are in this block's run, one after another. For AMD: elsewhere copies to shared
    memory would still be under way when the next tile begins."""
@avelang.jit
def scheduler_of(T: Any, sizes: Any) -> Any:
    """The tile scheduler of a block: of m, n and k, of a walk, or the one that is given."""
@avelang.jit
def one_tile(T: Any, G: Any, A: Any, B: Any, work: Any) -> Any:
    """The tile of C of a `WorkTile`. All past its rows and past its part of K reads as zeros."""
