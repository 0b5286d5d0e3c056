"""docs/checks.md: the matrix comes in and the page goes out, and the other way around. The page is where the whole matrix is kept."""

from __future__ import annotations

import pathlib

from checks.matrix import Cells
from checks.seeds import COLUMNS, ENGINES, LEVELS, Column, Seed, kind

FILE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "checks.md"
HEAD = """# Seeded bugs: who finds what

<!-- Made by `./dev checks`; change the tables in tests/checks instead. -->

{count} programs with one bug each, at {levels} levels, and beside each a correct twin that differs in as little as possible. Every bug is found by at least
one column, and no twin brings a report in any column where it runs, but those named at the end. Both are held by tests.

A column is an engine, and below it a word of `AVE_CHECK` (for executed code also of `check=`); `-` is a launch that asks for nothing. `text` is what is
told before anything runs: by the compiler, or by `ave ptx lint`. A cell holds the [code](reference/errors.md) that the bug brings, a dot where it
runs to its end with no report, and nothing where the program does not run: intrinsics of another vendor, waves of another width, a check that an
engine does not have. `said` is a line on standard error, `stops` the end of the process, which counts as no finding.
[Which engine checks what](reference/engines.md) has the words.

Most bugs are deaf to most checks: a missing barrier is no access outside of memory. What counts is that a row is not empty, and who stands in it: `AVE_CHECK=all`
on the reference finds those of the thread level and the tile level, the executors find in the code that was made what the compiler, and not the
user, has done. The executors stop at the first fault, in the order in which it happens: a missing barrier may show as a read of what nothing wrote.

`./dev checks` runs all cells again and writes this page (`./dev checks mbarrier "asm: "`: those whose names have such a part). The tests run each bug in the column that finds it first, and its twin there,
and compare with the page; a seed that is in no row of it, or a row without a seed, fails them too.
"""
_DOT = "·"
# Twins that a column reports, though they are right: by level, name and engine the reason. Whoever mends one takes it out.
KNOWN: dict[tuple[str, str, str], str] = {}


def _text(cell: str | None) -> str:
    return "" if cell is None else cell or _DOT


def finding(cells: Cells) -> list[tuple[Column, str]]:
    """The columns that find a bug, with their codes."""
    return [(column, bug) for column, (bug, _) in cells.items() if bug not in (None, "", "stops", "error")]  # type: ignore[misc]


def false(cells: Cells) -> list[tuple[Column, str]]:
    """The columns where a twin is reported, or does not run to its end."""
    return [(column, twin) for column, (_, twin) in cells.items() if twin]


def known() -> str:
    """The false alarms that there are, for the page."""
    if not KNOWN:
        return ""
    lines = [f"- {name.replace('_', ' ')} ({LEVELS[level]}), {engine}: {why}.\n" for (level, name, engine), why in KNOWN.items()]
    return "\n## Known false alarms\n\nTwins that are right where they are read as the language has it, and are reported:\n\n" + "".join(lines)


def _row(seed: Seed, cells: Cells, columns: list[Column]) -> str:
    codes = [code for _, code in finding(cells)]
    return f"| {shown(seed)} | {kind(seed, codes)} | " + " | ".join(_text(cells[c][0]) for c in columns) + " |\n"


def page(seeds: list[Seed], found: dict[str, Cells]) -> str:
    """The page's text."""
    text = HEAD.format(count=len(seeds), levels=len({s.level for s in seeds}))
    for level, title in LEVELS.items():
        mine = [s for s in seeds if s.level == level]
        used = [c for c in COLUMNS if any(found[f"{level}: {s.name}"][c][0] is not None for s in mine)]
        text += f"\n## {title}: {len(mine)}\n\n| bug | sort | " + " | ".join(f"{e}<br>{w or '-'}" for e, w in used) + " |\n"
        text += "| --- | --- |" + " --- |" * len(used) + "\n"
        text += "".join(_row(s, found[f"{level}: {s.name}"], used) for s in mine)
    return text + known()


def read(text: str) -> dict[str, dict[str, dict[Column, str | None]]]:
    """By level and shown name of a bug its cells."""
    found: dict[str, dict[str, dict[Column, str | None]]] = {}
    titles = {title: level for level, title in LEVELS.items()}
    for part in text.partition("\n## Known")[0].split("\n## ")[1:]:
        head, _, table = part.partition("\n")
        level = titles[head.rpartition(": ")[0]]
        lines = [[x.strip() for x in line.strip().strip("|").split(" |")] for line in table.strip().splitlines()]
        columns: list[Column] = [(e, "" if w == "-" else w) for e, _, w in (x.partition("<br>") for x in lines[0][2:])]
        assert all(w in ENGINES[e] for e, w in columns)
        for line in lines[2:]:
            cells = [None if not x else "" if x == _DOT else x for x in line[2:]]
            found.setdefault(level, {})[line[0]] = dict(zip(columns, cells, strict=True))
    return found


def shown(seed: Seed) -> str:
    """The name as the page has it."""
    return seed.name.replace("_", " ").replace("|", "/")
