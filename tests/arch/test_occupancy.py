"""Occupancy, against what LLVM writes beside the code it makes, and by hand where whole work-groups matter."""

from __future__ import annotations

import itertools
import math
import re
import subprocess

import pytest

from avelang.amdgcn.report import report
from avelang.arch.occupancy import occupancy
from tools import compiler

KERNEL = """{lds_global}
define amdgpu_kernel void @k() #0 {{
{lds_use}  call void asm sideeffect "", "{clobbers}"()
  ret void
}}
attributes #0 = {{ "amdgpu-flat-work-group-size"="{threads},{threads}" }}
"""


def ir(vgpr: int, agpr: int, sgpr: int, lds: int, threads: int) -> str:
    """A kernel that touches the registers with the highest of these numbers."""
    files = (("v", vgpr), ("a", agpr), ("s", sgpr))
    return KERNEL.format(
        lds_global=f"@m = internal addrspace(3) global [{lds} x i8] poison, align 16" if lds else "",
        lds_use="  store volatile i8 0, ptr addrspace(3) @m\n" if lds else "",
        clobbers=",".join(f"~{{{letter}{n - 1}}}" for letter, n in files if n), threads=threads,
    )  # fmt: skip


# Numbers of scalar registers stay clear of 97 to 100, which LLVM's table of occupancy gives eight waves, and the
# granule of 16 seven.
CASES = list(
    itertools.product((8, 65, 129, 200), (0, 100), (16, 80, 98), (0, 1000, 18432, 40000), (64, 128, 256, 1024))
)


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950"])
def test_llvm_says_the_same(chip):
    compared = set()
    for vgpr, agpr, sgpr, lds, threads in CASES[:: len(CASES) // 24 + 1]:
        done = subprocess.run(compiler(chip), input=ir(vgpr, agpr, sgpr, lds, threads), capture_output=True, text=True)
        if done.returncode:  # more registers than a work-group of that size may have
            continue
        said = dict(re.findall(r"^; (\w+): (\d+)", done.stdout, re.M))
        r = report(done.stdout)
        assert (r.vgpr, r.agpr) == (int(said["NumVgprs"]),
                                    int(said["NumAgprs"])) and r.lds == int(said["LDSByteSize"]) == lds
        assert r.sgpr == int(said["TotalNumSgprs"]) and r.scratch == int(said["ScratchSize"]) and r.threads == threads
        assert math.ceil(min(r.occupancy.limits.values())) == int(said["Occupancy"]), (vgpr, agpr, sgpr, lds, threads)
        compared.add(int(said["Occupancy"]))
    assert len(compared) >= 4


@pytest.mark.parametrize(
    "threads,vgprs,sgprs,lds,waves,groups,by",
    [
        (256, 128, 32, 0, 4, 4, "VGPR"),
        (512, 168, 32, 0, 2, 1, "VGPR"),  # three waves fit on a SIMD, two groups of eight waves on a CU do not
        (1024, 256, 32, 0, 0, 0, "VGPR"),
        (64, 8, 16, 6144, 2.5, 10, "LDS"),
        (64, 8, 16, 0, 8, 32, "waves"),
        (128, 8, 16, 0, 8, 16, "waves"),
        (100, 8, 16, 100, 8, 16, "waves"),  # a wave that is not full counts as one
        (256, 8, 104, 0, 7, 7, "SGPR"),
        (256, 8, 16, 65537, 0, 0, "LDS"),
    ],
)
def test_by_hand(threads, vgprs, sgprs, lds, waves, groups, by):
    got = occupancy("gfx942", threads, vgprs, sgprs, lds)
    assert (got.waves, got.groups, got.limited_by) == (waves, groups, by)


def test_gfx950_has_more_lds_in_larger_pieces():
    assert occupancy("gfx950", 256, 64, 32, 65536).groups == 2
    assert occupancy("gfx950", 64, 8, 16, 10241).groups == 14  # 11520 bytes each
    assert occupancy("gfx942", 256, 64, 32, 65536).groups == 1
