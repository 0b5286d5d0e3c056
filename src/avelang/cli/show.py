"""`ave show ...`: a layout, a fragment, an encoding, a swizzle, banks or a pipeline comes in; a picture goes out, in
the terminal or as SVG."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import click

from avelang.arch import product
from avelang.cli.compile import Chip
from avelang.cli.console import json_option

WIDE = 2000  # letters of a line that goes into a file or another program
_FILE = click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=pathlib.Path),
                     help="Write the picture to this SVG file.")
_TARGET = click.option("--target", type=Chip(), metavar="CHIP", default="gfx942", show_default=True, help="The chip.")
_OPERAND = click.option("--operand", type=click.Choice(["a", "b", "c", "all"]), default="all", show_default=True,
                        help="Which operand; c is also D.")


@click.group()
def show() -> None:
    """Draw layouts, who holds what, bank conflicts and pipelines."""


def _emit(make: Callable[[], Any], output: pathlib.Path | None) -> None:
    """The pictures on the terminal or in the file; an error of the catalogue ends the command with status 1."""
    from avelang.base.errors import AveError
    from avelang.cli.console import fail, out, show_error
    from avelang.tile.picture import svg, terminal

    try:
        pictures = make()
    except AveError as exc:
        exc.span = None  # the line is one of Ave's
        show_error(exc)
        raise SystemExit(1) from None
    if output is None:
        console = out()
        if not console.is_terminal:
            console.width = WIDE
        for p in pictures:
            console.print(terminal(p, console.width))
            console.print()
        return
    try:
        output.write_text(svg(pictures))
    except OSError as exc:
        fail(f"{output} cannot be written: {exc.strerror}")
    click.echo(f"{output}: {len(pictures)} picture{'s' * (len(pictures) != 1)}")


@show.command("layout")
@click.argument("text", metavar="SHAPE:STRIDES")
@_FILE
def layout_command(text: str, output: pathlib.Path | None) -> None:
    """The offset of each coordinate of a layout, such as "((2,4),3):((1,6),2)". Rows are the first mode, columns the
    second."""

    def make() -> Any:
        from avelang.tile import show

        return show.of_layout(show.parse_layout(text))

    _emit(make, output)


def _operands(name: str, operand: str, target: str, n: int) -> list[tuple[str, Any]]:
    """(title, distribution) of the operands of an intrinsic or of a matrix product."""
    from avelang.tile import Distribution, mma, mmas
    from avelang.tile.distribution import row_of

    found = next((m for m in mmas(target) if m.name.lower() == name.lower()), None)
    letters = "abc" if operand == "all" else operand
    if found is not None:
        held = {"a": found.a, "b": found.b, "c": found.acc}
        return [(f"{found.name}, {x.upper()}", held[x]) for x in letters if held[x] is not None]
    if name.upper() == name:  # as the names of matrix products are written
        mma(name, target)  # says which there are
    row = row_of(name)
    if row.name.startswith("nvvm.wgmma") and operand == "all":
        letters = "c"
    return [(f"{row.name}, {x.upper()}", Distribution.from_fragment(row, x, n)) for x in letters]


@show.command("row")
@click.argument("name")
@_OPERAND
@_TARGET
@click.option("-n", type=int, default=8, help="Columns of wgmma's accumulator.")
@_FILE
def row_command(name: str, operand: str, target: str, n: int, output: pathlib.Path | None) -> None:
    """The lane that holds each element of a matrix instruction's operands: T is the lane, v the element of it.

    NAME is an intrinsic (mfma_16x16x16_bf16_f32) or a matrix product (VDMFMA_F32_8x16x64x2_F16; `ave explain mmas`
    lists them)."""

    def make() -> Any:
        from avelang.tile import show

        return [p for title, d in _operands(name, operand, target, n) for p in show.of_distribution(d, title)]

    _emit(make, output)


@show.command("encoding")
@click.argument("what", metavar="FILE:NAME|EXPRESSION")
@_FILE
def encoding_command(what: str, output: pathlib.Path | None) -> None:
    """Any object of the tile level: NAME of a Python file, or an expression that has `tile`, its names and `al`.

    Such as "Distribution.blocked((64, 64), al.bf16, waves=1)".
    """

    def make() -> Any:
        from avelang.tile import show

        return show.of(_object(what))

    _emit(make, output)


def _object(what: str) -> Any:
    """The object that FILE:NAME or an expression says."""
    import avelang.language as al
    from avelang import tile
    from avelang.base.errors import AveError
    from avelang.cli.console import USAGE, fail
    from avelang.cli.script import execute

    file, _, name = what.rpartition(":")
    if file and name.isidentifier() and (pathlib.Path(file).exists() or file.endswith(".py")):
        if not pathlib.Path(file).is_file():
            fail(f"there is no file {file}", status=USAGE)
        found = execute(file, "__ave_show__")
        if name not in found:
            fail(f"{file} has no {name}", status=USAGE)
        return found[name]
    try:
        names = {"tile": tile, "al": al, **{n: getattr(tile, n) for n in tile.__all__}}
        return eval(what, names)  # noqa: S307 - the user's own expression
    except AveError:
        raise
    except Exception as exc:
        fail(f"{what!r} is no file:name and no expression: {type(exc).__name__}: {exc}", status=USAGE)


def _swizzle(text: str | None) -> Any:
    """Of "bits,base,shift", or "128B" for NVIDIA's patterns. Raises T308."""
    from avelang.base.errors import error
    from avelang.tile import Swizzle

    if text is None:
        return None
    try:
        if text.upper().endswith("B"):
            return Swizzle.pattern(int(text[:-1]))
        bits, base, shift = map(int, text.split(","))
    except ValueError:
        raise error("T308", got=f"the swizzle {text!r}", why="it is none",
                    instead='a swizzle is "bits,base,shift", or 32B, 64B, 128B') from None
    return Swizzle(bits, base, shift)


