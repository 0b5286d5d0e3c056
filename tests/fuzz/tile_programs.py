"""Draws programs over tiles: loads from views of all kinds, arithmetic, conversions, masks, folds, tiles moved to other distributions, through shared memory, turned,
gathered; branches and loops; stores through views. The text is for all chips; what it means is computed beside it by NumPy, for all blocks of the grid at once.

Numbers are whole and small enough to be exact in their dtype, so that NumPy's arithmetic in that dtype is the language's.
"""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import numpy as np

from fuzz.drawn import numpy_of
from fuzz.tile_views import Ints, Numbers, Seen, guarded, read, sizes, view, write
from tile import drawn as by_chance

HEAD = "import avelang\nimport avelang.language as al\nfrom avelang import tile\nfrom avelang.tile import gather, shared, windows\n\n\n"
INTS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
EXACT = {"f64": 2**53, "f32": 2**24, "f16": 2048, "bf16": 256, "f8e4m3fn": 16, "f8e5m2": 8, "f8e4m3fnuz": 16, "f8e5m2fnuz": 8}
KINDS = ("f32", "f32", "f16", "bf16", "f64", "f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", *INTS)


@dataclasses.dataclass
class T:
    """A tile of the program: its name, dtype, distribution and, for each block, its elements: (blocks, *shape)."""

    name: str
    kind: str
    dist: str
    value: np.ndarray

    @property
    def shape(self) -> Ints:
        return self.value.shape[1:]


def fits(value: np.ndarray, kind: str) -> bool:
    """Whether whole numbers are exact in a dtype."""
    if kind in EXACT:
        return bool((np.abs(value.astype(np.float64)) <= EXACT[kind]).all())
    info = np.iinfo(numpy_of(kind))
    as_float = value.astype(np.float64)
    return bool(((as_float >= info.min) & (as_float <= info.max) & (np.abs(as_float) < 2**53)).all())


