"""Writes: a kernel in phase "tensors" comes in; the names of the array parameters whose memory it may write go out."""

from __future__ import annotations

from avelang.ir.core import Block, Kernel, Op, Value
from avelang.ir.types import DType

Roots = frozenset[Value]
_NONE: Roots = frozenset()


def written(kernel: Kernel) -> list[str]:
    """Parameters that a store, an atomic or a row with the effect "write" may reach through a pointer, a tensor or a
    buffer resource made of them."""
    return _Writes(kernel).names()


class _Writes:
    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self.roots: dict[Value, Roots] = {p: frozenset({p}) for p in kernel.params if not isinstance(p.type, DType)}
        self.found: set[Value] = set()

    def names(self) -> list[str]:
        before = -1
        # Carried values make a second walk see more than the first.
        while before != (before := sum(map(len, self.roots.values()))):
            self.block(self.kernel.body)
        return [p.name for p in self.kernel.params if p in self.found]

    def of(self, values: list[Value]) -> Roots:
        return _NONE.union(*(self.roots.get(v, _NONE) for v in values))

    def add(self, v: Value, roots: Roots) -> None:
        if roots:
            self.roots[v] = self.roots.get(v, _NONE) | roots

    def block(self, block: Block) -> None:
        for op in block.ops:
            self.op(op)

    def op(self, op: Op) -> None:
        if "write" in op.defn.effects and op.name != "alloc":
            # What is stored is no pointer into the memory that is written.
            operands = op.operands[1:] if op.name in ("store", "st") else op.operands
            self.found |= self.of([v for i, v in enumerate(operands) if i not in op.defn.sources])
        if op.regions:
            self.regions(op)
        elif "read" not in op.defn.effects:
            for r in op.results:
                self.add(r, self.of(op.operands))

    def regions(self, op: Op) -> None:
        """Values carried into and out of regions keep their roots: the n-th of what comes in, of what regions take and
        of what they yield is the n-th result."""
        for region in op.regions:
            self.block(region)
        n = len(op.results)
        groups = [list(op.results), *([*region.args][-n:] for region in op.regions if n and len(region.args) >= n)]
        into = [] if op.name == "if" else [op.operands[-n:]]
        into += [region.ops[-1].operands[-n:] for region in op.regions if region.ops]
        for i in range(n):
            carried = self.of([values[i] for values in into if len(values) == n])
            for values in groups:
                self.add(values[i], carried)
