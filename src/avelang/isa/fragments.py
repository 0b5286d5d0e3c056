"""Fragment maps: which element of a matrix each lane holds in each of its slots. The only place where such layouts
stand."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any

from avelang.base.lazy import np

# (lane, slot) -> (block, row, column); called once with whole arrays of lanes and slots.
LaneMap = Callable[["np.ndarray", "np.ndarray"], "tuple[np.ndarray | int, np.ndarray, np.ndarray]"]


@dataclasses.dataclass(frozen=True, eq=False)
class Fragment:
    """The map `(lane, slot) -> (block, row, column)` of one operand of a matrix instruction.

    `shape` is (blocks, rows, columns) of the operand: A is M x K, B is K x N, C and D are M x N. Slots count elements,
    not registers."""

    lanes: int
    slots: int
    shape: tuple[int, int, int]
    map: LaneMap

    @functools.cached_property
    def index(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(block, row, column), each an int array of shape (lanes, slots)."""
        lane, slot = np.meshgrid(np.arange(self.lanes), np.arange(self.slots), indexing="ij")
        block, row, col = self.map(lane, slot)
        return tuple(np.broadcast_to(x, lane.shape) for x in (block, row, col))  # type: ignore[return-value]

    def gather(self, matrix: np.ndarray) -> np.ndarray:
        """The fragment, (lanes, slots), of a matrix of `shape`."""
        return matrix[self.index]

    def scatter(self, fragment: np.ndarray) -> np.ndarray:
        """The matrix of `shape` that a fragment of (lanes, slots) stands for."""
        out = np.zeros(self.shape, fragment.dtype)
        out[self.index] = fragment
        return out


@dataclasses.dataclass(frozen=True, eq=False)
class Mma:
    """A matrix instruction: D = A @ B + C for each of `blocks` independent products of m x n x k.

    `a`, `b`, `c` are the fragment maps (D's is C's). Names of dtypes are in the row's parameter types. `sparse`: A is
    4:2 structured sparse along K: its fragment holds the m x k/2 stored elements, an index operand says where they
    stand. `ignored_bits`: so many low bits of the f32 elements of A and B count as zero (xf32, tf32). `sources`: for
    instructions whose const parameters move fragments between lanes before the product: given the op's attributes, from
    which lane each lane's fragment of A and of B comes, two int arrays (lanes,); None where nothing moves."""

    m: int
    n: int
    k: int
    a: Fragment
    b: Fragment
    c: Fragment
    blocks: int = 1
    sparse: bool = False
    ignored_bits: int = 0
    sources: Callable[[Mapping[str, Any]], tuple[np.ndarray, np.ndarray] | None] | None = None
