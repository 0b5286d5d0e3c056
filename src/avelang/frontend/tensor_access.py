"""Tensors and register vectors: layouts, indices and values come in; loads, stores, views and subviews go out as IR."""

from __future__ import annotations

import ast
import dataclasses
import math
from typing import Any

from avelang.frontend import choices, shapes
from avelang.frontend.frame import Frame
from avelang.frontend.infer import MOST_TRIPS, fits, promote, stores_into
from avelang.frontend.names import Layout, Tensor
from avelang.frontend.structs import Object
from avelang.frontend.values import Ref, SignalRef, Vec, describe, element, is_number, is_scalar
from avelang.ir.core import Op, Value
from avelang.ir.dtypes import DType, i32, i64, u32
from avelang.ir.types import LOCAL, PtrType, TensorType, VecType

# An implicit read of a whole tensor (`a + b` on tensors in memory) is refused beyond this many elements a lane.
MOST_ELEMENTS = 4096


# -- integers that may be known at compile time ----------------------------------------------------------------------


def index_value(f: Frame, x: Any) -> Value:
    """An int, or a run-time integer, as an IR value of 32 or 64 bits."""
    if isinstance(x, int):
        return f.b.const(x, u32 if 0 <= x <= u32.max else i64)
    if x.type.bits < 32:
        return f.b.convert(x, i32 if x.type.kind == "int" else u32)
    return x


def pair(f: Frame, a: Any, b: Any) -> tuple[Value, Value]:
    """Two integers, not both compile-time, in the type in which they meet."""
    if isinstance(a, int):
        a = f.b.const(a, b.type if fits(a, b.type) else promote(b.type, i64))
    if isinstance(b, int):
        b = f.b.const(b, a.type if fits(b, a.type) else promote(a.type, i64))
    d = promote(a.type, b.type)
    return f.b.convert(a, d), f.b.convert(b, d)


def mul(f: Frame, a: Any, b: Any) -> Any:
    """The product of two integers, compile-time where it can be."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if a == 1 or b == 1:
        return b if isinstance(a, int) else a
    return 0 if 0 in (a, b) else f.b.mul(*pair(f, a, b))


def product(f: Frame, a: Any, b: Any) -> Any:
    """An extent times a stride, or a stride times a step: a run-time product in i64, so that it does not wrap where its
    factors' type would."""
    if isinstance(a, int) and isinstance(b, int) or 1 in [x for x in (a, b) if isinstance(x, int)]:
        return mul(f, a, b)
    return mul(f, *(x if isinstance(x, int) else f.b.convert(x, i64) for x in (a, b)))


