"""Sums of weights times V, of warps and of blocks: parts come in, rows of O go out, the same bits in every run."""

from typing import Any

# No `from __future__ import annotations`, as in the kernels.
import avelang
import avelang.language as al
from avelang_kernels.attention.hopper_decode_work import ACQ_REL, GROUP, LAST, LN2, MEET, STEP, TOGETHER, WARPS
from avelang_kernels.attention.tile_attention_rows import LOG2E, NEVER

LOADED = 16  # pairs of numbers that a lane loads before it stores them


@avelang.jit
def grown(most: Any, shift: Any, scale: Any):
    """By how much sums shrink whose greatest score was `most`."""
    return al.select(most == NEVER, 0.0, al.nvvm.exp2(al.fma(most, scale, 0.0 - shift)))


@avelang.jit
def shift_of(most: Any, scale: Any):
    """Shift of exponents of rows with that greatest score."""
    return al.select(most == NEVER, 0.0, most * scale)


@avelang.jit
def add_to(F: Any, sums: Any, row: Any, o: Any, m: Any, half: Any, first: Any, by: Any, ADD: Any):
    """Stores a lane's numbers of a row times `by`, or adds them: all are loaded before the first is stored, since no
    load may come before a store to what may be the same place."""
    lane, COUNT = al.lane_id(), min(LOADED, F.d // 8 - first)
    held = al.make_local((COUNT, 2), al.f32)
    for j in range(COUNT):
        mine = al.subview(o, (m, first + j, 2 * half), (1, 1, 2), (1, 1, 1))
        held[j] = al.view(mine, al.Tensor((2,), al.f32)) * by
        if ADD:
            held[j] = held[j] + sums[row, ((first + j) * 4 + lane % 4) ^ (row % 8 * 4)]
    for j in range(COUNT):
        sums[row, ((first + j) * 4 + lane % 4) ^ (row % 8 * 4)] = held[j]


@avelang.jit
def meet(F: Any, rows: Any, sums: Any, stats: Any, final: Any, scale: Any, warp: Any, count: Any):
    """Brings the sums of the four warps together, in their order: O in `sums` (rows, d), greatest scores and sums of
    weights in `final` (2, rows). `stats`: (warps, 2, rows). Of O only eights of rows that begin before `count`."""
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
                    if m * STEP + half * 8 < count:
                        row = m * STEP + half * 8 + lane // 4
                        for first in range(0, F.d // 8, LOADED):
                            add_to(F, sums, row, rows.o, m, half, first, by[m, half], turn > 0)
        al.nvvm.barrier_sync(MEET, GROUP)


@avelang.jit
def read_sums(F: Any, sums: Any, row: Any, column: Any):
    """4 numbers of a row of O, as warps have left them."""
    out = al.make_local((2, 2), al.f32)
    for i in range(2):
        out[i] = sums[row, (column // 2 + i) ^ (row % 8 * 4)]
    return al.view(out, al.Tensor((4,), al.f32))


@avelang.jit
def write_rows(
    F: Any,
    O: Any,
    lse: Any,
    sinks: Any,
    first: Any,
    group: Any,
    out: Any,
    most: Any,
    total: Any,
    head: Any,
    scale: Any,
    row: Any,
    column: Any,
):
    """Stores 4 numbers of a row of O, which are divided by the sum of weights, and its logarithm."""
    token, mine = (first + row) // group, (first + row) % group
    if F.sinks:
        sink = sinks[head * group + mine] * LOG2E
        both = al.select(most == NEVER, sink, max(sink, shift_of(most, scale)))
        shrink = grown(most, both, scale)
        total = total * shrink + al.select(sink == both, 1.0, al.nvvm.exp2(sink - both))  # also of two -inf
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
def leave(
    F: Any, partials: Any, counter: Any, ticket: Any, sums: Any, final: Any, unit: Any, count: Any, most: Any, t: Any
):
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
def combine(F: Any, partials: Any, slots: Any, row: Any, item: Any, scale: Any):
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
    """Places of the results: O and lse of all sequences, the workspace."""

    O: ...
    lse: ...
    sinks: ...
    partials: ...
    counters: ...

    def finish(
        self,
        F: Any,
        work: Any,
        sums: Any,
        final: Any,
        ticket: Any,
        piece: Any,
        first: Any,
        rows: Any,
        group: Any,
        head: Any,
        scale: Any,
        t: Any,
    ):
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
def parts_of(F: Any, work: Any, start: Any):
    """Of the sequence and head whose first unit is `start`: the block that has the first part, the slots of all parts
    as `combine` takes them, and this part's slot."""
    last = start + work.count - 1
    head, tail, own = work.owner(start), work.owner(last), al.block_id(0)
    behind = al.select(head * work.total // work.blocks() < start, 1, 0)
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

    def at(self, batch: Any, head: Any):
        """A view (queries, heads of a group, d), from a sequence and a head on. D of 0: there is no d."""
        first = al.convert(batch, al.u64) * self.batch + al.convert(head, al.u64) * self.head
        here = al.subview(self.x, (first,), (self.size - first,), (1,))
        if self.D == 0:
            return al.view(here, self.x.dtype, al.make_layout((self.group, self.queries), (self.head, self.token)))
        return al.view(
            here, self.x.dtype, al.make_layout((self.queries, self.group, self.D), (self.token, self.head, 1))
        )
