"""The trace of this dialect: `avelang.ptx.trace` with registers and labels named and declared as kernels for pyptx
expect them, shared memory static or dynamic, and loads that stand before the body.

A body runs while a trace is open; what it calls adds statements to it, in the order of the calls."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

from avelang.base.errors import AveError
from avelang.base.places import wrong
from avelang.nvptx import nodes as n
from avelang.nvptx.check import PtxTarget
from avelang.nvptx.ptx_types import SHARED
from avelang.ptx.inst import add as add_checked
from avelang.ptx.trace import Trace, is_identifier, opened, tracing
from pyptx._errors import PyptxRuntimeError, bad_value, fail
from pyptx._words import WORDS
from pyptx.spec import refused
from pyptx.types import PtxType

# What registers without a name of their own are called, by the type that they are made for.
PREFIX = {
    "pred": "%p", "b8": "%r", "b16": "%rs", "b32": "%r", "b64": "%rd", "b128": "%rq", "u8": "%r", "u16": "%rs",
    "u32": "%r", "u64": "%rd", "s8": "%r", "s16": "%rs", "s32": "%r", "s64": "%rd", "f16": "%h", "bf16": "%h",
    "f16x2": "%hh", "bf16x2": "%hh", "f32": "%f", "tf32": "%f", "f64": "%fd", "e4m3": "%b", "e5m2": "%b",
}  # fmt: skip
DYNAMIC = "dyn_smem"
DYNAMIC_ALIGN = 1024  # 8 rows of the longest pattern of a swizzle: so it repeats
STATIC_MOST = SHARED  # bytes of static shared memory; a kernel that needs more takes dynamic memory


@dataclasses.dataclass(frozen=True)
class DescriptorUse:
    """A tensor whose map the body asked for: its index among the tensors, the parameter's name."""

    tensor: int
    parameter: str


