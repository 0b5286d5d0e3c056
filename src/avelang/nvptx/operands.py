"""Tokens of PTX come in; operands and constant expressions go out: the lower half of the parser.

Syntax: PTX ISA, 4.5 "Constants", 6 "Instruction operands".
"""

from __future__ import annotations

import bisect
import contextlib
import dataclasses
import re
import struct
from collections.abc import Iterator

from avelang.base.errors import AveError
from avelang.nvptx import nodes as n
from avelang.nvptx.lexer import PtxSource, tokens
from avelang.nvptx.special_registers import SPECIAL

# Operators of constant expressions and how close they bind, as in C.
BINDING = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8,
    ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}  # fmt: skip
UNARY = frozenset("-+!~")
_DIGITS = re.compile(r"(0[xX]|0[bB]|)([0-9A-Fa-f]+)(U?)")
_RADIX = {"0x": 16, "0X": 16, "0b": 2, "0B": 2}


def integer(text: str) -> n.Int:
    """The constant that a token spells."""
    m = _DIGITS.fullmatch(text)
    assert m is not None
    prefix, digits, suffix = m.groups()
    base = _RADIX.get(prefix) or (8 if len(digits) > 1 and digits[0] == "0" else 10)
    value = int(digits, base)
    width = len(digits) if base in (2, 16) and digits[0] == "0" and len(digits) > 1 else 0
    return n.Int(value, base, width, base == 16 and digits != digits.lower(), suffix == "U", prefix in ("0X", "0B"))


def floating(text: str) -> n.Float:
    """The constant that a token spells: a bit pattern, or a decimal number, which is an f64."""
    kind = text[1:2].lower()
    if text[0] == "0" and kind in ("f", "d"):
        digits = text[2:]
        return n.Float(int(digits, 16), 32 if kind == "f" else 64, digits == digits.upper())
    return n.Float(int.from_bytes(struct.pack(">d", float(text)), "big"), 64, decimal=True)


