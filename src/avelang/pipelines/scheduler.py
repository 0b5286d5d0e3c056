"""Tile schedulers: the number of a block, or of a step of a persistent one, comes in; the tile of C that it makes goes out."""

from __future__ import annotations

import avelang


@avelang.jit
def tile_of(index, tiles_m, tiles_n, GROUP_M):
    """Row and column of a tile: GROUP_M rows of tiles are gone through together, column by column. What runs at one
    time then is about as wide as high, and reads as little of A and B as can be."""
    group = index // (GROUP_M * tiles_n)
    inner = index % (GROUP_M * tiles_n)
    height = min(tiles_m - group * GROUP_M, GROUP_M)
    return group * GROUP_M + inner % height, inner // height


@avelang.jit
def xcd_remap(block, count, XCDS):
    """The number of a block's tile of `count`. Blocks go to the XCDS dies in turn: each die gets a run of tiles, which
    share rows of A and B in its L2. One die: the block's own number."""
    if XCDS == 1:
        return block
    xcd = block % XCDS
    return xcd * (count // XCDS) + min(xcd, count % XCDS) + block // XCDS
