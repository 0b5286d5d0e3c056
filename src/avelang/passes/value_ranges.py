"""Ranges: an integer of the IR comes in; the least and the greatest number that it can be go out, from what its ops
say.

Only what can be told without following memory or carried values; anything else has the range of its dtype.
"""

from __future__ import annotations

from avelang.ir.core import Kernel, Op, Value, walk
from avelang.ir.dtypes import DType
from avelang.ir.elementwise import ELEMENTWISE, Range
from avelang.passes.fold import known

DEPTH = 48  # ops that are followed from one value
BLOCKS = 2**31 - 1  # along x, at most


def whole(d: DType) -> Range:
    """All numbers of an integer dtype."""
    if d.kind == "bool":
        return 0, 1
    return (-(1 << d.bits - 1), (1 << d.bits - 1) - 1) if d.kind == "int" else (0, (1 << d.bits) - 1)


def _within(d: DType, low: int, high: int) -> Range:
    """The range, or that of the dtype where results wrap."""
    least, most = whole(d)
    return (low, high) if least <= low and high <= most else (least, most)


class Ranges:
    """Of a kernel whose block is known: `of(value)` gives (least, greatest)."""

    def __init__(self, kernel: Kernel):
        self.block = kernel.attrs["block"]
        self.wave = kernel.attrs["wave"]
        self.counters = {op.regions[0].args[0]: op for op in walk(kernel.body) if op.name == "for"}
        self.known: dict[Value, Range] = {}

    def of(self, v: Value, depth: int = DEPTH) -> Range:
        """The range of a scalar integer or condition."""
        d = v.type
        assert isinstance(d, DType)
        found = self.known.get(v)
        if found is None:
            found = (self._find(v, d, depth - 1) if depth else None) or whole(d)
            self.known[v] = found
        return found

    def _find(self, v: Value, d: DType, depth: int) -> Range | None:
        op = v.op
        if op is None:
            return self._counter(v, d, depth)
        if op.name == "const":
            return int(op.attrs["value"]), int(op.attrs["value"])
        if op.name in ("thread_id", "block_dim"):
            n = self.block[op.attrs["dim"]]
            return (0, n - 1) if op.name == "thread_id" else (n, n)
        if op.name in ("block_id", "lane_id"):
            return 0, BLOCKS if op.name == "block_id" else self.wave - 1
        row = ELEMENTWISE.get(op.name)
        if row is not None and row.bounds is not None:
            got = row.bounds(self.of(op.operands[0], depth), self.of(op.operands[1], depth))
            return None if got is None else _within(d, *got)
        return self._moved(op, v, d, depth)

    def _moved(self, op: Op, v: Value, d: DType, depth: int) -> Range | None:
        """Of ops that pass numbers on."""
        if op.name in ("convert", "bitcast"):
            source = op.operands[0].type
            if not isinstance(source, DType) or not (source.is_int or source.kind == "bool"):
                return None
            return _within(d, *self.of(op.operands[0], depth))
        if op.name == "select":
            return self._either(op.operands[1], op.operands[2], depth)
        if op.name == "if":
            at = op.results.index(v)
            return self._either(*(r.terminator.operands[at] for r in op.regions), depth=depth)
        if op.name == "shuffle":
            return self.of(op.operands[0], depth)
        return None

    def _either(self, a: Value, b: Value, depth: int) -> Range:
        x, y = self.of(a, depth), self.of(b, depth)
        return min(x[0], y[0]), max(x[1], y[1])

    def _counter(self, v: Value, d: DType, depth: int) -> Range | None:
        """A loop's counter lies between its bounds."""
        op = self.counters.get(v)
        step = known(op, 2) if op is not None else None
        if op is None or not isinstance(step, int) or step == 0:
            return None
        start, stop = self.of(op.operands[0], depth), self.of(op.operands[1], depth)
        if d.kind == "uint" or step > 0:
            return start[0], max(start[0], stop[1] - 1)
        return min(start[1], stop[0] + 1), start[1]
