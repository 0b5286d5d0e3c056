"""Host time of a launch on an NVIDIA GPU, from call to return: three tensors and three integers, beside the driver's
own call, torch and Triton; and three tensor maps and three integers, beside the driver's own call with descriptors that
are encoded already.

    python benchmarks/cuda_launch.py [--burst 200] [--rounds 60]

Needs torch with CUDA; Triton is measured where it is installed. Contenders take turns. A turn is a burst of launches,
fewer than the driver's queue holds, behind an idle GPU: so no launch waits for the GPU, and the time is the host's
alone. `bare` are cuLaunchKernel and cuLaunchKernelEx, called by a compiled loop with arguments that are packed already.
Each row stands beside the bare call with arguments of its own kind."""

from __future__ import annotations

import argparse
import ctypes
from collections.abc import Callable
from typing import Any

import torch
from harness import Part, bursts, main, median, table
from kernels import tiny

import avelang
import avelang.language as al
from avelang.llvm.core import HostCompiler
from avelang.llvm.engine import LoadedCode
from avelang.runtime import tensor_maps
from avelang.runtime.arrays import describe

BLOCK = 64
WITH_MAPS = ", tensor maps"
GRID = ((1, 1, 1), (BLOCK, 1, 1))
LOOP ="""
%Config = type { i32, i32, i32, i32, i32, i32, i32, ptr, ptr, i32 }
define void @plain(i64 %n, ptr %launch, ptr %f, ptr %stream, ptr %args) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %rc = call i32 %launch(ptr %f, i32 1, i32 1, i32 1, i32 64, i32 1, i32 1, i32 0, ptr %stream, ptr %args, ptr null)
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}
define void @extended(i64 %n, ptr %launch, ptr %f, ptr %config, ptr %args) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %rc = call i32 %launch(ptr %config, ptr %f, ptr %args, ptr null)
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}
"""


MAP = al.TensorMap(al.f32, 2, (8, 32))


@avelang.jit
def mapped(A: MAP, B: MAP, C: MAP, row: al.i32, col: al.i32, n: al.u32):
    """The sum of two boxes; of its first n columns of threads, that is."""
    t = al.thread_id(0)
    a = al.make_shared((8, 32), al.f32, 128)
    b = al.make_shared((8, 32), al.f32, 128)
    bar = al.make_shared((1,), al.u64)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 1)
        al.nvvm.fence_mbarrier_init()
        al.nvvm.mbarrier_arrive_expect_tx(bar, 2048)
        al.nvvm.tma_load_2d(a, A, row, col, bar)
        al.nvvm.tma_load_2d(b, B, row, col, bar)
    al.syncthreads()
    al.nvvm.mbarrier_wait(bar, 0)
    if t < n:
        for i in range(4):
            a[2 * i + t // 32, t % 32] = a[2 * i + t // 32, t % 32] + b[2 * i + t // 32, t % 32]
    al.nvvm.fence_proxy_async_shared()
    al.syncthreads()
    if t == 0:
        al.nvvm.tma_store_2d(C, row, col, a)
        al.nvvm.cp_async_bulk_commit_group()
        al.nvvm.cp_async_bulk_wait_group(0)


class Config(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3), ("shared", ctypes.c_uint32),
                ("stream", ctypes.c_void_p),
                ("attributes", ctypes.c_void_p), ("many", ctypes.c_uint32)]  # fmt: skip


def bare(kernel: Any, args: list[Any], called: str) -> dict[str, Callable[[int], Any]]:
    """The driver's own calls for what a kernel has become, each `n` times in compiled code. `args`: an int or the
    memory of each argument."""
    program: Any = kernel._launcher._stub.latest()
    assert program is not None, "the host code served the call"
    code = LoadedCode(HostCompiler(2).object(LOOP))
    memory = [ctypes.c_uint64(a) if isinstance(a, int) else a for a in args]
    places = (ctypes.c_void_p * len(args))(*map(ctypes.addressof, memory))
    config = Config((1, 1, 1), (BLOCK, 1, 1), program.record.shared, None, None, 0)
    driver, out = program.device.driver, {}
    for name, symbol, second in (("plain", "cuLaunchKernel", None),
                                 ("extended", "cuLaunchKernelEx", ctypes.addressof(config))):
        call = ctypes.CFUNCTYPE(None, ctypes.c_uint64, *[ctypes.c_void_p] * 4)(code.address(name))
        address, function = ctypes.cast(getattr(ctypes.CDLL(driver.path), symbol),
                                        ctypes.c_void_p).value, program.record.function

        def run(n: int, call: Any = call, address: Any = address, function: int = function,
                second: int | None = second) -> None:
            call(n, address, function, second, ctypes.addressof(places))

        run.keep = code, memory, places, config  # type: ignore[attr-defined]
        out[f"bare {symbol}{called}"] = run
    return out


