"""Slices of tensors, `x[i, 8 * j : 8 * j + 8]`: bounds come in, of which the length must be known at compile time; the
part that they name goes out, as a subview.

Two bounds that are known only at run time differ by a known number where the difference of what computes them is one:
both are read as polynomials of what is neither added, subtracted nor multiplied."""

from __future__ import annotations

import ast
import dataclasses
import itertools
from collections.abc import Callable
from typing import Any, NoReturn

from avelang.frontend import shapes, tensor_access
from avelang.frontend.frame import Frame
from avelang.frontend.values import Ref, Vec, describe, is_scalar
from avelang.ir.core import Value

Polynomial = dict[tuple[int, ...], int]


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """A slice as an index: `lower` and `upper` are ints, run-time integers or None; `step` an int."""

    lower: Any
    upper: Any
    step: int


def indices(f: Frame, node: ast.Subscript, expr: Callable[[ast.expr], Any]) -> tuple[Any, ...] | None:
    """The indices of a subscript that has slices; None of one that has none."""
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if not any(isinstance(i, ast.Slice) for i in items):
        return None
    return tuple(_bounds(f, i) if isinstance(i, ast.Slice) else expr(i) for i in items)


def _bounds(f: Frame, node: ast.Slice) -> Bounds:
    lower, upper, step = (None if p is None else f.expr(p) for p in (node.lower, node.upper, node.step))
    for v in (lower, upper):
        if v is not None and not isinstance(v, int) and not (is_scalar(v) and v.type.is_int):
            f.fail("T040", node, got=describe(v))
    if step is not None and (not isinstance(step, int) or step < 1):
        f.fail("T101", node, what="the step of a slice", allowed="an int from 1 known at compile time",
               got=describe(step) if not isinstance(step, int) else step)
    return Bounds(lower, upper, step or 1)


# -- lengths -----------------------------------------------------------------------------------------------------------


def _polynomial(v: Any, names: dict[Any, int]) -> Polynomial:
    if isinstance(v, int):
        return {(): v} if v else {}
    op = v.op
    if op is not None and op.name == "const":
        return _polynomial(int(op.attrs["value"]), names)
    if op is not None and op.name == "convert" and op.operands[0].type.is_int:
        return _polynomial(op.operands[0], names)
    if op is not None and op.name in ("add", "sub", "mul"):
        a, b = (_polynomial(x, names) for x in op.operands)
        if op.name == "mul":
            out: Polynomial = {}
            for (x, p), (y, q) in itertools.product(a.items(), b.items()):
                key = tuple(sorted((*x, *y)))
                out[key] = out.get(key, 0) + p * q
            return out
        return _sum(a, b, 1 if op.name == "add" else -1)
    return {(names.setdefault(_key(v), len(names)),): 1}


def _sum(a: Polynomial, b: Polynomial, by: int) -> Polynomial:
    out = dict(a)
    for key, n in b.items():
        out[key] = out.get(key, 0) + by * n
    return out


def _key(v: Value) -> Any:
    """Equal for values that are computed alike."""
    op = v.op
    if op is None or op.defn.effects or op.regions or len(op.results) != 1:
        return id(v)
    return op.name, v.type, tuple(sorted(op.attrs.items())), tuple(_key(x) for x in op.operands)


