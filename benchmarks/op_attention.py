"""`avelang.ops.attention` on a GPU, as a model calls it, beside torch's `scaled_dot_product_attention` by cuDNN and by
its flash kernel: forward, backward, decode.

    python benchmarks/op_attention.py [--only forward|backward|decode] [--rounds 20]

One run, contenders in turn and in a new order each round, L2 full of other data, medians of device time, bf16. A causal
product counts half of its operations; a backward 2.5 times those of the forward; decode the bytes of K and V. Inputs
are transposed views of (batch, length, heads, d). Results are held against float64 on heads drawn at random, in memory
that was full of NaN. The gradients are torch's own `autograd.grad` of each contender's result."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from harness import GpuClock, Part, main, medians, table
from torch.nn.attention import SDPBackend, sdpa_kernel

from avelang import ops

BF16 = torch.bfloat16
NOISE = 0.03  # the greatest error, by the root of the mean square


class Shape(NamedTuple):
    """A case; queries of decode are 1."""

    batch: int
    heads: int
    kv_heads: int
    seq: int
    d: int
    causal: bool = True

    @property
    def flops(self) -> float:
        """Operations of the forward."""
        return 4.0 * self.batch * self.heads * self.seq**2 * self.d * (0.5 if self.causal else 1)


SHAPES = (
    Shape(4, 32, 32, 4096, 128, False), Shape(4, 32, 32, 4096, 128), Shape(2, 16, 16, 8192, 128),
    Shape(8, 16, 16, 2048, 64), Shape(2, 32, 8, 4096, 128), Shape(2, 16, 16, 4096, 256),
)  # fmt: skip
DECODES = (
    Shape(32, 32, 8, 8192, 128, False), Shape(128, 32, 8, 2048, 128, False), Shape(1, 32, 8, 131072, 128, False),
    Shape(16, 64, 8, 16384, 128, False),
)  # fmt: skip


def inputs(s: Shape, queries: int | None = None) -> tuple[Any, Any, Any]:
    """Q, K and V."""
    sizes = (s.heads, queries or s.seq), (s.kv_heads, s.seq), (s.kv_heads, s.seq)
    return tuple(torch.randn(s.batch, n, h, s.d, device="cuda", dtype=BF16).transpose(1, 2) for h, n in sizes)  # type: ignore[return-value]


def library(backend: Any, s: Shape) -> Callable[..., Any]:
    """torch's attention by one backend."""

    def call(q: Any, k: Any, v: Any) -> Any:
        with sdpa_kernel(backend):
            return torch.nn.functional.scaled_dot_product_attention(
                q, k, v, is_causal=s.causal, enable_gqa=s.heads != s.kv_heads
            )

    return call


def contenders(s: Shape) -> dict[str, Callable[..., Any]]:
    """Ours and theirs."""
    return {
        "ours": lambda q, k, v: ops.attention(q, k, v, is_causal=s.causal, enable_gqa=s.heads != s.kv_heads),
        "cuDNN": library(SDPBackend.CUDNN_ATTENTION, s), "flash": library(SDPBackend.FLASH_ATTENTION, s),
    }  # fmt: skip


def exact(s: Shape, q: Any, k: Any, v: Any) -> Any:
    """O of one head in float64."""
    scores = q.double() @ k.double().mT * s.d**-0.5
    if s.causal:
        scores = scores + torch.full_like(scores, float("-inf")).triu(1)
    return torch.softmax(scores, -1) @ v.double()


def apart(got: Any, want: Any) -> float:
    """The greatest difference, by the root of the mean square."""
    return float((got.double() - want).abs().max() / want.square().mean().sqrt())


def poison() -> None:
    """Leaves NaN in memory that is free."""
    for size in (1 << 20, 1 << 28):
        torch.full((size,), float("nan"), device="cuda", dtype=BF16)


