"""The work of a decoding launch: lengths come in; which tiles of keys are a block's goes out. And the shape of a
block."""

# No `from __future__ import annotations`, as in the kernels.

import dataclasses
import math
from typing import Any

import avelang
import avelang.language as al

WARP, WARPS, GROUP = 32, 4, 128  # threads of a warp; warps that multiply, and their threads
CHUNK = 64  # elements of d side by side: 128 bytes, one row of the swizzle
STEP = 16  # keys that one instruction takes, and elements of d
BYTES = 2  # of an element
ROOM = 110 * 1024  # bytes of shared memory of a block, where two share a multiprocessor
WHOLE = 224 * 1024  # bytes, where one has it alone
MEET, LAST = 1, 2  # named barriers
ACQ_REL = 3
TOGETHER = 8  # parts that are loaded before they are added up
LEAST_PAGE = 8  # keys of a box, at the least: the swizzle's pattern has as many rows
MOST_ROWS = 64  # heads that share K and V, times queries
LN2 = math.log(2)


@avelang.constant
@dataclasses.dataclass(frozen=True)
class HopperDecode:
    """Shape of a block: `tiles` of 16 rows of Q, `n` keys at a time, `stages` of the ring. `box`: keys that TMA copies
    at once; `paged`: K and V come in pages; `lengths`: there is an array of them; `softcap`: scores are capped;
    `sinks`: heads have a score more; `window`: a row sees no keys further back than `left`. `hint`: what L2 is told of
    K and V.
    `dtype` of Q, K, V, O; `d`, as it is padded, and `width`, as it is."""

    dtype: Any
    d: int
    width: int
    tiles: int = 1
    n: int = 64
    stages: int = 3
    box: int = 64
    paged: bool = False
    lengths: bool = False
    softcap: bool = False
    sinks: bool = False
    window: bool = False
    hint: int = 0

    @property
    def rows(self) -> int:
        """Of the matrix tile."""
        return self.tiles * STEP

    @property
    def boxes(self) -> int:
        """Boxes of a tile of keys."""
        return self.n // self.box

    @property
    def merged(self) -> bool:
        """True where TMA copies all pieces of d at once: where boxes are small, there would be many."""
        return self.paged and self.boxes > 1 and self.width == self.d

    @property
    def chunks(self) -> int:
        """Pieces of d."""
        return self.d // CHUNK

    @property
    def own(self) -> int:
        """Keys of a tile that are a warp's, in steps of the instruction."""
        return self.n // WARPS // STEP

    @property
    def items(self) -> int:
        """Pieces of four numbers of O that a thread stores."""
        return self.rows * self.d // 4 // GROUP

    @property
    def part(self) -> int:
        """Numbers of a part's sums: O, then the greatest scores and the sums of the weights."""
        return self.rows * self.d + 2 * self.rows

    @property
    def shared(self) -> int:
        """Bytes of shared memory, or a few more."""
        return self.stages * (self.stage_bytes + 16) + 4 * self.rows * (self.d + 2 * WARPS + 2) + 512

    @property
    def blocks_each(self) -> int:
        """Blocks that a multiprocessor is to have."""
        return 2 if self.tiles == 1 and self.d <= 2 * CHUNK and self.shared <= ROOM else 1

    @property
    def stage_bytes(self) -> int:
        """Bytes of a stage."""
        return 2 * self.n * self.d * BYTES


Form = HopperDecode


