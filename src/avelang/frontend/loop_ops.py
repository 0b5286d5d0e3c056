"""What loops carry: names, and what they hold before the loop and after a trip, come in; `for` and `while` ops with
results go out."""

from __future__ import annotations

import ast
import collections
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from avelang.base.spans import Span
from avelang.frontend import aliases, shapes, tensor_access
from avelang.frontend.frame import MISSING, Frame
from avelang.frontend.infer import carries, default, fits, promote, with_literal
from avelang.frontend.merge import (
    RESULT,
    RETURNED,
    Clash,
    Join,
    bind_results,
    changed_cells,
    crossed,
    frozen,
    held_after,
    is_registers,
    join_alone,
    join_scalar,
    join_tuple,
    or_poison,
    poison,
    same,
    shown_name,
    two_constants,
)
from avelang.frontend.names import constexpr
from avelang.frontend.stand_ins import LoopLayer, Trip, crossing, crossing_fields
from avelang.frontend.stored_fields import stored_fields
from avelang.frontend.structs import FieldCell, Object, Snapshot, StructField
from avelang.frontend.values import Poison, Ref, SignalRef, Vec, describe, is_number, is_scalar
from avelang.ir.core import Value
from avelang.ir.dtypes import DType

# What crosses the head of a loop, or its end.
Name = str | FieldCell


def join_before_loop(f: Frame, v: Any, node: ast.AST) -> Join:
    """The join of a name that holds `v` before a loop, at the loop's head; types of literals are guesses. Raises
    Clash."""
    if isinstance(v, Poison):
        raise Clash(v)
    if is_number(v):
        return join_scalar(default(v), literal=v)
    if is_scalar(v):
        return join_scalar(v.type, literal=f.build.soft.get(v))
    if isinstance(v, Snapshot):
        return _join_unchanged(v)
    if isinstance(v, tuple):
        return join_tuple(tuple(join_before_loop(f, x, node) for x in v))
    m = join_alone(f, v)
    if m.kind == "memory":
        # A storage of the loop's own: the tensor that the name held before may have other names.
        tensor_access.store(f, m.payload, v, node)
    return m


def _join_unchanged(v: Any) -> Join:
    """The join of an object, or of a field's value, as long as no trip has changed it."""
    return Join("same", payload=v, open=True)


def _join_changed(f: Frame, v: Any, after: Any, node: ast.AST) -> Join:
    """The join that replaces `_join_unchanged` when a trip has left `after`. Raises Clash."""
    if isinstance(v, Snapshot):
        return Join("object", (), tuple(map(_join_unchanged, v.values)), Object(v.object.cls, v.object.heap))
    if isinstance(v, tuple):
        return join_tuple(tuple(map(_join_unchanged, v)))
    if not is_scalar(v) and (isinstance(v, (Value, SignalRef)) or isinstance(v, Ref) and not is_registers(v)):
        other = "another one" if type(after) is type(v) else describe(after)
        raise Clash(f"{describe(v)} before the loop and {other} after a trip")
    return join_before_loop(f, v, node)


def _join_field_after_trip(f: Frame, field: StructField, m: Join, v: Any, node: ast.AST) -> Join:
    if m.open and field.wanted is constexpr and not same(m.payload, v):
        before, after = two_constants(m.payload, v)
        raise Clash(f"{before} before the loop and {after} after a trip, and it is a compile-time field")
    return join_after_trip(f, m, v, node)


def join_after_trip(f: Frame, m: Join, v: Any, node: ast.AST) -> Join:
    """The same crossing where it can take what the loop's body left, or one with another type to try. Raises Clash."""
    if m.kind == "same" and isinstance(m.payload, Poison):
        return m
    if isinstance(v, Poison):
        raise Clash(v)
    if m.open and not same(m.payload, v):
        return join_after_trip(f, _join_changed(f, m.payload, v, node), v, node)
    if m.kind == "object" and isinstance(v, Snapshot) and v.object.cls is m.payload.cls:
        fields = v.object.cls.fields.values()
        items = tuple(or_poison(functools.partial(_join_field_after_trip, f, d, x, y, node), "T014")
                      for d, x, y in zip(fields, m.items, v.values, strict=True))  # fmt: skip
        return Join("object", tuple(t for x in items for t in x.types), items, m.payload)
    if m.kind == "tuple" and isinstance(v, tuple) and len(v) == len(m.items):
        return join_tuple(tuple(join_after_trip(f, x, y, node) for x, y in zip(m.items, v, strict=True)))
    if m.kind == "scalar" and (is_number(v) or is_scalar(v)):
        return _join_scalar_after_trip(m, v)
    if m.kind == "vector" and isinstance(v, (Vec, Ref)):
        d: DType = m.types[0].dtype  # type: ignore[union-attr]
        if shapes.size(v.shape) == shapes.size(m.payload) and shapes.static(v.shape) and carries(d, v.dtype):
            return m
    if m.kind == "memory" and isinstance(v, (Vec, Ref)) and v.dtype == m.payload.dtype:
        if tensor_access.same_shape(v.shape, m.payload.shape):
            return m
    if m.kind == "same" and same(m.payload, v):
        return m
    raise Clash(f"{_shown(m)} before the loop and {describe(v)} after a trip")


