"""Handlers of gfx950's conversions with a scale (v_cvt_scalef32_*), and of stochastic rounding to f16 and bf16.

A scale is the exponent field of an f32 (its bits 23 to 30) as a power of two with a bias of 127, 255 being NaN: down it
divides, up it multiplies, and what comes of that is rounded once. fp6, bf6 and fp4 have neither infinities nor NaN:
what overflows, and NaN, become the greatest number. Stochastic rounding adds the upper random bits to the bits that the
result has no place for, in the result's own steps, and cuts off. Packed elements stand one after another, the first
lowest; `2xpk16` takes its elements from both sources in turns. Sources: AMD CDNA4 ISA, section 6.7.1; LLVM,
IntrinsicsAMDGPU.td (operands, selection of bytes); HIP, amd_hip_ocp_fp.hpp (special values, alignment of the random
bits).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from avelang.amdgcn.asm import MCInst, PhysReg
from avelang.ir.dtypes import bf16, f16
from avelang.isa.amdgpu.scaled import FORMATS, NarrowFloat
from avelang.llvm.narrow_floats import FP8, Bits, narrow, round_to_odd, widen
from avelang.llvm.vectors import Ops, function
from avelang.sim.amdgcn.translator import BlockTranslator, Handler, UnsupportedForm
from avelang.sim.amdgcn.vector import raw
from avelang.sim.amdgcn.vector_convert import greatest

NO_NUMBER = 255
WIDE = {"f32": (32, 23), "f16": (16, 10), "bf16": (16, 7)}  # bits, and those of the significand behind the point
ELEMENTS = 32


@dataclasses.dataclass(frozen=True, slots=True)
class RoundTarget:
    """A float that numbers are rounded to: bits of the significand behind the point, bias, the greatest finite code,
    the codes of what overflows and of NaN, and where the sign stands."""

    mantissa: int
    bias: int
    greatest: int
    overflow: int
    nan: int
    sign: int


def _target(name: str) -> RoundTarget:
    if name in ("f16", "bf16"):
        infinity, mantissa, bias = (0x7C00, 10, 15) if name == "f16" else (0x7F80, 7, 127)
        return RoundTarget(mantissa, bias, infinity - 1, infinity, infinity | 1 << mantissa - 1, 15)
    f = FORMATS[name]
    if f.dtype:
        e = FP8[f.dtype.name]
        return RoundTarget(e.mantissa, e.bias, e.greatest, e.overflow, e.nan, 7)
    top = (1 << f.bits - 1) - 1
    return RoundTarget(f.mantissa, f.bias, top, top, top, f.bits - 1)


# -- numbers -----------------------------------------------------------------------------------------------------------


def _power(o: Ops, scale: str, down: bool) -> str:
    """2 ** (127 - e) or 2 ** (e - 127) of a scale's bits, as a double; NaN where e is 255. `o`: of i32."""
    d, b = o.at("double"), o.at("i64")
    e = o.to("i64", "zext", o("and", o("lshr", scale, 23), 255))
    field = b("sub", 1023 + 127, e) if down else b("add", e, 1023 - 127)
    return d.select(b.cmp("eq", e, NO_NUMBER), math.nan, d.number(b("shl", field, 52)))


def _wide_number(t: BlockTranslator, kind: str, x: str) -> str:
    """The pattern of an f32, f16 or bf16 (<64 x i32> or <64 x i16>) as doubles."""
    if kind == "bf16":
        o = Ops(t, "i16")
        f = Ops(t, "float").number(o.at("i32")("shl", o.to("i32", "zext", x), 16))
        return Ops(t, "float").to("double", "fpext", f)
    e = "float" if kind == "f32" else "half"
    return Ops(t, e).to("double", "fpext", Ops(t, e).number(x))


