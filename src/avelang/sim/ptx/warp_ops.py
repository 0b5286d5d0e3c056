"""Handlers of what the lanes of a warp do together. PTX ISA 9.0, 9.7.9.6, shfl.sync, and 9.7.13, "Parallel
synchronization"."""

from __future__ import annotations

import avelang.sim.ptx.watch_text as watch_text
from avelang.llvm.core import Body
from avelang.llvm.vectors import Bool, Ops, function
from avelang.nvptx import nodes as n
from avelang.sim.ptx.code import Instr, Operand
from avelang.sim.ptx.float_formats import Floats
from avelang.sim.ptx.modifiers import Mods, NotExecuted, words
from avelang.sim.ptx.state import LANES
from avelang.sim.ptx.translator import Handler, PtxTranslator


def _gather(t: PtxTranslator, members: Operand | None) -> str:
    """Waits for the lanes that take part; an i32 of those that do and execute this."""
    if members is None:
        return t.lanes()
    mask = t.get(members, 32)
    word = t.together(mask)
    if t.watched:
        o = Ops(t, "i32")
        named = o("and", o("lshr", mask, t.numbers()), 1)
        t.note(watch_text.UNNAMED, 0, t.op(f"and i32 {t.bits_of(o.cmp('eq', named, 0))}, {t.lanes()}"))
    return t.op(f"and i32 {word}, {t.lanes()}")


def pick(t: PtxTranslator, x: str, lanes: str, e: str = "i32") -> str:
    """Each lane's value of x in the lane that `lanes` (i32, 0 to 31) names."""

    def text() -> str:
        b, v, i32 = Body(), t.t(e), t.t("i32")
        source, where, out = b.alloca(v), b.alloca(i32), b.alloca(v)
        b.do(f"store {v} %x, ptr {source}, align 64")
        b.do(f"store {i32} %at, ptr {where}, align 64")
        with b.each(LANES) as lane:
            other = b.op(f"load i32, ptr {b.op(f'getelementptr i32, ptr {where}, i64 {lane}')}, align 4")
            y = b.op(f"load {e}, ptr {b.op(f'getelementptr {e}, ptr {source}, i32 {other}')}, align 4")
            b.do(f"store {e} {y}, ptr {b.op(f'getelementptr {e}, ptr {out}, i64 {lane}')}, align 4")
        b.do(f"ret {v} {b.op(f'load {v}, ptr {out}, align 64')}")
        return f"define internal {v} @ave_pick_{e}({v} %x, {i32} %at) noinline #0 {{\n{b.text()}\n}}"

    t.helper(f"ave_pick_{e}", text)
    return t.op(f"call {t.t(e)} @ave_pick_{e}({t.t(e)} {x}, {t.t('i32')} {lanes})")


def constant_pick(t: PtxTranslator, x: str, lanes: list[int], e: str = "i32") -> str:
    """Each lane's value of x in a lane that is known now."""
    order = ", ".join(f"i32 {k}" for k in lanes)
    return t.op(f"shufflevector {t.t(e)} {x}, {t.t(e)} poison, <{len(lanes)} x i32> <{order}>")


def source_lanes(mode: str, b: int, c: int) -> tuple[list[int], list[bool]]:
    """(the lane that each lane reads, whether that is in range), by the ISA's rule."""
    segment, clamp = c >> 8 & 31, c & 31
    out, inside = [], []
    for lane in range(LANES):
        last, first = lane & segment | clamp & ~segment, lane & segment
        j = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": first | b & ~segment}[mode]
        good = j >= last if mode == "up" else j <= last
        inside.append(good)
        out.append(j if good else lane)
    return out, inside


def _shfl(t: PtxTranslator, i: Instr) -> None:
    _, _, mode = words(i, "sync", "up down bfly idx")
    who = _gather(t, i.operands[4])
    d, a, b, c = i.operands[:4]
    x = t.get(a, 32)
    if isinstance(b, n.Int) and isinstance(c, n.Int):
        lanes, inside = source_lanes(mode, b.value & 31, c.value)
        value, ok = constant_pick(t, x, lanes), t.const_vector([str(y).lower() for y in inside], "i1")
        source = t.const_vector(lanes, "i32")
    else:
        source, ok = _any_shuffle(t, mode, t.get(b, 32), t.get(c, 32))
        value = pick(t, x, source)
    t.picked(x, value, source)
    if t.watched:
        _alone(t, who, source, ok)
    first, second = (d.first, d.second) if isinstance(d, n.Pair) else (d, None)
    t.set(first, value, 32)  # type: ignore[arg-type]
    if second is not None:
        t.set(second, ok, 1)  # type: ignore[arg-type]


def _alone(t: PtxTranslator, who: str, source: str, ok: str) -> None:
    """Watched code writes down the lanes that read a lane which does not execute this; their sources stand where
    addresses do."""
    o = Ops(t, "i32")
    there = o("and", o("lshr", t.splat(who, "i32"), source), 1)
    alone = t.op(f"and {t.t('i1')} {o.cmp('eq', there, 0)}, {ok}")
    t.put_addresses(o.to("i64", "zext", source))
    t.note(watch_text.ALONE, 0, t.op(f"and i32 {t.bits_of(alone)}, {t.lanes()}"))


def _any_shuffle(t: PtxTranslator, mode: str, b: str, c: str) -> tuple[str, str]:
    """(the lane that each lane reads, whether that is in range)."""
    o, lane = Ops(t, "i32"), t.numbers()
    b = o("and", b, 31)
    segment, clamp = o("and", o("lshr", c, 8), 31), o("and", c, 31)
    first, outside = o("and", segment, lane), o("xor", segment, -1)
    last = o("or", first, o("and", clamp, outside))
    if mode == "idx":
        j = o("or", first, o("and", b, outside))
    else:
        j = {"up": lambda: o("sub", lane, b), "down": lambda: o("add", lane, b),
            "bfly": lambda: o("xor", b, lane)}[mode]()
    ok = o.cmp("sge" if mode == "up" else "sle", j, last)
    return o("and", o.select(ok, j, lane), 31), ok


