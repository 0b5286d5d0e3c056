"""What a kernel takes and what its main loop does: assembly text or a code object comes in, a `KernelReport` goes out.
Static: nothing is run.

Registers, spills, scratch and LDS are what the compiler wrote into descriptor and metadata. The counts of the main loop
(`loops.main_loop`) are of one iteration of one wave; where the loop has an `if`, both sides count.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable

from avelang.amdgcn.asm import AsmProgram, MCInst, parse
from avelang.amdgcn.code_object import CodeObject
from avelang.amdgcn.disassemble import assembly
from avelang.amdgcn.loops import main_loop
from avelang.arch import chip as chip_of
from avelang.arch.occupancy import Occupancy, occupancy
from avelang.base.errors import error
from avelang.isa.amdgpu.instructions import CHIPS, DS, FLAT, MATRIX, SMEM, VALU, VMEM
from avelang.isa.amdgpu.passes import CLOCKS, passes

KINDS = ("matrix", "LDS read", "LDS write", "LDS other", "load", "load to LDS", "store", "atomic", "scratch",
    "scalar load", "VALU", "SALU", "wait",
         "barrier", "branch", "no-op", "priority")  # fmt: skip
_BY_CLASS = {"barrier": "barrier", "nop": "no-op", "priority": "priority", "wait": "wait", "sleep": "wait"}
_BY_ACCESS = {"load": "load", "lds-load": "load to LDS", "store": "store", "lds-store": "store", "atomic": "atomic"}
_OF_LDS = {"load": "LDS read", "store": "LDS write"}


def kind(ins: MCInst) -> str:
    """The one of `KINDS` to which an instruction belongs."""
    d = ins.desc
    if d.is_branch or "fork" in d.classes:
        return "branch"
    if by_class := next((_BY_CLASS[c] for c in d.classes if c in _BY_CLASS), ""):
        return by_class
    if d.unit == MATRIX:
        return "matrix"
    if d.unit == DS:
        return _OF_LDS.get(d.access, "LDS other")
    if d.unit in (VMEM, FLAT):
        if "scratch" in d.encodings:
            return "scratch"
        if d.access == "load" and ins.mods.get("lds"):
            return "load to LDS"
        return _BY_ACCESS.get(d.access, "SALU")  # caches are written back and invalidated in the scalar unit's turn
    if d.unit == VALU:
        return "VALU"
    return "scalar load" if d.unit == SMEM and d.access == "load" else "SALU"


@dataclasses.dataclass(frozen=True, slots=True)
class MainLoop:
    """One iteration of the main loop of one wave. `lines`: its first and last line in the text. `counts`: instructions
    by kind and mnemonic. `passes` and `matrix_clocks`: how long its matrix instructions hold the matrix core.
    `lds_read` and `lds_written`: bytes of all lanes. `lds_ratio`: the clocks that the LDS of a CU takes for that, when
    all four SIMDs run this loop, over the clocks of the matrix core; 0 without matrix instructions."""

    lines: tuple[int, int]
    instructions: int
    counts: dict[str, dict[str, int]]
    passes: int
    matrix_clocks: int
    lds_read: int
    lds_written: int
    lds_ratio: float


@dataclasses.dataclass(frozen=True, slots=True)
class KernelReport:
    """Resources of a kernel. `vgpr` are vector registers in use, `agpr` accumulation registers; `vgpr_allocated` and
    `sgpr_allocated` what a wave gets, which the compiler raises where occupancy is limited anyway. `threads`: the
    largest work-group. `lds`: bytes, `dynamic_lds` of them given at launch. `code_bytes` is None where it
    is not known."""

    kernel: str
    chip: str
    vgpr: int
    agpr: int
    sgpr: int
    vgpr_allocated: int
    sgpr_allocated: int
    vgpr_spills: int
    sgpr_spills: int
    scratch: int
    lds: int
    dynamic_lds: int
    threads: int
    occupancy: Occupancy
    instructions: int
    code_bytes: int | None
    loop: MainLoop | None


def matrix_passes(ins: MCInst, chip: str) -> int:
    """`passes` of an instruction as it stands, with the formats that it names."""
    return passes(ins.name, chip, (ins.int("cbsz"), ins.int("blgp")))


def loop_report(code: Iterable[MCInst], chip: str) -> MainLoop:
    """The counts of a loop's instructions."""
    code = list(code)
    counts: dict[str, Counter[str]] = {}
    moved: Counter[str] = Counter()
    for ins in code:
        counts.setdefault(kind(ins), Counter())[ins.name] += 1
        moved[kind(ins)] += ins.desc.nbytes * chip_of(chip).wave
    held = sum(matrix_passes(i, chip) for i in code if i.desc.unit == MATRIX)
    read, written = moved["LDS read"], moved["LDS write"] + moved["load to LDS"]
    lds = chip_of(chip).shared
    # Four SIMDs move four waves' bytes in the clocks that each one's matrix core is busy.
    ratio = 4 * (read / lds.read + written / lds.write) / (held * CLOCKS) if held else 0.0
    ordered = {k: dict(sorted(counts[k].items())) for k in KINDS if k in counts}
    return MainLoop((code[0].line, code[-1].line), len(code), ordered, held, held * CLOCKS, read, written, ratio)


