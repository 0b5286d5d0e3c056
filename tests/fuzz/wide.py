"""Draws kernels that say what chips have: grids of several blocks, atomic operations, copies that run beside the threads, matrix products, raw buffers,
compile-time parameters, functions that are not rounded correctly, helpers that store into what they are given, views of any strides.

A step that not every chip has stands once for each vendor, chosen at compile time by `al.target()`. Atomic operations on one word are all of one kind, so
that their sequence does not matter. Products are of small numbers, so that nothing is rounded.
"""

from __future__ import annotations

import math
import random
from typing import Any

from fuzz import products
from fuzz.drawn import CONSTEXPR, FLOATS, FULL, GRIDS, KINDS, ROWS, U1, Drawn, assemble, begin, finish, some_kinds
from fuzz.numbers import Kind
from fuzz.shapes import Shapes
from fuzz.together import Together

I32, U32, U64, F32 = (KINDS[x] for x in ("i32", "u32", "u64", "f32"))
FUNCTIONS = ("exp", "exp2", "log", "log2", "tanh", "erf", "rsqrt", "sin", "cos")
UPDATES = ("add", "min", "max", "and", "or", "xor")
MMA = ("16x8x8_f16_f32", "16x8x16_f16_f32", "16x8x8_f16_f16", "16x8x16_f16_f16", "16x8x8_bf16_f32", "16x8x16_bf16_f32", "16x8x4_tf32_f32", "16x8x8_tf32_f32",
       "8x8x16_i8_i32", "8x8x16_u8_i8_i32", "16x8x16_i8_u8_i32", "16x8x32_u8_i32", "16x8x32_i8_i32", "8x8x4_f64_f64")  # fmt: skip
MFMA = ("f32_4x4x1_16b_f32", "f32_16x16x1_4b_f32", "f32_16x16x4_f32", "f32_32x32x2_f32", "f32_4x4x4_16b_f16", "f32_16x16x4_4b_f16", "f32_16x16x16_f16",
        "f32_32x32x4_2b_f16", "f32_32x32x8_f16", "f32_4x4x4_16b_bf16", "f32_16x16x16_bf16", "f32_32x32x8_bf16", "i32_4x4x4_16b_i8", "i32_16x16x4_4b_i8",
        "i32_32x32x4_2b_i8", "i32_16x16x32_i8", "i32_32x32x16_i8", "f64_4x4x4_4b_f64", "f64_16x16x4_f64")  # fmt: skip


