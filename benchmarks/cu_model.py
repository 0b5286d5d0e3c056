"""What the model of a compute unit says (`docs/cu_model.md`): the share of the matrix pipes' time of the package's
kernels; how the model agrees with llvm-mca for one wave; how it ranks kernels of Triton whose order is published.

    python benchmarks/cu_model.py [--latency 800] [--only kernels|mca|rank]

Every figure is a model's, none a time on a card. One workgroup is executed and its streams run on a CU with as many
workgroups as fit. `kernels`: K = 1024, keys = 1024; main loop: while all waves are in it. `queue`: by how many accesses
a pair of SIMDs may have waiting for LDS; 8 is AMD's figure. `mca` needs llvm-mca (apt-get install llvm-22), `rank`
(not run unless it is named) `pip install triton`."""

from __future__ import annotations

import argparse
import functools
import statistics
from typing import Any

import ml_dtypes
import numpy as np
from drawn_streams import MIXES, drawn
from harness import Bar, Part, bf16_matrix, main, table

import avelang.language as al
from avelang import executor
from avelang.tile import Block
from avelang_kernels.attention import tile_attention
from avelang_kernels.matmul import mi300_gemm, tile_gemm

BF16: Any = al.bf16
QUEUES, K, LEAST = (4, 8, 16), 1024, 92
BLOCKS = (
    Block(256, 256, 64, (2, 4)), Block(128, 128, 64), Block(256, 128, 64), Block(128, 64, 64), Block(64, 64, 64),
    Block(256, 256, 64, (2, 4), "preshuffled"), Block(128, 128, 64, pipeline="preshuffled"),
    Block(256, 256, 32, (2, 4), "direct-to-lds", stages=2), Block(256, 256, 32, (2, 4), "ping-pong"),
    Block(128, 128, 64, pipeline="prefetch"), Block(128, 128, 64, pipeline="single"),
)  # fmt: skip


def placed(x: np.ndarray) -> np.ndarray:
    """A copy that begins at a multiple of 256 bytes, as memory of a GPU does: how many pieces of 64 bytes an access
    touches depends on it."""
    raw = np.empty(x.nbytes + 256, np.uint8)
    start = -raw.ctypes.data % 256
    out = raw[start : start + x.nbytes].view(x.dtype).reshape(x.shape)
    out[...] = x
    return out


def modeled(call: Any, latency: int) -> dict[str, Any]:
    """The shares of a launch, by the length of LDS's queue, and what its waves wait for."""
    shares: dict[str, float] = {}
    for queue in QUEUES:
        with executor.compute_unit(memory_latency=latency, lds_queue=queue) as found:
            call()
        shares[str(queue)] = found[0].busy
        if queue == QUEUES[1]:
            kept = found[0]
    return {"waves": kept.waves, "groups": kept.blocks, "loop": kept.busy, "whole": kept.share, "queues": shares,
            "waits": {c: kept.part(c) for c in kept.stalls}}  # fmt: skip


def products(latency: int) -> dict[str, Any]:
    """mi300_gemm and the tile GEMM; every product is checked."""
    rng, out = np.random.default_rng(0), {}

    def one(name: str, m: int, n: int, call: Any, prepare: Any = None) -> None:
        a, b, c = map(placed, (bf16_matrix(m, K, rng), bf16_matrix(n, K, rng), np.zeros((m, n), np.float32)))
        given = placed(prepare(b)) if prepare else b
        out[name] = modeled(lambda: call(a, given, c), latency)
        assert np.allclose(c, a.astype(np.float32) @ b.astype(np.float32).T, rtol=2e-2, atol=0.5), name

    for tile in (mi300_gemm.SMALL, mi300_gemm.LARGE):
        one(f"mi300_gemm {tile.m}x{tile.n}", tile.m, tile.n,
            lambda a, b, c, tile=tile: mi300_gemm.gemm(a, b, c, tile=tile, target="gfx942"))
    for b in BLOCKS:
        shuffle = b.on("gfx942", BF16).preshuffle if b.pipeline == "preshuffled" else None
        one(f"tile, {b.pipeline} {b.m}x{b.n}x{b.k}", b.m, b.n,
            lambda x, y, c, b=b: tile_gemm.gemm(x, y, c, T=b, target="gfx942"), shuffle)
    return out


