"""The tiles of Hopper's GEMM, tuned: how long that takes for a shape, and how far the rule's choice, which measures
nothing, is from the tuned one and from cuBLAS.

    python benchmarks/tune_hopper_gemm.py [--shapes "4096,4096,4096"] [--draw 20] [--seed 1] [--table FILE]
    python benchmarks/tune_hopper_gemm.py --only shipped [--rounds 12] [--minutes 5]
    ave tune benchmarks/tune_hopper_gemm.py:gemm --shapes "m=16..16384:8,n=256..32768:8,k=256..32768:8" --draw 20

Each shape is tuned with no kernel in the cache on disk: the seconds are those of a first time. The second form tunes
the shapes of models into the table that the package brings (`avelang_kernels/matmul/tuned.txt`), kernels of all shapes
compiled side by side before; each choice is then held against the rule's and cuBLAS, and stays where it is ahead of the
rule there, too. The third keeps rows alone, and goes to many GPUs (--ray)."""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import importlib
import math
import multiprocessing
import os
import random
import tempfile
import time
from typing import Any

from drawn_gemm import compiled
from harness import ROOT, Bar, GpuClock, Part, cublas, listed, main, only, operands, poisoned, products, table

import avelang
from avelang import tuning
from avelang_kernels.matmul import hopper_gemm, hopper_rule
from avelang_kernels.matmul.hopper_tiles import GemmTile

SECONDS = 9.5  # that tuning a shape may take
MOST, ALIKE = 20, 4  # tiles that are tried: of the model's best
SHIPPED = ROOT / "src" / "avelang_kernels" / "matmul" / "tuned.txt"
# N and K of the products of a layer's weights, whole, fused (q, k and v; gate and up) and one eighth of them, as
# several GPUs have.
WEIGHTS = {
    "Llama 3 8B, Mistral 7B": ((6144, 4096), (4096, 4096), (1024, 4096), (28672, 4096), (14336, 4096), (4096, 14336)),
    "Llama 3 70B": ((10240, 8192), (8192, 8192), (1024, 8192), (57344, 8192), (28672, 8192), (8192, 28672)),
    "Llama 3 70B / 8": ((1280, 8192), (8192, 1024), (7168, 8192), (8192, 3584)),
    "Qwen3 8B": ((24576, 4096), (12288, 4096), (4096, 12288)),
    "Qwen3 32B": ((10240, 5120), (8192, 5120), (5120, 8192), (51200, 5120), (25600, 5120), (5120, 25600)),
    "DeepSeek V3": ((2112, 7168), (1536, 7168), (24576, 1536), (7168, 16384), (4096, 7168), (7168, 2048), (36864, 7168),
                    (7168, 18432)),
}  # fmt: skip
ROWS = (128, 256, 512, 1024, 2048, 4096, 8192)
SQUARES = tuple((x, x, x) for x in (1024, 1536, 2048, 3072, 4096, 6144, 8192))
LARGEST = 6e11  # products: above, the card's power decides, and the rule loses less than 1 %
SHAPES = tuple(dict.fromkeys((
    *SQUARES, (4864, 4096, 4096), (4864, 4096, 8192),
    *((m, n, k) for some in WEIGHTS.values() for n, k in some for m in ROWS if m * n * k <= LARGEST),
)))  # fmt: skip
# A row stays where the check behind the race, too, has its tile so much faster than the rule's: races of large products
# are decided by how warm the contenders before left the card.
STAYS = 0.995
# Drawn as the bars are: logarithms uniform, multiples of 8.
RANGES = ((16, 16384), (256, 32768), (256, 32768))


@functools.cache
def every() -> tuple[GemmTile, ...]:
    """More tiles than the rule chooses from: those of all shapes and kinds."""
    return tuple(hopper_rule.every_tile())


