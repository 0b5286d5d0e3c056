"""`ave compile FILE:KERNEL`: one kernel comes in; its IR, its LLVM IR, its assembly, its code object or what it takes
goes out."""

from __future__ import annotations

import ast
import contextlib
import math
import pathlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from avelang.cli.console import USAGE, fail, json_option, show_error, show_json

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from avelang.base.errors import AveError
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


def extents(_context: click.Context, _param: click.Parameter, value: str | None) -> tuple[int, int, int] | None:
    """Up to three extents; those left out are 1. None where nothing was given: the kernel may say it."""
    if value is None:
        return None
    try:
        found = [int(x) for x in value.split(",")]
    except ValueError:
        found = []
    if not 1 <= len(found) <= 3 or min(found) < 1:
        raise click.BadParameter(f"{value!r} is not one to three positive extents, such as 64 or 16,16,1")
    x, y, z = (*found, 1, 1)[:3]
    return x, y, z


def block_extents(context: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int, int] | None:
    """The extents of a block, which has as many threads at most as that of a launch."""
    from avelang.arch.facts import MAX_THREADS

    found = extents(context, param, value)
    if found is not None and math.prod(found) > MAX_THREADS:
        raise click.BadParameter(f"{value!r} has {math.prod(found)} threads, and a block {MAX_THREADS} at most")
    return found


define_option = click.option("-D", "--define", "defines", multiple=True, metavar="NAME=VALUE", callback=_constants,
                             help="A constexpr parameter; may be given again.")  # fmt: skip
block_option = click.option("--block", callback=block_extents,
                            help="Extents of a block: x, x,y or x,y,z. Default: those that the kernel expects, or "
                                 "with which its file launches it; else 64.")  # fmt: skip


class Chip(click.ParamType):
    """A chip's name, or cpu."""

    name = "chip"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name as it is. One that there is not is a mistake in the command line."""
        from avelang.base.errors import AveError
        from avelang.runtime.compile import chip_of

        try:
            chip_of(value)
        except AveError as exc:
            self.fail(" ".join(x for x in (f"[{exc.code}] {exc.message}.", exc.hint) if x), param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The chips that begin so."""
        from click.shell_completion import CompletionItem

        from avelang.arch import CHIPS

        return [CompletionItem(name) for name in CHIPS if name.startswith(incomplete)]


@click.command("compile")
@click.argument("kernel", metavar="FILE:KERNEL|MODULE:KERNEL")
@click.option("--target", default="cpu", show_default=True, type=Chip(), metavar="TEXT",
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
@json_option("Print one JSON object: the text that came out, or the file that was written, or the error.")
def compile_command(kernel: str, target: str, emit: str, defines: dict[str, Any], block: tuple[int, int, int] | None,
                    output: str | None, as_json: bool) -> None:
    """Compile one kernel and print the result; nothing is run but the file's own top level.

    The object of --json has `ok`, `kernel`, `target`, `emit`, `block` and `text`, or `output`; where something is
    wrong, `ok` is false and `error` says it (docs/command_line.md)."""
    if emit in FILES and output is None and (as_json or sys.stdout.isatty()):
        raise click.UsageError("a code object is no text; name a file with -o FILE")
    used: list[tuple[int, int, int]] = []
    made = _emitted(kernel, target, emit, defines, block, used)
    if isinstance(made, str) and not made.endswith("\n"):
        made += "\n"
    if as_json:
        facts = {"ok": True, "kernel": kernel, "target": target, "emit": emit, "block": used[-1]}
        if output is not None:
            _written(output, made)
        show_json({**facts, **({"output": output} if output is not None else {"text": made})})
    elif output is None:
        click.echo(made, nl=False)
    else:
        _written(output, made)


def _written(output: str, made: str | bytes) -> None:
    try:
        pathlib.Path(output).write_bytes(made if isinstance(made, bytes) else made.encode())
    except OSError as e:
        fail(f"cannot write {output}: {e.strerror}")


def _emitted(kernel: str, target: str, emit: str, defines: dict[str, Any], block: tuple[int, int, int] | None,
             used: list[tuple[int, int, int]]) -> str | bytes:  # fmt: skip
    """The result; the block that was taken goes into `used`."""
    from avelang.cli.resources import shown_warnings, text
    from avelang.runtime import resources
    from avelang.runtime.compile import compile_code_object, compile_text
    from avelang.runtime.kernel_block import block_of

    def make(jitted: Jitted) -> str | bytes:
        at, by = block_of(jitted, defines, target, block)
        used.append(at)
        if emit == "report":
            return text(resources.resources(jitted, defines, at, target, 0), {"block": at, "block_from": by})
        if emit == "cubin":
            return resources.cubin(jitted, defines, at, target)[0]
        if emit == "hsaco":
            return compile_code_object(jitted, defines, at, target)
        if emit == "ptx":
            return resources.ptx(jitted, defines, at, target)
        return compile_text(jitted, defines, at, target, emit)

    with shown_warnings() if emit in ("report", "cubin") else contextlib.nullcontext():
        return compiled(kernel, defines, make)


def resources_of(kernel: str, defines: dict[str, Any], block: tuple[int, int, int] | None, target: str,
                 dynamic: int = 0, at: dict[str, Any] | None = None) -> Resources:  # fmt: skip
    """The registers, spills and shared memory of FILE:KERNEL on an NVIDIA GPU; ends the command where there is an
    error. `at` is given the block and who says it, as `block` and `block_from`."""
    from avelang.cli.resources import shown_warnings
    from avelang.runtime.kernel_block import block_of
    from avelang.runtime.resources import resources

    def make(jitted: Jitted) -> Resources:
        threads, by = block_of(jitted, defines, target, block)
        if at is not None:
            at.update(block=threads, block_from=by)
        return resources(jitted, defines, threads, target, dynamic)

    with shown_warnings():
        return compiled(kernel, defines, make)


def compiled(kernel: str, defines: dict[str, Any], make: Callable[[Jitted], Made]) -> Made:
    """The result of `make` for the kernel that FILE:KERNEL names; an error of the catalogue ends the command."""
    from avelang.base.errors import AveError
    from avelang.cli.callables import named

    file, name = named(kernel)
    if not name:
        raise click.UsageError(f"{kernel!r} names no kernel; write FILE:KERNEL, such as gemm.py:gemm")
    from avelang.runtime import progress

    jitted = _jitted(file, name)
    try:
        with progress.shown(name, "this command", ""):
            return make(jitted)
    except AveError as exc:
        hint_constants(exc, jitted, defines)
        show_error(exc)
        raise SystemExit(1) from None


def hint_constants(exc: AveError, kernel: Jitted, defines: dict[str, Any]) -> None:
    """Has the error of missing compile-time values say how a command is given them."""
    from avelang.frontend.signature import EMPTY, signature

    if exc.code in ("L006", "T074"):
        wanted = [p for p in signature(kernel.source) if p.name not in defines and (
            p.open is not None or (p.kind == "constexpr" and p.default is EMPTY))]
        exc.hint = " ".join(["give it with", *(f"-D {p.name}={'EXTENTS' if p.open else 'VALUE'}" for p in wanted)])


def _jitted(file: str, name: str) -> Jitted:
    """The jit function of that name in the file or module; ends the command where there is none."""
    from avelang.cli.callables import kernel_of, looked_up

    thing, found = looked_up(file, name)
    kernel = kernel_of(thing)
    if kernel is not None:
        return kernel
    known = ", ".join(sorted(n for n, v in found.items() if kernel_of(v) is not None))
    fail(f"{file} has no @avelang.jit function `{name}`", f"it has: {known}" if known else "", USAGE)
