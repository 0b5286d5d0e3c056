"""Expressions: a node of Python's syntax tree comes in, a compile-time value or IR goes out."""

from __future__ import annotations

import ast
import enum
import types
from collections.abc import Callable
from typing import Any

from avelang.base.lazy import numpys
from avelang.frontend import arith, foreign_names, objects, signal_calls, slices, tensor_access
from avelang.frontend.constants import LAMBDA, constant
from avelang.frontend.frame import MISSING, Frame, Visitors
from avelang.frontend.infer import MOST_TRIPS
from avelang.frontend.merge import changed_cells, choose
from avelang.frontend.names import BUILTINS, Layout, Namespace, Pointer, Tensor
from avelang.frontend.signature import defaults, suggest
from avelang.frontend.source import Jitted
from avelang.frontend.structs import Object, StructClass, is_constant, is_constant_class
from avelang.frontend.values import LocalFn, Poison, Ref, SignalRef, Vec, describe, is_pointer, is_runtime
from avelang.ir.core import Block, Value, is_pure
from avelang.ir.dtypes import DType, u1
from avelang.ir.types import LOCAL, MapType, PtrType


def name(f: Frame, node: ast.Name) -> Any:
    """The value of a name: local, of an enclosing jit function, of the closure, global or builtin."""
    frame: Frame | None = f
    while frame is not None:
        held = frame.env.get(node.id)
        if isinstance(held, Poison):
            f.fail(held.code, node, name=node.id, why=held.why)
        if held is not MISSING:
            return held
        if node.id in frame.flow.names:
            f.fail("T002", node, name=node.id)
        frame = frame.parent
    try:
        found = f.source.lookup(node.id)
    except KeyError:
        known = {n for layer in f.env.layers for n in layer if not n.startswith("$")} | f.source.visible()
        f.fail("T001", node, name=node.id, hint=foreign_names.hint(node.id) or suggest(node.id, known))
    value = constant(found)
    if value is MISSING:
        f.fail("T008", node, name=node.id, kind=type(found).__name__)
    return value


def attribute(f: Frame, node: ast.Attribute) -> Any:
    """`base.attr` of modules, namespaces, tensors, dtypes and named tuples."""
    _other_language(f, node)
    base = f.expr(node.value)
    if isinstance(base, (Vec, Ref)):
        return _tensor_attribute(f, base, node)
    if isinstance(base, SignalRef):
        return signal_calls.attribute(f, base, node.attr, node)
    if isinstance(base, Value) and isinstance(base.type, (MapType, PtrType)) and node.attr == "dtype":
        return base.type.dtype
    if isinstance(base, (Object, StructClass)) or is_constant(base) or is_constant_class(base):
        return objects.attribute(f, base, node.attr, node)
    if isinstance(base, (types.ModuleType, Namespace)):
        try:
            found = getattr(base, node.attr)
        except AttributeError:
            shown = base.__name__ if isinstance(base, types.ModuleType) else repr(base)
            ours = shown in ("avelang.language", "avelang.tile")
            theirs = foreign_names.hint(node.attr, shown == "avelang.tile") if ours else ""
            f.fail("T009", node, base=shown, name=node.attr, hint=theirs or suggest(node.attr, dir(base)))
        value = constant(found)
        if value is MISSING:
            hint = f"use al.{node.attr}" if isinstance(found, numpys("ufunc")) and node.attr in BUILTINS else None
            f.fail("T008", node, hint, name=ast.unparse(node), kind=type(found).__name__)
        return value
    if node.attr == "value" and isinstance(base, (int, float, str)) and not isinstance(base, enum.Enum):
        return base  # a number that `al.constexpr` gave
    found = _field(base, node.attr)
    # Of a layout made in the kernel, extents and strides may be run-time values.
    value = constant(found) if found is not MISSING and not isinstance(base, Layout) else found
    if value is not MISSING:
        return value
    if (isinstance(base, (type, enum.Enum))
        or hasattr(base, "_fields")) and not node.attr.startswith("_") and hasattr(base, node.attr):
        f.fail("T010", node, base=describe(base), name=node.attr)
    grows = isinstance(base, tuple) and node.attr in ("append", "extend", "insert")
    hint = "a list is a tuple in a kernel: t = t + (x,)" if grows else _POINTER_HINT if is_pointer(base) else ""
    f.fail("T009", node, base=describe(base), name=node.attr, hint=hint)


_POINTER_HINT = "a pointer knows where memory begins and its dtype: pass extents as parameters, or annotate al.Tensor"


