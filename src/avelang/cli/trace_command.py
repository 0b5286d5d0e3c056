"""`ave trace`: a program, a call or a kernel comes in; one timeline of its launches goes out, for Perfetto."""

from __future__ import annotations

import pathlib
from typing import Any

import click

from avelang.cli.compile import Chip, define_option, extents


@click.command("trace")
@click.argument("what", metavar="FILE|FILE:NAME|MODULE:NAME")
@click.argument("arguments", nargs=-1)
@click.option(
    "--target",
    metavar="CHIP",
    type=Chip(),
    help="How launches on arrays of this machine are executed for the trace: cpu, gfx942, gfx950, or an NVIDIA chip "
    "such as sm_90a. Default: as they run.",
)
@define_option
@click.option("--grid", default="1", show_default=True, callback=extents, help="Blocks, where NAME is a kernel.")
@click.option("--block", default="64", show_default=True, callback=extents, help="Threads, where NAME is a kernel.")
@click.option("--group", type=click.IntRange(0), default=0, show_default=True,
              help="The first work-group that is traced, of executed AMD code.")  # fmt: skip
@click.option("--records", type=click.IntRange(8), default=1024, show_default=True,
              help="The most that a warp writes down, of PTX.")  # fmt: skip
@click.option("--blocks", type=click.IntRange(1), default=64, show_default=True,
              help="The blocks whose warps write, of PTX: the first ones.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=pathlib.Path), default="trace.json",
              show_default=True, help="The file, for ui.perfetto.dev or chrome://tracing.")  # fmt: skip
def trace_command(
    what: str, arguments: tuple[str, ...], target: str | None, defines: dict[str, Any], grid: tuple[int, int, int],
    block: tuple[int, int, int], group: int, records: int, blocks: int, output: pathlib.Path
) -> None:  # fmt: skip
    """Write a timeline of launches: what each wave, warp or thread does when.

    FILE is a program, run with ARGUMENTS; FILE:NAME a function, called with ARGUMENTS (bf16[64,128]=random, i32=4,
    FILE.npy, or any Python literal) and -D as keywords, or a kernel, launched with them, --grid and --block.

    Executed AMD code: stages and waits of each wave, on the model of a compute unit. PTX: stages of each warp, by
    probes that are put into the code, on an NVIDIA GPU or on the executor, which knows an order and no time. The CPU:
    blocks on threads. Every launch runs once more, as ever, behind its trace."""
    from avelang.base.errors import AveError, counted
    from avelang.cli.console import fail, show_error
    from avelang.inspection.trace_file import faults
    from avelang.inspection.trace_runs import tracing

    call = _call(what, arguments, defines, grid, block)
    try:
        with tracing(target, group=group, records=records, blocks=blocks) as tracer:
            call()
    except AveError as exc:
        show_error(exc)
        raise SystemExit(1) from None
    for text in tracer.missing:
        click.echo(f"not traced: {text}", err=True)
    if not tracer.launches:
        fail("no launch was traced", "" if tracer.missing else "the program launches no kernel")
    wrong = faults(tracer.trace.as_dict())
    if wrong:
        fail(f"the trace breaks a rule of its format: {wrong[0]}")
    try:
        output.write_text(tracer.trace.text(), encoding="utf-8")
    except OSError as exc:
        fail(f"{output} cannot be written: {exc.strerror}")
    slices = sum(e["ph"] == "X" for e in tracer.trace.events)
    click.echo(f"{output}: {', '.join(tracer.launches)}; {counted(slices, 'slice')}; {tracer.trace.unit}")


def _call(what: str, arguments: tuple[str, ...], defines: dict[str, Any], grid: Any, block: Any) -> Any:
    """What runs under the trace."""
    from avelang.cli.callables import called, found_in, named
    from avelang.cli.script import program
    from avelang.frontend.source import Jitted

    file, name = named(what)
    if not name:
        return lambda: program(file, arguments, True)
    thing: Any = found_in(file, name)
    launched = thing.__getitem__((grid, block)) if isinstance(thing, Jitted) else thing  # type: ignore
    return called(what, launched, arguments, defines)
