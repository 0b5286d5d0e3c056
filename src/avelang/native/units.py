"""A unit's name comes in; its LLVM IR goes out, as `./dev native` has made it of C: all of it, or function by function,
for another module."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import re

FOLDER = pathlib.Path(__file__).parent

_TYPE = re.compile(r"(%struct\.\w+) = type (.*)")
_DECLARED = re.compile(r"declare ([^@]*?) ?@([\w.]+)\((.*)\)")
_GROUP = re.compile(r"attributes (#\d+) = \{ (.*) \}")
_VARIABLE = re.compile(r"@([\w.]+) = (?:(?:local_unnamed_addr )?global|private|internal) .*")
_FUNCTION = re.compile(r"define (internal |hidden |)(.*?@(\w+)\(.*\))[^()]*?(?: (#\d+))? \{$")


@dataclasses.dataclass(frozen=True, slots=True)
class Piece:
    """A function, with the variables that it alone uses. `uses`: names of the unit's other pieces; `declares`: of what
    is LLVM's own, result and parameters by name."""

    text: str
    uses: tuple[str, ...]
    declares: dict[str, tuple[str, tuple[str, ...]]]


@functools.cache
def text(name: str) -> str:
    """The IR of a unit, a file in this folder without its ".ll"."""
    return (FOLDER / f"{name}.ll").read_text(encoding="utf-8")


class _Index:
    """A unit's lines: functions by name, and all that stands outside of them."""

    def __init__(self, unit: str):
        self.lines = text(unit).split("\n")
        self.heads: dict[str, tuple[int, re.Match[str]]] = {}  # functions by name: the line, and what it says
        self.noinline: set[str] = set()  # groups of attributes
        self.types: dict[str, str] = {}
        self.variables: list[tuple[str, str]] = []
        self.declared: dict[str, tuple[str, tuple[str, ...]]] = {}
        for n, line in enumerate(self.lines):
            if line[:1] in "d@%a":
                self._outside(n, line)

    def _outside(self, n: int, line: str) -> None:
        if m := _FUNCTION.match(line):
            self.heads[m[3]] = n, m
        elif m := _DECLARED.match(line):
            self.declared[m[2]] = m[1], tuple(p for p in re.split(r", (?![^()]*\))", m[3]) if p)
        elif m := _TYPE.match(line):
            self.types[m[1]] = m[2]
        elif m := _VARIABLE.match(line):
            self.variables.append((m[1], line + "\n"))
        elif (m := _GROUP.match(line)) and "noinline" in m[2].split():
            self.noinline.add(m[1])

    @functools.cached_property
    def owners(self) -> dict[str, str]:
        """The first function that names a variable, by the variable."""
        first = {}
        for name, (n, _) in self.heads.items():
            body = "\n".join(self.lines[n : self.lines.index("}", n)])
            for variable, _ in self.variables:
                if f"@{variable}" in body:
                    first.setdefault(variable, name)
        return first

    def spelled(self, found: str) -> str:
        """A text with types in full instead of their names."""
        while "%struct." in found:
            found = re.sub(r"%struct\.\w+", lambda m: self.types[m[0]], found)
        return found


_index = functools.cache(_Index)


@functools.cache
def piece(unit: str, name: str) -> Piece:
    """A function of a unit, for a module that gives attributes #0 to functions; hidden ones are the module's own. What
    the unit only declares, the module must have."""
    index = _index(unit)
    n, head = index.heads[name]
    lines = index.lines[n + 1 : index.lines.index("}", n)]
    body = index.spelled("\n".join(re.sub(r" #\d+$", "", line) if " #" in line else line for line in lines))
    used = dict.fromkeys(re.findall(r"@([\w.]+)", body))
    own = [line for variable, line in index.variables if index.owners.get(variable) == name]
    linkage, inline = "internal " if head[1] else "", " noinline" if head[4] in index.noinline else ""
    start = index.spelled("".join([*own, f"define {linkage}{head[2]}{inline} #0 {{\n"]))
    others = tuple(x for x in used if x in index.heads and x != name)
    return Piece(f"{start}{body}\n}}", others, {x: index.declared[x] for x in used if x.startswith("llvm.")})
