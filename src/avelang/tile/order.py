"""Which tiles of C a block makes: its number and the extents come in; of each tile where it stands and what of A, B and K it takes go out.

A walk is any struct with `count()`, how many tiles there are (for clusters: of those that a cluster makes), and `job(index, below, beside)`, the
`Job` of one of them, for the block at that place in its cluster. `Rows` is the plain one.
"""

from __future__ import annotations

import avelang
import avelang.language as al

XCDS = 8  # dies of an MI300X, to which blocks are dealt in turn, each with an L2 of its own


@avelang.struct
class Job:
    """One tile of C. `a`, `b`: the first row of A, and of B, and the end of those that count. `k`: begin and end of the part of K: not empty, and
    multiples of the block's step of K but for the end of the matrix. `at`: row and column of the tile, and whatever else `finish` shall know."""

    a: ...
    b: ...
    k: ...
    at: ...


@avelang.struct
class Rows:
    """The tiles of one product: C is m x n; a block makes M x N, a cluster BELOW x BESIDE of that; rows of tiles are gone through TOGETHER."""

    m: ...
    n: ...
    k: ...
    M: al.constexpr
    N: al.constexpr
    BELOW: al.constexpr = 1
    BESIDE: al.constexpr = 1
    TOGETHER: al.constexpr = 8

    def extents(self):
        """Rows and columns of clusters."""
        high, wide = self.M * self.BELOW, self.N * self.BESIDE
        return (self.m + high - 1) // high, (self.n + wide - 1) // wide

    def count(self):
        """Tiles of clusters."""
        rows, cols = self.extents()
        return rows * cols

    def job(self, index, below, beside):
        """The tile of a block."""
        rows, cols = self.extents()
        row, col = tile_of(index, rows, cols, self.TOGETHER)
        top, left = (row * self.BELOW + below) * self.M, (col * self.BESIDE + beside) * self.N
        return Job((top, self.m), (left, self.n), (0, self.k), (top, left))


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
