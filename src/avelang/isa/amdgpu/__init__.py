"""The intrinsics of `al.amdgpu`: importing this package registers their rows."""

from avelang.isa.amdgpu import atomics, buffer, lanes, matrix, scalar, schedule, sparse
from avelang.isa.amdgpu.atomics import AtomicScope

__all__ = ["AtomicScope", "atomics", "buffer", "lanes", "matrix", "scalar", "schedule", "sparse"]
