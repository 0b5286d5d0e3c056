"""`check` for lanes: a comparison and a branch; behind the branch a report in the record of the launch
(`ir/bounds_report.py`), and the lane's end.

The first lane to change the record's flag writes it. A lane that stops has left the kernel by itself: nothing traps, so
that the device, its context and the other arrays stay usable, and barriers of whole blocks count it as arrived. """

from __future__ import annotations

from avelang.emit.llvm.simt import Simt
from avelang.ir.bounds_report import BLOCK, SITE, THREAD, VALUES
from avelang.ir.core import Op
from avelang.ir.dtypes import u32
from avelang.ir.types import DType


def emit_check(w: Simt, op: Op) -> None:
    """Stops the lane where it is wrong and the op says so; else it goes on."""
    n, wrong = op.attrs["pairs"], ""
    for a, b in zip(op.operands[1 : 1 + 2 * n : 2], op.operands[2 : 2 + 2 * n : 2], strict=True):
        beyond = w.op(f"icmp uge {w.typed(a)}, {w.value(b)}")
        wrong = w.op(f"or i1 {wrong}, {beyond}") if wrong else beyond
    tell, write, end, on = (w.body.fresh(x) for x in ("wrong", "report", "stop", "within"))
    w.do(f'br i1 {wrong}, label %{tell}, label %{on}, !prof !{{!"branch_weights", i32 1, i32 1048575}}')
    w.body.start(tell)
    record = w.value(op.operands[0])
    swap = w.op(f"cmpxchg ptr addrspace(1) {record}, i64 0, i64 1{w.target.device_scope} monotonic monotonic, align 8")
    won = w.op(f"extractvalue {{ i64, i1 }} {swap}, 1")
    w.do(f"br i1 {won}, label %{write}, label %{end}")
    w.body.start(write)
    numbers = [str(op.attrs["site"]), *(_id(w, "block_id", dim) for dim in range(3)), _thread(w)]
    numbers += [_wide(w, w.value(v), v.type) for v in op.operands[1 + 2 * n :]]  # type: ignore[arg-type]
    places = [SITE, BLOCK, BLOCK + 1, BLOCK + 2, THREAD, *range(VALUES, VALUES + len(numbers) - 5)]
    for place, number in zip(places, numbers, strict=True):
        w.do(
            f"store i64 {number}, ptr addrspace(1) "
            f"{w.op(f'getelementptr i64, ptr addrspace(1) {record}, i64 {place}')}, align 8"
        )
    w.do(f"br label %{end}")
    w.body.start(end)
    if op.attrs.get("stop"):
        w.target.leave(w)
        w.do("unreachable")
    else:
        w.do(f"br label %{on}")
    w.body.start(on)


def _wide(w: Simt, text: str, d: DType) -> str:
    if d.bits == 64:
        return text
    return w.op(f"{'sext' if d.kind == 'int' else 'zext'} {w.type(d)} {text} to i64")


def _id(w: Simt, name: str, dim: int) -> str:
    return _wide(w, w.target.index(w, Op(name, (), (u32,), {"dim": dim})), u32)


def _thread(w: Simt) -> str:
    """The thread's number in its block."""
    x, y, z = (_id(w, "thread_id", dim) if w.block[dim] > 1 else "0" for dim in range(3))
    upper = w.op(f"add i64 {w.op(f'mul i64 {z}, {w.block[1]}')}, {y}")
    return w.op(f"add i64 {w.op(f'mul i64 {upper}, {w.block[0]}')}, {x}")
