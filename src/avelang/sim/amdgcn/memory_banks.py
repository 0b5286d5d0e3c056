"""An access to LDS comes in; calls that count the cycles which bank conflicts cost it go out, into the workgroup's
`profile` (`native/amdgcn/banks.c`).

A wave's access takes phases of lanes, which are the chip's (`avelang.arch.amd`, with their sources); a phase takes as
many cycles as the bank that most dwords are asked of. What is counted is the cycles beyond one for each phase with an
active lane. Lanes that read one dword share it. Assumed: atomics have the phases of writes as wide; lanes that write or
update one dword share it, so that the turns which atomics on one address take are not counted; each place of a `..2`
instruction is an access of its own (measured for reads, nod-ai, "Empirical LDS Measurements")."""

from __future__ import annotations

from avelang.amdgcn.asm import MCInst
from avelang.arch import chip
from avelang.sim.amdgcn.state import LANES
from avelang.sim.amdgcn.translator import BlockTranslator


def count(t: BlockTranslator, i: MCInst, addr: str, offset: int, nbytes: int, kind: str, lanes: str) -> None:
    """Counts an access of `lanes`, an i64 with a bit for each; see `BlockTranslator.lds_access` for the rest."""
    t.module.include("amdgcn", "ave_banks")
    order, size, banks = chip(t.chip).shared.phases(nbytes, kind)
    table = t.module.constant(f"[{LANES} x i8]", "[" + ", ".join(f"i8 {n}" for n in order) + "]")
    where = (f"ptr {table}", f"i64 {size}", f"i32 {banks}", f"ptr {addr}", f"i32 {offset}", f"i32 {nbytes}")
    t.run("@ave_banks", "ptr %g", f"i64 {i.index}", *where, f"i64 {lanes}", may_fail=False)
