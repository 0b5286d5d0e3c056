"""`ptx.inst`: the name of an instruction, attribute by attribute, and its operands come in; the instruction is added,
checked against the table of the instruction set.

`ptx.inst.ld.global_.b32(d, ptx.addr(p))` is `ld.global.b32`: a trailing underscore is dropped, two underscores are
`::`, a leading one stands before a digit."""

from __future__ import annotations

from typing import Any

from avelang.ptx.inst import part
from pyptx._operands import emit
from pyptx._registers import Reg


class InstructionName:
    """A name under way: attributes lengthen it, a call adds the instruction."""

    __slots__ = ("_parts",)

    def __init__(self, parts: tuple[str, ...] = ()):
        self._parts = parts

    def _longer(self, parts: tuple[str, ...]) -> Any:
        return InstructionName(parts)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._longer((*self._parts, part(name)))

    def __getitem__(self, name: str) -> Any:
        return self._longer((*self._parts, *name.split(".")))

    def __call__(self, *operands: Any, pred: Any = None) -> Any:
        """Adds the instruction, destination first as in PTX; gives the first operand where it is a register. Raises
        what the table says of it (S202 to S204, T201, T202), at the user's line."""
        emit(self._parts, *operands, pred=pred)
        return operands[0] if operands and isinstance(operands[0], Reg) else None

    def __repr__(self) -> str:
        return f"<PTX instruction {'.'.join(self._parts) or '...'}>"


inst = InstructionName()
