"""The row of atomic additions to global and shared memory."""

from __future__ import annotations

from avelang.base.errors import error
from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Op, Value
from avelang.ir.dtypes import bf16, f16, f32, i32, i64, u32
from avelang.ir.types import GLOBAL, SHARED, PtrType, VecType, dtype_of
from avelang.isa.lowering import Emitter, Lowering
from avelang.isa.row import Param, Row, TensorRef, Wave, register


def _semantics(wave: Wave, byte_offset: np.ndarray, value: np.ndarray, tensor: TensorRef, scope: int) -> np.ndarray:
    address = tensor.address + byte_offset.astype(np.int64).astype(np.uint64)
    nbytes = value.nbytes // wave.lanes
    out = np.zeros_like(value)
    for lane in np.flatnonzero(wave.active):
        only = np.zeros(wave.lanes, bool)
        only[lane] = True
        old = (
            np.ascontiguousarray(wave.read(tensor.space, address, nbytes, only)).view(value.dtype).reshape(value.shape)
        )
        out[lane] = old[lane]
        with np.errstate(all="ignore"):
            total = np.ascontiguousarray(old + value)
        wave.write(tensor.space, address, total.view(np.uint8).reshape(wave.lanes, nbytes), only)
    return out


def _lower(b: Builder, byte_offset: Value, value: Value, tensor: Value, scope: int) -> Value:
    if dtype_of(value.type) == bf16 and "gfx90a" in b.features:
        raise error(
            "U103", b.span, name="amdgpu.atomic_add", what="a pair of bf16", instead="gfx942 and gfx950 have it"
        )
    ptr = tensor if isinstance(tensor.type, PtrType) else b.base(tensor)
    return b.emit("atomic_add", (value, ptr, b.convert(byte_offset, i64)), (value.type,)).result


def _emit(w: Emitter, op: Op, name: str) -> str:
    offset, value, place = op.operands
    if dtype_of(value.type) == bf16 and "gfx90a" in w.target.chip.features:
        raise error("U103", op.span, name=op.name, what="a pair of bf16", instead="gfx942 and gfx950 have it")
    d = dtype_of(offset.type)
    wide = w.value(offset)
    if d.bits < 64:
        wide = w.op(f"{'sext' if d.kind == 'int' else 'zext'} i{d.bits} {wide} to i64")
    pointer = w.op(f"getelementptr i8, {w.typed(place)}, i64 {wide}")
    return w.target.atomic_add(w, value, place, pointer, op.attrs["scope"])


register(Row(
    "amdgpu.atomic_add",
    (
        Param("byte_offset", (i32, u32, i64), "from the tensor's first element, in bytes; a multiple of 4"),
        Param("value", (i32, u32, f32, VecType(f16, 2), VecType(bf16, 2)),
            "what is added; a pair is one word whose halves are added "
                                                                           "each", packed=False),
        Param("tensor", "tensor", "the memory", spaces=(GLOBAL, SHARED)),
        Param("scope", "const", "among whom: AtomicScope.WORKGROUP 0, AGENT 1, SYSTEM 2", range=(0, 2), default=1),
    ),
    "value",
    "Adds `value` to the word at the tensor's first element + `byte_offset`, and gives what stood there before. Lanes "
    "that name one word "
    "add up; "
    "between waves the order is not defined. A pair of bf16 needs gfx942 or gfx950.",
    "AMD CDNA3 ISA, sections 9 and 11 (GLOBAL_ATOMIC_ADD, _ADD_F32, _PK_ADD_F16, _PK_ADD_BF16 and the DS forms)",
    frozenset({"gfx9"}), _semantics, frozenset({"read", "write"}), _lower,
    llvm={"amdgpu": Lowering("atomicrmw", emit=_emit)},
))  # fmt: skip
