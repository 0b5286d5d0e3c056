"""Arithmetic element by element: texts of LLVM scalars or vectors come in, the text of the result goes out. Meanings:
`avelang.ir.ops`.

Division never traps, in inactive lanes either: a divisor that would is replaced before the instruction and its result
after. """

from __future__ import annotations

import typing
from collections.abc import Callable

from avelang.emit.llvm import cpu_math
from avelang.ir.dtypes import DType
from avelang.ir.functions import FUNCTIONS
from avelang.llvm.literals import elem
from avelang.llvm.narrow_floats import Bits, from_double, narrow, odd_fma, to_double, widen

if typing.TYPE_CHECKING:
    from avelang.emit.llvm.cpu_wave import WaveWriter

# (wave, dtype, wide, operands) -> text
Rule = Callable[..., str]
_FLOAT = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_INT = frozenset({"add", "sub", "mul", "and", "or", "xor"})
_PRED = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}


def is_narrow(d: DType) -> bool:
    """True for a float that is held as an integer, to be computed in f32."""
    return d.is_float and d.bits < 32


def arith(w: WaveWriter, name: str, d: DType, wide: bool, *xs: str) -> str:
    """Any op whose operands and result have one dtype."""
    if d.name == "bf16" and name == "fma":
        # f64 holds every sum of f16 and fp8 near enough; a bf16 may lie far below a tie of the product.
        return from_double(w, d, wide, odd_fma(w, wide, *(to_double(w, d, wide, x) for x in xs)))
    if (is_narrow(d) and name == "fma") or (d.is_float and d.bits < 64 and name in ("floordiv", "mod")):
        return from_double(w, d, wide, arith(w, name, _F64, wide, *(to_double(w, d, wide, x) for x in xs)))
    if is_narrow(d):
        return narrow(w, d, wide, arith(w, name, _F32, wide, *(widen(w, d, wide, x) for x in xs)))
    t = w.t(elem(d), wide)
    if d.is_float:
        if name in _FLOAT:
            return w.op(f"{_FLOAT[name]} {t} {xs[0]}, {xs[1]}")
        return _FLOAT_RULES[name](w, d, wide, *xs)
    if name in _INT:
        return w.op(f"{name} {t} {xs[0]}, {xs[1]}")
    return _INT_RULES[name](w, d, wide, *xs)


# -- integers ----------------------------------------------------------------------------------------------------------


def _not(w: WaveWriter, d: DType, wide: bool, x: str) -> str:
    ones = "true" if d.bits == 1 else "-1"
    return w.op(f"xor {w.t(elem(d), wide)} {x}, {w.splat(ones, elem(d)) if wide else ones}")


def _shl(w: WaveWriter, d: DType, wide: bool, a: str, n: str) -> str:
    b = Bits(w, wide, d.bits)
    return b.select(b.cmp("ult", n, d.bits), b("shl", a, b("and", n, d.bits - 1)), 0)


def _shr(w: WaveWriter, d: DType, wide: bool, a: str, n: str) -> str:
    b = Bits(w, wide, d.bits)
    inside = b.cmp("ult", n, d.bits)
    if d.kind == "int":
        return b("ashr", a, b.select(inside, n, d.bits - 1))
    return b.select(inside, b("lshr", a, b("and", n, d.bits - 1)), 0)


def _quotient(w: WaveWriter, d: DType, wide: bool, x: str, y: str) -> str:
    """x / y for y that is neither 0 nor the -1 that overflows. Up to 32 bits by an exact detour: the nearest f64 to a
    quotient of two such integers never reaches the next integer, and x86 divides vectors of f64 only."""
    sign = "s" if d.kind == "int" else "u"
    t = w.t(elem(d), wide)
    if not wide or d.bits == 64 or not y.startswith("%"):
        return w.op(f"{sign}div {t} {x}, {y}")
    f = w.t("double", wide)
    a, b = (w.op(f"{sign}itofp {t} {v} to {f}") for v in (x, y))
    return w.op(f"fpto{sign}i {f} {w.op(f'fdiv {f} {a}, {b}')} to {t}")


