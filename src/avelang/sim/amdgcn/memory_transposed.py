"""Handlers of gfx950's transposed LDS loads: 16 lanes read rows of a matrix, and each gets a column.

Lanes stand in groups of 16. The 64 bits (of 6-bit elements: 96) that each reads are, one after another, a matrix whose
rows have 16 elements; lane n of the group gets elements n of all rows, the first row's lowest. All lanes must be
active, and addresses multiples of the size (of 16 bytes, for 96 bits). Sources: AMD CDNA4 ISA, section 11.4; Triton,
third_party/amd, `LocalLoad` by `ds_read_tr` (which lane gets what).
"""

from __future__ import annotations

from avelang.amdgcn.asm import MCInst
from avelang.sim.amdgcn import memory_access
from avelang.sim.amdgcn.memory_addresses import V32, V64, helper, zeros
from avelang.sim.amdgcn.memory_lds import refuse_gds
from avelang.sim.amdgcn.memory_moves import MemoryTransfer, calls
from avelang.sim.amdgcn.translator import BlockTranslator, Handler

WORDS = {16: 2, 8: 2, 4: 2, 6: 3}  # registers of a lane, by the bits of an element


def _function(t: BlockTranslator, bits: int) -> str:
    """The function of an instruction, with its @: i32(g, w, data, low, high, base, exec)."""
    access = MemoryTransfer(False, f"b{32 * WORDS[bits]}")
    align = 16 if bits == 6 else 8
    name = f"ave_lds_turned_b{bits}"

    def make() -> str:
        body = f"""{memory_access.staged(t, "lds", access.nbytes)}
  %s.al = call i32 {helper(t, "ave_aligned")}(ptr %g, ptr %at, i64 %exec, i64 {align})
  %b.al = icmp ne i32 %s.al, 0
  br i1 %b.al, label %fault, label %aligned
aligned:
{calls(t, access, "rows", "at", "exec")}
  call void {helper(t, "ave_turn")}(ptr %data, ptr %rows, i32 {bits}, i32 {WORDS[bits]})
  br label %done"""
        return memory_access.function(
            name, memory_access.PARAMETERS, {"at": V64, "rows": f"[{WORDS[bits]} x {V32}]"}, body
        )

    return t.helper(name, make)


def _load(bits: int) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        refuse_gds(i)
        data, vaddr = i.operands
        t.stop_if(
            t.op(f"icmp ne i64 {t.exec()}, -1"),
            "a transposed load with lanes switched off, which the manual does not define",
        )
        pointer, low = memory_access.data_register(t, data, WORDS[bits]), memory_access.data_register(t, vaddr, 1)
        memory_access.touch(t, i, low, i.int("offset"), 4 * WORDS[bits], "read")
        places = (f"ptr {low}", f"ptr {zeros(t)}", f"i64 {i.int('offset')}", f"i64 {t.exec()}")
        t.run(_function(t, bits), "ptr %g", "ptr %w", f"ptr {pointer}", *places)

    return handler


TABLE: dict[str, Handler] = {f"ds_read_b{32 * words}_tr_b{bits}": _load(bits) for bits, words in WORDS.items()}
