"""Specialize: block extents known at launch come in; thread and block queries that they decide become constants."""

from __future__ import annotations

from collections.abc import Sequence

from avelang.ir.build import Builder
from avelang.ir.core import Kernel, Op, Value
from avelang.ir.dtypes import u32
from avelang.passes.rewrite import rewrite


def specialize(kernel: Kernel, block: tuple[int, int, int]) -> None:
    """Sets `attrs["block"]`; `block_dim` becomes a constant, `thread_id` along an extent of 1 becomes 0. Raises L024
    where the kernel expects other blocks."""
    kernel.expect(block)
    kernel.attrs["block"] = block

    def visit(op: Op, b: Builder) -> Sequence[Value] | None:
        if op.name == "expect":
            return []  # `passes.expects` has told the launcher of it
        if op.name == "block_dim":
            return [b.const(block[op.attrs["dim"]], u32)]
        if op.name == "thread_id" and block[op.attrs["dim"]] == 1:
            return [b.const(0, u32)]
        return None

    rewrite(kernel.body, visit)
