"""Losses and gradients of rows that a cluster of Hopper's holds, against float64: parts of unequal length, classes in
each of them, rows that are ignored, and no race."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tests.ops import rows_reference as reference

from avelang_kernels.loss import hopper_cross_entropy, launches
from avelang_kernels.loss.hopper_cross_entropy import plan_clusters

BF16, F16, F32 = (np.dtype(t) for t in (ml_dtypes.bfloat16, np.float16, np.float32))


def losses(rows: int, n: int, dtype: Any, gap: int = 0, *, far: float = 0.0, backend: str = "cpu", **said: Any) -> None:
    """Of random logits, `far` from 0, whose gradients take their place; the first class and the last one are among the classes."""
    rng = np.random.default_rng(rows)
    whole = (rng.standard_normal((rows, n + gap)) * 3 + far).astype(dtype)
    x, target = whole[:, :n], rng.integers(0, n, rows)
    target[:3] = 0, n - 1, -100
    want, grad = reference.losses(x, target, -100, *(said.get(k, 0.0) for k in ("smoothing", "z", "cap")))
    beside, scale = whole[:, n:].copy(), np.full(1, 0.5, np.float32)
    found, lse = np.full(rows, np.nan, np.float32), np.full((rows, 2), np.nan, np.float32)
    launches.make_losses(x, target, found, lse, scale=scale, target="sm_90a", backend=backend, **said)
    np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-4)
    assert np.isfinite(lse).all() and not x[2].any()
    error = np.abs(x.astype(np.float64) - 0.5 * grad)
    assert (error <= 2.0 ** (-8 if dtype.itemsize == 2 else -20) * np.abs(grad) + (1e-5 if dtype.itemsize == 2 else 1e-6) * np.abs(grad).max()).all(), error.max()
    np.testing.assert_array_equal(whole[:, n:], beside)


@pytest.mark.parametrize(("rows", "n", "dtype", "more"), [
    (4, 40008, BF16, {"smoothing": 0.1, "z": 0.01}), (3, 16392, F16, {"gap": 8, "cap": 20.0}), (3, 128256, BF16, {}),
    (5, 9004, F32, {"gap": 4}), (4, 9004, F32, {"far": 1e5}),
])  # fmt: skip
def test_losses_and_gradients(rows: int, n: int, dtype: Any, more: dict[str, Any]) -> None:
    assert plan_clusters(n, 16 // dtype.itemsize, dtype.itemsize) is not None
    losses(rows, n, dtype, **more)


def test_what_clusters_hold() -> None:
    assert plan_clusters(128256, 8, 2)[1:] == (4, 4008)  # type: ignore
    assert plan_clusters(4096, 8, 2) is None and plan_clusters(128256, 4, 2) is None
    assert plan_clusters(1 << 20, 8, 2) is None  # longer than eight blocks hold


def test_no_race(monkeypatch: Any) -> None:
    monkeypatch.setenv("AVE_CHECK", "all")
    monkeypatch.setattr(hopper_cross_entropy, "PART", 2048)
    monkeypatch.setattr(hopper_cross_entropy, "LEAST", 1024)
    assert plan_clusters(2056, 8, 2)[1] == 4  # type: ignore
    losses(3, 2056, BF16, backend="reference")
