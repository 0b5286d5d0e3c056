"""Statements: assignments, branches, loops and returns come in, IR in the current block goes out."""

from __future__ import annotations

import ast
import functools
from typing import Any

from avelang.frontend import arith, objects, shapes, slices, tensor_access
from avelang.frontend.blocks import block, unless
from avelang.frontend.expr import element, indices, local_function, object_index
from avelang.frontend.frame import MISSING, Frame, Visitors
from avelang.frontend.infer import MOST_TRIPS, default, fits, promote
from avelang.frontend.loop_ops import loop
from avelang.frontend.merge import BROKEN, FLAGS, RESULT, RETURNED, SKIPPED
from avelang.frontend.names import Builtin, Intrinsic
from avelang.frontend.signature import evaluate
from avelang.frontend.source import Jitted
from avelang.frontend.structs import Method, Object
from avelang.frontend.values import LocalFn, Ref, RuntimeRange, Vec, describe, is_number, is_runtime, is_scalar
from avelang.ir.core import Value
from avelang.ir.dtypes import BY_NAME, DType, i32, u1

# Names of the frontend's own: the counter of a loop that may be left, and how many trips are left.
COUNTER, LEFT = "$counter", "$left"


def bind(f: Frame, name: str, value: Any, node: ast.AST) -> None:
    """Makes a name hold a value; register tensors that are changed in place get storage."""
    value = tensor_access.read_name(f, value, node)
    if name in f.in_memory:
        value = tensor_access.materialize(f, value, name)
    tensor_access.name_tensor(value, name)
    f.env.set(name, value)