def _small_number(t: BlockTranslator, f: NarrowFloat, code: str) -> str:
    """A narrow code, in <64 x i32>, as floats."""
    b = Ops(t, "i32")
    if f.dtype:
        return widen(t, f.dtype, True, b.to("i8", "trunc", code))
    # In the places of an f32 the exponent is short of the difference of the biases, which a product makes good,
    # denormals included.
    magnitude = b("shl", b("and", code, (1 << f.bits - 1) - 1), 23 - f.mantissa)
    o = b.at("float")
    number = o.pattern(o("fmul", o.number(magnitude), 2.0 ** (127 - f.bias)))
    return o.number(b("or", number, b("shl", b("and", code, 1 << f.bits - 1), 32 - f.bits)))


def _nearest(t: BlockTranslator, name: str, x: str) -> str:
    """The narrow code, <64 x i32>, that is nearest to a double."""
    f, b, k = FORMATS[name], Bits(t, True), Ops(t, "i32")
    odd = round_to_odd(t, True, x)
    if f.dtype:
        return k.at("i8").to("i32", "zext", narrow(t, f.dtype, True, odd))
    e, u = _target(name), b.from_float(odd)
    a, down = b("and", u, 0x7FFFFFFF), 23 - e.mantissa
    rounded = b("add", b("add", a, (1 << down - 1) - 1), b("and", b("lshr", a, down), 1))
    normal = b("sub", b("lshr", rounded, down), (127 - e.bias) << e.mantissa)
    # Below the normal numbers: adding a number whose last place is the smallest step rounds to that step.
    magic = (1 - e.bias - e.mantissa + 23 + 127) << 23
    total = t.op(f"fadd {b.f} {b.to_float(a)}, {b.to_float(b('add', magic, 0))}")
    code = b.select(b.cmp("ult", a, (128 - e.bias) << 23), b("sub", b.from_float(total), magic), normal)
    code = b.select(b.cmp("ugt", code, e.greatest), e.greatest, code)
    return b("or", code, b("and", b("lshr", u, 31 - e.sign), 1 << e.sign))


def _stochastic(t: BlockTranslator, name: str, x: str, noise: str, mantissa: int) -> str:
    """The code, <64 x i32>, that a double and random bits (<64 x i32>) give; `mantissa`: bits of the source's
    significand."""
    e, b, d = _target(name), Ops(t, "i64"), Ops(t, "double")
    p = d.pattern(x)
    lost, taken = 52 - e.mantissa, mantissa - e.mantissa
    exponent = b("sub", b("and", b("lshr", p, 52), 0x7FF), 1023 + 1 - e.bias)  # from the least of normal numbers on
    below = b.fn("umin", b.fn("smax", b("sub", 0, exponent), 0), 63)
    significand = b("or", b("and", p, (1 << 52) - 1), 1 << 52)
    significand = b("and", b("lshr", significand, below), -(1 << 52 - mantissa))
    base = b("add", significand, b("shl", b.fn("smax", exponent, 0), 52))
    upper = Ops(t, "i32").to("i64", "zext", Ops(t, "i32")("lshr", noise, 32 - taken))
    code = b("lshr", b("add", base, b("shl", upper, lost - taken)), lost)
    code = b.select(b.cmp("ugt", code, e.greatest), e.overflow, code)
    finite = d.cmp("olt", d.fn("fabs", x), math.inf)
    code = b.select(finite, code, b.select(d.cmp("uno", x, x), e.nan, e.overflow))
    sign = b("and", b("lshr", p, 63 - e.sign), 1 << e.sign)
    return b.to("i32", "trunc", b("or", code, sign))


# -- functions, made once ----------------------------------------------------------------------------------------------


