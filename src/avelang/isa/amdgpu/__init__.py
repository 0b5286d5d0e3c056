"""The intrinsics of `al.amdgpu`: importing this package registers their rows."""

from avelang.isa.amdgpu import atomics, buffer, lane_rows, mfma_rows, scalar, scaled, schedule, sparse

__all__ = ["atomics", "buffer", "lane_rows", "mfma_rows", "scalar", "scaled", "schedule", "sparse"]
