"""C = A @ B^T in bf16 on a Hopper GPU: Ave's kernels beside cuBLAS (through torch) and Triton, large products and those of few rows.

    python benchmarks/hopper_gemm.py [--rounds 40] [--only large|skinny]

One run, contenders in turn and in a new order each round, random normal data, L2 written over before each call, medians of device time. Before
that, in the same run, every result is checked against float64, in an output that was full of NaN. Writes `results/hopper_gemm.json` and, where
matplotlib is, a plot.

Products of few rows are measured a second time with L2 filled by reads ("clean"): what the first way leaves in L2 has to be written back while they
read, some 50 MB. `of read speed` is their share of what a plain reduction reads, both clean.
"""

from __future__ import annotations

import argparse
import math
import pathlib
import statistics
from collections.abc import Callable
from typing import Any

import torch
from common import save, table
from gpu_timing import Clock, device, difference

from avelang_kernels.matmul.hopper_gemm import gemm
from avelang_kernels.matmul.hopper_skinny import skinny_gemm

LARGE = (
    (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (16384, 16384, 16384), (4864, 4096, 4096), (4864, 4096, 8192),
    (8192, 28672, 8192), (2048, 8192, 28672), (512, 4096, 14336),
)  # fmt: skip
SKINNY = (
    (8, 13312, 16384), (8, 13312, 8192), (8, 2304, 16384), (8, 2304, 8192), (8, 6656, 16384), (8, 6656, 8192), (1, 8192, 8192), (16, 28672, 8192),
    (64, 8192, 8192),
)  # fmt: skip
MOST = 0.03  # the greatest error of an element, by the root of the mean square of all: a bf16 element may be off by 1/512 of itself


def contenders(kind: str, m: int, n: int, k: int) -> tuple[dict[str, Callable[[], Any]], dict[str, float]]:
    """What is timed, and each one's error. Triton's skinny product comes in two forms; the better one counts."""
    try:
        import triton_peers
    except ImportError:
        triton_peers = None
    a, b = (torch.randn(s, k, device="cuda", dtype=torch.bfloat16) for s in (m, n))
    outs = {name: torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16) for name in ("Ave", "cuBLAS", "Triton", "Triton, K split")}
    ours = gemm if kind == "large" else skinny_gemm
    calls: dict[str, Callable[[], Any]] = {
        "Ave": lambda: ours(a, b, outs["Ave"]), "cuBLAS": lambda: torch.matmul(a, b.T, out=outs["cuBLAS"]),
    }  # fmt: skip
    if triton_peers is not None and kind == "large":
        calls["Triton"] = lambda: triton_peers.gemm(a, b, outs["Triton"])
    elif triton_peers is not None:
        sums = torch.empty((m, n), device="cuda")
        calls["Triton"] = lambda: triton_peers.skinny(a, b, outs["Triton"])
        calls["Triton, K split"] = lambda: triton_peers.skinny(a, b, outs["Triton, K split"], sums)
    errors = {}
    for name, call in calls.items():
        call()
        torch.cuda.synchronize()
        errors[name] = difference(outs[name], a, b)
    return calls, errors


def bandwidth() -> float:
    """Bytes a second that a plain reduction of 4 GiB reads: what a product of few rows may hope for."""
    x = torch.randn(1 << 30, device="cuda")
    times = Clock(clean=True).interleaved({"read": lambda: x.sum()}, 20)["read"]
    return x.numel() * 4 / statistics.median(times) * 1e6


