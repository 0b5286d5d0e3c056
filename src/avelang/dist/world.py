"""All ranks in one process: `World`."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from avelang.base import knobs
from avelang.base.errors import AveError, error
from avelang.base.places import argument_error
from avelang.dist.memory import ALIGNED, BYTES, CONTROL, Member, Places, Symmetric, give_up, late, numbered, view, words
from avelang.jit import JitFunction
from avelang.runtime import executed_ptx, ranked
from avelang.sim.ranks import RankedMemory

MOST = 8
EXECUTED = ("sm_80", "sm_90", "sm_90a", "sm_100a")  # chips whose PTX a `World` executes
BESIDE = ("cpu", "gfx942", "gfx950")  # where a rank's launch has a thread of its own
LIMIT = 30.0  # seconds that a launch may wait for other ranks


class World:
    """`ranks` ranks (1 to 8) in this process, with `bytes` bytes of symmetric memory each.

    `backend`: "cpu" (a thread for each rank), or "gfx942", whose code objects are executed in such threads;
    "reference", or a chip such as "sm_90a", whose PTX is executed: there the order of ranks follows `seed`, one drawn
    anew for each launch, and `races` says whether accesses that nothing orders are reported. `limit`: seconds after
    which waits of threads end with L080. Raises L066."""

    def __init__(
        self, ranks: int, *, backend: str = "cpu", bytes: int = BYTES, limit: float = LIMIT, seed: int = 0,
        races: bool = True,
    ):  # fmt: skip
        if not isinstance(ranks, int) or not 1 <= ranks <= MOST:
            raise argument_error(f"`ranks` is an int from 1 to {MOST}, got {ranks!r}")
        if backend not in ("reference", *BESIDE, *EXECUTED):
            raise argument_error(f'`backend` is "reference" or one of {(*BESIDE, *EXECUTED)}, got {backend!r}')
        self.ranks, self.backend, self.limit, self.seed, self.races = ranks, backend, limit, seed, races
        size = -(-max(bytes, 4 * CONTROL) // (2 * ALIGNED)) * 2 * ALIGNED
        self.heaps = [_aligned(size) for _ in range(ranks)]
        self._places = Places(size // 2, "each rank")  # the other half is for members
        self._memory = RankedMemory(self.heaps)
        at = [h.__array_interface__["data"][0] for h in self.heaps]
        self._tables = [words(r, at[r], [b - at[r] for b in at]) for r in range(ranks)]
        starts = self._memory.starts
        self._virtual = [words(r, starts[r], self._memory.deltas(r)) for r in range(ranks)]
        self.team = Each(self._tables)
        self._members: dict[int, WorldMember] = {}
        self.name = numbered("world")

    def empty(self, shape: int | Sequence[int], dtype: Any) -> Symmetric:
        """A tensor in symmetric memory, with zeros at first. Raises L082."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        offset = self._places.take(int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize)
        return Symmetric([view(h, offset, shape, dtype) for h in self.heaps], offset)

    zeros = empty

    def each(self, values: Sequence[Any]) -> Each:
        """An argument that is another one for each rank."""
        if len(values) != self.ranks:
            raise argument_error(f"one value for each of {self.ranks} ranks, {len(values)} given")
        return Each(values)

    def of(self, rank: int, value: Any) -> Any:
        """An argument of `launch` as a rank gets it."""
        return value[rank] if isinstance(value, (Each, Symmetric)) else value

    def launch(self, kernel: JitFunction, grid: Any, block: Any, *args: Any, absent: Sequence[int] = (),
               **kwargs: Any) -> None:  # fmt: skip
        """Launches a kernel on all ranks and waits for all of them. An argument is the same for all, or a `Symmetric`,
        or one for each (`each`); `world.team` is for the parameter of type `al.Ranks`. `absent`: ranks that do not come
        (the others' waits end after the time limit). Raises L080, and what a launch raises."""
        given = [([self.of(r, a) for a in args], {k: self.of(r, a) for k, a in kwargs.items()})
                 for r in range(self.ranks)]  # fmt: skip
        here = [r for r in range(self.ranks) if r not in absent]
        if self.backend not in BESIDE:
            self.together(kernel, (grid, block), given, here)
            return
        self._threads(kernel, (grid, block), given, here)

    def together(self, kernel: Any, at: Any, given: list[Any], here: Sequence[int] | None = None) -> None:
        """One launch of the ranks `here` (all, where left out) on the reference or of executed PTX: `given` has
        arguments and keywords of each rank."""
        everybody = list(range(self.ranks)) if here is None else list(here)
        if self.backend in BESIDE:
            self._threads(kernel, at, given, everybody)
            return
        if self.backend != "reference":
            self._executed(kernel, at, given, everybody)
            return
        self._tables_as(self._virtual)
        try:
            ranked.reference(kernel, at, given, self._memory, everybody, self.seed, self.races)
        finally:
            self._tables_as(None)
        self.seed += 1

    def _executed(self, kernel: Any, at: Any, given: list[Any], here: Sequence[int]) -> None:
        try:
            executed_ptx.ranked(kernel, at, given, self.heaps, here, self.backend, self.seed, self.races, self._give_up)
        except AveError:
            self._late(kernel)  # a wait that has ended in vain says more than the race behind it
            raise
        finally:
            self.seed += 1
        self._late(kernel)

    def alone(
        self, kernel: Any, at: Any, args: Sequence[Any], named: dict[str, Any], ranked: Any = None,
        rank: int | None = None,
    ) -> None:  # fmt: skip
        """One launch of one rank, by the thread that calls, beside those of others; `ranked`: which take turns."""
        if self.backend == "cpu":
            kernel[at](*args, **{"backend": "cpu", **named})
            return
        from avelang.runtime.executed_code import sharing  # what executes AMD's code takes long to import

        own = {k: v for k, v in named.items() if k != "backend"}
        with sharing([(h.ctypes.data, h.ctypes.data + h.nbytes, f"the symmetric memory of rank {r}")
                      for r, h in enumerate(self.heaps)], ranked, rank):  # fmt: skip
            kernel[at](*args, **{**own, "target": self.backend})

    def places(self, rank: int) -> Places:
        """Places of a member's tensors: behind those of the world, and each rank for itself."""
        own = Places(2 * self._places.size, f"rank {rank}")
        own.at = self._places.size
        return own

    def run(self, program: Callable[..., Any], *args: Any) -> list[Any]:
        """Runs `program(member, *args)` for each rank, in a thread each, and gives what they return, by rank; an
        argument is one for all, a `Symmetric`, or one for each. Raises what a rank raises; the others' waits end
        then, and members begin anew in the next run: what they had in symmetric memory is gone."""
        results: list[Any] = [None] * self.ranks
        failed: dict[int, BaseException] = {}
        meeting = Meeting(self)

        def run(rank: int) -> None:
            try:
                results[rank] = program(self._member(rank, meeting), *(self.of(rank, a) for a in args))
            except BaseException as e:  # raised below, in the thread that asked
                failed[rank] = e
                self._give_up()
                meeting.barrier.abort()

        in_threads(run, range(self.ranks))
        self._give_up(0)
        if failed:
            self._anew()
            raise first(failed)
        return results

    def _anew(self) -> None:
        """Forgets the members: ranks that were stopped somewhere count different numbers of calls."""
        self._members = {}
        for heap in self.heaps:
            heap[self._places.size :] = 0
        self._memory = RankedMemory(self.heaps)

    def _member(self, rank: int, meeting: Meeting) -> WorldMember:
        if rank not in self._members:
            self._members[rank] = WorldMember(self, rank)
        self._members[rank].meeting = meeting
        return self._members[rank]

    def _tables_as(self, other: list[np.ndarray] | None) -> None:
        """Puts the words of the reference's addresses into the tables, and back."""
        for r, table in enumerate(self._tables):
            if other is None:
                table[:] = self._real[r]
            else:
                self._real = [t.copy() for t in self._tables] if r == 0 else self._real
                table[:] = other[r]

    @property
    def lockstep(self) -> bool:
        """True where all ranks come to one launch at a time: they run in one thread, or take turns, so that races
        between them are found."""
        return self.backend not in BESIDE or self.backend != "cpu" and self.races and "races" in knobs.checks()

    def _ranked(self, here: Sequence[int]) -> Any:
        """What lets ranks of executed AMD code take turns; None where they run beside one another."""
        if not self.lockstep:
            return None
        from avelang.sim.amdgcn.ranked import Ranked

        self.seed += 1
        return Ranked(here, [(h.ctypes.data, h.ctypes.data + h.nbytes) for h in self.heaps], self.seed)

    def _threads(self, kernel: JitFunction, at: Any, given: list[Any], here: Sequence[int]) -> None:
        failed: dict[int, BaseException] = {}
        ranked = self._ranked(here)

        def run(rank: int) -> None:
            try:
                args, named = given[rank]
                self.alone(kernel, at, args, named, ranked, rank)
            except BaseException as e:  # shown below, in the thread that asked
                failed[rank] = e
                self._give_up()
            finally:
                if ranked is not None:
                    ranked.leave(rank)

        if self.backend == "cpu":
            for rank in here:
                load(kernel, at, *given[rank])
        with self._watched() as ended:
            in_threads(run, here)
        if ended.is_set():
            self._late(kernel)  # a wait that has ended in vain says more than the race behind it
        for e in failed.values():
            self._give_up(0)
            raise e
        self._late(kernel)

    def _late(self, kernel: Any) -> None:
        """Allows waits again. Raises L080 of the first rank one of whose waits has ended in vain."""
        found = [late(heap) for heap in self.heaps]
        self._give_up(0)
        for rank, fields in enumerate(found):
            if fields is not None:
                waited = f"{self.limit} s" if self.backend in BESIDE else "in vain"
                raise error("L080", kernel=kernel.source.name, rank=rank, seconds=waited, **fields)

    def _give_up(self, value: int = 1) -> None:
        for heap in self.heaps:
            give_up(heap, value)

    @contextlib.contextmanager
    def _watched(self) -> Iterator[threading.Event]:
        """Ends all waits after the time limit; gives what is set then."""
        ended = threading.Event()

        def end() -> None:
            ended.set()
            self._give_up()

        timer = threading.Timer(self.limit, end)
        timer.daemon = True
        timer.start()
        try:
            yield ended
        finally:
            timer.cancel()

    def __repr__(self) -> str:
        return f"<World of {self.ranks} ranks on {self.backend}{' of AVE_CHECK' if knobs.checks() else ''}>"


