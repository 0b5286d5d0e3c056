"""Tiles of AMD's GEMM: extents and waves come in; what a block takes of a compute unit, and how blocks share a product,
go out."""

from __future__ import annotations

from typing import NamedTuple

LANES = 64
MFMA_SIDE = 16  # rows and columns of a fragment
CHUNK_BYTES = 16  # that a lane moves at once
HALF_BYTES = 64  # of a row in a slot of shared memory
CHUNKS = HALF_BYTES // CHUNK_BYTES
STEP_BYTES = 2 * HALF_BYTES  # of a row in a step of K
STREAM = "stream"


class Mi300Tile(NamedTuple):
    """A tile of C, the grid of waves that share it, and how many rows of fragments a wave multiplies before the barrier
    of a half."""

    m: int
    n: int
    waves_m: int
    waves_n: int
    early: int

    @property
    def waves(self) -> int:
        """Of a block."""
        return self.waves_m * self.waves_n

    @property
    def threads(self) -> int:
        """Of a block."""
        return LANES * self.waves

    @property
    def fragments(self) -> tuple[int, int]:
        """Fragments of A and of B that a wave has."""
        return self.m // self.waves_m // MFMA_SIDE, self.n // self.waves_n // MFMA_SIDE

    @property
    def passes(self) -> tuple[int, int]:
        """Chunks of A and of B that a lane loads of a half: all lanes together load rows by LANES / CHUNKS a wave."""
        rows = LANES // CHUNKS * self.waves
        return -(-self.m // rows), -(-self.n // rows)

    @property
    def lds(self) -> int:
        """Bytes of shared memory: two slots of A and of B, of whole passes."""
        return 2 * HALF_BYTES * LANES // CHUNKS * self.waves * sum(self.passes)

    @property
    def registers(self) -> int:
        """Vector registers of a lane, about: sums, fragments, what is on its way, some offsets."""
        i, j = self.fragments
        return 4 * i * j + 4 * (i + 2 * j) + 10 * sum(self.passes) + 24


def tile_of_waves(m: int, n: int, waves_m: int, waves_n: int) -> Mi300Tile:
    """The tile of such extents and waves. `early` leaves most products behind the barrier, where most memory
    instructions stand: spread over fewer, they fill the queues of LDS and memory (docs/cu_model.md has the shares by
    `early`)."""
    i = m // waves_m // MFMA_SIDE
    return Mi300Tile(m, n, waves_m, waves_n, max(i - 4, 1) if i > 1 else 0)


# Two small tiles fit on a compute unit or one large one: two waves on each SIMD either way.
SMALL = tile_of_waves(128, 128, 2, 2)
LARGE = tile_of_waves(256, 256, 2, 4)


class GemmPlace(NamedTuple):
    """Shares of a product: the tile; K's parts, a number or `STREAM`; runs of a stream; rows of tiles that are
    gone through together; dies to which blocks go in turn."""

    tile: Mi300Tile
    split: int | str = 1
    runs: int = 0
    group_m: int = 8
    dies: int = 8


def blocks_of(place: GemmPlace, m: int, n: int) -> int:
    """Blocks of a launch."""
    if place.split == STREAM:
        return place.runs
    return tiles_of(place.tile, m, n) * int(place.split)


def tiles_of(tile: Mi300Tile, m: int, n: int) -> int:
    """Tiles of C."""
    return -(-m // tile.m) * -(-n // tile.n)


def slots_of(place: GemmPlace, m: int, n: int) -> int:
    """Slots of the workspace, of a tile's sums each."""
    if place.split == 1:
        return 0
    return 2 * place.runs if place.split == STREAM else blocks_of(place, m, n)


