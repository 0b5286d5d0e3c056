"""The tutorial's runtime-shape MFMA kernel on the CPU, beside torch's BLAS and Triton's interpreter, in one interleaved
run.

    python benchmarks/cpu_gemm.py [--size 1024] [--rounds 7]

Needs torch for the BLAS column and triton for the interpreter column; a missing one is reported and left out. The
interpreter is so slow that it runs a smaller cube (--interpreted, 256); rates are compared, not times. Every element is
checked in the same run against float64 on fresh random inputs with a poisoned output."""

from __future__ import annotations

import argparse
import os
from typing import Any

os.environ.setdefault("TRITON_INTERPRET", "1")

import numpy as np
from harness import Part, bf16_matrix, exact_product, interleaved, main, medians, table, whole
from kernels import gemm

# Tiles (rows and columns, depth) for Triton's interpreter: ours, the common one, and a large one, which suits it: fewer
# Python steps.
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
    np.testing.assert_allclose(c.numpy(), exact_product(a.double().numpy(), b.double().numpy()), rtol=1e-2, atol=1e-2)
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


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Rates of all that is installed; the result is held against float64."""
    rng, size = np.random.default_rng(), args.size
    a, b = bf16_matrix(size, size, rng), bf16_matrix(size, size, rng)
    c = np.full((size, size), np.nan, np.float32)
    launch = gemm[lambda: ((size // 32, size // 32, 1), (64, 1, 1))]
    contenders = {"ave": lambda: launch(a, b, c, size, size, size, 32, 32, 16)}
    peers = {"blas": blas_contender(a, b)} | {name: triton_contender(args.interpreted, *tile, rng)
                                              for name, tile in TRITON.items()}
    for name, call in peers.items():
        if call is None:
            print(f"{name}: not installed, left out")
        else:
            contenders[name] = call
    times = interleaved(contenders, args.rounds)
    worst = float(np.max(np.abs(c - exact_product(a, b))))
    # 1024 products of unit normals: the sum has a standard deviation of 32; f32 sums of 1024 terms are off by some 1e-4
    # of it at the most.
    if not worst <= 1e-4 * size:
        raise SystemExit(f"WRONG: largest error {worst}")
    cubes = {name: args.interpreted if name in TRITON else size for name in contenders}
    rate = {name: 2 * cubes[name] ** 3 / t / 1e9 for name, t in medians(times).items()}
    return {"size": size, "interpreted": args.interpreted, "rounds": args.rounds, "gflops": rate,
            "ratio": {n: rate["ave"] / r for n, r in rate.items()}, "largest_error": worst,
            "seconds": times}  # fmt: skip


def show(record: dict[str, Any]) -> str:
    """GFLOP/s of each."""
    ms = {name: 1e3 * t for name, t in medians(record["seconds"]).items()}
    rows = (
        (
            name,
            f"{record['interpreted' if name in TRITON else 'size']}^3",
            f"{ms[name]:.2f} ms",
            f"{r:.3f}",
            f"{record['ratio'][name]:.3g} x",
        )
        for name, r in record["gflops"].items()
    )
    return (
        table([("", "cube", "median", "GFLOP/s", "ave is"), *rows])
        + f"\nlargest error against float64: {record['largest_error']:.2e}"
    )


if __name__ == "__main__":
    size = {"type": whole(32), "default": 1024, "help": "a multiple of 32, the side of a block's tile"}
    cube = {"type": whole(128), "default": 256, "help": "cube for Triton's interpreter, a multiple of 128"}
    main(__doc__, Part("gemm", "cpu_gemm", measure, show), rounds=5, more={"--size": size, "--interpreted": cube})
