"""Products of few rows on the tile level (`avelang_kernels.matmul.tile_skinny`), seed 004's shapes: what the gfx942
code takes, by counting; on an NVIDIA GPU the same source beside cuBLAS and the thread-level kernel.

    python benchmarks/tile_skinny.py [--rounds 40] [--only static | --only timed | --only tune]

Static: the executor runs the gfx942 code of one tile of columns with all its parts of K, and counts matrix instructions
and bytes of LDS; the other tiles run the same code as often, as N is a multiple of a tile, so their number times that
is the product's. VDMFMA stands beside the dense MFMA padded to 16 rows, all else equal. llvm-mca: the main loop, one
wave; no time on a card. Writes `results/tile_skinny_static.json`.

Timed: contenders in turn, L2 written over before each call, medians of device time; every result is checked against
float64 first. Writes `results/tile_skinny.json`. Tune: rings of NVIDIA's (`tile_skinny.ring`) of other extents and
stages, in turn; writes `results/tile_skinny_tune.json`."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import math
import re
from typing import Any

import numpy as np
from harness import (
    GpuClock,
    Part,
    code_figures,
    code_table,
    cublas,
    exact_product,
    gpu_target,
    hopper,
    main,
    only,
    operands,
    printed,
    products,
    table,
    units,
)  # fmt: skip

import avelang.language as al
from avelang import arch, executor, tile
from avelang.isa.amdgpu.passes import CLOCKS, passes
from avelang.runtime.compile import compile_text
from avelang_kernels.matmul import hopper_skinny
from avelang_kernels.matmul.tile_skinny import block_of, build, gemm, launch, plan_of, work_of

SHAPES = tuple((8, n, k) for n in (13312, 2304, 6656) for k in (16384, 8192))
F16: Any = al.f16
UNITS = arch.product("gfx942").count
DENSE = "MFMA_F32_16x16x16_F16"
MATRIX = re.compile(r"^\tv_s?mf", re.MULTILINE)


def blocks(m: int, n: int, k: int) -> tuple[dict[str, tile.Block], int]:
    """The block that is chosen, the same with a padded dense instruction, and the parts of K."""
    plan = plan_of(m, n, k, F16, "gfx942")
    best = block_of(plan)
    return {"VDMFMA": best, "padded": dataclasses.replace(best, m=16, mma=DENSE)}, plan.split_k


@functools.cache
def assembly(block: tile.Block, parts: int) -> str:
    """The gfx942 code of a block."""
    return compile_text(build(block, parts, F16, F16), {}, (block.on("gfx942", F16).threads, 1, 1), "gfx942", "asm")


@functools.cache
def counted(block: tile.Block, parts: int, k: int, m: int = 8) -> dict[str, int]:
    """Of one tile of columns: matrix-pipe cycles, bytes read from and written to LDS, blocks; the result is checked."""
    rng, each, parts = np.random.default_rng(1), *work_of(k, block.k, parts)
    a, b = (rng.integers(-3, 4, (rows, k)).astype(np.float16) for rows in (m, block.n))
    text, names = assembly(block, parts), set()
    runs = []
    # what is longer by an instruction for each of the matrix's
    for code in (text, MATRIX.sub(lambda x: "\ts_nop 0\n" + x[0], text)):
        out, kept, counts = np.full((m, block.n), np.nan, np.float16), np.zeros(parts * block.m * block.n,
                np.float32), np.zeros(1, np.uint32)
        kernel, threads = executor.load(code, profile=True), block.on("gfx942", F16).threads
        runs.append(kernel[parts, threads](a, b, out, kept, counts, m, block.n, k, each))
        assert np.array_equal(out, exact_product(a, b).astype(np.float16)), "a wrong result is not counted"
    names = set(re.findall(r"^\t(v_s?mf\S+)", text, re.MULTILINE))
    assert len(names) == 1, names
    cycles = (runs[1].instructions - runs[0].instructions) * passes(names.pop(), "gfx942") * CLOCKS
    return {"cycles": cycles, "read": runs[0].traffic.read, "written": runs[0].traffic.written, "blocks": parts}


def static(args: argparse.Namespace) -> dict[str, Any]:
    """All shapes, and the code of the first one."""
    rows = []
    for m, n, k in SHAPES:
        both, parts = blocks(m, n, k)
        tiles = math.ceil(n / both["VDMFMA"].n)
        assert n % both["VDMFMA"].n == 0
        found = {name: {what: count * tiles for what, count in counted(b, parts, k).items()}
                 for name, b in both.items()}
        rows.append({"shape": [m, n, k], "parts": parts, **found, "busy": share(found["VDMFMA"]["blocks"])})
    return {"figures": rows, "code": code()}


def share(count: int) -> float:
    """Of the units' time that has a block, if all blocks take as long and a unit one after another."""
    return count / (math.ceil(count / UNITS) * UNITS)


