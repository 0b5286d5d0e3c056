"""Where control flow meets: what a name holds on each path comes in, `if`, `for` and `while` ops with results go out."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable
from typing import Any

from avelang.frontend import choices, layouts, tensors
from avelang.frontend.frame import MISSING, Frame
from avelang.frontend.infer import carries, default, fits, promote, with_literal
from avelang.frontend.values import Poison, Ref, Vec, describe, is_number, is_scalar
from avelang.ir.core import Block, Value, is_pure
from avelang.ir.dtypes import DType, u1
from avelang.ir.types import LOCAL, Type, VecType

# Names of the frontend's own: a function has returned, what it gave, a loop has been left, a trip has been left.
RETURNED, RESULT, BROKEN, SKIPPED = "$returned", "$result", "$broken", "$skipped"
FLAGS = (RETURNED, BROKEN, SKIPPED)


class Clash(Exception):  # noqa: N818 - never leaves the frontend
    """Two paths give a name things that cannot meet."""


@dataclasses.dataclass(slots=True)
class Meet:
    """How a name crosses the edge of a region: `kind` is "scalar", "vector", "tuple", "memory" or "same".

    `types` are the IR values that carry it. "same": a compile-time object, nothing is carried. "memory": the paths write to one storage.
    `literal`: the number that a scalar was before a loop, whose type is still open.
    """

    kind: str
    types: tuple[Type, ...] = ()
    items: tuple[Meet, ...] = ()
    payload: Any = None
    literal: Any = None

    def give(self, f: Frame, v: Any, node: ast.AST) -> list[Value]:
        """The IR values that carry `v`, made in the current block; zeros where there is nothing to carry."""
        if self.kind == "tuple":
            return [x for i, m in enumerate(self.items) for x in m.give(f, v if v is MISSING else v[i], node)]
        if self.kind == "memory":
            if v is not MISSING and not (isinstance(v, Ref) and v.value is self.payload.value):
                tensors.store(f, self.payload, v, node)
            return []
        if self.kind == "same":
            return []
        if v is MISSING or isinstance(v, Poison):
            return [f.b.const(0, self.types[0])]
        d = self.types[0].dtype if isinstance(self.types[0], VecType) else self.types[0]
        if is_number(v):
            return [f.b.const(v, d)]  # type: ignore[arg-type]
        v = tensors.operand(f, v, node)
        return [f.b.convert(v.value if isinstance(v, Vec) else v, d)]  # type: ignore[arg-type]

    def take(self, values: list[Value]) -> Any:
        """What the name holds afterwards; takes its values off the front of the list."""
        if self.kind == "tuple":
            return tuple(m.take(values) for m in self.items)
        if self.kind == "vector":
            return Vec(values.pop(0), self.payload)
        return values.pop(0) if self.kind == "scalar" else self.payload


def scalar(d: DType, literal: Any = None) -> Meet:
    return Meet("scalar", (d,), literal=literal)


def vector(v: Vec, d: DType) -> Meet:
    return Meet("vector", (VecType(d, v.n),), payload=v.shape)


def together(items: tuple[Meet, ...]) -> Meet:
    return Meet("tuple", tuple(t for m in items for t in m.types), items)


def same(a: Any, b: Any) -> bool:
    """Whether two compile-time values, or the very same run-time value, stand on both sides."""
    if a is b:
        return True
    if isinstance(a, Value) or isinstance(b, Value) or type(a) is not type(b):
        return False
    if isinstance(a, Vec):
        return a.value is b.value and a.shape == b.shape
    if isinstance(a, Ref):
        return a.value is b.value and a.coords == b.coords and a.shape == b.shape
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return repr(a) == repr(b) if isinstance(a, float) else bool(a == b)


def _registers(v: Any) -> bool:
    return isinstance(v, Ref) and v.is_register and layouts.static(v.shape)


def alone(f: Frame, v: Any) -> Meet:
    """How `v` crosses when the other path has nothing to say."""
    if is_scalar(v):
        return scalar(v.type)
    if isinstance(v, Vec):
        return vector(v, v.dtype)
    if isinstance(v, tuple):
        return together(tuple(alone(f, x) for x in v))
    if _registers(v):
        return _storage(f, v)
    if isinstance(v, (Value, Ref)):
        raise Clash("a tensor that only one path makes")
    return Meet("same", payload=v)


def _storage(f: Frame, v: Any) -> Meet:
    return Meet("memory", payload=tensors.alloc(f, v.dtype, v.shape, LOCAL, name=v.value.name))


def meet(f: Frame, a: Any, b: Any) -> Meet:
    """How a name crosses when it holds `a` on one path and `b` on the other. Raises Clash."""
    if same(a, b):
        return Meet("same", payload=a)
    for x in (a, b):
        if isinstance(x, Poison):
            raise Clash(x)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return together(tuple(meet(f, x, y) for x, y in zip(a, b, strict=True)))
    if (is_number(a) or is_scalar(a)) and (is_number(b) or is_scalar(b)):
        return scalar(_scalar(a, b))
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


def _tensors(f: Frame, a: Any, b: Any) -> Meet:
    for x in (a, b):
        if isinstance(x, Ref) and not _registers(x):
            raise Clash("different tensors in memory on the two paths")
    if layouts.size(a.shape) != layouts.size(b.shape):
        raise Clash(f"{describe(a)} on one path and {describe(b)} on the other")
    if isinstance(a, Ref) or isinstance(b, Ref):
        if a.dtype != b.dtype:
            raise Clash(f"{describe(a)} on one path and {describe(b)} on the other")
        return _storage(f, a if isinstance(a, Ref) else b)
    return vector(a, promote(a.dtype, b.dtype))


# -- if ------------------------------------------------------------------------------------------------------------------------------


def branch(f: Frame, cond: Value, then: Callable[[], None], other: Callable[[], None], live: Any, node: ast.AST,
           tail: bool = False) -> None:  # fmt: skip
    """An `if` at run time. `live`: names whose value matters afterwards; `tail`: nothing of the function comes afterwards."""
    span = f.b.span
    blocks, layers = (Block(), Block()), []
    for block, build in zip(blocks, (then, other), strict=True):
        with f.region(block) as layer:
            build()
        layers.append(layer)
    f.b.span = span
    meets: dict[str, Meet] = {}
    for name in dict.fromkeys((*layers[0], *layers[1])):
        if name not in live and name not in (*FLAGS, RESULT):
            continue
        # At the end of a function nothing reads the flags, but for the check that every path has returned a value.
        if tail and name in FLAGS and not (name == RETURNED and f.flow.returns_value):
            continue
        try:
            meets[name] = _joined(f, name, layers)
        except Clash as clash:
            if name == RESULT:
                f.fail("T075", node, name=f.node.name, why=clash.args[0])
            f.env.set(name, _poison(f, name, clash))
    given: list[list[Value]] = []
    for block, layer in zip(blocks, layers, strict=True):
        with f.b.inside(block):
            given.append([x for name, m in meets.items() for x in _give(f, m, _held(f, name, layer), node)])
            f.b.yield_(*given[-1])
    types = tuple(t for m in meets.values() for t in m.types)
    op = f.b.emit("if", (cond,), types, blocks)
    results = list(op.results)
    for name, m in meets.items():
        held = m.take(results)
        tensors.name_tensor(held, name if not name.startswith("$") else "")
        f.env.set(name, held)


def _give(f: Frame, m: Meet, v: Any, node: ast.AST) -> list[Value]:
    return m.give(f, MISSING if isinstance(v, Poison) else v, node)


def _held(f: Frame, name: str, layer: dict[str, Any]) -> Any:
    return layer[name] if name in layer else f.env.get(name)


def _joined(f: Frame, name: str, layers: list[dict[str, Any]]) -> Meet:
    # A path that has left by a flag needs no value of a name that it never got; one that has returned needs none at all.
    left = [any(layer.get(flag) is True for flag in FLAGS) for layer in layers]
    returned = [layer.get(RETURNED) is True for layer in layers]
    a, b = (_held(f, name, layer) for layer in layers)
    if name in FLAGS:
        a, b = (False if x is MISSING else x for x in (a, b))
    for x, y, gone in ((a, b, left[1]), (b, a, left[0])):
        if y is MISSING and (gone or name == RESULT):
            return alone(f, x)
    for x in (a, b):
        if x is MISSING:
            raise Clash(Poison("T011"))
    try:
        return meet(f, a, b)
    except Clash:
        if name == RESULT or returned[0] == returned[1]:
            raise
        return alone(f, a if returned[1] else b)


def _poison(f: Frame, name: str, clash: Clash) -> Poison:
    why = clash.args[0]
    return why if isinstance(why, Poison) else Poison("T012", why)


# -- values by condition -------------------------------------------------------------------------------------------------------------


def choose(f: Frame, cond: Value, then: Callable[[], Any], other: Callable[[], Any], node: ast.AST) -> Any:
    """A value by a run-time condition: `select` where both sides are pure, an `if` otherwise."""
    span = f.b.span
    blocks, held = (Block(), Block()), []
    for block, build in zip(blocks, (then, other), strict=True):
        with f.region(block):
            held.append(build())
    f.b.span = span
    try:
        m = meet(f, *held)
    except Clash as clash:
        f.fail("T013", node, why=clash.args[0])
    given = []
    for block, v in zip(blocks, held, strict=True):
        with f.b.inside(block):
            given.append(m.give(f, v, node))
    if m.kind != "memory" and all(is_pure(op) for block in blocks for op in block.ops):
        for block in blocks:
            f.b.move(block)
        chosen = m.take([_select(f, cond, a, b) for a, b in zip(*given, strict=True)])
        choices.remember(f, cond, held[0], held[1], chosen)
        return chosen
    for block, values in zip(blocks, given, strict=True):
        with f.b.inside(block):
            f.b.yield_(*values)
    return m.take(list(f.b.emit("if", (cond,), m.types, blocks).results))


def _select(f: Frame, cond: Value, a: Value, b: Value) -> Value:
    """`select`, or the condition itself where it chooses between true and false."""
    if a.type == u1 and all(x.op is not None and x.op.name == "const" for x in (a, b)):
        values = tuple(x.op.attrs["value"] for x in (a, b) if x.op is not None)
        if values == (True, False):
            return cond
        if values == (False, True):
            return f.b.same("not", cond)
    return a if a is b else f.b.select(cond, a, b)


# -- loops ---------------------------------------------------------------------------------------------------------------------------


def before_loop(f: Frame, v: Any, node: ast.AST) -> Meet:
    """How a name that holds `v` before a loop crosses its head; the types of literals are guesses. Raises Clash."""
    if isinstance(v, Poison):
        raise Clash(v)
    if is_number(v):
        return scalar(default(v), literal=v)
    if is_scalar(v):
        return scalar(v.type, literal=f.build.soft.get(v))
    if isinstance(v, tuple):
        return together(tuple(before_loop(f, x, node) for x in v))
    m = alone(f, v)
    if m.kind == "memory":
        # A storage of the loop's own: the tensor that the name held before may have other names.
        tensors.store(f, m.payload, v, node)
    return m


def after_trip(m: Meet, v: Any) -> Meet:
    """The same crossing where it can take what the loop's body left, or one with another type to try. Raises Clash."""
    if isinstance(v, Poison):
        raise Clash(v)
    if m.kind == "tuple" and isinstance(v, tuple) and len(v) == len(m.items):
        return together(tuple(after_trip(x, y) for x, y in zip(m.items, v, strict=True)))
    if m.kind == "scalar" and (is_number(v) or is_scalar(v)):
        return _scalar_trip(m, v)
    if m.kind == "vector" and isinstance(v, (Vec, Ref)):
        d: DType = m.types[0].dtype  # type: ignore[union-attr]
        if layouts.size(v.shape) == layouts.size(m.payload) and layouts.static(v.shape) and carries(d, v.dtype):
            return m
    if m.kind == "memory" and isinstance(v, (Vec, Ref)) and v.dtype == m.payload.dtype and tensors.same_shape(v.shape, m.payload.shape):
        return m
    if m.kind == "same" and same(m.payload, v):
        return m
    raise Clash(f"{_shown(m)} before the loop and {describe(v)} after a trip")


