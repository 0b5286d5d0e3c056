"""The state while a kernel is built: `Build` (one for a kernel), `Frame` (one for a function, inlined too), `Env` (what
names hold)."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from avelang.base.errors import AveError, error
from avelang.base.spans import Span
from avelang.frontend.liveness import Flow, NameSet
from avelang.frontend.scopes import Recorder, recorder
from avelang.frontend.source import FunctionSource
from avelang.frontend.structs import FieldCell
from avelang.ir.build import Builder, Number
from avelang.ir.core import Block, Op, Value
from avelang.ir.dtypes import DType
from avelang.ir.types import Type, dtype_of
from avelang.isa.row import Row

MISSING: Any = object()
# By class of node: what builds it. An expression gives its value.
Visitors = Mapping[type[ast.AST], Callable[["Frame", Any], Any]]


class ConstantBuilder(Builder):
    """A builder that shares constants: within a block and with the blocks around it, where they were made before."""

    def __init__(self, block: Block):
        super().__init__(block)
        self._consts: dict[Block, dict[Any, Value]] = {}
        self._stack: list[Block] = [block]

    @contextlib.contextmanager
    def inside(self, block: Block) -> Iterator[Block]:
        """Appends to `block` for a while."""
        self._stack.append(block)
        with super().inside(block):
            yield block
        self._stack.pop()

    def const(self, value: Number | tuple[Number, ...], type: Type = None) -> Value:  # type: ignore[assignment]
        """A constant; the same op as before where one is in sight."""
        key = (type, repr(value) if dtype_of(type).is_float else value)
        for block in reversed(self._stack):
            found = self._consts.get(block, {}).get(key)
            if found is not None:
                return found
        made = super().const(value, type)
        self._consts.setdefault(self.block, {})[key] = made
        return made

    def mark(self) -> Any:
        """This place, for `back`."""
        return self.block, len(self.block.ops), dict(self._consts.get(self.block, {}))

    def back(self, mark: Any) -> None:
        """Takes back what was appended to the current block since `mark`."""
        block, count, consts = mark
        del block.ops[count:]
        self._consts[block] = consts

    def sees(self, value: Value) -> bool:
        """True if a value is made in the current block or in one around it."""
        return any(value.owner is block or any(value.owner is op for op in block.ops) for block in self._stack)

    def move(self, block: Block) -> None:
        """Takes the ops of `block`, which has no terminator yet, to the end of the current block."""
        self.block.ops.extend(block.ops)


class RecordingBuilder(ConstantBuilder):
    """A builder that tells a debugger's recorder from which statement each op comes."""

    def __init__(self, block: Block, scopes: Recorder):
        super().__init__(block)
        self._scopes = scopes

    def emit(self, name: str, operands: Any = (), types: Any = (), regions: Any = (), /, **attrs: Any) -> Op:
        """Appends the op and returns it."""
        op = super().emit(name, operands, types, regions, **attrs)
        if self._scopes.current is not None:
            self._scopes.of[op] = self._scopes.current
        return op


class Env:
    """Values of names (or of cells of objects), in layers: one more for each region that is being built, which holds
    the region's assignments."""

    __slots__ = ("layers",)

    def __init__(self) -> None:
        self.layers: list[dict[Any, Any]] = [{}]

    def get(self, name: Any) -> Any:
        """The value in the innermost layer that has the name, or MISSING."""
        for layer in reversed(self.layers):
            if name in layer:
                return layer[name]
        return MISSING

    def set(self, name: Any, value: Any) -> None:
        """Binds a name in the innermost layer."""
        self.layers[-1][name] = value


class Heap(Env):
    """Values of cells. `loops`: the layers of loops that are being built with stand-ins (`stand_ins.py`); they say what
    a cell is that is read in them. `hoped`: whether there ever was one."""

    __slots__ = ("hoped", "loops")

    def __init__(self) -> None:
        super().__init__()
        self.loops: list[Any] = []
        self.hoped = False

    def get(self, name: Any) -> Any:
        """The value in the innermost layer that has the cell, or what stands in for it there, or MISSING."""
        layers = self.layers
        for i in range(len(layers) - 1, -1, -1):
            layer = layers[i]
            if name in layer:
                value = layer[name]
                for loop in self.loops:
                    if loop.depth > i:
                        value = loop.read(name, value)
                return value
        return MISSING


class Restart(Exception):  # noqa: N818 - never leaves the frontend
    """Something was found that should have been known from the start; the build begins again, knowing it."""


