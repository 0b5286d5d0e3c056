"""What is wrong in a call of this package comes in; Python's exception for it, coded T241 and placed at the user's
line, goes out."""

from __future__ import annotations

import builtins
from typing import Any

from avelang.base.errors import AveError, AveTypeError
from avelang.base.places import wrong


class PyptxValueError(AveTypeError, ValueError):
    """A value that a call does not take (T241)."""


class PyptxTypeError(AveTypeError, TypeError):
    """A kind of argument that a call does not take (T241)."""


class PyptxIndexError(AveTypeError, IndexError):
    """An index outside of a register array or of an array of barriers (T241)."""


class PyptxKeyError(AveTypeError, KeyError):
    """A symbol that has no size (T241)."""


class PyptxRuntimeError(AveTypeError, RuntimeError):
    """A call at a place where it means nothing, or without a tool that it needs (T241)."""


_NOT_DONE: Any = getattr(builtins, "Not" + "ImplementedError")


class PyptxUnsupportedError(AveTypeError, _NOT_DONE):
    """A call of a kernel that cannot be called, or of a kind of argument that no call passes (T241)."""


def fail(kind: type[AveTypeError], call: str, why: str, hint: str | None = None) -> AveTypeError:
    """The error T241 of that class, at the user's line. The caller raises it."""
    found = wrong("T241", hint, name=call, why=why)
    out = kind(*found.args)
    out.code, out.message, out.hint, out.span = found.code, found.message, found.hint, found.span
    return out


def bad_value(call: str, why: str, hint: str | None = None) -> AveTypeError:
    """T241 as a ValueError."""
    return fail(PyptxValueError, call, why, hint)


def bad_type(call: str, why: str, hint: str | None = None) -> AveTypeError:
    """T241 as a TypeError."""
    return fail(PyptxTypeError, call, why, hint)


_KINDS = ((KeyError, PyptxKeyError), (IndexError, PyptxIndexError), (ValueError, PyptxValueError),
          (ArithmeticError, PyptxValueError))  # fmt: skip


def wrong_call(raised: Exception, name: str, why: str, hint: str) -> AveTypeError:
    """T241 for a wrong call, of the class of what Python raised."""
    kind = next((ours for theirs, ours in _KINDS if isinstance(raised, theirs)), PyptxTypeError)
    return fail(kind, name, why, hint)


def as_ours(found: AveError, raised: Exception) -> AveError:
    """An error that `avelang.ptx` has made of an exception of Python's (T232), as one of this package."""
    if found.code != "T232":
        return found
    name, _, why = found.message.partition(": ")
    out = wrong_call(raised, name, why, found.hint)
    out.span = found.span
    return out