def _shown(m: Meet) -> str:
    return f"a value of type {m.types[0]}" if m.types else describe(m.payload)


def _scalar_trip(m: Meet, v: Any) -> Meet:
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
            return scalar(d, m.literal)
    if is_scalar(v) and carries(have, want):
        return m
    raise Clash(f"a value of type {have} before the loop and {describe(v)} after a trip")


def loop(f: Frame, node: ast.AST, names: list[str], live: Any, op: str, operands: list[Value], attrs: dict[str, Any],
         head: Callable[[], Value] | None, body: Callable[[Value | None], None], once: bool) -> None:  # fmt: skip
    """A `for` (operands: start, stop, step) or `while` op. `names` may cross its head; those not bound before cross only its end, when
    `once` says that a trip is certain. `head` builds the condition of a `while`; `body` gets the induction variable of a `for`."""
    span = f.b.span
    meets: dict[str, Meet] = {}
    for name in names:
        held = f.env.get(name)
        if held is not MISSING:
            try:
                meets[name] = before_loop(f, held, node)
            except Clash as clash:
                f.env.set(name, _poison(f, name, clash))
    bound = {name: f.env.get(name) for name in meets}
    while True:
        blocks, layer = _trip(f, meets, op, operands, head, body)
        changed = False
        for name, m in list(meets.items()):
            try:
                meets[name] = after_trip(m, layer[name])
            except Clash as clash:
                why = clash.args[0]
                if isinstance(why, Poison):
                    f.fail(why.code, node, name=name, why=why.why)
                f.fail("T014", node, name=name, why=why)
            changed = changed or meets[name].types != m.types
        f.b.span = span
        if not changed:
            break
    late = _late(f, layer, meets, live, once)
    inits = [x for name, m in meets.items() for x in ([] if m.kind == "memory" else m.give(f, bound[name], node))]
    inits += [f.b.const(0, t) for m in late.values() for t in m.types]
    everything = {**meets, **late}
    for block in blocks:
        for m in late.values():
            for t in m.types:
                block.add_arg("", t)
    with f.b.inside(blocks[-1]):
        given = [x for name, m in everything.items() for x in m.give(f, layer[name], node)]
        f.b.yield_(*given)
    if op == "while":
        # The head passes on all that it got, the values that only the body makes included.
        blocks[0].terminator.operands[1:] = blocks[0].args
    made = f.b.emit(op, [*operands, *inits], tuple(t for m in everything.values() for t in m.types), blocks, **attrs)
    results = list(made.results)
    for name, m in everything.items():
        held = m.take(results)
        tensors.name_tensor(held, name if not name.startswith("$") else "")
        f.env.set(name, held)


