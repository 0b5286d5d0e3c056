"""C = A @ B^T at shapes drawn by lot, on a Hopper GPU: the tile that the rule chooses, beside cuBLAS, and what other
tiles would have given.

M is log-uniform from 16 to 16384, N and K from 256 to 32768, multiples of 8; bf16, device time, L2 full of other data,
contenders in turn; results are held against cuBLAS's on fresh random inputs, into NaN. The record has every tile's
time: `hopper_rule.py` is fitted to such records.

    python benchmarks/drawn_gemm.py [--seed 1] [--count 60] [--others 0] [--wide 0] [--rounds 12] [--minutes 5]
                                    [--dtype bf16|e4m3] [--shapes "512,7168,4096 8192,8192,8192"]
                                    [--order NT|NN|TT|TN] [--unit 1]

With `--order`, or another `--unit` than 8 of extents, `ops.matmul` runs by itself.

With `--dtype e4m3` A and B are fp8 with a scale each, on the device, and C is bf16; the peer is torch's `_scaled_mm`
with `use_fast_accum=True`, which is cuBLASLt's fast mode; N and K are multiples of 16 then, as it wants them. Both keep
some 14 bits of a sum inside the tensor cores, so the two may differ by 2^-13 for each 32 of K."""

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

from harness import GpuClock, Part, listed, main, medians, operands, poisoned, table

Shape = tuple[int, int, int]


BYTES = {"bf16": 2, "e4m3": 1}


