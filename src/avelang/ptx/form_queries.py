"""Questions to the table of PTX: the parts of a name come in; the form as which they read, or the names that there are
instead, go out.

The calls of this level state no types, shapes, counts or constants of an instruction of their own: they ask here.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

from avelang.nvptx.check import count_of
from avelang.nvptx.forms import Env, Form, OperandSpec
from avelang.nvptx.readings import FORMS, readings

Parts = tuple[str, ...]


@functools.cache
def forms_of(parts: Parts) -> tuple[tuple[Form, Env], ...]:
    """The forms as which a whole name reads, with its words; none for a name that the table does not have."""
    return tuple((form, env) for form, env in readings(parts)[0] if not form.broken(env))


def first_known(*candidates: Parts) -> Parts | None:
    """The first of these names that the table has."""
    return next((parts for parts in candidates if forms_of(parts)), None)


def operands_of(parts: Parts) -> tuple[OperandSpec, ...]:
    """The operands of a name's first form."""
    form, env = forms_of(parts)[0]
    return tuple(form.present(env))


def counts(parts: Parts) -> list[int]:
    """The number of registers of each operand of a name's first form; 1 where it stands without braces."""
    form, env = forms_of(parts)[0]
    return [count_of(spec, env) or 1 for spec in form.present(env)]


def names(prefix: Parts, width: int) -> Iterator[Parts]:
    """All names of so many parts that begin with these, in the order of the table."""
    for form in FORMS[prefix[0]]:
        choices = [(*s.choices, *(("",) if s.optional else ())) for s in form.slots]
        if all(p in c for p, c in zip(prefix[1:], choices, strict=False)):
            for words in itertools.product(*((p,) for p in prefix[1:]), *choices[len(prefix) - 1 :]):
                parts = (prefix[0], *".".join(filter(None, words)).split("."))
                if len(parts) == width and not form.broken(dict(zip((s.name for s in form.slots), words, strict=True))):
                    yield parts