def _divide(w: WaveWriter, d: DType, wide: bool, x: str, y: str) -> tuple[str, str]:
    """(quotient, remainder), truncated, with the language's results for zero and for min / -1."""
    b = Bits(w, wide, d.bits)
    zero = b.cmp("eq", y, 0)
    safe = b.select(zero, 1, y)
    if d.kind == "int":
        least = w.op(f"and {w.t('i1', wide)} {b.cmp('eq', x, d.min)}, {b.cmp('eq', y, -1)}")
        safe = b.select(least, 1, safe)
    q = _quotient(w, d, wide, x, safe)
    # Where the divisor was replaced by 1, x - q * 1 is 0 for min / -1 as it must be; by zero the remainder is x.
    r = b.select(zero, x, b("sub", x, b("mul", q, safe)))
    return b.select(zero, -1, q), r


def _floor_divide(w: WaveWriter, d: DType, wide: bool, x: str, y: str) -> tuple[str, str]:
    q, r = _divide(w, d, wide, x, y)
    if d.kind == "uint":
        return q, r
    b = Bits(w, wide, d.bits)
    i1 = w.t("i1", wide)
    signs = w.op(f"and {i1} {b.cmp('ne', r, 0)}, {b.cmp('slt', b('xor', r, y), 0)}")
    off = w.op(f"and {i1} {signs}, {b.cmp('ne', y, 0)}")
    return b.select(off, b("sub", q, 1), q), b.select(off, b("add", r, y), r)


def _minmax(which: str) -> Rule:
    def rule(w: WaveWriter, d: DType, wide: bool, x: str, y: str) -> str:
        if d.bits == 1:
            return w.op(f"{'and' if which == 'min' else 'or'} {w.t('i1', wide)} {x}, {y}")
        t = w.t(elem(d), wide)
        return w.call(w.overload(("s" if d.kind == "int" else "u") + which, elem(d), wide), t, (t, x), (t, y))

    return rule


def _abs(w: WaveWriter, d: DType, wide: bool, x: str) -> str:
    if d.kind == "uint":
        return x
    t = w.t(elem(d), wide)
    return w.call(w.overload("abs", elem(d), wide), t, (t, x), ("i1", "false"))


def _count(name: str) -> Rule:
    def rule(w: WaveWriter, d: DType, wide: bool, x: str) -> str:
        t = w.t(elem(d), wide)
        more = (("i1", "false"),) if name == "ctlz" else ()
        return w.call(w.overload(name, elem(d), wide), t, (t, x), *more)

    return rule


_INT_RULES: dict[str, Rule] = {
    "not": _not,
    "shl": _shl,
    "shr": _shr,
    "div": lambda w, d, wide, x, y: _divide(w, d, wide, x, y)[0],
    "rem": lambda w, d, wide, x, y: _divide(w, d, wide, x, y)[1],
    "floordiv": lambda w, d, wide, x, y: _floor_divide(w, d, wide, x, y)[0],
    "mod": lambda w, d, wide, x, y: _floor_divide(w, d, wide, x, y)[1],
    "min": _minmax("min"),
    "max": _minmax("max"),
    "abs": _abs,
    **{f.name: _count(f.llvm) for f in FUNCTIONS.values() if f.llvm and "float" not in f.kinds.split()},
    "neg": lambda w, d, wide, x: w.op(f"sub {w.t(elem(d), wide)} {w.splat('0', elem(d)) if wide else '0'}, {x}"),
    "fma": lambda w, d, wide, x, y, z: Bits(w, wide, d.bits)("add", Bits(w, wide, d.bits)("mul", x, y), z),
}


# -- floats ------------------------------------------------------------------------------------------------------------


def _intrinsic(name: str) -> Rule:
    def rule(w: WaveWriter, d: DType, wide: bool, *xs: str) -> str:
        t = w.t(elem(d), wide)
        return w.call(w.overload(name, elem(d), wide), t, *((t, x) for x in xs))

    return rule


_INFINITY = "0x7FF0000000000000"


