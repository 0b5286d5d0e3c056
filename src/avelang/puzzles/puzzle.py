"""What a puzzle consists of: words for the reader, a skeleton to fill in, cases to run, and known mistakes with their
hints."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

Extents = tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Case:
    """One launch: `args` in the kernel's order, arrays and numbers; `out`: the place of the array that is written;
    `want`: what must stand in it; `grid` and `block`; `label`: the case in words."""

    args: tuple[Any, ...]
    out: int
    want: Any
    grid: Extents
    block: Extents
    label: str


@dataclasses.dataclass(frozen=True)
class Mistake:
    """A wrong answer that is often given: `gives(case)` computes it with NumPy, `hint` says what to look at."""

    gives: Callable[[Case], Any]
    hint: str


@dataclasses.dataclass(frozen=True)
class Puzzle:
    """A puzzle. `name` is the kernel's; `statement` the task in plain words; `skeleton` the file to fill in; `cases`
    draws launches from a random generator; `mistakes` are known wrong answers; `needs` are names of which
    the kernel has to use one; `codes` are hints for errors that mean something special here; `holes` is the hint where
    elements were not written and no other fits; `tolerance`: relative, 0 for exact; `target`: the chip, where the
    puzzle is about one."""

    number: int
    name: str
    title: str
    statement: str
    skeleton: str
    cases: Callable[[Any], list[Case]]
    mistakes: tuple[Mistake, ...] = ()
    needs: tuple[str, ...] = ()
    codes: tuple[tuple[str, str], ...] = ()
    holes: str = "Which thread should have written it? Put an `al.printf` there, or draw the indices."
    tolerance: float = 0.0
    target: str | None = None

    @property
    def file(self) -> str:
        """The text of a file to begin with."""
        words = "\n".join(self.statement.splitlines())
        return f'"""Puzzle {self.number}: {self.title}.\n\n{words}\n"""\n\n{HEAD}\n\n{self.skeleton}'


HEAD = "import avelang\nimport avelang.language as al\n"


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The outcome: `right`, what happened in words, and a hint where one is known. `cases`: how many were right."""

    right: bool
    message: str
    hint: str = ""
    cases: int = 0
