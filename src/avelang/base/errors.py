"""Errors: a code of the catalogue, the fields of its template and a span come in; an exception with a caret and a hint
goes out."""

from __future__ import annotations

import os
import string
from typing import Any

from avelang.base.catalogue import CATALOGUE
from avelang.base.spans import Span

_HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OWN = os.path.join(_HOME, "avelang", "")  # files of Ave itself
SHIPPED = (OWN, os.path.join(_HOME, "avelang_kernels", ""))  # and of the kernels that come with it


def _first(chain: list[Span]) -> int:
    """Which of a chain of places is the user's line: what a device function of Ave's own does there explains an error,
    and is not its place."""
    return next((i for own in (SHIPPED, OWN) for i, s in enumerate(chain) if not s.file.startswith(own)), 0)


def users_place(span: Span) -> Span:
    """The place of a chain of calls to which an error's arrow points."""
    chain = span.chain()
    return chain[_first(chain)]


class AveError(RuntimeError):
    """Base of all errors that Ave raises on purpose; a RuntimeError, which is what callers of other compilers catch.

    Attributes: `code` (the key in the catalogue, such as "T003"), `message`, `hint` (may be empty), `span` (may be
    None), `expected` and `came` (the parts of the message that say what was wanted and what was given; may be
    empty), `fields` (of a fault of a run: what its message was filled with, as text)."""

    code: str = ""
    message: str = ""
    hint: str = ""
    span: Span | None = None
    expected: str = ""
    came: str = ""
    fields: dict[str, str] = {}

    def as_dict(self) -> dict[str, Any]:
        """The error as plain values for JSON: `code`, `kind` (the class), `message`, `hint`, `expected`, `came`, the
        place (`file`, `line`, `column`, `end_line`, `end_column`, `function`, `text`; lines and columns count from 1,
        columns in characters; null where there is no place) and `trace`, the other places of a chain of calls, as
        {file, line, function}. The place is the user's line, as in the error's text. docs/command_line.md has the
        schema."""
        first, rest = self._places()
        place: dict[str, Any] = dict.fromkeys(("file", "line", "column", "end_line", "end_column", "function", "text"))
        if first is not None:
            source = first.text()
            raw = source.encode()
            last = first.end_line or first.line
            at = len(raw[: first.col].decode(errors="ignore"))
            at = max(at, len(source) - len(source.lstrip()))
            stop = len(raw[: first.end_col].decode(errors="ignore")) if last == first.line else first.end_col
            place = {"file": first.file, "line": first.line, "column": at + 1, "end_line": last,
                     "end_column": max(stop, at + 1 if last == first.line else 0) + 1, "function": first.function,
                     "text": source.strip()}  # fmt: skip
        return {"code": self.code, "kind": type(self).__name__, "message": self.message or str(self),
                "hint": self.hint, "expected": self.expected, "came": self.came, **place,
                "trace": [{"file": s.file, "line": s.line, "function": s.function} for s in rest]}  # fmt: skip

    def _places(self) -> tuple[Span | None, list[Span]]:
        """The user's line, and the other places of its chain of calls: those that it calls, then those that call it."""
        chain = self.span.chain() if self.span is not None else []
        first = _first(chain)
        return (chain[first] if chain else None), chain[:first][::-1] + chain[first + 1 :]

    def __str__(self) -> str:
        lines = [f"[{self.code}] {self.message}"]
        chain = self.span.chain() if self.span is not None else []
        first = _first(chain)
        for i, s in enumerate(chain[first : first + 1] + chain[:first][::-1] + chain[first + 1 :]):
            how = "-->" if i == 0 else "which calls" if i <= first else "called from"
            lines.append(f"  {how} {s.where()}" + (f" in {s.function}" if s.function else ""))
            lines += [f"      {s.text().strip()}"] if i else [s.excerpt()] if s.excerpt() else []
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class AveSyntaxError(AveError):
    """A construct that the language does not have."""


class AveTypeError(AveError):
    """A wrong type, shape, count or value in a kernel's text."""


class UnsupportedError(AveError):
    """Valid code that Ave does not do yet, or that the chip cannot do."""


class VerifyError(AveError):
    """IR that breaks the rules of its phase: a fault of the compiler, not of the user."""


class LaunchError(AveError):
    """Arguments or a launch geometry that do not fit the kernel."""


class ArgumentError(LaunchError, ValueError, TypeError):
    """An argument that a launching function cannot take: Python's ValueError and TypeError, with a code. `why`: its
    message without the function's name."""

    why: str = ""


class MissingError(AveTypeError, AttributeError):
    """A name that a module of Ave's, or a namespace, does not have."""


class DriverError(AveError):
    """A tool or a driver that is missing or that failed."""


class ExecutionError(AveError):
    """A fault that the reference found while it ran: an access out of bounds, a read of memory that nothing wrote."""


CLASSES: dict[str, type[AveError]] = {
    "S": AveSyntaxError,
    "T": AveTypeError,
    "U": UnsupportedError,
    "V": VerifyError,
    "L": LaunchError,
    "D": DriverError,
    "X": ExecutionError,
}


class _Words(string.Formatter):
    """`str.format`, with counts: `{n:n byte}` gives "1 byte" or "2 bytes", `{n:n index/indices}` a plural of its
    own."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        if not format_spec.startswith("n "):
            return super().format_field(value, format_spec)
        one, _, several = format_spec[2:].partition("/")
        return f"{value} {one if value == 1 else several or one + 's'}"


_WORDS = _Words()


def counted(n: int, word: str) -> str:
    """"1 argument", "2 arguments"."""
    return _WORDS.format("{0:n " + word + "}", n)


def _said(fields: dict[str, Any], name: str) -> str:
    """A field of a template in words; empty where there is none."""
    value = fields.get(name)
    return "" if value is None else str(value)


def error(code: str, span: Span | None = None, hint: str | None = None, **fields: Any) -> AveError:
    """The exception for `code`, its template filled from `fields`. The first letter of a code names its class.

    `hint` replaces the catalogue's hint. The caller raises what this returns.
    """
    template = CATALOGUE[code]
    exc = CLASSES[code[0]]()
    exc.code = code
    exc.message = _WORDS.format(template.message, **fields)
    exc.hint = _WORDS.format(template.hint, **fields) if hint is None else hint
    exc.span = span
    exc.expected, exc.came = _said(fields, "want"), _said(fields, "got")
    if code[0] == "X":
        exc.fields = {name: str(value) for name, value in fields.items()}
    exc.args = (exc.message,)
    return exc
