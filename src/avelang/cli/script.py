"""The user's Python file comes in; its globals go out, or its error as the user should see it: without the frames of
Ave."""

from __future__ import annotations

import ast
import contextlib
import ctypes
import importlib
import os
import pathlib
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any

from avelang.base import knobs
from avelang.base.errors import AveError
from avelang.cli.console import FAILED, fail, show_error, show_exception, wants_json

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _users(tb: TracebackType | None) -> TracebackType | None:
    """The first frame of the user's file: what lies above it is this command and `runpy`."""
    skip = (_OWN, "<frozen runpy>", runpy.__file__, "<frozen importlib", importlib.__file__)
    while tb is not None and tb.tb_frame.f_code.co_filename.startswith(skip):
        tb = tb.tb_next
    return tb


class Told(SystemExit):
    """The end of a command whose error was shown."""


def package_of(file: str, text: str | None = None) -> tuple[str, str]:
    """(folder, module) of a file in a package that imports from its package by dots: what Python must import it as, and
    from where. ("", "") for any other file. `text`: that of the file, where it is another than on disk."""
    folder, stem = os.path.split(os.path.abspath(file))
    parts = [os.path.splitext(stem)[0]]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, part = os.path.split(folder)
        parts.insert(0, part)
    if len(parts) == 1 or not all(part.isidentifier() for part in parts):
        return "", ""
    try:
        tree = ast.parse(pathlib.Path(file).read_bytes() if text is None else text)
    except (OSError, SyntaxError, ValueError):  # who runs it says so
        return "", ""
    dots = any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(tree))
    return (folder, ".".join(parts)) if dots else ("", "")


def execute(file: str, name: str, arguments: Sequence[str] = (), quiet: bool = False,
            through: tuple[type[BaseException], ...] = ()) -> dict[str, Any]:  # fmt: skip
    """Runs a file as a module called `name` with these command-line arguments and returns its globals. `quiet`: it
    prints to standard error, as standard output is the command's own. `through`: exceptions that the caller takes.

    An exception of the user's program ends the command with status 1, after its traceback on standard error (of an
    `AveError`, only its line, caret and hint; with AVE_TRACEBACK=full, everything). So does a file that is no program
    (`name` is not "__main__") and ends the process before its names can be taken."""
    sys.argv = [file, *arguments]
    folder, module = package_of(file)
    sys.path.insert(0, folder or os.path.dirname(os.path.abspath(file)))

    def run() -> dict[str, Any]:
        with elsewhere() if quiet else contextlib.nullcontext():
            return runpy.run_module(module, None, name, True) if module else runpy.run_path(file, run_name=name)

    try:
        return shown(run, through)
    except Told:
        raise
    except SystemExit as exc:
        if name == "__main__":
            raise
        fail(f"{file} ends the process (status {exc.code or 0}) before its names can be taken",
             'what it does as a program belongs under `if __name__ == "__main__":`')  # fmt: skip


@contextlib.contextmanager
def elsewhere() -> Iterator[None]:
    """A region in which standard output is the user's program's, and goes to standard error: what Python prints, what
    kernels print (`al.printf`), and what processes print that it starts."""
    with contextlib.redirect_stdout(sys.stderr):
        try:
            kept = os.dup(1)
            os.dup2(2, 1)
        except OSError:  # a process without these
            yield
            return
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                ctypes.CDLL(None).fflush(None)  # what C's library has not written yet
            os.dup2(kept, 1)
            os.close(kept)


def program(file: str, arguments: Sequence[str] = (), quiet: bool = False,
            through: tuple[type[BaseException], ...] = ()) -> dict[str, Any]:  # fmt: skip
    """Runs a file as a program for a command that looks at what it does. `sys.exit()` is its end like any other; where
    it ends with another status, so does the command."""
    try:
        return execute(file, "__main__", arguments, quiet, through)
    except Told:
        raise
    except SystemExit as exc:
        if exc.code:
            fail(f"{file} ends with status {exc.code}")
        return {}


def shown(call: Callable[[], Any], through: tuple[type[BaseException], ...] = ()) -> Any:
    """The result of a call that runs code of the user's; an exception of it ends the command as `execute` says, but for
    those of `through`."""
    try:
        return call()
    except through:
        raise
    except AveError as exc:
        if knobs.full_traceback():
            traceback.print_exception(exc)
        if not knobs.full_traceback() or wants_json():
            show_error(exc)
    except Exception as exc:
        show_exception(exc, exc.__traceback__ if knobs.full_traceback() else _users(exc.__traceback__))
    raise Told(FAILED)
