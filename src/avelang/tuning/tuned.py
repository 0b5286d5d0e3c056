"""A kernel, or a function that launches kernels, comes in with a space of choices; a function that looks its choice up
in tables, and that can be tuned, goes out."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

import avelang.tuning.provenance as provenance
import avelang.tuning.tables as tables
import avelang.tuning.trial_arrays as arrays
from avelang.base.errors import AveError, error
from avelang.base.places import here
from avelang.base.takes import placed
from avelang.jit import JitFunction
from avelang.runtime import ahead
from avelang.tuning.space import ByName, Choice, Space
from avelang.tuning.values import key_text

if TYPE_CHECKING:
    from avelang.base.functions import Function
    from avelang.tuning.tuner import TuneResult

# What a launch takes by name besides the kernel's own parameters.
LAUNCH_OPTIONS = frozenset({"num_warps", "waves_per_eu", "cluster", "target", "backend"})
_ROLES = ("launch", "key", "model", "reference", "inputs", "default", "fill")


class Tuned:
    """A kernel or a function, each call of which gets its choice from tables of tuned choices: those of its device and
    its key, or the default where none has one. Nothing is measured by a call. Made by `avelang.tune`.

    `tune(*args)` measures; `choice(*args)` is what a call would take, `choices(*args)` all that there are. What the
    kernel has besides (`kernel[...]`, `report`) is the kernel's own."""

    def __init__(self, fn: Callable[..., Any], space: Any, **options: Any):
        self.span = here()
        self.fn = fn
        self.kernel = fn if isinstance(fn, JitFunction) else None
        self.space = space if isinstance(space, Space) else Space(space, options.pop("where", ()))
        if options.pop("where", None):
            raise self.fault("L070", name="the space", why="constraints are the Space's own: Space(values, where=...)")
        self.name = options.pop("name", None) or full_name(fn)
        self.outputs: tuple[str, ...] | None = _names(options.pop("outputs", None))
        self.inout: tuple[str, ...] = _names(options.pop("inout", ())) or ()
        self.tolerance: float | None = options.pop("tolerance", None)
        self.most: int = options.pop("most", 24)
        self.shapes: tuple[Mapping[str, Any], ...] = tuple(options.pop("shapes", ()))
        given = {role: options.pop(role, None) for role in _ROLES}
        self.fixed_default = given["default"] if isinstance(given["default"], Mapping) else None
        self.keyed = given["key"] if isinstance(given["key"], (tuple, list)) else None
        self.roles = {role: ByName(x, f"{role}=", self.name, self.span) for role, x in given.items() if callable(x)}
        self._check(options, given)
        self._memo: dict[Hashable, tuple[int, Choice, Any]] = {}
        functools.update_wrapper(self, fn, updated=())

    def _check(self, options: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        for name in options:
            raise self.fault("L066", function="tune", why=f"it has no option `{name}`")
        if not isinstance(self.most, int) or self.most < 1:
            raise self.fault("L066", function="tune", why=f"most must be an int from 1 on, and is {self.most!r}")
        if self.tolerance is not None and not (isinstance(self.tolerance, (int, float)) and self.tolerance >= 0):
            raise self.fault("L066", function="tune", why=f"tolerance must be a number, and is {self.tolerance!r}")
        for role, x in given.items():
            if x is not None and role not in self.roles and x is not self.fixed_default and x is not self.keyed:
                also = {"key": " or names of arguments", "default": " or a choice"}.get(role, "")
                raise self.fault("L066", function="tune", why=f"{role} must be a function{also}, and is {x!r}")
        parameters = inspect.signature(self.fn).parameters
        self.takes_all = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
        self.accepts = frozenset(parameters) | (LAUNCH_OPTIONS if self.kernel is not None else frozenset())
        names = self.space.names
        if names is None:
            why = "a function makes its choices, and tells no names: Space(function, names=(...))"
            raise self.fault("L070", name=f"the space of `{self.name}`", why=why)
        chosen = frozenset(names)
        self.parameters = [p for p in parameters.values() if p.name not in chosen
                           and p.kind not in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)]
        self.arguments = tuple(p.name for p in self.parameters)
        if self.kernel is not None and "launch" not in self.roles:
            why = "a kernel needs launch=, a function of arguments and choice that gives (grid, block)"
            raise self.fault("L073", name=self.name, why=why)
        for name in chosen - self.accepts if not self.takes_all and self.kernel is None else ():
            raise self.fault("L070", name=f"the space of `{self.name}`", why=f"it has no parameter `{name}`")
        for name in (*(self.outputs or ()), *self.inout, *(self.keyed or ())):
            if name not in self.arguments:
                raise self.fault("L073", name=self.name, why=f"it has no argument `{name}`")
        for role, x in self.roles.items():
            if role != "inputs":
                x.check({*self.arguments, *(chosen if role in ("launch", "model") else ()), "name", "array", "seed"}
                        if role == "fill" else {*self.arguments, *(chosen if role in ("launch", "model") else ())})
        for x in self.space.where:
            x.check({*self.arguments, *chosen})

    def fault(self, code: str, **fields: Any) -> AveError:
        """The error of that code, where the user decorated."""
        return error(code, self.span, **fields)

    # -- choices ---

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments by name, defaults filled in. Raises L066 where they do not fit."""
        known = {name: x for name, x in kwargs.items() if name in self.arguments}
        try:
            bound = inspect.Signature(self.parameters).bind(*args, **known)
        except TypeError as e:
            raise error("L066", here(), function=self.name, why=str(e)) from None
        bound.apply_defaults()
        return dict(bound.arguments)

    def key(self, *args: Any, **kwargs: Any) -> str:
        """The key of these arguments in tables: what `key=` gives, or the dtypes and extents of all arrays, their
        strides where they are not plainly row-major, and all numbers, in order."""
        return self.key_of(self.bind(args, kwargs))

    def key_of(self, named: Mapping[str, Any]) -> str:
        """The key of arguments by name."""
        if "key" in self.roles:
            return key_text(self.roles["key"]({}, named))
        if self.keyed is not None:
            return " ".join(f"{name}={_part(named[name])}" for name in self.keyed) or "-"
        return " ".join(filter(None, (_part(x) for x in named.values()))) or "-"

    def device_of(self, named: Mapping[str, Any]) -> str:
        """The place of the first array among the arguments, such as "cuda:0"; "cpu" without one."""
        places = [arrays.device(x) for x in named.values() if arrays.is_array(x)]
        return next((p for p in places if p != "cpu"), "cpu")

    def choices(self, *args: Any, **kwargs: Any) -> list[Choice]:
        """All choices that can be for these arguments, in order. Raises L070 to L072."""
        found = self.space.choices(self.bind(args, kwargs))
        if not found:
            raise self.fault("L071", name=self.name, why="its constraints let no choice through for these arguments")
        return found

    def default(self, named: Mapping[str, Any]) -> Choice:
        """The choice without a measurement: `default=`, the one that the model finds fastest, or the first. Raises
        L071."""
        if self.fixed_default is not None or "default" in self.roles:
            given = self.fixed_default if self.fixed_default is not None else self.roles["default"]({}, named)
            choice = self.space.admits(Choice(given).text, named)
            if choice is None:
                raise self.fault("L071", name=self.name, why=f"its default {dict(given)} is no choice of its space")
            return choice
        found = self.space.choices(named)
        if not found:
            raise self.fault("L071", name=self.name, why="its constraints let no choice through for these arguments")
        if "model" in self.roles:
            return min(found, key=lambda choice: self.modeled(choice, named))
        return found[0]

    def modeled(self, choice: Choice, named: Mapping[str, Any]) -> float:
        """The seconds, or any other number that grows with them, that the model gives a choice; infinity for None."""
        found = self.roles["model"](choice, named)
        try:
            return float("inf") if found is None else float(found)
        except (TypeError, ValueError):
            raise self.fault("L073", name=self.name, why=f"its model gives {found!r}, and no number") from None

    def choice(self, *args: Any, **kwargs: Any) -> Choice:
        """The choice that a call takes: the tables' for its device and key, where the space still has it, else the
        default. Raises D041 where tables are pinned and theirs is in the space no more."""
        named = self.bind(args, kwargs)
        found = tables.row(self.name, provenance.device_name(self.device_of(named)), self.key_of(named))
        if found is not None:
            choice = self.space.admits(found.choice, named)
            if choice is not None:
                return choice
            if tables.pinned() is not None:
                why = f"its choice for `{self.name}` ({found.choice}) is in the space of the kernel no more"
                raise error("D041", here(), file=tables.pinned(), why=why,
                            instead="tune again and pin the new table, or go back to the version that was pinned")
        return self.default(named)

    # -- calls ---

    def _fast(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Hashable:
        if kwargs:
            args = (*args, *kwargs, *kwargs.values())
        return tuple([x if type(x) in _PLAIN else _seen(x) for x in args])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            found = self._memo.get(self._fast(args, kwargs))
        except TypeError:  # an argument that has no hash
            found = None
        if found is not None and found[0] == tables.EPOCH.value:
            return self._run(found[1], found[2], args, kwargs)
        return self._first(args, kwargs)

    @placed
    def _first(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        epoch = tables.EPOCH.value
        own = [name for name in self.space.names or () if name not in self.arguments]
        given = {name: kwargs[name] for name in own if name in kwargs}
        rest = {name: x for name, x in kwargs.items() if name not in given}
        choice = Choice({**self.choice(*args, **rest), **given})
        at = self.at(choice, self.bind(args, rest)) if self.kernel is not None else None
        if not given:
            with contextlib.suppress(TypeError):  # of an argument that has no hash
                self._memo[self._fast(args, kwargs)] = epoch, choice, at
        return self._run(choice, at, args, rest)

    def at(self, choice: Choice, named: Mapping[str, Any]) -> Any:
        """The grid and the block of a kernel's launch."""
        return self.roles["launch"](choice, named)

    def _run(self, choice: Choice, at: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        if self.kernel is None:
            return self.fn(*args, **kwargs, **choice)
        chosen = {name: x for name, x in choice.items() if name in self.accepts}
        names = [p.name for p in self.parameters]
        # Host code serves a launch like one before, and knows nothing of collecting.
        launch = self.kernel[at] if not ahead.collecting() else functools.partial(self.kernel._launcher._slow, at)
        return launch(**dict(zip(names, args, strict=False)), **kwargs, **chosen)

    def run(self, choice: Choice, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Runs with a choice, whatever the tables say."""
        at = self.at(choice, self.bind(args, kwargs)) if self.kernel is not None else None
        return self._run(choice, at, args, kwargs)

    def tune(self, *args: Any, table: tables.Place | bool | None = None, **options: Any) -> TuneResult:
        """Measures the choices for these arguments, and keeps the fastest that is right in a table.

        The arguments are copied, floats among them filled with random numbers, outputs poisoned; yours are not written
        to. `table`: a file, None for the default one, False for none. Other options are those of
        `avelang.tuning.Settings` (seconds, workers, within, risk, rounds, clock, progress, force, ...) and arguments
        by name. Raises L071 where no choice is left, L073 where it cannot be tuned, D041 for a pinned table."""
        from avelang.tuning.tuner import Settings, tune_call

        own = {name: options.pop(name) for name in list(options) if name in Settings.names()}
        for name in options:
            if name not in self.arguments and name not in {*self.accepts, "stream"} and not self.takes_all:
                why = f"`{name}` is neither an argument nor a setting ({', '.join(sorted(Settings.names()))})"
                raise error("L066", here(), function=f"tune of {self.name}", why=why)
        return tune_call(self, args, options, Settings(table=table, **own))

    def inputs_for(self, shape: Mapping[str, Any]) -> tuple[Any, ...]:
        """The arguments that `inputs=` makes for a shape, given by name. Raises L073 without one."""
        if "inputs" not in self.roles:
            why = "shapes need inputs=, a function of a shape's numbers by name that gives the arguments"
            raise self.fault("L073", name=self.name, why=why)
        made = self.roles["inputs"]({}, shape)
        return tuple(made) if isinstance(made, (tuple, list)) else (made,)

    @functools.cached_property
    def digest(self) -> str:
        """A digest of the text of the function or kernel, for tables."""
        fn = inspect.unwrap(self.kernel.source.fn if self.kernel is not None else self.fn)
        try:
            text = inspect.getsource(fn)
        except (OSError, TypeError):  # of `python -c`, or no function
            code = getattr(fn, "__code__", None)
            text = type(fn).__qualname__ if code is None else f"{code.co_code!r} {code.co_names} {code.co_varnames}"
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __getitem__(self, provider: Any) -> Any:
        if self.kernel is None:
            raise error("L066", here(), function=self.name, why="a function has no grid and block: call it")
        return self.kernel[provider]

    __iter__ = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "fn" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.fn, name)

    def __repr__(self) -> str:
        return f"<tuned {self.name}>"


_PLAIN = frozenset({int, float, bool, str, type(None)})


def _seen(x: Any) -> Hashable:
    """What of an argument may decide on a choice."""
    if type(x) is np.ndarray:
        return x.shape, x.dtype, x.strides
    if not hasattr(x, "dtype"):
        return x
    stride = getattr(x, "stride", None)
    return x.shape, x.dtype, getattr(x, "device", None), stride() if callable(stride) else getattr(x, "strides", None)


def _names(given: Any) -> tuple[str, ...] | None:
    return (given,) if isinstance(given, str) else None if given is None else tuple(given)


def _part(x: Any) -> str:
    """An argument's part of a key; "" for what has none."""
    if arrays.is_array(x):
        if not hasattr(x, "dtype") or not hasattr(x, "shape"):
            return "array"
        strides = arrays.strides(x)
        laid = f":{','.join(map(str, strides))}" if strides else ""
        return f"{arrays.dtype_name(x)}[{','.join(map(str, x.shape))}{laid}]"
    if hasattr(x, "item") and getattr(x, "shape", None) == ():  # a number of NumPy
        x = x.item()
    if x is None or isinstance(x, (str, int, float, bool)):
        return key_text(x if not isinstance(x, str) else x or "-")
    return str(getattr(x, "name", "")).replace(" ", "")


def full_name(fn: Any) -> str:
    """The name in tables: module and name; of a program the name of its file."""
    inner = inspect.unwrap(fn)
    module = getattr(inner, "__module__", "") or ""
    if module in ("__main__", "__mp_main__"):
        file = getattr(sys.modules.get(module), "__file__", None) or "main"
        module = os.path.splitext(os.path.basename(file))[0]
    name = getattr(inner, "__qualname__", type(fn).__name__).replace("<locals>.", "")
    return f"{module}.{name}" if module else name


@overload
def tune(
    space: Any, /, *, where: Function | Sequence[Function] = ..., launch: Function = ...,
    key: Function | Sequence[str] = ..., model: Function = ..., reference: Function = ..., fill: Function = ...,
    inputs: Function = ..., default: Any = ..., **options: Any,
) -> Callable[[Any], Tuned]: ...  # fmt: skip
@overload
def tune(fn: Callable[..., Any], space: Any, /, *args: Any, **options: Any) -> Any: ...
def tune(*given: Any, **options: Any) -> Any:
    """Makes a kernel or a function tunable, or tunes one at once.

    As a decorator, `@avelang.tune(space, ...)` above `@avelang.jit` or above a function that launches kernels: a
    `Tuned`. As a function, `avelang.tune(fn, space, *args, ...)` measures `fn` on these arguments and gives a
    `TuneResult`.

    `space`: values by name, choices one by one, or a `Space`. A function gets a choice by name; a kernel those names
    that are its parameters or options of a launch (num_warps, waves_per_eu, cluster). All functions below ask for
    arguments, and where it makes sense values of the choice, by name:

    `where`: constraints. `launch`: (grid, block) of a kernel. `key`: what choices are kept under, or names of
    arguments. `model`: seconds by a model of yours, or anything that grows with them (None: cannot be); the `most` best
    are measured. `reference`: the right results. `outputs`: names of the arguments that are written (of a kernel: what
    it stores to; of a function: what it returns); `inout`: those that are read, too. `tolerance`: greatest difference
    by the root of the mean square. `fill`: (name, array, seed) fills an input otherwise than by random numbers.
    `inputs`: makes arguments for a shape, `shapes`: the shapes of `ave tune`. `default`: the choice without a table.

    Raises L070 to L073 for what does not fit."""
    if not given or not callable(given[0]):
        if len(given) != 1:
            raise error("L066", here(), function="tune", why="a decorator takes the space; all else goes by name")
        return functools.partial(_decorate, given[0], options)
    if len(given) < 2:
        hint = "a space that is a function is written Space(function)"
        why = "it takes a function or a kernel, its space, and arguments"
        raise error("L066", here(), hint, function="tune", why=why)
    from avelang.tuning.tuner import Settings

    fn, space, *args = given
    measured = {name: options.pop(name) for name in list(options) if name in {*Settings.names(), "table"}}
    declared = {name: options.pop(name) for name in list(options) if name in OPTIONS}
    tuned = Tuned(fn, space, **declared)
    return tuned.tune(*args, **options, **measured)


OPTIONS = frozenset({*_ROLES, "where", "name", "outputs", "inout", "tolerance", "most", "shapes"})


def _decorate(space: Any, options: dict[str, Any], fn: Callable[..., Any]) -> Tuned:
    if not callable(fn) and not isinstance(fn, JitFunction):
        raise error("S003", here(), "put @avelang.tune above @avelang.jit or a `def`", got=repr(fn))
    return Tuned(fn, space, **options)
