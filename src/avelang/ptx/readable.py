"""PTX text comes in; Python to be read and changed goes out: loops, ifs, names, and lines that differ in numbers alone
as a `for` (`ave ptx to-python --readable`, docs/ptx.md).

Run, it gives the same PTX up to the names of registers and labels. That is tried before the text is given out: each
function whose PTX would be another is written more plainly, and the text says so."""

from __future__ import annotations

import dataclasses
import os
import re

from avelang.base.errors import AveError
from avelang.nvptx import nodes as n
from avelang.nvptx.ptx_types import REGISTERS
from avelang.nvptx.renamed import declared, difference, named_labels, with_names
from avelang.ptx.naming import named_registers, short_name
from avelang.ptx.repeated import repeated, with_constants
from avelang.ptx.rolling import rolled
from avelang.ptx.spelling import PythonNames, Unspellable, instruction, operand, quoted
from avelang.ptx.structure import Region, regions, target
from avelang.ptx.to_python import DEEPEST, Writer, Written, read

WAYS = ("whole", "without blocks", "plain")  # how a function is written, each where the one before it does not hold
_DEBUG_LABEL = re.compile(r"\$L__(?:tmp|func_begin|func_end|debug\w*?)\d*|\$L__(?:BB|pc)?tmp\d+")
_MADE_LABEL = re.compile(r"\$(?:else|endif|endblock|loop|next|endloop)_\d+")
_FILE = "<readable>"


@dataclasses.dataclass(frozen=True, slots=True)
class Readable:
    """A module of Python. `raw`: (line of the PTX, why) of each instruction that became text. `plainer`: by function,
    how it is written where that is not "whole", and why. `loops`, `ifs`, `rolls`: how many were found; `labels`: how
    many are left as labels."""

    text: str
    raw: tuple[tuple[int, str], ...]
    plainer: dict[str, tuple[str, str]]
    loops: int
    ifs: int
    rolls: int
    labels: int


def readable(text: str, file: str = "<ptx>", entry: str | None = None) -> Readable:
    """Python with structure that writes this PTX, up to the names of registers and labels. Arguments and errors are
    those of `to_python`."""
    module = read(text, file, entry)
    plainer: dict[str, tuple[str, str]] = {}
    while True:
        writer = ReadableWriter(module, file, plainer)
        written = writer.run()
        found = _tried(module, written.text)
        if found is None:
            return Readable(written.text, written.raw, plainer, *writer.counts.values())
        name, why = found
        left = [f.name for f in module.functions() if f.body is not None and _way(plainer, f.name) != WAYS[-1]]
        if not left:
            raise AssertionError(f"the plain form of {file} is another: {why}")
        for each in [name] if name in left else left:
            plainer[each] = WAYS[WAYS.index(_way(plainer, each)) + 1], " ".join(why.split())[:200]


def _way(plainer: dict[str, tuple[str, str]], name: str) -> str:
    return plainer.get(name, WAYS)[0]


def _tried(module: n.PtxModule, text: str) -> tuple[str, str] | None:
    """Runs the Python. The function of the first difference, and what it is; None where there is none."""
    scope = {"__name__": "readable"}
    try:
        exec(compile(text, _FILE, "exec"), scope)
    except AveError as e:
        where = e.span.function if e.span is not None and e.span.function else ""
        return where, f"[{e.code}] {e.message}"
    except (SyntaxError, ValueError, IndexError, NameError, TypeError, RecursionError) as e:
        return "", str(e)
    return difference(module, scope["module"].nodes())  # type: ignore[attr-defined]


