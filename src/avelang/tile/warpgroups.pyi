"""Made by `./dev stubs` from src/avelang/tile/warpgroups.py."""

import dataclasses
from typing import Any

import avelang
from avelang.base.functions import Function
from avelang.base.places import wrong as wrong
from avelang.ir.dtypes import DType as DType
from avelang.isa.nvptx import wgmma as wgmma
from avelang.pipelines import warp_specialized as warp_specialized
from avelang.pipelines.epilogue import TmaEpilogue as TmaEpilogue
from avelang.pipelines.epilogue import staging as staging
from avelang.pipelines.ring import cluster_sync as cluster_sync
from avelang.pipelines.ring import mbarrier_ring as mbarrier_ring
from avelang.pipelines.warp_specialized import GROUP as GROUP
from avelang.pipelines.warp_specialized import PATTERN as PATTERN
from avelang.pipelines.warp_specialized import ROWS as ROWS
from avelang.pipelines.warp_specialized import WarpSpecialized as WarpSpecialized
from avelang.tile.block_gemm import acc_dtype as acc_dtype
from avelang.tile.order import place_in_c as place_in_c
from avelang.tile.products import MmaAtom as MmaAtom
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.virtual import group as group

NAME: str
@avelang.constant
@dataclasses.dataclass(frozen=True)
class TmaGemm(WarpSpecialized):
    """A warp-specialized block; `mma`: the wgmma of 64 rows and the tile's columns."""
    mma: MmaAtom | None = ...
def tma_gemm(dtype: DType, m: int, n: int, k: int, stages: int, cluster: tuple[int, int], target: str = ...) -> TmaGemm:
    """The product of a block with wgmma. Raises T301 for a dtype that it does not have, T307 for extents."""
def check_columns(n: int, out: DType) -> None:
    """Checks that TMA can store the rows of a tile of C with n columns, 128 bytes at a time. Raises T307."""
def _check_columns(n: int, out: DType) -> None: ...
def tensor_maps(dtype: DType, out: DType, m: int, n: int, cluster: tuple[int, int]) -> tuple[Any, Any, Any]:
    """The annotations of A, B and C of a kernel for `TmaGemm`: what TMA copies at once. Raises T307."""
@avelang.jit
def run(G: Any, A: Any, B: Any, scheduler: Any, finish: Function) -> None:
    """All tiles of a scheduler that are this block's; `A`, `B`: views of tensor maps; `finish(tile, at)` gets each
    tile of 64 rows."""
@avelang.jit
def store(C: Any, tile: Any, at: Any) -> None:
    """Rounds a consumer's tile and has TMA store it, 128 bytes of each row at a time. `C`: a tensor map."""
