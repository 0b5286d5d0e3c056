"""PTX text comes in; Python of the instruction level goes out which, run, prints the same PTX (`ave ptx to-python`,
docs/ptx.md).

The same nodes, that is, except for what only a debugger reads: `.file`, `.loc`, `.section` and the target's option
`debug`, which asks for them, are left out; lines of the source stand as comments. An instruction that the table refuses
becomes `ptx.raw("...")`, so that nothing is lost."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Mapping, Sequence

from avelang.base.errors import AveError, error
from avelang.nvptx import nodes as n
from avelang.nvptx import printer
from avelang.nvptx import ptx_types as chips
from avelang.nvptx.check import PtxTarget
from avelang.nvptx.parse import parse
from avelang.nvptx.ptx_types import REGISTERS
from avelang.ptx import types
from avelang.ptx.inst import refusal
from avelang.ptx.spelling import BREAK, WIDTH, PythonNames, Unspellable, call, fill, instruction, operand, quoted

DEEPEST = 16  # of braces: Python nests 20 blocks
_COMMA = f", {BREAK}"


def _items(x: Sequence[str]) -> str:
    return f"[{_COMMA.join(x)}]"


@dataclasses.dataclass(frozen=True, slots=True)
class Written:
    """A module of Python. `raw`: (line of the PTX, why) of each instruction that became text."""

    text: str
    raw: tuple[tuple[int, str], ...]


def to_python(text: str, file: str = "<ptx>", entry: str | None = None) -> Written:
    """Python that writes this PTX; `file` is its name in comments and errors. `entry`: of the module only that kernel,
    and what it uses. Raises S201 for text that cannot be read, S207 for an unknown target, D023 for an entry that there
    is not."""
    return Writer(read(text, file, entry), file).run()


def read(text: str, file: str, entry: str | None) -> n.PtxModule:
    """The module that is to be written. Raises as `to_python` does."""
    module = parse(text, file, known=False)
    try:
        chips.target(module.target[0])
    except ValueError:
        raise error("S207", name=module.target[0]) from None
    return module if entry is None else only(module, entry, file)


# -- one kernel of a module --------------------------------------------------------------------------------------------


def only(module: n.PtxModule, entry: str, file: str) -> n.PtxModule:
    """The module without what a kernel does not use. Raises D023."""
    entries = [f.name for f in module.functions() if f.kind == "entry"]
    if entry not in entries:
        raise error("D023", what=file, name=entry, known=", ".join(entries) or "none")
    used, fresh = {entry}, {entry}
    mentions = [
        (item.name, set(_mentioned(item)))
        for item in module.items
        if isinstance(item, (n.PtxFunction, n.PtxVariable, n.Alias))
    ]
    while fresh:
        fresh = {m for name, all_ in mentions if name in fresh for m in all_} - used
        used |= fresh
    kept = tuple(
        i for i in module.items if not isinstance(i, (n.PtxFunction, n.PtxVariable, n.Alias)) or i.name in used
    )
    return dataclasses.replace(module, items=kept)


def _mentioned(item: n.PtxFunction | n.PtxVariable | n.Alias) -> Iterator[str]:
    """The symbols that an item names."""
    if isinstance(item, n.Alias):
        yield item.of
    elif isinstance(item, n.PtxVariable):
        yield from _initial(item.init)
    else:
        for s in n.statements(item.body or ()):
            if isinstance(s, n.PtxVariable):
                yield from _initial(s.init)
            elif isinstance(s, n.Targets):
                yield from s.names
            elif isinstance(s, n.PtxInstruction):
                yield from (x.name for o in s.operands for x in n.leaves(o) if isinstance(x, n.SymbolOperand))


def _initial(init: n.Initializer | None) -> Iterator[str]:
    if isinstance(init, tuple):
        for x in init:
            yield from _initial(x)
    elif init is not None:
        yield from (
            x.name
            for x in n.leaves(init.value if isinstance(init, n.FieldInit) else init)
            if isinstance(x, n.SymbolOperand)
        )


# -- Python ------------------------------------------------------------------------------------------------------------


class Writer:
    """The writer of a module, a statement a line."""

    ABOUT = ". Made by `ave ptx to-python`."

    def __init__(self, module: n.PtxModule, file: str):
        self.module, self.file = module, file
        self.target, self.address_size = PtxTarget(module.target[0], module.version), module.address_size
        self.names = PythonNames()
        self.lines: list[str] = []
        self.types: set[str] = set()
        self.by_text: set[str] = set()  # registers whose declarations stand as text
        self.raw: list[tuple[int, str]] = []
        self.files = {f.index: os.path.basename(f.name) for f in module.items if isinstance(f, n.File)}
        self.located: tuple[int, int] | None = None
        self.registers = False

    def run(self) -> Written:
        """The whole text."""
        m = self.module
        kernels = [f.name for f in m.functions() if f.kind == "entry"]
        for item in m.items:
            self.item(item)
        file = re.sub(r'["\\\s]', "_", os.path.basename(self.file))  # it stands in a text in quotes
        head = [f'"""The PTX of {file}, in Python: run, it prints it{self.ABOUT}', ""]
        head += [f"Kernels: {', '.join(kernels) or 'none'}.", '"""', ""]
        head.append(f"from avelang.ptx import ptx{', reg' if self.registers else ''}")
        if self.types:
            head.append(
                f"from avelang.ptx.types import {', '.join(sorted(self.types, key=lambda t: (t[0], len(t), t)))}"
            )
        options = tuple(t for t in m.target[1:] if t != "debug")
        target = quoted((m.target[0], *options) if options else m.target[0])
        args = [target, f"version={m.version}", f"address_size={m.address_size}" if m.address_size != 64 else ""]
        head += ["", *fill(f"module = {call('ptx.module', args)}", "")]
        tail = ["", "", 'if __name__ == "__main__":', '    print(module.ptx(), end="")', ""]
        return Written(re.sub(r"\n{4,}", "\n\n\n", "\n".join([*head, *self.lines, *tail])), tuple(self.raw))

    def put(self, text: str, indent: str = "") -> None:
        """Adds the lines of a statement."""
        self.lines += fill(text, indent)

    # -- items of the module -------------------------------------------------------------------------------------------

    def item(self, x: n.Item) -> None:
        """An item of the module."""
        if isinstance(x, n.PtxFunction):
            self.function(x)
        elif isinstance(x, n.PtxVariable):
            text = self.variable("module.variable", x, self.names)
            self.put(f"{self.names.symbol(x.name, self.shown(x.name))} = {text}")
        elif isinstance(x, n.Alias):
            of = self.names.named(x.of)
            self.put(f"{self.names.symbol(x.name)} = module.alias({quoted(x.name)}, {of})")
        elif isinstance(x, n.Pragma):
            self.put(call("module.pragma", [quoted(t) for t in x.texts]))

    def shown(self, name: str) -> str:
        """The variable of Python for a variable of PTX, "" for its own name."""
        return ""

    def type(self, name: str) -> str:
        """A type's name; it is imported where there is one of that name."""
        if name not in types.BY_PTX:
            return quoted(name)
        self.types.add(name)
        return name

    def dims(self, x: n.PtxVariable) -> list[str]:
        """The extents of a variable."""
        return ["None" if d is None else operand(d, self.names) for d in x.dims]

    def variable(self, head: str, x: n.PtxVariable, names: PythonNames) -> str:
        """The call that declares a variable."""
        args = [quoted(x.space), self.type(x.type), quoted(x.name), *self.dims(x), *self.options(x)]
        if x.init is not None:
            args.append(f"init={self.initializer(x.init, x.type, names)}")
        return call(head, args)

    def options(self, x: n.PtxVariable) -> list[str]:
        """The options of a variable's call."""
        out = [f"align={x.align}"] if x.align is not None else []
        out += [f"vector={quoted(x.vector)}"] if x.vector else []
        out += [f"linkage={quoted(x.linkage)}"] if x.linkage else []
        out += [f"attributes={self.attributes(x.attributes)}"] if x.attributes else []
        if x.pointer is not None:
            given = (
                (x.pointer.space, x.pointer.align)
                if x.pointer.align is not None
                else (x.pointer.space,)
                if x.pointer.space
                else ()
            )
            out.append(f"pointer={quoted(given)}")
        return out

    def attributes(self, given: tuple[n.PtxAttribute, ...]) -> str:
        """The attributes of a variable or function."""
        return _items([self.named(a.name, [operand(v, self.names) for v in a.values]) for a in given])

    @staticmethod
    def named(name: str, values: list[str]) -> str:
        """A name alone, or a tuple of it and its values."""
        return f"({', '.join([quoted(name), *values])})" if values else quoted(name)

    def initializer(self, x: n.Initializer, kind: str, names: PythonNames) -> str:
        """The value of a variable."""
        if isinstance(x, n.FieldInit):
            return f"{quoted(x.name)}: {operand(x.value, names)}"
        if not isinstance(x, tuple):
            return operand(x, names, (kind,))
        text = _text(x) if kind in ("b8", "u8") else None
        if text is not None:
            return quoted(text)
        inner = [self.initializer(i, kind, names) for i in x]
        return f"{{{_COMMA.join(inner)}}}" if x and all(isinstance(i, n.FieldInit) for i in x) else _items(inner)

    def parameters(self, given: tuple[n.PtxVariable, ...]) -> str:
        """The list of a function's parameters or results."""
        out = []
        for p in given:
            args = [
                self.type(p.type),
                quoted(p.name),
                *self.dims(p),
                f"space={quoted(p.space)}" if p.space != "param" else "",
                *self.options(p),
            ]
            out.append(call("ptx.parameter", args).replace(BREAK, ""))
        return _items(out)

    def directives(self, given: tuple[n.Directive, ...]) -> str:
        """The list of a function's directives."""
        out = []
        for d in given:
            values = [quoted(v) if isinstance(v, str) else operand(v, self.names) for v in d.values]
            out.append(self.named(d.name, values))
        return _items(out)

    def function(self, x: n.PtxFunction) -> None:
        """A function or kernel, or its declaration."""
        declaration = x.body is None
        name = self.names.symbols.get(x.name) or self.names.take(x.name)
        args = [quoted(x.kind), quoted(x.name)] if declaration else []
        if x.params is not None:
            args.append(self.parameters(x.params))
        if x.returns is not None:
            args.append(f"returns={self.parameters(x.returns)}")
        if not declaration and name != x.name:
            args.append(f"name={quoted(x.name)}")
        if x.linkage != ("visible" if x.kind == "entry" and not declaration else ""):
            args.append(f"linkage={quoted(x.linkage)}")
        if x.directives:
            args.append(f"directives={self.directives(x.directives)}")
        if x.attributes:
            args.append(f"attributes={self.attributes(x.attributes)}")
        if x.body is None:
            self.head(f"{name} = module.declare", args)
            self.names.symbols[x.name] = name
            return
        names = self.names.inner()
        variables = []
        for p in (*(x.returns or ()), *(x.params or ())):
            variables.append(names.take(p.name.removeprefix(f"{x.name}_")))
            if p.space == "reg":
                names.registers[p.name] = variables[-1], None, False
                names.types.registers[p.name] = p.type
            else:
                names.symbols[p.name] = variables[-1]
        self.lines += ["", ""]
        self.head(f"@module.{x.kind}", args)
        self.put(f"def {call(name, variables)}:")
        self.located = None
        self.body(x.body, names, "    ")
        self.lines += ["", ""]
        self.names.symbols[x.name] = name  # from here on: within the body, Python does not have it

    def head(self, name: str, args: Sequence[str]) -> None:
        """A call in one line, or each argument in a line of its own, and the items of lists too."""
        if len(name) + sum(len(a) + 2 for a in args) <= WIDTH:
            self.put(call(name, args))
            return
        self.lines.append(f"{name}(")
        for a in args:
            if len(a) < WIDTH or BREAK not in a:
                self.lines.append(f"    {a.replace(BREAK, '')},")
            else:
                opening, _, items = a.partition("[")
                self.lines += [
                    f"    {opening}[",
                    *(f"        {i.rstrip(', ')}," for i in items[:-1].split(BREAK)),
                    "    ],",
                ]
        self.lines.append(")")

    # -- statements ----------------------------------------------------------------------------------------------------

    def body(self, statements: tuple[n.Statement, ...], names: PythonNames, indent: str) -> None:
        """The statements of a function or of braces."""
        before = len(self.lines)
        wrote = False
        for s in statements:
            self.statement(s, names, indent)
            wrote |= not isinstance(s, n.Loc)
        if not wrote:
            self.put("pass", indent)
        elif len(self.lines) == before:
            raise AssertionError("a statement without a line")

    def statement(self, s: n.Statement, names: PythonNames, indent: str) -> None:
        """A statement of any kind."""
        if isinstance(s, n.PtxInstruction):
            self.instruction(s, names, indent)
        elif isinstance(s, n.LabelMark):
            self.lines += [""] * (not self.lines[-1].endswith(":"))
            self.put(f"ptx.label({quoted(s.name)})", indent)
        elif isinstance(s, n.RegisterDecl):
            self.declare(s, names, indent)
        elif isinstance(s, n.PtxVariable):
            text = self.variable("ptx.variable", s, names)
            self.put(f"{names.symbol(s.name, self.shown(s.name))} = {text}", indent)
        elif isinstance(s, n.PtxBlock):
            if len(indent) > 4 * DEEPEST:
                self.as_text(s, f"braces deeper than {DEEPEST}", indent)
                return
            self.put("with ptx.scope():", indent)
            self.body(s.body, names.inner(), f"{indent}    ")
        elif isinstance(s, n.Targets):
            kind = "branch_targets" if s.kind == "branchtargets" else "call_targets"
            self.put(
                call(
                    f"ptx.{kind}",
                    [quoted(s.label), *(quoted(x) if kind == "branch_targets" else names.named(x) for x in s.names)],
                ),
                indent,
            )
        elif isinstance(s, n.Prototype):
            self.prototype(s, indent)
        elif isinstance(s, n.Pragma):
            self.put(call("ptx.pragma", [quoted(t) for t in s.texts]), indent)
        elif (s.file, s.row) != self.located and s.row:
            self.located = s.file, s.row
            self.put(f"# {self.files.get(s.file, f'file {s.file}')}:{s.row}", indent)

    def declare(self, s: n.RegisterDecl, names: PythonNames, indent: str) -> None:
        """A declaration of registers."""
        if s.type not in REGISTERS:
            names.types.declare(s)
            self.as_text(s, f"there are no registers of .{s.type}", indent)
            return
        self.registers = True
        variables = names.declare(s)
        texts = [quoted(x.name if x.count is None else f"{x.name}<{x.count}>") for x in s.names]
        args = [self.type(s.type), *texts, f"vector={quoted(s.vector)}" if s.vector else ""]
        self.put(f"{', '.join(variables)} = {call('reg.declare', args)}", indent)

    def prototype(self, s: n.Prototype, indent: str) -> None:
        """The prototype of a call through a register."""
        args = [quoted(s.label)]
        args += [f"params={self.parameters(s.params)}"] if s.params is not None else []
        args += [f"returns={self.parameters(s.returns)}"] if s.returns is not None else []
        args += [f"name={quoted(s.name)}"] if s.name != "_" else []
        args += [f"directives={self.directives(s.directives)}"] if s.directives else []
        self.put(call("ptx.prototype", args), indent)

    def instruction(self, s: n.PtxInstruction, names: PythonNames, indent: str) -> None:
        """An instruction as a call, or as text."""
        refused = self.refused(s, names)
        try:
            if refused is None:
                self.put(instruction(s, names), indent)
                return
            why = f"[{refused.code}] {refused.message}"
        except Unspellable as e:
            why = str(e)
        self.as_text(s, why, indent)

    def refused(
        self, s: n.PtxInstruction, names: PythonNames, inner: Mapping[str, str] | None = None
    ) -> AveError | None:
        """The error for which this level would refuse an instruction. `inner`: types of registers that are declared
        within."""
        for register in n.registers_of(s):
            if names.register(register) is None and register not in self.by_text and not (inner and register in inner):
                return error("S206", name=register, instead="")
        types = {**inner} if inner else {}
        return refusal(s, self.target, lambda name: types.get(name) or names.types.type(name), None, self.address_size)

    def as_text(self, s: n.PtxInstruction | n.RegisterDecl | n.PtxBlock, why: str, indent: str) -> None:
        """A statement that becomes text, for a reason."""
        self.raw.append((s.line, why))
        if isinstance(s, n.RegisterDecl):
            self.by_text.update(each for name in s.names for each in name.names())
        why = why.replace("\n", " ")
        self.put(f"ptx.raw({quoted(' '.join(line.strip() for line in printer.body((s,))))})  # {why}", indent)


def _text(x: tuple[n.Initializer, ...]) -> bytes | None:
    """The bytes of a text, where it is one."""
    values = [i.value for i in x if isinstance(i, n.Int) and i == n.Int(i.value)]
    if len(values) != len(x) or len(x) < 4 or not all(v in (0, 9, 10, 13) or 32 <= v < 127 for v in values):
        return None
    return bytes(values)
