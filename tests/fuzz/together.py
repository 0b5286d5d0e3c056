"""Draws kernels whose threads talk to one another: shared memory between barriers, shuffles, views and windows of memory, structs, compile-time loops.

One program fills the kernel. What threads do together stands where all of them come: at the top level, or under conditions and in loops that depend only on
numbers that the launch gives.
"""

from __future__ import annotations

import random
from typing import Any

from fuzz.drawn import FLOATS, FULL, INTS, KINDS, ROWS, U1, Drawn, Writer, assemble, begin, finish, helper, some_kinds
from fuzz.numbers import Kind


class Together(Writer):
    """A writer that knows the number of threads."""

    def __init__(self, rng: random.Random, kinds: list[Kind], threads: int):
        super().__init__(rng, kinds)
        self.threads = threads

    def place(self) -> str:
        """A coordinate below the number of threads."""
        n, ints = self.threads, [k for k in self.vars if k in (KINDS["i32"], KINDS["u32"]) and self.vars[k]]
        ways = [f"(t + {self.rng.randrange(n)}) % {n}", f"t ^ {self.rng.randrange(n)}", f"{n - 1} - t", f"(t * {self.pick([3, 5, 17])}) & {n - 1}", "t ^ (t >> 3 & 7)"]
        if ints:
            name = self.pick(self.vars[self.pick(ints)])
            ways += [f"({name} & {n - 1})"] * 2
        return self.pick(ways)

    def keep(self, indent: int, k: Kind, text: str) -> None:
        name = self.fresh()
        self.put(indent, f"{name} = {text}")
        self.vars.setdefault(k, []).append(name)

    def exchange(self, indent: int) -> None:
        """Each thread writes a place of its own, another's is read."""
        k, s, n = self.pick([*self.kinds, U1] if self.chance(0.1) else self.kinds), self.fresh("m"), self.threads
        pick = self.rng.random()
        if pick < 0.5:
            self.put(indent, f"{s} = al.make_shared(({n},), al.{k})")
            own = self.pick(["t", f"t ^ {self.rng.randrange(n)}", f"{n - 1} - t"])
            self.put(indent, f"{s}[{own}] = {self.expr(k, 1)}")
            self.put(indent, "al.syncthreads()")
            self.keep(indent, k, f"{s}[{self.place()}]")
        elif pick < 0.75:
            rows = self.pick([2, 4, 8])
            self.put(indent, f"{s} = al.make_shared(({rows}, {n // rows}), al.{k})")
            self.put(indent, f"{s}[t % {rows}, t // {rows}] = {self.expr(k, 1)}")
            self.put(indent, "al.syncthreads()")
            w = self.fresh("w")
            self.put(indent, f"{w} = al.view({s}, al.Tensor(({n // rows}, {rows}), (1, {n // rows}), al.{k}))")
            self.keep(indent, k, self.pick([f"{w}[t // {rows}, {self.rng.randrange(rows)}]", f"{s}[{self.rng.randrange(rows)}, t // {rows}]"]))
            if k is not U1:
                r = self.fresh("r")
                self.put(indent, f"{r} = {w}[({self.place()}) // {rows}]")
                self.keep(indent, k, self.pick([f"sum({r})", f"{r}[t & {rows - 1}]", f"max({r})"]))
        else:
            size = 4
            self.put(indent, f"{s} = al.make_shared(({n}, {size}), al.{k})")
            r = self.fresh("r")
            self.put(indent, f"{r} = al.full(({size},), {self.expr(k, 1)}, al.{k})")
            self.put(indent, f"{r}[{self.index(size)}] = {self.expr(k, 1)}")
            self.put(indent, f"{s}[t] = {r}")
            self.put(indent, "al.syncthreads()")
            self.keep(indent, k, f"{s}[{self.place()}, {self.index(size)}]")
        if self.chance(0.5):
            self.put(indent, "al.syncthreads()")

    def shuffled(self, indent: int) -> None:
        kinds = [k for k in (*self.kinds, U1) if self.vars.get(k)]
        k = self.pick(kinds)
        kind, width = self.pick(["shuffle", "shuffle_up", "shuffle_down", "shuffle_xor"]), self.pick([2, 8, 16, 32, 32, 0])
        by = str(self.rng.randrange(34))
        if self.chance(0.5):
            ints = [x for x in self.vars if x in (KINDS["i32"], KINDS["u32"]) and self.vars[x]]
            if ints:
                x = self.pick(ints)
                v = self.pick(self.vars[x])
                by = self.pick([f"({v} & 7)", f"({v} & 31)", v])
        self.keep(indent, k, f"al.{kind}({self.expr(k, 2)}, {by}{f', width={width}' if width else ''})")

    def memory(self, indent: int) -> None:
        """Views and windows of the arguments, read."""
        k = self.pick([x for x in self.kinds if x.bits >= 8])
        a, n, w = f"a_{k}", self.threads, self.fresh("w")
        pick = self.rng.random()
        if pick < 0.3:
            self.put(indent, f"{w} = al.view({a}, al.Tensor(({n}, {ROWS}), (1, {n}), al.{k}))")
            r = self.fresh("r")
            self.put(indent, f"{r} = {w}[{self.place()}]")
            self.keep(indent, k, f"{self.pick(['sum', 'min', 'max'])}({r})")
        elif pick < 0.55:
            self.put(indent, f"{w} = al.subview({a}, ({self.rng.randrange(2)}, {self.rng.randrange(4)}), (2, {n // 4}), (1, {self.pick([1, 2, 3])}))")
            self.keep(indent, k, f"{w}[{self.rng.randrange(2)}, ({self.place()}) // 4]")
        elif pick < 0.8:
            m = self.pick([2, 4])
            self.put(indent, f"{w} = al.view({a}, al.{k}, al.make_layout(({ROWS * n // m}, {m})))")
            r = self.fresh("r")
            self.put(indent, f"{r} = {w}[({self.place()}) // {m}]")
            self.keep(indent, k, f"{r}[{self.index(m)}]")
        else:
            fitting = [x for x in INTS if x.bits <= k.bits] if k.is_int else []
            other = self.pick(fitting or [k])
            self.put(indent, f"{w} = al.view({a}, al.{other}, al.make_layout(({ROWS * n * k.bits // other.bits},)))")
            self.keep(indent, other, f"{w}[{self.place()}]")

    def record(self, indent: int, fields: list[Kind]) -> None:
        """A struct: made, changed through a method and under conditions, read."""
        s = self.fresh("o")
        self.put(indent, f"{s} = Record({', '.join(self.expr(k, 2) for k in fields)})")
        if self.chance(0.6):
            self.put(indent, f"if {self.condition()}:")
            self.put(indent + 1, self.pick([f"{s}.bump({self.expr(fields[0], 2)})", f"{s}.y = {self.expr(fields[1], 2)}"]))
        if self.chance(0.5):
            i = self.fresh("i")
            self.put(indent, f"for {i} in al.range({self.rng.randint(1, 3)}):")
            self.put(indent + 1, self.pick([f"{s}.bump({self.expr(fields[0], 2)})", f"{s}.x = {self.expr(fields[0], 2)}"]))
        self.keep(indent, fields[0], f"{s}.x")
        self.keep(indent, fields[1], f"{s}.y")

    def uniform(self, indent: int, numbers: list[Any]) -> None:
        """What threads do together, under a condition or in a loop that is the same for all."""
        name = f"s{len(numbers)}"
        numbers.append((name, "i32", self.rng.randint(0, 3)))
        saved = {k: list(v) for k, v in self.vars.items()}
        if self.chance(0.5):
            self.put(indent, f"if {name} {self.pick(['<', '>', '!='])} 1:")
        else:
            self.put(indent, f"for {self.fresh('i')} in al.range({name}):")
        self.shared_step(indent + 1)
        mutable = [(k, v) for k, names in saved.items() for v in names if v not in self.fixed and k in self.vars and self.vars[k][-1] != v]
        if mutable:
            k, v = self.pick(mutable)
            self.put(indent + 1, f"{v} = {self.vars[k][-1]}")
        self.put(indent + 1, "al.syncthreads()")
        self.vars = saved

    def shared_step(self, indent: int) -> None:
        (self.exchange if self.chance(0.6) else self.shuffled)(indent)


