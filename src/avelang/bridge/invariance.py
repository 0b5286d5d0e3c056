"""Batch invariance: `with ops.invariant():` comes in; operations that have a plan for each number of rows, of sequences
or of splits ask here whether they must take the one that does not depend on them."""

from __future__ import annotations

import sys
import threading
from typing import Any

from avelang.base.words import Word


class Invariant:
    """`with invariant():` (and `invariant(False)` inside) says that the bits of a row must not depend on what came with
    it: not on how many rows, which other sequences, or how many splits. It holds for the whole process.

    An operation that has a choice takes an option `invariant: bool | None = None`; None means what holds here, and is
    settled before the call is traced, so that a compiled graph has it as a constant, and the backward the same."""

    __slots__ = ("_context", "_held", "_making", "word")

    def __init__(self) -> None:
        self._held: list[_Held] = []  # of several threads, which leave in any order: ranks that go backward, for one
        self.word = Word()  # 1 where `on()`, for compiled code
        self._context: Any = None  # JAX's, in the keys of its caches
        self._making = threading.Lock()

    def on(self) -> bool:
        """True inside of `with invariant():`."""
        last = self._held[-1:]
        return bool(last) and last[0].wanted

    def _tell(self) -> None:
        self.word.put(self.on())
        self.tell_jax()

    def tell_jax(self) -> None:
        """Has JAX trace a function again that it traced where invariance was otherwise, if this JAX can: by a context
        that is part of its keys. For all threads, as what `on` says is."""
        make = getattr(sys.modules.get("jax"), "make_user_context", None)
        torch = sys.modules.get("torch")
        if make is None or (torch is not None and torch.compiler.is_dynamo_compiling()):
            return  # a graph of torch's has no call of JAX
        with self._making:
            if self._context is None:
                self._context = make(False)
            if hasattr(self._context, "set_global") and self._context.get_global() != self.on():
                self._context.set_global(self.on())

    def __call__(self, on: bool = True) -> _Held:
        """A context manager: inside of it `on()` is `on`."""
        return _Held(self, on)


class _Held:
    """The time in which invariance is on, or off."""

    def __init__(self, state: Invariant, on: bool):
        self.state, self.wanted = state, bool(on)

    def __enter__(self) -> Invariant:
        self.state._held.append(self)
        self.state._tell()
        return self.state

    def __exit__(self, *_: Any) -> None:
        self.state._held.remove(self)
        self.state._tell()


invariant = Invariant()
