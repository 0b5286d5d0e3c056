"""Objects of structs, and compile-time objects: attributes, stores into fields, calls and operators come in, values and
inlined methods go out."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import inspect
import types
from typing import Any

from avelang.base.errors import SHIPPED, AveError, counted
from avelang.frontend import aliases, arith, inline, tensor_access
from avelang.frontend.constants import constant
from avelang.frontend.frame import MISSING, Frame
from avelang.frontend.names import Layout, Pointer, Tensor, TensorMap, constexpr
from avelang.frontend.operators import BINARY, COMPARE, UNARY, Operator
from avelang.frontend.signature import suggest
from avelang.frontend.structs import (
    ANY,
    EMPTY,
    Method,
    Object,
    Pure,
    StructClass,
    StructField,
    field_names,
    is_constant,
)
from avelang.frontend.values import Poison, Ref, Vec, describe, is_runtime
from avelang.ir.core import Value
from avelang.ir.types import MapType, PtrType

MERGE_HINT = "MERGE_HINT"  # a struct's constant: what to do about a field that two paths leave unlike

NAME_HINTS = "NAME_HINTS"  # a struct's constant: pairs of a name that it does not have and what to write instead

# -- making -----------------------------------------------------------------------------------------------------------


def construct(f: Frame, cls: StructClass, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Object:
    """`Window(view, row=0)`: a new object, its fields by position or by name. Raises T003, T060, T061, and of a field
    what an argument raises."""
    names = list(cls.fields)
    needed = [n for n, field in cls.fields.items() if field.default is EMPTY]
    want = f"{counted(len(names), 'field')} ({', '.join(names)})"
    if len(args) > len(names):
        f.fail("T003", node, callee=cls.name, want=want, got=len(args))
    given = dict(zip(names, args))  # noqa: B905 - fewer than fields
    for k, v in kwargs.items():
        if k not in cls.fields:
            f.fail("T060", node, callee=cls.name, name=k, shown=f"{cls.name}({', '.join(names)})")
        if k in given:
            f.fail("T061", node, callee=cls.name, name=k)
        given[k] = v
    if any(n not in given for n in needed):
        f.fail("T003", node, callee=cls.name, want=want, got=len(given))
    made = Object(cls, f.build.heap)
    for name, field in cls.fields.items():
        value = given[name] if name in given else _default(f, cls, field, node)
        made.heap.set(made.cells[name], _fitted(f, cls, field, value, node))
    if "__post_init__" in cls.members:
        method(f, made, "__post_init__", [], {}, node)
    return made


def _default(f: Frame, cls: StructClass, field: StructField, node: ast.AST) -> Any:
    value = constant(field.default)
    if value is MISSING:
        f.fail("T008", node, name=f"{cls.name}.{field.name}", kind=type(field.default).__name__)
    return value


def _fitted(f: Frame, cls: StructClass, field: StructField, value: Any, node: ast.AST) -> Any:
    """The value that a field holds when it is given one."""
    what = f"`{field.name}` of {cls.name}"
    if field.wanted is constexpr:
        if is_runtime(value):
            f.fail("T017", node, what=what, got=describe(value))
    elif field.wanted is not ANY and not (value is None and field.default is None):
        value = inline.fitted(f, field.wanted, value, what, node)
    value = tensor_access.read_name(f, value, node)
    if (cls, field.name) in f.build.known.stored:
        value = tensor_access.materialize(f, value, field.name)
    tensor_access.name_tensor(value, field.name)
    return value


# -- fields ----------------------------------------------------------------------------------------------------------


def attribute(f: Frame, base: Any, name: str, node: ast.AST) -> Any:
    """`base.name` of an object, a struct, a compile-time object or its class."""
    if isinstance(base, Object):
        return _of_object(f, base, name, node)
    return _of_class(f, base, name, node) if isinstance(base, StructClass) else _of_constant(f, base, name, node)


def _of_object(f: Frame, base: Object, name: str, node: ast.AST) -> Any:
    cell = base.cells.get(name)
    if cell is not None:
        value = base.heap.get(cell)
        if isinstance(value, Poison):
            f.fail(value.code, node, base.cls.constants.get(MERGE_HINT), name=cell.shown, why=value.why)
        return _at_home(value, (base.cls, name))
    member = base.cls.members.get(name)
    if member is None:
        return _of_class(f, base.cls, name, node)
    if member.kind == "property":
        return inline.call(f, Method(member.source, base), [], {}, node)
    return _of_class(f, base.cls, name, node) if member.kind in ("static", "class") else Method(member.source, base)


def _at_home(v: Any, home: tuple[StructClass, str]) -> Any:
    """A value read from a field; its vectors know that, in case that they are stored into
    (`tensor_access.stored_field`)."""
    if isinstance(v, Vec):
        return dataclasses.replace(v, home=home)
    if isinstance(v, tuple) and any(isinstance(x, (Vec, tuple)) for x in v) and not hasattr(v, "_fields"):
        return tuple(_at_home(x, home) for x in v)
    return v


def _of_class(f: Frame, cls: StructClass, name: str, node: ast.AST) -> Any:
    if name in cls.constants:
        value = constant(cls.constants[name])
        if value is MISSING:
            f.fail("T008", node, name=f"{cls.name}.{name}", kind=type(cls.constants[name]).__name__)
        return value
    if name == "__name__":
        return cls.name
    member = cls.members.get(name)
    if member is None or member.kind == "property":
        known = [n for n in (*cls.fields, *cls.members, *cls.constants) if not n.startswith("_")]
        known = [n for n in known if n not in (MERGE_HINT, NAME_HINTS)]
        told = dict(cls.constants.get(NAME_HINTS, ())).get(name)
        f.fail("T009", node, base=f"the struct {cls.name}", name=name,
               hint=told or suggest(name, known) or f"it has {', '.join(known)}")
    return Method(member.source, cls if member.kind == "class" else None)


def set_field(f: Frame, base: Object, name: str, value: Any, node: ast.AST) -> None:
    """`base.name = value`. Every name of the object sees it."""
    cls, cell = base.cls, base.cells[name]
    value = _fitted(f, cls, cls.fields[name], value, node)
    if _holds(value, base):
        f.fail("T092", node, cls=cls.name, name=name)
    base.heap.set(cell, value)
    aliases.stored(f.build, base, name, f.span(node))


def _holds(value: Any, v: Object) -> bool:
    if isinstance(value, tuple):
        return any(_holds(x, v) for x in value)
    return isinstance(value, Object) and (value is v or any(_holds(value.heap.get(c), v) for c in value.cells.values()))


# -- methods and operators -------------------------------------------------------------------------------------------


def method(f: Frame, base: Object, name: str, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """Calls a method by its name. Raises T095 where the struct has none."""
    member = base.cls.members.get(name)
    if member is None or member.kind != "method":
        told = dict(base.cls.constants.get(NAME_HINTS, ())).get(name)
        f.fail("T095", node, told, cls=base.cls.name, name=name)
    return inline.call(f, Method(member.source, base), args, kwargs, node)


def _has(v: Any, name: str) -> bool:
    return isinstance(v, Object) and name in v.cls.members


def binary(f: Frame, op: type[ast.AST], a: Any, b: Any, node: ast.AST) -> Any:
    """`a op b`; where one is an object: its `__add__`, or `__radd__` of the one on the right. Raises T023."""
    if not (isinstance(a, Object) or isinstance(b, Object)):
        return arith.binary(f, op, a, b, node)
    row = BINARY[op]
    found = _by_method(f, row, a, b, node)
    if found is MISSING:
        f.fail("T023", node, _define(row.method, a, b), op=row.text, a=describe(a), b=describe(b))
    return found


def _by_method(f: Frame, row: Operator, a: Any, b: Any, node: ast.AST) -> Any:
    """The result of the left operand's method, or of the right one's; MISSING where there is none."""
    if _has(a, f"__{row.method}__"):
        return method(f, a, f"__{row.method}__", [b], {}, node)
    return method(f, b, f"__{row.mirror}__", [a], {}, node) if _has(b, f"__{row.mirror}__") else MISSING


def _define(name: str, *operands: Any) -> str:
    first = next(v for v in operands if isinstance(v, Object))
    return f"define {first.cls.name}.__{name}__"


def compare(f: Frame, op: type[ast.AST], a: Any, b: Any, node: ast.AST) -> Any:
    """A comparison. `is` of an object and None is known at compile time; other objects are compared by `__eq__`. Raises
    T023."""
    if not (isinstance(a, Object) or isinstance(b, Object)):
        return arith.compare(f, op, a, b, node)
    row = COMPARE[op]
    if not row.method:
        if op in (ast.Is, ast.IsNot) and not (isinstance(a, Object) and isinstance(b, Object)):
            return op is ast.IsNot
        f.fail("T023", node, op=row.text, a=describe(a), b=describe(b))
    found = _by_method(f, row, a, b, node)
    if found is not MISSING:
        return found
    if op is ast.NotEq and (_has(a, "__eq__") or _has(b, "__eq__")):
        return arith.unary(f, ast.Not, compare(f, ast.Eq, a, b, node), node)
    f.fail("T023", node, _define(row.method, a, b), op=row.text, a=describe(a), b=describe(b))


def unary(f: Frame, op: type[ast.AST], v: Any, node: ast.AST) -> Any:
    """`-v`, `+v`, `~v`, `not v`. Of an object: raises T095 where it has no method, T028 for `not v`."""
    if op is ast.Not or not isinstance(v, Object):
        return arith.unary(f, op, v, node)
    return method(f, v, f"__{UNARY[op].method}__", [], {}, node)


def getitem(f: Frame, base: Any, index: Any, node: ast.AST) -> Any:
    """`base[index]` of an object; of a compile-time object, at compile time."""
    if isinstance(base, Object):
        return method(f, base, "__getitem__", [index], {}, node)
    if not hasattr(type(base), "__getitem__"):
        f.fail("T029", node, got=describe(base))
    return pure(f, Pure(lambda i: base[i], f"{type(base).__name__}.__getitem__"), [index], {}, node)


def setitem(f: Frame, base: Object, index: Any, value: Any, node: ast.AST) -> None:
    """`base[index] = value` of an object."""
    method(f, base, "__setitem__", [index, value], {}, node)


# -- compile-time objects --------------------------------------------------------------------------------------------


def _of_constant(f: Frame, base: Any, name: str, node: ast.AST) -> Any:
    """A field, a property or a function of a compile-time object or of its class."""
    cls = base if isinstance(base, type) else type(base)
    shown = cls.__name__
    if is_constant(base) and name in field_names(type(base)):
        return constant(getattr(base, name))
    if name.startswith("__") or not hasattr(base, name):
        own = isinstance(base, type) and name in getattr(base, "__dataclass_fields__", {})
        near = suggest(name, [n for n in dir(cls) if not n.startswith("_")])
        f.fail("T009", node, base=describe(base), name=name, hint=f"an instance of {shown} has it" if own else near)
    found = pure(f, Pure(lambda: getattr(base, name), f"{shown}.{name}"), [], {}, node, functions=True)
    return Pure(found, f"{shown}.{name}") if isinstance(found, (types.FunctionType, types.MethodType)) else found


_KNOWN = "known are literals, names of the module and parameters that are al.constexpr; a number of the launch is not"


def _run_time(callee: Any, args: list[Any], kwargs: dict[str, Any]) -> str:
    """A hint that names the first argument that is known at run time only."""
    with contextlib.suppress(TypeError, ValueError):
        given = inspect.signature(getattr(callee, "fn", callee)).bind(*args, **kwargs).arguments
        name, value = next((n, v) for n, v in given.items() if is_runtime(v))
        return f"`{name}` is {describe(value)}: {_KNOWN}"
    return _KNOWN


def pure(f: Frame, callee: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, functions: bool = False) -> Any:
    """A call that Python makes now: of a `Pure` function, or of the class of a compile-time object. Raises T064, T016,
    T094."""
    name = callee.name if isinstance(callee, Pure) else callee.__name__
    if any(map(is_runtime, (*args, *kwargs.values()))):
        ours = f.source.file.startswith(SHIPPED)
        f.fail("T064", node, _run_time(callee, args, kwargs), name=f.label if ours else name)
    try:
        found = callee(*args, **kwargs)
    except AveError as e:
        e.span = e.span or f.span(node)
        raise
    except Exception as e:  # whatever the user's function raises
        f.fail("T016", node, what=name, why=f"{type(e).__name__}: {e}")
    value = constant(found)
    known = not isinstance(value, types.FunctionType) or functions
    if functions and isinstance(found, types.MethodType):
        return found
    if value is MISSING or not known:
        f.fail("T094", node, name=name, got=f"a {type(found).__name__}")
    return value


# -- isinstance ------------------------------------------------------------------------------------------------------


def instance(f: Frame, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> bool:
    """`isinstance(value, class)` at compile time, of structs, `al.Tensor` (any tensor), `al.Layout` and Python's
    classes."""
    if len(args) != 2 or kwargs:
        f.fail("T003", node, callee="isinstance", want="2 arguments", got=len(args) + len(kwargs))
    value, wanted = args
    kinds = wanted if isinstance(wanted, tuple) else (wanted,)
    for kind in kinds:
        if not isinstance(kind, (type, StructClass)):
            f.fail("T022", node, what="the second argument of isinstance", got=describe(kind),
                   want="a class, or a tuple of classes")
    return any(_is(value, kind) for kind in kinds)


def _is(value: Any, kind: Any) -> bool:
    if isinstance(kind, StructClass):
        return isinstance(value, Object) and value.cls is kind
    if isinstance(value, (Vec, Ref)):
        return kind in (Tensor, Layout)
    if isinstance(value, Value):
        return kind is (TensorMap if isinstance(value.type, MapType) else Pointer if isinstance(value.type, PtrType)
                        else None)
    return not (is_runtime(value) and not isinstance(value, (tuple, Layout))) and isinstance(value, kind)
