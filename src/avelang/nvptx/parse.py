"""PTX text comes in; a `PtxModule` goes out. Reads what nvcc, Triton and LLVM write, and what people write by hand.

Statements and operands are parsed here, constant expressions and operands in `operands.py`. Syntax: PTX ISA, 4
"Syntax", 5.4 "Variables", 7.1 "Function declarations and definitions", 11 "Directives". """

from __future__ import annotations

from avelang.nvptx import nodes as n
from avelang.nvptx.check import unknown
from avelang.nvptx.forms import FORMS
from avelang.nvptx.lexer import PtxSource
from avelang.nvptx.operands import OperandParser
from avelang.nvptx.ptx_types import REGISTER_VECTORS

LINKAGE = frozenset({".visible", ".extern", ".weak", ".common"})
SPACES = frozenset({".reg", ".global", ".const", ".shared", ".local", ".param", ".tex"})
VECTORS = frozenset({".v2", ".v4", ".v8"})
TYPES = frozenset({".b8", ".b16", ".b32", ".b64", ".b128", ".u8", ".u16", ".u32", ".u64", ".s8", ".s16", ".s32", ".s64",
    ".f16", ".f16x2", ".f32", ".f64", ".bf16", ".bf16x2", ".tf32", ".e4m3", ".e5m2", ".pred", ".texref", ".samplerref",
    ".surfref"})  # fmt: skip
# What may stand between a function's parameters and its body (PTX ISA 9.0, 11.4 "Performance-tuning directives", 11.8
# "Cluster dimension").
TUNING = frozenset({".maxnreg", ".maxntid", ".reqntid", ".minnctapersm", ".maxnctapersm", ".noreturn", ".pragma",
    ".abi_preserve", ".abi_preserve_control", ".reqnctapercluster", ".explicitcluster", ".maxclusterrank",
    ".blocksareclusters", ".unique", ".language", ".retaddr_allocno", ".scratch", ".local_maxnreg", ".attribute"})
LISTS = {".branchtargets": "branchtargets", ".calltargets": "calltargets"}


