"""`ave exec FILE`: machine code of gfx942 comes in, as assembly or as a code object, with its arguments; it runs here,
and what it did is said."""

from __future__ import annotations

import json
import pathlib
import re
import time
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import numpy as np

    from avelang.executor import Kernel
    from avelang.sim.amdgcn.machine import DispatchResult

_ARRAY = re.compile(r"(\w+)\[(\d+(?:,\d+)*)\](?:=(random|nan|zeros|range))?$")
_NUMBER = re.compile(r"(\w+)=(.+)$")


def extents(_context: click.Context, _param: click.Parameter, value: str) -> tuple[int, ...]:
    """A grid or a block as an option gives it: "4" or "4,2,1"."""
    try:
        extents = tuple(int(x) for x in value.split(","))
    except ValueError:
        extents = ()
    if not 1 <= len(extents) <= 3:
        raise click.BadParameter(f"{value!r} is not one to three extents, such as 64 or 16,16,1")
    return extents


def _dtype(name: str) -> np.dtype[Any]:
    import numpy as np

    from avelang.ir.dtypes import SCALARS

    for d in SCALARS:
        if d.name == name:
            return np.dtype(d.np)
    raise click.BadParameter(f"{name!r} is no dtype; known: {', '.join(d.name for d in SCALARS)}")


def argument(text: str, rng: np.random.Generator) -> Any:
    """One argument: `null`, `i32=128`, `bf16[256,64]=random` (or nan, zeros, range; zeros where nothing is said),
    `FILE.npy`, `FILE.npy:bf16`."""
    import numpy as np

    if text == "null":
        return None
    if m := _ARRAY.match(text):
        dtype, shape, fill = _dtype(m[1]), tuple(int(x) for x in m[2].split(",")), m[3] or "zeros"
        if fill == "random":
            draw = rng.standard_normal(shape) if dtype.kind not in "iub" else rng.integers(0, 100, shape)
            return draw.astype(dtype)
        if fill == "nan" and dtype.kind in "iub":
            raise click.BadParameter(f"{text!r}: {m[1]} has no nan")
        if fill == "range":
            return np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        return np.full(shape, np.nan if fill == "nan" else 0).astype(dtype)
    if m := _NUMBER.match(text):
        dtype = _dtype(m[1])
        try:
            return dtype.type(float(m[2]) if dtype.kind not in "iub" else int(m[2], 0))
        except (ValueError, OverflowError) as e:
            raise click.BadParameter(f"{text!r}: {e}") from None
    path, _, name = text.partition(":")
    if path.endswith(".npy") and pathlib.Path(path).is_file():
        try:
            found = np.load(path)
            return found.view(_dtype(name)) if name else found
        except (ValueError, TypeError, EOFError, OSError) as e:
            raise click.BadParameter(f"{text!r}: {e}") from None
    raise click.BadParameter(f"{text!r} is neither null, TYPE=VALUE, TYPE[SHAPE]=FILL nor an existing FILE.npy")


_WORDS = re.compile(r"[a-z][a-z-]*(,[a-z-]+)*$")


