"""Bounds: a kernel in phase "tensors" comes in; one that checks each access before it makes it, and reports to its last
parameter, goes out.

A coordinate is compared with its extent, and an index into a register vector with its length. An address is compared
with the memory that it is for: the allocation, or the array that the pointer was an argument for, whose range stands
behind the record (`ir.bounds`). Where a whole layout lies in its memory, which is found once where the tensor is made,
coordinates within extents are all that has to be seen. What the ranges of numbers prove is left out."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

from avelang.ir.bounds_report import MOST_VALUES, PARAM, RECORD, Site
from avelang.ir.build import Builder
from avelang.ir.core import Block, Kernel, Op, Value, walk
from avelang.ir.dtypes import i32, i64, u1, u32, u64
from avelang.ir.types import GLOBAL, LOCAL, SHARED, DType, MapType, PtrType, TensorType, VecType, dtype_of, extent
from avelang.isa.footprints import Touch, footprint, size_of
from avelang.isa.lowering_helpers import first_active
from avelang.isa.row import ROWS
from avelang.passes.rewrite import rewrite
from avelang.passes.value_ranges import Ranges

Dim = int | Value
Pair = tuple[Value, Value]  # wrong where the first, unsigned, is not less than the second
LARGE = 1 << 31
MOST_STEPS = 200  # ops that are followed from an address to the array that it is of
RAW = frozenset({"ld", "st", "atomic_add", "atomic"})
# Operands, less the index, of an access to a register vector at an index known only at run time.
_ELEMENT = {"extract": 1, "insert": 2}


@dataclasses.dataclass(slots=True)
class Root:
    """Memory that addresses are measured against. `number`: of the array among those of the launch; -1: any of them,
    addresses are absolute; -2: `size` bytes named `name`."""

    number: int
    space: str
    name: str = ""
    size: Dim = 0


@dataclasses.dataclass(slots=True)
class Where:
    """A tensor's place in memory: bytes behind the start of its root, its layout in elements, and whether all of it is
    inside."""

    root: Root
    at: Dim
    shape: tuple[Dim, ...]
    strides: tuple[Dim, ...]
    name: str
    inside: bool | Value


def bounds(kernel: Kernel, skip: bool = False, device: bool = False, operands: bool = False) -> None:
    """Adds the parameter for reports and the checks; `attrs["sites"]` says what they check. `skip`: a lane that would
    go wrong leaves the access out and goes on (a load gives zeros), where it would otherwise stop. `device`: on a GPU,
    where lanes are on their own, they also stop where others have reported: at the start of the kernel, and in each
    trip of a `while`. `operands`: instead of accesses, operands that must be the same in all active lanes are compared
    with the first one's. The pass may run for either, one after the other."""
    _Bounds(kernel, skip, device, operands).run()


