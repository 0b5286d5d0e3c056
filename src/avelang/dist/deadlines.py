"""What is to end when a GPU has not come past an event by a given time."""

from __future__ import annotations

import atexit
import collections
import ctypes
import functools
import threading
import time
from collections.abc import Callable
from typing import Any

from avelang.native.xla import XlaMember
from avelang.runtime.native import native

STEP = 0.25  # seconds between two looks
KEPT = 5.0  # seconds after which a thread ends for which there is nothing to do
_LOOKING: set[Deadlines] = set()


class Gate:
    """Words at which the host code looks before it launches for a rank without Python (`XlaMember` of native/xla.h).
    `who`: the word that is not 0 where a wait has ended in vain."""

    def __init__(self, who: ctypes.c_uint64):
        self._who, self.words = who, XlaMember(who=ctypes.addressof(who))
        # (gate's address, whether somebody looks) -> how many launches there were
        look = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)(native().address("ave_xla_look"))
        self.look: Callable[[bool], int] = functools.partial(look, ctypes.addressof(self.words))

    def close(self) -> None:
        """From now on such launches are Python's."""
        self.words.failed = 1


class Deadlines:
    """Calls `end` when an event has not come by its time. One thread looks, while there is something to look at: a
    thread for each launch would be thousands, and an event for each costs the host more than the launch. `begin` is
    called in it first. `gate` counts launches that Python does not see: they are touches like the last ones."""

    def __init__(self, end: Callable[[], None], begin: Callable[[], None] = lambda: None, gate: Gate | None = None):
        self._end, self._begin, self._lock, self._looking = end, begin, threading.Lock(), False
        self._gate, self._counted = gate, 0
        self._last: dict[Any, tuple[float, Callable[[], Any]]] = {}  # touches: seconds and `record`, by their keys
        self._events: collections.deque[tuple[float, Any]] = collections.deque()
        self._touched: tuple[float, Callable[[], Any]] | None = None
        self._thread: threading.Thread | None = None
        self._leave = threading.Event()

    def touch(self, seconds: float, record: Callable[[], Any], key: Any = None) -> None:
        """Gives what was launched last so many seconds to come. `record()`, called in the thread within STEP, gives
        an event behind it (torch's, recorded), which is later than any launch before; or None: not now. `key`: what
        the launch has in common with others behind which the event is, too, such as a stream."""
        if self._gate is not None:
            self._last[key] = seconds, record
        self._touched = time.monotonic() + seconds, record
        if not self._looking:
            with self._lock:
                if not self._looking:
                    self._looking = True
                    _LOOKING.add(self)
                    self._thread = threading.Thread(target=self._look, daemon=True)
                    if self._gate is not None:
                        self._counted = self._gate.look(True)
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

    def _counts(self, count: int) -> bool:
        """Makes events for launches that the gate has counted; whether there were some."""
        if count == self._counted:
            return False
        self._counted = count
        for key, (seconds, record) in list(self._last.items()):
            event = record()
            if event is None:
                self._last.pop(key, None)
            else:
                self._events.append((time.monotonic() + seconds, event))
        return True

    def _look(self) -> None:
        self._begin()
        gate, idle = self._gate, time.monotonic()
        while True:
            if gate is not None:
                self._counts(gate.look(True))
            self._record()
            while self._events and self._events[0][1].query():
                self._events.popleft()
            now = time.monotonic()
            idle = now if self._events or self._touched else idle
            with self._lock:
                if self._leave.is_set() or now > idle + KEPT and self._touched is None:
                    late = gate is not None and self._counts(gate.look(False))
                    self._looking = False
                    # Who touched meanwhile has seen that somebody looks, or waits for the lock.
                    if self._leave.is_set() or not late and self._touched is None:
                        _LOOKING.discard(self)
                        return
                    self._looking = True
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
