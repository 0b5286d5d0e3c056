"""Handlers of conversions between formats: f64, f32, f16, bf16, fp8, integers, normalized integers, and pairs of them
in a register.

Floats become integers toward zero, unless an instruction's name says else; those out of range become the nearest
integer, NaN becomes 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from avelang.amdgcn.asm import MCInst
from avelang.ir.dtypes import DType, bf16, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz
from avelang.llvm.narrow_floats import FP8, narrow, widen
from avelang.llvm.vectors import Ops, function
from avelang.sim.amdgcn.translator import BlockTranslator, Handler, UnsupportedForm
from avelang.sim.amdgcn.vector import Rule, raw, row

# The types of the two 8-bit formats by the chip's kind of fp8.
FP8_TYPES: dict[str, dict[str, DType]] = {
    "fnuz": {"fp8": f8e4m3fnuz, "bf8": f8e5m2fnuz},
    "ocp": {"fp8": f8e4m3fn, "bf8": f8e5m2},
}


def _same(o: Ops, x: str) -> str:
    """Conversions that extending the source and rounding the result does."""
    return x


def _pack(o: Ops, low: str, high: str, bits: int = 16) -> str:
    """Two integers in one, the second above the first; both have no bits beyond theirs."""
    return o("or", low, o("shl", high, bits))


# -- integers ----------------------------------------------------------------------------------------------------------


def to_integer(o: Ops, x: str, kind: str) -> str:
    """Floats toward zero to a kind of integer, "i32" or "u16", saturated; the value is an i32, without sign bits above
    its own."""
    bits, signed = int(kind[1:]), kind[0] == "i"
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    b = o.at("i32")
    value = o.t.op(
        f"fpto{'s' if signed else 'u'}i {o.v} {x} to {b.v}"
    )  # poison where out of range, and not taken there
    value = b.select(o.cmp("oge", x, float(high + 1)), high, value)
    value = b.select(o.cmp("ole", x, float(low)), low, value)
    value = b.select(o.cmp("uno", x, x), 0, value)
    return b("and", value, (1 << bits) - 1) if signed and bits < 32 else value


def _integer(kind: str, first: Callable[[Ops, str], str] = _same) -> Rule:
    return lambda o, x: to_integer(o, first(o, x), kind)


def _number(kind: str) -> Rule:
    """An integer of 16 or 32 bits as a float."""
    return lambda o, x: o.t.op(f"{'s' if kind[0] == 'i' else 'u'}itofp {o.t.t('i' + kind[1:])} {x} to {o.v}")


def _byte(n: int) -> Rule:
    def rule(o: Ops, x: str) -> str:
        b = o.at("i32")
        return _number("u32")(o, b("and", b("lshr", x, 8 * n) if n else x, 255))

    return rule


def _sixteenths(o: Ops, x: str) -> str:
    """4 bits as a signed number of sixteenths."""
    b = o.at("i32")
    return o("fmul", _number("i32")(o, b("ashr", b("shl", x, 28), 28)), 0.0625)


def _saturate_pair(signed: bool) -> Rule:
    def rule(o: Ops, x: str, y: str) -> str:
        limit = (
            (lambda v: o("and", o.fn("smin", o.fn("smax", v, -0x8000), 0x7FFF), 0xFFFF))
            if signed
            else lambda v: o.fn("umin", v, 0xFFFF)
        )
        return _pack(o, limit(x), limit(y))

    return rule


def _saturate_bytes(o: Ops, x: str) -> str:
    """Two signed halves as unsigned bytes."""
    halves = o("ashr", o("shl", x, 16), 16), o("ashr", x, 16)
    return _pack(o, *(o.fn("smin", o.fn("smax", h, 0), 255) for h in halves), bits=8)


def _insert_byte(o: Ops, x: str, place: str, into: str) -> str:
    """S0 as an unsigned byte, in byte S1[1:0] of S2."""
    b = o.at("i32")
    shift = b("shl", b("and", place, 3), 3)
    hole = b("xor", b("shl", 255, shift), -1)
    return b("or", b("and", into, hole), b("shl", to_integer(o, x, "u8"), shift))


# -- normalized integers -----------------------------------------------------------------------------------------------


def normalized(o: Ops, x: str, signed: bool) -> str:
    """-1 to 1, or 0 to 1, as the nearest of -32767 to 32767 or 0 to 65535, ties to even; NaN as 0. The value is an
    i32."""
    d = o.at("double")
    x = o.to("double", "fpext", x)
    low, scale = (-1.0, 32767.0) if signed else (0.0, 65535.0)
    x = d.select(d.cmp("olt", x, low), low, d.select(d.cmp("ogt", x, 1.0), 1.0, x))
    return to_integer(d, d.fn("roundeven", d("fmul", x, scale)), "i16" if signed else "u16")


def _normalized_pair(signed: bool) -> Rule:
    return lambda o, x, y: _pack(o.at("i32"), normalized(o, x, signed), normalized(o, y, signed))


# -- narrow floats -----------------------------------------------------------------------------------------------------


def _half_toward_zero(o: Ops, x: str) -> str:
    """The pattern of an f16, in 32 bits: where the nearest one is greater, the one before."""
    half, b = o.at("half"), o.at("i32")
    near = o.to("half", "fptrunc", x)
    beyond = o.cmp("ogt", o.fn("fabs", half.to(o.e, "fpext", near)), o.fn("fabs", x))
    pattern = half.ints.to("i32", "zext", half.pattern(near))
    return b("add", pattern, o.t.op(f"sext {o.t.t('i1')} {beyond} to {b.v}"))


def _half_pattern(o: Ops, x: str) -> str:
    half = o.at("half")
    return half.ints.to("i32", "zext", half.pattern(o.to("half", "fptrunc", x)))


def _bf16_pattern(o: Ops, x: str) -> str:
    return o.at("i16").to("i32", "zext", narrow(o.t, bf16, True, x))


def _pair(pattern: Callable[[Ops, str], str]) -> Rule:
    return lambda o, x, y: _pack(o.at("i32"), pattern(o, x), pattern(o, y))


def _type(t: BlockTranslator, name: str) -> DType:
    """The type that "fp8" or "bf8" in a mnemonic means."""
    if t.fp8 not in FP8_TYPES:
        raise UnsupportedForm("the chip has no 8-bit floats")
    return FP8_TYPES[t.fp8]["fp8" if "fp8" in name else "bf8"]


def greatest(d: DType) -> float:
    """The greatest finite number of an 8-bit float."""
    f = FP8[d.name]
    return (1 + (f.greatest & (1 << f.mantissa) - 1) / (1 << f.mantissa)) * 2.0 ** ((f.greatest >> f.mantissa) - f.bias)


def bounded(o: Ops, d: DType, x: str) -> str:
    """Floats before they become 8-bit ones: where MODE says so (FP16_OVFL), those that are too great are the greatest.
    The wave stops at an infinity, of which the manuals do not say what becomes there."""
    t = o.t
    if not t.mode.saturates:
        return x
    most = greatest(d)
    size = o.fn("fabs", x)
    lanes = t.op(f"and i64 {t.word_of(o.cmp('oeq', size, math.inf))}, {t.exec()}")
    t.stop_if(
        t.op(f"icmp ne i64 {lanes}, 0"),
        "an infinity where MODE clamps narrow floats that overflow, which is not documented",
    )
    return o.select(o.cmp("ogt", size, most), o.fn("copysign", most, x), x)


def _widen(name: str) -> Rule:
    def rule(o: Ops, x: str) -> str:
        return widen(o.t, _type(o.t, name), True, o.at("i32").to("i8", "trunc", x))

    return rule


def _widen_pair(t: BlockTranslator, i: MCInst) -> None:
    """Two bytes as two floats, in two registers."""
    if i.form not in ("", "e32", "e64", "sdwa"):
        raise UnsupportedForm(f"the form {i.form} of this instruction")
    o, b = Ops(t, "float"), Ops(t, "i32")
    x = t.source_at(i, 1)
    low, high = (_widen(i.name)(o, v) for v in (x, b("lshr", x, 8)))
    t.packed_result(i, o.pattern(low), o.pattern(high), 32)


def _narrow_pair(name: str) -> Rule:
    def rule(o: Ops, x: str, y: str) -> str:
        d = _type(o.t, name)
        return _pack(
            o.at("i16"), *(o.at("i8").to("i16", "zext", narrow(o.t, d, True, bounded(o, d, v))) for v in (x, y)), bits=8
        )

    return rule


def _stochastic_fp8(o: Ops, x: str, noise: str, d: DType, most: float) -> str:
    """An f32 and random bits to an fp8: the bits that the fp8 has no place for are added to by as many of the upper
    random bits, and then cut off. (The manual's text loses the carry out of the f32's mantissa, and rounds to nearest
    after that: a mean far from the number's.)"""
    f, b = FP8[d.name], o.at("i32")
    lost = 23 - f.mantissa
    pattern = o.pattern(x)
    m = b("add", b("and", pattern, 0x7FFFFFFF), b("lshr", noise, 32 - lost))
    m = o.number(b("and", m, -(1 << lost)))
    step = 2.0 ** (1 - f.bias - f.mantissa)
    cut = o(
        "fmul", o.fn("trunc", o("fmul", m, 1 / step)), step
    )  # where the fp8 is denormal, its steps are all the same
    m = o.select(o.cmp("olt", m, 2.0 ** (1 - f.bias)), cut, m)
    if most < math.inf:
        m = o.select(o.cmp("ogt", m, most), most, m)
    signed = o.fn("copysign", m, x)
    finite = o.cmp("olt", o.fn("fabs", x), math.inf)
    return narrow(o.t, d, True, o.select(finite, signed, x))


def _stochastic(t: BlockTranslator, i: MCInst) -> None:
    """The result goes to the byte of the destination that op_sel[2:3] names; the others keep their values."""
    d = _type(t, i.name)
    o, b = Ops(t, "float"), Ops(t, "i32")
    x, noise = bounded(o, d, t.float_at(i, 1)), t.source_at(i, 2)
    most = greatest(d) if t.mode.saturates else math.inf
    name = f"ave_{i.name}{'_bounded' * t.mode.saturates}"
    value = function(t, name, "i8", lambda v, r: _stochastic_fp8(o, v, r, d, most), ("float", x), ("i32", noise))
    picks = i.bits("op_sel", 4)
    shift = 8 * (picks[2] + 2 * picks[3])
    kept = b("and", t.source_at(i, 0), ~(255 << shift) & 0xFFFFFFFF)
    word = o.at("i8").to("i32", "zext", value)
    t.result_at(i, b("or", kept, b("shl", word, shift) if shift else word))


def _pack_halves(t: BlockTranslator, i: MCInst) -> None:
    """The patterns of two f16, with neg and abs."""
    low, high = (Ops(t, "i16").to("i32", "zext", raw(t, i, n, 16)) for n in (1, 2))
    t.result_at(i, _pack(Ops(t, "i32"), low, high))


def _floor(o: Ops, x: str) -> str:
    return o.fn("floor", x)


def _floor_of_next(o: Ops, x: str) -> str:
    return o.fn("floor", o("fadd", x, 0.5))


def _into(source: str, result: str, first: Callable[[Ops, str], str] = _same) -> Handler:
    """Floats to integers."""
    compute = "double" if source == "f64" else "float"
    return row(_integer(result, first), source, result, compute=compute, gives="i32", far=True)


def _packs(rule: Rule, source: str) -> Handler:
    """Two floats to two halves of a register."""
    return row(rule, f"{source} {source}", "u32", compute="float", gives="i32", far=True)


TABLE: dict[str, Handler] = {
    **{
        f"v_cvt_{r}_{s}": _into(s, r)
        for s, r in (("f32", "i32"), ("f32", "u32"), ("f64", "i32"), ("f64", "u32"), ("f16", "i16"), ("f16", "u16"))
    },
    "v_cvt_flr_i32_f32": _into("f32", "i32", _floor),
    "v_cvt_rpi_i32_f32": _into("f32", "i32", _floor_of_next),
    **{f"v_cvt_{r}_{s}": row(_number(s), s, r) for s in ("i32", "u32") for r in ("f32", "f64")},
    **{f"v_cvt_f16_{s}": row(_number(s), s, "f16", compute="float") for s in ("i16", "u16")},
    "v_cvt_f16_f32": row(_same, "f32", "f16", compute="float"),
    "v_cvt_f32_f16": row(_same, "f16", "f32"),
    "v_cvt_f32_f64": row(_same, "f64", "f32", compute="double"),
    "v_cvt_f64_f32": row(_same, "f32", "f64"),
    **{f"v_cvt_f32_ubyte{n}": row(_byte(n), "u32", "f32") for n in range(4)},
    "v_cvt_off_f32_i4": row(_sixteenths, "u32", "f32"),
    "v_cvt_norm_i16_f16": row(
        lambda o, x: normalized(o, x, True), "f16", "u16", compute="float", gives="i32", far=True
    ),
    "v_cvt_norm_u16_f16": row(
        lambda o, x: normalized(o, x, False), "f16", "u16", compute="float", gives="i32", far=True
    ),
    **{f"v_cvt_pknorm_{r}16_{s}": _packs(_normalized_pair(r == "i"), s) for r in "iu" for s in ("f32", "f16")},
    "v_cvt_pkrtz_f16_f32": _packs(_pair(_half_toward_zero), "f32"),
    "v_cvt_pk_f16_f32": _packs(_pair(_half_pattern), "f32"),
    "v_cvt_pk_bf16_f32": _packs(_pair(_bf16_pattern), "f32"),
    "v_cvt_f32_bf16": row(lambda o, x: o.number(o.ints("shl", o.at("i16").to("i32", "zext", x), 16)), "u16", "f32"),
    "v_cvt_pk_u16_u32": row(_saturate_pair(False), "u32 u32", "u32"),
    "v_cvt_pk_i16_i32": row(_saturate_pair(True), "i32 i32", "u32"),
    "v_sat_pk_u8_i16": row(_saturate_bytes, "u32", "u16"),
    "v_cvt_pk_u8_f32": row(_insert_byte, "f32 u32 u32", "u32", compute="float", gives="i32", far=True),
    "v_cvt_pkaccum_u8_f32": row(_insert_byte, "f32 u32 u32", "u32", compute="float", gives="i32", far=True, adds=True),
    "v_pack_b32_f16": _pack_halves,
    **{f"v_cvt_f32_{k}": row(_widen(k), "u32", "f32") for k in ("fp8", "bf8")},
    **{f"v_cvt_pk_f32_{k}": _widen_pair for k in ("fp8", "bf8")},
    **{
        f"v_cvt_pk_{k}_f32": row(_narrow_pair(k), "f32 f32", "u16", compute="float", gives="i16")
        for k in ("fp8", "bf8")
    },
    **{f"v_cvt_sr_{k}_f32": _stochastic for k in ("fp8", "bf8")},
}
