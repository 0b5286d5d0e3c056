"""What a GPU of each chip has, for models of time: a chip's name comes in; units, pipes, clock, registers and bandwidths go out.

A chip is sold in several products; the one whose numbers stand here is named. What was not found in print is None, and says so. Peak rates that
follow from these numbers are held against the published ones by `tests/arch/test_units.py`.
"""

from __future__ import annotations

import dataclasses

from avelang.arch import chip
from avelang.base.errors import error


@dataclasses.dataclass(frozen=True, slots=True)
class Units:
    """`count` of compute units (SMs), `pipes`: matrix pipes of each (one to a SIMD or partition), `clock`: hertz at which peak rates are quoted,
    `memory`: bytes a second of device memory, `l2`: bytes a clock of the whole L2 (None: not found), `shared`: bytes a clock that a unit reads from
    LDS or shared memory, `registers`: of 32 bits that a lane may have, `rate`: multiplications of 16-bit operands a clock and pipe by NVIDIA's
    (None: AMD's follow from the passes of its instructions, `avelang.isa.amdgpu.passes`)."""

    product: str
    count: int
    pipes: int
    clock: float
    memory: float
    l2: float | None
    shared: int
    registers: int
    rate: int | None = None

    @property
    def memory_clock(self) -> float:
        """Bytes of device memory for one unit in one clock."""
        return self.memory / self.clock / self.count

    @property
    def l2_clock(self) -> float:
        """Bytes of L2 for one unit in one clock; where L2's rate is not known, `ASSUMED_L2`."""
        return ASSUMED_L2 if self.l2 is None else self.l2 / self.count


# Bytes a clock and unit, where nothing is published: as an A100's, 5120 / 108.
ASSUMED_L2 = 5120 / 108

UNITS: dict[str, Units] = {
    # One die of two. 110 units a die, 512 KiB of VGPRs a unit (4 SIMDs x 64 lanes x 512 registers): ROCm, "AMD GPU specifications". 1.7 GHz, L2 of
    # 6.96 TB/s at that clock, 4096 bytes: AMD CDNA 2 white paper, endnotes (both dies' matrix peak, 383.0 TFLOP/s: CDNA 3 white paper, endnote
    # MI300-11). 3.2 TB/s for two dies: MI250X data sheet. LDS 128 bytes: ROCm Compute Profiler, speed of light, "Theoretical LDS Bandwidth".
    "gfx90a": Units("MI250X (one die)", 110, 4, 1.7e9, 1.6e12, 4096, 128, 512),
    # 304 units: ROCm, "MI300 series microarchitecture". 2.1 GHz, 1307.4 TFLOP/s of bf16, 2614.9 of fp8 and i8: AMD CDNA 3 white paper, endnote
    # MI300-11. 5.3 TB/s: MI300X data sheet. L2: 16 channels of each of 8 dies, 128 bytes each (ROCm Compute Profiler, speed of light, "L2 Cache BW").
    "gfx942": Units("MI300X", 304, 4, 2.1e9, 5.3e12, 8 * 16 * 128, 128, 512),
    # 256 units (ROCm, "AMD GPU specifications"), 2.4 GHz, 8 TB/s (MI355X data sheet). L2 as before. LDS: reads of 8 and 16 bytes a lane at 256 bytes
    # (nod-ai, "AMDGPU Kernel Optimization Guide", "MI355X").
    "gfx950": Units("MI355X", 256, 4, 2.4e9, 8e12, 8 * 16 * 128, 256, 512),
    # 40 SMs, 1.59 GHz, 320 GB/s, 65 TFLOP/s of f16: T4 data sheet. Two tensor cores of 64 multiplications in each partition: Turing white paper. L2's
    # rate was not found.
    "sm_75": Units("T4", 40, 4, 1.59e9, 320e9, None, 128, 255, 128),
    # A100 white paper: 108 SMs, 1.41 GHz, 255 registers (tables 4 and 5), 256 multiplications a tensor core, 5120 bytes of L2 a clock ("L2 Cache").
    # 2.039 TB/s: data sheet of the 80 GB SXM model. Shared memory: 32 banks of 4 bytes (CUDA C++ Programming Guide), all NVIDIA chips.
    "sm_80": Units("A100 80 GB", 108, 4, 1.41e9, 2.039e12, 5120, 128, 255, 256),
    # A40 data sheet: 84 SMs, 1.74 GHz, 696 GB/s, 149.7 TFLOP/s of f16. L2's rate was not found.
    "sm_86": Units("A40", 84, 4, 1.74e9, 696e9, None, 128, 255, 128),
    # L40 data sheet: 142 SMs, 2.49 GHz, 864 GB/s, 362.1 TFLOP/s of f16. L2's rate was not found.
    "sm_89": Units("L40", 142, 4, 2.49e9, 864e9, None, 128, 255, 128),
    # H200 data sheet: 4.8 TB/s, 989.4 TFLOP/s of bf16, which 132 SMs of 4 x 512 multiplications (H100 white paper) make at 1.83 GHz; 4.42 TB/s were
    # measured for reading (`benchmarks/NOTES.md`). L2: 4472 bytes a clock of an H800's 114 SMs, measured (Luo and others, "Benchmarking and
    # Dissecting the Nvidia Hopper GPU Architecture", arXiv 2402.13499, table V).
    "sm_90a": Units("H200", 132, 4, 1.83e9, 4.8e12, 4472.3 * 132 / 114, 128, 255, 512),
}
UNITS["sm_90"] = dataclasses.replace(UNITS["sm_90a"])

# Part of the matrix rate that `mma.sync` reaches, where wgmma has all of it: 62.9 % on the average (Luo and others, "Dissecting the NVIDIA Hopper
# Architecture through Microbenchmarking and Multiple Level Analysis", arXiv 2501.12084).
SYNC_SHARE: dict[str, float] = {"sm_90": 0.629, "sm_90a": 0.629}


def units(name: str) -> Units:
    """Those of a chip. Raises U101 for one that is not known, U103 for one whose numbers are not here."""
    chip(name)
    if name not in UNITS:
        raise error("U103", name=name, what="a table of its units", instead=f"{', '.join(UNITS)} have one")
    return UNITS[name]
