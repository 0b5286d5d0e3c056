"""The grouped GEMM of the tile level (`avelang_kernels.moe.tile_grouped_gemm`) with shapes of mixtures of experts,
bf16: on a Hopper GPU beside torch's `grouped_mm` and a loop of `torch.matmul`; its gfx942 code by llvm-mca.

    python benchmarks/tile_grouped_gemm.py [--rounds 15] [--only static | --only timed] [--models Mixtral ...]
        [--tokens 512 ...] [--more]

Tokens go to random experts. On the GPU: contenders in turn, L2 written over before each call, medians of device time;
results are checked against float64 first, group by group, on outputs that were NaN. The loop is told the sizes of the
groups on the host; with many groups it is the host that takes the time. `--more`: more blocks, and rows taken through
an index. Static: what the gfx942 code of the recommended blocks takes and how busy it keeps the matrix core (one wave,
llvm-mca; no time on a card). Writes `results/tile_grouped_gemm.json` and `results/tile_grouped_gemm_static.json`."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import itertools
from collections.abc import Callable
from typing import Any

from harness import (
    Calls,
    GpuClock,
    Part,
    code_figures,
    code_table,
    difference,
    errors_of,
    main,
    medians,
    only,
    poisoned,
    printed,
    units,
)

import avelang.language as al
from avelang.runtime.compile import compile_text
from avelang.tile import Block
from avelang_kernels.moe.tile_grouped_gemm import best_block, build, grouped_gemm
from avelang_kernels.moe.tile_moe import sort_by_expert

# Experts, experts of a token; (n, k) of the products: gate and up together, down. From the models' published
# configurations.
MODELS = {
    "Mixtral": (8, 2, ((2 * 14336, 4096), (4096, 14336))),
    "DeepSeek-V3": (256, 8, ((2 * 2048, 7168), (7168, 2048))),
    "Qwen3-30B-A3B": (128, 8, ((2 * 768, 2048), (2048, 768))),
}
TOKENS = (512, 4096, 16384)
HIGH, LOW = Block(128, 256, 64, pipeline="tma", stages=4), Block(64, 256, 64, pipeline="tma", stages=5)
BLOCKS = (HIGH, dataclasses.replace(HIGH, cluster=(2, 1)), LOW)
MORE = (dataclasses.replace(HIGH, cluster=(1, 2)), Block(128, 128, 64, pipeline="tma", stages=6),
        Block(128, 256, 32, (2, 4), "cp-async"))
CHECKED = 8  # groups whose every element is checked


def named(b: Block) -> str:
    """A block in words."""
    return f"{b.pipeline} {b.m}x{b.n}x{b.k}" + (f" {b.cluster[0]}x{b.cluster[1]}" if b.cluster != (1, 1) else "")


# -- without a GPU ---


def static(args: argparse.Namespace) -> dict[str, Any]:
    """What the gfx942 code of each recommended block takes: plain, and with rows through an index, factors and
    gates."""
    out = []
    for rows in (1 << 17, 16384, 512):
        block = best_block("gfx942", rows, 64)
        threads = block.on("gfx942", al.bf16).threads
        for what, options in (("plain", ()), ("gathered, gated", (True, True, True))):
            text = compile_text(build(block, al.bf16, al.bf16, *options), {"E": 64}, (threads, 1, 1), "gfx942", "asm")
            out.append(
                {
                    "block": named(block),
                    "kind": what,
                    **only(code_figures(text, "gfx942"), "vgpr", "spills", "lds", "mca"),
                }
            )
    return {"figures": out}


# -- on the GPU ---


@dataclasses.dataclass
class Case:
    """One product's arrays on the GPU, tokens sorted by expert; `sizes` of the groups, on the host."""

    a: Any
    b: Any
    offsets: Any
    sizes: list[int]
    index: Any
    x: Any

    def error(self, out: Any) -> float:
        """The greatest error in some groups, relative to the root of the mean square; NaN where any element is NaN."""
        import torch

        if torch.isnan(out).any():
            return float("nan")
        bounds = list(itertools.accumulate(self.sizes, initial=0))
        full = [g for g, s in enumerate(self.sizes) if s]
        some = full[:: max(1, len(full) // CHECKED)]
        return max(
            difference(out[bounds[g] : bounds[g + 1]], self.a[bounds[g] : bounds[g + 1]], self.b[g]) for g in some
        )


def case(E: int, top: int, tokens: int, b: Any) -> Case:
    """Random tokens, routed at random, for the experts' matrices."""
    import torch

    x = torch.randn(tokens, b.shape[2], device="cuda", dtype=torch.bfloat16)
    ids = torch.rand(tokens, E, device="cuda").topk(top).indices.int()
    order, offsets = sort_by_expert(ids, E)
    index = order // top
    return Case(x[index], b, offsets, offsets.diff().tolist(), index, x)


def contenders(c: Case, blocks: tuple[Block, ...]) -> tuple[Calls, Callable[[str], float]]:
    """What is timed, and the error of each one's last result."""
    import torch

    rows, n, count = c.a.shape[0], c.b.shape[1], units()
    made: dict[str, Any] = {}

    def ours(name: str, block: Block, taken: bool) -> None:
        grouped_gemm(c.x if taken else c.a, c.b, c.offsets, made[name], block, "sm_90a",
                     index=c.index if taken else None, units=count)

    def loop() -> None:
        at = 0
        for g, s in enumerate(c.sizes):
            if s:
                torch.matmul(c.a[at : at + s], c.b[g].T, out=made["loop of matmul"][at : at + s])
            at += s

    def theirs() -> None:
        made["torch grouped_mm"] = grouped_mm(c.a, c.b.transpose(-2, -1), offs=c.offsets[1:])

    grouped_mm: Any = getattr(torch.nn.functional, "grouped_mm", None) or getattr(torch, "_grouped_mm")  # noqa: B009
    calls: Calls = {}
    for block in blocks:
        taken = block.pipeline == "cp-async"
        calls[named(block) + (" gathered" if taken else "")] = functools.partial(ours,
                named(block) + (" gathered" if taken else ""), block, taken)
    calls["torch grouped_mm"], calls["loop of matmul"] = theirs, loop
    for name in calls:
        made[name] = poisoned(rows, n)
    return calls, lambda name: c.error(made[name])


def timed(args: argparse.Namespace) -> dict[str, Any]:
    """Microseconds and TFLOP/s of each contender."""
    import torch

    blocks, clock, rows = BLOCKS + MORE if args.more else BLOCKS, GpuClock(), []
    for model in args.models:
        E, top, shapes = MODELS[model]
        for n, k in shapes:
            b = torch.randn(E, n, k, device="cuda", dtype=torch.bfloat16)
            for count in args.tokens:
                c = case(E, top, count, b)
                calls, error = contenders(c, blocks)
                errors = errors_of(calls, error)
                us = medians(clock.interleaved(calls, args.rounds, warm=1))
                flops = 2 * count * top * n * k
                read = 2 * (sum(s > 0 for s in c.sizes) * n * k + count * top * (n + k))
                rows.append(
                    {
                        "model": model,
                        "experts": E,
                        "tokens": count,
                        "rows": count * top,
                        "n": n,
                        "k": k,
                        "largest": max(c.sizes),
                        "us": us,
                        "tflops": {name: flops / t / 1e6 for name, t in us.items()},
                        "tbytes": {name: read / t / 1e6 for name, t in us.items()},
                        "errors": errors,
                    }
                )
                words = {name: f"{t:.0f} us, {flops / t / 1e6:.0f} TFLOP/s, {read / t / 1e6:.1f} TB/s"
                         for name, t in us.items()}
                printed((model, count, (n, k)), {**words, "recommended": named(best_block("sm_90a", count * top, E))})
                del c, calls, error
            del b
    return {"figures": rows}


if __name__ == "__main__":
    main(
        __doc__,
        Part(
            "static",
            "tile_grouped_gemm_static",
            static,
            lambda record: code_table("gfx942", record["figures"], "block", "kind"),
        ),
        Part("timed", "tile_grouped_gemm", timed, gpu=True),
        rounds=15,
        page="tile_grouped_gemm",
        more={
            "--models": {"nargs": "+", "choices": tuple(MODELS), "default": list(MODELS)},
            "--tokens": {"nargs": "+", "type": int, "default": list(TOKENS)},
            "--more": {"action": "store_true", "help": "more blocks, and rows taken through an index"},
        },
    )
