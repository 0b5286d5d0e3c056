"""Handlers of what steers a wave: branches, barriers, the end, waits and hints. See `translator` for what a handler is."""

from __future__ import annotations

from avelang.amdgcn.asm import EXEC, VCC, Instruction
from avelang.sim.amdgcn.state import BARRIER, END, WAVE
from avelang.sim.amdgcn.translator import Handler, Translator, Unknown

# Instructions that end a block: whether the next one may follow.
ENDS: dict[str, bool] = {
    "s_branch": False, "s_endpgm": False, "s_endpgm_saved": False, "s_setpc_b64": False, "s_swappc_b64": True, "s_call_b64": True,
    "s_cbranch_scc0": True, "s_cbranch_scc1": True, "s_cbranch_vccz": True, "s_cbranch_vccnz": True, "s_cbranch_execz": True,
    "s_cbranch_execnz": True, "s_barrier": True, "s_trap": False,
}  # fmt: skip


def _branch(t: Translator, i: Instruction) -> None:
    t.leave(str(t.branch_to(i.operands[0])))


def _conditional(t: Translator, i: Instruction) -> None:
    what = i.name.removeprefix("s_cbranch_")
    if what.startswith("scc"):
        taken = t.scc() if what == "scc1" else t.op(f"xor i1 {t.scc()}, true")
    else:
        word = t.pair(VCC if what.startswith("vcc") else EXEC)
        taken = t.op(f"icmp {'ne' if what.endswith('nz') else 'eq'} i64 {word}, 0")
    t.leave(t.op(f"select i1 {taken}, i32 {t.branch_to(i.operands[0])}, i32 {t.block_after(i)}"))


def _barrier(t: Translator, i: Instruction) -> None:
    # The wave goes on in the next block, one epoch later, when the scheduler lets it.
    for field, value in (("pc", str(t.block_after(i))), ("epoch", "")):
        place = t.field("w", WAVE[field])
        text = value or t.op(f"add i32 {t.op(f'load i32, ptr {place}, align 4')}, 1")
        t.do(f"store i32 {text}, ptr {place}, align 4")
    t.leave(str(BARRIER))


def _end(t: Translator, i: Instruction) -> None:
    t.leave(str(END))


def _nothing(t: Translator, i: Instruction) -> None:
    """Waits and hints change no register; the checker sees them."""


def _setreg(t: Translator, i: Instruction) -> None:
    raise Unknown("hardware registers are not modeled")


HINTS = (
    "s_nop s_waitcnt s_waitcnt_vscnt s_setprio s_sethalt s_sleep s_icache_inv s_dcache_inv s_dcache_wb s_incperflevel s_decperflevel s_ttracedata "
    "buffer_wbl2 buffer_inv buffer_wbinvl1 buffer_wbinvl1_vol buffer_wbinvl2 s_inst_prefetch s_clause s_code_end v_nop"
).split()

TABLE: dict[str, Handler] = {
    "s_branch": _branch,
    "s_barrier": _barrier,
    "s_endpgm": _end,
    **{name: _conditional for name in ENDS if name.startswith("s_cbranch")},
    **{name: _nothing for name in HINTS},
    **{name: _setreg for name in ("s_setreg_b32", "s_getreg_b32", "s_setreg_imm32_b32")},
}
