"""A mask of bool of any strides comes in; its bits go out, as consumers of `wgmma` test them, and for each block of
rows the tiles of columns of which it sees something: what attention on Hopper does not see costs it nothing.

A mask (batch, heads, rows, columns) has four words for a row and a tile of up to 128 columns: bit c % 32 of word
c // 32 says whether column c takes part; columns that there are not do not. Lists say, for M rows, how many tiles there
are, one at least, and which: in order, with `PARTLY` where some element is not seen."""

# No `from __future__ import annotations`: the annotations of the kernels name values of the functions around them.

import dataclasses
import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.arrays import address, dtype_of, flattened, new, strides_of
from avelang_kernels.attention.tile_attention_rows import HOPPER, Sight

WORDS, WORD, VECTOR = 4, 32, 16  # of a tile's row; bits of a word; bytes that a lane loads at once
WARPS = 4  # of a block
PARTLY = 1 << 31  # of an entry of a list
NONE, SOME, ALL = 0, 1, 2  # what a block of rows sees of a tile


@avelang.jit
def bits_of_bytes(four: Any):
    """The lowest bits of each byte of a word, side by side."""
    return ((four & 0x01010101) * 0x10204080) >> 28


@avelang.jit
def word_of(mask: Any, at: Any, columns: Any, step: Any, SIDE: Any):
    """Bits of up to 32 columns of a row, which begins at element `at` of memory. SIDE: 16 of them lie side by side, at
    a multiple of 16 bytes."""
    word = al.convert(0, al.u32)
    if SIDE:
        if columns >= WORD:
            for h in range(WORD // VECTOR):
                one = al.view(al.subview(mask, (at + h * VECTOR,), (VECTOR,), (1,)), al.Tensor((WORDS,), al.u32))
                for i in range(WORDS):
                    word = word | (bits_of_bytes(one[i]) << (h * VECTOR + i * 4))
        else:
            for c in al.range(columns):
                word = word | (al.select(mask[at + c] != 0, al.convert(1, al.u32), al.convert(0, al.u32)) << c)
    else:
        for c in range(WORD):
            if c < columns:
                bit = al.select(mask[at + al.convert(c, al.u64) * step] != 0, al.convert(1 << c, al.u32),
                                al.convert(0, al.u32))  # fmt: skip
                word = word | bit
    return word


@functools.cache
def build_bits(M: int, N: int, SIDE: bool) -> Any:
    """The kernel that packs blocks of M rows and N columns. SIDE: columns lie side by side, in whole vectors."""
    B: Any = al.Pointer(al.u8)
    W: Any = al.Pointer(al.u32)
    U: Any = al.u32
    L: Any = al.u64

    @avelang.jit
    def mask_bits(
        mask: Annotated[Any, B], bits: Annotated[Any, W], states: Annotated[Any, W], size: Annotated[Any, L],
        heads: Annotated[Any, U], rows: Annotated[Any, U], columns: Annotated[Any, U], tiles: Annotated[Any, U],
        blocks: Annotated[Any, U], batch_step: Annotated[Any, L], head_step: Annotated[Any, L],
        row_step: Annotated[Any, L], column_step: Annotated[Any, L],
    ):  # fmt: skip
        """`size`: elements of the mask's memory. `heads`: of the mask, 1 where all have one. `states`: NONE, SOME or
        ALL of each block of rows and tile."""
        index, t = al.block_id(0), al.thread_id(0)
        tile, block, plane = index % tiles, index // tiles % blocks, index // tiles // blocks
        data = al.make_tensor(mask, al.u8, al.make_layout((size,)))
        begin = al.convert(plane // heads, al.u64) * batch_step + al.convert(plane % heads, al.u64) * head_step
        lane, warp = t % WORD, t // WORD
        any, missing = al.convert(0, al.u32), al.convert(0, al.u32)
        for i in range(M // WORD * (-(-N // WORD)) // WARPS + 1):
            item = i * WARPS + warp
            row, w = block * M + item // (-(-N // WORD)) * WORD + lane, item % (-(-N // WORD))
            first = tile * N + w * WORD
            have = min(al.convert(max(0, al.convert(columns, al.i32) - al.convert(first, al.i32)), al.u32),
                       min(al.convert(WORD, al.u32), al.convert(N, al.u32) - w * WORD))  # fmt: skip
            if item < M // WORD * (-(-N // WORD)) and row < rows:
                at = begin + al.convert(row, al.u64) * row_step + al.convert(first, al.u64) * column_step
                word = word_of(data, at, have, column_step, SIDE)
                place = ((al.convert(plane, al.u64) * rows + row) * tiles + tile) * WORDS + w
                bits[place] = word
                every = al.convert(0xFFFFFFFF, al.u32)
                exist = al.select(have >= WORD, every, (al.convert(1, al.u32) << (have % WORD)) - 1)
                any, missing = any | word, missing | (exist & (word ^ every))
        for step in range(5):
            any, missing = any | al.shuffle_xor(any, 1 << step), missing | al.shuffle_xor(missing, 1 << step)
        found = al.make_shared((2, WARPS), al.u32)
        if lane == 0:
            found[0, warp], found[1, warp] = any, missing
        al.syncthreads()
        if t == 0:
            for other in range(1, WARPS):
                any, missing = any | found[0, other], missing | found[1, other]
            state = al.select(any == 0, NONE, al.select(missing == 0, ALL, SOME))
            states[(plane * blocks + block) * tiles + tile] = al.convert(state, al.u32)

    return mask_bits


@functools.cache
def build_lists(M: int, N: int, RIGHT: bool, LEFT: bool) -> Any:
    """The kernel that lists tiles, one warp for a block of rows: those that the mask and `Sight` leave."""
    W: Any = al.Pointer(al.u32)
    U: Any = al.u32

    @avelang.jit
    def mask_tiles(
        states: Annotated[Any, W], lists: Annotated[Any, W], rows: Annotated[Any, U], columns: Annotated[Any, U],
        tiles: Annotated[Any, U], blocks: Annotated[Any, U], left: al.i32, right: al.i32,
    ):  # fmt: skip
        """`lists`: (planes, blocks, 1 + tiles): how many, and which. `left`, `right`: of `Sight`."""
        index, lane = al.block_id(0), al.thread_id(0)
        sight = Sight(columns, right if RIGHT else None, left if LEFT else None)
        begin, clear, whole, end = sight.tiles(index % blocks * M, M, N)
        base, count = index * (tiles + 1), al.convert(0, al.u32)
        for first in al.range(0, tiles, WORD):
            tile, state = first + lane, al.convert(NONE, al.u32)
            if tile < tiles and tile >= begin and tile < end:
                state = states[index * tiles + tile]
            one = al.select(state != NONE, al.convert(1, al.u32), al.convert(0, al.u32))
            before = one  # of the lanes up to this one
            for step in range(5):
                other = al.shuffle_up(before, 1 << step)
                before = before + al.select(lane >= (1 << step), other, al.convert(0, al.u32))
            if one == 1:
                partly = al.select(state == SOME or tile < clear or tile >= whole, al.convert(PARTLY, al.u32),
                                   al.convert(0, al.u32))  # fmt: skip
                lists[base + count + before] = tile | partly
            count = count + al.shuffle(before, WORD - 1)
        if lane == 0:
            if count == 0:  # kernels go through one tile at least
                lists[base + 1] = al.convert(PARTLY, al.u32)
            lists[base] = max(count, 1)

    return mask_tiles


@dataclasses.dataclass(frozen=True, slots=True)
class MaskBits:
    """Of a mask: `bits` (planes, rows, tiles, 4), `states` (planes, blocks, tiles) and, if wanted, `lists` (planes,
    blocks, 1 + tiles), all u32; how far planes of batches and of heads are apart, 0 where all have one."""

    bits: Any
    states: Any
    lists: Any
    batch_step: int
    head_step: int


def mask_bits(
    mask: Any, rows: int, columns: int, M: int, N: int, like: Any, masks: tuple[bool, bool, int, int] | None = None,
    **launch: Any,
) -> MaskBits:  # fmt: skip
    """Bits of a mask (batch or 1, heads or 1, rows or 1, columns or 1) of bool for blocks of M rows and tiles of N
    columns, N at most 128; with lists where `masks` says what is seen by place: whether there is an end on the right
    and on the left, and the two ends, of `Sight`. `like`: an array beside which memory is made; `launch`: options of
    launches."""
    planes = mask.shape[0] * mask.shape[1]
    b, h, r, c = (0 if n == 1 else s for n, s in zip(mask.shape, strides_of(mask), strict=True))
    tiles, blocks = -(-columns // N), -(-rows // M)
    bits = new(like, (planes, rows, tiles, WORDS), "uint32")
    states = new(like, (planes, blocks, tiles), "uint32")
    data = flattened(mask).view(dtype_of(mask, "uint8"))
    side = c == 1 and all(s % VECTOR == 0 for s in (b, h, r, address(data))) and N % VECTOR == 0
    build_bits(M, N, side)[planes * blocks * tiles, WARPS * WORD](
        data, bits, states, len(data), mask.shape[1], rows, columns, tiles, blocks, b, h, r, c, target=HOPPER, **launch
    )  # fmt: skip
    lists = None
    if masks is not None:
        right, left, *ends = masks
        lists = new(like, (planes, blocks, 1 + tiles), "uint32")
        build_lists(M, N, right, left)[planes * blocks, WORD](
            states, lists, rows, columns, tiles, blocks, ends[1], ends[0], target=HOPPER, **launch
        )
    return MaskBits(bits, states, lists, mask.shape[1] * (mask.shape[0] > 1), int(mask.shape[1] > 1))
