"""What a kernel depends on beside its arguments: jit functions and compile-time values come in; a digest of all that
they reach goes out.

Two readers look at values. A kernel's text reads names, and attributes of modules, and takes what `expr.constant` takes
(`captured`). Python code that runs while a kernel is built (functions and methods of `avelang.constant`, annotations
that are strings) may read anything (`value`): its code, globals, cells, defaults, classes with their bases, and what
containers and arrays hold are followed. What cannot be followed to its end is a trouble with a name: such a kernel has
no key, and is built anew for each launch."""

from __future__ import annotations

import ast
import builtins
import ctypes
import functools
import hashlib
import os
import types
from collections.abc import Callable
from typing import Any

from avelang.base.lazy import numpys
from avelang.base.parsing import parse_expression
from avelang.frontend import bytecode, purity
from avelang.frontend.liveness import walk
from avelang.frontend.names import ANNOTATED, Builtin, Intrinsic, Layout, Namespace, Pointer, TensorMap
from avelang.frontend.source import FunctionSource, Jitted
from avelang.frontend.structs import EMPTY, Pure, StructClass, is_constant, is_constant_class
from avelang.ir.dtypes import DType

GONE: Any = object()
# (home, name in it, object found, whether there was one): home is a dict or a cell. Where the name is an int: (object,
# byte of it, the word there, True).
Watched = tuple[Any, Any, Any, bool]
UNKNOWN = "an object of type "
_MOST = 100_000  # values that one kernel reaches, at most
# How a value is read as Python code may: `pythons.py` fills it in.
PYTHON: dict[str, Callable[[Reach, Any], None]] = {}
_LANGUAGE = (DType, Layout, Pointer, TensorMap, Builtin, Intrinsic, Namespace)
# Code that uses these on a module may read any name of it.
_DYNAMIC = frozenset({"getattr", "hasattr", "attrgetter", "__dict__", "__getattribute__", "getattr_static",
                      "getmembers"})
_BEYOND = frozenset(
    f"__{n}__" for n in ("globals", "subclasses", "annotations", "annotate", "slots", "match_args", "orig_bases",
                         "dataclass_params", "type_params")
) | {"f_globals", "f_locals", "f_back", "gi_frame", "_getframe", "get_type_hints", "get_annotations", "_field_defaults",
     "hash", "co_firstlineno", "co_filename", "co_lines", "co_positions"}  # fmt: skip


def word(address: int) -> int:
    """The 8 bytes at an address."""
    return ctypes.c_uint64.from_address(address).value


