"""`ave inspect`: a kernel, a call or a program comes in; one HTML page, or JSON, goes out: the code of each stage side
by side, linked by line, and what the kernel takes."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import click

from avelang.cli.compile import Chip, block_extents, define_option, hint_constants
from avelang.cli.console import json_option

if TYPE_CHECKING:
    from avelang.inspection.subject import PtxSubject, Subject

USUAL = "gfx942"


@click.command("inspect")
@click.argument("what", metavar="FILE:NAME|MODULE:NAME|FILE")
@click.argument("arguments", nargs=-1)
@click.option("--target", type=Chip(), metavar="CHIP",
              help="The chip, such as gfx942 or sm_90a, or cpu. Default: by the kernel's own instructions, else "
                   f"{USUAL}.")  # fmt: skip
@define_option
@click.option(
    "--block",
    callback=block_extents,
    metavar="EXTENTS",
    help="Extents of a block: x, x,y or x,y,z. Default: what the kernel expects, or that with which its file launches "
    "it; else 64.",
)
@click.option("--kernel", "name", metavar="NAME", help="Which of the kernels that a call or a program launches.")
@click.option(
    "--launch", "number", type=click.IntRange(1), metavar="N", help="Which of their launches, from 1 on. Default: 1."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=pathlib.Path),
    help="The page. Default: KERNEL-CHIP.html here.",
)
@json_option("Print JSON instead; with -o, write it there.")
def inspect_command(
    what: str, arguments: tuple[str, ...], target: str | None, defines: dict[str, Any],
    block: tuple[int, int, int] | None, name: str | None, number: int | None, output: pathlib.Path | None, as_json: bool
) -> None:  # fmt: skip
    """Write a page that shows a kernel at every stage, linked by line.

    Python, Ave IR, LLVM IR, and AMD's assembly or PTX and SASS stand side by side, with registers, spills and memory.
    The page needs no server and no other file.

    FILE:NAME (or MODULE:NAME) is a kernel, with -D for compile-time values (for a kernel of `avelang.ptx`: sizes of its
    symbols); or a Python function that launches kernels, called with ARGUMENTS (bf16[64,128]=random, i32=4, FILE.npy,
    or any Python literal) and -D as keywords. FILE alone is a program, run with ARGUMENTS. What a function or a program
    launches is looked at and not run."""
    from avelang.base.errors import AveError
    from avelang.cli.console import fail, show_error

    try:
        found = _inspected(_subjects(what, arguments, target, defines, block), name, number)
    except AveError as exc:
        show_error(exc)
        raise SystemExit(1) from None
    text = json.dumps(found.as_dict(), indent=1) if as_json else _page(found)
    if as_json and output is None:
        click.echo(text)
        return
    output = output or pathlib.Path(f"{found.kernel}-{found.target}.html")
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as exc:
        fail(f"{output} cannot be written: {exc.strerror}")
    lines = ", ".join(f"{x.title} {len(x.lines)}" for x in found.listings)
    click.echo(f"{output}: {found.title}; lines: {lines}")
    for text in found.missing:
        click.echo(f"not known: {text}", err=True)


def _page(found: Any) -> str:
    from avelang.inspection.page import page

    return page(found)


def _inspected(subjects: list[Subject | PtxSubject], name: str | None, number: int | None) -> Any:
    from avelang.cli.console import fail
    from avelang.inspection.build import inspected

    chosen = [s for s in subjects if name is None or s.name == name]
    listed = ", ".join(f"{n} {s.name}" for n, s in enumerate(subjects, 1))
    if not chosen:
        fail(
            f"no kernel `{name}` is launched" if subjects else "no kernel is launched",
            f"launches: {listed}" if subjects else "",
        )
    if number is not None and number > len(chosen):
        fail(f"there is no launch {number}", f"launches: {listed}")
    if len(subjects) > 1 and number is None:
        click.echo(f"launches: {listed}; --launch or --kernel chooses", err=True)
    return inspected(chosen[(number or 1) - 1])


def _subjects(
    what: str,
    arguments: tuple[str, ...],
    target: str | None,
    defines: dict[str, Any],
    block: tuple[int, int, int] | None,
) -> list[Subject | PtxSubject]:
    """What is to be looked at."""
    from avelang.base.errors import AveError
    from avelang.cli.callables import called, found_in, kernel_of, named
    from avelang.cli.script import program
    from avelang.frontend.source import Jitted
    from avelang.inspection import subject
    from avelang.ptx.kernel import PtxKernel

    file, name = named(what)
    if not name:
        return subject.of_call(lambda: program(file, arguments, True), target or USUAL)
    thing = found_in(file, name)
    if isinstance(thing, PtxKernel):
        return [subject.of_ptx_kernel(thing, defines, target)]
    kernel = thing if arguments else kernel_of(thing)  # with arguments a tuned kernel is called
    if isinstance(kernel, Jitted):
        try:
            return [subject.of_kernel(kernel, defines, target, block)]
        except AveError as exc:
            hint_constants(exc, kernel, defines)
            raise
    return subject.of_call(called(what, thing, arguments, defines), target or USUAL)
