"""The host code of `host/*.ll`: text comes in; loaded functions, and the structs that they share with Python, go out.

It is compiled once for a machine and kept in the cache on disk. The structs mirror `%Pool`, `%Kernel`, ... of the text, field by field.
"""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm

from avelang.base import interrupts, knobs
from avelang.base.errors import error
from avelang.llvm.core import Host
from avelang.llvm.engine import Code
from avelang.runtime import cache

P = ctypes.c_void_p
I64 = ctypes.c_int64
I32 = ctypes.c_int32

ENTRIES = 16
EXCHANGES = 8
ALTERNATIVES = 4
SLOTS = 64
WIDES = 16  # values that no slot holds, at most, of a launch by the host code
MOST_INLINE = 5  # dimensions of a torch tensor that holds them itself
KEPT, NOTED = 16, 8  # slots of a launch that is noted, launches that are
# Of a worker thread: what Linux gives a main thread; macOS would give 512 KiB.
_STACK = 8 << 20
# Looks for another job before sleeping, each with a sched_yield: some 20 us, so that launches in a row find the workers awake.
_SPINS = 64
# pthread.h: Linux has 1, macOS 2.
_DETACHED = 2 if sys.platform == "darwin" else 1


class Pool(ctypes.Structure):
    _fields_ = [
        ("mutex", ctypes.c_byte * 128), ("wake", ctypes.c_byte * 128), ("finished", ctypes.c_byte * 128),
        ("taken", I32), ("active", I32), ("generation", I64), ("job", P), ("scratch", P), ("scratch_bytes", I64),
        ("workers", I32), ("started", I32), ("spins", I32), ("clock", I32), ("set_mask", I32), ("detached", I32), ("stack", I64),
        ("launches", P), ("listed", I32), ("ticker", I32), ("interrupts", I64), ("hook", P), ("before", P),
    ]  # fmt: skip


class Kernel(ctypes.Structure):
    """`ns_per_block` is measured by each launch; `last_ns` is the time of the last one."""

    _fields_ = [("run", P), ("scratch_bytes", I64), ("ns_per_block", ctypes.c_double), ("launches", I64), ("last_ns", I64)]


class Gpu(ctypes.Structure):
    """A kernel that a driver has loaded on a device; `most_x` blocks fit along x (-1: none, the slow path sees every launch)."""

    _fields_ = [
        ("launch", P), ("function", P), ("get", P), ("set", P), ("word", I64), ("most_x", I64), ("params", I64),
        ("block", ctypes.c_uint32 * 3), ("shared", ctypes.c_uint32), ("attributes", P), ("many", I64), ("only", I64), ("wide", ctypes.c_uint64),
    ]  # fmt: skip


class Recent(ctypes.Structure):
    """A launch that was handed to a driver."""

    _fields_ = [("gpu", P), ("number", I64), ("grid", ctypes.c_uint32 * 3), ("stream", P), ("slots", ctypes.c_uint64 * KEPT)]


class Subscript(ctypes.Structure):
    """What `kernel[provider]` gives: the type of it, where a kernel has its builtin, one such object that is free."""

    _fields_ = [("type", P), ("offset", I64), ("free", P)]


class Record(ctypes.Structure):
    """What a table of tensor maps has for one array."""

    _fields_ = [("key", I64 * 12), ("padding", I64 * 4), ("value", ctypes.c_byte * 128)]


class Maps(ctypes.Structure):
    """A table of tensor maps: the first `Record`, how many there are less one."""

    _fields_ = [("records", P), ("mask", I64)]


class Wide(ctypes.Structure):
    """A value that no slot holds, whose address a slot has; `word` stands for it in reports."""

    _fields_ = [("value", ctypes.c_byte * 128), ("word", I64), ("padding", I64 * 7)]


class Exchange(ctypes.Structure):
    _fields_ = [("type", P), ("function", P)]


class Fields(ctypes.Structure):
    """Where the fields of a torch tensor stand, in bytes, the dispatch keys of lazy views, and two functions of torch (`torch_tensors.Layout`)."""

    _fields_ = [
        (name, I64) for name in (
            "impl", "storage", "keys", "meta", "numel", "offset", "rank", "sizes", "data", "deleter", "lazy", "counter", "version", "requires",
            "enabled", "bytes",
        )
    ]  # fmt: skip


class Likeness(ctypes.Structure):
    """What torch tensors have in common that are read alike: type, virtual table, dispatch keys, dtype and device, who frees."""

    _fields_ = [("type", P), ("table", P), ("keys", ctypes.c_uint64), ("meta", ctypes.c_uint64), ("deleter", P)]


class Context(ctypes.Structure):
    _fields_ = [
        ("pool", P), ("int_", P), ("float_", P), ("str_", P), ("tuple_", P), ("none", P), ("true", P), ("false", P), ("ndarray", P),
        ("ave_error", P), ("fail", P), ("keep_traceback", I64), ("count", I64), ("exchanges", Exchange * EXCHANGES),
        ("digit", I64), ("tagged", I64), ("items", I64), ("fields", Fields),
    ]  # fmt: skip


class State(ctypes.Structure):
    _fields_ = [("context", P), ("slow", P), ("count", I64), ("entries", P * ENTRIES), ("last", I64)]


class Entry(ctypes.Structure):
    _fields_ = [
        ("kernel", P), ("watched", I64), ("watches", P), ("positional", I64), ("keyword", I64), ("names", P), ("block", I64 * 3),
        ("params", P), ("slots", I64), ("template", P), ("gpu", P), ("stream", P), ("device", I64), ("failed", P), ("expects", P),
    ]  # fmt: skip


