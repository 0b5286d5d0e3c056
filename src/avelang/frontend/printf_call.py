"""`al.printf`: a format and arguments come in; conversions are checked against the arguments, and the `printf` op goes
out."""

from __future__ import annotations

import ast
import re
from typing import Any

from avelang.frontend.frame import Frame
from avelang.frontend.infer import default
from avelang.frontend.values import describe, is_number, is_scalar
from avelang.ir.core import Value
from avelang.ir.dtypes import BY_NAME, DType, f64

_SPEC = re.compile(r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>(?:\.\d*)?)"
                   r"(?P<length>hh|h|ll|l|z|j|t)?(?P<kind>.?)", re.DOTALL)  # fmt: skip
_KINDS = {**dict.fromkeys("diuxXoc", "integer"), **dict.fromkeys("fFeEgG", "float"), "s": "string"}


def call(f: Frame, text: Any, args: list[Any], node: ast.Call) -> None:
    """Integers are passed in 32 or 64 bits (then with the length `ll`), floats as f64, compile-time strings become part
    of the format."""
    if not isinstance(text, str):
        f.fail("T017", node, what="the format of al.printf", got=describe(text))
    rest, operands, out, last = list(args), [], "", 0
    for m in _SPEC.finditer(text):
        out += text[last : m.start()]
        last = m.end()
        if m["kind"] == "%" and m[0] == "%%":
            out += "%%"
            continue
        kind = _KINDS.get(m["kind"])
        if kind is None:
            f.fail("T080", node, spec=m[0])
        if not rest:
            f.fail("T081", node, want=_wanted(text), got=len(args))
        out += _conversion(f, m, kind, rest.pop(0), operands, node)
    if rest:
        f.fail("T081", node, want=_wanted(text), got=len(args))
    f.b.emit("printf", operands, (), format=out + text[last:])


def _wanted(text: str) -> int:
    return sum(m[0] != "%%" for m in _SPEC.finditer(text))


def _conversion(f: Frame, m: re.Match[str], kind: str, value: Any, operands: list[Value], node: ast.AST) -> str:
    if kind == "string":
        if not isinstance(value, str):
            f.fail("T082", node, spec=m[0], want="a compile-time string", got=describe(value))
        return (m[0] % value).replace("%", "%%")
    d: Any = default(value) if is_number(value) else value.type if is_scalar(value) else None
    if d is None or d.is_float != (kind == "float"):
        if not (kind == "float" and isinstance(value, int)):
            tiles = getattr(getattr(value, "cls", None), "name", "") == "DistributedTile"
            hint = "a thread prints one number; `ave debug` prints tiles whole, and t[0, 3] is one element" * tiles
            f.fail("T082", node, hint or None, spec=m[0], want=f"{'a' if kind == 'float' else 'an'} {kind}",
                   got=describe(value))
        d = f64
    if kind == "float":
        operands.append(_converted(f, value, f64))
        return f"%{m['flags']}{m['width']}{m['precision']}{m['kind']}"
    wide = d.bits > 32
    target = BY_NAME[f"{'i' if m['kind'] in 'dic' else 'u'}{64 if wide else 32}"] if d.bits < 32 else d
    operands.append(_converted(f, value, d if is_number(value) and d.is_int else target))
    return f"%{m['flags']}{m['width']}{m['precision']}{'ll' if wide else ''}{m['kind']}"


def _converted(f: Frame, value: Any, d: DType) -> Value:
    return f.b.const(value, d) if is_number(value) else f.b.convert(value, d)
