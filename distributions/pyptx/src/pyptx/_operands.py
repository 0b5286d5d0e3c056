"""A Python value comes in; the operand of PTX that it stands for goes out. `emit` adds an instruction of such operands;
`addr` makes memory operands.

Numbers are constants (a float has the width that the instruction's type says), a list or a register array is a vector
in braces, a tuple a list in parentheses, a string an immediate where it begins with a digit or a sign, else a name.
Registers, allocations, barriers and tensors say themselves what they are, by `node()`; what can be an address says by
`address()` where."""

from __future__ import annotations

import dataclasses
from typing import Any

from avelang.base.places import wrong
from avelang.nvptx import nodes as n
from avelang.ptx.inst import guard_of
from avelang.ptx.operand_nodes import constant, parsed
from avelang.ptx.trace import is_identifier, opened
from pyptx._errors import bad_type
from pyptx._trace import get_ctx
from pyptx._words import WORDS

# Opcodes whose constants have the type that the name ends with.
_BY_LAST = frozenset(
    ("add", "sub", "mul", "mad", "fma", "div", "max", "min", "neg", "abs", "mov", "st", "selp", "setp", "set", "sqrt",
     "rcp", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh", "copysign")
)  # fmt: skip


def text_operand(text: str, call: str) -> n.Operand:
    """The operand that a string stands for."""
    if is_identifier(text) and not text.startswith("%"):
        return n.SymbolOperand(text)
    trace = opened()
    return parsed(text, call, trace.held if trace is not None else ())


def node(value: Any, parts: tuple[str, ...] = ()) -> n.Operand:
    """The operand for an instruction of these parts. Raises T222, T229 for what is none."""
    make = getattr(type(value), "node", None)
    if make is not None:
        return make(value)
    if isinstance(value, str):
        return text_operand(value, ".".join(parts) or "an operand")
    if value is None:
        return n.Sink()
    if isinstance(value, list):
        return n.VectorOperand(tuple(node(v, parts) for v in value))
    if isinstance(value, tuple):
        return n.Arguments(tuple(node(v, parts) for v in value))
    if hasattr(value, "__index__"):
        number = value.__index__()
        if parts and parts[-1] in ("f32", "f64") and parts[0] in _BY_LAST:
            return constant(float(number), parts[-1] == "f64")
        return constant(number)
    if hasattr(value, "__float__"):
        return _float(float(value), parts)
    name = ".".join(parts) or "an instruction"
    raise wrong("T222", WORDS["T222"], name=name, got=f"{value!r} ({type(value).__name__})")


def _float(value: float, parts: tuple[str, ...]) -> n.Operand:
    kind = next((p for p in reversed(parts) if p[1:].isdigit() and p[0] in "fbus"), "")
    if kind[:1] in ("u", "s"):
        raise wrong("T229", value=repr(value), type=kind)
    return constant(value, "f64" in parts)


def emit(parts: tuple[str, ...], *operands: Any, pred: Any = None) -> None:
    """Adds an instruction. Raises what the table of PTX says of it, T222 and T225."""
    trace = get_ctx()
    nodes = tuple(node(x, parts) for x in operands)
    trace.put(n.PtxInstruction(parts, nodes, guard_of(pred)))


def emit_name(name: str, *operands: Any, pred: Any = None) -> None:
    """`emit` of an instruction by its name as PTX writes it."""
    emit(tuple(name.split(".")), *operands, pred=pred)


# -- addresses ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False)
class Address:
    """A memory operand `[base+offset]`; `coords` are those of a tensor map. An offset 0 that was asked for is
    written."""

    base: Any
    offset: Any = None
    coords: tuple[Any, ...] = ()

    def node(self) -> n.Operand:
        """The operand in brackets."""
        base = node(self.base)
        offset = self.offset
        if isinstance(base, n.AddressOperand):
            base, offset = base.base, _sum(base.offset, offset)
        if isinstance(base, n.Binary) and isinstance(base.right, n.Int):
            base, offset = base.left, _sum(base.right, offset)
        where = offset if offset is None or isinstance(offset, n.Operand) else node(offset)
        rest = (n.VectorOperand(tuple(node(c) for c in self.coords)),) if self.coords else ()
        return n.AddressOperand(base, where, rest)

    def address(self) -> Address:
        """Itself."""
        return self


def _sum(first: Any, second: Any) -> Any:
    """The sum of two offsets. Raises TypeError (T241) where they are not both numbers."""
    if first is None or second is None:
        return first if second is None else second
    if isinstance(first, n.Int) and isinstance(second, int):
        return first.value + second
    raise bad_type("ptx.addr", "an address with an offset of its own takes an int as a further one")


def addr(base: Any, offset: Any = None) -> Address:
    """`[base+offset]`: base is a register, a tensor, shared memory, a barrier, an address or a name; the offset an int,
    a register or text. Raises T222 for what can be no base."""
    place = getattr(type(base), "address", None)
    if place is not None:
        found = place(base)
        return found if offset is None else Address(found, offset)
    if not isinstance(base, str) and getattr(type(base), "node", None) is None:
        raise wrong("T222", WORDS["T222"], name="ptx.addr", got=f"{base!r} ({type(base).__name__})")
    return Address(base, offset)


def at(place: Any, coords: Any = ()) -> Address:
    """An address argument of a call, in brackets; with coordinates for a tensor map."""
    found = addr(place)
    return dataclasses.replace(found, coords=tuple(coords)) if coords else found


class Parts:
    """A vector of operands, for nodes that are made already."""

    def __init__(self, *items: Any):
        self.items = items

    def node(self) -> n.Operand:
        """The operand in braces."""
        return n.VectorOperand(tuple(node(x) for x in self.items))
