"""Linear forms: integer arithmetic on "scalars times lane constants" comes in; the same forms go out, or None where the
result is not one.

All rules hold exactly modulo 2**bits in every lane, so that a form never depends on which lanes are active. The only
exception is `resolve`, which is for addresses of active lanes. """

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from avelang.emit.llvm.cpu_values import (
    Bools,
    Ext,
    Lin,
    Rep,
    S,
    Scalar,
    V,
    const,
    elem,
    lanes_of,
    signed,
    trailing_zeros,
    wrap,
)
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.dtypes import DType, i64
from avelang.ir.elementwise import COMPARE, INT

MAX_TERMS = 4


def as_lin(w: WaveWriter, rep: Rep, bits: int) -> Lin | None:
    """The linear form of an integer form; None for a vector of unknown lanes."""
    if isinstance(rep, Lin):
        return rep
    if isinstance(rep, S):
        fixed = rep.const is not None
        return Lin(bits, None if fixed else rep, (), np.full(w.W, rep.const if fixed else 0, np.int64))
    return None


def normal(x: Lin) -> Scalar:
    """The simplest form: a scalar constant or a scalar where all lanes agree."""
    terms: dict[str, tuple[S, np.ndarray]] = {}
    for s, c in x.terms:
        old = terms.get(s.text)
        terms[s.text] = (s, wrap(c + old[1], x.bits) if old else c)
    kept = tuple((s, c) for s, c in terms.values() if c.any())
    if not kept and not x.exts and (x.k == x.k[0]).all():
        if x.u is None:
            return const(int(x.k[0]), x.bits)
        if x.k[0] == 0:
            return x.u
    return Lin(x.bits, x.u, kept, x.k, x.exts)


# -- scalars -----------------------------------------------------------------------------------------------------------


def scalar_add(w: WaveWriter, bits: int, a: S, b: S) -> S:
    """The sum of two scalars, folded where both are known."""
    if a.const is not None and b.const is not None:
        return const(a.const + b.const, bits)
    if b.const == 0:
        return a
    if a.const == 0:
        return b
    return S(w.op(f"add i{bits} {a.text}, {b.text}"), min(a.tz, b.tz))


def scalar_mul(w: WaveWriter, bits: int, a: S, b: S) -> S:
    """Their product, likewise."""
    if a.const is not None and b.const is not None:
        return const(a.const * b.const, bits)
    if a.const == 0 or b.const == 0:
        return const(0, bits)
    if b.const == 1:
        return a
    if a.const == 1:
        return b
    return S(w.op(f"mul i{bits} {a.text}, {b.text}"), min(bits, a.tz + b.tz))


# -- sums and products -------------------------------------------------------------------------------------------------


def add(w: WaveWriter, a: Lin, b: Lin) -> Scalar | None:
    """The sum of two linear forms; None where it is not linear."""
    if len(a.terms) + len(b.terms) + len(a.exts) + len(b.exts) > 2 * MAX_TERMS:
        return None
    u = a.u or b.u if a.u is None or b.u is None else scalar_add(w, a.bits, a.u, b.u)
    k = wrap(a.k + b.k, a.bits)
    if u is not None and not a.terms + b.terms and not a.exts + b.exts and k[0] and (k == k[0]).all():
        return scalar_add(w, a.bits, u, const(int(k[0]), a.bits))
    return normal(Lin(a.bits, u, a.terms + b.terms, k, a.exts + b.exts))


def scale(w: WaveWriter, a: Lin, s: S) -> Scalar:
    """The product with a scalar."""
    bits = a.bits
    u = scalar_mul(w, bits, a.u, s) if a.u else None
    exts = tuple(Ext(x.signed, x.lin, scalar_mul(w, bits, x.scale, s)) for x in a.exts)
    if s.const is not None:
        terms = tuple((t, wrap(c * np.int64(s.const), bits)) for t, c in a.terms)
        return normal(Lin(bits, u, terms, wrap(a.k * np.int64(s.const), bits), exts))
    terms = tuple((scalar_mul(w, bits, t, s), c) for t, c in a.terms)
    if (a.k == a.k[0]).all():
        more = scalar_mul(w, bits, s, const(int(a.k[0]), bits))
        u = more if u is None else scalar_add(w, bits, u, more)
        if u.const == 0:
            u = None
        return normal(Lin(bits, u, terms, np.zeros_like(a.k), exts))
    return normal(Lin(bits, u, (*terms, (s, a.k)), np.zeros_like(a.k), exts))


