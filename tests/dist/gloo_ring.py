"""One rank of a process group of gloo that attends to its part of a sequence: `gloo_ring.py RANK RANKS FILE`. Results and gradients are compared with
torch's attention of the whole one."""

import sys

import torch
import torch.distributed

from avelang.ops import dist


def main(rank: int, ranks: int, file: str) -> None:
    torch.distributed.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=ranks)
    g = torch.Generator().manual_seed(1)
    whole = [torch.randn(2, h, 12 * ranks, 16, generator=g) for h in (2, 1, 1, 2)]
    leaves = [x.clone().requires_grad_() for x in whole[:3]]
    torch.nn.functional.scaled_dot_product_attention(*leaves, is_causal=True, enable_gqa=True).backward(whole[3])
    want = torch.nn.functional.scaled_dot_product_attention(*whole[:3], is_causal=True, enable_gqa=True)

    def attend(q, k, v):
        return dist.ring_attention(q, k, v, is_causal=True, enable_gqa=True, layout="zigzag")

    at = torch.from_numpy(dist.ring_positions(12, None, "zigzag"))
    compiled = torch.compile(lambda q, k, v: attend(2 * q, k, v) * 1.0, backend="aot_eager", fullgraph=True)
    for f, factor in ((attend, 1), (compiled, 0.5)):
        mine = [(x[:, :, at] * s).requires_grad_() for x, s in zip(whole, (factor, 1, 1))]
        made = f(*mine)
        made.backward(whole[3][:, :, at])
        torch.testing.assert_close(made, want[:, :, at], rtol=1e-4, atol=1e-5)
        for x, leaf, s in zip(mine, leaves, (factor, 1, 1)):
            torch.testing.assert_close(x.grad * s, leaf.grad[:, :, at], rtol=1e-4, atol=1e-5)
    print("the ring is right")


main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
