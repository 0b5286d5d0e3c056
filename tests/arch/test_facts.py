"""Each number of a chip against the one in print: whoever changes one changes it here too, with the place where it is
printed."""

import pathlib

import numpy as np
import pytest

from avelang.arch import CHIPS, facts
from avelang.arch.facts import ComputeUnit, Multiprocessor

KIB = 1024

# CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability": resident threads, resident blocks
# and KiB of shared memory of an SM, KiB that one block may have. Registers are 64 K and 255 a thread on all.
MULTIPROCESSORS = {
    "sm_75": (1024, 16, 64, 64), "sm_80": (2048, 32, 164, 163), "sm_86": (1536, 16, 100, 99),
    "sm_89": (1536, 24, 100, 99),
    "sm_90": (2048, 32, 228, 227), "sm_90a": (2048, 32, 228, 227), "sm_100a": (2048, 32, 228, 227),
    "sm_103a": (2048, 32, 228, 227), "sm_120a": (1536, 24, 100, 99),
}  # fmt: skip
# LLVM, AMDGPUBaseInfo (waves of a SIMD, work-groups of a CU, granules); ISA guides (registers, LDS): KiB and granule of
# LDS.
COMPUTE_UNITS = {"gfx90a": (64, 512), "gfx942": (64, 512), "gfx950": (160, 1280)}
# Bytes a clock of LDS, read and written (CDNA 3 and CDNA 4 white papers; 32 banks of 4 bytes on NVIDIA's).
LDS_RATES = {"gfx90a": (128, 128), "gfx942": (128, 128), "gfx950": (256, 128)}
# Units; XCDs (ROCm, "AMD GPU specifications"); share of mma.sync (arXiv 2501.12084); clocks of a load (arXiv
# 2402.13499, table IV).
PRODUCTS = {
    "gfx90a": (110, 1, 1.0, None), "gfx942": (304, 8, 1.0, None), "gfx950": (256, 8, 1.0, None),
    "sm_75": (40, 1, 1.0, None),
    "sm_80": (108, 1, 1.0, 466), "sm_86": (84, 1, 1.0, None), "sm_89": (142, 1, 1.0, None),
    "sm_90": (132, 1, 0.629, 479),
    "sm_90a": (132, 1, 0.629, 479), "sm_100a": (148, 1, 1.0, None), "sm_103a": (160, 1, 1.0, None), "sm_120a": (170, 1, 1.0, None),
}  # fmt: skip
PTX = {"sm_75": 78, "sm_80": 78, "sm_86": 78, "sm_89": 87, "sm_90": 87, "sm_90a": 87, "sm_100a": 87, "sm_103a": 88,
    "sm_120a": 87}


def test_multiprocessors():
    found = {}
    for c in CHIPS.values():
        if isinstance(c.unit, Multiprocessor):
            found[c.name] = (c.unit.threads, c.unit.blocks, c.unit.shared // KIB, c.lds_bytes // KIB)
            assert (c.unit.registers, c.unit.partitions, c.unit.most_registers) == (65536, 4, 255)
            turing = c.name == "sm_75"
            assert (c.unit.granule, c.unit.reserved) == ((256, 0) if turing else (128, 1024))
    assert found == MULTIPROCESSORS
    assert {c.name: c.ptx for c in CHIPS.values() if c.ptx} == PTX


def test_compute_units():
    found = {}
    for c in CHIPS.values():
        if isinstance(c.unit, ComputeUnit):
            u = c.unit
            found[c.name] = (u.lds // KIB, u.lds_granule)
            assert (u.waves, u.vgprs, u.vgpr_granule, u.sgprs, u.sgpr_granule, u.simds, u.groups) == (8, 512, 8, 800,
                    16, 4, 16)
    assert found == COMPUTE_UNITS


def test_rates_of_shared_memory():
    for c in CHIPS.values():
        assert (c.shared.read, c.shared.write) == LDS_RATES.get(c.name, (128, 128)), c.name


def test_lines():
    """A cache line (nod-ai, "AMDGPU Kernel Optimization Guide", "Cache Hierarchy"); two transactions (CUDA C++
    Programming Guide)."""
    assert {(c.vendor, c.line) for c in CHIPS.values()} == {("amd", 128), ("nvidia", 2 * 32)}


def test_products():
    assert {
        c.name: (c.product.count, c.product.dies, c.product.sync_share, c.product.latency)
        for c in CHIPS.values()
        if c.product
    } == PRODUCTS
    assert {c.name for c in CHIPS.values() if c.dies == 8} == {"gfx942", "gfx950"}


@pytest.mark.parametrize("name", CHIPS)
def test_phases_serve_each_lane_once_and_no_more_than_the_banks_give(name):
    c = CHIPS[name]
    for kind in ("read", "write"):
        for nbytes in (1, 2, 4, 8, 12, 16):
            p = c.shared.phases(nbytes, kind)
            assert sorted(p.order) == list(range(c.wave)) and c.wave % p.size == 0
            assert p.size * nbytes <= 4 * p.banks and p.banks in (32, 64)
            assert np.concatenate(p.groups).tolist() == list(p.order)
            assert p.banks == (64 if (name, kind) == ("gfx950", "read") and nbytes != 12 else 32)


def test_limits_of_launches():
    """CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", "Thread Block Clusters"; the host
    code has its copy in C."""
    assert (facts.MAX_BLOCKS, facts.MAX_THREADS) == ((2147483647, 65535, 65535), 1024)
    assert (facts.MAX_CLUSTER, facts.PORTABLE_CLUSTER, facts.STATIC_SHARED) == (16, 8, 49152)
    host = (pathlib.Path(facts.__file__).parents[1] / "native" / "host" / "launch.c").read_text()
    assert f"#define MOST_YZ {facts.MAX_BLOCKS[1]} " in host