@functools.lru_cache(maxsize=64)
def modeled(m: int, n: int, k: int, align: int) -> dict[tuple[Any, ...], float]:
    """The seconds that the model gives tiles, with clusters in the rule's order: the rule's choice, and the MOST best,
    of which no more than `ALIKE` differ in their clusters and in what is C^T only."""
    rule, us = hopper_rule.choose_tile(m, n, k, align=align), hopper_rule.times(m, n, k, align=align)[1]
    found = {tuple(rule): float(us.min()) * 1e-6}
    tiles, us = hopper_rule.times_of(every(), m, n, k, align=align)
    kinds: dict[Any, int] = {}
    for i in us.argsort():
        tile = tiles[i]
        kind = tile.m, tile.n, tile.row_blocks, tile.pingpong, tile.cluster_k, tile.split
        kinds[kind] = kinds.get(kind, 0) + 1
        if kinds[kind] <= ALIKE and math.isfinite(us[i]):
            found[tuple(hopper_rule.in_order(tile, m, n))] = float(us[i]) * 1e-6
        if len(found) > MOST:
            break
    return found


def times(a: Any, b: Any) -> dict[tuple[Any, ...], float]:
    """The same, for these operands."""
    return modeled(a.shape[0], b.shape[0], a.shape[1], hopper_gemm.alignment(a, b))


def tiles(a: Any, b: Any) -> list[dict[str, Any]]:
    """The space."""
    return [{"tile": tile} for tile in times(a, b)]


def inputs(m: int, n: int, k: int) -> tuple[Any, Any, Any]:
    """The arguments for a shape."""
    return *operands(m, n, k), poisoned(m, n)


@avelang.tune(
    tuning.Space(tiles, names="tile"), key=lambda a, b: ("bf16", a.shape[0], b.shape[0], a.shape[1]), inputs=inputs, outputs="out",
    model=lambda a, b, tile: times(a, b)[tile], shapes=[dict(zip("mnk", shape, strict=True)) for shape in SHAPES],
    reference=lambda a, b: a.float() @ b.float().T, most=MOST + 1, name="avelang_kernels.matmul.hopper_gemm.gemm",
)  # fmt: skip
def gemm(a: Any, b: Any, out: Any, tile: Any) -> None:
    """C = A @ B^T by a tile."""
    hopper_gemm.gemm(a, b, out, GemmTile(*tile))


def drawn(count: int, seed: int) -> list[tuple[int, ...]]:
    """Shapes by lot."""
    rng = random.Random(seed)
    return [tuple(8 * round(math.exp(rng.uniform(math.log(low), math.log(high))) / 8) for low, high in RANGES)
            for _ in range(count)]


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Every shape tuned, and then raced against the rule's choice and cuBLAS, with a clock of its own."""
    importlib.import_module("torch")
    clock, record = GpuClock(), []
    with tempfile.TemporaryDirectory() as folder:
        for i, (m, n, k) in enumerate(args.shapes or drawn(args.draw, args.seed)):
            os.environ["AVE_CACHE_DIR"] = os.path.join(folder, str(i))
            a, b, out = inputs(m, n, k)
            done = gemm.tune(a, b, out, seconds=args.seconds, table=args.table or False)
            rule = hopper_rule.choose_tile(m, n, k, align=hopper_gemm.alignment(a, b))
            contenders = {"cuBLAS": cublas, "rule": functools.partial(hopper_gemm.gemm, tile=rule),
                          "tuned": functools.partial(hopper_gemm.gemm, tile=GemmTile(*done.choice.tile))}  # fmt: skip
            times = only(products(a, b, contenders, clock, args.rounds), "shape", "us", "errors")
            ends = [v.status for v in done.verdicts.values()]
            record.append({**times, "seconds": done.seconds, "tuned": done.row.choice, "rule": list(rule),
                           "rounds": done.row.rounds, "ends": {word: ends.count(word) for word in sorted(set(ends))}})
            print(record[-1], flush=True)
    return {"figures": record}


def likely(shape: tuple[int, int, int]) -> list[GemmTile]:
    """The tiles that are tried for a shape of whole lines."""
    return [GemmTile(*tile) for tile in modeled(*shape, 128)]