def _most(t: BlockTranslator, name: str, kind: str, x: str) -> float:
    """The greatest number that MODE lets a conversion to 8 bits give, 0 where it lets all. An infinity stops the wave
    there."""
    d = FORMATS[name].dtype
    if d is None or not t.mode.saturates:
        return 0.0
    o = Ops(t, "double")
    lanes = t.op(f"and i64 {t.word_of(o.cmp('oeq', o.fn('fabs', _wide_number(t, kind, x)), math.inf))}, {t.exec()}")
    t.stop_if(
        t.op(f"icmp ne i64 {lanes}, 0"),
        "an infinity where MODE clamps narrow floats that overflow, which is not documented",
    )
    return greatest(d)


def _down(t: BlockTranslator, name: str, kind: str, x: str, scale: str, noise: str = "") -> str:
    """The narrow code of one element, <64 x i32>; `x` is its pattern."""
    e = f"i{WIDE[kind][0]}"

    def make(v: str, s: str, *r: str) -> str:
        d = Ops(t, "double")
        scaled = d("fmul", _wide_number(t, kind, v), _power(Ops(t, "i32"), s, True))
        scaled = d.fn("copysign", scaled, _wide_number(t, kind, v))  # the sign of NaN counts
        if most:
            scaled = d.select(d.cmp("ogt", d.fn("fabs", scaled), most), d.fn("copysign", most, scaled), scaled)
        return _stochastic(t, name, scaled, r[0], WIDE[kind][1]) if r else _nearest(t, name, scaled)

    most = _most(t, name, kind, x)
    more = (("i32", noise),) if noise else ()
    return function(
        t, f"ave_scaled_{name}_{kind}{'_sr' * bool(noise)}{'_bounded' * bool(most)}", "i32", make, (e, x),
        ("i32", scale), *more,
    )  # fmt: skip


def _up(t: BlockTranslator, kind: str, name: str, code: str, scale: str) -> str:
    """The pattern of one element, <64 x i32>, with zeros above its own bits."""

    def make(v: str, s: str) -> str:
        d, k = Ops(t, "double"), Ops(t, "i32")
        number = d(
            "fmul", Ops(t, "float").to("double", "fpext", _small_number(t, FORMATS[name], v)), _power(k, s, False)
        )
        if kind == "f32":
            return Ops(t, "float").pattern(d.to("float", "fptrunc", number))
        return k.at("i16").to(
            "i32", "zext", narrow(t, f16 if kind == "f16" else bf16, True, round_to_odd(t, True, number))
        )

    return function(t, f"ave_scaled_{kind}_{name}", "i32", make, ("i32", code), ("i32", scale))


# -- handlers ----------------------------------------------------------------------------------------------------------


def _registers(o: object, count: int) -> PhysReg:
    if not isinstance(o, PhysReg) or o.file == "s" or o.count != count or o.neg or o.abs:
        raise UnsupportedForm(f"an operand must be {count} vector registers without neg or abs, not {o}")
    return o


def _halves(t: BlockTranslator, reg: PhysReg, k: int = 0) -> tuple[str, str]:
    b = Ops(t, "i32")
    word = t.source(reg, 32, k)
    return b.to("i16", "trunc", word), b.to("i16", "trunc", b("lshr", word, 16))


def _deposit(t: BlockTranslator, i: MCInst, value: str, shift: int, bits: int) -> None:
    """Puts a value into some bits of the destination; the others keep theirs."""
    b = Ops(t, "i32")
    kept = b("and", t.source(i.operands[0]), ~(((1 << bits) - 1) << shift) & 0xFFFFFFFF)
    t.set_result(i.operands[0], b("or", kept, b("shl", value, shift) if shift else value))


def _pair(t: BlockTranslator, low: str, high: str, bits: int) -> str:
    b = Ops(t, "i32")
    return b("or", low, b("shl", high, bits))


