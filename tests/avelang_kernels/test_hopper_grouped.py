"""Grouped products of operands whose neighbors do not lie along K, with no GPU: drawn groups against float64, NaN around
each group, executed PTX, and what ptxas says."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from alarms.engines import Engine, on
from avelang.base import engines
from avelang.base.errors import AveError
from avelang_kernels.matmul.hopper_gemm import threads
from avelang_kernels.matmul.hopper_tiles import GemmTile
from avelang_kernels.moe import hopper_grouped
from tools import need

BF16 = ml_dtypes.bfloat16
SMALL = GemmTile(64, 64, 2)


def drawn(sizes, depth, m, n, k, dtype, out, tile, seed=0, behind=3, units=3, **options):
    """What comes out and what should, with what errors may be: where nothing is written, NaN."""
    rng, E, total = np.random.default_rng(seed), len(sizes), sum(sizes) + behind
    ends = np.cumsum(sizes).astype(np.int32)
    spans = list(zip([0, *ends], ends, strict=False))
    f = lambda x: x.astype(np.float64)
    if depth:
        a, b = (rng.standard_normal((total, c)).astype(dtype) for c in (m, n))
        a[ends[-1] :], b[ends[-1] :] = np.nan, np.inf
        got, want = np.full((E, m, n), np.nan, out), np.zeros((E, m, n))
        bound = np.zeros_like(want)
        for g, (i, j) in enumerate(spans):
            want[g], bound[g] = f(a[i:j]).T @ f(b[i:j]), abs(f(a[i:j])).T @ abs(f(b[i:j]))
        hopper_grouped.launch(a.T, b.T, ends, got, "sm_90a", tile, units, **options)
    else:
        a, b = rng.standard_normal((total, k)).astype(dtype), rng.standard_normal((E, k, n)).astype(dtype)
        got, want = np.full((total, n), np.nan, out), np.full((total, n), np.nan)
        bound = np.zeros_like(want)
        for g, (i, j) in enumerate(spans):
            if i == j:
                b[g] = np.nan  # of nobody
            want[i:j], bound[i:j] = f(a[i:j]) @ f(b[g]), abs(f(a[i:j])) @ abs(f(b[g]))
        view = b.swapaxes(1, 2)
        assert hopper_grouped.fits_rows(a, view, got)
        hopper_grouped.launch(a, view, ends, got, "sm_90a", tile, units, **options)
    rounding = {np.float32: 0.0, np.float16: 2.0**-11, BF16: 2.0**-8}[out]
    return f(got), want, 2e-6 * bound + rounding * abs(np.nan_to_num(want))


def right(got, want, error):
    with np.errstate(invalid="ignore"):
        close = np.abs(got - want) <= error
    return bool((close | (np.isnan(got) & np.isnan(want))).all())


CASES = [
    # sizes, depth, m, n, k, dtype, out, tile
    ((5, 0, 66, 1, 128), True, 72, 136, 0, BF16, np.float32, SMALL),
    ((64, 0, 0, 130), True, 136, 72, 0, np.float16, np.float16, GemmTile(128, 64, 3)),
    ((0, 3, 70), True, 64, 128, 0, BF16, BF16, GemmTile(64, 128, 3, pingpong=True)),
    ((5, 0, 66, 1), False, 0, 136, 72, BF16, np.float32, SMALL),
    ((130, 0, 64), False, 0, 72, 128, np.float16, np.float16, GemmTile(128, 64, 3)),
    ((1, 200, 0, 3), False, 0, 264, 200, BF16, BF16, GemmTile(128, 128, 2)),
]


@pytest.mark.parametrize("sizes,depth,m,n,k,dtype,out,tile", CASES)
def test_on_the_cpu(sizes, depth, m, n, k, dtype, out, tile):
    assert right(*drawn(sizes, depth, m, n, k, dtype, out, tile))


@pytest.mark.parametrize("sizes,depth,m,n,k,dtype,out,tile", CASES[::3])
def test_on_the_reference(sizes, depth, m, n, k, dtype, out, tile, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    assert right(*drawn(sizes, depth, m, n, k, dtype, out, tile, backend="reference"))


@pytest.mark.parametrize("sizes,depth,m,n,k,dtype,out,tile", [CASES[0], CASES[2], CASES[3]])
def test_in_executed_ptx(sizes, depth, m, n, k, dtype, out, tile, monkeypatch):
    """With checks of races and of memory that nothing wrote."""
    monkeypatch.setenv("AVE_CHECK", "all")
    with on(Engine(engines.PTX, "sm_90a")) as said:
        assert right(*drawn(sizes, depth, m, n, k, dtype, out, tile))
    assert "X0" not in said.getvalue()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("depth", [True, False])
def test_drawn_sizes_in_executed_ptx(depth, seed):
    rng = np.random.default_rng((seed, depth))
    sizes = [int(rng.choice((0, 1, 3, 63, 64, 65, 100, 129))) for _ in range(int(rng.integers(1, 5)))]
    m, n, k = (8 * int(x) for x in rng.integers(1, 18, 3))
    with on(Engine(engines.PTX, "sm_90a")):
        assert right(*drawn(sizes, depth, m, n, k, BF16, np.float32, SMALL, seed))


@pytest.mark.parametrize("depth", [True, False])
def test_a_mask_that_is_missing_is_found(depth, monkeypatch):
    """Zeros over what is another group's are what makes the products right."""
    hopper_grouped.build.cache_clear()
    monkeypatch.setattr(hopper_grouped, "clear_first", missing)
    case = CASES[0 if depth else 3]
    try:
        assert not right(*drawn(*case))
    finally:
        hopper_grouped.build.cache_clear()


@avelang.jit
def missing(G, operands, stage, count, consumer, t):
    """Leaves a stage as it came."""


def test_clusters_are_refused():
    with pytest.raises(AveError, match="no clusters"):
        drawn((70, 3), True, 64, 64, 0, BF16, np.float32, SMALL._replace(cluster_m=2))


def test_the_same_bits_twice_and_in_any_order():
    case = ((70, 3, 128), True, 64, 64, 0, BF16, np.float32, SMALL)
    assert (drawn(*case, units=1)[0] == drawn(*case, units=3)[0]).all()


@pytest.mark.parametrize("depth", [True, False])
@pytest.mark.parametrize("dtype,out", [(al.bf16, al.bf16), (al.f16, al.f32)])
def test_nothing_is_spilled(depth, dtype, out):
    need("ptxas")
    for m, n, E in ((4096, 4096, 8), (1024, 128, 256), (256 if depth else 4096, 64, 64)):
        tile = hopper_grouped.plan(depth, m, n, 4096, E, out.bytes).tile
        assert not tile.fault(out.bytes, depth, True)
        found = hopper_grouped.build(tile, dtype, out, depth).report("sm_90a", (threads(tile), 1, 1), E=E)
        assert found.stored == found.loaded == 0
