"""Which tile of C a block makes: the number of the block and tiles along rows and columns come in; row and column of its tile go out."""

from __future__ import annotations

import avelang
import avelang.language as al

XCDS = 8  # dies of an MI300X, to which blocks are dealt in turn, each with an L2 of its own


@avelang.jit
def tile_of(index, tiles_m, tiles_n, TOGETHER):
    """Row and column of a tile. What runs at one time then is about as wide as high, and reads as little of A and B as can be."""
    group = index // (TOGETHER * tiles_n)
    inner = index % (TOGETHER * tiles_n)
    height = min(tiles_m - group * TOGETHER, TOGETHER)
    return group * TOGETHER + inner % height, inner // height


@avelang.jit
def dealt(block, count):
    """The number of a block's tile of `count`: on gfx942 each die gets a run of tiles, which share rows of A and B in its L2."""
    if al.target().name != "gfx942":
        return block
    xcd = block % XCDS
    return xcd * (count // XCDS) + min(xcd, count % XCDS) + block // XCDS