class Watch(ctypes.Structure):
    _fields_ = [("home", P), ("name", P), ("value", P), ("tag", ctypes.c_uint64)]


class Param(ctypes.Structure):
    _fields_ = [
        ("kind", I64), ("slot", I64), ("low", I64), ("high", ctypes.c_uint64), ("rank", I64), ("device", I64),
        ("dtypes", ctypes.c_uint32 * ALTERNATIVES), ("shape", P), ("strides", P), ("item", I64), ("descriptors", P * ALTERNATIVES), ("padding", I64),
        ("like", Likeness), ("rest", I64 * 3),
    ]  # fmt: skip


class MethodDef(ctypes.Structure):
    """CPython's PyMethodDef, and behind it the address of the builtin's `State`."""

    _fields_ = [("name", ctypes.c_char_p), ("function", P), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p), ("state", P)]


FASTCALL_KEYWORDS = 0x0080 | 0x0002


def _text() -> str:
    folder = pathlib.Path(__file__).parent / "host"
    return "".join((folder / name).read_text(encoding="utf-8") for name in ("pool.ll", "maps.ll", "gpu.ll", "stub.ll", "subscript.ll"))


def _code(text: str) -> Code:
    """The text, loaded: out of the cache or compiled, once for a machine."""
    compiler = Host(2)
    name = cache.key({"host": list(compiler.key), "text": text})
    found = cache.load(name)
    if found is not None:
        try:
            return Code(found.payload)
        except (ValueError, RuntimeError):
            cache.drop(name)
    payload = compiler.object(text)
    cache.store(name, {"kind": "host"}, payload)
    return Code(payload)


class Native:
    """The host code of this process: the pool, and the ways to launch (`run` and `launch_gpu` here, `launch_address` for builtins)."""

    def __init__(self) -> None:
        if os.name != "posix":
            raise error("D010")
        text = _text()
        for symbol in set(re.findall(r"@(Py\w+|_Py\w+)", text)):
            llvm.add_symbol(symbol, ctypes.cast(getattr(ctypes.pythonapi, symbol), P).value)
        self._code = _code(text)
        self.pool = Pool(
            workers=threads() - 1, spins=_SPINS, clock=time.CLOCK_MONOTONIC, set_mask=signal.SIG_SETMASK, detached=_DETACHED, stack=_STACK,
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
        ctypes.CFUNCTYPE(None, P, ctypes.c_int)(self._code.address("ave_watch_interrupts"))(self.pool_address, signal.SIGINT)
        interrupts.pressed.count = lambda: self.pool.interrupts
        self._launch_gpu = ctypes.CFUNCTYPE(I64, P, P, P)(self._code.address("ave_launch_gpu"))
        # These hold the interpreter's lock, which is what keeps launches from the table meanwhile.
        self._map_find = ctypes.PYFUNCTYPE(ctypes.c_int, P, P, I64, P)(self._code.address("ave_map_find"))
        self._map_keep = ctypes.PYFUNCTYPE(ctypes.c_int, P, P, I64, P)(self._code.address("ave_map_keep"))
        self.launch_address = self._code.address("ave_launch")
        self.kept_address = self._code.address("ave_kept")  # whether a launch keeps what a kernel expects, of a table of `expects`
        self._recent = (Recent * NOTED).from_address(self._code.address("ave_recent"))
        self._launched = I64.from_address(self._code.address("ave_launched"))

    def address(self, symbol: str) -> int:
        """The address of a function or a variable of the host code."""
        return self._code.address(symbol)

    def recent(self) -> list[Recent]:
        """The last launches that drivers took, newest first."""
        return sorted((r for r in self._recent if r.gpu and r.number < self._launched.value), key=lambda r: -r.number)

    def map_find(self, maps: Maps, key: Any, rank: int, wide: Wide) -> bool:
        """Whether a table knows a key; its value is copied to `wide`."""
        return bool(self._map_find(ctypes.addressof(maps), ctypes.addressof(key), rank, ctypes.addressof(wide)))

    def map_keep(self, maps: Maps, key: Any, rank: int, value: Any) -> bool:
        """Puts a value into a table; whether a free record was taken for it."""
        return bool(self._map_keep(ctypes.addressof(maps), ctypes.addressof(key), rank, ctypes.addressof(value)))

    def run(self, kernel: int, slots: Any, grid: Any) -> int:
        """Runs a grid with the interpreter's lock released. Arguments: address of a `Kernel`, c_int64 array, c_uint32 array of three."""
        return self._run(self.pool_address, kernel, ctypes.addressof(slots), ctypes.addressof(grid))

    def launch_gpu(self, gpu: int, slots: Any, grid: Any) -> int:
        """Hands a grid to a driver, with the interpreter's lock released; the stream is the slot behind the last parameter's. Arguments: address
        of a `Gpu`, the others as of `run`, KEPT slots at least. Returns the driver's status; which call gave it stands 32 bits higher
        (`gpu.CALLS`)."""
        return self._launch_gpu(gpu, ctypes.addressof(slots), ctypes.addressof(grid))


def _interrupted() -> None:
    """Called in a thread other than the main one whose launch is under way when Ctrl-C was pressed: the launch ends as the main thread's would."""
    if threading.current_thread() is not threading.main_thread() and interrupts.meant_for_all():
        raise KeyboardInterrupt


def threads() -> int:
    """How many threads run blocks, the calling one included: AVE_THREADS, or the cores that this process may use."""
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