def _shown(m: Join) -> str:
    return f"a value of type {m.types[0]}" if m.types else describe(m.payload)


def _join_scalar_after_trip(m: Join, v: Any) -> Join:
    have: DType = m.types[0]  # type: ignore[assignment]
    if is_number(v):
        want = with_literal(have, v)
        if fits(v, have) and want == have:
            return m
    else:
        want = v.type
        if want == have or (carries(have, want) and m.literal is None):
            return m
    if m.literal is not None:
        d = promote(have, want) if is_number(v) or (have.kind == "bool") else with_literal(want, m.literal)
        if fits(m.literal, d) and d != have:
            return join_scalar(d, m.literal)
    if is_scalar(v) and carries(have, want):
        return m
    raise Clash(f"a value of type {have} before the loop and {describe(v)} after a trip")


def loop(f: Frame, node: ast.AST, names: list[str], live: Any, op: str, operands: list[Value], attrs: dict[str, Any],
         head: Callable[[], Value] | None, body: Callable[[Value | None], None], once: bool) -> None:  # fmt: skip
    """A `for` (operands: start, stop, step) or `while` op. `names` may cross its head; those not bound before cross
    only its end, when `once` says that a trip is certain. `head` builds the condition of a `while`; `body` gets the
    induction variable of a `for`."""
    span = f.b.span
    around, f.skipped = f.skipped, set()
    joins: dict[Name, Join] = {}
    bound: dict[Name, Any] = {}
    for name in names:
        held = frozen(f, f.env.get(name), {})
        if held is not MISSING:
            try:
                joins[name] = join_before_loop(f, held, node)
                bound[name] = held
            except Clash as clash:
                f.env.set(name, poison(clash))
    site = (node, *_callers(f.caller))
    build = functools.partial(_trip, f, joins, bound, op, operands, head, body, node)
    trip = _built_once(f, site, joins, bound, build) if f.build.known.hopeful else None
    if trip is None:
        trip = _built_again(f, site, joins, bound, build)
    blocks, layer = trip.blocks, trip.layer
    f.b.span = span
    f.build.carried[site] = [c for c in joins if isinstance(c, FieldCell)]
    late = _late(f, layer, joins, live, once)
    f.skipped = around
    values = {name: m for name, m in joins.items() if m.kind != "memory"}
    inits = crossed(f, ((m, bound[name]) for name, m in values.items()), node)
    inits += [f.b.const(0, t) for m in late.values() for t in m.types]
    everything = {**joins, **late}
    for block in blocks:
        for m in late.values():
            for t in m.types:
                block.add_arg("", t)
    with f.b.inside(blocks[-1]):
        f.b.yield_(*crossed(f, ((m, held_after(f, name, layer)) for name, m in everything.items()), node))
    if op == "while":
        # The head passes on all that it got, the values that only the body makes included.
        blocks[0].terminator.operands[1:] = blocks[0].args
    made = f.b.emit(op, [*operands, *inits], tuple(t for m in everything.values() for t in m.types), blocks, **attrs)
    bind_results(f, everything, list(made.results))


def _callers(span: Span | None) -> Iterator[Span]:
    while span is not None:
        yield span
        span = span.caller


