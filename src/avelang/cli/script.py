"""The user's Python file comes in; its globals go out, or its error as the user should see it: without the frames of
Ave."""

from __future__ import annotations

import contextlib
import os
import runpy
import sys
import traceback
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from avelang.base import knobs
from avelang.base.errors import AveError
from avelang.cli.console import FAILED, show_error, show_exception, wants_json

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _users(tb: TracebackType | None) -> TracebackType | None:
    """The first frame of the user's file: what lies above it is this command and `runpy`."""
    skip = (_OWN, "<frozen runpy>", runpy.__file__)
    while tb is not None and tb.tb_frame.f_code.co_filename.startswith(skip):
        tb = tb.tb_next
    return tb


class Told(SystemExit):
    """The end of a command whose error was shown."""


def execute(file: str, name: str, arguments: Sequence[str] = (), quiet: bool = False) -> dict[str, Any]:
    """Runs a file as a module called `name` with these command-line arguments and returns its globals. `quiet`: it
    prints to standard error, as standard output is the command's own.

    An exception of the user's program ends the command with status 1, after its traceback on standard error (of an
    `AveError`, only its line, caret and hint; with AVE_TRACEBACK=full, everything)."""
    sys.argv = [file, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    try:
        with contextlib.redirect_stdout(sys.stderr) if quiet else contextlib.nullcontext():
            return runpy.run_path(file, run_name=name)
    except AveError as exc:
        if knobs.full_traceback():
            traceback.print_exception(exc)
        if not knobs.full_traceback() or wants_json():
            show_error(exc)
    except Exception as exc:
        show_exception(exc, exc.__traceback__ if knobs.full_traceback() else _users(exc.__traceback__))
    raise Told(FAILED)
