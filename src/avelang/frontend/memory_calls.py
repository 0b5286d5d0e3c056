"""The builtins that make tensors and layouts: `make_shared`, `make_local`, `full`, `make_tensor`, `make_layout`,
`view`, `subview`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from avelang.base.errors import AveError
from avelang.frontend import math_calls, scratch, shapes, tensor_access
from avelang.frontend.frame import Frame
from avelang.frontend.infer import fits
from avelang.frontend.names import Layout, Tensor, extents
from avelang.frontend.values import Ref, Vec, describe, is_number
from avelang.ir.dtypes import DType
from avelang.ir.types import LOCAL, SHARED, VecType

Args = dict[str, Any]


def shape_of(f: Frame, v: Any, callee: str, node: ast.AST) -> tuple[Any, ...]:
    """A static shape. Raises T017 where an extent is known only at run time, T030 where it is no extent."""
    with f.locate(node):
        shape = shapes.as_tuple(extents(v, "an extent", 1))
    if not shapes.static(shape):
        f.fail("T017", node, what=f"the shape of {callee}", got=shapes.show(shape))
    return shape


def _make_shared(f: Frame, a: Args, node: ast.AST) -> Ref:
    shape, d = shape_of(f, a["shape"], "al.make_shared", node), math_calls.dtype(f, a["dtype"], "al.make_shared", node)
    align = a.get("alignment", 16)
    if not isinstance(align, int) or align < 1 or align & (align - 1):
        f.fail("T033", node, got=describe(align))
    undefined = a.get("undefined", False)
    if undefined.__class__ is not bool:
        f.fail("T022", node, what="undefined of al.make_shared", got=describe(undefined), want="True or False")
    return tensor_access.alloc(f, d, shape, SHARED, max(align, d.bytes), undefined=undefined)


def _make_scratch(f: Frame, a: Args, node: ast.AST) -> Ref:
    shape = shape_of(f, a["shape"], "al.make_scratch", node)
    d = math_calls.dtype(f, a["dtype"], "al.make_scratch", node)
    return scratch.allocate(f, d, shape, a.get("slot", 0), node)


def _make_local(f: Frame, a: Args, node: ast.AST) -> Ref:
    shape, d = shape_of(f, a["shape"], "al.make_local", node), math_calls.dtype(f, a["dtype"], "al.make_local", node)
    return tensor_access.alloc(f, d, shape, LOCAL)


def _full(f: Frame, a: Args, node: ast.AST) -> Vec:
    shape, d = shape_of(f, a["shape"], "al.full", node), math_calls.dtype(f, a["dtype"], "al.full", node)
    value, n = math_calls.numeric(f, a["value"], "the value of al.full", node), shapes.size(shape)
    if is_number(value):
        if isinstance(value, float) and not d.is_float or not fits(value, d):
            f.fail("T021", node, number=value, dtype=d)
        return Vec(f.b.const(value, VecType(d, n)), shape)
    value = tensor_access.coerce(f, value, d, node, "the value of al.full")
    if isinstance(value, Vec):
        f.fail("T022", node, what="the value of al.full", got=describe(value), want="a number")
    return Vec(tensor_access.splat(f, value, n), shape)


def _make_layout(f: Frame, a: Args, node: ast.AST) -> Layout:
    with f.locate(node):
        shape = shapes.as_tuple(extents(a["shape"], "an extent", 1))
        return Layout(shape, a["strides"] if "strides" in a else tensor_access.default_strides(f, shape))


def _target(f: Frame, a: Args, callee: str, node: ast.AST) -> Tensor:
    """The type of a view, from (Tensor) or (dtype, layout)."""
    d = a["dtype"]
    if isinstance(d, Tensor) and d.dynamic:
        f.fail("T030", node, got="al.dynamic", what="an extent")
    if isinstance(d, Tensor) and "layout" not in a:
        return d
    if not isinstance(d, DType):
        f.fail("T034", node, callee=callee, got=describe(d))
    layout = a.get("layout")
    if isinstance(layout, tuple):
        layout = _make_layout(f, {"shape": layout}, node)
    if not isinstance(layout, Layout):
        f.fail("T035", node, callee=callee, got=describe(layout))
    try:
        return Tensor(layout.shape, layout.strides, d)
    except AveError as e:
        e.span = e.span or f.span(node)
        raise


BUILTIN: dict[str, Callable[[Frame, Args, ast.Call], Any]] = {
    "make_shared": _make_shared,
    "make_scratch": _make_scratch,
    "make_local": _make_local,
    "full": _full,
    "make_layout": _make_layout,
    "make_tensor": lambda f, a,
    node: tensor_access.make_tensor(f, a["pointer"], _target(f, a, "al.make_tensor", node), node),
    "view": lambda f, a, node: tensor_access.view(f, a["tensor"], _target(f, a, "al.view", node), node),
    "subview": lambda f, a,
    node: tensor_access.subview(f, a["tensor"], a["offsets"], a["sizes"], a.get("strides"), node),
}
