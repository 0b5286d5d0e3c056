"""The intrinsics of `al.amdgpu`: importing this package registers their rows."""

from avelang.isa.amdgpu import buffer, matrix

__all__ = ["buffer", "matrix"]
