"""Ranks in one process, each on an NVIDIA GPU of its own: those of JAX's devices, whose calls XLA makes in a thread for
each. Their symmetric memory is the driver's, which all GPUs of the process reach; arrays are views of memory.

Sources: CUDA Driver API, "Memory Management" (cuMemHostAlloc: memory that all contexts reach at one address), "Peer
Context Memory Access" (cuCtxEnablePeerAccess lets a context reach what is allocated in another), "Stream Management",
"Event Management"."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from avelang.base.errors import AveError
from avelang.base.places import argument_error
from avelang.bridge.device_views import DeviceView
from avelang.dist.copies import LATER, CopyQueue, EngineQueue, by_engines
from avelang.dist.deadlines import Deadlines, Gate
from avelang.dist.group import GPU_BYTES, LIMIT, MetMember
from avelang.dist.memory import ALIGNED, CONTROL, forget, numbered, told, words
from avelang.runtime import devices, streams
from avelang.runtime.launch_log import act

POINTER, U32, I32, SIZE = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int32, ctypes.c_size_t
FOR_ALL = 3  # CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTALLOC_DEVICEMAP
NON_BLOCKING = 1  # CU_STREAM_NON_BLOCKING
NO_TIMING = 2  # CU_EVENT_DISABLE_TIMING
NOT_READY, ENABLED_BEFORE = 600, 704  # CUDA_ERROR_NOT_READY, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
LEAST = 1 << 26  # bytes of symmetric memory: where a GPU has not so many left, there are no ranks
COUNTED = 64  # bytes of a table of `al.Ranks`, at the least


class Gpu:
    """A GPU, as ranks use it beside launches: memory, streams, events. Raises D030 to D036."""

    FUNCTIONS = {
        "stream": ("cuStreamCreate", (POINTER, U32)),
        "event": ("cuEventCreate", (POINTER, U32)),
        "record": ("cuEventRecord", (POINTER, POINTER)),
        "come": ("cuEventQuery", (POINTER,)),
        "free_event": ("cuEventDestroy_v2", (POINTER,)),
        "follow": ("cuStreamWaitEvent", (POINTER, POINTER, U32)),
        "idle": ("cuCtxSynchronize", ()),
        "host": ("cuMemHostAlloc", (POINTER, SIZE, U32)),
        "clear": ("cuMemsetD8_v2", (POINTER, ctypes.c_uint8, SIZE)),
        "send": ("cuMemcpyHtoDAsync_v2", (POINTER, POINTER, SIZE, POINTER)),
        "reach": ("cuCtxEnablePeerAccess", (POINTER, U32)),
        "number": ("cuDeviceGet", (POINTER, I32)),
        "reaches": ("cuDeviceCanAccessPeer", (POINTER, I32, I32)),
    }

    def __init__(self, index: int):
        self.index, self.device = index, devices.device(f"cuda:{index}")
        self.name, self.driver = self.device.name, self.device.driver
        self.does = {role: self.driver.extra(*known) for role, known in self.FUNCTIONS.items()}
        self.orders: dict[int, Event] = {}  # by the stream that others follow

    def status(self, role: str, *args: Any) -> int:
        """The status that a function of the driver returns."""
        return int(getattr(self.driver._lib, self.FUNCTIONS[role][0])(*args))

    def here(self) -> AbstractContextManager[None]:
        """Makes it the GPU of this thread."""
        return self.driver.on(self.device, f"using {self.name}")

    def take(self, size: int) -> int:
        """The address of so many bytes of it, zeros, for good."""
        at = POINTER()
        with self.here():
            self.driver.must(f"taking {size} bytes of {self.name}", "allocate", ctypes.byref(at), size)
            self.does["clear"](f"clearing memory of {self.name}", at, 0, size)
        return int(at.value or 0)

    def clear(self, address: int, size: int) -> None:
        """Zeros, behind all that the GPU does."""
        with self.here():
            self.does["clear"](f"clearing memory of {self.name}", address, 0, size)

    def pinned(self, size: int) -> np.ndarray:
        """So many bytes of the host that the GPU reaches, zeros, for good."""
        at = POINTER()
        with self.here():
            self.does["host"](f"taking {size} bytes of the host for {self.name}", ctypes.byref(at), size, FOR_ALL)
        bytes_there: Any = (ctypes.c_uint8 * size).from_address(int(at.value or 0))
        memory = np.ndarray((size,), np.uint8, bytes_there)
        memory[:] = 0
        return memory

    def write(self, address: int, data: np.ndarray) -> None:
        """Bytes of the host to an address."""
        with self.here():
            self.driver.must(f"writing to {self.name}", "to", address, data.ctypes.data, data.nbytes)

    def read(self, address: int, data: np.ndarray, stream: int) -> None:
        """Bytes at an address to the host, behind a stream."""
        with self.here():
            self.driver.must(f"waiting for a stream of {self.name}", "wait", stream)
            self.driver.must(f"reading from {self.name}", "from", data.ctypes.data, address, data.nbytes)

    def meet(self, other: Gpu) -> None:
        """Lets kernels of this GPU reach memory of another one. Raises L066."""
        one, two, can = I32(), I32(), I32()
        doing = f"asking whether {self.name} reaches {other.name}"
        for number, gpu in ((one, self), (two, other)):
            self.does["number"](doing, ctypes.byref(number), gpu.index)
        self.does["reaches"](doing, ctypes.byref(can), one, two)
        if not can.value:
            said = f"{self.name} does not reach that of {other.name}"
            raise argument_error(f"GPUs are ranks where they reach each other's memory: {said}")
        with self.here():
            if self.status("reach", other.device.word, 0) not in (0, ENABLED_BEFORE):  # XLA has done so
                self.does["reach"](f"letting {self.name} reach {other.name}", other.device.word, 0)


class Stream:
    """A stream of a GPU: a new one, or one of a library by its handle."""

    def __init__(self, gpu: Gpu, handle: int | None = None):
        self.gpu, made = gpu, POINTER(handle)
        if handle is None:
            with gpu.here():
                gpu.does["stream"](f"making a stream of {gpu.name}", ctypes.byref(made), NON_BLOCKING)
        self.cuda_stream = int(made.value or 0)

    def event(self) -> Event:
        """An event behind what is on it."""
        with self.gpu.here():
            event = Event(self.gpu)
            event.record(self.cuda_stream)
        return event

    def wait_stream(self, other: Stream) -> None:
        """Puts what comes behind what is on another one."""
        with self.gpu.here():
            gpu, doing = self.gpu, f"ordering streams of {self.gpu.name}"
            event = gpu.orders.get(other.cuda_stream)
            if event is None:
                event = gpu.orders[other.cuda_stream] = Event(gpu)
            act(gpu.does["record"], doing, event.address, other.cuda_stream)
            act(gpu.does["follow"], doing, self.cuda_stream, event.address, 0)  # for what it is behind now

    def synchronize(self) -> None:
        """Waits until it is idle."""
        self.gpu.device.wait(self.cuda_stream)


class Event:
    """An event of the thread's GPU, to be recorded on its streams."""

    def __init__(self, gpu: Gpu):
        self.gpu, self.handle = gpu, POINTER()
        gpu.does["event"](f"making an event of {gpu.name}", ctypes.byref(self.handle), NO_TIMING)

    def record(self, stream: int) -> None:
        """From now on it is behind what is on a stream now."""
        self.gpu.does["record"](f"recording an event of {self.gpu.name}", self.handle, stream)

    def query(self) -> bool:
        """True where the stream has come past it; also where it is broken, which a later call says."""
        return self.gpu.status("come", self.handle) != NOT_READY

    @property
    def address(self) -> int:
        """The driver's handle, as a number."""
        return int(self.handle.value or 0)

    def __del__(self) -> None:
        self.gpu.status("free_event", self.handle)