class TraceContext(Trace):
    """An open kernel. `dynamic_mode`: all shared memory is a part of `dyn_smem`; `extern`: the name of an extern array
    that the kernel lays out itself, "" for none; `checked`: each instruction is checked against the table of PTX."""

    words = WORDS

    def __init__(self, kernel: str = "kernel", target: PtxTarget | None = None, *, dynamic_mode: bool = False,
                 extern: str = "", checked: bool = True, version: tuple[int, int] | None = None):  # fmt: skip
        super().__init__(kernel, target)
        self.dynamic_mode, self.extern, self.checked, self.ptx_version = dynamic_mode, extern, checked, version
        self.whole = checked
        self.static_bytes = 0
        self.depth = 0  # of braces
        self.declarations: list[n.RegisterDecl] = []
        self.prologue: list[n.Statement] = []
        self.prologue_lines: list[tuple[str, int]] = []
        self.descriptors: dict[str, tuple[DescriptorUse, Any]] = {}
        self.raw_types: dict[str, str] = {}
        self.ends: set[str] = set()  # labels behind `if_`s, in whose place an `else_` may stand
        self.files: list[n.File] = []
        self.comments: dict[str, str] = {}  # by the label that stands in its place
        self._numbers: dict[str, int] = {}
        self._pool = 0
        if extern:
            self.symbols[extern] = "shared"

    # -- names ---------------------------------------------------------------------------------------------------------

    def new_label(self, what: str) -> str:
        """A label's name that nothing has: `$_loop_3`."""
        return super().new_label(f"_{what}")

    def number(self, what: str) -> int:
        """The next number of a counter."""
        found = self._numbers.get(what, 0)
        self._numbers[what] = found + 1
        return found

    def passed(self, what: str, number: int) -> None:
        """Moves a counter past a number."""
        self._numbers[what] = max(self._numbers.get(what, 0), number)

    def at(self, what: str) -> int:
        """The value of a counter."""
        return self._numbers.get(what, 0)

    def taken(self, name: str) -> bool:
        """True for a register's name that can be seen here."""
        return name in self.held

    # -- registers -----------------------------------------------------------------------------------------------------

    def one(self, kind: PtxType, name: str | None = None, prefix: str = "") -> str:
        """Declares a register; its name. Raises T223 for one that is taken."""
        if kind.name == "pred" and not name and not prefix:
            return self.predicate()
        if name is None:
            prefix = prefix or PREFIX[kind.name]
            name = f"{prefix}{self.number(prefix)}"
            while self.taken(name):
                name = f"{prefix}{self.number(prefix)}"
        elif not is_identifier(name):
            raise wrong("T223", name=name, why="it is no identifier of PTX")
        self._declared(n.RegisterDecl(kind.held, (n.RegisterName(name),)), kind)
        return name

    def several(self, kind: PtxType, base: str, count: int) -> None:
        """Declares base0, base1, ... as `base<count>`, where PTX has that. Raises T223 for names that are taken."""
        if not is_identifier(base):
            raise wrong("T223", name=base, why="it is no identifier of PTX")
        self._declared(n.RegisterDecl(kind.held, n.registers_named(base, count)), kind)

    def _declared(self, x: n.RegisterDecl, kind: PtxType) -> None:
        for declared in x.names:
            for name in declared.names():
                if name in self.held.maps[0]:
                    raise wrong("T223", name=name, why="there is one of this name")
                self.held[name], self.types[name] = kind.held, kind.ave
        if self.depth:
            self.add(x)
        else:
            self.declarations.append(x)

    def predicate(self) -> str:
        """A new predicate of the pool, which is declared at the top."""
        return self._pooled(1)

    def predicates(self, count: int) -> bool:
        """Takes the pool's first predicates as an array; False where some are taken already."""
        if self._pool or self.at("%p"):
            return False
        self._pooled(count)
        return True

    def _pooled(self, count: int) -> str:
        first = self._pool
        from avelang.ptx.types import pred

        for i in range(first, first + count):
            self.held.maps[-1][f"%p{i}"], self.types.maps[-1][f"%p{i}"] = "pred", pred
        self._pool += count
        return f"%p{first}"

    def outermost(self, kind: PtxType, prefix: str) -> str:
        """A register that is declared at the top of the function, even from within braces."""
        name = f"{prefix}{self.number(prefix)}"
        self.held.maps[-1][name], self.types.maps[-1][name] = kind.held, kind.ave
        self.declarations.append(n.RegisterDecl(kind.held, (n.RegisterName(name),)))
        return name

    # -- statements ----------------------------------------------------------------------------------------------------

    def put(self, instruction: n.PtxInstruction) -> None:
        """Adds an instruction, checked where this trace checks. Raises PtxValidationError with the table's code."""
        if self.checked:
            try:
                add_checked(self, instruction)
            except AveError as e:
                raise refused(e, instruction) from None
            return
        if instruction.opcode == "bra":
            for x in instruction.operands:
                if isinstance(x, n.SymbolOperand):
                    self.branch_to(x.name)
        self.add(instruction)

    def comment(self, text: str) -> None:
        """Notes a comment line here: a label of no use in the nodes, which the text has a comment for."""
        name = f"$_comment_{self.number('comment')}"
        self.comments[name] = " ".join(text.split())
        self.add(n.LabelMark(name))

    def before(self, instruction: n.PtxInstruction) -> None:
        """Adds an instruction to those that stand before the body."""
        self.prologue.append(instruction)
        self.prologue_lines.append(self._line())

    @contextlib.contextmanager
    def braces(self) -> Iterator[None]:
        """Braces: what is declared within is known up to their end."""
        self.depth += 1
        try:
            with self.scope():
                yield
        finally:
            self.depth -= 1

    # -- shared memory -------------------------------------------------------------------------------------------------

    def share(self, name: str, kind: str, size: int, align: int, count: int | None = None) -> tuple[str, int]:
        """(symbol, byte) of new shared memory. In static mode a variable of its own."""
        if self.dynamic_mode:
            start = -(-self.dynamic // align) * align
            self.dynamic = start + size
            self.symbols[DYNAMIC] = "shared"
            return DYNAMIC, start
        if not is_identifier(name):
            raise bad_value("smem", f"{name!r} is no identifier of PTX")
        symbol = self.symbol(name, "shared")
        dims = (n.Int(size if count is None else count),)
        self.variables.append(n.PtxVariable("shared", kind, symbol, align=align, dims=dims))
        self.static_bytes = -(-self.static_bytes // align) * align + size
        return symbol, 0

    @property
    def outgrown(self) -> bool:
        """True where static shared memory is more than a kernel may have, and dynamic memory can take its place."""
        return not self.dynamic_mode and not self.extern and self.static_bytes > STATIC_MOST

    def module_variables(self) -> list[n.PtxVariable]:
        """The extern arrays of shared memory, which stand before the function."""
        names = ([self.extern] if self.extern else []) + ([DYNAMIC] if DYNAMIC in self.symbols else [])
        return [
            n.PtxVariable("shared", "b8", name, align=DYNAMIC_ALIGN, dims=(None,), linkage="extern") for name in names
        ]

    # -- for tests of what calls write ---------------------------------------------------------------------------------

    @property
    def reg_decls(self) -> list[n.RegisterDecl]:
        """The declarations of registers, outside of braces."""
        return self.head()

    @property
    def var_decls(self) -> list[n.PtxVariable]:
        """The variables of shared memory."""
        return self.variables

    @property
    def force_dynamic_smem(self) -> bool:
        """True in dynamic mode."""
        return self.dynamic_mode

    @property
    def dyn_smem_offset(self) -> int:
        """The bytes of dynamic shared memory that are taken."""
        return self.dynamic

    def emit(self, statement: n.Statement) -> None:
        """Appends a statement."""
        self.add(statement)

    def fresh_label(self, what: str) -> str:
        """A label's name that nothing has."""
        return self.new_label(what)

    def body(self) -> tuple[n.Statement, ...]:
        """The whole body."""
        return self.finish()

    # -- the whole -----------------------------------------------------------------------------------------------------

    def finish(self) -> tuple[n.Statement, ...]:
        """The body: registers, variables, statements. Raises T224 for a label that stands nowhere."""
        super().finish()
        self.lines = [*self.prologue_lines, *self.lines]
        return (*self.head(), *self.variables, *self.prologue, *self.statements)

    def head(self) -> list[n.RegisterDecl]:
        """The declarations of registers."""
        pool = [n.RegisterDecl("pred", (n.RegisterName("%p", self._pool),))] if self._pool else []
        return [*pool, *self.declarations]


def get_ctx() -> TraceContext:
    """The open trace. Raises RuntimeError (T241) where there is none."""
    found = opened()
    if not isinstance(found, TraceContext):
        raise fail(PyptxRuntimeError, "pyptx", "No active kernel trace: this is called inside of a kernel",
                   "it belongs into a function decorated with @kernel(...)")  # fmt: skip
    return found


@contextlib.contextmanager
def trace_scope(*, ptx_version: tuple[int, int] | None = None) -> Iterator[TraceContext]:
    """An open trace without a kernel, whose instructions are not checked, for tests of what calls write."""
    trace = TraceContext(checked=False, version=ptx_version)
    with tracing(trace):
        yield trace
