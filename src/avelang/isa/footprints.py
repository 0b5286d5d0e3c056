"""Which bytes a row's instruction touches: a builder and the row's arguments come in; places, offsets and lengths as
values of the IR go out.

For backends that have the instruction: where a row is spelled in primitive ops, these say it themselves. What waits for
an mbarrier or moves boxes of a tensor map is not here: the engine cuts boxes at the array's edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import i64
from avelang.ir.types import PtrType, VecType, dtype_of
from avelang.isa.lowering_helpers import expand_offset, expand_resource, first_active, lds_stride

DWORD, LANES = 4, 64  # bytes; of a wave of AMD's


class Touch(NamedTuple):
    """`length` bytes from `start` bytes behind a tensor's first element or a pointer; `most` is the greatest length. No
    bytes are fine anywhere: a resource of no range, a copy of nothing, may begin outside of all arrays."""

    place: Value
    start: Value | int
    length: Value | int
    most: int


Touches = Callable[..., list[Touch]]


def size_of(v: Value) -> int:
    """Bytes of a scalar or vector in memory."""
    return (v.type.n if isinstance(v.type, VecType) else 1) * dtype_of(v.type).bytes


def _amd_atomic(b: Builder, byte_offset: Value, value: Value, tensor: Value, scope: int) -> list[Touch]:
    return [Touch(tensor, b.convert(byte_offset, i64), size_of(value), size_of(value))]


def _buffer(b: Builder, rsrc: Value, offsets: tuple[Value, ...], n: int) -> list[Touch]:
    """Of n bytes those dwords that are within the range of the resource."""
    offset = expand_offset(b, *offsets)
    ptr, limit = expand_resource(b, rsrc)
    left = b.same("max", b.sub(b.convert(limit, i64), offset), b.const(0, i64))
    length = b.same("min", b.and_(left, b.const(-DWORD, i64)), b.const(n, i64))
    return [Touch(ptr, offset, length, n)]


def _buffer_load(n: int) -> Touches:
    return lambda b, rsrc, voffset, soffset, aux: _buffer(b, rsrc, (voffset, soffset), DWORD * n)


def _buffer_store(n: int) -> Touches:
    return lambda b, data, rsrc, voffset, soffset, aux: _buffer(b, rsrc, (voffset, soffset), DWORD * n)


def _buffer_to_lds(
    b: Builder, rsrc: Value, lds: Value, size: int, vindex: Value, soffset: Value, offset: int, aux: int
) -> list[Touch]:
    """Dwords or, smaller, all of an element within the range of the resource; and each lane's place behind that of the
    first active one."""
    at = b.add(expand_offset(b, vindex, soffset), b.const(offset, i64))
    ptr, limit = expand_resource(b, rsrc)
    left = b.same("max", b.sub(b.convert(limit, i64), at), b.const(0, i64))
    if size >= DWORD:
        length = b.same("min", b.and_(left, b.const(-DWORD, i64)), b.const(size, i64))
    else:
        length = b.select(b.cmp("ge", left, b.const(size, i64)), b.const(size, i64), b.const(0, i64))
    own = b.ptr_int(lds if isinstance(lds.type, PtrType) else b.base(lds))
    first = b.sub(b.shuffle("idx", own, first_active(b), LANES), own)
    lane = b.mul(b.convert(b.lane_id(), i64), b.const(lds_stride(size), i64))
    return [
        Touch(ptr, at, length, size),
        Touch(lds, b.add(first, b.add(lane, b.const(offset, i64))), max(DWORD, size), max(DWORD, size)),
    ]


def _word(b: Builder, dst: Value, *rest: Value | int) -> list[Touch]:
    """One word at a tensor's first element, as large as the operand."""
    n = next(size_of(v) for v in rest if isinstance(v, Value))
    return [Touch(dst, 0, n, n)]


def _fixed(n: int) -> Touches:
    return lambda b, place, *rest: [Touch(place, 0, n, n)]


def _copy(n: int) -> Touches:
    def touches(b: Builder, dst: Value, src: Value, count: Value, *rest: Value | int) -> list[Touch]:
        return [Touch(dst, 0, n, n), Touch(src, 0, b.same("min", b.convert(count, i64), b.const(n, i64)), n)]

    return touches


def footprint(name: str) -> Touches | None:
    """The function that lists the bytes a row touches, by the row's name; None where none is known."""
    family, _, last = name.rpartition("_x")
    if name in _NAMED:
        return _NAMED[name]
    if family in _SIZED and last.isdigit():
        return _SIZED[family](int(last))
    if name.startswith(("nvvm.atomic_", "system.atomic_")):
        return _word
    return _fixed(16) if name.startswith(("nvvm.ldmatrix_m8n8_x4", "nvvm.stmatrix_m8n8_x4")) else None


_NAMED: dict[str, Touches] = {
    "amdgpu.atomic_add": _amd_atomic, "amdgpu.raw_buffer_load_x1_lds": _buffer_to_lds,
    "nvvm.st_release": _word, "nvvm.ld_acquire_u32": _fixed(4), "nvvm.ld_acquire_u64": _fixed(8),
    "system.store_release": _word, "system.load_acquire_u32": _fixed(4), "system.load_acquire_u64": _fixed(8),
    "system.store_relaxed": _word, "system.load_relaxed_u32": _fixed(4), "system.load_relaxed_u64": _fixed(8),
    "system.load_signal": _fixed(4), "system.send_signal": _word,
}  # fmt: skip
_SIZED: dict[str, Callable[[int], Touches]] = {
    "amdgpu.raw_buffer_load": _buffer_load, "amdgpu.raw_buffer_store": _buffer_store, "nvvm.cp_async": _copy,
}  # fmt: skip
