"""Every tile of a list at every shape of the benchmark, beside cuBLAS: from its table comes the choice in
`avelang_kernels/matmul/hopper_gemm.py`.

    python benchmarks/tune_hopper_gemm.py [--rounds 20] [--tiles "128,256,4,2 128,128,6,2"] [--shapes "4096,4096,4096"]
"""

from __future__ import annotations

import argparse
import functools
import traceback
from typing import Any

import torch
from harness import GpuClock, Part, cublas, listed, main, only, operands, poisoned, products, table

from avelang_kernels.matmul.hopper_gemm import GemmTile as Tile
from avelang_kernels.matmul.hopper_gemm import gemm

SHAPES = (
    (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (16384, 16384, 16384),
    (4864, 4096, 4096), (4864, 4096, 8192),
    (8192, 28672, 8192), (2048, 8192, 28672), (512, 4096, 14336),
)  # fmt: skip
TILES = (
    Tile(128, 256, 4), Tile(128, 256, 4, 2), Tile(128, 256, 4, 1, 2), Tile(128, 256, 4, 2, 2), Tile(128, 192, 4, 2),
    Tile(128, 192, 4, 1, 2),
    Tile(128, 128, 6, 2), Tile(128, 128, 6, 1, 2), Tile(128, 128, 6, 2, 2), Tile(64, 256, 5, 2), Tile(64, 128, 6),
    Tile(128, 64, 6),
)  # fmt: skip


def runs(tile: Tile, a: Any, b: Any) -> bool:
    """True where a tile's kernel can be launched; what it says instead is printed."""
    try:
        gemm(a, b, poisoned(a.shape[0], b.shape[0]), tile)
        torch.cuda.synchronize()
    except Exception:
        traceback.print_exc()
        return False
    return True


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Every tile at every shape."""
    clock, record = GpuClock(), []
    tiles = [Tile(*t) for t in args.tiles] if args.tiles else TILES
    for m, n, k in args.shapes or SHAPES:
        a, b = operands(m, n, k)
        contenders = {"cuBLAS": cublas,
                      **{str(tile[:]): functools.partial(gemm, tile=tile) for tile in tiles if runs(tile, a, b)}}
        record.append(only(products(a, b, contenders, clock, args.rounds, most=None), "shape", "us", "errors"))
    return {"figures": record}


def show(record: dict[str, Any]) -> str:
    """Each tile beside cuBLAS."""
    rows = []
    for f in record["figures"]:
        m, n, k = f["shape"]
        for name, us in f["us"].items():
            cells = (f"{us:.1f} us", f"{2e-6 * m * n * k / us:.0f}", f"{f['us']['cuBLAS'] / us:.3f}",
                     f"{f['errors'][name]:.1e}")
            rows.append((f"{m} {n} {k}", name, *cells))
    return table([("shape", "tile", "time", "TFLOP/s", "of cuBLAS", "error"), *rows])


if __name__ == "__main__":
    main(__doc__, Part("tune", "tune_hopper_gemm", measure, show, gpu=True), rounds=20,
         more={"--tiles": {"type": listed}, "--shapes": {"type": listed}})  # fmt: skip
