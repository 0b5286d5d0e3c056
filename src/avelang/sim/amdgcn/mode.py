"""A kernel's descriptor and its instructions come in; the value of the MODE register at each block goes out.

MODE decides what arithmetic means (denormals, rounding, IEEE, VGPR indexing), so it is known while blocks are
translated, not while they run. Source: AMD Instinct MI300 ISA, sections 3.6 ("Mode register"), 6.4 ("Denormalized and
rounding modes") and 6.6 ("VGPR indexing")."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Sequence

from avelang.amdgcn.asm import M0, AsmKernel, Imm, MCInst, Name, Operand, PhysReg
from avelang.sim.amdgcn.faults import UnsupportedForm

# Numbers of the hardware registers that s_getreg and s_setreg name, and those that are modeled.
MODE, TRAPSTS, HW_ID, XCC_ID = 1, 3, 4, 20
HARDWARE = {
    "HW_REG_MODE": MODE, "HW_REG_STATUS": 2, "HW_REG_TRAPSTS": 3, "HW_REG_HW_ID": 4, "HW_REG_GPR_ALLOC": 5,
    "HW_REG_LDS_ALLOC": 6,
    "HW_REG_IB_STS": 7, "HW_REG_SH_MEM_BASES": 15, "HW_REG_TBA_LO": 16, "HW_REG_TBA_HI": 17, "HW_REG_TMA_LO": 18,
    "HW_REG_TMA_HI": 19,
    "HW_REG_XCC_ID": 20, "HW_REG_SQ_PERF_SNAPSHOT_DATA": 21, "HW_REG_SQ_PERF_SNAPSHOT_DATA1": 22,
    "HW_REG_SQ_PERF_SNAPSHOT_PC_LO": 23,
    "HW_REG_SQ_PERF_SNAPSHOT_PC_HI": 24,
}  # fmt: skip

# Bits of MODE by the descriptor's directive: shift, width, and what a descriptor says that does not mention it (LLVM,
# "User Guide for AMDGPU Backend", AMDHSA Kernel Assembler Directives).
FIELDS = {
    "float_round_mode_32": (0, 2, 0), "float_round_mode_16_64": (2, 2, 0), "float_denorm_mode_32": (4, 2, 0),
    "float_denorm_mode_16_64": (6, 2, 3),
    "dx10_clamp": (8, 1, 1), "ieee_mode": (9, 1, 1), "exception_fp_ieee_invalid_op": (12, 1, 0),
    "exception_fp_denorm_src": (13, 1, 0),
    "exception_fp_ieee_div_zero": (14, 1, 0), "exception_fp_ieee_overflow": (15, 1, 0),
    "exception_fp_ieee_underflow": (16, 1, 0),
    "exception_fp_ieee_inexact": (17, 1, 0), "exception_int_div_zero": (18, 1, 0), "fp16_overflow": (23, 1, 0),
}  # fmt: skip
EXCEPTIONS, INDEXING = 0x7F << 12, 1 << 27
INDEX_PARTS = ("SRC0", "SRC1", "SRC2", "DST")
DYNAMIC = -1  # which operands are shifted M0 says while the program runs


@dataclasses.dataclass(frozen=True, slots=True)
class Mode:
    """The MODE register as `word`; `indexed` are the operands that VGPR indexing shifts: bit 0 to 2 the sources, bit 3
    the destination; or DYNAMIC."""

    word: int = 0x3F0
    indexed: int = 0

    def _bits(self, shift: int, bits: int) -> int:
        return self.word >> (shift if bits == 32 else shift + 2) & 3

    def flushes_sources(self, bits: int) -> bool:
        """True if denormal operands of so many bits count as zero."""
        return not self._bits(4, bits) & 1

    def flushes_results(self, bits: int) -> bool:
        """True if denormal results of so many bits become zero."""
        return not self._bits(4, bits) & 2

    def check(self, bits: int) -> None:
        """Raises UnsupportedForm where arithmetic on floats of so many bits is not what is executed here."""
        if rounding := self._bits(0, bits):
            name = ("", "up", "down", "toward zero")[rounding]
            raise UnsupportedForm(f"MODE rounds {bits}-bit floats {name}; only rounding to nearest even is executed")
        if self.word & EXCEPTIONS:
            raise UnsupportedForm("MODE enables floating-point exceptions, which are not modeled")

    @property
    def ieee(self) -> bool:
        """Signaling NaNs are quieted by min and max, and output modifiers are ignored."""
        return bool(self.word >> 9 & 1)

    @property
    def clamps_nan(self) -> bool:
        """Clamping makes 0 of a NaN."""
        return bool(self.word >> 8 & 1)

    @property
    def saturates(self) -> bool:
        """Conversions to f16 and fp8 that overflow give the greatest finite value."""
        return bool(self.word >> 23 & 1)


def initial(kernel: AsmKernel) -> Mode:
    """MODE at the start of a kernel's waves."""
    return Mode(
        sum((kernel.get(name, default) & (1 << width) - 1) << shift for name, (shift, width, default) in FIELDS.items())
    )


