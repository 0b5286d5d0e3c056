"""The intrinsics of `al.amdgpu`: importing this package registers their rows."""

from avelang.isa.amdgpu import atomic_rows, buffer, lane_rows, mfma_rows, scalar_rows, scaled, schedule, sparse

__all__ = ["atomic_rows", "buffer", "lane_rows", "mfma_rows", "scalar_rows", "scaled", "schedule", "sparse"]
