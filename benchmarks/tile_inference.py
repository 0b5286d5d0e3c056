"""The inference GEMM (`avelang_kernels.matmul.tile_inference`): its AMD code by llvm-mca and by bytes through LDS; on
an NVIDIA GPU beside the block GEMM of the tile level and cuBLAS.

    python benchmarks/tile_inference.py [--rounds 20] [--only static | --only timed | --only tune]

Static: what the code takes, how busy it keeps the matrix core (one wave, llvm-mca; no time on a card), and bytes of LDS
and of global memory that the executor counts for one tile of C with K = 512, beside the plain double buffer of the same
tile. On the GPU: contenders in turn, L2 written over before each call, medians of device time; every result is checked
against float64 first. Writes `results/tile_inference_static.json` and `results/tile_inference.json`. Tune: other blocks
and parts of K on an NVIDIA GPU, in turn; writes `results/tile_inference_tune.json`. """

from __future__ import annotations

import argparse
import dataclasses
import functools
import statistics
from typing import Any

import numpy as np
from common import bf16_matrix, save, table

import avelang.language as al
from avelang import executor
from avelang.amdgcn.mca import utilization
from avelang.amdgcn.report import report
from avelang.runtime.compile import compile_text
from avelang.tile import Block
from avelang_kernels.matmul import tile_gemm, tile_inference

K = 512
CHIPS = ("gfx942", "gfx950", "gfx90a")
SIZES = ((16, 4096, 4096), (128, 4096, 4096), (512, 4096, 4096), (4096, 4096, 4096))  # m, n, k


def named(b: Block) -> str:
    return f"{b.pipeline} {b.m}x{b.n}x{b.k}"


def static() -> list[dict[str, Any]]:
    """What the code of each block takes, with bias and SiLU."""
    out = []
    for chip in CHIPS:
        for b in (tile_inference.LARGE, tile_inference.SMALL, *tile_inference.FEW.values()):
            kernel = tile_inference.build(b, al.bf16, al.bf16, al.bf16, tile_inference.silu)
            text = compile_text(kernel, {}, (b.on(chip, al.bf16).threads, 1, 1), chip, "asm")
            made, busy = report(text), utilization(text, chip)
            assert busy is not None
            out.append({"chip": chip, "block": named(b), "vgpr": made.vgpr, "spills": made.vgpr_spills + made.sgpr_spills, "lds": made.lds,
                        "mca": dataclasses.asdict(busy)})  # fmt: skip
    return out


def traffic() -> list[dict[str, Any]]:
    """Bytes that the lanes of one block move for one tile of C; the product is checked."""
    out = []
    for large in (True, False):
        mine = tile_inference.LARGE if large else tile_inference.SMALL
        plain = dataclasses.replace(mine, pipeline="double-buffer")
        rng = np.random.default_rng(0)
        a, b = bf16_matrix(mine.m, K, rng), bf16_matrix(mine.n, K, rng)
        want = a.astype(np.float64) @ b.astype(np.float64).T
        for block, build, given in ((plain, tile_gemm.build, b), (mine, tile_inference.build, tile_inference.preshuffle(b, mine).data)):
            threads, c = block.on("gfx942", al.bf16).threads, np.full(want.shape, np.nan, np.float32)
            kernel = executor.compiled(build(block, al.bf16, al.f32), (threads, 1, 1), profile=True)
            moved = kernel[1, threads](a, given, c, mine.m, mine.n, K).traffic
            assert np.abs(c - want).max() < 1e-3, np.abs(c - want).max()
            out.append({"block": named(block), "k": K, **dataclasses.asdict(moved)})
    return out


def timed(rounds: int) -> list[dict[str, Any]]:
    """Microseconds of the inference GEMM, of the block GEMM by cp.async (B as it lies, through shared memory), and of
    cuBLAS."""
    import torch
    from gpu_timing import Clock, difference

    target = "sm_90a" if torch.cuda.get_device_capability() == (9, 0) else "sm_80"
    clock, rows, units = Clock(), [], torch.cuda.get_device_properties(0).multi_processor_count
    for m, n, k in SIZES:
        a, b = (torch.randn(s, k, device="cuda", dtype=torch.bfloat16) for s in (m, n))
        outs = {name: torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16) for name in ("inference", "cp-async", "cuBLAS")}
        block = tile_inference.best_block(m, n, target, units)
        weights, other = tile_inference.preshuffle(b, block, target), Block(128, 128, 32, (2, 2), "cp-async")
        calls = {
            "inference": functools.partial(tile_inference.gemm, a, weights, outs["inference"]),
            "cp-async": functools.partial(tile_gemm.gemm, a, b, outs["cp-async"], other, target),
            "cuBLAS": functools.partial(torch.matmul, a, b.T, out=outs["cuBLAS"]),
        }
        errors = {}
        for name, call in calls.items():
            call()
            torch.cuda.synchronize()
            errors[name] = difference(outs[name], a, b)
        assert all(e < 0.03 for e in errors.values()), errors
        us = {name: statistics.median(t) for name, t in clock.interleaved(calls, rounds).items()}
        rows.append({"shape": [m, n, k], "block": named(block), "us": us, "tflops": {name: 2 * m * n * k / t / 1e6 for name, t in us.items()},
                     "errors": errors})  # fmt: skip
        print((m, n, k), {name: f"{t:.1f} us" for name, t in us.items()}, flush=True)
    return rows