def mul(w: WaveWriter, a: Lin, b: Lin) -> Scalar | None:
    """The product of a linear form and a scalar."""
    for x, y in ((a, b), (b, a)):
        one = normal(y)
        if isinstance(one, S):
            return scale(w, x, one)
    for x, y in ((a, b), (b, a)):
        if y.is_const and not x.exts:
            terms = tuple((s, wrap(c * y.k, a.bits)) for s, c in x.terms)
            terms += ((x.u, y.k),) if x.u else ()
            return normal(Lin(a.bits, None, terms, wrap(x.k * y.k, a.bits)))
    return None


def negate(w: WaveWriter, a: Lin) -> Scalar:
    """The negative of a linear form."""
    return scale(w, a, const(-1, a.bits))


# -- bits --------------------------------------------------------------------------------------------------------------


def split(a: Lin) -> tuple[int, S | None, np.ndarray] | None:
    """(p, u, low): the value is u + terms + low, where u and the terms are multiples of 2**p and 0 <= low < 2**p: no
    carry between them."""
    if a.exts:
        return None
    p = min(
        [
            a.u.tz if a.u else a.bits,
            *(s.tz + trailing_zeros(int(np.bitwise_or.reduce(c)), a.bits) for s, c in a.terms),
            a.bits - 1,
        ]
    )
    return (p, a.u, a.k) if a.k.min() >= 0 and int(a.k.max()) < 1 << p else None


def bitand(w: WaveWriter, a: Lin, m: int) -> Scalar | None:
    """a & m for a constant m."""
    parts = split(a)
    if parts is None:
        return None
    p, u, low = parts
    high = (m & ((1 << a.bits) - 1)) >> p << p
    k = low & np.int64(signed(m, a.bits))
    if not high:
        return normal(Lin(a.bits, None, (), k))
    if high == ((1 << a.bits) - 1) >> p << p:
        return normal(Lin(a.bits, u, a.terms, k))
    if a.terms or u is None:
        return None
    kept = S(w.op(f"and i{a.bits} {u.text}, {signed(high, a.bits)}"), max(u.tz, trailing_zeros(high, a.bits)))
    return normal(Lin(a.bits, kept, (), k))


def shift_right(w: WaveWriter, a: Lin, n: int, is_signed: bool) -> Scalar | None:
    """a >> n for a constant n below the width."""
    parts = split(a)
    if parts is None or a.terms or a.u is None:
        return None
    p, u, low = parts
    assert u is not None
    high = S(w.op(f"{'ashr' if is_signed else 'lshr'} i{a.bits} {u.text}, {n}"), max(0, u.tz - n))
    return normal(Lin(a.bits, high, (), low >> n if n <= p else np.zeros_like(low)))


def flip(w: WaveWriter, a: Lin, m: int, rule: Callable[[np.ndarray, np.int64], np.ndarray]) -> Scalar | None:
    """a | m or a ^ m for a constant m that touches the low part only."""
    parts = split(a)
    if parts is None or m < 0 or m >= 1 << parts[0]:
        return None
    return normal(Lin(a.bits, a.u, a.terms, rule(a.k, np.int64(m))))


# -- lane constants ----------------------------------------------------------------------------------------------------


def numbers(a: Lin, d: DType) -> list[int]:
    """The lanes' values as numbers of a dtype."""
    mask = (1 << d.bits) - 1
    return [int(x) if d.kind == "int" else int(x) & mask for x in a.k]


