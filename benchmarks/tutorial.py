"""The steps of docs/tutorial.md: what their gfx942 code loads, loses and keeps busy, their speed on an NVIDIA GPU; the
page's tables and pictures.

    python benchmarks/tutorial.py --only static    # executed gfx942 code and llvm-mca: needs no GPU
    python benchmarks/tutorial.py --only timed     # on the GPU, beside cuBLAS
    python benchmarks/tutorial.py --page           # writes the tables of the page from the results
    python benchmarks/tutorial.py --pictures       # makes docs/pictures by the page's `ave show` lines

Static: one launch of every step on the same small matrices, executed with counters, its result held against NumPy; and
what the main loop takes. Timed: contenders in turn, L2 written over before each call, medians of device time; every
result is checked against float64 first. Writes `results/tutorial_static.json` and `results/tutorial.json`."""

from __future__ import annotations

import argparse
import functools
import pathlib
import re
import shlex
from typing import Any

import avelang.language as al
from avelang import executor
from avelang_kernels.matmul import tile_gemm, tutorial_gemm

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE, PICTURES = ROOT / "docs" / "tutorial.md", ROOT / "docs" / "pictures"
SHAPE = (4864, 4096, 4096)
COUNTED = (256, 256, 256)  # what is executed
SLOW = ("naive", "tiled", "matrix")  # of these fewer calls are timed


def code(step: str, m: int, n: int) -> tuple[Any, tuple[int, ...], tuple[int, int, int], dict[str, Any]]:
    """The kernel of a step for gfx942, its grid, its block, its compile-time values."""
    S = tutorial_gemm.block(step, "gfx942")
    if step in SLOW:
        kernel, grid, threads, values = tutorial_gemm.launch(step, m, n, "gfx942")
        return kernel, grid, (*threads, 1), values
    assert S is not None
    return tile_gemm.build(S, al.bf16, al.bf16), (S.grid(m, n, 1),), (S.on("gfx942", tutorial_gemm.BF16).threads, 1,
            1), {}


def counted(step: str, m: int, n: int, k: int) -> executor.Run:
    """A step's gfx942 code, executed with counters on integers whose product is exact; raises AssertionError where that
    is wrong."""
    import ml_dtypes
    import numpy as np

    rng = np.random.default_rng(m + n + k)
    a, b = (rng.integers(-3, 4, (rows, k)).astype(ml_dtypes.bfloat16) for rows in (m, n))
    c = np.full((m, n), np.nan, ml_dtypes.bfloat16)
    kernel, grid, block, values = code(step, m, n)
    run = executor.compiled(kernel, block, profile=True, **values)[grid, block](a, b, c, m, n, k)
    want = a.astype(np.float32) @ b.astype(np.float32).T
    assert np.array_equal(c, want.astype(ml_dtypes.bfloat16)), step
    return run


def static(step: str) -> dict[str, Any]:
    """What the gfx942 code of a step does and takes."""
    from avelang.amdgcn.mca import utilization
    from avelang.amdgcn.report import report
    from avelang.runtime.compile import compile_text

    m, n, k = COUNTED
    S, run = tutorial_gemm.block(step, "gfx942"), counted(step, m, n, k)
    kernel, _, block, values = code(step, m, n)
    text = compile_text(kernel, values, block, "gfx942", "asm")
    made, busy = report(text), utilization(text, "gfx942")
    assert made.loop is not None and busy is not None
    return {
        "step": step, "tile": [S.m, S.n, S.k] if S else [tutorial_gemm.T] * (2 if step == "tiled" else 0),
        "pipeline": S.pipeline if S and step != "matrix" else "", "loads_per_output": run.traffic.loaded / 2 / m / n,
        "stores_per_output": run.traffic.stored / 2 / m / n, "lds_read_per_product": run.traffic.read / m / n / k,
        "lds_written_per_product": run.traffic.written / m / n / k,
        "lost_per_1000_products": 1000 * sum(run.conflicts.values()) / m / n / k,
        "vgpr": made.vgpr, "spills": made.vgpr_spills + made.sgpr_spills, "lds": made.lds, "utilization": busy.ratio,
        "loop": {kind: dict(x) for kind, x in made.loop.counts.items()},
    }  # fmt: skip


def all_steps(args: argparse.Namespace) -> dict[str, Any]:
    """Every step on gfx942."""
    return {"shape": list(COUNTED), "figures": [static(step) for step in tutorial_gemm.steps("gfx942")]}


# -- on the GPU ---


def timed(args: argparse.Namespace) -> dict[str, Any]:
    """TFLOP/s of each step and of cuBLAS."""
    import torch
    from harness import GpuClock, cublas, difference, errors_of, gpu_target, medians, operands, units

    target, clock = gpu_target(), GpuClock()
    m, n, k = SHAPE
    a, b = operands(m, n, k)
    steps, out = tutorial_gemm.steps(target), torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    calls: dict[str, Any] = {s: functools.partial(tutorial_gemm.gemm, s, a, b, out, target, units()) for s in steps}
    calls["cuBLAS"] = functools.partial(cublas, a, b, out)

    def error(name: str) -> float:
        out.fill_(float("nan"))  # what they share: each begins with none of the results before
        calls[name]()
        return difference(out, a, b)

    errors = errors_of(calls, error)
    times = clock.interleaved({x: c for x, c in calls.items() if x not in SLOW}, args.rounds)
    times |= clock.interleaved({x: c for x, c in calls.items() if x in SLOW}, max(3, args.rounds // 8), warm=1)
    us = medians({name: times[name] for name in calls})
    blocks = {s: tutorial_gemm.block(s, target) for s in steps}
    return {
        "target": target, "shape": list(SHAPE), "us": us,
        "tflops": {x: 2 * m * n * k / t / 1e6 for x, t in us.items()}, "errors": errors,
        "blocks": {s: [x.m, x.n, x.k, "" if s == "matrix" else x.pipeline] for s, x in blocks.items() if x},
    }  # fmt: skip


# -- the pictures ---


def pictures(folder: pathlib.Path) -> list[pathlib.Path]:
    """Runs the page's `ave show` lines; the files go to `folder`."""
    from avelang.cli.show import show

    made = []
    for line in re.findall(r"^    ave show (.*)$", PAGE.read_text(), re.MULTILINE):
        *args, flag, name = shlex.split(line)
        assert flag == "-o" and name.startswith("docs/pictures/"), line
        made.append(folder / pathlib.Path(name).name)
        show.main([*args, flag, str(made[-1])], standalone_mode=False)
    return made


if __name__ == "__main__":
    import sys

    import pages
    from harness import Part, main

    if "--pictures" in sys.argv:
        PICTURES.mkdir(exist_ok=True)
        pictures(PICTURES)
    else:
        main(__doc__, Part("static", "tutorial_static", all_steps, pages.tutorial_static),
             Part("timed", "tutorial", timed, pages.tutorial_timed, gpu=True), rounds=40, page="tutorial")  # fmt: skip