def _length(f: Frame, s: Bounds, extent: Any, axis: int, node: ast.AST) -> tuple[Any, int]:
    """The first coordinate and the number of coordinates of a slice of a mode. Raises T017, T030, T041."""
    known = isinstance(extent, int)
    lower, upper = 0 if s.lower is None else s.lower, extent if s.upper is None else s.upper
    for v in (lower, upper):
        if isinstance(v, int) and v < 0 and not known:
            f.fail("T041", node, index=v, axis=axis, extent="?")
    lower, upper = (v + extent if isinstance(v, int) and v < 0 else v for v in (lower, upper))
    difference = _sum(_polynomial(upper, names := {}), _polynomial(lower, names), -1)
    if any(n for key, n in difference.items() if key):
        hint = "write it as start : start + n, with n known at compile time; or go through it in a loop"
        f.fail("T017", node, hint, what="the length of a slice", got="the difference of two run-time values")
    length = -(-difference.get((), 0) // s.step)
    if length < 1:
        f.fail("T030", node, "a slice has one element at least", got=f"a slice of length {max(length, 0)}",
               what="an extent")
    last = lower + (length - 1) * s.step if isinstance(lower, int) else None
    if last is not None and (lower < 0 or (known and last >= extent)):
        hint = "a slice is not cut at the end as Python's: its bounds lie within the extent"
        f.fail("T041", node, hint, index=lower if lower < 0 else last, axis=axis, extent=extent if known else "?")
    if last is None and known and (length - 1) * s.step >= extent:
        f.fail("T041", node, f"a slice of {length} elements does not fit", index=(length - 1) * s.step, axis=axis,
               extent=extent)
    return lower, length


# -- parts -------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class _Part:
    """The offsets for all leaves, and the modes that remain with their strides in steps of the base's own."""

    offsets: list[Any]
    shape: list[Any]
    strides: list[Any]
    reach: list[int]  # of each leaf, from the offset to the last coordinate


def _full(index: Any) -> bool:
    return isinstance(index, Bounds) and index == Bounds(None, None, 1)


def _refuse(f: Frame, shape: Any, node: ast.AST, count: int) -> NoReturn:
    f.fail("T042", node, "a slice takes one mode that is not nested; `:` all of any mode", got=count,
           shape=shapes.show(shape))


def _part(f: Frame, shape: tuple[Any, ...], strides: tuple[Any, ...], index: tuple[Any, ...],
          node: ast.AST) -> _Part:  # fmt: skip
    if len(index) > len(shape):
        shape, strides = tuple(shapes.leaves(shape)), tuple(shapes.leaves(strides))
    if len(index) > len(shape):
        f.fail("T042", node, got=len(index), shape=shapes.show(shape))
    index = (*index, *[Bounds(None, None, 1)] * (len(shape) - len(index)))
    out = _Part([], [], [], [])
    for axis, (i, extent, stride) in enumerate(zip(index, shape, strides, strict=True)):
        if not isinstance(i, Bounds):
            found, _, _ = tensor_access.coordinates(f, (i,), (extent,), node)
            out.offsets += found
            out.reach += [0] * len(found)
        elif _full(i):
            leaves = shapes.leaves((extent,))
            out.offsets += [0] * len(leaves)
            out.reach += [0] * len(leaves)
            out.shape.append(extent)
            out.strides.append(stride)
        elif isinstance(extent, tuple):
            _refuse(f, shape, node, len(index))
        else:
            first, length = _length(f, i, extent, axis, node)
            out.offsets.append(first)
            out.reach.append((length - 1) * i.step)
            out.shape.append(length)
            out.strides.append(tensor_access.product(f, stride, i.step))
    return out


def window(f: Frame, base: Any, index: tuple[Any, ...], node: ast.AST) -> Ref | Vec:
    """`base[index]` with slices among the indices: a part of a tensor that goes by reference, or of a vector its
    elements."""
    if isinstance(base, Vec):
        return _of_vector(f, base, index, node)
    base = tensor_access.whole(f, base)
    part = _part(f, base.shape, base.strides, index, node)
    f.at(node)
    offsets = [tensor_access.index_value(f, o) for o in part.offsets]
    made = tensor_access.make(f, "subview", [base.value, *offsets], base.dtype, base.type.space, tuple(part.shape),
                              tuple(part.strides), reach=tuple(part.reach))  # fmt: skip
    return dataclasses.replace(made, sliced=True, uncopied=base.uncopied)


def _of_vector(f: Frame, v: Vec, index: tuple[Any, ...], node: ast.AST) -> Vec:
    strides = tensor_access.default_strides(f, v.shape)
    part = _part(f, v.shape, strides, index, node)
    start: Any = 0
    for o, s in zip(part.offsets, shapes.leaves(strides), strict=True):
        start = tensor_access.add(f, start, tensor_access.mul(f, o, s))
    ranges = (range(n) for n in shapes.leaves(tuple(part.shape)))
    by = shapes.leaves(tuple(part.strides))
    steps = [sum(i * s for i, s in zip(at, by, strict=True)) for at in itertools.product(*ranges)]
    f.at(node)
    if isinstance(start, int) and steps == list(range(len(steps))):
        return Vec(f.b.slice(v.value, start, len(steps)), tuple(part.shape))
    items = []
    for step in steps:
        at = tensor_access.add(f, start, step)
        items.append(f.b.extract(v.value, at if isinstance(at, int) else tensor_access.index_value(f, at)))
    return Vec(f.b.vec(items), tuple(part.shape))


def is_sliced(index: tuple[Any, ...]) -> bool:
    """True where a slice is among the indices."""
    return any(isinstance(i, Bounds) for i in index)


__all__ = ["Bounds", "indices", "is_sliced", "window"]
