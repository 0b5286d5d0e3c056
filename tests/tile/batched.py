"""Batches of matrices that do not fill their tiles, by chance, in each way in which a kernel may be written, against
NumPy: what tests draw."""

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
from sim.ptx.executed import Executed
from tile import drawn

DTYPES: dict[str, tuple[Any, Any]] = {**drawn.DTYPES, "u8": (al.u8, np.uint8), "f64": (al.f64, np.float64)}
KINDS = ("memory", "matrix", "rows", "turns", "columns", "three", "cut", "heads")
GUARD = 99


@avelang.constant
@dataclasses.dataclass(frozen=True)
class How:
    """`kind`: how a batch becomes a view; `d`: of its tiles (of (1, rows, columns) for "three"); `vector`: of the
    view."""

    kind: str
    dtype: str
    d: tile.Distribution
    vector: int

    @property
    def tile(self) -> tuple[int, int]:
        """Rows and columns of a tile."""
        rows, cols = self.d.shape[-2:]
        return rows, cols


@dataclasses.dataclass(frozen=True)
class Case:
    """That, so many batches of m x n, how far rows and batches begin from each other, and the elements of the
    memory."""

    how: How
    batches: int
    m: int
    n: int
    line: int
    apart: int
    size: int


def draw(r: random.Random, wave: int, kind: str = "") -> Case:
    """Batches that follow one another at once, or with room between them, by rows or by columns, or take turns row by
    row."""
    waves, kind, vector = r.choice((1, 2)), kind or r.choice(KINDS), r.choice((1, 1, 2, 4, 8))
    shape = drawn.extents(r, 2, waves * wave)
    d = drawn.distribution(r, (1, *shape) if kind == "three" else shape, waves, wave)
    batches, m, n = (
        r.randrange(2, 4), r.randrange(1, 2 * shape[0] + 2), -(-r.randrange(1, shape[1] + 9) // vector) * vector
    )
    line = n + r.choice((0, 0, 1, 3)) * vector
    apart = m * line + r.choice((0, 0, vector, line))
    if kind in ("rows", "cut"):
        apart = (m + r.choice((0, 0, 1, 3))) * line
    elif kind == "turns":
        apart, line = line, line * batches
    elif kind in ("columns", "heads"):
        apart, line = n, batches * n
    return Case(How(kind, r.choice(list(DTYPES)), d, vector), batches, m, n, line, apart,
                (batches - 1) * apart + (m - 1) * line + n + 3 * vector)


@functools.cache
def kernel(dtype: Any) -> Any:
    """The kernel: each block loads a tile of a batch of `x`, stores it in full into `z`, and as a part of its batch
    into `y`."""

    @avelang.jit
    def of(memory, b, batches, m, n, line, apart, H):
        if H.kind == "three":
            return tile.view(memory, (batches, m, n), H.vector, (apart, line, 1))
        if H.kind == "memory":
            flat = al.make_tensor(memory, memory.dtype, al.make_layout((batches * apart,), (1,)))
            return tile.view(al.subview(flat, (b * apart,), (1,), (1,)), (m, n), H.vector, (line, 1))
        if H.kind == "matrix":
            whole = al.make_tensor(memory, memory.dtype, al.make_layout((batches, m, n), (apart, line, 1)))
            own, layout = al.subview(whole, (b, 0, 0), (1, m, n), (1, 1, 1)), al.make_layout((m, n), (line, 1))
            return tile.view(al.view(own, memory.dtype, layout), None, H.vector)
        if H.kind == "columns":
            whole = al.make_tensor(memory, memory.dtype, al.make_layout((m, batches * n), (line, 1)))
            return tile.view(al.subview(whole, (0, b * n), (m, n), (1, 1)), None, H.vector)
        if H.kind == "heads":
            return tile.view(memory, (m, batches * n), H.vector).cut((m, b * n + n))
        if H.kind == "turns":
            whole = al.make_tensor(memory, memory.dtype, al.make_layout((m * batches, n), (apart, 1)))
            return tile.view(al.subview(whole, (b, 0), (m, n), (batches, 1)), None, H.vector)
        every = apart // line
        if H.kind == "cut":
            return tile.view(memory, (batches * every, n), H.vector, (line, 1)).cut((b * every + m, n))
        whole = al.make_tensor(memory, memory.dtype, al.make_layout((batches * every, n), (line, 1)))
        return tile.view(al.subview(whole, (b * every, 0), (m, n), (1, 1)), None, H.vector)

    @avelang.jit
    def begin(b, n, every, H):
        row, col = al.block_id(0) * H.tile[0], al.block_id(1) * H.tile[1]
        if H.kind == "three":
            return b, row, col
        return row + b * every if H.kind == "cut" else row, col + b * n if H.kind == "heads" else col

    @avelang.jit
    def each(
        x: al.Pointer(dtype), y: al.Pointer(dtype), z: al.Pointer(dtype), batches: al.u32,  # type: ignore
        m: al.u32, n: al.u32, line: al.u32, apart: al.u32, H: al.constexpr,
    ):
        b = al.block_id(2)
        at = begin(b, n, apart // line, H)
        found = of(x, b, batches, m, n, line, apart, H).window(H.d.shape, at, H.d).load()
        number = (b * al.grid_dim(1) + al.block_id(1)) * al.grid_dim(0) + al.block_id(0)
        blocks = al.grid_dim(0) * al.grid_dim(1) * al.grid_dim(2)
        if H.kind == "three":
            tile.view(z, (blocks, H.tile[0], H.tile[1])).store(found, (number, 0, 0))
        else:
            tile.view(z, (blocks * H.tile[0], H.tile[1])).store(found, (number * H.tile[0], 0))
        of(y, b, batches, m, n, line, apart, H).store(found, at)

    return each


@functools.lru_cache(8)
def _executed(how: How, target: str) -> Executed:
    return Executed(compile.build(kernel(DTYPES[how.dtype][0]).source, {"H": how}, target), (how.d.threads, 1, 1),
                    target)


def run(seed: int, target: str, backend: str, kind: str = "") -> None:
    """Draws a case and holds an engine ("ptx": executed PTX) against NumPy; raises AssertionError where a number is
    wrong."""
    c = draw(random.Random(seed), 32 if target.startswith("sm_") else 64, kind)
    (rows, cols), dtype = c.how.tile, DTYPES[c.how.dtype][1]
    down, across = -(-c.m // rows), -(-c.n // cols)
    x = np.random.default_rng(seed).integers(1, 90, c.size).astype(dtype)
    y, z = np.full(c.size, GUARD, dtype), np.full((c.batches, across, down, rows, cols), GUARD, dtype)
    args, grid = (x, y, z, c.batches, c.m, c.n, c.line, c.apart), (down, across, c.batches)
    if backend == "ptx":
        _executed(c.how, target).run(args, grid)
    else:
        kernel(DTYPES[c.how.dtype][0])[grid, c.how.d.threads](*args, c.how, target=target, backend=backend)
    b, i, j = np.indices((c.batches, c.m, c.n))
    places = b * c.apart + i * c.line + j
    want, padded = np.full(c.size, GUARD, dtype), np.zeros((c.batches, down * rows, across * cols), dtype)
    want[places] = x[places]
    padded[:, : c.m, : c.n] = x[places]
    tiles = padded.reshape(c.batches, down, rows, across, cols).transpose(0, 3, 1, 2, 4)
    assert np.array_equal(z, tiles), f"loaded: {c}"
    assert np.array_equal(y, want), f"stored: {c}"
