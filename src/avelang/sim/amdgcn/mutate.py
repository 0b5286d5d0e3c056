"""A mutable machine comes in; what becomes of its kernel without one of its waits or barriers goes out: who notices, or
why it does not matter.

A wait that is switched off stays a wait state. Machines are made with `check=True, mutable=True` and compiled once for
all mutants.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np

from avelang.amdgcn.asm import AsmProgram, MCInst
from avelang.base.errors import AveError
from avelang.native import amdgcn as native
from avelang.sim.amdgcn import check_text as text
from avelang.sim.amdgcn.machine import AmdMachine

BOTH = native.SKIP_VM | native.SKIP_LGKM
FOUND = ("X024", "X025", "X026", "X040", "X041", "X042", "X043")  # codes of the checker


@dataclasses.dataclass(frozen=True, slots=True)
class MutationPoint:
    """A wait, one counter of a wait, or a barrier. `skip` is what `AmdMachine.skip` takes."""

    instruction: MCInst
    what: str
    counters: int = 0

    @property
    def skip(self) -> int:
        """The value of `AmdMachine.skip` that makes this mutation."""
        return self.instruction.index << 2 | self.counters

    def __str__(self) -> str:
        return f"{self.what} (line {self.instruction.line})"


@dataclasses.dataclass(frozen=True, slots=True)
class MutationVerdict:
    """`by`: who noticed, "checker" or "numbers"; "redundant" where nothing is wrong without it, which the checker has
    shown for this launch; "not executed" where the launch never came to it, so that nothing is said of it. `why`: the
    error, or the reason."""

    point: MutationPoint
    by: str
    why: str

    @property
    def caught(self) -> bool:
        """True if the checker or the results showed the mutation."""
        return self.by in ("checker", "numbers")


def points(program: AsmProgram) -> Iterator[MutationPoint]:
    """Every s_waitcnt, each counter of those that name two, and every s_barrier."""
    for i in program.instructions:
        if "barrier" in i.desc.classes:
            yield MutationPoint(i, i.name)
        elif "wait" in i.desc.classes:
            yield MutationPoint(i, " ".join(i.text.split()), BOTH)
            named = [
                (name, bit)
                for name, bit in (("vmcnt", native.SKIP_VM), ("lgkmcnt", native.SKIP_LGKM))
                if name in i.mods
            ]
            if len(named) > 1:
                yield from (
                    MutationPoint(i, f"s_waitcnt {name}({i.int(name)}) of `{' '.join(i.text.split())}`", bit)
                    for name, bit in named
                )


def judge(machine: AmdMachine, point: MutationPoint, right: Callable[[], bool]) -> MutationVerdict:
    """Runs a kernel without `point`. `right` launches it and says whether its results are what they should be."""
    machine.skip = point.skip
    try:
        fine = right()
    except AveError as stopped:
        return MutationVerdict(point, "checker" if stopped.code in FOUND else "numbers", str(stopped))
    finally:
        machine.skip = text.NOTHING
    met = _sum(machine, "met")
    if not fine:
        return MutationVerdict(point, "numbers", "the results are wrong")
    if found := [r for r in machine.reports if r.severity == "error"]:  # of a machine that collects
        return MutationVerdict(point, "checker", str(found[0].error))
    if met:
        return MutationVerdict(point, "redundant", reason(machine, point))
    return MutationVerdict(point, "not executed", "no wave of this launch comes to it")


def study(machine: AmdMachine, right: Callable[[], bool]) -> list[MutationVerdict]:
    """The verdicts on all points that the launch comes to."""
    return [v for p in points(machine.program) if (v := judge(machine, p, right)).by != "not executed"]


def _sum(machine: AmdMachine, name: str) -> int:
    """A counter of the last launch, over all workgroups."""
    return sum(int(r[text.OF_GROUP[name] :][:4].view(np.uint32)[0]) for r in machine.records)


def reason(machine: AmdMachine, point: MutationPoint) -> str:
    """Why the last launch, without `point`, went well."""
    if not point.counters:
        return (
            "redundant: what waves pass to one another through LDS and memory across it is ordered by the other "
            "barriers"
        )
    if not _sum(machine, "mattered"):
        return "redundant: what it waits for has come already, by earlier waits"
    count, start = len(machine.program.instructions), text.OF_GROUP["covered"]
    marks = np.flatnonzero(np.max([r[start : start + count + 1] for r in machine.records], axis=0))
    later = [
        f"`{' '.join(machine.instruction(int(n)).text.split())}` (line {machine.instruction(int(n)).line})"
        for n in marks
        if n < count
    ]
    ways = [f"{' or '.join(later)} waits for the same"] if later else []
    ways += ["the wave ends"] if count in marks else []
    return f"redundant: no register or LDS that it waits for is used before {', or before '.join(ways)}"
