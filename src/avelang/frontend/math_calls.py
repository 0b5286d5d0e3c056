"""Mathematics and conversions: the builtins `convert`, `bitcast`, `min`, `max`, `select`, `fma` and the functions of
one number."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from avelang.frontend import arith, choices, shapes, tensor_access
from avelang.frontend.frame import Frame
from avelang.frontend.infer import default, promote
from avelang.frontend.names import Tensor
from avelang.frontend.values import Ref, Vec, describe, element, is_number, is_runtime, is_scalar
from avelang.ir.core import Value
from avelang.ir.dtypes import DType, f32
from avelang.ir.functions import FUNCTIONS
from avelang.ir.types import VecType

Args = dict[str, Any]


def typed(f: Frame, number: int | float) -> Value:
    """A number that met nothing, as a run-time value of its default type."""
    return f.b.const(number, default(number))


def numeric(f: Frame, v: Any, what: str, node: ast.AST) -> Any:
    """A number, scalar or vector; tensors are read. Raises T022 for anything else."""
    v = tensor_access.operand(f, v, node)
    if is_number(v) or is_scalar(v) or isinstance(v, Vec):
        return v
    f.fail("T022", node, what=what, got=describe(v), want="a number or a vector")


def dtype(f: Frame, d: Any, callee: str, node: ast.AST) -> DType:
    """A dtype argument. Raises T032."""
    if not isinstance(d, DType) or d.kind == "void":
        f.fail("T032", node, what=callee, got=describe(d))
    return d


def lift(f: Frame, v: Any, build: Callable[[Value], Value]) -> Any:
    """Applies an element-wise op to a scalar or a vector."""
    f.b.span = f.b.span
    return Vec(build(v.value), v.shape) if isinstance(v, Vec) else build(v)


def convert(f: Frame, a: Args, node: ast.AST) -> Any:
    """`al.convert(value, dtype)`: always a run-time value of that dtype."""
    d = dtype(f, a["dtype"], "al.convert", node)
    v = numeric(f, a["value"], "the argument of al.convert", node)
    if not is_number(v):
        # A choice between literals gets that very type here, and keeps it.
        chosen = choices.stored(f, v, d)
        return chosen if chosen is not None else lift(f, v, lambda x: f.b.convert(x, d))
    if d.is_int and isinstance(v, float):
        # As the IR's convert does: toward zero, saturated, NaN to 0.
        v = 0 if math.isnan(v) else d.max if v >= d.max else d.min if v <= d.min else int(v)
    return f.b.const(bool(v) if d.kind == "bool" else v, d)


def _bitcast(f: Frame, a: Args, node: ast.AST) -> Any:
    v: Any = numeric(f, a["value"], "the argument of al.bitcast", node)
    if is_number(v):
        v = typed(f, v)
    if isinstance(a["dtype"], Tensor):
        return tensor_access.view(f, v, a["dtype"], node)
    d = dtype(f, a["dtype"], "al.bitcast", node)
    have: DType = element(v)  # type: ignore[assignment]
    bits = have.bits * (v.n if isinstance(v, Vec) else 1)
    if bits % d.bits or d.kind == "bool" or have.kind == "bool":
        f.fail("T070", node, got=describe(v), bits=bits, dtype=d, want=d.bits)
    if have.bits == d.bits:
        return lift(f, v, lambda x: f.b.bitcast(x, VecType(d, v.n) if isinstance(v, Vec) else d))
    n = bits // d.bits
    if n == 1:
        return f.b.bitcast(v.value, d)
    return Vec(f.b.bitcast(v.value if isinstance(v, Vec) else v, VecType(d, n)), (n,))


def unary(f: Frame, name: str, v: Any, node: ast.AST) -> Any:
    """A function of one number. Of a compile-time number: Python's."""
    v = numeric(f, v, f"the argument of al.{name}", node)
    if is_number(v):
        return arith.compile_time(f, node, f"al.{name}", lambda: FUNCTIONS[name].python(v))
    d: DType = element(v)  # type: ignore[assignment]
    if d.kind not in FUNCTIONS[name].kinds.split():
        f.fail("T071", node, name=name, dtype=d)
    return lift(f, v, lambda x: f.b.same(name, x))


