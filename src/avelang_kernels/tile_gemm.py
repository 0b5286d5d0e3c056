"""C = A @ B^T on the tile level."""

from __future__ import annotations

import avelang
import avelang.language as al
from avelang.tile import block_gemm, schedules, windows


@avelang.jit
def gemm(
    a: al.Pointer(al.bf16),  # type: ignore
    b: al.Pointer(al.bf16),  # type: ignore
    c: al.Pointer(al.f32),  # type: ignore
    m: al.u32,
    n: al.u32,
    k: al.u32,
    T: al.constexpr,
    PIPELINE: al.constexpr,
    EACH: al.constexpr = 8,
    WIDE: al.constexpr = 4,
):
    M, N, K, W = T
    G = block_gemm.block_gemm(al.target(), al.bf16, M, N, K, W)
    top, left = al.block_id(1) * M, al.block_id(0) * N
    A = windows.view(a, (m, k), vector=EACH).window((M, K), (top, 0))
    B = windows.view(b, (n, k), vector=EACH).window((N, K), (left, 0))
    sums = schedules.run(PIPELINE, G, A, B, k)
    windows.view(c, (m, n), vector=WIDE).window((M, N), (top, left)).store(sums)
