"""Made by `./dev stubs` from src/avelang/tile/tensor_blocks.py."""

import dataclasses
from typing import Any

import avelang
from avelang.base.places import wrong as wrong
from avelang.ir.dtypes import DType as DType
from avelang.isa.nvptx.tcgen05 import InstructionDescriptor as InstructionDescriptor
from avelang.pipelines import tensor_core as tensor_core
from avelang.pipelines import warp_specialized as warp_specialized
from avelang.pipelines.epilogue import STORE_BARRIER as STORE_BARRIER
from avelang.pipelines.epilogue import stage_epilogue as stage_epilogue
from avelang.pipelines.ring import mbarrier_ring as mbarrier_ring
from avelang.pipelines.tensor_core import EPILOGUE as EPILOGUE
from avelang.pipelines.tensor_core import KINDS as KINDS
from avelang.pipelines.tensor_core import PATTERN as PATTERN
from avelang.pipelines.tensor_core import ROWS as ROWS
from avelang.pipelines.tensor_core import UNIT as UNIT
from avelang.pipelines.tensor_core import WARP as WARP
from avelang.pipelines.tensor_core import TensorCoreProduct as TensorCoreProduct
from avelang.tile.order import place_in_c as place_in_c
from avelang.tile.products import MmaAtom as MmaAtom
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.virtual import tensor as tensor

NAME: str
STRIP: int
LOAD_COLUMNS: int
HIGH: Any
@avelang.constant
@dataclasses.dataclass(frozen=True)
class TensorGemm(TensorCoreProduct):
    """A block that multiplies by `tcgen05`; `mma`: the product of its rows, or of 128 of them, and the tile's
    columns."""
    mma: MmaAtom | None = ...
def tensor_gemm(
    dtype: DType, m: int, n: int, k: int, stages: int, cluster: tuple[int, int], target: str = ...
) -> TensorGemm:
    """The product of a block with tcgen05: of 64, 128 or 256 rows, by itself, or of 128 or 256 with the other block of
    a cluster (2, 1). Raises T301 for a dtype that it does not have, T307 for extents and clusters."""
def _fault(dtype: DType, m: int, n: int, k: int, cluster: tuple[int, int]) -> str:
    """The reason why a block has no such tile, before its instruction is asked; or ""."""
def loads(n: int) -> tuple[tuple[int, int], ...]:
    """Loads of so many columns of 16 lanes: (the first column, .x) of each."""
@avelang.jit
def load_strip(at: Any, X: Any) -> Any:
    """Begins the load of 8 X columns of 16 lanes."""
@avelang.jit
def load_rows(at: Any, n: Any, dtype: Any) -> Any:
    """A warp's sums, (n / 2,): n columns of the 16 lanes from an address on."""
@avelang.struct
class TileEpilogue:
    """Gives each tile of a block to `finish(tile, at)`: 64 rows, held by four warps, or 128, held by eight, as often as
    the block has them. The first four warps hold the first 16 of the 32 rows that they reach."""
    finish: Any
    def __call__(self, G: Any, here: Any, work: Any, held: Any, stage: Any) -> None: ...
    def tail(self) -> None:
        """Waits for the stores by TMA."""
@avelang.jit
def run(G: Any, A: Any, B: Any, scheduler: Any, finish: Any) -> None:
    """All tiles of a scheduler that are this block's, or its pair's; `A`, `B`: views of tensor maps; `finish(tile, at)`
    gets each tile of 64 or 128 rows."""
@avelang.jit
def store(C: Any, tile: Any, at: Any) -> None:
    """Rounds a tile and has TMA store it, 128 bytes of each row at a time, 64 rows by each copy. `C`: a tensor map."""
