"""What a lower part calls of a higher one, such as kernels that copy arrays: a name comes in; what was given under it
goes out. `avelang` gives it, without importing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_makers: dict[str, Callable[[], Any]] = {}


def give(name: str, make: Callable[[], Any]) -> None:
    """Says what makes, or imports, the part of a name."""
    _makers[name] = make


def get(name: str) -> Any:
    """The part of a name."""
    return _makers[name]()
