"""What handlers of floats are made of: formats, rounding modes, NaN and subnormals; vectors of bit patterns come in and
go out.

Registers hold patterns. f32 and f64 are worked on as they are; f16 and bf16 in f32, or in f64 where one rounding must
not become two. """

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from avelang.ir.dtypes import BY_NAME
from avelang.llvm.core import Body
from avelang.llvm.narrow_floats import from_double, narrow, to_double, widen
from avelang.llvm.vectors import Ops, function
from avelang.sim.ptx.code import BITS
from avelang.sim.ptx.modifiers import NotExecuted
from avelang.sim.ptx.translator import PtxTranslator

ELEMENT = {"f16": "half", "f32": "float", "f64": "double"}
# LLVM's names of rounding modes, and the numbers that llvm.set.rounding takes (LLVM Language Reference,
# "llvm.get.rounding").
MODES = {"rn": 1, "rz": 0, "rp": 2, "rm": 3}


@dataclasses.dataclass(frozen=True, slots=True)
class FloatFormat:
    """An IEEE-like format: bits of the exponent and of the mantissa, and how NaN is written by arithmetic. `numbers`:
    all of its codes are numbers, and NaN becomes the greatest."""

    name: str
    exponent: int
    mantissa: int
    nan: int
    numbers: bool = False

    @property
    def bits(self) -> int:
        """Bits of a number."""
        return 1 + self.exponent + self.mantissa

    @property
    def bias(self) -> int:
        """The bias of the exponent."""
        return (1 << self.exponent - 1) - 1

    @property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << self.bits - 1

    @property
    def infinity(self) -> int:
        """The pattern of infinity."""
        return (1 << self.exponent) - 1 << self.mantissa

    @property
    def greatest(self) -> int:
        """The pattern of the greatest number."""
        return (self.sign if self.numbers else self.infinity) - 1


# PTX ISA 9.0, 9.7.3: NaN results of f32 are 0x7FFFFFFF; of f16 and bf16 0x7FFF (9.7.4).
FORMATS = {"f16": FloatFormat("f16", 5, 10, 0x7FFF), "bf16": FloatFormat("bf16", 8, 7, 0x7FFF),
    "f32": FloatFormat("f32", 8, 23, 0x7FFFFFFF), "f64": FloatFormat("f64", 11, 52, 0x7FF8000000000000)}  # fmt: skip


def part_of(kind: str) -> str:
    """The element type of an x2 type."""
    return kind.removesuffix("x2")


class Floats:
    """Work on vectors of patterns of one format."""

    def __init__(self, t: PtxTranslator, kind: str):
        if kind not in FORMATS:
            raise NotExecuted(f".{kind} is no type of floats that it has")
        self.t, self.format = t, FORMATS[kind]
        self.o = Ops(t, f"i{self.format.bits}")

    # -- patterns ------------------------------------------------------------------------------------------------------

    def magnitude(self, x: str) -> str:
        """A pattern without its sign."""
        return self.o("and", x, self.format.sign - 1)

    def is_nan(self, x: str) -> str:
        """One bit a lane: is it NaN?"""
        return self.o.cmp("ugt", self.magnitude(x), self.format.infinity)

    def flushed(self, x: str) -> str:
        """Zero of the same sign where x is subnormal."""
        o, f = self.o, self.format
        small = o.cmp("eq", o("and", x, f.infinity), 0)
        return o.select(small, o("and", x, -f.sign), x)

    def canonical(self, x: str) -> str:
        """A NaN as the canonical one; others as they are."""
        return self.o.select(self.is_nan(x), self.format.nan, x)

    def key(self, x: str) -> str:
        """A signed integer that orders numbers as the floats are ordered, with -0 below +0."""
        o = self.o
        return o("xor", x, o("lshr", o("ashr", x, o.bits - 1), 1))

    def negated(self, x: str) -> str:
        """A pattern with the other sign."""
        return self.o("xor", x, -self.format.sign)

    def saturated(self, x: str) -> str:
        """Clamped to [0, 1]; NaN becomes 0, and so does -0."""
        o, f = self.o, self.format
        one = f.bias << f.mantissa
        low = o.cmp("slt", x, 0)
        nan = self.is_nan(x)
        high = o.cmp("sgt", x, one)
        out = o.select(low, 0, o.select(high, one, x))
        return o.select(nan, 0, out)

    def relu(self, x: str) -> str:
        """Negative numbers become 0; NaN the canonical one."""
        o = self.o
        return o.select(self.is_nan(x), self.format.nan, o.select(o.cmp("slt", x, 0), 0, x))

    # -- numbers -------------------------------------------------------------------------------------------------------

    @property
    def e(self) -> str:
        """The LLVM type in which the format is computed."""
        return ELEMENT.get(self.format.name, "")

    def number(self, x: str, e: str) -> str:
        """As an LLVM float type that holds it exactly."""
        name = self.format.name
        if e == "double":
            return to_double(self.t, BY_NAME[name], True, x if name in ("f16", "bf16")
                else Ops(self.t, self.e).number(x))
        if name == "f32":
            return Ops(self.t, "float").number(x)
        return widen(self.t, BY_NAME[name], True, x)

    def pattern(self, x: str, e: str) -> str:
        """A number of an LLVM type rounded once, to nearest, to this format."""
        name = self.format.name
        if e == self.e:
            return Ops(self.t, e).pattern(x)
        if e == "double":
            out = from_double(self.t, BY_NAME[name], True, x)
        else:
            out = narrow(self.t, BY_NAME[name], True, x)
        return Ops(self.t, self.e).pattern(out) if name in ("f32", "f64") else out


