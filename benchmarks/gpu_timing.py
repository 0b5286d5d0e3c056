"""Timing on a GPU for benchmarks: contenders as functions come in, device time of each call in microseconds goes out.

Contenders take turns, so that a slow or a hot moment of the GPU hits all of them. Before every call a buffer several times as large as L2 is
written, or read, so that inputs come from memory. Time is between two CUDA events around the call; nothing is waited for in between, and the GPU
pauses before each call, so the host is ahead of it, and a launch's host time does not count.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import torch

FLUSH_BYTES = 512 << 20  # an H200's L2 holds 50 MB
WAIT_CYCLES = 400_000  # some 200 us, in which the host gets ahead


class Clock:
    """Keeps the buffer that is written between calls."""

    def __init__(self, clean: bool = False):
        """`clean`: L2 is filled by reading the buffer. Else it is filled by writing, and what it still has to write back slows the call down that
        follows: so it is behind any kernel that wrote a lot."""
        self.clean = clean
        self.buffer = torch.zeros(FLUSH_BYTES // 4, device="cuda")
        self.sum = torch.zeros((), device="cuda")

    def flush(self) -> None:
        """Fills L2 with other data."""
        if self.clean:
            torch.sum(self.buffer, dim=0, out=self.sum)
        else:
            self.buffer.zero_()

    def interleaved(self, contenders: dict[str, Callable[[], object]], rounds: int, warm: int = 3, batch: int = 8) -> dict[str, list[float]]:
        """Microseconds of every timed call. `batch` rounds are handed to the GPU before anything is waited for."""
        for _ in range(warm):
            for call in contenders.values():
                call()
        torch.cuda.synchronize()
        times: dict[str, list[float]] = {name: [] for name in contenders}
        for first in range(0, rounds, batch):
            marks = []
            for _ in range(first, min(first + batch, rounds)):
                # A new order each time: what runs before decides how hot the GPU is.
                for name, call in random.sample(list(contenders.items()), len(contenders)):
                    torch.cuda._sleep(WAIT_CYCLES)
                    self.flush()
                    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                    start.record()
                    call()
                    end.record()
                    marks.append((name, start, end))
            torch.cuda.synchronize()
            for name, start, end in marks:
                times[name].append(start.elapsed_time(end) * 1e3)
        return times


def difference(got: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> float:
    """The greatest difference of `got` from A @ B^T in float64, relative to the root of the mean square of the product. NaN where anything is NaN."""
    worst, square = 0.0, 0.0
    right = b.double().T
    for top in range(0, a.shape[0], 4096):
        want = a[top : top + 4096].double() @ right
        worst = max(worst, float((got[top : top + 4096].double() - want).abs().max()))
        if torch.isnan(got[top : top + 4096]).any():
            return float("nan")
        square += float((want * want).sum())
    return worst / (square / got.numel()) ** 0.5


def device() -> dict[str, str]:
    """The GPU and its driver, for the record."""
    here = torch.cuda.get_device_properties(0)
    return {"gpu": here.name, "cuda": str(torch.version.cuda), "multiprocessors": str(here.multi_processor_count)}
