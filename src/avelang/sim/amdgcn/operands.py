"""Operands of vector instructions with their modifiers come in; the values that instructions compute with go out, and
results go to registers.

Sub-dword selection (SDWA), lanes' data from other lanes (DPP), op_sel, packed halves, neg, abs, sext, clamp and omod
stand here; `BlockTranslator` has a method for each function. Source: AMD Instinct MI300 ISA, sections 6.2 (operands),
6.4 (denormals), 6.5 (clamp), 6.7 (packed math), 13.3.7 to 13.3.9 (SDWA, SDWAB, DPP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from avelang.amdgcn.asm import Imm, MCInst, Name, Operand, PhysReg, float_bits
from avelang.sim.amdgcn.faults import UnsupportedForm
from avelang.sim.amdgcn.state import FILES, LANES, PRIVATE_BASE, SHARED_BASE

if TYPE_CHECKING:
    from avelang.sim.amdgcn.translator import BlockTranslator

FLOATS = {16: "half", 32: "float", 64: "double"}
EXPONENT = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0000000000000}
SELECTS = {
    "BYTE_0": (0, 8), "BYTE_1": (8, 8), "BYTE_2": (16, 8), "BYTE_3": (24, 8), "WORD_0": (0, 16), "WORD_1": (16, 16),
    "DWORD": (0, 32),
}  # fmt: skip
SDWA = ("dst_sel", "dst_unused", "src0_sel", "src1_sel")
ALL = (1 << LANES) - 1

# 1 / (2 pi) as an inline constant; the double is not the f32 made longer.
INVERSE_TWO_PI = {16: 0x3118, 32: 0x3E22F983, 64: 0x3FC45F306DC9C882}

APERTURES = {
    "src_shared_base": SHARED_BASE, "src_shared_limit": SHARED_BASE | 0xFFFFFFFF,
    "src_private_base": PRIVATE_BASE, "src_private_limit": PRIVATE_BASE | 0xFFFFFFFF,
}  # fmt: skip


def first_source(i: MCInst) -> int:
    """Index of the operand src0."""
    return max(1, sum(o.written > 0 and not o.read for o in i.desc.operands))


def immediate(x: Imm, bits: int, floating: bool, signed: bool = False) -> int:
    """The pattern of a constant in an operand of so many bits (MI300 ISA, section 6.2.1). A literal has 32 bits: in a
    64-bit float it is the upper half, in a 64-bit integer it is extended by zeros, or by its sign where the
    instruction's type is signed."""
    if isinstance(x.value, float):
        if x.inline and abs(x.value - 0.15915494) < 1e-6:
            return INVERSE_TWO_PI[bits]
        pattern = float_bits(x.value, bits)
        return pattern if bits < 64 or x.inline else pattern >> 32 << 32
    value = x.value
    if bits == 64 and not x.inline:
        value &= 0xFFFFFFFF
        if floating:
            value <<= 32
        elif signed and value >> 31:
            value |= 0xFFFFFFFF << 32
    return value & (1 << bits) - 1


def named(t: BlockTranslator, o: Name, bits: int) -> str | None:
    """A named source that is no symbol, an i32 or i64; None where the name is a symbol's."""
    name = o.name if o.name.startswith("src_") else "src_" + o.name
    if name in APERTURES:
        if bits != 64:
            raise UnsupportedForm(f"{name} holds 64 bits; what 32 of them read as is not documented")
        return str(APERTURES[name])
    if name in ("src_vccz", "src_execz"):
        bit = t.op(f"icmp eq i64 {t.vcc() if name == 'src_vccz' else t.exec()}, 0")
        return t.op(f"zext i1 {bit} to i{bits}")
    if name in ("src_pops_exiting_wave_id", "src_lds_direct", "src_null"):
        raise UnsupportedForm(f"{name} is not modeled")
    return None


# -- lanes of other lanes ----------------------------------------------------------------------------------------------


def _shift(n: int, by: int, row: int) -> int:
    return n + by if n // row == (n + by) // row and n + by >= 0 else -1


