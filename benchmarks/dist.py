"""Times of operations of several ranks against their peers: `torchrun --nproc-per-node N benchmarks/dist.py [--json FILE]`.

Contenders take turns within one run: the product alone (cuBLAS, and ours), the exchange alone, NCCL and the product one after the other,
torch's fused operator of symmetric memory, and `avelang.ops.dist` fused, not, and by its rule; a layer of experts by all-to-all and grouped
products one after the other, and ours; all-reduce of NCCL, of torch's symmetric memory, and both of ours. Each figure is the median over
rounds of the slowest rank's time, in microseconds, by events of the device: some calls in a row, behind a pause of the device in which the
host gets ahead of it; of all-reduce a CUDA graph of them. Results of ours are held against NCCL's and cuBLAS's on random inputs, on outputs
that were poisoned, before the rounds and after them. Parts that only `--only` names: `recorded`, products in CUDA graphs; `host`, the host's
time for a call by its clock, of calls that nobody waits for; `sweep`, all-reduce with other parameters of `avelang_kernels.dist.exchange`.
A contender that fails says why, and has no figure. Without a GPU it runs on the CPU by gloo with tiny sizes, to see that it runs; those
times say nothing, and it says so."""

from __future__ import annotations

import argparse
import datetime
import itertools
import json
import math
import os
import pathlib
import statistics
import sys
import time
import traceback
from collections.abc import Callable

import torch
import torch.distributed as td
import torch.distributed._symmetric_memory as symmetric

import avelang
import avelang.dist
from avelang import ops
from avelang.dist import group
from avelang.ops import dist
from avelang_kernels.dist import exchange

SHAPES = ((4096, 28672, 4096), (8192, 28672, 8192), (8192, 8192, 28672), (1024, 28672, 8192), (16384, 12288, 12288))
EXPERTS = {"Mixtral": (4096, 4096, 14336, 8, 2), "Qwen3": (4096, 2048, 768, 8, 8)}  # tokens, hidden, inner, experts a GPU, of a token
SIZES = tuple(1 << e for e in range(14, 28, 2)) + (1 << 27,)
SWEPT = (1 << 20, 1 << 22, 1 << 23, 1 << 24, 1 << 26)
PEERS = ("one after the other", "torch fused", "NCCL", "torch, one shots", "torch, two shots")
WAIT_CYCLES = 4_000_000  # some 2 ms, in which the host gets ahead of the GPU
Clock = Callable[[Callable[[], object], bool, int], float]
Contenders = dict[str, tuple[Callable[[], object], Callable[[object], None]]]  # the call, and the check of its result


def seconds(call: Callable[[], object], on_gpu: bool, calls: int) -> float:
    """One of some calls in a row, of the slowest rank."""
    td.barrier()
    if on_gpu:
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(WAIT_CYCLES)
        first.record()
        for _ in range(calls):
            call()
        last.record()
        last.synchronize()
        spent = first.elapsed_time(last) / 1e3
    else:
        start = time.perf_counter()
        for _ in range(calls):
            call()
        spent = time.perf_counter() - start
    slowest = torch.tensor([spent / calls], device="cuda" if on_gpu else "cpu")
    td.all_reduce(slowest, td.ReduceOp.MAX)
    return float(slowest)


def recorded(call: Callable[[], object], calls: int) -> Callable[[], object]:
    """Some calls in a row, as a CUDA graph."""
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    return graph.replay


def host_seconds(call: Callable[[], object], on_gpu: bool, calls: int) -> float:
    """The host's time of one of some calls in a row, behind a pause of the device, of the slowest rank."""
    td.barrier()
    if on_gpu:
        torch.cuda.synchronize()
        torch.cuda._sleep(10 * WAIT_CYCLES)
    start = time.perf_counter()
    for _ in range(calls):
        call()
    spent = time.perf_counter() - start
    if on_gpu:
        torch.cuda.synchronize()
    slowest = torch.tensor([spent / calls], device="cuda" if on_gpu else "cpu")
    td.all_reduce(slowest, td.ReduceOp.MAX)
    return float(slowest)


