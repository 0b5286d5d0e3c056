"""NVIDIA's chips: every fact of them that Ave uses, each with its source.

Threads, blocks, registers and shared memory of an SM, the most shared memory of a block, 255 registers a thread: CUDA
C++ Programming Guide 13.0, "Compute Capabilities", table "Technical Specifications per Compute Capability"; 1 KiB of
each block is the system's since 8.0: "Shared Memory" there. Four partitions, registers allocated to a warp by 256,
shared memory by 256 bytes, by 128 since 8.0: cuda_occupancy.h of the toolkit. Features of "a" targets are not
inherited: PTX ISA, target strings. PTX versions: the least that has all rows of the chip (PTX ISA, release notes: fp8
mma 8.4, its f16 accumulators 8.7, sm_100a 8.6; 7.8 has what older chips have).

Shared memory has 32 banks of 4 bytes, and lanes that ask for one word share it: CUDA C++ Programming Guide, "Shared
Memory" of compute capability 5.x and later. Accesses of 8 bytes go by half warps, those of 16 and `ldmatrix` by
quarters: CUTLASS, "Efficient GEMM in CUDA", and NVIDIA's forum answers of its engineers; not in the guide."""

from __future__ import annotations

from avelang.arch.facts import KIB, MAX_THREADS, Chip, Multiprocessor, SharedMemoryFacts, Sku, in_order

WARP = 32
_PHASES = in_order(WARP, (32, 16, 8, 8))
_SHARED = SharedMemoryFacts(128, 128, _PHASES, _PHASES)  # type: ignore[arg-type]

# H200 data sheet: 4.8 TB/s, 989.4 TFLOP/s of bf16, which 132 SMs of 4 x 512 multiplications (H100 white paper) make at
# 1.83 GHz; 4.42 TB/s were measured for reading (`benchmarks/NOTES.md`). L2: 4472 bytes a clock of an H800's 114 SMs,
# measured (Luo and others, "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", arXiv 2402.13499, table
# V). `mma.sync` reaches 62.9 % of what wgmma does on the average (the same, "Dissecting the NVIDIA Hopper Architecture
# through Microbenchmarking and Multiple Level Analysis", arXiv 2501.12084). Latency: the first, table IV.
_H200 = Sku("H200", 132, 4, 1.83e9, 4.8e12, 4472.3 * 132 / 114, 255, rate=512, sync_share=0.629, latency=479)

# 2.25 PFLOP/s of bf16: Together AI, "FlashAttention-4", which 148 SMs (Chips and Cheese, "Nvidia's B200") of 4 x 1024
# multiplications make at 1.86 GHz; shared memory moves 128 bytes a clock, as Hopper's (the same). 7.67 TB/s: 7680 bits,
# 3.996 GHz, two a clock (pytorch/ao, pull request 4002). Neither L2's rate nor a latency was found.
_B200 = Sku("B200", 148, 4, 1.86e9, 7.67e12, None, 255, rate=1024)

# 160 SMs: NVIDIA at Hot Chips 2025 (TweakTown, 26 August 2025). 2.5 PFLOP/s of bf16 and 8 TB/s (Verda, "GB300 NVL72
# Architecture"), which they make at 1.91 GHz.
_GB300 = Sku("GB300", 160, 4, 1.91e9, 8e12, None, 255, rate=1024)

# 170 SMs, 2.407 GHz, 1792 GB/s, 838 TFLOP/s of f16 with sparsity (Linux Format, May 2025): 128 multiplications for sums
# in f16, and half as many for sums in f32, as the RTX 4090's.
_RTX_5090 = Sku("RTX 5090", 170, 4, 2.407e9, 1792e9, None, 255, rate=64)

# Name; opt-in shared memory of a block in KiB; kind of fp8; version of PTX; the SM; the product.
_TABLE: tuple[tuple[str, int, str, int, Multiprocessor, Sku | None], ...] = (
    # 40 SMs, 1.59 GHz, 320 GB/s, 65 TFLOP/s of f16: T4 data sheet. Two tensor cores of 64 multiplications in each
    # partition: Turing white paper. L2's rate was not found.
    ("sm_75", 64, "", 78, Multiprocessor(1024, 16, 64 * KIB, 256, 0),
     Sku("T4", 40, 4, 1.59e9, 320e9, None, 255, rate=128)),
    # A100 white paper: 108 SMs, 1.41 GHz, 255 registers (tables 4 and 5), 256 multiplications a tensor core, 5120 bytes
    # of L2 a clock ("L2 Cache"). 2.039 TB/s: data sheet of the 80 GB SXM model. Latency: arXiv 2402.13499, table IV.
    ("sm_80", 163, "", 78, Multiprocessor(2048, 32, 164 * KIB),
     Sku("A100 80 GB", 108, 4, 1.41e9, 2.039e12, 5120, 255, rate=256, latency=466)),
    # A40 data sheet: 84 SMs, 1.74 GHz, 696 GB/s, 149.7 TFLOP/s of f16. L2's rate was not found.
    ("sm_86", 99, "", 78, Multiprocessor(1536, 16, 100 * KIB), Sku("A40", 84, 4, 1.74e9, 696e9, None, 255, rate=128)),
    # L40 data sheet: 142 SMs, 2.49 GHz, 864 GB/s, 362.1 TFLOP/s of f16. L2's rate was not found.
    ("sm_89", 99, "ocp", 87, Multiprocessor(1536, 24, 100 * KIB),
     Sku("L40", 142, 4, 2.49e9, 864e9, None, 255, rate=128)),
    ("sm_90", 227, "ocp", 87, Multiprocessor(2048, 32, 228 * KIB), _H200),
    ("sm_90a", 227, "ocp", 87, Multiprocessor(2048, 32, 228 * KIB), _H200),
    ("sm_100a", 227, "ocp", 87, Multiprocessor(2048, 32, 228 * KIB), _B200),
    # PTX ISA, release notes: sm_103a since 8.8, sm_120a since 8.7. The latter's SM: that of 12.0 in the guide's table.
    ("sm_103a", 227, "ocp", 88, Multiprocessor(2048, 32, 228 * KIB), _GB300),
    ("sm_120a", 99, "ocp", 87, Multiprocessor(1536, 24, 100 * KIB), _RTX_5090),
)


def _version(name: str) -> int:
    return int(name.removeprefix("sm_").rstrip("a"))


def _chip(name: str, shared: int, fp8: str, ptx: int, unit: Multiprocessor, product: Sku | None) -> Chip:
    # A generation has all features of the ones before it, except what an "a" target has for itself alone.
    older = {f"sm_{_version(n)}" for n, *_ in _TABLE if _version(n) <= _version(name)}
    own = {name, *older, *([f"fp8-{fp8}"] if fp8 else [])}
    return Chip(name, "nvidia", WARP, frozenset(own), shared * KIB, MAX_THREADS, fp8, unit, _SHARED, product, ptx)


NVIDIA: tuple[Chip, ...] = tuple(_chip(*row) for row in _TABLE)
