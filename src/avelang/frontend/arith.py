"""Arithmetic: an operator and two operands of any kind come in; Python evaluates compile-time numbers, the rest becomes
IR."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from avelang.frontend import choices, shapes, tensor_access
from avelang.frontend.frame import Frame
from avelang.frontend.infer import BITWISE, default, fits, promote, with_literal
from avelang.frontend.names import Layout
from avelang.frontend.operators import BINARY, COMPARE, UNARY
from avelang.frontend.structs import Object
from avelang.frontend.values import Ref, Vec, describe, element, is_number, is_pointer, is_runtime, is_scalar
from avelang.ir.core import Value
from avelang.ir.dtypes import BY_NAME, DType, f32, i32, u1
from avelang.ir.types import VecType, with_dtype

# Compile-time powers and shifts beyond this many bits are refused: they would only fill the memory.
MOST_BITS = 4096


def compile_time(f: Frame, node: ast.AST, what: str, run: Callable[[], Any]) -> Any:
    """Python's result on compile-time values; its complaint becomes T016. `what` names the operation; "": `node` is a
    call."""
    try:
        return run()
    except (ArithmeticError, TypeError, ValueError, IndexError, AttributeError) as e:
        called = what or ast.unparse(node.func)  # type: ignore[attr-defined]
        f.fail("T016", node, what=called, why=f"{type(e).__name__}: {e}")


def binary(f: Frame, op: type[ast.AST], a: Any, b: Any, node: ast.AST) -> Any:
    """`a op b` where neither is an object."""
    row = BINARY[op]
    text, python, name = row.text, row.python, row.op
    if not name:
        f.fail("S001", node, what=f"the operator `{text}`", instead="use the MFMA intrinsics, or loops")
    if not is_runtime(a) and not is_runtime(b):
        if name in ("shl", "pow") and is_number(b) and abs(b) > MOST_BITS:
            f.fail("T016", node, what=f"`{text}`", why="the result is too large")
        return compile_time(f, node, f"`{text}`", lambda: python(a, b))
    if isinstance(a, tuple) or isinstance(b, tuple):
        both = isinstance(a, tuple) and isinstance(b, tuple)
        if name == "add" and both or name == "mul" and not both and isinstance(b if isinstance(a, tuple) else a, int):
            return python(a, b)
        f.fail("T023", node, op=text, a=describe(a), b=describe(b))
    if name == "pow":
        return _power(f, a, b, node)
    return values(f, name, text, a, b, node)


def _instead_of_power(a: Any, b: Any) -> str:
    """What to write for a power with another exponent."""
    if is_runtime(b):
        return "1 << n is a power of 2; of floats al.exp2(n * al.log2(x)) is x ** n for x above 0"
    if b == 0:
        return "1"
    if b in (0.5, -0.5):
        return f"al.{'sqrt' if b > 0 else 'rsqrt'}(x)"
    if isinstance(b, int) and b < 0:
        return f"1.0 / x ** {-b}"
    return f"al.exp2({b} * al.log2(x)) is that of floats above 0"


def _power(f: Frame, a: Any, b: Any, node: ast.AST) -> Any:
    if not isinstance(b, int) or not 1 <= b <= 64:
        f.fail("T024", node, _instead_of_power(a, b))
    base = tensor_access.operand(f, a, node)
    result: Any = None
    while b:
        if b & 1:
            result = base if result is None else values(f, "mul", "*", result, base, node)
        b >>= 1
        if b:
            base = values(f, "mul", "*", base, base, node)
    return result


_POINTERS = (
    "there is no arithmetic on pointers: x[i] is an element, tile.load(x, index) and tile.store(x, index, value) take "
    "tiles, al.subview(x, (i,), (n,)) is a part"
)
_BITS = "it takes integers: al.convert(x, al.i32) rounds toward zero, al.bitcast(x, al.u32) has the bits"


def values(f: Frame, name: str, text: str, a: Any, b: Any, node: ast.AST) -> Any:
    """An IR op on two operands of which one is known at run time."""
    a, b = tensor_access.operand(f, a, node), tensor_access.operand(f, b, node)
    for x in (a, b):
        if not is_number(x) and element(x) is None:
            f.fail("T023", node, _POINTERS if is_pointer(x) else None, op=text, a=describe(a), b=describe(b))
    if name in ("shl", "shr"):
        a, b, shape = _shift(f, a, b, node)
    else:
        a, b, shape = align(f, a, b, node, text, name in BITWISE, arithmetic=name not in BITWISE)
    d = a.type.dtype if isinstance(a.type, VecType) else a.type
    if d.is_float and (name in BITWISE or name in ("shl", "shr")) or (d.kind == "bool" and name not in BITWISE):
        f.fail("T025", node, _BITS if d.is_float else None, op=text, dtype=d)
    f.at(node)
    return wrap(f.b.same(name, a, b), shape)


def wrap(v: Value, shape: tuple[Any, ...] | None) -> Any:
    """The frontend's value: a scalar, or a vector with its shape."""
    return v if shape is None else Vec(v, shape)


