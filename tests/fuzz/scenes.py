"""Whole PTX programs by chance: threads of several blocks compute, branch, loop and talk to one another; beside the text, what the words of the PTX manual say
that every register and every byte holds afterwards.

A program is a tree of statements. Each writes its text, and runs on the state of all threads: registers as integers by thread, shared memory as bytes by block. The
arithmetic of single instructions is that of `sim.ptx.forms`, exact integers and fractions; nothing here knows of the executor.
"""

from __future__ import annotations

import dataclasses
import functools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sim.ptx import programs
from sim.ptx.forms import BITS, Form
from sim.ptx.numbers import F

if TYPE_CHECKING:
    from fuzz.scene_steps import Memory

WARP, THREADS = 32, 64  # of a block
KEPT = 0x5A5A5A5A5A5A5A5A
# Registers by class: how many, of which PTX type, and what their patterns are drawn as.
POOL = {"i16": (4, "b16", "u16"), "i32": (8, "b32", "u32"), "i64": (4, "b64", "u64"), "p": (4, "pred", "pred"), "f32": (5, "b32", "f32"), "f64": (4, "b64", "f64"),
        "f16": (3, "b16", "f16"), "bf16": (2, "b16", "bf16"), "f16x2": (2, "b32", "f16x2"), "bf16x2": (2, "b32", "bf16x2")}  # fmt: skip
CLASS = {"pred": "p", "n32": "i32", "n8": "i32", **{k + b: f"i{b}" for k in "usb" for b in ("16", "32", "64")}}
WIDTH = {name: BITS[kind] for name, (_, _, kind) in POOL.items()}
Mask = list[bool]


@dataclasses.dataclass
class State:
    """Registers by name, each an int a thread; shared memory of each block, global and local memory as bytes by the name of the array."""

    regs: dict[str, list[int]]
    shared: list[bytearray]
    memory: dict[str, bytearray]
    threads: int
    broken: list[set[int]] = dataclasses.field(default_factory=list)  # lanes that have left a loop, and those that have left its trip
    skipped: list[set[int]] = dataclasses.field(default_factory=list)

    def lanes(self, mask: Mask) -> Iterator[int]:
        return (t for t in range(self.threads) if mask[t])


class Statement:
    """Text, and what it does; `run` gives the lanes that go on behind it."""

    def text(self) -> list[str]:
        raise NotImplementedError

    def run(self, s: State, mask: Mask) -> Mask:
        raise NotImplementedError


@dataclasses.dataclass
class Plain(Statement):
    """Lines, and a function of the state."""

    lines: list[str]
    does: Callable[[State, Mask], None]

    def text(self) -> list[str]:
        return self.lines

    def run(self, s: State, mask: Mask) -> Mask:
        self.does(s, mask)
        return mask


@dataclasses.dataclass
class Block(Statement):
    body: list[Statement]

    def text(self) -> list[str]:
        return [line for x in self.body for line in x.text()]

    def run(self, s: State, mask: Mask) -> Mask:
        for x in self.body:
            mask = x.run(s, mask)
        return mask


def both(a: Mask, b: Mask) -> Mask:
    return [x and y for x, y in zip(a, b, strict=True)]


def either(a: Mask, b: Mask) -> Mask:
    return [x or y for x, y in zip(a, b, strict=True)]


@dataclasses.dataclass
class If(Statement):
    label: str
    test: str
    sign: str  # "" or "!"
    then: Block
    other: Block | None
    uniform: bool

    def text(self) -> list[str]:
        no = "" if self.sign else "!"
        uni = ".uni" if self.uniform else ""
        out = [f"@{no}{self.test} bra{uni} {self.label}_else;", *self.then.text()]
        if self.other is not None:
            out += [f"bra.uni {self.label}_end;", f"{self.label}_else:", *self.other.text(), f"{self.label}_end:"]
        else:
            out.append(f"{self.label}_else:")
        return out

    def run(self, s: State, mask: Mask) -> Mask:
        holds = [bool(v) != bool(self.sign) for v in s.regs[self.test]]
        yes, no = both(mask, holds), both(mask, [not h for h in holds])
        return either(self.then.run(s, yes), self.other.run(s, no) if self.other is not None else no)


@dataclasses.dataclass
class Loop(Statement):
    """As many trips as a register (or a number) says; lanes leave one after another, or together."""

    label: str
    count: str
    bits: int  # of the register that count
    known: int | None
    body: Block

    def text(self) -> list[str]:
        c, p = f"%c{self.label[2:]}", f"%q{self.label[2:]}"
        start = f"mov.u32 {c}, {self.known};" if self.known is not None else f"and.b32 {c}, {self.count}, {self.bits};"
        uni = ".uni" if self.known is not None else ""
        return [start, f"{self.label}:", f"setp.eq.u32 {p}, {c}, 0;", f"@{p} bra{uni} {self.label}_end;", f"sub.u32 {c}, {c}, 1;", *self.body.text(),
                f"{self.label}_next:", f"bra.uni {self.label};", f"{self.label}_end:"]  # fmt: skip

    def run(self, s: State, mask: Mask) -> Mask:
        left = [v & self.bits for v in s.regs[self.count]] if self.known is None else [self.known] * s.threads
        s.broken.append(set())
        while True:
            now = [m and n > 0 and t not in s.broken[-1] for t, (m, n) in enumerate(zip(mask, left, strict=True))]
            if not any(now):
                break
            left = [n - 1 if m else n for m, n in zip(now, left, strict=True)]
            self.body.run(s, now)
        s.broken.pop()
        return mask