def strict(t: PtxTranslator, name: str, mode: str, e: str, args: list[str], to: str = "") -> str:
    """An operation (fadd, fmul, fma, fdiv, sqrt, fptrunc, sitofp, uitofp, ...) on vectors of `e` with a rounding mode.
    Conversions give `to`."""
    result = to or e
    v, r = t.t(e), t.t(result)
    intrinsic = f"llvm.experimental.constrained.{name}.v{t.W}{_letter(result)}" + (f".v{t.W}{_letter(e)}" if to else "")
    fn = f"ave_{name}_{mode}_{e}_{to}"

    def text() -> str:
        params = ", ".join(f"{v} %x{k}" for k in range(len(args)))
        tail = 'metadata !"round.dynamic", metadata !"fpexcept.ignore"'
        t.module.declare(intrinsic, r, [*(v for _ in args), "metadata", "metadata"])
        t.module.declare("llvm.set.rounding", "void", ["i32"])
        return f"""define internal {r} @{fn}({params}) noinline strictfp {{
  call void @llvm.set.rounding(i32 {MODES[mode]}) strictfp
  %r = call {r} @{intrinsic}({params}, {tail}) strictfp
  call void @llvm.set.rounding(i32 1) strictfp
  ret {r} %r
}}"""

    t.helper(fn, text)
    return t.op(f"call {r} @{fn}({', '.join(f'{v} {a}' for a in args)})")


def _letter(e: str) -> str:
    return {"float": "f32", "double": "f64", "half": "f16"}.get(e, e)


PLAIN = {"fadd": "fadd", "fsub": "fsub", "fmul": "fmul", "fdiv": "fdiv"}


def arithmetic(t: PtxTranslator, name: str, mode: str, e: str, args: list[str]) -> str:
    """An operation on vectors of float or double: to nearest by the plain instruction."""
    if mode != "rn":
        return strict(t, name, mode, e, args)
    o = Ops(t, e)
    return o(name, *args) if name in PLAIN else o.fn(name, *args)


def odd_sum(t: PtxTranslator, x: str, y: str) -> str:
    """x + y of doubles, rounded to odd: rounding that to a narrower format is as if rounding the exact sum (Boldo and
    Melquiond, 2008)."""

    def make(x: str, y: str) -> str:
        o, w = Ops(t, "double"), Ops(t, "i64")
        s = o("fadd", x, y)
        back = o("fsub", s, x)
        rest = o("fadd", o("fsub", x, o("fsub", s, back)), o("fsub", y, back))
        bits = o.pattern(s)
        even = w.cmp("eq", w("and", bits, 1), 0)
        lost = o.cmp("one", rest, 0.0)
        finite = w.cmp("ult", w("and", bits, (1 << 63) - 1), 0x7FF << 52)
        fix = _all(t, even, lost, finite)
        away = o.cmp("ogt", rest, 0.0)
        positive = w.cmp("sge", bits, 0)
        same = t.op(f"xor {t.t('i1')} {away}, {positive}")  # false where the sum must grow in magnitude
        stepped = w.select(same, w("sub", bits, 1), w("add", bits, 1))
        return o.number(w.select(fix, stepped, bits))

    return function(t, "ave_odd_sum", "double", make, ("double", x), ("double", y))


