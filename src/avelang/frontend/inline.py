"""Device functions: a call with its arguments comes in; the callee's statements are built in place, and what it returns
goes out."""

from __future__ import annotations

import ast
import functools
import inspect
from typing import Any, NoReturn

from avelang.base.errors import counted
from avelang.frontend import foreign_names, shapes, tensor_access
from avelang.frontend.blocks import block
from avelang.frontend.constants import constant
from avelang.frontend.frame import MISSING, Frame
from avelang.frontend.merge import RESULT, RETURNED
from avelang.frontend.names import DYNAMIC, Pointer, Signals, Tensor, TensorMap, constexpr
from avelang.frontend.signature import annotation, defaults, evaluate, parameters
from avelang.frontend.source import Jitted
from avelang.frontend.storage import changed_names
from avelang.frontend.structs import Method, Object, StructClass
from avelang.frontend.values import LocalFn, Ref, SignalRef, Vec, describe, is_number, is_runtime
from avelang.ir.core import Value
from avelang.ir.dtypes import DType
from avelang.ir.types import PtrType

# How many functions of one text may be building one another.
MOST_ALIKE = 100
_VECTORS = (
    "leave the annotation out: `map` and others give a function the elements that a lane holds as one vector, and "
    "arithmetic is element by element"
)


def call(f: Frame, callee: Jitted | LocalFn | Method, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """Builds the callee in place of its call. A method gets the object that it is called on as its first argument."""
    if isinstance(callee, LocalFn):
        source, definition, parent = callee.frame.source, callee.node, callee.frame
    else:
        source, definition, parent = callee.source, callee.source.tree, None
    inner = Frame(f.build, source, definition, parent, f.span(node))
    if isinstance(callee, Method) and callee.object is not None:
        inner.receiver = callee.object
        if isinstance(callee.object, Object):
            f.build.known.owners[definition] = callee.object.cls
        args = [callee.object, *args]
    # Of a nested function that is defined again, each is one of its own.
    which = callee if isinstance(callee, LocalFn) else definition
    if _endless(which, inner):
        f.fail("T072", node, name=inner.label)
    inner.in_memory = changed_names(source, definition, f.build.known)
    given = _bound(f, inner, callee.defaults if isinstance(callee, LocalFn) else None, args, kwargs, node)
    f.build.active.append((which, inner))
    try:
        for arg in parameters(definition, inner.span):
            _enter(f, inner, arg, given[arg.arg], node)
        result = _annotation(inner, definition.returns, "return") if definition.returns is not None else MISSING
        inner.returned = functools.partial(_returned, inner, result)
        block(inner, definition.body, frozenset(), tail=True)
    finally:
        f.build.active.pop()
    f.at(node)
    return _result(inner, result, node)


def _endless(which: object, inner: Frame) -> bool:
    """True if a function that is being built is called again in a way that may never end. Two ways end: by a function
    that was handed in from outside (its text is in another function, which is not built again), and on an object that
    is a part of the one it is being called on. Functions that make one another anew are counted."""
    active = inner.build.active
    if sum(frame.node is inner.node for _, frame in active) > MOST_ALIKE:
        return True
    last = next((i for i in range(len(active) - 1, -1, -1) if active[i][0] is which), None)
    if last is None:
        return False
    frames = [frame for _, frame in active]
    handed_in = any(frame.parent in frames[:last] for frame in frames[last + 1 :] if frame.parent is not None)
    return not handed_in and not _part_of(inner.receiver, frames[last].receiver)


def _part_of(part: Any, whole: Any) -> bool:
    """True if an object is held by a field of another, or by a field of what that holds."""
    if isinstance(whole, tuple):
        return any(part is x or _part_of(part, x) for x in whole)
    if part is None or not isinstance(whole, Object):
        return False
    held = tuple(whole.heap.get(c) for c in whole.cells.values())
    return _part_of(part, held)


def _bound(f: Frame, inner: Frame, local: dict[str, Any] | None, args: list[Any], kwargs: dict[str, Any],
           node: ast.AST) -> dict[str, Any]:  # fmt: skip
    """Arguments by parameter name, defaults filled in: `local` are those of a nested function."""
    spec, name = inner.node.args, inner.label
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    names = [a.arg for a in parameters(inner.node, inner.span)]
    required = {*names} - {a.arg for a, _ in defaults(spec)}
    # Who calls a method does not give it its object.
    own = int(inner.receiver is not None)

    def miscounted(got: int) -> NoReturn:
        want = counted(len(names) - own, "argument") + (f" ({', '.join(names[own:])})" if names[own:] else "")
        absent = [n for n in names[own:] if n not in given and n in required]
        hint = f"{' and '.join(f'`{n}`' for n in absent)} {'is' if len(absent) == 1 else 'are'} missing" * bool(absent)
        if name == "arange" and got > len(names) - own:
            hint = "a step multiplies: tile.arange(32) * 2"
        f.fail("T003", node, hint or None, callee=name, want=want, got=got)

    given = dict(zip(positional, args))  # noqa: B905 - fewer arguments than parameters
    if len(args) > len(positional):
        miscounted(len(args) - own)
    for k, v in kwargs.items():
        if k not in names:
            shown, theirs = f"{name}({', '.join(names[own:])})", foreign_names.parameter(k, names)
            f.fail("T060", node, theirs and f"it is {shown}; {theirs}" or None, callee=name, name=k, shown=shown)
        if k in given:
            f.fail("T061", node, callee=name, name=k)
        given[k] = v
    if len(given) == len(names):
        return given
    for missing in names:
        if missing not in given:
            if missing in required:
                miscounted(len(args) + len(kwargs) - own)
            given[missing] = _default(inner, missing) if local is None else local[missing]
    return given


def _default(inner: Frame, name: str) -> Any:
    """The default of a parameter of a function that Python has defined."""
    given = inspect.signature(inner.source.fn).parameters[name].default
    value = constant(given)
    if value is MISSING:
        at = next(d for a, d in defaults(inner.node.args) if a.arg == name)
        inner.fail("T008", at, name=name, kind=type(given).__name__)
    return value


def _annotation(inner: Frame, node: ast.expr, param: str) -> Any:
    if inner.parent is None:
        return annotation(inner.source, param, node)

    def lookup(name: str) -> Any:
        frame = inner.parent
        while frame is not None:
            held = frame.env.get(name)
            if held is not MISSING:
                return held
            frame = frame.parent
        return inner.source.lookup(name)

    return evaluate(node, lookup, inner.span(node), param)


def _enter(f: Frame, inner: Frame, arg: ast.arg, value: Any, node: ast.AST) -> None:
    """Binds a parameter, checked against its annotation."""
    wanted = _annotation(inner, arg.annotation, arg.arg) if arg.annotation is not None else MISSING
    what = f"argument `{arg.arg}` of {inner.label}"
    if isinstance(wanted, DType) and wanted.kind == "void":
        inner.fail("T007", arg, param=arg.arg, got=f"cannot be annotated with {wanted}")
    if wanted is constexpr:
        if is_runtime(value):
            f.fail("T017", node, what=what, got=describe(value))
    elif wanted is not MISSING:
        value = fitted(f, wanted, value, what, node)
    if not (isinstance(value, Ref) and (value.coords or value.sliced) and arg.arg in inner.in_memory):
        value = tensor_access.read_name(f, value, node)
    else:
        value = tensor_access.whole(f, value)
    if arg.arg in inner.in_memory:
        known = f.build.known
        if isinstance(value, Vec) and node in known.open and node not in known.storing:
            known.storing.add(node)
            known.restart()
        value = tensor_access.materialize(f, value, arg.arg)
    inner.env.set(arg.arg, value)


def fitted(f: Frame, wanted: Any, value: Any, what: str, node: ast.AST) -> Any:
    """A value as an annotation wants it. Raises T020, T021, T022, T045."""
    if isinstance(wanted, StructClass):
        if not isinstance(value, Object) or value.cls is not wanted:
            f.fail("T022", node, what=what, got=describe(value), want=f"a struct {wanted.name}")
        return value
    if isinstance(wanted, TensorMap):
        if not isinstance(value, Value) or value.type != wanted.type:
            f.fail("T022", node, what=what, got=describe(value), want=repr(wanted))
        return value
    if wanted is Signals or isinstance(wanted, Signals):
        return _signals(f, wanted, value, what, node)
    if wanted is Tensor:
        if not isinstance(value, (Vec, Ref)):
            f.fail("T022", node, what=what, got=describe(value), want="a tensor")
        return value
    if isinstance(wanted, tuple):
        if not isinstance(value, tuple) or len(value) != len(wanted):
            f.fail("T022", node, what=what, got=describe(value), want=f"a tuple of {len(wanted)}")
        return tuple(fitted(f, w, v, what, node) for w, v in zip(wanted, value, strict=True))
    if isinstance(wanted, DType):
        value = tensor_access.operand(f, value, node)
        if isinstance(value, Vec) or not (is_number(value) or isinstance(value, Value)):
            f.fail("T022", node, _VECTORS if isinstance(value, Vec) else None, what=what, got=describe(value),
                   want=f"a value of type {wanted}")
        return tensor_access.coerce(f, value, wanted, node, what)
    if isinstance(wanted, Pointer):
        if not isinstance(value, Value) or not isinstance(value.type, PtrType) or value.type.dtype != wanted.dtype:
            f.fail("T022", node, what=what, got=describe(value), want=f"a pointer to {wanted.dtype}")
        return value
    if isinstance(wanted, Tensor):
        value = _other_sign(f, value, wanted, node)
        if not isinstance(value, (Vec, Ref)) or value.dtype != wanted.dtype:
            f.fail("T022", node, what=what, got=describe(value),
                   want=f"a tensor {shapes.show(wanted.shape)} of {wanted.dtype}")
        if wanted.dynamic:
            fits = _fits(shapes.leaves(value.shape), shapes.leaves(wanted.shape))
        else:
            fits = not shapes.static(value.shape) or tensor_access.same_shape(value.shape, wanted.shape)
        if not fits:
            f.fail("T022", node, what=what, got=describe(value),
                   want=f"a tensor {shapes.show(wanted.shape)} of {wanted.dtype}")
        return value
    if wanted is None:
        if value is not None:
            f.fail("T022", node, what=what, got=describe(value), want="nothing")
        return None
    return value


def _signals(f: Frame, wanted: Any, value: Any, what: str, node: ast.AST) -> SignalRef:
    """Signals, of a shape that is wanted; `al.Signals` alone takes any."""
    open_shape = None if wanted is Signals else shapes.leaves(wanted.shape)
    if not isinstance(value, SignalRef) or (open_shape is not None and not _fits(value.shape, open_shape)):
        shown = "signals" if open_shape is None else f"signals {shapes.show(wanted.shape)}"
        f.fail("T022", node, what=what, got=describe(value), want=shown)
    return value


def _fits(have: tuple[Any, ...], open_shape: tuple[int, ...]) -> bool:
    """True where every extent is the one that is wanted, or is left open."""
    pairs = zip(have, open_shape, strict=False)
    return len(have) == len(open_shape) and all(w in (h, DYNAMIC) or not isinstance(h, int) for h, w in pairs)


def _other_sign(f: Frame, value: Any, wanted: Tensor, node: ast.AST) -> Any:
    """A register tensor of signed integers where unsigned ones of that width are wanted, or the reverse: its bits read
    as those. Stores go through, as to any register tensor."""
    registers = isinstance(value, Vec) or (isinstance(value, Ref) and value.is_register)
    if not registers or value.dtype == wanted.dtype or not shapes.static(value.shape):
        return value
    have, want = value.dtype, wanted.dtype
    if not (have.is_int and want.is_int and have.bits == want.bits > 1):
        return value
    return tensor_access.view(f, value, Tensor(value.shape, want), node)


def _returned(inner: Frame, wanted: Any, value: Any, node: ast.AST) -> Any:
    # A bare `return`; `return x` may give None, as in Python, where `x` is None at compile time.
    if inner.flow.returns_value and isinstance(node, ast.Return) and node.value is None:
        inner.fail("T073", node, name=inner.label)
    if wanted is MISSING or (is_void(wanted) and value is None):
        return value
    return fitted(inner, wanted, value, f"what {inner.label} returns", node)


def is_void(wanted: Any) -> bool:
    """True if an annotation says that nothing is returned."""
    return wanted is None or (isinstance(wanted, DType) and wanted.kind == "void")


def _result(inner: Frame, wanted: Any, node: ast.AST) -> Any:
    """The value of the call, once the body is built."""
    if inner.flow.returns_value:
        if inner.env.get(RETURNED) is not True:
            inner.fail("T073", inner.node, name=inner.label)
        return inner.env.get(RESULT)
    if wanted is not MISSING and not is_void(wanted):
        inner.fail("T073", inner.node, name=inner.label)
    return None