def _float_divmod(w: WaveWriter, d: DType, wide: bool, x: str, y: str) -> tuple[str, str]:
    """Python's // and % on floats (CPython, Objects/floatobject.c, _float_div_mod): exact remainder first, quotient
    from it."""
    t, i1 = w.t(elem(d), wide), w.t("i1", wide)
    zero = w.splat("0.0", elem(d)) if wide else "0.0"

    def cmp(pred: str, a: str, b: str) -> str:
        return w.op(f"fcmp {pred} {t} {a}, {b}")

    def select(c: str, a: str, b: str) -> str:
        return w.op(f"select {i1} {c}, {t} {a}, {t} {b}")

    def copysign(a: str, b: str) -> str:
        return _intrinsic("copysign")(w, d, wide, a, b)

    def binary(name: str, a: str, b: str) -> str:
        return w.op(f"{name} {t} {a}, {b}")

    one, half = (w.splat(v, elem(d)) if wide else v for v in ("1.0", "0.5"))
    rem = cpu_math.remainder(w, d, wide, x, y)
    q = binary("fdiv", binary("fsub", x, rem), y)
    nonzero = cmp("une", rem, zero)
    signs = w.op(f"xor {i1} {cmp('olt', y, zero)}, {cmp('olt', rem, zero)}")
    off = w.op(f"and {i1} {nonzero}, {signs}")
    q = select(off, binary("fsub", q, one), q)
    mod = select(nonzero, select(off, binary("fadd", rem, y), rem), copysign(zero, y))
    floor = _intrinsic("floor")(w, d, wide, q)
    floor = select(cmp("ogt", binary("fsub", q, floor), half), binary("fadd", floor, one), floor)
    plain = binary("fdiv", x, y)
    floor = select(cmp("une", q, zero), floor, copysign(zero, plain))
    # By zero, and of an infinity, there is no remainder from which a quotient could be made.
    finite = cmp("olt", _intrinsic("fabs")(w, d, wide, plain), w.splat(_INFINITY, elem(d)) if wide else _INFINITY)
    return select(finite, floor, _intrinsic("floor")(w, d, wide, plain)), mod


def _rsqrt(w: WaveWriter, d: DType, wide: bool, x: str) -> str:
    one = w.splat("1.0", elem(d)) if wide else "1.0"
    return w.op(f"fdiv {w.t(elem(d), wide)} {one}, {_intrinsic('sqrt')(w, d, wide, x)}")


_FLOAT_RULES: dict[str, Rule] = {
    "rem": lambda w, d, wide, x, y: cpu_math.remainder(w, d, wide, x, y),
    "floordiv": lambda w, d, wide, x, y: _float_divmod(w, d, wide, x, y)[0],
    "mod": lambda w, d, wide, x, y: _float_divmod(w, d, wide, x, y)[1],
    "neg": lambda w, d, wide, x: w.op(f"fneg {w.t(elem(d), wide)} {x}"),
    "min": _intrinsic("minimumnum"),
    "max": _intrinsic("maximumnum"),
    "fma": _intrinsic("fma"),
    **{f.name: _intrinsic(f.llvm) for f in FUNCTIONS.values() if f.llvm and "float" in f.kinds.split()},
    "rsqrt": _rsqrt,
}


# -- comparisons and conversions ---------------------------------------------------------------------------------------


def compare(w: WaveWriter, pred: str, d: DType, wide: bool, a: str, b: str) -> str:
    """cmp: an i1."""
    if d.is_float:
        a, b, d = (widen(w, d, wide, a), widen(w, d, wide, b), _F32) if is_narrow(d) else (a, b, d)
        return w.op(f"fcmp {_PRED[pred]} {w.t(elem(d), wide)} {a}, {b}")
    sign = "" if pred in ("eq", "ne") else "s" if d.kind == "int" else "u"
    return w.op(f"icmp {sign}{pred} {w.t(elem(d), wide)} {a}, {b}")


