"""Values of Python, as code that runs while a kernel is built may read them: a value comes in, a `Reach` is told all
that it holds.

`value` follows functions (code, globals, cells, defaults), classes (members, bases), objects and containers. What it
does not know it refuses by name."""

from __future__ import annotations

import abc
import collections
import copyreg
import dataclasses
import enum
import functools
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from avelang.base.lazy import numpys
from avelang.frontend import bytecode, purity
from avelang.frontend.names import Builtin, Intrinsic, Layout, Namespace, Pointer, TensorMap
from avelang.frontend.reach import PYTHON, UNKNOWN, Reach, word
from avelang.frontend.source import Jitted
from avelang.frontend.structs import MARK, Pure, StructClass, is_constant
from avelang.ir.dtypes import DType

# Members of a class that say nothing of what its code gives.
_IGNORED = frozenset(
    f"__{n}__"
    for n in (
        "dict", "weakref", "module", "qualname", "firstlineno", "static_attributes", "abstractmethods", "parameters",
        "orig_bases",
        "annotations", "slots", "annotate_func", "annotations_cache", "annotate", "dataclass_params", "match_args",
        "protocol_attrs", "slotnames",  # copyreg's note of a class whose instance was pickled
    )
) | {"_abc_impl", "_is_protocol", MARK, "_is_runtime_protocol", "__non_callable_proto_members__", "_field_defaults",
     "_fields_defaults"}  # fmt: skip
_FUNCTIONS = (types.FunctionType, property, staticmethod, classmethod, functools.cached_property)
_PAIRS = (dict, collections.OrderedDict, collections.Counter, collections.defaultdict, types.MappingProxyType)
_ROWS = (list, collections.deque, bytearray)
_DESCRIPTORS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType,
                types.GetSetDescriptorType,
                types.MemberDescriptorType)  # fmt: skip
_LRU: Any = type(functools.lru_cache(abs))


def value(r: Reach, v: Any) -> None:
    """Tells all that a value holds."""
    kind = type(v)
    if v is None or kind in (bool, int, str, bytes, complex) or v is Ellipsis or v is NotImplemented:
        r.say(kind.__name__, repr(v))
        return
    if kind is float:
        r.say("float", v.hex())
        return
    r.say(kind.__module__, kind.__qualname__)
    if r.kept(v) or r.full():
        return
    if isinstance(v, numpys("ndarray")):
        _array(r, v)
    elif isinstance(v, numpys("generic")):
        r.say(repr(v.dtype), repr(v.tobytes()))
    elif isinstance(v, (numpys("dtype"), numpys("ufunc"))):
        r.say(repr(v))
    elif "torch" in sys.modules and isinstance(v, (sys.modules["torch"].Tensor, sys.modules["torch"].dtype)):
        _tensor(r, v)
    else:
        next((tell for kinds, tell in _TELL if isinstance(v, kinds)), _object)(r, v)


def _several(r: Reach, items: Iterable[Any]) -> None:
    for x in items:
        value(r, x)


# -- functions -------------------------------------------------------------------------------------------------------


def _function(r: Reach, fn: types.FunctionType) -> None:
    whose = purity.of_function(fn)
    r.say(whose, str(fn.__module__), fn.__qualname__, fn.__name__, str(fn.__doc__) if whose == purity.THEIRS else "")
    if whose == purity.OURS:
        _several(r, (_contents(c) for c in fn.__closure__ or ()))
        return
    if fn.__code__.co_filename == functools.__file__ and hasattr(fn, "registry"):
        # functools.singledispatch: what is registered, not its own memory of choices.
        r.loose = True
        for kind, held in sorted(fn.registry.items(),
                                 key=lambda pair: (pair[0].__module__,
                                                   pair[0].__qualname__)):  # type: ignore[attr-defined]
            r.say(kind.__module__, kind.__qualname__)
            value(r, held)
        return
    if whose == purity.PURE:
        _installed(r, str(fn.__globals__.get("__name__")))
        if fn.__globals__.get("__name__") in ("dataclasses", "reprlib"):
            value(r, getattr(fn, "__wrapped__", None))  # a __repr__, and who is in it
        else:  # a library may have made it around one of the user's
            _several(r, (_contents(c) for c in fn.__closure__ or ()))
        return
    if whose == purity.IMPURE:
        r.refuse(f"{fn.__module__}.{fn.__qualname__}")
        return
    r.defined(fn)
    _code(r, fn.__code__)
    _several(r, fn.__defaults__ or ())
    for name, given in (fn.__kwdefaults__ or {}).items():
        r.say(name)
        value(r, given)
    if fn.__kwdefaults__ or set(fn.__dict__) - {"__wrapped__", "__isabstractmethod__"}:
        r.loose = True
    for name, given in fn.__dict__.items():
        r.say(name)
        value(r, given)
    _reads(r, fn)


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _reads(r: Reach, fn: types.FunctionType) -> None:
    """Notes the names that a function's code reads."""
    found = bytecode.reads(fn.__code__)
    beyond = r.beyond(found.names - ({"hash"} if fn.__name__ == "__hash__" else set()))
    if beyond:
        r.refuse(f"{beyond} (in {fn.__qualname__})")
    r.asked(found.names)
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    for chain in found.globals:
        r.named(chain, {}, fn.__globals__, True)
    for chain in found.cells:
        if chain[0] in cells:  # else a local name of a function around one inside
            r.named(chain, cells, fn.__globals__, True)
    for name, level, taken in found.imports:
        _import(r, fn, name, level, taken)


