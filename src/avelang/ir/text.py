"""The IR as text that reads back: `print_kernel` and `parse_kernel` are inverse to one another.

    kernel @name(%a: ptr<f32, global>, %n: u32) {"wave": 64} {
      %0 = const {"value": 3} : u32 @12:4:12:9
      %1, %2 = for(%0, %n, %0, %a, %b) : f32, f32 { ^(%i: u32, %x: f32, %y: f32):
        yield(%x, %y)
      }
    }
"""

from __future__ import annotations

import ast
import re
from typing import Any

from avelang.base.errors import error
from avelang.base.parsing import parse_expression
from avelang.base.spans import Span
from avelang.ir import ops as _ops  # noqa: F401 - defines the ops
from avelang.ir.core import OPS, Block, Kernel, Op, Value
from avelang.ir.types import Type, parse_type


class _Printer:
    def __init__(self, file: str):
        self.names: dict[Value, str] = {}
        self.taken: set[str] = set()
        self.file = file
        self.lines: list[str] = []
        self.ops: list[Op | None] = []  # of each line

    def name(self, v: Value) -> str:
        """The printed name: the hint, made unique; numbers where there is none."""
        if v not in self.names:
            base = v.name if re.fullmatch(r"[A-Za-z_]\w*", v.name) else ""
            name, n = base, 0
            while not name or name in self.taken:
                name, n = f"{base}_{n}" if base else str(len(self.taken) + n), n + 1
            self.taken.add(name)
            self.names[v] = name
        return "%" + self.names[v]

    def type(self, v: Value) -> str:
        return f"{v.type} uniform" if v.uniform else str(v.type)

    def params(self, values: list[Value]) -> str:
        return "(" + ", ".join(f"{self.name(v)}: {self.type(v)}" for v in values) + ")"

    def span(self, s: Span | None) -> str:
        if s is None:
            return ""
        file = "" if s.file == self.file else f'"{s.file}":'
        return f" @{file}{s.line}:{s.col}:{s.end_line}:{s.end_col}"

    def block(self, block: Block, indent: str) -> None:
        for op in block.ops:
            self.op(op, indent)

    def op(self, op: Op, indent: str) -> None:
        text = indent
        if op.results:
            text += ", ".join(map(self.name, op.results)) + " = "
        text += op.name + ("(" + ", ".join(map(self.name, op.operands)) + ")" if op.operands else "")
        if op.attrs:
            text += " {" + ", ".join(f"{k!r}: {v!r}" for k, v in op.attrs.items()) + "}"
        if op.results:
            text += " : " + ", ".join(map(self.type, op.results))
        text += self.span(op.span)
        for i, region in enumerate(op.regions):
            self.line((text if i == 0 else indent + "}") + " { ^" + self.params(region.args) + ":", op)
            self.block(region, indent + "  ")
        self.line(indent + "}" if op.regions else text, op)

    def line(self, text: str, op: Op | None = None) -> None:
        self.lines.append(text)
        self.ops.append(op)


def _printed(p: _Printer, kernel: Kernel) -> _Printer:
    p.line(f"kernel @{kernel.name}{p.params(kernel.params)} {kernel.attrs!r}{p.span(kernel.span)} {{")
    p.block(kernel.body, "  ")
    p.line("}")
    return p


def print_kernel(kernel: Kernel) -> str:
    """The text of a kernel, one op a line."""
    return "\n".join(_printed(_Printer(kernel.attrs.get("file", "")), kernel).lines) + "\n"


class _Plain(_Printer):
    """Without places, for reading beside the source."""

    def span(self, s: Span | None) -> str:
        return ""


def print_lines(kernel: Kernel) -> list[tuple[str, Op | None]]:
    """The lines of a kernel's text without places, each with the op that stands there: an op with regions stands at the
    lines of its braces too."""
    p = _printed(_Plain(""), kernel)
    return list(zip(p.lines, p.ops, strict=True))


_SPAN = r"(?: @(?P<span>(?:\"[^\"]*\":)?\d+:\d+:\d+:\d+))?"
_OP = re.compile(r"(?:(?P<res>%[^=(]*?) = )?(?P<name>[\w.]+)(?:\((?P<args>[^)]*)\))?")
_TAIL = re.compile(r"(?: : (?P<types>.*?))?" + _SPAN + r"(?P<open> \{ \^\((?P<bargs>.*)\):)?$")
_HEAD = re.compile(r"kernel @(?P<name>\w+)\((?P<params>.*?)\) (?P<attrs>\{.*?\})" + _SPAN + r" \{$")


def _literal(text: str) -> Any:
    """Python literals plus `inf` and `nan`, which `repr` writes for floats."""

    def value(n: ast.expr) -> Any:
        if isinstance(n, ast.Name) and n.id in ("inf", "nan"):
            return float(n.id)
        if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub):
            return -value(n.operand)
        if isinstance(n, ast.Tuple):
            return tuple(map(value, n.elts))
        if isinstance(n, ast.Dict):
            return {value(k): value(v) for k, v in zip(n.keys, n.values, strict=True) if k is not None}
        return ast.literal_eval(n)

    return value(parse_expression(text))


