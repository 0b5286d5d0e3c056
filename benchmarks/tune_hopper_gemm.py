"""Every tile of a list at every shape of the benchmark, beside cuBLAS: from its table comes the choice in `avelang_kernels/matmul/hopper_gemm.py`.

    python benchmarks/tune_hopper_gemm.py [--rounds 20] [--tiles "128,256,4,2 128,128,6,2"] [--shapes "4096,4096,4096"]
"""

from __future__ import annotations

import argparse
import statistics
import traceback

import torch
from common import save, table
from gpu_timing import Clock, device, difference

from avelang_kernels.matmul.hopper_gemm import GemmTile as Tile
from avelang_kernels.matmul.hopper_gemm import gemm

SHAPES = (
    (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (16384, 16384, 16384), (4864, 4096, 4096), (4864, 4096, 8192),
    (8192, 28672, 8192), (2048, 8192, 28672), (512, 4096, 14336),
)  # fmt: skip
TILES = (
    Tile(128, 256, 4), Tile(128, 256, 4, 2), Tile(128, 256, 4, 1, 2), Tile(128, 256, 4, 2, 2), Tile(128, 192, 4, 2), Tile(128, 192, 4, 1, 2),
    Tile(128, 128, 6, 2), Tile(128, 128, 6, 1, 2), Tile(128, 128, 6, 2, 2), Tile(64, 256, 5, 2), Tile(64, 128, 6), Tile(128, 64, 6),
)  # fmt: skip


def listed(text: str) -> list[tuple[int, ...]]:
    return [tuple(map(int, word.split(","))) for word in text.split()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--tiles", type=listed)
    parser.add_argument("--shapes", type=listed)
    options = parser.parse_args()
    tiles = [Tile(*t) for t in options.tiles] if options.tiles else TILES
    clock, record, rows = Clock(), [], []
    for m, n, k in options.shapes or SHAPES:
        a, b = (torch.randn(s, k, device="cuda", dtype=torch.bfloat16) for s in (m, n))
        theirs = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        contenders = {"cuBLAS": lambda a=a, b=b, c=theirs: torch.matmul(a, b.T, out=c)}
        errors = {}
        for tile in tiles:
            out = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
            try:
                gemm(a, b, out, tile)
                torch.cuda.synchronize()
                errors[str(tile[:])] = difference(out, a, b)
            except Exception:
                traceback.print_exc()
                continue
            contenders[str(tile[:])] = lambda a=a, b=b, c=out, tile=tile: gemm(a, b, c, tile)
        times = clock.interleaved(contenders, options.rounds)
        middle = {name: statistics.median(t) for name, t in times.items()}
        record.append({"shape": (m, n, k), "us": middle, "errors": errors})
        for name, us in middle.items():
            error = f"{errors[name]:.1e}" if name in errors else ""
            rows.append((f"{m} {n} {k}", name, f"{us:.1f} us", f"{2e-6 * m * n * k / us:.0f}", f"{middle['cuBLAS'] / us:.3f}", error))
    save("tune_hopper_gemm", {"device": device(), "figures": record})
    print(table([("shape", "tile", "time", "TFLOP/s", "of cuBLAS", "error"), *rows]))


if __name__ == "__main__":
    main()
