"""Intrinsics: a row of `avelang.isa` and arguments come in; they are bound, checked and converted as the row says, and
its op goes out."""

from __future__ import annotations

import ast
from typing import Any

import avelang.arch as arch
from avelang.base.errors import counted
from avelang.frontend import shapes, tensor_access
from avelang.frontend.frame import Frame
from avelang.frontend.infer import fits
from avelang.frontend.names import Intrinsic
from avelang.frontend.values import Ref, Vec, describe, is_number, is_scalar
from avelang.ir.core import Value
from avelang.ir.dtypes import DType
from avelang.ir.types import MapType, PtrType, Type, VecType, dtype_of
from avelang.isa.row import Param, Row, allowed, bits, in_range, types_on


def call(f: Frame, callee: Intrinsic, args: list[Any], kwargs: dict[str, Any], node: ast.Call) -> Any:
    """One intrinsic: its op, and what it gives."""
    row = callee.row
    given = _bind(f, callee, args, kwargs, node)
    _check_chip(f, callee, node)
    attrs = {p.name: _const(f, callee, p, given[p.name], node) for p in row.params if p.is_const}
    seen: dict[str, Type] = {}
    wanted = {p.name: _group_type(f, row, p, given) for p in row.operands}
    operands = []
    for p in row.operands:
        v = _operand(f, callee, p, given[p.name], wanted[p.name], node)
        seen[p.name] = v.type
        operands.append(v)
    result = seen[row.result] if isinstance(row.result, str) else row.result
    f.at(node)
    op = f.b.emit(row.name, operands, () if result is None else (result,), **attrs)
    if row.refused and (why := row.refused(op)):
        f.fail("U111", node, name=f"al.{callee.name}", why=why)
    f.build.rows.setdefault(row.name, row)
    f.build.row_spans.setdefault(row.name, f.span(node))
    if result is None:
        return None
    return Vec(op.result, (result.n,)) if isinstance(result, VecType) else op.result


def _bind(f: Frame, callee: Intrinsic, args: list[Any], kwargs: dict[str, Any], node: ast.Call) -> dict[str, Any]:
    params = callee.row.params
    names = [p.name for p in params]
    shown = f"{callee.name}({', '.join(names)})"
    given = dict(zip(names, args))  # noqa: B905 - counted below
    others = {p.also: p.name for p in params if p.also}
    for key, v in kwargs.items():
        k = others.get(key, key)
        if k not in names:
            f.fail("T060", node, callee=callee.name, name=k, shown=shown)
        if k in given:
            f.fail("T061", node, callee=callee.name, name=k)
        given[k] = v
    for p in params:
        if p.name not in given and p.default is not None:
            given[p.name] = p.default
    if len(args) > len(params) or len(given) != len(params):
        f.fail("T003", node, callee=f"al.{callee.name}", want=f"{counted(len(params), 'argument')} as in {shown}",
               got=len(args) + len(kwargs))
    return given


def _check_chip(f: Frame, callee: Intrinsic, node: ast.AST) -> None:
    chip = f.build.chip
    if chip is not None and callee.row.needs and not callee.row.needs & chip.features:
        have = [c.name for c in arch.CHIPS.values() if callee.row.needs & c.features]
        f.fail("U110", node, name=f"al.{callee.name}", chip=chip.name, have=", ".join(have) or "no chip that Ave knows")


def _const(f: Frame, callee: Intrinsic, p: Param, v: Any, node: ast.AST) -> int:
    if isinstance(v, float) or not isinstance(v, int):
        f.fail("T017", node, what=f"`{p.name}` of al.{callee.name}", got=describe(v))
    if not in_range(p, v):
        f.fail("T101", node, what=f"`{p.name}` of al.{callee.name}", allowed=allowed(p), got=int(v))
    return int(v)


def _plain(v: Any) -> Type | None:
    """The IR type of a run-time scalar or vector; what a static tensor reads as."""
    if isinstance(v, Ref):
        return VecType(v.dtype, shapes.size(v.shape)) if shapes.static(v.shape) else None
    return v.value.type if isinstance(v, Vec) else v.type if is_scalar(v) else None


