"""The table of seeded bugs at the thread level, and those at the tile level: a row has the name, the kernel, arguments that are made anew for each launch, grid and block, and the
codes by which the bug may be found."""

from checks import in_blocks, in_flags, in_grids, in_shared, in_tiles, in_waves
from checks.cases import CASES, TILES, Case

__all__ = ["CASES", "TILES", "Case", "in_blocks", "in_flags", "in_grids", "in_shared", "in_tiles", "in_waves"]
