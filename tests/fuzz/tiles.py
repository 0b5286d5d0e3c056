"""Draws kernels of the tile level: a seed comes in; text, arguments and what NumPy makes of them come out, and what each engine makes that is otherwise.

Two families. Windows: views with extents, strides and vectors by chance, tiles over their edges, any distribution, windows that move. Products: blocks, waves,
pipelines, dtypes, layouts and epilogues. Values are small whole numbers, so that sums are exact in any order.
"""

from __future__ import annotations

import dataclasses
import math
import random
from typing import Any

import numpy as np

from avelang import tile
from avelang.base.errors import AveError
from avelang.ir.dtypes import BY_NAME
from fuzz import engines
from fuzz.drawn import Drawn, numpy_of

HEAD = "import avelang\nimport avelang.language as al\nfrom avelang import tile\n\n\n"
FAMILIES = {"gfx": (("reference", "gfx942"), ("cpu", "gfx942"), ("gfx942", "gfx942"), ("gfx950", "gfx950")),
            "sm": (("reference", "sm_80"), ("cpu", "sm_80"), ("sm_80", "sm_80"))}  # fmt: skip
WAVE = {"gfx": 64, "sm": 32}
CHIPS = {"gfx": "gfx942", "sm": "sm_80"}


@dataclasses.dataclass
class Tiled:
    """A kernel, its launch, its arguments in order, and what its last array should hold. `chips`: "gfx" or "sm"."""

    text: str
    block: int
    grid: tuple[int, int, int]
    args: dict[str, Any]
    want: np.ndarray
    chips: str
    seed: int
    said: str

    def run(self, engine: str, chip: str, level: int = 0) -> str:
        """What the engine does otherwise; "" where it agrees."""
        args = {name: np.copy(a) if isinstance(a, np.ndarray) else a for name, a in self.args.items()}
        drawn = Drawn(self.text, (self.block, 1, 1), (), (), self.seed, self.grid)
        engines.on(drawn, engine, chip, list(args.values()), level)
        got = list(args.values())[self.place()]
        if got.tobytes() == self.want.tobytes():
            return ""
        at = tuple(map(int, np.argwhere(got != self.want)[0])) if (got != self.want).any() else ()
        return f"{int((got != self.want).sum())} differ, the first at {list(at)}: {got[at]!r} and should be {self.want[at]!r}"

    def place(self) -> int:
        """Which argument is the result."""
        return list(self.args).index("o")


