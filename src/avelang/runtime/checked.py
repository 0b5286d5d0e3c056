"""Launches of checked kernels: the memory that a kernel measures its accesses against goes in; the error that its
record tells of comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from avelang.base import knobs
from avelang.base.errors import AveError
from avelang.ir.bounds_report import RECORD, MemoryRange, report
from avelang.runtime.arrays import Array


def wanted() -> int:
    """The checks that AVE_CHECK wants in kernels: 1 their accesses, 2 that operands are uniform, 3 both."""
    return knobs.check_bounds() + 2 * knobs.check_uniform()


def limits(array: Array) -> tuple[int, int]:
    """First and one-past-last address of an array's bytes, whatever its strides."""
    if array.dtype is None or array.size == 0:
        return array.address, array.address
    steps = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
    return array.address + sum(s for s in steps if s < 0), array.address + sum(
        s for s in steps if s > 0
    ) + array.dtype.bytes


def memories(named: Sequence[tuple[str, Array]]) -> list[MemoryRange]:
    """For each array the memory that it lies in: arrays that overlap are one, with all their names."""
    spans = [limits(array) for _, array in named]
    # Empty arrays come last, so that none stands between two that overlap.
    order = sorted(range(len(named)), key=lambda i: (named[i][1].size == 0, *spans[i]))
    groups: list[tuple[int, int, list[int]]] = []
    for i in order:
        low, high = spans[i]
        if groups and low < groups[-1][1] and high > low:
            first, last, members = groups.pop()
            groups.append((first, max(last, high), [*members, i]))
        else:
            groups.append((low, high, [i]))
    out: dict[int, MemoryRange] = {}
    for low, high, members in groups:
        found = MemoryRange("/".join(named[i][0] for i in sorted(members)), low, high - low)
        out.update(dict.fromkeys(members, found))
    return [out[i] for i in range(len(named))]


class CheckRecord:
    """The record of one launch of a kernel (`meta`: what the cache keeps of it), and the ranges behind it."""

    def __init__(self, meta: Mapping[str, Any], names: Sequence[str], values: Sequence[Any]):
        self.meta = meta
        self.arrays = memories([(name, v) for name, v in zip(names, values, strict=True) if isinstance(v, Array)])
        self.words = np.zeros(RECORD + 2 * len(self.arrays), np.int64)
        self.words[RECORD:] = [x for m in self.arrays for x in (m.start, m.start + m.size)]

    @property
    def address(self) -> int:
        """The address of the record, as the kernel gets it."""
        return int(self.words.__array_interface__["data"][0])

    def error(self) -> AveError | None:
        """The error for the first fault that the kernel recorded; None for none."""
        words = self.words.tolist()
        return report(self.meta["kernel"], self.meta["sites"], words, self.meta["block"], self.meta["wave"],
                      self.arrays)