def hardware_register(o: Operand) -> tuple[int, int, int]:
    """Number, first bit and width of hwreg(...), or of its encoding as a number."""
    if isinstance(o, Imm) and isinstance(o.value, int):
        return o.value & 63, o.value >> 6 & 31, (o.value >> 11 & 31) + 1
    if isinstance(o, Name) and (m := re.fullmatch(r"hwreg\(\s*(\w+)\s*(?:,\s*(\w+)\s*,\s*(\w+)\s*)?\)", o.name)):
        number = (
            HARDWARE[m[1]] if m[1] in HARDWARE else int(m[1], 0) if m[1].isdigit() or m[1].startswith("0x") else None
        )
        if number is not None:
            return number, int(m[2] or "0", 0), int(m[3] or "32", 0)
    raise UnsupportedForm(f"{o.name if isinstance(o, Name) else o} is no hardware register known here")


def index_mask(o: Operand) -> int:
    """The four bits of gpr_idx(...)."""
    if isinstance(o, Imm) and isinstance(o.value, int):
        return o.value & 15
    if isinstance(o, Name) and (m := re.fullmatch(r"gpr_idx\((.*)\)", o.name)):
        parts = [x.strip() for x in m[1].split(",") if x.strip()]
        if all(x in INDEX_PARTS for x in parts):
            return sum(1 << INDEX_PARTS.index(x) for x in parts)
    raise UnsupportedForm("its operand is not gpr_idx(...)")


def _writes_m0(i: MCInst) -> bool:
    first = i.operands[0] if i.operands else None
    return (
        isinstance(first, PhysReg)
        and first.file == "s"
        and first.first <= M0 < first.first + first.count
        and i.name != "s_set_gpr_idx_idx"
    )


def meet(a: Mode | None, b: Mode | None) -> Mode | None:
    """MODE at the join of two paths; None if they disagree."""
    if a is None or b is None or a.word != b.word:
        return None
    return a if a == b else Mode(a.word, DYNAMIC)


def constant(code: Sequence[MCInst], leaders: Collection[int], i: MCInst) -> int | None:
    """Constant in the source register of s_setreg_b32, where the block's instructions before it say so; `leaders` begin
    blocks."""
    source = i.operands[1]
    if not isinstance(source, PhysReg):
        return None
    for n in range(i.index - 1, -1, -1):
        if n + 1 in leaders:
            return None
        before = code[n]
        first = before.operands[0] if before.operands else None
        if isinstance(first, PhysReg) and first.file == "s" and first.first <= source.first < first.first + first.count:
            value = before.operands[1] if len(before.operands) == 2 else None
            known = (
                before.name in ("s_mov_b32", "s_movk_i32") and isinstance(value, Imm) and isinstance(value.value, int)
            )
            return (
                value.value & 0xFFFFFFFF if known and isinstance(value, Imm) and isinstance(value.value, int) else None
            )
    return None


def after(mode: Mode, i: MCInst, held: int | None = None) -> Mode:
    """MODE behind an instruction. `held`: what the register of s_setreg_b32 holds (see `constant`). Raises
    UnsupportedForm where the text does not say what it becomes."""
    if i.name == "s_set_gpr_idx_off":
        return Mode(mode.word & ~INDEXING, 0)
    if i.name == "s_set_gpr_idx_on":
        return Mode(mode.word | INDEXING, index_mask(i.operands[1]))
    if i.name == "s_set_gpr_idx_mode":
        return Mode(mode.word, index_mask(i.operands[0]) if mode.word & INDEXING else 0)
    if "setreg" not in i.desc.classes:
        return Mode(mode.word, DYNAMIC) if mode.word & INDEXING and _writes_m0(i) else mode
    number, shift, width = hardware_register(i.operands[0])
    if number != MODE:
        return mode
    given = i.operands[1]
    value = given.value if isinstance(given, Imm) and isinstance(given.value, int) else held
    if value is None:
        raise UnsupportedForm(
            "MODE is set from a register: what arithmetic means behind it is not known before it runs"
        )
    ones = ((1 << width) - 1) << shift
    word = mode.word & ~ones & 0xFFFFFFFF | value << shift & ones
    return Mode(word, mode.indexed if not (word ^ mode.word) & INDEXING else DYNAMIC if word & INDEXING else 0)


def through(mode: Mode, code: Sequence[MCInst], first: int, end: int) -> Mode | None:
    """MODE behind the instructions of a block, None where it is not known."""
    try:
        for i in code[first:end]:
            held = constant(code, (first,), i) if "setreg" in i.desc.classes else None
            mode = after(mode, i, held)
    except UnsupportedForm:
        return None
    return mode


def at_blocks(
    code: Sequence[MCInst], ranges: Sequence[tuple[int, int]], successors: Sequence[Iterable[int]], start: Mode
) -> list[Mode | None]:
    """MODE at the start of each block, None where it depends on the way there. `ranges` are the blocks' instructions,
    the entry's first; `successors` the numbers of the blocks that each may go to. Blocks that nothing goes to by name
    (where computed jumps go) start like the entry."""
    found: dict[int, Mode | None] = {0: start}
    work = [0]
    while work:
        n = work.pop()
        first, end = ranges[n]
        here = found[n]
        out = None if here is None else through(here, code, first, end)
        for s in successors[n]:
            new = out if s not in found else meet(found[s], out)
            if s not in found or found[s] != new:
                found[s] = new
                work.append(s)
        if not work:
            rest = [k for k in range(len(ranges)) if k not in found]
            if rest:
                found[rest[0]] = start
                work.append(rest[0])
    return [found[n] for n in range(len(ranges))]
