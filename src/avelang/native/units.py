"""A unit's name comes in; its LLVM IR goes out, as `./dev native` has made it of C: all of it, or function by function, for another module."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import re

FOLDER = pathlib.Path(__file__).parent

_FUNCTION = re.compile(r"^define (internal |hidden |)([^\n]*?@(\w+)\([^\n]*\))[^()\n]*?(?: (#\d+))? \{\n(.*?)^\}\n", re.M | re.S)
_DECLARED = re.compile(r"^declare ([^@]*?) ?@([\w.]+)\((.*)\)", re.M)
_GROUP = re.compile(r"^attributes (#\d+) = \{ (.*) \}", re.M)
_VARIABLE = re.compile(r"^@(\w+) = (?:local_unnamed_addr )?global .*", re.M)
_CONSTANT = re.compile(r"^@([\w.]+) = (?:private|internal) .*", re.M)


@dataclasses.dataclass(frozen=True, slots=True)
class Piece:
    """A function, with the variables that it alone uses. `uses`: names of the unit's other pieces; `declares`: of what is LLVM's own, result and
    parameters by name."""

    text: str
    uses: tuple[str, ...]
    declares: dict[str, tuple[str, tuple[str, ...]]]


@functools.cache
def text(name: str) -> str:
    """The IR of a unit, a file in this folder without its ".ll"."""
    return (FOLDER / f"{name}.ll").read_text(encoding="utf-8")


def _spelled(whole: str) -> str:
    """The text with types in full instead of their names."""
    types = dict(re.findall(r"^(%struct\.\w+) = type (.*)$", whole, re.M))
    while re.search(r"%struct\.\w+(?! = type)\b", whole.partition("\ndefine")[2]):
        whole = re.sub(r"%struct\.\w+\b(?! = type)", lambda m: types[m[0]], whole)
    return whole


@functools.cache
def pieces(name: str) -> dict[str, Piece]:
    """The functions of a unit, for a module that gives attributes #0 to functions; hidden ones are the module's own. What the unit only declares, the
    module must have."""
    whole = _spelled(text(name))
    noinline = {group for group, words in _GROUP.findall(whole) if "noinline" in words.split()}
    declared = {who: (result, tuple(p for p in re.split(r", (?![^()]*\))", params) if p)) for result, who, params in _DECLARED.findall(whole)}
    lines = {}
    for sort, head, who, group, body in _FUNCTION.findall(whole):
        lines[who] = (f"define {'internal ' if sort else ''}{head}{' noinline' if group in noinline else ''} #0", body)
    data = {found[1]: found[0] for regex in (_VARIABLE, _CONSTANT) for found in regex.finditer(whole)}
    out = {}
    for who, (head, body) in lines.items():
        body = re.sub(r" #\d+$", "", body, flags=re.M)
        used = dict.fromkeys(re.findall(r"@([\w.]+)", body))
        own = tuple(x for x in used if x in lines and x != who)
        variables = [data.pop(x) + "\n" for x in used if x in data]
        out[who] = Piece("".join([*variables, head, " {\n", body, "}"]), own, {x: declared[x] for x in used if x.startswith("llvm.")})
    return out