def compare(pred: str, a: Lin, b: Lin, d: DType) -> Bools:
    """A comparison of values known in every lane."""
    return Bools(np.array([COMPARE[pred](x, y) for x, y in zip(numbers(a, d), numbers(b, d), strict=True)]))


def binary(w: WaveWriter, name: str, d: DType, ra: Scalar, rb: Scalar) -> Scalar | None:
    """A binary op on integers, where its result has a linear form."""
    a, b = as_lin(w, ra, d.bits), as_lin(w, rb, d.bits)
    if a is None or b is None:
        return None
    if a.is_const and b.is_const:
        if isinstance(ra, S) and isinstance(rb, S):
            return const(INT[name](numbers(a, d)[0], numbers(b, d)[0], d), d.bits)
        return normal(lanes_of([INT[name](x, y, d) for x, y in zip(numbers(a, d), numbers(b, d), strict=True)], d.bits))
    if name == "add":
        return add(w, a, b)
    if name == "sub":
        minus = as_lin(w, negate(w, b), d.bits) if not isinstance(rb, S) or rb.const is not None else None
        if minus is not None:
            return add(w, a, minus)
        if isinstance(ra, S):
            return None
        assert isinstance(rb, S)
        return add(w, a, Lin(d.bits, S(w.op(f"sub i{d.bits} 0, {rb.text}"), rb.tz), (), np.zeros(w.W, np.int64)))
    if name == "mul":
        return mul(w, a, b)
    if name in ("and", "or", "xor") and a.is_const:
        a, b, ra, rb = b, a, rb, ra
    m = rb.const if isinstance(rb, S) else None
    return None if m is None else _with_constant(w, name, d, a, m)


def _with_constant(w: WaveWriter, name: str, d: DType, a: Lin, m: int) -> Scalar | None:
    """Ops whose second operand is a constant: bits, shifts, and division by a power of two."""
    if name == "and":
        return bitand(w, a, m)
    if name in ("or", "xor"):
        return flip(w, a, m, np.bitwise_or if name == "or" else np.bitwise_xor)
    if name == "shl":
        return scale(w, a, const(1 << m, d.bits)) if 0 <= m < d.bits else const(0, d.bits)
    if name == "shr":
        return shift_right(w, a, m, d.kind == "int") if 0 <= m < d.bits else None
    # Rounding toward minus infinity is a shift; so is truncation, of numbers without a sign.
    floors = name in ("floordiv", "mod") or d.kind == "uint"
    if name in ("div", "floordiv", "rem", "mod") and floors and m > 0 and m & (m - 1) == 0:
        return (
            shift_right(w, a, m.bit_length() - 1, d.kind == "int")
            if name in ("div", "floordiv")
            else bitand(w, a, m - 1)
        )
    return None


def convert(w: WaveWriter, a: Lin, src: DType, dst: DType) -> Scalar | None:
    """Integer to integer: narrowing is exact in the ring; widening to 64 bits is kept as a term to be resolved at the
    access."""
    if a.is_const:
        return normal(lanes_of(numbers(a, src), dst.bits))
    if src.bits == dst.bits:
        return a
    if dst.bits > src.bits:
        zero = np.zeros(w.W, np.int64)
        return (
            Lin(64, None, (), zero, (Ext(src.kind == "int", a, const(1, 64)),))
            if dst.bits == 64 and not a.exts
            else None
        )
    return _truncate(w, a, dst.bits)


def _truncate(w: WaveWriter, a: Lin, bits: int) -> Scalar | None:
    def cut(s: S) -> S:
        return (
            const(s.const, bits)
            if s.const is not None
            else S(w.op(f"trunc i{a.bits} {s.text} to i{bits}"), min(bits, s.tz))
        )

    u = cut(a.u) if a.u else None
    total = normal(Lin(bits, u, tuple((cut(s), wrap(c, bits)) for s, c in a.terms), wrap(a.k, bits)))
    for x in a.exts:
        if x.lin.bits != bits:
            return None
        more, now = as_lin(w, scale(w, x.lin, cut(x.scale)), bits), as_lin(w, total, bits)
        assert more is not None and now is not None
        added = add(w, now, more)
        if added is None:
            return None
        total = added
    return total


