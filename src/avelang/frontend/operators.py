"""Python's operators, a row each: the syntax tree's class, the text, Python's function, the op of the IR and the method
of a struct."""

from __future__ import annotations

import ast
import dataclasses
import operator
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class Operator:
    """`python` computes compile-time values. `op`: the op of the IR, of a comparison its predicate; "" where there is
    none. `method`: the method of a struct, without underscores; `mirror`: that of the right operand, where the left one
    has none ("": there is none either)."""

    text: str
    python: Callable[..., Any]
    op: str = ""
    method: str = ""
    mirror: str = ""


def _binary(text: str, python: Callable[..., Any], op: str, method: str) -> Operator:
    return Operator(text, python, op, method, "r" + method)


BINARY: dict[type[ast.AST], Operator] = {
    ast.Add: _binary("+", operator.add, "add", "add"),
    ast.Sub: _binary("-", operator.sub, "sub", "sub"),
    ast.Mult: _binary("*", operator.mul, "mul", "mul"),
    ast.Div: _binary("/", operator.truediv, "div", "truediv"),
    ast.FloorDiv: _binary("//", operator.floordiv, "floordiv", "floordiv"),
    ast.Mod: _binary("%", operator.mod, "mod", "mod"),
    ast.Pow: _binary("**", operator.pow, "pow", "pow"),
    ast.LShift: _binary("<<", operator.lshift, "shl", "lshift"),
    ast.RShift: _binary(">>", operator.rshift, "shr", "rshift"),
    ast.BitAnd: _binary("&", operator.and_, "and", "and"),
    ast.BitOr: _binary("|", operator.or_, "or", "or"),
    ast.BitXor: _binary("^", operator.xor, "xor", "xor"),
    ast.MatMult: _binary("@", operator.matmul, "", "matmul"),
}
COMPARE: dict[type[ast.AST], Operator] = {
    ast.Eq: Operator("==", operator.eq, "eq", "eq", "eq"),
    ast.NotEq: Operator("!=", operator.ne, "ne", "ne", "ne"),
    ast.Lt: Operator("<", operator.lt, "lt", "lt", "gt"),
    ast.LtE: Operator("<=", operator.le, "le", "le", "ge"),
    ast.Gt: Operator(">", operator.gt, "gt", "gt", "lt"),
    ast.GtE: Operator(">=", operator.ge, "ge", "ge", "le"),
    ast.Is: Operator("is", operator.is_),
    ast.IsNot: Operator("is not", operator.is_not),
    ast.In: Operator("in", lambda a, b: a in b),
    ast.NotIn: Operator("not in", lambda a, b: a not in b),
}
UNARY: dict[type[ast.AST], Operator] = {
    ast.USub: Operator("-", operator.neg, "neg", "neg"),
    ast.UAdd: Operator("+", operator.pos, "", "pos"),
    ast.Invert: Operator("~", operator.invert, "not", "invert"),
}
# The methods by which a struct takes operators.
METHODS = frozenset(
    f"__{name}__" for row in (*BINARY.values(), *COMPARE.values(), *UNARY.values())
    for name in (row.method, row.mirror) if name
)
