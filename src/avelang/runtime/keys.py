"""Compile-time values come in; keys go out: hashable ones for the table in memory, text for the cache on disk.

Python finds 1, True and 1.0 equal, and 0.0 and -0.0; a kernel does not, so a value's type and sign are part of its key.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Hashable, Mapping
from typing import Any

from avelang.frontend.source import Jitted, Source
from avelang.frontend.structs import Pure, StructClass, functions, is_constant, is_constant_class, values_of
from avelang.ir.dtypes import DType


class Unstable(Exception):
    """A value with no text that another process would find again; what depends on it stays out of the cache on disk."""


def freeze(value: Any) -> Hashable:
    """A hashable that is equal exactly for the same value of the same type."""
    kind = type(value)
    if kind is float:
        return (kind, value.hex())
    if kind is tuple:
        return (kind, *map(freeze, value))
    if is_constant(value):
        return (kind, *map(freeze, values_of(value).values()))
    return (kind, value)


def token(value: Any) -> str:
    """Text that says the value and its type. Raises Unstable."""
    kind = type(value)
    if isinstance(value, enum.Enum):
        return f"{kind.__module__}.{kind.__qualname__}.{value.name}={value.value!r}"
    if kind in (bool, int, str, bytes, type(None)):
        return f"{kind.__name__}:{value!r}"
    if kind is float:
        return f"float:{value.hex()}"
    if kind is tuple:
        return "(" + ",".join(map(token, value)) + ")"
    if isinstance(value, DType):
        return f"dtype:{value.name}"
    if isinstance(value, (Jitted, StructClass, Pure)) or is_constant(value) or is_constant_class(value):
        return _captured(value)
    if isinstance(value, types.ModuleType):
        return f"module:{value.__name__}"
    if isinstance(value, (type, types.BuiltinFunctionType)):
        return f"{kind.__name__}:{value.__module__}.{value.__qualname__}"
    text = repr(value)
    if kind.__module__.startswith("avelang.") and " at 0x" not in text:
        return f"{kind.__qualname__}:{text}"
    raise Unstable(f"a value of type {kind.__module__}.{kind.__qualname__}")


def _captured(value: Any) -> str:
    """Of what brings functions along: the text of each, what these capture, and the value's own key."""
    from avelang.frontend.closure import exact

    return f"{type(value).__name__}:{token(exact(value))}:{list(map(_function, functions(value)))!r}"


def _function(source: Source) -> str:
    from avelang.frontend.closure import closure

    found = closure(source)
    return f"{source.name}:{list(found.texts)!r}:{token(found.snapshot())}"


def tokens(values: Mapping[str, Any]) -> dict[str, str]:
    """`token` of each value by name. Raises Unstable."""
    return {name: token(value) for name, value in values.items()}