# -- addresses ---------------------------------------------------------------------------------------------------------


def resolve(w: WaveWriter, a: Lin) -> Lin:
    """A 64-bit form without `exts` that is right in every active lane, for use as an address.

    A coordinate x is widened once, in the first active lane r; lane l has that plus the difference x[l] - x[r], read as
    a signed number of the width of x. That is exact unless two active lanes' coordinates differ by 2**31 or more, which
    needs a tensor of as many elements. What an inactive lane gives may be wrong, when its coordinate has wrapped
    around: its address is never used. """
    total = Lin(64, a.u, a.terms, a.k)
    for x in a.exts:
        part = as_lin(w, scale(w, _widened(w, x), x.scale), 64)
        assert part is not None
        summed = as_lin(w, _sum(w, total, part), 64)
        assert summed is not None
        total = summed
    return total


def _sum(w: WaveWriter, a: Lin, b: Lin) -> Lin:
    u = a.u or b.u if a.u is None or b.u is None else scalar_add(w, 64, a.u, b.u)
    return Lin(64, u, a.terms + b.terms, a.k + b.k)


def _widened(w: WaveWriter, x: Ext) -> Lin:
    bits, lin = x.lin.bits, x.lin
    how = "sext" if x.signed else "zext"
    # The coordinate of lane r in its own width, then widened; the parts that vary widened as signed numbers, less their
    # values in lane r.
    at = lin.u or const(0, bits)
    for s, c in lin.terms:
        at = scalar_add(w, bits, at, scalar_mul(w, bits, s, _at_first(w, c, bits)))
    at = scalar_add(w, bits, at, _at_first(w, lin.k, bits))
    if at.const is not None:
        base = const(at.const if x.signed else at.const & ((1 << bits) - 1), 64)
    else:
        base = S(w.op(f"{how} i{bits} {at.text} to i64"), at.tz)
    terms = []
    for s, c in lin.terms:
        wide = const(s.const, 64) if s.const is not None else S(w.op(f"sext i{bits} {s.text} to i64"), s.tz)
        terms.append((wide, c))
        base = scalar_add(w, 64, base, scalar_mul(w, 64, wide, scalar_mul(w, 64, _at_first(w, c, 64), const(-1, 64))))
    base = scalar_add(w, 64, base, scalar_mul(w, 64, _at_first(w, lin.k, 64), const(-1, 64)))
    if base.const is not None:
        return Lin(64, None, tuple(terms), lin.k + np.int64(base.const))
    return Lin(64, base, tuple(terms), lin.k)


def _at_first(w: WaveWriter, values: np.ndarray, bits: int) -> S:
    """A lane constant's value in the first active lane."""
    lane = w.first_lane()
    if not lane.startswith("%"):
        return const(int(values[int(lane)]), bits)
    if (values == values[0]).all():
        return const(int(values[0]), bits)
    table = w.module.constant(w.t("i64"), w.const_vector(values, "i64"))
    place = w.op(f"getelementptr i64, ptr {table}, i64 {lane}")
    value = S(w.op(f"load i64, ptr {place}, align 8"), trailing_zeros(int(np.bitwise_or.reduce(values)), 63))
    return value if bits == 64 else S(w.op(f"trunc i64 {value.text} to i{bits}"), min(bits, value.tz))


def add64(w: WaveWriter, a: Scalar, b: Scalar) -> Scalar:
    """The sum of two i64 forms."""
    if isinstance(a, S) and isinstance(b, S):
        return scalar_add(w, 64, a, b)
    summed = binary(w, "add", i64, a, b)
    return summed if summed is not None else V(w.op(f"add {w.t(elem(i64))} {w.vec(a, i64)}, {w.vec(b, i64)}"))