class Program:
    """One kernel as it is drawn."""

    def __init__(self, seed: int):
        self.r, self.rng = random.Random(seed), np.random.default_rng(seed)
        r = self.r
        self.numbers = Numbers(r)
        self.waves, self.grid = r.choice((1, 1, 1, 2, 2, 3)), (r.choice((1, 1, 2)), r.choice((1, 1, 2, 3)))
        self.rank = r.choice((2, 2, 2, 2, 2, 2, 3, 1))
        self.tile = sizes(r, self.waves * 64, self.rank)
        self.heads: list[str] = []
        self.dists: dict[str, Ints] = {}
        self.lines: list[str] = []
        self.arrays: dict[str, tuple[str, np.ndarray]] = {}
        self.wants: dict[str, np.ndarray] = {}
        self.tiles: list[T] = []
        self.count, self.signs = 0, True
        self.blocks = np.array([(y, x) for y in range(self.grid[1]) for x in range(self.grid[0])])

    def fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def put(self, text: str, indent: int = 1) -> None:
        self.lines.append("    " * indent + text)

    # -- distributions -----------------------------------------------------------------------------------------------------------------

    def dist(self, shape: Ints) -> str:
        """The name of a distribution of these extents: one that there is, or a new one."""
        have = [n for n, s in self.dists.items() if s == shape]
        if have and self.r.random() < 0.4:
            return self.r.choice(have)
        name, r = self.fresh("D"), self.r
        if r.random() < 0.3:
            order = r.choice(("None", repr(tuple(r.sample(range(len(shape)), len(shape))))))
            made = f"tile.Distribution.blocked({shape}, waves={self.waves}, wave=wave, vector={r.choice((0, 1, 2, 4, 8))}, order={order})"
            self.heads.append(f"@avelang.constant\ndef of_{name}(wave):\n    return {made}\n\n")
        else:
            two = [f"tile.{by_chance.distribution(r, shape, self.waves, wave).encoding!r}" for wave in (64, 32)]
            self.heads.append(f"@avelang.constant\ndef of_{name}(wave):\n    if wave == 64:\n        return tile.Distribution({two[0]}, 64, {self.waves})\n"
                              f"    return tile.Distribution({two[1]}, 32, {self.waves})\n\n")  # fmt: skip
        self.dists[name] = shape
        self.put(f"{name} = of_{name}(al.target().wave)")
        return name

    # -- memory ------------------------------------------------------------------------------------------------------------------------

    def array(self, kind: str, size: int, output: bool) -> str:
        name = f"{'o' if output else 'a'}{len(self.arrays)}"
        data = guarded(size, kind)
        if not output:
            low, high = (0, 6) if kind.startswith("u") else (-3, 3)
            data[...] = self.rng.integers(low, high + 1, size).astype(data.dtype)
        self.arrays[name] = kind, data
        return name

    def origin(self, seen: Seen, lengths: Ints, output: bool = False) -> tuple[str, np.ndarray]:
        """Where the blocks' windows begin: text, and int (blocks, rank). Some begin before the view."""
        r, texts, found = self.r, [], []
        for axis, n in enumerate(lengths):
            unit = seen.unit if axis == len(lengths) - 1 else 1
            step = -(-n // unit) * unit
            by = self.blocks[:, {1: 1, 2: 0}.get(len(lengths) - axis, 0)] if axis >= len(lengths) - 2 else 0 * self.blocks[:, 0]
            index = {1: "al.block_id(0)", 2: "al.block_id(1)"}.get(len(lengths) - axis)
            off = r.choice((0, 0, 0, r.randrange(-n, n + 3))) // unit * unit
            base = f"{index} * {step}" if index else "0"
            if axis < len(lengths) - 2:
                off = r.choice((0, 0, 1))
            if len(lengths) == 1:  # all blocks are in one row
                by, base = self.blocks[:, 0] * self.grid[0] + self.blocks[:, 1], f"(al.block_id(1) * {self.grid[0]} + al.block_id(0)) * {step}"
            texts.append(base if off == 0 else f"{base} + {self.numbers.say(off, None)}" if index else str(off))
            found.append(by * step + off)
        return f"({', '.join(texts)},)", np.stack(found, 1)

    def many(self, rank: int) -> Ints:
        total = self.grid[0] * self.grid[1]
        return (total,) if rank == 1 else (*(2,) * (rank - 2), self.grid[1], self.grid[0])

    # -- statements --------------------------------------------------------------------------------------------------------------------

    def seen(self, shape: Ints) -> Seen:
        kind = self.r.choice(KINDS)
        name = f"a{len(self.arrays)}"
        seen, size = view(self.r, self.numbers, name, kind, shape, self.many(len(shape)), False)
        self.array(kind, size, False)
        v = self.fresh("v")
        self.put(f"{v} = {seen.name}")
        return dataclasses.replace(seen, name=v)

    def load(self, shape: Ints) -> None:
        """A window, perhaps moved, perhaps summed up along a walk, perhaps by way of shared memory."""
        r, seen = self.r, self.seen(shape)
        memory = self.arrays[next(reversed(self.arrays))][1]
        d, w, t = self.dist(shape), self.fresh("w"), self.fresh("t")
        text, origins = self.origin(seen, shape)
        self.put(f"{w} = {seen.name}.window({shape}, {text}, {d})")
        moves = [tuple(r.choice((0, n, 1, -n)) for n in shape) for _ in range(r.choice((0, 0, 0, 1, 2)))]
        moves = [(*m[:-1], m[-1] // seen.unit * seen.unit) for m in moves]
        for m in moves:
            self.put(f"{w}.move({self.by(m)})")
            origins = origins + np.array(m)
        value = read(memory, seen.at(origins, shape))
        way = r.random()
        if way < 0.2 and len(shape) == 2:
            value = self.copied(w, t, d, seen, origins, memory)
        elif way < 0.4 and self.numeric(seen.kind):
            value = self.walked(w, t, shape, seen, origins, memory)
        else:
            self.put(f"{t} = {w}.load()")
        made = T(t, seen.kind, d, value)
        self.tiles.append(made if self.numeric(seen.kind) else self.convert(made, "f32"))

    def by(self, move: Ints) -> str:
        return "(" + ", ".join(self.numbers.say(x) if x < 0 else str(x) for x in move) + ",)"

    def numeric(self, kind: str) -> bool:
        return not kind.startswith("f8")

    def copied(self, w: str, t: str, d: str, seen: Seen, origins: np.ndarray, memory: np.ndarray) -> np.ndarray:
        """Straight into shared memory, several tiles under way; one of them is taken."""
        r, shape = self.r, self.dists[d]
        e, room, buffers = self.dist(shape), self.fresh("s"), r.choice((1, 2, 3))
        self.put(f"{room} = shared.shared({shape}, {seen.name}.dtype, {buffers}, ({d}, {e}))")
        values = []
        step = (0, -(-shape[1] // seen.unit) * seen.unit)
        for b in range(buffers):
            self.put(f"{w}.load_async({room}, {b})")
            self.put("windows.commit()")
            values.append(read(memory, seen.at(origins, shape)))
            self.put(f"{w}.move({step})")
            origins = origins + np.array(step)
        pick = r.randrange(buffers)
        self.put(f"windows.arrived({r.randrange(buffers - pick)})")
        self.put("al.syncthreads()")
        self.put(f"{t} = {room}.load({e}, {pick})" if e == d else f"{t} = shared.spread({room}.load({e}, {pick}), {d})")
        self.put("windows.arrived(0)")
        self.put("al.syncthreads()")
        return values[pick]

    def walked(self, w: str, t: str, shape: Ints, seen: Seen, origins: np.ndarray, memory: np.ndarray) -> np.ndarray:
        """A sum along a walk of the window, in a loop."""
        trips, axis = self.r.choice((1, 2, 3)), self.r.randrange(len(shape))
        step = tuple((-(-n // seen.unit) * seen.unit if a == len(shape) - 1 else n) if a == axis else 0 for a, n in enumerate(shape))
        values = [read(memory, seen.at(origins + k * np.array(step), shape)) for k in range(trips + 1)]
        value = values[0]
        for v in values[1:]:
            value = value + v
        self.put(f"{t} = {w}.load()")
        self.put(f"for _ in al.range({self.numbers.say(trips)}):")
        self.put(f"{w}.move({step})", 2)
        self.put(f"{t} = {t}.map(lambda x, y: x + y, ({w}.load(),))", 2)
        return value

    def gathered(self) -> None:
        """Rows by number, some of which are none."""
        r, shape = self.r, self.tile
        kind = r.choice([k for k in KINDS if self.numeric(k)])
        size = numpy_of(kind).itemsize
        vector = r.choice([v for v in (1, 2, 4, 8) if v * size <= 16])
        rows, cols, count = r.randrange(1, 20), vector * r.randrange(1, 2 + shape[1] * 2 // vector), r.randrange(1, shape[0] * self.grid[1] + 3)
        memory = self.array(kind, rows * cols, False)
        index = self.array("i32", count, False)
        numbers = self.arrays[index][1]
        numbers[...] = self.rng.integers(-1, rows + 1, count)
        d, t, w = self.dist(shape), self.fresh("t"), self.fresh("w")
        left, step = r.choice((0, 0, vector, shape[1] // vector * vector)), -(-shape[1] // vector) * vector
        self.put(f"{w} = gather.gathered({memory}, ({self.numbers.say(rows)}, {self.numbers.say(cols)}), {index}, {self.numbers.say(count)}, {vector})"
                 f".window({shape}, (al.block_id(1) * {shape[0]}, al.block_id(0) * {step} + {left})).spread({d})")  # fmt: skip
        if r.random() < 0.4:
            self.put(f"{w}.move((0, {step}))")
            left += step
        row = self.blocks[:, :1, None] * shape[0] + np.arange(shape[0])[:, None]
        col = self.blocks[:, 1:, None] * step + left + np.arange(shape[1])
        row, col = np.broadcast_arrays(row, col)
        number = np.where(row < count, numbers[np.minimum(row, count - 1)], -1)
        places = np.where((number >= 0) & (number < rows) & (col < cols), number * cols + col, -1)
        if r.random() < 0.4:
            s = self.fresh("s")
            self.put(f"{s} = shared.shared({shape}, al.{kind}, 1, ({d},))")
            for line in (f"{w}.load_async({s})", "windows.commit()", "windows.arrived(0)", "al.syncthreads()", f"{t} = {s}.load({d})", "al.syncthreads()"):
                self.put(line)
        else:
            self.put(f"{t} = {w}.load()")
        self.tiles.append(T(t, kind, d, read(self.arrays[memory][1], places)))

    def convert(self, t: T, kind: str) -> T:
        name = self.fresh("t")
        self.put(f"{name} = {t.name}.astype(al.{kind})" if self.r.random() < 0.5 else f"{name} = {t.name}.map(lambda x: al.convert(x, al.{kind}))")
        return T(name, kind, t.dist, t.value.astype(numpy_of(kind)))

    def spread(self, t: T, d: str) -> T:
        if t.dist == d:
            return t
        name = self.fresh("t")
        self.put(f"{name} = shared.spread({t.name}, {d})")
        return T(name, t.kind, d, t.value)

    def unary(self, t: T) -> None:
        from fuzz.tile_maps import UNARY

        self.chosen(UNARY, t, ())

    def binary(self, t: T) -> None:
        from fuzz.tile_maps import BINARY

        others = [o for o in self.tiles if o.shape == t.shape and (o.dist == t.dist or len(t.shape) == 2) and fits(o.value, t.kind)]
        if others:
            o = self.r.choice(others)
            o = self.spread(o if o.kind == t.kind else self.convert(o, t.kind), t.dist)
            self.chosen(BINARY, t, (o,))

    def chosen(self, table: dict[str, Any], t: T, others: tuple[T, ...]) -> None:
        """A function of elements, of those that are exact here."""
        words = [w for w, (f, kinds) in table.items() if ("int" in kinds if t.kind in INTS else "float" in kinds)]
        for text in self.r.sample(words, len(words)):
            with np.errstate(all="ignore"):
                value = table[text][0](t.value, *(o.value for o in others))
            if value.dtype == t.value.dtype and (t.kind in INTS or fits(value, t.kind)):
                name = self.fresh("t")
                self.signs = self.signs and "max" not in text and "min" not in text
                given = ", ".join("xy"[: 1 + len(others)])
                also = f", ({others[0].name},)" if others else ""
                if not others and self.r.random() < 0.2:  # where a condition of the whole block holds
                    self.put(f"{name} = {t.name}")
                    self.put("if al.block_id(0) % 2 == 0:" if self.r.random() < 0.5 else f"if al.block_id(1) < {self.numbers.say(1)}:")
                    held = self.blocks[:, 1] % 2 == 0 if "(0)" in self.lines[-1] else self.blocks[:, 0] < 1
                    self.put(f"{name} = {t.name}.map(lambda {given}: {text})", 2)
                    value = np.where(held.reshape(-1, *(1,) * len(t.shape)), value, t.value)
                else:
                    self.put(f"{name} = {t.name}.map(lambda {given}: {text}{also})")
                self.tiles.append(T(name, t.kind, t.dist, value))
                return

    def sweep(self, t: T) -> None:
        """A mask, or numbers by the place in the tile."""
        axes = [f"at[{a}]" for a in range(len(t.shape))]
        where = np.indices(t.shape)
        a, b = self.r.randrange(len(axes)), self.r.randrange(len(axes))
        k, name = self.r.randrange(1, 9), self.fresh("t")
        held = {"<": where[a] < k, ">=": where[a] >= where[b], "%": where[a] % 3 == where[b] % 2}
        how = self.r.choice(list(held))
        test = {"<": f"{axes[a]} < {k}", ">=": f"{axes[a]} >= {axes[b]}", "%": f"{axes[a]} % 3 == {axes[b]} % 2"}[how]
        self.put(f"{name} = {t.name}.sweep(lambda x, at: al.select({test}, x, al.convert({k}, al.{t.kind})))")
        value = np.where(held[how], t.value, np.asarray(k).astype(t.value.dtype))
        self.tiles.append(T(name, t.kind, t.dist, value))

    def fold(self, t: T) -> None:
        """A dimension folded; stored for itself, or met by the elements of its row or column."""
        from fuzz.tile_maps import FOLDS

        axis, how = self.r.randrange(len(t.shape)), self.r.choice(list(FOLDS))
        value = FOLDS[how](t.value.astype(np.int64) if t.kind in INTS else t.value.astype(np.float64), axis + 1)
        if t.kind in INTS:
            value = value.astype(t.value.dtype)
        elif not fits(np.abs(t.value.astype(np.float64)).sum(axis + 1), t.kind) or how == "prod":
            return
        value, name = value.astype(t.value.dtype), self.fresh("t")
        self.signs = False
        self.put(f"{name} = {t.name}.{how.format(axis=axis)}")
        folded = T(name, t.kind, "", value)
        if self.r.random() < 0.5:
            self.store(folded)
        along, other = self.r.choice([("x + y", np.add), ("x - y", np.subtract), ("al.max(x, y)", np.maximum)])
        with np.errstate(all="ignore"):
            met = other(t.value, np.expand_dims(value, axis + 1))
        if met.dtype == t.value.dtype and (t.kind in INTS or fits(met, t.kind)):
            name = self.fresh("t")
            self.put(f"{name} = {t.name}.along(lambda x, y: {along}, {folded.name}, {axis})")
            self.tiles.append(T(name, t.kind, t.dist, met))

    def turned(self, t: T) -> None:
        """By way of shared memory, rows and columns exchanged, or as they were; in one of several buffers."""
        if len(t.shape) != 2:
            return
        r, s, name, buffers = self.r, self.fresh("s"), self.fresh("t"), self.r.choice((1, 2))
        turn = r.random() < 0.6
        e = self.dist(t.shape[::-1] if turn else t.shape)
        self.put(f"{s} = shared.shared({t.shape}, al.{t.kind}, {buffers}, ({t.dist}{'' if turn else ', ' + e},){f', ({e},)' if turn and r.random() < 0.7 else ''})")
        b = r.randrange(buffers)
        for line in (f"{s}.store({t.name}, {b})", "al.syncthreads()", f"{name} = {s}{'.turned' if turn else ''}.load({e}, {b})", "al.syncthreads()"):
            self.put(line)
        self.tiles.append(T(name, t.kind, e, t.value.swapaxes(1, 2) if turn else t.value))

    def store(self, t: T) -> None:
        """Through a view of an output of its own."""
        # f32 first, for a dtype that some chip converts in another way for numbers that do not fit is no dtype for this one.
        kinds = [k for k in KINDS if fits(t.value, k) and (k in INTS) == (t.kind in INTS)] or [t.kind]
        kind = self.r.choice((t.kind, self.r.choice(kinds)))
        if kind.startswith("f8") and t.kind not in ("f32", "f16", "bf16"):
            kind = t.kind
        rank, name = len(t.shape), f"o{len(self.arrays)}"
        seen, size = view(self.r, self.numbers, name, kind, t.shape, self.many(rank), True)
        self.array(kind, size, True)
        text, origins = self.origin(seen, t.shape, True)
        if seen.kind != t.kind and self.r.random() < 0.3:
            t = self.convert(t, seen.kind)
        v = self.fresh("v")
        self.put(f"{v} = {seen.name}")
        self.put(f"{v}.store({t.name}, {text})")
        want = self.arrays[name][1].copy()
        places = seen.at(origins, t.shape)
        if rank == 3:  # windows that begin behind the first meet those of others nowhere: batches are not shared by blocks
            assert places.shape[0] == len(self.blocks)
        write(want, places, t.value.astype(want.dtype))
        self.wants[name] = want

    # -- the whole ---------------------------------------------------------------------------------------------------------------------

    def draw(self, most: int = 9) -> Program:
        """`most`: so many steps at most, the first ones of those that the seed means."""
        r = self.r
        self.load(self.tile)
        for _ in range(min(most, r.choice((1, 2, 3, 4)))):
            t = r.choice(self.tiles[-3:])
            ways: list[Any] = [self.unary, self.binary, self.binary, self.sweep]
            if len(t.shape) > 1:
                ways += [self.fold, self.fold, self.turned]
            pick = r.random()
            if pick < 0.2:
                self.load(self.tile)
            elif pick < 0.28 and self.rank == 2:
                self.gathered()
            elif pick < 0.4 and t.kind not in INTS:
                kinds = [k for k in ("f32", "f64", "f16", "bf16", "i32", "i64", "i8") if k != t.kind and fits(t.value, k)]
                self.tiles.append(self.convert(t, r.choice(kinds))) if kinds else None
            elif pick < 0.4:
                kinds = [k for k in ("f32", "f64", *INTS) if k != t.kind and (k in INTS or fits(t.value, k))]
                self.tiles.append(self.convert(t, r.choice(kinds)))
            else:
                r.choice(ways)(t)
        self.store(self.tiles[-1])
        if len(self.tiles) > 1 and r.random() < 0.4 and most == 9:
            self.store(r.choice(self.tiles[:-1]))
        return self

    def text(self) -> str:
        params = [f"{n}: al.Pointer(al.{k})" for n, (k, _) in self.arrays.items()] + [f"{n}: al.{t}" for n, t in self.numbers.types.items()]
        return HEAD + "\n".join(self.heads) + f"\n@avelang.jit\ndef kernel({', '.join(params)}):\n" + "\n".join(self.lines) + "\n"

    def args(self) -> dict[str, Any]:
        return {**{n: a for n, (_, a) in self.arrays.items()}, **self.numbers.made}
