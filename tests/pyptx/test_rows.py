"""Kernels on rows, executed against NumPy in float64, and assembled."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from tests.pyptx import rows
from tests.pyptx.emitted import assemble

rng = np.random.default_rng(5)


@pytest.mark.parametrize("count, n, arch, version", [(3, 256, "sm_90a", None), (2, 512, "sm_100a", (8, 7))])
def test_rms_norm(count, n, arch, version):
    k = rows.rms_norm(count, n, arch=arch, version=version)
    x, w = rng.standard_normal((count, n)).astype(np.float32), rng.standard_normal(n).astype(np.float32)
    want = x / np.sqrt((x.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-6) * w
    assert np.allclose(k(x, w), want, rtol=1e-4, atol=1e-5)
    assemble(k)


def test_layer_norm():
    for shape in ((3, 96), (1, 32)):
        x = rng.standard_normal(shape).astype(np.float32)
        w, b = (rng.standard_normal(shape[1]).astype(np.float32) for _ in range(2))
        y, mean, rstd = rows.layer_norm(x, w, b)
        exact = x.astype(np.float64)
        assert np.allclose(mean, exact.mean(1), atol=1e-5) and np.allclose(
            rstd, 1 / np.sqrt(exact.var(1) + 1e-5), rtol=1e-3
        )
        want = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + 1e-5) * w + b
        assert np.allclose(y, want, rtol=1e-3, atol=1e-4)
    assemble(rows.layer_norm, B=3, N=96)
    other = rows.layer_norm(x, w, b, eps=1.0)[2]
    assert np.allclose(other, 1 / np.sqrt(x.astype(np.float64).var(1) + 1.0), rtol=1e-3)


@pytest.mark.parametrize("n", [7, 70])
def test_softmax(n):
    x = rng.standard_normal((4, n)).astype(np.float32) * 3
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    assert np.allclose(rows.softmax(x), e / e.sum(1, keepdims=True), rtol=1e-4, atol=1e-6)
    assemble(rows.softmax, B=4, N=n)


def test_swiglu_with_raw_parameters():
    g, u = (rng.standard_normal((5, 30)).astype(ml_dtypes.bfloat16) for _ in range(2))
    x = np.minimum(g.astype(np.float64), 1.0)
    want = x / (1 + np.exp(-x)) * u.astype(np.float64)
    assert np.allclose(rows.swiglu(g, u, count=150, limit=1.0).astype(np.float64), want, rtol=1e-2, atol=1e-2)
    with pytest.raises(TypeError, match="limit"):
        rows.swiglu(g, u, count=150)
    assemble(rows.swiglu, M=5, N=30)


@pytest.mark.parametrize("dynamic", [False, True])
def test_elements_of_a_tile(dynamic):
    x = rng.integers(0, 1 << 31, (32, 32), np.int32)
    k = rows.transpose(dynamic)
    assert (k(x) == x.T).all() and ("dyn_smem" in k.ptx()) == dynamic
    assemble(k)


@pytest.mark.parametrize("trips", [2, 3, 8])
def test_a_ring_of_stages(trips):
    x = rng.standard_normal((trips, 64)).astype(np.float32)
    assert np.allclose(rows.column_sums(x), x.sum(0), atol=1e-4)
    assemble(rows.column_sums, K=trips)