@avelang.struct
class DecodeWork:
    """The line of all tiles, and where this block is in it. Sequence `batch` begins at `base`; it has `count` units for
    each of `heads` (heads of K and V, times tiles of rows). A unit is a tile of keys. `at`, `stop`:
    of the block's part."""

    lengths: ...
    batches: ...
    heads: ...
    keys: ...
    queries: ...
    left: ...
    right: ...
    diagonal: ...
    F: al.constexpr
    total: ... = None
    at: ... = None
    stop: ... = None
    batch: ... = None
    base: ... = None
    count: ... = None

    def length(self, batch: Any):
        """Keys of a sequence."""
        if self.F.lengths:
            return al.convert(self.lengths[min(batch, self.batches - 1)], al.u32)
        return self.keys

    def shift(self, length: Any):
        """Query i stands at key i + this."""
        return al.select(
            self.diagonal == 0, al.convert(0, al.i32), al.convert(length, al.i32) - al.convert(self.queries, al.i32)
        )

    def first_tile(self, length: Any):
        """The first tile of keys that any query sees."""
        if self.F.window:
            return al.convert(max(0, self.shift(length) - al.convert(self.left, al.i32)), al.u32) // self.F.n
        return al.convert(0, al.u32)

    def end_tile(self, length: Any):
        """Behind the last one; one tile at the least."""
        last = self.shift(length) + al.convert(self.queries + self.right, al.i32)
        seen = al.convert(max(0, min(al.convert(length, al.i32), last)), al.u32)
        return max(self.first_tile(length) + 1, (seen + (self.F.n - 1)) // self.F.n)

    def units(self, batch: Any):
        """Units of each head of a sequence."""
        length = self.length(batch)
        return self.end_tile(length) - self.first_tile(length)

    def begin(self):
        """Finds the block's part. All lanes of a warp come here."""
        if not self.F.lengths:
            self.count = self.units(0)
            self.total = self.count * self.heads * self.batches
            self.bounds()
            self.batch = self.at // (self.count * self.heads)
            self.base = self.batch * self.count * self.heads
        else:
            lane, total = al.lane_id(), al.convert(0, al.u32)
            for b in al.range(0, self.batches, WARP):
                total += al.select(b + lane < self.batches, self.units(b + lane), 0)
            for i in range(5):
                total += al.shuffle_xor(total, 1 << i)
            self.total = total * self.heads
            self.bounds()
            self.batch, self.base = al.convert(0, al.u32), al.convert(0, al.u32)
            found = al.convert(0, al.u32)
            for b in al.range(0, self.batches, WARP):
                mine = al.select(b + lane < self.batches, self.units(b + lane), 0) * self.heads
                behind = mine
                for i in range(5):
                    other = al.shuffle_up(behind, 1 << i)
                    behind += al.select(lane >= (1 << i), other, 0)
                passed = al.select((b + lane < self.batches) and found + behind <= self.at, 1, 0)
                sums, count = al.select(passed == 1, mine, 0), al.convert(passed, al.u32)
                for i in range(5):
                    sums += al.shuffle_xor(sums, 1 << i)
                    count += al.shuffle_xor(count, 1 << i)
                self.batch += count
                self.base += sums
                found += al.shuffle(behind, WARP - 1)
            self.count = self.units(self.batch)

    def bounds(self):
        """The block's part of the line."""
        blocks, own = self.blocks(), al.block_id(0)
        self.at = min(own * self.total // blocks, self.total)
        self.stop = min((own + 1) * self.total // blocks, self.total)

    def blocks(self):
        """Blocks that have a part: no more than there are units, which the host does not know where lengths vary."""
        return min(al.grid_dim(0), self.total)

    def owner(self, unit: Any):
        """The block whose part has a unit."""
        return ((unit + 1) * self.blocks() - 1) // self.total

    def find(self):
        """Moves on to the sequence of the next unit."""
        while self.at >= self.base + self.count * self.heads:
            self.base += self.count * self.heads
            self.batch += 1
            self.count = self.units(self.batch)

    def piece(self):
        """Head, first tile and end, and units of what comes next, which is of one sequence and head; and that one's
        first unit in the line."""
        head, unit = (self.at - self.base) // self.count, (self.at - self.base) % self.count
        length = self.length(self.batch)
        first = self.first_tile(length)
        units = min(self.count - unit, self.stop - self.at)
        return head, first + unit, first + unit + units, units, self.at - unit
