"""Checks of operations of several ranks on the GPUs of a host: `torchrun --nproc-per-node N tests/gpu/dist_check.py [--draws D] [--seed S]`.

Each rank draws the same sizes, calls `avelang.ops.dist`, and compares with torch.distributed or, for products, with float64. Without a GPU, or with
`--cpu`, the same runs on the CPU by gloo, of smaller sizes. Exit status 0 where all is right; each rank names what is not."""

from __future__ import annotations

import argparse
import os
import random
import sys
import traceback

import torch
import torch.distributed

import avelang.dist
from avelang.base.errors import AveError
from avelang.dist import group
from avelang.ops import dist

DTYPES = (torch.float32, torch.bfloat16, torch.float16)


class Checks:
    """What a rank checks. `device`: of its arrays; `scale`: how large sizes are."""

    def __init__(self, member: avelang.dist.Group, device: torch.device, scale: int):
        self.member, self.device, self.scale = member, device, scale
        self.rank, self.ranks, self.turn = member.rank, member.ranks, 0

    def drawn(self, rng: random.Random, *shape: int, dtype: torch.dtype) -> list[torch.Tensor]:
        """Every rank's array, the same on all ranks."""
        g = torch.Generator().manual_seed(rng.randrange(1 << 30))
        return [torch.randn(*shape, generator=g).to(dtype).to(self.device) for _ in range(self.ranks)]

    def sizes(self, rng: random.Random, count: int) -> list[int]:
        return [rng.choice((1, 7, 16, 64, 100)) * rng.choice((1, self.scale)) for _ in range(count)]

    def collectives(self, rng: random.Random) -> None:
        dtype, (rows, cols) = rng.choice(DTYPES), self.sizes(rng, 2)
        xs = self.drawn(rng, rows * self.ranks, cols, dtype=dtype)
        x, want = xs[self.rank], xs[0].float()
        for other in xs[1:]:
            want = want + other.float()
        want = want.to(dtype)
        for shots in (1, 2, 0):
            assert torch.equal(dist.all_reduce(x, self.member, shots=shots), want), ("all_reduce", shots, x.shape, dtype)
        assert torch.equal(dist.all_gather(x, self.member), torch.cat(xs)), ("all_gather", x.shape, dtype)
        mine = want[self.rank * rows : (self.rank + 1) * rows]
        assert torch.equal(dist.reduce_scatter(x, self.member), mine), ("reduce_scatter", x.shape, dtype)

    def products(self, rng: random.Random) -> None:
        dtype, (rows, n) = rng.choice(DTYPES), self.sizes(rng, 2)
        k = 64 * rng.choice((1, 2))
        rows = 16 * rows
        xs, ws = self.drawn(rng, rows, k, dtype=dtype), self.drawn(rng, n, k, dtype=dtype)
        fuse = (True, False, None)[self.turn % 3]
        self.turn += 1
        got = dist.all_gather_matmul(xs[self.rank], ws[self.rank].T, self.member, fuse=fuse)
        self.near(got, torch.cat(xs).double() @ ws[self.rank].double().T, k, ("all_gather_matmul", rows, k, n, fuse, dtype))
        xs = self.drawn(rng, rows * self.ranks, k, dtype=dtype)
        whole = sum(x.double() @ w.double().T for x, w in zip(xs, ws, strict=True))
        got = dist.matmul_reduce_scatter(xs[self.rank], ws[self.rank].T, self.member, fuse=fuse)
        mine = whole[self.rank * rows : (self.rank + 1) * rows]
        self.near(got, mine, k * self.ranks, ("matmul_reduce_scatter", rows, k, n, fuse, dtype))
        self.near(dist.matmul_all_reduce(xs[self.rank], ws[self.rank].T, self.member), whole, k * self.ranks, ("matmul_all_reduce", rows, k, n, dtype))

    def experts(self, rng: random.Random) -> None:
        """The layer against float64, its bits in a second run, and rows that go and come back."""
        dtype, top_k = rng.choice(DTYPES[1:]), rng.choice((1, 2, 4))
        experts, hidden, inner = self.ranks * rng.choice((1, 2, 8)), 64 * rng.choice((1, 2)), 64
        most = rng.choice((1, 9, 40)) * self.scale // 2
        tokens = [rng.choice((0, 1, most // 2, most)) for _ in range(self.ranks)]
        xs, logits = self.drawn(rng, most, hidden, dtype=dtype), self.drawn(rng, most, experts, dtype=torch.float32)
        w13, w2 = (self.drawn(rng, experts, *s, dtype=dtype)[0] / 8 for s in ((2 * inner, hidden), (hidden, inner)))
        each, count = experts // self.ranks, tokens[self.rank]
        mine, top_k = slice(self.rank * each, self.rank * each + each), min(top_k, experts)
        skew = rng.choice((0.0, 0.0, 50.0))  # sometimes all tokens want the first experts
        logit = logits[self.rank][:count] - skew * torch.arange(experts, device=self.device)
        x = xs[self.rank][:count]
        given = [a.clone().requires_grad_() for a in (x, logit, w13[mine], w2[mine])]
        fuse = (True, False, None)[self.turn % 3] if most else None
        self.turn += 1
        weights, ids = logit.double().topk(top_k)
        weights = weights.softmax(-1)
        got = dist.moe(*given, self.member, top_k=top_k, max_tokens=most, fuse=fuse)
        want = torch.zeros(count, hidden, dtype=torch.float64, device=self.device)
        for e in range(experts):
            gate, up = (x.double() @ w13[e].double().T).chunk(2, -1)
            factor = (weights * (ids == e)).sum(-1, keepdim=True)
            want += factor * ((torch.nn.functional.silu(gate) * up) @ w2[e].double().T)
        what = ("moe", tokens, experts, top_k, hidden, dtype, skew, fuse)
        self.near(got, want, hidden + inner, what)
        again = dist.moe(*given, self.member, top_k=top_k, max_tokens=most, fuse=fuse)
        assert torch.equal(got, again), ("bits", what)
        grads = [torch.autograd.grad(y, given, torch.ones_like(y)) for y in (got, again)]
        assert all(torch.equal(a, b) for a, b in zip(*grads, strict=True)), ("bits of gradients", what)
        sent = dist.moe_dispatch(x, ids, self.member, experts=experts, max_tokens=most)
        back = dist.moe_combine(sent.rows, None, sent.handle, self.member)
        assert torch.equal(back, (x.float() * top_k).to(dtype)), ("dispatch and combine", what)

    def ring(self, rng: random.Random) -> None:
        """Attention over a split sequence, its bits in a second run, and gradients against float64 on the whole one."""
        dtype, layout = rng.choice(DTYPES[1:]), rng.choice(("contiguous", "zigzag", "striped"))
        n, d = 2 * rng.choice((1, 5, 32)) * max(1, self.scale // 4), rng.choice((16, 64, 128)[: 3 if self.scale > 2 else 1])
        kv, group, causal = rng.choice((1, 2)), rng.choice((1, 4)), layout == "zigzag" or rng.random() < 0.7
        window = rng.choice((None, (n // 2, None))) if causal and layout != "zigzag" else None
        q, k, v, g = (self.drawn(rng, 1, h, n * self.ranks, d, dtype=dtype)[0] for h in (kv * group, kv, kv, kv * group))
        whole = [x.double().requires_grad_() for x in (q, k, v)]
        scores = whole[0] @ whole[1].repeat_interleave(group, 1).transpose(2, 3) * d**-0.5
        i, j = (torch.arange(n * self.ranks, device=self.device) for _ in range(2))
        seen = (j <= i[:, None]) | (not causal)
        if window is not None:
            seen = seen & (j >= i[:, None] - window[0])
        want = scores.masked_fill(~seen, -torch.inf).softmax(-1) @ whole[2].repeat_interleave(group, 1)
        want.backward(g.double())
        at = torch.from_numpy(dist.ring_positions(n, self.member, layout)).to(self.device)
        what, made = ("ring_attention", layout, n, d, kv, group, causal, window, dtype), []
        for _ in range(2):
            mine = [x[:, :, at].contiguous().requires_grad_() for x in (q, k, v)]
            got = dist.ring_attention(*mine, self.member, is_causal=causal, enable_gqa=True, layout=layout, window=window)
            got.backward(g[:, :, at])
            made.append([got.detach(), *(x.grad for x in mine)])
        assert all(torch.equal(a, b) for a, b in zip(*made, strict=True)), ("bits", what)
        for x, y, terms in zip(made[0], (want.detach(), *(x.grad for x in whole)), (4, d, d * group, 16 * group), strict=True):
            self.near(x, y[:, :, at], terms, what)

    def near(self, got: torch.Tensor, want: torch.Tensor, terms: int, what: object) -> None:
        """Two roundings to the result's dtype, and sums in f32 (of bf16's three products on Hopper for f32)."""
        eps = {torch.float32: 2.0**-15, torch.bfloat16: 2.0**-7, torch.float16: 2.0**-10}[got.dtype]
        bound = eps * (want.abs() + 4 * terms**0.5)
        assert bool(((got.double() - want).abs() <= bound).all()), what

    def failures(self, rng: random.Random) -> None:
        try:
            dist.all_reduce(torch.zeros(3 + self.rank, device=self.device), self.member)
        except AveError as e:
            assert e.code == "L081", e
        else:
            raise AssertionError("sizes that differ were not found")

    def graphs(self, rng: random.Random) -> None:
        """A collective recorded once and run again gets new values."""
        if self.device.type != "cuda":
            return
        x = torch.full((self.scale, 8), float(self.rank + 1), device=self.device)
        dist.all_reduce(x, self.member)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = dist.all_reduce(x, self.member)
        for turn in range(1, 4):
            x.fill_(float(turn * (self.rank + 1)))
            graph.replay()
            torch.cuda.synchronize()
            assert bool((out == turn * self.ranks * (self.ranks + 1) / 2).all()), ("graph", turn)
        for recorded in (False, True):
            group.RECORDED = recorded
            for rows, k, n in ((48, 64, 96), (2048, 1024, 1024), (1024, 4096, 8192)):
                self.recorded_products(rng, rows, k, n)
        group.RECORDED = False

    def recorded_products(self, rng: random.Random, rows: int, k: int, n: int) -> None:
        """Fused products that are recorded once, with calls that are not between the runs."""
        dtype, me = torch.bfloat16, self.rank
        x, y, w = (self.drawn(rng, *s, dtype=dtype)[0] for s in ((rows, k), (rows * self.ranks, k), (n, k)))
        made = [torch.empty(rows * self.ranks, n, dtype=dtype, device=self.device), torch.empty(rows, n, dtype=dtype, device=self.device)]

        def call() -> None:
            dist.all_gather_matmul(x, w.T, self.member, fuse=True, out=made[0])
            dist.matmul_reduce_scatter(y, w.T, self.member, fuse=True, out=made[1])

        call()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            call()
        for turn in range(6):
            xs, ys, ws = (self.drawn(rng, *a.shape, dtype=dtype) for a in (x, y, w))
            for mine, drawn in ((x, xs), (y, ys), (w, ws)):
                mine.copy_(drawn[me])
            for out in made:
                out.fill_(torch.nan)
            if rng.random() < 0.5:
                torch.cuda._sleep(int(1e6 * rng.randrange(1, 6) * (me + 1)))
            if turn == 2:
                call()
            else:
                graph.replay()
            torch.cuda.synchronize()
            what = ("recorded products", rows, k, n, turn)
            self.near(made[0], torch.cat(xs).double() @ ws[me].double().T, k, what)
            whole = sum(a[me * rows : (me + 1) * rows].double() @ b.double().T for a, b in zip(ys, ws, strict=True))
            self.near(made[1], whole, k * self.ranks, what)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--one-card", action="store_true", help="ranks in this process, on one GPU: see dist_one_card.py")
    parser.add_argument("--kinds", default="", help="with --one-card: only these")
    parser.add_argument("--ranks", default="2,3,4", help="with --one-card")
    parser.add_argument("--rounds", type=int, default=8, help="with --one-card: of each draw")
    parser.add_argument("--seconds", type=float, default=60.0, help="with --one-card: in all")
    options = parser.parse_args()
    if options.one_card:
        import dist_one_card

        return dist_one_card.main(options)
    on_gpu = torch.cuda.is_available() and not options.cpu
    local = int(os.environ.get("LOCAL_RANK", "0"))
    if on_gpu:
        torch.cuda.set_device(local)
    torch.distributed.init_process_group("nccl" if on_gpu else "gloo")
    device = torch.device("cuda", local) if on_gpu else torch.device("cpu")
    member = avelang.dist.connect(bytes=1 << (31 if on_gpu else 24), limit=120.0)
    checks, wrong = Checks(member, device, 64 if on_gpu else 2), 0
    for kind in ("collectives", "products", "experts", "ring", "failures", "graphs"):
        for draw in range(options.draws if kind in ("collectives", "products", "experts", "ring") else 1):
            try:
                getattr(checks, kind)(random.Random(f"{options.seed} {kind} {draw}"))
            except Exception:
                wrong += 1
                print(f"rank {member.rank}: {kind}, draw {draw}:\n{traceback.format_exc()}", file=sys.stderr)
        print(f"rank {member.rank} of {member.ranks} on {device}: {kind} done, {wrong} wrong", flush=True)
    member.check()
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
