"""An instruction comes in; what it reads and writes goes out: registers, the implicit ones with them, and the counter that it moves.

Registers are cells of one numbering, that of the operand encoding (AMD Instinct MI300 ISA, section 5.1): scalars from 0, with VCC, M0, EXEC and SCC
at their places, vector registers from 256, accumulation registers from 512. A span is (first cell, cells).
"""

from __future__ import annotations

import dataclasses
import re

from avelang.amdgcn.asm import EXEC, M0, SCC, VCC, MCInst, PhysReg
from avelang.isa.amdgpu.passes import is_matrix

Span = tuple[int, int]
FILES = {"s": 0, "v": 256, "a": 512}
CELLS = 768

# Counters of instructions under way (MI300 ISA, section 4.4). FLAT moves two of them at once, and in no order.
VM, LDS, SMEM, FLAT, MESSAGE, GWS = "vm", "lds", "smem", "flat", "message", "gws"

# What executes an instruction. Control: branches, waits and hints.
VALU, MATRIX, SALU, SMEM_UNIT, VMEM, FLAT_UNIT, DS, CONTROL = "valu", "matrix", "salu", "smem", "vmem", "flat", "ds", "control"


@dataclasses.dataclass(frozen=True, slots=True)
class Effects:
    """`reads`, `writes`: spans, a register that is only partly overwritten in both; `sources`, `results`: the operands that they come from.
    `counter`: which one goes up, or ""; `late`: the results are there when it has come down again. `lds`: "read", "write", "atomic" or "" for
    the instruction's own access to LDS (a flat one may have it); `direct`: what a load fetches goes to LDS. EXEC as the mask of active lanes is
    not listed."""

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


_UNITS = (
    (re.compile(r"s_(load|buffer_load|store|buffer_store|scratch|mem(real)?time|dcache|atc_probe|atomic|buffer_atomic)"), SMEM_UNIT),
    (re.compile(r"s_(nop|waitcnt|barrier|endpgm|branch|cbranch|sleep|sendmsg|set(prio|halt|kill|vskip)|trap|icache|(inc|dec)perf|ttrace|inst_pref|clause|code_end)"),
     CONTROL),
    (re.compile(r"s_"), SALU),
    (re.compile(r"v_"), VALU),
    (re.compile(r"ds_"), DS),
    (re.compile(r"flat_"), FLAT_UNIT),
    (re.compile(r"(buffer|tbuffer|global|scratch|image)_"), VMEM),
)  # fmt: skip


def unit(i: MCInst) -> str:
    """What executes an instruction."""
    if is_matrix(i.name):
        return MATRIX
    return next((name for pattern, name in _UNITS if pattern.match(i.name)), CONTROL)


# -- scalar ------------------------------------------------------------------------------------------------------------------------------

# No result but SCC; a result that is read first; no result at all (MI300 ISA, sections 16.1 to 16.5).
_COMPARES = re.compile(r"s_(cmp|cmpk|bitcmp)")
_UPDATES = re.compile(r"s_(addk|mulk|cmov|cmovk|bitset|lshl_add_reg)")
_NO_RESULT = re.compile(r"s_(setpc|setreg|rfe|set_gpr_idx|cbranch|sendmsg|setvskip|store|buffer_store|dcache|atc_probe)")
_READS_SCC = re.compile(r"s_(cselect|cmov|addc|subb|cbranch_scc)")
_KEEPS_SCC = re.compile(
    r"s_(mov|cselect|cmov|mul_|mulk|brev|ff|flbit|sext|bitset|getpc|setpc|swappc|call|bfm|pack|getreg|setreg|rfe|bitreplicate|set_gpr|get_waveid)"
)


def _implicit_scalar(i: MCInst, kind: str) -> tuple[list[Span], list[Span]]:
    reads, writes = [], []
    name = i.name
    if _READS_SCC.match(name):
        reads.append((SCC, 1))
    if "vccz" in name or "vccnz" in name:
        reads.append((VCC, 2))
    if "execz" in name or "execnz" in name:
        reads.append((EXEC, 2))
    if "movrel" in name or "sendmsg" in name:
        reads.append((M0, 1))
    if kind == SALU and not _KEEPS_SCC.match(name):
        writes.append((SCC, 1))
    if "saveexec" in name or "wrexec" in name:
        reads.append((EXEC, 2))
        writes.append((EXEC, 2))
    return reads, writes


def _scalar_operands(i: MCInst, kind: str) -> tuple[list[int], list[int]]:
    """Indices of results and of sources."""
    everything = list(range(len(i.operands)))
    if "atomic" in i.name:  # what memory held comes back in the data registers, where that is asked for
        return everything[:1] if i.int("glc") or i.int("sc0") else [], everything
    if kind == CONTROL or _NO_RESULT.match(i.name) or _COMPARES.match(i.name):
        return [], everything
    return everything[:1], everything if _UPDATES.match(i.name) else everything[1:]


# -- vector ------------------------------------------------------------------------------------------------------------------------------

