"""Words of the language for editors: a line and a place come in, what stands there, its documentation and what may
follow go out. The tables of builtins and intrinsics answer; no user code runs."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

from avelang import language
from avelang.cli import rows
from avelang.frontend.names import Builtin, Intrinsic, Namespace

DOTTED = re.compile(r"[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*")


def at(line: str, col: int) -> str:
    """The dotted name around a column, up to the end of the part that is pointed at, or ""."""
    for m in DOTTED.finditer(line):
        if m.start() <= col <= m.end():
            rest = line[col : m.end()].partition(".")[0]
            return line[m.start() : col] + rest
    return ""


def aliases(text: str) -> dict[str, str]:
    """The names by which a file calls modules of Ave."""
    found = {"al": "avelang.language"}
    for m in re.finditer(r"^\s*import (avelang[\w.]*) as (\w+)", text, re.MULTILINE):
        found[m[2]] = m[1]
    for m in re.finditer(r"^\s*from avelang import ([\w, ]+)", text, re.MULTILINE):
        for part in m[1].split(","):
            name, _, other = part.strip().partition(" as ")
            found[other or name] = f"avelang.{name}"
    return found


def _found(dotted: str, text: str) -> Any:
    """What a dotted name of the language or of tiles means, or None."""
    first, _, rest = dotted.partition(".")
    module = aliases(text).get(first)
    if module == "avelang.language":
        value: Any = language
    elif module == "avelang.tile":
        import avelang.tile as value
    else:
        return None
    for part in rest.split(".") if rest else ():
        try:
            value = getattr(value, part)
        except AttributeError:
            return None
    return value


def hover(dotted: str, text: str) -> str:
    """The documentation of a name, in Markdown, or ""."""
    value = _found(dotted, text)
    if value is None or isinstance(value, Namespace) or inspect.ismodule(value):
        return ""
    try:
        signature = str(inspect.signature(value))
    except (TypeError, ValueError):
        signature = ""
    more = f"\n\nOn {rows.chips(value.row)}." if isinstance(value, Intrinsic) else ""
    return f"```python\n{dotted}{signature}\n```\n{inspect.getdoc(value) or ''}{more}"


def complete(line: str, col: int, text: str, chip: str = "") -> list[tuple[str, str, str]]:
    """(name, signature, documentation) of what may follow the dot before a column; intrinsics of `chip` only, if one is
    given."""
    m = re.search(r"((?:[A-Za-z_]\w*\.)+)(\w*)$", line[:col])
    if m is None:
        return []
    value = _found(m[1][:-1], text)
    if isinstance(value, Namespace):
        from avelang.arch import CHIPS

        found = [(n, getattr(value, n)) for n in dir(value)]
        if chip in CHIPS:
            found = [(n, v) for n, v in found if not isinstance(v, Intrinsic) or CHIPS[chip].has(v.row)]
    elif value is not None and hasattr(value, "__all__"):
        found = [(n, getattr(value, n)) for n in value.__all__]
    else:
        return []
    out: list[tuple[str, str, str]] = []
    for name, v in found:
        if name.startswith(m[2]):
            shown = str(v.__signature__) if isinstance(v, (Builtin, Intrinsic)) else type(v).__name__
            out.append((name, shown, inspect.getdoc(v) or ""))
    return out


def definition(name: str, text: str) -> tuple[int, int] | None:
    """Line and column, from 0, where a file defines a function, class or name of the module."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        m = re.search(rf"^[ \t]*(?:def|class) ({re.escape(name)})\b", text, re.MULTILINE)
        return (text.count("\n", 0, m.start(1)), 0) if m else None
    for n in ast.walk(tree):
        if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == name:
            return n.lineno - 1, n.col_offset
    return None
