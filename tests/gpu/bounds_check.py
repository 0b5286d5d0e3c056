"""AVE_CHECK=bounds on a real NVIDIA GPU: kernels that go out of bounds stop with the line, tensor, index, block and thread; their twins run right; the
device goes on working in the same process.

    python3 tests/gpu/bounds_check.py [--executed]

Prints one line for each case; exit status 1 when one fails. Needs torch with CUDA; `--executed` runs the same code on the executor of PTX instead, with
NumPy's arrays and no GPU.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import sys
import traceback
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
from gpu.scratch import own_cache  # noqa: E402

own_cache()
os.environ["AVE_CHECK"] = "bounds"

import numpy as np  # noqa: E402

import avelang  # noqa: E402
import avelang.language as al  # noqa: E402
from avelang.base.errors import AveError  # noqa: E402


@avelang.jit
def stores(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.block_id(0) * 64 + al.thread_id(0), al.i32)
    Y = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    if i < n:
        Y[i + shift] = x[i] + 1.0


@avelang.jit
def loads(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.block_id(0) * 64 + al.thread_id(0), al.i32)
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    if i < n:
        y[i] = X[i + shift] + 1.0


@avelang.jit
def pointers(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.block_id(0) * 64 + al.thread_id(0), al.i32)
    if i < n:
        y[i + shift] = x[i] + 1.0


@avelang.jit
def shared(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    t = al.convert(al.thread_id(0), al.i32)
    i = al.convert(al.block_id(0) * 64, al.i32) + t
    stage = al.make_shared((64,), al.f32)
    stage[t] = x[i]
    al.syncthreads()
    y[i] = stage[t + shift] + 1.0
    al.syncthreads()


@avelang.jit
def registers(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.block_id(0) * 64 + al.thread_id(0), al.i32)
    kept = al.make_local((4,), al.f32)
    for j in range(4):
        kept[j] = x[i]
    kept[3 + shift] = x[i]
    y[i] = kept[0] + 1.0


@avelang.jit
def elements(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.block_id(0) * 64 + al.thread_id(0), al.i32)
    kept = al.full((4,), 1.0, al.f32)
    y[i] = x[i] + kept[3 * (al.convert(al.thread_id(0), al.i32) // 32) + shift]


@avelang.jit
def vectors(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.block_id(0) * 64 + al.thread_id(0), al.i32)
    X = al.make_tensor(x, al.f32, al.make_layout((n // 4, 4), (4, 1)))
    Y = al.make_tensor(y, al.f32, al.make_layout((n // 4, 4), (4, 1)))
    if i < n // 4:
        Y[i] = X[i + shift] + al.full((4,), 1.0, al.f32)


@avelang.jit
def adds(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.block_id(0) * 64 + al.thread_id(0), al.i32)
    Y = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    al.nvvm.atomic_add(al.subview(Y, (i + shift,), (1,)), x[i] + 1.0)


@avelang.jit
def copies(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    t = al.convert(al.thread_id(0), al.i32)
    i = al.convert(al.block_id(0) * 64, al.i32) + t
    stage = al.make_shared((64,), al.f32)
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    al.nvvm.cp_async_x4(al.subview(stage, (t,), (1,)), al.subview(X, (i + shift,), (1,)))
    al.nvvm.cp_async_wait_all()
    al.syncthreads()
    y[i] = stage[t] + 1.0


@avelang.jit
def waits(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    """Threads that wait for the arrival of all: none may be missing."""
    t = al.convert(al.thread_id(0), al.i32)
    i = al.convert(al.block_id(0) * 64, al.i32) + t
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    bar = al.make_shared((1,), al.u64)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 64)
    al.syncthreads()
    value = X[i + shift] + 1.0
    al.nvvm.mbarrier_arrive(bar)
    al.nvvm.mbarrier_wait(bar, 0)
    y[i] = value


@dataclasses.dataclass
class Case:
    """A kernel, the shift with which it is wrong, and what its error must say."""

    kernel: Any
    shift: int
    code: str
    says: str
    line: str


CASES = (
    Case(stores, 1, "X001", "store of `Y` at index (256,) is outside its extents (256,) (block (3, 0, 0), thread (63, 0, 0)", "Y[i + shift] ="),
    Case(stores, -1, "X001", "store of `Y` at index (-1,) is outside its extents (256,) (block (0, 0, 0), thread (0, 0, 0)", "Y[i + shift] ="),
    Case(loads, 1, "X001", "load of `X` at index (256,) is outside its extents (256,) (block (3, 0, 0), thread (63, 0, 0)", "y[i] = X[i + shift]"),
    Case(loads, 1 << 30, "X001", "load of `X` at index (", "y[i] = X[i + shift]"),
    Case(pointers, 1, "X002", "store of `y` at index (256,) touches 4 bytes", "y[i + shift] ="),
    Case(pointers, -1, "X002", "store of `y` at index (-1,) touches 4 bytes", "y[i + shift] ="),
    Case(shared, 1, "X001", "load of `stage` at index (64,) is outside its extents (64,)", "stage[t + shift]"),
    Case(shared, -1, "X001", "load of `stage` at index (-1,) is outside its extents (64,)", "stage[t + shift]"),
    Case(registers, 1, "X001", "store of `kept` at index (4,) is outside its extents (4,)", "kept[3 + shift]"),
    Case(elements, 1, "X005", "index 4 of a register vector of 4 elements", "kept[3 *"),
    Case(elements, -1, "X005", "index -1 of a register vector of 4 elements", "kept[3 *"),
    Case(vectors, 1, "X001", "load of `X` at index (64,) is outside its extents (64, 4)", "X[i + shift]"),
    Case(adds, 1, "X002", "`nvvm.atomic_add` touches 4 bytes", "al.nvvm.atomic_add"),
    Case(copies, 1, "X002", "`nvvm.cp_async_x4` touches 4 bytes", "al.nvvm.cp_async_x4"),
    Case(waits, 1, "X001", "load of `X` at index (256,) is outside its extents (256,)", "value = X[i + shift]"),
)  # fmt: skip
N, GRID, BLOCK = 256, (4, 1, 1), (64, 1, 1)


def on_gpu(kernel: Any, shift: int, guard: int = 64) -> np.ndarray:
    """The result of a launch on the GPU, in the middle of memory that must stay as it is."""
    import torch

    x = torch.arange(N, dtype=torch.float32, device="cuda")
    whole = torch.full((N + 2 * guard,), -7.0, device="cuda")
    y = whole[guard : guard + N]
    y.zero_()
    try:
        kernel[lambda: (GRID, BLOCK)](x, y, N, shift)
    finally:
        torch.cuda.synchronize()
        edges = torch.cat([whole[:guard], whole[guard + N :]]).cpu()
        assert bool((edges == -7.0).all()), "memory around the array has changed"
    return y.cpu().numpy()


def executed(kernel: Any, shift: int) -> np.ndarray:
    """The same on the executor of PTX."""
    from avelang.runtime import compile
    from avelang.runtime.arrays import describe
    from avelang.runtime.checked import CheckRecord
    from avelang.sim.ptx import Program

    text, meta = compile.device_assembly(kernel.source, {}, "sm_90a", BLOCK, {})
    x, y = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
    record = CheckRecord(meta, ("x", "y"), (describe(x), describe(y)))
    memory = [(a.ctypes.data, a.nbytes, name, True) for a, name in ((x, "x"), (y, "y"), (record.words, "bounds"))]
    arguments = [x.ctypes.data, y.ctypes.data, N, shift & 0xFFFFFFFF, record.address]
    Program(text, entry=meta["entry"]).launch(arguments, grid=GRID, block=BLOCK, memory=memory)
    found = record.error()
    if found is not None:
        raise found
    return y


def check(case: Case, launch: Any) -> None:
    """A wrong launch, then the right one."""
    try:
        launch(case.kernel, case.shift)
    except AveError as e:
        assert e.code == case.code and case.says in e.message, f"wanted {case.code} with {case.says!r}, got {e}"
        assert e.span is not None and case.line in e.span.text(), f"wanted the line {case.line!r}, got {e}"
    else:
        raise AssertionError("nothing was reported")
    wanted = np.arange(N, dtype=np.float32) + 1.0
    assert np.array_equal(launch(case.kernel, 0), wanted), "the twin gives something else"


def main() -> int:
    launch = executed if "--executed" in sys.argv[1:] else on_gpu
    failed = 0
    for case in CASES:
        name = f"{case.kernel.source.name} by {case.shift}"
        try:
            check(case, launch)
            print(f"ok   {name}: {case.code}", flush=True)
        except Exception as e:
            failed += 1
            print(f"FAIL {name}: {e}", flush=True)
            traceback.print_exc()
    print(f"{len(CASES) - failed} of {len(CASES)} cases of bounds right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
