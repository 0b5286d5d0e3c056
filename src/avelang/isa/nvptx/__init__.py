"""The intrinsics of `al.nvvm`: importing this package registers their rows."""

from avelang.isa.nvptx import matrix, mma

__all__ = ["matrix", "mma"]
