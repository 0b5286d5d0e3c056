"""Hints to the instruction scheduler of AMD GPUs: kinds and counts of instructions come in; the order in which LLVM is
to interleave them goes out. On other chips they say nothing. Source: LLVM, "User Guide for AMDGPU Backend",
`llvm.amdgcn.sched.group.barrier` and `llvm.amdgcn.sched.barrier`."""

from __future__ import annotations

import avelang
import avelang.language as al

VALU, MFMA, VMEM_READ, DS_READ, DS_WRITE = 0x2, 0x8, 0x20, 0x100, 0x200  # kinds of instructions


@avelang.jit
def sched_group(kind, count):
    """The next `count` instructions of a kind stand together."""
    if al.target().vendor == "amd":
        al.amdgpu.sched_group_barrier(kind, count, 0)


@avelang.jit
def sched_interleave(kind, count, products, group=1):
    """`count` groups of `group` instructions of a kind, each followed by so many matrix instructions."""
    for _ in range(count):
        sched_group(kind, group)
        if products:
            sched_group(MFMA, products)


@avelang.constant
def spread(products, *groups):
    """Hints, as of `sched_interleave`, that spread groups of instructions, (kind, count) each, evenly over so many
    matrix instructions: in bursts they would fill the queues of LDS and memory, and waves that come from a barrier
    together would all wait."""
    kinds = [kind for kind, count in groups for _ in range(count)]
    ends = [products * (n + 1) // len(kinds) for n in range(len(kinds))]
    return tuple((kind, 1, end - start) for kind, start, end in zip(kinds, [0, *ends], ends, strict=False))


@avelang.jit
def sched_barrier():
    """No instruction moves across."""
    if al.target().vendor == "amd":
        al.amdgpu.sched_barrier(0)


@avelang.jit
def setprio(priority):
    """Priority of the wave among those of its SIMD, 0 to 3."""
    if al.target().vendor == "amd":
        al.amdgpu.s_setprio(priority)
