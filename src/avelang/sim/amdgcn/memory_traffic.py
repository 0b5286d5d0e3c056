"""A memory instruction comes in; calls that count the bytes which its lanes move go out, into the workgroup's
`profile`.

Counted is what active lanes ask for, each for itself: lanes that want one word do not share it, and a cache line is no
unit. Lanes that are out of a buffer's range ask for nothing. A lane's stack is not counted. Counters of the program's
instructions stand one after another: LDS cycles lost (`memory_banks`), bytes of global memory, bytes of LDS.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from avelang.amdgcn.asm import MCInst
from avelang.amdgcn.effects import SMEM, effects
from avelang.sim.amdgcn.memory_addresses import helper
from avelang.sim.amdgcn.state import GROUP
from avelang.sim.amdgcn.translator import BlockTranslator

LOST, MEMORY, LDS = range(3)  # rows of counters
KINDS = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes that lanes asked for. Of global memory by vector instructions: `loaded`, `stored`; by scalar ones: `scalar`
    (arguments of the kernel among them). Of LDS: `read`, `written`. An atomic operation counts as both."""

    loaded: int = 0
    stored: int = 0
    read: int = 0
    written: int = 0
    scalar: int = 0


def aim(t: BlockTranslator, i: MCInst, kind: int = MEMORY) -> None:
    """Says whose bytes are counted from here on."""
    profile = t.op(f"load ptr, ptr {t.field('g', GROUP['profile'])}, align 8")
    place = t.op(f"getelementptr i64, ptr {profile}, i64 {kind * len(t.code) + i.index}")
    t.do(f"store ptr {place}, ptr {t.field('g', GROUP['moved'])}, align 8")


def before(t: BlockTranslator, i: MCInst) -> None:
    """Directs the byte counter to an instruction that accesses global memory."""
    if i.desc.touches_global:
        aim(t, i)


def lds(t: BlockTranslator, i: MCInst, nbytes: int, lanes: str) -> None:
    """Counts an access to LDS of `lanes`, an i64."""
    aim(t, i, LDS)
    helper(t, "ave_moved")
    t.do(f"call void @ave_moved(ptr %g, i64 {lanes}, i64 {nbytes})")
    before(t, i)


def traffic(code: Sequence[MCInst], profile: np.ndarray) -> Traffic:
    """The sums; `profile`: int (kinds, instructions)."""
    sums = dict.fromkeys((f.name for f in dataclasses.fields(Traffic)), 0)
    for n in map(int, np.flatnonzero(profile[MEMORY:].any(axis=0))):
        i, memory, shared = code[n], int(profile[MEMORY, n]), int(profile[LDS, n])
        if i.desc.unit == SMEM:
            sums["scalar"] += memory
        else:
            sums["loaded"] += memory * (i.desc.access in ("load", "lds-load", "atomic"))
            sums["stored"] += memory * (i.desc.access in ("store", "lds-store", "atomic"))
        kind = effects(i).lds
        sums["read"] += shared * (kind != "write")
        sums["written"] += shared * (kind != "read")
    return Traffic(**sums)
