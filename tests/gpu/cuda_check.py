"""Launches on a real NVIDIA GPU: tensors of torch, JAX and CuPy where they are, streams, graphs, errors, printing, shared memory, clusters,
compilers.

    python3 tests/gpu/cuda_check.py [--only TEXT]

Prints one line for each check and writes cuda_check.json to the folder that the variable OUT names, or here. Exit status 1 when one fails. Needs
torch with CUDA; what needs JAX, CuPy or a second GPU is skipped where there is none.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import importlib.util
import io
import json
import linecache
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
from gpu.scratch import folder as scratch  # noqa: E402
from gpu.scratch import own_cache  # noqa: E402

own_cache()

from benchmarks import mma_gemm  # noqa: E402

import avelang  # noqa: E402
import avelang.language as al  # noqa: E402
from avelang.arch.occupancy import residency  # noqa: E402
from avelang.base import knobs  # noqa: E402
from avelang.base.errors import AveError  # noqa: E402
from avelang.runtime import devices, gpu, ptxas, resources  # noqa: E402
from emit.llvm import gpu_kernels, tutorial  # noqa: E402
from runtime import nvidia_kernels  # noqa: E402

CHECKS: dict[str, Callable[[], str | None]] = {}
BLOCK = 256


class Skip(Exception):
    """What a check needs is not there."""


def check(f: Callable[[], str | None]) -> Callable[[], str | None]:
    CHECKS[f.__name__] = f
    return f


@avelang.jit
def axpy(x: al.Pointer(al.f32), y: al.Pointer(al.f32), a: al.f32, n: al.u32, BLOCK: al.constexpr = 256):
    i = al.block_id(0) * BLOCK + al.thread_id(0)
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    Y = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    if i < n:
        Y[i] = a * X[i] + Y[i]


@avelang.jit
def talks(x: al.Pointer(al.i32), n: al.i32):
    X = al.make_tensor(x, al.i32, al.make_layout((n,), (1,)))
    t = al.thread_id(0) + al.block_id(0) * 64
    if X[t] % 7 == 0:
        al.printf("block %u lane %d: %d %.2f\n", al.block_id(0), al.thread_id(0), X[t], 0.5)
    al.printf("%d ", X[t])


@avelang.jit
def mapped(B: al.Tensor((4, 4, 2), al.u32)):
    """Where two places of shared memory are in the window of each block of a cluster of four."""
    rank = al.nvvm.cluster_rank()
    tile = al.make_shared((32, 4), al.i32, 16)
    if al.thread_id(0) == 0:
        for r in range(4):
            B[rank, r, 0] = al.nvvm.mapa(tile[0], al.convert(r, al.u32))
            B[rank, r, 1] = al.nvvm.mapa(tile[5], al.convert(r, al.u32))


def grid(n: int) -> tuple[tuple[int], tuple[int]]:
    return (-(-n // BLOCK),), (BLOCK,)


def fresh(kernel: Any) -> Any:
    return avelang.jit(kernel.source.fn)


def served(kernel: Any) -> bool:
    """Whether the host code served the last launch."""
    return kernel._launcher._stub.latest() is not None


def refused(code: str, call: Callable[[], Any], *parts: str) -> str:
    try:
        call()
    except AveError as e:
        text = str(e)
        assert e.code == code and all(p in text for p in parts), text
        return text
    raise AssertionError(f"{code} was not raised")


def child(text: str, **env: str) -> str:
    """Runs a program in a process of its own: what is wrong with a context is wrong for good."""
    head = f"import sys; sys.path[:0] = {[str(ROOT), str(ROOT / 'src'), str(ROOT / 'tests')]!r}\nfrom gpu.cuda_check import *\n"
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(head + text)
        file.flush()
        done = subprocess.run([sys.executable, file.name], capture_output=True, text=True, env={**os.environ, **env}, timeout=200, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


# -- launches --------------------------------------------------------------------------------------------------------------------------------


@check
def torch_tensors() -> str:
    kernel = fresh(axpy)
    for n in (1, 255, 100_000, 1_000_001):
        for call in range(3):
            x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
            for i, j in ((0, 0), (1, call)):  # and where wide accesses may not begin
                k, want = n - max(i, j), y.cpu().numpy().copy()
                want[j:][:k] += (np.float32(2.5) * x.cpu().numpy()).astype(np.float32)[i:][:k]
                if k > 0:
                    kernel[lambda: grid(k)](x[i:][:k], y[j:][:k], 2.5, k)
                    assert np.array_equal(y.cpu().numpy(), want), (n, call)
    assert served(kernel) and kernel.last.how == "hot"
    meta = next(iter(kernel._launcher._programs.values())).meta
    return f"{meta['chip']}, {meta['assembler']}, {meta['registers']} registers, spills {meta['spills']}"


@check
def what_does_not_fit() -> None:
    x, y = torch.randn(512, device="cuda"), torch.randn(512, device="cuda")
    for _ in range(2):
        refused("L012", lambda: axpy[grid(512)](x.double(), y, 1.0, 512))
        refused("L014", lambda: axpy[grid(256)](x[::2], y, 1.0, 256))
        refused("L017", lambda: axpy[grid(512)](x.cpu(), y, 1.0, 512), "x on cpu, y on cuda:0")
        axpy[grid(512)](x, y, 1.0, 512)
    refused("L022", lambda: axpy[grid(512)](x, y, 1.0, 512, target="gfx942"))
    pinned = torch.ones(512).pin_memory()
    want = y + 1
    axpy[grid(512)](pinned, y, 1.0, 512)
    assert torch.equal(y, want)


@check
def an_older_target() -> str:
    """PTX for a chip of before runs here too."""
    names = []
    for target in sorted(devices.device("cuda:0").targets):
        x, y = torch.randn(1000, device="cuda"), torch.zeros(1000, device="cuda")
        axpy[grid(1000)](x, y, 1.0, 1000, target=target)
        assert torch.equal(x, y), target
        names.append(target)
    return " ".join(names)


@check
def a_matrix_product() -> None:
    a, b = torch.randn(16, 16, device="cuda").half(), torch.randn(8, 16, device="cuda").half()
    c = torch.full((16, 8), float("nan"), device="cuda")
    gpu_kernels.tensor_cores[(1,), (32,)](a, b, c)
    want = a.double() @ b.double().T
    assert (c.double() - want).norm() / want.norm() < 1e-5


@check
def much_shared_memory() -> None:
    a, b = torch.randn(64, 256, device="cuda"), torch.full((64, 256), float("nan"), device="cuda")
    for _ in range(3):
        gpu_kernels.big_tile[(1,), (256,)](a, b)
    assert torch.equal(b, a.flip(1) + a[0]) and served(gpu_kernels.big_tile)


@check
def the_tutorial_is_for_64_lanes() -> str:
    """The tutorial's kernels use matrix instructions of AMD: on NVIDIA they are refused, with the line."""
    a, b = (torch.randn(128, 128, device="cuda").bfloat16() for _ in range(2))
    c = torch.empty(128, 128, device="cuda")
    at = ((4, 4, 1), (64, 1, 1))
    text = refused("U110", lambda: tutorial.fixed[at](a, b, c), "does not exist on sm_", "gfx942")
    tutorial.fixed[at](a.cpu(), b.cpu(), c := torch.empty(128, 128))
    assert torch.allclose(c, a.cpu().float() @ b.cpu().float().T, rtol=1e-2, atol=1e-2)
    return text.splitlines()[0]


