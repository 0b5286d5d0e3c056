"""`ave run FILE`: a Python file that launches kernels comes in; it runs with the chosen backend, and a line a kernel says what it cost."""

from __future__ import annotations

import click


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--backend", type=click.Choice(["cpu", "reference"]), help="What runs kernels whose arguments are on the CPU.")
@click.option("--target", metavar="CHIP", help="The chip that is emulated, such as gfx942; default: inferred from the intrinsics.")
@click.option("--quiet", is_flag=True, help="No summary of the kernels at the end.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(backend: str | None, target: str | None, quiet: bool, file: str, arguments: tuple[str, ...]) -> None:
    """Run FILE, a Python program, with ARGUMENTS.

    Options of a launch in the file itself go before those given here. Errors of kernels are shown with their line and a hint, without
    Ave's own frames (AVE_TRACEBACK=full shows all), and end the command with status 1.
    """
