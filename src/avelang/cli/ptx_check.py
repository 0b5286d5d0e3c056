"""`ave ptx check FILE`: lint, a watched run, and what each barrier, wait and fence is good for in it; `ave ptx diff A
B`: two kernels by instruction mix and schedule."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any

import click

from avelang.cli.execute import argument, extents

if TYPE_CHECKING:
    import numpy as np

    from avelang.sim.ptx import Program

_ELEMENTS = 1 << 16  # of an array that nobody has named
_COUNT = 32  # a number that nobody has named


def drawn(program: Program, rng: np.random.Generator) -> list[Any]:
    """An argument for each parameter: an array of floats for 64 bits, 32 or a float for a number."""
    import numpy as np

    out: list[Any] = []
    for v in program.code.params:
        if v.bytes == 8:
            out.append(rng.standard_normal(_ELEMENTS).astype(np.float32))
        elif v.bytes == 4:
            out.append(np.float32(rng.standard_normal()) if v.type == "f32" else np.int32(_COUNT))
        else:
            out.append(bytes(v.bytes) if v.bytes > 8 else np.zeros((), f"u{v.bytes}")[()])
    return out


class _Launch:
    """A launch that is made again and again, on copies of the same arrays."""

    def __init__(self, values: list[Any], options: dict[str, Any]):
        self.values, self.options = values, options
        self.first: list[bytes] | None = None

    def __call__(self, program: Program) -> tuple[Any, bool]:
        """(what the launch gave, whether its arrays are what the first launch made of them)."""
        import numpy as np

        arrays = [x.copy() if isinstance(x, np.ndarray) else x for x in self.values]
        named = [(k, x) for k, x in enumerate(arrays) if isinstance(x, np.ndarray) and x.ndim]
        memory = [(x.ctypes.data, x.nbytes, f"argument {k}", True) for k, x in named]
        args = [
            0 if x is None else x if isinstance(x, bytes) else x.ctypes.data if isinstance(x, np.ndarray) and x.ndim
            else x.tobytes() for x in arrays
        ]  # fmt: skip
        ran = program.launch(args, memory=memory, check=["all"], report="collect", **self.options)
        found = [x.tobytes() for _, x in named]
        if self.first is None:
            self.first = found
        return ran, found == self.first


@click.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path))
@click.argument("arguments", nargs=-1)
@click.option("--entry", metavar="NAME", help="Which entry, where the file has several.")
@click.option(
    "--grid", default="1", show_default=True, callback=extents, help="Extents of the grid, in blocks: x, x,y or x,y,z."
)
@click.option(
    "--block",
    default=None,
    callback=lambda c, p, v: extents(c, p, v) if v else None,
    help="Extents of a block, in threads; what the entry says, or 32.",
)
@click.option("--cluster", default="1", show_default=True, callback=extents, help="Extents of a cluster, in blocks.")
@click.option("--shared", type=click.IntRange(0), default=0, show_default=True, help="Bytes of dynamic shared memory.")
@click.option("--seed", default=1, show_default=True, help="Of random arrays.")
@click.option(
    "--most",
    type=click.IntRange(0),
    default=64,
    show_default=True,
    help="How many barriers, waits and fences are tried: the kernel runs once more without each.",
)
def check_command(
    file: pathlib.Path, arguments: tuple[str, ...], entry: str | None, grid: tuple[int, ...],
    block: tuple[int, ...] | None, cluster: tuple[int, ...], shared: int, seed: int, most: int,
) -> None:  # fmt: skip
    """Check a PTX file by reading and by running it: lint; then the entry runs on this machine, watched for races,
    missing waits and reads of what nothing wrote; then once more without each of its barriers, waits and fences, to say
    which ones were redundant in that run.

    ARGUMENTS stand in the entry's order, as for `ave ptx run`; without any, arrays are random (65536 floats each) and
    numbers 32. The status is 1 where something is wrong."""
    import numpy as np

    from avelang.base.errors import AveError
    from avelang.cli.console import show_error
    from avelang.nvptx.lint import WARNINGS, lint
    from avelang.sim.ptx import Program
    from avelang.sim.ptx.code import required

    text = file.read_text(encoding="utf-8", errors="replace")
    try:
        wrong = [e for e in lint(text, str(file)) if e.code not in WARNINGS]
        for e in wrong:
            show_error(e)
        if wrong:
            raise SystemExit(1)
        click.echo("lint: nothing is wrong")
        rng = np.random.default_rng(seed)
        program = Program(text, entry)
        values = [argument(x, rng) for x in arguments] or drawn(program, rng)
        threads = block or required(program.code.entry.node).get("reqntid", (32, 1, 1))
        three = [(x, y, z) for x, y, z, *_ in ((*e, 1, 1) for e in (grid, threads, cluster))]
        options = {"grid": three[0], "block": three[1], "cluster": three[2] if cluster != (1,) else None,
                   "shared_bytes": shared}  # fmt: skip
        launch = _Launch(values, options)
        ran, _ = launch(program)
    except AveError as e:
        show_error(e)
        raise SystemExit(1) from None
    for e in ran.reports:
        click.echo(f"{e}\n")
    count = (
        f"{len(ran.reports)} reports" if ran.reports else "no race, no missing wait, nothing read that was not written"
    )
    click.echo(f"run: {program.code.entry.name}, {int(ran):,} warp instructions: {count}")
    if ran.reports:
        raise SystemExit(1)
    _tried(program, launch, most)


def _tried(program: Program, launch: _Launch, most: int) -> None:
    """Runs the kernel without each of its points of order, and says which ones nobody missed."""
    from avelang.sim.ptx.mutate import judge, points

    every = list(points(program))
    said = [judge(program, p, launch) for p in every[:most]]
    by = {"checker": "needed: the checks find it missing", "numbers": "needed: the numbers change"}
    for verdict in said:
        why = by.get(verdict.by, verdict.why)
        click.echo(f"  {verdict.point.what:8} {verdict.point}: {why}")
    unneeded = sum(not v.by and v.executed for v in said)
    rest = f"; {len(every) - most} more were not tried (--most)" if len(every) > most else ""
    click.echo(f"order: {len(said)} barriers, waits and fences, {unneeded} of them redundant in this run{rest}")


@click.command("diff")
@click.argument("first", type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path))
@click.argument("second", type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path))
@click.option(
    "--entry", metavar="NAME", multiple=True, help="Which kernel: one name for both files, or twice, one for each."
)
@click.option(
    "--context", type=click.IntRange(0), default=2, show_default=True, help="Lines of the schedule around a difference."
)
def diff_command(first: pathlib.Path, second: pathlib.Path, entry: tuple[str, ...], context: int) -> None:
    """Compare the kernels of two PTX files: how many instructions of each kind they have, registers, shared memory and
    loops, how far loads stand before their use, and the order of memory accesses, matrix products and waits.

    Kernels of the same name are compared, or the only ones. The status is 1 where they differ."""
    from avelang.base.errors import AveError
    from avelang.cli.console import fail, show_error
    from avelang.nvptx.compare import pairs, report, shape_of
    from avelang.nvptx.parse import parse

    try:
        a, b = (parse(f.read_text(encoding="utf-8", errors="replace"), str(f)) for f in (first, second))
        if entry:
            chosen = [m.function(name) for m, name in zip((a, b), (entry * 2)[:2], strict=True)]
            found = [(chosen[0], chosen[1])]
            if chosen[0] is None or chosen[1] is None:
                fail(f"no kernel {' or '.join(entry)} in both files")
        else:
            found = pairs(a, b)
    except AveError as e:
        show_error(e)
        raise SystemExit(1) from None
    shapes = [(shape_of(x), shape_of(y)) for x, y in found if x is not None and y is not None]
    click.echo("\n\n".join(report(x, y, context) for x, y in shapes))
    if any((x.mix, x.schedule) != (y.mix, y.schedule) for x, y in shapes):
        raise SystemExit(1)
