"""`ops.attention` on an NVIDIA GPU: drawn problems, forward and backward, against float64; torch.compile, CUDA graphs,
batch invariance.

    python tests/gpu/attention_check.py [--rounds 3] [--seed 0]

Outputs of the allocator are NaN before each call. A result is right where it is off by no more than torch's own in
bf16, tripled, and 2^-7 of the root of the mean square."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import torch

from avelang import ops

BF16 = torch.bfloat16


def normal(*shape: int, rows_first: bool = False) -> Any:
    """Random numbers that want a gradient."""
    if rows_first:
        shape = (*shape[:-3], shape[-2], shape[-3], shape[-1])
    x = torch.randn(*shape, device="cuda", dtype=BF16)
    return (x.transpose(-3, -2) if rows_first else x).requires_grad_()


def poison() -> None:
    """Leaves NaN in memory that is free."""
    for size in (1 << 16, 1 << 20, 1 << 26):
        torch.full((size,), float("nan"), device="cuda", dtype=BF16)


def wanted(q: Any, k: Any, v: Any, *, causal: Any = None, window: Any = None, softcap: float = 0.0, mask: Any = None,
           sinks: Any = None, dtype: Any = torch.float64) -> Any:  # fmt: skip
    """O on the definition, of (batch, heads, length, d)."""
    q, k, v = (x.to(dtype) for x in (q, k, v))
    group, (queries, keys) = q.shape[1] // k.shape[1], (q.shape[2], k.shape[2])
    k, v = (x.repeat_interleave(group, 1) for x in (k, v))
    s = q @ k.mT * q.shape[-1] ** -0.5
    s = softcap * torch.tanh(s / softcap) if softcap else s
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else s + mask.to(dtype)
    i, j = torch.arange(queries, device="cuda")[:, None], torch.arange(keys, device="cuda")[None]
    i = i + (keys - queries if causal == "bottom_right" or (window and not causal) else 0)
    left, right = window or (None, None)
    right = 0 if causal else right
    hidden = torch.zeros(queries, keys, dtype=torch.bool, device="cuda")
    if left is not None:
        hidden |= j < i - left
    if right is not None:
        hidden |= j > i + right
    s = s.masked_fill(hidden, float("-inf"))
    if sinks is not None:
        s = torch.cat([s, sinks.to(dtype)[None, :, None, None].expand(*s.shape[:3], 1)], -1)
    p = torch.softmax(s, -1)
    p = torch.where(s.isneginf().all(-1, keepdim=True), torch.zeros_like(p), p)
    return p[..., :keys] @ v


def held(what: str, got: Any, want: Any, plain: Any) -> None:
    """Asserts that a result is near enough; `plain`: what torch makes in bf16."""
    scale = want.square().mean().sqrt()
    error = (got.double() - want).abs().max()
    limit = 3 * (plain.double() - want).abs().max() + 2.0**-7 * scale + 1e-5
    assert bool(error <= limit), f"{what} is off by {float(error):.3g}, {float(limit):.3g} allowed"


def compared(name: str, call: Callable[..., Any], reference: Callable[..., Any], given: tuple[Any, ...]) -> None:
    """One problem, forward and backward."""
    begin = time.perf_counter()
    poison()
    out = call(*given)
    want, plain = reference(*given), reference(*given, dtype=BF16)
    held(f"{name}: out", out.detach(), want.detach(), plain.detach())
    if not given[0].requires_grad:
        print(f"{name:70} right ({time.perf_counter() - begin:.1f} s)", flush=True)
        return
    g = torch.randn_like(out)
    poison()
    mine = torch.autograd.grad(out, given, g, retain_graph=True)
    again = torch.autograd.grad(out, given, g)
    theirs = torch.autograd.grad(want, given, g.double())
    rough = torch.autograd.grad(plain, given, g)
    for i, (a, b, c) in enumerate(zip(mine, theirs, rough, strict=True)):
        held(f"{name}: gradient {i}", a, b.double(), c)
    same = all(torch.equal(a, b) for a, b in zip(mine, again, strict=True))
    assert same, f"{name}: gradients differ from run to run"
    print(f"{name:70} right ({time.perf_counter() - begin:.1f} s)", flush=True)


def dense(rng: Any, d: int, dv: int, **features: Any) -> None:
    """A drawn problem of (batch, heads, length, d); dv of 0: as d."""
    dv = dv or d
    kv_heads, group, batch = (int(rng.randint(1, 4)) for _ in range(3))
    queries, keys = rng.choice([(200, 333), (333, 200), (256, 256), (65, 1000), (1000, 70)])
    causal = rng.choice([None, "top_left", "bottom_right"])
    window = (rng.randint(0, 200), rng.choice([None, 100])) if features.get("left") else None
    more: dict[str, Any] = {"causal": causal, "window": window, "softcap": 5.0 if features.get("cap") else 0.0}
    given = [normal(batch, h, n, w, rows_first=rng.random() < 0.5)
             for h, n, w in ((kv_heads * group, queries, d), (kv_heads, keys, d), (kv_heads, keys, dv))]  # fmt: skip
    names = []
    if features.get("mask"):
        given.append(torch.randn(queries, keys, device="cuda").requires_grad_())
        names.append("attn_mask")
    if features.get("seen"):
        shape = rng.choice([(batch, 1, queries, keys), (kv_heads * group, queries, keys), (queries, keys), (1, keys)])
        more["mask"] = torch.rand(shape, device="cuda") < 0.3
    if features.get("sinks"):
        given.append(torch.randn(kv_heads * group, device="cuda").requires_grad_())
        names.append("sinks")

    def call(q: Any, k: Any, v: Any, *rest: Any) -> Any:
        how: dict[str, Any] = {"enable_gqa": True} | {"attn_mask" if n == "mask" else n: x for n, x in more.items()}
        return ops.attention(q, k, v, **how, **dict(zip(names, rest, strict=True)))

    def reference(q: Any, k: Any, v: Any, *rest: Any, **how: Any) -> Any:
        extra = {n.replace("attn_", ""): x for n, x in zip(names, rest, strict=True)}
        return wanted(q, k, v, **more, **extra, **how)

    name = f"dense {batch, kv_heads * group, kv_heads, queries, keys, d, dv} {causal} {window} {' '.join(features)}"
    compared(name, call, reference, tuple(given))


def packed(rng: Any, d: int) -> None:
    """Packed sequences, and the bits that one has alone. Keys of each are as many as queries, or others; what is behind
    the last sequence is NaN."""
    count, heads = rng.randint(1, 5), rng.choice([(4, 2), (3, 3)])
    lengths = [[rng.choice([0, 1, 64, 100, 300, 1000]) for _ in range(count)] for _ in "qk"]
    causal, window, softcap = rng.choice([
        ("top_left", None, 0.0), ("bottom_right", None, 5.0), (None, (90, 30), 0.0), (None, None, 0.0)
    ])  # fmt: skip
    if rng.random() < 0.5:
        lengths[1] = lengths[0]
    at = [[sum(x[:i]) for i in range(count + 1)] for x in lengths]
    offsets = [torch.tensor(x, dtype=torch.int32, device="cuda") for x in at]
    more: dict[str, Any] = {"causal": causal, "window": window, "softcap": softcap}
    q, k, v = (normal(x[-1], h, d) for x, h in zip((at[0], at[1], at[1]), (heads[0], heads[1], heads[1]), strict=True))

    def call(q: Any, k: Any, v: Any) -> Any:
        a, b, c = (torch.cat([x, x.new_full((7, *x.shape[1:]), float("nan"))]) for x in (q, k, v))
        out = ops.attention(a, b, c, cu_seqlens_q=offsets[0], cu_seqlens_k=offsets[1], **more)
        return out[: len(q)]

    def reference(q: Any, k: Any, v: Any, **how: Any) -> Any:
        parts = [[x[y[i] : y[i + 1]].transpose(0, 1)[None] for x, y in ((q, at[0]), (k, at[1]), (v, at[1]))]
                 for i in range(count)]  # fmt: skip
        return torch.cat([wanted(*x, **more, **how)[0].transpose(0, 1) for x in parts])

    compared(f"packed {lengths} {heads} d={d} {causal} {window} {softcap}", call, reference, (q, k, v))
    same_alone(rng, d)


def counted(rng: Any, d: int) -> None:
    """Dense keys, of which a sequence has fewer; the others are NaN, and have gradients of 0."""
    lengths, keys = [rng.choice([0, 1, 130, 300, 400]) for _ in range(3)], 400
    counts, causal = torch.tensor(lengths, dtype=torch.int32, device="cuda"), rng.choice([None, "bottom_right"])
    q, k, v = (normal(3, h, n, d) for h, n in ((4, 200), (2, keys), (2, keys)))

    def call(q: Any, k: Any, v: Any) -> Any:
        there = torch.arange(keys, device="cuda") < counts[:, None]
        k, v = (torch.where(there[:, None, :, None], x, float("nan")) for x in (k, v))
        return ops.attention(q, k, v, cache_lengths=counts, enable_gqa=True, causal=causal)

    def reference(q: Any, k: Any, v: Any, **how: Any) -> Any:
        parts = [(q[b : b + 1], k[b : b + 1, :, :n], v[b : b + 1, :, :n]) for b, n in enumerate(lengths)]
        return torch.cat([wanted(*x, causal=causal, **how) for x in parts])

    compared(f"counts of keys {lengths} d={d} {causal}", call, reference, (q, k, v))


def same_alone(rng: Any, d: int) -> None:
    """The bits of a packed sequence do not depend on the others."""
    lengths = [rng.choice([0, 1, 64, 100, 300]) for _ in range(3)]
    at = [sum(lengths[:i]) for i in range(4)]
    offsets = torch.tensor(at, dtype=torch.int32, device="cuda")
    q, k, v = (torch.randn(at[-1], h, d, device="cuda", dtype=BF16) for h in (4, 2, 2))

    def call(q: Any, k: Any, v: Any) -> Any:
        return ops.attention(q, k, v, is_causal=True, cu_seqlens_q=offsets, cu_seqlens_k=offsets)

    whole = call(q, k, v)
    for a, b in zip(at[:-1], at[1:], strict=True):
        alone = torch.tensor([0, b - a], dtype=torch.int32, device="cuda")
        one = ops.attention(q[a:b], k[a:b], v[a:b], is_causal=True, cu_seqlens_q=alone, cu_seqlens_k=alone)
        assert torch.equal(one, whole[a:b]), "bits depend on the other sequences"


def pages(rng: Any, d: int, length: int, page: int) -> None:
    """A cache in pages; numbers of pages that are not a sequence's own lead nowhere."""
    batch, most = rng.randint(1, 5), 64
    lengths = torch.tensor([rng.randint(length, most * page) for _ in range(batch)], dtype=torch.int32, device="cuda")
    table = torch.randperm(batch * most, device="cuda").reshape(batch, most).int()
    k, v = (torch.randn(batch * most, page, 2, d, device="cuda", dtype=BF16) for _ in "kv")
    q = torch.randn(batch, 8, length, d, device="cuda", dtype=BF16)
    out = ops.attention(q, k, v, causal="bottom_right", block_table=table, cache_lengths=lengths)
    for b in range(batch):
        n = int(lengths[b])
        mine = [x[table[b].long()].reshape(-1, 2, d)[:n].transpose(0, 1)[None] for x in (k, v)]
        want = wanted(q[b : b + 1], *mine, causal="bottom_right")
        plain = wanted(q[b : b + 1], *mine, causal="bottom_right", dtype=BF16)
        held("pages", out[b : b + 1], want, plain)
    print(f"pages {batch} of {page}, {length} queries, d={d}: right", flush=True)


