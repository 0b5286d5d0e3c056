"""Two products after one another, O = f(A B^T) V: the block's product that makes A B^T and the width of V come in; in
which order the columns of A B^T are counted, such that its accumulators are an operand of the second product as they
lie in registers, goes out.

Columns of A B^T are K of the second product, and K may be counted in any order. So nothing is shuffled: B's rows are
read in an order by which each lane's accumulators are neighbors along K, and V's fragments are read in the same one.
"""

from __future__ import annotations

import dataclasses
import functools
import math

import avelang
import avelang.language as al
import avelang.tile.vectorize as vectorize
from avelang.base.lazy import np
from avelang.base.places import wrong
from avelang.tile.block_gemm import BlockGemm, FragmentPart, pick_words, words
from avelang.tile.distribution import WORD, Distribution
from avelang.tile.encoding import Ints
from avelang.tile.tensors import DistributedTile

TF32: str = "MMA_SYNC_F32_16x8x8_TF32"
LINE = 64  # bytes of a row that lanes should load together


@avelang.constant
@dataclasses.dataclass(frozen=True, slots=True)
class Joint:
    """Accumulators as an operand. For each instruction: `slots`, which of the lane's accumulators its slots
    take; `columns`, which column of the accumulators each of its K is."""

    slots: tuple[Ints, ...]
    columns: tuple[Ints, ...]


@avelang.constant
def join(acc: Distribution, operand: Distribution) -> Joint:
    """The order of K by which what lanes hold of `acc` (rows, columns) are operands `operand` (rows, K) of instructions
    one after another, each lane's in its own registers. Raises T307 where there is none."""
    return _join(acc, operand)