class PeerMemory:
    """A rank's view of the symmetric memory of all: see `group.GpuMemory`, which is that of torch's processes."""

    def __init__(self, gpus: Sequence[Gpu], heaps: Sequence[int], size: int, rank: int):
        self.gpu = gpu = gpus[rank]
        kind = np.dtype(np.uint8)
        self.heaps = [DeviceView(at, (size,), kind, g.name) for g, at in zip(gpus, heaps, strict=True)]
        host = gpu.pinned(CONTROL + ALIGNED)
        self.control, self._value = host[:CONTROL], host[CONTROL : CONTROL + 4]
        self.who = told(self.control)
        self._spare, self._ends, table = Stream(gpu), gpu.take(ALIGNED), gpu.take(COUNTED * 8)
        numbers = words(rank, host.ctypes.data, [at - heaps[rank] for at in heaps], self._ends)
        gpu.write(table, numbers)
        self.team = DeviceView(table, numbers.shape, numbers.dtype, gpu.name)
        self.gate, self.behind = Gate(self.who), list[Callable[[], None]]()
        self._deadlines = Deadlines(self.give_up, gate=self.gate)

    def give_up(self, value: int = 1) -> None:
        """Ends this rank's waits, then what is `behind` them, or (0) allows them again."""
        self._value.view(np.uint32)[0] = value
        with self.gpu.here():
            at, to = self._value.ctypes.data, self._spare.cuda_stream
            self.gpu.does["send"](f"ending waits of {self.gpu.name}", self._ends, at, 4, to)
        self._spare.synchronize()
        if not value:
            forget(self.control)
            return
        for end in self.behind:
            end()

    def view(self, heap: DeviceView, offset: int, shape: Sequence[int], dtype: Any) -> DeviceView:
        """A part of a rank's memory."""
        return DeviceView(heap.address + offset, tuple(shape), np.dtype(dtype), heap.device)

    def watch(self, limit: float) -> None:
        """Ends the waits of what is on this thread's stream after so many seconds, unless the stream has come past
        it."""
        stream = streams.entered_now()
        self._deadlines.touch(limit, functools.partial(self._recorded, Stream(self.gpu, stream)), stream)

    def _recorded(self, stream: Stream) -> Event | None:
        """An event behind what is on a stream; None where that is gone, as at XLA's end."""
        try:
            return stream.event()
        except AveError:
            return None


