"""One rank of several processes: a torch process group comes in; symmetric memory that kernels of all its ranks reach
goes out.

Ave starts no processes and has no transport of its own. On the CPU (gloo) the memory of a rank is a file in memory that
the others map, so all ranks must be on one host. On NVIDIA GPUs it is torch's symmetric memory, which maps the peers'
memory over NVLink."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import mmap
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from avelang.base.errors import error
from avelang.base.places import argument_error
from avelang.dist.copies import CopyQueue, EngineQueue, by_engines, recorded
from avelang.dist.deadlines import Deadlines
from avelang.dist.memory import (
    ALIGNED,
    BYTES,
    CONTROL,
    Member,
    Symmetric,
    forget,
    give_up,
    late,
    numbered,
    told,
    view,
    words,
)  # fmt: skip
from avelang.runtime import devices
from avelang.runtime.gpu import RELAXED

# Whether copies go into CUDA graphs, and a copied word signals them; else a kernel stores before the product. It is
# right, and sooner, on two H200 with driver 580. A driver that copies four bytes by a kernel would wait for a product
# that fills the GPU, and no host ends the waits of a graph: so a user says it.
RECORDED = False
SHARED_FILES = "/dev/shm"  # noqa: S108 - where Linux keeps files in memory
LIMIT = 60.0
GPU_BYTES = 1 << 31  # of symmetric memory of a GPU, where nothing else is said


def connect(
    process_group: Any = None, *, bytes: int | None = None, limit: float = LIMIT, device: Any = None
) -> Group:  # fmt: skip
    """This process's rank in a torch process group (None: the default one), with `bytes` bytes of symmetric memory:
    left out, 2 GB on a GPU, where products take boxes for what ranks send, and 16 MB on the CPU.

    `device`: "cpu", or the index of this process's GPU; left out, the GPU of a group of NCCL, else the CPU. `limit`:
    seconds that a launch or an exchange may wait for other ranks. All ranks of the group call it. Raises L066 where
    torch.distributed is not initialized, L081 where ranks ask for different sizes."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_initialized():
        raise argument_error("there is no process group: call torch.distributed.init_process_group first")
    pg = process_group if process_group is not None else torch.distributed.group.WORLD
    if device is None:
        device = torch.cuda.current_device() if torch.distributed.get_backend(pg) == "nccl" else "cpu"
    made = _SharedMemory if device == "cpu" else _torch_memory
    if bytes is None:
        bytes = BYTES if device == "cpu" else GPU_BYTES
    return Group(torch, pg, made, max(bytes, 4 * CONTROL), limit, device)


