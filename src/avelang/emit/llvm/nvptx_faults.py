"""LLVM's PTX comes in; PTX of the same meaning goes out, without the forms of which NVIDIA's assembler is known to make
wrong code.

Found by programs that were drawn, run on an H200 (driver 580) and seen in the machine code of ptxas, at all levels but
-O0:

- `neg.s16` and `abs.s16` (13.0, not 13.5): the least integer is not wrapped where the result is extended, compared or
  divided. `sub.u16`, and `abs.s32` between conversions, are extended again.
- `add.s16x2` and `add.u16x2` of a constant (13.0, not 13.5): where one half of the result is used, nothing is added
  to it. Two additions of 16 bits.
- `mma.m16n8k8` of f16 and bf16 (13.0 and 13.5): a constant B whose upper half is negative is negated as a number of
  32 bits, and the instruction then negates both halves. A word that is or-ed with a zero of run time (no grid has
  2**31 blocks) is no constant.
"""

from __future__ import annotations

import re

_NEG = re.compile(r"\bneg\.s16\s+(%\w+), (%\w+);")
_ABS = re.compile(r"\babs\.s16\s+(%\w+), (%\w+);")
_PAIR = re.compile(r"\badd\.[su]16x2\s+(%\w+), (%\w+), (%\w+);")
_NARROW = re.compile(
    r"\bmma\.sync\.aligned\.m16n8k8\.row\.col\.f(?:16|32)\.b?f16\.b?f16\.f(?:16|32)\s+"
    r"(?P<d>\{[^}]*\}),\s+(?P<a>\{[^}]*\}),\s+\{(?P<b>%\w+)\},\s+"
    r"(?P<c>\{[^}]*\});"
)
_NEGATIVE = re.compile(r"\bmov\.[bu]32\s+(%\w+), (-\d+|0x[89A-Fa-f][0-9A-Fa-f]{7});")


def _pair(m: re.Match[str]) -> str:
    out, a, b = m.groups()
    return (
        f"{{ .reg .b16 a0, a1, b0, b1; mov.b32 {{a0, a1}}, {a}; mov.b32 {{b0, b1}}, {b}; add.s16 a0, a0, b0; add.s16 "
        f"a1, a1, b1; "
        f"mov.b32 {out}, {{a0, a1}}; }}"
    )


def without(text: str) -> str:
    """The text, rewritten."""
    text = _NEG.sub(r"sub.u16 \t\1, 0, \2;", text)
    text = _ABS.sub(r"{ .reg .b32 wide; cvt.s32.s16 wide, \2; abs.s32 wide, wide; cvt.u16.u32 \1, wide; }", text)
    text = _PAIR.sub(_pair, text)
    if "m16n8k8" not in text:
        return text
    negative = {m[1] for m in _NEGATIVE.finditer(text)}

    def hidden(m: re.Match[str]) -> str:
        if m["b"] not in negative:
            return m[0]
        name = m[0].split(None, 1)[0]
        word = f"{{ .reg .b32 word; mov.u32 word, %nctaid.x; shr.u32 word, word, 31; or.b32 word, word, {m['b']};"
        return f"{word}\n\t{name} {m['d']}, {m['a']}, {{word}}, {m['c']}; }}"

    return _NARROW.sub(hidden, text)