@dataclasses.dataclass
class Leave(Statement):
    """`break` or `continue` of the lanes for which a predicate holds."""

    label: str
    test: str
    whole: bool

    def text(self) -> list[str]:
        return [f"@{self.test} bra {self.label}_{'end' if self.whole else 'next'};"]

    def run(self, s: State, mask: Mask) -> Mask:
        gone = both(mask, [bool(v) for v in s.regs[self.test]])
        if self.whole:
            s.broken[-1] |= set(s.lanes(gone))
        return both(mask, [not g for g in gone])


@dataclasses.dataclass
class Switch(Statement):
    """One of several ways, by a register: `brx.idx`."""

    label: str
    on: str
    ways: list[Block]

    def text(self) -> list[str]:
        names = [f"{self.label}_way{k}" for k in range(len(self.ways))]
        c = f"%c{self.label[2:]}"
        out = [f"and.b32 {c}, {self.on}, {len(names) - 1};", f"{self.label}_table: .branchtargets {', '.join(names)};", f"brx.idx {c}, {self.label}_table;"]
        for name, way in zip(names, self.ways, strict=True):
            out += [f"{name}:", *way.text(), f"bra {self.label}_end;"]
        return [*out, f"{self.label}_end:"]

    def run(self, s: State, mask: Mask) -> Mask:
        picks, out = [v & len(self.ways) - 1 for v in s.regs[self.on]], [False] * s.threads
        for k, way in enumerate(self.ways):
            out = either(out, way.run(s, both(mask, [p == k for p in picks])))
        return out


# -- arithmetic ----------------------------------------------------------------------------------------------------------------------------------


@functools.cache
def alphabet() -> tuple[tuple[Form, ...], ...]:
    """Forms of one thread that are exact, by family."""
    found = []
    for family in programs.families():
        fits = [f for f in family if f.near is None and not f.warp and all(k in POOL or k in CLASS for k in (*f.ins, *f.outs))]
        # Of a NaN in f64 PTX does not say which sign it has, and this takes it for that of a number.
        fits = [f for f in fits if f.name != "copysign.f64"]
        if fits:
            found.append(tuple(fits))
    return tuple(found)


def klass(kind: str) -> str:
    return CLASS.get(kind, kind)


@dataclasses.dataclass
class Op(Statement):
    """A form on registers, perhaps under a guard."""

    form: Form
    ins: list[str]
    outs: list[str]
    guard: str
    sign: str

    def text(self) -> list[str]:
        # Positions and lengths of bit fields mean something up to 255.
        small = [f"and.b32 %m{k}, {r}, 255;" for k, (r, kind) in enumerate(zip(self.ins, self.form.ins, strict=True)) if kind == "n8"]
        ins = [f"%m{k}" if kind == "n8" else r for k, (r, kind) in enumerate(zip(self.ins, self.form.ins, strict=True))]
        line = self.form.text.format(**dict(zip("abcg", ins, strict=False)), **dict(zip("de", self.outs, strict=False)))
        if not self.guard:
            return [*small, line]
        return [*small] + [f"@{self.sign}{self.guard} {part.strip()};" for part in line.split(";") if part.strip()]

    def run(self, s: State, mask: Mask) -> Mask:
        held = [bool(v) != bool(self.sign) for v in s.regs[self.guard]] if self.guard else mask
        for t in s.lanes(both(mask, held)):
            found = self.form.rule(*(s.regs[r][t] & (255 if kind == "n8" else -1) for r, kind in zip(self.ins, self.form.ins, strict=True)))
            results: Sequence[int] = found if isinstance(found, tuple) else (found,)  # type: ignore[assignment]
            for r, kind, v in zip(self.outs, self.form.outs, results, strict=True):
                s.regs[r][t] = int(v) & (1 << BITS[kind]) - 1
        return mask


