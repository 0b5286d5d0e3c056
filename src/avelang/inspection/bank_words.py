"""A kernel comes in; what is known of shared memory's banks at each of its accesses goes out, in words by place."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from avelang.base.spans import Span
    from avelang.frontend.source import Jitted
    from avelang.inspection.lane_walk import AccessCost


class BankWords(NamedTuple):
    """Words about the accesses at a place. Lines count from 1, columns from 0; the end is behind the last character."""

    line: int
    col: int
    end_line: int
    end_col: int
    words: str


def bank_words(jitted: Jitted, file: str, target: str | None = None) -> list[BankWords]:
    """The accesses to shared memory of a kernel whose compile-time values all have defaults, on `target` or where that
    is left out on a chip that has its instructions. An access stands at its own place in `file` and at each call there
    that it is reached through. Nothing is run: addresses are those of the first iteration. Raises what compiling
    raises."""
    from avelang import pipeline
    from avelang.inspection.lane_walk import walk_lanes
    from avelang.inspection.subject import of_kernel
    from avelang.ir.types import SHARED
    from avelang.runtime import compile

    subject = of_kernel(jitted, {}, target)
    chip = compile.chip_of(subject.target)
    if chip is None:
        return []
    kernel = compile.build(subject.source, subject.constexprs, chip.name, subject.block)
    pipeline.gpu(kernel, subject.block)
    found: Counter[tuple[Span, str]] = Counter()
    for cost in walk_lanes(kernel, chip).accesses:
        if cost.space == SHARED and cost.op.span is not None:
            said = _said(cost, chip.name)
            found.update({(s, said) for s in cost.op.span.chain() if s.file == file})
    return [BankWords(s.line, s.col, s.end_line, s.end_col, said + (f", {n} times" if n > 1 else ""))
            for (s, said), n in found.items()]  # fmt: skip


def _said(cost: AccessCost, chip: str) -> str:
    size = f"{cost.kind} of {cost.nbytes} byte{'s' * (cost.nbytes > 1)} a lane"
    if cost.cycles is None:
        return f"{size}: bank conflicts are not known, its addresses follow from loaded values or arguments"
    ways = cost.cycles / max(cost.least, 1)
    what = "no bank conflict" if ways == 1 else f"{ways:g}-way bank conflict"
    cycles = f"{cost.cycles} cycles" + (f", {cost.least} without" if ways != 1 else "")
    return f"{size}: {what} on {chip} ({cycles}{'; other waves differ' * cost.varies})"
