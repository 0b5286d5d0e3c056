"""The products of a block: extents, waves, dtypes and a chip come in; distributions of A, B and C over the block and
the instructions go out.

C (m x n) += A (m x k) @ B^T (B is n x k), A and B with K contiguous in shared memory. Where the chip loads the
instruction's operands as they are (`ldmatrix`), K is counted as the instruction has it. Elsewhere it is counted in
another order, the same for A and B: what a lane has of B's K is side by side, in reads of 16 bytes, and one read may
feed several instructions ("VMFMA" of IREE). A's lanes mostly hold the same K as B's; in sparse tricks two lanes share
it, and `packing` then puts A in an order of its own when it is stored to shared memory. Where the instruction's tile is
square its operands are exchanged: a lane then has neighbors of a row of C."""

from __future__ import annotations

import dataclasses
import functools
import math

import avelang
import avelang.language as al
import avelang.tile.vectorize as vectorize
from avelang.base.lazy import np
from avelang.base.places import wrong
from avelang.ir.dtypes import DType, f32, i32
from avelang.tile.distribution import WIDEST, WORD, Distribution
from avelang.tile.encoding import Ints
from avelang.tile.products import MmaAtom, named
from avelang.tile.virtual import mmas, mmas_of


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
    native_order: bool = False
    packs_a: bool = False
    elements: bool = False
    interleaved: int = 1
    replicas: int = 1

    def __post_init__(self) -> None:
        for name, extent, unit in (
            ("m", self.m, self.waves[0] * self.fragment[0]), ("n", self.n, self.waves[1] * self.fragment[1]),
            ("k", self.k, self.depth)
        ):
            if extent % unit:
                raise wrong(
                    "T307", name="block GEMM",
                    why=f"{name} = {extent} is no multiple of {unit}, of what its waves and {self.mma.name} take"
                )

    @property
    def fragment(self) -> tuple[int, int]:
        """Rows and columns of C that one instruction makes."""
        return (self.mma.n, self.mma.m) if self.swapped else (self.mma.m, self.mma.n)

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
        """Threads of the block."""
        return math.prod(self.waves) * self.replicas * self.mma.wave

    def replicated(self, replicas: int) -> BlockGemm:
        """This product by so many times its waves, for blocks that have more than it has tiles for: each result is in
        `replicas` lanes."""
        return dataclasses.replace(self, replicas=replicas)

    def half_k(self) -> BlockGemm:
        """This product with half of K."""
        return dataclasses.replace(self, k=self.k // 2)

    def single(self) -> BlockGemm:
        """This product with one instruction to a fragment."""
        return dataclasses.replace(self, times=1)

    @functools.cached_property
    def copy_a(self) -> Distribution:
        """Distribution of the copy of a tile of A: neighbors along rows."""
        return Distribution.blocked((self.m, self.k), self.mma.dtypes[0], waves=self.threads // self.mma.wave,
                                    wave=self.mma.wave)

    @functools.cached_property
    def copy_b(self) -> Distribution:
        """Distribution of the copy of a tile of B."""
        return Distribution.blocked((self.n, self.k), self.mma.dtypes[1], waves=self.threads // self.mma.wave,
                                    wave=self.mma.wave)

    @functools.cached_property
    def ring(self) -> BlockGemm | None:
        """The block of the pipeline "preshuffled" where B passes through shared memory: fragments one instruction deep,
        of which a lane has 16 bytes in one or in two side by side. Those two share their columns, so that a lane has
        neighbors of C. None where fragments are read otherwise."""
        if not self.native_order or self.swapped or self.mma.b is None:
            return None
        held = self.mma.b.elements * self.mma.dtypes[1].bytes
        if held not in (WIDEST // 2, WIDEST) or self.count[1] % (WIDEST // held):
            return None
        return dataclasses.replace(self, times=1, interleaved=WIDEST // held)

    @property
    def unit(self) -> tuple[int, int]:
        """Rows of B and elements of K that `preshuffle` keeps together: what a wave reads at once."""
        R = self.ring
        return (self.fragment[1], self.depth) if R is None else (R.fragment[1] * R.interleaved, R.depth)

    @functools.cached_property
    def copy_preshuffled(self) -> Distribution:
        """Distribution of the copy of a tile of B as `preshuffle` writes it."""
        return Distribution.blocked(self.preshuffled_b.shape, self.mma.dtypes[1], waves=self.threads // self.mma.wave,
                                    wave=self.mma.wave)

    @functools.cached_property
    def preshuffled_b(self) -> Distribution:
        """Distribution of the tile of B as `preshuffle` writes it: (rows of units, all elements of their units along
        K), in the order of `b`, of the ring's if there is a `ring`."""
        if self.ring is not None and self.ring != self:
            return self.ring.preshuffled_b
        count = self.count[1] // self.interleaved
        each = self.b.elements // self.steps // count
        wave, lane = self._grid, np.arange(self.mma.wave).reshape(1, -1, 1, 1, 1)
        step, j = np.arange(self.steps)[:, None, None], np.arange(count)[:, None]
        index = wave % self.waves[1] * count + j, (step * self.mma.wave + lane) * each + np.arange(each)
        shape = self.n // self.unit[0], self.steps * self.mma.wave * each
        return Distribution.of_index(index, shape, "the preshuffled fragments of B")

    @property
    def _grid(self) -> np.ndarray:
        """Numbers of the waves in their grid, for arrays (waves, lanes, and three axes of elements)."""
        grid = math.prod(self.waves)
        return np.arange(grid * self.replicas).reshape(-1, 1, 1, 1, 1) % grid

    def preshuffle(self, b: np.ndarray) -> np.ndarray:
        """B (n, k) as a flat array for the pipeline "preshuffled": units one after another along K, of each the lanes
        one after another; zeros where rows or K are no multiple of a unit."""
        n, k = b.shape
        (rows, ks, _), (high, deep) = (self.ring or self)._fragment(1), self.unit
        if self.ring is not None:
            many = np.arange(self.ring.interleaved).reshape(-1, 1)
            rows = self.ring._at(1, many, rows[:, None, :]).reshape(len(rows), -1)
            ks = np.tile(ks, len(many))
        whole = np.zeros((-(-n // high) * high, -(-k // deep) * deep), b.dtype)
        whole[:n, :k] = b
        blocks = whole.reshape(len(whole) // high, high, -1, deep)
        return np.ascontiguousarray(blocks.transpose(0, 2, 1, 3)[:, :, rows, ks]).reshape(-1)

    # Which operand of the instruction holds A's rows and which B's.

    @functools.cached_property
    def _k(self) -> np.ndarray:
        """K in memory of each k of a fragment, as its instructions count one after another."""
        if self.native_order:
            return np.arange(self.depth)
        return k_order(self.mma.name, self._side(1)[1], self.mma.k, self.times, self.mma.dtypes[1])

    @functools.cached_property
    def packed(self) -> np.ndarray:
        """The column in shared memory of each k of a fragment of A: as in memory, or with `packs_a` such that a lane's
        are side by side."""
        if not self.packs_a:
            return np.arange(self.depth)
        return k_order(self.mma.name, self._side(0)[1], self.mma.k, self.times, self.mma.dtypes[0])[np.argsort(self._k)]

    def packing(self) -> BlockGemm:
        """This product with A's columns in shared memory in the order of its fragments: `a` counts in them, and
        `stage_a` says where a copy of A goes."""
        return dataclasses.replace(self, native_order=False, packs_a=True)

    @functools.cached_property
    def stage_a(self) -> Distribution:
        """`copy_a`, by columns of shared memory."""
        row, col = self.copy_a.index
        moved = col // self.depth * self.depth + self.packed[col % self.depth]
        return self.copy_a.remapped([row, moved], (self.m, self.k), f"the order of K of {self.mma.name}")

    @functools.cached_property
    def a(self) -> Distribution:
        """Distribution of the tile of A (m, k) over the block; elements by K's fragment, then by m's, then as they lie
        in memory."""
        return self._operand(0)

    @functools.cached_property
    def b(self) -> Distribution:
        """Distribution of the tile of B (n, k), likewise."""
        return self._operand(1)

    def _side(self, axis: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows and K of A (0) or of B (1) in one instruction: int (lanes, slots), K as the instruction has it."""
        assert self.mma.a is not None and self.mma.b is not None
        if (axis == 0) != self.swapped:
            return self.mma.a.index[0], self.mma.a.index[1]
        return self.mma.b.index[1], self.mma.b.index[0]

    def _fragment(self, axis: int) -> tuple[np.ndarray, np.ndarray, tuple[tuple[int, ...], ...]]:
        """Rows and K (in memory's order; A's in that of shared memory) of a lane in one fragment, int (lanes,
        elements), in that order, or of the instruction's registers if `native_order`; for each instruction where its
        slots are among them."""
        rows, ks = self._side(axis)
        wide = [self._k[t * self.mma.k + ks] for t in range(self.times)]
        all_rows, all_k = np.concatenate([rows] * self.times, axis=1), np.concatenate(wide, axis=1)
        if axis == 0:
            all_k = self.packed[all_k]
        place = np.arange(all_k.shape[1]) if self.native_order else np.lexsort((all_k[0], all_rows[0]))
        back = np.argsort(place).reshape(self.times, rows.shape[1])
        return all_rows[:, place], all_k[:, place], tuple(tuple(map(int, x)) for x in back)

    def _at(self, axis: int, i: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Row (or column) in the wave's part of row (or column) x of fragment i along m (or n)."""
        if axis == 0 or self.interleaved == 1:
            return i * self.fragment[axis] + x
        each = self.mma.acc.run(1)
        return (
            (i // self.interleaved * self.fragment[1] + x // each * each) * self.interleaved
            + i % self.interleaved * each
            + x % each
        )

    def interleave(self, target: str) -> BlockGemm:
        """This product with columns interleaved such that a lane has up to 16 bytes of 16-bit numbers side by side,
        where reads of B stay without conflicts. Loads of B cost the same: lanes name the rows (`ldmatrix`)."""
        if not self.native_order or self.swapped:
            return self
        size = self.mma.dtypes[1].bytes
        for many in (WIDEST // 2 // self.mma.acc.run(1), WIDEST // 4 // self.mma.acc.run(1)):
            if self.count[1] % many == 0:
                found = dataclasses.replace(self, interleaved=many)
                dists, strides = (found.copy_b, found.b), (self.k * size, size)
                swizzle = vectorize.swizzle_for(dists, strides, target)
                if not any(vectorize.conflicts(d, strides, swizzle, target) for d in dists):
                    return found
        return self

    def _operand(self, axis: int) -> Distribution:
        rows, ks, _ = self._fragment(axis)
        count, extent = self.count[axis], (self.m, self.n)[axis]
        at = (self._grid // self.waves[1], self._grid % self.waves[1])[axis] * (extent // self.waves[axis])
        row = at + self._at(axis, np.arange(count)[:, None], rows[None, :, None, None, :])
        k = np.arange(self.steps)[:, None, None] * self.depth + ks[None, :, None, None, :]
        return Distribution.of_index([row, k], (extent, self.k), f"the fragments of {self.mma.name}")

    @functools.cached_property
    def c(self) -> Distribution:
        """Distribution of C (m, n) over the block: elements by m's fragment, then by n's, then as the instruction has
        them."""
        rows, cols = self.mma.acc.index[::-1] if self.swapped else self.mma.acc.index
        i, j = np.arange(self.count[0])[:, None, None], np.arange(self.count[1])[:, None]
        top, left = self._grid // self.waves[1], self._grid % self.waves[1]
        row = top * (self.m // self.waves[0]) + i * self.fragment[0] + rows[None, :, None, None, :]
        col = left * (self.n // self.waves[1]) + self._at(1, j, cols[None, :, None, None, :])
        return Distribution.of_index([row, col], (self.m, self.n), f"the accumulators of {self.mma.name}")

    @functools.cached_property
    def parts(self) -> tuple[FragmentPart, ...]:
        """The instructions of a fragment, by words of its registers."""
        size = self.mma.dtypes[0].bytes
        found = zip(*(self._fragment(axis)[2] for axis in (0, 1)), strict=True)
        return tuple(FragmentPart(words(a, size, self.mma.name), words(b, size, self.mma.name)) for a, b in found)

    @property
    def word(self) -> DType:
        """Dtype of a register of a fragment: words of packed elements."""
        return al.i32 if self.mma.dtypes[0].bytes <= WORD else self.mma.dtypes[0]

    @property
    def a_words(self) -> int:
        """Words of a fragment of A."""
        return self.a.elements * self.mma.dtypes[0].bytes // WORD // self.steps // self.count[0]

    @property
    def b_words(self) -> int:
        """Words of a fragment of B."""
        return self.b.elements * self.mma.dtypes[1].bytes // WORD // self.steps // self.count[1]


def words(slots: Ints, size: int, name: str = "") -> Ints:
    """Elements of `size` bytes as words. Raises T307 for the instruction `name` if words hold what is not side by
    side."""
    many, each = max(1, size // WORD), max(1, WORD // size)
    if many > 1:
        return tuple(s * many + i for s in slots for i in range(many))
    found = [slots[i : i + each] for i in range(0, len(slots), each)]
    if any(x != tuple(range(x[0], x[0] + each)) or x[0] % each for x in found):
        raise wrong(
            "T307", name=name,
            why=f"its lanes' words hold elements {slots} of theirs along K, which are not side by side in memory"
        )
    return tuple(x[0] // each for x in found)


def k_order(name: str, ks: np.ndarray, k: int, times: int, dtype: DType) -> np.ndarray:
    """Place in memory of each k of `times` instructions one after another, such that a lane's are side by side, up to
    16 bytes of them, in the order of its slots; those 16 bytes of all lanes come before the next ones. int (times *
    k,). `ks`: k of each lane and slot of one instruction. Raises T307 where lanes have parts of K that overlap."""
    found = {tuple(dict.fromkeys(x.tolist())) for x in ks}
    groups = sorted(found, key=min)
    have = len(groups[0])
    if sorted(x for g in groups for x in g) != list(range(k)) or any(len(g) != have for g in groups):
        raise wrong("T307", name=name,
                    why="its lanes hold parts of K that overlap, and a block's lanes read each element of a row once")
    each = math.gcd(have * times, max(1, WIDEST // dtype.bytes))
    new = np.zeros((times, k), np.int64)
    for i, group in enumerate(groups):
        rank = np.arange(times * have).reshape(times, have)
        new[:, list(group)] = rank // each * (len(groups) * each) + i * each + rank % each
    return new.reshape(-1)


def acc_dtype(dtype: DType) -> DType:
    """Dtype of the accumulators of products of a dtype: i32 for integers, else f32."""
    return i32 if dtype.is_int else f32


def usual_mma(target: str, dtype: DType, k: int = 0) -> MmaAtom:
    """The widest dense instruction of one wave; of those with its rows and columns the widest that divides `k`, or the
    narrowest where none does."""
    fits = [
        x for x in mmas_of(target, (dtype, dtype, acc_dtype(dtype))) if not x.virtual and x.b is not None
    ]
    fits = [
        x
        for x in fits
        if (x.m, x.n) in ((16, 16), (16, 8), (8, 8)) and not x.name.endswith("TF32") and not x.name.endswith("XF32")
    ]
    if not fits:
        raise wrong("U103", name=target, what=f"a matrix product of {dtype}",
                    instead="`ave intrinsics mma` lists what there is")
    widest = max(fits, key=lambda x: (x.m, x.k))
    alike = [x for x in fits if (x.m, x.n) == (widest.m, widest.n)]
    return max((x for x in alike if k % x.k == 0), key=lambda x: x.k, default=min(alike, key=lambda x: x.k))


def _given(target: str, dtype: DType, given: str | MmaAtom) -> MmaAtom:
    """The given MMA, by name or itself."""
    if not isinstance(given, (str, MmaAtom)):
        raise wrong("T301", what="mma", want="the name of an MMA of the chip, or an Mma", got=repr(given))
    mma = named(mmas(target), given) if isinstance(given, str) else given
    if not mma.exists_on(target):
        raise wrong("U103", name=target, what=f"the matrix product {mma.name}",
                    instead=f"it is made of {', '.join(dict.fromkeys(mma.natives))}")
    if mma.a is None or mma.b is None:
        raise wrong("T307", name=mma.name,
                    why="it reads its operands from shared memory by descriptors: the pipeline 'tma' has such ones")
    if mma.dtypes[0] != dtype:
        raise wrong("T307", name=mma.name, why=f"it takes A of {mma.dtypes[0]}, and the block's is of {dtype}")
    return mma


@functools.lru_cache(64)
def _block_gemm(
    target: str, dtype: DType, m: int, n: int, k: int, waves: tuple[int, int], given: str | MmaAtom | None
) -> BlockGemm:
    mma = usual_mma(target, dtype, k) if given is None else _given(target, dtype, given)
    assert mma.a is not None
    held = len(set(mma.a.index[1][0].tolist())) * dtype.bytes
    times = math.gcd(max(1, WIDEST // held), max(1, k // mma.k))
    found = BlockGemm(m, n, k, waves, mma, times, mma.m == mma.n and mma.dtypes[0] == mma.dtypes[1], True,
                      elements=given is not None)
    operands = zip((found.a, found.b), mma.dtypes, strict=False)
    as_they_are = all(vectorize.matrices(d, 1, dtype.bytes, target) is not None for d, dtype in operands)
    found = found if as_they_are else dataclasses.replace(found, native_order=False)
    assert found.parts  # raises what does not fit
    return found


@avelang.constant
def block_gemm(
    target: str, dtype: DType, m: int, n: int, k: int, waves: tuple[int, int], mma: str | MmaAtom | None = None
) -> BlockGemm:
    """The block's product for a chip, with the widest dense instruction of one wave that divides `k`, or with `mma` (a
    name of the chip's, or a description). Raises U103 where there is none, T301 for other names and kinds, T307 where
    it does not fit."""
    return _block_gemm(target, dtype, m, n, k, waves, mma)


# -- in kernels --------------------------------------------------------------------------------------------------------


@avelang.jit
def pick_words(x, slots):
    """Words of a fragment."""
    out = al.make_local((len(slots),), x.dtype)
    for i in range(len(slots)):
        out[i] = x[slots[i]]
    return out


@avelang.jit
def unpack_words(words, dtype):
    """Words as the elements in them."""
    return al.view(words, al.Tensor((len(words) * words.dtype.bytes // dtype.bytes,), dtype))


@avelang.jit
def multiply(G, acc, a, b, begin, end):
    """Adds the products of fragments `begin` to before `end` of A with all of B. `acc` (fragments of m, of n,
    elements), `a` and `b` (fragments, words)."""
    J = G.count[1]
    for part in G.parts:
        for i in range(begin, end):
            for n in range(J):
                # To and fro on NVIDIA: what two products in a row share stays in the operand cache.
                j = J - 1 - n if G.native_order and i % 2 == 1 else n
                x, y = pick_words(a[i], part.a), pick_words(b[j], part.b)
                if G.elements:
                    x, y = unpack_words(x, G.mma.dtypes[0]), unpack_words(y, G.mma.dtypes[1])
                if G.swapped:
                    acc[i, j] = G.mma.lower(y, x, acc[i, j])
                else:
                    acc[i, j] = G.mma.lower(x, y, acc[i, j])
