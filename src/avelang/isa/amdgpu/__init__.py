"""The intrinsics of `al.amdgpu`: importing this package registers their rows."""

from avelang.isa.amdgpu import atomics, buffer, lanes, matrix, scalar, scaled, schedule, sparse

__all__ = ["atomics", "buffer", "lanes", "matrix", "scalar", "scaled", "schedule", "sparse"]
