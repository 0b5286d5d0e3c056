"""Products of tiles of drawn shapes, dtypes and counts of waves, more waves than parts among them: exact, on all
engines."""

import functools
import random

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.tile.block_gemm import usual_mma
from avelang.tile.dot import product_gemm, sums_dtype
from tile.words import RUNS, launch

NUMPY = {
    al.f16: np.float16, al.bf16: ml_dtypes.bfloat16, al.f32: np.float32, al.i8: np.int8, al.f64: np.float64,
    al.f8e4m3fn: ml_dtypes.float8_e4m3fn, al.f8e4m3fnuz: ml_dtypes.float8_e4m3fnuz,
}
WAVE = {"gfx90a": 64, "gfx942": 64, "gfx950": 64}


@functools.cache
def build(dtype, sums):
    @avelang.jit
    def products(
        a: al.Pointer[dtype], b: al.Pointer[dtype], c: al.Pointer[sums], total: al.Pointer[sums], m: al.i32, n: al.i32,
        M: al.constexpr, N: al.constexpr, K: al.constexpr
    ):
        i, j, k = tile.arange(M), tile.arange(N), tile.arange(K)
        x = tile.load(a, i[:, None] * K + k, (i < m)[:, None])
        y = tile.load(b, k[:, None] * N + j, (j < n)[None, :])
        once = tile.dot(x, y)
        inside = (i < m)[:, None] & (j < n)
        tile.atomic_add(total, i[:, None] * N + j, once, inside)
        tile.store(c, i[:, None] * N + j, tile.dot(x, y, once) + tile.sum(once, 1)[:, None], inside)

    return products


def case(seed: int, run: tuple[str, str]):
    r = random.Random(seed)
    target, engine = run
    if target == "gfx942" and engine == "reference":
        target = r.choice(["gfx90a", "gfx942", "gfx950", "sm_75", "sm_90a"])
    dtypes = [al.f16, al.f32, al.i8, al.f64] + [al.bf16] * (target != "sm_75")
    dtypes += 2 * [{"gfx942": al.f8e4m3fnuz, "gfx950": al.f8e4m3fn}[target]] if target in ("gfx942", "gfx950") else []
    dtype = r.choice(dtypes)
    waves = r.choice([1, 2, 3, 4, 4, 6, 8])
    return target, dtype, (16 * r.randint(1, 3), 16 * r.choice([1, 1, 2, 3]), r.choice([8, 16, 24, 32, 32, 48, 64])), waves


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("run", RUNS, ids=str)
def test_drawn(run, seed):
    target, dtype, (M, N, K), waves = case(seed, run)
    rng, kind = np.random.default_rng(seed), NUMPY[dtype]
    m, n = rng.integers(1, M + 1), rng.integers(1, N + 1)
    a, b = (rng.integers(-2, 3, shape).astype(kind) for shape in ((M, K), (K, N)))
    sums = np.int32 if dtype == al.i8 else np.float64 if dtype == al.f64 else np.float32
    c, total = np.full((M, N), 77, sums), np.ones((M, N), sums)
    launch(build(dtype, sums_dtype(dtype)), (target, run[1]), 1, waves * WAVE.get(target, 32), (a, b, c, total, m, n), M=M, N=N, K=K)
    want = np.zeros((M, N))
    want[:m, :n] = a[:m].astype(np.float64) @ b[:, :n].astype(np.float64)
    assert np.array_equal(total, want + 1), "each is added once, however many lanes have it"
    assert np.array_equal(c[:m, :n], (2 * want + want.sum(1, keepdims=True))[:m, :n])
    assert (c[m:] == 77).all() and (c[:, n:] == 77).all()


def test_a_grid_of_waves():
    """The largest that divides the block's waves; lanes of the others have the same."""
    for m, n, waves, grid, replicas in (
        (64, 64, 4, (2, 2), 1), (16, 16, 4, (1, 1), 4), (32, 16, 4, (2, 1), 2), (48, 32, 6, (3, 2), 1),
        (48, 16, 4, (1, 1), 4), (16, 128, 4, (1, 4), 1), (32, 32, 3, (1, 1), 3)
    ):
        for target in ("gfx942", "sm_80"):
            G = product_gemm(target, al.bf16, m, n, 32, waves)
            assert (G.waves, G.replicas) == (grid, replicas) and G.threads == waves * G.mma.wave
            assert G.c.replication == replicas and G.a.replication == replicas * grid[1]


@avelang.jit
def narrow(a: al.Pointer[al.f16]):
    i, j = tile.arange(32)[:, None], tile.arange(24)
    tile.dot(tile.load(a, i * 32 + tile.arange(32)), tile.load(a, i * 24 + j))


def test_what_is_no_multiple_of_16():
    with pytest.raises(AveError, match="T301.*in multiples of 16, not 32 x 24") as e:
        narrow[1, 64](np.zeros(1024, np.float16), target="sm_80", backend="reference")
    assert e.value.span is not None and __file__ in [s.file for s in e.value.span.chain()]


@pytest.mark.parametrize(("target", "deep"), [("gfx90a", 16), ("gfx942", 16), ("gfx950", 16), ("gfx950", 32)])
def test_blocks_take_the_widest_that_divides_their_k(target, deep):
    """gfx950 has instructions of 32 and of 16 along K; a whole product of blocks with 16 uses the second."""
    T = tile.Block(32, 32, deep, (2, 2), "prefetch")
    m, n, k = 40, 36, 56

    @avelang.jit
    def gemm(a: al.Pointer[al.f16], b: al.Pointer[al.f16], c: al.Pointer[al.f32], m: al.u32, n: al.u32, k: al.u32):
        C = tile.view(c, (m, n), 4)
        tile.multiply(T, tile.view(a, (m, k), 8), tile.view(b, (n, k), 8), (m, n, k), lambda sums, at: C.store(sums, at))

    rng = np.random.default_rng(deep)
    a, b = (rng.integers(-3, 4, (rows, k)).astype(np.float16) for rows in (m, n))
    c = np.full((m, n), 77, np.float32)
    threads = T.on(target, al.f16).threads
    gemm[T.grid(m, n, 2), threads](a, b, c, m, n, k, target=target, backend="reference")
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)
    assert usual_mma(target, al.f16, deep).k == deep
