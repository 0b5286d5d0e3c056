"""printf: a C format and the dtypes of its arguments come in; a function from one lane's values to text goes out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from avelang.base.errors import error
from avelang.base.spans import Span
from avelang.ir.dtypes import DType

# ISO C11 7.21.6.1: flags, width, precision, length modifier, conversion.
_SPEC = re.compile(r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d+)?(?P<dot>\.(?P<precision>\*|\d+)?)?(?:hh|h|ll|l|j|z|t|L)?(?P<conv>.|$)", re.S)
_SIGNED, _UNSIGNED, _FLOATS = "di", "ouxX", "fFeEgG"


def _wrapped(value: Any, bits: int, signed: bool) -> int:
    """An integer read as one of `bits` bits: what C does to an argument whose signedness does not fit its conversion."""
    value = (int(value) if abs(value) < float("inf") else 0) & ((1 << bits) - 1)
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _integer(flags: str, width: str, dot: str, conv: str, d: DType) -> Callable[[Any], str]:
    # Narrow arguments are promoted to int, as in C.
    bits, signed = max(32, d.bits if d.is_int else 32), conv in _SIGNED
    if dot:
        flags = flags.replace("0", "")  # C: the 0 flag is ignored where a precision is given
    kind = {"i": "d", "u": "d"}.get(conv, conv)
    if conv == "u":
        flags = flags.replace("+", "").replace(" ", "")
    spec = f"%{flags}{width}{dot}{kind}"

    def text(value: Any) -> str:
        number = _wrapped(value, bits, signed)
        if number == 0 and "#" in flags and conv in "xX":
            return spec.replace("#", "") % 0  # C prefixes no zero
        if "#" in flags and conv == "o":
            return ("%" + flags.replace("#", "") + width + "s") % f"{number:#o}".replace("0o", "0" if number else "")
        return spec % number

    return text


def _float(flags: str, width: str, dot: str, conv: str) -> Callable[[Any], str]:
    spec, blank = f"%{flags}{width}{dot}{conv}", f"%{flags.replace('0', '')}{width}{dot}{conv}"

    def text(value: Any) -> str:
        x = float(value)
        return spec % x if abs(x) < float("inf") else blank % x  # C pads infinities and NaN with blanks

    return text


def _piece(m: re.Match[str], d: DType, span: Span | None) -> Callable[[Any], str]:
    flags, width, dot, conv = m["flags"], m["width"] or "", m["dot"] or "", m["conv"]
    if conv == "c":
        return lambda v: ("%" + ("-" if "-" in flags else "") + width + "s") % chr(int(v) & 0xFF)
    if conv in _FLOATS:
        return _float(flags, width, dot, conv)
    if conv in _SIGNED + _UNSIGNED:
        return _integer(flags, width, dot, conv, d)
    raise error("X008", span, what=m[0], why="no such conversion")


def formatter(form: str, dtypes: Sequence[DType], span: Span | None = None) -> Callable[[Sequence[Any]], str]:
    """The function that formats one lane's values, given as Python numbers.

    Flags, width and precision are C's; length modifiers are read over, as a value knows its own width. Raises X008 for a conversion that
    C does not have (or %s, %p and %n, for which the language has no values), or where conversions and values do not pair up.
    """
    pieces: list[Callable[[Any], str] | str] = []
    rest, at = list(dtypes), 0
    for m in _SPEC.finditer(form):
        pieces.append(form[at : m.start()])
        at = m.end()
        if m["conv"] == "%":
            pieces.append("%")
            continue
        if "*" in (m["width"] or "") + (m["precision"] or ""):
            raise error("X008", span, what=m[0], why="width and precision must stand in the format")
        if not m["conv"] or m["conv"] not in _SIGNED + _UNSIGNED + _FLOATS + "c":
            raise error("X008", span, what=m[0], why="no such conversion")
        if not rest:
            raise error("X008", span, what=m[0], why="no value is left for it")
        pieces.append(_piece(m, rest.pop(0), span))
    if rest:
        raise error("X008", span, what=form, why=f"{len(rest)} values too many")
    pieces.append(form[at:])

    def text(values: Sequence[Any]) -> str:
        left = iter(values)
        return "".join(p if isinstance(p, str) else p(next(left)) for p in pieces)

    return text
