"""AMD's chips: every fact of them that Ave uses, each with its source.

Wave size, kind of fp8, processors: LLVM, "User Guide for AMDGPU Backend". LDS of a work-group: CDNA2, CDNA3 and CDNA4
ISA guides, section "LDS". A SIMD has 512 vector registers a lane, which accumulation registers share, allocated by 8,
and 800 scalar registers, allocated by 16; a CU has four SIMDs and the LDS: the same guides, "VGPRs" and "SGPRs". 8
waves a SIMD, 16 work-groups of several waves a CU, LDS allocated by 512 bytes (1280 on gfx950): LLVM, AMDGPUBaseInfo.

LDS has 32 banks of 4 bytes, bank = address / 4 % 32, each of which serves one dword a clock, and accesses take phases
of 128 bytes: ROCm, Composable Kernel, "Understanding AMD GPU LDS and Bank Conflicts"; the phases of b32 (32 lanes after
one another), b64 (16) and b128 reads (8, taken from two places) and of b128 writes (8 after one another) on MI300X:
that page; nod-ai, "AMDGPU Kernel Optimization Guide" and its "Empirical LDS Measurements". Assumed: b64 writes have the
phases of b64 reads, b96 those of b128, narrow accesses those of b32. gfx950 reads by 64 banks, in phases that were
measured on an MI350X (nod-ai, "Empirical LDS Measurements", "CDNA4 MI350X"; the same in Triton's pull request 11365; 64
banks also in LLVM's 220632). That its writes and its reads of 12 bytes go as on gfx942 is what rocRoller's model of
banks says (`LDSBankModel.cpp`); of reads of 4 bytes it says the same, where 64 lanes at once were measured: we follow
the measurement."""

from __future__ import annotations

from avelang.arch.facts import KIB, MAX_THREADS, Chip, ComputeUnit, Phases, SharedMemoryFacts, Sku, in_order

WAVE = 64


def _wide(*first: tuple[int, ...]) -> tuple[int, ...]:
    """Lanes in the order in which reads of 16 bytes are served: fours of lanes that begin at these, then the same in
    the upper half of the wave."""
    return tuple(half + lane + i for half in (0, 32) for lanes in first for lane in lanes for i in range(4))


_B32, _B64, _, _B128 = _ORDERED = in_order(WAVE, (32, 16, 8, 8))
_WIDE = Phases(_wide((0, 20), (4, 16), (8, 28), (12, 24)), 8, 32)
_CDNA = SharedMemoryFacts(128, 128, (_B32, _B64, _WIDE, _WIDE), (_B32, _B64, _B128, _B128))
_CDNA4 = SharedMemoryFacts(
    # Reads of 8 and 16 bytes a lane at 256 bytes a clock: nod-ai, "AMDGPU Kernel Optimization Guide", "MI355X".
    256, 128,
    (*in_order(WAVE, (64, 32), 64), _WIDE,
     Phases(_wide((0, 12, 20, 24), (4, 8, 16, 28)), 16, 64)),  # type: ignore[arg-type]
    (_B32, _B64, _B128, _B128),
)  # fmt: skip


def _chip(name: str, lds: int, granule: int, fp8: str, features: str, shared: SharedMemoryFacts, product: Sku,
          *others: Sku) -> Chip:
    """ "gfx9" is what the three chips share; "mfma-gfx90a" the matrix instructions that all three have, "mfma-gfx908"
    those that gfx942 dropped, "mfma-gfx942" those that came with it and stayed."""
    own = {"gfx9", "mfma-gfx90a", name, *features.split(), *([f"fp8-{fp8}"] if fp8 else [])}
    return Chip(name, "amd", WAVE, frozenset(own), lds * KIB, MAX_THREADS, fp8, ComputeUnit(lds * KIB, granule),
                shared, product, others=others)


AMD: tuple[Chip, ...] = (
    # One die of two. 110 units a die, 512 KiB of VGPRs a unit (4 SIMDs x 64 lanes x 512 registers): ROCm, "AMD GPU
    # specifications". 1.7 GHz, L2 of 6.96 TB/s at that clock, 4096 bytes: AMD CDNA 2 white paper, endnotes (both dies'
    # matrix peak, 383.0 TFLOP/s: CDNA 3 white paper, endnote MI300-11). 3.2 TB/s for two dies: MI250X data sheet. LDS
    # 128 bytes: ROCm Compute Profiler, speed of light, "Theoretical LDS Bandwidth".
    _chip("gfx90a", 64, 512, "", "mfma-gfx908", _CDNA, Sku("MI250X (one die)", 110, 4, 1.7e9, 1.6e12, 4096, 512),
          # 104 units a die, else the same: ROCm, "AMD GPU specifications"; MI210 and MI250 data sheets.
          Sku("MI210, MI250 (one die)", 104, 4, 1.7e9, 1.6e12, 4096, 512)),
    # 304 units on 8 XCDs: ROCm, "MI300 series microarchitecture". 2.1 GHz, 1307.4 TFLOP/s of bf16, 2614.9 of fp8 and
    # i8: AMD CDNA 3 white paper, endnote MI300-11. 5.3 TB/s: MI300X data sheet. L2: 16 channels of each die, 128 bytes
    # each (ROCm Compute Profiler, speed of light, "L2 Cache BW"). Infinity Cache: 17.2 TB/s (AMD CDNA 3 white paper).
    _chip("gfx942", 64, 512, "fnuz", "mfma-gfx942 xf32 fp8-cvt", _CDNA,
          Sku("MI300X", 304, 4, 2.1e9, 5.3e12, 8 * 16 * 128, 512, 8, mall=17.2e12),
          # 228 units on 6 XCDs: ROCm, "AMD GPU specifications"; 2.1 GHz, 5.3 TB/s: MI300A data sheet.
          Sku("MI300A", 228, 4, 2.1e9, 5.3e12, 6 * 16 * 128, 512, 6, mall=17.2e12)),
    # 256 units on 8 XCDs (ROCm, "AMD GPU specifications"), 2.4 GHz, 8 TB/s (MI355X data sheet). L2 as
    # before; so, we assume, the Infinity Cache, of the same size.
    _chip("gfx950", 160, 1280, "ocp", "mfma-gfx942 mfma-gfx950 fp8-cvt lds-load-wide", _CDNA4,
          Sku("MI355X", 256, 4, 2.4e9, 8e12, 8 * 16 * 128, 512, 8, mall=17.2e12)),
)  # fmt: skip
