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


class _Floats(ast.NodeTransformer):
    """The names that `repr` has for floats without digits, as their values."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(float(node.id)) if node.id in ("inf", "nan") else node


def literal(text: str) -> Any:
    """As `ast.literal_eval`, and `inf` and `nan`, as `repr` writes them, are floats."""
    tree = parse_expression(text.lstrip(" \t"))
    return ast.literal_eval(_Floats().visit(tree) if "inf" in text or "nan" in text else tree)
