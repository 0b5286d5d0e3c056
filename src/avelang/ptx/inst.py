"""The parts of an instruction's name and its operands come in; the instruction is added to the trace, checked against
the table of the instruction set."""

from __future__ import annotations

import re
from typing import Any

from avelang.base.errors import AveError, error
from avelang.base.places import here, wrong
from avelang.nvptx import nodes as n
from avelang.nvptx.check import PtxTarget, Spaces, Types, check, short_address
from avelang.nvptx.readings import entry_of
from avelang.nvptx.special_registers import CONSTANTS
from avelang.ptx.operand_nodes import operand
from avelang.ptx.trace import Trace, current, said


def part(name: str) -> str:
    """A part of an instruction's name, from its Python spelling."""
    name = name.rstrip("_")
    if re.match(r"_\d", name):
        name = name[1:]
    return name.replace("__", "::")


def guard_of(pred: Any) -> n.Guard | None:
    """The guard of an instruction: a predicate, or one that `ptx.not_` negates. Raises T225."""
    if pred is None:
        return None
    node = pred.node() if hasattr(pred, "node") else None
    negated = isinstance(node, n.Not)
    register = node.operand if isinstance(node, n.Not) else node
    trace = current("a predicate")
    if (
        not isinstance(register, n.Register)
        or trace.types.get(register.name) is None
        or trace.types[register.name].kind != "pred"
    ):
        raise wrong("T225", said("T225"), got=repr(getattr(pred, "reg", pred)))  # of `~x` the register x
    return n.Guard(register, negated)


def emit(parts: tuple[str, ...], *operands: Any, pred: Any = None) -> None:
    """Adds an instruction. Raises what the table says of it, T222 and T225."""
    trace = current(".".join(parts))
    nodes = tuple(operand(x, parts) for x in operands)
    guard = guard_of(pred)
    if guard is not None and trace.guard is not None:
        raise wrong("T226", said("T226"), name=".".join(parts))
    add(trace, n.PtxInstruction(parts, nodes, guard or trace.guard))


def refusal(
    instruction: n.PtxInstruction, target: PtxTarget | None, types: Types, spaces: Spaces | None = None,
    address_size: int | None = 64,
) -> AveError | None:  # fmt: skip
    """The error for which this level refuses an instruction: the table's, or T239; in a module whose addresses have 64
    bits also that of one in a register of 32."""
    if any(isinstance(x, n.SpecialOperand) for x in instruction.operands):
        entry = entry_of(instruction.parts)
        if entry is not None and not entry.has("special"):
            return error("T239", None, said("T239"), name=instruction.name)
    found = check(instruction, target, types, spaces=spaces)
    return found or (short_address(instruction, types) if address_size == 64 else None)


def add(trace: Trace, instruction: n.PtxInstruction) -> None:
    """Adds an instruction that is a node already."""
    refused = refusal(instruction, trace.target, trace.type_of, trace.symbols.get, trace.address_size)
    if refused is not None:
        refused.span = here()
        raise refused
    if instruction.opcode in ("bra", "brx"):
        for x in instruction.operands:
            if isinstance(x, n.SymbolOperand):
                trace.branch_to(x.name)
    else:
        _check_declared(trace, instruction)
    trace.add(instruction)


_NAMELESS = (n.Register, n.Int, n.Float, n.SpecialOperand, n.Sink)


def _check_declared(trace: Trace, instruction: n.PtxInstruction) -> None:
    """Raises S206 for registers that nothing declares where they are used, and for other names that nothing in a kernel
    does."""
    for name in n.registers_of(instruction):
        if name not in trace.held:
            raise wrong("S206", name=name, instead=trace.words["ended" if name in trace.ended else "register"])
    if not trace.whole or instruction.opcode == "call":
        return
    for given in instruction.operands:
        if isinstance(given, _NAMELESS) or (
            isinstance(given, n.VectorOperand) and isinstance(given.items[0], n.Register)
        ):
            continue
        for x in n.leaves(given):
            if isinstance(x, n.SymbolOperand) and x.name not in trace.symbols and x.name not in CONSTANTS:
                raise wrong("S206", name=x.name, instead=trace.words["S206"])
