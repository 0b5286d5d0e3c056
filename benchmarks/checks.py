"""What AVE_CHECK=bounds costs on the CPU: matrix products with and without it, one thread, in one interleaved run.

    python benchmarks/checks.py [--size 512] [--rounds 7]

Processor time of the whole call counts. A checked launch also takes the slow path through Python, which small grids feel more. Every result is held
against the other way's, bit by bit.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

os.environ.setdefault("AVE_THREADS", "1")

import numpy as np
from common import bf16_matrix, median, save, table
from kernels import gemm

from avelang_kernels.matmul import tile_gemm
from avelang_kernels.matmul.mfma_gemm import mfma_gemm


def launches(size: int, rng: np.random.Generator) -> dict[str, tuple[object, np.ndarray]]:
    """Name: (what launches, the result)."""
    a, b = bf16_matrix(size, size, rng), bf16_matrix(size, size, rng)
    out = {name: np.full((size, size), np.nan, np.float32) for name in ("tutorial", "guarded edges", "tile level")}
    grid = ((size // 32, size // 32, 1), (64, 1, 1))
    return {
        "tutorial": (lambda: gemm[grid](a, b, out["tutorial"], size, size, size, 32, 32, 16), out["tutorial"]),
        "guarded edges": (lambda: mfma_gemm[grid](a, b, out["guarded edges"], size, size, size), out["guarded edges"]),
        "tile level": (lambda: tile_gemm.gemm(a, b, out["tile level"]), out["tile level"]),
    }


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--size", type=int, default=512)
    p.add_argument("--rounds", type=int, default=7)
    args = p.parse_args()
    made = launches(args.size, np.random.default_rng())
    times: dict[tuple[str, str], list[float]] = {}
    kept: dict[str, bytes] = {}
    for turn in range(args.rounds + 1):
        for name, (call, out) in made.items():
            for check in ("", "bounds"):
                os.environ["AVE_CHECK"] = check
                out.fill(np.nan)
                start = time.process_time()
                call()  # type: ignore[operator]
                if turn:
                    times.setdefault((name, check), []).append(time.process_time() - start)
                if kept.setdefault(name, out.tobytes()) != out.tobytes():
                    raise SystemExit(f"{name}: the checked kernel gives something else")
    rows = []
    for name in made:
        plain, checked = (1e3 * median(times[name, check]) for check in ("", "bounds"))
        rows.append((name, f"{plain:.2f}", f"{checked:.2f}", f"{checked / plain:.2f}"))
    print(table([("kernel", "ms", "ms checked", "ratio"), *rows]))
    figures = {name: {"ms": float(a), "checked_ms": float(b), "ratio": float(c)} for name, a, b, c in rows}
    print(save("checks", {"size": args.size, "kernels": figures}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
