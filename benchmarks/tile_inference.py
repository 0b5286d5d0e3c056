"""The inference GEMM (`avelang_kernels.matmul.tile_inference`): its AMD code by llvm-mca and by bytes through LDS; on
an NVIDIA GPU beside the block GEMM of the tile level and cuBLAS.

    python benchmarks/tile_inference.py [--rounds 20] [--only static | --only timed | --only tune]

Static: what the code takes, how busy it keeps the matrix core (one wave, llvm-mca; no time on a card), and bytes of LDS
and of global memory that the executor counts for one tile of C with K = 512, beside the plain double buffer of the same
tile. On the GPU: contenders in turn, L2 written over before each call, medians of device time; every result is checked
against float64 first. Writes `results/tile_inference_static.json` and `results/tile_inference.json`. Tune: other blocks
and parts of K on an NVIDIA GPU, in turn; writes `results/tile_inference_tune.json`."""

from __future__ import annotations

import argparse
import dataclasses
import functools
from typing import Any

import numpy as np
from harness import (
    GpuClock,
    Part,
    bf16_matrix,
    code_figures,
    code_table,
    cublas,
    exact_product,
    gpu_target,
    main,
    only,
    operands,
    printed,
    products,
    table,
    units,
)  # fmt: skip

import avelang.language as al
from avelang import executor
from avelang.runtime.compile import compile_text
from avelang.tile import Block
from avelang_kernels.matmul import tile_gemm, tile_inference

K = 512
CHIPS = ("gfx942", "gfx950", "gfx90a")
SIZES = ((16, 4096, 4096), (128, 4096, 4096), (512, 4096, 4096), (4096, 4096, 4096))  # m, n, k


def named(b: Block) -> str:
    """A block in words."""
    return f"{b.pipeline} {b.m}x{b.n}x{b.k}"


def code() -> list[dict[str, Any]]:
    """What the code of each block takes, with bias and SiLU."""
    out = []
    for chip in CHIPS:
        for b in (tile_inference.LARGE, tile_inference.SMALL, *tile_inference.FEW.values()):
            kernel = tile_inference.build(b, al.bf16, al.bf16, al.bf16, tile_inference.silu)
            text = compile_text(kernel, {}, (b.on(chip, al.bf16).threads, 1, 1), chip, "asm")
            out.append(
                {"chip": chip, "block": named(b), **only(code_figures(text, chip), "vgpr", "spills", "lds", "mca")}
            )
    return out


def traffic() -> list[dict[str, Any]]:
    """Bytes that the lanes of one block move for one tile of C; the product is checked."""
    out = []
    for mine in (tile_inference.LARGE, tile_inference.SMALL):
        plain = dataclasses.replace(mine, pipeline="double-buffer")
        rng = np.random.default_rng(0)
        a, b = bf16_matrix(mine.m, K, rng), bf16_matrix(mine.n, K, rng)
        want = exact_product(a, b)
        for block, build, given in ((plain, tile_gemm.build, b),
                                    (mine, tile_inference.build, tile_inference.preshuffle(b, mine).data)):
            threads, c = block.on("gfx942", al.bf16).threads, np.full(want.shape, np.nan, np.float32)
            kernel = executor.compiled(build(block, al.bf16, al.f32), (threads, 1, 1), profile=True)
            moved = kernel[1, threads](a, given, c, mine.m, mine.n, K).traffic
            assert np.abs(c - want).max() < 1e-3, np.abs(c - want).max()
            out.append({"block": named(block), "k": K, **dataclasses.asdict(moved)})
    return out


def static(args: argparse.Namespace) -> dict[str, Any]:
    """Code and traffic."""
    return {"figures": code(), "traffic": traffic()}


def show_static(record: dict[str, Any]) -> str:
    """Both tables."""
    moved = ((f["block"], str(f["written"]), str(f["read"]), str(f["loaded"])) for f in record["traffic"])
    return "\n".join(
        [
            code_table("chip", record["figures"], "chip", "block"),
            table([("block", "LDS written", "LDS read", "loaded"), *moved]),
        ]
    )


