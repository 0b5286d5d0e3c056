"""`ave show ...`: a layout, a fragment, an encoding, a swizzle, banks or a pipeline comes in; a picture goes out, in the terminal or as SVG."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import click

WIDE = 2000  # letters of a line that goes into a file or another program
_FILE = click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=pathlib.Path), help="Write the picture to this SVG file.")
_TARGET = click.option("--target", metavar="CHIP", default="gfx942", show_default=True, help="The chip.")
_OPERAND = click.option("--operand", type=click.Choice(["a", "b", "c", "all"]), default="all", show_default=True, help="Which operand; c is also D.")


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
    """Where each coordinate of a layout lies, such as "((2,4),3):((1,6),2)". Rows are the first mode, columns the second."""

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
    """Which lane holds which element of a matrix instruction's operands: T is the lane, v the element of it.

    NAME is an intrinsic (mfma_16x16x16_bf16_f32) or a matrix product (VDMFMA_F32_8x16x64x2_F16; `ave explain mmas` lists them).
    """

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
    import avelang.language as al
    from avelang import tile
    from avelang.cli.console import fail
    from avelang.cli.script import execute

    file, _, name = what.rpartition(":")
    if file and name.isidentifier() and pathlib.Path(file).exists():
        found = execute(file, "__ave_show__")
        if name not in found:
            fail(f"{file} has no {name}")
        value = found[name]
    else:
        known = {"tile": tile, "al": al, **{n: getattr(tile, n) for n in tile.__all__}}
        value = None

    def make() -> Any:
        from avelang.tile import show

        return show.of(value if value is not None else _evaluate(what, known))

    _emit(make, output)


def _evaluate(text: str, known: dict[str, Any]) -> Any:
    """The value of the user's expression."""
    from avelang.base.errors import AveError
    from avelang.cli.console import fail

    try:
        return eval(text, dict(known))  # noqa: S307 - the user's own expression
    except AveError:
        raise
    except Exception as exc:
        fail(f"{text!r} is no file:name and no expression: {type(exc).__name__}: {exc}")


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
        raise error("T308", got=f"the swizzle {text!r}", why="it is none", instead='a swizzle is "bits,base,shift", or 32B, 64B, 128B') from None
    return Swizzle(bits, base, shift)


@show.command("swizzle")
@click.argument("text", metavar="BITS,BASE,SHIFT|128B")
@click.option("--row-bytes", default=128, show_default=True, help="Bytes of a row of the tile.")
@click.option("--width", default=16, show_default=True, help="Bytes of an access.")
@click.option("--rows", default=8, show_default=True, help="Rows to draw.")
@_FILE
def swizzle_command(text: str, row_bytes: int, width: int, rows: int, output: pathlib.Path | None) -> None:
    """Where a swizzle puts the accesses of each row of a tile."""

    def make() -> Any:
        from avelang.tile import show

        return show.of_swizzle(_swizzle(text), row_bytes, width, rows)

    _emit(make, output)


@show.command("banks")
@click.argument("name")
@_OPERAND
@_TARGET
@click.option("--row-bytes", default=128, show_default=True, help="Bytes from one row in shared memory to the next; K runs along a row.")
@click.option("--swizzle", "swizzle_text", metavar="BITS,BASE,SHIFT|128B", help="Applied to byte offsets.")
@_FILE
def banks_command(name: str, operand: str, target: str, row_bytes: int, swizzle_text: str | None, output: pathlib.Path | None) -> None:
    """How often the banks of shared memory are asked when a wave reads the fragments of A and B of NAME: bank conflicts."""

    def make() -> Any:
        from avelang.tile import mmas, show, tile_accesses

        pictures = []
        types = next((m.dtypes for m in mmas(target) if m.name.lower() == name.lower()), None)
        for title, d in _operands(name, "all" if operand == "c" else operand, target, 8):
            which = title[-1]
            if which == "C":
                continue
            size = (types or _types(name, target))["AB".index(which)].bytes
            strides = (row_bytes, size) if which == "A" else (size, row_bytes)
            found = tile_accesses(d, strides, size, swizzle=_swizzle(swizzle_text), target=target)
            pictures += show.of_accesses(found, f"{title}, rows of {row_bytes} bytes")
        return pictures

    _emit(make, output)


def _types(name: str, target: str) -> Any:
    from avelang.tile.distribution import row_of
    from avelang.tile.virtual import dtypes_of

    return dtypes_of(row_of(name), target)


@show.command("pipeline")
@click.argument("name")
@click.option("--tiles", default=6, show_default=True, type=click.IntRange(1, 64), help="Tiles of K.")
@_FILE
def pipeline_command(name: str, tiles: int, output: pathlib.Path | None) -> None:
    """When each stage of each tile of K runs: single, prefetch, double-buffer, ping-pong, preshuffled, direct-to-lds, cp-async, tma."""

    def make() -> Any:
        from avelang.tile import pipeline, show

        return show.of_pipeline(pipeline(name), tiles)

    _emit(make, output)