def _shift(f: Frame, a: Any, b: Any, node: ast.AST) -> tuple[Value, Value, tuple[Any, ...] | None]:
    """A shift has the type of what is shifted, except that a literal takes the type of the count."""
    da, db = element(a), element(b)
    d = da or (db if db is not None and is_number(a) and fits(a, db) else default(a))
    if d.kind == "bool":
        d = i32
    if isinstance(b, int) and not 0 <= b < d.bits:
        f.fail("T026", node, count=b, dtype=d)
    if isinstance(a, float) or isinstance(b, float) or any(x is not None and x.is_float for x in (da, db)):
        d = next((x for x in (da, db) if x is not None and x.is_float), f32)
        f.fail("T025", node, _BITS, op="a shift", dtype=d)
    if db is not None and db.bits > d.bits:
        b = _limited(f, b, d)
    return _shaped(f, _as(f, a, d, node), _as(f, b, d, node), node, "a shift")


def _limited(f: Frame, count: Any, d: DType) -> Any:
    """A count of a wider type than `d`, which shifts by the width of `d` where it is that or more: cut to `d`, it could
    become small again."""
    n = count.value if isinstance(count, Vec) else count
    u = BY_NAME[f"u{element(count).bits}"]  # type: ignore[union-attr]
    n = f.b.convert(n, u)
    n = f.b.same("min", n, f.b.const(d.bits, with_dtype(n.type, u)))
    return Vec(n, count.shape) if isinstance(count, Vec) else n


def _as(f: Frame, v: Any, d: DType, node: ast.AST, bitwise: bool = False) -> Any:
    """A number, scalar or vector as dtype `d`."""
    if is_number(v):
        if not fits(v, d, bitwise):
            f.fail("T021", node, number=v, dtype=d)
        return f.b.const(v, d)
    if isinstance(v, Value) and v.type != d and choices.literal_dtype(f, v, d) == d:
        return choices.typed(f, v, d)
    return Vec(f.b.convert(v.value, d), v.shape) if isinstance(v, Vec) else f.b.convert(v, d)


def common_type(f: Frame, a: Any, b: Any, node: ast.AST, arithmetic: bool = True) -> DType:
    """The dtype in which two operands meet."""
    if is_number(a) and is_number(b):
        return promote(default(a), default(b))
    if is_number(a) or is_number(b):
        number, typed = (a, b) if is_number(a) else (b, a)
        d = with_literal(element(typed), number)  # type: ignore[arg-type]
    else:
        x, y = element(a), element(b)
        assert x is not None and y is not None
        # A choice between literals takes the type of what it meets as a literal does; two of them meet as their
        # defaults do.
        one = bool(choices.literals(f, a)) != bool(choices.literals(f, b))
        d = (choices.literal_dtype(f, a, y) or choices.literal_dtype(f, b, x) if one else None) or promote(x, y)
    return i32 if arithmetic and d.kind == "bool" else d


def align(f: Frame, a: Any, b: Any, node: ast.AST, text: str, bitwise: bool = False,
          arithmetic: bool = True) -> tuple[Value, Value, tuple[Any, ...] | None]:  # fmt: skip
    """Two operands with one type, and the shape of the result (None for scalars)."""
    d = common_type(f, a, b, node, arithmetic)
    return _shaped(f, _as(f, a, d, node, bitwise), _as(f, b, d, node, bitwise), node, text)


def _shaped(f: Frame, a: Any, b: Any, node: ast.AST, text: str) -> tuple[Value, Value, tuple[Any, ...] | None]:
    if isinstance(a, Vec) and isinstance(b, Vec):
        if a.n != b.n or not tensor_access.same_shape(a.shape, b.shape):
            f.fail("T027", node, op=text, a=shapes.show(a.shape), b=shapes.show(b.shape))
        return a.value, b.value, a.shape
    if isinstance(a, Vec):
        return a.value, tensor_access.splat(f, b, a.n), a.shape
    if isinstance(b, Vec):
        return tensor_access.splat(f, a, b.n), b.value, b.shape
    return a, b, None


