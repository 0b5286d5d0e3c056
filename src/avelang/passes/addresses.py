"""Addresses: loads and stores through layouts come in; pointers with byte offsets go out. Expects phase "tensors",
ensures phase "addresses"."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

from avelang.ir.build import Builder
from avelang.ir.core import Kernel, Op, Value
from avelang.ir.dtypes import i64
from avelang.ir.types import TensorType, VecType
from avelang.isa.row import ROWS
from avelang.passes.rewrite import rewrite

Dim = int | Value


@dataclasses.dataclass(slots=True)
class Located:
    """A tensor's address: a pointer to its first element, and its strides in elements."""

    ptr: Value
    strides: tuple[Dim, ...]


def addresses(kernel: Kernel) -> None:
    """Rewrites make_tensor, view, subview, load, store and the tensor operands of rows."""
    _Addresses(kernel).run()


class _Addresses:
    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self.where: dict[Value, Located] = {}

    def run(self) -> None:
        # Pointers to array parameters are made first, so that they dominate every use.
        ops, self.kernel.body.ops = self.kernel.body.ops, []
        b = Builder(self.kernel.body, self.kernel.span)
        for p in self.kernel.params:
            if isinstance(p.type, TensorType):
                self.where[p] = Located(b.base(p), tuple(s or 0 for s in p.type.strides))
        head, self.kernel.body.ops = self.kernel.body.ops, ops
        rewrite(self.kernel.body, self.visit)
        self.kernel.body.ops[:0] = head

    def visit(self, op: Op, b: Builder) -> Sequence[Value] | None:
        rule = getattr(self, "on_" + op.name, None)
        if rule is not None:
            return rule(op, b)
        if op.name in ROWS:
            op.operands = [self.where[v].ptr if isinstance(v.type, TensorType) else v for v in op.operands]
        return None

    # -- tensors ------------------------------------------------------------------------------------------------------

    def locate(self, op: Op, ptr: Value, dims: list[Value]) -> Sequence[Value]:
        """Records where `op`'s tensor lies; `dims` are the operands for its `?` extents and strides. The tensor value
        itself goes away."""
        t = op.result.type
        assert isinstance(t, TensorType)
        rest = iter(dims[sum(x is None for x in t.shape) :])
        self.where[op.result] = Located(ptr, tuple(next(rest) if s is None else s for s in t.strides))
        return [op.result]

    def on_alloc(self, op: Op, b: Builder) -> Sequence[Value]:
        b.block.ops.append(op)
        return self.locate(op, b.base(op.result), [])

    def on_make_tensor(self, op: Op, b: Builder) -> Sequence[Value]:
        return self.locate(op, op.operands[0], op.operands[1:])

    def on_view(self, op: Op, b: Builder) -> Sequence[Value]:
        source, t = self.where[op.operands[0]].ptr, op.result.type
        assert isinstance(t, TensorType)
        return self.locate(op, source, op.operands[1:])

    def on_subview(self, op: Op, b: Builder) -> Sequence[Value]:
        base = op.operands[0]
        assert isinstance(base.type, TensorType)
        n = len(base.type.shape)
        at = self.where[base]
        offset = self.offset(b, at, op.operands[1 : 1 + n], base.type.dtype.bytes)
        return self.locate(op, b.ptr_add(at.ptr, offset), op.operands[1 + n :])

    def on_base(self, op: Op, b: Builder) -> Sequence[Value]:
        return [self.where[op.operands[0]].ptr]

    # -- accesses -----------------------------------------------------------------------------------------------------

    def offset(self, b: Builder, at: Located, coords: list[Value], size: int) -> Value:
        """The byte offset of an element, i64: the sum of coordinate x stride, times the element's size."""
        fixed, total = 0, None
        for c, s in zip(coords, at.strides, strict=False):
            known = c.op.attrs["value"] if c.op is not None and c.op.name == "const" else None
            if known is not None and isinstance(s, int):
                fixed += known * s * size
                continue
            term = b.convert(c, i64)
            if isinstance(s, Value):
                term = b.mul(term, b.mul(b.convert(s, i64), b.const(size, i64)))
            elif s * size != 1:
                term = b.mul(term, b.const(s * size, i64))
            total = term if total is None else b.add(total, term)
        if total is None:
            return b.const(fixed, i64)
        return b.add(total, b.const(fixed, i64)) if fixed else total

    def runs(self, b: Builder, at: Located, t: TensorType, coords: list[Value]) -> list[tuple[Value, int]]:
        """(byte offset, elements) of each contiguous run of what `coords` leave of the tensor, in the order of the
        vector's elements."""
        size, first = t.dtype.bytes, self.offset(b, at, coords, t.dtype.bytes)
        k = len(coords)
        extents = [range(x or 0) for x in t.shape[k:]]
        strides = at.strides[k:]
        if any(isinstance(s, Value) for s in strides):
            zero = [b.const(i) for i in range(max((len(e) for e in extents), default=1))]
            rest = Located(at.ptr, strides)
            return [(b.add(first, self.offset(b, rest, [zero[i] for i in ix], size)), 1)
                    for ix in itertools.product(*extents)]
        offsets = [sum(i * s for i, s in zip(ix, strides, strict=True) if isinstance(s, int))
                   for ix in itertools.product(*extents)]
        out: list[tuple[int, int]] = []
        for o in offsets:
            if out and out[-1][0] + out[-1][1] == o:
                out[-1] = (out[-1][0], out[-1][1] + 1)
            else:
                out.append((o, 1))
        return [(b.add(first, b.const(o * size, i64)) if o else first, n) for o, n in out]

    def on_load(self, op: Op, b: Builder) -> Sequence[Value]:
        tensor, t = op.operands[0], op.operands[0].type
        assert isinstance(t, TensorType)
        at = self.where[tensor]
        runs = self.runs(b, at, t, op.operands[1:])
        align = t.dtype.bytes
        if isinstance(op.result.type, VecType):
            parts = [b.ld(at.ptr, o, VecType(t.dtype, n), align) for o, n in runs]
            if len(parts) == 1:
                return parts
            return [b.vec([b.extract(p, i) for p in parts
                           for i in range(p.type.n if isinstance(p.type, VecType) else 1)])]
        return [b.ld(at.ptr, runs[0][0], t.dtype, align)]

    def on_store(self, op: Op, b: Builder) -> Sequence[Value]:
        value, tensor, *coords = op.operands
        t = tensor.type
        assert isinstance(t, TensorType)
        at = self.where[tensor]
        start = 0
        for o, n in self.runs(b, at, t, coords):
            whole = not isinstance(value.type, VecType) or n == value.type.n
            b.st(value if whole else b.slice(value, start, n), at.ptr, o, t.dtype.bytes)
            start += n
        return []


