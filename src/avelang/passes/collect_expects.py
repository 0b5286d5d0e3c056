"""Expects: a kernel with `expect` ops comes in; what of that can be told from a launch's numbers and grid goes out, as
rows of arithmetic that the launcher computes before it launches. The reference computes every `expect` where it stands.

A row is [name, a, b, c, bits, signed]: "const" (a), "arg" (number of the parameter), "grid" (dimension), or an op of
`avelang.ir.elementwise` on earlier rows; what it gives is wrapped to so many bits. Rows and expectations are JSON."""

from __future__ import annotations

from typing import Any

from avelang.base.spans import Span
from avelang.ir.core import Block, Kernel, Op, Value
from avelang.ir.dtypes import DType
from avelang.ir.elementwise import COMPARE, INT

Row = list[Any]
VARIES = frozenset({"thread_id", "block_id",
                    "lane_id"})  # another number for some block or thread: what asks for it may be so for one of them
_SAME = frozenset({"amdgpu.readfirstlane"})
_WORDS = 32  # bits of what is computed here, but for these of i64
_LONG = frozenset({"add", "sub", "mul", "min", "max", "and", "or"})


class _Unknown(Exception):  # noqa: N818 - never leaves this file
    """A value that no launch tells. `varies`: it is another one for each block or thread."""

    def __init__(self, varies: bool = False):
        self.varies = varies


class _Rows:
    def __init__(self, kernel: Kernel, block: tuple[int, int, int]):
        self.rows: list[Row] = []
        self.params = {v: i for i, v in enumerate(kernel.params)}
        self.block = block
        self.known: dict[Value, int | _Unknown] = {}

    def add(self, name: str, a: int = 0, b: int = 0, c: int = 0, d: DType | None = None) -> int:
        row = [name, a, b, c, d.bits if d is not None and d.is_int else 64,
               int(d is None or d.is_signed or not d.is_int)]
        if row not in self.rows:
            self.rows.append(row)
        return self.rows.index(row)

    def of(self, v: Value) -> int:
        """The row that computes a value. Raises _Unknown."""
        found = self.known.get(v)
        if found is None:
            try:
                found = self._make(v)
            except _Unknown as e:
                found = e
            self.known[v] = found
        if isinstance(found, _Unknown):
            raise found
        return found

    def _make(self, v: Value) -> int:
        d, op = v.type, v.op
        if not isinstance(d, DType) or not (d.is_int or d.kind == "bool") or (d.bits == 64 and not d.is_signed):
            raise _Unknown
        if op is None:
            if v not in self.params:
                raise _Unknown
            return self.add("arg", self.params[v], d=d)
        if op.name == "const":
            return self.add("const", int(op.attrs["value"]))
        if op.name in ("grid_dim", "block_dim"):
            dim = op.attrs["dim"]
            return self.add("grid", dim) if op.name == "grid_dim" else self.add("const", self.block[dim])
        if op.name in VARIES:
            raise _Unknown(True)
        if op.name == "if":
            i, (yes, no) = op.results.index(v), op.regions
            a, b = (self.of(r.terminator.operands[i]) for r in (yes, no))
            return self.add("select", self.of(op.operands[0]), a, b, d)
        if op.name == "convert" and d.kind == "bool":
            return self.add("ne", self.of(op.operands[0]), self.add("const", 0))
        if op.name in _SAME or op.name == "convert":
            return self.add("convert", self.of(op.operands[0]), d=d)
        rows = [*map(self.of, op.operands), 0, 0]
        if op.name == "cmp":
            return self.add(op.attrs["pred"], rows[0], rows[1])
        if op.name in ("select", "not", "neg") or (op.name in INT and (d.bits <= _WORDS or op.name in _LONG)):
            return self.add("not1" if op.name == "not" and d.kind == "bool" else op.name, rows[0], rows[1], rows[2], d)
        raise _Unknown


def collect(kernel: Kernel, block: tuple[int, int, int]) -> dict[str, Any]:
    """The expectations of a kernel in phase "tensors", for blocks of this extent: "rows", and "asked", of each its
    text, the row that must not be 0, the row of the value that it names (-1: none), and the places of its call,
    the outermost last."""
    made = _Rows(kernel, block)
    asked: list[list[Any]] = []

    def walk(inside: Block, path: list[tuple[int, bool]]) -> None:
        for op in inside.ops:
            if op.name == "expect":
                _ask(made, asked, op, path)
            elif op.name == "if":
                try:
                    here: list[tuple[int, bool]] | None = [(made.of(op.operands[0]), True)]
                except _Unknown as e:
                    here = [] if e.varies else None
                if here is not None:
                    for region, holds in zip(op.regions, (True, False), strict=True):
                        walk(region, path + [(row, holds) for row, _ in here])

    walk(kernel.body, [])
    return {"rows": made.rows, "asked": asked} if asked else {}


def _ask(made: _Rows, asked: list[list[Any]], op: Op, path: list[tuple[int, bool]]) -> None:
    """Adds one expectation: it must hold where all conditions around it do."""
    try:
        must = made.of(op.operands[0])
    except _Unknown:
        return
    for row, holds in path:
        must = made.add("select", row, must, made.add("const", 1)) if holds else made.add("select", row,
                                                                                          made.add("const", 1), must)
    try:
        value = made.of(op.operands[1]) if len(op.operands) > 1 else -1
    except _Unknown:
        value = -1
    if all((must, op.attrs["what"]) != (a[1], a[0]) for a in asked):
        asked.append([op.attrs["what"], must, value,
                      [_place(s) for s in op.span.chain()] if op.span is not None else []])


def _place(s: Span) -> list[Any]:
    return [s.file, s.line, s.col, s.end_line, s.end_col, s.function]


assert not set(COMPARE) & set(INT)
