"""`ave build`: kernels or a program that launches some come in; a bundle goes out, which runs without a compiler."""

from __future__ import annotations

import ast
import os
import shlex
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from avelang.cli.compile import Chip, block_option, compiled, define_option

if TYPE_CHECKING:
    from avelang.runtime.bundle import Specialization


def _options(_context: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """NAME=VALUE pairs; what is no Python literal is a word."""
    from avelang.runtime.compile import HINTS

    out: dict[str, Any] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not equals or name not in (*HINTS, "target"):
            known = ", ".join(f"{n}=" for n in HINTS)
            raise click.BadParameter(f"{text!r} is not {known} or target= with a value")
        try:
            out[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            out[name] = value
    return out


@click.command("build", context_settings={"ignore_unknown_options": True})
@click.option("--chip", "chips", multiple=True, type=Chip(), metavar="CHIP",
              help="What to make code for: cpu (this machine's processor), gfx942, sm_90a, ...; may be given again. "
                   "Default: cpu.")  # fmt: skip
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False, writable=True),
              help="The bundle, one file.")  # fmt: skip
@click.option("--record", is_flag=True,
              help="Run FILE as a program, once for each chip, and take the specializations that it launches. For "
                   "chips other than cpu its launches are not run: outputs stay as they are.")  # fmt: skip
@define_option
@block_option
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", callback=_options,
              help="An option of the launch that changes code: num_warps, waves_per_eu, cluster, narrow, target (what "
                   "the CPU emulates); may be given again.")  # fmt: skip
@click.option("--quiet", is_flag=True, help="Print no line for each entry.")
@click.argument("what", metavar="FILE[:KERNEL]")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def build(chips: tuple[str, ...], output: str, record: bool, defines: dict[str, Any],
          block: tuple[int, int, int] | None, options: dict[str, Any], quiet: bool, what: str,
          arguments: tuple[str, ...]) -> None:  # fmt: skip
    """Compile kernels ahead of time, into a bundle that runs without a compiler.

    FILE:KERNEL is one specialization of one kernel, by --block, -D and --option. FILE alone is a Python file with a
    list SPECIALIZATIONS of `avelang.specialization(...)`, or a function `specializations(chip)` that returns one. With
    --record, FILE is a program, and ARGUMENTS are its own.

    `avelang.load_bundle(path)` or AVE_BUNDLE=FILE loads the bundle; AVE_STRICT=1 refuses to compile what it does not
    have."""
    from avelang.base.errors import AveError
    from avelang.bundles import specialization
    from avelang.cli.console import USAGE, fail, show_error
    from avelang.runtime import bundle
    from avelang.runtime.kernel_block import block_of

    chips = chips or (bundle.CPU,)
    command = shlex.join(["ave", "build", *sys.argv[2:]] if sys.argv[1:2] == ["build"] else ["ave", "build", what])

    def tell(kernel: str, chip: str, said: str) -> None:
        if not quiet:
            click.echo(f"{kernel} for {chip}: {said}")

    file = what.rpartition(":")[0] if ":" in what and not record else what
    if file == what and not os.path.isfile(file):
        fail(f"there is no file {file}", status=USAGE)
    try:
        if record:
            found = _recorded(what, arguments, chips)
        elif ":" in what and all(part.isidentifier() for part in what.rpartition(":")[2].split(".")):
            kernel = compiled(what, defines, lambda jitted: jitted)
            target = options.get("target") or next((chip for chip in chips if chip != bundle.CPU), None)
            threads = block_of(kernel, defines, target, block)[0]
            found = [specialization(kernel, threads, defines, **options)]
        else:
            found = _described(what, chips)
        if not found:
            raise click.ClickException(f"{what} has nothing to build: no kernel was launched" if record else
                                       f"{what} has nothing to build: its list is empty")  # fmt: skip
        made = bundle.make(found, chips, output, command, tell)
    except AveError as exc:
        show_error(exc)
        raise SystemExit(1) from None
    except OSError as exc:
        fail(f"cannot write {output}: {exc.strerror or exc}")
    click.echo(f"{output}: {len(made)} kernel{'s' if len(made) != 1 else ''}", err=True)


def _recorded(file: str, arguments: tuple[str, ...], chips: tuple[str, ...]) -> list[Specialization]:
    """The specializations that a program launches, chip by chip."""
    from avelang.cli.script import program
    from avelang.runtime.recording import recording

    found = []
    for chip in chips:
        with recording(chip) as mine:
            kept = program(file, arguments)
        found += mine.found
        del kept
    return found


def _described(file: str, chips: tuple[str, ...]) -> list[Specialization]:
    """The specializations that a file lists."""
    import dataclasses

    from avelang.cli.script import execute, shown
    from avelang.runtime.bundle import Specialization

    names = execute(file, "__ave_build__")
    if callable(names.get("specializations")):
        listed = [(chip, shown(lambda chip=chip: names["specializations"](chip))) for chip in chips]
    elif "SPECIALIZATIONS" in names:
        listed = [("", names["SPECIALIZATIONS"])]
    else:
        raise click.UsageError(f"{file} has neither a list SPECIALIZATIONS nor a function specializations(chip); name "
                               f"a kernel as {file}:KERNEL, or run the file with --record")  # fmt: skip
    found = []
    for chip, several in listed:
        for spec in several if isinstance(several, Iterable) else [several]:
            if not isinstance(spec, Specialization):
                raise click.UsageError(f"{file} lists {spec!r}, which is no avelang.specialization(...)")
            found.append(dataclasses.replace(spec, chips=spec.chips or ((chip,) if chip else ())))
    return found
