"""Made by `./dev stubs` from src/avelang/tile/dot.py."""

from typing import Any

import avelang
from avelang.base.errors import AveError as AveError
from avelang.base.places import wrong as wrong
from avelang.ir.dtypes import DType as DType
from avelang.tile.encoding import Ints as Ints
from avelang.tile.functions import tile_of as tile_of
from avelang.tile.shared import shared as shared
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.tensors import full as full
from avelang.tile.tensors import home_of as home_of
from avelang.tile.tensors import is_first as is_first
from avelang.tile.tensors import place as place
from avelang.tile.tensors import thread_coord as thread_coord
from avelang.tile.vectorize import vectors as vectors

def wave_grid(target: str, dtype: DType, m: int, n: int, waves: int) -> tuple[int, int] | None:
    """Grid of waves over a product of m x n; None where the chip has no instruction for the dtype. Raises T301
    where the tile is too small for the waves."""
def sums_dtype(dtype: DType) -> DType:
    """Dtype of the sums of products: i32 of integers, else f32, of f64 f64."""
def product_shape(a: Ints, b: Ints, of_a: DType, of_b: DType) -> tuple[int, int, int]:
    """m, n and k of a product. Raises T301."""
@avelang.jit
def accumulator(shape: Any, dtype: Any) -> Any:
    """A tile of zeros for the sums of `dot` of operands of `dtype`, in f32 (of integers in i32), distributed as `dot`
    leaves them: in a loop nothing then moves."""
@avelang.jit
def dot(a: Any, b: Any, acc: Any = ...) -> Any:
    """a @ b, plus `acc` if given: tiles (m, k) and (k, n) of one dtype. Sums are in f32, of integers in i32, by the
    widest instruction of the chip; of a dtype for which it has none by multiplying and adding. The result is where
    `acc` is (`accumulator` is where sums need not move). All lanes of the block call it; operands pass through shared
    memory."""
@avelang.jit
def acc_of(G: Any, acc: Any) -> Any:
    """Accumulators with the elements of a tile."""
@avelang.jit
def dot_by_elements(x: Any, y: Any, acc: Any, K: Any) -> DistributedTile:
    """a @ b without a matrix instruction: a step of K at a time, of rows and columns in shared memory."""
