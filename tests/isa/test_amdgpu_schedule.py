"""Rows for the scheduler: they compute nothing, have their ranges, and LLVM knows them by the names and immediates that
the rows say."""

from __future__ import annotations

import re

import llvmlite.binding as llvm
import pytest

from avelang.isa.amdgpu.schedule import waitcnt_immediate
from avelang.isa.lowering import spelling
from avelang.isa.row import ROWS, in_range
from isa.amdgpu_waves import Bench, semantics
from isa.test_amdgpu_mfma_rows import _machine

NAMES = ("s_waitcnt", "s_setprio", "s_nop", "s_sleep", "sched_barrier", "sched_group_barrier")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_computed_but_nothing_is_removed(name):
    row, bench = ROWS[f"amdgpu.{name}"], Bench()
    before = len(bench.body.ops)
    args = [p.range[0] for p in row.params]
    assert semantics(name, *args) is None and row.lower(bench.b, *args) is None
    assert len(bench.body.ops) == before and row.effects and row.result is None


def test_ranges_of_waitcnt():
    for p, top in zip(ROWS["amdgpu.s_waitcnt"].params, (63, 7, 15), strict=True):
        assert in_range(p, 0) and in_range(p, top) and not in_range(p, top + 1) and not in_range(p, -1)


def assembly(call: str, params: str) -> str:
    name = call.split("(")[0]
    module = llvm.parse_assembly(f"""target triple = "amdgcn-amd-amdhsa"
        declare void @{name}({params})
        define amdgpu_kernel void @k() {{
          call void @{call}
          ret void
        }}""")
    module.verify()
    return _machine("gfx942").emit_assembly(module)


@pytest.mark.parametrize("counts", [(0, 7, 15), (63, 0, 15), (17, 7, 0), (5, 3, 9)])
def test_waitcnt_immediate_is_llvms(counts):
    """Counters that are at their limit are not waited for, and LLVM leaves them out of the text."""
    text = assembly(f"llvm.amdgcn.s.waitcnt(i32 {waitcnt_immediate(*counts)})", "i32")
    shown = dict(re.findall(r"(vmcnt|expcnt|lgkmcnt)\((\d+)\)", re.search(r"\ts_waitcnt (.*)", text)[1]))
    assert {k: int(v) for k, v in shown.items()} == {
        k: v for k, v, top in zip(("vmcnt", "expcnt", "lgkmcnt"), counts, (63, 7, 15), strict=True) if v != top
    }


@pytest.mark.parametrize("name", NAMES[1:])
def test_llvm_knows_the_others(name):
    row = ROWS[f"amdgpu.{name}"]
    kinds = ["i16" if name in ("s_setprio", "s_nop") else "i32" for _ in row.params]
    given = ", ".join(f"{k} 1" for k in kinds)
    text = assembly(f"{spelling(row.llvm['amdgpu'])}({given})", ", ".join(kinds))
    # The scheduling fences leave nothing in the text; a name that LLVM did not know would be a call.
    assert "s_swappc" not in text and "@rel32" not in text
    assert name.startswith("sched") or f"\t{name} 1" in text
