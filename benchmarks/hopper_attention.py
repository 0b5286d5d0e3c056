"""Attention kernels of Hopper beside torch's `scaled_dot_product_attention` with cuDNN: decode (K and V of few queries,
dense and paged), backward, and forward at d = 256.

    python benchmarks/hopper_attention.py [--rounds 24] [--only decode | forward | backward]

Contenders in turn, L2 written over before each call, medians of device time; outputs are NaN before each contender's
first call, and results are checked against float64 on heads and rows drawn at random. Decode counts the bytes of K and
V; a causal product counts half of its operations. Writes `results/hopper_attention_PART.json`."""

from __future__ import annotations

import argparse
import contextlib
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from avelang_kernels.attention import hopper_decode
from avelang_kernels.attention.problem import Operands, Problem

TARGET = "sm_90a"


class Decode(NamedTuple):
    """A batch of sequences with one query each."""

    batch: int
    keys: int
    heads: int = 32
    kv_heads: int = 8
    d: int = 128

    @property
    def bytes(self) -> int:
        """Of K and V."""
        return 4 * self.batch * self.keys * self.kv_heads * self.d


DECODES = (Decode(32, 8192), Decode(128, 2048), Decode(1, 131072), Decode(16, 16384, 64))


def library(backend: str, q: Any, k: Any, v: Any, causal: bool) -> Any:
    """torch's attention by one of its backends."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel(getattr(SDPBackend, backend)):
        return torch.nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1]
        )


def paged(x: Any, page: int) -> tuple[Any, Any]:
    """(batch, heads, keys, d) as pages in a random order, and the table."""
    import torch

    batch, heads, keys, d = x.shape
    count = batch * (keys // page)
    order = torch.randperm(count, generator=torch.Generator().manual_seed(1))
    pages = x.transpose(1, 2).reshape(count, page, heads, d)
    out = torch.empty_like(pages)
    out[order.to(x.device)] = pages
    return out, order.view(batch, -1).to(device=x.device, dtype=torch.int32)


def decode_error(s: Decode, q: Any, k: Any, v: Any, out: Any, samples: int = 8) -> float:
    """The greatest difference from float64 on some heads, in units of 2^-8 * (weights @ |v| + |o|)."""
    import torch

    if torch.isnan(out).any():
        return float("nan")
    worst, group = 0.0, s.heads // s.kv_heads
    for _ in range(samples):
        b, h = (int(torch.randint(n, ())) for n in (s.batch, s.heads))
        x, y, z = q[b, h].double(), k[b, h // group].double(), v[b, h // group].double()
        p = (x @ y.T * s.d**-0.5).softmax(1)
        want = p @ z
        worst = max(worst, float(((out[b, h].double() - want).abs() / (2.0**-8 * (p @ z.abs() + want.abs()))).max()))
    return worst


def decode_calls(s: Decode, forms: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any], tuple]:
    """What is timed, where results go, and Q, K, V."""
    import torch
    from harness import units

    shape = s.batch, s.kv_heads, s.keys, s.d
    q = torch.randn(s.batch, s.heads, 1, s.d, device="cuda", dtype=torch.bfloat16)
    k, v = (torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    rows = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in (k, v)]
    outs: dict[str, Any] = {}
    calls: dict[str, Callable[[], Any]] = {}
    lse = torch.empty(s.batch, s.heads, 1, device="cuda")

    def ours(name: str, page: int, operands: Operands, more: dict[str, Any] | None = None) -> None:
        problem = Problem(s.batch, s.heads, s.kv_heads, 1, s.keys, s.d, s.d, "bfloat16", s.d**-0.5, page=page,
                          lengths=operands.lengths is not None)  # fmt: skip
        outs[name] = torch.full_like(q, float("nan"))
        calls[name] = functools.partial(hopper_decode.launch, problem, operands, outs[name], lse, target=TARGET,
                                        units=units(), **(more or {}))  # fmt: skip

    lengths = torch.full((s.batch,), s.keys, device="cuda", dtype=torch.int32)
    if forms is None:
        ours("heads first", 0, Operands(q, k, v))
        ours("rows first", 0, Operands(q, *rows))
        for page in (16, 64):
            (a, table), (b, _) = paged(k, page), paged(v, page)
            ours(f"pages of {page}", page, Operands(q, a, b, table=table, lengths=lengths))
    for name, more in (forms or {}).items():
        ours(name, 0, Operands(q, k, v), more)

    def cudnn() -> None:
        outs["cuDNN"] = library("CUDNN_ATTENTION", q, k, v, False)

    with contextlib.suppress(RuntimeError):
        cudnn()
        calls["cuDNN"] = cudnn
    return calls, outs, (q, k, v)


def decode(args: argparse.Namespace, forms: dict[str, Any] | None = None) -> dict[str, Any]:
    """TB/s of K and V."""
    from harness import GpuClock, errors_of, medians, printed

    clock, rows = GpuClock(), []
    for s in DECODES:
        calls, outs, given = decode_calls(s, forms)
        errors = errors_of(calls, lambda name, o=outs, x=given, s=s: decode_error(s, *x, o[name]), 2)
        us = medians(clock.interleaved(calls, args.rounds))
        rate = {name: s.bytes / t / 1e6 for name, t in us.items()}
        rows.append({"shape": s._asdict(), "us": us, "tb_s": rate, "errors": errors})
        printed(s, {name: f"{x:.2f} TB/s ({errors[name]:.2f})" for name, x in rate.items()})
        del calls, outs, given
    return {"figures": rows}


class Backward(NamedTuple):
    """A case of the gradients."""

    batch: int
    heads: int
    kv_heads: int
    seq: int
    d: int
    causal: bool

    @property
    def flops(self) -> float:
        """Operations of five products, of which a causal one counts half."""
        return 10 * self.batch * self.heads * self.seq**2 * self.d * (0.5 if self.causal else 1)


BACKWARDS = (
    Backward(4, 32, 32, 4096, 128, False), Backward(4, 32, 32, 4096, 128, True), Backward(2, 16, 16, 8192, 128, True),
    Backward(8, 16, 16, 2048, 64, True), Backward(2, 32, 8, 4096, 128, True),
    Backward(2, 16, 16, 4096, 256, True),
)  # fmt: skip


def gradients_error(s: Backward, given: tuple, dout: Any, grads: tuple, samples: int = 2) -> float:
    """The greatest difference from float64 of the gradients of some heads, by the root of the mean square of each."""
    import torch

    if any(bool(torch.isnan(x).any()) for x in grads):
        return float("nan")
    worst, group = 0.0, s.heads // s.kv_heads
    for _ in range(samples):
        b, h = int(torch.randint(s.batch, ())), int(torch.randint(s.kv_heads, ()))
        q, do = (x[b, h * group : h * group + group].double() for x in (given[0], dout))
        k, v = (x[b, h].double() for x in given[1:])
        wanted = [torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)]
        for i in range(group):
            scores = q[i] @ k.T * s.d**-0.5
            if s.causal:
                scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -torch.inf)
            p = scores.softmax(1)
            ds = p * (do[i] @ v.T - (do[i] * (p @ v)).sum(1, keepdim=True)) * s.d**-0.5
            wanted[0][i] = ds @ k
            wanted[1] += ds.T @ q[i]
            wanted[2] += p.T @ do[i]
        got = grads[0][b, h * group : h * group + group], grads[1][b, h], grads[2][b, h]
        for x, y in zip(got, wanted, strict=True):
            worst = max(worst, float((x.double() - y).abs().max() / y.square().mean().sqrt()))
    return worst


def backward(args: argparse.Namespace) -> dict[str, Any]:
    """TFLOP/s of the gradients."""
    import torch
    from harness import GpuClock, errors_of, medians, printed

    from avelang_kernels.attention import hopper_backward_rows, tile_attention_hopper

    clock, rows = GpuClock(), []
    for s in BACKWARDS:
        q, do = (torch.randn(s.batch, s.seq, s.heads, s.d, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        k, v = (torch.randn(s.batch, s.seq, s.kv_heads, s.d, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        out, lse = torch.empty_like(q), torch.empty(s.batch, s.heads, s.seq, device="cuda")
        tile_attention_hopper.attention(q, k, v, out, lse=lse, causal=s.causal)
        q, k, v, do, out = (x.transpose(1, 2) for x in (q, k, v, do, out))
        p = Problem(s.batch, s.heads, s.kv_heads, s.seq, s.seq, s.d, s.d, "bfloat16", s.d**-0.5,
                    right=0 if s.causal else None)  # fmt: skip
        grads: dict[str, Any] = {"ours": tuple(torch.full_like(x, float("nan")) for x in (q, k, v))}
        calls: dict[str, Callable[[], Any]] = {
            "ours": functools.partial(hopper_backward_rows.backward, p, Operands(q, k, v), out, lse, do, None,
                                      *grads["ours"], target=TARGET)
        }  # fmt: skip
        inputs = tuple(x.detach().requires_grad_() for x in (q, k, v))
        with contextlib.suppress(RuntimeError):
            theirs = library("CUDNN_ATTENTION", *inputs, s.causal)

            def cudnn(o: Any = theirs, x: tuple = inputs, do: Any = do, grads: dict = grads) -> None:
                grads["cuDNN"] = torch.autograd.grad(o, x, do, retain_graph=True)

            cudnn()
            calls["cuDNN"] = cudnn
        errors = errors_of(calls, lambda name, g=grads, s=s, x=(q, k, v), do=do: gradients_error(s, x, do, g[name]), 1)
        first = tuple(x.clone() for x in grads["ours"])
        us = medians(clock.interleaved(calls, args.rounds))
        same = all(bool(torch.equal(x, y)) for x, y in zip(first, grads["ours"], strict=True))
        rate = {name: s.flops / t / 1e6 for name, t in us.items()}
        rows.append({"shape": s._asdict(), "us": us, "tflops": rate, "errors": errors, "same_bits": same})
        printed(s, {name: f"{x:.0f} TFLOP/s ({errors[name]:.3f})" for name, x in rate.items()} | {"same": str(same)})
    return {"figures": rows}


if __name__ == "__main__":
    from harness import Part, main

    main(
        __doc__, Part("decode", "hopper_attention_decode", decode, gpu=True),
        Part("backward", "hopper_attention_backward", backward, gpu=True), rounds=24,
    )  # fmt: skip