class _Bounds:
    def __init__(self, kernel: Kernel, skip: bool, device: bool, operands: bool):
        self.kernel, self.skip, self.operands = kernel, skip, operands
        self.before: list[dict[str, Any]] | None = kernel.attrs.get("sites")
        self.leaves = device and not skip and not operands
        self.ranges = Ranges(kernel)
        self.where: dict[Value, Where] = {}
        self.roots: dict[Value, tuple[Root, Dim]] = {}
        self.sites: list[Site] = []
        params = kernel.params if self.before is None else kernel.params[:-1]
        self.arrays = [p for p in params if not isinstance(p.type, DType)]
        self.param = Value(PtrType(i64, GLOBAL), PARAM, None) if self.before is None else kernel.params[-1]
        self.head = Builder(Block(), kernel.span)
        self.limits: list[tuple[Value, Value]] = []
        self.by_number: dict[int, Root] = {}
        self.shared = _shared_bytes(kernel)

    def run(self) -> None:
        b = self.head
        if self.leaves:
            self.others(b)
        for i, p in enumerate(self.arrays):
            low, high = (b.ld(self.param, b.const(8 * (RECORD + 2 * i + k), i64), i64, 8) for k in (0, 1))
            self.limits.append((low, high))
            if isinstance(p.type, MapType):
                continue
            size = b.sub(high, low)
            root = self.by_number[i] = Root(i, GLOBAL, p.name, size)
            pointer = b.base(p) if isinstance(p.type, TensorType) else p
            at = b.sub(b.ptr_int(pointer), low)
            self.roots[p] = root, at
            if isinstance(p.type, TensorType):
                shape, strides = (tuple(x or 0 for x in xs) for xs in (p.type.shape, p.type.strides))
                self.where[p] = Where(root, at, shape, strides, p.name, True)
        rewrite(self.kernel.body, self.visit)
        self.kernel.body.ops[:0] = self.head.block.ops
        if self.before is None:
            self.kernel.params.append(self.param)
        self.kernel.attrs["sites"] = [*(self.before or ()), *(site.json() for site in self.sites)]

    def others(self, b: Builder) -> None:
        """The lane is over where there is a report already."""
        flag = b.emit("atomic", (b.const(0, u64), self.param, b.const(0, i64)), (u64,), kind="or").result
        b.emit("check", (self.param, flag, b.const(1, u64)), (), site=0, pairs=1, stop=True)

    def visit(self, op: Op, b: Builder) -> Sequence[Value] | None:
        rule = getattr(self, "on_" + op.name, None)
        if rule is not None:
            rule(op, b)
            return None
        if op.name == "while" and self.leaves:
            *ops, last = op.regions[1].ops
            op.regions[1].ops = ops
            self.others(Builder(op.regions[1], op.span))
            op.regions[1].ops.append(last)
        if self.operands:
            if op.name in ROWS:
                self.alike(op, b)
            return None
        checks: list[tuple[Site, list[Pair], list[Value]]] = []
        if op.name in ("load", "store"):
            checks = self.access(op, b)
        elif op.name in RAW:
            checks = self.raw(op, b)
        elif op.name in _ELEMENT and "index" not in op.attrs:
            checks = self.element(op, b)
        elif op.name in ROWS and (touches := footprint(op.name)) is not None:
            found = touches(b, *ROWS[op.name].arguments(op, lambda v: v))
            checks = [check for touch in found for check in self.touch(op, b, touch, op.name)]
        # What the lanes of a wave do together must not lose any of them.
        together = "convergent" in op.defn.effects
        if checks and self.skip and not together:
            return self.skipping(op, b, checks)
        for site, pairs, values in checks:
            self.check(b, site, pairs, values, not together)
        return None

    def alike(self, op: Op, b: Builder) -> None:
        """Compares the words of operands that must be uniform with those of the first active lane."""
        for param, v in zip(ROWS[op.name].operands, op.operands, strict=True):
            if not param.uniform:
                continue
            count = v.type.n if isinstance(v.type, VecType) else 1
            words = [b.bitcast(b.extract(v, i) if isinstance(v.type, VecType) else v, u32) for i in range(count)]
            first = first_active(b)
            apart = [b.xor(w, b.shuffle("idx", w, first, self.kernel.attrs["wave"])) for w in words]
            one = b.const(1, u32)
            site = Site("uniform", f"`{op.name}`", param.name, coords=[None], name=param.uniform, span=op.span)
            self.check(b, site, [(a, one) for a in apart], [first], "convergent" not in op.defn.effects)

    # -- checks -------------------------------------------------------------------------------------------------------

    def check(self, b: Builder, site: Site, pairs: list[Pair], values: list[Value], stop: bool = True) -> None:
        flat = [v for pair in pairs for v in pair]
        self.sites.append(site)
        number = len(self.before or ()) + len(self.sites) - 1
        b.emit("check", (self.param, *flat, *values[:MOST_VALUES]), (), site=number, pairs=len(pairs),
               stop=stop and not self.skip)

    def skipping(self, op: Op, b: Builder, checks: list[tuple[Site, list[Pair], list[Value]]]) -> Sequence[Value]:
        """The access in the lanes in which it goes right; zeros in the others, where it would give something."""
        wrong: Value | None = None
        for _, pairs, _ in checks:
            for index, limit in pairs:
                beyond = b.cmp("ge", index, limit)
                wrong = beyond if wrong is None else b.or_(wrong, beyond)
        assert wrong is not None
        bad, good = Block(), Block()
        with b.inside(bad):
            for site, pairs, values in checks:
                self.check(b, site, pairs, values)
            b.yield_(*(b.const(0, r.type) for r in op.results))
        inner = Op(op.name, op.operands, tuple(r.type for r in op.results), op.attrs, (), op.span)
        good.ops.append(inner)
        with b.inside(good):
            b.yield_(*inner.results)
        return b.emit("if", (wrong,), tuple(r.type for r in op.results), (bad, good)).results

    # -- tensors ------------------------------------------------------------------------------------------------------

    def locate(self, ptr: Value, b: Builder) -> tuple[Root, Dim]:
        """The root of a pointer and how far behind its start it points."""
        found = self.roots.get(ptr)
        if found is not None:
            return found
        assert isinstance(ptr.type, PtrType)
        op = ptr.op
        if ptr.type.space == GLOBAL:
            number = op.operands[0] if op is not None and op.name == "int_ptr" else b.ptr_int(ptr)
            source = self.source(number)
            if source is None:
                return Root(-1, GLOBAL), number
            return source, b.sub(number, self.limits[source.number][0])
        return Root(-2, ptr.type.space, "shared memory", self.shared), b.ptr_int(ptr)

    def source(self, number: Value) -> Root | None:
        """The array that an address is reckoned from: the only one whose address goes into it. None where it is none or
        several."""
        found: set[int] = set()
        todo, seen = [number], set[Value]()
        while todo:
            op = todo.pop().op
            if op is None or op.result in seen or len(seen) > MOST_STEPS:
                continue
            seen.add(op.result)
            if op.name == "ptr_int":
                root = self.roots.get(op.operands[0], (Root(-1, GLOBAL), 0))[0]
                found.add(root.number)
            elif op.name in ("ld", "load", "atomic", "atomic_add", "map_word", "shuffle") or op.regions:
                found.add(-1)
            else:
                todo += op.operands
        root = self.by_number.get(found.pop()) if len(found) == 1 and len(seen) <= MOST_STEPS else None
        return root

    def on_alloc(self, op: Op, b: Builder) -> None:
        t = op.result.type
        assert isinstance(t, TensorType)
        size = 0 if 0 in t.shape else extent(t)
        name = op.attrs.get("name") or op.result.name or t.space
        shape, strides = (tuple(x or 0 for x in xs) for xs in (t.shape, t.strides))
        self.where[op.result] = Where(Root(-2, t.space, name, size), 0, shape, strides, name, True)

    def on_make_tensor(self, op: Op, b: Builder) -> None:
        root, at = self.locate(op.operands[0], b)
        name = op.attrs.get("name") or op.result.name or op.operands[0].name or "a tensor"
        self.place(op, b, root, at, op.operands[1:], name)

    def on_view(self, op: Op, b: Builder) -> None:
        base = self.where[op.operands[0]]
        self.place(op, b, base.root, base.at, op.operands[1:], op.attrs.get("name") or op.result.name or base.name)

    def on_subview(self, op: Op, b: Builder) -> None:
        base, n = self.where[op.operands[0]], len(self.where[op.operands[0]].strides)
        size = dtype_of(op.operands[0].type).bytes
        at = self.moved(b, base.at, op.operands[1 : 1 + n], base.strides, size)
        self.place(op, b, base.root, at, op.operands[1 + n :], op.attrs.get("name") or op.result.name or base.name)

    def on_base(self, op: Op, b: Builder) -> None:
        at = self.where[op.operands[0]]
        self.roots[op.result] = at.root, at.at

    def on_ptr_add(self, op: Op, b: Builder) -> None:
        root, at = self.locate(op.operands[0], b)
        self.roots[op.result] = root, self.sum(b, at, op.operands[1])

    def on_shared_peer(self, op: Op, b: Builder) -> None:
        self.roots[op.result] = self.locate(op.operands[0], b)

    def place(self, op: Op, b: Builder, root: Root, at: Dim, dims: list[Value], name: str) -> None:
        """Records where `op`'s tensor lies; `dims` are the operands for its `?`, extents first."""
        t, rest = op.result.type, iter(dims)
        assert isinstance(t, TensorType)
        shape = tuple(next(rest) if x is None else x for x in t.shape)
        strides = tuple(next(rest) if x is None else x for x in t.strides)
        self.where[op.result] = Where(root, at, shape, strides, name,
                                      self.inside(b, root, at, shape, strides, t.dtype.bytes))

    def inside(self, b: Builder, root: Root, at: Dim, shape: tuple[Dim, ...], strides: tuple[Dim, ...],
               size: int) -> bool | Value:
        """True if a whole layout lies in its root, or what will say so."""
        if root.number == -1:
            return False
        low, high, sure = 0, size, None
        dynamic: Dim = 0
        for n, s in zip(shape, strides, strict=True):
            if isinstance(n, int) and isinstance(s, int):
                low, high = low + min(0, (n - 1) * s * size), high + max(0, (n - 1) * s * size)
                continue
            for x in (n, s):
                if isinstance(x, Value) and not self.small(x):
                    wide = b.bitcast(b.convert(x, i64), u64)
                    near = b.cmp("lt", wide, b.const(LARGE, u64))
                    sure = near if sure is None else b.and_(sure, near)
            reach = b.mul(b.sub(_wide(b, n), b.const(1, i64)), _wide(b, s))
            if isinstance(s, int) and s < 0:
                return False
            # A product of two numbers below 2**31 times a size; of many, sums stay far from the end of 64 bits.
            reach = b.same("min", b.same("max", reach, b.const(0, i64)), b.const(1 << 56, i64))
            dynamic = self.sum(b, dynamic, b.mul(reach, b.const(size, i64)) if size != 1 else reach)
        if high >= 1 << 58:
            return False
        if isinstance(at, int) and isinstance(root.size, int) and isinstance(dynamic, int):
            return at + low >= 0 and at + high <= root.size
        first, last = self.sum(b, at, low), self.sum(b, self.sum(b, at, high), dynamic)
        ok = b.cmp("le", _wide(b, last), _wide(b, root.size))
        ok = b.and_(ok, b.cmp("ge", _wide(b, first), b.const(0, i64)))
        return ok if sure is None else b.and_(ok, sure)

    def small(self, x: Value) -> bool:
        low, high = self.ranges.of(x)
        return low >= 0 and high < LARGE

    # -- sums ---------------------------------------------------------------------------------------------------------

    def sum(self, b: Builder, x: Dim, y: Dim) -> Dim:
        if isinstance(x, int) and isinstance(y, int):
            return x + y
        if x is y or 0 in [z for z in (x, y) if isinstance(z, int)]:
            return y if isinstance(x, int) else x if isinstance(y, int) else b.add(x, y)
        return b.add(_wide(b, x), _wide(b, y))

    def moved(self, b: Builder, at: Dim, coords: list[Value], strides: Sequence[Dim], size: int) -> Dim:
        """`at` and coordinates times strides, in bytes."""
        for c, s in zip(coords, strides, strict=False):
            known = c.op.attrs["value"] if c.op is not None and c.op.name == "const" else None
            if known is not None and isinstance(s, int):
                at = self.sum(b, at, known * s * size)
                continue
            term = _wide(b, c)
            step: Dim = s * size if isinstance(s, int) else b.mul(_wide(b, s), b.const(size, i64))
            at = self.sum(b, at, term if step == 1 else b.mul(term, _wide(b, step)))
        return at

    # -- accesses -----------------------------------------------------------------------------------------------------

    def access(self, op: Op, b: Builder) -> list[tuple[Site, list[Pair], list[Value]]]:
        """The checks of a load or a store through a tensor."""
        tensor, *coords = op.operands if op.name == "load" else op.operands[1:]
        at, t = self.where[tensor], tensor.type
        assert isinstance(t, TensorType)
        pairs = [p for c, n in zip(coords, at.shape, strict=False) if (p := self.coordinate(b, c, n)) is not None]
        values, given = _unknown(coords)
        out = []
        if pairs:
            shape = [n if isinstance(n, int) else None for n in at.shape]
            site = Site("extent", op.name, at.name, t.space, given, shape, span=op.span)
            out.append((site, pairs, [*values, *(n for n in at.shape if isinstance(n, Value))]))
        if at.inside is True:
            return out
        if self.skip or at.inside is False:
            return out + self.reach(op, b, at, coords, t)
        for found in out:
            self.check(b, *found)
        # Where all of the tensor is inside its memory, addresses are not looked at.
        beyond, nothing = Block(), Block()
        with b.inside(beyond):
            for found in self.reach(op, b, dataclasses.replace(at, inside=False), coords, t):
                self.check(b, *found)
            b.yield_()
        with b.inside(nothing):
            b.yield_()
        b.emit("if", (b.same("not", at.inside),), (), (beyond, nothing))
        return []

    def reach(self, op: Op, b: Builder, at: Where, coords: list[Value],
              t: TensorType) -> list[tuple[Site, list[Pair], list[Value]]]:
        """The check of an access's address, which counts where the tensor is not all inside."""
        size, k = t.dtype.bytes, len(coords)
        shape, strides = [n for n in at.shape[k:] if isinstance(n, int)], at.strides[k:]
        first = self.moved(b, at.at, coords, at.strides, size)
        run = _run(shape, strides) * size
        low, high, moving = 0, 0, first
        length: Dim = 0
        for n, s in zip(shape, strides, strict=True):
            if isinstance(s, int):
                low, high = low + min(0, (n - 1) * s * size), high + max(0, (n - 1) * s * size)
                continue
            step = b.mul(_wide(b, s), b.const((n - 1) * size, i64))
            moving = self.sum(b, moving, b.same("min", step, b.const(0, i64)))
            length = self.sum(b, length, b.same("abs", step))
        start, length = self.sum(b, moving, low), self.sum(b, length, high - low + size)
        values, given = _unknown(coords)
        values += [*(b.mul(_wide(b, s), b.const(size, i64)) for s in strides if isinstance(s, Value)), _wide(b, first)]
        steps = [s * size if isinstance(s, int) else None for s in strides]
        whole = at.root.size if isinstance(at.root.size, int) else 0
        site = Site("bounds", op.name, at.name, t.space, given, [], steps, shape, at.root.number, at.root.name, whole,
                    run, size, op.span)
        return self.address(b, site, at.root, start, length, at.inside, values)

    def address(
        self, b: Builder, site: Site, root: Root, start: Dim, length: Dim, inside: bool | Value, values: list[Value],
        none: Value | None = None
    ) -> list[tuple[Site, list[Pair], list[Value]]]:
        """The check that `length` bytes from `start` lie in the root's memory. `none`: where nothing is touched,
        wherever `start` is."""
        if isinstance(start, int) and isinstance(length, int) and isinstance(root.size, int) and root.number == -2:
            if start >= 0 and start + length <= root.size:
                return []
        if root.number == -1:
            end, found = b.add(_wide(b, start), _wide(b, length)), none
            for low, high in self.limits:
                here = b.and_(b.cmp("ge", _wide(b, start), low), b.cmp("le", end, high))
                found = here if found is None else b.or_(found, here)
            wrong = b.const(True, u1) if found is None else b.same("not", found)
            return [(site, [(b.convert(wrong, u32), b.const(1, u32))], values)]
        room = b.sub(_wide(b, root.size), _wide(b, length))
        limit = b.same("max", b.add(room, b.const(1, i64)), b.const(0, i64))
        index = _wide(b, start) if none is None else b.select(none, b.const(0, i64), _wide(b, start))
        if isinstance(inside, Value):
            # Wherever the whole tensor is inside, nothing is compared: the index counts as 0 and the limit as 1.
            index, limit = b.select(inside, b.const(0, i64), index), b.select(inside, b.const(1, i64), limit)
        return [(site, [(b.bitcast(index, u64), b.bitcast(limit, u64))], values)]

    def raw(self, op: Op, b: Builder) -> list[tuple[Site, list[Pair], list[Value]]]:
        """The check of an access by address: what rows are made of."""
        ptr, offset = op.operands[-2:]
        assert isinstance(ptr.type, PtrType)
        if ptr.type.space == LOCAL:
            return []
        n = size_of(op.result if op.name == "ld" else op.operands[0])
        return self.touch(op, b, Touch(ptr, offset, n, n), op.attrs.get("row", op.name))

    def touch(self, op: Op, b: Builder, touch: Touch, name: str) -> list[tuple[Site, list[Pair], list[Value]]]:
        """The check of bytes at a pointer or at a tensor's first element."""
        at = self.where.get(touch.place)
        root, first = (at.root, at.at) if at is not None else self.locate(touch.place, b)
        start, n = self.sum(b, first, touch.start), touch.most
        size = root.size if isinstance(root.size, int) else 0
        site = Site("bounds", f"`{name}`", "", root.space, [], [], [], [], root.number, root.name, size, n, n, op.span)
        none = b.cmp("eq", touch.length, b.const(0, i64)) if isinstance(touch.length, Value) else None
        return self.address(b, site, root, start, touch.length, False, [_wide(b, start)], none)

    def element(self, op: Op, b: Builder) -> list[tuple[Site, list[Pair], list[Value]]]:
        """The check of an index into a register vector."""
        vector, index = op.operands[0].type, op.operands[-1]
        assert isinstance(vector, VecType)
        pair = self.coordinate(b, index, vector.n)
        site = Site("register", op.name, coords=[None], size=vector.n, span=op.span)
        return [] if pair is None else [(site, [pair], [index])]

    def coordinate(self, b: Builder, c: Value, extent: Dim) -> Pair | None:
        """A coordinate and its extent as unsigned numbers of one width; None where the coordinate cannot be outside."""
        d = c.type
        assert isinstance(d, DType)
        low, high = self.ranges.of(c)
        least = extent if isinstance(extent, int) else self.ranges.of(extent)[0]
        if low >= 0 and high < least:
            return None
        word = u32 if d.bits == 32 else u64
        if isinstance(extent, int):
            most = LARGE if d == i32 else 1 << 63 if d == i64 else 1 << d.bits
            return None if extent >= 1 << d.bits else (b.bitcast(c, word), b.const(min(extent, most), word))
        e = extent.type
        if word == u32 and e in (i32, u32):
            if d == i32 and e == u32:
                extent = b.same("min", extent, b.const(LARGE, u32))
            return b.bitcast(c, u32), b.bitcast(self.positive(b, extent), u32)
        return b.bitcast(_wide(b, c), u64), b.bitcast(self.positive(b, _wide(b, extent)), u64)

    def positive(self, b: Builder, extent: Value) -> Value:
        """An extent below zero holds nothing."""
        return extent if self.ranges.of(extent)[0] >= 0 else b.same("max", extent, b.const(0, extent.type))


