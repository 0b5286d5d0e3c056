"""The whole matrix: each seed and its twin in each column. Seeds are run in processes of their own, with a limit: a bug may hang or kill what runs it."""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Iterable, Sequence

from checks.seeds import COLUMNS, Column, Seed, cell

LIMIT = 60  # seconds of a cell
STOPPED = "stops"
Cells = dict[Column, tuple[str | None, str | None]]


def _child(seed: Seed, todo: list[tuple[Column, bool]], out: int) -> None:
    """Writes a line for each cell; does not return."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for column, bug in todo:
        signal.alarm(LIMIT)
        try:
            found = cell(seed, column, bug)
        except Exception:
            traceback.print_exc()
            found = "error"
        os.write(out, (json.dumps(found) + "\n").encode())
        if column[0] == "cpu" and bug:
            break  # what runs there unchecked writes anywhere: the next cell has a process of its own
    os._exit(0)


def row(seed: Seed) -> Cells:
    """(bug, twin) by column. `STOPPED`: the process was killed, or did not end."""
    todo = [(column, bug) for column in COLUMNS for bug in (False, True)]
    found: list[str | None] = []
    while len(found) < len(todo):
        sys.stdout.flush()
        ours, theirs = os.pipe()
        child = os.fork()
        if not child:
            os.close(ours)
            _child(seed, todo[len(found) :], theirs)
        os.close(theirs)
        with os.fdopen(ours) as lines:
            found += [json.loads(line) for line in lines]
        _, status = os.waitpid(child, 0)
        if status:
            found.append(STOPPED)
    return {column: (found[2 * k + 1], found[2 * k]) for k, column in enumerate(COLUMNS)}


def warm(seeds: Iterable[Seed]) -> None:
    """Has the executors make their tables here, before there are other processes; nothing that makes threads."""
    levels = {seed.level: seed for seed in seeds}
    for seed in levels.values():
        for column in COLUMNS:
            if column[0] != "cpu":
                cell(seed, column, False)


def matrix(seeds: Sequence[Seed]) -> dict[str, Cells]:
    """By level and name of a seed, its row."""
    warm(seeds)
    return {f"{seed.level}: {seed.name}": row(seed) for seed in seeds}
