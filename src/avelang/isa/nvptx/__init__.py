"""The intrinsics of `al.nvvm`: importing this package registers their rows."""

from avelang.isa.nvptx import copy_async, matrix, mma

__all__ = ["copy_async", "matrix", "mma"]
