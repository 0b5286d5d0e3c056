"""Kernels whose blocks work together, with arguments and what must come out, computed here in NumPy; `hopper_kernels` has the simpler ones.

They run on the reference, on the CPU and, by `tests/gpu/nvptx_check.py`, on a GPU. No `from __future__ import annotations`: the annotations name
variables around the functions.
"""

from collections.abc import Iterator

import ml_dtypes
import numpy as np

import avelang
import avelang.language as al
from isa.hopper_kernels import Trial

ROUNDS = 3


@avelang.jit
def _rounds(A: al.Tensor((16, 64), al.i32), B: al.Tensor((16, 64), al.i32)):
    """Each lane reads from a block of its own, again and again; warp 1 only helps its block, and leaves before the others meet for the last time."""
    t = al.thread_id(0)
    block = al.block_id(0) + 4 * al.block_id(1)
    there = (al.nvvm.cluster_rank() + t % 4) % al.nvvm.cluster_size()
    s = al.make_shared((64,), al.i32, 16)
    sums = al.make_shared((64,), al.i32, 16)
    s[t] = A[block, t]
    sums[t] = 0
    for i in al.range(ROUNDS):
        al.nvvm.cluster_arrive()
        al.nvvm.cluster_wait()
        got = al.nvvm.ld_cluster_x1(al.subview(s, (t ^ 1,), (1,), (1,)), there)
        al.nvvm.cluster_arrive()
        # What stands between the two halves of the barrier concerns the own block only.
        sums[t ^ 32] = sums[t ^ 32] + got
        al.syncthreads()
        al.nvvm.cluster_wait()
        s[t] = sums[t] + got
        al.nvvm.barrier_sync(1, 64)
    B[block, t] = s[t]
    if t < 32:
        al.nvvm.cluster_arrive()
        al.nvvm.cluster_wait()
        B[block, t] = B[block, t] + 1


def _rounds_in_numpy(a: np.ndarray) -> np.ndarray:
    t = np.arange(64)
    # Clusters of (2, 2, 1) in a grid of (4, 4, 1): [cluster y, cluster x, rank, thread].
    s = a.reshape(2, 2, 2, 2, 64).transpose(0, 2, 1, 3, 4).reshape(2, 2, 4, 64)
    sums = np.zeros_like(s)
    for _ in range(ROUNDS):
        got = s[:, :, (np.arange(4)[:, None] + t % 4) % 4, t ^ 1]
        sums[..., t ^ 32] += got
        s = sums + got
    s[..., :32] += 1
    return s.reshape(2, 2, 2, 2, 64).transpose(0, 2, 1, 3, 4).reshape(16, 64)


@avelang.jit
def _mailbox(A: al.Tensor((8, 6, 32), al.i32), B: al.Tensor((8, 6, 32), al.i32)):
    """Rank 0 hands out work to the others, through a slot that each of them gives back; clusters lie along z."""
    t = al.thread_id(0)
    z, rank, size = al.block_id(2), al.nvvm.cluster_rank(), al.nvvm.cluster_size()
    slot = al.make_shared((32,), al.i32, 16)
    full = al.make_shared((1,), al.u64)
    empty = al.make_shared((4, 1), al.u64)
    if t == 0:
        al.nvvm.mbarrier_init(full, 1)
        for i in range(4):
            al.nvvm.mbarrier_init(empty[i], 32)
        al.nvvm.fence_mbarrier_init()
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()
    place = al.subview(slot, (t,), (1,), (1,))
    if rank == 0:
        for i in al.range(6):
            for to in al.range(1, size):
                al.nvvm.mbarrier_wait(empty[to], (i & 1) ^ 1)
                al.nvvm.st_async_x1(place, to, A[z, i, t] * al.convert(to, al.i32), full)
    else:
        for i in al.range(6):
            if t == 0:
                al.nvvm.mbarrier_arrive_expect_tx(full, 128)
            al.nvvm.mbarrier_wait(full, i & 1)
            B[z, i, t] = slot[t ^ 1]
            al.nvvm.mbarrier_arrive_cluster(empty[rank], 0)
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()


# -- a product ---------------------------------------------------------------------------------------------------------------------------------

