"""Memory of a lane's code: `alloc`, pointers, loads and stores come in; address spaces, offsets in bytes and alignments
go out."""

from __future__ import annotations

from avelang.emit.llvm import simt_choices
from avelang.emit.llvm.simt import SharedLayout, Simt
from avelang.emit.llvm.simt_lanes import constant_of
from avelang.ir.core import Kernel, Op, Value, walk
from avelang.ir.dtypes import i32
from avelang.ir.elementwise import wrap
from avelang.ir.types import GLOBAL, LOCAL, SHARED, DType, PtrType, TensorType, VecType, dtype_of, extent
from avelang.llvm.literals import elem, literal

WORD = 16  # bytes: the widest access of a lane


def plan(kernel: Kernel) -> SharedLayout:
    """The places of a kernel's shared allocations, one behind the other."""
    out, end = [], 0
    for op in walk(kernel.body):
        t = op.result.type if op.name == "alloc" else None
        if isinstance(t, TensorType) and t.space == SHARED:
            align = max(op.attrs.get("align", 1), WORD)
            start = -(-end // align) * align
            end = start + extent(t)
            out.append((op, extent(t), align, start))
    return SharedLayout(out, end)


def alloc(w: Simt, op: Op) -> str:
    """One global for shared memory, one stack slot for a lane's own, which LLVM turns into registers."""
    if op in w.shared:
        return w.shared[op]
    t, space = op.result.type, w.target.stack_space
    assert isinstance(t, TensorType)
    name = "%" + w.body.fresh("slot")
    align = max(op.attrs.get("align", 1), WORD)
    w.body.allocas.append(
        f"  {name} = alloca [{extent(t)} x i8], align {align}" + (f", addrspace({space})" if space else "")
    )
    return name


def at(w: Simt, pointer: Value, offset: Value | None) -> str:
    """A pointer moved by a byte offset. Nothing is promised of the place: a subview may begin outside its tensor when
    nobody reads it."""
    text = w.value(pointer)
    known = 0 if offset is None else constant_of(offset)
    if known == 0:
        return text
    assert offset is not None and isinstance(pointer.type, PtrType)
    if pointer.type.space == GLOBAL:
        return w.op(f"getelementptr i8, {w.type(pointer.type)} {text}, i64 {w.value(offset)}")
    # Addresses in these spaces have 32 bits, and so has what is added to them.
    narrow = w.op(f"trunc i64 {w.value(offset)} to i32") if known is None else wrap(known, i32)
    return w.op(f"getelementptr i8, {w.type(pointer.type)} {text}, i32 {narrow}")


def memory_type(t: DType | VecType) -> str:
    """The LLVM type of a value in memory: a condition takes a byte."""
    e = "i8" if dtype_of(t).kind == "bool" else elem(dtype_of(t))
    return f"<{t.n} x {e}>" if isinstance(t, VecType) else e


def load(w: Simt, op: Op) -> str:
    """One access of the value's type: how many instructions it takes follows from its alignment."""
    t, pointer = op.result.type, op.operands[0]
    assert isinstance(t, (DType, VecType))
    m = memory_type(t)
    if op in w.choices:
        got = simt_choices.load(w, w.choices[op], m)
    else:
        got = w.op(f"load {m}, {w.type(pointer.type)} {at(w, pointer, op.operands[1])}, align {op.attrs['align']}")
    return w.op(f"icmp ne {m} {got}, zeroinitializer") if dtype_of(t).kind == "bool" else got


def store(w: Simt, op: Op) -> None:
    """The counterpart of `load`."""
    value, pointer, offset = op.operands
    assert isinstance(value.type, (DType, VecType))
    m, text = memory_type(value.type), w.value(value)
    if dtype_of(value.type).kind == "bool":
        text = w.op(f"zext {w.type(value.type)} {text} to {m}")
    if op in w.choices:
        simt_choices.store(w, w.choices[op], m, text)
    elif not _fill(w, op):
        w.do(f"store {m} {text}, {w.type(pointer.type)} {at(w, pointer, offset)}, align {op.attrs['align']}")


def _fill(w: Simt, op: Op) -> bool:
    """A lane's own memory filled with one constant, 16 bytes at a time: LLVM makes a register of what one store fills,
    and those that are as large as all accumulators of a kernel cost it more time than the rest of the kernel. False
    where it is something else."""
    value, pointer, offset = op.operands
    t, source, at_ = value.type, value.op, constant_of(offset)
    assert isinstance(pointer.type, PtrType)
    if (
        pointer.type.space != LOCAL
        or not isinstance(t, VecType)
        or source is None
        or source.name != "const"
        or at_ is None
    ):
        return False
    number, per = source.attrs["value"], WORD // t.dtype.bytes
    if isinstance(number, tuple) or t.n <= per or t.n % per or t.dtype.kind == "bool":
        return False
    e = elem(t.dtype)
    text = w.splat(literal(number, t.dtype), e, per)
    for i in range(0, t.n, per):
        place = w.op(f"getelementptr i8, {w.typed(pointer)}, i32 {at_ + i * t.dtype.bytes}")
        w.do(f"store <{per} x {e}> {text}, {w.type(pointer.type)} {place}, align {min(op.attrs['align'], WORD)}")
    return True


def pointer_number(w: Simt, op: Op) -> str:
    """`ptr_int`: the address; in shared memory the offset, whose 32 bits are widened."""
    t = op.operands[0].type
    assert isinstance(t, PtrType)
    if t.space == GLOBAL:
        return w.op(f"ptrtoint {w.typed(op.operands[0])} to i64")
    number = w.op(f"ptrtoint {w.typed(op.operands[0])} to i32")
    return w.op(f"zext i32 {number} to i64")
