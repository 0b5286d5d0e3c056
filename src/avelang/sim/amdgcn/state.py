"""Where the state of waves and workgroups stands in memory: offsets in bytes, shared by the translated code and by
Python.

The structs are in `native/amdgcn.h`: `WaveState` and `GroupState`.
"""

from __future__ import annotations

import ctypes

from avelang.native.amdgcn import (
    AT_BARRIER,
    BARRIER,
    CELLS,
    END,
    ENDED,
    FAULT,
    FILE,
    LANES,
    MAX_WAVES,
    PRIVATE_WINDOW,
    RUNNING,
    SHARED_WINDOW,
    STACK_BUFFER,
    GroupState,
    WaveState,
)  # fmt: skip

REGISTER = 4 * LANES  # bytes of a vector register
ARCHITECTED = 256  # vector registers that operands can name as v
VECTORS = WaveState.vectors.offset  # where v0 stands; a0 is `accum_offset` registers behind it
FILES = ("v", "a", "x")  # what operands name; "x" stands in no wave (see `indexing`)
WAVE_BYTES = ctypes.sizeof(WaveState)

# Where LDS and a lane's stack stand among flat addresses.
SHARED_BASE, PRIVATE_BASE = SHARED_WINDOW << 32, PRIVATE_WINDOW << 32
# The buffer that chips before gfx942 have stacks in (LLVM, "User Guide for AMDGPU Backend", Private Segment Buffer):
# its base, swizzled, all of memory, rows of 64 lanes, whose numbers are added.
STACK = STACK_BUFFER << 32 | 1 << 63 | 0xFFFFFFFF << 64 | (1 << 23 | 3 << 21) << 96

WAVE = {name: getattr(WaveState, name).offset for name, *_ in WaveState._fields_}
GROUP = {name: getattr(GroupState, name).offset for name, *_ in GroupState._fields_}
GROUP_BYTES = ctypes.sizeof(GroupState)

__all__ = ["AT_BARRIER", "BARRIER", "CELLS", "END", "ENDED", "FAULT", "FILE", "LANES", "MAX_WAVES", "RUNNING"]
