"""Python's collections of cyclic garbage, made rarer while a compilation runs: it makes many objects, nearly all of
which live until it is done."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

ROOM = 100_000  # new objects between two collections


class _Rarer:
    """The compilations under way, in all threads, and the thresholds to be restored after the last of them."""

    def __init__(self) -> None:
        self.lock, self.depth, self.before = threading.Lock(), 0, gc.get_threshold()

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        with self.lock:
            if self.depth == 0:
                self.before = gc.get_threshold()
                if self.before[0]:
                    gc.set_threshold(max(ROOM, self.before[0]), *self.before[1:])
            self.depth += 1
        try:
            yield
        finally:
            with self.lock:
                self.depth -= 1
                if self.depth == 0 and gc.get_threshold()[0] == max(ROOM, self.before[0]):
                    gc.set_threshold(*self.before)


rarer_collections = _Rarer()
