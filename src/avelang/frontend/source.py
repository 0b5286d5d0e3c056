"""A Python function comes in; its text, syntax tree (lines and columns as in the file) and names go out."""

from __future__ import annotations
import __future__

import ast
import atexit
import builtins
import contextlib
import functools
import importlib.machinery
import inspect
import linecache
import os
import sys
import time
import types
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Self

from avelang.base.errors import error
from avelang.base.parsing import parse, parse_expression
from avelang.base.spans import Span
from avelang.frontend import purity

_Found = dict[tuple[int, str], ast.FunctionDef]
# By file: the lines of its versions that functions in this process come from, newest first, and the definitions in
# each.
_FILES: dict[str, list[tuple[list[str], _Found]]] = {}
_PARSED: weakref.WeakSet[FunctionSource] = weakref.WeakSet()  # those that have their tree
_KEPT = 4
_BODIES = ("body", "orelse", "handlers", "finalbody", "cases")  # the fields of statements that hold statements
# A file that was written to no longer than this before Ave was imported may have been read by Python before that.
_RECENT = time.time() - 60.0
_FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names
               if name != "nested_scopes")


def lines_of(file: str, module_globals: dict[str, Any]) -> list[str]:
    """The lines of a file as they are now. (Of `python -c`, which older versions of Python do not keep: the
    command.)"""
    linecache.checkcache(file)
    found = linecache.getlines(file, module_globals)
    if not found and file == "<string>" and "-c" in sys.orig_argv[:-1] and module_globals.get("__name__") == "__main__":
        text = sys.orig_argv[sys.orig_argv.index("-c") + 1]
        found = (text if text.endswith("\n") else text + "\n").splitlines(keepends=True)
        linecache.cache[file] = (len(text), None, found, file)
    return found


def _definition(file: str, lines: list[str], first: int, name: str) -> ast.FunctionDef | None:
    """The function of a text that begins in a line. It is parsed alone, at its place, since a file has many that nobody
    asks for; the whole text where it cannot be told where the function ends. Raises SyntaxError."""
    versions = _FILES.setdefault(file, [])
    made = next((definitions for known, definitions in versions if known is lines), None)
    if made is None:
        made = {}
        versions.insert(0, (lines, made))
        del versions[_KEPT:]
    if (first, name) not in made:
        with contextlib.suppress(SyntaxError):
            _collect(_alone(lines, first), made)
    if (first, name) not in made:
        _collect("".join(lines), made)
    return made.get((first, name))


def _alone(lines: list[str], first: int) -> str:
    """A function's lines in a text in which they have their numbers and columns. Where it ends too early (in a string
    whose lines stand further left), the text is not whole, and no Python."""
    indent, last, begun = _indent(lines[first - 1]) if first <= len(lines) else 0, len(lines), False
    for i in range(first - 1, len(lines)):
        text = lines[i].lstrip(" \t")
        if not text.strip() or text[0] in "#)]}" or _indent(lines[i]) > indent:
            continue
        if begun:
            last = i
            break
        begun = text.startswith("def ")
    above = "\n" * (first - 2) + "if 1:\n" if indent else "\n" * (first - 1)
    return above + "".join(lines[first - 1 : last])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _collect(text: str, made: _Found) -> None:
    """Adds the functions of a text by (first line, name)."""
    found: list[ast.AST] = [parse(text)]
    for node in found:  # grows as it is read; statements only, as no expression holds a definition
        found += [x for field in _BODIES for x in getattr(node, field, ())]
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            made.setdefault((first, node.name), node)


@atexit.register
def _forget() -> None:
    """Trees are half of the objects that a compilation leaves, and Python, as it ends, looks at all objects there are
    three times."""
    _FILES.clear()
    for source in _PARSED:
        source.__dict__.pop("tree", None)
        source.cache.clear()


def _written(file: str) -> float:
    """When a file was last written to, in seconds since 1970; the future for what is no file."""
    try:
        return os.stat(file).st_mtime
    except OSError:
        return float("inf")


