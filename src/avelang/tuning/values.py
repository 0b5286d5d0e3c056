"""Values of choices come in; the words that a table keeps of them, and the values again, go out.

A word is JSON without spaces: a value is a number, a string, a bool, None, or a tuple of these (a named tuple is its
fields). What has a text of its own besides, such as a dtype, is kept by that text, and found again among the values of
its space."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from avelang.base.errors import error

_ESCAPES = {"|": "\\u007c", " ": "\\u0020", "\t": "\\t"}


class Unspellable(ValueError):
    """A value that has no words in a table; the message says which."""


def _plain(value: Any) -> Any:
    """The JSON value that stands for a value of a choice. Raises Unspellable."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise Unspellable(f"{value!r} is no number")
    if isinstance(value, (tuple, list)):
        return [_plain(x) for x in value]
    if hasattr(value, "item") and getattr(value, "shape", None) == ():  # a number of NumPy
        return _plain(value.item())
    name = getattr(value, "name", None)  # dtypes, members of an Enum
    if isinstance(name, str):
        return name
    raise Unspellable(f"{value!r} is neither a number, a string, a bool, None, nor a tuple of these, and has no name")


def word(value: Any) -> str:
    """The word for a value. Raises Unspellable."""
    text = json.dumps(_plain(value), separators=(",", ":"))
    for char, escape in _ESCAPES.items():
        text = text.replace(char, escape)
    return text


def spelled(choice: Mapping[str, Any]) -> str:
    """The text of a choice: `name=word` for each name, in the order of the names. Raises Unspellable."""
    return " ".join(f"{name}={word(choice[name])}" for name in sorted(choice))


def _value(found: Any) -> Any:
    return tuple(_value(x) for x in found) if isinstance(found, list) else found


def read(text: str) -> dict[str, Any]:
    """The choice of such a text, tuples in the place of lists. Raises ValueError."""
    found: dict[str, Any] = {}
    for part in text.split():
        name, equals, value = part.partition("=")
        if not equals or not name.isidentifier() or name in found:
            raise ValueError(f"`{part}` is no name=value")
        found[name] = _value(json.loads(value))
    return found


def key_text(key: Any) -> str:
    """The text of a key: of a tuple or mapping, its items with a space between. Raises L070 for one that has none."""
    if isinstance(key, Mapping):
        key = tuple(f"{name}={_word(value)}" for name, value in key.items())
    if isinstance(key, (tuple, list)):
        key = " ".join(_word(x) for x in key)
    text = _word(key)
    if not text or text != " ".join(text.split()) or "|" in text:
        raise error("L070", name="a key", why=f"{key!r} is empty, or has a `|` or a line break in it")
    return text


def _word(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return "x".join(map(_word, value)) or "-"
    if isinstance(value, (str, int, float, bool, type(None))):
        return str(value)
    return str(getattr(value, "name", value)).replace(" ", "")