def alike() -> None:
    """Bits of a sequence under `ops.invariant`, whatever else is in the batch, and for fewer rows."""
    q, k, v = (torch.randn(6, h, 500, 128, device="cuda", dtype=BF16) for h in (8, 2, 2))
    with ops.invariant():
        whole = ops.attention(q, k, v, enable_gqa=True, causal="bottom_right")
        for b in range(6):
            one = ops.attention(q[b : b + 1], k[b : b + 1], v[b : b + 1], enable_gqa=True, causal="bottom_right")
            assert torch.equal(one[0], whole[b]), "bits depend on the batch"
        for rows in (1, 3, 70):
            few = ops.attention(q[:, :, -rows:], k, v, enable_gqa=True, causal="bottom_right")
            assert torch.equal(few, whole[:, :, -rows:]), f"bits depend on how many rows there are: {rows}"
    print("invariant: right", flush=True)


def compiled() -> None:
    """torch.compile without a break, and a CUDA graph."""
    q, k, v = (normal(2, 4, 256, 64) for _ in "qkv")

    def model(q: Any, k: Any, v: Any) -> Any:
        return ops.attention(q * 2, k, v, is_causal=True) + 1

    out = torch.compile(model, fullgraph=True)(q, k, v)
    g = torch.randn_like(out)
    for a, b in zip(
        torch.autograd.grad(out, (q, k, v), g), torch.autograd.grad(model(q, k, v), (q, k, v), g), strict=True
    ):
        assert torch.equal(a, b)
    with torch.no_grad():
        want, graph = ops.attention(q, k, v, is_causal=True), torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = ops.attention(q, k, v, is_causal=True)
        out.fill_(float("nan"))
        graph.replay()
        assert torch.equal(out, want)
    print("torch.compile and a CUDA graph: right", flush=True)


