"""What a kernel captures: a `FunctionSource` comes in; a key of all that it reaches, and what must stay as it is for
the key to hold, go out."""

from __future__ import annotations

import hashlib
import os
import types
from collections.abc import Callable, Sequence
from typing import Any

from avelang.base.errors import AveError
from avelang.frontend.pythons import forget
from avelang.frontend.reach import GONE, Reach, Watched, word
from avelang.frontend.source import FunctionSource


def reach(tell: Callable[[Reach], None], portable: bool = False) -> tuple[Reach, str]:
    """A walk, and its digest. What fails on the way has no key. `portable`: as of `Reach`."""
    r = Reach(portable)
    try:
        tell(r)
        return r, r.digest()
    except AveError:
        raise
    except RecursionError:
        r.refuse("values within values, too many")
    except Exception as e:  # whatever an object of the user's does when it is looked at
        r.refuse(f"{type(e).__name__}: {e}")
    return r, ""


def exact(v: Any) -> str:
    """A key of a captured value that is equal only where kernels built from it are: 1, 1.0 and True differ, and so do
    0.0 and -0.0. The same in every process."""
    return reach(lambda r: r.captured(v))[1]


class Closure:
    """The captures of one function and of all that it reaches: device functions, structs, constants and what Python
    code runs for these."""

    def __init__(self, source: FunctionSource):
        self._source = source
        self._known: Reach | None = None
        self._key: tuple[str, ...] = ("",)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the functions that are built: its own, and those that it calls."""
        return tuple(map(_text, self._current().texts))

    @property
    def trouble(self) -> str:
        """The part of the last snapshot that has no key, or "". A kernel that reads it is built anew for each
        launch."""
        return self._current().trouble

    @property
    def loose(self) -> bool:
        """True if something was read that may change in place: each launch looks at all of it then."""
        return self._current().loose

    def _current(self) -> Reach:
        if self._known is None:
            self.snapshot()
        assert self._known is not None
        return self._known

    def snapshot(self) -> tuple[str, ...]:
        """The key of all that is captured now. While nothing was rebound, and nothing may change in place, it costs a
        few look-ups. Raises S002 and S006 where the text of a function that is reached cannot be had."""
        known = self._known
        if known is None or known.loose or known.trouble or not unchanged(known.slots):
            self._known, key = reach(lambda r: r.jit(self._source))
            self._key = (key,)
        return self._key

    def portable(self) -> tuple[str, dict[str, str]]:
        """The facts that a bundle has of a kernel: a key that does not depend on where its files lie ("" where there is
        none), and the digest of each function's text by its name."""
        known, key = reach(lambda r: r.jit(self._source), portable=True)
        texts = {f"{os.path.basename(s.file)}.{s.fn.__qualname__}": hashlib.sha256(s.text.encode()).hexdigest()[:16]
                 for s in known.texts}
        return "" if known.trouble else key, texts

    def watched(self) -> tuple[Watched, ...]:
        """The names that the last `snapshot` read. As long as each name still holds that very object, the snapshot is
        the same; the runtime's host code checks it so."""
        return tuple(self._current().slots)

    def forget(self) -> None:
        """Has what remembers results for Python code compute them anew, before a kernel is built."""
        forget(self._current().memories)


def unchanged(slots: Sequence[Watched]) -> bool:
    """True if all that was read by name is still there."""
    for home, name, value, there in slots:
        if isinstance(name, int):
            if word(id(home) + name) != value:
                return False
            continue
        if isinstance(home, dict):
            found = home.get(name, GONE)
        else:
            assert isinstance(home, types.CellType)
            try:
                found = home.cell_contents
            except ValueError:
                found = GONE
        if found is not (value if there else GONE):
            return False
    return True


def _text(source: FunctionSource) -> str:
    """The text, and what Python has made of annotations and defaults where the function was defined: a factory gives
    one text several."""
    fn = source.fn
    return f"{source.text}\n# {fn.__annotations__!r} {fn.__defaults__!r} {fn.__kwdefaults__!r}\n"


def closure(source: FunctionSource) -> Closure:
    """The captures of a function."""
    return Closure(source)
