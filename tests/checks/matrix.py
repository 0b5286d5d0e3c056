"""The whole matrix: each seed and its twin in each column. Seeds are run in processes of their own, with a limit: a bug may hang or kill what runs it."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import traceback
from collections.abc import Callable, Sequence

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


def _row_in(seed: Seed, out: int) -> None:
    """A row by way of a pipe, in a process of its own; does not return."""
    cells = row(seed)
    with os.fdopen(out, "w") as lines:
        json.dump([[column, pair] for column, pair in cells.items()], lines)
    os._exit(0)


def matrix(seeds: Sequence[Seed], told: Callable[[str], object] = print, workers: int = 0) -> dict[str, Cells]:
    """By level and name of a seed, its row; `workers` seeds at a time (0: one for each processor)."""
    workers = workers or len(os.sched_getaffinity(0))
    found: dict[str, Cells] = {}
    running: dict[int, tuple[Seed, int]] = {}  # by the file that its row comes from: the seed and its process
    left = list(seeds)
    while left or running:
        while left and len(running) < workers:
            ours, theirs = os.pipe()
            seed = left.pop(0)
            child = os.fork()
            if not child:
                os.close(ours)
                _row_in(seed, theirs)
            os.close(theirs)
            running[ours] = (seed, child)
        for ready in select.select(list(running), [], [])[0]:
            seed, child = running.pop(ready)
            with os.fdopen(ready) as lines:
                cells = {(engine, word): (bug, twin) for (engine, word), (bug, twin) in json.load(lines)}
            os.waitpid(child, 0)
            found[f"{seed.level}: {seed.name}"] = cells
            codes = dict.fromkeys(bug for bug, _ in cells.values() if bug)
            told(f"{len(found)} of {len(seeds)}: {seed.level}: {seed.name}: {' '.join(codes)}")
    return {f"{seed.level}: {seed.name}": found[f"{seed.level}: {seed.name}"] for seed in seeds}
