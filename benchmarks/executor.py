"""The executor of gfx942 code: wave-instructions a second on one core, checker off and on, on kernels of three
compilers.

    python benchmarks/executor.py [--rounds 5]

Each kernel runs on fresh random bf16 matrices, outputs poisoned with NaN before each call and every element checked
against float64 behind the last one. The two modes take turns. `load` is the time from the file (or the Python kernel)
to code that runs here, in a process where LLVM is loaded already."""

from __future__ import annotations

import argparse
import pathlib
import time
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from harness import Bar, Part, bf16_matrix, exact_product, interleaved, main, median, table

from avelang import executor
from avelang.runtime.compile import compile_text
from avelang_kernels.matmul import mfma_gemm, mi300_gemm

PEERS = pathlib.Path(__file__).resolve().parents[1] / "tests" / "peers"
Make = Callable[[bool], tuple[Callable[[], Any], Callable[[], float]]]


def triton(check: bool) -> tuple[Callable[[], Any], Callable[[], float]]:
    """Triton's 128 x 128 x 64, 16 workgroups of 4 waves, K = 512."""
    m, n, k = 512, 512, 512
    a, b, c = bf16_matrix(m, k, RNG), bf16_matrix(n, k, RNG), np.zeros((m, n), ml_dtypes.bfloat16)
    kernel = executor.load(PEERS / "gemm_gfx942_128x128x64_w4_s2_nk16.hsaco", check=check)
    return poisoned(
        c, lambda: kernel[16, 256](a, b, c, m, n, k, k, k, n, None, None, dynamic_lds=32768)
    ), lambda: worst(a, b, c)


def iree(check: bool) -> tuple[Callable[[], Any], Callable[[], float]]:
    """IREE's 128 x 128, one workgroup of 4 waves, K = 4096."""
    a, b, c = bf16_matrix(4864, 4096, RNG), bf16_matrix(4096, 4096, RNG), np.zeros((4864, 4096), np.float32)
    kernel = executor.load(PEERS / "iree_bf16_4864x4096x4096.hsaco", check=check)
    return poisoned(c, lambda: kernel[1, 256](a, b, c)), lambda: worst(a[:128], b[:128], c[:128, :128])


def ours(check: bool) -> tuple[Callable[[], Any], Callable[[], float]]:
    """Our pipelined 128 x 128 x 64, 16 workgroups of 4 waves, K = 512."""
    m, n, k = 512, 512, 512
    a, b, c = bf16_matrix(m, k, RNG), bf16_matrix(n, k, RNG), np.zeros((m, n), np.float32)
    text = compile_text(mi300_gemm.gemm_f32, {}, (256, 1, 1), "gfx942", "asm")
    kernel = executor.load(text, check=check)
    return poisoned(c, lambda: kernel[16, 256](a, b, c, m, n, k)), lambda: worst(a, b, c)


def tutorial(check: bool) -> tuple[Callable[[], Any], Callable[[], float]]:
    """The tutorial's guarded kernel, 256 workgroups of one wave, 512 x 512 x 512."""
    m, n, k = 512, 512, 512
    a, b, c = bf16_matrix(m, k, RNG), bf16_matrix(n, k, RNG), np.zeros((m, n), np.float32)
    kernel = executor.load(compile_text(mfma_gemm.mfma_gemm, {}, (64, 1, 1), "gfx942", "asm"), check=check)
    return poisoned(c, lambda: kernel[(16, 16), 64](a, b, c, m, n, k)), lambda: worst(a, b, c)


RNG = np.random.default_rng()
KERNELS: dict[str, Make] = {"Triton 3.9 128x128x64": triton, "IREE 3.13 128x128": iree, "Ave 128x128x64": ours,
                            "Ave tutorial 32x32x16": tutorial}
COUNTS: dict[int, int] = {}


def poisoned(c: np.ndarray, run: Callable[[], Any]) -> Callable[[], Any]:
    def call() -> Any:
        c.fill(np.nan)
        done = run()
        COUNTS[id(call)] = done.instructions
        return done

    return call


def worst(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    """The greatest difference from the exact product, relative to the greatest element. NaN where an element was not
    written."""
    want = exact_product(a, b)
    return float(np.abs(c.astype(np.float64) - want).max() / np.abs(want).max())


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Instructions a second of each kernel, with the checker off and on."""
    found: dict[str, Any] = {}
    for name, make in KERNELS.items():
        calls, loads, errors = {}, {}, []
        for check in (False, True):
            start = time.perf_counter()
            calls[check], error = make(check)
            loads[check] = time.perf_counter() - start
            errors.append(error)
        times = interleaved({str(check): call for check, call in calls.items()}, args.rounds)
        count = COUNTS[id(calls[False])]
        rates = {check: count / median(times[str(check)]) for check in calls}
        found[name] = {
            "wave_instructions": count, "per_second": rates[False], "per_second_checked": rates[True],
            "load_seconds": loads[False],
            "load_seconds_checked": loads[True], "error": max(error() for error in errors), "seconds": times,
        }  # fmt: skip
    return {"kernels": found}


def show(record: dict[str, Any]) -> str:
    """Millions of instructions a second, and loading."""
    rows = [("kernel", "instructions", "M/s", "M/s checked", "load s", "load s checked", "error")]
    for name, f in record["kernels"].items():
        cells = (f["per_second"] / 1e6, f["per_second_checked"] / 1e6, f["load_seconds"], f["load_seconds_checked"])
        rows.append((name, f"{f['wave_instructions']:,}", *(f"{x:.2f}" for x in cells), f"{f['error']:.1e}"))
    return table(rows)


def bars(record: dict[str, Any]) -> list[Bar]:
    """On one core: 2 million instructions a second, 0.3 million with the checker."""
    kernels = record["kernels"].items()
    return [Bar(f"{name}{said}", f[key] / 1e6, limit, "M/s", least=True)
            for key, said, limit in (("per_second", "", 2), ("per_second_checked", ", checked", 0.3))
            for name, f in kernels]  # fmt: skip


if __name__ == "__main__":
    main(__doc__, Part("rate", "executor", measure, show, bars=bars), rounds=5)
