"""A call into LLVM comes in, by its address; what it gave goes out, or `Ended` with what LLVM said where it wanted to
end the process.

LLVM's backends end the process, by `exit` or `abort`, at code that they cannot translate, and llvmlite has no handler
that could be told instead. So three entries of its library's table of imported functions are made to point at functions
of ours: while a guarded call runs in a thread, `exit` and `abort` jump back to where it began (which is what LLVM's own
CrashRecoveryContext does), and what is written to standard error is kept. Else they do what they did. What LLVM had
allocated in between is lost, and its objects must not be used again.

Where the table is not found (no ELF, another llvmlite), calls are made as they are. Sources: System V ABI, "Program
Loading and Dynamic Linking"; LLVM, CrashRecoveryContext.h and LLVMContext::diagnose. """

from __future__ import annotations

import contextlib
import ctypes
import functools
import mmap
import sys
from collections.abc import Iterator
from typing import Any

import llvmlite.binding as llvm

from avelang.native import units

NAMES = ("exit", "abort", "write")
ARGUMENTS = 4


class Ended(Exception):
    """LLVM wanted to end the process; the words are its own."""


# -- the library's table of imported functions -------------------------------------------------------------------------

_STRINGS, _SYMBOLS, _RELOCATIONS, _SIZE = 5, 6, 23, 2  # DT_STRTAB, DT_SYMTAB, DT_JMPREL, DT_PLTRELSZ
_DYNAMIC, _READ_ONLY = 2, 0x6474E552  # PT_DYNAMIC, PT_GNU_RELRO


class _Info(ctypes.Structure):
    """The answer of dladdr: file, where it begins, symbol, its address."""

    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_size_t),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_size_t),
    ]


def _u64(at: int) -> int:
    return ctypes.c_uint64.from_address(at).value


def _segments(base: int) -> Iterator[tuple[int, int, int]]:
    """(kind, address, bytes) of a loaded library's segments."""
    start, count = base + _u64(base + 32), ctypes.c_uint16.from_address(base + 56).value
    for at in range(start, start + 56 * count, 56):
        yield ctypes.c_uint32.from_address(at).value, base + _u64(at + 16), _u64(at + 40)


def slots(inside: int) -> dict[str, int]:
    """The addresses of the table's entries for `NAMES`, of the library that has the address `inside`. Raises
    LookupError where they are not found."""
    info = _Info()
    if (
        not ctypes.CDLL(None).dladdr(ctypes.c_void_p(inside), ctypes.byref(info))
        or ctypes.string_at(info.base, 6) != b"\x7fELF\x02\x01"
    ):
        raise LookupError("no ELF library")
    base, tags = info.base, {}
    at = next(address for kind, address, _ in _segments(base) if kind == _DYNAMIC)
    while tag := _u64(at):
        tags[tag] = _u64(at + 8)
        at += 16
    # glibc adds the base to these, others do not.
    strings, symbols, first = (
        tags[x] if tags[x] > base else tags[x] + base for x in (_STRINGS, _SYMBOLS, _RELOCATIONS)
    )
    found = {}
    for entry in range(first, first + tags[_SIZE], 24):
        name = ctypes.string_at(strings + ctypes.c_uint32.from_address(symbols + 24 * (_u64(entry + 8) >> 32)).value)
        if name.decode() in NAMES:
            found[name.decode()] = base + _u64(entry)
    if len(found) != len(NAMES):
        raise LookupError("the library does not import them")
    return found


def _point(base: int, slot: int, to: int) -> None:
    """Writes an entry, which may be in memory that the loader has made read-only."""
    closed = any(kind == _READ_ONLY and start <= slot < start + size for kind, start, size in _segments(base))
    page, protect = slot & ~(mmap.PAGESIZE - 1), ctypes.CDLL(None).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    if closed and protect(page, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE):
        raise LookupError("the library's table cannot be written")
    ctypes.c_uint64.from_address(slot).value = to
    if closed:
        protect(page, mmap.PAGESIZE, mmap.PROT_READ)


class _Guard:
    """The functions of native/guard.c, in the table's entries."""

    def __init__(self) -> None:
        from avelang.llvm.core import HostCompiler
        from avelang.llvm.engine import LoadedCode

        library = ctypes.CDLL(llvm.ffi.lib._name)
        inside = ctypes.cast(library.LLVMPY_ContextCreate, ctypes.c_void_p).value or 0
        found, info = slots(inside), _Info()
        ctypes.CDLL(None).dladdr(ctypes.c_void_p(inside), ctypes.byref(info))
        code = LoadedCode(HostCompiler(0).object(units.text("guard")))
        process = ctypes.CDLL(None)
        for name in NAMES:
            ctypes.c_void_p.from_address(code.address(f"ave_real_{name}")).value = ctypes.cast(
                getattr(process, name), ctypes.c_void_p
            ).value
        for name in NAMES:
            _point(info.base, found[name], code.address(f"ave_{name}"))
        self.length, self.text = code.address("ave_length"), code.address("ave_said")
        kinds = [ctypes.c_void_p, *[ctypes.c_int64] * ARGUMENTS, ctypes.c_void_p]
        self.guarded = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(code.address("ave_guarded"))
        code._engine.detach()  # never freed: what the table points at is there until the process ends
        self.lock, self.emitted = (
            llvm.ffi.lib._lock,
            ctypes.cast(library.LLVMPY_TargetMachineEmitToMemory, ctypes.c_void_p).value,
        )
        memory = {
            "LLVMPY_GetBufferStart": ctypes.c_void_p,
            "LLVMPY_GetBufferSize": ctypes.c_size_t,
            "LLVMPY_DisposeMemoryBuffer": None,
        }
        self.start, self.size, self.free = (getattr(library, name) for name in memory)
        for function, result in zip((self.start, self.size, self.free), memory.values(), strict=True):
            function.argtypes, function.restype = [ctypes.c_void_p], result

    def said(self) -> str:
        count = ctypes.c_uint64.from_address(self.length).value
        return ctypes.string_at(self.text, count).decode(errors="replace").strip()


@functools.cache
def _guard() -> _Guard | None:
    if sys.platform != "linux":
        return None
    with contextlib.suppress(LookupError, AttributeError, KeyError, StopIteration, OSError, ValueError, RuntimeError):
        return _Guard()
    return None


def _pointer(held: Any) -> int:
    """The address of one of llvmlite's objects."""
    return ctypes.cast(held._as_parameter_, ctypes.c_void_p).value or 0


def emit(machine: llvm.TargetMachine, module: llvm.ModuleRef, binary: bool) -> bytes:
    """The result of `machine.emit_object` (of `binary`) and `machine.emit_assembly`. Raises Ended; then neither the
    machine nor the module, nor what belongs to it, may be used or freed again: the caller keeps them. RuntimeError as
    they do."""
    guard = _guard()
    if guard is None:
        return machine.emit_object(module) if binary else machine.emit_assembly(module).encode()
    ended, out = ctypes.c_int64(0), ctypes.c_char_p()
    with guard.lock:
        places = (ctypes.addressof(out), ctypes.addressof(ended))
        memory = guard.guarded(guard.emitted, _pointer(machine), _pointer(module), int(binary), *places)
        if ended.value:
            raise Ended(guard.said())
        if not memory:
            raise RuntimeError((out.value or b"").decode(errors="replace"))
        try:
            return ctypes.string_at(guard.start(memory), guard.size(memory))
        finally:
            guard.free(memory)
