"""Handlers of LDS loads and stores. Source: AMD Instinct MI300 ISA, sections 11.3 and 16.13.

Addresses need no alignment (Linux's driver sets the unaligned mode, on which LLVM relies), and M0 limits nothing, as
LLVM assumes of all gfx9 chips. An access that is not wholly within the workgroup's LDS stops the wave; hardware would
read 0 and write nothing. One such read runs, since AMD's own kernels make zeros by it (`ds_read_b32 a0, v19` where all
lanes hold 0xf00000): all active lanes at one address, beyond what any chip has.
"""

from __future__ import annotations

from avelang.amdgcn.asm import MCInst
from avelang.sim.amdgcn import memory_access
from avelang.sim.amdgcn.memory_addresses import V64, zeros
from avelang.sim.amdgcn.memory_moves import NARROW_LOADS, NARROW_STORES, WORDS, MemoryTransfer, calls
from avelang.sim.amdgcn.state import REGISTER
from avelang.sim.amdgcn.translator import BlockTranslator, Handler, UnsupportedForm

PAIR = "ptr noalias %g, ptr noalias %w, ptr %data0, ptr %data1, ptr %low, i64 %base0, i64 %base1, i64 %exec"


def refuse_gds(i: MCInst) -> None:
    """These chips have no global data share."""
    if "gds" in i.mods:
        raise UnsupportedForm("these chips have no GDS")


def offsets(i: MCInst, nbytes: int) -> tuple[int, int]:
    """The two offsets of a `..2` instruction in bytes: in units of what is accessed, of 64 of them with `st64`."""
    unit = nbytes * (64 if "2st64_" in i.name else 1)
    return i.int("offset0") * unit, i.int("offset1") * unit


def _single(access: MemoryTransfer) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        refuse_gds(i)
        data, vaddr = i.operands[::-1] if access.store else i.operands
        pointer = memory_access.data_register(t, data, access.words)
        low = memory_access.data_register(t, vaddr, 1)
        memory_access.touch(t, i, low, i.int("offset"), access.nbytes, "write" if access.store else "read")
        memory_access.run(t, "lds", access, pointer, (low, zeros(t), str(i.int("offset"))))

    return handler


def _both(t: BlockTranslator, access: MemoryTransfer) -> str:
    """The function of an instruction with two places: both are found before a register is written, which may hold the
    address."""
    name = f"ave_lds_{access.name}_twice"

    def make() -> str:
        body = [
            memory_access.staged(t, "lds", access.nbytes, f"at{k}", high="%low", base=f"%base{k}") for k in range(2)
        ]
        body += [calls(t, access, f"data{k}", f"at{k}", "exec") for k in range(2)]
        return memory_access.function(name, PAIR, {"at0": V64, "at1": V64}, "\n".join(body) + "\n  br label %done")

    return t.helper(name, make)


def _pair(access: MemoryTransfer) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        refuse_gds(i)
        first, second = offsets(i, access.nbytes)
        if first == second and access.store:
            raise UnsupportedForm("both offsets are the same: the manual says in two ways what is written")
        if access.store:
            vaddr, *data = i.operands
            pointers = [memory_access.data_register(t, o, access.words) for o in data]
        else:
            data, vaddr = i.operands
            start = memory_access.data_register(t, data, 2 * access.words)
            pointers = [start, t.op(f"getelementptr i8, ptr {start}, i64 {REGISTER * access.words}")]
        low = memory_access.data_register(t, vaddr, 1)
        for offset in (first, second):
            memory_access.touch(t, i, low, offset, access.nbytes, "write" if access.store else "read")
        places = (f"ptr {low}", f"i64 {first}", f"i64 {second}", f"i64 {t.exec()}")
        t.run(_both(t, access), "ptr %g", "ptr %w", *(f"ptr {p}" for p in pointers), *places)

    return handler


def _addtid(access: MemoryTransfer) -> Handler:
    """The address is M0 + offset + 4 times the lane's number."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        refuse_gds(i)
        pointer = memory_access.data_register(t, i.operands[0], 1)
        base = memory_access.lds_base(t, i, "lds")
        lanes, i32 = memory_access.lane_offsets(t, 4), t.t("i32")
        if t.options.check or t.options.profile:
            where = memory_access.slot(t, "touched", 1)
            start = t.splat(t.op(f"trunc i64 {base} to i32"), "i32")
            numbers = t.op(f"load {i32}, ptr {lanes}, align 64")
            t.do(f"store {i32} {t.op(f'add {i32} {numbers}, {start}')}, ptr {where}, align 64")
            memory_access.touch(t, i, where, 0, access.nbytes, "write" if access.store else "read")
        memory_access.run(t, "lds", access, pointer, (lanes, zeros(t), base))

    return handler


def _counted(more: bool) -> Handler:
    """The number of active lanes is added to a word of LDS, or taken from it; all of them get what the word was. It
    stands at M0[15:0] + offset, as LLVM has it (SIISelLowering, DS_APPEND); the manual's text knows no M0 there."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        refuse_gds(i)
        i32 = t.t("i32")
        where, held = memory_access.slot(t, "counted", 1), memory_access.slot(t, "count", 1)
        base = t.op(f"trunc i64 {memory_access.lds_base(t, i, 'lds')} to i32")
        t.do(f"store {i32} {t.splat(base, 'i32')}, ptr {where}, align 64")
        load, store, place = MemoryTransfer(False, "b32"), MemoryTransfer(True, "b32"), (where, zeros(t), "0")
        memory_access.touch(t, i, where, 0, 4, "atomic")
        memory_access.run(t, "lds", load, held, place)
        old = t.op(f"load {i32}, ptr {held}, align 64")
        lanes = t.op(f"trunc i64 {t.call('llvm.ctpop.i64', 'i64', ('i64', t.exec()))} to i32")
        total = t.op(f"{'add' if more else 'sub'} {i32} {old}, {t.splat(lanes, 'i32')}")
        t.do(f"store {i32} {total}, ptr {held}, align 64")
        memory_access.run(t, "lds", store, held, place)
        t.set_result(i.operands[0], old)

    return handler


def _nothing(t: BlockTranslator, i: MCInst) -> None:
    """ds_nop."""


TABLE: dict[str, Handler] = {
    **{f"ds_read_{f}": _single(MemoryTransfer(False, f)) for f in (*WORDS, *NARROW_LOADS)},
    **{f"ds_write_{f}": _single(MemoryTransfer(True, f)) for f in (*WORDS, *NARROW_STORES)},
    **{
        f"ds_{k}2{s}_{f}": _pair(MemoryTransfer(k == "write", f))
        for k in ("read", "write")
        for s in ("", "st64")
        for f in ("b32", "b64")
    },
    "ds_read_addtid_b32": _addtid(MemoryTransfer(False, "b32")),
    "ds_write_addtid_b32": _addtid(MemoryTransfer(True, "b32")),
    "ds_append": _counted(True),
    "ds_consume": _counted(False),
    "ds_nop": _nothing,
}