def _vote(t: PtxTranslator, i: Instr) -> None:
    _, mode, _ = words(i, "all any uni ballot", "sync")
    who = _gather(t, i.operands[2])
    bits = t.op(f"and i32 {t.bits_of(t.pred(i.operands[1]))}, {who}")
    if mode == "ballot":
        return t.set(i.operands[0], t.splat(bits, "i32"), 32)
    every, some = t.op(f"icmp eq i32 {bits}, {who}"), t.op(f"icmp ne i32 {bits}, 0")
    if mode == "uni":
        none = t.op(f"xor i1 {some}, true")
        every = t.op(f"or i1 {every}, {none}")
    t.set(i.operands[0], t.splat(some if mode == "any" else every, "i1"), 1)
    return None


def _match(t: PtxTranslator, i: Instr) -> None:
    kind, mode, _ = words(i, "any all", "sync")
    bits = int(kind[1:])
    who = _gather(t, i.operands[2])
    o, w = Ops(t, f"i{bits}"), Ops(t, "i32")

    def equal(x: str) -> str:
        out = "zeroinitializer"
        for k in range(LANES):
            one = t.op(f"extractelement {o.v} {x}, i32 {k}")
            out = w("or", out, w.select(o.cmp("eq", x, t.splat(one, o.e)), 1 << k if k < 31 else -(1 << 31), 0))
        return out

    same = function(t, f"ave_match_{bits}", "i32", equal, (o.e, t.get(i.operands[1], bits)))
    same = w("and", same, t.splat(who, "i32"))
    d = i.operands[0]
    if mode == "any":
        return t.set(d, same, 32)
    everyone = w.cmp("eq", same, t.splat(who, "i32"))
    first, second = (d.first, d.second) if isinstance(d, n.Pair) else (d, None)
    t.set(first, w.select(everyone, same, 0), 32)  # type: ignore[arg-type]
    if second is not None:
        t.set(second, everyone, 1)  # type: ignore[arg-type]
    return None


IDENTITY = {"add": 0, "and": -1, "or": 0, "xor": 0, "umin": -1, "umax": 0, "smin": (1 << 31) - 1, "smax": -(1 << 31)}


def _redux(t: PtxTranslator, i: Instr) -> None:
    kind, op, _, absolute, nan = words(i, "add min max and or xor", "sync", "abs", "NaN")
    who = _gather(t, i.operands[2])
    if kind == "f32":
        return _redux_float(t, i, op, who, bool(absolute), bool(nan))
    name = kind[0] + op if op in ("min", "max") else op
    o = Ops(t, "i32")
    x = o.select(t.lanes_of(who), t.get(i.operands[1], 32), IDENTITY[name])
    value = t.call(f"llvm.vector.reduce.{name}.v{LANES}i32", "i32", (o.v, x))
    t.set(i.operands[0], t.splat(value, "i32"), 32)
    return None


def _redux_float(t: PtxTranslator, i: Instr, op: str, who: str, absolute: bool, nan: bool) -> None:
    """The least or greatest f32, as min and max have it: a NaN gives way to numbers, or wins with .NaN."""
    f = Floats(t, "f32")
    o, lanes = f.o, t.lanes_of(who)
    x = t.get(i.operands[1], 32)
    x = f.magnitude(x) if absolute else x
    lost = Bool(t)("or", f.is_nan(x), Bool(t).no(lanes))
    # The key behind all numbers on the side that loses is a NaN's.
    keys = o.select(lost, IDENTITY["s" + op], f.key(x))
    found = t.call(f"llvm.vector.reduce.s{op}.v{LANES}i32", "i32", (o.v, keys))
    value = f.canonical(f.key(t.splat(found, "i32")))
    if nan:
        some = t.op(f"icmp ne i32 {t.op(f'and i32 {t.bits_of(f.is_nan(x))}, {who}')}, 0")
        value = o.select(t.splat(some, "i1"), f.format.nan, value)
    t.set(i.operands[0], value, 32)


def _elect(t: PtxTranslator, i: Instr) -> None:
    """The lowest lane that takes part is the leader; the ISA leaves open which it is."""
    m = Mods(i)
    m.take("sync")
    m.done()
    d = i.operands[0]
    if not isinstance(d, n.Pair):
        raise NotExecuted("it has two destinations")
    who = _gather(t, i.operands[1])
    leader = t.splat(t.op(f"call i32 @llvm.cttz.i32(i32 {who}, i1 false)"), "i32")
    t.set(d.first, leader, 32)  # type: ignore[arg-type]
    t.set(d.second, Ops(t, "i32").cmp("eq", leader, t.numbers()), 1)  # type: ignore[arg-type]


def _activemask(t: PtxTranslator, i: Instr) -> None:
    t.set(i.operands[0], t.splat(t.lanes(), "i32"), 32)


def warp_barrier(t: PtxTranslator, i: Instr) -> None:
    """bar.warp.sync."""
    if i.index != t.without:
        _gather(t, i.operands[0])
    t.note(watch_text.FENCE)


TABLE: dict[str, Handler] = {
    "shfl": _shfl,
    "vote": _vote,
    "match": _match,
    "redux": _redux,
    "elect": _elect,
    "activemask": _activemask,
    "bar.warp.sync": warp_barrier,
}
