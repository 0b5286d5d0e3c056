"""`ave tune FILE:NAME`: a tuned kernel and shapes come in; the fastest choices go out, and into a table. And what is
done with tables: `list`, `show`, `merge`, `pin`."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from avelang.cli.console import json_option, show_json

if TYPE_CHECKING:
    from avelang.base.errors import AveError
    from avelang.tuning.shapes import Tuning
    from avelang.tuning.tables import Row, Table
    from avelang.tuning.tuned import Tuned


class TuneGroup(click.Group):
    """A group whose command is `run` where none of its own is named: `ave tune FILE:NAME`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts `run` before what names no command."""
        first = args[1:] if args[:1] == ["--no-color"] else args
        if first and first[0] not in self.commands and first[0] not in ("-h", "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=TuneGroup)
def tune() -> None:
    """Tune a kernel (`ave tune FILE:NAME`), or look after tables of tuned choices."""


def _failed(exc: AveError) -> SystemExit:
    from avelang.cli.console import show_error

    show_error(exc)
    return SystemExit(1)


@tune.command("run")
@click.argument("target", metavar="FILE:NAME|MODULE:NAME")
@click.option("--shapes", multiple=True, metavar="SHAPES",
              help='Shapes, with ; between or given again: "m=4096,n=512; m=16..4096:8,n=64" (a range is drawn). '
                   "Default: those of its shapes=.")
@click.option("--draw", type=click.IntRange(1), default=1, show_default=True, help="How often ranges are drawn.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of what is drawn, shapes and inputs.")
@click.option("--minutes", type=click.FloatRange(0, min_open=True), default=10.0, show_default=True, help="For all.")
@click.option("--table", type=click.Path(dir_okay=False),
              help="The table that is written; default: the first of AVE_TUNED, or your own.")
@click.option("--again", is_flag=True, help="Measure shapes of which the table has a row of this text of the kernel.")
@click.option("--workers", type=click.IntRange(0), help="Processes that compile; default: one a core, at most 16.")
@click.option("--ray", "address", metavar="ADDRESS", is_flag=False, flag_value="local",
              help="Share the shapes among the GPUs of a Ray cluster: its address, auto, or local for one of this "
                   "machine.")
@json_option()
def run_command(
    target: str, shapes: tuple[str, ...], draw: int, seed: int, minutes: float, table: str | None, again: bool,
    workers: int | None, address: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Measure the choices of a tuned kernel or function for SHAPES, and keep the fastest that are right."""
    from avelang.base.errors import AveError
    from avelang.cli.script import elsewhere, execute, shown
    from avelang.tuning.shapes import load, parse_shapes, record, tune_shapes
    from avelang.tuning.tuner import Settings

    settings = Settings(table=table, seconds=60 * minutes, workers=workers, seed=seed, force=again)

    def told(done: Tuning) -> None:
        if not as_json:
            click.echo(_line(done))

    def run(tuned: Tuned) -> list[Tuning]:
        wanted = parse_shapes(shapes, draw, seed) or [dict(shape) for shape in tuned.shapes]
        if not wanted:
            raise click.UsageError("no shapes: give --shapes, or shapes= to @avelang.tune")
        if address is None:
            return tune_shapes(tuned, wanted, settings, told)
        from avelang.tuning.cluster import tune_cluster

        return tune_cluster(target, wanted, settings, address, told)

    sys.path.insert(0, os.getcwd())  # modules are found as by `python -m`
    tuned = shown(lambda: load(target, lambda file, name: execute(file, name, quiet=as_json)))
    try:
        # What the user's functions print is not what --json gives.
        with elsewhere() if as_json else contextlib.nullcontext():
            found = run(tuned)
    except AveError as exc:
        raise _failed(exc) from None
    if as_json:
        show_json([record(done) for done in found])
    elif settings.file is not None:
        click.echo(f"table {settings.file}")
    if any(done.error is not None for done in found):
        raise SystemExit(1)


def _line(done: Tuning) -> str:
    shape = " ".join(f"{name}={value}" for name, value in done.shape.items())
    if done.result is None:
        assert done.error is not None
        return f"{shape}: [{done.error.code}] {done.error.message}"
    row = done.result.row
    if any(v.status == "known" for v in done.result.verdicts.values()):
        return f"{shape}: {row.choice}, {row.us:.5g} us (known)"
    ahead = f", {row.next_us / row.us:.3f} times as fast as {row.next}" if row.next_us and row.us else ""
    rejected = "".join(f"\n  {v.status}: {text}: {v.why}" for text, v in done.result.rejected.items())
    return f"{shape}: {row.choice}, {row.us:.5g} us{ahead} ({row.tried} tried, {done.result.seconds:.1f} s){rejected}"


# -- tables ---


