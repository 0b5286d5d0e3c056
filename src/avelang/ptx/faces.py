"""A face comes in: the names that kernels import. Each of its functions answers a wrong call by a coded TypeError at
the user's line, which names the function as the user writes it and shows what it takes.

A call that goes well is not looked at; only where a function raises are its arguments held against its signature."""

from __future__ import annotations

import difflib
import enum
import functools
import inspect
import os
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable
from typing import Any

from avelang.base.errors import AveError, AveTypeError
from avelang.base.places import wrong
from avelang.ptx.refusals import as_class

_OURS = ("avelang.", "pyptx.")
_LIBRARIES = tuple({os.path.dirname(os.__file__), *map(sysconfig.get_path, ("purelib", "platlib"))})
_CALLED = ("__init__", "__call__")  # the methods that a call without a name reaches
_P = inspect.Parameter


class WrongCall(AveTypeError, TypeError):
    """A call with arguments that the function does not take (T232)."""


# (the exception that Python raised, the function's name, what is wrong, a hint) -> the error.
Made = Callable[[Exception, str, str, str], AveError]


def wrong_call(_: Exception, name: str, why: str, hint: str) -> AveError:
    """The error of `avelang.ptx` for a wrong call."""
    return as_class(WrongCall, wrong("T232", hint, name=name, why=why))


def parameters(fn: Any) -> list[inspect.Parameter]:
    """The parameters of a function, without what a method is bound to."""
    return [p for p in inspect.signature(fn).parameters.values() if p.name not in ("self", "cls")]


def shown(fn: Any) -> str:
    """A signature without annotations: `(dtype, dst, a, b, *, pred=None)`."""
    plain = [p.replace(annotation=_P.empty) for p in parameters(fn)]
    return str(inspect.Signature(plain)).replace("<class 'inspect._empty'>", "...")


def _listed(names: Iterable[str], verb: str = "") -> str:
    quoted = [f"`{x}`" for x in names]
    text = quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    return f"{text} {'is' if len(quoted) == 1 else 'are'} {verb}" if verb else text


def misfit(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The arguments (without those that a method is bound to) that the function does not take, in words; or ""."""
    every = parameters(fn)
    placed = [p for p in every if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    named = {p.name for p in every if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    by_place = {p.name for p in placed[: len(args)]}
    out = []
    unknown = [k for k in kwargs if k not in named]
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in every):
        near = {k: difflib.get_close_matches(k, named - set(kwargs), 1) for k in unknown}
        out += [f"it has no parameter `{k}`{f' (did you mean `{near[k][0]}`?)' if near[k] else ''}" for k in unknown]
    if twice := [k for k in kwargs if k in named and k in by_place]:
        out.append(f"{_listed(twice, 'given')} by place and by name")
    if len(args) > len(placed) and not any(p.kind is p.VAR_POSITIONAL for p in every):
        most = f"at most {len(placed)}" if any(p.default is not p.empty for p in placed) else str(len(placed))
        plural, verb = "" if len(placed) == 1 else "s", "is" if len(args) == 1 else "are"
        out.append(f"it takes {most if placed else 'no'} argument{plural} by place, and {len(args)} {verb} given")
    missing = [p.name for p in every if p.default is p.empty and p.name not in by_place and p.name not in kwargs
               and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]  # fmt: skip
    if missing:
        out.append(_listed(missing, "missing"))
    return "; ".join(out)


def _of_user(frame: types.FrameType) -> bool:
    """True for a frame of code that is neither ours nor a library's."""
    ours = f"{frame.f_globals.get('__name__', '')}.".startswith((*_OURS, "contextlib."))
    return not ours and not frame.f_code.co_filename.startswith((*_LIBRARIES, "<"))


def _error(fn: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], e: Exception, made: Made) -> Exception:
    """The error in place of one that Python has raised; that one itself where it comes of the user's own code, which a
    function may call, or where this one was called by another of ours."""
    if f"{sys._getframe(2).f_globals.get('__name__', '')}.".startswith(_OURS):
        return e
    hint = f"it takes {shown(fn)}"
    why = misfit(fn, args, kwargs)
    if why:
        return made(e, name, why, hint)
    at = e.__traceback__.tb_next if e.__traceback__ is not None else None
    while at is not None:
        if _of_user(at.tb_frame):
            return e
        at = at.tb_next
    return made(e, name, f"an argument is none that it takes ({type(e).__name__}: {e})", hint)


