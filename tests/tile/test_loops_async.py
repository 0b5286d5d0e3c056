"""Copies straight into shared memory and the loop over K that has them under way: values, zeros outside of views,
buffers, waits, races; what its code is made of."""

import math
import re

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.runtime.compile import compile_text
from avelang.tile import shared, vectorize, windows
from avelang_kernels.matmul.tile_gemm import build, gemm
from checked import ask
from tools import need

bf16 = ml_dtypes.bfloat16
CHIPS = [
    ("sm_80", "reference"), ("sm_90a", "reference"), ("sm_80", "cpu"), ("sm_75", "reference"), ("gfx942", "reference"),
    ("gfx942", "gfx942-exec"), ("gfx950", "reference"), ("gfx90a", "reference")
]


# -- copies ------------------------------------------------------------------------------------------------------------


@avelang.constant
def blocked(rows, cols, threads, wave):
    return tile.Distribution.blocked((rows, cols), al.f16, waves=threads // wave, wave=wave)


@avelang.jit
def bring(w, room, D, STEPS):
    """Tiles one beside another into as many buffers."""
    for buffer in range(STEPS):
        w.load_async(room, buffer)
        windows.commit_async()
        w.move((0, D.shape[1]))
    windows.wait_async(0)
    al.syncthreads()


@avelang.jit
def copied(
    a: al.Pointer(al.f16), o: al.Pointer(al.f16), m: al.u32, n: al.u32, top: al.u32, left: al.u32, V: al.constexpr,
    HIGH: al.constexpr
):
    D = blocked(HIGH, 64, 128, al.target().wave)
    room = shared.shared(D.shape, al.f16, 2, (D,))
    bring(tile.view(a, (m, n), V).window(D.shape, (top, left), D), room, D, 2)
    O = tile.view(o, (HIGH, 128), 8)
    O.store(room.load(D, 1), (0, 64))
    O.store(room.load(D, 0), (0, 0))


@pytest.mark.parametrize(("target", "backend"), CHIPS)
@pytest.mark.parametrize(
    ("m", "n", "top", "left"), [(40, 136, 0, 0), (35, 130, 24, 2), (33, 61, 1, 3), (20, 24, 32, 8)]
)
def test_copies(m, n, top, left, target, backend, monkeypatch):
    """Rows of whole vectors, of halves and of single elements (through registers); tiles over edges, and outside of the
    view."""
    ask(monkeypatch, backend, target, "races", "waits")
    a, o = np.random.default_rng(n).standard_normal((m, n)).astype(np.float16), np.full((32, 128), 7, np.float16)
    copied[1, 128](a, o, m, n, top, left, math.gcd(math.gcd(n, left or 8), 8), 32, target=target, backend=backend)
    want, part = np.zeros((32, 128), np.float16), a[top : top + 32, left : left + 128]
    want[: part.shape[0], : part.shape[1]] = part
    assert np.array_equal(o, want)


@pytest.mark.parametrize(("target", "backend"), [("sm_80", "reference"), ("gfx942", "reference")])
@pytest.mark.parametrize("high", [1, 24])
def test_copies_of_few_rows(high, target, backend):
    """Fewer vectors than lanes: some have nothing of their own. Rows that are no power of two."""
    a, o = np.random.default_rng(1).standard_normal((high, 128)).astype(np.float16), np.full((high, 128), 7, np.float16)
    copied[1, 128](a, o, high, 128, 0, 0, 8, high, target=target, backend=backend)
    assert np.array_equal(o, a)


@avelang.jit
def small(a: al.Tensor((20, 24), al.f16), o: al.Tensor((32, 64), al.f16)):
    D = blocked(32, 64, 128, al.target().wave)
    room = shared.shared(D.shape, al.f16, 1, (D,))
    bring(tile.view(a, (20, 24), 8).window(D.shape, (0, 0), D), room, D, 1)
    tile.view(o, D.shape, 8).store(room.load(D), (0, 0))


@pytest.mark.parametrize("target", ["sm_80", "gfx942"])
def test_windows_greater_than_the_memory(target):
    a, o = np.random.default_rng(1).standard_normal((20, 24)).astype(np.float16), np.full((32, 64), 7, np.float16)
    small[1, 128](a, o, target=target, backend="reference")
    assert np.array_equal(o, np.pad(a, ((0, 12), (0, 40))))


@avelang.jit
def transformed(a: al.Pointer(al.f16), o: al.Pointer(al.f16)):
    D = blocked(16, 64, 128, al.target().wave)
    room = shared.shared(D.shape, al.f16, 1, (D,))
    bring(tile.view(a, (8, 120), 8).pad(1, 8, 0).pad(0, 3, 5).window(D.shape, (0, 0), D), room, D, 1)
    tile.view(o, D.shape, 8).store(room.load(D), (0, 0))


@pytest.mark.parametrize(("target", "backend"), [("sm_80", "reference"), ("sm_80", "cpu"), ("gfx942", "reference")])
def test_transformed_views(target, backend):
    a, o = np.random.default_rng(1).standard_normal((8, 120)).astype(np.float16), np.full((16, 64), 7, np.float16)
    transformed[1, 128](a, o, target=target, backend=backend)
    assert np.array_equal(o, np.pad(a, ((3, 5), (8, 0)))[:, :64])


# A lane has three rows side by side: no xor and sum reach all places of a swizzled tile.
THREES = tile.Distribution(tile.Encoding((), ((2, 4, 3), (8, 8)), ((1, 2),), ((1, 0),), (1, 1, 2), (0, 2, 1)), 32)


@avelang.jit
def by_threes(a: al.Pointer(al.f16), o: al.Pointer(al.f16), D: al.constexpr, S: al.constexpr):
    room = shared.Shared(al.make_shared((1, 24 * 64), al.f16, 128), D.shape, S)
    bring(tile.view(a, (24, 64), 8).window(D.shape, (0, 0), D), room, D, 1)
    tile.view(o, D.shape, 8).store(room.load(D), (0, 0))


def test_places_that_are_computed_one_by_one():
    swizzle = tile.Swizzle(3, 4, 4)
    assert vectorize.shared_vectors(THREES, 1, 8, (128, 2), swizzle) == ()
    a, o = np.random.default_rng(1).standard_normal((24, 64)).astype(np.float16), np.zeros((24, 64), np.float16)
    by_threes[1, 32](a, o, THREES, swizzle, target="sm_80", backend="reference")
    assert np.array_equal(o, a)


@avelang.jit
def hasty(a: al.Pointer(al.f16), o: al.Pointer(al.f16), WAIT: al.constexpr, MEET: al.constexpr):
    D = blocked(32, 64, 128, 32)
    room = shared.shared(D.shape, al.f16, 1, (D,))
    tile.view(a, (32, 64), 8).window(D.shape, (0, 0), D).load_async(room)
    windows.commit_async()
    if WAIT:
        windows.wait_async(0)
    if MEET:
        al.syncthreads()
    columns = tile.Distribution.blocked((32, 64), al.f16, waves=4, wave=32, order=(0, 1))
    tile.view(o, D.shape).store(room.load(columns), (0, 0))


@pytest.mark.parametrize(("wait", "meet"), [(False, True), (True, False)])
def test_waits_and_barriers_are_needed(wait, meet, monkeypatch):
    """A copy is there once its lane has waited and all have met."""
    monkeypatch.setenv("AVE_CHECK", "races")
    a, o = np.zeros((32, 64), np.float16), np.zeros((32, 64), np.float16)
    with pytest.raises(AveError) as e:
        hasty[1, 128](a, o, wait, meet, target="sm_80", backend="reference")
    assert e.value.code.startswith("X")
    hasty[1, 128](a, o, True, True, target="sm_80", backend="reference")


# -- the loop ----------------------------------------------------------------------------------------------------------


def product(block, target, backend, m, n, k, out=np.float32, dtype=bf16):
    """(what came out, what should): integers that f32 holds; nobody writes beyond C."""
    rng = np.random.default_rng((m, n, k))
    a, b = (rng.integers(-3, 4, (rows, k)).astype(dtype) for rows in (m, n))
    c = np.full((m, n), np.nan, out)
    gemm(a, b, c, block, target, units=2, backend=backend)
    return c.astype(np.float32), a.astype(np.float32) @ b.astype(np.float32).T


# Steps of K of a tile: one, two, three, four; two, three and four stages; columns dealt out by fours, by twos, not at
# all.
LOOPS = {
    "one step": tile.Block(32, 32, 16, (2, 2), "cp-async", 3),
    "two steps": tile.Block(32, 64, 32, (2, 2), "cp-async", 4),
    "three steps": tile.Block(32, 32, 48, (2, 1), "cp-async", 2),
    "four steps": tile.Block(64, 32, 64, (2, 2), "cp-async", 3),
    "one fragment": tile.Block(16, 8, 32, (1, 1), "cp-async", 2),
}


@pytest.mark.parametrize(
    ("name", "m", "n", "k"),
    [
        *((name, 37, 67, 45) for name in LOOPS if name != "one fragment"),
        ("two steps", 5, 9, 8),
        ("one fragment", 17, 23, 40),
    ],
)
def test_products(name, m, n, k, monkeypatch):
    """Tiles inside of A and B, over their edges, greater than both; K that ends within a tile, and within the first
    one."""
    monkeypatch.setenv("AVE_CHECK", "races")
    got, want = product(LOOPS[name], "sm_80", "reference", m, n, k)
    assert np.array_equal(got, want)


@pytest.mark.parametrize(
    ("name", "target", "backend", "dtype"),
    [("two steps", "sm_80", "cpu", bf16), ("one step", "sm_86", "reference", np.float16)],
)
def test_backends(name, target, backend, dtype):
    got, want = product(LOOPS[name], target, backend, 40, 72, 104, dtype, dtype)
    assert np.array_equal(got, want.astype(dtype).astype(np.float32))


def test_columns_are_dealt():
    """A lane's 8 neighbors of a row of C: 16 bytes in bf16; nobody meets a bank twice. Every element is somebody's,
    once."""
    G = LOOPS["two steps"].on("sm_80", al.bf16).single()
    D = G.interleave("sm_80")
    assert (G.interleaved, G.c.run(1), D.interleaved, D.c.run(1)) == (1, 2, 4, 8)
    assert sorted(D.c.linear.ravel().tolist()) == list(range(32 * 64))
    assert tile.Block(32, 32, 32, (2, 2), "cp-async").on("sm_80", al.bf16).single().interleave("sm_80").c.run(1) == 4
    swizzle = vectorize.swizzle_for((D.copy_b, D.b), (64, 2), "sm_80")
    assert (
        vectorize.conflicts(D.b, (64, 2), swizzle, "sm_80")
        == vectorize.conflicts(D.copy_b, (64, 2), swizzle, "sm_80")
        == 0
    )


def main_loop(text: str) -> list[str]:
    """The lines of the shortest loop that has products: that of tiles inside of A and B."""
    lines = [line.strip() for line in text.splitlines()]
    labels = {line[:-1]: i for i, line in enumerate(lines) if line.endswith(":")}
    found = []
    for i, line in enumerate(lines):
        branch = re.search(r"bra(?:\.uni)?\s+(\S+);", line)
        if branch and labels.get(branch[1], i) < i:
            found.append(lines[labels[branch[1]] : i + 1])
    return min((x for x in found if any("mma.sync" in y for y in x)), key=len)


def test_the_main_loop():
    """Per tile of K a warp has 64 products, 16 loads of four matrices, its 8 copies and one barrier; comparisons are
    for the end of K alone."""
    block = tile.Block(128, 128, 32, (2, 2), "cp-async")
    text = compile_text(build(block, al.bf16, al.bf16), {}, (128, 1, 1), "sm_80", "asm")
    found = main_loop(text)
    counts = {
        name: sum(name in x for x in found)
        for name in ("mma.sync", "ldmatrix", "cp.async.cg", "bar.sync", "wait_group", "ld.shared", "setp")
    }
    assert counts == {
        "mma.sync": 64, "ldmatrix": 16, "cp.async.cg": 8, "bar.sync": 1, "wait_group": 1, "ld.shared": 0,
        "setp": counts["setp"]
    }
    assert counts["setp"] <= 4
    assert text.count("st.global.v4.b32") == 16 and "st.global.b32" not in text


def test_nothing_is_spilled():
    """The block of the most registers of those that `benchmarks/tile_gemm.py` times; `tests/avelang_kernels` has
    others."""
    need("ptxas")
    found = build(tile.Block(128, 256, 32, (2, 4), "cp-async"), al.bf16, al.bf16).report("sm_90a", (256, 1, 1))
    assert found.stored == found.loaded == 0