def measure(kind: str, rounds: int, clock: Clock, read: float) -> list[dict[str, Any]]:
    rows = []
    clean_clock = Clock(clean=True)
    for m, n, k in LARGE if kind == "large" else SKINNY:
        calls, errors = contenders(kind, m, n, k)
        turns = rounds if m * n * k < 1 << 41 else max(10, rounds // 3)
        times = clock.interleaved(calls, turns)
        us = {name: statistics.median(t) for name, t in times.items()}
        again = clean_clock.interleaved(calls, turns) if kind == "skinny" else times
        clean = {name: statistics.median(t) for name, t in again.items()}
        triton = min((us[name] for name in us if name.startswith("Triton")), default=math.nan)
        rows.append({
            "shape": (m, n, k), "us": us, "us_clean": clean, "quartiles": {name: statistics.quantiles(t, n=4) for name, t in times.items()},
            "errors": errors, "right": all(e < MOST for e in errors.values()), "tflops": 2e-6 * m * n * k / us["Ave"],
            "of_cublas": us["cuBLAS"] / us["Ave"], "of_cublas_clean": clean["cuBLAS"] / clean["Ave"], "of_triton": triton / us["Ave"],
            "of_read": 2 * (m * k + n * k + m * n) / clean["Ave"] * 1e6 / read,
        })  # fmt: skip
        torch.cuda.empty_cache()
    return rows


def shown(kind: str, rows: list[dict[str, Any]]) -> str:
    speed = "Ave" if kind == "large" else "of read speed"
    lines: list[tuple[str, ...]] = [("m n k", "Ave", "cuBLAS", "Triton", speed, "of cuBLAS", "clean", "of Triton", "error", "")]
    for r in rows:
        us = r["us"]
        triton = min((us[name] for name in us if name.startswith("Triton")), default=math.nan)
        speed = f"{r['tflops']:.0f} TFLOP/s" if kind == "large" else f"{r['of_read']:.2f}"
        clean = f"{r['of_cublas_clean']:.3f}" if kind == "skinny" else ""
        lines.append((
            " ".join(map(str, r["shape"])), f"{us['Ave']:.1f} us", f"{us['cuBLAS']:.1f} us", f"{triton:.1f} us", speed, f"{r['of_cublas']:.3f}",
            clean, f"{r['of_triton']:.3f}", f"{r['errors']['Ave']:.1e}", "" if r["right"] else "WRONG"))  # fmt: skip
    for name, key in (("cuBLAS", "of_cublas"), ("cuBLAS, clean", "of_cublas_clean"), ("Triton", "of_triton")):
        if kind == "skinny" or name != "cuBLAS, clean":
            lines.append((f"geometric mean of {name}", *[""] * 4, f"{statistics.geometric_mean([r[key] for r in rows]):.3f}", *[""] * 4))
    return table(lines)


def plot(figures: dict[str, list[dict[str, Any]]], path: pathlib.Path) -> None:
    """Speed beside cuBLAS's for each shape."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, len(figures), figsize=(7 * len(figures), 5), squeeze=False)
    for axis, (kind, rows) in zip(axes[0], figures.items(), strict=True):
        for name in ("Ave", "cuBLAS", "Triton"):
            best = [min(us for key, us in r["us"].items() if key.startswith(name)) for r in rows]
            axis.plot([r["us"]["cuBLAS"] / us for r, us in zip(rows, best, strict=True)], "o-", label=name)
        axis.set_xticks(range(len(rows)), [" x ".join(map(str, r["shape"])) for r in rows], rotation=60, ha="right", fontsize=8)
        axis.set_ylabel("speed, cuBLAS = 1")
        axis.set_title(f"{kind}: C = A @ B^T, bf16")
        axis.grid(alpha=0.3)
        axis.legend()
    fig.tight_layout()
    fig.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--only", choices=("large", "skinny"))
    options = parser.parse_args()
    clock = Clock()
    read = bandwidth()
    figures = {kind: measure(kind, options.rounds, clock, read) for kind in ("large", "skinny") if options.only in (None, kind)}
    path = save("hopper_gemm", {"device": device(), "read_bytes_per_second": read, "rounds": options.rounds, **figures})
    try:
        plot(figures, path.with_suffix(".svg"))
    except ImportError:
        print("no plot: matplotlib is not installed")
    print(f"read: {read / 1e12:.2f} TB/s")
    for kind, rows in figures.items():
        print(f"\n{kind}\n{shown(kind, rows)}")


if __name__ == "__main__":
    main()
