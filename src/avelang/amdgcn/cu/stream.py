"""Instruction streams of waves: what the model executes. A loop of a program comes in, repeated; or the records of an
executed workgroup (`sim.amdgcn.trace` makes those)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from avelang.amdgcn.asm import AsmProgram
from avelang.amdgcn.loops import main_loop

UNKNOWN = -1


@dataclasses.dataclass(slots=True)
class WaveStream:
    """The instructions of one wave, one after another, by their index in the program. `lds`: clocks that an access
    keeps LDS busy, `pieces`: 64 bytes of global memory each, by the position in `code`; what stands in neither costs
    what the instruction's own bytes do."""

    code: list[int] = dataclasses.field(default_factory=list)
    lds: dict[int, int] = dataclasses.field(default_factory=dict)
    pieces: dict[int, int] = dataclasses.field(default_factory=dict)


def loop_streams(program: AsmProgram, kernel: str | None, waves: int, rounds: int) -> list[WaveStream]:
    """The main loop of a kernel, `rounds` times, for so many waves alike: its instructions in the order of the text
    (both sides of an `if` in it), LDS without conflicts, loads of whole lines. Empty where there is no loop."""
    loop = main_loop(program, kernel)
    if loop is None:
        return []
    code = loop.indices * rounds
    return [WaveStream(list(code)) for _ in range(waves)]


def repeated(streams: Sequence[WaveStream], blocks: int) -> list[list[WaveStream]]:
    """The same workgroup, so many times: what a CU holds at once."""
    return [list(streams) for _ in range(blocks)]
