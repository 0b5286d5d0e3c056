"""The whole instruction set, from its groups: the words of an instruction come in; the forms as which it can be read go
out.

`environments` yields the representative forms: each word at least once, and all combinations of types.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
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
from avelang.nvptx.forms import FORMS, Entry, Form, ModifierSlot
from avelang.nvptx.ptx_types import TYPES

# -- matching ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class Progress:
    """The extent to which the words of an instruction were understood: the place of the first that was not, and what
    could stand there."""

    at: int = 0
    allowed: dict[str, None] = dataclasses.field(default_factory=dict)
    end: bool = False

    def seen(self, at: int, words: Iterable[str], end: bool = False) -> None:
        """At word `at`, `words` were possible; `end`: or none."""
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


# -- words in another order --------------------------------------------------------------------------------------------

# ptxas 13.0 takes modifiers in any order behind the words that name the instruction (`wmma.store.d`, `cp.async.bulk`),
# as far as words of one of these kinds keep theirs: types, layouts, state spaces. Tried on 3,329 drawn orders of all
# forms.
_ORDERED = (frozenset({*TYPES, "b1", "s4", "u4", "e3m2", "e2m3", "e2m1", "ue8m0", "ue4m3", "e2m1x2", "b6x16_p32",
    "b4x16_p64", "b8x16"} - {"b1024"}), frozenset({"row", "col"}), frozenset({"xor", "and", "popc"}),
    frozenset({"global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry",
    "param::func"}), frozenset({"L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"}))
# Words at the beginning of a form that do not name the instruction, and choices there that do.
_LOOSE = (frozenset(("sync", "aligned", "volatile", "relaxed", "acquire", "release", "weak", "sp",
    "sp::ordered_metadata", "satfinite", "mmio", "approx", "rna", "ftz", "sat", "cc", "relu", "ca", "cg", "add",
    "any", "all", "noComplete", "cta", "cluster", "gpu", "sys", "popc", "xor", "and", "cta_group::1", "cta_group::2",
    "tile", "b1024", "xorsign", "noftz", "1d", "2d", "3d", "4d", "5d", "trap", "nc", "a1d", "a2d", "cube", "acube",
    "2dms", "a2dms", "is_canceled", "get_first_ctaid", "tensormap::generic", "async::generic", "mbarrier_init", "abs"))
    | frozenset(word for kind in _ORDERED for word in kind) - {"param"})  # fmt: skip
_NAMES = frozenset(("hi", "lo", "wide", "l", "r", "inc", "dec", "wait::ld", "wait::st"))
_CTA = (ModifierSlot("cta", ("cta",), False),)
_SHAPE = re.compile(r"m\d+n\d+(k\d+)?$|[xv]\d$|kind::|r[nzmp]i?$|\d+x\d+b$")


def _kind(word: str) -> frozenset[str]:
    return next((kind for kind in _ORDERED if word in kind), frozenset((word,)))


def _named(f: Form) -> int:
    """How many slots at the beginning of a form name the instruction."""
    def names(s: ModifierSlot) -> bool:
        word = s.choices[0]
        return (not s.optional and (_NAMES.issuperset(s.choices)
            or (len(s.choices) == 1 and word not in _LOOSE and not _SHAPE.match(word))))

    least = 2 if f.entry.name.startswith("barrier.cluster") or f.slots[:1] == _CTA else 0
    return max(least, sum(1 for _ in itertools.takewhile(bool, map(names, f.slots))))


def match_loosely(f: Form, words: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The ways to read modifiers as those of a form where they stand in another order."""
    named = _named(f)
    if len(words) < named or any(w not in s.choices for w, s in zip(words, f.slots[:named], strict=False)):
        return iter(())

    def takes(rest: tuple[str, ...], choice: str) -> tuple[str, ...] | None:
        """The words that are left when one slot has taken its own."""
        wanted = tuple(choice.split("."))
        for i in range(len(rest) - len(wanted) + 1):
            if rest[i : i + len(wanted)] == wanted:
                kind = _kind(wanted[0])
                return None if any(w in kind for w in rest[:i]) else rest[:i] + rest[i + len(wanted) :]
        return None

    def step(i: int, rest: tuple[str, ...], env: dict[str, str]) -> Iterator[dict[str, str]]:
        if i == len(f.slots):
            if not rest:
                yield env
            return
        slot = f.slots[i]
        for choice in slot.choices:
            left = takes(rest, choice)
            if left is not None:
                yield from step(i + 1, left, {**env, slot.name: choice})
        if slot.optional:
            yield from step(i + 1, rest, {**env, slot.name: ""})

    return step(named, words[named:], {s.name: w for s, w in zip(f.slots[:named], words, strict=False)})


@functools.lru_cache(maxsize=4096)
def readings(parts: tuple[str, ...]) -> tuple[tuple[tuple[Form, dict[str, str]], ...], Progress]:
    """All (form, words) as which an instruction can be read, and how far its words were understood. Another order of
    its words is tried where the manual's does not fit."""
    progress = Progress()
    found = tuple((f, env) for f in FORMS.get(parts[0], ()) for env in match(f, parts[1:], progress))
    if not found and 2 < len(parts) <= 24 and all(w in _words(parts[0]) for w in parts[1:]):
        found = tuple((f, env) for f in FORMS[parts[0]] if not f.entry.has("ordered")
            for env in match_loosely(f, parts[1:]))
    if not found and len(once := _once(parts)) < len(parts):
        found = readings(once)[0]
    return found, progress


_REPEATED = frozenset(("sync", "approx", "cc", "uni", "sat"))  # words that ptxas takes twice; of others it complains


def _once(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The words without repeats: ptxas reads `.sync.sync` as `.sync`."""
    return tuple(w for i, w in enumerate(parts) if w not in _REPEATED or w not in parts[1:i])


@functools.lru_cache(maxsize=4096)
def entry_of(parts: tuple[str, ...]) -> Entry | None:
    """The entry of an instruction, None where the table has no such modifiers, or not together."""
    return next((f.entry for f, env in readings(parts)[0] if not f.broken(env)), None)


@functools.cache
def _words(opcode: str) -> frozenset[str]:
    """All words that an instruction of this name may have."""
    return frozenset(w for f in FORMS.get(opcode, ()) for s in f.slots for choice in s.choices
        for w in choice.split("."))


def in_order(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The words of an instruction in the manual's order: the same ones where they stand so, or where they cannot be
    read."""
    found, progress = readings(parts)
    if not found or (progress.end and progress.at == len(parts) - 1):
        return parts
    names = [f.name(env) for f, env in found if not f.broken(env)] or [found[0][0].name(found[0][1])]
    return tuple(names[0].split("."))


# -- representative forms ----------------------------------------------------------------------------------------------


def _types(f: Form) -> list[ModifierSlot]:
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
