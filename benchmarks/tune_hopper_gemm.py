"""The tiles of Hopper's GEMM, tuned: how long that takes for a shape, and how far the rule's choice, which measures
nothing, is from the tuned one and from cuBLAS.

    python benchmarks/tune_hopper_gemm.py [--shapes "4096,4096,4096"] [--draw 20] [--seed 1] [--table FILE]
    ave tune benchmarks/tune_hopper_gemm.py:gemm --shapes "m=16..16384:8,n=256..32768:8,k=256..32768:8" --draw 20

Each shape is tuned with no kernel in the cache on disk: the seconds are those of a first time. The second form keeps
the rows alone, and goes to many GPUs (--ray)."""

from __future__ import annotations

import argparse
import functools
import importlib
import math
import os
import random
import tempfile
from typing import Any

from harness import Bar, GpuClock, Part, cublas, listed, main, only, operands, poisoned, products, table

import avelang
from avelang import tuning
from avelang_kernels.matmul import hopper_gemm, hopper_rule
from avelang_kernels.matmul.hopper_tiles import GemmTile

SECONDS = 9.5  # that tuning a shape may take
MOST = 12  # tiles that are tried: of the model's best
# Drawn as the bars are: logarithms uniform, multiples of 8.
RANGES = ((16, 16384), (256, 32768), (256, 32768))


@functools.lru_cache(maxsize=64)
def modeled(m: int, n: int, k: int, align: int) -> dict[tuple[Any, ...], float]:
    """The seconds that the model gives each tile that can be."""
    tiles, us = hopper_rule.times(m, n, k, align=align)
    return {tuple(t): float(x) * 1e-6 for t, x in zip(tiles, us, strict=True) if math.isfinite(x)}


def times(a: Any, b: Any) -> dict[tuple[Any, ...], float]:
    """The same, for these operands."""
    return modeled(a.shape[0], b.shape[0], a.shape[1], hopper_gemm.alignment(a, b))


def tiles(a: Any, b: Any) -> list[dict[str, Any]]:
    """The space: the rule's tiles that the shape can have."""
    return [{"tile": tile} for tile in times(a, b)]


def inputs(m: int, n: int, k: int) -> tuple[Any, Any, Any]:
    """The arguments for a shape."""
    return *operands(m, n, k), poisoned(m, n)


@avelang.tune(
    tuning.Space(tiles, names="tile"), key=lambda a, b: ("bf16", a.shape[0], b.shape[0], a.shape[1]), inputs=inputs, outputs="out",
    model=lambda a, b, tile: times(a, b)[tile],
    reference=lambda a, b: a.float() @ b.float().T, most=MOST, name="avelang_kernels.matmul.hopper_gemm.gemm",
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
            contenders = {"cuBLAS": cublas, "rule": hopper_gemm.gemm,
                          "tuned": functools.partial(hopper_gemm.gemm, tile=GemmTile(*done.choice.tile))}  # fmt: skip
            times = only(products(a, b, contenders, clock, args.rounds), "shape", "us", "errors")
            ends = [v.status for v in done.verdicts.values()]
            record.append({**times, "seconds": done.seconds, "tuned": done.row.choice, "rule": list(rule),
                           "rounds": done.row.rounds, "ends": {word: ends.count(word) for word in sorted(set(ends))}})
            print(record[-1], flush=True)
    return {"figures": record}


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


if __name__ == "__main__":
    main(__doc__, Part("tune", "tune_hopper_gemm", measure, show, gpu=True, bars=bars), rounds=20,
         more={"--shapes": {"type": listed}, "--draw": {"type": int, "default": 20},
               "--seed": {"type": int, "default": 1}, "--seconds": {"type": float, "default": SECONDS},
               "--table": {"help": "a table to keep the rows in"}})  # fmt: skip