def piped(m: int, n: int, k: int, waves: tuple[int, int], stages: int) -> Block:
    return Block(m, n, k, waves, "preshuffled", stages)


FOUR, EIGHT = piped(128, 128, 32, (2, 2), 4), piped(128, 256, 32, (2, 4), 4)


# By the greatest count of rows: blocks and parts of K.
TRIED: dict[int, tuple[tuple[Block, int], ...]] = {
    16: ((piped(16, 128, 64, (1, 4), 6), 4), (piped(16, 128, 64, (1, 4), 6), 8), (piped(16, 64, 64, (1, 4), 8), 2), (piped(16, 64, 64, (1, 4), 8), 4),
         (piped(16, 64, 128, (1, 4), 6), 4), (piped(16, 32, 128, (1, 2), 8), 2)),
    128: ((FOUR, 4), (FOUR, 8), (piped(128, 128, 64, (2, 4), 3), 4), (piped(64, 128, 64, (1, 4), 4), 4), (piped(128, 64, 64, (2, 2), 4), 2),
          (piped(128, 64, 64, (2, 2), 4), 4)),
    512: ((FOUR, 1), (FOUR, 2), (piped(128, 128, 64, (2, 4), 4), 1), (piped(128, 128, 64, (2, 2), 3), 2), (EIGHT, 2)),
    4096: ((FOUR, 1), (EIGHT, 1), (piped(128, 128, 64, (2, 2), 3), 1), (piped(128, 256, 64, (2, 4), 3), 1), (piped(128, 128, 32, (2, 2), 3), 1)),
}  # fmt: skip


def tuned(rounds: int) -> list[dict[str, Any]]:
    """Microseconds of other blocks and parts of K."""
    import torch
    from gpu_timing import Clock, difference

    target = "sm_90a" if torch.cuda.get_device_capability() == (9, 0) else "sm_80"
    clock, rows = Clock(), []
    for m, n, k in SIZES:
        a, b = (torch.randn(s, k, device="cuda", dtype=torch.bfloat16) for s in (m, n))
        weights = tile_inference.preshuffle(b, FOUR, target)
        calls, errors = {}, {}
        for block, parts in TRIED[m]:
            name, out = f"{named(block)}, {block.stages} stages, {parts} parts", torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
            calls[name] = functools.partial(tile_inference.gemm, a, weights, out, block=block, parts=parts)
            calls[name]()
            torch.cuda.synchronize()
            errors[name] = difference(out, a, b)
        assert all(e < 0.03 for e in errors.values()), errors
        us = {name: statistics.median(t) for name, t in clock.interleaved(calls, rounds).items()}
        rows.append({"shape": [m, n, k], "us": us, "errors": errors})
        print((m, n, k), *(f"{name}: {t:.1f} us" for name, t in sorted(us.items(), key=lambda x: x[1])), sep="\n  ", flush=True)
    return rows


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=20)
    p.add_argument("--only", choices=("static", "timed", "tune"), help="what needs no GPU, what needs no llvm-mca, or other blocks on an NVIDIA GPU")
    p.add_argument("--page", action="store_true", help="write the tables of docs/tile_inference.md from the results, and nothing else")
    args = p.parse_args()
    if args.page:
        import pages

        print("wrote", pages.write("tile_inference"))
        return
    if args.only == "tune":
        from gpu_timing import device

        print("saved", save("tile_inference_tune", {"device": device(), "figures": tuned(args.rounds)}))
        return
    if args.only != "timed":
        code, moved = static(), traffic()
        shown = [(f["chip"], f["block"], str(f["vgpr"]), str(f["spills"]), str(f["lds"]), f"{100 * f['mca']['ratio']:.1f} %") for f in code]
        print(table([("chip", "block", "VGPR", "spills", "LDS", "utilization"), *shown]))
        print(table([("block", "LDS written", "LDS read", "loaded"),
                     *((f["block"], str(f["written"]), str(f["read"]), str(f["loaded"])) for f in moved)]))  # fmt: skip
        print("saved", save("tile_inference_static", {"figures": code, "traffic": moved}))
    if args.only != "static":
        from gpu_timing import device

        print("saved", save("tile_inference", {"device": device(), "figures": timed(args.rounds)}))


if __name__ == "__main__":
    main()
