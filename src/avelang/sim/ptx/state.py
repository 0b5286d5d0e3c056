"""Where the state of warps and blocks stands in memory: offsets in bytes, shared by the translated code and by Python.

The structs are in `native/ptx.h`: `WarpState` and `BlockState`.
"""

from __future__ import annotations

import ctypes

from avelang.native.ptx import APART, ASKS, BARRIER, ENDED, EXITED, FAULT, LANES, STEPS, STUCK, TURN, WAITS, BlockState, WarpState

# Windows of generic addresses: what lies in none of them is global memory, at its address on this machine. A shared address has the rank of
# its block in the cluster in bits 24 and up, and the byte in that block's memory below; the window says only that it is one.
SHARED_BASE, LOCAL_BASE, FUNCTIONS = 1 << 60, 2 << 60, 3 << 60
RANK = 24  # bits: from here on the rank of the block

WARP = {name: getattr(WarpState, name).offset for name, *_ in WarpState._fields_}
REGISTERS = ctypes.sizeof(WarpState)  # where the registers begin
BLOCK = {name: getattr(BlockState, name).offset for name, *_ in BlockState._fields_}
BLOCK_BYTES = ctypes.sizeof(BlockState)

# The shadow of shared memory, a byte for each byte: data of a copy is to arrive there; a copy still reads it; written by ordinary stores (the generic
# proxy) and not yet handed to the async proxy by a fence.
ARRIVING, READ_LATER, UNFENCED = 1, 2, 4

# Codes of faults, in `fault_code`.
UNKNOWN, OUTSIDE, READONLY, MISALIGNED, IN_FLIGHT, GUARDED, TRAP, UNWAITED = 1, 2, 3, 4, 5, 6, 7, 8

__all__ = ["APART", "ASKS", "BARRIER", "ENDED", "EXITED", "FAULT", "LANES", "STEPS", "STUCK", "TURN", "WAITS"]
