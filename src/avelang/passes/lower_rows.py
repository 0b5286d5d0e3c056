"""Lower rows: ops of rows that a backend has no instruction for come in; the primitive ops that their rows say go
out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from avelang.base.errors import error
from avelang.ir.build import Builder
from avelang.ir.core import Kernel, Op, Value, walk
from avelang.isa.row import ROWS, Row
from avelang.passes.rewrite import rewrite

_MEMORY = frozenset({"ld", "st", "atomic_add", "atomic"})  # ops that say which row they come from, for messages


def lower_rows(kernel: Kernel, native: Callable[[Row], bool], features: frozenset[str]) -> None:
    """Replaces every row op for which `native(row)` is False by its row's expansion. Raises V001 where a row has
    none."""

    def visit(op: Op, b: Builder) -> Sequence[Value] | None:
        row = ROWS.get(op.name)
        if row is None or native(row):
            return None
        if row.lower is None:
            raise error("V001", op.span, op=row.name, why="has neither an instruction on this backend nor an expansion")
        before = len(b.block.ops)
        value = row.lower(b, *row.arguments(op, lambda v: v))
        for made in b.block.ops[before:]:
            for inner in (made, *(x for region in made.regions for x in walk(region))):
                if inner.name in _MEMORY:
                    inner.attrs["row"] = row.name
        return [] if value is None else [value]

    rewrite(kernel.body, visit, features, cluster=kernel.cluster)