def convert(w: WaveWriter, src: DType, dst: DType, wide: bool, x: str) -> str:
    """The number in another dtype."""
    a, b = w.t(elem(src), wide), w.t(elem(dst), wide)
    if src == dst:
        return x
    if dst.kind == "bool":
        if src.is_float:
            return compare(
                w,
                "ne",
                src,
                wide,
                x,
                w.splat("0.0" if src.bits >= 32 else "0", elem(src)) if wide else "0.0" if src.bits >= 32 else "0",
            )
        return w.op(f"icmp ne {a} {x}, {w.splat('0', elem(src)) if wide else '0'}")
    if src.is_float and dst.is_float:
        if src.name == "f64":
            return from_double(w, dst, wide, x)
        return to_double(w, src, wide, x) if dst.name == "f64" else narrow(w, dst, wide, widen(w, src, wide, x))
    if src.is_float:
        return _float_to_int(w, src, dst, wide, x)
    sign = "s" if src.kind == "int" else "u"
    if dst.is_float:
        return _int_to_float(w, src, dst, wide, x)
    if src.bits == dst.bits:
        return x
    return (
        w.op(f"trunc {a} {x} to {b}")
        if dst.bits < src.bits
        else w.op(f"{'sext' if sign == 's' else 'zext'} {a} {x} to {b}")
    )


def _float_to_int(w: WaveWriter, src: DType, dst: DType, wide: bool, x: str) -> str:
    if is_narrow(src):
        x, src = widen(w, src, wide, x), _F32
    sign = "s" if dst.kind == "int" else "u"
    a, b = w.t(elem(src), wide), w.t(elem(dst), wide)
    suffix = {"float": "f32", "double": "f64"}[elem(src)]
    n = f"v{w.W}" if wide else ""
    return w.call(f"llvm.fpto{sign}i.sat.{n}{elem(dst)}.{n}{suffix}", b, (a, x))


def _int_to_float(w: WaveWriter, src: DType, dst: DType, wide: bool, x: str) -> str:
    a = w.t(elem(src), wide)
    how = "sitofp" if src.kind == "int" else "uitofp"
    if dst.bits >= 32 or src.bits <= 16:
        exact = dst.name if dst.bits >= 32 else "f32"
        f = w.op(f"{how} {a} {x} to {w.t(elem(_F64 if exact == 'f64' else _F32), wide)}")
        return f if dst.bits >= 32 else narrow(w, dst, wide, f)
    if src.bits == 64:
        # Beyond 53 bits, what lies under the last place of any narrow float is gathered in one bit, so that f64 holds
        # it exactly.
        b = Bits(w, wide, 64)
        low = b("and", x, 0xFFF)
        sticky = b("or", b("and", x, ~0xFFF), b.select(b.cmp("ne", low, 0), 0x800, 0))
        top = b("ashr" if src.kind == "int" else "lshr", x, 53)
        small = b.cmp("ult", b("add", top, 1), 2) if src.kind == "int" else b.cmp("eq", top, 0)
        x = b.select(small, x, sticky)
    return from_double(w, dst, wide, w.op(f"{how} {a} {x} to {w.t('double', wide)}"))


_F32, _F64 = DType("f32", "float", 32), DType("f64", "float", 64)


# LLVM's names of the kinds of `atomic`, where they are others.
_ATOMICS = {"exch": "xchg", "inc": "uinc_wrap", "dec": "udec_wrap"}


def atomic(kind: str, d: DType, place: str, values: list[str], scope: str = "", order: str = "monotonic") -> str:
    """LLVM's instruction for an `atomic` of the IR on the integers at `place` (with its type). What it gives is what
    stood there; for "cas" the first of a pair."""
    end = f"{scope} {order}, align {d.bytes}"
    if kind == "cas":
        failed = "acquire" if order in ("acquire", "acq_rel") and scope else "monotonic"
        return f"cmpxchg {place}, {elem(d)} {values[0]}, {elem(d)} {values[1]}{end.replace(',', f' {failed},')}"
    unsigned = "u" if kind in ("min", "max") and not d.is_signed else ""
    return f"atomicrmw {unsigned}{_ATOMICS.get(kind, kind)} {place}, {elem(d)} {values[0]}{end}"