_RAISED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def guarded(fn: Any, name: Callable[[tuple[Any, ...]], str], made: Made, bound: int = 0) -> Any:
    """The function with its wrong calls coded. `name` finds the user's word for it from the arguments, `bound` of which
    are what a method is bound to."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except _RAISED as e:
            if isinstance(e, AveError):
                raise
            found = _error(fn, name(args), args[bound:], kwargs, e, made)
            if found is e:
                raise
            raise found from None

    call.__ave_guarded__ = True  # type: ignore[attr-defined]
    return call


def _own(module: types.ModuleType) -> list[str]:
    """The public names of a module without a list of them: not the functions that it has from others."""
    return [x for x, v in vars(module).items() if x[:1] != "_" and not (
        isinstance(v, (types.FunctionType, type)) and v.__module__ != module.__name__)]  # fmt: skip


class Face:
    """The functions of a face, each guarded once. `made` makes its errors."""

    def __init__(self, made: Made):
        self._made = made
        self._paths: dict[int, str] = {}  # of objects by id, all of which live as long as their module
        self._seen: set[int] = set()

    def cover(self, path: str, holder: Any, names: Iterable[str] = ()) -> None:
        """Guards what a module or an object has under these names (all public ones if none are given), and what is
        below them. `path`: what the user writes before them."""
        if id(holder) in self._seen:
            return
        self._seen.add(id(holder))
        listed = list(names or getattr(holder, "__all__", None) or _own(holder))
        # Objects before the classes that they are of: methods are called by the path of the object.
        for name in sorted(listed, key=lambda x: isinstance(getattr(holder, x), type)):
            value = getattr(holder, name)
            below = f"{path}.{name}" if path else name
            if isinstance(value, types.FunctionType):
                if value.__module__.startswith(_OURS) and not hasattr(value, "__ave_guarded__"):
                    setattr(holder, name, guarded(value, lambda _, at=below: at, self._made))
            elif isinstance(value, types.ModuleType):
                if value.__name__.startswith(_OURS) and f"{holder.__name__}." in f"{value.__name__}.":
                    self.cover(below, value)
            elif isinstance(value, type):
                self._of_class(value, value.__name__)
            elif type(value).__module__.startswith(_OURS):
                self._of_object(value, below)

    def _of_object(self, x: Any, path: str) -> None:
        if id(x) in self._paths:
            return
        self._paths[id(x)] = path
        self._of_class(type(x), path)
        held = {k: v for kind in type(x).__mro__ for k, v in vars(kind).items()} | getattr(x, "__dict__", {})
        for name, value in held.items():
            if name[:1] != "_" and not isinstance(value, type) and type(value).__module__.startswith(_OURS):
                self._of_object(value, f"{path}.{name}")

    def _of_class(self, kind: type, said: str) -> None:
        """Guards the methods of a class. `said`: the word for objects of it that have no path of their own."""
        if id(kind) in self._seen or not kind.__module__.startswith(_OURS) or issubclass(
                kind, (BaseException, enum.Enum)):  # fmt: skip
            return
        self._seen.add(id(kind))
        for base in kind.__bases__:
            self._of_class(base, said)
        for name, value in list(vars(kind).items()):
            if name[:1] == "_" and name not in _CALLED:
                continue
            inner = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            if not isinstance(inner, types.FunctionType) or hasattr(inner, "__ave_guarded__"):
                continue
            if isinstance(value, staticmethod):
                found: Any = staticmethod(guarded(inner, lambda _, at=f"{said}.{name}": at, self._made))
            else:
                found = guarded(inner, functools.partial(self._method, name, said), self._made, 1)
                found = classmethod(found) if isinstance(value, classmethod) else found
            setattr(kind, name, found)

    def _method(self, name: str, said: str, args: tuple[Any, ...]) -> str:
        """The user's word for a method of the object that is the first of its arguments."""
        words = getattr(args[0], "_parts", None) if args else None
        if words is not None and name == "__call__":
            return ".".join(("ptx.inst", *words))
        own = self._paths.get(id(args[0]), said) if args else said
        return own if name in _CALLED else f"{own}.{name}"
