"""A kernel's main loop on the model of a CU, step by step: a program comes in; what each wave issues and waits for,
clock by clock, over some iterations, goes out."""

from __future__ import annotations

import dataclasses
import math

from avelang.amdgcn.asm import AsmProgram
from avelang.amdgcn.cu.model import CuModel, CuRecord
from avelang.amdgcn.cu.stalls import ROUNDS
from avelang.amdgcn.cu.stream import WaveStream, loop_streams
from avelang.amdgcn.cu.timing import SIMDS, timings
from avelang.amdgcn.loops import entry, main_loop

SHOWN = 2  # iterations, behind the first ones, in which queues fill
SETTLED = 5


@dataclasses.dataclass(frozen=True, slots=True)
class CuTimeline:
    """Some clocks of a CU, by the model. `waves`: the SIMD of each; `issued` and `waits` as of `CuRecord`, with clocks
    from 0; `clocks`: how many are shown, `iterations` of the loop in them (0: the code has no loop, and is shown
    once); `stalled`: the part of all waves' time that goes into waiting at each instruction, by its index, over the
    whole run."""

    chip: str
    waves: tuple[int, ...]
    clocks: int
    iterations: int
    issued: tuple[tuple[int, int, str, int, int], ...]
    waits: tuple[tuple[int, int, str, int, int], ...]
    stalled: dict[int, float]


def timeline(program: AsmProgram, chip: str, kernel: str, threads: int, groups: int) -> CuTimeline | None:
    """The main loop of `groups` work-groups, as `stalls.of_loop` has it; where the code has no loop, its instructions
    once, in the order of the text. None for an empty program."""
    waves = max(1, math.ceil(threads / 64))
    streams = loop_streams(program, kernel, waves, ROUNDS)
    loop = main_loop(program, kernel)
    header = loop.header if loop is not None else -1
    if not streams:
        code = list(range(entry(program, kernel), len(program.instructions)))
        streams = [WaveStream(list(code)) for _ in range(waves)]
    if not streams[0].code:
        return None
    model = CuModel(program.instructions, [streams] * max(1, groups), timings(chip), header=header)
    model.record = CuRecord()
    found = model.run()
    rounds = model.waves[0].rounds
    iterations = SHOWN if len(rounds) > SETTLED + SHOWN else 0
    first, last = (rounds[SETTLED], rounds[SETTLED + SHOWN]) if iterations else (0, found.clocks)

    def inside(steps: list[tuple[int, int, str, int, int]]) -> tuple[tuple[int, int, str, int, int], ...]:
        return tuple(
            (w, n, k, max(a, first) - first, min(b, last) - first) for w, n, k, a, b in steps if b > first and a < last
        )

    stalled: dict[int, float] = {}
    for (n, _), clocks in found.stalls.items():
        stalled[n] = stalled.get(n, 0.0) + clocks / (found.clocks * found.waves)
    simds = tuple(n % SIMDS for n in range(found.waves))
    return CuTimeline(
        chip, simds, last - first, iterations, inside(model.record.issued), inside(model.record.waits), stalled
    )
