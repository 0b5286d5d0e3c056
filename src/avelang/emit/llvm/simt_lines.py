"""Line information: the ops' spans come in; LLVM's debug metadata goes out, of which `.file` and `.loc` in PTX and in
AMD's assembly are made.

Only lines: no types and no variables, hence no sections of DWARF (LLVM's DebugDirectivesOnly). A device function that
was inlined has a place of its own, with the call behind it. Source: LLVM, "Source Level Debugging with LLVM".

Where a kernel's attribute `lines` is "ops", the line of an instruction is the number of its op, counted from 1 in the
order of the IR's text: `ave inspect` links by it. """

from __future__ import annotations

import dataclasses
import functools
import os

from avelang.base.errors import OWN
from avelang.base.spans import Span
from avelang.emit.llvm.simt import Simt
from avelang.ir.core import Kernel, Op, walk
from avelang.llvm.core import Body

# Numbers of the metadata that each module has, behind those of the target; those of files, functions and places follow.
_FLAGS, _UNIT, _FILE, _TYPE, _KERNEL = range(5)


class Metadata:
    """The debug metadata of one kernel as it grows."""

    def __init__(self, kernel: Kernel, first: int = 0):
        """`first`: the first number that the target does not use itself."""
        self.lines: list[str] = []
        self.first, self.flags, self.entry = first, first + _FLAGS, first + _KERNEL
        self._numbers: dict[str, int] = {}
        numbered = kernel.attrs.get("lines") == "ops"
        self._ops = {op: n for n, op in enumerate(walk(kernel.body), 1)} if numbered else None
        span = kernel.span or Span(kernel.attrs.get("file", ""), 0)
        self._add('!{i32 2, !"Debug Info Version", i32 3}')
        self._add(
            f'distinct !DICompileUnit(language: DW_LANG_C, file: !{first + _FILE}, producer: "avelang", isOptimized: '
            f'true, runtimeVersion: 0, '
            "emissionKind: DebugDirectivesOnly)"
        )
        self._add(_file(span.file))
        self._add("!DISubroutineType(types: !{})")
        # Code before the first op, such as what saves registers, is no op's.
        self._function(kernel.name, span, 0 if numbered else None)
        self._kernel = kernel.name

    def _add(self, text: str) -> int:
        """The number of a node, which is written once."""
        if text not in self._numbers:
            self._numbers[text] = self.first + len(self.lines)
            self.lines.append(f"!{self.first + len(self.lines)} = {text}")
        return self._numbers[text]

    def _function(self, name: str, span: Span, line: int | None = None) -> int:
        line = span.line if line is None else line
        file = self._add(_file(span.file))
        return self._add(
            f'distinct !DISubprogram(name: "{_quoted(name)}", scope: !{file}, file: !{file}, line: {line}, type: '
            f'!{self.first + _TYPE}, '
            f"scopeLine: {line}, unit: !{self.first + _UNIT}, spFlags: DISPFlagDefinition | DISPFlagOptimized)"
        )

    def numbered(self, op: Op | None) -> int | None:
        """The node of an op where ops are numbered (line 0: none of the kernel's own), else None."""
        if self._ops is None:
            return None
        line = self._ops.get(op, 0) if op is not None else 0
        return self._add(f"!DILocation(line: {line}, scope: !{self.entry})")

    def place(self, span: Span) -> int:
        """The number of a span's place."""
        if span.caller is None:
            scope, around = self.entry, ""
        else:
            # Where it begins is not known of a function that was inlined, and nothing asks.
            scope = self._function(span.function or self._kernel, span, 0)
            around = f", inlinedAt: !{self.place(span.caller)}"
        return self._add(f"!DILocation(line: {span.line}, column: {span.col + 1}, scope: !{scope}{around})")

    def text(self, flags: str = "") -> str:
        """`flags`: what the target has among the module's flags."""
        listed = f"{flags}, !{self.flags}" if flags else f"!{self.flags}"
        return "\n".join(
            [f"!llvm.module.flags = !{{{listed}}}", f"!llvm.dbg.cu = !{{!{self.first + _UNIT}}}", *self.lines, ""]
        )


def _quoted(text: str) -> str:
    return "".join(c if " " <= c <= "~" and c not in '"\\' else "".join(f"\\{b:02X}" for b in c.encode()) for c in text)


@functools.lru_cache(maxsize=64)
def _file(path: str) -> str:
    folder, name = os.path.split(path)
    return f'!DIFile(filename: "{_quoted(name)}", directory: "{_quoted(folder)}")'


class Marks(Body):
    """A mixin for bodies whose instructions have the places of the ops that they come from; `follow` begins it."""

    def follow(self, w: Simt, metadata: Metadata) -> None:
        """Begins to mark what `w` emits."""
        self._w, self._metadata = w, metadata
        # An op becomes hundreds of instructions where matrices are in registers.
        self._last: Op | None = None
        self._text = self._of(None)

    def op(self, text: str) -> str:
        """An instruction with its place."""
        return super().op(text + self._mark())

    def do(self, text: str) -> None:
        """An instruction with its place."""
        super().do(text + self._mark())

    def _mark(self) -> str:
        here = self._w.here
        if here is not self._last:
            self._last, self._text = here, self._of(here)
        return self._text

    def _of(self, here: Op | None) -> str:
        number = self._metadata.numbered(here)
        if number is not None:
            return f", !dbg !{number}"
        return self._place(here.span if here is not None else self._w.kernel.span)

    def _place(self, span: Span | None) -> str:
        return f", !dbg !{self._metadata.place(span)}" if span is not None else ""


class LinedBody(Marks):
    """A plain body with places: one line of each chain of calls, the innermost of the user's, as assembly has no word
    for the calls around it."""

    def __init__(self, w: Simt, metadata: Metadata):
        super().__init__()
        self.__dict__.update(w.body.__dict__)
        self.follow(w, metadata)

    def _place(self, span: Span | None) -> str:
        if span is None:
            return ""
        users = next((s for s in span.chain() if not s.file.startswith(OWN)), span)
        return super()._place(dataclasses.replace(users, caller=None))


def marked(text: str, kernel: str, metadata: Metadata) -> str:
    """The module's text, with the kernel's function tied to its place."""
    head, start, rest = text.partition(f" void @{kernel}(")
    before, brace, after = rest.partition(" #0 {\n")
    return f"{head}{start}{before} #0 !dbg !{metadata.entry} {{\n{after}" if brace else text
