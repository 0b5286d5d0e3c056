"""Arrays on a GPU, and what a launch says of a stream, come in; the handle of the stream that the kernel goes to comes
out, behind their writers.

The library that an array belongs to has a current stream (torch, CuPy), orders a stream behind its own work when asked
(DLPack's `__dlpack__`, the `stream` of the CUDA array interface), or has neither and is waited for (JAX, behind the
launch). Sources: the array API standard, "data interchange"; Numba's CUDA array interface version 3; the CUDA stream
protocol of cuda.core (`__cuda_stream__`)."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from avelang.runtime.arrays import CPU, Array, dlpack_capsule


class Waiting(Protocol):
    """A device, as `order` uses it."""

    def dlpack_stream(self, stream: int) -> int:
        """The stream in DLPack's numbers."""
        ...

    def wait(self, stream: int) -> None:
        """Waits until the stream is idle."""


def handle(stream: Any) -> int | None:
    """The driver's handle of a stream: of an int itself, of torch's `cuda_stream`, CuPy's `ptr`, or by
    `__cuda_stream__`; None for anything else."""
    protocol: Any = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        answer: Any = protocol() if callable(protocol) else protocol
        return int(answer[1]) if answer[0] == 0 else None
    for candidate in (stream, getattr(stream, "cuda_stream", None), getattr(stream, "ptr", None)):
        if type(candidate) is int and 0 <= candidate < 1 << 64:
            return candidate
    return None


def _torch(torch: Any, index: int) -> int:
    return int(torch.cuda.current_stream(index).cuda_stream)


def _cupy(cupy: Any, index: int) -> int:
    return int(cupy.cuda.get_current_stream(index).ptr)


_entered = threading.local()


@contextlib.contextmanager
def entered(stream: int) -> Iterator[None]:
    """Inside, launches of this thread on views that Ave makes of a framework's memory go to that stream."""
    before = entered_now()
    _entered.stream = stream
    try:
        yield
    finally:
        _entered.stream = before


def entered_now() -> int:
    """The stream of `entered` in this thread; 0 outside."""
    return getattr(_entered, "stream", 0)


def _own(module: Any, index: int) -> int:
    return entered_now()


# By the module that defines an array's type: its library's current stream on a device.
_CURRENT = {"torch": _torch, "cupy": _cupy, "avelang": _own}


def _library(array: Array) -> str:
    owner = array.keep[0] if isinstance(array.keep, tuple) else array.keep
    return "torch" if array.via == "torch" else type(owner).__module__.partition(".")[0]


def current(arrays: Iterable[Array], index: int) -> tuple[int, str]:
    """The current stream on device `index` of the first library among the arrays that has one, and that library; (0,
    "") where none has: the device's default stream."""
    for library in map(_library, arrays):
        module = sys.modules.get(library)
        if library in _CURRENT and module is not None:
            return _CURRENT[library](module, index), library
    return 0, ""


def order(arrays: Iterable[Array], stream: int, library: str, device: Waiting) -> None:
    """Makes `stream` wait for what the arrays' own libraries still do to them; the arrays of `library`, whose stream it
    is, are in order."""
    for array in arrays:
        owner = array.keep[0] if isinstance(array.keep, tuple) else array.keep
        if array.device == CPU or _library(array) == library:
            continue
        if array.via == "dlpack":
            dlpack_capsule(owner, device.dlpack_stream(stream))
        elif array.via == "cuda":
            theirs = array.keep[1].get("stream")
            if theirs is not None and theirs != stream:
                device.wait(int(theirs))


def unordered(arrays: Iterable[Array]) -> bool:
    """True where an array's library knows no stream but its own: what the kernel writes must be there when the launch
    returns."""
    return any(array.kind == "JAX" and array.device != CPU and array.via != "view" for array in arrays)
