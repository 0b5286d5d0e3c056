"""Forward: local memory that is written at known places of one block and read back there or in its regions comes in;
the values themselves go out.

Expects and ensures phase "addresses". What stays in memory (dynamic offsets, stores in inner regions) is left as it is.
"""

from __future__ import annotations

import dataclasses

from avelang.ir.build import Builder
from avelang.ir.core import Block, Kernel, Op, Value, walk
from avelang.ir.ops import bits_of
from avelang.ir.types import LOCAL, DType, TensorType, Type, VecType, dtype_of
from avelang.passes.fold import known


def size_of(t: Type) -> int:
    """Bytes in memory of a scalar or vector; a u1 takes one."""
    return (t.n if isinstance(t, VecType) else 1) * dtype_of(t).bytes


def forward(kernel: Kernel) -> None:
    """Replaces loads by the values stored before them and drops allocations that nobody loads from any more."""
    _Forward(kernel).block(kernel.body)


@dataclasses.dataclass(slots=True)
class _Store:
    start: int
    end: int
    value: Value


class _Forward:
    def __init__(self, kernel: Kernel):
        self.root: dict[Value, tuple[Value, int] | None] = {}  # local pointer -> (alloc, byte offset)
        self.uses: dict[Value, list[Op]] = {}  # alloc -> every op that uses a pointer into it
        self.replaced: dict[Value, Value] = {}
        self.gone: set[Op] = set()  # loads whose values are known, and stores that nobody loads
        for op in walk(kernel.body):
            self.trace(op)

    def trace(self, op: Op) -> None:
        """Records what local pointers the op makes or uses. An unknown use is recorded as itself, and no forwarding
        survives it."""
        if op.name == "alloc" and isinstance(op.result.type, TensorType) and op.result.type.space == LOCAL:
            self.uses[op.result] = []
        if op.name == "base" and op.operands[0] in self.uses:
            self.root[op.result] = (op.operands[0], 0)
            return
        for v in op.operands:
            at = self.root.get(v)
            if at is None:
                if v in self.uses:
                    self.uses[v].append(op)
                continue
            self.uses[at[0]].append(op)
            if op.name == "ptr_add" and isinstance(known(op, 1), int):
                self.root[op.result] = (at[0], at[1] + known(op, 1))

    def block(self, block: Block) -> None:
        """Forwards through the allocations of a block. All stores to one must stand in the block itself: a load inside
        an op of the block, however often it runs, then sees those before that op."""
        for op in block.ops:
            for region in op.regions:
                self.block(region)
        mine = set(block.ops)
        stores: dict[Value, list[_Store]] = {
            op.result: []
            for op in block.ops
            if op.name == "alloc" and op.result in self.uses
            and all(self.plain(u) and (u in mine or u.name != "st") for u in self.uses[op.result])
        }
        if not stores:
            return
        old, block.ops = block.ops, []
        b, left = Builder(block), set[Value]()
        for op in old:
            for inner in (op, *(x for region in op.regions for x in walk(region))):
                at = self.root.get(inner.operands[0]) if inner.name == "ld" else None
                if at is not None and at[0] in stores and not self.load(b, inner, stores[at[0]],
                                                                        at[1] + known(inner, 1)):
                    left.add(at[0])
            at = self.root.get(op.operands[1]) if op.name == "st" else None
            if at is not None and at[0] in stores:
                start = at[1] + known(op, 2)
                stores[at[0]].append(_Store(start, start + size_of(op.operands[0].type), op.operands[0]))
            block.ops.append(op)
        self.gone.update(u for alloc in stores if alloc not in left for u in self.uses[alloc] if u.name == "st")
        self.substitute(block)

    def plain(self, op: Op) -> bool:
        """True if a use is a load, a store through the pointer, or a step by a constant."""
        if op.name == "ld":
            return isinstance(known(op, 1), int) and op.operands[0] in self.root
        if op.name == "st":
            return isinstance(known(op, 2), int) and op.operands[1] in self.root and op.operands[0] not in self.root
        return op.name == "ptr_add" and isinstance(known(op, 1), int)

    def load(self, b: Builder, op: Op, stores: list[_Store], start: int) -> bool:
        """Finds the value of a load at byte `start`; False where it stays one."""
        b.span = op.span
        value = self.read(b, stores, start, op.result)
        if value is None:
            return False
        self.replaced[op.result] = value
        self.gone.add(op)
        return True

    def read(self, b: Builder, stores: list[_Store], start: int, result: Value) -> Value | None:
        """The value that a load of `result`'s type at byte `start` gives, made from the last store that covers it; None
        where several make it up."""
        end = start + size_of(result.type)
        last = next((s for s in reversed(stores) if s.start < end and start < s.end), None)
        d = dtype_of(result.type)
        if last is None or not (last.start <= start
                                and end <= last.end) or d.bits < 8 or dtype_of(last.value.type).bits < 8:
            return None
        value = self.final(last.value)
        if value.type == result.type:
            return value
        total = bits_of(value.type)
        if (start - last.start) % d.bytes or total % d.bits:
            return None
        n = total // d.bits
        words = b.bitcast(value, VecType(d, n))
        at = (start - last.start) // d.bytes
        if isinstance(result.type, DType):
            return b.extract(words, at)
        return b.slice(words, at, result.type.n) if isinstance(result.type, VecType) and result.type.n != n else words

    def substitute(self, block: Block) -> None:
        """Drops what is gone, in the regions too, and puts values in the places of loads."""
        block.ops = [op for op in block.ops if op not in self.gone]
        for op in block.ops:
            op.operands = [self.final(v) for v in op.operands]
            for region in op.regions:
                self.substitute(region)

    def final(self, v: Value) -> Value:
        while v in self.replaced:
            v = self.replaced[v]
        return v
