"""Tiles of Hopper's GEMM: a shape and a GPU come in; how blocks divide the product goes out."""

import math
from typing import Any, NamedTuple

from avelang.pipelines.warp_specialized import PATTERN, ROWS, WarpSpecialized, box_of

STREAM = "stream"
STEP = 64  # elements of K in a stage: 128 bytes, one row of the swizzle
SMS = 132  # multiprocessors of an H100 or H200 (SXM)
# Clusters of so many blocks, each of which fills a multiprocessor, that run at a time on an H200 with 132 of them:
# found as the greatest number of tiles that takes one round, on the cards that have the fewest.
RESIDENT = {1: 132, 2: 66, 3: 39, 4: 30, 5: 22, 6: 17, 7: 15, 8: 15}
SHARED = 227 * 1024  # bytes of shared memory that a block may have
MOST_STAGES = 12
FEW_STAGES = 4  # fewer are so slow that consumers rather stage narrower pieces of what they store
BESIDE = 2048  # bytes beside stages and staging, at the most: mbarriers, tickets, what alignment costs
PIECES = (128, 112, 96, 80, 64, 48, 32, 16)  # columns of a transposed tile that are staged at a time
ODD_PIECES = tuple(range(152, 0, -16))  # the same, of a tile whose width 16 does not divide


