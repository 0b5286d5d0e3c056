"""A Python value comes in; the operand of PTX that it stands for goes out.

int and float are constants (a float has the width that the instruction's type says), a list is a vector in braces, a
tuple of two a pair `p|q`, None the sink `_`, a string a symbol. Registers, special registers, addresses and variables
say themselves what they are, by `node()`."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from avelang.base.errors import AveError
from avelang.base.places import wrong
from avelang.nvptx import nodes as n
from avelang.nvptx.lexer import PtxSource
from avelang.nvptx.operands import OperandParser
from avelang.ptx.trace import is_identifier, said


def is_operand(value: Any) -> bool:
    """True for a value of the language that makes its own operand, by `node()`."""
    return hasattr(type(value), "node")


def float_bits(value: float, width: int) -> int:
    """The bits of an f32 or an f64, rounded to nearest."""
    if width == 64:
        return int.from_bytes(struct.pack(">d", value), "big")
    try:
        return int.from_bytes(struct.pack(">f", value), "big")
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000


def constant(value: int | float, double: bool = False) -> n.Operand:
    """A number as PTX writes it: exact bits for a float."""
    if isinstance(value, float):
        width = 64 if double else 32
        return n.Float(float_bits(value, width), width)
    if not -(1 << 63) <= value < 1 << 64:
        raise wrong("T229", value=value, type="the integers of PTX, which have 64 bits")
    return n.Int(int(value))


def parsed(text: str, what: str, registers: Iterable[str] = ()) -> n.Operand:
    """The operand that a text of PTX spells; `registers` are the names without % that are registers. Raises T222, of
    which `what` is the call."""
    try:
        parser = OperandParser(PtxSource(text, "<operand>"))
        parser.scopes.append(set(registers))
        found = parser.operand()
        if parser.kinds[parser.i] != "end":
            raise parser.unexpected("the end of the operand")
    except AveError as e:
        raise wrong("T222", e.message, name=what, got=repr(text)) from None
    return found


def operand(value: Any, parts: tuple[str, ...] = ()) -> n.Operand:
    """The operand for an instruction of these parts. Raises T222 for what is none."""
    if is_operand(value):
        return value.node()
    if isinstance(value, (int, float)):
        return constant(value, "f64" in parts)
    if isinstance(value, list):
        return n.VectorOperand(tuple(operand(v, parts) for v in value))
    if isinstance(value, tuple) and len(value) == 2:
        return n.Pair(operand(value[0], parts), operand(value[1], parts))
    if value is None:
        return n.Sink()
    if isinstance(value, str) and is_identifier(value):
        return n.SymbolOperand(value)
    index = getattr(value, "__index__", None)  # NumPy's integers
    if index is not None:
        return constant(index())
    name = ".".join(parts) or "an instruction"
    raise wrong("T222", said("T222"), name=name, got=f"{value!r} ({type(value).__name__})")
