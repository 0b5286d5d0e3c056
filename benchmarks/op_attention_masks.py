"""`avelang.ops.attention` with masks, windows, caps, sinks, biases and packed sequences on a GPU, forward and backward,
beside torch's `scaled_dot_product_attention` (by cuDNN where it takes the problem, else by its memory-efficient kernel)
and its flash kernel for packed sequences, where there is one.

    python benchmarks/op_attention_masks.py [--rounds 10] [--seed 0] [--kinds "bias; cap"]

bf16, heads that share keys; one run, contenders in turn and in a new order each round, L2 full of other data, medians
of device time. TFLOP/s count what is seen: 4 d for each pair of a query and a key, times 2.5 in the backward. Results
and gradients are held against float64 on one head, in memory that was full of NaN. torch has no caps, sinks or windows
in these functions; masks of a number of heads are repeated for it as it asks."""

from __future__ import annotations

import argparse
import itertools
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from harness import GpuClock, Part, main, medians, table
from op_attention import BF16, NOISE, apart, poison
from torch.nn.attention import SDPBackend, sdpa_kernel

from avelang import ops


class Shape(NamedTuple):
    """Of a dense problem; as packed sequences all of it is one row of tokens."""

    batch: int
    heads: int
    kv_heads: int
    seq: int
    d: int


SHAPES = (Shape(2, 32, 8, 4096, 128), Shape(4, 16, 16, 2048, 64), Shape(1, 16, 4, 4096, 256))
WINDOW, CAP = 1024, 30.0
BIAS_NOISE = 0.01  # a tile of 64 x 64 that is lost among 4096 x 4096 is more


class Kind(NamedTuple):
    """A kind of problem: pairs that are seen, the call, torch's or None, and which pairs head 0 sees, with what is added
    there."""

    pairs: float
    ours: Callable[..., Any]
    torch: Callable[..., Any] | None
    seen: Any
    added: Any = None
    cap: float = 0.0
    sink: Any = None
    packed: bool = False
    trained: Any = None  # an array that has a gradient besides


