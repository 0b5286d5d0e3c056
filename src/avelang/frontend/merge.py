"""Joins of control flow: the values of names on each path come in, `if` ops with results go out; `loop_ops.py` has
loops.

The cells of objects (`structs.py`) cross like names, where a region changes them; `aliases.py` knows which objects may
be one."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from avelang.frontend import aliases, choices, shapes, tensor_access
from avelang.frontend.frame import MISSING, Frame
from avelang.frontend.infer import default, fits, promote, with_literal
from avelang.frontend.names import constexpr
from avelang.frontend.structs import FieldCell, Object, Snapshot, StructField, is_constant, values_of
from avelang.frontend.values import (
    LocalFn,
    Poison,
    Ref,
    SignalRef,
    Vec,
    describe,
    is_number,
    is_runtime,
    is_scalar,
)
from avelang.ir.core import Block, Value, is_pure
from avelang.ir.dtypes import DType, u1
from avelang.ir.types import LOCAL, Type, VecType

# Names of the frontend's own: a function has returned, what it gave, a loop has been left, a trip has been left.
RETURNED, RESULT, BROKEN, SKIPPED = "$returned", "$result", "$broken", "$skipped"
FLAGS = (RETURNED, BROKEN, SKIPPED)


class Clash(Exception):  # noqa: N818 - never leaves the frontend
    """two paths give a name values that have no join."""


@dataclasses.dataclass(slots=True)
class Join:
    """The join of a name's values where regions meet (a phi): `kind` is "scalar", "vector", "tuple", "object", "memory"
    or "same".

    `types` are the IR values that carry it. "same": a compile-time object, nothing is carried. "memory": the paths
    write to one storage. "object": field by field, into a new object. `literal`: the number that a scalar was before a
    loop, whose type is still open. `open`: taken as the same until a trip of the loop turns out to change it."""

    kind: str
    types: tuple[Type, ...] = ()
    items: tuple[Join, ...] = ()
    payload: Any = None
    literal: Any = None
    open: bool = False

    def emit_values(self, f: Frame, v: Any, node: ast.AST, stores: list[tuple[Ref, Any]]) -> list[Value]:
        """The IR values that carry `v`, made in the current block; zeros where there is nothing to carry. What goes to
        a storage is read, and added to `stores`."""
        if self.kind in ("tuple", "object"):
            parts = v.values if isinstance(v, Snapshot) else v
            parts = [MISSING] * len(self.items) if v is MISSING else parts
            return [x for m, part in zip(self.items, parts, strict=True) for x in m.emit_values(f, part, node, stores)]
        if self.kind == "memory":
            if v is not MISSING and not (isinstance(v, Ref) and v.value is self.payload.value):
                stores.append((self.payload, tensor_access.operand(f, v, node)))
            return []
        if self.kind == "same":
            return []
        if v is MISSING or isinstance(v, Poison):
            return [f.b.const(0, self.types[0])]
        d = self.types[0].dtype if isinstance(self.types[0], VecType) else self.types[0]
        if is_number(v):
            return [f.b.const(v, d)]  # type: ignore[arg-type]
        v = tensor_access.operand(f, v, node)
        return [f.b.convert(v.value if isinstance(v, Vec) else v, d)]  # type: ignore[arg-type]

    def bind(self, values: list[Value]) -> Any:
        """The name's value afterwards; takes its IR values off the front of the list."""
        if self.kind == "tuple":
            return tuple(m.bind(values) for m in self.items)
        if self.kind == "object":
            for cell, m in zip(self.payload.cells.values(), self.items, strict=True):
                held = m.bind(values)
                tensor_access.name_tensor(held, cell.field)
                self.payload.heap.set(cell, held)
            return self.payload
        if self.kind == "vector":
            return Vec(values.pop(0), self.payload)
        return values.pop(0) if self.kind == "scalar" else thawed(self.payload)

    @property
    def form(self) -> Any:
        """The part that must not change from one trip of a loop to the next, hashable."""
        return (self.kind, self.types, isinstance(self.payload, Poison), *(m.form for m in self.items))


