"""A function's annotations come in; a function that refuses arguments which are none of them, at the user's line, goes
out."""

from __future__ import annotations

import collections.abc
import functools
import inspect
import numbers
import operator
import sys
import types
import typing
from collections.abc import Callable
from typing import Any, TypeVar

from avelang.base import knobs
from avelang.base.errors import SHIPPED, ArgumentError, AveError, error
from avelang.base.places import here, users_line

F = TypeVar("F", bound=Callable[..., Any])


class Want:
    """A requirement on an argument, for `typing.Annotated[T, Want(...)]`: `fits(x)` checks it, `words` names it;
    `said(x)` describes the argument and `hint(x)` a remedy, where its kind alone does not."""

    def __init__(
        self, fits: Callable[[Any], bool], words: str, said: Callable[[Any], str] | None = None,
        hint: Callable[[Any], str] | None = None
    ):  # fmt: skip
        self.fits, self.words, self._said, self._hint = fits, words, said, hint

    def said(self, x: Any) -> str:
        """A description of the argument that does not fit."""
        return (self._said(x) if self._said is not None else "") or said(x)

    def hint(self, x: Any) -> str:
        """A remedy, or ""."""
        return self._hint(x) if self._hint is not None else ""


def whole(x: Any) -> bool:
    """True if a number is whole: Python's or NumPy's ints, arrays of one; no bool."""
    try:
        operator.index(x)
    except Exception:  # whatever a user's own __index__ raises
        return False
    return not isinstance(x, bool)


def at_least(least: int) -> Want:
    """Whole numbers from `least` on."""
    return Want(lambda x: whole(x) and operator.index(x) >= least, f"an int from {least} on")


def _real(x: Any) -> bool:
    return isinstance(x, numbers.Real) and not isinstance(x, bool) or getattr(x, "shape",
                                                                              None) == () and hasattr(x, "__float__")


A_DTYPE = Want(lambda x: isinstance(x, type) or (type(x).__hash__ is not None and not hasattr(x, "shape")),
               "a dtype, or its name")  # fmt: skip
NONE = Want(lambda x: x is None, "None")
PLAIN: dict[Any, Want] = {
    int: Want(whole, "an int"),
    float: Want(_real, "a number"),
    bool: Want(lambda x: isinstance(x, bool) or type(x).__name__ in ("bool_", "bool"), "True or False"),
    str: Want(lambda x: isinstance(x, str), "a str"),
    type(None): NONE,
    None: NONE,
}


def want(hint: Any) -> Want | None:
    """The requirement of an annotation; None if it takes anything."""
    if hint in (Any, object, inspect.Parameter.empty) or isinstance(hint, (str, TypeVar)):
        return None
    if hint in PLAIN:
        return PLAIN[hint]
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return next((x for x in args[1:] if isinstance(x, Want)), want(args[0]))
    if origin in (typing.Union, types.UnionType):
        return _either([want(a) for a in args])
    if origin is typing.Literal:
        return Want(lambda x: isinstance(x, str) and x in args, " or ".join(map(repr, args)))
    if origin is tuple:
        return _tuple(args)
    if origin is collections.abc.Sequence:
        each = _tuple((args[0], ...))
        return Want(lambda x: isinstance(x, collections.abc.Sequence) and each.fits(tuple(x)),
                    each.words.replace("tuple", "sequence"))
    if origin is collections.abc.Callable or hint in (Callable, collections.abc.Callable):
        return Want(callable, "a function")
    kind = origin or hint
    return Want(lambda x: isinstance(x, kind), _a(kind.__name__)) if isinstance(kind, type) else None


def _either(several: list[Want | None]) -> Want | None:
    if None in several:
        return None
    all_of = [w for w in several if w is not None]
    first = next((w for w in all_of if w is not NONE), NONE)
    return Want(lambda x: any(w.fits(x) for w in all_of), " or ".join(w.words for w in all_of), first.said, first.hint)


