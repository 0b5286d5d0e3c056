"""Views and windows: loads and stores over edges, transformed views and moves against NumPy, on all backends; accesses
as wide as they may be."""

import math

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.runtime.compile import compile_text
from avelang.tile import shared, windows
from checked import ask
from tile import drawn, words

RUNS = [("gfx942", "reference"), ("gfx942", "cpu"), ("gfx942", "gfx942-exec"), ("sm_80", "reference"), ("sm_80", "cpu")]
ON = pytest.mark.parametrize(("target", "backend"), RUNS)


@avelang.constant
def blocked(rows, cols, dtype, threads, wave):
    return tile.Distribution.blocked((rows, cols), dtype, waves=threads // wave, wave=wave)


@avelang.jit
def doubled(a: al.Pointer(al.f16), o: al.Pointer(al.f32), m: al.u32, n: al.u32, V: al.constexpr, W: al.constexpr):
    at = al.block_id(1) * 32, al.block_id(0) * 32
    A, O = tile.view(a, (m, n), V), tile.view(o, (m, n), W)
    t = A.window((32, 32), at, blocked(32, 32, al.f16, 128, al.target().wave)).load()
    O.store(t.map(lambda x: al.convert(x, al.f32) * 2), at)


@ON
@pytest.mark.parametrize(("m", "n"), [(32, 32), (17, 40), (40, 36), (5, 33)])
def test_edges(m, n, target, backend):
    """Rows of whole vectors, of halves of them, of single words, of an odd number of elements; memory around the result
    stays as it was."""
    a = np.random.default_rng(m).standard_normal((m, n)).astype(np.float16)
    o = np.full(m * n + 64, 7.0, np.float32)
    doubled[(-(-n // 32), -(-m // 32)), 128](a, o, m, n, math.gcd(n, 8), math.gcd(n, 4), target=target, backend=backend)
    assert np.array_equal(o[: m * n].reshape(m, n), a.astype(np.float32) * 2)
    assert (o[m * n :] == 7).all()


def test_widths_and_ranges():
    """16 bytes at once where rows allow it; on AMD without a branch for the edges."""
    text = compile_text(doubled, {"V": 8, "W": 4}, (128, 1, 1), "gfx942", "asm")
    assert "buffer_load_dwordx4" in text and "buffer_store_dwordx4" in text and "s_cbranch" not in text
    text = compile_text(doubled, {"V": 2, "W": 1}, (128, 1, 1), "gfx942", "asm")
    assert "buffer_load_dword " in text and "buffer_load_dwordx" not in text
    text = compile_text(doubled, {"V": 8, "W": 4}, (128, 1, 1), "sm_80", "asm")
    assert "ld.global.v4" in text and "st.global.v4" in text


# The encoding that seed 001 prints: 256 x 256 over 4 waves of 64 lanes.
PRINTED = tile.Distribution(
    tile.Encoding((), ((4, 2, 8, 4), (4, 2, 8, 4)), ((1, 2), (1, 2)), ((1, 1), (2, 2)), (1, 1, 2, 2), (0, 3, 0, 3))
)
# A lane's elements by columns: neighbors in memory are not neighbors in its registers.
BY_COLUMNS = tile.Distribution(tile.Encoding((), ((8, 2), (8, 4)), ((), (1, 2)), ((), (0, 0)), (2, 1), (1, 1)))


@avelang.jit
def copied(a: al.Pointer(al.f32), o: al.Pointer(al.f32), m: al.u32, n: al.u32, D: al.constexpr):
    A, O = tile.view(a, (m, n), 4), tile.view(o, (m, n), 4)
    O.store(A.window(D.shape, (0, 0), D).load(), (0, 0))


@pytest.mark.parametrize("backend", ["reference", "cpu", "gfx942-exec"])
@pytest.mark.parametrize("dist", [PRINTED, BY_COLUMNS], ids=["printed", "by columns"])
def test_any_encoding(dist, backend):
    assert (PRINTED.shape, PRINTED.waves, PRINTED.elements) == ((256, 256), 4, 256)
    m, n = dist.shape[0] - 3, dist.shape[1] - 4
    a, o = np.random.default_rng(0).standard_normal((m, n)).astype(np.float32), np.zeros((m, n), np.float32)
    copied[1, dist.threads](a, o, m, n, dist, target="gfx942", backend=backend)
    assert np.array_equal(a, o)


@avelang.jit
def moved(a: al.Pointer(al.i32), o: al.Pointer(al.i32), m: al.u32, n: al.u32):
    w = tile.view(a, (m, n), 4).window((8, 16), (0, 0), blocked(8, 16, al.i32, 64, al.target().wave))
    total = w.load()
    w.move((0, 16))
    total = total.map(lambda x, y: x + y, (w.load(),))
    for _ in al.range(2):
        w.move((8, 0))
        total = total.map(lambda x, y: x + 2 * y, (w.load(),))
    tile.view(o, (8, 16), 4).store(total, (0, 0))


@ON
def test_moves(target, backend):
    """Along both dimensions, at compile time and in a loop; the last step is over the edge."""
    a = np.arange(20 * 32, dtype=np.int32).reshape(20, 32)
    o = np.zeros((8, 16), np.int32)
    moved[1, 64](a, o, 20, 32, target=target, backend=backend)
    padded = np.zeros((24, 32), np.int32)
    padded[:20] = a
    assert np.array_equal(o, a[:8, :16] + a[:8, 16:] + 2 * padded[8:16, 16:] + 2 * padded[16:24, 16:])


@avelang.jit
def transformed(a: al.Pointer(al.i32), o: al.Pointer(al.i32), KIND: al.constexpr, SHAPE: al.constexpr):
    v = tile.view(a, (6, 16), 4)
    if KIND == "pad":
        v = v.pad(0, 1, 1).pad(1, 4, 12)
    elif KIND == "unmerge":
        v = v.unmerge(1, (2, 8)).merge(0, 2)
    elif KIND == "xor":
        v = v.xor(1, 0, 4, 4)
    else:
        v = v.merge(0, 2).unmerge(0, (12, 8))
    t = v.window(SHAPE, (0, 0), blocked(SHAPE[0], SHAPE[1], al.i32, 64, al.target().wave)).load()
    tile.view(o, SHAPE, 1).store(t, (0, 0))


def expected(kind: str, a: np.ndarray) -> np.ndarray:
    if kind == "pad":
        return np.pad(a, ((1, 1), (4, 12)))
    if kind == "unmerge":
        return a.reshape(12, 8)
    if kind == "xor":
        return np.stack([a[r, np.arange(16) ^ (r % 4 * 4)] for r in range(6)])
    return a.reshape(12, 8)


@pytest.mark.parametrize(
    ("target", "backend"),
    [("gfx942", "reference"), ("gfx942", "gfx942-exec"), ("sm_80", "reference"), ("sm_80", "cpu")],
)
@pytest.mark.parametrize("kind", ["pad", "unmerge", "xor", "merge"])
def test_transforms(kind, target, backend):
    """A tile that is greater than the view gets zeros."""
    a = np.random.default_rng(3).integers(-99, 99, (6, 16)).astype(np.int32)
    want = expected(kind, a)
    shape = tuple(-(-n // 8) * 8 for n in want.shape)
    o = np.full(shape, 7, np.int32)
    transformed[1, 64](a, o, kind, shape, target=target, backend=backend)
    assert np.array_equal(o[: want.shape[0], : want.shape[1]], want)
    o[: want.shape[0], : want.shape[1]] = 0
    assert not o.any()


@avelang.jit
def filtered(a: al.Pointer(al.i32), o: al.Pointer(al.i32)):
    v = tile.view(a, (6, 19)).embed(1, (8, 4), (2, 1)).merge(0, 2)
    tile.view(o, (48, 4)).store(v.window((48, 4), (0, 0), blocked(48, 4, al.i32, 64, al.target().wave)).load(), (0, 0))


def test_embed():
    """Windows of 4 at every second place of a row, as for a convolution."""
    a, o = np.arange(6 * 19, dtype=np.int32).reshape(6, 19), np.zeros((48, 4), np.int32)
    filtered[1, 64](a, o, target="gfx942", backend="reference")
    assert np.array_equal(o, np.lib.stride_tricks.sliding_window_view(a, 4, axis=1)[:, ::2].reshape(48, 4))


@pytest.mark.parametrize(("target", "backend", "count"), drawn.RUNS)
def test_drawn_transforms(target, backend, count, monkeypatch):
    """Up to four of them in a row, of one to four dimensions; windows past the end and over padding; a load, a move, a
    load, a store."""
    ask(monkeypatch, backend, target, "races", "waits")
    drawn.check("look", target, backend, count)


@pytest.mark.parametrize(
    ("target", "backend", "count"), [*drawn.RUNS, ("gfx950", "reference", 6), ("sm_75", "reference", 4)]
)
def test_drawn_copies_to_shared_memory(target, backend, count, monkeypatch):
    """By cp.async, by loads that write LDS, of 4 bytes and of 16, and through registers."""
    ask(monkeypatch, backend, target, "races", "waits")
    drawn.check("copy", target, backend, count)


@avelang.jit
def swizzled(a: al.Pointer(al.i32), o: al.Pointer(al.i32)):
    v = tile.view(a, (16, 16), 4).xor(0, 1, 4, 2)
    tile.view(o, (16, 16), 4).store(v.window((16, 16), (0, 0), blocked(16, 16, al.i32, 64, al.target().wave)).load(),
                                    (0, 0))


def test_rows_swizzled_by_columns():
    """Neighbors along the last dimension then lie in different rows: no access is wider than one element."""
    a, o = np.arange(256, dtype=np.int32).reshape(16, 16), np.zeros((16, 16), np.int32)
    swizzled[1, 64](a, o, target="gfx942", backend="reference")
    row, col = np.indices((16, 16))
    assert np.array_equal(o, a[row ^ col % 4 * 2, col])


@avelang.jit
def both_ways(
    a: al.Pointer(al.f16), o: al.Pointer(al.f16), m: al.u32, n: al.u32, top: al.u32, left: al.u32, V: al.constexpr,
    GUARDED: al.constexpr
):
    A, O = tile.view(a, (m, n), V), tile.view(o, (m, n), V)
    if GUARDED:  # by a predicate: a transformed view is no matter of the hardware's
        A, O = A.pad(0, 0, 0), O.pad(0, 0, 0)
    O.store(A.window((32, 32), (top, left), blocked(32, 32, al.f16, 64, 64)).load(), (top, left))


def test_ranges_and_predicates_are_one():
    """In executed gfx942 code, with the executor's check of what may be touched: the range of a buffer and a predicate
    keep and write the same."""
    for V in (1, 2, 8):
        for guarded in (False, True):
            text = compile_text(both_ways, {"V": V, "GUARDED": guarded}, (64, 1, 1), "gfx942", "asm")
            assert ("buffer_load" in text) == ("buffer_store" in text) == (not guarded and V > 1)
    for V, m, n, top, left in (
        (8, 40, 40, 0, 0), (8, 40, 40, 16, 16), (8, 40, 40, 64, 0), (8, 40, 40, 0, 64), (8, 3, 8, 0, 0),
        (2, 35, 34, 7, 6)
    ):
        a = np.random.default_rng(V).standard_normal((m, n)).astype(np.float16)
        o = [np.full((m, n), 7, np.float16) for _ in range(2)]
        for guarded, out in zip((False, True), o, strict=True):
            both_ways[1, 64](a, out, m, n, top, left, V, guarded, target="gfx942")
        want = drawn.put(np.full((m, n), 7, np.float16), drawn.taken(a, top, left, (32, 32)), top, left)
        assert np.array_equal(o[0], want) and np.array_equal(o[1], want)


@avelang.constant
def of_eight(wave):
    return tile.Distribution.blocked((8, 32), al.f32, waves=1, wave=wave)


@avelang.jit
def over_shared(x: al.Pointer(al.f32), y: al.Pointer(al.f32), row: al.u32, col: al.u32):
    D = of_eight(al.target().wave)
    memory = al.make_shared((20, 40), al.f32)
    S, X = tile.view(memory, (20, 40), 4), tile.view(x, (20, 40), 4)
    for i in range(3):
        for j in range(2):
            S.store(X.window((8, 32), (8 * i, 32 * j), D).load(), (8 * i, 32 * j))
    al.syncthreads()
    t = S.window((8, 32), (row, col), D)
    tile.view(y, (8, 32), 4).store(t.load(), (0, 0))
    again = shared.shared((8, 32), al.f32, 1, (D,))
    t.load_async(again)
    windows.commit()
    windows.arrived(0)
    al.syncthreads()
    turned = tile.view(memory, (40, 20), strides=(1, 40)).window((8, 32), (row, col), D).load()
    tile.view(y, (24, 32), 4).store(again.load(D), (8, 0))
    tile.view(y, (24, 32), 4).store(turned, (16, 0))


@pytest.mark.parametrize("run", words.RUNS, ids=str)
def test_shared_memory(run, monkeypatch):
    """Views of shared memory, with edges, on both vendors."""
    if run[1] == "reference":
        monkeypatch.setenv("AVE_CHECK", "races")
    x = np.random.default_rng(8).standard_normal((20, 40)).astype(np.float32)
    for row, col in ((0, 0), (15, 20), (3, 8), (36, 0)):
        y, whole = np.full((3, 8, 32), 9, np.float32), np.zeros((64, 96), np.float32)
        words.launch(over_shared, run, 1, 64 if run[0] == "gfx942" else 32, (x, y, row, col))
        whole[:20, :40] = x
        assert np.array_equal(y[0], whole[row : row + 8, col : col + 32]) and np.array_equal(y[1], y[0])
        whole[:] = 0
        whole[:40, :20] = x.T
        assert np.array_equal(y[2], whole[row : row + 8, col : col + 32])