def forward(args: argparse.Namespace) -> dict[str, Any]:
    """O."""
    rows = []
    for s in SHAPES:
        q, k, v = inputs(s)
        b, h = (int(torch.randint(n, ())) for n in (s.batch, s.heads))
        want = exact(s, q[b, h], k[b, h * s.kv_heads // s.heads], v[b, h * s.kv_heads // s.heads])
        calls = {}
        for name, call in contenders(s).items():
            poison()
            error = apart(call(q, k, v)[b, h], want)
            assert error < NOISE * 10 or name != "ours", f"{name} of {s}: off by {error}"
            calls[name] = lambda call=call, q=q, k=k, v=v: call(q, k, v)
        us = medians(GpuClock().interleaved(calls, args.rounds))
        rows.append({"shape": s._asdict(), "us": us, "value": {n: s.flops / t / 1e6 for n, t in us.items()}})
    return {"unit": "TFLOP/s", "rows": rows}


def backward(args: argparse.Namespace) -> dict[str, Any]:
    """Gradients of Q, K and V."""
    rows = []
    for s in SHAPES:
        given = [x.requires_grad_() for x in inputs(s)]
        g = torch.randn(s.batch, s.seq, s.heads, s.d, device="cuda", dtype=BF16).transpose(1, 2)
        b, h, group = int(torch.randint(s.batch, ())), int(torch.randint(s.kv_heads, ())), s.heads // s.kv_heads
        heads = range(h * group, h * group + group)
        one = [given[0].detach()[b, list(heads)].double(), *(x.detach()[b, h].double() for x in given[1:])]
        one = [x.requires_grad_() for x in one]
        want = torch.autograd.grad(exact(s, *one), one, g[b, list(heads)].double())
        calls = {}
        for name, call in contenders(s).items():
            out = call(*given)
            poison()
            found = torch.autograd.grad(out, given, g, retain_graph=True)
            mine = found[0][b, list(heads)], found[1][b, h], found[2][b, h]
            error = max(apart(x, y) for x, y in zip(mine, want, strict=True))
            assert error < NOISE * 30 or name != "ours", f"{name} of {s}: off by {error}"
            if name == "ours":
                again = torch.autograd.grad(out, given, g, retain_graph=True)
                assert all(torch.equal(x, y) for x, y in zip(found, again, strict=True)), "bits differ from run to run"
            calls[name] = lambda out=out, given=given, g=g: torch.autograd.grad(out, given, g, retain_graph=True)
        us = medians(GpuClock().interleaved(calls, args.rounds))
        rows.append({"shape": s._asdict(), "us": us, "value": {n: 2.5 * s.flops / t / 1e6 for n, t in us.items()}})
    return {"unit": "TFLOP/s", "rows": rows}


def in_pages(x: Any, page: int = 16) -> tuple[Any, Any]:
    """(batch, heads, keys, d) as pages in a random order, and the table."""
    batch, heads, keys, d = x.shape
    count = batch * (keys // page)
    order = torch.randperm(count, device=x.device)
    made = torch.empty(count, page, heads, d, device=x.device, dtype=x.dtype)
    made[order] = x.transpose(1, 2).reshape(count, page, heads, d)
    return made, order.reshape(batch, keys // page).int()


def decode(args: argparse.Namespace) -> dict[str, Any]:
    """One query a sequence: all of K and V are read once. Without gradients."""
    rows = []
    for s in DECODES:
        q, k, v = inputs(s, 1)
        torch.manual_seed(1)
        keys, order = in_pages(k)
        torch.manual_seed(1)
        values, _ = in_pages(v)
        lengths = torch.full((s.batch,), s.seq, dtype=torch.int32, device="cuda")
        found = contenders(s)
        given: dict[str, tuple[Any, ...]] = dict.fromkeys(found, (q, k, v))
        found["ours, pages of 16"] = lambda q, k, v, order=order, lengths=lengths: ops.attention(
            q, k, v, block_table=order, cache_lengths=lengths
        )
        given["ours, pages of 16"] = (q, keys, values)
        b, h = int(torch.randint(s.batch, ())), int(torch.randint(s.heads, ()))
        want = exact(s, q[b, h], k[b, h * s.kv_heads // s.heads], v[b, h * s.kv_heads // s.heads])
        calls = {}
        for name, call in found.items():
            poison()
            error = apart(call(*given[name])[b, h], want)
            assert error < NOISE * 10 or not name.startswith("ours"), f"{name} of {s}: off by {error}"
            calls[name] = lambda call=call, x=given[name]: call(*x)
        us = medians(GpuClock(clean=True).interleaved(calls, args.rounds))
        nbytes = 4.0 * s.batch * s.kv_heads * s.seq * s.d
        rows.append({"shape": s._asdict(), "us": us, "value": {n: nbytes / t / 1e6 for n, t in us.items()}})
    return {"unit": "TB/s", "rows": rows}


def shown(record: dict[str, Any]) -> str:
    """The rows as a table."""
    names = list(record["rows"][0]["value"])
    head = [f"batch, heads, kv heads, seq, d; {record['unit']}", *names]
    lines: list[Any] = [head]
    for row in record["rows"]:
        s = Shape(**row["shape"])
        where = f"{s.batch}, {s.heads}, {s.kv_heads}, {s.seq}, {s.d}{', causal' if s.causal else ''}"
        lines.append([where, *(f"{row['value'][n]:.3g}" for n in names)])
    return table(lines)


PARTS = (
    Part("forward", "op_attention_forward", forward, shown, gpu=True),
    Part("backward", "op_attention_backward", backward, shown, gpu=True),
    Part("decode", "op_attention_decode", decode, shown, gpu=True),
)

if __name__ == "__main__":
    main(__doc__, *PARTS, rounds=20)
