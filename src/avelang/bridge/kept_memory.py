"""Memory that is kept from call to call, such as a workspace: a size comes in; a tensor of torch's goes out, which is
in no CUDA graph's pool."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

STREAMS = 64  # torch has 32 of a kind for a device, and hands them out in turn


def kept_memory(device: Any, count: int, dtype: Any, *, zeros: bool = True) -> Any:
    """A tensor of so many elements on a device of torch's, for the current stream. `zeros`: it holds zeros; what is
    captured next finds them, too, whichever graph is replayed first.

    A thread that records a CUDA graph, or calls what `torch.compile(mode="reduce-overhead")` is about to record, gets
    memory of the graph's pool, in which nothing may be left, and kernels that it launches run when the graph does. So
    another thread makes it. Raises torch's OutOfMemoryError."""
    torch: Any = sys.modules["torch"]
    if device.type != "cuda":
        with torch.inference_mode(False):  # what it makes cannot be written to later on
            return (torch.zeros if zeros else torch.empty)(count, dtype=dtype, device=device)
    stream = torch.cuda.current_stream(device)
    with torch.cuda.stream(stream):
        captured = torch.cuda.is_current_stream_capturing()
        with ThreadPoolExecutor(1) as apart:
            made = apart.submit(_aside if captured else _on_stream, stream, count, dtype).result()
        # Not by the other thread: it would wait for the GPU, and a kernel there for what this thread launches next.
        return made.zero_() if zeros and not captured else made


def _on_stream(stream: Any, count: int, dtype: Any) -> Any:
    """Memory with anything in it, for a stream of which nothing is recorded."""
    torch: Any = sys.modules["torch"]
    with torch.cuda.stream(stream):
        return torch.empty(count, dtype=dtype, device=stream.device)


def _aside(stream: Any, count: int, dtype: Any) -> Any:
    """Zeros that are there at once, made on another stream than the one that is recorded."""
    from avelang.runtime import devices
    from avelang.runtime.gpu import RELAXED

    torch: Any = sys.modules["torch"]
    name = f"{'rocm' if torch.version.hip else 'cuda'}:{stream.device.index or 0}"
    place = devices.device(name)
    # In this mode a thread may allocate and wait, whatever another one records.
    with place.driver.on(place, f"allocating on {name}", RELAXED):
        for _ in range(STREAMS):
            other = torch.cuda.Stream(stream.device)
            with torch.cuda.stream(other):
                if not torch.cuda.is_current_stream_capturing():
                    made = torch.zeros(count, dtype=dtype, device=stream.device)
                    other.synchronize()
                    return made
    raise RuntimeError(f"all streams of {name} are under capture")
