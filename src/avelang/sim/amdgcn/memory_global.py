"""Handlers of global, flat and scratch loads and stores, to registers and to LDS. Source: AMD Instinct MI300 ISA,
sections 10 and 16.15.

Cache policies (sc0, sc1, nt) change no result here. A flat load or store goes to memory, LDS or the lane's stack as
each lane's address says.
"""

from __future__ import annotations

from avelang.amdgcn.asm import MCInst, Name, Operand, PhysReg
from avelang.sim.amdgcn import memory_access
from avelang.sim.amdgcn.memory_moves import DWORDS, NAMES, STORE_NAMES, MemoryTransfer
from avelang.sim.amdgcn.translator import BlockTranslator, Handler

SPACES = ("global", "flat", "scratch")
OFF = Name("off")


def _place(
    t: BlockTranslator, i: MCInst, space: str, access: MemoryTransfer, vaddr: Operand, rest: tuple[Operand, ...]
) -> memory_access.Place:
    if space == "flat" and isinstance(vaddr, PhysReg):
        memory_access.touch_flat(t, i, vaddr, access.nbytes, "write" if access.store else "read")
    return memory_access.place(t, i, space, vaddr, rest[0] if rest else OFF)


def _move(space: str, access: MemoryTransfer) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        first, second, *rest = i.operands
        data, vaddr = (second, first) if access.store else (first, second)
        pointer = memory_access.data_register(t, data, access.words)
        memory_access.run(t, space, access, pointer, _place(t, i, space, access, vaddr, tuple(rest)))

    return handler


def _to_lds(space: str, access: MemoryTransfer) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        vaddr, saddr = i.operands
        data = memory_access.slot(t, "data", access.words)
        memory_access.run(t, space, access, data, memory_access.place(t, i, space, vaddr, saddr))
        memory_access.to_lds(t, i, space, access.words, data)

    return handler


LOADS = {**DWORDS, **NAMES}
STORES = {**DWORDS, **STORE_NAMES}
# What can go to LDS directly; the wide ones are CDNA4's.
TO_LDS = ("ubyte", "sbyte", "ushort", "sshort", "dword", "dwordx3", "dwordx4")

TABLE: dict[str, Handler] = {
    **{f"{space}_load_{name}": _move(space, MemoryTransfer(False, f)) for space in SPACES for name, f in LOADS.items()},
    **{
        f"{space}_store_{name}": _move(space, MemoryTransfer(True, f)) for space in SPACES for name, f in STORES.items()
    },
    **{f"global_load_lds_{name}": _to_lds("global", MemoryTransfer(False, LOADS[name])) for name in TO_LDS},
    **{f"scratch_load_lds_{name}": _to_lds("scratch", MemoryTransfer(False, LOADS[name])) for name in TO_LDS[:5]},
}