def _narrow_pair(name: str, kind: str) -> Handler:
    """Two numbers to two codes in a half or a byte of the destination."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        picks, sources = i.bits("op_sel", 4), len(i.operands) - 1
        xs = [raw(t, i, n, 32) for n in (1, 2)] if kind == "f32" else list(_halves(t, _registers(i.operands[1], 1)))
        scale, bits = raw(t, i, sources, 32), FORMATS[name].bits
        low, high = (_down(t, name, kind, x, scale) for x in xs)
        shift = 16 * picks[sources] if bits == 8 else 8 * (picks[2] + 2 * picks[3])
        _deposit(t, i, _pair(t, low, high, bits), shift, 2 * bits)

    return handler


def _wide_pair(kind: str, name: str) -> Handler:
    """Two codes out of a half or a byte of the source."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        picks, bits, b = i.bits("op_sel", 4), FORMATS[name].bits, Ops(t, "i32")
        word, scale = raw(t, i, 1, 32), raw(t, i, 2, 32)
        first = 16 * picks[0] if bits == 8 else 8 * (picks[0] + 2 * picks[1])
        ones = (1 << bits) - 1
        low, high = (_up(t, kind, name, b("and", b("lshr", word, first + bits * k), ones), scale) for k in (0, 1))
        if kind == "f32":
            t.set_result(_registers(i.operands[0], 2), low)
            return t.set_result(i.operands[0], high, k=1)
        t.set_result(i.operands[0], _pair(t, low, high, 16))

    return handler


def _wide_one(kind: str, name: str) -> Handler:
    """One byte of the source as f32, or as f16 in a half of the destination."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        picks, b = i.bits("op_sel", 4), Ops(t, "i32")
        code = b("and", b("lshr", raw(t, i, 1, 32), 8 * (picks[0] + 2 * picks[1])), 255)
        value = _up(t, kind, name, code, raw(t, i, 2, 32))
        if kind == "f32":
            return t.set_result(i.operands[0], value)
        _deposit(t, i, value, 16 * picks[2], 16)

    return handler


def _random_one(name: str, kind: str) -> Handler:
    """One number to a byte of the destination, stochastically."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        picks = i.bits("op_sel", 4)
        x = raw(t, i, 1, WIDE[kind][0])
        value = _down(t, name, kind, x, raw(t, i, 3, 32), t.source_at(i, 2))
        _deposit(t, i, value, 8 * (picks[2] + 2 * picks[3]), 8)

    return handler


def _random_pair(kind: str) -> Handler:
    """Two numbers to fp4 in a byte of the destination, stochastically, with the same random bits."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        picks = i.bits("op_sel", 4)
        reg = _registers(i.operands[1], 2 if kind == "f32" else 1)
        xs = [t.source(reg), t.source(reg, 32, 1)] if kind == "f32" else list(_halves(t, reg))
        noise, scale = t.source_at(i, 2), raw(t, i, 3, 32)
        low, high = (_down(t, "fp4", kind, x, scale, noise) for x in xs)
        _deposit(t, i, _pair(t, low, high, 4), 8 * (picks[2] + 2 * picks[3]), 8)

    return handler


def _elements(t: BlockTranslator, o: object, kind: str) -> list[str]:
    """The patterns of 32 elements."""
    bits = WIDE[kind][0]
    reg = _registers(o, ELEMENTS * bits // 32)
    if bits == 32:
        return [t.source(reg, 32, k) for k in range(ELEMENTS)]
    return [x for k in range(ELEMENTS // 2) for x in _halves(t, reg, k)]


def _packed(t: BlockTranslator, codes: Sequence[str], bits: int) -> list[str]:
    """Codes one after another, in words."""
    b, words = Ops(t, "i32"), [""] * (len(codes) * bits // 32)
    for n, code in enumerate(codes):
        word, shift = divmod(n * bits, 32)
        parts = [(word, b("shl", code, shift) if shift else code)]
        if shift + bits > 32:
            parts.append((word + 1, b("lshr", code, 32 - shift)))
        for w, x in parts:
            words[w] = b("or", words[w], x) if words[w] else x
    return words


def _store(t: BlockTranslator, o: object, words: Sequence[str]) -> None:
    reg = _registers(o, len(words))
    for k, word in enumerate(words):
        t.set_result(reg, word, k=k)


def _narrow_all(name: str, kind: str, random: bool) -> Handler:
    """32 numbers to 6-bit codes."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        xs = _elements(t, i.operands[1], kind)
        noise, scale = t.source_at(i, 2) if random else "", raw(t, i, 3 if random else 2, 32)
        _store(t, i.operands[0], _packed(t, [_down(t, name, kind, x, scale, noise) for x in xs], 6))

    return handler