def crossed(f: Frame, given: Iterable[tuple[Join, Any]], node: ast.AST) -> list[Value]:
    """The IR values that carry all that leaves a region, made in the current block. Storages are written behind the
    last read: names may have traded places."""
    stores: list[tuple[Ref, Any]] = []
    values = [x for m, v in given for x in m.emit_values(f, MISSING if isinstance(v, Poison) else v, node, stores)]
    for storage, v in stores:
        tensor_access.store(f, storage, v, node)
    return values


def join_scalar(d: DType, literal: Any = None) -> Join:
    """The join of scalars of dtype `d`."""
    return Join("scalar", (d,), literal=literal)


def join_vector(v: Vec, d: DType) -> Join:
    """The join of register vectors of `v`'s shape."""
    return Join("vector", (VecType(d, v.n),), payload=v.shape)


def join_tuple(items: tuple[Join, ...]) -> Join:
    """The join of tuples, item by item."""
    return Join("tuple", tuple(t for m in items for t in m.types), items)


def frozen(f: Frame, v: Any, layer: Mapping[Any, Any]) -> Any:
    """A value with its objects as snapshots of what they hold at the end of the region that changed `layer`."""
    if isinstance(v, Object):
        held = (layer[c] if c in layer else f.build.heap.get(c) for c in v.cells.values())
        return Snapshot(v, tuple(frozen(f, x, layer) for x in held))
    if isinstance(v, tuple) and any(isinstance(x, (Object, tuple)) for x in v):
        parts = [frozen(f, x, layer) for x in v]
        return v if all(x is y for x, y in zip(parts, v, strict=True)) else tuple(parts)
    return v


def thawed(v: Any) -> Any:
    """The value of which `frozen` made `v`."""
    if isinstance(v, Snapshot):
        return v.object
    if isinstance(v, tuple) and any(isinstance(x, (Snapshot, tuple)) for x in v):
        parts = [thawed(x) for x in v]
        return v if all(x is y for x, y in zip(parts, v, strict=True)) else tuple(parts)
    return v


def same(a: Any, b: Any) -> bool:
    """True if two compile-time values, or the very same run-time value, stand on both sides."""
    if a is b:
        return True
    if isinstance(a, Value) or isinstance(b, Value) or type(a) is not type(b):
        return False
    if isinstance(a, Snapshot):
        return a.object is b.object
    if isinstance(a, Vec):
        return a.value is b.value and a.shape == b.shape
    if isinstance(a, Ref):
        return a.value is b.value and a.coords == b.coords and a.shape == b.shape
    if isinstance(a, SignalRef):
        return same((a.words, a.index, a.rank), (b.words, b.index, b.rank))
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if is_constant(a):
        return all(map(same, values_of(a).values(), values_of(b).values()))
    return repr(a) == repr(b) if isinstance(a, float) else bool(a == b)


def is_registers(v: Any) -> bool:
    """True if `v` is a register tensor of a static shape."""
    return isinstance(v, Ref) and v.is_register and shapes.static(v.shape)


def join_alone(f: Frame, v: Any) -> Join:
    """The join of `v` when the other path has no value."""
    if is_scalar(v):
        return join_scalar(v.type)
    if isinstance(v, Vec):
        return join_vector(v, v.dtype)
    if isinstance(v, tuple):
        return join_tuple(tuple(join_alone(f, x) for x in v))
    if isinstance(v, Snapshot):
        return _object(f, v, None, [or_poison(lambda x=x: _inside(f, x), "T012") for x in v.values])
    if is_registers(v):
        return _storage(f, v)
    if isinstance(v, (Value, Ref)):
        raise Clash("a tensor that only one path makes")
    if isinstance(v, SignalRef):
        raise Clash("signals that only one path names")
    if isinstance(v, LocalFn) and any(map(is_runtime, v.defaults.values())):
        raise Clash("a function that only one path defines, with a default that is known at run time")
    return Join("same", payload=v)