def attention(latency: int) -> dict[str, Any]:
    """Attention without masks, by its block for gfx942."""
    rng, out = np.random.default_rng(0), {}
    for d in (64, 128, 256):
        shape = (1, K, 1, d)
        q, k, v = (placed(rng.standard_normal(shape).astype(ml_dtypes.bfloat16)) for _ in range(3))
        o = placed(np.zeros_like(q))
        call = functools.partial(tile_attention.attention, q, k, v, o, target="gfx942")
        out[f"attention, d = {d}"] = modeled(call, latency)
        rows = tile_attention.block_for("gfx942", d).m
        s = q[0, :rows, 0].astype(np.float64) @ k[0, :, 0].astype(np.float64).T / d**0.5
        p = np.exp(s - s.max(1, keepdims=True))
        want = p / p.sum(1, keepdims=True) @ v[0, :, 0].astype(np.float64)
        assert np.abs(o[0, :rows, 0].astype(np.float64) - want).max() < 3e-2, d
    return out


def kernels(args: argparse.Namespace) -> dict[str, Any]:
    """The package's kernels."""
    return {"latency": args.latency, "kernels": products(args.latency) | attention(args.latency)}


def show(record: dict[str, Any]) -> str:
    """A line for each kernel."""
    rows = [("kernel (model of a CU, gfx942)", "waves", "main loop", "whole", *(f"queue {q}" for q in QUEUES), "waits")]
    for name, f in record["kernels"].items():
        waits = sorted((x for x in f["waits"].items() if x[0] != "matrix pipe"), key=lambda x: -x[1])[:3]
        rows.append((name, str(f["waves"]), f"{f['loop']:.1%}", f"{f['whole']:.1%}",
                     *(f"{f['queues'][str(q)]:.1%}" for q in QUEUES), ", ".join(f"{c} {x:.0%}" for c, x in waits)))
    return table(rows)


def bars(record: dict[str, Any]) -> list[Bar]:
    """The two tiles of mi300_gemm."""
    found = {n: f for n, f in record["kernels"].items() if n.startswith("mi300")}
    return [Bar(f"{n}, main loop, model", 100 * f["loop"], LEAST, "%", least=True) for n, f in found.items()]


# -- llvm-mca ----------------------------------------------------------------------------------------------------------

def against_mca(args: argparse.Namespace) -> dict[str, Any]:
    """Cycles of straight-line code of one wave, under LLVM's clocks, beside llvm-mca's."""
    from avelang.amdgcn.asm import parse
    from avelang.amdgcn.cu.model import simulate
    from avelang.amdgcn.cu.stream import WaveStream
    from avelang.amdgcn.cu.timing import llvm
    from avelang.amdgcn.mca import simulate as mca

    out: dict[str, Any] = {}
    for name, mix in MIXES.items():
        errors = []
        for seed in range(args.streams):
            lines = drawn(seed, mix)
            code = parse('.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\n.text\nk:\n' + "\n".join(lines) + "\n")
            want = mca(lines, "gfx942", 1)[0]
            got = simulate(code.instructions, [[WaveStream(list(range(len(lines))))]], llvm("gfx942")).clocks / 4 + 1
            errors.append((got - want) / want)
        out[name] = {"streams": len(errors), "exact": sum(not e for e in errors), "mean": statistics.fmean(errors),
                     "most": max(map(abs, errors))}  # fmt: skip
    return {"mixes": out}


def show_mca(record: dict[str, Any]) -> str:
    """A line for each mix."""
    rows = [("mix of 100 instructions", "streams", "exact", "mean error", "greatest")]
    rows += [(n, str(f["streams"]), str(f["exact"]), f"{f['mean']:.2%}", f"{f['most']:.2%}")
             for n, f in record["mixes"].items()]
    return table(rows)


# -- kernels whose order is published ----------------------------------------------------------------------------------

