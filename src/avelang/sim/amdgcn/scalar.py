"""Handlers of scalar ALU instructions: SOP1, SOP2, SOPK and SOPC. Source: AMD Instinct MI300 ISA, sections 5.3 to 5.7
and 12.1 to 12.4.

Rules write LLVM IR for values: an instruction's sources go in as texts, its result comes out. What SCC becomes stands
in the tables.
"""

from __future__ import annotations

from collections.abc import Callable

from avelang.amdgcn.asm import EXEC, M0, Imm, MCInst, Operand, PhysReg
from avelang.llvm.narrow_floats import Bits
from avelang.llvm.writer import ElementWriter
from avelang.sim.amdgcn.faults import UnsupportedForm
from avelang.sim.amdgcn.translator import BlockTranslator, Handler

Two = Callable[[Bits, str, str], str]
One = Callable[[Bits, str], str]
LAST_SGPR = 107  # of those that s_movrel may reach: VCC stands behind the others


def _bits(t: BlockTranslator, bits: int) -> Bits:
    return Bits(t, False, bits)


def _cast(t: ElementWriter, x: str, a: int, b: int, signed: bool = False) -> str:
    """An integer of `a` bits as one of `b` bits."""
    return x if a == b else t.op(f"{'trunc' if b < a else 'sext' if signed else 'zext'} i{a} {x} to i{b}")


def _flag(t: BlockTranslator, value: str, bits: int) -> None:
    t.set_scc(t.op(f"icmp ne i{bits} {value}, 0"))


# -- results that SCC compares with zero, or leaves alone --------------------------------------------------------------


def _binary(rule: Two, bits: int, flag: bool, second: int = 0) -> Handler:
    """D = rule(S0, S1); `second`: bits of S1 where they are not those of S0 and D."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a, b = i.operands
        value = rule(_bits(t, bits), t.scalar_source(a, bits), t.scalar_source(b, second or bits))
        t.set_scalar_result(d, value, bits)
        if flag:
            _flag(t, value, bits)

    return handler


def _unary(rule: One, source: int, result: int, flag: bool) -> Handler:
    """D = rule(S0)."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a = i.operands
        value = rule(_bits(t, source), t.scalar_source(a, source))
        t.set_scalar_result(d, value, result)
        if flag:
            _flag(t, value, result)

    return handler


def _not(rule: Two) -> Two:
    return lambda b, x, y: b("xor", rule(b, x, y), -1)


def _simple(op: str) -> Two:
    return lambda b, x, y: b(op, x, y)


LOGIC: dict[str, Two] = {
    "and": _simple("and"), "or": _simple("or"), "xor": _simple("xor"),
    "andn2": lambda b, x, y: b("and", x, b("xor", y, -1)),
    "orn2": lambda b, x, y: b("or", x, b("xor", y, -1)),
    "nand": _not(_simple("and")), "nor": _not(_simple("or")), "xnor": _not(_simple("xor")),
}  # fmt: skip
FIRST_NOT: dict[str, Two] = {
    "andn1": lambda b, x, y: b("and", b("xor", x, -1), y),
    "orn1": lambda b, x, y: b("or", b("xor", x, -1), y),
}


def _count(b: Bits, x: str) -> str:
    """A number of bits of a source, from the low bits of S1."""
    return _cast(b.w, b.w.op(f"and i32 {x}, {b.bits - 1}"), 32, b.bits)


def _shift(op: str) -> Two:
    return lambda b, x, y: b(op, x, _count(b, y))


def _mask(b: Bits, width: str) -> str:
    """The lowest `width` bits, all of them where it is not less than the type's."""
    one = b("shl", 1, b("and", width, b.bits - 1))
    return b.select(b.cmp("uge", width, b.bits), -1, b("sub", one, 1))


def _bfm(b: Bits, x: str, y: str) -> str:
    return b("shl", _mask(b, _count(b, x)), _count(b, y))


