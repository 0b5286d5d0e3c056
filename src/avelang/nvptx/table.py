"""The whole instruction set, from its groups: the words of an instruction come in; the forms as which it can be read go out.

`environments` yields the representative forms: each word at least once, and all combinations of types.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping

from avelang.nvptx import (  # noqa: F401
    table_async,
    table_convert,
    table_float,
    table_integer,
    table_matrix,
    table_memory,
    table_sync,
    table_texture,
    table_wgmma,
)
from avelang.nvptx.form import FORMS, Form, Slot

# -- matching ------------------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class Progress:
    """How far the words of an instruction were understood: the place of the first that was not, and what could stand there."""

    at: int = 0
    allowed: dict[str, None] = dataclasses.field(default_factory=dict)
    end: bool = False

    def seen(self, at: int, words: Iterable[str], end: bool = False) -> None:
        if at > self.at:
            self.at, self.allowed, self.end = at, {}, False
        if at == self.at:
            self.allowed.update(dict.fromkeys(words))
            self.end = self.end or end


def match(f: Form, words: tuple[str, ...], progress: Progress) -> Iterator[dict[str, str]]:
    """The ways to read an instruction's modifiers as those of a form."""

    def step(i: int, at: int, env: dict[str, str]) -> Iterator[dict[str, str]]:
        if i == len(f.slots):
            progress.seen(at, (), end=True)
            if at == len(words):
                yield env
            return
        slot = f.slots[i]
        progress.seen(at, slot.choices)
        for choice in slot.choices:
            n = choice.count(".") + 1
            if words[at : at + n] == tuple(choice.split(".")):
                yield from step(i + 1, at + n, {**env, slot.name: choice})
        if slot.optional:
            yield from step(i + 1, at, {**env, slot.name: ""})

    return step(0, 0, {})


@functools.lru_cache(maxsize=4096)
def readings(parts: tuple[str, ...]) -> tuple[tuple[tuple[Form, dict[str, str]], ...], Progress]:
    """All (form, words) as which an instruction can be read, and how far its words were understood."""
    progress = Progress()
    found = tuple((f, env) for f in FORMS.get(parts[0], ()) for env in match(f, parts[1:], progress))
    return found, progress


# -- representative forms ------------------------------------------------------------------------------------------------------------


def _types(f: Form) -> list[Slot]:
    used = {s.strip("<>") for o in f.operands if o.role not in "mt" for s in (o.type, o.count) if "/" not in s}
    return [s for s in f.slots if s.name in used]


def environments(f: Form) -> Iterator[dict[str, str]]:
    """Choices of words for a form: each word at least once, all combinations of those that decide types."""
    seen: set[str] = set()
    for fixed in _fixings(f):
        env = _complete(f, fixed)
        if env is not None and f.name(env) not in seen:
            seen.add(f.name(env))
            yield env


def _fixings(f: Form) -> Iterator[dict[str, str]]:
    yield {}
    types = _types(f)
    for words in itertools.product(*((*s.choices, *([""] if s.optional else [])) for s in types)):
        yield {s.name: w for s, w in zip(types, words, strict=True)}
    for slot in f.slots:
        if slot not in types:
            yield from ({slot.name: word} for word in slot.choices)


def _complete(f: Form, fixed: Mapping[str, str]) -> dict[str, str] | None:
    """The first choice of words that has the fixed ones and keeps the rules."""
    free = [[fixed[s.name]] if s.name in fixed else [*([""] if s.optional else []), *s.choices] for s in f.slots]
    for words in itertools.islice(itertools.product(*free), 20000):
        env = {s.name: w for s, w in zip(f.slots, words, strict=True)}
        if not f.broken(env):
            return env
    return None