class BuildFacts:
    """Facts that builds of one kernel find out about its syntax trees. `changed`: by definition, the names that need
    storage (`storage.py`). `stored`: fields of structs, as (struct, name), whose register tensors are changed in place.
    `open`: calls of which it cannot be told what they store into; `storing`: those that turned out to store into an
    argument. `owners`: the structs of methods. `hopeful`: bodies of loops are built with stand-ins first
    (`stand_ins.py`)."""

    def __init__(self) -> None:
        self.changed: dict[ast.AST, set[str]] = {}
        self.stored: set[tuple[Any, str]] = set()
        self.open: set[ast.AST] = set()
        self.storing: set[ast.AST] = set()
        self.owners: dict[ast.AST, Any] = {}
        # A debugger is shown what names hold: no stand-ins.
        self.hopeful = recorder() is None

    def give_up(self) -> NoReturn:
        """Begins the build again, without stand-ins."""
        self.hopeful = False
        self.restart()

    def restart(self) -> NoReturn:
        """Begins the build again, with what is known now."""
        self.changed.clear()
        raise Restart


class Build:
    """One kernel being built: the builder, the rows used, and the functions that are being inlined. `visitors` build
    statements and expressions."""

    def __init__(self, body: Block, chip: Any, known: BuildFacts, visitors: Visitors,
                 extents: tuple[int, int, int] | None = None):
        self.scopes = recorder()
        self.b = ConstantBuilder(body) if self.scopes is None else RecordingBuilder(body, self.scopes)
        self.extents = extents  # of the launch's blocks, None where no launch is known
        self.visitors = visitors
        self.chip = chip
        self.rows: dict[str, Row] = {}
        self.row_spans: dict[str, Span] = {}
        # Shuffles, whose width is checked when the chip is known; those in `whole_wave` get it then.
        self.shuffles: list[Op] = []
        self.whole_wave: set[Op] = set()
        # The allocations of `al.make_scratch`, by slot.
        self.scratch: dict[int, list[Op]] = {}
        # What `al.expect_threads` has said, each once: count, exact.
        self.threads: dict[tuple[int, bool], None] = {}
        # The parameter of type `al.Ranks`.
        self.ranks: Value | None = None
        self.active: list[tuple[object, Frame]] = []
        self.known = known
        # What the fields of objects hold.
        self.heap = Heap()
        # How many loops that are being built again stand around the current place, and which cells a loop has carried
        # when it was built last.
        self.again = 0
        self.carried: dict[Any, list[FieldCell]] = {}
        # Where control flow is being merged: the objects made, each with the two that it stands for (`aliases.py`).
        self.met: list[tuple[Any, Any, Any]] = []
        # Values that stand for a literal carried around a loop, with the literal: their type is still open.
        self.soft: dict[Value, Number] = {}
        # Values that were chosen between two literals: the condition and both sides (numbers, or such values). See
        # `choices.py`.
        self.choices: dict[Value, tuple[Value, Any, Any]] = {}


