"""What a PTX module declares comes in; what is wrong with it goes out: names that stand twice, targets and versions
that do not go together, sizes, alignments and initial values, memory that no chip has, launch directives.

The rules are those of the PTX ISA 9.0 (5 "State spaces, types, and variables", 11 "Directives") as ptxas 13.0 keeps
them: each was asked of it. """

from __future__ import annotations

from collections.abc import Iterable, Iterator

from avelang.base.errors import AveError, error
from avelang.nvptx import nodes as n
from avelang.nvptx.lexer import PtxSource
from avelang.nvptx.ptx_types import (
    CONSTANT,
    KNOWN,
    PARAMETERS,
    REGISTERS,
    SHARED,
    STATIC_SHARED,
    TYPES,
    VERSIONS,
    target,
)
from avelang.nvptx.readings import entry_of

OPTIONS = frozenset(("texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"))
MOST_REGISTERS = 1 << 31
OPAQUE = frozenset(("texref", "samplerref", "surfref"))


def text(version: tuple[int, int]) -> str:
    """"8.7" of (8, 7)."""
    return "{}.{}".format(*version)


class DeclaredNames:
    """The names that a pair of braces, or the module, declares."""

    def __init__(self, source: PtxSource):
        self.source = source
        self.all: dict[str, tuple[str, int]] = {}
        self.families: dict[str, tuple[int, int]] = {}  # of registers such as %r<10>: how many, and the line
        self.found: list[AveError] = []

    def add(self, name: str, what: str, line: int, column: int) -> None:
        """Notes a name, and what is wrong with it: that it is there already."""
        if name in self.all:
            self._twice(name, what, line, column, *self.all[name])
            return
        self.all[name] = what, line
        digits = len(name) - len(name.rstrip("0123456789"))
        for cut in range(1, digits + 1):  # a family may have it
            count, first = self.families.get(name[:-cut], (0, 0))
            if str(int(name[-cut:])) == name[-cut:] and int(name[-cut:]) < count:
                self._twice(name, what, line, column, "a register", first)

    def family(self, name: str, count: int, line: int, column: int) -> None:
        """Notes registers name0 to name(count - 1)."""
        if name in self.families:
            self._twice(f"{name}<{count}>", "the registers", line, column, "others", self.families[name][1])
            return
        self.families[name] = count, line
        for each, (what, first) in list(self.all.items()):
            number = each.removeprefix(name)
            if each.startswith(name) and number.isdigit() and str(int(number)) == number and int(number) < count:
                self._twice(each, "the register", line, column, what.replace("the ", "a ", 1), first)

    def _twice(self, name: str, what: str, line: int, column: int, other: str, first: int) -> None:
        shown = other.replace("the ", "a ", 1)
        self.found.append(error("S210", self.source.span(line, column), what=what, name=name, other=shown, first=first))


def elements(x: n.PtxVariable) -> int | None:
    """The number of elements of a variable, None where its extent is left open."""
    total = int(x.vector[1:]) if x.vector else 1
    for extent in x.dims:
        if extent is None or extent.value == 0:
            return None
        total *= extent.value
    return total


def size(x: n.PtxVariable) -> int:
    """The bytes of a variable; 0 where its extent is left open or its type is opaque."""
    return (elements(x) or 0) * TYPES[x.type].bits // 8 if x.type in TYPES else 0


def _leaves(init: n.Initializer) -> Iterator[n.Initializer]:
    for each in init if isinstance(init, tuple) else ():
        yield from _leaves(each)
    if not isinstance(init, tuple):
        yield init


def _flat(init: n.Initializer) -> int:
    return sum(map(_flat, init)) if isinstance(init, tuple) else 1


def variable(x: n.PtxVariable, inside: bool) -> Iterator[str]:
    """The reason why a variable cannot be declared so; `inside` a body."""
    if x.align is not None and (x.align <= 0 or x.align & (x.align - 1) or x.align >> 32):
        yield f"an alignment of {x.align} bytes, which is no power of two"
    if any(extent is not None and extent.value < 0 for extent in x.dims):
        yield "an extent below 0"
    if x.space == "param" and not inside:
        yield "parameters are declared by functions, not by modules"
    if x.space == "local" and not inside:
        yield "variables in .local belong to functions: declare it in a body"
    if x.type == "pred":
        yield "predicates are registers, not variables in memory"
    if elements(x) is None and x.linkage != "extern" and x.type not in OPAQUE and x.init is None:
        yield "it has no size; only what is .extern may leave it open"
    if x.init is not None:
        if x.linkage == "extern":
            yield "what is .extern has its initial value elsewhere"
        elif x.space not in ("global", "const"):
            yield f"variables in .{x.space} have no initial value: only .global and .const do"
        elif (isinstance(x.init, tuple) and elements(x) is not None and x.type not in OPAQUE
                and _flat(x.init) > (elements(x) or 0)):
            yield f"{_flat(x.init)} initial values for {elements(x)}"
        elif x.type in ("f16", "f32", "f64", "bf16") and any(isinstance(v, n.Int) for v in _leaves(x.init)):
            yield f"an integer as the initial value of .{x.type}: write 1.0, or its bits as 0f3F800000"


