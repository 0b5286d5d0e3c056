"""Tiles side by side: drawn shapes, axes, dtypes and counts, of tiles that lie alike and otherwise, against NumPy, on
all engines."""

import functools
import random

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from tile.words import RUNS, launch, refuses

KINDS = {al.f32: np.float32, al.f16: np.float16, al.i64: np.int64, al.u8: np.uint8}


@functools.cache
def build(dtype, rank):
    @avelang.jit
    def joins(
        x: al.Pointer[dtype], out: al.Pointer[dtype], HOW: al.constexpr, SHAPES: al.constexpr, TURNED: al.constexpr,
        AXIS: al.constexpr
    ):
        parts, first = (), 0
        for SHAPE in SHAPES:
            LIES = tuple([SHAPE[rank - 1 - i] for i in range(rank)]) if TURNED else SHAPE
            t = tile.load(x, first + tile.arange(size_of(SHAPE)))
            t = t.reshape(LIES)
            parts, first = parts + (t.T if TURNED and rank == 2 else t.reshape(SHAPE),), first + size_of(SHAPE)
        found = tile.stack(parts, AXIS) if HOW == "stack" else tile.concatenate(parts, AXIS)
        tile.store(out, tile.arange(size_of(found.shape)), found.reshape(size_of(found.shape), -1)[:, 0])

    return joins


@avelang.constant
def size_of(shape: tuple[int, ...]) -> int:
    size = 1
    for n in shape:
        size *= n
    return size


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("run", RUNS, ids=str)
def test_drawn(run, seed):
    r = random.Random(seed)
    how, rank, count = r.choice(["stack", "concatenate", "unlike"]), r.randint(1, 3), r.randint(1, 4)
    dtype, turned = r.choice(list(KINDS)), r.random() < 0.4
    shape = tuple(r.choice([1, 2, 4, 6, 8, 16]) for _ in range(rank))
    axis = r.randrange(-rank - (how == "stack"), rank + (how == "stack"))
    shapes = tuple(shape for _ in range(count))
    if how == "unlike":
        shapes = tuple(tuple(r.choice([1, 3, 4, 8]) if i == axis % rank else n for i, n in enumerate(shape)) for _ in shapes)
    turned &= rank == 2
    rng = np.random.default_rng(seed)
    pieces = [rng.integers(0, 200, s).astype(KINDS[dtype]) for s in shapes]
    x = np.concatenate([(p.T if turned else p).ravel() for p in pieces])
    want = (np.stack if how == "stack" else np.concatenate)(pieces, axis)
    out = np.full(want.size, 77, KINDS[dtype])
    launch(build(dtype, rank), run, 1, r.choice([64, 128, 256]), (x, out), HOW=how, SHAPES=shapes, TURNED=turned, AXIS=axis)
    assert np.array_equal(out, want.ravel())


@avelang.jit
def pairs(x: al.Pointer[al.f32], y: al.Pointer[al.f32], M: al.constexpr, N: al.constexpr):
    """Neighbors are turned, as rotary embeddings do: parts of every other element, and back."""
    at = tile.arange(M)[:, None] * N + tile.arange(N)
    t = tile.load(x, at)
    both = tile.stack((t[:, ::2], t[:, 1::2]), -1)
    tile.store(y, at, tile.stack((-both[..., 1], both[..., 0]), -1).reshape(M, N))


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_neighbors(run):
    x, y = np.random.default_rng(0).standard_normal((8, 64)).astype(np.float32), np.zeros((8, 64), np.float32)
    launch(pairs, run, 1, 64, (x, y), M=8, N=64)
    assert np.array_equal(y, np.stack([-x[:, 1::2], x[:, ::2]], -1).reshape(8, 64))


@avelang.jit
def wrong(x: al.Pointer[al.f32], HOW: al.constexpr):
    a, b = tile.zeros((16, 8), al.f32), tile.zeros((16, 4), al.f32)
    if HOW == "shapes":
        a = tile.stack((a, b))
    elif HOW == "others":
        a = tile.concatenate((a, b), 0)
    elif HOW == "axis":
        a = tile.concatenate((a, b), 2)
    elif HOW == "dtypes":
        a = tile.concatenate((a, b.astype(al.f16)), 1)
    elif HOW == "alone":
        a = tile.stack(a)
    elif HOW == "number":
        a = tile.stack((a, 1.0))


SAID = {
    "shapes": "of one shape, (16, 8), not (16, 4)",
    "others": "of one shape but along axis 0, not (16, 8) and (16, 4)",
    "axis": "-2 to 1, not 2",
    "dtypes": "f32 and f16",
    "alone": "tile.stack((a, b), 0)",
    "number": "tile.full(shape, x, dtype)",
}


@pytest.mark.parametrize("how", SAID)
def test_mistakes(how):
    refuses(wrong, 256, how, SAID[how], __file__)