# For each lane, which lane's data a DPP control reads; -1 where there is none.
CONTROLS = {
    "row_shl": lambda n, x: _shift(n, x, 16), "row_shr": lambda n, x: _shift(n, -x, 16),
    "row_ror": lambda n, x: n // 16 * 16 + (n - x) % 16, "wave_shl": lambda n, x: _shift(n, x, 64),
    "wave_rol": lambda n, x: (n + x) % 64, "wave_shr": lambda n, x: _shift(n, -x, 64),
    "wave_ror": lambda n, x: (n - x) % 64, "row_mirror": lambda n, x: n // 16 * 16 + 15 - n % 16,
    "row_half_mirror": lambda n, x: n // 8 * 8 + 7 - n % 8,
    "row_bcast": lambda n, x: (n & (0x30 if x == 15 else 0x20)) - 1 if n > x else -1,
    "row_newbcast": lambda n, x: n // 16 * 16 + x,
}  # fmt: skip


def dpp(i: MCInst) -> tuple[str, tuple[int, ...]] | None:
    """The DPP movement of an instruction's src0: a name, and for each lane the lane it reads (-1: none). None without
    DPP."""
    quad = i.mods.get("quad_perm")
    if isinstance(quad, tuple):
        return "quad_" + "".join(map(str, quad)), tuple(n // 4 * 4 + quad[n % 4] for n in range(LANES))
    for name, rule in CONTROLS.items():
        if name in i.mods:
            x = i.int(name)
            return f"{name}_{x}", tuple(rule(n, x) for n in range(LANES))
    return None


def dpp_lanes(t: BlockTranslator, i: MCInst) -> str:
    """The lanes that DPP lets an instruction write, EXEC apart, an i64: those of row_mask and bank_mask, and without
    bound_ctrl those whose source lane is there and active. "-1" without DPP."""
    if (moved := dpp(i)) is None:
        return "-1"
    rows, banks = i.int("row_mask", 15), i.int("bank_mask", 15)
    static = sum(1 << n for n in range(LANES) if rows >> n // 16 & 1 and banks >> n % 16 // 4 & 1)
    name, lanes = moved
    if "bound_ctrl" in i.mods:
        return "-1" if static == ALL else str(static)
    there = sum(1 << n for n in range(LANES) if lanes[n] >= 0)
    if t.exec() == "-1":
        return "-1" if static & there == ALL else str(static & there)
    key = ("dpp", name, t.exec())
    if (found := t.memo(key)) is None:
        helper = t.helper(f"ave_dpp_{name}", lambda: _valid(f"ave_dpp_{name}", lanes, there))
        found = t.remember(key, t.op(f"call i64 {helper}(i64 {t.exec()})"))
    return found if static == ALL else t.op(f"and i64 {found}, {static}")


def _valid(name: str, lanes: tuple[int, ...], there: int) -> str:
    """i64 name(i64 exec): the lanes whose source lane is there and active."""
    pick = ", ".join(f"i32 {x if x >= 0 else LANES}" for x in lanes)
    return f"""
define internal i64 @{name}(i64 %exec) noinline memory(none) #0 {{
entry:
  %all = icmp eq i64 %exec, -1
  br i1 %all, label %full, label %part
full:
  ret i64 {there}
part:
  %lanes = bitcast i64 %exec to <64 x i1>
  %bytes = sext <64 x i1> %lanes to <64 x i8>
  %moved = shufflevector <64 x i8> %bytes, <64 x i8> zeroinitializer, <64 x i32> <{pick}>
  %set = icmp ne <64 x i8> %moved, zeroinitializer
  %word = bitcast <64 x i1> %set to i64
  ret i64 %word
}}"""


def shuffle(t: BlockTranslator, value: str, e: str, lanes: tuple[int, ...]) -> str:
    """Each lane's element of another lane, 0 where the number is -1."""
    pick = ", ".join(f"i32 {x if x >= 0 else LANES}" for x in lanes)
    return t.op(f"shufflevector {t.t(e)} {value}, {t.t(e)} zeroinitializer, <{LANES} x i32> <{pick}>")


def _moved(t: BlockTranslator, i: MCInst, value: str, bits: int) -> str:
    """`value` with the DPP movement of the instruction: 0 where the source lane is not there or not active."""
    if (moved := dpp(i)) is None:
        return value
    v = t.t(f"i{bits}")
    if "bound_ctrl" in i.mods and t.exec() != "-1":
        value = t.op(f"select {t.t('i1')} {t.mask()}, {v} {value}, {v} zeroinitializer")
    return shuffle(t, value, f"i{bits}", moved[1])


# -- sources -----------------------------------------------------------------------------------------------------------


def is_sdwa(i: MCInst) -> bool:
    """True for SDWA instructions, which select parts of their operands."""
    return i.form == "sdwa" or any(x in i.mods for x in SDWA)


def source(t: BlockTranslator, o: Operand, bits: int, k: int = 0, floating: bool = False) -> str:
    """A vector operand without its modifiers, <64 x iN> of 16, 32 or 64 bits; `k` registers behind its first."""
    e = f"i{bits}"
    if isinstance(o, PhysReg) and o.file in FILES:
        low = t.vector(o.file, o.first + k)
        if bits == 64:
            return t.wide(low, t.vector(o.file, o.first + k + 1))
        return low if bits == 32 else t.op(f"trunc {t.t('i32')} {low} to {t.t(e)}")
    if isinstance(o, Imm):
        if bits == 16 and isinstance(o.value, float) and not floating:
            raise UnsupportedForm("a float as a constant of a 16-bit integer operand")
        return t.splat(str(immediate(o, bits, floating, t.signed())), e)
    if isinstance(o, PhysReg):
        return t.splat(t.pair(o.first + k) if bits == 64 else _part(t, t.scalar(o.first + k), bits), e)
    return t.splat(t.scalar_source(o, 64) if bits == 64 else _part(t, t.scalar_source(o, 32), bits), e)


def _part(t: BlockTranslator, word: str, bits: int) -> str:
    return (
        word
        if bits == 32
        else t.op(f"trunc i32 {word} to i{bits}")
        if word.startswith("%")
        else str(int(word) & (1 << bits) - 1)
    )


def word_at(t: BlockTranslator, o: Operand, floating: bool) -> str:
    """A 32-bit operand of packed or selected halves. An f16 constant stands in the lower half, an integer one has its
    sign in the upper."""
    if isinstance(o, Imm) and isinstance(o.value, float) and floating:
        return t.splat(str(immediate(o, 16, True)), "i32")
    return source(t, o, 32)


def half(t: BlockTranslator, word: str, upper: int) -> str:
    """One half of <64 x i32> as <64 x i16>."""
    i32 = t.t("i32")
    if upper:
        word = t.op(f"lshr {i32} {word}, splat (i32 16)")
    return t.op(f"trunc {i32} {word} to {t.t('i16')}")


def source_at(t: BlockTranslator, i: MCInst, n: int, bits: int = 32, floating: bool = False) -> str:
    """Operand `n` as <64 x iN> of 16, 32 or 64 bits, with all that its modifiers say."""
    o = i.operands[n]
    k = n - first_source(i)
    if k < 0:
        return source(t, o, bits, 0, floating)
    if not floating and not isinstance(o, Name) and (o.neg or o.abs):
        raise UnsupportedForm("neg or abs on an integer operand")
    if is_sdwa(i) and k < 2:
        value = _selected(t, i, o, str(i.mods.get(f"src{k}_sel", "DWORD")), bits, floating)
    elif bits == 16 and i.bits("op_sel", 4)[k]:
        value = half(t, word_at(t, o, floating), 1)
    else:
        value = source(t, o, bits, 0, floating)
    if k == 0:
        value = _moved(t, i, value, bits)
    return value if isinstance(o, Name) else signs(t, value, bits, o.neg, o.abs)


def signs(t: BlockTranslator, value: str, bits: int, neg: bool | int, absolute: bool | int = False) -> str:
    """abs, then neg, on the sign bits of floats held as integers."""
    v, top = t.t(f"i{bits}"), 1 << bits - 1
    if absolute:
        value = t.op(f"and {v} {value}, splat (i{bits} {top - 1})")
    return t.op(f"xor {v} {value}, splat (i{bits} {top})") if neg else value


def _selected(t: BlockTranslator, i: MCInst, o: Operand, select: str, bits: int, floating: bool) -> str:
    """What SDWA selects of an operand, extended to its width."""
    if bits == 64 or select not in SELECTS:
        raise UnsupportedForm(f"{select} of a {bits}-bit operand")
    shift, width = SELECTS[select]
    if bits == 32 and width < 32 and not isinstance(o, Name) and (o.neg or o.abs):
        raise UnsupportedForm(f"neg or abs on {select} of a 32-bit operand")
    if bits == 16 and isinstance(o, Imm) and isinstance(o.value, float) and not floating:
        raise UnsupportedForm("a float as a constant of a 16-bit integer operand")
    word, i32 = word_at(t, o, floating) if bits == 16 else source(t, o, 32), t.t("i32")
    if width < 32 and isinstance(o, PhysReg) and o.sext:
        up = t.op(f"shl {i32} {word}, splat (i32 {32 - shift - width})") if shift + width < 32 else word
        word = t.op(f"ashr {i32} {up}, splat (i32 {32 - width})")
    elif width < 32:
        down = t.op(f"lshr {i32} {word}, splat (i32 {shift})") if shift else word
        word = t.op(f"and {i32} {down}, splat (i32 {(1 << width) - 1})") if shift + width < 32 else down
    return word if bits == 32 else t.op(f"trunc {i32} {word} to {t.t('i16')}")


def float_at(t: BlockTranslator, i: MCInst, n: int, bits: int = 32, flush: bool = True) -> str:
    """Operand `n` as floats; denormals are zeros where MODE says so, unless the instruction ignores MODE (`flush`)."""
    t.mode.check(bits)
    value = source_at(t, i, n, bits, floating=True)
    if flush and t.mode.flushes_sources(bits):
        value = flushed(t, value, bits)
    return t.op(f"bitcast {t.t(f'i{bits}')} {value} to {t.t(FLOATS[bits])}")


def flushed(t: BlockTranslator, value: str, bits: int) -> str:
    """Floats held as integers, with denormals made zeros of the same sign."""
    v = t.t(f"i{bits}")
    exponent = t.op(f"and {v} {value}, splat (i{bits} {EXPONENT[bits]})")
    tiny = t.op(f"icmp eq {v} {exponent}, zeroinitializer")
    zero = t.op(f"and {v} {value}, splat (i{bits} {1 << bits - 1})")
    return t.op(f"select {t.t('i1')} {tiny}, {v} {zero}, {v} {value}")


def packed_at(t: BlockTranslator, i: MCInst, n: int, bits: int = 16, floating: bool = False) -> tuple[str, str]:
    """Sources of the lower and the upper result of a packed instruction in operand `n`, as op_sel and op_sel_hi say:
    <64 x i16> halves of a register, or with bits=32 <64 x i32> registers of a pair. neg_lo and neg_hi are left to
    `packed_float_at`."""
    o, k = i.operands[n], n - first_source(i)
    picks = i.bits("op_sel", 4)[k], i.bits("op_sel_hi", 4, 1)[k]
    if bits == 16:
        word = word_at(t, o, floating)
        lo = half(t, word, picks[0])
        return lo, lo if picks[0] == picks[1] else half(t, word, picks[1])
    if isinstance(o, PhysReg):
        lo, hi = (source(t, o, 32, pick) for pick in picks)
        return lo, hi
    # Zero is zero in both halves, whichever way the upper one is made.
    if any(picks) and not (isinstance(o, Imm) and o.value == 0):
        raise UnsupportedForm(
            "the upper half of a constant, which the manual does not define for pairs of registers; op_sel_hi can "
            "avoid it"
        )
    lo = source(t, o, 32)
    return lo, lo


def packed_float_at(t: BlockTranslator, i: MCInst, n: int, bits: int = 16) -> tuple[str, str]:
    """`packed_at` as floats, with neg_lo and neg_hi."""
    t.mode.check(bits)
    k = n - first_source(i)
    out = []
    for value, name in zip(packed_at(t, i, n, bits, True), ("neg_lo", "neg_hi"), strict=True):
        value = signs(t, value, bits, i.bits(name, 4)[k])
        value = flushed(t, value, bits) if t.mode.flushes_sources(bits) else value
        out.append(t.op(f"bitcast {t.t(f'i{bits}')} {value} to {t.t(FLOATS[bits])}"))
    return out[0], out[1]


def mix_at(t: BlockTranslator, i: MCInst, n: int) -> str:
    """Operand `n` of v_fma_mix_f32 and its like, <64 x float>: f32, or with op_sel_hi the half of a register that
    op_sel names."""
    o, k = i.operands[n], n - first_source(i)
    if not i.bits("op_sel_hi", 4)[k]:
        return float_at(t, i, n)
    t.mode.check(16)
    value = half(t, word_at(t, o, True), i.bits("op_sel", 4)[k])
    value = flushed(t, value, 16) if t.mode.flushes_sources(16) else value
    if not isinstance(o, Name):
        value = signs(t, value, 16, o.neg, o.abs)
    f16 = t.op(f"bitcast {t.t('i16')} {value} to {t.t('half')}")
    return t.op(f"fpext {t.t('half')} {f16} to {t.t('float')}")


# -- results -----------------------------------------------------------------------------------------------------------


def result_at(t: BlockTranslator, i: MCInst, value: str, bits: int = 32, n: int = 0, clamped: bool = False) -> None:
    """Writes operand `n` from <64 x iN> of 16, 32 or 64 bits. An integer instruction that has clamped its result says
    so with `clamped`."""
    if i.int("clamp") and not clamped:
        raise UnsupportedForm("clamp on this instruction")
    o = i.operands[n]
    if not isinstance(o, PhysReg) or o.file not in FILES:
        raise UnsupportedForm(f"{o} is no vector destination")
    if n == 0 and is_sdwa(i):
        value = _deposited(t, i, o, value, bits)
    elif bits == 16:
        value = _halves(t, i, o, value)
    lanes = dpp_lanes(t, i) if n == 0 else "-1"
    words = _split(t, value) if bits == 64 else [value]
    for k, word in enumerate(words):
        if lanes != "-1":
            kept = t.vector(o.file, o.first + k)
            word = t.op(
                f"select {t.t('i1')} {t.lanes_of(t.both(lanes, t.exec()))}, {t.t('i32')} {word}, {t.t('i32')} {kept}"
            )
        t.set_vector(o.file, o.first + k, word, masked=lanes == "-1")


def _split(t: BlockTranslator, value: str) -> list[str]:
    i32, i64 = t.t("i32"), t.t("i64")
    return [t.op(f"trunc {i64} {x} to {i32}") for x in (value, t.op(f"lshr {i64} {value}, splat (i64 32)"))]


def _halves(t: BlockTranslator, i: MCInst, o: PhysReg, value: str) -> str:
    """A 16-bit result in its register. Most write zeros to the upper half; those of the class "half" leave it alone,
    and can go there with op_sel (LLVM, GCNSubtarget::zeroesHigh16BitsOfDest: "mostly derived from experimentation")."""
    i32 = t.t("i32")
    word = t.op(f"zext {t.t('i16')} {value} to {i32}")
    sources = len(i.operands) - first_source(i)
    if "half" not in i.desc.classes:
        return word
    upper = i.bits("op_sel", 4)[sources]
    kept = t.op(f"and {i32} {t.vector(o.file, o.first)}, splat (i32 {0xFFFF if upper else 0xFFFF0000})")
    if upper:
        word = t.op(f"shl {i32} {word}, splat (i32 16)")
    return t.op(f"or {i32} {kept}, {word}")


def _deposited(t: BlockTranslator, i: MCInst, o: PhysReg, value: str, bits: int) -> str:
    """The register after SDWA has put a result into the part that dst_sel names."""
    select, unused = str(i.mods.get("dst_sel", "DWORD")), str(i.mods.get("dst_unused", "UNUSED_PAD"))
    if bits == 64 or select not in SELECTS:
        raise UnsupportedForm(f"{select} of a {bits}-bit result")
    i32 = t.t("i32")
    word = value if bits == 32 else t.op(f"zext {t.t('i16')} {value} to {i32}")
    shift, width = SELECTS[select]
    if width == 32:
        return word
    ones = (1 << width) - 1
    if unused == "UNUSED_SEXT":
        up = t.op(f"shl {i32} {word}, splat (i32 {32 - width})")
        down = t.op(f"ashr {i32} {up}, splat (i32 {32 - width - shift})") if shift + width < 32 else up
        return down
    part = t.op(f"and {i32} {word}, splat (i32 {ones})")
    part = t.op(f"shl {i32} {part}, splat (i32 {shift})") if shift else part
    if unused == "UNUSED_PAD":
        return part
    kept = t.op(f"and {i32} {t.vector(o.file, o.first)}, splat (i32 {~(ones << shift) & 0xFFFFFFFF})")
    return t.op(f"or {i32} {kept}, {part}")


def finished(t: BlockTranslator, i: MCInst, value: str, bits: int) -> str:
    """Floats after omod, flushing and clamp, as integers. omod does nothing in IEEE mode and where denormal results are
    kept; where it is applied, -0 becomes 0."""
    t.mode.check(bits)
    f, v = t.t(FLOATS[bits]), t.t(f"i{bits}")
    factor = "2.0" if i.int("mul") == 2 else "4.0" if i.int("mul") == 4 else "0.5" if i.int("div") == 2 else ""
    flush = t.mode.flushes_results(bits)
    scaled = factor and not t.mode.ieee and flush
    if scaled:
        value = t.op(f"fmul {f} {value}, {t.splat(factor, FLOATS[bits])}")
    if i.int("clamp"):
        low = "ogt" if t.mode.clamps_nan else "ugt"
        value = t.op(
            f"select {t.t('i1')} {t.op(f'fcmp {low} {f} {value}, zeroinitializer')}, {f} {value}, {f} zeroinitializer"
        )
        one = t.splat("1.0", FLOATS[bits])
        value = t.op(f"select {t.t('i1')} {t.op(f'fcmp ogt {f} {value}, {one}')}, {f} {one}, {f} {value}")
    word = t.op(f"bitcast {f} {value} to {v}")
    if flush:
        word = flushed(t, word, bits)
    if scaled:
        minus = t.op(f"icmp eq {v} {word}, splat (i{bits} {1 << bits - 1})")
        word = t.op(f"select {t.t('i1')} {minus}, {v} zeroinitializer, {v} {word}")
    return word


def packed_result(t: BlockTranslator, i: MCInst, lo: str, hi: str, bits: int = 16, clamped: bool = False) -> None:
    """Writes operand 0 of a packed instruction from two <64 x i16> halves or, with bits=32, two <64 x i32>
    registers."""
    if i.int("clamp") and not clamped:
        raise UnsupportedForm("clamp on this instruction")
    o, i32 = i.operands[0], t.t("i32")
    if bits == 32:
        t.set_result(o, lo)
        return t.set_result(o, hi, k=1)
    low, high = (t.op(f"zext {t.t('i16')} {x} to {i32}") for x in (lo, hi))
    up = t.op(f"shl {i32} {high}, splat (i32 16)")
    t.set_result(o, t.op(f"or {i32} {up}, {low}"))
