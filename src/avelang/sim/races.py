"""Data races on shared memory: the accesses of waves come in; a `Fault` goes out where two touch a byte between barriers and one writes."""

from __future__ import annotations

import numpy as np

from avelang.ir.core import Op
from avelang.sim.memory import Fault, Mask

_NOBODY, _SEVERAL = -1, -2


class Races:
    """Who read and who wrote each byte of a block's shared memory since the last barrier. Atomic rows order themselves and are left out."""

    def __init__(self, size: int):
        self.reader = np.full(size, _NOBODY, np.int32)
        self.writer = np.full(size, _NOBODY, np.int32)
        self.read_by = np.zeros(size, np.int32)  # the op of the access, as an index of `ops`
        self.write_by = np.zeros(size, np.int32)
        self.ops: list[Op] = []
        self.known: dict[Op, int] = {}

    def barrier(self) -> None:
        """What came before is ordered before what follows."""
        self.reader.fill(_NOBODY)
        self.writer.fill(_NOBODY)

    def _op(self, op: Op) -> int:
        if op not in self.known:
            self.known[op] = len(self.ops)
            self.ops.append(op)
        return self.known[op]

    def _check(self, who: np.ndarray, by: np.ndarray, wave: int, at: np.ndarray, address: np.ndarray, mask: Mask) -> None:
        clash = (who[at] != _NOBODY) & (who[at] != wave)
        if clash.any():
            hit = tuple(int(i[0]) for i in np.nonzero(clash))
            per = at.shape[-1]
            first = int(address[hit[:-1]])
            raise Fault(
                "race", mask.real(hit[0]), (hit[1] * per if len(hit) == 3 else 0) + hit[-1], first, per, other=self.ops[by[at[hit]]]
            )

    def read(self, wave: int, op: Op, address: np.ndarray, size: int, mask: Mask) -> None:
        """`wave` has read `size` bytes at each active address. Raises Fault."""
        self._access(wave, op, address, size, mask, False)

    def write(self, wave: int, op: Op, address: np.ndarray, size: int, mask: Mask) -> None:
        """`wave` has written them. Raises Fault."""
        self._access(wave, op, address, size, mask, True)

    def _access(self, wave: int, op: Op, address: np.ndarray, size: int, mask: Mask, write: bool) -> None:
        if "atomic" in op.name:
            return
        active = mask.active if address.ndim == 1 else mask.active[:, None]
        address = np.where(active, address, address[mask.first])
        at = address[..., None] + np.arange(size)
        self._check(self.writer, self.write_by, wave, at, address, mask)
        if write:
            self._check(self.reader, self.read_by, wave, at, address, mask)
            self.writer[at], self.write_by[at] = wave, self._op(op)
            return
        before = self.reader[at]
        self.reader[at] = np.where((before == _NOBODY) | (before == wave), wave, _SEVERAL)
        self.read_by[at] = self._op(op)
