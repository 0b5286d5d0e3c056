"""`ave run FILE`: a Python file that launches kernels comes in; it runs with the chosen backend, and a line a kernel says what it cost."""

from __future__ import annotations

import click


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--on", "--backend", "backend", type=click.Choice(["cpu", "reference", "gfx942-exec"]),
              help="What runs kernels whose arguments are on the CPU: gfx942-exec executes the machine code of that chip.")
@click.option("--check", type=click.Choice(["ir", "races", "waits"]), multiple=True,
              help="What is verified: the compiler's IR, races on shared memory (reference), waits and hazards (gfx942-exec).")  # fmt: skip
@click.option("--target", metavar="CHIP", help="The chip that is emulated, such as gfx942; default: inferred from the intrinsics.")
@click.option("--quiet", is_flag=True, help="No summary of the kernels at the end.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(backend: str | None, check: tuple[str, ...], target: str | None, quiet: bool, file: str, arguments: tuple[str, ...]) -> None:
    """Run FILE, a Python program, with ARGUMENTS.

    Options of a launch in the file itself go before those given here. Errors of kernels are shown with their line and a hint, without
    Ave's own frames (AVE_TRACEBACK=full shows all), and end the command with status 1.
    """
    from avelang.base import knobs

    knobs.set_defaults(backend, target, check)
    from avelang.cli.script import execute

    kept = []  # the program's globals: its kernels must live until they are summed up
    try:
        kept.append(execute(file, "__main__", arguments))
    finally:
        if not quiet:
            _summary()


def _summary() -> None:
    """A line for each kernel that ran, on standard error: the program's own output stays clean."""
    import gc

    from avelang.jit import JitFunction

    for kernel in gc.get_objects():
        if not issubclass(type(kernel), JitFunction) or kernel.last is None:  # `isinstance` would ask objects of all kinds what they are
            continue
        parts = []
        for how, words in (("compiled", "compiled"), ("disk", "loaded from the cache"), ("reference", "built for the reference")):
            times = [x.prepare for x in kernel.prepared if x.how == how]
            if times:
                parts.append(f"{words} {len(times)}x in {sum(times) * 1e3:.0f} ms")
        parts.append(f"last launch {kernel.last.run * 1e3:.3f} ms on {kernel.last.backend}")
        click.secho(f"ave: {kernel.source.name}: {', '.join(parts)}", fg="bright_black", err=True)
