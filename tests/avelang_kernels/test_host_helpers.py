"""Kernels beside products and attention: ends of products, gradients of sinks, the order of experts; drawn, against
NumPy, in the reference with races looked for, and on the CPU."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from avelang_kernels.attention import sinks
from avelang_kernels.matmul import finish
from avelang_kernels.moe import ordering

BF16 = ml_dtypes.bfloat16
ENDS = {
    None: lambda x: x, "relu": lambda x: np.maximum(x, 0), "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2,
    "gelu_tanh": lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
}  # fmt: skip


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("activation", ENDS)
def test_ends_of_products(activation, backend, monkeypatch):
    if backend == "reference":
        monkeypatch.setenv("AVE_CHECK", "races")
    rng = np.random.default_rng(len(str(activation)))
    for m, n, to, of_bias in ((3, 5, np.float32, None), (2, 1030, BF16, np.float32), (4, 33, np.float16, np.float16)):
        z = (3 * rng.standard_normal((m, n))).astype(np.float32)
        bias = None if of_bias is None else rng.standard_normal(2 * n).astype(of_bias)[::2]
        for turned in (False, True):
            whole = np.full((2 * n, 2 * m) if turned else (2 * m, 2 * n), np.nan, to)
            out = whole.T[:m, :n] if turned else whole[:m, :n]
            finish.launch(z, out, bias, activation, backend=backend)
            want = ENDS[activation](z.astype(float) + (0 if bias is None else bias.astype(float)))
            assert np.allclose(out.astype(float), want, rtol=0.01 if to == BF16 else 2e-3, atol=1e-5)
            assert np.isnan(whole.astype(float)).sum() == 3 * m * n


@pytest.mark.parametrize("seed", range(8))
def test_gradients_of_sinks(seed):
    rng = np.random.default_rng(seed)
    packed, given = bool(seed & 1), bool(seed & 2)
    batch, heads, queries, d = 1 if packed else rng.integers(1, 4), rng.integers(1, 5), rng.integers(0, 70), rng.integers(1, 90)
    dtype = (BF16, np.float32)[seed % 3 > 0]
    out, grad = (rng.standard_normal((batch, queries, heads, d)).astype(dtype).swapaxes(1, 2) for _ in range(2))
    lse, glse = (rng.standard_normal((batch, heads, queries)).astype(np.float32) for _ in range(2))
    lse[rng.random(lse.shape) < 0.1] = -np.inf
    sink = rng.standard_normal(heads).astype(np.float32)
    sink[0] = -np.inf if seed == 5 else sink[0]
    made = np.full(heads, np.nan, np.float32)
    with np.errstate(all="ignore"):
        share = np.where(np.isneginf(lse), 0, np.exp(sink[:, None].astype(float) - lse))
    dot = (out.astype(float) * grad.astype(float)).sum(-1) - (glse if given else 0)
    shown = [x[0].swapaxes(0, 1) for x in (out, grad)] if packed else [out, grad]
    logs = [x[0] if packed else x for x in (lse, glse)]
    sinks.launch(sink, *shown, logs[0], logs[1] if given else None, made, packed, backend="cpu")
    assert np.allclose(made, -(share * dot).sum((0, 2)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_the_order_of_experts(backend, monkeypatch):
    if backend == "reference":
        monkeypatch.setenv("AVE_CHECK", "races")
    rng = np.random.default_rng(7)
    for tokens, k, experts, dtype in ((0, 2, 3, np.int32), (5, 2, 4, np.int64), (400, 2, 5, np.int32), (37, 3, 1, np.int32)):
        ids = rng.integers(-2, experts + 2, (tokens, 2 * k)).astype(dtype)[:, ::2]
        order, ends, places = np.full(tokens * k, -9, np.int32), np.full(experts, -9, np.int32), np.full((tokens, k), -9, np.int32)
        ordering.launch(ids, order, ends, places, backend=backend)
        flat = np.where((ids < 0) | (ids >= experts), experts, ids).ravel()
        want = np.argsort(flat, kind="stable")
        assert np.array_equal(order, want) and np.array_equal(places.ravel()[want], np.arange(tokens * k))
        assert np.array_equal(ends, np.searchsorted(flat[want], np.arange(experts), side="right"))
