"""How LLVM spells a row. A name alone is enough where the intrinsic takes the row's parameters as they are, in their
order; a `Lowering` says what is otherwise; its `emit` is for what no signature says. `emit.llvm.rows` makes the
call."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from avelang.ir.core import Op, Value
from avelang.ir.types import Type
from avelang.isa.row import ROWS


class Emitter(Protocol):
    """The part of an emitter that an `emit` may use. Values are texts of LLVM IR: a name such as %v12, or a
    constant."""

    members: str | None  # the lanes that are here, a mask of 32 bits; None: all of the wave
    target: Any  # `emit.llvm.simt.GpuTarget`: its `chip`, its atomic addition, the first lane's value of a word

    def op(self, text: str) -> str:
        """The name of what an instruction computes."""
        ...

    def do(self, text: str) -> None:
        """An instruction without a result."""
        ...

    def call(self, name: str, result: str, *args: tuple[str, str]) -> str:
        """A call of an intrinsic with (type, value) pairs; it is declared where it is not yet."""
        ...

    def value(self, v: Value) -> str:
        """The text of a value."""
        ...

    def type(self, t: Type) -> str:
        """The LLVM type in which values of a type are held: floats below 32 bits as integers."""
        ...

    def typed(self, v: Value) -> str:
        """A value behind its LLVM type."""
        ...

    def bitcast(self, text: str, source: str, result: str) -> str:
        """A value's bits as another LLVM type."""
        ...

    def words(self, text: str, t: Type) -> list[str]:
        """A value's bits as i32s."""
        ...

    def from_words(self, words: Sequence[str], t: Type) -> str:
        """The inverse of `words`: a value of a type out of its i32s."""
        ...

    def vector(self, items: Sequence[str], e: str) -> str:
        """A vector of values of one LLVM type."""
        ...


# Marks: loads straight to LDS are under way behind it; the user says here for what to wait; threads get another number
# of registers; it names the lanes that take part, so that not all of a warp need to.
LOADS_TO_LDS, WAITS, SETS_REGISTERS, AMONG = "loads to LDS", "waits", "sets registers", "among"

Emit = Callable[[Emitter, Op, str], "str | None"]


@dataclasses.dataclass(frozen=True, slots=True)
class Lowering:
    """An intrinsic of LLVM and how it takes the row's parameters, in their order: operands in the LLVM types of their
    own, consts as i32.

    `consts`: the LLVM type of consts that is another, by name. `types`: LLVM types of operands that are other than
    their own, with the same bits. `words`: it moves 32-bit words, and is called for each word of the result; an operand
    gives the word at the same place, or its only one. `registers`: LLVM type of one register of the operands that are
    taken as separate registers; "out" for the result, a struct of them then. `fixed`: (type, value) pairs that stand
    where the consts would. `emit(w, op, name)`: what makes the call instead. `marks`: what code around the call depends
    on (`LOADS_TO_LDS` and the like)."""

    name: str
    consts: Mapping[str, str] = dataclasses.field(default_factory=dict)
    types: Mapping[str, str] = dataclasses.field(default_factory=dict)
    words: bool = False
    registers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    fixed: tuple[tuple[str, str], ...] | None = None
    emit: Emit | None = None
    marks: frozenset[str] = frozenset()


def has_mark(op: Op, target: str, mark: str) -> bool:
    """True for an op of a row whose spelling for a target has a mark."""
    row = ROWS.get(op.name)
    return row is not None and mark in getattr(row.llvm.get(target), "marks", ())


def spelling(spec: Any) -> str:
    """The intrinsic's name; empty for rows that are spelled otherwise."""
    return spec if isinstance(spec, str) else spec.name if isinstance(spec, Lowering) else ""


def immediates(*values: int, t: str = "i32") -> list[tuple[str, str]]:
    """Constants as arguments."""
    return [(t, str(v)) for v in values]