def shipped(args: argparse.Namespace) -> dict[str, Any]:
    """The shapes of models tuned into the package's table, as many as there is time for, the given ones first; then
    each beside the rule's choice and cuBLAS."""
    importlib.import_module("torch")
    end, jobs = time.monotonic() + 60 * args.minutes, min(16, len(os.sched_getaffinity(0)))
    shapes = args.shapes or SHAPES
    kernels = sorted({tile for shape in shapes for tile in likely(shape)}, key=str)
    with concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(compiled, [kernels[i::jobs] for i in range(jobs)], ["bf16"] * jobs))
    clock, record = GpuClock(), []
    for m, n, k in shapes:
        if time.monotonic() > end:
            break
        a, b, out = inputs(m, n, k)
        done = gemm.tune(a, b, out, seconds=args.seconds, table=str(SHIPPED), workers=0)
        rule = hopper_rule.choose_tile(m, n, k)
        contenders = {"cuBLAS": cublas, "rule": functools.partial(hopper_gemm.gemm, tile=rule),
                      "tuned": functools.partial(hopper_gemm.gemm, tile=GemmTile(*done.choice.tile))}  # fmt: skip
        times = only(products(a, b, contenders, clock, args.rounds), "shape", "us", "errors")
        record.append({**times, "seconds": done.seconds, "tuned": done.row.choice, "rounds": done.row.rounds})
        if not stays(record[-1]):
            without = [row for row in tuning.read(SHIPPED) if row.place != done.row.place]
            tuning.write(SHIPPED, tuning.Table(without))
    return {"figures": record}


def stays(figure: dict[str, Any]) -> bool:
    """True for a shape whose row stays in the package's table."""
    return figure["us"]["tuned"] < STAYS * figure["us"]["rule"]


def geomean(values: list[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def bars(record: dict[str, Any]) -> list[Bar]:
    """Seconds for a shape, and what the rule loses."""
    figures = record["figures"]
    return [Bar("tuning a shape", max(f["seconds"] for f in figures), 10.0, "s"),
            Bar("the rule's time, of the tuned choice's", geomean([f["us"]["rule"] / f["us"]["tuned"] for f in figures]),
                1.03, "x")]  # fmt: skip


def show(record: dict[str, Any]) -> str:
    """Each shape: the rule and the tuned choice beside cuBLAS."""
    rows = [("shape", "rule", "tuned", "seconds", "tile")]
    for f in record["figures"]:
        us = f["us"]
        cells = (f"{us['cuBLAS'] / us['rule']:.3f}", f"{us['cuBLAS'] / us['tuned']:.3f}", f"{f['seconds']:.1f}")
        rows.append((" ".join(map(str, f["shape"])), *cells, f["tuned"]))
    return table(rows)


def show_all(record: dict[str, Any]) -> str:
    """The same, and means: of the rule, of all tuned choices, and of the table with the rows that stay."""
    figures = record["figures"]
    pairs = [(f["us"]["cuBLAS"] / f["us"]["rule"], f["us"]["cuBLAS"] / f["us"]["tuned"], stays(f)) for f in figures]
    means = (geomean(x) for x in ([p[0] for p in pairs], [p[1] for p in pairs], [p[p[2]] for p in pairs]))
    words = f"{len(pairs)} shapes, {sum(p[2] for p in pairs)} rows: of cuBLAS, the rule {{:.3f}}, tuned {{:.3f}}, the table {{:.3f}}"
    return f"{show(record)}\n{words.format(*means)}"


if __name__ == "__main__":
    main(__doc__, Part("tune", "tune_hopper_gemm", measure, show, gpu=True, bars=bars),
         Part("shipped", "tune_hopper_gemm_shipped", shipped, show_all, gpu=True, default=False), rounds=20,
         more={"--shapes": {"type": listed}, "--draw": {"type": int, "default": 20},
               "--seed": {"type": int, "default": 1}, "--seconds": {"type": float, "default": SECONDS},
               "--minutes": {"type": float, "default": 5.0}, "--table": {"help": "a table to keep the rows in"}})  # fmt: skip
