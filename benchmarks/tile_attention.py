"""Attention of the tile level on an NVIDIA GPU, beside torch's `scaled_dot_product_attention` with each backend that works; its code by static tools.

    python benchmarks/tile_attention.py [--rounds 24] [--only static | --only timed]

On the GPU: contenders in turn, L2 written over before each call, medians of device time; outputs are NaN before each contender's first call, and its
result is checked against float64 on heads and rows drawn at random, all keys of them. A causal product counts half of its operations. Static: the
gfx942 code by llvm-mca (one wave; a SIMD has two), and registers on sm_90a. Writes `results/tile_attention.json` and `tile_attention_static.json`.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import statistics
from collections.abc import Callable
from typing import Any, NamedTuple

from common import save, table

import avelang.language as al
from avelang.amdgcn.asm import parse
from avelang.amdgcn.loops import is_branch, loops
from avelang.amdgcn.mca import ITERATIONS, simulate
from avelang.amdgcn.report import report
from avelang.isa.amdgpu.passes import is_matrix
from avelang.runtime.compile import compile_text
from avelang_kernels import tile_attention as common_source
from avelang_kernels import tile_attention_hopper as hopper


class Shape(NamedTuple):
    batch: int
    heads: int
    seq: int
    d: int
    causal: bool = False
    kv_heads: int = 0

    @property
    def flops(self) -> float:
        return 4 * self.batch * self.heads * self.seq**2 * self.d * (0.5 if self.causal else 1)


SHAPES = (
    Shape(4, 32, 4096, 128), Shape(4, 32, 4096, 128, True), Shape(1, 32, 16384, 128, True), Shape(8, 16, 2048, 64),
    Shape(4, 32, 4096, 128, kv_heads=8),
)  # fmt: skip
FORMS = {"wgmma": hopper.Form(), "wgmma, no turns": hopper.Form(turns=False), "wgmma, 3 consumers": hopper.Form(m=192)}
BLOCKS = {"mma.sync": None, "mma.sync 64x64": common_source.Block(64, 64, 4)}
STATIC = ((128, common_source.Block(256, 64, 8)), (128, common_source.Block(128, 64, 4)), (64, common_source.Block(256, 64, 8)))


def utilization(text: str) -> float:
    """How much of the time of the loop without masks one wave keeps the matrix core busy: of the loops with the most matrix instructions, the one
    with the fewest others. The method is that of `avelang.amdgcn.mca`."""
    program = parse(text)
    found = [[program.instructions[i] for i in loop.indices] for loop in loops(program)]
    most = max(sum(is_matrix(i.name) for i in code) for code in found)
    code = min((c for c in found if sum(is_matrix(i.name) for i in c) == most), key=len)
    lines = [i.text for i in code if not is_branch(i.name)]
    (few, held), (many, _) = (simulate(lines, "gfx942", n) for n in ITERATIONS)
    return held * (ITERATIONS[1] - ITERATIONS[0]) / (many - few)


def static() -> list[dict[str, Any]]:
    """What gfx942 code takes, and how busy one wave keeps the matrix core."""
    out = []
    for d, block in STATIC:
        threads = block.on("gfx942", al.bf16, d).first.threads
        text = compile_text(common_source.build(block, al.bf16, d), {"SEQ_FIRST": True, "CAUSAL": False}, (threads, 1, 1), "gfx942", "asm")
        made = report(text)
        out.append({"code": f"gfx942 {block.m}x{block.n}, {block.waves} waves, d = {d}", "registers": made.vgpr + made.agpr,
                    "spills": made.vgpr_spills + made.sgpr_spills, "shared": made.lds, "utilization": utilization(text)})  # fmt: skip
    for d in (64, 128):
        block = common_source.block_for("sm_90a", d)
        threads = block.on("sm_90a", al.bf16, d).first.threads
        found = common_source.build(block, al.bf16, d).report("sm_90a", (threads, 1, 1), SEQ_FIRST=True, CAUSAL=False)
        out.append({"code": f"sm_90a mma.sync {block.m}x{block.n}, d = {d}", "registers": found.registers, "spills": found.stored + found.loaded,
                    "shared": found.shared + found.dynamic})  # fmt: skip
        form = hopper.Form(d=d)
        found = hopper.build(form).report("sm_90a", (form.threads, 1, 1), CAUSAL=False)
        out.append({"code": f"sm_90a wgmma {form.m}x{form.n}, d = {d}", "registers": found.registers, "spills": found.stored + found.loaded,
                    "shared": found.shared + found.dynamic})  # fmt: skip
    return out


def contenders(s: Shape, target: str, units: int) -> tuple[dict[str, Callable[[], Any]], dict[str, Any], tuple[Any, Any, Any]]:
    """What is timed, where each one's result goes, and Q, K, V. torch wants (batch, heads, seq, d): it gets views of the same memory."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    kv = s.kv_heads or s.heads
    q, k, v = (torch.randn(s.batch, s.seq, h, s.d, device="cuda", dtype=torch.bfloat16) for h in (s.heads, kv, kv))
    x, y, z = (a.transpose(1, 2) for a in (q, k, v))
    names = (*(FORMS if target == "sm_90a" else ()), *BLOCKS)
    outs: dict[str, Any] = {name: torch.full_like(q, float("nan")) for name in names}
    calls: dict[str, Callable[[], Any]] = {}
    if target == "sm_90a":
        for name, form in FORMS.items():
            if form.m == 128 or s.d == 64:
                calls[name] = functools.partial(hopper.attention, q, k, v, outs[name], causal=s.causal, form=form, units=units)
    for name, block in BLOCKS.items():
        calls[name] = functools.partial(common_source.attention, q, k, v, outs[name], target, causal=s.causal, T=block)

    def library(backend: Any, name: str) -> None:
        with sdpa_kernel(backend):
            outs[name] = torch.nn.functional.scaled_dot_product_attention(x, y, z, is_causal=s.causal, enable_gqa=kv != s.heads).transpose(1, 2)

    for name, backend in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
        with contextlib.suppress(RuntimeError):
            library(backend, name)
            calls[name] = functools.partial(library, backend, name)
    return calls, outs, (q, k, v)


