"""How the commands speak: rich consoles for results (standard output) and for errors (standard error)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

import click

from avelang.base.errors import AveError

if TYPE_CHECKING:
    from rich.console import Console


def out() -> Console:
    """The console of standard output; plain text when that is no terminal."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def err() -> Console:
    """The console of standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


def fail(text: str, hint: str = "") -> NoReturn:
    """Ends the command with status 1 and one line on standard error."""
    click.secho("error: ", fg="red", bold=True, nl=False, err=True)
    click.echo(text, err=True)
    if hint:
        click.secho(f"  hint: {hint}", fg="cyan", err=True)
    raise SystemExit(1)


def show_error(exc: AveError) -> None:
    """An error of the catalogue on standard error: its line, caret and hint, without a traceback."""
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
