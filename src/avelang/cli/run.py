"""`ave run FILE`: a Python file that launches kernels comes in; it runs with the chosen backend, and a line a kernel
says what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from avelang.base import engines, knobs
from avelang.base.errors import AveError
from avelang.cli.compile import Chip
from avelang.cli.console import json_option, show_error, show_json

if TYPE_CHECKING:
    from avelang.jit import JitFunction


class Checks(click.ParamType):
    """Words of AVE_CHECK, with commas between."""

    name = "words"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """The words of one option. An unknown one is a mistake in the command line."""
        given = value.split(",") if isinstance(value, str) else value
        words = tuple(word.strip() for word in given if word.strip())
        known = [*knobs.CHECKS, "all"]
        for word in words:
            if word not in known:
                self.fail(f"{word!r} is not one of {', '.join(map(repr, known))}.", param, ctx)
        return words


@click.command(context_settings={"ignore_unknown_options": True})
@click.option(
    "--on",
    "--backend",
    "backend",
    type=click.Choice(["cpu", "reference", "gfx942-exec", "gfx950-exec"]),
    help="What runs kernels whose arguments are on the CPU: gfx942-exec and gfx950-exec execute the machine code of "
         "that chip.",
)
@click.option("--check", type=Checks(), multiple=True,
              help="What is verified, words with commas between (bounds, races, ...; all) or several times "
                   "(docs/reference/engines.md has the table). Without --on, an engine that can do it runs the "
                   "kernels; one that cannot is an "
                   "error.")  # fmt: skip
@click.option("--target", metavar="CHIP", type=Chip(),
              help="The chip that is emulated, such as gfx942; default: inferred from the intrinsics.")
@click.option("--quiet", is_flag=True, help="No summary of the kernels at the end.")
@json_option("Print one JSON object at the end: the kernels that ran, or the error. What FILE prints goes to standard "
             "error.")  # fmt: skip
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(backend: str | None, check: tuple[tuple[str, ...], ...], target: str | None, quiet: bool, as_json: bool,
        file: str, arguments: tuple[str, ...]) -> None:  # fmt: skip
    """Run FILE, a Python program, with ARGUMENTS. Options of FILE that have a name of those here stand behind --.

    Options of a launch in the file itself go before those given here. Errors of kernels are shown with their line and a
    hint, without Ave's own frames (AVE_TRACEBACK=full shows all), and end the command with status 1. The object of
    --json has `ok` and `kernels`, or `ok` false and `error` (docs/command_line.md)."""
    from avelang.cli.script import Told, execute

    words = tuple(dict.fromkeys(word for one in check for word in one))
    if words and backend is None and knobs.backend() is None:
        backend = _engine(words)
    # Each launch says what its engine cannot check, also one that names its engine itself, or whose arrays are on a
    # GPU.
    knobs.set_defaults(backend, target, words)

    kept = []  # the program's globals: its kernels must live until they are summed up
    status: Any = 0
    try:
        kept.append(execute(file, "__main__", arguments, as_json))
    except Told:
        raise
    except SystemExit as exc:
        if not as_json:
            raise
        status = exc.code
    finally:
        if not quiet and not as_json:
            _summary()
    if as_json:
        if isinstance(status, str):  # Python prints it, and ends with status 1
            click.echo(status, err=True)
            status = 1
        show_json({"ok": not status, "status": status or 0, "kernels": [_record(kernel) for kernel in _launched()]})
        raise SystemExit(status or 0)


def _engine(check: tuple[str, ...]) -> str | None:
    """The engine for these checks; None where any will do."""
    if "all" in check:
        return engines.REFERENCE
    try:
        found = engines.choices(check)
    except AveError as exc:
        show_error(exc)
        raise SystemExit(1) from None
    return None if found == engines.CPU else found


def _launched() -> Iterator[JitFunction]:
    """The kernels that have run."""
    import gc

    from avelang.jit import JitFunction

    for kernel in gc.get_objects():
        # `isinstance` would ask objects of all kinds what they are
        if issubclass(type(kernel), JitFunction) and kernel.last is not None:
            yield kernel


HOW = {"compiled": "compiled", "disk": "loaded from the cache", "reference": "built for the reference"}


def _record(kernel: JitFunction) -> dict[str, Any]:
    """A kernel that ran, for JSON: seconds of its preparations by how it was found, and its last launch."""
    assert kernel.last is not None
    span = kernel.source.span(kernel.source.tree)
    prepared = {how: [x.prepare for x in kernel.prepared if x.how == how] for how in HOW}
    return {"kernel": kernel.source.name, "file": span.file, "line": span.line,
            "prepared": {how: times for how, times in prepared.items() if times},
            "backend": kernel.last.backend, "last_launch": kernel.last.run}  # fmt: skip


def _summary() -> None:
    """A line for each kernel that ran, on standard error: the program's own output stays clean."""
    for kernel in _launched():
        assert kernel.last is not None
        parts = []
        for how, words in HOW.items():
            times = [x.prepare for x in kernel.prepared if x.how == how]
            if times:
                parts.append(f"{words} {len(times)}x in {sum(times) * 1e3:.0f} ms")
        parts.append(f"last launch {kernel.last.run * 1e3:.3f} ms on {kernel.last.backend}")
        click.secho(f"ave: {kernel.source.name}: {', '.join(parts)}", fg="bright_black", err=True)