def add(f: Frame, a: Any, b: Any) -> Any:
    """The sum of two integers, compile-time where it can be."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if isinstance(a, int) and a == 0:
        return b
    return a if isinstance(b, int) and b == 0 else f.b.add(*pair(f, a, b))


def _div_rem(f: Frame, a: Any, n: int) -> tuple[Any, Any]:
    if isinstance(a, int):
        return a // n, a % n
    x, y = pair(f, a, n)
    return f.b.same("div", x, y), f.b.same("rem", x, y)


# -- layouts ---------------------------------------------------------------------------------------------------------


def default_strides(f: Frame, shape: Any) -> Any:
    """Row-major strides of a shape."""
    return shapes.row_major(shape, lambda a, b: product(f, a, b))


def _typed_dims(f: Frame, shape: Any, strides: Any) -> tuple[tuple[int | None, ...], tuple[int | None, ...],
                                                             list[Value]]:
    """Extents and strides as a tensor type has them, and the values of those that it does not know."""
    flat = (shapes.leaves(shape), shapes.leaves(strides))
    dims = [index_value(f, x) for part in flat for x in part if not isinstance(x, int)]
    known = [tuple(x if isinstance(x, int) else None for x in part) for part in flat]
    return known[0], known[1], dims


def make(f: Frame, op: str, operands: list[Value], d: DType, space: str, shape: Any, strides: Any, **attrs: Any) -> Ref:
    """A tensor by `alloc`, `make_tensor`, `view` or `subview`."""
    extents, steps, dims = _typed_dims(f, shape, strides)
    made = f.b.emit(op, [*operands, *dims], (TensorType(d, extents, steps, space),), **attrs)
    return Ref(made.result, shapes.as_tuple(shape), shapes.as_tuple(strides))


def alloc(
    f: Frame, d: DType, shape: Any, space: str, align: int = 0, name: str = "", undefined: bool = False
) -> Ref:  # fmt: skip
    """New storage. `align` in bytes; 0: 16, so that the widest accesses are possible, or less where the tensor is
    smaller. `undefined`: shared memory of which anything may be read that nothing wrote."""
    strides = shapes.row_major(shape, lambda a, b: a * b)
    if not align:
        total = d.bytes * shapes.size(shape)
        align = max(d.bytes, min(16, 1 << (total.bit_length() - 1)))
    more = {"undefined": True} if undefined else {}
    return make(f, "alloc", [], d, space, shape, strides, name=name, align=align, **more)


def whole(f: Frame, r: Ref) -> Ref:
    """A tensor without pending coordinates: the sub-tensor as a subview of its own."""
    if not r.coords:
        return dataclasses.replace(r, sliced=False) if r.sliced else r
    rest = len(shapes.leaves(r.type.shape)) - len(r.coords)
    offsets = [index_value(f, c) for c in (*r.coords, *[0] * rest)]
    return make(f, "subview", [r.value, *offsets], r.dtype, r.type.space, r.shape, r.strides)


# -- coordinates -----------------------------------------------------------------------------------------------------


def _integer(f: Frame, x: Any, node: ast.AST) -> Any:
    if isinstance(x, int):
        return int(x)
    if is_scalar(x) and x.type.is_int:
        return x
    hint = "tile.load(x, index) and tile.store(x, index, value) take tiles" if isinstance(x, Object) else None
    f.fail("T040", node, hint, got=describe(x))


def _check(f: Frame, c: Any, extent: Any, axis: int, node: ast.AST) -> None:
    if isinstance(c, int) and (c < 0 or (isinstance(extent, int) and c >= extent)):
        f.fail("T041", node, index=c, axis=axis, extent=extent if isinstance(extent, int) else "?")


def _mode(f: Frame, c: Any, shape: Any, axis: int, node: ast.AST) -> list[Any]:
    """Leaf coordinates of one mode: of its own coordinate, of a tuple of them, or of one integer that runs first leaf
    fastest."""
    if isinstance(c, tuple):
        if not isinstance(shape, tuple) or len(c) != len(shape):
            f.fail("T042", node, got=len(c), shape=shapes.show(shape))
        return [leaf for part, s in zip(c, shape, strict=True) for leaf in _mode(f, part, s, axis, node)]
    c = _integer(f, c, node)
    if not isinstance(shape, tuple):
        _check(f, c, shape, axis, node)
        return [c]
    flat = shapes.leaves(shape)
    if shapes.static(flat):
        _check(f, c, math.prod(flat), axis, node)
    found = []
    for extent in flat[:-1]:
        if extent == 1:
            found.append(0)
            continue
        if not isinstance(extent, int):
            x, y = pair(f, c, extent)
            c, low = f.b.same("div", x, y), f.b.same("rem", x, y)
        else:
            c, low = _div_rem(f, c, extent)
        found.append(low)
    return [*found, c]


def coordinates(f: Frame, indices: tuple[Any, ...], shape: tuple[Any, ...],
                node: ast.AST) -> tuple[list[Any], tuple[Any, ...], int]:
    """Leaf coordinates for indices into a shape; also the nested shape that remains, and how many leaves went.

    Up to as many indices as modes go mode by mode; more go leaf by leaf.
    """
    if len(indices) <= len(shape):
        modes = enumerate(zip(indices, shape[: len(indices)], strict=True))
        found = [c for i, (x, s) in modes for c in _mode(f, x, s, i, node)]
        return found, shape[len(indices) :], len(found)
    flat = shapes.leaves(shape)
    if len(indices) > len(flat):
        if tuple(flat) == (POINTER_EXTENT,):
            f.fail("T042", node, "al.make_tensor(x, dtype, al.make_layout((m, n), (n, 1))) gives a pointer a shape; of "
                   "the pointer itself it is x[i * n + j]", got=len(indices), shape="(n,), as a pointer is")
        f.fail("T042", node, got=len(indices), shape=shapes.show(shape))
    found = []
    for i, x in enumerate(indices):
        x = _integer(f, x, node)
        _check(f, x, flat[i], i, node)
        found.append(x)
    return found, _drop(shape, len(found)), len(found)


def _drop(nested: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    """A nested shape without its first n leaves."""
    rest = list(nested)
    while n:
        first = rest.pop(0)
        if isinstance(first, tuple):
            rest[:0] = first
        else:
            n -= 1
    return tuple(rest)


# -- reading ---------------------------------------------------------------------------------------------------------


def data(f: Frame, v: Any, node: ast.AST) -> Any:
    """The value, where it is data. Raises T341 for a signal."""
    if isinstance(v, SignalRef):
        f.fail("T341", node, got=describe(v), why="it is no data, which is loaded, stored to or counted with")
    return v


def read(f: Frame, v: Any, node: ast.AST) -> Any:
    """A value out of what an expression gave: tensors that are static are loaded as vectors, anything else stays.
    Raises T341."""
    if not isinstance(v, Ref):
        return data(f, v, node)
    if not shapes.static(v.shape):
        return dataclasses.replace(whole(f, v), uncopied=True) if v.coords or v.sliced else v
    n = shapes.size(v.shape)
    if not v.is_register and n > MOST_ELEMENTS:
        f.fail("T043", node, shape=shapes.show(v.shape), n=n)
    loaded = f.b.emit("load", [v.value, *(index_value(f, c) for c in v.coords)], (VecType(v.dtype, n),)).result
    return Vec(loaded, v.shape)


def read_name(f: Frame, v: Any, node: ast.AST) -> Any:
    """The value that a name is bound to when an expression gave `v`: a sub-tensor is read (copied to registers),
    anything else is shared."""
    if isinstance(v, Ref) and (v.coords or v.sliced):
        return read(f, v, node)
    if isinstance(v, tuple) and any(isinstance(x, (Ref, tuple)) for x in v) and not hasattr(v, "_fields"):
        return tuple(read_name(f, x, node) for x in v)
    return v


def operand(f: Frame, v: Any, node: ast.AST) -> Any:
    """A tensor's value as `read` gives it, to compute with. Raises T046 for a tensor whose extents are known only at
    run time."""
    v = read(f, v, node)
    if isinstance(v, Ref):
        f.fail("T046", node, shape=shapes.show(v.shape))
    return v


# The extent of a pointer that is indexed as it is: beyond any memory, and its bytes still fit 64 bits.
POINTER_EXTENT = 1 << 48


def pointed(f: Frame, v: Any) -> Any:
    """A pointer as a tensor of one mode without an end; anything else as it is."""
    if isinstance(v, Value) and isinstance(v.type, PtrType):
        return make(f, "make_tensor", [v], v.type.dtype, v.type.space, (POINTER_EXTENT,), (1,), name=v.name)
    return v


def get(f: Frame, base: Any, indices: tuple[Any, ...], node: ast.AST) -> Any:
    """`base[indices]`: an element, or what remains of the tensor."""
    if isinstance(base, Vec):
        return _get_vec(f, base, indices, node)
    coords, rest, n = coordinates(f, indices, base.shape, node)
    coords = (*base.coords, *coords)
    if rest:
        return Ref(base.value, rest, _drop(base.strides, n), coords, base.uncopied)
    f.at(node)
    return f.b.emit("load", [base.value, *(index_value(f, c) for c in coords)], (base.dtype,)).result


def parts(f: Frame, v: Any, node: ast.AST) -> Any:
    """A tensor as the tuple of its parts along its first mode, where that has one known extent; anything else as it
    is."""
    if isinstance(v, (Vec, Ref)) and isinstance(v.shape[0], int) and v.shape[0] <= MOST_TRIPS:
        return tuple(get(f, v, (i,), node) for i in range(v.shape[0]))
    return v


def _get_vec(f: Frame, v: Vec, indices: tuple[Any, ...], node: ast.AST) -> Any:
    coords, rest, _ = coordinates(f, indices, v.shape, node)
    strides = shapes.leaves(shapes.row_major(v.shape, lambda a, b: a * b))
    at: Any = 0
    for c, s in zip(coords, strides, strict=False):
        at = add(f, at, mul(f, c, s))
    f.at(node)
    if not rest:
        return f.b.extract(v.value, at if isinstance(at, int) else index_value(f, at))
    count = shapes.size(rest)
    if isinstance(at, int):
        return Vec(f.b.slice(v.value, at, count), rest)
    items = [f.b.extract(v.value, index_value(f, add(f, at, i))) for i in range(count)]
    return Vec(f.b.vec(items), rest)


# -- writing ---------------------------------------------------------------------------------------------------------


def coerce(f: Frame, v: Any, d: DType, node: ast.AST, what: str) -> Any:
    """A number, scalar or vector as dtype `d`, where that conversion happens by itself. Raises T020, T021, T022,
    T046."""
    v = operand(f, v, node)
    if is_number(v):
        if isinstance(v, float) and not d.is_float or not fits(v, d):
            f.fail("T021", node, number=v, dtype=d)
        return f.b.const(v, d)
    chosen = choices.stored(f, v, d)
    if chosen is not None:
        return chosen
    have = element(v)
    if have is None:
        f.fail("T022", node, what=what, got=describe(v), want=f"a value of type {d}")
    if have != d and not stores_into(have, d):
        f.fail("T020", node, what=what, have=have, want=d)
    if isinstance(v, Vec):
        return v if have == d else Vec(f.b.convert(v.value, d), v.shape)
    return f.b.convert(v, d)


def same_shape(a: Any, b: Any) -> bool:
    """True if a value of static shape `a` may be stored where `b` is: equal leaves, extents of 1 aside, or one of them
    flat."""
    if shapes.size(a) != shapes.size(b):
        return False
    x, y = ([n for n in shapes.leaves(s) if n != 1] for s in (a, b))
    return x == y or len(x) <= 1 or len(y) <= 1


def splat(f: Frame, value: Value, n: int) -> Value:
    """A vector of n times the same scalar."""
    op = value.op
    if op is not None and op.name == "const":
        return f.b.const(op.attrs["value"], VecType(op.result.type, n))  # type: ignore[arg-type]
    return f.b.vec([value] * n)


def put(f: Frame, base: Any, indices: tuple[Any, ...], value: Any, node: ast.AST) -> None:
    """`base[indices] = value`."""
    if isinstance(base, Vec) and base.home is not None:
        stored_field(f, base)
    if not isinstance(base, Ref):
        f.fail("T044", node, got=describe(base))
    if base.uncopied:
        f.fail("T049", node, shape=shapes.show(base.shape))
    coords, rest, _ = coordinates(f, indices, base.shape, node)
    store(f, Ref(base.value, rest, (), (*base.coords, *coords)), value, node)


def store(f: Frame, target: Ref, value: Any, node: ast.AST) -> None:
    """Writes a value to all of a tensor, or to its one element."""
    value = coerce(f, operand(f, value, node), target.dtype, node, "the value stored")
    if not target.shape:
        if isinstance(value, Vec):
            f.fail("T045", node, got=shapes.show(value.shape), want="one element")
    elif not shapes.static(target.shape):
        f.fail("T046", node, shape=shapes.show(target.shape))
    elif isinstance(value, Vec):
        if not same_shape(value.shape, target.shape):
            f.fail("T045", node, got=shapes.show(value.shape), want=shapes.show(target.shape))
        value = value.value
    else:
        value = splat(f, value, shapes.size(target.shape))
    f.at(node)
    f.b.emit("store", [value, target.value, *(index_value(f, c) for c in target.coords)])


def stored_field(f: Frame, v: Vec) -> None:
    """A vector that was read from a field is changed in place: the build begins again, with storage for what that field
    holds."""
    if v.home not in f.build.known.stored:
        f.build.known.stored.add(v.home)
        f.build.known.restart()


def materialize(f: Frame, v: Any, name: str) -> Any:
    """A vector as a register tensor with storage, so that it can be changed in place; tuples item by item."""
    if isinstance(v, tuple) and any(isinstance(x, (Vec, tuple)) for x in v):
        return tuple(materialize(f, x, name) for x in v)
    if not isinstance(v, Vec):
        return v
    if v.home is not None:
        stored_field(f, v)
    storage = alloc(f, v.dtype, v.shape, LOCAL, name=name)
    f.b.emit("store", [v.value, storage.value])
    return storage


# -- views -----------------------------------------------------------------------------------------------------------


def view(f: Frame, v: Any, target: Tensor, node: ast.AST) -> Any:
    """The bits of `v` read as `target`: memory stays memory, registers stay registers."""
    if is_scalar(v):
        v = Vec(f.b.vec([v]), (1,))
    if not isinstance(v, (Vec, Ref)):
        f.fail("T022", node, what="the first argument of al.view", got=describe(v), want="a tensor")
    static = shapes.static(target.shape) and shapes.static(target.strides)
    if isinstance(v, Vec):
        if not static:
            f.fail("T046", node, shape=shapes.show(target.shape))
        if not shapes.compact(target.shape, target.strides):
            v = materialize(f, v, "")
    _check_bits(f, v, target, static, node)
    if isinstance(v, Vec):
        n = shapes.size(target.shape)
        return Vec(f.b.bitcast(v.value, VecType(target.dtype, n)), target.shape, v.home)
    v = whole(f, v)
    return make(f, "view", [v.value], target.dtype, v.type.space, target.shape, target.strides)


def _check_bits(f: Frame, v: Any, target: Tensor, static: bool, node: ast.AST) -> None:
    """A compact view of registers has exactly their bits; a view of memory must not reach past what it views."""
    if isinstance(v, Ref) and not (shapes.static(v.shape) and shapes.static(v.strides)):
        return
    if not static:
        return
    strides = v.strides if isinstance(v, Ref) else default_strides(f, v.shape)
    have = shapes.span(v.shape, strides) * v.dtype.bytes
    want = shapes.span(target.shape, target.strides) * target.dtype.bytes
    exact = (isinstance(v, Vec)
             or v.is_register) and shapes.compact(v.shape, strides) and shapes.compact(target.shape, target.strides)
    if want > have or (exact and want != have):
        f.fail("T047", node, shape=shapes.show(target.shape), dtype=target.dtype, want=want, have=have)


def subview(f: Frame, base: Any, offsets: Any, sizes: Any, strides: Any, node: ast.AST) -> Ref:
    """A window: `offsets` for the base's modes (or leaves), `sizes` its extents, `strides` in steps of the base's own.
    Of a base whose leading modes have extent 1, offsets may name the trailing modes alone."""
    if isinstance(base, Vec):
        base = materialize(f, base, "")
    data(f, base, node)
    if not isinstance(base, Ref):
        f.fail("T022", node, what="the first argument of al.subview", got=describe(base), want="a tensor")
    base = whole(f, base)
    with f.locate(node):
        window = Layout(sizes, _ones(shapes.as_tuple(sizes), strides))
    given, steps = shapes.as_tuple(offsets), shapes.leaves(base.strides)
    extents, left = shapes.leaves(base.shape), _left_out(base.shape, given)
    at, rest, _ = coordinates(f, (*(0,) * left, *given), base.shape, node)
    at, steps, extents = at[left:], steps[left:], extents[left:]
    if rest or len(shapes.leaves(window.shape)) != len(steps):
        f.fail("T048", node, shape=shapes.show(base.shape), offsets=len(at), sizes=len(shapes.leaves(window.shape)))
    for axis, (o, n, s, extent) in enumerate(
        zip(at, shapes.leaves(window.shape), shapes.leaves(window.strides), extents, strict=True), left
    ):
        if all(isinstance(x, int) for x in (o, n, s, extent)) and o + (n - 1) * s >= extent:
            f.fail("T041", node, index=o + (n - 1) * s, axis=axis, extent=extent)
    flat = [product(f, s, k) for s, k in zip(steps, shapes.leaves(window.strides), strict=True)]
    f.at(node)
    return make(f, "subview", [base.value, *(index_value(f, o) for o in (*(0,) * left, *at))], base.dtype,
                base.type.space, window.shape, shapes.rebuild(window.shape, flat))  # fmt: skip


def _left_out(shape: Any, offsets: tuple[Any, ...]) -> int:
    """The number of leading modes of extent 1 that `offsets` does not name: all that it lacks, or none."""
    missing = len(shape) - len(offsets) if not any(isinstance(o, tuple) for o in offsets) else 0
    return missing if missing > 0 and all(extent == 1 for extent in shape[:missing]) else 0


def _ones(sizes: Any, strides: Any) -> Any:
    if strides is not None:
        return strides
    return tuple(_ones(s, None) for s in sizes) if isinstance(sizes, tuple) else 1


def make_tensor(f: Frame, pointer: Any, target: Tensor, node: ast.AST) -> Ref:
    """A tensor at a pointer."""
    if not isinstance(pointer, Value) or not isinstance(pointer.type, PtrType):
        f.fail("T022", node, what="the first argument of al.make_tensor", got=describe(pointer), want="a pointer")
    return make(f, "make_tensor", [pointer], target.dtype, pointer.type.space, target.shape, target.strides, name="")


def name_tensor(v: Any, name: str) -> None:
    """Gives a value that was just made the name to which it is bound, for messages and for printing."""
    if isinstance(v, (Vec, Ref)):
        v = v.value
    if isinstance(v, Value):
        v.name = v.name or name
        op: Op | None = v.op
        if op is not None and op.attrs.get("name") == "":
            op.attrs["name"] = name
