"""Copies between ranks that run beside launches: by copy engines, on a second stream of the GPU, or by a thread of the
host. What they wait for and what they signal are words that kernels wait for and signal, too.

Sources: CUDA Driver API, "Stream Memory Operations" (cuStreamWaitValue32: CU_STREAM_WAIT_VALUE_GEQ compares as signed
differences do; cuStreamWriteValue32: a memory barrier stands before the write), "Memory Management"
(cuMemcpyDtoDAsync). None of these takes a multiprocessor, so they get on beside a kernel that fills the GPU and waits
for them; a kernel that signals might never start there."""

from __future__ import annotations

import abc
import contextlib
import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import avelang.language as al
from avelang.base.errors import AveError, error
from avelang.dist.deadlines import Deadlines
from avelang.jit import jit
from avelang.runtime.launch_log import act

WAIT_AT_LEAST, WRITE_BEHIND_ALL = 0, 0  # CU_STREAM_WAIT_VALUE_GEQ, CU_STREAM_WRITE_VALUE_DEFAULT
LATER = 2.0
POINTER, U32, SIZE = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t


class CopyQueue(abc.ABC):
    """Copies, waits and signals, done in order beside the launches of a rank. `words`: an array of u32, this rank's, or
    in `signal` a peer's as well; arrays are contiguous and of one size."""

    @abc.abstractmethod
    def wait(self, words: Any, index: int, epoch: int, rank: int) -> None:
        """Goes on when words[index], a signal of `rank`, is at least `epoch`."""

    @abc.abstractmethod
    def copy(self, to: Any, source: Any) -> None:
        """Copies an array, of this rank or a peer, to another one."""

    @abc.abstractmethod
    def signal(self, words: Any, index: int, epoch: Any) -> None:
        """Writes words[index], behind all copies before. `epoch`: a number, or an array of the one word that has it
        when this is done: so for what is recorded, and run again with another one."""


@jit
def awaited(words: al.Pointer(al.u32), index: al.u32, epoch: al.u32, rank: al.u32, team: al.Ranks):  # type: ignore
    """Waits for one signal."""
    if al.thread_id(0) == 0:
        al.Signals(words, (index + 1,))[index].wait(epoch, rank)


@jit
def signaled(words: al.Pointer(al.u32), index: al.u32, epoch: al.u32, team: al.Ranks):  # type: ignore
    """Gives one signal."""
    if al.thread_id(0) == 0:
        al.Signals(words, (index + 1,))[index].send(epoch)


class HostQueue(CopyQueue):
    """Plain copies by the thread that calls; waits and signals are kernels of one block, which end as others do where a
    rank does not come."""

    def __init__(self, member: Any):
        self.member = member

    def wait(self, words: Any, index: int, epoch: int, rank: int) -> None:
        """Raises L080, of this signal: a kernel beside it that waits for the copy ends at the same time."""
        member = self.member
        try:
            member.launch(awaited, 1, 32, words, index, epoch, rank, member.team)
        except AveError as e:
            if e.code != "L080":
                raise
            why = f": its signal is {int(words[index])}, epoch {epoch} is waited for"
            fields = {"rank": member.rank, "seconds": f"{member.limit} s", "peer": rank, "why": why}
            raise error("L080", kernel=awaited.source.name, where="a copy beside a kernel", **fields) from None

    def copy(self, to: Any, source: Any) -> None:
        """Byte by byte: symmetric memory of one process is NumPy's where what a caller brings is torch's."""
        np.copyto(_raw(to), _raw(source))

    def signal(self, words: Any, index: int, epoch: Any) -> None:
        """A store with release behind the copies."""
        epoch = epoch if isinstance(epoch, int) else int(epoch[0])
        self.member.launch(signaled, 1, 32, words, index, epoch, self.member.team)


def _raw(x: Any) -> np.ndarray:
    """The bytes of an array of this host, of NumPy or torch, in place."""
    if hasattr(x, "data_ptr"):
        x = x.detach().view(sys.modules["torch"].uint8).numpy()
    return x.view(np.uint8)


