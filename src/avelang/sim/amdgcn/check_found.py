"""What the checker has noted (`native/amdgcn/found.c`): the table in memory comes in, faults go out."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Iterator

import numpy as np

from avelang.native.amdgcn import Findings

BYTES = ctypes.sizeof(Findings)


@dataclasses.dataclass(frozen=True, slots=True)
class FaultRecord:
    """A fault that stopped a wave, or would have: a code of `faults`, the instruction's index, and what the code says
    that the rest means."""

    code: int
    instruction: int
    lane: int
    wave: int
    address: int
    extra: int
    group: tuple[int, int, int]
    times: int = 1
    severe: bool = True


def found(table: np.ndarray) -> Iterator[FaultRecord]:
    """The faults of a table, in the order in which they were first met."""
    noted = Findings.from_address(table.ctypes.data)
    for f in noted.entries[: noted.count]:
        x, y, z = f.group
        yield FaultRecord(f.code, f.instruction, f.lane, f.wave, f.address, f.extra, (x, y, z), f.times, bool(f.severe))