def _import(r: Reach, fn: types.FunctionType, name: str, level: int, taken: tuple[str, ...]) -> None:
    """An `import` inside of a function: the build makes it anyway."""
    import importlib

    try:
        package = fn.__globals__.get("__package__") or ""
        module = importlib.import_module("." * level + name, package or None)
    except Exception:  # whatever a module's text does
        r.refuse(f"the module {name} (imported in {fn.__qualname__})")
        return
    chains = [(name,) for name in taken] or [()]
    top = module if taken or "." not in name else sys.modules.get(name.partition(".")[0], module)
    for attrs in chains:
        r.module(module, attrs)
    if top is not module:
        r.module(top, ())


def _code(r: Reach, code: types.CodeType) -> None:
    r.say(code.co_code.hex(), repr(code.co_names), repr(code.co_varnames), repr(code.co_freevars),
          repr(code.co_cellvars), str(code.co_flags))
    r.say(str(code.co_argcount), str(code.co_kwonlyargcount), str(code.co_posonlyargcount),
          getattr(code, "co_exceptiontable", b"").hex())
    for x in code.co_consts:
        if isinstance(x, types.CodeType):
            _code(r, x)
        else:
            r.say(type(x).__name__, repr(sorted(x, key=repr)) if isinstance(x, frozenset) else repr(x))


def _builtin(r: Reach, fn: Any) -> None:
    """A function written in C: of a module, or of an object that it is bound to."""
    owner = getattr(fn, "__self__", None)
    if owner is not None and not isinstance(owner, (types.ModuleType, type)):
        r.say(fn.__name__)
        value(r, owner)
        return
    module = fn.__module__ or (owner.__module__ if isinstance(owner, type) else getattr(owner, "__name__", None))
    name = fn.__qualname__
    r.say(str(module), name)
    if purity.known(module, name.rpartition(".")[2]):
        _installed(r, module)
    else:
        r.refuse(f"{module}.{name}")


def _installed(r: Reach, module: str | None) -> None:
    """The version of what is installed, and what it computes by: the context of `decimal`."""
    if module in ("decimal", "_decimal", "_pydecimal"):
        c = sys.modules["decimal"].getcontext()
        r.say(repr((c.prec, c.rounding, c.Emin, c.Emax, c.capitals, c.clamp,
                    sorted(t.__name__ for t, on in c.traps.items() if on))))
        r.loose = True
    top = sys.modules.get((module or "").partition(".")[0])
    r.say(str(getattr(top, "__version__", "")) or sys.version)


def _memory(r: Reach, fn: Any) -> None:
    """A function that functools.lru_cache or functools.cache wraps."""
    r.memories.append(fn)
    value(r, fn.__wrapped__)


def _partial(r: Reach, v: Any) -> None:
    r.loose = r.loose or bool(v.keywords) or type(v) is not functools.partial
    value(r, v.func)
    value(r, v.args)
    _pairs(r, v.keywords)


def _pure(r: Reach, v: Pure) -> None:
    r.say(v.name)
    value(r, v.fn)


def _property(r: Reach, v: property) -> None:
    _several(r, (v.fget, v.fset, v.fdel))


def _cached(r: Reach, v: Any) -> None:
    r.say(str(v.attrname))
    value(r, v.func)