def fold(f: Frame, name: str, args: list[Any], node: ast.AST) -> Any:
    """`min` or `max` of any number of values."""
    if not any(map(is_runtime, args)):
        return arith.compile_time(f, node, f"al.{name}", lambda: {"min": min, "max": max}[name](args))
    result = args[0]
    for v in args[1:]:
        if is_number(result) and is_number(v):
            result = {"min": min, "max": max}[name](result, v)
        else:
            result = arith.values(f, name, f"al.{name}", result, v, node)
    return tensor_access.operand(f, result, node)


def _select(f: Frame, a: Args, node: ast.AST) -> Any:
    x, y = (numeric(f, a[k], f"argument `{k}` of al.select", node) for k in "ab")
    cond: Any = tensor_access.operand(f, a["condition"], node)
    mask = isinstance(cond, Vec)
    if not mask:
        cond = arith.condition(f, cond, node)
        if isinstance(cond, bool):
            return x if cond else y
    elif cond.dtype.kind != "bool":
        f.fail("T028", node, got=describe(cond))
    sides = (x, y)
    if is_number(x) and is_number(y):
        d = promote(default(x), default(y))
        x, y = f.b.const(x, d), f.b.const(y, d)
    p, q, shape = arith.align(f, x, y, node, "al.select", arithmetic=False)
    if mask:
        if shape is None:
            shape, p, q = cond.shape, tensor_access.splat(f, p, cond.n), tensor_access.splat(f, q, cond.n)
        if not tensor_access.same_shape(shape, cond.shape):
            f.fail("T027", node, op="al.select", a=shapes.show(cond.shape), b=shapes.show(shape))
        cond = cond.value
    f.at(node)
    chosen = arith.wrap(f.b.select(cond, p, q), shape)  # type: ignore[arg-type]
    choices.remember(f, cond, *sides, chosen)  # type: ignore[arg-type]
    return chosen


def fused(a: Any, b: Any, c: Any) -> Any:
    """a * b + c of Python's numbers: exact of integers, else rounded once to a float, as `math.fma` of later
    Pythons."""
    if all(isinstance(x, int) for x in (a, b, c)):
        return a * b + c
    *factors, addend = (isinstance(x, int) or math.isfinite(x) for x in (a, b, c))
    if not (all(factors) and addend):
        return float(c) if all(factors) else a * b + c  # a product of finite numbers becomes not infinite on its way
    total = Fraction(a) * Fraction(b) + Fraction(c)
    if not total:
        return float(a * b + c) if not a or not b else 0.0
    try:
        nearest = float(total)
    except OverflowError:
        nearest = math.inf
    return math.copysign(nearest, 1 if total > 0 else -1)


def _fma(f: Frame, a: Args, node: ast.AST) -> Any:
    """a * b + c with one rounding, in the type in which the three meet."""
    items = [numeric(f, a[k], f"argument `{k}` of al.fma", node) for k in "abc"]
    if not any(map(is_runtime, items)):
        return fused(*items)
    first = next(x for x in items if not is_number(x))
    d: DType = element(first)  # type: ignore[assignment]
    for x in items:
        d = arith.common_type(f, f.b.const(0, d), x, node)
    n = next((x for x in items if isinstance(x, Vec)), None)
    flat = []
    for x in items:
        x = arith._as(f, x, d, node)
        if isinstance(x, Vec) and n is not None and not tensor_access.same_shape(x.shape, n.shape):
            f.fail("T027", node, op="al.fma", a=shapes.show(n.shape), b=shapes.show(x.shape))
        flat.append(x.value if isinstance(x, Vec) else x if n is None else tensor_access.splat(f, x, n.n))
    f.at(node)
    return arith.wrap(f.b.same("fma", *flat), n.shape if n is not None else None)


BUILTIN: dict[str, Callable[[Frame, Args, ast.Call], Any]] = {
    "convert": convert,
    "bitcast": _bitcast,
    **{n: (lambda f, a, node, n=n: unary(f, n, a["value"], node)) for n in FUNCTIONS},
    "min": lambda f, a, node: fold(f, "min", [a["a"], a["b"], *a["rest"]], node),
    "max": lambda f, a, node: fold(f, "max", [a["a"], a["b"], *a["rest"]], node),
    "select": _select,
    "fma": _fma,
}

__all__ = ["BUILTIN", "Ref", "convert", "f32", "fold", "numeric", "typed", "unary"]
