"""An instruction comes in; what it reads and writes goes out: registers, the implicit ones too, and the counter that it
moves. The facts are in its entry of the instruction table (`isa.amdgpu.instructions`).

Registers are cells of one numbering, that of the operand encoding (AMD Instinct MI300 ISA, section 5.1): scalars from
0, with VCC, M0, EXEC and SCC at their places, vector registers from 256, accumulation registers from 512. A span is
(first cell, cells).
"""

from __future__ import annotations

import dataclasses
import functools

from avelang.amdgcn.asm import EXEC, M0, SCC, VCC, MCInst, PhysReg
from avelang.isa.amdgpu.instructions import CONTROL, DS, FLAT, MATRIX, SALU, SMEM, VALU, VMEM, InstrDesc

__all__ = [
    "CONTROL", "DS", "FLAT", "MATRIX", "SALU", "SMEM", "VALU", "VMEM", "Effects", "Span", "cell_name", "effects",
    "overlap", "span",
]  # fmt: skip

Span = tuple[int, int]
FILES = {"s": 0, "v": 256, "a": 512}
CELLS = 768
IMPLICIT: dict[str, Span] = {"scc": (SCC, 1), "vcc": (VCC, 2), "exec": (EXEC, 2), "m0": (M0, 1)}

# Counters of instructions under way (MI300 ISA, section 4.4). A flat instruction moves two of them at once, and in no
# order.
VM_COUNTER, LDS_COUNTER, SMEM_COUNTER, FLAT_COUNTERS = "vm", "lds", "smem", "flat"

# An access as the LDS sees it.
_LDS_ACCESS = {"load": "read", "store": "write", "atomic": "atomic", "lds-store": "read"}


@dataclasses.dataclass(frozen=True, slots=True)
class Effects:
    """`reads`, `writes`: spans, a register that is only partly overwritten in both; `sources`, `results`: the operands
    that they come from. `counter`: which one goes up, or ""; `late`: the results are there when it has come down again.
    `lds`: "read", "write", "atomic" or "" for the instruction's own access to LDS (a flat one may have it); `direct`:
    what a load fetches goes to LDS. EXEC as the mask of active lanes is not listed."""

    unit: str
    reads: tuple[Span, ...]
    writes: tuple[Span, ...]
    sources: tuple[int, ...]
    results: tuple[int, ...]
    counter: str = ""
    late: bool = False
    lds: str = ""
    direct: bool = False


def span(reg: PhysReg) -> Span:
    """The cells of an operand."""
    return FILES[reg.file] + reg.first, reg.count


def overlap(a: Span, b: Span) -> int:
    """The first cell in both, or -1."""
    first = max(a[0], b[0])
    return first if first < min(a[0] + a[1], b[0] + b[1]) else -1


def cell_name(cell: int) -> str:
    """A cell as assembly writes it: v3, a0, s12, vcc_hi."""
    for file, base in reversed(FILES.items()):
        if cell >= base:
            return str(PhysReg(file, cell - base))
    raise ValueError(cell)


@dataclasses.dataclass(frozen=True, slots=True)
class _Form:
    """What the operands of an instruction are, with the modifiers that decide that: indices of sources and results, the
    part of a result that is written where it is not all of it, implicit registers."""

    sources: tuple[int, ...]
    results: tuple[int, ...]
    part: dict[int, int]
    reads: tuple[Span, ...]
    writes: tuple[Span, ...]
    lds: str
    direct: bool


@functools.cache
def _form(desc: InstrDesc, count: int, returns: bool, merges: bool, to_lds: bool) -> _Form:
    """`count`: operands that are there; `returns`: an atomic operation gives back what memory held; `merges`: parts of
    the result stay (SDWA); `to_lds`: a buffer load with the modifier `lds`, which has no result."""
    operands = desc.operands
    if to_lds or (operands and operands[0].optional and count < len(operands)):
        operands = operands[1:]
    held = (
        desc.access == "atomic" and bool(operands) and operands[0].read and not returns
    )  # the data alone: nothing comes back
    results = tuple(n for n, o in enumerate(operands[:count]) if o.written and not (held and n == 0))
    sources = tuple(n for n, o in enumerate(operands[:count]) if o.read or (merges and n in results))
    part = {n: o.written for n, o in enumerate(operands) if o.written and o.written < o.count}
    direct = to_lds or desc.access == "lds-load"
    lds = (
        "write"
        if direct
        else _LDS_ACCESS.get(desc.access, "")
        if desc.unit in (DS, FLAT) or desc.access == "lds-store"
        else ""
    )
    reads = tuple(IMPLICIT[r] for r in desc.reads) + ((IMPLICIT["m0"],) if to_lds else ())
    return _Form(sources, results, part, reads, tuple(IMPLICIT[r] for r in desc.writes), lds, direct)


def effects(i: MCInst) -> Effects:
    """Register and counter effects of an instruction."""
    desc, mods = i.desc, i.mods
    returns = desc.access == "atomic" and bool(i.int("sc0") or i.int("glc"))
    to_lds = "lds" in mods and desc.access == "load" and desc.unit == VMEM
    form = _form(desc, len(i.operands), returns, mods.get("dst_unused") == "UNUSED_PRESERVE", to_lds)
    reads = tuple(span(o) for n in form.sources if isinstance(o := i.operands[n], PhysReg))
    writes = tuple(
        (where[0], form.part[n]) if n in form.part else where
        for n in form.results
        if isinstance(o := i.operands[n], PhysReg)
        for where in (span(o),)
    )
    late = bool(writes) and bool(desc.counter)
    return Effects(
        desc.unit, (*reads, *form.reads), (*writes, *form.writes), form.sources, form.results, desc.counter, late,
        form.lds, form.direct
    )  # fmt: skip
