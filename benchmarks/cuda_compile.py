"""How long a tiled matrix kernel takes from source to loaded machine code for an NVIDIA GPU, nothing cached; Triton
beside it, in turn.

    python benchmarks/cuda_compile.py [--rounds 9] [--target sm_90a]

A new specialization: the process is warm, the kernel is not known. With a GPU (and torch) it is a first launch, from
call to return, module load included; without one the machine code is made and not loaded. The stages are CPU work
alone. A fresh process: from the start of Python to the code, imports and all. Triton is measured where it and a GPU
are, with kernels of the same tiles and an empty cache."""

from __future__ import annotations

import argparse
import gc
import itertools
import os
import pathlib
import tempfile
import time
from collections.abc import Callable
from typing import Any

from harness import Bar, Part, fresh_process, in_turns, main, median, medians, table
from mma_gemm import THREADS, mma_gemm

import avelang
import avelang.arch as arch
import avelang.pipeline as pipeline
from avelang.emit.llvm.simt_device import DeviceCompiler, program
from avelang.frontend.build import build
from avelang.runtime import ptxas
from avelang.runtime.compile import constants, device_assembly

HERE = str(pathlib.Path(__file__).parent)
BAR = 120  # milliseconds, for a new specialization
STAGES = ("frontend", "passes", "emit", "LLVM", "PTX", "ptxas")
CHILD ="""
import time; start = time.perf_counter()
import sys; sys.path[:0] = [{here!r}, {src!r}]
from mma_gemm import THREADS, mma_gemm
from avelang.runtime.resources import cubin
imported = time.perf_counter()
assert cubin(mma_gemm, dict(BM=64, BN=64), (THREADS, 1, 1), {target!r})[0]
print(imported - start, time.perf_counter() - imported)
"""


def kernels() -> dict[str, tuple[Any, dict[str, int], int]]:
    """(jit function, compile-time values, threads) by name; the package's Hopper kernel where the target has it."""
    import avelang.language as al
    from avelang_kernels.matmul import hopper_gemm

    large, small = hopper_gemm.GemmTile(128, 256, 4, 2), hopper_gemm.GemmTile(64, 128, 6)
    out: dict[str, tuple[Any, dict[str, int], int]] = {
        "mma.sync 64x64x32": (mma_gemm, {"BM": 64, "BN": 64}, THREADS), "mma.sync 128x128x32": (mma_gemm, {}, THREADS),
    }  # fmt: skip
    for tile in (small, large):
        out[f"wgmma {tile.m}x{tile.n}x64"] = hopper_gemm.build(tile, al.bf16,
                al.bf16), {}, hopper_gemm.threads(tile)
    return out


def staged(kernel: Any, constexprs: dict[str, int], threads: int, target: str, tool: ptxas.Assembler) -> list[float]:
    """Seconds of each of `STAGES`; without a search for garbage in between, as when Ave compiles."""
    gc.collect()
    gc.disable()
    chip, source = arch.chip(target), avelang.jit(kernel.source.fn).source
    clock = [time.perf_counter()]
    built = build(source, constants(source, constexprs), chip)
    built.attrs["lines"] = True
    clock.append(time.perf_counter())
    lowered = pipeline.gpu(built, (threads, 1, 1))
    clock.append(time.perf_counter())
    made = program(lowered, chip)
    clock.append(time.perf_counter())
    device = DeviceCompiler(chip)
    module = device.module(made.text)
    clock.append(time.perf_counter())
    text = device.machine.emit_assembly(module)
    clock.append(time.perf_counter())
    _, said = ptxas.assemble(tool, text, target, made.entry)
    clock.append(time.perf_counter())
    gc.enable()
    assert said["spills"] == [0, 0], (made.entry, said)
    return [b - a for a, b in itertools.pairwise(clock)]


def compiled(kernel: Any, constexprs: dict[str, int], threads: int, target: str,
             tool: ptxas.Assembler) -> Callable[[], None]:
    """Machine code of a kernel that is new each time."""

    def call() -> None:
        source = avelang.jit(kernel.source.fn).source
        text, meta = device_assembly(source, constants(source, constexprs), target, (threads, 1, 1), {})
        ptxas.assemble(tool, text, target, meta["entry"])

    return call


def launched(constexprs: dict[str, int], a: Any, b: Any, c: Any) -> Callable[[], None]:
    """A first launch of the mma.sync kernel, which is new each time."""
    m, n, k = c.shape[0], c.shape[1], a.shape[1]

    def call() -> None:
        avelang.jit(mma_gemm.source.fn)[lambda: ((1, 1), (THREADS,))](a, b, c, m, n, k, **constexprs)

    return call


