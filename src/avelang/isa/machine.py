"""What the meanings of asynchronous and synchronizing rows may ask of the machine that executes them, beyond `row.Wave`."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Protocol

from avelang.base.lazy import np
from avelang.isa.row import Wave

Ready = Callable[[], bool]
# A meaning that waits is a generator: it yields a function that says when it may go on (None: at once, after the others had a turn).
Waiting = Generator["Ready | None", None, Any]


class MBarrier(Protocol):
    """An mbarrier object."""

    pending: int
    expected: int
    later: list[Callable[[], None]]

    def arrive(self, count: int, lane: int) -> None: ...
    def expect(self, count: int, lane: int) -> None: ...
    def deliver(self) -> None: ...
    def done(self, parity: int) -> bool: ...


class Flight(Protocol):
    """Copies that run."""

    def land(self, rows: np.ndarray | None = None) -> None: ...


class Groups(Protocol):
    """A wave's copies in groups."""

    def add(self, flight: Any) -> None: ...
    def commit(self, active: np.ndarray) -> None: ...
    def wait(self, active: np.ndarray, pending: int) -> None: ...
    def so_far(self, active: np.ndarray) -> list[tuple[Any, np.ndarray]]: ...


class Machine(Wave, Protocol):
    """A wave among others, with copies that run beside it."""

    def groups(self, kind: str) -> Groups:
        """The groups of copies of one kind: "cp.async" or "bulk"."""
        ...

    def begin(
        self, space: str, lanes: np.ndarray, at: np.ndarray, data: np.ndarray, *, rank: int | None = None, guard: np.ndarray | None = None,
        add: Any = None,
    ) -> Flight:  # fmt: skip
        """Begins copies: uint8 (rows, bytes) on behalf of `lanes` to byte addresses int64 (rows, bytes), in the shared memory of block `rank` of
        the cluster (None: this one). `guard`: addresses in own shared memory that must not change before they are there. `add`: the NumPy dtype of
        elements that are added to what is there."""
        ...

    def make_mbarrier(self, lane: int, address: int, count: int | None) -> None:
        """Makes an mbarrier; None ends it."""
        ...

    def mbarrier(self, lane: int, address: int, rank: int | None = None) -> MBarrier:
        """The mbarrier at an address, of block `rank` of the cluster."""
        ...

    def barrier(self, number: int, threads: int, wait: bool) -> Waiting:
        """Named barriers: the wave arrives at one, and waits."""
        ...

    def cluster_arrive(self) -> None:
        """The wave arrives at the barrier of its cluster."""
        ...

    def cluster_wait(self) -> Waiting:
        """Waits for what `cluster_arrive` announced."""
        ...

    def place(self) -> tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int], int]:
        """Of the cluster: its extents in blocks, its place among clusters, the clusters of the grid; and the block's rank in it."""
        ...

    def fetch(self, space: str, address: np.ndarray, nbytes: int) -> np.ndarray:
        """uint8 (n, nbytes) from int64 addresses (n,), whatever the lanes."""
        ...

    def peer(self, lane: int, rank: int, address: np.ndarray, nbytes: int, data: np.ndarray | None = None) -> np.ndarray:
        """Reads, or with `data` writes, uint8 (nbytes,) in the shared memory of block `rank`."""
        ...

    def warp(self) -> int:
        """The wave's number in its block."""
        ...

    def meet(self, key: Any) -> Waiting:
        """Waits until all four warps of the warpgroup are at this instruction with equal `key`."""
        ...

    def wrong(self, lane: int, why: str) -> Exception:
        """The error of a misuse that only shows while the kernel runs."""
        ...