@contextlib.contextmanager
def by_thread(member: Any, work: Callable[[CopyQueue], None]) -> Iterator[None]:
    """Runs `work` in a thread beside what is inside of `with`. Raises what it raises, before what that does."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work(HostQueue(member))
        except BaseException as e:  # raised below, in the thread that asked
            failed.append(e)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    except AveError:
        thread.join()
        if failed:  # who waits for a copy names whose part it is, and not who was not there to be copied from
            raise failed[0] from None
        raise
    thread.join()
    if failed:
        raise failed[0]


class EngineQueue(CopyQueue):
    """Copy engines of an NVIDIA GPU: a stream of its own. `driver`: of `runtime.devices`; `stream`: torch's, or one of
    `dist.gpus`.
    `spare`: a stream on which nothing waits."""

    def __init__(self, driver: Any, stream: Any, spare: Any, begin: Callable[[], None] = lambda: None):
        self.stream, self.spare, self.deadlines = stream, spare, Deadlines(self.release, begin)
        self.waits: dict[int, int] = {}  # by the address of a word: what was waited for last
        word = (POINTER, POINTER, U32, U32)
        self._wait = driver.extra("cuStreamWaitValue32_v2", word)
        self._write = driver.extra("cuStreamWriteValue32_v2", word)
        self._copy = driver.extra("cuMemcpyDtoDAsync_v2", (POINTER, POINTER, SIZE, POINTER))

    def wait(self, words: Any, index: int, epoch: int, rank: int) -> None:
        """Raises D035."""
        at = words.data_ptr() + 4 * index
        self.waits[at] = epoch
        word = at, epoch & 0xFFFFFFFF, WAIT_AT_LEAST
        act(self._wait, f"waiting for rank {rank} in a stream", self.stream.cuda_stream, *word)

    def copy(self, to: Any, source: Any) -> None:
        """Raises D035."""
        args = to.data_ptr(), source.data_ptr(), source.nbytes, self.stream.cuda_stream
        act(self._copy, "copying between ranks", *args, places=(1, 2))

    def signal(self, words: Any, index: int, epoch: Any) -> None:
        """A word that has the epoch is copied, as the data before it, behind which it comes. Raises D035."""
        at = words.data_ptr() + 4 * index
        if not isinstance(epoch, int):
            act(self._copy, "signaling in a stream", at, epoch.data_ptr(), 4, self.stream.cuda_stream)
            return
        doing, word = "signaling in a stream", (at, epoch & 0xFFFFFFFF, WRITE_BEHIND_ALL)
        act(self._write, doing, self.stream.cuda_stream, *word)

    def release(self) -> None:
        """Ends the waits of a rank that did not come: a stream has no time limit of its own."""
        for at, epoch in self.waits.items():
            self._write("ending a wait", self.spare.cuda_stream, at, epoch & 0xFFFFFFFF, WRITE_BEHIND_ALL)


def recorded(torch: Any, stream: Any) -> Any:
    """An event behind what is on a stream; None while the stream is captured."""
    with torch.cuda.stream(stream):
        if torch.cuda.is_current_stream_capturing():
            return None
        event = torch.cuda.Event()
        event.record(stream)
        return event


@contextlib.contextmanager
def by_engines(
    queue: EngineQueue, current: Any, record: Callable[[], Any], work: Callable[[CopyQueue], None], limit: float
) -> Iterator[None]:  # fmt: skip
    """Puts `work` on the queue's stream, behind what the current stream has now; the current stream goes on behind it
    at the end of `with`. Its waits end LATER seconds after `limit`, when those of kernels have ended and said so;
    `record` gives an event behind what is on the queue's stream."""
    queue.stream.wait_stream(current)
    work(queue)
    if queue.waits:
        queue.deadlines.touch(limit + LATER, record)
    try:
        yield
    finally:
        current.wait_stream(queue.stream)
