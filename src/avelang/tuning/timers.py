"""Clocks for races: calls come in, the seconds that each took go out.

| clock | measures | by |
| --- | --- | --- |
| `WallClock` | calls that return when their work is done (the CPU) | the host's clock |
| `TorchClock` | calls on a GPU, as torch sees it | torch's events, L2 full of other data |
| `DriverClock` | calls on a GPU, without torch | the driver's own events |
| `FakeClock` | nothing: tells what it is told | a function |
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from avelang.tuning.race import Clock

FLUSH_BYTES = 256 << 20  # an H200's L2 holds 50 MB, an MI300X's last cache 256 MB
WAIT_CYCLES = 200_000  # some 100 us, in which the host gets ahead of the GPU
BATCH = 64  # calls that are handed to a GPU before it is waited for
Calls = Sequence[Callable[[], Any]]


class WallClock:
    """The host's clock around each call."""

    name = "wall"

    def seconds(self, calls: Calls) -> list[float]:
        """Runs the calls in order and returns the seconds of each."""
        found = []
        for call in calls:
            start = time.perf_counter()
            call()
            found.append(time.perf_counter() - start)
        return found


class FakeClock:
    """For tests of tuners: `told(call)` says how long a call takes, and nothing waits. `calls`: how many were made,
    `now`: the seconds that passed. `run`: the calls are made, too."""

    name = "fake"

    def __init__(self, told: Callable[[Any], float], run: bool = False):
        self.told, self.run, self.calls, self.now = told, run, 0, 0.0

    def seconds(self, calls: Calls) -> list[float]:
        """The seconds that are told of each call."""
        found = []
        for call in calls:
            if self.run:
                call()
            found.append(self.told(call))
            self.calls += 1
            self.now += found[-1]
        return found


def _batches(calls: Calls) -> Iterator[Calls]:
    for first in range(0, len(calls), BATCH):
        yield calls[first : first + BATCH]


class TorchClock:
    """Events of torch around each call on a GPU. Before each a buffer larger than L2 is written, so inputs come from
    memory, and the GPU pauses, so the host is ahead of it. `device`: the GPU's index; `torch`: another module of that
    interface, for tests."""

    name = "torch events, L2 flushed"

    def __init__(self, device: int = 0, torch: Any = None):
        self.torch = torch if torch is not None else sys.modules["torch"]
        self.device = device
        self.buffer = self.torch.empty(FLUSH_BYTES // 4, device=f"cuda:{device}", dtype=self.torch.float32)

    def seconds(self, calls: Calls) -> list[float]:
        """Runs the calls in order and returns the seconds of each, by the device."""
        cuda, found = self.torch.cuda, []
        with cuda.device(self.device):
            for batch in _batches(calls):
                marks = []
                for call in batch:
                    cuda._sleep(WAIT_CYCLES)
                    self.buffer.zero_()
                    start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
                    start.record()
                    call()
                    end.record()
                    marks.append((start, end))
                cuda.synchronize()
                found += [start.elapsed_time(end) * 1e-3 for start, end in marks]
        return found


class DriverClock:
    """The driver's events around each call, by way of Ave's runtime: for GPUs without torch. `device`: one of
    `avelang.runtime.devices`; `stream`: the handle of the stream that the calls go to. Raises D035 where the driver
    refuses."""

    name = "driver events, L2 flushed"
    # By the kind of driver: create, record, wait, elapsed, destroy, fill memory on a stream.
    SYMBOLS = {
        "cuda": ("cuEventCreate", "cuEventRecord", "cuEventSynchronize", "cuEventElapsedTime", "cuEventDestroy_v2",
                 "cuMemsetD8Async"),
        "rocm": ("hipEventCreateWithFlags", "hipEventRecord", "hipEventSynchronize", "hipEventElapsedTime",
                 "hipEventDestroy", "hipMemsetD8Async"),
    }

    def __init__(self, device: Any, stream: int = 0):
        self.device, self.stream, self.driver = device, stream, device.driver
        p = ctypes.c_void_p
        types = ((p, ctypes.c_uint), (p, p), (p,), (p, p, p), (p,), (p, ctypes.c_ubyte, ctypes.c_size_t, p))
        self._create, self._record, self._wait, self._elapsed, self._destroy, self._fill = (
            self.driver.extra(symbol, args)
            for symbol, args in zip(self.SYMBOLS[self.driver.kind], types, strict=True)
        )

    def seconds(self, calls: Calls) -> list[float]:
        """Runs the calls in order and returns the seconds of each, by the device."""
        found: list[float] = []
        driver, doing, room = self.driver, f"timing calls on {self.device.name}", ctypes.c_void_p()
        with driver.on(self.device, doing):
            driver.must(doing, "allocate", ctypes.byref(room), FLUSH_BYTES)
            try:
                for batch in _batches(calls):
                    found += self._timed(batch, doing, room)
            finally:
                driver.call("free", room)
        return found

    def _timed(self, calls: Calls, doing: str, room: ctypes.c_void_p) -> list[float]:
        events = [ctypes.c_void_p() for _ in range(2 * len(calls))]
        try:
            for event in events:
                self._create(doing, ctypes.byref(event), 0)
            for i, call in enumerate(calls):
                self._fill(doing, room, 0, FLUSH_BYTES, self.stream)
                self._record(doing, events[2 * i], self.stream)
                call()
                self._record(doing, events[2 * i + 1], self.stream)
            self._wait(doing, events[-1])
            found, ms = [], ctypes.c_float()
            for i in range(len(calls)):
                self._elapsed(doing, ctypes.byref(ms), events[2 * i], events[2 * i + 1])
                found.append(ms.value * 1e-3)
            return found
        finally:
            for event in events:
                if event.value:
                    self._destroy(doing, event)


def clock_for(place: str, torch_arrays: bool) -> Clock:
    """The clock for calls whose arrays are at a place, as `trial_arrays.device` names it."""
    if place == "cpu":
        return WallClock()
    if torch_arrays:
        return TorchClock(int(place.partition(":")[2]))
    from avelang.runtime import devices

    return DriverClock(devices.device(place))
