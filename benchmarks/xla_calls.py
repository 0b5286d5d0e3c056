"""Host time of operations that XLA calls, from its call to the handler's return: the host code's way, Python's replay of
the same call, and the host function that both leave out. There is no GPU in it, and no JAX.

    python benchmarks/xla_calls.py [--calls 20000]

XLA's frames are made as its programs give them, and its own functions return at once. The driver is the stub that the
tests build with gcc (tests/runtime/cuda_stub.c): it checks what it is handed, copies the arguments, and returns. So the
figures say what Ave takes beside the driver and XLA, not what a call takes on a card: `benchmarks/jax_ops.py --only
host` does. `launches`: what the call has for the driver."""

from __future__ import annotations

import argparse
import ctypes
import pathlib
import sys
from collections.abc import Callable
from typing import Any

import ml_dtypes  # noqa: F401  (names of dtypes)
import numpy as np
from harness import Part, bursts, main, median, table

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from tests.bridge.frames import Frames
from tests.runtime import cuda, rocm

from avelang import ops
from avelang.bridge import replays, xla
from avelang.bridge.device_views import DeviceView
from avelang.bridge.registry import OPERATIONS
from avelang.runtime import streams

STREAM = 0x5550
ROUNDS = 12
ROOM = 1 << 26
Shapes = tuple[tuple[int, ...], ...]


def cases() -> dict[str, tuple[Callable[..., Any], Shapes, Shapes]]:
    """Host functions, and the shapes of what comes in and goes out, in bf16."""
    assert ops.matmul and ops.softmax  # they are registered
    product, softmax = OPERATIONS["avelang::matrices"].host, OPERATIONS["avelang::softmax_rows"].host
    return {
        "product of 128 cubed": (lambda a, b, y: product(a, b, None, y), ((128, 128), (128, 128)), ((128, 128),)),
        "product of (72, 136, 8200)": (lambda a, b, y: product(a, b, None, y), ((72, 8200), (8200, 136)), ((72, 136),)),
        "softmax of (8, 512)": (softmax, ((8, 512),), ((8, 512),)),
    }


def timed(machine: rocm.Machine, host: Callable[..., Any], given: Shapes, made: Shapes, calls: int) -> dict[str, Any]:
    """Nanoseconds a call, by how it is made."""
    kept = [machine.own(np.zeros(2 * int(np.prod(s)) + 128, np.uint8)) for s in (*given, *made)]
    room = machine.own(np.zeros(ROOM, np.uint8))
    buffers = [
        xla.Buffer(-(-k.ctypes.data // 128) * 128, s, "bfloat16") for k, s in zip(kept, (*given, *made), strict=True)
    ]

    def serve(text: Any, given: Any, made: Any, driver: str, stream: int, room: Any) -> Any:
        views = [DeviceView(b.address, b.shape, np.dtype(b.dtype), "cuda:0", None, room) for b in given + made]
        with streams.entered(stream):
            return replays.call(text, given + made, stream, room, None, lambda _: host(*views))

    handlers, frames = xla._Handlers(serve, "cuda"), Frames(lambda size: 0, STREAM)
    quick = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(handlers.calls.handler)
    frames.plainly(machine.lib, -(-room.ctypes.data // 128) * 128)
    found: dict[str, Any] = {}

    def measure(frame: int) -> None:
        for _ in range(6):
            before = handlers.calls.served
            assert not quick(frame), "the call went well"
        assert handlers.calls.served == before + 1, "the host code served the call"
        found["launches"] = len(next(iter(handlers.calls._kept.values())).replay.form.done)

        def times(function: Callable[[int], Any]) -> Callable[[int], None]:
            def run(count: int) -> None:
                for _ in range(count):
                    function(frame)

            return run

        def plain(count: int) -> None:
            for _ in range(count):
                replays.forget()
                handlers.slow(frame)

        empty = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(ctypes.cast(machine.lib.stub_give, ctypes.c_void_p).value)
        found["host code"] = bursts({"a": times(quick), "none": times(empty)}, calls, ROUNDS)
        found["replay"] = bursts({"a": times(handlers.slow), "none": times(empty)}, calls // 20, ROUNDS)
        found["host function"] = bursts({"a": plain, "none": times(empty)}, calls // 100, ROUNDS)

    failed = frames.call(measure, ctypes.create_string_buffer(b"a call"), buffers[: len(given)], buffers[len(given) :])
    assert not failed, failed
    handlers.calls.forget()
    return found


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Against the stub library."""
    with rocm.standalone(cuda.Machine) as (machine, _):
        machine.lib.stub_stream(STREAM, 0)
        machine.lib.stub_quiet(1)
        found = {name: timed(machine, *case, args.calls) for name, case in cases().items()}
    return {"driver": "stub (tests/runtime/cuda_stub.c)", "calls": args.calls, "nanoseconds": found}


def show(record: dict[str, Any]) -> str:
    """Microseconds, of which a call of C by Python is taken off."""
    ways = ("host code", "replay", "host function")
    rows = [("call", "launches", *ways)]
    for name, found in record["nanoseconds"].items():
        us = [(median(found[w]["a"]) - median(found[w]["none"])) / 1e3 for w in ways]
        rows.append((name, str(found["launches"]), *(f"{t:.2f} us" for t in us)))
    return table(rows)


if __name__ == "__main__":
    main(__doc__, Part("calls", "xla_calls", measure, show), more={"--calls": {"type": int, "default": 20_000}})