class Reach:
    """One walk. `digest()` gives the key when all roots have been handed in; the attributes are complete then.

    `slots`: names and words that were read; while they hold the same objects, and `loose` is false, another walk gives
    the same. `trouble`: what cannot be keyed, "" for nothing. `texts`: the jit functions reached. `memories`: things
    that remember results, and must forget them before a kernel is built (`forget`)."""

    def __init__(self, portable: bool = False) -> None:
        """`portable`: files go by their names alone, so that the key is the same where they lie elsewhere."""
        self.portable = portable
        self.slots: list[Watched] = []
        self.loose = False
        self.trouble = ""
        self.texts: dict[FunctionSource, None] = {}
        self.memories: list[Any] = []
        self._sha = hashlib.sha256()
        self._seen: dict[tuple[int, Any], Any] = {}
        self._memo: dict[int, int] = {}
        self._kept: list[Any] = []
        self._count = 0
        self._dynamic = False
        # Modules that code may hand on, and whether Python code does; and all names of which it may ask attributes.
        self._escaped: dict[int, tuple[types.ModuleType, bool]] = {}
        self._names: set[str] = set()

    # -- what is put down ---------------------------------------------------------------------------------------------

    def say(self, *words: str) -> None:
        """Adds words to the digest."""
        for text in words:
            raw = text.encode("utf-8", "surrogatepass")
            self._sha.update(b"%d:" % len(raw) + raw)

    def refuse(self, what: str) -> None:
        """Notes that something has no key."""
        self.trouble = self.trouble or what
        self.say("?")

    def raw(self, data: bytes) -> None:
        """Adds bytes to the digest."""
        self._sha.update(b"%d:" % len(data) + data)

    def full(self) -> bool:
        """Counts a value; whether there are too many."""
        self._count += 1
        if self._count > _MOST:
            self.refuse(f"more than {_MOST} values")
        return self._count > _MOST

    def apart(self, v: Any, tell: Callable[[Reach, Any], None]) -> str:
        """The digest of a value by itself, for members of what has no order."""
        other = Reach(self.portable)
        tell(other, v)
        found = other.digest()
        self.slots += other.slots
        self.loose, self.trouble = self.loose or other.loose, self.trouble or other.trouble
        self.memories += other.memories
        self.texts.update(other.texts)
        return found

    def module(self, module: types.ModuleType, attrs: tuple[str, ...]) -> None:
        """A module that Python code has, and the attributes that follow."""
        self._chain(module, attrs, True)

    def digest(self) -> str:
        """The key, in hex: equal only where all that was reached is."""
        done: set[tuple[int, str]] = set()
        while True:
            open_ = [(m, deep, n) for m, deep in self._escaped.values() for n in sorted(self._names) if n in m.__dict__
                     and (id(m), n) not in done]
            if not open_:
                break
            for module, deep, name in open_:
                done.add((id(module), name))
                self.say("of", module.__name__, name)
                self._chain(self.slot(module.__dict__, name), (), deep)
        if self._dynamic and any(deep for _, deep in self._escaped.values()):
            module = next(m for m, deep in self._escaped.values() if deep)
            self.refuse(f"names of the module {module.__name__} that are found at run time")
        return self._sha.hexdigest()

    def slot(self, home: dict[str, Any] | types.CellType, name: str) -> Any:
        """The value of a name (GONE: none). It is watched."""
        if isinstance(home, dict):
            found = home.get(name, GONE)
        else:
            try:
                found, name = home.cell_contents, ""
            except ValueError:
                found, name = GONE, ""
        if (id(home), name) not in self._seen:
            self._seen[id(home), name] = home
            self.slots.append((home, name, found, found is not GONE))
        return found

    def word(self, thing: Any, at: int) -> None:
        """Watches 8 bytes of an object."""
        if (id(thing), at) not in self._seen:
            self._seen[id(thing), at] = thing
            self.slots.append((thing, at, word(id(thing) + at), True))

    def defined(self, fn: types.FunctionType, most: int = 6) -> None:
        """Watches what a definition has made of a function: code and both kinds of defaults, and then text and
        names."""
        places = _places()[:most]
        self.loose = self.loose or not places
        for at in places:
            self.word(fn, at)

    def kept(self, v: Any) -> bool:
        """True if a value was met before; it is said which one then."""
        number = self._memo.get(id(v))
        if number is not None:
            self.say("#", str(number))
            return True
        self._memo[id(v)] = len(self._memo)
        self._kept.append(v)
        return False

    # -- names --------------------------------------------------------------------------------------------------------

    def _chain(self, v: Any, attrs: tuple[str, ...], deep: bool, shown: str = "") -> None:
        """A value of a name, and the attributes that follow: modules are followed by name, anything else is taken as a
        whole. `shown`: the name."""
        while isinstance(v, types.ModuleType):
            self.say("module", v.__name__)
            whose = purity.of_module(v)
            if whose == purity.OURS:
                self.say(*attrs)
                return
            if not attrs:
                _, before = self._escaped.get(id(v), (v, False))
                self._escaped[id(v)] = (v, deep or before)
                return
            name, attrs = attrs[0], attrs[1:]
            shown = f"{shown}.{name}"
            if name == "__dict__" and deep:
                self.refuse(f"{v.__name__}.__dict__")
                return
            found = self.slot(v.__dict__, name)
            if found is GONE or type(v) is not types.ModuleType:
                found = self._made(v, name, whose)
            v = found
            self.say(name)
        if v is GONE:
            self.say("nothing")
        elif deep:
            before = self.trouble
            PYTHON["value"](self, v)
            if not before and self.trouble.startswith(UNKNOWN) and shown:
                self.trouble = f"{shown}, {self.trouble}"
        else:
            self.captured(v)

    def _made(self, module: types.ModuleType, name: str, whose: str) -> Any:
        """An attribute that a module makes when it is asked for it: by its `__getattr__`, or by a class of its own."""
        makers = [module.__dict__.get("__getattr__"), type(module) if type(module) is not types.ModuleType else None]
        if whose == purity.THEIRS:
            self.loose = self.loose or any(makers)
            for maker in makers:
                if maker is not None:
                    PYTHON["value"](self, maker)
        return getattr(module, name, GONE)

    def named(self, chain: tuple[str, ...], cells: dict[str, types.CellType], around: dict[str, Any],
              deep: bool) -> None:
        """A name as a function sees it: through its cells, globals and builtins."""
        name = chain[0]
        self.say("name", name)
        if name in cells:
            self._chain(self.slot(cells[name], name), chain[1:], deep, name)
            return
        found = self.slot(around, name)
        self._chain(builtins.__dict__.get(name, GONE) if found is GONE else found, chain[1:], deep, name)

    def asked(self, names: Any) -> None:
        """Notes names of which code may ask as attributes of a module that it was handed."""
        self._names.update(names)
        self._dynamic = self._dynamic or not _DYNAMIC.isdisjoint(names)

    def beyond(self, names: frozenset[str]) -> str:
        """The first of the names by which code gets at what no walk sees, or nothing."""
        return min(_BEYOND & names, default="")

    def _file(self, path: str) -> str:
        return os.path.basename(path) if self.portable else path

    # -- jit functions ------------------------------------------------------------------------------------------------

    def jit(self, source: FunctionSource) -> None:
        """A jit function: its text, what its definition made of annotations and defaults, and the names that it
        captures."""
        fn = source.fn
        self.say("jit", self._file(source.file), source.name, str(fn.__code__.co_firstlineno))
        if source in self.texts:
            return
        self.texts[source] = None
        if purity.place(source.file) == purity.OURS and not fn.__closure__:
            return
        self.say(source.text)
        self.defined(fn, 3)
        for name, given in fn.__annotations__.items():
            self.say(name)
            self.captured(given)
        for given in (*(fn.__defaults__ or ()), *(x for pair in (fn.__kwdefaults__ or {}).items() for x in pair)):
            self.captured(given)
        found = source.cache.get("reads")
        if found is None:
            found = source.cache["reads"] = _reads(source)
        names, chains = found
        self.asked(names)
        for chain, deep in chains:
            self.named(chain, source.cells, fn.__globals__, deep)

    def captured(self, v: Any) -> None:
        """A value that a kernel's text names, as `expr.constant` takes it. What that does not take cannot change a
        kernel."""
        kind = type(v)
        if v is None or kind in (bool, int, str):
            self.say(kind.__name__, repr(v))
        elif kind is float:
            self.say("float", v.hex())
        elif kind is tuple:
            self.say("(", str(len(v)))
            for x in v:
                self.captured(x)
        elif isinstance(v, numpys("generic")):
            self.say("numpy", v.dtype.str, repr(v.tobytes()))
        elif isinstance(v, Jitted):
            self.jit(v.source)
        elif isinstance(v, StructClass):
            self.struct(v)
        elif isinstance(v, types.ModuleType):
            self._chain(v, (), False)
        elif isinstance(v, _LANGUAGE):
            self.say(kind.__name__, repr(v))
        elif isinstance(v, ANNOTATED):
            self.captured((v.__origin__, v.__metadata__))  # type: ignore[attr-defined]
        elif isinstance(v, Pure) or is_constant(v) or is_constant_class(v) or _of_python(v):
            PYTHON["value"](self, v)
        else:
            name = getattr(v, "__qualname__",
                           "") if isinstance(v, (type, types.FunctionType, types.BuiltinFunctionType)) else ""
            self.say("object", kind.__module__, kind.__qualname__, str(getattr(v, "__module__", "")) if name else "",
                     str(name))

    def struct(self, cls: StructClass) -> None:
        """A struct: fields with what they want and their defaults, constants, and the texts of its functions."""
        self.say("struct", self._file(cls.span.file), cls.qualname, str(cls.span.line))
        if self.kept(cls):
            return
        for field in cls.fields.values():
            self.say(field.name)
            self.captured(field.wanted)
            self.captured(() if field.default is EMPTY else (field.default,))
        for name, held in cls.constants.items():
            self.say(name)
            self.captured(held)
        for name, member in cls.members.items():
            self.say(name, member.kind)
            self.jit(member.source)


