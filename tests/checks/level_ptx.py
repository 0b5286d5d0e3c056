"""Seeds in PTX: the tables of the executor's own tests, which leave out a line each, and programs with other faults; what the lint says of each."""

from __future__ import annotations

import re

import numpy as np

from avelang.nvptx.lint import WARNINGS, lint
from avelang.sim.ptx import Program
from checks import in_ptx
from checks.seeds import Column, Seed
from sim.ptx import test_defined, watched
from sim.ptx.texts import kernel, memory


def _linted(text: str) -> str:
    return next((e.code for e in lint(text) if e.code not in WARNINGS), "")


def _removed(name: str, case: watched.Case, at: int, what: str) -> Seed:
    def run(column: Column, bug: bool) -> str | None:
        if column[0] not in ("text", "ptx-exec"):
            return None
        body = list(case.texts())[at if bug else 0][1]
        arrays = case.arrays()
        text = kernel(body, len(arrays), case.chip)
        if column[0] == "text":
            return _linted(text)
        Program(text).launch([a.ctypes.data for a in arrays], case.grid, case.block, memory=memory(*arrays), cluster=case.cluster,
                             check=(column[1],) if column[1] else ())  # fmt: skip
        return ""

    short = re.sub(r"\s+", " ", what).strip().rstrip(";").split(";")[0]
    return Seed(f"{name}: without `{short}` ({at})", "ptx", run)


def _defined(name: str, wrong: str, right: str) -> Seed:
    def run(column: Column, bug: bool) -> str | None:
        if column[0] not in ("text", "ptx-exec"):
            return None
        text, x = kernel(test_defined.START + (wrong if bug else right) + test_defined.OUT), np.zeros(32, np.uint32)
        if column[0] == "text":
            return _linted(text)
        Program(text).launch([x.ctypes.data], (1, 1, 1), (32, 1, 1), memory=memory(x), check=(column[1],) if column[1] else ())
        return ""

    return Seed(f"uninitialized: {name}", "ptx", run, "nothing wrote it")


# What is wrong, and the right program beside it.
_TWINS = {
    "written in some lanes": "written in all lanes", "one way writes": "both ways write", "the other side": "the side that is chosen",
    "shared memory": "shared memory, then read", "local memory": "local memory, in parts", "a lane that has it not": "a lane that has it",
    "a row of a product": "rows of a product that are not kept",
}  # fmt: skip


def seeds() -> list[Seed]:
    found = [_removed(name, case, k, what) for name, case in watched.CASES.items() for k, (what, _) in enumerate(case.texts()) if what]
    found += [_defined(bug, test_defined.WRONG[bug][0], test_defined.RIGHT[twin]) for bug, twin in _TWINS.items()]
    return found + in_ptx.seeds()