def _storage(f: Frame, v: Any) -> Join:
    return Join("memory", payload=tensor_access.alloc(f, v.dtype, v.shape, LOCAL, name=v.value.name))


def _inside(f: Frame, v: Any) -> Join:
    """The join of a field's value by itself: a tensor or a pointer that was there before is still there."""
    value = v.value if isinstance(v, Ref) else v
    there = isinstance(value, Value) and not is_scalar(v) and f.b.sees(value)
    return Join("same", payload=v) if there else join_alone(f, v)


def or_poison(make: Callable[[], Join], code: str) -> Join:
    """The join of a field; one that has none is an error where it is read, not here."""
    try:
        return make()
    except Clash as clash:
        why = clash.args[0]
        return Join("same", payload=why if isinstance(why, Poison) else Poison(code, why))


def _object(f: Frame, a: Snapshot, b: Snapshot | None, items: list[Join]) -> Join:
    made = Object(a.object.cls, a.object.heap)
    aliases.join(f.build, made, a.object, None if b is None else b.object)
    return Join("object", tuple(t for m in items for t in m.types), tuple(items), made)


def _objects(f: Frame, a: Snapshot, b: Snapshot) -> Join:
    """The join of two objects of one class: field by field; for two that this merge has joined before, the same
    object."""
    if a.object.cls is not b.object.cls:
        raise Clash(f"{describe(a)} on one path and {describe(b)} on the other")
    met = aliases.joined(f.build, a.object, b.object)
    if met is not None:
        return Join("same", payload=met)
    return _object(f, a, b, [or_poison(functools.partial(_field, f, d, x, y), "T012")
                             for d, x, y in zip(a.object.cls.fields.values(), a.values, b.values,
                                                strict=True)])  # fmt: skip


MOST_SHOWN = 120  # characters of two compile-time values in a message


def two_constants(a: Any, b: Any) -> tuple[str, str]:
    """Two compile-time values in words: by their class where they are long."""
    one, other = describe(a), describe(b)
    if len(one) + len(other) < MOST_SHOWN:
        return one, other
    return f"a {type(a).__name__}", f"another {type(b).__name__}" if type(a) is type(b) else f"a {type(b).__name__}"


def _field(f: Frame, field: StructField, a: Any, b: Any) -> Join:
    if field.wanted is constexpr and not same(a, b):
        one, other = two_constants(a, b)
        raise Clash(f"{one} on one path and {other} on the other, and it is a compile-time field")
    return join_values(f, a, b)


def join_values(f: Frame, a: Any, b: Any) -> Join:
    """The join of a name that holds `a` on one path and `b` on the other. Raises Clash."""
    if same(a, b):
        return Join("same", payload=a)
    for x in (a, b):
        if isinstance(x, Poison):
            raise Clash(x)
    if isinstance(a, Snapshot) and isinstance(b, Snapshot):
        return _objects(f, a, b)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return join_tuple(tuple(join_values(f, x, y) for x, y in zip(a, b, strict=True)))
    if (is_number(a) or is_scalar(a)) and (is_number(b) or is_scalar(b)):
        return join_scalar(_scalar(a, b))
    if isinstance(a, (Vec, Ref)) and isinstance(b, (Vec, Ref)):
        return _tensors(f, a, b)
    raise Clash(f"{describe(a)} on one path and {describe(b)} on the other")


def _scalar(a: Any, b: Any) -> DType:
    if is_number(a) and is_number(b):
        kinds = promote(default(a), default(b))
        return kinds
    if is_number(a):
        a, b = b, a
    if is_number(b):
        d = with_literal(a.type, b)
        if not fits(b, d):
            raise Clash(f"a value of type {a.type} on one path and {b!r}, which does not fit it, on the other")
        return d
    return promote(a.type, b.type)


