"""Handlers of what steers a wave: branches, calls, barriers, the end, traps, hardware registers, VGPR indexing, time,
waits and hints.

Source: AMD Instinct MI300 ISA, sections 3 (state), 4 (flow control), 6.6 (VGPR indexing) and 12.1 to 12.6. See
`translator` for what a handler is.
"""

from __future__ import annotations

from collections.abc import Callable

from avelang.amdgcn.asm import EXEC, M0, VCC, MCInst, Name, far_label
from avelang.llvm.writer import Writer
from avelang.sim.amdgcn import mode
from avelang.sim.amdgcn.faults import TRAP, UnsupportedForm
from avelang.sim.amdgcn.scalar import short
from avelang.sim.amdgcn.state import BARRIER, END, GROUP, LANES, PRIVATE_BASE, SHARED_BASE, WAVE
from avelang.sim.amdgcn.translator import BlockTranslator, Handler

# -- where a wave goes on ----------------------------------------------------------------------------------------------


def _branch(t: BlockTranslator, i: MCInst) -> None:
    t.leave(str(t.branch_to(i.operands[0])))


def _conditional(t: BlockTranslator, i: MCInst) -> None:
    what = i.name.removeprefix("s_cbranch_")
    if what.startswith("scc"):
        taken = t.scc() if what == "scc1" else t.op(f"xor i1 {t.scc()}, true")
    else:
        word = t.pair(VCC if what.startswith("vcc") else EXEC)
        taken = t.op(f"icmp {'ne' if what.endswith('nz') else 'eq'} i64 {word}, 0")
    t.leave(t.op(f"select i1 {taken}, i32 {t.branch_to(i.operands[0])}, i32 {t.block_after(i)}"))


def _address_after(t: BlockTranslator, i: MCInst) -> str:
    """The address of the next instruction, an i64."""
    if i.index + 1 >= len(t.code):
        raise UnsupportedForm("no instruction follows")
    return t.op(f"add i64 {t.group('image', 'i64')}, {t.code[i.index + 1].address}")


def _jump(t: BlockTranslator, i: MCInst, address: str) -> None:
    """Goes on at an address, which must be that of a label or of an instruction behind a call."""
    if t.mode != t.first_mode:
        raise UnsupportedForm("a jump to a computed address where MODE is not what it was at the kernel's start")
    helper = t.helper("ave_block_at", lambda: _block_at(t))
    offset = t.op(f"sub i64 {address}, {t.group('image', 'i64')}")
    block = t.op(f"call i32 {helper}(ptr %g, i64 {offset})")
    t.stop_if(t.op(f"icmp slt i32 {block}, 0"), "no instruction of the program stands where it jumps")
    t.leave(block)


def _block_at(t: BlockTranslator) -> str:
    """i32 ave_block_at(g, i64 offset in the code): the number of the block that starts there, or -1. Whoever makes
    blocks as they are needed is asked for places that nothing names: people compute where they jump from tables, and
    disassembled code has no labels there."""
    w = Writer(t.module, LANES)
    cases = " ".join(f"i64 {t.code[first].address}, label %b{n}" for first, n in t.targets.items())
    place = w.op(f"getelementptr i8, ptr %g, i64 {GROUP['finder']}")
    finder = w.op(f"load ptr, ptr {place}, align 8")
    w.do(f"switch i64 %offset, label %none [ {cases} ]")
    for n in t.targets.values():
        w.body.start(f"b{n}")
        w.do(f"ret i32 {n}")
    w.body.start("none")
    w.do(f"br i1 {w.op(f'icmp eq ptr {finder}, null')}, label %lost, label %ask")
    w.body.start("ask")
    w.do(f"ret i32 {w.op(f'call i32 {finder}(i64 %offset)')}")
    w.body.start("lost")
    w.do("ret i32 -1")
    return f"define internal i32 @ave_block_at(ptr %g, i64 %offset) noinline #0 {{\n{w.body.text()}\n}}"


def _get_pc(t: BlockTranslator, i: MCInst) -> None:
    t.set_scalar_result(i.operands[0], _address_after(t, i), 64)


def _set_pc(t: BlockTranslator, i: MCInst) -> None:
    far = far_label(t.code, t.labels, i)
    if far is not None:
        return t.leave(str(t.branch_to(Name(far))))
    _jump(t, i, t.scalar_source(i.operands[0], 64))


