"""Times of operations of several ranks against their peers: `torchrun --nproc-per-node N benchmarks/dist.py [--json FILE]`.

Contenders take turns within one run: the product alone, NCCL and the product one after the other, torch's fused operator
of symmetric memory, and `avelang.ops.dist` fused and not; a layer of
experts by all-to-all and grouped products one after the other, and ours; all-reduce of NCCL and both of ours. Each figure is the median
over rounds of the slowest rank's time, in microseconds, by events of the device. Without a GPU it runs on the CPU by
gloo with tiny sizes, to see that it runs; those times say nothing, and it says so."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import statistics
import time
from collections.abc import Callable

import torch
import torch.distributed as td

import avelang
import avelang.dist
from avelang import ops
from avelang.ops import dist

SHAPES = ((4096, 28672, 4096), (8192, 28672, 8192), (8192, 8192, 28672), (1024, 28672, 8192), (16384, 12288, 12288))
EXPERTS = {"Mixtral": (4096, 4096, 14336, 8, 2), "Qwen3": (4096, 2048, 768, 8, 8)}  # tokens, hidden, inner, experts a GPU, of a token
SIZES = tuple(1 << e for e in range(14, 28, 2)) + (1 << 27,)


def seconds(call: Callable[[], object], on_gpu: bool) -> float:
    """One call, of the slowest rank."""
    td.barrier()
    if on_gpu:
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        call()
        last.record()
        last.synchronize()
        spent = first.elapsed_time(last) / 1e3
    else:
        start = time.perf_counter()
        call()
        spent = time.perf_counter() - start
    slowest = torch.tensor([spent], device="cuda" if on_gpu else "cpu")
    td.all_reduce(slowest, td.ReduceOp.MAX)
    return float(slowest)


def race(contenders: dict[str, Callable[[], object]], rounds: int, on_gpu: bool) -> dict[str, float]:
    """Medians in microseconds; contenders take turns in each round."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds + 2):
        for name, call in contenders.items():
            spent = seconds(call, on_gpu)
            if turn >= 2:
                times[name].append(spent * 1e6)
    return {name: round(statistics.median(t), 1) for name, t in times.items()}


def torch_fused(name: str, *args: object, **more: object) -> Callable[[], object] | None:
    """torch's operator of symmetric memory, where this torch has it."""
    op = getattr(torch.ops.symm_mem, name, None)
    return None if op is None else lambda: op(*args, **more)


