"""Object files for this machine come in; loaded code with the addresses of its functions goes out."""

from __future__ import annotations

import ctypes
import functools
import itertools
import struct
import sys
from collections.abc import Iterable

import llvmlite.binding as llvm

from avelang.llvm.core import HostCompiler


@functools.cache
def _context() -> llvm.ContextRef:
    """One LLVM context for all engines, never freed: in a garbage cycle a context of its own could be freed before the
    engine using it."""
    return llvm.create_context()


@functools.cache
def _process() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def add_symbol(name: str, address: int) -> None:
    """Makes a symbol known to code that is loaded from here on."""
    llvm.add_symbol(name, address)


_ELF = b"\x7fELF\x02\x01"  # 64 bits, little endian
_MACHO = b"\xcf\xfa\xed\xfe"
_SYMBOLS, _NOBITS, _UNDEFINED, _LOCAL, _WEAK = 2, 8, 0, 0, 2
_PACK = b"ave objects\0"


def pack(objects: Iterable[bytes]) -> bytes:
    """Several object files as one payload for `LoadedCode`."""
    parts = tuple(objects)
    return b"".join((_PACK, struct.pack("<I", len(parts)), *(struct.pack("<I", len(x)) for x in parts), *parts))


def unpack(payload: bytes) -> list[bytes]:
    """The object files of a payload. Raises ValueError for one that is torn."""
    if not payload.startswith(_PACK):
        return [payload]
    try:
        (count,) = struct.unpack_from("<I", payload, len(_PACK))
        sizes = struct.unpack_from(f"<{count}I", payload, len(_PACK) + 4)
    except struct.error as e:
        raise ValueError(f"a torn pack of object files: {e}") from None
    ends = list(itertools.accumulate(sizes, initial=len(_PACK) + 4 + 4 * count))
    if ends[-1] != len(payload):
        raise ValueError("a torn pack of object files")
    return [payload[a:b] for a, b in itertools.pairwise(ends)]


def _symbols(data: bytes) -> tuple[set[str], set[str]]:
    """The symbols that an ELF object needs from outside, and those that it has for others. Sources: System V ABI,
    "Object Files" (ELF-64). Raises ValueError for one that is torn."""
    wanted: set[str] = set()
    given: set[str] = set()
    if sys.platform != "linux":
        if not data.startswith(_MACHO):
            raise ValueError("no object file")
        return wanted, given
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
                if not name or info >> 4 == _LOCAL or section == _UNDEFINED and info >> 4 == _WEAK:
                    continue
                text = sections[link][4] + name
                (wanted if section == _UNDEFINED else given).add(data[text : data.index(b"\0", text)].decode())
    except (struct.error, IndexError) as e:
        raise ValueError(f"a torn object file: {e}") from None
    return wanted - {"_GLOBAL_OFFSET_TABLE_"}, given  # the loader makes that


class LoadedCode:
    """Loaded machine code. It stays loaded as long as this object lives. A payload is an object file, or several
    (`pack`). Raises ValueError for what is none, or needs symbols that are nowhere in this process: LLVM itself ends
    the process then."""

    def __init__(self, payload: bytes):
        wanted, given = (set().union(*each) for each in zip(*map(_symbols, unpack(payload)), strict=True))
        for name in sorted(wanted - given):
            if not (llvm.address_of_symbol(name) or hasattr(_process(), name)):
                raise ValueError(f"there is no symbol {name}")
        compiler = HostCompiler(0)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly("", _context()), compiler.machine)
        self.add(payload)

    def add(self, payload: bytes) -> None:
        """Loads another payload; it may use what the others define."""
        for each in unpack(payload):
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(each))
        self._engine.finalize_object()

    def address(self, symbol: str) -> int:
        """The address of a function or a variable."""
        return self._engine.get_function_address(symbol) or self._engine.get_global_value_address(symbol)
