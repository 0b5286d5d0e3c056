"""Host time of a launch on the CPU: a kernel of one block with three arrays and three integers, from call to return.

    python benchmarks/cpu_launch.py [--calls 20000]

Includes the argument checks, the provider call and the execution of the kernel's one block. `torch.add(out=)` stands
beside it as a yardstick."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Bar, Part, bursts, main, median, repeated, table, whole
from kernels import tiny


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Microseconds a call, in ten batches."""
    kinds: dict[str, list[Any]] = {"numpy": [np.arange(64, dtype=np.float32) for _ in range(3)]}
    torch: Any = None
    with contextlib.suppress(ImportError):
        import torch

        kinds["torch"] = [torch.arange(64, dtype=torch.float32) for _ in range(3)]
    if torch is None:
        print("torch: not installed, left out")
    runs: dict[str, Callable[[], Any]] = {}
    for kind, (a, b, c) in kinds.items():
        runs[f"ave, {kind}"] = call = lambda a=a, b=b, c=c: tiny[lambda: ((1, 1, 1), (64, 1, 1))](a, b, c, 64, 64, 64)
        call()
        assert float(c[5]) == 10.0, "the kernel ran and added"
        if kind == "torch":
            runs["torch.add(out=)"] = lambda a=a, b=b, c=c: torch.add(a, b, out=c)
    times = bursts({name: repeated(call) for name, call in runs.items()}, args.calls // 10, 10, warm=0)
    return {"calls": args.calls, "microseconds": {name: [ns / 1e3 for ns in t] for name, t in times.items()}}


def bars(record: dict[str, Any]) -> list[Bar]:
    """A launch takes 5 us at the most."""
    return [Bar(name, median(t), 5, "us") for name, t in record["microseconds"].items() if name.startswith("ave")]


def show(record: dict[str, Any]) -> str:
    """Medians."""
    return table([("", "median"), *((name, f"{median(t):.2f} us") for name, t in record["microseconds"].items())])


if __name__ == "__main__":
    main(__doc__, Part("launch", "cpu_launch", measure, show, bars=bars),
         more={"--calls": {"type": whole(10), "default": 20000}})
