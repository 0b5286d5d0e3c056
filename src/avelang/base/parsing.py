"""Python's text as trees and values, one thread at a time: CPython counts for all threads together how deep the tree
that it makes is, and where a callback of the garbage collector lets another thread in meanwhile, both get a SystemError
("AST constructor recursion depth mismatch"; met on 3.11.7 under JAX, which has such a callback)."""

from __future__ import annotations

import ast
import threading
from typing import Any

_ONE = threading.RLock()


def parse(text: str) -> ast.Module:
    """As `ast.parse`."""
    with _ONE:
        return ast.parse(text)


def parse_expression(text: str) -> ast.expr:
    """The expression that `text` is. Raises SyntaxError."""
    with _ONE:
        return ast.parse(text, mode="eval").body


def literal(text: str) -> Any:
    """As `ast.literal_eval`."""
    return ast.literal_eval(parse_expression(text.lstrip(" \t")))