def race(contenders: Contenders, rounds: int, on_gpu: bool, calls: int, graphs: bool, clock: Clock = seconds) -> dict[str, float]:
    """Medians in microseconds; contenders take turns in each round. Each is tried first, and checked at the end again.
    `graphs`: a round's calls are one CUDA graph, as those of a decoding model are."""
    times: dict[str, list[float]] = {}
    timed: dict[str, Callable[[], object]] = {}
    for name, (call, check) in contenders.items():
        try:
            check(call())
            timed[name] = recorded(call, calls) if graphs and on_gpu else call
            times[name] = []
        except Exception:
            print(f"rank {td.get_rank()}: {name}:\n{traceback.format_exc(limit=-6)}", file=sys.stderr, flush=True)
    for turn in range(rounds + 2):
        for name in times:
            spent = clock(timed[name], on_gpu, 1) / calls if graphs and on_gpu else clock(timed[name], on_gpu, calls)
            if turn >= 2:
                times[name].append(spent * 1e6)
    for name in times:
        call, check = contenders[name]
        check(call())
    return {name: round(statistics.median(t), 1) for name, t in times.items()}


def near(want: torch.Tensor) -> Callable[[object], None]:
    """A check of a result; it poisons what it has checked."""

    def check(got: object) -> None:
        assert isinstance(got, torch.Tensor)
        error = float((got.float() - want.float()).norm() / want.float().norm())
        assert error <= 2**-6, error  # NaN is no less than this
        got.fill_(torch.nan)

    return check


def unchecked(got: object) -> None:
    """A peer's result is not looked at."""


def torch_fused(name: str, *args: object, **more: object) -> Contenders:
    """torch's operator of symmetric memory, where this torch has it."""
    op = getattr(torch.ops.symm_mem, name, None)
    return {} if op is None else {"torch fused": (lambda: op(*args, **more), unchecked)}


