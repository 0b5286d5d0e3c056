"""Object files for this machine come in; loaded code with the addresses of its functions goes out."""

from __future__ import annotations

import ctypes
import functools
import struct
import sys
from collections.abc import Iterator

import llvmlite.binding as llvm

from avelang.llvm.core import Host


@functools.cache
def _context() -> llvm.ContextRef:
    """One LLVM context for all engines, never freed: in a garbage cycle a context of its own could be freed before the engine using it."""
    return llvm.create_context()


@functools.cache
def _process() -> ctypes.CDLL:
    return ctypes.CDLL(None)


_ELF = b"\x7fELF\x02\x01"  # 64 bits, little endian
_MACHO = b"\xcf\xfa\xed\xfe"
_SYMBOLS, _NOBITS, _UNDEFINED, _WEAK = 2, 8, 0, 2


def _wanted(data: bytes) -> Iterator[str]:
    """The symbols that an ELF object needs from outside. Sources: System V ABI, "Object Files" (ELF-64). Raises ValueError for one that is torn."""
    if sys.platform != "linux":
        if not data.startswith(_MACHO):
            raise ValueError("no object file")
        return
    if not data.startswith(_ELF):
        raise ValueError("no object file")
    try:
        (start,), (size, count) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<HH", data, 58)
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
        for _, kind, _, _, at, length, link, _, _, each in sections:
            if kind != _NOBITS and at + length > len(data):
                raise ValueError("a torn object file")
            if kind != _SYMBOLS:
                continue
            for offset in range(at, at + length, each):
                name, info, _, section = struct.unpack_from("<IBBH", data, offset)
                if section == _UNDEFINED and name and info >> 4 != _WEAK:
                    text = sections[link][4] + name
                    found = data[text : data.index(b"\0", text)].decode()
                    if found != "_GLOBAL_OFFSET_TABLE_":  # the loader makes it
                        yield found
    except (struct.error, IndexError) as e:
        raise ValueError(f"a torn object file: {e}") from None


class Code:
    """Loaded machine code. It stays loaded as long as this object lives. Raises ValueError for what is no object file, or needs symbols that are
    nowhere in this process: LLVM itself ends the process then."""

    def __init__(self, payload: bytes):
        for name in list(_wanted(payload)):
            if not (llvm.address_of_symbol(name) or hasattr(_process(), name)):
                raise ValueError(f"there is no symbol {name}")
        compiler = Host(0)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly("", _context()), compiler.machine)
        self.add(payload)

    def add(self, payload: bytes) -> None:
        """Loads another object file; it may use what the others define."""
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(payload))
        self._engine.finalize_object()

    def address(self, symbol: str) -> int:
        """The address of a function or a variable."""
        return self._engine.get_function_address(symbol) or self._engine.get_global_value_address(symbol)
