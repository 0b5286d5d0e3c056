"""Made by `./dev stubs` from src/avelang/tile/chained.py."""

import dataclasses
import functools
from typing import Any

import avelang
from avelang.base.lazy import np as np
from avelang.base.places import wrong as wrong
from avelang.tile.block_gemm import BlockGemm as BlockGemm
from avelang.tile.block_gemm import FragmentPart as FragmentPart
from avelang.tile.block_gemm import pick_words as pick_words
from avelang.tile.block_gemm import words as words
from avelang.tile.distribution import WORD as WORD
from avelang.tile.distribution import Distribution as Distribution
from avelang.tile.encoding import Ints as Ints
from avelang.tile.tensors import DistributedTile as DistributedTile

TF32: str
LINE: int
@avelang.constant
@dataclasses.dataclass(frozen=True, slots=True)
class Joint:
    """Accumulators as an operand. For each instruction: `slots`, which of the lane's accumulators its slots
    take; `columns`, which column of the accumulators each of its K is."""
    slots: tuple[Ints, ...]
    columns: tuple[Ints, ...]
def join(acc: Distribution, operand: Distribution) -> Joint:
    """The order of K by which what lanes hold of `acc` (rows, columns) are operands `operand` (rows, K) of instructions
    one after another, each lane's in its own registers. Raises T307 where there is none."""
def _join(acc: Distribution, operand: Distribution) -> Joint: ...
def _taken(
    acc: Distribution, operand: Distribution, slot: int, columns: dict[int, int], used: set[int]
) -> tuple[Ints, dict[int, int]] | None:
    """Accumulators for an instruction's slots from `slot` on that are not used yet, and the column of each K; None
    where there are none."""
@avelang.constant
@dataclasses.dataclass(frozen=True)
class ChainedGemm:
    """A B^T (m x keys), `first`, then its product with V (keys x width), by the same instruction and the same waves,
    each of which has whole rows. `turned`: V is turned when it is stored to shared memory, where keys are its fast
    dimension, and columns of O are counted such that a lane has neighbors of a row; else it is turned as it is read.
    Raises T307."""
    first: BlockGemm
    width: int
    turned: bool
    def __post_init__(self) -> None: ...
    @functools.cached_property
    def second(self) -> BlockGemm:
        """The second product, with K as its instructions count. Where a chip reads operands as they are, a read feeds
        neighbors along the width, not along K: fewer fragments are held at a time."""
    @functools.cached_property
    def joint(self) -> Joint:
        """Joint of one row of fragments of A B^T."""
    @functools.cached_property
    def order(self) -> Ints:
        """Key of each column of A B^T, as its instructions have them: the one that the second product takes
        there."""
    @functools.cached_property
    def places(self) -> Ints:
        """Column of V and of O of each row of V's fragments."""
    @functools.cached_property
    def b(self) -> Distribution:
        """Distribution of B (keys, k) as the first product's fragments."""
    @functools.cached_property
    def c(self) -> Distribution:
        """Distribution of A B^T (m, keys)."""
    @functools.cached_property
    def v(self) -> Distribution:
        """Distribution of V^T (width, keys) as the second product's fragments."""
    @functools.cached_property
    def o(self) -> Distribution:
        """Distribution of O (m, width)."""
    @functools.cached_property
    def parts(self) -> tuple[tuple[FragmentPart, ...], ...]:
        """For each step of V's fragments its instructions: words of a row of fragments of A B^T in the operands' dtype,
        and of V's fragment."""
    def copy_v(self, target: str) -> Distribution:
        """Distribution of the copy of V (keys, width). Where V is turned, a lane has a piece of neighbors both ways,
        keys the faster: loaded along rows, it is stored along keys, and shared memory loses the fewest cycles."""
    def loaded_v(self, target: str) -> tuple[Distribution, Ints]:
        """Distribution of the copy of V with each lane's elements as memory has them, and where those of `copy_v` are
        among them. Loaded so, values are turned when they are stored: turned when they are loaded, they would be waited
        for at once."""
    def turned_v(self, target: str) -> Distribution:
        """Distribution of the copy of V^T (width, keys)."""
def _mapped(dist: Distribution, axis: int, table: Ints) -> Distribution:
    """A distribution of a tile whose coordinates along a dimension have new names."""
def _pieces(chain: ChainedGemm, target: str) -> Distribution:
    """Distribution of V in pieces: of all ways the first with no bank conflicts, those with fewer accesses and with 64
    bytes of a row side by side first."""
def _loaded(chain: ChainedGemm, target: str) -> tuple[Distribution, Ints]:
    """See `ChainedGemm.loaded_v`."""
def _piece(keys: int, width: int, threads: int, wave: int, high: int, wide: int, lanes: int) -> Distribution | None:
    """A tile (keys, width) in pieces of high x wide; `lanes` of a wave stand along the width."""
def _chained(first: BlockGemm, width: int, turned: bool) -> ChainedGemm: ...
def chained(first: BlockGemm, width: int, turned: bool) -> ChainedGemm:
    """The product of `first` followed by one with V. Raises T307 where waves split rows, or no order of K joins
    them."""
@avelang.jit
def scores(C: Any, a: Any, keys: Any, buffer: Any, rows: Any = ...) -> DistributedTile:
    """A B^T of a tile of B in shared memory, in f32. `a`: all fragments of A, (steps, fragments of m, words), or None,
    where `rows` is A in shared memory, and each fragment is read when its turn comes."""
@avelang.jit
def fragments_of(G: Any, rows: Any, step: Any) -> Any:
    """A's fragments at a step along K, from shared memory."""
@avelang.jit
def lower(G: Any, a: Any, b: Any, acc: Any) -> Any:
    """The product of two fragments: one instruction, or of tf32 three, whose operands are f32 but for the last bits."""
@avelang.jit
def one_product(G: Any, a: Any, b: Any, acc: Any) -> Any:
    """One instruction."""
@avelang.jit
def halves_of(x: Any) -> Any:
    """Words of f32 as two of tf32 each, which together have 22 of its bits or more; of what is not finite the second
    is 0."""
@avelang.jit
def accumulate(C: Any, acc: Any, weights: Any, values: Any, buffer: Any) -> DistributedTile:
    """`acc`, a tile of O, + weights @ V. `weights`: a tile in the distribution of A B^T, in V's dtype; `values`: V^T in
    shared memory."""
