"""How the commands speak: rich consoles for results (standard output) and for errors (standard error); errors as JSON
where a command was given --json; the group that all commands belong to, with its exit codes."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import click

from avelang.base import knobs
from avelang.base.errors import AveError

if TYPE_CHECKING:
    from rich.console import Console

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
EXIT_CODES = {
    OK: "done, and nothing is wrong",
    FAILED: "it failed, or found something: an error with a code, an exception of the program, a wrong result, a "
            "difference, a machine on which Ave does not work",
    USAGE: "the command line cannot be meant so: an unknown option, a value of the wrong form, a file, a kernel or a "
           "chip that is not there",
    INTERRUPTED: "interrupted (Ctrl-C)",
}  # fmt: skip
_JSON = "avelang.json"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # what takes standard output takes no more


def out() -> Console:
    """The console of standard output; plain text when that is no terminal."""
    from rich.console import Console

    terminal = sys.stdout is not None and sys.stdout.isatty()  # None: the shell has closed it
    return Console(highlight=False, soft_wrap=not terminal, color_system=_colors())


def err() -> Console:
    """The console of standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True, color_system=_colors())


def _colors() -> Any:
    return None if knobs.no_color() else "auto"


# -- errors -----------------------------------------------------------------------------------------------------------


def wants_json() -> bool:
    """True where the command that runs was given --json: standard output is then one JSON value, errors included."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_JSON))


def _noted(context: click.Context, _param: click.Parameter, value: bool) -> bool:
    context.meta[_JSON] = context.meta.get(_JSON) or value
    return value


def json_option(words: str = "Print JSON; an error too.") -> Callable[[Any], Any]:
    """The option --json, as `as_json`: results as one JSON value on standard output, and errors as an object with
    `ok` false and `error` (docs/command_line.md)."""
    return click.option("--json", "as_json", is_flag=True, is_eager=True, callback=_noted, help=words)


def show_json(value: Any) -> None:
    """Prints a value as JSON, of what JSON does not have the words of `str`."""
    click.echo(json.dumps(value, indent=2, default=str))


def fail(text: str, hint: str = "", status: int = FAILED) -> NoReturn:
    """Ends the command with a status (1, or 2 where the command line names what is not there) and one line on standard
    error."""
    if wants_json():
        kind = "UsageError" if status == USAGE else "Failure"
        show_json({"ok": False, "error": blank(kind, text, hint)})
        raise SystemExit(status)
    click.secho("error: ", fg="red", bold=True, nl=False, err=True)
    click.echo(text, err=True)
    if hint:
        click.secho(f"  hint: {hint}", fg="cyan", err=True)
    raise SystemExit(status)


def blank(kind: str, message: str, hint: str = "") -> dict[str, Any]:
    """The fields of `AveError.as_dict` for what is no error of the catalogue: no code, no place."""
    exc = AveError(message)
    exc.message, exc.hint = message, hint
    return {**exc.as_dict(), "code": None, "kind": kind}


def show_error(exc: AveError) -> None:
    """An error of the catalogue on standard error: its line, caret and hint, without a traceback. Under --json, an
    object on standard output."""
    if wants_json():
        show_json({"ok": False, "error": exc.as_dict()})
        return
    first, *rest = str(exc).splitlines()
    click.secho("error", fg="red", bold=True, nl=False, err=True)
    click.echo(first, err=True)
    for line in rest:
        if line.startswith("  hint:"):
            click.secho(line, fg="cyan", err=True)
        elif line.strip(" |^") == "" and "^" in line:
            click.secho(line, fg="red", err=True)
        else:
            click.echo(line, err=True)


def show_exception(exc: BaseException, tb: Any) -> None:
    """An exception of the user's program: its traceback from `tb` on; under --json the same fields as of an error, with
    no code, and `traceback`."""
    text = "".join(traceback.format_exception(type(exc), exc, tb))
    if not wants_json():
        click.echo(text, nl=False, err=True)
        return
    frames = traceback.extract_tb(tb)
    found = blank(type(exc).__name__, str(exc))
    if isinstance(exc, SyntaxError) and exc.filename is not None:  # of a text that Python could not read
        line, column = exc.lineno or 1, exc.offset or 1
        found |= {"file": exc.filename, "line": line, "column": column, "end_line": exc.end_lineno or line,
                  "end_column": exc.end_offset or column, "text": (exc.text or "").strip()}  # fmt: skip
    elif frames:
        last = frames[-1]
        found |= {"file": last.filename, "line": last.lineno, "column": (last.colno or 0) + 1,
                  "end_line": last.end_lineno, "end_column": (last.end_colno or 0) + 1, "function": last.name,
                  "text": last.line or "",
                  "trace": [{"file": f.filename, "line": f.lineno, "function": f.name}
                            for f in reversed(frames[:-1])]}  # fmt: skip
    show_json({"ok": False, "error": {**found, "traceback": text}})


# -- the group --------------------------------------------------------------------------------------------------------


class Commands(click.Group):
    """The group `ave`: --no-color stands before or behind a command's name, a mistake in the command line is JSON where
    --json stands in it, and Ctrl-C ends with status 130."""

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Adds a command, with --no-color for it and for those below it."""
        super().add_command(cmd, name)
        _colorless(cmd)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the command line; it is called `ave` however it was started, which completion asks for too."""
        kwargs["prog_name"] = kwargs.get("prog_name") or "ave"
        return super().main(*args, **kwargs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The rest of the arguments, as click does."""
        ctx.meta[_JSON] = False
        self._given = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command."""
        try:
            return super().invoke(ctx)
        except click.ClickException as exc:
            if not ctx.meta.get(_JSON) and not (isinstance(exc, click.UsageError) and "--json" in self._given):
                raise
            kind = "UsageError" if isinstance(exc, click.UsageError) else "Failure"
            show_json({"ok": False, "error": blank(kind, exc.format_message())})
            raise SystemExit(exc.exit_code) from None
        except AveError as exc:  # of a setting of the environment, whatever the command is
            if knobs.full_traceback():
                raise
            show_error(exc)
            raise SystemExit(FAILED) from None
        except KeyboardInterrupt:
            click.secho("interrupted", err=True)
            raise SystemExit(INTERRUPTED) from None
        except OSError as exc:
            if exc.errno not in _FULL or exc.filename is not None:
                raise
            with contextlib.suppress(OSError, ValueError):  # else Python says it once more when it ends
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            click.echo(f"error: cannot write the output: {exc.strerror}", err=True)
            raise SystemExit(FAILED) from None


def _plain(context: click.Context, _param: click.Parameter, value: bool) -> None:
    if value or knobs.no_color():
        context.color = False
    if value:
        knobs.set_no_color()


def no_color(command: Any) -> Any:
    """The option --no-color."""
    return click.option("--no-color", is_flag=True, is_eager=True, expose_value=False, callback=_plain,
                        help="No colors; NO_COLOR=1 does the same.")(command)  # fmt: skip


def _colorless(command: click.Command) -> None:
    if not any(p.name == "no_color" for p in command.params):
        no_color(command)
    for below in getattr(command, "commands", {}).values():
        _colorless(below)
