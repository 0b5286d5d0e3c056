"""`ave ptx ...`: commands about PTX text. `ave ptx lint FILE` prints what is wrong with it, one finding a line."""

from __future__ import annotations

import pathlib

import click


@click.group("ptx")
def ptx() -> None:
    """Work with PTX, NVIDIA's assembly language."""


@ptx.command("lint")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path))
@click.option("--no-warnings", is_flag=True, help="Leave out what is only worth a look, such as labels that nothing goes to.")
def lint_command(files: tuple[pathlib.Path, ...], no_warnings: bool) -> None:
    """Check PTX files: syntax, each instruction with its modifiers and operands, its chip and PTX version, names, labels.

    A finding is printed as FILE:LINE:COLUMN: [CODE] text. The status is 1 where there is an error, 0 where there are warnings only.
    """
    from avelang.base.errors import AveError
    from avelang.nvptx.lint import WARNINGS, lint

    failed = False
    for file in files:
        try:
            found = lint(file.read_text(encoding="utf-8", errors="replace"), str(file))
        except AveError as exc:
            found = [exc]
        for exc in found:
            warning = exc.code in WARNINGS
            if warning and no_warnings:
                continue
            failed |= not warning
            place = f"{exc.span.line}:{_column(exc)}" if exc.span is not None else "1:1"
            hint = f" ({exc.hint})" if exc.hint else ""
            click.echo(f"{file}:{place}: [{exc.code}] {'warning: ' if warning else ''}{exc.message}{hint}")
    if failed:
        raise SystemExit(1)


def _column(exc: Exception) -> int:
    """The column in characters, from 1 on."""
    from avelang.base.errors import AveError

    assert isinstance(exc, AveError) and exc.span is not None
    return len(exc.span.text().encode()[: exc.span.col].decode(errors="ignore")) + 1