def drawn(count: int, seed: int, each: int = 8) -> list[Shape]:
    """Shapes (m, n, k); n and k are multiples of `each`, and m of 8, or of 1 where `each` is 1."""
    rng = random.Random(seed)

    def number(least: int, most: int, each: int = each) -> int:
        return max(8, int(math.exp(rng.uniform(math.log(least), math.log(most)))) // each * each)

    return [(number(16, 16384, min(each, 8)), number(256, 32768), number(256, 32768)) for _ in range(count)]


def tiles_for(shape: Shape, others: int, wide: int, rng: random.Random, dtype: str = "bf16") -> list[Any]:
    """The rule's tile first, then so many others: the next by the model of different kinds, and one in four by lot; and
    `wide` tiles that the rule does not choose from, which the model likes best."""
    from avelang_kernels.matmul import hopper_rule

    m, n, k = shape
    line = math.gcd(128, k * BYTES[dtype])  # what the bytes from row to row are a multiple of
    k = k * BYTES[dtype] // 2  # the rule counts elements of 2 bytes
    tiles, us = hopper_rule.times(m, n, k, align=line, width=BYTES[dtype])
    order = [tiles[i] for i in us.argsort() if us[i] < 2 * us.min()]
    found, kinds = [hopper_rule.choose_tile(m, n, k, align=line, width=BYTES[dtype])], {}
    for tile in order[1:]:
        kind = tile.row_blocks, tile.consumers, tile.pingpong, tile.transposed, tile.cluster_k > 1
        kinds[kind] = kinds.get(kind, 0) + 1
        if kinds[kind] <= max(1, others // 4) and len(found) <= others * 3 // 4:
            found.append(tile)
    rest = [tile for tile in order if tile not in found]
    found += rng.sample(rest, min(others + 1 - len(found), len(rest)))
    if not wide:
        return found
    every, known = all_tiles(), set(tiles)
    us, parts = every.times(m, n, k, line, 2)
    new: dict[Any, Any] = {}
    for tile in (every.divided(parts)[i] for i in us.argsort()[: 16 * wide]):
        if tile not in known:  # the best of each kind
            new.setdefault((tile.m, tile.pingpong, tile.transposed, *tile[3:5], tile.cluster_k, tile.split), tile)
    return found + list(new.values())[:wide]


@functools.cache
def all_tiles() -> Any:
    """The model of the rule over tiles of all shapes."""
    from avelang_kernels.matmul import hopper_rule

    return hopper_rule._Model(2, hopper_rule.SMS, hopper_rule.every_tile())


def stored(shape: Shape, order: str) -> tuple[Any, Any]:
    """Random A (m, k) and B (k, n). `order`: of A, then of B: N with rows of neighbors; T with columns of neighbors, as
    weights (n, k) of which the transpose is taken."""
    m, n, k = shape
    a = operands(m, m, k)[0] if order[0] == "N" else operands(k, k, m)[0].T
    return a, operands(n, n, k)[0].T if order[1] == "T" else operands(k, k, n)[0]


def prepared(work: list[tuple[Shape, str]]) -> None:
    """Puts the kernels of `ops.matmul` for shapes into the cache, by one call each."""
    from avelang import ops

    for shape, order in work:
        ops.matmul(*stored(shape, order))


def plain_row(shape: Shape, order: str, clock: GpuClock, rounds: int) -> dict[str, Any]:
    """Times of cuBLAS and of `ops.matmul` for a shape and storage order."""
    import torch

    from avelang import ops

    m, n, k = shape
    a, b = stored(shape, order)
    want, out = poisoned(m, n), poisoned(m, n)
    calls: dict[str, Callable[[], Any]] = {
        "cuBLAS": functools.partial(torch.matmul, a, b, out=want), order: functools.partial(ops.matmul, a, b, out=out)
    }  # fmt: skip
    for call in calls.values():
        call()
    # Held against a product of f32: cuBLAS itself may round parts of K to bf16.
    right = True
    for top in range(0, m, 1024):
        exact = a[top : top + 1024].float() @ b.float()
        bound = 2.0**-8 * exact.abs() + 1e-3 * float(exact.square().mean().sqrt())
        right = right and bool(((out[top : top + 1024].float() - exact).abs() <= bound).all())
    us = medians(clock.interleaved(calls, rounds if m * n * k < 1 << 40 else max(3, rounds // 3), warm=1))
    ratio = us["cuBLAS"] / us[order]
    return {"shape": shape, "us": us, "chosen": order, "best": order, "of_cublas": ratio, "best_of_cublas": ratio,
            "wrong": [] if right else [order]}  # fmt: skip


def plain(args: argparse.Namespace, jobs: int, end: float) -> dict[str, Any]:
    """A row for each shape, by `ops.matmul` with what it chooses itself."""
    import torch

    order = args.order or "NT"
    work = [(shape, order) for shape in args.shapes or drawn(args.count, args.seed, args.unit)]
    with concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(prepared, [work[i::jobs] for i in range(jobs)]))
    clock, rows = GpuClock(), []
    for shape, _ in work:
        if time.monotonic() > end:
            break
        rows.append(plain_row(shape, order, clock, args.rounds))
        torch.cuda.empty_cache()
    return {"seed": args.seed, "rounds": args.rounds, "order": order, "unit": args.unit, "rows": rows}


def contenders(m: int, n: int, k: int, dtype: str) -> tuple[Callable[..., Any], Callable[[], Any], Any]:
    """Ours, to be called with out and tile, and the peer, on fresh operands; and what the peer fills."""
    import torch

    from avelang_kernels.matmul.hopper_gemm import gemm

    a, b = operands(m, n, k)
    want = poisoned(m, n)
    if dtype == "bf16":
        return functools.partial(gemm, a, b), functools.partial(torch.matmul, a, b.T, out=want), want
    a, b = (x.to(torch.float8_e4m3fn) for x in (a, b))
    one, two = (torch.full((1,), x, device="cuda") for x in (0.5, 1.5))
    peer = functools.partial(torch._scaled_mm, a, b.T, one, two,  # type: ignore
                             out_dtype=torch.bfloat16, use_fast_accum=True,
                             out=want)  # fmt: skip
    return functools.partial(gemm, a, b, scale_a=one, scale_b=two), peer, want


def compiled(tiles: list[Any], dtype: str) -> None:
    """Puts kernels into the cache, by one launch each."""
    call, _, _ = contenders(64, 64, 8192, dtype)
    for tile in tiles:
        call(poisoned(64, 64), tile)


def row(shape: Shape, tiles: list[Any], clock: GpuClock, rounds: int, dtype: str) -> dict[str, Any]:
    """Times of cuBLAS and of all tiles for a shape."""
    m, n, k = shape
    gemm, peer, want = contenders(*shape, dtype)
    calls: dict[str, Callable[[], Any]] = {"cuBLAS": peer}
    calls["cuBLAS"]()
    # What the sums of fp8 may lose inside the tensor cores, relative to themselves.
    lost = k / 32 * 2.0**-13 if dtype != "bf16" else 0.0
    scale = float(want.float().square().mean().sqrt())
    out, wrong = poisoned(m, n), []
    for tile in tiles:
        call = functools.partial(gemm, out, tile)
        out.fill_(float("nan"))
        call()
        # Two roundings to bf16, each of half a unit in the last place.
        most = (2.0**-7 + lost) * want.float().abs() + (1e-3 + lost) * scale
        right = bool(((out.float() - want.float()).abs() <= most).all())
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
    jobs = min(16, len(os.sched_getaffinity(0)))
    if args.order or args.unit != 8:
        return plain(args, jobs, end)
    shapes = args.shapes or drawn(args.count, args.seed, 16 // BYTES[args.dtype])
    work = [(shape, tiles_for(shape, args.others, args.wide, rng, args.dtype)) for shape in shapes]
    tiles = sorted({tile for _, some in work for tile in some}, key=str)
    with concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(compiled, [tiles[i::jobs] for i in range(jobs)], [args.dtype] * jobs))
    clock, rows = GpuClock(), []
    for shape, some in work:
        if time.monotonic() > end:
            break
        rows.append(row(shape, some, clock, args.rounds, args.dtype))
        torch.cuda.empty_cache()
    return {"seed": args.seed, "dtype": args.dtype, "rounds": args.rounds, "kernels": len(tiles), "rows": rows}


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
    main(__doc__, Part("drawn", lambda args: "drawn_gemm" + "_e4m3" * (args.dtype == "e4m3"), measure, show, gpu=True),
         rounds=12, more={
        "--seed": {"type": int, "default": 1}, "--count": {"type": int, "default": 60}, "--others": {"type": int, "default": 0},
        "--wide": {"type": int, "default": 0},
        "--minutes": {"type": float, "default": 5.0}, "--dtype": {"choices": tuple(BYTES), "default": "bf16"},
        "--shapes": {"type": listed}, "--order": {"default": "", "choices": ["", "NT", "NN", "TT", "TN"]},
        "--unit": {"type": int, "default": 8},
    })  # fmt: skip