def _split(text: str) -> list[str]:
    """Splits at the commas that stand outside all brackets."""
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<(") - (c in ">)")
        if c == "," and depth == 0:
            parts.append(text[last:i].strip())
            last = i + 1
    return [*parts, text[last:].strip()] if text.strip() else []


def _cut_dict(text: str) -> tuple[str, str]:
    """Splits " {...} rest" behind the brace that closes the dict, skipping what stands in strings; no dict gives an
    empty first part."""
    if not text.startswith(" {'") and not text.startswith(' {"'):
        return "", text
    quote, depth, i = "", 0, 1
    while i < len(text):
        c = text[i]
        if quote:
            i += c == "\\"
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        else:
            depth += (c == "{") - (c == "}")
            if depth == 0:
                return text[1 : i + 1], text[i + 1 :]
        i += 1
    return "", text


class _IRParser:
    def __init__(self, text: str):
        self.lines = [line.strip() for line in text.splitlines()]
        self.at = 0
        self.values: dict[str, Value] = {}
        self.file = ""

    def fail(self, why: str) -> Exception:
        return error("V002", line=self.at, why=why)

    def next(self) -> str:
        while self.at < len(self.lines):
            self.at += 1
            if self.lines[self.at - 1]:
                return self.lines[self.at - 1]
        raise self.fail("the text ends too early")

    def type(self, text: str) -> Type:
        try:
            return parse_type(text)
        except (ValueError, KeyError) as e:
            raise self.fail(f"no type {text!r}") from e

    def define(self, token: str, value: Value) -> None:
        name = token.removeprefix("%")
        if name in self.values:
            raise self.fail(f"%{name} is defined twice")
        self.values[name] = value
        # Numbers, and the suffix that made a hint unique, come from printing.
        value.name = "" if name.isdigit() else name

    def params(self, text: str, block: Block) -> None:
        for part in _split(text):
            name, _, t = part.partition(": ")
            self.define(name, block.add_arg("", self.type(t.removesuffix(" uniform"))))
            block.args[-1].uniform = t.endswith(" uniform")

    def span(self, text: str | None) -> Span | None:
        if text is None:
            return None
        file = self.file
        if text.startswith('"'):
            file, _, text = text[1:].partition('":')
        line, col, end_line, end_col = map(int, text.split(":"))
        return Span(file, line, col, end_line, end_col)

    def use(self, token: str) -> Value:
        try:
            return self.values[token.removeprefix("%")]
        except KeyError:
            raise self.fail(f"{token} is not defined") from None

    def op(self, line: str) -> Op:
        head = _OP.match(line)
        attrs, rest = _cut_dict(line[head.end() :]) if head else ("", "")
        m = _TAIL.match(rest)
        if not head or not m or head["name"] not in OPS:
            raise self.fail(f"cannot read {line!r}")
        shown = _split(m["types"] or "")
        types = tuple(self.type(t.removesuffix(" uniform")) for t in shown)
        operands = [self.use(t) for t in _split(head["args"] or "")]
        op = Op(head["name"], operands, types, _literal(attrs) if attrs else {}, span=self.span(m["span"]))
        opened = m["bargs"] if m["open"] else None
        while opened is not None:
            block = Block()
            block.parent = op
            op.regions.append(block)
            self.params(opened, block)
            end = self.block(block)
            opened = end[5:-2] if end.startswith("} { ^(") else None
            opened = opened.removeprefix("(") if opened is not None else None
        names = _split(head["res"] or "")
        if len(names) != len(types):
            raise self.fail(f"{len(names)} names for {len(types)} results")
        for token, value, t in zip(names, op.results, shown, strict=True):
            self.define(token, value)
            value.uniform = t.endswith(" uniform")
        return op

    def block(self, block: Block) -> str:
        """Reads ops until a line that closes the block, and returns that line."""
        while not (line := self.next()).startswith("}"):
            block.ops.append(self.op(line))
        return line

    def kernel(self) -> Kernel:
        m = _HEAD.match(self.next())
        if not m:
            raise self.fail("expected `kernel @name(...) {...} {`")
        attrs = _literal(m["attrs"])
        self.file = attrs.get("file", "")
        body = Block()
        self.params(m["params"], body)
        kernel = Kernel(m["name"], body.args, body, attrs, self.span(m["span"]))
        self.block(body)
        return kernel


def parse_kernel(text: str) -> Kernel:
    """Reads what `print_kernel` writes. Raises V002 with the line of the text."""
    parser = _IRParser(text)
    try:
        return parser.kernel()
    except (ValueError, SyntaxError, TypeError, KeyError, IndexError, AttributeError, RecursionError, MemoryError) as e:
        # What the pieces of a line are read with says in its own words what is wrong.
        raise parser.fail(f"{type(e).__name__}: {str(e)[:200] or 'nested too deeply'}") from None