def _bfe(signed: bool) -> Two:
    """S1: offset in the low bits, width in bits 16 to 22."""

    def rule(b: Bits, x: str, y: str) -> str:
        field = b.w.op(f"and i32 {b.w.op(f'lshr i32 {y}, 16')}, 127")
        width = _cast(b.w, field, 32, b.bits)
        value = b("and", b("ashr" if signed else "lshr", x, _count(b, y)), _mask(b, width))
        if not signed:
            return value
        # Up and down again; a width of 0 leaves 0, and one of all bits or more leaves the value.
        up = b("and", b("sub", b.bits, width), b.bits - 1)
        moved = b("ashr", b("shl", value, up), up)
        return b.select(b.cmp("uge", width, b.bits), value, moved)

    return rule


def _high(signed: bool) -> Two:
    def rule(b: Bits, x: str, y: str) -> str:
        t, ext = b.w, "sext" if signed else "zext"
        long = t.op(f"mul i64 {t.op(f'{ext} i32 {x} to i64')}, {t.op(f'{ext} i32 {y} to i64')}")
        return t.op(f"trunc i64 {t.op(f'lshr i64 {long}, 32')} to i32")

    return rule


def _absolute(b: Bits, x: str) -> str:
    return b.select(b.cmp("slt", x, 0), b("sub", 0, x), x)


def _pack(first: int, second: int) -> Two:
    """Halves of S0 and S1: 0 the lower, 1 the upper; S1's above S0's."""

    def rule(b: Bits, x: str, y: str) -> str:
        low = b("lshr", x, 16) if first else b("and", x, 0xFFFF)
        return b("or", low, b("and", y, 0xFFFF0000) if second else b("shl", y, 16))

    return rule


def _whole_quads(b: Bits, x: str) -> str:
    quads = sum(1 << n for n in range(0, b.bits, 4))
    return b("mul", _any(b, x, quads), 15)


def _any(b: Bits, x: str, quads: int) -> str:
    """Bit 4 n is set where one of the bits 4 n to 4 n + 3 is."""
    pairs = b("or", x, b("lshr", x, 1))
    return b("and", b("or", pairs, b("lshr", pairs, 2)), quads)


