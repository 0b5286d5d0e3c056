"""Where the state of warps and blocks stands in memory: offsets in bytes, shared by the translated code and by Python.

The structs are in `native/ptx.h`: `WarpState` and `CtaRecord`.
"""

from __future__ import annotations

import ctypes
import dataclasses

from avelang.native.ptx import (
    APART,
    ARRIVING,
    ASKS,
    BARRIER,
    ENDED,
    EXITED,
    FAULT,
    FUNCTIONS_WINDOW,
    GUARDED,
    IN_FLIGHT,
    LANES,
    LOCAL_WINDOW,
    MISALIGNED,
    OUTSIDE,
    RANK,
    READ_LATER,
    READONLY,
    SHARED_WINDOW,
    SPLIT,
    STEPS,
    STUCK,
    TRAP,
    TURN,
    UNFENCED,
    UNKNOWN,
    UNWAITED,
    WAITS,
    CtaRecord,
    WarpState,
)

# Windows of generic addresses.
SHARED_BASE, LOCAL_BASE, FUNCTIONS = SHARED_WINDOW << 60, LOCAL_WINDOW << 60, FUNCTIONS_WINDOW << 60

# Of the address of what the blocks of a cooperative launch share: `this_grid().sync()` of CUDA counts blocks there,
# from 0 on, in the second word. Here it is at the start of the module's variables.
GRID_POINTER = {"%envreg1": 32, "%envreg2": 0}
GRID_BYTES = 64


@dataclasses.dataclass(frozen=True, slots=True)
class Windows:
    """Addresses of so many bits: where the windows of generic addresses begin, and the addresses of functions."""

    bits: int
    shared: int
    local: int
    functions: int


WINDOWS = {bits: Windows(bits, *(w << bits - 4 for w in (SHARED_WINDOW, LOCAL_WINDOW, FUNCTIONS_WINDOW)))
    for bits in (32, 64)}  # fmt: skip
# Of a module whose addresses have 32 bits, memory that the host gives is in one piece (`narrow`), from here on.
NARROW_START = 4 << 28

WARP = {name: getattr(WarpState, name).offset for name, *_ in WarpState._fields_}
REGISTERS = ctypes.sizeof(WarpState)  # where the registers begin
BLOCK = {name: getattr(CtaRecord, name).offset for name, *_ in CtaRecord._fields_}
BLOCK_BYTES = ctypes.sizeof(CtaRecord)

__all__ = ["APART", "ARRIVING", "ASKS", "BARRIER", "ENDED", "EXITED", "FAULT", "GUARDED", "IN_FLIGHT", "LANES",
    "MISALIGNED", "OUTSIDE", "RANK", "READONLY", "READ_LATER", "SPLIT", "STEPS", "STUCK", "TRAP", "TURN", "UNFENCED",
    "UNKNOWN", "UNWAITED", "WAITS"]  # fmt: skip
