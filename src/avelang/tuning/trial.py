"""The arguments of a call come in; a call that contenders can be given, on copies of them, goes out, and whether what
they computed is right."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import avelang.tuning.trial_arrays as arrays
from avelang.base.errors import error
from avelang.base.places import here
from avelang.tuning.space import Choice

if TYPE_CHECKING:
    from avelang.tuning.tuned import Tuned


class Trial:
    """Copies of a call's arguments. `outputs`: names of the arrays that contenders write; empty where results are what
    they return. `judge`: what they are held against, in words."""

    def __init__(self, tuned: Tuned, args: Sequence[Any], kwargs: Mapping[str, Any], seed: int):
        self.tuned = tuned
        self.options = {name: x for name, x in kwargs.items() if name not in tuned.arguments}
        given = tuned.bind(args, {name: x for name, x in kwargs.items() if name in tuned.arguments})
        self.place = tuned.device_of(given)
        self.outputs = tuned.outputs if tuned.outputs is not None else ()
        copies: dict[int, Any] = {}
        self.named: dict[str, Any] = {}
        for i, (name, x) in enumerate(given.items()):
            if arrays.is_array(x):
                arrays.check(x)
                if id(x) not in copies:  # an array that is passed twice is one
                    copies[id(x)] = arrays.copy(x)
                    self._fill(name, copies[id(x)], seed + i)
                x = copies[id(x)]
            self.named[name] = x
        self.arrays = {name: x for name, x in self.named.items() if arrays.is_array(x)}
        self.torch = any(arrays.library(x) == "torch" for x in self.arrays.values())
        self.before = {name: arrays.copy(self.named[name]) for name in tuned.inout}
        self.judge = "reference" if "reference" in tuned.roles else "the default choice"
        self.want: tuple[Any, ...] | None = None

    def _fill(self, name: str, x: Any, seed: int) -> None:
        fill = self.tuned.roles.get("fill")
        if fill is not None:
            fill({"name": name, "array": x, "seed": seed}, {})
        elif arrays.is_float(x):
            arrays.random(x, seed)

    def writes(self, names: Collection[str]) -> None:
        """Takes the arrays that a kernel is known to write for its outputs, where nobody named any."""
        if self.tuned.outputs is None and self.tuned.kernel is not None:
            self.outputs = tuple(name for name in self.named if name in names and name in self.arrays)

    def run(self, choice: Choice) -> Any:
        """Runs a contender."""
        return self.tuned.run(choice, (), {**self.named, **self.options})

    def results(self, choice: Choice, byte: int) -> tuple[Any, ...]:
        """The results of a contender, computed from poisoned outputs. Raises L073 where there is nothing to look at."""
        for name in self.outputs:
            if name not in self.before:
                arrays.poison(self.named[name], byte)
        for name, x in self.before.items():
            arrays.assign(self.named[name], x)
        made = self.run(choice)
        for x in self.arrays.values():
            arrays.synchronize(x)
        names = dict.fromkeys((*self.outputs, *self.before))
        if names:
            return tuple(self.named[name] for name in names)
        found = _several(made)
        if not found:
            hint = 'name the arguments that it writes: outputs=("y",)'
            said = "nothing" if made is None else f"no array ({type(made).__name__})"
            why = f"it returns {said}, and names no outputs: nobody could tell whether it is right"
            raise error("L073", self.tuned.span, hint, name=self.tuned.name, why=why)
        return found

    def expect(self, choice: Choice) -> None:
        """Finds out what is right: by the reference, or by the default choice, which this is."""
        reference = self.tuned.roles.get("reference")
        if reference is None:
            self.want = tuple(arrays.copy(x) for x in self.results(choice, arrays.POISON))
            return
        names = tuple(dict.fromkeys((*self.outputs, *self.before)))
        for name, x in self.before.items():
            arrays.assign(self.named[name], x)
        lent = {name: arrays.copy(x) if name in names else x for name, x in self.named.items() if name in self.arrays}
        made = reference({}, {**self.named, **lent})
        if isinstance(made, Mapping):
            made = tuple(made[name] for name in names)
        found = tuple(lent[name] for name in names) if made is None else _several(made)
        if made is None and not names or not found or (names and len(found) != len(names)):
            why = f"its reference gives {len(found)} arrays, and {', '.join(names) or 'what it returns'} is wanted"
            raise error("L073", self.tuned.span, name=self.tuned.name, why=why)
        # It may have handed on what contenders will write to.
        own = {id(x) for x in self.arrays.values()}
        self.want = tuple(arrays.copy(x) if id(x) in own else x for x in found)

    def wrong(self, choice: Choice) -> str:
        """Why a contender's results are wrong, or "". Runs it once, and once more where an integer could be right by
        the poison alone."""
        assert self.want is not None
        bytes_ = (arrays.POISON,) if all(map(arrays.is_float, self.want)) else (arrays.POISON, 0xFF - arrays.POISON)
        for byte in bytes_:
            got = self.results(choice, byte)
            if len(got) != len(self.want):
                return f"it returns {len(got)} arrays, and {len(self.want)} are right"
            for x, want in zip(got, self.want, strict=True):
                most = self.tuned.tolerance if self.tuned.tolerance is not None else arrays.tolerance(x)
                off = arrays.difference(x, want)
                if not off <= most:
                    return f"off by {off:.3g}, {most:g} allowed" if math.isfinite(off) else "NaN, or never written"
        return ""


def _several(made: Any) -> tuple[Any, ...]:
    found = made if isinstance(made, (tuple, list)) else (made,)
    return tuple(x for x in found if arrays.is_array(x))


def refuse(tuned: Tuned, why: str, hint: str = "") -> Exception:
    """The error for a call that leaves no contender."""
    return error("L071", here() or tuned.span, hint or None, name=tuned.name, why=why)
