"""Handlers of logic, shifts, moves and selections. PTX ISA 9.0, 9.7.8, "Logic and shift instructions", and 9.7.9, "Data
movement"."""

from __future__ import annotations

from avelang.llvm.vectors import Bool, Ops, function
from avelang.nvptx import nodes as n
from avelang.sim.ptx.code import BITS, At, Callee, Instr
from avelang.sim.ptx.integers import shifted, simple
from avelang.sim.ptx.modifiers import Mods, NotExecuted, only_type, words
from avelang.sim.ptx.state import LOCAL_BASE, NARROW_START, SHARED_BASE
from avelang.sim.ptx.translator import Handler, PtxTranslator


def _logic(name: str) -> Handler:
    words = simple(lambda o, kind, m: lambda x, y: o(name, x, y), 2)

    def handler(t: PtxTranslator, i: Instr) -> None:
        if i.parts[1:] != ("pred",):
            return words(t, i)
        t.set(i.operands[0], Bool(t)(name, t.pred(i.operands[1]), t.pred(i.operands[2])), 1)

    return handler


def _not(t: PtxTranslator, i: Instr) -> None:
    if i.parts[1:] == ("pred",):
        return t.set(i.operands[0], Bool(t).no(t.pred(i.operands[1])), 1)
    simple(lambda o, kind, m: lambda x: o("xor", x, -1), 1)(t, i)


def _cnot(o: Ops, kind: str, m: Mods):
    return lambda x: o.select(o.cmp("eq", x, 0), 1, 0)


def lookup(o: Ops, a: str, b: str, c: str, table: int) -> str:
    """Any function of three bits: bit 4 a + 2 b + c of the table."""
    not_ = dict.fromkeys((a, b, c), "")

    def literal(x: str, one: int) -> str:
        if one:
            return x
        not_[x] = not_[x] or o("xor", x, -1)
        return not_[x]

    terms = [o("and", o("and", literal(a, k >> 2 & 1), literal(b, k >> 1 & 1)), literal(c, k & 1)) for k in range(8)
        if table >> k & 1]
    value = "zeroinitializer"
    for x in terms:
        value = o("or", value, x)
    return value


def _lop3(t: PtxTranslator, i: Instr) -> None:
    _, joined = words(i, "and or")
    if not isinstance(i.operands[4], n.Int):
        raise NotExecuted("its table is no constant")
    o = Ops(t, "i32")
    a, b, c = (t.get(x, 32) for x in i.operands[1:4])
    value = lookup(o, a, b, c, i.operands[4].value)
    d = i.operands[0]
    if joined:
        if not isinstance(d, n.Pair):
            raise NotExecuted("with .and or .or, it has two destinations")
        t.set(d.second, Bool(t)(joined, o.cmp("ne", value, 0), t.pred(i.operands[5])), 1)  # type: ignore[arg-type]
        d = d.first  # type: ignore[assignment]
    t.set(d, value, 32)  # type: ignore[arg-type]


def _shift(name: str) -> Handler:
    def handler(t: PtxTranslator, i: Instr) -> None:
        kind = only_type(i)
        o, w = Ops(t, f"i{BITS[kind]}"), Ops(t, "i32")
        by = w.fn("umin", t.get(i.operands[2], 32), o.bits)
        by = t.cut(by, 32, o.bits)
        which = "shl" if name == "shl" else "ashr" if kind[0] == "s" else "lshr"
        t.set(i.operands[0], shifted(o, which, t.get(i.operands[1], o.bits), by), o.bits)

    return handler


def _funnel(t: PtxTranslator, i: Instr) -> None:
    """shf: the words b:a shifted; the upper word of a left shift, the lower of a right one."""
    _, side, mode = words(i, "l r", "wrap clamp")
    w, o = Ops(t, "i32"), Ops(t, "i64")
    a, b, c = (t.get(x, 32) for x in i.operands[1:4])
    by = w.to("i64", "zext", w("and", c, 31) if mode == "wrap" else w.fn("umin", c, 32))
    both = o("or", o("shl", w.to("i64", "zext", b), 32), w.to("i64", "zext", a))
    value = o("lshr", o("shl", both, by), 32) if side == "l" else o("lshr", both, by)
    t.set(i.operands[0], o.to("i32", "trunc", value), 32)


# Selectors of prmt's modes, by the two low bits of c: a nibble for each byte of the result.
PERMUTES = {"f4e": (0x3210, 0x4321, 0x5432, 0x6543), "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
    "rc8": (0x0000, 0x1111, 0x2222, 0x3333), "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
    "ecr": (0x0000, 0x1110, 0x2210, 0x3210), "rc16": (0x1010, 0x3232, 0x1010, 0x3232)}  # fmt: skip


def _permute(t: PtxTranslator, i: Instr) -> None:
    _, mode = words(i, " ".join(PERMUTES))
    w, o = Ops(t, "i32"), Ops(t, "i64")
    a, b, c = (t.get(x, 32) for x in i.operands[1:4])
    if mode:
        which, c0 = w("and", c, 3), ""
        for k, selector in enumerate(PERMUTES[mode]):
            c0 = w.select(w.cmp("eq", which, k), selector, c0) if c0 else str(w.lit(selector))
        c = c0

    def pick(a: str, b: str, c: str) -> str:
        both = o("or", o("shl", w.to("i64", "zext", b), 32), w.to("i64", "zext", a))
        value = ""
        for k in range(4):
            nibble = w("and", w("lshr", c, 4 * k), 15)
            at = w.to("i64", "zext", w("shl", w("and", nibble, 7), 3))
            byte = w("and", o.to("i32", "trunc", o("lshr", both, at)), 255)
            sign = w("and", w("sub", 0, w("lshr", byte, 7)), 255)
            byte = w.select(w.cmp("ugt", nibble, 7), sign, byte)
            value = w("or", value, w("shl", byte, 8 * k)) if value else byte
        return value

    t.set(i.operands[0], function(t, "ave_prmt", "i32", pick, *(("i32", x) for x in (a, b, c))), 32)


