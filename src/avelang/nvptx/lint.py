"""A PTX module comes in; what is wrong with it goes out: each instruction against the table, names that are declared nowhere, labels without use."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from avelang.base.errors import AveError, error
from avelang.base.spans import Span
from avelang.nvptx import nodes as n
from avelang.nvptx.check import Target, check
from avelang.nvptx.lexer import Source
from avelang.nvptx.parse import parse
from avelang.nvptx.special import CONSTANTS
from avelang.nvptx.types import target

WARNINGS = frozenset({"S205"})


@dataclasses.dataclass(slots=True)
class Scope:
    """The names of a block. `families` are declarations such as %r<10>: name -> (number, type)."""

    outer: Scope | None = None
    registers: dict[str, str] = dataclasses.field(default_factory=dict)
    families: dict[str, tuple[int, str]] = dataclasses.field(default_factory=dict)
    symbols: set[str] = dataclasses.field(default_factory=set)
    labels: dict[str, n.Label] = dataclasses.field(default_factory=dict)
    used: set[str] = dataclasses.field(default_factory=set)

    def declare(self, x: n.Registers) -> None:
        """The registers of a declaration."""
        kind = f"{x.vector}.{x.type}" if x.vector else x.type
        for name in x.names:
            if name.count is None:
                self.registers[name.name] = kind
            else:
                self.families[name.name] = (name.count, kind)

    def type(self, name: str) -> str | None:
        """The type of a register, or None where none of this name is declared."""
        found = self.registers.get(name)
        cut = len(name)
        while found is None and cut > 1 and name[cut - 1].isdigit():
            cut -= 1
            count, kind = self.families.get(name[:cut], (0, ""))
            if int(name[cut:]) < count and str(int(name[cut:])) == name[cut:]:
                found = kind
        return found if found is not None or self.outer is None else self.outer.type(name)

    def knows(self, name: str) -> bool:
        """Whether a label, a variable or a function of this name is seen from here; a label counts as used from now on."""
        if name in self.labels:
            self.used.add(name)
            return True
        return name in self.symbols or (self.outer is not None and self.outer.knows(name))


class _Linter:
    def __init__(self, source: Source, module: n.Module):
        self.source, self.module = source, module
        self.target: Target | None = None
        self.found: list[AveError] = []

    def run(self) -> list[AveError]:
        chip = self.module.target[0]
        try:
            target(chip)
            self.target = Target(chip, self.module.version)
        except ValueError:
            self.found.append(error("S207", self.source.span(2, 1), name=chip))
        top = Scope()
        outside = set(_mentioned(self.module))
        for item in self.module.items:
            if isinstance(item, (n.Function, n.Variable, n.Alias)):
                top.symbols.add(item.name)
        for item in self.module.functions():
            if item.body is not None:
                inner = Scope(top)
                for p in (*(item.params or ()), *(item.returns or ())):
                    if p.space == "reg":
                        inner.registers[p.name] = p.type
                    inner.symbols.add(p.name)
                self.body(item.body, inner, outside)
        return sorted(self.found, key=lambda e: (e.span.line, e.span.col) if e.span else (0, 0))

    def body(self, statements: tuple[n.Statement, ...], outer: Scope, outside: set[str]) -> None:
        scope = Scope(outer)
        for s in statements:
            if isinstance(s, n.Label):
                scope.labels[s.name] = s
            elif isinstance(s, (n.Targets, n.Prototype)):
                scope.symbols.add(s.label)
        for s in statements:
            if isinstance(s, n.Registers):
                scope.declare(s)
            elif isinstance(s, n.Variable):
                scope.symbols.add(s.name)
            elif isinstance(s, n.Block):
                self.body(s.body, scope, outside)
            elif isinstance(s, n.Targets):
                for name in s.names:
                    self.known(name, scope, self.source.span(s.line, s.column))
            elif isinstance(s, n.Instruction):
                self.instruction(s, scope)
        for name, label in scope.labels.items():
            if name not in scope.used | outside:
                self.found.append(error("S205", self.source.span(label.line, label.column, len(name)), name=name))

    def known(self, name: str, scope: Scope, span: Span) -> None:
        if name not in CONSTANTS and not scope.knows(name):
            self.found.append(error("S206", span, name=name, instead="a label, a variable or a function of that name must be visible here"))

    def instruction(self, x: n.Instruction, scope: Scope) -> None:
        def where(i: int) -> Span:
            column = x.columns[i] if 0 <= i < len(x.columns) else 0
            return self.source.span(x.line, column or x.column, 1 if column else len(x.name))

        missing = False
        operands = (*((x.guard.register,) if x.guard is not None else ()), *x.operands)
        for i, operand in enumerate(operands, start=len(x.operands) - len(operands)):
            for leaf in n.leaves(operand):
                if isinstance(leaf, n.Register) and scope.type(leaf.name) is None:
                    missing = True
                    self.found.append(error("S206", where(i), name=leaf.name,
                        instead="declare it: .reg .b32 with its name, in this block or around it"))
                elif isinstance(leaf, n.Symbol):
                    self.known(leaf.name, scope, where(i))
        wrong = check(x, self.target, scope.type, where)
        if wrong is not None and not (missing and wrong.code == "T202"):
            self.found.append(wrong)


def _mentioned(module: n.Module) -> Iterator[str]:
    """The labels that debug data name."""
    for item in module.items:
        if isinstance(item, n.Section):
            for data in item.items:
                if isinstance(data, n.Data):
                    yield from (leaf.name for value in data.values for leaf in n.leaves(value) if isinstance(leaf, n.Symbol))


def lint(text: str, file: str = "<ptx>") -> list[AveError]:
    """What is wrong with PTX text, in the order of its lines; what is in `WARNINGS` is only worth a look. Raises S201 where it cannot be read."""
    return _Linter(Source(text, file), parse(text, file)).run()
