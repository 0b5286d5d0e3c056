"""The products of a block: extents, waves, dtypes and a chip come in; distributions of A, B and C over the block and the instructions go out.

C (m x n) += A (m x k) @ B^T (B is n x k), A and B with K contiguous in shared memory. K is counted in another order than the instruction's, the same
for A and B: each lane's part of K is side by side, so that one wide read feeds several instructions ("VMFMA" of IREE). Where the instruction's tile
is square its operands are exchanged: a lane then has neighbors of a row of C.
"""

from __future__ import annotations

import dataclasses
import functools
import math

import avelang
import avelang.language as al
from avelang.base.lazy import np
from avelang.base.places import wrong
from avelang.ir.dtypes import DType, f32
from avelang.tile.distribution import Distribution
from avelang.tile.encoding import Ints
from avelang.tile.products import Mma
from avelang.tile.virtual import mmas

READ = 16  # bytes of a wide read
WORD = 4


@avelang.constant
@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """One instruction of several along K: which words (or elements) of A's and B's fragments it takes."""

    a: Ints
    b: Ints


@avelang.constant
@dataclasses.dataclass(frozen=True)
class BlockGemm:
    """How a block multiplies tiles of m x k and n x k: `waves`, a grid of them over C; `mma`, the instruction, `times` of them to a read of a
    fragment; `exchanged`: B's rows are the instruction's rows. Raises T307 where waves and instruction do not divide the tile."""

    m: int
    n: int
    k: int
    waves: tuple[int, int]
    mma: Mma
    times: int
    exchanged: bool

    def __post_init__(self) -> None:
        for name, extent, unit in (
            ("m", self.m, self.waves[0] * self.fragment[0]), ("n", self.n, self.waves[1] * self.fragment[1]), ("k", self.k, self.depth),
        ):  # fmt: skip
            if extent % unit:
                raise wrong("T307", name="block GEMM", why=f"{name} = {extent} is no multiple of {unit}, of what its waves and {self.mma.name} take")

    @property
    def fragment(self) -> tuple[int, int]:
        """Rows and columns of C that one instruction makes."""
        return (self.mma.n, self.mma.m) if self.exchanged else (self.mma.m, self.mma.n)

    @property
    def depth(self) -> int:
        """Elements of K of one fragment."""
        return self.mma.k * self.times

    @property
    def count(self) -> tuple[int, int]:
        """Fragments of a wave along m and n."""
        return self.m // self.waves[0] // self.fragment[0], self.n // self.waves[1] // self.fragment[1]

    @property
    def steps(self) -> int:
        """Fragments along K."""
        return self.k // self.depth

    @property
    def threads(self) -> int:
        """Of the block."""
        return math.prod(self.waves) * self.mma.wave

    def halved(self) -> BlockGemm:
        """The same with half of K."""
        return dataclasses.replace(self, k=self.k // 2)

    @functools.cached_property
    def copy_a(self) -> Distribution:
        """How the block's lanes share the copy of a tile of A: neighbors along rows."""
        return Distribution.blocked((self.m, self.k), self.mma.dtypes[0], waves=math.prod(self.waves), wave=self.mma.wave)

    @functools.cached_property
    def copy_b(self) -> Distribution:
        """The same of B."""
        return Distribution.blocked((self.n, self.k), self.mma.dtypes[1], waves=math.prod(self.waves), wave=self.mma.wave)

    @functools.cached_property
    def shuffled_b(self) -> Distribution:
        """Of the tile of B as `preshuffle` writes it: (rows of fragments, all elements of their fragments along K), in the order of `b`."""
        count, each = self.count[1], self.b.elements // self.steps // self.count[1]
        wave, lane = np.arange(math.prod(self.waves)).reshape(-1, 1, 1, 1, 1), np.arange(self.mma.wave).reshape(1, -1, 1, 1, 1)
        step, j, e = np.arange(self.steps).reshape(1, 1, -1, 1, 1), np.arange(count).reshape(1, 1, 1, -1, 1), np.arange(each)
        row = wave % self.waves[1] * count + j + 0 * (lane + step + e)
        col = (step * self.mma.wave + lane) * each + e + 0 * (wave + j)
        flat, shape = (len(wave), self.mma.wave, -1), (self.n // self.fragment[1], self.steps * self.mma.wave * each)
        return Distribution.of_index([row.reshape(flat), col.reshape(flat)], shape, "the preshuffled fragments of B")

    def preshuffle(self, b: np.ndarray) -> np.ndarray:
        """B (n, k) as a flat array for the pipeline "preshuffled": fragments one after another along K, of each the lanes one after another; zeros
        where rows or K are no multiple of a fragment."""
        n, k = b.shape
        (rows, ks, _), (high, deep) = self._fragment(1), (self.fragment[1], self.depth)
        whole = np.zeros((-(-n // high) * high, -(-k // deep) * deep), b.dtype)
        whole[:n, :k] = b
        blocks = whole.reshape(len(whole) // high, high, -1, deep)
        return np.ascontiguousarray(blocks.transpose(0, 2, 1, 3)[:, :, rows, ks]).reshape(-1)

    # Which operand of the instruction holds A's rows and which B's.

    @functools.cached_property
    def _k(self) -> np.ndarray:
        return order(self.mma)

    @functools.cached_property
    def a(self) -> Distribution:
        """Of the tile of A (m, k) over the block; elements by K's fragment, then by m's, then as they lie in memory."""
        return self._operand(0)

    @functools.cached_property
    def b(self) -> Distribution:
        """Of the tile of B (n, k), likewise."""
        return self._operand(1)

    def _side(self, axis: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows and K of A (0) or of B (1) in one instruction: int (lanes, slots), K as the instruction has it."""
        assert self.mma.a is not None and self.mma.b is not None
        if (axis == 0) != self.exchanged:
            return self.mma.a.index[0], self.mma.a.index[1]
        return self.mma.b.index[1], self.mma.b.index[0]

    def _fragment(self, axis: int) -> tuple[np.ndarray, np.ndarray, tuple[tuple[int, ...], ...]]:
        """Rows and K (in memory's order) of a lane in one fragment, int (lanes, elements), in the order of memory; for each instruction where its
        slots are among them."""
        rows, ks = self._side(axis)
        group, inner = self._k[ks] // self._each, self._k[ks] % self._each
        wide = [group * self._each * self.times + t * self._each + inner for t in range(self.times)]
        all_rows, all_k = np.concatenate([rows] * self.times, axis=1), np.concatenate(wide, axis=1)
        place = np.lexsort((all_k[0], all_rows[0]))
        back = np.argsort(place).reshape(self.times, rows.shape[1])
        return all_rows[:, place], all_k[:, place], tuple(tuple(map(int, x)) for x in back)

    @property
    def _each(self) -> int:
        """Elements of K that a lane has in one instruction."""
        return len(set(self._side(0)[1][0].tolist()))

    def _operand(self, axis: int) -> Distribution:
        rows, ks, _ = self._fragment(axis)
        count, extent = self.count[axis], (self.m, self.n)[axis]
        wave = np.arange(math.prod(self.waves)).reshape(-1, 1, 1, 1, 1)
        at = (wave // self.waves[1], wave % self.waves[1])[axis] * (extent // self.waves[axis])
        step, i = np.arange(self.steps).reshape(1, 1, -1, 1, 1), np.arange(count).reshape(1, 1, 1, -1, 1)
        row = at + i * self.fragment[axis] + rows[None, :, None, None, :] + 0 * step
        k = step * self.depth + ks[None, :, None, None, :] + 0 * row
        flat = (len(wave), self.mma.wave, -1)
        return Distribution.of_index([row.reshape(flat), k.reshape(flat)], (extent, self.k), f"the fragments of {self.mma.name}")

    @functools.cached_property
    def c(self) -> Distribution:
        """Of C (m, n) over the block: elements by m's fragment, then by n's, then as the instruction has them."""
        rows, cols = self.mma.acc.index[::-1] if self.exchanged else self.mma.acc.index
        wave = np.arange(math.prod(self.waves)).reshape(-1, 1, 1, 1, 1)
        i, j = np.arange(self.count[0]).reshape(1, 1, -1, 1, 1), np.arange(self.count[1]).reshape(1, 1, 1, -1, 1)
        row = wave // self.waves[1] * (self.m // self.waves[0]) + i * self.fragment[0] + rows[None, :, None, None, :] + 0 * j
        col = wave % self.waves[1] * (self.n // self.waves[1]) + j * self.fragment[1] + cols[None, :, None, None, :] + 0 * i
        flat = (len(wave), self.mma.wave, -1)
        return Distribution.of_index([row.reshape(flat), col.reshape(flat)], (self.m, self.n), f"the accumulators of {self.mma.name}")

    @functools.cached_property
    def parts(self) -> tuple[Part, ...]:
        """The instructions of a fragment, by words of its registers."""
        each = max(1, WORD // self.mma.dtypes[0].bytes)
        found = zip(*(self._fragment(axis)[2] for axis in (0, 1)), strict=True)
        return tuple(Part(words(a, each), words(b, each)) for a, b in found)

    @property
    def word(self) -> DType:
        """What fragments are held as: words of the packed elements."""
        return al.i32 if self.mma.dtypes[0].bytes <= WORD else self.mma.dtypes[0]

    @property
    def a_words(self) -> int:
        """Words of a fragment of A."""
        return self.a.elements * self.mma.dtypes[0].bytes // WORD // self.steps // self.count[0]

    @property
    def b_words(self) -> int:
        """Words of a fragment of B."""
        return self.b.elements * self.mma.dtypes[1].bytes // WORD // self.steps // self.count[1]


def words(slots: Ints, each: int) -> Ints:
    """Elements, `each` to a word, as words."""
    found = [slots[i : i + each] for i in range(0, len(slots), each)]
    assert all(x == tuple(range(x[0], x[0] + each)) and x[0] % each == 0 for x in found), slots
    return tuple(x[0] // each for x in found)


def order(mma: Mma) -> np.ndarray:
    """A new place for each k of an instruction, such that every lane's are side by side, in A as in B; int (k,)."""
    assert mma.a is not None and mma.b is not None
    groups = {tuple(sorted(set(ks.tolist()))) for ks in mma.a.index[1]}
    if groups != {tuple(sorted(set(ks.tolist()))) for ks in mma.b.index[0]} or sum(map(len, groups)) != mma.k:
        raise wrong("T307", name=mma.name, why="its lanes hold other elements of K of A than of B")
    new = np.zeros(mma.k, np.int64)
    for i, k in enumerate(k for g in sorted(groups) for k in g):
        new[k] = i
    return new


@functools.lru_cache(64)
def _block_gemm(target: str, dtype: DType, m: int, n: int, k: int, waves: tuple[int, int]) -> BlockGemm:
    fits = [x for x in mmas(target) if x.dtypes == (dtype, dtype, f32) and not x.virtual and x.b is not None]
    fits = [x for x in fits if (x.m, x.n) in ((16, 16), (16, 8))]
    if not fits:
        raise wrong("U103", name=target, what=f"a matrix product of {dtype}", instead="`ave intrinsics mma` lists what there is")
    mma = max(fits, key=lambda x: x.k)
    assert mma.a is not None
    held = len(set(mma.a.index[1][0].tolist())) * dtype.bytes
    times = math.gcd(max(1, READ // held), max(1, k // mma.k))
    return BlockGemm(m, n, k, waves, mma, times, mma.m == mma.n)


@avelang.constant
def block_gemm(target: str, dtype: DType, m: int, n: int, k: int, waves: tuple[int, int]) -> BlockGemm:
    """The block's product for a chip, with the widest dense instruction of one wave. Raises U103 where there is none, T307."""
    return _block_gemm(target, dtype, m, n, k, waves)


# -- in kernels ------------------------------------------------------------------------------------------------------------------------


@avelang.jit
def picked(x, slots):
    """Words of a fragment."""
    out = al.make_local((len(slots),), x.dtype)
    for i in range(len(slots)):
        out[i] = x[slots[i]]
    return out


@avelang.jit
def multiply(G, sums, a, b, begin, end):
    """Adds the products of fragments `begin` to before `end` of A with all of B. `sums` (fragments of m, of n, elements), `a` and `b` (fragments,
    words)."""
    for part in G.parts:
        for i in range(begin, end):
            for j in range(G.count[1]):
                x, y = picked(a[i], part.a), picked(b[j], part.b)
                if G.exchanged:
                    sums[i, j] = G.mma.lower(y, x, sums[i, j])
                else:
                    sums[i, j] = G.mma.lower(x, y, sums[i, j])
