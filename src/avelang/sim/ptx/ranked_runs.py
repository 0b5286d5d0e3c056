"""Launches of several ranks in the executor of PTX: programs, and the launch of each rank, come in; the memory that
they share is that of this machine, and in which order ranks have their turns is drawn from a seed.

Blocks of all ranks are under way beside one another, so that a kernel may wait for another rank. With checks, one log
of accesses is that of all ranks: accesses of two ranks race where no release and acquire at system scope order them.
What is ordered holds within a launch; launches are taken to come after one another."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np

from avelang.base.errors import AveError
from avelang.sim.ptx import reports
from avelang.sim.ptx.program import PtxProgram
from avelang.sim.ptx.run import CtaGroup, PtxLaunch, PtxRun
from avelang.sim.ptx.state import STEPS
from avelang.sim.ptx.watch import RaceWatch

PATIENCE = 400  # turns of all ranks in which no memory changes and no warp ends
BESIDE = 4  # clusters of a rank that are under way at a time, where all of them wait


class RankRun(PtxRun):
    """The launch of one rank, by turns."""

    def __init__(self, program: PtxProgram, launch: PtxLaunch, check: frozenset[str], rank: int):
        super().__init__(program, launch, check)
        self.device = rank
        c = self.clusters
        self.numbers = list(range(c[0] * c[1] * c[2]))
        self.started, self.free, self.running, self.idle = 0, [], [], 0
        self.ended = 0  # warps and clusters that have ended: what tells that it gets on

    @property
    def left(self) -> bool:
        """True while something is left to do."""
        return bool(self.running) or self.started < len(self.numbers)

    def advance(self) -> None:
        """One turn of each warp that is under way; one more cluster begins where those under way seem to wait."""
        if self.started < len(self.numbers) and (not self.running or self.idle >= BESIDE):
            group = self.free.pop() if self.free else CtaGroup(self)
            group.begin(self, self.numbers[self.started])
            self.running.append(group)
            self.started, self.idle, self.ended = self.started + 1, 0, self.ended + 1
        self.idle += 1
        for group in list(self.running):
            before = len(group.left)
            self.round(group)
            self.ended += before - len(group.left)
            if not group.left:
                self.running.remove(group)
                self.free.append(group)
                self._finish(group)


def watched(runs: Sequence[RankRun]) -> RaceWatch | None:
    """One log of the accesses of all ranks, which run one program; None where nothing is logged."""
    if runs[0].watch is None:
        return None
    own = runs[0].launch.names
    runs[0].launch.names = [name for run in runs for name in run.launch.names]
    made = RaceWatch(runs[0])
    runs[0].launch.names = own
    for run in runs:
        run.watch = made
    return made


def launch(programs: Sequence[PtxProgram], launches: Sequence[PtxLaunch], ranks: Sequence[int],
           shared: Sequence[np.ndarray], *, check: Sequence[str] = (), seed: int = 0,
           give_up: Callable[[], None] = lambda: None) -> None:  # fmt: skip
    """Runs one launch of each of `ranks` to its end. `shared`: the symmetric memory of all, uint8. `check`: words of
    `program.WORDS`; races between ranks are found where all run one program. `give_up()` is called where nobody gets on
    any more: it must end waits that look at memory. Raises what a launch raises; X034 for warps that wait for one
    another behind that."""
    words = frozenset(check)
    runs = [RankRun(p, at, words, r) for r, p, at in zip(ranks, programs, launches, strict=True)]
    log = watched(runs) if all(p is programs[0] for p in programs) else None
    order, idle, before = random.Random(seed), 0, None
    patience = PATIENCE * max(1, STEPS // max(1, max(run.made.said.steps for run in runs)) // 64)
    while any(run.left for run in runs):
        for run in order.sample(runs, len(runs)):
            if run.left:
                run.advance()
        now = (*(run.ended for run in runs), *(x.tobytes() for x in shared)) if idle % 8 == 0 else before
        idle = 0 if now != before else idle + 1
        before = now
        if idle == patience:
            give_up()
        if idle > 2 * patience:
            raise stuck(runs)
    if log is not None:
        log.memory.end()


def stuck(runs: Sequence[RankRun]) -> AveError:
    """The error X034 of warps of all ranks that wait."""
    left = [run for run in runs if run.left]
    return reports.deadlock(left[0].program, [w for run in left for g in run.running for w in g.left])