def _swap_pc(t: BlockTranslator, i: MCInst) -> None:
    d, a = i.operands
    to = t.scalar_source(a, 64)
    t.set_scalar_result(d, _address_after(t, i), 64)
    _jump(t, i, to)


def _call(t: BlockTranslator, i: MCInst) -> None:
    d, label = i.operands
    t.set_scalar_result(d, _address_after(t, i), 64)
    t.leave(str(t.branch_to(label)))


def _barrier(t: BlockTranslator, i: MCInst) -> None:
    if t.options.mutable:
        t.flush()
        off, on = t.body.fresh("off"), t.body.fresh("on")
        t.do(f"br i1 {t.skipped(i)}, label %{off}, label %{on}")
        t.body.start(off)
        t.do(f"ret i32 {t.block_after(i)}")
        t.body.start(on)
    # The wave goes on in the next block, one epoch later, when the scheduler lets it.
    for field, value in (("pc", str(t.block_after(i))), ("epoch", "")):
        place = t.field("w", WAVE[field])
        text = value or t.op(f"add i32 {t.op(f'load i32, ptr {place}, align 4')}, 1")
        t.do(f"store i32 {text}, ptr {place}, align 4")
    t.leave(str(BARRIER))


def _end(t: BlockTranslator, i: MCInst) -> None:
    t.leave(str(END))


def _trap(t: BlockTranslator, i: MCInst) -> None:
    t.stop(TRAP, "the program stops itself here")


def _halt(t: BlockTranslator, i: MCInst) -> None:
    if short(i.operands[0]) & 1:
        _trap(t, i)


def _kill(t: BlockTranslator, i: MCInst) -> None:
    if short(i.operands[0]) & 1:
        _end(t, i)


# -- hardware registers and VGPR indexing ------------------------------------------------------------------------------


def _refused(number: int) -> UnsupportedForm:
    name = next((k for k, v in mode.HARDWARE.items() if v == number), f"hardware register {number}")
    return UnsupportedForm(f"{name} is not modeled; MODE, TRAPSTS, HW_ID, SH_MEM_BASES and XCC_ID are")


# What some read as: the one die; no exception has been met; the upper 16 bits of where stacks and LDS stand among flat
# addresses.
PLACES = {
    mode.XCC_ID: 0,
    mode.TRAPSTS: 0,
    mode.HARDWARE["HW_REG_SH_MEM_BASES"]: SHARED_BASE >> 48 << 16 | PRIVATE_BASE >> 48,
}


def _get_register(t: BlockTranslator, i: MCInst) -> None:
    """Of places, the machine has one of each: a wave stands in its own slot of compute unit 0 of die 0 (MI300 ISA,
    section 3, "HW_ID")."""
    number, shift, width = mode.hardware_register(i.operands[1])
    ones = (1 << width) - 1
    if number == mode.MODE:
        return t.set_scalar_result(i.operands[0], str(t.mode.word >> shift & ones))
    if number in PLACES:
        return t.set_scalar_result(i.operands[0], str(PLACES[number] >> shift & ones))
    if number != mode.HW_ID:
        raise _refused(number)
    index = t.op(f"load i32, ptr {t.field('w', WAVE['index'])}, align 4")
    # Bits 0 to 3: the slot on its SIMD; bits 4 and 5: the SIMD.
    simd = t.op(f"and i32 {index}, 3")
    place = t.op(f"or i32 {t.op(f'lshr i32 {index}, 2')}, {t.op(f'shl i32 {simd}, 4')}")
    t.set_scalar_result(i.operands[0], t.op(f"and i32 {t.op(f'lshr i32 {place}, {shift}')}, {ones}"))


def _set_register(t: BlockTranslator, i: MCInst) -> None:
    """MODE is known where code is translated; what floats then mean, or that it is not executed, `Mode` says at the
    instructions themselves. Flags of exceptions, which nothing here raises, may be cleared."""
    number, _, _ = mode.hardware_register(i.operands[0])
    if number == mode.TRAPSTS:
        return
    if number != mode.MODE:
        raise _refused(number)
    t.mode = mode.after(t.mode, i, mode.constant(t.code, set(t.targets), i))


