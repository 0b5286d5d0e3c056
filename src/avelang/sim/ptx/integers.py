"""Handlers of integer arithmetic. PTX ISA 9.0, 9.7.1, "Integer arithmetic instructions", and 9.7.2, "Extended-precision
integer arithmetic"."""

from __future__ import annotations

from collections.abc import Callable

from avelang.llvm.vectors import Ops, function
from avelang.sim.ptx.code import BITS, Instr
from avelang.sim.ptx.modifiers import Mods, only_type, words
from avelang.sim.ptx.translator import Handler, PtxTranslator

Rule = Callable[..., str]


def signed(kind: str) -> bool:
    """True for .s types."""
    return kind[0] == "s"


def halves(t: PtxTranslator, x: str, bits: int = 32) -> list[str]:
    """The two halves of words of so many bits, the low one first."""
    o, part = Ops(t, f"i{bits}"), f"i{bits // 2}"
    return [o.to(part, "trunc", x), o.to(part, "trunc", o("lshr", x, bits // 2))]


def paired(t: PtxTranslator, low: str, high: str, bits: int = 32) -> str:
    """Two values as the halves of one word of so many bits."""
    o, wide = Ops(t, f"i{bits // 2}"), Ops(t, f"i{bits}")
    return wide("or", o.to(f"i{bits}", "zext", low), wide("shl", o.to(f"i{bits}", "zext", high), bits // 2))


def each(t: PtxTranslator, kind: str, args: list[str], rule: Callable[..., str]) -> str:
    """`rule` on the operands of a type, or on both halves of an x2 type."""
    if not kind.endswith("x2"):
        return rule(*args)
    low, high = (rule(*pair) for pair in zip(*(halves(t, a, BITS[kind]) for a in args), strict=True))
    return paired(t, low, high, BITS[kind])


def simple(make: Callable[[Ops, str, Mods], Rule], operands: int) -> Handler:
    """A handler of an instruction whose operands and result have one type. `make` gives the rule for an element
    type."""

    def handler(t: PtxTranslator, i: Instr) -> None:
        m = Mods(i)
        kind = m.type()
        bits, part = BITS[kind], 16 if kind.endswith("x2") else BITS[kind]
        args = [t.get(o, bits) for o in i.operands[1 : 1 + operands]]
        rule = make(Ops(t, f"i{part}"), kind, m)
        m.done()
        t.set(i.operands[0], each(t, kind, args, rule), bits)

    return handler


def saturated(o: Ops, x: str, bits: int, is_signed: bool) -> str:
    """A wider signed value brought into range."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return o.fn("smin", o.fn("smax", x, low), high)


def _add(name: str) -> Handler:
    def make(o: Ops, kind: str, m: Mods) -> Rule:
        if m.has("sat"):
            return lambda x, y: o.fn(f"s{name}.sat", x, y)
        return lambda x, y: o(name, x, y)

    plain, carry = simple(make, 2), _carry(name, False)

    def handler(t: PtxTranslator, i: Instr) -> None:
        (carry if "cc" in i.parts else plain)(t, i)

    return handler


def _sum(t: PtxTranslator, o: Ops, x: str, y: str, minus: bool, taken: str, out: str) -> str:
    """x + y or x - y, with the carry `taken` (an i1 a lane, or ""); `out`: "cc" where the new carry is kept. A
    difference is x + ~y + 1, and its carry says that nothing was borrowed: nvcc's division of 128-bit integers reads it
    so by addc behind subc.cc (CUDA 13.0), which the ISA's "borrow" leaves open."""
    i1 = t.t("i1")
    less = t.op(f"xor {i1} {taken}, {t.splat('true', 'i1')}") if taken and minus else taken  # taken off, or added
    first = o("sub" if minus else "add", x, y)
    over = o.cmp("ult", x, y) if minus else o.cmp("ult", first, x)
    result = first
    if less:
        one = t.op(f"zext {i1} {less} to {o.v}")
        result = o("sub" if minus else "add", first, one)
        more = o.cmp("ult", first, one) if minus else o.cmp("ult", result, first)
        over = t.op(f"or {i1} {over}, {more}")
    if out:
        t.put(t.carry, t.op(f"xor {i1} {over}, {t.splat('true', 'i1')}") if minus else over)
    return result


def _carry(name: str, takes: bool) -> Handler:
    """add.cc, addc, sub.cc, subc: the carry of one goes into the next, which `takes` it."""

    def handler(t: PtxTranslator, i: Instr) -> None:
        kind, out = words(i, "cc")
        o = Ops(t, f"i{BITS[kind]}")
        x, y = (t.get(a, o.bits) for a in i.operands[1:3])
        t.set(i.operands[0], _sum(t, o, x, y, name == "sub", t.value(t.carry) if takes else "", out), o.bits)

    return handler


# -- products ----------------------------------------------------------------------------------------------------------


def high(o: Ops, x: str, y: str, is_signed: bool) -> str:
    """The upper half of a product."""
    wide = f"i{2 * o.bits}"
    how = "sext" if is_signed else "zext"

    def product(x: str, y: str) -> str:
        w = o.at(wide)
        return w.to(o.e, "trunc", w("lshr", w("mul", o.to(wide, how, x), o.to(wide, how, y)), o.bits))

    if o.bits < 64:
        return product(x, y)
    return function(o.t, f"ave_mul_hi_{'s' if is_signed else 'u'}{o.bits}", o.e, product, (o.e, x), (o.e, y))


def _product(t: PtxTranslator, i: Instr, kind: str, how: str) -> tuple[str, int]:
    """(x * y by .lo, .hi or .wide, bits)."""
    o = Ops(t, f"i{BITS[kind]}")
    x, y = (t.get(a, o.bits) for a in i.operands[1:3])
    if how == "wide":
        e = f"i{2 * o.bits}"
        ext = "sext" if signed(kind) else "zext"
        return o.at(e)("mul", o.to(e, ext, x), o.to(e, ext, y)), 2 * o.bits
    return (high(o, x, y, signed(kind)) if how == "hi" else o("mul", x, y)), o.bits


def _mul(t: PtxTranslator, i: Instr) -> None:
    kind, how = words(i, "lo hi wide")
    value, bits = _product(t, i, kind, how)
    t.set(i.operands[0], value, bits)


def _mad(takes: bool) -> Handler:
    """mad, with .cc, mad.hi.sat.s32; and madc, which `takes` a carry."""

    def handler(t: PtxTranslator, i: Instr) -> None:
        kind, how, out, sat = words(i, "lo hi wide", "cc", "sat")
        value, bits = _product(t, i, kind, how)
        o = Ops(t, f"i{bits}")
        c = t.get(i.operands[3], bits)
        if sat:
            value = o.fn("sadd.sat", value, c)
        elif takes or out:
            value = _sum(t, o, value, c, False, t.value(t.carry) if takes else "", out)
        else:
            value = o("add", value, c)
        t.set(i.operands[0], value, bits)

    return handler


def _mul24(adds: bool) -> Handler:
    """The low (.lo) or bits 16 to 47 (.hi) of the product of 24-bit integers; mad24 `adds` a third operand."""

    def handler(t: PtxTranslator, i: Instr) -> None:
        kind, how, sat = words(i, "lo hi", "sat")
        o, w = Ops(t, "i64"), Ops(t, "i32")
        right = "ashr" if signed(kind) else "lshr"
        x, y = (o(right, o("shl", w.to("i64", "zext", t.get(a, 32)), 40), 40) for a in i.operands[1:3])
        value = o("mul", x, y)
        value = o.to("i32", "trunc", o(right, value, 16) if how == "hi" else value)
        if adds:
            c = t.get(i.operands[3], 32)
            value = w.fn("sadd.sat", value, c) if sat else w("add", value, c)
        t.set(i.operands[0], value, 32)

    return handler


def _sad(o: Ops, kind: str, m: Mods) -> Rule:
    a, b = ("smax", "smin") if signed(kind) else ("umax", "umin")
    return lambda x, y, z: o("add", z, o("sub", o.fn(a, x, y), o.fn(b, x, y)))


# -- division ----------------------------------------------------------------------------------------------------------


def quotient(o: Ops, x: str, y: str, is_signed: bool) -> str:
    """The quotient, cut toward zero. Division by zero gives all ones, which the ISA leaves open; -2**(n-1) / -1
    wraps."""
    name = f"ave_div_{'s' if is_signed else 'u'}{o.bits}"
    if o.bits <= 32:
        # Quotients of 32-bit numbers lie far enough apart that doubles are cut to the right ones.
        d = o.at("double")
        one = o.select(o.cmp("eq", y, 0), 1, y)
        q = d("fdiv", o.to("double", "sitofp" if is_signed else "uitofp", x),
            o.to("double", "sitofp" if is_signed else "uitofp", one))
        wide = d.to("i64", "fptosi", q)
        value = o.at("i64").to(o.e, "trunc", wide)
        return o.select(o.cmp("eq", y, 0), -1, value)

    def divide(x: str, y: str) -> str:
        bad = o.cmp("eq", y, 0)
        if not is_signed:
            return o.select(bad, -1, o("udiv", x, o.select(bad, 1, y)))
        minus = o.cmp("eq", y, -1)
        safe = o.t.op(f"or {o.t.t('i1')} {bad}, {minus}")
        q = o("sdiv", x, o.select(safe, 1, y))
        return o.select(bad, -1, o.select(minus, o("sub", 0, x), q))

    return function(o.t, name, o.e, divide, (o.e, x), (o.e, y))


def _div(o: Ops, kind: str, m: Mods) -> Rule:
    return lambda x, y: quotient(o, x, y, signed(kind))


def _rem(o: Ops, kind: str, m: Mods) -> Rule:
    """The remainder, with the sign of x. By zero it is all ones, as on an H200 (November 2026); the ISA leaves it open
    (PTX ISA 9.0, 9.7.1.9)."""

    def rule(x: str, y: str) -> str:
        rest = o("sub", x, o("mul", quotient(o, x, y, signed(kind)), y))
        return o.select(o.cmp("eq", y, 0), -1, rest)

    return rule


# -- bits --------------------------------------------------------------------------------------------------------------


def _abs(o: Ops, kind: str, m: Mods) -> Rule:
    return lambda x: o.fn("abs", x, False)


def _extreme(name: str) -> Handler:
    def make(o: Ops, kind: str, m: Mods) -> Rule:
        relu = m.has("relu")
        which = ("s" if signed(kind) else "u") + name

        def rule(x: str, y: str) -> str:
            value = o.fn(which, x, y)
            return o.fn("smax", value, 0) if relu else value

        return rule

    return simple(make, 2)


def counting(rule: Callable[[Ops, str], str]) -> Handler:
    """popc, clz: of 32 or 64 bits, the result has 32."""

    def handler(t: PtxTranslator, i: Instr) -> None:
        kind = only_type(i)
        o = Ops(t, f"i{BITS[kind]}")
        t.set(i.operands[0], o.to("i32", "trunc", rule(o, t.get(i.operands[1], o.bits))), 32)

    return handler


def _bfind(t: PtxTranslator, i: Instr) -> None:
    kind, shift = words(i, "shiftamt")
    o = Ops(t, f"i{BITS[kind]}")
    x = t.get(i.operands[1], o.bits)
    if signed(kind):
        x = o("xor", x, o("ashr", x, o.bits - 1))
    zeros = o.fn("ctlz", x, False)
    value = zeros if shift else o("sub", o.bits - 1, zeros)
    t.set(i.operands[0], o.to("i32", "trunc", o.select(o.cmp("eq", x, 0), -1, value)), 32)


def below(o: Ops, n: str) -> str:
    """2**n - 1, all ones from the width on."""
    full = o.cmp("uge", n, o.bits)
    return o.select(full, -1, o("sub", o("shl", 1, o.select(full, 0, n)), 1))


def shifted(o: Ops, name: str, x: str, n: str) -> str:
    """A shift that gives 0 (ashr: the sign) from the width on."""
    if name == "ashr":
        return o("ashr", x, o.fn("umin", n, o.bits - 1))
    over = o.cmp("uge", n, o.bits)
    return o.select(over, 0, o(name, x, o.select(over, 0, n)))


def _extent(t: PtxTranslator, o: Ops, operand: object) -> str:
    """A position or length of a bit field, in the width that is worked in. The ISA restricts them to 0..255 (9.7.1.19,
    9.7.1.20): of what is beyond, the 32-bit forms take the low 8 bits, and the 64-bit forms, which ptxas 13.0 makes of
    shifts, take all of it (both seen on an H200)."""
    x = t.get(operand, 32)  # type: ignore[arg-type]
    return Ops(t, "i32")("and", x, 255) if o.bits == 32 else t.cut(x, 32, o.bits)


def _bfe(t: PtxTranslator, i: Instr) -> None:
    kind = only_type(i)
    o = Ops(t, f"i{BITS[kind]}")
    x, pos, length = t.get(i.operands[1], o.bits), _extent(t, o, i.operands[2]), _extent(t, o, i.operands[3])
    have = o.fn("usub.sat", o.bits, pos)
    mask = below(o, o.fn("umin", length, have))
    value = o("and", shifted(o, "lshr", x, pos), mask)
    if signed(kind):
        last = o.fn("umin", o("sub", o("add", pos, length), 1), o.bits - 1)
        sign = o("and", o("lshr", x, last), 1)
        fill = o.select(o.cmp("eq", length, 0), 0, o("sub", 0, sign))
        value = o("or", value, o("and", fill, o("xor", mask, -1)))
    t.set(i.operands[0], value, o.bits)


def _bfi(t: PtxTranslator, i: Instr) -> None:
    kind = only_type(i)
    o = Ops(t, f"i{BITS[kind]}")
    a, b = (t.get(x, o.bits) for x in i.operands[1:3])
    pos, length = (_extent(t, o, x) for x in i.operands[3:5])
    mask = shifted(o, "shl", below(o, length), pos)
    t.set(i.operands[0], o("or", o("and", b, o("xor", mask, -1)), o("and", shifted(o, "shl", a, pos), mask)), o.bits)


def _bmsk(t: PtxTranslator, i: Instr) -> None:
    """Ones from bit a on, b of them. PTX ISA 9.0, 9.7.1.22, bmsk: .clamp stops at bit 31, .wrap takes both modulo
    32."""
    _, mode = words(i, "clamp wrap")
    o = Ops(t, "i32")
    a, b = (t.get(x, 32) for x in i.operands[1:3])
    if mode == "wrap":
        a, b = o("and", a, 31), o("and", b, 31)
    low = shifted(o, "shl", "splat (i32 -1)", a)
    end = shifted(o, "shl", "splat (i32 -1)", o.fn("uadd.sat", a, b))
    t.set(i.operands[0], o("and", low, o("xor", end, -1)), 32)


def _szext(t: PtxTranslator, i: Instr) -> None:
    kind, mode = words(i, "clamp wrap")
    o = Ops(t, "i32")
    a, b = (t.get(x, 32) for x in i.operands[1:3])
    if mode == "wrap":
        b = o("and", b, 31)
    mask = o("xor", below(o, b), -1)
    value = o("and", a, o("xor", mask, -1))
    if signed(kind):
        sign = o("and", o("lshr", a, o("and", o("sub", b, 1), 31)), 1)
        value = o("or", value, o.select(o.cmp("eq", b, 0), 0, o("and", o("sub", 0, sign), mask)))
    t.set(i.operands[0], value, 32)


def _fns(t: PtxTranslator, i: Instr) -> None:
    """The place of the n-th set bit, counted from a base upward or downward."""
    only_type(i)
    o = Ops(t, "i32")

    def search(mask: str, base: str, offset: str) -> str:
        down = o.cmp("slt", offset, 0)
        step = o.select(down, -1, 1)
        count = o("sub", o.fn("abs", offset, False), 1)
        none = o.cmp("eq", offset, 0)
        count = o.select(none, 0, count)
        found, pos, inside = o("or", "splat (i32 -1)", 0), base, o.cmp("ult", base, 32)
        for k in range(32):
            # Who leaves the word does not come back.
            inside = o.t.op(f"and {o.t.t('i1')} {inside}, {o.cmp('ult', pos, 32)}")
            bit = o("and", o("lshr", mask, o("and", pos, 31)), o.t.op(f"zext {o.t.t('i1')} {inside} to {o.v}"))
            bit = o("and", bit, 1)
            if k:  # with offset 0, only the base itself is looked at
                bit = o.select(none, 0, bit)
            hit = o.t.op(f"and {o.t.t('i1')} {o.cmp('eq', count, 0)}, {o.cmp('ne', bit, 0)}")
            found = o.select(hit, pos, found)
            count = o("sub", count, bit)
            pos = o("add", pos, step)
        return found

    args = [("i32", t.get(x, 32)) for x in i.operands[1:4]]
    t.set(i.operands[0], function(t, "ave_fns", "i32", search, *args), 32)


def _dot(parts: int) -> Handler:
    """dp4a: the sum of products of four bytes; dp2a: of two halves of a with two bytes of b (.lo or .hi); added to
    c."""

    def handler(t: PtxTranslator, i: Instr) -> None:
        m = Mods(i)
        half = m.take("lo", "hi") if parts == 2 else ""
        kinds = m.types()
        m.done()
        o = Ops(t, "i32")
        a, b, total = (t.get(x, 32) for x in i.operands[1:4])

        def part(x: str, kind: str, bits: int, k: int) -> str:
            return o("ashr" if signed(kind) else "lshr", o("shl", x, 32 - bits * (k + 1)), 32 - bits)

        for k in range(parts):
            left = part(a, kinds[0], 32 // parts, k)
            right = part(b, kinds[1], 8, k + (2 if half == "hi" else 0))
            total = o("add", total, o("mul", left, right))
        t.set(i.operands[0], total, 32)

    return handler


TABLE: dict[str, Handler] = {
    "add": _add("add"),
    "sub": _add("sub"),
    "addc": _carry("add", True),
    "subc": _carry("sub", True),
    "mul": _mul,
    "mad": _mad(False),
    "madc": _mad(True),
    "mul24": _mul24(False),
    "mad24": _mul24(True),
    "sad": simple(_sad, 3),
    "div": simple(_div, 2),
    "rem": simple(_rem, 2),
    "abs": simple(_abs, 1),
    "neg": simple(lambda o, kind, m: lambda x: o("sub", 0, x), 1),
    "min": _extreme("min"),
    "max": _extreme("max"),
    "popc": counting(lambda o, x: o.fn("ctpop", x)),
    "clz": counting(lambda o, x: o.fn("ctlz", x, False)),
    "bfind": _bfind,
    "fns": _fns,
    "brev": simple(lambda o, kind, m: lambda x: o.fn("bitreverse", x), 1),
    "bfe": _bfe,
    "bfi": _bfi,
    "bmsk": _bmsk,
    "szext": _szext,
    "dp4a": _dot(4),
    "dp2a": _dot(2),
}
