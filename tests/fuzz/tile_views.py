"""Memory as tiles see it, by chance: arrays with views of any strides and transforms, as text of the tile level and as places in memory, by NumPy.

A view is an array of places: which element of the memory each of its coordinates means, -1 for padding. Windows read and write by that alone.
"""

from __future__ import annotations

import dataclasses
import math
import random
from typing import Any

import numpy as np

from fuzz.drawn import numpy_of

Ints = tuple[int, ...]
KINDS = ("rows", "rows", "gaps", "gaps", "transposed", "both", "overlapping", "zero", "zeros", "backwards", "turned backwards")
ONE_TO_ONE = ("rows", "rows", "gaps", "gaps", "transposed", "both", "backwards", "turned backwards")
GUARD = 256  # bytes before and behind every array


@dataclasses.dataclass
class Seen:
    """A view: the expression that makes it, its dtype, its places, and the multiple that a window's last origin must be of."""

    name: str
    kind: str
    places: np.ndarray
    unit: int

    @property
    def shape(self) -> Ints:
        return self.places.shape

    def at(self, origins: np.ndarray, lengths: Ints) -> np.ndarray:
        """Places of the windows of all blocks: origins (blocks, rank) -> (blocks, *lengths); -1 outside."""
        rank = len(lengths)
        where = [origins[:, a].reshape(-1, *(1,) * rank) + np.arange(lengths[a]).reshape(*(-1 if i == a + 1 else 1 for i in range(rank + 1))) for a in range(rank)]
        where = np.broadcast_arrays(*where)
        inside = np.logical_and.reduce([(w >= 0) & (w < n) for w, n in zip(where, self.shape, strict=True)])
        return np.where(inside, self.places[tuple(np.where(inside, w, 0) for w in where)], -1)


def read(memory: np.ndarray, places: np.ndarray) -> np.ndarray:
    """What a load of these places gives."""
    return np.where(places < 0, np.zeros((), memory.dtype), memory[np.maximum(places, 0)])


def write(memory: np.ndarray, places: np.ndarray, values: np.ndarray) -> None:
    """What a store there leaves; no place comes twice."""
    there = places >= 0
    assert len(np.unique(places[there])) == there.sum(), "a store to one place by two"
    memory[places[there]] = values[there].astype(memory.dtype)


def guarded(count: int, kind: str, fill: int = 7) -> np.ndarray:
    """An array of `count` elements with `GUARD` bytes of a pattern before and behind it, aligned to 128 bytes."""
    size = numpy_of(kind).itemsize
    whole = np.full(2 * GUARD + 128 + count * size, 0xA5, np.uint8)
    start = GUARD + -(whole.ctypes.data + GUARD) % 128
    out = whole[start : start + count * size].view(numpy_of(kind))
    out[...] = np.asarray(fill).astype(out.dtype)
    return out


def surroundings(x: np.ndarray) -> bool:
    """Whether the bytes around an array that `guarded` made are as they were."""
    whole: Any = x
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    start = x.ctypes.data - whole.ctypes.data
    return bool((whole[:start] == 0xA5).all() and (whole[start + x.nbytes :] == 0xA5).all())


def copied(x: np.ndarray, kind: str) -> np.ndarray:
    out = guarded(x.size, kind)
    out[...] = x
    return out


# -- numbers that a kernel knows, or gets -------------------------------------------------------------------------------------------------------


class Numbers:
    """Parameters of a kernel that are numbers. `say` gives the text of one: a literal, or a parameter that holds it."""

    def __init__(self, r: random.Random):
        self.r, self.made = r, {}
        self.types: dict[str, str] = {}

    def say(self, value: int, known: bool | None = None, signed: bool = False) -> str:
        if known is None:
            known = self.r.random() < 0.5
        if known and value >= 0:
            return str(value)
        name = f"n{len(self.made)}"
        self.types[name] = "i32" if value < 0 or signed or self.r.random() < 0.3 else "u32"
        self.made[name] = np.int32(value) if self.types[name] == "i32" else np.uint32(value)
        return name


