"""Triton's side of `cuda_compile.py`: C = A @ B^T by tiles, edges masked, as `mma_gemm.py` has it. Imports Triton."""

import triton
import triton.language as tl


@triton.jit
def gemm(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, NEW: tl.constexpr):
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    cols = tl.program_id(0) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a = a_ptr + (rows % m)[:, None] * k + depth[None, :]
    b = b_ptr + (cols % n)[None, :] * k + depth[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(tl.cdiv(k, BK)):
        left = k - step * BK
        acc = tl.dot(tl.load(a, mask=depth[None, :] < left, other=0.0),
                     tl.load(b, mask=depth[:, None] < left, other=0.0), acc)
        a += BK
        b += BK
    c = c_ptr + rows[:, None] * n + cols[None, :]
    tl.store(c, acc, mask=(rows[:, None] < m) & (cols[None, :] < n))
