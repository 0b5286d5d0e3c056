"""The blocks among which `tile.block_for` chooses (`avelang.tile.tuned`): how busy each keeps AMD's matrix pipes; how
fast it is on NVIDIA's GPUs.

    python benchmarks/tile_blocks.py [--only static | --only timed] [--rounds 20]

Static: one wave's share of the matrix pipe by llvm-mca and spills, for bf16 and for 8-bit integers, on gfx90a, gfx942
and gfx950; nothing is timed. Timed: TFLOP/s of the chip's blocks at 4096 cubed in bf16, in turn, results checked
against float64, and the share of the fastest one. Writes `results/tile_blocks.json` and `results/tile_blocks_gpu.json`;
what the table in `avelang/tile/tuned.py` should say is printed."""

from __future__ import annotations

import argparse
from typing import Any

import avelang.language as al
from avelang.runtime.compile import compile_text
from avelang.tile import Block
from avelang.tile.pipelines import pipeline
from avelang.tile.tuned import AMD, TunedBlock, blocks_of
from avelang_kernels.matmul.tile_gemm import build, gemm
from avelang_kernels.matmul.tile_inference import preshuffle

CHIPS = ("gfx90a", "gfx942", "gfx950")
SIZE = 4096
DTYPES: tuple[tuple[Any, Any], ...] = ((al.bf16, al.bf16), (al.i8, al.i32))


def block(known: TunedBlock, dtype: Any, chip: str) -> Block:
    """With the k that the choice takes."""
    k, deep = known.row // dtype.bytes, pipeline(known.pipeline).deep
    waves = (2, 2) if known.pipeline == "tma" else known.waves
    if deep:
        fragment = Block(known.m, known.n, 1024, waves, "single").on(chip, dtype).depth
        k = max(k, deep * fragment)
    return Block(known.m, known.n, k, waves, known.pipeline, known.stages, known.cluster)


def static(args: argparse.Namespace) -> dict[str, Any]:
    """One row a block, dtype and chip."""
    from harness import code_figures

    rows = []
    for known in AMD:
        for chip in CHIPS:
            for dtype, to in DTYPES:
                b = block(known, dtype, chip)
                threads = b.on(chip, dtype).threads
                made = code_figures(
                    compile_text(
                        build(b, dtype, to), {"EACH": 16 // dtype.bytes, "WIDE": 4}, (threads, 1, 1), chip, "asm"
                    ),
                    chip,
                )
                rows.append({"pipeline": b.pipeline, "tile": [b.m, b.n, b.k], "waves": b.waves, "chip": chip,
                             "dtype": str(dtype), "vgpr": made["vgpr"], "spills": made["spills"], "lds": made["lds"],
                             "share": made["mca"]["ratio"], "known": known.share(chip)})  # fmt: skip
    return {"figures": rows}


def lines(rows: list[dict[str, Any]]) -> list[str]:
    """The table of AMD's blocks with these shares."""
    out = []
    for known in AMD:
        name = (known.pipeline, known.m, known.n)
        mine = {r["chip"]: r["share"] for r in rows if r["dtype"] == "bf16" and (r["pipeline"], *r["tile"][:2]) == name}
        more = [f"row={known.row}"] * (known.row != 128) + [f"stages={known.stages}"] * (known.stages != 4)
        shares = [f"{mine[chip]:.3f}" for chip in CHIPS]
        said = [f'"{known.pipeline}"', str(known.m), str(known.n), str(known.waves), *shares, *more]
        out.append(f"    _amd({', '.join(said)}),")
    return out


def named(b: Block) -> str:
    """A block in words."""
    return f"{b.pipeline} {b.m}x{b.n}x{b.k} {b.waves[0]}x{b.waves[1]}"


def lines_of_nvidia(rows: list[dict[str, Any]], chip: str) -> list[str]:
    """The table of NVIDIA's blocks: name and share."""
    mine = {r["block"]: r["share"] for r in rows}
    return [
        f"    {name}: {mine[name]:.2f}"
        for name in (named(block(b, al.bf16, chip)) for b in blocks_of(chip))
        if name in mine
    ]


def timed(args: argparse.Namespace) -> dict[str, Any]:
    """Each block of the GPU's chip at `SIZE` cubed."""
    from harness import GpuClock, operands, products

    from avelang.tile import device_of

    a, b = operands(SIZE, SIZE, SIZE)
    chip, units = device_of(a)

    def runs(made: Block) -> Any:
        weights = preshuffle(b, made, chip).data if made.pipeline == "preshuffled" else b
        return lambda a, b, out: gemm(a, weights, out, made, chip, units)

    blocks = [block(known, al.bf16, chip) for known in blocks_of(chip)]
    f = products(a, b, {**{named(x): runs(x) for x in blocks}, "chosen": gemm}, GpuClock(), args.rounds)
    best = min(f["us"].values())
    return {
        "figures": [
            {"block": name, "us": t, "tflops": f["tflops"][name], "share": best / t} for name, t in f["us"].items()
        ]
    }


def show_static(record: dict[str, Any]) -> str:
    """The shares, and what the table in `avelang/tile` should say."""
    from harness import table

    rows = record["figures"]
    cells = (
        (
            f"{r['pipeline']} {'x'.join(map(str, r['tile']))}",
            r["chip"],
            r["dtype"],
            str(r["vgpr"]),
            str(r["spills"]),
            str(r["lds"]),
            f"{r['share']:.3f}",
            f"{r['known']:.3f}",
        )
        for r in rows
    )
    return "\n".join(
        [table([("block", "chip", "dtype", "VGPR", "spills", "LDS", "share", "in the table"), *cells]), *lines(rows)]
    )


def show_timed(record: dict[str, Any]) -> str:
    """The speeds, and what the table in `avelang/tile` should say."""
    from harness import gpu_target, table

    rows = record["figures"]
    shown = table(
        [
            ("block", "TFLOP/s", "of the fastest"),
            *((r["block"], f"{r['tflops']:.0f}", f"{r['share']:.2f}") for r in rows),
        ]
    )
    return "\n".join([shown, *lines_of_nvidia(rows, gpu_target())])


if __name__ == "__main__":
    from harness import Part, main

    main(__doc__, Part("static", "tile_blocks", static, show_static),
         Part("timed", "tile_blocks_gpu", timed, show_timed, gpu=True), rounds=20,
         page="tile")  # fmt: skip
