"""How many blocks an NVIDIA multiprocessor (SM) holds: registers, threads and shared memory of a kernel come in; blocks and what limits them go out.

Sources: CUDA C++ Programming Guide 13.0, "Compute Capabilities", table "Technical Specifications per Compute Capability" (registers, threads, blocks
and shared memory of a multiprocessor; 255 registers a thread), and the sections "Shared Memory" there (1 KiB of each block is the system's, since
8.0); cuda_occupancy.h of the CUDA toolkit (four partitions; registers are dealt out to a warp by 256, shared memory by 256 bytes, by 128 since 8.0).
"""

from __future__ import annotations

import dataclasses

from avelang.base.errors import error

WARP, REGISTERS, PARTITIONS, MOST_REGISTERS = 32, 64 * 1024, 4, 255
REGISTER_GRANULE = 256


@dataclasses.dataclass(frozen=True, slots=True)
class Multiprocessor:
    """What the blocks on one SM share: `threads`, `blocks`, bytes of `shared` memory, which is dealt out by `granule` with `reserved` bytes more for
    each block."""

    threads: int
    blocks: int
    shared: int
    granule: int = 128
    reserved: int = 1024


MULTIPROCESSORS: dict[str, Multiprocessor] = {
    "sm_75": Multiprocessor(1024, 16, 64 << 10, 256, 0),
    "sm_80": Multiprocessor(2048, 32, 164 << 10),
    "sm_86": Multiprocessor(1536, 16, 100 << 10),
    "sm_89": Multiprocessor(1536, 24, 100 << 10),
    "sm_90": Multiprocessor(2048, 32, 228 << 10),
    "sm_100": Multiprocessor(2048, 32, 228 << 10),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Residency:
    """`blocks` of a kernel on one SM at once, `warps` of them, `share` of the warps that it can hold. `limits`: the blocks that each resource alone
    would allow; `limited_by` names the scarcest. Nothing fits where `blocks` is 0."""

    blocks: int
    warps: int
    share: float
    limited_by: str
    limits: dict[str, int]


def multiprocessor(chip: str) -> Multiprocessor:
    """That of a chip; "a" and "f" targets have that of the plain one. Raises U101 with the known names."""
    plain = chip.rstrip("af")
    if plain not in MULTIPROCESSORS:
        raise error("U101", name=chip, known=", ".join(MULTIPROCESSORS))
    return MULTIPROCESSORS[plain]


def residency(chip: str, threads: int, registers: int, shared: int) -> Residency:
    """`threads` of a block, `registers` of a thread, bytes of `shared` memory of a block, static and dynamic. Raises U101."""
    sm = multiprocessor(chip)
    warps = -(-threads // WARP)
    # A partition has a quarter of the registers, and a warp stays in one.
    each = -(-max(registers, 1) * WARP // REGISTER_GRANULE) * REGISTER_GRANULE
    fitting = REGISTERS // PARTITIONS // each * PARTITIONS
    whole = -(-(shared + sm.reserved) // sm.granule) * sm.granule
    limits = {"threads": sm.threads // WARP // warps, "registers": fitting // warps, "blocks": sm.blocks}
    if shared:
        limits["shared memory"] = sm.shared // whole
    scarcest = min(limits, key=lambda name: limits[name])
    blocks = limits[scarcest]
    return Residency(blocks, blocks * warps, blocks * warps * WARP / sm.threads, scarcest, limits)
