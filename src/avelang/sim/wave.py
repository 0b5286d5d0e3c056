"""A wave while it runs: the mask of active lanes, values, and access to memory; it is the `Wave` that the meaning of a row sees."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from avelang.ir.core import Op
from avelang.ir.types import GLOBAL, LOCAL, SHARED
from avelang.sim.flights import Flight, Groups
from avelang.sim.memory import Fault, Mask, Space
from avelang.sim.races import Races
from avelang.sim.sync import MAX_ARRIVALS, MBarrier, Meeting, Sync, Waiting

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
    """One block: its place in the grid, its shared memory, what the race detector saw since the last barrier, and where its waves wait."""

    index: Dim3
    shared: Space
    races: Races | None
    sync: Sync


class Wave:
    """One wave of one block. `env` holds the values by slot; `mask` the lanes that execute; `op` the op that last touched memory."""

    __slots__ = ("_arrived", "_groups", "block", "env", "features", "lanes", "mask", "op", "shape", "spaces")

    def __init__(self, shape: Shape, block: BlockState, env: list[Any], lanes: int, features: frozenset[str], memory: Space, local: Space):
        self.shape = shape
        self.block = block
        self.env = env
        self.lanes = lanes
        self.features = features
        self.mask = shape.mask
        self.op: Op | None = None
        self.spaces = {GLOBAL: memory, SHARED: block.shared, LOCAL: local}
        self._groups: dict[str, Groups] = {}
        self._arrived: int | None = None  # at which generation of the cluster's barrier

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

    # -- what `isa.machine` promises ---------------------------------------------------------------------------------------------

    def groups(self, kind: str) -> Groups:
        return self._groups.setdefault(kind, Groups(self.lanes))

    def finish(self) -> None:
        """The wave's end. Raises Fault where stores that read shared memory still run."""
        self.block.sync.gone()
        for flight in self._groups["bulk"].left() if "bulk" in self._groups else ():
            self.op = flight.op
            raise self.wrong(int(flight.lanes[0]), "the wave has ended and nothing has waited for this copy: shared memory may be gone before it "
                                                   "is read")

    def begin(self, space: str, lanes: np.ndarray, at: np.ndarray, data: np.ndarray, *, rank: int | None = None, guard: np.ndarray | None = None,
              add: Any = None) -> Flight:  # fmt: skip
        assert self.op is not None
        home = self.spaces[space] if rank is None else self._block(int(lanes[0]), rank).shared
        try:
            return Flight.begin(self.op, home, lanes, at, data, self.block.shared if guard is not None else None, guard, add)
        except Fault as fault:
            fault.lane = int(lanes[fault.lane]) if fault.lane < len(lanes) else fault.lane
            raise

    def _block(self, lane: int, rank: int | None) -> BlockState:
        if rank is None:
            return self.block
        blocks = self.block.sync.cluster.blocks
        if rank >= len(blocks):
            raise self.wrong(lane, f"rank {rank} in a cluster of {len(blocks)} blocks")
        return blocks[rank]

    def make_mbarrier(self, lane: int, address: int, count: int | None) -> None:
        if address % 8:
            raise self.wrong(lane, f"an mbarrier at address {address:#x}, no multiple of 8")
        mbarriers = self.block.sync.mbarriers
        if count is None:
            self.mbarrier(lane, address)
            del mbarriers[address]
            return
        if not 1 <= count <= MAX_ARRIVALS:
            raise self.wrong(lane, f"an mbarrier for {count} arrivals; 1 to {MAX_ARRIVALS} are possible")
        zero, only = np.zeros((self.lanes, 8), np.uint8), np.arange(self.lanes) == lane
        self.write(SHARED, np.full(self.lanes, address, np.uint64), zero, only)
        mbarriers[address] = MBarrier(count, count)

    def mbarrier(self, lane: int, address: int, rank: int | None = None) -> MBarrier:
        found = self._block(lane, rank).sync.mbarriers.get(address)
        if found is None:
            raise self.wrong(lane, f"there is no mbarrier at address {address:#x}: nothing has called mbarrier_init for it")
        return found

    def barrier(self, number: int, threads: int, wait: bool) -> Waiting:
        sync, everyone = self.block.sync, not threads
        barrier = sync.barrier(number)
        if everyone and self.block.races is not None:
            barrier.opened = self.block.races.barrier
        if not everyone:
            barrier.agree(threads)
        before = barrier.arrive(1, sync.live) if everyone else barrier.arrive(self.lanes, threads)
        if wait:
            yield lambda: barrier.generation != before

    def cluster_arrive(self) -> None:
        if self._arrived is not None:
            raise self.wrong(self.mask.first, "the wave has arrived at the cluster's barrier already, and has not waited")
        cluster = self.block.sync.cluster
        self._arrived = cluster.barrier.arrive(1, cluster.live)

    def cluster_wait(self) -> Waiting:
        before, self._arrived = self._arrived, None
        if before is None:
            raise self.wrong(self.mask.first, "the wave waits at the cluster's barrier without having arrived")
        barrier = self.block.sync.cluster.barrier
        yield lambda: barrier.generation != before

    def place(self) -> tuple[Dim3, Dim3, Dim3, int]:
        cluster = self.block.sync.cluster
        return cluster.extents, cluster.index, cluster.grid, self.block.sync.rank

    def fetch(self, space: str, address: np.ndarray, nbytes: int) -> np.ndarray:
        return self.spaces[space].load(address[None], nbytes, Mask(np.ones(1, bool)))[0]

    def peer(self, lane: int, rank: int, address: np.ndarray, nbytes: int, data: np.ndarray | None = None) -> np.ndarray:
        space, one = self._block(lane, rank).shared, Mask(np.ones(1, bool))
        if data is None:
            return space.load(_signed(address), nbytes, one)[0]
        space.store(_signed(address), data[None], one)
        return data

    def warp(self) -> int:
        return self.shape.index

    def meet(self, key: Any) -> Waiting:
        assert self.op is not None
        if not self.mask.full:
            raise self.wrong(self.mask.first, "all lanes of a warp must execute this together")
        first = self.shape.index // 4 * 4
        if first + 4 > self.block.sync.waves:
            raise self.wrong(self.mask.first, f"this needs the four warps {first} to {first + 3}; the block has {self.block.sync.waves} warps")
        meeting = self.block.sync.groups.setdefault(first, Meeting())
        before = meeting.come(self.op, key, 4, self.mask.first)
        yield lambda: meeting.barrier.generation != before

    def wrong(self, lane: int, why: str) -> Fault:
        return Fault("sync", lane, other=why)


def _signed(address: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(address).view(np.int64) if address.dtype == np.uint64 else address.astype(np.int64)
