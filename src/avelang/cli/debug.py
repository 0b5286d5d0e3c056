"""`ave debug FILE`: a program comes in; it runs on the reference executor, which stops its kernels where the user says,
in the terminal or in an editor."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from avelang.base import knobs
from avelang.cli.compile import Chip
from avelang.cli.console import USAGE, fail


@click.command("debug", context_settings={"ignore_unknown_options": True})
@click.option(
    "-c",
    "--command",
    "commands",
    multiple=True,
    metavar="COMMAND",
    help="A command of the debugger; may be given again. When all are done, the program runs on.",
)
@click.option("-x", "--commands", "script", type=click.File(), metavar="FILE",
              help="A file of commands, a line each; - is standard input.")  # fmt: skip
@click.option("-b", "--break", "points", multiple=True, metavar="[FILE:]LINE|FUNCTION",
              help="A breakpoint to begin with, instead of a stop at the first statement; may be given again. It may "
                   "end in: if CONDITION.")  # fmt: skip
@click.option(
    "--check",
    type=click.STRING,
    default="",
    metavar="WORDS",
    help="What is verified meanwhile, as in `ave run --check`: races, init, ...; a fault stops the kernel.",
)
@click.option("--target", type=Chip(), metavar="CHIP", help="The chip whose intrinsics and waves are meant.")
@click.option("--dap", is_flag=True, help="Speak the debug adapter protocol on standard input and output.")
@click.argument("file", required=False, type=click.Path(dir_okay=False))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def debug(commands: tuple[str, ...], script: Any, points: tuple[str, ...], check: str, target: str | None, dap: bool,
          file: str | None, arguments: tuple[str, ...]) -> None:  # fmt: skip
    """Run FILE, a Python program, with its kernels on the reference executor, and stop them: at the first statement of
    the first kernel, or at the breakpoints given.

    Commands: break LINE if COND, watch y[3], step, next, finish, continue, where, up, down, print EXPR, lanes EXPR,
    tile NAME, layout NAME, shared, registers, lane N, info waves; help explains all (docs/debugging.md)."""
    words = tuple(w.strip() for w in check.split(",") if w.strip())
    if wrong := [w for w in words if w not in (*knobs.CHECKS, "all")]:
        raise click.BadParameter(f"{wrong[0]!r} is not one of {', '.join(knobs.CHECKS)}, all", param_hint="--check")
    if not dap and (file is None or not os.path.isfile(file)):
        fail(f"there is no file {file}" if file else "name a file, or --dap", status=USAGE)
    knobs.set_defaults("reference", target, words)
    if dap:
        raise SystemExit(_adapter(file, arguments))
    assert file is not None
    interactive = not commands and script is None and sys.stdin.isatty()
    _terminal(file, arguments, _lines(commands, script, interactive), points, not interactive)


def _lines(commands: tuple[str, ...], script: Any, interactive: bool) -> Iterator[str]:
    from avelang.debugger.terminal import ask

    if interactive:
        return ask("(ave) ")
    return iter([*commands, *(script or ())]) if commands or script is not None else iter(sys.stdin)


def _terminal(file: str, arguments: tuple[str, ...], lines: Iterator[str], points: tuple[str, ...],
              echo: bool) -> None:  # fmt: skip
    from avelang.cli.script import execute
    from avelang.debugger.session import Session
    from avelang.debugger.terminal import Quit, Terminal
    from avelang.frontend.scopes import record
    from avelang.sim.stepping import watched_by

    terminal = Terminal(lines, click.echo, echo)
    with record() as recorder:
        session = terminal.session = Session(recorder, terminal, stop_first=not points)
        for point in points:
            where, _, condition = point.partition(" if ")
            place, colon, line = where.strip().rpartition(":")
            at: dict[str, Any] = (
                {"file": place if colon else file, "line": int(line)} if line.isdigit() else {"function": where.strip()}
            )
            try:
                session.add(condition=condition.strip(), **at)
            except SyntaxError as exc:
                raise click.BadParameter(f"{condition!r} is no expression: {exc.msg}", param_hint="--break") from None
            except ValueError as exc:
                raise click.BadParameter(str(exc), param_hint="--break") from None
        try:
            with watched_by(session):
                execute(file, "__main__", arguments)
        except Quit:
            raise SystemExit(0) from None
    for point in session.breakpoints:
        if not point.hits and not session.detached:
            why = f": its condition gives {point.trouble}" if point.trouble else ""
            click.echo(f"{point} was never met{why}", err=True)
    if not session.stopped:
        click.echo("no kernel was stopped: none ran here on the reference, or no breakpoint was met", err=True)


def _adapter(file: str | None, arguments: tuple[str, ...]) -> int:
    """Serves an editor on standard input and output; the program's own output becomes events."""
    from avelang.cli.script import execute
    from avelang.debugger.adapter import Adapter, Output, streams
    from avelang.debugger.session import Session
    from avelang.frontend.scopes import record
    from avelang.sim.stepping import watched_by

    adapter = Adapter(*streams())
    plain = sys.stdout, sys.stderr, sys.stdin
    with record() as recorder:
        adapter.session = Session(recorder, adapter)

        def run(given: dict[str, Any]) -> int:
            checks = given.get("check") or ()
            knobs.set_defaults("reference", given.get("target"), tuple(checks.split(",") if isinstance(checks, str)
                                                                       else checks))  # fmt: skip
            adapter.session.stop_at_entry(bool(given.get("stopOnEntry")))
            try:
                with watched_by(adapter.session):
                    execute(
                        given.get("program") or file or "", "__main__", tuple(map(str, given.get("args") or arguments))
                    )
            except SystemExit as exc:
                return exc.code if isinstance(exc.code, int) else int(exc.code is not None)
            return 0

        sys.stdout, sys.stderr = Output(adapter, "stdout"), Output(adapter, "stderr")
        sys.stdin = io.StringIO()  # what comes in is the protocol's
        try:
            return adapter.serve(run)
        finally:
            sys.stdout, sys.stderr, sys.stdin = plain
