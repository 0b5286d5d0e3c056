"""The first call of a kernel of the package on the CPU, in a fresh process with an empty cache: processor time of the
whole process, and where it goes.

    python benchmarks/cold_starts.py [--rounds 3] [--cases "tile GEMM" ...]

Each call is what a user writes: the package's function on arrays of NumPy, its block chosen by the package. The whole
is `getrusage` of the child, the least of the rounds; phases are processor time inside that child. `run` is the kernel
itself, whose shapes are small, `rest` also the check of its result. Writes `results/cold_starts.json`."""

from __future__ import annotations

import argparse
import functools
import importlib
import pathlib
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Bar, Part, fresh_process, main, table

PHASES = ("start", "import", "frontend", "passes", "emit", "LLVM parse", "LLVM passes", "LLVM code", "load", "run",
          "rest")  # fmt: skip
# Module, class or None, function: whose processor time is a phase.
TIMED = (
    ("avelang.frontend.build", None, "build", "frontend"),
    ("avelang.pipeline", None, "cpu", "passes"),
    ("avelang.emit.llvm.cpu", None, "emit", "emit"),
    ("llvmlite.binding", None, "parse_assembly", "LLVM parse"),
    ("avelang.llvm.core", "HostCompiler", "_optimize", "LLVM passes"),
    ("llvmlite.binding", "TargetMachine", "emit_object", "LLVM code"),
    ("avelang.runtime.cpu_backend", "CpuProgram", "__init__", "load"),
    ("avelang.runtime.cpu_backend", "CpuProgram", "run", "run"),
)

CHILD = "import sys; sys.path.insert(0, {here!r}); import cold_starts; cold_starts.child({case!r})"


def _normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    import ml_dtypes

    return rng.standard_normal(shape, np.float32).astype(ml_dtypes.bfloat16)


def tile_gemm(m: int, n: int, k: int) -> Callable[[], Any]:
    """C = A @ B^T in bf16, C in f32."""
    from avelang_kernels.matmul.tile_gemm import gemm

    rng = np.random.default_rng(0)
    a, b, c = _normal(rng, m, k), _normal(rng, n, k), np.empty((m, n), np.float32)

    def call() -> None:
        gemm(a, b, c)
        want = a.astype(np.float64) @ b.astype(np.float64).T
        assert np.abs(c - want).max() < 1e-2 * np.abs(want).max()

    return call


def attention(seq: int, d: int, causal: bool) -> Callable[[], Any]:
    """Attention of one batch and two heads, in bf16."""
    from avelang_kernels.attention.tile_attention import attention

    rng = np.random.default_rng(0)
    q, k, v, out = (_normal(rng, 1, seq, 2, d) for _ in range(4))

    def call() -> None:
        attention(q, k, v, out, causal=causal)
        scores = np.einsum("bqhd,bkhd->bhqk", q.astype(np.float64), k.astype(np.float64)) / np.sqrt(d)
        if causal:
            scores[:, :, np.triu(np.ones((seq, seq), bool), 1)] = -np.inf
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        want = np.einsum("bhqk,bkhd->bqhd", weights / weights.sum(-1, keepdims=True), v.astype(np.float64))
        assert np.abs(out.astype(np.float64) - want).max() < 0.05

    return call


def moe(tokens: int, experts: int) -> Callable[[], Any]:
    """A layer of a mixture of experts, two of them a token, in bf16: two grouped products and a sum."""
    from avelang_kernels.moe.tile_moe import moe

    rng, hidden, inner = np.random.default_rng(0), 128, 64
    x, w13, w2 = _normal(rng, tokens, hidden), _normal(rng, experts, 2 * inner, hidden), _normal(rng, experts, hidden, inner)
    ids = np.argsort(rng.random((tokens, experts)), 1)[:, :2].astype(np.int32)
    weights, out = rng.random((tokens, 2), np.float32), np.empty((tokens, hidden), x.dtype)

    def call() -> None:
        moe(x, w13, w2, ids, weights, out)
        assert np.isfinite(out.astype(np.float32)).all()

    return call


CASES: dict[str, Callable[[], Callable[[], Any]]] = {
    "tile GEMM": functools.partial(tile_gemm, 256, 256, 256),
    "tile GEMM, large": functools.partial(tile_gemm, 4096, 4096, 64),
    "tile GEMM, odd": functools.partial(tile_gemm, 129, 131, 97),
    "causal attention, d 64": functools.partial(attention, 256, 64, True),
    "causal attention, d 128": functools.partial(attention, 256, 128, True),
    "MoE layer, few rows": functools.partial(moe, 64, 4),
    "MoE layer": functools.partial(moe, 512, 4),
    "MoE layer, many rows": functools.partial(moe, 1500, 4),
}
LIMITS = {"tile GEMM": 1.0, "causal attention": 2.5, "MoE layer": 8.0}


def _timed(spent: dict[str, float], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, whose processor time is added to `spent[name]`, less that of phases within."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        start, inner = time.process_time(), sum(spent.values())
        try:
            return function(*args, **kwargs)
        finally:
            spent[name] = spent.get(name, 0.0) + time.process_time() - start - (sum(spent.values()) - inner)

    return call


def child(case: str) -> None:
    """Makes one first call and prints the seconds of each phase in the order of `PHASES`."""
    spent: dict[str, float] = {"start": time.process_time()}
    before = time.process_time()
    call = CASES[case]()
    importlib.import_module("avelang.runtime.launch")
    for module in ("avelang.frontend.build", "avelang.pipeline", "avelang.emit.llvm.cpu", "avelang.runtime.cpu_backend"):
        importlib.import_module(module)
    spent["import"] = time.process_time() - before
    for module, owner, name, phase in TIMED:
        place = importlib.import_module(module)
        place = getattr(place, owner) if owner else place
        setattr(place, name, _timed(spent, phase, getattr(place, name)))
    call()
    spent["rest"] = time.process_time() - sum(spent.values())
    print(*(spent.get(phase, 0.0) for phase in PHASES))


def first_call(case: str) -> tuple[float, list[float]]:
    """Processor seconds of a fresh process that makes the call, and those of each phase."""
    with tempfile.TemporaryDirectory() as cache:
        code = CHILD.format(here=str(pathlib.Path(__file__).parent), case=case)
        _, phases, used = fresh_process(code, AVE_CACHE_DIR=cache)
    return used, phases


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """The first calls, in turns."""
    found: dict[str, list[tuple[float, list[float]]]] = {case: [] for case in args.cases or CASES}
    for _ in range(args.rounds):
        for case, times in found.items():
            times.append(first_call(case))
    return {"rounds": args.rounds, "cases": {
        case: {"processor_s": [used for used, _ in times], "phases_s": dict(zip(PHASES, min(times)[1], strict=True))}
        for case, times in found.items()}}  # fmt: skip


def show(record: dict[str, Any]) -> str:
    """Seconds of each case and phase."""
    rows = [(case, f"{min(x['processor_s']):.2f}", *(f"{x['phases_s'][p]:.2f}" for p in PHASES))
            for case, x in record["cases"].items()]
    return table([("processor seconds", "whole", *PHASES), *rows])


def bars(record: dict[str, Any]) -> list[Bar]:
    """Of the whole process, by the least of the rounds."""
    return [
        Bar(case, min(x["processor_s"]), next(limit for name, limit in LIMITS.items() if case.startswith(name)), "s")
        for case, x in record["cases"].items()
    ]


if __name__ == "__main__":
    main(__doc__, Part("cold", "cold_starts", measure, show, bars=bars), rounds=3,
         more={"--cases": {"nargs": "*", "choices": tuple(CASES), "help": "these alone"}})
