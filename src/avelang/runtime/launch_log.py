"""Launches of a thread on GPUs, and what stands between them, noted as they are made, for who makes them again with
other memory (`bridge/replays.py`)."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from avelang.base import knobs

if TYPE_CHECKING:
    from avelang.runtime.backend import Backend, LaunchCall
    from avelang.runtime.gpu import GpuProgram


class Noted(NamedTuple):
    """A launch: the call as it was bound, the program that it ran, the module of the kernel, and what its source had
    captured, with who knows whether that is so still."""

    call: LaunchCall
    program: GpuProgram
    module: str
    closure: Any
    captured: Any


class Acted(NamedTuple):
    """A call of `function` that is no launch, such as a copy between ranks or an order of streams; `places` are those
    of its arguments that are addresses."""

    function: Callable[..., None]
    args: tuple[Any, ...]
    places: tuple[int, ...]


class Log:
    """Launches, and calls between them, so far; `runs` counts those that went to a driver, by whatever way."""

    def __init__(self) -> None:
        self.done: list[Noted | Acted] = []
        self.runs, self._mere = 0, True

    @property
    def whole(self) -> bool:
        """True while there is a note of each launch (calls of the instruction level leave none), and none waits for its
        kernel."""
        return self._mere and self.runs == sum(isinstance(one, Noted) for one in self.done)

    def note(self, call: LaunchCall, program: Any, backend: Backend, module: str, closure: Any, captured: Any) -> None:
        """One more. What waits for the kernel's end is no mere launch."""
        if not hasattr(backend, "driver") or program.waits or knobs.checks():
            self._mere = False
        self.done.append(Noted(call, program, module, closure, captured))


_thread = threading.local()


def here() -> Log | None:
    """The log of this thread, or None."""
    return getattr(_thread, "log", None)


@contextlib.contextmanager
def noting() -> Iterator[Log]:
    """Inside, this thread's launches are run and noted."""
    before, _thread.log = here(), Log()
    try:
        yield _thread.log
    finally:
        _thread.log = before


def act(function: Callable[..., None], *args: Any, places: tuple[int, ...] = ()) -> None:
    """Calls a function with these arguments, and notes it."""
    function(*args)
    log = here()
    if log is not None:
        log.done.append(Acted(function, args, places))
