"""Accumulators in local memory: the ops of a block come in; the loads of local memory whose value matrix instructions
may add to where it stands go out.

Such a load is read by one matrix instruction, as C; the result by the next one, or by a store to the same place; and
nothing between touches the place. So neither the load nor the store moves anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from avelang.ir.core import Block, Op, Value, walk
from avelang.ir.types import LOCAL, PtrType, VecType
from avelang.isa.row import ROWS

Accesses = dict[Value, list[tuple[int, Op | None]]]  # by tensor: places in the block; None for an op with regions


def in_place(block: Block, uses: dict[Value, int], root: Callable[[Value], Value | None]) -> set[Value]:
    """The results of such loads, in a block and its regions. `root`: the tensor into which a pointer points."""
    out: set[Value] = set()
    accesses: Accesses = {}
    for i, op in enumerate(block.ops):
        for tensor in _touched([op], root):
            accesses.setdefault(tensor, []).append((i, op))
        for region in op.regions:
            out |= in_place(region, uses, root)
            for tensor in _touched(walk(region), root):
                accesses.setdefault(tensor, []).append((i, None))
    chains: dict[Value, tuple[int, Op]] = {}  # value -> the load that it comes from, and its place
    for i, op in enumerate(block.ops):
        vector = op.name == "ld" and _local(op.operands[0]) and isinstance(op.result.type, VecType)
        if vector and uses.get(op.result) == 1:
            chains[op.result] = i, op
        elif op.name in ROWS and ROWS[op.name].mma is not None and op.operands[2] in chains:
            found = chains.pop(op.operands[2])
            if uses.get(op.result) == 1 and op.result.type == found[1].result.type:
                chains[op.result] = found
        elif op.name == "st" and op.operands[0] in chains:
            at, load = chains.pop(op.operands[0])
            same = op.operands[1] is load.operands[0] and op.operands[2] is load.operands[1]
            tensor = root(load.operands[0])
            if same and tensor is not None and not any(
                at < k < i and _overlap(other, load) for k, other in accesses[tensor]
            ):
                out.add(load.result)
    return out


def _local(ptr: Value) -> bool:
    return isinstance(ptr.type, PtrType) and ptr.type.space == LOCAL


def _touched(ops: Iterable[Op], root: Callable[[Value], Value | None]) -> set[Value]:
    """The local tensors that ops use by a pointer, but for steps from pointer to pointer."""
    used = (v for op in ops if op.name not in ("ptr_add", "base") for v in op.operands if _local(v))
    return {tensor for tensor in map(root, used) if tensor is not None}


def _overlap(op: Op | None, load: Op) -> bool:
    """True where an access may touch what `load` reads: places apart are known to be so by constants from one
    pointer."""
    if op is None or op.name not in ("ld", "st"):
        return True
    mine, theirs = _range(op), _range(load)
    return mine is None or theirs is None or mine[0] is not theirs[0] or (mine[1] < theirs[2] and theirs[1] < mine[2])


def _range(op: Op) -> tuple[Value, int, int] | None:
    """The tensor's pointer, and the bytes from it on, of an access at a constant place."""
    ptr, off = op.operands[:2] if op.name == "ld" else op.operands[1:3]
    t = op.result.type if op.name == "ld" else op.operands[0].type
    size, start = (t.n * t.dtype.bytes if isinstance(t, VecType) else 8), 0
    while True:
        if off is not None:
            made = off.op
            if made is None or made.name != "const":
                return None
            start += made.attrs["value"]
        if ptr.op is None or ptr.op.name not in ("ptr_add", "base"):
            return ptr, start, start + size
        off = ptr.op.operands[1] if ptr.op.name == "ptr_add" else None
        ptr = ptr.op.operands[0]
