"""The builder: appends ops to a block with a span, and infers result types. Constants are shared within a block and
folded by passes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from avelang.base.spans import Span
from avelang.ir.core import Block, Op, Value
from avelang.ir.dtypes import DType, i64, u1, u32
from avelang.ir.types import GLOBAL, PtrType, TensorType, Type, VecType, dtype_of, with_dtype

Number = int | float | bool


def _binary(name: str) -> Callable[[Builder, Value, Value], Value]:
    def method(self: Builder, a: Value, b: Value) -> Value:
        return self.emit(name, (a, b), (b.type,)).result

    method.__doc__ = f"The op `{name}` on two values of one type."
    return method


class Builder:
    """Appends to `block`. `span` is given to every op made; set it before building a statement. `features` are the
    chip's, `cluster` the extents of a cluster in blocks."""

    def __init__(
        self, block: Block, span: Span | None = None, features: frozenset[str] = frozenset(),
        cluster: tuple[int, int, int] = (1, 1, 1)
    ):  # fmt: skip
        self.block = block
        self.span = span
        self.features = features
        self.cluster = cluster

    # -- placing ------------------------------------------------------------------------------------------------------

    def emit(self, name: str, operands: tuple[Value, ...] | list[Value] = (), types: tuple[Type, ...] = (),
             regions: tuple[Block, ...] | list[Block] = (), /, **attrs: Any) -> Op:  # fmt: skip
        """Appends the op and returns it."""
        op = Op(name, operands, types, attrs, regions, self.span)
        self.block.ops.append(op)
        return op

    @contextlib.contextmanager
    def inside(self, block: Block) -> Iterator[Block]:
        """Appends to `block` for a while."""
        outer, self.block = self.block, block
        try:
            yield block
        finally:
            self.block = outer

    # -- values -------------------------------------------------------------------------------------------------------

    def const(self, value: Number | tuple[Number, ...], type: Type = u32) -> Value:
        """A constant of `type`; a number is given to each element of a vector type."""
        d = dtype_of(type)

        def norm(x: Number) -> Number:
            if d.kind == "bool":
                return bool(x)
            if d.is_float:
                return float(x)
            x = int(x) & ((1 << d.bits) - 1)
            return x - (1 << d.bits) if d.kind == "int" and x > d.max else x

        return self.emit("const", (), (type,),
                         value=tuple(map(norm, value)) if isinstance(value, tuple) else norm(value)).result

    def same(self, name: str, /, *operands: Value, **attrs: Any) -> Value:
        """An op whose result has the type of its last operand: arithmetic, `select`, `fma`, ..."""
        return self.emit(name, operands, (operands[-1].type,), **attrs).result

    add, sub, mul, and_, or_, xor, shl, shr = map(_binary, ("add", "sub", "mul", "and", "or", "xor", "shl", "shr"))

    def cmp(self, pred: str, a: Value, b: Value) -> Value:
        """`a pred b`, a u1 or a vector of it."""
        return self.emit("cmp", (a, b), (with_dtype(a.type, u1),), pred=pred).result

    def select(self, cond: Value, a: Value, b: Value) -> Value:
        """`a` where the condition holds, else `b`."""
        return self.same("select", cond, a, b)

    def convert(self, a: Value, d: DType) -> Value:
        """`a` as a number of dtype `d`; `a` itself where it has that dtype already."""
        return a if dtype_of(a.type) == d else self.emit("convert", (a,), (with_dtype(a.type, d),)).result

    def bitcast(self, a: Value, type: Type) -> Value:
        """The same bits as another type; `a` itself where it has that type."""
        return a if a.type == type else self.emit("bitcast", (a,), (type,)).result

    def vec(self, items: list[Value] | tuple[Value, ...]) -> Value:
        """A vector of scalars of one dtype."""
        return self.emit("vec", items, (VecType(dtype_of(items[0].type), len(items)),)).result

    def extract(self, v: Value, index: int | Value) -> Value:
        """One element of a vector."""
        if isinstance(index, int):
            return self.emit("extract", (v,), (dtype_of(v.type),), index=index).result
        return self.emit("extract", (v, index), (dtype_of(v.type),)).result

    def insert(self, v: Value, item: Value, index: int | Value) -> Value:
        """The vector with one element replaced."""
        if isinstance(index, int):
            return self.emit("insert", (v, item), (v.type,), index=index).result
        return self.emit("insert", (v, item, index), (v.type,)).result

    def slice(self, v: Value, start: int, n: int) -> Value:
        """`n` elements from `start` on."""
        return self.emit("slice", (v,), (VecType(dtype_of(v.type), n),), start=start).result

    def lane_id(self) -> Value:
        """The lane's number in its wave."""
        return self.emit("lane_id", (), (u32,)).result

    def shuffle(self, kind: str, value: Value, offset: Value, width: int) -> Value:
        """Another lane's value; `kind`: idx, up, down or xor."""
        return self.emit("shuffle", (value, offset), (value.type,), kind=kind, width=width).result

    # -- memory -------------------------------------------------------------------------------------------------------

    def base(self, tensor: Value) -> Value:
        """The pointer to the first element of a tensor."""
        assert isinstance(tensor.type, TensorType)
        return self.emit("base", (tensor,), (PtrType(tensor.type.dtype, tensor.type.space),)).result

    def ld(self, ptr: Value, offset: Value, type: Type, align: int) -> Value:
        """Loads a scalar or vector at a byte offset."""
        return self.emit("ld", (ptr, offset), (type,), align=align).result

    def st(self, value: Value, ptr: Value, offset: Value, align: int) -> Op:
        """Stores a scalar or vector at a byte offset."""
        return self.emit("st", (value, ptr, offset), (), align=align)

    def ptr_add(self, ptr: Value, offset: Value) -> Value:
        """A pointer some bytes further on."""
        return self.emit("ptr_add", (ptr, offset), (ptr.type,)).result

    def ptr_int(self, ptr: Value) -> Value:
        """A pointer's address as i64."""
        return self.emit("ptr_int", (ptr,), (i64,)).result

    def int_ptr(self, address: Value, d: DType) -> Value:
        """The global pointer at an address."""
        return self.emit("int_ptr", (address,), (PtrType(d, GLOBAL),)).result

    # -- control ------------------------------------------------------------------------------------------------------

    def yield_(self, *values: Value) -> Op:
        """Ends a region with these values."""
        return self.emit("yield", values)

    @contextlib.contextmanager
    def if_(self, cond: Value) -> Iterator[None]:
        """A region that runs where `cond` holds, with no results."""
        then, other = Block(), Block()
        self.emit("if", (cond,), (), (then, other))
        other.ops.append(Op("yield", span=self.span))
        with self.inside(then):
            yield
            self.yield_()
