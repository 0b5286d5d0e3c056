"""Memory of a GPU of the driver's stub, as XLA's calls have it: buffers at places that differ from call to call, views of them, and what a launch there was."""

from __future__ import annotations

import contextlib
import random

import numpy as np
import pytest
from tests.runtime import cuda

from avelang.bridge.device_views import DeviceView
from avelang.bridge.xla import Buffer
from avelang.runtime import streams


@contextlib.contextmanager
def machine_with(stream):
    """The stub with one GPU that has a stream."""
    with pytest.MonkeyPatch.context() as patch:
        made = cuda.Machine(patch, 1)
        made.lib.stub_stream(stream, 0)
        yield made


class StubMemory:
    """`host`: a function of views, called on `stream`; buffers of `dtype`. `served` counts its calls."""

    def __init__(self, machine, host, stream, dtype="float32"):
        self.machine, self.host, self.stream, self.dtype = machine, host, stream, dtype
        self.kept, self.served = [], 0

    def take(self, size):
        memory = self.machine.own(np.zeros(size + 4096, np.uint8))
        self.kept.append(memory)
        return -(-memory.ctypes.data // 128) * 128 + 128 * random.randrange(16)

    def holds(self, number):
        """Whether it is an address in memory that was taken. Some machines have memory at addresses of 32 bits."""
        return any(m.ctypes.data <= number < m.ctypes.data + m.nbytes for m in self.kept)

    def buffers(self, shapes):
        return [Buffer(self.take(int(np.prod(s)) * np.dtype(self.dtype).itemsize), s, self.dtype) for s in shapes]

    def run(self, buffers, room):
        """The host function on views of buffers."""
        self.served += 1
        self.host(*(DeviceView(b.address, b.shape, np.dtype(b.dtype), "cuda:0", None, room) for b in buffers))

    def last(self):
        """The kernel, the grid and the arguments of the last launch, and the words of its tensor maps."""
        done = self.machine.last
        return bytes(done.kernel), tuple(done.grid), list(done.values)[: done.count], [list(w) for w in done.wide]

    def plainly(self, buffers):
        """What the host function launches last, called by itself."""
        with streams.entered(self.stream):
            self.run(buffers, self)
        self.served -= 1
        return self.last()
