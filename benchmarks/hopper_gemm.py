"""C = A @ B^T in bf16 on a Hopper GPU: Ave's kernels beside cuBLAS (through torch) and Triton, large products and those
of few rows.

    python benchmarks/hopper_gemm.py [--rounds 40] [--only large|skinny|energy]

One run, contenders in turn and in a new order each round, random normal data, L2 written over before each call, medians
of device time. Before that, in the same run, every result is checked against float64, in an output that was full of
NaN. Writes `results/hopper_gemm.json` and, where matplotlib is, a plot.

Products of few rows are measured a second time with L2 filled by reads ("clean"): what the first way leaves in L2 has
to be written back while they read, some 50 MB. `of read speed` is their share of what a plain reduction reads, both
clean.

`energy`: TFLOP/s and joules above 8192 cubed, where the card's power decides: each contender is repeated for a second
without a pause, in turns, and NVML's energy counter is read before and behind (`energy.py`). J a product are of the
whole board, idle power among them; `pJ a FLOP` are those joules by 2 m n k."""

from __future__ import annotations

import argparse
import functools
import math
import pathlib
import statistics
from collections.abc import Callable
from typing import Any

import torch
from energy import EnergyCounter, consumed
from harness import (
    MOST,
    GpuClock,
    Part,
    cublas,
    difference,
    folder,
    main,
    moved_per_second,
    only,
    operands,
    poisoned,
    products,
    table,
)  # fmt: skip

from avelang_kernels.matmul.hopper_gemm import gemm
from avelang_kernels.matmul.hopper_skinny import skinny_gemm

