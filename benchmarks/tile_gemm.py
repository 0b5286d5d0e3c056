"""The block GEMM of the tile level (`avelang_kernels.matmul.tile_gemm`), one source: on an NVIDIA GPU beside cuBLAS, and its gfx942 code by llvm-mca.

    python benchmarks/tile_gemm.py [--rounds 40] [--only static | --only timed]

On the GPU: contenders in turn (on Hopper the thread-level kernel too, everywhere the instruction-level one for `mma.sync`), L2 written over before
each call, medians of device time; every result is checked against float64 first. Static: what the gfx942 code takes and how busy it keeps the matrix
core (one wave, llvm-mca; no time on a card). What NVIDIA's assembler makes of it: `tile_sass.py`.
Writes `results/tile_gemm.json` and `results/tile_gemm_static.json`.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import statistics
from collections.abc import Callable
from typing import Any

from common import save, table

import avelang.language as al
from avelang.amdgcn.mca import utilization
from avelang.amdgcn.report import report
from avelang.runtime.compile import compile_text
from avelang.tile import Block
from avelang_kernels.matmul import hopper_gemm, ptx_ampere_gemm
from avelang_kernels.matmul.tile_gemm import build, gemm

SIZES = ((4864, 4096, 4096), (8192, 8192, 8192), (4096, 4096, 4096))
BLOCKS = {
    "sm_90a": (
        Block(128, 256, 64, pipeline="tma", stages=4, cluster=(2, 1)), Block(128, 128, 64, pipeline="tma", stages=6, cluster=(2, 1)),
        Block(128, 128, 32, (2, 2), "cp-async"), Block(128, 128, 32, (2, 2), "cp-async", 3), Block(128, 128, 64, (2, 2), "cp-async", 3),
        Block(128, 256, 32, (2, 4), "cp-async"), Block(128, 256, 32, (2, 4), "cp-async", 3), Block(128, 256, 64, (2, 4), "cp-async", 3),
    ),
    "sm_80": (
        Block(128, 128, 32, (2, 2), "cp-async"), Block(128, 128, 32, (2, 2), "cp-async", 3), Block(128, 256, 32, (2, 4), "cp-async"),
        Block(128, 256, 32, (2, 4), "cp-async", 3), Block(128, 256, 64, (2, 4), "cp-async", 3),
    ),
    "gfx942": (
        Block(256, 256, 64, (2, 4)), Block(128, 128, 64), Block(256, 256, 64, (2, 4), "preshuffled"), Block(128, 128, 64, pipeline="preshuffled"),
        Block(256, 256, 32, (2, 4), "direct-to-lds", stages=2), Block(128, 128, 64, pipeline="direct-to-lds", stages=2),
        Block(256, 256, 32, (2, 4), "ping-pong"), Block(128, 128, 64, pipeline="prefetch"), Block(128, 128, 64, pipeline="single"),
    ),
}  # fmt: skip


def named(b: Block) -> str:
    return f"{b.pipeline} {b.m}x{b.n}x{b.k}" + (f", {b.stages} stages" if b.pipeline == "cp-async" and b.stages != 4 else "")


def static(target: str = "gfx942") -> list[dict[str, Any]]:
    """What the code of each block takes."""
    out = []
    for b in BLOCKS[target]:
        threads = b.on(target, al.bf16).threads
        text = compile_text(build(b, al.bf16, al.bf16), {}, (threads, 1, 1), target, "asm")
        made, busy = report(text), utilization(text, target)
        assert made.loop is not None and busy is not None
        out.append({"block": named(b), "vgpr": made.vgpr, "agpr": made.agpr, "spills": made.vgpr_spills + made.sgpr_spills, "lds": made.lds,
                    "loop": {kind: sum(x.values()) for kind, x in made.loop.counts.items()}, "mca": dataclasses.asdict(busy)})  # fmt: skip
    return out


def contenders(m: int, n: int, k: int, target: str, units: int) -> tuple[dict[str, Callable[[], Any]], dict[str, Any]]:
    """What is timed, and where each one's result goes."""
    import torch

    a, b = (torch.randn(s, k, device="cuda", dtype=torch.bfloat16) for s in (m, n))
    names = (*map(named, BLOCKS[target]), "cuBLAS", "thread level", "mma.sync by hand")
    outs = {name: torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16) for name in names}
    calls: dict[str, Callable[[], Any]] = {named(x): functools.partial(gemm, a, b, outs[named(x)], x, target, units) for x in BLOCKS[target]}
    calls["cuBLAS"] = lambda: torch.matmul(a, b.T, out=outs["cuBLAS"])
    calls["mma.sync by hand"] = lambda: ptx_ampere_gemm.gemm(a, b, outs["mma.sync by hand"])
    if target == "sm_90a":
        calls["thread level"] = lambda: hopper_gemm.gemm(a, b, outs["thread level"])
    return calls, {name: functools.partial(_error, outs[name], a, b) for name in calls}


def _error(out: Any, a: Any, b: Any) -> float:
    from gpu_timing import difference

    return difference(out, a, b)


def timed(rounds: int) -> list[dict[str, Any]]:
    """TFLOP/s of each block and of cuBLAS."""
    import torch
    from gpu_timing import Clock

    target, units = ("sm_90a" if torch.cuda.get_device_capability() == (9, 0) else "sm_80"), torch.cuda.get_device_properties(0).multi_processor_count
    clock, rows = Clock(), []
    for m, n, k in SIZES:
        calls, error = contenders(m, n, k, target, units)
        errors = {}
        for name, call in calls.items():
            call()
            torch.cuda.synchronize()
            errors[name] = error[name]()
        assert all(e < 0.03 for e in errors.values()), errors
        us = {name: statistics.median(t) for name, t in clock.interleaved(calls, rounds).items()}
        rows.append({"shape": [m, n, k], "us": us, "tflops": {name: 2 * m * n * k / t / 1e6 for name, t in us.items()}, "errors": errors})
        print((m, n, k), {name: f"{x:.0f} TFLOP/s" for name, x in rows[-1]["tflops"].items()}, flush=True)
    return rows


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=40)
    p.add_argument("--only", choices=("static", "timed"), help="what needs no GPU, or what needs no llvm-mca")
    p.add_argument("--page", action="store_true", help="write the tables of docs/tile.md from the results, and nothing else")
    args = p.parse_args()
    if args.page:
        import pages

        print("wrote", pages.write("tile"))
        return
    if args.only != "timed":
        code = static()
        print(table([("gfx942", "VGPR", "spills", "LDS", "utilization"),
                     *((f["block"], str(f["vgpr"]), str(f["spills"]), str(f["lds"]), f"{100 * f['mca']['ratio']:.1f} %")
                       for f in code)]))  # fmt: skip
        print("saved", save("tile_gemm_static", {"figures": code}))
    if args.only != "static":
        from gpu_timing import device

        print("saved", save("tile_gemm", {"device": device(), "figures": timed(args.rounds)}))


if __name__ == "__main__":
    main()
