"""A code object or assembly, ours or anyone's, as bytes, text or a file, comes in; an `AsmProgram` for
`machine.AmdMachine` goes out."""

from __future__ import annotations

import dataclasses
import pathlib

from avelang.amdgcn.asm import AsmProgram, DataSection, decoded, parse
from avelang.amdgcn.code_object import BINARY
from avelang.base.errors import error

CHIPS = ("gfx90a", "gfx942", "gfx950")


def load(source: str | bytes | pathlib.Path, kernel: str | None = None, chip: str | None = None) -> AsmProgram:
    """The program of a code object (bytes, or a file) or of assembly (text, or a file).

    `kernel`: which one of a code object's (not needed where it has one); `chip`: which code object of an offload
    bundle. A str is assembly text when it has more than one line, else the name of a file. Raises X020 for text that is
    not assembly, X028 for what cannot be read, holds no kernel or is for another GPU, and what
    `amdgcn.code_object.read` and `amdgcn.disassemble.assembly` raise.
    """
    name = "the code object" if isinstance(source, bytes) else "assembly"
    if not isinstance(source, (str, bytes, bytearray, pathlib.Path)):
        raise error(
            "X028", what=repr(source)[:80], why=f"it is a {type(source).__name__}, not text, bytes or a file's name"
        )
    if isinstance(source, pathlib.Path) or (isinstance(source, str) and "\n" not in source):
        path = pathlib.Path(source)
        name = str(path)
        try:
            content = path.read_bytes()
        except OSError as e:
            raise error("X028", what=str(path), why=e.strerror or str(e)) from None
    else:
        content = source.encode() if isinstance(source, str) else bytes(source)
    if content.startswith(BINARY):
        found = _code_object(content, name, kernel, chip)
    else:
        found = parse(decoded(content, name), name)
    if not found.kernels:
        raise error(
            "X028", what=name, why="it has no `.amdhsa_kernel`, which says where a kernel begins and what it takes"
        )
    if found.chip and found.chip not in CHIPS:
        raise error(
            "X028", what=name, why=f"it is code for {found.chip}; what is executed is code for {', '.join(CHIPS)}"
        )
    return found


def _code_object(content: bytes, name: str, kernel: str | None, chip: str | None) -> AsmProgram:
    from avelang.amdgcn.code_object import ABSOLUTE, read
    from avelang.amdgcn.disassemble import assembly

    found = read(content, chip, name)
    program = parse(assembly(found, found.kernel(kernel).name, functions=True), name)
    # What the code refers to by address stands where the file says, counted from the address of the first byte of the
    # file.
    image = bytearray(max((s.address + s.size for s in found.segments), default=0))
    for address, data in found.load():
        image[address : address + len(data)] = data
    labels = {"": 0, **{s.name: s.address for s in found.symbols.values() if s.defined}}
    fixups = tuple((r.address, r.symbol, r.addend) for r in found.relocations if ABSOLUTE.get(r.kind, (0, 0))[0] == 8)
    return dataclasses.replace(program, data=DataSection(bytes(image), labels, fixups), labels=program.labels)