def gather_products(member: avelang.dist.Group, shape: tuple[int, int, int], device: str, on_gpu: bool) -> Contenders:
    m, n, k = shape
    ranks, dtype = member.ranks, torch.bfloat16 if on_gpu else torch.float32
    x, w = torch.randn(m // ranks, k, device=device, dtype=dtype), torch.randn(n // ranks, k, device=device, dtype=dtype)
    whole, out = torch.empty(m, k, device=device, dtype=dtype), torch.empty(m, n // ranks, device=device, dtype=dtype)
    gather = (lambda: td.all_gather_into_tensor(whole, x)) if on_gpu else (lambda: td.all_gather(list(whole.chunk(ranks)), x))
    gather()
    check = near(whole @ w.T)
    made: Contenders = {
        "product alone": (lambda: whole @ w.T, unchecked),
        "product alone, ours": (lambda: ops.matmul(whole, w.T, out=out), check),
        "exchange alone": (gather, unchecked),
        "exchange alone, ours": (lambda: dist.all_gather(x, member), near(whole.clone())),
        "one after the other": (lambda: (gather(), whole @ w.T), unchecked),
    }
    for name, fuse in FUSED.items():
        made[name] = (lambda fuse=fuse: dist.all_gather_matmul(x, w.T, member, fuse=fuse, out=out), check)
    return made | (torch_fused("fused_all_gather_matmul", x, [w.T], 0, td.group.WORLD.group_name) if on_gpu else {})


def scatter_products(member: avelang.dist.Group, shape: tuple[int, int, int], device: str, on_gpu: bool) -> Contenders:
    m, k, n = shape
    ranks, dtype = member.ranks, torch.bfloat16 if on_gpu else torch.float32
    x, w = torch.randn(m, k // ranks, device=device, dtype=dtype), torch.randn(n, k // ranks, device=device, dtype=dtype)
    part, out = (torch.empty(m // ranks, n, device=device, dtype=dtype) for _ in range(2))
    sent, made_alone = x @ w.T, torch.empty(m, n, device=device, dtype=dtype)
    whole = sent.to(torch.float32, copy=True)
    td.all_reduce(whole)
    check = near(whole.chunk(ranks)[member.rank].clone())
    made: Contenders = {
        "product alone": (lambda: x @ w.T, unchecked),
        "product alone, ours": (lambda: ops.matmul(x, w.T, out=made_alone), near(sent.clone())),
    }
    if on_gpu:
        made["exchange alone"] = (lambda: td.reduce_scatter_tensor(part, sent), unchecked)
        made["exchange alone, ours"] = (lambda: dist.reduce_scatter(sent, member, out=out), check)
        made["one after the other"] = (lambda: td.reduce_scatter_tensor(part, x @ w.T), unchecked)
    for name, fuse in FUSED.items():
        made[name] = (lambda fuse=fuse: dist.matmul_reduce_scatter(x, w.T, member, fuse=fuse, out=out), check)
    return made | (torch_fused("fused_matmul_reduce_scatter", x, w.T, "sum", 0, td.group.WORLD.group_name) if on_gpu else {})


def all_to_all(rows: torch.Tensor, sent: list[int], come: list[int], on_gpu: bool) -> torch.Tensor:
    """Rows to the ranks in turn; gloo has no such call for parts of different sizes, so there each rank gathers all."""
    out = rows.new_empty(sum(come), rows.shape[1])
    if on_gpu:
        td.all_to_all_single(out, rows, come, sent)
        return out
    found: list[tuple[torch.Tensor, ...]] = [() for _ in come]
    td.all_gather_object(found, rows.split(sent))
    return torch.cat([parts[td.get_rank()] for parts in found])


class OneAfterTheOther:
    """The layer by torch's all-to-all, as it is usually written: counts, for which the host waits, rows, products of groups, rows back, sums."""

    def __init__(self, x: torch.Tensor, logits: torch.Tensor, w13: torch.Tensor, w2: torch.Tensor, top_k: int, on_gpu: bool):
        self.x, self.logits, self.w13, self.w2, self.top_k, self.on_gpu = x, logits, w13, w2, top_k, on_gpu

    def __call__(self) -> torch.Tensor:
        ranks, each, experts = td.get_world_size(), self.w13.shape[0], self.logits.shape[1]
        weights, ids = self.logits.float().topk(self.top_k)
        flat = ids.flatten()
        order = flat.argsort(stable=True)
        counts = torch.bincount(flat, minlength=experts)
        come = all_to_all(counts.view(experts, 1), [each] * ranks, [each] * ranks, self.on_gpu).view(ranks, each)
        sizes_out, sizes_in = counts.view(ranks, each).sum(1).tolist(), come.sum(1).tolist()
        rows = all_to_all(self.x[order // self.top_k], sizes_out, sizes_in, self.on_gpu)
        expert = torch.arange(each, device=rows.device).repeat(ranks).repeat_interleave(come.flatten())
        sort = expert.argsort(stable=True)
        ends = come.sum(0).cumsum(0).to(torch.int32)
        both = ops.grouped_matmul(rows[sort], self.w13.transpose(1, 2), ends)
        made = ops.grouped_matmul(ops.swiglu(both), self.w2.transpose(1, 2), ends)
        back = torch.empty_like(made)
        back[sort] = made
        home = all_to_all(back, sizes_in, sizes_out, self.on_gpu)
        mine = torch.empty_like(home)
        mine[order] = home
        shares = weights.softmax(-1).unsqueeze(-1)
        return (mine.view(-1, self.top_k, mine.shape[1]).float() * shares).sum(1).to(self.x.dtype)


def layers(member: avelang.dist.Group, sizes: tuple[int, ...], device: str, on_gpu: bool) -> Contenders:
    """A layer of experts; ours must give what the other gives."""
    tokens, hidden, inner, each, top_k = sizes
    g = torch.Generator().manual_seed(member.rank)
    x, logits = (torch.randn(tokens, n, generator=g).to(device, torch.bfloat16) for n in (hidden, each * member.ranks))
    w13, w2 = ((torch.randn(each, *s, generator=g) / 50).to(device, torch.bfloat16) for s in ((2 * inner, hidden), (hidden, inner)))
    other = OneAfterTheOther(x, logits, w13, w2, top_k, on_gpu)
    check, made = near(other().clone()), Contenders()
    made["one after the other"] = (other, check)
    for name, fuse in FUSED.items():
        made[name] = (lambda fuse=fuse: dist.moe(x, logits, w13, w2, member, top_k=top_k, fuse=fuse), check)
    return made


def reductions(member: avelang.dist.Group, nbytes: int, device: str, on_gpu: bool) -> Contenders:
    x = torch.randn(nbytes // 2, device=device, dtype=torch.bfloat16)
    y, out, want = x.clone(), torch.empty_like(x), x.float()
    td.all_reduce(want)
    made: Contenders = {"NCCL": (lambda: td.all_reduce(y), unchecked)}
    if on_gpu:
        held = symmetric.empty(nbytes // 2, device=device, dtype=torch.bfloat16)
        symmetric.rendezvous(held, td.group.WORLD)
        held.zero_()
        for shots in ("one", "two"):
            name = f"{shots}_shot_all_reduce" + ("_" if shots == "two" else "")
            reduce = getattr(torch.ops.symm_mem, name, None)
            if reduce is not None:
                made[f"torch, {shots} shots"] = (lambda f=reduce: f(held, "sum", td.group.WORLD.group_name), unchecked)
    for name, shots in (("ours, one shot", 1), ("ours, two shots", 2), ("ours, by the rule", 0)):
        made[name] = (lambda shots=shots: dist.all_reduce(x, member, shots=shots, out=out), near(want))
    return made


def in_graphs(made: Contenders) -> Contenders:
    """Those of a product that are worth recording, and the fused one with copy engines in the graph."""
    call, check = made["ours, fused"]

    def copied() -> object:
        group.RECORDED = True
        try:
            return call()
        finally:
            group.RECORDED = False

    kept = {n: c for n, c in made.items() if n in ("product alone", "one after the other", "ours, fused", "ours, not fused")}
    return kept | {"ours, copied in the graph": (copied, check)}


def swept(member: avelang.dist.Group, nbytes: int, device: str, on_gpu: bool) -> Contenders:
    """All-reduce by pieces with other areas, pieces and blocks, beside its peers."""
    x = torch.randn(nbytes // 2, device=device, dtype=torch.bfloat16)
    out, want, made = torch.empty_like(x), x.float(), {n: c for n, c in reductions(member, nbytes, device, on_gpu).items() if n in PEERS}
    td.all_reduce(want)
    blocks, most = (64, 128) if on_gpu else (2,), (1 << 16, 1 << 17)
    for shots, count, moved, least in itertools.product((1, 2), blocks, most, (1, 1 << 14, 1 << 15, 1 << 16)):

        def call(shots: int = shots, count: int = count, moved: int = moved, least: int = least) -> torch.Tensor:
            before = exchange.AREA, exchange.MOST, exchange.LEAST, exchange.QUICK, member.PIECE_BLOCKS
            held = member._kept.pop("areas", None)
            try:
                exchange.AREA, exchange.MOST, exchange.LEAST, exchange.QUICK, member.PIECE_BLOCKS = 2 * moved, moved, least, 0, count
                member._kept["areas"] = member.kept(("areas", moved, count), lambda: exchange.Areas(member))
                return dist.all_reduce(x, member, shots=shots, out=out)
            finally:
                exchange.AREA, exchange.MOST, exchange.LEAST, exchange.QUICK, member.PIECE_BLOCKS = before
                member._kept.pop("areas", None)
                if held is not None:
                    member._kept["areas"] = held

        made[f"shots {shots}, blocks {count}, MOST {moved >> 10} KB, LEAST {least >> 10} KB"] = call, near(want)
    made["ours, one shot"] = lambda: dist.all_reduce(x, member, shots=1, out=out), near(want)
    made["ours, two shots"] = lambda: dist.all_reduce(x, member, shots=2, out=out), near(want)
    return made


FUSED: dict[str, bool | None] = {"ours, fused": True, "ours, not fused": False, "ours, by the rule": None}


def summary(table: dict[str, dict[str, float]]) -> str:
    """A row for each race: the best peer, ours, and what is lost against the longer of product and exchange alone."""
    lines, ratios = [], dict[str, list[float]]()
    for name, us in table.items():
        mine = [t for n, t in us.items() if n.startswith(("ours,", "shots "))]
        ours = us.get("ours, by the rule", min(mine, default=math.nan))
        peers = [us[n] for n in PEERS if n in us]
        if not peers or not mine:
            lines.append(f"{name:52} no figure")
            continue
        floor = max((us[n] for n in ("product alone", "exchange alone") if n in us), default=math.nan)
        ratios.setdefault(name.split(" (")[0].split(" of ")[0], []).append(min(peers) / ours)
        lines.append(f"{name:52} best peer {min(peers):8.1f}  ours {ours:8.1f}  best of ours {min(mine):8.1f}"
                     f"  ratio {min(peers) / ours:5.2f}  over the longer alone {100 * (ours / floor - 1):6.1f} %")  # fmt: skip
    lines += [f"geometric mean, {kind}: {math.exp(statistics.fmean(map(math.log, r))):.3f}" for kind, r in ratios.items()
              if "bytes" not in kind]  # fmt: skip
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", default="")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--leave", action="append", default=[], help="leave out contenders whose name has this in it; may be repeated")
    parser.add_argument("--only", default="gather,scatter,experts,reduce", help="parts, with commas between")
    options = parser.parse_args()
    on_gpu = torch.cuda.is_available() and not options.cpu
    local = int(os.environ.get("LOCAL_RANK", "0"))
    if on_gpu:
        torch.cuda.set_device(local)
    td.init_process_group("nccl" if on_gpu else "gloo", device_id=torch.device("cuda", local) if on_gpu else None)
    device = f"cuda:{local}" if on_gpu else "cpu"
    torch.manual_seed(local)
    member = avelang.dist.connect(bytes=1 << 33 if on_gpu else 1 << 24, limit=20.0)
    shapes = SHAPES if on_gpu else ((64, 128, 64),)
    experts = EXPERTS if on_gpu else {"tiny": (24, 32, 16, 2, 2)}
    sizes = SIZES if on_gpu else (1 << 14,)
    record: dict[str, object] = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "ranks": member.ranks,
        "machine": torch.cuda.get_device_name() if on_gpu else "CPU: these times say nothing of GPUs", "torch": torch.__version__,
        "avelang": avelang.__version__, "rounds": options.rounds, "microseconds": {},
    }  # fmt: skip
    if on_gpu:
        record["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
    table: dict[str, dict[str, float]] = record["microseconds"]  # type: ignore[assignment]
    races: list[tuple[str, Callable[[], Contenders], int, bool]] = []
    clocks: dict[str, Clock] = {}
    if "gather" in options.only:
        races += [(f"all-gather + product {s}", lambda s=s: gather_products(member, s, device, on_gpu), 3, False) for s in shapes]
    if "scatter" in options.only:
        races += [(f"product + reduce-scatter {s}", lambda s=s: scatter_products(member, s, device, on_gpu), 3, False) for s in shapes]
    if "experts" in options.only:
        races += [(f"experts of {n} {s}", lambda s=s: layers(member, s, device, on_gpu), 3, False) for n, s in experts.items()]
    if "reduce" in options.only:
        races += [(f"all-reduce {n} bytes", lambda n=n: reductions(member, n, device, on_gpu), 10, True) for n in sizes]
    if "recorded" in options.only:
        for kind, product in (("all-gather + product", gather_products), ("product + reduce-scatter", scatter_products)):
            races += [(f"recorded {kind} {s}", lambda s=s, p=product: in_graphs(p(member, s, device, on_gpu)), 3, True) for s in shapes[:4:3]]
    for n in (sizes[:1] + (1 << 20,)) if "host" in options.only else ():
        races.append((f"host, all-reduce {n} bytes", lambda n=n: reductions(member, n, device, on_gpu), 50, False))
        clocks[races[-1][0]] = host_seconds
    if "sweep" in options.only:
        races += [(f"sweep, all-reduce {n} bytes", lambda n=n: swept(member, n, device, on_gpu), 5, True) for n in SWEPT[: len(sizes)]]
    for name, made, calls, graphs in races:
        contenders = {n: c for n, c in made().items() if not any(x in n for x in options.leave)}
        table[name] = race(contenders, options.rounds, on_gpu, calls, graphs, clocks.get(name, seconds))
        if member.rank == 0:
            shown = (
                dict(sorted(table[name].items(), key=lambda x: x[1])[:8]) | {n: t for n, t in table[name].items() if "ours" in n}
                if name.startswith("sweep")
                else table[name]
            )
            print(name, json.dumps(shown), flush=True)
            if options.json:  # what was found is kept, whatever comes later
                pathlib.Path(options.json).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if member.rank == 0:
        print(summary(table))
    td.destroy_process_group()


if __name__ == "__main__":
    main()