class Draw:
    """One program as it is drawn. `uniform`: all threads of the block are here."""

    def __init__(self, seed: int, blocks: int = 2):
        from fuzz.scene_steps import Memory

        self.rng, self.seed, self.blocks, self.memory = random.Random(seed), seed, blocks, Memory(seed, blocks)
        self.labels = 0
        self.names = {c: [f"%{c}_{k}" for k in range(n)] for c, (n, _, _) in POOL.items()}
        self.loops: list[str] = []  # labels of the loops around, of those that lanes may leave

    def reg(self, kind: str) -> str:
        return self.rng.choice(self.names[klass(kind)])

    def regs(self, kind: str, count: int) -> list[str]:
        return self.rng.sample(self.names[klass(kind)], count)

    def label(self) -> str:
        self.labels += 1
        return f"$L{self.labels}"

    def op(self) -> Statement:
        r = self.rng
        form = r.choice(r.choice(alphabet()))
        whole = form.text.count(";") > 1  # several instructions: results are written before operands are read
        guard = self.reg("pred") if not whole and r.random() < 0.2 else ""
        used = [guard] if guard else []
        ins = [self.reg(k) for k in form.ins]
        outs: list[str] = []
        for k in form.outs:
            free = [x for x in self.names[klass(k)] if x not in outs and x not in used and not (whole and x in ins)]
            if not free:
                return self.op()
            outs.append(r.choice(free))
        return Op(form, ins, outs, guard, r.choice(("", "!")) if guard else "")

    def body(self, room: int, uniform: bool, least: int = 1) -> Block:
        r = self.rng
        return Block([self.statement(room, uniform) for _ in range(r.randint(least, least + 2 + room))])

    def statement(self, room: int, uniform: bool) -> Statement:
        from fuzz import scene_steps

        r = self.rng
        pick = r.random()
        if pick < 0.45:
            return self.op()
        if room > 0 and pick < 0.56:
            other = self.body(room - 1, False) if r.random() < 0.5 else None
            return If(self.label(), self.reg("pred"), r.choice(("", "!")), self.body(room - 1, False), other, False)
        if room > 0 and pick < 0.66:
            known = r.choice((0, 1, 2, 3)) if r.random() < 0.4 else None
            label = self.label()
            together = uniform and known is not None
            self.loops.append("" if together else label)
            body = self.body(room - 1, together)
            self.loops.pop()
            return Loop(label, self.reg("u32"), r.choice((1, 3)), known, body)
        if room > 0 and pick < 0.70:
            return Switch(self.label(), self.reg("u32"), [self.body(room - 1, False) for _ in range(r.choice((2, 4)))])
        if self.loops and self.loops[-1] and pick < 0.74:
            return Leave(self.loops[-1], self.reg("pred"), r.random() < 0.6)
        return scene_steps.draw(self, uniform)


@dataclasses.dataclass
class Scene:
    """A program: text, inputs (slots, threads), and what must be there: of each register and thread, and of memory."""

    text: str
    body: Block
    memory: Memory
    inputs: np.ndarray
    want: np.ndarray
    ends: dict[str, np.ndarray]
    seed: int

    def listing(self) -> str:
        """Its statements, without what stands around them."""
        return "\n".join(self.body.text())


def slots() -> list[tuple[str, str]]:
    return [(f"%{c}_{k}", c) for c, (n, _, _) in POOL.items() for k in range(n)]


def scene(seed: int, blocks: int = 2, size: int = 0) -> Scene:
    d = Draw(seed, blocks)
    body = Block([d.statement(2, True) for _ in range(size or d.rng.randint(5, 12))])
    return made(body, d.memory, seed)


def made(body: Block, memory: Memory, seed: int) -> Scene:
    """The program with this body."""
    from fuzz import scene_text
    from fuzz.scene_steps import LOCAL

    rng, threads = random.Random(seed + 1), memory.blocks * THREADS
    kinds = {c: kind for c, (_, _, kind) in POOL.items()}
    regs = {name: [programs.draw(rng, kinds[c]) for _ in range(threads)] for name, c in slots()}
    inputs = np.array([regs[name] for name, _ in slots()], np.uint64)
    held = {n: bytearray(a.tobytes()) for n, a in (*memory.arrays.items(), ("table", memory.table), ("constants", memory.constants))}
    state = State({n: list(v) for n, v in regs.items()}, [bytearray(memory.shared) for _ in range(memory.blocks)], {**held, "local": bytearray(LOCAL * threads)}, threads)
    body.run(state, [True] * threads)
    want = np.full((len(slots()), threads), KEPT, np.uint64)
    for k, (name, c) in enumerate(slots()):
        want[k] = [programs.stored(v, {"p": "pred"}.get(c, kinds[c])) for v in state.regs[name]]
    ends = {n: np.frombuffer(bytes(state.memory[n]), np.uint8) for n in memory.arrays}
    ends["dump"] = np.frombuffer(b"".join(bytes(m) for m in state.shared), np.uint8)
    return Scene(scene_text.module(body, memory), body, memory, inputs, want, ends, seed)


def alike(c: str, want: int, got: int) -> bool:
    """Whether two registers' slots are the same; NaNs of one type are."""
    if want == got:
        return True
    f = F.get(c.removesuffix("x2"))
    bits = 32 if c == "p" else WIDTH[c]
    if f is None or want >> bits != got >> bits:
        return False
    parts = [(want >> s & (1 << f.bits) - 1, got >> s & (1 << f.bits) - 1) for s in range(0, bits, f.bits)]
    return all(w == g or f.is_nan(w) and f.is_nan(g) for w, g in parts)