def code(shape: tuple[int, int, int] = SHAPES[0]) -> list[dict[str, Any]]:
    """What the code of the first shape takes, and how busy one wave keeps the matrix core in the main loop."""
    both, parts = blocks(*shape)
    best, plan = both["VDMFMA"], plan_of(*shape, F16, "gfx942")
    wide = dataclasses.replace(best, n=2 * best.n)
    moved = dataclasses.replace(best, mma=plan.mma.name.removesuffix("_PAIRED"))
    shown = {**both, "VDMFMA, B moved in registers": moved,
             "VDMFMA, that and B by LDS": dataclasses.replace(moved, pipeline="prefetch"),
             f"VDMFMA, {wide.n} columns": wide}  # fmt: skip
    out = []
    for name, block in shown.items():
        made = code_figures(assembly(block, parts), "gfx942")
        out.append(
            {
                "block": name,
                **only(made, "vgpr", "spills", "lds", "waves", "loop", "mca"),
                "vgpr": made["vgpr"] + made["agpr"],
            }
        )
    return out


def show(record: dict[str, Any]) -> str:
    """Both tables."""
    lines = [("shape", "parts", "blocks", "busy", "matrix cycles", "padded", "ratio", "LDS bytes", "padded", "ratio")]
    for r in record["figures"]:
        a, b = ({"cycles": r[x]["cycles"], "lds": r[x]["read"] + r[x]["written"]} for x in ("VDMFMA", "padded"))
        cells = (f"{a['cycles']}", f"{b['cycles']}", f"{a['cycles'] / b['cycles']:.2f}", f"{a['lds']}", f"{b['lds']}",
                 f"{a['lds'] / b['lds']:.2f}")
        lines.append(
            (
                "x".join(map(str, r["shape"])),
                str(r["parts"]),
                str(r["VDMFMA"]["blocks"]),
                f"{100 * r['busy']:.1f} %",
                *cells,
            )
        )
    return "\n".join([table(lines), code_table("main loop, gfx942", record["code"], "block")])


def on_gpu(m: int, n: int, k: int, runs: dict[str, Any], rounds: int) -> dict[str, Any]:
    """A row of the record: microseconds and GB/s of B."""
    f = only(products(*operands(m, n, k, "float16"), runs, GpuClock(clean=True), rounds, 0.01), "shape", "us", "errors")
    printed(
        (m, n, k),
        {
            name: f"{t:.1f} us, {2 * n * k / t / 1e3:.0f} GB/s"
            for name, t in sorted(f["us"].items(), key=lambda x: x[1])
        },
    )
    return {**f, "GB/s": {name: 2 * n * k / t / 1e3 for name, t in f["us"].items()}}


def timed(args: argparse.Namespace) -> dict[str, Any]:
    """Microseconds on the GPU."""
    runs = {"tile": gemm, "cuBLAS": cublas, **({"thread level": hopper_skinny.skinny_gemm} if hopper() else {})}
    return {"figures": [on_gpu(m, n, k, runs, args.rounds) for m, n, k in SHAPES]}


# Columns and bytes of a row in a step, stages, waves, blocks for each multiprocessor, the instruction of 8 rows.
RINGS = {
    "64x128B, 8 stages, 3": (64, 128, 8, 4, 3, True), "64x128B, 6 stages, 4": (64, 128, 6, 4, 4, True),
    "64x128B, 8 stages, 2": (64, 128, 8, 4, 2, True), "128x128B, 6 stages, 2": (128, 128, 6, 4, 2, True),
    "64x256B, 5 stages, 2": (64, 256, 5, 4, 2, True), "32x256B, 6 stages, 4": (32, 256, 6, 2, 4, True),
    "64x128B, 8 stages, 3, 16 rows": (64, 128, 8, 4, 3, False), "128x128B, 10 stages, 1": (128, 128, 10, 4, 1, True),
}  # fmt: skip


def tuned(args: argparse.Namespace) -> dict[str, Any]:
    """Microseconds of other rings, on NVIDIA."""
    rows = []
    for m, n, k in SHAPES:
        runs = {}
        for name, (columns, row, stages, waves, resident, few) in RINGS.items():
            mma, step = "VMMA_SYNC_F32_8x16x16_F16" if few else None, row // 2
            T = tile.Block(8 if few else 16, columns, step, (1, waves), "streamed", stages, mma=mma)
            parts = max(1, min(resident * units() // -(-n // columns), k // step // (2 * stages)))
            runs[name] = lambda a, b, out, T=T, parts=parts: launch(a, b, out, T, parts, gpu_target())
        rows.append(on_gpu(m, n, k, runs, args.rounds))
    return {"figures": rows}


if __name__ == "__main__":
    main(__doc__, Part("static", "tile_skinny_static", static, show), Part("timed", "tile_skinny", timed, gpu=True),
         Part("tune", "tile_skinny_tune", tuned, gpu=True, default=False), rounds=40, page="tile_skinny")  # fmt: skip