def library(s: Shape, mask: Any) -> Callable[..., Any]:
    """torch's attention with a mask."""

    def call(q: Any, k: Any, v: Any) -> Any:
        k, v = (x.repeat_interleave(s.heads // s.kv_heads, 1) for x in (k, v))
        with sdpa_kernel([SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION], set_priority=True):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    return call


def flash(s: Shape, cu: Any, most: int) -> Callable[..., Any]:
    """torch's flash kernel for packed sequences, causal."""

    def call(q: Any, k: Any, v: Any) -> Any:
        k, v = (x.repeat_interleave(s.heads // s.kv_heads, 1) for x in (k, v))
        return torch.ops.aten._flash_attention_forward(q, k, v, cu, cu, most, most, 0.0, True, False)[0]

    return call


def kinds(s: Shape, seed: int) -> dict[str, Kind]:
    """All of them."""
    rng, tokens = random.Random(seed), s.batch * s.seq
    cuts = [0, *sorted(rng.sample(range(1, tokens), 9)), tokens]
    cu, most = torch.tensor(cuts, device="cuda", dtype=torch.int32), max(b - a for a, b in itertools.pairwise(cuts))
    causal = torch.ones(s.seq, s.seq, device="cuda", dtype=torch.bool).tril()
    near = causal & ~causal.tril(-WINDOW)
    bias = torch.randn(1, s.heads, s.seq, s.seq, device="cuda", dtype=BF16)
    trained = bias.clone().requires_grad_()
    sinks = torch.randn(s.heads, device="cuda")
    first = torch.arange(cuts[1], device="cuda")
    half, all = s.batch * s.seq * (s.seq + 1) / 2, float(s.batch * s.seq * s.seq)
    packed = sum((b - a) * (b - a + 1) / 2 for a, b in itertools.pairwise(cuts))

    def ours(**options: Any) -> Callable[..., Any]:
        return lambda q, k, v: ops.attention(q, k, v, enable_gqa=True, **options)

    return {
        "causal": Kind(half, ours(is_causal=True), None, causal),
        "window": Kind(float(near.sum()) * s.batch, ours(causal=True, window=(WINDOW - 1, 0)), None, near),
        "cap": Kind(half, ours(is_causal=True, softcap=CAP), None, causal, cap=CAP),
        "sinks": Kind(half, ours(is_causal=True, sinks=sinks), None, causal, sink=sinks[0]),
        "mask of bool, causal": Kind(half, ours(attn_mask=causal), library(s, causal[None, None]), causal),
        "bias": Kind(all, ours(attn_mask=bias), library(s, bias), torch.ones_like(causal), bias[0, 0]),
        "bias, trained": Kind(
            all, ours(attn_mask=trained), library(s, trained), torch.ones_like(causal), bias[0, 0], trained=trained
        ),
        "packed, causal": Kind(
            packed, ours(cu_seqlens_q=cu, cu_seqlens_k=cu, causal=True, max_seqlen_q=most, max_seqlen_k=most),
            flash(s, cu, most), first[:, None] >= first[None], packed=True,
        ),
    }  # fmt: skip


def exact(s: Shape, kind: Kind, q: Any, k: Any, v: Any) -> Any:
    """O of one head in float64."""
    scores = q @ k.mT * s.d**-0.5
    if kind.cap:
        scores = kind.cap * torch.tanh(scores / kind.cap)
    if kind.added is not None:
        scores = scores + kind.added.double()
    scores = scores.masked_fill(~kind.seen, float("-inf"))
    if kind.sink is not None:
        scores = torch.cat([scores, kind.sink.double().expand(scores.shape[0], 1)], 1)
    return torch.softmax(scores, -1)[:, : k.shape[0]] @ v


def check(s: Shape, kind: Kind, given: list[Any], g: Any) -> Any:
    """Raises where O or the gradients of head 0 (and of the heads that share its keys) are wrong. Returns O."""
    poison()
    out = kind.ours(*given)
    poison()
    inputs = [*given, *([] if kind.trained is None else [kind.trained])]
    found = torch.autograd.grad(out, inputs, g, retain_graph=True)
    n = kind.seen.shape[0]
    one = (lambda x: x[:n, 0]) if kind.packed else (lambda x: x[0, 0])
    q, k, v = (one(x.detach()).double().requires_grad_() for x in given)
    want = exact(s, kind, q, k, v)
    assert apart(one(out.detach()), want.detach()) < NOISE * 10, f"{s}: O is wrong"
    dq, *_ = torch.autograd.grad(want, (q, k, v), one(g).double())
    assert apart(one(found[0]), dq) < NOISE * 30, f"{s}: dQ is wrong"
    assert all(bool(x.isfinite().all()) for x in found)
    if kind.trained is not None:
        total = torch.zeros(s.seq, s.seq, device="cuda", dtype=torch.float64)
        for b in range(s.batch):  # one after another: float64 of all scores
            mine = [x.detach()[b, 0].double() for x in given]
            added = kind.added.double().requires_grad_()
            made = exact(s, kind._replace(added=added), *mine)
            total += torch.autograd.grad(made, added, g[b, 0].double())[0]
        # Over all elements: the largest are hundreds of times the mean, and their last bit is more than NOISE of that.
        error = (found[3][0, 0].double() - total).square().mean().sqrt() / total.square().mean().sqrt()
        assert error < BIAS_NOISE, f"{s}: the gradient of the bias is off by {float(error)}"
    again = torch.autograd.grad(out, inputs, g, retain_graph=True)
    assert all(torch.equal(x, y) for x, y in zip(found, again, strict=True)), "bits differ from run to run"
    return out


def masks(args: argparse.Namespace) -> dict[str, Any]:
    """Forward and backward of each kind and shape."""
    rows = []
    for s in SHAPES:
        sizes = (s.heads, s.kv_heads, s.kv_heads)
        dense = [torch.randn(s.batch, h, s.seq, s.d, device="cuda", dtype=BF16) for h in sizes]
        for name, kind in kinds(s, args.seed).items():
            if args.kinds and name not in args.kinds.split("; "):
                continue
            given = [x.transpose(1, 2).reshape(-1, x.shape[1], s.d) if kind.packed else x for x in dense]
            given = [x.detach().contiguous().requires_grad_() for x in given]
            out = kind.ours(*given)
            g = torch.randn_like(out)
            outs, calls = {"ours": check(s, kind, given, g)}, {"ours": kind.ours}
            if kind.torch is not None:
                calls["torch"] = kind.torch
                outs["torch"] = kind.torch(*given)
            plain = [x.detach() for x in given]
            forward = {n: lambda call=call, plain=plain: call(*plain) for n, call in calls.items()}
            inputs = [*given, *([] if kind.trained is None else [kind.trained])]
            backward = {n: lambda o=o, inputs=inputs, g=g: torch.autograd.grad(o, inputs, g, retain_graph=True)
                        for n, o in outs.items()}  # fmt: skip
            us = [medians(GpuClock().interleaved(x, args.rounds)) for x in (forward, backward)]
            flops = 4.0 * s.d * s.heads * kind.pairs
            rows.append({"shape": list(s), "kind": name, "us": us,
                         "tflops": [{n: f * flops / t / 1e6 for n, t in x.items()} for f, x in zip((1, 2.5), us, strict=True)]})  # fmt: skip
    return {"seed": args.seed, "rounds": args.rounds, "rows": rows}


def show(record: dict[str, Any]) -> str:
    """The table."""
    lines: list[Any] = [("batch, heads, kv heads, seq, d", "", "forward: us", "TFLOP/s", "torch us", "backward: us", "TFLOP/s", "torch us")]
    for row in record["rows"]:
        cells: list[str] = [", ".join(map(str, row["shape"])), row["kind"]]
        for us, flops in zip(row["us"], row["tflops"], strict=True):
            cells += [f"{us['ours']:.0f}", f"{flops['ours']:.0f}", f"{us['torch']:.0f}" if "torch" in us else ""]
        lines.append(tuple(cells))
    return table(lines)


if __name__ == "__main__":
    main(__doc__, Part("masks", "op_attention_masks", masks, show, gpu=True), rounds=10,
         more={"--seed": {"type": int, "default": 0, "help": "of the lengths of packed sequences"},
               "--kinds": {"default": "", "help": "names of the table, with '; ' between: these alone"}})  # fmt: skip
