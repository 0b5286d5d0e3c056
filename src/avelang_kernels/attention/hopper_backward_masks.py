"""Boolean masks in the gradients of attention on Hopper: bits of `hopper_masks`, of keys as rows, come in; a thread's
words of a tile go out, shifted so that each of its scores is a constant bit; and for each block of keys the tiles of
queries of which it sees something, with its turn among those that add to the same tile."""

# No `from __future__ import annotations`, as in the kernels.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang.pipelines.warp_specialized import ROWS
from avelang_kernels.arrays import new
from avelang_kernels.attention.hopper_backward_work import BackwardWork
from avelang_kernels.attention.hopper_masks import NONE
from avelang_kernels.attention.tile_attention_rows import HOPPER

WARP, WORD, WORDS = 32, 32, 4  # threads; bits; words of a row of a tile
THREADS = 128
UNSEEN = 0xFFFFFFFF  # in place of a turn


@avelang.struct
class ScoreEdits:
    """Edits of scores: `scale`; `top`, of `capped`; `bits` of a mask as a line, and the first row of the block's head
    in it."""

    scale: ...
    top: ... = None
    bits: ... = None
    plane: ... = None


@avelang.jit
def edits_of(F: Any, scale: Any, top: Any, mask: Any, work: Any, n: Any, batch: Any, head: Any):
    """Edits of a block, which takes its list. `mask`: bits, their count, how far apart planes of batches and of heads
    are, and lists."""
    if F.mask:
        bits, size, batches, heads, lists = mask
        if F.listed:
            work.take_list(lists, batch * batches + head * heads, n)
        plane = al.convert(batch * batches + head * heads, al.u64) * work.keys
        return ScoreEdits(scale, top, al.make_tensor(bits, al.u32, al.make_layout((size,))), plane)
    return ScoreEdits(scale, top)


@avelang.jit
def mask_words(F: Any, edits: Any, work: Any, n: Any, m: Any, consumer: Any, t: Any):
    """Words of a thread's two keys: bits 8 j and 8 j + 1 are of its queries. 0 of keys that there are not."""
    COUNT, lane = F.m // WORD, t % WARP
    first = n * F.n + (0 if F.wide else consumer * ROWS) + t // WARP * 16 + lane // 4
    found = ()
    for half in range(2):
        row, words = first + 8 * half, al.full((COUNT,), 0, al.u32)
        if row < work.keys:
            at = ((edits.plane + row) * work.query_tiles() + m) * WORDS
            place = al.subview(edits.bits, (at,), (COUNT,), (1,))
            words = al.view(place, al.u32, al.make_layout((1, COUNT)))[0] >> (lane % 4 * 2)
        found = found + (words,)
    return found