def _quad_mask(b: Bits, x: str) -> str:
    value = _any(b, x, sum(1 << n for n in range(0, b.bits, 4)))
    for step in (3, 6, 12, 24)[: 4 if b.bits == 64 else 3]:
        group = (step // 3) * 2
        keep = sum(((1 << group) - 1) << n for n in range(0, b.bits, 4 * group))
        value = b("and", b("or", value, b("lshr", value, step)), keep)
    return value


def _replicate(b: Bits, x: str) -> str:
    value = b.w.op(f"zext i32 {x} to i64")
    long = Bits(b.w, False, 64)
    for step, keep in (
        (16, 0x0000FFFF0000FFFF), (8, 0x00FF00FF00FF00FF), (4, 0x0F0F0F0F0F0F0F0F), (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    ):  # fmt: skip
        value = long("and", long("or", value, long("shl", value, step)), keep)
    return long("or", value, long("shl", value, 1))


def _intrinsic(b: Bits, name: str, x: str, *more: tuple[str, str]) -> str:
    return b.w.call(f"llvm.{name}.i{b.bits}", b.t, (b.t, x), *more)


def _found(name: str, invert: bool = False) -> One:
    """The number of zeros before the first one, from one end; -1 where there is no one."""

    def rule(b: Bits, x: str) -> str:
        x = b("xor", x, -1) if invert else x
        at = _cast(b.w, _intrinsic(b, name, x, ("i1", "false")), b.bits, 32)
        return b.w.op(f"select i1 {b.cmp('eq', x, 0)}, i32 -1, i32 {at}")

    return rule


def _sign_bits(b: Bits, x: str) -> str:
    """How many bits from the top are like the sign; -1 where all are."""
    return _found("ctlz")(b, b("xor", x, b("ashr", x, b.bits - 1)))


def _ones(invert: bool) -> One:
    return lambda b, x: _cast(b.w, _intrinsic(b, "ctpop", b("xor", x, -1) if invert else x), b.bits, 32)


def _extend(bits: int) -> One:
    return lambda b, x: b("ashr", b("shl", x, 32 - bits), 32 - bits)


# -- the others --------------------------------------------------------------------------------------------------------


def _add(t: BlockTranslator, i: MCInst) -> None:
    """SCC is signed overflow, or the carry out."""
    d, a, b = i.operands
    x, y = t.scalar_source(a), t.scalar_source(b)
    kind = {"s_add_i32": "sadd", "s_sub_i32": "ssub", "s_add_u32": "uadd", "s_sub_u32": "usub"}[i.name]
    _overflow(t, d, kind, x, y)


def _overflow(t: BlockTranslator, d: Operand, kind: str, x: str, y: str) -> None:
    both = t.call(f"llvm.{kind}.with.overflow.i32", "{ i32, i1 }", ("i32", x), ("i32", y))
    t.set_scalar_result(d, t.op(f"extractvalue {{ i32, i1 }} {both}, 0"))
    t.set_scc(t.op(f"extractvalue {{ i32, i1 }} {both}, 1"))


def _sum(rule: Callable[[BlockTranslator, Bits, str, str], str]) -> Handler:
    """A sum of 64 bits: the lower word is the result, SCC whether the upper one is not zero."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a, b = i.operands
        x, y = (_cast(t, t.scalar_source(o), 32, 64) for o in (a, b))
        total = rule(t, _bits(t, 64), x, y)
        t.set_scalar_result(d, _cast(t, total, 64, 32))
        _flag(t, t.op(f"lshr i64 {total}, 32"), 64)

    return handler


def _carry(t: BlockTranslator) -> str:
    return t.op(f"zext i1 {t.scc()} to i64")


def _shifted_add(by: int) -> Handler:
    return _sum(lambda t, b, x, y: b("add", b("shl", x, by), y))


def _extreme(pred: str) -> Handler:
    """SCC says that S0 is the result."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a, b = i.operands
        x, y = t.scalar_source(a), t.scalar_source(b)
        first = t.op(f"icmp {pred} i32 {x}, {y}")
        t.set_scalar_result(d, t.op(f"select i1 {first}, i32 {x}, i32 {y}"))
        t.set_scc(first)

    return handler


def _move(bits: int) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a = i.operands
        t.set_scalar_result(d, t.scalar_source(a, bits), bits)

    return handler


def _select(bits: int) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a, b = i.operands
        x, y = t.scalar_source(a, bits), t.scalar_source(b, bits)
        t.set_scalar_result(d, t.op(f"select i1 {t.scc()}, i{bits} {x}, i{bits} {y}"), bits)

    return handler


def _conditional_move(bits: int) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a = i.operands
        x = str(short(a)) if i.name == "s_cmovk_i32" else t.scalar_source(a, bits)
        t.set_scalar_result(d, t.op(f"select i1 {t.scc()}, i{bits} {x}, i{bits} {t.scalar_source(d, bits)}"), bits)

    return handler


def _compare(pred: str, bits: int) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        a, b = i.operands
        x, y = t.scalar_source(a, bits), t.scalar_source(b, bits)
        t.set_scc(t.op(f"icmp {pred} i{bits} {x}, {y}"))

    return handler


def short(o: Operand, signed: bool = True) -> int:
    """A constant of 16 bits, extended."""
    if not isinstance(o, Imm) or not isinstance(o.value, int):
        raise UnsupportedForm("its constant is not a number")
    value = o.value & 0xFFFF
    return value - 0x10000 if signed and value >> 15 else value


def _compare_short(pred: str, signed: bool) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        a, b = i.operands
        t.set_scc(t.op(f"icmp {pred} i32 {t.scalar_source(a)}, {short(b, signed)}"))

    return handler


def _move_short(t: BlockTranslator, i: MCInst) -> None:
    t.set_scalar_result(i.operands[0], str(short(i.operands[1])))


def _add_short(t: BlockTranslator, i: MCInst) -> None:
    d, a = i.operands
    _overflow(t, d, "sadd", t.scalar_source(d), str(short(a)))


def _multiply_short(t: BlockTranslator, i: MCInst) -> None:
    d, a = i.operands
    t.set_scalar_result(d, t.op(f"mul i32 {t.scalar_source(d)}, {short(a)}"))


def _test_bit(bits: int, wanted: int) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        a, y = i.operands
        b = _bits(t, bits)
        bit = b("and", b("lshr", t.scalar_source(a, bits), _count(b, t.scalar_source(y))), 1)
        t.set_scc(b.cmp("eq", bit, wanted))

    return handler


def _set_bit(bits: int, to: int) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a = i.operands
        b = _bits(t, bits)
        one = b("shl", 1, _count(b, t.scalar_source(a)))
        old = t.scalar_source(d, bits)
        t.set_scalar_result(d, b("or", old, one) if to else b("and", old, b("xor", one, -1)), bits)

    return handler


def _exec_logic(rule: Two, saves: bool) -> Handler:
    """EXEC = rule(S0, EXEC), SCC says whether lanes are left. D is EXEC as it was (saveexec) or as it has become
    (wrexec)."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a = i.operands
        old = t.exec()
        new = rule(_bits(t, 64), t.scalar_source(a, 64), old)
        t.set_scalar_result(d, old if saves else new, 64)
        t.set_pair(EXEC, new)
        _flag(t, new, 64)

    return handler


def _moved_place(t: BlockTranslator, o: Operand, words: int) -> str:
    """A pointer to the scalar register that lies M0 behind `o`; the wave's memory is true."""
    if not isinstance(o, PhysReg) or o.file != "s":
        raise UnsupportedForm("it moves no scalar register")
    at = t.op(f"add i32 {t.scalar(M0)}, {o.first}")
    t.stop_if(t.op(f"icmp ugt i32 {at}, {LAST_SGPR + 1 - words}"), "its index leads past the last SGPR")
    t.flush()
    return t.op(f"getelementptr i32, ptr %w, i32 {at}")


def _move_from(bits: int) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a = i.operands
        t.set_scalar_result(d, t.op(f"load i{bits}, ptr {_moved_place(t, a, bits // 32)}, align 4"), bits)

    return handler


def _move_to(bits: int) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a = i.operands
        value = t.scalar_source(a, bits)
        t.do(f"store i{bits} {value}, ptr {_moved_place(t, d, bits // 32)}, align 4")
        t.forget()

    return handler


PREDICATES = {
    "eq": ("eq", "eq"), "lg": ("ne", "ne"), "gt": ("sgt", "ugt"), "ge": ("sge", "uge"), "lt": ("slt", "ult"),
    "le": ("sle", "ule"),
}  # fmt: skip
SIZES = (32, 64)

TABLE: dict[str, Handler] = {
    # SOP2
    **dict.fromkeys(("s_add_i32", "s_sub_i32", "s_add_u32", "s_sub_u32"), _add),
    "s_addc_u32": _sum(lambda t, b, x, y: b("add", b("add", x, y), _carry(t))),
    "s_subb_u32": _sum(lambda t, b, x, y: b("sub", b("sub", x, y), _carry(t))),
    **{f"s_lshl{n}_add_u32": _shifted_add(n) for n in (1, 2, 3, 4)},
    "s_min_i32": _extreme("slt"), "s_min_u32": _extreme("ult"), "s_max_i32": _extreme("sge"),
    "s_max_u32": _extreme("uge"),
    **{f"s_cselect_b{n}": _select(n) for n in SIZES},
    **{f"s_{name}_b{n}": _binary(rule, n, True) for name, rule in LOGIC.items() for n in SIZES},
    **{f"s_{name}_b{n}": _binary(_shift(op), n, True, 32) for name,
        op in (("lshl", "shl"), ("lshr", "lshr")) for n in SIZES},
    **{f"s_ashr_i{n}": _binary(_shift("ashr"), n, True, 32) for n in SIZES},
    **{f"s_bfe_{kind}{n}": _binary(_bfe(kind == "i"), n, True, 32) for kind in "iu" for n in SIZES},
    "s_bfm_b32": _binary(_bfm, 32, False),
    "s_mul_i32": _binary(_simple("mul"), 32, False),
    "s_mul_hi_u32": _binary(_high(False), 32, False), "s_mul_hi_i32": _binary(_high(True), 32, False),
    "s_absdiff_i32": _binary(lambda b, x, y: _absolute(b, b("sub", x, y)), 32, True),
    **{f"s_pack_{name}_b32_b16": _binary(_pack(*halves), 32, False) for name,
        halves in (("ll", (0, 0)), ("lh", (0, 1)), ("hh", (1, 1)))},
    # SOPK
    "s_movk_i32": _move_short, "s_cmovk_i32": _conditional_move(32), "s_addk_i32": _add_short,
    "s_mulk_i32": _multiply_short,
    **{f"s_cmpk_{name}_{kind}32": _compare_short(preds[kind == "u"], kind == "i") for name,
        preds in PREDICATES.items() for kind in "iu"},
    # SOP1
    **{f"s_mov_b{n}": _move(n) for n in SIZES},
    **{f"s_cmov_b{n}": _conditional_move(n) for n in SIZES},
    **{f"s_not_b{n}": _unary(lambda b, x: b("xor", x, -1), n, n, True) for n in SIZES},
    **{f"s_wqm_b{n}": _unary(_whole_quads, n, n, True) for n in SIZES},
    **{f"s_quadmask_b{n}": _unary(_quad_mask, n, n, True) for n in SIZES},
    **{f"s_brev_b{n}": _unary(lambda b, x: _intrinsic(b, "bitreverse", x), n, n, False) for n in SIZES},
    **{f"s_bcnt{what}_i32_b{n}": _unary(_ones(not what), n, 32, True) for what in (0, 1) for n in SIZES},
    **{f"s_ff{what}_i32_b{n}": _unary(_found("cttz", not what), n, 32, False) for what in (0, 1) for n in SIZES},
    **{f"s_flbit_i32_b{n}": _unary(_found("ctlz"), n, 32, False) for n in SIZES},
    "s_flbit_i32": _unary(_sign_bits, 32, 32, False), "s_flbit_i32_i64": _unary(_sign_bits, 64, 32, False),
    "s_sext_i32_i8": _unary(_extend(8), 32, 32, False), "s_sext_i32_i16": _unary(_extend(16), 32, 32, False),
    "s_bitreplicate_b64_b32": _unary(_replicate, 32, 64, False),
    "s_abs_i32": _unary(_absolute, 32, 32, True),
    **{f"s_bitset{to}_b{n}": _set_bit(n, to) for to in (0, 1) for n in SIZES},
    **{f"s_{name}_saveexec_b64": _exec_logic(rule, True) for name, rule in {**LOGIC, **FIRST_NOT}.items()},
    "s_andn1_wrexec_b64": _exec_logic(FIRST_NOT["andn1"], False),
    "s_andn2_wrexec_b64": _exec_logic(LOGIC["andn2"], False),
    **{f"s_movrels_b{n}": _move_from(n) for n in SIZES},
    **{f"s_movreld_b{n}": _move_to(n) for n in SIZES},
    # SOPC
    **{f"s_cmp_{name}_{kind}32": _compare(preds[kind == "u"], 32) for name,
        preds in PREDICATES.items() for kind in "iu"},
    "s_cmp_eq_u64": _compare("eq", 64), "s_cmp_lg_u64": _compare("ne", 64),
    **{f"s_bitcmp{wanted}_b{n}": _test_bit(n, wanted) for wanted in (0, 1) for n in SIZES},
}  # fmt: skip


def _bfm64(t: BlockTranslator, i: MCInst) -> None:
    """s_bfm_b64: its two counts are 32-bit operands."""
    d, a, y = i.operands
    t.set_scalar_result(d, _bfm(_bits(t, 64), t.scalar_source(a), t.scalar_source(y)), 64)


TABLE["s_bfm_b64"] = _bfm64
