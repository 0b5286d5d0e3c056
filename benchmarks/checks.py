"""What AVE_CHECK=bounds costs on the CPU: matrix products with and without it, one thread, in one interleaved run.

    python benchmarks/checks.py [--size 512] [--rounds 7]

Processor time of the whole call counts. A checked launch also takes the slow path through Python, which small grids
feel more. Every result is held against the other way's, bit by bit."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("AVE_THREADS", "1")

import numpy as np
from harness import Part, bf16_matrix, in_turns, main, medians, table
from kernels import gemm

from avelang_kernels.matmul import tile_gemm
from avelang_kernels.matmul.mfma_gemm import mfma_gemm


def launches(size: int, rng: np.random.Generator) -> dict[str, tuple[Callable[[], Any], np.ndarray]]:
    """Name: (what launches, the result)."""
    a, b = bf16_matrix(size, size, rng), bf16_matrix(size, size, rng)
    out = {name: np.full((size, size), np.nan, np.float32) for name in ("tutorial", "guarded edges", "tile level")}
    grid = ((size // 32, size // 32, 1), (64, 1, 1))
    return {
        "tutorial": (lambda: gemm[grid](a, b, out["tutorial"], size, size, size, 32, 32, 16), out["tutorial"]),
        "guarded edges": (lambda: mfma_gemm[grid](a, b, out["guarded edges"], size, size, size), out["guarded edges"]),
        "tile level": (lambda: tile_gemm.gemm(a, b, out["tile level"]), out["tile level"]),
    }


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds of each kernel, plain and checked."""
    made, kept = launches(args.size, np.random.default_rng()), {}

    def before(key: tuple[str, str]) -> None:
        os.environ["AVE_CHECK"] = key[1]
        made[key[0]][1].fill(np.nan)

    def after(key: tuple[str, str]) -> None:
        got = made[key[0]][1].tobytes()
        if kept.setdefault(key[0], got) != got:
            raise SystemExit(f"{key[0]}: the checked kernel gives something else")

    calls = {(name, check): call for name, (call, _) in made.items() for check in ("", "bounds")}
    ms = {key: round(1e3 * t, 2)
          for key, t in medians(in_turns(calls, args.rounds, before, after, time.process_time)).items()}
    rows = {name: (ms[name, ""], ms[name, "bounds"]) for name in made}
    return {
        "size": args.size,
        "kernels": {name: {"ms": a, "checked_ms": b, "ratio": round(b / a, 2)} for name, (a, b) in rows.items()},
    }


def show(record: dict[str, Any]) -> str:
    """The ratio of each kernel."""
    rows = ((name, f"{f['ms']:.2f}", f"{f['checked_ms']:.2f}", f"{f['ratio']:.2f}")
            for name, f in record["kernels"].items())
    return table([("kernel", "ms", "ms checked", "ratio"), *rows])


if __name__ == "__main__":
    main(__doc__, Part("checks", "checks", measure, show), rounds=7, more={"--size": {"type": int, "default": 512}})