def _wide(b: Builder, x: Dim) -> Value:
    return b.const(x, i64) if isinstance(x, int) else b.convert(x, i64)


def _unknown(coords: list[Value]) -> tuple[list[Value], list[int | None]]:
    """Coordinates whose numbers come with a report, and all of them as a site keeps them."""
    given = [c.op.attrs["value"] if c.op is not None and c.op.name == "const" else None for c in coords]
    return [c for c, x in zip(coords, given, strict=True) if x is None], given


def _run(shape: list[int], strides: Sequence[Dim]) -> int:
    """The number of elements that one access takes at a time: all of a vector that lies in one piece, else one."""
    offsets = [sum(i * s for i, s in zip(ix, strides, strict=True) if isinstance(s, int))
               for ix in itertools.product(*(range(n) for n in shape))]
    whole = all(isinstance(s, int) for s in strides) and offsets == list(range(len(offsets)))
    return len(offsets) if whole else 1


def _shared_bytes(kernel: Kernel) -> int:
    """The bytes of a block's shared memory, as emitters lay it out at most."""
    end = 0
    for op in walk(kernel.body):
        t = op.result.type if op.name == "alloc" else None
        if isinstance(t, TensorType) and t.space == SHARED:
            align = max(64, op.attrs.get("align") or 0)
            end = -(-end // align) * align + (0 if 0 in t.shape else extent(t))
    return -(-end // 64) * 64