@avelang.jit
def is_set(words: Any, j: Any, e: Any):
    """True where the mask has a thread's score 4 j + e."""
    BIT = j % 4 * 8 + e % 2
    return (words[e // 2][j // 4] & (1 << BIT)) != 0


@functools.cache
def build_turns(F: Any) -> Any:
    """The kernel that numbers the blocks of keys that see something of a tile of queries, one thread for a tile."""
    W: Any = al.Pointer(al.u32)
    U: Any = al.u32
    I: Any = al.i32

    @avelang.jit
    def mask_turns(
        states: Annotated[Any, W], turns: Annotated[Any, W], totals: Annotated[Any, W], planes: Annotated[Any, U],
        queries: Annotated[Any, U], keys: Annotated[Any, U], left: Annotated[Any, I], right: Annotated[Any, I],
        shift: Annotated[Any, I], cycle: Annotated[Any, U],
    ):  # fmt: skip
        """`states`, `turns`: (planes, tiles of keys, tiles of queries); UNSEEN where nothing is seen. `totals`:
        (planes, tiles of queries). Where a mask leaves a tile of queries nothing, though its place does, one block goes
        through it: its sums are to be 0."""
        work = BackwardWork(1, 1, queries, keys, left, right, shift, cycle, 1, F)
        tiles, blocks = work.query_tiles(), work.key_tiles()
        index = al.block_id(0) * THREADS + al.thread_id(0)
        plane, m = index // tiles, index % tiles
        every = al.make_layout((planes * blocks * tiles,))
        S, T = (al.make_tensor(x, al.u32, every) for x in (states, turns))
        TOTAL = al.make_tensor(totals, al.u32, al.make_layout((planes * tiles,)))
        if plane < planes:
            low, high, count = work.first_keys(m), work.last_keys(m), al.convert(0, al.u32)
            for s in al.range(blocks):
                n = work.in_turn(m, s)
                at, turn = (plane * blocks + n) * tiles + m, al.convert(UNSEEN, al.u32)
                if n >= low and n < high:
                    if S[at] != NONE:
                        turn = count
                        count += 1
                T[at] = turn
            if count == 0 and high > low:
                T[(plane * blocks + high - 1) * tiles + m] = al.convert(0, al.u32)
                count = al.convert(1, al.u32)
            TOTAL[index] = count

    return mask_turns


@functools.cache
def build_tile_lists(F: Any) -> Any:
    """The kernel that lists tiles of queries, one warp for a block of keys."""
    W: Any = al.Pointer(al.u32)
    U: Any = al.u32

    @avelang.jit
    def mask_queries(
        turns: Annotated[Any, W], totals: Annotated[Any, W], lists: Annotated[Any, W], planes: Annotated[Any, U],
        queries: Annotated[Any, U], keys: Annotated[Any, U], cycle: Annotated[Any, U],
    ):  # fmt: skip
        """`lists`: (planes, tiles of keys, 1 + 3 * tiles of queries): how many, which, the turns, and the totals. In
        the order of `BackwardWork.tile`."""
        work = BackwardWork(1, 1, queries, keys, 0, 0, 0, cycle, 1, F)
        tiles, blocks = work.query_tiles(), work.key_tiles()
        index, lane = al.block_id(0), al.thread_id(0)
        plane, n = index // blocks, index % blocks
        T = al.make_tensor(turns, al.u32, al.make_layout((planes * blocks * tiles,)))
        TOTAL = al.make_tensor(totals, al.u32, al.make_layout((planes * tiles,)))
        size = tiles * 3 + 1
        L = al.make_tensor(lists, al.u32, al.make_layout((planes * blocks * size,)))
        begin, count, start = index * size, al.convert(0, al.u32), al.convert(0, al.u32)
        if not (F.bounded or F.window):
            start = n * cycle
        for first in al.range(0, tiles, WARP):
            m, turn = first + lane + start, al.convert(UNSEEN, al.u32)
            m = al.select(m < tiles, m, m - tiles)
            if first + lane < tiles:
                turn = T[index * tiles + m]
            before = al.select(turn != UNSEEN, al.convert(1, al.u32), al.convert(0, al.u32))
            for step in range(5):  # of the lanes up to this one
                other = al.shuffle_up(before, 1 << step)
                before = before + al.select(lane >= (1 << step), other, al.convert(0, al.u32))
            if turn != UNSEEN:
                at = begin + count + before
                L[at], L[at + tiles], L[at + 2 * tiles] = m, turn, TOTAL[plane * tiles + m]
            count = count + al.shuffle(before, WARP - 1)
        if lane == 0:
            L[begin] = count

    return mask_queries


def tile_lists(F: Any, states: Any, queries: int, keys: int, masks: Any, cycle: int, **launch: Any) -> Any:
    """Lists for the blocks of a form. `states`: of `MaskBits`, of keys as rows; `masks`: left, right and shift of
    `BackwardWork`, `cycle` as there."""
    planes, blocks, tiles = states.shape
    turns, totals = new(states, (planes, blocks, tiles)), new(states, (planes, tiles))
    lists = new(states, (planes, blocks, 1 + 3 * tiles))
    build_turns(F)[-(-planes * tiles // THREADS), THREADS](
        states, turns, totals, planes, queries, keys, *masks, cycle, target=HOPPER, **launch
    )
    build_tile_lists(F)[planes * blocks, WARP](
        turns, totals, lists, planes, queries, keys, cycle, target=HOPPER, **launch
    )  # fmt: skip
    return lists
