"""Compile-time values come in; keys go out: hashable ones for the table in memory, text for the cache on disk.

Python finds 1, True and 1.0 equal, and 0.0 and -0.0; a kernel does not, so a value's type and sign are part of its key.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Hashable, Mapping
from typing import Any

from avelang.frontend.closure import reach
from avelang.frontend.names import Layout, Pointer
from avelang.frontend.purity import OURS, of_class
from avelang.frontend.reach import Reach
from avelang.frontend.source import Jitted
from avelang.frontend.structs import Pure, StructClass, is_constant, is_constant_class, values_of
from avelang.ir.dtypes import DType


class Unstable(Exception):
    """A value with no text that another process would find again; what depends on it stays out of the cache on disk."""


def plain(value: Any) -> bool:
    """True for a value that is its own key: numbers, strings, dtypes, layouts, Ave's own compile-time objects, and
    tuples of these. Others bring along functions and classes, which may be rebound."""
    kind = type(value)
    if kind in (bool, int, str, bytes, float, type(None)) or isinstance(value, (DType, Layout, Pointer)):
        return True
    if kind is tuple:
        return all(map(plain, value))
    return is_constant(value) and of_class(kind) == OURS and all(map(plain, values_of(value).values()))


def _reaches(value: Any) -> bool:
    """Whether what a value reaches belongs to its key."""
    return (
        isinstance(value, (Jitted, StructClass, Pure, enum.Enum, int, str, float))
        or is_constant(value)
        or is_constant_class(value)
        or (
            isinstance(value, tuple)
            and type(value) is not tuple
            or isinstance(value, type)
            and issubclass(value, enum.Enum)
        )
    )


def reached(values: Mapping[str, Any]) -> Reach:
    """The objects that compile-time values reach beside themselves: names that are watched, and what has no key."""

    def tell(r: Reach) -> None:
        for value in values.values():
            if not plain(value):
                r.captured(value)

    return reach(tell)[0]


def freeze(value: Any) -> Hashable:
    """A hashable that is equal exactly for the same value of the same type."""
    kind = type(value)
    if kind is float:
        return (kind, value.hex())
    if kind is tuple:
        return (kind, *map(freeze, value))
    if plain(value):
        return (kind, *map(freeze, values_of(value).values())) if is_constant(value) else (kind, value)
    return (kind, _captured(value)[1]) if _reaches(value) else (kind, value)


def token(value: Any, portable: bool = False) -> str:
    """Text that says the value and its type; `portable`: wherever files lie. Raises Unstable."""
    kind = type(value)
    if kind in (bool, int, str, bytes, type(None)):
        return f"{kind.__name__}:{value!r}"
    if kind is float:
        return f"float:{value.hex()}"
    if kind is tuple:
        return "(" + ",".join(token(x, portable) for x in value) + ")"
    if isinstance(value, DType):
        return f"dtype:{value.name}"
    if _reaches(value):
        found, key = _captured(value, portable)
        if found.trouble:
            raise Unstable(found.trouble)
        return f"{kind.__name__}:{key}"
    if isinstance(value, types.ModuleType):
        return f"module:{value.__name__}"
    if isinstance(value, (type, types.BuiltinFunctionType)):
        return f"{kind.__name__}:{value.__module__}.{value.__qualname__}"
    text = repr(value)
    if kind.__module__.startswith("avelang.") and " at 0x" not in text:
        return f"{kind.__qualname__}:{text}"
    raise Unstable(f"a value of type {kind.__module__}.{kind.__qualname__}")


def _captured(value: Any, portable: bool = False) -> tuple[Reach, str]:
    return reach(lambda r: r.captured(value), portable)


def tokens(values: Mapping[str, Any], portable: bool = False) -> dict[str, str]:
    """`token` of each value by name. Raises Unstable."""
    return {name: token(value, portable) for name, value in values.items()}
