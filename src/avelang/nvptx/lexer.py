"""PTX text comes in; its tokens go out, without white space and comments, with the offsets at which they start.

A name takes the dotted parts behind it along ("ld.shared::cta.b32", "%tid.x"), because modifiers may begin with a digit
(".1d", ".16x64b"). Syntax: PTX ISA, 4, "Syntax". """

from __future__ import annotations

import bisect
import functools
import linecache
import re
from typing import NoReturn

from avelang.base.errors import AveError, error
from avelang.base.spans import Span

# Without a way back: a comment of slashes could else be read in exponentially many ways.
_SKIP = r"(?>[ \t\r\n]++|//[^\n]*+|/\*.*?\*/)*+"
_TOKEN = re.compile(
    _SKIP
    + r"""(?:
    (?P<name>[A-Za-z_$%][\w$]*(?:\.\w+(?:::\w+)*)*)
  | (?P<dot>\.[A-Za-z_]\w*(?:::\w+)*)
  | (?P<float>0[fF][0-9A-Fa-f]{8}\b|0[dD][0-9A-Fa-f]{16}\b|(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)
  | (?P<int>(?:0[xX][0-9A-Fa-f]+|0[bB][01]+|\d+)U?\b)
  | (?P<string>"[^"\n]*")
  | (?P<mark>>>|<<|==|!=|<=|>=|&&|\|\||/(?!\*)|[{}()\[\],;:@!<>=+\-*%&|^~?])
  )""",
    re.VERBOSE | re.DOTALL,
)
_END = re.compile(_SKIP, re.DOTALL)


class PtxSource:
    """PTX text with the name under which errors show it."""

    def __init__(self, text: str, file: str):
        self.text, self.file = text, file

    @functools.cached_property
    def _starts(self) -> list[int]:
        return [0, *(m.end() for m in re.finditer("\n", self.text))]

    @functools.cached_property
    def _lines(self) -> list[str]:
        return self.text.splitlines(keepends=True)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, from 1 on."""
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def span(self, line: int, column: int, length: int = 1) -> Span:
        """The span of `length` characters; its excerpt shows this text, be it a file's or not."""
        lines = self._lines
        linecache.cache[self.file] = (len(self.text), None, lines, self.file)
        row = lines[line - 1] if 0 < line <= len(lines) else ""
        start = len(row[: column - 1].encode())  # spans count bytes, as `ast` does
        return Span(self.file, line, start, line, start + max(1, length))

    def wrong(self, offset: int, why: str, length: int = 1, hint: str | None = None) -> AveError:
        """The error S201: what is wrong at an offset."""
        line, column = self.place(offset)
        return error("S201", self.span(line, column, length), hint, line=line, column=column, why=why)


def tokens(source: PtxSource) -> tuple[list[str], list[str], list[int]]:
    """(kinds, texts, offsets), closed by a token of kind "end". Kinds: name, dot, float, int, string, mark. Raises
    S201."""
    kinds: list[str] = []
    texts: list[str] = []
    starts: list[int] = []
    text, at = source.text, 0
    match = _TOKEN.match
    while (m := match(text, at)) is not None:
        kind = m.lastgroup
        assert kind is not None
        kinds.append(kind)
        texts.append(m[kind])
        starts.append(m.start(kind))
        at = m.end()
    skipped = _END.match(text, at)
    assert skipped is not None
    at = skipped.end()
    if at != len(text):
        _refuse(source, at)
    kinds.append("end")
    texts.append("the end of the text")
    starts.append(at)
    return kinds, texts, starts


def _refuse(source: PtxSource, at: int) -> NoReturn:
    text = source.text
    if text.startswith("/*", at):
        raise source.wrong(at, "a comment that is not closed", 2)
    if text[at] == "#":
        raise source.wrong(at, "a line of the C preprocessor", hint="run the preprocessor first: PTX text has no # "
            "lines")
    if text[at] == '"':
        raise source.wrong(at, "a string that is not closed on its line")
    word = re.compile(r"[\w.]+|.").match(text, at)
    assert word is not None
    raise source.wrong(at, f"{word[0]!r} is not a token of PTX", len(word[0]))
