"""Seeded bugs and who finds them. A seed has a name and a level; for a column (an engine and a word of its checks) its bug or its correct twin is run,
and a cell comes out: the code of what is found, "" where nothing is, None where the engine does not run that program."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable

from avelang.base.errors import AveError

# By engine the words that are columns; "" is what is found without asking. `text`: what is found before anything runs, by the compiler or the lint.
ENGINES = {
    "text": ("",),
    "reference": ("", "bounds", "init", "races", "uniform"),
    "cpu": ("bounds", "uniform"),
    "gfx942-exec": ("", "bounds", "init", "races", "waits", "uniform"),
    "gfx950-exec": ("all",),
    "ptx-exec": ("", "init", "races"),
}
Column = tuple[str, str]
COLUMNS: tuple[Column, ...] = tuple((engine, word) for engine, words in ENGINES.items() for word in words)
LEVELS = {"al": "Threads: `al`", "tile": "Tiles: `avelang.tile`", "ranks": "Several GPUs: `al.peer`", "asm": "Instructions: AMD assembly", "ptx": "Instructions: PTX"}
# X codes that say that a program cannot be run here, and nothing of what it does.
_NOT_HERE = ("X009", "X020", "X021", "X028", "X029", "X030", "X031", "X036", "X045")
# What is told before a launch, of what a kernel or its caller promised.
_TOLD = ("L050", "L011", "L080", "T310", "T311", "T320")


@dataclasses.dataclass(frozen=True)
class Seed:
    """`run(column, bug)` runs the bug or its twin and returns a code, "" or None; errors may be left to `cell`. `kind`: what sort of bug it is, in the
    words of `KINDS`, or "" where that follows from the code."""

    name: str
    level: str
    run: Callable[[Column, bool], str | None]
    kind: str = ""


# What sort of bug a code says.
KINDS = {
    "outside of memory": ("X001", "X002", "X005", "X022", "X023", "X032"),
    "nothing wrote it": ("X003", "X051", "X055", "X056"),
    "race in shared memory": ("X006", "X025", "X050"),
    "race in global memory": ("X040",),
    "race of lanes": ("X041",),
    "barrier": ("X042",),
    "shuffle": ("X043",),
    "not uniform": ("X044", "T320"),
    "not waited for": ("X010", "X013", "X024", "X033", "X014"),
    "wait states": ("X026",),
    "never ends": ("X011", "X034", "X042", "L080"),
    "wrong use": ("X012", "X035", "X056"),
    "promise": ("L050", "T310", "T311"),
}


def judged(e: AveError) -> str | None:
    """The code, or None where the error says that this program does not run here."""
    if e.code in _TOLD or e.code[0] == "X" and e.code not in _NOT_HERE:
        return e.code
    return None


def cell(seed: Seed, column: Column, bug: bool) -> str | None:
    """What a column says of a seed's bug or twin. The environment's checks are the column's meanwhile."""
    kept = os.environ.get("AVE_CHECK")
    os.environ["AVE_CHECK"] = column[1]
    try:
        return seed.run(column, bug)
    except AveError as e:
        return judged(e)
    finally:
        if kept is None:
            del os.environ["AVE_CHECK"]
        else:
            os.environ["AVE_CHECK"] = kept


def kind(seed: Seed, codes: list[str]) -> str:
    """What sort of bug this is."""
    return seed.kind or next((k for code in codes for k, known in KINDS.items() if code in known), "other")
