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


@avelang.jit
def sequence_of(offsets: Any, sequences: Any, slot: Any, SIZE: Any):
    """Of packed sequences the one that a tile of SIZE rows belongs to: tiles of sequence b are from offsets[b] // SIZE
    + b on. What is behind the last sequence counts as one more."""
    low, high = al.convert(0, al.u32), al.convert(sequences, al.u32)
    while low < high:
        middle = (low + high + 1) // 2
        there = al.convert(offsets[middle], al.u32) // SIZE + middle <= slot
        low, high = al.select(there, middle, low), al.select(there, high, middle - 1)
    return low


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
        """The place at which the list of a block of rows begins."""
        return (self.plane(batch, head) * self.blocks + block) * (self.tiles + 1)


@avelang.struct
class Added:
    """A bias that is added to scores: memory from the first to the last element, strides of batches, heads and rows.
    COLUMN: columns are 1 apart, or 0 where all have one. PAIRS: two columns lie side by side, aligned, and there is an
    even number of them."""

    data: ...
    strides: ...
    COLUMN: al.constexpr
    PAIRS: al.constexpr

    def load(self, w: Any, number: Any, first: Any, N: Any, t: Any):
        """A lane's part of a tile, in the order of its scores."""
        lane, out = t % WARP, al.make_local((N // 2,), self.data.dtype)
        for h in range(2):
            row = al.convert(min(first + (t // WARP * 16 + lane // 4 + 8 * h), w.queries - 1), al.u64)
            at = al.convert(w.batch, al.u64) * self.strides[0] + al.convert(w.head, al.u64) * self.strides[1]
            at = at + row * self.strides[2]
            if self.COLUMN:
                if (number + 1) * N <= w.keys:
                    self.row(out, at + number * N, h, None, N, lane)
                else:
                    self.row(out, at, h, (number * N, w.keys), N, lane)
            else:
                one = self.data[at]
                for i in range(N // 4):
                    out[i // 2 * 4 + 2 * h + i % 2] = one
        return out

    def row(self, out: Any, at: Any, h: Any, ends: Any, N: Any, lane: Any):
        """That of a row, from element `at` on. `ends`: None, or the first column of the tile and their number: those
        that there are not are read elsewhere, as they are masked."""
        for j in range(N // 8):
            if self.PAIRS:
                column = lane % 4 * 2 + 8 * j
                column = column if ends is None else min(ends[0] + column, ends[1] - 2)
                two = al.subview(self.data, (at + column,), (2,), (1,))
                pair = al.view(two, al.Tensor((1, 2), self.data.dtype))[0]
                for e in range(2):
                    out[4 * j + 2 * h + e] = pair[e]
            else:
                for e in range(2):
                    column = lane % 4 * 2 + (8 * j + e)
                    column = column if ends is None else min(ends[0] + column, ends[1] - 1)
                    out[4 * j + 2 * h + e] = self.data[at + column]


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
    bias: ... = None

    def entry(self, i: Any):
        """The i-th tile, with a bit that says if parts of it are not seen."""
        if self.bits is not None:
            return self.bits.lists[self.listed + 1 + i]
        j = self.ends[0] + i
        return al.convert(j, al.u32)

    def tile(self, i: Any):
        """The number of the i-th tile."""
        return self.number(self.entry(i))

    def partly(self, entry: Any):
        """True where a tile is not seen whole."""
        if self.bits is not None:
            return entry >= PARTLY
        return entry < self.ends[1] or entry >= self.ends[2]

    def number(self, entry: Any):
        """The tile of an entry."""
        return entry & (PARTLY - 1) if self.bits is not None else entry

    def added(self, entry: Any, N: Any, seen: Any, t: Any):
        """The bias of a consumer's scores of a tile; None where there is none."""
        return None if self.bias is None else self.bias.load(self, self.number(entry), seen.first, N, t)

    def shown(self, s: DistributedTile, entry: Any, N: Any, t: Any, seen: Any, added: Any, MASKED: Any):
        """A consumer's scores of a tile, edited, without those that rows do not see. MASKED: True, False, or None,
        where it depends on the tile."""
        number = self.number(entry)
        key = al.convert(number * N, al.u32)
        s = seen.edit(s, key)
        if added is not None:
            s = tile_of(s, s.values + al.convert(added, al.f32))
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
    """The same of packed sequences, whose blocks are as `sequence_of` has them: as many as each may need. The last ones
    come first."""

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
        low = sequence_of(self.cu_q, self.batches, slot, M)
        begin = al.convert(self.cu_q[low], al.u32) // M + low
        # What is in front of the first sequence is nobody's.
        return al.select(slot < begin, self.tokens, (slot - begin) * M), index % self.heads, low


@avelang.struct
class HopperWork:
    """The work of all blocks: `x`, a `Launch` of `tile_attention_views`; `order`, an `AttentionWork` or
    `PackedWork`. `bias`: an `Added`; `bits`: of a mask."""

    x: ...
    order: ...
    edits: ...  # factor, cap
    bias: ... = None
    bits: ... = None

    def scores(self, rows: Any, first: Any):
        """Edits of the scores of a consumer's part of a block of rows, from row `first` on."""
        return self.x.scores(rows.sight, first, self.edits[0], self.edits[1], None, None)

    def rows(self, index: Any, M: Any, N: Any):
        """A block of rows by its number."""
        x = self.x
        first, head, batch = self.order.work_tile(index, M)
        begin_q, queries, begin_k, keys = x.both(batch)
        sight = x.sees(queries, keys)
        begin, clear, whole, end = sight.tiles(first, M, N)
        place, listed = al.convert(0, al.u32) if x.F.packed_q else batch, None
        count = al.convert(max(1, end - begin), al.u32)
        there = first < queries if x.F.packed_q else True
        if self.bits is not None:
            listed = self.bits.list_of(batch, head, first // M)
            count = self.bits.lists[listed]
        return BlockRows(
            batch, place, head, head // x.group, first, begin_q, queries, begin_k, keys, sight, there, count,
            (begin, clear, whole), self.bits, listed, self.bias,
        )  # fmt: skip