class _PtxParser(OperandParser):
    known = False  # whether instructions must be in the table

    # -- modules -------------------------------------------------------------------------------------------------------

    def module(self) -> n.PtxModule:
        self.expect(".version")
        major, dot, minor = self.texts[self.i].partition(".")
        if not (dot and major.isdigit() and minor.isdigit()):
            raise self.unexpected("a version such as 8.7")
        self.i += 1
        self.expect(".target")
        target = [self.name("a target such as sm_90a")]
        while self.take(","):
            target.append(self.name("a target or an option of one"))
        size = self.integer() if self.take(".address_size") else None
        items: list[n.Item] = []
        while self.kinds[self.i] != "end":
            self.item(items)
        return n.PtxModule((int(major), int(minor)), tuple(target), size, tuple(items))

    def item(self, items: list[n.Item]) -> None:
        word = self.texts[self.i]
        at = self.place()
        if word == ".file":
            items.append(self.file(at))
        elif word == ".section":
            items.append(self.section(at))
        elif word == ".alias":
            self.i += 1
            name = self.name()
            self.expect(",")
            items.append(n.Alias(name, self.name(), *at))
            self.expect(";")
        elif word == ".pragma":
            items.append(self.pragma(at))
        elif word == ".loc":
            items.append(self.loc(at))
        else:
            linkage = self.linkage()
            if self.texts[self.i] in (".entry", ".func"):
                items.append(self.function(linkage, at))
            elif self.texts[self.i] in SPACES and self.texts[self.i] != ".reg":
                items.extend(self.variables(linkage, at))
            else:
                raise self.unexpected("a directive of a module, such as .entry, .func, .global or .file")

    def linkage(self) -> str:
        word = self.texts[self.i]
        if word not in LINKAGE:
            return ""
        self.i += 1
        return word[1:]

    def file(self, at: tuple[int, int]) -> n.File:
        self.i += 1
        index, name, stamp = self.integer(), self.string(), None
        if self.take(","):
            time = self.integer()
            self.expect(",")
            stamp = (time, self.integer())
        return n.File(index, name, stamp, *at)

    def pragma(self, at: tuple[int, int]) -> n.Pragma:
        self.i += 1
        texts = [self.string()]
        while self.take(","):
            texts.append(self.string())
        self.expect(";")
        return n.Pragma(tuple(texts), *at)

    def section(self, at: tuple[int, int]) -> n.Section:
        self.i += 1
        name = self.dot("the name of a section")
        self.expect("{")
        items: list[n.SectionData | n.LabelMark] = []
        while not self.take("}"):
            if self.kinds[self.i] == "name" and self.texts[self.i + 1] == ":":
                items.append(n.LabelMark(self.texts[self.i], *self.place()))
                self.i += 2
            elif self.texts[self.i] in (".b8", ".b16", ".b32", ".b64"):
                kind = self.dot()
                values = [self.datum()]
                while self.take(","):
                    values.append(self.datum())
                items.append(n.SectionData(kind[1:], tuple(values)))
            else:
                raise self.unexpected(".b8, .b16, .b32, .b64 or a label")
        return n.Section(name, tuple(items), *at)

    def datum(self) -> n.Operand:
        """A number, or an address within a section, which may be named by the section itself."""
        if self.kinds[self.i] != "dot":
            return self.expression()
        left = n.SymbolOperand(self.dot())
        return n.Binary("+", left, self.expression()) if self.take("+") else left

    # -- functions -----------------------------------------------------------------------------------------------------

    def function(self, linkage: str, at: tuple[int, int]) -> n.PtxFunction:
        kind = self.dot()[1:]
        attributes = self.attributes()
        self.scopes.append(set())
        returns = self.parameters() if self.texts[self.i] == "(" else None
        name = self.name("the name of a function")
        params = self.parameters() if self.texts[self.i] == "(" else None
        directives = self.directives()
        body = None
        if not self.take(";"):
            self.expect("{", "`{` or `;`")
            body = self.body()
        self.scopes.pop()
        return n.PtxFunction(kind, name, params, returns, body, linkage, directives, attributes, *at)

    def parameters(self) -> tuple[n.PtxVariable, ...]:
        self.expect("(")
        out: list[n.PtxVariable] = []
        while not self.take(")"):
            if out:
                self.expect(",", "`,` or `)`")
            at = self.place()
            if self.texts[self.i] not in (".param", ".reg"):
                raise self.unexpected(".param or .reg")
            out.append(self.declarator(self.head("", at)))
            if out[-1].space == "reg":
                self.scopes[-1].add(out[-1].name)
        return tuple(out)

    def directives(self) -> tuple[n.Directive, ...]:
        """What stands between a function's parameters and its body."""
        out: list[n.Directive] = []
        while self.kinds[self.i] == "dot":
            if self.texts[self.i] not in TUNING:
                raise self.unexpected("a directive of a function, such as .maxntid, or its body")
            name = self.dot()[1:]
            values: list[n.Operand | str] = []
            if name == "pragma":
                self.i -= 1
                values += self.pragma((0, 0)).texts
            elif self.kinds[self.i] in ("int", "name"):
                values.append(self.expression())
                while self.take(","):
                    values.append(self.expression())
            out.append(n.Directive(name, tuple(values)))
        return tuple(out)

    def attributes(self) -> tuple[n.PtxAttribute, ...]:
        out: list[n.PtxAttribute] = []
        while self.take(".attribute"):
            self.expect("(")
            while True:
                name = self.dot("an attribute such as .managed")
                values: list[n.Operand] = []
                if self.take("("):
                    values.append(self.expression())
                    while self.take(","):
                        values.append(self.expression())
                    self.expect(")")
                out.append(n.PtxAttribute(name[1:], tuple(values)))
                if not self.take(","):
                    break
            self.expect(")")
        return tuple(out)

    # -- variables -----------------------------------------------------------------------------------------------------

    def head(self, linkage: str, at: tuple[int, int]) -> n.PtxVariable:
        """What stands before the name of a variable, as a variable without one."""
        space = self.dot()[1:]
        attributes, kind, vector, align, pointer = (), "", "", None, None
        while self.kinds[self.i] == "dot":
            word = self.texts[self.i]
            if (kind and word not in (".ptr", ".attribute")) or (vector and word not in TYPES):
                raise self.unexpected("the name of a variable" if kind else "a type")  # the type stands last
            if word == ".attribute":
                attributes += self.attributes()
                continue
            self.i += 1
            if word == ".align":
                align = self.integer()
            elif word in VECTORS:
                vector = word[1:]
            elif word in TYPES:
                kind = word[1:]
            elif word == ".ptr":
                target = self.dot()[1:] if self.texts[self.i] in SPACES else ""
                pointer = n.PointerAttribute(target, self.integer() if self.take(".align") else None)
            else:
                self.i -= 1
                raise self.unexpected("a type, .align, .v2, .v4 or .ptr")
        if not kind:
            raise self.unexpected("a type")
        return n.PtxVariable(space, kind, "", vector, align, (), None, linkage, attributes, pointer, *at)

    def declarator(self, head: n.PtxVariable) -> n.PtxVariable:
        name = self.name("the name of a variable")
        dims: list[n.Int | None] = []
        while self.take("["):
            if self.take("]"):
                dims.append(None)
                continue
            extent = self.expression()
            if not isinstance(extent, n.Int):
                raise self.unexpected("a number of elements")
            dims.append(extent)
            self.expect("]")
        init = self.initializer() if self.take("=") else None
        return n.PtxVariable(head.space, head.type, name, head.vector, head.align, tuple(dims), init, head.linkage,
            head.attributes, head.pointer, head.line, head.column)

    def variables(self, linkage: str, at: tuple[int, int]) -> list[n.PtxVariable]:
        head = self.head(linkage, at)
        out = [self.declarator(head)]
        while self.take(","):
            out.append(self.declarator(head))
        self.expect(";")
        return out

    def initializer(self) -> n.Initializer:
        if not self.take("{"):
            return self.expression()
        out: list[n.Initializer] = []
        while not self.take("}"):
            if out:
                self.expect(",", "`,` or `}`")
            if self.kinds[self.i] == "name" and self.texts[self.i + 1] == "=":
                name = self.name()
                self.i += 1
                out.append(n.FieldInit(name, self.expression()))
            else:
                out.append(self.initializer())
        return tuple(out)

    def registers(self, at: tuple[int, int]) -> n.RegisterDecl:
        self.i += 1
        vector, kind = "", ""
        while self.kinds[self.i] == "dot":
            word = self.texts[self.i]
            if kind:
                raise self.unexpected("the name of a register")
            if word[1:] in REGISTER_VECTORS and not vector:
                vector = word[1:]
            elif word in TYPES:
                kind = word[1:]
            else:
                raise self.unexpected("the type of a register")
            self.i += 1
        if not kind:
            raise self.unexpected("the type of a register")
        names: list[n.RegisterName] = []
        while True:
            name, count = self.name("the name of a register"), None
            if self.take("<"):
                count = self.integer()
                self.expect(">")
            names.append(n.RegisterName(name, count))
            if name[0] != "%":  # names with % are registers wherever they are declared
                self.scopes[-1].update(names[-1].names())
            if not self.take(","):
                break
        self.expect(";")
        return n.RegisterDecl(kind, tuple(names), vector, *at)

    # -- statements ----------------------------------------------------------------------------------------------------

    def body(self) -> tuple[n.Statement, ...]:
        """The statements up to the closing brace, which is taken."""
        self.scopes.append(set())
        out: list[n.Statement] = []
        texts, kinds = self.texts, self.kinds
        while texts[self.i] != "}" or kinds[self.i] != "mark":
            kind = kinds[self.i]
            if kind == "name" and texts[self.i + 1] != ":":
                out.append(self.instruction(None, self.place()))
            elif kind == "name":
                self.label(out)
            elif kind == "dot":
                self.directive(out)
            elif texts[self.i] == "@":
                out.append(self.guarded())
            elif texts[self.i] == "{":
                at = self.place()
                self.i += 1
                out.append(n.PtxBlock(self.body(), *at))
            else:
                raise self.unexpected("a statement or `}`")
        self.i += 1
        self.scopes.pop()
        return tuple(out)

    def label(self, out: list[n.Statement]) -> None:
        at = self.place()
        name = self.name()
        self.i += 1
        word = self.texts[self.i]
        if word in LISTS:
            self.i += 1
            names = [self.name()]
            while self.take(","):
                names.append(self.name())
            self.expect(";")
            out.append(n.Targets(name, LISTS[word], tuple(names), *at))
        elif word == ".callprototype":
            self.i += 1
            self.scopes.append(set())
            returns = self.parameters() if self.texts[self.i] == "(" else None
            own = self.name("`_`")
            params = self.parameters() if self.texts[self.i] == "(" else None
            out.append(n.Prototype(name, own, returns, params, self.directives(), *at))
            self.scopes.pop()
            self.expect(";")
        else:
            out.append(n.LabelMark(name, *at))

    def directive(self, out: list[n.Statement]) -> None:
        word, at = self.texts[self.i], self.place()
        if word == ".reg":
            out.append(self.registers(at))
        elif word == ".loc":
            out.append(self.loc(at))
        elif word == ".pragma":
            out.append(self.pragma(at))
        elif word in SPACES or word in LINKAGE:
            out.extend(self.variables(self.linkage(), at))
        else:
            raise self.unexpected("a statement: there is no such directive in a body")

    def loc(self, at: tuple[int, int]) -> n.Loc:
        self.i += 1
        place = self.integer(), self.integer(), self.integer()
        function, inlined = None, None
        while self.texts[self.i] == "," and self.kinds[self.i] == "mark":
            self.i += 1
            word = self.name("function_name or inlined_at")
            if word == "function_name":
                function = self.expression()
            elif word == "inlined_at":
                inlined = (self.integer(), self.integer(), self.integer())
            else:
                self.i -= 1
                raise self.unexpected("function_name or inlined_at")
        return n.Loc(*place, function, inlined, *at)

    def guarded(self) -> n.PtxInstruction:
        at = self.place()
        self.i += 1
        negated = self.take("!")
        register = self.named(self.name("a predicate"))
        if not isinstance(register, n.Register):
            self.i -= 1
            raise self.unexpected("a predicate register")
        return self.instruction(n.Guard(register, negated), at)

    def instruction(self, guard: n.Guard | None, at: tuple[int, int]) -> n.PtxInstruction:
        texts = self.texts
        start = self.starts[self.i] - self.column() + 1
        at = self.place() if guard is not None else at
        parts = self.name("an instruction").split(".")
        while self.kinds[self.i] == "dot":  # white space before a modifier
            parts += texts[self.i][1:].split(".")
            self.i += 1
        if self.known and parts[0] not in FORMS:
            raise unknown(parts[0], self.source.span(*at, len(parts[0])))
        operands: list[n.Operand] = []
        columns: list[int] = []
        parse = self.argument if parts[0] == "call" else self.operand
        if texts[self.i] != ";":
            line = at[0]
            while True:
                columns.append(self.starts[self.i] - start + 1 if self.same_line(line) else 0)
                operands.append(parse())
                if texts[self.i] != "," or self.kinds[self.i] != "mark":
                    break
                self.i += 1
        if texts[self.i] != ";":
            raise self.unexpected(f"`,` or `;` after an operand of {'.'.join(parts)}" if operands
                else "an operand or `;`")
        self.i += 1
        return n.PtxInstruction(tuple(parts), tuple(operands), guard, *at, tuple(columns))


def parse(text: str, file: str = "<ptx>", known: bool = True) -> n.PtxModule:
    """The module that `text` spells; `file` is the name that errors show. Raises S201 with line, column and caret; S202
    for an instruction whose opcode the table does not have, unless `known` is False."""
    parser = _PtxParser(PtxSource(text, file))
    parser.known = known
    with parser.shallow():
        return parser.module()


def parse_body(text: str, file: str = "<ptx>", registers: frozenset[str] = frozenset()) -> tuple[n.Statement, ...]:
    """The statements that `text` spells, as they stand in a function; `registers` are names without % that count as
    registers. Raises S201."""
    parser = _PtxParser(PtxSource(text, file))
    parser.scopes.append(set(registers))
    parser.texts.insert(-1, "}")
    parser.kinds.insert(-1, "mark")
    parser.starts.insert(-1, parser.starts[-1])
    with parser.shallow():
        out = parser.body()
    if parser.kinds[parser.i] != "end":
        raise parser.unexpected("the end of the text")
    return out
