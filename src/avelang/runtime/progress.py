"""A sign of life: what is being compiled is said on standard error once that takes over a second."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

from avelang.base import knobs

AFTER = 1.0  # seconds


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
        self.lock, self.over, self.status = threading.Lock(), False, None
        self.timer = threading.Timer(AFTER, self.show)
        self.timer.daemon = True
        self.told = False

    def show(self) -> None:
        # Imported here, in the timer's thread: what is quick does without.
        from rich.console import Console

        with self.lock, contextlib.suppress(OSError, ValueError):
            if self.over:
                return
            console = Console(stderr=True, highlight=False)
            self.told = True
            if console.is_terminal:
                self.status = console.status(f"Ave compiles {self.what}")
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
    if not _wanted():
        yield
        return
    sign = _Sign(f"`{kernel}` for {backend}" + (f" ({target})" if target and target != backend else ""))
    sign.timer.start()
    try:
        yield
    finally:
        sign.end()
