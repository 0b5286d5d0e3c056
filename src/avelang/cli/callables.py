"""What a command names comes in: FILE:NAME, MODULE:NAME or FILE, and arguments in words; the object, and the call of
it, go out. An error ends the command with status 1."""

from __future__ import annotations

import ast
import importlib
import pathlib
from collections.abc import Callable
from typing import Any


def named(what: str) -> tuple[str, str]:
    """(file or module, name) of FILE:NAME or MODULE:NAME; no name for FILE. Ends the command where there is no such
    file."""
    from avelang.cli.console import USAGE, fail

    file, colon, name = what.rpartition(":")
    if not colon or not all(part.isidentifier() for part in name.split(".")):
        file, name = what, ""
    if not (name and _is_module(file)) and not pathlib.Path(file).is_file():
        fail(f"there is no file {file}", status=USAGE)
    return file, name


def _is_module(text: str) -> bool:
    return not text.endswith(".py") and all(part.isidentifier() for part in text.split("."))


def found_in(file: str, name: str) -> Any:
    """The object of that name, dots for attributes: a kernel, or something that can be called. Ends the command where
    there is none."""
    from avelang.cli.console import USAGE, fail
    from avelang.cli.script import execute
    from avelang.frontend.source import Jitted
    from avelang.ptx.kernel import PtxKernel

    found = _imported(file) if _is_module(file) else execute(file, "__ave_inspect__")
    first, *rest = name.split(".")
    thing = found.get(first)
    for part in rest:
        thing = getattr(thing, part, None)
    if isinstance(thing, (Jitted, PtxKernel)) or callable(thing):
        return thing
    known = ", ".join(sorted(n for n, v in found.items() if isinstance(v, (Jitted, PtxKernel))))
    fail(f"{file} has no kernel or function `{name}`", f"its kernels: {known}" if known else "it has no kernels",
         USAGE)


def _imported(module: str) -> dict[str, Any]:
    """What a module has, names that it makes when they are asked for included."""
    from avelang.cli.console import USAGE, fail

    try:
        found = importlib.import_module(module)
    except ImportError as exc:
        fail(f"there is no file and no module {module}: {exc}", status=USAGE)
    return {name: getattr(found, name) for name in dir(found)}


def called(
    what: str, function: Callable[..., object], arguments: tuple[str, ...], defines: dict[str, Any]
) -> Callable[[], object]:
    """The call of a function with arguments in words. What it raises that is not Ave's ends the command."""
    import numpy as np

    from avelang.cli.console import fail

    rng = np.random.default_rng(1)
    values = [value(text, rng) for text in arguments]

    def call() -> None:
        from avelang.base.errors import AveError

        try:
            function(*values, **defines)
        except AveError:
            raise
        except Exception as exc:  # of the user's own
            fail(
                f"{what} raises {type(exc).__name__}: {exc}",
                "the arguments stand in the order of its parameters; -D NAME=VALUE gives keywords",
            )

    return call


def value(text: str, rng: Any) -> Any:
    """The argument that a word says: a Python literal, or what `ave exec` takes."""
    from avelang.cli.execute import argument

    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return argument(text, rng)
