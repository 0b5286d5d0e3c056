"""What the meanings of asynchronous and synchronizing rows may ask of the machine that executes them, beyond
`row.Wave`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, Protocol

from avelang.base.lazy import np
from avelang.isa.row import Wave

Ready = Callable[[], bool]
# A meaning that waits is a generator: it yields a function that says when it may go on (None: at once, after the others
# had a turn).
Waiting = Generator["Ready | None", None, Any]


PRODUCTS = "nvvm.wgmma_"  # so names of rows begin that ask for `Machine.products`,
# and so those that use shared memory by the async proxy (PTX ISA 9.0, 9.7.9.25.2 and 9.7.15.5).
ASYNC_PROXY = (PRODUCTS, "nvvm.tma_", "nvvm.cp_async_bulk_", "nvvm.tcgen05_mma_", "nvvm.tcgen05_cp_")


def strong(name: str) -> bool:
    """True for a row whose accesses are meant to race: atomics, and loads and stores that order others."""
    return "atomic" in name or name.startswith(("nvvm.ld_acquire_", "nvvm.st_release", "system."))


def orders(name: str, attrs: Mapping[str, Any]) -> tuple[bool, bool]:
    """The accesses that a row's own accesses order: (those behind it, those before it)."""
    if "atomic" in name:
        order = attrs.get("order", 0)
    else:
        order = 1 if name.startswith(_ACQUIRE) else 2 if name.startswith(_RELEASE) else 0
    return bool(order & 1), bool(order & 2)


_ACQUIRE = ("nvvm.ld_acquire_", "system.load_acquire_", "system.load_signal")
_RELEASE = ("nvvm.st_release", "system.store_release", "system.send_signal")
WORKGROUP, AGENT, SYSTEM = 0, 1, 2  # scopes, as in `amdgpu.AtomicScope`


def scope(name: str, attrs: Mapping[str, Any]) -> int:
    """The scope within which a row's atomic accesses are atomic, and order: PTX's rows say `.gpu`, an AMD row has an
    argument; rows of `al.system` are for all GPUs. A cluster counts as the device."""
    found = SYSTEM if name.startswith("system.") else int(attrs.get("scope", AGENT))
    return AGENT if found > SYSTEM else found


def fences(name: str, attrs: Mapping[str, Any]) -> bool:
    """True for a row that orders the wave's earlier accesses to memory for the whole device. On AMD targets a wait for
    all vector memory does: what is complete has reached the memory that blocks share, or was told to by the cache
    policy of its instruction."""
    return name in ("nvvm.fence_gpu", "al.fence", "fence") or (name == "amdgpu.s_waitcnt" and attrs.get("vmcnt") == 0)


def polls(name: str) -> bool:
    """True for an op that waits for other waves only by looking: a loop of these never ends where no other wave does
    anything."""
    return name in ("pause", "fence", "al.fence") or name.startswith(
        ("system.", "nvvm.mbarrier_test_wait", "nvvm.mbarrier_try_wait", "nvvm.fence_", "amdgpu.s_")
    )


def relaxed_hears(name: str) -> bool:
    """True for a relaxed atomic that already orders what is behind it: AMD targets have no row of a fence that could do
    so, the instruction is complete before its value is used, and later ones are issued behind it."""
    return not name.startswith(("nvvm.", "al.", "system."))


class AsyncCopy(Protocol):
    """Copies that run."""

    def land(self, rows: np.ndarray | None = None) -> None:
        """Completes the copy: all rows, or those named."""
        ...


class MBarrier(Protocol):
    """An mbarrier object, in the hands of a wave."""

    @property
    def elsewhere(self) -> bool:
        """True where another block of the cluster has it."""
        ...

    def arrive(self, count: int, lane: int, relaxed: bool = False) -> None:
        """Arrivals; `relaxed`: they say nothing of what the wave itself did before."""
        ...

    def expect(self, count: int, lane: int) -> None:
        """The phase waits for `count` more bytes."""
        ...

    def receive(self, flight: Any, count: int, lane: int) -> None:
        """The copy will report `count` bytes."""
        ...

    def follow(self, copies: list[tuple[Any, np.ndarray]], lane: int, extra: bool) -> None:
        """One arrival when all these rows of copies are there; `extra`: the phase expects one more."""
        ...

    def deliver(self) -> None:
        """Completes copies that report to this mbarrier, which may end its phase."""
        ...

    def done(self, parity: int) -> bool:
        """True when the phase of this parity has ended."""
        ...


