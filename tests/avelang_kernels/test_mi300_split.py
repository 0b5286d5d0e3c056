"""AMD's GEMM where blocks share tiles: numbers against float64 and the same bits twice, on the CPU, the reference and in
executed gfx942 code with its checks; and storage orders, dtypes and distances of lines, drawn."""

from __future__ import annotations

import random

import ml_dtypes
import numpy as np
import pytest

from avelang.amdgcn.report import report
from avelang.language import bf16 as BF16
from avelang.language import f32 as F32
from avelang.runtime.compile import compile_text
from avelang_kernels.matmul import mi300_gemm
from avelang_kernels.matmul.mi300_gemm import build, gemm
from avelang_kernels.matmul.mi300_tiles import LARGE, SMALL, STREAM, Mi300Tile, tile_of_waves

bf16 = ml_dtypes.bfloat16
ROUNDING = {np.dtype(np.float32): 0.0, np.dtype(np.float16): 2.0**-11, np.dtype(bf16): 2.0**-8, np.dtype(np.int32): 0.0}
TINY, NARROW = tile_of_waves(32, 64, 1, 2), tile_of_waves(64, 64, 2, 2)


def matrix(rng, rows, cols, dtype, turned, gap):
    """A matrix in the middle of NaNs (of the greatest number, for integers)."""
    shape = (cols, rows + gap) if turned else (rows, cols + gap)
    whole = np.full(shape, 127 if dtype is np.int8 else np.nan, dtype)
    drawn = rng.integers(-9, 10, (cols, rows) if turned else (rows, cols))
    whole[:, : drawn.shape[1]] = drawn if dtype is np.int8 else drawn * 0.25
    return whole[:, : drawn.shape[1]].T if turned else whole[:, : drawn.shape[1]]


def check(m, n, k, tile=None, split=None, dtype=bf16, out=np.float32, turned=(False, False), gaps=(0, 0, 0), **options):
    rng = np.random.default_rng((m, n, k))
    a, b = (matrix(rng, r, k, dtype, t, g) for r, t, g in zip((m, n), turned, gaps, strict=False))
    fill = 7 if out is np.int32 else np.nan
    whole = np.full((m + 1, n + gaps[2]), fill, out)
    c = whole[:m, :n]
    assert gemm(a, b, c, tile, split, **options) is c
    want = a.astype(np.float64) @ b.astype(np.float64).T
    terms = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)).T
    error = np.abs(c.astype(np.float64) - want)
    assert (error <= 2e-6 * terms + ROUNDING[np.dtype(out)] * np.abs(want)).all(), error.max()
    around = whole.astype(np.float64)
    around[:m, :n] = fill
    assert np.array_equal(around, np.full(whole.shape, float(fill)), equal_nan=True), "written around the output"
    return c


SPLITS = [
    # tile, split, m, n, k: runs that end inside of tiles, more parts than steps, parts that are not even
    (TINY, STREAM, 70, 130, 328), (TINY, 3, 40, 130, 464), (NARROW, 9, 70, 60, 136), (NARROW, STREAM, 64, 64, 1032),
]  # fmt: skip


