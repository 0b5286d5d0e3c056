"""Cumulative sums, sorts, the greatest elements and products of tiles in registers: against NumPy, on all engines."""

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.runtime.compile import compile_text
from avelang.tile import placement
from tile.words import RUNS, launch, refuses


@avelang.jit
def scans(
    x: al.Pointer(al.f32),
    low: al.Pointer(al.i8),
    a: al.Pointer(al.f32),
    b: al.Pointer(al.f32),
    c: al.Pointer(al.i32),
    M: al.constexpr,
    N: al.constexpr,
):
    at = tile.arange(M)[:, None] * N + tile.arange(N)
    t = tile.load(x, at)
    tile.store(a, at, tile.cumsum(t, 1))
    tile.store(b, at, tile.scan(t, lambda p, q: al.max(p, q), 0, reverse=True))
    line = tile.arange(M * N)
    tile.store(c, line, tile.cumsum(tile.load(low, line)))


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_scans(run, monkeypatch):
    if run[1] == "reference":
        monkeypatch.setenv("AVE_CHECK", "races")
    # Of the second one waves hold replicas.
    for M, N, threads in [(8, 96, 128), (5, 16, 320)][: 2 if run[1] == "reference" else 1]:
        rng = np.random.default_rng(M)
        x = rng.integers(-9, 10, (M, N)).astype(np.float32)
        low = rng.integers(-99, 100, M * N).astype(np.int8)
        a, b, c = np.zeros((M, N), np.float32), np.zeros((M, N), np.float32), np.zeros(M * N, np.int32)
        launch(scans, run, 1, threads, (x, low, a, b, c), M=M, N=N)
        assert np.array_equal(a, x.cumsum(1)) and np.array_equal(c, low.astype(np.int32).cumsum())
        assert np.array_equal(b, np.maximum.accumulate(x[::-1], 0)[::-1])


@pytest.mark.parametrize("wave", [32, 64])
def test_drawn_places(wave):
    """Every shape has a distribution along each of its dimensions in which rows are whole, in order."""
    rng = np.random.default_rng(wave)
    for _ in range(60):
        shape = tuple(int(n) for n in rng.choice([1, 2, 3, 4, 6, 8, 16, 20, 32, 64], rng.integers(1, 4)))
        threads, axis = int(rng.choice([1, 2, 3, 4, 8])) * wave, int(rng.integers(len(shape)))
        for across in (False, True):
            D = placement.along(shape, axis, threads, wave, across)
            S = placement.scan_plan(D, axis)
            at, lane = D.index[axis], np.arange(threads)
            part = lane // S.threads % S.waves * S.lanes + lane % S.lanes
            assert D.shape == shape and (across or S.waves == 1) and S.lanes * S.waves * len(S.rows[0]) == shape[axis]
            for row in S.rows:
                assert (at[:, list(row)] == part[:, None] * len(row) + np.arange(len(row))).all()


@avelang.jit
def sorts(
    x: al.Pointer(al.f32),
    up: al.Pointer(al.f32),
    best: al.Pointer(al.f32),
    where: al.Pointer(al.i32),
    M: al.constexpr,
    N: al.constexpr,
    K: al.constexpr,
):
    at = tile.arange(M)[:, None] * N + tile.arange(N)
    t = tile.load(x, at)
    tile.store(up, at, tile.sort(t, 0))
    values, places = tile.topk(t, K)
    short = tile.arange(M)[:, None] * K + tile.arange(K)
    tile.store(best, short, values)
    tile.store(where, short, places)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_sorts(run, monkeypatch):
    if run[1] == "reference":
        monkeypatch.setenv("AVE_CHECK", "races")
    M, N = 4, 64
    for seed, K in ((0, 5), (1, 5)):
        x = np.random.default_rng(seed).integers(-30, 30, (M, N)).astype(np.float32)
        x[1, 5:9] = np.nan, np.inf, -np.inf, np.nan
        up, best, where = np.zeros((M, N), np.float32), np.zeros((M, K), np.float32), np.zeros((M, K), np.int32)
        launch(sorts, run, 1, 64, (x, up, best, where), M=M, N=N, K=K)
        # Descending and stable: NumPy's ascending order of the mirrored rows, mirrored.
        order = (N - 1 - np.argsort(x[:, ::-1], 1, kind="stable")[:, ::-1])[:, :K]
        assert np.array_equal(up, np.sort(x, 0), equal_nan=True) and np.array_equal(where, order)
        assert np.array_equal(best, np.take_along_axis(x, order, 1), equal_nan=True)