def gather_products(member: avelang.dist.Group, shape: tuple[int, int, int], device: str, on_gpu: bool) -> dict[str, Callable[[], object]]:
    m, n, k = shape
    ranks, dtype = member.ranks, torch.bfloat16 if on_gpu else torch.float32
    x, w = torch.randn(m // ranks, k, device=device, dtype=dtype), torch.randn(n // ranks, k, device=device, dtype=dtype)
    whole = torch.empty(m, k, device=device, dtype=dtype)
    gather = (lambda: td.all_gather_into_tensor(whole, x)) if on_gpu else (lambda: td.all_gather(list(whole.chunk(ranks)), x))
    out: dict[str, Callable[[], object]] = {
        "product alone": lambda: whole @ w.T,
        "gather, then product": lambda: (gather(), whole @ w.T),
        "ours, fused": lambda: dist.all_gather_matmul(x, w.T, member, fuse=True),
        "ours, one after the other": lambda: dist.all_gather_matmul(x, w.T, member, fuse=False),
    }
    fused = torch_fused("fused_all_gather_matmul", x, [w.T], 0, td.group.WORLD.group_name) if on_gpu else None
    return out | ({"torch fused": fused} if fused else {})


def scatter_products(member: avelang.dist.Group, shape: tuple[int, int, int], device: str, on_gpu: bool) -> dict[str, Callable[[], object]]:
    m, k, n = shape
    ranks, dtype = member.ranks, torch.bfloat16 if on_gpu else torch.float32
    x, w = torch.randn(m, k // ranks, device=device, dtype=dtype), torch.randn(n, k // ranks, device=device, dtype=dtype)
    part = torch.empty(m // ranks, n, device=device, dtype=dtype)
    out: dict[str, Callable[[], object]] = {
        "product alone": lambda: x @ w.T,
        "ours, fused": lambda: dist.matmul_reduce_scatter(x, w.T, member, fuse=True),
        "ours, one after the other": lambda: dist.matmul_reduce_scatter(x, w.T, member, fuse=False),
    }
    if on_gpu:
        out["product, then scatter"] = lambda: td.reduce_scatter_tensor(part, x @ w.T)
    fused = torch_fused("fused_matmul_reduce_scatter", x, w.T, "sum", 0, td.group.WORLD.group_name) if on_gpu else None
    return out | ({"torch fused": fused} if fused else {})


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


def layers(member: avelang.dist.Group, sizes: tuple[int, ...], device: str, on_gpu: bool) -> dict[str, Callable[[], object]]:
    """A layer of experts; ours must give what the other gives."""
    tokens, hidden, inner, each, top_k = sizes
    g = torch.Generator().manual_seed(member.rank)
    x, logits = (torch.randn(tokens, n, generator=g).to(device, torch.bfloat16) for n in (hidden, each * member.ranks))
    w13, w2 = ((torch.randn(each, *s, generator=g) / 50).to(device, torch.bfloat16) for s in ((2 * inner, hidden), (hidden, inner)))
    other = OneAfterTheOther(x, logits, w13, w2, top_k, on_gpu)
    made: dict[str, Callable[[], object]] = {"all-to-all, products, all-to-all": other}
    want = other().double()
    for name, more in FUSED.items():
        made[name] = lambda more=more: dist.moe(x, logits, w13, w2, member, top_k=top_k, **more)
        got = made[name]().double()
        assert (got - want).norm() <= 2**-6 * want.norm(), (name, sizes)
    return made


FUSED: dict[str, dict[str, object]] = {"ours, fused": {"fuse": True}, "ours, one after the other": {"fuse": False}}


def reductions(member: avelang.dist.Group, nbytes: int, device: str) -> dict[str, Callable[[], object]]:
    x = torch.zeros(nbytes // 2, device=device, dtype=torch.bfloat16)
    y = x.clone()
    return {
        "torch.distributed": lambda: td.all_reduce(y),
        "one shot": lambda: dist.all_reduce(x, member, shots=1),
        "two shots": lambda: dist.all_reduce(x, member, shots=2),
        "by the rule": lambda: dist.all_reduce(x, member),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", default="")
    parser.add_argument("--cpu", action="store_true")
    options = parser.parse_args()
    on_gpu = torch.cuda.is_available() and not options.cpu
    local = int(os.environ.get("LOCAL_RANK", "0"))
    if on_gpu:
        torch.cuda.set_device(local)
    td.init_process_group("nccl" if on_gpu else "gloo")
    device = f"cuda:{local}" if on_gpu else "cpu"
    member = avelang.dist.connect(bytes=1 << 34 if on_gpu else 1 << 24, limit=300.0)
    shapes = SHAPES if on_gpu else ((64, 128, 64),)
    experts = EXPERTS if on_gpu else {"tiny": (24, 32, 16, 2, 2)}
    sizes = SIZES if on_gpu else (1 << 14,)
    record: dict[str, object] = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "ranks": member.ranks,
        "machine": torch.cuda.get_device_name() if on_gpu else "CPU: these times say nothing of GPUs", "torch": torch.__version__,
        "avelang": avelang.__version__, "rounds": options.rounds, "microseconds": {},
    }  # fmt: skip
    table: dict[str, dict[str, float]] = record["microseconds"]  # type: ignore[assignment]
    for shape in shapes:
        for name, made in (("all-gather + product", gather_products), ("product + reduce-scatter", scatter_products)):
            table[f"{name} {shape}"] = race(made(member, shape, device, on_gpu), options.rounds, on_gpu)
    for name, shape in experts.items():
        table[f"experts of {name} {shape}"] = race(layers(member, shape, device, on_gpu), options.rounds, on_gpu)
    for size in sizes:
        table[f"all-reduce {size} bytes"] = race(reductions(member, size, device), options.rounds, on_gpu)
    if member.rank == 0:
        text = json.dumps(record, indent=1)
        print(text)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as f:
                f.write(text + "\n")
    td.destroy_process_group()


if __name__ == "__main__":
    main()
