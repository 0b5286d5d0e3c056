"""`ave ptx ...`: commands about PTX text. `ave ptx lint FILE` prints what is wrong with it, one finding a line; `ave
ptx to-python FILE` prints Python of the instruction level that writes it; `ave ptx run FILE` executes an entry on this
machine. `check` and `diff` are in `cli.ptx_check`."""

from __future__ import annotations

import pathlib

import click

from avelang.cli.console import json_option, show_json
from avelang.cli.execute import argument, extents, folder
from avelang.cli.ptx_check import check_command, diff_command


@click.group("ptx")
def ptx() -> None:
    """Work with PTX, NVIDIA's assembly language."""


ptx.add_command(check_command)
ptx.add_command(diff_command)


@ptx.command("lint")
@click.argument("files", metavar="FILE...", nargs=-1, required=True,
                type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path))
@click.option("--no-warnings", is_flag=True,
              help="Leave out what is only worth a look, such as labels that nothing goes to.")
@json_option("Print a JSON list of the findings, each with `severity` and the fields of an error.")
def lint_command(files: tuple[pathlib.Path, ...], no_warnings: bool, as_json: bool) -> None:
    """Check PTX files: syntax, each instruction with its modifiers and operands, its chip and PTX version, names,
    labels.

    A finding is printed as FILE:LINE:COLUMN: [CODE] text. The status is 1 where there is an error, 0 where there are
    warnings only."""
    from avelang.base.errors import AveError
    from avelang.nvptx.lint import WARNINGS, lint

    failed, listed = False, []
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
            if as_json:
                listed.append({"severity": "warning" if warning else "error", **exc.as_dict(), "file": str(file)})
                continue
            place = f"{exc.span.line}:{_column(exc)}" if exc.span is not None else "1:1"
            hint = f" ({exc.hint})" if exc.hint else ""
            click.echo(f"{file}:{place}: [{exc.code}] {'warning: ' if warning else ''}{exc.message}{hint}")
    if as_json:
        show_json(listed)
    if failed:
        raise SystemExit(1)


@ptx.command("to-python")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, writable=True, path_type=pathlib.Path),
              help="A file, instead of standard output.")
@click.option("--entry", metavar="NAME", help="Only this kernel, and the functions and variables that it uses.")
@click.option("--readable", "structured", is_flag=True,
              help="With loops, ifs and names; lines that differ in numbers alone become a `for`.")
def to_python_command(file: pathlib.Path, output: pathlib.Path | None, entry: str | None, structured: bool) -> None:
    """Turn a PTX file into a Python file of the instruction level, one call one instruction, to read and to change.

    Run, it prints the same PTX, without comments and data for debuggers; with --readable, up to the names of registers
    and labels, which is tried before it is printed: a function of which it does not hold is written more plainly, with
    a warning. An instruction that Ave does not know is kept as text, with a warning."""
    from avelang.base.errors import AveError
    from avelang.cli.console import fail, show_error
    from avelang.ptx.readable import readable
    from avelang.ptx.to_python import to_python

    try:
        text = file.read_text(encoding="utf-8", errors="replace")
        made = readable(text, str(file), entry) if structured else to_python(text, str(file), entry)
        for name, (way, why) in getattr(made, "plainer", {}).items():
            click.echo(f"{file}: warning: `{name}` is written {way}: {why}", err=True)
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


@ptx.command("run")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path))
@click.argument("arguments", nargs=-1)
@click.option("--entry", metavar="NAME", help="Which entry, where the file has several.")
@click.option("--grid", default="1", show_default=True, callback=extents,
              help="Extents of the grid, in blocks: x, x,y or x,y,z.")
@click.option("--block", default="32", show_default=True, callback=extents, help="Extents of a block, in threads.")
@click.option("--cluster", default="1", show_default=True, callback=extents, help="Extents of a cluster, in blocks.")
@click.option("--shared", type=click.IntRange(0), default=0, show_default=True, help="Bytes of dynamic shared memory.")
@click.option("--check", default="", metavar="WORDS",
              help="What to verify besides memory and waits: races, init, all; with commas between.")
@click.option("--collect", is_flag=True,
              help="Go on behind what is wrong, and list it; the exit status is 1 where there is anything.")
@click.option("--order", type=click.Choice(["forward", "reverse", "random"]), default="forward", show_default=True,
              help="Who runs first.")
@click.option("--seed", default=1, show_default=True, help="Of random arrays and of the random order.")
@click.option("--save", type=click.Path(file_okay=False),
              help="A folder for the arrays behind the run: arg0.npy, arg1.npy, ...")
def run_command(
    file: pathlib.Path, arguments: tuple[str, ...], entry: str | None, grid: tuple[int, ...], block: tuple[int, ...],
    cluster: tuple[int, ...],
    shared: int, check: str, collect: bool, order: str, seed: int, save: str | None,
) -> None:  # fmt: skip
    """Execute PTX on this machine: ours, or anyone's.

    ARGUMENTS stand in the entry's order: null, TYPE=VALUE (i32=128), TYPE[SHAPE]=FILL (f32[256,64]=random), FILE.npy,
    or FILE.npy:TYPE."""
    import numpy as np

    from avelang.base.errors import AveError
    from avelang.cli.console import show_error
    from avelang.nvptx.parse import parse
    from avelang.sim.ptx import Program

    rng = np.random.default_rng(seed)
    values = [argument(text, rng) for text in arguments]
    arrays = [x for x in values if isinstance(x, np.ndarray)]
    memory = [(x.ctypes.data, x.nbytes, f"argument {k}", True)
              for k, x in enumerate(values) if isinstance(x, np.ndarray)]
    args = [0 if x is None else x.ctypes.data if isinstance(x, np.ndarray) else x.tobytes() for x in values]
    three = [(x, y, z) for x, y, z, *_ in ((*e, 1, 1) for e in (grid, block, cluster))]
    where = folder(save) if save else None
    try:
        program = Program(parse(file.read_text(encoding="utf-8", errors="replace"), str(file)), entry)
        ran = program.launch(
            args, three[0], three[1], shared, three[2] if cluster != (1,) else None, memory,
            check=[x for x in check.split(",") if x],
            report="collect" if collect else "raise", order="" if order == "forward" else order, seed=seed,
        )  # fmt: skip
    except AveError as exc:
        show_error(exc)
        raise SystemExit(1) from None
    for found in ran.reports:
        click.echo(f"{found}\n")
    click.echo(f"{program.code.entry.name}: {int(ran):,} warp instructions, {len(arrays)} arrays")
    for k, x in enumerate(values):
        if where and isinstance(x, np.ndarray):
            np.save(where / f"arg{k}.npy", x)
    if ran.reports:
        raise SystemExit(1)


def _column(exc: Exception) -> int:
    """The column in characters, from 1 on."""
    from avelang.base.errors import AveError

    assert isinstance(exc, AveError) and exc.span is not None
    return len(exc.span.text().encode()[: exc.span.col].decode(errors="ignore")) + 1