def whole(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> np.ndarray:
    return rng.integers(-3, 4, shape).astype(numpy_of(kind))


def laid(x: np.ndarray, turned: bool, gap: int) -> tuple[np.ndarray, str]:
    """A matrix as memory, by rows or by columns that begin `gap` elements late, and the text of its strides."""
    lines = x.T if turned else x
    memory = np.full((len(lines), lines.shape[1] + gap), 5, x.dtype)
    memory[:, : lines.shape[1]] = lines
    return memory, f"(1, {memory.shape[1]})" if turned else f"({memory.shape[1]}, 1)"


def widest(n: int, gap: int, turned: bool, size: int, r: random.Random) -> int:
    """A `vector` that rows allow."""
    return 1 if turned else r.choice([v for v in (1, 2, 4, 8, 16) if math.gcd(n, n + gap) % v == 0 and v * size <= 16])


def window(seed: int) -> Tiled:
    """Tiles read (some over an edge, some in steps along a dimension), computed with, and stored."""
    from tile import drawn as by_chance

    r, rng = random.Random(seed), np.random.default_rng(seed)
    chips, kind, out = r.choice(["gfx", "sm"]), r.choice(["f32", "i32", "f16", "bf16", "i8", "u8", "f64", "i64"]), r.choice(["f32", "f64"])
    rows, cols = r.choice([4, 8, 16, 32]), r.choice([8, 16, 32, 64])
    waves = r.choice([1, 2, 4])
    encoding = by_chance.encoding(r, (rows, cols), waves, WAVE[chips])
    m, n, trips, down = r.randint(1, 50), r.randint(1, 70), r.choice([1, 1, 2, 3]), r.random() < 0.5
    turned, gap = r.random() < 0.3, r.choice([0, 0, 1, 3, 8])
    a = whole(rng, (m, n), kind)
    if kind.startswith("u"):
        a = (a & 3).astype(a.dtype)
    memory, strides = laid(a, turned, gap)
    result, to = laid(np.full((m, n), 7, numpy_of(out)), r.random() < 0.3, r.choice([0, 4]))
    step = (rows, 0) if down else (0, cols)
    known = r.random() < 0.5
    shape = (str(m), str(n)) if known else ("m", "n")
    wide = widest(n, gap, turned, numpy_of(kind).itemsize, r)
    store = widest(n, result.shape[1] - n, to.startswith("(1,"), result.itemsize, r) if not to.startswith("(1,") else 1
    plus = r.choice(["x + y", "x - 2 * y", "al.max(x, y)"])
    lines = [f"D = tile.Distribution({encoding!r})".replace("Encoding(", "tile.Encoding("), "", "", "@avelang.jit",
             f"def kernel(a: al.Pointer(al.{kind}), o: al.Pointer(al.{out}), m: al.u32, n: al.u32):",
             f"    at = al.block_id(1) * {rows}, al.block_id(0) * {cols}",
             f"    w = tile.view(a, ({', '.join(shape)}), {wide}, {strides}).window(({rows}, {cols}), at, D)",
             f"    t = w.load().map(lambda x: al.convert(x, al.{out}))"]  # fmt: skip
    if trips > 1:
        lines += [f"    for _ in al.range({trips - 1}):", f"        w.move({step})", f"        t = t.map(lambda x, y: {plus.replace('y', f'al.convert(y, al.{out})')}, (w.load(),))"]
    lines.append(f"    tile.view(o, ({', '.join(shape)}), {store}, {to}).store(t, at)")
    wide_a = np.zeros((m + 4 * rows, n + 4 * cols), numpy_of(out))
    wide_a[:m, :n] = a.astype(numpy_of(out))
    total = wide_a[:m, :n]
    for i in range(1, trips):
        y = wide_a[i * step[0] : i * step[0] + m, i * step[1] : i * step[1] + n]
        total = total + y if plus == "x + y" else total - 2 * y if plus == "x - 2 * y" else np.maximum(total, y)
    want = result.copy()
    (want.T if to.startswith("(1,") else want)[:m, :n] = total
    grid = (-(-n // cols), -(-m // rows), 1)
    args = {"a": memory, "o": result, "m": np.uint32(m), "n": np.uint32(n)}
    return Tiled(HEAD + "\n".join(lines) + "\n", waves * WAVE[chips], grid, args, want, chips, seed, "a window")


PIPELINES = {"gfx": ("single", "prefetch", "double-buffer", "ping-pong", "streamed", "direct-to-lds"),
             "sm": ("single", "prefetch", "double-buffer", "ping-pong", "streamed", "cp-async")}  # fmt: skip
EPILOGUES = {"": lambda x: x, ".map(lambda x: al.max(x, 0))": lambda x: np.maximum(x, 0), ".map(lambda x: x * 2 + 1)": lambda x: x * 2 + 1}


def product(seed: int) -> Tiled:
    """C = f(A @ B^T), with edges. Raises AveError where the block cannot be."""
    r, rng = random.Random(seed), np.random.default_rng(seed)
    chips = r.choice(["gfx", "sm"])
    kind = r.choice(["f16", "bf16", "f16", "bf16", "i8"])
    out = "i32" if kind == "i8" else r.choice(["f32", "f16", "bf16"])
    T = (r.choice([16, 32, 64]), r.choice([16, 32, 64]), r.choice([32, 64, 128]), r.choice([(1, 1), (1, 2), (2, 1), (2, 2)]), r.choice(PIPELINES[chips]), r.choice([2, 2, 3]))
    m, n, k = r.randint(1, 80), r.randint(1, 80), r.choice([8, 32, 64, 72, 136, 200, r.randint(1, 150)])
    a, b = whole(rng, (m, k), kind), whole(rng, (n, k), kind)
    shapes = []
    for x, rows in ((a, m), (b, n)):
        turned, gap = r.random() < 0.25, r.choice([0, 0, 8])
        memory, strides = laid(x, turned, gap)
        shapes.append((memory, f"({rows}, {k}), {widest(k, gap, turned, x.itemsize, r)}, {strides}"))
    result = np.full((m, n), 7, numpy_of(out))
    epilogue = r.choice(list(EPILOGUES))
    block = tile.Block(*T)
    at = CHIPS[chips]
    threads = block.on(at, BY_NAME[kind]).threads
    text = HEAD + "\n".join([
        f"T = tile.Block{T}", "", "", "@avelang.jit", f"def kernel(a: al.Pointer(al.{kind}), b: al.Pointer(al.{kind}), o: al.Pointer(al.{out}), n: al.u32):",
        f"    A, B = tile.view(a, {shapes[0][1]}), tile.view(b, {shapes[1][1]})", f"    C = tile.view(o, ({m}, n), {widest(n, 0, False, result.itemsize, r)})", "",
        "    def finish(sums, at):", f"        C.store(sums{epilogue}, at)", "", f"    tile.multiply(T, A, B, ({m}, n, {k}), finish)"]) + "\n"  # fmt: skip
    wide = np.int64 if kind == "i8" else np.float32
    want = EPILOGUES[epilogue](a.astype(wide) @ b.astype(wide).T).astype(numpy_of(out))
    grid = tuple((*block.grid(m, n, 4), 1, 1)[:3]) if isinstance(block.grid(m, n, 4), tuple) else (block.grid(m, n, 4), 1, 1)
    args = {"a": shapes[0][0], "b": shapes[1][0], "o": result, "n": np.uint32(n)}
    return Tiled(text, threads, grid, args, want, chips, seed, "a product")


def draw(seed: int) -> Tiled:
    return (window if seed % 3 else product)(seed)


def trial(seed: int) -> tuple[list[str], list[tuple[str, str, str]]]:
    """The engines that a program ran on, and (engine, difference, text) of those that disagree. Raises AveError for what the tile level refuses."""
    made = draw(seed)
    ran, found = [], []
    for engine, chip in FAMILIES[made.chips]:
        try:
            what = made.run(engine, chip)
        except AveError as e:
            if engine == "reference" and e.code[0] in "TU":
                raise  # a mistake of the drawn program's
            what = f"{e.code}: {e}"
        except Exception as e:  # whatever goes wrong in an engine is a finding
            what = f"{type(e).__name__}: {e}"
        ran.append(engine if engine not in ("reference", "cpu") else f"{engine} ({chip})")
        if what:
            found.append((engine, what, made.text))
    return ran, found