def _doubtful(fn: types.FunctionType) -> bool:
    """True if the text may be another than the one that Python compiled: written to lately, or no file at all, or older
    than what Python keeps of it compiled, by less than its stamp tells. Code that an import hook has rewritten (pytest
    does that) has no text to be held against."""
    file, spec = fn.__code__.co_filename, fn.__globals__.get("__spec__")
    loader = getattr(spec, "loader", None) or fn.__globals__.get("__loader__")
    own = fn.__globals__.get("__file__") == file
    if own and type(loader) is not importlib.machinery.SourceFileLoader and loader is not None:
        return False
    written, cached = _written(file), getattr(spec, "cached", None)
    return written > _RECENT or bool(own and cached and _written(cached) < written)


@functools.lru_cache(maxsize=8)
def _compiled(text: str, flags: int) -> dict[tuple[int, str], list[types.CodeType]]:
    """The code of a text's functions by (first line, name), compiled now. Raises SyntaxError."""
    found: dict[tuple[int, str], list[types.CodeType]] = {}
    pending = [compile(text, "", "exec", flags=flags, dont_inherit=True)]
    while pending:
        code = pending.pop()
        found.setdefault((code.co_firstlineno, code.co_name), []).append(code)
        pending += [x for x in code.co_consts if isinstance(x, types.CodeType)]
    return found


def _alike(a: types.CodeType, b: types.CodeType) -> bool:
    if (a.co_code, a.co_names, a.co_varnames, a.co_freevars, a.co_cellvars) != (b.co_code, b.co_names, b.co_varnames,
                                                                                b.co_freevars, b.co_cellvars):
        return False
    if len(a.co_consts) != len(b.co_consts):
        return False
    for x, y in zip(a.co_consts, b.co_consts, strict=True):
        both = isinstance(x, types.CodeType) and isinstance(y, types.CodeType)
        if not (_alike(x, y) if both else type(x) is type(y) and repr(x) == repr(y)) and not isinstance(x, frozenset):
            return False
    return True


class FunctionSource:
    """One Python function as the frontend sees it. Its file's text is that of the moment when it was decorated; nothing
    else is read before it is asked for."""

    def __init__(self, fn: Callable[..., Any], span: Span | None = None, around: Mapping[str, Any] | None = None):
        """`around`: the names where it is decorated, for annotations that are text."""
        if isinstance(fn, types.FunctionType) and hasattr(fn, "__wrapped__"):
            hint = "put the decorator that makes a kernel of it next to the `def`"
            raise error("S003", span, hint, got=f"what another decorator has made of {fn.__name__!r}")
        if not isinstance(fn, types.FunctionType) or fn.__name__ == "<lambda>":
            raise error("S003", span, got=_shown(fn))
        if fn.__code__.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            raise error("S003", span, got=f"the async function {fn.__name__!r}")
        if around:
            _quoted(fn, around)
        self.fn = fn
        self.name: str = fn.__name__
        self.file: str = fn.__code__.co_filename
        # What messages call it: of a method, `Window.load`.
        self.label: str = fn.__name__
        # Analyses of this function's tree, kept by `frontend.flow`.
        self.cache: dict[Any, Any] = {}
        if purity.place(self.file) != purity.OURS:
            self.lines  # noqa: B018 - a file may be edited while the program runs, and be reloaded

    @functools.cached_property
    def lines(self) -> list[str]:
        """The lines of its file."""
        return lines_of(self.file, self.fn.__globals__)

    @functools.cached_property
    def tree(self) -> ast.FunctionDef:
        """The function's definition. Raises S002 where its text cannot be found, S006 where it is not what Python
        runs."""
        code = self.fn.__code__
        span = Span(self.file, code.co_firstlineno)
        try:
            found = _definition(self.file, self.lines, code.co_firstlineno, code.co_name)
        except SyntaxError:
            found = None
        if found is not None and _doubtful(self.fn):
            made = _compiled("".join(self.lines), code.co_flags & _FUTURES).get((code.co_firstlineno, code.co_name), [])
            if not any(_alike(code, x) for x in made):
                found = None
        if found is None and os.path.isfile(self.file):
            raise error("S006", span, name=self.name, file=self.file)
        if found is None:
            raise error("S002", span, name=self.name, file=self.file)
        _PARSED.add(self)
        return found

    @functools.cached_property
    def text(self) -> str:
        """The source text, decorators included."""
        node = self.tree
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        return "".join(self.lines[first - 1 : node.end_lineno])

    def span(self, node: ast.AST, caller: Span | None = None) -> Span:
        """The source range of a node of the tree."""
        at: Any = node
        return Span(self.file, at.lineno, at.col_offset, at.end_lineno or 0, at.end_col_offset or 0, self.name, caller)

    @functools.cached_property
    def cells(self) -> dict[str, types.CellType]:
        """The closure's cells by name."""
        return dict(zip(self.fn.__code__.co_freevars, self.fn.__closure__ or (), strict=True))

    def lookup(self, name: str) -> Any:
        """The value of a name through closure, globals and builtins. Raises KeyError."""
        cell = self.cells.get(name)
        if cell is not None:
            try:
                return cell.cell_contents
            except ValueError:
                raise KeyError(name) from None
        found = self.fn.__globals__
        return found[name] if name in found else builtins.__dict__[name]

    def home(self, name: str) -> types.CellType | dict[str, Any] | None:
        """The closure's cell or the dict that holds a name, or None."""
        if name in self.cells:
            return self.cells[name]
        return next((d for d in (self.fn.__globals__, builtins.__dict__) if name in d), None)

    def visible(self) -> set[str]:
        """Names that can be seen from the function, for suggestions."""
        return {*self.cells, *self.fn.__globals__}


