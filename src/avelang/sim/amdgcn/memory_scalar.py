"""Handlers of scalar memory instructions. Source: AMD Instinct MI300 ISA, sections 8 and 16.5.

What is touched must have been given to the kernel, whole; of a load, what its aligned 16 bytes have. Loads of buffers
read 0 in dwords out of their range, stores skip them.
"""

from __future__ import annotations

from avelang.amdgcn.asm import Imm, MCInst, PhysReg
from avelang.sim.amdgcn.memory_addresses import helper
from avelang.sim.amdgcn.translator import BlockTranslator, Handler, UnsupportedForm


def inside(t: BlockTranslator) -> str:
    """i32 ave_scalar_inside(g, address, bytes), with its @: a fault where that was not given to the kernel."""
    return helper(t, "ave_scalar_inside")


def operands(i: MCInst, bases: int) -> tuple[PhysReg, PhysReg]:
    """The data registers and those of the base."""
    data, base = i.operands[:2]
    if (
        not isinstance(data, PhysReg)
        or data.file != "s"
        or not isinstance(base, PhysReg)
        or base.file != "s"
        or base.count != bases
    ):
        raise UnsupportedForm(f"its operands are not scalar registers and {bases} registers of the base")
    return data, base


def offset(t: BlockTranslator, i: MCInst, scale: int = 1) -> str:
    """An i64: what stands behind the base: a constant, a register, or a register plus a constant (section 8.2.1.1)."""
    o = i.operands[2]
    if isinstance(o, Imm):
        if not isinstance(o.value, int):
            raise UnsupportedForm("a float as an offset")
        return str(o.value)
    register = t.op(f"mul i64 {t.op(f'zext i32 {t.scalar_source(o)} to i64')}, {scale}")
    return t.op(f"add i64 {register}, {i.int('offset')}") if i.int("offset") else register


def _move(t: BlockTranslator, data: PhysReg, k: int, count: int, pointer: str, store: bool) -> None:
    """`count` dwords, 1 or 2, from the k-th on."""
    there = t.op(f"getelementptr i32, ptr {pointer}, i64 {k}")
    bits, cell = 32 * count, data.first + k
    if store:
        t.do(f"store i{bits} {t.pair(cell) if count == 2 else t.scalar(cell)}, ptr {there}, align 4")
        return
    value = t.op(f"load i{bits}, ptr {there}, align 4")
    if count == 2:
        t.set_pair(cell, value)
    else:
        t.set_scalar(cell, value)


def _plain(store: bool, scale: int = 1) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        data, base = operands(i, 2)
        address = t.op(f"and i64 {t.op(f'add i64 {t.pair(base.first)}, {offset(t, i, scale)}')}, -4")
        check = inside(t) if store else helper(t, "ave_scalar_given")
        t.run(check, "ptr %g", f"i64 {address}", f"i64 {4 * data.count}")
        pointer = t.op(f"inttoptr i64 {address} to ptr")
        k = 0
        while k < data.count:
            count = 2 if k + 1 < data.count and (data.first + k) % 2 == 0 else 1
            _move(t, data, k, count, pointer, store)
            k += count

    return handler


def _buffer(store: bool) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        data, base = operands(i, 4)
        name = helper(t, f"ave_scalar_buffer_{'store' if store else 'load'}")
        key = ("slot", "scalars", 16)
        slot = t.memo(key) or t.remember(key, t.body.alloca("[16 x i32]"))
        cells = [t.op(f"getelementptr i32, ptr {slot}, i64 {k}") for k in range(data.count)]
        if store:
            for k, cell in enumerate(cells):
                t.do(f"store i32 {t.scalar(data.first + k)}, ptr {cell}, align 4")
        words = (
            f"i64 {t.pair(base.first)}", f"i64 {t.pair(base.first + 2)}", f"i64 {offset(t, i)}", f"i64 {data.count}",
        )  # fmt: skip
        t.run(name, "ptr %g", f"ptr {slot}", *words)
        if not store:
            for k, cell in enumerate(cells):
                t.set_scalar(data.first + k, t.op(f"load i32, ptr {cell}, align 4"))

    return handler


def _discard(t: BlockTranslator, i: MCInst) -> None:
    raise UnsupportedForm("what memory holds behind it is not defined")


LOADS = {"dword": 1, "dwordx2": 2, "dwordx4": 4, "dwordx8": 8, "dwordx16": 16}
STORES = ("dword", "dwordx2", "dwordx4")

TABLE: dict[str, Handler] = {
    **{f"s_load_{name}": _plain(False) for name in LOADS},
    **{f"s_store_{name}": _plain(True) for name in STORES},
    **{f"s_scratch_load_{name}": _plain(False, 64) for name in STORES},
    **{f"s_scratch_store_{name}": _plain(True, 64) for name in STORES},
    **{f"s_buffer_load_{name}": _buffer(False) for name in LOADS},
    **{f"s_buffer_store_{name}": _buffer(True) for name in STORES},
    **dict.fromkeys(("s_dcache_discard", "s_dcache_discard_x2"), _discard),
}
