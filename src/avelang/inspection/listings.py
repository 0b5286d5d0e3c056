"""Text of each stage of a compilation comes in; lines that know from which op of the IR they were made go out.

Code is compiled with the numbers of its ops in the place of line numbers (`emit.llvm.simt_lines`), so a line of LLVM
IR, assembly, PTX or SASS names exactly one op; the op has the place in the user's file, and those of the calls around
it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

from avelang.base.spans import Span
from avelang.ir.core import Kernel, walk
from avelang.ir.text import print_lines

NONE = 0  # the number of no op


@dataclasses.dataclass(frozen=True, slots=True)
class ListedLine:
    """A line of a listing. `op`: the number of the op that it was made from, from 1 on, 0 for none; `places`: (file,
    line, column) of the source, innermost first, where the line itself knows them; `row`: the line of the text that it
    is from, counted from 1, where that is kept."""

    text: str
    op: int = NONE
    places: tuple[tuple[str, int, int], ...] = ()
    row: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Listing:
    """One stage of a kernel. `key`: a word for it ("ir", "asm", ...); `language`: what colors it; `numbered`: whether
    `op` of its lines counts the same ops as that of the others."""

    key: str
    title: str
    language: str
    lines: tuple[ListedLine, ...]
    numbered: bool = True


def places_of(span: Span | None) -> tuple[tuple[str, int, int], ...]:
    """(file, line, column) of a span and of the calls around it, innermost first."""
    return tuple((s.file, s.line, s.col) for s in span.chain()) if span is not None else ()


def ir_lines(kernel: Kernel) -> tuple[ListedLine, ...]:
    """The lines of a kernel's IR."""
    numbers = {op: n for n, op in enumerate(walk(kernel.body), 1)}
    known: dict[int, tuple[tuple[str, int, int], ...]] = {}  # one span belongs to many ops
    out = []
    for text, op in print_lines(kernel):
        if op is None:
            out.append(ListedLine(text))
            continue
        key = id(op.span)
        if key not in known:
            known[key] = places_of(op.span)
        out.append(ListedLine(text, numbers[op], known[key]))
    return tuple(out)


_DBG = re.compile(r", !dbg !(\d+)")
_LOCATION = re.compile(r"^!(\d+) = !DILocation\(line: (\d+)", re.MULTILINE)
_DEBUG_NODE = re.compile(r"^(!\d+ = (?:distinct )?!DI|!llvm\.dbg\.cu)")


def llvm_lines(text: str) -> tuple[ListedLine, ...]:
    """The lines of LLVM IR, without its debug metadata."""
    line_of = {number: int(line) for number, line in _LOCATION.findall(text)}
    out = []
    for row in text.splitlines():
        if _DEBUG_NODE.match(row):
            continue
        found = _DBG.search(row)
        # A function's own mark is a scope, and no location.
        out.append(ListedLine(_DBG.sub("", row), line_of.get(found[1], NONE) if found else NONE))
    return tuple(out)


_LOC = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
_OF_DEBUGGERS = re.compile(r"\s*\.(?:file|cfi_\w+)\b|(?:\.L|\$L__)(?:tmp|func_begin|func_end)\d+:")
_DEBUG_SECTION = re.compile(r"\s*\.section\s+\"?\.debug")
_SECTION = re.compile(r"\s*\.(?:section|text|amdgpu_metadata)\b")
_NO_CODE = re.compile(r"\s*(?:\.|//|#|;|\{|\}|\)|$)|[\w.$]+:")
_FUNCTION = re.compile(r"\s*\.type\s+\S+,\s*@function")


def assembly_lines(text: str) -> tuple[ListedLine, ...]:
    """The lines of assembly or of PTX, without what is there for debuggers."""
    out, op, skipping = [], NONE, False
    for number, row in enumerate(text.splitlines(), 1):
        if _DEBUG_SECTION.match(row):
            skipping = "}" not in row
            continue
        if skipping and (_SECTION.match(row) or row.strip() == "}"):
            skipping = False
            if row.strip() == "}":
                continue
        if skipping:
            continue
        if found := _LOC.match(row):
            op = int(found[1])
        elif not _OF_DEBUGGERS.match(row):
            if _FUNCTION.match(row):  # one without lines has none of the one before
                op = NONE
            shown = row.expandtabs(8) if row.startswith("\t") else row
            out.append(
                ListedLine(shown.replace("        ", "    ", 1), NONE if _NO_CODE.match(row) else op, (), number)
            )
    return tuple(out)


_SASS_LINE = re.compile(r'\s*//## File "[^"]*", line (\d+)')
_SASS_CODE = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+\S")


def sass_lines(text: str) -> tuple[ListedLine, ...]:
    """The lines of `nvdisasm -g`, from the kernel's label on; the places that it prints end as numbers of ops."""
    out, op = [], NONE
    for row in text.splitlines():
        if found := _SASS_LINE.match(row):
            op = int(found[1])
        elif _SASS_CODE.match(row):
            out.append(ListedLine(row.replace("\t", "    ").strip(), op))
        elif re.match(r"\s*[.\w$]+:\s*$", row):
            out.append(ListedLine(row.strip()))
    while out and out[-1].text.endswith(("NOP;", ":")):  # what fills the last line of the cache
        out.pop()
    return tuple(out)


def code_of(lines: Iterable[ListedLine]) -> Iterator[str]:
    """The text of the lines that are instructions."""
    return (line.text for line in lines if line.op != NONE)