def parameters(f: n.PtxFunction) -> Iterator[tuple[n.PtxVariable, str]]:
    """The faults of the parameters of a function."""
    for p in f.params or ():
        if f.kind == "entry" and p.space != "param":
            yield p, "parameters of kernels are in .param"
        elif p.type == "pred" and p.space == "param":
            yield p, "predicates are registers, not parameters"
        for align in (p.align, p.pointer.align if p.pointer is not None else None):
            if align is not None and (align <= 0 or align & (align - 1) or align >> 32):
                yield p, f"an alignment of {align} bytes, which is no power of two"


def directives(f: n.PtxFunction) -> Iterator[str]:
    """The faults of the directives of a launch."""
    names = {d.name for d in f.directives}
    if {"maxntid", "reqntid"} <= names:
        yield ".maxntid and .reqntid do not go together"
    for d in f.directives:
        numbers = [v.value for v in d.values if isinstance(v, n.Int)]
        if d.name in ("maxntid", "reqntid", "reqnctapercluster", "maxclusterrank", "minnctapersm", "maxnctapersm",
                "maxnreg"):
            most = 1 if d.name in ("maxclusterrank", "minnctapersm", "maxnctapersm", "maxnreg") else 3
            if len(numbers) < len(d.values) or any(v >> 32 > 0 for v in numbers):
                yield f".{d.name} takes whole numbers of 32 bits"
            elif any(v <= 0 for v in numbers):
                yield f".{d.name} of {min(numbers)}: 1 or more is wanted"
            if not 1 <= len(d.values) <= most:
                yield f".{d.name} takes {'1 number' if most == 1 else '1 to 3 numbers'}, {len(d.values)} given"
    if f.kind == "entry" and f.returns is not None:
        yield "a kernel returns nothing"
    if f.linkage == "extern" and f.body is not None:
        yield "what is .extern has its body elsewhere"


def body_variables(body: Iterable[n.Statement]) -> Iterator[n.PtxVariable]:
    """The variables that the statements of a body declare, nested ones included."""
    return (s for s in n.statements(tuple(body)) if isinstance(s, n.PtxVariable))


def _again(before: n.PtxFunction | n.PtxVariable, x: n.PtxFunction | n.PtxVariable) -> bool:
    """Whether `x` declares once more what `before` has declared, or defines it."""
    if isinstance(before, n.PtxFunction) and isinstance(x, n.PtxFunction):
        return before.kind == x.kind and (before.body is None or x.body is None)
    linkages = (before.linkage, x.linkage)
    return (isinstance(before, n.PtxVariable) and isinstance(x, n.PtxVariable) and "extern" in linkages
        and "" not in linkages)