def host_time() -> None:
    """Microseconds of the host for an eager call of a small shape, beside torch's."""
    q, k, v = (torch.randn(1, 4, 64, 64, device="cuda", dtype=BF16) for _ in "qkv")
    for name, call in (("ours", ops.attention), ("torch", torch.nn.functional.scaled_dot_product_attention)):
        with torch.no_grad():
            for _ in range(50):
                call(q, k, v)
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(300):
                call(q, k, v)
            took = time.perf_counter() - begin
            torch.cuda.synchronize()
        print(f"host time of a call, {name}: {took / 300 * 1e6:.1f} us")


def main() -> None:
    """Runs everything."""
    import random

    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    rng = random.Random(args.seed)
    torch.manual_seed(args.seed)
    for _ in range(args.rounds):
        dense(rng, 128, 128)
        dense(rng, 96, 64, left=True, cap=True, mask=True, sinks=True)
        dense(rng, 128, 128, cap=True, sinks=True)
        dense(rng, rng.choice([64, 128, 200]), 0, seen=True, left=rng.random() < 0.5, cap=rng.random() < 0.3)
        for d in (64, 128, 256):
            packed(rng, d)
            counted(rng, d)
        pages(rng, 128, rng.choice([1, 2]), 16)
    pages(rng, 64, 100, 16)
    dense(rng, 256, 256)
    alike()
    compiled()
    host_time()
    print("all right")


if __name__ == "__main__":
    main()
