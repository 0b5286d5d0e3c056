"""An NVIDIA code object (cubin) comes in; the source lines at which it stores registers to memory and loads them again
go out.

Sources: ELF-64 Object File Format; DWARF 2 to 4, "Line Number Information". The instructions of local memory and their
widths are not published: the two opcodes stand as they are found in the code of sm_75 to sm_100, where the bytes that
they move add up to what `ptxas -v` says of spills (tests/runtime/test_spills.py)."""

from __future__ import annotations

import bisect
import struct
from collections import Counter
from collections.abc import Iterator

INSTRUCTION = 16  # bytes, sm_70 and newer
STORE, LOAD = 0x387, 0x983  # STL and LDL: the low 12 bits
WIDTHS = (1, 1, 2, 2, 4, 8, 16)  # bytes, by bits 73 to 75
_NOBITS = 8


def sections(code: bytes) -> dict[str, bytes]:
    """The sections of an ELF file by name; empty for what is none."""
    if code[:5] != b"\x7fELF\2":
        return {}
    start = struct.unpack_from("<Q", code, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", code, 0x3A)
    # name, type, offset and bytes of each section
    heads = [
        (h[0], h[1], h[4], h[5]) for h in (struct.unpack_from("<IIQQQQ", code, start + size * i) for i in range(count))
    ]
    texts = heads[names][2]
    found = {}
    for name, kind, offset, length in heads:
        end = code.index(b"\0", texts + name)
        found[code[texts + name : end].decode(errors="replace")] = (
            b"" if kind == _NOBITS else code[offset : offset + length]
        )
    return found


class _SpillReader:
    """The bytes of a section, from front to back."""

    def __init__(self, data: bytes, at: int = 0):
        self.data, self.at = data, at

    def take(self, form: str) -> int:
        value = struct.unpack_from("<" + form, self.data, self.at)[0]
        self.at += struct.calcsize(form)
        return value

    def leb(self, signed: bool = False) -> int:
        value = shift = 0
        while True:
            byte = self.take("B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value

    def string(self) -> str:
        end = self.data.index(b"\0", self.at)
        text = self.data[self.at : end].decode(errors="replace")
        self.at = end + 1
        return text


def _files(r: _SpillReader) -> list[str]:
    """The table of files, which counts from 1."""
    folders, files = [""], [""]
    while folder := r.string():
        folders.append(folder)
    while name := r.string():
        folder = folders[r.leb()]
        for _ in ("time", "bytes"):
            r.leb()
        files.append(f"{folder.rstrip('/')}/{name}" if folder else name)
    return files


def lines(data: bytes) -> Iterator[tuple[int, str, int]]:
    """(address, file, line) where each run of instructions begins, in the order of the table. Of a file with one
    kernel: addresses begin at 0."""
    r = _SpillReader(data)
    end = r.take("I") + 4
    version = r.take("H")
    program = r.take("I") + r.at
    smallest = r.take("B")
    r.at += 1 + (version >= 4)
    base, span, special = r.take("b"), r.take("B"), r.take("B")
    lengths = [r.take("B") for _ in range(special - 1)]
    files = _files(r)
    r.at, address, file, line = program, 0, 1, 1
    while r.at < end:
        code = r.take("B")
        if code >= special:
            address += (code - special) // span * smallest
            line += base + (code - special) % span
            yield address, files[file], line
        elif code == 0:  # extended: its length, then its own code
            size = r.leb()
            r.at += size
            if r.data[r.at - size] == 1:
                address, file, line = 0, 1, 1
        elif code == 1:
            yield address, files[file], line
        elif code == 2:
            address += r.leb() * smallest
        elif code == 3:
            line += r.leb(signed=True)
        elif code == 4:
            file = r.leb()
        elif code == 8:
            address += (255 - special) // span * smallest
        elif code == 9:
            address += r.take("H")
        else:
            for _ in range(lengths[code - 1]):
                r.leb()


def moved(code: bytes) -> Iterator[tuple[int, str, int]]:
    """(address, "store" or "load", bytes) of each instruction on a thread's local memory."""
    for at in range(0, len(code) - INSTRUCTION + 1, INSTRUCTION):
        low, high = struct.unpack_from("<QQ", code, at)
        if low & 0xFFF in (STORE, LOAD):
            width = high >> 9 & 7
            yield at, "store" if low & 0xFFF == STORE else "load", WIDTHS[width] if width < len(WIDTHS) else 0


def spill_lines(code: bytes, entry: str) -> list[tuple[str, int, int]]:
    """(file, line, bytes stored and loaded there) of a kernel's instructions on local memory, the most first: where
    `ptxas` speaks of spills, these are they. Empty where the code object has no line information, or none that is read
    here."""
    try:
        found = sections(code)
        table = sorted(lines(found[".debug_line"]))
        starts = [address for address, _, _ in table]
        sums: Counter[tuple[str, int]] = Counter()
        for at, _, size in moved(found[f".text.{entry}"]):
            _, file, line = table[max(0, bisect.bisect_right(starts, at) - 1)]
            sums[file, line] += size
    except (KeyError, IndexError, ValueError, struct.error):
        return []
    return [(file, line, size) for (file, line), size in sums.most_common()]