def _all(t: PtxTranslator, *conditions: str) -> str:
    out = conditions[0]
    for c in conditions[1:]:
        out = t.op(f"and {t.t('i1')} {out}, {c}")
    return out


def rounded(t: PtxTranslator, f: FloatFormat, mode: str, x: str, finite: bool = False) -> str:
    """An f32 pattern rounded to a narrower format with any mode; the result is an i32. `finite`: what is too large
    becomes the greatest number. Modes: rn, rz, rm, rp, and rna (ties away from zero). NaN is left to the caller."""

    def make(x: str) -> str:
        o = Ops(t, "i32")
        a = o("and", x, 0x7FFFFFFF)
        negative = o.cmp("slt", x, 0)
        exponent = o("lshr", a, 23)
        least = 127 - f.bias + 1  # the f32 exponent of the least normal number
        # The significand with its leading one; subnormal f32 have none, and the exponent 1.
        tiny = o.cmp("eq", exponent, 0)
        sig = o("or", o("and", a, 0x7FFFFF), o.select(tiny, 0, 0x800000))
        exponent = o.select(tiny, 1, exponent)
        drop = 23 - f.mantissa
        more = o.fn("smax", o("sub", least, exponent), 0)
        shift = o.fn("umin", o("add", more, drop), 31)
        kept = o("lshr", sig, shift)
        rest = o("sub", sig, o("shl", kept, shift))
        half = o("shl", 1, o("sub", shift, 1))
        inexact = o.cmp("ne", rest, 0)
        if mode in ("rn", "rna"):
            tie = o.cmp("eq", rest, half)
            odd = o.cmp("ne", o("and", kept, 1), 0)
            up = t.op(f"or {t.t('i1')} {o.cmp('ugt', rest, half)}, {tie if mode == 'rna' else _all(t, tie, odd)}")
        elif mode == "rz":
            up = "zeroinitializer"
        else:
            side = negative if mode == "rm" else t.op(f"xor {t.t('i1')} {negative}, splat (i1 true)")
            up = _all(t, inexact, side)
        kept = o("add", kept, t.op(f"zext {t.t('i1')} {up} to {o.v}"))
        # A subnormal that rounds up to the leading one becomes the least normal number by itself.
        base = o("shl", o.fn("smax", o("sub", exponent, least), 0), f.mantissa)
        code = o("add", kept, base)
        greatest = f.greatest
        if finite or mode == "rz":
            top = greatest
        elif mode in ("rm", "rp"):
            top = o.select(negative if mode == "rm" else t.op(f"xor {t.t('i1')} {negative}, splat (i1 true)"),
                f.infinity, greatest)
        else:
            top = f.infinity
        code = o.select(o.cmp("ugt", code, greatest), top, code)
        code = o.select(o.cmp("eq", a, 0x7F800000), greatest if finite else f.infinity, code)
        return o("or", code, o.select(negative, f.sign, 0))

    return function(t, f"ave_round_{f.name}_{mode}{'_finite' * finite}", "i32", make, ("i32", x))


def libm(t: PtxTranslator, name: str, x: str) -> str:
    """A function of the C library on doubles, lane by lane."""
    fn = f"ave_libm_{name}"

    def text() -> str:
        t.module.declare(name, "double", ["double"])
        b, v = Body(), t.t("double")
        out = b.alloca(v)
        b.do(f"store {v} %x, ptr {out}, align 64")
        with b.each(t.W) as lane:
            place = b.op(f"getelementptr double, ptr {out}, i64 {lane}")
            y = b.op(f"call double @{name}(double {b.op(f'load double, ptr {place}, align 8')})")
            b.do(f"store double {y}, ptr {place}, align 8")
        b.do(f"ret {v} {b.op(f'load {v}, ptr {out}, align 64')}")
        return f"define internal {v} @{fn}({v} %x) noinline #0 {{\n{b.text()}\n}}"

    t.helper(fn, text)
    return t.op(f"call {t.t('double')} @{fn}({t.t('double')} {x})")


Rule = Callable[..., str]


def operand(t: PtxTranslator, o: object, kind: str) -> str:
    """The pattern of a float operand."""
    return t.get(o, BITS[kind], kind="f" if kind in ("f32", "f64") else "b")  # type: ignore[arg-type]
