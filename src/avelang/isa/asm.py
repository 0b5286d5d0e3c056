"""How a row is spelled where LLVM has no intrinsic for it: an `Asm` with the PTX text; `emit.llvm.nvptx_asm` fills in
the registers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

Text = str | Callable[[Mapping[str, Any]], str]

# Cache policies of L2 as `createpolicy.fractional` makes them for a whole access; CUTLASS,
# cute/arch/copy_sm90_desc.hpp, `CacheHintSm90`.
POLICIES = {1: 0x12F0000000000000, 2: 0x14F0000000000000, 3: 0x1000000000000000}
HINTS = "what L2 should do with it: 0 nothing special, 1 evict first, 2 evict last, 3 evict normal"


@dataclasses.dataclass(frozen=True, slots=True)
class Asm:
    """PTX of one row, in which `<name>` stands for an operand's register or a const's number, `<name*>` for a list of
    registers in braces, and `<out>` (`<out*>`) for the result; a function of the consts where these decide more than a
    number. A condition is a 32-bit register, 0 or not. `tied`: the operand whose registers the result takes over.
    `words`: operands whose registers are 32-bit words whatever their type. `marks`: as of `lowering.Lowering`."""

    text: Text
    tied: str = ""
    words: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()

    def lines(self, attrs: Mapping[str, Any]) -> str:
        """The text for an op with these consts and types of operands."""
        return self.text if isinstance(self.text, str) else self.text(attrs)


def hinted(start: str, end: str, hint: int) -> str:
    """An instruction with the cache policy `hint`, which has to be in a register; without one for 0."""
    if not hint:
        return f"{start} {end};"
    name, dot, rest = start.partition(" ")
    assert dot
    return f"{{ .reg .b64 policy; mov.b64 policy, {POLICIES[hint]:#x}; {name}.L2::cache_hint {rest} {end}, policy; }}"
