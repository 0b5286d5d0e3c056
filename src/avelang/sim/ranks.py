"""Several ranks on the reference: a kernel, each rank's arguments and their symmetric memory come in; what the launches
say is left there, in one order of many that is drawn from a seed.

Each rank is a launch of `sim.reference` with registers, shared memory and arrays of its own; global memory is one
address space, so that a rank reaches the memory of another by its address. What a rank knows of others comes by words
that both sides use with system scope. Launches of one rank come after one another, as on a stream; between those of two
ranks nothing is ordered that no signal orders, whatever the order in which they are executed here."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from avelang.ir.core import Kernel
from avelang.ir.types import GLOBAL
from avelang.sim.address_space import APART, AddressSpace, Alloc, Buffer, bounds_of, map_arrays
from avelang.sim.clocks import Views, learned
from avelang.sim.grid import Grid
from avelang.sim.reference import HANDLERS, Launch, Turn, bind, dim3, named_arrays, stuck
from avelang.sim.reference_program import ReferenceProgram

PATIENCE = 50  # rounds over all ranks in which nobody gets on, before all wait for ever
BESIDE = 64  # clusters of a rank that are under way at a time: more wait, as blocks do for room on a GPU


class RankedMemory:
    """The symmetric memory of `ranks` ranks, uint8 arrays of one size, and what is known of accesses to it from one
    launch to the next. A launch takes place at addresses of its own: `deltas(rank)` are the distances between ranks."""

    def __init__(self, heaps: Sequence[np.ndarray]):
        self.heaps = list(heaps)
        self.starts = [APART * (1 + r) for r in range(len(heaps))]
        self.past: list[Views] = [{} for _ in heaps]
        self.grid: Grid | None = None
        self.clusters = 0

    def deltas(self, rank: int) -> list[int]:
        """Bytes from a rank's symmetric memory to that of each."""
        return [start - self.starts[rank] for start in self.starts]

    def address(self, array: np.ndarray) -> int | None:
        """The address of an array that lies in symmetric memory; None for any other."""
        low, high = bounds_of(array)
        for start, heap in zip(self.starts, self.heaps, strict=True):
            first, last = bounds_of(heap)
            if first <= low and high <= last and high > low:
                return start + array.__array_interface__["data"][0] - first
        return None

    def space(self, arrays: list[tuple[str, np.ndarray]]) -> tuple[AddressSpace, list[int]]:
        """The global memory of a launch: symmetric memory, and behind it the other arrays. With the address of each."""
        inside = [self.address(a) for _, a in arrays]
        others, places = map_arrays([x for x, at in zip(arrays, inside, strict=True) if at is None])
        shift = APART * (1 + len(self.heaps))
        allocs = [Alloc(f"symmetric memory of rank {r}", start, heap.size)
                  for r, (start, heap) in enumerate(zip(self.starts, self.heaps, strict=True))]  # fmt: skip
        allocs += [Alloc(a.name, a.start + shift, a.size, a.writable) for a in others.allocs]
        left = iter(places)
        addresses = [next(left) + shift if at is None else at for at in inside]
        return AddressSpace(GLOBAL, allocs, [*map(Buffer, self.heaps), *others.buffers]), addresses

    def watched(self, memory: AddressSpace) -> Grid:
        """The detector of a launch's races: of symmetric memory it knows what earlier launches did."""
        new, old = Grid(memory, several=True), self.grid
        if old is not None:
            n, end = sum(h.size for h in self.heaps), self.starts[-1] + APART
            for name in ("writer", "reads", "atomics", "loads"):
                getattr(new, name)[:n] = getattr(old, name)[:n]
            for name in ("accesses", "proxies", "_numbers", "_sets", "_ids", "_grown"):
                setattr(new, name, getattr(old, name))
            new.words = {place: word for place, word in old.words.items() if place[0] == GLOBAL and place[2] < end}
        self.grid = new
        return new


def run(
    kernels: Sequence[Kernel], args: Sequence[Sequence[Any]], grid: Any, block: Any, memory: RankedMemory, *,
    ranks: Sequence[int], seed: int = 0, races: bool = True, stdout: Any = None,
) -> None:  # fmt: skip
    """Runs one launch of each of `ranks`. `kernels[i]`: of rank ranks[i], one function specialized as its arguments ask
    for. `args[i]`: those of this rank, as `reference.run` takes them; the words of `al.Ranks` must hold
    `memory.deltas(r)`. `seed`: of the order in which ranks arrive and blocks take turns.

    Raises as `reference.run`; X040 also for accesses of two ranks that nothing orders."""
    extents = dim3(block)
    for kernel in kernels:
        kernel.expect(extents)
    with np.errstate(all="ignore"):
        programs = [ReferenceProgram(kernel, dim3(grid), extents, HANDLERS, stdout or sys.stdout) for kernel in kernels]
        named = [named_arrays(p, given) for p, given in zip(programs, args, strict=True)]
        space, addresses = memory.space(
            [(f"{name} of rank {r}", a) for r, x in zip(ranks, named, strict=True) for name, a in x]
        )
        watched, left = memory.watched(space) if races else None, iter(addresses)
        cluster, launches = kernels[0].cluster, []
        count = int(np.prod([a // b for a, b in zip(dim3(grid), cluster, strict=True)]))
        for r, p, given, arrays in zip(ranks, programs, args, named, strict=True):
            p.ranks = max(2, len(args))
            bind(p, given, [next(left) for _ in arrays])
            launches.append(Launch(p, space, "random", seed + r, races, watched, r, memory.clusters, memory.past[r]))
            memory.clusters += count
        _World(launches, cluster, count, seed).all()
        for r, launch in zip(ranks, launches, strict=True):
            for clocks in launch.clocks:
                for wave in range(clocks.waves):
                    learned(memory.past[r], clocks.view(wave))


class _World:
    """The launches of all ranks, under way beside one another."""

    def __init__(self, launches: list[Launch], cluster: tuple[int, int, int], count: int, seed: int):
        self.launches, self.cluster, self.count = launches, cluster, count
        self.random = random.Random(seed)
        self.live: list[list[list[Turn]]] = [[] for _ in launches]
        self.begun = [0] * len(launches)

    def all(self) -> None:
        """Runs them to their end. The order of ranks is drawn anew each time that somebody has got on. Raises X011."""
        idle = 0
        while True:
            left = [r for r in range(len(self.launches)) if self.live[r] or self.begun[r] < self.count]
            if not left:
                return
            self.random.shuffle(left)
            if any(self._advance(r) for r in left):
                idle = 0
                continue
            idle += 1
            if idle > PATIENCE:
                waves = [(self.launches[r].p, t.wave) for r in left for live in self.live[r] for t in live]
                raise stuck(waves)

    def _advance(self, rank: int) -> bool:
        """Lets a rank get on, which begins a cluster where all those under way wait. Says whether anything happened."""
        launch, live = self.launches[rank], self.live[rank]
        self.random.shuffle(live)
        for cluster in list(live):
            moved = launch.rounds(cluster)
            if not cluster:
                live[:] = [x for x in live if x]
            if moved:
                return True
        if self.begun[rank] == self.count or len(live) >= BESIDE:
            return False
        live.append(self._begin(rank))
        return True

    def _begin(self, rank: int) -> list[Turn]:
        n, (ex, ey, ez) = self.begun[rank], self.cluster
        nx, ny, _ = (a // b for a, b in zip(self.launches[rank].p.grid, self.cluster, strict=True))
        self.begun[rank] += 1
        return self.launches[rank].cluster(n, (n % nx * ex, n // nx % ny * ey, n // (nx * ny) * ez), self.cluster)
