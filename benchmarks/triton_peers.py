"""The peer in Triton: C = A @ B^T in bf16 by `tl.dot`, tuned for each shape by Triton's own autotuner: large products,
and those of few rows."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl


def _config(m: int, n: int, k: int, warps: int, stages: int, **more: int) -> Any:
    return triton.Config({"BM": m, "BN": n, "BK": k, **more}, num_warps=warps, num_stages=stages)


LARGE = [
    _config(128, 256, 64, 8, 3), _config(128, 256, 64, 8, 4), _config(128, 128, 64, 4, 4), _config(128, 128, 64, 8, 4),
    _config(64, 128, 64, 4, 5),
    _config(64, 64, 64, 4, 5),
]  # fmt: skip
FEW = [_config(16, n, k, 4, stages) for n in (16, 32, 64) for k, stages in ((128, 4), (256, 4), (512, 3))]
FEW_SPLIT = [_config(16, n, k, 4, stages) for n in (16, 32, 64) for k, stages in ((128, 4), (256, 4))]


@triton.autotune(LARGE, key=["M", "N", "K"])
@triton.jit
def _large(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr = 8):
    pid = tl.program_id(0)
    rows, cols = tl.cdiv(M, BM), tl.cdiv(N, BN)
    first = pid // (GROUP * cols) * GROUP
    height = min(rows - first, GROUP)
    row, col = first + pid % (GROUP * cols) % height, pid % (GROUP * cols) // height
    m, n, k = (row * BM + tl.arange(0, BM)) % M, (col * BN + tl.arange(0, BN)) % N, tl.arange(0, BK)
    a, b = a_ptr + m[:, None] * K + k[None, :], b_ptr + n[None, :] * K + k[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(a, mask=k[None, :] < K - i * BK, other=0.0),
                     tl.load(b, mask=k[:, None] < K - i * BK, other=0.0), acc)
        a += BK
        b += BK
    m, n = row * BM + tl.arange(0, BM), col * BN + tl.arange(0, BN)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.bfloat16), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def _few(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    col, part, row = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    m, n, k = row * BM + tl.arange(0, BM), col * BN + tl.arange(0, BN), part * BK + tl.arange(0, BK)
    a, b = a_ptr + m[:, None] * K + k[None, :], b_ptr + n[None, :] * K + k[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(K // (BK * SPLIT)):
        acc = tl.dot(tl.load(a, mask=m[:, None] < M, other=0.0), tl.load(b, mask=n[None, :] < N, other=0.0), acc)
        a += BK * SPLIT
        b += BK * SPLIT
    at = c_ptr + m[:, None] * N + n[None, :]
    inside = (m[:, None] < M) & (n[None, :] < N)
    if SPLIT == 1:
        tl.store(at, acc.to(c_ptr.dtype.element_ty), mask=inside)
    else:
        tl.atomic_add(at, acc, mask=inside)


_whole = triton.autotune(FEW, key=["M", "N", "K"])(_few)
_split = triton.autotune(FEW_SPLIT, key=["M", "N", "K"], reset_to_zero=["c_ptr"])(_few)


def gemm(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """out = a @ b^T, all bf16."""
    (m, k), n = a.shape, b.shape[0]
    _large[lambda c: (triton.cdiv(m, c["BM"]) * triton.cdiv(n, c["BN"]),)](a, b, out, m, n, k)


def skinny(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor, sums: torch.Tensor | None = None) -> None:
    """The same for few rows. With `sums` (f32), K is split in four parts, added there by atomics, and rounded
    afterwards. K is a multiple of 2048."""
    (m, k), n = a.shape, b.shape[0]
    split = 1 if sums is None else 4
    to = out if sums is None else sums.zero_()
    (_whole if sums is None else _split)[lambda c: (triton.cdiv(n, c["BN"]), split, triton.cdiv(m, c["BM"]))](a, b, to,
            m, n, k, SPLIT=split)
    if sums is not None:
        out.copy_(sums)