class _Command(click.Command):
    """`--check` takes words where words stand behind it, and stands alone elsewhere: an argument of the kernel is no
    word."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        out: list[str] = []
        rest = iter(range(len(args)))
        for n in rest:
            if args[n] != "--check":
                out.append(args[n])
                continue
            behind = args[n + 1] if n + 1 < len(args) else ""
            words = bool(_WORDS.match(behind)) and behind != "null" and not pathlib.Path(behind).exists()
            out.append(f"--check={behind if words else _USUAL}")
            if words:
                next(rest)
        return super().parse_args(ctx, out)


_USUAL = "waits,races,hazards"


@click.command("exec", cls=_Command)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.argument("arguments", nargs=-1)
@click.option("--kernel", default="", help="Which kernel, where the file has several.")
@click.option("--grid", default="1", show_default=True, callback=extents,
              help="Extents of the grid, in workgroups: x, x,y or x,y,z.")
@click.option("--block", default="64", show_default=True, callback=extents,
              help="Extents of a workgroup, in work-items.")
@click.option("--lds", type=click.IntRange(0), default=0, show_default=True, help="Bytes of dynamic LDS.")
@click.option("--check", default="", metavar="[WORDS]",
              help="What to verify, with commas between: waits, races, hazards (these three where nothing"
              " is said), hazards-strict, init, uniform, all.")  # fmt: skip
@click.option("--collect", is_flag=True,
              help="Go on behind what the check finds, and list it; the exit status is 1 where there is an error.")
@click.option("--profile", is_flag=True, help="Count bytes moved, and LDS bank conflicts by instruction.")
@click.option("--cu", is_flag=True,
              help="Run one workgroup and say what a model of a compute unit makes of it: the share of the matrix "
              "pipes' time, and what waves wait for, by line.")  # fmt: skip
@click.option("--group", type=click.IntRange(0), default=0, show_default=True, help="Which workgroup --cu runs.")
@click.option("--blocks", type=click.IntRange(0), default=0,
              help="With --cu: workgroups at once; as many as fit if left out.")
@click.option("--latency", type=click.IntRange(1), default=800, show_default=True,
              help="With --cu: clocks of a load from global memory.")
@click.option("--json", "as_json", is_flag=True, help="With --cu: print JSON.")
@click.option("--order", type=click.Choice(["forward", "reverse", "random"]), default="forward", show_default=True,
              help="Which wave of a workgroup runs first between barriers.")  # fmt: skip
@click.option("--seed", default=1, show_default=True, help="Of random arrays and of the random order.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="Workgroups that run at a time.")
@click.option("--save", type=click.Path(file_okay=False),
              help="A folder for the arrays behind the run: arg0.npy, arg1.npy, ...")
def exec_command(
    file: str, arguments: tuple[str, ...], kernel: str, grid: tuple[int, ...], block: tuple[int, ...], lds: int,
    check: str, collect: bool,
    profile: bool, cu: bool, group: int, blocks: int, latency: int, as_json: bool, order: str, seed: int, threads: int,
    save: str | None,
) -> None:  # fmt: skip
    """Execute machine code of gfx942 on this machine: FILE is assembly or a code object, ours or anyone's.

    ARGUMENTS stand in the kernel's order: null, TYPE=VALUE (i32=128), TYPE[SHAPE]=FILL (bf16[256,64]=random,
    f32[128]=nan), FILE.npy, or FILE.npy:TYPE where NumPy lost the type. What is executed is exact; how long it takes
    says nothing of a GPU."""
    import numpy as np

    from avelang import executor
    from avelang.base.errors import AveError
    from avelang.cli.console import show_error

    rng = np.random.default_rng(seed)
    values = [argument(text, rng) for text in arguments]
    where = folder(save) if save else None
    found = None
    try:
        found = executor.load(pathlib.Path(file), kernel, check=check, collect=collect, profile=profile,
                              order=order, seed=seed)
        if cu:
            with executor.compute_unit(group=group, blocks=blocks, memory_latency=latency) as made:
                found[grid, block](*values, dynamic_lds=lds)
            click.echo(json.dumps(made[0].as_dict(), indent=2) if as_json else made[0].text())
            return
        start = time.perf_counter()
        run = found[grid, block](*values, dynamic_lds=lds, threads=threads)
    except AveError as e:
        _list(found)
        show_error(e)
        raise SystemExit(1) from None
    _report(found, run, time.perf_counter() - start, profile)
    wrong = _list(found)
    for n, value in enumerate(values):
        if where and isinstance(value, np.ndarray):
            np.save(where / f"arg{n}.npy", value)
    if wrong:
        raise SystemExit(1)


def _list(kernel: Kernel | None) -> int:
    """Says what the check found and the launch went on behind; how many of these are errors."""
    reports = kernel.reports if kernel else ()
    for r in reports:
        click.echo(f"{r}\n")
    return sum(r.severity == "error" for r in reports)


def folder(name: str) -> pathlib.Path:
    """The folder, made before anything runs."""
    from avelang.cli.console import fail

    made = pathlib.Path(name)
    try:
        made.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        fail(f"cannot make the folder {name}: {e.strerror}")
    return made


def _report(kernel: Kernel, run: DispatchResult, seconds: float, profile: bool) -> None:
    click.echo(
        f"{kernel.name}: {run.instructions:,} wave-instructions in {seconds:.3f} s, "
        f"{run.instructions / seconds / 1e6:.1f} million a second"
    )
    if not profile:
        return
    moved = run.traffic
    click.echo(
        f"global memory: {moved.loaded:,} bytes loaded, {moved.stored:,} stored, {moved.scalar:,} by scalar "
        f"instructions"
    )
    click.echo(f"LDS: {moved.read:,} bytes read, {moved.written:,} written")
    click.echo(f"LDS cycles lost to bank conflicts: {sum(run.conflicts.values())}")
    for index, lost in sorted(run.conflicts.items(), key=lambda x: -x[1])[:20]:
        i = kernel.machine.instruction(index)
        click.echo(f"  {lost:10}  line {i.line}: {' '.join(i.text.split())}")
