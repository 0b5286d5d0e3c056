"""A relocatable object of an AMD GPU comes in; a code object, the shared library that HIP loads, goes out. Bytes to
bytes, no files between.

Linkers, in the order in which they are looked for: AVE_LLD; `ld.lld` of LLVM 19 or newer in AVE_LLVM or on PATH; the
one inside the `ziglang` wheel, from the package index; `libamd_comgr` of a ROCm machine. The object says
which version of code objects it is for (the module flag `amdhsa_code_object_version` in LLVM IR,
`.amdhsa_code_object_version` in assembly): the linker keeps it. Older linkers refuse versions 5 and 6.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable

from avelang.amdgcn import comgr
from avelang.amdgcn.elf import RELOCATABLE, SHARED, header
from avelang.amdgcn.tools import run, search
from avelang.base import knobs
from avelang.base.errors import error

INSTALL = "apt-get install lld-22, or pip install ziglang, or set AVE_LLD=FILE"


def _lld(path: str, *before: str) -> Callable[[bytes], bytes]:
    command = [path, *before, "-shared", "--no-undefined", "--threads=1", "-o", "-", "/dev/stdin"]
    return lambda data: run(command, data, f"{path} {' '.join(before)}".strip())


def linker() -> tuple[str, Callable[[bytes], bytes]]:
    """(name, function from object to code object) of the first linker that is there. Raises D020, which names all that
    were looked for."""
    looked = []
    if chosen := knobs.lld():
        if os.access(chosen, os.X_OK) and not os.path.isdir(chosen):
            return chosen, _lld(chosen)
        raise error(
            "D020", purpose="linking a code object", tool="ld.lld", looked=f"AVE_LLD={chosen}, which cannot be run",
            install=INSTALL,
        )  # fmt: skip
    path, names = search("ld.lld")
    if path:
        return path, _lld(path)
    looked += names
    looked.append("the ziglang wheel")
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        zig = os.path.join(folder, "zig")
        if os.access(zig, os.X_OK):
            return zig, _lld(zig, "ld.lld")
    found, libraries = comgr.load()
    if found:
        return found.path, found.link
    looked += libraries
    raise error("D020", purpose="linking a code object", tool="ld.lld", looked=", ".join(looked), install=INSTALL)


def link(data: bytes) -> bytes:
    """The code object of a relocatable object. Raises D024 for what is none, D020 where there is no linker, D021 with
    the linker's words where it fails (an undefined symbol, for one)."""
    found = header(data)
    if isinstance(found, str):
        raise error("D024", what=f"what was given ({len(data)} bytes)", why=found)
    if found[0] != RELOCATABLE:
        raise error(
            "D024",
            what=f"what was given ({len(data)} bytes)",
            why=f"its type is {found[0]}, not {RELOCATABLE}; linked files are 3",
        )
    name, function = linker()
    out = function(data)
    made = header(out)
    if isinstance(made, str) or made[:2] != (SHARED, found[1]):
        raise error(
            "D021",
            tool=name,
            why=made if isinstance(made, str) else f"it made a file of type {made[0]} and ABI version {made[1]}",
        )
    return out
