"""Reuse: loads of local memory whose bytes were stored or loaded before in the same block, or around it, come in; the
values themselves go out, and stores go that a later one of their block overwrites before anybody reads.

Expects and ensures phase "addresses". `forward` needs all stores to stand in one block; this one needs to know of no
more than what lies between a load and what is there already, so an accumulator in a loop is loaded once a trip, and
operands that many products have are one value."""

from __future__ import annotations

from avelang.ir.build import Builder
from avelang.ir.core import Block, Kernel, Op, Value, walk
from avelang.ir.ops import bits_of
from avelang.ir.types import LOCAL, DType, TensorType, Type, VecType, dtype_of
from avelang.passes.fold import known
from avelang.passes.forward import size_of

Range = tuple[int, int]  # bytes from the first to before the last
Known = dict[Value, dict[Range, Value]]  # by allocation, the latest last
ALL: Range = (0, 1 << 62)


def reuse(kernel: Kernel) -> None:
    """Puts values in the places of loads, and drops stores that nobody reads."""
    memory = _Places(kernel)
    _Reuse(memory).block(kernel.body, {})
    _drop(memory, kernel.body, True)


def _overlap(a: Range, b: Range) -> bool:
    return a[0] < b[1] and b[0] < a[1]


class _Places:
    """Where the local pointers of a kernel lead, as far as that is known."""

    def __init__(self, kernel: Kernel):
        self.at: dict[Value, tuple[Value, int | None]] = {}  # pointer -> (allocation, byte offset)
        escaped: set[Value] = set()
        for op in walk(kernel.body):
            if op.name == "alloc" and isinstance(op.result.type, TensorType) and op.result.type.space == LOCAL:
                self.at[op.result] = (op.result, 0)
                continue
            for i, v in enumerate(op.operands):
                if v in self.at and not self._follow(op, i):
                    escaped.add(self.at[v][0])
        self.at = {p: at for p, at in self.at.items() if at[0] not in escaped}

    def _follow(self, op: Op, i: int) -> bool:
        """False for a use of which nothing is known."""
        root, offset = self.at[op.operands[i]]
        if op.name == "base":
            self.at[op.result] = (root, offset)
        elif op.name == "ptr_add" and i == 0:
            step = known(op, 1)
            self.at[op.result] = (root, offset + step if isinstance(step, int) and offset is not None else None)
        else:
            return (op.name == "ld" and i == 0) or (op.name == "st" and i == 1)
        return True

    def access(self, op: Op) -> tuple[Value, Range | None] | None:
        """The allocation and the bytes that a load or a store reaches (None: any); None for any other op."""
        if op.name not in ("ld", "st"):
            return None
        load = op.name == "ld"
        found = self.at.get(op.operands[0 if load else 1])
        if found is None:
            return None
        root, offset = found
        more = known(op, 1 if load else 2)
        if offset is None or not isinstance(more, int):
            return root, None
        start = offset + more
        return root, (start, start + size_of((op.result if load else op.operands[0]).type))

    def touched(self, op: Op, name: str) -> set[Value]:
        """The allocations that the loads or stores within an op reach."""
        found = (self.access(inner) for region in op.regions for inner in walk(region) if inner.name == name)
        return {at[0] for at in found if at is not None}


class _Reuse:
    def __init__(self, memory: _Places):
        self.memory = memory
        self.replaced: dict[Value, Value] = {}

    def block(self, block: Block, values: Known) -> None:
        old, block.ops = block.ops, []
        b = Builder(block)
        for op in old:
            op.operands = [self.replaced.get(v, v) for v in op.operands]
            at = self.memory.access(op)
            if at is not None and at[1] is not None and op.name == "ld":
                b.span = op.span
                mine = values.setdefault(at[0], {})
                value = self._find(b, mine, at[1], op.result.type)
                if value is not None:
                    self.replaced[op.result] = value
                    continue
                mine[at[1]] = op.result
            elif at is not None and op.name == "st":
                self._kill(values, *at)
                if at[1] is not None:
                    values.setdefault(at[0], {})[at[1]] = op.operands[0]
            elif op.regions:
                for root in self.memory.touched(op, "st"):
                    values.pop(root, None)
                for region in op.regions:
                    self.block(region, {root: dict(mine) for root, mine in values.items()})
            block.ops.append(op)

    def _kill(self, values: Known, root: Value, where: Range | None) -> None:
        if where is None:
            values.pop(root, None)
        elif root in values:
            values[root] = {r: v for r, v in values[root].items() if not _overlap(r, where)}

    def _find(self, b: Builder, mine: dict[Range, Value], where: Range, t: Type) -> Value | None:
        """The value of a load; made of several, element by element, where one does not have all."""
        d = dtype_of(t)
        if not mine or d.bits < 8:
            return None
        value = self._part(b, mine, where, t)
        if value is None and isinstance(t, VecType):
            places = [(where[0] + i * d.bytes, where[0] + (i + 1) * d.bytes) for i in range(t.n)]
            if all(any(_serves(r, v, place, d) for r, v in mine.items()) for place in places):
                items = [self._part(b, mine, place, d) for place in places]
                value = b.vec([x for x in items if x is not None])
                mine[where] = value
        return value

    def _part(self, b: Builder, mine: dict[Range, Value], where: Range, t: Type) -> Value | None:
        d = dtype_of(t)
        if where in mine and mine[where].type == t:
            return mine[where]
        found = next(((r, v) for r, v in reversed(mine.items()) if _serves(r, v, where, d)), None)
        if found is None:
            return None
        (start, _), value = found
        n, at = bits_of(value.type) // d.bits, (where[0] - start) // d.bytes
        words = b.bitcast(value, VecType(d, n)) if dtype_of(value.type) != d or n == 1 else value
        if isinstance(t, DType):
            return b.extract(words, at)
        assert isinstance(t, VecType)
        return words if t.n == n else b.slice(words, at, t.n)


def _serves(have: Range, value: Value, where: Range, d: DType) -> bool:
    """True where a value's bytes hold all of `where`, at a place of elements of `d`."""
    return (
        have[0] <= where[0] and where[1] <= have[1] and dtype_of(value.type).bits >= 8
        and (where[0] - have[0]) % d.bytes == 0 and bits_of(value.type) % d.bits == 0
    )  # fmt: skip


def _drop(memory: _Places, block: Block, outermost: bool) -> None:
    """Drops the stores of a block that a later one there overwrites before anybody reads, or whose memory ends with the
    block."""
    here = {op.result for op in block.ops if op.name == "alloc"}
    over: dict[Value, set[Range]] = {root: {ALL} for root in here}
    if outermost:
        over = {root: {ALL} for root, _ in memory.at.values()}
    kept: list[Op] = []
    for op in reversed(block.ops):
        at = memory.access(op)
        if at is not None and op.name == "ld":
            over[at[0]] = {r for r in over.get(at[0], ()) if at[1] is not None and not _overlap(r, at[1])}
        elif at is not None and at[1] is not None:
            start, end = at[1]
            mine = over.setdefault(at[0], set())
            if any(r[0] <= start and end <= r[1] for r in mine):
                continue
            mine.add(at[1])
        elif at is not None and ALL in over.get(at[0], ()):
            continue
        elif op.regions:
            for root in memory.touched(op, "ld"):
                over.pop(root, None)
            for region in op.regions:
                _drop(memory, region, False)
        kept.append(op)
    block.ops = kept[::-1]
