"""What a product of few rows on Hopper loses, and to what: rings of several depths, hints to L2, clean and dirty L2, an
empty kernel. Needs a GPU.

    python benchmarks/skinny_limits.py
    ncu --clock-control none -k regex:skinny --metrics gpu__time_duration.sum,dram__bytes_read.sum,\
dram__throughput.avg.pct_of_peak_sustained_elapsed python benchmarks/skinny_limits.py --once
"""

from __future__ import annotations

import argparse
from typing import Any

import torch
from harness import Calls, GpuClock, Part, cublas, main, medians, operands, table, units

import avelang
import avelang.language as al
from avelang_kernels.matmul import hopper_skinny
from avelang_kernels.matmul.hopper_skinny import best_plan, launch

SHAPES = ((8, 13312, 16384), (8, 2304, 16384), (8, 2304, 8192), (8, 6656, 8192), (1, 8192, 8192), (16, 28672, 8192),
          (64, 8192, 8192))
RINGS = ((1, 12), (2, 6), (2, 12), (4, 3))  # depth and stages
HINTS = {"no hint": 0, "evict first": 1}


@avelang.jit
def empty(x: al.Pointer(al.bf16), n: al.u32):  # type: ignore
    al.thread_id(0)


def hinted(hint: int, *args: Any) -> None:
    """A launch in which B's copies give L2 this hint: a name of the module, which the kernel's key covers."""
    kept, hopper_skinny.EVICT_B = hopper_skinny.EVICT_B, hint
    try:
        launch(*args)
    finally:
        hopper_skinny.EVICT_B = kept


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Microseconds of each way, with L2 dirty and clean."""
    record: list[dict[str, Any]] = []
    for m, n, k in SHAPES:
        a, b = operands(m, n, k)
        out = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        best = best_plan(m, n, k, units())
        if args.once:
            for _ in range(2):
                launch(a, b, out, best)
            torch.cuda.synchronize()
            continue
        calls: Calls = {
            "cuBLAS": lambda x=(a, b, out): cublas(*x), "empty kernel": lambda a=a: empty[1, 32](a, 1),
            **{name: lambda h=h, x=(a, b, out, best): hinted(h, *x) for name, h in HINTS.items()},
        }  # fmt: skip
        for depth, stages in RINGS if m <= 8 else ():
            plan = best._replace(depth=depth, stages=stages)
            calls[f"{stages} stages of {depth}"] = lambda x=(a, b, out, plan): launch(*x)
        for state in ("dirty", "clean"):
            us = medians(GpuClock(clean=state == "clean").interleaved(calls, 24))
            record.append({"shape": (m, n, k), "L2": state, "us": us})
    return {"figures": record}


def show(record: dict[str, Any]) -> str:
    """Each way beside cuBLAS."""
    rows = [(" ".join(map(str, f["shape"])), f["L2"], name, f"{t:.1f} us", f"{f['us']['cuBLAS'] / t:.3f}")
            for f in record["figures"] for name, t in f["us"].items()]  # fmt: skip
    return table([("shape", "L2", "what", "time", "of cuBLAS"), *rows])


if __name__ == "__main__":
    once = {"action": "store_true", "help": "two launches of each shape and no timing: for ncu"}
    main(
        __doc__,
        Part("limits", "skinny_limits", measure, show, gpu=True, keep=lambda record: bool(record["figures"])),
        more={"--once": once},
    )
