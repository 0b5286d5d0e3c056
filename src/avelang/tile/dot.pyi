"""Made by `./dev stubs` from src/avelang/tile/dot.py."""

from typing import Any

import avelang
import avelang.tile.block_gemm as block_gemm
from avelang.base.errors import AveError as AveError
from avelang.base.places import wrong as wrong
from avelang.ir.dtypes import DType as DType
from avelang.tile.encoding import Ints as Ints
from avelang.tile.functions import tile_of as tile_of
from avelang.tile.products import named as named
from avelang.tile.shared import shared as shared
from avelang.tile.tensors import DistributedTile as DistributedTile
from avelang.tile.tensors import full as full
from avelang.tile.tensors import home_of as home_of
from avelang.tile.tensors import is_first as is_first
from avelang.tile.tensors import place as place
from avelang.tile.tensors import thread_coord as thread_coord
from avelang.tile.vectorize import vectors as vectors
from avelang.tile.virtual import mmas as mmas

PRECISIONS: Any
TF32: Any
def check_precision(precision: str, dtype: DType) -> None:
    """Raises T301 for other words, and for operands that are not f32."""
def instruction(target: str, precision: str) -> str | None:
    """The name of the instruction of a precision; None: the chip's widest. Raises T301 where there is none."""
def product_gemm(
    target: str, dtype: DType, m: int, n: int, k: int, waves: int, name: str | None = ...
) -> block_gemm.BlockGemm | None:
    """The product of m x n x k, or of more along k where no instruction divides it, by a block of so many waves, by the
    instruction `name` if given: of the grids of waves that divide it the largest, of those the one with the squarest
    parts; where not all waves have a part, several have the same one. None where the chip has no instruction for the
    dtype. Raises T301 where m or n are no multiples of 16."""
def sums_dtype(dtype: DType) -> DType:
    """Dtype of the sums of products: i32 of integers, else f32, of f64 f64."""
def product_shape(a: Ints, b: Ints, of_a: DType, of_b: DType) -> tuple[int, int, int]:
    """m, n and k of a product. Raises T301."""
@avelang.jit
def accumulator(shape: Any, dtype: Any, precision: Any = ...) -> Any:
    """A tile of zeros for the sums of `dot` of operands of `dtype`, in f32 (of integers in i32), distributed as `dot`
    with that `precision` leaves them: in a loop nothing then moves."""
@avelang.jit
def dot(a: Any, b: Any, acc: Any = ..., precision: Any = ...) -> Any:
    """a @ b, plus `acc` if given: tiles (m, k) and (k, n) of one dtype. Sums are in f32, of integers in i32, by the
    widest instruction of the chip; of a dtype for which it has none by multiplying and adding. The result is where
    `acc` is (`accumulator` is where sums need not move). All lanes of the block call it; operands pass through shared
    memory.

    `precision`, of f32: "ieee", products of f32; "tf32", operands rounded to 11 significant bits (to nearest, ties away
    from zero), on gfx942, sm_80 and newer; "bf16x3", each operand as two of bf16, three products of them, 16 bits or
    so: of finite numbers. Raises T301."""
@avelang.jit
def to_tf32(x: Any) -> Any:
    """f32 rounded to the bits that tf32 has: 13 less, ties away from zero, as `cvt.rna.tf32.f32` does."""
@avelang.jit
def product_of(x: Any, y: Any, acc: Any, NAME: Any) -> Any:
    """`dot` of tiles in registers, by the instruction of that name, or by the chip's widest."""
@avelang.jit
def acc_of(G: Any, acc: Any) -> Any:
    """Accumulators with the elements of a tile."""
@avelang.jit
def dot_by_elements(x: Any, y: Any, acc: Any, K: Any) -> DistributedTile:
    """a @ b without a matrix instruction: a step of K at a time, of rows and columns in shared memory."""