class AsyncMma(Protocol):
    """Matrix instructions that run beside a wave, and the registers that they use. What rows get for a parameter that
    is `held` is `Any` here."""

    def fence(self, *values: Any) -> None:
        """Accesses to registers before come before those of instructions behind."""
        ...

    def passed(self, operand: Any) -> Any:
        """The value behind a fence of its own."""
        ...

    def given(self, operand: Any) -> Any:
        """The value as it has come."""
        ...

    def accumulator(self, operand: Any, shape: str, lane: int) -> np.ndarray:
        """The data of an accumulator for an instruction of this shape (its type says N already)."""
        ...

    def fragment(self, operand: Any, lane: int) -> np.ndarray:
        """The data of an operand in registers that is only read."""
        ...

    def commit(self) -> None:
        """Closes a group: all instructions begun since the last one."""
        ...


class CopyGroups(Protocol):
    """A wave's copies in groups."""

    def add(self, flight: Any) -> None:
        """Puts a copy into the open group."""
        ...

    def commit(self, active: np.ndarray) -> None:
        """Closes the open group of each active lane."""
        ...

    def wait(self, active: np.ndarray, pending: int) -> None:
        """Completes all groups of the active lanes but their newest `pending`."""
        ...

    def so_far(self, active: np.ndarray) -> list[tuple[Any, np.ndarray]]:
        """The copies of the active lanes that are not complete, with their rows."""
        ...


class Machine(Wave, Protocol):
    """A wave among others, with copies that run beside it."""

    def groups(self, kind: str) -> CopyGroups:
        """The groups of copies of one kind: "cp.async" or "bulk"."""
        ...

    def begin(
        self, space: str, lanes: np.ndarray, at: np.ndarray, data: np.ndarray, *, rank: int | None = None,
        guard: np.ndarray | None = None,
        add: Any = None, ordinary: bool = False,
    ) -> AsyncCopy:  # fmt: skip
        """Begins copies: uint8 (rows, bytes) on behalf of `lanes` to byte addresses int64 (rows, bytes), in the shared
        memory of block `rank` of the cluster (None: this one). `guard`: addresses in own shared memory that must not
        change before they are there. `add`: the NumPy dtype of elements that are added to what is there. `ordinary`: by
        the generic proxy."""
        ...

    def make_mbarrier(self, lane: int, address: int, count: int | None) -> None:
        """Makes an mbarrier; None ends it."""
        ...

    def mbarrier(self, lane: int, address: int, rank: int | None = None) -> MBarrier:
        """The mbarrier at an address, of block `rank` of the cluster."""
        ...

    def barrier(self, number: int, threads: int, wait: bool, vote: int = 0) -> Waiting:
        """Named barriers: the wave arrives at one, and waits; `threads` 0: for all of the block. What it gives then is
        the sum of all votes."""
        ...

    def cluster_arrive(self, relaxed: bool = False) -> None:
        """The wave arrives at the barrier of its cluster; `relaxed`: that says nothing of what it did before."""
        ...

    def cluster_wait(self) -> Waiting:
        """Waits for what `cluster_arrive` announced."""
        ...

    def place(self) -> tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int], int]:
        """Of the cluster: its extents in blocks, its place among clusters, the clusters of the grid; and the block's
        rank in it."""
        ...

    def fetch(self, space: str, address: np.ndarray, nbytes: int) -> np.ndarray:
        """uint8 (n, nbytes) from int64 addresses (n,), whatever the lanes."""
        ...

    def peer(
        self, lane: int, rank: int, address: np.ndarray, nbytes: int, data: np.ndarray | None = None
    ) -> np.ndarray:
        """Reads, or with `data` writes, uint8 (nbytes,) in the shared memory of block `rank`."""
        ...

    def warp(self) -> int:
        """The wave's number in its block."""
        ...

    def fence_proxies(self) -> None:
        """The active lanes order what they did, and know of, before later uses of memory by the async proxy."""
        ...

    def fence_mbarriers(self) -> None:
        """The mbarriers that the wave has made are known to those who hear of it by a relaxed arrival."""
        ...

    def meet(self, key: Any) -> Waiting:
        """Waits until all four warps of the warpgroup are at this instruction with equal `key`. Gives a dict that the
        four share, empty at first."""
        ...

    @property
    def products(self) -> Any:
        """`AsyncMma`."""
        ...

    def multiply(self, shared: dict[str, Any], data: np.ndarray, shape: str, used: np.ndarray, own: np.ndarray) -> Any:
        """Begins a matrix instruction of the warpgroup, which `meet` has brought together: `data` will be the result.
        Bytes `used` int64 (n,) of shared memory must stay as they are until it is complete; this warp needs those of
        `own`. Gives the result, for a parameter that is `held`."""
        ...

    def tensor(self, rank: int | None = None) -> Any:
        """The tensor memory of this block, or of that of a rank in its cluster (`sim.tensor_memory`)."""
        ...

    def wait_products(self, pending: int) -> None:
        """All groups but the newest `pending` are complete."""
        ...

    def wrong(self, lane: int, why: str) -> Exception:
        """The error of a misuse that only shows while the kernel runs."""
        ...
