"""What is to end when a GPU has not come past an event by a given time."""

from __future__ import annotations

import atexit
import collections
import threading
import time
from collections.abc import Callable
from typing import Any

STEP = 0.25  # seconds between two looks
KEPT = 5.0  # seconds after which a thread ends for which there is nothing to do
_LOOKING: set[Deadlines] = set()


class Deadlines:
    """Calls `end` when an event has not come by its time. One thread looks, while there is something to look at: a
    thread for each launch would be thousands, and an event for each costs the host more than the launch. `begin` is
    called in it first."""

    def __init__(self, end: Callable[[], None], begin: Callable[[], None] = lambda: None):
        self._end, self._begin, self._lock, self._looking = end, begin, threading.Lock(), False
        self._events: collections.deque[tuple[float, Any]] = collections.deque()
        self._touched: tuple[float, Callable[[], Any]] | None = None
        self._thread: threading.Thread | None = None
        self._leave = threading.Event()

    def touch(self, seconds: float, record: Callable[[], Any]) -> None:
        """Gives what was launched last so many seconds to come. `record()`, called in the thread within STEP, gives
        an event behind it (torch's, recorded), which is later than any launch before; or None: not now."""
        self._touched = time.monotonic() + seconds, record
        if not self._looking:
            with self._lock:
                if not self._looking:
                    self._looking = True
                    _LOOKING.add(self)
                    self._thread = threading.Thread(target=self._look, daemon=True)
                    self._thread.start()

    def _record(self) -> None:
        """Makes an event of the last touch, if that is possible now."""
        touched, self._touched = self._touched, None
        if touched is None:
            return
        event = touched[1]()
        if event is not None:
            self._events.append((touched[0], event))
        elif self._touched is None:
            self._touched = touched

    def _look(self) -> None:
        self._begin()
        idle = time.monotonic()
        while True:
            self._record()
            while self._events and self._events[0][1].query():
                self._events.popleft()
            now = time.monotonic()
            idle = now if self._events or self._touched else idle
            with self._lock:
                if self._leave.is_set() or now > idle + KEPT and self._touched is None:
                    self._looking = False
                    _LOOKING.discard(self)
                    return
            if self._events and now >= self._events[0][0]:
                self._events.popleft()
                self._end()
            self._leave.wait(STEP)

    def leave(self) -> None:
        """The process ends, and nothing that is late can be told: looks no more."""
        self._leave.set()
        if self._thread is not None:
            self._thread.join()


@atexit.register
def _leave_all() -> None:
    """Before Python ends: a thread that asks torch for an event then would be ended in the midst of C++, which ends the
    process as an error."""
    for one in list(_LOOKING):
        one.leave()