def load(kernel: Any, at: Any, args: Sequence[Any], named: dict[str, Any]) -> None:
    """Compiles what a launch of a rank on the CPU needs: time limits are of waits, not of a compiler."""
    kernel._launcher.prepare(at, tuple(args), {"backend": "cpu", **named})


class WorldMember(Member):
    """A rank of a `World`, in a thread of its own while `World.run` runs."""

    meeting: Meeting

    def __init__(self, world: World, rank: int):
        self.world, self.rank, self.ranks, self.limit = world, rank, world.ranks, world.limit
        self.heaps, self.team = world.heaps, world.team[rank]
        self.name = f"rank {rank} of {world.name}"
        self.copies = world.backend == "cpu"  # on the reference all ranks come to one launch at a time
        super().__init__()
        self._places = world.places(rank)

    def exchange(self, value: Any) -> list[Any]:
        """Each rank's value, by rank. Raises L083."""
        return self.meeting.exchange(self.rank, value)

    def launch(self, kernel: Any, grid: Any, block: Any, *args: Any, **kwargs: Any) -> None:
        """Launches a kernel on this rank; on the reference, when all ranks have come to it. Raises L080, L083."""
        world = self.world
        given = [self.own(a) for a in args], {k: self.own(v) for k, v in kwargs.items()}
        if world.lockstep:
            self.meeting.launch(self.rank, kernel, (grid, block), given)
            return
        if world.backend == "cpu":
            load(kernel, (grid, block), *given)
        timer = threading.Timer(self.limit, give_up, (self.heaps[self.rank],))
        timer.daemon = True
        timer.start()
        try:
            world.alone(kernel, (grid, block), *given)
        finally:
            timer.cancel()
        found = late(self.heaps[self.rank])
        if found is not None:
            raise error("L080", kernel=kernel.source.name, rank=self.rank, seconds=f"{self.limit} s", **found)