PINGPONG, ASYNC = {"TRITON_HIP_USE_BLOCK_PINGPONG": "1"}, {"TRITON_HIP_USE_ASYNC_COPY": "1"}
SMALL, LARGE, THIN = (128, 128, 64), (256, 256, 64), (256, 256, 32)
# Name: (chip, tile, waves, stages, side of the matrix instruction, switches).
CODE: dict[str, tuple[str, tuple[int, int, int], int, int, int, dict[str, str]]] = {
    "ping-pong": ("gfx942", LARGE, 8, 2, 16, PINGPONG), "256x256": ("gfx942", LARGE, 8, 2, 16, {}),
    "256x256, one stage": ("gfx942", LARGE, 8, 1, 16, {}), "256x256, 32x32": ("gfx942", LARGE, 8, 2, 32, {}),
    "128x128": ("gfx942", SMALL, 4, 2, 16, {}), "128x128, one stage": ("gfx942", SMALL, 4, 1, 16, {}),
    "128x128, 32x32": ("gfx942", SMALL, 4, 2, 32, {}), "32x32 tile": ("gfx942", (32, 32, 64), 4, 2, 16, {}),
    "gfx950, 4 waves": ("gfx950", LARGE, 4, 2, 16, ASYNC),
    "gfx950, 4 waves, one stage": ("gfx950", LARGE, 4, 1, 16, ASYNC),
    "gfx950, 8 waves, K 64": ("gfx950", LARGE, 8, 2, 16, ASYNC),
    "gfx950, ping-pong, K 32": ("gfx950", THIN, 8, 3, 16, {**ASYNC, **PINGPONG}),
    "gfx950, K 32": ("gfx950", THIN, 8, 3, 16, ASYNC),
}  # fmt: skip
GLUON = "AMD, gfx950-gluon-tutorials, a16w16, MI355X: "
GUIDE = "AMD, MI300X workload optimization, Triton kernels: "
# (the faster, the slower, who says so). AMD's and Meta's figures are of their own kernels, with the same tile, waves and
# pipeline; these are Triton's.
ORDER = (
    ("ping-pong", "256x256", "Triton, pull requests 5018 and 5696: on by default on gfx942 since it is faster"),
    ("256x256", "256x256, one stage", GUIDE + "num_stages=2 for a GEMM"),
    ("128x128", "128x128, one stage", GUIDE + "num_stages=2 for a GEMM"),
    ("256x256", "256x256, 32x32", GUIDE + "16x16 outperforms 32x32, for large tiles too"),
    ("128x128", "128x128, 32x32", GUIDE + "16x16 outperforms 32x32, for large tiles too"),
    ("128x128", "32x32 tile", GUIDE + "larger tiles for large GEMMs"),
    ("gfx950, 4 waves", "gfx950, 4 waves, one stage", GLUON + "1123 TFLOPS with global prefetch, 46 % more"),
    ("gfx950, ping-pong, K 32", "gfx950, K 32", "Triton (Meta), pull request 1548: 955 TFLOPS with, 888 without"),
    ("gfx950, 8 waves, K 64", "gfx950, ping-pong, K 32",
     "Triton (Meta), pull request 1825: 1013 TFLOPS by K 64, 926 by 32"),
)  # fmt: skip


def rank(args: argparse.Namespace) -> dict[str, Any]:
    """The share that the model has for each, and which pairs it orders as published."""
    from triton_code import assembly

    from avelang.sim.amdgcn.arguments import explicit

    shares: dict[str, float] = {}
    for name, (chip, (m, n, k), waves, stages, side, switches) in CODE.items():
        text, lds = assembly(chip, (m, n, k), waves, stages, side, **switches)
        kernel = executor.load(text)
        a, b, c = (placed(np.ones(s, ml_dtypes.bfloat16)) for s in ((m, K), (n, K), (m, n)))
        given = [a, b, c, m, n, K, K, K, n]
        given += [None] * (len(explicit(kernel.machine.kernel)) - len(given))
        with executor.compute_unit(memory_latency=args.latency) as found:
            kernel[1, 64 * waves](*given, dynamic_lds=lds)
        assert (c.astype(np.float32) == K).all(), name
        shares[name] = found[0].busy
    pairs = [{"faster": x, "slower": y, "source": source, "right": shares[x] > shares[y]} for x, y, source in ORDER]
    right = sum(p["right"] for p in pairs)
    return {"latency": args.latency, "shares": shares, "pairs": pairs, "tau": (2 * right - len(pairs)) / len(pairs)}


def show_rank(record: dict[str, Any]) -> str:
    """A line for each pair."""
    s = record["shares"]
    rows = [("published as faster", "model", "than", "model", "", "source")]
    rows += [(p["faster"], f"{s[p['faster']]:.1%}", p["slower"], f"{s[p['slower']]:.1%}",
              "right" if p["right"] else "WRONG", p["source"]) for p in record["pairs"]]
    return f"{table(rows)}\nKendall's tau over these pairs: {record['tau']:.2f}"


if __name__ == "__main__":
    main(
        __doc__,
        Part("kernels", "cu_model", kernels, show, bars=bars),
        Part("mca", "cu_model_mca", against_mca, show_mca),
        Part("rank", "cu_model_rank", rank, show_rank, default=False),
        more={"--latency": {"type": int, "default": 800}, "--streams": {"type": int, "default": 40}},
    )
