"""What the expansions of several vendors' rows share: a builder and values come in, values made of primitive ops go
out."""

from __future__ import annotations

import math
from collections.abc import Callable

from avelang.ir.build import Builder
from avelang.ir.core import Block, Value
from avelang.ir.dtypes import f64, i32, i64, u1, u8, u32, u64
from avelang.ir.types import SHARED, PtrType


def pointer(b: Builder, tensor: Value) -> Value:
    """The pointer to a tensor operand's first element."""
    return tensor if isinstance(tensor.type, PtrType) else b.base(tensor)


def shared_offset(b: Builder, ptr: Value) -> Value:
    """i64: the byte offset of a pointer in the block's shared memory."""
    return b.sub(b.ptr_int(ptr), b.ptr_int(shared_base(b)))


def shared_base(b: Builder) -> Value:
    """The pointer to the block's shared memory."""
    return b.emit("shared_base", (), (PtrType(u8, SHARED),)).result


def peer(b: Builder, tensor: Value, rank: Value) -> Value:
    """The pointer to the place that a shared tensor's first element has in block `rank` (u32) of the cluster."""
    own = pointer(b, tensor)
    # A cluster of one has no other block.
    return own if math.prod(b.cluster) == 1 else b.emit("shared_peer", (own, b.convert(rank, i64)), (own.type,)).result


def active_mask(b: Builder) -> Value:
    """u64: the lanes that are active."""
    return b.emit("ballot", (b.const(True, u1),), (u64,)).result


def first_active(b: Builder) -> Value:
    """u32: the lowest active lane. The exponent of the lowest bit, which f64 holds exactly, is its number."""
    mask = active_mask(b)
    lowest = b.and_(mask, b.sub(b.const(0, u64), mask))
    exponent = b.shr(b.bitcast(b.convert(lowest, f64), u64), b.const(52, u64))
    return b.convert(b.sub(exponent, b.const(1023, u64)), u32)


def lds_stride(size: int) -> int:
    """Bytes from one lane's place in shared memory to the next's where a buffer is loaded straight into it: a byte or a
    half takes a word, three words leave the fourth free (AMD CDNA4 ISA, section 9.1.9, LDS address of loads to LDS)."""
    return 16 if size == 12 else max(4, size)


def choose(b: Builder, cond: Value, then: Callable[[], Value], other: Callable[[], Value]) -> Value:
    """An `if` with one result; each side builds its ops and gives the value."""
    regions = (Block(), Block())
    values = []
    for region, make in zip(regions, (then, other), strict=True):
        with b.inside(region):
            values.append(make())
            b.yield_(values[-1])
    return b.emit("if", (cond,), (values[0].type,), regions).result


def expand_offset(b: Builder, *parts: Value) -> Value:
    """i64: the sum of 32-bit offsets read as unsigned."""
    wide = [b.convert(b.bitcast(p, u32), i64) for p in parts]
    total = wide[0]
    for w in wide[1:]:
        total = b.add(total, w)
    return total


def expand_resource(b: Builder, rsrc: Value) -> tuple[Value, Value]:
    """(pointer, i64 range) of resource words."""
    w = [b.convert(b.bitcast(b.extract(rsrc, i), u32), i64) for i in range(3)]
    high = b.shl(b.and_(w[1], b.const(0xFFFF, i64)), b.const(32, i64))
    return b.int_ptr(b.or_(w[0], high), i32), w[2]
