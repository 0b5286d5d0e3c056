"""Epilogues with bias and activation against NumPy: sums of a warp-specialized product that TMA stores, and sums of a
wave that AMD's buffer stores write."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.pipelines.epilogue import BufferEpilogue, TmaEpilogue, staging
from avelang.pipelines.ring import cluster_sync, mbarrier_ring
from avelang.pipelines.scheduler import TileScheduler
from avelang.pipelines.warp_specialized import PATTERN, ROWS, WarpSpecialized, run

bf16 = ml_dtypes.bfloat16
G = WarpSpecialized(64, 64, 2, al.bf16)


@avelang.jit
def relu(x):
    """max(x, 0)."""
    return al.max(x, 0.0)


def product(out, activation):
    """A product with a bias, and an activation that may be None; C is of `out`."""

    @avelang.jit
    def kernel(
        A: al.TensorMap(al.bf16, 2, (64, 64), swizzle=PATTERN),  # type: ignore
        B: al.TensorMap(al.bf16, 2, (64, 64), swizzle=PATTERN),  # type: ignore
        C: al.TensorMap(out, 2, (ROWS, PATTERN // out.bytes), swizzle=PATTERN),  # type: ignore
        bias: al.Pointer(al.f32), m: al.u32, n: al.u32, k: al.u32,  # type: ignore
    ):  # fmt: skip
        a, b = al.make_shared((2, 64 * 64), al.bf16, 1024), al.make_shared((2, 64 * 64), al.bf16, 1024)
        added = al.make_tensor(bias, al.f32, al.make_layout((n,)))
        epilogue = TmaEpilogue(C, staging(1, 64, out), added, activation)
        ring = mbarrier_ring(2, 1)
        if al.thread_id(0) == 0:
            ring.init()
            al.nvvm.fence_mbarrier_init()
        cluster_sync(1)
        tiles = TileScheduler(m, n, k, 64, 64)
        run(G, A, B, a, b, ring, tiles, lambda: al.full((32,), 0.0, al.f32), al.nvvm.wgmma_bf16_f32, epilogue)

    return kernel


@pytest.mark.parametrize(("kind", "out"), [(np.float32, al.f32), (bf16, al.bf16)])
@pytest.mark.parametrize("activation", [None, relu])
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_bias_and_activation_of_sums_that_tma_stores(kind, out, activation, backend):
    rng = np.random.default_rng(3)
    m, n, k = 70, 88, 136
    a, b = (rng.integers(-3, 4, (rows, k)).astype(bf16) for rows in (m, n))
    bias, c = rng.integers(-9, 10, n).astype(np.float32), np.full((m, n), np.nan, kind)
    product(out, activation)[3, G.threads](a, b, c, bias, m, n, k, target="sm_90a", backend=backend)
    want = a.astype(np.float32) @ b.astype(np.float32).T + bias
    np.testing.assert_array_equal(c, (np.maximum(want, 0) if activation is not None else want).astype(kind))


@avelang.jit
def stored(
    c: al.Pointer(al.f32), bias: al.Pointer(al.f32), rows: al.u32, n: al.u32, WIDE: al.constexpr,  # type: ignore
    ACT: al.constexpr  # type: ignore
):  # fmt: skip
    """A wave's 32 x 32 of C: element e of lane l has 4 l + e - 128."""
    acc = al.make_local((2, 2, 4), al.f32)
    for i in range(2):
        for j in range(2):
            for e in range(4):
                acc[i, j, e] = al.convert(al.thread_id(0), al.f32) * 4.0 + (e - 128.0)
    C, added = al.make_tensor(c, al.f32, al.make_layout((rows, n))), al.make_tensor(bias, al.f32, al.make_layout((n,)))
    epilogue = BufferEpilogue(C, WIDE, added, relu if ACT else None)
    epilogue.store(acc, 0, 0)


@pytest.mark.parametrize("act", [False, True])
@pytest.mark.parametrize(("rows", "n", "wide"), [(32, 32, True), (21, 28, True), (21, 27, False)])
@pytest.mark.parametrize(
    "where", [{"target": "gfx942"}, {"target": "gfx942", "backend": "reference"}, {"backend": "gfx942-exec"}]
)
def test_bias_and_activation_of_sums_that_buffer_stores_write(act, rows, n, wide, where):
    bias, c = np.arange(n, dtype=np.float32) * 8, np.full((rows, n), np.nan, np.float32)
    stored[1, 64](c, bias, rows, n, wide, act, **where)
    row, col = np.indices((rows, n))
    want = (row % 16 + col % 16 // 4 * 16) * 4 + col % 4 - 128 + bias[col]
    np.testing.assert_array_equal(c, np.maximum(want, 0) if act else want)
