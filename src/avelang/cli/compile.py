"""`ave compile FILE:KERNEL`: one kernel comes in; its IR, its LLVM IR, its assembly, its code object or what it takes
goes out."""

from __future__ import annotations

import ast
import contextlib
import pathlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from avelang.frontend.source import Jitted
    from avelang.runtime.resources import Resources

Made = TypeVar("Made")
FILES = ("hsaco", "cubin")  # what is no text


def _constants(_context: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """NAME=VALUE pairs; a value is a Python literal."""
    out = {}
    for text in values:
        name, equals, value = text.partition("=")
        try:
            if not equals or not name.isidentifier():
                raise ValueError
            out[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            raise click.BadParameter(f"{text!r} is not NAME=VALUE with a Python literal, such as BLOCK=32") from None
    return out


def extents(_context: click.Context, _param: click.Parameter, value: str) -> tuple[int, int, int]:
    """Up to three extents; those left out are 1."""
    try:
        extents = [int(x) for x in value.split(",")]
    except ValueError:
        extents = []
    if not 1 <= len(extents) <= 3 or min(extents) < 1:
        raise click.BadParameter(f"{value!r} is not one to three positive extents, such as 64 or 16,16,1")
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z


define_option = click.option("-D", "--define", "defines", multiple=True, metavar="NAME=VALUE", callback=_constants,
                             help="A constexpr parameter; may be given again.")  # fmt: skip
block_option = click.option("--block", default="64", show_default=True, callback=extents,
                            help="Extents of a block: x, x,y or x,y,z.")


@click.command("compile")
@click.argument("kernel", metavar="FILE:KERNEL")
@click.option("--target", default="cpu", show_default=True,
              help="cpu, or the chip whose waves and intrinsics are meant, such as gfx942.")
@click.option("--emit", type=click.Choice(["ir", "llvm", "asm", *FILES, "ptx", "report"]), default="ir",
              show_default=True,
              help="What comes out; hsaco is the code object of an AMD GPU, ptx and cubin are for NVIDIA's, report "
                   "says what the kernel "
                   "takes there.")  # fmt: skip
@define_option
@block_option
@click.option("-o", "--output", type=click.Path(dir_okay=False, writable=True),
              help="A file, instead of standard output.")
def compile_command(kernel: str, target: str, emit: str, defines: dict[str, Any], block: tuple[int, int, int],
                    output: str | None) -> None:
    """Compile one kernel and print the result; nothing is run but the file's own top level."""
    from avelang.cli.console import fail

    if emit in FILES and output is None and sys.stdout.isatty():
        raise click.UsageError("a code object is no text; name a file with -o FILE")
    made = _emitted(kernel, target, emit, defines, block)
    if isinstance(made, str) and not made.endswith("\n"):
        made += "\n"
    if output is None:
        click.echo(made, nl=False)
        return
    try:
        pathlib.Path(output).write_bytes(made if isinstance(made, bytes) else made.encode())
    except OSError as e:
        fail(f"cannot write {output}: {e.strerror}")


def _emitted(kernel: str, target: str, emit: str, defines: dict[str, Any], block: tuple[int, int, int]) -> str | bytes:
    from avelang.cli.resources import shown_warnings, text
    from avelang.runtime import resources
    from avelang.runtime.compile import compile_code_object, compile_text

    if emit == "report":
        return text(resources_of(kernel, defines, block, target))
    if emit == "cubin":
        with shown_warnings():
            return compiled(kernel, defines, lambda jitted: resources.cubin(jitted, defines, block, target)[0])
    if emit == "hsaco":
        return compiled(kernel, defines, lambda jitted: compile_code_object(jitted, defines, block, target))
    if emit == "ptx":
        return compiled(kernel, defines, lambda jitted: resources.ptx(jitted, defines, block, target))
    return compiled(kernel, defines, lambda jitted: compile_text(jitted, defines, block, target, emit))


def resources_of(kernel: str, defines: dict[str, Any], block: tuple[int, int, int], target: str,
                 dynamic: int = 0) -> Resources:
    """The registers, spills and shared memory of FILE:KERNEL on an NVIDIA GPU; ends the command where there is an
    error."""
    from avelang.cli.resources import shown_warnings
    from avelang.runtime.resources import resources

    with shown_warnings():
        return compiled(kernel, defines, lambda jitted: resources(jitted, defines, block, target, dynamic))


def compiled(kernel: str, defines: dict[str, Any], make: Callable[[Jitted], Made]) -> Made:
    """The result of `make` for the kernel that FILE:KERNEL names; an error of the catalogue ends the command."""
    from avelang.base.errors import AveError
    from avelang.cli.console import fail, show_error

    file, colon, name = kernel.rpartition(":")
    if not colon or not file or not name:
        raise click.UsageError(f"{kernel!r} names no kernel; write FILE:KERNEL, such as gemm.py:gemm")
    if not pathlib.Path(file).is_file():
        fail(f"there is no file {file}")
    jitted = _jitted(file, name)
    try:
        return make(jitted)
    except AveError as exc:
        if exc.code in ("L006", "T074"):  # constants that are missing
            exc.hint = " ".join(["give it with", *(f"-D {p}=VALUE" for p in _wanted(jitted) if p not in defines)])
        show_error(exc)
        raise SystemExit(1) from None


def _wanted(kernel: Jitted) -> list[str]:
    """The constexpr parameters that need a value."""
    from avelang.frontend.signature import EMPTY, signature

    return [p.name for p in signature(kernel.source) if p.kind == "constexpr" and p.default is EMPTY]


def _jitted(file: str, name: str) -> Jitted:
    """The jit function of that name in the file; ends the command where there is none."""
    from avelang.cli.console import fail
    from avelang.cli.script import execute
    from avelang.frontend.source import Jitted

    # What the file itself prints is not what this command gives.
    with contextlib.redirect_stdout(sys.stderr):
        found = execute(file, "__ave_compile__")
    kernel = found.get(name)
    if isinstance(kernel, Jitted):
        return kernel
    known = ", ".join(sorted(n for n, v in found.items() if isinstance(v, Jitted)))
    fail(f"{file} has no @avelang.jit function `{name}`", f"it has: {known}" if known else "")
