"""Constants that a module repeats, and names for them. For `ave ptx to-python --readable`."""

from __future__ import annotations

import collections
import math
from collections.abc import Mapping

from avelang.nvptx import nodes as n
from avelang.ptx.operand_nodes import float_bits
from avelang.ptx.spelling import BREAK, PythonNames, operand

_FEWEST = 3  # uses
_SMALLEST = 1 << 16  # of integers without a name of their own: those below say enough by themselves
_KNOWN_BITS = {
    0x7F800000: "INFINITY_BITS", 0xFF800000: "MINUS_INFINITY_BITS", -0x800000: "MINUS_INFINITY_BITS",
    0x7FFFFFFF: "INT_MAX", -0x80000000: "INT_MIN", 0x80000000: "SIGN_BIT", 0x7FFF: "SHORT_MAX", 0xFFFF: "LOW_16_BITS",
    0xFFFFFFFF: "ALL_LANES",
}  # fmt: skip
_KNOWN_FLOATS = {
    "LOG2_E": math.log2(math.e), "LN_2": math.log(2), "LOG10_E": math.log10(math.e), "LOG10_2": math.log10(2),
    "PI": math.pi, "TWO_PI": 2 * math.pi, "HALF_PI": math.pi / 2, "TWO_OVER_PI": 2 / math.pi, "SQRT_2": math.sqrt(2),
    "SQRT_HALF": math.sqrt(0.5), "SQRT_2_OVER_PI": math.sqrt(2 / math.pi),
}  # fmt: skip
_BITS = frozenset(("and", "or", "xor", "lop3"))
_PLAIN = frozenset((0.0, 0.5, 1.0, 2.0, -1.0))


def repeated(module: n.PtxModule) -> dict[str, str]:
    """Names for the constants that instructions have as operands three times and more, by their text in Python."""
    found: collections.Counter[str] = collections.Counter()
    names: dict[str, str] = {}
    empty = PythonNames()
    for function in module.functions():
        for x in n.instructions(function.body or ()):
            for given in x.operands:
                if not isinstance(given, (n.Int, n.Float)):
                    continue
                text = operand(given, empty, x.parts)
                if text[0] in "-0123456789" and (
                    isinstance(given, n.Float) or given.value in _KNOWN_BITS or abs(given.value) >= _SMALLEST
                ):
                    found[text] += 1
                    names.setdefault(text, _name(given, text, x.opcode in _BITS))
    return {t: names[t] for t, count in found.items() if count >= _FEWEST and names[t]}


def _name(x: n.Int | n.Float, text: str, of_bits: bool) -> str:
    if isinstance(x, n.Float):
        if float(text) in _PLAIN:
            return ""
        known = next((name for name, value in _KNOWN_FLOATS.items() if float_bits(value, x.width) == x.bits), "")
        return known or f"F_{text.replace('-', 'MINUS_').replace('.', '_').replace('+', '')}"
    if x.value in _KNOWN_BITS:
        return _KNOWN_BITS[x.value]
    sign = "MINUS_" * (x.value < 0)
    return f"BITS_{sign}{abs(x.value):X}" if of_bits else f"N_{sign}{abs(x.value)}"


def with_constants(text: str, names: Mapping[str, str]) -> str:
    """A call with names for the arguments that are constants; what stands in lists and in calls within is left."""
    if not names or not text.startswith("ptx.inst"):
        return text
    out, depth, begin, quote = [], 0, 0, ""
    for at, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "([":
            depth += 1
            if depth == 1 and c == "(":
                out.append(text[begin : at + 1])
                begin = at + 1
        elif (c == "," and depth == 1) or (c == ")" and depth == 1):
            out += [_argument(text[begin:at], names), c]
            begin = at + 1
        if not quote and c in ")]":
            depth -= 1
    return "".join([*out, text[begin:]])


def _argument(text: str, names: Mapping[str, str]) -> str:
    bare = text.strip(f" {BREAK}")
    return text.replace(bare, names[bare]) if bare in names else text


__all__ = ["repeated", "with_constants"]