M, N, K = 200, 136, 176
TM, TN, TK, RING = 64, 64, 64, 2
PAIRS, COLUMNS, STEPS = -(-M // (2 * TM)), -(-N // TN), -(-K // TK)


@avelang.jit
def _multicast_gemm(
    A: al.TensorMap(al.bf16, 2, (TM, TK), swizzle=128), B: al.TensorMap(al.bf16, 2, (TN // 2, TK), swizzle=128), C: al.Tensor((M, N), al.f32),
):  # fmt: skip
    """C = A @ B^T: two blocks make tiles below one another, and each brings half of the tile of B for both. One producer warpgroup, one consumer."""
    t = al.thread_id(0)
    rank = al.nvvm.cluster_rank()
    a = al.make_shared((RING, TM * TK), al.bf16, 1024)
    b = al.make_shared((RING, TN * TK), al.bf16, 1024)
    full = al.make_shared((RING, 1), al.u64)
    empty = al.make_shared((RING, 1), al.u64)
    if t == 0:
        for i in range(RING):
            al.nvvm.mbarrier_init(full[i], 1)
            # A stage is free when the consumers of both blocks are through with it: what comes next is written into both.
            al.nvvm.mbarrier_init(empty[i], 2)
        al.nvvm.fence_mbarrier_init()
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()
    n = 0
    if t < 128:
        al.nvvm.setmaxnreg_dec(40)
        if t == 0:
            for tile in al.range(al.nvvm.cluster_id(0), PAIRS * COLUMNS, al.nvvm.cluster_count(0)):
                row = al.convert(tile // COLUMNS * 2 + rank, al.i32) * TM
                col = al.convert(tile % COLUMNS * 2 + rank, al.i32) * (TN // 2)
                for k in al.range(STEPS):
                    s = n % RING
                    al.nvvm.mbarrier_wait(empty[s], (n // RING & 1) ^ 1)
                    al.nvvm.mbarrier_arrive_expect_tx(full[s], (TM + TN) * TK * 2)
                    al.nvvm.tma_load_2d(a[s], A, row, k * TK, full[s])
                    half = al.subview(b, (s, rank * (TN // 2 * TK)), (1, TN // 2 * TK), (1, 1))
                    al.nvvm.tma_load_2d_multicast(half, B, col, k * TK, full[s], 3)
                    n = n + 1
    else:
        al.nvvm.setmaxnreg_inc(232)
        lane = t % 32
        for tile in al.range(al.nvvm.cluster_id(0), PAIRS * COLUMNS, al.nvvm.cluster_count(0)):
            acc = al.full((TN // 2,), 0.0, al.f32)
            for k in al.range(STEPS):
                s = n % RING
                al.nvvm.mbarrier_wait(full[s], n // RING & 1)
                da, db = al.nvvm.wgmma_descriptor(a[s]), al.nvvm.wgmma_descriptor(b[s])
                acc = al.nvvm.wgmma_fence_acc(acc)
                for i in range(TK // 16):
                    acc = al.nvvm.wgmma_bf16_f32(da + 2 * i, db + 2 * i, acc)
                al.nvvm.wgmma_commit_group()
                acc = al.nvvm.wgmma_wait_acc(acc, 0)
                if t % 128 < 2:
                    al.nvvm.mbarrier_arrive_cluster(empty[s], t % 128)
                n = n + 1
            top = (tile // COLUMNS * 2 + rank) * TM + t % 128 // 32 * 16 + lane // 4
            left = tile % COLUMNS * TN + 2 * (lane % 4)
            for i in range(TN // 2):
                row, col = top + 8 * (i // 2 % 2), left + 8 * (i // 4) + i % 2
                if row < M and col < N:
                    C[row, col] = acc[i]
    # Nobody leaves while the other block still arrives at its barriers.
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()


def gemm() -> Trial:
    """Tiles for three rounds of two clusters, the last one of a single cluster; edges in every direction."""
    rng = np.random.default_rng(12)
    a, b = (rng.integers(-3, 4, s).astype(ml_dtypes.bfloat16) for s in ((M, K), (N, K)))
    want = a.astype(np.float32) @ b.astype(np.float32).T
    return Trial("multicast_gemm", _multicast_gemm, [a, b, np.full((M, N), np.nan, np.float32)], [a, b, want], (256, 1, 1), (4, 1, 1), (2, 1, 1))


def trials() -> Iterator[Trial]:
    """All of them."""
    rng = np.random.default_rng(11)
    a = rng.integers(-100, 100, (16, 64)).astype(np.int32)
    yield Trial("cluster_rounds", _rounds, [a, np.zeros_like(a)], [a, _rounds_in_numpy(a)], (64, 1, 1), (4, 4, 1), (2, 2, 1), "sm_90")
    a = rng.integers(-100, 100, (8, 6, 32)).astype(np.int32)
    # Rank r of the cluster whose first block is z has r times A[z]; rank 0 gets nothing.
    want = np.repeat(a[::4], 4, 0)[:, :, np.arange(32) ^ 1] * (np.arange(8) % 4)[:, None, None].astype(np.int32)
    yield Trial("cluster_mailbox", _mailbox, [a, np.zeros_like(a)], [a, want], grid=(1, 1, 8), cluster=(1, 1, 4), chip="sm_90")
    yield gemm()
