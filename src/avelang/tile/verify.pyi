"""Made by `./dev stubs` from src/avelang/tile/verify.py."""

import dataclasses
from typing import Any

import numpy as np

from avelang.base.places import wrong as wrong
from avelang.base.takes import takes as takes
from avelang.ir.dtypes import DType as DType
from avelang.isa.mma_reference import matmul as matmul
from avelang.tile.distribution import row_of as row_of
from avelang.tile.products import MmaAtom as MmaAtom

CHAIN: int
def probe(mma: MmaAtom, chain: int) -> Any:
    """A kernel of one wave: D = C + the product of `chain` tiles along K, on fragments as they lie in memory, (chain,
    lanes, elements)."""
@dataclasses.dataclass(frozen=True)
class Case:
    """One set of matrices: A (m, k), B (k, n), C (m, n), all in float64 or int64, and whether every order of the sum
    gives the same bits."""
    name: str
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    exact: bool
def cases(mma: MmaAtom, chain: int = ..., seed: int = ...) -> list[Case]:
    """Random numbers, small integers, one-hot matrices, cancellation; for floats also NaN and infinities (in A, in B
    where A is zero, in C), negative zeros and denormals."""
def _ignored(mma: MmaAtom) -> int:
    """Low bits of f32 that the instructions ignore (tf32, xf32)."""
def _least(mma: MmaAtom, dtype: DType) -> float:
    """The least positive number of A's or B's dtype, of those that the instructions tell from 0."""
def _shortened(mma: MmaAtom, x: np.ndarray) -> np.ndarray:
    """Without the bits that the instructions ignore."""
def compute(
    mma: MmaAtom, case: Case, chain: int = ..., kernel: Any = ..., **options: Any
) -> tuple[np.ndarray, np.ndarray]:
    """(D by the MMA, the dense product), both (m, n), in the accumulator's dtype."""
def difference(mma: MmaAtom, case: Case, got: np.ndarray, want: np.ndarray) -> str:
    """Text of a difference greater than the order of the sum allows; empty where they do not."""
def check(mma: MmaAtom, target: str = ..., chain: int = ..., **options: Any) -> list[str]:
    """Runs a matrix product on all `cases` on the CPU (or with these options of a launch, such as
    `backend="reference"`) and returns the names of the cases. Raises T307 at the caller's line for the first that is
    not the dense product, and for one whose operands come from shared memory, which one wave's fragments cannot
    feed."""
