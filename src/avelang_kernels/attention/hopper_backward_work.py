"""The work of a launch that makes the gradients of attention: extents come in; which tiles of queries see which of keys
goes out."""

from typing import Any

# No `from __future__ import annotations`, as in the kernels.
import avelang
import avelang.language as al
from avelang_kernels.attention.hopper_attention_work import sequence_of
from avelang_kernels.attention.tile_attention_views import span_of


@avelang.struct
class Sequences:
    """The number of packed sequences and their offsets, or the number of keys of each sequence."""

    count: ...
    cu_q: ... = None
    cu_k: ... = None
    lengths: ... = None


@avelang.struct
class BackwardWork:
    """Extents, and which queries see which keys: query i those from i + shift - left to i + shift + right. `cycle`:
    where all see all, blocks of keys n begin with the tile of queries n * cycle, go on to the last one and then to the
    first, so that no two are at the same one. 0: all begin with the first; then a block waits for none with a higher
    number.

    With a mask by place, later keys have less to do. So that no multiprocessor begins with a long block when others
    end, blocks of the last `together` heads come in the other order, and go through queries from the last one on:
    `back`. Heads take turns, so that blocks that add to the same rows do not begin all at once.

    Where sequences have lengths of their own, extents are those of the whole arrays until `enter` takes those of a
    sequence; `shift` is 1 or 0 until then, and `cycle` the most tiles of keys with which blocks go around. `q_tiles`,
    `k_tiles`: of a head in memory, where packed sequences begin with tiles of their own: `q_tile`, `k_tile`. `q_row`,
    `k_row`: first rows of a sequence in its arrays. `lists`: of `hopper_backward_masks`, with what a mask leaves; that
    of the block begins at `begin`."""

    heads: ...
    kv_heads: ...
    queries: ...
    keys: ...
    left: ...
    right: ...
    shift: ...
    cycle: ...
    together: ...
    F: al.constexpr
    back: ... = False
    q_tiles: ... = None
    k_tiles: ... = None
    q_row: ... = None
    k_row: ... = None
    q_tile: ... = None
    k_tile: ... = None
    lists: ... = None
    begin: ... = None

    def enter(self, x: Any, n: Any, batch: Any):
        """Takes the extents of the sequence of a block. Returns its tile of keys there, and where its arrays are in a
        batch. `x`: where sequences begin, or how long they are."""
        if self.F.packed:
            batch = sequence_of(x.cu_k, x.count, n, self.F.n)
        self.take(x, batch)
        return (n - self.k_tile, al.convert(0, al.u32)) if self.F.packed else (n, batch)

    def take(self, x: Any, batch: Any):
        """Takes the extents of a sequence."""
        tokens = self.keys
        if self.F.packed:
            self.q_row, queries = span_of(x.cu_q, batch, x.count, self.queries, self.queries)
            self.k_row, keys = span_of(x.cu_k, batch, x.count, tokens, tokens)
            self.q_tile, self.k_tile = self.q_row // self.F.m + batch, self.k_row // self.F.n + batch
            self.queries, self.keys = al.select(batch < x.count, queries, 0), keys
        else:
            self.keys = min(al.convert(x.lengths[batch], al.u32), tokens)
        self.shift = self.shift * (al.convert(self.keys, al.i32) - al.convert(self.queries, al.i32))
        if not (self.F.bounded or self.F.window):
            around = self.query_tiles() // max(self.key_tiles(), 1)
            self.cycle = al.select(self.key_tiles() <= self.cycle, around, 0)

    def take_list(self, lists: Any, plane: Any, n: Any):
        """Takes the list of a block. `lists`: those of all planes of the mask, in memory."""
        size = al.convert(self.query_tiles() * 3 + 1, al.u64)
        self.begin = (al.convert(plane, al.u64) * self.key_tiles() + n) * size
        self.lists = al.make_tensor(lists, al.u32, al.make_layout((self.begin + size,)))

    def query_slots(self):
        """Tiles of queries of a head in memory."""
        return self.q_tiles if self.F.packed else self.query_tiles()

    def key_slots(self):
        """Tiles of keys of a head in memory: as many blocks a head has."""
        return self.k_tiles if self.F.apart else self.key_tiles()

    def query_slot(self, m: Any):
        """Number of a tile of queries in memory."""
        return self.q_tile + m if self.F.packed else m

    def key_slot(self, n: Any):
        """Number of a tile of keys in memory."""
        return self.k_tile + n if self.F.packed else n

    def query_row(self, m: Any):
        """First row of a tile in Q and dO."""
        return self.q_row + m * self.F.m if self.F.packed else m * self.F.m

    def key_row(self, n: Any):
        """First row of a tile in K and V."""
        return self.k_row + n * self.F.n if self.F.packed else n * self.F.n

    def place(self, number: Any, batches: Any):
        """Tile of keys, head and batch of a block by its number."""
        n, at = self.turns(number, self.heads * batches)
        others = self.kv_heads * batches  # heads that share keys are far from one another: they wait for each other
        own = at % others % self.kv_heads * (self.heads // self.kv_heads) + at // others
        return n, own, at % others // self.kv_heads

    def turns(self, number: Any, all: Any):
        """Tile of keys, and which of all heads of all batches."""
        tiles, most = self.key_slots(), self.together
        if not self.F.bounded or self.F.window:
            return tiles - 1 - number % tiles, number // tiles
        rest = all % most
        ahead = number < rest * tiles
        size, at = al.select(ahead, rest, most), al.select(ahead, number, number - rest * tiles)
        head = al.select(ahead, 0, rest) + at // (size * tiles) * size + at % size
        step = at % (size * tiles) // size
        self.back = most > 1 and all >= 2 * most and head >= all - most
        return al.select(self.back, step, tiles - 1 - step), head

    def query_tiles(self):
        """Tiles of queries of a head."""
        return (self.queries + (self.F.m - 1)) // self.F.m

    def key_tiles(self):
        """Tiles of keys of a head."""
        return (self.keys + (self.F.n - 1)) // self.F.n

    def first(self, n: Any):
        """The first tile of queries that sees keys of tile n."""
        if self.F.bounded:
            at = al.convert(n * self.F.n, al.i32) - self.shift - self.right
            return min(self.query_tiles(), al.convert(max(0, at), al.u32) // self.F.m)
        return al.convert(0, al.u32)

    def end(self, n: Any):
        """Behind the last one; not before the first."""
        tiles = self.query_tiles()
        if self.F.window:
            last = al.convert(n * self.F.n + (self.F.n - 1), al.i32) + self.left - self.shift
            tiles = al.select(last < 0, 0, min(tiles, al.convert(max(last, 0), al.u32) // self.F.m + 1))
        if self.F.apart:
            tiles = al.select(n < self.key_tiles(), tiles, 0)
        return max(tiles, self.first(n))

    def steps(self, n: Any):
        """Tiles of queries that a block of keys goes through."""
        if self.F.listed:
            return self.lists[self.begin]
        return self.end(n) - self.first(n)

    def entry(self, i: Any, WHAT: Any):
        """Of the i-th entry of the block's list the tile (0), its turn there (1), or how many blocks have one (2)."""
        if self.F.bounded or self.F.window:
            i = al.select(self.back, self.lists[self.begin] - 1 - i, i)
        return self.lists[self.begin + (1 + WHAT * self.query_tiles() + i)]

    def tile(self, n: Any, i: Any):
        """The i-th of them."""
        if self.F.listed:
            return self.entry(i, 0)
        if self.F.bounded or self.F.window:
            return al.select(self.back, self.end(n) - 1 - i, self.first(n) + i)
        m = n * self.cycle + i
        return al.select(m < self.query_tiles(), m, m - self.query_tiles())

    def turn_at(self, n: Any, i: Any):
        """Blocks of keys that add to the i-th tile of queries before block n does."""
        if self.F.listed:
            turn = self.entry(i, 1)
            if self.F.bounded or self.F.window:
                return al.select(self.back, self.entry(i, 2) - 1 - turn, turn)
            return turn
        return self.turn(n, self.tile(n, i))

    def turn(self, n: Any, m: Any):
        """Blocks of keys that add to tile m of queries before block n does, where there are no lists."""
        turn = self.last_keys(m) - 1 - n
        if self.F.bounded or self.F.window:
            return al.select(self.back, n - self.first_keys(m), turn)
        last = min(self.key_tiles() - 1, m // max(self.cycle, 1))
        around = al.select(m >= n * self.cycle, last - n, turn + last + 1)
        return al.select(self.cycle == 0, turn, around)

    def last_keys(self, m: Any):
        """One more than the last tile of keys that queries of tile m see."""
        tiles = self.key_tiles()
        if self.F.bounded:
            at = al.convert(m * self.F.m + (self.F.m - 1), al.i32) + self.shift + self.right
            tiles = al.select(at < 0, 0, min(tiles, al.convert(max(at, 0), al.u32) // self.F.n + 1))
        return tiles

    def first_keys(self, m: Any):
        """The first tile of keys that queries of tile m see."""
        if self.F.window:
            at = al.convert(m * self.F.m, al.i32) + self.shift - self.left
            return al.convert(max(0, at), al.u32) // self.F.n
        return al.convert(0, al.u32)

    def in_turn(self, m: Any, s: Any):
        """The s-th block of all to add to tile m of queries: with `turn`, the same order."""
        last = self.key_tiles() - 1
        if self.F.bounded or self.F.window:
            return last - s
        first = min(last, m // max(self.cycle, 1))
        around = al.select(s <= first, first - s, last + first + 1 - s)
        return al.select(self.cycle == 0, last - s, around)

    def whole(self, n: Any, m: Any):
        """True where all queries of tile m see all keys of tile n."""
        seen = n * self.F.n + self.F.n <= self.keys
        if self.F.bounded:
            far = al.convert(m * self.F.m, al.i32) + self.shift + self.right
            seen = seen and al.convert(n * self.F.n + (self.F.n - 1), al.i32) <= far
        if self.F.window:
            near = al.convert(m * self.F.m + (self.F.m - 1), al.i32) + self.shift - self.left
            seen = seen and al.convert(n * self.F.n, al.i32) >= near
        return seen