def triton_launched(tile: int, a: Any, b: Any, c: Any) -> Callable[[], None]:
    """The same of Triton's kernel; a value that nothing reads makes it new."""
    from triton_gemm import gemm

    m, n, k = c.shape[0], c.shape[1], a.shape[1]
    new = iter(range(1 << 30))

    def call() -> None:
        gemm[(1, 1)](a, b, c, m, n, k, BM=tile, BN=tile, BK=32, NEW=next(new), num_warps=4, num_stages=3)

    return call


def gpu() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()


def on_the_gpu() -> tuple[dict[str, Callable[[], None]], Callable[[int], None]]:
    """The contenders there, and what checks that the last launch with a tile has multiplied."""
    import torch

    a, b = (torch.randn(128, 256, device="cuda").bfloat16() for _ in range(2))
    c = torch.empty(128, 128, device="cuda")
    calls: dict[str, Callable[[], None]] = {}
    for tile in (64, 128):
        calls[f"mma.sync {tile}x{tile}x32"] = launched({"BM": tile, "BN": tile}, a, b, c)
        try:
            calls[f"Triton {tile}x{tile}x32"] = triton_launched(tile, a, b, c)
        except ImportError:
            continue

    def check(tile: int) -> None:
        torch.cuda.synchronize()
        want = a[:tile].double() @ b[:tile].double().T
        assert torch.allclose(c[:tile, :tile].double(), want, rtol=1e-3, atol=1e-3)
        c.fill_(float("nan"))

    return calls, check


def specializations(rounds: int, target: str, tool: ptxas.Assembler) -> dict[str, list[float]]:
    """Seconds of each new specialization; contenders take turns, the first turn does not count."""
    checks: Callable[[int], None] | None = None
    calls: dict[str, Callable[[], None]] = {}
    if gpu():
        calls, checks = on_the_gpu()
    for name, (kernel, constexprs, threads) in kernels().items():
        if name not in calls:
            calls[name] = compiled(kernel, constexprs, threads, target, tool)

    def after(name: str) -> None:
        if checks is not None and not name.startswith("wgmma"):
            checks(int(name.split()[1].split("x")[0]))

    return in_turns(calls, rounds, after=after)


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """New specializations, the stages of each, and whole processes."""
    os.environ["AVE_NO_CACHE"] = "1"
    tool = ptxas.need("this benchmark")
    code = CHILD.format(here=HERE, src=str(pathlib.Path(avelang.__file__).parents[1]), target=args.target)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "triton")
        news = specializations(args.rounds, args.target, tool)
        split = {name: [staged(*kernel, args.target, tool) for _ in range(args.rounds)]
                 for name, kernel in kernels().items()}
        fresh = [
            fresh_process(code, PYTHONPYCACHEPREFIX=os.path.join(folder, "bytecode"))
            for _ in range(args.rounds // 2 + 2)
        ][1:]
    return {"target": args.target, "rounds": args.rounds, "assembler": str(tool), "gpu": gpu(),
            "specialization_s": news,
            "stages_s": {name: dict(zip(STAGES, zip(*turns, strict=True), strict=True))
                         for name, turns in split.items()},
            "process_s_whole_imports_compiling": [(whole, *inside) for whole, inside, _ in fresh]}  # fmt: skip


def show(record: dict[str, Any]) -> str:
    """Milliseconds of each specialization, of each stage, and seconds of a process."""
    rows = [(f"new specialization ({'launched' if record['gpu'] else 'not loaded'})", "median", "least")]
    rows += [(name, f"{median(s) * 1e3:.0f} ms", f"{min(s) * 1e3:.0f} ms")
             for name, s in record["specialization_s"].items()]
    stages = [(f"ms by stage, {record['assembler']}", *STAGES, "sum")]
    for name, found in record["stages_s"].items():
        columns = [ms * 1e3 for ms in medians(found).values()]
        stages.append((name, *(f"{ms:.1f}" for ms in columns), f"{sum(columns):.0f}"))
    whole, imports, compiling = (
        median(list(c)) for c in zip(*record["process_s_whole_imports_compiling"], strict=True)
    )
    said = (
        f"fresh process, mma.sync 64x64x32: {whole:.3f} s, of that imports {imports:.3f} s, compiling {compiling:.3f} s"
    )
    return f"{table(rows)}\n\n{table(stages)}\n\n{said}"


def bars(record: dict[str, Any]) -> list[Bar]:
    """Of Ave's kernels with `mma.sync`."""
    return [Bar(name, median(s) * 1e3, BAR, "ms")
            for name, s in record["specialization_s"].items() if name.startswith("mma")]


if __name__ == "__main__":
    main(__doc__, Part("compile", "cuda_compile", measure, show, bars=bars), rounds=9,
         more={"--target": {"default": "sm_90a"}})
