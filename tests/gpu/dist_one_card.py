"""Operations of several ranks on one GPU (`avelang.dist.OneDevice`), or with `--cpu` on the CPU (`World`): `dist_check.py --one-card` runs this.

    python3 tests/gpu/dist_check.py --one-card [--cpu] [--kinds collectives,products] [--ranks 2,3] [--seconds S] [--rounds R] [--seed S]

Sizes are drawn. A draw runs launch by launch first, twice, then in rounds with all ranks at once, each delayed by a drawn time. Results, which are NaN before
they are written, are compared with float64 (collectives bit by bit), and those of all rounds are the same bits."""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable
from typing import Any

import torch

import avelang
import avelang.dist
import avelang.language as al
from avelang.base.errors import AveError
from avelang.dist import group
from avelang.ops import dist
from avelang.ops.dist.sequence import ring_attention_gradients
from avelang_kernels.dist import exchange

DTYPES = (torch.float32, torch.bfloat16, torch.float16)
LIMIT = 20.0
EPS = {torch.float32: 2.0**-15, torch.bfloat16: 2.0**-7, torch.float16: 2.0**-10}
Program = Callable[[Any], list[torch.Tensor]]
Case = tuple[str, Program, list[list[torch.Tensor]], list[float]]  # what, program, wanted by rank, terms of each result's sums (0: bit by bit)


class Team:
    """`ranks` ranks on the GPU, or on the CPU."""

    def __init__(self, ranks: int, cpu: bool, limit: float = LIMIT):
        self.ranks, self.cpu, self.device = ranks, cpu, torch.device("cpu" if cpu else "cuda")
        self.whole: Any = avelang.dist.World(ranks, limit=limit) if cpu else avelang.dist.OneDevice(ranks, bytes=1 << 28, limit=limit)

    def run(self, program: Any, together: bool = True) -> list[Any]:
        return self.whole.run(program) if self.cpu else self.whole.run(program, together=together)

    def drawn(self, rng: random.Random, *shape: int, dtype: torch.dtype) -> list[torch.Tensor]:
        """Every rank's array."""
        g = torch.Generator().manual_seed(rng.randrange(1 << 30))
        return [torch.randn(*shape, generator=g).to(dtype).to(self.device) for _ in range(self.ranks)]


def collectives(team: Team, rng: random.Random) -> Case:
    dtype, n = rng.choice(DTYPES), team.ranks
    rows, cols = rng.choice((1, 7, 64, 257)), rng.choice((1, 8, 100, 1024) if team.cpu else (1, 8, 100, 4096))
    xs = team.drawn(rng, rows * n, cols, dtype=dtype)
    total = xs[0].float()
    for x in xs[1:]:
        total = total + x.float()
    total = total.to(dtype)

    def program(member: Any) -> list[torch.Tensor]:
        x = xs[member.rank]
        out = [dist.all_reduce(x, member, shots=s) for s in (1, 2, 0)]
        return [*out, dist.all_gather(x, member), dist.reduce_scatter(x, member)]

    want = [[total] * 3 + [torch.cat(xs), total[r * rows : (r + 1) * rows]] for r in range(n)]
    return f"{rows * n}x{cols} {dtype}", program, want, [0.0] * 5


def products(team: Team, rng: random.Random) -> Case:
    dtype, n, fuse = rng.choice((torch.bfloat16, torch.bfloat16, torch.float16, torch.float32)), team.ranks, rng.choice((True, True, False, None))
    scale = 1 if team.cpu else rng.choice((1, 4))
    rows, cols, k = 16 * rng.choice((1, 3, 8)) * scale, rng.choice((8, 64, 100, 200)) * scale, 8 * rng.choice((3, 8, 24)) * scale
    copied = rng.choice((1, 1 << 30))  # by copy engines, or by stores of a kernel
    xs, ws = team.drawn(rng, rows, k, dtype=dtype), team.drawn(rng, cols, k, dtype=dtype)
    longer = team.drawn(rng, rows * n, k, dtype=dtype)
    whole = torch.stack([x.double() @ w.double().T for x, w in zip(longer, ws, strict=True)]).sum(0)
    want = [[torch.cat(xs).double() @ ws[r].double().T, whole[r * rows : (r + 1) * rows], whole] for r in range(n)]

    def program(member: Any) -> list[torch.Tensor]:
        exchange.COPIED = copied
        r = member.rank
        one = dist.all_gather_matmul(xs[r], ws[r].T, member, fuse=fuse)
        two = dist.matmul_reduce_scatter(longer[r], ws[r].T, member, fuse=fuse)
        return [one, two, dist.matmul_all_reduce(longer[r], ws[r].T, member)]

    return f"rows {rows} n {cols} k {k} {dtype} fuse={fuse} COPIED={copied}", program, want, [k, k * n, k * n]


