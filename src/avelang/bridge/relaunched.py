"""Calls like two before, in eager torch: a Python function that launches kernels comes in; the same function, whose
later calls of a kind go from their arguments to the launches in compiled code, goes out.

What a call launches is found by a dry run (`dry_runs.py`). What such a function looks at must be in the key of a call
(native/host/repeats.c): of tensors dtypes, devices, extents, strides and the last bits of addresses, of other arguments
their values, and `ops.invariant` and the tuner's tables."""

from __future__ import annotations

import functools
import sys
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from avelang.runtime.repeats import Table

F = TypeVar("F", bound=Callable[..., Any])
CALLS = 2  # of a kind, before the next one is kept: the host code knows its launches then
TRIES = 8
MOST_SEEN = 4096
_BEGINNING = threading.RLock()


def compiling() -> bool:
    """True where torch is not there, or traces this call: a graph has no call of compiled code."""
    torch = sys.modules.get("torch")
    return torch is None or torch.compiler.is_dynamo_compiling()


class Relaunched:
    """A function whose calls are repeated. `ask(*args, **kwargs)` gives what a call makes, None of one that Python must
    see, and for one that may be kept bytes, with which `learn` is called."""

    def __init__(self, fn: Callable[..., Any], name: str = ""):
        self.fn, self._name = fn, name or fn.__name__
        self.ask: Callable[..., Any] = self._begin
        self.table: Table | None = None
        self._seen: dict[bytes, int] = {}

    def _begin(self, *_: Any, **__: Any) -> None:
        """Sets up at the first call with nobody there, where host code can read this torch's tensors and ask it who
        watches."""
        import avelang.bridge.dry_runs as dry_runs  # with all that launches take to import

        torch: Any = sys.modules["torch"]
        if not dry_runs.quiet(torch):
            return
        global compiling
        compiling = torch.compiler.is_dynamo_compiling  # itself: Dynamo knows it, whatever it is called
        with _BEGINNING:
            if self.ask == self._begin:  # no other thread was here
                self.table = dry_runs.table_for(self._name)
                if self.table is not None:
                    _ALL.add(self)
                self.ask = _never if self.table is None else self.table.call

    @property
    def served(self) -> int:
        """The number of calls that were repeated."""
        return self.table.state.served if self.table is not None else 0

    def forget(self) -> None:
        """Forgets all calls."""
        assert self.table is not None
        self.table.forget()
        self._seen.clear()

    def learn(self, key: bytes, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call with a key that is not known, or whose kernels are to be built anew."""
        assert self.table is not None
        if self.table.drop_stale(key):
            self._seen.pop(key, None)
        out, count = self.fn(*args, **kwargs), self._seen.get(key, 0) + 1
        if len(self._seen) > MOST_SEEN:
            self._seen.clear()
        self._seen[key] = count
        if count > CALLS:
            import avelang.bridge.dry_runs as dry_runs

            dry_runs.keep(self.fn, self.table, key, args, kwargs, count > CALLS + TRIES)
        return out


_ALL: weakref.WeakSet[Relaunched] = weakref.WeakSet()


def forget() -> None:
    """Forgets all calls: of functions that were replaced by others."""
    for one in _ALL:
        one.forget()


def relaunched(fn: F) -> F:
    """A decorator of a function that only launches kernels on its arguments, views of them and new memory, and returns
    new memory, and decides by nothing but what the key of a call has. What else it does with tensors is found by the
    dry run, and such a call keeps its Python; what it does without tensors and launches, such as to count, is lost."""
    short = Relaunched(fn)

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        if compiling():
            return fn(*args, **kwargs)
        found = short.ask(*args, **kwargs)
        if found is None:
            return fn(*args, **kwargs)
        return short.learn(found, args, kwargs) if type(found) is bytes else found

    call.relaunched = short  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def _never(*_: Any, **__: Any) -> None:
    return None