def _indexing(t: BlockTranslator, i: MCInst) -> None:
    """s_set_gpr_idx_on, _idx and _mode: M0 holds the index in bits 0 to 7, and in bits 12 to 15 which operands it
    shifts."""
    t.mode = mode.after(t.mode, i)
    m0 = t.scalar(M0)
    if i.name in ("s_set_gpr_idx_on", "s_set_gpr_idx_idx"):
        index = t.op(f"and i32 {t.scalar_source(i.operands[0])}, 255")
        m0 = t.op(f"or i32 {t.op(f'and i32 {m0}, -256')}, {index}")
    if i.name != "s_set_gpr_idx_idx":
        kept = t.op(f"and i32 {m0}, {~0xF000}")
        m0 = t.op(f"or i32 {kept}, {mode.index_mask(i.operands[-1]) << 12}")
    t.set_scalar(M0, m0)


def _no_indexing(t: BlockTranslator, i: MCInst) -> None:
    t.mode = mode.after(t.mode, i)


# -- time, hints -------------------------------------------------------------------------------------------------------


def _time(t: BlockTranslator, i: MCInst) -> None:
    """s_memtime, s_memrealtime: the number of instructions that the wave has executed. Clocks are not modeled; that
    this grows is all that code may rely on."""
    first = max(k for k in t.targets if k <= i.index)
    count = t.op(f"load i64, ptr {t.field('w', WAVE['count'])}, align 8")
    t.set_scalar_result(i.operands[0], t.op(f"sub i64 {count}, {t.counted - (i.index - first)}"), 64)


def _nothing(t: BlockTranslator, i: MCInst) -> None:
    """Waits and hints change no register; the checker sees them. Debug flags that s_cbranch_cdbg... test are never
    set."""


def _unknown(why: str) -> Callable[[BlockTranslator, MCInst], None]:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        raise UnsupportedForm(why)

    return handler


HINTS = (
    "s_nop", "s_waitcnt", "s_setprio", "s_sleep", "s_wakeup", "s_icache_inv", "s_dcache_inv", "s_dcache_inv_vol",
    "s_dcache_wb", "s_dcache_wb_vol",
    "s_incperflevel", "s_decperflevel", "s_atc_probe", "s_atc_probe_buffer", "s_ttracedata", "s_sendmsg", "buffer_wbl2",
    "buffer_inv", "buffer_invl2",
    "buffer_wbinvl1", "buffer_wbinvl1_vol", "v_nop",
    "v_clrexcp", "s_cbranch_cdbgsys", "s_cbranch_cdbguser", "s_cbranch_cdbgsys_or_user", "s_cbranch_cdbgsys_and_user",
)  # fmt: skip

GWS = tuple(f"ds_gws_{name}" for name in ("init", "barrier", "sema_v", "sema_br", "sema_p", "sema_release_all"))

TABLE: dict[str, Handler] = {
    "s_branch": _branch,
    "s_getpc_b64": _get_pc,
    "s_setpc_b64": _set_pc,
    "s_swappc_b64": _swap_pc,
    "s_call_b64": _call,
    "s_barrier": _barrier,
    "s_endpgm": _end,
    "s_endpgm_saved": _end,
    "s_trap": _trap,
    "s_sendmsghalt": _trap,
    "s_sethalt": _halt,
    "s_setkill": _kill,
    "s_getreg_b32": _get_register,
    **dict.fromkeys(("s_setreg_b32", "s_setreg_imm32_b32"), _set_register),
    **dict.fromkeys(("s_set_gpr_idx_on", "s_set_gpr_idx_idx", "s_set_gpr_idx_mode"), _indexing),
    "s_set_gpr_idx_off": _no_indexing,
    **dict.fromkeys(("s_memtime", "s_memrealtime"), _time),
    **dict.fromkeys(
        (f"s_cbranch_{when}" for when in ("scc0", "scc1", "vccz", "vccnz", "execz", "execnz")), _conditional
    ),
    **dict.fromkeys(HINTS, _nothing),
    **dict.fromkeys(
        ("s_cbranch_g_fork", "s_cbranch_i_fork", "s_cbranch_join"), _unknown("the branch stack is not modeled")
    ),
    "s_setvskip": _unknown("skipping of vector instructions is not modeled"),
    **dict.fromkeys(("s_rfe_b64", "s_rfe_restore_b64"), _unknown("there is no trap handler to return from")),
    "s_endpgm_ordered_ps_done": _unknown("it ends shaders of pixels, which are not modeled"),
    **dict.fromkeys(GWS, _unknown("global wave sync, which orders waves of all workgroups, is not modeled")),
    "v_screen_partition_4se_b32": _unknown("its table of a screen's parts is not modeled"),
}
