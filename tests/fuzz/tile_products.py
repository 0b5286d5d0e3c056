"""Draws products of blocks: pipelines, blocks, waves, instructions, dtypes, layouts, K with and without a tail, walks, batches, rows by number, and what is done with
the sums; beside the text what NumPy makes of it. Values are small whole numbers, so that sums are exact in any order."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import numpy as np

from avelang import tile
from avelang.base.errors import AveError
from avelang.ir.dtypes import BY_NAME
from fuzz.drawn import numpy_of
from fuzz.tile_programs import HEAD
from fuzz.tile_views import Numbers, guarded

if TYPE_CHECKING:
    from fuzz.tiles import Tiled

GROUPS = {"gfx": ("gfx942", "gfx950"), "sm": ("sm_80", "sm_90a")}
PIPELINES = {"gfx": ("single", "prefetch", "double-buffer", "ping-pong", "streamed", "direct-to-lds", "preshuffled"),
             "sm": ("single", "prefetch", "double-buffer", "ping-pong", "streamed", "cp-async", "cp-async", "preshuffled", "tma")}  # fmt: skip
F8 = {"gfx942": "fnuz", "gfx950": "fn", "sm_90a": "fn"}
WALK = """
@avelang.struct
class Parts:
    m: ...
    n: ...
    k: ...
    T: al.constexpr
    EACH: al.constexpr
    PARTS: al.constexpr

    def count(self):
        return (self.m + self.T.m - 1) // self.T.m * ((self.n + self.T.n - 1) // self.T.n) * self.PARTS

    def job(self, index, below, beside):
        cols, part, number = (self.n + self.T.n - 1) // self.T.n, index % self.PARTS, index // self.PARTS
        top, left, begin = number // cols * self.T.m, number % cols * self.T.n, part * self.EACH
        return Job((top, self.m), (left, self.n), (begin, min(begin + self.EACH, self.k)), (top, left, part))

