"""Which instructions begin and end blocks of flat code, and the block of one that the host executes."""

from __future__ import annotations

from avelang.nvptx import nodes as n
from avelang.sim.ptx.code import Instr
from avelang.sim.ptx.handlers import asks_host
from avelang.sim.ptx.state import ASKS, BARRIER, WARP
from avelang.sim.ptx.translator import PtxTranslator


def whole_warp(i: Instr) -> bool:
    """True if all lanes of a warp must be there (.aligned is said, or meant: bar is barrier.aligned), or are waited
    for: lanes that have gone ahead to a barrier of blocks or of clusters let the others come."""
    return i.entry.has("aligned") or "aligned" in i.parts or (i.entry.has("barrier") and "warp" not in i.parts)


def opens_here(i: Instr) -> bool:
    """True if it is the barrier of all threads, bar.sync 0: where nothing else needs the host, translated code does
    it."""
    return (i.entry.has("barrier") and "sync" in i.parts and whole_warp(i) and i.guard is None
        and i.operands == (n.Int(0),))


def ends_block(i: Instr) -> bool:
    """True if control may go elsewhere behind it."""
    return i.entry.has("jump") or asks_host(i) or (i.entry.has("call") and not i.returned)


def begins_block(i: Instr) -> bool:
    """True if a block must begin with it: the host's, and those for which lanes wait."""
    return asks_host(i) or whole_warp(i) or "sync" in i.parts


def asked(t: PtxTranslator, i: Instr) -> None:
    """A block for an instruction of the host: it finds the lanes behind it."""
    if whole_warp(i):
        guard, t.guard = t.guard, ""
        t.together(None)
        t.guard = guard
        if i.parts[0] != "barrier" or "aligned" in i.parts:
            t.agreed()
    behind = t.block_at(i.index + 1)

    def end() -> None:
        t.put_pcs(t.constant(behind, 32), t.active)
        t.do(f"store i32 {i.index}, ptr {t.pointer('w', WARP['op'])}, align 4")
        t.do(f"ret i32 {BARRIER if opens_here(i) else ASKS}")

    t.ending = end
