"""Ctrl-C for work that runs outside of the interpreter: the work goes to threads of its own, and whoever waits for it
hears of signals."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Sequence
from typing import Any

LOOK = 0.1  # seconds between two looks at what the main thread was told


class _Pressed:
    """A counter of Ctrl-C, which `runtime.native` provides."""

    def __init__(self) -> None:
        self.count: Callable[[], int] = lambda: 0


pressed = _Pressed()


def meant_for_all() -> bool:
    """True if Ctrl-C does what Python made it do: then it ends the work of other threads too."""
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def run(work: Sequence[Callable[[], Any]], stop: Callable[[], None]) -> list[Any]:
    """The results of all functions of `work`, each called in a thread of its own. Where a handler of a signal raises
    meanwhile, or Ctrl-C is pressed while another than the main thread waits here, `stop` is called, which must make
    them return soon, and the exception goes on."""
    import concurrent.futures  # with what it imports, and seldom needed

    before, main = pressed.count(), threading.current_thread() is threading.main_thread()
    with concurrent.futures.ThreadPoolExecutor(len(work)) as pool:
        waiting = [pool.submit(f) for f in work]
        try:
            while concurrent.futures.wait(waiting, LOOK).not_done:
                if not main and pressed.count() != before and meant_for_all():
                    raise KeyboardInterrupt
        except BaseException:
            stop()
            raise
    return [f.result() for f in waiting]
