"""Host time of a launch on an AMD GPU, from call to return: three tensors and three integers. There is no GPU in it,
and no ROCm.

    python benchmarks/hip_launch.py [--calls 100000]

The driver is the stub that the tests build with gcc (tests/runtime/hip_stub.c): it checks what it is handed, copies the
arguments, and returns. So the figures say what Ave adds above the driver's own time, not what a launch costs on a card:
`hipModuleLaunchKernel` of ROCm takes several microseconds. The tensors are torch's own, read through torch's own C
exchange API; only the device they say they are on is replaced. `bare` calls the stub's launch function from C."""

from __future__ import annotations

import argparse
import ctypes
import pathlib
import sys
from typing import Any

import numpy as np
from harness import Part, bursts, main, median, table
from kernels import tiny

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from tests.runtime import rocm

GRID = ((1, 1, 1), (64, 1, 1))
ROUNDS = 12


def figures(calls: int, machine: rocm.Machine, torch: rocm.Torch) -> dict[str, list[float]]:
    """Nanoseconds a call of each contender, which take turns."""
    plain = [torch.torch.from_numpy(np.zeros(64, np.float32)) for _ in range(3)]
    a, b, c = tensors = [torch.make(x) for x in plain]
    for x, same in zip(tensors, plain, strict=True):
        torch.lib.rocm_plain(ctypes.c_void_p(id(x)), ctypes.c_void_p(id(same)))
    for _ in range(2):
        tiny[lambda: GRID](a, b, c, 64, 63, 62)
    assert machine.values() == [*(x.data_ptr() for x in tensors), 64, 63, 62], "the driver got the arguments"
    program = tiny._launcher._stub.latest()
    assert program is not None, "the host code served the call"
    machine.lib.stub_quiet(1)
    slots = (ctypes.c_uint64 * 6)(*machine.values())
    places = (ctypes.c_void_p * 6)(*(ctypes.addressof(slots) + 8 * i for i in range(6)))
    bound = tiny[lambda: GRID]

    def bare(calls: int) -> None:
        machine.lib.stub_repeat(ctypes.c_uint64(calls), ctypes.c_void_p(program.record.function), None, places)

    def whole(calls: int) -> None:
        for _ in range(calls):
            tiny[lambda: GRID](a, b, c, 64, 63, 62)

    def kept(calls: int) -> None:
        for _ in range(calls):
            bound(a, b, c, 64, 63, 62)

    def loop(calls: int) -> None:
        for _ in range(calls):
            pass

    runs = {
        "bare": bare, "kernel[lambda: grid](a, b, c, m, n, k)": whole,
        "launch = kernel[...]; launch(a, b, c, m, n, k)": kept, "an empty loop": loop,
    }  # fmt: skip
    return bursts(runs, calls, ROUNDS, warm=0)


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Against the stub library."""
    with rocm.standalone() as (machine, torch):
        times = figures(args.calls, machine, torch)
    return {"driver": "stub (tests/runtime/hip_stub.c)", "calls": args.calls, "nanoseconds": times}


def show(record: dict[str, Any]) -> str:
    """Each contender, and what it takes above the bare call."""
    times = record["nanoseconds"]
    base = median(times["bare"])
    rows = ((name, f"{median(t):.0f} ns", f"{median(t) - base:.0f} ns above") for name, t in times.items())
    return table([("against a stub library, no card", "median", ""), *rows])


if __name__ == "__main__":
    main(__doc__, Part("launch", "hip_launch", measure, show), more={"--calls": {"type": int, "default": 100_000}})
