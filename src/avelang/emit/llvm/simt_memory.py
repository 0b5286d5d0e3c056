"""Memory of a lane's code: `alloc`, pointers, loads and stores come in; address spaces, offsets in bytes and alignments go out."""

from __future__ import annotations

from avelang.emit.llvm.cpu_values import elem
from avelang.emit.llvm.simt import Simt
from avelang.ir.core import Op, Value
from avelang.ir.types import GLOBAL, SHARED, DType, PtrType, TensorType, VecType, dtype_of

WORD = 16  # bytes: the widest access of a lane


def extent(t: TensorType) -> int:
    """Bytes from the first element of a static layout to behind its last."""
    return (1 + sum((n - 1) * s for n, s in zip(t.shape, t.strides, strict=True) if n and s)) * t.dtype.bytes


def alloc(w: Simt, op: Op) -> str:
    """One global for shared memory, one stack slot for a lane's own, which LLVM turns into registers."""
    t = op.result.type
    assert isinstance(t, TensorType)
    size, align = extent(t), max(op.attrs.get("align", 1), min(WORD, t.dtype.bytes))
    if t.space == SHARED:
        name = f"shared{len(w.shared)}" + (f".{op.attrs['name']}" if str(op.attrs.get("name", "")).isidentifier() else "")
        w.shared.append((name, size, max(align, WORD)))
        return "@" + name
    space = w.target.stack_space
    name = "%" + w.body.fresh("slot")
    w.body.allocas.append(f"  {name} = alloca [{size} x i8], align {max(align, WORD)}" + (f", addrspace({space})" if space else ""))
    return name


def at(w: Simt, pointer: Value, offset: Value | None) -> str:
    """A pointer moved by a byte offset. Nothing is promised of the place: a subview may begin outside its tensor when nobody reads it."""
    text = w.value(pointer)
    zero = offset is None or (offset.op is not None and offset.op.name == "const" and offset.op.attrs["value"] == 0)
    if zero:
        return text
    assert offset is not None and isinstance(pointer.type, PtrType)
    if pointer.type.space == GLOBAL:
        return w.op(f"getelementptr i8, {w.type(pointer.type)} {text}, i64 {w.value(offset)}")
    # Addresses in these spaces have 32 bits, and so has what is added to them.
    narrow = w.op(f"trunc i64 {w.value(offset)} to i32")
    return w.op(f"getelementptr i8, {w.type(pointer.type)} {text}, i32 {narrow}")


def memory_type(t: DType | VecType) -> str:
    """The LLVM type of a value in memory: a condition takes a byte."""
    e = "i8" if dtype_of(t).kind == "bool" else elem(dtype_of(t))
    return f"<{t.n} x {e}>" if isinstance(t, VecType) else e


def load(w: Simt, op: Op) -> str:
    """One access of the value's type: how many instructions it takes follows from its alignment."""
    t, pointer = op.result.type, op.operands[0]
    assert isinstance(t, (DType, VecType))
    place = at(w, pointer, op.operands[1])
    m = memory_type(t)
    got = w.op(f"load {m}, {w.type(pointer.type)} {place}, align {op.attrs['align']}")
    return w.op(f"icmp ne {m} {got}, zeroinitializer") if dtype_of(t).kind == "bool" else got


def store(w: Simt, op: Op) -> None:
    """The counterpart of `load`."""
    value, pointer, offset = op.operands
    assert isinstance(value.type, (DType, VecType))
    place, m, text = at(w, pointer, offset), memory_type(value.type), w.value(value)
    if dtype_of(value.type).kind == "bool":
        text = w.op(f"zext {w.type(value.type)} {text} to {m}")
    w.do(f"store {m} {text}, {w.type(pointer.type)} {place}, align {op.attrs['align']}")


def pointer_number(w: Simt, op: Op) -> str:
    """`ptr_int`: the address; in shared memory the offset, whose 32 bits are widened."""
    t = op.operands[0].type
    assert isinstance(t, PtrType)
    if t.space == GLOBAL:
        return w.op(f"ptrtoint {w.typed(op.operands[0])} to i64")
    number = w.op(f"ptrtoint {w.typed(op.operands[0])} to i32")
    return w.op(f"zext i32 {number} to i64")