@show.command("swizzle")
@click.argument("text", metavar="BITS,BASE,SHIFT|128B")
@click.option("--row-bytes", default=128, show_default=True, help="Bytes of a row of the tile.")
@click.option("--width", default=16, show_default=True, help="Bytes of an access.")
@click.option("--rows", default=8, show_default=True, help="Rows to draw.")
@_TARGET
@_FILE
def swizzle_command(text: str, row_bytes: int, width: int, rows: int, target: str, output: pathlib.Path | None) -> None:
    """The banks to which a swizzle sends the accesses of each row of a tile, and the bank conflicts of a wave that
    reads down a column, without it and with it."""

    def make() -> Any:
        from avelang.tile import show

        found = _swizzle(text)
        return [*show.of_swizzle(found, row_bytes, width, rows), *show.of_column(found, row_bytes, width, target)]

    _emit(make, output)


@show.command("banks")
@click.argument("name", metavar="NAME|FILE:NAME|EXPRESSION")
@_OPERAND
@_TARGET
@click.option("--row-bytes", default=128, show_default=True,
              help="Bytes from one row in shared memory to the next; K runs along a row.")
@click.option("--element", default=2, show_default=True, type=click.IntRange(1, 16),
              help="Bytes of an element, of a distribution.")
@click.option("--write", is_flag=True, help="The wave writes what it holds.")
@click.option("--swizzle", "swizzle_text", metavar="BITS,BASE,SHIFT|128B", help="Applied to byte offsets.")
@_FILE
def banks_command(
    name: str, operand: str, target: str, row_bytes: int, element: int, write: bool, swizzle_text: str | None,
    output: pathlib.Path | None
) -> None:
    """The accesses to each bank of shared memory when a wave reads, or writes, its part of a tile: bank conflicts.

    NAME is an intrinsic or a matrix product, whose fragments of A and B are read; else any distribution of a tile of
    rows and columns, by a file or an expression as for `ave show encoding`: its first wave."""

    def make() -> Any:
        from avelang.tile import show, tile_accesses

        found = _swizzle(swizzle_text)
        pictures = []
        for title, d, strides, size in _tiles(name, operand, target, row_bytes, element):
            made = tile_accesses(d, strides, size, swizzle=found, target=target, kind="write" if write else "read")
            pictures += show.of_accesses(made, f"{title}, rows of {row_bytes} bytes{f', {found}' if found else ''}")
        return pictures

    _emit(make, output)


def _tiles(name: str, operand: str, target: str, row_bytes: int,
           element: int) -> list[tuple[str, Any, tuple[int, int], int]]:
    """(title, distribution, bytes from element to element along its dimensions, bytes of an element) of what is in
    shared memory."""
    from avelang.arch import chip
    from avelang.base.errors import error
    from avelang.tile import Distribution, SubgroupLayout, mmas

    if not name.replace("_", "").replace(".", "").isalnum():
        d = _object(name)
        d = d.distribution if isinstance(d, SubgroupLayout) else d
        if not isinstance(d, Distribution) or len(d.shape) != 2:
            got = f"a tile of {d.shape}" if isinstance(d, Distribution) else repr(d)
            raise error("T308", got=got, why="it is no distribution of rows and columns",
                        instead="give one, or the name of an MMA")
        if d.wave != chip(target).wave:
            why = f"its waves have {d.wave} lanes, those of {target} {chip(target).wave}"
            raise error("T308", got=f"a tile of {d.shape}", why=why,
                        instead="choose another --target, or make the distribution with wave=")
        return [(f"tile of {d.shape[0]} x {d.shape[1]}", d, (row_bytes, element), element)]
    types = next((m.dtypes for m in mmas(target) if m.name.lower() == name.lower()), None)
    out = []
    for title, d in _operands(name, "all" if operand == "c" else operand, target, 8):
        which = title[-1]
        if which != "C":
            size = (types or _types(name, target))["AB".index(which)].bytes
            out.append((title, d, (row_bytes, size) if which == "A" else (size, row_bytes), size))
    return out