class OperandParser:
    """A cursor `i` over tokens. `scopes` hold the names without % that are registers where the cursor stands, innermost
    last."""

    def __init__(self, source: PtxSource):
        self.source = source
        self.kinds, self.texts, self.starts = tokens(source)
        self.i = 0
        self.scopes: list[set[str]] = []
        self._lines = [0, *(m.end() for m in re.finditer("\n", source.text)), len(source.text) + 1]

    @contextlib.contextmanager
    def shallow(self) -> Iterator[None]:
        """Says of braces and parentheses that nest deeper than can be read where they stand."""
        try:
            yield
        except RecursionError:
            raise self.source.wrong(self.starts[self.i], "nested too deeply to be read") from None

    # -- the cursor ----------------------------------------------------------------------------------------------------

    def unexpected(self, wanted: str) -> AveError:
        """The error S201 at the cursor."""
        text, end = self.texts[self.i], self.kinds[self.i] == "end"
        shown = text if end else f"`{text}`"
        return self.source.wrong(self.starts[self.i], f"expected {wanted}, found {shown}", 1 if end else len(text))

    def place(self) -> tuple[int, int]:
        """Line and column of the cursor."""
        start = self.starts[self.i]
        line = bisect.bisect_right(self._lines, start)
        return line, start - self._lines[line - 1] + 1

    def column(self) -> int:
        """The column of the next token."""
        return self.place()[1]

    def same_line(self, line: int) -> bool:
        """True if the cursor stands in that line."""
        return self.starts[self.i] < self._lines[line]

    def take(self, text: str) -> bool:
        """Goes past a mark or a directive, where it stands at the cursor."""
        if self.texts[self.i] != text or self.kinds[self.i] not in ("mark", "dot"):
            return False
        self.i += 1
        return True

    def expect(self, text: str, wanted: str = "") -> None:
        """Takes a token, or raises S201."""
        if not self.take(text):
            raise self.unexpected(wanted or f"`{text}`")

    def _of(self, kind: str, wanted: str) -> str:
        if self.kinds[self.i] != kind:
            raise self.unexpected(wanted)
        self.i += 1
        return self.texts[self.i - 1]

    def name(self, wanted: str = "a name") -> str:
        """Takes a name, or raises S201."""
        return self._of("name", wanted)

    def dot(self, wanted: str = "a directive") -> str:
        """Takes a word with a dot, or raises S201."""
        return self._of("dot", wanted)

    def string(self) -> str:
        """Takes a string, or raises S201."""
        return self._of("string", "a text in quotes")[1:-1]

    def integer(self) -> int:
        """A number of a directive."""
        self._of("int", "a number")
        self.i -= 1
        return self.constant().value

    def constant(self) -> n.Int:
        """The integer at the cursor, which goes past it."""
        try:
            value = integer(self.texts[self.i])
        except ValueError:  # digits beyond the radix, or more of them than Python turns into a number
            raise self.unexpected(
                "a number: 0 in front is for octal digits, 0x for hexadecimal, 0b for binary ones") from None
        self.i += 1
        return value

    # -- operands ------------------------------------------------------------------------------------------------------

    def named(self, text: str) -> n.Register | n.SpecialOperand | n.SymbolOperand | n.Sink:
        """The operand that a name stands for. Names with a % are registers; of the others those that are declared
        so."""
        base, _, component = text.partition(".")
        if text[0] == "%":
            return n.SpecialOperand(base, component) if base in SPECIAL else n.Register(base, component)
        if text == "_":
            return n.Sink()
        if any(base in scope for scope in self.scopes):
            return n.Register(base, component)
        return n.SymbolOperand(text)

    def operand(self) -> n.Operand:
        """One operand of an instruction."""
        kind, text = self.kinds[self.i], self.texts[self.i]
        if kind == "name" and self.texts[self.i + 1] in (",", ";"):  # the most frequent by far
            self.i += 1
            return self.named(text)
        if kind == "mark" and text == "[":
            return self.address()
        if kind == "mark" and text == "{":
            left: n.Operand = self.vector()
        elif kind == "mark" and text == "!" and self.kinds[self.i + 1] == "name":
            self.i += 1
            return n.Not(self.named(self.name()))
        elif kind == "name" and self.texts[self.i + 1] == "|":
            left = self.named(self.name())
            if isinstance(left, n.SymbolOperand):
                self.i -= 1
                return self.expression()
        else:
            return self.expression()
        return n.Pair(left, self.operand()) if self.take("|") else left

    def argument(self) -> n.Operand:
        """One operand of a call: lists stand in parentheses."""
        if not self.take("("):
            return self.operand()
        items: list[n.Operand] = []
        while not self.take(")"):
            if items:
                self.expect(",", "`,` or `)`")
            items.append(self.operand())
        return n.Arguments(tuple(items))

    def vector(self) -> n.VectorOperand:
        """Operands in braces."""
        self.expect("{")
        items: list[n.Operand] = []
        while not self.take("}"):
            if items:
                self.expect(",", "`,` or `}`")
            items.append(self.operand())
        return n.VectorOperand(tuple(items))

    def address(self) -> n.AddressOperand:
        """A memory operand in brackets."""
        self.expect("[")
        base = self.primary()
        offset: n.Operand | None = None
        if self.take("+"):
            offset = self.expression()
        elif self.texts[self.i] == "-":
            raise self.unexpected("`+` or `]` (an offset below 0 is written as +-4)")
        rest: list[n.Operand] = []
        while self.take(","):
            rest.append(self.operand())
        self.expect("]")
        return n.AddressOperand(base, offset, tuple(rest))

    # -- constant expressions ------------------------------------------------------------------------------------------

    def expression(self, least: int = 0) -> n.Operand:
        """A constant expression whose operators bind at least so close."""
        left = self.primary()
        while self.kinds[self.i] == "mark":
            op = self.texts[self.i]
            if op == "?" and least == 0:
                self.i += 1
                then = self.expression()
                self.expect(":")
                left = n.Ternary(left, then, self.expression())
                continue
            binding = BINDING.get(op, 0)
            if not binding or binding < least:
                break
            self.i += 1
            left = n.Binary(op, left, self.expression(binding + 1))
        return left

    def primary(self) -> n.Operand:
        """A number, a name, or an expression in parentheses."""
        kind, text = self.kinds[self.i], self.texts[self.i]
        if kind == "int":
            value = self.constant()
            return self._applied(value) if self.texts[self.i] == "(" else value
        if kind == "float":
            self.i += 1
            return floating(text)
        if kind == "name":
            self.i += 1
            if self.take("["):
                element = n.Element(text, self.expression())
                self.expect("]")
                return element
            return self._applied(text) if self.texts[self.i] == "(" else self.named(text)
        if kind == "mark" and text in UNARY:
            self.i += 1
            return self._signed(text, self.primary())
        if self.take("("):
            if self.kinds[self.i] == "dot":
                cast = self.dot()
                if cast not in (".s64", ".u64"):
                    self.i -= 1
                    raise self.unexpected(".s64 or .u64")
                self.expect(")")
                return n.Unary(f"({cast})", self.primary())
            inner = self.expression()
            self.expect(")")
            return inner
        raise self.unexpected("an operand")

    def _applied(self, name: str | n.Int) -> n.Apply:
        self.expect("(")
        inner = self.expression()
        self.expect(")")
        return n.Apply(name, inner)

    @staticmethod
    def _signed(op: str, operand: n.Operand) -> n.Operand:
        """A sign belongs to the number behind it."""
        if op == "-" and isinstance(operand, n.Int) and operand.value > 0:
            return dataclasses.replace(operand, value=-operand.value)
        if op == "-" and isinstance(operand, n.Float) and operand.decimal:
            return n.Float(operand.bits ^ 1 << 63, 64, decimal=True)
        return n.Unary(op, operand)
