"""Atomic operations, `al.atomic_add(x, index, value, scope=, order=)` and the others, and `al.fence`: a place and
values come in; the op of a row that every chip has goes out."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from avelang.frontend import shapes, tensor_access
from avelang.frontend.frame import Frame
from avelang.frontend.values import Ref, Vec, describe
from avelang.ir.core import Value
from avelang.ir.types import DType, Type, VecType
from avelang.isa.row import ROWS

Args = dict[str, Any]
NAMES = ("add", "max", "min", "and_", "or_", "xor", "exchange", "cas")
PAIRED = ("f16", "bf16")


def _word(f: Frame, a: Args, key: str, words: tuple[str, ...], default: str, callee: str, node: ast.AST) -> int:
    """The number of `scope=` or `order=`. Raises T101."""
    given = a.get(key, default)
    given = getattr(given, "value", given)
    if not isinstance(given, str) or given not in words:
        f.fail(
            "T101",
            node,
            what=f"`{key}` of {callee}",
            allowed="one of " + ", ".join(f'"{w}"' for w in words),
            got=repr(given) if isinstance(given, (str, int)) else describe(given),
        )
    return words.index(given)


def _place(f: Frame, a: Args, n: int, callee: str, node: ast.AST) -> Ref:
    """The element that `x` and `index` name, or `n` of them that follow one another, as a window of `x`. Raises T022,
    T040 to T042."""
    base = tensor_access.pointed(f, tensor_access.data(f, a["x"], node))
    if not isinstance(base, Ref) or base.is_register:
        hint = (
            f"the place is a tensor in global or shared memory and an index: {callee}(x, i, value); of more "
            f"dimensions {callee}(x, (i, j), value)"
        )
        f.fail("T022", node, hint, what=f"`x` of {callee}", got=describe(base), want="a tensor in global or shared "
               "memory, or a pointer")  # fmt: skip
    index = a["index"] if isinstance(a["index"], tuple) else (a["index"],)
    index = tuple(tensor_access.read(f, i, node) if isinstance(i, (Ref, Vec)) else i for i in index)
    coords, rest, _ = tensor_access.coordinates(f, index, base.shape, node)
    if rest:
        f.fail("T042", node, got=len(index), shape=shapes.show(base.shape))
    base = tensor_access.whole(f, base)
    step, extent = shapes.leaves(base.strides)[-1], shapes.leaves(base.shape)[-1]
    if n > 1 and step != 1:
        f.fail("T022", node, what=f"`x` of {callee} on a pair", got="elements that are apart", want="a tensor whose "
               "last dimension has stride 1")  # fmt: skip
    if isinstance(coords[-1], int) and isinstance(extent, int) and coords[-1] + n > extent:
        f.fail("T041", node, index=coords[-1] + n - 1, axis=len(base.shape) - 1, extent=extent)
    offsets = [tensor_access.index_value(f, c) for c in coords]
    reach = (*(0,) * (len(coords) - 1), n - 1)
    space = base.type.space
    return tensor_access.make(f, "subview", [base.value, *offsets], base.dtype, space, (n,), (1,), reach=reach)


def _value(f: Frame, v: Any, d: DType, n: int, callee: str, node: ast.AST) -> Value:
    """A value as the word has it. Raises T020 to T022, T045."""
    v = tensor_access.coerce(f, v, d, node, f"the value of {callee}")
    if isinstance(v, Vec):
        if n == 1 or v.n != n:
            f.fail("T045", node, got=shapes.show(v.shape), want="one element" if n == 1 else f"{n} elements")
        return v.value
    return v if n == 1 else tensor_access.splat(f, v, n)


def _atomic(name: str) -> Callable[[Frame, Args, ast.Call], Any]:
    def atomic(f: Frame, a: Args, node: ast.Call) -> Any:
        from avelang.isa.portable.atomics import ORDERS, SCOPES  # registers the rows

        callee = f"al.atomic_{name}"
        row = ROWS[callee]
        names = [p.name for p in row.operands if p.name != "x"]
        given = [tensor_access.operand(f, a[k], node) for k in names]
        place = tensor_access.pointed(f, a["x"])
        d = place.dtype if isinstance(place, (Ref, Vec)) else None
        n = 2 if d is not None and d.name in PAIRED and any(isinstance(v, Vec) for v in given) else 1
        scope = _word(f, a, "scope", SCOPES, "device", callee, node)
        order = _word(f, a, "order", ORDERS, "relaxed", callee, node)
        target = _place(f, a, n, callee, node)
        t: Type = VecType(target.dtype, n) if n > 1 else target.dtype
        types = next(p.type for p in row.operands if p.name == names[0])
        if t not in types:  # type: ignore[operator]
            have = [f"pairs of {x.dtype}" if isinstance(x, VecType) else str(x) for x in types]  # type: ignore
            f.fail(
                "T102",
                node,
                name=callee,
                dtype=f"a pair of {target.dtype}" if n > 1 else target.dtype,
                have=", ".join(have),
            )
        values = [_value(f, v, target.dtype, n, callee, node) for v in given]
        f.at(node)
        got = f.b.emit(callee, (target.value, *values), (t,), scope=scope, order=order).result
        return Vec(got, (n,)) if n > 1 else got

    return atomic


def _fence(f: Frame, a: Args, node: ast.Call) -> None:
    from avelang.isa.portable.atomics import ORDERS, SCOPES

    scope = _word(f, a, "scope", SCOPES, "device", "al.fence", node)
    order = 1 + _word(f, a, "order", ORDERS[1:], "acq_rel", "al.fence", node)
    f.b.emit("al.fence", (), (), scope=scope, order=order)


BUILTIN: dict[str, Callable[[Frame, Args, ast.Call], Any]] = {
    **{f"atomic_{name}": _atomic(name) for name in NAMES},
    **{f"atomic_{name.rstrip('_')}": _atomic(name) for name in NAMES},
    "fence": _fence,
}

__all__ = ["BUILTIN"]
