"""LLVM's optimized text for an AMD GPU comes in; text of the same meaning goes out, in which its backend finds nothing
that it makes wrong code of.

Found by programs that were drawn: LLVM 22's AMDGPU backend takes a difference from +0 for a negation where it becomes
an operand with a sign (AMDGPUISelDAGToDAG, `SelectVOP3ModsImpl`), and +0 - +0 is +0, which a negation makes -0. A zero
that stands in a vector register is no constant there."""

from __future__ import annotations

import re

# %y = fsub float 0.000000e+00, %x: also in vectors, some of whose elements are zero, and in other floats, whose zeros
# are hexadecimal.
_KIND = r"(?:half|bfloat|float|double)"
_DIFFERENCE = re.compile(
    rf"^(\s*)(%[\w.\"-]+) = fsub ((?:[a-z]+ )*?)({_KIND}|<\d+ x {_KIND}>) ([^%\n][^\n]*?), (%)", re.MULTILINE
)
_ZERO = re.compile(r"zeroinitializer|(?<![-.\d])0\.0+e\+00|0x[HR]0000\b")


def without(text: str) -> str:
    """The text, rewritten; the same object where there is nothing to rewrite."""
    count = 0

    def held(m: re.Match[str]) -> str:
        nonlocal count
        indent, name, flags, kind, left, right = m.groups()
        if not _ZERO.search(left):
            return m[0]
        count += 1
        zero = f'{indent}%held.zero{count} = call {kind} asm "", "=v,0"({kind} {left}) nounwind memory(none)\n'
        return f"{zero}{indent}{name} = fsub {flags}{kind} %held.zero{count}, {right}"

    out = _DIFFERENCE.sub(held, text)
    return out if count else text
