"""Simplify: constants folded, equal pure ops merged, decided branches inlined, what nobody reads removed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import avelang.ir.ops  # noqa: F401 - defines the ops
from avelang.ir.build import Builder
from avelang.ir.core import OPS, Block, Kernel, Op, Value, is_pure
from avelang.passes.fold import fold, identity, known
from avelang.passes.rewrite import inline, rewrite


def simplify(kernel: Kernel) -> None:
    """Local clean-up in one walk, then removal of dead ops. Linear in the size of the kernel."""
    _merge(kernel)
    dead(kernel)


def _key(op: Op) -> Hashable:
    return (op.name, *op.operands, repr(op.attrs) if op.attrs else "", *[r.type for r in op.results])


def _mergeable(op: Op) -> bool:
    return bool(op.results) and not op.regions and not OPS[op.name].effects


def _merge(kernel: Kernel) -> None:
    scopes: list[dict[Hashable, Op]] = []

    def find(key: Hashable) -> Op | None:
        for scope in reversed(scopes):
            if key in scope:
                return scope[key]
        return None

    def visit(op: Op, b: Builder) -> Sequence[Value] | None:
        if op.name == "if" and isinstance(known(op, 0), bool):
            taken = op.regions[0 if known(op, 0) else 1]
            scopes[-1].update((_key(inner), inner) for inner in taken.ops[:-1] if _mergeable(inner)
                              and not find(_key(inner)))
            return inline(taken, b)
        if not _mergeable(op):
            return None
        value = fold(op)
        if value is not None and op.name != "const":
            op = Op("const", (), (op.result.type,), {"value": value}, span=op.span)
        else:
            passed = identity(op)
            if passed is not None:
                return [op.operands[passed]]
        key = _key(op)
        same = find(key)
        if same is not None:
            return same.results
        scopes[-1][key] = op
        if op.name != "const" or value is None:
            return None
        b.block.ops.append(op)
        return op.results

    rewrite(kernel.body, visit, enter=lambda _: scopes.append({}), leave=lambda _: scopes.pop())


def dead(kernel: Kernel) -> None:
    """Removes pure ops, loads and allocations whose results nobody reads."""
    used: set[Value] = set()

    def sweep(block: Block) -> None:
        kept: list[Op] = []
        for op in reversed(block.ops):
            if used.isdisjoint(op.results) and (is_pure(op)
                                                or op.name in ("ld", "load", "alloc")) and not op.defn.terminator:
                continue
            for region in op.regions:
                sweep(region)
            used.update(op.operands)
            kept.append(op)
        block.ops = kept[::-1]

    sweep(kernel.body)
