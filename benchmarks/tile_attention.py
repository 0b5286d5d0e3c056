"""Attention of the tile level on an NVIDIA GPU, beside torch's `scaled_dot_product_attention` with each backend that
works; its code by static tools.

    python benchmarks/tile_attention.py [--rounds 24] [--only static | --only timed]
    python benchmarks/tile_attention.py --tune [64] [128] [256]  # on the GPU: what could be chosen for these d
    python benchmarks/tile_attention.py --page  # writes the tables of docs/tile_attention.md from the results

On the GPU: contenders in turn, L2 written over before each call, medians of device time; outputs are NaN before each
contender's first call, and its result is checked against float64 on heads and rows drawn at random, all keys of them. A
causal product counts half of its operations. Static: the gfx942 code by llvm-mca (one wave; a SIMD has two), and
registers on sm_90a. Writes `results/tile_attention.json`, `tile_attention_tuned.json` and `tile_attention_static.json`.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import avelang.language as al
from avelang.amdgcn.asm import parse
from avelang.amdgcn.loops import loops
from avelang.amdgcn.mca import ITERATIONS, simulate
from avelang.amdgcn.report import report
from avelang.isa.amdgpu.instructions import MATRIX
from avelang.runtime.compile import compile_text
from avelang_kernels.attention import tile_attention as common_source
from avelang_kernels.attention import tile_attention_hopper as hopper


class Shape(NamedTuple):
    """A case of attention."""

    batch: int
    heads: int
    seq: int
    d: int
    causal: bool = False
    kv_heads: int = 0

    @property
    def flops(self) -> float:
        """Operations, of which a causal product counts half."""
        return 4 * self.batch * self.heads * self.seq**2 * self.d * (0.5 if self.causal else 1)


SHAPES = (
    Shape(4, 32, 4096, 128), Shape(4, 32, 4096, 128, True), Shape(1, 32, 16384, 128, True), Shape(8, 16, 2048, 64),
    Shape(4, 32, 4096, 128, kv_heads=8),
)  # fmt: skip
TUNED = (
    Shape(4, 32, 4096, 128), Shape(4, 32, 4096, 128, True), Shape(1, 32, 16384, 128, True), Shape(8, 16, 2048, 64),
    Shape(8, 16, 2048, 64, True),
    Shape(2, 16, 4096, 256),
)  # fmt: skip
Form, Block = hopper.HopperAttention, common_source.Block
# For each d what could be the chosen ones; of forms those with `near` are for causal products alone.
FORMS: dict[int, tuple[Any, ...]] = {
    64: (Form(m=192), Form(m=192, turns=False), Form(m=192, stages=3), Form(), Form(m=192, near=1),
         Form(m=192, near=64)),
    128: (Form(), Form(turns=False), Form(n=160), Form(near=1), Form(near=8), Form(near=32)),
    256: (),
}
BLOCKS: dict[int, tuple[Any, ...]] = {
    64: (Block(64, 64, 4, False), Block(64, 64, 4), Block(64, 128, 4), Block(128, 64, 4, False)),
    128: (Block(64, 64, 4), Block(64, 64, 4, False), Block(64, 32, 4), Block(128, 32, 4, False),
          Block(128, 64, 4, False)),
    256: (Block(64, 32, 4, False), Block(64, 64, 4, False), Block(128, 32, 8)),
}
STATIC = ((128, Block(256, 64, 8)), (128, Block(128, 64, 4)), (64, Block(256, 64, 8)))


def utilization(text: str) -> float:
    """How much of the time of the loop without masks one wave keeps the matrix core busy: of the loops with the most
    matrix instructions, the one with the fewest others. The method is that of `avelang.amdgcn.mca`."""
    program = parse(text)
    found = [[program.instructions[i] for i in loop.indices] for loop in loops(program)]
    most = max(sum(i.desc.unit == MATRIX for i in code) for code in found)
    code = min((c for c in found if sum(i.desc.unit == MATRIX for i in c) == most), key=len)
    lines = [i.text for i in code if not i.desc.is_branch]
    (few, held), (many, _) = (simulate(lines, "gfx942", n) for n in ITERATIONS)
    return held * (ITERATIONS[1] - ITERATIONS[0]) / (many - few)


def static(args: argparse.Namespace) -> dict[str, Any]:
    """What gfx942 code takes, and how busy one wave keeps the matrix core."""
    out = []
    for d, block in STATIC:
        threads = block.on("gfx942", al.bf16, d).first.threads
        text = compile_text(common_source.build(block, al.bf16, d), {"SEQ_FIRST": True, "CAUSAL": False},
                            (threads, 1, 1), "gfx942", "asm")
        made = report(text)
        out.append(
            {
                "code": f"gfx942 {block.m}x{block.n}, {block.waves} waves, d = {d}",
                "registers": made.vgpr + made.agpr,
                "spills": made.vgpr_spills + made.sgpr_spills,
                "shared": made.lds,
                "utilization": utilization(text),
            }
        )
    for d in (64, 128, 256):
        block = common_source.block_for("sm_90a", d)
        threads = block.on("sm_90a", al.bf16, d).first.threads
        found = common_source.build(block, al.bf16, d).report("sm_90a", (threads, 1, 1), SEQ_FIRST=True, CAUSAL=True)
        out.append(
            {
                "code": f"sm_90a {named(block)}, d = {d}",
                "registers": found.registers,
                "spills": found.stored + found.loaded,
                "shared": found.shared + found.dynamic,
            }
        )
        if d > hopper.WITH_WGMMA:
            continue
        form = hopper.form_of(None, al.bf16, d)
        found = hopper.build(form).report("sm_90a", (form.threads, 1, 1), CAUSAL=True)
        out.append(
            {
                "code": f"sm_90a {named(form)}, d = {d}",
                "registers": found.registers,
                "spills": found.stored + found.loaded,
                "shared": found.shared + found.dynamic,
            }
        )
    return {"figures": out}


def named(T: Any) -> str:
    """A form or a block in words."""
    if isinstance(T, Block):
        return f"mma.sync {T.m}x{T.n}, {T.waves} warps, Q in {'registers' if T.resident else 'shared memory'}"
    said = (f"wgmma {T.m}x{T.n}", *([f"{T.stages} stages"] if T.stages != 2 else []),
            *([] if T.turns else ["no turns"]))
    return ", ".join((*said, *([f"{T.near} heads together"] if T.near else [])))


def chosen(s: Shape, target: str) -> dict[str, Any]:
    """What users get: on Hopper with `wgmma` where it fits, and with `mma.sync`."""
    wgmma = {"wgmma": None} if target == "sm_90a" and s.d <= hopper.WITH_WGMMA else {}
    return wgmma | {"mma.sync": common_source.block_for(target, s.d)}


def candidates(s: Shape, target: str) -> dict[str, Any]:
    """What could be chosen."""
    forms = [T for T in FORMS[s.d] if target == "sm_90a" and (s.causal or not T.near)]
    return {named(T): T for T in (*forms, *BLOCKS[s.d])}


def contenders(s: Shape, target: str, units: int,
               ours: dict[str, Any]) -> tuple[dict[str, Callable[[], Any]], dict[str, Any], tuple[Any, Any, Any]]:
    """What is timed, where each one's result goes, and Q, K, V. torch wants (batch, heads, seq, d): it gets views of
    the same memory."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    kv = s.kv_heads or s.heads
    q, k, v = (torch.randn(s.batch, s.seq, h, s.d, device="cuda", dtype=torch.bfloat16) for h in (s.heads, kv, kv))
    x, y, z = (a.transpose(1, 2) for a in (q, k, v))
    outs: dict[str, Any] = {name: torch.full_like(q, float("nan")) for name in ours}
    calls: dict[str, Callable[[], Any]] = {}
    for name, T in ours.items():
        calls[name] = functools.partial(common_source.attention, q, k, v, outs[name], target, causal=s.causal, T=T,
                                        units=units)

    def library(backend: Any, name: str) -> None:
        with sdpa_kernel(backend):
            outs[name] = torch.nn.functional.scaled_dot_product_attention(x, y, z, is_causal=s.causal,
                    enable_gqa=kv != s.heads).transpose(1, 2)

    for name, backend in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
        with contextlib.suppress(RuntimeError):
            library(backend, name)
            calls[name] = functools.partial(library, backend, name)
    return calls, outs, (q, k, v)