def _quoted(fn: types.FunctionType, around: Mapping[str, Any]) -> None:
    """Annotations that are text, as `from __future__ import annotations` makes them, and name what only the place of
    definition has: the function's body does not use it, so Python keeps it nowhere. They are evaluated now, as Python
    does without that import. What fails stays text, and is an error at the launch."""
    held, own = fn.__globals__, fn.__code__.co_freevars
    for name, text in fn.__annotations__.items():
        if not isinstance(text, str):
            continue
        with contextlib.suppress(Exception):
            node = parse_expression(text)
            while isinstance(node, ast.Constant) and isinstance(node.value, str):  # quoted, and text for that import
                text = node.value
                node = parse_expression(text)
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            if any(n in around and n not in own and around[n] is not held.get(n, around) for n in names):
                fn.__annotations__[name] = eval(text, held, dict(around))  # noqa: S307 - the user's own program


def _shown(thing: Any) -> str:
    if isinstance(thing, Jitted):
        return f"the kernel {thing.source.name!r}"
    if isinstance(thing, (staticmethod, classmethod, property)):
        return f"a {type(thing).__name__}"
    if isinstance(thing, types.MethodType):
        return f"the method {thing.__qualname__!r} of an object"
    if isinstance(thing, types.FunctionType):
        return "a lambda"
    # Without its address, which says nothing.
    return f"an object of type {type(thing).__qualname__}" if " at 0x" in repr(thing) else repr(thing)


class Named:
    """Kernels, structs and constants: pickle and copy keep their name, by which another process imports them."""

    __module__: str
    __qualname__: str

    def __reduce__(self) -> str:
        """The name, for pickle. Raises L056 where it is not that of this very object."""
        found: Any = sys.modules.get(self.__module__)
        for name in self.__qualname__.split("."):
            found = getattr(found, name, None)
        if found is not self:
            code = getattr(getattr(self, "__wrapped__", None), "__code__", None)
            span = Span(code.co_filename, code.co_firstlineno) if code is not None else getattr(self, "span", None)
            raise error("L056", span, name=self.__qualname__, module=self.__module__)
        return self.__qualname__

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self


class Jitted(Named):
    """A kernel or device function: anything with a `source`, as `@jit` makes it. The frontend takes a call of one as a
    device function."""

    source: FunctionSource
