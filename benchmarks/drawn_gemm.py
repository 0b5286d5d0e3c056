"""C = A @ B^T at shapes drawn by lot, on a Hopper GPU: the tile that the rule chooses, beside cuBLAS, and what other
tiles would have given.

M is log-uniform from 16 to 16384, N and K from 256 to 32768, multiples of 8; bf16, device time, L2 full of other data,
contenders in turn; results are held against cuBLAS's on fresh random inputs, into NaN. The record has every tile's
time: `hopper_rule.py` is fitted to such records.

    python benchmarks/drawn_gemm.py [--seed 1] [--count 60] [--others 0] [--rounds 12] [--minutes 5]
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import math
import multiprocessing
import os
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from harness import GpuClock, Part, main, medians, operands, poisoned, table

Shape = tuple[int, int, int]


def drawn(count: int, seed: int) -> list[Shape]:
    """Shapes (m, n, k)."""
    rng = random.Random(seed)

    def number(least: int, most: int) -> int:
        return max(8, int(math.exp(rng.uniform(math.log(least), math.log(most)))) // 8 * 8)

    return [(number(16, 16384), number(256, 32768), number(256, 32768)) for _ in range(count)]


def tiles_for(shape: Shape, others: int, rng: random.Random) -> list[Any]:
    """The rule's tile first, then so many others: the next by the model of different kinds, and one in four by lot."""
    from avelang_kernels.matmul.hopper_rule import times

    tiles, us = times(*shape)
    order = [tiles[i] for i in us.argsort() if us[i] < 2 * us.min()]
    found, kinds = order[:1], {}
    for tile in order[1:]:
        kind = tile.row_blocks, tile.consumers, tile.pingpong, tile.transposed, tile.cluster_k > 1
        kinds[kind] = kinds.get(kind, 0) + 1
        if kinds[kind] <= max(1, others // 4) and len(found) <= others * 3 // 4:
            found.append(tile)
    rest = [tile for tile in order if tile not in found]
    return found + rng.sample(rest, min(others + 1 - len(found), len(rest)))


def compiled(tiles: list[Any]) -> None:
    """Puts kernels into the cache, by one launch each."""
    from avelang_kernels.matmul.hopper_gemm import gemm

    a, b = operands(64, 64, 8192)
    for tile in tiles:
        gemm(a, b, poisoned(64, 64), tile)


def row(shape: Shape, tiles: list[Any], clock: GpuClock, rounds: int) -> dict[str, Any]:
    """Times of cuBLAS and of all tiles for a shape."""
    import torch

    from avelang_kernels.matmul.hopper_gemm import gemm

    m, n, k = shape
    a, b = operands(*shape)
    want = poisoned(m, n)
    calls: dict[str, Callable[[], Any]] = {"cuBLAS": functools.partial(torch.matmul, a, b.T, out=want)}
    calls["cuBLAS"]()
    scale = float(want.float().square().mean().sqrt())
    out, wrong = poisoned(m, n), []
    for tile in tiles:
        call = functools.partial(gemm, a, b, out, tile)
        out.fill_(float("nan"))
        call()
        # Two roundings to bf16, each of half a unit in the last place.
        right = bool(((out.float() - want.float()).abs() <= 2.0**-7 * want.float().abs() + 1e-3 * scale).all())
        wrong += [] if right else [str(tuple(tile))]
        calls[str(tuple(tile))] = call
    us = medians(clock.interleaved(calls, rounds if m * n * k < 1 << 40 else max(3, rounds // 3), warm=1))
    ours = {name: t for name, t in us.items() if name != "cuBLAS"}
    best = min(ours, key=lambda name: ours[name])
    chosen = str(tuple(tiles[0]))
    return {"shape": shape, "us": us, "chosen": chosen, "best": best, "of_cublas": us["cuBLAS"] / us[chosen],
            "best_of_cublas": us["cuBLAS"] / us[best], "wrong": wrong}  # fmt: skip


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """A row for each shape, until time is over."""
    import torch

    end, rng = time.monotonic() + 60 * args.minutes, random.Random(args.seed)
    work = [(shape, tiles_for(shape, args.others, rng)) for shape in drawn(args.count, args.seed)]
    tiles = sorted({tile for _, some in work for tile in some})
    jobs = min(16, len(os.sched_getaffinity(0)))
    with concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(compiled, [tiles[i::jobs] for i in range(jobs)]))
    clock, rows = GpuClock(), []
    for shape, some in work:
        if time.monotonic() > end:
            break
        rows.append(row(shape, some, clock, args.rounds))
        torch.cuda.empty_cache()
    return {"seed": args.seed, "rounds": args.rounds, "kernels": len(tiles), "rows": rows}


def show(record: dict[str, Any]) -> str:
    """The table, the least ratio last, and geometric means."""
    rows = sorted(record["rows"], key=lambda r: -r["of_cublas"])
    lines = [("m n k", "cuBLAS", "rule", "of cuBLAS", "best", "of cuBLAS", "")]
    for r in rows:
        us, wrong = r["us"], "WRONG " + " ".join(r["wrong"]) if r["wrong"] else ""
        best = r["best"] if r["best"] != r["chosen"] else ""
        name = " ".join(map(str, r["shape"]))
        ratios = f"{r['of_cublas']:.3f}", f"{r['best_of_cublas']:.3f}"
        lines.append((name, f"{us['cuBLAS']:.1f} us", r["chosen"], ratios[0], best, ratios[1], wrong))
    means = (statistics.geometric_mean([r[key] for r in rows]) for key in ("of_cublas", "best_of_cublas"))
    rule, best = means
    lines.append((f"geometric mean of {len(rows)}", "", "", f"{rule:.3f}", "", f"{best:.3f}", ""))
    return table(lines)


if __name__ == "__main__":
    main(__doc__, Part("drawn", "drawn_gemm", measure, show, gpu=True), rounds=12, more={
        "--seed": {"type": int, "default": 1}, "--count": {"type": int, "default": 60}, "--others": {"type": int, "default": 0},
        "--minutes": {"type": float, "default": 5.0},
    })  # fmt: skip
