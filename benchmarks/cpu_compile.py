"""How long compilation takes: a new specialization, a first call in a fresh process (cold and from the warm cache), and
growth with size.

    python benchmarks/cpu_compile.py [--rounds 5]

Triton's interpreter compiles nothing, so there is no peer column here; the issue's peers (cold 1.0 to 1.3 s, warm 0.4
s) needed a GPU."""

from __future__ import annotations

import argparse
import os
import pathlib
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Bar, Part, bf16_matrix, exact_product, fresh_process, in_turns, main, median, table
from kernels import gemm, unrolled

import avelang
import avelang.pipeline as pipeline
from avelang.emit.llvm import cpu
from avelang.frontend.build import build
from avelang.llvm.core import HostCompiler
from avelang_kernels.matmul.mfma_gemm import mfma_gemm

CHILD ="""
import time; start = time.perf_counter()
import sys; sys.path.insert(0, {here!r})
import numpy as np, avelang
from kernels import gemm
a = np.zeros((32, 64), "u2").view(__import__("ml_dtypes").bfloat16); c = np.full((32, 32), np.nan, np.float32)
gemm[lambda: ((1, 1, 1), (64, 1, 1))](a, a, c, 32, 32, 64, 32, 32, 16)
assert (c == 0).all()
print(time.perf_counter() - start)
"""


def first_launches(function: Any, rounds: int, *values: int) -> list[float]:
    """Seconds from call to return of the first launch of a jit function made anew each time, with nothing read from or
    written to disk."""
    rng, made = np.random.default_rng(), {}

    def before(name: str) -> None:
        made.update(fresh=avelang.jit(function.source.fn), a=bf16_matrix(32, 64, rng),
                    c=np.full((32, 32), np.nan, np.float32))

    def call() -> None:
        made["fresh"][lambda: ((1, 1, 1), (64, 1, 1))](made["a"], made["a"], made["c"], 32, 32, 64, *values)

    def after(name: str) -> None:
        assert np.allclose(made["c"], exact_product(made["a"], made["a"]), rtol=1e-3, atol=1e-3)

    return in_turns({"": call}, rounds, before, after)[""]


STAGES = ("frontend", "passes", "emit", "LLVM passes", "LLVM code")


def stages(function: Any, constexprs: dict[str, int], level: int, rounds: int) -> dict[str, float]:
    """Least CPU milliseconds of each stage; `level`: of LLVM's optimization."""
    best = dict.fromkeys(STAGES, float("inf"))
    host = HostCompiler(level)
    for _ in range(rounds):
        clock = [time.process_time()]
        kernel = build(function.source, constexprs)
        clock.append(time.process_time())
        kernel = pipeline.cpu(kernel, (64, 1, 1))
        clock.append(time.process_time())
        emitted = cpu.emit(kernel)
        clock.append(time.process_time())
        module = host.module(emitted.text)
        clock.append(time.process_time())
        host.machine.emit_object(module)
        clock.append(time.process_time())
        for name, start, end in zip(STAGES, clock, clock[1:], strict=False):
            best[name] = min(best[name], (end - start) * 1e3)
    return best


def growth() -> dict[int, float]:
    """Median compile seconds of the unrolled program at 32, 128 and 512 copies (1x, 4x, 16x)."""
    x, made = np.ones(64, np.float32), {}

    def before(copies: int) -> None:
        made["fresh"] = avelang.jit(unrolled.source.fn)

    def launch(copies: int) -> Callable[[], None]:
        return lambda: made["fresh"][lambda: ((1, 1, 1), (64, 1, 1))](x, 64, copies)

    return {copies: median(t) for copies, t in in_turns({n: launch(n) for n in (32, 128, 512)}, 3, before).items()}


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """First launches in this process and in new ones, and the stages of a compilation."""
    os.environ["AVE_NO_CACHE"] = "1"
    new, edges, sizes = first_launches(gemm, args.rounds, 32, 32, 16), first_launches(mfma_gemm, args.rounds), growth()
    del os.environ["AVE_NO_CACHE"]
    cold, warm = [], []
    for _ in range(args.rounds):
        with tempfile.TemporaryDirectory() as cache:
            for seconds in (cold, warm):
                seconds.append(
                    fresh_process(CHILD.format(here=str(pathlib.Path(__file__).parent)), AVE_CACHE_DIR=cache)[0]
                )
    kernels = (("runtime shape", gemm, {"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 16}), ("guarded", mfma_gemm, {}))
    split = {f"{name}, level {level}": stages(k, c, level, args.rounds) for name, k, c in kernels for level in (1, 2)}
    return {"stages_ms": split, "rounds": args.rounds, "specialization_s": new, "guarded_s": edges,
            "cold_process_s": cold, "warm_process_s": warm,
            "unrolled_s": sizes}  # fmt: skip


def show(record: dict[str, Any]) -> str:
    """Milliseconds of the guarded kernel, and by stage; `level` 1 is what Ave uses, 2 is LLVM's own pipeline."""
    rows = [(name, *(f"{ms:.0f}" for ms in s.values())) for name, s in record["stages_ms"].items()]
    guarded = f"a new specialization of the guarded kernel: {median(record['guarded_s']) * 1e3:.0f} ms"
    return guarded + "\n" + table([("CPU ms by stage", *STAGES), *rows])


def bars(record: dict[str, Any]) -> list[Bar]:
    """Of a compilation, of first calls in new processes, and of growth: linear at the most."""
    sizes = record["unrolled_s"]
    return [
        Bar("new specialization of the tutorial kernel", median(record["specialization_s"]) * 1e3, 150, "ms"),
        Bar("first call, fresh process, nothing cached", median(record["cold_process_s"]), 1, "s"),
        Bar("first call, fresh process, warm cache", median(record["warm_process_s"]), 0.4, "s"),
        *(Bar(f"unrolled {n // 32}x ({s * 1e3:.0f} ms)", s / sizes[32], n // 32, "x") for n, s in sizes.items()),
    ]


if __name__ == "__main__":
    main(__doc__, Part("compile", "cpu_compile", measure, show, bars=bars), rounds=5)
