"""A subject comes in; its listings, stage by stage, go out, with the final code for what reads that."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any

from avelang.base.errors import AveError
from avelang.inspection.listings import ListedLine, Listing, assembly_lines, ir_lines, llvm_lines, sass_lines
from avelang.runtime import compile, ptxas

if TYPE_CHECKING:
    from avelang.arch import Chip
    from avelang.inspection.subject import PtxSubject, Subject
    from avelang.ir.core import Kernel

NO_DISASSEMBLER = ("SASS: no nvdisasm (pip install nvidia-cuda-nvdisasm, or NVIDIA's CUDA toolkit; looked beside "
                   "ptxas, in CUDA_HOME, CUDA_PATH and PATH)")  # fmt: skip


@dataclasses.dataclass(slots=True)
class Stages:
    """The texts that a compilation left. `listings`: in order; `code`: assembly or PTX with the numbers of ops as its
    lines; `entry`: the kernel's name in it; `kernel`: the IR behind the passes, None for a kernel without; `cubin` and
    `said`: what ptxas made and reported; `sass`: as nvdisasm prints it; `missing`: what could not be made, and why."""

    chip: str
    entry: str
    block: tuple[int, int, int]
    listings: list[Listing] = dataclasses.field(default_factory=list)
    code: str = ""
    kernel: Kernel | None = None
    cubin: bytes = b""
    said: dict[str, Any] = dataclasses.field(default_factory=dict)
    sass: str = ""
    dynamic_bytes: int = 0
    missing: list[str] = dataclasses.field(default_factory=list)


def of_jit(subject: Subject) -> Stages:
    """The stages of a jit function. Raises what compiling it raises."""
    chip = compile.chip_of(subject.target)
    kernel = compile.build(subject.source, subject.constexprs, chip and chip.name, subject.block)
    first = Listing("ir", "Ave IR, as built", "ir", ir_lines(kernel), numbered=False)
    kernel.attrs.update({name: subject.options[name] for name in compile.HINTS if name in subject.options})
    kernel.attrs["lines"] = "ops"
    made = Stages(subject.target, kernel.name, subject.block, [first], kernel=kernel)
    if chip is None:
        _on_cpu(kernel, made)
    else:
        _on_gpu(kernel, chip, made)
    return made


def _on_gpu(kernel: Kernel, chip: Chip, made: Stages) -> None:
    import avelang.pipeline as pipeline
    from avelang.emit.llvm.simt_device import DeviceCompiler, program
    from avelang.runtime.geometry import check_block

    check_block(kernel.name, made.block, chip)
    pipeline.gpu(kernel, made.block)
    made.listings.append(Listing("passes", "Ave IR, behind the passes", "ir", ir_lines(kernel)))
    device = program(kernel, chip)
    made.entry, made.dynamic_bytes = device.entry, device.dynamic_bytes
    compiler = DeviceCompiler(chip)
    made.listings.append(Listing("llvm", "LLVM IR, as emitted", "llvm", llvm_lines(device.text)))
    made.listings.append(
        Listing("optimized", "LLVM IR, optimized", "llvm", llvm_lines(str(compiler.module(device.text))))
    )
    made.code = compiler.assembly(device.text)
    amd = chip.vendor == "amd"
    made.listings.append(Listing("asm", "AMD assembly", "amdgcn", assembly_lines(made.code)) if amd else
                         Listing("ptx", "PTX", "ptx", assembly_lines(made.code)))  # fmt: skip
    if not amd:
        _assembled(made)


def _on_cpu(kernel: Kernel, made: Stages) -> None:
    import avelang.pipeline as pipeline
    from avelang.emit.llvm import cpu
    from avelang.llvm.core import HostCompiler

    pipeline.cpu(kernel, made.block)
    made.listings.append(Listing("passes", "Ave IR, behind the passes", "ir", ir_lines(kernel)))
    text = cpu.emit(kernel).text
    host = HostCompiler()
    made.code = host.assembly(text)
    made.listings += [Listing("llvm", "LLVM IR, as emitted", "llvm", llvm_lines(text)),
                      Listing("optimized", "LLVM IR, optimized", "llvm", llvm_lines(str(host.module(text)))),
                      Listing("asm", "Assembly of this processor", "cpu", assembly_lines(made.code))]  # fmt: skip


def _assembled(made: Stages) -> None:
    """SASS and the assembler's report, where there is a ptxas."""
    try:
        tool = ptxas.need("SASS, registers and spills")
        made.cubin, made.said = ptxas.assemble(tool, made.code, made.chip, made.entry)
    except AveError as e:
        made.missing.append(f"SASS, registers and spills: {e.message}" + (f"; {e.hint}" if e.hint else ""))
        return
    made.said["assembler"] = str(tool)
    text, why = disassembly(made.cubin)
    if why:
        made.missing.append(why)
    if text:
        made.sass = text
        made.listings.append(Listing("sass", "SASS", "sass", sass_lines(text)))


def disassembly(code: bytes) -> tuple[str, str]:
    """(text of machine code for an NVIDIA GPU with its lines, why there is none or why it has no lines)."""
    from avelang.ptx.machine_code import disassembler

    command = disassembler()
    if command is None:
        return "", NO_DISASSEMBLER
    lined = os.path.basename(command[0]).startswith("nvdisasm")
    with tempfile.TemporaryDirectory(prefix="ave-") as folder:
        file = os.path.join(folder, "code.cubin")
        with open(file, "wb") as out:
            out.write(code)
        done = subprocess.run([*command, *(["-g"] if lined else []), file], capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        return "", f"SASS: {command[0]} fails: {said[0] if said else f'status {done.returncode}'}"
    return done.stdout, "" if lined else "lines of SASS: cuobjdump knows none; nvdisasm does"


def of_ptx(subject: PtxSubject) -> Stages:
    """The stages of a kernel of the instruction level: PTX, whose lines are numbered, and SASS. Raises what tracing it
    raises."""
    traced = subject.kernel.traced(subject.sizes, subject.target)
    lines = []
    for n, text in enumerate(traced.text.splitlines(), 1):
        span = traced.place(n)
        lines.append(
            ListedLine(
                text.replace("\t", "    "),
                n if span is not None else 0,
                ((span.file, span.line, span.col),) if span is not None else (),
            )
        )
    made = Stages(traced.chip, traced.entry, traced.geometry.block, [Listing("ptx", "PTX", "ptx", tuple(lines))])
    made.dynamic_bytes = traced.dynamic_bytes
    made.code = _numbered(traced)
    _assembled(made)
    return made


def _numbered(traced: Any) -> str:
    """The PTX with its own line numbers as `.loc`s."""
    places = tuple(
        (traced.definition.span.file, traced.first_line + i) if file else ("", 0)
        for i, (file, _) in enumerate(traced.places)
    )
    return dataclasses.replace(traced, places=places).with_lines
