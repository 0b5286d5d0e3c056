"""What a kernel captures: a `Source` comes in; the texts of the functions that it reaches and a snapshot of the globals read go out."""

from __future__ import annotations

import ast
import builtins
import enum
import types
from typing import Any

from avelang.base.lazy import numpys
from avelang.frontend.flow import walk
from avelang.frontend.names import Builtin, Intrinsic, Layout, Pointer
from avelang.frontend.source import Jitted, Source
from avelang.frontend.structs import EMPTY, Pure, StructClass, code_of, functions, is_constant, is_constant_class, values_of
from avelang.ir.dtypes import DType

_GONE: Any = object()
_LANGUAGE = "avelang."


def exact(v: Any) -> Any:
    """A key of a captured value that is equal only where kernels built from it are: 1, 1.0 and True differ, and so do 0.0 and -0.0. Made of
    strings, ints and tuples, and the same in every process."""
    if isinstance(v, enum.Enum):
        return ("enum", type(v).__qualname__, v.name, exact(v.value))
    if v is None or isinstance(v, (bool, int, str)):
        return (type(v).__name__, v)
    if isinstance(v, float):
        return ("float", v.hex())
    if isinstance(v, numpys("generic")):
        return ("numpy", v.dtype.str, exact(v.item()))
    if isinstance(v, type) and issubclass(v, enum.Enum):
        return ("enum class", v.__qualname__, *((name, exact(member.value)) for name, member in v.__members__.items()))
    if isinstance(v, tuple):
        return ("tuple", getattr(v, "_fields", ()), *map(exact, v))
    if isinstance(v, (DType, Layout, Pointer)):
        return (type(v).__name__, repr(v))
    if isinstance(v, Builtin):
        return ("builtin", v.name)
    if isinstance(v, Intrinsic):
        return ("intrinsic", v.row.name)
    if isinstance(v, Jitted):
        code = v.source.fn.__code__
        return ("jit", v.source.file, v.source.name, code.co_firstlineno)
    if isinstance(v, types.ModuleType):
        return ("module", v.__name__)
    if isinstance(v, StructClass):
        fields = ((x.name, repr(x.wanted), () if x.default is EMPTY else exact(x.default)) for x in v.fields.values())
        return ("struct", v.span.file, v.qualname, v.span.line, *fields, *((n, exact(c)) for n, c in v.constants.items()))
    if isinstance(v, Pure):
        return ("pure", v.name, code_of(v.fn))
    if is_constant(v):
        return ("constant", exact(type(v)), *((n, exact(x)) for n, x in values_of(v).items()))
    if is_constant_class(v):
        return ("constant class", v.__module__, v.__qualname__, code_of(v))
    return ("object", type(v).__name__, getattr(v, "__qualname__", ""))


class Closure:
    """The captures of one function and of the device functions that it calls, found in their syntax trees."""

    def __init__(self, source: Source):
        self._source = source
        self._scan()

    def _scan(self) -> None:
        self._slots: list[tuple[str, dict[str, Any] | types.CellType, str]] = []
        self._seen: set[tuple[int, str]] = set()
        self._functions: dict[Source, None] = {}
        self._function(self._source)
        self.texts: tuple[str, ...] = tuple(map(_text, self._functions))
        self._dicts = [(d, k) for _, d, k in self._slots if isinstance(d, dict)]
        self._cells = [c for _, c, _ in self._slots if isinstance(c, types.CellType)]
        self._held: list[Any] = []
        self._key: tuple[Any, ...] = ()

    def _function(self, source: Source) -> None:
        if source in self._functions:
            return
        self._functions[source] = None
        nodes = walk(source.tree)
        local = {n.arg for n in nodes if type(n) is ast.arg} | {n.id for n in nodes if type(n) is ast.Name and type(n.ctx) is not ast.Load}
        for n in nodes:
            if type(n) is ast.arg and isinstance(n.annotation, ast.Constant) and isinstance(n.annotation.value, str):
                nodes += _quoted(n.annotation.value)
        inner = {id(n.value) for n in nodes if type(n) is ast.Attribute}
        for n in nodes:
            if type(n) in (ast.Name, ast.Attribute) and id(n) not in inner:
                self._chain(source, n, local)

    def _chain(self, source: Source, node: ast.AST, local: set[str]) -> None:
        """Follows `name.attr.attr` from a captured name as far as modules go."""
        attrs: list[str] = []
        while isinstance(node, ast.Attribute):
            attrs.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in local:
            return
        home, name = source.home(node.id), node.id
        while home is not None:
            value = self._slot(home, name)
            for source in functions(value):
                self._function(source)
            if not isinstance(value, types.ModuleType) or value.__name__.startswith(_LANGUAGE) or not attrs:
                return
            home, name = value.__dict__, attrs.pop(0)

    def _slot(self, home: dict[str, Any] | types.CellType, name: str) -> Any:
        value = home.get(name, _GONE) if isinstance(home, dict) else _contents(home)
        if (id(home), name) not in self._seen and home is not builtins.__dict__:
            self._seen.add((id(home), name))
            self._slots.append((name, home, name))
        return value

    def snapshot(self) -> tuple[Any, ...]:
        """The current values of all that is captured, as a hashable tuple. While nothing was rebound it costs a few look-ups."""
        held = [d.get(k, _GONE) for d, k in self._dicts]
        if self._cells:
            held += map(_contents, self._cells)
        last = self._held
        if len(held) == len(last):
            for a, b in zip(held, last, strict=True):
                if a is not b:
                    break
            else:
                return self._key
        if any(a is not b and isinstance(x, types.ModuleType) or functions(x) for a, b in zip(held, last, strict=False) for x in (a, b)):
            # Another function or module: what is captured may be different altogether.
            self._scan()
            held = [d.get(k, _GONE) for d, k in self._dicts] + list(map(_contents, self._cells))
        names = [n for n, d, _ in self._slots if isinstance(d, dict)] + [n for n, d, _ in self._slots if not isinstance(d, dict)]
        self._held = held
        self._key = tuple((n, exact(v)) for n, v in zip(names, held, strict=True))
        return self._key

    def watched(self) -> tuple[tuple[dict[str, Any] | types.CellType, str, Any, bool], ...]:
        """What the last `snapshot` looked at: (home, name in it, the object found, whether there was one). As long as each name still holds
        that very object, the snapshot is the same; the runtime's host code checks it so."""
        homes = [*self._dicts, *((cell, "") for cell in self._cells)]
        return tuple((home, name, value, value is not _GONE) for (home, name), value in zip(homes, self._held, strict=True))


def _text(source: Source) -> str:
    """The text, and what Python has made of annotations and defaults where the function was defined: a factory gives one text several."""
    fn = source.fn
    return f"{source.text}\n# {fn.__annotations__!r} {fn.__defaults__!r} {fn.__kwdefaults__!r}\n"


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _GONE


def _quoted(text: str) -> list[ast.AST]:
    """The nodes of an annotation that is written as a string."""
    try:
        return walk(ast.parse(text, mode="eval").body)
    except SyntaxError:
        return []


def closure(source: Source) -> Closure:
    """The captures of a function. Raises S002 where the text of one that it reaches cannot be found."""
    return Closure(source)
