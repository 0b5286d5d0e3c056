"""What a command names comes in: FILE:NAME, MODULE:NAME or FILE, and arguments in words; the object, and the call of
it, go out. An error ends the command with status 1."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import pathlib
import sys
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


def looked_up(file: str, name: str) -> tuple[Any, dict[str, Any]]:
    """The object of that name in a file or a module, dots for attributes, None where there is none; and all that it
    has. What it prints goes to standard error."""
    from avelang.cli.script import execute

    found = _imported(file) if _is_module(file) else execute(file, "__ave_inspect__", quiet=True)
    first, *rest = name.split(".")
    thing = found.get(first)
    for part in rest:
        thing = getattr(thing, part, None)
    return thing, found


def kernel_of(thing: Any) -> Any:
    """The kernel that an object is, or that `avelang.tune` stands above; None for another object."""
    from avelang.frontend.source import Jitted

    if type(thing).__name__ == "Tuned":
        thing = thing.kernel
    return thing if isinstance(thing, Jitted) else None


def found_in(file: str, name: str) -> Any:
    """The object of that name: a kernel, or something that can be called. Ends the command where there is none."""
    from avelang.cli.console import USAGE, fail
    from avelang.frontend.source import Jitted
    from avelang.ptx.kernel import PtxKernel

    thing, found = looked_up(file, name)
    if isinstance(thing, (Jitted, PtxKernel)) or callable(thing):
        return thing
    known = ", ".join(sorted(n for n, v in found.items() if isinstance(v, (Jitted, PtxKernel))))
    fail(f"{file} has no kernel or function `{name}`", f"its kernels: {known}" if known else "it has no kernels",
         USAGE)


def _imported(module: str) -> dict[str, Any]:
    """What a module has, names that it makes when they are asked for included."""
    from avelang.cli.console import USAGE, fail
    from avelang.cli.script import elsewhere, shown

    def load() -> Any:
        with elsewhere():
            return importlib.import_module(module)

    sys.path.insert(0, os.getcwd())  # as for `python -m`
    try:
        found = shown(load) if _there(module) else None
    except ImportError as exc:
        fail(f"there is no file and no module {module}: {exc}", status=USAGE)
    if found is None:
        fail(f"there is no file and no module {module}", status=USAGE)
    return {name: getattr(found, name) for name in dir(found)}


def _there(module: str) -> bool:
    """Whether there is such a module: who imports it may miss another one."""
    return importlib.util.find_spec(module) is not None


def called(
    what: str, function: Callable[..., object], arguments: tuple[str, ...], defines: dict[str, Any]
) -> Callable[[], object]:
    """The call of a function with arguments in words, which prints to standard error. What it raises that is not Ave's
    ends the command."""
    import numpy as np

    from avelang.cli.console import fail
    from avelang.cli.script import elsewhere

    rng = np.random.default_rng(1)
    values = [value(text, rng) for text in arguments]

    def call() -> None:
        from avelang.base.errors import AveError

        try:
            with elsewhere():
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
