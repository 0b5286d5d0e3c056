"""`ave inspect`: a kernel, a call or a program comes in; one HTML page, or JSON, goes out: the code of each stage side
by side, linked by line, and what the kernel takes."""

from __future__ import annotations

import ast
import contextlib
import importlib
import json
import pathlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from avelang.cli.compile import Chip, define_option, extents
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
    callback=extents,
    metavar="EXTENTS",
    help="Extents of a block: x, x,y or x,y,z. Default: what the kernel says that it needs, else 64.",
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
    from avelang.cli.console import fail
    from avelang.cli.script import execute
    from avelang.frontend.source import Jitted
    from avelang.inspection import subject
    from avelang.ptx.kernel import PtxKernel

    file, name = _named(what)
    module = bool(name) and not file.endswith(".py") and all(part.isidentifier() for part in file.split("."))
    if not module and not pathlib.Path(file).is_file():
        fail(f"there is no file {file}")
    with contextlib.redirect_stdout(sys.stderr):  # what the file itself prints is not what this command gives
        if not name:
            return subject.of_call(lambda: execute(file, "__main__", arguments), target or USUAL)
        found = _imported(file) if module else execute(file, "__ave_inspect__")
        first, *rest = name.split(".")
        thing = found.get(first)
        for part in rest:
            thing = getattr(thing, part, None)
        if isinstance(thing, PtxKernel):
            return [subject.of_ptx_kernel(thing, defines, target)]
        if isinstance(thing, Jitted):
            return [subject.of_kernel(thing, defines, target, block)]
        if callable(thing):
            return subject.of_call(_call(what, thing, arguments, defines), target or USUAL)
    known = ", ".join(sorted(n for n, v in found.items() if isinstance(v, (Jitted, PtxKernel))))
    fail(f"{file} has no kernel or function `{name}`", f"its kernels: {known}" if known else "it has no kernels")


def _named(what: str) -> tuple[str, str]:
    """(file, name) of FILE:NAME; no name for FILE."""
    file, colon, name = what.rpartition(":")
    return (file, name) if colon and all(part.isidentifier() for part in name.split(".")) else (what, "")


def _imported(module: str) -> dict[str, Any]:
    """What a module has, names that it makes when they are asked for included."""
    from avelang.cli.console import fail

    try:
        found = importlib.import_module(module)
    except ImportError as exc:
        fail(f"there is no file and no module {module}: {exc}")
    return {name: getattr(found, name) for name in dir(found)}


def _call(
    what: str, function: Callable[..., object], arguments: tuple[str, ...], defines: dict[str, Any]
) -> Callable[[], object]:
    """The call of a function with arguments in words."""
    import numpy as np

    from avelang.cli.console import fail

    rng = np.random.default_rng(1)
    values = [_value(text, rng) for text in arguments]

    def call() -> None:
        from avelang.base.errors import AveError

        try:
            function(*values, **defines)
        except AveError:
            raise
        except Exception as exc:  # of the user's own
            fail(f"{what} raises {type(exc).__name__}: {exc}", "what it launches is looked at and not run")

    return call


def _value(text: str, rng: Any) -> Any:
    from avelang.cli.execute import argument

    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return argument(text, rng)
