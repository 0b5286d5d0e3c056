"""The records of a traced launch come in (`DispatchParams.trace`); the instruction streams of its waves go out, for the
model of a compute unit (`amdgcn.cu`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from avelang.amdgcn.cu.stream import WaveStream
from avelang.native.amdgcn import TRACE_BLOCK, TRACE_GROUP, TRACE_LDS, TRACE_MEMORY


def streams(
    trace: np.ndarray, ranges: Sequence[tuple[int, int]], instructions: int
) -> list[list[WaveStream]]:  # fmt: skip
    """The waves of each workgroup. `trace`: uint64 records; `ranges`: the instructions of each block; `instructions`:
    how many the program has."""
    groups: list[dict[int, WaveStream]] = []
    starts: dict[int, int] = {}  # of each wave, where its last block begins in its stream
    blocks = [range(a, b) for a, b in ranges]
    kinds, waves = (trace >> np.uint64(60)).tolist(), (trace >> np.uint64(56) & np.uint64(15)).tolist()
    which = (trace >> np.uint64(24) & np.uint64(0xFFFFFFFF)).tolist()
    values = (trace & np.uint64(0xFFFFFF)).tolist()
    for kind, wave, n, value in zip(kinds, waves, which, values, strict=True):
        if kind == TRACE_GROUP:
            groups.append({})
            continue
        s = groups[-1].setdefault(wave, WaveStream())
        if kind == TRACE_BLOCK:
            starts[wave] = len(s.code)
            s.code.extend(blocks[n])
            continue
        index = n % instructions if kind == TRACE_MEMORY else n
        place = starts[wave] + index - s.code[starts[wave]]
        kept = s.lds if kind == TRACE_LDS else s.pieces
        kept[place] = kept.get(place, 0) + value
    return [[g[w] for w in sorted(g)] for g in groups]
