"""The functions of a translation come in; object files for this machine go out.

A program's own blocks are made quickly: LLVM takes half the time, and its code is a little slower. What programs share
(the checker's functions, accesses to memory, matrix instructions) is made well, each function once in a process.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping

from avelang.llvm.core import HostCompiler, IRModule
from avelang.llvm.engine import pack

ATTRIBUTES = 'nounwind "frame-pointer"="none"'
BLOCK = "ave_block"  # with this begin the names of what is a program's own

_DEFINED = re.compile(r"^define (?:internal )?([^@]*@([\w.]+)\(.*?\))\s+(?:noinline )?#0 \{", re.M | re.S)
_GLOBAL = re.compile(r"^@([\w.]+) = ", re.M)
_NAME = re.compile(r"@[\w.]+")
_TABLE = "@ave_blocks = external global [0 x ptr]"  # of blocks, which the scheduler reads


def made(module: IRModule, known: Mapping[str, str] | None = None) -> tuple[bytes, dict[str, str]]:
    """The object files of a module, packed (see `engine.Code`), and the signatures of the functions that they define.
    `known`: signatures of functions that are there already; the module's own of these names are left out."""
    functions = {name: text for name, text in module.functions.items() if name not in (known or {})}
    found = {name: {who: what for what, who in _DEFINED.findall(text)} for name, text in functions.items()}
    signatures = {who: what for each in found.values() for who, what in each.items()}
    texts = _texts(module, functions, {**(known or {}), **signatures})
    return pack(_object(text, quick) for text, quick in texts), signatures


def _texts(module: IRModule, functions: Mapping[str, str], signatures: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """The text of each object file, and whether it is to be made quickly."""
    own = [name for name in functions if name.startswith(BLOCK)]
    shared = [name for name in functions if not name.startswith(BLOCK)]
    for names, quick in ((own, True), *(([name], False) for name in shared)):
        if names:
            yield _text(module, "\n".join(functions[name] for name in names), signatures), quick


def _text(module: IRModule, text: str, signatures: Mapping[str, str]) -> str:
    """Some functions with the declarations and constants that they need. Constants are counted anew, so that a function
    always has the same text."""
    text = re.sub(r"^((?:define|@[\w.]+ =)) internal ", r"\1 ", text, flags=re.M)
    here = {who for _, who in _DEFINED.findall(text)} | set(_GLOBAL.findall(text))
    lines, names = [], {}
    for name in dict.fromkeys(_NAME.findall(text)):
        if (value := module.value(name)) is not None:
            names[name] = f"@c{len(names)}"
            lines.append(f"{names[name]} = {value}")
        elif name[1:] in signatures and name[1:] not in here:
            lines.append(f"declare {signatures[name[1:]]}")
        elif (said := module.declaration(name[1:])) is not None:
            lines.append(said)
        elif name == "@ave_blocks" and name[1:] not in here:
            lines.append(_TABLE)
    text = _NAME.sub(lambda m: names.get(m[0], m[0]), text)
    return "\n".join([*lines, text, f"attributes #0 = {{ {ATTRIBUTES} }}", ""])


def _object(text: str, quick: bool) -> bytes:
    return HostCompiler(1, quick=True).object(text) if quick else _well_made(text)


@functools.lru_cache(1024)
def _well_made(text: str) -> bytes:
    return HostCompiler(1).object(text)