class Declarations:
    """The errors of the declarations of a module, apart from its instructions."""

    def __init__(self, source: PtxSource, module: n.PtxModule):
        self.source, self.module, self.found = source, module, list[AveError]()

    def check(self) -> list[AveError]:
        """All that is found."""
        self.header()
        self.names()
        for item in self.module.items:
            if isinstance(item, n.PtxVariable):
                self.variable(item, inside=False)
            elif isinstance(item, n.PtxFunction):
                self.function(item)
        self.memory()
        return self.found

    def wrong(self, x: n.PtxVariable | n.PtxFunction, what: str, why: str) -> None:
        """Keeps the error S212 of a declaration."""
        self.found.append(error("S212", self.source.span(x.line, x.column), what=what, name=x.name, why=why))

    def header(self) -> None:
        """Version, target and address size."""
        m, chip = self.module, self.module.target[0]
        if m.version[1] > VERSIONS.get(m.version[0], -1):
            self.found.append(error("S212", self.source.span(1, 1), what="the directive", name=".version",
                why=f"there is no PTX {text(m.version)}"))
        elif KNOWN.get(chip, (1, 0)) > m.version:
            instead = f"write .version {text(KNOWN[chip])} or newer"
            self.found.append(error("S211", self.source.span(2, 1), version=text(m.version), target=chip,
                instead=instead))
        for option in m.target[1:]:
            if option not in OPTIONS and option not in KNOWN:
                self.found.append(error("S207", self.source.span(2, 1), name=option))
        size_, here = m.address_size, self.source.span(3, 1)
        if size_ not in (None, 32, 64):
            why = f"{size_} bits; there are addresses of 32 and of 64"
            self.found.append(error("S212", here, what="the directive", name=".address_size", why=why))
        elif size_ == 32 and chip in KNOWN and target(chip)[0] >= 90:
            why = f"{chip} has addresses of 64 bits only"
            self.found.append(error("S212", here, what="the directive", name=".address_size", why=why))

    def names(self) -> None:
        """Functions, variables and aliases of the module: each once, a function also as a declaration before."""
        names, declared = DeclaredNames(self.source), dict[str, n.PtxFunction | n.PtxVariable]()
        for x in self.module.items:
            if isinstance(x, (n.PtxFunction, n.PtxVariable)):
                before = declared.get(x.name)
                if before is None or not _again(before, x):
                    what = "variable" if isinstance(x, n.PtxVariable) else "kernel" if x.kind == "entry" else "function"
                    names.add(x.name, f"the {what}", x.line, x.column)
                if before is None or (isinstance(x, n.PtxFunction) and x.body is not None):
                    declared[x.name] = x
        known = {x.name for x in self.module.items if isinstance(x, n.PtxFunction)}
        for x in self.module.items:
            if isinstance(x, n.Alias) and not {x.name, x.of} <= known:
                missing = x.name if x.name not in known else x.of
                instead = "an alias names two functions of the module"
                self.found.append(error("S206", self.source.span(x.line, x.column), name=missing, instead=instead))
        self.found += names.found

    def variable(self, x: n.PtxVariable, inside: bool) -> None:
        """Checks a variable."""
        self.found += [error("S212", self.source.span(x.line, x.column), what="the variable", name=x.name, why=why)
            for why in variable(x, inside)]

    def function(self, f: n.PtxFunction) -> None:
        """Checks a function: its parameters, directives and variables."""
        what = "the kernel" if f.kind == "entry" else "the function"
        for why in directives(f):
            self.wrong(f, what, why)
        for p, why in parameters(f):
            self.wrong(p, "the parameter", why)
        if f.body is None:
            return
        for x in body_variables(f.body):
            self.variable(x, inside=True)
        for s in n.statements(f.body):
            if isinstance(s, n.RegisterDecl) and s.type not in REGISTERS:
                name, why = (s.names[0].name, f"there are no registers of .{s.type}: one of "
                    f".b{max(16, TYPES[s.type].bits)} holds it")
                self.found.append(error("S212", self.source.span(s.line, s.column), what="the register", name=name,
                    why=why))
            for name in s.names if isinstance(s, n.RegisterDecl) else ():
                if (name.count or 0) >= MOST_REGISTERS:
                    why = f"{name.count} registers, which are more than any module has"
                    at = self.source.span(s.line, s.column)
                    what = {"what": "the register", "name": name.name, "why": why}  # type: ignore[union-attr]
                    self.found.append(error("S212", at, **what))

    def memory(self) -> None:
        """Bytes of shared memory and of parameters of each kernel, of constants of the module."""
        chip, module = self.module.target[0], self.module
        shared = {x.name: size(x) for x in module.items if isinstance(x, n.PtxVariable) and x.space == "shared"}
        inside = (x for f in module.functions() for x in body_variables(f.body or ()))
        constants = sum(size(x) for x in (*module.items, *inside) if isinstance(x, n.PtxVariable)
            and x.space == "const")
        if constants > CONSTANT:
            at, instead = self.source.span(1, 1), "put large tables into .global"
            self.found.append(error("S213", at, what="the module", got=constants, memory="constants", chip=chip,
                most=CONSTANT, instead=instead))
        functions = {f.name: f for f in module.functions() if f.body is not None}
        for f in functions.values():
            if f.kind != "entry":
                continue
            bytes_ = sum(size(x) for g in self._reached(f, functions) for x in body_variables(g.body or ())
                if x.space == "shared")
            used = {s for g in self._reached(f, functions) for i in n.instructions(g.body or ()) for o in i.operands
                for s in _symbols(o)}
            bytes_ += sum(count for name, count in shared.items() if name in used)
            most = STATIC_SHARED.get(chip, SHARED)
            if bytes_ > most:
                self._too_much(f, bytes_, "static shared memory", most, "take dynamic shared memory: .extern .shared "
                    ".align 16 .b8 name[];")
            handed = sum(size(p) for p in f.params or ())
            if handed > PARAMETERS:
                self._too_much(f, handed, "parameters", PARAMETERS, "pass a pointer to them")

    def _too_much(self, f: n.PtxFunction, got: int, memory: str, most: int, instead: str) -> None:
        at, chip = self.source.span(f.line, f.column), self.module.target[0]
        self.found.append(error("S213", at, what=f"the kernel `{f.name}`", got=got, memory=memory, chip=chip, most=most,
            instead=instead))

    @staticmethod
    def _reached(f: n.PtxFunction, functions: dict[str, n.PtxFunction]) -> list[n.PtxFunction]:
        """A kernel and the functions that it calls by name, and they."""
        out, left = [], [f]
        while left:
            g = left.pop()
            if g not in out:
                out.append(g)
                for i in n.instructions(g.body or ()):
                    left += [functions[s] for o in i.operands for s in _symbols(o) if s in functions and _calls(i)]
        return out


def _calls(x: n.PtxInstruction) -> bool:
    own = entry_of(x.parts)
    return own is not None and own.has("call")


def _symbols(x: n.Operand) -> Iterator[str]:
    return (leaf.name for leaf in n.leaves(x) if isinstance(leaf, n.SymbolOperand))