class GpuMember(MetMember):
    """A rank on a GPU, while XLA makes a call of it: launches go to XLA's stream. The first time that a call of the
    program comes, ranks are not `together`."""

    together = False

    def __init__(self, gpus: Sequence[Gpu], heaps: Sequence[int], size: int, rank: int):
        self.process_group, self.limit, self.gpu = None, LIMIT, gpus[rank]
        self.rank, self.ranks, self.device = rank, len(gpus), self.gpu.index
        self.name = numbered(f"rank {rank} of GPUs {', '.join(str(g.index) for g in gpus)} of one process,")
        self.BLOCKS, self.PIECE_BLOCKS = 64, 128
        self._has(PeerMemory(gpus, heaps, size, rank))

    def _stream(self) -> Stream:
        """This thread's."""
        return Stream(self.gpu, streams.entered_now())

    def placed(self) -> AbstractContextManager[Any]:
        """A context in which this thread's GPU is the member's."""
        return self.gpu.here()

    def beside(self) -> AbstractContextManager[Any]:
        """A stream of its own, which begins behind what is on the current one."""
        side = self.kept("beside", lambda: Stream(self.gpu))
        side.wait_stream(self._stream())
        return streams.entered(side.cuda_stream)

    def joined(self) -> None:
        """The current stream waits for the one of `beside`."""
        side = self._kept.get("beside")
        if side is not None:
            self._stream().wait_stream(side)

    def _settle(self) -> None:
        """Waits until all launches have heard that they must end."""
        for stream in (self._stream(), self._kept.get("beside")):
            if stream is not None:
                stream.synchronize()

    @property
    def gate(self) -> Gate:
        """For launches that Python does not see."""
        return self._memory.gate

    # Calls count in memory, not on the host: so they launch the same each time, and are repeated without Python.
    recording = True  # type: ignore[assignment]
    copies = True  # type: ignore[assignment]

    def repeating(self) -> None:
        """Before what a call has launched is launched again. Raises L080, of an earlier one."""
        if self._memory.who.value:
            self.check()
        self._memory.watch(self.limit)

    def copying(self, work: Callable[[CopyQueue], None]) -> AbstractContextManager[None]:
        """By the GPU's copy engines, on a stream of their own."""
        queue = self.kept("copies", self._engines)
        return by_engines(queue, self._stream(), queue.stream.event, work, self.limit)

    def _engines(self) -> EngineQueue:
        """`enter`: the thread that ends their waits has no GPU of its own."""
        gpu = self.gpu

        def enter() -> None:
            gpu.driver.must(f"using {gpu.name}", "set", gpu.device.word)

        queue = EngineQueue(gpu.driver, Stream(gpu), Stream(gpu), enter)
        # Calls that are repeated do not touch its deadlines: its waits end behind those of the kernels, too.
        self._memory.behind.append(lambda: queue.deadlines.touch(LATER, queue.stream.event))
        return queue

    def close(self) -> None:
        """Its memory is the team's, which keeps it."""
        self._kept.clear()


class GpuTeam:
    """Ranks on GPUs of these indices, one on each. Raises L066, and D035 where there is no memory
    left."""

    def __init__(self, indices: Sequence[int]):
        self.gpus = [gpu_of(i) for i in indices]
        for one in self.gpus:
            for other in self.gpus:
                if one is not other:
                    one.meet(other)
        self.size, self.heaps = self._heaps()
        self.failed = False
        self._begin()

    def _heaps(self) -> tuple[int, list[int]]:
        """As much memory of each GPU as there is for ranks, up to GPU_BYTES: XLA takes most at its start."""
        size = GPU_BYTES
        while True:
            taken: list[int] = []
            try:
                for gpu in self.gpus:
                    taken.append(gpu.take(size))
                return size, taken
            except AveError:
                for gpu, at in zip(self.gpus, taken, strict=False):
                    with gpu.here():
                        gpu.driver.call("free", at)
                if size <= LEAST:
                    raise
                size //= 2

    def _begin(self) -> None:
        self.members = [GpuMember(self.gpus, self.heaps, self.size, r) for r in range(len(self.gpus))]

    def idle(self, rank: int) -> None:
        """Waits until a rank's GPU has nothing more to do."""
        gpu = self.gpus[rank]
        with gpu.here():
            gpu.does["idle"](f"waiting for {gpu.name}")

    def anew(self) -> None:
        """Forgets what ranks that were stopped somewhere have counted. All GPUs are idle, and all ranks wait."""
        for gpu, heap in zip(self.gpus, self.heaps, strict=True):
            gpu.clear(heap, self.size)
        for member in self.members:
            member._memory.give_up(0)
        self._begin()
        self.failed = False

    def end(self) -> None:
        """Ends all waits: a rank has failed."""
        self.failed = True
        for member in self.members:
            member.gate.close()
            member._memory.give_up()


@functools.cache
def gpu_of(index: int) -> Gpu:
    """The GPU of an index."""
    return Gpu(index)
