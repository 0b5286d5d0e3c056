"""`ave report FILE:KERNEL`: a kernel, assembly or a code object for an AMD GPU comes in; what it takes and what its
main loop does goes out. Of a kernel or of PTX for an NVIDIA GPU, what it takes (`cli/resources.py`)."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import TYPE_CHECKING, Any

import click

from avelang.cli.compile import Chip, block_option, compiled, define_option, resources_of
from avelang.cli.console import USAGE, fail, json_option
from avelang.cli.resources import as_json as nvidia_json
from avelang.cli.resources import text as nvidia_text

if TYPE_CHECKING:
    from avelang.amdgcn.cu.stalls import CuReport
    from avelang.amdgcn.report import KernelReport, MainLoop
    from avelang.runtime.resources import Resources

MOST_WAVES = 16  # of a CU that the model follows: more of the same say nothing new
NOTE = "Static estimates from the code alone: nothing was run, and none of this is a time on a card."


@click.command("report")
@click.argument("source", metavar="FILE:KERNEL|FILE")
@click.option("--target", default="gfx942", show_default=True, type=Chip(), metavar="TEXT",
              help="The GPU for which a kernel is compiled, such as gfx942 or sm_90a; which part of a bundle is "
                   "meant.")  # fmt: skip
@define_option
@block_option
@click.option("--kernel", "name", help="Which kernel of an assembly file, of PTX or of a code object.")
@click.option("--lds", "dynamic", type=click.IntRange(0), default=0,
              help="Bytes of LDS, or of shared memory, that the launch adds.")
@json_option()
def report_command(
    source: str, target: str, defines: dict[str, Any], block: tuple[int, int, int] | None, name: str | None,
    dynamic: int, as_json: bool
) -> None:
    """Say what a kernel takes on a GPU, and on AMD what its main loop does.

    FILE:KERNEL is a kernel of a Python file; FILE alone is assembly or a code object for AMD, or PTX, of Ave or of any
    compiler. Registers, spills, LDS or shared memory, and occupancy. For AMD, the instructions of the main loop by
    kind, and, by a model of a compute unit, how busy that loop keeps the matrix pipes and what its waves wait for
    (docs/cu_model.md). For NVIDIA, by ptxas, the lines at
    which registers are spilled, and what ptxas remarks."""
    from avelang.base.errors import AveError
    from avelang.cli.console import show_error

    if source.endswith(".py"):
        raise click.UsageError(f"{source} may hold several kernels; write {source}:KERNEL")
    at: dict[str, Any] = {}  # the block of a kernel that is compiled here, and who says it
    try:
        if nvidia := _nvidia(source, target, defines, block, name, dynamic, at):
            click.echo(nvidia_json(nvidia, at) if as_json else nvidia_text(nvidia, at), nl=as_json)
            return
        if pathlib.Path(source).is_file():
            found, cu, missing = _foreign(source, target, name, dynamic)
        else:
            found, cu, missing = _ours(source, target, defines, block, dynamic, at)
    except AveError as exc:
        show_error(exc)
        raise SystemExit(1) from None
    if as_json:
        record = {**dataclasses.asdict(found), "cu": cu and dataclasses.asdict(cu), **at, "note": NOTE,
                  "missing": missing}  # fmt: skip
        click.echo(json.dumps(record, indent=2))
    else:
        _print(found, cu, missing, at)


def _nvidia(
    source: str, target: str, defines: dict[str, Any], block: tuple[int, int, int] | None, name: str | None,
    dynamic: int, at: dict[str, Any]
) -> Resources | None:  # fmt: skip
    """The report where an NVIDIA GPU is meant, by the target or by a file of PTX; else None."""
    from avelang.runtime.compile import chip_of
    from avelang.runtime.resources import is_ptx, of_ptx

    if not pathlib.Path(source).is_file():
        chip = chip_of(target)
        ours = chip is not None and chip.vendor == "nvidia" and ":" in source
        return resources_of(source, defines, block, target, dynamic, at) if ours else None
    with open(source, "rb") as file:
        text = file.read().decode(errors="replace")
    return of_ptx(text, name, None, dynamic) if is_ptx(text) else None


def _foreign(file: str, target: str, name: str | None, dynamic: int) -> tuple[KernelReport, CuReport | None, list[str]]:
    """The report of a file, and what could not be found out."""
    from avelang.amdgcn.asm import decoded, parse
    from avelang.amdgcn.code_object import BINARY, BUNDLE, read
    from avelang.amdgcn.disassemble import assembly
    from avelang.amdgcn.report import report_of

    data = pathlib.Path(file).read_bytes()
    size, text = None, ""
    if data.startswith(BINARY):
        found = read(data, target if data.startswith(BUNDLE) else None, file)
        kernel = found.kernel(name)
        name, size, text = kernel.name, kernel.code_bytes, assembly(found, kernel.name)
    else:
        text = decoded(data, file)
    program = parse(text, file)
    made = report_of(program, target, name, dynamic, size)
    return made, _modeled(made, program), []


def _ours(source: str, target: str, defines: dict[str, Any], block: tuple[int, int, int] | None,
          dynamic: int, at: dict[str, Any]) -> tuple[KernelReport, CuReport | None, list[str]]:
    """The report of a kernel that is compiled here, and what could not be found out."""
    from avelang.amdgcn.asm import parse
    from avelang.amdgcn.code_object import read
    from avelang.amdgcn.report import report_of
    from avelang.base.errors import AveError, error
    from avelang.runtime.compile import chip_of, compile_code_object, compile_text
    from avelang.runtime.kernel_block import block_of

    if ":" not in source:
        fail(f"there is no file {source}", status=USAGE)
    chip = chip_of(target)
    if chip is None or chip.vendor != "amd":
        raise error("U110", name="a report", chip=target, have="gfx90a, gfx942, gfx950, and those of NVIDIA")
    missing: list[str] = []

    def make(jitted: Any) -> tuple[str, int | None]:
        threads, by = block_of(jitted, defines, target, block)
        at.update(block=threads, block_from=by)
        text = compile_text(jitted, defines, threads, target, "asm")
        try:
            return text, read(compile_code_object(jitted, defines, threads, target)).kernel().code_bytes
        except AveError as exc:
            if exc.code != "D020":  # no linker, or no reader of its files: all else is known without
                raise
            missing.append(f"the size of the code: {exc.message}; {exc.hint}")
            return text, None

    text, size = compiled(source, defines, make)
    program = parse(text, source)
    made = report_of(program, target, None, dynamic, size)
    return made, _modeled(made, program), missing


def _modeled(found: KernelReport, program: Any) -> CuReport | None:
    """What the model of a CU says of the main loop, where that has matrix instructions."""
    from avelang.amdgcn.cu.stalls import of_loop

    if found.loop is None or not found.loop.passes:
        return None
    groups = min(max(1, found.occupancy.groups), MOST_WAVES * 64 // max(64, found.threads) or 1)
    return of_loop(program, found.chip, found.kernel, found.threads, groups)


def _loop_facts(r: KernelReport, loop: MainLoop) -> list[tuple[str, str]]:
    """(name, value) of the main loop as a whole."""
    out = [("matrix core", f"{loop.passes} passes, {loop.matrix_clocks} clocks")] if loop.passes else []
    if loop.lds_read or loop.lds_written:
        share = (
            f"; {loop.lds_ratio:.1%} of the LDS's bandwidth while the matrix core works, all four SIMDs alike"
            if loop.passes
            else ""
        )
        out.append(("LDS", f"{loop.lds_read} bytes read, {loop.lds_written} written{share}"))
    return out


def _model_facts(cu: CuReport) -> str:
    """What the model says, in a line."""
    waits = sorted(cu.stalls, key=lambda c: -cu.stalls[c])[:3]
    why = ", ".join(f"{c} {cu.part(c):.0%}" for c in waits)
    return (f"{cu.busy:.1%} of the matrix pipes' time, {cu.waves} waves, loads of {cu.timings.memory_latency} clocks; "
            f"waves wait for {why or 'nothing'}")


def _print(r: KernelReport, cu: CuReport | None, missing: list[str], at: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from avelang.cli.console import out
    from avelang.inspection.figures import amd_facts

    console = out()
    blocks = f", blocks of {at['block']} ({at['block_from']})" if at else ""
    console.print(f"[bold]{escape(r.kernel)}[/bold] on {r.chip}{escape(blocks)}\n")
    table = Table(show_header=False, box=None, pad_edge=False)
    for x in amd_facts(r):
        table.add_row(escape(x.name), escape(x.value), escape(x.remark))
    console.print(table)
    if r.loop is None:
        console.print("\nno loop")
    else:
        console.print(
            f"\n[bold]Main loop[/bold], lines {r.loop.lines[0]} to {r.loop.lines[1]} of the assembly: "
            f"{r.loop.instructions} instructions\n"
        )
        counts = Table("kind", "count", "instructions", box=None, pad_edge=False)
        for kind, names in r.loop.counts.items():
            shown = ", ".join(f"{name} {n}" for name, n in sorted(names.items(), key=lambda item: -item[1]))
            counts.add_row(kind, str(sum(names.values())), escape(shown))
        console.print(counts)
        console.print()
        for name, value in _loop_facts(r, r.loop):
            console.print(f"{name:<14} {escape(value)}")
        if cu is not None:
            console.print(f"{'model of a CU':<14} {escape(_model_facts(cu))}")
    for text in missing:
        console.print(f"\n[yellow]not known:[/yellow] {escape(text)}")
    console.print(f"\n[dim]{NOTE}[/dim]")