RECORD = """@avelang.struct
class Record:
    x: al.{a}
    y: al.{b}

    def bump(self, by):
        self.x = {x}
        if self.x > by:
            self.y = {y}

"""


def draw(rng: random.Random, seed: int) -> Drawn:
    """A kernel of one program."""
    block = rng.choice(FULL)
    kinds = some_kinds(rng)
    if not any(k in kinds for k in FLOATS) and rng.random() < 0.3:
        kinds.append(rng.choice(FLOATS))
    w = Together(rng, kinds, block[0] * block[1] * block[2])
    texts: list[str] = []
    arrays: dict[str, int] = {}
    outputs: dict[str, int] = {}
    numbers: list[Any] = []
    if rng.random() < 0.4:
        lines, made = helper(rng, kinds, "f")
        texts += lines
        w.helpers.append(made)
    fields = [rng.choice(kinds), rng.choice(kinds)]
    with_record = rng.random() < 0.35
    if with_record:
        inner = Writer(rng, fields)
        inner.vars = {fields[0]: ["self.x"]}
        inner.vars.setdefault(fields[1], []).append("self.y")
        texts += RECORD.format(a=fields[0], b=fields[1], x=inner.expr(fields[0], 2), y=inner.expr(fields[1], 2)).split("\n")
    begin(w, numbers, arrays)
    for k in kinds:
        arrays[k.name] = ROWS
    for _ in range(rng.randint(4, 8)):
        pick = rng.random()
        if pick < 0.25:
            w.exchange(1)
        elif pick < 0.4:
            w.shuffled(1)
        elif pick < 0.55:
            w.memory(1)
        elif pick < 0.65:
            w.uniform(1, numbers)
        elif pick < 0.75 and with_record:
            w.record(1, fields)
        else:
            w.statement(1, 2, False)
    finish(w, outputs)
    return assemble(texts, w.lines, block, arrays, outputs, numbers, seed)
