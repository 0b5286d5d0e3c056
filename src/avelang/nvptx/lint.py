"""A PTX module comes in; what is wrong with it goes out: its declarations, each instruction against the table, names
that are declared nowhere or twice, state spaces, calls, constants, labels without use."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from avelang.base.errors import AveError, error
from avelang.base.spans import Span
from avelang.nvptx import nodes as n
from avelang.nvptx.check import PtxTarget, check, short_address, type_of
from avelang.nvptx.declarations import Declarations, DeclaredNames, size
from avelang.nvptx.forms import Entry
from avelang.nvptx.lexer import PtxSource
from avelang.nvptx.parse import parse
from avelang.nvptx.ptx_types import KNOWN, TYPES, target
from avelang.nvptx.ranges import cut
from avelang.nvptx.readings import readings
from avelang.nvptx.special_registers import CONSTANTS

WARNINGS = frozenset({"S205", "S209"})
# Labels that compilers place for a debugger, whether or not a section names them (nvcc -G and -lineinfo, LLVM).
DEBUG_LABELS = ("$L__tmp", "$L__func_begin", "$L__func_end")


@dataclasses.dataclass(slots=True)
class Scope:
    """The names of a block. `families` are declarations such as %r<10>: name -> (number, type)."""

    outer: Scope | None = None
    registers: dict[str, str] = dataclasses.field(default_factory=dict)
    families: dict[str, tuple[int, str]] = dataclasses.field(default_factory=dict)
    # and the state space of each, as in `check.Spaces`
    symbols: dict[str, str] = dataclasses.field(default_factory=dict)
    labels: dict[str, n.LabelMark] = dataclasses.field(default_factory=dict)
    used: set[str] = dataclasses.field(default_factory=set)

    def declare(self, x: n.RegisterDecl) -> None:
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
            # Of %r1<3> there is no %r10: ptxas (13.0) takes all digits for the number.
            count, kind = self.families.get(name[:cut], (0, "")) if not name[cut - 1].isdigit() else (0, "")
            if int(name[cut:]) < count and str(int(name[cut:])) == name[cut:]:
                found = kind
        return found if found is not None or self.outer is None else self.outer.type(name)

    def instead(self, name: str) -> str:
        """The advice about a register that nothing declares."""
        for family in (*self.families, *(self.outer.families if self.outer is not None else ())):
            if family[-1:].isdigit() and name.startswith(family) and name[len(family) :].isdigit():
                return (f"ptxas finds no register of {family}<...>, since the name ends in a digit: call it {family}_, "
                    "or declare each by itself")
        return "declare it: .reg .b32 with its name, in this block or around it"

    def knows(self, name: str) -> bool:
        """True if a label, a variable or a function of this name is seen from here; a label counts as used from now
        on."""
        if name in self.labels:
            self.used.add(name)
            return True
        return name in self.symbols or (self.outer is not None and self.outer.knows(name))

    def space(self, name: str) -> str | None:
        """The state space of a variable, None where none of this name is seen."""
        if name in self.labels:
            return "label"
        return self.symbols.get(name) or (self.outer.space(name) if self.outer is not None else None)


class _Linter:
    def __init__(self, source: PtxSource, module: n.PtxModule):
        self.source, self.module = source, module
        self.target: PtxTarget | None = None
        self.found: list[AveError] = []
        self.variables: dict[str, n.PtxVariable] = {}  # of the bodies: the arguments of calls

    def run(self) -> list[AveError]:
        chip = self.module.target[0]
        try:
            target(chip)
            self.target = PtxTarget(chip, self.module.version)
        except ValueError:
            pass
        if chip not in KNOWN:
            self.found.append(error("S207", self.source.span(2, 1), name=chip))
        self.found += Declarations(self.source, self.module).check()
        top = Scope()
        outside = set(_mentioned(self.module))
        for item in self.module.items:
            if isinstance(item, n.PtxVariable):
                top.symbols[item.name] = item.space
            elif isinstance(item, (n.PtxFunction, n.Alias)):
                top.symbols[item.name] = "code"
        for item in self.module.functions():
            names, inner = DeclaredNames(self.source), Scope(top)
            for p in (*(item.params or ()), *(item.returns or ())):
                if p.name != "_":
                    names.add(p.name, "the parameter", p.line, p.column)
                if p.space == "reg":
                    inner.registers[p.name] = p.type
                inner.symbols[p.name] = "entry" if item.kind == "entry" else "param"
            if item.body is not None:
                self.body(item.body, inner, outside, names)
            else:
                self.found += names.found
        return sorted(self.found, key=lambda e: (e.span.line, e.span.col) if e.span else (0, 0))

    def body(self, statements: tuple[n.Statement, ...], outer: Scope, outside: set[str], names: DeclaredNames
            | None = None) -> None:
        """A body, whose outermost braces share their names with the parameters, or braces in one."""
        scope, names = Scope(outer), names or DeclaredNames(self.source)
        for s in statements:
            if isinstance(s, n.LabelMark):
                scope.labels[s.name] = s
                names.add(s.name, "the label", s.line, s.column)
            elif isinstance(s, (n.Targets, n.Prototype)):
                scope.symbols[s.label] = "code"
                names.add(s.label, "the label", s.line, s.column)
        for s in statements:
            if isinstance(s, n.RegisterDecl):
                scope.declare(s)
                for name in s.names:
                    if name.count is None:
                        names.add(name.name, "the register", s.line, s.column)
                    else:
                        names.family(name.name, name.count, s.line, s.column)
            elif isinstance(s, n.PtxVariable):
                scope.symbols[s.name] = s.space
                names.add(s.name, "the variable", s.line, s.column)
                self.variables[s.name] = s
            elif isinstance(s, n.PtxBlock):
                self.body(s.body, scope, outside)
            elif isinstance(s, n.Targets):
                for name in s.names:
                    self.known(name, scope, self.source.span(s.line, s.column))
            elif isinstance(s, n.PtxInstruction):
                self.instruction(s, scope)
        self.found += names.found
        for name, label in scope.labels.items():
            if name not in scope.used | outside and not name.startswith(DEBUG_LABELS):
                self.found.append(error("S205", self.source.span(label.line, label.column, len(name)), name=name))

    def known(self, name: str, scope: Scope, span: Span) -> None:
        if name not in CONSTANTS and not scope.knows(name):
            self.found.append(error("S206", span, name=name, instead="a label, a variable or a function of that name "
                "must be visible here"))

    def instruction(self, x: n.PtxInstruction, scope: Scope) -> None:
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
                        instead=scope.instead(leaf.name)))
                elif isinstance(leaf, n.SymbolOperand):
                    self.known(leaf.name, scope, where(i))
        wrong = check(x, self.target, scope.type, where, scope.space)
        if wrong is None and self.module.address_size == 64:
            wrong = short_address(x, scope.type, where)
        if wrong is not None and not (missing and wrong.code == "T202"):
            self.found.append(wrong)
        elif wrong is None:
            self.found += self.beyond(x, scope, where)

    def beyond(self, x: n.PtxInstruction, scope: Scope, where: Callable[[int], Span]) -> Iterator[AveError]:
        """What the table does not know: guards, jumps, calls, constants that are cut."""
        form, env = readings(x.parts)[0][0]
        own = form.entry
        kind = scope.type(x.guard.register.name) if x.guard is not None else None
        if x.guard is not None and kind not in (None, "pred"):
            yield error("S215", where(-1), name=x.guard.register.name, kind=kind)
        first = x.operands[0] if x.operands else None
        argument = isinstance(first, n.AddressOperand) and isinstance(first.base, n.SymbolOperand)
        if x.guard is not None and own.has("write") and env.get("space") == "param" and argument:
            yield error("S204", where(-1), name=x.name, why="arguments of a call are stored by all lanes: ptxas takes "
                "no guard here")
        if own.has("jump") and isinstance(first, n.SymbolOperand) and scope.space(first.name) not in (None, "label"):
            yield error("S206", where(0), name=first.name, instead="`bra` goes to a label of the same function; `call` "
                "goes to a function")
        if own.has("call"):
            yield from self.call(x, where)
            return
        for i, operand in enumerate(x.operands):
            for why in self.unfit(own, operand, scope):
                yield error("S204", where(i), name=x.name, why=f"operand {i + 1}: {why}")
        specs = form.present(env)
        for i, (spec, have) in enumerate(zip(specs, x.operands, strict=True) if len(specs) == len(x.operands) else ()):
            type_ = type_of(spec, env)
            becomes = cut(have, type_) if spec.role in "sia" and not spec.values else ""
            if becomes:
                got = have.value  # type: ignore[union-attr]
                yield error("S209", where(i), name=x.name, number=i + 1, got=got, kind=type_, cut=becomes)

    def unfit(self, own: Entry, operand: n.Operand, scope: Scope) -> Iterator[str]:
        """What ptxas refuses of an operand wherever it stands: special registers but of mov and cvt, quotients by 0,
        offsets that are no integers, registers of several kinds in one pair of braces."""
        for leaf in n.leaves(operand):
            if isinstance(leaf, n.SpecialOperand) and (not own.has("special") or isinstance(operand, n.AddressOperand)):
                yield f"{leaf.name} is a special register, and only mov and cvt read those: copy it first"
        if any(isinstance(b, n.Binary) and b.op in ("/", "%") and isinstance(b.right, n.Int) and not b.right.value
                for b in _expressions(operand)):
            yield "a quotient by 0"
        if (isinstance(operand, n.AddressOperand)
                and any(isinstance(leaf, n.Float) for leaf in _expressions(operand.offset))):
            yield "an offset is an integer, in bytes"
        if isinstance(operand, n.VectorOperand) and own.has("braces"):
            types = [t for v in operand.items if isinstance(v, n.Register) and (t := scope.type(v.name)) in TYPES]
            kinds = {TYPES[t].kind for t in types}
            mixed = "f" in kinds and (kinds & {"s", "u"} or any(isinstance(v, n.Int) for v in operand.items))
            if len({TYPES[t].bits for t in types}) > 1 or mixed:
                kinds_ = ", ".join(f".{t}" for t in dict.fromkeys(types))
                yield f"registers of {kinds_}{' and a number' if len(set(types)) == 1 else ''} in one pair of braces"

    def call(self, x: n.PtxInstruction, where: Callable[[int], Span]) -> Iterator[AveError]:
        """A call of a function by its name, against its declaration."""
        names = [o for o in x.operands if isinstance(o, n.SymbolOperand)]
        f = self.module.function(names[0].name) if names and not isinstance(x.operands[0], n.Register) else None
        if f is None:
            return

        def wrong(why: str) -> AveError:
            return error("S214", where(-1), name=f.name, why=why, line=f.line)

        if f.kind == "entry":
            yield wrong("it is a kernel, and only the host launches those")
            return
        at = x.operands.index(names[0])
        behind = x.operands[at + 1] if at + 1 < len(x.operands) else None
        given = behind.items if isinstance(behind, n.Arguments) else ()
        taken = x.operands[0].items if at and isinstance(x.operands[0], n.Arguments) else ()
        for what, have, want in (("argument", given, f.params or ()), ("result", taken, f.returns or ())):
            if len(have) != len(want):
                yield wrong(f"{len(have)} {what}{'' if len(have) == 1 else 's'}, and it has {len(want)}")
                return
            for number, (one, p) in enumerate(zip(have, want, strict=True), 1):
                own = self.variables.get(one.name) if isinstance(one, n.SymbolOperand) else None
                if own is not None and p.type in TYPES and own.type in TYPES and size(own) != size(p):
                    yield wrong(f"{what} {number} has {size(own)} bytes, and {p.name} has {size(p)}")


def _expressions(x: n.Operand | None) -> Iterator[n.Operand]:
    """An operand, and what it is made of."""
    if x is None:
        return
    yield x
    parts: tuple[n.Operand | None, ...] = x.items if isinstance(x, n.VectorOperand) else ()
    if isinstance(x, n.AddressOperand):
        parts = x.base, x.offset
    elif isinstance(x, n.Binary):
        parts = x.left, x.right
    for part in parts:
        yield from _expressions(part)


def _mentioned(module: n.PtxModule) -> Iterator[str]:
    """The labels that debug data name."""
    for item in module.items:
        if isinstance(item, n.Section):
            for data in item.items:
                if isinstance(data, n.SectionData):
                    yield from (leaf.name for value in data.values for leaf in n.leaves(value)
                        if isinstance(leaf, n.SymbolOperand))


def lint(text: str, file: str = "<ptx>") -> list[AveError]:
    """The errors of PTX text, in the order of its lines; what is in `WARNINGS` is only worth a look. Raises S201
    where it cannot be read."""
    return _Linter(PtxSource(text, file), parse(text, file, known=False)).run()