def strides_of(r: random.Random, kind: str, shape: Ints, vector: int) -> Ints:
    """Of a matrix, or of several, by the name of their kind; multiples of `vector` where neighbors lie side by side."""
    rows, cols = shape[-2:]
    gap = cols + vector * r.randrange(1, 5)
    last = {
        "rows": (cols, 1), "gaps": (gap, 1), "transposed": (1, rows + r.randrange(3)), "both": (cols * 3 + 1, 3), "overlapping": (vector, 1),
        "zero": (0, 1), "zeros": (r.choice((0, 2)), 0), "backwards": (-gap, 1), "turned backwards": (1, -rows),
    }[kind]  # fmt: skip
    if len(shape) == 2:
        return last
    room = max(abs(s) * n for s, n in zip(last, (rows, cols), strict=True))
    room = -(-room // vector) * vector + r.choice((0, 0, vector))
    return (r.choice((room, room, -room)) if last[1] == 1 or vector == 1 else room, *last)


def place(shape: Ints, strides: Ints, first: int) -> np.ndarray:
    out = np.full((), first, np.int64)
    for n, s in zip(shape, strides, strict=True):
        out = out[..., None] + np.arange(n) * s
    return out


def view(r: random.Random, numbers: Numbers, memory: str, kind: str, lengths: Ints, many: Ints, output: bool) -> tuple[Seen, int]:
    """A view of the memory `memory` that `many` tiles of `lengths` about fill, and the elements of the memory that it takes. With `output` no two
    coordinates mean one place."""
    size, rank = numpy_of(kind).itemsize, len(lengths)
    vector = r.choice([v for v in (1, 1, 2, 4, 8, 16) if v * size <= 16])
    how = r.choice(ONE_TO_ONE if output else KINDS) if rank > 1 else r.choice(("rows", "step", "back"))
    if how not in ("rows", "gaps", "overlapping", "zero", "backwards"):
        vector = 1
    shape = tuple(max(1, n * c + r.randrange(-n + 1, 6)) if r.random() < 0.7 else n * c for n, c in zip(lengths, many, strict=True))
    shape = (*shape[:-1], -(-shape[-1] // vector) * vector)
    strides = strides_of(r, how, shape, vector) if rank > 1 else {"rows": (1,), "step": (3,), "back": (-2,)}[how]
    low = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True))
    high = sum(max(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True))
    first = -(low // vector) * vector + r.choice((0, 0, vector, 3 * vector))
    text = _text(r, numbers, memory, shape, strides, vector, (first, first + high + 1), how)
    places = place(shape, strides, first)
    more = ""
    for _ in range(r.choice((0, 0, 0, 1, 2))):
        step = _transform(r, places, vector)
        if step is not None and 0 < step[1].size <= 8192:
            more, places = more + step[0], step[1]
    # Back to the tile's rank: dimensions that are too many are one.
    while places.ndim > rank:
        axis = r.randrange(places.ndim - 1)
        more += f".merge({axis}, 2)"
        places = places.reshape(*places.shape[:axis], -1, *places.shape[axis + 2 :])
    if output:
        held = places[places >= 0]
        if len(np.unique(held)) != held.size:
            return view(r, numbers, memory, kind, lengths, many, output)
    return Seen(text + more, kind, places, vector), first + high + 1


def _text(r: random.Random, numbers: Numbers, memory: str, shape: Ints, strides: Ints, vector: int, room: tuple[int, int], how: str) -> str:
    first, size = room
    known = r.random() < 0.5
    extents = [numbers.say(n, known) for n in shape]
    wide = f", {vector}" if vector > 1 or r.random() < 0.5 else ", 1"
    if first:
        start, left = numbers.say(first), numbers.say(size - first)
        memory = f"al.subview(al.make_tensor({memory}, {memory}.dtype, al.make_layout(({size},), (1,))), ({start},), ({left},), (1,))"
    if how == "rows" and len(shape) <= 2 and not first and r.random() < 0.6:
        return f"tile.view({memory}, ({', '.join(extents)},){wide})"
    fixed = known and r.random() < 0.7
    apart = [str(s) if s == 1 and (vector > 1 or r.random() < 0.6) else numbers.say(s, fixed, signed=min(strides) < 0) for s in strides]
    if not first and not any(s.startswith("-") for s in apart) and r.random() < 0.2:  # a tensor that has its own layout
        layout = f"al.make_layout(({', '.join(extents)},), ({', '.join(apart)},))"
        return f"tile.view(al.make_tensor({memory}, {memory}.dtype, {layout}), None{wide})"
    return f"tile.view({memory}, ({', '.join(extents)},){wide}, ({', '.join(apart)},))"


def _transform(r: random.Random, places: np.ndarray, vector: int) -> tuple[str, np.ndarray] | None:
    """One more transform: its text, and what it makes of places."""
    shape, axis = places.shape, r.randrange(places.ndim)
    n, kind = shape[axis], r.choice(("pad", "unmerge", "embed", "xor", "cut"))
    if kind == "pad":
        before, after = r.randrange(9), r.randrange(9)
        width = [(before, after) if a == axis else (0, 0) for a in range(places.ndim)]
        return f".pad({axis}, {before}, {after})", np.pad(places, width, constant_values=-1)
    if kind == "unmerge" and places.ndim < 4 and n > 3:
        inner = r.choice([d for d in range(2, n + 1) if n % d == 0])
        return f".unmerge({axis}, ({n // inner}, {inner}))", places.reshape(*shape[:axis], n // inner, inner, *shape[axis + 1 :])
    if kind == "embed" and places.ndim < 4 and n > 2:
        parts, strides = (r.randrange(1, n), r.randrange(1, 4)), (r.randrange(1, 3), 1)
        if (parts[0] - 1) * strides[0] + parts[1] - 1 < n:
            along = np.arange(parts[0])[:, None] * strides[0] + np.arange(parts[1])
            return f".embed({axis}, {parts}, {strides})", np.take(places, along, axis)
    if kind == "xor" and places.ndim > 1:
        by, extent, unit = r.choice([a for a in range(places.ndim) if a != axis]), r.choice((2, 4, 8)), r.choice((1, 2, 4))
        at: list[Any] = list(np.indices(shape))
        at[axis] = at[axis] ^ at[by] % extent * unit
        inside = at[axis] < n
        at[axis] = np.where(inside, at[axis], 0)
        return f".xor({axis}, {by}, {extent}, {unit})", np.where(inside, places[tuple(at)], -1)
    return None


def sizes(r: random.Random, threads: int, rank: int) -> Ints:
    """Extents of a tile that gives a lane of `threads` from an eighth to 4 elements."""
    while True:
        last = tuple(r.choice((1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)) for _ in range(min(rank, 2)))
        shape = (r.choice((1, 1, 2)), *last) if rank == 3 else last
        if threads <= 8 * math.prod(shape) and math.prod(shape) <= 4 * threads:
            return shape
