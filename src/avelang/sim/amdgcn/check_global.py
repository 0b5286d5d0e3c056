"""Accesses to global memory: what kind an instruction is, and how fine memory is watched. `native/amdgcn/global.c`
follows who wrote and read each granule of the launch's arrays, and whether that is over.

What it knows itself is a wave's own accesses, and those of its workgroup's waves from before the last barrier. The
waves of a workgroup run on one compute unit and go through its one vector cache in order, so that no wait stands
between a vector access, a barrier and another wave's vector access; scalar accesses have another cache, and are ordered
by what was done when the waves came to the barrier. A workgroup with tg_split may be spread over compute units, and
nothing of this holds there (LLVM, "User Guide for AMDGPU Backend", Memory Model gfx942). The rest is asked of Python
(`ordering.Ordering`), where releases and acquires are followed: few accesses of a program without races get there.
"""

from __future__ import annotations

import ctypes

from avelang.amdgcn.asm import AsmProgram, MCInst
from avelang.amdgcn.effects import SMEM, VMEM
from avelang.native.amdgcn import COHERENT as COHERENT
from avelang.native.amdgcn import GLOBAL_ATOMIC as ATOMIC
from avelang.native.amdgcn import GLOBAL_WRITES as WRITES
from avelang.native.amdgcn import GROUP_ATOMIC, RETURNS, SCALAR, SIMPLE, GlobalGranule
from avelang.native.amdgcn import OLD_WRITE as OLD_WRITE
from avelang.sim.amdgcn.check_text import finest

GRANULE = ctypes.sizeof(GlobalGranule)


def bits(i: MCInst) -> int:
    """Access bits of a memory instruction (LLVM, "User Guide for AMDGPU Backend", Memory Model gfx942)."""
    scalar = i.desc.unit == SMEM
    found = (SIMPLE if i.desc.unit != VMEM else 0) | (SCALAR if scalar else 0)
    if i.desc.access == "atomic":
        return found | WRITES | ATOMIC | COHERENT | (RETURNS if i.int("sc0") or i.int("glc") else 0)
    if i.desc.access in ("store", "lds-store"):
        found |= WRITES
    if i.int("sc1") or (scalar and i.int("glc")):
        found |= ATOMIC | COHERENT | (0 if found & WRITES else RETURNS)
    elif i.int("sc0") or i.int("glc"):
        found |= GROUP_ATOMIC
    return found


def shift(program: AsmProgram) -> int:
    """Granularity (log2 of bytes) at which global memory is shadowed: by dwords, or as fine as the program's finest
    access to it."""
    return finest(i.desc.nbytes for i in program.instructions if i.desc.touches_global)


def race(program: AsmProgram, events: bool, split: bool) -> str:
    """The text of `ave_race`: `ave_follow` for granules as fine as the program's accesses. `events`: atomic accesses
    are told of; `split`: waves of a workgroup may be on several compute units."""
    how = f"i64 {shift(program)}, i1 {str(split).lower()}, i1 {str(events).lower()}"
    call = f"call i32 @ave_follow(ptr %g, ptr %at, i64 %exec, i64 %bytes, {how})"
    return (
        f"define internal i32 @ave_race(ptr %g, ptr %at, i64 %exec, i64 %bytes) #0 {{\n  %s = {call}\n  ret i32 %s\n}}"
    )
