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


class AveError(RuntimeError):
    """Base of all errors that Ave raises on purpose; a RuntimeError, which is what callers of other compilers catch.

    Attributes: `code` (the key in the catalogue, such as "T003"), `message`, `hint` (may be empty), `span` (may be
    None)."""

    code: str = ""
    message: str = ""
    hint: str = ""
    span: Span | None = None

    def __str__(self) -> str:
        lines = [f"[{self.code}] {self.message}"]
        chain = self.span.chain() if self.span is not None else []
        # The user's line first: what a device function of Ave's own does there explains the error, and is not its
        # place.
        first = next((i for own in (SHIPPED, OWN) for i, s in enumerate(chain) if not s.file.startswith(own)), 0)
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
    exc.args = (exc.message,)
    return exc