@functools.lru_cache(64)
def _join(acc: Distribution, operand: Distribution) -> Joint:
    (rows, k), name = operand.shape, "after another"
    if acc.shape[0] != rows or acc.shape[1] % k or acc.threads != operand.threads:
        have = f"accumulators of {acc.shape} over {acc.threads} lanes"
        why = f"{have} are no operands of {operand.shape} over {operand.threads}"
        raise wrong("T307", name=name, why=why)
    slots: list[Ints] = []
    columns: list[Ints] = []
    used: set[int] = set()
    for _ in range(acc.shape[1] // k):
        found = _taken(acc, operand, 0, {}, used)
        if found is None or len(set(found[1].values())) != k:
            what = f"accumulators of {acc.shape} an operand of {operand.shape}"
            why = f"no order of K makes {what}: lanes hold other rows, or other parts of K"
            raise wrong("T307", name=name, why=why)
        slots.append(found[0])
        columns.append(tuple(found[1][i] for i in range(k)))
        used |= set(found[0])
    return Joint(tuple(slots), tuple(columns))


def _taken(
    acc: Distribution, operand: Distribution, slot: int, columns: dict[int, int], used: set[int]
) -> tuple[Ints, dict[int, int]] | None:
    """Accumulators for an instruction's slots from `slot` on that are not used yet, and the column of each K; None
    where there are none."""
    if slot == operand.elements:
        return (), columns
    rows, ks = (x[:, slot].tolist() for x in operand.index)
    for s in range(acc.elements):
        if s in used or acc.index[0][:, s].tolist() != rows:
            continue
        mine = dict(columns)
        cols = acc.index[1][:, s].tolist()
        if all(mine.setdefault(k, c) == c for k, c in zip(ks, cols, strict=True)):
            rest = _taken(acc, operand, slot + 1, mine, used | {s})
            if rest is not None:
                return (s, *rest[0]), rest[1]
    return None


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

    def __post_init__(self) -> None:
        if self.first.waves[1] != 1:
            raise wrong("T307", name="after another",
                        why=f"waves {self.first.waves} split the columns of the first product: each needs whole rows")
        assert self.order

    @functools.cached_property
    def second(self) -> BlockGemm:
        """The second product, with K as its instructions count. Where a chip reads operands as they are, a read feeds
        neighbors along the width, not along K: fewer fragments are held at a time."""
        times = 1 if self.first.native_order else math.gcd(self.first.times, max(1, self.first.n // self.first.mma.k))
        return dataclasses.replace(self.first, n=self.width, k=self.first.n, times=times)

    @functools.cached_property
    def joint(self) -> Joint:
        """Joint of one row of fragments of A B^T."""
        G = self.first
        strip = dataclasses.replace(G, m=G.fragment[0], waves=(1, 1)).c
        assert G.mma.a is not None and G.mma.b is not None
        return join(strip, G.mma.b.transposed if G.swapped else G.mma.a)

    @functools.cached_property
    def order(self) -> Ints:
        """Key of each column of A B^T, as its instructions have them: the one that the second product takes
        there."""
        G = self.second
        assert G.mma.a is not None and G.mma.b is not None
        ks, keys = G.mma.a.index[1] if G.swapped else G.mma.b.index[0], G.b.index[1][: G.mma.wave]
        each, out = max(1, WORD // G.mma.dtypes[1].bytes), [0] * self.first.n
        for t, columns in enumerate(self.joint.columns):
            step, part = divmod(t, G.times)
            slots = [w * each + e for w in G.parts[part].b for e in range(each)]
            mine = keys[:, [step * (G.b.elements // G.steps) + s for s in slots]]
            for k, key in zip(ks.ravel().tolist(), mine.ravel().tolist(), strict=True):
                out[columns[k]] = key
        return tuple(out)

    @functools.cached_property
    def places(self) -> Ints:
        """Column of V and of O of each row of V's fragments."""
        each, count = self.second.fragment[1], self.second.count[1]
        return tuple(x % each * count + x // each if self.turned else x for x in range(self.width))

    # -- distributions -------------------------------------------------------------------------------------------------

    @functools.cached_property
    def b(self) -> Distribution:
        """Distribution of B (keys, k) as the first product's fragments."""
        return _mapped(self.first.b, 0, self.order)

    @functools.cached_property
    def c(self) -> Distribution:
        """Distribution of A B^T (m, keys)."""
        return _mapped(self.first.c, 1, self.order)

    @functools.cached_property
    def v(self) -> Distribution:
        """Distribution of V^T (width, keys) as the second product's fragments."""
        return _mapped(self.second.b, 0, self.places)

    @functools.cached_property
    def o(self) -> Distribution:
        """Distribution of O (m, width)."""
        return _mapped(self.second.c, 1, self.places)

    @functools.cached_property
    def parts(self) -> tuple[tuple[FragmentPart, ...], ...]:
        """For each step of V's fragments its instructions: words of a row of fragments of A B^T in the operands' dtype,
        and of V's fragment."""
        G, size = self.second, self.first.mma.dtypes[0].bytes
        left = [words(s, size, G.mma.name) for s in self.joint.slots]
        return tuple(
            tuple(FragmentPart(left[s * G.times + t], p.b) for t, p in enumerate(G.parts)) for s in range(G.steps)
        )

    def copy_v(self, target: str) -> Distribution:
        """Distribution of the copy of V (keys, width). Where V is turned, a lane has a piece of neighbors both ways,
        keys the faster: loaded along rows, it is stored along keys, and shared memory loses the fewest cycles."""
        return (
            _pieces(self, target)
            if self.turned
            else dataclasses.replace(self.first, n=self.first.n, k=self.width).copy_b
        )

    def loaded_v(self, target: str) -> tuple[Distribution, Ints]:
        """Distribution of the copy of V with each lane's elements as memory has them, and where those of `copy_v` are
        among them. Loaded so, values are turned when they are stored: turned when they are loaded, they would be waited
        for at once."""
        return _loaded(self, target)

    def turned_v(self, target: str) -> Distribution:
        """Distribution of the copy of V^T (width, keys)."""
        return self.copy_v(target).transposed


def _mapped(dist: Distribution, axis: int, table: Ints) -> Distribution:
    """A distribution of a tile whose coordinates along a dimension have new names."""
    index = [np.array(table)[x] if a == axis else x for a, x in enumerate(dist.index)]
    return dist.remapped(index, dist.shape, "columns in another order")


@functools.lru_cache(32)
def _pieces(chain: ChainedGemm, target: str) -> Distribution:
    """Distribution of V in pieces: of all ways the first with no bank conflicts, those with fewer accesses and with 64
    bytes of a row side by side first."""
    (keys, width), size, wave = (chain.first.n, chain.width), chain.first.mma.dtypes[1].bytes, chain.first.mma.wave
    ways = [(high, wide, lanes) for high in (8, 4, 2) for wide in (8, 4, 2) for lanes in (1, 2, 4, 8, 16, 32, 64)]
    ways.sort(key=lambda x: (x[2] * x[1] * size < LINE, 1 / x[0] + 1 / x[1]))
    best, least = None, 0
    for way in ways:
        found = _piece(keys, width, chain.first.threads, wave, *way)
        if found is None:
            continue
        dists, strides = (found.transposed, chain.v), (keys * size, size)
        swizzle = vectorize.swizzle_for(dists, strides, target)
        lost = sum(vectorize.conflicts(d, strides, swizzle, target) for d in dists)
        if best is None or lost < least:
            best, least = found, lost
        if not lost:
            break
    if best is None:
        raise wrong("T307", name="after another",
                    why=f"{chain.first.threads} threads do not share {keys} x {width} in pieces of 2 x 2 or more")
    return best


@functools.lru_cache(32)
def _loaded(chain: ChainedGemm, target: str) -> tuple[Distribution, Ints]:
    """See `ChainedGemm.loaded_v`."""
    copy = chain.copy_v(target)
    key, column = copy.index
    first = np.lexsort((column[0], key[0]))  # all lanes hold pieces of one shape
    loaded = copy.remapped([key[:, first], column[:, first]], copy.shape, "in the order of memory")
    return loaded, tuple(np.argsort(first).tolist())


def _piece(keys: int, width: int, threads: int, wave: int, high: int, wide: int, lanes: int) -> Distribution | None:
    """A tile (keys, width) in pieces of high x wide; `lanes` of a wave stand along the width."""
    down, columns = keys // high, width // wide
    if keys % high or width % wide or columns % lanes or down * columns % threads or lanes > wave:
        return None
    t = np.arange(threads)
    rep = np.arange(down * columns // threads)
    lane, rest = t % lanes, t // lanes
    place = rest[:, None] + (threads // lanes) * rep[None, :]  # of strips of `lanes` pieces, keys first
    row, strip = place % down, place // down
    key = row[:, :, None, None] * high + np.arange(high)
    col = (strip[:, :, None, None] * lanes + lane[:, None, None, None]) * wide + np.arange(wide)[:, None]
    index = [x.reshape(threads // wave, wave, *x.shape[1:]) for x in (key, col)]
    return Distribution.of_index(index, (keys, width), "pieces")


@functools.lru_cache(64)
def _chained(first: BlockGemm, width: int, turned: bool) -> ChainedGemm:
    return ChainedGemm(first, width, turned)


@avelang.constant
def chained(first: BlockGemm, width: int, turned: bool) -> ChainedGemm:
    """The product of `first` followed by one with V. Raises T307 where waves split rows, or no order of K joins
    them."""
    return _chained(first, width, turned)


# -- in kernels --------------------------------------------------------------------------------------------------------


@avelang.jit
def scores(C, a, keys, buffer, rows=None):
    """A B^T of a tile of B in shared memory, in f32. `a`: all fragments of A, (steps, fragments of m, words), or None,
    where `rows` is A in shared memory, and each fragment is read when its turn comes."""
    G = C.first
    (I, J), acc = G.count, al.full((G.count[0], G.count[1], G.mma.acc.elements), 0.0, al.f32)
    b = al.make_local((G.steps * J, G.b_words), al.i32)
    EACH = keys.reads(C.b) // G.steps
    for step in range(G.steps):
        keys.load_into(b, C.b, buffer, step * EACH, step * EACH + EACH)
        mine = al.view(b, al.Tensor((G.steps, J, G.b_words), al.i32))[step]
        left = a[step] if rows is None else fragments_of(G, rows, step)
        for part in G.parts:
            for i in range(I):
                for j in range(J):
                    acc[i, j] = lower(G, pick_words(left[i], part.a), pick_words(mine[j], part.b), acc[i, j])
    return DistributedTile(al.view(acc, al.Tensor((C.c.elements,), al.f32)), C.c)


@avelang.jit
def fragments_of(G, rows, step):
    """A's fragments at a step along K, from shared memory."""
    words = al.make_local((G.count[0], G.a_words), al.i32)
    rows.load_part(al.view(words, al.Tensor((G.a.elements // G.steps,), rows.dtype)), G.a, step, G.steps)
    return words


@avelang.jit
def lower(G, a, b, acc):
    """The product of two fragments: one instruction, or of tf32 three, whose operands are f32 but for the last bits."""
    if G.mma.name == TF32:
        (p, r), (q, s) = halves_of(a), halves_of(b)
        return one_product(G, p, q, one_product(G, r, q, one_product(G, p, s, acc)))  # the small ones first
    return one_product(G, a, b, acc)


@avelang.jit
def one_product(G, a, b, acc):
    """One instruction."""
    return G.mma.lower(b, a, acc) if G.swapped else G.mma.lower(a, b, acc)


@avelang.jit
def halves_of(x):
    """Words of f32 as two of tf32 each, which together have 22 of its bits or more; of what is not finite the second
    is 0."""
    high, low = al.make_local((len(x),), x.dtype), al.make_local((len(x),), x.dtype)
    for i in range(len(x)):
        bits = al.bitcast(x[i], al.u32)
        first = bits & 0xFFFFE000
        rest = al.bitcast(bits, al.f32) - al.bitcast(first, al.f32)
        infinite, second = bits & 0x7F800000 == 0x7F800000, al.bitcast(rest, al.u32) & 0xFFFFE000
        high[i] = al.bitcast(al.select(infinite, bits, first), x.dtype)
        low[i] = al.select(infinite, 0, al.bitcast(second, x.dtype))
    return high, low


@avelang.jit
def accumulate(C, acc, weights, values, buffer):
    """`acc`, a tile of O, + weights @ V. `weights`: a tile in the distribution of A B^T, in V's dtype; `values`: V^T in
    shared memory."""
    G, (I, J) = C.second, C.second.count
    held = weights.values
    left = al.view(held, al.Tensor((I, C.c.elements // I * weights.dtype.bytes // WORD), al.i32))
    mine = al.make_local((I, J, G.mma.acc.elements), al.f32)
    flat = al.view(mine, al.Tensor((C.o.elements,), al.f32))
    for e in range(C.o.elements):
        flat[e] = acc.values[e]
    data = al.make_local((G.steps * J, G.b_words), al.i32)
    EACH = values.reads(C.v) // G.steps
    for step in range(G.steps):
        values.load_into(data, C.v, buffer, step * EACH, step * EACH + EACH)
        right = al.view(data, al.Tensor((G.steps, J, G.b_words), al.i32))[step]
        for part in C.parts[step]:
            for i in range(I):
                for j in range(J):
                    mine[i, j] = lower(G, pick_words(left[i], part.a), pick_words(right[j], part.b), mine[i, j])
    return DistributedTile(flat, C.o)