def error(out: Any, q: Any, k: Any, v: Any, s: Shape, samples: int = 6, rows: int = 64) -> float:
    """The greatest difference from float64 on some heads and rows, in units of 2^-8 * (weights @ |v| + |o|): below 2; NaN where one is."""
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


def timed(rounds: int) -> list[dict[str, Any]]:
    """TFLOP/s of each contender."""
    import torch
    from gpu_timing import Clock

    target, units = ("sm_90a" if torch.cuda.get_device_capability() == (9, 0) else "sm_80"), torch.cuda.get_device_properties(0).multi_processor_count
    clock, rows = Clock(), []
    for s in SHAPES:
        calls, outs, (q, k, v) = contenders(s, target, units)
        errors = {}
        for name, call in calls.items():
            call()
            torch.cuda.synchronize()
            errors[name] = error(outs[name], q, k, v, s)
        assert all(e < 2 for e in errors.values()), errors
        us = {name: statistics.median(t) for name, t in clock.interleaved(calls, rounds).items()}
        rows.append({"shape": s._asdict(), "us": us, "tflops": {name: s.flops / t / 1e6 for name, t in us.items()}, "errors": errors})
        print(s, {name: f"{x:.0f} TFLOP/s" for name, x in rows[-1]["tflops"].items()}, flush=True)
        del calls, outs, q, k, v
    return rows


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=24)
    p.add_argument("--only", choices=("static", "timed"), help="what needs no GPU, or what needs no llvm-mca")
    args = p.parse_args()
    if args.only != "timed":
        code = static()
        busy = [f"{100 * f['utilization']:.1f} %" if "utilization" in f else "" for f in code]
        rows = ((f["code"], str(f["registers"]), str(f["spills"]), str(f["shared"]), b) for f, b in zip(code, busy, strict=True))
        print(table([("code", "registers", "spills", "shared memory", "utilization"), *rows]))
        print("saved", save("tile_attention_static", {"figures": code}))
    if args.only != "static":
        from gpu_timing import device

        print("saved", save("tile_attention", {"device": device(), "figures": timed(args.rounds)}))


if __name__ == "__main__":
    main()