def timed(args: argparse.Namespace) -> dict[str, Any]:
    """Microseconds of the inference GEMM, of the block GEMM by cp.async (B as it lies, through shared memory), and of
    cuBLAS."""
    target, clock, rows, other = gpu_target(), GpuClock(), [], Block(128, 128, 32, (2, 2), "cp-async")
    for m, n, k in SIZES:
        a, b = operands(m, n, k)
        block = tile_inference.best_block(m, n, target, units())
        weights = tile_inference.preshuffle(b, block, target)
        runs = {
            "inference": lambda a, b, out, weights=weights: tile_inference.gemm(a, weights, out),
            "cp-async": functools.partial(tile_gemm.gemm, T=other, target=target), "cuBLAS": cublas,
        }  # fmt: skip
        f = products(a, b, runs, clock, args.rounds)
        rows.append({"block": named(block), **only(f, "shape", "us", "tflops", "errors")})
        printed((m, n, k), {name: f"{t:.1f} us" for name, t in f["us"].items()})
    return {"figures": rows}


def piped(m: int, n: int, k: int, waves: tuple[int, int], stages: int) -> Block:
    """A block of the pipeline."""
    return Block(m, n, k, waves, "preshuffled", stages)


FOUR, EIGHT = piped(128, 128, 32, (2, 2), 4), piped(128, 256, 32, (2, 4), 4)


# By the greatest count of rows: blocks and parts of K.
TRIED: dict[int, tuple[tuple[Block, int], ...]] = {
    16: ((piped(16, 128, 64, (1, 4), 6), 4), (piped(16, 128, 64, (1, 4), 6), 8), (piped(16, 64, 64, (1, 4), 8), 2),
         (piped(16, 64, 64, (1, 4), 8), 4),
         (piped(16, 64, 128, (1, 4), 6), 4), (piped(16, 32, 128, (1, 2), 8), 2)),
    128: ((FOUR, 4), (FOUR, 8), (piped(128, 128, 64, (2, 4), 3), 4), (piped(64, 128, 64, (1, 4), 4), 4),
          (piped(128, 64, 64, (2, 2), 4), 2),
          (piped(128, 64, 64, (2, 2), 4), 4)),
    512: ((FOUR, 1), (FOUR, 2), (piped(128, 128, 64, (2, 4), 4), 1), (piped(128, 128, 64, (2, 2), 3), 2), (EIGHT, 2)),
    4096: ((FOUR, 1), (EIGHT, 1), (piped(128, 128, 64, (2, 2), 3), 1), (piped(128, 256, 64, (2, 4), 3), 1),
           (piped(128, 128, 32, (2, 2), 3), 1)),
}  # fmt: skip


def tuned(args: argparse.Namespace) -> dict[str, Any]:
    """Microseconds of other blocks and parts of K."""
    target, clock, rows = gpu_target(), GpuClock(), []
    for m, n, k in SIZES:
        a, b = operands(m, n, k)
        weights = tile_inference.preshuffle(b, FOUR, target)

        def run(block: Block, parts: int, weights: Any = weights) -> Any:
            return lambda x, y, out: tile_inference.gemm(x, weights, out, block=block, parts=parts)

        runs = {f"{named(block)}, {block.stages} stages, {parts} parts": run(block, parts) for block, parts in TRIED[m]}
        rows.append(only(products(a, b, runs, clock, args.rounds), "shape", "us", "errors"))
        printed((m, n, k), {name: f"{t:.1f} us" for name, t in sorted(rows[-1]["us"].items(), key=lambda x: x[1])})
    return {"figures": rows}


if __name__ == "__main__":
    main(__doc__, Part("static", "tile_inference_static", static, show_static),
         Part("timed", "tile_inference", timed, gpu=True),
         Part("tune", "tile_inference_tune", tuned, gpu=True, default=False), rounds=20,
         page="tile_inference")  # fmt: skip
