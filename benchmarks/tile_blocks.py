"""The blocks among which `tile.block_for` chooses (`avelang.tile.tuned`): how busy each keeps AMD's matrix pipes; how fast it is on NVIDIA's GPUs.

    python benchmarks/tile_blocks.py [--only static | --only timed] [--rounds 20]

Static: one wave's share of the matrix pipe by llvm-mca and spills, for bf16 and for 8-bit integers, on gfx90a, gfx942 and gfx950; nothing is timed.
Timed: TFLOP/s of the chip's blocks at 4096 cubed in bf16, in turn, results checked against float64, and the share of the fastest one.
Writes `results/tile_blocks.json` and `results/tile_blocks_gpu.json`; what the table in `avelang/tile/tuned.py` should say is printed.
"""

from __future__ import annotations

import argparse
import functools
import statistics
from typing import Any

import avelang.language as al
from avelang.amdgcn.mca import utilization
from avelang.amdgcn.report import report
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


def static() -> list[dict[str, Any]]:
    """One row a block, dtype and chip."""
    rows = []
    for known in AMD:
        for chip in CHIPS:
            for dtype, to in DTYPES:
                b = block(known, dtype, chip)
                threads = b.on(chip, dtype).threads
                text = compile_text(build(b, dtype, to), {"EACH": 16 // dtype.bytes, "WIDE": 4}, (threads, 1, 1), chip, "asm")
                made, busy = report(text), utilization(text, chip)
                assert busy is not None
                rows.append({"pipeline": b.pipeline, "tile": [b.m, b.n, b.k], "waves": b.waves, "chip": chip, "dtype": str(dtype), "vgpr": made.vgpr,
                             "spills": made.vgpr_spills + made.sgpr_spills, "lds": made.lds, "share": busy.ratio,
                             "known": known.share(chip)})  # fmt: skip
    return rows


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
    return f"{b.pipeline} {b.m}x{b.n}x{b.k} {b.waves[0]}x{b.waves[1]}"


def lines_of_nvidia(rows: list[dict[str, Any]], chip: str) -> list[str]:
    """The table of NVIDIA's blocks: name and share."""
    mine = {r["block"]: r["share"] for r in rows}
    return [f"    {name}: {mine[name]:.2f}" for name in (named(block(b, al.bf16, chip)) for b in blocks_of(chip)) if name in mine]


def timed(rounds: int) -> tuple[list[dict[str, Any]], str]:
    """Each block of the GPU's chip at `SIZE` cubed."""
    import torch
    from gpu_timing import Clock, difference

    from avelang.tile import device_of

    a, b = (torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    chip, units = device_of(a)
    calls, outs = {}, {}
    for known in blocks_of(chip):
        made = block(known, al.bf16, chip)
        name = named(made)
        weights = preshuffle(b, made, chip).data if made.pipeline == "preshuffled" else b
        outs[name] = torch.full((SIZE, SIZE), float("nan"), device="cuda", dtype=torch.bfloat16)
        calls[name] = functools.partial(gemm, a, weights, outs[name], made, chip, units)
    outs["chosen"] = torch.full((SIZE, SIZE), float("nan"), device="cuda", dtype=torch.bfloat16)
    calls["chosen"] = functools.partial(gemm, a, b, outs["chosen"])
    for name, call in calls.items():
        call()
        torch.cuda.synchronize()
        assert difference(outs[name], a, b) < 0.03, name
    us = {name: statistics.median(t) for name, t in Clock().interleaved(calls, rounds).items()}
    best = min(us.values())
    return [{"block": name, "us": t, "tflops": 2 * SIZE**3 / t / 1e6, "share": best / t} for name, t in us.items()], chip


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=20)
    p.add_argument("--only", choices=("static", "timed"), help="what needs no GPU, or what needs no llvm-mca")
    p.add_argument("--page", action="store_true", help="write the tables of docs/tile.md from the results, and nothing else")
    args = p.parse_args()
    if args.page:
        import pages

        print("wrote", pages.write("tile"))
        return
    from common import save, table

    if args.only != "timed":
        rows = static()
        print(table([("block", "chip", "dtype", "VGPR", "spills", "LDS", "share", "in the table"),
                     *((f"{r['pipeline']} {'x'.join(map(str, r['tile']))}", r["chip"], r["dtype"], str(r["vgpr"]), str(r["spills"]), str(r["lds"]),
                        f"{r['share']:.3f}", f"{r['known']:.3f}") for r in rows)]))  # fmt: skip
        print("saved", save("tile_blocks", {"figures": rows}))
        print("\n".join(lines(rows)))
    if args.only != "static":
        from gpu_timing import device

        rows, chip = timed(args.rounds)
        print(table([("block", "TFLOP/s", "of the fastest"), *((r["block"], f"{r['tflops']:.0f}", f"{r['share']:.2f}") for r in rows)]))
        print("\n".join(lines_of_nvidia(rows, chip)))
        print("saved", save("tile_blocks_gpu", {"device": device(), "figures": rows}))


if __name__ == "__main__":
    main()
