"""`ave judge FILE`: a candidate, a reference and a drawer of inputs come in; the verdict goes out: compiled, right on
drawn shapes, free of races, how fast."""

from __future__ import annotations

import contextlib
import pathlib
from typing import Any

import click

from avelang.cli.console import FAILED, OK, USAGE, fail, json_option, show_error, show_json


@click.command("judge")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--candidate",
    metavar="FILE[:NAME]",
    help="Another file that has the candidate, by the name `candidate` or NAME. It is read after the task's.",
)
@click.option("--shapes", type=click.IntRange(1), default=8, show_default=True, help="How many cases are drawn.")
@click.option(
    "--checked",
    type=click.IntRange(0),
    default=2,
    show_default=True,
    help="How many of them, the smallest, run on the reference executor with checks.",
)
@click.option("--no-speed", is_flag=True, help="Measure nothing.")
@click.option("--seconds", type=click.FloatRange(0), default=2.0, show_default=True, help="For the clock.")
@click.option("--seed", type=int, help="Of all that is drawn; drawn itself if left out.")
@json_option("Print the verdict as JSON; an error too.")
def judge_command(file: str, candidate: str | None, shapes: int, checked: int, no_speed: bool, seconds: float,
                  seed: int | None, as_json: bool) -> None:  # fmt: skip
    """Judge a kernel by what it does on drawn inputs.

    FILE is Python with functions `reference(**inputs)`, `draw(rng)` and `candidate(**arguments)`, and, where they are
    needed, `outputs`, `inout` (names of arguments), `small(rng)`, `tolerance`, `baseline`, `checks`; `avelang.judge`
    explains them (docs/recipes.md). Outputs are poisoned, inputs are drawn anew by a seed that nobody knows, results
    must not be inputs, and the reference executor looks for races, accesses out of bounds and reads of memory that
    nothing wrote. The status is 1 where anything is wrong."""
    from avelang.base.errors import AveError
    from avelang.cli.script import elsewhere, execute
    from avelang.judging import of_names

    names = execute(file, "__ave_judge__", quiet=as_json)
    try:
        other = _candidate(candidate, as_json)
        with elsewhere() if as_json else contextlib.nullcontext():
            verdict = of_names(names, other, shapes=shapes, checked=checked, speed=not no_speed, seconds=seconds,
                               seed=seed)  # fmt: skip
    except AveError as exc:
        show_error(exc)
        raise SystemExit(FAILED) from None
    if as_json:
        show_json(verdict.as_dict())
    else:
        click.echo(str(verdict))
    raise SystemExit(OK if verdict.passed else FAILED)


def _candidate(where: str | None, quiet: bool) -> Any:
    """The candidate of another file; None where none is named."""
    from avelang.cli.script import execute

    if where is None:
        return None
    file, _, name = (where, "", "candidate") if where.endswith(".py") else where.rpartition(":")
    if not pathlib.Path(file).is_file():
        fail(f"there is no file {file or where}", status=USAGE)
    found = execute(file, "__ave_judge__", quiet=quiet)
    if not callable(found.get(name)):
        fail(f"{file} has no function `{name}`", status=USAGE)
    return found[name]
