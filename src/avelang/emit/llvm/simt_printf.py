"""`printf` for lanes: the op comes in; a record in the launch's buffer goes out. The buffer and its records:
`avelang.ir.printf`."""

from __future__ import annotations

from avelang.emit.llvm.simt import Simt
from avelang.ir.core import Op
from avelang.ir.dtypes import u32
from avelang.ir.printf import HEADER_WORDS, RECORD_WORDS, Print, words_of
from avelang.ir.types import dtype_of

PARAM = "%printf.buffer"
CAPACITY, LOST, USED = 0, 4, 8  # bytes


def emit_printf(w: Simt, op: Op) -> None:
    """Each active lane reserves room in one atomic step, and writes its record where it fits. What is read later is
    read by the host."""
    dtypes = [dtype_of(v.type) for v in op.operands]
    size = RECORD_WORDS + sum(map(words_of, dtypes))
    w.prints.append(Print(op.attrs["format"], tuple(d.name for d in dtypes)))
    number = len(w.prints)
    capacity = w.op(f"zext i32 {w.op(f'load i32, ptr addrspace(1) {_at(w, CAPACITY)}, align 4')} to i64")
    place = w.op(f"atomicrmw add ptr addrspace(1) {_at(w, USED)}, i64 {size}{w.target.device_scope} monotonic, align 8")
    instance = w.target.first(w, w.op(f"trunc i64 {place} to i32"))
    end = w.op(f"add i64 {place}, {size}")
    record = [str(number), instance, *(_id(w, "block_id", dim) for dim in range(3)), *_wave_and_lane(w)]
    for v in op.operands:
        record += w.words(w.value(v), v.type)
    write, lost, join = w.body.fresh("write"), w.body.fresh("lost"), w.body.fresh("join")
    w.do(f"br i1 {w.op(f'icmp ule i64 {end}, {capacity}')}, label %{write}, label %{lost}")
    w.body.start(write)
    start = w.op(f"getelementptr i32, ptr addrspace(1) {_at(w, 4 * HEADER_WORDS)}, i64 {place}")
    for i, word in enumerate(record):
        w.do(
            f"store i32 {word}, ptr addrspace(1) {w.op(f'getelementptr i32, ptr addrspace(1) {start}, i64 {i}')}, "
            f"align 4"
        )
    w.do(f"br label %{join}")
    w.body.start(lost)
    w.op(f"atomicrmw add ptr addrspace(1) {_at(w, LOST)}, i32 1{w.target.device_scope} monotonic, align 4")
    w.do(f"br label %{join}")
    w.body.start(join)


def _at(w: Simt, offset: int) -> str:
    return w.op(f"getelementptr i8, ptr addrspace(1) {PARAM}, i64 {offset}") if offset else PARAM


def _id(w: Simt, name: str, dim: int) -> str:
    if name == "thread_id" and w.block[dim] == 1:
        return "0"
    return w.target.index(w, Op(name, (), (u32,), {"dim": dim}))


def _wave_and_lane(w: Simt) -> tuple[str, str]:
    x, y, z = (_id(w, "thread_id", dim) for dim in range(3))
    upper = w.op(f"add i32 {w.op(f'mul i32 {z}, {w.block[1]}')}, {y}")
    linear = w.op(f"add i32 {w.op(f'mul i32 {upper}, {w.block[0]}')}, {x}")
    return w.op(f"udiv i32 {linear}, {w.wave}"), w.op(f"urem i32 {linear}, {w.wave}")
