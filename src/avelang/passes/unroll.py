"""Unroll: loops with a known number of trips come in; those that pick registers by their counter go out as straight
code.

A register has no address: an element of a vector or of local memory chosen by a loop's counter would need memory, or a
selection among all. With the counter a constant it is a register again. Expects and ensures either phase."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from avelang.ir.build import Builder
from avelang.ir.core import Block, Kernel, Op, Value, walk
from avelang.ir.types import LOCAL, PtrType, TensorType
from avelang.passes.fold import known
from avelang.passes.rewrite import rewrite

MOST_TRIPS = 256
MOST_OPS = 8192  # of all copies of a body


def unroll(kernel: Kernel) -> None:
    """Unrolls, inside out, loops with constant bounds whose counter chooses an element of a vector or of local memory,
    and those for which the user asked."""

    def visit(op: Op, b: Builder) -> Sequence[Value] | None:
        if op.name != "for":
            return None
        trips = _trips(op)
        wanted = op.attrs.get("unroll") or _picks(op)
        if trips is None or not wanted or len(trips) > MOST_TRIPS:
            return None
        if len(trips) * sum(1 for _ in walk(op.regions[0])) > MOST_OPS:
            return None
        return _copies(op, b, trips)

    rewrite(kernel.body, visit)


def _trips(op: Op) -> range | None:
    """The values of the counter, where the bounds are constants."""
    bounds = [known(op, i) for i in range(3)]
    if any(not isinstance(x, int) for x in bounds) or bounds[2] == 0:
        return None
    return range(*bounds)


def _local(v: Value) -> bool:
    return isinstance(v.type, (PtrType, TensorType)) and v.type.space == LOCAL


def _picks(op: Op) -> bool:
    """True if what follows from the counter is an index into registers."""
    follows: set[Value] = {op.regions[0].args[0]}
    for inner in walk(op.regions[0]):
        hit = [v in follows for v in inner.operands]
        if not any(hit):
            continue
        if inner.name in ("extract", "insert") and "index" not in inner.attrs and hit[-1]:
            return True
        first = 1 if inner.name in ("store", "st") else 0
        if inner.name in ("load", "store", "ld", "st", "subview",
                          "ptr_add") and _local(inner.operands[first]) and any(hit[first + 1 :]):
            return True
        if inner.defn.pure:
            follows.update(inner.results)
    return False


@dataclasses.dataclass(slots=True)
class _Copier:
    """Makes copies of ops; `map` says what stands for which value."""

    map: dict[Value, Value]

    def op(self, op: Op) -> Op:
        regions = [self.block(r) for r in op.regions]
        new = Op(op.name, [self.map.get(v, v) for v in op.operands], tuple(r.type for r in op.results), dict(op.attrs),
                 regions, op.span)
        for old, fresh in zip(op.results, new.results, strict=True):
            fresh.name, fresh.uniform = old.name, old.uniform
            self.map[old] = fresh
        return new

    def block(self, block: Block) -> Block:
        new = Block(tuple((a.name, a.type) for a in block.args))
        self.map.update(zip(block.args, new.args, strict=True))
        new.ops = [self.op(o) for o in block.ops]
        return new


def _copies(op: Op, b: Builder, trips: range) -> list[Value]:
    body, carried = op.regions[0], op.operands[3:]
    for i in trips:
        copier = _Copier({body.args[0]: b.const(i, body.args[0].type),
                          **dict(zip(body.args[1:], carried, strict=True))})
        b.block.ops.extend(copier.op(o) for o in body.ops[:-1])
        carried = [copier.map.get(v, v) for v in body.terminator.operands]
    return list(carried)
