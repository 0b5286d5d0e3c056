"""Layout of the checker's records: what is under way, what has come, who used which piece of LDS.

The structs are in `native/amdgcn.h`, the functions that keep them in `native/amdgcn/waits.c` and `lds.c`. Of a wave:
for each class of instructions under way (`CLASSES`) how many were issued and how many of them, in order, are surely
done; and for each register the number and the class of the load that it waits for. Of a workgroup: for each wave what
was done when it came to the last barrier, and for each granule of LDS the last writer and every wave's last read.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

from avelang.amdgcn.effects import CELLS
from avelang.native.amdgcn import CLASSES, MAX_WAVES, RECORD_CELLS, Granule, GroupRecords, WaveRecords

OF_WAVE = {name: getattr(WaveRecords, name).offset for name, *_ in WaveRecords._fields_}
OF_GROUP = {name: getattr(GroupRecords, name).offset for name, *_ in GroupRecords._fields_}
SLOT, KIND = 8 * MAX_WAVES, 4 * MAX_WAVES  # bytes of an epoch's, of a kind's part of `limit`
GRANULE = ctypes.sizeof(Granule)
assert RECORD_CELLS == CELLS
NOTHING = 0xFFFFFFFF  # of `GroupState.skip`: no wait is left out


def finest(sizes: Iterable[int]) -> int:
    """Granularity (log2 of bytes) that accesses of these sizes need; dwords at most."""
    return min((n & -n).bit_length() - 1 for n in (4, *sizes) if n)


def granules(count: int) -> int:
    """Offset of the granules, in a program of so many instructions."""
    return -(-(OF_GROUP["covered"] + count + 1) // 64) * 64


def class_offset(name: str) -> int:
    """Offset of a counter class in an array of u32 by class."""
    return 4 * CLASSES.index(name)
