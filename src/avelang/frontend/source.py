"""A Python function comes in; its text, syntax tree (lines and columns as in the file) and names go out."""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
import types
from collections.abc import Callable
from typing import Any

from avelang.base.errors import error
from avelang.base.spans import Span

_FILES: dict[str, tuple[list[str], dict[tuple[int, str], ast.FunctionDef]]] = {}


def _functions(file: str, module_globals: dict[str, Any]) -> tuple[list[str], dict[tuple[int, str], ast.FunctionDef]]:
    """The lines of a file and its functions by (first line, name). A file is parsed once, so that columns are the file's own."""
    linecache.checkcache(file)
    lines = linecache.getlines(file, module_globals)
    known = _FILES.get(file)
    if known is None or known[0] is not lines:
        found: dict[tuple[int, str], ast.FunctionDef] = {}
        for node in ast.walk(ast.parse("".join(lines))):
            if isinstance(node, ast.FunctionDef):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                found[first, node.name] = node
        known = _FILES[file] = (lines, found)
    return known


class Source:
    """One Python function as the frontend sees it. Nothing is read before it is asked for."""

    def __init__(self, fn: Callable[..., Any]):
        if not isinstance(fn, types.FunctionType) or fn.__name__ == "<lambda>":
            raise error("S003", got=repr(fn))
        self.fn = fn
        self.name: str = fn.__name__
        self.file: str = fn.__code__.co_filename
        # What messages call it: of a method, `Window.load`.
        self.label: str = fn.__name__
        # Analyses of this function's tree, kept by `frontend.flow`.
        self.cache: dict[Any, Any] = {}

    @functools.cached_property
    def tree(self) -> ast.FunctionDef:
        """The function's definition. Raises S002 where its text cannot be found."""
        try:
            found = _functions(self.file, self.fn.__globals__)[1].get((self.fn.__code__.co_firstlineno, self.name))
        except SyntaxError:
            found = None
        if found is None:
            raise error("S002", Span(self.file, self.fn.__code__.co_firstlineno), name=self.name, file=self.file)
        return found

    @functools.cached_property
    def text(self) -> str:
        """The source text, decorators included."""
        node = self.tree
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        return "".join(_functions(self.file, self.fn.__globals__)[0][first - 1 : node.end_lineno])

    def span(self, node: ast.AST, caller: Span | None = None) -> Span:
        """Where a node of the tree stands."""
        return Span(self.file, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0, self.name, caller)  # type: ignore[attr-defined]

    @functools.cached_property
    def _cells(self) -> dict[str, types.CellType]:
        return dict(zip(self.fn.__code__.co_freevars, self.fn.__closure__ or (), strict=True))

    def lookup(self, name: str) -> Any:
        """The value of a name through closure, globals and builtins. Raises KeyError."""
        cell = self._cells.get(name)
        if cell is not None:
            try:
                return cell.cell_contents
            except ValueError:
                raise KeyError(name) from None
        found = self.fn.__globals__
        return found[name] if name in found else builtins.__dict__[name]

    def home(self, name: str) -> types.CellType | dict[str, Any] | None:
        """Where a name lives: a closure's cell, a dict, or nowhere."""
        if name in self._cells:
            return self._cells[name]
        return next((d for d in (self.fn.__globals__, builtins.__dict__) if name in d), None)

    def visible(self) -> set[str]:
        """Names that can be seen from the function, for suggestions."""
        return {*self._cells, *self.fn.__globals__}


class Jitted:
    """What `@jit` makes: anything with a `source`. The frontend takes a call of one as a device function."""

    source: Source
