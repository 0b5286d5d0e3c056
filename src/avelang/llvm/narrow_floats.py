"""Floats narrower than 32 bits, held as integers: widening to f32 is exact, narrowing rounds once, to nearest even.

Written out in integer operations, because LLVM takes vectors of bfloat apart on x86 and knows no fp8. Sources of the
fp8 formats: OCP OFP8 specification 1.0 (fn, e5m2); AMD CDNA3 ISA, section 4.5 (fnuz). """

from __future__ import annotations

import dataclasses

from avelang.ir.dtypes import DType
from avelang.llvm.writer import ElementWriter


@dataclasses.dataclass(frozen=True, slots=True)
class Fp8:
    """An 8-bit float: mantissa bits, exponent bias, code of the greatest finite magnitude, code of what overflows, code
    of NaN."""

    mantissa: int
    bias: int
    greatest: int
    overflow: int
    nan: int
    fnuz: bool


FP8: dict[str, Fp8] = {
    "f8e4m3fn": Fp8(3, 7, 0x7E, 0x7F, 0x7F, False),
    "f8e5m2": Fp8(2, 15, 0x7B, 0x7C, 0x7E, False),
    "f8e4m3fnuz": Fp8(3, 8, 0x7F, 0x80, 0x80, True),
    "f8e5m2fnuz": Fp8(2, 16, 0x7F, 0x80, 0x80, True),
}


class Bits:
    """Short names for integer instructions on one width, on scalars or on vectors of a wave. Operands are texts or
    Python ints."""

    def __init__(self, w: ElementWriter, wide: bool, bits: int = 32):
        self.w, self.wide, self.bits = w, wide, bits
        self.t = w.t(f"i{bits}", wide)
        self.f = w.t({16: "half", 32: "float", 64: "double"}.get(bits, ""), wide)

    def lit(self, x: str | int) -> str:
        """An operand's text; a number stands for all elements."""
        if isinstance(x, str):
            return x
        return self.w.splat(str(x), f"i{self.bits}") if self.wide else str(x)

    def __call__(self, name: str, a: str | int, b: str | int) -> str:
        return self.w.op(f"{name} {self.t} {self.lit(a)}, {self.lit(b)}")

    def cmp(self, pred: str, a: str | int, b: str | int) -> str:
        """A comparison of integers, an i1 each."""
        return self("icmp " + pred, a, b)

    def select(self, c: str, a: str | int, b: str | int) -> str:
        """`a` where `c` holds, else `b`."""
        return self.w.op(f"select {self.w.t('i1', self.wide)} {c}, {self.t} {self.lit(a)}, {self.t} {self.lit(b)}")

    def from_float(self, x: str) -> str:
        """The bits of a float as wide."""
        return self.w.op(f"bitcast {self.f} {x} to {self.t}")

    def to_float(self, x: str) -> str:
        """The float of these bits."""
        return self.w.op(f"bitcast {self.t} {x} to {self.f}")


def widen(w: ElementWriter, d: DType, wide: bool, x: str) -> str:
    """A float of `d`, at most 32 bits, as f32."""
    b = Bits(w, wide)
    if d.name == "f32":
        return x
    if d.name == "f16":
        half = Bits(w, wide, 16)
        return w.op(f"fpext {half.f} {half.to_float(x)} to {b.f}")
    if d.name == "bf16":
        return b.to_float(b("shl", w.op(f"zext {w.t('i16', wide)} {x} to {b.t}"), 16))
    if wide:
        return w.outlined(f"widen.{d}.{w.W}", b.f, w.t("i8"), x, lambda: _widen_fp8(w, d, b, "%x"))
    return _widen_fp8(w, d, b, x)


def _widen_fp8(w: ElementWriter, d: DType, b: Bits, x: str) -> str:
    word = w.op(f"zext {w.t('i8', b.wide)} {x} to {b.t}")
    f, up = FP8[d.name], 23 - FP8[d.name].mantissa
    magnitude = b("and", word, 0x7F)
    shifted = b("shl", magnitude, up)
    normal = b("add", shifted, (127 - f.bias) << 23)
    # A number without the leading one: add the one, then take it off again in floating point.
    one = (128 - f.bias) << 23
    less = w.op(f"fsub {b.f} {b.to_float(b('add', shifted, one))}, {b.to_float(b('add', one, 0))}")
    out = b.select(b.cmp("ult", magnitude, 1 << f.mantissa), b.from_float(less), normal)
    if f.fnuz:
        out = b.select(b.cmp("eq", word, 0x80), 0x7FC00000, out)
    else:
        out = b.select(b.cmp("ugt", magnitude, f.greatest), 0x7FC00000, out)
        if f.overflow != f.nan:
            out = b.select(b.cmp("eq", magnitude, f.overflow), 0x7F800000, out)
    return b.to_float(b("or", out, b("shl", b("and", word, 0x80), 24)))