# -- streams, graphs, threads, devices ---------------------------------------------------------------------------------------------------------


def slow(x: Any, times: int = 40) -> None:
    """Work that takes the GPU longer than launching what comes behind it."""
    big = torch.randn(4096, 4096, device=x.device)
    for _ in range(times):
        big = big @ big
        big /= big.norm()
    x.add_((big * 0).sum() + 1)


@check
def streams() -> None:
    kernel, n = fresh(axpy), 1 << 20
    side = torch.cuda.Stream()
    kernel[grid(n)](torch.zeros(n, device="cuda"), torch.zeros(n, device="cuda"), 3.0, n)
    slow(torch.zeros(n, device="cuda"))
    for _ in range(3):
        x, y = torch.zeros(n, device="cuda"), torch.zeros(n, device="cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            slow(x)
            kernel[grid(n)](x, y, 3.0, n)
            assert not side.query(), "the launch waits for nothing"
            z = y.clone()
        side.synchronize()
        assert (z == 3).all()
        x.zero_(), y.zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            slow(x)
        kernel[grid(n)](x, y, 3.0, n, stream=side)
        kernel[grid(n)](x, y, 3.0, n, stream=side.cuda_stream)
        side.synchronize()
        assert (y == 6).all()
    assert served(kernel)


@check
def graphs() -> None:
    """The first launch of a kernel, and later ones, within a capture; the replay runs both on what the memory holds then."""
    kernel, n = fresh(axpy), 4096
    x, y = torch.randn(n, device="cuda"), torch.zeros(n, device="cuda")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel[grid(n)](x, y, 2.0, n, BLOCK=BLOCK)
        for _ in range(3):
            kernel[grid(n)](x, y, 1.0, n, BLOCK=BLOCK)
    assert served(kernel) and not y.any()
    for _ in range(2):
        x.copy_(torch.randn(n, device="cuda"))
        y.zero_()
        graph.replay()
        torch.cuda.synchronize()
        assert torch.allclose(y, 5 * x, rtol=1e-6)
    # A kernel that prints is refused, and the capture goes on.
    z = torch.zeros(64, dtype=torch.int32, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        refused("D035", lambda: talks[(1,), (64,)](z, 64), "capture")
        kernel[grid(n)](x, y, 1.0, n, BLOCK=BLOCK)
    y.zero_()
    graph.replay()
    assert torch.equal(x, y)


@check
def threads() -> None:
    kernel, n, wrong = fresh(axpy), 10_000, []
    kernel[grid(n)](torch.zeros(n, device="cuda"), torch.zeros(n, device="cuda"), 1.0, n)

    def work() -> None:
        try:
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                x, y = torch.randn(n, device="cuda"), torch.zeros(n, device="cuda")
                for _ in range(50):
                    kernel[grid(n)](x, y, 1.0, n)
                stream.synchronize()
                assert torch.allclose(y, 50 * x, rtol=1e-4)
        except BaseException as e:
            wrong.append(e)

    # A thread of its own has no current context.
    x, y = torch.randn(n, device="cuda"), torch.zeros(n, device="cuda")
    torch.cuda.synchronize()
    alone = threading.Thread(target=lambda: kernel[grid(n)](x, y, 1.0, n, stream=0))
    alone.start(), alone.join()
    torch.cuda.synchronize()
    assert torch.equal(x, y)
    many = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in many], [t.join() for t in many]
    assert not wrong, wrong


@check
def another_context() -> None:
    """A thread whose context is not the device's primary one: launches find their own, and leave that of the thread."""
    driver, cuda = devices.DRIVERS["cuda"], ctypes.CDLL("libcuda.so.1")
    kernel, n = fresh(axpy), 5000
    x, y = torch.randn(n, device="cuda"), torch.zeros(n, device="cuda")
    kernel[grid(n)](x, y, 0.0, n), kernel[grid(n)](x, y, 0.0, n)
    torch.cuda.synchronize()
    mine, now, seen = ctypes.c_void_p(), ctypes.c_void_p(), []

    def work() -> None:
        assert cuda.cuCtxCreate_v2(ctypes.byref(mine), 0, 0) == 0
        for _ in range(3):
            kernel[grid(n)](x, y, 1.0, n, stream=0)
        cuda.cuCtxGetCurrent(ctypes.byref(now))
        seen.append(now.value)

    thread = threading.Thread(target=work)
    thread.start(), thread.join()
    torch.cuda.synchronize()
    assert served(kernel) and seen == [mine.value] and mine.value != driver.device(0).word and torch.allclose(y, 3 * x)


@check
def several_devices() -> None:
    if torch.cuda.device_count() < 2:
        raise Skip("one GPU")
    kernel, n = fresh(axpy), 5000
    for _ in range(3):
        for i in range(torch.cuda.device_count()):
            x, y = torch.randn(n, device=f"cuda:{i}"), torch.zeros(n, device=f"cuda:{i}")
            kernel[grid(n)](x, y, 1.0, n)
            assert torch.equal(x.cpu(), y.cpu()) and torch.cuda.current_device() == 0
    refused("L017", lambda: kernel[grid(n)](x.to("cuda:0"), y, 1.0, n), "cuda:0", "cuda:1")


@check
def jax_arrays() -> None:
    if importlib.util.find_spec("jax") is None:
        raise Skip("no JAX")
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import jax.numpy as jnp

    kernel, n = fresh(axpy), 3000
    for seed in range(3):
        x, y = jax.random.normal(jax.random.key(seed), (n,)), jnp.ones(n)
        want = np.asarray(x) * 2 + 1
        kernel[grid(n)](x * 2, y, 1.0, n)
        assert np.allclose(np.asarray(y), want, rtol=1e-6)
    t = torch.zeros(n, device="cuda")
    kernel[grid(n)](x, t, 1.0, n)
    assert np.array_equal(t.cpu().numpy(), np.asarray(x))


@check
def cupy_arrays() -> None:
    if importlib.util.find_spec("cupy") is None:
        raise Skip("no CuPy")
    import cupy

    kernel, n = fresh(axpy), 3000
    for stream in (cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True)):
        with stream:
            for _ in range(3):
                x, y = cupy.random.standard_normal(n, dtype=cupy.float32), cupy.ones(n, cupy.float32)
                kernel[grid(n)](x, y, 1.0, n)
                assert cupy.allclose(y, x + 1)

    class Holder:
        def __init__(self, array: Any):
            self.__cuda_array_interface__, self.keep = array.__cuda_array_interface__, array

    z = cupy.zeros(n, cupy.float32)
    kernel[grid(n)](Holder(x), Holder(z), 1.0, n)
    cupy.cuda.Device().synchronize()
    assert cupy.array_equal(x, z)


