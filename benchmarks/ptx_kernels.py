"""Kernels of the instruction level on a Hopper GPU: products beside cuBLAS and Ave's compiled kernel, softmax and RMS
norm beside torch and a copy.

    python benchmarks/ptx_kernels.py [--rounds 20] [--only gemm|rows|launch]

One run, contenders in turn and in a new order each round, random normal data, L2 filled with other data before each
call, medians of device time. Before that, in the same run, every result is checked against float64, in an output that
was full of NaN. Writes `results/ptx_kernels.json`.

`of copy`: bytes that must move (the input once, the output once) in the time taken, by those of torch's copy of 4 GiB
to 4 GiB, measured in the same run. pyptx's own figures for its Hopper product on an H200 are in `PYPTX`. `launch`: host
time of `k(x, out=y)` with tensors that are there, from call to return, in bursts shorter than the driver's queue,
behind an idle GPU (pyptx publishes 14 us)."""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable
from typing import Any

import torch
from harness import (
    MOST,
    Calls,
    GpuClock,
    Part,
    bursts,
    cublas,
    main,
    medians,
    moved_per_second,
    operands,
    products,
    repeated,
    table,
)

from avelang.ptx.types import f32
from avelang_kernels.matmul import hopper_gemm, ptx_ampere_gemm, ptx_hopper_gemm
from avelang_kernels.norm import ptx_softmax
from avelang_kernels.norm.ptx_rms_norm import rms_norm
from avelang_kernels.norm.ptx_rows import plan_of
from avelang_kernels.norm.ptx_softmax import softmax

BF16, F32 = torch.bfloat16, torch.float32
PYPTX = {2048: (529, 616), 4096: (694, 715), 8192: (683, 667), 16384: (691, 689)}  # TFLOP/s, and cuBLAS's beside it
ROWS = (
    (65536, 1024, BF16), (32768, 4096, BF16), (16384, 8192, BF16), (8192, 16384, BF16), (4096, 32768, BF16),
    (16384, 4096, F32), (4096, 16384, F32),
)  # fmt: skip
CONTENDERS = {"PTX, Hopper": ptx_hopper_gemm.gemm, "PTX, Ampere": ptx_ampere_gemm.gemm, "compiled": hopper_gemm.gemm,
              "cuBLAS": cublas}
EPS = 1e-6


# -- products ---