def _other_language(f: Frame, node: ast.Attribute) -> None:
    """T001 for `tl.arange`, `cuda.threadIdx.x` and their like where `tl` or `cuda` is no name: the whole of it says
    what is meant."""
    root, parts = node.value, [node.attr]
    while isinstance(root, ast.Attribute):
        parts.append(root.attr)
        root = root.value
    if not isinstance(root, ast.Name) or root.id not in foreign_names.MODULES:
        return
    frame: Frame | None = f
    while frame is not None:  # a nested function sees the names around it
        if frame.env.get(root.id) is not MISSING or root.id in frame.flow.names:
            return
        frame = frame.parent
    try:
        f.source.lookup(root.id)
    except KeyError:
        # The last part may be a coordinate: of `cuda.threadIdx.x` the name is threadIdx.
        shown = ".".join([root.id, *reversed(parts)])
        meant = shown.rpartition(".")[0] if parts[0] in ("x", "y", "z") and len(parts) > 1 else shown
        f.fail("T001", node, name=shown, hint=foreign_names.hint(meant))


def _field(base: Any, name: str) -> Any:
    """A field that cannot change, and that the key of a kernel covers (`closure.exact`): of dtypes, layouts, named
    tuples, enums; or MISSING."""
    if isinstance(base, type) and issubclass(base, enum.Enum):
        return base.__members__.get(name, MISSING)
    fixed = name in ("name", "value") if isinstance(base, enum.Enum) else name in getattr(base, "_fields", ())
    if isinstance(base, (DType, Layout)):
        fixed = not name.startswith("_")
    return getattr(base, name, MISSING) if fixed else MISSING


def _tensor_attribute(f: Frame, base: Vec | Ref, node: ast.Attribute) -> Any:
    if node.attr == "shape":
        return base.shape
    if node.attr == "dtype":
        return base.dtype
    if node.attr == "strides":
        return base.strides if isinstance(base, Ref) else tensor_access.default_strides(f, base.shape)
    if node.attr == "ndim":
        return len(base.shape)
    if node.attr == "space":
        return base.type.space if isinstance(base, Ref) else LOCAL
    f.fail("T009", node, base=describe(base), name=node.attr, hint="a tensor has shape, strides, dtype, ndim and space")


def subscript(f: Frame, node: ast.Subscript) -> Any:
    """`base[index]`: of tensors, vectors and tuples; `al.Tensor[shape, dtype]` is a call."""
    base = tensor_access.pointed(f, f.expr(node.value))
    if isinstance(base, SignalRef):
        return signal_calls.item(f, base, indices(f, node), node)
    if base is Tensor or base is Pointer:
        given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return f.expr(ast.copy_location(ast.Call(node.value, given, []), node))
    if isinstance(base, (tuple, str)):
        return _item(f, base, node)
    if isinstance(base, Object) or is_constant(base):
        return objects.getitem(f, base, object_index(f, node.slice), node)
    if not isinstance(base, (Vec, Ref)):
        launch = "a kernel is launched from Python; here a function is called without brackets: name(...)"
        f.fail("T029", node, launch if isinstance(base, Jitted) else None, got=describe(base))
    return element(f, base, indices(f, node), node)


def element(f: Frame, base: Vec | Ref, index: tuple[Any, ...], node: ast.AST) -> Any:
    """An element of a tensor or a vector, or the part that fewer indices or slices name."""
    if slices.is_sliced(index):
        return slices.window(f, base, index, node)
    return tensor_access.get(f, base, index, node)


def object_index(f: Frame, node: ast.expr) -> Any:
    """The index of an object: as written, a slice of compile-time bounds as Python's `slice`."""
    if isinstance(node, ast.Tuple):
        return tuple(object_index(f, e) for e in node.elts)
    if not isinstance(node, ast.Slice):
        return f.expr(node)
    parts = [None if p is None else f.expr(p) for p in (node.lower, node.upper, node.step)]
    if any(map(is_runtime, parts)):
        f.fail("T017", node, what="a bound of a slice of an object", got="a run-time value")
    return slice(*parts)