def _built_once(f: Frame, site: Any, joins: dict[Name, Join], bound: dict[Name, Any],
                build: Callable[..., Trip]) -> Trip | None:
    """The loop, its body built with stand-ins for what trips may change. None where that does not do; `joins` has what
    is known then."""
    plain = dict(joins)
    cells = _guess(f, site, joins, bound)
    for c in cells:
        if crossing(f.build, bound[c]).types:  # it gets a stand-in where it is read
            del joins[c]
    alone = _alone(bound[name] for name in joins)
    start = f.b.mark()
    hoped = {name: _hoped(f, m, bound[name], alone, site[0]) for name, m in joins.items()}
    hopes = [name for name, m in joins.items() if m is not hoped[name] or isinstance(name, FieldCell)]
    joins |= hoped
    aliases.carry(f.build, [x for name in hopes for x in _objects_in(joins[name], bound[name], None)])
    trip = build(hopes)
    if any(trip.idle(name, joins[name]) for name in hopes):
        aliases.forget(x for name in hopes for x, _, _ in _objects_in(joins[name], bound[name], None))
        f.b.back(start)
        joins.clear()
        joins |= plain
        return None
    while trip.settle(joins):
        changed, news = _check_trip(f, joins, bound, trip.layer, site[0])
        if news:
            break
        if not changed:
            first = dict.fromkeys((*plain, *(c for c in cells if c in joins)))
            ordered = {name: joins[name] for name in (*first, *(name for name in joins if name not in first))}
            joins.clear()
            joins |= ordered
            trip.finish(joins)
            return trip
    return None


def _hoped(f: Frame, m: Join, held: Any, alone: set[Object], node: ast.AST) -> Join:
    """The join of a name that the body assigns: its objects will be others after a trip, with registers of their own.
    Those that have several names are left out: trips may only pass them round."""
    if m.open and isinstance(held, Snapshot) and held.object in alone:
        items = tuple(join_before_loop(f, x, node) if is_registers(x) else _join_unchanged(x) for x in held.values)
        return Join("object", (), items, Object(held.object.cls, held.object.heap))
    if m.kind == "tuple" and isinstance(held, tuple):
        items = tuple(_hoped(f, x, y, alone, node) for x, y in zip(m.items, held, strict=True))
        return m if all(x is y for x, y in zip(items, m.items, strict=True)) else join_tuple(items)
    return m


def _alone(values: Iterable[Any]) -> set[Object]:
    """The objects among values that stand there once and can be no other one of them."""
    count: collections.Counter[Object] = collections.Counter()
    todo = list(values)
    for v in todo:
        if isinstance(v, Snapshot):
            count[v.object] += 1
        todo += v.values if isinstance(v, Snapshot) else v if isinstance(v, tuple) else ()
    return {v for v, n in count.items() if n == 1 and v.aliases.isdisjoint(count)}


def _built_again(f: Frame, site: Any, joins: dict[Name, Join], bound: dict[Name, Any],
                 build: Callable[..., Trip]) -> Trip:
    """The loop, its body built until a trip changes what is known to cross, and nothing else."""
    guesses, rebuilt = _guess(f, site, joins, bound), 0
    while True:
        trip = build(None)
        changed, news = _check_trip(f, joins, bound, trip.layer, site[0])
        if not changed and not news:
            wrong = [c for c in guesses if c in joins and trip.idle(c, joins[c])]
            if not wrong:
                break
            for c in wrong:
                del joins[c]
            guesses = []
        f.build.again += 1
        rebuilt += 1
    f.build.again -= rebuilt
    return trip


def _guess(f: Frame, site: Any, joins: dict[Name, Join], bound: dict[Name, Any]) -> list[FieldCell]:
    """The cells that this loop carried last time, if a loop around it is built again; else those that its text stores
    to. If all are there, the body is built once."""
    known = f.build.carried.get(site) if f.build.again else None
    if known is None:
        known = stored_fields(f, site[0].body) if isinstance(site[0], (ast.For, ast.While)) else ()
    guesses = [c for c in known if f.value_of(c) is not MISSING and c not in joins]
    for c in list(guesses):
        held = frozen(f, f.value_of(c), {})
        try:
            joins[c] = _join_changed(f, held, held, site[0])
            bound[c] = held
        except Clash:
            guesses.remove(c)
    return guesses


