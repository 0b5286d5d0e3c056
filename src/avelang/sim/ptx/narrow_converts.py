"""cvt to and from the formats of block-scaled products: numbers of 4 and 6 bits, and scales of 8 bits that are an
exponent alone. PTX ISA 9.0, 9.7.9.21, cvt. What it leaves open (signs and infinities of scales) is as in cuda_fp8.hpp
of CUDA 13.0."""

from __future__ import annotations

from avelang.llvm.vectors import Bool, Ops
from avelang.sim.ptx.code import BITS, Instr
from avelang.sim.ptx.float_formats import FloatFormat, Floats, rounded
from avelang.sim.ptx.integers import halves, paired
from avelang.sim.ptx.modifiers import NotExecuted
from avelang.sim.ptx.translator import PtxTranslator

# The formats of which all codes are numbers, by the types of their pairs.
SMALL = {f.name + "x2": f for f in (FloatFormat("e2m1", 2, 1, 0x7, True), FloatFormat("e2m3", 2, 3, 0x1F, True),
    FloatFormat("e3m2", 3, 2, 0x1F, True))}  # fmt: skip
SCALES = "ue8m0x2"
PAIRS = frozenset({*SMALL, SCALES})


def narrow_pair(t: PtxTranslator, i: Instr, to: str, source: str, mode: str, finite: bool, relu: bool) -> None:
    """A cvt of which one type is a pair of these formats. Of two sources the first is the upper one."""
    if to in PAIRS:
        if source == "bf16x2":
            low, high = halves(t, t.get(i.operands[1], 32))
            parts = [Ops(t, "i32")("shl", Ops(t, "i16").to("i32", "zext", x), 16) for x in (high, low)]
        elif len(i.operands) == 3:
            parts = [t.get(o, 32, kind="f") for o in i.operands[1:]]
        else:
            raise NotExecuted("two sources are needed")
        rule = _scale if to == SCALES else _small
        high, low = (rule(t, to, x, mode, finite, relu) for x in parts)
        o, width = Ops(t, "i32"), BITS[to] // 2
        word = o("or", o("shl", high, width), low)
        return t.set(i.operands[0], o.to(f"i{BITS[to]}", "trunc", word), BITS[to], wider="z")
    word = Ops(t, f"i{BITS[source]}").to("i32", "zext", t.get(i.operands[1], BITS[source], wider=True))
    o, width = Ops(t, "i32"), BITS[source] // 2
    codes = [o("and", word, (1 << width) - 1), o("lshr", word, width)]
    low, high = (_power(t, x) if source == SCALES else _half(t, source, x, relu) for x in codes)
    return t.set(i.operands[0], paired(t, low, high), 32)


def _small(t: PtxTranslator, to: str, x: str, mode: str, finite: bool, relu: bool) -> str:
    """An f32 pattern as a code of a few bits, an i32; NaN is the greatest number."""
    f, o = SMALL[to], Ops(t, "i32")
    code = rounded(t, f, mode, x, True)
    nan = Floats(t, "f32").is_nan(x)
    if relu:
        code = o.select(Bool(t)("and", o.cmp("slt", x, 0), Bool(t).no(nan)), 0, code)
    return o.select(nan, f.greatest, code)


def _scale(t: PtxTranslator, to: str, x: str, mode: str, finite: bool, relu: bool) -> str:
    """The exponent of an f32 pattern, rounded down (.rz) or up (.rp) whatever the sign; 255 is NaN, and an infinity
    without .satfinite."""
    o, b = Ops(t, "i32"), Bool(t)
    magnitude = o("and", x, 0x7FFFFFFF)
    code = o("lshr", magnitude, 23)
    if mode == "rp":
        rest = o.cmp("ne", o("and", x, 0x7FFFFF), 0)
        least = 1 << 22  # 2**-127, whose code is 0
        more = b("and", rest, b("and", o.cmp("ugt", magnitude, least), o.cmp("ult", magnitude, 0x7F800000)))
        code = o("add", code, t.op(f"zext {t.t('i1')} {more} to {o.v}"))
    return o.select(o.cmp("ule", magnitude, 0x7F800000), o.fn("umin", code, 254), code) if finite else code


def _half(t: PtxTranslator, source: str, code: str, relu: bool) -> str:
    """A code of a few bits as f16: its pattern with another bias, which a product puts right."""
    f, o, half = SMALL[source], Ops(t, "i32"), Floats(t, "f16")
    w = Ops(t, "i16")
    sign = w("shl", o.to("i16", "trunc", o("and", code, f.sign)), 16 - f.bits)
    shifted = w("shl", o.to("i16", "trunc", o("and", code, f.sign - 1)), half.format.mantissa - f.mantissa)
    number = Ops(t, "float")("fmul", half.number(shifted, "float"), float(1 << half.format.bias - f.bias))
    value = w("or", half.pattern(number, "float"), sign)
    return half.relu(value) if relu else value


def _power(t: PtxTranslator, code: str) -> str:
    """A scale as bf16: 2**(code - 127)."""
    o, f = Ops(t, "i32"), Floats(t, "bf16").format
    value = o.select(o.cmp("eq", code, 0), 1 << f.mantissa - 1, o("shl", code, f.mantissa))
    return o.to("i16", "trunc", o.select(o.cmp("eq", code, 255), f.nan, value))
