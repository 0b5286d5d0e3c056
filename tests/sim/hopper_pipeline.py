"""A kernel with all of Hopper's ways to wait: a ring filled by multicast copies for a cluster of two, products two deep, and copies that store the result
while the next tile is under way. For the checks of the reference; no `from __future__ import annotations`: the annotations name globals."""

from typing import Any

import ml_dtypes
import numpy as np

import avelang
import avelang.language as al

BM, BN, BK, STAGES, STEPS, TILES, CLUSTER = 64, 64, 64, 2, 3, 2, 2
CONSUMERS, THREADS = 128, 160


@avelang.jit
def pipeline(
    A: al.TensorMap(al.bf16, 2, (BM, BK), swizzle=128),
    B: al.TensorMap(al.bf16, 2, (BN // CLUSTER, BK), swizzle=128),
    C: al.TensorMap(al.f32, 2, (BM, BN)),
):
    """C = A @ B^T: the blocks of a cluster make tiles below one another, one warp brings and four multiply."""
    t = al.thread_id(0)
    rank = al.nvvm.cluster_rank()
    a, b = al.make_shared((STAGES, BM * BK), al.bf16, 1024), al.make_shared((STAGES, BN * BK), al.bf16, 1024)
    c = al.make_shared((BM, BN), al.f32, 128)
    full, empty = al.make_shared((STAGES, 1), al.u64), al.make_shared((STAGES, 1), al.u64)
    if t == 0:
        for i in range(STAGES):
            al.nvvm.mbarrier_init(full[i], 1)
            al.nvvm.mbarrier_init(empty[i], CLUSTER)
        al.nvvm.fence_mbarrier_init()
    al.nvvm.cluster_arrive(1)
    al.nvvm.cluster_wait()
    if t == CONSUMERS:
        for i in al.range(TILES * STEPS):
            s = i % STAGES
            al.nvvm.mbarrier_wait(empty[s], (i // STAGES & 1) ^ 1)
            al.nvvm.mbarrier_arrive_expect_tx(full[s], (BM + BN) * BK * 2)
            al.nvvm.tma_load_2d(a[s], A, rank * BM, i % STEPS * BK, full[s])
            half = al.subview(b, (s, rank * (BN // CLUSTER) * BK), (1, BN // CLUSTER * BK), (1, 1))
            row = al.convert(i // STEPS * BN, al.u32) + rank * (BN // CLUSTER)
            al.nvvm.tma_load_2d_multicast(half, B, row, i % STEPS * BK, full[s], 3)
    if t < CONSUMERS:
        lane = t % 32
        acc = al.full((BN // 2,), 0.0, al.f32)
        for i in al.range(TILES * STEPS):
            s = i % STAGES
            al.nvvm.mbarrier_wait(full[s], i // STAGES & 1)
            da, db = al.nvvm.wgmma_descriptor(a[s]), al.nvvm.wgmma_descriptor(b[s])
            acc = al.nvvm.wgmma_fence_acc(acc)
            for j in range(BK // 16):
                acc = al.nvvm.wgmma_bf16_f32(da + 2 * j, db + 2 * j, acc, 0 if j == 0 and i % STEPS == 0 else 1)
            al.nvvm.wgmma_commit_group()
            if i % STEPS > 0:
                acc = al.nvvm.wgmma_wait_acc(acc, 1)
                if t < CLUSTER:
                    al.nvvm.mbarrier_arrive_cluster(empty[(i + STAGES - 1) % STAGES], t, 1)
            if i % STEPS == STEPS - 1:
                acc = al.nvvm.wgmma_wait_acc(acc, 0)
                if t < CLUSTER:
                    al.nvvm.mbarrier_arrive_cluster(empty[s], t, 1)
                if t == 0:
                    al.nvvm.cp_async_bulk_wait_group_read(0)
                al.nvvm.barrier_sync(1, CONSUMERS)
                for j in range(BN // 2):
                    c[t // 32 * 16 + lane // 4 + 8 * (j // 2 % 2), 2 * (lane % 4) + 8 * (j // 4) + j % 2] = acc[j]
                al.nvvm.fence_proxy_async_shared()
                al.nvvm.barrier_sync(1, CONSUMERS)
                if t == 0:
                    al.nvvm.tma_store_2d(C, rank * BM, i // STEPS * BN, c)
                    al.nvvm.cp_async_bulk_commit_group()
        if t == 0:
            al.nvvm.cp_async_bulk_wait_group(0)
    al.nvvm.cluster_arrive(1)
    al.nvvm.cluster_wait()


def arguments() -> tuple[list[Any], np.ndarray]:
    """Arguments, and what C must be: whole numbers, so that sums are exact."""
    rng = np.random.default_rng(11)
    a, b = (rng.integers(-3, 4, s).astype(ml_dtypes.bfloat16) for s in ((CLUSTER * BM, STEPS * BK), (TILES * BN, STEPS * BK)))
    return [a, b, np.full((CLUSTER * BM, TILES * BN), np.nan, np.float32)], a.astype(np.float32) @ b.astype(np.float32).T
