"""What a kernel takes and what its main loop does: assembly text or a code object comes in, a `KernelReport` goes out. Static: nothing is run.

Registers, spills, scratch and LDS are what the compiler wrote into descriptor and metadata. The counts of the main loop (`loops.main_loop`) are of
one iteration of one wave; where the loop has an `if`, both sides count.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable

from avelang.amdgcn.asm import AsmProgram, MCInst, parse
from avelang.amdgcn.code_object import CodeObject
from avelang.amdgcn.disassemble import assembly
from avelang.amdgcn.loops import is_branch, main_loop
from avelang.amdgcn.mca import Utilization
from avelang.arch import chip as chip_of
from avelang.arch.occupancy import Occupancy, occupancy
from avelang.base.errors import error
from avelang.isa.amdgpu.passes import CHIPS, CLOCKS, is_matrix, passes

KINDS = ("matrix", "LDS read", "LDS write", "LDS other", "load", "load to LDS", "store", "atomic", "scratch", "scalar load", "VALU", "SALU", "wait",
         "barrier", "branch", "no-op", "priority")  # fmt: skip
_EXACT = {"s_barrier": "barrier", "s_nop": "no-op", "s_setprio": "priority", "s_sleep": "wait", "v_nop": "no-op"}


def kind(ins: MCInst) -> str:
    """Which of `KINDS` an instruction is."""
    name = ins.name
    if name in _EXACT:
        return _EXACT[name]
    if is_matrix(name):
        return "matrix"
    if is_branch(name):
        return "branch"
    if name.startswith("s_waitcnt"):
        return "wait"
    if name.startswith("ds_"):
        if re.match(r"ds_(bpermute|permute|swizzle|nop|gws)", name):
            return "LDS other"
        return "LDS read" if name.startswith("ds_read") else "LDS write" if name.startswith("ds_write") else "LDS other"
    if found := re.match(r"(buffer|tbuffer|global|flat|scratch)_(load|store|atomic)?", name):
        if found[1] == "scratch":
            return "scratch"
        if found[2] == "load":
            return "load to LDS" if "_lds_" in name or ins.mods.get("lds") else "load"
        return found[2] or "SALU"  # caches are written back and invalidated in the scalar unit's turn
    if name.startswith("s_"):
        return "scalar load" if re.match(r"s_(buffer_|scratch_)?load_", name) else "SALU"
    return "VALU"


_WIDTHS = {"ubyte": 1, "sbyte": 1, "byte": 1, "ushort": 2, "sshort": 2, "short": 2, "u8": 1, "i8": 1, "b8": 1, "u16": 2, "i16": 2, "b16": 2}


def width(name: str) -> int:
    """Bytes that a lane reads or writes by a memory instruction, 0 where the mnemonic does not say."""
    twice = 2 if re.match(r"ds_(read|write)2", name) else 1
    if found := re.search(r"dwordx?(\d*)", name):
        return 4 * int(found[1] or 1)
    if found := re.match(r"ds_\w+?_(?:b|u|i|f)(\d+)(?:_|$)", name):
        return twice * int(found[1]) // 8
    return next((n for part, n in _WIDTHS.items() if part in name.split("_")), 0)


@dataclasses.dataclass(frozen=True, slots=True)
class MainLoop:
    """One iteration of the main loop of one wave. `lines`: its first and last line in the text. `counts`: instructions by kind and mnemonic.
    `passes` and `matrix_clocks`: how long its matrix instructions hold the matrix core. `lds_read` and `lds_written`: bytes of all lanes.
    `lds_ratio`: the clocks that the LDS of a CU takes for that, when all four SIMDs run this loop, over the clocks of the matrix core; 0 without
    matrix instructions."""

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
    """What a kernel takes. `vgpr` are vector registers in use, `agpr` accumulation registers; `vgpr_allocated` and `sgpr_allocated` what a wave
    gets, which the compiler raises where occupancy is limited anyway. `threads`: the largest work-group. `lds`: bytes, `dynamic_lds` of them given
    at launch. `code_bytes` and `utilization` are None where they are not known."""

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
    utilization: Utilization | None = None


def matrix_passes(ins: MCInst, chip: str) -> int:
    """`passes` of an instruction as it stands, with the formats that it names."""
    return passes(ins.name, chip, (ins.int("cbsz"), ins.int("blgp")))


def loop_report(code: Iterable[MCInst], chip: str) -> MainLoop:
    """The counts of a loop's instructions."""
    code = list(code)
    counts: dict[str, Counter[str]] = {}
    for ins in code:
        counts.setdefault(kind(ins), Counter())[ins.name] += 1
    held = sum(matrix_passes(i, chip) for i in code if is_matrix(i.name))
    moved = {k: sum(n * width(name) * chip_of(chip).wave for name, n in counts.get(k, {}).items()) for k in ("LDS read", "LDS write", "load to LDS")}
    read, written = moved["LDS read"], moved["LDS write"] + moved["load to LDS"]
    lds = chip_of(chip).shared
    # Four SIMDs move four waves' bytes in the clocks that each one's matrix core is busy.
    ratio = 4 * (read / lds.read + written / lds.write) / (held * CLOCKS) if held else 0.0
    ordered = {k: dict(sorted(counts[k].items())) for k in KINDS if k in counts}
    return MainLoop((code[0].line, code[-1].line), len(code), ordered, held, held * CLOCKS, read, written, ratio)


