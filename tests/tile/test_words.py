"""Operators, broadcasting, comparisons, functions and reductions of tiles, loads and stores by index: against NumPy on
the same words, on all engines."""

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.runtime.compile import compile_text
from tile.words import RUNS, launch, refuses

R = 28  # rows of results of `words`


@avelang.jit
def words(x: al.Pointer(al.f32), y: al.Pointer(al.f32), out: al.Pointer(al.f32), n: al.u32, s: al.f32, B: al.constexpr):
    at = tile.arange(B)
    inside = at < n
    a, b = tile.load(x, at, inside, 1.0), tile.load(y, n - 1 - at, inside, other=2.0)
    t = a
    t += b
    t *= 2
    results = (
        a * 2.0 + a,
        s - a,
        -a / b,
        1.0 / b,
        t,
        a // b,
        a % 3.0,
        a**2,
        tile.where(a < b, a, b),
        tile.where((a >= s) | (b == 1.5), 1.0, at),
        tile.where((a != b) & ~inside, a, 0.0),
        tile.exp(a),
        tile.log(tile.abs(a) + 1.0),
        tile.sqrt(b * b),
        tile.sigmoid(a * 20),
        tile.log1p(a * 1e-4),
        tile.tanh(a),
        tile.erf(a),
        tile.maximum(a, b),
        tile.minimum(a, 0.5),
        tile.clamp(a, -1.0, s),
        tile.cast(tile.cast(a, al.bf16), al.f32),
        tile.where(tile.isnan(tile.sqrt(a)), 1.0, 0.0),
        tile.fma(a, b, s),
        tile.cast((at << 1 ^ 3) % 7 - (at >> 2 & 1), al.f32),
        a.astype(al.i32),
        tile.round(a) + tile.trunc(b) * tile.sign(a),
        tile.cdiv(at, 3) + tile.popc(at) * tile.clz(at),
    )
    for i in range(len(results)):
        tile.store(out, i * n + at, tile.cast(results[i], al.f32), inside)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_elementwise(run):
    rng = np.random.default_rng(3)
    for n in (int(rng.integers(1, 256)), 256):
        x, y = rng.standard_normal(n).astype(np.float32) * 2, rng.choice([-2.5, 0.5, 1.5, 3.25], n).astype(np.float32)
        s, out = np.float32(0.75), np.zeros((R, n), np.float32)
        launch(words, run, 1, 128, (x, y, out, n, s), B=256)
        a, b, at = x.astype(np.float64), y[::-1].astype(np.float64), np.arange(n)
        with np.errstate(invalid="ignore"):
            from math import erf

            want = np.array(
                [
                    a * 3,
                    s - a,
                    -a / b,
                    1 / b,
                    (a + b) * 2,
                    a // b,
                    a % 3,
                    a * a,
                    np.where(a < b, a, b),
                    np.where((a >= s) | (b == 1.5), 1, at),
                    0 * a,
                    np.exp(a),
                    np.log(np.abs(a) + 1),
                    np.abs(b),
                    1 / (1 + np.exp(-a * 20)),
                    np.log1p(a * 1e-4),
                    np.tanh(a),
                    np.vectorize(erf)(a),
                    np.maximum(a, b),
                    np.minimum(a, 0.5),
                    np.clip(a, -1, s),
                    x.astype(ml_dtypes.bfloat16),
                    np.isnan(np.sqrt(a)),
                    a * b + s,
                    (at << 1 ^ 3) % 7 - (at >> 2 & 1),
                    np.trunc(a),
                    np.round(a) + np.trunc(b) * np.sign(a),
                    -(-at // 3) + np.array([bin(i).count("1") * (32 - int(i).bit_length()) for i in at]),
                ],
                np.float64,
            )
        np.testing.assert_allclose(out, want, rtol=3e-6, atol=1e-6)


@avelang.jit
def folds(
    x: al.Tensor((al.dynamic, al.dynamic), (al.dynamic, 1), al.f32),
    low: al.Pointer(al.f16),
    rows: al.Pointer(al.f32),
    cols: al.Pointer(al.f32),
    places: al.Pointer(al.i32),
    one: al.Pointer(al.f32),
    M: al.constexpr,
    N: al.constexpr,
):
    r, c = tile.arange(M)[:, None], tile.arange(N)[None, :]
    inside = (r < x.shape[0]) & (c < x.shape[1])
    t = tile.load(x, (r, c), inside)
    row, col = tile.arange(M), tile.arange(N)
    tile.store(rows, row, tile.sum(t, 1))
    tile.store(rows, M + row, tile.max(tile.where(inside, t, -1e30), -1))
    away = t - tile.sum(t, 1, keepdims=True) * tile.max(t, 0)
    tile.store(cols, col, tile.min(away, 0))
    tile.store(cols, N + col, tile.sum(tile.load(low, c * M + r), 0))
    tile.store(cols, 2 * N + col, tile.max(t.T, 1))
    tile.store(places, row, tile.argmax(t, 1))
    tile.store(places, M + col, tile.argmin(t, 0))
    tile.store(places, M + N + col, tile.sum(t > 0.0, 0))
    al.syncthreads()
    first = tile.load(rows, row)
    alone = tile.sum(first), tile.max(first, 0), tile.sum(t), al.convert(tile.argmax(first), al.f32)
    for i in range(4):
        tile.store(one, i, alone[i])


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_reductions(run, monkeypatch):
    if run[1] == "reference":
        monkeypatch.setenv("AVE_CHECK", "races")
    rng, M, N = np.random.default_rng(4), 16, 64
    for m, n in [(13, 60), (16, 64)]:
        x = rng.integers(-9, 10, (m, n + 3)).astype(np.float32)[:, :n]
        x[2, 5:7] = 20
        low = rng.integers(-9, 10, (N, M)).astype(np.float16)
        rows, cols = np.zeros((2, M), np.float32), np.zeros((3, N), np.float32)
        places, one = np.zeros(M + 2 * N, np.int32), np.zeros(4, np.float32)
        if run[1] == "ptx":
            args = x.base, low, rows, cols, places, one
            launch(folds, run, 1, 256, args, M=M, N=N, x=(m, n, n + 3, 1))
        else:
            launch(folds, run, 1, 256, (x, low, rows, cols, places, one), M=M, N=N)
        t = np.zeros((M, N))
        t[:m, :n] = x
        inner = np.full((M, N), -1e30)
        inner[:m, :n] = x
        away = t - t.sum(1, keepdims=True) * t.max(0)
        assert np.array_equal(rows, np.array([t.sum(1), inner.max(1)], np.float32))
        assert np.array_equal(cols, [away.min(0), low.astype(np.float64).sum(1), t.max(0)])
        assert np.array_equal(places, [*t.argmax(1), *t.argmin(0), *(t > 0).sum(0)])
        assert np.array_equal(one, [t.sum(), t.sum(1).max(), t.sum(), t.sum(1).argmax()])


@avelang.jit
def conditions(x: al.Pointer(al.f32), out: al.Pointer(al.i32), N: al.constexpr):
    at = tile.arange(3)[:, None] * N + tile.arange(N)
    positive = tile.load(x, at) > 0
    tile.store(out, tile.arange(3), tile.where(tile.max(positive, 1), 1, 0) + tile.where(tile.min(positive, 1), 2, 0))
    tile.store(out, 3, tile.cast(tile.max(positive) & (tile.min(at > 2) == tile.min(positive)), al.i32))
    words = al.bitcast(tile.load(x, at), al.i32)
    tile.store(out, 4 + at, al.bitcast(words & 0x7FFFFFFF, al.f32).to(al.i32) + (words < 0))


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_conditions_and_bits(run):
    """The greatest of conditions is whether one holds; a tile of other bits is made as a number of other bits is."""
    x, out = np.array([[2, -3, 4, 0, 9], [1, 2, 3, 4, 5], [-1, -2, -5, 0, -7]], np.float32), np.zeros(19, np.int32)
    launch(conditions, run, 1, 64, (x, out), N=5)
    assert out[:4].tolist() == [1, 3, 0, 1]
    np.testing.assert_array_equal(out[4:], (np.abs(x) + (x < 0)).astype(int).ravel())


@avelang.jit
def changes(x: al.Pointer(al.i32), at: al.Pointer(al.i32), v: al.Pointer(al.i32), n: al.u32, B: al.constexpr):
    i = tile.arange(B)
    inside = i < n
    where, value = tile.load(at, i, inside), tile.load(v, i, inside)
    tile.atomic_add(x, where, value, inside)
    tile.atomic_max(x, 8 + where, value, inside)
    tile.atomic_min(x, 16 + where, value, inside)
    tile.atomic_and(x, 24 + where, value, inside)
    tile.atomic_or(x, 32 + where, value, inside)
    tile.atomic_xor(x, 40 + where, value, inside)
    tile.atomic_add(x, 48, 5)


@pytest.mark.parametrize("run", [RUNS[0], RUNS[3]], ids=str)
def test_atomics(run):
    """Each element once, of a tile that several lanes hold, too."""
    rng = np.random.default_rng(11)
    for n in (50, 64):
        x, at, v = rng.integers(0, 99, 49), rng.integers(0, 8, n), rng.integers(-99, 99, n)
        want, found = x.copy(), x.astype(np.int32)
        for k, fn in enumerate((np.add, np.maximum, np.minimum, np.bitwise_and, np.bitwise_or, np.bitwise_xor)):
            fn.at(want, 8 * k + at, v)
        want[48] += 5
        launch(changes, run, 1, 128, (found, at.astype(np.int32), v.astype(np.int32), n), B=64)
        assert np.array_equal(found, want)


@avelang.jit
def tickets(x: al.Pointer(al.i32), at: al.Pointer(al.i32), old: al.Pointer(al.i32), n: al.u32, B: al.constexpr):
    i = tile.arange(B)
    before = tile.atomic_add(x, tile.load(at, i, i < n), i + 1, i < n)
    tile.store(old, i, before)
    own = tile.atomic_add(x, 8, B)
    tile.store(old, B + i, i * 0 + own)
    tile.store(old, 2 * B + i, tile.atomic_max(x, 8, 5, n > 90) + i)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_what_stood_there(run, monkeypatch):
    """Old values of one update after another, in some sequence: each is a sum of others, and the last is the whole."""
    if run[1] == "reference":
        monkeypatch.setenv("AVE_CHECK", "races")
    rng = np.random.default_rng(RUNS.index(run))
    for B, threads in ((16, 128), (256, 64), (128, 128)):  # held more than once, several a lane, one a lane
        n = int(rng.integers(1, B)) % 90
        at, x, old = rng.integers(0, 8, B).astype(np.int32), np.full(9, 3, np.int32), np.zeros((3, B), np.int32)
        launch(tickets, run, 1, threads, (x, at, old.reshape(-1), n), B=B)
        for w in range(8):
            adds = [i for i in range(n) if at[i] == w]
            order = sorted(adds, key=lambda i: old[0, i])
            sums = np.cumsum([3, *[i + 1 for i in order]])
            assert [old[0, i] for i in order] == sums[:-1].tolist() and x[w] == sums[-1]
        assert (old[0, n:] == 0).all() and (old[1] == 3).all() and x[8] == 3 + B
        assert np.array_equal(old[2], np.arange(B))


@avelang.jit
def moving(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32, B: al.constexpr):
    at, total = tile.arange(B), tile.zeros((B,), al.f32)
    for _ in al.range((n + B - 1) // B):
        total += tile.load(x, at, at < n)
        at += B
    rows = total[:, None] + tile.load(x, tile.arange(2)[None, :])
    tile.store(y, tile.arange(B)[:, None] * 2 + tile.arange(2)[None, :], rows)


def test_formulas_in_loops():
    x, y = np.random.default_rng(5).integers(-9, 9, 150).astype(np.float32), np.zeros((64, 2), np.float32)
    moving[1, 64](x, y, 150, 64, backend="reference")
    whole = np.zeros(192)
    whole[:150] = x
    assert np.array_equal(y, whole.reshape(3, 64).sum(0)[:, None] + x[:2])


@avelang.jit
def vectors(x: al.Pointer(al.f32), y: al.Tensor((al.dynamic, al.dynamic), al.bf16), first: al.u32, n: al.u32):
    r, c = tile.arange(4)[:, None], tile.arange(64)
    t = tile.load(x, first + r * 64 + c, c < n, tile.cast(c, al.f32), vector=4)
    tile.store(y, (r, c), t, c < n, vector=8)
    assert tile.any(t > 1e9, 0).shape == (64,)
    tile.store(x, 0, tile.where(tile.all(t < 1e9), 1.0, 2.0))


def test_vectors(monkeypatch):
    """Accesses of 16 bytes where neighbors are promised; a promise that does not hold is found."""
    text = compile_text(vectors, {"y": (4, 64)}, (32, 1, 1), "sm_80", "asm")
    assert text.count("ld.global.v4") == 2 and text.count("st.global.v2") == 2 and "ld.global.b32" not in text
    for run in RUNS[:3]:
        x, y = np.arange(300, dtype=np.float32), np.zeros((4, 64), ml_dtypes.bfloat16)
        vectors[1, 64](x, y, 8, 40, target=run[0], backend=run[1])
        want = np.zeros((4, 64))
        want[:, :40] = (8 + np.arange(256).reshape(4, 64))[:, :40]
        assert np.array_equal(y, want.astype(ml_dtypes.bfloat16)) and x[0] == 1
    with pytest.raises(AveError) as e:
        vectors[1, 64](x, y, 9, 40, backend="reference")
    assert "multiple" in str(e.value) and f"--> {__file__}" in str(e.value)


@pytest.mark.parametrize("chip", ["gfx90a", "gfx950", "sm_90a"])
def test_other_chips(chip):
    assert compile_text(words, {"B": 256}, (128, 1, 1), chip, "asm")


@avelang.jit
def wrong(x: al.Pointer(al.f32), HOW: al.constexpr):
    a, b = tile.arange(8), tile.zeros((4, 16), al.f32)
    if HOW == "shapes":
        b = b + a
    elif HOW == "element":
        b = b[4]
    elif HOW == "slice":
        b = b[1:1, :]
    elif HOW == "bounds":
        a = tile.arange(4, 4)
    elif HOW == "axis":
        b = tile.sum(b, 2)
    elif HOW == "shape":
        b = tile.zeros(16, al.f32)
    elif HOW == "number":
        x[0] = tile.sum(1.0)
    elif HOW == "index":
        b = tile.load(x, (a, a))
    elif HOW == "memory":
        b = tile.load(1.0, a)
    elif HOW == "vector":
        b = tile.load(x, a, vector=3)
    elif HOW == "order":
        b = b.permute((0, 0))
    elif HOW == "large":
        a = tile.load(x, tile.arange(1 << 40))
    elif HOW == "odd":
        b = tile.zeros((5009, 2), al.f32)
    elif HOW == "value":
        tile.store(x, a, (a, a))
    elif HOW == "several":
        b = tile.reduce(b, lambda p, q: (p, q), 1)


SAID = {
    "shapes": "(4, 16) and (8,)",
    "element": "[4]",
    "slice": "[1:1, :]",
    "bounds": "4 and 4",
    "axis": "-2 to 1",
    "shape": "such as (64, 32)",
    "number": "a tile",
    "index": "of a pointer one",
    "memory": "a pointer or a tensor",
    "order": "each once",
    "vector": "power of two",
    "large": "(1099511627776,) over 64 threads, 17179869184 for each",
    "odd": "(5009, 2) over 64 threads, 5009 for each",
    "value": "a tile or a number",
    "several": "one number",
}


@pytest.mark.parametrize("how", SAID)
def test_mistakes(how):
    refuses(wrong, 64, how, SAID[how], __file__)


@avelang.jit
def by_al(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32):
    at = tile.arange(64)
    t, inside = tile.load(x, at), 3 <= at < n
    u = max(abs(t), 0.5) + al.exp(al.min(t, 0.0)) + al.select(t > 1.0, 1.0, t)
    tile.store(y, at, al.convert(u.to(al.f16), al.f32) + al.f32(at), inside)


def test_functions_of_numbers():
    x, y = np.random.default_rng(9).standard_normal(64).astype(np.float32), np.zeros(64, np.float32)
    by_al[1, 64](x, y, 50, backend="reference")
    u = np.maximum(np.abs(x), 0.5) + np.exp(np.minimum(x, 0)) + np.where(x > 1, 1, x)
    inside = (np.arange(64) >= 3) & (np.arange(64) < 50)
    np.testing.assert_allclose(y, np.where(inside, u + np.arange(64), 0), rtol=2e-3)


@avelang.jit
def misled(x: al.Pointer(al.f32), n: al.u32, HOW: al.constexpr):
    at, t = tile.arange(16), tile.zeros((16,), al.f32)
    if HOW == "pointer":
        t = tile.load(x + at, at)
    elif HOW == "condition" and t > 1.0:
        t = t + 1.0
    elif HOW == "index":
        x[at] = 1.0
    elif HOW == "product":
        t = t @ t
    elif HOW == "loop":
        for _ in al.range(n):
            t = t[None, :] + 1.0


MISLED = {
    "pointer": ("T301", "tile.load(x, index)"),
    "condition": ("T028", "tile.any"),
    "index": ("T040", "tile.store"),
    "product": ("T301", "tile.dot"),
    "loop": ("T014", "keeps its shape"),
}


@pytest.mark.parametrize("how", MISLED)
def test_errors_lead_on(how):
    with pytest.raises(AveError) as e:
        misled[1, 64](np.zeros(16, np.float32), 2, how, backend="reference")
    assert (e.value.code, MISLED[how][1] in str(e.value)) == (MISLED[how][0], True)
    assert f"--> {__file__}" in str(e.value)


def test_whole_waves():
    with pytest.raises(AveError) as e:
        moving[1, 96](np.zeros(8, np.float32), np.zeros((64, 2), np.float32), 8, 64, target="gfx942")
    assert e.value.code == "T304" and "96 threads" in e.value.message
