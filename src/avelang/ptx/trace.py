"""The trace: while a kernel's body runs, each call adds a statement; with the last, a function of PTX is there, and for each statement the line
that made it.

One trace is open in a thread at a time. Functions of the language ask for it by `current`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Iterator

from avelang.base.errors import error
from avelang.base.places import caller, here, wrong
from avelang.base.spans import Span
from avelang.nvptx import nodes as n
from avelang.nvptx.check import Target
from avelang.ptx.types import Type

# What the numbered registers of a type are called. A body declares those it uses, by their own type.
PREFIX = {
    "pred": "%p", "b8": "%bb", "b16": "%rs", "b32": "%r", "b64": "%rd", "b128": "%rq", "u8": "%ub", "u16": "%uh", "u32": "%u", "u64": "%ud",
    "s8": "%sb", "s16": "%sh", "s32": "%s", "s64": "%sd", "f16": "%h", "f32": "%f", "f64": "%fd",
}  # fmt: skip


@dataclasses.dataclass(slots=True)
class Loop:
    """An emitted loop that is open: where `continue_` and `break_` go."""

    again: str
    end: str


class Trace:
    """A function of PTX that is being written. `target` is None where any chip will do."""

    def __init__(self, kernel: str, target: Target | None = None):
        self.kernel, self.target = kernel, target
        self.statements: list[n.Statement] = []
        self.lines: list[tuple[str, int]] = []  # file and line of each statement
        self.variables: list[n.Variable] = []  # of shared memory
        self.types: dict[str, Type] = {}  # by name, of all registers
        self.held: dict[str, str] = {}  # the same, as they are declared
        self.symbols: dict[str, str] = {}  # variables and parameters, by name: their space
        self.labels: dict[str, tuple[str, int]] = {}  # placed ones: where
        self.wanted: dict[str, Span | None] = {}  # labels that are branched to
        self.guard: n.Guard | None = None
        self.loops: list[Loop] = []
        self.dynamic = 0  # bytes of dynamic shared memory that are taken
        self.closed_if: tuple[int, str] | None = None  # length of `statements` behind an `if_`, and its label
        self._counts: dict[str, int] = {}
        self._named: list[tuple[str, str]] = []
        self._labels = 0

    # -- statements ------------------------------------------------------------------------------------------------------------------

    def add(self, statement: n.Statement) -> None:
        """Appends a statement of the user's line that is under way."""
        frame = caller()
        self.statements.append(statement)
        self.lines.append((frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("", 0))

    def register(self, kind: Type, name: str = "") -> str:
        """The name of a new register. Raises T223 for one that is taken, or that is none."""
        if not name:
            prefix = PREFIX[kind.held]
            count = self._counts.get(kind.held, 0)
            self._counts[kind.held] = count + 1
            name = f"{prefix}{count}"
        else:
            if not name.removeprefix("%").replace("_", "a").replace("$", "a").isalnum():
                raise wrong("T223", name=name, why="it is no identifier of PTX")
            self._named.append((kind.held, name))
        if name in self.types:
            raise wrong("T223", name=name, why="there is one of this name")
        self.types[name], self.held[name] = kind, kind.held
        return name

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

    def place(self, name: str) -> None:
        """Puts a label here. Raises T224 for one that stands already."""
        if name in self.labels:
            file, line = self.labels[name]
            raise wrong("T224", name=name, why=f"it stands at {file}:{line} already")
        self.add(n.Label(name))
        self.labels[name] = self.lines[-1]

    def branch_to(self, name: str) -> None:
        """Notes that a label is branched to."""
        self.wanted.setdefault(name, here())

    def symbol(self, name: str, space: str) -> str:
        """Takes a name for a variable: itself, or with a number behind it."""
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

    # -- the whole -------------------------------------------------------------------------------------------------------------------

    def finish(self) -> tuple[n.Statement, ...]:
        """The body: variables, registers, statements. Raises T224 for a label that stands nowhere."""
        for name, span in self.wanted.items():
            if name not in self.labels:
                raise error("T224", span, name=name, why="nothing of this name is placed", hint="put it somewhere by ptx.label(...)")
        registers = [n.Registers(kind, (n.RegisterName(PREFIX[kind], count),)) for kind, count in self._counts.items()]
        named = [n.Registers(kind, (n.RegisterName(name),)) for kind, name in self._named]
        return (*self.variables, *registers, *named, *self.statements)


class _Open(threading.local):
    trace: Trace | None = None


_open = _Open()


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
