"""The rule of AMD's GEMM beside the model of a compute unit: the share of the matrix pipes' time that each tile's code
reaches there, of which the rule is made; the same of the storage orders; and what the rule says of shapes drawn by lot.
Models, no times on a card.

    python benchmarks/amd_rule.py                 # a minute
    python benchmarks/amd_rule.py --only drawn --seed 7
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from typing import Any

import ml_dtypes
import numpy as np
from harness import Bar, Part, main, table

from avelang import executor
from avelang_kernels.matmul import mi300_rule as rule
from avelang_kernels.matmul.mi300_gemm import gemm
from avelang_kernels.matmul.mi300_tiles import LARGE, SMALL, Mi300Tile

K = 1024
ORDERS = {"NT": (False, False), "NN": (False, True), "TT": (True, False), "TN": (True, True)}
RANGES = (16, 1 << 14), (256, 1 << 15), (256, 1 << 15)  # of M, N and K


def modeled(tile: Mi300Tile, turned: tuple[bool, bool] = (False, False)) -> float:
    """Share of the matrix pipes' time in the main loop, by the model of a compute unit, for bf16 on gfx942."""
    rng = np.random.default_rng(0)
    stored = [rng.standard_normal((K, rows) if t else (rows, K)).astype(ml_dtypes.bfloat16)
              for rows, t in zip((tile.m, tile.n), turned, strict=True)]  # fmt: skip
    a, b = (x.T if t else x for x, t in zip(stored, turned, strict=True))
    with executor.compute_unit(memory_latency=rule.LATENCY) as found:
        gemm(a, b, tile=tile, split=1, target="gfx942")
    share = found[0].loop
    assert share is not None
    return round(share, 3)


def measure_tiles(args: argparse.Namespace) -> dict[str, Any]:
    """The shares of all tiles."""
    return {"tiles": [{"tile": list(t), "share": modeled(t)} for t in rule.candidates()]}


def show_tiles(record: dict[str, Any]) -> str:
    """A line for each tile."""
    rows = [(f"{m} x {n}", f"{a} x {b}", f"{x['share']:.1%}") for x in record["tiles"] for m, n, a, b, _ in (x["tile"],)]
    return table([("tile", "waves", "matrix pipes, by the model of a unit"), *rows])


def measure_orders(args: argparse.Namespace) -> dict[str, Any]:
    """The shares of the storage orders: of A and B^T as they lie in memory."""
    return {f"{t.m} x {t.n}": {name: modeled(t, x) for name, x in ORDERS.items()} for t in (SMALL, LARGE)}


def show_orders(record: dict[str, Any]) -> str:
    """A line for each tile."""
    rows = [(name, *(f"{shares[order]:.1%}" for order in ORDERS)) for name, shares in record.items()]
    return table([("tile", *ORDERS), *rows])


def measure_drawn(args: argparse.Namespace) -> dict[str, Any]:
    """The rule's choice for 60 shapes by lot, beside the better of two tiles without a split."""
    r, rows, clocks = random.Random(args.seed), [], []
    rule.choose(64, 64, 64)
    for _ in range(60):
        m, n, k = (round(math.exp(r.uniform(math.log(low), math.log(high)))) // 8 * 8 for low, high in RANGES)
        begin = time.perf_counter()
        place = rule.choose(m, n, k)
        clocks.append(1e6 * (time.perf_counter() - begin))
        tiles, us = rule.times(m, n, k)
        old = min(us[tiles.index(t), 0] for t in (SMALL, LARGE))
        rows.append({"shape": [m, n, k], "tile": list(place.tile[:2]), "split": place.split,
                     "us": round(float(us.min()), 1), "before": round(float(old / us.min()), 2)})  # fmt: skip
    return {"shapes": rows, "choice_us": round(statistics.median(clocks), 1),
            "geomean": round(statistics.geometric_mean([x["before"] for x in rows]), 2)}  # fmt: skip


def show_drawn(record: dict[str, Any]) -> str:
    """A line for each shape."""
    rows = [(" x ".join(map(str, x["shape"])), " x ".join(map(str, x["tile"])), str(x["split"]), f"{x['us']:.1f}",
             f"{x['before']:.2f}") for x in record["shapes"]]  # fmt: skip
    head = ("shape", "tile", "parts of K", "us, model", "of two tiles without a split")
    return table([head, *rows]) + f"\ngeomean {record['geomean']}; a first choice takes {record['choice_us']} us"


def bars(record: dict[str, Any]) -> list[Bar]:
    """What a choice may take."""
    return [Bar("a choice, first time", record["choice_us"], 50, "us")]


if __name__ == "__main__":
    main(__doc__, Part("tiles", "amd_rule_tiles", measure_tiles, show_tiles),
         Part("orders", "amd_rule_orders", measure_orders, show_orders),
         Part("drawn", "amd_rule_drawn", measure_drawn, show_drawn, bars=bars), more={"--seed": {"type": int, "default": 1}})
