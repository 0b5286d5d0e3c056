"""Products of few rows on a Hopper GPU at shapes drawn by lot: weights of bf16 by the choice between Hopper's two products,
beside each of the two and cuBLAS; and quantized weights, by the bytes of weights that are read a second.

    python benchmarks/few_rows.py [--only bf16|quantized] [--seed 1] [--count 24] [--rounds 20]

M is log-uniform from 1 to 128 (to 64 where weights are quantized), N from 512 to 262144, K from 1024 to 16384,
multiples of 256; at most 2 GB of bf16. One run, contenders in turn and in a new order each round, L2 full of other
data, medians of device time. Before that every result is held against float64 or torch's product in f32, in an output
that was full of NaN. `of read speed` is the share of what a plain reduction reads."""

from __future__ import annotations

import argparse
import functools
import math
import random
import statistics
from typing import Any

import torch
from harness import GpuClock, Part, main, medians, moved_per_second, operands, poisoned, table

from avelang_kernels.matmul.hopper_few import few_rows_gemm, few_rows_plan
from avelang_kernels.matmul.hopper_gemm import gemm
from avelang_kernels.matmul.hopper_skinny import M_MOST, skinny_gemm
from avelang_kernels.matmul.skinny_quantized import skinny_quantized

Shape = tuple[int, int, int]
HEADS = ((1, 128256, 4096), (16, 151936, 4096), (64, 128256, 4096))
KINDS = ("fp8 row", "fp8 block", "int4 32", "int4 128", "int4 128 zeros")


