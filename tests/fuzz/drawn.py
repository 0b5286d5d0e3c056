"""Draws programs of the language: a seed comes in, the text of a module with a kernel comes out, and how it is launched.

Every expression is drawn with the dtype that it must have, by the rules of docs/language.md. A kernel holds several small programs, each with variables
and outputs of its own, so that one compilation tries many; some kernels hold one program whose threads talk to one another.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from fuzz.numbers import KINDS, Kind, meet

Three = tuple[int, int, int]
INTS = tuple(k for k in KINDS.values() if k.is_int)
FLOATS = tuple(k for k in KINDS.values() if k.is_float and k.bits > 8)
SMALL = tuple(k for k in KINDS.values() if k.is_float and k.bits == 8)
U1 = KINDS["u1"]
ROWS = 3  # inputs of a dtype
BLOCKS = ((64, 1, 1), (96, 1, 1), (32, 1, 1), (16, 3, 1), (8, 4, 2), (33, 1, 1), (128, 1, 1))
GRIDS = ((2, 1, 1), (3, 1, 1), (2, 2, 1), (1, 2, 2))
CONSTEXPR = "constexpr"  # the kind of a number that is known at compile time
FULL = ((64, 1, 1), (128, 1, 1), (16, 4, 2))  # whole waves of either length


@dataclasses.dataclass
class Drawn:
    """A program: its text, the block, and what its parameters are: (name, kind, rows) of arrays, (name, kind, value) of numbers.

    Arrays have a column for each thread of the launch. The letter that a name begins with says what it is: a, an input; o, an output; u, an output
    that is compared with a tolerance; c, counters, which are small numbers at first."""

    text: str
    block: Three
    arrays: tuple[tuple[str, str, int], ...]
    numbers: tuple[tuple[str, str, Any], ...]
    seed: int
    grid: Three = (1, 1, 1)
    programs: int = 1

    @property
    def threads(self) -> int:
        return math.prod(self.block) * math.prod(self.grid)

    def inputs(self) -> dict[str, Any]:
        """Arguments by name, made from the seed: inputs full of special values, outputs full of one pattern."""
        out: dict[str, Any] = {}
        for name, kind, rows in self.arrays:
            rng = np.random.default_rng([self.seed, *name.encode()])  # of its own, so that other parameters may go
            shape = (rows, self.threads)
            if name.startswith("c"):
                out[name] = rng.integers(0, 9, shape).astype(numpy_of(kind))
            else:
                out[name] = values(rng, KINDS[kind], shape) if name.startswith("a_") else np.full(shape, 7, numpy_of(kind))
        return {**out, **{name: value for name, _, value in self.numbers}}


def numpy_of(kind: str) -> np.dtype:
    """NumPy's dtype."""
    long = {"bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz"}
    if kind in long:
        return np.dtype(getattr(ml_dtypes, long[kind]))
    k = KINDS[kind]
    return np.dtype(bool) if k.kind == "bool" else np.dtype({"int": "i", "uint": "u", "float": "f"}[k.kind] + str(k.bytes))