def _method(r: Reach, v: types.MethodType) -> None:
    value(r, v.__func__)
    value(r, v.__self__)


def _descriptor(r: Reach, v: Any) -> None:
    r.say(v.__name__)
    owner = v.__objclass__
    if purity.of_class(owner) == purity.IMPURE:
        r.refuse(f"{owner.__module__}.{owner.__qualname__}.{v.__name__}")


# -- containers ------------------------------------------------------------------------------------------------------


def _pairs(r: Reach, v: Any) -> None:
    r.say(str(len(v)))
    for key, held in list(v.items()):
        value(r, key)
        value(r, held)


def _mutable(tell: Callable[[Reach, Any], None]) -> Callable[[Reach, Any], None]:
    def told(r: Reach, v: Any) -> None:
        r.loose = True
        tell(r, v)
        if type(v) not in (*_PAIRS, *_ROWS, set):
            _own(r, v)

    return told


def _rows(r: Reach, v: Any) -> None:
    r.say(str(len(v)), str(getattr(v, "maxlen", "")))
    _several(r, list(v))


def _tuple(r: Reach, v: tuple[Any, ...]) -> None:
    _rows(r, v)
    if type(v) is not tuple:
        _own(r, v)


def _set(r: Reach, v: Any) -> None:
    """The members in the order in which they come here: code may run through them, and of strings it is another one in
    another process."""
    r.loose = r.loose or not isinstance(v, frozenset)
    r.say(*(r.apart(x, value) for x in v))
    if type(v) not in (set, frozenset):
        _own(r, v)


def _defaults(r: Reach, v: Any) -> None:
    value(r, v.default_factory)
    _pairs(r, v)


def _array(r: Reach, v: Any) -> None:
    r.loose = True
    r.say(repr(v.dtype), repr(v.shape))
    if v.dtype.hasobject:
        _several(r, v.ravel().tolist())
    else:
        r.raw(v.tobytes())
    if type(v) is not numpys("ndarray"):
        _own(r, v)


def _tensor(r: Reach, v: Any) -> None:
    torch = sys.modules["torch"]
    if isinstance(v, torch.dtype):
        r.say(str(v))
        return
    r.loose = True
    if type(v) not in (torch.Tensor, torch.nn.Parameter) or v.layout is not torch.strided:
        r.refuse(f"a tensor of type {type(v).__qualname__}")
        return
    r.say(str(v.dtype), str(v.device), repr(tuple(v.shape)))
    held = v.detach().resolve_conj().resolve_neg().cpu().contiguous()
    r.raw(held.reshape(-1).view(torch.uint8).numpy().tobytes() if v.numel() else b"")


# -- classes and objects ---------------------------------------------------------------------------------------------


def _class(r: Reach, cls: type) -> None:
    whose = purity.of_class(cls)
    r.say(whose, cls.__module__, cls.__qualname__)
    if whose == purity.OURS:
        return
    if whose == purity.PURE:
        _installed(r, cls.__module__)
        for name, held in list(cls.__dict__.items()):  # what the user has put there
            if isinstance(held, types.FunctionType) and purity.of_function(held) == purity.THEIRS:
                r.say(name)
                value(r, held)
                r.loose = True
        return
    if whose == purity.IMPURE:
        r.refuse(f"{cls.__module__}.{cls.__qualname__}")
        return
    _watch_class(r, cls)
    _several(r, cls.__bases__)
    value(r, type(cls))
    members = dict(cls.__dict__)
    if isinstance(cls, abc.ABCMeta) and "_abc_impl" in members:  # classes that count as its own, by `register`
        known = (held() for held in abc._get_dump(cls)[0])  # type: ignore[attr-defined]
        r.say(*sorted(f"{c.__module__}.{c.__qualname__}" for c in known if c is not None))
        r.loose = True
    if issubclass(cls, enum.Enum):
        for name, member in cls.__members__.items():
            r.say(name)
            value(r, member)
        members = {n: x for n, x in members.items() if isinstance(x, _FUNCTIONS) and not n.startswith("_generate_next")}
    for name in sorted(members):
        if name not in _IGNORED:
            r.say(name)
            _member(r, name, members[name])