def error(out: Any, q: Any, k: Any, v: Any, s: Shape, samples: int = 6, rows: int = 64) -> float:
    """The greatest difference from float64 on some heads and rows, in units of 2^-8 * (weights @ |v| + |o|): below 2;
    NaN where one is."""
    import torch

    worst, group = 0.0, s.heads // (s.kv_heads or s.heads)
    for _ in range(samples):
        b, h = (int(torch.randint(n, ())) for n in (s.batch, s.heads))
        i = torch.randint(s.seq, (rows,), device="cuda")
        x, y, z = q[b, i, h].double(), k[b, :, h // group].double(), v[b, :, h // group].double()
        scores = x @ y.T * s.d**-0.5
        if s.causal:
            scores = scores.masked_fill(torch.arange(s.seq, device="cuda")[None] > i[:, None], -torch.inf)
        p = scores.softmax(1)
        want, got = p @ z, out[b, i, h].double()
        part = (got - want).abs() / (2.0**-8 * (p @ z.abs() + want.abs()))
        if torch.isnan(part).any() or torch.isnan(out[b, :, h]).any():
            return float("nan")
        worst = max(worst, float(part.max()))
    return worst


def timed(rounds: int, shapes: tuple[Shape, ...], ours: Callable[[Shape, str], dict[str, Any]]) -> dict[str, Any]:
    """TFLOP/s of each contender: of `ours`, and of the libraries."""
    from harness import GpuClock, errors_of, gpu_target, medians, printed, units

    target, clock, rows = gpu_target(), GpuClock(), []
    for s in shapes:
        calls, outs, (q, k, v) = contenders(s, target, units(), ours(s, target))
        errors = errors_of(calls, lambda name, o=outs, x=(q, k, v, s): error(o[name], *x), 2)
        us = medians(clock.interleaved(calls, rounds))
        rows.append(
            {
                "shape": s._asdict(),
                "us": us,
                "tflops": {name: s.flops / t / 1e6 for name, t in us.items()},
                "errors": errors,
            }
        )
        printed(s, {name: f"{x:.0f} TFLOP/s" for name, x in rows[-1]["tflops"].items()})
        del calls, outs, q, k, v
    return {"figures": rows}


def tuned(args: argparse.Namespace) -> dict[str, Any]:
    """What could be chosen, for the values of d that were asked for."""
    return timed(min(args.rounds, 12), tuple(s for s in TUNED if s.d in (args.tune or FORMS)), candidates)


if __name__ == "__main__":
    import sys

    import pages
    from harness import Part, main

    if "--tune" in sys.argv and "--only" not in sys.argv:
        sys.argv += ["--only", "tune"]
    values = {"type": int, "nargs": "*", "choices": sorted(FORMS), "metavar": "D",
              "help": "time what could be chosen for these d, by default all"}
    main(__doc__, Part("static", "tile_attention_static", static, pages.attention_static),
         Part("timed", "tile_attention", lambda args: timed(args.rounds, SHAPES, chosen), pages.attention_timed,
              gpu=True),
         Part("tune", "tile_attention_tuned", tuned, gpu=True, default=False), rounds=24, page="tile_attention",
         more={"--tune": values})  # fmt: skip