def values(rng: np.random.Generator, k: Kind, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of a dtype: some of any bits, some small, some special."""
    size, d = int(np.prod(shape)), numpy_of(k.name)
    if k is U1:
        return rng.integers(0, 2, shape).astype(bool)
    raw = rng.integers(0, 256, size * k.bytes, dtype=np.uint8).view(d)
    with np.errstate(all="ignore"):
        near = (rng.integers(-9, 40, size) if k.kind != "uint" else rng.integers(0, 49, size)).astype(d)
        if k.is_float:
            near = np.where(rng.random(size) < 0.5, near, (rng.standard_normal(size) * 4.0).astype(d))
        special = rng.choice(np.array([float(x) if k.is_float else int(x) for x in specials(k)], np.float64 if k.is_float else object), size).astype(d)
    kind = rng.integers(0, 10, size)
    return np.where(kind < 3, raw, np.where(kind < 7, near, special)).astype(d).reshape(shape)


def specials(k: Kind) -> list[Any]:
    if k.is_int:
        edge = [k.low, k.low + 1, k.high, k.high - 1, 0, 1, 2, 3, k.bits - 1, k.bits, k.bits + 1, 1 << k.bits // 2, (1 << k.bits - 2) + 1]
        return [x for x in (*edge, *((-1, -2, -k.bits) if k.low else ())) if k.low <= x <= k.high]
    least, top = 2.0**k.least, k.greatest
    normal = least * 2.0 ** (k.digits - 1)
    numbers = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, least, -least, normal, normal - least, top, -top, 1 + 2.0 ** (1 - k.digits), 3.0, float("nan")]
    return [*numbers, float("inf"), -float("inf"), 127.5, 255.0, 256.0, -128.5, 0.1 if k.bits > 8 else 0.125]


class Writer:
    """Draws statements and expressions. `vars` are the names in scope, by dtype."""

    def __init__(self, rng: random.Random, kinds: list[Kind]):
        self.rng, self.kinds = rng, kinds
        self.vars: dict[Kind, list[str]] = {}
        self.fixed: set[str] = set()  # names that are not assigned to: counters, numbers that the launch gives
        self.helpers: list[tuple[str, tuple[Kind, ...], Kind]] = []
        self.lines: list[str] = []
        self.count = 0
        self.prefix = ""
        self.deepest = 3  # of expressions

    def fresh(self, letter: str = "v") -> str:
        self.count += 1
        return f"{letter}{self.prefix}_{self.count}" if self.prefix else f"{letter}{self.count}"

    def pick(self, items: Any) -> Any:
        return self.rng.choice(list(items))

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def put(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    # -- expressions ---------------------------------------------------------------------------------------------------------------------

    def number(self, k: Kind) -> str:
        """A literal, without a type of its own."""
        if k.is_int:
            pool = specials(k) if self.chance(0.4) else [self.rng.randint(max(k.low, -20), min(k.high, 60))]
            return str(self.pick(pool))
        if k is U1:
            return self.pick(["True", "False"])
        pool = [0.0, -0.0, 1.0, 2.0, -1.5, 0.5, 3.0, 0.75, 6.0, -7.0]
        return repr(self.pick(pool if k.bits == 8 else [*pool, 0.1, 1e4, 1e-3, 65504.0, 33000.0, 2.0**-14, 1e-7, 3.1415927]))

    def variable(self, k: Kind) -> str:
        have = self.vars.get(k)
        if have and self.chance(0.9):
            return self.pick(have[-7:])
        other = [x for x in self.vars if self.vars[x] and x is not k]
        if other and self.chance(0.6):
            return f"al.convert({self.pick(self.vars[self.pick(other)])}, al.{k})"
        return f"al.{k}({self.number(k)})"

    def expr(self, k: Kind, depth: int = 0) -> str:
        """Text of dtype `k`."""
        if depth >= self.deepest or self.chance(0.12 + 0.12 * depth):
            return self.variable(k)
        ways: list[Callable[[Kind, int], str]] = [self.choice, self.converted, self.extreme, self.called, self.taken]
        ways += [self.logical] * 6 if k is U1 else [self.arithmetic] * 7 + [self.unary] * 2 + [self.fused]
        if k.is_int:
            ways += [self.shifted] * 2 + [self.mixed] + [self.bits]
        if k.is_float:
            ways += [self.mixed]
        return self.pick(ways)(k, depth + 1)

    def arithmetic(self, k: Kind, depth: int) -> str:
        # A division is a hundred instructions on a GPU, and a remainder of floats more.
        ops = ["+", "-", "*", *"+-*", "/", "//", "%"] + (["&", "|", "^"] if k.is_int else [])
        if k.bits == 64 or k.is_float:
            ops = ["+", "-", "*", *"+-*" * 3, "/", "+", "/", "//", "%"]
        op, a = self.pick(ops), self.expr(k, depth)
        b = self.number(k) if self.chance(0.25) else self.expr(k, depth)
        if b.startswith("-"):
            b = f"({b})"
        if k.is_int or "." in b or not b[0].isdigit():
            return f"({b} {op} {a})" if self.chance(0.15) else f"({a} {op} {b})"
        return f"({a} {op} {b})"

    def mixed(self, k: Kind, depth: int) -> str:
        """Two dtypes that meet in `k`."""
        everything = [*self.kinds, U1]
        pairs = [(a, b) for a in everything for b in everything if a is not b and meet(a, b) is k]
        if not pairs:
            return self.arithmetic(k, depth)
        a, b = self.pick(pairs)
        return f"({self.expr(a, depth)} {self.pick(['+', '-', '*'])} {self.expr(b, depth)})"

    def shifted(self, k: Kind, depth: int) -> str:
        op = self.pick(["<<", ">>"])
        if self.chance(0.3):
            return f"({self.expr(k, depth)} {op} {self.rng.randrange(k.bits)})"
        count = self.pick([x for x in self.kinds if x.is_int] or [k])
        by = self.expr(count, depth)
        return f"({self.expr(k, depth)} {op} ({by} & {self.pick([7, 31, 63])}))" if self.chance(0.4) else f"({self.expr(k, depth)} {op} {by})"

    def unary(self, k: Kind, depth: int) -> str:
        a = self.expr(k, depth)
        if k.is_int:
            return self.pick([f"(-{a})", f"(~{a})", f"al.abs({a})"])
        return self.pick([f"(-{a})", f"al.abs({a})", f"al.floor({a})", f"al.ceil({a})", f"al.sqrt({a})", f"al.sqrt(al.abs({a}))"])

    def fused(self, k: Kind, depth: int) -> str:
        if self.chance(0.3):
            return f"({self.expr(k, depth)} ** {self.pick([2, 3])})"
        return f"al.fma({self.expr(k, depth)}, {self.expr(k, depth)}, {self.number(k) if self.chance(0.2) else self.expr(k, depth)})"

    def choice(self, k: Kind, depth: int) -> str:
        c, a = self.condition(depth), self.expr(k, depth)
        b = self.number(k) if k is not U1 and self.chance(0.2) else self.expr(k, depth)
        return f"al.select({c}, {a}, {b})" if self.chance(0.5) else f"({a} if {c} else {b})"

    def extreme(self, k: Kind, depth: int) -> str:
        if k is U1:
            return self.logical(k, depth)
        return f"{self.pick(['al.min', 'al.max', 'min', 'max'])}({self.expr(k, depth)}, {self.expr(k, depth)})"

    def converted(self, k: Kind, depth: int) -> str:
        source = self.pick([x for x in (*self.kinds, U1) if x is not k] or [k])
        inner = self.expr(source, depth)
        return f"al.convert({inner}, al.{k})" if self.chance(0.6) else f"al.{k}({inner})"

    def called(self, k: Kind, depth: int) -> str:
        fitting = [h for h in self.helpers if h[2] is k]
        if not fitting:
            return self.arithmetic(k, depth) if k is not U1 else self.logical(k, depth)
        name, params, _ = self.pick(fitting)
        return f"{name}({', '.join(self.expr(p, depth) for p in params)})"

    def taken(self, k: Kind, depth: int) -> str:
        """Bits of a float as an integer, or the other way round."""
        if k is U1:
            return self.logical(k, depth)
        same = [x for x in self.kinds if x.bits == k.bits and x is not k]
        if not same:
            return self.arithmetic(k, depth)
        source = self.pick(same)
        if not source.is_float:
            return f"al.bitcast({self.expr(source, depth)}, al.{k})"
        v = self.variable(source)  # nothing is promised of a NaN's bits
        return f"al.bitcast({v} if {v} == {v} else al.{source}(1.0), al.{k})"

    def bits(self, k: Kind, depth: int) -> str:
        return f"({self.expr(k, depth)} {self.pick('&|^')} {self.number(k)})"

    def logical(self, k: Kind, depth: int) -> str:
        pick = self.rng.random()
        if pick < 0.6:
            return self.comparison(depth)
        if pick < 0.75:
            return f"({self.expr(U1, depth)} {self.pick(['&', '|', '^', '==', '!='])} {self.expr(U1, depth)})"
        if pick < 0.9:
            return f"({self.expr(U1, depth)} {self.pick(['and', 'or'])} {self.expr(U1, depth)})"
        return self.pick([f"(not {self.expr(U1, depth)})", f"(~{self.expr(U1, depth)})"])

    def comparison(self, depth: int) -> str:
        k = self.pick(self.kinds)
        op = self.pick(["==", "!=", "<", "<=", ">", ">="])
        a = self.expr(k, depth)
        if self.chance(0.15):
            other = self.pick(self.kinds)
            return f"({a} {op} {self.expr(other, depth)})"
        if self.chance(0.1):
            return f"({a} {self.pick(['<', '<='])} {self.expr(k, depth)} {op} {self.variable(k)})"
        return f"({a} {op} {self.number(k) if self.chance(0.3) else self.expr(k, depth)})"

    def condition(self, depth: int = 1) -> str:
        return self.expr(U1, max(depth, 1))

    # -- statements ----------------------------------------------------------------------------------------------------------------------

    def block(self, indent: int, room: int, loop: bool) -> None:
        """Some statements in a scope of their own: names made inside are gone afterwards."""
        saved = {k: list(v) for k, v in self.vars.items()}
        before = len(self.lines)
        for _ in range(self.rng.randint(1, max(1, room))):
            self.statement(indent, room - 1, loop)
        if len(self.lines) == before:
            self.assign(indent)
        self.vars = saved

    def statement(self, indent: int, room: int, loop: bool) -> None:
        pick = self.rng.random()
        if room <= 0 or pick < 0.42:
            self.assign(indent)
        elif pick < 0.60:
            self.branch(indent, room, loop)
        elif pick < 0.74:
            self.loop(indent, room)
        elif pick < 0.80:
            self.while_(indent, room)
        elif pick < 0.86 and loop:
            self.put(indent, f"if {self.condition()}:")
            self.put(indent + 1, self.pick(["break", "continue"]))
        else:
            self.vector(indent)

    def assign(self, indent: int) -> None:
        mutable = [(k, v) for k, names in self.vars.items() for v in names if v not in self.fixed]
        if mutable and self.chance(0.75):
            k, name = self.pick(mutable)
            if k is not U1 and self.chance(0.3):
                op = self.pick(["+", "-", "*"] + (["&", "|", "^"] if k.is_int else []))
                self.put(indent, f"{name} {op}= {self.expr(k, 1)}")
            else:
                self.put(indent, f"{name} = {self.expr(k)}")
            return
        k = self.pick(self.kinds)
        text = self.expr(k)
        name = self.fresh()
        near = [x for x in self.kinds if x.is_float == k.is_float]
        if self.chance(0.2):  # a declaration converts between integers, and between floats
            self.put(indent, f"{name}: al.{k} = {self.expr(self.pick(near))}")
        else:
            self.put(indent, f"{name} = {text}")
        self.vars.setdefault(k, []).append(name)

    def branch(self, indent: int, room: int, loop: bool) -> None:
        self.put(indent, f"if {self.condition()}:")
        self.block(indent + 1, room, loop)
        if self.chance(0.25):
            self.put(indent, f"elif {self.condition()}:")
            self.block(indent + 1, room, loop)
        if self.chance(0.5):
            self.put(indent, "else:")
            self.block(indent + 1, room, loop)

    def loop(self, indent: int, room: int) -> None:
        k = self.pick([x for x in self.kinds if x.is_int] or [KINDS["i32"]])
        i, v = self.fresh("i"), self.variable(k)
        counter = k if k.bits >= 32 else KINDS["i32"]
        known = [f"{self.rng.randint(0, 3)}", "1, 6, 2", "5, -1, -2", "2, 2", "3, 1"]
        few = [f"({v} & 3)", f"({v} & 1), 3", f"1, ({v} & 7), 2"]
        signed = [f"({v} & 7), 0, -3", f"({v} & 3) - 2, ({self.variable(k)} & 3) - 1, ({self.variable(k)} & 3) - 1"]
        edge = [f"{counter.high - 3}, al.{counter}({counter.high}) - ({v} & 1), 2", f"al.{counter}({counter.low}) + ({v} & 3), {counter.low + 3}"]
        kind = self.rng.random()
        if kind < 0.3:
            bounds, counter = self.pick(known), KINDS["i32"]
        elif kind < 0.75 or counter is not k:
            bounds = self.pick(few)
            counter = k if k.bits >= 32 else None
        elif kind < 0.9:
            bounds = self.pick(signed if k.kind == "int" else few)
        else:
            bounds = self.pick(edge)
        if kind < 0.3 and self.chance(0.4):
            self.put(indent, f"for {i} in range({bounds}):")  # compile time: the counter is a literal
            counter = None
        else:
            self.put(indent, f"for {i} in al.range({bounds}{', unroll=True' if self.chance(0.15) else ''}):")
        saved = {x: list(y) for x, y in self.vars.items()}
        if counter is not None:
            self.vars.setdefault(counter, []).append(i)
            self.fixed.add(i)
        self.block(indent + 1, min(room, 2), True)
        self.vars = saved

    def while_(self, indent: int, room: int) -> None:
        """Its counter has a dtype of its own, and some counts go round the end of it."""
        k = self.pick([x for x in self.kinds if x.is_int] or [KINDS["i32"]])
        n = self.fresh("n")
        self.put(indent, f"{n} = {self.pick([f'al.{k}(0)', f'({self.variable(k)} & 3)', f'al.{k}({k.high - 2})'])}")
        last = self.fresh("n")
        self.put(indent, f"{last} = {n} + {self.rng.randint(0, 4)}")
        self.put(indent, f"while {n} != {last}{f' and {self.condition(2)}' if self.chance(0.3) else ''}:")
        self.put(indent + 1, f"{n} = {n} + 1")
        saved = {x: list(y) for x, y in self.vars.items()}
        self.vars.setdefault(k, []).append(n)
        self.fixed.add(n)
        self.block(indent + 1, min(room, 2), True)
        self.vars = saved

    # -- register tensors ------------------------------------------------------------------------------------------------------------------

    def index(self, n: int) -> str:
        """A coordinate below `n`, a power of two; mostly one of run time."""
        ints = [k for k in self.vars if k.is_int and self.vars[k]]
        if not ints or self.chance(0.3):
            return str(self.rng.randrange(n))
        k = self.pick(ints)
        return f"{self.pick(self.vars[k])} & {n - 1}"

    def vector(self, indent: int) -> None:
        """A register tensor: made, changed, computed with, read."""
        k, n, r = self.pick(self.kinds), self.pick([2, 4, 8]), self.fresh("r")
        self.put(indent, f"{r} = al.full(({n},), {self.expr(k, 2)}, al.{k})")
        for _ in range(self.rng.randint(1, 3)):
            pick = self.rng.random()
            if pick < 0.35:
                self.put(indent, f"{r}[{self.index(n)}] = {self.expr(k, 2)}")
            elif pick < 0.55:
                other = self.pick([self.variable(k), f"al.full(({n},), {self.variable(k)}, al.{k})", r])
                self.put(indent, f"{r} = {r} {self.pick('+-*')} {other}")
            elif pick < 0.7:
                i = self.fresh("i")
                self.put(indent, f"for {i} in al.range({n}):")
                self.put(indent + 1, f"{r}[{i}] = {r}[{self.pick([i, f'{n - 1} - {i}', self.index(n)])}] {self.pick('+-*')} {self.expr(k, 3)}")
            elif pick < 0.85:
                self.put(indent, f"{r} = {self.pick([f'al.max({r}, {self.variable(k)})', f'al.select({r} > {self.variable(k)}, {r}, {self.variable(k)})', f'al.abs({r})', f'-{r}'])}")
            else:
                self.through(indent, r, k, n)
        name = self.fresh()
        self.put(indent, f"{name} = {self.pick([f'{r}[{self.index(n)}]', f'{r}[{self.index(n)}]', f'min({r})', f'sum({r})'])}")
        self.vars.setdefault(k, []).append(name)

    def through(self, indent: int, r: str, k: Kind, n: int) -> None:
        """A view or a window of a register tensor, and a store through it."""
        w = self.fresh("w")
        if k.is_int and self.chance(0.6):
            fitting = [x for x in INTS if n * k.bits % x.bits == 0]
            other = self.pick(fitting)
            m = n * k.bits // other.bits
            self.put(indent, f"{w} = al.view({r}, al.Tensor(({m},), al.{other}))")
            self.put(indent, f"{w}[{self.rng.randrange(m)}] = {self.expr(k, 2)}")
        else:
            self.put(indent, f"{w} = al.subview({r}, ({self.rng.randrange(n // 2)},), ({n // 2},))")
            self.put(indent, f"{w}[{self.rng.randrange(n // 2)}] = {self.expr(k, 2)}")


def helper(rng: random.Random, kinds: list[Kind], name: str) -> tuple[list[str], tuple[str, tuple[Kind, ...], Kind]]:
    """A device function of two numbers, with returns in the middle."""
    w = Writer(rng, kinds)
    w.prefix = name
    params, result = (w.pick(kinds), w.pick(kinds)), w.pick(kinds)
    for letter, k in zip("xy", params, strict=True):
        w.vars.setdefault(k, []).append(letter)
    for _ in range(rng.randint(0, 2)):
        w.statement(1, 2, False)
    if rng.random() < 0.6:
        w.put(1, f"if {w.condition()}:")
        w.put(2, f"return {w.expr(result, 1)}")
    w.put(1, f"return {w.expr(result, 1)}")
    head = f"def {name}(x: al.{params[0]}, y: al.{params[1]}) -> al.{result}:"
    return ["@avelang.jit", head, *w.lines, "", ""], (name, params, result)


def some_kinds(rng: random.Random) -> list[Kind]:
    """Few dtypes, so that a program's statements have to do with one another."""
    base = rng.choice([INTS, INTS, INTS + FLOATS, FLOATS, INTS + FLOATS + SMALL])
    kinds = rng.sample(base, min(len(base), rng.randint(2, 4)))
    if not any(k.is_int for k in kinds):
        kinds.append(rng.choice(INTS))
    return kinds


def draw(seed: int) -> Drawn:
    """A kernel with many tiny programs, or with a few larger ones, or with one whose threads talk to one another, or that says what chips have."""
    from fuzz import together, wide

    rng = random.Random(seed)
    kind = rng.random()
    if kind < 0.16:
        return together.draw(rng, seed)
    if kind < 0.4:
        return wide.draw(rng, seed)
    programs = 4 if kind < 0.52 else 12
    texts, arrays, numbers, outputs = [], {}, [], {}
    body: list[str] = []
    block, grid = rng.choice(BLOCKS), rng.choice(GRIDS) if rng.random() < 0.12 else (1, 1, 1)
    at = "t" if grid == (1, 1, 1) else "g"
    for j in range(programs):
        w = Writer(rng, some_kinds(rng))
        w.prefix = str(j)
        if programs > 4:
            w.deepest = 2
        if rng.random() < (0.5 if programs == 4 else 0.15):
            lines, made = helper(rng, w.kinds, f"f{j}")
            texts += lines
            w.helpers.append(made)
        if rng.random() < 0.15:
            alike(w, numbers, at == "g")
        else:
            begin(w, numbers, arrays, at)
        for _ in range(rng.randint(2, 4) if programs == 4 else rng.randint(1, 2)):
            w.statement(1, 2 if programs == 4 else 1, False)
        finish(w, outputs, at)
        body += [f"    # program {j}", *w.lines]
    made = assemble(texts, body, block, arrays, outputs, numbers, seed, grid)
    made.programs = programs
    return made


def given(w: Writer, k: Kind, numbers: list[Any]) -> str:
    """A number of the launch."""
    value = w.pick([x for x in specials(k) if x == x and abs(x) < 1e300]) if k.bits > 8 or k.is_int else 1.5
    name = f"s{len(numbers)}"
    numbers.append((name, k.name, int(value) if k.is_int else float(value)))
    w.vars.setdefault(k, []).append(name)
    w.fixed.add(name)
    return name


def alike(w: Writer, numbers: list[Any], blocks: bool) -> None:
    """Variables that are the same in all threads of a block: compilers keep such in registers of another kind, and branch on them by other instructions."""
    for k in w.kinds:
        source = given(w, k, numbers)
        name = w.fresh()
        w.put(1, f"{name} = {source}")
        w.vars[k].append(name)
    if blocks:
        w.vars.setdefault(KINDS["u32"], []).append("b")
        w.fixed.add("b")
    if w.chance(0.3):
        w.vars.setdefault(KINDS["u32"], []).append("t")
        w.fixed.add("t")


def begin(w: Writer, numbers: list[Any], arrays: dict[str, int], at: str = "t") -> None:
    """Variables from inputs, from numbers that the launch gives, from the thread."""
    for k in w.kinds:
        for row in w.rng.sample(range(ROWS), w.rng.randint(1, 2)):
            arrays[k.name] = ROWS
            name = w.fresh()
            w.put(1, f"{name} = a_{k}[{row}, {at}]")
            w.vars.setdefault(k, []).append(name)
    if w.chance(0.35):
        given(w, w.pick(w.kinds), numbers)
    if w.chance(0.3):
        w.vars.setdefault(KINDS["u32"], []).append("t")
        w.fixed.add("t")


def finish(w: Writer, outputs: dict[str, int], at: str = "t") -> None:
    """Stores each variable, some of them under a condition."""
    for k, names in w.vars.items():
        for name in names[-4:]:
            if name in w.fixed:
                continue
            row = outputs.get(k.name, 0)
            outputs[k.name] = row + 1
            if w.chance(0.15):
                w.put(1, f"if {w.condition()}:")
                w.put(2, f"o_{k}[{row}, {at}] = {name}")
            else:
                w.put(1, f"o_{k}[{row}, {at}] = {name}")


def assemble(texts: list[str], body: list[str], block: Three, arrays: dict[str, int], outputs: dict[str, int], numbers: list[Any], seed: int,
             grid: Three = (1, 1, 1), others: tuple[tuple[str, str, int], ...] = ()) -> Drawn:  # fmt: skip
    """The module around a kernel's body. `others`: further arrays, as (name, kind, rows)."""
    n, total = math.prod(block), math.prod(block) * math.prod(grid)
    params = [(f"a_{k}", k, rows) for k, rows in arrays.items()] + [(f"o_{k}", k, rows) for k, rows in outputs.items()] + [*others]
    said = [f"{name}: al.Tensor(({rows}, {total}), al.{k})" for name, k, rows in params] + [f"{name}: al.{k}" for name, k, _ in numbers]
    if block[1:] == (1, 1):
        head = ["    t = al.thread_id(0)"]
    else:
        head = ["    t = (al.thread_id(2) * al.block_dim(1) + al.thread_id(1)) * al.block_dim(0) + al.thread_id(0)"]
    if grid != (1, 1, 1):
        plane = "al.block_id(0)" if grid[1:] == (1, 1) else "(al.block_id(2) * al.grid_dim(1) + al.block_id(1)) * al.grid_dim(0) + al.block_id(0)"
        head += [f"    b = {plane}", f"    g = b * {n} + t"]
    lines = ["import avelang", "import avelang.language as al", "", "", *texts, "@avelang.jit", f"def kernel({', '.join(said)}):", *head, *body]
    return Drawn("\n".join(lines) + "\n", block, tuple(params), tuple(numbers), seed, grid)