class ReadableWriter(Writer):
    """The writer of modules with structure."""

    ABOUT = ",\nup to the names of registers and labels. Made by `ave ptx to-python --readable`."

    def __init__(self, module: n.PtxModule, file: str, plainer: dict[str, tuple[str, str]]):
        super().__init__(module, file)
        self.plainer = plainer
        self.way = WAYS[0]
        self.counts = {"loops": 0, "ifs": 0, "rolls": 0, "labels": 0}
        self.waiting: list[tuple[list[str], str]] = []  # instructions, with the comments before them
        self.comments: list[str] = []
        self.places: list[dict[str, Region | None]] = []  # the labels of each body that is open
        self.handles: dict[int, str] = {}  # of regions and their else parts
        self.open_loops: list[Region] = []
        self.mentioned: set[str] = set()
        self.top: PythonNames | None = None
        self.row_names: tuple[str, str] | None = None
        self.constants: dict[str, str] = {}  # by their text
        self.sources: dict[int, list[str]] = {}

    def run(self) -> Written:
        """The whole text."""
        for text, name in repeated(self.module).items():
            self.constants[text] = self.names.take(name)
            self.put(f"{self.constants[text]} = {text}")
        return super().run()

    def shown(self, name: str) -> str:
        """The variable of Python for a variable of PTX: of a mangled name its last word."""
        return short_name(name) if name.startswith("_Z") else ""

    # -- functions -----------------------------------------------------------------------------------------------------

    def function(self, x: n.PtxFunction) -> None:
        """A function or kernel, or its declaration, with names for its registers."""
        if x.body is None:
            super().function(x)
            return
        self.way, why = self.plainer.get(x.name, (WAYS[0], ""))
        self.top = self.row_names = None
        if why:
            self.lines += ["", f"# `{x.name}` is written {self.way}: with more structure its PTX is another."]
        if self.way != WAYS[-1]:
            registers, declarations = named_registers(x)
            labels = {s.name: f"{s.name}_kept" for s in n.statements(x.body)
                      if isinstance(s, n.LabelMark) and _MADE_LABEL.fullmatch(s.name)}  # fmt: skip
            rest = tuple(d for s in x.body for d in _others(s))
            x = dataclasses.replace(x, body=(*declarations, *with_names(rest, registers, labels)))
        self.mentioned = named_labels(x.body or ())
        super().function(x)

    def body(self, statements: tuple[n.Statement, ...], names: PythonNames, indent: str) -> None:
        """The statements of a function or of braces."""
        if self.way == WAYS[-1]:
            super().body(statements, names, indent)
            return
        self.top = self.top or names
        self.flush(indent[4:])
        kept = [s for s in statements if not (isinstance(s, n.LabelMark) and self.only_debug(s.name))]
        code: list[n.Statement] = [s for s in kept if not isinstance(s, n.Loc)]
        comments: list[list[n.Loc]] = [[]]
        for s in kept:
            if isinstance(s, n.Loc):
                comments[-1].append(s)
            else:
                comments.append([])
        types = {k: v for s in (*n.statements(statements),) if isinstance(s, n.RegisterDecl)
                 for k, v in declared((s,)).items()}  # fmt: skip

        def refused(s: n.PtxInstruction) -> bool:
            component = s.guard is not None and bool(s.guard.register.component)
            return component or self.refused(s, names, types) is not None

        deepest = DEEPEST - len(indent) // 4 - 2
        found = regions(code, refused, deepest) if self.way == WAYS[0] else []
        where: dict[str, Region | None] = {s.name: None for s in code if isinstance(s, n.LabelMark)}
        for r in found:
            where.update({name: r for name in (r.label, r.ending) if name})
        self.places.append(where)
        before = len(self.lines)
        self.part(_Body(code, comments, found, names), 0, len(code), indent)
        if len(self.lines) == before:
            self.put("pass", indent)
        self.places.pop()

    def only_debug(self, label: str) -> bool:
        """True for a label that only data for debuggers names."""
        return label not in self.mentioned and _DEBUG_LABEL.fullmatch(label) is not None

    # -- blocks --------------------------------------------------------------------------------------------------------

    def part(self, body: _Body, start: int, stop: int, indent: str) -> None:
        """The statements from `start` up to before `stop`."""
        at = start
        while at < stop:
            region = body.first(at, stop)
            if region is None:
                self.note(body.comments[at])
                self.statement(body.code[at], body.names, indent)
                at += 1
            else:
                self.note(body.comments[at])
                body.opened.append(region)
                self.region(body, region, indent)
                at = region.stop
        self.flush(indent)

    def region(self, body: _Body, r: Region, indent: str) -> None:
        """A block."""
        self.flush(indent)
        self.counts["loops"] += r.kind == "loop"
        self.counts["ifs"] += r.kind == "if"
        if r.kind == "loop":
            branch = body.code[r.latch]
            assert isinstance(branch, n.PtxInstruction)
            guarded = branch.guard is not None
            given = [self.condition(branch, body.names, False)] if guarded else []
            given += [*_uniform(branch), *([f"head={quoted(r.label)}"] if r.named else [])]
            self.open_loops.append(r)
            self.within(body, r, f"ptx.{'do_while' if guarded else 'loop'}", given, (r.start + 1, r.latch), indent)
            self.open_loops.pop()
        elif r.kind == "if":
            branch = body.code[r.start]
            assert isinstance(branch, n.PtxInstruction)
            given = [self.condition(branch, body.names, True), *_uniform(branch)]
            end = r.stop - 1 if r.other < 0 else r.other - 1
            self.within(body, r, "ptx.if_", given, (r.start + 1, end), indent)
            if r.other >= 0:
                self.handles.pop(id(r), None)
                other = dataclasses.replace(r, kind="else", label=r.ending)
                self.places[-1][r.ending] = other
                self.within(body, other, "ptx.else_", _uniform(body.code[end]), (r.other + 1, r.stop - 1), indent)
        else:
            self.within(body, r, "ptx.block", [], (r.start, r.stop - 1), indent)

    def within(self, body: _Body, r: Region, head: str, given: list[str], part: tuple[int, int], indent: str) -> None:
        """A `with` and its block."""
        self.lines += [f"{indent}{c}" for c in self.comments]
        self.comments = []
        at = len(self.lines)
        self.lines.append("")
        before = len(self.lines)
        self.part(body, *part, f"{indent}    ")
        if not any(line.strip() and not line.strip().startswith("#") for line in self.lines[before:]):
            self.put("pass", f"{indent}    ")
        name = self.handles.pop(id(r), "")
        self.lines[at] = f"{indent}with {head}({', '.join(given)}){' as ' * bool(name)}{name}:"

    @staticmethod
    def condition(branch: n.PtxInstruction, names: PythonNames, turned: bool) -> str:
        """The predicate of a branch, turned where the block is executed where it does not branch."""
        assert branch.guard is not None
        text = operand(branch.guard.register, names)
        return f"ptx.not_({text})" if branch.guard.negated != turned else text

    def branch(self, s: n.PtxInstruction, names: PythonNames) -> str | None:
        """A branch to the begin or the end of a block that is open, None for another."""
        to = target(s)
        where = next((p for p in reversed(self.places) if to in p), None)
        r = where[to] if where is not None and to is not None else None
        if r is None or to is None or (r.named and to == r.label and not any(r is o for o in self.open_loops)):
            return None
        given = [self.condition(s, names, False)] if s.guard is not None else []
        args = ", ".join([*given, *_uniform(s)])
        if r.kind == "loop" and to == r.ending and self.open_loops and self.open_loops[-1] is r:
            return f"ptx.break_({args})"
        if id(r) not in self.handles:
            assert self.top is not None
            self.handles[id(r)] = self.top.take({"loop": "loop", "block": "block"}.get(r.kind, "branch"))
        return f"{self.handles[id(r)]}.{'again' if r.kind == 'loop' and to == r.label else 'leave'}({args})"

    # -- statements ----------------------------------------------------------------------------------------------------

    def note(self, locations: list[n.Loc]) -> None:
        """Keeps the lines of the source for the next statement; the last of several is the innermost."""
        for s in locations[-1:]:
            if (s.file, s.row) != self.located and s.row:
                self.located = s.file, s.row
                name = self.files.get(s.file, f"file {s.file}")
                text = f"# {name}:{s.row}{self.source(s)}"
                self.comments.append("".join(c if c.isprintable() else "?" for c in text)[:110])

    def source(self, s: n.Loc) -> str:
        """The line of the source, where the file is there."""
        if s.file not in self.sources:
            path = next((f.name for f in self.module.items if isinstance(f, n.File) and f.index == s.file), "")
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    self.sources[s.file] = file.read(1 << 20).splitlines() if os.path.isfile(path) else []
            except OSError:
                self.sources[s.file] = []
        lines = self.sources[s.file]
        return f": {lines[s.row - 1].strip()}" if s.row <= len(lines) else ""

    def statement(self, s: n.Statement, names: PythonNames, indent: str) -> None:
        """A statement of any kind."""
        if self.way == WAYS[-1]:
            super().statement(s, names, indent)
            return
        if isinstance(s, n.PtxInstruction):
            self.instruction(s, names, indent)
            return
        self.counts["labels"] += isinstance(s, n.LabelMark)
        self.flush(indent)
        super().statement(s, names, indent)
        self.flush(indent)

    def instruction(self, s: n.PtxInstruction, names: PythonNames, indent: str) -> None:
        """An instruction as a call, or as text."""
        if self.way == WAYS[-1]:
            super().instruction(s, names, indent)
            return
        try:
            if self.refused(s, names) is None:
                self.waiting.append((self.comments, self.branch(s, names) or instruction(s, names)))
                self.comments = []
                return
        except Unspellable:
            pass
        self.flush(indent)
        super().instruction(s, names, indent)

    def rows(self) -> tuple[str, str]:
        """The variables of a `for`."""
        self.counts["rolls"] += 1
        if self.row_names is None:
            assert self.top is not None
            self.row_names = self.top.take("k"), self.top.take("step")
        return self.row_names

    def flush(self, indent: str) -> None:
        """Writes the instructions that wait."""
        waiting, self.waiting = self.waiting, []
        texts = [text for _, text in waiting]
        for first, count, lines in rolled(texts, self.rows) if self.way == WAYS[0] else _each(texts):
            for comment in waiting[first][0]:
                self.put(comment, indent)
            for line in lines:
                bare = line.lstrip(" ")
                self.put(with_constants(bare, self.constants), indent + " " * (len(line) - len(bare)))
            assert count
        for comment in self.comments:
            self.put(comment, indent)
        self.comments = []


@dataclasses.dataclass
class _Body:
    """The statements of a function or of braces that are being written, with the comments before each."""

    code: list[n.Statement]
    comments: list[list[n.Loc]]
    found: list[Region]
    names: PythonNames
    opened: list[Region] = dataclasses.field(default_factory=list)

    def first(self, at: int, stop: int) -> Region | None:
        """The outermost block that begins here and is not open."""
        return next(
            (r for r in self.found if r.start == at and r.stop <= stop and not any(r is o for o in self.opened)), None
        )


def _each(texts: list[str]) -> list[tuple[int, int, list[str]]]:
    return [(i, 1, [t]) for i, t in enumerate(texts)]


def _uniform(s: n.Statement) -> list[str]:
    return ["uniform=True"] if isinstance(s, n.PtxInstruction) and s.parts == ("bra", "uni") else []


def _others(s: n.Statement) -> list[n.Statement]:
    """The statement, where it is no declaration of registers that have been renamed."""
    return [] if isinstance(s, n.RegisterDecl) and not s.vector and s.type in REGISTERS else [s]


__all__ = ["Readable", "readable"]
