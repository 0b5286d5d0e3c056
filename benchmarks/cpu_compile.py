"""How long compilation takes: a new specialization, a first call in a fresh process (cold and from the warm cache), and growth with size.

    python benchmarks/cpu_compile.py [--rounds 5]

Triton's interpreter compiles nothing, so there is no peer column here; the issue's peers (cold 1.0 to 1.3 s, warm 0.4 s) needed a GPU.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
from common import bf16_matrix, median, save, table
from kernels import gemm, unrolled

import avelang
import avelang.pipeline as pipeline
from avelang.emit.llvm import cpu
from avelang.frontend.build import build
from avelang.llvm.core import HostCompiler
from avelang_kernels.matmul.mfma_gemm import mfma_gemm

CHILD = """
import time; start = time.perf_counter()
import sys; sys.path.insert(0, {here!r})
import numpy as np, avelang
from kernels import gemm
a = np.zeros((32, 64), "u2").view(__import__("ml_dtypes").bfloat16); c = np.full((32, 32), np.nan, np.float32)
gemm[lambda: ((1, 1, 1), (64, 1, 1))](a, a, c, 32, 32, 64, 32, 32, 16)
assert (c == 0).all()
print(time.perf_counter() - start)
"""


def process(cache: str) -> tuple[float, float]:
    """(seconds that the child measured from its first line, seconds of the whole process)."""
    start = time.perf_counter()
    code = CHILD.format(here=str(pathlib.Path(__file__).parent))
    out = subprocess.run([sys.executable, "-c", code], env={**os.environ, "AVE_CACHE_DIR": cache}, capture_output=True, text=True, check=True)
    return float(out.stdout), time.perf_counter() - start


def guarded(rounds: int) -> list[float]:
    """The same for the kernel with hardware-guarded edges, whose range checks make more code."""
    times = []
    for _ in range(rounds + 1):
        a = bf16_matrix(32, 64, np.random.default_rng())
        c = np.full((32, 32), np.nan, np.float32)
        fresh = avelang.jit(mfma_gemm.source.fn)
        start = time.perf_counter()
        fresh[lambda: ((1, 1, 1), (64, 1, 1))](a, a, c, 32, 32, 64)
        times.append(time.perf_counter() - start)
        assert np.allclose(c, a.astype(np.float64) @ a.astype(np.float64).T, rtol=1e-3, atol=1e-3)
    return times[1:]


def specialization(rounds: int) -> list[float]:
    """Seconds from call to return of the first launch of a jit function made anew each time, with nothing read from or written to disk."""
    rng = np.random.default_rng()
    times = []
    for i in range(rounds + 1):
        a = bf16_matrix(32, 64, rng)
        c = np.full((32, 32), np.nan, np.float32)
        fresh = avelang.jit(gemm.source.fn)
        start = time.perf_counter()
        fresh[lambda: ((1, 1, 1), (64, 1, 1))](a, a, c, 32, 32, 64, 32, 32, 16)
        times.append(time.perf_counter() - start)
        assert np.allclose(c, a.astype(np.float64) @ a.astype(np.float64).T, rtol=1e-3, atol=1e-3), i
    return times[1:]


STAGES = ("frontend", "passes", "emit", "LLVM passes", "LLVM code")


def stages(function: Any, constexprs: dict[str, int], level: int, rounds: int) -> dict[str, float]:
    """Least CPU milliseconds of each stage; `level` 1 is what Ave uses, 2 is LLVM's own pipeline."""
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
    out = {}
    for copies in (32, 128, 512):
        times = []
        for _ in range(3):
            fresh = avelang.jit(unrolled.source.fn)
            x = np.ones(64, np.float32)
            start = time.perf_counter()
            fresh[lambda: ((1, 1, 1), (64, 1, 1))](x, 64, copies)
            times.append(time.perf_counter() - start)
        out[copies] = median(times)
    return out


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=5)
    args = p.parse_args()
    os.environ["AVE_NO_CACHE"] = "1"
    new = specialization(args.rounds)
    edges = guarded(args.rounds)
    sizes = growth()
    del os.environ["AVE_NO_CACHE"]
    cold, warm = [], []
    for _ in range(args.rounds):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(process(cache)[1])
            warm.append(process(cache)[1])
    base = sizes[32]
    tile = {"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 16}
    kernels = (("runtime shape", gemm, tile), ("guarded", mfma_gemm, {}))
    split = {(name, level): stages(k, c, level, args.rounds) for name, k, c in kernels for level in (1, 2)}
    rows = [
        ("", "measured", "bar"),
        ("new specialization of the tutorial kernel", f"{median(new) * 1e3:.0f} ms", "150 ms"),
        ("the same of the guarded kernel", f"{median(edges) * 1e3:.0f} ms", ""),
        ("first call, fresh process, nothing cached", f"{median(cold):.3f} s", "1 s"),
        ("first call, fresh process, warm cache", f"{median(warm):.3f} s", "0.4 s"),
        *((f"unrolled {n // 32}x", f"{s * 1e3:.0f} ms ({s / base:.1f} x)", f"{n // 32} x") for n, s in sizes.items()),
    ]
    print(table(rows))
    print(table([("CPU ms by stage", *STAGES), *((f"{n}, {'LLVM pipeline' if level == 2 else 'ours'}", *(f"{ms:.0f}" for ms in s.values()))
                                                 for (n, level), s in split.items())]))  # fmt: skip
    print("saved", save("cpu_compile", {"stages_ms": {f"{n}, level {level}": s for (n, level), s in split.items()},
                                        "rounds": args.rounds, "specialization_s": new, "guarded_s": edges,
                                        "cold_process_s": cold, "warm_process_s": warm,
                                        "unrolled_s": sizes}))  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