def _tensors(f: Frame, a: Any, b: Any) -> Join:
    for x in (a, b):
        if isinstance(x, Ref) and not is_registers(x):
            raise Clash("different tensors in memory on the two paths")
    if shapes.size(a.shape) != shapes.size(b.shape):
        raise Clash(f"{describe(a)} on one path and {describe(b)} on the other")
    if isinstance(a, Ref) or isinstance(b, Ref):
        if a.dtype != b.dtype:
            raise Clash(f"{describe(a)} on one path and {describe(b)} on the other")
        return _storage(f, a if isinstance(a, Ref) else b)
    return join_vector(a, promote(a.dtype, b.dtype))


# -- if --------------------------------------------------------------------------------------------------------------


def branch(f: Frame, cond: Value, then: Callable[[], None], other: Callable[[], None], live: Any, node: ast.AST,
           tail: bool = False) -> None:  # fmt: skip
    """An `if` at run time. `live`: names whose value matters afterwards; `tail`: nothing of the function comes
    afterwards."""
    span = f.b.span
    blocks, layers = (Block(), Block()), []
    for block, build in zip(blocks, (then, other), strict=True):
        with f.region(block) as layer:
            build()
        layers.append(layer)
    f.b.span = span
    joins: dict[str | FieldCell, Join] = {}
    clashes: dict[str | FieldCell, Poison] = {}
    f.build.met = []
    for name in dict.fromkeys((*layers[0], *layers[1])):
        if isinstance(name, FieldCell):
            if f.value_of(name) is MISSING:
                continue
        elif name not in live and name not in (*FLAGS, RESULT):
            continue
        # At the end of a function nothing reads the flags, but for the check that every path has returned a value.
        if tail and name in FLAGS and not (name == RETURNED and f.flow.returns_value):
            continue
        try:
            joins[name] = _joined(f, name, layers)
        except Clash as clash:
            if name == RESULT:
                f.fail("T075", node, name=f.label, why=clash.args[0])
            clashes[name] = poison(clash)
    given: list[list[Value]] = []
    for block, layer in zip(blocks, layers, strict=True):
        with f.b.inside(block):
            given.append(crossed(f, ((m, held_after(f, name, layer)) for name, m in joins.items()), node))
            f.b.yield_(*given[-1])
    types = tuple(t for m in joins.values() for t in m.types)
    # Lanes that have left the kernel are missed by nobody: bit 0 for the first region, bit 1 for the other.
    ends = sum(1 << i for i, layer in enumerate(layers) if f.caller is None and layer.get(RETURNED) is True)
    op = f.b.emit("if", (cond,), types, blocks, **({"returned": ends} if ends else {}))
    # Only now, as what a cell held before is what a path that left it alone gives.
    for name, clash in clashes.items():
        f.bind(name, clash)
    bind_results(f, joins, list(op.results))


def bind_results(f: Frame, joins: Mapping[Any, Join], values: list[Value]) -> None:
    """Binds names and cells to what has come out of an op."""
    for name, m in joins.items():
        held = m.bind(values)
        tensor_access.name_tensor(held, shown_name(name))
        f.bind(name, held)


def shown_name(name: str | FieldCell) -> str:
    """The name of a value in printed IR."""
    return name.field if isinstance(name, FieldCell) else "" if name.startswith("$") else name


def held_after(f: Frame, name: str | FieldCell, layer: Mapping[Any, Any]) -> Any:
    """The value of a name or cell at the end of the region that changed `layer`."""
    return frozen(f, layer[name] if name in layer else f.value_of(name), layer)


def _joined(f: Frame, name: str | FieldCell, layers: list[dict[Any, Any]]) -> Join:
    # A path that has left by a flag needs no value of a name that it never got; one that has returned needs none at
    # all.
    left = [any(layer.get(flag) is True for flag in FLAGS) for layer in layers]
    returned = [layer.get(RETURNED) is True for layer in layers]
    if isinstance(name, FieldCell) and f.caller is not None:
        # The caller sees what an object holds, whichever way its function was left.
        returned = [False, False]
    a, b = (held_after(f, name, layer) for layer in layers)
    if name in FLAGS:
        a, b = (False if x is MISSING else x for x in (a, b))
    for x, y, i in ((a, b, 1), (b, a, 0)):
        if y is MISSING and (left[i] or name == RESULT):
            if layers[i].get(BROKEN) is True or layers[i].get(SKIPPED) is True:
                f.skipped.add(name)
            return join_alone(f, x)
    for x in (a, b):
        if x is MISSING:
            raise Clash(Poison("T011"))
    try:
        return join_values(f, a, b)
    except Clash:
        if name == RESULT or returned[0] == returned[1]:
            raise
        return join_alone(f, a if returned[1] else b)