def drawn(count: int, seed: int, most: int) -> list[Shape]:
    """Shapes (m, n, k), the heads of language models among them."""
    rng, found = random.Random(seed), [s for s in HEADS if s[0] <= most]

    def number(least: int, top: int, unit: int) -> int:
        return max(unit, int(math.exp(rng.uniform(math.log(least), math.log(top + 1)))) // unit * unit)

    while len(found) < count:
        shape = number(1, most, 1), number(512, 262144, 8), number(1024, 16384, 256)
        if shape[1] * shape[2] <= 1 << 30:
            found.append(shape)
    return found[:count]


def wrong(out: Any, want: Any) -> bool:
    """Whether a result of bf16 is off by more than its rounding."""
    scale = float(want.square().mean().sqrt())
    return not bool(((out.float() - want).abs() <= 2.0**-7 * want.abs() + 2e-3 * scale).all())


def timed(calls: dict[str, Any], out: Any, want: Any, rounds: int) -> tuple[dict[str, float], list[str]]:
    """Medians, and the names of those that are wrong."""
    bad = []
    for name, call in calls.items():
        out.fill_(float("nan"))
        call()
        torch.cuda.synchronize()
        bad += [name] if wrong(out, want) else []
    return medians(GpuClock().interleaved(calls, rounds)), bad


def bf16_row(shape: Shape, rounds: int, read: float) -> dict[str, Any]:
    """Times of the choice, of both products and of cuBLAS."""
    m, n, k = shape
    a, b = operands(m, n, k)
    out, want = poisoned(m, n), a.float() @ b.float().T
    calls = {"cuBLAS": functools.partial(torch.matmul, a, b.T, out=out),
             "choice": functools.partial(few_rows_gemm, a, b, out), "gemm": functools.partial(gemm, a, b, out)}  # fmt: skip
    if m <= M_MOST:
        calls["skinny"] = functools.partial(skinny_gemm, a, b, out)
    us, bad = timed(calls, out, want, rounds)
    chosen = few_rows_plan(m, n, k)
    return {"shape": shape, "us": us, "wrong": bad, "chosen": "skinny" if chosen.plan else "gemm", "model": chosen.us,
            "of_cublas": us["cuBLAS"] / us["choice"],
            "of_read": 2 * (m * k + n * k + m * n) / us["choice"] * 1e6 / read}  # fmt: skip


def weights_of(kind: str, n: int, k: int) -> tuple[Any, Any, Any, Any]:
    """Weights, scales, zero points, and the weights dequantized, in bf16 where that is exact enough for a check."""
    word, *rest = kind.split()
    if word == "fp8":
        w = torch.randn(n, k, device="cuda", dtype=torch.bfloat16).to(torch.float8_e4m3fn)
        high, wide = (1, k) if rest[0] == "row" else (128, 128)
        s = torch.rand(-(-n // high), -(-k // wide), device="cuda") + 0.5
        every = s.repeat_interleave(high, 0)[:n].repeat_interleave(wide, 1)[:, :k]
        return w, s, None, (w.float() * every)
    group = int(rest[0])
    w = torch.randint(0, 256, (n, k // 2), device="cuda", dtype=torch.uint8)
    s = (torch.rand(n, k // group, device="cuda") * 0.1 + 0.01).bfloat16()
    z = torch.randint(0, 16, (n, k // group), device="cuda", dtype=torch.uint8) if rest[1:] else None
    q = torch.stack((w & 15, w >> 4), 2).reshape(n, k).float()
    less = 8.0 if z is None else z.float().repeat_interleave(group, 1)
    return w, s, z, (q - less) * s.float().repeat_interleave(group, 1)


def quantized_row(shape: Shape, kind: str, rounds: int, read: float) -> dict[str, Any]:
    """Times of the product with quantized weights and of cuBLAS with the same in bf16."""
    m, n, k = shape
    a, _ = operands(m, 8, k)
    w, s, z, dense = weights_of(kind, n, k)
    out, want, b = poisoned(m, n), a.float() @ dense.T, dense.bfloat16()
    del dense
    calls = {"Ave": functools.partial(skinny_quantized, a, w, s, z, out)}
    us, bad = timed(calls, out, want, rounds)
    us |= medians(GpuClock().interleaved({"cuBLAS bf16": functools.partial(torch.matmul, a, b.T, out=out)}, rounds))
    size = w.numel() + s.numel() * s.element_size() + (0 if z is None else z.numel())
    return {"shape": shape, "kind": kind, "us": us, "wrong": bad, "of_cublas": us["cuBLAS bf16"] / us["Ave"],
            "of_read": (size + 2 * m * (n + k)) / us["Ave"] * 1e6 / read}  # fmt: skip


def rows(only: str, args: argparse.Namespace) -> dict[str, Any]:
    """A row for each shape, and each kind of weights."""
    read, found = moved_per_second("read"), []
    for i, shape in enumerate(drawn(args.count, args.seed, 128 if only == "bf16" else M_MOST)):
        kinds = KINDS if shape in HEADS else (KINDS[i % len(KINDS)],)
        for kind in ("",) if only == "bf16" else kinds:
            made = quantized_row(shape, kind, args.rounds, read) if kind else bf16_row(shape, args.rounds, read)
            found.append(made)
            torch.cuda.empty_cache()
    return {"seed": args.seed, "rounds": args.rounds, "read_bytes_per_second": read, "rows": found}


def show(record: dict[str, Any]) -> str:
    """The table, with geometric means."""
    lines: list[tuple[str, ...]] = [("m n k", "weights", "times", "of cuBLAS", "of read speed", "")]
    for r in record["rows"]:
        times = ", ".join(f"{name} {t:.1f}" for name, t in r["us"].items())
        kind = r.get("kind") or f"bf16, {r['chosen']}, model {r['model']:.1f}"
        lines.append((" ".join(map(str, r["shape"])), kind, times, f"{r['of_cublas']:.3f}", f"{r['of_read']:.2f}",
                      "WRONG " + " ".join(r["wrong"]) if r["wrong"] else ""))  # fmt: skip
    mean = statistics.geometric_mean([r["of_cublas"] for r in record["rows"]])
    least = min(r["of_cublas"] for r in record["rows"])
    return table([*lines, ("geometric mean, least", "", "", f"{mean:.3f}", f"{least:.3f}", "")])


if __name__ == "__main__":
    main(__doc__, Part("bf16", "few_rows", functools.partial(rows, "bf16"), show, gpu=True),
         Part("quantized", "few_rows_quantized", functools.partial(rows, "quantized"), show, gpu=True), rounds=20,
         more={"--seed": {"type": int, "default": 1}, "--count": {"type": int, "default": 24}})