def compare(f: Frame, op: type[ast.AST], a: Any, b: Any, node: ast.AST) -> Any:
    """`a op b` for one comparison: a bool, a u1 or a vector of u1."""
    row = COMPARE[op]
    text, python, name = row.text, row.python, row.op
    if not name and (is_runtime(a) or is_runtime(b)):
        if op in (ast.In, ast.NotIn):
            return _membership(f, op, a, b, node)
        numbers = all(is_number(x) or is_scalar(x) or isinstance(x, Vec) for x in (a, b))
        if numbers and not _asks_what_is_known(a, b, node):
            hint = f"numbers are compared by {'==' if op is ast.Is else '!='}; a condition is one as it is"
            f.fail("T023", node, hint, op=text, a=describe(a), b=describe(b))
    if not name or not (is_runtime(a) or is_runtime(b)):
        return compile_time(f, node, f"`{text}`", lambda: bool(python(a, b)))
    a, b = tensor_access.operand(f, a, node), tensor_access.operand(f, b, node)
    for x in (a, b):
        if not is_number(x) and element(x) is None:
            f.fail("T023", node, op=text, a=describe(a), b=describe(b))
    equality = name in ("eq", "ne")
    x, y, shape = align(f, a, b, node, text, bitwise=equality, arithmetic=not equality)
    f.at(node)
    return wrap(f.b.cmp(name, x, y), shape)


def _asks_what_is_known(a: Any, b: Any, node: ast.AST) -> bool:
    """True of `name is True`, by which a function tells a condition that is known at compile time from others."""
    sides = (node.left, *node.comparators) if isinstance(node, ast.Compare) else ()
    return bool in (type(a), type(b)) and all(isinstance(x, (ast.Name, ast.Attribute, ast.Constant)) for x in sides)


def _membership(f: Frame, op: type[ast.AST], v: Any, items: Any, node: ast.AST) -> Any:
    """`v in (a, b)`: equal to one of them, each a number."""
    if not isinstance(items, tuple) or not all(is_number(x) or is_scalar(x) for x in (v, *items)):
        hint = "the right side is a tuple of numbers; of a tensor: any(v == e for e in x)"
        f.fail("T023", node, hint, op=COMPARE[op].text, a=describe(v), b=describe(items))
    found = any_or_all(f, tuple(compare(f, ast.Eq, v, x, node) for x in items), False, node)
    return found if op is ast.In else unary(f, ast.Not, found, node)


def any_or_all(f: Frame, items: tuple[Any, ...], every: bool, node: ast.AST) -> bool | Value:
    """Python's `any` of conditions, or its `all` (`every`)."""
    result: bool | Value = every
    for item in items:
        c = condition(f, item, node)
        if isinstance(c, bool) and c != every:
            return c
        if isinstance(c, Value):
            result = f.b.same("and" if every else "or", result, c) if isinstance(result, Value) else c
    return result


def condition(f: Frame, v: Any, node: ast.AST) -> bool | Value:
    """A value as a condition: a bool at compile time, a u1 at run time."""
    if is_scalar(v):
        return v if v.type == u1 else f.b.cmp("ne", v, f.b.const(0, v.type))
    if isinstance(v, Object):
        hint = ("element by element `&`, `|`, `~` combine conditions, and `tile.where` or `al.select` choose; "
                "`tile.any` of a tile is one condition")  # fmt: skip
        f.fail("T028", node, hint, got=describe(v))
    if isinstance(v, (Vec, Ref, Value, Layout)):
        f.fail("T028", node, got=describe(v))
    return bool(v)


def negate(f: Frame, v: Value) -> Value:
    """`not v` of a run-time condition."""
    return f.b.same("not", v)


def unary(f: Frame, op: type[ast.AST], v: Any, node: ast.AST) -> Any:
    """`-v`, `+v`, `~v`, `not v`."""
    if op is ast.Not:
        c = condition(f, v, node)
        return (not c) if isinstance(c, bool) else negate(f, c)
    row = UNARY[op]
    text, python, name = row.text, row.python, row.op
    if not is_runtime(v):
        return compile_time(f, node, f"`{text}`", lambda: python(v))
    v = tensor_access.operand(f, v, node)
    d = element(v)
    if d is None or (name == "not" and d.is_float) or (name == "neg" and d.kind == "bool"):
        hint = _BITS if d is not None and d.is_float else None
        f.fail("T025", node, hint, op=text, dtype=d if d is not None else describe(v))
    if not name:
        return v
    f.at(node)
    return Vec(f.b.same(name, v.value), v.shape) if isinstance(v, Vec) else f.b.same(name, v)
