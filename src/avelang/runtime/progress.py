"""A sign of life: what is being compiled is said on standard error once that takes over a second, on a terminal with a
bar of the stages (`stage`)."""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from avelang.base import knobs

AFTER = 1.0  # seconds
STAGES = ("frontend", "passes", "LLVM IR", "machine code")  # of a compilation, in order

_SIGN: contextvars.ContextVar[Any] = contextvars.ContextVar("ave_progress", default=None)


def stage(name: str) -> None:
    """Says which stage of a compilation begins: one of `STAGES`, or another word for what is about to take long."""
    sign = _SIGN.get()
    if sign is not None:
        sign.at(name)


def _wanted() -> bool:
    """Whether to say anything: AVE_PROGRESS, else where standard error is a terminal."""
    asked = knobs.progress()
    if asked is not None:
        return asked
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it was closed
        return False


class _Sign:
    """The line of one compilation, which a timer shows. On a terminal it is taken away again, elsewhere a second line
    says how long it took."""

    def __init__(self, what: str):
        self.what, self.start = what, time.perf_counter()
        self.lock, self.over = threading.Lock(), False
        self.status: Any = None
        self.timer = threading.Timer(AFTER, self.show)
        self.timer.daemon = True
        self.told = False
        self.stage, self.done = STAGES[0], 0

    def at(self, name: str) -> None:
        """Moves the bar to a stage; what comes before it is done."""
        with self.lock:
            self.stage = name
            self.done = STAGES.index(name) if name in STAGES else self.done
            if self.status is not None:
                self.status.update(0, completed=self.done, words=name)

    def show(self) -> None:
        # Imported here, in the timer's thread: what is quick does without.
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        with self.lock, contextlib.suppress(OSError, ValueError):
            if self.over:
                return
            console = Console(stderr=True, highlight=False)
            self.told = True
            if console.is_terminal:
                words = TextColumn("{task.fields[words]}")
                columns: list[Any] = [TextColumn("{task.description}"), BarColumn(16), words, TimeElapsedColumn()]
                self.status = Progress(*columns, console=console, transient=True)
                self.status.add_task(f"Ave compiles {escape(self.what)}", total=len(STAGES), completed=self.done,
                                     words=self.stage)
                self.status.start()
            else:
                print(f"Ave compiles {self.what} ...", file=sys.stderr, flush=True)

    def end(self) -> None:
        self.timer.cancel()
        with self.lock, contextlib.suppress(OSError, ValueError):
            self.over = True
            if self.status is not None:
                self.status.stop()
            elif self.told:
                seconds = time.perf_counter() - self.start
                print(f"Ave compiled {self.what}: {seconds:.1f} s", file=sys.stderr, flush=True)


@contextlib.contextmanager
def shown(kernel: str, backend: str, target: str) -> Iterator[None]:
    """Says what is being compiled, if what is within takes over a second: the kernel, where it is to run, and the chip
    whose instructions it has."""
    if not _wanted() or _SIGN.get() is not None:  # one within another is a part of it
        yield
        return
    sign = _Sign(f"`{kernel}` for {backend}" + (f" ({target})" if target and target != backend else ""))
    token = _SIGN.set(sign)
    sign.timer.start()
    try:
        yield
    finally:
        _SIGN.reset(token)
        sign.end()