def _types(name: str, target: str) -> Any:
    from avelang.tile.distribution import row_of
    from avelang.tile.virtual import dtypes_of

    return dtypes_of(row_of(name), target)


@show.command("pipeline")
@click.argument("name")
@click.option("--tiles", default=6, show_default=True, type=click.IntRange(1, 64), help="Tiles of K.")
@_FILE
def pipeline_command(name: str, tiles: int, output: pathlib.Path | None) -> None:
    """When each stage of each tile of K runs: single, prefetch, double-buffer, ping-pong, preshuffled, direct-to-lds,
    cp-async, tma."""

    def make() -> Any:
        from avelang.tile import pipeline, show

        return show.of_pipeline(pipeline(name), tiles)

    _emit(make, output)


def _pair(_context: click.Context, _param: click.Parameter, value: str) -> tuple[int, int]:
    try:
        m, n = (int(x) for x in value.lower().split("x"))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not two extents, such as 256x256") from None
    return m, n


@show.command("tiles")
@click.argument("m", type=int)
@click.argument("n", type=int)
@click.option("--block", default="256x256", show_default=True, metavar="MxN", callback=_pair,
              help="The tile of C that a block makes.")
@click.option("--units", default=product("gfx942").count, show_default=True,
              help="Compute units or multiprocessors of the chip.")
@click.option("--together", default=8, show_default=True, help="Rows of tiles that are gone through together.")
@_TARGET
@_FILE
def tiles_command(m: int, n: int, block: tuple[int, int], units: int, together: int, target: str,
                  output: pathlib.Path | None) -> None:
    """The block that makes each tile of C, M x N, and how well they fill the chip."""

    def make() -> Any:
        from avelang.tile import show

        return show.of_order(m, n, block, units, target, together)

    _emit(make, output)


@show.command("races", context_settings={"ignore_unknown_options": True})
@click.argument("what", metavar="FILE|FILE:NAME|MODULE:NAME")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("--on", "backend", type=click.Choice(["reference", "gfx942-exec", "gfx950-exec"]), default="reference",
              show_default=True, help="The engine that looks: the reference, or the executor of AMD code.")
@json_option("Print JSON.")
@_FILE
def races_command(what: str, arguments: tuple[str, ...], backend: str, as_json: bool,
                  output: pathlib.Path | None) -> None:
    """The race that a program has: who touched what, when, and what does not order the two.

    FILE is a program, run with ARGUMENTS; FILE:NAME a function, called with them as `ave inspect` does. Launches on
    arrays of this machine run on the engine of --on with AVE_CHECK=races. The exit status is 1 where there is a
    race."""
    import dataclasses
    import json

    from avelang.cli.console import fail

    found = _race(what, arguments, backend)
    if found is None:
        click.echo("[]" if as_json else f"{what}: no race was found by {backend}")
        return
    if output is not None:
        try:
            output.write_text(found.svg())
        except OSError as exc:
            fail(f"{output} cannot be written: {exc.strerror}")
    click.echo(json.dumps([dataclasses.asdict(found)], indent=2) if as_json else found.text())
    raise SystemExit(1)


def _race(what: str, arguments: tuple[str, ...], backend: str) -> Any:
    """The first race of a program or a call; None where it has none. Other errors end the command."""
    from avelang.base import knobs
    from avelang.base.errors import AveError
    from avelang.cli.callables import called, found_in, named
    from avelang.cli.console import show_error
    from avelang.cli.script import program
    from avelang.inspection.races import race_report

    file, name = named(what)
    knobs.set_defaults(backend=backend)

    def run() -> None:
        if name:
            called(what, found_in(file, name), arguments, {})()
        else:
            program(file, arguments, True, (AveError,))

    with knobs.checking("races"):
        try:
            run()
        except AveError as exc:
            found = race_report(exc)
            if found is not None:
                return found
            show_error(exc)
            raise SystemExit(1) from None
    return None