# -- printing, faults, compilers ---------------------------------------------------------------------------------------------------------------


@check
def printing() -> str:
    x = torch.randint(0, 100, (128,), dtype=torch.int32)
    said = []
    for array, more in ((x.cuda(), {}), (x, {"backend": "reference", "target": "sm_90a"})):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            for _ in range(2):
                talks[(2,), (64,)](array, 128, **more)
        said.append(out.getvalue())
    assert said[0] == said[1], (said[0][:300], said[1][:300])
    return f"{len(said[0])} characters, as the reference prints them"


FAULT = """
x, y = torch.zeros(1024, device="cuda"), torch.zeros(1024, device="cuda")
axpy[grid(1024)](x, y, 1.0, 1024)
torch.cuda.synchronize()
far = 1 << 31
"""


@check
def a_fault_where_launches_are_checked() -> str:
    text = "refused('L033', lambda: axpy[grid(far)](x, y, 1.5, far), '`axpy` failed while it ran on cuda:0', 'CUDA_ERROR_ILLEGAL_ADDRESS', 'a=1.5', 'n=2147483648')"
    return child(f"{FAULT}print({text})\n", AVE_CHECK="launch").splitlines()[0]


@check
def a_fault_at_the_next_launch() -> str:
    text = """
axpy[grid(far)](x, y, 1.5, far)
time.sleep(1)
other = fresh(talks)
print(refused("L032", lambda: axpy[grid(1024)](x, y, 1.0, 1024), "the last launches on cuda:0, newest first: `axpy`", "a=1.5, n=2147483648", "ILLEGAL"))
"""
    return child(FAULT + text).splitlines()[-1].strip()


