"""The work of a launch that makes the gradients of attention: extents come in; which tiles of queries see which of keys
goes out."""

from typing import Any

# No `from __future__ import annotations`, as in the kernels.
import avelang
import avelang.language as al


@avelang.struct
class BackwardWork:
    """Extents, and which queries see which keys: query i those from i + shift - left to i + shift + right. `cycle`:
    where all see all, blocks of keys n begin with the tile of queries n * cycle, go on to the last one and then to the
    first, so that no two are at the same one. 0: all begin with the first; then a block waits for none with a higher
    number.

    With a mask by place, later keys have less to do. So that no multiprocessor begins with a long block when others
    end, blocks of the last `together` heads come in the other order, and go through queries from the last one on:
    `back`. Heads take turns, so that blocks that add to the same rows do not begin all at once."""

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

    def place(self, number: Any, batches: Any):
        """Tile of keys, head and batch of a block by its number."""
        n, at = self.turns(number, self.heads * batches)
        others = self.kv_heads * batches  # heads that share keys are far from one another: they wait for each other
        own = at % others % self.kv_heads * (self.heads // self.kv_heads) + at // others
        return n, own, at % others // self.kv_heads

    def turns(self, number: Any, all: Any):
        """Tile of keys, and which of all heads of all batches."""
        tiles, most = self.key_tiles(), self.together
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
        return max(tiles, self.first(n))

    def steps(self, n: Any):
        """Tiles of queries that a block of keys goes through."""
        return self.end(n) - self.first(n)

    def tile(self, n: Any, i: Any):
        """The i-th of them."""
        if self.F.bounded or self.F.window:
            return al.select(self.back, self.end(n) - 1 - i, self.first(n) + i)
        m = n * self.cycle + i
        return al.select(m < self.query_tiles(), m, m - self.query_tiles())

    def turn(self, n: Any, m: Any):
        """Blocks of keys that add to tile m of queries before block n does."""
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
