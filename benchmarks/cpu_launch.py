"""Host time of a launch on the CPU: a kernel of one block with three arrays and three integers, from call to return.

    python benchmarks/cpu_launch.py [--calls 20000]

Includes the argument checks, the provider call and the execution of the kernel's one block. `torch.add(out=)` stands beside it as a yardstick.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from common import median, save, table

import avelang
import avelang.language as al


@avelang.jit
def tiny(A: al.Pointer(al.f32), B: al.Pointer(al.f32), C: al.Pointer(al.f32), m: al.u32, n: al.u32, k: al.u32):
    a = al.make_tensor(A, al.f32, al.make_layout((m,), (1,)))
    b = al.make_tensor(B, al.f32, al.make_layout((n,), (1,)))
    c = al.make_tensor(C, al.f32, al.make_layout((k,), (1,)))
    t = al.thread_id(0)
    c[t] = a[t] + b[t]


def per_call(call, calls: int) -> list[float]:
    """Microseconds a call, in 10 batches."""
    out = []
    for _ in range(10):
        start = time.perf_counter()
        for _ in range(calls // 10):
            call()
        out.append((time.perf_counter() - start) / (calls // 10) * 1e6)
    return out


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--calls", type=int, default=20000)
    args = p.parse_args()
    kinds = {"numpy": [np.arange(64, dtype=np.float32) for _ in range(3)]}
    try:
        import torch

        kinds["torch"] = [torch.arange(64, dtype=torch.float32) for _ in range(3)]
    except ImportError:
        print("torch: not installed, left out")
    figures: dict[str, list[float]] = {}
    for kind, (a, b, c) in kinds.items():
        call = lambda a=a, b=b, c=c: tiny[lambda: ((1, 1, 1), (64, 1, 1))](a, b, c, 64, 64, 64)  # noqa: E731
        call()
        assert float(c[5]) == 10.0, "the kernel ran and added"
        figures[f"ave, {kind}"] = per_call(call, args.calls)
        if kind == "torch":
            import torch

            figures["torch.add(out=)"] = per_call(lambda a=a, b=b, c=c: torch.add(a, b, out=c), args.calls)
    print(table([("", "median", "bar"), *((n, f"{median(t):.2f} us", "5 us" if n.startswith("ave") else "") for n, t in figures.items())]))
    print("saved", save("cpu_launch", {"calls": args.calls, "microseconds": figures}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