@functools.cache
def _places() -> tuple[int, ...]:
    """The bytes of a function where code, both kinds of defaults, its text and its names stand; none where they are not
    found."""

    def probe(a: Any = word, *, b: Any = word) -> None:
        """Of words of its own."""

    wanted = (probe.__code__, probe.__defaults__, probe.__kwdefaults__, probe.__doc__, probe.__name__,
              probe.__qualname__)
    found = [[at for at in range(16, types.FunctionType.__basicsize__, 8) if word(id(probe) + at) == id(x)]
             for x in wanted]
    return tuple(places[0] for places in found) if all(len(p) == 1 for p in found) else ()


def _of_python(v: Any) -> bool:
    """True if a kernel that names `v` runs Python's code of its class: members of enums, and subclasses of numbers,
    strings and tuples."""
    import enum

    return isinstance(v, (int, float, str, tuple, enum.Enum)) or (isinstance(v, type) and issubclass(v, enum.Enum))


# -- what the text of a jit function reads ---------------------------------------------------------------------------


def _reads(source: FunctionSource) -> tuple[frozenset[str], list[tuple[tuple[str, ...], bool]]]:
    """All names in a text, and the captured ones with the attributes that follow, each with whether Python evaluates
    it."""
    tree, fn = source.tree, source.fn
    nodes = [n for statement in tree.body for n in walk(statement)]
    parameters = [n for n in walk(tree.args) if isinstance(n, ast.arg)]
    local = {n.arg for n in (*parameters, *nodes) if isinstance(n, ast.arg)}
    local |= {n.id for n in nodes if type(n) is ast.Name
              and type(n.ctx) is not ast.Load} | {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
    # A name that is local to one function inside may be a global of another.
    local -= {c[0] for c in bytecode.reads(fn.__code__).globals} | set(fn.__code__.co_freevars)
    inner = [n.annotation for n in nodes if isinstance(n, ast.arg) and n.annotation is not None]
    inner += [n.returns for n in nodes if isinstance(n, ast.FunctionDef) and n.returns is not None]
    quoted = [parse_expression(text) for text in _texts(fn.__annotations__)]
    chains: dict[tuple[tuple[str, ...], bool], None] = {}
    for held, deep in ((nodes, False), ([n for a in (*inner, *quoted) for n in _unquoted(a)], True)):
        bases = {id(n.value) for n in held if type(n) is ast.Attribute}
        for n in held:
            chain = _chain_of(n) if id(n) not in bases else ()
            if chain and chain[0] not in local:
                chains[chain, deep] = None
    names = {n.attr for n in nodes if type(n) is ast.Attribute} | {n.id for n in nodes if type(n) is ast.Name}
    return frozenset(names - _DYNAMIC), list(chains)


def _texts(annotations: dict[str, Any]) -> list[str]:
    found = []
    for given in annotations.values():
        if isinstance(given, str):
            try:
                parse_expression(given)
            except SyntaxError:
                continue
            found.append(given)
    return found


def _unquoted(node: ast.AST) -> list[ast.AST]:
    """The nodes of an annotation, those of strings in it among them."""
    found = walk(node)
    for n in found:
        if type(n) is ast.Constant and isinstance(n.value, str):
            try:
                found += walk(parse_expression(n.value))
            except SyntaxError:
                continue
    return found


def _chain_of(node: ast.AST) -> tuple[str, ...]:
    attrs: list[str] = []
    while type(node) is ast.Attribute:
        attrs.insert(0, node.attr)
        node = node.value
    return (node.id, *attrs) if type(node) is ast.Name else ()
