"""The trace: while a kernel's body runs, each call adds a statement; with the last, a function of PTX is there, and for
each statement the line that made it.

One trace is open in a thread at a time. Functions of the language ask for it by `current`.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import re
import threading
from collections.abc import Iterator, Mapping

from avelang.base.errors import error
from avelang.base.places import caller, here, wrong
from avelang.base.spans import Span
from avelang.nvptx import nodes as n
from avelang.nvptx.check import PtxTarget
from avelang.ptx.types import BY_PTX, Type

# What the numbered registers of a type are called. A body declares those it uses, by their own type.
PREFIX = {
    "pred": "%p", "b8": "%bb", "b16": "%rs", "b32": "%r", "b64": "%rd", "b128": "%rq", "u8": "%ub", "u16": "%uh",
    "u32": "%u", "u64": "%ud",
    "s8": "%sb", "s16": "%sh", "s32": "%s", "s64": "%sd", "f16": "%h", "f32": "%f", "f64": "%fd",
}  # fmt: skip


@dataclasses.dataclass(slots=True)
class OpenLoop:
    """An emitted loop that is open: where `continue_` and `break_` go."""

    again: str
    end: str


_IDENTIFIER = re.compile(r"(?!_$)[A-Za-z_$%][\w$]*", re.ASCII)  # PTX ISA, 4.4 "Identifiers"


def is_identifier(name: object) -> bool:
    """True for what PTX takes for a name: of a register, a label, a variable."""
    return isinstance(name, str) and _IDENTIFIER.fullmatch(name) is not None


def height(statement: n.Statement) -> int:
    """The lines that a statement has as text."""
    return 2 + sum(map(height, statement.body)) if isinstance(statement, n.PtxBlock) else 1


# What this level calls the things that hints name, by the code of the error; another face has words of its own.
WORDS = {
    "S206": "ptx.variable(...) and smem.alloc(...) declare variables",
    "register": "reg.scalar(type) makes a register, reg.declare(type, name) one of that name",
    "ended": "it was declared in a ptx.scope() that has ended: declare it before, or use it within",
}  # fmt: skip


class Trace:
    """A function of PTX that is being written. `target` is None where any chip will do. `mark` stands in the names of
    numbered registers, where others of these names may be declared. `whole`: nothing stands outside of the function, so
    that it declares all that it names."""

    words: Mapping[str, str] = WORDS

    def __init__(self, kernel: str, target: PtxTarget | None = None, mark: str = ""):
        self.kernel, self.target, self._mark, self.whole = kernel, target, mark, not mark
        self.statements: list[n.Statement] = []
        self.lines: list[tuple[str, int]] = []  # file and line of each line of the text
        self.variables: list[n.PtxVariable] = []  # of shared memory
        # By name, of the registers that can be seen, those of the innermost braces first; `held`: as they are declared.
        self.types: collections.ChainMap[str, Type] = collections.ChainMap()
        self.held: collections.ChainMap[str, str] = collections.ChainMap()
        self.symbols: dict[str, str] = {}  # variables and parameters, by name: their space
        self.labels: dict[str, tuple[str, int]] = {}  # placed ones: where
        self.wanted: dict[str, Span | None] = {}  # labels that are branched to
        self.ended: set[str] = set()  # registers of braces that are closed
        self.left: dict[str, str] = {}  # labels behind loops of Python's that are under way: what the user calls these
        self.guard: n.Guard | None = None
        self.address_size: int | None = 64  # as the module says
        self.loops: list[OpenLoop] = []
        self.dynamic = 0  # bytes of dynamic shared memory that are taken
        self.closed_if: tuple[int, str] | None = None  # length of `statements` behind an `if_`, and its label
        self._counts: dict[str, int] = {}
        self._named: list[tuple[str, str]] = []
        self._labels = 0

    # -- statements ----------------------------------------------------------------------------------------------------

    def add(self, statement: n.Statement) -> None:
        """Appends a statement of the user's line that is under way."""
        self.statements.append(statement)
        self.lines += [self._line()] * height(statement)

    @staticmethod
    def _line() -> tuple[str, int]:
        frame = caller()
        return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("", 0)

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Braces: registers that are declared and labels that are placed within them are known up to their end."""
        outer = self.statements, self.types, self.held, self.labels, self.wanted
        self.lines.append(self._line())
        self.statements, self.types, self.held, self.labels, self.wanted = (
            [],
            self.types.new_child(),
            self.held.new_child(),
            {},
            {},
        )
        self.closed_if = None
        try:
            yield
        finally:
            body, labels, wanted = self.statements, self.labels, self.wanted
            self.ended.update(self.held.maps[0])
            self.statements, self.types, self.held, self.labels, self.wanted = outer
            self.closed_if = None
        for name, span in wanted.items():
            if name not in labels:
                self.wanted.setdefault(name, span)
        self.statements.append(n.PtxBlock(tuple(body)))
        self.lines.append(self._line())

    def register(self, kind: Type, name: str = "") -> str:
        """The name of a new register. Raises T223 for one that is taken, or that is none."""
        if name == "":
            prefix = PREFIX[kind.held]
            count = self._counts.get(kind.held, 0)
            self._counts[kind.held] = count + 1
            name = f"{prefix}{self._mark}{count}"
        else:
            if not is_identifier(name):
                raise wrong("T223", name=name, why="it is no identifier of PTX")
            self._named.append((kind.held, name))
        if name in self.types:
            raise wrong("T223", name=name, why="there is one of this name")
        self.types.maps[-1][name], self.held.maps[-1][name] = kind, kind.held  # these are declared at the top
        return name

    def declare(self, registers: n.RegisterDecl) -> None:
        """Declares registers here. Raises T223 for a name that these braces have already."""
        for name in registers.names:
            for each in name.names():
                self.know(each, registers.type, registers.vector)
        self.add(registers)

    def know(self, name: str, kind: str, vector: str = "") -> None:
        """Notes a register that is declared in the innermost braces. Raises T223."""
        if name in self.held.maps[0]:
            raise wrong("T223", name=name, why="there is one of this name")
        self.held[name] = f"{vector}.{kind}" if vector else kind
        if kind in BY_PTX:
            self.types[name] = BY_PTX[kind]

    def type_of(self, name: str) -> str | None:
        """The type of a register, of a variable by its space; for `nvptx.check`."""
        return self.held.get(name)

    def new_label(self, what: str) -> str:
        """A label's name that nothing has."""
        while True:
            name = f"${what}_{self._labels}"
            self._labels += 1
            if name not in self.labels and name not in self.wanted:
                return name

    def place(self, name: str, statement: n.Statement | None = None) -> None:
        """Puts a label here, or a statement that has one. Raises T224 for one that stands already."""
        if not is_identifier(name):
            raise wrong("T224", name=name, why="it is no identifier of PTX")
        if name in self.labels:
            file, line = self.labels[name]
            raise wrong("T224", name=name, why=f"it stands at {file}:{line} already")
        self.add(statement or n.LabelMark(name))
        self.labels[name] = self.lines[-1]

    def branch_to(self, name: str) -> None:
        """Notes that a label is branched to."""
        self.wanted.setdefault(name, here())

    def symbol(self, name: str, space: str) -> str:
        """Takes a name for a variable: itself, or with a number behind it. Raises T221."""
        if not is_identifier(name):
            raise wrong("T221", what="the name of a variable", want="an identifier of PTX", got=repr(name))
        base, number = name, 1
        while name in self.symbols:
            name = f"{base}_{number}"
            number += 1
        self.symbols[name] = space
        return name

    def dynamic_symbol(self) -> str:
        """The name of dynamic shared memory."""
        name = f"{self.kernel}_smem"
        self.symbols.setdefault(name, "shared")
        return name

    # -- the whole -----------------------------------------------------------------------------------------------------

    def finish(self) -> tuple[n.Statement, ...]:
        """The body: variables, registers, statements. Raises T224 for a label that stands nowhere."""
        for name, span in self.wanted.items():
            if name not in self.labels and name in self.left:
                why = f"Python has left `{self.left[name]}` before the end of its body (break, return, or no next trip)"
                hint = "one trip of Python's loop writes the body; a branch leaves the loop while the kernel runs"
                raise error("T224", span, hint, name=name, why=why)
            if name not in self.labels:
                raise error(
                    "T224",
                    span,
                    name=name,
                    why="nothing of this name is placed",
                    hint="put it somewhere by ptx.label(...)",
                )
        registers = [
            n.RegisterDecl(kind, (n.RegisterName(PREFIX[kind] + self._mark, count),))
            for kind, count in self._counts.items()
        ]
        named = [n.RegisterDecl(kind, (n.RegisterName(name),)) for kind, name in self._named]
        return (*self.variables, *registers, *named, *self.statements)


class _Open(threading.local):
    trace: Trace | None = None


_open = _Open()


def opened() -> Trace | None:
    """The open trace, where there is one."""
    return _open.trace


def said(key: str) -> str | None:
    """The words of the open trace's face for a hint; None for those of the catalogue."""
    return (opened() or Trace).words.get(key)


def current(what: str) -> Trace:
    """The open trace. Raises T004 where there is none: `what` works only inside a kernel."""
    if _open.trace is None:
        hint = "call it in a function decorated with @kernel(...)"
        raise wrong("T004", hint=hint, name=what)
    return _open.trace


@contextlib.contextmanager
def tracing(trace: Trace) -> Iterator[Trace]:
    """Opens a trace for as long as the block runs. Raises T236 inside of another."""
    if _open.trace is not None:
        raise wrong("T236", kernel=trace.kernel, inside=_open.trace.kernel)
    _open.trace = trace
    try:
        yield trace
    finally:
        _open.trace = None
