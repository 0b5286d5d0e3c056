"""Distributions and transformed views by chance, valid by construction, and kernels that use them: what tests draw with
hypothesis, and `tests/gpu/tile_check.py` from a list of seeds."""

# No `from __future__ import annotations`: annotations of kernels name values of the function around them.

import dataclasses
import functools
import math
import random
from typing import Any

import ml_dtypes
import numpy as np

import avelang
import avelang.language as al
from avelang import tile
from avelang.tile import shared, windows

EXTENTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
MOST = 16  # elements of a lane, so that code stays short
DTYPES = {
    "f32": (al.f32, np.float32), "i32": (al.i32, np.int32), "bf16": (al.bf16, ml_dtypes.bfloat16),
    "f16": (al.f16, np.float16), "i8": (al.i8, np.int8)
}


def factors(r: random.Random, n: int) -> list[int]:
    """Numbers whose product is n, in some order, none of them 1."""
    out = []
    while n > 1:
        p = next(p for p in range(2, n + 1) if n % p == 0)
        out.append(p)
        n //= p
    r.shuffle(out)
    joined: list[int] = []
    for p in out:
        if joined and r.random() < 0.4:
            joined[-1] *= p
        else:
            joined.append(p)
    return joined


def encoding(r: random.Random, shape: tuple[int, ...], waves: int, wave: int) -> tile.Encoding:
    """A tile over so many waves of so many lanes: each factor goes to waves, lanes or elements, in any order; what
    lanes are left hold replicas."""
    hs = [factors(r, n) for n in shape]
    where = [(d + 1, i) for d, h in enumerate(hs) for i in range(len(h))]
    left, groups = [waves, wave], [[], [], []]
    for major, minor in r.sample(where, len(where)):
        n, g = hs[major - 1][minor], r.choice((0, 1, 1, 1, 2))
        if g < 2 and left[g] % n == 0:
            left[g] //= n
        else:
            g = 2
        groups[g].append((major, minor))
    rs: list[int] = []
    for g in (0, 1):
        for n in factors(r, left[g]):
            groups[g].append((0, len(rs)))
            rs.append(n)
        r.shuffle(groups[g])
    ps, ys = groups[:2], groups[2]
    if r.random() < 0.25:
        ps = [ps[0] + ps[1]]
    return tile.Encoding(
        tuple(rs),
        tuple(map(tuple, hs)),
        tuple(tuple(a for a, _ in p) for p in ps),
        tuple(tuple(b for _, b in p) for p in ps),
        tuple(a for a, _ in ys),
        tuple(b for _, b in ys),
        shape,
    )


