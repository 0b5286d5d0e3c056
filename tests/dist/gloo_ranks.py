"""One rank of a process group of gloo: `gloo_ranks.py RANK RANKS FILE`. Rank 1 leaves before the last call, and the others say so."""

import sys

import torch
import torch.distributed

import avelang.dist
from avelang import ops
from avelang.base.errors import AveError
from avelang.ops import dist
from avelang.ops.dist.members import _CONNECTED


def layer(group: avelang.dist.Group, rank: int, ranks: int) -> None:
    """Experts of all ranks, as they are and in a graph, against all of them on one rank."""
    g = torch.Generator().manual_seed(5)
    x, logits = torch.randn(ranks, 6, 32, generator=g).bfloat16(), torch.randn(ranks, 6, 2 * ranks, generator=g).bfloat16()
    w13, w2 = ((torch.randn(2 * ranks, *s, generator=g) / 6).bfloat16() for s in ((32, 32), (32, 16)))
    want = ops.moe(x, logits, w13, w2, top_k=2, invariant=True)[rank]
    given, own = [a[rank].requires_grad_() for a in (x, logits)], [a[2 * rank : 2 * rank + 2] for a in (w13, w2)]

    def call(*given):
        return dist.moe(*given, *own, group, top_k=2, invariant=True)

    with torch.no_grad():  # one operation then, whose rows are read where they arrive
        fused = torch.compile(lambda x: dist.moe(x, given[1], *own, group, top_k=2, fuse=True), backend="aot_eager", fullgraph=True)(given[0])
    assert bool((fused - want).norm() <= 2**-7 * want.norm())
    plain, compiled = call(*given), torch.compile(call, backend="aot_eager", fullgraph=True)(*given)
    assert torch.equal(plain, want) and torch.equal(compiled, want)
    for a, b in zip(*(torch.autograd.grad(y, given, torch.ones_like(y)) for y in (plain, compiled)), strict=True):
        assert torch.equal(a, b) and bool(a.any())


def refused(call, why: str) -> None:
    """Checks that a call raises an error with these words."""
    try:
        call()
    except Exception as e:  # torch wraps what is raised while it traces
        assert "L066" in str(e) and why in str(e), e
    else:
        raise AssertionError(why)


def alone(file: str):
    """A default group of one rank, which is destroyed: the next one has other ranks. Gives what was compiled with it."""
    torch.distributed.init_process_group("gloo", init_method=f"file://{file}", rank=0, world_size=1)
    x = torch.ones(4, 4)
    compiled = torch.compile(lambda x: dist.all_gather(x), backend="aot_eager", fullgraph=True)
    refused(lambda: compiled(x), "group has no symmetric memory yet")
    for member in (None, avelang.dist.connect(bytes=1 << 16)):
        assert dist.all_gather(x, member).shape == (4, 4) and torch.equal(dist.all_reduce(x, member), x)
    assert compiled(x).shape == (4, 4)
    torch.distributed.destroy_process_group()
    refused(lambda: compiled(x), "was destroyed")
    refused(lambda: dist.all_gather(x), "there is no process group")
    return compiled


def main(rank: int, ranks: int, file: str) -> None:
    compiled_before = alone(f"{file}, {rank} alone")
    torch.distributed.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=ranks)
    group = avelang.dist.connect(bytes=1 << 18, limit=60.0)
    again = avelang.dist.connect(bytes=1 << 17)  # a second communicator
    x = torch.arange(64, dtype=torch.float32).reshape(8, 8) + rank
    assert dist.all_gather(x[:4, :4]).shape == compiled_before(x[:4, :4]).shape == (4 * ranks, 4)
    want = sum(torch.arange(64, dtype=torch.float32).reshape(8, 8) + r for r in range(ranks))
    for member in (group, again, None, torch.distributed.group.WORLD):
        assert torch.equal(dist.all_reduce(x, member), want)
    assert {m.process_group for m in _CONNECTED.values()} == {torch.distributed.group.WORLD}
    assert len({m.name for m in _CONNECTED.values()}) == 1 < len(_CONNECTED)
    part = torch.distributed.new_group([0])
    if rank:
        refused(lambda: dist.all_reduce(x, part), "without this one")
    for member in (group, None):
        assert torch.equal(dist.all_gather(x, member)[8 * rank : 8 * rank + 8], x)
    w = torch.arange(16 * 8, dtype=torch.float32).reshape(16, 8) + rank
    rows = torch.cat([torch.arange(64, dtype=torch.float32).reshape(8, 8) + r for r in range(ranks)])
    assert torch.equal(dist.all_gather_matmul(x, w.T, group, fuse=True), rows @ w.T)
    compiled = torch.compile(lambda x: dist.all_reduce(2 * x, group) + 1, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(x), 2 * want + 1)
    layer(group, rank, ranks)
    print("sums are right")
    again.close()
    try:
        dist.all_reduce(x[: 4 + rank], group)
    except AveError as e:
        assert e.code == "L081", e
    if rank == 1:
        return torch.distributed.destroy_process_group()
    group.limit = 0.5
    try:
        dist.reduced(x, group=group.name, shots=1)
    except AveError as e:
        print(e)
    torch.distributed.destroy_process_group()


main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
