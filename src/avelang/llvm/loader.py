"""Object files for this machine come in; loaded code with the addresses of its functions goes out, without LLVM.

Code made for the model "jitdefault" reaches everything by whole addresses, so that an object has relocations of 64 bits
only and may lie anywhere. What this loader does not know (another system, another processor, another kind of
relocation) it leaves to LLVM's.

Sources: System V ABI, "Object Files" (ELF-64); System V ABI, AMD64 supplement, "Relocation". """

from __future__ import annotations

import ctypes
import functools
import mmap
import platform
import struct
import sys
import weakref
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

_ELF = b"\x7fELF\x02\x01"  # 64 bits, little endian
_RELOCATABLE, _X86_64 = 1, 62
_SYMTAB, _RELA, _NOBITS = 2, 4, 8
_WRITE, _ALLOC, _EXECUTE = 1, 2, 4
_UNDEFINED, _ABSOLUTE = 0, 0xFFF1
_R_64, _R_PC64 = 1, 24  # 8 bytes: S + A, S + A - P
_PAGE = mmap.PAGESIZE


class Code(Protocol):
    """Loaded code."""

    def address(self, symbol: str) -> int:
        """The address of a function or a variable; 0 where there is none."""
        ...


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    at: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


class Unknown(Exception):
    """An object that this loader cannot load, and LLVM's may."""


def load_code(payload: bytes, symbols: Mapping[str, int] | None = None) -> Code:
    """The code of an object file. `symbols`: addresses of what it needs, before those of this process. Raises
    ValueError for what is no object file of this machine, or needs symbols that are nowhere."""
    if sys.platform == "linux" and platform.machine() == "x86_64":
        try:
            return ObjectCode(payload, symbols or {})
        except Unknown:
            pass
    from avelang.llvm import engine

    for name, address in (symbols or {}).items():
        engine.add_symbol(name, address)
    return engine.LoadedCode(payload)


@functools.cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int64]
    libc.mmap.restype = ctypes.c_void_p
    return libc


def _of_process(name: str) -> int:
    """The address of a symbol of this process, or 0."""
    for library in (_libc(), ctypes.pythonapi):
        found: Any = getattr(library, name, None)
        if found is not None:
            return ctypes.cast(found, ctypes.c_void_p).value or 0
    return 0


class ObjectCode:
    """The code of one object file, in memory of its own, for as long as this object lives: what runs first is what is
    written nowhere any more. Raises Unknown, and ValueError as `load_code`."""

    def __init__(self, data: bytes, symbols: Mapping[str, int], find: Callable[[str], int] = _of_process):
        try:
            self._load(data, symbols, find)
        except (struct.error, IndexError) as e:
            raise ValueError(f"a torn object file: {e}") from None

    def _load(self, data: bytes, symbols: Mapping[str, int], find: Callable[[str], int]) -> None:
        if not data.startswith(_ELF):
            raise ValueError("no object file")
        kind, machine = struct.unpack_from("<HH", data, 16)
        if kind != _RELOCATABLE or machine != _X86_64:
            raise Unknown
        (start,), (size, count) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<HH", data, 58)
        sections = [_Section(*struct.unpack_from("<IIQQQQIIQQ", data, start + i * size)) for i in range(count)]
        for s in sections:
            if s.kind != _NOBITS and s.offset + s.size > len(data):
                raise ValueError("a torn object file")
        self._map(data, sections)
        table = next((s for s in sections if s.kind == _SYMTAB), None)
        known = self._symbols(data, sections, table, symbols, find) if table is not None else []
        for s in sections:
            if s.kind == _RELA and s.info in self._place:
                self._relocate(data, s, known)
        if _libc().mprotect(self._base, self._executable, mmap.PROT_READ | mmap.PROT_EXEC):
            raise OSError(ctypes.get_errno(), "mprotect")

    def _map(self, data: bytes, sections: list[_Section]) -> None:
        """Gives each section its place: what is only read or run first, what is written on pages behind."""
        self._place: dict[int, int] = {}
        end = 0
        kept = [(i, s) for i, s in enumerate(sections) if s.flags & _ALLOC]
        for writable in (False, True):
            end = -(-end // _PAGE) * _PAGE
            for i, s in kept:
                if bool(s.flags & _WRITE) == writable:
                    if s.align > _PAGE:
                        raise Unknown
                    end = -(-end // max(1, s.align)) * max(1, s.align)
                    self._place[i] = end
                    end += s.size
            if not writable:
                self._executable = max(1, -(-end // _PAGE)) * _PAGE
                end = self._executable
        # The C library's, since an `mmap` of Python ends with the interpreter, and threads may still run then.
        how = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        base = _libc().mmap(None, end, mmap.PROT_READ | mmap.PROT_WRITE, how, -1, 0)
        if base in (None, ctypes.c_void_p(-1).value):
            raise OSError(ctypes.get_errno(), "mmap")
        self._base: int = base
        weakref.finalize(self, _libc().munmap, base, end).atexit = False
        self._memory = (ctypes.c_char * end).from_address(base)
        for i, s in kept:
            if s.kind != _NOBITS:
                self._memory[self._place[i] : self._place[i] + s.size] = data[s.offset : s.offset + s.size]

    def _symbols(self, data: bytes, sections: list[_Section], table: _Section, symbols: Mapping[str, int],
                 find: Callable[[str], int]) -> list[int]:  # fmt: skip
        """The addresses of all symbols; those of functions and variables that have a global name go by it, too."""
        names, out, missing = sections[table.link].offset, [], []
        self._named: dict[str, int] = {}
        for at in range(table.offset, table.offset + table.size, 24):
            name, info, _, section, value = struct.unpack_from("<IBBHQ", data, at)
            text = data[names + name : data.index(b"\0", names + name)].decode()
            address = value
            if section in self._place:
                address += self._base + self._place[section]
                if text and info >> 4:
                    self._named[text] = address
            elif section == _UNDEFINED and text and text != "_GLOBAL_OFFSET_TABLE_":
                address = symbols.get(text) or find(text)
                if not address and info >> 4 != 2:  # a weak one may be nowhere
                    missing.append(text)
            out.append(address)
        if missing:
            raise ValueError(f"there is no symbol {min(missing)}")
        return out

    def _relocate(self, data: bytes, section: _Section, known: list[int]) -> None:
        place = self._place[section.info]
        for at in range(section.offset, section.offset + section.size, 24):
            offset, info, addend = struct.unpack_from("<QQq", data, at)
            kind, value = info & 0xFFFFFFFF, known[info >> 32] + addend
            if kind not in (_R_64, _R_PC64):
                raise Unknown
            if kind == _R_PC64:
                value -= self._base + place + offset
            struct.pack_into("<Q", self._memory, place + offset, value & (1 << 64) - 1)

    def address(self, symbol: str) -> int:
        """The address of a function or a variable; 0 where there is none."""
        return self._named.get(symbol, 0)
