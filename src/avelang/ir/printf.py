"""printf: a C format and the dtypes of its arguments come in, or the buffer that a kernel on a GPU wrote into; text
goes out.

The buffer is what a kernel that prints gets as one more argument, behind all others: a pointer to global memory,
aligned to 16 bytes, of 32-bit words, the lowest byte first. Its contents before a launch are those of `buffer`.

| word | |
| --- | --- |
| 0 | capacity: how many words there are for records |
| 1 | lost: how many records found no room |
| 2, 3 | used: words that records asked for, as 64 bits; a lane adds its own by an atomic step, which gives its place |
| 4 ... | the records |

A record lies whole within the capacity, or is not written and counts as lost. Its words:

| word | |
| --- | --- |
| 0 | number of the `printf` in the kernel, from 1 on; `Program.prints` has them in this order |
| 1 | instance: the low half of `used` as the wave's first active lane found it; alike in lanes that print together |
| 2, 3, 4 | the block along x, y, z |
| 5, 6 | the wave in its block, the lane in its wave |
| 7 ... | the values, in one word up to 32 bits, in two for 64 bits |

Text comes block by block (x fastest), in a block wave by wave, in a wave in the order of execution, from lanes that
print together in their order. This is the order of the reference, save that the waves of a block do not take turns at
its barriers here, and that which side of a branch comes first is the machine's affair."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from avelang.base.errors import error
from avelang.base.lazy import np
from avelang.base.spans import Span
from avelang.ir.dtypes import BY_NAME, DType

HEADER_WORDS, RECORD_WORDS = 4, 7  # of the buffer, of a record before its values
BUFFER_BYTES = 1 << 20  # what a launch lends where nobody says otherwise


class Print(NamedTuple):
    """One `printf` of a kernel: its format, and the names of its values' dtypes. A list of two, as JSON gives it, does
    as well."""

    format: str
    dtypes: Sequence[str]

# ISO C11 7.21.6.1: flags, width, precision, length modifier, conversion.
_SPEC = re.compile(r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d+)?(?P<dot>\.(?P<precision>\*|\d+)?)?"
                   r"(?:hh|h|ll|l|j|z|t|L)?(?P<conv>.|$)", re.S)  # fmt: skip
_SIGNED, _UNSIGNED, _FLOATS = "di", "ouxX", "fFeEgG"


def _wrapped(value: Any, bits: int, signed: bool) -> int:
    """An integer read as one of `bits` bits: what C does to an argument whose signedness does not fit its
    conversion."""
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

    Flags, width and precision are C's; length modifiers are read over, as a value knows its own width. Raises X008 for
    a conversion that C does not have (or %s, %p and %n, for which the language has no values), or where conversions and
    values do not pair up."""
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


def words_of(d: DType) -> int:
    """The number of words of a record that a value takes."""
    return max(1, d.bits // 32)


def buffer(nbytes: int = BUFFER_BYTES) -> np.ndarray:
    """A buffer of that size, as a kernel must find it: uint32, a multiple of 16 bytes."""
    words = np.zeros(max(nbytes, 64) // 16 * 4, np.uint32)
    words[0] = len(words) - HEADER_WORDS
    return words


def decode(raw: bytes | bytearray | memoryview | np.ndarray, prints: Sequence[Print | Sequence[Any]]) -> str:
    """The text that a kernel printed. `raw` is the buffer after the launch, `prints` the kernel's. Lost records are
    counted in a last line. Raises X008 for a format that cannot be."""
    memory = np.frombuffer(raw, np.uint8).view(np.uint32)
    capacity, lost = int(memory[0]), int(memory[1])
    used = int(memory[2]) | int(memory[3]) << 32
    records = memory[HEADER_WORDS : HEADER_WORDS + min(used, capacity)]
    kinds = [[BY_NAME[name] for name in dtypes] for _, dtypes in prints]
    texts = [formatter(form, dtypes) for (form, _), dtypes in zip(prints, kinds, strict=True)]
    out: list[tuple[tuple[int, ...], str]] = []
    at = 0
    # Where a record did not fit, zeros are left up to the end.
    while at < len(records) and records[at]:
        number, instance, x, y, z, wave, lane = (int(w) for w in records[at : at + RECORD_WORDS])
        values = at + RECORD_WORDS
        at = values + sum(map(words_of, kinds[number - 1]))
        out.append(((z, y, x, wave, instance, lane), texts[number - 1](_values(records[values:at], kinds[number - 1]))))
    end = f"printf: {lost} records lost: the buffer of {4 * (capacity + HEADER_WORDS)} bytes was full\n" if lost else ""
    return "".join(text for _, text in sorted(out, key=lambda item: item[0])) + end


def _values(words: np.ndarray, dtypes: Sequence[DType]) -> list[Any]:
    """The values of a record as Python numbers."""
    out, at = [], 0
    for d in dtypes:
        raw = words[at : at + words_of(d)].tobytes()[: d.bytes]
        out.append(np.frombuffer(raw, d.np)[0].item())
        at += words_of(d)
    return out
