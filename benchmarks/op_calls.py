"""Host time of an operation in eager torch, by parts: what `avelang.op` adds to the launch and to the allocation.

    PYTHONPATH=src python3 benchmarks/op_calls.py [--device cuda] [--rounds 15]

Microseconds a call, the least of several rounds, interleaved. The host function of `nothing` launches nothing; that of
`one kernel` launches a kernel of one block, and says that it does nothing else. On a GPU, launches go on while the host
measures: rounds are short enough for the queue. No gradient is wanted. Then the package's own operations on small
arrays, beside torch's, and the choice of a tile. Nothing here asserts a speed."""

from __future__ import annotations

import argparse
import pathlib
import random
import sys
import time

import torch

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "src"), str(ROOT)]  # behind PYTHONPATH, which may name another tree

import avelang  # noqa: E402
import avelang.language as al  # noqa: E402
from avelang.bridge import Array, op  # noqa: E402


@avelang.jit
def add(x: al.Pointer(al.f32), w: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32):
    i, T = al.thread_id(0), al.Tensor((n,), al.f32)
    if i < n:
        out = al.make_tensor(y, T)
        out[i] = al.make_tensor(x, T)[i] + al.make_tensor(w, T)[i]


def one_shape(x, w, *, eps):
    if x.shape != w.shape:
        raise avelang.argument_error(f"w is {w.shape}: it must be {x.shape}")
    return Array(x.shape, x.dtype)


def two_shapes(x, w, *, eps):
    return Array(x.shape, x.dtype), Array(x.shape[:-1], "float32")


@op(one_shape)
def nothing(x, w, out, *, eps: float = 1e-6):
    pass


@op(two_shapes)
def nothing_kept(x, w, out, kept, *, eps: float = 1e-6):
    pass


@op(one_shape, launches_only=True)
def one_kernel(x, w, out, *, eps: float = 1e-6):
    add[1, 64](x, w, out, x.shape[0])


def best(calls: dict, rounds: int, number: int, device: str) -> dict[str, float]:
    """Microseconds of each call."""
    found = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            if device == "cuda":
                torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(number):
                call()
            found[name] = min(found[name], (time.perf_counter() - start) / number * 1e6)
    return found


def operations(device: str) -> dict:
    """Small calls of the package's operations, beside torch's own."""
    from avelang import ops

    like = {"device": device, "dtype": torch.bfloat16 if device == "cuda" else torch.float32}
    a, b, g = (torch.randn(*shape, **like) for shape in ((64, 128), (128, 256), (128,)))
    x, y, q = (torch.randn(*shape, **like) for shape in ((20, 855), (855, 879), (1, 4, 64, 64)))
    target, functional = torch.zeros(64, dtype=torch.long, device=device), torch.nn.functional
    linear, cos = torch.nn.Linear(128, 256, bias=False, **like), torch.randn(64, 32, device=device)
    one, pages = torch.randn(2, 4, 1, 64, **like), torch.randn(8, 16, 2, 64, **like)
    table, lengths = (torch.tensor(x, dtype=torch.int32, device=device) for x in ([[3, 1, 6], [0, 4, 2]], [40, 17]))
    packed, ends = torch.randn(40, 2, 64, **like), torch.tensor([0, 13, 40], dtype=torch.int32, device=device)
    return {
        "torch.mm": lambda: torch.mm(a, b),
        "ops.matmul": lambda: ops.matmul(a, b),
        "ops.matmul, odd rows": lambda: ops.matmul(x, y),
        "torch's linear": lambda: functional.linear(a, linear.weight),
        "ops.linear": lambda: ops.linear(a, linear.weight),
        "torch's rms_norm": lambda: functional.rms_norm(a, (128,), g),
        "ops.rms_norm": lambda: ops.rms_norm(a, g),
        "ops.softmax": lambda: ops.softmax(a),
        "ops.swiglu": lambda: ops.swiglu(a, a),
        "torch's cross_entropy": lambda: functional.cross_entropy(a, target),
        "ops.cross_entropy": lambda: ops.cross_entropy(a, target),
        "torch's attention": lambda: functional.scaled_dot_product_attention(q, q, q),
        "ops.attention": lambda: ops.attention(q, q, q),
        "ops.attention, pages": lambda: ops.attention(
            one, pages, pages, block_table=table, cache_lengths=lengths, enable_gqa=True
        ),
        "ops.attention, packed": lambda: ops.attention(packed, packed, packed, cu_seqlens_q=ends, cu_seqlens_k=ends),
        "ops.layer_norm": lambda: ops.layer_norm(a, g),
        "ops.rotary": lambda: ops.rotary(q, q, cos, cos),
    }


def choices(rounds: int) -> None:
    """What the choice of a tile takes, by Hopper's rule: for shapes that nobody has asked for, and again."""
    from avelang_kernels.matmul.hopper_rule import choose_tile

    draw = random.Random(1)
    shapes = [tuple(draw.randrange(1, 8192) for _ in range(3)) for _ in range(300)]
    least = [float("inf")] * 2
    for _ in range(rounds):
        choose_tile.cache_clear()
        for again in range(2):
            start = time.perf_counter()
            for shape in shapes:
                choose_tile(*shape)
            least[again] = min(least[again], (time.perf_counter() - start) / len(shapes) * 1e6)
    print(f"{least[0]:8.2f} us  the choice of a tile\n{least[1]:8.2f} us  again")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=15)
    device, rounds = parser.parse_args().device, parser.parse_args().rounds
    x, w, out = (torch.ones(64, device=device) for _ in range(3))
    a = torch.ones(8, 8, device=device, dtype=torch.bfloat16 if device == "cuda" else torch.float32)
    p, host, launch = torch.nn.Parameter(w), nothing.host, add[1, 64]
    calls = {
        "torch.mm": lambda: torch.mm(a, a),
        "torch.add": lambda: torch.add(x, w),
        "torch.empty": lambda: torch.empty((64,), dtype=torch.float32, device=x.device),
        "torch.empty_like": lambda: torch.empty_like(x),
        "a launch": lambda: launch(x, w, out, 64),
        "nothing, out=": lambda: nothing(x, w, out=out),
        "nothing": lambda: nothing(x, w),
        "nothing, an option": lambda: nothing(x, w, eps=1e-5),
        "nothing, a parameter": lambda: nothing(x, p, eps=1e-5),
        "nothing, one more output": lambda: nothing_kept(x, w),
        "one kernel": lambda: one_kernel(x, w),
        "Python's call of the host function": lambda: host(x, w, out, eps=1e-6),
    }
    with torch.no_grad():
        for call in calls.values():
            call()
        found = best(calls, rounds, 300 if device == "cuda" else 2000, device)
        print(
            f"torch {torch.__version__}, Python {sys.version.split()[0]}, {torch.cuda.get_device_name() if device == 'cuda' else 'CPU'}"
        )
        for name, us in found.items():
            print(f"{us:8.2f} us  {name}")
        package = operations(device)
        for call in package.values():
            for _ in range(6):
                call()
        for name, us in best(package, rounds, 200, device).items():
            print(f"{us:8.2f} us  {name}")
    y = x.clone().requires_grad_()
    print(f"{best({'': lambda: nothing(y, w)}, 5, 300, device)['']:8.2f} us  nothing, with a gradient (forward alone)")
    choices(rounds)


if __name__ == "__main__":
    main()