# Two results, the second a mask; both operands exchanged; results that are sources too, or are written in part (MI300 ISA, sections 16.6 to 16.12).
_TWO_RESULTS = re.compile(r"v_(add|sub|subrev|addc|subb|subbrev)_co_|v_(div_scale|mad_u64_u32|mad_i64_i32)")
_EXCHANGES = re.compile(r"v_(swap|permlane\d+_swap)")
_ACCUMULATES = re.compile(
    r"v_(mac_|fmac_|pk_fmac|dot\w+c_|smfmac|writelane|(mad|fma)_mix(lo|hi)|cvt_sr_|cvt_scalef32_(sr_(?!pk32)|pk_(fp8|bf8|fp4)_|f16_)|cvt_pk_(fp8|bf8)_f32)"
)
_MASKS_LAST = re.compile(r"v_(cndmask|addc_co|subb_co|subbrev_co)")


def reads_mask(i: MCInst) -> int:
    """The operand that a vector instruction reads as one bit for each lane (a carry, or a selection), or -1."""
    return len(i.operands) - 1 if _MASKS_LAST.match(i.name) else -1


def _vector_operands(i: MCInst) -> tuple[list[int], list[int]]:
    everything = list(range(len(i.operands)))
    if _EXCHANGES.match(i.name):
        return everything, everything
    results = 2 if _TWO_RESULTS.match(i.name) else 1
    # A lane that DPP, SDWA or a mask leaves out keeps what the register held.
    keeps = i.mods.get("dst_unused") == "UNUSED_PRESERVE" or _ACCUMULATES.match(i.name) is not None
    return everything[:results], everything if keeps else everything[results:]


def _implicit_vector(i: MCInst) -> tuple[list[Span], list[Span]]:
    reads: list[Span] = [(VCC, 2)] if i.name.startswith("v_div_fmas") else []
    if i.name.startswith(("v_movrel", "v_interp")):
        reads.append((M0, 1))
    return reads, [(EXEC, 2)] if i.name.startswith("v_cmpx") else []


# -- memory ------------------------------------------------------------------------------------------------------------------------------

_DS_RESULT = re.compile(r"ds_(read|swizzle|permute|bpermute|consume|append|ordered)|ds_\w+_rtn")
_DS_NO_MEMORY = re.compile(r"ds_(swizzle|permute|bpermute|nop|gws)")
_NO_COUNT = re.compile(r"buffer_(inv|wbinv)")


def _ds(i: MCInst) -> tuple[list[int], list[int], str]:
    everything = list(range(len(i.operands)))
    results = everything[:1] if _DS_RESULT.match(i.name) else []
    kind = "read" if i.name.startswith("ds_read") else "write" if i.name.startswith("ds_write") else "atomic"
    return results, everything[len(results) :], "" if _DS_NO_MEMORY.match(i.name) else kind


def _vmem(i: MCInst) -> tuple[list[int], list[int], str, bool]:
    """Results, sources, kind of access and whether it goes to LDS, of buffer, global, flat and scratch instructions."""
    everything = list(range(len(i.operands)))
    direct = "lds" in i.mods or "_load_lds_" in i.name
    if "_atomic" in i.name:
        # sc0 (glc in older spelling) returns the value that was there: in place in a buffer instruction, in an operand of its own elsewhere.
        returns = bool(i.int("sc0") or i.int("glc"))
        in_place = i.name.startswith("buffer")
        return everything[:1] if returns else [], everything if in_place or not returns else everything[1:], "atomic", False
    if "_load" in i.name and not direct:
        return everything[:1], everything[1:], "read", False
    return [], everything, "read" if direct else "write", direct


def _memory(i: MCInst, kind: str) -> Effects:
    if kind == DS:
        results, sources, lds = _ds(i)
        reads, writes = _spans(i, sources), _spans(i, results)
        if any(x in i.name for x in ("gws", "addtid", "append", "consume")):
            reads = (*reads, (M0, 1))
        return Effects(kind, reads, writes, tuple(sources), tuple(results), GWS if "gws" in i.name else LDS, bool(writes), lds)
    results, sources, access, direct = _vmem(i)
    reads, writes = _spans(i, sources), _spans(i, results)
    if "atomic" in i.name and results and "cmpswap" in i.name and i.name.startswith("buffer"):
        writes = tuple((first, count // 2) for first, count in writes)  # the first half of the data is what comes back
    if direct:
        reads = (*reads, (M0, 1))
    counter = "" if _NO_COUNT.match(i.name) else FLAT if kind == FLAT_UNIT else VM
    lds = access if kind == FLAT_UNIT else "write" if direct else ""
    return Effects(kind, reads, writes, tuple(sources), tuple(results), counter, bool(writes), lds, direct)


# -- all -----------------------------------------------------------------------------------------------------------------------------------


def _spans(i: MCInst, indices: list[int]) -> tuple[Span, ...]:
    return tuple(span(o) for n in indices if isinstance(o := i.operands[n], PhysReg))


def effects(i: MCInst) -> Effects:
    """What an instruction does to registers and counters."""
    kind = unit(i)
    if kind in (DS, VMEM, FLAT_UNIT):
        return _memory(i, kind)
    if kind in (VALU, MATRIX):
        results, sources = _vector_operands(i)
        reads, writes = _implicit_vector(i)
    else:
        results, sources = _scalar_operands(i, kind)
        reads, writes = _implicit_scalar(i, kind)
    counter = MESSAGE if i.name.startswith("s_sendmsg") else ""
    late = kind == SMEM_UNIT and bool(results)
    if kind == SMEM_UNIT and i.operands:
        counter = SMEM
    return Effects(kind, (*_spans(i, sources), *reads), (*_spans(i, results), *writes), tuple(sources), tuple(results), counter, late)
