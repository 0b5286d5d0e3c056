"""A wave while it runs: the mask of active lanes, values, and access to memory; it is the `Wave` that the meaning of a row sees."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from avelang.ir.core import Op
from avelang.ir.types import GLOBAL, LOCAL, SHARED
from avelang.sim.memory import Mask, Space
from avelang.sim.races import Races

Dim3 = tuple[int, int, int]


@dataclasses.dataclass(frozen=True, slots=True)
class Shape:
    """What is the same for the wave of one number in every block: its lanes within the block, and the threads they are."""

    index: int
    mask: Mask
    threads: tuple[np.ndarray, np.ndarray, np.ndarray]  # u32 (lanes,): x, y, z

    @staticmethod
    def of_block(block: Dim3, lanes: int) -> list[Shape]:
        """The waves of a block. Thread t = (z * bdy + y) * bdx + x is lane t % lanes of wave t // lanes; the rest are inactive."""
        x, y, z = block
        count = x * y * z
        out = []
        for i in range(-(-count // lanes)):
            t = np.arange(i * lanes, (i + 1) * lanes)
            threads = tuple(part.astype(np.uint32) for part in (t % x, t // x % y, t // (x * y)))
            for part in threads:
                part.flags.writeable = False  # every wave of this number sees the same array
            out.append(Shape(i, Mask(t < count), threads))  # type: ignore[arg-type]
        return out


@dataclasses.dataclass(slots=True)
class BlockState:
    """One block: its place in the grid, its shared memory, and what the race detector saw since the last barrier."""

    index: Dim3
    shared: Space
    races: Races | None


class Wave:
    """One wave of one block. `env` holds the values by slot; `mask` the lanes that execute; `op` the op that last touched memory."""

    __slots__ = ("block", "env", "features", "lanes", "mask", "op", "shape", "spaces")

    def __init__(self, shape: Shape, block: BlockState, env: list[Any], lanes: int, features: frozenset[str], memory: Space, local: Space):
        self.shape = shape
        self.block = block
        self.env = env
        self.lanes = lanes
        self.features = features
        self.mask = shape.mask
        self.op: Op | None = None
        self.spaces = {GLOBAL: memory, SHARED: block.shared, LOCAL: local}

    @property
    def active(self) -> np.ndarray:
        """bool (lanes,): the lanes that execute."""
        return self.mask.active

    def load(self, space: str, address: np.ndarray, size: int, mask: Mask) -> np.ndarray:
        """uint8, address.shape + (size,), from int64 addresses (lanes,) or (lanes, n); anything in lanes outside the mask. Raises Fault."""
        data = self.spaces[space].load(address, size, mask)
        if space == SHARED and self.block.races is not None and self.op is not None:
            self.block.races.read(self.shape.index, self.op, address, size, mask)
        return data

    def store(self, space: str, address: np.ndarray, data: np.ndarray, mask: Mask) -> None:
        """Writes uint8, address.shape + (size,), lanes in order. Raises Fault."""
        self.spaces[space].store(address, data, mask)
        if space == SHARED and self.block.races is not None and self.op is not None:
            self.block.races.write(self.shape.index, self.op, address, data.shape[-1], mask)

    def read(self, space: str, address: np.ndarray, nbytes: int, mask: np.ndarray) -> np.ndarray:
        """uint8 (lanes, nbytes) from byte addresses uint64 (lanes,); zeros outside of `mask` and in inactive lanes."""
        wanted = self._mask(mask)
        if not wanted.count:
            return np.zeros((self.lanes, nbytes), np.uint8)
        data = self.load(space, _signed(address), nbytes, wanted)
        return data if wanted.full else np.where(wanted.active[:, None], data, np.uint8(0))

    def write(self, space: str, address: np.ndarray, data: np.ndarray, mask: np.ndarray) -> None:
        """Writes uint8 (lanes, nbytes), lanes in order, active lanes of `mask` only. Raises Fault."""
        wanted = self._mask(mask)
        if wanted.count:
            self.store(space, _signed(address), data, wanted)

    def _mask(self, mask: np.ndarray) -> Mask:
        return Mask(np.broadcast_to(mask, (self.lanes,)) & self.mask.active)


def _signed(address: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(address).view(np.int64) if address.dtype == np.uint64 else address.astype(np.int64)