@check
def the_drivers_own_compiler() -> str:
    out = child(
        "start = time.perf_counter()\ntorch_tensors()\nmuch_shared_memory(); a_matrix_product()\nprint(torch_tensors(), end='')\nspills()\n",
        AVE_PTXAS="driver", AVE_CACHE_DIR=scratch(),
    )  # fmt: skip
    assert "driver " in out, out
    return out.strip()


@check
def spills() -> str:
    """A warning, at the line that spills; at the kernel's where the driver's compiler keeps no lines."""
    kernel = fresh(nvidia_kernels.crowded)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        x, y = torch.randn(1024, device="cuda"), torch.zeros(1024 * 128, device="cuda")
        kernel[((1,), (1024,))](x, y, 2)
    torch.cuda.synchronize()
    (warning,) = seen
    code = nvidia_kernels.crowded.source.fn.__code__
    at = linecache.getline(warning.filename, warning.lineno)
    assert "spills" in str(warning.message) and warning.filename == code.co_filename, warning
    assert "# the crowd" in at or (knobs.ptxas() == "driver" and abs(warning.lineno - code.co_firstlineno) <= 1), warning
    return f"line {warning.lineno}: {warning.message}"


@check
def blocks_on_a_multiprocessor() -> str:
    """What Ave reckons, and what the driver says of the same code: registers, threads and shared memory limit in turn."""
    torch.zeros(1, device="cuda")  # the thread has a context from here on
    cuda, device, said = ctypes.CDLL("libcuda.so.1"), devices.device("cuda:0"), []
    tool = ptxas.find(int(devices.DRIVERS["cuda"].version()[0].partition(".")[0]))
    if tool is None:
        raise Skip("no ptxas")
    for kernel, constexprs, launches in (
        (axpy, {}, ((32, 0), (64, 0), (256, 0), (1024, 0), (128, 9000), (128, 40_000), (96, 20_001))),
        (gpu_kernels.softmax, {}, ((32, 0), (128, 1), (320, 0))),
        (mma_gemm.mma_gemm, {"BM": 64, "BN": 64}, ((128, 0), (128, 10_000), (128, 21_000))),
    ):
        for threads, dynamic in launches:
            block = (threads, 1, 1)
            code, meta = resources.cubin(kernel, constexprs, block, device.chip.name)
            program = device.load(code, {**meta, "launch": {}})
            found, function = ctypes.c_int(-1), ctypes.c_void_p(program.record.function)
            status = cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(ctypes.byref(found), function, threads, ctypes.c_size_t(dynamic))
            want = residency(device.architecture, threads, meta["registers"], meta["static_bytes"] + dynamic)
            assert status == 0 and found.value == want.blocks, (kernel, threads, dynamic, status, found.value, want)
            said.append(f"{want.blocks} ({want.limited_by})")
    return ", ".join(said)


