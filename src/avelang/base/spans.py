"""Source spans: where in the user's file a construct stands; every IR op and every error carries one."""

from __future__ import annotations

import dataclasses
import linecache


@dataclasses.dataclass(slots=True, unsafe_hash=True)
class Span:
    """A range of a source file. Lines count from 1, columns from 0 as in `ast`; `end_col` is exclusive.

    `caller` is the span of the call that inlined this code (a device function), outermost last; it takes no part in
    equality. Never changed: a frozen class would take several times as long to make, and each op has one."""

    file: str
    line: int
    col: int = 0
    end_line: int = 0
    end_col: int = 0
    function: str = dataclasses.field(default="", compare=False)
    caller: Span | None = dataclasses.field(default=None, compare=False)

    def chain(self) -> list[Span]:
        """This span and those of its callers, outermost last."""
        return [self, *(self.caller.chain() if self.caller is not None else ())]

    def called_from(self, at: Span) -> Span:
        """This span, with that of one more caller outermost."""
        return dataclasses.replace(self, caller=at if self.caller is None else self.caller.called_from(at))

    def text(self) -> str:
        """The first source line of the span, without its newline; empty if the file cannot be read."""
        return linecache.getline(self.file, self.line).rstrip("\n")

    def where(self) -> str:
        """The file and line, as `file:line`."""
        return f"{self.file}:{self.line}"

    def excerpt(self) -> str:
        """The source line with a caret line under the span, or nothing where the source is gone."""
        source = self.text()
        if not source:
            return ""
        # ast counts columns in UTF-8 bytes; carets stand under characters.
        raw = source.encode()
        last = self.end_col if self.end_line == self.line and self.end_col > self.col else len(raw)
        start = max(len(raw[: self.col].decode(errors="ignore")),
                    len(source) - len(source.lstrip()))  # a span of a whole line has no column
        stop = len(raw[:last].decode(errors="ignore"))
        gutter = len(str(self.line))
        carets = " " * start + "^" * max(1, stop - start)
        return f"{' ' * gutter} |\n{self.line} | {source}\n{' ' * gutter} | {carets}"
