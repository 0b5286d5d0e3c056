"""What is to end when a GPU has not come past an event by a given time."""

from __future__ import annotations

import atexit
import collections
import threading
import time
from collections.abc import Callable
from typing import Any

STEP = 0.25  # seconds between two looks
_LOOKING: set[Deadlines] = set()


class Deadlines:
    """Calls `end` when an event has not come by its time. One thread looks, while there are events: a thread for each
    launch would be thousands. `begin` is called in it first."""

    def __init__(self, end: Callable[[], None], begin: Callable[[], None] = lambda: None):
        self._end, self._begin, self._lock, self._looking = end, begin, threading.Lock(), False
        self._events: collections.deque[tuple[float, Any]] = collections.deque()
        self._thread: threading.Thread | None = None
        self._leave = threading.Event()

    def add(self, seconds: float, event: Any) -> None:
        """An event (torch's, recorded), and in how many seconds it must have come."""
        with self._lock:
            self._events.append((time.monotonic() + seconds, event))
            if not self._looking:
                self._looking = True
                _LOOKING.add(self)
                self._thread = threading.Thread(target=self._look, daemon=True)
                self._thread.start()

    def _look(self) -> None:
        self._begin()
        while True:
            with self._lock:
                while self._events and self._events[0][1].query():
                    self._events.popleft()
                if not self._events or self._leave.is_set():
                    self._looking = False
                    _LOOKING.discard(self)
                    return
                left = self._events[0][0] - time.monotonic()
                if left <= 0:
                    self._events.popleft()
            if left <= 0:
                self._end()
            self._leave.wait(min(max(left, 0.001), STEP))

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