def gemms(rounds: int) -> list[dict[str, Any]]:
    """Square products."""
    clock, rows = GpuClock(), []
    for size, (pyptx, beside) in PYPTX.items():
        f = products(*operands(size, size, size), CONTENDERS, clock, max(8, rounds // 2) if size > 8192 else rounds,
                     most=None)
        us = f["us"]
        rows.append({
            "size": size, "us": us, "quartiles": {name: statistics.quantiles(t, n=4)
                                                  for name, t in f["times"].items()}, "errors": f["errors"],
            "tflops": f["tflops"], "right": all(e < MOST for e in f["errors"].values()),
            "pyptx_tflops": pyptx, "of_cublas": us["cuBLAS"] / us["PTX, Hopper"],
            "pyptx_of_cublas": pyptx / beside, "of_compiled": us["compiled"] / us["PTX, Hopper"],
        })  # fmt: skip
        torch.cuda.empty_cache()
    return rows


def shown_products(rows: list[dict[str, Any]]) -> str:
    """The table of products, with geometric means."""
    names = list(rows[0]["us"])
    speeds = (f"{name} TFLOP/s" for name in names)
    lines: list[tuple[str, ...]] = [
        ("m = n = k", *speeds, "Hopper of cuBLAS", "pyptx of cuBLAS", "of compiled", "error", "")
    ]
    for r in rows:
        lines.append((
            str(r["size"]), *(f"{r['tflops'][name]:.0f}" for name in names), f"{r['of_cublas']:.3f}",
            f"{r['pyptx_of_cublas']:.3f} ({r['pyptx_tflops']})", f"{r['of_compiled']:.3f}",
            f"{max(r['errors'].values()):.1e}",
            "" if r["right"] else "WRONG",
        ))  # fmt: skip
    means = [
        statistics.geometric_mean([r[key] for r in rows]) for key in ("of_cublas", "pyptx_of_cublas", "of_compiled")
    ]
    lines.append(("geometric mean", *[""] * len(names), *(f"{x:.3f}" for x in means), "", ""))
    return table(lines)


# -- rows ---


def off(got: torch.Tensor, want: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> float:
    """The greatest error of an element, relative to what it should be; infinite where one is NaN. A block of rows at a
    time."""
    worst = 0.0
    for top in range(0, x.shape[0], 2048):
        right = want(x[top : top + 2048].double())
        part = (got[top : top + 2048].double() - right).abs() / right.abs().clamp_min(1e-30)
        worst = max(worst, float(torch.nan_to_num(part, nan=math.inf).max()))
    return worst


def normed(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """RMS norm in float64."""
    return x * weight.double() / (x.square().mean(1, keepdim=True) + EPS).sqrt()


def by_rows(rounds: int, copy: float) -> list[dict[str, Any]]:
    """Softmax and RMS norm; `copy`: bytes a second that a copy moves."""
    clock, rows = GpuClock(clean=True), []
    for m, n, dtype in ROWS:
        x, weight = torch.randn(m, n, device="cuda", dtype=dtype), torch.randn(n, device="cuda", dtype=dtype)
        y, z, c = (torch.full_like(x, float("nan")) for _ in range(3))
        calls: Calls = {
            "softmax": lambda x=x, y=y: softmax(x, y), "torch softmax": lambda x=x: torch.softmax(x, 1),
            "RMS norm": lambda x=x, z=z, w=weight: rms_norm(x, w, EPS, z),
            "torch RMS norm": lambda x=x, w=weight, n=n: torch.nn.functional.rms_norm(x, (n,), w, EPS),
            "copy": lambda x=x, c=c: c.copy_(x),
        }  # fmt: skip
        softmax(x, y)
        rms_norm(x, weight, EPS, z)
        torch.cuda.synchronize()
        errors = {"softmax": off(y, lambda part: part.softmax(1), x),
                  "RMS norm": off(z, lambda part, w=weight: normed(part, w), x)}
        us = medians(clock.interleaved(calls, rounds))
        most = 2.0**-8 * 1.05 if dtype == BF16 else 2.0**-16
        rows.append({
            "shape": (m, n), "dtype": str(dtype), "us": us, "errors": errors,
            "right": all(e < most for e in errors.values()),
            "of_copy": {name: 2 * x.numel() * x.element_size() / t * 1e6 / copy for name, t in us.items()},
        })  # fmt: skip
        torch.cuda.empty_cache()
    return rows


def shown_rows(rows: list[dict[str, Any]]) -> str:
    """The table of softmax and RMS norm, with geometric means."""
    names = list(rows[0]["us"])
    lines: list[tuple[str, ...]] = [("rows of n", "", *(f"{name}: us, of copy" for name in names), "errors", "")]
    for r in rows:
        cells = (f"{r['us'][name]:.1f} {r['of_copy'][name]:.3f}" for name in names)
        errors = " ".join(f"{e:.1e}" for e in r["errors"].values())
        lines.append(
            (
                " ".join(map(str, r["shape"])),
                r["dtype"].removeprefix("torch."),
                *cells,
                errors,
                "" if r["right"] else "WRONG",
            )
        )
    means = (f"{statistics.geometric_mean([r['of_copy'][name] for r in rows]):.3f}" for name in names)
    lines.append(("geometric mean", "", *means, "", ""))
    return table(lines)


# -- launches ---


def launch(rounds: int = 40, burst: int = 200) -> dict[str, float]:
    """Microseconds of host time a call."""
    x = torch.randn(4, 64, device="cuda")
    y, kernel = torch.empty_like(x), ptx_softmax.build(plan_of(64, f32), f32)
    calls: Calls = {
        "k(x, out=y)": lambda: kernel(x, out=y), "k(x)": lambda: kernel(x), "softmax(x, y)": lambda: softmax(x, y),
        "torch.softmax(x, 1, out=y)": lambda: torch.softmax(x, 1, out=y),
    }  # fmt: skip
    times = bursts({name: repeated(call) for name, call in calls.items()}, burst, rounds, torch.cuda.synchronize)
    return {name: ns / 1e3 for name, ns in medians(times).items()}


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """What was asked for."""
    found: dict[str, Any] = {"rounds": args.rounds}
    if args.only in (None, "launch"):
        found["launch_us"] = launch()
    if args.only in (None, "rows"):
        found["copy_bytes_per_second"] = moved_per_second("copy")
        torch.cuda.empty_cache()
        found["rows"] = by_rows(args.rounds, found["copy_bytes_per_second"])
    if args.only in (None, "gemm"):
        found["products"] = gemms(args.rounds)
    return found


def show(record: dict[str, Any]) -> str:
    """The tables of what was measured."""
    out = []
    if "launch_us" in record:
        out.append(
            table([("launch", "host time"), *((name, f"{us:.2f} us") for name, us in record["launch_us"].items())])
        )
    if "rows" in record:
        out.append(f"copy: {record['copy_bytes_per_second'] / 1e12:.2f} TB/s\n{shown_rows(record['rows'])}")
    if "products" in record:
        out.append(shown_products(record["products"]))
    return "\n\n".join(out)


if __name__ == "__main__":
    main(__doc__, Part("kernels", "ptx_kernels", measure, show, gpu=True), rounds=20,
         more={"--only": {"choices": ("gemm", "rows", "launch")}})