def _member(r: Reach, name: str, held: Any) -> None:
    if isinstance(held, (types.MemberDescriptorType, types.GetSetDescriptorType)):
        r.say(held.__name__)
    elif type(held).__name__ == "_tuplegetter":  # of named tuples: which item a name is
        r.say(repr(held.__reduce__()[1][0]))
    elif name == "__dataclass_fields__":
        for f in held.values():
            r.say(f.name, repr((f.init, f.repr, f.hash, f.compare, getattr(f, "kw_only", None) is True)))
            _several(r, (f.default, f.default_factory))
    else:
        value(r, held)


def _enum(r: Reach, v: enum.Enum) -> None:
    r.say(str(v.name))
    value(r, v.value)
    own = {n: x for n, x in vars(v).items() if n not in ("_value_", "_name_", "__objclass__", "_sort_order_")}
    if own:
        _pairs(r, own)
        r.loose = True
    value(r, type(v))


def _object(r: Reach, v: Any) -> None:
    """An object of some class: what its class is, and what it holds."""
    cls = type(v)
    whose = purity.of_class(cls)
    if isinstance(v, (DType, Layout, Pointer, TensorMap, Builtin, Intrinsic, Namespace)) or v is dataclasses.MISSING:
        r.say(repr(v) if v is not dataclasses.MISSING else "MISSING")
    elif whose == purity.OURS:
        if is_constant(v):
            _constant(r, v)
        else:
            _state(r, v)
    elif whose == purity.THEIRS:
        value(r, cls)
        strange = [b for b in cls.__mro__ if b is not object and purity.of_class(b) == purity.IMPURE]
        if strange or not _plain(cls):
            _reduced(r, v)
        elif is_constant(v):
            _constant(r, v)
        else:
            _state(r, v)
    elif whose == purity.PURE and callable(v) and isinstance(getattr(v, "__qualname__", None), str):
        _builtin(r, v)  # a function of another kind, as NumPy has
    elif whose == purity.PURE or cls.__module__ in purity.VALUES:
        if whose == purity.PURE:
            _installed(r, cls.__module__)
        _reduced(r, v)
    else:
        r.refuse(f"{UNKNOWN}{cls.__module__}.{cls.__qualname__}")


def _plain(cls: type) -> bool:
    """True if Python's own attributes are all that objects of a class hold."""
    if "torch" in cls.__module__.split("."):
        return False
    bases = [b for b in cls.__mro__ if b is not object and not issubclass(b, BaseException)]
    return all(purity.of_class(b) == purity.THEIRS
               or b.__module__ in ("abc", "typing", "collections.abc", "contextlib", "enum") for b in bases)


def _constant(r: Reach, v: Any) -> None:
    """A compile-time object: frozen, but for results that cached properties keep in it."""
    cached = [n for b in type(v).__mro__ for n, x in b.__dict__.items() if isinstance(x, functools.cached_property)]
    if cached and purity.of_class(type(v)) != purity.OURS:
        r.memories.append((v, cached))
    for f in dataclasses.fields(v):
        r.say(f.name)
        value(r, getattr(v, f.name))


def _own(r: Reach, v: Any) -> None:
    """Of an object whose contents have been told: its class, and attributes beside these."""
    if purity.of_class(type(v)) == purity.THEIRS:
        value(r, type(v))
        if getattr(v, "__dict__", None) or _slots(type(v)):
            _state(r, v)


def _slots(cls: type) -> list[str]:
    return [n for b in cls.__mro__ for n,
            x in b.__dict__.items() if isinstance(x, types.MemberDescriptorType) and purity.of_class(b) != purity.PURE]


def _state(r: Reach, v: Any) -> None:
    r.loose = True
    for name, held in list(getattr(v, "__dict__", {}).items()):
        r.say(name)
        value(r, held)
    for name in _slots(type(v)):
        if hasattr(v, name):
            r.say(name)
            value(r, getattr(v, name))
    if isinstance(v, BaseException):
        value(r, v.args)


_EXACT: dict[type, Callable[[Any], Any]] = {int: int.__pos__, float: float.__pos__, complex: complex.__pos__,
                                            str: str.__str__, bytes: lambda v: v[:]}


def _number(r: Reach, v: Any) -> None:
    """An object of a subclass of a number or a string."""
    base = next(b for b in _EXACT if isinstance(v, b))
    r.say(base.__name__, repr(_EXACT[base](v)))
    _own(r, v)


