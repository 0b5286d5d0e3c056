"""The code of a kernel comes in; what it takes on its chip goes out: registers, spills, memory, occupancy."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from avelang.inspection.inspected import Fact
from avelang.runtime.compile import chip_of

if TYPE_CHECKING:
    from avelang.amdgcn.report import KernelReport
    from avelang.inspection.stages import Stages
    from avelang.runtime.resources import Resources


def facts(made: Stages, where: Callable[[str, int], str]) -> list[Fact]:
    """Figures of what a kernel takes; empty on the CPU, and on NVIDIA where there is no ptxas. `where`: words for an op
    by its number."""
    chip = chip_of(made.chip)
    if chip is None:
        return []
    if chip.vendor == "amd":
        return amd_facts(amd_report(made))
    if not made.said:
        return []
    found = nvidia_resources(made)
    return [*nvidia_facts(found, where),
            *(Fact(f"ptxas {x.number}".strip(), x.text, where(x.file, x.line) if x.line else "", x.costly)
              for x in found.remarks)]  # fmt: skip


def amd_report(made: Stages) -> KernelReport:
    """The static report of AMD's assembly."""
    from avelang.amdgcn.asm import parse
    from avelang.amdgcn.report import report_of

    return report_of(parse(made.code), made.chip, None)


def nvidia_resources(made: Stages) -> Resources:
    """The resources that ptxas reported."""
    from avelang.runtime.resources import of_report

    threads = made.block[0] * made.block[1] * made.block[2]
    return of_report(made.cubin, made.said, made.entry, made.chip, threads, made.dynamic_bytes)


def amd_facts(r: KernelReport) -> list[Fact]:
    """The figures of AMD's assembly."""
    from avelang.base.errors import counted

    o = r.occupancy
    limits = ", ".join(f"{name} {waves:g}" for name, waves in o.limits.items())
    spilled = r.vgpr_spills + r.sgpr_spills
    group = f"a work-group of at most {r.threads} threads"
    return [
        Fact("VGPR", str(r.vgpr), f"{r.vgpr_allocated} allocated, AGPR included"),
        Fact("AGPR", str(r.agpr)),
        Fact("SGPR", str(r.sgpr), f"{r.sgpr_allocated} allocated"),
        Fact("spills", f"{r.vgpr_spills} VGPR, {r.sgpr_spills} SGPR", "", spilled > 0),
        Fact("scratch", f"{r.scratch} bytes", "a lane"),
        Fact("LDS", f"{r.lds} bytes", group + (f"; {r.dynamic_lds} of them at launch" if r.dynamic_lds else "")),
        Fact("occupancy", f"{o.waves:g} waves a SIMD",
             f"limited by {o.limited_by}, {counted(o.groups, 'work-group')} a CU; alone: {limits}"),
        Fact("code", f"{r.instructions} instructions", f"{r.code_bytes} bytes" if r.code_bytes is not None else ""),
    ]  # fmt: skip


def nvidia_facts(r: Resources, where: Callable[[str, int], str] | None = None) -> list[Fact]:
    """The figures that ptxas reported. `where`: words for a file and a line of its; file:line where it is left out."""
    from avelang.base.errors import counted

    where = where or (lambda file, line: f"{os.path.basename(file)}:{line}")
    o = r.residency
    limits = ", ".join(f"{name} {blocks}" for name, blocks in o.limits.items())
    places = ", ".join(f"{where(file, line)}: {size}" for file, line, size in r.spilled_at)
    return [
        Fact("registers", str(r.registers), f"a thread, of {counted(r.threads, 'thread')} in a block"),
        Fact("spills", f"{r.stored} bytes stored, {r.loaded} loaded", places, r.stored + r.loaded > 0),
        Fact("stack", f"{r.stack} bytes", "a thread"),
        Fact("shared memory", f"{r.shared + r.dynamic} bytes",
             f"{r.shared} of the kernel's own, {r.dynamic} that come with the launch"),
        Fact("barriers", str(r.barriers)),
        Fact("occupancy", f"{counted(o.blocks, 'block')} an SM",
             f"{o.warps} warps, {o.share:.0%}; limited by {o.limited_by}; alone: {limits}"),
        Fact("code", f"{r.code_bytes} bytes", f"the whole file, by {r.assembler}"),
    ]  # fmt: skip
