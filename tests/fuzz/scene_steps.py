"""Statements of drawn PTX programs that touch memory or other threads: loads and stores of all spaces and widths, shared memory between barriers, what the lanes of a
warp do together, atomic operations in which no order shows, copies of `cp.async`, calls. Each as text, and as the PTX manual has it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from fuzz.scenes import CLASS, THREADS, WARP, Block, Draw, If, Mask, Plain, State, Statement
from sim.ptx import programs
from sim.ptx.forms import Form
from sim.ptx.numbers import signed

# Shared memory, in bytes: where threads exchange, counters, a thread's own 8 bytes, where copies go, matrices of each warp.
EXCHANGE, COUNTS, OWN, COPIES, MATRICES, SHARED = 0, 1024, 1664, 2176, 3200, 4352
COMMUTE: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b, "min": min, "max": max, "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
}  # fmt: skip
GROUPS = (("add", "u32"), ("min", "s32"), ("max", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32"), ("add", "u64"), ("max", "s64"))
LOCAL, OWN_BYTES, TABLE = 64, 32, 64  # bytes of local memory, of a thread's global memory; words of tables


class Memory:
    """What memory holds at first. `arrays` are global: the table is only read, each thread has a part of `own`, all add to `counts`."""

    def __init__(self, seed: int, blocks: int):
        rng = np.random.default_rng(seed)
        self.blocks = blocks
        self.shared = rng.integers(0, 256, SHARED, dtype=np.uint8).tobytes()
        self.table = rng.integers(0, 2**32, TABLE, dtype=np.uint32)
        self.constants = rng.integers(0, 2**32, TABLE, dtype=np.uint32)
        self.frags = bytearray(16)  # of matrices, as lanes load them
        self.arrays = {"own": rng.integers(0, 256, blocks * THREADS * OWN_BYTES, dtype=np.uint8), "counts": rng.integers(0, 256, SHARED, dtype=np.uint8)}

    def fragments(self, words: list[list[int]], size: int) -> int:
        """Puts the words of each thread into memory; where the first one's begin."""
        first = len(self.frags)
        self.frags += b"".join(w.to_bytes(size, "little") for row in words for w in row)
        self.frags += bytes(-len(self.frags) % 16)
        return first


def scoped(lines: str, wide: bool = True) -> list[str]:
    """Lines with scratch registers of their own."""
    return ["{ .reg .b32 x, y; .reg .b64 a, z; .reg .pred t;", *(part.strip() + ";" for part in lines.split(";") if part.strip()), "}"]


def count_at(group: int) -> int:
    """Where the counters of an operation begin: 16 of 32 bits, or 8 of 64."""
    return COUNTS + 64 * group


def get(memory: bytearray, at: int, size: int) -> int:
    return int.from_bytes(memory[at : at + size], "little")