def report_of(
    program: AsmProgram, chip: str = "", kernel: str | None = None, dynamic_lds: int = 0, code_bytes: int | None = None
) -> KernelReport:
    """The report of a kernel, the first where no name is given. `chip`: where the text names no target. Raises D023 for
    an unknown kernel, D025 where the text has no kernel or names no chip that Ave knows."""
    name = kernel or next(iter(program.kernels), "")
    chip = program.chip or chip
    if name not in program.kernels:
        if kernel is None:
            raise error("D025", why="it has no `.amdhsa_kernel`, which says what a kernel takes")
        raise error("D023", what="the assembly", name=kernel, known=", ".join(program.kernels) or "none")
    if chip not in CHIPS:
        raise error("D025", why=f"its target is {chip or 'not named'}; Ave knows {', '.join(CHIPS)}")
    found = program.kernels[name]
    said = found.said

    def symbol(part: str) -> int | None:  # `.set NAME.num_vgpr, 30`
        return next(
            (program.sets[f"{dot}{name}.{part}"] for dot in ("", ".L") if f"{dot}{name}.{part}" in program.sets), None
        )

    agpr = said.get("agpr_count", symbol("num_agpr") or 0)
    vgpr = symbol("num_vgpr")
    if (
        vgpr is None
    ):  # with accumulation registers, the metadata counts both, the first kind rounded up to where the second begins
        vgpr = said.get("vgpr_count", found.get("next_free_vgpr")) - agpr
    total = max(found.get("next_free_vgpr"), said.get("vgpr_count", 0))
    sgpr = said.get("sgpr_count", found.get("next_free_sgpr"))
    sgprs = max(
        found.get("next_free_sgpr") + 6, sgpr
    )  # flat scratch, XNACK and VCC stand behind those that the kernel numbers
    lds = found.get("group_segment_fixed_size", said.get("group_segment_fixed_size", 0)) + dynamic_lds
    threads = said.get("max_flat_workgroup_size", 1024)
    loop = main_loop(program, name)
    return KernelReport(
        kernel=name, chip=chip, vgpr=vgpr, agpr=agpr, sgpr=sgpr, vgpr_allocated=-(-total // 8) * 8,
        sgpr_allocated=-(-sgprs // 16) * 16,
        vgpr_spills=said.get("vgpr_spill_count", 0), sgpr_spills=said.get("sgpr_spill_count", 0),
        scratch=found.get("private_segment_fixed_size", said.get("private_segment_fixed_size", 0)), lds=lds,
        dynamic_lds=dynamic_lds,
        threads=threads, occupancy=occupancy(chip, threads, total, sgprs, lds), instructions=len(program.instructions),
        code_bytes=code_bytes,
        loop=loop_report((program.instructions[i] for i in loop.indices), chip) if loop else None,
    )  # fmt: skip


def report(source: str | CodeObject, kernel: str | None = None, dynamic_lds: int = 0) -> KernelReport:
    """The report of a kernel of an assembly text or of a code object. Errors as `report_of`, X020 for text that is no
    assembly, and what `disassemble.assembly` raises."""
    if isinstance(source, CodeObject):
        found = source.kernel(kernel)
        return report_of(parse(assembly(source, found.name)), source.chip, found.name, dynamic_lds, found.code_bytes)
    return report_of(parse(source), kernel=kernel, dynamic_lds=dynamic_lds)