def triton_kernel() -> Callable[..., Any] | None:
    """The same kernel in Triton, launched in its usual form."""
    try:
        import triton
        import triton.language as tl
    except ImportError:
        return None

    @triton.jit
    def same(A, B, C, m, n, k, BLOCK: tl.constexpr):
        t = tl.arange(0, BLOCK)
        tl.store(C + t, tl.load(A + t, mask=t < m) + tl.load(B + t, mask=t < n), mask=t < k)

    return same


def contenders(a: Any, b: Any, c: Any) -> dict[str, Callable[[int], Any]]:
    for _ in range(3):
        tiny[lambda: GRID](a, b, c, 64, 63, 62)
    torch.cuda.synchronize()
    assert torch.equal(c, a + b), "the kernel computes the sum"
    runs = bare(tiny, [a.data_ptr(), b.data_ptr(), c.data_ptr(), 64, 63, 62], "")
    m, n, k = 64, 63, 62
    bound = tiny[lambda: GRID]

    def whole(calls: int) -> None:
        for _ in range(calls):
            tiny[lambda: GRID](a, b, c, m, n, k)

    def kept(calls: int) -> None:
        for _ in range(calls):
            bound(a, b, c, m, n, k)

    def add(calls: int) -> None:
        for _ in range(calls):
            torch.add(a, b, out=c)

    runs |= {"kernel[lambda: grid](a, b, c, m, n, k)": whole, "launch = kernel[...]; launch(a, b, c, m, n, k)": kept,
             "torch.add(a, b, out=c)": add}
    same = triton_kernel()
    if same is not None:

        def triton(calls: int) -> None:
            for _ in range(calls):
                same[lambda meta: (1,)](a, b, c, m, n, k, BLOCK=BLOCK, num_warps=2)  # type: ignore[index]

        runs["Triton: kernel[lambda: grid](a, b, c, m, n, k)"] = triton
    return runs


def contenders_with_maps(arrays: list[Any]) -> dict[str, Callable[[int], Any]]:
    """`arrays`: two to add and one for the sum, four times, all of one shape. They take turns in one of the rows."""
    for _ in range(2):
        for i in range(0, 12, 3):
            a, b, c = arrays[i : i + 3]
            c.fill_(float("nan"))
            mapped[lambda: GRID](a, b, c, 0, 0, BLOCK)
            torch.cuda.synchronize()
            assert torch.equal(c, a + b), "the kernel computes the sum"
    read, stored = (tensor_maps.table(MAP.type, "cuda", x) for x in (False, True))
    a, b, c = arrays[:3]
    runs = bare(mapped, [*(t.find(describe(x)) for t, x in ((read, a), (read, b), (stored, c))), 0, 0, BLOCK],
                WITH_MAPS)  # type: ignore[arg-type]
    row, col, n = 0, 0, BLOCK

    def whole(calls: int) -> None:
        for _ in range(calls):
            mapped[lambda: GRID](a, b, c, row, col, n)

    def turns(calls: int) -> None:
        for i in range(calls):
            at = i % 4 * 3
            mapped[lambda: GRID](arrays[at], arrays[at + 1], arrays[at + 2], row, col, n)

    return runs | {f"kernel[lambda: grid](A, B, C, m, n, k){WITH_MAPS}": whole,
                   f"the same, twelve buffers in turn{WITH_MAPS}": turns}


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Nanoseconds a launch, burst by burst."""
    a, b = (torch.randn(BLOCK, device="cuda") for _ in range(2))
    runs = contenders(a, b, torch.empty_like(a))
    if torch.cuda.get_device_capability() >= (9, 0):
        runs |= contenders_with_maps([torch.randn(8, 32, device="cuda") for _ in range(12)])
    times = bursts(runs, args.burst, args.rounds, torch.cuda.synchronize)
    return {"device": torch.cuda.get_device_name(), "burst": args.burst, "nanoseconds": times}


def show(record: dict[str, Any]) -> str:
    """Each contender, and what it takes above the bare call."""
    rows, times = [], record["nanoseconds"]
    for name, t in times.items():
        base = median(times[f"bare cuLaunchKernelEx{WITH_MAPS if name.endswith(WITH_MAPS) else ''}"])
        rows.append((name, f"{median(t):.0f} ns", f"{min(t):.0f} ns", f"{median(t) - base:+.0f} ns"))
    return table([(record["device"], "median", "least", "above bare cuLaunchKernelEx"), *rows])


if __name__ == "__main__":
    main(__doc__, Part("launch", "cuda_launch", measure, show), rounds=60,
         more={"--burst": {"type": int, "default": 200}})