def poison(clash: Clash, code: str = "T012") -> Poison:
    """The marker of a name that has no value after a clash."""
    why = clash.args[0]
    return why if isinstance(why, Poison) else Poison(code, why)


# -- values by condition ---------------------------------------------------------------------------------------------


def choose(f: Frame, cond: Value, then: Callable[[], Any], other: Callable[[], Any], node: ast.AST) -> Any:
    """A value by a run-time condition: `select` where both sides are pure, an `if` otherwise."""
    span = f.b.span
    blocks, held, layers = (Block(), Block()), [], []
    for block, build in zip(blocks, (then, other), strict=True):
        with f.region(block) as layer:
            value = build()
        held.append(frozen(f, value, layer))
        layers.append(layer)
    f.b.span = span
    f.build.met = []
    try:
        m = join_values(f, *held)
    except Clash as clash:
        why = clash.args[0]
        f.fail("T013", node, why=why.why if isinstance(why, Poison) else why)
    given = []
    for block, v in zip(blocks, held, strict=True):
        with f.b.inside(block):
            given.append(crossed(f, [(m, v)], node))
    cells = changed_cells(f, *layers)
    if cells:
        return _with_cells(f, cond, blocks, layers, m, given, cells, node)
    if m.kind != "memory" and all(is_pure(op) for block in blocks for op in block.ops):
        for block in blocks:
            f.b.move(block)
        chosen = m.bind([_select(f, cond, a, b) for a, b in zip(*given, strict=True)])
        choices.remember(f, cond, held[0], held[1], chosen)
        return chosen
    for block, values in zip(blocks, given, strict=True):
        with f.b.inside(block):
            f.b.yield_(*values)
    return m.bind(list(f.b.emit("if", (cond,), m.types, blocks).results))


def changed_cells(f: Frame, *layers: Mapping[Any, Any]) -> list[FieldCell]:
    """The cells, of objects that were there before, that regions have changed."""
    return [c for c in dict.fromkeys(c for layer in layers for c in layer if isinstance(c, FieldCell))
            if f.value_of(c) is not MISSING]


def _with_cells(f: Frame, cond: Value, blocks: Any, layers: list[dict[Any, Any]], m: Join, given: list[list[Value]],
                cells: list[FieldCell],
                node: ast.AST) -> Any:  # fmt: skip
    """The rest of `choose` where a side has changed objects."""
    joins = {c: or_poison(functools.partial(_joined, f, c, layers), "T012") for c in cells}
    for block, layer, values in zip(blocks, layers, given, strict=True):
        with f.b.inside(block):
            f.b.yield_(*values, *crossed(f, ((m, held_after(f, c, layer)) for c, m in joins.items()), node))
    op = f.b.emit("if", (cond,), (*m.types, *(t for crossing in joins.values() for t in crossing.types)), blocks)
    results = list(op.results)
    chosen = m.bind(results)
    bind_results(f, joins, results)
    return chosen


def _select(f: Frame, cond: Value, a: Value, b: Value) -> Value:
    """`select`, or the condition itself where it chooses between true and false."""
    if a.type == u1 and all(x.op is not None and x.op.name == "const" for x in (a, b)):
        values = tuple(x.op.attrs["value"] for x in (a, b) if x.op is not None)
        if values == (True, False):
            return cond
        if values == (False, True):
            return f.b.same("not", cond)
    return a if a is b else f.b.select(cond, a, b)
