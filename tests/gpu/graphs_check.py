"""Operations of `avelang.ops` in CUDA graphs of a real NVIDIA GPU, and under `torch.compile(mode="reduce-overhead")`: the first call of all may be the
captured one, graphs may be replayed in any order, and nothing of Ave's is left in a graph's pool.

    python3 tests/gpu/graphs_check.py

Prints one line for each case; exit status 1 when one fails. Needs torch with CUDA."""

from __future__ import annotations

import pathlib
import sys
import traceback
from collections.abc import Callable
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
import torch  # noqa: E402

from avelang import ops  # noqa: E402
from gpu.scratch import own_cache  # noqa: E402

F = torch.nn.functional
# Calls with workspaces (split K, sums of gradients, decoding) and copies of operands among them; shapes of the arrays.
CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[tuple[int, ...], ...], torch.dtype]] = {
    "split K": (ops.matmul, torch.matmul, ((128, 16384), (16384, 256)), torch.bfloat16),
    "odd rows": (ops.matmul, torch.matmul, ((131, 1001), (1001, 257)), torch.bfloat16),
    "f32": (ops.matmul, torch.matmul, ((200, 1000), (1000, 96)), torch.float32),
    "few rows": (ops.linear, F.linear, ((3, 4096), (4096, 4096)), torch.bfloat16),
    "norm": (ops.rms_norm, lambda x, w: F.rms_norm(x, w.shape, w, 1e-6), ((77, 1000), (1000,)), torch.bfloat16),
    "attention": (lambda *x: ops.attention(*x, is_causal=True), lambda *x: F.scaled_dot_product_attention(*x, is_causal=True), ((2, 4, 130, 64),) * 3, torch.bfloat16),
    "decoding": (ops.attention, F.scaled_dot_product_attention, ((2, 8, 1, 128), (2, 8, 3000, 128), (2, 8, 3000, 128)), torch.bfloat16),
    "f32 attention": (ops.attention, F.scaled_dot_product_attention, ((2, 4, 130, 64),) * 3, torch.float32),
}  # fmt: skip


def near(got: torch.Tensor, want: torch.Tensor, dtype: torch.dtype) -> None:
    scale = want.float().abs().max().item()
    torch.testing.assert_close(got.float(), want.float(), rtol=0, atol=(3e-2 if dtype == torch.bfloat16 else 1e-3) * scale)


def arrays(shapes: tuple[tuple[int, ...], ...], dtype: torch.dtype) -> list[torch.Tensor]:
    return [torch.randn(s, device="cuda", dtype=dtype, requires_grad=True) for s in shapes]


def captured(name: str) -> None:
    """Two graphs of forward and backward, neither after a call outside; the second is replayed first."""
    ours, theirs, shapes, dtype = CASES[name]
    graphs = []
    for _ in range(2):
        xs = arrays(shapes, dtype)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=graphs[0][0].pool() if graphs else None):
            garbage = torch.full((4 << 20,), 99, dtype=torch.int32, device="cuda")
            del garbage  # what the pool gives out next has it
            y = ours(*xs)
            grads = torch.autograd.grad(y, xs, torch.ones_like(y))
        graphs.append((graph, xs, y, grads))
    for graph, xs, y, grads in (graphs[1], graphs[0], graphs[1]):
        with torch.no_grad():
            for x in xs:
                x.normal_()
        graph.replay()
        z = theirs(*xs)
        near(y, z, dtype)
        for got, want in zip(grads, torch.autograd.grad(z, xs, torch.ones_like(z)), strict=True):
            near(got, want, dtype)


def compiled(name: str) -> None:
    """Under reduce-overhead, which warms up, records and replays."""
    ours, theirs, shapes, dtype = CASES[name]
    torch._dynamo.reset()
    f = torch.compile(lambda *x: ours(*(a * 1.0 for a in x)), mode="reduce-overhead", fullgraph=True)
    for _ in range(4):
        xs = arrays(shapes, dtype)
        y, z = f(*xs), theirs(*xs)
        near(y.clone(), z, dtype)
        for got, want in zip(torch.autograd.grad(y.sum(), xs), torch.autograd.grad(z.sum(), xs), strict=True):
            near(got, want, dtype)


def main() -> int:
    own_cache()
    failed = 0
    for check in (captured, compiled):
        for name in CASES:
            try:
                check(name)
                print(f"ok    {check.__name__}: {name}", flush=True)
            except Exception:
                failed += 1
                print(f"FAIL  {check.__name__}: {name}\n{traceback.format_exc()[-1500:]}", flush=True)
    print(f"{failed} wrong of {2 * len(CASES)}")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main()))