# -- moves -------------------------------------------------------------------------------------------------------------


def _mov(t: PtxTranslator, i: Instr) -> None:
    kind = only_type(i)
    d, a = i.operands
    if kind == "pred":
        return t.set(d, t.pred(a), 1)
    bits = BITS[kind]
    if isinstance(a, Callee):
        if a.number < 0:
            raise NotExecuted(f"`{a.name}` has no body: it has no address here")
        return t.set(d, t.constant(t.windows.functions + a.number * 16, bits), bits)
    if isinstance(a, At) and bits < (32 if a.variable.space in ("const", "param") else t.windows.bits) and (
            a.variable.space not in ("shared", "local")):  # fmt: skip
        raise NotExecuted(f"an address has {t.windows.bits} bits")
    t.set(d, t.get(a, bits, kind="f" if kind in ("f32", "f64") else "b"), bits)


def _selp(t: PtxTranslator, i: Instr) -> None:
    kind = only_type(i)
    o = Ops(t, f"i{BITS[kind]}")
    a, b = (t.get(x, o.bits, kind=kind[0]) for x in i.operands[1:3])
    t.set(i.operands[0], o.select(t.pred(i.operands[3]), a, b), o.bits)


def _slct(t: PtxTranslator, i: Instr) -> None:
    """a where c >= 0, else b; of an f32 c, NaN selects b."""
    m = Mods(i)
    kinds, ftz = m.types(), m.has("ftz")
    m.done()
    o, w = Ops(t, f"i{BITS[kinds[0]]}"), Ops(t, "i32")
    a, b = (t.get(x, o.bits, kind=kinds[0][0]) for x in i.operands[1:3])
    c = t.get(i.operands[3], 32, kind=kinds[1][0])
    if kinds[1] == "f32":
        f = Ops(t, "float")
        if ftz:
            c = w.select(w.cmp("eq", w("and", c, 0x7F800000), 0), 0, c)
        take = f.cmp("oge", f.number(c), 0.0)
    else:
        take = w.cmp("sge", c, 0)
    t.set(i.operands[0], o.select(take, a, b), o.bits)


# -- generic addresses -------------------------------------------------------------------------------------------------

BASES = {"shared": SHARED_BASE, "shared::cta": SHARED_BASE, "shared::cluster": SHARED_BASE, "local": LOCAL_BASE}
SAME = ("global", "const", "param", "param::entry")


def _cvta(t: PtxTranslator, i: Instr) -> None:
    """Between addresses of a space and generic ones. Of global, const and parameters both are the address on this
    machine."""
    _, to, space = words(i, "to", " ".join((*BASES, *SAME)))
    bits = t.windows.bits
    o = Ops(t, f"i{bits}")
    x = t.get(i.operands[1], bits)
    if space in BASES:
        x = o("and", x, 0xFFFFFFFF if bits == 64 else (1 << 28) - 1) if to else o("or", x, BASES[space] >> 64 - bits)
    t.set(i.operands[0], x, bits)


def _isspacep(t: PtxTranslator, i: Instr) -> None:
    m = Mods(i)
    space = m.take(*BASES, *SAME)
    m.done()
    bits = t.windows.bits
    o = Ops(t, "i64")
    x = t.cut(t.get(i.operands[1], bits), bits, 64)
    window = o("lshr", x, bits - 4)
    if space in BASES:
        yes = o.cmp("eq", window, BASES[space] >> 60)
        if space in ("shared", "shared::cta"):
            rank = o("and", o("lshr", x, 24), 15)
            own = t.splat(t.op(f"zext i32 {t.word('rank')} to i64"), "i64")
            yes = Bool(t)("and", yes, o.cmp("eq", rank, own))
    elif space == "global":
        yes = o.cmp("eq", window, 0) if bits == 64 else o.cmp("uge", window, NARROW_START >> 28)
    else:
        raise NotExecuted(f"isspacep.{space} is not modeled")
    t.set(i.operands[0], yes, 1)


def _mapa(t: PtxTranslator, i: Instr) -> None:
    """The address of a shared variable in another block of the cluster."""
    kind, shared = words(i, "shared::cluster")
    bits = BITS[kind]
    o = Ops(t, f"i{bits}")
    x = t.get(i.operands[1], bits)
    rank = t.cut(t.get(i.operands[2], 32), 32, bits)
    if not shared and bits != t.windows.bits:
        raise NotExecuted(f"generic addresses have {t.windows.bits} bits")
    value = o("or", o("and", x, ~(0xF << 24)), o("shl", rank, 24))
    t.set(i.operands[0], value, bits)


def _getctarank(t: PtxTranslator, i: Instr) -> None:
    kind, _ = words(i, "shared::cluster")
    o = Ops(t, f"i{BITS[kind]}")
    rank = o("and", o("lshr", t.get(i.operands[1], o.bits), 24), 255)
    t.set(i.operands[0], t.cut(rank, o.bits, 32), 32)


TABLE: dict[str, Handler] = {
    **{name: _logic(name) for name in ("and", "or", "xor")},
    "not": _not,
    "cnot": simple(_cnot, 1),
    "lop3": _lop3,
    "shl": _shift("shl"),
    "shr": _shift("shr"),
    "shf": _funnel,
    "prmt": _permute,
    "mov": _mov,
    "selp": _selp,
    "slct": _slct,
    "cvta": _cvta,
    "isspacep": _isspacep,
    "mapa": _mapa,
    "getctarank": _getctarank,
}
