"""The user's own types in a kernel: a Python class comes in (`avelang.struct`, `avelang.constant`); its fields, methods
and key go out.

An instance of a struct is an `Object`: a name for a row of cells. What the cells hold is in the heap of the build, in
layers like names, so that what a branch or a loop changes can be told (`merge.py`)."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
import types
from collections.abc import Mapping
from typing import Any, NoReturn

from avelang.base.errors import AveError, error
from avelang.base.spans import Span
from avelang.frontend.names import Pointer, Tensor, TensorMap, annotated, constexpr
from avelang.frontend.operators import METHODS
from avelang.frontend.source import FunctionSource, Named
from avelang.ir.dtypes import DType

EMPTY: Any = inspect.Parameter.empty
# The annotation of a field that may hold anything.
ANY: Any = Ellipsis
_HOLD = "a struct has no base classes: hold the other one in a field"
# What marks a class whose instances are compile-time values. It counts where it stands, not in subclasses.
MARK = "__ave_constant__"

OPERATORS = METHODS | {f"__{n}__" for n in ("getitem", "setitem", "call", "len", "post_init")}
# What every class has, or what says nothing about its instances.
_IGNORED = frozenset(
    f"__{n}__" for n in ("module", "qualname", "doc", "dict", "weakref", "annotations", "static_attributes",
                         "firstlineno", "match_args", "hash")
)


@dataclasses.dataclass(frozen=True, slots=True)
class StructField:
    """A field: `wanted` is its annotation (ANY: anything), `default` is EMPTY where there is none."""

    name: str
    wanted: Any
    default: Any = EMPTY


@dataclasses.dataclass(frozen=True, slots=True)
class StructMember:
    """A function of a struct; `kind`: "method", "property", "class" or "static"."""

    kind: str
    source: FunctionSource


def _means(wanted: Any) -> bool:
    """True if an annotation says something about a field."""
    if isinstance(wanted, tuple):
        return all(map(_means, wanted))
    if isinstance(wanted, DType):
        return wanted.kind != "void"
    return wanted in (ANY, constexpr, Tensor) or isinstance(wanted, (Pointer, Tensor, TensorMap, StructClass))


class StructClass(Named):
    """A struct: the class that `@avelang.struct` was given, as the frontend sees it. `visible`: the names around the
    class, for annotations that are strings.

    Raises S004 at `span` for what a struct cannot have, T005 and T006 for annotations.
    """

    def __init__(self, cls: type, span: Span, visible: Mapping[str, Any]):
        self.name, self.qualname, self.span = cls.__name__, cls.__qualname__, span
        self.__name__, self.__qualname__ = cls.__name__, cls.__qualname__
        self.__module__, self.__doc__ = cls.__module__, cls.__doc__
        self.fields: dict[str, StructField] = {}
        self.members: dict[str, StructMember] = {}
        self.constants: dict[str, Any] = {}
        if cls.__bases__ != (object,):
            self._refuse(f"it inherits from {cls.__bases__[0].__name__}", _HOLD)
        held = dict(cls.__dict__)
        for name, wanted in held.get("__annotations__", {}).items():
            self._field(name, wanted, held.pop(name, EMPTY), visible)
        for name, value in held.items():
            if name not in _IGNORED:
                self._member(name, value, visible)
        if not self.fields:
            self._refuse("it has no fields", "a field is a name with an annotation: row: al.u32, view: ...")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> NoReturn:
        """Python asks for it where a class has this struct as its base. Raises S004 there."""
        caller = sys._getframe(1)
        raise error("S004", Span(caller.f_code.co_filename, caller.f_lineno), _HOLD,
                    name=f"class ...({self.name})", why=f"it inherits from {self.name}")

    def _refuse(self, why: str, hint: str) -> NoReturn:
        raise error("S004", self.span, hint, name=self.name, why=why)

    def _field(self, name: str, wanted: Any, default: Any, visible: Mapping[str, Any]) -> None:
        if name.startswith("__"):
            self._refuse(f"a field cannot be called {name}", "names with two underscores in front belong to Python")
        while isinstance(wanted, str):  # a quoted name is quoted twice under `from __future__ import annotations`
            wanted = self._evaluated(name, wanted, visible)
        wanted = ANY if wanted is object or wanted is Any else annotated(wanted)
        if not _means(wanted):
            hint = ("use a dtype, al.Pointer(dtype), al.Tensor(...), al.TensorMap(...), a struct, al.constexpr, or "
                    "`...` for anything")
            self._refuse(f"the field {name!r} has the annotation {wanted!r}", hint)
        if isinstance(default, dataclasses.Field):
            self._refuse(f"the default of {name!r} is made by dataclasses.field", "write the default itself")
        self.fields[name] = StructField(name, wanted, default)

    def _evaluated(self, name: str, text: str, visible: Mapping[str, Any]) -> Any:
        try:
            return eval(text, {**visible, self.name: self})
        except NameError as e:
            raise error("T005", self.span, name=e.name, param=name) from None
        except AveError as e:
            e.span = e.span or self.span
            raise
        except Exception as e:  # whatever the user's expression raises
            raise error("T006", self.span, param=name, why=f"{type(e).__name__}: {e}") from None

    def _member(self, name: str, value: Any, visible: Mapping[str, Any]) -> None:
        kinds = {types.FunctionType: "method", property: "property", classmethod: "class", staticmethod: "static"}
        kind = kinds.get(type(value))
        if kind is None:
            if name.startswith("__"):
                self._refuse(f"it sets {name}", "names with two underscores in front belong to Python")
            self.constants[name] = value
            return
        if kind == "property" and value.fset is not None:
            self._refuse(f"the property {name!r} has a setter", "write a method")
        fn = value.fget if kind == "property" else value if kind == "method" else value.__func__
        if not isinstance(fn, types.FunctionType) or fn.__name__ == "<lambda>":
            self._refuse(f"{name!r} is no plain Python function",
                         "methods are functions defined with `def` in the class")
        if name.startswith("__") and name not in OPERATORS:
            hint = "fields are set by position or by name; __post_init__(self) runs afterwards"
            hint = hint if name == "__init__" else "write a method"
            self._refuse(f"it defines {name}", hint)
        source = FunctionSource(fn, around=visible)
        source.label = f"{self.name}.{name}"
        self.members[name] = StructMember(kind, source)

    @property
    def sources(self) -> tuple[FunctionSource, ...]:
        """The functions of the class."""
        return tuple(m.source for m in self.members.values())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise error("T004", name=self.name)

    def __repr__(self) -> str:
        return f"<struct {self.qualname}>"


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class FieldCell:
    """The storage of one field of one object: a key of the heap."""

    object: Object
    field: str

    @property
    def shown(self) -> str:
        """The field as messages name it."""
        return f"{self.object.cls.name}.{self.field}"

    def __repr__(self) -> str:
        return self.shown


class Object:
    """An instance of a struct while a kernel is built. `heap` holds the values of its cells; `aliases`: objects that
    may be this very one, where control flow has chosen among several."""

    __slots__ = ("aliases", "cells", "cls", "heap")

    def __init__(self, cls: StructClass, heap: Any):
        self.cls, self.heap = cls, heap
        self.cells = {name: FieldCell(self, name) for name in cls.fields}
        self.aliases: set[Object] = set()

    def __repr__(self) -> str:
        return f"a struct {self.cls.name}"


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class Snapshot:
    """An object with what its fields hold at the end of a region."""

    object: Object
    values: tuple[Any, ...]

    def __repr__(self) -> str:
        return repr(self.object)


@dataclasses.dataclass(slots=True, frozen=True, repr=False)
class Method:
    """A function of a struct, with what it is called on: an object, the struct (of a class method), or nothing."""

    source: FunctionSource
    object: Object | StructClass | None

    def __repr__(self) -> str:
        return f"the method {self.source.label}"


class Pure(Named):
    """A Python function that is called while a kernel is built, on compile-time values; outside kernels it is the
    function itself."""

    def __init__(self, fn: Any, name: str):
        self.fn, self.name = fn, name
        self.__name__, self.__doc__, self.__wrapped__ = name, getattr(fn, "__doc__", None), fn
        self.__module__, self.__qualname__ = str(getattr(fn, "__module__", "")), getattr(fn, "__qualname__", name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*args, **kwargs)

    def __repr__(self) -> str:
        return f"the function {self.name}"


def constant(target: Any, span: Span) -> Any:
    """Marks a frozen dataclass, or wraps a function. Raises S005 for anything else."""
    if isinstance(target, types.FunctionType):
        return Pure(target, target.__name__)
    name = getattr(target, "__name__", repr(target))
    params = getattr(target, "__dataclass_params__",
                     None) if isinstance(target, type) and "__dataclass_fields__" in target.__dict__ else None
    if params is None or not params.frozen:
        why = "it is not frozen" if params is not None else "it is neither a function nor a frozen dataclass"
        raise error("S005", span, name=name, why=why)
    setattr(target, MARK, True)
    return target


def is_constant(v: Any) -> bool:
    """True if `v` is an instance of a class marked by `avelang.constant`."""
    return MARK in type(v).__dict__


def is_constant_class(v: Any) -> bool:
    """True if `v` is a class marked by `avelang.constant`."""
    return isinstance(v, type) and MARK in v.__dict__


@functools.cache
def field_names(cls: type) -> tuple[str, ...]:
    """The names of the fields of a class that is marked by `avelang.constant`."""
    return tuple(f.name for f in dataclasses.fields(cls))


def values_of(v: Any) -> dict[str, Any]:
    """The fields of a constant, by name."""
    return {name: getattr(v, name) for name in field_names(type(v))}
