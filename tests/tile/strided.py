"""Views with strides of any kind by chance, and windows anywhere over them, against NumPy on the places that strides
mean: what tests draw."""

# No `from __future__ import annotations`: annotations of kernels name values of the function around them.

import dataclasses
import functools
import random
from typing import Any

import numpy as np

import avelang
import avelang.language as al
from avelang import tile
from avelang.runtime import compile
from avelang.tile import shared, windows
from sim.ptx.executed import Executed, off
from tile import drawn

DTYPES: dict[str, tuple[Any, Any]] = {
    **drawn.DTYPES, "u8": (al.u8, np.uint8), "i16": (al.i16, np.int16), "f64": (al.f64, np.float64),
    "i64": (al.i64, np.int64)
}
KINDS = ("rows", "gaps", "transposed", "both", "overlapping", "zero", "zeros", "backwards", "turned backwards")


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Strided:
    """A matrix of memory: `shape`, `strides` and a first element; a window there in distribution `d`. `known`: strides
    are compile-time values; else run-time ones, `signed` or not. `shared`: the tile goes by way of shared memory.
    `base`: the memory comes as a tensor, not as a pointer."""

    dtype: str
    d: tile.Distribution
    shape: tuple[int, int]
    strides: tuple[int, int]
    vector: int
    known: bool
    signed: bool
    shared: bool
    base: bool


@dataclasses.dataclass(frozen=True)
class Case:
    """That, the place of its first element in memory, the window's origin, and the elements that there are."""

    C: Strided
    first: int
    at: tuple[int, int]
    size: int


def strides_of(r: random.Random, kind: str, rows: int, cols: int, vector: int) -> tuple[int, int]:
    """Of a matrix, by the name of their kind; multiples of `vector` where neighbors lie side by side."""
    gap = cols + vector * r.randrange(1, 5)
    return {
        "rows": (cols, 1), "gaps": (gap, 1), "transposed": (1, rows + r.randrange(3)), "both": (cols * 3 + 1, 3),
        "overlapping": (vector, 1), "zero": (0, 1), "zeros": (r.choice((0, 2)), 0), "backwards": (-gap, 1),
        "turned backwards": (1, -rows)
    }[kind]


def draw(r: random.Random, wave: int) -> Case:
    """A view and a window that may begin before the view, or reach past it, or both."""
    waves = r.choice((1, 2, 4))
    lengths = drawn.extents(r, 2, waves * wave)
    d, kind, vector = drawn.distribution(r, lengths, waves, wave), r.choice(KINDS), r.choice((1, 1, 2, 4, 8))
    if kind in ("transposed", "both", "zeros", "turned backwards"):
        vector = 1
    rows, cols = r.randrange(1, lengths[0] + 9), -(-r.randrange(1, lengths[1] + 9) // vector) * vector
    strides = strides_of(r, kind, rows, cols, vector)
    signed = min(strides) < 0 or r.random() < 0.5
    low = sum(min(0, (n - 1) * s) for n, s in zip((rows, cols), strides, strict=True))
    high = sum(max(0, (n - 1) * s) for n, s in zip((rows, cols), strides, strict=True))
    first = -low + r.choice((0, vector, 3 * vector))
    at = [r.randrange(-n, n + 2) if r.random() < 0.5 else 0 for n in (rows, cols)]
    known = min(strides) >= 0 and r.random() < 0.5
    base = first > 0 or r.random() < 0.5
    C = Strided(r.choice(list(DTYPES)), d, (rows, cols), strides, vector, known, signed, r.random() < 0.3, base)
    return Case(C, first, (at[0], at[1] // vector * vector), first + high + 1)


@functools.cache
def kernel(dtype: Any) -> Any:
    """The kernel that loads a tile of the view of `x`, stores it in full into `z`, and through the same view of `y`."""

    @avelang.jit
    def matrix(memory, first, m, n, s, t, C):
        strides = C.strides if C.known else (s, t) if C.signed else (al.convert(s, al.u32), al.convert(t, al.u32))
        if C.strides[1] == 1:
            strides = (strides[0], 1)
        if C.base:
            whole = al.make_tensor(memory, memory.dtype, al.make_layout((first + 1,), (1,)))
            memory = al.subview(whole, (first,), (1,), (1,))
        return tile.view(memory, (m, n), C.vector, strides)

    @avelang.jit
    def see(
        x: al.Pointer(dtype),
        y: al.Pointer(dtype),
        z: al.Pointer(dtype),
        first: al.u32,
        m: al.u32,
        n: al.u32,
        s: al.i32,
        t: al.i32,  # type: ignore
        top: al.i32,
        left: al.i32,
        C: al.constexpr,
    ):
        w = matrix(x, first, m, n, s, t, C).window(C.d.shape, (top, left), C.d)
        if C.shared:
            room = shared.shared(C.d.shape, dtype, 1, (C.d,))
            w.load_async(room)
            windows.commit_async()
            windows.wait_async(0)
            al.syncthreads()
            found = room.load(C.d)
        else:
            found = w.load()
        tile.view(z, C.d.shape).store(found, (0, 0))
        matrix(y, first, m, n, s, t, C).store(found, (top, left))

    return see


@functools.lru_cache(8)
def _executed(C: Strided, target: str, narrow: str) -> Executed:
    source = kernel(DTYPES[C.dtype][0]).source
    built = compile.build(source, {"C": C}, target)
    built.attrs["narrow"] = narrow
    return Executed(built, (C.d.threads, 1, 1), target)


def run(seed: int, target: str, backend: str) -> None:
    """Draws a case and holds an engine ("ptx": executed PTX) against NumPy; raises AssertionError where a number is
    wrong."""
    found = draw(random.Random(seed), 32 if target.startswith("sm_") else 64)
    C, at = found.C, found.at
    dtype = DTYPES[C.dtype][1]
    x = np.random.default_rng(seed).integers(0, 100, found.size).astype(dtype)
    y, z = np.full(found.size, 99, dtype), np.full(C.d.shape, 99, dtype)
    # Memory may begin at any element, but where an instruction wants more, which compiled code says.
    begins = [random.Random(seed + i).choice((0, 0, 1, 2, 5)) for i in range(3)]
    executed = None
    if backend == "ptx":
        narrow = (f"{name}={x.itemsize}" for name, n in zip("xyz", begins) if n * x.itemsize % 16)
        executed = _executed(C, target, " ".join(narrow))
        begins = [0 if name in executed.program.whole else n for name, n in zip("xyz", begins)]
    x, y, z = (off(a, n) for a, n in zip((x, y, z), begins))
    args = x, y, z, found.first, *C.shape, *C.strides, *at
    if executed is not None:
        executed.run(args)
    else:
        kernel(DTYPES[C.dtype][0])[1, C.d.threads](*args, C, target=target, backend=backend)
    row, col = (i + o for i, o in zip(np.indices(C.d.shape), at, strict=True))
    inside = (row >= 0) & (row < C.shape[0]) & (col >= 0) & (col < C.shape[1])
    places = np.where(inside, found.first + row * C.strides[0] + col * C.strides[1], 0)
    want = np.full(found.size, 99, dtype)
    want[places[inside]] = x[places[inside]]
    assert np.array_equal(z, np.where(inside, x[places], np.zeros((), dtype))), f"loaded: {found}"
    assert np.array_equal(y, want), f"stored: {found}"