def _item(f: Frame, base: Any, node: ast.Subscript) -> Any:
    if isinstance(node.slice, ast.Slice):
        parts = [None if p is None else f.expr(p) for p in (node.slice.lower, node.slice.upper, node.slice.step)]
        return arith.compile_time(f, node, "a slice", lambda: base[slice(*parts)])
    index = f.expr(node.slice)
    if is_runtime(index) or not isinstance(index, int):
        hint = ("a table that is read at run time is a tensor: v = al.make_local((n,), dtype), filled in a loop over "
                "range(n), or an argument") if is_runtime(index) and isinstance(base, tuple) else None  # fmt: skip
        f.fail("T017", node.slice, hint, what="the index of a tuple", got=describe(index))
    return arith.compile_time(f, node, "an index", lambda: base[index])


def indices(f: Frame, node: ast.Subscript) -> tuple[Any, ...]:
    """The indices of a subscript, as a tuple."""
    parted = slices.indices(f, node, f.expr)
    index = f.expr(node.slice) if parted is None else parted
    index = index if isinstance(index, tuple) else (index,)
    return tuple(tensor_access.read(f, i, node) if isinstance(i, Ref) else i for i in index)


def compare(f: Frame, node: ast.Compare) -> Any:
    """A comparison or a chain of them."""
    return _chain(f, f.expr(node.left), list(zip(node.ops, node.comparators, strict=True)), node)


def _chain(f: Frame, left: Any, rest: list[tuple[ast.cmpop, ast.expr]], node: ast.Compare) -> Any:
    """`left op a op b`: as `left op a and a op b`, with each operand built once, and none that an earlier comparison
    has made needless."""
    (op, right_node), *more = rest
    right = f.expr(right_node)
    first = objects.compare(f, type(op), left, right, node)
    if not more:
        return first

    def others() -> Any:
        held = _chain(f, right, more, node)
        return held if isinstance(held, (Vec, Object)) else arith.condition(f, held, node)

    if isinstance(first, (Vec, Object)):
        return _both(f, first, others(), node)
    holds = arith.condition(f, first, node)
    if isinstance(holds, bool):
        return others() if holds else first
    return _shortcut(f, holds, others, True, node)


def _both(f: Frame, a: Any, b: Any, node: ast.AST) -> Any:
    """Two comparisons of which one is element by element."""
    for x, y in ((a, b), (b, a)):
        if isinstance(x, bool):
            return y if x else False
    if isinstance(a, Object) or isinstance(b, Object):
        return objects.binary(f, ast.BitAnd, a, b, node)
    return arith.values(f, "and", "and", a, b, node)


def boolean(f: Frame, node: ast.BoolOp) -> Any:
    """`and`, `or`: Python's at compile time; at run time a condition, the right side built under an `if` where it is
    not pure."""
    is_and = isinstance(node.op, ast.And)
    result = f.expr(node.values[0])
    for right in node.values[1:]:
        left = arith.condition(f, result, node)
        if isinstance(left, bool):
            if left == is_and:
                result = f.expr(right)
                continue
            return result
        result = _shortcut(f, left, lambda e=right: arith.condition(f, f.expr(e), e), is_and, node)
    return result


def _shortcut(f: Frame, left: Value, run: Callable[[], Any], is_and: bool, node: ast.AST) -> Any:
    """A condition and what `run` builds, which runs only where the condition does not decide."""
    span, block = f.b.span, Block()
    with f.region(block) as layer:
        held = run()
    f.b.span = span
    if changed_cells(f, layer):
        return choose(f, left, run if is_and else lambda: True, (lambda: False) if is_and else run, node)
    if isinstance(held, (Vec, Object)):
        f.b.move(block)
        return _both(f, left, held, node)
    f.at(node)
    pure, other = all(map(is_pure, block.ops)), Block()
    blocks = (block, other) if is_and else (other, block)
    if pure:
        f.b.move(block)
    if isinstance(held, bool):
        # It decides the result with the left side alone; what it stores or loads still waits for that.
        if not pure:
            for side in blocks:
                with f.b.inside(side):
                    f.b.yield_()
            f.b.emit("if", (left,), (), blocks)
        return left if held == is_and else held
    if pure:
        return f.b.same("and" if is_and else "or", left, held)
    with f.b.inside(block):
        f.b.yield_(held)
    with f.b.inside(other):
        f.b.yield_(f.b.const(not is_and, u1))
    return f.b.emit("if", (left,), (u1,), blocks).result


def conditional(f: Frame, node: ast.IfExp) -> Any:
    """`a if c else b`: one side only where the condition is known at compile time."""
    cond = arith.condition(f, f.expr(node.test), node.test)
    if isinstance(cond, bool):
        return f.expr(node.body if cond else node.orelse)

    def side(e: ast.expr) -> Callable[[], Any]:
        return lambda: tensor_access.read_name(f, f.expr(e), node)

    return choose(f, cond, side(node.body), side(node.orelse), node)