def distribution(r: random.Random, shape: tuple[int, ...], waves: int, wave: int) -> tile.Distribution:
    """The same as a distribution, of a few draws the first that gives a lane no more than `MOST` elements, or else the
    one that gives the fewest."""
    least = max(MOST, 2 * math.prod(shape) // (waves * wave))
    found: list[tile.Encoding] = []
    while not found or (found[-1].elements > least and len(found) < 16):
        found.append(encoding(r, shape, waves, wave))
    return tile.Distribution(found[-1] if found[-1].elements <= least else min(found, key=lambda e: e.elements), wave,
                             waves)


def extents(r: random.Random, rank: int, threads: int) -> tuple[int, ...]:
    """Of a tile that gives a lane a few elements, or a few lanes the same one."""
    while True:
        shape = tuple(r.choice(EXTENTS) for _ in range(rank))
        if threads <= 8 * math.prod(shape) <= 64 * threads:
            return shape


def by_definition(e: tile.Encoding) -> tuple[np.ndarray, ...]:
    """Where elements stand, int arrays (threads, elements), from CK Tile's documentation alone: a P, and so the number
    of a lane's element, is the merge of its factors, the first the slowest; a dimension is the merge of its factors,
    the first the slowest."""
    extent = {(a, i): n for a, h in enumerate((e.Rs, *e.Hs)) for i, n in enumerate(h)}
    slots = [
        *(
            (a, b)
            for major, minor in zip(e.Ps2RHs_major, e.Ps2RHs_minor, strict=True)
            for a, b in zip(major, minor, strict=True)
        )
    ]
    count = math.prod(extent[s] for s in slots)
    slots += zip(e.Ys2RHs_major, e.Ys2RHs_minor, strict=True)
    grid = np.indices([extent[s] for s in slots]).reshape(len(slots), -1)
    value = {s: grid[i] for i, s in enumerate(slots)}
    none = np.zeros(max(1, math.prod(extent[s] for s in slots)), np.int64)
    out = []
    for d, h in enumerate(e.Hs):
        at = none
        for i, n in enumerate(h):
            at = at * n + value[d + 1, i]
        out.append(at.reshape(count, -1))
    return tuple(out)


# -- a tile through everything -----------------------------------------------------------------------------------------


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Case:
    """A tile in distribution `d`, moved to `e`; where it stands in a matrix, what neighbors that may have."""

    d: tile.Distribution
    e: tile.Distribution
    dtype: str
    matrix: tuple[int, int]
    at: tuple[int, int]
    vector: int
    wide: int


def case(r: random.Random, wave: int) -> Case:
    """A tile over an edge of its matrix, or over none."""
    waves = r.choice((1, 2, 3, 4))
    shape = extents(r, 2, waves * wave)
    vector, wide = r.choice((1, 2, 4, 8)), r.choice((1, 2, 4))
    step = max(vector, wide)
    rows, cols = r.randrange(1, shape[0] + 9), -(-r.randrange(1, shape[1] + 9) // step) * step
    at = r.randrange(0, rows + 2), r.randrange(0, cols + 2 * step) // step * step
    d, e = (distribution(r, shape, waves, wave) for _ in range(2))
    return Case(d, e, r.choice(list(DTYPES)), (rows, cols), at if r.random() < 0.7 else (0, 0), vector, wide)


@functools.cache
def mover(dtype: Any) -> Any:
    """The kernel that takes a tile out of memory in one distribution, and puts it into memory in another."""

    @avelang.jit
    def move(
        x: al.Pointer(dtype), y: al.Pointer(dtype), m: al.u32, n: al.u32, top: al.u32, left: al.u32, C: al.constexpr
    ):  # type: ignore
        t = shared.spread(tile.view(x, (m, n), C.vector).window(C.d.shape, (top, left), C.d).load(), C.e)
        tile.view(y, (m, n), C.wide).store(t, (top, left))

    return move


@avelang.jit
def fold(
    x: al.Pointer(al.f32), rows: al.Pointer(al.f32), cols: al.Pointer(al.f32), z: al.Pointer(al.f32), m: al.u32,
    n: al.u32, top: al.u32, left: al.u32, C: al.constexpr
):
    """Sums of rows in one distribution, maxima of columns in the other; each element meets both; a mask."""
    t = tile.view(x, (m, n), C.vector).window(C.d.shape, (top, left), C.d).load()
    sums = t.sum(1)
    tile.view(rows, (C.d.shape[0],)).store(sums, (0,))
    u = shared.spread(t.along(lambda a, b: a - b, sums, 1), C.e)
    most = u.max(0)
    tile.view(cols, (C.d.shape[1],)).store(most, (0,))
    low = u.sweep(lambda a, at: al.select(at[0] >= at[1], a, 0.0)).along(lambda a, b: a + 2 * b, most, 0)
    tile.view(z, (m, n), C.wide).store(low.map(lambda a, b: a * 2 + b, (u,)), (top, left))


def taken(a: np.ndarray, top: int, left: int, shape: tuple[int, ...]) -> np.ndarray:
    """A tile of a matrix, zeros outside of it."""
    out = np.zeros(shape, a.dtype)
    part = a[top : top + shape[0], left : left + shape[1]]
    out[: part.shape[0], : part.shape[1]] = part
    return out


def put(into: np.ndarray, part: np.ndarray, top: int, left: int) -> np.ndarray:
    """The matrix with a tile in it, as far as it is inside."""
    out = into.copy()
    there = out[top : top + part.shape[0], left : left + part.shape[1]]
    there[:] = part[: there.shape[0], : there.shape[1]].astype(out.dtype)
    return out


def wanted(a: np.ndarray, c: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What `fold` must make of a matrix: sums, maxima, and its tile."""
    t = taken(a, *c.at, c.d.shape)
    sums = t.sum(1)
    u = t - sums[:, None]
    most = u.max(0)
    return sums, most, (np.tril(u) + 2 * most) * 2 + u


# -- transformed views -------------------------------------------------------------------------------------------------


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Step:
    """A transform by its name, with its arguments."""

    kind: str
    args: tuple[Any, ...]


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Seen:
    """Memory of `shape` seen through `steps`, and a window there that stands at `at` and moves `by`. `once`: it is
    stored to, too."""

    shape: tuple[int, ...]
    vector: int
    steps: tuple[Step, ...]
    d: tile.Distribution
    by: tuple[int, ...]
    dtype: str
    once: bool = True


def transformed(places: np.ndarray, step: Step) -> np.ndarray:
    """A view, given as the place in memory of each of its coordinates (-1: padding), through one more transform, by
    NumPy."""
    shape = places.shape
    if step.kind == "pad":
        axis, before, after = step.args
        return np.pad(places, [(before, after) if a == axis else (0, 0) for a in range(len(shape))], constant_values=-1)
    if step.kind == "unmerge":
        axis, parts = step.args
        return places.reshape(*shape[:axis], *parts, *shape[axis + 1 :])
    if step.kind == "merge":
        axis, count = step.args
        return places.reshape(*shape[:axis], -1, *shape[axis + count :])
    if step.kind == "embed":
        axis, parts, strides = step.args
        along = sum(np.indices(parts)[i] * s for i, s in enumerate(strides))
        return np.take(places, along, axis)
    axis, by, extent, unit = step.args
    at = list(np.indices(shape))
    at[axis] = at[axis] ^ at[by] % extent * unit
    return places[tuple(at)]


def transform(r: random.Random, shape: tuple[int, ...]) -> Step | None:
    """One that such a view can have, or None."""
    kind, axis = r.choice(("pad", "unmerge", "merge", "embed", "xor")), r.randrange(len(shape))
    n = shape[axis]
    if kind == "pad":
        return Step(kind, (axis, r.randrange(9), r.randrange(9)))
    if kind == "unmerge" and len(shape) < 4 and n > 3:
        inner = r.choice([d for d in range(2, n + 1) if n % d == 0])
        return Step(kind, (axis, (n // inner, inner)))
    if kind == "merge" and axis + 1 < len(shape):
        return Step(kind, (axis, r.randrange(2, len(shape) - axis + 1)))
    if kind == "embed" and len(shape) < 4 and n > 2:
        parts, strides = (r.randrange(1, n), r.randrange(1, 4)), (r.randrange(1, 3), 1)
        if (parts[0] - 1) * strides[0] + parts[1] - 1 < n:
            return Step(kind, (axis, parts, strides))
    if kind == "xor" and len(shape) > 1:
        by, extent, unit = (
            r.choice([a for a in range(len(shape)) if a != axis]),
            r.choice((2, 4, 8)),
            r.choice((1, 2, 4)),
        )
        if n % (extent * unit) == 0:
            return Step(kind, (axis, by, extent, unit))
    return None


def seen(r: random.Random, wave: int) -> tuple[Seen, tuple[int, ...], np.ndarray]:
    """A view through up to four transforms, the origin of a window there (past the end, or at places that are padding,
    too), and the view as `transformed` has it."""
    vector = r.choice((1, 2, 4, 8))
    shape = tuple(r.choice((1, 2, 3, 5, 8, 12, 16)) for _ in range(r.randrange(0, 3))) + (
        vector * r.choice((1, 2, 3, 4, 8)),
    )
    places, steps = np.arange(math.prod(shape)).reshape(shape), []
    for _ in range(r.randrange(5)):
        step = transform(r, places.shape)
        if step is not None and 0 < transformed(places, step).size <= 4096:
            places = transformed(places, step)
            steps.append(step)
    waves = r.choice((1, 2, 3))
    d = distribution(r, extents(r, places.ndim, waves * wave), waves, wave)
    units = [1] * (places.ndim - 1) + [vector]
    at, by = (
        tuple(
            r.randrange(n + 2 * u) // u * u // 2 ** r.randrange(3) // u * u
            for n, u in zip(places.shape, units, strict=True)
        )
        for _ in range(2)
    )
    return Seen(shape, vector, tuple(steps), d, by, r.choice(list(DTYPES))), at, places


@functools.cache
def looker(dtype: Any) -> Any:
    """The kernel that loads two tiles of a transformed view, one after a move, into `z`, and stores the first there
    through such a view of `y`."""

    @avelang.jit
    def through(memory, C):
        v = tile.view(memory, C.shape, C.vector)
        for s in C.steps:
            if s.kind == "pad":
                v = v.pad(*s.args)
            elif s.kind == "unmerge":
                v = v.unmerge(*s.args)
            elif s.kind == "merge":
                v = v.merge(*s.args)
            elif s.kind == "embed":
                v = v.embed(*s.args)
            else:
                v = v.xor(*s.args)
        return v

    @avelang.jit
    def look(
        x: al.Pointer(dtype), y: al.Pointer(dtype), z: al.Pointer(dtype), p: al.u32, q: al.u32, r: al.u32, s: al.u32,
        C: al.constexpr
    ):  # type: ignore
        origin = (p, q, r, s)[: len(C.d.shape)]
        w = through(x, C).window(C.d.shape, origin, C.d)
        first = w.load()
        w.move(C.by)
        second = w.load()
        room, zero = tile.view(z, (2 * C.d.shape[0],) + C.d.shape[1:]), (0,) * len(C.d.shape)
        room.store(first, zero)
        room.store(second, (C.d.shape[0],) + zero[1:])
        if C.once:
            through(y, C).store(first, origin)

    return look


def window_of(places: np.ndarray, at: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
    """Where the elements of a window lie in memory; -1: nowhere."""
    out = np.full(shape, -1)
    part = places[tuple(slice(a, a + n) for a, n in zip(at, shape, strict=True))]
    out[tuple(slice(0, n) for n in part.shape)] = part
    return out


def looked(x: np.ndarray, C: Seen, at: tuple[int, ...], places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the kernel makes of `y`, which is full of 99, and of `z`."""
    flat, y = x.reshape(-1), np.full(x.size, 99, x.dtype)
    here, there = (window_of(places, w, C.d.shape) for w in (at, tuple(a + b for a, b in zip(at, C.by, strict=True))))
    z = np.concatenate([np.where(w < 0, np.zeros((), x.dtype), flat[w]) for w in (here, there)])
    if C.once:
        y[here[here >= 0]] = flat[here[here >= 0]]
    return y.reshape(x.shape), z


# -- straight into shared memory ---------------------------------------------------------------------------------------


@functools.cache
def copier(dtype: Any) -> Any:
    """The kernel that copies a tile to shared memory without registers where the chip can, twice, and puts it back into
    memory."""

    @avelang.jit
    def copy(
        x: al.Pointer(dtype), y: al.Pointer(dtype), m: al.u32, n: al.u32, top: al.u32, left: al.u32, C: al.constexpr
    ):  # type: ignore
        w = tile.view(x, (m, n), C.vector).window(C.d.shape, (top, left), C.d)
        room = shared.shared(C.d.shape, dtype, 2, (C.d, C.e))
        for buffer in range(2):
            w.load_async(room, buffer)
            windows.commit_async()
            w.move((0, C.d.shape[1] // C.vector * C.vector))
        windows.wait_async(0)
        al.syncthreads()
        a, b = room.load(C.e, 0), room.load(C.e, 1)
        out = tile.view(y, (2 * C.d.shape[0], C.d.shape[1]))
        out.store(a, (0, 0))
        out.store(b, (C.d.shape[0], 0))

    return copy


def copied(a: np.ndarray, c: Case) -> np.ndarray:
    """What it makes of a matrix: the tile, and the one beside it, below one another."""
    (top, left), (_, wide) = c.at, c.d.shape
    return np.concatenate([taken(a, top, left + i * (wide // c.vector * c.vector), c.d.shape) for i in range(2)])


# -- launches ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Launch:
    """One block of a kernel: `kernel[1, threads](*inputs, *outputs, *numbers, constant)`; `outputs` as they are before
    it, and what they must be."""

    kernel: Any
    threads: int
    inputs: list[np.ndarray]
    outputs: list[np.ndarray]
    numbers: tuple[int, ...]
    constant: Any
    want: list[np.ndarray]

    def run(self, **options: Any) -> None:
        """On the CPU; raises AssertionError where a number is wrong."""
        outputs = [x.copy() for x in self.outputs]
        self.kernel[1, self.threads](*self.inputs, *outputs, *self.numbers, self.constant, **options)
        for i, (got, want) in enumerate(zip(outputs, self.want, strict=True)):
            assert np.array_equal(got, want), f"output {i} of {self.kernel}: {self.constant}"


def full(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return np.full(shape, 99, dtype)


def move_launch(seed: int, wave: int) -> Launch:
    """A tile out of memory in one distribution, into memory in another."""
    c = case(random.Random(seed), wave)
    kind, dtype = DTYPES[c.dtype]
    x = np.random.default_rng(seed).integers(-100, 100, c.matrix).astype(dtype)
    y = full(c.matrix, dtype)
    return Launch(mover(kind), c.d.threads, [x], [y], (*c.matrix, *c.at), c,
                  [put(y, taken(x, *c.at, c.d.shape), *c.at)])


def fold_launch(seed: int, wave: int) -> Launch:
    """Sums, maxima, masks and elementwise functions; all numbers are integers that f32 holds."""
    c = case(random.Random(seed), wave)
    x = np.random.default_rng(seed).integers(-20, 20, c.matrix).astype(np.float32)
    outputs = [full(s, np.float32) for s in (c.d.shape[:1], c.d.shape[1:], c.matrix)]
    sums, most, z = wanted(x, c)
    return Launch(fold, c.d.threads, [x], outputs, (*c.matrix, *c.at), c, [sums, most, put(outputs[2], z, *c.at)])


def look_launch(seed: int, wave: int) -> Launch:
    """Loads, a move and a store through a transformed view."""
    c, at, places = seen(random.Random(seed), wave)
    here = window_of(places, at, c.d.shape)
    twice = np.unique(here[here >= 0]).size < (here >= 0).sum()
    c = dataclasses.replace(c, once=not twice)  # lanes that store to one place race, whatever they store
    kind, dtype = DTYPES[c.dtype]
    x = np.random.default_rng(seed).integers(-100, 100, c.shape).astype(dtype)
    outputs = [full(c.shape, dtype), full((2 * c.d.shape[0], *c.d.shape[1:]), dtype)]
    return Launch(looker(kind), c.d.threads, [x], outputs, at + (0,) * (4 - len(at)), c, list(looked(x, c, at, places)))


def copy_launch(seed: int, wave: int) -> Launch:
    """Copies straight to shared memory."""
    c = case(random.Random(seed), wave)
    kind, dtype = DTYPES[c.dtype]
    x = np.random.default_rng(seed).integers(-100, 100, c.matrix).astype(dtype)
    y = full((2 * c.d.shape[0], c.d.shape[1]), dtype)
    return Launch(copier(kind), c.d.threads, [x], [y], (*c.matrix, *c.at), c, [copied(x, c)])


LAUNCHES = {"move": move_launch, "fold": fold_launch, "look": look_launch, "copy": copy_launch}
# Target, backend, how many are drawn: machine code takes a while to be made.
RUNS = (
    ("gfx942", "reference", 6), ("sm_80", "reference", 4), ("gfx942", "gfx942-exec", 2), ("gfx942", "cpu", 1),
    ("sm_80", "cpu", 1)
)


def check(kind: str, target: str, backend: str, count: int) -> None:
    """Draws `count` launches and runs them. The seed of one that fails is in hypothesis' words, and gives the same
    launch anywhere."""
    from hypothesis import given, settings  # which a machine with a GPU need not have
    from hypothesis import strategies as st

    @settings(max_examples=count, deadline=None, database=None)
    @given(st.integers(0, 2**32 - 1))
    def drawn(seed: int) -> None:
        LAUNCHES[kind](seed, 32 if target.startswith("sm_") else 64).run(target=target, backend=backend)

    drawn()
