"""What the kernels for attention on the tile level share: arguments come in, checked sizes go out; which keys a row
sees; where the logarithms of the rows' sums go."""

# No `from __future__ import annotations`, as in the kernels.

import functools
import math
from typing import Any

import avelang
import avelang.language as al
from avelang import argument_error, tile
from avelang.tile import DistributedTile
from avelang.tile.running_softmax import NEVER
from avelang_kernels.arrays import ArrayLike, named

UNIT, WIDEST = 32, 256  # d is padded to a multiple of the one, and is no more than the other
HOPPER, WITH_WGMMA = "sm_90a", 256  # the chip that has a source of its own, and the greatest d there
LOG2E = math.log2(math.e)


@avelang.struct
class Sight:
    """Keys that the rows of a head see: row r is a row of query r // `group` (where heads of a group are rows of one
    block), and query i sees keys from i - `left` to i + `right`, i32, of `keys`; None without an end on that side."""

    keys: ...
    right: ... = None
    left: ... = None
    group: ... = None

    def query(self, row: Any):
        """The query of a row, i32."""
        return al.convert(row if self.group is None else row // self.group, al.i32)

    def end(self, row: Any):
        """The end of the keys that a row sees."""
        keys = al.convert(self.keys, al.i32)
        return keys if self.right is None else min(keys, self.query(row) + self.right + 1)

    def begin(self, row: Any):
        """The first key that a row sees, less than 0 too."""
        return self.query(row) - self.left

    def tiles(self, first: Any, M: Any, N: Any):
        """Of the tiles of keys that rows `first` to before `first` + M see: the first one, the first that all see
        whole, the end of those, and the end."""
        end = (max(0, self.end(first + (M - 1))) + (N - 1)) // N
        whole = min(max(0, self.end(first)) // N, end)
        if self.left is None:
            return 0, 0, whole, end
        begin = min(max(0, self.begin(first)) // N, end)
        clear = min((max(0, self.begin(first + (M - 1))) + (N - 1)) // N, end)
        return begin, clear, max(whole, clear), end

    def sees(self, row: Any, key: Any):
        """True where a row sees a key, i32."""
        inside = key < self.end(row)
        return inside if self.left is None else al.select(inside, key >= self.begin(row), False)


@avelang.struct
class Dropout:
    """Weights that are left out of the product with V, a part P of them. The weight of query i for key j is left out
    where word j % 4 of Philox(`seed`; j // 4, i, `head`, `sequence`), but for its last bit, is below P 2^31, and else
    multiplied by 1 / (1 - P): so it is the same ones in every kernel, whatever its blocks are."""

    seed: ...
    head: ...
    sequence: ...
    P: al.constexpr

    def factor(self, query: Any, key: Any):
        """The factor of a weight."""
        words = al.philox(self.seed, key >> 2, query, self.head, self.sequence)
        low = al.select((key & 1) == 0, words[0], words[1])
        word = al.select((key & 2) == 0, low, al.select((key & 1) == 0, words[2], words[3]))
        return al.select((word >> 1) < round(self.P * 2**31), 0.0, 1 / (1 - self.P) if self.P < 1 else 0.0)

    def factors(self, like: DistributedTile, query: Any, key: Any, AXIS: Any):
        """Those of a tile of weights, of queries from `query` on along dimension AXIS, and of keys along the other."""
        return like.sweep(lambda x, at: self.factor(
            al.convert(at[AXIS] + query, al.u32), al.convert(at[1 - AXIS] + key, al.u32)))  # fmt: skip


@avelang.jit
def without_dropped(x: DistributedTile, factors: Any):
    """A tile times the factors of `Dropout`."""
    return x.map(lambda y, f: al.select(f == 0.0, 0.0, y * f), (factors,))


@avelang.jit
def saturated(x: Any):
    """tanh of a number, right to some 2^-22: an exponential and a reciprocal of the special function unit, where
    `al.tanh`, which is as exact near 0, takes several times as long. Scores need no more, as a cap multiplies them."""
    grown = 2.0 * LOG2E * x
    if al.target().vendor == "amd":
        return 1.0 - 2.0 * al.amdgpu.rcp(1.0 + al.amdgpu.exp2(grown))
    return 1.0 - 2.0 * al.nvvm.rcp(1.0 + al.nvvm.exp2(grown))


@avelang.jit
def all_saturated(x: Any):
    """The same of a vector."""
    out = al.make_local((len(x),), al.f32)
    for i in range(len(x)):
        out[i] = saturated(x[i])
    return out


@avelang.struct
class Scores:
    """Edits of the scores of a block's rows, of which `first` is the first. They are masked by `sight`, and scaled
    by `factor`: where nothing else is done to them by the softmax, in base 2. EDITED: here, then capped (`cap`; None
    without one), and `bias` is added (a view (rows, keys) of numbers, or of bytes that say if a key takes part).
    `dropout`: a `Dropout`, or None."""

    sight: ...
    first: ...
    factor: ...
    cap: ... = None
    bias: ... = None
    EDITED: al.constexpr = False
    dropout: ... = None

    @property
    def scale(self):
        """Factor that is left for edited scores, in base 2."""
        return al.convert(LOG2E, al.f32) if self.EDITED else self.factor

    def edit(self, s: DistributedTile, key: Any):
        """Scores as they stand in the softmax, but for `scale`."""
        if self.cap is not None:
            by = self.factor / self.cap
            s = s.map(lambda x: self.cap * all_saturated(x * by))
        elif self.EDITED:
            s = s.map(lambda x: x * self.factor)
        if self.bias is not None:
            there = self.bias.window(s.dist.shape, (self.first, key), s.dist).load()
            if there.dtype == al.u8:
                s = s.map(lambda x, y: al.select(y != 0, x, NEVER), (there,))
            else:
                s = s.map(lambda x, y: x + al.convert(y, al.f32), (there,))
        return s

    def masked(self, s: DistributedTile, place: Any, MASKED: Any):
        """Scores of a tile of keys without those that rows do not see. `place`: the first key, the tile's number, of
        the first tile that all see whole, and of the first behind those. MASKED: True, False, or None, where it depends
        on the tile whether any are to be left out."""
        key, number, clear, whole = place
        s = self.edit(s, key)
        if MASKED is False:
            return s
        if MASKED is True:
            return s.sweep(lambda x, at: al.select(self.sees(at, key), x, NEVER))
        values = s.values
        if number < clear or number >= whole:
            values = s.sweep(lambda x, at: al.select(self.sees(at, key), x, NEVER)).values
        return tile_of(s, values)

    def kept(self, p: DistributedTile, place: Any):
        """Weights of a tile of keys as they are multiplied by V."""
        if self.dropout is None:
            return p
        return without_dropped(p, self.dropout.factors(p, self.first, place[0], 0))

    def sees(self, at: Any, key: Any):
        """True where a place of a tile is seen."""
        return self.sight.sees(at[0] + self.first, al.convert(at[1] + key, al.i32))


@avelang.jit
def tile_of(like: Any, values: Any):
    """A tile like another one, with other values."""
    return tile.Tile(values, like.dist, like.thread, like.groups)


@avelang.jit
def sunk(found: DistributedTile, sink: Any):
    """Of rows with these logarithms, which have one more score, whose value is 0: what O is multiplied by, and the
    logarithms then."""
    by = found.map(lambda x: 1.0 / (1.0 + al.exp(0.0 - above(x, sink))))
    return by, found.map(lambda x: joined_logarithm(x, sink))


@avelang.jit
def above(x: Any, y: Any):
    """x - y of two logarithms; 0 where both are of nothing, -inf."""
    return al.select(x == y, 0.0, x - y)


@avelang.jit
def joined_logarithm(x: Any, y: Any):
    """The logarithm of the sum of what two are of."""
    return max(x, y) + al.log(1.0 + al.exp(0.0 - al.abs(above(x, y))))


@avelang.jit
def store_logarithms(lse: Any, found: Any, batches: Any, heads: Any, queries: Any, batch: Any, head: Any, first: Any):
    """Stores the logarithms of a block's rows."""
    all = al.make_tensor(lse, al.f32, al.make_layout((batches * heads, queries)))
    mine = al.view(al.subview(all, (batch * heads + head, 0), (1, queries), (1, 1)), al.f32, al.make_layout((queries,)))
    tile.View(mine, (queries,)).store(found, (first,))


def checked(
    q: Any, k: Any, v: Any, out: Any, lse: Any, scale: float | None, layout: str
) -> tuple[int, int, int, int, int, int]:
    """batch, heads, queries, d, heads of K and V, keys. Raises ValueError, TypeError."""
    forms = [None if x is None else ArrayLike(x.shape, x.dtype) for x in (q, k, v, out, lse)]
    return _checked(*forms, scale, layout)


@functools.lru_cache(1024)  # arrays of the same shapes come again and again
def _checked(
    q: Any, k: Any, v: Any, out: Any, lse: Any, scale: float | None, layout: str
) -> tuple[int, int, int, int, int, int]:
    if layout not in ("bshd", "bhsd"):
        raise argument_error(
            f"layout is {layout!r}: it must be 'bshd' or 'bhsd', for (batch, seq, heads, d) or (batch, heads, seq, d)"
        )
    for name, x in (("q", q), ("k", k), ("v", v), ("out", out)):
        if len(x.shape) != 4:
            raise argument_error(
                f"{name} is {tuple(x.shape)}: it must have 4 dimensions, in the order of the layout {layout!r}"
            )
        if named(x) not in ("bfloat16", "float16") or named(x) != named(q):
            raise argument_error(f"{name} is of {x.dtype} and q of {q.dtype}: all must be of one dtype, bf16 or f16")
    seq, head = (1, 2) if layout == "bshd" else (2, 1)
    batches, heads, queries, d = (int(q.shape[i]) for i in (0, head, seq, 3))
    kv_heads, keys = int(k.shape[head]), int(k.shape[seq])
    if tuple(k.shape) != tuple(v.shape) or (k.shape[0], k.shape[3]) != (batches, d):
        raise argument_error(
            f"q is {tuple(q.shape)}, k is {tuple(k.shape)}, v is {tuple(v.shape)}: k and v must be alike, with the "
            f"batch and d of q"
        )
    if (kv_heads == 0) != (heads == 0) or (kv_heads and heads % kv_heads):
        raise argument_error(
            f"q has {heads} heads and k has {kv_heads}: heads of q must be a multiple of those of k and v"
        )
    if d % 8 or d > WIDEST:
        raise argument_error(f"d is {d}: it must be a multiple of 8, {WIDEST} at most")
    if tuple(out.shape) != tuple(q.shape):
        raise argument_error(f"out is {tuple(out.shape)}: it must have the shape of q, {tuple(q.shape)}")
    if lse is not None and tuple(lse.shape) != (batches, heads, queries):
        raise argument_error(
            f"lse is {tuple(lse.shape)}: it must be (batch, heads, seq of q), {(batches, heads, queries)}"
        )
    if lse is not None and named(lse) != "float32":
        raise argument_error(f"lse is of {lse.dtype}: it must be of f32")
    if scale is not None and not 0 < scale < math.inf:
        raise argument_error(f"scale is {scale}: it must be above 0 and finite")
    return batches, heads, queries, d, kv_heads, keys
