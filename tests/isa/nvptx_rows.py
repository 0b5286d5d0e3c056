"""The PTX of the rows of `al.nvvm`: a row comes in, its texts go out, as lines of a kernel for a chip, for every type,
memory and constant that matters."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import avelang.isa.nvptx  # noqa: F401  (registers the rows)
from avelang.arch.facts import Chip
from avelang.emit.llvm.nvptx_asm import kinds
from avelang.ir.dtypes import u32
from avelang.ir.types import MapType, PtrType, Type
from avelang.isa.asm import Asm
from avelang.isa.row import ROWS, Param, Row

NVVM = [row for row in ROWS.values() if row.namespace == "nvvm"]
WRITTEN = [row for row in NVVM if isinstance(row.llvm.get("nvptx"), Asm)]  # as PTX text
NAMED = [row for row in NVVM if row.llvm and row not in WRITTEN]  # by the name of an intrinsic of LLVM
_REGISTERS = {"i32": "b32", "i64": "b64", "float": "f32", "double": "f64"}
_PLACE = re.compile(r"<(\w+)(\*?)>")


def _some(values: Any) -> list[Any]:
    """All of a few, else the first, one within and the last."""
    values = list(values)
    return values if len(values) <= 4 else [values[0], values[len(values) // 2], values[-1]]


def _types(p: Param) -> list[Type | str]:
    if p.type == "tensor":
        return [PtrType(u32, space) for space in p.spaces]
    if p.type == "map":
        return [MapType(u32, (8, 8))]
    if isinstance(p.type, str):
        return [p.type]
    return _some(p.type) if isinstance(p.type, tuple) else [p.type]


def _consts(p: Param) -> list[int]:
    return _some(p.choices or (range(p.range[0], p.range[1] + 1) if p.range else (0,)))


def texts(row: Row) -> Iterator[tuple[str, str]]:
    """(declarations, PTX) of a row: for each combination of types of operands and of constants."""
    spec = row.llvm["nvptx"]
    consts = [p for p in row.params if p.is_const]
    for types in itertools.product(*map(_types, row.operands)):
        known: dict[str, Any] = {}
        for p, t in zip(row.operands, types, strict=True):
            known[p.name] = known[t] if isinstance(t, str) else t
        result = known[row.result] if isinstance(row.result, str) else row.result
        held = {name: kinds(t) for name, t in {**known, **({"out": result} if result is not None else {})}.items()}
        for p in row.operands:
            if p.name in spec.words:
                held[p.name] = ["i32"] * len(held[p.name])
        registers = {name: [f"%{name}_{i}" for i in range(len(ks))] for name, ks in held.items()}
        declared = " ".join(f".reg .{_REGISTERS[k]} {r};" for name, ks in held.items() for k,
            r in zip(ks, registers[name], strict=True))
        for values in itertools.product(*map(_consts, consts)):
            attrs = {**dict(zip((p.name for p in consts), values, strict=True)), **known}
            names = {**registers, **{p.name: [str(attrs[p.name])] for p in consts}}
            text = _PLACE.sub(lambda m, names=names: "{" + ", ".join(names[m[1]]) + "}" if m[2] else names[m[1]][0],
                spec.lines(attrs))
            yield declared, text


FIRST = 5  # the line of the first text


def module(chip: Chip, written: list[tuple[str, str]]) -> str:
    """A kernel with each text in a line of its own, as the chip's target and with the PTX version that Ave writes for
    it."""
    lines = [f"{{ {declared} {text.replace(chr(10), ' ')} }}" for declared, text in written]
    version = f"{chip.ptx // 10}.{chip.ptx % 10}"
    return "\n".join([f".version {version}", f".target {chip.name}", ".address_size 64", ".visible .entry k() {",
        *lines, "ret; }", ""])