def narrow(w: ElementWriter, d: DType, wide: bool, x: str) -> str:
    """An f32 rounded to a float of `d`, at most 32 bits."""
    b = Bits(w, wide)
    if d.name == "f32":
        return x
    if d.name == "f16":
        half = Bits(w, wide, 16)
        return half.from_float(w.op(f"fptrunc {b.f} {x} to {half.f}"))
    if d.name == "bf16":
        u = b.from_float(x)
        rounded = b("add", b("add", u, 0x7FFF), b("and", b("lshr", u, 16), 1))
        quiet = b("or", u, 0x400000)
        nan = w.op(f"fcmp uno {b.f} {x}, {x}")
        return w.op(f"trunc {b.t} {b('lshr', b.select(nan, quiet, rounded), 16)} to {w.t('i16', wide)}")
    if wide:
        return w.outlined(f"narrow.{d}.{w.W}", w.t("i8"), b.f, x, lambda: _narrow_fp8(w, d, b, "%x"))
    return _narrow_fp8(w, d, b, x)


def _narrow_fp8(w: ElementWriter, d: DType, b: Bits, x: str) -> str:
    return w.op(f"trunc {b.t} {_fp8_code(w, FP8[d.name], b, x)} to {w.t('i8', b.wide)}")


def _fp8_code(w: ElementWriter, f: Fp8, b: Bits, x: str) -> str:
    u = b.from_float(x)
    a = b("and", u, 0x7FFFFFFF)
    down = 23 - f.mantissa
    rounded = b("add", b("add", a, (1 << (down - 1)) - 1), b("and", b("lshr", a, down), 1))
    normal = b("sub", b("lshr", rounded, down), (127 - f.bias) << f.mantissa)
    # Below the normal numbers: adding a number whose last place is the smallest step rounds to that step.
    least = (128 - f.bias) << 23
    magic = (1 - f.bias - f.mantissa + 23 + 127) << 23
    total = w.op(f"fadd {b.f} {b.to_float(a)}, {b.to_float(b('add', magic, 0))}")
    small = b("sub", b.from_float(total), magic)
    code = b.select(b.cmp("ult", a, least), small, normal)
    code = b.select(b.cmp("ugt", code, f.greatest), f.overflow, code)
    code = b.select(b.cmp("ugt", a, 0x7F800000), f.nan, code)
    signed = b("or", code, b("and", b("lshr", u, 24), 0x80))
    # With fnuz, the sign bit alone is NaN: zero has no sign.
    return b.select(b.cmp("eq", code, 0), 0, signed) if f.fnuz else signed


def round_to_odd(w: ElementWriter, wide: bool, x: str) -> str:
    """An f64 as f32, with its last bit set where anything was lost: rounding that to a narrower format is as if
    rounding `x` itself."""
    b = Bits(w, wide)
    double = w.t("double", wide)
    near = w.op(f"fptrunc {double} {x} to {b.f}")
    back = w.op(f"fpext {b.f} {near} to {double}")
    fabs = w.overload("fabs", "double", wide)
    beyond = w.op(f"fcmp ogt {double} {w.call(fabs, double, (double, back))}, {w.call(fabs, double, (double, x))}")
    lost = w.op(f"fcmp one {double} {back}, {x}")
    bits = b.from_float(near)
    toward_zero = b("sub", bits, w.op(f"zext {w.t('i1', wide)} {beyond} to {b.t}"))
    return b.to_float(b("or", toward_zero, w.op(f"zext {w.t('i1', wide)} {lost} to {b.t}")))


def odd_fma(w: ElementWriter, wide: bool, a: str, x: str, c: str) -> str:
    """a * x + c of f64 whose product is exact, with the last bit set where the sum is not: rounding that to fewer bits
    rounds once."""
    t, i1, bits = w.t("double", wide), w.t("i1", wide), Bits(w, wide, 64)

    def op(name: str, p: str, q: str) -> str:
        return w.op(f"{name} {t} {p}, {q}")

    product = op("fmul", a, x)
    total = op("fadd", product, c)
    back = op("fsub", total, product)
    error = op(
        "fadd", op("fsub", product, op("fsub", total, back)), op("fsub", c, back)
    )  # exact (Knuth); NaN where the sum is infinite
    zero = w.splat("0.0", "double") if wide else "0.0"
    word = bits.from_float(total)
    even = bits.cmp("eq", bits("and", word, 1), 0)
    moves = w.op(f"and {i1} {w.op(f'fcmp one {t} {error}, {zero}')}, {even}")
    inward = w.op(f"xor {i1} {w.op(f'fcmp ogt {t} {error}, {zero}')}, {w.op(f'fcmp ogt {t} {total}, {zero}')}")
    return bits.to_float(bits("add", word, bits.select(moves, bits.select(inward, -1, 1), 0)))


def to_double(w: ElementWriter, d: DType, wide: bool, x: str) -> str:
    """A float of any dtype as f64."""
    return x if d.name == "f64" else w.op(f"fpext {w.t('float', wide)} {widen(w, d, wide, x)} to {w.t('double', wide)}")


def from_double(w: ElementWriter, d: DType, wide: bool, x: str) -> str:
    """An f64 rounded once to a float of any dtype."""
    if d.name == "f64":
        return x
    if d.name == "f32":
        return w.op(f"fptrunc {w.t('double', wide)} {x} to {w.t('float', wide)}")
    return narrow(w, d, wide, round_to_odd(w, wide, x))
