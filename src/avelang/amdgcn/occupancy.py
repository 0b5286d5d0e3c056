"""How many waves fit on a SIMD: registers, LDS and threads of a kernel come in; waves and what limits them go out.

Sources: AMD Instinct MI200, MI300 and CDNA4 ISA guides, sections "VGPRs", "SGPRs" and "LDS": a SIMD has 512 vector registers a lane, which
accumulation registers share, dealt out by 8, and 800 scalar registers, dealt out by 16; a CU has four SIMDs and the LDS. LLVM,
AMDGPUBaseInfo: 8 waves a SIMD, 16 work-groups of several waves a CU, LDS dealt out by 512 bytes (1280 on gfx950).
"""

from __future__ import annotations

import dataclasses
import math

WAVES, VGPRS, SGPRS, SIMDS, GROUPS, LANES = 8, 512, 800, 4, 16, 64
VGPR_GRANULE, SGPR_GRANULE = 8, 16
# Chip: bytes of LDS on a CU, and by how many they are dealt out.
LDS: dict[str, tuple[int, int]] = {"gfx90a": (64 << 10, 512), "gfx942": (64 << 10, 512), "gfx950": (160 << 10, 1280)}


@dataclasses.dataclass(frozen=True, slots=True)
class Occupancy:
    """`waves` of the kernel on a SIMD, on average over the four of a CU, and `groups` on a CU. `limits`: the waves a SIMD could hold if nothing but
    that resource were short; `limited_by` names the scarcest. `waves` is less than each limit where whole work-groups do not fill it."""

    waves: float
    groups: int
    limited_by: str
    limits: dict[str, float]


def granules(count: int, of: int) -> int:
    """`count` rounded up to a multiple of `of`, one at least."""
    return max(1, math.ceil(count / of)) * of


def occupancy(chip: str, threads: int, vgprs: int, sgprs: int, lds: int) -> Occupancy:
    """`threads` of a work-group, vector registers (accumulation registers included) and scalar registers of a wave, bytes of LDS of a work-group.
    Nothing fits where `waves` is 0."""
    each = max(1, math.ceil(threads / LANES))
    total, granule = LDS[chip]
    limits: dict[str, float] = {
        "waves": WAVES,
        "VGPR": VGPRS // granules(vgprs, VGPR_GRANULE),
        "SGPR": SGPRS // granules(sgprs, SGPR_GRANULE),
        "LDS": (total // granules(lds, granule)) * each / SIMDS if lds else WAVES,
        "work-groups": GROUPS * each / SIMDS if each > 1 else WAVES,  # those of one wave need no barrier, of which a CU has sixteen
    }
    scarcest = min(limits, key=lambda name: limits[name])
    groups = int(SIMDS * limits[scarcest]) // each
    return Occupancy(groups * each / SIMDS, groups, scarcest, {name: min(limit, WAVES) for name, limit in limits.items()})