LARGE = (
    (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (16384, 16384, 16384),
    (4864, 4096, 4096), (4864, 4096, 8192),
    (8192, 28672, 8192), (2048, 8192, 28672), (512, 4096, 14336),
)  # fmt: skip
SKINNY = (
    (8, 13312, 16384), (8, 13312, 8192), (8, 2304, 16384), (8, 2304, 8192), (8, 6656, 16384), (8, 6656, 8192),
    (1, 8192, 8192), (16, 28672, 8192),
    (64, 8192, 8192),
)  # fmt: skip
KINDS = {"large": LARGE, "skinny": SKINNY}
HEAVY = ((8192, 8192, 8192), (16384, 16384, 16384), (8192, 28672, 8192), (16384, 8192, 28672), (32768, 8192, 8192))
Run = Callable[[Any, Any, Any], Any]


def contenders(kind: str, m: int, n: int) -> dict[str, Run]:
    """Ours and the peers. Triton's skinny product comes in two forms; the better one counts."""
    found: dict[str, Run] = {"Ave": gemm if kind == "large" else skinny_gemm, "cuBLAS": cublas}
    try:
        import triton_peers
    except ImportError:
        return found
    if kind == "large":
        return {**found, "Triton": triton_peers.gemm}
    sums = torch.empty((m, n), device="cuda")
    return {**found, "Triton": triton_peers.skinny, "Triton, K split": lambda a, b,
            out: triton_peers.skinny(a, b, out, sums)}


def triton_us(us: dict[str, float]) -> float:
    """The better one of Triton's times; NaN where it is not installed."""
    return min((t for name, t in us.items() if name.startswith("Triton")), default=math.nan)


def timed(kind: str, rounds: int, read: float) -> list[dict[str, Any]]:
    """A row for each shape; `read`: bytes a second that a product of few rows may hope for."""
    rows, clocks = [], [GpuClock(), GpuClock(clean=True)][: 2 if kind == "skinny" else 1]
    for m, n, k in KINDS[kind]:
        turns = rounds if m * n * k < 1 << 41 else max(10, rounds // 3)
        f = products(*operands(m, n, k), contenders(kind, m, n), clocks, turns, most=None)
        us, errors, clean = f["us"], f["errors"], (*f["more"], f["us"])[0]
        rows.append({
            "shape": (m, n, k), "us": us, "us_clean": clean,
            "quartiles": {name: statistics.quantiles(t, n=4) for name, t in f["times"].items()},
            "errors": errors, "right": all(e < MOST for e in errors.values()), "tflops": f["tflops"]["Ave"],
            "of_cublas": us["cuBLAS"] / us["Ave"],
            "of_cublas_clean": clean["cuBLAS"] / clean["Ave"], "of_triton": triton_us(us) / us["Ave"],
            "of_read": 2 * (m * k + n * k + m * n) / clean["Ave"] * 1e6 / read,
        })  # fmt: skip
        torch.cuda.empty_cache()
    return rows


def energies(seconds: float = 0.8, turns: int = 2) -> list[dict[str, Any]]:
    """A row for each shape of HEAVY: microseconds, joules and watts of each contender, means of its turns; results
    are checked before. [] where there is no counter."""
    try:
        counter = EnergyCounter()
    except OSError as e:
        print(f"no energy: {e}")
        return []
    rows = []
    for m, n, k in HEAVY:
        a, b = operands(m, n, k)
        runs, found = {"Ave": gemm, "cuBLAS": cublas}, {}
        outs = {name: poisoned(m, n) for name in runs}
        for name, run in runs.items():
            run(a, b, outs[name])
        errors = {name: difference(out, a, b) for name, out in outs.items()}
        for _ in range(turns):
            for name, run in runs.items():
                one = consumed(functools.partial(run, a, b, outs[name]), counter, seconds)
                found.setdefault(name, []).append(one)
        mean = {name: [statistics.fmean(x) for x in zip(*some, strict=True)] for name, some in found.items()}
        rows.append({
            "shape": (m, n, k), "us": {x: v[0] for x, v in mean.items()}, "joules": {x: v[1] for x, v in mean.items()},
            "watts": {x: v[2] for x, v in mean.items()}, "errors": errors,
            "right": all(e < MOST for e in errors.values()),
        })  # fmt: skip
        del a, b, outs
        torch.cuda.empty_cache()
    return rows


def energy_table(rows: list[dict[str, Any]]) -> str:
    """The table of joules."""
    lines: list[tuple[str, ...]] = [("m n k", "", "TFLOP/s", "J a product", "W", "pJ a FLOP", "error", "")]
    for r in rows:
        work = 2 * math.prod(r["shape"])
        for name in r["us"]:
            us, joules = r["us"][name], r["joules"][name]
            lines.append((" ".join(map(str, r["shape"])), name, f"{work / us / 1e6:.0f}", f"{joules:.3f}",
                          f"{r['watts'][name]:.0f}", f"{joules / work * 1e12:.3f}", f"{r['errors'][name]:.1e}",
                          "" if r["right"] else "WRONG"))  # fmt: skip
    return table(lines)


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """All shapes of the kinds that were asked for."""
    if args.only == "energy":
        return {"energy": energies()}
    read = moved_per_second("read")
    kinds = [kind for kind in KINDS if args.only in (None, kind)]
    return {"read_bytes_per_second": read, "rounds": args.rounds,
            **{kind: timed(kind, args.rounds, read) for kind in kinds},
            **({"energy": energies()} if args.only is None else {})}  # fmt: skip


def shown(kind: str, rows: list[dict[str, Any]]) -> str:
    """The table of a kind, with geometric means."""
    speed = "Ave" if kind == "large" else "of read speed"
    lines: list[tuple[str, ...]] = [
        ("m n k", "Ave", "cuBLAS", "Triton", speed, "of cuBLAS", "clean", "of Triton", "error", "")
    ]
    for r in rows:
        us = r["us"]
        speed = f"{r['tflops']:.0f} TFLOP/s" if kind == "large" else f"{r['of_read']:.2f}"
        clean = f"{r['of_cublas_clean']:.3f}" if kind == "skinny" else ""
        lines.append((
            " ".join(map(str, r["shape"])), f"{us['Ave']:.1f} us", f"{us['cuBLAS']:.1f} us", f"{triton_us(us):.1f} us",
            speed,
            f"{r['of_cublas']:.3f}", clean, f"{r['of_triton']:.3f}", f"{r['errors']['Ave']:.1e}",
            "" if r["right"] else "WRONG"))  # fmt: skip
    for name, key in (("cuBLAS", "of_cublas"), ("cuBLAS, clean", "of_cublas_clean"), ("Triton", "of_triton")):
        if kind == "skinny" or name != "cuBLAS, clean":
            lines.append(
                (
                    f"geometric mean of {name}",
                    *[""] * 4,
                    f"{statistics.geometric_mean([r[key] for r in rows]):.3f}",
                    *[""] * 4,
                )
            )
    return table(lines)


def show(record: dict[str, Any]) -> str:
    """The tables; beside the record, where matplotlib is, the plot."""
    heavy = [f"energy\n{energy_table(record['energy'])}"] if record.get("energy") else []
    if "read_bytes_per_second" not in record:
        return "\n".join(heavy)
    figures = only(record, *(kind for kind in KINDS if kind in record))
    try:
        plot(figures, folder() / "hopper_gemm.svg")
    except ImportError:
        print("no plot: matplotlib is not installed")
    tables = (f"{kind}\n{shown(kind, rows)}" for kind, rows in figures.items())
    return "\n\n".join([f"read: {record['read_bytes_per_second'] / 1e12:.2f} TB/s", *tables, *heavy])


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
        axis.set_xticks(range(len(rows)), [" x ".join(map(str, r["shape"])) for r in rows], rotation=60, ha="right",
                        fontsize=8)
        axis.set_ylabel("speed, cuBLAS = 1")
        axis.set_title(f"{kind}: C = A @ B^T, bf16")
        axis.grid(alpha=0.3)
        axis.legend()
    fig.tight_layout()
    fig.savefig(path)


if __name__ == "__main__":
    main(__doc__, Part("gemm", "hopper_gemm", measure, show, gpu=True), rounds=40,
         more={"--only": {"choices": (*KINDS, "energy")}})
