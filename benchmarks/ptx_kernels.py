"""Kernels of the instruction level on a Hopper GPU: products beside cuBLAS and Ave's compiled kernel, softmax and RMS norm beside torch and a copy.

    python benchmarks/ptx_kernels.py [--rounds 20] [--only gemm|rows|launch]

One run, contenders in turn and in a new order each round, random normal data, L2 filled with other data before each call, medians of device time.
Before that, in the same run, every result is checked against float64, in an output that was full of NaN. Writes `results/ptx_kernels.json`.

`of copy`: bytes that must move (the input once, the output once) in the time taken, by those of torch's copy of 4 GiB to 4 GiB, measured in the same
run. pyptx's own figures for its Hopper product on an H200 are in `PYPTX`. `launch`: host time of `k(x, out=y)` with tensors that are there, from call
to return, in bursts shorter than the driver's queue, behind an idle GPU (pyptx publishes 14 us).
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from common import save, table
from gpu_timing import Clock, device, difference

from avelang.ptx.types import f32
from avelang_kernels.matmul import hopper_gemm, ptx_ampere_gemm, ptx_hopper_gemm
from avelang_kernels.norm import ptx_softmax
from avelang_kernels.norm.ptx_rms_norm import rms_norm
from avelang_kernels.norm.ptx_rows import plan_of
from avelang_kernels.norm.ptx_softmax import softmax

BF16, F32 = torch.bfloat16, torch.float32
PYPTX = {2048: (529, 616), 4096: (694, 715), 8192: (683, 667), 16384: (691, 689)}  # TFLOP/s, and cuBLAS's beside it
ROWS = (
    (65536, 1024, BF16), (32768, 4096, BF16), (16384, 8192, BF16), (8192, 16384, BF16), (4096, 32768, BF16), (16384, 4096, F32), (4096, 16384, F32),
)  # fmt: skip
CONTENDERS = ("PTX, Hopper", "PTX, Ampere", "compiled", "cuBLAS")
MOST = 0.03  # the greatest error of an element of a product, by the root of the mean square of all: a bf16 element may be off by 1/512 of itself
EPS = 1e-6


# -- products ------------------------------------------------------------------------------------------------------------------------------


def products(rounds: int) -> list[dict[str, Any]]:
    clock, rows = Clock(), []
    for size, (pyptx, beside) in PYPTX.items():
        a, b = (torch.randn(size, size, device="cuda", dtype=BF16) for _ in range(2))
        outs = {name: torch.full((size, size), float("nan"), device="cuda", dtype=BF16) for name in CONTENDERS}
        calls: dict[str, Callable[[], Any]] = {
            "PTX, Hopper": lambda a=a, b=b, c=outs["PTX, Hopper"]: ptx_hopper_gemm.gemm(a, b, c),
            "PTX, Ampere": lambda a=a, b=b, c=outs["PTX, Ampere"]: ptx_ampere_gemm.gemm(a, b, c),
            "compiled": lambda a=a, b=b, c=outs["compiled"]: hopper_gemm.gemm(a, b, c),
            "cuBLAS": lambda a=a, b=b, c=outs["cuBLAS"]: torch.matmul(a, b.T, out=c),
        }
        errors = {}
        for name, call in calls.items():
            call()
            torch.cuda.synchronize()
            errors[name] = difference(outs[name], a, b)
        times = clock.interleaved(calls, max(8, rounds // 2) if size > 8192 else rounds)
        us = {name: statistics.median(t) for name, t in times.items()}
        rows.append({
            "size": size, "us": us, "quartiles": {name: statistics.quantiles(t, n=4) for name, t in times.items()}, "errors": errors,
            "right": all(e < MOST for e in errors.values()), "tflops": {name: 2e-6 * size**3 / t for name, t in us.items()},
            "pyptx_tflops": pyptx, "of_cublas": us["cuBLAS"] / us["PTX, Hopper"], "pyptx_of_cublas": pyptx / beside,
            "of_compiled": us["compiled"] / us["PTX, Hopper"],
        })  # fmt: skip
        torch.cuda.empty_cache()
    return rows


def shown_products(rows: list[dict[str, Any]]) -> str:
    names = list(rows[0]["us"])
    speeds = (f"{name} TFLOP/s" for name in names)
    lines: list[tuple[str, ...]] = [("m = n = k", *speeds, "Hopper of cuBLAS", "pyptx of cuBLAS", "of compiled", "error", "")]
    for r in rows:
        lines.append((
            str(r["size"]), *(f"{r['tflops'][name]:.0f}" for name in names), f"{r['of_cublas']:.3f}",
            f"{r['pyptx_of_cublas']:.3f} ({r['pyptx_tflops']})", f"{r['of_compiled']:.3f}", f"{max(r['errors'].values()):.1e}",
            "" if r["right"] else "WRONG",
        ))  # fmt: skip
    means = [statistics.geometric_mean([r[key] for r in rows]) for key in ("of_cublas", "pyptx_of_cublas", "of_compiled")]
    lines.append(("geometric mean", *[""] * len(names), *(f"{x:.3f}" for x in means), "", ""))
    return table(lines)


# -- rows ----------------------------------------------------------------------------------------------------------------------------------


def bandwidth() -> float:
    """Bytes a second that a plain copy moves, read and written."""
    x = torch.randn(1 << 30, device="cuda")
    y = torch.empty_like(x)
    times = Clock(clean=True).interleaved({"copy": lambda: y.copy_(x)}, 10)["copy"]
    return 2 * x.numel() * x.element_size() / statistics.median(times) * 1e6


def off(got: torch.Tensor, want: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> float:
    """The greatest error of an element, relative to what it should be; infinite where one is NaN. A block of rows at a time."""
    worst = 0.0
    for top in range(0, x.shape[0], 2048):
        right = want(x[top : top + 2048].double())
        part = (got[top : top + 2048].double() - right).abs() / right.abs().clamp_min(1e-30)
        worst = max(worst, float(torch.nan_to_num(part, nan=math.inf).max()))
    return worst


def normed(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return x * weight.double() / (x.square().mean(1, keepdim=True) + EPS).sqrt()


def by_rows(rounds: int, copy: float) -> list[dict[str, Any]]:
    clock, rows = Clock(clean=True), []
    for m, n, dtype in ROWS:
        x, weight = torch.randn(m, n, device="cuda", dtype=dtype), torch.randn(n, device="cuda", dtype=dtype)
        y, z, c = (torch.full_like(x, float("nan")) for _ in range(3))
        calls: dict[str, Callable[[], Any]] = {
            "softmax": lambda x=x, y=y: softmax(x, y), "torch softmax": lambda x=x: torch.softmax(x, 1),
            "RMS norm": lambda x=x, z=z, w=weight: rms_norm(x, w, EPS, z),
            "torch RMS norm": lambda x=x, w=weight, n=n: torch.nn.functional.rms_norm(x, (n,), w, EPS), "copy": lambda x=x, c=c: c.copy_(x),
        }  # fmt: skip
        softmax(x, y)
        rms_norm(x, weight, EPS, z)
        torch.cuda.synchronize()
        errors = {"softmax": off(y, lambda part: part.softmax(1), x), "RMS norm": off(z, lambda part, w=weight: normed(part, w), x)}
        times = clock.interleaved(calls, rounds)
        us = {name: statistics.median(t) for name, t in times.items()}
        most = 2.0**-8 * 1.05 if dtype == BF16 else 2.0**-16
        rows.append({
            "shape": (m, n), "dtype": str(dtype), "us": us, "errors": errors, "right": all(e < most for e in errors.values()),
            "of_copy": {name: 2 * x.numel() * x.element_size() / t * 1e6 / copy for name, t in us.items()},
        })  # fmt: skip
        torch.cuda.empty_cache()
    return rows


def shown_rows(rows: list[dict[str, Any]]) -> str:
    names = list(rows[0]["us"])
    lines: list[tuple[str, ...]] = [("rows of n", "", *(f"{name}: us, of copy" for name in names), "errors", "")]
    for r in rows:
        cells = (f"{r['us'][name]:.1f} {r['of_copy'][name]:.3f}" for name in names)
        errors = " ".join(f"{e:.1e}" for e in r["errors"].values())
        lines.append((" ".join(map(str, r["shape"])), r["dtype"].removeprefix("torch."), *cells, errors, "" if r["right"] else "WRONG"))
    means = (f"{statistics.geometric_mean([r['of_copy'][name] for r in rows]):.3f}" for name in names)
    lines.append(("geometric mean", "", *means, "", ""))
    return table(lines)


# -- launches ------------------------------------------------------------------------------------------------------------------------------


def launch(bursts: int = 40, burst: int = 200) -> dict[str, float]:
    """Microseconds of host time a call."""
    x = torch.randn(4, 64, device="cuda")
    y, kernel = torch.empty_like(x), ptx_softmax.build(plan_of(64, f32), f32)
    calls: dict[str, Callable[[], Any]] = {
        "k(x, out=y)": lambda: kernel(x, out=y), "k(x)": lambda: kernel(x), "softmax(x, y)": lambda: softmax(x, y),
        "torch.softmax(x, 1, out=y)": lambda: torch.softmax(x, 1, out=y),
    }  # fmt: skip
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(bursts + 3):
        for name, call in calls.items():
            torch.cuda.synchronize()
            start = time.perf_counter_ns()
            for _ in range(burst):
                call()
            if turn >= 3:
                times[name].append((time.perf_counter_ns() - start) / burst / 1e3)
    torch.cuda.synchronize()
    return {name: statistics.median(t) for name, t in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--only", choices=("gemm", "rows", "launch"))
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    if options.only in (None, "launch"):
        figures["launch_us"] = launch()
    if options.only in (None, "rows"):
        figures["copy_bytes_per_second"] = bandwidth()
        torch.cuda.empty_cache()
        figures["rows"] = by_rows(options.rounds, figures["copy_bytes_per_second"])
    if options.only in (None, "gemm"):
        figures["products"] = products(options.rounds)
    save("ptx_kernels", {"device": device(), "rounds": options.rounds, **figures})
    if "launch_us" in figures:
        print(table([("launch", "host time"), *((name, f"{us:.2f} us") for name, us in figures["launch_us"].items())]) + "\n")
    if "rows" in figures:
        print(f"copy: {figures['copy_bytes_per_second'] / 1e12:.2f} TB/s\n{shown_rows(figures['rows'])}\n")
    if "products" in figures:
        print(shown_products(figures["products"]))


if __name__ == "__main__":
    main()
