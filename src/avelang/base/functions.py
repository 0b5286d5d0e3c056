"""The type of functions that users give, for type checkers: `Function`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

# One member for each number of parameters: so those of a lambda have a known type, which `Callable[..., Any]` alone
# does not say.
Function: TypeAlias = (
    Callable[[], Any]
    | Callable[[Any], Any]
    | Callable[[Any, Any], Any]
    | Callable[[Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any, Any, Any, Any], Any]
)
