"""The call that is under way comes in; the place of the user's code that made it, for errors, goes out."""

from __future__ import annotations

import difflib
import re
import sys
import traceback
from types import FrameType
from typing import Any

from avelang.base.errors import ArgumentError, AveError, error
from avelang.base.spans import Span

_OURS = ("avelang.", "pyptx.", "contextlib")  # `with` comes by way of contextlib
# Modules whose functions stand around a user's call, and have no name of their own.
_WRAPPERS = ("avelang.base.takes", "avelang.bridge.relaunched")
ANNOTATION = "<annotation>"  # the file of evaluated annotations: whoever evaluates one knows the user's line
_OPERANDS = ("avelang.ptx", "pyptx")  # modules whose objects are operands, on which Python tries its operators
_BUILD = "avelang.frontend.build"  # calls what a kernel calls, and knows the kernel's line itself


def caller() -> FrameType | None:
    """The frame of the user's code, the nearest that is not Ave's; None where a kernel is being built."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name == _BUILD or frame.f_code.co_filename == ANNOTATION:
            return None
        if not f"{name}.".startswith(_OURS):  # `avelang` itself, too
            return frame
        frame = frame.f_back
    return None


def here() -> Span | None:
    """The span of the call in the user's code that is under way."""
    return _span(caller())


def users_line() -> Span | None:
    """The same, where the kernels that come with Ave are no user's code either, and what called Ave in torch or JAX."""
    frame = caller()
    others = (*_OURS, "avelang_kernels.", "torch.", "jax.", "jax._src")
    while frame is not None and frame.f_globals.get("__name__", "").startswith(others):
        frame = frame.f_back
    return _span(frame)


def _span(frame: FrameType | None) -> Span | None:
    if frame is None or frame.f_globals.get("__name__", "").startswith("click."):
        return None  # of a command of `ave` there is no line of a user's
    code, at = frame.f_code, frame.f_lasti // 2
    line, end, col, end_col = next(p for i, p in enumerate(code.co_positions())
                                   if i == at)  # type: ignore[attr-defined]
    return Span(code.co_filename, line or frame.f_lineno, col or 0, end or 0, end_col or 0, code.co_name)


def misused(e: Exception) -> Exception:
    """T232 at the user's call, for an exception that Python raised deep in a function of Ave's; exceptions of the
    user's own code stay as they are."""
    if isinstance(e, AveError):
        return e
    frames = list(traceback.walk_tb(e.__traceback__))
    last = next((i for i in range(len(frames) - 1, -1, -1)
                 if not frames[i][0].f_globals.get("__name__", "").startswith(_OURS)), -1)
    if last < 0:
        return e
    frame, line = frames[last]
    code = frame.f_code
    at = Span(code.co_filename, line, function=code.co_name)
    if last + 1 == len(frames):
        return _misnamed(e, at)
    return error("T232", at, name=frames[last + 1][0].f_code.co_name,
                 why=f"an argument is none that it takes ({type(e).__name__}: {e})")


def _misnamed(e: Exception, at: Span) -> Exception:
    """T232 for an attribute that an object of Ave's does not have, and for a call or an operator that one of Ave's
    functions or objects does not take; other exceptions of the user's code as they are."""
    if isinstance(e, AttributeError) and type(e.obj).__module__.startswith(_OURS):
        known = [x for x in dir(e.obj) if not x.startswith("_")]
        close = difflib.get_close_matches(str(e.name), known, 2)
        hint = f"did you mean {' or '.join(close)}?" if close else f"it has {', '.join(known)}"
        return error("T232", at, hint, name=e.name, why=f"there is no such name ({e})")
    if not isinstance(e, TypeError):
        return e
    if "()" in str(e):  # a call of the user's own function: those of ours answer themselves (`ptx.faces`)
        return e
    for name in re.findall(r"(?<=')\w+(?=')", str(e)):
        owner = next((x for module, m in list(sys.modules.items()) if module.startswith(_OPERANDS)
                      and getattr(x := getattr(m, name, None), "__module__", "") == module), None)
        if isinstance(owner, type):
            special = "special registers are read by a call: ptx.special.tid.x()" * (name in ("_Read", "_Axes"))
            what = "a call" if "not callable" in str(e) else "an operator"
            return error("T232", at, special or None, name=what, why=str(e))
    return e


def wrong(code: str, hint: str | None = None, **fields: Any) -> AveError:
    """The error of that code, at the user's line."""
    return error(code, here(), hint, **fields)


def _nameless(frame: FrameType) -> bool:
    """Whether a frame of Ave's is of what stands around the function that the user called: wrappers, and the call of an
    operation."""
    module = frame.f_globals["__name__"]
    return module in _WRAPPERS or module == "avelang.bridge.operation" and frame.f_code.co_name == "__call__"


def argument_error(why: str, hint: str = "", above: int = 0) -> ArgumentError:
    """The error (L066) that a function which launches kernels raises for an argument that it cannot take: at the line
    of the user's call, the nearest outside of the module that raises it and of Ave's own. `why` names the argument,
    what came and what is wanted. While `torch.compile` traces, which cannot ask for frames, a plain ValueError: where
    it may, it runs the call as it is then, which raises the other. `above`: so many callers above this one raise it."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.compiler.is_dynamo_compiling():
        return ValueError(f"[L066] {why}" + (f" ({hint})" if hint else ""))  # type: ignore[return-value]
    frame = inner = sys._getframe(1 + above)
    own = frame.f_globals.get("__name__", "")
    while frame.f_back is not None and frame.f_globals.get("__name__",
                                                           "").startswith((own, *_OURS, "avelang_kernels.")):
        inner = inner if _nameless(frame) else frame
        frame = frame.f_back
    name = inner.f_code.co_name  # the function that the user called
    at: Span | None = Span(frame.f_code.co_filename, frame.f_lineno, function=frame.f_code.co_name)
    if frame.f_globals.get("__name__", "").startswith("click."):  # a command of `ave`: there is no line of a user's
        name, at = f"ave {name.removesuffix('_command')}", None
    found = error("L066", at, hint or None, function=name, why=why)
    out = ArgumentError(*found.args)
    out.code, out.message, out.hint, out.span, out.why = found.code, found.message, found.hint, found.span, why
    return out


def renamed(e: ArgumentError, name: str) -> ArgumentError:
    """The error of an argument (L066), told of a function of that name, at the line that it has."""
    if e.why:
        found = error(e.code, e.span, e.hint, function=name, why=e.why)
        e.message, e.args = found.message, found.args
    return e


def rehomed(e: ArgumentError, name: str) -> ArgumentError:
    """The error of an argument (L066), told of the function that the user called, at the user's line: for one that was
    raised behind a framework's frames. `name`: of the function that is the caller, where the user called it itself."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith((*_OURS, "avelang_kernels.")):
        name = name if _nameless(frame) else frame.f_code.co_name
        frame = frame.f_back
    if frame is not None and e.why:
        found = error(e.code, Span(frame.f_code.co_filename, frame.f_lineno, function=frame.f_code.co_name), e.hint,
                      function=name, why=e.why)
        e.message, e.span, e.args = found.message, found.span, found.args
    return e
