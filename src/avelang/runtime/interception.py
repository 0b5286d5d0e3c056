"""A launch comes in, checked but with nothing loaded for it; those who wait for launches look at it, and whether it is
to run goes out. `recording` notes launches for bundles, `ahead` collects them for processes that compile.

A launch like one before, which the host code serves, is not seen."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from avelang.base.words import WAITING

if TYPE_CHECKING:
    from avelang.ir.core import Kernel
    from avelang.runtime.backend import Backend, LaunchCall
    from avelang.runtime.launch import Launcher


@dataclasses.dataclass(slots=True)
class CheckedLaunch:
    """A launch whose arguments and place are checked. `keyed` gives the key of its specialization, and its IR where
    there is no key without it; `name` its name in the cache on disk."""

    launcher: Launcher
    call: LaunchCall
    backend: Backend
    keyed: Callable[[], tuple[Any, Kernel | None]]
    name: Callable[[], str]


@dataclasses.dataclass(slots=True)
class PtxLaunch:
    """A checked call of a kernel of the instruction level: the sizes of its symbols, its `Parameters` and what they are
    bound to."""

    kernel: Any
    sizes: tuple[int, ...]
    parameters: Any
    bound: Any


class Interceptor(Protocol):
    """One who waits for launches."""

    def intercept(self, launch: CheckedLaunch) -> bool:
        """Looks at a launch; returns whether it is to run."""
        ...


_everywhere: list[Any] = []
_lock = threading.Lock()
_here: contextvars.ContextVar[tuple[Any, ...]] = contextvars.ContextVar("ave_interceptors", default=())


def waiting() -> tuple[Any, ...]:
    """Those who wait for launches of this thread."""
    return (*_everywhere, *_here.get())


def admitted(launch: CheckedLaunch) -> bool:
    """Shows a launch to all who wait; True where none of them keeps it from running."""
    runs = [one.intercept(launch) for one in waiting()]  # all of them are shown it
    return all(runs)


def admitted_ptx(launch: PtxLaunch) -> bool:
    """Shows a call of the instruction level to those who wait and have `intercept_ptx`; True where none keeps it."""
    those = [one.intercept_ptx for one in waiting() if hasattr(one, "intercept_ptx")]
    runs = [show(launch) for show in those]
    return all(runs)


@contextlib.contextmanager
def intercepting(one: Interceptor, everywhere: bool = False) -> Iterator[None]:
    """Has `one` look at the launches within: of this thread, or `everywhere`, of all threads."""
    token = None if everywhere else _here.set((*_here.get(), one))
    if token is None:
        _everywhere.append(one)
    _count(1)
    try:
        yield
    finally:
        _count(-1)
        if token is None:
            _everywhere.remove(one)
        else:
            _here.reset(token)


def _count(more: int) -> None:
    with _lock:
        WAITING.put(WAITING.value + more)
