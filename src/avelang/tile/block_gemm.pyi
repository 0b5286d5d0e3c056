"""Made by `./dev stubs` from src/avelang/tile/block_gemm.py."""

import dataclasses
import functools
from typing import Any

import avelang
from avelang.base.lazy import np as np
from avelang.base.places import wrong as wrong
from avelang.ir.dtypes import DType as DType
from avelang.ir.dtypes import f32 as f32
from avelang.ir.dtypes import i32 as i32
from avelang.tile.distribution import WIDEST as WIDEST
from avelang.tile.distribution import WORD as WORD
from avelang.tile.distribution import Distribution as Distribution
from avelang.tile.encoding import Ints as Ints
from avelang.tile.products import MmaAtom as MmaAtom
from avelang.tile.products import named as named
from avelang.tile.virtual import mmas as mmas
from avelang.tile.virtual import mmas_of as mmas_of

@avelang.constant
@dataclasses.dataclass(frozen=True, slots=True)
class FragmentPart:
    """One instruction of several along K: which words (or elements) of A's and B's fragments it takes."""
    a: Ints
    b: Ints
@avelang.constant
@dataclasses.dataclass(frozen=True)
class BlockGemm:
    """The product of a block, of tiles of m x k and n x k: `waves`, a grid of them over C; `mma`, the instruction,
    `times` of them to a read of a fragment; `swapped`: B's rows are the instruction's rows; `native_order`: K and
    registers are as the instruction has them; `packs_a`: A's columns in shared memory are in the order of its
    fragments; `elements`: the instruction's `lower` gets elements, not packed words; `interleaved`: so many fragments
    along n share their columns, such that a lane's are side by side; `replicas`: so many grids of waves compute the
    same. Raises T307 where waves and instruction do not divide the tile, and for an instruction whose lanes' K cannot
    be put side by side."""
    m: int
    n: int
    k: int
    waves: tuple[int, int]
    mma: MmaAtom
    times: int
    swapped: bool
    native_order: bool = ...
    packs_a: bool = ...
    elements: bool = ...
    interleaved: int = ...
    replicas: int = ...
    def __post_init__(self) -> None: ...
    @property
    def fragment(self) -> tuple[int, int]:
        """Rows and columns of C that one instruction makes."""
    @property
    def depth(self) -> int:
        """Elements of K of one fragment."""
    @property
    def count(self) -> tuple[int, int]:
        """Fragments of a wave along m and n."""
    @property
    def steps(self) -> int:
        """Fragments along K."""
    @property
    def threads(self) -> int:
        """Threads of the block."""
    def replicated(self, replicas: int) -> BlockGemm:
        """This product by so many times its waves, for blocks that have more than it has tiles for: each result is in
        `replicas` lanes."""
    def half_k(self) -> BlockGemm:
        """This product with half of K."""
    def single(self) -> BlockGemm:
        """This product with one instruction to a fragment."""
    @functools.cached_property
    def copy_a(self) -> Distribution:
        """Distribution of the copy of a tile of A: neighbors along rows."""
    @functools.cached_property
    def copy_b(self) -> Distribution:
        """Distribution of the copy of a tile of B."""
    @functools.cached_property
    def ring(self) -> BlockGemm | None:
        """The block of the pipeline "preshuffled" where B passes through shared memory: fragments one instruction deep,
        of which a lane has 16 bytes in one or in two side by side. Those two share their columns, so that a lane has
        neighbors of C. None where fragments are read otherwise."""
    @property
    def unit(self) -> tuple[int, int]:
        """Rows of B and elements of K that `preshuffle` keeps together: what a wave reads at once."""
    @functools.cached_property
    def copy_preshuffled(self) -> Distribution:
        """Distribution of the copy of a tile of B as `preshuffle` writes it."""
    @functools.cached_property
    def preshuffled_b(self) -> Distribution:
        """Distribution of the tile of B as `preshuffle` writes it: (rows of units, all elements of their units along
        K), in the order of `b`, of the ring's if there is a `ring`."""
    @property
    def _grid(self) -> np.ndarray:
        """Numbers of the waves in their grid, for arrays (waves, lanes, and three axes of elements)."""
    def preshuffle(self, b: np.ndarray) -> np.ndarray:
        """B (n, k) as a flat array for the pipeline "preshuffled": units one after another along K, of each the lanes
        one after another; zeros where rows or K are no multiple of a unit."""
    @functools.cached_property
    def _k(self) -> np.ndarray:
        """K in memory of each k of a fragment, as its instructions count one after another."""
    @functools.cached_property
    def packed(self) -> np.ndarray:
        """The column in shared memory of each k of a fragment of A: as in memory, or with `packs_a` such that a lane's
        are side by side."""
    def packing(self) -> BlockGemm:
        """This product with A's columns in shared memory in the order of its fragments: `a` counts in them, and
        `stage_a` says where a copy of A goes."""
    @functools.cached_property
    def stage_a(self) -> Distribution:
        """`copy_a`, by columns of shared memory."""
    @functools.cached_property
    def a(self) -> Distribution:
        """Distribution of the tile of A (m, k) over the block; elements by K's fragment, then by m's, then as they lie
        in memory."""
    @functools.cached_property
    def b(self) -> Distribution:
        """Distribution of the tile of B (n, k), likewise."""
    def _side(self, axis: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows and K of A (0) or of B (1) in one instruction: int (lanes, slots), K as the instruction has it."""
    def _fragment(self, axis: int) -> tuple[np.ndarray, np.ndarray, tuple[tuple[int, ...], ...]]:
        """Rows and K (in memory's order; A's in that of shared memory) of a lane in one fragment, int (lanes,
        elements), in that order, or of the instruction's registers if `native_order`; for each instruction where its
        slots are among them."""
    def _at(self, axis: int, i: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Row (or column) in the wave's part of row (or column) x of fragment i along m (or n)."""
    def interleave(self, target: str) -> BlockGemm:
        """This product with columns interleaved such that a lane has up to 16 bytes of 16-bit numbers side by side,
        where reads of B stay without conflicts. Loads of B cost the same: lanes name the rows (`ldmatrix`)."""
    def _operand(self, axis: int) -> Distribution: ...
    @functools.cached_property
    def c(self) -> Distribution:
        """Distribution of C (m, n) over the block: elements by m's fragment, then by n's, then as the instruction has
        them."""
    @functools.cached_property
    def parts(self) -> tuple[FragmentPart, ...]:
        """The instructions of a fragment, by words of its registers."""
    @property
    def word(self) -> DType:
        """Dtype of a register of a fragment: words of packed elements."""
    @property
    def a_words(self) -> int:
        """Words of a fragment of A."""
    @property
    def b_words(self) -> int:
        """Words of a fragment of B."""
def words(slots: Ints, size: int, name: str = ...) -> Ints:
    """Elements of `size` bytes as words. Raises T307 for the instruction `name` if words hold what is not side by
    side."""
def k_order(name: str, ks: np.ndarray, k: int, times: int, dtype: DType) -> np.ndarray:
    """Place in memory of each k of `times` instructions one after another, such that a lane's are side by side, up to
    16 bytes of them, in the order of its slots; those 16 bytes of all lanes come before the next ones. int (times *
    k,). `ks`: k of each lane and slot of one instruction. Raises T307 where lanes have parts of K that overlap."""
def acc_dtype(dtype: DType) -> DType:
    """Dtype of the accumulators of products of a dtype: i32 for integers, else f32."""
def usual_mma(target: str, dtype: DType, k: int = ...) -> MmaAtom:
    """The widest dense instruction of one wave; of those with its rows and columns the widest that divides `k`, or the
    narrowest where none does."""
def _given(target: str, dtype: DType, given: str | MmaAtom) -> MmaAtom:
    """The given MMA, by name or itself."""
def _block_gemm(
    target: str, dtype: DType, m: int, n: int, k: int, waves: tuple[int, int], given: str | MmaAtom | None
) -> BlockGemm: ...
def block_gemm(
    target: str, dtype: DType, m: int, n: int, k: int, waves: tuple[int, int], mma: str | MmaAtom | None = ...
) -> BlockGemm:
    """The block's product for a chip, with the widest dense instruction of one wave that divides `k`, or with `mma` (a
    name of the chip's, or a description). Raises U103 where there is none, T301 for other names and kinds, T307 where
    it does not fit."""
@avelang.jit
def pick_words(x: Any, slots: Any) -> Any:
    """Words of a fragment."""
@avelang.jit
def unpack_words(words: Any, dtype: Any) -> Any:
    """Words as the elements in them."""
@avelang.jit
def multiply(G: Any, acc: Any, a: Any, b: Any, begin: Any, end: Any) -> None:
    """Adds the products of fragments `begin` to before `end` of A with all of B. `acc` (fragments of m, of n,
    elements), `a` and `b` (fragments, words)."""