def _tuple(args: tuple[Any, ...]) -> Want:
    if len(args) == 2 and args[1] is Ellipsis:
        each, words = want(args[0]), "a tuple"
        words += "" if each is None else f", each item {each.words}"
        return Want(lambda x: isinstance(x, (tuple, list)) and all(each is None or each.fits(i) for i in x), words)
    parts = [want(a) for a in args]

    def fits(x: Any) -> bool:
        return isinstance(x, (tuple, list)) and len(x) == len(parts) and all(w is None or w.fits(i) for w,
                                                                             i in zip(parts, x, strict=True))

    return Want(fits, f"a tuple of {len(parts)}: ({', '.join('anything' if w is None else w.words for w in parts)})")


def _a(name: str) -> str:
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"


def said(x: Any) -> str:
    """An argument in words: its value where that is short, else its kind."""
    if x is None or isinstance(x, (str, int, float, bytes)):
        text = repr(x)
        return text if len(text) <= 60 else f"{text[:50]}... ({_a(type(x).__name__)})"
    if isinstance(x, type):
        return f"the class {x.__name__}"
    return _a(type(x).__name__)


def _hint(fn: Any, annotation: Any) -> Any:
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, fn.__globals__)  # noqa: S307
    except NameError:  # of what is imported for type checkers alone
        return Any


_LEARNED: dict[Any, tuple[list[str], dict[str, Want]]] = {}


def _learned(fn: Any) -> tuple[list[str], dict[str, Want]]:
    """The names of a function's parameters in order, and what those want that want something."""
    inner = inspect.unwrap(fn)
    names, wants = [], {}
    for p in inspect.signature(inner).parameters.values():
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            names.append(p.name)
        found = want(_hint(inner, p.annotation)) if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) else None
        if found is not None:
            wants[p.name] = found
    _LEARNED[fn] = names, wants
    return names, wants


def takes(code: str = "L066") -> Callable[[F], F]:
    """A decorator: the arguments of a call are held against the function's annotations before it runs. What is no such
    thing is an error of that code, L066 or T301, at the line of the user's call, and so are errors of the catalogue
    that have no line of the user's. Arguments that are missing, too many, or of other names are L066 (which is a
    TypeError, too).

    Understood are classes, `int` (NumPy's, too), `float`, `str`, `bool`, tuples, unions, `Literal`, `Callable`, and
    `Annotated[T, Want(...)]`."""

    def decorated(fn: Any) -> Any:
        # The closure holds nothing that changes: kernels may have what it holds in their keys.
        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            names, wants = _LEARNED.get(fn) or _learned(fn)
            for name, x in zip(names, args, strict=False):
                if name in wants and not wants[name].fits(x):
                    raise _refused(code, fn, name, wants[name], x)
            for name, x in kwargs.items():
                if name in wants and not wants[name].fits(x):
                    raise _refused(code, fn, name, wants[name], x)
            try:
                return fn(*args, **kwargs)
            except (AveError, TypeError) as e:
                raise _surfaced(fn, e) from None

        return call

    return decorated


