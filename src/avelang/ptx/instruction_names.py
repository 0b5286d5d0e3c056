"""`ptx.inst`: the name of an instruction, attribute by attribute, and its operands come in; the instruction is added to
the trace. Its stub, made from the table (`./dev stubs`), has all names.

`ptx.inst.ld.global_.b32(d, ptx.addr(p))` is `ld.global.b32`. A trailing underscore is dropped (Python's keywords:
`and_`, `global_`, `async_`), two underscores are `::` (`shared__cta`), and a leading one stands before a digit (`_2d`).
`ptx.inst["cp.async.bulk.tensor.2d..."]` takes the name as PTX has it."""

from __future__ import annotations

from typing import Any

from avelang.ptx.inst import emit, part


class InstructionBuilder:
    """A name under way: attributes lengthen it, a call adds the instruction."""

    __slots__ = ("_parts",)

    def __init__(self, parts: tuple[str, ...] = ()):
        self._parts = parts

    def __getattr__(self, name: str) -> InstructionBuilder:
        if name.startswith("__"):
            raise AttributeError(name)
        return InstructionBuilder((*self._parts, part(name)))

    def __getitem__(self, name: str) -> InstructionBuilder:
        return InstructionBuilder((*self._parts, *name.split(".")))

    def __call__(self, *operands: Any, pred: Any = None) -> None:
        """Adds the instruction, destination first as in PTX. `pred`: the predicate under which it is executed."""
        emit(self._parts, *operands, pred=pred)

    def __repr__(self) -> str:
        return f"<PTX instruction {'.'.join(self._parts) or '...'}>"


inst = InstructionBuilder()
