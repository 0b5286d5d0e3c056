"""Handlers of scalar atomic operations, on memory and on buffers: what a vector one does for one lane. Source: LLVM,
SMInstructions.td (which chips have them: all of gfx9); AMD "Vega" ISA, section 7.2 and the chapter on SMEM
instructions, since CDNA's manuals leave them out.

With `glc` the data registers get what memory held, and are data until then. Addresses are multiples of the size. An
operation on a buffer that begins out of its range does nothing, and gives 0.
"""

from __future__ import annotations

from avelang.amdgcn.asm import MCInst
from avelang.llvm.core import Body
from avelang.sim.amdgcn import memory_access
from avelang.sim.amdgcn.memory_atomics import MEMORY, AtomicOp, integer, lanes
from avelang.sim.amdgcn.memory_scalar import inside, offset, operands
from avelang.sim.amdgcn.state import LANES
from avelang.sim.amdgcn.translator import BlockTranslator, Handler, UnsupportedForm


def _function(t: BlockTranslator, op: AtomicOp) -> str:
    """i32(g, data, second, result, address, in), with its @: the operation at an address, or nothing where `in` is
    false."""
    name, act, check, b = f"ave_scalar_of_{op.name}", lanes(t, op, True, True, (False, False)), inside(t), Body()
    at = b.alloca("i64", 8)
    b.do(f"store i64 %address, ptr {at}, align 8")
    b.do("br i1 %in, label %check, label %out")
    b.start("check")
    fault = b.op(f"call i32 {check}(ptr %g, i64 %address, i64 {op.bits // 8})")
    b.do(f"br i1 {b.op(f'icmp ne i32 {fault}, 0')}, label %done, label %act")
    b.start("act")
    b.do(f"call void {act}(ptr %data, ptr %second, ptr %result, ptr {at}, i64 1)")
    b.do("br label %done")
    b.start("out")
    for k in range(op.words):
        b.do(f"store i32 0, ptr {b.op(f'getelementptr i32, ptr %result, i64 {k * LANES}')}, align 4")
    b.do("br label %done")
    b.start("done")
    b.do(f"ret i32 {b.op(f'phi i32 [ {fault}, %check ], [ 0, %act ], [ 0, %out ]')}")
    parameters = "ptr noalias %g, ptr %data, ptr %second, ptr %result, i64 %address, i1 %in"
    text = f"define internal i32 @{name}({parameters}) noinline #0 {{\n{b.text()}\n}}"
    return t.helper(name, lambda: text)


def _slots(t: BlockTranslator, op: AtomicOp) -> tuple[str, str, str]:
    """Memory for data, what it is compared with, and the result, as lane 0 of vector registers."""
    first = memory_access.slot(t, "scalar atomic", 3 * op.words)
    places = [t.op(f"getelementptr i32, ptr {first}, i64 {k * op.words * LANES}") for k in range(3)]
    return places[0], places[1], places[2]


def _address(t: BlockTranslator, i: MCInst, buffer: bool, base: int) -> tuple[str, str]:
    """The address, an i64, and whether it is in range."""
    behind = offset(t, i)
    if not buffer:
        return t.op(f"add i64 {t.pair(base)}, {behind}"), "true"
    low, num = t.pair(base), t.pair(base + 2)
    start = t.op(f"and i64 {low}, {(1 << 48) - 1}")
    stride = t.op(f"and i64 {t.op(f'lshr i64 {low}, 48')}, 16383")
    unit = t.op(f"select i1 {t.op(f'icmp eq i64 {stride}, 0')}, i64 1, i64 {stride}")
    size = t.op(f"mul i64 {t.op(f'and i64 {num}, {0xFFFFFFFF}')}, {unit}")
    return t.op(f"add i64 {start}, {behind}"), t.op(f"icmp ult i64 {behind}, {size}")


def _atomic(op: AtomicOp, buffer: bool) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        data, base = operands(i, 4 if buffer else 2)
        if data.count != op.words * (1 + op.two):
            raise UnsupportedForm(f"it takes {op.words * (1 + op.two)} data registers, not {data.count}")
        address, within = _address(t, i, buffer, base.first)
        crooked = t.op(f"icmp ne i64 {t.op(f'and i64 {address}, {op.bits // 8 - 1}')}, 0")
        t.stop_if(crooked, f"an atomic operation at an address that is not a multiple of {op.bits // 8}")
        places = _slots(t, op)
        for k in range(data.count):
            cell = t.op(f"getelementptr i32, ptr {places[0]}, i64 {k * LANES}")  # `second` stands behind the data
            t.do(f"store i32 {t.scalar(data.first + k)}, ptr {cell}, align 4")
        t.run(_function(t, op), "ptr %g", *(f"ptr {p}" for p in places), f"i64 {address}", f"i1 {within}")
        if i.int("glc") or i.int("sc0"):
            for k in range(op.words):
                cell = t.op(f"getelementptr i32, ptr {places[2]}, i64 {k * LANES}")
                t.set_scalar(data.first + k, t.op(f"load i32, ptr {cell}, align 4"))

    return handler


TABLE: dict[str, Handler] = {
    f"s_{'buffer_' * buffer}atomic_{name}{wide}": _atomic(integer(name, 64 if wide else 32), buffer)
    for name in MEMORY for wide in ("", "_x2") for buffer in (False, True)
}  # fmt: skip
