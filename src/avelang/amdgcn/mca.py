"""How busy the matrix core is in a kernel's main loop, by LLVM's static model: assembly text comes in, a `Utilization`
goes out.

The method, which gives 79.0 % for Triton's bf16 GEMM of 128x128x64 and 83.1 % for IREE's of 128x128 (gfx942, LLVM 22):

- The main loop is that of `loops.main_loop`. Its instructions are taken in the order of the text, from the first block
  of the loop to the last, without the branches (`s_branch`, `s_cbranch_*`), of which the model knows nothing but that
  they take a slot; waits, barriers and all else stay. Both sides of an `if` inside the loop are counted.
- `llvm-mca -mtriple=amdgcn-amd-amdhsa -mcpu=CHIP -iterations=N` runs it for 64 and for 192 iterations. The difference
  of the two total cycle counts over 128 is the time of one iteration in the steady state: the model gives a barrier 500
  cycles until its end, which delay only the last iteration, and the pipeline's filling only the first.
- Matrix cycles are what the matrix instructions hold their unit for (`HWXDL`; `HWVALU` for f64), summed over one
  iteration: their passes. The ratio of the two is the utilization. (Of gfx950's f8f6f4 with 8-bit operands the model
  has half the passes that LLVM's compiler and `isa.amdgpu.passes` have.)

A cycle of the model is an issue slot of four clocks, as a pass is. One wave is looked at, alone: what another wave on
the same SIMD would hide is not in it, and neither are bank conflicts, memory latency beyond the model's 80 cycles, nor
the clock. It is an estimate of a schedule's quality, never a time on a card.
"""

from __future__ import annotations

import dataclasses
import json

from avelang.amdgcn.asm import AsmProgram, parse
from avelang.amdgcn.loops import main_loop
from avelang.amdgcn.tools import program as tool
from avelang.amdgcn.tools import run
from avelang.base.errors import error
from avelang.isa.amdgpu.instructions import MATRIX, bare, find

ITERATIONS = (64, 192)


@dataclasses.dataclass(frozen=True, slots=True)
class Utilization:
    """One iteration of the main loop in the steady state. `cycles` and `matrix_cycles` are the model's, of four clocks
    each; `ratio` is matrix_cycles / cycles, 0 where the loop has no matrix instruction. `instructions` counts those
    that were given to the model, `matrix_instructions` the matrix ones among them; `lines` are the first and the last
    line of the loop in the text."""

    cycles: float
    matrix_cycles: float
    ratio: float
    instructions: int
    matrix_instructions: int
    lines: tuple[int, int]


def simulate(lines: list[str], chip: str, iterations: int) -> tuple[int, float]:
    """(total cycles of that many iterations, cycles of one iteration in which the unit of matrix instructions is held).
    Raises D020, D021."""
    path = tool("llvm-mca", "an estimate of the matrix core's utilization")
    command = [path, "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={chip}", f"-iterations={iterations}", "-json",
        "-all-views=false", "-summary-view",
               "-resource-pressure", "-"]  # fmt: skip
    out = run(command, ("\n".join(lines) + "\n").encode())
    try:
        region = json.loads(out)["CodeRegions"][0]
        used = region["ResourcePressureView"]["ResourcePressureInfo"]
        matrix = {n for n, line in enumerate(lines) if (d := find(bare(line.split()[0]), chip)) and d.unit == MATRIX}
        held = sum(u["ResourceUsage"] for u in used if u["InstructionIndex"] in matrix)
        return int(region["SummaryView"]["TotalCycles"]), float(held)
    except (ValueError, KeyError, IndexError) as exc:
        raise error(
            "D021", tool=f"llvm-mca ({path})", why=f"its answer cannot be read ({type(exc).__name__}: {exc})"
        ) from None


def utilization_of(program: AsmProgram, chip: str, kernel: str | None = None) -> Utilization | None:
    """As `utilization`, of a program that has been parsed."""
    loop = main_loop(program, kernel)
    if loop is None:
        return None
    code = [program.instructions[i] for i in loop.indices]
    lines = [i.text for i in code if not i.desc.is_branch]
    (few, held), (many, _) = (simulate(lines, chip, n) for n in ITERATIONS)
    cycles = (many - few) / (ITERATIONS[1] - ITERATIONS[0])
    count = sum(i.desc.unit == MATRIX for i in code)
    return Utilization(cycles, held, held / cycles if cycles else 0.0, len(lines), count, (code[0].line, code[-1].line))


def utilization(text: str, chip: str, kernel: str | None = None) -> Utilization | None:
    """Matrix-core utilization of one wave in the main loop; None where the kernel has no loop.

    `text`: assembly, of a compiler or a disassembler; `chip`: such as "gfx942"; `kernel`: the first one where it is
    left out. Raises X020 for text that is no assembly, D023 for an unknown kernel, D020 and D021 where llvm-mca is
    missing or fails.
    """
    return utilization_of(parse(text), chip, kernel)