def _late(f: Frame, layer: dict[str, Any], meets: dict[str, Meet], live: Any, once: bool) -> dict[str, Meet]:
    """Names that first get a value inside the loop and are read after it."""
    late: dict[str, Meet] = {}
    for name, v in layer.items():
        if name in meets or name not in live and name not in (RETURNED, RESULT):
            continue
        if isinstance(v, Poison):
            f.env.set(name, v)
        elif not once and name != RESULT:
            f.env.set(name, Poison("T015"))
        else:
            try:
                late[name] = alone(f, v)
            except Clash as clash:
                f.env.set(name, _poison(f, name, clash))
    return late


def _trip(f: Frame, meets: dict[str, Meet], op: str, operands: list[Value], head: Callable[[], Value] | None,
          body: Callable[[Value | None], None]) -> tuple[list[Block], dict[str, Any]]:  # fmt: skip
    """Builds the regions of a loop once, its names holding the arguments of the regions."""
    blocks = []
    if head is not None:
        first = Block()
        with f.region(first):
            args = _enter(f, first, meets)
            cond = head()
            f.b.emit("condition", [cond, *args])
        blocks.append(first)
    block = Block()
    counter = block.add_arg("", operands[0].type) if op == "for" else None
    with f.region(block) as layer:
        _enter(f, block, meets)
        body(counter)
    return [*blocks, block], layer


def _enter(f: Frame, block: Block, meets: dict[str, Meet]) -> list[Value]:
    """Adds the arguments that carry names, and binds the names to them."""
    args: list[Value] = []
    for name, m in meets.items():
        shown = "" if name.startswith("$") else name
        mine = [block.add_arg(shown, t) for t in m.types]
        args += mine
        if m.kind == "scalar" and m.literal is not None:
            f.build.soft[mine[0]] = m.literal
        f.env.set(name, m.take(list(mine)))
    return args