def _narrow_both(name: str) -> Handler:
    """Two times 16 numbers, in turns."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        regs, scale = [_registers(o, ELEMENTS // 2) for o in i.operands[1:3]], raw(t, i, 3, 32)
        xs = [t.source(reg, 32, k) for k in range(ELEMENTS // 2) for reg in regs]
        _store(t, i.operands[0], _packed(t, [_down(t, name, "f32", x, scale) for x in xs], 6))

    return handler


def _wide_all(kind: str, name: str) -> Handler:
    """32 codes of 6 bits to numbers."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        reg, scale, b = _registers(i.operands[1], 6), raw(t, i, 2, 32), Ops(t, "i32")
        words = [t.source(reg, 32, k) for k in range(6)]
        out = []
        for n in range(ELEMENTS):
            word, shift = divmod(6 * n, 32)
            code = b("lshr", words[word], shift) if shift else words[word]
            if shift > 26:
                code = b("or", code, b("shl", words[word + 1], 32 - shift))
            out.append(_up(t, kind, name, b("and", code, 63), scale))
        _store(
            t,
            i.operands[0],
            out if kind == "f32" else [_pair(t, out[n], out[n + 1], 16) for n in range(0, ELEMENTS, 2)],
        )

    return handler


def _random_half(name: str) -> Handler:
    """v_cvt_sr_f16_f32, v_cvt_sr_bf16_f32: to a half of the destination."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        if t.mode.saturates and name == "f16":
            raise UnsupportedForm("MODE clamps 16-bit floats that overflow")
        x, noise = raw(t, i, 1, 32), t.source_at(i, 2)

        def make(v: str, r: str) -> str:
            return _stochastic(t, name, _wide_number(t, "f32", v), r, 23)

        value = function(t, f"ave_sr_{name}", "i32", make, ("i32", x), ("i32", noise))
        _deposit(t, i, value, 16 * i.bits("op_sel", 4)[2], 16)

    return handler


_P = "v_cvt_scalef32_"
TABLE: dict[str, Handler] = {
    **{f"{_P}pk_{n}_{w}": _narrow_pair(n, w) for n in ("fp8", "bf8", "fp4") for w in WIDE},
    **{f"{_P}pk_{w}_{n}": _wide_pair(w, n) for n in ("fp8", "bf8", "fp4") for w in WIDE},
    **{f"{_P}{w}_{n}": _wide_one(w, n) for n in ("fp8", "bf8") for w in ("f32", "f16")},
    **{f"{_P}sr_{n}_{w}": _random_one(n, w) for n in ("fp8", "bf8") for w in WIDE},
    **{f"{_P}sr_pk_fp4_{w}": _random_pair(w) for w in WIDE},
    **{f"{_P}pk32_{n}_{w}": _narrow_all(n, w, False) for n in ("fp6", "bf6") for w in ("f16", "bf16")},
    **{f"{_P}sr_pk32_{n}_{w}": _narrow_all(n, w, True) for n in ("fp6", "bf6") for w in WIDE},
    **{f"{_P}2xpk16_{n}_f32": _narrow_both(n) for n in ("fp6", "bf6")},
    **{f"{_P}pk32_{w}_{n}": _wide_all(w, n) for n in ("fp6", "bf6") for w in WIDE},
    **{f"v_cvt_sr_{n}_f32": _random_half(n) for n in ("f16", "bf16")},
}