def _tuple(f: Frame, node: ast.Tuple | ast.List) -> Any:
    """A tuple; a list is one too, as nothing in a kernel can change it."""
    return tuple(map(f.expr, node.elts))


def comprehension(f: Frame, node: ast.ListComp | ast.GeneratorExp) -> Any:
    """A comprehension over compile-time items, as a tuple. Its names are its own."""
    found: list[Any] = []
    names = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    outer = {name: f.env.get(name) for name in names}
    _each(f, node.elt, node.generators, found)
    for n, held in outer.items():
        f.env.set(n, Poison("T002") if held is MISSING else held)
    return tuple(found)


def _each(f: Frame, item: ast.expr, generators: list[ast.comprehension], found: list[Any]) -> None:
    if not generators:
        found.append(tensor_access.read_name(f, f.expr(item), item))
        return
    first = generators[0]
    over = tensor_access.parts(f, f.expr(first.iter), first.iter)
    if not isinstance(over, (tuple, range)):
        f.fail("T055", first.iter, got=describe(over))
    if len(over) > MOST_TRIPS:
        f.fail("U001", first.iter, trips=len(over), most=MOST_TRIPS)
    for x in over:
        _target(f, first.target, x)
        tests = [arith.condition(f, f.expr(t), t) for t in first.ifs]
        if any(not isinstance(t, bool) for t in tests):
            f.fail("T017", first.ifs[0], what="the condition of a comprehension", got="a run-time value")
        if all(tests):
            _each(f, item, generators[1:], found)


def _target(f: Frame, target: ast.expr, value: Any) -> None:
    if isinstance(target, ast.Name):
        f.env.set(target.id, value)
    elif isinstance(target, ast.Tuple) and isinstance(value, tuple) and len(value) == len(target.elts):
        for t, v in zip(target.elts, value, strict=True):
            _target(f, t, v)
    else:
        f.fail("T019", target, got=describe(value))


def local_function(f: Frame, node: ast.FunctionDef) -> LocalFn:
    """A nested function, where it is defined: defaults of its parameters are what they are there."""
    return LocalFn(node, f, {a.arg: tensor_access.read_name(f, f.expr(d), d) for a, d in defaults(node.args)})


def _lambda(f: Frame, node: ast.Lambda) -> LocalFn:
    """A lambda: a nested function that returns its expression."""
    made = f.source.cache.get(("lambda", node))
    if made is None:
        body = ast.copy_location(ast.Return(node.body), node.body)
        made = ast.copy_location(ast.FunctionDef(LAMBDA, node.args, [body], [], None), node)
        f.source.cache["lambda", node] = made
    return local_function(f, made)


def _constant(f: Frame, node: ast.Constant) -> Any:
    if isinstance(node.value, (complex, bytes)):
        f.fail("S001", node, what=f"a {type(node.value).__name__} constant", instead="use numbers and strings")
    return node.value


def _format(f: Frame, node: ast.JoinedStr) -> str:
    """An f-string of compile-time values."""
    return "".join(_part(f, v) if isinstance(v, ast.FormattedValue) else f.expr(v) for v in node.values)


def _part(f: Frame, node: ast.FormattedValue) -> str:
    value = f.expr(node.value)
    if is_runtime(value):
        f.fail("S001", node.value, what="a run-time value in an f-string", instead="use al.printf's format")
    converted = {ord("r"): repr, ord("s"): str, ord("a"): ascii}.get(node.conversion, lambda v: v)(value)
    spec = "" if node.format_spec is None else f.expr(node.format_spec)
    return arith.compile_time(f, node, "an f-string", lambda: format(converted, spec))


VISITORS: Visitors = {
    ast.Name: name,
    ast.Attribute: attribute,
    ast.Subscript: subscript,
    ast.Compare: compare,
    ast.BoolOp: boolean,
    ast.IfExp: conditional,
    ast.Tuple: _tuple,
    ast.List: _tuple,
    ast.ListComp: comprehension,
    ast.GeneratorExp: comprehension,
    ast.Constant: _constant,
    ast.JoinedStr: _format,
    ast.Lambda: _lambda,
    ast.BinOp: lambda f, n: objects.binary(f, type(n.op), f.expr(n.left), f.expr(n.right), n),
    ast.UnaryOp: lambda f, n: objects.unary(f, type(n.op), f.expr(n.operand), n),
}
