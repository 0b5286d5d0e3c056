"""How many waves fit on a compute unit, and how many blocks on an SM: a kernel's registers, shared memory and threads
come in; waves or blocks and what limits them go out. The limits are the chips' own (`avelang.arch.amd`,
`avelang.arch.nvidia`, with their sources)."""

from __future__ import annotations

import dataclasses
import math

from avelang.arch import CHIPS, chip
from avelang.arch.facts import ComputeUnit, Multiprocessor
from avelang.base.errors import error


@dataclasses.dataclass(frozen=True, slots=True)
class Occupancy:
    """`waves` of the kernel on a SIMD, on average over the four of a CU, and `groups` on a CU. `limits`: the waves a
    SIMD could hold if nothing but that resource were short; `limited_by` names the scarcest. `waves` is less than each
    limit where whole work-groups do not fill it."""

    waves: float
    groups: int
    limited_by: str
    limits: dict[str, float]


@dataclasses.dataclass(frozen=True, slots=True)
class Residency:
    """`blocks` of a kernel on one SM at once, `warps` of them, `share` of the warps that it can hold. `limits`: the
    blocks that each resource alone would allow; `limited_by` names the scarcest. Nothing fits where `blocks` is 0."""

    blocks: int
    warps: int
    share: float
    limited_by: str
    limits: dict[str, int]


def granules(count: int, of: int) -> int:
    """`count` rounded up to a multiple of `of`, one at least."""
    return max(1, math.ceil(count / of)) * of


def occupancy(name: str, threads: int, vgprs: int, sgprs: int, lds: int) -> Occupancy:
    """Of an AMD chip. `threads` of a work-group, vector registers (accumulation registers included) and scalar
    registers of a wave, bytes of LDS of a work-group. Nothing fits where `waves` is 0. Raises U101."""
    found = chip(name)
    cu = found.unit
    if not isinstance(cu, ComputeUnit):
        raise error("U101", name=name, known=", ".join(c.name for c in CHIPS.values() if c.vendor == "amd"))
    each = max(1, math.ceil(threads / found.wave))
    limits: dict[str, float] = {
        "waves": cu.waves,
        "VGPR": cu.vgprs // granules(vgprs, cu.vgpr_granule),
        "SGPR": cu.sgprs // granules(sgprs, cu.sgpr_granule),
        "LDS": (cu.lds // granules(lds, cu.lds_granule)) * each / cu.simds if lds else cu.waves,
        # those of one wave need no barrier, of which a CU has sixteen
        "work-groups": cu.groups * each / cu.simds if each > 1 else cu.waves,
    }
    scarcest = min(limits, key=lambda name: limits[name])
    groups = int(cu.simds * limits[scarcest]) // each
    return Occupancy(groups * each / cu.simds, groups, scarcest,
                     {name: min(limit, cu.waves) for name, limit in limits.items()})


def multiprocessor(name: str) -> Multiprocessor:
    """That of an NVIDIA chip; "a" and "f" targets have that of the plain one. Raises U101 with the known names."""
    known = {c.name.rstrip("a"): c.unit for c in CHIPS.values() if isinstance(c.unit, Multiprocessor)}
    plain = name.rstrip("af")
    if plain not in known:
        raise error("U101", name=name, known=", ".join(known))
    found = known[plain]
    assert isinstance(found, Multiprocessor)
    return found


def residency(name: str, threads: int, registers: int, shared: int) -> Residency:
    """Of an NVIDIA chip. `threads` of a block, `registers` of a thread, bytes of `shared` memory of a block, static and
    dynamic. Raises U101."""
    sm, warp = multiprocessor(name), 32
    warps = -(-threads // warp)
    # A partition has its part of the registers, and a warp stays in one.
    each = granules(max(registers, 1) * warp, sm.register_granule)
    fitting = sm.registers // sm.partitions // each * sm.partitions
    whole = -(-(shared + sm.reserved) // sm.granule) * sm.granule
    limits = {"threads": sm.threads // warp // warps, "registers": fitting // warps, "blocks": sm.blocks}
    if shared:
        limits["shared memory"] = sm.shared // whole
    scarcest = min(limits, key=lambda name: limits[name])
    blocks = limits[scarcest]
    return Residency(blocks, blocks * warps, blocks * warps * warp / sm.threads, scarcest, limits)
