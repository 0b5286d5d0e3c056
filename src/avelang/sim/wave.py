"""A wave while it runs: the mask of active lanes, values, and access to memory; it is the `ReferenceWave` that the
meaning of a row sees."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from avelang.base.errors import counted
from avelang.ir.core import Op
from avelang.ir.types import GLOBAL, LOCAL, SHARED
from avelang.isa.wave_protocol import orders, strong
from avelang.sim.address_space import AccessFault, AddressSpace, Mask
from avelang.sim.async_copies import CommitGroups, RunningCopy
from avelang.sim.barriers import (
    MAX_ARRIVALS,
    BarrierState,
    BlockSync,
    MBarrierState,
    Waiting,
    WarpgroupSync,
    WatchedMBarrier,
)
from avelang.sim.clocks import Clocks, VectorClock
from avelang.sim.grid import Grid, Who, ordered
from avelang.sim.races import Races
from avelang.sim.registers import AsyncProducts, Held
from avelang.sim.tensor_memory import BlockTensorMemory
from avelang.sim.write_conflicts import agree

Dim3 = tuple[int, int, int]
PEERS = 24  # bits: from here on, a shared address has the rank of the block that is meant, plus 1; 0 is the own block


@dataclasses.dataclass(frozen=True, slots=True)
class WaveShape:
    """The part of a wave that is the same in every block: its lanes within the block, and the threads they
    are."""

    index: int
    mask: Mask
    threads: tuple[np.ndarray, np.ndarray, np.ndarray]  # u32 (lanes,): x, y, z

    @staticmethod
    def of_block(block: Dim3, lanes: int) -> list[WaveShape]:
        """The waves of a block. Thread t = (z * bdy + y) * bdx + x is lane t % lanes of wave t // lanes; the rest are
        inactive."""
        x, y, z = block
        count = x * y * z
        out = []
        for i in range(-(-count // lanes)):
            t = np.arange(i * lanes, (i + 1) * lanes)
            threads = tuple(part.astype(np.uint32) for part in (t % x, t // x % y, t // (x * y)))
            for part in threads:
                part.flags.writeable = False  # every wave of this number sees the same array
            out.append(WaveShape(i, Mask(t < count), threads))  # type: ignore[arg-type]
        return out


@dataclasses.dataclass(slots=True)
class ReferenceBlock:
    """One block: its place in the grid, its shared memory, what the race detector saw of it, and where its waves
    wait."""

    index: Dim3
    shared: AddressSpace
    races: Races | None
    sync: BlockSync
    waves: list[ReferenceWave] = dataclasses.field(default_factory=list)
    tensor: BlockTensorMemory | None = None
    rank: int = 0


class ReferenceWave:
    """One wave of one block. `env` holds the values by slot; `mask` the lanes that execute; `op` the op that last
    touched memory; `number` is the wave's in its cluster; `products` are what matrix instructions do beside it, in
    kernels that have such instructions. `gone`: bool (lanes,), those that have returned. `grid`: what watches global
    memory, and with it all that lanes and waves do to one another, where races are looked for."""

    __slots__ = ("_arrived", "_fetched", "_found", "_groups", "_stores", "awaited", "awaits", "block", "changes",
                 "clocks", "env", "features", "gone", "grid", "lanes", "mask", "met", "number", "op", "products",
                 "shape", "spaces", "who")  # fmt: skip

    def __init__(
        self, shape: WaveShape, block: ReferenceBlock, env: list[Any], lanes: int, features: frozenset[str],
        memory: AddressSpace, local: AddressSpace
    ):
        self.shape = shape
        self.block = block
        self.env = env
        self.lanes = lanes
        self.features = features
        self.mask = shape.mask
        self.op: Op | None = None
        self.spaces = {GLOBAL: memory, SHARED: block.shared, LOCAL: local}
        self._groups: dict[str, CommitGroups] = {}
        self._arrived: tuple[int, VectorClock] | None = None  # at which generation of the cluster's barrier
        self._stores: dict[int, list[int]] = {}  # by lane: the agent that its bulk stores are, and how many there were
        self.number = block.sync.rank * block.sync.waves + shape.index
        self.clocks: Clocks | None = block.races.clocks if block.races is not None else None
        self.products: AsyncProducts | None = None
        block.waves.append(self)
        self.gone = ~shape.mask.active
        self.grid: Grid | None = None
        # how often the wave has changed memory; whether it waits for what other clusters write
        self.changes, self.awaits = 0, False
        self.awaited: np.ndarray | None = None  # by lane: the epoch for which it looks
        self._found: np.ndarray | None = None  # what its atomic access has read
        self.met: list[Op] = []  # barriers of the whole block to which the wave has come
        # a copy's reads of global memory, and what notes who has made them
        self._fetched: tuple[Op, Callable[[int, int], None]] | None = None
        place = self.number, block.index, shape.index, block.rank
        self.who = Who(self.clocks, *place) if self.clocks is not None else None

    @property
    def active(self) -> np.ndarray:
        """bool (lanes,): the lanes that execute."""
        return self.mask.active

    def load(self, space: str, address: np.ndarray, size: int, mask: Mask) -> np.ndarray:
        """uint8, address.shape + (size,), from int64 addresses (lanes,) or (lanes, n); anything in lanes outside the
        mask. Raises AccessFault."""
        if space == SHARED and self._remote(address, mask):
            return self._of_peers(address, mask, lambda block, at, some: block.load(at, size, some))
        data = self._found = self.spaces[space].load(address, size, mask)
        if space == SHARED and self.block.races is not None and self.op is not None:
            self.block.races.read(self.number, self.op, address, size, mask)
        elif space == LOCAL and self.products is not None:
            self.products.loaded(address, size, mask, self.op)
        elif space == GLOBAL and self.grid is not None and self.who is not None and self.op is not None:
            if strong(self.op.name):
                self.grid.atomic(self.who, self.op, address, size, mask, False)
            else:
                self.grid.read(self.who, self.op, address, size, mask)
        if self.clocks is not None and self.op is not None:
            self._orders(self.op, space, address, size, mask, False)
        return data

    def store(self, space: str, address: np.ndarray, data: np.ndarray, mask: Mask) -> None:
        """Writes uint8, address.shape + (size,), lanes in order. Raises AccessFault."""
        if space == SHARED and self._remote(address, mask):
            self._of_peers(address, mask, lambda block, at, some: block.store(at, data, some))
            return
        self.spaces[space].store(address, data, mask)
        if (
            self.op is None
            or "atomic" not in self.op.name
            or self._found is None
            or (self._found != data)[mask.active].any()
        ):
            self.changes += 1
        if self.grid is not None and self.op is not None:
            self._seen(self.grid, self.op, space, address, data, mask)
        if space == SHARED and self.block.races is not None and self.op is not None:
            self.block.races.write(self.number, self.op, address, data.shape[-1], mask)
        elif space == LOCAL and self.products is not None:
            self.products.stored(address, data.shape[-1], mask)
        # What it hands on holds this store too, so it comes last.
        if self.clocks is not None and self.op is not None:
            self._orders(self.op, space, address, data.shape[-1], mask, True)

    def _seen(self, grid: Grid, op: Op, space: str, address: np.ndarray, data: np.ndarray, mask: Mask) -> None:
        """The race detector looks at a store. Raises AccessFault."""
        if space != LOCAL and not strong(op.name):
            agree(self.spaces[space], address, data, mask)
        if space == GLOBAL and self.who is not None:
            if strong(op.name):
                grid.atomic(self.who, op, address, data.shape[-1], mask, True)
            else:
                grid.write(self.who, op, address, data.shape[-1], mask)

    def read(self, space: str, address: np.ndarray, nbytes: int, mask: np.ndarray) -> np.ndarray:
        """uint8 (lanes, nbytes) from byte addresses uint64 (lanes,); zeros outside of `mask` and in inactive lanes.
        Raises AccessFault, also for an atomic access that is not aligned."""
        wanted = self._mask(mask)
        if (
            wanted.count
            and self.op is not None
            and strong(self.op.name)
            and (odd := wanted.active & (address % np.uint64(nbytes) != 0)).any()
        ):
            lane = int(odd.argmax())
            raise self.wrong(
                lane, f"an atomic access of {nbytes} bytes at address {int(address[lane]):#x}, no multiple of {nbytes}"
            )
        if not wanted.count:
            return np.zeros((self.lanes, nbytes), np.uint8)
        data = self.load(space, _signed(address), nbytes, wanted)
        return data if wanted.full else np.where(wanted.active[:, None], data, np.uint8(0))

    def write(self, space: str, address: np.ndarray, data: np.ndarray, mask: np.ndarray) -> None:
        """Writes uint8 (lanes, nbytes), lanes in order, active lanes of `mask` only. Raises AccessFault."""
        wanted = self._mask(mask)
        if wanted.count:
            self.store(space, _signed(address), data, wanted)

    def _remote(self, address: np.ndarray, mask: Mask) -> bool:
        """Whether active lanes mean the shared memory of blocks by rank."""
        return len(self.block.sync.cluster.blocks) > 1 and bool((address[mask.active] >> PEERS > 0).any())

    def _of_peers(self, address: np.ndarray, mask: Mask, act: Callable[[AddressSpace, np.ndarray, Mask], Any]) -> Any:
        """What `act` gives for lanes of one address each, block by block."""
        out = None
        ranks = (address >> PEERS) - 1
        for rank in np.unique(ranks[mask.active]).tolist():
            some = Mask(mask.active & (ranks == rank))
            got = act(self._block(some.first, rank if rank >= 0 else None).shared, address & (1 << PEERS) - 1, some)
            out = got if out is None or got is None else np.where(some.active[:, None], got, out)
        return out

    def _mask(self, mask: np.ndarray) -> Mask:
        return Mask(np.broadcast_to(mask, (self.lanes,)) & self.mask.active)

    # -- what `isa.wave_protocol` promises ---

    def groups(self, kind: str) -> CommitGroups:
        """Groups of copies of one kind."""
        return self._groups.setdefault(kind, CommitGroups(self.lanes))

    def finish(self) -> None:
        """The wave's end. Raises AccessFault where something still runs that reads its block's shared memory or writes
        its registers."""
        self.block.sync.gone(self.clocks, self.number)
        for flight in self._groups["bulk"].left() if "bulk" in self._groups else ():
            self.op = flight.op
            raise self.wrong(
                int(flight.lanes[0]),
                "the wave has ended and nothing has waited for this copy: shared memory may be gone before it is read"
            )
        if self.grid is not None and not self.block.sync.live:
            self._all_met()
        left = self.products.left() if self.products is not None else None
        if left is not None:
            raise left
        sync, races = self.block.sync, self.block.races
        late = (
            races.ends(range(sync.rank * sync.waves, (sync.rank + 1) * sync.waves))
            if races is not None and not sync.live
            else None
        )
        if late is not None:
            self.op = late
            raise self.wrong(
                0,
                f"block {self.block.index}, whose shared memory this uses, may have ended by then: a barrier of the "
                f"cluster must "
                "stand behind the last use",
            )

    def _all_met(self) -> None:
        """The block ends. Raises AccessFault where a wave came to a barrier more often than another that ran to its
        end."""
        waves = self.block.waves
        fewest = min((w for w in waves if not w.gone.all()), key=lambda w: len(w.met), default=None)
        most = max(waves, key=lambda w: len(w.met))
        if fewest is not None and len(fewest.met) < len(most.met):
            ways = next((i for i, (a, b) in enumerate(zip(fewest.met, most.met, strict=False)) if a is not b),
                        len(fewest.met))
            self.op = most.met[ways]
            why = (
                f"wave {fewest.shape.index} of the block has ended without coming to as many barriers as wave "
                f"{most.shape.index}"
            )
            raise AccessFault("diverged", self.shape.mask.first, other=why)

    def begin(self, space: str, lanes: np.ndarray, at: np.ndarray, data: np.ndarray, *, rank: int | None = None,
              guard: np.ndarray | None = None,
              add: Any = None, ordinary: bool = False) -> RunningCopy:  # fmt: skip
        """Begins copies of `data` to the byte addresses `at` on behalf of `lanes`."""
        assert self.op is not None
        block = self.block if rank is None else self._block(int(lanes[0]), rank)
        home = block.shared if space == SHARED else self.spaces[space]
        races, reader = block.races if space == SHARED else None, None
        if guard is not None and self.block.races is not None:
            self.block.races.reads(self.number, self.op, lanes, guard)
            races, reader = self.block.races, self._store(int(lanes[0]))
            races.has_read(*reader, self.op, guard)
        if races is not None and space == SHARED and at.size:
            races.begun(self.number, self.op, lanes, at, ordinary)
        try:
            flight = RunningCopy.begin(self.op, home, lanes, at, data,
                                       self.block.shared if guard is not None else None, guard, add)
        except AccessFault as fault:
            fault.lane = int(lanes[fault.lane]) if fault.lane < len(lanes) else fault.lane
            raise
        flight.wave, flight.races, flight.reader = self.number, races, reader
        if self.grid is not None and self.who is not None:
            if space == GLOBAL and reader is not None and at.size:
                with _whose(lanes, at.shape[1]):
                    self.grid.begun(self.who, self.op, at.reshape(-1), *reader, add is not None)
            elif self._fetched is not None and self._fetched[0] is self.op:
                flight.fetched = self._fetched[1]
        return flight

    def _store(self, lane: int) -> tuple[int, int]:
        """One more bulk store of a lane: as whose clock counts it, and its count."""
        assert self.clocks is not None
        if lane not in self._stores:
            self._stores[lane] = [self.clocks.new_agent(), 0]
        self._stores[lane][1] += 1
        agent, count = self._stores[lane]
        return agent, count

    def _orders(self, op: Op, space: str, address: np.ndarray, size: int, mask: Mask, write: bool) -> None:
        """An atomic access that orders others hands on what the wave knows, or hears of what others did."""
        acquires, releases = orders(op.name, op.attrs)
        if releases if write else acquires:
            assert self.clocks is not None
            for word in np.unique(address[mask.active]).tolist():
                clock = self.block.sync.cluster.words.setdefault(
                    (space, self.block.sync.rank if space == SHARED else 0, word), VectorClock()
                )
                if write:
                    self.clocks.release(self.number, clock)
                else:
                    self.clocks.of[self.number].join(clock)
        if self.grid is not None and self.who is not None and strong(op.name):
            place = (self.block.rank, self.block.index) if space == SHARED else None
            words, first = np.unique(address[mask.active], return_index=True)
            # Signals are words of 4 bytes: of an access of another size there is no more to read than it touches.
            values = self._values(space, words, write and size == 4)
            if not write and self.awaited is not None:
                values = self.awaited[mask.active][first].tolist()
            ordered(self.grid.words, self.who, op, [(space, place, word) for word in words.tolist()], write, values)

    def _values(self, space: str, words: np.ndarray, write: bool) -> list[int | None]:
        """The 32 bits at each address of signals, which are in global memory; behind a write."""
        if space != GLOBAL or not write:
            return [None] * len(words)
        raw = self.spaces[space].load(words, 4, Mask(np.ones(len(words), bool)))
        return list(np.ascontiguousarray(raw).view(np.uint32).reshape(-1).tolist())

    def behind(self, space: str, address: np.ndarray, epochs: np.ndarray) -> None:
        """Raises AccessFault where a signal would be set back: `epochs`, by lane, are sent to the addresses."""
        for lane in np.flatnonzero(self.active).tolist():
            if self.spaces[space].holder(int(address[lane])) is None:
                return  # the store says so
            there, epoch = self._values(space, address[lane : lane + 1], True)[0] or 0, int(epochs[lane])
            if (epoch - there) % 2**32 >= 2**31:
                raise self.wrong(lane, f"it sets a signal back, which is {there}, to epoch {epoch}: a wait may miss it")

    def _block(self, lane: int, rank: int | None) -> ReferenceBlock:
        if rank is None:
            return self.block
        blocks = self.block.sync.cluster.blocks
        if rank >= len(blocks):
            raise self.wrong(lane, f"rank {rank} in a cluster of {len(blocks)} blocks")
        if not blocks[rank].sync.live:
            raise self.wrong(
                lane,
                f"block {blocks[rank].index} of the cluster has ended, and its shared memory with it: a barrier of "
                f"the cluster "
                "must stand behind the last use",
            )
        return blocks[rank]

    def make_mbarrier(self, lane: int, address: int, count: int | None) -> None:
        """An mbarrier at that address for `count` arrivals, or (None) none any more."""
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
        mbarriers[address] = MBarrierState(count, count)
        if self.clocks is not None and self.op is not None:
            mbarriers[address].agent, mbarriers[address].made = self.clocks.made(self.number, self.op)

    def mbarrier(self, lane: int, address: int, rank: int | None = None) -> WatchedMBarrier:
        """The mbarrier at that address, in the block of that rank."""
        block = self._block(lane, rank)
        found = block.sync.mbarriers.get(address)
        if found is None:
            raise self.wrong(
                lane, f"there is no mbarrier at address {address:#x}: nothing has called mbarrier_init for it"
            )
        if block.races is not None:
            block.races.made_known(self.number, found.made, lane, address, 8)
        return WatchedMBarrier(found, self.clocks, self.number,
                               None if block is self.block else lambda: self._visits(block))

    def _visits(self, block: ReferenceBlock) -> None:
        """The wave uses something of another block now."""
        if block.races is not None and block is not self.block and self.op is not None:
            block.races.visited(self.number, self.op)

    def _arrives(self, barrier: BarrierState, relaxed: bool = False) -> VectorClock:
        """What those know who wait at a barrier, once all have come."""
        if self.clocks is not None:
            self.clocks.release(self.number, barrier.clock, self.mask.count == self.shape.mask.count, relaxed)
        return barrier.clock

    def _hears(self, clock: VectorClock) -> None:
        if self.clocks is not None:
            self.clocks.of[self.number].join(clock)

    def barrier(self, number: int, threads: int, wait: bool, vote: int = 0) -> Waiting:
        """Arrives at a named barrier for so many threads, and waits there where `wait`; gives the sum of the votes."""
        sync, everyone = self.block.sync, not threads
        self._undivided()
        if everyone and self.op is not None:
            self.met.append(self.op)
        barrier = sync.barrier(number)
        if not everyone:
            barrier.agree(threads)
        self._in_turn(barrier, number)
        clock = self._arrives(barrier)
        barrier.votes += vote
        before = barrier.arrive(1, sync.live) if everyone else barrier.arrive(self.lanes, threads)
        if wait:
            yield lambda: barrier.generation != before
            self._hears(clock)
        return barrier.voted

    def _undivided(self) -> None:
        """Raises AccessFault where lanes that have not returned are not at the barrier to which the wave comes, where
        that is looked for."""
        missing = ~self.mask.active & ~self.gone
        if self.grid is None or not missing.any():
            return
        away = np.flatnonzero(missing).tolist()
        some = f"lane {away[0]}" if len(away) == 1 else f"{len(away)} lanes ({away[0]} to {away[-1]})"
        raise AccessFault("diverged", self.mask.first,
                          other=f"{some} of the wave took another way and do not come to it")

    def _in_turn(self, barrier: BarrierState, number: int) -> None:
        """Notes that the wave comes to a barrier; raises AccessFault where it may be too soon."""
        own = None if self.clocks is None else self.clocks.of[self.number]
        other = barrier.too_soon(self.number, own)
        if other == self.number:
            raise self.wrong(self.mask.first,
                    f"the wave comes to barrier {number} again, and not all have come that its first time waits for")
        if other is not None:
            why = (
                f"the wave may come to barrier {number} again before wave {other} has come for the last time: "
                f"nothing it has waited for says so"
            )
            raise self.wrong(self.mask.first, why)
        barrier.came[self.number] = 0 if own is None else int(own.knows[self.number])

    def cluster_arrive(self, relaxed: bool = False) -> None:
        """Arrives at the cluster's barrier."""
        if self._arrived is not None:
            raise self.wrong(self.mask.first,
                             "the wave has arrived at the cluster's barrier already, and has not waited")
        cluster = self.block.sync.cluster
        clock = self._arrives(cluster.barrier, relaxed)
        self._arrived = cluster.barrier.arrive(1, cluster.live), clock

    def cluster_wait(self) -> Waiting:
        """Waits at the cluster's barrier."""
        before, self._arrived = self._arrived, None
        if before is None:
            raise self.wrong(self.mask.first, "the wave waits at the cluster's barrier without having arrived")
        barrier = self.block.sync.cluster.barrier
        yield lambda: barrier.generation != before[0]
        self._hears(before[1])

    def fence_proxies(self) -> None:
        """A proxy fence by the active lanes."""
        if self.clocks is not None:
            if self.grid is not None:
                mine = int(self.clocks.of[self.number].knows[self.number])
                self.grid.proxies[self.clocks.cluster, self.number] = mine
            self.clocks.fence(self.number, self.active)

    def fence_memory(self, far: bool = False) -> None:
        """Accesses before and behind this are ordered, as the whole device sees them; `far`: as all GPUs do."""
        if self.clocks is not None:
            self.clocks.fence_memory(self.number, far)

    def fence_mbarriers(self) -> None:
        """Initializations of mbarriers are known to the cluster."""
        if self.clocks is not None:
            self.clocks.unfenced[self.number].clear()

    def place(self) -> tuple[Dim3, Dim3, Dim3, int]:
        """Extents of cluster, grid and this block's place, and its rank."""
        cluster = self.block.sync.cluster
        return cluster.extents, cluster.index, cluster.grid, self.block.sync.rank

    def fetch(self, space: str, address: np.ndarray, nbytes: int) -> np.ndarray:
        """Bytes at each address, read by a copy that runs beside the wave."""
        if space == GLOBAL and self.grid is not None and self.who is not None and self.op is not None:
            at = (address.astype(np.int64)[:, None] + np.arange(nbytes)).reshape(-1)
            with _whose(np.flatnonzero(self.active)[:1], at.size):
                self._fetched = self.op, self.grid.fetched(self.who, self.op, at)
        return self.spaces[space].load(address[None], nbytes, Mask(np.ones(1, bool)))[0]

    def peer(self, lane: int, rank: int, address: np.ndarray, nbytes: int,
             data: np.ndarray | None = None) -> np.ndarray:
        """Reads, or writes `data` to, shared memory of the block of that rank."""
        block, one = self._block(lane, rank), Mask(np.ones(1, bool))
        at = _signed(address)
        self._visits(block)
        if data is None:
            got = block.shared.load(at, nbytes, one)[0]
            if block.races is not None and self.op is not None:
                block.races.read(self.number, self.op, at, nbytes, one)
            return got
        block.shared.store(at, data[None], one)
        if block.races is not None and self.op is not None:
            block.races.write(self.number, self.op, at, nbytes, one)
        return data

    def warp(self) -> int:
        """The number of the wave in its block."""
        return self.shape.index

    def _group(self) -> WarpgroupSync:
        first = self.shape.index // 4 * 4
        if first + 4 > self.block.sync.waves:
            raise self.wrong(self.mask.first,
                    f"this needs the four warps {first} to {first + 3}; the block has {self.block.sync.waves} warps")
        return self.block.sync.groups.setdefault(first, WarpgroupSync())

    def meet(self, key: Any) -> Waiting:
        """Waits for the other warps of the warpgroup, which must agree on `key`; gives what they share."""
        assert self.op is not None
        if not self.mask.full:
            raise self.wrong(self.mask.first, "all lanes of a warp must execute this together")
        meeting = self._group()
        before, shared = meeting.come(self.op, key, 4, self.mask.first)
        yield lambda: meeting.barrier.generation != before
        return shared

    def multiply(self, shared: dict[str, Any], data: np.ndarray, shape: str, used: np.ndarray, own: np.ndarray) -> Held:
        """Begins a matrix product of the warpgroup beside the waves."""
        assert self.op is not None and self.products is not None
        meeting, races, lane = self._group(), self.block.races, np.zeros(1, np.int64)
        if races is not None and own.size:
            races.reads(self.number, self.op, lane, own[None])
        if "guard" not in shared:
            nothing, home = np.zeros((1, 0), np.int64), self.block.shared
            flight = RunningCopy.begin(self.op, home, lane, nothing, nothing.astype(np.uint8), home, used[None])
            if races is not None:
                meeting.agent = meeting.agent or races.clocks.new_agent()
                meeting.begun += 1
                flight.reader = meeting.agent, meeting.begun
                races.has_read(*flight.reader, self.op, used)
            shared["guard"] = flight
        return self.products.begin(self.op, data, shape, shared["guard"])

    def tensor(self, rank: int | None = None) -> BlockTensorMemory:
        """Tensor memory, made when it is first used."""
        block = self.block if rank is None else self._block(self.mask.first, rank)
        block.tensor = block.tensor or BlockTensorMemory()
        return block.tensor

    def wait_products(self, pending: int) -> None:
        """Waits until at most `pending` groups of products are running."""
        assert self.products is not None
        clocks = self.clocks

        def learn(guard: RunningCopy) -> None:
            if clocks is not None and guard.reader is not None:
                clocks.of[self.number].learn(*guard.reader)

        self.products.wait(pending, learn)

    def together(self) -> None:
        """Raises AccessFault where not all lanes that the wave has execute this."""
        missing = self.shape.mask.active & ~self.mask.active
        if missing.any():
            away = np.flatnonzero(missing).tolist()
            raise self.wrong(
                int(np.argmax(self.active)),
                f"all lanes execute this together, and {counted(len(away), 'lane')} of the wave "
                f"({away[0]}{', ...' if len(away) > 1 else ''}) took another way",
            )

    def wrong(self, lane: int, why: str) -> AccessFault:
        """The fault of a misuse by a lane."""
        return AccessFault("sync", lane, other=why)


@contextlib.contextmanager
def _whose(lanes: np.ndarray, nbytes: int) -> Iterator[None]:
    """Faults of copies name the lane on whose behalf a byte is copied: there are `nbytes` of each of `lanes`."""
    try:
        yield
    except AccessFault as fault:
        fault.lane = int(lanes[fault.lane // nbytes])
        raise


def _signed(address: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(address).view(np.int64) if address.dtype == np.uint64 else address.astype(np.int64)
