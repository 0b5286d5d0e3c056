"""`ave ptx ...`: commands about PTX text. `ave ptx lint FILE` prints what is wrong with it, one finding a line;
`ave ptx to-python FILE` prints Python of the instruction level that writes it."""

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


@ptx.command("to-python")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, writable=True, path_type=pathlib.Path), help="A file, instead of standard output.")
@click.option("--entry", metavar="NAME", help="Only this kernel, and the functions and variables that it uses.")
def to_python_command(file: pathlib.Path, output: pathlib.Path | None, entry: str | None) -> None:
    """Turn a PTX file into a Python file of the instruction level, one call one instruction, to read and to change.

    Run, it prints the same PTX, without comments and data for debuggers. An instruction that Ave does not know is kept as text, with a warning.
    """
    from avelang.base.errors import AveError
    from avelang.cli.console import fail, show_error
    from avelang.ptx.to_python import to_python

    try:
        made = to_python(file.read_text(encoding="utf-8", errors="replace"), str(file), entry)
    except AveError as exc:
        show_error(exc)
        raise SystemExit(1) from None
    for line, why in made.raw:
        click.echo(f"{file}:{line}: warning: kept as text, unchecked: {why}", err=True)
    if output is None:
        click.echo(made.text, nl=False)
        return
    try:
        output.write_text(made.text, encoding="utf-8")
    except OSError as e:
        fail(f"cannot write {output}: {e.strerror}")


def _column(exc: Exception) -> int:
    """The column in characters, from 1 on."""
    from avelang.base.errors import AveError

    assert isinstance(exc, AveError) and exc.span is not None
    return len(exc.span.text().encode()[: exc.span.col].decode(errors="ignore")) + 1