class Group(Member):
    """One rank of a process group; `connect` makes it."""

    given_as: str | None = None  # the name of a process group that operations were given as it is

    def __init__(self, torch: Any, process_group: Any, memory: Any, size: int, limit: float, device: Any):
        self._torch, self.process_group, self.limit, self.device = torch, process_group, limit, device
        self.rank = torch.distributed.get_rank(process_group)
        self.name = numbered(f"process group {getattr(process_group, 'group_name', '')},")
        self.ranks = torch.distributed.get_world_size(process_group)
        size = -(-size // ALIGNED) * ALIGNED
        self.agree("avelang.dist.connect", bytes=size)
        if device != "cpu":
            self.BLOCKS, self.PIECE_BLOCKS = 64, 128
        self._has(memory(self, size))

    def _has(self, memory: Any) -> None:
        """Takes the rank's symmetric memory, the last that it needs."""
        self._under_way, self._lock, self._memory = 0, threading.Lock(), memory
        self.heaps, self.team, self._control = memory.heaps, memory.team, memory.control
        super().__init__()

    def exchange(self, value: Any) -> list[Any]:
        """Each rank's value, by rank, through the process group, whose own time limit holds."""
        out: list[Any] = [None] * self.ranks
        self._torch.distributed.all_gather_object(out, value, group=self.process_group)
        return out

    def view(self, heap: Any, offset: int, shape: Any, dtype: Any) -> Any:
        """A part of a rank's memory as an array of NumPy, or of torch on a GPU."""
        return self._memory.view(heap, offset, shape, dtype)

    def launch(self, kernel: Any, grid: Any, block: Any, *args: Any, **kwargs: Any) -> None:
        """Launches a kernel on this rank. On a GPU it is on the stream when this returns, and a rank that did not come
        is told of by `check`, or by the next launch. Raises L080."""
        if self._memory.who.value:
            self.check(kernel.source.name)
        rank = self.rank
        given = [a[rank] if isinstance(a, Symmetric) else a for a in args]
        named = {k: v[rank] if isinstance(v, Symmetric) else v for k, v in kwargs.items()}
        if self.device != "cpu":
            kernel[grid, block](*given, **named)
            self._memory.watch(self.limit)
            return
        named.setdefault("backend", "cpu")
        kernel._launcher.prepare((grid, block), tuple(given), named)  # the time limit is of waits, not of a compiler
        with self._counted(), self._memory.watched(self.limit):
            kernel[grid, block](*given, **named)
        self.check(kernel.source.name)

    def beside(self) -> contextlib.AbstractContextManager[Any]:
        """On a GPU a stream of its own, which begins behind what is on the current one."""
        if self.device == "cpu":
            return super().beside()
        cuda = self._torch.cuda
        side = self.kept("beside", lambda: cuda.Stream(self.device))
        side.wait_stream(cuda.current_stream(self.device))
        return cuda.stream(side)

    def joined(self) -> None:
        """The current stream waits for the one of `beside`."""
        side = self._kept.get("beside")
        if side is not None:
            self._torch.cuda.current_stream(self.device).wait_stream(side)

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        """Counts a launch that is under way: there may be one of a thread that copies."""
        with self._lock:
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1

    def check(self, kernel: str = "a kernel") -> None:
        """Raises L080 where a launch has waited for a rank in vain. Waits are allowed again once none is under way that
        has yet to hear that it must end."""
        found = late(self._control)
        if found is not None:
            self._settle()
            with self._lock:
                if not self._under_way:
                    self._memory.give_up(0)
            raise error("L080", kernel=kernel, rank=self.rank, seconds=f"{self.limit} s", **found)

    def _settle(self) -> None:
        """Waits until all launches on a GPU have heard that they must end."""
        if self.device != "cpu":
            streams = self._torch.cuda.current_stream(self.device), self._kept.get("beside")
            for stream in (s for s in streams if s is not None):
                stream.synchronize()

    @property
    def recording(self) -> bool:  # type: ignore[override]
        """True while the current stream of a GPU is captured."""
        return self.device != "cpu" and bool(self._torch.cuda.is_current_stream_capturing())

    @property
    def copies(self) -> bool:  # type: ignore[override]
        """Of NVIDIA GPUs."""
        return self.device == "cpu" or bool(self._torch.version.cuda) and (RECORDED or not self.recording)

    def copying(self, work: Callable[[CopyQueue], None]) -> AbstractContextManager[None]:
        """On a GPU by its copy engines, on a stream of their own; else by a thread."""
        if self.device == "cpu":
            return super().copying(work)
        queue = self.kept("copies", self._engines)
        record = functools.partial(recorded, self._torch, queue.stream)
        return by_engines(queue, self._torch.cuda.current_stream(self.device), record, work, self.limit)

    def _engines(self) -> EngineQueue:
        stream, spare = (self._torch.cuda.Stream(self.device) for _ in range(2))
        return EngineQueue(devices.device(f"cuda:{self.device}").driver, stream, spare, _beside_captures)

    def close(self) -> None:
        """Gives the memory back; ranks may do so in any order, and need not."""
        self._kept.clear()
        self._memory.close()

    def __repr__(self) -> str:
        return f"<rank {self.rank} of {self.ranks} on {self.device}>"


class MetMember(Group):
    """A rank whose peers are threads of this process, which meet on the host.

    Not `together`: ranks launch one by one, and wait for the GPU before the next launch, since to load a kernel the
    driver may wait for one that runs, which may wait for a rank whose kernel is yet to be loaded."""

    meeting: Any
    together = True

    def exchange(self, value: Any) -> list[Any]:
        """Each rank's value, by rank. Raises L083."""
        return self.meeting.exchange(self.rank, value)

    def launch(self, kernel: Any, grid: Any, block: Any, *args: Any, **kwargs: Any) -> None:
        """Launches a kernel on this rank. Raises L080, L083."""
        if self.together:
            super().launch(kernel, grid, block, *args, **kwargs)
            return
        given = tuple(self.own(a) for a in args), {k: self.own(v) for k, v in kwargs.items()}
        kernel._launcher.prepare((grid, block), *given)
        self.exchange(None)  # all are loaded, none runs
        super().launch(kernel, grid, block, *args, **kwargs)
        self._settle()
        self.check(kernel.source.name)
        self.exchange(None)


class _SharedMemory:
    """Symmetric memory of processes on one host: a file for each rank, without a name as soon as all have mapped it, so
    that nothing stays behind whoever ends first."""

    def __init__(self, group: Group, size: int):
        folder = SHARED_FILES if os.path.isdir(SHARED_FILES) else None
        fd, path = tempfile.mkstemp(prefix="avelang-ranks-", dir=folder)
        try:
            os.ftruncate(fd, size)
            paths = group.exchange(path)
            self._maps = [_mapped(p, size) for p in paths]
            group.exchange(None)  # all have mapped all
        finally:
            os.close(fd)
            os.unlink(path)
        self.heaps = [np.frombuffer(m, np.uint8) for m in self._maps]
        at = [h.__array_interface__["data"][0] for h in self.heaps]
        own = at[group.rank]
        self.control = self.heaps[group.rank]
        self.who = told(self.control)
        self.team = words(group.rank, own, [x - own for x in at])
        self.view = view

    def give_up(self, value: int = 1) -> None:
        """Ends this rank's waits, or (0) allows them again."""
        give_up(self.control, value)

    def watched(self, limit: float) -> Any:
        """Ends this rank's waits after so many seconds."""
        return _Watch(self.give_up, limit)

    def close(self) -> None:
        """Maps are let go with the last array that shows them."""
        self.heaps, self._maps = [], []


class GpuMemory:
    """Symmetric memory on GPUs: `heaps` of all ranks, as the GPU of `rank` sees them. What a kernel says of a wait in
    vain goes to pinned memory of the host. The word that ends waits is the GPU's: kernels look at it while they wait,
    and looks at the host's memory go one by one; a copy engine writes it beside a kernel that runs."""

    def __init__(self, torch: Any, heaps: list[Any], rank: int, keep: Any = None):
        self._torch, self.heaps, self._keep = torch, heaps, keep
        device = heaps[rank].device
        self._pinned, self._value = (torch.zeros(n, dtype=torch.uint8, pin_memory=True) for n in (CONTROL, 4))
        self._ends, self._spare = torch.zeros(4, dtype=torch.uint8, device=device), torch.cuda.Stream(device)
        self.control = self._pinned.numpy()
        self.who = told(self.control)
        at = [h.data_ptr() for h in heaps]
        table = words(rank, self._pinned.data_ptr(), [x - at[rank] for x in at], self._ends.data_ptr())
        self.team = torch.from_numpy(table).to(device)
        self._deadlines = Deadlines(self.give_up, _beside_captures)
        self._index, self._watched = device.index, (-1, lambda: None)  # the stream of the last launch, and its events
        torch.cuda.synchronize(device)

    def give_up(self, value: int = 1) -> None:
        """Ends this rank's waits, or (0) allows them again."""
        self._value[0] = value
        with self._torch.cuda.stream(self._spare):
            self._ends.copy_(self._value, non_blocking=True)
        self._spare.synchronize()
        if not value:
            forget(self.control)

    def view(self, heap: Any, offset: int, shape: Any, dtype: Any) -> Any:
        """A tensor of torch, of NumPy's or torch's dtype."""
        torch = self._torch
        kind = dtype if isinstance(dtype, torch.dtype) else getattr(torch, np.dtype(dtype).name)
        count = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
        return heap[offset : offset + count].view(kind).view(tuple(shape))

    def watch(self, limit: float) -> None:
        """Ends the waits of what is on the current stream after so many seconds, unless the stream has come past it.
        A graph's launches have no host that watches: their waits end with the process group's limit."""
        torch = self._torch
        if torch.cuda.is_current_stream_capturing():
            return
        raw = torch._C._cuda_getCurrentRawStream(self._index)  # torch's object for a stream costs more than the rest
        if raw != self._watched[0]:
            self._watched = raw, functools.partial(recorded, torch, torch.cuda.current_stream(self._index))
        self._deadlines.touch(limit, self._watched[1])

    def close(self) -> None:
        """torch gives the memory back with the last tensor that shows it."""
        self.heaps, self._keep = [], None


def _torch_memory(group: Group, size: int) -> GpuMemory:
    """torch's symmetric memory on this process's GPU. Written by torch's documentation
    (torch.distributed._symmetric_memory, 2.10 and newer); run on two H100 with 2.11."""
    torch = group._torch
    # torch.distributed does not import it by itself.
    symm = importlib.import_module("._symmetric_memory", torch.distributed.__name__)
    heap = symm.empty(size, dtype=torch.uint8, device=f"cuda:{group.device}")
    heap.zero_()
    handle = symm.rendezvous(heap, group.process_group)
    heaps = [heap if r == group.rank else handle.get_buffer(r, (size,), torch.uint8) for r in range(group.ranks)]
    memory = GpuMemory(torch, heaps, group.rank, handle)
    group.exchange(None)  # all have zeros
    return memory


class _Watch:
    """A time limit for what runs inside of `with`."""

    def __init__(self, end: Callable[[], None], limit: float):
        self._timer = threading.Timer(limit, end)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()


def _beside_captures() -> None:
    """Lets this thread ask for events while another one captures a stream, which would end the capture otherwise."""
    driver = devices.DRIVERS["cuda"]
    if driver.found():
        driver.call("capture", ctypes.byref(ctypes.c_int(RELAXED)))


def _mapped(path: str, size: int) -> mmap.mmap:
    with open(path, "r+b") as f:
        return mmap.mmap(f.fileno(), size)
