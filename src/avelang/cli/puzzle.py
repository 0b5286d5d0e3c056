"""`ave puzzle N [FILE]`: a number comes in, and a file that should solve it; the statement goes out, or a verdict with
a hint."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

import click

from avelang.base.errors import AveError
from avelang.cli.console import fail
from avelang.cli.script import execute

if TYPE_CHECKING:
    from avelang import puzzles


@click.command()
@click.argument("number", type=int, required=False)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path), required=False)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=pathlib.Path),
              help="Write a file to begin with, instead of showing it.")  # fmt: skip
@click.option("--seed", type=int, default=17, show_default=True, help="Draws other shapes.")
def puzzle(number: int | None, file: pathlib.Path | None, output: pathlib.Path | None, seed: int) -> None:
    """Learn by solving: ten puzzles that need no GPU.

    Without NUMBER: the list. With it: the statement, and a skeleton to fill in. With FILE, too: is its kernel right? It
    runs on drawn shapes in the reference executor, with races and bounds verified, and what is wrong comes with a hint.
    A wrong answer ends the command with status 1."""
    from avelang import puzzles

    if number is None:
        for p in puzzles.PUZZLES:
            click.echo(f"{p.number:2}  {p.title}")
        click.echo("\nave puzzle 1 -o puzzle1.py, and when it is filled in: ave puzzle 1 puzzle1.py")
        return
    try:
        task = puzzles.puzzle(number)
    except AveError as e:
        fail(e.message.partition(": ")[2], e.hint or "")
    if file is None:
        _begin(task, output)
        return
    verdict = puzzles.check_names(number, execute(str(file), "puzzle"), str(file), seed)
    if verdict.right:
        click.secho(f"right: {verdict.message}", fg="green", bold=True)
        return
    click.secho("wrong: ", fg="red", bold=True, nl=False)
    click.echo(verdict.message)
    if verdict.hint:
        click.secho(f"hint: {verdict.hint}", fg="cyan")
    raise SystemExit(1)


def _begin(task: puzzles.Puzzle, output: pathlib.Path | None) -> None:
    if output is None:
        click.echo(task.file)
    elif output.exists():
        fail(f"{output} is there already", "Name another file: an answer is not written over.")
    else:
        try:
            output.write_text(task.file)
        except OSError as exc:
            fail(f"cannot write {output}: {exc.strerror}")
        click.echo(f"{output}: fill it in, then `ave puzzle {task.number} {output}`")


def page() -> str:
    """docs/puzzles/index.md"""
    from avelang.puzzles import PUZZLES

    parts = [_INTRODUCTION]
    for p in PUZZLES:
        head = "import avelang\nimport avelang.language as al\n\n\n" if p.number == 1 else ""
        parts.append(f"## {p.number}. {p.title}\n\n{p.statement}\n\n```python\n{head}{p.skeleton}    pass\n```\n")
    return "\n".join(parts)


_INTRODUCTION = """# Puzzles

<!-- Made by `./dev docs`; change src/avelang/puzzles instead. -->

Ten kernels to write, from one line to a matrix instruction. No GPU is needed. Each comes with a file to fill in:

    ave puzzle                    # the list
    ave puzzle 1 -o puzzle1.py    # a file to begin with
    ave puzzle 1 puzzle1.py       # is it right?

The checker launches your kernel on shapes that it draws, in the reference executor. Every access is held against its
array, and races between threads are found, also where the numbers happen to be right. The result is compared with
NumPy. A wrong answer gets the first wrong element, or the line of the error, and mostly a hint:

    wrong: n = 64: 1 of 64 elements were never written, or are NaN. The first is [63]
    hint: The last element is missing: an off by one in the mask. `i < n` lets the last one through, `i < n - 1` does
    not.

`python -m avelang.puzzles` does the same. In Python: `avelang.puzzles.check(1, add_one)`.

What you need to know is in [the guide](../guide.md), sections 1 to 4; for puzzle 10
[MFMA by hand](../tutorials/mfma.md).
`al.printf` prints from a kernel, and `--seed 5` draws other shapes.
"""