"""


def dtypes_of(kind: str, chip: str) -> tuple[str, str]:
    """Of A and of B on a chip; "" where it has none."""
    if kind.startswith("f8"):
        end = F8.get(chip, "")
        names = {"f8": "f8e4m3" + end, "f8b": "f8e5m2" + ("fnuz" if end == "fnuz" else "")}
        return (names[kind], names[kind]) if end else ("", "")
    return kind, kind


def block_of(r: random.Random, group: str, kind: str) -> tuple[tile.Block, dict[str, Any]]:
    """A block, and what it is on the chips that have it."""
    while True:
        pipeline = r.choice(PIPELINES[group])
        m, n, k = r.choice((16, 32, 48, 64)), r.choice((16, 32, 64)), r.choice((16, 32, 64, 128))
        waves = r.choice(((1, 1), (1, 1), (1, 2), (2, 1), (2, 2)))
        if pipeline == "tma":
            m, n, k, waves = 64, r.choice((32, 64)), 64 if kind in ("f16", "bf16") else 128, (2, 2)
        elif m * n * k > 64 * 32 * 32 or (pipeline == "streamed" and m > 32) or (pipeline == "ping-pong" and waves == (1, 1)):
            continue
        mma = None
        if r.random() < 0.25 and pipeline != "tma":
            named = [x.name for x in tile.mmas(r.choice(GROUPS[group])) if dtypes_of(kind, "gfx942")[0] in map(str, x.dtypes[:2]) and x.a is not None]
            mma = r.choice(named) if named else None
        found = {}
        block = tile.Block(m, n, k, waves, pipeline, r.choice((2, 2, 3, 4)), together=r.choice((1, 2, 8)), mma=mma)
        for chip in GROUPS[group]:
            a, b = dtypes_of(kind, chip)
            if not a:
                continue
            try:
                G = block.on(chip, BY_NAME[a])
                if tuple(map(str, G.mma.dtypes[:2])) == (a, b):
                    found[chip] = G
            except AveError:
                pass
        if found:
            return block, found


class Product:
    """One kernel as it is drawn."""

    def __init__(self, seed: int):
        self.r, self.rng, self.seed = random.Random(seed), np.random.default_rng(seed), seed
        r = self.r
        self.group = r.choice(("gfx", "sm"))
        self.kind = r.choice(("f16", "bf16", "f16", "bf16", "i8", "f8", "f8b", "f32", *(("u8", "f64") if self.group == "sm" else ("f64",))))
        self.T, self.on = self.settled()
        self.numbers, self.heads, self.lines, self.finish = Numbers(r), [], [], []
        T = self.T
        self.m, self.n = r.randint(1, T.m + r.choice((0, T.m))), r.randint(1, T.n + r.choice((0, T.n)))
        self.k = max(1, r.choice((T.k, 2 * T.k, 3 * T.k, T.k - 1, T.k + 1, T.k // 2, r.randint(1, 2 * T.k), r.randint(1, 4 * T.k) // 8 * 8)))
        self.arrays: dict[str, tuple[str, np.ndarray]] = {}  # kinds are those of the first chip
        self.inputs: dict[str, dict[str, np.ndarray]] = {c: {} for c in self.on}
        self.kinds: dict[str, dict[str, str]] = {c: {} for c in self.on}
        self.wants: dict[str, np.ndarray] = {}
        self.parts, self.batches = 1, 1
        if T.pipeline != "tma" and r.random() < 0.2:
            self.parts = r.choice((2, 3))
            self.k = max(self.k, (self.parts - 1) * T.k + 1)
        elif T.pipeline not in ("tma", "preshuffled") and r.random() < 0.2:
            self.batches = 2
        if T.pipeline == "tma":
            unit = 16 // numpy_of(self.input(next(iter(self.on)))).itemsize
            self.k, self.n = -(-self.k // unit) * unit, -(-self.n // 16) * 16

    def settled(self) -> tuple[tile.Block, dict[str, Any]]:
        """A block for this dtype; f32, f64 and u8 take an instruction by name."""
        if self.kind not in ("f32", "f64", "u8"):
            return block_of(self.r, self.group, self.kind)
        dtype = BY_NAME[self.kind]
        while True:
            chip = self.r.choice(GROUPS[self.group])
            named = [x for x in tile.mmas(chip) if x.dtypes[0] == x.dtypes[1] == dtype and x.a is not None]
            T = tile.Block(32, 32, 32, self.r.choice(((1, 1), (1, 2), (2, 1))), self.r.choice(PIPELINES[self.group][:5]), mma=self.r.choice(named).name)
            found = {}
            for c in GROUPS[self.group]:
                try:
                    found[c] = T.on(c, dtype)
                except AveError:
                    pass
            if found:
                return T, found

    def input(self, chip: str) -> str:
        return dtypes_of(self.kind, chip)[0]

    @property
    def sums(self) -> str:
        """The dtype of sums."""
        return str(next(iter(self.on.values())).mma.dtypes[2])

    def put(self, name: str, values: np.ndarray, kind: str, chip: str = "") -> None:
        """An array of the kernel's, on all chips or on one."""
        for c in [chip] if chip else self.on:
            flat = guarded(values.size, kind)
            flat[...] = values.reshape(-1).astype(flat.dtype)
            self.inputs[c][name], self.kinds[c][name] = flat.reshape(values.shape), kind

    # -- operands ----------------------------------------------------------------------------------------------------------------------

    def whole(self, shape: tuple[int, ...]) -> np.ndarray:
        low, high = (-1, 1) if self.sums == "f16" or self.kind == "f8b" else (0, 3) if self.kind == "u8" else (-3, 3)
        return self.rng.integers(low, high + 1, shape).astype(np.float64)

    def operand(self, name: str, x: np.ndarray, rows: int) -> str:
        """A matrix, or a batch of them, as memory in each chip's dtype, and the view of it."""
        r, T, turned = self.r, self.T, False
        size = numpy_of(self.input(next(iter(self.on)))).itemsize
        k = x.shape[-1]
        if T.pipeline == "tma" or (name == "b" and T.pipeline == "preshuffled"):
            for chip, G in self.on.items():
                kind = self.input(chip)
                made = x.astype(numpy_of(kind))
                self.put(name, G.preshuffle(made) if T.pipeline == "preshuffled" else made, kind, chip)
            return f"tile.view({name}, ({self.numbers.say(rows)}, {self.numbers.say(k)}))"
        turned, gap = r.random() < 0.2, r.choice((0, 0, 0, 1, 8, 16))
        lines = x.swapaxes(-1, -2) if turned else x
        memory = np.full((*lines.shape[:-1], lines.shape[-1] + gap), 5.0)
        memory[..., : lines.shape[-1]] = lines
        for chip in self.on:
            self.put(name, memory, self.input(chip), chip)
        step = memory.shape[-1]
        vector = 1 if turned else max(v for v in (1, r.choice((1, 2, 4, 8, 16)), r.choice((8, 16))) if math.gcd(k, step) % v == 0 and v * size <= 16)
        where, apart = name, lines.shape[-2] * step
        if self.batches > 1 and x.ndim == 3:
            vector = math.gcd(vector, apart)
            where = f"al.subview(al.make_tensor({name}, {name}.dtype, al.make_layout(({self.batches * apart},), (1,))), (al.block_id(1) * {apart},), ({apart},), (1,))"
        strides = f"(1, {self.numbers.say(step)})" if turned else f"({self.numbers.say(step)}, 1)"
        plain = not turned and not gap and where == name and r.random() < 0.7
        extents = f"({self.numbers.say(rows)}, {self.numbers.say(k)})"
        return f"tile.view({where}, {extents}, {vector})" if plain else f"tile.view({where}, {extents}, {vector}, {strides})"

    def operands(self) -> np.ndarray:
        """Both; the product of what they mean, (batches, parts, m, n)."""
        r, T, m, n, k = self.r, self.T, self.m, self.n, self.k
        many = (self.batches,) if self.batches > 1 else ()
        b = self.whole((*many, n, k))
        if r.random() < 0.15 and T.pipeline not in ("tma", "streamed") and not many:  # rows of A by number
            rows = r.randint(1, 40)
            have, index = self.whole((rows, k)), self.rng.integers(-1, rows + 1, m)
            size = numpy_of(self.input(next(iter(self.on)))).itemsize
            vector = max(v for v in (1, r.choice((2, 4, 8))) if k % v == 0 and v * size <= 16)
            for chip in self.on:
                self.put("a", have, self.input(chip), chip)
            self.put("index", index.astype(np.float64), "i32")
            self.lines.append(f"    A = gather.gathered(a, ({self.numbers.say(rows)}, {self.numbers.say(k)}), index, {self.numbers.say(m)}, {vector})")
            a = np.where(((index >= 0) & (index < rows))[:, None], have[index.clip(0, rows - 1)], 0)
        else:
            a = self.whole((*many, m, k))
            self.lines.append(f"    A = {self.operand('a', a, m)}")
        self.lines.append(f"    B = {self.operand('b', b, n)}")
        each = self.each()
        a, b = (x.reshape(self.batches, -1, k) for x in (a, b))
        return np.stack([a[..., p * each : (p + 1) * each] @ b[..., p * each : (p + 1) * each].swapaxes(1, 2) for p in range(self.parts)], 1)

    def each(self) -> int:
        """Of K, for each part."""
        return -(-self.k // (self.parts * self.T.k)) * self.T.k if self.parts > 1 else self.k

    # -- what becomes of the sums ------------------------------------------------------------------------------------------------------

    def epilogue(self, x: np.ndarray) -> tuple[np.ndarray, str]:
        """Some functions of the sums, by turns: (batches, parts, m, n), exact; and the dtype in which they end."""
        r, kind = self.r, self.sums
        ways = ["relu", "scale", "bias n", "bias m", "residual", "masked", "along", "rows"]
        for way in r.sample(ways, r.choice((0, 1, 1, 2))):
            x = self.step(way, x, kind)
        out = r.choice({"i32": ("i32", "f32", "i64"), "f64": ("f64", "f32"), "f16": ("f16", "f32")}.get(kind, ("f32", "f16", "bf16", "f32")))
        if out != kind and r.random() < 0.4:
            self.finish.append(f"x = x.astype(al.{out})")
        return x, out

    def step(self, way: str, x: np.ndarray, kind: str) -> np.ndarray:
        T = self.T
        if way == "relu":
            self.finish.append("x = x.map(lambda v: al.max(v, 0))")
            return np.maximum(x, 0)
        if way == "scale":
            self.finish.append("x = x.map(lambda v: v * 2 + 1)")
            return x * 2 + 1
        if way in ("bias n", "bias m"):
            axis, name = (1, "n") if way == "bias n" else (0, "m")
            bias, extent = self.rng.integers(-4, 5, (self.m, self.n)[axis]).astype(np.float64), (self.m, self.n)[axis]
            self.put("bias" + name, bias, kind)
            self.finish.append(f"x = x.sweep(lambda v, where: v + bias{name}[min(at[{axis}] + where[{axis}], {self.numbers.say(extent)} - 1)])")
            return x + (bias if axis else bias[:, None])
        if way == "residual":
            other = self.rng.integers(-4, 5, (self.m, self.n)).astype(np.float64)
            self.put("other", other, "i8")
            self.finish.append(f"x = x.map(lambda v, w: v + al.convert(w, al.{kind}), (tile.view(other, ({self.numbers.say(self.m)}, {self.numbers.say(self.n)}))"
                               f".window(({T.m}, {T.n}), (at[0], at[1]), x.dist).load(),))")  # fmt: skip
            return x + other
        if way == "masked":
            self.finish.append("x = x.sweep(lambda v, where: al.select(at[0] + where[0] >= at[1] + where[1], v, 0))")
            return np.where(np.arange(self.m)[:, None] >= np.arange(self.n), x, 0)
        # A fold sees what lies past the edges too: it is of sums as the product left them, there zeros.
        if self.finish:
            return x
        down, across = -(-self.m // T.m), -(-self.n // T.n)
        padded = np.zeros((*x.shape[:2], down * T.m, across * T.n))
        padded[..., : self.m, : self.n] = x
        tiles = padded.reshape(*x.shape[:2], down * T.m, across, T.n)
        if way == "along":
            self.finish.append("x = x.along(lambda v, w: w - v, x.max(1), 1)")
            return (tiles.max(4, keepdims=True) - tiles).reshape(padded.shape)[..., : self.m, : self.n]
        if self.parts > 1 or self.batches > 1 or T.pipeline == "tma" or np.abs(tiles).sum(4).max() > 2000:
            return x
        self.put("s", np.full((across, self.m), 7.0), kind)
        line, m = "s = tile.view(s, ({a} * {m},)).cut((at[1] // {n} * {m} + {m},))", self.numbers.say(self.m)
        self.finish += [line.format(a=across, m=m, n=T.n).replace("s = ", "rows = "), f"rows.store(x.sum(1), (at[1] // {T.n} * {m} + at[0],))"]
        self.wants["s"] = tiles.sum(4)[0, 0, : self.m].T.astype(numpy_of(kind))
        return x

    def result(self, x: np.ndarray, out: str) -> None:
        """C's memory and view, and what it must hold."""
        r, m, n = self.r, self.m, self.n
        turned, gap = r.random() < 0.2, r.choice((0, 0, 1, 4, 8))
        many = self.parts * self.batches
        lines, length = (n, m) if turned else (m, n)
        want = np.full((many, lines, length + gap), 7.0).astype(numpy_of(out))
        self.put("o", want, out)
        there = want[:, :, :length]
        there[...] = (x.reshape(many, m, n).swapaxes(1, 2) if turned else x.reshape(many, m, n)).astype(numpy_of(self.sums)).astype(want.dtype)
        self.wants["o"] = want
        size, step = want.dtype.itemsize, length + gap
        vector = 1 if turned else r.choice([v for v in (1, 2, 4, 8) if math.gcd(n, step) % v == 0 and v * size <= 16])
        where, apart = "o", lines * step
        if many > 1:
            vector = math.gcd(vector, apart)
            which = "at[2]" if self.parts > 1 else "al.block_id(1)"
            where = f"al.subview(al.make_tensor(o, o.dtype, al.make_layout(({many * apart},), (1,))), ({which} * {apart},), ({apart},), (1,))"
        strides = f", (1, {self.numbers.say(step)})" if turned else f", ({self.numbers.say(step)}, 1)" if gap or many > 1 or r.random() < 0.3 else ""
        self.finish.append(f"tile.view({where}, ({self.numbers.say(m)}, {self.numbers.say(n)}), {vector}{strides}).store(x, (at[0], at[1]))")

    # -- the whole ---------------------------------------------------------------------------------------------------------------------

    def draw(self) -> Tiled:
        from fuzz.tiles import Tiled

        T = self.T
        x, out = self.epilogue(self.operands())
        self.result(x, out)
        units = self.r.choice((1, 2, 3))
        sizes = ", ".join(self.numbers.say(v) for v in (self.m, self.n, self.k))
        walk = f"Parts({sizes}, T, {self.each()}, {self.parts})" if self.parts > 1 else f"({sizes})"
        first = next(iter(self.on))
        names = list(self.inputs[first])
        texts = {}
        for chip in self.on:
            kinds = self.kinds[chip]
            params = [f"{n}: {self.annotation(n, kinds[n])}" for n in names] + [f"{n}: al.{t}" for n, t in self.numbers.types.items()]
            maps = [f"IN_A, IN_B, _ = T.operands(al.{kinds['a']}, al.f32)"] if T.pipeline == "tma" else []
            texts[chip] = HEAD + "\n".join([
                "from avelang.tile.order import Job", WALK if self.parts > 1 else "", f"T = tile.{T!r}", *maps, "", "", "@avelang.jit",
                f"def kernel({', '.join(params)}):", *self.lines, "", "    def finish(x, at):", *(f"        {line}" for line in self.finish), "",
                f"    tile.multiply(T, A, B, {walk}, finish)"]) + "\n"  # fmt: skip
        grid = (T.grid(self.m, self.n, units) * self.parts, self.batches, 1)
        args = {**{n: self.inputs[first][n] for n in names}, **self.numbers.made}
        wants = {n: w for n, w in self.wants.items()}
        return Tiled(texts, {c: G.threads for c, G in self.on.items()}, dict.fromkeys(texts, grid), args, self.kinds, wants, self.seed,
                     f"a product, {T.pipeline}, {self.kind}", exact=False, cheap=False, inputs=self.inputs)  # fmt: skip

    def annotation(self, name: str, kind: str) -> str:
        if self.T.pipeline == "tma" and name in ("a", "b"):
            return f"IN_{name.upper()}"
        return f"al.Pointer(al.{kind})"


def draw(seed: int) -> Tiled:
    return Product(seed).draw()
