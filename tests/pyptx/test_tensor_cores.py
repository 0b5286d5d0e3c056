"""Products on tensor cores, executed against NumPy and assembled."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from tests.pyptx import tensor_cores
from tests.pyptx.emitted import assemble

rng = np.random.default_rng(9)


def operands(m, n, k):
    a, b = (rng.standard_normal((x, k)).astype(ml_dtypes.bfloat16) for x in (m, n))
    return a, b, a.astype(np.float64) @ b.astype(np.float64).T


def test_hopper_with_clusters():
    a, b, want = operands(128, 64, 192)
    k = tensor_cores.hopper(128, 64, 192)
    assert np.allclose(k(a, b).astype(np.float64), want, rtol=2e-2, atol=0.1)
    assert ".multicast::cluster" in k.ptx() and k._last_trace_smem == 0
    assemble(k)


def test_blackwell():
    a, b, want = operands(128, 32, 128)
    k = tensor_cores.blackwell(32, 128)
    assert np.allclose(k(a, b), want, rtol=1e-3, atol=1e-3)
    assemble(k)
