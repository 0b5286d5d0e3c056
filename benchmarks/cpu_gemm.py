"""The tutorial's runtime-shape MFMA kernel on the CPU, beside torch's BLAS and Triton's interpreter, in one interleaved run.

    python benchmarks/cpu_gemm.py [--size 1024] [--rounds 7]

Needs torch for the BLAS column and triton for the interpreter column; a missing one is reported and left out. The interpreter is so slow
that it runs a smaller cube (--interpreted, 256); rates are compared, not times. Every element is checked in the same run
against float64 on fresh random inputs with a poisoned output.
"""

from __future__ import annotations

import argparse
import os
import sys

os.environ.setdefault("TRITON_INTERPRET", "1")

import numpy as np
from common import bf16_matrix, interleaved, median, save, table
from kernels import gemm

# Tiles (rows and columns, depth) for Triton's interpreter: ours, the common one, and a large one, which suits it: fewer Python steps.
TRITON = {"triton 32x32x16": (32, 16), "triton 64x64x32": (64, 32), "triton 128x128x64": (128, 64)}


def triton_contender(size: int, tile: int, depth: int, rng: np.random.Generator):
    """Triton's interpreter on a tiled kernel with bf16 inputs and f32 sums; None where triton is missing."""
    try:
        import torch
        import triton
        import triton.language as tl
    except ImportError:
        return None

    @triton.jit
    def kernel(a_ptr, b_ptr, c_ptr, M, N, K, TILE: tl.constexpr, TILE_K: tl.constexpr):
        rows = tl.program_id(1) * TILE + tl.arange(0, TILE)
        cols = tl.program_id(0) * TILE + tl.arange(0, TILE)
        ks = tl.arange(0, TILE_K)
        acc = tl.zeros((TILE, TILE), dtype=tl.float32)
        for k in range(0, K, TILE_K):
            a = tl.load(a_ptr + rows[:, None] * K + k + ks[None, :])
            b = tl.load(b_ptr + cols[None, :] * K + k + ks[:, None])
            # The interpreter's dot takes the bits of bf16 for integers; in f32 it is right.
            acc += tl.dot(a.to(tl.float32), b.to(tl.float32))
        tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc)

    a, b = (torch.from_numpy(bf16_matrix(size, size, rng).astype(np.float32)).bfloat16() for _ in range(2))
    c = torch.full((size, size), float("nan"))

    def call():
        kernel[(size // tile, size // tile)](a, b, c, size, size, size, TILE=tile, TILE_K=depth)

    call()
    np.testing.assert_allclose(c.numpy(), a.double().numpy() @ b.double().numpy().T, rtol=1e-2, atol=1e-2)
    return call


def blas_contender(a: np.ndarray, b: np.ndarray):
    """torch's float32 product (its BLAS); None where torch is missing."""
    try:
        import torch
    except ImportError:
        return None
    x, y = torch.from_numpy(a.astype(np.float32)), torch.from_numpy(b.astype(np.float32)).T
    out = torch.empty(x.shape[0], y.shape[1])
    return lambda: torch.mm(x, y, out=out)


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--size", type=int, default=1024)
    p.add_argument("--interpreted", type=int, default=256, help="cube for Triton's interpreter")
    p.add_argument("--rounds", type=int, default=5)
    args = p.parse_args()
    rng = np.random.default_rng()
    size = args.size
    a, b = bf16_matrix(size, size, rng), bf16_matrix(size, size, rng)
    c = np.full((size, size), np.nan, np.float32)
    launch = gemm[lambda: ((size // 32, size // 32, 1), (64, 1, 1))]
    contenders = {"ave": lambda: launch(a, b, c, size, size, size, 32, 32, 16)}
    peers = {"blas": blas_contender(a, b)} | {name: triton_contender(args.interpreted, *tile, rng) for name, tile in TRITON.items()}
    flops = {name: 2 * (args.interpreted if name in TRITON else size) ** 3 for name in ("ave", *peers)}
    for name, call in peers.items():
        if call is None:
            print(f"{name}: not installed, left out")
        else:
            contenders[name] = call
    times = interleaved(contenders, args.rounds)
    want = a.astype(np.float64) @ b.astype(np.float64).T
    worst = float(np.max(np.abs(c - want)))
    # 1024 products of unit normals: the sum has a standard deviation of 32; f32 sums of 1024 terms are off by some 1e-4 of it at the most.
    if not worst <= 1e-4 * size:
        print(f"WRONG: largest error {worst}")
        return 1
    rate = {name: flops[name] / median(t) / 1e9 for name, t in times.items()}
    shown = [("", "cube", "median", "GFLOP/s", "ave is")]
    for name, r in rate.items():
        cube = args.interpreted if name in TRITON else size
        shown.append((name, f"{cube}^3", f"{median(times[name]) * 1e3:.2f} ms", f"{r:.3f}", f"{rate['ave'] / r:.3g} x"))
    print(table(shown))
    print(f"largest error against float64: {worst:.2e}")
    print("saved", save("cpu_gemm", {"size": size, "interpreted": args.interpreted, "rounds": args.rounds, "gflops": rate,
                                     "ratio": {n: rate["ave"] / r for n, r in rate.items()}, "largest_error": worst,
                                     "seconds": times}))  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
