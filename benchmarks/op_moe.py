"""`ops.grouped_matmul` on a Hopper GPU, of layers of mixtures of experts: the first product and the two of its backward
beside torch's `grouped_mm`. Tokens are sent to random experts.

    python benchmarks/op_moe.py [--models Mixtral Qwen3-30B-A3B] [--tokens 4096]

Contenders take turns, L2 is written over before each call, medians of device time; results are held against torch's
first."""

from __future__ import annotations

import argparse
import functools
from typing import Any

from harness import Figures, GpuClock, Part, main, medians, printed, table

from avelang import ops

# Experts, experts of a token, hidden and inner sizes.
MODELS = {
    "Mixtral": (8, 2, 4096, 14336),
    "DeepSeek-V3": (256, 8, 7168, 2048),
    "Qwen3-30B-A3B": (128, 8, 2048, 768),
}


def products(model: str, tokens: int) -> dict[str, dict[str, Any]]:
    """Contenders by name for each product: the first of a layer, and its gradients."""
    import torch

    experts, top, hidden, inner = MODELS[model]
    ids = torch.rand(tokens, experts, device="cuda").topk(top).indices.reshape(-1)
    offs = torch.bincount(ids, minlength=experts).cumsum(0).to(torch.int32)
    x = torch.randn(tokens * top, hidden, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(experts, 2 * inner, hidden, device="cuda", dtype=torch.bfloat16) / hidden**0.5
    g = torch.randn(tokens * top, 2 * inner, device="cuda", dtype=torch.bfloat16)
    peer: Any = torch._grouped_mm  # type: ignore
    forms = {"forward": (x, w.transpose(1, 2)), "of x": (g, w), "of weights": (g.T, x)}
    return {
        name: {
            "ours": functools.partial(ops.grouped_matmul, a, b, offs),
            "torch": functools.partial(peer, a, b, offs=offs),
        }
        for name, (a, b) in forms.items()
    }


def measure(args: argparse.Namespace) -> Figures:
    """Every product of every model."""
    import torch

    clock, rows = GpuClock(), []
    for model in args.models:
        _, top, hidden, inner = MODELS[model]
        for name, calls in products(model, args.tokens).items():
            want = calls["torch"]().float()
            error = float((calls["ours"]().float() - want).norm() / want.norm())
            us = medians(clock.interleaved(calls, args.rounds, warm=2))
            flops = 2 * args.tokens * top * hidden * 2 * inner
            tflops = {who: flops / t / 1e6 for who, t in us.items()}
            rows.append({"model": model, "product": name, "us": us, "tflops": tflops, "error": error})
            printed((model, name), {who: f"{f:.0f}" for who, f in tflops.items()} | {"difference": f"{error:.1e}"})
            torch.cuda.empty_cache()
    return {"tokens": args.tokens, "figures": rows}


def show(record: Figures) -> str:
    """TFLOP/s of both, and their ratio."""
    lines = [("model", "product", "Ave", "torch", "ratio")]
    for r in record["figures"]:
        ours, torch = r["tflops"]["ours"], r["tflops"]["torch"]
        lines.append((r["model"], r["product"], f"{ours:.0f}", f"{torch:.0f}", f"{ours / torch:.3f}"))
    return table(lines)


if __name__ == "__main__":
    main(
        __doc__,
        Part("timed", "op_moe", measure, show, gpu=True),
        rounds=12,
        more={
            "--models": {"nargs": "+", "choices": tuple(MODELS), "default": list(MODELS)},
            "--tokens": {"type": int, "default": 4096},
        },
    )
