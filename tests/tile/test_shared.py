"""Tiles in shared memory: stores and loads in drawn distributions against NumPy, with any swizzle, rows and columns
exchanged; NVIDIA's `ldmatrix` against loads element by element."""

import dataclasses
import functools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import avelang
import avelang.language as al
from avelang import tile
from avelang.runtime.compile import compile_text
from avelang.tile import Swizzle, shared, vectorize
from tile.drawn import distribution, extents

DTYPES = {"f16": (al.f16, np.float16), "f32": (al.f32, np.float32), "i8": (al.i8, np.int8)}


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Case:
    """A tile stored in distribution `d` and loaded in `e`, of the tile with rows and columns exchanged if `turned`, in
    `parts`."""

    d: tile.Distribution
    e: tile.Distribution
    dtype: str
    swizzle: Swizzle
    turned: bool = False
    parts: int = 1


@functools.cache
def mover(dtype):
    """The kernel that has lanes' elements go through shared memory: `y` as `Shared` loads them, `z` by plain accesses
    alone."""

    @avelang.jit
    def move(x: al.Pointer(dtype), y: al.Pointer(dtype), z: al.Pointer(dtype), C: al.constexpr):
        t, D, E, (rows, cols) = al.thread_id(0), C.d.elements, C.e.elements, C.d.shape
        room = shared.Shared(al.make_shared((2, rows * cols), dtype, 128), (rows, cols), C.swizzle)
        held = al.make_local((D,), dtype)
        for i in range(D):
            held[i] = x[t * D + i]
        room.store_values(held, C.d, 1)
        al.syncthreads()
        memory = room.turned if C.turned else room
        for part in range(C.parts):
            got = al.make_local((E // C.parts,), dtype)
            memory.load_part(got, C.e, part, C.parts, 1)
            for i in range(E // C.parts):
                y[t * E + part * (E // C.parts) + i] = got[i]
        plain, COUNT = al.make_local((E,), dtype), E // memory.width(C.e)
        memory._get(plain, (0, COUNT), C.e, 1, 0, COUNT, None)
        for i in range(E):
            z[t * E + i] = plain[i]

    return move


def check(c: Case, target: str, backend: str) -> None:
    kind, dtype = DTYPES[c.dtype]
    matrix = np.random.default_rng(c.d.elements).integers(-99, 99, c.d.shape).astype(dtype)
    y, z = (np.full((c.e.threads, c.e.elements), 100, dtype) for _ in range(2))
    mover(kind)[1, c.d.threads](np.ascontiguousarray(c.d.gather(matrix)), y, z, c, target=target, backend=backend)
    want = c.e.gather(matrix.T if c.turned else matrix)
    assert np.array_equal(y, want) and np.array_equal(z, want)


def operands(dtype: str, k: int = 32) -> list[tile.Distribution]:
    """Fragments of NVIDIA's products over two warps or one, of tiles of 32 x k and 64 x k."""
    out = []
    for waves in ((1, 2), (1, 1)):
        G = tile.Block(32, 64, k, waves, "single").on("sm_80", DTYPES[dtype][0])
        out += [G.a, G.b, G.single().b]
    return out


def transposed(d: tile.Distribution) -> tile.Distribution:
    """The same lanes' elements of the transposed tile."""
    return tile.Distribution.of_index([x.reshape(d.waves, d.wave, -1) for x in d.index[::-1]], d.shape[::-1])


def swizzles(row: int) -> list[Swizzle]:
    """Some that a tile with rows of so many bytes may have."""
    if row & (row - 1) or row < 16:
        return [Swizzle()]
    top = row.bit_length() - 1
    return [
        Swizzle(),
        Swizzle.rows(row),
        *(Swizzle(b, 4, s) for b in (1, 2) for s in range(b, 6) if 4 + s >= top >= 4 + b),
    ]


def case(seed: int, wave: int) -> Case:
    r = random.Random(seed)
    dtype, waves = r.choice(list(DTYPES)), r.choice((1, 2, 3))
    shape = extents(r, 2, waves * wave)
    turned = r.random() < 0.4
    d, e = distribution(r, shape, waves, wave), distribution(r, shape[::-1] if turned else shape, waves, wave)
    if wave == 32 and dtype == "f16" and r.random() < 0.5:  # fragments of a product
        e = r.choice(operands(dtype))
        d = distribution(r, e.shape[::-1] if turned else e.shape, e.waves, wave)
    return Case(d, e, dtype, r.choice(swizzles(d.shape[1] * DTYPES[dtype][0].bytes)), turned)


@pytest.mark.parametrize(
    ("target", "backend", "count"),
    [("sm_80", "reference", 12), ("gfx942", "reference", 6), ("gfx942", "gfx942-exec", 3), ("sm_80", "cpu", 3)],
)
def test_round_trips(target, backend, count):
    """What is stored in one distribution is loaded in another: every element where NumPy has it."""

    @settings(max_examples=count, deadline=None, database=None)
    @given(st.integers(0, 2**32 - 1))
    def drawn(seed: int) -> None:
        check(case(seed, 32 if target == "sm_80" else 64), target, backend)

    drawn()


FRAGMENTS = [
    (dtype, i, turned)
    for dtype in DTYPES
    if dtype != "f32"
    for i in range(6)
    for turned in (False, True)
    if dtype == "f16" or not turned
]


@pytest.mark.parametrize(("dtype", "which", "turned"), FRAGMENTS)
def test_matrices(dtype, which, turned):
    """Operands of products come by `ldmatrix`, of the turned tile by its transposed form, and are what plain loads
    give."""
    e = operands(dtype)[which]
    shape = e.shape[::-1] if turned else e.shape
    d = tile.Distribution.blocked(shape, DTYPES[dtype][0], waves=e.waves, wave=32)
    size = DTYPES[dtype][0].bytes
    dists = ((d,), (e,)) if turned else ((d, e), ())
    swizzle = vectorize.swizzle_for(dists[0], (shape[1] * size, size), "sm_80", dists[1])
    c = Case(d, e, dtype, swizzle, turned, 2)
    check(c, "sm_80", "reference")
    if dtype == "f16":
        text = compile_text(mover(al.f16), {"C": c}, (d.threads, 1, 1), "sm_80", "asm")
        assert ("ldmatrix.sync.aligned.m8n8.x4.trans" if turned else "ldmatrix.sync.aligned.m8n8.x4.shared") in text
    # Reads meet each bank once, and so do copies.
    lost = vectorize.conflicts(e, (size, shape[1] * size) if turned else (shape[1] * size, size), swizzle, "sm_80",
                               0 if turned else 1)
    assert lost == vectorize.conflicts(d, (shape[1] * size, size), swizzle, "sm_80") == 0


@pytest.mark.parametrize(("parts", "each"), [(1, 4), (2, 2), (4, 1)])
def test_parts_of_few_words(parts, each):
    """Where a part has fewer than four words, matrices come by twos, or one by one."""
    d = tile.Block(16, 8, 64, (1, 1), "single").on("sm_80", al.f16).single().b  # 2 words of each of 4 steps
    d = tile.Distribution.of_index([x.reshape(1, 32, -1)[:, :, :8] for x in d.index], (8, 32))
    assert vectorize.matrices(d, 1, 2, "sm_80", parts).each == each
    stored = tile.Distribution.blocked((8, 32), al.f16, waves=1, wave=32)
    check(Case(stored, d, "f16", Swizzle.rows(64), False, parts), "sm_80", "reference")


def test_what_is_no_matrix():
    """Copies of neighbors, accumulators in f32, chips of AMD's, waves of 64: nothing for `ldmatrix`."""
    G = tile.Block(32, 64, 32, (1, 2), "single").on("sm_80", al.f16)
    assert vectorize.matrices(G.copy_a, 1, 2, "sm_80") is None and vectorize.matrices(G.c, 1, 4, "sm_80") is None
    assert vectorize.matrices(G.a, 1, 2, "gfx942") is None and vectorize.matrices(G.a, 1, 2, "sm_75") is not None
    assert (
        vectorize.matrices(transposed(G.a), 1, 2, "sm_80").turned
        and vectorize.matrices(transposed(G.a), 1, 4, "sm_80") is None
    )


def test_a_swizzle_for_both_ways():
    """V of attention: copied along rows of 128 columns, read as fragments over (columns, keys), without a conflict."""
    G = tile.Block(64, 128, 64, (4, 1), "single").on("sm_80", al.bf16)
    copy = tile.Distribution.blocked((64, 128), al.bf16, waves=4, wave=32)
    swizzle = vectorize.swizzle_for((copy,), (256, 2), "sm_80", (G.b,))
    assert (
        vectorize.conflicts(G.b, (2, 256), swizzle, "sm_80", 0)
        == vectorize.conflicts(copy, (256, 2), swizzle, "sm_80")
        == 0
    )
    assert vectorize.conflicts(G.b, (2, 256), Swizzle(), "sm_80", 0) > 0


@avelang.jit
def ring(x: al.Pointer(al.f32), y: al.Pointer(al.f32), D: al.constexpr):
    room = shared.shared(D.shape, al.f32, 3, (D,))
    for buffer in range(3):
        room.store(tile.view(x, (3 * D.shape[0], D.shape[1]), 4).window(D.shape, (buffer * D.shape[0], 0), D).load(),
                   buffer)
    al.syncthreads()
    for n in al.range(3):
        tile.view(y, (3 * D.shape[0], D.shape[1]), 4).store(room.load(D, 2 - n), (n * D.shape[0], 0))


@pytest.mark.parametrize(("target", "backend"), [("sm_80", "reference"), ("gfx942", "gfx942-exec")])
def test_buffers(target, backend):
    """Which buffer may be known at run time only."""
    d = tile.Distribution.blocked((16, 32), al.f32, waves=1, wave=32 if target == "sm_80" else 64)
    x = np.arange(3 * 16 * 32, dtype=np.float32).reshape(3, 16, 32)
    y = np.zeros_like(x)
    ring[1, d.threads](x, y, d, target=target, backend=backend)
    assert np.array_equal(y, x[::-1])
