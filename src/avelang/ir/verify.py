"""The verifier: a kernel comes in; V001 with the op's span is raised where a rule of the IR is broken."""

from __future__ import annotations

from avelang.base.errors import error
from avelang.ir import ops as _ops  # noqa: F401 - defines the ops
from avelang.ir.core import OPS, Block, Kernel, Op, Value


def verify(kernel: Kernel, phase: str = "tensors") -> None:
    """Checks definitions before uses, types, terminators and effects.

    `phase` says which memory ops may stand: "tensors" (after the frontend: no `base`, `ld`, `st` except where rows were
    expanded) or "addresses" (no `load`, `store`, `view`, `subview`)."""
    _block(kernel.body, set(kernel.params), phase)


_GONE_AFTER_ADDRESSES = frozenset({"load", "store", "view", "subview", "make_tensor"})


def _block(block: Block, known: set[Value], phase: str) -> None:
    for i, op in enumerate(block.ops):
        _op(op, known, phase)
        if op.defn.terminator and i != len(block.ops) - 1:
            raise error("V001", op.span, op=op.name, why="stands before the end of its block")
        known.update(op.results)
    # What a region defines is known inside only. Taking it out again costs less than a copy of `known` for each region.
    for op in block.ops:
        known.difference_update(op.results)


def _op(op: Op, known: set[Value], phase: str) -> None:
    if op.name not in OPS:
        raise error("V001", op.span, op=op.name, why="no such op")
    for v in op.operands:
        if v not in known:
            raise error("V001", op.span, op=op.name, why=f"uses {v} before it is defined, or outside its region")
    if phase == "addresses" and op.name in _GONE_AFTER_ADDRESSES:
        raise error("V001", op.span, op=op.name, why="must be gone after the pass `addresses`")
    why = op.defn.check(op)
    if why:
        raise error("V001", op.span, op=op.name, why=why)
    for region in op.regions:
        if not region.ops or not region.terminator.defn.terminator:
            raise error("V001", op.span, op=op.name, why="a region does not end in a terminator")
        known.update(region.args)
        _block(region, known, phase)
        known.difference_update(region.args)
