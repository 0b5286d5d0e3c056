"""The host code (`avelang.native`, `host/*.c`) comes in as LLVM IR; loaded functions go out.

It is compiled for a machine and kept in the cache on disk. What it shares with Python is in `native/layouts.h`.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from avelang.base import interrupts, knobs
from avelang.base.errors import error
from avelang.llvm.loader import Code, load_code
from avelang.native import units
from avelang.native.layouts import NOTED, Dry, Maps, Pool, Recent, Wide
from avelang.runtime import cache

P = ctypes.c_void_p
I64 = ctypes.c_int64

# Of a worker thread: what Linux gives a main thread; macOS would give 512 KiB.
_STACK = 8 << 20
# Looks for another job before sleeping, each with a sched_yield: some 20 us, so that launches in a row find the workers
# awake.
_SPINS = 64
# pthread.h: Linux has 1, macOS 2.
_DETACHED = 2 if sys.platform == "darwin" else 1
FASTCALL_KEYWORDS = 0x0080 | 0x0002


# The host code of a bundle, which needs no compiler: `runtime.bundle` puts it here.
provided: list[bytes] = []


def symbols(text: str) -> dict[str, int]:
    """The addresses of what host code calls of Python."""
    names = set(re.findall(r"@(Py\w+|_Py\w+)", text))
    return {name: ctypes.cast(getattr(ctypes.pythonapi, name), P).value or 0 for name in names}


def _code(text: str) -> Code:
    """The text, loaded: of a bundle, out of the cache, or compiled. Raises L067.

    The first process on a machine takes code that was made in haste, in a quarter of the time: a launch takes 0.05 us
    more there. The second one makes what all others take."""
    known = symbols(text)
    if provided:
        return load_code(provided[-1], known)
    from avelang.llvm.core import HostCompiler

    compiler = HostCompiler(2)
    good, hasty = (cache.key({"host": list(compiler.key), "text": text, "hasty": x}) for x in (False, True))
    found = _cached(good, known)
    if found is not None:
        return found
    first = _cached(hasty, known)
    if knobs.strict():
        if first is not None:
            return first
        raise error("L067", kernel="the launcher", chip="cpu", what="code of Ave's own, which every bundle has",
                    hint="load a bundle before the first launch: avelang.load_bundle(path), or AVE_BUNDLE=path")
    # Its C was optimized when `./dev native` made the text: LLVM's passes would find nothing, in a quarter of a second.
    if first is None:
        payload = HostCompiler(2, quick=True).object(text, ready=True)
        cache.store(hasty, {"kind": "host"}, payload)
    else:
        payload = compiler.object(text, ready=True)
        cache.store(good, {"kind": "host"}, payload)
        cache.drop(hasty)
    return load_code(payload, known)


def _cached(name: str, known: dict[str, int]) -> Code | None:
    """The code of an entry of the cache; None, and it is dropped, where it does not load."""
    found = cache.load(name)
    if found is None:
        return None
    try:
        return load_code(found.payload, known)
    except (ValueError, RuntimeError):
        cache.drop(name)
        return None


class Native:
    """The host code of this process: the pool, and the ways to launch (`run` and `launch_gpu` here, `launch_address`
    for builtins)."""

    def __init__(self) -> None:
        if os.name != "posix":
            raise error("D010")
        text = units.text("host")
        self._code = _code(text)
        self.pool = Pool(
            workers=threads() - 1,
            spins=_SPINS,
            clock=time.CLOCK_MONOTONIC,
            set_mask=signal.SIG_SETMASK,
            detached=_DETACHED,
            stack=_STACK,
            hook=id(_interrupted),
        )
        self.pool_address = ctypes.addressof(self.pool)
        init = ctypes.CFUNCTYPE(None, P)(self._code.address("ave_pool_init"))
        self._reset: Callable[[], Any] = lambda: init(self.pool_address)
        self._reset()
        # A child has none of its parent's threads.
        os.register_at_fork(after_in_child=self._reset)
        # Raises what a handler of a signal has raised while blocks ran.
        self._run = ctypes.PYFUNCTYPE(I64, P, P, P, P)(self._code.address("ave_run_held"))
        ctypes.CFUNCTYPE(None, P, ctypes.c_int)(self._code.address("ave_watch_interrupts"))(self.pool_address,
                signal.SIGINT)
        interrupts.pressed.count = lambda: self.pool.interrupts
        self._launch_gpu = ctypes.CFUNCTYPE(I64, P, P, P)(self._code.address("ave_launch_gpu"))
        # These hold the interpreter's lock, which is what keeps launches from the table meanwhile.
        self._map_find = ctypes.PYFUNCTYPE(ctypes.c_int, P, P, I64, P)(self._code.address("ave_map_find"))
        self._map_keep = ctypes.PYFUNCTYPE(ctypes.c_int, P, P, I64, P)(self._code.address("ave_map_keep"))
        self.launch_address = self._code.address("ave_launch")
        # whether a launch keeps what a kernel expects, of a table of `expects`
        self.kept_address = self._code.address("ave_kept")
        self._recent = (Recent * NOTED).from_address(self._code.address("ave_recent"))
        self._dry = Dry.from_address(self._code.address("ave_dry"))
        self._launched = I64.from_address(self._code.address("ave_launched"))

    def address(self, symbol: str) -> int:
        """The address of a function or a variable of the host code."""
        return self._code.address(symbol)

    def recent(self) -> list[Recent]:
        """The last launches that drivers took, newest first."""
        return sorted((r for r in self._recent if r.gpu and r.number < self._launched.value), key=lambda r: -r.number)

    def map_find(self, maps: Maps, key: Any, rank: int, wide: Wide) -> bool:
        """True where a table has a key; its value is copied to `wide`."""
        return bool(self._map_find(ctypes.addressof(maps), ctypes.addressof(key), rank, ctypes.addressof(wide)))

    def map_keep(self, maps: Maps, key: Any, rank: int, value: Any) -> bool:
        """Puts a value into a table; whether a free record was taken for it."""
        return bool(self._map_keep(ctypes.addressof(maps), ctypes.addressof(key), rank, ctypes.addressof(value)))

    def run(self, kernel: int, slots: Any, grid: Any) -> int:
        """Runs a grid with the interpreter's lock released. Arguments: address of a `Kernel`, c_int64 array, c_uint32
        array of three."""
        self._refuse_dry_runs()
        return self._run(self.pool_address, kernel, ctypes.addressof(slots), ctypes.addressof(grid))

    def launch_gpu(self, gpu: int, slots: Any, grid: Any) -> int:
        """Hands a grid to a driver, with the interpreter's lock released; the stream is the slot behind the last
        parameter's. Arguments: address of a `Gpu`, the others as of `run`, KEPT slots at least. Returns the driver's
        status; which call gave it stands 32 bits higher (`gpu.CALLS`)."""
        self._refuse_dry_runs()
        return self._launch_gpu(gpu, ctypes.addressof(slots), ctypes.addressof(grid))

    def _refuse_dry_runs(self) -> None:
        if self._dry.hook and self._dry.thread == threading.get_ident():
            raise RuntimeError("a launch by Python in a dry run, which launches nothing")


def _interrupted() -> None:
    """Called in a thread other than the main one whose launch is under way when Ctrl-C was pressed: the launch ends as
    the main thread's would."""
    if threading.current_thread() is not threading.main_thread() and interrupts.meant_for_all():
        raise KeyboardInterrupt


def threads() -> int:
    """The number of threads that run blocks, the calling one included: AVE_THREADS, or the cores that this process may
    use."""
    asked = knobs.threads()
    if asked is not None:
        return asked
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_lock = threading.Lock()


@functools.cache
def _native() -> Native:
    return Native()


def native() -> Native:
    """The host code of this process, loaded at the first call. Raises D010 on a system without POSIX threads."""
    with _lock:
        return _native()
