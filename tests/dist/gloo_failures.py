"""One rank of a process group of gloo in which things go wrong: `gloo_failures.py RANK RANKS FILE`. What each rank met is printed. The last rank kills itself
while the others wait for it in a product whose parts are copied beside it."""

import os
import signal
import sys

import torch
import torch.distributed

import avelang.dist
from avelang.base.errors import AveError
from avelang.ops import dist
from avelang_kernels.dist import exchange


def code(call):
    """The code of the error that a call raises, and its message."""
    try:
        call()
    except AveError as e:
        return f"{e.code} {e.message}"
    return "nothing"


def main(rank: int, ranks: int, file: str) -> None:
    torch.distributed.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=ranks)
    print("bytes", code(lambda: avelang.dist.connect(bytes=1 << 18 + rank)))
    group, second = avelang.dist.connect(bytes=1 << 20, limit=60.0), avelang.dist.connect(bytes=1 << 18, limit=60.0)
    print("shape", code(lambda: dist.all_reduce(torch.ones(4 + rank), group)))
    print("dtype", code(lambda: dist.all_reduce(torch.ones(4, dtype=torch.float32 if rank else torch.float64), group)))
    print("option", code(lambda: dist.all_reduce(torch.ones(4), group, shots=1 + rank % 2)))
    print("operation", code(lambda: (dist.all_gather, dist.all_reduce)[rank % 2](torch.ones(4), group)))
    exchange.COPIED = 0
    x, w = torch.ones(8, 16) * (rank + 1), torch.ones(4, 16)
    want = 16.0 * torch.arange(1, ranks + 1).repeat_interleave(8)[:, None].expand(-1, 4)
    for member in (group, second, group):
        assert torch.equal(dist.all_gather_matmul(x, w.T, member, fuse=True), want)
        assert torch.equal(dist.all_reduce(x, member), torch.ones(8, 16) * sum(range(1, ranks + 1)))
    if rank % 2:  # in another order on each rank
        second.close()
    del second
    print("goes on", bool(torch.equal(dist.all_gather_matmul(x, w.T, group, fuse=True), want)), flush=True)
    if rank == ranks - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    group.limit = 1.0
    fused_product = lambda: dist.gathered_product(x, w.T, group=group.name, fuse=1)  # noqa: E731
    print("died", code(fused_product))
    print("again", code(lambda: dist.reduced(x, group=group.name, shots=1)), flush=True)


main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