def assign(f: Frame, target: ast.expr, value: Any) -> None:
    """Assigns to a name, a subscript or a tuple of targets."""
    if isinstance(target, ast.Name):
        bind(f, target.id, value, target)
    elif isinstance(target, ast.Subscript):
        _store(f, target, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        parts = _parts(f, value, target)
        if any(isinstance(t, ast.Starred) for t in target.elts):
            f.fail("S001", target, what="a starred target", instead="name every part")
        if len(parts) != len(target.elts):
            f.fail("T018", target, want=len(target.elts), got=len(parts))
        for t, v in zip(target.elts, parts, strict=True):
            assign(f, t, v)
    elif isinstance(target, ast.Attribute):
        objects.set_field(f, _owner(f, target), target.attr, value, target)
    else:
        f.fail("S001", target, what=f"an assignment to {ast.unparse(target)}",
               instead="assign to a name or to an element of a tensor")


def _owner(f: Frame, target: ast.Attribute) -> Object:
    """The object of which a field is assigned to."""
    base = f.expr(target.value)
    if not isinstance(base, Object):
        f.fail("S001", target, what="an assignment to an attribute",
               instead="assign to a name, to a field of a struct or to an element of a tensor")
    if target.attr not in base.cells:
        f.fail("T090", target, name=target.attr, cls=base.cls.name, fields=", ".join(base.cells))
    return base


def _parts(f: Frame, value: Any, node: ast.AST) -> tuple[Any, ...]:
    """A tuple, or the parts of a register tensor along its first mode."""
    if isinstance(value, tuple):
        return value
    if isinstance(value, (Vec, Ref)) and isinstance(value.shape[0], int):
        return tuple(tensor_access.get(f, value, (i,), node) for i in range(value.shape[0]))
    f.fail("T019", node, got=describe(value))


def _store(f: Frame, target: ast.Subscript, value: Any) -> None:
    base = tensor_access.pointed(f, tensor_access.data(f, f.expr(target.value), target))
    if isinstance(base, Object):
        objects.setitem(f, base, object_index(f, target.slice), value, target)
        return
    _put(f, base, indices(f, target), value, target)


def _put(f: Frame, base: Any, index: tuple[Any, ...], value: Any, node: ast.AST) -> None:
    """Stores into an element, or into the part that fewer indices or slices name."""
    if not slices.is_sliced(index):
        tensor_access.put(f, base, index, value, node)
        return
    if isinstance(base, Vec) and base.home is not None:
        tensor_access.stored_field(f, base)
    if not isinstance(base, Ref):
        f.fail("T044", node, got=describe(base))
    part = slices.window(f, base, index, node)
    assert isinstance(part, Ref)
    if part.uncopied:
        f.fail("T049", node, shape=shapes.show(part.shape))
    tensor_access.store(f, part, value, node)


def _assign(f: Frame, node: ast.Assign) -> None:
    value = f.expr(node.value)
    if len(node.targets) > 1 or isinstance(node.targets[0], ast.Tuple):
        value = tensor_access.read_name(f, value, node)
    for target in node.targets:
        assign(f, target, value)
        if isinstance(target, ast.Name):
            # What the first name holds, with its storage, is what the others share.
            value = f.env.get(target.id)


def _annotated(f: Frame, node: ast.AnnAssign) -> None:
    """`x: al.f32 = 0` gives the value that type; other annotations are taken as comments."""
    if node.value is None:
        return
    value = f.expr(node.value)
    at = node.annotation
    wanted = evaluate(at, lambda n: f.expr(ast.copy_location(ast.Name(n, ast.Load()), at)), f.span(at),
                      ast.unparse(node.target))
    if isinstance(wanted, DType) and wanted.kind == "void":
        f.fail("T032", at, what="the annotation of a name", got=describe(wanted))
    if isinstance(wanted, DType) and (is_runtime(value) or is_number(value)):
        value = tensor_access.coerce(f, value, wanted, node.value, "the value assigned")
    assign(f, node.target, value)


def _augmented(f: Frame, node: ast.AugAssign) -> None:
    """`x += y` rebinds a name, of a register tensor too; `x[i] += y` changes an element, its index evaluated once."""
    if isinstance(node.target, ast.Name):
        held = f.expr(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
        bind(f, node.target.id, objects.binary(f, type(node.op), held, f.expr(node.value), node), node)
        return
    if isinstance(node.target, ast.Attribute):
        owner = _owner(f, node.target)
        held = objects.attribute(f, owner, node.target.attr, node.target)
        objects.set_field(f, owner, node.target.attr, objects.binary(f, type(node.op), held, f.expr(node.value), node),
                          node.target)
        return
    base = tensor_access.pointed(f, tensor_access.data(f, f.expr(node.target.value), node.target))
    if isinstance(base, Object):
        index = object_index(f, node.target.slice)
        held = objects.getitem(f, base, index, node.target)
        objects.setitem(f, base, index, objects.binary(f, type(node.op), held, f.expr(node.value), node), node.target)
        return
    at = indices(f, node.target)
    if isinstance(base, Vec) and base.home is not None:
        tensor_access.stored_field(f, base)
    if not isinstance(base, Ref):
        f.fail("T044", node.target, got=describe(base))
    old = element(f, base, at, node.target)
    _put(f, base, at, objects.binary(f, type(node.op), old, f.expr(node.value), node), node.target)


def _return(f: Frame, node: ast.Return) -> None:
    value = None if node.value is None else f.expr(node.value)
    value = f.returned(tensor_access.read_name(f, value, node), node)
    if f.flow.returns_value:
        f.env.set(RESULT, value)
    f.env.set(RETURNED, True)
    if f.loops:
        f.env.set(BROKEN, True)


# -- loops -----------------------------------------------------------------------------------------------------------


def _for(f: Frame, node: ast.For) -> None:
    if node.orelse:
        f.fail("S001", node.orelse[0], what="`else` after a loop", instead="use a flag")
    over = f.expr(node.iter)
    f.loops += 1
    if isinstance(over, RuntimeRange):
        _runtime_for(f, node, over)
    elif isinstance(over, (range, tuple)):
        _unrolled(f, node, over)
    elif isinstance(over, (Vec, Ref)) and isinstance(over.shape[0], int):
        _unrolled(f, node, _parts(f, over, node.iter))
    else:
        hint = "elements of a tile are spread over lanes: operators, tile.where and tile.sum work on all of them"
        f.fail("T050", node.iter, hint if isinstance(over, Object) and "dist" in over.cls.fields else None,
               got=describe(over))
    _leave(f)


def _leave(f: Frame) -> None:
    """After a loop: its own `break` is over; a `return` inside leaves the loop around it too."""
    f.loops -= 1
    returned = f.env.get(RETURNED)
    f.env.set(BROKEN, returned if f.loops and returned is not MISSING else False)
    f.env.set(SKIPPED, False)


def _unrolled(f: Frame, node: ast.For, over: Any) -> None:
    """A loop over compile-time items: its body once for each."""
    if len(over) > MOST_TRIPS:
        f.fail("U001", node.iter, trips=len(over), most=MOST_TRIPS)
    f.env.set(BROKEN, False)
    _trips(f, node, list(over), 0)


def _trips(f: Frame, node: ast.For, items: list[Any], first: int) -> None:
    live = f.flow.head[node] | f.flow.live[node]
    for i in range(first, len(items)):
        f.env.set(SKIPPED, False)
        assign(f, node.target, items[i])
        block(f, node.body, live)
        broken = f.env.get(BROKEN)
        if broken is True:
            return
        if isinstance(broken, Value):
            if i + 1 < len(items):
                unless(f, broken, functools.partial(_trips, f, node, items, i + 1), live, True, node)
            return


def _runtime_for(f: Frame, node: ast.For, over: RuntimeRange) -> None:
    bounds = (over.start, over.stop, over.step)
    known = all(isinstance(x, int) for x in bounds)
    trips = bool(range(*bounds)) if known else None
    d = _counter_type(f, bounds, node)
    if trips is False:
        return
    start, stop, step = (tensor_access.coerce(f, x, d, node.iter, "a bound of al.range") for x in bounds)
    exits = f.flow.exits(node.body) - {"continue"}
    live = f.flow.head[node] | f.flow.live[node]
    target = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
    names = sorted((f.flow.facts[node].defs - target) & live | (target & f.flow.live[node]))

    def trip(counter: Value | None) -> None:
        _flags_down(f, exits)
        assign(f, node.target, counter)
        block(f, node.body, live)

    if not exits:
        attrs = {"unroll": True} if over.unroll else {}
        loop(f, node, names, f.flow.live[node], "for", [start, stop, step], attrs, None, trip, once=bool(trips))
        return
    f.env.set(COUNTER, start)
    _with_flags(f, exits)
    carried = [*names, COUNTER, *_flags(exits)]
    # A counter that may wrap at its last step is of no use as a condition: then the trips are counted.
    count = None if _steady(bounds, d) else _trip_count(f, start, stop, step, over.step)
    if count is not None:
        f.env.set(LEFT, count)
        carried.append(LEFT)

    def head() -> Value:
        running = arith.negate(f, f.env.get(BROKEN))
        if count is not None:
            return f.b.and_(running, f.b.cmp("ne", f.env.get(LEFT), f.b.const(0, count.type)))
        return f.b.and_(running, f.b.cmp("lt" if over.step > 0 else "gt", f.env.get(COUNTER), stop))

    def step_trip(_: Value | None) -> None:
        i, left = f.env.get(COUNTER), f.env.get(LEFT)
        trip(i)
        f.env.set(COUNTER, f.b.add(i, step))
        if count is not None:
            f.env.set(LEFT, f.b.sub(left, f.b.const(1, count.type)))

    loop(f, node, carried, f.flow.live[node], "while", [], {}, head, step_trip, once=bool(trips))


def _steady(bounds: tuple[Any, ...], d: DType) -> bool:
    """True if the counter of al.range still fits `d` after the last trip, whatever the run-time bounds are."""
    _, stop, step = bounds
    if not isinstance(step, int):
        return False
    return abs(step) == 1 or (isinstance(stop, int) and fits(stop + step - (1 if step > 0 else -1), d))


def _trip_count(f: Frame, start: Value, stop: Value, step: Value, known: Any) -> Value:
    """The trips of Python's range(start, stop, step), as the unsigned integer of their type's width; 0 for a step of 0.
    `known`: the step, where it is an int."""
    d: DType = start.type  # type: ignore[assignment]
    u = BY_NAME[f"u{d.bits}"]
    zero, one = f.b.const(0, u), f.b.const(1, u)
    first, last, by = (f.b.convert(x, u) for x in (start, stop, step))

    def count(low: Value, high: Value, by: Value, some: Value) -> Value:
        # Differences of unsigned numbers are right for signed ones too, as high is not below low.
        return f.b.select(some, f.b.add(f.b.same("div", f.b.sub(f.b.sub(high, low), one), by), one), zero)

    def ahead(by: Value) -> Value:
        return count(first, last, by, f.b.cmp("lt", start, stop))

    def back(by: Value) -> Value:
        return count(last, first, by, f.b.cmp("gt", start, stop))

    if isinstance(known, int):
        return ahead(by) if known > 0 else back(f.b.const(-known, u))
    nothing = f.b.const(0, d)
    down = back(f.b.sub(zero, by)) if d.kind == "int" else zero
    return f.b.select(f.b.cmp("gt", step, nothing), ahead(by), f.b.select(f.b.cmp("lt", step, nothing), down, zero))


def _flags(exits: Any) -> list[str]:
    return [BROKEN, *((RETURNED, RESULT) if "return" in exits else ())]


def _flags_down(f: Frame, exits: Any) -> None:
    """At the start of a trip no flag is up."""
    for name in (SKIPPED, *(n for n in _flags(exits) if exits and n in FLAGS)):
        f.env.set(name, False)


def _with_flags(f: Frame, exits: Any) -> None:
    """Before a loop that may be left: flags that it carries are values, down from the start."""
    for name in _flags(exits):
        if name in FLAGS:
            f.env.set(name, f.b.const(False, u1))


def _counter_type(f: Frame, bounds: tuple[Any, ...], node: ast.For) -> DType:
    """i32 where all bounds are known (or the integer that holds them), else where the run-time bounds meet."""
    typed = [x.type for x in bounds if is_scalar(x)]
    if not typed:
        d = i32
        for x in bounds:
            d = promote(d, default(x))
        return d
    d = typed[0]
    for other in typed[1:]:
        d = promote(d, other)
    if any(isinstance(x, int) and not fits(x, d) for x in bounds) and d.kind == "uint":
        f.fail("T052", node.iter, dtype=d)
    return d if d.bits >= 32 else i32


def _while(f: Frame, node: ast.While) -> None:
    if node.orelse:
        f.fail("S001", node.orelse[0], what="`else` after a loop", instead="use a flag")
    f.loops += 1
    exits = f.flow.exits(node.body) - {"continue"}
    live = f.flow.head[node] | f.flow.live[node]
    names = sorted(f.flow.facts[node].defs & live)
    if exits:
        _with_flags(f, exits)
        names += _flags(exits)

    def head() -> Value:
        f.b.span = f.span(node.test)
        test = arith.condition(f, f.expr(node.test), node.test)
        test = f.b.const(test, u1) if isinstance(test, bool) else test
        return f.b.and_(arith.negate(f, f.env.get(BROKEN)), test) if exits else test

    def trip(_: Value | None) -> None:
        _flags_down(f, exits)
        block(f, node.body, live)

    loop(f, node, names, f.flow.live[node], "while", [], {}, head, trip, once=False)
    _leave(f)


# -- returns and the rest --------------------------------------------------------------------------------------------


def _expression(f: Frame, node: ast.Expr) -> None:
    """A call, for what it does. A function that is named and not called, and a comparison, are slips."""
    if isinstance(node.value, ast.Constant):
        return
    value, text = f.expr(node.value), ast.unparse(node.value)
    if isinstance(node.value, (ast.Name, ast.Attribute)) and isinstance(value, _FUNCTIONS):
        f.fail("T056", node.value, f"to call it, write {text}(...)", text=text)
    if isinstance(node.value, ast.Compare):
        meant = isinstance(node.value.ops[0], ast.Eq)
        f.fail("T056", node.value, "to assign or to store, write = in place of ==" if meant else None, text=text)


_FUNCTIONS = (Builtin, Intrinsic, Jitted, LocalFn, Method)


def _assert(f: Frame, node: ast.Assert) -> None:
    test = f.expr(node.test)
    if is_runtime(test):
        f.fail("T017", node.test, "al.expect(condition, words) is a promise that each launch is held against; or use a "
               "literal, an al.constexpr parameter or a global constant", what="the condition of `assert`",
               got=describe(test))  # fmt: skip
    if not test:
        message = f.expr(node.msg) if node.msg is not None else ast.unparse(node.test)
        f.fail("T053", node, message=message)


def _function(f: Frame, node: ast.FunctionDef) -> None:
    if node.decorator_list:
        f.fail("S001", node.decorator_list[0], what="a decorator inside a kernel",
               instead="a nested function is a device function anyway")
    f.env.set(node.name, local_function(f, node))


def _jump(flag: str) -> Any:
    return lambda f, node: f.env.set(flag, True)


VISITORS: Visitors = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.For: _for,
    ast.While: _while,
    ast.Expr: _expression,
    ast.Assert: _assert,
    ast.FunctionDef: _function,
    ast.Pass: lambda f, node: None,
    ast.Break: _jump(BROKEN),
    ast.Continue: _jump(SKIPPED),
}
