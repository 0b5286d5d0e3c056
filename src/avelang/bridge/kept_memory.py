"""Memory that is kept from call to call, such as workspaces: sizes come in; torch's tensors of zeros go out, which are
in no CUDA graph's pool and hold zeros now, not when a graph is replayed."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

STREAMS = 64  # torch has 32 of a kind for a device, and hands them out in turn


def kept_memory(device: Any, *wanted: tuple[int, Any]) -> list[Any]:
    """Tensors of zeros on a device of torch's, of one dimension: a count and a dtype for each.

    A thread that records a CUDA graph, or calls what `torch.compile(mode="reduce-overhead")` is about to record, gets
    memory of the graph's pool, in which nothing may be left, and kernels that it launches run when the graph does. So
    another thread makes them, on a stream of which nothing is recorded, and waits for it. Raises torch's
    OutOfMemoryError."""
    torch: Any = sys.modules["torch"]
    if device.type != "cuda":
        return [torch.zeros(count, dtype=dtype, device=device) for count, dtype in wanted]
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(_made, torch, device, wanted).result()


def _made(torch: Any, device: Any, wanted: tuple[tuple[int, Any], ...]) -> list[Any]:
    from avelang.runtime import devices
    from avelang.runtime.gpu import RELAXED

    name = f"{'rocm' if torch.version.hip else 'cuda'}:{device.index or 0}"
    place = devices.device(name)
    # In this mode a thread may allocate and wait, whatever another one records.
    with place.driver.on(place, f"allocating on {name}", RELAXED):
        for _ in range(STREAMS):
            stream = torch.cuda.Stream(device)
            with torch.cuda.stream(stream):
                if not torch.cuda.is_current_stream_capturing():
                    made = [torch.zeros(count, dtype=dtype, device=device) for count, dtype in wanted]
                    stream.synchronize()
                    return made
    raise RuntimeError(f"all streams of {name} are under capture")
