"""Functions of numbers and vectors that are a few operators: `where`, `clamp`, `cdiv`, `isnan` and their like. Of
compile-time numbers Python computes them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from avelang.frontend import arith, math_calls
from avelang.frontend.frame import Frame
from avelang.frontend.names import cdiv
from avelang.frontend.values import Vec, element, is_number
from avelang.ir.core import Value
from avelang.ir.dtypes import DType, u1
from avelang.ir.types import VecType

Args = dict[str, Any]


def _const(f: Frame, x: float, like: Value) -> Value:
    return f.b.const(x, like.type)


def _shown(v: Any, built: Value) -> Any:
    return Vec(built, v.shape) if isinstance(v, Vec) else built


def _flat(v: Any) -> Value:
    return v.value if isinstance(v, Vec) else v


def _clamp(f: Frame, a: Args, node: ast.Call) -> Any:
    return math_calls.fold(f, "min", [math_calls.fold(f, "max", [a["value"], a["low"]], node), a["high"]], node)


def _cdiv(f: Frame, a: Args, node: ast.Call) -> Any:
    """The quotient rounded down, and one more where something is left over: nothing overflows."""
    x, y = (math_calls.numeric(f, a[k], f"argument `{k}` of al.cdiv", node) for k in "ab")
    for v in (x, y):
        d = element(v) if not is_number(v) else None
        if isinstance(v, float) or (d is not None and not d.is_int):
            f.fail("T025", node, op="al.cdiv", dtype=d or "f32")
    if is_number(x) and is_number(y):
        return arith.compile_time(f, node, "al.cdiv", lambda: cdiv(x, y))
    down = arith.binary(f, ast.FloorDiv, x, y, node)
    left = arith.compare(f, ast.NotEq, arith.binary(f, ast.Mod, x, y, node), 0, node)
    more = f.b.convert(_flat(left), element(down))  # type: ignore[arg-type]
    return arith.binary(f, ast.Add, down, _shown(down, more), node)


def _float_test(name: str, python: Callable[[float], bool],
                build: Callable[[Frame, Value], Value]) -> Callable[[Frame, Args, ast.Call], Any]:  # fmt: skip
    def test(f: Frame, a: Args, node: ast.Call) -> Any:
        v = math_calls.numeric(f, a["value"], f"the argument of al.{name}", node)
        if is_number(v):
            return python(float(v))
        x = _flat(v)
        d: DType = element(v)  # type: ignore[assignment]
        if not d.is_float:  # integers are finite numbers
            t = VecType(u1, v.n) if isinstance(v, Vec) else u1
            return _shown(v, f.b.const(name == "isfinite", t))
        f.at(node)
        return _shown(v, build(f, x))

    return test


def _sign(f: Frame, a: Args, node: ast.Call) -> Any:
    v = math_calls.numeric(f, a["value"], "the argument of al.sign", node)
    if is_number(v):
        return v if v != v else (v > 0) - (v < 0)
    x = _flat(v)
    f.at(node)
    zero = _const(f, 0, x)
    up = f.b.select(f.b.cmp("gt", x, zero), _const(f, 1, x), x)
    if element(v).is_signed:  # type: ignore[union-attr]
        up = f.b.select(f.b.cmp("lt", x, zero), _const(f, -1, x), up)
    return _shown(v, up)


def _ffs(f: Frame, a: Args, node: ast.Call) -> Any:
    """The width less the zeros before the lowest bit, which is v & -v."""
    v = math_calls.numeric(f, a["value"], "the argument of al.ffs", node)
    if is_number(v):
        return arith.compile_time(f, node, "al.ffs", lambda: (v & -v).bit_length())
    d: DType = element(v)  # type: ignore[assignment]
    if not d.is_int:
        f.fail("T071", node, name="ffs", dtype=d)
    x = _flat(v)
    f.at(node)
    lowest = f.b.and_(x, f.b.sub(_const(f, 0, x), x))
    return _shown(v, f.b.sub(_const(f, d.bits, x), f.b.same("clz", lowest)))


def _infinite(f: Frame, x: Value, pred: str) -> Value:
    return f.b.cmp(pred, f.b.same("abs", x), _const(f, math.inf, x))


BUILTIN: dict[str, Callable[[Frame, Args, ast.Call], Any]] = {
    "where": math_calls.BUILTIN["select"],
    "clamp": _clamp,
    "cdiv": _cdiv,
    "isnan": _float_test("isnan", math.isnan, lambda f, x: f.b.cmp("ne", x, x)),
    "isinf": _float_test("isinf", math.isinf, lambda f, x: _infinite(f, x, "eq")),
    "isfinite": _float_test("isfinite", math.isfinite, lambda f, x: _infinite(f, x, "lt")),
    "sign": _sign,
    "ffs": _ffs,
}

__all__ = ["BUILTIN"]