def put(memory: bytearray, at: int, size: int, value: int) -> None:
    memory[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")


# What loads and stores move: the type, the registers' class, bytes, and whether a load extends a sign.
LOADS = (("b32", "i32", 4, False), ("b32", "i32", 4, False), ("b64", "i64", 8, False), ("u8", "i16", 1, False), ("s8", "i16", 1, True), ("u16", "i32", 2, False),
         ("s16", "i32", 2, True), ("b16", "i16", 2, False), ("s32", "i64", 4, True), ("u8", "i32", 1, False))  # fmt: skip
STORES = (("b32", "i32", 4), ("b64", "i64", 8), ("b8", "i16", 1), ("b16", "i16", 2), ("b16", "i32", 2), ("b8", "i32", 1))


def vectors(r: random.Random, size: int, most: int) -> int:
    return r.choice([v for v in (1, 1, 2, 4) if v * size <= min(16, most)])


def names(regs: list[str]) -> str:
    return regs[0] if len(regs) == 1 else "{" + ", ".join(regs) + "}"


def _move(d: Draw, space: str, base: str, room: int, memory: Callable[[State, int], tuple[bytearray, int]], load: bool, dynamic: bool, qualifier: str = "") -> Statement:
    """A load or a store of one or several elements in a thread's part of a memory, or anywhere in a table. `base`: the register with its address."""
    r = d.rng
    kind, cls, size, extend = r.choice(LOADS) if load else (*r.choice(STORES), False)
    count = vectors(r, size, room)
    regs = d.regs(cls, count) if load else [d.reg(cls) for _ in range(count)]
    whole, index = size * count, d.reg("u32")
    places = room // whole
    bits = (1 << places.bit_length() - 1) - 1 if dynamic else 0
    offset = whole * r.randrange(places) if not dynamic else 0
    wide = space not in ("shared", "local")
    address = f"and.b32 x, {index}, {bits}; " + (f"mad.wide.u32 a, x, {whole}, {base}; " if wide else f"mad.lo.u32 y, x, {whole}, {base}; ") if dynamic else ""
    where = f"[{('a' if wide else 'y') if dynamic else base}{f'+{offset}' if offset else ''}]"
    v = f".v{count}" if count > 1 else ""
    text = f"{address}ld{qualifier}.{space}{v}.{kind} {names(regs)}, {where}" if load else f"{address}st{qualifier}.{space}{v}.{kind} {where}, {names(regs)}"
    width = {"i16": 16, "i32": 32, "i64": 64}[cls]

    def does(s: State, mask: Mask) -> None:
        for t in s.lanes(mask):
            data, at = memory(s, t)
            at += (s.regs[index][t] & bits) * whole if dynamic else offset
            for k, reg in enumerate(regs):
                if load:
                    value = get(data, at + k * size, size)
                    s.regs[reg][t] = (signed(value, 8 * size) if extend else value) & (1 << width) - 1
                else:
                    put(data, at + k * size, size, s.regs[reg][t])

    return Plain(scoped(text.replace("..", ".")), does)


def global_memory(d: Draw, uniform: bool) -> Statement:
    pick, q = d.rng.random(), d.rng.choice(("", "", ".volatile", ".relaxed.gpu"))
    if pick < 0.3:
        nc = d.rng.choice(("global", "global.nc", "global.ca"))
        table = _move(d, nc, "%tab", TABLE * 4, lambda s, t: (s.memory["table"], 0), True, True)
        return table
    load = pick < 0.65
    space = "global" if q or d.rng.random() < 0.7 else "own_generic"
    if space == "own_generic":
        return _generic(d, load)
    return _move(d, space, "%own", OWN_BYTES, lambda s, t: (s.memory["own"], t * OWN_BYTES), load, d.rng.random() < 0.5, q)


def _generic(d: Draw, load: bool) -> Statement:
    """By a generic address: in global, in shared or in local memory."""
    which = d.rng.choice(("own", "shared", "local"))
    base, room = {"own": ("%own", OWN_BYTES), "shared": ("%gsh", 8), "local": ("%gloc", LOCAL)}[which]

    def memory(s: State, t: int) -> tuple[bytearray, int]:
        if which == "shared":
            return s.shared[t // THREADS], OWN + t % THREADS * 8
        return s.memory[which], t * room

    made = _move(d, "GENERIC", base, room, memory, load, d.rng.random() < 0.4)
    assert isinstance(made, Plain)
    made.lines = [x.replace(".GENERIC", "") for x in made.lines]
    return made


def own_memory(d: Draw, uniform: bool) -> Statement:
    """Local memory, a thread's own bytes of shared memory, constants."""
    pick, load = d.rng.random(), d.rng.random() < 0.5
    if pick < 0.45:
        return _move(d, "local", "%loc", LOCAL, lambda s, t: (s.memory["local"], t * LOCAL), load, d.rng.random() < 0.6)
    if pick < 0.8:
        return _move(d, "shared", "%mine", 8, lambda s, t: (s.shared[t // THREADS], OWN + t % THREADS * 8), load, d.rng.random() < 0.3)
    return _move(d, "const", "%ctab", TABLE * 4, lambda s, t: (s.memory["constants"], 0), True, True)


def special(d: Draw, uniform: bool) -> Statement:
    """A special register."""
    found: dict[str, Callable[[int], int]] = {
        "%tid.x": lambda t: t % THREADS, "%ctaid.x": lambda t: t // THREADS, "%ntid.x": lambda t: THREADS, "%laneid": lambda t: t % WARP, "%nctaid.x": lambda t: d.blocks,
        "%lanemask_lt": lambda t: (1 << t % WARP) - 1, "%lanemask_eq": lambda t: 1 << t % WARP, "%lanemask_ge": lambda t: 0xFFFFFFFF >> t % WARP << t % WARP,
    }  # fmt: skip
    name, reg = d.rng.choice(list(found)), d.reg("u32")

    def does(s: State, mask: Mask) -> None:
        for t in s.lanes(mask):
            s.regs[reg][t] = found[name](t) & 0xFFFFFFFF

    return Plain([f"mov.u32 {reg}, {name};"], does)


# -- between barriers ----------------------------------------------------------------------------------------------------------------------------


def exchange(d: Draw, uniform: bool) -> Statement:
    """Threads put values into shared memory and read those of others, of the block or of their warp."""
    r = d.rng
    cls, size = r.choice((("i32", 4), ("i64", 8), ("i16", 2)))  # not floats: nothing is said of the bits of a NaN
    count = vectors(r, size, 16)
    have, get_ = [d.reg(cls) for _ in range(count)], d.regs(cls, count)
    warp = r.random() < 0.3
    among = WARP if warp else THREADS
    turn, shift = r.choice((1, 3, 5, 7, 31)), r.randrange(among)
    meet = r.choice(("bar.warp.sync -1", "bar.warp.sync 0xffffffff")) if warp else r.choice(("bar.sync 0", "barrier.sync 0", "bar.sync 1, 64", "barrier.cta.sync.aligned 3", "bar.sync 0, 64"))
    v, step = f".v{count}" if count > 1 else "", size * count
    number = "%lane" if warp else "%tidx"
    text = (f"mul.lo.u32 x, {number}, {step}; add.u32 x, x, %exc; {'mad.lo.u32 x, %warp, 512, x; ' if warp else ''}{meet}; st.shared{v}.b{8 * size} [x], {names(have)}; {meet}; "
            f"mad.lo.u32 y, {number}, {turn}, {shift}; and.b32 y, y, {among - 1}; mul.lo.u32 y, y, {step}; add.u32 y, y, %exc; "
            f"{'mad.lo.u32 y, %warp, 512, y; ' if warp else ''}ld.shared{v}.b{8 * size} {names(get_)}, [y]; {meet}")  # fmt: skip

    def place(t: int, n: int) -> int:
        return EXCHANGE + n * step + (t % THREADS // WARP * 512 if warp else 0)

    def does(s: State, mask: Mask) -> None:
        for t in range(s.threads):
            for k, reg in enumerate(have):
                put(s.shared[t // THREADS], place(t, t % among) + k * size, size, s.regs[reg][t])
        for t in range(s.threads):
            for k, reg in enumerate(get_):
                s.regs[reg][t] = get(s.shared[t // THREADS], place(t, (t % among * turn + shift) % among) + k * size, size)

    return Plain(scoped(text), does)


def counted(d: Draw, uniform: bool) -> Statement:
    """`bar.red`: all threads of the block count, or ask."""
    r, p, how = d.rng, d.reg("pred"), d.rng.choice(("popc", "and", "or"))
    out = d.reg("u32") if how == "popc" else r.choice([x for x in d.names["p"] if x != p])
    sign = r.choice(("", "!"))
    text = f"{r.choice(('bar.red', 'barrier.cta.red.aligned', 'barrier.red'))}.{how}.{'u32' if how == 'popc' else 'pred'} {out}, {r.choice((0, 2))}, {sign}{p};"

    def does(s: State, mask: Mask) -> None:
        held = [bool(v) != bool(sign) for v in s.regs[p]]
        for b in range(s.threads // THREADS):
            mine = held[b * THREADS : (b + 1) * THREADS]
            value = {"popc": sum(mine), "and": int(all(mine)), "or": int(any(mine))}[how]
            s.regs[out][b * THREADS : (b + 1) * THREADS] = [value] * THREADS

    return Plain([text], does)


def copies(d: Draw, uniform: bool) -> Statement:
    """`cp.async` from the table into shared memory, some with zeros behind what is read; other threads' bytes are read behind a barrier."""
    r = d.rng
    size = r.choice((4, 8, 16))
    kept = r.choice((size, size, 0, size // 2 if size > 4 else 4))
    how = f"cp.async.{'cg' if size == 16 else 'ca'}.shared.global [x], [a], {size}{f', {kept}' if kept != size or r.random() < 0.3 else ''}"
    out, turn = d.reg("u32"), r.randrange(THREADS)
    wait = r.choice(("cp.async.commit_group; cp.async.wait_group 0", "cp.async.wait_all"))
    text = (f"bar.sync 0; mad.lo.u32 x, %tidx, 16, %cop; mul.lo.u32 y, %tidx, 4; and.b32 y, y, {256 - size & -size}; cvt.u64.u32 z, y; add.u64 a, %tab, z; {how}; {wait}; bar.sync 0; "
            f"add.u32 y, %tidx, {turn}; and.b32 y, y, 63; mad.lo.u32 y, y, 16, %cop; ld.shared.b32 {out}, [y]; bar.sync 0")  # fmt: skip

    def does(s: State, mask: Mask) -> None:
        for t in range(s.threads):
            at = t % THREADS * 4 & (256 - size & -size)
            data = bytes(s.memory["table"][at : at + kept]) + bytes(size - kept)
            s.shared[t // THREADS][COPIES + t % THREADS * 16 : COPIES + t % THREADS * 16 + size] = data
        for t in range(s.threads):
            s.regs[out][t] = get(s.shared[t // THREADS], COPIES + (t % THREADS + turn) % THREADS * 16, 4)

    return Plain(scoped(text), does)


# -- warps ---------------------------------------------------------------------------------------------------------------------------------------


def together() -> tuple[Form, ...]:
    """Forms of whole warps."""
    return tuple(f for f in programs.alphabet() if f.warp and all(k in CLASS for k in (*f.ins, *f.outs)))


def lanes(d: Draw, uniform: bool) -> Statement:
    form = d.rng.choice(together())
    ins, outs = [d.reg(k) for k in form.ins], []
    for k in form.outs:
        outs.append(d.rng.choice([x for x in d.names[CLASS[k]] if x not in outs and not ("{{" in form.text and x in ins)]))
    text = form.text.format(**dict(zip("abcg", ins, strict=False)), **dict(zip("de", outs, strict=False)))

    def does(s: State, mask: Mask) -> None:
        for w in range(0, s.threads, WARP):
            found = form.rule(*([s.regs[r][t] for t in range(w, w + WARP)] for r in ins))
            results: Any = found if isinstance(found, tuple) else (found,)
            for r, values in zip(outs, results, strict=True):
                s.regs[r][w : w + WARP] = [int(v) for v in values]

    return Plain([text], does)


def some_lanes(d: Draw, uniform: bool) -> Statement:
    """Behind a branch, what the lanes that took it do together: their mask is known from a ballot before it."""
    r, p = d.rng, d.reg("pred")
    a, out = d.reg("u32"), d.reg("u32")
    how = r.choice(("redux add", "redux min", "lowest", "ballot", "match", "any", "meet"))
    q = r.choice([x for x in d.names["p"] if x != p])
    text = {
        "redux add": f"redux.sync.add.u32 {out}, {a}, x", "redux min": f"redux.sync.min.s32 {out}, {a}, x", "match": f"and.b32 y, {a}, 1; match.any.sync.b32 {out}, y, x",
        "lowest": f"brev.b32 y, x; clz.b32 y, y; shfl.sync.idx.b32 {out}, {a}, y, 0x1f, x", "ballot": f"vote.sync.ballot.b32 {out}, {q}, x",
        "any": f"vote.sync.any.pred {q}, {q}, x; selp.b32 {out}, 7, 9, {q}", "meet": f"bar.warp.sync x; mov.u32 {out}, x",
    }[how]  # fmt: skip
    label = d.label()
    lines = ["{ .reg .b32 x, y;", f"vote.sync.ballot.b32 x, {p}, -1;", f"@!{p} bra {label}_end;", *(f"{t.strip()};" for t in text.split(";")), f"{label}_end:", "}"]

    def does(s: State, mask: Mask) -> None:
        for w in range(0, s.threads, WARP):
            took = [t for t in range(w, w + WARP) if s.regs[p][t]]
            if not took:
                continue
            bits = sum(1 << t - w for t in took)
            values, holds = {t: s.regs[a][t] for t in took}, {t: s.regs[q][t] for t in took}
            for t in took:
                if how == "redux add":
                    found = sum(values.values())
                elif how == "redux min":
                    found = min(signed(v, 32) for v in values.values())
                elif how == "match":
                    found = sum(1 << u - w for u in took if values[u] & 1 == values[t] & 1)
                elif how == "ballot":
                    found = sum(1 << u - w for u in took if holds[u])
                elif how == "any":
                    s.regs[q][t] = int(any(holds.values()))
                    found = 7 if any(holds.values()) else 9
                else:
                    found = values[took[0]] if how == "lowest" else bits
                s.regs[out][t] = found & 0xFFFFFFFF

    return Plain(lines, does)


# -- atomic operations ---------------------------------------------------------------------------------------------------------------------------


def counters(d: Draw, uniform: bool) -> Statement:
    """All threads that are here change counters by one operation, in which no order shows; nothing is read."""
    r = d.rng
    g = r.randrange(len(GROUPS))
    op, kind = GROUPS[g]
    bits = int(kind[1:])
    size, many = bits // 8, 512 // bits
    a, index, shared = d.reg(f"u{bits}"), d.reg("u32"), r.random() < 0.5
    at = count_at(g)
    order, scope = r.choice(("", ".relaxed")), r.choice((".cta", ".gpu")) if shared else ".gpu"
    how = f"red{order}{scope if order else ''}" if r.random() < 0.7 else f"atom{order}{scope if order else ''}"
    first = f"and.b32 x, {index}, {many - 1}; "
    sink = {32: "y", 64: "z"}[bits]
    out = f"{sink}, " if how.startswith("atom") else ""
    if shared:
        text = f"{first}mad.lo.u32 x, x, {size}, %cnts; {how}.shared.{op}.{kind} {out}[x+{64 * g}], {a}"
    else:
        text = f"{first}mad.wide.u32 a, x, {size}, %cntg; {how}.global.{op}.{kind} {out}[a+{at}], {a}"

    def does(s: State, mask: Mask) -> None:
        for t in s.lanes(mask):
            data = s.shared[t // THREADS] if shared else s.memory["counts"]
            place = at + (s.regs[index][t] & many - 1) * size
            x, y = get(data, place, size), s.regs[a][t]
            if kind[0] == "s":
                x, y = signed(x, bits), signed(y, bits)
            put(data, place, size, COMMUTE[op](x, y))

    return Plain(scoped(text), does)


ALONE: dict[str, Callable[[int, int, int], int]] = {
    **{k: lambda x, b, c, f=f: f(x, b) for k, f in COMMUTE.items()}, "exch": lambda x, b, c: b, "cas": lambda x, b, c: c if x == b else x,
    "inc": lambda x, b, c: 0 if x >= b else x + 1, "dec": lambda x, b, c: b if x == 0 or x > b else x - 1,
}  # fmt: skip


def alone(d: Draw, uniform: bool) -> Statement:
    """An atomic operation on a thread's own word: what it gives is known."""
    r = d.rng
    op = r.choice(list(ALONE))
    bits = 32 if op in ("inc", "dec") else r.choice((32, 64))
    kind = {"exch": "b", "cas": "b", "and": "b", "or": "b", "xor": "b", "inc": "u", "dec": "u", "add": "u"}.get(op) or r.choice("us")
    b, c, out = d.reg(f"u{bits}"), d.reg(f"u{bits}"), d.reg(f"u{bits}")
    shared = r.random() < 0.5
    where = "shared" if shared else "global"
    third = f", {c}" if op == "cas" else ""
    text = f"atom{r.choice(('', '.relaxed.gpu', '.acq_rel.gpu'))}.{where}.{op}.{kind}{bits} {out}, [{'%mine' if shared else '%own+8'}], {b}{third};"

    def does(s: State, mask: Mask) -> None:
        for t in s.lanes(mask):
            data, at = (s.shared[t // THREADS], OWN + t % THREADS * 8) if shared else (s.memory["own"], t * OWN_BYTES + 8)
            x, y, z = get(data, at, bits // 8), s.regs[b][t], s.regs[c][t]
            old = x
            if kind == "s":
                x, y = signed(x, bits), signed(y, bits)
            put(data, at, bits // 8, ALONE[op](x, y, z))
            s.regs[out][t] = old

    return Plain([text], does)


def call(d: Draw, uniform: bool) -> Statement:
    """One of the functions of the module, by name or by address."""
    r, a, b, out = d.rng, d.reg("u32"), d.reg("u64"), d.reg("u32")
    which = r.randrange(2)
    start = [f"st.param.b32 [p0], {a};", f"st.param.b64 [p1], {b};"]
    if r.random() < 0.3:
        jump = [".reg .b64 f;", f"mov.u64 f, func{which};", "P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);", "call (back), f, (p0, p1), P;"]
    else:
        jump = [f"call (back), func{which}, (p0, p1);"]
    lines = ["{ .param .b32 p0; .param .b64 p1; .param .b32 back;", *start, *jump, f"ld.param.b32 {out}, [back];", "}"]

    def does(s: State, mask: Mask) -> None:
        for t in s.lanes(mask):
            x, y = s.regs[a][t], s.regs[b][t]
            s.regs[out][t] = function(which, x, y)

    return Plain(lines, does)


FUNCTIONS = """
.func (.param .b32 out) func0(.param .b32 a, .param .b64 b)
{ .reg .b32 x, y; .reg .b64 z; .reg .pred p;
ld.param.b32 x, [a]; ld.param.b64 z, [b]; cvt.u32.u64 y, z; setp.lt.u32 p, x, y; @p bra LESS; sub.u32 x, x, y; bra.uni DONE; LESS: mad.lo.u32 x, y, 3, x; DONE:
st.param.b32 [out], x; ret; }
.func (.param .b32 out) func1(.param .b32 a, .param .b64 b)
{ .reg .b32 x, n; .reg .b64 z; .reg .pred p; .param .b32 back;
ld.param.b32 x, [a]; ld.param.b64 z, [b]; and.b32 n, x, 3; AGAIN: setp.eq.u32 p, n, 0; @p bra OVER; sub.u32 n, n, 1; shr.u64 z, z, 5; bra.uni AGAIN; OVER:
{ .param .b32 p0; .param .b64 p1; .param .b32 got; st.param.b32 [p0], x; st.param.b64 [p1], z; call (got), func0, (p0, p1); ld.param.b32 x, [got]; }
st.param.b32 [out], x; ret; }
"""


def function(which: int, x: int, y: int) -> int:
    """What the functions of the module compute."""
    if which == 1:
        y >>= 5 * (x & 3)
    low = y & 0xFFFFFFFF
    return (low * 3 + x if x < low else x - low) & 0xFFFFFFFF


ANYWHERE = (global_memory, global_memory, own_memory, own_memory, special, counters, counters, alone, call)


def draw(d: Draw, uniform: bool) -> Statement:
    """A statement; those in which all threads of the block take part only where all are."""
    from fuzz import scene_matrix

    if uniform and d.rng.random() < 0.65:
        return d.rng.choice((exchange, exchange, counted, copies, lanes, lanes, some_lanes, some_lanes, scene_matrix.product, scene_matrix.matrices))(d, uniform)
    return d.rng.choice(ANYWHERE)(d, uniform)


__all__ = ["Block", "If", "Memory", "draw"]
