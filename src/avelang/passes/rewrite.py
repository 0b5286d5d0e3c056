"""The walk that rewriting passes share: visits every op once, in order, and replaces what a visitor asks to replace."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from avelang.ir.build import Builder
from avelang.ir.core import Block, Op, Value

# Given an op (operands already replaced, regions already rewritten) and a builder that appends in its place:
# None keeps the op; a sequence of values, one for each result, drops it and stands for its results.
Visit = Callable[[Op, Builder], "Sequence[Value] | None"]


def rewrite(block: Block, visit: Visit, features: frozenset[str] = frozenset(),
            enter: Callable[[Block], object] | None = None,
            leave: Callable[[Block], object] | None = None,
            cluster: tuple[int, int, int] = (1, 1, 1)) -> None:  # fmt: skip
    """Rewrites `block` and its regions in place. `enter` and `leave` are called around each region (for scoped tables);
    `features` and `cluster` are the builder's."""
    replaced: dict[Value, Value] = {}

    def run(block: Block) -> None:
        if enter:
            enter(block)
        old, block.ops = block.ops, []
        builder = Builder(block, features=features, cluster=cluster)
        for op in old:
            if replaced:
                op.operands = [replaced.get(v, v) for v in op.operands]
            for region in op.regions:
                run(region)
            builder.span = op.span
            values = visit(op, builder)
            if values is None:
                block.ops.append(op)
            else:
                replaced.update(zip(op.results, values, strict=True))
        if leave:
            leave(block)

    run(block)


def inline(region: Block, builder: Builder) -> list[Value]:
    """Appends the ops of an argument-less region at the builder's place; returns what its terminator yields."""
    *ops, last = region.ops
    builder.block.ops.extend(ops)
    return list(last.operands)