def _check_trip(f: Frame, joins: dict[Name, Join], bound: dict[Name, Any], layer: Mapping[Any, Any],
                node: ast.AST) -> tuple[bool, bool]:
    """Holds what a trip has left against what was expected: whether more crosses, or otherwise; and whether the trip
    must be built again even if it was ready for that."""
    changed = news = False
    carried: list[tuple[Object, Object, Object | None]] = []
    found = [c for c in changed_cells(f, layer) if c not in joins and not isinstance(f.value_of(c), Poison)]
    for cell in found:
        bound[cell] = frozen(f, f.value_of(cell), {})
        joins[cell] = _join_unchanged(bound[cell])
    for name, m in list(joins.items()):
        after = held_after(f, name, layer)
        try:
            if isinstance(name, FieldCell):
                joins[name] = _join_field_after_trip(f, name.object.cls.fields[name.field], m, after, node)
            else:
                joins[name] = join_after_trip(f, m, after, node)
        except Clash as clash:
            why = clash.args[0]
            if isinstance(name, FieldCell):
                # An error where it is read.
                del joins[name]
                f.bind(name, poison(clash, "T014"))
                news = True
                continue
            if isinstance(why, Poison):
                f.fail(why.code, node, name=name, why=why.why)
            f.fail("T014", node, name=name, why=why)
        changed = changed or joins[name].form != m.form
        carried += _objects_in(joins[name], bound[name], after)
    return changed, aliases.carry(f.build, carried) or news


def _objects_in(m: Join, first: Any, after: Any) -> Iterator[tuple[Object, Object, Object | None]]:
    """The objects that a loop carries, with what they are before it and after a trip."""
    if m.kind == "object" and isinstance(first, Snapshot):
        yield m.payload, first.object, after.object if isinstance(after, Snapshot) else None
    parts = [x.values if isinstance(x, Snapshot) else x for x in (first, after)]
    if m.kind in ("object", "tuple") and all(isinstance(x, tuple) for x in parts):
        for item, x, y in zip(m.items, *parts, strict=True):
            yield from _objects_in(item, x, y)


def _late(f: Frame, layer: Mapping[Any, Any], joins: dict[Name, Join], live: Any, once: bool) -> dict[Name, Join]:
    """Names that first get a value inside the loop and are read after it."""
    late: dict[Name, Join] = {}
    f.build.met = []
    for name in layer:
        if name in joins or name not in live and name not in (RETURNED, RESULT):
            continue
        v = held_after(f, name, layer)
        if isinstance(v, Poison):
            f.env.set(name, v)
        elif name != RESULT and (not once or name in f.skipped):
            why = "of which a trip may leave by `continue` or `break` before that" if once else "that may run no trip"
            f.env.set(name, Poison("T015", why))
        else:
            try:
                late[name] = join_alone(f, v)
            except Clash as clash:
                f.env.set(name, poison(clash))
    return late


def _trip(f: Frame, joins: dict[Name, Join], bound: dict[Name, Any], op: str, operands: list[Value],
          head: Callable[[], Value] | None, body: Callable[[Value | None], None], node: ast.AST,
          hopes: Iterable[Name] | None) -> Trip:
    """Builds the regions of a loop once, its names holding the arguments of the regions; with stand-ins, unless `hopes`
    is None: the names and cells whose objects are expected to be others after a trip."""
    trip, span = Trip(f, hopes is not None), f.b.span
    entries = {name: crossing_fields(f.build, m, bound[name]) if name in (hopes or ()) else m
               for name, m in joins.items()}  # fmt: skip
    if head is not None:
        with trip.region() as cells:
            args = _enter(f, cells, entries, bound)
            before = dict(cells)
            cond = head()
            f.b.emit("condition", [cond, *args])
        for c in cells:
            if not isinstance(c, FieldCell):
                continue
            if cells[c] is not before[c] if c in before else f.value_of(c) is not MISSING:
                f.fail("T093", getattr(node, "test", node), name=c.shown)
    with trip.region(operands[0].type if op == "for" else None) as cells:
        _enter(f, cells, entries, bound)
        body(cells.counter)
    f.b.span = span
    return trip


def _enter(f: Frame, cells: LoopLayer, joins: dict[Name, Join], bound: dict[Name, Any]) -> list[Value]:
    """Adds the arguments that carry names, and binds the names to them."""
    given: list[Value] = []
    for name, m in joins.items():
        args, held = cells.enter(name, m, bound[name], shown_name(name))
        given += args
        _soften(f, m, args)
        f.bind(name, held)
    return given


def _soften(f: Frame, m: Join, values: list[Value]) -> None:
    """Notes which of the values that carry a name stand for literals."""
    if m.kind == "scalar" and m.literal is not None:
        f.build.soft[values[0]] = m.literal
    if m.kind == "object":
        for x in m.items:
            _soften(f, x, values[: len(x.types)])
            del values[: len(x.types)]
