"""`@avelang.jit`: a Python function comes in, a kernel that can be launched (or called by other kernels) goes out.

The runtime is imported at the first launch, so that importing a file with kernels stays cheap.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from avelang.base import knobs
from avelang.base.errors import AveError, error
from avelang.frontend.source import Jitted, Source

if TYPE_CHECKING:
    from avelang.runtime.launch import Launch, Launcher


class JitFunction(Jitted):
    """A kernel: `kernel[provider](*args, **kwargs)` launches it; called by another jit function, it is a device function.

    `provider` is a callable that returns `((gx, gy, gz), (bx, by, bz))`, or that tuple; extents left out at the end are 1. Arguments go by
    position or by name, constexpr parameters among them. Options go by name: `num_warps` and `waves_per_eu` (hints, positive ints), `cluster` (blocks
    of a cluster along x, y, z, on NVIDIA GPUs of sm_90 and newer), `target` (the chip whose intrinsics the kernel uses; inferred where left out),
    `backend` ("cpu", "reference" or "gfx942-exec"), `stream` (on a GPU, instead of the current one). Arrays are used where they
    are, never copied, and say where the kernel runs; the memory of a JAX array, which JAX takes as constant, is written too if the kernel writes
    to it. On the CPU a launch returns when the kernel has run, on a GPU when it is on the stream. A grid with an extent of 0 runs nothing.

    Raises LaunchError for arguments that do not fit, before anything runs, and what the compiler finds at the first launch.
    """

    # The builtin that launches it, where the native subscription finds it (`runtime.subscript`).
    __slots__ = ("_native",)

    def __init__(self, fn: Callable[..., Any]):
        self.source = Source(fn)
        functools.update_wrapper(self, fn)

    @functools.cached_property
    def _launcher(self) -> Launcher:
        from avelang.runtime.launch import Launcher

        return Launcher(self.source)

    @functools.cached_property
    def _call(self) -> Callable[..., None]:
        return self._launcher.call

    def __getitem__(self, provider: Any) -> Callable[..., None]:
        # The first time only, or where there is no builtin.
        found = functools.partial(self._call, provider)
        self._launcher.adopt(self)
        return found

    # `kernel[...]` is a launch, not an item: without this, Python would take a kernel for an endless sequence.
    __iter__ = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise error("L001", kernel=self.source.name)

    @property
    def last(self) -> Launch | None:
        """What became of the last launch: compiled, out of the cache or hot, and how long it took. None before the first."""
        return self._launcher.last if "_launcher" in self.__dict__ else None

    @property
    def prepared(self) -> tuple[Launch, ...]:
        """The launches that had to compile or load their kernel first, in order; one for each kind of call."""
        return tuple(self._launcher.prepared) if "_launcher" in self.__dict__ else ()

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.source.fn)

    def __repr__(self) -> str:
        return f"<jit function {self.source.name} at {self.source.file}:{self.source.fn.__code__.co_firstlineno}>"


def jit(fn: Callable[..., Any]) -> JitFunction:
    """Makes a kernel of a function in a file. Raises S003 for what is no plain function."""
    try:
        return JitFunction(fn)
    except AveError as e:
        raise e if knobs.full_traceback() else e.with_traceback(None) from None