@pytest.mark.parametrize("case", SPLITS, ids=str)
def test_k_is_split_on_the_cpu(case):
    """Twice: the same bits."""
    tile, split, *sizes = case
    first, second = (check(*sizes, tile=tile, split=split) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("case", SPLITS[:2], ids=str)
def test_k_is_split_without_races_in_the_reference(case, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    tile, split, *sizes = case
    check(*sizes, tile=tile, split=split, backend="reference")


@pytest.mark.parametrize("case", SPLITS[:3], ids=str)
def test_k_is_split_in_executed_code(case, monkeypatch):
    """Every wait, every access of global memory in the order that other dies see: LLVM's memory model of gfx942."""
    monkeypatch.setenv("AVE_CHECK", "all")
    tile, split, *sizes = case
    check(*sizes, tile=tile, split=split, target="gfx942")


def test_sums_that_other_dies_do_not_see_are_found(monkeypatch):
    """The negative control: the same without the cache policy that sends sums on."""
    from avelang.base.errors import AveError
    from avelang.pipelines import fixup

    monkeypatch.setattr(fixup, "SC1", 0)
    monkeypatch.setenv("AVE_CHECK", "races")
    build.cache_clear()
    with pytest.raises(AveError, match="X0"):
        check(40, 130, 464, TINY, 2, target="gfx942")
    build.cache_clear()


def test_a_workspace_is_clean_behind_a_launch(monkeypatch):
    made = []

    def workspace(a, blocks, size):
        made.append((np.full(size, np.nan, np.float32), np.zeros(blocks, np.uint32)))
        return made[-1]

    monkeypatch.setattr(mi300_gemm, "workspace_for", workspace)
    tile, split, *sizes = SPLITS[0]
    check(*sizes, tile=tile, split=split)
    (sums, counters), = made
    assert np.isfinite(sums).any() and not counters.any()


@pytest.mark.parametrize("split", [0, "streams", True, 2.0])
def test_other_splits_are_refused(split):
    one = np.zeros((16, 16), bf16)
    with pytest.raises(ValueError, match="split must be None, an int from 1 on, or"):
        gemm(one, one, split=split)


DTYPES = [
    (bf16, np.float32), (bf16, bf16), (np.float16, np.float32), (np.float16, np.float16), (np.int8, np.int32),
    (ml_dtypes.float8_e4m3fnuz, np.float32),
]  # fmt: skip


@pytest.mark.parametrize("dtype,out", DTYPES, ids=str)
def test_dtypes(dtype, out):
    check(40, 68, 208, TINY, 2, dtype, out, target="gfx942")


@pytest.mark.parametrize("turned", [(True, False), (False, True), (True, True)], ids=["TN", "NT", "TT"])
def test_storage_orders(turned, monkeypatch):
    """With gaps between lines, K that no step divides, and tiles that end outside."""
    monkeypatch.setenv("AVE_CHECK", "all")
    check(72, 72, 88, NARROW, 1, turned=turned, gaps=(8, 16, 4), target="gfx942")


def drawn(seed):
    """A product by lot: sizes that are odd or not, orders, gaps, dtypes, splits."""
    r = random.Random(seed)
    unit = r.choice((1, 2, 4, 8, 8))
    m, n, k = (r.randint(1, most // unit) * unit for most in (140, 140, 400))
    turned, gaps = (r.random() < 0.5, r.random() < 0.5), tuple(r.choice((0, 0, 1, 8)) for _ in range(3))
    dtype, out = r.choice(DTYPES[:4])
    return m, n, k, r.choice((TINY, NARROW, tile_of_waves(64, 96, 2, 2))), r.choice((1, 2, 5, STREAM)), dtype, out, turned, gaps


@pytest.mark.parametrize("seed", range(6))
def test_drawn(seed):
    """Each on one engine."""
    check(*drawn(seed), **({"target": "gfx942"}, {"backend": "reference"}, {"target": "gfx942"})[seed % 3])


def test_what_has_neither_rows_nor_columns_side_by_side_is_copied():
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-4, 5, (r, 2 * 40)).astype(bf16)[:, ::2] for r in (20, 12))
    out = np.zeros((12, 20), np.float32).T
    gemm(a, b, out, TINY, backend="reference")
    np.testing.assert_array_equal(out, a.astype(np.float32) @ b.astype(np.float32).T)


# -- machine code -----------------------------------------------------------------------------------------------------


def code(tile: Mi300Tile, split=1, turned=(False, False)):
    options = {"T": tile, "EACH": 8, "WIDE": True, "TURNED": turned}
    kernel = build(BF16, F32, split, any(turned))
    return report(compile_text(kernel, options, (tile.threads, 1, 1), "gfx942", "asm"))


@pytest.mark.parametrize("split", [4, STREAM])
@pytest.mark.parametrize("tile", [SMALL, LARGE], ids=["small", "large"])
def test_a_split_costs_the_loop_nothing(tile, split):
    """The same loop, no spills, no more shared memory: resources stay in scalar registers."""
    made, whole = code(tile, split), code(tile)
    assert made.vgpr_spills == made.sgpr_spills == made.scratch == 0 and made.lds == whole.lds
    assert made.loop is not None and whole.loop is not None
    for kind in ("matrix", "LDS read", "LDS write", "load", "barrier", "VALU"):
        assert sum(made.loop.counts[kind].values()) == sum(whole.loop.counts[kind].values()), kind


def test_what_is_turned_is_paired_in_registers():
    """Two elements of K to a word, by one permutation each; loads are as wide as in the other order."""
    made = code(SMALL, turned=(True, True))
    assert made.vgpr_spills == made.scratch == 0 and made.loop is not None
    counts = made.loop.counts
    assert counts["load"] == {"buffer_load_dwordx4": 8} and counts["VALU"]["v_perm_b32"] == 32
    assert sum(counts["VALU"].values()) <= 48
