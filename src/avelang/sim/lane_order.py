"""Accesses of lanes to what other lanes of their wave have accessed: those of waves come in; which of them have no
barrier and no fence of the wave before them goes out.

Lanes of the reference run in step. Compiled code keeps the order of a lane's own accesses only, and NVIDIA's lanes may
drift apart (docs/language.md, "Lanes, waves and blocks")."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from avelang.ir.core import Op

Epoch = tuple[int, int, int]  # the cluster, the wave, and its count, which barriers and fences begin anew
_SEVERAL = -2


class _Last(NamedTuple):
    """For each byte the number of the last access, and its lane."""

    number: np.ndarray
    lane: np.ndarray


class LaneOrder:
    """The last lane that wrote each byte of some memory, and the last that read it."""

    def __init__(self, size: int):
        self._wrote, self._read = (_Last(np.zeros(size, np.int32), np.zeros(size, np.int16)) for _ in range(2))
        self._numbers: dict[tuple[Epoch, Op], int] = {}
        self._ops: list[Op | None] = [None]
        self._epochs: dict[Epoch, int] = {}
        self._epoch = np.zeros(64, np.int32)  # by number of an access

    def _now(self, epoch: Epoch, op: Op) -> tuple[int, int]:
        """The number of an access, and that of its epoch."""
        began = self._epochs.setdefault(epoch, len(self._epochs) + 1)
        number = self._numbers.get((epoch, op))
        if number is None:
            number = self._numbers[epoch, op] = len(self._ops)
            self._ops.append(op)
            if number == len(self._epoch):
                self._epoch = np.concatenate([self._epoch, np.zeros(number, np.int32)])
            self._epoch[number] = began
        return number, began

    def _clash(self, last: _Last, began: int, at: np.ndarray, lanes: np.ndarray) -> tuple[np.ndarray, Op] | None:
        seen = last.number[at]
        wrong = (self._epoch[seen] == began) & (last.lane[at] != lanes)
        if not wrong.any():
            return None
        op = self._ops[int(seen[wrong][0])]
        assert op is not None
        return wrong, op

    def read(self, epoch: Epoch, op: Op, at: np.ndarray, lanes: np.ndarray) -> tuple[np.ndarray, Op] | None:
        """Lanes of a wave read bytes `at`: which of these another lane has written in this epoch, by what; None where
        there is none."""
        number, began = self._now(epoch, op)
        found = self._clash(self._wrote, began, at, lanes)
        lanes = np.broadcast_to(lanes, at.shape)
        several = (self._epoch[self._read.number[at]] == began) & (self._read.lane[at] != lanes)
        self._read.number[at], self._read.lane[at] = number, lanes
        several |= self._read.lane[at] != lanes  # by one instruction
        self._read.lane[at[several]] = _SEVERAL
        return found

    def wrote(self, epoch: Epoch, op: Op, at: np.ndarray, lanes: np.ndarray) -> tuple[np.ndarray, Op] | None:
        """Lanes of a wave write bytes `at`: as `read`, of what others have written or read."""
        number, began = self._now(epoch, op)
        found = self._clash(self._wrote, began, at, lanes) or self._clash(self._read, began, at, lanes)
        self._wrote.number[at], self._wrote.lane[at] = number, lanes
        return found