def experts(team: Team, rng: random.Random) -> Case:
    dtype, n, device = rng.choice(DTYPES[1:]), team.ranks, team.device
    count, hidden, inner, fuse = n * rng.choice((1, 2, 8)), 64 * rng.choice((1, 2)), 64, rng.choice((True, False, None))
    top_k, most = min(rng.choice((1, 2, 4)), count), rng.choice((1, 9, 40) if team.cpu else (1, 40, 300))
    tokens, skew = [rng.choice((0, 1, most // 2, most)) for _ in range(n)], rng.choice((0.0, 0.0, 50.0))
    xs, logits = team.drawn(rng, most, hidden, dtype=dtype), team.drawn(rng, most, count, dtype=torch.float32)
    w13, w2 = (team.drawn(rng, count, *s, dtype=dtype)[0] / 8 for s in ((2 * inner, hidden), (hidden, inner)))
    logits = [x - skew * torch.arange(count, device=device) for x in logits]
    each, want, ids_of = count // n, [], []
    for x, logit, t in zip(xs, logits, tokens, strict=True):
        weights, ids = logit[:t].double().topk(top_k)
        weights, made, wide = weights.softmax(-1), torch.zeros(t, hidden, dtype=torch.float64, device=device), x[:t].double()
        for e in range(count):
            gate, up = (wide @ w13[e].double().T).chunk(2, -1)
            made += (weights * (ids == e)).sum(-1, keepdim=True) * ((torch.nn.functional.silu(gate) * up) @ w2[e].double().T)
        ids_of.append(ids)
        want.append([made, (x[:t].float() * top_k).to(dtype)])

    def program(member: Any) -> list[torch.Tensor]:
        r = member.rank
        x, logit, mine = xs[r][: tokens[r]], logits[r][: tokens[r]], slice(r * each, r * each + each)
        got = dist.moe(x, logit, w13[mine], w2[mine], member, top_k=top_k, max_tokens=most, fuse=fuse)
        sent = dist.moe_dispatch(x, ids_of[r], member, experts=count, max_tokens=most)
        return [got, dist.moe_combine(sent.rows, None, sent.handle, member)]

    what = f"tokens {tokens} of {most}, experts {count}, top_k {top_k}, hidden {hidden} {dtype} skew {skew} fuse={fuse}"
    return what, program, want, [hidden + inner, 0.0]


def ring(team: Team, rng: random.Random) -> Case:
    dtype, layout = rng.choice(DTYPES[1:]), rng.choice(("contiguous", "zigzag", "striped"))
    n, d = 2 * rng.choice((1, 5, 32) if team.cpu else (5, 64, 160)), rng.choice((16,) if team.cpu else (64, 128))
    kv, group, causal = rng.choice((1, 2)), rng.choice((1, 4)), layout == "zigzag" or rng.random() < 0.7
    left = rng.choice((None, n // 2)) if causal and layout != "zigzag" else None
    q, k, v, g = (team.drawn(rng, 1, h, n * team.ranks, d, dtype=dtype)[0] for h in (kv * group, kv, kv, kv * group))
    whole = [x.double().requires_grad_() for x in (q, k, v)]
    scores = whole[0] @ whole[1].repeat_interleave(group, 1).transpose(2, 3) * d**-0.5
    i, j = (torch.arange(n * team.ranks, device=team.device) for _ in range(2))
    seen = (j <= i[:, None]) | (not causal)
    seen = seen if left is None else seen & (j >= i[:, None] - left)
    made = scores.masked_fill(~seen, -torch.inf).softmax(-1) @ whole[2].repeat_interleave(group, 1)
    made.backward(g.double())
    places = [torch.from_numpy(dist.ring_positions(n, m, layout)).to(team.device) for m in team.run(lambda member: member)]
    parts = [[x[:, :, at].contiguous() for x in (q, k, v, g)] for at in places]

    def program(member: Any) -> list[torch.Tensor]:
        one, two, three, grad = parts[member.rank]
        options: dict[str, Any] = {"layout": layout, "softcap": 0.0}
        window = None if left is None else (left, None)
        out, lse = dist.ring_attention(one, two, three, member, is_causal=causal, enable_gqa=True, window=window, return_lse=True, **options)
        grads = ring_attention_gradients(grad, one, two, three, out, lse, None, group=member.name, left=left, right=0 if causal else None,
                                         gqa=True, **options)  # fmt: skip
        return [out, *grads]

    want = [[x[:, :, at] for x in (made.detach(), *(x.grad for x in whole)) if x is not None] for at in places]
    return f"{layout} n {n} d {d} heads {kv}x{group} causal {causal} left {left} {dtype}", program, want, [4, d, d * group, 16 * group]


def wrong(got: torch.Tensor, want: torch.Tensor, terms: float) -> str:
    """What is wrong with a result, or ""."""
    if got.shape != want.shape:
        return f"shape {tuple(got.shape)}, not {tuple(want.shape)}"
    off = (got.double() - want.double()).abs()
    bound = EPS[got.dtype] * (want.double().abs() + 4 * terms**0.5) if terms else torch.zeros_like(off)
    bad = ~(off <= bound)
    if not bool(bad.any()):
        return ""
    at = [tuple(x) for x in bad.nonzero()[:4].tolist()]
    low, high = bad.nonzero().min(0).values.tolist(), bad.nonzero().max(0).values.tolist()
    shown = ", ".join(f"{x}: {float(got[x])} not {float(want[x])}" for x in at)
    return f"{int(bad.sum())} of {bad.numel()} wrong ({int(got.isnan().sum())} NaN), from {low} to {high}; {shown}"


def delayed(program: Program, rng: random.Random, ranks: int, cpu: bool, longest: float) -> Program:
    """The program behind drawn delays of each rank: of its stream, and of its host."""
    seconds = [[rng.choice((0.0, 0.0, rng.random() * longest)) for _ in range(ranks)] for _ in range(2)]

    def run(member: Any) -> list[torch.Tensor]:
        time.sleep(seconds[0][member.rank])
        if not cpu:
            torch.cuda._sleep(1 + int(seconds[1][member.rank] * 1.5e9))
        return program(member)

    return run


def check(team: Team, kind: str, seed: str, rounds: int) -> list[str]:
    """Failures of a draw."""
    rng = random.Random(seed)
    what, program, want, terms = KINDS[kind](team, rng)
    print(f"draw: {kind} of {team.ranks} ranks, {seed}: {what}", flush=True)
    first: list[Any] | None = None
    made: list[Any] = []
    for number in range(2 + rounds):  # two launch by launch: then torch has all the memory that the others take
        made = []
        where = f"{kind} of {team.ranks} ranks, {seed}, round {number}: {what}"
        try:
            made = team.run(delayed(program, rng, team.ranks, team.cpu, 0.01 if number > 1 else 0.0), together=number > 1)
        except Exception:
            return [f"{where}\n{traceback.format_exc(limit=-6)}"]
        said = [f"rank {r}, result {i}: {text}" for r, (got, wanted) in enumerate(zip(made, want, strict=True))
                for i, (a, b, t) in enumerate(zip(got, wanted, terms, strict=True)) if (text := wrong(a, b, t))]  # fmt: skip
        if first is not None:
            said += [f"rank {r}, result {i}: other bits than in round 0" for r in range(team.ranks) for i in range(len(terms))
                     if not torch.equal(made[r][i], first[r][i])]  # fmt: skip
        if said:
            return ["\n    ".join([where, *said[:8]])]
        first = made if first is None else first
    return []


def absent(team: Team, cpu: bool) -> list[str]:
    """A rank that never comes is named, within the time limit; so are sizes that differ."""
    short, x = Team(team.ranks, cpu, 2.0), torch.ones(64, device=team.device)
    short.run(lambda member: dist.all_reduce(x, member), together=False)
    start, found = time.monotonic(), []
    try:
        short.run(lambda member: member.rank == 1 or (short.whole, dist.reduced(x, group=member.name, shots=1))[1])
        found.append("absent: no error where rank 1 did not come")
    except AveError as e:
        print(f"draw: absent: {e.code} after {time.monotonic() - start:.1f} s: {str(e).splitlines()[0]}", flush=True)
        found += [] if e.code == "L080" and "rank 1" in str(e) else [f"absent: {e}"]
    try:
        Team(team.ranks, cpu, 2.0).run(lambda member: dist.all_reduce(x[: 3 + member.rank], member))
        found.append("sizes that differ were not found")
    except AveError as e:
        found += [] if e.code == "L081" else [f"sizes that differ: {e}"]
    return found


def graphs(team: Team, cpu: bool) -> list[str]:
    """Collectives that were recorded once and run again get new values. Ranks record one after another."""
    if cpu:
        return []

    def program(member: Any) -> list[str]:
        x, found = torch.full((1000, 8), float(member.rank + 1), device=team.device), []
        for shots in (1, 2):
            dist.all_reduce(x, member, shots=shots)
        member.stream.synchronize()
        member.exchange(None)
        graph, out = torch.cuda.CUDAGraph(), []
        for rank in range(member.ranks):
            if rank == member.rank:
                graph.capture_begin()
                time.sleep(0.5)  # whoever looks at time limits does so now
                out = [dist.all_reduce(x, member, shots=s) for s in (1, 2)]
                graph.capture_end()
            member.exchange(None)
        for turn in range(1, 6):
            x.fill_(float(turn * (member.rank + 1)))
            torch.cuda._sleep(int(1e6 * ((turn + member.rank) % 3)))
            graph.replay()
            member.stream.synchronize()
            want = turn * member.ranks * (member.ranks + 1) / 2
            found += [f"graph, rank {member.rank}, replay {turn}, {i + 1} shots: {float(y[0, 0])}, not {want}"
                      for i, y in enumerate(out) if not bool((y == want).all())]  # fmt: skip
            member.exchange(None)
        return found

    def loaded(member: Any) -> None:
        x = torch.full((1000, 8), 1.0, device=team.device)
        torch.cuda._sleep(1)
        for shots in (1, 2):
            bool((dist.all_reduce(x, member, shots=shots) == 1).all())

    team.run(loaded, together=False)
    return [text for found in team.run(program) for text in found] + recorded_products(team)


def recorded_products(team: Team) -> list[str]:
    """The same of fused products, by stores of a kernel and by copies beside them. Ranks record one after another, and those calls load the kernels."""
    rows, k, n, ranks, found = 64, 128, 192, team.ranks, list[str]()
    for copied in (1 << 30, 1):
        exchange.COPIED, group.RECORDED = copied, copied == 1
        rng = random.Random(f"recorded {copied}")
        inputs = [[team.drawn(rng, *s, dtype=torch.bfloat16) for s in ((rows, k), (rows * ranks, k), (n, k))] for _ in range(5)]
        held: list[Any] = [None] * ranks

        def record(member: Any, inputs: Any = inputs, held: Any = held) -> None:
            r = member.rank
            x, y, w = (drawn[r].clone() for drawn in inputs[0])
            made = [torch.empty(rows * ranks, n, dtype=x.dtype, device=x.device), torch.empty(rows, n, dtype=x.dtype, device=x.device)]
            for rank in range(ranks):
                if rank == r:
                    graph = torch.cuda.CUDAGraph()
                    graph.capture_begin(capture_error_mode="relaxed")
                    dist.gathered_product(x, w.T, group=member.name, fuse=1, out=made[0])
                    dist.scattered_product(y, w.T, group=member.name, fuse=1, out=made[1])
                    graph.capture_end()
                    held[r] = x, y, w, made, graph
                member.exchange(None)

        def replay(member: Any, inputs: Any = inputs, held: Any = held) -> list[str]:
            r, said = member.rank, list[str]()
            x, y, w, made, graph = held[r]
            for turn, (xs, ys, ws) in enumerate(inputs):
                for mine, drawn in ((x, xs), (y, ys), (w, ws)):
                    mine.copy_(drawn[r])
                for out in made:
                    out.fill_(torch.nan)
                torch.cuda._sleep(1 + int(1e6 * ((turn + r) % 3)))
                graph.replay()
                member.stream.synchronize()
                whole = torch.stack([a.double() @ b.double().T for a, b in zip(ys, ws, strict=True)]).sum(0)
                want = torch.cat(xs).double() @ ws[r].double().T, whole[r * rows : (r + 1) * rows]
                said += [f"recorded product {i}, rank {r}, run {turn}, COPIED={exchange.COPIED}: {text}" for i, (a, b) in enumerate(zip(made, want, strict=True))
                         if (text := wrong(a, b, k * ranks))]  # fmt: skip
                member.exchange(None)
            return said

        team.run(record)
        found += [text for said in team.run(replay) for text in said]
    group.RECORDED = False
    return found


@avelang.jit
def unwaited(x: al.Pointer(al.f32), box: al.Pointer(al.f32), out: al.Pointer(al.f32), team: al.Ranks):  # type: ignore
    """Reads what the next rank puts into its box, and does not wait for it."""
    t = al.thread_id(0)
    shape = al.make_layout((256,))
    al.make_tensor(box, al.f32, shape)[t] = al.make_tensor(x, al.f32, shape)[t]
    theirs = al.make_tensor(al.peer(box, (al.rank() + 1) % al.ranks()), al.f32, shape)
    al.make_tensor(out, al.f32, shape)[t] = theirs[t]


def control(team: Team, cpu: bool) -> list[str]:
    """A kernel without its wait must be found."""
    x = torch.arange(256, dtype=torch.float32, device=team.device) + 1

    def program(member: Any) -> list[torch.Tensor]:
        box, out = member.empty(256, "float32"), torch.empty_like(x)
        member.exchange(None)
        if member.rank == 1:
            time.sleep(0.05)
        member.launch(unwaited, 1, 256, x, box, out, member.team)
        return [out]

    team.run(program, together=False)
    made = team.run(program)
    return [] if any(wrong(out, x, 0.0) for (out,) in made) else ["control: a kernel that does not wait was not found"]


KINDS: dict[str, Callable[[Team, random.Random], Case]] = {"collectives": collectives, "products": products, "experts": experts, "ring": ring}
ALONE: dict[str, Callable[[Team, bool], list[str]]] = {"absent": absent, "graphs": graphs, "control": control}


def main(options: Any) -> int:
    torch.use_deterministic_algorithms(True, warn_only=True)  # fills what is not written yet with NaN
    failed: list[str] = []
    for ranks in (int(r) for r in options.ranks.split(",")):
        end = time.monotonic() + options.seconds / len(options.ranks.split(","))
        for kind in options.kinds.split(",") if options.kinds else (*KINDS, *ALONE):
            count, before = 0, len(failed)
            if kind in ALONE:
                try:
                    failed += ALONE[kind](Team(ranks, options.cpu), options.cpu)
                except Exception:
                    failed.append(f"{kind} of {ranks} ranks: {traceback.format_exc(limit=-6)}")
            else:
                while count < options.draws and (not count or time.monotonic() < end):
                    failed += check(Team(ranks, options.cpu), kind, f"{options.seed} {kind} {count}", options.rounds)
                    count += 1
                    if len(failed) > before + 1:
                        break
            print(f"{ranks} ranks, {kind}: {count} draws, {len(failed) - before} wrong", flush=True)
    for text in failed:
        print(f"FAIL {text}", flush=True)
    return 1 if failed else 0