class Wide(Shapes, Together):
    """A writer that knows the grid, too. `at` is the place of a thread in the launch, `columns` how many there are."""

    def __init__(self, rng: random.Random, kinds: list[Kind], threads: int, blocks: int):
        super().__init__(rng, kinds, threads)
        self.columns, self.at = threads * blocks, "t" if blocks == 1 else "g"
        self.constants: list[tuple[str, Any]] = []
        self.loose: dict[str, int] = {}
        self.counters: list[tuple[str, str, int]] = []
        self.numbers: list[Any] = []
        self.texts: list[str] = []

    def number(self, k: Kind) -> str:
        fitting = [name for name, v in self.constants if k is not U1 and (k.is_float and k.bits > 8 or k.is_int and isinstance(v, int) and k.low <= v <= k.high)]
        return self.pick(fitting) if fitting and self.chance(0.35) else super().number(k)

    def for_vendors(self, indent: int, nvidia: list[str], amd: list[str]) -> None:
        """Lines for each; what they assign is there behind them."""
        self.put(indent, 'if al.target().vendor == "nvidia":')
        for line in nvidia:
            self.put(indent + 1, line)
        self.put(indent, "else:")
        for line in amd:
            self.put(indent + 1, line)

    def known(self, k: Kind, name: str) -> None:
        self.vars.setdefault(k, []).append(name)

    def whole(self, k: Kind, low: int, high: int) -> str:
        """A number of `k` that is whole and in a range of a power of two."""
        source = self.pick([x for x in self.kinds if x.is_int])
        v = self.expr(source, 2)
        inner = f"al.convert({v}, al.i32)" if source is not I32 else f"({v})"
        value = f"(({inner} & {high - low}) + {low})" if low else f"({inner} & {high - low})"
        return value if k is I32 else f"al.convert({value}, al.{k})"

    # -- atomic operations -----------------------------------------------------------------------------------------------------------------

    def updated(self, k: Kind, memory: str, place: str, value: str) -> tuple[list[str], list[str]]:
        """One operation, for each vendor; AMD's only adds."""
        op = self.pick(UPDATES) if k is not F32 else "add"
        order = self.pick(["", "", ", order=1", ", order=3"])
        return [f"al.nvvm.atomic_{op}(al.subview({memory}, ({place},), (1,)), {value}{order})"], [f"al.amdgpu.atomic_add({k.bytes} * ({place}), {value}, {memory})"]

    def guarded(self, indent: int) -> int:
        """Sometimes a condition, or a loop, that differs from lane to lane."""
        pick = self.rng.random()
        if pick < 0.35:
            self.put(indent, f"if {self.condition()}:")
        elif pick < 0.5:
            ints = [x for x in self.kinds if x.is_int]
            self.put(indent, f"for {self.fresh('i')} in al.range({self.variable(self.pick(ints))} & 3):")
        else:
            return indent
        return indent + 1

    def atomic_shared(self, indent: int) -> None:
        """A few words of shared memory that all threads change."""
        k, words, s = self.pick([U32, U32, I32, F32]), self.pick([1, 4, 8]), self.fresh("m")
        self.put(indent, f"{s} = al.make_shared(({words},), al.{k})")
        self.put(indent, f"if t < {words}:")
        self.put(indent + 1, f"{s}[t] = {self.pick(['0', '5'])}" if k is not F32 else f"{s}[t] = 2.0")
        self.put(indent, "al.syncthreads()")
        place = f"t & {words - 1}" if self.chance(0.3) else f"al.convert({self.variable(self.pick([x for x in self.kinds if x.is_int]))}, al.u32) & {words - 1}"
        saved = {x: list(y) for x, y in self.vars.items()}
        inner = self.guarded(indent)
        value = self.whole(F32, 0, 15) if k is F32 else f"al.{k}({self.expr(k, 2)})"
        self.for_vendors(inner, *self.updated(k, s, place, value))
        self.vars = saved
        self.put(indent, "al.syncthreads()")
        self.keep(indent, k, f"{s}[t & {words - 1}]")
        self.put(indent, "al.syncthreads()")

    def atomic_global(self, indent: int) -> None:
        """Words that all blocks change; nobody reads them."""
        k = self.pick([U32, I32, F32])
        name = f"c{len(self.counters)}_{k}"
        self.counters.append((name, k.name, 1))
        m, words = self.fresh("w"), self.pick([1, 2, 32])
        self.put(indent, f"{m} = al.view({name}, al.{k}, al.make_layout(({self.columns},)))")
        saved = {x: list(y) for x, y in self.vars.items()}
        inner = self.guarded(indent)
        value = self.whole(F32, 0, 15) if k is F32 else f"al.{k}({self.expr(k, 2)})"
        self.for_vendors(inner, *self.updated(k, m, f"(t >> 1) & {words - 1}", value))
        self.vars = saved

    def appended(self, indent: int) -> None:
        """A list in shared memory to which threads append, by a counter; whatever the sequence, its sum is the same."""
        s, n, slot = self.fresh("m"), self.fresh("n"), self.fresh("n")
        self.put(indent, f"{s} = al.make_shared(({self.threads},), al.u32)")
        self.put(indent, f"{n} = al.make_shared((1,), al.u32)")
        self.put(indent, "if t == 0:")
        self.put(indent + 1, f"{n}[0] = 0")
        self.put(indent, "al.syncthreads()")
        self.put(indent, f"if {self.condition()}:")
        self.for_vendors(indent + 1, [f"{slot} = al.nvvm.atomic_add({n}, al.u32(1))"], [f"{slot} = al.amdgpu.atomic_add(0, al.u32(1), {n})"])
        self.put(indent + 1, f"{s}[{slot}] = {self.expr(U32, 1)}")
        self.put(indent, "al.syncthreads()")
        total, i = self.fresh(), self.fresh("i")
        self.put(indent, f"{total} = {n}[0]")
        self.put(indent, f"for {i} in al.range({n}[0]):")
        self.put(indent + 1, f"{total} {self.pick('+^')}= {s}[{i}]")
        self.put(indent, "al.syncthreads()")
        self.known(U32, total)

    # -- memory ----------------------------------------------------------------------------------------------------------------------------

    def copied(self, indent: int) -> None:
        """Copies from memory to shared memory that run beside the threads; in two groups sometimes, of which the first is waited for alone."""
        k = self.pick([x for x in self.kinds if x.bits >= 8])
        n, q, words = self.threads, self.pick([1, 1, 2, 4]), ROWS * self.columns * k.bytes // 4
        src, s, r = self.fresh("w"), self.fresh("m"), self.fresh("r")
        groups = self.pick([1, 2])
        self.put(indent, f"{src} = al.view(a_{k}, al.u32, al.make_layout(({words},)))")
        self.put(indent, f"{s} = al.make_shared(({groups * n * q},), al.u32)")
        nvidia, amd = [], [f"{r} = al.amdgpu.make_rsrc({src}, {4 * words - self.pick([0, 0, 0, 8])})"]
        for group in range(groups):
            place = f"({self.place()}) % {words // q}" if words // q < n else f"({self.place()})"
            count = self.pick(["", "", f", bytes=al.convert({self.place()}, al.u32) & {4 * q - 1}"])
            nvidia.append(f"al.nvvm.cp_async_x{4 * q}(al.subview({s}, ({group * n * q} + t * {q},), ({q},)), al.subview({src}, ({place} * {q},), ({q},)){count})")
            nvidia.append("al.nvvm.cp_async_commit_group()")
            for j in range(q):
                to = f"al.subview({s}, ({(group * q + j) * n} + t // 64 * 64,), (64,))"
                offset = self.pick([f"4 * {j}, 0", f"0, {4 * j}", f"al.u32({4 * j}), 0"]) if q > 1 else "0, 0"
                first, second = offset.split(", ")
                amd.append(f"al.amdgpu.raw_buffer_load_x1_lds({r}, {to}, 4, al.convert({place}, al.u32) * {4 * q} + {first}, al.u32({second}))")
        if groups == 2 and self.chance(0.6):
            nvidia.append("al.nvvm.cp_async_wait_group(1)")
            amd.append(f"al.amdgpu.s_waitcnt({q}, 7, 15)")
            read = n * q
        else:
            nvidia.append(self.pick(["al.nvvm.cp_async_wait_group(0)", "al.nvvm.cp_async_wait_all()"]))
            amd.append("al.amdgpu.s_waitcnt(0, 7, 15)")
            read = groups * n * q
        self.for_vendors(indent, nvidia, amd)
        self.put(indent, "al.syncthreads()")
        self.keep(indent, U32, f"{s}[{self.place()}{f' + {self.rng.randrange(read // n) * n}' if read > n else ''}]")
        if read < groups * n * q:
            self.for_vendors(indent, ["al.nvvm.cp_async_wait_all()"], ["al.amdgpu.s_waitcnt(0, 7, 15)"])
        self.put(indent, "al.syncthreads()")
        if read < groups * n * q:
            self.keep(indent, U32, f"{s}[{read} + {self.place()}]")

    def buffered(self, indent: int) -> None:
        """Loads by a resource, some of them outside of its range, on AMD; plain ones on NVIDIA."""
        k, n = self.pick([x for x in self.kinds if x.bits >= 8]), self.pick([1, 2, 4])
        words = ROWS * self.columns * k.bytes // 4
        src, r, v = self.fresh("w"), self.fresh("r"), self.fresh()
        self.put(indent, f"{src} = al.view(a_{k}, al.i32, al.make_layout(({words},)))")
        limit = self.pick([4 * words, 2 * words, 40, 36])
        load = f"al.amdgpu.raw_buffer_load_x{n}({r}, ({self.place()}) * 4, {self.pick(['0', '16', f'(al.convert({self.place()}, al.u32) & 3) * 4'])})"
        got = load if n == 1 else f"{load}[{self.index(n)}]"
        self.for_vendors(indent, [f"{v} = {src}[({self.place()}) % {words}]"], [f"{r} = al.amdgpu.make_rsrc({src}, {limit})", f"{v} = {got}"])
        self.known(I32, v)

    def strided(self, indent: int) -> None:
        """Views whose strides are zero, overlap, or turn; read whole and by element."""
        k = self.pick([x for x in self.kinds if x.bits >= 8])
        total, w, r = ROWS * self.columns, self.fresh("w"), self.fresh("r")
        shape = (self.pick([2, 4, 16]), self.pick([2, 4]))
        strides = self.pick([(1, 0), (0, 1), (1, 1), (0, 0), (3, 5), (1, shape[0]), (shape[1], 1), (total // 32, 2)])
        assert (shape[0] - 1) * strides[0] + (shape[1] - 1) * strides[1] < total
        self.put(indent, f"{w} = al.view(a_{k}, al.Tensor({shape}, {strides}, al.{k}))")
        if self.chance(0.5):
            self.keep(indent, k, f"{w}[({self.place()}) % {shape[0]}, ({self.place()}) % {shape[1]}]")
        else:
            self.put(indent, f"{r} = {w}[({self.place()}) % {shape[0]}]")
            self.keep(indent, k, self.pick([f"sum({r})", f"{r}[{self.index(shape[1])}]", f"max({r})"]))

    # -- lanes together --------------------------------------------------------------------------------------------------------------------

    def multiplied(self, indent: int) -> None:
        """A matrix product of each wave, maybe several in a chain."""
        chained, both = self.chance(0.4), []
        d, slot = self.fresh("d"), self.rng.randrange(64)
        for full in (f"nvvm.mma_{self.pick(MMA)}", f"amdgpu.mfma_{self.pick(MFMA)}"):
            s = products.shape(full)
            lines, names = [], []
            for letter, kind, count in zip("abc", s.kinds, s.slots, strict=True):
                name, j = f"{letter}{d}", self.fresh("j")
                names.append(name)
                top = 3 if s.kinds[2].bits == 16 else 7
                low, high = (-(top + 1) // 2, top // 2) if kind.is_float or kind.low else (0, top)
                value, other = self.whole(kind, low, high), self.whole(kind, low, high)
                if self.chance(0.2):
                    value = other = f"al.{kind}({self.rng.randint(low, high)})"
                if count == 1:
                    lines.append(f"{name} = {value}")
                else:
                    lines.append(f"{name} = al.full(({count},), {value}, al.{kind})")
                    at = self.pick([f"range({count})", f"range(0, {count}, 2)", f"al.range({count})"])
                    lines += [f"for {j} in {at}:", f"    {name}[{j}] = {other}" + (f" + {name}[{j}]" if kind.is_int and kind.bits == 32 else "")]
            said = ""
            if s.blocks > 1 and s.kinds[0].bits < 64 and self.chance(0.3):
                most = s.blocks.bit_length() - 1
                cbsz = self.rng.randint(0, most)
                said = f", cbsz={cbsz}, abid={self.rng.randrange(1 << cbsz)}, blgp={self.rng.randrange(8)}"
            a, b, c = names
            lines.append(f"{d} = al.{full}({a}, {b}, {c}{said})")
            if chained:
                lines += [f"for {self.fresh('i')} in {self.pick(['range(2)', 'al.range(2)', 'al.range(3)'])}:", f"    {d} = al.{full}({a}, {b}, {d}{said})"]
            out = f"{d}[{slot % s.slots[2]}]" if s.slots[2] > 1 else d
            lines.append(f"v{d} = al.convert({out}, al.i32)")
            both.append(lines)
        self.for_vendors(indent, *both)
        self.known(I32, f"v{d}")

    def asked(self, indent: int) -> None:
        """What AMD's lanes find out about one another; NVIDIA's shuffle."""
        v, e = self.fresh(), self.expr(I32, 2)
        if self.chance(0.5):
            self.for_vendors(indent, [f"{v} = al.shuffle(al.i32({e}), 0)"], [f"{v} = al.amdgpu.readfirstlane(al.i32({e}))"])
            self.known(I32, v)
        else:
            c = self.condition()
            self.for_vendors(indent, [f"{v} = al.convert(al.shuffle({c}, 1), al.u64)"], [f"{v} = al.convert(al.amdgpu.ballot({c}), al.u64)"])
            self.known(U64, v)

    # -- functions -------------------------------------------------------------------------------------------------------------------------

    def function(self, indent: int) -> None:
        """A function of a float, to an array that is compared with a tolerance: nothing is computed from it."""
        floats = [k for k in self.kinds if k in FLOATS]
        if not floats:
            return self.assign(indent)
        k = self.pick(floats)
        row = self.loose[k.name] = self.loose.get(k.name, -1) + 1
        inner = self.guarded(indent) if self.chance(0.2) else indent
        name, size = self.pick(FUNCTIONS), self.pick([0, 0, 0, 2, 4])
        if size:  # a vector of them
            r = self.fresh("r")
            self.put(inner, f"{r} = al.full(({size},), {self.expr(k, 2)}, al.{k})")
            self.put(inner, f"{r}[{self.rng.randrange(size)}] = {self.expr(k, 2)}")
            self.put(inner, f"u_{k}[{row}, {self.at}] = al.{name}({r})[{self.index(size)}]")
        else:
            self.put(inner, f"u_{k}[{row}, {self.at}] = al.{name}({self.expr(k, 1)})")
        return None

    def helped(self, indent: int) -> None:
        """A helper that stores into a register tensor, and gives two numbers."""
        k, n = self.pick(self.kinds), self.pick([2, 4])
        name, r = f"h{len(self.texts)}", self.fresh("r")
        inner = Together(self.rng, [k], self.threads)
        inner.prefix, inner.vars = name, {k: ["x"]}
        op = self.pick(["+", "-", "*"])
        self.texts += [
            "@avelang.jit", f"def {name}(r: al.Tensor(({n},), al.{k}), x: al.{k}):", f"    for i in {self.pick(['range', 'al.range'])}({n}):",
            f"        r[i] = r[i] {op} {inner.expr(k, 2)}", f"    return r[{self.rng.randrange(n)}], {inner.expr(k, 1)}", "", "",
        ]  # fmt: skip
        one, two = self.fresh(), self.fresh()
        self.put(indent, f"{r} = al.full(({n},), {self.expr(k, 2)}, al.{k})")
        self.put(indent, f"{one}, {two} = {name}({r}, {self.expr(k, 1)})")
        self.known(k, one)
        self.known(k, two)
        self.keep(indent, k, f"{r}[{self.index(n)}]")

    def told(self, indent: int) -> None:
        """What a compile-time number decides: a branch, a count, an extent."""
        ints = [(name, v) for name, v in self.constants if isinstance(v, int) and not isinstance(v, bool) and 0 < v <= 8]
        if not ints:
            return self.assign(indent)
        name, v = self.pick(ints)
        k, out = self.pick(self.kinds), self.fresh()
        self.put(indent, f"{out} = {self.expr(k, 1)}")
        pick = self.rng.random()
        if pick < 0.35:
            self.put(indent, f"if {name} {self.pick(['>', '<', '=='])} {self.rng.randint(1, 6)}:")
            self.put(indent + 1, f"{out} = {self.expr(k, 1)}")
        elif pick < 0.7:
            self.put(indent, f"for {self.fresh('i')} in {self.pick(['range', 'al.range'])}({name}):")
            self.put(indent + 1, f"{out} = {out} {self.pick('+-*')} {self.expr(k, 2)}")
        else:
            r = self.fresh("r")
            self.put(indent, f"{r} = al.full(({name} * 2,), {out}, al.{k})")
            self.put(indent, f"{r}[{name}] = {self.expr(k, 2)}")
            self.put(indent, f"{out} = sum({r})")
        self.known(k, out)
        return None


STEPS = ("atomic_shared", "atomic_global", "appended", "copied", "buffered", "strided", "multiplied", "asked", "function", "helped", "told")


def draw(rng: random.Random, seed: int) -> Drawn:
    """A kernel of one program."""
    block, grid = rng.choice([*FULL, (64, 1, 1)]), rng.choice(GRIDS) if rng.random() < 0.5 else (1, 1, 1)
    kinds = some_kinds(rng)
    if rng.random() < 0.4 and not any(k in kinds for k in FLOATS):
        kinds.append(rng.choice(FLOATS))
    w = Wide(rng, kinds, math.prod(block), math.prod(grid))
    arrays: dict[str, int] = {}
    outputs: dict[str, int] = {}
    begin(w, w.numbers, arrays, w.at)
    for k in kinds:
        arrays[k.name] = ROWS
    for j in range(rng.choice([0, 1, 2])):
        value: Any = rng.choice([1, 2, 3, 5, 8, -1, 0.5, -2.0])
        w.constants.append((f"K{j}", value))
        w.numbers.append((f"K{j}", CONSTEXPR, value))
    if grid != (1, 1, 1):
        w.vars.setdefault(U32, []).extend(["b", "g"])
        w.fixed.update("bg")
    for _ in range(rng.randint(3, 7)):
        pick = rng.random()
        if pick < 0.4:
            getattr(w, rng.choice(STEPS))(1)
        elif pick < 0.6:
            w.shaped(1)
        elif pick < 0.7:
            w.exchange(1)
        elif pick < 0.75:
            w.shuffled(1)
        elif pick < 0.8:
            w.uniform(1, w.numbers)
        else:
            w.statement(1, 2, False)
    finish(w, outputs, w.at)
    loose = [(f"u_{k}", k, rows + 1) for k, rows in w.loose.items()]
    return assemble(w.texts, w.lines, block, arrays, outputs, w.numbers, seed, grid, (*loose, *w.counters))


