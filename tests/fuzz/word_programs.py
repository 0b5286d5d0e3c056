"""Draws programs in which tiles are numbers: indices from `tile.arange`, loads and stores by index with masks, operators and functions of elements, broadcasting, other
orders of dimensions, reductions, scans, sorts, loops that carry tiles, atomics. What they mean is computed beside them by NumPy, for all blocks at once.

Numbers are whole and small enough to be exact in their dtype, as in `tile_programs`.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from fuzz.drawn import numpy_of
from fuzz.tile_maps import BINARY, UNARY
from fuzz.tile_programs import HEAD, INTS, fits
from fuzz.tile_views import Ints, Numbers, guarded

KINDS = ("f32", "f32", "f32", "i32", "i32", "f16", "bf16", "f64", "u32", "i64", "i16", "u8")
EXTENTS = (1, 2, 3, 4, 5, 8, 12, 16, 24, 31, 32, 33, 60, 64, 100, 128, 200, 256)
COMPARED: dict[str, Callable[..., Any]] = {
    "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
WORDS: dict[str, tuple[Callable[..., Any], str]] = {
    "tile.abs(x)": (lambda x: np.abs(x), "signed float"), "tile.maximum(x, 0)": (lambda x: np.maximum(x, 0), "signed float"), "tile.minimum(x, 3)": (lambda x: np.minimum(x, 3), "int float"),
    "tile.clamp(x, 0, 2)": (lambda x: np.clip(x, 0, 2), "int float"), "tile.where(x == 0, 7, x)": (lambda x: np.where(x == 0, 7, x), "int float"),
    "tile.sign(x)": (lambda x: np.sign(x), "signed float"), "x // 2": (lambda x: x // 2, "int float"), "x % 3": (lambda x: x % 3, "int float"), "3 - x": (lambda x: 3 - x, "signed float"),
    "x**2": (lambda x: x * x, "int float"), "tile.cdiv(x, 2)": (lambda x: -(-x // 2), "nonnegative"), "tile.floor(x / 2)": (lambda x: np.floor(x / 2), "float"),
    "tile.round(x / 2)": (lambda x: np.round(x / 2), "float"), "tile.trunc(x / 4)": (lambda x: np.trunc(x / 4), "float"), "tile.ceil(x * 0.5)": (lambda x: np.ceil(x / 2), "float"),
    "tile.sqrt(x * x)": (lambda x: np.abs(x), "float"), "tile.fma(x, 2, x)": (lambda x: 3 * x, "float"), "tile.popc(x & 7)": (lambda x: np.array([0, 1, 1, 2, 1, 2, 2, 3])[x & 7], "i32"),
}  # fmt: skip


@dataclasses.dataclass
class W:
    """A tile, or a number that all lanes have: its name, dtype ("u1": a condition) and, for each block, its elements: (blocks, *shape)."""

    name: str
    kind: str
    value: np.ndarray

    @property
    def shape(self) -> Ints:
        return self.value.shape[1:]


class Program:
    """One kernel as it is drawn."""

    def __init__(self, seed: int):
        self.r, self.rng = random.Random(seed), np.random.default_rng(seed)
        self.numbers, self.waves, self.count, self.signs = Numbers(self.r), self.r.choice((1, 1, 2, 4)), 0, False
        self.grid = self.r.choice((1, 1, 2, 3)), 1
        self.heads: list[str] = []
        self.lines: list[str] = []
        self.arrays: dict[str, tuple[str, np.ndarray]] = {}
        self.wants: dict[str, np.ndarray] = {}
        self.tiles: list[W] = []
        self.blocks = np.arange(self.grid[0])
        self.shape: Ints = (self.extent(1024),) if self.r.random() < 0.35 else (self.extent(64), self.extent(64))

    def extent(self, most: int) -> int:
        return self.r.choice([n for n in EXTENTS if n <= most])

    def fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def array(self, kind: str, size: int, output: bool) -> str:
        name = f"{'o' if output else 'a'}{len(self.arrays)}"
        data = guarded(size, kind)
        if not output:
            low, high = (0, 6) if kind.startswith("u") else (-3, 3)
            data[...] = self.rng.integers(low, high + 1, size).astype(data.dtype)
        self.arrays[name] = kind, data
        return name

    def put(self, text: str, kind: str, value: np.ndarray) -> W:
        """A statement that gives a tile, where its numbers are exact; else nothing is written, and the last tile stays."""
        if kind == "u1":
            value = value.astype(bool)
        elif not fits(np.asarray(value), kind):
            return self.tiles[-1]
        else:
            value = value.astype(numpy_of(kind))
        made = W(self.fresh("t"), kind, value)
        self.lines.append(f"    {made.name} = {text}")
        self.tiles.append(made)
        return made

    # -- indices and memory ------------------------------------------------------------------------------------------------------------

    def places(self, shape: Ints) -> tuple[str, np.ndarray]:
        """A formula of a shape that numbers its elements, row-major in a drawn order of dimensions: text and (*shape)."""
        r, names = self.r, []
        for axis, n in enumerate(shape):
            first = r.choice((0, 0, 0, 3))
            at = self.fresh("i")
            self.lines.append(f"    {at} = tile.arange({n})" if not first else f"    {at} = tile.arange({first}, {first + n}) - {first}")
            index = "" if len(shape) == 1 else "[" + ", ".join(":" if a == axis else "None" for a in range(len(shape))) + "]"
            names.append(at + index)
        order = list(range(len(shape)))
        if r.random() < 0.3:
            r.shuffle(order)
        text, value, size = "", np.zeros(shape, np.int64), 1
        for axis in reversed(order):
            step = size
            mine = np.arange(shape[axis]).reshape([-1 if a == axis else 1 for a in range(len(shape))])
            value = value + mine * step
            term = names[axis] if step == 1 else f"{names[axis]} * {self.numbers.say(step, None)}"
            text = term if not text else f"{text} + {term}"
            size *= shape[axis]
        return text, value

    def mask(self, shape: Ints) -> tuple[str, np.ndarray] | None:
        """A drawn condition of a shape, with its elements (*shape); or none."""
        if self.r.random() < 0.5:
            return None
        axis = self.r.randrange(len(shape))
        n = self.r.randint(0, shape[axis])
        index = "" if len(shape) == 1 else "[" + ", ".join(":" if a == axis else "None" for a in range(len(shape))) + "]"
        way, rule = self.r.choice((("<", np.less), (">=", np.greater_equal), ("!=", np.not_equal)))
        held = rule(np.arange(shape[axis]), n).reshape([-1 if a == axis else 1 for a in range(len(shape))])
        return f"tile.arange({shape[axis]}){index} {way} {self.numbers.say(n, None, signed=True)}", np.broadcast_to(held, shape)

    def load(self, shape: Ints) -> None:
        r, kind = self.r, self.r.choice(KINDS)
        size = int(np.prod(shape))
        at, numbers = self.places(shape)
        if r.random() < 0.3:  # places that come again, and gathers
            by = r.choice((2, 3, 7))
            at, numbers = f"({at}) // {by}", numbers // by
        name = self.array(kind, size * self.grid[0], False)
        data = self.arrays[name][1]
        index = f"al.block_id(0) * {self.numbers.say(size, None)} + {at}" if self.grid[0] > 1 else at
        value = data[self.blocks.reshape([-1] + [1] * len(shape)) * size + numbers]
        mask = self.mask(shape)
        if mask is None:
            self.put(f"tile.load({name}, {index})", kind, value)
            return
        other = r.choice((0, 1, 2))
        self.put(f"tile.load({name}, {index}, {mask[0]}, {other})", kind, np.where(mask[1], value, np.asarray(other).astype(value.dtype)))

    def store(self, t: W) -> None:
        """All of a tile, or what a mask leaves of it; a condition as ones and zeros."""
        kind = "i32" if t.kind == "u1" else t.kind
        name = f"tile.cast({t.name}, al.i32)" if t.kind == "u1" else t.name
        size = int(np.prod(t.shape))
        out = self.array(kind, size * self.grid[0], True)
        want = self.arrays[out][1].copy().reshape(self.grid[0], size)
        block = f"al.block_id(0) * {size}" if self.grid[0] > 1 else "0"
        if not t.shape:
            if t.kind == "u1":
                name = f"al.convert({t.name}, al.i32)"
            self.lines.append(f"    tile.store({out}, {block}, {name})")
            want[:, 0] = t.value
        else:
            at, numbers = self.places(t.shape)
            mask = self.mask(t.shape)
            self.lines.append(f"    tile.store({out}, {block} + {at}, {name}{', ' + mask[0] if mask else ''})")
            held = np.broadcast_to(mask[1] if mask else True, t.shape)
            want[:, numbers[held]] = t.value[:, held]
        self.wants[out] = want.reshape(-1)

    # -- numbers -----------------------------------------------------------------------------------------------------------------------

    def unary(self, t: W) -> None:
        r = self.r
        if t.kind == "u1":
            return self.condition(t)
        value = t.value.astype(np.int64 if t.kind in INTS else np.float64)
        mine = {"int" if t.kind in INTS else "float", *(["signed"] if t.kind in INTS and t.kind[0] == "i" else []), t.kind, *(["nonnegative"] if t.kind in INTS and (value >= 0).all() else [])}
        if r.random() < 0.4:
            some = [(k, f) for k, (f, of) in UNARY.items() if mine & set(of.split()) and not (t.kind[0] == "u" and k[0] in "-~")]
        else:
            some = [(k, f) for k, (f, of) in WORDS.items() if mine & set(of.split())]
        text, rule = r.choice(some)
        if text.startswith("al.") and not t.shape and "select" not in text:
            return None
        found = rule(value)
        self.put(_named(text, x=t.name), t.kind, found)
        return None

    def condition(self, t: W) -> None:
        """What becomes of a condition: another one, numbers, a choice."""
        r = self.r
        others = [x for x in self.tiles if x.kind == "u1" and _together(x.shape, t.shape)]
        pick = r.random()
        if pick < 0.3 and others:
            o = r.choice(others)
            sign, rule = r.choice((("&", np.logical_and), ("|", np.logical_or), ("^", np.logical_xor)))
            self.put(f"{t.name} {sign} {o.name}", "u1", _joined(rule, t, o))
        elif pick < 0.5 and t.shape:
            self.put(f"~{t.name}", "u1", ~t.value)
        elif pick < 0.7 and t.shape:
            self.put(f"tile.cast({t.name}, al.i32)", "i32", t.value.astype(np.int64))
        else:
            sides = [x for x in self.tiles if x.kind != "u1" and _together(x.shape, t.shape)]
            if not sides or not t.shape:
                return
            x = r.choice(sides)
            other = r.choice([y for y in sides if y.kind == x.kind and _together(np.broadcast_shapes(x.shape, t.shape), y.shape)])
            value = _joined(lambda c, a, b: np.where(c, a, b), t, x, other)
            self.put(f"tile.where({t.name}, {x.name}, {other.name})", x.kind, value)

    def binary(self, t: W) -> None:
        r = self.r
        if t.kind == "u1":
            return self.condition(t)
        others = [x for x in self.tiles if x.kind == t.kind and _together(x.shape, t.shape)]
        o = r.choice(others)
        if not t.shape and not o.shape:
            return None
        wide = np.int64 if t.kind in INTS else np.float64
        a, b = (W(x.name, x.kind, x.value.astype(wide)) for x in (t, o))
        if r.random() < 0.35:
            sign = r.choice(list(COMPARED))
            self.put(f"{t.name} {sign} {o.name}", "u1", _joined(COMPARED[sign], a, b))
            return None
        text, (rule, _) = r.choice([(k, f) for k, f in BINARY.items() if ("int" if t.kind in INTS else "float") in f[1]])
        self.put(_named(text, x=t.name, y=o.name), t.kind, _joined(rule, a, b))
        return None

    def shaped(self, t: W) -> None:
        """Other dimensions of the same elements."""
        r = self.r
        if len(t.shape) == 1 and t.shape[0] <= 64:
            if r.random() < 0.5:
                self.put(f"{t.name}[:, None]", t.kind, t.value[:, :, None])
            else:
                self.put(f"{t.name}[None, :]", t.kind, t.value[:, None, :])
        elif len(t.shape) == 2:
            self.put(r.choice((f"{t.name}.T", f"{t.name}.permute((1, 0))")), t.kind, t.value.transpose(0, 2, 1))

    def reduced(self, t: W) -> None:
        r = self.r
        if not t.shape:
            return
        axis = r.choice((None, *range(-len(t.shape), len(t.shape))))
        keep = axis is not None and len(t.shape) > 1 and r.random() < 0.4
        said = "" if axis is None else f", {axis}" + (", keepdims=True" if keep else "")
        own = tuple(range(1, t.value.ndim)) if axis is None else axis % len(t.shape) + 1
        wide = t.value.astype(np.int64 if t.kind in INTS or t.kind == "u1" else np.float64)
        summed = t.kind if t.kind not in ("u1", "f16", "bf16", "i8", "u8", "i16", "u16") else "f32" if t.kind in ("f16", "bf16") else "i32"
        if t.kind == "u1":
            word, rule = r.choice((("any", np.any), ("all", np.all), ("sum", np.sum)))
            self.put(f"tile.{word}({t.name}{said})", "i32" if word == "sum" else "u1", rule(wide, axis=own, keepdims=keep))
        elif axis is not None and r.random() < 0.3:
            word, rule = r.choice((("argmax", np.argmax), ("argmin", np.argmin)))
            self.put(f"tile.{word}({t.name}, {axis})", "i32", rule(wide, axis=own))
        else:
            word, rule, kind = r.choice((("sum", np.sum, summed), ("max", np.max, t.kind), ("min", np.min, t.kind)))
            self.put(f"tile.{word}({t.name}{said})", kind, rule(wide, axis=own, keepdims=keep))

    def scanned(self, t: W) -> None:
        r = self.r
        if not t.shape or t.kind == "u1":
            return
        axis = r.randrange(len(t.shape))
        wide, own = t.value.astype(np.int64 if t.kind in INTS else np.float64), axis + 1
        n = t.shape[axis]
        if n & (n - 1) == 0 and r.random() < 0.5 and n <= 64:
            order = np.argsort(wide, own, kind="stable")
            down = n - 1 - np.flip(np.argsort(np.flip(wide, own), own, kind="stable"), own)
            pick = r.choice(("sort", "argsort", "topk"))
            descending = pick != "topk" and r.random() < 0.5
            order = down if descending or pick == "topk" else order
            if pick == "topk":
                k = r.randint(1, n)
                text, order = f"tile.topk({t.name}, {k}, {axis})", np.take(order, range(k), own)
                self.put(f"{text}[0]", t.kind, np.take_along_axis(wide, order, own)) if r.random() < 0.5 else self.put(f"{text}[1]", "i32", order)
            elif pick == "sort":
                self.put(f"tile.sort({t.name}, {axis}, {descending})", t.kind, np.take_along_axis(wide, order, own))
            else:
                self.put(f"tile.argsort({t.name}, {axis}, {descending})", "i32", order)
            return
        summed = {"f16": "f32", "bf16": "f32", "i16": "i32", "u8": "i32"}.get(t.kind, t.kind)
        back = r.random() < 0.4
        turned = np.flip(wide, own) if back else wide
        found = np.cumsum(turned, own)
        self.put(f"tile.cumsum({t.name}, {axis}{', reverse=True' if back else ''})", summed, np.flip(found, own) if back else found)

    def converted(self, t: W) -> None:
        kinds = [k for k in ("f32", "f64", "f16", "bf16", "i32", "i64", "u32", "i16") if k != t.kind and t.kind != "u1" and fits(t.value, k)]
        if kinds and t.shape:
            kind = self.r.choice(kinds)
            self.put(self.r.choice((f"tile.cast({t.name}, al.{kind})", f"{t.name}.to(al.{kind})")), kind, t.value.astype(np.float64))

    def looped(self, t: W) -> None:
        """A loop that carries a tile, and indices that move on."""
        if not t.shape or t.kind not in ("f32", "i32", "f64") or len(t.shape) > 2:
            return
        trips = self.r.randint(0, 3)
        size = int(np.prod(t.shape))
        at, numbers = self.places(t.shape)
        name = self.array(t.kind, max(1, size * trips), False)
        data = self.arrays[name][1].astype(np.float64)
        acc, where = self.fresh("t"), self.fresh("i")
        value = t.value.astype(np.float64)
        for k in range(trips):
            value = value + data[k * size + numbers]
        if not fits(value, t.kind):
            return
        said = self.numbers.say(trips, None)
        self.lines += [f"    {acc}, {where} = {t.name}, {at}", f"    for _ in al.range({said}):", f"        {acc} += tile.load({name}, {where})", f"        {where} += {size}"]
        self.tiles.append(W(acc, t.kind, value.astype(numpy_of(t.kind))))

    # -- the whole ---------------------------------------------------------------------------------------------------------------------

    def draw(self, most: int = 9) -> Program:
        """`most`: so many steps at most, the first ones of those that the seed means."""
        r = self.r
        self.load(self.shape)
        for _ in range(min(most, r.choice((2, 3, 4, 5, 6)))):
            if r.random() < 0.25:
                axis = r.choice((None, 0, 1))
                shape = self.shape if axis is None or len(self.shape) == 1 else tuple(1 if a == axis else n for a, n in enumerate(self.shape))
                self.load(shape)
            t = r.choice(self.tiles[-4:])
            r.choice((self.unary, self.unary, self.binary, self.binary, self.shaped, self.reduced, self.reduced, self.scanned, self.converted, self.looped))(t)
        self.store(self.tiles[-1])
        if len(self.tiles) > 1 and r.random() < 0.5 and most == 9:
            self.store(r.choice(self.tiles[:-1]))
        return self

    def text(self) -> str:
        params = [f"{n}: al.Pointer(al.{k})" for n, (k, _) in self.arrays.items()] + [f"{n}: al.{t}" for n, t in self.numbers.types.items()]
        return HEAD + "\n".join(self.heads) + f"\n@avelang.jit\ndef kernel({', '.join(params)}):\n" + "\n".join(self.lines) + "\n"

    def args(self) -> dict[str, Any]:
        return {**{n: a for n, (_, a) in self.arrays.items()}, **self.numbers.made}


def _named(text: str, **names: str) -> str:
    """A text of `tile_maps` with the names of a program."""
    return re.sub(r"\b([xy])\b", lambda m: names.get(m[1], m[1]), text)


def _together(a: Ints, b: Ints) -> bool:
    """Whether shapes broadcast to no more than a tile that is worth while."""
    try:
        return int(np.prod(np.broadcast_shapes(a, b))) <= 4096
    except ValueError:
        return False


def _joined(rule: Callable[..., Any], *tiles: W) -> np.ndarray:
    """NumPy's broadcasting behind the blocks' own dimension."""
    rank = max(len(t.shape) for t in tiles)
    return rule(*(t.value.reshape(t.value.shape[:1] + (1,) * (rank - len(t.shape)) + t.shape) for t in tiles))
