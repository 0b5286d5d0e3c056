"""Few queries and long keys come in; O = softmax(scale Q K^T) V goes out, on NVIDIA's Hopper (sm_90a), at the speed of
memory: what generates text one token at a time.

All heads of Q that share a head of K and V are rows of one matrix tile, so K and V are read once. Tiles of keys of all
sequences and heads stand in one line, of which each block of the grid takes an equal part (stream K): whatever the
lengths, all multiprocessors read to the end. One thread of a block has TMA fill a ring of tiles; four warps have a
quarter of each tile's keys, with `mma.sync`, and sums and greatest scores of their own, which meet at the end of a
sequence's part. Parts of one sequence are left in a workspace; the last block to come adds them up, in the order of
keys: the same bits in every run."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import dataclasses
import functools
import math
from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.ring import mbarrier_ring
from avelang_kernels.arrays import DTYPES
from avelang_kernels.attention.tile_attention_rows import HOPPER, LOG2E, NEVER
from avelang_kernels.workspaces import workspace_for

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
ALIKE = 16  # tiles of a part, where parts must not depend on other sequences
MOST_ROWS = 64  # heads that share K and V, times queries
FAR = 1 << 29  # a window without an end
LN2 = math.log(2)


@avelang.constant
@dataclasses.dataclass(frozen=True)
class HopperDecode:
    """Shape of a block: `tiles` of 16 rows of Q, `n` keys at a time, `stages` of the ring. `box`: keys that TMA copies
    at once; `paged`: K and V come in pages; `lengths`: there is an array of them; `softcap`: scores are capped; `sinks`:
    heads have a score more; `window`: a row sees no keys further back than `left`. `chunk`: tiles of a part; 0 for equal
    parts of the line of all tiles. `hint`: what L2 is told of K and V. `dtype` of Q, K, V, O; `d`, as it is padded, and `width`, as it is."""

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
    chunk: int = 0
    hint: int = 0

    @property
    def rows(self) -> int:
        """Of the matrix tile."""
        return self.tiles * STEP

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
    each of `heads` (heads of K and V, times tiles of rows). A unit is a tile of keys, or `chunk` of them. `at`, `stop`:
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

    def length(self, batch):
        """Keys of a sequence."""
        if self.F.lengths:
            return al.convert(self.lengths[min(batch, self.batches - 1)], al.u32)
        return self.keys

    def shift(self, length):
        """Query i stands at key i + this."""
        return al.select(
            self.diagonal == 0, al.convert(0, al.i32), al.convert(length, al.i32) - al.convert(self.queries, al.i32)
        )

    def first_tile(self, length):
        """The first tile of keys that any query sees."""
        if self.F.window:
            return al.convert(max(0, self.shift(length) - al.convert(self.left, al.i32)), al.u32) // self.F.n
        return al.convert(0, al.u32)

    def end_tile(self, length):
        """Behind the last one; one tile at the least."""
        last = self.shift(length) + al.convert(self.queries + self.right, al.i32)
        seen = al.convert(max(0, min(al.convert(length, al.i32), last)), al.u32)
        return max(self.first_tile(length) + 1, (seen + (self.F.n - 1)) // self.F.n)

    def units(self, batch):
        """Units of each head of a sequence."""
        length = self.length(batch)
        tiles = self.end_tile(length) - self.first_tile(length)
        return (tiles + (self.F.chunk - 1)) // self.F.chunk if self.F.chunk else tiles

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
        blocks, own = al.grid_dim(0), al.block_id(0)
        self.at, self.stop = own * self.total // blocks, (own + 1) * self.total // blocks

    def owner(self, unit):
        """The block whose part has a unit."""
        return ((unit + 1) * al.grid_dim(0) - 1) // self.total

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
        if self.F.chunk:
            begin = first + unit * self.F.chunk
            return head, begin, min(self.end_tile(length), begin + self.F.chunk), 1, self.at - unit
        units = min(self.count - unit, self.stop - self.at)
        return head, first + unit, first + unit + units, units, self.at - unit


@avelang.jit
def produce(F, K, V, k, v, ring, table, pages, page, work, row_tiles):
    """One thread's part: fills stages."""
    state = ring.producer()
    while work.at < work.stop:
        work.find()
        head, begin, end, units, _ = work.piece()
        own, length = head // row_tiles, work.length(work.batch)
        for tile in al.range(begin, end):
            places = ()
            for i in range(F.n // F.box):
                key = tile * F.n + i * F.box
                if F.paged:
                    key = min(key, al.select(length == 0, 0, (length - 1) // F.box * F.box))
                    number = al.select(
                        length == 0, al.convert(0, al.i32), table[work.batch * pages + min(key // page, pages - 1)]
                    )
                    places = places + ((al.convert(number, al.u32), key % page),)
                else:
                    places = places + ((work.batch, key),)
            ring.acquire(state, F.stage_bytes)
            for x, stages in ((K, k), (V, v)):
                for i in range(F.n // F.box):
                    for c in range(F.chunks):
                        box = al.subview(
                            stages, (state.stage, c, i * F.box, 0, 0), (1, 1, F.box, 8, 8), (1, 1, 1, 1, 1)
                        )
                        al.nvvm.tma_load_4d(
                            box, x, places[i][0], places[i][1], own, c * CHUNK, ring.full[state.stage], F.hint
                        )
            state.advance()
        work.at += units


@avelang.jit
def mma(F, a, b, c):
    """One instruction."""
    return al.nvvm.mma_16x8x16_bf16_f32(a, b, c) if F.dtype == al.bf16 else al.nvvm.mma_16x8x16_f16_f32(a, b, c)


@avelang.struct
class DecodeRows:
    """A lane's part of the rows of Q: `q`, operands (tiles, steps of d, 4 words); sums of O (tiles, d / 8, 4); greatest
    scores and sums of weights of two rows each tile; where each row's keys begin and end; all of one warp's keys."""

    q: ...
    o: ...
    most: ...
    total: ...
    low: ...
    high: ...
    F: al.constexpr

    def reset(self, Q, first, rows, group, work, length):
        """Begins a sequence and head: rows from `first` on."""
        F, lane = self.F, al.lane_id()
        for m in range(F.tiles):
            for half in range(2):
                row = first + m * STEP + half * 8 + lane // 4
                there, token = row < rows, min(row, rows - 1) // group
                stand = al.convert(token, al.i32) + work.shift(length)
                self.high[m, half] = min(al.convert(length, al.i32), stand + al.convert(work.right, al.i32) + 1)
                self.low[m, half] = stand - al.convert(work.left, al.i32)
                for i in range(F.d // STEP):
                    for side in range(2):
                        column = i * STEP + side * 8 + lane % 4 * 2
                        word = al.convert(0, al.i32)
                        if there and column < F.width:
                            two = al.subview(Q, (token, row % group, column), (1, 1, 2), (1, 1, 1))
                            word = al.view(two, al.Tensor((1, 1), al.i32))[0, 0]
                        self.q[m, i, half + 2 * side] = word
                self.most[m, half] = NEVER
                self.total[m, half] = 0.0
            for j in range(F.d // 8):
                for e in range(4):
                    self.o[m, j, e] = 0.0

    def scores(self, k, stage, warp):
        """Scores of a warp's keys: (tiles, 2 own, 4)."""
        F, lane = self.F, al.lane_id()
        s = al.full((F.tiles, 2 * F.own, 4), 0.0, al.f32)
        for u in range(F.own):
            row = (warp * F.own + u) * STEP + lane // 16 * 8 + lane % 8
            for i in range(F.d // STEP):
                chunk = i % 4 * 2 + lane // 8 % 2
                b = al.nvvm.ldmatrix_m8n8_x4_b16(k[stage, i // 4, row, chunk ^ (row % 8)])
                two = al.view(b, al.Tensor((2, 2), al.i32))
                for m in range(F.tiles):
                    for j in range(2):
                        s[m, 2 * u + j] = mma(F, self.q[m, i], two[j], s[m, 2 * u + j])
        return s

    def weigh(self, s, key, scale, cap, MASKED):
        """Makes weights of scores, and shrinks what was summed before. `key`: the warp's first one."""
        F, lane = self.F, al.convert(al.lane_id(), al.i32)
        COUNT = 2 * F.own
        for m in range(F.tiles):
            for half in range(2):
                most = self.most[m, half]
                for j in range(COUNT):
                    for e in range(2):
                        x = s[m, j, 2 * half + e]
                        if F.softcap:
                            x = al.tanh(x * cap)
                        if MASKED:
                            at = key + 8 * j + lane % 4 * 2 + e
                            seen = at < self.high[m, half]
                            if F.window:
                                seen = seen and at >= self.low[m, half]
                            x = al.select(seen, x, NEVER)
                        s[m, j, 2 * half + e] = x
                        most = max(most, x)
                for i in range(2):
                    most = max(most, al.shuffle_xor(most, 1 << i))
                shift = al.select(most == NEVER, 0.0, most * scale)
                shrink = al.nvvm.exp2(al.fma(self.most[m, half], scale, 0.0 - shift))
                sums = self.total[m, half] * shrink
                for j in range(COUNT):
                    for e in range(2):
                        p = al.nvvm.exp2(al.fma(s[m, j, 2 * half + e], scale, 0.0 - shift))
                        s[m, j, 2 * half + e] = p
                        sums += p
                self.total[m, half] = sums
                self.most[m, half] = most
                for j in range(F.d // 8):
                    for e in range(2):
                        self.o[m, j, 2 * half + e] *= shrink

    def add(self, s, v, stage, warp, key, length, MASKED):
        """Adds weights times V. Behind the end of the sequence V may be anything, NaN too: it counts as 0."""
        F, lane = self.F, al.lane_id()
        for u in range(F.own):
            row = (warp * F.own + u) * STEP + lane // 8 % 2 * 8 + lane % 8
            keep = al.full((2,), -1, al.i32)
            if MASKED:
                for side in range(2):
                    at = key + u * STEP + side * 8 + al.convert(lane % 4 * 2, al.i32)
                    left = al.convert(length, al.i32) - at
                    keep[side] = al.select(left >= 2, -1, al.select(left == 1, 0xFFFF, 0))
            weights = al.make_local((F.tiles, 4), al.i32)
            for m in range(F.tiles):
                both = al.view(al.subview(s, (m, 2 * u, 0), (1, 2, 4), (1, 1, 1)), al.Tensor((8,), al.f32))
                weights[m] = al.view(al.convert(both, F.dtype), al.Tensor((4,), al.i32))
            for j in range(F.d // STEP):
                chunk = j % 4 * 2 + lane // 16
                b = al.nvvm.ldmatrix_m8n8_x4_b16_trans(v[stage, j // 4, row, chunk ^ (row % 8)])
                two = al.view(b, al.Tensor((2, 2), al.i32))
                for h in range(2):
                    word = al.make_local((2,), al.i32)
                    for side in range(2):
                        word[side] = two[h, side] & keep[side] if MASKED else two[h, side]
                    for m in range(F.tiles):
                        self.o[m, 2 * j + h] = mma(F, weights[m], word, self.o[m, 2 * j + h])

    def tile(self, k, v, stage, warp, tile, scale, cap, length, MASKED):
        """One tile of keys."""
        key = al.convert(tile * self.F.n + warp * (self.F.own * STEP), al.i32)
        s = self.scores(k, stage, warp)
        self.weigh(s, key, scale, cap, MASKED)
        self.add(s, v, stage, warp, key, length, MASKED)


@avelang.jit
def grown(most, shift, scale):
    """By how much sums shrink whose greatest score was `most`."""
    return al.select(most == NEVER, 0.0, al.nvvm.exp2(al.fma(most, scale, 0.0 - shift)))


@avelang.jit
def shift_of(most, scale):
    """What exponents are less by."""
    return al.select(most == NEVER, 0.0, most * scale)


@avelang.jit
def meet(F, rows, sums, stats, final, scale, warp):
    """Brings the sums of the four warps together, in their order: O in `sums` (rows, d), greatest scores and sums of
    weights in `final` (2, rows). `stats`: (warps, 2, rows)."""
    lane = al.lane_id()
    for m in range(F.tiles):
        for half in range(2):
            total = rows.total[m, half]
            for i in range(2):
                total += al.shuffle_xor(total, 1 << i)
            if lane % 4 == 0:
                at = m * STEP + half * 8 + lane // 4
                stats[warp, 0, at], stats[warp, 1, at] = rows.most[m, half], total
    al.nvvm.barrier_sync(MEET, GROUP)
    by = al.make_local((F.tiles, 2), al.f32)
    for m in range(F.tiles):
        for half in range(2):
            at = m * STEP + half * 8 + lane // 4
            most, total = NEVER, 0.0
            for w in range(WARPS):
                most = max(most, stats[w, 0, at])
            shift = shift_of(most, scale)
            for w in range(WARPS):
                total += stats[w, 1, at] * grown(stats[w, 0, at], shift, scale)
            by[m, half] = grown(rows.most[m, half], shift, scale)
            if warp == 0 and lane % 4 == 0:
                final[0, at], final[1, at] = most, total
    for turn in range(WARPS):
        if warp == turn:
            for m in range(F.tiles):
                for half in range(2):
                    row = m * STEP + half * 8 + lane // 4
                    for j in range(F.d // 8):
                        two = al.subview(sums, (row, (j * 4 + lane % 4) ^ (row % 8 * 4), 0), (1, 1, 2), (1, 1, 1))
                        mine = al.subview(rows.o, (m, j, 2 * half), (1, 1, 2), (1, 1, 1))
                        mine = al.view(mine, al.Tensor((2,), al.f32)) * by[m, half]
                        place = al.view(two, al.Tensor((1, 2), al.f32))
                        place[0] = mine if turn == 0 else place[0] + mine
        al.nvvm.barrier_sync(MEET, GROUP)


@avelang.jit
def read_sums(F, sums, row, column):
    """4 numbers of a row of O, as warps have left them."""
    out = al.make_local((2, 2), al.f32)
    for i in range(2):
        out[i] = sums[row, (column // 2 + i) ^ (row % 8 * 4)]
    return al.view(out, al.Tensor((4,), al.f32))


@avelang.jit
def write_rows(F, O, lse, sinks, first, group, out, most, total, head, scale, row, column):
    """Stores 4 numbers of a row of O, which are divided by the sum of weights, and its logarithm."""
    token, mine = (first + row) // group, (first + row) % group
    if F.sinks:
        sink = sinks[head * group + mine] * LOG2E
        both = al.select(most == NEVER, sink, max(sink, shift_of(most, scale)))
        shrink = grown(most, both, scale)
        total = total * shrink + al.nvvm.exp2(sink - both)
        out = out * shrink
        if column == 0:
            lse[mine, token] = (both + al.log2(total)) * LN2
    elif column == 0:
        lse[mine, token] = al.select(most == NEVER, NEVER, shift_of(most, scale) * LN2 + al.log(total))
    by = al.select(total == 0.0, 0.0, 1.0 / total)
    if column < F.width:
        place = al.subview(O, (token, mine, column), (1, 1, 4), (1, 1, 1))
        al.view(place, al.Tensor((1, 4), F.dtype))[0] = al.convert(out * by, F.dtype)


@avelang.jit
def leave(F, partials, counter, ticket, sums, final, unit, count, most, t):
    """Stores a part's sums in the workspace, those of `most` rows. True for the last block of the `count` that share
    the sequence and head."""
    for i in range(F.items):
        item = i * GROUP + t
        row, column = item // (F.d // 4), item % (F.d // 4) * 4
        if row < most:
            partials[unit, item] = read_sums(F, sums, row, column)
    if t < 2 * F.rows:
        partials[unit, F.rows * F.d // 4 + t // 4, t % 4] = final[t // F.rows, t % F.rows]
    al.nvvm.barrier_sync(LAST, GROUP)
    if t == 0:
        ticket[0] = al.nvvm.atomic_inc(counter, count - 1, ACQ_REL)
    al.nvvm.barrier_sync(LAST, GROUP)
    return ticket[0] == count - 1


@avelang.jit
def combine(F, partials, slots, row, item, scale):
    """Adds up 4 numbers of a row of all parts, in their order, several of which are loaded together. `slots`: the first
    part's, the second's, how far others are from one another, and how many parts there are."""
    start, second, apart, count = slots
    STATS = F.rows * F.d // 4
    most, total, out = NEVER, 0.0, al.full((4,), 0.0, al.f32)
    for first in al.range(0, count, TOGETHER):
        four = al.make_local((TOGETHER, 4), al.f32)
        peak, weight = al.make_local((TOGETHER,), al.f32), al.make_local((TOGETHER,), al.f32)
        for i in range(TOGETHER):
            place = min(first + i, count - 1)
            part = al.select(place == 0, start, second + (place - 1) * apart)
            four[i] = partials[part, item]
            peak[i] = partials[part, STATS + row // 4, row % 4]
            weight[i] = partials[part, STATS + (F.rows + row) // 4, (F.rows + row) % 4]
        now = most
        for i in range(TOGETHER):
            now = max(now, peak[i])
        shift = shift_of(now, scale)
        shrink = grown(most, shift, scale)
        total, out, most = total * shrink, out * shrink, now
        for i in range(TOGETHER):
            by = al.select(first + i < count, grown(peak[i], shift, scale), 0.0)
            total = al.fma(weight[i], by, total)
            for e in range(4):
                out[e] = al.fma(four[i, e], by, out[e])
    return out, most, total


@avelang.struct
class DecodeOutput:
    """Where results go: O and lse of all sequences, the workspace."""

    O: ...
    lse: ...
    sinks: ...
    partials: ...
    counters: ...

    def finish(self, F, work, sums, final, ticket, piece, first, rows, group, head, scale, t):
        """Stores a part that is complete; leaves another one, and adds up all where it was the last."""
        _, _, _, _, start = piece
        O, lse = self.O.at(work.batch, head * group), self.lse.at(work.batch, head * group)
        head_part, slots, slot = parts_of(F, work, start)
        count = slots[3]
        alone = count == 1
        ready = alone
        if not alone:
            counter = al.subview(self.counters, (head_part, 0), (1, 1), (1, 1))
            ready = leave(F, self.partials, counter, ticket, sums, final, slot, count, rows - first, t)
        if ready:
            for i in range(F.items):
                item = i * GROUP + t
                row, column = item // (F.d // 4), item % (F.d // 4) * 4
                if first + row < rows:
                    out, most, total = al.make_local((4,), al.f32), final[0, row], final[1, row]
                    if alone:
                        four = read_sums(F, sums, row, column)
                        for e in range(4):
                            out[e] = four[e]
                    else:
                        four, most, total = combine(F, self.partials, slots, row, item, scale)
                        for e in range(4):
                            out[e] = four[e]
                    write_rows(F, O, lse, self.sinks, first, group, out, most, total, head, scale, row, column)


@avelang.jit
def parts_of(F, work, start):
    """Of the sequence and head whose first unit is `start`: the block that has the first part (or the unit, where parts
    are chunks), the slots of all parts as `combine` takes them, and this part's slot."""
    last = start + work.count - 1
    if F.chunk:
        return start, (start, start + 1, 1, work.count), work.at
    head, tail, own = work.owner(start), work.owner(last), al.block_id(0)
    behind = al.select(head * work.total // al.grid_dim(0) < start, 1, 0)
    slot = 2 * own + al.select(own == head, behind, 0)
    return head, (2 * head + behind, 2 * head + 2, 2, tail - head + 1), slot


@avelang.struct
class Strided:
    """Rows of an array whose neighbors along d are neighbors in memory: how far sequences, heads and queries are from
    one another, in elements."""

    x: ...
    batch: ...
    head: ...
    token: ...
    queries: ...
    group: ...
    size: ...
    D: al.constexpr

    def at(self, batch, head):
        """A view (queries, heads of a group, d), from a sequence and a head on. D of 0: there is no d."""
        first = al.convert(batch, al.u64) * self.batch + al.convert(head, al.u64) * self.head
        here = al.subview(self.x, (first,), (self.size - first,), (1,))
        if self.D == 0:
            return al.view(here, self.x.dtype, al.make_layout((self.group, self.queries), (self.head, self.token)))
        return al.view(
            here, self.x.dtype, al.make_layout((self.queries, self.group, self.D), (self.token, self.head, 1))
        )


@avelang.jit
def consume(F, k, v, ring, sums, stats, final, ticket, work, Q, out, row_tiles, group, scale, cap):
    """The part of the four warps."""
    t, state = al.thread_id(0), ring.consumer()
    warp, lane, queries = t // WARP, al.lane_id(), work.queries
    rows = DecodeRows(
        al.make_local((F.tiles, F.d // STEP, 4), al.i32),
        al.make_local((F.tiles, F.d // 8, 4), al.f32),
        al.make_local((F.tiles, 2), al.f32),
        al.make_local((F.tiles, 2), al.f32),
        al.make_local((F.tiles, 2), al.i32),
        al.make_local((F.tiles, 2), al.i32),
        F,
    )
    while work.at < work.stop:
        work.find()
        piece = work.piece()
        both, begin, end, units, start = piece
        head, first, length = both // row_tiles, both % row_tiles * F.rows, work.length(work.batch)
        rows.reset(Q.at(work.batch, head * group), first, queries * group, group, work, length)
        shift = work.shift(length)
        # Tiles that every row sees whole lie from `low` to `high`.
        high = al.convert(max(0, min(al.convert(length, al.i32), shift + al.convert(work.right, al.i32) + 1)), al.u32)
        high = max(begin, min(end, high // F.n))
        low = begin
        if F.window:
            last = max(0, shift + al.convert(queries, al.i32) - 1 - al.convert(work.left, al.i32))
            low = max(begin, min(high, (al.convert(last, al.u32) + (F.n - 1)) // F.n))
        for tile in al.range(begin, end):
            ring.wait(state)
            if tile >= low and tile < high:
                rows.tile(k, v, state.stage, warp, tile, scale, cap, length, False)
            else:
                rows.tile(k, v, state.stage, warp, tile, scale, cap, length, True)
            ring.release(state.stage, lane)
            state.advance()
        meet(F, rows, sums, stats, final, scale, warp)
        out.finish(F, work, sums, final, ticket, piece, first, queries * group, group, head, scale, t)
        al.nvvm.barrier_sync(MEET, GROUP)
        work.at += units


@functools.cache
def build(F: HopperDecode) -> Any:
    """The kernel of a form. What TMA copies at once is part of its tensor map's type: hence a function for each."""
    KV: Any = al.TensorMap(F.dtype, 4, (1, F.box, 1, CHUNK), swizzle=128)
    X: Any = al.Pointer(F.dtype)
    I: Any = al.Pointer(al.i32)
    N: Any = al.u32

    @avelang.jit
    def decode(
        q: X, k: KV, v: KV, o: X, lse: al.Pointer(al.f32), lengths: I, table: I, sinks: al.Pointer(al.f32),  # type: ignore
        partials: al.Pointer(al.f32), counters: al.Pointer(al.u32), parts: N,  # type: ignore
        batches: N, kv_heads: N, group: N, queries: N, keys: N, left: N, right: N, diagonal: N, pages: N, page: N,  # type: ignore
        q_batch: N, q_head: N, q_token: N, o_batch: N, o_head: N, o_token: N,  # type: ignore
        q_size: al.u64, o_size: al.u64, scale: al.f32, cap: al.f32,  # type: ignore
    ):  # fmt: skip
        """`parts`: room for so many in `partials`. `scale`: in base 2; of capped scores, of tanh(x * cap)."""
        t = al.thread_id(0)
        ks = al.make_shared((F.stages, F.chunks, F.n, 8, 8), F.dtype, 1024)
        vs = al.make_shared((F.stages, F.chunks, F.n, 8, 8), F.dtype, 1024)
        sums = al.make_shared((F.rows, F.d // 2, 2), al.f32, 16)
        stats, final = al.make_shared((WARPS, 2, F.rows), al.f32), al.make_shared((2, F.rows), al.f32)
        ticket, ring = al.make_shared((1,), al.u32), mbarrier_ring(F.stages, WARPS)
        if t == 0:
            ring.init()
            al.nvvm.fence_mbarrier_init()
        al.syncthreads()
        row_tiles = (group * queries + (F.rows - 1)) // F.rows
        several = al.make_tensor(lengths, al.i32, al.make_layout((batches,)))
        where = al.make_tensor(table, al.i32, al.make_layout((batches * pages,)))
        work = DecodeWork(several, batches, kv_heads * row_tiles, keys, queries, left, right, diagonal, F)
        work.begin()
        if t >= GROUP:
            if t == GROUP:
                al.nvvm.prefetch_tensormap(k)
                al.nvvm.prefetch_tensormap(v)
                produce(F, k, v, ks, vs, ring, where, pages, page, work, row_tiles)
        else:
            heads = group * kv_heads
            Q = al.make_tensor(q, F.dtype, al.make_layout((q_size,)))
            O = al.make_tensor(o, F.dtype, al.make_layout((o_size,)))
            size = al.convert(batches * heads, al.u64) * queries
            L = al.make_tensor(lse, al.f32, al.make_layout((size,)))
            out = DecodeOutput(
                Strided(O, o_batch, o_head, o_token, queries, group, o_size, F.width),
                Strided(L, heads * queries, queries, 1, queries, group, size, 0),
                al.make_tensor(sinks, al.f32, al.make_layout((heads,))),
                al.make_tensor(partials, al.f32, al.make_layout((parts, F.part // 4, 4))),
                al.make_tensor(counters, al.u32, al.make_layout((parts, 1))),
            )
            mine = Strided(Q, q_batch, q_head, q_token, queries, group, q_size, F.width)
            consume(F, ks, vs, ring, sums, stats, final, ticket, work, mine, out, row_tiles, group, scale, cap)

    return decode


# -- on the host -------------------------------------------------------------------------------------------------------


@functools.lru_cache(256)
def form_of(problem: Any) -> HopperDecode:
    """The form for a problem: two blocks on a multiprocessor where registers allow."""
    rows, d = problem.queries * problem.group, -(-problem.d // CHUNK) * CHUNK
    tiles = 1 if rows <= STEP or d > 2 * CHUNK else 2
    box = math.gcd(problem.page, CHUNK) if problem.page else CHUNK
    F = HopperDecode(
        DTYPES[problem.dtype], d, problem.d, tiles, 64, 1, box, bool(problem.page), problem.lengths,
        bool(problem.softcap), problem.sinks, problem.left is not None, ALIKE if problem.rows_alike else 0,
    )  # fmt: skip
    left = (ROOM if F.blocks_each == 2 else WHOLE) - dataclasses.replace(F, stages=0).shared
    return dataclasses.replace(F, stages=min(8, left // (F.stage_bytes + 16)))


def fits(problem: Any) -> bool:
    """True for what this kernel takes: up to 64 queries times heads that share keys, d up to 256, K and V dense with
    the same length for all, or with lengths, or paged with pages of a multiple of 8 keys; all masks by place, caps and
    sinks; no bias, no packed sequences."""
    p = problem
    return (
        p.dtype in ("bfloat16", "float16")
        and p.queries * p.group <= MOST_ROWS
        and p.d == p.dv
        and p.d % 8 == 0
        and p.d <= 4 * CHUNK
        and not (p.bias or p.packed_q or p.packed_k)
        and p.page % LEAST_PAGE == 0
        and (not p.page or p.lengths)
        and p.keys < FAR // 2
        and p.batch * p.kv_heads * (-(-p.keys // CHUNK)) < 1 << 22
    )


def strides_of(x: Any) -> tuple[int, ...]:
    """Of an array of torch or NumPy, in elements."""
    return tuple(x.stride()) if hasattr(x, "stride") else tuple(s // x.itemsize for s in x.strides)


def reachable(x: Any) -> bool:
    """True where TMA can copy from an array: d side by side, all else in steps of 16 bytes."""
    address = x.data_ptr() if hasattr(x, "data_ptr") else x.ctypes.data
    steps = strides_of(x)
    return (steps[-1] == 1 or x.shape[-1] == 1) and all(s % 8 == 0 for s in steps[:-1]) and address % 16 == 0


def flattened(x: Any) -> Any:
    """The memory of an array from its first to its last element, as an array of one dimension."""
    if 0 in x.shape:
        return x.reshape(-1)
    span = sum((n - 1) * s for n, s in zip(x.shape, strides_of(x), strict=True)) + 1
    if hasattr(x, "as_strided"):
        return x.as_strided((span,), (1,))
    import numpy as np  # takes longer to import than the kernel to compile

    return np.lib.stride_tricks.as_strided(x, (span,), (x.itemsize,))


@functools.lru_cache(1024)
def planned(problem: Any, units: int, form: HopperDecode | None) -> tuple[Any, HopperDecode, int, int]:
    """Kernel, form, blocks of the grid and parts of the workspace for a problem."""
    F, p = form or form_of(problem), problem
    heads = p.kv_heads * -(-p.queries * p.group // F.rows)
    each = -(-p.keys // F.n) if p.left is None else -(-(min(p.left, p.keys) + p.queries) // F.n) + 1
    each = -(-max(1, each) // F.chunk) if F.chunk else max(1, each)
    total = p.batch * heads * each
    blocks = min(total, F.blocks_each * units)
    return build(F), F, blocks, total if F.chunk else 2 * blocks


def launch(
    problem: Any, operands: Any, out: Any, lse: Any, *, target: str = HOPPER, units: int = 0,
    form: HopperDecode | None = None, **options: Any,
) -> Any:  # fmt: skip
    """O and the logarithms for a problem that `fits`; q and out (batch, heads, queries, d), k and v the same or paged.
    `units`: multiprocessors; `form`: chosen by the problem if left out."""
    p, (kernel, F, blocks, parts) = problem, planned(problem, units or 4, form)
    q, result = operands.q, out
    if not reachable(q):
        q = q.contiguous() if hasattr(q, "contiguous") else q.copy()
    if not reachable(out):
        result = out.new_empty(out.shape) if hasattr(out, "new_empty") else out.copy()
    k, v = operands.k, operands.v
    if not p.page:
        k, v = k.swapaxes(1, 2), v.swapaxes(1, 2)
    partials, counters = workspace_for(q, parts, parts * F.part)
    lengths = operands.lengths if F.lengths else counters  # what is not there is not read
    table = operands.table if F.paged else counters
    flat = flattened(q), flattened(result)
    scale, cap = (p.softcap, p.scale / p.softcap) if F.softcap else (p.scale, 0.0)
    kernel[blocks, GROUP + WARP](
        flat[0], k, v, flat[1], lse, lengths, table if table.ndim == 1 else table.reshape(-1),
        operands.sinks if F.sinks else lse, partials, counters, parts,
        p.batch, p.kv_heads, p.group, p.queries, p.keys,
        FAR if p.left is None else min(p.left, FAR), FAR if p.right is None else min(p.right, FAR),
        int(p.bottom_right), table.shape[1] if F.paged else 1, p.page or 1,
        *strides_of(q)[:3], *strides_of(result)[:3], len(flat[0]), len(flat[1]), scale * LOG2E, cap, target=target, **options,
    )  # fmt: skip
    if result is not out:
        out[...] = result
    return out