class Frame:
    """One function being built: its names, its analysis, and where errors point."""

    def __init__(self, build: Build, source: FunctionSource, node: ast.FunctionDef, parent: Frame | None = None,
                 caller: Span | None = None):
        self.build, self.b = build, build.b
        self.source, self.node, self.parent, self.caller = source, node, parent, caller
        self.label = source.label if parent is None else node.name
        # The object that a method was called on.
        self.receiver: Any = None
        flow = source.cache.get(node)
        if flow is None:
            flow = source.cache[node] = Flow(node)
        self.flow: Flow = flow
        self.env = Env()
        # Names whose register tensors are changed in place; see `storage.py`.
        self.in_memory: NameSet | set[str] = frozenset()
        # What a `return` gives, converted to the return annotation; and how many loops stand around the statement being
        # built.
        self.returned: Callable[[Any, ast.AST], Any] = lambda value, node: value
        self.loops = 0
        # Names without a value where a trip of the innermost loop may be left by `continue` or `break`.
        self.skipped: set[Any] = set()
        self._spans: dict[ast.AST, Span] = {}

    # -- where --------------------------------------------------------------------------------------------------------

    def span(self, node: ast.AST) -> Span:
        """The source range of a node."""
        found = self._spans.get(node)
        if found is None:
            at: Any = node
            place = at.lineno, at.col_offset, at.end_lineno, at.end_col_offset
            found = Span(self.source.file, *place, self.label, self.caller)
            self._spans[node] = found
        return found

    def at(self, node: ast.AST) -> None:
        """Ops made from here on come from `node`."""
        self.b.span = self.span(node)

    def fail(self, code: str, node: ast.AST, hint: str | None = None, **fields: Any) -> NoReturn:
        """Raises the error `code` at a node."""
        raise error(code, self.span(node), hint, **fields)

    @contextlib.contextmanager
    def locate(self, node: ast.AST) -> Iterator[None]:
        """Errors raised inside that have no place get that of `node`."""
        try:
            yield
        except AveError as e:
            e.span = e.span or self.span(node)
            raise

    # -- building -----------------------------------------------------------------------------------------------------

    def expr(self, node: ast.AST) -> Any:
        """The value of an expression."""
        make = self.build.visitors.get(type(node))
        if make is None:
            self._unknown(node)
        return make(self, node)

    def stmt(self, node: ast.stmt) -> None:
        """Builds a statement."""
        make = self.build.visitors.get(type(node))
        if make is None:
            self._unknown(node)
        self.b.span = self.span(node)
        if self.build.scopes is None:
            make(self, node)
        else:
            with self.entered(node):
                make(self, node)

    @contextlib.contextmanager
    def entered(self, node: ast.AST) -> Iterator[None]:
        """Makes what is built within belong to the statement `node`, for a debugger, where there is one."""
        scopes = self.build.scopes
        outer = scopes.enter(self, node) if scopes is not None else None
        yield
        if scopes is not None:
            scopes.leave(self, outer)

    def _unknown(self, node: ast.AST) -> NoReturn:
        self.fail("S001", node, what=_NAMES.get(type(node), f"`{type(node).__name__}`"),
                  instead=_INSTEAD.get(type(node), ""))

    @contextlib.contextmanager
    def region(self, block: Block, cells: dict[Any, Any] | None = None) -> Iterator[dict[Any, Any]]:
        """Builds into `block`, and gives the names, and the cells of objects, that are assigned meanwhile. `cells`: the
        layer that gets those of cells."""
        layer: dict[Any, Any] = {}
        self.env.layers.append(layer)
        self.build.heap.layers.append({} if cells is None else cells)
        with self.b.inside(block):
            yield layer
        self.env.layers.pop()
        layer.update(self.build.heap.layers.pop())

    def value_of(self, name: str | FieldCell) -> Any:
        """The value of a name or a cell, or MISSING."""
        return self.build.heap.get(name) if isinstance(name, FieldCell) else self.env.get(name)

    def bind(self, name: str | FieldCell, value: Any) -> None:
        """Sets the value of a name or a cell."""
        (self.build.heap if isinstance(name, FieldCell) else self.env).set(name, value)

    def typed(self, number: Number, d: DType) -> Value:
        """A constant of dtype `d`."""
        return self.b.const(number, d)


_NAMES: dict[type[ast.AST], str] = {
    ast.SetComp: "a set comprehension", ast.DictComp: "a dict comprehension",
    ast.Yield: "`yield`", ast.YieldFrom: "`yield from`",
    ast.Await: "`await`", ast.Dict: "a dict", ast.Set: "a set",
    ast.Starred: "a starred value",
    ast.NamedExpr: "`:=`", ast.Slice: "a slice", ast.Try: "`try`", ast.With: "`with`", ast.ClassDef: "a class",
    ast.Import: "`import`",
    ast.ImportFrom: "`import`", ast.Global: "`global`", ast.Nonlocal: "`nonlocal`", ast.Delete: "`del`",
    ast.Raise: "`raise`",
    ast.Match: "`match`", ast.AsyncFunctionDef: "an async function", ast.AsyncFor: "`async for`",
    ast.AsyncWith: "`async with`",
}  # fmt: skip
_INSTEAD: dict[type[ast.AST], str] = {
    ast.Slice: "a slice is an index of a tensor, a tuple or a string",
    ast.Try: "a kernel cannot raise", ast.Raise: "a kernel cannot raise", ast.Import: "import outside the kernel",
    ast.ImportFrom: "import outside the kernel", ast.Global: "pass the value as a parameter, or return it",
    ast.Nonlocal: "return the value, or store into a register tensor",
    ast.NamedExpr: "assign in a statement of its own",
    ast.Dict: "use a tuple", ast.Set: "use a tuple", ast.Match: "use if and elif",
    ast.Yield: "return a tuple",
}  # fmt: skip
