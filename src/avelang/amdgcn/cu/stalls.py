"""What a model of a CU found, for people: a result and its program come in; the share of the matrix pipes' time and
what waves waited for, by source line, go out, as a `CuReport`, as text, or as values for JSON."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from avelang.amdgcn.asm import AsmProgram, MCInst
from avelang.amdgcn.cu.model import CAUSES, CuResult, simulate
from avelang.amdgcn.cu.stream import WaveStream, loop_streams
from avelang.amdgcn.cu.timing import SIMDS, CuTimings, timings
from avelang.amdgcn.loops import NaturalLoop, loops
from avelang.isa.amdgpu.instructions import MATRIX

ROUNDS = 12  # iterations of the main loop where nothing was executed
NOTE = "A model of one compute unit, whose clock, caches and neighbors are not in it: no time on a card."


@dataclasses.dataclass(frozen=True, slots=True)
class CuLine:
    """A line of the source, or of the assembly where that names no source. `stalls`: clocks that waves waited there, by
    cause; `issued`: instructions; `matrix`: clocks for which they held matrix pipes."""

    where: str
    stalls: dict[str, int]
    issued: int
    matrix: int

    @property
    def stalled(self) -> int:
        """Clocks of all causes."""
        return sum(self.stalls.values())


@dataclasses.dataclass(frozen=True, slots=True)
class CuReport:
    """A kernel on one CU, by the model. `blocks`: workgroups at once, `waves`: of all of them; `executed`: the streams
    are what the waves executed, else the main loop repeated; `loop`: the share of the matrix pipes' time in the main
    loop, `share`: from start to end, None where nothing was executed; `clocks`, `stalls` (clocks of all waves),
    `issued` (instructions by kind); `lds`, `memory`: the share of time in which LDS and vector memory's addresses are
    served; `lines`: where waves wait longest, first; `timings`: the clocks that were assumed for the chip."""

    kernel: str
    chip: str
    blocks: int
    waves: int
    executed: bool
    loop: float | None
    share: float | None
    clocks: int
    stalls: dict[str, int]
    issued: dict[str, int]
    lds: float
    memory: float
    lines: tuple[CuLine, ...]
    timings: CuTimings

    @property
    def busy(self) -> float:
        """The share in the main loop; of the whole where there is none."""
        return self.loop if self.loop is not None else self.share or 0.0

    def part(self, cause: str) -> float:
        """The part of all waves' time that goes into waiting for one cause."""
        return self.stalls.get(cause, 0) / (self.clocks * self.waves) if self.clocks and self.waves else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Values for JSON, with the note that says what they are."""
        found = dataclasses.asdict(self)
        found["parts"] = {c: self.part(c) for c in self.stalls}
        return {"model": found, "note": NOTE}

    def text(self, lines: int = 12) -> str:
        """A page: shares, causes, and the lines at which waves wait longest."""
        groups = f"{self.blocks} work-group{'s' * (self.blocks != 1)}, {self.waves} waves"
        said = [f"{self.kernel} on a compute unit of {self.chip}, by the model: {groups}, loads of "
                f"{self.timings.memory_latency} clocks"]
        if self.loop is not None:
            said.append(f"  main loop       {self.loop:7.1%} of the matrix pipes' time")
        if self.share is not None:
            said.append(f"  start to end    {self.share:7.1%} of {self.clocks:,} clocks")
        said.append(f"  LDS served in   {self.lds:7.1%}, vector memory in {self.memory:.1%} of the time")
        said.append("waves wait for (part of their time):")
        said += [f"  {c:<15} {self.part(c):7.1%}" for c in sorted(self.stalls, key=lambda c: -self.stalls[c])]
        said.append("where (clocks of all waves):")
        for line in self.lines[:lines]:
            causes = ", ".join(f"{c} {n:,}" for c, n in sorted(line.stalls.items(), key=lambda x: -x[1])[:3])
            said.append(f"  {line.stalled:10,}  {line.where}: {causes}")
        return "\n".join([*said, NOTE])


def _where(i: MCInst) -> str:
    if i.source and i.source[1]:
        return f"{i.source[0]}:{i.source[1]}"
    return f"line {i.line}: {' '.join(i.text.split())}"


def _lines(code: Sequence[MCInst], result: CuResult, counts: Counter[int]) -> tuple[CuLine, ...]:
    stalls: dict[str, Counter[str]] = {}
    issued: Counter[str] = Counter()
    matrix: Counter[str] = Counter()
    for n, times in counts.items():
        issued[_where(code[n])] += times
    for n, clocks in result.held.items():
        matrix[_where(code[n])] += clocks
    for (n, cause), clocks in result.stalls.items():
        stalls.setdefault(_where(code[n]), Counter())[cause] += clocks
    found = [CuLine(w, {c: stalls.get(w, Counter())[c] for c in CAUSES if stalls.get(w, Counter())[c]}, issued[w],
                    matrix[w]) for w in issued]
    return tuple(sorted(found, key=lambda x: (-x.stalled, x.where)))


def _header(program: AsmProgram, kernel: str, counts: Counter[int]) -> int:
    """The first instruction of the loop that executes the most matrix instructions, of those without loops inside; -1
    where none does."""

    def executed(loop: NaturalLoop) -> int:
        return sum(counts[n] for n in loop.indices if program.instructions[n].desc.unit == MATRIX)

    best = max((x for x in loops(program, kernel) if x.inner), key=executed, default=None)
    return best.header if best is not None and executed(best) else -1


def report(
    program: AsmProgram, kernel: str, blocks: Sequence[Sequence[WaveStream]], t: CuTimings, executed: bool = True,
    stagger: int = 0,
) -> CuReport:  # fmt: skip
    """Runs the model on streams of waves; see `CuReport`."""
    counts = Counter(n for b in blocks for s in b for n in s.code)
    r = simulate(program.instructions, blocks, t, stagger, _header(program, kernel, counts))
    return CuReport(
        kernel, t.chip, len(blocks), r.waves, executed, r.loop, r.share if executed else None, r.clocks, r.causes,
        r.issued, r.lds / r.clocks if r.clocks else 0.0, r.memory / r.clocks if r.clocks else 0.0,
        _lines(program.instructions, r, counts), t,
    )  # fmt: skip


def of_loop(program: AsmProgram, chip: str, kernel: str, threads: int, groups: int, **changed: int) -> CuReport | None:
    """The main loop of as many work-groups as fit on a CU, `ROUNDS` times: nothing is executed, LDS has no conflicts,
    and both sides of an `if` in the loop are taken. None where there is no loop. `changed`: of `CuTimings`."""
    streams = loop_streams(program, kernel, max(1, math.ceil(threads / 64)), ROUNDS)
    blocks = [streams] * max(1, groups)
    return report(program, kernel, blocks, timings(chip, **changed), False) if streams else None


__all__ = ["NOTE", "ROUNDS", "SIMDS", "CuLine", "CuReport", "of_loop", "report"]
