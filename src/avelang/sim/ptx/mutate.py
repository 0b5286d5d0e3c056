"""A program comes in; what becomes of its launch without one of its barriers, waits or fences goes out: who notices, or
why it does not matter.

What is left out is still executed as nothing, so the program is translated once. A test of an mbarrier that is left out
says that the phase is over. """

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from avelang.base.errors import AveError
from avelang.sim.ptx.code import Instr
from avelang.sim.ptx.program import PtxProgram, Ran


@dataclasses.dataclass(frozen=True, slots=True)
class OrderingPoint:
    """An instruction that orders others. `what`: "barrier", "wait" or "fence"."""

    index: int
    what: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(frozen=True, slots=True)
class MutantVerdict:
    """`by`: "checker", "numbers", or "" where nothing is wrong without it; `why`: the error, or the reason. `executed`:
    whether the launch came to it: if not, it says nothing."""

    point: OrderingPoint
    by: str
    why: str
    executed: bool = True


def _kind(i: Instr) -> str:
    """The first of these effects that the instruction has; of waits for other grids, which do nothing here, none."""
    return next((what for what in ("wait", "barrier", "fence") if i.entry.has(what) and i.entry.group != "grids"), "")


def points(program: PtxProgram) -> Iterator[OrderingPoint]:
    """Every barrier (of warps, blocks and clusters), wait (for cp.async, bulk copies, mbarriers, wgmma) and fence."""
    for i in program.code.instructions:
        kind = _kind(i)
        if kind:
            yield OrderingPoint(i.index, kind, program.quoted(i.index))


def judge(program: PtxProgram, point: OrderingPoint, right: Callable[[PtxProgram], tuple[Ran, bool]]) -> MutantVerdict:
    """Runs a program without `point`. `right` launches it with `check=("all",)`, `report="collect"`, and gives what the
    launch gave and whether its results are what they should be."""
    with program.without(point.index):
        try:
            ran, fine = right(program)
        except AveError as stopped:
            return MutantVerdict(point, "checker", f"[{stopped.code}] {stopped.message}")
    if ran.reports:
        return MutantVerdict(point, "checker", f"[{ran.reports[0].code}] {ran.reports[0].message}")
    if point.index not in ran.executed:
        return MutantVerdict(point, "", "not executed in this launch", False)
    return MutantVerdict(point, "" if fine else "numbers", _REASONS[point.what] if fine else "the results are wrong")


_REASONS = {
    "barrier": "redundant: all that the warps and lanes pass to one another here is ordered without it",
    "wait": "redundant: what it waits for is not used before something else waits for it",
    "fence": "redundant: nothing that it makes known is used by anybody who is not told otherwise",
}
