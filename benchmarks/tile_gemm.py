"""The block GEMM of the tile level (`avelang_kernels.matmul.tile_gemm`), one source: on an NVIDIA GPU beside cuBLAS,
and its gfx942 code by llvm-mca.

    python benchmarks/tile_gemm.py [--rounds 40] [--only static | --only timed]

On the GPU: contenders in turn (on Hopper the thread-level kernel too, everywhere the instruction-level one for
`mma.sync`), L2 written over before each call, medians of device time; every result is checked against float64 first.
Static: what the gfx942 code takes and how busy it keeps the matrix core (one wave, llvm-mca; no time on a card). What
NVIDIA's assembler makes of it: `tile_sass.py`. Writes `results/tile_gemm.json` and `results/tile_gemm_static.json`."""

from __future__ import annotations

import argparse
import functools
from typing import Any

from harness import (
    GpuClock,
    Part,
    code_figures,
    code_table,
    cublas,
    gpu_target,
    main,
    only,
    operands,
    printed,
    products,
    units,
)

import avelang.language as al
from avelang.runtime.compile import compile_text
from avelang.tile import Block
from avelang_kernels.matmul import hopper_gemm, ptx_ampere_gemm
from avelang_kernels.matmul.tile_gemm import build, gemm

SIZES = ((4864, 4096, 4096), (8192, 8192, 8192), (4096, 4096, 4096))
BLOCKS = {
    "sm_90a": (
        Block(128, 256, 64, pipeline="tma", stages=4, cluster=(2, 1)),
        Block(128, 128, 64, pipeline="tma", stages=6, cluster=(2, 1)),
        Block(128, 128, 32, (2, 2), "cp-async"), Block(128, 128, 32, (2, 2), "cp-async", 3),
        Block(128, 128, 64, (2, 2), "cp-async", 3),
        Block(128, 256, 32, (2, 4), "cp-async"), Block(128, 256, 32, (2, 4), "cp-async", 3),
        Block(128, 256, 64, (2, 4), "cp-async", 3),
    ),
    "sm_80": (
        Block(128, 128, 32, (2, 2), "cp-async"), Block(128, 128, 32, (2, 2), "cp-async", 3),
        Block(128, 256, 32, (2, 4), "cp-async"),
        Block(128, 256, 32, (2, 4), "cp-async", 3), Block(128, 256, 64, (2, 4), "cp-async", 3),
    ),
    "gfx942": (
        Block(256, 256, 64, (2, 4)), Block(128, 128, 64), Block(256, 256, 64, (2, 4), "preshuffled"),
        Block(128, 128, 64, pipeline="preshuffled"),
        Block(256, 256, 32, (2, 4), "direct-to-lds", stages=2), Block(128, 128, 64, pipeline="direct-to-lds", stages=2),
        Block(256, 256, 32, (2, 4), "ping-pong"), Block(128, 128, 64, pipeline="prefetch"),
        Block(128, 128, 64, pipeline="single"),
    ),
}  # fmt: skip


def named(b: Block) -> str:
    """A block in words."""
    return f"{b.pipeline} {b.m}x{b.n}x{b.k}" + (
        f", {b.stages} stages" if b.pipeline == "cp-async" and b.stages != 4 else ""
    )


def static(args: argparse.Namespace, target: str = "gfx942") -> dict[str, Any]:
    """What the code of each block takes."""
    out = []
    for b in BLOCKS[target]:
        text = compile_text(build(b, al.bf16, al.bf16), {}, (b.on(target, al.bf16).threads, 1, 1), target, "asm")
        out.append(
            {"block": named(b), **only(code_figures(text, target), "vgpr", "agpr", "spills", "lds", "loop", "mca")}
        )
    return {"figures": out}


def timed(args: argparse.Namespace) -> dict[str, Any]:
    """TFLOP/s of each block, of cuBLAS, and of the kernels of other levels."""
    target, clock, rows = gpu_target(), GpuClock(), []
    calls: dict[str, Any] = {
        named(x): functools.partial(gemm, T=x, target=target, units=units()) for x in BLOCKS[target]
    }
    calls |= {"cuBLAS": cublas, "mma.sync by hand": ptx_ampere_gemm.gemm} | (
        {"thread level": hopper_gemm.gemm} if target == "sm_90a" else {}
    )
    for m, n, k in SIZES:
        rows.append(only(products(*operands(m, n, k), calls, clock, args.rounds), "shape", "us", "tflops", "errors"))
        printed((m, n, k), {name: f"{x:.0f} TFLOP/s" for name, x in rows[-1]["tflops"].items()})
    return {"figures": rows}


if __name__ == "__main__":
    main(
        __doc__,
        Part("static", "tile_gemm_static", static, lambda record: code_table("gfx942", record["figures"], "block")),
        Part("timed", "tile_gemm", timed, gpu=True),
        rounds=40,
        page="tile",
    )