def _reduced(r: Reach, v: Any) -> None:
    """An object by pickle's protocol: the call that makes it again."""
    r.loose = True
    reduce = copyreg.dispatch_table.get(type(v))
    try:
        told = reduce(v) if reduce is not None else v.__reduce_ex__(4)
    except Exception:  # what has no such form: iterators, files, locks
        told = None
    if not isinstance(told, tuple) or isinstance(v, Iterator):
        r.refuse(f"{UNKNOWN}{type(v).__module__}.{type(v).__qualname__}")
        return
    part: Any
    for i, part in enumerate(told):
        if i == 0 and getattr(part, "__module__", None) in purity.VALUES | {"copyreg", "re", "copy"}:
            r.say(str(part.__module__), str(getattr(part, "__qualname__", "")))
        elif isinstance(part, tuple) and any(x is type(v) for x in part):
            _several(r, (x for x in part if x is not type(v)))
        else:
            value(r, list(part) if isinstance(part, Iterator) else part)


# -- words that are watched ------------------------------------------------------------------------------------------


def _tag(cls: type, at: int) -> int:
    getattr(cls, "ave_tag", None)  # a look-up gives a class its tag
    return word(id(cls) + at) & 0xFFFF_FFFF


@functools.cache
def _tag_place() -> int:
    """The byte of a class where its version stands, which each change to it or to a base makes another; 0 where it is
    not found."""
    base = type("A", (), {"x": 1})
    child = type("B", (base,), {})
    changes: list[Callable[[], Any]] = [
        lambda: setattr(base, "x", 2), lambda: setattr(base, "y", 2), lambda: delattr(base, "y"),
        lambda: setattr(child, "x", 3),
        lambda: delattr(child, "x"), lambda: setattr(base, "x", 1),
    ]  # fmt: skip
    size: Any = type.__basicsize__
    found = set(range(16, size, 8))
    seen: dict[int, list[int]] = {at: [_tag(child, at)] for at in found}
    for change in changes:
        change()
        for at in found:
            seen[at].append(word(id(child) + at) & 0xFFFF_FFFF)
        for at in found:
            seen[at].append(_tag(child, at))
    good = [at for at, words in seen.items() if words[0] and _moves(words)]
    return good[0] if len(good) == 1 else 0


def _moves(words: list[int]) -> bool:
    """True if each change shows before the next look-up, and all tags differ."""
    tags = words[0::2]
    return len(set(tags)) == len(tags) and all(tags) and all(b != a for a, b in zip(tags, words[1::2], strict=False))


def _watch_class(r: Reach, cls: type) -> None:
    at = _tag_place()
    if at and _tag(cls, at):
        r.word(cls, at)
    else:
        r.loose = True


def forget(memories: Iterable[Any]) -> None:
    """Makes what remembers results compute them anew: they may be of before a change that Python's own memory does not
    see."""
    for held in memories:
        if isinstance(held, tuple):
            thing, names = held
            for name in names:
                getattr(thing, "__dict__", {}).pop(name, None)
        else:
            held.cache_clear()


_TELL: tuple[tuple[Any, Callable[[Reach, Any], None]], ...] = (
    (Jitted, lambda r, v: r.jit(v.source)),
    (StructClass, lambda r, v: r.struct(v)),
    (Pure, _pure),
    (types.ModuleType, lambda r, v: r.module(v, ())),
    (types.FunctionType, _function),
    (types.MethodType, _method),
    (types.BuiltinFunctionType, _builtin),
    (types.MethodWrapperType, lambda r,
     v: (r.say(v.__name__), value(r, v.__self__))),  # type: ignore[func-returns-value]
    (_DESCRIPTORS, _descriptor),
    (types.CodeType, _code),
    (types.CellType, lambda r, v: value(r, r.slot(v, ""))),
    (_LRU, _memory),
    (functools.partial, _partial),
    (property, _property),
    ((staticmethod, classmethod), lambda r, v: value(r, v.__func__)),
    (functools.cached_property, _cached),
    (enum.Enum, _enum),
    (type, _class),
    (collections.defaultdict, _mutable(_defaults)),
    (_PAIRS, _mutable(_pairs)),
    (_ROWS, _mutable(_rows)),
    ((set, frozenset), _set),
    (tuple, _tuple),
    ((int, float, str, bytes, complex), _number),
    ((range, slice), lambda r, v: r.say(repr(v))),
    (types.SimpleNamespace, lambda r,
     v: (_pairs(r, vars(v)), r.__setattr__("loose", True))),  # type: ignore[func-returns-value]
)  # fmt: skip
PYTHON["value"] = value
