"""The work of a launch of Hopper's attention: blocks of rows by number come in; which rows of which head they are, and
which tiles of keys these see, goes out."""

# No `from __future__ import annotations`, as in the kernels.

from typing import Any

import avelang
import avelang.language as al
from avelang.tile import DistributedTile
from avelang.tile.running_softmax import NEVER
from avelang_kernels.attention.hopper_masks import PARTLY, WORDS
from avelang_kernels.attention.tile_attention_rows import tile_of

WARP = 32


@avelang.struct
class Bits:
    """A mask as `hopper_masks` leaves it: `bits` of rows, and `lists` of tiles of blocks of rows."""

    bits: ...
    lists: ...
    steps: ...  # planes from batch to batch, and from head to head
    tiles: ...  # of a row
    blocks: ...  # of a head

    def plane(self, batch: Any, head: Any):
        """The mask of a head."""
        return batch * self.steps[0] + head * self.steps[1]

    def list_of(self, batch: Any, head: Any, block: Any):
        """Where the list of a block of rows begins."""
        return (self.plane(batch, head) * self.blocks + block) * (self.tiles + 1)


@avelang.struct
class BlockRows:
    """A block of rows of one head: rows from `first` on, of a sequence whose rows of Q begin at `begin_q` and those of
    K at `begin_k`, in arrays' part `place` along the batch; what they see is told by `sight`, and by a list of the
    mask's tiles from `listed` on."""

    batch: ...
    place: ...
    head: ...
    own: ...  # head of K and V
    first: ...
    begin_q: ...
    queries: ...
    begin_k: ...
    keys: ...
    sight: ...
    there: ...
    count: ...  # of tiles, one at least
    ends: ...  # of the tiles by place: the first, the first that all see whole, the end of these
    bits: ... = None
    listed: ... = None

    def entry(self, i: Any):
        """The i-th tile, with a bit that says if parts of it are not seen."""
        if self.bits is not None:
            return self.bits.lists[self.listed + 1 + i]
        j = self.ends[0] + i
        return al.convert(j, al.u32)

    def tile(self, i: Any):
        """The number of the i-th tile."""
        return self.entry(i) & (PARTLY - 1) if self.bits is not None else self.entry(i)

    def partly(self, entry: Any):
        """True where a tile is not seen whole."""
        if self.bits is not None:
            return entry >= PARTLY
        return entry < self.ends[1] or entry >= self.ends[2]

    def shown(self, s: DistributedTile, entry: Any, N: Any, t: Any, seen: Any, MASKED: Any):
        """A consumer's scores of a tile, edited, without those that rows do not see. MASKED: True, False, or None,
        where it depends on the tile."""
        number = entry & (PARTLY - 1) if self.bits is not None else entry
        key = al.convert(number * N, al.u32)
        s = seen.edit(s, key)
        if MASKED is False:
            return s
        if MASKED is True:
            return s.sweep(lambda x, at: al.select(seen.sees(at, key), x, NEVER))
        values = s.values
        if self.partly(entry):
            values = s.sweep(lambda x, at: al.select(seen.sees(at, key), x, NEVER)).values
            if self.bits is not None:
                values = self.masked(values, number, seen.first, t)
        return tile_of(s, values)

    def masked(self, values: Any, number: Any, first: Any, t: Any):
        """Scores without those that the mask hides: a lane has columns 8 j + 2 (lane % 4) and the next one of two rows,
        so that behind one shift each element tests a bit that is known at compile time."""
        lane, out = t % WARP, al.make_local((len(values),), al.f32)
        for h in range(2):
            row = min(first + (t // WARP * 16 + lane // 4 + 8 * h), self.queries - 1)
            at = self.bits.plane(self.batch, self.head)
            at = (al.convert(at, al.u64) * self.queries + row) * self.bits.tiles + number
            words = al.view(al.subview(self.bits.bits, (at * WORDS,), (WORDS,), (1,)), al.Tensor((1, WORDS), al.u32))[0]
            words = words >> (lane % 4 * 2)
            for j in range(len(values) // 4):
                for e in range(2):
                    HERE = 4 * j + 2 * h + e
                    bit = words[j // 4] & (1 << (j % 4 * 8 + e))
                    out[HERE] = al.select(bit != 0, values[HERE], NEVER)
        return out


@avelang.struct
class AttentionWork:
    """Extents of a launch, and which blocks of rows are whose. CAUSAL: rows have the more to do the later they are."""

    batches: ...
    heads: ...
    queries: ...
    kv_heads: ...
    keys: ...
    near: ...
    scale: ...
    CAUSAL: al.constexpr

    def count(self, M: Any):
        """Blocks of rows."""
        return (self.queries + (M - 1)) // M * self.heads * self.batches

    def work_tile(self, index: Any, M: Any):
        """First row, head and batch. `near` heads at a time, first row by row, in each the heads: what is worked on at
        one time shares K and V. Of causal heads the last rows have the most to do: the last heads begin with those, the
        ones before them with the first rows, and so on by turns, so that a block that got long ones of some heads gets
        short ones of the next."""
        tiles, all = (self.queries + (M - 1)) // M, self.heads * self.batches
        group, inner = index // (self.near * tiles), index % (self.near * tiles)
        begin = group * self.near
        have = min(self.near, all - begin)
        row, head = inner // have, begin + inner % have
        if self.CAUSAL:
            last = (all + self.near - 1) // self.near - 1
            row = al.select((last - group) % 2 == 0, tiles - 1 - row, row)
        return row * M, head % self.heads, head // self.heads


@avelang.struct
class PackedWork:
    """The same of packed sequences, of which number b has blocks from `cu_q`[b] // M + b on: as many as it may need.
    The last ones come first."""

    batches: ...
    heads: ...
    tokens: ...
    slots: ...
    cu_q: ...

    def count(self, M: Any):
        """Blocks of rows."""
        return self.slots * self.heads

    def work_tile(self, index: Any, M: Any):
        """First row, head and sequence; no row of it where a sequence has fewer blocks than places."""
        slot = self.slots - 1 - index // self.heads
        low, high = al.convert(0, al.u32), al.convert(self.batches, al.u32)
        while low < high:
            middle = (low + high + 1) // 2
            before = al.convert(self.cu_q[middle], al.u32) // M + middle <= slot
            low, high = al.select(before, middle, low), al.select(before, high, middle - 1)
        begin = al.convert(self.cu_q[low], al.u32) // M + low
        # What is in front of the first sequence is nobody's.
        return al.select(slot < begin, self.tokens, (slot - begin) * M), index % self.heads, low


@avelang.struct
class HopperWork:
    """What blocks are asked for: `x`, a `Launch` of `tile_attention_views`; `order`, an `AttentionWork` or
    `PackedWork`. `bias`: what is added to scores, with its strides; `bits`: of a mask."""

    x: ...
    order: ...
    edits: ...  # factor, cap
    bias: ... = None
    bias_strides: ... = None
    bits: ... = None

    @property
    def scale(self):
        """Of edited scores, in base 2."""
        return self.scores(None, 0, None).scale

    def scores(self, sight: Any, first: Any, bias: Any):
        """Edits of the scores of rows from `first` on."""
        return self.x.scores(sight, first, self.edits[0], self.edits[1], bias, None)

    def scores_of(self, rows: Any, first: Any):
        """Those of a consumer's part of a block of rows, from row `first` on."""
        there = None
        if self.bias is not None:
            there = self.x.bias(self.bias, self.bias_strides, rows.batch, rows.head, rows.queries, rows.keys)
        return self.scores(rows.sight, first, there)

    def rows(self, index: Any, M: Any, N: Any):
        """A block of rows by its number."""
        x = self.x
        first, head, batch = self.order.work_tile(index, M)
        begin_q, queries, begin_k, keys = x.both(batch)
        sight = x.sees(queries, keys)
        begin, clear, whole, end = sight.tiles(first, M, N)
        place, listed = al.convert(0, al.u32) if x.F.packed_q else batch, None
        count = al.convert(max(1, end - begin), al.u32)
        if self.bits is not None:
            listed = self.bits.list_of(batch, head, first // M)
            count = self.bits.lists[listed]
        return BlockRows(
            batch, place, head, head // x.group, first, begin_q, queries, begin_k, keys, sight, first < queries, count,
            (begin, clear, whole), self.bits, listed,
        )  # fmt: skip
