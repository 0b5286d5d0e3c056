"""Boolean masks in the gradients of attention on Hopper: bits of `hopper_masks`, of keys as rows, come in; a thread's
words of a tile go out, shifted so that each of its scores is a constant bit."""

# No `from __future__ import annotations`, as in the kernels.

from typing import Any

import avelang
import avelang.language as al
from avelang.pipelines.warp_specialized import ROWS

WARP, WORD, WORDS = 32, 32, 4  # threads; bits; words of a row of a tile


@avelang.struct
class ScoreEdits:
    """Edits of scores: `scale`; `top`, of `capped`; `bits` of a mask as a line, and the first row of the block's head
    in it."""

    scale: ...
    top: ... = None
    bits: ... = None
    plane: ... = None


@avelang.jit
def edits_of(F: Any, scale: Any, top: Any, mask: Any, keys: Any, batch: Any, head: Any):
    """Edits of a block. `mask`: bits, their count, and how far apart planes of batches and of heads are."""
    if F.mask:
        bits, size, batches, heads = mask
        plane = al.convert(batch * batches + head * heads, al.u64) * keys
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
