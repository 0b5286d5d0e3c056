"""`ave compile FILE:KERNEL`: one kernel comes in; its IR, its LLVM IR or its assembly goes out."""

from __future__ import annotations

import ast
import pathlib
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from avelang.ir.core import Kernel


def _defines(_context: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """NAME=VALUE pairs; a value is a Python literal."""
    out = {}
    for text in values:
        name, equals, value = text.partition("=")
        try:
            if not equals or not name.isidentifier():
                raise ValueError
            out[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            raise click.BadParameter(f"{text!r} is not NAME=VALUE with a Python literal as its value, such as BLOCK=32") from None
    return out


def _block(_context: click.Context, _param: click.Parameter, value: str) -> tuple[int, int, int]:
    """Up to three extents; those left out are 1."""
    try:
        extents = [int(x) for x in value.split(",")]
    except ValueError:
        extents = []
    if not 1 <= len(extents) <= 3 or min(extents) < 1:
        raise click.BadParameter(f"{value!r} is not one to three positive extents, such as 64 or 16,16,1")
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z


@click.command("compile")
@click.argument("kernel", metavar="FILE:KERNEL")
@click.option("--target", default="cpu", show_default=True, help="cpu, or the chip whose waves and intrinsics are meant, such as gfx942.")
@click.option("--emit", type=click.Choice(["ir", "passes", "llvm", "asm"]), default="ir", show_default=True,
              help="IR of the frontend, IR after the passes, LLVM IR, or assembly.")  # fmt: skip
@click.option("-D", "--define", "defines", multiple=True, metavar="NAME=VALUE", callback=_defines, help="A constexpr parameter; may be given again.")
@click.option("--block", default="64", show_default=True, callback=_block, help="Extents of a block: x, x,y or x,y,z.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, writable=True), help="A file, instead of standard output.")
def compile_command(kernel: str, target: str, emit: str, defines: dict[str, Any], block: tuple[int, int, int], output: str | None) -> None:
    """Compile one kernel and print the result; nothing is run but the file's own top level.

    With a chip as --target, the waves and intrinsics are those of the chip; LLVM IR and assembly are always those of this machine's CPU, which
    executes them.
    """
    from avelang.base.errors import AveError
    from avelang.cli.console import fail, show_error

    file, colon, name = kernel.rpartition(":")
    if not colon or not file or not name:
        raise click.UsageError(f"{kernel!r} names no kernel; write FILE:KERNEL, such as gemm.py:gemm")
    if not pathlib.Path(file).is_file():
        fail(f"there is no file {file}")
    try:
        text = _text(_build(file, name, target, defines), emit, block)
    except AveError as exc:
        show_error(exc)
        raise SystemExit(1) from None
    if output:
        pathlib.Path(output).write_text(text if text.endswith("\n") else text + "\n")
    else:
        click.echo(text)


def _build(file: str, name: str, target: str, defines: dict[str, Any]) -> Kernel:
    from avelang.arch import chip
    from avelang.cli.console import fail
    from avelang.cli.script import execute
    from avelang.frontend.build import build
    from avelang.frontend.signature import EMPTY, signature
    from avelang.frontend.source import Jitted

    found = execute(file, "__ave_compile__")
    kernel = found.get(name)
    if not isinstance(kernel, Jitted):
        known = ", ".join(sorted(n for n, v in found.items() if isinstance(v, Jitted)))
        fail(f"{file} has no @avelang.jit function `{name}`", f"it has: {known}" if known else "")
    constants = [p for p in signature(kernel.source) if p.kind == "constexpr"]
    missing = [p.name for p in constants if p.name not in defines and p.default is EMPTY]
    unknown = sorted(set(defines) - {p.name for p in constants})
    if missing:
        fail(f"`{name}` has constexpr parameters without a value: {', '.join(missing)}", "give them: " + " ".join(f"-D {m}=..." for m in missing))
    if unknown:
        fail(f"`{name}` has no constexpr parameter {', '.join(unknown)}")
    values = {p.name: defines.get(p.name, p.default) for p in constants}
    return build(kernel.source, values, None if target == "cpu" else chip(target))


def _text(kernel: Kernel, emit: str, block: tuple[int, int, int]) -> str:
    from avelang.ir.text import print_kernel

    if emit == "ir":
        return print_kernel(kernel)
    import avelang.pipeline

    lowered = avelang.pipeline.cpu(kernel, block)
    if emit == "passes":
        return print_kernel(lowered)
    from avelang.emit.llvm.core import Host
    from avelang.emit.llvm.cpu import emit as emit_cpu

    text = emit_cpu(lowered).text
    return text if emit == "llvm" else Host().assembly(text)