DTYPES = {"bf16": (al.bf16, ml_dtypes.bfloat16), "f32": (al.f32, np.float32)}


def products(dtype):
    @avelang.jit
    def multiply(
        a: al.Pointer(dtype),
        b: al.Pointer(dtype),
        c: al.Pointer(al.f32),
        k: al.u32,
        M: al.constexpr,
        N: al.constexpr,
        K: al.constexpr,
    ):
        m, n, step = tile.arange(M), tile.arange(N), tile.arange(K)
        acc = tile.accumulator((M, N), dtype)
        p = tile.load(a, m[:, None] * k + step[None, :])
        q = tile.load(b, step[:, None] * N + n[None, :])
        for first in al.range(0, k, K):
            along = first + step
            x = tile.load(a, m[:, None] * k + along[None, :], (along < k)[None, :])
            y = tile.load(b, along[:, None] * N + n[None, :], (along < k)[:, None])
            acc = tile.dot(x, y, acc)
        tile.store(c, m[:, None] * N + n[None, :], tile.maximum(acc, 0.0) + tile.dot(p, q))

    return multiply


@pytest.mark.parametrize(("run", "dtype"), [*((run, "bf16") for run in RUNS[1:]), (RUNS[0], "f32"), (RUNS[3], "f32")])
def test_products(run, dtype):
    M, N, k, K = 32, 48, 70, 32
    rng = np.random.default_rng(6)
    a, b = (rng.integers(-3, 4, s).astype(DTYPES[dtype][1]) for s in ((M, k), (k, N)))
    c = np.zeros((M, N), np.float32)
    launch(products(DTYPES[dtype][0]), run, 1, 64 if run[0] == "sm_80" else 128, (a, b, c, k), M=M, N=N, K=K)
    x, y = a.astype(np.float64), b.astype(np.float64)
    assert np.array_equal(c, np.maximum(x @ y, 0) + x[:, :K] @ y[:K])


def test_scratch():
    """Tiles that pass shared memory one after another pass the same."""
    text = compile_text(products(al.bf16), {"M": 32, "N": 48, "K": 32}, (128, 1, 1), "gfx942", "ir")
    assert text.count("shared") > 4 and text.count("= alloc") - text.count("local") <= 2, text


@avelang.jit
def merged(a, b):
    """Count, mean and squared distance of two sets of numbers together: Welford's, as of Triton's `tl.reduce` of a tuple."""
    n, away = a[0] + b[0], b[1] - a[1]
    share = al.select(n > 0, b[0] / al.max(n, 1.0), 0.0)
    return n, a[1] + away * share, a[2] + b[2] + away * away * a[0] * share


@avelang.jit
def tuples(
    g: al.Pointer(al.f32), x: al.Pointer(al.f32), o: al.Pointer(al.f32), at: al.Pointer(al.i32), n: al.i32, M: al.constexpr, N: al.constexpr, AXIS: al.constexpr
):
    i, j, size = tile.arange(M)[:, None], tile.arange(N), M * N
    where, inside = i * N + j, (i < M) & (j < n)
    decay, v = tile.load(g, where), tile.load(x, where)
    for k, back in enumerate((False, True)):
        _, h = tile.scan((decay, v), lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), AXIS, reverse=back)
        tile.store(o, k * size + where, h)
    counts, means, squares = tile.reduce((tile.where(inside, 1.0, 0.0), tile.where(inside, v, 0.0), tile.zeros((M, N), al.f32)), merged, AXIS, keepdims=True)
    for k, t in enumerate((counts, means, squares)):
        tile.store(o, (2 + k) * size + where, t)
    most, place = tile.reduce((v, where), lambda p, q: (al.max(p[0], q[0]), al.select(p[0] >= q[0], p[1], q[1])))
    tile.store(o, 5 * size, most)
    tile.store(at, 0, place)