def _read(file: str) -> Table:
    import avelang.tuning.tables as tables
    from avelang.base.errors import AveError

    try:
        return tables.read(file)
    except AveError as exc:
        raise _failed(exc) from None


def _chosen(files: Iterable[str], kernel: str, device: str, key: str) -> list[tuple[str, Row]]:
    """(file, row) of the rows in which these words are."""
    import avelang.tuning.tables as tables

    if not files:
        import avelang_kernels.matmul.tuned_tiles  # noqa: F401  # adds the table that the package brings
    return [(file, row) for file in files or tables.places() for row in _read(file)
            if kernel in row.kernel and device in row.device and key in row.key]


_files = click.argument("files", nargs=-1, metavar="[TABLE]...", type=click.Path(exists=True, dir_okay=False))
_kernel = click.option("--kernel", default="", help="Rows in whose kernel these words are.")
_device = click.option("--device", default="", help="Rows in whose device these words are.")
_key = click.option("--key", default="", help="Rows in whose key these words are.")
_json = json_option()
_out = click.option("-o", "--output", type=click.Path(dir_okay=False), help="The file that is written.")


@tune.command("list")
@_files
@_kernel
@_device
@_key
@_json
def list_command(files: tuple[str, ...], kernel: str, device: str, key: str, as_json: bool) -> None:
    """List the choices of tables: those given, or all in which calls look, in that order."""
    found = _chosen(files, kernel, device, key)
    if as_json:
        click.echo(json.dumps([{"table": file, **dataclasses.asdict(row)} for file, row in found], indent=2))
        return
    from rich.markup import escape
    from rich.table import Table as Shown

    from avelang.base.errors import counted
    from avelang.cli.console import out

    shown = Shown("kernel", "device", "key", "choice", "us", "next", box=None, pad_edge=False)
    for _, row in found:
        after = f"{row.next_us:.5g}" if row.next_us else "-"
        shown.add_row(*map(escape, (row.kernel, row.device, row.key, row.choice, f"{row.us:.5g}", after)))
    out().print(shown)
    files_found = len({file for file, _ in found})
    click.echo(f"{counted(len(found), 'row')} of {counted(files_found, 'table')}")


@tune.command("show")
@_files
@_kernel
@_device
@_key
def show_command(files: tuple[str, ...], kernel: str, device: str, key: str) -> None:
    """Show rows with all that is known of them: where, when and with what they were measured."""
    found = _chosen(files, kernel, device, key)
    if not found:
        from avelang.cli.console import fail

        fail("there is no such row", "ave tune list has all")
    for file, row in found:
        click.echo(f"table     {file}")
        for name, value in dataclasses.asdict(row).items():
            click.echo(f"{name:<9} {value:g}" if isinstance(value, float) else f"{name:<9} {value}")
        click.echo()


@tune.command("merge")
@click.argument("files", nargs=-1, required=True, metavar="TABLE...", type=click.Path(exists=True, dir_okay=False))
@click.option("--prefer", type=click.Choice(["newer", "faster"]), default="newer", show_default=True,
              help="Which of two rows of one kernel, device and key stays.")
@_out
def merge_command(files: tuple[str, ...], prefer: str, output: str | None) -> None:
    """Put tables together; rows that choose otherwise are told on standard error. The order does not matter."""
    import avelang.tuning.tables as tables

    made, clashes = tables.merge([_read(file) for file in files], prefer)
    for stays, goes in clashes:
        click.echo(f"{stays.kernel} | {stays.device} | {stays.key}: {stays.choice} ({stays.us:g} us, {stays.when}) "
                   f"stays, {goes.choice} ({goes.us:g} us, {goes.when}) goes", err=True)
    _put(made, output)


@tune.command("pin")
@click.argument("file", metavar="TABLE", type=click.Path(exists=True, dir_okay=False))
@click.option("--off", is_flag=True, help="Take the pin away.")
@_kernel
@_device
@_key
@_out
def pin_command(file: str, off: bool, kernel: str, device: str, key: str, output: str | None) -> None:
    """Pin a table: tuners refuse to change it, and a call that finds it changed fails. With AVE_TUNED=TABLE, choices
    come from it and no other. Options pick rows; without -o, TABLE itself is written."""
    import avelang.tuning.tables as tables

    if output is None and (kernel or device or key):
        raise click.UsageError("a part of a table goes to another file: -o FILE")
    rows = [row for _, row in _chosen([file], kernel, device, key)]
    made = tables.Table(rows, pinned=not off)
    _put(made, output or file)
    if made.pinned:
        click.echo(f"pinned {len(rows)} rows, {made.digest}")


def _put(table: Table, output: str | None) -> None:
    import avelang.tuning.tables as tables
    from avelang.base.errors import AveError

    if output is None:
        click.echo(table.text, nl=False)
        return
    try:
        with tables.locked(output):
            tables.write(output, table)
    except AveError as exc:
        raise _failed(exc) from None
