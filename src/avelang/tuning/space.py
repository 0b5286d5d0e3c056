"""What may be chosen comes in (values by name, or choices one by one, and constraints); the choices for a call's
arguments go out.

Functions that a user hands to the tuner (constraints, models, launches, keys, references) name what they want: a
parameter gets the value of that name of the choice, or the argument of that name of the call; `choice` is the whole
choice, and `**` takes all there is."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from avelang.base.errors import error
from avelang.base.places import here
from avelang.base.spans import Span
from avelang.tuning.values import Unspellable, spelled, word

MOST = 1 << 20  # choices that a space may have: each is looked at


class Choice(dict[str, Any]):
    """A choice: values by name, read as items or as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def text(self) -> str:
        """The words that a table keeps."""
        return spelled(self)


class ByName:
    """A user's function, called with the names that it asks for. `role` names it in errors."""

    def __init__(self, fn: Callable[..., Any], role: str, owner: str, span: Span | None):
        self.fn, self.role, self.owner, self.span = fn, role, owner, span
        try:
            parameters = inspect.signature(fn).parameters.values()
        except (TypeError, ValueError):
            raise error("L072", span, owner=owner, role=role, why=f"{fn!r} tells no parameters") from None
        kinds = inspect.Parameter
        self.all = any(p.kind is kinds.VAR_KEYWORD for p in parameters)
        several = [p.name for p in parameters if p.kind in (kinds.VAR_POSITIONAL, kinds.POSITIONAL_ONLY)]
        if several:
            why = f"its parameter `{several[0]}` goes by position, and names are what it can ask for"
            raise error("L072", span, owner=owner, role=role, why=why)
        named = [p for p in parameters if p.kind is not kinds.VAR_KEYWORD]
        self.names = tuple(p.name for p in named)
        self.needed = tuple(p.name for p in named if p.default is kinds.empty)

    def check(self, known: Iterable[str]) -> None:
        """Raises L072 where it asks for a name that there is not."""
        have = set(known) | {"choice"}
        for name in self.needed:
            if name not in have:
                why = f"it asks for `{name}`, which is none of {', '.join(f'`{x}`' for x in sorted(have))}"
                raise error("L072", self.span, owner=self.owner, role=self.role, why=why)

    def __call__(self, choice: Mapping[str, Any], arguments: Mapping[str, Any]) -> Any:
        """Its result. What it raises itself goes through."""
        have = {**arguments, **choice, "choice": choice}
        self.check(have)
        if self.all:
            have.pop("choice") if "choice" not in self.names else None
            return self.fn(**have)
        return self.fn(**{name: have[name] for name in self.names if name in have})


class Space:
    """The choices that there are.

    `values`: a mapping of names to the values of each (all combinations, the first name turning slowest), a sequence
    of mappings (these choices), or a function of arguments by name that gives either, with the `names` of its choices.
    `where`: constraints, functions
    of choice and arguments by name that are true for a choice that can be. Raises L070 for what is none of these, or a
    value that a table has no words for."""

    def __init__(
        self, values: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]] | Callable[..., Any],
        where: Callable[..., Any] | Sequence[Callable[..., Any]] = (), names: Sequence[str] = (),
    ):  # fmt: skip
        self.span = here()
        self._names = (names,) if isinstance(names, str) else tuple(names)
        self.values = _kept(values)
        conditions = [where] if callable(where) else list(where)
        for x in conditions:
            if not callable(x):
                raise self._wrong(f"a constraint must be a function, and is {x!r}")
        self.where = [ByName(x, "a constraint", "the space", self.span) for x in conditions]
        self._made = ByName(values, "the space", "the space", self.span) if callable(values) else None
        if self._made is None:
            self._check(self.values)

    def _wrong(self, why: str) -> Exception:
        return error("L070", self.span, name="the space", why=why)

    def _check(self, values: Any) -> None:
        if isinstance(values, Mapping):
            if not values:
                raise self._wrong("it names nothing that can be chosen")
            for name, several in values.items():
                if not isinstance(name, str) or not name.isidentifier():
                    raise self._wrong(f"{name!r} is no name of a parameter")
                if isinstance(several, (str, bytes)) or not isinstance(several, Iterable):
                    raise self._wrong(f"`{name}` must have a sequence of values, and has {several!r}")
            return
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise self._wrong(f"it must be a mapping, a sequence of choices or a function, and is {values!r}")
        for x in values:
            if not isinstance(x, Mapping):
                raise self._wrong(f"a choice must be a mapping of names to values, and is {x!r}")

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of a choice; None where a function makes the choices, and nobody said."""
        if self._names or self._made is not None:
            return self._names or None
        if isinstance(self.values, Mapping):
            return tuple(self.values)
        return tuple(dict.fromkeys(name for x in self.values for name in x))  # type: ignore[union-attr]

    def every(self, arguments: Mapping[str, Any]) -> Iterator[Choice]:
        """All choices for a call with these arguments by name, constraints not asked."""
        values: Any = self.values
        if self._made is not None:
            values = _kept(self._made({}, arguments))
            self._check(values)
        if isinstance(values, Mapping):
            lists = {name: list(several) for name, several in values.items()}
            count = 1
            for several in lists.values():
                count *= len(several)
            if count > MOST:
                raise self._wrong(f"it has {count} choices, and may have {MOST}")
            for picked in itertools.product(*lists.values()):
                yield Choice(zip(lists, picked, strict=True))
        else:
            yield from (Choice(x) for x in values)

    def choices(self, arguments: Mapping[str, Any]) -> list[Choice]:
        """The choices that the constraints let through, each once, in order. Raises L070 and L072."""
        found: dict[str, Choice] = {}
        for choice in self.every(arguments):
            if all(condition(choice, arguments) for condition in self.where):
                try:
                    found.setdefault(choice.text, choice)
                except Unspellable as e:
                    raise self._wrong(str(e)) from None
        return list(found.values())

    def admits(self, text: str, arguments: Mapping[str, Any]) -> Choice | None:
        """The choice with these words, where the space has it and the constraints let it through."""
        found = self._with(text, arguments)
        return found if found is not None and all(x(found, arguments) for x in self.where) else None

    def _with(self, text: str, arguments: Mapping[str, Any]) -> Choice | None:
        values: Any = _kept(self._made({}, arguments)) if self._made is not None else self.values
        if not isinstance(values, Mapping):
            return next((Choice(x) for x in values if spelled(x) == text), None)
        words = dict(part.split("=", 1) for part in text.split())
        found = Choice()
        for name, several in values.items():
            fits = [x for x in several if word(x) == words.get(name)]
            if not fits:
                return None
            found[name] = fits[0]
        return found if len(found) == len(words) else None


def _kept(values: Any) -> Any:
    """The same, with what iterators give kept: it is gone through again for each call."""
    if isinstance(values, Mapping):
        return {name: tuple(x) if isinstance(x, Iterator) else x for name, x in values.items()}
    return tuple(values) if isinstance(values, Iterator) else values