@pytest.mark.parametrize("run, shape, axis, threads", [*((r, (2, 32), 1, 64) for r in RUNS), (RUNS[0], (192, 2), 0, 192)], ids=str)
def test_tuples_of_tiles(run, shape, axis, threads):
    """Several tiles by one function: a recurrence h = g h + x, forward and backward, and moments."""
    rng, n = np.random.default_rng(7), shape[1] - 1
    g, x = rng.random(shape).astype(np.float32), rng.standard_normal(shape).astype(np.float32)
    o, at = np.zeros((6, *shape), np.float32), np.zeros(1, np.int32)
    launch(tuples, run, 1, threads, (g, x, o, at, n), M=shape[0], N=shape[1], AXIS=axis)
    for found, turn in ((o[0], 1), (o[1], -1)):
        h = np.zeros(shape[1 - axis])
        for k in range(shape[axis])[::turn]:
            h = np.take(g, k, axis) * h + np.take(x, k, axis)
            np.testing.assert_allclose(np.take(found, k, axis), h, rtol=1e-4, atol=1e-5)
    held = np.where(np.arange(shape[1]) < n, x, np.nan).astype(np.float64)
    some = np.isfinite(held).any(axis)  # a column that is outside has no numbers
    counts = np.isfinite(held).sum(axis)
    means = np.array([np.nanmean(c) if s else 0 for c, s in zip(np.moveaxis(held, axis, -1), some, strict=True)])
    squares = [np.nansum((c - m) ** 2) for c, m in zip(np.moveaxis(held, axis, -1), means, strict=True)]
    for found, want in zip(o[2:5], (counts, means, squares), strict=True):
        np.testing.assert_allclose(np.take(found, 0, axis), want, rtol=1e-4, atol=1e-5)
    assert o[5].flat[0] == x.max() and at[0] == x.argmax()


@avelang.jit
def again(x: al.Pointer(al.f32), out: al.Pointer(al.f32), N: al.constexpr, TIMES: al.constexpr):
    where = tile.arange(4)[:, None] * N + tile.arange(N)
    t, total = tile.load(x, where), tile.zeros((N,), al.f32)
    for k in range(TIMES):
        total += tile.sum(t * k, 0) - tile.min(t * k, 0)
    tile.store(out, tile.arange(N), total)


def test_folds_share_their_memory():
    """As many as a kernel has: each is done before the next one begins."""
    rng, N, TIMES = np.random.default_rng(8), 64, 4
    x, out = rng.integers(-4, 5, (4, N)).astype(np.float32), np.zeros(N, np.float32)
    text = compile_text(again, {"N": N, "TIMES": TIMES}, (256, 1, 1), "gfx942", "ir")
    assert text.count("= alloc") - text.count("local") <= 1
    launch(again, ("gfx942", "reference"), 1, 256, (x, out), N=N, TIMES=TIMES)
    np.testing.assert_array_equal(out, sum((x * k).sum(0) - (x * k).min(0) for k in range(TIMES)))


@avelang.jit
def wrong(x: al.Pointer(al.f32), HOW: al.constexpr):
    a, b = tile.zeros((16, 48), al.f32), tile.zeros((16, 48), al.bf16)
    if HOW == "k":
        a, _ = tile.topk(a, 17, 0)
    elif HOW == "shapes":
        a = tile.dot(b, b)
    elif HOW == "dtypes":
        a = tile.dot(a, b.T)
    elif HOW == "small":
        a = tile.dot(b[:8], b.T)
    elif HOW == "one number":
        a, _ = tile.scan((a, a), lambda p, q: p[0])
    elif HOW == "three numbers":
        a, _ = tile.reduce((a, a), lambda p, q: (p[0], q[0], q[1]), 1)
    elif HOW == "unlike":
        a, _ = tile.reduce((a, b.T), lambda p, q: p, 1)
    elif HOW == "no tile":
        a, _ = tile.scan((a, 1.0), lambda p, q: p)
    elif HOW == "axis first":
        a = tile.scan(a, 0, lambda p, q: p + q)
    elif HOW == "word":
        a = tile.reduce(a, "max", 0)


SAID = {
    "k": "from 1 to 16",
    "shapes": "(m, k) and (k, n)",
    "dtypes": "f32 and bf16",
    "small": "in multiples of 16, not 8 x 16",
    "one number": "as a and b are, 2, not 1",
    "three numbers": "as a and b are, 2, not 3",
    "unlike": "of one shape, (16, 48), not (48, 16)",
    "no tile": "tile.full(shape, x, dtype)",
    "axis first": "tile.scan(t, fn, axis)",
    "word": "fn of tile.reduce",
}


@pytest.mark.parametrize("how", SAID)
def test_mistakes(how):
    refuses(wrong, 256, how, SAID[how], __file__)
