"""The header of an AMD GPU's ELF file: bytes come in; type, version and target, or what is wrong in words, go out."""

from __future__ import annotations

import struct

MACHINE, OS = 224, 64  # EM_AMDGPU; ELFOSABI_AMDGPU_HSA
RELOCATABLE, SHARED = 1, 3  # ET_REL, ET_DYN

# The AMDGPU_MACH numbers of e_flags for the chips that Ave knows, and what their feature bits say in a target's name
# (LLVM, "User Guide for AMDGPU Backend", ELF header, e_flags of version 4 and later).
MACH = {0x3F: "gfx90a", 0x4C: "gfx942", 0x4F: "gfx950"}
GENERIC = {0x5F: "gfx942"}  # gfx9-4-generic, code for all chips of its kind, and the one as which it is taken
FEATURES = (("sramecc", 0xC00, {0x800: "-", 0xC00: "+"}), ("xnack", 0x300, {0x200: "-", 0x300: "+"}))
FEATURES_OF_3 = (
    ("sramecc", 0x200, {0: "-", 0x200: "+"}),
    ("xnack", 0x100, {0: "-", 0x100: "+"}),
)  # of version 3: on or off


def target_id(flags: int, version: int = 4) -> str:
    """The target that e_flags name, such as "gfx942:sramecc+:xnack-", in a code object of a version; "" where Ave does
    not know the chip."""
    name = (MACH | GENERIC).get(flags & 0xFF, "")
    features = FEATURES_OF_3 if version == 3 else FEATURES
    return name + "".join(f":{f}{signs[flags & mask]}" for f, mask, signs in features if name and flags & mask in signs)


def header(data: bytes) -> tuple[int, int, int] | str:
    """(type, ABI version, flags) of an AMD GPU's ELF file, or what is wrong with it, in words."""
    if len(data) < 64 or data[:4] != b"\x7fELF":
        return "it is no ELF file" if data[:4] != b"\x7fELF" else f"it ends after {len(data)} bytes, within its header"
    kind, machine = struct.unpack_from("<HH", data, 16)
    if data[4:6] != b"\x02\x01" or machine != MACHINE:
        return f"it is an ELF file for machine {machine}; AMD GPUs are machine {MACHINE}, 64 bits, little-endian"
    if data[7] != OS:
        return f"its operating system is {data[7]}, not {OS} (amdhsa)"
    return kind, data[8], struct.unpack_from("<I", data, 48)[0]