def _group_type(f: Frame, row: Row, p: Param, given: dict[str, Any]) -> Any:
    """The type that an operand should have: its own, or where it may have several or shares another's, the one that the
    first typed argument of its group settles."""
    root = p
    while isinstance(root.type, str) and root.type not in ("tensor", "map"):
        root = next(q for q in row.params if q.name == root.type)
    if not isinstance(root.type, tuple):
        return root.type
    types = types_on(root, f.build.chip.features) if f.build.chip is not None else root.type
    group = [q for q in row.operands if q is root or q.type == root.name]
    for q in group:
        have = _plain(given[q.name])
        if have in types:
            return have
    for q in group:
        have = _plain(given[q.name])
        same = next((t for t in types if have is not None and _alike(have, t, p.packed)), None)
        if same is not None:
            return same
    numbers = [given[q.name] for q in group if is_number(given[q.name])]
    scalars = [t for t in types if isinstance(t, DType)]
    floating = any(isinstance(x, float) for x in numbers)
    return next((t for t in scalars if t.is_float == floating), scalars[0] if scalars else types[0])


def _alike(have: Type, want: Type, packed: bool) -> bool:
    """True if a value goes in as it is but for its name: integers read as signed or not, or any bits where `packed`;
    f16 is never read as bf16."""
    if bits(have) != bits(want):
        return False
    a, b = dtype_of(have), dtype_of(want)
    if a != b and a.is_float and b.is_float and a.bits == b.bits:
        return False
    count = lambda t: t.n if isinstance(t, VecType) else 1  # noqa: E731
    return packed or (count(have) == count(want) and (a == b or (a.is_int and b.is_int)))


def _operand(f: Frame, callee: Intrinsic, p: Param, v: Any, want: Any, node: ast.AST) -> Value:
    """An argument as an operand of the row's op."""
    what = f"`{p.name}` of al.{callee.name}"
    if want == "tensor":
        return _tensor(f, p, v, what, node)
    if want == "map":
        if not (isinstance(v, Value) and isinstance(v.type, MapType)):
            f.fail("T022", node, what=what, got=describe(v), want="a parameter with the annotation al.TensorMap(...)")
        _check_rank(f, callee, v.type, node)
        return v
    if is_number(v):
        if isinstance(want, DType):
            if not fits(v, want, bitwise=True) or (isinstance(v, float) and not want.is_float):
                f.fail("T021", node, number=v, dtype=want)
            return f.b.const(v, want)
        f.fail("T022", node, what=what, got=describe(v), want=_shown(want))
    v = tensor_access.read(f, v, node)
    have = _plain(v)
    if have is None or not (have == want or _alike(have, want, p.packed)):
        f.fail("T022", node, what=what, got=describe(v), want=_accepted(p, want))
    return f.b.bitcast(v.value if isinstance(v, Vec) else v, want)


def _check_rank(f: Frame, callee: Intrinsic, t: MapType, node: ast.AST) -> None:
    """A copy has as many coordinates as the map has dimensions."""
    coords = sum(p.name in ("d0", "d1", "d2", "d3", "d4") for p in callee.row.params)
    if coords and coords != t.rank:
        f.fail("T022", node, what=f"`map` of al.{callee.name}", got=f"a map of {counted(t.rank, 'dimension')}",
               want=f"one of {coords}")


def _tensor(f: Frame, p: Param, v: Any, what: str, node: ast.AST) -> Value:
    spaces = " or ".join(p.spaces)
    if isinstance(v, Value) and isinstance(v.type, PtrType) and v.type.space in p.spaces:
        return v
    if not isinstance(v, Ref) or v.type.space not in p.spaces:
        # An element reads as a number, and a part that has a name as a copy in registers: neither says where it lies.
        hint = ("al.subview(x, (i,), (1,)) is a place; or give x one more mode, as in make_shared((n, 1), dtype): x[i] "
                "is a part of it then")
        f.fail("T022", node, hint if is_scalar(v) or isinstance(v, Vec) else None, what=what, got=describe(v),
               want=f"a tensor in {spaces} memory")
    return tensor_access.whole(f, v).value


def _accepted(p: Param, want: Type) -> str:
    """The types that an operand may have, in words: `want`, or one of a row of sizes."""
    types = p.type if isinstance(p.type, tuple) else ()
    if len(types) > 3 and all(isinstance(t, VecType) and dtype_of(t) == dtype_of(want) for t in types):
        first, second, *_, last = (t.n for t in types)  # type: ignore[union-attr]
        return f"{first}, {second}, ... or {last} elements of {dtype_of(want)}"
    return _shown(want)


def _shown(t: Type) -> str:
    return f"{t.n} elements of {t.dtype}" if isinstance(t, VecType) else f"a value of type {t}"
