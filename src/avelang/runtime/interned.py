"""Arguments of a launch come in; the same arguments go out, with the first of equal compile-time records in place of a
new one.

The fast path of a launch knows a record by its identity. Without this, a wrapper that makes its record anew for each
call, `kernel[grid](x, Config(64, 3))`, would have all that the record's class reaches looked at each time: two
milliseconds instead of some microseconds."""

from __future__ import annotations

import enum
import functools
from collections.abc import Hashable
from typing import Any

from avelang.frontend.structs import is_constant
from avelang.ir.dtypes import DType

MOST = 4096  # records that are kept; a program that makes more of them goes the slow way
_PLAIN = frozenset({int, str, bytes, bool, type(None)})
_records: dict[Hashable, Any] = {}


class _Other(Exception):
    """A field that has no key of its own."""


def interned(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The arguments with records that were seen before; None where there is nothing to replace."""
    found = tuple(map(_first, args))
    named = {name: _first(value) for name, value in kwargs.items()} if kwargs else kwargs
    same = all(map(_is, found, args)) and all(map(_is, named.values(), kwargs.values()))
    return None if same else (found, named)


def _is(a: Any, b: Any) -> bool:
    return a is b


def _first(value: Any) -> Any:
    if not is_constant(value):
        return value
    try:
        key = _key(value)
    except _Other:
        return value
    found = _records.get(key)
    if found is None and len(_records) < MOST:
        found = _records[key] = value
    return value if found is None else found


def _key(value: Any) -> Hashable:
    """A key that is equal for the same values of the same types only. Raises _Other."""
    kind = type(value)
    if kind in _PLAIN:
        return (kind, value)
    if kind is float:
        return (kind, value.hex())
    if kind is tuple:
        return (kind, *map(_key, value))
    if kind is DType:
        return value
    if isinstance(value, enum.Enum):
        return (kind, value.name)  # members are made once
    if not is_constant(value):
        raise _Other
    names = _fields(kind)
    held = getattr(value, "__dict__", None)
    if held is not None and len(held) != len(names):  # what a method remembered, or something set from outside
        raise _Other
    return (kind, *(_key(getattr(value, name)) for name in names))


@functools.lru_cache(maxsize=MOST)
def _fields(kind: type) -> tuple[str, ...]:
    return tuple(kind.__dataclass_fields__)  # type: ignore[attr-defined]