CLUSTER = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry ranks(.param .u64 out) {
  .reg .b32 %r<6>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %cluster_ctarank;
  mov.u32 %r2, %cluster_nctarank;
  shl.b32 %r2, %r2, 8;
  or.b32 %r1, %r1, %r2;
  mov.u32 %r3, %ctaid.x;
  mul.wide.u32 %d2, %r3, 4;
  add.u64 %d3, %d1, %d2;
  st.global.u32 [%d3], %r1;
  ret;
}
"""


@check
def clusters() -> str:
    """A launch with attributes, by cuLaunchKernelEx: each block stores its place in its cluster."""
    device = devices.device("cuda:0")
    tool = ptxas.find()
    if tool is None or "sm_90" not in device.chip.features:
        raise Skip("no ptxas, or a GPU without clusters")
    code, _ = ptxas.assemble(tool, CLUSTER, device.architecture, "ranks")
    done = []
    for size, more in ((1, {}), (2, {}), (8, {"programmatic": 1}), (16, {"cooperative": 1})):
        launch = {"cluster": [size, 1, 1], **more}
        meta = {"kernel": "ranks", "entry": "ranks", "block": [32, 1, 1], "params": 1, "arguments": [["out", "pointer"]], "dynamic_bytes": 0,
                "pointer_align": 16, "launch": launch, "place": [__file__, 1], "chip": device.chip.name}  # fmt: skip
        program = gpu.GpuProgram(device, code + b"\0" * size, meta)
        out = torch.full((16,), -1, dtype=torch.int32, device="cuda")
        from avelang.runtime.arguments import BoundArguments
        from avelang.runtime.geometry import Geometry

        program.run(Geometry((16, 1, 1), (32, 1, 1)), BoundArguments([out.data_ptr()], [1], {}, {}), ["out"], 0)
        torch.cuda.synchronize()
        assert out.tolist() == [i % size | size << 8 for i in range(16)], (size, out.tolist())
        done.append(size)
    x, y = torch.randn(1024, device="cuda"), torch.zeros(1024, device="cuda")
    for _ in range(2):
        axpy[grid(1024)](x, y, 1.0, 1024, cluster=(2, 1))
    assert torch.allclose(y, 2 * x)
    refused("L029", lambda: axpy[grid(768)](x, y, 1.0, 768, cluster=(2, 1)), "cannot be cut into clusters")
    return f"of {done} blocks"


@check
def addresses_in_a_cluster() -> str:
    """`mapa` as the reference has it, but for where a block's shared memory begins, which is the system's to say."""
    if "sm_90" not in devices.device("cuda:0").chip.features:
        raise Skip("a GPU without clusters")
    got, want = torch.zeros((4, 4, 2), dtype=torch.int32, device="cuda"), np.zeros((4, 4, 2), np.uint32)
    mapped[lambda: ((4,), (32,))](got, cluster=(4, 1, 1))
    mapped[lambda: ((4,), (32,))](want, cluster=(4, 1, 1), backend="reference")
    found = got.cpu().numpy().view(np.uint32)
    assert np.array_equal(found - found[:1, :1, :1], want - want[:1, :1, :1]), (found.tolist(), want.tolist())
    return f"window of block r at {', '.join(hex(x) for x in found[0, :, 0])}; the reference has {', '.join(hex(x) for x in want[0, :, 0])}"


@check
def from_the_cache_on_disk() -> str:
    text = "x, y = torch.zeros(64, device='cuda'), torch.zeros(64, device='cuda')\nkernel = axpy\nstart = time.perf_counter()\n" \
        "kernel[grid(64)](x, y, 1.0, 64)\nprint(kernel.last.how, round(1000 * (time.perf_counter() - start)))\n"  # fmt: skip
    folder = scratch()
    first, second = (child(text, AVE_CACHE_DIR=folder).split() for _ in range(2))
    assert (first[0], second[0]) == ("compiled", "disk"), (first, second)
    return f"first launch {first[1]} ms cold, {second[1]} ms from the cache"


@check
def compile_times() -> str:
    """A new specialization of a tiled kernel, from source to machine code, this process being warm."""
    a, b = torch.randn(16, 16, device="cuda").half(), torch.randn(8, 16, device="cuda").half()
    c = torch.zeros(16, 8, device="cuda")
    times = []
    for _ in range(5):
        kernel = fresh(gpu_kernels.tensor_cores)
        os.environ["AVE_NO_CACHE"] = "1"
        start = time.perf_counter()
        kernel[(1,), (32,)](a, b, c)
        times.append(1000 * (time.perf_counter() - start))
    del os.environ["AVE_NO_CACHE"]
    return "tensor_cores: " + " ".join(f"{t:.0f}" for t in times) + " ms"


# -- running ---------------------------------------------------------------------------------------------------------------------------------


def main() -> int:
    p = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    p.add_argument("--only", default="", help="checks whose name has this text")
    only = p.parse_args().only
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {ptxas.find()}, driver {devices.DRIVERS['cuda'].survey().version}")
    results = []
    for name, run in CHECKS.items():
        if only not in name:
            continue
        start = time.perf_counter()
        try:
            state, said = "ok", run() or ""
        except Skip as e:
            state, said = "skip", str(e)
        except BaseException as e:
            state, said = "FAIL", f"{type(e).__name__}: {e}"
            traceback.print_exc()
        results.append({"check": name, "state": state, "said": said, "seconds": round(time.perf_counter() - start, 2)})
        print(f"{state:4} {name:36} {results[-1]['seconds']:6.2f} s  {said}"[:400], flush=True)
    failed = sum(r["state"] == "FAIL" for r in results)
    print(f"{len(results) - failed} of {len(results)} checks pass")
    record = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "checks": results}
    (pathlib.Path(os.environ.get("OUT", ".")) / "cuda_check.json").write_text(json.dumps(record, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