def report_of(program: AsmProgram, chip: str = "", kernel: str | None = None, dynamic_lds: int = 0, code_bytes: int | None = None) -> KernelReport:
    """The report of a kernel, the first where no name is given. `chip`: where the text names no target. Raises D023 for an unknown kernel, D025 where
    the text has no kernel or names no chip that Ave knows."""
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
        return next((program.sets[f"{dot}{name}.{part}"] for dot in ("", ".L") if f"{dot}{name}.{part}" in program.sets), None)

    agpr = said.get("agpr_count", symbol("num_agpr") or 0)
    vgpr = symbol("num_vgpr")
    if vgpr is None:  # with accumulation registers, the metadata counts both, the first kind rounded up to where the second begins
        vgpr = said.get("vgpr_count", found.get("next_free_vgpr")) - agpr
    total = max(found.get("next_free_vgpr"), said.get("vgpr_count", 0))
    sgpr = said.get("sgpr_count", found.get("next_free_sgpr"))
    sgprs = max(found.get("next_free_sgpr") + 6, sgpr)  # flat scratch, XNACK and VCC stand behind those that the kernel numbers
    lds = found.get("group_segment_fixed_size", said.get("group_segment_fixed_size", 0)) + dynamic_lds
    threads = said.get("max_flat_workgroup_size", 1024)
    loop = main_loop(program, name)
    return KernelReport(
        kernel=name, chip=chip, vgpr=vgpr, agpr=agpr, sgpr=sgpr, vgpr_allocated=-(-total // 8) * 8, sgpr_allocated=-(-sgprs // 16) * 16,
        vgpr_spills=said.get("vgpr_spill_count", 0), sgpr_spills=said.get("sgpr_spill_count", 0),
        scratch=found.get("private_segment_fixed_size", said.get("private_segment_fixed_size", 0)), lds=lds, dynamic_lds=dynamic_lds,
        threads=threads, occupancy=occupancy(chip, threads, total, sgprs, lds), instructions=len(program.instructions), code_bytes=code_bytes,
        loop=loop_report((program.instructions[i] for i in loop.indices), chip) if loop else None,
    )  # fmt: skip


def report(source: str | CodeObject, kernel: str | None = None, dynamic_lds: int = 0) -> KernelReport:
    """The report of a kernel of an assembly text or of a code object. Errors as `report_of`, X020 for text that is no assembly, and what
    `disassemble.assembly` raises."""
    if isinstance(source, CodeObject):
        found = source.kernel(kernel)
        return report_of(parse(assembly(source, found.name)), source.chip, found.name, dynamic_lds, found.code_bytes)
    return report_of(parse(source), kernel=kernel, dynamic_lds=dynamic_lds)