class GemmTile(NamedTuple):
    """The work of a block: rows and columns of its tile of C, stages of its ring, blocks of its cluster along rows and
    columns of C, and how many rows of clusters are gone through together.

    cluster_k: blocks of a cluster that share a tile's K; each cluster makes one tile then. row_blocks: times 64 rows
    that a consumer multiplies. pingpong: two consumers make tiles in turn, each a whole one. transposed: tiles are
    those of C^T: `m` counts columns of C, and `n` rows; for outputs of 16 bits."""

    m: int
    n: int
    stages: int
    cluster_m: int = 1
    cluster_n: int = 1
    group_m: int = 8
    cluster_k: int = 1
    row_blocks: int = 1
    pingpong: bool = False
    transposed: bool = False
    split: int | str = 1

    @property
    def cluster(self) -> int:
        """Blocks of a cluster."""
        return self.cluster_m * self.cluster_n * self.cluster_k

    @property
    def consumers(self) -> int:
        """Warpgroups of a block that multiply."""
        return 2 if self.pingpong else self.m // (ROWS * self.row_blocks)

    @property
    def added_together(self) -> bool:
        """True where blocks that share K of a tile add it up together, piece by piece."""
        return self.cluster_k == 1 and self.split != STREAM and int(self.split) > 1

    def block(self, dtype: Any, a_mn: bool = False, b_mn: bool = False) -> WarpSpecialized:
        """The block, for A and B of a dtype. `a_mn`, `b_mn`: neighbors of its operands lie along M and N."""
        boxes = (box_of(self.m // self.cluster_n), box_of(self.n // self.cluster_m))
        return WarpSpecialized(self.m, self.n, self.stages, dtype, *self[3:5], *self[6:9], a_mn, b_mn, *boxes)

    def boxes(self, step: int, a_mn: bool, b_mn: bool) -> tuple[tuple[int, int], tuple[int, int]]:
        """The boxes of both operands that TMA copies at once. `step`: elements along K of a stage."""
        a = (step // self.cluster_n, ROWS) if a_mn else (box_of(self.m // self.cluster_n), step)
        b = (step // self.cluster_m, ROWS) if b_mn else (box_of(self.n // self.cluster_m), step)
        return a, b

    def piece(self, size: int) -> int:
        """Columns of a tile that are staged at a time, of elements of `size` bytes, as many as can be: 128, 64 or 32
        bytes of each row, or where 32 do not divide them, an odd number of times 16; transposed, any of `PIECES`, or of
        `ODD_PIECES`; narrower ones of 16 columns or more where the stages leave no room. Blocks that share K store
        parts of a tile, even ones if that is possible."""
        if self.transposed:
            widths = ODD_PIECES if self.n % 16 else PIECES
        elif self.n * size % 32:
            widths = tuple(self.n // x for x in range(1, self.n // 8 + 1, 2) if self.n % (8 * x) == 0)
        else:
            widths = tuple(PATTERN // size // x for x in (1, 2, 4))
        whole = [w for w in widths if self.n % w == 0]
        even = [w for w in whole if self.n // w % self.cluster_k == 0]
        if self.cluster_k > 1 or not even:
            return max(even) if even else min(whole, default=widths[-1])
        if self.added_together:  # a slice for each part, if there are so many
            narrow = [w for w in even if w >= 16] or [max(even)]
            return next((w for w in narrow if self.n // w * self.row_blocks >= int(self.split)), narrow[-1])
        room = SHARED - BESIDE - self.stages * (self.m + self.n) * PATTERN
        return next((w for w in even if w >= 16 and self._staged(w, size) <= room), max(even))

    def slices(self, size: int) -> int:
        """Slices of the rows of a consumer, of which the blocks that add up a tile together have one each, for outputs
        of `size` bytes an element, where K has many parts."""
        return self.n // self._replace(split=self.n).piece(size) * self.row_blocks

    def swizzle(self, size: int) -> int:
        """Bytes of the pattern in which rows of pieces lie in shared memory: those of a row, or 0 where an odd number
        of 16 bytes keeps rows apart."""
        row = PATTERN if self.transposed else self.piece(size) * size
        return row if row % 32 == 0 else 0

    def buffers(self, size: int) -> int:
        """Pieces of a consumer that are on their way to memory at a time: two, where a tile has an even number, since
        each begins with the first buffer again."""
        return self._buffers(self.piece(size))

    def _buffers(self, piece: int) -> int:
        odd = self.n // piece * self.row_blocks % 2
        return 1 if odd or self.cluster_k > 1 or piece > ROWS or self.added_together else 2

    def staged(self, size: int) -> int:
        """Bytes in which consumers stage what they store."""
        return self._staged(self.piece(size), size)

    def _staged(self, piece: int, size: int) -> int:
        rows, row = (piece, PATTERN) if self.transposed else (ROWS, piece * size)
        return self.consumers * self._buffers(piece) * rows * row

    def partials(self, size: int) -> tuple[int, ...]:
        """The shape of the f32 sums that a block of a cluster gets from the others: peers, consumers, row blocks,
        vectors, threads, elements."""
        piece = self.piece(size)
        vectors = -(-(self.n // piece) // self.cluster_k) * piece // 8
        return max(self.cluster_k - 1, 1), self.consumers, self.row_blocks, vectors, 128, 4

    def fitted(self, size: int) -> "GemmTile":
        """The same with as many stages as shared memory holds, for outputs of `size` bytes an element."""
        stage = (self.m + self.n) * PATTERN
        bare = self._replace(stages=0)
        most = self._replace(stages=min(MOST_STAGES, (SHARED - BESIDE - bare.staged(size)) // stage))
        more = self._replace(stages=FEW_STAGES)
        room = SHARED - BESIDE - FEW_STAGES * stage
        return more if most.stages < FEW_STAGES and more.staged(size) <= room else most

    def fault(self, size: int, a_mn: bool = False, b_mn: bool = False) -> str:
        """The reason why there is no such kernel for outputs of `size` bytes an element, or "". `a_mn`, `b_mn`:
        neighbors of A lie along M, of B along N."""
        registers = self.row_blocks * self.n // 2
        faults = {
            "row_blocks is 1 or 2": self.row_blocks not in (1, 2),
            f"m must be a multiple of {ROWS * self.row_blocks} (64 rows for each of row_blocks)": (
                self.m % (ROWS * self.row_blocks) or self.m < 64
            ),
            "ping-pong consumers multiply the whole tile: m must be 64 * row_blocks": (
                self.pingpong and self.m != ROWS * self.row_blocks
            ),
            "n must be a multiple of 64 where that operand's neighbors do not lie along K": (
                (a_mn if self.transposed else b_mn) and self.n % ROWS
            ),
            "a block has 1 to 4 consumers": not 1 <= self.consumers <= 4,
            "n must be a multiple of 8, and 256 at the most": self.n % 8 or not 0 < self.n <= 256,
            "a part of a tile that a block of a cluster copies must be a multiple of 8 rows": (
                self.n % (8 * self.cluster_m) or self.m % (8 * self.cluster_n)
            ),
            "a cluster has 1 to 8 blocks": not 1 <= self.cluster <= 8,
            "transposed tiles are for outputs of 16 bits": self.transposed and size != 2,
            "accumulators of a consumer take more registers than there are": registers
            > (192, 192, 96, 64)[self.consumers - 1],
            "ping-pong consumers cannot share K": self.pingpong and (self.cluster_k > 1 or self.split != 1),
            "K shared in a cluster is not streamed, and split for row_blocks of 1 only": (
                self.cluster_k > 1 and (self.split == STREAM or (self.split != 1 and self.row_blocks > 1))
            ),
            "K shared in a cluster needs a piece of the tile for each block": self.n // self.piece(size)
            < self.cluster_k,
            "stages do not fit into shared memory": not (
                self.stages >= 2 and self.stages * (self.m + self.n) * PATTERN + self.staged(size) + BESIDE <= SHARED
            ),
            "sums of the cluster's other blocks do not fit into the stages": (
                self.cluster_k > 1 and 4 * math.prod(self.partials(size)) > self.stages * (self.m + self.n) * PATTERN
            ),
        }
        return next((why for why, wrong in faults.items() if wrong), "")


def integer_width(n: int) -> bool:
    """True for the widths that `wgmma` has for integers (PTX ISA 9.0, 9.7.15.2, "Matrix shape")."""
    return n % 16 == 0 or n in (8, 24)


def Tile(m: int, n: int, stages: int, below: int = 1, beside: int = 1, together: int = 8) -> GemmTile:
    """`GemmTile` by the words of before."""
    return GemmTile(m, n, stages, below, beside, together)


def resident(cluster: int, sms: int = SMS) -> int:
    """Clusters of so many blocks, each of which fills a multiprocessor, that run at a time on a GPU with so many. A
    launch of persistent blocks has no more: those that had to wait would begin when all others are through."""
    return max(1, RESIDENT[cluster] * sms // SMS)


def clusters(m: int, n: int, tile: GemmTile) -> int:
    """The number of tiles of clusters that a product has."""
    if tile.transposed:
        m, n = n, m
    return math.ceil(m / (tile.m * tile.cluster_m)) * math.ceil(n / (tile.n * tile.cluster_n))