class Meeting:
    """The meeting of the threads of the ranks of `world`."""

    def __init__(self, world: Any):
        self.world, self.barrier = world, threading.Barrier(world.ranks)
        self.given: list[Any] = [None] * world.ranks
        self.failed: BaseException | None = None
        self._came = [0] * world.ranks  # how often each has been here

    def _wait(self, rank: int) -> int:
        self._came[rank] += 1
        try:
            return self.barrier.wait(self.world.limit)
        except threading.BrokenBarrierError:
            missing = [str(r) for r, n in enumerate(self._came) if n < self._came[rank]]
            who = f" for rank {' and '.join(missing)}" if missing else ""
            raise error("L083", rank=rank, seconds=self.world.limit, who=who) from None

    def exchange(self, rank: int, value: Any) -> list[Any]:
        """Each rank's value."""
        self.given[rank] = value
        self._wait(rank)
        out = list(self.given)
        self._wait(rank)
        return out

    def launch(self, rank: int, kernel: Any, at: Any, given: Any) -> None:
        """One launch of all ranks on the reference, by the thread that comes last."""
        self.given[rank] = given
        if self._wait(rank) == 0:
            try:
                self.failed = None
                self.world.together(kernel, at, list(self.given))
            except BaseException as e:  # raised in all threads
                self.failed = e
        self._wait(rank)
        if self.failed is not None:
            raise self.failed


class Each:
    """An argument that is another one for each rank."""

    def __init__(self, values: Sequence[Any]):
        self.values = tuple(values)

    def __getitem__(self, rank: int) -> Any:
        """The argument of a rank."""
        return self.values[rank]


def in_threads(run: Callable[[int], None], ranks: Sequence[int]) -> None:
    """Runs `run(rank)` in a thread for each rank, and waits for all."""
    threads = [threading.Thread(target=run, args=(r,), daemon=True) for r in ranks]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def first(failed: dict[int, BaseException]) -> BaseException:
    """The failure that came first: other ranks' waits ended by it."""
    late = ("L080", "L083")
    return next((e for e in failed.values() if getattr(e, "code", "") not in late), next(iter(failed.values())))


def _aligned(size: int) -> np.ndarray:
    """Zeros, uint8, that begin at a multiple of 256 bytes."""
    raw = np.zeros(size + ALIGNED, np.uint8)
    start = -raw.__array_interface__["data"][0] % ALIGNED
    return raw[start : start + size]