def placed(fn: F) -> F:
    """A decorator, as `takes` without the check of kinds: errors of the catalogue stand at the user's line; a wrong
    count or name is L066."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except (AveError, TypeError) as e:
            raise _surfaced(fn, e) from None

    return call  # type: ignore[return-value]


NOT_TRACED = "torch.jit.trace cannot record it: kernels look at shapes and addresses. Use torch.export or torch.compile"


def traced() -> bool:
    """True while `torch.jit.trace` runs, for which extents of tensors are tensors."""
    torch = sys.modules.get("torch")
    return torch is not None and torch._C._get_tracing_state() is not None


def counted(fn: F) -> F:
    """A decorator of a function that a model calls: a wrong count or name of its arguments is L066 (which is a
    TypeError, too) at the user's line. So is an option of another kind than its annotation says, where the call came
    to nothing: calls that go well are not checked. A graph of torch.compile does not see it."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        torch = sys.modules.get("torch")
        if torch is not None and torch.compiler.is_compiling():
            return fn(*args, **kwargs)
        try:
            return fn(*args, **kwargs)
        except Exception as e:
            if traced():
                raise _argument_error(fn, NOT_TRACED, "") from None
            if isinstance(e, AveError):
                raise
            if isinstance(e, TypeError) and e.__traceback__ is not None and e.__traceback__.tb_next is None:
                raise _argument_error(fn, str(e), f"it takes ({_parameters(fn)})") from None
            wrong = _misfit(fn, args, kwargs)
            if wrong is None:
                nested = _nested(fn, args, kwargs) if isinstance(e, RuntimeError) else ""
                if not nested:
                    raise
                why = f"{nested} is a nested tensor: it must be in memory with strides, as x.to_padded_tensor(0) is"
                raise _argument_error(fn, why, "") from None
            raise _refused("L066", fn, *wrong) from None

    return call  # type: ignore[return-value]


def _nested(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The first argument that is a nested tensor of torch, whose shape nobody may ask for; "" for none."""
    torch = sys.modules.get("torch")
    names, _ = _LEARNED.get(fn) or _learned(fn)
    for name, x in (*zip(names, args, strict=False), *kwargs.items()):
        if torch is not None and isinstance(x, torch.Tensor) and x.is_nested:
            return name
    return ""


def _misfit(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, Want, Any] | None:
    """The first argument that is not what its annotation says, with what that wants; an array is no number."""
    names, wants = _LEARNED.get(fn) or _learned(fn)
    for name, x in (*zip(names, args, strict=False), *kwargs.items()):
        wanted = wants.get(name)
        if wanted is not None and (hasattr(x, "shape") and not isinstance(x, type) or not wanted.fits(x)):
            return name, wanted, x
    return None


def _parameters(fn: Any) -> str:
    """The parameters of a function by name; those that may be left out with their default."""
    out: list[str] = []
    for p in inspect.signature(fn).parameters.values():
        if p.name == "self":
            continue
        out += ["*"] * (p.kind is p.KEYWORD_ONLY and "*" not in out)
        star = "*" * (p.kind is p.VAR_POSITIONAL) + "**" * (p.kind is p.VAR_KEYWORD)
        out.append(star + p.name if p.default is p.empty else f"{p.name}={p.default!r}")
    return ", ".join(out)


def _surfaced(fn: Any, e: AveError | TypeError) -> BaseException:
    """The error that a call raises in place of one that came from inside."""
    if not isinstance(e, AveError):  # a TypeError of the call itself has no frame below it
        itself = e.__traceback__ is not None and e.__traceback__.tb_next is None
        return _argument_error(fn, str(e), f"it takes ({_parameters(fn)})") if itself else e
    at_users_line(e)
    return e if knobs.full_traceback() else e.with_traceback(None)


def _refused(code: str, fn: Any, name: str, wanted: Want, x: Any) -> AveError:
    if code != "L066":
        return error(code, here(), what=f"{name} of {_name(fn)}", want=wanted.words, got=wanted.said(x))
    return _argument_error(fn, f"{name} must be {wanted.words}, not {wanted.said(x)}", wanted.hint(x))


def _name(fn: Any) -> str:
    return fn.__qualname__.removesuffix(".__init__").rpartition(".")[2]


def _argument_error(fn: Any, why: str, hint: str) -> ArgumentError:
    found = error("L066", users_line(), hint, function=_name(fn), why=why)
    out = ArgumentError(*found.args)
    out.code, out.message, out.hint, out.span = found.code, found.message, found.hint, found.span
    return out


def at_users_line(e: AveError) -> None:
    """Gives an error that has no line of the user's that of the call under way."""
    at = users_line() if e.span is None or all(s.file.startswith(SHIPPED) for s in e.span.chain()) else None
    if at is not None:
        e.span = at if e.span is None else e.span.called_from(at)
